"""Finding the tool for a need among the 714 of 28 real servers: how often, how fast, in what memory, for which tokens.

    benchmarks/run tool_search                                    the figures, as rows
    benchmarks/.venv/bin/python benchmarks/tool_search.py         the whole table
    ... --queries FILE --missed 5                                 other needs; those that are not among the first five

Needs are labelled by hand, in English and Chinese: `shared/data/tool-search/queries.jsonl`, by whoever wrote the tables
of words, so what it shows is too good; and `tool_search_second.jsonl` beside this file, by somebody who had not seen
them. An engine is right at k where one of the tools that would do is among its first k. Peers get the same words, split
and stemmed as ours are, and no tables; they are timed with their own tokenizer. Brackets are Wilson's 95 %.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path

from measuring import Row, in_turns, medians, process_megabytes, ratio

from hilt.assembly.counter import counter
from hilt.assembly.meaning import meaning
from hilt.catalog.finding import one_line
from hilt.catalog.ranking import Document, Index
from hilt.catalog.search_document import bag, schema_texts
from hilt.catalog.search_words import stems
from hilt.errors import MissingExtra

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared" / "data"
FIRST, SECOND = SHARED / "tool-search" / "queries.jsonl", HERE / "tool_search_second.jsonl"
LEFT_OUT = "agentdojo"
PAGE = 10
MANY = 10_000
MOST_TOKENS, MOST_MEGABYTES, MOST_RATIO, MOST_US = 900, 60, 2.0, 1_000
LEAST = {
    ("lexical", "en"): (25, 50),
    ("lexical", "zh"): (40, 65),
    ("static", "en"): (28, 55),
    ("embed", "en"): (45, 70),
    ("embed", "zh"): (50, 72),
    ("lexical, server named", "en"): (40, 65),
}
"""Right at 1 and at 5 of a hundred needs, at least."""
NEVER = 10**9
Find = Callable[[str, str], Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    lang: str
    text: str
    gold: frozenset[str]

    @property
    def server(self) -> str:
        return sorted(self.gold)[0].partition("/")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=Path, action="append", help="a file of needs, instead of both sets")
    parser.add_argument("--missed", type=int, metavar="K", help="show what lexical search has not among its first K")
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--json", action="store_true", help="one JSON object a row")
    parser.add_argument("--memory", choices=["lexical", "static"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if not SHARED.exists():
        print(f"no declarations at {SHARED}: they are the maintainers' and no part of this tree", file=sys.stderr)
        return
    tools = declared()
    if asked.memory:
        print(megabytes(tools, asked.memory))
        return
    for file in asked.queries or [each for each in (FIRST, SECOND) if each.exists()]:
        measure(file, tools, asked)
    for row in (*speed(tools, 9 if asked.full else 3), *memory()):
        told(row, asked)


def declared() -> list[tuple[Document, str]]:
    """Every tool as it is searched, and its definition as a request carries it."""
    found = []
    for file in sorted((SHARED / "toolsets").glob("*.json")):
        for each in json.loads(file.read_text())["tools"] if file.stem != LEFT_OUT else ():
            title = each.get("title") or (each.get("annotations") or {}).get("title") or ""
            description, parameters = each.get("description") or "", each.get("inputSchema") or {}
            document = Document(
                server=file.stem, name=each["name"], description=description, parameters=parameters, title=title
            )
            whole = {"name": each["name"], "description": description, "input_schema": parameters}
            found.append((document, json.dumps(whole, ensure_ascii=False, separators=(",", ":"))))
    return found


def needs(file: Path) -> list[Need]:
    lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    return [Need(lang=each["lang"], text=each["query"], gold=frozenset(each["gold"])) for each in lines]


def measure(file: Path, tools: list[tuple[Document, str]], asked: argparse.Namespace) -> None:
    """The figures of one file of needs."""
    documents = [document for document, _ in tools]
    ids = [f"{each.server}/{each.name}" for each in documents]
    wanted = [
        Need(lang=each.lang, text=each.text, gold=gold) for each in needs(file) if (gold := each.gold & frozenset(ids))
    ]
    costs = Costs(tools)
    say(f"{file.name}: {len(wanted)} needs among {len(documents)} tools", asked)
    for name, find in engines(documents).items():
        ranked = [find(each.text, each.server if name.endswith("named") else "") for each in wanted]
        ranks = [rank(places, ids, each) for places, each in zip(ranked, wanted, strict=True)]
        tokens = statistics.median(costs.until(places, r) for places, r in zip(ranked, ranks, strict=True))
        for lang in ("en", "zh"):
            own = [r for r, each in zip(ranks, wanted, strict=True) if each.lang == lang]
            say(f"  {name:22} {lang}  " + "   ".join(share(own, most) for most in (1, 5, 10)), asked)
            for row in rows(file.stem, name, lang, own):
                told(row, asked, quiet=True)
        say(f"  {name:22} tokens until loaded, median: {tokens:,.0f}", asked)
        if name == "static":
            detail = "one-liners read and wrong definitions loaded before it included"
            named = f"tool search {file.stem}: until loaded"
            told(Row(name=named, goal=MOST_TOKENS, value=tokens, unit="tokens", detail=detail), asked)
        if name == "lexical" and asked.missed:
            for each, r, places in zip(wanted, ranks, ranked, strict=True):
                if r > asked.missed:
                    say(f"    {r:4} {each.text!r} {sorted(each.gold)} not {[ids[p] for p in places[:3]]}", asked)


def engines(documents: list[Document]) -> dict[str, Find]:
    """What finds, by name. What is not installed is left out."""
    found: dict[str, Find] = {}
    for name, index in indexes(documents).items():
        found[name] = lambda text, server, index=index: index.find(text).places
        found[f"{name}, server named"] = lambda text, server, index=index: index.find(text, server=server).places
    return found | peers(documents)


def indexes(documents: list[Document]) -> dict[str, Index]:
    found = {}
    for name in ("lexical", "static", "embed"):
        try:
            found[name] = Index(documents, meaning(name))
        except MissingExtra as error:
            print(f"  {name}: {error.problem}", file=sys.stderr)
    return found


def peers(documents: list[Document]) -> dict[str, Find]:
    """`rank-bm25` and `bm25s` over the same words; a document without any word of the need is not returned."""
    texts = [
        [each for each, times in bag(document).items() for _ in range(max(round(times), 1))] for document in documents
    ]
    found: dict[str, Find] = {}
    try:
        from rank_bm25 import BM25Okapi

        okapi = BM25Okapi(texts)
        found["rank-bm25"] = lambda text, _: ordered(okapi.get_scores(list(stems(text))))
    except ImportError:
        print("  rank-bm25 is not installed", file=sys.stderr)
    try:
        found["bm25s"] = by_bm25s(texts)
    except ImportError:
        print("  bm25s is not installed", file=sys.stderr)
    return found


def by_bm25s(texts: list[list[str]]) -> Find:
    import bm25s

    sparse = bm25s.BM25()
    sparse.index(texts, show_progress=False)

    def find(text: str, server: str) -> Sequence[int]:
        places, scores = sparse.retrieve([list(stems(text))], k=len(texts), show_progress=False)
        return [int(place) for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    return find


def ordered(scores: Sequence[float]) -> list[int]:
    return sorted((place for place, score in enumerate(scores) if score > 0), key=lambda place: (-scores[place], place))


def rank(places: Sequence[int], ids: list[str], need: Need) -> int:
    return next((number for number, place in enumerate(places, 1) if ids[place] in need.gold), NEVER)


def share(ranks: list[int], most: int) -> str:
    right, count = sum(rank <= most for rank in ranks), len(ranks)
    if not count:
        return "-"
    low, high = wilson(right, count)
    return f"@{most} {100 * right / count:3.0f} [{low:2.0f}-{high:3.0f}]"


def wilson(right: int, count: int) -> tuple[float, float]:
    """The interval in which the share lies, 95 times in a hundred."""
    z, part = 1.96, right / count
    middle, wide = part + z * z / (2 * count), z * sqrt(part * (1 - part) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    return 100 * (middle - wide) / whole, 100 * (middle + wide) / whole


def rows(file: str, name: str, lang: str, ranks: list[int]) -> list[Row]:
    """How many needs of a hundred are missed at 1 and at 5, where there is a goal."""
    made = []
    for most, least in zip((1, 5), LEAST.get((name, lang), ()), strict=False):
        missed = 100 * sum(rank > most for rank in ranks) / len(ranks) if ranks else 100.0
        detail = f"{share(ranks, most)} of {len(ranks)}"
        named = f"tool search {file}: {name} {lang} @{most}"
        made.append(Row(name=named, goal=100 - least, value=missed, unit="% missed", detail=detail))
    return made


class Costs:
    """Tokens until the right definition is loaded: each page of lines, and each definition loaded till then."""

    def __init__(self, tools: list[tuple[Document, str]]) -> None:
        count = counter("o200k_base").count
        self._lines = [count(f"{each.server}/{each.name}: {one_line(each.description)}\n") for each, _ in tools]
        self._definitions = [count(whole) for _, whole in tools]

    def until(self, places: Sequence[int], right: int) -> int:
        if right == NEVER:
            return NEVER
        pages = -(-right // PAGE) * PAGE
        return sum(self._lines[place] for place in places[:pages]) + sum(
            self._definitions[place] for place in places[:right]
        )


def speed(tools: list[tuple[Document, str]], rounds: int) -> list[Row]:
    """A query, in the middle of all, beside the same query asked of bm25s on the same tools."""
    documents = [document for document, _ in tools]
    texts = [each.text for each in needs(FIRST)]
    finds = {name: find for name, find in engines(documents).items() if not name.endswith("named")}
    if "bm25s" not in finds:
        return []
    finds["bm25s"] = ten_of_bm25s(documents)
    measured = in_turns({name: lambda find=find: middle(find, texts) for name, find in finds.items()}, rounds)
    made = []
    detail = medians(measured, "us", "lexical", "bm25s")
    made.append(
        Row(
            name="tool search: lexical / bm25s",
            goal=MOST_RATIO,
            value=ratio(measured, "lexical", "bm25s"),
            detail=detail,
        )
    )
    # No ratio is asked of it: bm25s compares no meaning.
    detail = f"{ratio(measured, 'static', 'bm25s'):.1f}x of bm25s"
    middling = statistics.median(measured["static"])
    made.append(Row(name="tool search: static, a query", goal=MOST_US, value=middling, unit="us", detail=detail))
    again = in_turns(
        {
            "index": lambda: timed(lambda: Index(documents)),
            "with static": lambda: timed(lambda: Index(documents, meaning("static"))),
        },
        rounds,
    )
    for name, values in again.items():
        made.append(
            Row(
                name=f"tool search: {name} of {len(documents)} tools",
                goal=300,
                value=statistics.median(values) / 1e3,
                unit="ms",
            )
        )
    return made


def ten_of_bm25s(documents: list[Document]) -> Find:
    """As its users do: its own tokenizer, and the ten best."""
    import bm25s

    sparse = bm25s.BM25()
    texts = [" ".join((each.server, each.name, each.description, *schema_texts(each.parameters))) for each in documents]
    sparse.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def find(text: str, _: str) -> Sequence[int]:
        asked = bm25s.tokenize([text], show_progress=False)
        return sparse.retrieve(asked, k=PAGE, show_progress=False)[0][0]

    return find


def middle(find: Find, texts: list[str]) -> float:
    return statistics.median(timed(lambda text=text: find(text, "")) for text in texts)


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e6


def memory() -> list[Row]:
    """What an index of ten thousand tools takes, in a process of its own."""
    made = []
    for name in ("lexical", "static"):
        command = [sys.executable, __file__, "--memory", name]
        value = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        made.append(Row(name=f"tool search: {name}, {MANY:,} tools", goal=MOST_MEGABYTES, value=value, unit="MB"))
    return made


def megabytes(tools: list[tuple[Document, str]], name: str) -> float:
    """Memory that the index takes beside its documents, with a word of its own for each tool."""
    documents = [
        Document(
            server=f"{each.server}{number}",
            name=f"{each.name}_{number}x{place}",
            description=each.description,
            parameters=each.parameters,
        )
        for number in range(MANY // len(tools) + 1)
        for place, (each, _) in enumerate(tools)
    ][:MANY]
    before = process_megabytes("VmRSS")
    index = Index(documents, meaning(name))
    index.find("send a message to the team")
    return process_megabytes("VmRSS") - before


def say(text: str, asked: argparse.Namespace) -> None:
    print(text, file=sys.stderr if asked.json else sys.stdout, flush=True)


def told(row: Row, asked: argparse.Namespace, *, quiet: bool = False) -> None:
    """A row for the recorder, or for people where the table has not said it."""
    from measuring import line

    if asked.json:
        print(json.dumps(asdict(row)), flush=True)
    elif not quiet or row.reached is False:
        print(f"  {line(row)}", flush=True)


if __name__ == "__main__":
    main()
