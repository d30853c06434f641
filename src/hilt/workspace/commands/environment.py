"""The environment a command gets: made from nothing, of names that are known to be harmless and needed.

A host's environment holds keys and tokens that no command of a model needs, and variables that
make programs run other code than they say (`LD_PRELOAD`, `BASH_ENV`, `PYTHONPATH`, `GIT_PAGER`). A
list of what to leave out is never complete; so this is a list of what is given. A person adds to it
with `[isolation] environment`.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from hilt.results.secrets import mask_secrets

SETTING = "isolation.environment"
MOST_NAMED = 12
"""Names of variables that a message to a model lists."""

_GIVEN = (
    # the person, the machine, how text is read and shown
    "PATH HOME USER LOGNAME SHELL HOSTNAME LANG LANGUAGE LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR",
    "CLICOLOR_FORCE COLUMNS LINES TMPDIR TMP TEMP CI DEBIAN_FRONTEND SOURCE_DATE_EPOCH",
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME",
    # how the network is reached, and whom TLS trusts
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy",
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NIX_SSL_CERT_FILE NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO PIP_CERT CARGO_HTTP_CAINFO",
    # Python
    "VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_ROOT PYENV_ROOT PYENV_VERSION POETRY_HOME PIPX_HOME",
    "PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PIP_CACHE_DIR",
    "PIP_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX PIP_DEFAULT_TIMEOUT PIP_DISABLE_PIP_VERSION_CHECK",
    "UV_CACHE_DIR UV_PYTHON UV_PROJECT_ENVIRONMENT UV_LINK_MODE UV_INDEX_URL UV_DEFAULT_INDEX UV_OFFLINE",
    # JavaScript
    "NODE_ENV NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME N_PREFIX PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME",
    "YARN_CACHE_FOLDER NPM_CONFIG_PREFIX NPM_CONFIG_CACHE NPM_CONFIG_REGISTRY npm_config_cache",
    # Go, Rust, C
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOPRIVATE GONOSUMDB GOSUMDB GOTOOLCHAIN GOOS GOARCH",
    "CGO_ENABLED CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUST_BACKTRACE RUST_LOG",
    "CC CXX AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH CMAKE_PREFIX_PATH CMAKE_GENERATOR",
    "CMAKE_BUILD_PARALLEL_LEVEL CUDA_HOME CUDA_VISIBLE_DEVICES OMP_NUM_THREADS",
    # Java, Android, .NET, Ruby, PHP, Nix, managers of versions
    "JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT",
    "DOTNET_ROOT DOTNET_CLI_HOME DOTNET_CLI_TELEMETRY_OPTOUT NUGET_PACKAGES GEM_HOME GEM_PATH RBENV_ROOT",
    "RBENV_VERSION BUNDLE_PATH COMPOSER_HOME NIX_PATH NIX_PROFILES ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR",
    "HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY",
    # whose name stands on a commit
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL",
)
_NAMES = frozenset(name for line in _GIVEN for name in line.split())
_PATTERNS = tuple(name for name in _NAMES if "*" in name)
_FOLDERS = frozenset({"TMPDIR", "TMP", "TEMP"})
"""Given only where the folder is there: a program that cannot make a temporary file says little about why."""
_OWN = frozenset({"PWD", "OLDPWD", "SHLVL", "_"})
"""What a shell sets itself; not told of."""
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE|ACCESS_?KEY|AUTH|COOKIE", re.I)
_USED = re.compile(r"\$(?:\{[!#]?)?([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a command gets of the host's variables, and the names of those it does not.

    `secrets` are those among `withheld` that would be given but hold a credential.
    """

    given: Mapping[str, str]
    withheld: tuple[str, ...]
    secrets: tuple[str, ...] = ()


def command_environment(listed: Sequence[str] = (), host: Mapping[str, str] | None = None) -> Surroundings:
    """The environment for a command, of this process's own unless `host` is given.

    `listed` are names a person adds, or patterns of them. A name written out is given whatever it
    holds; one that only a pattern covers is not where it looks like a credential. Nothing is set
    that the host has not, and of `PATH` only what depends on the folder is left out.
    """
    named = _own() if host is None else host
    usable = tuple((name, value) for name, value in named.items() if name not in _FOLDERS or os.path.isdir(value))
    return _made(tuple(listed), usable)


@lru_cache(maxsize=4)
def _made(listed: tuple[str, ...], host: tuple[tuple[str, str], ...]) -> Surroundings:
    given: dict[str, str] = {}
    withheld: list[str] = []
    secrets: list[str] = []
    for name, value in host:
        if name in listed:
            given[name] = value
        elif not _is_wanted(name, listed):
            withheld += [name] if name not in _OWN else []
        elif _is_secret(name, value):
            secrets.append(name)
        else:
            given[name] = _whole_path(value) if name == "PATH" else value
    return Surroundings(given=given, withheld=tuple(sorted([*withheld, *secrets])), secrets=tuple(sorted(secrets)))


def told_of(surroundings: Surroundings) -> str:
    """Every name that is left out, for a person; empty for nothing."""
    if not surroundings.withheld:
        return ""
    what = f"commands are not given {', '.join(surroundings.withheld)}"
    names = ", ".join(surroundings.secrets)
    held = f"; {names} for what looks like a credential in it" if names else ""
    return f"{what}{held}"


def missed_by(command: str, surroundings: Surroundings) -> str:
    """What to say of a command that uses a variable it is not given; empty where it uses none."""
    used = dict.fromkeys(name for name in _USED.findall(command) if name in surroundings.withheld)
    if not used:
        return ""
    verb = "is" if len(used) == 1 else "are"
    return f"{_listed([*used])} {verb} set here but not given to commands; the person can add it to {SETTING}"


def _is_wanted(name: str, listed: Sequence[str]) -> bool:
    return name in _NAMES or any(fnmatchcase(name, pattern) for pattern in (*_PATTERNS, *listed) if "*" in pattern)


def _is_secret(name: str, value: str) -> bool:
    return (name not in _NAMES and _SECRET_NAME.search(name) is not None) or mask_secrets(value)[1] > 0


def _whole_path(value: str) -> str:
    """The folders of a PATH that are the same wherever a command runs; the others run what lies where it runs."""
    return os.pathsep.join(folder for folder in value.split(os.pathsep) if folder.startswith("/"))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _own() -> Mapping[str, str]:
    """This process's environment, byte for byte: what is no UTF-8 travels as lone surrogates."""
    return dict(_decoded(os.environb))


def _decoded(raw: Mapping[bytes, bytes]) -> Iterator[tuple[str, str]]:
    for name, value in raw.items():
        yield name.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape")
