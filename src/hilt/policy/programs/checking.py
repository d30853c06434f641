"""Programs that check or show what a project holds, and with these options run none of it and change nothing."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.options import Table, files_of_options, read_words, scan, table, used
from hilt.policy.programs.words import Reader, Use, Word, doubtful, names

Perhaps = Callable[[Sequence[Word]], Use | None]
_SQL = re.compile(r"\s*(?:select|with|explain|pragma\s+table_info)\b[^;]*;?\s*", re.IGNORECASE)
_SQL_REACHES_OUT = re.compile(
    r"load_extension|writefile|readfile|edit\s*\(|attach|fts3_tokenizer|zipfile", re.IGNORECASE
)
_LOADS = re.compile(r"\b(?:load\w*|eval|system|import|include)\b")
_DOTTED = re.compile(r"\.(?:tables|schema|indexes|databases)(?: +\w+)?")
_SQLITE = table(
    "-readonly -safe -header -noheader -column -csv -json -line -list -markdown -table -box",
    text="-separator -nullvalue",
    operands="read text",
    words=True,
)
_X509 = table(
    "-noout -text -subject -issuer -dates -enddate -startdate -fingerprint -serial -email -pubkey "
    "-modulus -purpose -sha1 "
    "-sha256 -sha512 -hash",
    text="-nameopt -checkend -inform -ext",
    read="-in",
    operands="",
    words=True,
)
_DIGEST = table("-md5 -sha1 -sha256 -sha384 -sha512 -r -hex -list", words=True)
_RUFF = table(
    "--no-cache --no-fix --check --diff --statistics --quiet -q --isolated --preview --no-preview "
    "--show-files --verbose -v "
    "--exit-zero --ignore-noqa",
    text="--select --ignore --extend-select --extend-ignore --output-format --target-version --line-length --exclude "
    "--per-file-ignores",
    here=True,
)
_PIP = table(
    "-v -f --files --verbose --format --not-required --editable -e --user --local -l --all --disable-pip-version-check",
    text="--format --exclude",
    operands="text",
)
_BINARY = table(
    "-aACdDfghnoprstTuVwWxlL --all-headers --disassemble --disassemble-all --demangle --dynamic --defined-only "
    "--undefined-only --extern-only --no-show-raw-insn --section-headers --file-headers --syms "
    "--line-numbers "
    "--reloc --private-headers --print-size --size-sort --numeric-sort --wide",
    text="-j -M --section --start-address --stop-address --format --radix",
    maybe="--demangle --disassemble",
)
_CHECKED: Mapping[str, Table] = {
    "yamllint": table("-s --strict --no-warnings", text="-d -f --format", read="-c --config-file"),
    "shellcheck": table(
        "-a -x --norc --check-sourced --external-sources --version",
        text="-f -s -S -e -i -o -C -W --format --shell --severity --exclude --include --enable --color "
        "--wiki-link-count",
        maybe="-C --color",
    ),
    "shfmt": table("-d -l -s -ci -bn -sr -kp -fn -mn -f --diff --list --version", text="-i -ln", words=True),
    "gofmt": table("-l -d -s -e", text="-r"),
    "clang-format": table(
        "-n --dry-run --Werror --verbose --version", text="--style -style --fallback-style", words=True
    ),
    "xmllint": table(
        "--noout --nonet --format --recover --noblanks --version", text="--xpath", read="--schema --relaxng"
    ),
    "hadolint": table("--no-fail --no-color", text="-f --format --ignore"),
    "actionlint": table("-no-color -oneline", words=True),
    "ag": table(
        "-aciFHlLnoQsSuUvwz0 --nocolor --nogroup --hidden --count --files-with-matches --files-without-matches "
        "--ignore-case --literal --case-sensitive --smart-case --unrestricted --vimgrep --word-regexp --invert-match "
        "--only-matching --numbers --column --noheading --nofilename --filename",
        text="-A -B -C -G -m -g --file-search-regex --max-count --ignore --ignore-dir --depth",
        maybe="--after --before --context",
        operands="text read",
        here=True,
    ),
    "yq": table(
        "-rPeMCNjn --raw-output --prettyPrint --exit-status --no-colors --colors --no-doc --tojson "
        "--null-input --unwrapScalar",
        text="-o -p -I --output-format --input-format --indent",
        operands="text read",
    ),
}


def _sqlite(words: Sequence[Word]) -> Use:
    found = scan(_SQLITE, words)
    if not {"-readonly", "-safe"} <= found.names:
        found.doubt(0, "sqlite3 without -readonly and -safe may change the database, or run what a view of it calls")
    for each in found.operands[1:]:
        text = each.word.text
        harmless = text is not None and (
            _DOTTED.fullmatch(text) or (_SQL.fullmatch(text) and not _SQL_REACHES_OUT.search(text))
        )
        if not harmless:
            found.doubt(each.at, "only one SELECT that reaches no file is known to be harmless")
    if len(found.operands) < 2:
        found.doubt(0, "sqlite3 without a statement runs its input")
    return used(_SQLITE, found)


def _openssl(words: Sequence[Word]) -> Use:
    verb = words[1].text if len(words) > 1 else None
    known = {"x509": _X509, "dgst": _DIGEST, "sha256": _DIGEST, "version": table("-a -v", operands="", words=True)}.get(
        verb or ""
    )
    if known is None:
        return doubtful(min(1, len(words) - 1), f"openssl {verb or ''} is not known merely to show")
    return used(known, scan(known, words, 2))


def _ruff(words: Sequence[Word]) -> Use | None:
    """It neither keeps a cache nor mends, whatever the project's configuration says."""
    verb = words[1].text if len(words) > 1 else None
    if verb not in ("check", "format"):
        return None
    found = scan(_RUFF, words, 2)
    harmless = {"check": {"--no-fix", "--diff"}, "format": {"--check", "--diff"}}[verb]
    if "--no-cache" not in found.names or not found.names & harmless:
        return None
    return files_of_options(words, used(_RUFF, found))


