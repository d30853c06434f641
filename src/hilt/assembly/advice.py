"""Where a capability belongs: six answers in, a home out, by a table that anyone can read and nothing else.

Each answer gives each home points; the most points win, and of equal ones the home that costs less
while it is not used. No text is guessed at: what the six questions do not ask does not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Home(StrEnum):
    """Where a capability can live, the one that costs least while it is not used first."""

    NOTHING = "nothing"
    EXECUTOR = "executor"
    MEMORY = "memory"
    SKILL = "skill"
    PROJECT = "project"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer: its short name, its words, and what it says for and against each home."""

    name: str
    words: str
    points: Mapping[Home, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One of the six questions."""

    name: str
    words: str
    choices: tuple[Choice, ...]

    def choice(self, name: str) -> Choice:
        """The choice of this name; KeyError for none."""
        return {each.name: each for each in self.choices}[name]


def _choice(name: str, words: str, **points: int) -> Choice:
    return Choice(name=name, words=words, points={home: points.get(home.value, 0) for home in Home})


QUESTIONS: tuple[Question, ...] = (
    Question(
        name="control",
        words="Does each use need a permission or a record of its own?",
        choices=(
            _choice("none", "no"),
            _choice("log", "it should be on record", tool=1, executor=1),
            _choice(
                "ask",
                "it must be allowed, refused or audited by its arguments",
                tool=5, executor=-2, skill=-2, project=-4, memory=-12, nothing=-9,
            ),
        ),
    ),
    Question(
        name="platform",
        words="Does a command do it, and the same one everywhere?",
        choices=(
            _choice("same", "one command line does it on every machine", executor=2),
            _choice("differs", "the commands differ between platforms or versions", tool=2, skill=1, executor=-1),
            _choice("no-command", "no command does it: it needs a library, an API or state", tool=3, executor=-9),
            _choice("nothing-runs", "nothing is run: it is knowledge, a rule or a style", tool=-5, executor=-9),
        ),
    ),
    Question(
        name="frequency",
        words="How often is it needed?",
        choices=(
            _choice("rare", "in few conversations", skill=2, nothing=2, executor=1, tool=-2, project=-2),
            _choice("sometimes", "in some conversations", skill=1, executor=1, project=-1),
            _choice("often", "in most conversations", project=2, tool=1, executor=1, skill=-1, nothing=-2),
        ),
    ),
    Question(
        name="arguments",
        words="What has to be handed over for one use?",
        choices=(
            _choice("none", "nothing", project=1, skill=1, memory=1, nothing=1, tool=-1),
            _choice("text", "a line of text, such as a command line", executor=2),
            _choice(
                "structured",
                "several values with types, bounds or exact bytes",
                tool=3, executor=-1, project=-3, memory=-3, nothing=-2,
            ),
        ),
    ),
    Question(
        name="changes",
        words="How often does it change?",
        choices=(
            _choice("stable", "in months or years", tool=1, project=1, memory=-1),
            _choice("monthly", "in weeks", skill=2, project=1, tool=-1),
            _choice("session", "from one conversation to the next", memory=3, nothing=2, tool=-3, skill=-2, project=-2),
        ),
    ),
    Question(
        name="editor",
        words="Who changes it?",
        choices=(
            _choice("developer", "a developer, with tests and a release", tool=1, executor=1),
            _choice("team", "people of the project, by editing text", skill=2, project=2, tool=-1),
            _choice("model", "the model itself, as it learns", memory=4, skill=-1, project=-2, tool=-4),
            _choice("nobody", "nobody here: it is as it is, or is said once", nothing=2, executor=1, memory=-3),
        ),
    ),
)  # fmt: skip  # one line for each answer is the table

Answers = Mapping[str, str]

WORDS: Mapping[Home, str] = {
    Home.TOOL: "a dedicated tool",
    Home.EXECUTOR: "a command for the executor (run_command), no tool of its own",
    Home.SKILL: "a skill",
    Home.PROJECT: "the project's file or the prompt",
    Home.MEMORY: "memory",
    Home.NOTHING: "not a tool at all: say it in the conversation where it is needed",
}
FAILS: Mapping[Home, str] = {
    Home.TOOL: "its declaration is paid every turn, used or not; tools that are alike are mistaken for each other",
    Home.EXECUTOR: "quoting and platform differences; a rule sees a command line, not what it is for",
    Home.SKILL: "it is not loaded when it should be; a text is followed loosely and cannot refuse",
    Home.PROJECT: "the whole text is paid every turn; it grows, goes stale unseen, and is then ignored",
    Home.MEMORY: "a wrong or old fact comes back as if it were known; nobody reviews what is written there",
    Home.NOTHING: "it is forgotten afterwards and has to be said again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """What one answer did for the winner against the runner-up."""

    question: str
    answer: str
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One answer that would have led elsewhere."""

    question: str
    answer: str
    home: Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The home, every score, which answers decided, and which single other answer would have changed it."""

    home: Home
    runner_up: Home
    scores: Mapping[Home, int]
    decided: tuple[Reason, ...]
    flips: tuple[Flip, ...]


def advise(answers: Answers) -> Advice:
    """The home for a capability of which all six questions are answered."""
    scores = _scores(answers)
    home, runner_up, *_ = _ranked(scores)
    reasons = [_reason(question, answers, home, runner_up) for question in QUESTIONS]
    return Advice(
        home=home,
        runner_up=runner_up,
        scores=scores,
        decided=tuple(sorted((each for each in reasons if each.points > 0), key=lambda each: -each.points)),
        flips=tuple(_flips(answers, home)),
    )


def _scores(answers: Answers) -> Mapping[Home, int]:
    chosen = [question.choice(answers[question.name]) for question in QUESTIONS]
    return {home: sum(each.points[home] for each in chosen) for home in Home}


def _ranked(scores: Mapping[Home, int]) -> Sequence[Home]:
    return sorted(Home, key=lambda home: -scores[home])  # stable: of equal ones the cheaper, which Home has first


def _reason(question: Question, answers: Answers, home: Home, other: Home) -> Reason:
    points = question.choice(answers[question.name]).points
    return Reason(question=question.name, answer=answers[question.name], points=points[home] - points[other])


def _flips(answers: Answers, home: Home) -> list[Flip]:
    return [
        Flip(question=question.name, answer=choice.name, home=other)
        for question in QUESTIONS
        for choice in question.choices
        if (other := _ranked(_scores({**answers, question.name: choice.name}))[0]) is not home
    ]
