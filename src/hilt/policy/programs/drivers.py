"""Build, test and package drivers: they run the project's own code, so none is proved, but its family is named.

Without isolation a person is then asked once for the family. What leaves the project (publishing, logging
in, installing for the whole machine) belongs to no family.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hilt.policy.programs.words import Doubt, Use, Word

ANY: frozenset[str] = frozenset({"*"})
"""Any words, for a driver that does nothing but build, check or test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A family, and the subcommands that stay within the project."""

    family: str
    does: frozenset[str] = ANY
    refused: frozenset[str] = frozenset()


def _driver(family: str, does: str = "*", refused: str = "") -> Driver:
    return Driver(family=family, does=frozenset(does.split()), refused=frozenset(refused.split()))


_NODE = (
    "test t tst run run-script start ci install i add build lint outdated ls list why explain audit "
    "dedupe prune rebuild exec version-check fmt format typecheck check dev remove rm uninstall update up"
)
_ELSEWHERE = "-g --global --location=global"
_NPM = _driver("npm", _NODE, _ELSEWHERE)
_PIP = _driver(
    "pip", "install list show freeze check index", "--user --target -t --root --prefix --break-system-packages"
)

DRIVERS: Mapping[str, Driver] = {
    "npm": _NPM,
    "pnpm": _driver("pnpm", _NODE + " -r --filter recursive", _ELSEWHERE),
    "yarn": _driver("yarn", _NODE + " workspace workspaces", "global"),
    "bun": _driver("bun", "test run install add build i", _ELSEWHERE),
    "npx": _driver(
        "npm",
        "tsc eslint prettier jest vitest mocha playwright vite webpack rollup next tsx ts-node biome nx "
        "turbo lerna cypress stylelint",
    ),
    "make": _driver("make", "*", "--eval"),
    "gmake": _driver("make", "*", "--eval"),
    "just": _driver("just"),
    "task": _driver("task"),
    "ninja": _driver("ninja"),
    "cmake": _driver("cmake", "*", "--install"),
    "ctest": _driver("cmake"),
    "meson": _driver("meson", "setup compile test configure introspect"),
    "bazel": _driver("bazel", "build test query cquery info run clean"),
    "cargo": _driver(
        "cargo",
        "build b check c test t clippy fmt run r doc bench tree metadata update fetch clean add remove "
        "nextest --version -V --list version audit deny expand",
    ),
    "rustc": _driver("cargo", "--version -V"),
    "rustfmt": _driver("cargo"),
    "go": _driver("go", "build test vet fmt run mod list version env generate tool get doc clean work"),
    "gofmt": _driver("go"),
    "golangci-lint": _driver("go"),
    "python": _driver("python", "*", "-c"),
    "python3": _driver("python", "*", "-c"),
    "pytest": _driver("pytest"),
    "tox": _driver("tox"),
    "nox": _driver("nox"),
    "mypy": _driver("mypy"),
    "pyright": _driver("pyright"),
    "ruff": _driver("ruff", "check format rule version --version --help"),
    "black": _driver("black"),
    "isort": _driver("isort"),
    "flake8": _driver("flake8"),
    "pylint": _driver("pylint"),
    "coverage": _driver("pytest"),
    "uv": _driver("uv", "run sync lock pip add remove tree venv build export python version"),
    "poetry": _driver("poetry", "run install add remove update lock show build check env"),
    "pdm": _driver("pdm", "run install add remove update lock list build sync"),
    "hatch": _driver("hatch", "run test build fmt env"),
    "pipenv": _driver("pipenv", "run install sync lock graph"),
    "pip": _PIP,
    "pip3": _PIP,
    "pre-commit": _driver("pre-commit", "run"),
    "node": _driver("node", "*", "-e --eval -p --print -pe -r --require --import"),
    "deno": _driver("deno", "test run check lint fmt task cache info"),
    "tsc": _driver("tsc"),
    "tsx": _driver("node", "*", "-e --eval"),
    "ts-node": _driver("node", "*", "-e --eval"),
    "eslint": _driver("eslint"),
    "prettier": _driver("prettier"),
    "biome": _driver("biome"),
    "jest": _driver("jest"),
    "vitest": _driver("vitest"),
    "mocha": _driver("mocha"),
    "vite": _driver("vite"),
    "webpack": _driver("webpack"),
    "next": _driver("next", "build lint dev start info"),
    "turbo": _driver("turbo"),
    "nx": _driver("nx"),
    "gradle": _driver("gradle", "*", "publish uploadArchives"),
    "gradlew": _driver("gradle", "*", "publish uploadArchives"),
    "mvn": _driver("mvn", "*", "deploy release:perform"),
    "mvnw": _driver("mvn", "*", "deploy release:perform"),
    "sbt": _driver("sbt", "*", "publish"),
    "javac": _driver("javac"),
    "ruby": _driver("ruby", "*", "-e"),
    "bundle": _driver("bundle", "exec install check list outdated show info update --version"),
    "rake": _driver("rake"),
    "rspec": _driver("rspec"),
    "rubocop": _driver("rubocop"),
    "composer": _driver("composer", "install test run run-script validate show update require dump-autoload"),
    "phpunit": _driver("phpunit"),
    "php": _driver("php", "*", "-r"),
    "mix": _driver("mix", "test compile format deps.get deps credo dialyzer run"),
    "dotnet": _driver("dotnet", "build test run restore format list clean --version --info"),
    "swift": _driver("swift", "build test run package --version"),
    "gcc": _driver("cc"),
    "g++": _driver("cc"),
    "cc": _driver("cc"),
    "clang": _driver("cc"),
    "clang++": _driver("cc"),
}
_MODULES = {
    "pytest": "pytest",
    "unittest": "python",
    "mypy": "mypy",
    "pip": "pip",
    "build": "python",
    "ruff": "ruff",
    "black": "black",
    "isort": "isort",
    "flake8": "flake8",
    "pylint": "pylint",
    "coverage": "pytest",
    "venv": "python",
    "compileall": "python",
    "py_compile": "python",
    "doctest": "python",
    "json.tool": "python",
}
_RUNNERS = {
    "uv": "run",
    "poetry": "run",
    "pdm": "run",
    "hatch": "run",
    "pipenv": "run",
    "bundle": "exec",
    "npx": "",
    "pnpm": "exec",
}
_FOLDERS = frozenset(
    {
        "-C",
        "--prefix",
        "--directory",
        "--cwd",
        "--dir",
        "-f",
        "--file",
        "--makefile",
        "--manifest-path",
        "--rootdir",
        "-B",
        "-S",
    }
)
SCRIPT = "script"
"""The family of programs that lie in the project itself and are run by their path."""


def read_driver(name: str, words: Sequence[Word]) -> Use | None:
    """What a driver's command is: a doubt and its family; None for a program that is no driver."""
    known = DRIVERS.get(name)
    if known is None:
        return None
    doubt = Doubt(at=0, reason=f"{name} runs code of the project")
    texts = [word.text for word in words[1:]]
    family = "" if None in texts else _family(name, known, [text or "" for text in texts])
    return Use(
        doubts=(doubt,),
        driver=family,
        reads=tuple(_paths(words)),
        inner=_inner(name, words),
    )


