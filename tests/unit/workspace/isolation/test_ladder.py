"""Which rung is chosen, what is said of it, and what its parts make."""

import errno
import os
import platform
import sys
from pathlib import Path

import pytest

from hilt.errors import ConfigError
from hilt.workspace.commands.isolation_notes import explained_by_isolation
from hilt.workspace.isolation import Bounds, choose
from hilt.workspace.isolation.bpf import MOST_INSTRUCTIONS, Deny, assemble
from hilt.workspace.isolation.bubblewrap import find_bubblewrap
from hilt.workspace.isolation.isolation import Rung
from hilt.workspace.isolation.ladder import ALL, RUNGS, bare, bubblewrap
from hilt.workspace.isolation.seccomp import MACHINES, seccomp_filter
from hilt.workspace.isolation.system import tool_folders
from hilt.workspace.processes import Processes
from tests import isolated
from tests.isolated import behind, ran

FORBIDDEN = {
    "ptrace": {"x86_64": 101, "aarch64": 117},
    "bpf": {"x86_64": 321, "aarch64": 280},
    "keyctl": {"x86_64": 250, "aarch64": 219},
    "io_uring_setup": {"x86_64": 425, "aarch64": 425},
    "userfaultfd": {"x86_64": 323, "aarch64": 282},
    "unshare": {"x86_64": 272, "aarch64": 97},
    "setns": {"x86_64": 308, "aarch64": 268},
    "mount": {"x86_64": 165, "aarch64": 40},
    "open_by_handle_at": {"x86_64": 304, "aarch64": 265},
    "kexec_load": {"x86_64": 246, "aarch64": 104},
    "init_module": {"x86_64": 175, "aarch64": 105},
}
ASK = """
import ctypes, fcntl, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
for number in sys.argv[1:]:
    ctypes.set_errno(0)
    returned = libc.syscall(int(number), 0, 0, 0, 0, 0, 0)
    print(number, returned, ctypes.get_errno())
ctypes.set_errno(0)
print("clone3", libc.syscall(435, 0, 0), ctypes.get_errno())
try:
    fcntl.ioctl(0, 0x5412, b"x")
except OSError as fault:
    print("typing", -1, fault.errno)
for family in (17, 40, 38):  # packets, virtual machines, the kernel's ciphers
    try:
        socket.socket(family, socket.SOCK_RAW)
    except OSError as fault:
        print("socket", family, fault.errno)
"""


@pytest.mark.parametrize("rung", isolated.RUNGS)
async def test_calls_that_reach_other_processes_or_the_kernel_are_refused(rung: Rung, tmp_path: Path) -> None:
    numbers = [str(each[platform.machine()]) for each in FORBIDDEN.values()]
    (tmp_path / "ask.py").write_text(ASK)
    async with behind(rung, tmp_path) as processes:
        _, output = await ran(processes, f"{sys.executable} ask.py {' '.join(numbers)}", tmp_path)
    lines = output.splitlines()
    assert lines[: len(numbers)] == [f"{number} -1 {errno.EPERM}" for number in numbers]
    assert lines[len(numbers)] == f"clone3 -1 {errno.ENOSYS}"
    assert lines[len(numbers) + 1] == f"typing -1 {errno.EPERM}"
    assert lines[len(numbers) + 2 :] == [f"socket {family} {errno.EPERM}" for family in (17, 40, 38)]


async def test_without_namespaces_nothing_is_shared_by_a_key(tmp_path: Path) -> None:
    asked = {"x86_64": (29, 64, 68), "aarch64": (194, 190, 186)}[platform.machine()]  # memory, semaphores, queues
    (tmp_path / "ask.py").write_text(ASK)
    async with behind("landlock", tmp_path) as processes:
        _, output = await ran(processes, f"{sys.executable} ask.py {' '.join(map(str, asked))}", tmp_path)
    assert output.splitlines()[: len(asked)] == [f"{number} -1 {errno.EPERM}" for number in asked]


def test_a_filter_is_there_for_every_machine_we_have_numbers_for_and_no_other() -> None:
    assert {len(seccomp_filter(sockets=some, machine=each) or b"") % 8 for each in MACHINES for some in (True, False)}
    assert all(len(dict(each.numbers)) == len(each.numbers) for each in MACHINES.values())
    assert MACHINES["x86_64"].numbers[0][0] == MACHINES["aarch64"].numbers[0][0]
    assert {name for name, _ in MACHINES["x86_64"].numbers} == {name for name, _ in MACHINES["aarch64"].numbers}
    assert seccomp_filter(sockets=True, machine="a machine of tomorrow") is None
    with pytest.raises(ValueError, match="instructions"):
        assemble(1, [Deny(call=each, error=1) for each in range(MOST_INSTRUCTIONS)], foreign=1, wide=False)


