"""What a description says: when, when not, what comes back, how fine the input is.

Three to four sentences; a manual belongs in a skill or a document. Text that depends on the
environment is a function of it, evaluated for each session, so that it cannot drift.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from hilt.errors import DeclarationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What a session's declarations may depend on.

    `offered` are the tools a model can call or find; `waiting` those it has to find, by server: neither changes when
    one is found, so that the declarations before it stay what they were.
    """

    offered: Set[str] = frozenset()
    waiting: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    platform: str = ""
    date: str = ""
    isolation: str = "not isolated"
    model_family: str = ""


Text = str | Callable[[Environment], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The parts of a tool's description, each one clause or sentence.

    `use_for` and `returns` are compulsory: what the tool is for, and what comes back *and what
    does not*. `not_for` names the neighbouring case and the tool that owns it; as a mapping
    `{case: owner}`, an owner that is not offered is left out of the text. `inputs` says how fine
    the input should be, `changes` what a parameter alters, `never` what structure cannot prevent,
    `traps` known mistakes, `cost` the time of slow tools and the cheaper alternative. `lines` stand
    below it all, each by itself: what there is to choose from.
    """

    use_for: Text
    returns: Text
    not_for: Text | Mapping[str, str] = ""
    inputs: Text = ""
    changes: Text = ""
    never: Text = ""
    traps: Text = ""
    cost: Text = ""
    lines: tuple[str, ...] = ()
    plain: bool = field(default=False)

    def render(self, environment: Environment, *, compact: bool = False) -> str:
        """The text the model reads; `compact` keeps use, exclusion and return only."""
        if self.plain:
            return _text(self.use_for, environment)
        sentences = [
            _sentence("", _text(self.use_for, environment)),
            _sentence("Not for", self._exclusion(environment)),
            _sentence("Returns", _text(self.returns, environment)),
        ]
        if not compact:
            sentences += [
                _sentence("Input:", _text(self.inputs, environment)),
                _sentence("", _text(self.changes, environment)),
                _sentence("Never", _text(self.never, environment)),
                _sentence("", _text(self.traps, environment)),
                _sentence("", _text(self.cost, environment)),
            ]
        return "\n".join((" ".join(filter(None, sentences)), *self.lines))

    def _exclusion(self, environment: Environment) -> str:
        if isinstance(self.not_for, str) or callable(self.not_for):
            return _text(self.not_for, environment)
        clauses = (
            f"{case} (use {owner})" if owner in environment.offered else case for case, owner in self.not_for.items()
        )
        return "; ".join(clauses)


def plain_description(text: str) -> Description:
    """A description that somebody else wrote whole: a docstring, or an upstream server's text."""
    return Description(use_for=text, returns="", plain=True)


def _text(text: Text, environment: Environment) -> str:
    return " ".join((text if isinstance(text, str) else text(environment)).split())


def _sentence(opening: str, text: str) -> str:
    if not text:
        return ""
    whole = f"{opening} {text}" if opening else text
    return whole[0].upper() + whole[1:] + ("" if whole[-1] in ".!?" else ".")


def checked(description: Description, tool: str) -> Description:
    """The description, or `DeclarationError` naming the compulsory part that is empty."""
    if description.plain:
        return description
    for part in ("use_for", "returns"):
        text = description.use_for if part == "use_for" else description.returns
        if isinstance(text, str) and not text.strip():
            raise DeclarationError(f"{tool}: Description({part}=...) is empty", f"say in one clause {_ASKED[part]}")
    return description


_ASKED = {"use_for": "what the tool is for", "returns": "what comes back and what does not"}
