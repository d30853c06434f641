"""What is said of a document that cannot be read, one sentence for each kind of trouble."""

from hilt.results.failures import EnvironmentFailure

AGAIN = "ask the person for the file again, or for another form of it"


def missing_extra(name: str, what: str) -> EnvironmentFailure:
    """An optional library is not installed."""
    return EnvironmentFailure(
        f"{name} is {what}, and reading that needs the extra hilt[documents], which is not installed",
        "read another form of the document",
        "ask the person to run: uv pip install 'hilt[documents]'",
    )


def encrypted(name: str, what: str = "") -> EnvironmentFailure:
    """Locked with a password, or with rights that we do not have."""
    return EnvironmentFailure(
        f"{name} is encrypted{f' ({what})' if what else ''} and needs a password",
        "ask the person for a copy without a password",
    )


def broken(name: str, kind: str, why: str) -> EnvironmentFailure:
    """Begins as a document of a kind and is none."""
    return EnvironmentFailure(f"{name} is broken: it begins as {kind}, but {why}", AGAIN)


def too_large(name: str, what: str, size: int, most: int) -> EnvironmentFailure:
    """Larger than is read, and honestly so."""
    return EnvironmentFailure(
        f"{what} of {name} has {size:,} bytes; the most that is read is {most:,}",
        "ask the person for a smaller part of it",
    )


def bomb(name: str, packed: int, unpacked: int) -> EnvironmentFailure:
    """Made to fill the memory of whoever opens it."""
    return EnvironmentFailure(
        f"{name} unpacks from {packed:,} to {unpacked:,} bytes, as a zip bomb does, and was not unpacked",
        "ask the person where the file comes from, and for another copy",
    )


def old_office(name: str) -> EnvironmentFailure:
    """The binary formats from before 2007."""
    return EnvironmentFailure(
        f"{name} is an old Microsoft Office document (.doc, .xls or .ppt), which is not read",
        "ask the person to save it as .docx, .xlsx, .pptx or PDF",
    )
