"""Tables of programs: which words are harmless, what they read and write, and whose words are looked through."""

import shlex

import pytest

from hilt.policy.programs.judging import judge
from hilt.policy.programs.reading import ASKED_FOR_VERSION, READING, SAYING
from hilt.policy.programs.words import Use, Word


def use(text: str) -> Use:
    """What a command of literal words would do; `?` stands for one known only when it runs, `*x` for a pattern."""
    return judge([word(each) for each in shlex.split(text)])


def word(text: str) -> Word:
    if text == "?":
        return Word()
    if text.startswith("*"):
        return Word(glob=text, many=True)
    return Word(text=text, dashed=text.startswith("-"))


def texts(words: tuple[Word, ...]) -> list[str | None]:
    return [each.text for each in words]


@pytest.mark.parametrize("name", sorted({*READING, *SAYING}))
def test_an_option_that_no_table_has_is_doubted(name: str) -> None:
    if name in ("type", "wait", "getconf"):
        return  # these take any word
    assert use(f"{name} --an-option-of-nobody").doubts
    assert "--an-option-of-nobody" in use(f"{name} --an-option-of-nobody").doubts[0].reason


@pytest.mark.parametrize("name", sorted(ASKED_FOR_VERSION))
def test_a_program_says_its_version_and_nothing_else_unasked(name: str) -> None:
    for option in ASKED_FOR_VERSION[name]:
        assert not use(f"{name} {option}").doubts
        assert use(f"{name} {option} x").doubts or name in (*READING, "shellcheck")


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("cat a b", ["a", "b"], []),
        ("cat -", [], []),
        ("cat -- -n", ["-n"], []),
        ("head -5 a", ["a"], []),
        ("head -n 5 a", ["a"], []),
        ("head -n5 a", ["a"], []),
        ("head --lines=5 a", ["a"], []),
        ("sort -t, -k2,2n -ru a", ["a"], []),
        ("grep -e x -f patterns a", ["patterns", "a"], []),
        ("grep x a b", ["a", "b"], []),
        ("grep -rn x", ["."], []),
        ("grep x", [], []),
        ("rg x", ["."], []),
        ("rg --files", ["."], []),
        ("find", ["."], []),
        ("find -L a b -name x -newer c", ["a", "b", "c"], []),
        ("date -r a", ["a"], []),
        ("diff a b", ["a", "b"], []),
        ("jq -r .x a", ["a"], []),
        ("jq --arg a b --slurpfile c d .x e", ["e", "d"], []),
        ("awk -F: -v n=1 '{print $1}' a", ["a"], []),
        ("sed -n 1,5p a", ["a"], []),
        ("sed -e s/a/b/ -e 5q a", ["a"], []),
        ("tar tzf a.tgz x", ["a.tgz"], []),
        ("unzip -l a.zip", ["a.zip"], []),
        ("touch a b", [], ["a", "b"]),
        ("tee -a a -", [], ["a", "-"]),
        ("cp a b", ["a"], ["b", "b/a"]),
        ("mv x/a b", ["x/a"], ["b", "b/a", "x/a"]),
        ("sed -i s/a/b/ a", ["a"], ["a"]),
        ("nohup ls a", ["a"], ["nohup.out"]),
        ("openssl x509 -in a -noout", ["a"], []),
        ("sqlite3 -readonly -safe a 'select 1;'", ["a"], []),
        ("git -C x log -- y", ["x", "x/.", "x/y"], []),
        ("git log -- y", [".", "y"], []),
    ],
)
def test_operands_and_values_are_told_as_what_they_are(text: str, reads: list[str], writes: list[str]) -> None:
    found = use(text)

    assert not found.doubts
    assert texts(found.reads) == reads
    assert texts(found.writes) == writes


