"""`hilt bill --watch`: one line that is drawn again on a terminal, and printed when it changed elsewhere."""

import sys
import time
from collections.abc import Callable

from hilt.cli.output import Out

INTERVAL_S = 1.0


def watch(out: Out, line: Callable[[], str]) -> int:
    """Say the line now and whenever it is another, until Ctrl-C."""
    shown = ""
    try:
        while True:
            now = line()
            if now != shown:
                _say(out, now, again=bool(shown))
                shown = now
            time.sleep(INTERVAL_S)
    except KeyboardInterrupt:
        if out.watched:
            sys.stdout.write("\n")
        return 0


def _say(out: Out, text: str, *, again: bool) -> None:
    if out.watched and not out.json:
        sys.stdout.write(("\r\x1b[K" if again else "") + text[: out.width - 1])
        sys.stdout.flush()
    else:
        out.answer({"line": text}, text)
