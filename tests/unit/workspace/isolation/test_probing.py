"""Trying isolation out: proved is what holds, and what is remembered is believed only from the person's own file."""

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from hilt.calls.resolver import Property
from hilt.store.home import VARIABLE
from hilt.workspace.isolation.isolation import Bounds, Isolation
from hilt.workspace.isolation.ladder import bare
from hilt.workspace.isolation.probe_cache import FAILED_FOR_S, FILE, MOST_KEPT
from hilt.workspace.isolation.probe_scene import Proof
from hilt.workspace.isolation.probing import proof_of
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.walls import Walls
from tests.isolated import RUNGS, isolation

ALL = frozenset(get_args(Property))
BARE = Proof(works=True, proved=frozenset({"kill_complete"}), weaknesses=("modes",))


class Through:
    """A wall that is a program before the command."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        return Walls(prefix=self._words)

    def close(self) -> None:
        """Nothing is kept running."""


def through(*words: str) -> "type[Isolation] | object":
    return lambda bounds: replace(nothing(bounds), rung="bubblewrap", properties=ALL, wall=Through(*words))


def nothing(bounds: Bounds) -> Isolation:
    return bare(bounds, "a test")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which proofs are remembered; nothing is in it yet."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state/cache" / FILE


@pytest.mark.parametrize("rung", RUNGS)
def test_a_rung_of_this_machine_proves_all_that_it_promises(rung: str) -> None:
    made = isolation(rung, Bounds(roots=("/",)))  # type: ignore[arg-type]  # a rung's name

    proof = proof_of(lambda bounds: isolation(rung, bounds), cached=False)  # type: ignore[arg-type]  # a rung's name

    assert (proof.works, proof.trouble) == (True, "")
    assert proof.proved == made.properties


def test_without_a_wall_every_forbidden_act_is_seen_to_succeed() -> None:
    assert proof_of(nothing, cached=False) == BARE


def test_a_wall_that_only_says_that_it_isolates_proves_nothing() -> None:
    assert proof_of(through("env"), cached=False).proved == BARE.proved  # type: ignore[arg-type]  # a maker


@pytest.mark.parametrize(
    ("words", "trouble"),
    [
        (("sh", "-c", "echo 'no namespaces here' >&2; exit 1", "-"), "no namespaces here"),
        (("false",), "it ended before everything was tried"),
        (("/no/such/program",), ""),
    ],
)
def test_a_wall_in_which_nothing_runs_is_told_with_its_own_words(words: tuple[str, ...], trouble: str) -> None:
    proof = proof_of(through(*words), cached=False)  # type: ignore[arg-type]  # a maker

    assert (proof.works, proof.proved) == (False, frozenset())
    assert proof.trouble.startswith(trouble)
    assert proof.trouble


def test_a_machine_without_what_a_rung_needs_and_a_state_that_cannot_be_kept_prove_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert proof_of(lambda _: None) == Proof(works=False, trouble="what it needs is not on this machine")
    monkeypatch.setenv(VARIABLE, "/dev/null/state")
    assert not proof_of(nothing).works


def test_a_state_folder_with_a_long_name_hides_no_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / ("long" * 30)))

    assert proof_of(nothing, cached=False) == BARE


def test_what_was_proved_is_taken_from_the_file_until_the_way_to_isolate_is_another(cache: Path) -> None:
    assert proof_of(nothing) == BARE
    [name] = json.loads(cache.read_text())
    assert cache.stat().st_mode & 0o777 == 0o600
    put(cache, name, trouble="remembered")
    assert proof_of(nothing).trouble == "remembered"
    assert proof_of(nothing, cached=False) == BARE
    assert proof_of(nothing) == BARE

    proof_of(through("env"))  # type: ignore[arg-type]  # a maker

    assert len(json.loads(cache.read_text())) == 2


def put(cache: Path, name: str, *, trouble: str) -> None:
    kept = {"works": True, "proved": sorted(ALL), "weaknesses": [], "trouble": trouble}
    cache.write_text(json.dumps({name: kept}), encoding="utf-8")


def test_that_nothing_could_be_run_is_remembered_for_a_while_only(cache: Path) -> None:
    failing = through("false")
    proof_of(failing)  # type: ignore[arg-type]  # a maker
    kept = json.loads(cache.read_text())
    [name] = kept
    kept[name]["trouble"] = "remembered"
    cache.write_text(json.dumps(kept), encoding="utf-8")
    assert proof_of(failing).trouble == "remembered"  # type: ignore[arg-type]  # a maker

    for at in (time.time() - FAILED_FOR_S, time.time() + FAILED_FOR_S, "now"):
        kept[name]["at"] = at
        cache.write_text(json.dumps(kept), encoding="utf-8")
        assert proof_of(failing).trouble != "remembered"  # type: ignore[arg-type]  # a maker


@pytest.mark.parametrize("how", ["writable by others", "a link", "no JSON", "another form", "no object", "a pipe"])
def test_a_file_that_is_not_only_ours_or_has_another_form_is_ignored(cache: Path, tmp_path: Path, how: str) -> None:
    proof_of(nothing)
    [name] = json.loads(cache.read_text())
    put(cache, name, trouble="forged")
    if how == "writable by others":
        cache.chmod(0o666)
    elif how == "a link":
        cache.rename(tmp_path / "elsewhere")
        cache.symlink_to(tmp_path / "elsewhere")
    elif how == "a pipe":
        cache.unlink()
        os.mkfifo(cache)
    else:
        cache.write_text({"no JSON": "{", "another form": json.dumps({name: {"works": 1}}), "no object": "[]"}[how])

    assert proof_of(nothing) == BARE


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_ignored(cache: Path) -> None:
    proof_of(nothing)
    [name] = json.loads(cache.read_text())
    put(cache, name, trouble="forged")
    os.chown(cache, 12345, 12345)

    assert proof_of(nothing) == BARE


def test_the_file_does_not_grow_without_end(cache: Path) -> None:
    proof_of(nothing)
    [name] = json.loads(cache.read_text())
    entry = json.loads(cache.read_text())[name]
    cache.write_text(json.dumps({str(number): entry for number in range(2 * MOST_KEPT)}), encoding="utf-8")

    proof_of(nothing)

    kept = json.loads(cache.read_text())
    assert len(kept) == MOST_KEPT
    assert {name, str(2 * MOST_KEPT - 1)} <= set(kept)


def test_nothing_of_a_try_is_left_behind(cache: Path) -> None:
    proof_of(nothing)

    assert [each.name for each in cache.parent.iterdir()] == [FILE]
    assert "probe_inside" not in sys.modules
