"""Content beside the text: images, audio and files, for providers that take them.

A part that a provider cannot take becomes a one-line note with its type and size; base64 never
stands in text.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """Pixels for the model. `content` is the encoded picture, `media_type` what its bytes really are."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audio:
    """Sound for the model."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """A document handed over whole, such as a PDF."""

    content: bytes
    media_type: str
    name: str


Part = Image | Audio | FilePart
