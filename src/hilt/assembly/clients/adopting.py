"""A client's servers moved behind Hilt, and given back.

Adopting writes the journal, then `hilt.toml`, then the client's file; giving back goes the other way. So whatever a
sudden end leaves, each server is in one of the two at least, and `release` knows what stood where.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hilt.assembly import keys
from hilt.assembly.clients import forms
from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.entries import Server, Stays, server_of
from hilt.assembly.clients.files import digest
from hilt.assembly.clients.giving_back import SERVERS, settings_undone
from hilt.assembly.clients.installing import entry_of, refuse_other
from hilt.assembly.clients.journal import Adopted, Change
from hilt.assembly.clients.plans import Done, Plan, entries, layer, undone, unusable, with_entry, without
from hilt.assembly.clients.table import NAME, Place
from hilt.assembly.consents import Spec, visible
from hilt.assembly.kept_files import PRIVATE
from hilt.assembly.sources import user_file
from hilt.declarations.schema import is_object

MAY_READ = 0o077
"""Bits of a mode that let others than the owner at a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One server that a person must agree to, and where it stands."""

    name: str
    place: Place
    spec: Spec
    notes: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Adoption:
    """A plan to adopt, with the questions it depends on."""

    plan: Plan = field(default_factory=Plan)
    asked: list[Asked] = field(default_factory=list[Asked])
    settings: Path = field(default_factory=user_file)


def adopt(places: Sequence[Place], agreed: Callable[[Spec], bool], arguments: Sequence[str] = ()) -> Adoption:
    """What moves the servers of these places that a person agreed to. Raises `ConfigError`."""
    adoption = Adoption()
    adoption.plan.drafts.content(adoption.settings)  # first asked for, so first written
    for place in places:
        try:
            _recover(adoption, place)
            _adopt(adoption, place, agreed, arguments)
        except BrokenText as broken:
            raise unusable(place.file, broken) from None
    _checked(adoption)
    return adoption


def _adopt(adoption: Adoption, place: Place, agreed: Callable[[Spec], bool], arguments: Sequence[str]) -> None:
    plan = adoption.plan
    moved: dict[str, Server] = {}
    notes: list[str] = []
    present = entries(plan, place)
    refuse_other(present, place)
    for name, entry in present.items():
        if name == NAME:
            continue
        try:
            server = server_of(entry, place, os.environ)
            _nameable(name)
        except Stays as why:
            notes.append(f"{visible(name)} stays: {why}")
            continue
        adoption.asked.append(Asked(name=name, place=place, spec=server.spec, notes=server.notes))
        if agreed(server.spec):
            moved[name] = server
        else:
            notes.append(f"{visible(name)} stays: you did not agree to it")
    if not moved:
        if notes or place.scope == "user":
            plan.done.append(Done(place=place, state="nothing to adopt", notes=tuple(notes)))
        return
    servers, said = _move(adoption, place, moved, arguments)
    plan.done.append(Done(place=place, state="adopted", servers=servers, notes=(*notes, *said)))


def _nameable(name: str) -> None:
    """Raise `Stays` for a name that `hilt.toml` cannot hold."""
    if not name.strip():
        raise Stays("it has no name")
    if not name.isprintable():
        raise Stays("its name holds characters that nobody sees")


def _move(
    adoption: Adoption, place: Place, moved: Mapping[str, Server], arguments: Sequence[str]
) -> tuple[tuple[str, ...], list[str]]:
    """Put servers into `hilt.toml` and our entry into their place; returns their names there, and what to know."""
    plan, file = adoption.plan, adoption.settings
    before, present = plan.drafts.content(place.file), entries(plan, place)
    made = layer("adopt", place.file, before, None)
    made.settings, made.settings_file = Change(before=plan.drafts.content(file), after=""), file
    notes: list[str] = []
    for name, server in moved.items():
        made.adopted[name] = _written(adoption, place, name, server)
        ours = made.adopted[name].server
        notes += [f"{name} is {ours} in {file}"] if ours != name else []
        notes += [f"{name}: {visible(each)}" for each in server.notes]
        made.adopted[name].entry = present[name]
        made.adopted[name].raw = forms.cut(before or b"", place.form, (*place.key, name))
    after = without(before or b"", place, list(moved))
    made.entered = not present.get(NAME)
    if made.entered:
        after = with_entry(after, place, entry_of(place.client, arguments))
    made.change.after, made.settings.after = digest(after), digest(plan.drafts.content(file))
    plan.record(place).layers.append(made)
    plan.drafts.put(place.file, after)
    return tuple(each.server for each in made.adopted.values()), [*notes, *_secrets(adoption, moved)]


def _written(adoption: Adoption, place: Place, name: str, server: Server) -> Adopted:
    """One server in `hilt.toml`: under its name, or as the same server that is there, or under the next free name."""
    drafts, file = adoption.plan.drafts, adoption.settings
    there = _tables(drafts.content(file), file)
    table = dict(server.table)
    same = next((each for each in (name, *there) if there.get(each) == table), None)
    if same is not None:
        return Adopted(entry=None, server=same, table=table, written=False)
    free = next(each for each in _names(name, place.name) if each not in there)
    try:
        drafts.put(file, forms.put(drafts.content(file) or b"", "toml", (SERVERS, free), table))
    except BrokenText as broken:
        raise unusable(file, broken) from None
    return Adopted(entry=None, server=free, table=table, written=True)


def _names(name: str, client: str) -> Iterator[str]:
    """Names for a server, the best first: its own, with its client's, and counted on."""
    yield from (name, f"{name}-{client}")
    count = 2
    while True:
        yield f"{name}-{client}-{count}"
        count += 1