def test_the_first_rung_with_all_that_is_required_is_chosen(tmp_path: Path) -> None:
    isolated.isolation("bubblewrap", Bounds(roots=(str(tmp_path),)))
    chosen = choose(Bounds(roots=(str(tmp_path),)))
    assert (chosen.rung, chosen.properties) == ("bubblewrap", ALL)


def test_where_isolation_is_off_or_cannot_be_had_that_is_said_and_never_done_silently(tmp_path: Path) -> None:
    bounds = Bounds(roots=(str(tmp_path),))
    assert choose(bounds, "off").says == "not isolated: turned off in hilt.toml"
    fallen = choose(bounds, rungs=(no_rung,))
    assert (fallen.rung, fallen.properties) == ("rlimits", frozenset({"kill_complete"}))
    assert fallen.says.startswith("not isolated: this machine cannot (no_rung: ")
    with pytest.raises(ConfigError, match="isolation is required, and this machine cannot give it: no_rung: ") as fault:
        choose(bounds, "require", rungs=(no_rung,))
    assert "install bubblewrap" in fault.value.next_steps
    assert len(RUNGS) == 2


def no_rung(bounds: Bounds) -> None:
    """A rung that this machine lacks."""
    del bounds


def test_hosts_that_may_be_reached_are_named_and_a_few_of_many(tmp_path: Path) -> None:
    hosts = tuple(f"h{each}.example" for each in range(7))
    made = bubblewrap(Bounds(roots=(str(tmp_path),), hosts=hosts), program="/bin/true")
    assert made is not None
    assert "network only to h0.example, h1.example, h2.example, h3.example, h4.example and 2 more" in made.says


def test_bubblewrap_is_the_distributions_own_or_the_first_on_the_path(tmp_path: Path) -> None:
    own = tmp_path / "bwrap"
    own.touch(mode=0o755)
    assert find_bubblewrap(str(tmp_path)) in ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", str(own))


def test_tools_of_a_home_are_shown_and_what_is_the_persons_own_is_not(tmp_path: Path) -> None:
    home, state = tmp_path / "home", tmp_path / "home" / ".local" / "state" / "hilt"
    folders = (
        ".cargo/bin",
        ".rustup",
        ".local/bin",
        ".local/lib",
        ".ssh",
        ".config",
        ".tools/node/bin",
        "bin",
        "venv/bin",
    )
    for each in (*folders, "pythons/3/bin"):
        (home / each).mkdir(parents=True)
    state.mkdir(parents=True)
    (home / ".local" / "bin" / "linked").symlink_to(home / ".tools" / "node" / "bin" / "node")
    (home / "venv" / "pyvenv.cfg").write_text(f"home = {home}/pythons/3/bin\nversion = 3\n")
    path = os.pathsep.join(
        (f"{home}/.cargo/bin", f"{home}/.local/bin", f"{home}/bin", f"{home}/venv/bin", "relative", "/usr/bin")
    )
    shown = {os.path.relpath(each, home) for each in tool_folders(path, home, (str(state),)) if str(home) in each}
    wanted = {".cargo/bin", ".rustup", ".local/bin", ".local/lib", ".tools/node", "bin", "venv", "pythons/3"}
    assert shown == wanted


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("curl: (6) Could not resolve host: x.example", "hosts they may reach"),
        ("connect: Connection refused", "loopback of its own"),
        ("touch: cannot touch '/x': Read-only file system", "writable in hilt.toml"),
        ("error: could not lock config file .git/config: Device or resource busy", "protected names"),
        ("open /etc/x: Permission denied", "readable and writable"),
        ("bwrap: execvp /home/p/tool: No such file or directory", "do not see /home/p/tool"),
        ("cat: /home/p/.npmrc: No such file or directory", "empty home folder"),
    ],
)
def test_a_failure_that_isolation_explains_says_what_the_person_can_change(
    output: str, said: str, tmp_path: Path
) -> None:
    made = bubblewrap(Bounds(roots=(str(tmp_path),)), program="/bin/true")
    notes = explained_by_isolation(Processes(isolation=made), 1, output)
    assert [said in note for note in notes] == [True]
    assert explained_by_isolation(Processes(isolation=made), 0, output) == []
    assert explained_by_isolation(Processes(isolation=bare(Bounds(roots=()), "why")), 1, output) == []
    assert explained_by_isolation(Processes(), 1, output) == []
