"""The text of an Excel string with its runs, raised and struck ones marked; how a word is spoken is left out."""

from xml.etree.ElementTree import Element

from hilt.documents.package import attribute, child, local
from hilt.documents.raising import DOWN, STRUCK, UP, marked

_OFF = ("0", "false")


def joined(element: Element) -> str:
    """The text of a shared or inline string."""
    return marked(_run(each) for each in element if local(each) in ("t", "r"))


def _run(element: Element) -> tuple[str, str]:
    if local(element) == "t":
        return "", element.text or ""
    text, properties = child(element, "t"), child(element, "rPr")
    return _look(properties) if properties is not None else "", (text.text or "") if text is not None else ""


def _look(properties: Element) -> str:
    align, line = child(properties, "vertAlign"), child(properties, "strike")
    look = {"superscript": UP, "subscript": DOWN}.get(attribute(align, "val"), "") if align is not None else ""
    return look + (STRUCK if line is not None and attribute(line, "val") not in _OFF else "")
