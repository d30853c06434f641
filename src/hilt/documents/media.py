"""The pictures inside a package: listed by name, type and size, and shown one at a time."""

from collections.abc import Iterable, Iterator

from hilt.documents.images import SHOWN_BYTES, SHOWN_TYPES, sniff, type_name
from hilt.documents.package import Package
from hilt.documents.pieces import MOST_NAMED, Block, Reading, Seen
from hilt.results.failures import EnvironmentFailure

_HEAD_BYTES = 1 << 16
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg", ".emf", ".wmf", ".avif")


def is_picture(name: str) -> bool:
    return name.lower().endswith(_SUFFIXES)


def listed(package: Package, names: Iterable[str]) -> Iterator[str]:
    """One line that lists the pictures, each with what it is; none where there are none."""
    seen = Seen()
    for name in dict.fromkeys(names):
        if package.has(name):
            seen.add(f"{name} ({_told(package, name)})" if seen.count < MOST_NAMED else name)
    if seen:
        yield f"images, not shown; part with such a name shows one: {seen}"


def shown(package: Package, part: str | None) -> Reading | None:
    """The picture that `part` names; None where it names none. Raises EnvironmentFailure for what no model takes."""
    if part is None or not is_picture(part) or not package.has(part):
        return None
    content = package.content(part, SHOWN_BYTES)
    picture = sniff(content)
    if picture is None or picture.media_type not in SHOWN_TYPES:
        raise EnvironmentFailure(
            f"{part} of {package.name} is {_told(package, part)}; models take "
            f"{', '.join(map(type_name, SHOWN_TYPES))} only",
            "take it out of the document and convert it to PNG to see it",
        )
    block = Block(text=picture.told, place=part, picture=content, media_type=picture.media_type)
    return Reading(told=f"image {part}", pieces=[block])


def _told(package: Package, name: str) -> str:
    picture = sniff(package.begin(name, _HEAD_BYTES))
    what = picture.told if picture else "no known picture"
    return f"{what}, {package.size(name):,} bytes"
