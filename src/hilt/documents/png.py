"""Writing a PNG: enough to hand a rendered page to a model, so that no imaging library is needed."""

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB, _BITS = 2, 8


def png(pixels: bytes, width: int, height: int, *, stride: int) -> bytes:
    """A PNG of 8 bit RGB `pixels`; `stride` bytes lie between the starts of two rows."""
    rows = b"".join(b"\0" + pixels[row * stride : row * stride + 3 * width] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, _BITS, _RGB, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 6)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
