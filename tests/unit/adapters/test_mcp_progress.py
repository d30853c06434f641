"""Progress of calls: rising numbers, the newest word, from any thread."""

import math
import threading

import anyio
import anyio.lowlevel
import pytest

from hilt.adapters.mcp_progress import LONGEST_WORDS, Progress, Pump, hear, heard
from hilt.calls.events import Event, Step

Word = tuple[float, float | None, str | None]


def event(step: Step = "progress", **facts: object) -> Event:
    return Event(0, "s", "s/1", "t", step, facts)


class Client:
    def __init__(self) -> None:
        self.words: list[Word] = []

    async def send(self, progress: float, total: float | None, message: str | None) -> None:
        self.words.append((progress, total, message))


async def test_numbers_rise_whatever_a_tool_says() -> None:
    client = Client()
    progress = Progress(client.send, Pump())
    said: list[object] = [None, 5, 5, 3, None, math.nan, True, "7", 6, 1e17, 1e17]
    for done in said:
        progress.hear(event(done=done, total=None, message="m"))
        await progress.flush()

    numbers = [number for number, _, _ in client.words]
    assert len(numbers) == len(said)
    assert numbers == sorted(set(numbers))
    assert numbers[1] == 5
    assert numbers[8] == 6


async def test_words_that_come_faster_than_they_are_read_give_way_to_the_newest() -> None:
    client, pump = Client(), Pump()
    progress = Progress(client.send, pump)
    progress.hear(event("decode", activity="reading"))
    for number in range(1, 1_001):
        progress.hear(event(done=number, total=1_000, message=f"at {number}"))
    progress.hear(event("answer"))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(pump.run)
            while not client.words:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
    await progress.flush()

    assert client.words == [(1_000, 1_000, "at 1000")]


async def test_a_thread_of_anyones_may_report() -> None:
    client = Client()
    progress = Progress(client.send, Pump())
    thread = threading.Thread(target=progress.hear, args=(event(done=1, total=2, message="from a thread"),))
    thread.start()
    thread.join()
    await anyio.lowlevel.checkpoint()
    await progress.flush()

    assert client.words == [(1, 2, "from a thread")]


async def test_only_calls_made_within_are_heard() -> None:
    client = Client()
    progress = Progress(client.send, Pump())
    hear(event(done=1, message="before"))
    with heard(progress):
        hear(event(done=2, message="within"))
    hear(event(done=3, message="after"))
    await progress.flush()

    assert [message for _, _, message in client.words] == ["within"]


def test_a_report_after_the_loop_has_gone_is_dropped() -> None:
    async def made() -> Progress:
        return Progress(Client().send, Pump())

    progress = anyio.run(made)
    thread = threading.Thread(target=progress.hear, args=(event(done=1, message="late"),))
    thread.start()
    thread.join()


@pytest.mark.parametrize("step", ["resolve", "answer", "verify"])
async def test_other_steps_are_no_progress(step: Step) -> None:
    client = Client()
    progress = Progress(client.send, Pump())
    progress.hear(event(step))
    await progress.flush()

    assert client.words == []


async def test_one_of_many_clients_that_does_not_read_holds_up_no_other() -> None:
    stuck, client = anyio.Event(), Client()

    async def never(progress: float, total: float | None, message: str | None) -> None:
        stuck.set()
        await anyio.sleep_forever()

    pump = Pump(patience_s=0.01)
    slow, quick = Progress(never, pump), Progress(client.send, pump)
    slow.hear(event(done=1, message="lost"))
    quick.hear(event(done=1, message="read"))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(pump.run)
            await stuck.wait()
            while not client.words:  # noqa: ASYNC110 - the client gives no event
                await anyio.sleep(0.001)
            slow.hear(event(done=2, message="lost too"))
            await slow.flush()
            group.cancel_scope.cancel()

    assert client.words == [(1, None, "read")]


async def test_a_word_is_short_and_can_be_sent_whatever_an_upstream_says() -> None:
    client = Client()
    progress = Progress(client.send, Pump())
    for message in ("half \ud800", "m" * 1_000_000):
        progress.hear(event(done=1, message=message))
        await progress.flush()
    assert [word for _, _, word in client.words] == ["half \\ud800", "m" * LONGEST_WORDS]
