"""What runs in the launcher's children, driven here: the kept output, what is found and ended of a tree, messages."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import fail_after

from hilt.workspace.processes import tree
from hilt.workspace.processes.drain import Drain
from hilt.workspace.processes.messages import PACKET_BYTES, receive, send, write_json
from tests.commands import none_left, until_running

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")
WAIT_S = 30


def piped(log: Path) -> tuple[Drain, int, int]:
    """A drain into `log`, the end to write to it, and the log's descriptor."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    kept = os.open(log, os.O_RDWR | os.O_CREAT)
    return Drain(reading, kept, plain=True), writing, kept


def test_what_is_written_is_moved_to_the_log_until_its_end(tmp_path: Path) -> None:
    draining, writing, kept = piped(tmp_path / "log")
    assert not draining.some()
    os.write(writing, b"one")
    assert draining.some()
    os.write(writing, b" two")
    os.close(writing)
    draining.rest()
    assert (draining.open, draining.total, draining.gap()) == (False, 7, None)
    assert os.pread(kept, 99, 0) == b"one two"
    os.close(kept)


@pytest.mark.parametrize("plain", [True, False])
def test_output_that_cannot_be_kept_is_counted_and_ends_nothing(*, plain: bool) -> None:
    full = os.open("/dev/full", os.O_WRONLY)  # a file into which the kernel moves no pages, and which has no room
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    draining = Drain(reading, full, plain=plain)
    for _ in range(3):
        os.write(writing, b"0123456789")
        draining.some()
    os.close(writing)
    draining.rest()
    assert not draining.open
    assert draining.total == 20  # what the failed write had taken out of the pipe is gone
    os.close(full)


def test_a_terminal_that_is_closed_is_the_end_and_typing_to_it_is_no_fault(tmp_path: Path) -> None:
    reading, writing = os.openpty()
    os.set_blocking(reading, False)
    kept = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT)
    draining = Drain(reading, kept, plain=False)
    source, typed = os.pipe()
    os.write(typed, b"x\n")
    draining.type(source)
    assert os.read(writing, 9) == b"x\n"
    os.write(writing, b"said")
    while b"said" not in os.pread(kept, 99, 0):
        draining.some()
    os.write(typed, b"y\n")
    os.close(writing)
    draining.rest()
    assert not draining.open
    for each in (source, typed, kept):
        os.close(each)


async def test_what_is_below_a_process_is_found_named_and_ended() -> None:
    inner = "import subprocess, time; subprocess.Popen(['sleep', '66.25']); time.sleep(66.25)"
    outer = f"import subprocess; subprocess.run([{sys.executable!r}, '-c', {inner!r}])"
    with subprocess.Popen([sys.executable, "-c", outer]) as top:  # noqa: ASYNC220  # it is waited for bounded
        with fail_after(WAIT_S):
            await until_running("66.25", 3)
            below = tree.descendants(top.pid)
            assert len(below) == 2
            assert tree.children(top.pid) == below[:1]
            while tree.command_line(below[1], 99) != "sleep 66.25":  # noqa: ASYNC110  # it is its parent's until its exec
                await anyio.sleep(0.01)
            assert tree.command_line(below[0], 20).endswith("...")
            os.kill(below[1], signal.SIGSTOP)
            tree.ask_to_end(top.pid)
            while tree.descendants(top.pid):  # noqa: ASYNC110  # nobody sets an event when a process ends
                await anyio.sleep(0.01)
            while tree.command_line(below[1], 99):  # noqa: ASYNC110  # as above
                await anyio.sleep(0.01)
        top.wait(WAIT_S)
    assert tree.children(top.pid) == []


ENDING = """
import os, subprocess, time
from hilt.workspace.processes.tree import command_line, end_children, reap
assert reap() == (False, [])
one = subprocess.Popen(["/bin/bash", "-c", "trap '' TERM; sleep 68.25 & echo; wait"], stdout=subprocess.PIPE)
two = subprocess.Popen(["sleep", "68.25"])
one.stdout.readline()
assert reap() == (True, [])
ended = dict(end_children(20))
print(ended == {one.pid: 9, two.pid: 9}, reap(), end_children(1))
"""


async def test_children_that_ignore_being_asked_are_killed_and_reaped_with_what_they_started() -> None:
    with fail_after(WAIT_S):
        done = await anyio.run_process([sys.executable, "-c", ENDING])
        await none_left("68.25")
    assert done.stdout == b"True (False, []) []\n"


async def test_more_processes_than_are_asked_one_by_one_are_found_in_one_pass() -> None:
    many = tree.MANY + 20
    script = f"for i in $(seq {many}); do sleep 67.25 & done; wait"
    with subprocess.Popen(["/bin/bash", "-c", script], start_new_session=True) as top:  # noqa: ASYNC220  # as above
        with fail_after(WAIT_S):
            await until_running("67.25", many)
            assert len(tree.descendants(top.pid)) == many
            tree.kill_below(top.pid)
        top.wait(WAIT_S)


async def test_a_message_of_any_length_arrives_whole_with_its_descriptors(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, (tmp_path / "file").open("w") as file:
        theirs.settimeout(0)
        for length in (10, PACKET_BYTES * 3):
            send(ours, {"text": "\u00e9" * length}, [file.fileno()])
            message, (descriptor,) = receive(theirs)
            assert message == {"text": "\u00e9" * length}
            assert os.path.samestat(os.fstat(descriptor), os.fstat(file.fileno()))
            assert not os.get_inheritable(descriptor)
            os.close(descriptor)
        with pytest.raises(BlockingIOError):
            receive(theirs)
        send(theirs, {"never": "read"})
        ours.close()
        assert receive(theirs) == (None, [])
        with pytest.raises(BrokenPipeError):
            send(theirs, {"late": 1})


def test_a_file_that_has_no_folder_any_more_is_not_written_and_no_fault(tmp_path: Path) -> None:
    write_json(str(tmp_path / "gone" / "exit.json"), {"a": 1})
    write_json(str(tmp_path / "exit.json"), {"a": 1})
    assert [each.name for each in tmp_path.iterdir()] == ["exit.json"]
