"""Small files of state that only their owner reads: written whole or not at all, by one program at a time."""

import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PRIVATE = 0o600


def whole_text(file: Path, *, most: int, encoding: str = "utf-8") -> str:
    """The text of a file that people write. Raises `OSError`, for what is no file or too large too, or `ValueError`.

    A pipe would be waited for without end, and a device read.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return content.decode(encoding).replace("\r\n", "\n")


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
