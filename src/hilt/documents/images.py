"""What picture some bytes really are: their type by magic bytes, and how wide and high.

Nothing is decoded: only headers are read, and one that is broken has no size.
"""

import re
import struct
from dataclasses import dataclass

SHOWN_BYTES = 3_750_000
"""The largest picture handed to a model: base64 makes 5 MB of it, which is what providers take."""

SHOWN_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What providers take."""

_NAMES = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "image/svg+xml": "SVG",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
    "image/avif": "AVIF",
    "image/heic": "HEIC",
    "image/x-icon": "ICO",
}
_PREFIXES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)
_BRANDS = {b"avif": "image/avif", b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heic"}
_SUFFIXES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "avif": "image/avif",
    "heic": "image/heic",
    "ico": "image/x-icon",
}
_SVG = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]", re.DOTALL)
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = frozenset(range(0xD0, 0xD9)) | {0x01}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture's real type, and its size in pixels where its header says so."""

    media_type: str
    width: int | None = None
    height: int | None = None

    @property
    def told(self) -> str:
        """As said in a sentence: "PNG image, 640 x 480 pixels"."""
        size = f", {self.width} x {self.height} pixels" if self.width and self.height else ""
        return f"{_NAMES[self.media_type]} image{size}"


def sniff(head: bytes) -> Picture | None:
    """The picture that these first bytes begin; None for what is none. 64 KiB are enough but for odd JPEGs."""
    media_type = _media_type(head)
    if media_type is None:
        return None
    width, height = _size(head, media_type) or (None, None)
    return Picture(media_type=media_type, width=width, height=height)


def type_by_name(name: str) -> str | None:
    """The picture type a file's name promises."""
    return _SUFFIXES.get(name.rpartition(".")[2].lower()) if "." in name else None


def type_name(media_type: str) -> str:
    """The short name of a type: PNG."""
    return _NAMES.get(media_type, media_type)


def _media_type(head: bytes) -> str | None:
    for prefix, media_type in _PREFIXES:
        if head.startswith(prefix):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[:2] == b"BM" and len(head) >= 26 and head[6:10] == b"\0\0\0\0":
        return "image/bmp"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12])
    return "image/svg+xml" if _SVG.match(head[:4096]) else None


def _size(head: bytes, media_type: str) -> tuple[int, int] | None:
    try:
        match media_type:
            case "image/png":
                return _pair(head, ">II", 16)
            case "image/gif":
                return _pair(head, "<HH", 6)
            case "image/jpeg":
                return _jpeg_size(head)
            case "image/webp":
                return _webp_size(head)
            case "image/bmp":
                width, height = _pair(head, "<ii", 18)
                return width, abs(height)
            case _:
                return None
    except (struct.error, IndexError):
        return None


def _pair(head: bytes, form: str, at: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, head, at)
    return int(first), int(second)


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    """Walk the segments to the first frame header."""
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker in _FRAME_MARKERS:
            height, width = _pair(head, ">HH", at + 5)
            return width, height
        if marker == 0xFF or marker in _BARE_MARKERS:
            at += 1 if marker == 0xFF else 2
            continue
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    match head[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
        case b"VP8 ":
            width, height = _pair(head, "<HH", 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = int.from_bytes(head[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
        case _:
            return None
