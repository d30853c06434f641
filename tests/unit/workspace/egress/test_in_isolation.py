"""Commands behind the first rung reach the hosts a person allowed, and nothing else."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolated import behind, ran
from tests.unit.workspace.egress.test_proxy import serving

ASKING = """
import sys, urllib.error, urllib.request
for url in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(url, timeout=20).read().decode())
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode())
    except OSError as error:
        print("no way:", error)
"""


@pytest.fixture(scope="module")
def website() -> Iterator[int]:
    with serving() as port:
        yield port


async def test_an_allowed_host_is_reached_by_programs_that_know_of_proxies_and_no_other_is(
    tmp_path: Path, website: int
) -> None:
    (tmp_path / "ask.py").write_text(ASKING, encoding="utf-8")
    urls = f"http://localhost.test:{website}/ http://site.invalid:{website}/in"
    script = f"no_proxy= NO_PROXY= {sys.executable} ask.py http://localhost:{website}/in {urls}"

    async with behind("bubblewrap", tmp_path, hosts=(f"localhost:{website}",)) as processes:
        status, said = await ran(processes, script, tmp_path)
        direct = await ran(processes, f"(echo x > /dev/tcp/127.0.0.1/{website}) 2>&1", tmp_path)

    assert status == 0, said
    assert f"/in localhost:{website} None" in said
    assert said.count("403 hilt: ") == 2
    assert "localhost.test" in said
    assert "is not among the hosts that commands may reach" in said
    assert direct[0] != 0
    assert "refused" in direct[1]


async def test_what_a_command_leaves_behind_and_the_next_command_keep_to_the_same_rules(
    tmp_path: Path, website: int
) -> None:
    (tmp_path / "ask.py").write_text(ASKING, encoding="utf-8")
    ask = f"no_proxy= NO_PROXY= {sys.executable} ask.py http://localhost:{website}"

    async with behind("bubblewrap", tmp_path, hosts=(f"localhost:{website}",)) as processes:
        for number in range(3):
            status, said = await ran(processes, f"{ask}/{number} & wait", tmp_path)
            assert (status, f"/{number} localhost" in said) == (0, True), said


async def test_a_command_keeps_its_exit_code_input_and_words_behind_the_proxy(tmp_path: Path) -> None:
    async with behind("bubblewrap", tmp_path, hosts=("example.org",)) as processes:
        status, said = await ran(processes, 'printf "%s|" "$0" "a  b" \'$x\'; ls /proc/$$/fd | wc -l; exit 7', tmp_path)
        bare = await ran(processes, "jobs; ps ax 2>/dev/null | grep -c forwarder; true", tmp_path)

    assert status == 7
    assert "a  b|$x|" in said
    assert "forwarder.py" not in bare[1]


async def test_without_hosts_there_is_no_way_out_at_all(tmp_path: Path, website: int) -> None:
    (tmp_path / "ask.py").write_text(ASKING, encoding="utf-8")
    async with behind("bubblewrap", tmp_path) as processes:
        _, said = await ran(processes, f"{sys.executable} ask.py http://localhost:{website}/ ; env", tmp_path)

    assert "no way:" in said
    assert "3128" not in said
