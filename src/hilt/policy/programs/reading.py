"""Programs that read files, or nothing, and print: each with the options known to be harmless."""

from collections.abc import Mapping

from hilt.policy.programs.options import Table, table

_TEXTUAL = table("--help --version")
_NO_FILES = table("--help --version", operands="", more=_TEXTUAL)

_SUMS = table(
    "-bctwz --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn",
    more=_TEXTUAL,
    tame=True,
)

READING: Mapping[str, Table] = {
    "cat": table(
        "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
        more=_TEXTUAL,
        tame=True,
    ),
    "tac": table("-br --before --regex", text="-s --separator", more=_TEXTUAL, tame=True),
    "rev": table("-h -V", more=_TEXTUAL, tame=True),
    "nl": table(
        "-p --no-renumber",
        text="-b -d -f -h -i -l -n -s -v -w --body-numbering --number-format --number-width --number-separator "
        "--starting-line-number --line-increment",
        more=_TEXTUAL,
        tame=True,
    ),
    "head": table(
        "-qvz --quiet --silent --verbose --zero-terminated",
        text="-n -c --lines --bytes",
        numbers=True,
        more=_TEXTUAL,
        tame=True,
    ),
    "tail": table(
        "-fFqvz --quiet --silent --verbose --zero-terminated --retry",
        text="-n -c -s --lines --bytes --pid --sleep-interval --max-unchanged-stats",
        maybe="--follow",
        numbers=True,
        more=_TEXTUAL,
        tame=True,
    ),
    "wc": table("-clmLw --bytes --chars --lines --max-line-length --words", text="--total", more=_TEXTUAL, tame=True),
    "cut": table(
        "-nsz --complement --only-delimited --zero-terminated",
        text="-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
        more=_TEXTUAL,
        tame=True,
    ),
    "tr": table(
        "-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands="text", more=_TEXTUAL, tame=True
    ),
    "sort": table(
        "-bcCdfghiMmnRrsuVz --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort "
        "--human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse "
        "--stable --unique --version-sort --zero-terminated --merge --check --debug",
        text="-k -t -S --key --field-separator --sort --buffer-size --parallel --batch-size",
        maybe="--check",
        more=_TEXTUAL,
    ),
    "uniq": table(
        "-cdDiuz --count --repeated --ignore-case --unique --zero-terminated",
        text="-f -s -w --skip-fields --skip-chars --check-chars",
        maybe="--all-repeated --group",
        most=1,
        more=_TEXTUAL,
    ),
    "comm": table(
        "-123z --check-order --nocheck-order --total --zero-terminated",
        text="--output-delimiter",
        more=_TEXTUAL,
        tame=True,
    ),
    "join": table(
        "-iz --ignore-case --check-order --nocheck-order --header --zero-terminated",
        text="-a -e -j -o -t -v -1 -2",
        more=_TEXTUAL,
        tame=True,
    ),
    "paste": table("-sz --serial --zero-terminated", text="-d --delimiters", more=_TEXTUAL, tame=True),
    "fold": table("-bcs --bytes --spaces", text="-w --width", numbers=True, more=_TEXTUAL, tame=True),
    "fmt": table(
        "-cstu --crown-margin --split-only --tagged-paragraph --uniform-spacing",
        text="-w -g -p --width --goal --prefix",
        numbers=True,
        more=_TEXTUAL,
        tame=True,
    ),
    "column": table(
        "-txeLnJ --table --fillrows --keep-empty-lines",
        text="-c -s -o -N -R -r -H -l --separator --output-separator --table-columns --table-right --output-width",
        more=_TEXTUAL,
        tame=True,
    ),
    "expand": table("-i --initial", text="-t --tabs", more=_TEXTUAL, tame=True),
    "unexpand": table("-a --all --first-only", text="-t --tabs", more=_TEXTUAL, tame=True),
    "od": table(
        "-abcdDfFiloOsvxX --output-duplicates --traditional",
        text="-A -j -N -S -t --address-radix --skip-bytes --read-bytes --format --endian",
        maybe="-w --width",
        more=_TEXTUAL,
        tame=True,
    ),
    "hexdump": table("-bcCdovx", text="-e -n -s", more=_TEXTUAL),
    "hd": table("-bcCdovx", text="-n -s", more=_TEXTUAL),
    "xxd": table("-abCdeEipu", text="-c -g -l -s -o", most=1, more=_TEXTUAL),
    "strings": table(
        "-afowd --all --print-file-name --data",
        text="-n -t -e --bytes --radix --encoding",
        numbers=True,
        more=_TEXTUAL,
        tame=True,
    ),
    "base64": table("-di --decode --ignore-garbage", text="-w --wrap", more=_TEXTUAL, tame=True),
    "base32": table("-di --decode --ignore-garbage", text="-w --wrap", more=_TEXTUAL, tame=True),
    "iconv": table("-cls --list --silent", text="-f -t --from-code --to-code", more=_TEXTUAL),
    "numfmt": table(
        "--debug --header --zero-terminated -z",
        text="-d --from --to --suffix --field --format --padding --round --delimiter",
        maybe="--header",
        operands="text",
        more=_TEXTUAL,
        tame=True,
    ),
    "shuf": table("-erz --echo --repeat --zero-terminated", text="-i -n --input-range --head-count", more=_TEXTUAL),
    "diff": table(
        "-abBcdeEHinNpqrsTtuvwyZ --brief --report-identical-files --context --unified --ed --normal --rcs "
        "--side-by-side --expand-tabs --recursive --new-file --ignore-case --ignore-all-space "
        "--ignore-space-change --ignore-trailing-space --ignore-blank-lines --text --minimal "
        "--speed-large-files --suppress-common-lines --left-column --strip-trailing-cr --no-dereference "
        "--show-c-function --unidirectional-new-file --show-function-line",
        text="-C -U -W -x -I -F -L --exclude --label --width --tabsize --ignore-matching-lines "
        "--show-function-line --horizon-lines",
        maybe="--context --unified --color",
        more=_TEXTUAL,
        through=True,
        tame=True,
    ),
    "cmp": table(
        "-bls --print-bytes --verbose --quiet --silent",
        text="-i -n --ignore-initial --bytes",
        operands="read read text",
        more=_TEXTUAL,
        tame=True,
    ),
    "stat": table(
        "-fLtx --dereference --file-system --terse", text="-c --format --printf --cached", more=_TEXTUAL, tame=True
    ),
    "file": table(
        "-bciIkLhNprsv0 --brief --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference --raw",
        text="-F -e --separator --exclude",
        more=_TEXTUAL,
    ),
    "du": table(
        "-0abcDhHklLmPsSx --all --apparent-size --bytes --total --human-readable --summarize "
        "--one-file-system --separate-dirs --si --null --count-links --dereference-args --no-dereference "
        "--inodes",
        text="-d -B -t --max-depth --exclude --block-size --threshold",
        maybe="--time --time-style",
        tame=True,
        here=True,
        follows=frozenset({"-L", "--dereference"}),
        more=_TEXTUAL,
    ),
    "df": table(
        "-aBhHiklPTv --all --human-readable --inodes --local --portability --print-type --si --total",
        text="-t -x --type --exclude-type --block-size",
        maybe="--output",
        more=_TEXTUAL,
        tame=True,
    ),
    "tree": table(
        "-adfilxpsugDhFNQrtUcvAnCSqJ --noreport --dirsfirst --prune --gitignore --du --si --inodes --device "
        "--ignore-case --matchdirs",
        text="-L -P -I --filelimit --timefmt --charset",
        maybe="--sort",
        here=True,
        follows=frozenset({"-l"}),
        more=_TEXTUAL,
    ),
    "ls": table(
        "-1aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ --all --almost-all --author --escape --directory --dired "
        "--classify --no-group --human-readable --si --dereference-command-line --inode --kibibytes "
        "--dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name "
        "--reverse --recursive --size --context --full-time --group-directories-first --zero --file-type",
        text="-I -T -w --ignore --hide --block-size --format --indicator-style --quoting-style --sort --time "
        "--time-style --tabsize --width",
        maybe="--color --hyperlink --classify",
        here=True,
        more=_TEXTUAL,
        tame=True,
    ),
    "lsblk": table("-abdfilmnoprSt --all --fs --json -J", text="-o --output", operands="text", more=_TEXTUAL),
    "readlink": table(
        "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet "
        "--silent --verbose --zero",
        more=_TEXTUAL,
        tame=True,
    ),
    "realpath": table(
        "-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip "
        "--no-symlinks --zero",
        text="--relative-to --relative-base",
        more=_TEXTUAL,
        tame=True,
    ),
    "md5sum": _SUMS,
    **dict.fromkeys(("sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"), _SUMS),
    "cksum": table(
        "-bctwz --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn "
        "--untagged --raw",
        text="-a -l --algorithm --length",
        more=_TEXTUAL,
        tame=True,
    ),
    **dict.fromkeys(("zcat", "bzcat", "xzcat", "zstdcat"), table("-f", more=_TEXTUAL)),
    "zipinfo": table("-12smlvhtTz", operands="read text", more=_TEXTUAL),
    "shasum": table("-bctUq0", text="-a --algorithm", more=_TEXTUAL),
    "dpkg": table("-lLSs --list --listfiles --search --status --print-architecture", operands="text", more=_TEXTUAL),
    "readelf": table(
        "-adehlnrsSuVWA --all --file-header --program-headers --section-headers --headers --syms --dynamic "
        "--notes --wide --relocs",
        text="-p -x",
        more=_TEXTUAL,
    ),
    "namei": table("-lmnovx", more=_TEXTUAL, tame=True),
}
"""Options by program; what is read is the operands."""

