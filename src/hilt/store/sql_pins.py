"""Pins in SQL: each verb one function inside a transaction that its caller began."""

from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from hilt.catalog.pins import Pin, Pinned, findings_read, findings_text
from hilt.store.locks import hold
from hilt.store.protocol import Revise
from hilt.store.schema import PINNED_SERVERS, PINS

LOCK = "pins"
"""Under which pins change: what is accepted of one server depends on the names of all."""

_ADD = insert(PINS)
_ONE = PINS.c.server == bindparam("of_server")
_CHANGE = update(PINS).where(_ONE, PINS.c.tool == bindparam("of_tool"))
_FORGET = delete(PINS).where(_ONE, PINS.c.tool == bindparam("of_tool"))
_OTHERS = select(PINS.c.server, PINS.c.tool).where(~_ONE, PINS.c.accepted != "", PINS.c.gone.is_(None))


def pinned(connection: Connection, server: str | None) -> list[Pinned]:
    """What is known of one server, or of each, by name."""
    asked, servers = select(PINS).order_by(PINS.c.place), select(PINNED_SERVERS).order_by(PINNED_SERVERS.c.server)
    if server is not None:
        asked, servers = asked.where(PINS.c.server == server), servers.where(PINNED_SERVERS.c.server == server)
    pins: dict[str, list[Pin]] = {}
    for row in connection.execute(asked):
        pins.setdefault(row.server, []).append(_pin(row))
    return [
        Pinned(server=row.server, source=row.source, pins=tuple(pins.get(row.server, ())))
        for row in connection.execute(servers)
    ]


def revise_pins(connection: Connection, server: str, revise: Revise) -> tuple[Pinned, Pinned]:
    """What was known of the server, and what is now."""
    hold(connection, LOCK)
    found = pinned(connection, server)
    before = found[0] if found else Pinned(server=server)
    others = {(row.server, row.tool) for row in connection.execute(_OTHERS, {"of_server": server})}
    after = revise(before, others)
    _write(connection, before, after)
    _enter(connection, after, known=bool(found))
    return before, after


def _write(connection: Connection, before: Pinned, after: Pinned) -> None:
    """Only what is no longer as it was."""
    known = {pin.tool: pin for pin in before.pins}
    new = [pin for pin in after.pins if pin.tool not in known]
    other = [pin for pin in after.pins if pin.tool in known and pin != known[pin.tool]]
    gone = known.keys() - {pin.tool for pin in after.pins}
    if new:
        connection.execute(_ADD, [{"server": after.server, "tool": pin.tool, **_row(pin)} for pin in new])
    if other:
        connection.execute(_CHANGE, [{"of_server": after.server, "of_tool": pin.tool, **_row(pin)} for pin in other])
    if gone:
        connection.execute(_FORGET, [{"of_server": after.server, "of_tool": tool} for tool in gone])


def _enter(connection: Connection, after: Pinned, *, known: bool) -> None:
    """The server itself; one of which nothing is known any more is forgotten."""
    here = PINNED_SERVERS.c.server == after.server
    if not after.pins and not after.source:
        connection.execute(delete(PINNED_SERVERS).where(here))
    elif known:
        connection.execute(update(PINNED_SERVERS).where(here).values(source=after.source))
    else:
        connection.execute(insert(PINNED_SERVERS).values(server=after.server, source=after.source))


def _row(pin: Pin) -> dict[str, Any]:
    return {
        "place": pin.place,
        "accepted": pin.accepted,
        "accepted_document": pin.accepted_document,
        "accepted_at": pin.accepted_at,
        "accepted_by": pin.accepted_by,
        "seen": pin.seen,
        "seen_document": pin.seen_document,
        "seen_at": pin.seen_at,
        "gone": pin.gone,
        "findings": findings_text(pin.findings),
    }


def _pin(row: Row[Any]) -> Pin:
    return Pin(
        tool=row.tool,
        place=row.place,
        accepted=row.accepted,
        accepted_document=row.accepted_document,
        accepted_at=row.accepted_at,
        accepted_by=row.accepted_by,
        seen=row.seen,
        seen_document=row.seen_document,
        seen_at=row.seen_at,
        gone=row.gone,
        findings=findings_read(row.findings),
    )
