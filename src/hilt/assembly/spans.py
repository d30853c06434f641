"""Who else hears what happens: the log of Hilt's own messages, and OpenTelemetry where the settings ask for it."""

import logging

from hilt.assembly.config import Config
from hilt.runtime.runtime import Runtime


def make_heard(runtime: Runtime, config: Config) -> None:
    """Set the level of Hilt's own messages, and make a span of every call where `trace.otel` says so.

    Where spans go is not set here: the program's own provider takes them, or the one that its `OTEL_*` variables name.
    Raises `MissingExtra`.
    """
    logging.getLogger("hilt").setLevel((config.text("log.level") or "warning").upper())
    if config.value("trace.otel") is True:
        from hilt.adapters import otel  # lazy: needs an extra

        otel.listen(runtime)