@pytest.mark.parametrize(
    "text",
    [
        "sort -o out a",
        "sort -uoout a",
        "sort --outp=out a",
        "sort ?",
        "sort *x",
        "uniq a b",
        "uniq *x",
        "xxd a b",
        "cat ?",
        "head -n ? *x ?",
        "touch ?",
        "touch *x",
        "cp a",
        "cp ? b",
        "cp a/ .. b",
        "cp -r a b",
        "mv .. b",
        "date 0101",
        "date ?",
        "printf ?",
        "printf -v x y",
        "printf %-5n x",
        "test -v x",
        "test ? x y",
        "[ x",
        "ps e",
        "ps axe",
        "set",
        "set -o posix",
        "unzip a",
        "tar xf a",
        "tar tf host:a",
        "tar tf ?",
        "gzip a",
        "exit a",
        "exit 1 2",
        "hostname new",
        "find ?",
        "find . -name",
        "find . -delete",
        "find . -exec ls",
        "find . -exec ls {}x ;",
        "find . -exec touch {} ;",
        "find . -exec uniq {} +",
        "find . -execdir ls ;",
        "jq --arg a",
        "awk ?",
        "awk -f a",
        "awk system",
        "awk '{print > 1}'",
        "awk '{print | 1}'",
        "sed ?",
        "sed -i.bak p a",
        "sed -i p ?",
        "sed 's/a/b/w x'",
        "sed e",
        "sed s/a",
        "sqlite3 a 'select 1'",
        "sqlite3 -readonly a",
        "sqlite3 -readonly a .shell",
        "openssl enc",
        "openssl",
        "ruff check .",
        "ruff check --no-cache .",
        "pip install x",
        "php a",
        "node a",
        "bash a",
        "nm @a",
        "ar x a",
        "apt-cache gencaches",
        "alias x=y",
        "git",
        "git ?",
        "git -C a -C b log",
        "git -C ? log",
        "git push",
        "git branch x",
        "git tag x",
        "git config a b",
        "git config ?",
        "git remote add a b",
        "git stash",
        "git stash ?",
        "git reflog expire",
        "git clean -f",
        "git apply a",
        "git log --format=%G?",
        "git log --format ?",
        "git log ?",
        "git symbolic-ref a b",
        "env PATH=. ls",
        "env -S ls",
        "env LANG=/x ls",
        "env LANG=? ls",
        "timeout ? ls",
        "timeout 5",
        "sudo ls",
        "xargs touch",
        "xargs cat",
        "xargs -a x echo",
        "xargs git log",
        "eval ls",
        "bash -c ls",
        "./a",
        "/opt/x/ls",
        "nobody-knows-this",
        "?",
        "[[ x -eq 1 ]]",
        "[[ x",
        "yarn --version",
    ],
)
def test_what_may_do_more_is_doubted(text: str) -> None:
    assert use(text).doubts


@pytest.mark.parametrize(
    "text",
    [
        "echo ? *x -n",
        "printf '%s\\n' ?",
        "printf -- %s x",
        "test -f ?",
        "test ? = x",
        "[ -n ? ]",
        "[[ ! -f ? && x == ? ]]",
        "date +%F",
        "ps aux",
        "ps -ef",
        "ps",
        "set -euo pipefail",
        "exit 1",
        "env",
        "env CI=1 ls",
        "printenv PATH",
        "command -v ls",
        "nice -n 5 timeout -k 1 5 stdbuf -oL ls",
        "/usr/bin/ls",
        "/bin/cat a",
        "cat *x",
        "ls *x",
        "find . -type f ( -name a -o -name b ) -exec grep -n x {} +",
        "xargs",
        "xargs echo",
        "xargs -n1 basename",
        "ruff check --no-cache --no-fix .",
        "ruff format --no-cache --check .",
        "pip list",
        "php -l a",
        "node --check a",
        "bash -n a",
        "nm -C a",
        "ar t a",
        "gzip -dc a",
        "bc -l a",
        "apt-cache policy x",
        "alias",
        "openssl dgst -sha256 a",
        "sqlite3 -readonly -safe a .tables",
        "git --version",
        "git branch --list x",
        "git branch --contains x",
        "git tag -l x",
        "git config --get a.b",
        "git config get a.b",
        "git config user.name",
        "git remote -v",
        "git remote get-url origin",
        "git stash list",
        "git stash show -p",
        "git reflog",
        "git reflog show main",
        "git submodule",
        "git clean -nd",
        "git apply --check a",
        "git --no-pager log -5 --format=%h",
        "awk '$3 > 5 {print $1}' a",
        "awk '/a|b/' a",
        "awk '{ if ($1 > 5) print }' a",
        "awk '{ x = $1 > 5 }' a",
        "sed '/a/,/b/{s|x|y|g;p}' a",
        "sed -n '$p;1!G;h' a",
        "sed ':a;N;$!ba;s/x/y/' a",
        "sed y/a/b/ a",
    ],
)
def test_what_only_looks_or_says_is_not(text: str) -> None:
    found = use(text)

    assert [doubt.reason for doubt in found.doubts] == []
    assert not found.writes


