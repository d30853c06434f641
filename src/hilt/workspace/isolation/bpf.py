"""Programs of the kernel's filter of system calls, put together from decisions on the call and its arguments.

Small and our own: a library would have to be there at run time on every machine, for forty lines.
"""

import struct
from dataclasses import dataclass

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32_BIT = 0x40000000
MOST_INSTRUCTIONS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """A call that fails with an error number.

    Where `argument` names one (from 0), only if the lower half of it has any of `bits`, is one of
    `values`, or is none of `but`. The upper half is not looked at: the kernel takes none of these
    arguments wider.
    """

    call: int
    error: int
    argument: int | None = None
    bits: int = 0
    values: tuple[int, ...] = ()
    but: tuple[int, ...] = ()


def assemble(architecture: int, denied: list[Deny], *, foreign: int, wide: bool) -> bytes:
    """The program for one architecture; calls of another fail with `foreign`.

    `wide` refuses the second set of call numbers that x86-64 has.
    """
    code = [_load(_ARCHITECTURE), _jump(_JUMP_EQUAL, architecture, 1, 0), _end(ERRNO | foreign), _load(_NUMBER)]
    if wide:
        code += [_jump(_JUMP_GREATER_EQUAL, _X32_BIT, 0, 1), _end(ERRNO | foreign)]
    for each in denied:
        block = _block(each)
        code += [_jump(_JUMP_EQUAL, each.call, 0, len(block)), *block]
    code.append(_end(ALLOW))
    if len(code) > MOST_INSTRUCTIONS:
        raise ValueError(f"{len(code)} instructions; the kernel takes {MOST_INSTRUCTIONS}")
    return b"".join(code)


def _block(rule: Deny) -> list[bytes]:
    """What is done for one call; the number is loaded again where the next rule may be about the same call."""
    if rule.argument is None:
        return [_end(ERRNO | rule.error)]
    tail = [_load(_NUMBER)]
    end = _end(ERRNO | rule.error)
    head = [_load(_ARGUMENTS + 8 * rule.argument)]
    if rule.bits:
        return [*head, _jump(_JUMP_ANY_BIT, rule.bits, 0, 1), end, *tail]
    if rule.but:
        count = len(rule.but)
        checks = [_jump(_JUMP_EQUAL, value, count - place, 0) for place, value in enumerate(rule.but)]
        return [*head, *checks, end, *tail]
    count = len(rule.values)
    checks = [_jump(_JUMP_EQUAL, value, count - place, 0) for place, value in enumerate(rule.values)]
    return [*head, *checks, _jump(_JUMP_EQUAL, 0, 1, 1), end, *tail]


def _load(offset: int) -> bytes:
    return struct.pack("=HBBI", _LOAD, 0, 0, offset)


def _jump(kind: int, value: int, then: int, otherwise: int) -> bytes:
    return struct.pack("=HBBI", kind, then, otherwise, value)


def _end(value: int) -> bytes:
    return struct.pack("=HBBI", _RETURN, 0, 0, value)
