"""git: the subcommands that only look, and of their options those that run nothing and write nothing.

Whether the repository's own configuration runs programs is not known here: `Use.repositories` says where to look.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.options import HERE, Scan, Table, scan, table, used
from hilt.policy.programs.words import Doubt, Prints, Use, Word, doubtful, names

_GLOBAL_FLAGS = names(
    "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
    "--no-replace-objects"
)

_DIFF = table(
    "-pusabwWRzDrtmc --patch --no-patch --raw --patch-with-raw --patch-with-stat --indent-heuristic "
    "--minimal --patience "
    "--histogram --numstat --shortstat --summary --compact-summary --name-only --name-status --no-color --no-renames "
    "--rename-empty --no-rename-empty --check --full-index --binary --find-copies-harder --irreversible-delete "
    "--pickaxe-all --pickaxe-regex --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change "
    "--ignore-all-space "
    "--ignore-blank-lines --function-context --no-ext-diff --no-textconv --no-prefix --default-prefix "
    "--quiet --exit-code "
    "--cached --staged --merge-base --combined-all-paths --cc --no-indent-heuristic --root --ita-invisible-in-index "
    "--ignore-submodules --no-relative --no-index",
    text="-S -G -l --diff-filter --diff-algorithm --anchored --src-prefix --dst-prefix --line-prefix "
    "--inter-hunk-context "
    "--ws-error-highlight --word-diff-regex --output-indicator-new --output-indicator-old --skip-to --rotate-to",
    maybe="-U -M -C -B -X --unified --stat --dirstat --color --color-words --word-diff --color-moved "
    "--color-moved-ws --abbrev "
    "--find-renames --find-copies --break-rewrites --relative --ignore-submodules "
    "--ignore-matching-lines --cumulative --submodule",
    operands="text",
)
_REVISIONS = table(
    "-iEFPgqv --all --branches --tags --remotes --oneline --graph --decorate --no-decorate --merges "
    "--no-merges --reverse "
    "--date-order --author-date-order --topo-order --first-parent --follow --full-history --dense --sparse "
    "--simplify-merges --ancestry-path --cherry --cherry-pick --cherry-mark --left-right --left-only --right-only "
    "--boundary --walk-reflogs --abbrev-commit --no-abbrev-commit --no-notes --relative-date --parents --children "
    "--no-walk --no-expand-tabs --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --invert-grep "
    "--all-match --log-size --source --clear-decorations --use-mailmap --no-use-mailmap --mailmap "
    "--no-mailmap --reflog "
    "--simplify-by-decoration --no-max-parents --no-min-parents --show-pulls --count --timestamp --objects "
    "--not --stdin --quiet --full-diff --remove-empty --show-linear-break --no-show-signature --no-diff-merges",
    text="-n -L --max-count --skip --since --after --until --before --author --committer --grep --grep-reflog --glob "
    "--exclude --date --encoding --since-as-filter",
    maybe="--max-parents --min-parents "
    "--pretty --format --decorate --decorate-refs --decorate-refs-exclude --branches --tags --remotes --notes "
    "--show-notes --expand-tabs --no-walk --ancestry-path --diff-merges",
    numbers=True,
    more=_DIFF,
)
_STATUS = table(
    "-sbvz --short --branch --long --verbose --null --show-stash --ahead-behind --no-ahead-behind "
    "--renames --no-renames "
    "--no-column --ignored --column",
    maybe="-u --porcelain --untracked-files --ignore-submodules --ignored --column --find-renames -M",
    operands="text",
)
_FOR_EACH_REF = table(
    "-i --ignore-case --omit-empty --stdin --include-root-refs",
    text="--count --sort --format --points-at --exclude --merged --no-merged --contains --no-contains",
    maybe="--color",
    operands="text",
)
_LISTED = table(
    "-i --ignore-case --omit-empty --no-column --color --no-color",
    text="--sort --format --points-at --contains --no-contains --merged --no-merged",
    maybe="--color --column --abbrev",
    operands="text",
)

_TABLES: Mapping[str, Table] = {
    "status": _STATUS,
    "diff": _DIFF,
    "log": _REVISIONS,
    "show": _REVISIONS,
    "whatchanged": _REVISIONS,
    "rev-list": _REVISIONS,
    "diff-tree": table("--stdin --no-commit-id", text="", maybe="--pretty --format", more=_DIFF),
    "diff-index": _DIFF,
    "diff-files": _DIFF,
    "range-diff": table("--no-dual-color --left-only --right-only", text="--creation-factor", more=_REVISIONS),
    "shortlog": table("-scne --summary --numbered --email --committer", maybe="-w --group", more=_REVISIONS),
    "cherry": table("-v", operands="text", maybe="--abbrev"),
    "rev-parse": table(
        "-q --verify --quiet --short --abbrev-ref --symbolic --symbolic-full-name --show-toplevel "
        "--show-prefix --show-cdup "
        "--git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir "
        "--is-bare-repository "
        "--is-shallow-repository --all --branches --tags --remotes --revs-only --no-revs --flags --no-flags "
        "--show-superproject-working-tree --show-object-format --local-env-vars --shared-index-path --not",
        text="--git-path --default --prefix --path-format --since --until --disambiguate --glob --exclude",
        maybe="--short --abbrev-ref --branches --tags --remotes --show-object-format",
        operands="text",
    ),
    "ls-files": table(
        "-cdmoisuktvfz --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory "
        "--no-empty-directory --exclude-standard --full-name --error-unmatch --recurse-submodules --eol "
        "--deduplicate "
        "--sparse --debug --resolve-undo",
        text="-x --exclude --format --with-tree",
        maybe="--abbrev",
        operands="text",
    ),
    "ls-tree": table(
        "-drtlz --long --name-only --name-status --object-only --full-name --full-tree",
        text="--format",
        maybe="--abbrev",
        operands="text",
    ),
    "blame": table(
        "-bclefnpstwk --root --show-stats --porcelain --line-porcelain --incremental --show-name --show-number "
        "--show-email --progress --no-progress --color-lines --color-by-age --minimal --first-parent",
        text="-L --date --ignore-rev --since",
        maybe="-M -C --abbrev",
        operands="text",
    ),
    "annotate": table("-lts", text="-L", operands="text"),
    "describe": table(
        "--all --tags --contains --exact-match --debug --long --always --first-parent",
        text="--candidates --match --exclude",
        maybe="--abbrev --dirty --broken",
        operands="text",
    ),
    "grep": table(
        "-aIinwvhHEGFPlLczpWqo --cached --untracked --no-exclude-standard --exclude-standard "
        "--recurse-submodules --text "
        "--ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --fixed-strings "
        "--perl-regexp --line-number --column --files-with-matches --name-only --files-without-match --null "
        "--only-matching "
        "--count --color --no-color --break --heading --show-function --function-context --quiet --all-match "
        "--and --or "
        "--not ( ) --no-textconv",
        text="-e -A -B -C -m --after-context --before-context --context --max-depth --threads --max-count",
        maybe="--color",
        numbers=True,
        operands="text",
    ),
    "merge-base": table("-a --all --octopus --independent --is-ancestor --fork-point", operands="text"),
    "name-rev": table("--tags --all --name-only --always --no-undefined", text="--refs --exclude", operands="text"),
    "for-each-ref": _FOR_EACH_REF,
    "show-ref": table(
        "-dsqh --head --branches --heads --tags --dereference --verify --quiet --exists",
        maybe="--hash --abbrev",
        operands="text",
    ),
    "show-branch": table(
        "-rag --remotes --all --current --list --topo-order --date-order --sparse --no-name --sha1-name",
        operands="text",
    ),
    "cat-file": table(
        "-tspe --batch-all-objects --buffer --unordered --follow-symlinks",
        maybe="--batch --batch-check",
        operands="text",
    ),
    "count-objects": table("-vH --verbose --human-readable", operands=""),
    "check-ignore": table("-qvnz --quiet --verbose --non-matching --no-index --stdin", operands="text"),
    "check-attr": table("-az --all --cached --stdin", operands="text"),
    "var": table("-l", operands="text"),
    "hash-object": table("--stdin --no-filters", text="-t --path", operands="text"),
    "stripspace": table("-sc --strip-comments --comment-lines", operands=""),
    "version": table("--build-options", operands=""),
}
_BRANCH = table("-arv --all --remotes --verbose --list --show-current", more=_LISTED)
_TAG = table("-l --list", maybe="-n", more=_LISTED)
_CONFIG_LOOK = names("--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l")
_CONFIG = table(
    "-lz --null --list --get --get-all --get-regexp --get-urlmatch --global --system --local --worktree --name-only "
    "--show-origin --show-scope --bool --int --path --bool-or-int --includes --no-includes --show-names "
    "--all --regexp",
    text="--type --default --url",
    operands="text",
)
_CLEAN = table("-ndxXq --dry-run --quiet", text="-e --exclude", operands="text")
_APPLY = table(
    "--check --stat --numstat --summary -R --reverse -v --verbose --index --cached -3", text="-p", operands="text"
)
_WHAT = table("", operands="text")


def read_git(words: Sequence[Word]) -> Use:
    """What git would do: options of its own, a subcommand, and what belongs to that."""
    at, folders = 1, list[Word]()
    while at < len(words):
        text = words[at].text
        if text in ("--version", "-v", "--exec-path", "--html-path", "--man-path") and len(words) == at + 1:
            return Use()
        if text == "-C" and at + 1 < len(words) and words[at + 1].text:
            folders.append(words[at + 1])
            at += 2
        elif text in _GLOBAL_FLAGS:
            at += 1
        else:
            break
    if at >= len(words) or not words[at].text:
        return doubtful(min(at, len(words) - 1), "which subcommand of git this is, is not settled")
    return _in_folder(_subcommand(words, at), folders)


def _in_folder(use: Use, folders: list[Word]) -> Use:
    """Paths are relative to the folder of `-C`, which the repository is looked for in."""
    place = "/".join(folder.text or "" for folder in folders) if len(folders) == 1 else "."
    doubts = use.doubts if len(folders) < 2 else (*use.doubts, Doubt(at=1, reason="more than one -C"))
    if folders:
        use = replace(use, prints="" if use.prints == "names" else use.prints)
    if folders and place != ".":
        reads = tuple(_below(place, word) for word in use.reads)
        return replace(use, reads=(*folders, *reads), repositories=(place,), doubts=doubts)
    return replace(use, repositories=(place,), doubts=doubts)


def _below(folder: str, word: Word) -> Word:
    if word.text is None:
        return (
            replace(word, glob=f"{folder.rstrip('/')}/{word.glob}")
            if word.glob and not word.glob.startswith("/")
            else word
        )
    return word if word.text.startswith("/") else replace(word, text=f"{folder.rstrip('/')}/{word.text}")


def _subcommand(words: Sequence[Word], at: int) -> Use:
    name = words[at].text or ""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(words, at)
    known = _TABLES.get(name)
    if known is None:
        return doubtful(at, f"git {name} is not among the subcommands known only to look")
    return _looking(known, scan(known, words, at + 1), name)


def _looking(known: Table, found: Scan, name: str) -> Use:
    """Operands are revisions or paths: both are told as paths, for a revision leads nowhere outside."""
    for each in found.options:
        if each.value is not None and each.name in ("--format", "--pretty", "--sort"):
            text = each.value.text
            if text is None or "%G" in text or "signature" in text:
                found.doubt(each.at, "a format may ask for signatures, which runs another program")
    use = used(known, found)
    operands = [each for each in found.operands if each.word.text != ""]
    unknown = [
        Doubt(at=each.at, reason="what it names is known only when it runs") for each in operands if not each.word.named
    ]
    reads = tuple(each.word for each in operands if name != "grep" or each is not operands[0])
    return replace(use, reads=(HERE, *use.reads, *reads), doubts=(*use.doubts, *unknown), prints=_prints(name, found))


_NAMING = names("--name-only --cached --staged --diff-filter --merge-base --no-renames --exit-code -r --full-tree -z")
"""With these, what is printed are names of files, and nothing that stands in them."""
_NOT_TRACKED = names(
    "-s --stage -t -v --format --eol --debug -o --others -i --ignored -k --killed -f -d --deleted -u --unmerged "
    "--resolve-undo --recurse-submodules --with-tree"
)
_REVISION_OPTIONS = names(
    "--short --verify -q --quiet --abbrev-ref --all --count -n --max-count --octopus --fork-point -a"
)
"""With these, what is printed are revisions, and no path."""


def _prints(name: str, found: Scan) -> Prints:
    """What the lines of a subcommand are."""
    if name in ("merge-base", "rev-parse", "rev-list"):
        plain = all(each.word.text and not each.word.text.startswith("-") for each in found.operands)
        return "revisions" if plain and found.names <= _REVISION_OPTIONS else ""
    listing = name == "ls-files" and not found.names & _NOT_TRACKED
    # Of what is compared, or in another tree, a name need be no tracked file's: only the index is looked at.
    named = "--name-only" in found.names and found.names <= _NAMING and name == "diff" and not found.operands
    searched = name == "grep" and bool(found.names & {"-l", "--files-with-matches", "--name-only"})
    named = named or (
        searched and len(found.operands) <= 1 and not found.names & {"--untracked", "--recurse-submodules"}
    )
    return "names" if listing or named else ""


def _branch(words: Sequence[Word], at: int) -> Use:
    found = scan(_BRANCH, words, at + 1)
    if found.operands and not found.names & {"--list"}:
        found.doubt(found.operands[0].at, "a name without --list makes a branch")
    return _looking(_BRANCH, found, "branch")


def _tag(words: Sequence[Word], at: int) -> Use:
    found = scan(_TAG, words, at + 1)
    if found.operands and not found.names & {"-l", "--list"}:
        found.doubt(found.operands[0].at, "a name without --list makes a tag")
    return _looking(_TAG, found, "tag")


def _config(words: Sequence[Word], at: int) -> Use:
    action = words[at + 1].text if at + 1 < len(words) else None
    if action in ("get", "list"):
        return used(_CONFIG, scan(_CONFIG, words, at + 2))
    found = scan(_CONFIG, words, at + 1)
    asked = [each.word.text or "" for each in found.operands]
    if not found.names & _CONFIG_LOOK and (len(asked) != 1 or "." not in asked[0]):
        found.doubt(at, "git config without --get or --list changes the configuration")
    if any(each.word.text is None for each in found.operands):
        found.doubt(at, "what it asks for is known only when it runs")
    return used(_CONFIG, found)


def _one_of(*actions: str, otherwise: str = "", known: Table = _WHAT) -> Callable[[Sequence[Word], int], Use]:
    """A subcommand with actions, of which these look; `otherwise` is the one meant where none is given."""

    def reader(words: Sequence[Word], at: int) -> Use:
        action = words[at + 1].text if at + 1 < len(words) else otherwise
        if action in actions:
            return _looking(known, scan(known, words, at + 2), "")
        return doubtful(at, f"git {words[at].text} {action or ''} is not known only to look")

    return reader


def _remote(words: Sequence[Word], at: int) -> Use:
    rest = [word.text for word in words[at + 1 :]]
    if all(text in ("-v", "--verbose") for text in rest) or rest[:1] == ["get-url"]:
        return Use()
    return doubtful(at, "git remote with these words changes the configuration or asks another machine")


def _reflog(words: Sequence[Word], at: int) -> Use:
    action = words[at + 1].text if at + 1 < len(words) else "show"
    if action in ("expire", "delete", "drop", "write") or action is None:
        return doubtful(at, f"git reflog {action} changes what is remembered")
    return _looking(_REVISIONS, scan(_REVISIONS, words, at + (2 if action in ("show", "list", "exists") else 1)), "")


def _clean(words: Sequence[Word], at: int) -> Use:
    found = scan(_CLEAN, words, at + 1)
    if not found.names & {"-n", "--dry-run"}:
        found.doubt(at, "git clean without -n removes files")
    return _looking(_CLEAN, found, "clean")


def _apply(words: Sequence[Word], at: int) -> Use:
    found = scan(_APPLY, words, at + 1)
    if not found.names & {"--check", "--stat", "--numstat", "--summary"}:
        found.doubt(at, "git apply without --check or --stat changes files")
    return _looking(_APPLY, found, "apply")


def _symbolic_ref(words: Sequence[Word], at: int) -> Use:
    known = table("-q --quiet --short --recurse --no-recurse", operands="text", most=1)
    return used(known, scan(known, words, at + 1))


_SPECIAL: Mapping[str, Callable[[Sequence[Word], int], Use]] = {
    "apply": _apply,
    "branch": _branch,
    "clean": _clean,
    "tag": _tag,
    "config": _config,
    "remote": _remote,
    "reflog": _reflog,
    "symbolic-ref": _symbolic_ref,
    "stash": _one_of("list", "show", known=_REVISIONS),
    "worktree": _one_of("list", known=table("-vz --verbose --porcelain", operands="")),
    "submodule": _one_of(
        "status", "summary", otherwise="status", known=table("--recursive --cached --quiet", operands="text")
    ),
    "notes": _one_of("list", "show", otherwise="list"),
    "bisect": _one_of("log"),
}
