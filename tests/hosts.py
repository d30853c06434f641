"""Machines that are not this one: a child process made to be a host with less, which then becomes another program.

python tests/hosts.py HOST PROGRAM ARGUMENTS...
"""

import ctypes
import errno
import os
import platform
import struct
import sys

NOBODY = 65534
HOSTS = ("root", "user", "no-namespaces", "container", "no-landlock")
OLD = "old-kernel"
"""A machine whose kernel, or whose container's filter, has not the call that keeps paths inside."""
_NEW_USER = 0x10000000
_NAMESPACES = 0x7E020080
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
# The numbers of the calls that a container's filter refuses.
_CALLS = {
    "x86_64": {"unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155, "clone": 56},
    "aarch64": {"unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "clone": 220},
}
_CLONE3, _OPENAT2, _LANDLOCK = 435, 437, (444, 445, 446)


def become(host: str) -> None:
    """Make this process, and all it starts, live on such a host."""
    if host == "user":
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    elif host == "no-namespaces":
        _alone_in_a_namespace_that_has_no_more()
    elif host in ("container", "no-landlock"):
        _refuse_namespaces(without_landlock=host == "no-landlock")
    elif host == OLD:
        _filter([(_OPENAT2, errno.ENOSYS)])


def _alone_in_a_namespace_that_has_no_more() -> None:
    who, group = os.getuid(), os.getgid()
    _check(ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER))
    for file, content in (
        ("/proc/self/setgroups", "deny"),
        ("/proc/self/uid_map", f"{who} {who} 1"),
        ("/proc/self/gid_map", f"{group} {group} 1"),
        ("/proc/sys/user/max_user_namespaces", "0"),
    ):
        descriptor = os.open(file, os.O_WRONLY)
        os.write(descriptor, content.encode())
        os.close(descriptor)


def _refuse_namespaces(*, without_landlock: bool) -> None:
    calls = dict(_CALLS[platform.machine()])
    clone = calls.pop("clone")
    refused = [(number, errno.EPERM) for number in calls.values()] + [(_CLONE3, errno.ENOSYS)]
    if without_landlock:
        refused += [(number, errno.ENOSYS) for number in _LANDLOCK]
    asks_for_one = [_step(0x15, 0, 3, clone), _step(0x20, 0, 0, 16), _step(0x45, 0, 1, _NAMESPACES)]
    _filter(refused, [*asks_for_one, _step(0x06, 0, 0, _ERRNO | errno.EPERM)])


def _filter(refused: list[tuple[int, int]], more: list[bytes] | None = None) -> None:
    """Have calls fail with error numbers, for this process and all it starts."""
    code = [_step(0x20, 0, 0, 0)]
    for number, error in refused:
        code += [_step(0x15, 0, 1, number), _step(0x06, 0, 0, _ERRNO | error)]
    code += [*(more or []), _step(0x06, 0, 0, _ALLOW)]
    content = ctypes.create_string_buffer(b"".join(code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(content)))
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.prctl(38, 1, 0, 0, 0))
    _check(libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0))


def _step(kind: int, then: int, otherwise: int, value: int) -> bytes:
    return struct.pack("=HBBI", kind, then, otherwise, value)


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    become(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
