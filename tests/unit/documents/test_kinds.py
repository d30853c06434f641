"""Binary bytes are named by what they are."""

import pytest

from hilt.documents.kinds import described, is_pdf


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"PK\x03\x04", "a ZIP archive or an office document"),
        (b"\x7fELF\x02", "an ELF program"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"\x00\x00\x00\x18ftypmp42", "MP4 or QuickTime video"),
        (b"name" + bytes(253) + b"ustar", "a tar archive"),
        (b"\x00\x01", "binary"),
    ],
)
def test_bytes_are_named_by_their_mark(head: bytes, name: str) -> None:
    assert described(head) == name


def test_a_pdf_may_have_text_before_its_mark() -> None:
    assert is_pdf(b"%PDF-1.4")
    assert is_pdf(b"\n\n%PDF-1.4")
    assert not is_pdf(b"\0%PDF-1.4")
    assert not is_pdf(b"x" * 2000 + b"%PDF-1.4")
