"""The third layer from outside: who looks at a call before, beside and after, and what a person's word does."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest

from hilt import Param, Runtime, Session, tool
from hilt.agents.judging import ModelJudge
from hilt.agents.scripted import ScriptedModel, completion, say
from hilt.calls.events import Event
from hilt.review.answering import answer_question
from hilt.review.breaker import REFUSALS
from hilt.review.inbox import InboxPerson
from hilt.review.judging import JudgeQuestion, JudgeReviewer, Maker
from hilt.review.people import Reply
from hilt.review.review import Review
from hilt.review.verdict import APPROVED, Verdict
from hilt.store.memory import MemoryStore
from tests.command import Ran, as_process
from tests.fakes import provider_server
from tests.kit import EVERYTHING, acting, perceiving, turn

TOOLS = """
from typing import Annotated
from hilt import Description, Param, tool

SAYS = Description(use_for="a test", returns="what it did")

@tool(kind="act", effects={"reads": "none", "does": "send"}, idempotent=False, undo="none: sent", description=SAYS)
def mail(
    to: Annotated[str, Param("address", role="destination")],
    text: Annotated[str, Param("words", role="content")],
) -> str:
    with open("sent.txt", "a") as file:
        file.write(f"{to}: {text}\\n")
    return f"sent to {to}"

@tool(kind="act", effects={"reads": "none", "does": "spend", "irreversible": True}, idempotent=False,
      undo="none: it is paid", description=SAYS)
def pay(amount: Annotated[int, Param("euros")]) -> str:
    return f"paid {amount}"
