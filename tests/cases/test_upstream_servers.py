"""Reports against other tool layers, on servers behind Hilt: what they answer, how long it is, and how they change."""

import base64
import json
from pathlib import Path

import anyio
import pytest

from hilt.calls.artifacts import Artifacts
from hilt.results.counting import QUARTER_BYTES
from hilt.results.envelope import Status
from hilt.results.failures import FailureKind, Outcome
from hilt.results.parts import Image
from hilt.tools.artifact_read import artifact_read
from tests.unit.adapters.samples import JPEG, PNG
from tests.unit.assembly.gateway.kit import Told, behind, entry, until

PROMISE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
CLIENTS_CAP = 25_000


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def image(content: bytes, media_type: str) -> dict[str, object]:
    return {"type": "image", "data": base64.b64encode(content).decode(), "mimeType": media_type}


async def test_a_promise_of_a_server_that_is_broken_keeps_the_text_b103(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", entry("count", outputSchema=PROMISE), count={"content": [text("ok")]})

    async with behind(one.spec()) as held:
        answer = await held.call("one__count")

    failure = answer.result.failure
    assert failure is not None
    assert (failure.kind, failure.outcome) == (FailureKind.ENVIRONMENT, Outcome.DONE)
    assert "returned none" in failure.problem
    assert answer.result.items[0] == "ok"


async def test_an_error_of_a_server_is_not_held_to_its_promise_b104(tmp_path: Path) -> None:
    said = {"isError": True, "content": [text("x is wrong")], "structuredContent": {"error": "x"}}
    one = Told(tmp_path, "one", entry("count", outputSchema=PROMISE), count=said)

    async with behind(one.spec()) as held:
        answer = await held.call("one__count")

    assert answer.result.status is Status.ERROR
    assert "x is wrong" in answer.text
    assert "declared output" not in answer.text


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (image(PNG, "image/png"), True),
        (image(JPEG, "image/png"), False),
        (image(b"<svg/>", "image/svg+xml"), False),
        (image(PNG + bytes(8_000_000), "image/png"), False),
    ],
    ids=["fits", "mislabelled", "svg", "too large"],
)
async def test_a_picture_is_a_picture_or_a_note_with_an_artifact_b106(
    tmp_path: Path, block: dict[str, object], *, shown: bool
) -> None:
    one = Told(tmp_path, "one", "picture", picture={"content": [block]})

    async with behind(one.spec(), tools=[artifact_read]) as held:
        answer = await held.call("one__picture")
        artifact = answer.result.artifact
        kept = None
        if artifact is not None:
            file = await Artifacts(held.runtime.store).open(held.session, artifact.id)
            kept = await file.read(0, artifact.bytes) if file is not None else None

    assert str(block["data"])[:60] not in answer.text
    if shown:
        assert [type(part) for part in answer.result.parts] == [Image]
        assert "1 image" in answer.text
    else:
        assert answer.result.parts == ()
        assert kept == base64.b64decode(str(block["data"]))
        assert artifact is not None
        assert artifact.id in answer.text


async def test_a_result_over_every_cap_is_shown_in_part_and_its_rest_is_read_on_b107(tmp_path: Path) -> None:
    rows = "\n".join(f"row {number}: {'value ' * 160}" for number in range(700))
    one = Told(tmp_path, "one", "rows", rows={"content": [text(rows)]})

    async with behind(one.spec(), tools=[artifact_read]) as held:
        answer = await held.call("one__rows")
        cut = answer.result.truncation
        assert cut is not None
        assert cut.otherwise is not None
        whole, following = answer.result.items[0], cut.otherwise.arguments
        while following:
            page = await held.runtime.call(held.session, artifact_read.name, following)
            whole = f"{whole}{''.join(map(str, page.items))}"
            following = page.truncation.next if page.truncation else {}

    assert QUARTER_BYTES.count(answer.text) <= 10_000 < CLIENTS_CAP
    assert whole == rows
    assert "limit=" not in answer.text


@pytest.mark.parametrize("character", ["🦊", "中", "é"])
async def test_no_character_of_a_server_is_cut_in_two_b109(tmp_path: Path, character: str) -> None:
    for shift in range(4):
        one = Told(tmp_path, f"s{shift}", "say", say={"content": [text("x" * shift + character * 60_000)]})
        async with behind(one.spec()) as held:
            answer = await held.call(f"s{shift}__say")

        assert "\ufffd" not in answer.text
        assert json.loads(json.dumps(answer.text)).encode().decode() == answer.text
        assert answer.result.truncation is not None


async def test_half_a_character_of_a_server_reaches_no_client_b109(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "say", say={"content": [text("a \ud800 b")]})

    async with behind(one.spec()) as held:
        answer = await held.call("one__say")

    assert answer.text.encode()


async def test_a_cancelled_call_ends_at_once_and_its_server_hears_of_it_b110(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "hang", "read")

    async with behind(one.spec()) as held:
        async with anyio.create_task_group() as group:
            group.start_soon(held.call, "one__hang")
            await until((one.folder / "hanging").exists)
            for key in held.runtime.running(held.session):
                held.runtime.cancel(held.session, key)
        await until((one.folder / "cancelled").exists)
        assert (await held.call("one__read")).result.status is Status.SUCCESS


async def test_a_servers_list_that_changes_is_followed_b112(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "change", "t1", entry("t3", "Reads."))

    async with behind(one.spec()) as held:
        one.lists("change", "t2", entry("t3", "Writes."))
        await held.call("one__change")
        await until(lambda: "one__t2" in held.names)
        added, gone, changed = await held.call("one__t2"), await held.call("one__t1"), await held.call("one__t3")

    assert added.result.status is Status.SUCCESS
    assert any("t2" in note for note in added.result.notes)
    assert "no longer" in gone.text
    assert changed.result.denied is not None


async def test_a_server_that_prints_beside_its_messages_is_served_b113(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "read")

    async with behind(one.spec()) as held:
        answer = await held.call("one__read")
        lines = held.state("one").last_lines

    assert answer.result.status is Status.SUCCESS
    assert any("warming up" in line for line in lines)