SAYING: Mapping[str, Table] = {
    "pwd": table("-LP", operands="", more=_NO_FILES),
    "seq": table("-w --equal-width", text="-f -s --format --separator", operands="text", numbers=True, more=_TEXTUAL),
    "factor": table("-h", operands="text", more=_TEXTUAL),
    "basename": table("-az --multiple --zero", text="-s --suffix", operands="text", more=_TEXTUAL, tame=True),
    "dirname": table("-z --zero", operands="text", more=_TEXTUAL, tame=True),
    "which": table("-as --all", operands="text", more=_TEXTUAL, tame=True),
    "whereis": table("-bmsu", operands="text", more=_TEXTUAL, tame=True),
    "type": table("-aftpP", operands="text", tame=True),
    "sleep": table("", operands="text", more=_TEXTUAL),
    "wait": table("-n", operands="text"),
    "whoami": _NO_FILES,
    "id": table("-agGnruzZ --group --groups --name --real --user --zero --context", operands="text", more=_TEXTUAL),
    "groups": table("", operands="text", more=_TEXTUAL),
    "users": _NO_FILES,
    "who": table("-abdHlmpqrstTuw --all --boot --heading --count --users", operands="", more=_NO_FILES),
    "w": table("-hsfiop", operands="", more=_NO_FILES),
    "tty": table("-s", operands="", more=_NO_FILES),
    "uname": table(
        "-amnprsvio --all --kernel-name --nodename --kernel-release --machine --operating-system",
        operands="",
        more=_NO_FILES,
    ),
    "arch": _NO_FILES,
    "nproc": table("--all", text="--ignore", operands="", more=_NO_FILES),
    "hostname": table("-fisIdA", operands="", more=_NO_FILES),
    "hostid": _NO_FILES,
    "uptime": table("-ps --pretty --since", operands="", more=_NO_FILES),
    "free": table(
        "-bkmghltvw --bytes --kibi --mebi --gibi --human --lohi --total --wide --si", operands="", more=_NO_FILES
    ),
    "vmstat": table("-adfmnstw", operands="text", more=_TEXTUAL),
    "lscpu": table("-aJpex --all --json", operands="", maybe="-p -e", more=_NO_FILES),
    "lsb_release": table("-aidrcs --all --id --description --release --codename --short", operands="", more=_NO_FILES),
    "getconf": table("-a", operands="text"),
    "locale": table("-akcm --all-locales --charmaps", operands="text", more=_TEXTUAL),
    "cal": table("-13jmsy", operands="text", more=_TEXTUAL),
    "printenv": table("-0 --null", operands="text", more=_TEXTUAL, tame=True),
    "pgrep": table(
        "-aclfLnoivwx --list-name --list-full --full --count --newest --oldest --inverse --exact",
        text="-u -U -g -G -P -s -t -d --euid --uid --parent --delimiter",
        operands="text",
        more=_TEXTUAL,
    ),
    "pidof": table("-cqsx", text="-o -S", operands="text", more=_TEXTUAL),
    "pstree": table("-aAcghlnNpsStTuUVZ", operands="text", more=_TEXTUAL),
    "ss": table(
        "-0460aefhilmnoprstuwxHO --all --listening --numeric --processes --tcp --udp --summary",
        operands="",
        more=_NO_FILES,
    ),
    "netstat": table(
        "-46aceglnoprstuvWx --all --listening --numeric --programs --tcp --udp --route", operands="", more=_NO_FILES
    ),
    "lsof": table("-abhlnNoOPRtUvVX", text="-c -d -p -u -s -i", maybe="-i", operands="read"),
}
"""Programs that read no file a word names, but for the options that say so."""

