"""A folder that someone else prepared makes no command more than it is proved to be."""

import subprocess
from pathlib import Path

import pytest

from hilt.workspace import Workspace
from tests.needs import need

REPOSITORY = (
    "git init -q -b main r; cd r; echo a > a; git add .; git -c user.email=a@b -c user.name=x commit -qm first; cd ..; "
)
LED = "ln -s $OUT/secrets/s l"

HARMFUL = [
    # words that are options after all
    ("x=$(echo -v); test \"$x\" 'a[$(touch c)]'", ""),
    ("bash -n +n ./evil.sh", ""),
    ("sh -n +n evil.sh", ""),
    ("find . -name f | xargs --replace ./evil.sh cat", ""),
    ("find . -name f | xargs --max-lines ./evil.sh cat", ""),
    ("cd r; git log --max-parents --output=$OUT/f", REPOSITORY),
    ("cd r; git log --min-parents --output=$OUT/f", REPOSITORY),
    ("cd r; git config edit", REPOSITORY),
    ("ps ax e", ""),
    ("ps -e e", ""),
    ("ps -auxe", ""),
    ("ps -eo pid,environ", ""),
    ("tree -Lo 1 out", ""),
    ("tree -aPo x out", ""),
    ("strings @f", "echo $OUT/secrets/s > f"),
    ("readelf -a @f", ""),
    ("ar t @f", ""),
    ("ls | xargs strings", ""),
    # values that are files after all
    ("od -c -w $OUT/secrets/s", ""),
    ("od -c --width $OUT/secrets/s", ""),
    ("ag --after x $OUT/secrets/s", ""),
    ("jq -n '$a' --args --rawfile a $OUT/secrets/s", ""),
    # languages that reach files
    ("awk 'BEGIN{ARGV[1]=\"$OUT/secrets/s\";ARGC=2}{print}'", ""),
    ('jq -n \'import "d" as $s {search:"$OUT/secrets"}; $s\'', ""),
    ('jq -n \'include "p" {search:"$OUT/secrets"}; f\'', ""),
    ("yq 'load_str(\"$OUT/secrets/s\")' f", ""),
    ("sqlite3 -readonly d.db 'select * from v'", ""),
    ("clang-format --style=file:$OUT/secrets/s a.c", ""),
    ("xmllint --noout http://example.org/x", ""),
    ("objdump -S a.o", ""),
    ("objdump --source a.o", ""),
    # links
    ("cd l/../there && cat s", "ln -s $OUT/sub l"),
    ("cd $ROOT/l/../there && cat s", "ln -s $OUT/sub l"),
    ("find -P -L . -type f -exec cat {} +", "ln -s $OUT/secrets l"),
    ("find . -exec cat {} +", LED),
    ("find . -name l -exec head {} \\;", LED),
    ("find . ! \\( -type f \\) -exec cat {} +", LED),
    ("find . -not ! -not -type f -exec cat {} +", LED),
    ("cat [^z]*", LED),
    ('cat ["!"z]*', "ln -s $OUT/secrets/s zl"),
    ("diff d1 d2", "mkdir d1 d2; echo > d1/x; ln -s $OUT/secrets/s d2/x"),
    ("diff d2 x", "mkdir d2; echo > x; ln -s $OUT/secrets/s d2/x"),
    ("cd r; git ls-files | xargs cat", REPOSITORY + "rm r/a; ln -s $OUT/secrets/s r/a"),
    (
        "cd r; git ls-files | xargs cat",
        REPOSITORY.replace("> a;", "> a; mkdir s; echo > s/s;") + "rm -r r/s; ln -s $OUT/secrets r/s",
    ),
    ("cd r; git ls-files -o | xargs cat", REPOSITORY + "ln -s $OUT/secrets/s r/u"),
    ("cd r; git ls-tree -r --name-only HEAD | xargs cat", REPOSITORY),
    # names that are two
    ("find . -type f | xargs cat", "mkdir -p './x $OUT/secrets'; touch './x $OUT/secrets/s'"),
    ("find . -type f | xargs sort", "touch 'x -o y'"),
    ('find . -type f | while read -r f; do cat "$f"; done', "mkdir $'n\\n'"),
    ("for f in $(find . -type f); do cat $f; done", "touch 'a b'"),
    ("cat $(grep -rl x .)", "touch 'a b'"),
    ("cd r; git ls-files | xargs cat", REPOSITORY.replace("> a;", "> 'a b';")),
    # names that the script itself makes
    ("printf '$OUT/secrets/s\\0' > f; touch ./--files0-from=f; wc *=f", ""),
    ("touch './x -o y'; find . -type f | xargs sort", ""),
    # repositories that lead elsewhere
    ("cd q; git show HEAD:a", "mkdir q; echo gitdir: $OUT/private/.git > q/.git"),
    ("cd q; git log", "mkdir q; ln -s $OUT/private/.git q/.git"),
    ("cd r; git log", REPOSITORY + "echo $OUT/private/.git > r/.git/commondir"),
    (
        "cd r; git cat-file --batch-all-objects --batch",
        REPOSITORY + "echo $OUT/private/.git/objects > r/.git/objects/info/alternates",
    ),
    ("cd r; git log", REPOSITORY + "ln -s $OUT/secrets/s r/.git/packed-refs"),
    (
        "cd r; git status",
        REPOSITORY + "mkdir r/.git/rebase-merge; ln -s $OUT/secrets/s r/.git/rebase-merge/git-rebase-todo",
    ),
    ("cd r; git blame a", REPOSITORY + "git -C r config blame.ignoreRevsFile $OUT/secrets/s"),
    ("cd b; git status", "mkdir b; echo ref: refs/heads/main > b/HEAD; echo ../evil > b/commondir"),
    (
        "cd r; git diff --submodule=diff",
        REPOSITORY
        + "cp -r r inner; mv inner r/; cd r; git add inner 2>/dev/null; git -C inner config core.worktree $OUT/secrets",
    ),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    need("git", "it makes the repositories")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "f").write_text("x\n")
    (tmp_path / "w" / "evil.sh").write_text("touch c\n")
    (tmp_path / "out" / "secrets").mkdir(parents=True)
    (tmp_path / "out" / "sub").mkdir()
    (tmp_path / "out" / "secrets" / "s").write_text("secret\n")
    return tmp_path / "w"


