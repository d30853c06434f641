"""Small files of state that only their owner reads: written whole or not at all, by one program at a time."""

import fcntl
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PRIVATE = 0o600


def write_whole(file: Path, content: bytes, *, mode: int = PRIVATE) -> None:
    """Put `content` in the place of what was there. Raises `OSError`, and then what was there is there still."""
    fresh = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


@contextmanager
def alone(file: Path) -> Generator[None]:
    """Wait until no other program holds this file, and hold it. Raises `OSError`."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
