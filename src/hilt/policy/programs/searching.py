"""Programs that search: grep and its family, ripgrep, find and fd."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.options import HERE, Table, scan, table, used
from hilt.policy.programs.words import Doubt, Reader, Use, Word, names

_GREP = table(
    "-abcEFGHhiILlnoPqrRsTUvwxyZz --text --byte-offset --count --extended-regexp --fixed-strings --basic-regexp "
    "--perl-regexp --with-filename --no-filename --ignore-case --no-ignore-case --files-without-match "
    "--files-with-matches --line-number --only-matching --quiet --silent --recursive --dereference-recursive "
    "--no-messages --initial-tab --invert-match --word-regexp --line-regexp --null --null-data --line-buffered "
    "--help --version -V",
    text="-e -A -B -C -m -d -D --regexp --after-context --before-context --context --max-count --include --exclude "
    "--exclude-dir --label --binary-files --directories --devices --group-separator",
    maybe="--color --colour --context",
    read="-f --file --exclude-from",
    operands="text read",
    instead=frozenset({"-e", "--regexp", "-f", "--file"}),
    numbers=True,
    tame=True,
    here=True,
    recursive=frozenset({"-r", "-R", "--recursive", "--dereference-recursive"}),
    follows=frozenset({"-R", "--dereference-recursive"}),
)

_RG = table(
    "-abcFHIiLlNnopPqsSuUvwx0. --text --byte-offset --count --count-matches --fixed-strings "
    "--with-filename --no-filename "
    "--ignore-case --follow --files-with-matches --files-without-match --no-line-number --line-number "
    "--only-matching "
    "--pretty --pcre2 --quiet --case-sensitive --smart-case --unrestricted --multiline "
    "--multiline-dotall --invert-match "
    "--word-regexp --line-regexp --null --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot "
    "--no-ignore-global --no-messages --no-config --files --type-list --json --heading --no-heading --column "
    "--no-column --trim --vimgrep --stats --crlf --no-unicode --glob-case-insensitive --one-file-system --debug "
    "--trace --passthru --null-data --no-follow --block-buffered --line-buffered --no-pcre2-unicode --no-hidden "
    "--include-zero --auto-hybrid-regex --no-mmap --mmap --binary --help -h --version -V --stop-on-nonmatch",
    text="-e -A -B -C -m -g -t -T -E -r -M -d -j --regexp --after-context --before-context --context "
    "--max-count --glob "
    "--iglob --type --type-not --encoding --replace --max-columns --max-depth --maxdepth --threads --sort --sortr "
    "--color --colors --engine --max-filesize --path-separator --context-separator --field-match-separator "
    "--field-context-separator --dfa-size-limit --regex-size-limit --type-add --type-clear",
    maybe="--max-columns-preview",
    read="-f --file --ignore-file",
    operands="text read",
    instead=frozenset({"-e", "--regexp", "-f", "--file", "--files", "--type-list"}),
    here=True,
    follows=frozenset({"-L", "--follow"}),
)

_FD = table(
    "-HIusiFgpa0L1qV --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive "
    "--ignore-case --fixed-strings --glob --regex --full-path --absolute-path --print0 --follow --quiet --prune "
    "--one-file-system --show-errors --strip-cwd-prefix --help -h --version --max-one-result",
    text="-d -t -e -E -S -c -j -o --max-depth --min-depth --exact-depth --type --extension --exclude --size --color "
    "--changed-within --changed-before --threads --owner --max-results --format",
    read="--ignore-file --search-path --base-directory",
    operands="text read",
    here=True,
    follows=frozenset({"-L", "--follow"}),
)

_TESTS_WITHOUT = names(
    "-empty -executable -false -nogroup -nouser -readable -true -writable -daystart -depth -d "
    "-ignore_readdir_race -mount "
    "-xdev -noleaf -nowarn -warn -ls -print -print0 -prune -quit -not -a -and -o -or , ! ( ) -help --help -version "
    "--version -noignore_readdir_race"
)
_TESTS_WITH = names(
    "-amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename "
    "-links -lname -mmin "
    "-mtime -name -path -perm -regex -size -type -uid -used -user -wholename -xtype -context -maxdepth -mindepth "
    "-regextype -printf"
)
_TESTS_READING = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
_MODES = frozenset({"-H", "-L", "-P"})

Judge = Callable[[Sequence[Word]], Use]


def _lists(names: frozenset[str], known: Table) -> Reader:
    """A searcher that, with these options, prints names of files; of links only those the command names itself."""

    def reader(words: Sequence[Word]) -> Use:
        found = scan(known, words)
        use = used(known, found)
        listing = bool(found.names & names) and not found.names & (known.follows | {"--label"})
        if not listing:
            return use
        named = bool(use.reads) and all(word.text and not word.text.startswith("-") for word in use.reads)
        return replace(use, prints="paths" if named and use.reads != (HERE,) else "names")

    return reader


def _fd(words: Sequence[Word]) -> Use:
    found = scan(_FD, words)
    kinds = [each.value.text for each in found.options if each.name in ("-t", "--type") and each.value]
    regular = bool(kinds) and set(kinds) <= {"f", "file"} and not found.names & _FD.follows
    use = used(_FD, found)
    return use if "--format" in found.names else replace(use, prints="names", links=() if regular else use.reads)


SEARCHING: Mapping[str, Reader] = {
    "grep": _lists(frozenset({"-l", "--files-with-matches", "-L"}), _GREP),
    "egrep": _lists(frozenset({"-l", "--files-with-matches", "-L"}), _GREP),
    "fgrep": _lists(frozenset({"-l", "--files-with-matches", "-L"}), _GREP),
    "rg": _lists(frozenset({"-l", "--files-with-matches", "--files", "--files-without-match"}), _RG),
    "fd": _fd,
    "fdfind": _fd,
}


def read_find(words: Sequence[Word], judge: Judge) -> Use:
    """`find`: its starting folders, then tests and actions, of which `-exec` is what its command is."""
    at = 1
    while at < len(words) and words[at].text in _MODES:
        at += 1
    follows = any(word.text == "-L" for word in words[1:at])
    starts: list[Word] = []
    while at < len(words) and not _begins_expression(words[at]):
        starts.append(words[at])
        at += 1
    found = _Finding(words, judge)
    while at < len(words):
        at = found.step(at)
    reads = tuple(starts) or (HERE,)
    doubts = [Doubt(at=1, reason="which folder it starts in is known only when it runs") for w in starts if not w.named]
    regular = _only_regular([word.text for word in words]) and not follows
    reaches = any(word.found for word in found.reads)
    return Use(
        reads=(*reads, *found.reads),
        followed=reads if follows or (reaches and not regular) else (),
        doubts=(*doubts, *found.doubts),
        inner=tuple(found.inner),
        prints="" if found.inner or {"-printf", "-ls"} & {word.text for word in words} else "paths",
        links=() if regular else reads,
    )


def _only_regular(texts: Sequence[str | None]) -> bool:
    """Whether all it prints are names of regular files, so that none of them is a link."""
    pairs = list(zip(texts, [*texts[1:], None], strict=True))
    denied = any(one in ("!", "-not") and other in ("-type", "(", "!", "-not") for one, other in pairs)
    return ("-type", "f") in pairs and not denied and not {"-o", "-or", ","} & set(texts)


def _begins_expression(word: Word) -> bool:
    if word.text is not None:
        return word.text.startswith("-") or word.text in ("(", "!", ",")
    return word.dashed


class _Finding:
    """The expression of one `find`, read from place to place."""

    def __init__(self, words: Sequence[Word], judge: Judge) -> None:
        self.words = words
        self.judge = judge
        self.doubts: list[Doubt] = []
        self.reads: list[Word] = []
        self.inner: list[tuple[Word, ...]] = []

    def step(self, at: int) -> int:
        text = self.words[at].text
        if text in _TESTS_WITHOUT:
            return at + 1
        if text in _TESTS_WITH or text in _TESTS_READING:
            return self._with_value(at, text)
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            return self._runs(at, text)
        reason = f"{text} is no test or action known to be harmless" if text else "it is known only when it runs"
        self.doubts.append(Doubt(at=at, reason=reason))
        return at + 1

    def _with_value(self, at: int, text: str) -> int:
        value = self.words[at + 1] if at + 1 < len(self.words) else None
        if value is None or value.many:
            self.doubts.append(Doubt(at=at, reason=f"the value of {text} is missing or may become several words"))
        elif text in _TESTS_READING:
            self.reads.append(value)
        return at + 2

    def _runs(self, at: int, text: str) -> int:
        """The words up to `;` or `+` are a command of its own, `{}` in it a name below the starting folders."""
        end = next((i for i in range(at + 1, len(self.words)) if self._ends(i)), None)
        if end is None:
            self.doubts.append(Doubt(at=at, reason=f"the end of {text} is not found"))
            return len(self.words)
        several = self.words[end].text == "+"
        command = [_name_for(word, many=several) for word in self.words[at + 1 : end]]
        self.inner.append(tuple(command))
        if text != "-exec":
            self.doubts.append(Doubt(at=at, reason=f"{text} runs a command in folders known only when it runs"))
            return end + 1
        self._take(self.judge(command), at + 1)
        return end + 1

    def _take(self, use: Use, start: int) -> None:
        self.doubts += [Doubt(at=start + each.at, reason=each.reason) for each in use.doubts]
        if use.writes or use.repositories or use.driver or use.followed:
            self.doubts.append(Doubt(at=start, reason="what it runs is not merely reading"))
        self.reads += use.reads
        self.inner += use.inner

    def _ends(self, at: int) -> bool:
        text = self.words[at].text
        return text == ";" or (text == "+" and self.words[at - 1].text == "{}")


def _name_for(word: Word, *, many: bool) -> Word:
    if word.text == "{}":
        return Word(found=True, dashed=False, many=many)
    if word.text is not None and "{}" in word.text:
        return Word()
    return word