def prepared(root: Path, text: str) -> str:
    return text.replace("$OUT", str(root.parent / "out")).replace("$ROOT", str(root))


def let(root: Path, command: str, setup: str) -> bool:
    """Whether a command is proved and, as far as is told, stays in the workspace."""
    script = prepared(root, f"cd $OUT; {REPOSITORY.replace(' r;', ' private;')} cd $ROOT; {setup}")
    subprocess.run(["bash", "-c", script], check=False, capture_output=True)
    fact = Workspace([root]).command(prepared(root, command), str(root))
    return fact.proved and all(each.inside for each in (*fact.reads, *fact.writes))


@pytest.mark.parametrize(("command", "setup"), HARMFUL)
def test_a_prepared_folder_makes_no_command_more_than_it_is_proved_to_be(command: str, setup: str, root: Path) -> None:
    assert not let(root, command, setup)


@pytest.mark.parametrize(
    ("command", "setup"),
    [
        ("find . -type f -print0 | xargs -0 cat", "touch 'a b'"),
        ("find . -exec cat {} +", "ln -s f inside"),
        ("find . -type f | xargs --replace={} cat {}", ""),
        ("find . -type f | xargs --replace cat {}", ""),
        ("cat [!z]* [a-f]*", ""),
        ("cd l/../l && ls", "mkdir d; ln -s d l"),
        ("bash -n evil.sh", ""),
        ("ps -ef", ""),
        ("ps aux", ""),
        ("tree -L 2 -I node_modules", ""),
        ("jq -n '$ARGS.positional' --args a b", ""),
        ("cd r; git ls-files | xargs cat; git status; git diff --name-only | xargs wc -l", REPOSITORY),
        ("cd r/t; git status", REPOSITORY + "git -C r worktree add -q t"),
        ("cd r; git status", REPOSITORY + "ln -s ../a r/.git/info/a"),
    ],
)
def test_the_same_without_the_trick_is_still_proved(command: str, setup: str, root: Path) -> None:
    assert let(root, command, setup)
