"""A host that has one server and says so; then it lives until it is killed.

python tests/unit/adapters/upstream/host.py FOLDER
"""

import sys
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[4]))
from tests.unit.adapters.upstream.kept import kept, place


async def main(folder: Path) -> None:
    async with kept(place("child", folder)) as upstream:
        await upstream.tools()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]))
