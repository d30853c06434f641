"""What a session has seen of files, so that nothing is written over what nobody has looked at.

Kept in the session's memos: for each file read or written its digest (`seen:` and the path), for
those of which a search showed lines only their state on the disk (`found`). Whether a file is still
what was seen, its content decides: a time of change that moved alone means nothing.
"""

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from hilt.calls.context import Context
from hilt.calls.memos import Memos
from hilt.declarations.schema import is_object
from hilt.errors import StoreError
from hilt.results.failures import EnvironmentFailure, InvalidArguments, ToolFailure
from hilt.workspace.changes.replacing import FileChange
from hilt.workspace.digests import digest, digest_descriptor
from hilt.workspace.handles import FileHandle, FileVersion, Source
from hilt.workspace.known import Known, KnownDigests, Part, form, name_of, read
from hilt.workspace.names import visible
from hilt.workspace.workspace import Workspace

SEEN_WHOLE_BYTES = 64 << 20
"""Up to this size a file is known by the digest of all of it; above by its state and the part that was shown."""

PART_BYTES = 64 << 10
"""The most of a larger file's shown part that is compared later."""

MOST_FOUND = 500
"""Files of which searches showed lines and that are remembered, the latest."""

MOST_WATCHED = 200
"""Files looked at again to say which of those seen have changed since, the last seen."""

MOST_STALE = 8
"""Changed files that a note names."""

_SEEN, _FOUND = "seen:", "found"
_ESCAPED = "\\udc"
"""In the name of a memo: bytes that are not UTF-8, from which there is no way back to the path."""
_digests = KnownDigests()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """How a file stands to what its session saw of it: by reading (or writing) it, or lines of it in a search.

    Whoever only saw lines may edit them, and not write over all. `what` says how a stale one differs, as the
    rest of a sentence.
    """

    state: Literal["unseen", "current", "stale"]
    by: Literal["read", "search"] = "read"
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A file that is no longer what was seen of it; `gone` where nothing readable has its name."""

    real: str
    gone: bool


async def note_read(ctx: Context, file: FileHandle, *, start: int = 0, size: int = 0) -> None:
    """The session has read of this file; of a larger one `size` bytes from `start`. One hop into a thread."""
    found = await file.work(partial(_known, file.version, start, min(size, PART_BYTES)))
    await _put(ctx, file.real, found)


async def note_written(ctx: Context, real: str, digest: str, version: FileVersion, *, whole: bool = False) -> None:
    """The session knows what the file holds, for it wrote it: `whole`, or parts of what it knew until then."""
    if not whole:
        with _told(ctx):
            before = read(await ctx.part(Memos).get(ctx.session, _key(real)))
            whole = before is not None and before.whole
    await _put(ctx, real, Known(version=version, at=time.time_ns(), digest=digest, whole=whole))


async def note_shown(ctx: Context, change: FileChange) -> None:
    """An answer shows how the file is now where it matters, so that the next call may go on from there."""
    await change.content()
    shown = Known(version=change.version, at=time.time_ns(), digest=await change.digest(), whole=False)
    await _put(ctx, change.file.real, shown)


async def note_found(ctx: Context, files: Mapping[str, FileVersion]) -> None:
    """A search showed lines of these files, by real path, in these states."""
    now = time.time_ns()
    fresh = {name_of(real): form(Known(version=version, at=now)) for real, version in files.items()}

    def added(old: object) -> tuple[object, None]:
        kept = {name: value for name, value in old.items() if name not in fresh} if is_object(old) else {}
        return dict([*kept.items(), *fresh.items()][-MOST_FOUND:]), None

    with _told(ctx):
        await ctx.part(Memos).change(ctx.session, _FOUND, added)


async def forget(ctx: Context, real: str) -> None:
    """Nothing has this name any more: what was seen under it is no longer there."""
    with _told(ctx):
        await ctx.part(Memos).change(ctx.session, _key(real), lambda _: (None, None))


async def sight(ctx: Context, change: FileChange) -> Sight:
    """How the file of a change stands to what was seen of it; the change's content is read for it."""
    name = name_of(change.file.real)
    await change.content()
    known = read(await _recalled(ctx, _SEEN + name))
    if known is not None and await _same(known, change):
        return Sight(state="current", by="read" if known.whole else "search")
    found = await _recalled(ctx, _FOUND)
    searched = read(found.get(name)) if is_object(found) else None
    if searched is not None and searched.version == change.version:
        await forget(ctx, change.file.real)  # what was read of it before is not there any more
        return Sight(state="current", by="search")
    last = known or searched
    if last is None:
        return Sight(state="unseen")
    by = "read" if known else "search"
    return Sight(state="stale", by=by, what=_difference(last.version, change.version))


