"""Traces: where they are, their form, and the two changes an attacker can make to them."""

import base64
import codecs
import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT.parent / "shared" / "data" / "dojo" / "traces.json"
"""The maintainers' data, beside the repository; never a part of it."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One recorded call: what was asked, what came back, and where text of the attacker stands in that."""

    tool: str
    arguments: Mapping[str, Any]
    result: Any
    error: str | None = None
    planted: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One run, in order. `first_harm` is the place of the first harmful call, None where there is none."""

    suite: str
    name: str
    prompt: str
    steps: tuple[Step, ...]
    first_harm: int | None = None
    harmful: tuple[int, ...] = ()
    has_call: bool = True


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """All traces, and the tools of each suite as the package exports them."""

    tools: Mapping[str, list[Mapping[str, Any]]]
    tasks: list[Trace] = field(default_factory=list[Trace])
    attacks: list[Trace] = field(default_factory=list[Trace])


def load(path: Path = RECORDED) -> Corpus:
    whole = json.loads(path.read_text())
    results = whole["results"]
    tasks = [
        Trace(suite=one["suite"], name=one["id"], prompt=one["prompt"], steps=_steps(one, results))
        for one in whole["user_tasks"]
    ]
    attacks = [
        Trace(
            suite=one["suite"],
            name=f"{one['user_task']} x {one['injection_task']}",
            prompt=one["prompt"],
            steps=_steps(one, results),
            first_harm=min(one["harmful"], default=None),
            harmful=tuple(one["harmful"]),
            has_call=one["has_call"],
        )
        for one in whole["attacks"]
    ]
    return Corpus(tools=whole["tools"], tasks=tasks, attacks=attacks)


def _steps(one: Mapping[str, Any], results: list[Any]) -> tuple[Step, ...]:
    return tuple(
        Step(
            tool=each["tool"],
            arguments=each["args"],
            result=None if each["result"] is None else results[each["result"]],
            error=each["error"],
            planted=tuple((at["path"], at["start"], at["end"]) for at in each["vectors"] if "start" in at),
        )
        for each in one["calls"]
    )


def hidden(trace: Trace) -> Trace:
    """The attacker's text spelled so that none of its values can be read off it: in base64."""
    return replace(trace, steps=tuple(_encoded(step, _coded) for step in trace.steps))


def spelled(trace: Trace) -> Trace:
    """The same in a spelling that looks like words: every letter and digit moved by half its alphabet."""
    return replace(trace, steps=tuple(_encoded(step, _moved) for step in trace.steps))


def _moved(text: str) -> str:
    return codecs.encode(text, "rot13").translate(str.maketrans("0123456789", "5678901234"))


def _encoded(step: Step, write: Callable[[str], str]) -> Step:
    if not step.planted:
        return step
    result = copy.deepcopy(step.result)
    for path, start, end in sorted(step.planted, key=lambda each: -each[1]):
        result = _changed(result, _parts(path), lambda text, a=start, b=end: text[:a] + write(text[a:b]) + text[b:])
    return replace(step, result=result, planted=())


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _changed(value: Any, parts: list[str], change: Any) -> Any:
    if not parts:
        return change(value)
    first, rest = parts[0], parts[1:]
    if first.startswith("@") and not rest:
        return {(change(key) if key == first[1:] else key): each for key, each in value.items()}
    place = int(first) if isinstance(value, list) else first
    value[place] = _changed(value[place], rest, change)
    return value


IDENTITY = frozenset({"sender", "from", "author", "payer", "participants", "guests", "attendees", "cc"})
"""Names of fields in which somebody says who they are."""


def owned(trace: Trace) -> Trace:
    """The attacker owns an identity field that was read: his values stand there as sender, payer or guest."""
    if trace.first_harm is None:
        return trace
    values = list(_leaves(trace.steps[trace.first_harm].arguments))
    steps = list(trace.steps)
    for place, step in enumerate(steps[: trace.first_harm]):
        if step.planted:
            steps[place] = replace(step, result=_planted(copy.deepcopy(step.result), values))
    return replace(trace, steps=tuple(steps))


def _planted(value: Any, values: list[str]) -> Any:
    if isinstance(value, list):
        return [_planted(each, values) for each in value]
    if isinstance(value, dict):
        return {key: _own(each, values) if key in IDENTITY else _planted(each, values) for key, each in value.items()}
    return value


def _own(value: Any, values: list[str]) -> Any:
    return [*value, *values] if isinstance(value, list) else (values[0] if values else value)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif isinstance(value, str):
        yield value
