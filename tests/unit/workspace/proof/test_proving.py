"""From shell text to facts: where commands run, what they touch, and how what is not understood is told."""

from pathlib import Path

import pytest

from hilt.calls.resolver import CommandFact
from hilt.workspace import Workspace
from hilt.workspace.proof.places import MOST_ENTRIES, MOST_NAMES
from hilt.workspace.proof.proving import LONGEST
from hilt.workspace.proof.script import MOST_VALUES


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "root" / "src" / "a.py").write_text("x = 1\n")
    (tmp_path / "outside.txt").write_text("not yours")
    return Workspace([tmp_path / "root"])


def touched(workspace: Workspace, text: str) -> tuple[list[str], list[str]]:
    """What it reads and writes, relative to the root."""
    fact = workspace.command(text)
    root = f"{workspace.roots[0]}/"
    return [each.real.removeprefix(root) for each in fact.reads], [each.real.removeprefix(root) for each in fact.writes]


def why(fact: CommandFact) -> str:
    return "; ".join(f"{each.node} {each.line}:{each.column} {each.reason}" for each in fact.unproved)


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("cat src/a.py > out", ["src/a.py"], ["out"]),
        ("cd src && cat a.py >> log", ["src/a.py"], ["src/log"]),
        ("cd src && cat a.py | wc -l > ../n", ["src/a.py"], ["n"]),
        ("cat < src/a.py 2> err", ["src/a.py"], ["err"]),
        ("(cd src; cat a.py); cat b", ["src/a.py", "a.py", "b"], []),
        ("{ cd src; cat a.py; } > out", ["src/a.py", "a.py"], ["out"]),
        ("cp src/a.py b", ["src/a.py"], ["b", "b/a.py"]),
        ("mkdir -p x/y && touch x/y/z", [], ["x/y", "x/y/z"]),
        ("sed -i 's/1/2/' src/a.py", ["src/a.py"], ["src/a.py"]),
        ("wc -l src/*.py", ["src", "src/a.py"], []),
        ("for f in a b; do cat $f; done", ["a", "b"], []),
        ('f=src/a.py; cat "$f"', ["src/a.py"], []),
        ("cat > new <<'E'\n$(rm -rf /)\nE", [], ["new"]),
        ("cat <<E | tee out\nplain $x\nE", [], ["out"]),
        ("ls > /dev/null 2>&1", ["."], []),
        ("> out cat src/a.py b", ["src/a.py", "b"], ["out"]),
        ("cat > out src/a.py", ["src/a.py"], ["out"]),
        ("cat {a,b}.c", ["a.c", "b.c"], []),
        ("diff <(sort a) <(sort b)", ["a", "b"], []),
    ],
)
def test_what_a_command_touches_is_told_and_nothing_more(
    text: str, reads: list[str], writes: list[str], workspace: Workspace
) -> None:
    found_reads, found_writes = touched(workspace, text)
    root = str(workspace.roots[0])

    assert [each if each != root else "." for each in found_reads] == reads
    assert found_writes == writes
    assert workspace.command(text).proved, why(workspace.command(text))


def test_a_folder_that_may_have_been_entered_or_not_counts_both_ways(workspace: Workspace) -> None:
    reads, _ = touched(workspace, "cd src; cat a")

    assert reads == ["src/a", "a"]


@pytest.mark.parametrize("text", ["cd; cat a", "cd -; cat a", 'cd "$x"; cat a', "while cd ..; do cat a; done"])
def test_in_a_folder_that_is_not_known_no_relative_path_is_proved(text: str, workspace: Workspace) -> None:
    assert "folder" in why(workspace.command(text))


def test_each_reason_names_the_construct_and_its_place_in_characters(workspace: Workspace) -> None:
    fact = workspace.command("ls é;\n  echo $(rm x)")

    assert [(each.node, each.line, each.column) for each in fact.unproved] == [("command_name", 2, 10)]
    assert "rm" in fact.unproved[0].reason


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ls ( x", "grammar"),
        ("ls\x00", "U+0000"),
        ("ls \u200b", "U+200B"),
        ("ⅼs", "U+217C"),
        ("ls " + "a" * LONGEST, f"{LONGEST:,}"),
        ("{ " * 45 + "ls" + "; }" * 45, "deep"),
        ("cat <<E; ls\nx\nE", "grammar"),
        ("python - <<E\nx\nE", "passes over"),
        ("f() { ls; }", "function_definition"),
        ("until true; do # nothing\ndone", "not understood"),
        ("touch ../x", "outside"),
        ("cat /proc/self/environ", "another process"),
        ('cat < "$x"', "known only when it runs"),
        ("cat [[:alpha:]]*", "classes"),
    ],
)
def test_what_is_not_understood_is_said(text: str, told: str, workspace: Workspace) -> None:
    assert told in why(workspace.command(text))


def test_words_without_a_shell_are_judged_by_the_same_tables(workspace: Workspace) -> None:
    assert workspace.command(["cat", "src/$(touch x)"]).proved
    assert workspace.command(["git", "log", "--oneline", ";", "rm"]).proved
    assert not workspace.command(["cd", "src"]).proved
    assert not workspace.command(["touch", "/tmp/elsewhere-of-a-test"]).proved
    assert not workspace.command([]).proved


def test_a_name_that_is_an_option_is_seen_among_those_a_pattern_stands_for(workspace: Workspace) -> None:
    root = workspace.roots[0]
    assert not workspace.command("sort *").proved
    assert workspace.command("sort ./* src/*.py").proved
    assert workspace.command("cat *").proved

    (root / "-o").write_text("")
    assert "dash" in why(workspace.command("cat *"))


