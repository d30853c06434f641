from types import ModuleType
from typing import Any

import pytest

from hilt.workspace.code.evaluate import evaluate
from hilt.workspace.code.limits import (
    LINE_CHARS,
    MESSAGE_CHARS,
    MOST_HELD,
    RESULT_CHARS,
    TRACE_FIRST,
    TRACE_LAST,
)


def run(code: str, number: int = 1, namespace: ModuleType | None = None) -> dict[str, Any]:
    return evaluate(code, namespace or ModuleType("__main__"), number)


def test_only_a_last_expression_has_a_value() -> None:
    assert run("1\n2") == {"result": "2", "length": 1}
    assert run("x = 2") == {}
    assert run("None") == {}
    assert run("") == {}
    assert run("# nothing") == {}


def test_statements_before_the_last_expression_run_first_and_once() -> None:
    assert run("seen = []\nseen.append(1)\nseen.append(2) or seen")["result"] == "[1, 2]"


def test_a_result_is_cut_where_the_bound_is_and_its_length_told() -> None:
    told = run(f"'x' * {RESULT_CHARS}")
    assert len(told["result"]) == RESULT_CHARS
    assert told["length"] == RESULT_CHARS + 2


def test_a_trace_holds_the_codes_own_lines_and_folds_and_cuts_them() -> None:
    deep = "\n".join(f"def f{n}(): f{n - 1}()" for n in range(1, 40))
    error = run(f"def f0(): 1 / 0\n{deep}\nf39()")["error"]
    assert len(error["trace"]) == TRACE_FIRST + 1 + TRACE_LAST
    assert error["trace"][TRACE_FIRST] == f"[... {41 - TRACE_FIRST - TRACE_LAST} lines left out ...]"
    assert error["trace"][-1] == "line 1, in f0: def f0(): 1 / 0"
    assert error["line"] == 1


def test_equal_lines_of_a_trace_stand_once_with_their_number() -> None:
    trace = run("def f(n):\n    return f(n - 1) if n else 1 / n\nf(3)")["error"]["trace"]
    assert trace[1:] == ["line 2, in f: return f(n - 1) if n else 1 / n", "[the line above 3 more times]"]


def test_a_long_line_and_a_long_message_are_shortened() -> None:
    error = run(f"raise ValueError('{'m' * 3_000}')")["error"]
    assert len(error["message"]) == MESSAGE_CHARS
    assert len(error["trace"][0]) == LINE_CHARS


def test_functions_of_an_earlier_call_are_named_with_it() -> None:
    namespace = ModuleType("__main__")
    run("def f():\n    raise KeyError('k')", 1, namespace)
    assert run("\nf()", 2, namespace)["error"]["trace"] == ["line 2: f()", "call 1, line 2, in f: raise KeyError('k')"]


@pytest.mark.parametrize(
    ("code", "before"),
    [
        pytest.param(
            "try: 1 / 0\nexcept Exception as e: raise OSError from e", "ZeroDivisionError: division by zero", id="from"
        ),
        pytest.param("try: 1 / 0\nexcept Exception: raise OSError", "ZeroDivisionError: division by zero", id="during"),
        pytest.param("try: 1 / 0\nexcept Exception: raise OSError from None", None, id="none"),
    ],
)
def test_the_exception_before_is_told_unless_it_was_put_away(code: str, before: str | None) -> None:
    assert run(code)["error"].get("after") == before


def test_a_group_tells_the_first_of_what_it_holds() -> None:
    error = run("raise ExceptionGroup('g', [ValueError(n) for n in range(20)])")["error"]
    assert error["holds"] == [f"ValueError: {n}" for n in range(MOST_HELD)]


def test_names_of_exceptions_say_their_module_unless_it_is_the_codes() -> None:
    assert run("import zlib\nzlib.decompress(b'x')")["error"]["type"] == "zlib.error"
    assert run("class Mine(Exception): pass\nMine.__module__ = '__main__'\nraise Mine")["error"]["type"] == "Mine"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        pytest.param("x = (\n", "SyntaxError", id="open"),
        pytest.param("if True:\nx", "IndentationError", id="indent"),
        pytest.param("'\0'", "SyntaxError", id="nul"),
        pytest.param("'\ud800'", "UnicodeEncodeError", id="surrogate"),
        pytest.param("return 5", "SyntaxError", id="return"),
        pytest.param("(" * 5_000 + ")" * 5_000, "MemoryError", id="nested"),
    ],
)
def test_what_is_no_python_is_told_as_that(code: str, kind: str) -> None:
    error = run(code)["error"]
    assert error["type"] in {kind, "SyntaxError", "ValueError"}
    assert error["message"] or error["type"] == "MemoryError"


def test_a_line_that_is_no_python_is_shown_whoever_found_the_fault() -> None:
    assert run("x = 1\n  y = 2")["error"]["trace"] == ["line 2: y = 2"]
    assert run("async def f(): pass\n\nawait f()")["error"]["trace"] == ["line 3: await f()"]


def test_builtins_are_put_back_behind_the_code() -> None:
    told = run("import builtins\nbuiltins.len = builtins.isinstance = None\nlen or 'taken'")
    assert told["result"] == "'taken'"
    assert len([1]) == 1