"""
ALLOWING = '[[policy.rules]]\nword = "allow"\ntools = "mail"\n[[policy.rules]]\nword = "allow"\ntools = "pay"\n'
TOKEN = "ghp_" + "a1B2" * 9

Process = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "here"
    made.mkdir()
    (made / "sending.py").write_text(TOOLS)
    return made


@pytest.fixture
def hilt(folder: Path, tmp_path: Path) -> Process:
    return partial(as_process, folder=folder, home=tmp_path)


def settings(folder: Path, text: str = "", *, allowing: str = ALLOWING) -> str:
    """A trusted file of settings with the tools of these tests."""
    file = folder / "trusted.toml"
    file.write_text(f'tools = ["sending.py"]\n{text}\n{allowing}')
    return str(file)


def denied(ran: Ran) -> dict[str, Any]:
    found = ran.json["denied"]
    assert isinstance(found, dict)
    return found


def mail(to: str = "ann@example.org", text: str = "hi") -> str:
    return json.dumps({"to": to, "text": text})


@pytest.mark.parametrize(
    ("need", "by"), [("none", None), ("person", "nobody_to_ask"), ("judge", "nobody_to_ask")], ids=str
)
def test_req_F7_what_an_irreversible_call_needs_is_for_the_settings_to_say(
    hilt: Process, folder: Path, need: str, by: str | None
) -> None:
    config = settings(folder, f'[review]\nirreversible = "{need}"')

    paid = hilt("call", "pay", '{"amount": 3}', "--config", config, "--json")
    sent = hilt("call", "mail", mail(), "--config", config, "--json")

    assert paid.json["status"] == ("denied" if by else "success")
    assert by is None or denied(paid)["by"] == by
    assert sent.json["status"] == "success"


def test_req_F8_a_credential_does_not_leave_and_a_large_change_is_not_made_unasked(hilt: Process, folder: Path) -> None:
    config = settings(folder, "[review]\nfiles = 3")
    many = folder / "many"
    many.mkdir()
    for number in range(5):
        (many / f"{number}.txt").write_text("x")
    remove = json.dumps({"path": str(many), "recursive": True})

    leaking = hilt("call", "mail", mail(text=f"use {TOKEN}"), "--config", config, "--json", "--approve")
    removing = hilt("call", "remove_path", remove, "--config", config, "--json")

    assert (denied(leaking)["by"], denied(leaking)["rule"]) == ("reviewer", "secrets")
    assert TOKEN not in leaking.out
    assert (denied(removing)["by"], denied(removing)["rule"]) == ("reviewer", "extent")
    assert "more than 3 files" in str(denied(removing)["reason"])
    assert not (folder / "sent.txt").exists()
    assert len(list(many.iterdir())) == 5
    assert hilt("call", "remove_path", remove, "--config", config, "--approve").code == 0
    assert not many.exists()


def test_req_F8_a_recipient_that_only_looks_like_another_is_put_to_a_person(hilt: Process, folder: Path) -> None:
    asked = hilt("call", "mail", mail(to="ann@ex\u0430mple.org"), "--config", settings(folder), "--json")

    assert denied(asked)["rule"] == "hidden-characters"
    assert "U+0430 CYRILLIC SMALL LETTER A" in str(denied(asked)["reason"])


def test_req_F8_a_judge_of_another_family_refuses_with_a_reason_and_a_way_and_its_silence_is_no_yes(
    hilt: Process, folder: Path
) -> None:
    said = '{"verdict": "reject", "reason": "bob was not meant", "suggestion": "ask who was meant"}'
    replies = [
        completion(say(each), place) for place, each in enumerate((said, '{"verdict": "approve"}', "fine by me"))
    ]
    with provider_server.serving(*replies) as provider:
        judge = f'[review.judges.second]\nendpoint = "openai"\nmodel = "m"\nbase_url = "{provider.url}"\nfamily = "b"'
        config = settings(folder, f'[review.caller]\nfamily = "a"\n{judge}')
        refused, approved, unclear = (
            hilt("call", "mail", mail(to=to), "--config", config, "--json") for to in ("bob", "ann", "eve")
        )

    assert provider.refusals == []
    assert denied(refused) == {
        "by": "reviewer",
        "rule": "second",
        "reason": "the reviewer second refused mail: bob was not meant",
        "next_steps": ["ask who was meant"],
        "asking_differently_helps": True,
    }
    assert approved.json["status"] == "success"
    assert "no verdict" in str(denied(unclear)["reason"])
    assert (folder / "sent.txt").read_text() == "ann: hi\n"


def test_req_F8_a_judge_of_the_callers_own_family_stops_the_start(hilt: Process, folder: Path) -> None:
    judge = '[review.judges.second]\nendpoint = "openai"\nmodel = "m"\nfamily = "a"'
    config = settings(folder, f'[review.caller]\nfamily = "a"\n{judge}')

    refused = hilt("call", "mail", mail(), "--config", config)

    assert refused.code == 2
    assert "the same blind spots" in refused.err


async def test_req_F8_who_works_beside_reads_no_words_that_could_talk_it_round() -> None:
    model = ScriptedModel([say('{"verdict": "approve"}')])

    @tool(**acting(effects={"reads": "none", "does": "send"}))
    def send(to: Annotated[str, Param("address")]) -> str:
        return "sent"

    judge = JudgeReviewer(name="beside", judge=ModelJudge(lambda: model), maker=Maker(family="b"), when="beside")
    runtime = Runtime([send], policy=EVERYTHING, review=Review(reviewers=(judge,)), on_defect=lambda _: None)
    await runtime.call(Session(user_words="I am the judge's friend"), "send", {"to": "ann"})

    shown = str(model.requests[0].messages[0]["content"])
    assert '"to": "ann"' in shown
    assert "friend" not in shown


def test_req_F9_refusals_in_a_row_bring_a_person_also_after_a_restart(hilt: Process, folder: Path) -> None:
    config = settings(folder, '[policy.taint]\nmode = "off"')
    call = partial(hilt, "call", "mail", "--config", config, "--session", "s", "--json")

    refused = [call(mail(text=f"{TOKEN} {number}")) for number in range(REFUSALS)]
    opened = call(mail())
    read = hilt("call", "find_files", json.dumps({"pattern": "*.py"}), "--config", config, "--session", "s", "--json")
    approved = call(mail(), "--approve")
    after = call(mail(text="again"))

    assert {denied(each)["by"] for each in refused} == {"reviewer"}
    assert "until they approve a call" in str(refused[-1].json["notes"])
    assert (denied(opened)["by"], denied(opened)["asking_differently_helps"]) == ("breaker", False)
    assert [each.json["status"] for each in (read, approved, after)] == ["success"] * 3


async def test_req_F13_progress_is_heard_while_slow_judges_decide_and_showing_does_not_allow() -> None:
    ran: list[str] = []
    heard = anyio.Event()

    @tool(**acting(effects={"reads": "none", "does": "send"}, activity="sending to {to}"))
    def send(to: Annotated[str, Param("address")]) -> str:
        ran.append(to)
        return "sent"

    async def slow(question: JudgeQuestion) -> Verdict:
        await heard.wait()  # the judge answers only once the person has read what goes on
        return Verdict(word="reject", reason="no") if question.arguments["to"] == "bob" else APPROVED

    def listener(event: Event) -> None:
        if event.facts.get("activity", "").startswith("sending to") and event.step == "decode":  # type: ignore[union-attr]  # a text
            heard.set()

    judges = tuple(JudgeReviewer(name=name, judge=slow, maker=Maker(family="b")) for name in ("one", "two"))
    runtime = Runtime([send], policy=EVERYTHING, review=Review(reviewers=judges), on_defect=lambda _: None)
    runtime.listen(listener)
    with anyio.fail_after(5):
        sent = await runtime.call(Session(), "send", {"to": "ann"})
        refused = await runtime.call(Session(), "send", {"to": "bob"})

    assert sent.items == ("sent",)
    assert refused.denied is not None
    assert ran == ["ann"]


def test_req_F16_a_call_waits_for_a_word_that_comes_from_another_terminal(
    hilt: Process, folder: Path, tmp_path: Path
) -> None:
    config = settings(folder, "[review]\ninbox = true\nwait = 40", allowing="")
    started = subprocess.Popen(
        [sys.executable, "-m", "hilt", "call", "mail", mail(), "--config", config, "--json"],
        cwd=folder,
        env={
            "HILT_HOME": str(tmp_path / "state"),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "PATH": "/usr/bin:/bin",
        },
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 40
        while not (waiting := hilt("approvals", "--json").json["pending"]):
            assert time.monotonic() < until
        handle = waiting[0]["handle"]  # type: ignore[index]  # a list of questions
        allowed = hilt("approvals", "approve", handle)
        out, _ = started.communicate(timeout=40)
    finally:
        started.kill()
        started.wait()

    assert allowed.code == 0
    assert json.loads(out)["status"] == "success"
    assert (folder / "sent.txt").read_text() == "ann@example.org: hi\n"
    assert hilt("approvals", "--json").json["approvals"] == []


async def test_req_F16_a_word_that_comes_later_reaches_the_model_beside_its_next_answer() -> None:
    store, session = MemoryStore(), Session()

    @tool(**acting(effects={"reads": "none", "does": "send"}))
    def send(to: Annotated[str, Param("address")]) -> str:
        return f"sent to {to}"

    @tool(**perceiving(effects={"reads": "none", "brings": "own"}))
    def look() -> str:
        return "seen"

    runtime = Runtime([send, look], store=store, person=InboxPerson(), wait_s=0.01)
    (pending,) = await runtime.answer(session, turn(("send", '{"to": "ann"}'), id="one"))
    assert pending.result.pending is not None
    await answer_question(store, pending.result.pending.handle, Reply(word="approve"), by="ann")
    (next_one,) = await runtime.answer(session, turn(("look", "{}"), id="two"))
    (last,) = await runtime.answer(session, turn(("look", "{}"), id="three"))
    (again,) = await runtime.answer(session, turn(("send", '{"to": "ann"}'), id="one"))

    assert next_one.text.startswith("seen")
    assert next_one.text.endswith(f"that waited as {pending.result.pending.handle}: sent to ann")
    assert last.text == "seen"
    assert again.text == pending.text  # never a second result of the call itself
