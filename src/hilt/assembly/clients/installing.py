"""Hilt as one server among a client's own, put there and taken out again."""

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hilt.assembly.clients import forms
from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.files import digest
from hilt.assembly.clients.journal import Record
from hilt.assembly.clients.ours import is_ours
from hilt.assembly.clients.plans import Done, Plan, State, entries, layer, undone, unmade, unusable, with_entry, without
from hilt.assembly.clients.table import NAME, Client, Place
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError
from hilt.results.secrets import mask_secrets

MODULE = ("-P", "-m", "hilt", "serve")
"""How the interpreter is started. `-P`: clients start it in a project's folder, whose `hilt.py` must not run."""
PASSING = ("/uv/archive-v0/", "/uv/environments-v2/", "/uv/builds-v0/", "/pipx/.cache/")
"""Parts of the paths of interpreters that are cleared away with a cache."""


def entry_of(client: Client, arguments: Sequence[str] = (), *, allow: bool = False) -> dict[str, object]:
    """Our entry in a client's file."""
    words = [*MODULE, *arguments]
    if client.one_line:
        started: dict[str, object] = {client.called("command"): [sys.executable, *words]}
    else:
        started = {client.called("command"): sys.executable, client.called("args"): words}
    return {**client.entry, **started, **(client.allow_entry if allow else {})}


def install(places: Sequence[Place], arguments: Sequence[str] = (), *, allow: bool = False) -> Plan:
    """What puts Hilt into these places. Raises `ConfigError` where one cannot be edited, or would hold a secret."""
    if mask_secrets(shlex.join(arguments))[1]:
        raise ConfigError("a credential is not written into a client's file", "put it into a variable, and name that")
    plan = Plan()
    for place in places:
        try:
            _install(plan, place, entry_of(place.client, arguments, allow=allow))
            if allow:
                _allow(plan, place)
        except BrokenText as broken:
            raise unusable(place.file, broken) from None
    return plan


def _install(plan: Plan, place: Place, wanted: Mapping[str, object]) -> None:
    present = entries(plan, place)
    refuse_other(present, place)
    if present.get(NAME) == wanted:
        plan.done.append(Done(place=place, state="there already", notes=tuple(_remarks())))
        return
    before = plan.drafts.content(place.file)
    after = with_entry(before, place, wanted)
    state: State = "renewed" if NAME in present else "installed"
    enter(plan.record(place), before, after, renewed=NAME in present)
    plan.drafts.put(place.file, after)
    plan.done.append(Done(place=place, state=state, notes=tuple(_remarks())))


def enter(record: Record, before: bytes | None, after: bytes, *, renewed: bool) -> None:
    """Note that our entry was put in. Where it was there already, whoever put it there keeps what stood before."""
    ours = [each for each in record.layers if each.entered and each.kind in ("install", "adopt")]
    if renewed and ours:
        for each in record.layers:
            if each.change.after == digest(before):
                each.change.after = digest(after)
        return
    record.layers[:] = [
        *(each for each in record.layers if each.kind != "install"),
        layer("install", record.file, before, after),
    ]


def refuse_other(present: Mapping[str, object], place: Place) -> None:
    """Raise `ConfigError` where a server of somebody else has the name that our entry needs."""
    if NAME in present and present[NAME] is not None and not is_ours(present[NAME]):
        raise ConfigError(
            f"{place.client.title} has a server called {NAME} that is not Hilt; nothing was written",
            f"give that server another name in {place.file}, and run the command again",
        )


def _remarks() -> Iterator[str]:
    if any(each in sys.executable for each in PASSING):
        yield f"{sys.executable} lies in a cache that may be cleared: uv tool install hilt, and hilt install from there"


def _allow(plan: Plan, place: Place) -> None:
    record, allow, file = plan.allow_record(place), place.row.allow, place.allow_file
    if record is None or allow is None or file is None:
        return
    before = plan.drafts.content(file)
    try:
        after = forms.append(before or b"", allow.key, allow.value)
    except BrokenText as broken:
        raise unusable(file, broken) from None
    if after != before:
        record.layers.append(layer("allow", file, before, after))
        plan.drafts.put(file, after)


def uninstall(places: Sequence[Place]) -> Plan:
    """What takes Hilt out of these places. Raises `ConfigError`, also where servers behind Hilt would be lost."""
    plan = Plan()
    for place in places:
        record = plan.record(place)
        if record.adopted:
            held = ", ".join(record.adopted)
            raise ConfigError(
                f"servers of {place.client.title} are behind Hilt, and would be gone with it: {held}",
                f"hilt release {place.name}",
            )
        try:
            plan.done.append(_uninstall(plan, place))
            _disallow(plan, place)
        except BrokenText as broken:
            raise unusable(place.file, broken) from None
    return plan


def _uninstall(plan: Plan, place: Place) -> Done:
    record, before = plan.record(place), plan.drafts.content(place.file)
    present, notes = entries(plan, place), list[str]()
    found, after = record.top("install"), before
    if found is not None:
        after, notes = undone(found, place, before)
    elif NAME in present and before is not None:
        refuse_other(present, place)
        after = without(before, place, [NAME])
    record.layers.clear()
    plan.drafts.put(place.file, after)
    if found is not None:
        unmade(plan, place.file, found)
    return Done(place=place, state="removed" if NAME in present else "not there", notes=tuple(notes))


def _disallow(plan: Plan, place: Place) -> None:
    record, file = plan.allow_record(place), place.allow_file
    if record is None or file is None:
        return
    for each in reversed(record.layers):
        after, _ = undone(each, place, plan.drafts.content(file))
        plan.drafts.put(file, after)
        unmade(plan, file, each)
    record.layers.clear()


def interpreter_of(entry: object, client: Client) -> Path | None:
    """The program that an entry of ours would start; None where it is none of ours."""
    command = entry.get(client.called("command")) if is_object(entry) else None
    first = command[0] if is_array(command) and command else command
    return Path(first) if isinstance(first, str) else None
