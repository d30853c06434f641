"""What a set of declarations costs every turn, row by row; the rows and the preamble are the total.

Each declaration is counted by itself, as compact JSON of name, description and input schema, so
that a row is what leaving the tool out would save. What a provider adds on its own side is not
counted, for nobody outside can see it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hilt.declarations.declaration import Declaration
from hilt.declarations.schema import Frozen, compact
from hilt.results.counting import Counter, utf8_length

PREAMBLE = '"tools":[]'
"""What a request holds as soon as it holds tools, whatever their number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One declaration to be counted: where it comes from, its description as rendered, whether it can wait."""

    server: str
    declaration: Declaration
    description: str
    deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one tool costs. `name_schema_bytes` leaves the description out, `description_bytes` is nothing else."""

    name: str
    server: str
    name_schema_bytes: int
    description_bytes: int
    bytes: int
    tokens: int
    deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """All rows. `counter` names what counted; tokens of the preamble and of every row sum to `total`."""

    rows: tuple[Row, ...]
    preamble: int
    counter: str

    @property
    def total(self) -> int:
        """Tokens with every tool in the request."""
        return self.preamble + sum(row.tokens for row in self.rows)

    @property
    def resident(self) -> int:
        """Tokens of every turn: without the tools that wait to be asked for."""
        return self.preamble + sum(row.tokens for row in self.rows if not row.deferred)

    @property
    def bytes(self) -> int:
        """Bytes of every row."""
        return sum(row.bytes for row in self.rows)

    def by_server(self) -> dict[str, "Bill"]:
        """A bill for each server, in the order they come, none of them with the preamble."""
        servers: dict[str, list[Row]] = {}
        for row in self.rows:
            servers.setdefault(row.server, []).append(row)
        return {name: Bill(rows=tuple(rows), preamble=0, counter=self.counter) for name, rows in servers.items()}


def bill(entries: Iterable[Entry], counter: Counter) -> Bill:
    """What these declarations cost together."""
    rows: Sequence[Row] = [_row(entry, counter) for entry in entries]
    return Bill(rows=tuple(rows), preamble=counter.count(PREAMBLE) if rows else 0, counter=counter.name)


def _row(entry: Entry, counter: Counter) -> Row:
    declaration = entry.declaration
    whole = declared_text(declaration.name, entry.description, declaration.parameters)
    bare = compact({"name": declaration.name, "input_schema": declaration.parameters})
    return Row(
        name=declaration.name,
        server=entry.server,
        name_schema_bytes=utf8_length(bare),
        description_bytes=utf8_length(entry.description),
        bytes=utf8_length(whole),
        tokens=counter.count(whole),
        deferred=entry.deferred,
    )


def declared_text(name: str, description: str, parameters: Frozen) -> str:
    """A declaration as it is counted."""
    return compact({"name": name, "description": description, "input_schema": parameters})