def _tables(content: bytes | None, file: Path) -> dict[str, object]:
    try:
        return forms.entries(content or b"", "toml", (SERVERS,))
    except BrokenText as broken:
        raise unusable(file, broken) from None


def _secrets(adoption: Adoption, moved: Mapping[str, Server]) -> list[str]:
    """Nobody else is to read what looks secret; says so."""
    held = [name for name, server in moved.items() if server.secrets]
    drafts, file = adoption.plan.drafts, adoption.settings
    for name in held:
        adoption.plan.secrets.extend(moved[name].secrets)
    mode = drafts.mode(file)
    if mode is None or (held and mode & MAY_READ):
        drafts.put(file, drafts.content(file), mode=PRIVATE if mode is None else mode & ~MAY_READ)
    if not held:
        return []
    words = f"{', '.join(held)}: what looks like a credential stands in {file}, which only you can read"
    return [f"{words}; set a variable of that name and write ${{NAME}} there instead"]


def _checked(adoption: Adoption) -> None:
    """Raise `ConfigError` where `hilt.toml` would not be one any more."""
    content = adoption.plan.drafts.content(adoption.settings)
    tree = forms.read(content or b"", "toml")
    if is_object(tree):
        keys.check(tree, str(adoption.settings))


def _recover(adoption: Adoption, place: Place) -> None:
    """Take back what was begun here and not ended, because Hilt itself was ended."""
    record, now = adoption.plan.record(place), digest(adoption.plan.drafts.content(place.file))
    for each in reversed(record.layers):
        if each.kind == "adopt" and digest(each.change.before) == now != each.change.after:
            settings_undone(adoption.plan, each)
            record.layers.remove(each)


def release(places: Sequence[Place]) -> Plan:
    """What gives these places their servers back. Raises `ConfigError`."""
    plan = Plan()
    found = [(each.when, place, each) for place in places for each in plan.record(place).layers if each.kind == "adopt"]
    for _, place, _ in found:
        plan.drafts.content(place.file)  # asked for before hilt.toml, so written before it
    notes: dict[Path, list[str]] = {place.file: [] for place in places}
    for _, place, each in sorted(found, key=lambda one: one[0], reverse=True):
        try:
            content, said = undone(each, place, plan.drafts.content(place.file))
        except BrokenText as broken:
            raise unusable(place.file, broken) from None
        record = plan.record(place)
        plan.drafts.put(place.file, content)
        notes[place.file] += [*said, *settings_undone(plan, each)]
        record.layers.remove(each)
    for place in places:
        names = tuple(dict.fromkeys(name for _, at, each in found if at is place for name in each.adopted))
        told = tuple(dict.fromkeys(notes.pop(place.file, [])))
        plan.done.append(Done(place=place, state="released" if names else "not there", servers=names, notes=told))
    return plan
