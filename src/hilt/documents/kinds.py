"""What a file is by its first bytes, whatever its name says."""

_PREFIXES = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed"),
    (b"BZh", "bzip2-compressed"),
    (b"\xfd7zXZ\x00", "xz-compressed"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "Java or macOS byte code"),
    (b"\x00asm", "a WebAssembly module"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg audio or video"),
    (b"fLaC", "FLAC audio"),
    (b"\x1aE\xdf\xa3", "Matroska or WebM video"),
)
_TAR_AT, _TAR = 257, b"ustar"


def described(head: bytes) -> str:
    """What binary bytes are, as said in a sentence: "an SQLite database"; "binary" where unknown."""
    for prefix, name in _PREFIXES:
        if head.startswith(prefix):
            return name
    if head[4:8] == b"ftyp":
        return "MP4 or QuickTime video"
    return "a tar archive" if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR else "binary"


def may_be_office(head: bytes) -> bool:
    """Whether an office document begins so, new or old; other ZIP archives begin the same way."""
    return head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))


def is_pdf(head: bytes) -> bool:
    """Whether a PDF's mark stands within the first KiB, where readers look for it."""
    return b"%PDF-" in head[:1024] and b"\0" not in head[: head.find(b"%PDF-")]
