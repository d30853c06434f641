"""Runs in the child: code in a namespace, the value of its last expression, and what went wrong in words.

It never raises for what the code does, and puts back what the code changed of the builtins before it looks at that.
"""

import ast
import builtins
import linecache
from collections.abc import Iterator
from types import CodeType, ModuleType, TracebackType

from hilt.workspace.code.limits import LINE_CHARS, MESSAGE_CHARS, MOST_HELD, RESULT_CHARS, TRACE_FIRST, TRACE_LAST

Json = str | int | list["Json"] | dict[str, "Json"]
Told = dict[str, Json]
"""What is told of a run: `result`, `length` of the whole result, `error`."""
_BUILTINS = dict(builtins.__dict__)
_put_back = builtins.__dict__.update
_lines: dict[str, list[str]] = {}
"""The code of each call, by its name, for traces."""


def evaluate(code: str, namespace: ModuleType, number: int) -> Told:
    """Run one call's code; `number` counts the calls that share the namespace, from 1."""
    name = file_name(number)
    _lines[name] = code.split("\n")
    linecache.cache[name] = (len(code), None, [f"{line}\n" for line in _lines[name]], name)  # for `inspect` and others
    try:
        body, last = _compiled(code, name)
    except BaseException as fault:
        return {"error": _unreadable(fault, name)}
    try:
        value = _run(body, last, namespace)
    except BaseException as fault:
        return {"error": described(fault, number)}
    if value is None:
        return {}
    try:
        text = repr(value)
    except BaseException as fault:
        error = described(fault, number)
        return {"error": {**error, "message": f"the value of the last expression has no repr: {error['message']}"}}
    return {"result": text[:RESULT_CHARS], "length": len(text)}


def _run(body: CodeType, last: CodeType | None, namespace: ModuleType) -> object:
    try:
        exec(body, namespace.__dict__)
        return None if last is None else eval(last, namespace.__dict__)
    finally:
        _put_back(_BUILTINS)


def file_name(number: int) -> str:
    """What the code of a call is called in traces."""
    return f"<call {number}>"


def _compiled(code: str, name: str) -> tuple[CodeType, CodeType | None]:
    """The statements, and the last one apart where it is an expression."""
    tree = ast.parse(code, name)
    last: ast.Expression | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        final = tree.body.pop()
        assert isinstance(final, ast.Expr)
        last = ast.Expression(final.value)
    body = compile(tree, name, "exec", dont_inherit=True)
    return body, None if last is None else compile(last, name, "eval", dont_inherit=True)


def _unreadable(fault: BaseException, name: str) -> Told:
    """Code that is no Python, where, and what stands there."""
    error: Told = {"type": _type_name(fault), "message": _message(fault)}
    if isinstance(fault, SyntaxError):
        error["message"] = str(fault.msg)
        if fault.lineno is not None:
            error["line"] = fault.lineno
            error["trace"] = [_line(name, fault.lineno, "<module>", name)]
    return error


def described(fault: BaseException, number: int) -> Told:
    """An exception: its type and message, and the lines of the code's own that led to it."""
    frames = list(_frames(fault.__traceback__))
    error: Told = {"type": _type_name(fault), "message": _message(fault)}
    if frames:
        error["line"] = frames[-1][1]
        error["trace"] = _trace(frames, number)
    if issubclass(type(fault), BaseExceptionGroup):
        held: tuple[BaseException, ...] = getattr(fault, "exceptions", ())
        error["holds"] = [_shortened(f"{_type_name(each)}: {_message(each)}", LINE_CHARS) for each in held[:MOST_HELD]]
    before = fault.__cause__ or (None if fault.__suppress_context__ else fault.__context__)
    if before is not None:
        error["after"] = _shortened(f"{_type_name(before)}: {_message(before)}", LINE_CHARS)
    return error


def _frames(trace: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    """Where each of the code's own frames stood, the innermost last."""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith("<call "):
            yield code.co_filename, trace.tb_lineno, code.co_name
        trace = trace.tb_next


def _trace(frames: list[tuple[str, int, str]], number: int) -> list[Json]:
    """A line for each frame; equal ones in a row once with their number, and of many the first and the last."""
    lines: list[Json] = []
    before, times = None, 0
    for frame in [*frames, None]:
        if frame == before:
            times += 1
            continue
        if times:
            lines.append(f"[the line above {times:,} more times]")
        before, times = frame, 0
        if frame is not None:
            lines.append(_line(*frame, file_name(number)))
    left_out = len(lines) - TRACE_FIRST - TRACE_LAST
    if left_out <= 1:
        return lines
    return [*lines[:TRACE_FIRST], f"[... {left_out:,} lines left out ...]", *lines[-TRACE_LAST:]]


def _line(name: str, line: int, function: str, current: str) -> str:
    call = "" if name == current else f"{name.strip('<>')}, "
    where = "" if function == "<module>" else f", in {function}"
    text = "".join(_lines.get(name, [])[line - 1 : line]).strip()
    return _shortened(f"{call}line {line}{where}: {text}", LINE_CHARS)


def _type_name(fault: BaseException) -> str:
    kind = type(fault)
    module = str(getattr(kind, "__module__", ""))
    return kind.__qualname__ if module in {"builtins", "__main__"} else f"{module}.{kind.__qualname__}"


def _message(fault: BaseException) -> str:
    try:
        return _shortened(str(fault), MESSAGE_CHARS)
    except BaseException as other:  # a message of the code's own making
        return f"(its message cannot be told: {type(other).__name__})"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
