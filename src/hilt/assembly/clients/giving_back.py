"""`hilt.toml` without what one adoption wrote there, in whatever order adoptions are taken back.

A server that two clients had stays until the second is released too. What the others remember of the file before them
is changed along, so that the last one released leaves the bytes that were there before the first.
"""

from collections.abc import Sequence
from pathlib import Path

from hilt.assembly.clients import forms, journal
from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.files import digest
from hilt.assembly.clients.journal import Change, Layer, Record
from hilt.assembly.clients.plans import Plan, unusable

SERVERS = "servers"


def settings_undone(plan: Plan, layer: Layer) -> list[str]:
    """Take what a layer wrote out of `hilt.toml`; says what had been changed there. Raises `ConfigError`."""
    file, change = layer.settings_file, layer.settings
    if file is None or change is None:
        return []
    others = _others(plan, layer, file)
    heirs = {each.server: _heir(each.server, others) for each in layer.adopted.values() if each.written}
    content = plan.drafts.content(file)
    notes = _changed(layer, [name for name, heir in heirs.items() if heir is None], content, file)
    left = _left(content, [name for name, heir in heirs.items() if heir is None], change, file, all=len(heirs))
    moved = {digest(content): digest(left)}
    for other in others:
        kept = other.settings
        if kept is not None and other.when > layer.when:
            gone = [name for name, heir in heirs.items() if heir is None or heir.when >= other.when]
            before = _left(kept.before, gone, change, file, all=len(heirs))
            moved[digest(kept.before)] = digest(before)
            kept.before = before
    for other in others:
        if other.settings is not None:
            other.settings.after = moved.get(other.settings.after, other.settings.after)
    plan.drafts.put(file, left)
    return notes


def _others(plan: Plan, layer: Layer, file: Path) -> list[Layer]:
    """Every other adoption that knows of this file, the earliest first."""
    for each in journal.records():
        plan.known(each)
    found = [each for record in plan.records.values() for each in _adoptions(record) if each is not layer]
    return sorted((each for each in found if each.settings_file == file), key=lambda each: each.when)


def _adoptions(record: Record) -> list[Layer]:
    return [each for each in record.layers if each.kind == "adopt"]


def _heir(server: str, others: Sequence[Layer]) -> Layer | None:
    """The first other adoption that needs a server; it takes the server out when it is released."""
    for other in others:
        for each in other.adopted.values():
            if each.server == server:
                each.written = True
                return other
    return None


def _changed(layer: Layer, names: Sequence[str], content: bytes | None, file: Path) -> list[str]:
    there = _tables(content, file)
    tables = {each.server: each.table for each in layer.adopted.values()}
    return [
        f"{name} had been changed in {file}; it is taken out there, and the client has its own entry again"
        for name in names
        if name in there and there[name] != tables[name]
    ]


def _left(content: bytes | None, names: Sequence[str], change: Change, file: Path, *, all: int) -> bytes | None:
    """The file without servers of these names; as it was before, where nothing else is different."""
    if content is None or (digest(content) == change.after and len(names) == all):
        return content if content is None else change.before
    try:
        for name in names:
            content = forms.remove(content, "toml", (SERVERS, name))
    except BrokenText as broken:
        raise unusable(file, broken) from None
    return content if content.strip() or change.before is not None else None


def _tables(content: bytes | None, file: Path) -> dict[str, object]:
    try:
        return forms.entries(content or b"", "toml", (SERVERS,))
    except BrokenText as broken:
        raise unusable(file, broken) from None
