"""What stands on a page of a PDF beside its text: filled-in fields of forms, comments, words typed over it."""

import ctypes
import importlib
from collections.abc import Callable, Iterator
from typing import Any

MOST_NOTES = 500
"""Notes and fields of one page that are looked at."""

LONGEST_NOTE = 1 << 16
"""Bytes of one that are read."""

_FREE_TEXT, _POPUP, _WIDGET = 3, 16, 20
_BUTTON, _CHECKBOX, _RADIO, _SIGNATURE = 1, 2, 3, 7
_PASSWORD = 1 << 13


def notes_of(document: Any, page: Any) -> Iterator[str]:  # Any: pypdfium2 has no types
    """A line for each, in the order of the file; fields that are empty are counted."""
    raw: Any = importlib.import_module("pypdfium2.raw")
    count = raw.FPDFPage_GetAnnotCount(page)
    empty = 0
    for place in range(min(count, MOST_NOTES)):
        note = raw.FPDFPage_GetAnnot(page, place)
        if not note:
            continue
        try:
            line = _line(raw, document.formenv, note)
        finally:
            raw.FPDFPage_CloseAnnot(note)
        empty += line is None
        if line:
            yield line
    if empty:
        yield f"[form] {empty} {'field' if empty == 1 else 'fields'} empty or not checked"
    if count > MOST_NOTES:
        yield f"[{count - MOST_NOTES:,} more notes or fields, not read]"


def _line(raw: Any, form: Any, note: Any) -> str | None:
    """What one says; nothing for what says nothing, None for a field that nobody filled in."""
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind == _WIDGET:
        return _field(raw, form, note) if form else ""
    said = _string(raw.FPDFAnnot_GetStringValue, note, b"Contents") if kind != _POPUP else ""
    if not said:
        return ""
    if kind == _FREE_TEXT:
        return f"[typed on the page] {said}"
    author = _string(raw.FPDFAnnot_GetStringValue, note, b"T")
    return f"[comment{f' by {author}' if author else ''}] {said}"


def _field(raw: Any, form: Any, note: Any) -> str | None:
    kind = raw.FPDFAnnot_GetFormFieldType(form, note)
    if kind in (_BUTTON, _SIGNATURE):
        return ""
    names = (raw.FPDFAnnot_GetFormFieldAlternateName, raw.FPDFAnnot_GetFormFieldName)
    name = next(filter(None, (_string(each, form, note) for each in names)), "unnamed")
    value = _string(raw.FPDFAnnot_GetFormFieldValue, form, note)
    if kind in (_CHECKBOX, _RADIO):
        if not raw.FPDFAnnot_IsChecked(form, note):
            return None if kind == _CHECKBOX else ""
        return f"[form] {name}: {'chosen' if kind == _RADIO else 'checked'}{f' ({value})' if value else ''}"
    if not value:
        return None
    hidden = raw.FPDFAnnot_GetFormFieldFlags(form, note) & _PASSWORD
    return f"[form] {name}: {'(a password, not shown)' if hidden else value}"


def _string(ask: Callable[..., int], *of: Any) -> str:
    """A text of PDFium, which says its size when it is given no room."""
    size = min(ask(*of, None, 0), LONGEST_NOTE)
    room = (ctypes.c_ushort * (size // 2 + 1))()
    ask(*of, room, size)
    text = bytes(room)[: max(size - 2, 0)].decode("utf-16-le", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()
