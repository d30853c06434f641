"""Which document some bytes are: by what they hold, then by their name."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from hilt.documents import trouble
from hilt.documents.kinds import described, is_pdf
from hilt.documents.package import Package
from hilt.documents.source import Source
from hilt.results.failures import EnvironmentFailure, InvalidArguments

FileType = Literal["pdf", "docx", "pptx", "xlsx", "csv", "html", "epub", "odt", "ods", "odp"]
FILE_TYPES: tuple[FileType, ...] = get_args(FileType)

TITLES: dict[FileType, str] = {
    "pdf": "PDF",
    "docx": "Word document",
    "pptx": "PowerPoint presentation",
    "xlsx": "Excel workbook",
    "csv": "table in text form",
    "html": "HTML page",
    "epub": "EPUB book",
    "odt": "OpenDocument text",
    "ods": "OpenDocument spreadsheet",
    "odp": "OpenDocument presentation",
}
"""What each type is called in a sentence."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_BYTES = 32 * 1024**2
_MEDIA: dict[str, FileType] = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
}
_FOLDERS: dict[str, FileType] = {"word": "docx", "ppt": "pptx", "xl": "xlsx"}
_SUFFIXES: dict[str, FileType] = {
    **{each: each for each in FILE_TYPES},
    **dict.fromkeys(("tsv", "tab", "psv"), "csv"),
    **dict.fromkeys(("htm", "xhtml"), "html"),
    **dict.fromkeys(("docm", "dotx", "dotm"), "docx"),
    **dict.fromkeys(("pptm", "ppsx", "potx"), "pptx"),
    **dict.fromkeys(("xlsm", "xltx", "xltm"), "xlsx"),
    "ott": "odt",
    "ots": "ods",
    "otp": "odp",
}
_TEXT_TYPES = ("csv", "html")
_HTML = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*|<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a document is read as; `note` where that is not what its name says."""

    type: FileType
    note: str = ""


def find_format(source: Source, asked: FileType | None) -> Format:
    """What to read `source` as.

    Raises InvalidArguments where the bytes are not the type asked for, EnvironmentFailure for what
    is no document that is read here.
    """
    if not source.size:
        raise EnvironmentFailure(f"{source.name} is empty: it has 0 bytes", trouble.AGAIN)
    suffix = source.name.rpartition(".")[2].lower()
    promised = _SUFFIXES.get(suffix) if "." in source.name else None
    held = _held(source, promised)
    if held is None and source.codec is None:
        raise EnvironmentFailure(
            f"{source.name} is {described(source.head)}, no document that is read here ({', '.join(FILE_TYPES)})",
            "give another form of it",
        )
    if asked is not None and (held or asked) == asked and (held or asked in _TEXT_TYPES):
        return Format(type=asked)
    if asked is not None:
        real = TITLES[held] if held else "plain text"
        raise InvalidArguments(
            f"{source.name} is no {asked}: by its bytes it is {real}",
            f'give file_type "{held}", or leave it out' if held else 'give file_type "csv" or "html"',
        )
    if held is not None:
        odd = promised is not None and promised != held
        return Format(type=held, note=f"its name says .{suffix}, its bytes are {TITLES[held]}" if odd else "")
    return _by_name(source, promised, suffix)


def _by_name(source: Source, promised: FileType | None, suffix: str) -> Format:
    if promised in _TEXT_TYPES:
        return Format(type=promised)
    if promised is not None:
        raise trouble.broken(source.name, f"text, its name says .{suffix}", f"it is no {TITLES[promised]}")
    raise InvalidArguments(
        f"{source.name} is plain text, and nothing says which kind of document",
        'give file_type "csv" or "html" if it is one; plain text needs no document reader',
    )


def _held(source: Source, promised: FileType | None) -> FileType | None:
    """The type that the bytes prove; None for text, and for what is known to be something else."""
    if is_pdf(source.head):
        return "pdf"
    if source.head.startswith(b"PK"):
        return _packed(source, promised)
    if source.head.startswith(_OLE):
        raise _ole(source)
    return (
        "html" if promised != "csv" and source.codec is not None and _HTML.match(source.head[source.mark :]) else None
    )


def _ole(source: Source) -> EnvironmentFailure:
    """An old Office file, or a new one inside the envelope that a password makes."""
    if "EncryptedPackage".encode("utf-16-le") in source.whole(_OLE_BYTES):
        return trouble.encrypted(source.name, "an Office document behind a password")
    return trouble.old_office(source.name)


def _packed(source: Source, promised: FileType | None) -> FileType:
    kind = TITLES[promised] if promised else "a ZIP archive"
    with Package(source, kind) as package:
        media = package.begin("mimetype", 100).decode("latin-1").strip()
        if media in _MEDIA:
            return _MEDIA[media]
        names = package.names
        if package.has("xl/workbook.bin"):
            raise EnvironmentFailure(
                f"{source.name} is a binary Excel workbook (.xlsb), which is not read",
                "ask the person to save it as .xlsx",
            )
        for folder, found in _FOLDERS.items():
            if package.has("[Content_Types].xml") and any(name.lower().startswith(f"{folder}/") for name in names):
                return found
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
    raise EnvironmentFailure(
        f"{source.name} is a ZIP archive and no document: it holds {listed or 'nothing'}",
        "unpack it and read the files in it" if names else trouble.AGAIN,
    )
