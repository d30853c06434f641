"""Which project files the person trusts: by path and content, so that a file that changed is trusted no more."""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError
from hilt.store.home import home, place

KEPT = "trust.json"
"""The file in HILT_HOME that remembers them."""
DIGEST_BYTES = 16
CODE = ".py"


def digest_of(file: Path) -> str:
    """A digest of a settings file and of the files of code it names, which it has run. Raises `OSError`."""
    content = file.read_bytes()
    digest = blake2b(content, digest_size=DIGEST_BYTES)
    for code in sorted(_code_of(content, file.resolve().parent)):
        digest.update(os.fsencode(code) + b"\0" + (code.read_bytes() if code.is_file() else b""))
    return digest.hexdigest()


def _code_of(content: bytes, folder: Path) -> Iterator[Path]:
    """The files of code that the settings load, and those that a module's name would find in the folder."""
    try:
        tree: object = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return
    for step in ("tool", "hilt") if is_object(tree) and "tool" in tree else ():
        tree = tree.get(step) if is_object(tree) else None
    named = tree.get("tools") if is_object(tree) else None
    for each in named if is_array(named) else ():
        path = str(each).split(":", 1)[0]
        if path.endswith(CODE):
            yield folder / Path(path).expanduser()
            continue
        steps = path.split(".")
        for count in range(1, len(steps) + 1):  # importing a module runs all that it stands in
            package = folder.joinpath(*steps[:count])
            yield from (package.with_name(f"{package.name}{CODE}"), package / f"__init__{CODE}")


def _record(file: Path) -> str:
    """The name under which a file is trusted: where it stands, not where a link that it may be leads."""
    return str(Path(os.path.realpath(file.parent), file.name))


def trusted_files() -> Mapping[str, str]:
    """The digests of trusted files by where they stand; none where the record cannot be read."""
    try:
        kept: object = json.loads((place() / KEPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {path: str(digest) for path, digest in kept.items()} if is_object(kept) else {}


def trust_of(file: Path) -> bool | None:
    """Whether a file is trusted; None where it was, and has changed since."""
    known = trusted_files().get(_record(file))
    if known is None:
        return False
    try:
        return True if digest_of(file) == known else None
    except OSError:
        return False


def trust(file: Path) -> None:
    """Trust a file as it is now. Raises `ConfigError`."""
    try:
        digest = digest_of(file)
    except OSError as fault:
        raise ConfigError(
            f"{file} cannot be read: {fault.strerror}", "name a folder with a readable hilt.toml"
        ) from None
    _keep({**trusted_files(), _record(file): digest})


def distrust(path: str) -> bool:
    """Forget a file, or those in a folder; says whether there was one."""
    kept, real = dict(trusted_files()), os.path.realpath(path)
    gone = [each for each in kept if each in (real, _record(Path(path))) or str(Path(each).parent) == real]
    _keep({each: digest for each, digest in kept.items() if each not in gone})
    return bool(gone)


def _keep(kept: Mapping[str, str]) -> None:
    """Write the record whole or not at all."""
    file = home() / KEPT
    fresh = file.with_suffix(f".{os.getpid()}")
    try:
        fresh.write_text(json.dumps(dict(sorted(kept.items())), indent=1), encoding="utf-8")
        fresh.replace(file)
    except OSError as fault:
        raise ConfigError(
            f"{file} cannot be written: {fault.strerror}", "set HILT_HOME to a folder you can write to"
        ) from None