_LONG = (
    "deno bun gem R ghc g++ cc c++ clang clang++ cmake ninja gmake gdb git-lfs svn podman helm aws gh "
    "bash sh zsh dash "
    "wget openssl sqlite3 mysql redis-server redis-cli ffmpeg pandoc shellcheck hadolint pipx nvim vim "
    "emacs "
    "protoc strace rsync zip julia lua ruff mypy eslint less man ctags yamllint actionlint black isort "
    "prettier cloc bat "
    "tmux nano code-server"
)
_DASH_V = "node nodejs npm php ruby perl lua julia gcc make docker terraform tsc"
_DASH_BIG_V = "pygmentize ssh curl pip pip3 psql uv python python3 deno tmux"

ASKED_FOR_VERSION: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_LONG.split(), frozenset({"--version"})),
    **dict.fromkeys(_DASH_BIG_V.split(), frozenset({"--version", "-V"})),
    **dict.fromkeys(_DASH_V.split(), frozenset({"--version", "-v"})),
    **dict.fromkeys(("java", "javac"), frozenset({"-version", "--version"})),
    **dict.fromkeys(("go", "kustomize"), frozenset({"version"})),
}
"""The one word with which a program says its version and runs nothing else. `bash -v` would run its input,
and `yarn`, `cargo`, `dotnet` and `mvn` look into the project for what to run before they answer."""
