"""Boxes and lists of Word's old forms, whose state is not written as text, and words with how they are spoken."""

from xml.etree.ElementTree import Element

from hilt.documents.package import attribute, child, children, local, whole_number

_OFF = ("0", "false", "off")


def form_field(begin: Element) -> str:
    """What a field shows that has no text of its own; nothing for the others."""
    box, listed = child(begin, "ffData", "checkBox"), child(begin, "ffData", "ddList")
    if box is not None:
        ticked = child(box, "checked")
        ticked = child(box, "default") if ticked is None else ticked
        return "[x]" if ticked is not None and attribute(ticked, "val") not in _OFF else "[ ]"
    if listed is not None:
        entries = [attribute(each, "val") for each in listed if local(each) == "listEntry"]
        chosen = child(listed, "result")
        number = whole_number(attribute(chosen, "val")) if chosen is not None else 0
        return entries[number] if number < len(entries) else ""
    return ""


def spoken(ruby: Element) -> str:
    """A word, and behind it how it is spoken."""
    word, sound = ("".join(_said(each) for each in children(ruby, name)) for name in ("rubyBase", "rt"))
    return f"{word}({sound})" if sound else word


def _said(run: Element) -> str:
    return "".join(each.text or "" for each in run.iter() if local(each) == "t")
