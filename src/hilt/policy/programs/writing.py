"""Programs that write to the files they are told and nowhere else, so that the facts of the paths say what may happen.

`rm` is not here: what it takes away does not come back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.options import Scan, Table, scan, table, used
from hilt.policy.programs.words import Reader, Use, Word, doubtful

_MKDIR = table("-pv --parents --verbose", operands="write")
_TOUCH = table(
    "-acmh --no-create --no-dereference", text="-d -t --date --time", read="-r --reference", operands="write"
)
_TEE = table("-aip --append --ignore-interrupts", operands="write")
_COPY = table("-fnpuvx --force --no-clobber --update --verbose --one-file-system", maybe="--preserve --update")
_MOVE = table("-fnuv --force --no-clobber --update --verbose", maybe="--update")


def _plain(known: Table) -> Reader:
    return lambda words: used(known, scan(known, words))


def _copy(words: Sequence[Word]) -> Use:
    found = scan(_COPY, words)
    return _to_last(found, used(_COPY, found), moved=False)


def _move(words: Sequence[Word]) -> Use:
    found = scan(_MOVE, words)
    return _to_last(found, used(_MOVE, found), moved=True)


def _to_last(found: Scan, use: Use, *, moved: bool) -> Use:
    """Sources, then one target: a file, or a folder that gets each source under its own name."""
    operands = [each.word for each in found.operands]
    if len(operands) < 2:
        return replace(use, doubts=(*use.doubts, *doubtful(0, "it has no source and target").doubts))
    *sources, target = operands
    texts = [word.text for word in operands]
    if None in texts:
        return replace(
            use, doubts=(*use.doubts, *doubtful(0, "which paths it writes is known only when it runs").doubts)
        )
    names = [(source.text or "").rstrip("/").rpartition("/")[2] for source in sources]
    if any(name in ("", ".", "..") for name in names):
        return replace(use, doubts=(*use.doubts, *doubtful(0, "the name a source would get is not settled").doubts))
    inside = tuple(Word(text=f"{(target.text or '').rstrip('/')}/{name}", dashed=False) for name in names)
    writes = (target, *inside, *(sources if moved else ()))
    return replace(use, reads=tuple(sources), writes=writes, renamed=(*sources, *inside, target) if moved else ())


WRITING: Mapping[str, Reader] = {
    "mkdir": _plain(_MKDIR),
    "touch": _plain(_TOUCH),
    "tee": _plain(_TEE),
    "cp": _copy,
    "mv": _move,
}
