"""What tests ask of files, apart from the event loop."""

from pathlib import Path


def mode(file: str | Path) -> int:
    """Permission bits."""
    return Path(file).stat().st_mode & 0o777


def exists(file: str | Path) -> bool:
    return Path(file).exists()


def content(file: Path) -> bytes:
    return file.read_bytes()


def put(file: Path, what: bytes) -> None:
    """Write a file and the folder it is in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(what)