def test_a_pattern_leads_where_its_links_lead(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.roots[0] / "src" / "link.py").symlink_to(tmp_path / "outside.txt")
    fact = workspace.command("cat src/*.py")

    assert [each.real for each in fact.reads if not each.inside] == [str(tmp_path / "outside.txt")]


def test_a_pattern_for_too_many_names_is_not_proved(workspace: Workspace) -> None:
    for number in range(MOST_NAMES + 1):
        (workspace.roots[0] / "src" / f"{number}.txt").write_text("")

    assert str(MOST_NAMES) in why(workspace.command("cat src/*.txt"))


def test_where_links_are_followed_those_that_lead_out_are_told(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.roots[0] / "src" / "deep").mkdir()
    (workspace.roots[0] / "src" / "deep" / "link").symlink_to(tmp_path)

    assert all(each.inside for each in workspace.command("grep -r x src").reads)
    assert any(not each.inside for each in workspace.command("grep -R x src").reads)
    assert any(not each.inside for each in workspace.command("find src -name l | xargs cat").reads)
    assert all(each.inside for each in workspace.command("find src -type f | xargs cat").reads)


def test_too_much_to_look_through_for_links_is_not_proved(workspace: Workspace) -> None:
    for number in range(MOST_ENTRIES + 1):
        (workspace.roots[0] / "src" / f"{number}").touch()

    assert f"{MOST_ENTRIES:,}" in why(workspace.command("grep -R x src"))


def test_a_link_through_what_each_process_sees_differently_is_not_proved(workspace: Workspace) -> None:
    (workspace.roots[0] / "here").symlink_to("/proc/self/cwd")

    assert "another process" in why(workspace.command("cat here/x"))


@pytest.mark.parametrize("text", ["mv link x", "mv src x", "mv a link", "sed -i 's/a/b/' link"])
def test_a_changed_name_of_a_link_or_folder_is_not_proved(text: str, workspace: Workspace) -> None:
    (workspace.roots[0] / "link").symlink_to("src/a.py")

    assert not workspace.command(text).proved
    assert workspace.command("mv src/a.py src/b.py").proved


def test_a_loop_over_many_values_does_not_know_its_variable(workspace: Workspace) -> None:
    few, many = " ".join("a" * MOST_VALUES), " ".join("a" * (MOST_VALUES + 1))

    assert workspace.command(f'for f in {few}; do cat "$f"; done').proved
    assert not workspace.command(f'for f in {many}; do cat "$f"; done').proved
    assert workspace.command(f'for f in {many}; do echo "$f"; done').proved


@pytest.mark.parametrize(
    "text",
    [
        "for f in a b; do f=/etc/passwd; cat $f; done",
        "f=a; while read -r f; do cat $f; done",
        "f=a; true && f=$x; cat $f",
        "f=a; if ls; then f=$x; fi; cat $f",
        "f=a; case b in b) f=$x;; esac; cat $f",
        "f='a b'; sort $f",
        "export f=a; cat $f",
    ],
)
def test_a_variable_that_may_have_become_another_is_not_known(text: str, workspace: Workspace) -> None:
    fact = workspace.command(text)

    assert not fact.proved or any(not each.inside for each in fact.reads)


@pytest.mark.parametrize(
    "text",
    [
        "f=a; (f=/etc/passwd); cat $f",
        "f=a; true | f=/etc/passwd; cat $f",
        "f=a; f=/etc/passwd & cat $f",
        "f=a; echo $(f=/etc/passwd); cat $f",
    ],
)
def test_a_variable_set_in_a_shell_of_its_own_stays_as_it_was(text: str, workspace: Workspace) -> None:
    assert touched(workspace, text)[0] == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "npm test",
        "cd src && npm run build 2>&1 | tail -5",
        "CI=1 timeout 60 npm ci",
        "npm test > out",
    ],
)
def test_a_driver_is_named_where_it_is_all_that_is_unproved(text: str, workspace: Workspace) -> None:
    fact = workspace.command(text)

    assert fact.driver == "npm"
    assert not fact.proved


@pytest.mark.parametrize(
    "text",
    [
        "npm test; rm x",
        "npm test > /tmp/x",
        "npm publish",
        "npm install -g x",
        "cd / && npm test; cat x",
        "make -C ../..",
    ],
)
def test_a_driver_beside_anything_else_is_none(text: str, workspace: Workspace) -> None:
    assert workspace.command(text).driver == ""


def test_several_drivers_are_named_together_and_programs_of_the_project_are_one(workspace: Workspace) -> None:
    assert workspace.command("make && npm test").driver == "make+npm"
    assert workspace.command("./gradlew build").driver == "gradle"
    assert workspace.command("./scripts/x --fast").driver == "script"
    assert workspace.command("/tmp/elsewhere-of-a-test").driver == ""


def test_commands_are_listed_with_their_folder_and_what_they_were_given_to(workspace: Workspace) -> None:
    fact = workspace.command("cd src && env A=1 timeout 5 ls; find . -exec wc {} \\; -exec cat {} +")
    listed = [(each.words[0], each.folder, each.wrappers) for each in fact.commands]
    src = str(workspace.roots[0] / "src")

    assert listed == [
        ("cd", str(workspace.roots[0]), ()),
        ("env", src, ()),
        ("timeout", src, ("env",)),
        ("ls", src, ("env", "timeout")),
        ("find", None, ()),
        ("wc", None, ("find",)),
        ("cat", None, ("find",)),
    ]


def test_a_text_that_no_shell_could_get_is_not_proved(workspace: Workspace) -> None:
    assert not workspace.command("cat a\udc80").proved
