"""What tests of the core say in short: how a tool is declared, a runtime that allows all, one call and its answer."""

from typing import Any

from hilt import Description, Runtime, Session, ToolCall
from hilt.calls.answer import Answer
from hilt.calls.call import Turn
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.taint_state import Switches

WORDS = Description(use_for="a test", returns="what the test says and nothing else")
EVERYTHING = Policy(rules=(Rule(word="allow"),), switches=Switches(mode="off"))


def perceiving(**options: Any) -> dict[str, Any]:
    """Options of `@tool` for a perceiving tool of one item."""
    return {"kind": "perceive", "limit": 1, "description": WORDS, **options}


def acting(**options: Any) -> dict[str, Any]:
    """Options of `@tool` for an acting tool that writes."""
    return {
        "kind": "act",
        "effects": {"reads": "none", "does": "write"},
        "idempotent": False,
        "undo": "none: a test",
        "description": WORDS,
        **options,
    }


def runtime(*tools: Any, **options: Any) -> Runtime:
    """A runtime in which the host allows everything, whatever was read; faults of tools are not logged."""
    return Runtime(tools, **{"policy": EVERYTHING, "on_defect": lambda _: None, **options})


def turn(*calls: ToolCall | tuple[str, str], id: str = "turn") -> Turn:
    """A turn of these calls; a pair is a name and argument text."""
    return Turn(
        id=id,
        calls=tuple(
            each if isinstance(each, ToolCall) else ToolCall(name=each[0], arguments=each[1], id=f"call_{place}")
            for place, each in enumerate(calls)
        ),
    )


async def answered(of: Runtime, name: str, arguments: str = "{}", session: Session | None = None) -> Answer:
    """One call with argument text as a model writes it."""
    return await of.answer_one(session or Session(), ToolCall(name=name, arguments=arguments))