def _pip(words: Sequence[Word]) -> Use | None:
    if len(words) < 2 or words[1].text not in ("show", "check", "list", "freeze"):
        return None
    return used(_PIP, scan(_PIP, words, 2))


def _only_with(options: frozenset[str], known: Table) -> Perhaps:
    """An interpreter that with one of these options checks a file's grammar; nothing known of it without."""

    def reader(words: Sequence[Word]) -> Use | None:
        found = scan(known, words)
        # `bash -n +n FILE` runs the file: words with a plus are options too.
        plain = known is not _SYNTAX or all((each.word.text or "+")[0] != "+" for each in found.operands)
        return used(known, found) if found.names & options and not found.doubts and plain else None

    return reader


def _binary(words: Sequence[Word]) -> Use:
    """Of binutils: `@file` would be a file of options, one of which loads code."""
    return files_of_options(words, used(_BINARY, scan(_BINARY, words)))


def _table(known: Table) -> Reader:
    return lambda words: used(known, scan(known, words))


def _clang_format(words: Sequence[Word]) -> Use:
    use = files_of_options(words, read_words(_CHECKED["clang-format"], words))
    reads_style = any("file:" in (word.text or "") for word in words)
    return (
        replace(use, doubts=(*use.doubts, *doubtful(0, "a style may be read from anywhere").doubts))
        if reads_style
        else use
    )


def _xmllint(words: Sequence[Word]) -> Use:
    use = read_words(_CHECKED["xmllint"], words)
    remote = any(word.text is None or "://" in word.text for word in words)
    return replace(use, doubts=(*use.doubts, *doubtful(0, "an address is fetched").doubts)) if remote else use


def _yq(words: Sequence[Word]) -> Use:
    """Its own operators, or those of jq, may load files."""
    use = read_words(_CHECKED["yq"], words)
    loads = any(word.text is None or _LOADS.search(word.text) for word in words)
    return replace(use, doubts=(*use.doubts, *doubtful(0, "its program may load files").doubts)) if loads else use


_SYNTAX = table("-n", operands="read text")
_CHECKERS: Mapping[str, Reader] = {
    **{name: _table(known) for name, known in _CHECKED.items()},
    "clang-format": _clang_format,
    "xmllint": _xmllint,
    "yq": _yq,
    "sqlite3": _sqlite,
    "openssl": _openssl,
    "objdump": _binary,
    "nm": _binary,
    "size": _binary,
}
_PERHAPS: Mapping[str, Perhaps] = {
    "ruff": _ruff,
    "pip": _pip,
    "pip3": _pip,
    "php": _only_with(names("-l"), table("-l")),
    "node": _only_with(names("-c --check"), table("-c --check")),
    "bash": _only_with(names("-n"), _SYNTAX),
    "sh": _only_with(names("-n"), _SYNTAX),
}


def read_checker(name: str, words: Sequence[Word]) -> Use | None:
    """What a program that checks would do; None for one that may do more."""
    if name in _CHECKERS:
        return _CHECKERS[name](words)
    return _PERHAPS[name](words) if name in _PERHAPS else None