def _family(name: str, known: Driver, texts: list[str]) -> str:
    if known.refused & set(texts) or any(text.partition("=")[0] in known.refused for text in texts):
        return ""
    if name in ("python", "python3", "node", "ruby", "php", "tsx", "ts-node"):
        return _interpreter(known, texts)
    if known.does == ANY:
        return known.family
    first = next((text for text in texts if not text.startswith("-") or text in known.does), "")
    bare = not texts and name in ("yarn",)
    return known.family if first in known.does or bare else ""


def _interpreter(known: Driver, texts: list[str]) -> str:
    """A file of the project or one of the modules that build and test; its input as a program is neither."""
    if "-m" in texts[:2]:
        module = texts[texts.index("-m") + 1 :][:1]
        return _MODULES.get(module[0], "") if module else ""
    if any(
        "".join(("-", letter)) in known.refused for text in texts for letter in text[1:] if text[:1] == "-" != text[1:2]
    ):
        return ""
    return known.family if any(not text.startswith("-") for text in texts) or "--test" in texts else ""


def _paths(words: Sequence[Word]) -> list[Word]:
    """Words that may name a place outside the project: told as read, so that one that does is seen."""
    found: list[Word] = []
    for word in words[1:]:
        text = word.text or ""
        value = text.partition("=")[2] if text.startswith("-") else text
        if value.startswith(("/", "..", "~")) or "/../" in value:
            found.append(Word(text=value, dashed=False))
    return found


def _inner(name: str, words: Sequence[Word]) -> tuple[tuple[Word, ...], ...]:
    """The command that `uv run` and its like are given, for rules that speak of it."""
    verb = _RUNNERS.get(name)
    if verb is None:
        return ()
    rest = list(words[1:])
    if verb:
        places = [at for at, word in enumerate(rest) if word.text == verb]
        if not places:
            return ()
        rest = rest[places[0] + 1 :]
    while rest and (rest[0].text or "").startswith("-"):
        rest = rest[1:]
    return (tuple(rest),) if rest else ()
