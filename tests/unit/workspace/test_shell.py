from pathlib import Path
from subprocess import STDOUT

import pytest
from anyio import fail_after, run_process

from hilt.workspace.commands.last_command import invoked_by, read_last
from tests.commands import item, shell

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")
WAIT_S = 30


@pytest.mark.parametrize(
    "text",
    [
        "set -x; true",
        "set -e; false; echo no",
        "set -u; echo $NOT_THERE; echo no",
        "set -o pipefail; false | true",
        "trap 'echo mine' EXIT; exit 4",
        "exec sh -c 'exit 5'",
        "f() { return 6; }; f",
        "(exit 7)",
        "kill -TERM $$",
        "echo $# $0 $- $_; declare -F; trap -p ERR",
        "bash -c 'trap -p EXIT; echo [$BASH_ENV]'",
        "ls /proc/self/fd | wc -l",
        "echo 'a' \"$(printf 'b\\n\\n')\" | cat -A",
        "IFS=,; set -f; set -o noclobber; printf '%s' *",
        "cat <<'EOF'\n$x `y` \\\\ '\"\nEOF",
        "if true; then",
        "no-such-program",
        "./not-there",
        "echo 'a  b' \"it's\" x=1 /etc/host* ~",
        "exit 9",
        "false",
        "printenv BASH_ENV",
        "sh -c 'kill -9 $$'",
    ],
)
async def test_a_command_meets_bash_as_if_nobody_watched(tmp_path: Path, text: str) -> None:
    plain = await run_process(["/bin/bash", "--noprofile", "--norc", "-c", text], stderr=STDOUT, check=False)
    code = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run(text)
    assert item(answer) == {"exit_code": code, "output": plain.stdout.decode().removesuffix("\n")}


async def test_a_text_that_is_no_command_is_answered_by_bash_and_moves_nothing(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("cd /\nif true; then")
        there = await sh.run("pwd")
    assert item(answer)["exit_code"] == 2
    assert "syntax error" in item(answer)["output"]
    assert item(there)["output"] in (str(sh.root), "/")


@pytest.mark.parametrize(
    "text",
    [
        "cd sub",
        "command cd sub",
        "builtin cd 'sub'",
        "eval 'cd sub'",
        ". ./move",
        "source ./move",
        "time cd sub",
        "moved",
    ],
)
async def test_a_folder_is_kept_however_it_was_entered(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "move").write_text("cd sub")
    if text == "moved":
        monkeypatch.setenv("BASH_FUNC_moved%%", "() { cd sub; }")
    async with shell(tmp_path) as sh:
        await sh.run(text)
        there = await sh.run("pwd")
    assert item(there)["output"] == str(sh.root / "sub")


@pytest.mark.parametrize("text", ["cd sub; trap true EXIT", "pushd sub && exec true", "cd sub; kill -9 $$"])
async def test_a_folder_that_nobody_could_note_at_the_end_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "sub").mkdir()
    async with shell(tmp_path) as sh:
        moved = await sh.run(text)
        quiet = await sh.run("trap true EXIT; ls ./cd /etc/cd.d; true")
        there = await sh.run("pwd")
    assert f"which folder it ended in is not known; the next command starts in {sh.root}" in moved.text
    assert "not known" not in quiet.text
    assert item(there)["output"] == str(sh.root)


async def test_the_hosts_own_start_file_of_bash_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "start").write_text("FROM_START=yes\n")
    monkeypatch.setenv("BASH_ENV", "$PLACE/start")
    monkeypatch.setenv("PLACE", str(tmp_path))
    async with shell(tmp_path) as sh:
        answer = await sh.run('cd / && echo "$FROM_START $BASH_ENV"; bash -c "echo $FROM_START"')
    assert item(answer)["output"] == "yes $PLACE/start\nyes"
    assert "outside the workspace" in answer.text


async def test_a_command_with_what_no_argument_can_hold_is_refused(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        for bad in ("echo a\0b", "echo \udc80", "echo " + "x" * (1 << 17)):
            assert (await sh.run(bad)).result.failure is not None
        gone = await sh.call(argv=["true"], workdir=str(tmp_path / "no"))
        file = await sh.call(argv=["true"], workdir=str(tmp_path / "no"))
        outside = await sh.call(argv=["true"], workdir="/")
        both = await sh.call(argv=["true"], command="true")
    assert all(each.result.is_error for each in (gone, file, outside, both))
    assert outside.result.status == "denied"


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("grep a b", ["grep"]),
        ("cat a | grep b", ["grep"]),
        ("a && grep b", ["a", "grep"]),
        ("a; grep b # comment", ["grep"]),
        ("a || grep b", ["grep"]),
        ("if grep a; then diff b c; else cmp d e; fi", ["grep", "diff", "cmp"]),
        ("for i in 1; do test $i; done", ["test"]),
        ("grep a <<'EOF'\nx | y\nEOF", ["grep"]),
        ("FOO=1 env BAR=2 nice -n 5 timeout 5s /usr/bin/grep a", ["grep"]),
        ("python3 -m pytest -q 2>&1", ["pytest"]),
        ("{ grep a; }", ["grep"]),
        ("(cd x; grep a)", ["grep"]),
        ("! grep a", []),
        ("echo 'unfinished", []),
        ("", []),
    ],
)
def test_who_gave_the_exit_code_is_read_from_the_grammar(text: str, programs: list[str]) -> None:
    assert [each.program for each in read_last(text).candidates] == programs


def test_the_words_of_a_program_are_seen_through_what_only_runs_it() -> None:
    found = invoked_by(["sudo", "-E", "git", "diff", "--exit-code"])
    assert found is not None
    assert (found.program, found.subcommand, found.wrappers) == ("git", "diff", ("sudo",))
    assert invoked_by([]) is None
