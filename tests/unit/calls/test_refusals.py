"""What cannot work is refused when it is registered, naming the fix."""

import functools
import typing
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import pytest

from hilt import Description, Param, ToolResult, tool
from hilt.declarations.declaration import Awaiting
from hilt.errors import DeclarationError
from tests.kit import WORDS, acting, perceiving


def taking(hint: Any, default: Any = ..., **param: Any) -> Any:
    def take(x: Any) -> Any:
        return "ok"

    def take_default(x: Any = default) -> Any:
        return "ok"

    made = take if default is ... else take_default
    made.__annotations__ = {"x": Annotated[hint, Param("a value", **param)], "return": str}
    return tool(name="take", **perceiving())(made)


USELESS, SILENT = Description(use_for=" ", returns="x"), Description(use_for="x", returns="")
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "bad name": (lambda: tool(name="no spaces", **perceiving())(_plain), "letters, digits, _ and -"),
    "long name": (lambda: tool(name="x" * 65, **perceiving())(_plain), "at most 64"),
    "lambda": (lambda: tool(**perceiving())(lambda: ""), "is no tool name"),
    "args": (lambda: tool(**perceiving())(_args), "*args and **kwargs have no schema"),
    "kwargs": (lambda: tool(**perceiving())(_kwargs), "name each parameter"),
    "positional": (lambda: tool(**perceiving())(_positional), "remove the /"),
    "untyped": (lambda: tool(**perceiving())(_untyped), "annotate it: x: Annotated"),
    "undescribed": (lambda: tool(**perceiving())(_undescribed), "Param('what x holds')"),
    "no return": (lambda: tool(**perceiving())(_no_return), "has no return type"),
    "any return": (lambda: tool(**perceiving())(_returning(Any)), "promises nothing"),
    "any items": (lambda: tool(**perceiving())(_returning(list[Any])), "promises nothing"),
    "bare list": (lambda: tool(**perceiving())(_returning(list)), "name what one item is"),
    "bare result": (lambda: tool(**perceiving())(_returning(ToolResult)), "-> ToolResult[Ticket]"),
    "result of any": (lambda: tool(**perceiving())(_returning(ToolResult[Any])), "promises nothing"),
    "unreadable return": (lambda: tool(**perceiving())(_returning(range)), "use JSON types"),
    "unreadable type": (lambda: taking(range), "use JSON types, dataclasses"),
    "no JSON type": (lambda: taking(type), "use JSON types, dataclasses"),
    "unresolved": (lambda: tool(**perceiving())(_returning("Nowhere")), "import it at the top of the module"),
    "recursive old": (lambda: taking(_Node), "typing_extensions"),
    "generator": (lambda: tool(**perceiving())(_generator), "return a list"),
    "partial": (lambda: tool(name="p", **perceiving())(functools.partial(_plain)), "write a function with def"),
    "no kind": (lambda: tool(description=WORDS)(_plain), "one of perceive, act, collaborate"),  # type: ignore[call-arg]
    "odd kind": (lambda: tool(kind="guess")(_plain), "one of perceive"),  # type: ignore[arg-type]
    "no limit": (lambda: tool(kind="perceive", description=WORDS)(_plain), "must declare limit="),
    "limit 0": (lambda: tool(kind="perceive", limit=0, description=WORDS)(_plain), "at least 1"),
    "no continues": (lambda: tool(**perceiving(limit=2))(_plain), "continues=<the parameter that goes on>"),
    "odd continues": (lambda: tool(**perceiving(limit=2, continues="page"))(_plain), "is no parameter"),
    "bare act": (lambda: tool(kind="act", description=WORDS)(_plain), "effects={...} and idempotent=True or False and"),
    "no terms": (lambda: tool(kind="await", description=WORDS)(_plain), "terms=Awaiting(...)"),
    "other terms": (lambda: tool(kind="communicate", terms=_AWAITING, description=WORDS)(_plain), "Communication(...)"),
    "collaborate": (lambda: tool(kind="collaborate", description=WORDS)(_plain), "terms=Collaboration(...)"),
    "odd option": (lambda: tool(**acting(effect={"does": "write"}))(_plain), "use effects"),
    "stray option": (lambda: tool(**acting(colour="red"))(_plain), "leave it out"),
    "no time": (lambda: tool(**acting(timeout_s=0))(_plain), "None for no limit"),
    "minus repeats": (lambda: tool(**perceiving(repeats=-1))(_plain), "give 0 or more"),
    "repeats": (lambda: tool(**acting(repeats=2))(_plain), "declare idempotent=True"),
    "no description": (lambda: tool(kind="perceive", limit=1)(_plain), "give @tool(description=Description(...))"),
    "no use": (lambda: tool(**perceiving(description=USELESS))(_plain), "what the tool is for"),
    "no returns": (lambda: tool(**perceiving(description=SILENT))(_plain), "what comes back and what does not"),
    "bad reads": (lambda: tool(**acting(effects={"reads": "all"}))(_plain), "one of none, public, private"),
    "bad brings": (lambda: tool(**acting(effects={"brings": "x"}))(_plain), "one of own, third-party"),
    "bad does": (lambda: tool(**acting(effects={"does": ("write", "fly")}))(_plain), "any of credential, destroy"),
    "bad role": (lambda: tool(**acting(effects={"roles": {"x": "path"}}))(_plain), "a parameter of the function"),
    "bad example": (lambda: tool(**perceiving(examples=[{"y": 1}]))(_plain), "correct the example"),
    "example type": (lambda: taking(int, example="one"), "the example 'one' is not of its type"),
    "default type": (lambda: taking(int, "one"), "the default 'one' is not of its type"),
    "infinite default": (lambda: taking(float, float("inf")), "correct the default"),
    "astray bound": (lambda: taking(str, ge=3), "its type has no bound ge"),
    "bad pattern": (lambda: taking(str, pattern="("), "unclosed group"),
}  # fmt: skip
_AWAITING = Awaiting(wakes_with="x", cancel="y", catch_up="skip")


def _plain() -> str:
    return ""


def _args(*args: int) -> str:
    return ""


def _kwargs(**kwargs: int) -> str:
    return ""


def _positional(x: Annotated[int, Param("x")], /) -> str:
    return ""


def _untyped(x) -> str:
    return ""


def _undescribed(x: int) -> str:
    return ""


def _no_return():
    return ""


async def _generator() -> AsyncIterator[str]:
    yield ""


def _returning(hint: Any) -> Callable[[], Any]:
    def give() -> Any:
        return None

    give.__annotations__ = {"return": hint}
    return give


class _Node(typing.TypedDict):
    below: list["_Node"]


@pytest.mark.parametrize("case", REFUSED)
def test_a_declaration_that_cannot_work_is_refused_naming_the_fix(case: str) -> None:
    declare, fix = REFUSED[case]

    with pytest.raises(DeclarationError) as caught:
        declare()

    assert fix in str(caught.value)
    assert caught.value.next_steps
