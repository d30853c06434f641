"""A picture is what its bytes say, whatever its name says."""

import struct

import pytest

from hilt.documents.images import Picture, sniff, type_by_name
from hilt.documents.png import png

PNG = png(b"\xff\0\0" * 12, 4, 3, stride=12)
JPEG = b"\xff\xd8\xff\xe0\x00\x04ab" + b"\xff\xff\xc0\x00\x11\x08" + struct.pack(">HH", 480, 640) + b"\x03"
WEBP = b"RIFF\x00\x00\x00\x00WEBP"


@pytest.mark.parametrize(
    ("head", "picture"),
    [
        (PNG, Picture(media_type="image/png", width=4, height=3)),
        (b"GIF89a" + struct.pack("<HH", 10, 20), Picture(media_type="image/gif", width=10, height=20)),
        (JPEG, Picture(media_type="image/jpeg", width=640, height=480)),
        (
            WEBP + b"VP8X" + bytes(8) + (99).to_bytes(3, "little") + (49).to_bytes(3, "little"),
            Picture(media_type="image/webp", width=100, height=50),
        ),
        (
            WEBP + b"VP8 " + bytes(10) + struct.pack("<HH", 300, 200),
            Picture(media_type="image/webp", width=300, height=200),
        ),
        (
            WEBP + b"VP8L" + bytes(5) + (7 | 8 << 14).to_bytes(4, "little"),
            Picture(media_type="image/webp", width=8, height=9),
        ),
        (
            b"BM" + bytes(16) + struct.pack("<ii", 32, -16),
            Picture(media_type="image/bmp", width=32, height=16),
        ),
        (b"\x00\x00\x00\x1cftypavif", Picture(media_type="image/avif")),
        (b'<?xml version="1.0"?>\n<!-- a --><svg xmlns="x">', Picture(media_type="image/svg+xml")),
        (b"II*\x00", Picture(media_type="image/tiff")),
        (b"\x89PNG\r\n\x1a\n", Picture(media_type="image/png")),
        (b"\xff\xd8\xff", Picture(media_type="image/jpeg")),
        (WEBP + b"what", Picture(media_type="image/webp")),
    ],
    ids=["png", "gif", "jpeg", "vp8x", "vp8", "vp8l", "bmp", "avif", "svg", "tiff", "cut png", "cut jpeg", "odd webp"],
)
def test_type_and_size_come_from_the_bytes(head: bytes, picture: Picture) -> None:
    assert sniff(head) == picture


@pytest.mark.parametrize("head", [b"", b"plain text", b"<html><svg>", b"\x00\x00\x00\x1cftypisom", b"BMW"])
def test_what_is_no_picture_is_none(head: bytes) -> None:
    assert sniff(head) is None


def test_a_picture_is_told_with_its_size_where_known() -> None:
    assert Picture(media_type="image/png", width=4, height=3).told == "PNG image, 4 x 3 pixels"
    assert Picture(media_type="image/avif").told == "AVIF image"


def test_a_name_promises_a_type() -> None:
    assert type_by_name("a/b.JPG") == "image/jpeg"
    assert type_by_name("png") is None
