"""Which system calls an isolated command may not make, for both walls that need it said."""

import errno
import platform
import socket
from dataclasses import dataclass
from functools import cache

from hilt.workspace.isolation.bpf import Deny, assemble

NEW_NAMESPACES = 0x7E020080
"""Every flag of `clone` that asks for a namespace."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""`TIOCSTI` and `TIOCLINUX`: each types into the terminal it is asked on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    audit: int
    wide: bool
    numbers: tuple[tuple[str, int], ...]


# Those that look into or steer other processes, load code into the kernel, keep keys, mount, or
# make namespaces; and surfaces of the kernel that builds and tests do not need.
_X86_64 = """
ptrace 101 process_vm_readv 310 process_vm_writev 311 process_madvise 440 kcmp 312 pidfd_getfd 438 move_pages 279
bpf 321 userfaultfd 323 perf_event_open 298 open_by_handle_at 304 keyctl 250 add_key 248 request_key 249
io_uring_setup 425 io_uring_enter 426 io_uring_register 427 mount 165 umount2 166 pivot_root 155 fsopen 430
fsconfig 431 fsmount 432 fspick 433 open_tree 428 move_mount 429 mount_setattr 442 open_tree_attr 467 unshare 272
setns 308 kexec_load 246 kexec_file_load 320 init_module 175 finit_module 313 delete_module 176 swapon 167 swapoff 168
reboot 169 acct 163 quotactl 179 quotactl_fd 443 syslog 103 settimeofday 164 clock_settime 227
clone 56 clone3 435 ioctl 16 socket 41
"""
_AARCH64 = """
ptrace 117 process_vm_readv 270 process_vm_writev 271 process_madvise 440 kcmp 272 pidfd_getfd 438 move_pages 239
bpf 280 userfaultfd 282 perf_event_open 241 open_by_handle_at 265 keyctl 219 add_key 217 request_key 218
io_uring_setup 425 io_uring_enter 426 io_uring_register 427 mount 40 umount2 39 pivot_root 41 fsopen 430
fsconfig 431 fsmount 432 fspick 433 open_tree 428 move_mount 429 mount_setattr 442 open_tree_attr 467 unshare 97
setns 268 kexec_load 104 kexec_file_load 294 init_module 105 finit_module 273 delete_module 106 swapon 224 swapoff 225
reboot 142 acct 89 quotactl 60 quotactl_fd 443 syslog 116 settimeofday 170 clock_settime 112
clone 220 clone3 435 ioctl 29 socket 198
"""
_SHARED_BY_ALL = {
    "x86_64": (29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240, 241, 242, 243),
    "aarch64": (194, 195, 196, 190, 191, 192, 193, 186, 187, 188, 189, 180, 181, 182, 183),
}
"""Shared memory, semaphores and queues by key or name, which without namespaces are everybody's."""
_BY_ARGUMENT = ("clone", "clone3", "ioctl", "socket")


def _machine(audit: int, table: str, *, wide: bool) -> _Machine:
    words = table.split()
    numbers = tuple(zip(words[::2], map(int, words[1::2]), strict=True))
    return _Machine(audit=audit, wide=wide, numbers=numbers)


MACHINES = {
    "x86_64": _machine(0xC000003E, _X86_64, wide=True),
    "aarch64": _machine(0xC00000B7, _AARCH64, wide=False),
}


@cache
def seccomp_filter(*, sockets: bool, machine: str = "") -> bytes | None:
    """The filter for this machine, or the named one; None for one we have no numbers for.

    With `sockets` a command may make those of the internet and of files, which its namespaces
    keep to itself; without, none but pairs that nothing else can join, and nothing that processes share by a key.
    """
    name_of_machine = machine or platform.machine()
    known = MACHINES.get(name_of_machine)
    if known is None:
        return None
    number = dict(known.numbers)
    plain = [Deny(call=at, error=errno.EPERM) for name, at in known.numbers if name not in _BY_ARGUMENT]
    denied = [
        *plain,
        Deny(call=number["clone"], error=errno.EPERM, argument=0, bits=NEW_NAMESPACES),
        Deny(call=number["clone3"], error=errno.ENOSYS),  # its flags are in memory; libraries fall back to clone
        Deny(call=number["ioctl"], error=errno.EPERM, argument=1, values=_TERMINAL_INPUT),
        *_sockets(number["socket"], some=sockets),
        *([] if sockets else [Deny(call=each, error=errno.EPERM) for each in _SHARED_BY_ALL[name_of_machine]]),
    ]
    return assemble(known.audit, denied, foreign=errno.ENOSYS, wide=known.wide)


def _sockets(call: int, *, some: bool) -> list[Deny]:
    if not some:
        return [Deny(call=call, error=errno.EPERM)]
    netlink = int(getattr(socket, "AF_NETLINK", 16))
    families = (int(socket.AF_UNIX), int(socket.AF_INET), int(socket.AF_INET6), netlink)
    return [Deny(call=call, error=errno.EPERM, argument=0, but=families)]