def test_words_that_a_wrapper_runs_are_listed_outermost_first() -> None:
    inner = [texts(each) for each in use("env CI=1 timeout 5 xargs -n 1 git push").inner]

    assert inner == [
        ["timeout", "5", "xargs", "-n", "1", "git", "push"],
        ["xargs", "-n", "1", "git", "push"],
        ["git", "push"],
    ]


def test_text_that_a_shell_would_run_is_handed_on() -> None:
    for text in ("bash -c 'git push'", "sh -ec 'git push'", "eval git push"):
        script = use(text).script
        assert script is not None
        assert script.text == "git push"
    assert use("eval git ?").script is None


def test_what_is_printed_is_known_where_it_names_files() -> None:
    assert use("git ls-files").prints == "names"
    assert use("git diff --name-only").prints == "names"
    assert use("find . -name x").prints == "paths"
    assert use("rg -l x").prints == "names"
    assert use("rg -l x src").prints == "paths"
    assert use("fd -t f x").prints == "names"
    assert use("git merge-base a b").prints == "revisions"
    for text in (
        "git -C x ls-files",
        "find . -printf x",
        "git diff",
        "git rev-parse --show-toplevel",
        "rg x",
        "find . -exec ls ;",
    ):
        assert use(text).prints == "", text


def test_links_are_looked_for_where_names_may_be_links() -> None:
    assert texts(use("find src -name x").links) == ["src"]
    assert use("find src -type f").links == ()
    assert texts(use("find -L src -type f").followed) == ["src"]
    assert texts(use("grep -R x src").followed) == ["src"]
    assert use("fd -t f").links == ()
    assert texts(use("fd x src").links) == ["src"]


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("npm test", "npm"),
        ("npm ci", "npm"),
        ("npm publish", ""),
        ("npm install -g x", ""),
        ("yarn", "yarn"),
        ("yarn build", "yarn"),
        ("pnpm -r build", "pnpm"),
        ("npx tsc", "npm"),
        ("npx some-tool", ""),
        ("make -j4 all", "make"),
        ("make --eval=x", ""),
        ("cargo test --all", "cargo"),
        ("cargo publish", ""),
        ("go build ./...", "go"),
        ("python -m pytest -q", "pytest"),
        ("python3 -m pip install x", "pip"),
        ("python3 -m http.server", ""),
        ("python3 x.py", "python"),
        ("python3 -c x", ""),
        ("python3 -Bc x", ""),
        ("python3", ""),
        ("node x.js", "node"),
        ("node -e x", ""),
        ("node --test", "node"),
        ("pytest -x", "pytest"),
        ("uv run pytest", "uv"),
        ("uv publish", ""),
        ("pip install -e .", "pip"),
        ("pip install --user x", ""),
        ("gradle build", "gradle"),
        ("gradle publish", ""),
        ("make ?", ""),
        ("timeout 60 npm test", "npm"),
        ("env PATH=. npm test", ""),
    ],
)
def test_a_driver_has_a_family_where_it_stays_within_the_project(text: str, family: str) -> None:
    found = use(text)

    assert found.doubts
    assert found.driver == family


def test_paths_a_driver_is_given_outside_are_told_and_what_a_runner_runs_is_listed() -> None:
    assert texts(use("make -C ../other").reads) == ["../other"]
    assert texts(use("npm --prefix=/opt/x test").reads) == ["/opt/x"]
    assert [texts(each) for each in use("uv run --frozen git push").inner] == [["git", "push"]]
    assert [texts(each) for each in use("bundle exec rake").inner] == [["rake"]]
    assert use("uv sync").inner == ()
