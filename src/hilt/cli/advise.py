"""`hilt advise`: should this be a tool, and if not, what?"""

from collections.abc import Mapping

import click

from hilt.assembly.advice import FAILS, QUESTIONS, WORDS, Advice, Home, Question, advise
from hilt.assembly.advice_cost import WORDS_OF_A_TEXT, standing_costs
from hilt.assembly.targets import list_config
from hilt.cli.faults import CommandError
from hilt.cli.listing import counter_of, settings
from hilt.cli.output import Out
from hilt.cli.table import pairs, table
from hilt.cli.verb import Function, Place, places, verb

_HOME_COSTS = {
    Home.TOOL: "the mean of the tools here",
    Home.SKILL: "its line in the listing",
    Home.PROJECT: f"for every {WORDS_OF_A_TEXT} words",
    Home.MEMORY: "and what is recalled, each time",
}


def _questions(function: Function) -> Function:
    """Adds one option for each question."""
    for question in reversed(QUESTIONS):
        names = [choice.name for choice in question.choices]
        words = "; ".join(f"{choice.name}: {choice.words}" for choice in question.choices)
        option = click.option(f"--{question.name}", type=click.Choice(names), help=f"{question.words} {words}.")
        function = option(function)
    return function


@verb(says="where a capability belongs: a tool, a command, a skill, a prompt, memory, or nowhere")
@_questions
@places
def command(out: Out, place: Place, **given: str | None) -> int:
    """Six questions, each an option; at a terminal those left out are asked. The answer comes from a table of
    points, with what each home costs every turn and how it fails.
    """
    answers = {name: answer for name, answer in given.items() if answer is not None}
    missing = [question for question in QUESTIONS if question.name not in answers]
    if missing and not out.asks:
        names = ", ".join(each.name for each in missing)
        raise CommandError(
            f"{len(missing)} of {len(QUESTIONS)} questions are not answered: {names}",
            " ".join(f"--{each.name} {'|'.join(choice.name for choice in each.choices)}" for each in missing),
            label="unanswered",
        )
    answers |= {question.name: _asked(question) for question in missing}
    config = settings(place)
    counter = counter_of(config)
    costs = standing_costs(list_config(config), counter)
    advice = advise(answers)
    out.answer(_document(advice, answers, costs, counter.name), lambda: _text(out, advice, costs, counter.name))
    return 0


def _asked(question: Question) -> str:
    """A person's choice, by number or name."""
    click.echo(f"\n{question.words}", err=True)
    for number, choice in enumerate(question.choices, 1):
        click.echo(f"  {number}  {choice.name}: {choice.words}", err=True)
    names = {str(number): choice.name for number, choice in enumerate(question.choices, 1)}
    known = click.Choice([*names, *names.values()])
    answer: str = click.prompt("  which", type=known, show_choices=False, err=True)
    return names.get(answer, answer)


def _document(advice: Advice, answers: Mapping[str, str], costs: Mapping[Home, int], counter: str) -> dict[str, object]:
    return {
        "home": advice.home,
        "says": WORDS[advice.home],
        "is_tool": advice.home is Home.TOOL,
        "runner_up": advice.runner_up,
        "answers": dict(answers),
        "decided": [
            {"question": each.question, "answer": each.answer, "points": each.points} for each in advice.decided
        ],
        "flips": [{"question": each.question, "answer": each.answer, "home": each.home} for each in advice.flips],
        "homes": [
            {"home": home, "score": advice.scores[home], "standing_tokens": costs[home], "fails": FAILS[home]}
            for home in _by_score(advice)
        ],
        "counter": counter,
    }


def _by_score(advice: Advice) -> list[Home]:
    return sorted(Home, key=lambda home: -advice.scores[home])


def _text(out: Out, advice: Advice, costs: Mapping[Home, int], counter: str) -> str:
    because = ", ".join(f"{each.question} is {each.answer} (+{each.points})" for each in advice.decided)
    rows = [
        ("advice", out.paint(WORDS[advice.home], "strong")),
        ("because", f"{because or 'it costs least'}, against {WORDS[advice.runner_up]}"),
        ("it fails", FAILS[advice.home]),
        *(("otherwise", said) for said in _flipped(advice)),
    ]
    heads = ("HOME", "POINTS", "TOKENS A TURN", "", "HOW IT FAILS")
    drawn = [
        (home, f"{advice.scores[home]}", f"{costs[home]:,}", _HOME_COSTS.get(home, ""), FAILS[home])
        for home in _by_score(advice)
    ]
    homes = table(heads, drawn, right="lrrll", paint=lambda head: out.paint(head, "dim"))
    return f"{pairs(rows, paint=lambda name: out.paint(name, 'dim'))}\n\n{homes}\n\ntokens: {counter}"


def _flipped(advice: Advice) -> list[str]:
    """For each other home that one answer leads to, those answers."""
    found: dict[Home, list[str]] = {}
    for each in advice.flips:
        found.setdefault(each.home, []).append(f"{each.question} {each.answer}")
    return [f"{WORDS[home]}, with {' or '.join(answers)}" for home, answers in found.items()]
