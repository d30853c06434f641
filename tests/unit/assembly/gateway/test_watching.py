"""Settings that change while a gateway runs."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from hilt.assembly import consents
from hilt.assembly.config import Config, read_config
from hilt.assembly.gateway.consent import consent_of
from hilt.assembly.gateway.named import servers_of
from hilt.assembly.gateway.watching import follow
from tests.unit.assembly.gateway.kit import Behind, Told, behind, until

OFTEN_S = 0.02


def write(folder: Path, *servers: Told, more: str = "") -> None:
    tables = [
        f"[servers.{each.name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in each.table().items())
        for each in servers
    ]
    fresh = folder / "fresh"
    fresh.write_text(more + "".join(tables))
    fresh.replace(folder / "hilt.toml")


def config_of(folder: Path) -> Config:
    return read_config(file=folder / "hilt.toml", organisation=folder / "no")


@asynccontextmanager
async def followed(folder: Path) -> AsyncGenerator[Behind]:
    config = config_of(folder)
    async with behind(*servers_of(config).specs) as held, anyio.create_task_group() as group:
        group.start_soon(lambda: follow(held.gateway, config, every_s=OFTEN_S))
        yield held
        group.cancel_scope.cancel()


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


async def test_servers_come_and_go_with_the_settings_and_the_others_are_left_alone(tmp_path: Path) -> None:
    one, two, three = (Told(tmp_path, name, "read") for name in ("one", "two", "three"))
    write(tmp_path, one, two)

    async with followed(tmp_path) as held:
        write(tmp_path, one, three)
        await until(lambda: sorted(held.names) == ["one__read", "three__read"])
        write(tmp_path, one, three, more="[results]\nturn_tokens = 9000\n")
        write(tmp_path, one)
        await until(lambda: held.names == ["one__read"])

    assert (one.starts, two.starts, three.starts) == (1, 1, 1)


async def test_settings_that_cannot_be_read_change_nothing_and_are_told(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "read")
    write(tmp_path, one)

    async with followed(tmp_path) as held:
        write(tmp_path, one, more="nonsense = [\n")
        await until(lambda: any("cannot be read" in note for note in held.gateway.notes))
        assert held.names == ["one__read"]
        write(tmp_path, one, more='servers_from = ["gone.json"]\n')
        await until(lambda: any("gone.json" in note for note in held.gateway.notes))
        answer = await held.call("one__read")

    assert not answer.result.is_error
    assert any("servers stay as they are" in note for note in answer.result.notes)


async def test_settings_that_were_not_read_from_files_are_not_followed(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "read")

    async with behind(one.spec()) as held:
        with anyio.fail_after(5):
            await follow(held.gateway, Config(settings={}), every_s=OFTEN_S)

    assert one.starts == 1


@pytest.mark.parametrize(
    "content", ["a = " + "[" * 100_000, f"[servers.{'.'.join('a' * 20_000)}]\n", "a = " + "9" * 5_000]
)
async def test_settings_that_no_reader_gets_through_end_no_server(tmp_path: Path, content: str) -> None:
    one = Told(tmp_path, "one", "read")
    write(tmp_path, one)
    async with followed(tmp_path) as held:
        write(tmp_path, more=content)
        await until(lambda: any("servers stay as they are" in note for note in held.gateway.notes))
        answer = await held.call("one__read")
    assert not answer.result.is_error


async def test_settings_in_whose_place_a_pipe_stands_are_not_waited_for(tmp_path: Path) -> None:
    one, two = Told(tmp_path, "one", "read"), Told(tmp_path, "two", "read")
    (tmp_path / "others.json").write_text(json.dumps({"mcpServers": {}}))
    write(tmp_path, one, more='servers_from = ["others.json"]\n')
    async with followed(tmp_path) as held:
        (tmp_path / "others.json").unlink()
        os.mkfifo(tmp_path / "others.json")
        await until(lambda: any("no regular file" in note for note in held.gateway.notes))
        write(tmp_path, one, two)
        await until(lambda: sorted(held.names) == ["one__read", "two__read"])


async def test_a_yes_given_before_the_first_look_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "home"))
    one = Told(tmp_path, "one", "read")
    (tmp_path / "others.json").write_text(json.dumps({"mcpServers": {"one": one.table()}}))
    write(tmp_path, more='servers_from = ["others.json"]\n')
    config = config_of(tmp_path)
    (spec,) = servers_of(config).specs
    async with behind(spec) as held, anyio.create_task_group() as group:
        assert held.state("one").state == "off"
        group.start_soon(lambda: follow(held.gateway, config, every_s=0.5))
        await anyio.sleep(0.1)  # it has noted where it begins, and looks at nothing yet
        consents.give(consent_of(spec))
        await until(lambda: held.names == ["one__read"])
        group.cancel_scope.cancel()
