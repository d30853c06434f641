import gc
import json
import os
import resource
import signal
import struct
import zlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import fail_after

from hilt import Session
from hilt.calls.answer import Answer
from hilt.documents.images import SHOWN_BYTES
from hilt.results.parts import Image
from hilt.runtime.runtime import Runtime
from hilt.tools.artifact_read import artifact_read
from hilt.tools.read_file import read_file
from hilt.tools.run_code import DEFAULT_TIMEOUT_S, MOST_PICTURES, MOST_TIMEOUT_S, run_code
from hilt.workspace import Workspace
from hilt.workspace.code import Interpreters
from hilt.workspace.code.interpreters import MOST_KEPT
from hilt.workspace.code.limits import FILE_MIB, MEMORY_GIB, RESULT_CHARS
from hilt.workspace.code.wording import HEAD_CHARS, RESULT_SHOWN
from hilt.workspace.code.written import MOST_FILES
from hilt.workspace.processes import Processes
from tests import kit
from tests.commands import item, none_left, running

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")]
WAIT_S = 30


@dataclass(frozen=True, slots=True)
class Python:
    """Sessions that run code. `interpreters` is the part that does."""

    runtime: Runtime
    interpreters: Interpreters
    session: Session

    async def run(self, code: str, session: Session | None = None, **arguments: Any) -> Answer:
        with fail_after(WAIT_S):
            return await kit.answered(
                self.runtime, "run_code", json.dumps({"code": code, **arguments}), session or self.session
            )

    async def artifact(self, artifact: str, **arguments: Any) -> Answer:
        given = json.dumps({"artifact": artifact, **arguments})
        return await kit.answered(self.runtime, "artifact_read", given, self.session)


@asynccontextmanager
async def python(root: Path) -> AsyncGenerator[Python]:
    workspace, processes = Workspace([root]), Processes()
    interpreters = Interpreters(processes)
    parts = {Workspace: workspace, Processes: processes, Interpreters: interpreters}
    runtime = kit.runtime(run_code, artifact_read, read_file, parts=parts, resolver=workspace)
    session = Session()
    try:
        yield Python(runtime=runtime, interpreters=interpreters, session=session)
    finally:
        await processes.close()
        await runtime.close()


def text(answer: Answer) -> str:
    """All that the model reads."""
    return answer.text


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\x7f"))
    + chunk(b"IEND", b"")
)


