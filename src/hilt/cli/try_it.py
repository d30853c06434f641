"""`hilt try`: one task on a real code base, from the declaration to the checked answer; no key, no network."""

import shlex
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import click

from hilt.agents.bill import size
from hilt.agents.loop import Run, run_task
from hilt.agents.scripted import ScriptedModel
from hilt.agents.steps import to_json
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.counter import counter
from hilt.calls.adapter import Offer
from hilt.cli.faults import Code
from hilt.cli.output import Out
from hilt.cli.run_view import Screen, Watched, show_bill, size_words
from hilt.cli.try_check import Comparison, compare
from hilt.cli.try_story import story
from hilt.cli.try_tree import MANY_FILES, Subject, choose, installed_packages
from hilt.cli.verb import verb
from hilt.declarations.schema import is_object
from hilt.results.counting import Counter
from hilt.store import MEMORY, open_store

SHOWN_TOOL = "search_code"
EMBED = 'request["tools"] = openai_chat.offer(runtime, session); messages += await openai_chat.answer(...)'
"""The first way on, the tools in a program of one's own; the second is a client that speaks MCP."""

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@verb(says="watch one task done by a scripted model; needs no key")
@click.argument(
    "folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="[DIR]"
)
def command(out: Out, *, folder: Path | None) -> int:
    """DIR is a code base in Python; else the packages installed beside Hilt. The choices are scripted and
    labelled so; the tools, their refusals and their results are real, and the answer is checked.

    Exits with 1 when the answer is not what ripgrep says.
    """
    started = time.monotonic()
    subject = choose((folder or installed_packages()).resolve())
    assembled = open_runtime(subject.tree, store=open_store(MEMORY))
    return anyio.run(partial(_try, Watched(out, answers=True), assembled, subject, started))


async def _try(watched: Watched, assembled: Assembled, subject: Subject, started: float) -> int:
    counting = counter(assembled.config.text("results.counter") or "auto")
    session = replace(assembled.session, user_words=subject.question)
    async with assembled:
        if watched.shown:
            _open(watched.screen, subject, counting)
            _show_declaration(watched.screen, assembled.runtime.offer(session), counting)
        assembled.runtime.listen(watched.hear)
        model = ScriptedModel(story(subject))
        run = await run_task(assembled.runtime, session, model, subject.question, counter=counting, watch=watched.watch)
    comparison = await anyio.to_thread.run_sync(compare, subject, run)
    if watched.shown:
        _close(watched.screen, run, comparison, started)
    else:
        watched.out.answer(_document(watched, subject, run, comparison), run.text)
    return Code.FINE if comparison.same else Code.FAILED


def _open(screen: Screen, subject: Subject, counting: Counter) -> None:
    few = "" if subject.files >= MANY_FILES else f", fewer than the {MANY_FILES:,} this is meant for"
    screen.field("code base", str(subject.tree))
    screen.field("", f"{subject.files:,} files, counted just now{few}")
    screen.field("question", subject.question, "strong")
    screen.field("", "the name was computed: defined once here, used in several files")
    screen.field("choices", "scripted, not a model; tools, checks and results are real", "warn")
    screen.field("tokens", f"counted by {counting.name}")


def _show_declaration(screen: Screen, offers: list[Offer], counting: Counter) -> None:
    """What a model is told about one tool, and what that costs."""
    offer = next(each for each in offers if each.declaration.name == SHOWN_TOOL)
    declaration = offer.declaration
    properties = declaration.parameters.get("properties")
    names = list(properties) if is_object(properties) else []
    screen.line()
    screen.line(f"what a model sees of {declaration.name}", "strong")
    screen.field("says", offer.description)
    screen.field("takes", ", ".join(names))
    in_bytes, tokens = size({"description": offer.description, "parameters": declaration.parameters}, counting)
    screen.field("costs", f"{size_words(in_bytes, tokens)} a turn; whole: hilt show {declaration.name}")


def _close(screen: Screen, run: Run, comparison: Comparison, started: float) -> None:
    screen.line()
    screen.line("answer", "strong")
    for each in run.text.splitlines():
        screen.line(f"  {each}")
    screen.field("checked", comparison.words, label_tone="good" if comparison.same else "bad")
    show_bill(screen, run.bill)
    screen.line()
    screen.field("embed", EMBED)
    # A client starts the command from anywhere: neither PATH nor the current folder can be counted on.
    program = shlex.quote(str(Path(sys.executable).with_name("hilt")))
    screen.field("serve", f"claude mcp add hilt -- {program} serve --workspace /path/to/project")
    screen.field("took", f"{time.monotonic() - started:.1f} s")


def _document(watched: Watched, subject: Subject, run: Run, comparison: Comparison) -> dict[str, object]:
    return {
        "tree": str(subject.tree),
        "files": subject.files,
        "question": subject.question,
        "choices": "scripted, not a model",
        "text": run.text,
        "check": comparison.to_json(),
        "steps": [to_json(step) for step in watched.steps],
        "bill": run.bill.to_json(),
    }
