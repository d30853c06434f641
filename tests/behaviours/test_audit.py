"""`hilt audit` from outside: sets of tools that close a chain, and sets that do not."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest

from tests.command import Hilt, in_process

TEXT = {"type": "string"}
LEGS = ("private", "third_party", "way_out")


def written(name: str, says: str = "", hints: Mapping[str, bool] | None = None, **parameters: object) -> object:
    schema = {"type": "object", "properties": parameters}
    return {"name": name, "description": says, "inputSchema": schema, "annotations": dict(hints or {})}


MAILBOX = written("read_mailbox", "Read the messages of the mailbox.", folder=TEXT)
BALANCE = written("get_balance", "Get the balance of the account.", account=TEXT)
CONTACTS = written("list_contacts", "List the contacts.")
NEWS = written("search_news", "Search the web for news.", query=TEXT)
REVIEWS = written("hotel_reviews", "Returns reviews that guests wrote.", hotel=TEXT)
PAGE = written("open_page", "Fetch a web page.", {"readOnlyHint": True}, url=TEXT)
SEND = written("send_letter", "Send a letter.", recipients=TEXT, text=TEXT)
PAY = written("send_money", "Send money.", iban=TEXT, reason=TEXT)
SHELL = written("terminal", "Execute a shell command.", command=TEXT)
NOTE = written("write_note", "Write a note to a file.", path=TEXT, text=TEXT)


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Hilt:
    return in_process(monkeypatch, capfd, tmp_path)


@pytest.fixture
def target(tmp_path: Path) -> Callable[..., str]:
    def write(*tools: object, name: str = "theirs") -> str:
        file = tmp_path / "here" / f"{name}.json"
        file.write_text(json.dumps({"name": name, "tools": tools}), encoding="utf-8")
        return file.name

    return write


@pytest.mark.parametrize(
    ("tools", "witness"),
    [
        ([MAILBOX, SEND, NEWS], {"read_mailbox", "send_letter"}),
        ([BALANCE, REVIEWS, PAY], {"get_balance", "hotel_reviews", "send_money"}),
        ([CONTACTS, PAGE], {"list_contacts", "open_page"}),
        ([SHELL], {"terminal"}),
    ],
)
def test_req_F11_a_closed_chain_is_found_with_the_tools_that_close_it(
    hilt: Hilt, target: Callable[..., str], tools: Sequence[object], witness: set[str]
) -> None:
    ran = hilt("audit", target(*tools), "--json")
    chains = ran.json["chains"]

    assert ran.code == 1
    assert isinstance(chains, list)
    assert [set(each["tools"]) for each in chains] == [witness]
    assert set(chains[0]["legs"]) == set(LEGS)
    assert set(chains[0]["legs"].values()) == witness


@pytest.mark.parametrize(
    "tools",
    [
        [MAILBOX, BALANCE, CONTACTS],
        [NEWS, REVIEWS],
        [NEWS, REVIEWS, PAGE],
        [SEND, PAY],
        [MAILBOX, NEWS, REVIEWS, NOTE],
        [BALANCE, CONTACTS, SEND, PAY],
    ],
)
def test_req_F11_a_set_that_lacks_a_leg_closes_nothing(
    hilt: Hilt, target: Callable[..., str], tools: Sequence[object]
) -> None:
    ran = hilt("audit", target(*tools), "--json")

    assert (ran.code, ran.json["chains"], ran.json["cut"]) == (0, [], [])


def test_req_F11_the_cut_is_the_fewest_tools_without_which_nothing_is_closed(
    hilt: Hilt, target: Callable[..., str]
) -> None:
    tools = [MAILBOX, CONTACTS, SEND, PAGE]
    found = hilt("audit", target(*tools), "--json").json

    assert found["cut"] == ["send_letter", "open_page"]
    assert found["cut_arguments"] == {"send_letter": ["recipients"], "open_page": ["url"]}
    assert hilt("audit", target(MAILBOX, CONTACTS)).code == 0
    for left in combinations(tools, len(tools) - 1):
        assert hilt("audit", target(*left)).code == 1


def test_req_F11_targets_are_one_set_together_and_names_that_meet_are_told_apart(
    hilt: Hilt, target: Callable[..., str]
) -> None:
    reading, sending = target(MAILBOX, name="one"), target(SEND, MAILBOX, name="two")

    assert hilt("audit", reading).code == 0
    found = hilt("audit", reading, sending, "--json").json
    assert isinstance(found["chains"], list)
    assert {tuple(each["tools"]) for each in found["chains"]} == {
        ("one/read_mailbox", "send_letter"),
        ("two/read_mailbox", "send_letter"),
    }


def test_req_F11_the_built_in_shelf_is_judged_where_no_target_is_named(hilt: Hilt) -> None:
    ran = hilt("audit")

    assert ran.code == 1
    assert "run_command" in ran.out
    assert max(len(line) for line in ran.out.splitlines()) <= 80


def test_req_F11_the_text_says_who_closes_it_why_and_what_to_take_out(hilt: Hilt, target: Callable[..., str]) -> None:
    said = " ".join(hilt("audit", target(MAILBOX, SEND, NEWS)).out.split())

    assert "closed: 1 chain among 3 tools" in said
    assert 'private data: read_mailbox, "read" with "mailbox" in its name' in said
    assert 'way out: send_letter(recipients), "recipients" names who receives' in said
    assert "smallest cut: 1 tool, each a way out send_letter(recipients)" in said


def test_req_F11_what_is_left_out_of_the_list_is_counted_and_the_option_that_shows_it_named(
    hilt: Hilt, target: Callable[..., str]
) -> None:
    tools = [written(f"read_mail_{number}", "Read mail.") for number in range(9)]
    file = target(*tools, SEND)

    assert "4 more; --limit N lists N of them, --limit 0 all" in hilt("audit", file).out
    assert "more; --limit" not in hilt("audit", file, "--limit", "0").out
    short = hilt("audit", file, "--limit", "2", "--json").json
    assert isinstance(short["chains"], list)
    assert (len(short["chains"]), short["chains_total"], short["truncated"]) == (2, 9, True)


def test_req_F11_undeclared_legs_count_where_the_audit_is_strict(hilt: Hilt, target: Callable[..., str]) -> None:
    file = target(BALANCE)

    assert hilt("audit", file).code == 0
    assert "1 of 1 tools declare no effects" in hilt("audit", file).out
    assert hilt("audit", file, "--strict").code == 1


def test_req_F11_a_tool_that_shows_nothing_counts_as_everything(hilt: Hilt, target: Callable[..., str]) -> None:
    ran = hilt("audit", target(written("frobnicate", x=TEXT)))

    assert ran.code == 1
    assert "so it counts as everything" in " ".join(ran.out.split())


def test_req_F11_a_draft_edited_by_a_person_is_believed(hilt: Hilt, target: Callable[..., str], tmp_path: Path) -> None:
    file = target(written("frobnicate", x=TEXT))
    assert hilt("audit", file, "--draft", "-o", "drafted.toml").code == 0
    drafted = tmp_path / "here" / "drafted.toml"

    assert hilt("audit", file, "--effects", "drafted.toml").code == 1
    drafted.write_text('[effects."theirs.frobnicate"]\nreads = "none"\ndoes = ["write"]\n', encoding="utf-8")
    assert hilt("audit", file, "--effects", "drafted.toml").code == 0
    drafted.write_text('[effects."theirs.frobnicated"]\nreads = "none"\n', encoding="utf-8")
    assert "which no target has" in hilt("audit", file, "--effects", "drafted.toml").err
    drafted.write_text('[effects."theirs.frobnicate"]\nread = "none"\n', encoding="utf-8")
    assert hilt("audit", file, "--effects", "drafted.toml").code == 2


def test_req_F11_what_declares_its_effects_is_not_drafted(hilt: Hilt) -> None:
    ran = hilt("audit", "--draft")

    assert (ran.code, "[effects" in ran.out) == (0, False)
    assert "nothing to draft" in ran.err


def test_req_F11_a_set_of_no_tools_is_a_verdict_too(hilt: Hilt, target: Callable[..., str]) -> None:
    ran = hilt("audit", target(), "--json")

    assert (ran.code, ran.json["chains"], ran.json["tools"]) == (0, [], [])


def test_req_F11_sarif_has_what_a_code_host_asks_for(hilt: Hilt, target: Callable[..., str]) -> None:
    ran = hilt("audit", target(MAILBOX, SEND, PAGE, written("frobnicate", x=TEXT)), "--format", "sarif")
    log = json.loads(ran.out)
    run = log["runs"][0]

    assert ran.code == 1
    assert log["version"] == "2.1.0"
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert {each["ruleId"] for each in run["results"]} >= {"S601", "S602", "S603"}
    for each in run["results"]:
        assert rules[each["ruleIndex"]] == each["ruleId"]
        assert each["message"]["text"]
        assert each["partialFingerprints"]
        assert each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "theirs.json"
    assert len({each["partialFingerprints"]["hiltFinding/v1"] for each in run["results"]}) == len(run["results"])
    assert hilt("audit", "--format", "sarif", "--json").code == 2


def test_req_F11_fail_on_says_which_findings_fail(hilt: Hilt, target: Callable[..., str]) -> None:
    file = target(NEWS, PAGE)

    assert hilt("audit", file).code == 0
    assert hilt("audit", file, "--fail-on", "warning").code == 1
    assert hilt("audit", target(SHELL), "--fail-on", "never").code == 0


def test_req_F11_what_cannot_be_read_is_no_verdict(hilt: Hilt, target: Callable[..., str]) -> None:
    assert hilt("audit", "nowhere.json").code == 2
    assert hilt("audit", "nowhere.json", target(SHELL), "--json").code == 2
    assert hilt("audit", target(SHELL), "--effects", "none.toml").code == 2


def test_req_F11_suites_of_agentdojo_are_closed_with_a_witness_and_their_single_legs_are_not(
    hilt: Hilt, shared: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    suites = json.loads((shared / "data" / "dojo" / "traces.json").read_bytes())["tools"]
    flagged, wrong = 0, 0
    for suite, tools in suites.items():
        file = tmp_path / "here" / f"{suite}.json"
        file.write_text(json.dumps({"name": suite, "tools": tools}), encoding="utf-8")
        found = hilt("audit", file.name, "--json").json
        flagged += bool(found["chains"])
        legs = found["legs"]
        assert isinstance(legs, dict)
        subsets = [[each] for each in tools] + [_without(tools, legs[leg]) for leg in LEGS]
        for subset in subsets:
            file.write_text(json.dumps({"name": suite, "tools": subset}), encoding="utf-8")
            wrong += hilt("audit", file.name).code != 0
    record_property(
        "report", f"audit of AgentDojo: {flagged} of {len(suites)} suites closed, {wrong} single legs flagged"
    )

    assert (flagged, wrong) == (len(suites), 0)


def _without(tools: list[dict[str, object]], names: list[str]) -> list[dict[str, object]]:
    return [each for each in tools if each["name"] not in names]


def test_req_F11_every_real_dump_is_judged(
    hilt: Hilt, shared: Path, record_property: Callable[[str, object], None]
) -> None:
    files = sorted(str(each) for each in (shared / "data" / "toolsets").glob("*.json"))
    began = time.process_time()
    found = hilt("audit", *files, "--json").json
    took = time.process_time() - began
    tools, findings = found["tools"], found["findings"]
    assert isinstance(tools, list)
    assert isinstance(findings, list)
    record_property("report", f"audit: {len(tools)} tools of {len(files)} servers in {took:.2f} s of work")

    assert sum(len(json.loads(Path(each).read_bytes())["tools"]) for each in files) == len(tools)
    assert [each for each in findings if each["code"] == "S603"] == []