async def test_the_value_of_the_last_expression_comes_back_exact(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("x = 2 ** 4000\nx % 10**9 + 1")
        assert item(answer) == {"output": "", "result": str(2**4000 % 10**9 + 1)}
        assert answer.result.status == "success"


async def test_both_outputs_keep_their_order_also_with_those_of_programs(tmp_path: Path) -> None:
    code = (
        "import sys, os\nprint('one', end=' ')\nprint('two', file=sys.stderr)\nos.system('echo three')\n"
        "os.write(2, b'four\\n')\nprint('five')"
    )
    async with python(tmp_path) as py:
        assert item(await py.run(code))["output"] == "one two\nthree\nfour\nfive"


async def test_numbers_of_any_length_are_printed_and_a_long_value_is_put_aside_whole(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("print(len(str(7 ** 30_000)))\n7 ** 3_000")
        assert item(answer)["output"] == "25353"
        whole = str(7**3_000)
        assert len(whole) > RESULT_SHOWN
        shown = item(answer)["result"]
        assert whole.startswith(shown.partition(" [")[0])
        assert whole.endswith(shown.rpartition("] ")[2])
        cut, artifact = answer.result.truncation, answer.result.artifact
        assert cut is not None
        assert artifact is not None
        assert (cut.total, cut.limit.value) == (len(whole), RESULT_SHOWN)
        assert cut.otherwise is not None
        assert cut.otherwise.arguments["artifact"] == artifact.id
        read = await py.artifact(artifact.id, offset=cut.otherwise.arguments["offset"])
        assert whole[HEAD_CHARS:] in text(read)


async def test_a_value_too_long_to_keep_says_how_long_it_was(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run(f"'é' * {RESULT_CHARS}")
        assert answer.result.truncation is not None
        assert answer.result.truncation.total_is == "at_least"
        assert f"{RESULT_CHARS + 2:,} characters" in text(answer)


async def test_an_exception_is_a_success_of_the_tool_told_by_the_codes_own_lines(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("import json\n\ndef f(t):\n    return json.loads(t)\n\nprint('before')\nf('{')")
        assert answer.result.status == "success"
        assert answer.result.summary.startswith("json.decoder.JSONDecodeError in line 4: ")
        assert item(answer)["output"] == "before"
        assert item(answer)["error"]["trace"] == ["line 7: f('{')", "line 4, in f: return json.loads(t)"]


@pytest.mark.parametrize(
    ("code", "summary", "hint"),
    [
        pytest.param("1 +", "SyntaxError in line 1: invalid syntax", "line 1: 1 +", id="syntax"),
        pytest.param("input()", "EOFError in line 1", "nobody to type", id="input"),
        pytest.param("def f(n): f(n + 1)\nf(0)", "RecursionError in line 1", "more times]", id="recursion"),
        pytest.param("bytearray(3 << 30)", "MemoryError in line 1", f"{MEMORY_GIB} GiB", id="memory"),
        pytest.param("open('f', 'wb').truncate(1 << 30)", "OSError in line 1", f"{FILE_MIB} MiB", id="file-size"),
        pytest.param("import sys; sys.exit(3)", "ended by sys.exit(3) in line 1", "", id="exit"),
        pytest.param(
            "try:\n    {}['k']\nexcept KeyError:\n    raise ValueError('a\\nb')",
            "ValueError in line 4: a",
            "after KeyError: 'k'",
            id="cause",
        ),
        pytest.param("raise ExceptionGroup('g', [OSError('inner')])", "ExceptionGroup in line 1", "inner", id="group"),
        pytest.param(
            "class R:\n    def __repr__(self): raise OSError('no')\nR()",
            "OSError in line 2",
            "has no repr: no",
            id="repr",
        ),
        pytest.param(
            "class E(Exception):\n    def __str__(self): raise OSError\nraise E",
            "E in line 3",
            "cannot be told",
            id="str",
        ),
        pytest.param("open('data.csv')", "FileNotFoundError in line 1", "give absolute paths", id="relative"),
        pytest.param("import no_such_module", "ModuleNotFoundError", "the Python that Hilt", id="module"),
        pytest.param("x = 'a\0b'", "SyntaxError", "null bytes", id="nul"),
    ],
)
async def test_what_went_wrong_is_explained(tmp_path: Path, code: str, summary: str, hint: str) -> None:
    async with python(tmp_path) as py:
        answer = await py.run(code)
    assert answer.result.status == "success"
    assert answer.result.summary.startswith(summary)
    assert "error" in item(answer)
    assert hint in text(answer)


async def test_a_module_of_the_extra_that_is_missing_is_named_with_it(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("import sys\nsys.modules.clear(); sys.path.clear()\nimport mpmath")
    assert "hilt[compute]" in text(answer)


async def test_an_exit_without_a_fault_is_none(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("print('done')\nraise SystemExit(0)")
    assert item(answer) == {"output": "done"}
    assert answer.result.summary == "ended by sys.exit(0) in line 2"


@pytest.mark.parametrize(
    ("code", "exit_code", "summary"),
    [
        pytest.param("import os\nprint('so far')\nos._exit(5)", 5, "exit code 5", id="exit"),
        pytest.param("import ctypes\nprint('so far')\nctypes.string_at(0)", 139, "SIGSEGV", id="segv"),
        pytest.param("import os\nprint('so far')\nos.kill(os.getpid(), 9)", 137, "SIGKILL", id="kill"),
        pytest.param("import os\nprint('so far')\nos.kill(os.getpid(), 40)", 168, "signal 40", id="unnamed"),
        pytest.param("import os\nprint('so far')\nos.closerange(3, 3000)", 70, "broken the way", id="closed"),
    ],
)
async def test_code_that_ends_its_process_is_told_how(tmp_path: Path, code: str, exit_code: int, summary: str) -> None:
    async with python(tmp_path) as py:
        answer = await py.run(code)
    assert item(answer) == {"output": "so far", "exit_code": exit_code}
    assert summary in answer.result.summary
    assert answer.result.status == "success"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "import os\nfor fd in range(3, 400):\n    try: os.write(fd, b'{}')\n    except OSError: pass",
            id="descriptors",
        ),
        pytest.param(
            "import os, socket, stat\nfor fd in range(3, 400):\n    try: odd = stat.S_ISSOCK(os.fstat(fd).st_mode)\n"
            "    except OSError: continue\n    if odd:\n        s = socket.socket(fileno=fd); s.send(b''); s.detach()",
            id="empty-packets",
        ),
        pytest.param("import sys, os\nsys.stdout = None; sys.stderr.close(); os.close(1); os.close(2)", id="streams"),
        pytest.param("import builtins\nbuiltins.len = builtins.repr = builtins.BaseException = None", id="builtins"),
        pytest.param("import json, sys\njson.dumps = json.JSONEncoder.encode = None; sys.modules.clear()", id="json"),
        pytest.param("import sys\nsys.setrecursionlimit(60); sys.settrace(lambda *_: None)", id="interpreter"),
        pytest.param("import os\nos.fork()", id="fork"),
        pytest.param(
            "import resource as r\nr.setrlimit(r.RLIMIT_NOFILE, (9, r.getrlimit(r.RLIMIT_NOFILE)[1]))",
            id="no-more-files",
        ),
        pytest.param("import signal\nfor n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)", id="signals"),
        pytest.param("print('\\x00{}\\n' * 3); __import__('os').write(1, b'\\xff\\xfe')", id="bytes"),
    ],
)
async def test_the_answer_arrives_whatever_the_code_does_around_it(tmp_path: Path, code: str) -> None:
    async with python(tmp_path) as py:
        for keep in (False, True, True):
            answer = await py.run(f"{code}\n'the ' + 'value'", keep=keep)
            assert item(answer)["result"] == "'the value'"
            assert "error" not in item(answer)


async def test_past_its_time_code_is_killed_with_all_it_started(tmp_path: Path) -> None:
    code = (
        "import signal, subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('before')\n"
        "subprocess.Popen(['setsid', 'sleep', '63.25'])\nwhile True: pass"
    )
    async with python(tmp_path) as py:
        answer = await py.run(code, timeout_s=0.7)
        assert not running("63.25")
    failure = answer.result.failure
    assert failure is not None
    assert (failure.kind, failure.outcome) == ("aborted", "unknown")
    assert item(answer) == {"output": "before"}
    assert str(MOST_TIMEOUT_S) in text(answer)


async def test_what_code_leaves_running_ends_with_its_call_and_is_named(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("import subprocess\np = subprocess.Popen(['setsid', 'sleep', '64.25'])\n'value'")
        assert not running("64.25")
    assert item(answer)["result"] == "'value'"
    assert "sleep 64.25" in text(answer)


async def test_threads_are_waited_for_and_killed_past_the_time(tmp_path: Path) -> None:
    code = (
        "import threading, time\ndef work():\n    time.sleep({})\n    print('worked')\n"
        "threading.Thread(target=work).start()"
    )
    async with python(tmp_path) as py:
        assert item(await py.run(code.format(0.1)))["output"] == "worked"
        late = await py.run(f"{code.format(65)}\n6 * 7", timeout_s=1)
    assert item(late) == {"output": "", "result": "42"}
    assert late.result.status == "success"
    assert "ran on past timeout_s" in text(late)


async def test_a_cancelled_call_leaves_nothing_running(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        with anyio.move_on_after(1):
            await py.run("import subprocess\nsubprocess.run(['sleep', '66.25'])", keep=True)
        with fail_after(WAIT_S):
            await none_left("66.25")
        again = await py.run("1", keep=True)
    assert "variables and files are gone" in text(again)


async def test_written_files_come_out_as_artifacts_and_pictures_are_seen(tmp_path: Path) -> None:
    code = (
        f"png = {PNG!r}\nimport os\nos.mkdir('plots')\nopen('plots/a.png', 'wb').write(png)\n"
        "table = open('table.csv', 'w')\n_ = table.write('a,b\\n1,2\\n')"
    )
    async with python(tmp_path) as py:
        answer = await py.run(code)
        picture, table = item(answer)["files"]
        assert (picture["name"], picture["media_type"], picture["bytes"]) == ("plots/a.png", "image/png", len(PNG))
        assert (table["name"], table["bytes"]) == ("table.csv", 8)
        assert answer.result.parts == (Image(content=PNG, media_type="image/png"),)
        assert "a,b\n1,2" in text(await py.artifact(table["artifact"]))
    assert os.listdir(tmp_path) == []  # noqa: PTH208  # a list says what is there


async def test_more_files_or_pictures_than_are_handed_out_are_counted(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run(f"for n in range({MOST_FILES + 3}):\n    _ = open(f'{{n:02}}.png', 'wb').write({PNG!r})")
    assert len(item(answer)["files"]) == MOST_FILES
    assert len(answer.result.parts) == MOST_PICTURES
    assert f"3 more files are not handed out, the most is {MOST_FILES}" in text(answer)
    assert f"{MOST_PICTURES} of {MOST_FILES} pictures are shown" in text(answer)


async def test_links_and_pipes_are_named_and_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret")
    secret.chmod(0o644)
    code = (
        f"import os\nos.symlink({str(secret)!r}, 'link')\nos.mkfifo('pipe')\nos.link({str(secret)!r}, 'hard')\n"
        f"os.symlink({str(tmp_path)!r}, 'folder')"
    )
    async with python(tmp_path) as py:
        answer = await py.run(code)
    assert [each["name"] for each in item(answer)["files"]] == ["hard"]
    assert "no plain files: folder, link, pipe" in text(answer)
    assert secret.stat().st_mode & 0o777 == 0o644


async def test_a_replaced_folder_hands_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("private")
    async with python(tmp_path) as py:
        answer = await py.run(f"import os\nhere = os.getcwd()\nos.rmdir(here)\nos.symlink({str(tmp_path)!r}, here)")
        gone = await py.run("import os, shutil\nshutil.rmtree(os.path.dirname(os.getcwd()))\nprint('x' * 20_000)")
    assert "files" not in item(answer)
    assert "removed or replaced" in text(answer)
    assert gone.result.artifact is not None
    assert gone.result.artifact.bytes == 20_001
    assert (tmp_path / "private.txt").exists()


async def test_variables_stay_on_request_and_only_for_their_session(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        await py.run("def f(n):\n    return 10 // n\nx = 41", keep=True)
        assert item(await py.run("x += 1\nx", keep=True))["result"] == "42"
        assert item(await py.run("x"))["error"]["type"] == "NameError"
        other = Session()
        assert item(await py.run("x", session=other, keep=True))["error"]["type"] == "NameError"
        old = item(await py.run("\n\nf(0)", keep=True))["error"]
    assert old["trace"] == ["line 3: f(0)", "call 1, line 2, in f: return 10 // n"]


async def test_a_kept_process_hands_each_state_of_a_file_out_once(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        first = item(await py.run("log = open('log.txt', 'w')\n_ = log.write('one')", keep=True))["files"][0]
        assert "files" not in item(await py.run("1", keep=True))
        second = item(await py.run("_ = log.write(', two')", keep=True))["files"][0]
        assert (first["bytes"], second["bytes"]) == (3, 8)
        assert "one, two" not in text(await py.artifact(first["artifact"]))


async def test_output_from_between_two_calls_is_told(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        await py.run(
            "import os, threading, time\ndef late():\n    while not os.path.exists('go'): time.sleep(0.01)\n"
            "    print('late')\nthreading.Thread(target=late, daemon=True).start()",
            keep=True,
        )
        async with py.interpreters.take(py.session, keep=True) as own:
            (own.files / "go").touch()
            with fail_after(WAIT_S):
                while own.job.written < len("late\n"):  # noqa: ASYNC110  # only the log tells
                    await anyio.sleep(0.01)
        answer = await py.run("print('mine')", keep=True)
    assert item(answer)["output"] == "late\nmine"
    assert "the first 5 bytes of output came" in text(answer)


async def test_a_kept_process_that_ends_is_told_at_once_or_with_the_next_call(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        first = await py.run("import os\nos.getpid()", keep=True)
        ended = await py.run("os._exit(1)", keep=True)
        assert "its variables and files" in text(ended)
        pid = int(item(await py.run("import os\nos.getpid()", keep=True))["result"])
        assert pid != int(item(first)["result"])
        os.kill(pid, 9)
        with fail_after(WAIT_S):
            while alive(pid):  # noqa: ASYNC110  # nobody sets an event when a process ends
                await anyio.sleep(0.02)
        new = await py.run("os", keep=True)
    assert item(new)["error"]["type"] == "NameError"
    assert "variables and files are gone" in text(new)


async def test_used_up_memory_can_be_given_back_in_a_kept_process(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        full = await py.run("held = []\nwhile True: held.append(bytearray(50_000_000))", keep=True)
        assert item(full)["error"]["type"] == "MemoryError"
        assert item(await py.run("count = len(held)\nheld.clear()\ncount > 9", keep=True))["result"] == "True"
        assert item(await py.run("len(bytearray(500_000_000))", keep=True))["result"] == "500000000"


async def test_a_second_call_on_a_kept_process_at_work_is_to_be_tried_again(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        await py.run("1", keep=True)
        answers: list[Answer] = []

        async def one(code: str) -> None:
            answers.append(await py.run(code, keep=True))

        async with anyio.create_task_group() as group:
            group.start_soon(one, "import time; time.sleep(0.5); 'first'")
            group.start_soon(one, "'second'")
    busy, done = sorted(answers, key=lambda each: each.result.failure is None)
    assert busy.result.failure is not None
    assert busy.result.failure.kind == "retryable"
    assert done.result.failure is None


async def test_of_too_many_kept_processes_the_one_unused_for_longest_makes_room(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        sessions = [Session() for _ in range(MOST_KEPT + 1)]
        for session in sessions:
            await py.run("mine = 1", session=session, keep=True)
        last = await py.run("mine", session=sessions[-1], keep=True)
        first = await py.run("mine", session=sessions[0], keep=True)
    assert item(last)["result"] == "1"
    assert item(first)["error"]["type"] == "NameError"
    assert "variables and files are gone" in text(first)


async def test_a_flood_of_output_is_shown_in_part_and_kept_whole(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        for keep in (False, True):
            answer = await py.run("for n in range(100_000): print(n)\n'x' * 5_000", keep=keep)
            assert answer.result.truncation is not None
            assert answer.result.truncation.total == 100_000
            assert item(answer)["output"].endswith("99999")
            assert answer.result.artifact is not None
            assert answer.result.artifact.bytes == sum(len(str(n)) + 1 for n in range(100_000))
            assert "the whole result is in artifact_" in text(answer)


async def test_exact_and_symbolic_maths_work_where_the_extra_is_installed(tmp_path: Path) -> None:
    pytest.importorskip("sympy")
    async with python(tmp_path) as py:
        answer = await py.run(
            "import numpy\nfrom sympy import Rational, symbols, integrate, sin\nx = symbols('x')\n"
            "integrate(x * sin(x), x), Rational(1, 3) + 1, int(numpy.arange(5).sum())",
            timeout_s=MOST_TIMEOUT_S,
        )
    assert item(answer)["result"] == "(-x*cos(x) + sin(x), 4/3, 10)"


async def test_a_file_that_was_read_before_and_is_changed_by_code_is_named(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("old")
    async with python(tmp_path) as py:
        await kit.answered(py.runtime, "read_file", json.dumps({"path": str(file)}), py.session)
        assert "changed since" not in text(await py.run(f"open({str(file)!r}).read()"))
        answer = await py.run(f"open({str(file)!r}, 'w').write('new')")
    assert "read them again before editing: notes.txt" in text(answer)


async def test_a_picture_too_large_to_show_is_kept_and_told(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run(f"_ = open('a.png', 'wb').write({PNG!r} + bytes({SHOWN_BYTES}))")
    assert answer.result.parts == ()
    assert len(item(answer)["files"]) == 1
    assert f"a.png is not shown: a picture that is may have {SHOWN_BYTES:,} bytes" in text(answer)


async def test_a_session_of_another_principal_shares_no_variables(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        async with py.interpreters.take(py.session, keep=True) as own:
            await own.run("secret = 1", WAIT_S)
        other = Session(id=py.session.id, principal="somebody else")
        async with py.interpreters.take(other, keep=True) as theirs:
            told = await theirs.run("secret", WAIT_S)
    assert told.reply is not None
    assert told.reply.get("error", {}).get("type") == "NameError"


async def test_silence_is_explained(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        assert "nothing was printed" in text(await py.run("x = 1"))


async def test_the_host_is_as_it_was(tmp_path: Path) -> None:
    gc.collect()
    processes = Processes()
    interpreters = Interpreters(processes)
    before, open_before = host(), descriptors()
    for keep in (False, True):
        async with interpreters.take(Session(), keep=keep) as interpreter:
            await interpreter.run(f"import os\nos.chdir({str(tmp_path)!r})\nos.environ['X'] = 'y'\nos.umask(0)", WAIT_S)
    assert host() == before
    await processes.close()
    del interpreter, interpreters
    gc.collect()
    assert descriptors() <= open_before


def host() -> tuple[str, int, dict[int, tuple[int, int]], list[object]]:
    """Where this process is, a digest of its environment, its limits and what it does on signals."""
    limits = {each: resource.getrlimit(each) for each in (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE)}
    handlers: list[object] = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM)]
    return os.getcwd(), hash(frozenset(os.environ.items())), limits, handlers  # noqa: PTH109  # as the kernel says


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))  # noqa: PTH208  # names alone


def test_the_declaration_names_its_limits() -> None:
    description = str(run_code.declaration.description)
    assert f"{MEMORY_GIB} GiB" in description
    schema = json.dumps(run_code.declaration.parameters)
    assert f'"default": {DEFAULT_TIMEOUT_S}' in schema
    assert f'"maximum": {MOST_TIMEOUT_S}' in schema
