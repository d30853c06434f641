"""Restricts one thread by Landlock and a filter of system calls, so that what it starts is confined and we are not.

The thread is thrown away. The alternatives lost: to restrict between fork and exec gives up the
cheap spawn, and a program that restricts itself and then becomes the command is another start.
"""

import ctypes
import errno
import os
import struct
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _DROP_FROM_BOUND = 38, 22, 24
_FILTER_MODE = 2
_ALL_TCP, _ALL_SCOPES = 0b11, 0b11
_VERSION_OF_NET, _VERSION_OF_SCOPES = 4, 6
MOST_CAPABILITIES = 64

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1, 1 << 1, 1 << 2, 1 << 3
_REMOVE = 1 << 4 | 1 << 5
_MAKE_DEVICES = 1 << 6 | 1 << 11
_MAKE = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12
_MOVE, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_FOLDER
WRITE = READ | WRITE_FILE | TRUNCATE | _REMOVE | _MAKE | _MOVE
DEVICE = READ_FILE | WRITE_FILE | DEVICE_CONTROL
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
_KNOWN_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_KNOWN = (1 << 16) - 1

_C = ctypes.CDLL(None, use_errno=True)
_RULE = struct.Struct("=Qi")
_syscall, _prctl = _C.syscall, _C.prctl  # looked up once, before the forks


def version() -> int:
    """The version of Landlock this kernel has; 0 where it has none or it is turned off."""
    return max(0, _syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION)))


def within(grants: Sequence[Sequence[object]], program: bytes, work: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    """Do the work in a thread that may only what is granted; what it starts may no more, and for ever.

    Raises OSError where the kernel does not restrict it: then nothing was done.
    """
    done: list[tuple[int, int]] = []
    faults: list[BaseException] = []
    ended = allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            _restrict(grants, program)
            done.append(work())
        except BaseException as fault:
            faults.append(fault)
        finally:
            ended.release()

    start_new_thread(run, ())
    with ended:
        pass
    if faults:
        raise faults[0]
    return done[0]


def _restrict(grants: Sequence[Sequence[object]], program: bytes) -> None:
    found = version()
    if not found:
        raise OSError(errno.ENOSYS, "landlock")
    handled = _KNOWN_BY_VERSION.get(found, _KNOWN)
    ruleset = _ruleset(found, handled)
    try:
        for path, rights in grants:
            _grant(ruleset, str(path), int(str(rights)) & handled)
        _check(_prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
        _drop_capabilities()
        _check(_syscall(_RESTRICT_SELF, ruleset, 0), "landlock")
    finally:
        os.close(ruleset)
    _put_on(program)


def _ruleset(found: int, handled: int) -> int:
    fields = [handled]
    if found >= _VERSION_OF_NET:
        fields.append(_ALL_TCP)
    if found >= _VERSION_OF_SCOPES:
        fields.append(_ALL_SCOPES)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    return _check(_syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0), "landlock")


def _grant(ruleset: int, path: str, rights: int) -> None:
    """Grant one path; one that is not there grants nothing, and a file only what there is to a file."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        # To ask first what each is would cost more than the few files that are tried twice.
        if _add_rule(ruleset, _RULE.pack(rights, place)) < 0:
            _check(_add_rule(ruleset, _RULE.pack(rights & OF_FILES, place)), "landlock")
    finally:
        os.close(place)


def _add_rule(ruleset: int, rule: bytes) -> int:
    return _syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)


def _drop_capabilities() -> None:
    """Root's powers are gone with the next program, and no program gives them back."""
    if os.geteuid() == 0:
        with suppress(OSError):
            for number in range(MOST_CAPABILITIES):
                _check(_prctl(_DROP_FROM_BOUND, number, 0, 0, 0), "capabilities")  # fails behind the last there is


def _put_on(program: bytes) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _check(_prctl(_SET_SECCOMP, _FILTER_MODE, pointer, 0, 0), "seccomp")


def _check(returned: int, what: str) -> int:
    if returned < 0:
        raise OSError(ctypes.get_errno(), what)
    return returned
