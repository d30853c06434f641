"""`hilt run`: a model works on one task with the tools, and a person sees every step."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import anyio
import click

from hilt.agents.endpoint import anthropic_endpoint, openai_endpoint
from hilt.agents.loop import MOST_TURNS, Run, run_task
from hilt.agents.model import Model
from hilt.agents.script_file import read_script
from hilt.agents.scripted import ScriptedModel
from hilt.agents.steps import ENDINGS, to_json
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.counter import counter
from hilt.calls.session import Session
from hilt.cli.asking import TerminalPerson
from hilt.cli.faults import Code, CommandError, Fault
from hilt.cli.output import Out
from hilt.cli.run_view import Watched, show_bill
from hilt.cli.verb import Place, places, verb

Provider = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """Who makes the choices: an endpoint's model, or a script."""

    endpoint: Provider | None = None
    model: str | None = None
    base_url: str | None = None
    script: Path | None = None

    @property
    def words(self) -> str:
        """What people are told of it."""
        if self.script is not None:
            return f"{self.script.name} (choices: scripted, not a model)"
        return f"{self.model} at {self.base_url or self.endpoint}"


@verb(says="let a model work with the tools on one task")
@click.argument("task")
@places
@click.option("--endpoint", type=click.Choice(["openai", "anthropic"]), help="The form the server speaks.")
@click.option("--model", metavar="NAME", help="The model to ask for.")
@click.option("--base-url", metavar="URL", help="A server of your own that speaks that form.")
@click.option(
    "--scripted",
    "script",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Take the turns from a script instead of a model.",
)
@click.option("--turns", type=click.IntRange(1), default=MOST_TURNS, show_default=True, help="Most turns.")
@click.option("--session", metavar="ID", help="A conversation to go on with; else a fresh one.")
def command(
    out: Out,
    place: Place,
    *,
    task: str,
    endpoint: Provider | None,
    model: str | None,
    base_url: str | None,
    script: Path | None,
    turns: int,
    session: str | None,
) -> int:
    """The key is read from OPENAI_API_KEY or ANTHROPIC_API_KEY. Steps are shown on stderr, the answer on
    stdout. A script is JSON: {"turns": [{"calls": [{"name": "search_code", "arguments": {"pattern": "x"}}]},
    {"continue": true}, {"text": "the answer"}]}, where "continue" makes the call that the last result names.

    Exits with 0 for an answer, 1 when the run ended without one.
    """
    chooser = Chooser(endpoint=endpoint, model=model, base_url=base_url, script=script)
    _check(chooser)
    config = read_config(place.workspace, file=place.config, settings=place.settings)
    person = TerminalPerson(out) if out.asks else None
    assembled = open_runtime(place.workspace, config=config, session=session, person=person)
    return anyio.run(partial(_run, Watched(out), assembled, chooser, task, most_turns=turns))


def _check(chooser: Chooser) -> None:
    if (chooser.script is None) == (chooser.endpoint is None):
        raise CommandError(
            "who makes the choices? give an endpoint or a script, one of them",
            "hilt run TASK --endpoint openai --model NAME",
            "hilt run TASK --scripted FILE",
        )
    if chooser.endpoint is not None and chooser.model is None:
        raise CommandError(f"the endpoint {chooser.endpoint} serves many models", "name one: --model NAME")


async def _run(watched: Watched, assembled: Assembled, chooser: Chooser, task: str, *, most_turns: int) -> int:
    counting = counter(assembled.config.text("results.counter") or "auto")
    session = replace(assembled.session, user_words=task)
    for note in assembled.notes:
        watched.out.note(note)
    if watched.shown:
        watched.screen.field("task", task, "strong")
        watched.screen.field("choices", chooser.words)
    async with assembled, _model(chooser) as model:
        assembled.runtime.listen(watched.hear)
        run = await run_task(
            assembled.runtime, session, model, task, most_turns=most_turns, counter=counting, watch=watched.watch
        )
    if watched.shown:
        show_bill(watched.screen, run.bill)
        watched.screen.line()
    return _answer(watched, run, chooser, session)


@asynccontextmanager
async def _model(chooser: Chooser) -> AsyncGenerator[Model]:
    if chooser.script is not None:
        yield ScriptedModel(read_script(_text(chooser.script), chooser.script.name))
        return
    make = openai_endpoint if chooser.endpoint == "openai" else anthropic_endpoint
    async with make(chooser.model or "", base_url=chooser.base_url) as endpoint:
        yield endpoint


def _text(script: Path) -> str:
    try:
        return script.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{script} cannot be read as text", "give a JSON file in UTF-8") from error


def _answer(watched: Watched, run: Run, chooser: Chooser, session: Session) -> int:
    document = {
        "session": session.id,
        "task": session.user_words,
        "choices": chooser.words,
        "reason": run.reason,
        "text": run.text,
        "steps": [to_json(step) for step in watched.steps],
        "bill": run.bill.to_json(),
    }
    if watched.out.json or run.text:
        watched.out.answer(document, run.text)
    if run.answered:
        return Code.FINE
    if not watched.out.json:
        watched.out.fault(Fault(code=Code.FAILED, label="run", what=f"no answer: {ENDINGS[run.reason]}", steps=_WAYS))
    return Code.FAILED


_WAYS = ("allow more turns: --turns N, or ask for less at once",)
