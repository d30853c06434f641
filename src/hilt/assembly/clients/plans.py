"""What a verb will do to clients' files: the drafts, the records, and a line for each place."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hilt.assembly.clients import forms, journal
from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.drafts import Drafts, HalfDone
from hilt.assembly.clients.files import digest
from hilt.assembly.clients.journal import Change, Layer, Record
from hilt.assembly.clients.ours import is_ours
from hilt.assembly.clients.table import NAME, Place
from hilt.declarations.schema import is_object
from hilt.errors import ConfigError

State = Literal[
    "installed", "there already", "renewed", "removed", "not there", "adopted", "nothing to adopt", "released"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What happens to one place."""

    place: Place
    state: State
    servers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All of it. `secrets` are values that are not shown; `records` are written before the files, or after them.

    `folders` are those that were made for a file which goes, from its own to the first that was made. `were` are the
    records as they were read.
    """

    drafts: Drafts = field(default_factory=Drafts)
    done: list[Done] = field(default_factory=list[Done])
    records: dict[tuple[Path, tuple[str, ...]], Record] = field(
        default_factory=dict[tuple[Path, tuple[str, ...]], Record]
    )
    secrets: list[str] = field(default_factory=list[str])
    folders: list[tuple[Path, Path]] = field(default_factory=list[tuple[Path, Path]])
    were: dict[tuple[Path, tuple[str, ...]], Record] = field(default_factory=dict[tuple[Path, tuple[str, ...]], Record])

    def record(self, place: Place) -> Record:
        """The record of a place, as it will be. Raises `ConfigError`."""
        key = (place.file, place.key)
        if key not in self.records:
            self.known(journal.record(place.name, place.scope, place.file, place.key))
        return self.records[key]

    def known(self, record: Record) -> None:
        """A record that may change with this; what it was is remembered."""
        key = (record.file, record.key)
        if key not in self.records:
            self.records[key], self.were[key] = record, record.model_copy(deep=True)

    def allow_record(self, place: Place) -> Record | None:
        """The record of what is not asked about, for the places that have such a file. Raises `ConfigError`."""
        file, allow = place.allow_file, place.row.allow
        if file is None or allow is None:
            return None
        key = (file, allow.key)
        if key not in self.records:
            self.known(journal.record(place.name, place.scope, file, allow.key))
        return self.records[key]

    def commit(self, *, records: Literal["first", "last"]) -> Mapping[Path, Path]:
        """Write everything; returns copies of what was there, by file. Raises `ConfigError`."""
        self.drafts.ready()
        if records == "first":
            self._keep()
        try:
            copies = self.drafts.commit()
        except HalfDone:
            raise
        except ConfigError:
            if records == "first":
                self._forget()
            raise
        for folder, first in self.folders:
            _cleared(folder, first)
        if records == "last":
            self._keep()
        return copies

    def _keep(self) -> None:
        for each in self.records.values():
            journal.keep(each)

    def _forget(self) -> None:
        """The records as they were: what they tell of was not done."""
        for each in self.were.values():
            journal.keep(each)


def _cleared(folder: Path, first: Path) -> None:
    """Take away folders that we made, as far as nothing else is in them."""
    while folder.is_relative_to(first):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def unmade(plan: Plan, file: Path, layer: Layer) -> None:
    """Note the folders that a layer made, where its file goes."""
    if layer.made is not None and plan.drafts.content(file) is None:
        plan.folders.append((file.parent, layer.made))


def entries(plan: Plan, place: Place) -> dict[str, object]:
    """The servers of a place, as they will be. Raises `ConfigError`."""
    try:
        return forms.entries(plan.drafts.content(place.file) or b"", place.form, place.key)
    except BrokenText as broken:
        raise unusable(place.file, broken) from None


def unusable(file: Path, broken: BrokenText) -> ConfigError:
    """A file that cannot be edited, as a person reads it."""
    where = f"{file}, line {broken.line}" if broken.line else str(file)
    return ConfigError(f"{where}: {broken.problem}; nothing was written", f"correct {file}, and run the command again")


def layer(kind: Literal["install", "adopt", "allow"], file: Path, before: bytes | None, after: bytes | None) -> Layer:
    """One change of a file, made now."""
    missing = [each for each in file.parents if not each.exists()]
    made = missing[-1] if missing else None
    return Layer(kind=kind, when=time.time_ns(), change=Change(before=before, after=digest(after)), made=made)


def undone(layer: Layer, place: Place, current: bytes | None) -> tuple[bytes | None, list[str]]:
    """A place's file without one layer, and what a person should know. Raises `BrokenText`."""
    change = layer.change
    if digest(current) in (change.after, digest(change.before)):
        return change.before, []
    if current is None:
        lost = layer.kind == "adopt"
        return (change.before, [f"{place.file} was gone, and is as it was before"]) if lost else (None, [])
    if layer.kind == "allow":
        value = place.row.allow.value if place.row.allow else ""
        return forms.take(current, place.row.allow.key if place.row.allow else (), value), []
    return _merged(layer, place, current)


def _merged(layer: Layer, place: Place, current: bytes) -> tuple[bytes, list[str]]:
    """The file as someone else left it, with our entry out and what was adopted back."""
    content, notes = current, [f"{place.file} has changed since: only what Hilt had put there is taken out"]
    there = forms.entries(content, place.form, place.key)
    for name, adopted in layer.adopted.items():
        if name not in there:
            content = _given(content, place, name, adopted.entry, raw=adopted.raw)
        elif there[name] != adopted.entry:
            notes.append(f"{name} stands in {place.file} again and is another one: it is left as it is")
    if layer.entered and (NAME not in there or is_ours(there[NAME])):
        earlier = forms.entries(layer.change.before or b"", place.form, place.key).get(NAME)
        content = _given(content, place, NAME, earlier) if earlier else _taken(content, place, NAME)
    return content, notes


def _given(content: bytes, place: Place, name: str, entry: object, *, raw: str = "") -> bytes:
    value, path = entry if is_object(entry) else {}, (*place.key, name)
    if raw:
        return forms.paste(content, place.form, path, raw, value, listed=place.row.listed)
    return forms.put(content, place.form, path, value, listed=place.row.listed)


def _taken(content: bytes, place: Place, name: str) -> bytes:
    return forms.remove(content, place.form, (*place.key, name))


def with_entry(content: bytes | None, place: Place, entry: Mapping[str, object]) -> bytes:
    """A place's file with our entry. Raises `BrokenText`."""
    return _given(content or b"", place, NAME, entry)


def without(content: bytes, place: Place, names: Sequence[str]) -> bytes:
    """A place's file without some servers. Raises `BrokenText`."""
    for name in names:
        content = _taken(content, place, name)
    return content
