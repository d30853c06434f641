"""`hilt overlap`: tools that a model confuses, that could be one, or that a plain command does."""

from collections.abc import Sequence
from functools import partial

import anyio
import click

from hilt.assembly.billing import kept_counts
from hilt.assembly.config import Config
from hilt.assembly.history import Called
from hilt.assembly.meaning import static
from hilt.assembly.overlapping import calls_made, overlaps
from hilt.assembly.storing import store_of
from hilt.catalog.overlap import Overlap
from hilt.cli.listing import counter_of, listed, targets
from hilt.cli.output import Out
from hilt.cli.verb import Asked, Place, places, verb
from hilt.errors import StoreError

HEADINGS = {
    "family": "Could be one tool",
    "pair": "Easily confused",
    "chain": "Always called together",
    "shell": "A plain command does it",
}


@verb(says="tools that could be one, are easily confused, or that a command does as well")
@targets
@click.option("--markdown", "as_markdown", is_flag=True, help="Markdown, for a pull request.")
@places
def command(out: Out, place: Place, *, asked: Asked, as_markdown: bool) -> int:
    """A report, and no verdict. Tools merge where one sentence says what the result does; names that
    differ in what is done stay apart. Without a TARGET the calls that are kept are looked at too.
    """
    listing, config, code = listed(out, place, asked)
    if listing.faults and not listing.tools:
        return code
    made = [] if asked.targets or asked.command else anyio.run(partial(_calls, config))
    with kept_counts(counter_of(config)) as counter:
        found = overlaps(listing, static(), counter, made)
    document = {"overlaps": [_document(each) for each in found], "counter": counter.name}
    out.answer(document, lambda: _text(out, found, counter.name, as_markdown=as_markdown))
    return code


async def _calls(config: Config) -> list[Called]:
    store = store_of(config)
    try:
        return await calls_made(store)
    except StoreError:
        return []
    finally:
        await store.close()


def _document(each: Overlap) -> dict[str, object]:
    document: dict[str, object] = {"kind": each.kind, "tools": list(each.tools), "reason": each.reason}
    if each.merge is None:
        return document
    merge = each.merge
    return document | {
        "merge": {
            "name": merge.name,
            "parameter": merge.parameter,
            "values": list(merge.values),
            "sentence": merge.sentence,
            "saves_bytes": merge.bytes,
            "saves_tokens": merge.tokens,
        }
    }


def _text(out: Out, found: Sequence[Overlap], counter: str, *, as_markdown: bool) -> str:
    if not found:
        return "no tools overlap"
    parts: list[str] = []
    for kind, heading in HEADINGS.items():
        lines = [_line(each, as_markdown=as_markdown) for each in found if each.kind == kind]
        if lines:
            parts.append("\n".join([f"### {heading}\n" if as_markdown else out.paint(heading, "strong"), *lines]))
    saved = [each.merge for each in found if each.merge is not None]
    tokens, size = sum(each.tokens for each in saved), sum(each.bytes for each in saved)
    parts.append(f"merging all {len(saved)} would save {tokens:,} tokens, {size:,} bytes ({counter})" if saved else "")
    return "\n\n".join(filter(None, parts))


def _line(each: Overlap, *, as_markdown: bool) -> str:
    names = ", ".join(f"`{name}`" if as_markdown else name for name in each.tools)
    start = "- " if as_markdown else "  "
    if each.merge is None:
        return f"{start}{names}: {each.reason}"
    merge = each.merge
    choices = "|".join(merge.values)
    return (
        f"{start}{merge.name}({merge.parameter}={choices}) saves {merge.tokens:,} tokens, {merge.bytes:,} bytes: "
        f"{names}; {each.reason}. One sentence: {merge.sentence}"
    )