def unfit(ctx: Context, asked: str, seen: Sight, *, why: str, instead: tuple[str, ...] = ()) -> InvalidArguments:
    """The refusal of a change that must not be made blind: not seen yet, or changed since. `why` ends its sentence.

    `instead` is what may be done without reading all of it.
    """
    step = "call read_file on it first" if "read_file" in ctx.offered else "look at what it holds first"
    if seen.state == "unseen" or seen.state == "current":
        lines = ", only lines of it were shown" if seen.state == "current" else ""
        return InvalidArguments(f"{visible(asked)} has not been read in this session{lines}, {why}", step, *instead)
    how = "its lines were found" if seen.by == "search" else "it was read"
    again = step.replace("first", "again")
    return InvalidArguments(f"{visible(asked)} was changed since {how} ({seen.what}), {why}", again, *instead)


async def changed_since(ctx: Context) -> list[Changed]:
    """Which of the files seen last are not what was seen, each told once for each state it gets into."""
    try:
        memos = await ctx.part(Memos).all(ctx.session, _SEEN)
    except StoreError:  # what cannot be recalled has been said where it could not be remembered
        return []
    known = [(key.removeprefix(_SEEN), one) for key, value in memos.items() if (one := read(value))]
    known.sort(key=lambda each: -each[1].at)
    world = ctx.part(Workspace)
    changed: list[Changed] = []
    for name, one in known[:MOST_WATCHED]:
        if _ESCAPED in name:
            continue
        now = await _state(world, name, one)
        if now is not None and now == one:
            continue
        if now is None or now.told is not None:
            changed.append(Changed(real=name, gone=now is None))
        await (forget(ctx, name) if now is None else _put(ctx, name, now))
    return changed


async def stale_notes(ctx: Context) -> list[str]:
    """A note for the model on files that were seen and are not what they were, after something that may change any."""
    try:
        changed = await changed_since(ctx)
    except StoreError:
        return ["whether it changed what was read before could not be looked up"]
    if not changed:
        return []
    display = ctx.part(Workspace).display
    names = [display(each.real) + (" (gone)" if each.gone else "") for each in changed[:MOST_STALE]]
    more = f" and {len(changed) - MOST_STALE} more" if len(changed) > MOST_STALE else ""
    return [f"changed since they were read, so read them again before editing: {', '.join(names)}{more}"]


async def _state(world: Workspace, real: str, known: Known) -> Known | None:
    """What is to be remembered of a file from now on: the same, `told` where it changed; None where it is gone."""
    version = await world.version(real)
    if version is None:
        return None
    if version in (known.version, known.told):
        return known
    if version.size == known.version.size and known.digest:
        try:
            async with world.open(real) as file:
                found = await file.work(partial(_known, file.version, 0, 0))
        except ToolFailure:
            return None
        if found.digest == known.digest:
            return replace(found, at=known.at, whole=known.whole)
    return replace(known, told=version)


async def _same(known: Known, change: FileChange) -> bool:
    now = change.version
    if known.known_without_reading(now):
        return True
    if known.version.size != now.size:
        return False
    if known.digest:
        return known.digest == await change.digest()
    part = known.part
    if part is None:
        return known.surely(now)
    return part.digest == digest((await change.content())[part.offset : part.offset + part.size])


def _known(version: FileVersion, start: int, size: int, source: Source) -> Known:
    """What is known of an open file. Where it changed since it was opened nothing but its state then."""
    if version.size > SEEN_WHOLE_BYTES:
        part = Part(offset=start, size=size, digest=digest(source.read(size, start))) if size else None
        return Known(version=version, at=time.time_ns(), part=part)
    if not version.size and source.read(1, 0):
        return Known(version=version, at=0)  # of the kernel's making: another at each reading
    found = _digests.get(version)
    if found is None:
        found = digest_descriptor(source.descriptor)
        if source.version() != version:
            return Known(version=version, at=0)
        _digests.put(version, found)
    return Known(version=version, at=time.time_ns(), digest=found)


def _difference(known: FileVersion, now: FileVersion) -> str:
    if now.size != known.size:
        return f"it had {known.size:,} bytes and has {now.size:,} now"
    return "it has as many bytes as then, and not the same"


async def _recalled(ctx: Context, key: str) -> object:
    """A memo. Where the store does not answer nothing counts as seen, and a change is refused."""
    try:
        return await ctx.part(Memos).get(ctx.session, key)
    except StoreError as error:
        raise EnvironmentFailure(
            f"whether the file was read cannot be looked up, so nothing was changed: {error.problem}",
            "report it to the person",
        ) from error


@contextmanager
def _told(ctx: Context) -> Generator[None]:
    """What cannot be remembered costs no call its answer; the next change will have to be told of it again."""
    try:
        yield
    except StoreError as error:
        if "write_file" in ctx.offered or "edit_file" in ctx.offered:
            ctx.note(f"what was seen of files is not remembered, so a change of them may be refused: {error.problem}")


async def _put(ctx: Context, real: str, known: Known) -> None:
    with _told(ctx):
        await ctx.part(Memos).put(ctx.session, _key(real), form(known))


def _key(real: str) -> str:
    return _SEEN + name_of(real)


async def note_moved(ctx: Context, real: str, to: str) -> None:
    """What was seen of a file holds under its new name."""
    with _told(ctx):
        known = await ctx.part(Memos).get(ctx.session, _key(real))
        if known is not None:
            await ctx.part(Memos).put(ctx.session, _key(to), known)
            await forget(ctx, real)
