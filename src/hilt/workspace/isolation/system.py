"""Which folders of a machine a program needs to run, none of which holds what is the person's own.

`tool_folders` finds, from PATH and its links, where programs outside the system's folders live.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/snap")
ETC = (
    # who and where this is, and how libraries are found
    *("passwd", "group", "hosts", "host.conf", "nsswitch.conf", "gai.conf", "services", "protocols", "rpc", "shells"),
    *("localtime", "timezone", "locale.alias", "locale.conf", "default/locale", "machine-id", "os-release"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "debian_version", "lsb-release", "mtab"),
    # whom TLS trusts, and no private key
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ca-certificates", "ca-certificates.conf", "crypto-policies"),
    *("pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf"),
    # settings of programs for everybody
    *("gitconfig", "gitattributes", "bash.bashrc", "profile", "profile.d", "inputrc", "terminfo", "magic"),
    *("mime.types", "fonts", "python3", "perl", "xdg", "skel", "wgetrc", "vim", "maven", "java-17-openjdk"),
    *("java-11-openjdk", "java-21-openjdk", "ImageMagick-6", "ImageMagick-7", "sgml", "xml", "texmf", "R"),
)
"""Of /etc what programs look up, and nothing that is secret."""
ETC_FOR_NETWORK = ("resolv.conf",)
_BIN = ("bin", "sbin", "shims", "Scripts", "condabin")
_OF_LOCAL = ("bin", "lib", "share/uv", "pipx", "share/pipx", "share/pnpm", "share/mise", "share/fnm")
_OF_HOME = (".rustup", ".cargo/bin", ".cargo/env", ".nvm", ".volta", ".pyenv", ".rbenv", ".asdf", ".sdkman", ".bun/bin")
_CARGO = ("registry", "git")
MOST_LINKS = 500
"""Programs of one folder whose links are followed."""


def etc_paths(*, network: bool) -> list[str]:
    """The files of /etc that are there and shown."""
    names = [*ETC, *ETC_FOR_NETWORK] if network else ETC
    return [path for name in names if os.path.exists(path := f"/etc/{name}")]


def home_of(environment: Mapping[str, str]) -> Path:
    """The home folder that a command is told of."""
    return Path(environment.get("HOME") or os.path.expanduser("~"))


@cache
def tool_folders(path: str, home: Path, own: Sequence[str]) -> tuple[str, ...]:
    """The folders that the programs on a PATH need, outside the system's own; `own` are never among them.

    A folder above a home, or above one of `own`, is not shown whole: of it only what is named.
    """
    found: dict[str, None] = {}
    for each in _wanted(path, home):
        real = os.path.realpath(each)
        for spelled in (each, real):
            if os.path.exists(spelled) and not is_inside(spelled, SYSTEM) and not _holds(spelled, (str(home), *own)):
                found[spelled] = None
    return tuple(each for each in found if not is_inside(each, [other for other in found if other != each]))


def _wanted(path: str, home: Path) -> Iterator[str]:
    for folder in dict.fromkeys(path.split(os.pathsep)):
        if folder.startswith("/"):
            yield from _of_programs(folder, home)
            yield from _linked(folder, home)
    yield from (str(home / each) for each in _OF_HOME)
    yield from (str(home / ".cargo" / each) for each in _CARGO)
    yield from (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]))


def _of_programs(folder: str, home: Path) -> Iterator[str]:
    """A folder of programs with what lies beside it, where that is theirs and not the person's."""
    above = os.path.dirname(folder)
    yield folder
    if above == str(home / ".local"):
        yield from (f"{above}/{each}" for each in _OF_LOCAL)
    elif os.path.basename(folder) in _BIN and above not in (str(home), str(home / ".cargo")) and _deep(above):
        yield above
        yield from _base_of_environment(above)


def _base_of_environment(folder: str) -> Iterator[str]:
    """Where the Python of a virtual environment comes from."""
    try:
        lines = Path(folder, "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and os.path.basename(value.strip()) == "bin":
            yield os.path.dirname(value.strip())


def _linked(folder: str, home: Path) -> Iterator[str]:
    """Where the programs of a folder lead to by links."""
    if is_inside(folder, SYSTEM):
        return
    try:
        with os.scandir(folder) as entries:
            links = [entry.path for _, entry in zip(range(MOST_LINKS), entries, strict=False) if entry.is_symlink()]
    except OSError:
        return
    for each in dict.fromkeys(os.path.dirname(os.path.realpath(link)) for link in links):
        yield from _of_programs(each, home)


def _deep(folder: str) -> bool:
    return len([step for step in folder.split("/") if step]) >= 2  # /home, /srv: never whole


def there(paths: Sequence[str]) -> list[str]:
    """Those of the paths that exist."""
    return [each for each in paths if os.path.exists(each)]


def is_inside(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of the folders or below one, by its spelling."""
    return any(path == each or path.startswith(f"{each}/") for each in folders)


def _holds(path: str, others: Sequence[str]) -> bool:
    """Whether a folder is or holds one of the others."""
    return any(other == path or other.startswith(f"{path}/") for other in others)
