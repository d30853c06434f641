"""`hilt config`: the settings in force, the source of each, the files, the schema."""

import json

import click

from hilt.assembly import keys
from hilt.assembly.config import Config
from hilt.assembly.origin import Setting
from hilt.assembly.sources import FILE, user_file
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import pairs, table
from hilt.cli.verb import Place, places, verb

UNSET = "-"


@click.group(short_help="the settings in force and where each comes from")
def command() -> None:
    """The settings in force and where each comes from."""


@verb(name="show", says="print every setting in force")
@click.option("--origin", is_flag=True, help="Also where each comes from.")
@places
def show(out: Out, place: Place, *, origin: bool) -> int:
    """Strongest first, a setting comes from a flag, the environment, the project's file, the user's
    file, or is the default.
    """
    config = settings(place)
    rows = [*(config.settings.get(key) or key for key in keys.leaves() if key != "policy.rules"), *config.rules]
    document = {"settings": [_document(row) for row in rows], "notes": list(config.notes)}
    out.answer(document, lambda: _text(out, rows, origin=origin))
    for note in config.notes:
        out.note(note)
    return 0


def _document(row: Setting | str) -> dict[str, object]:
    if isinstance(row, str):
        return {"key": row, "value": None, "origin": {"layer": "default", "place": "", "trusted": True}}
    source = row.origin
    origin = {"layer": source.layer, "place": source.place, "trusted": source.trusted}
    return {"key": row.key, "value": row.value, "origin": origin}


def _text(out: Out, rows: list[Setting | str], *, origin: bool) -> str:
    shown = [
        (row, UNSET, "default") if isinstance(row, str) else (row.key, _value(row.value), str(row.origin))
        for row in rows
    ]
    if not origin:
        return pairs([(key, value) for key, value, _ in shown], paint=lambda key: out.paint(key, "dim"))
    return table(("KEY", "VALUE", "ORIGIN"), shown, paint=lambda head: out.paint(head, "dim"))


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@verb(name="path", says="print the files that settings are read from")
@places
def path(out: Out, place: Place) -> int:
    """Strongest first."""
    config = settings(place)
    rows = _files(config)
    document = {"files": [dict(zip(("layer", "path", "state"), row, strict=True)) for row in rows]}
    out.answer(document, lambda: table(("LAYER", "FILE", "STATE"), rows, paint=lambda head: out.paint(head, "dim")))
    return 0


def _files(config: Config) -> list[tuple[str, str, str]]:
    used = {origin.layer: origin for origin in config.origins if origin.layer in ("user", "project")}
    project = used.get("project")
    rows = [("project", project.place, "in use" + ("" if project.trusted else ", untrusted"))] if project else []
    if not project:
        rows.append(("project", FILE, "none found upward from here"))
    return [*rows, ("user", str(user_file()), "in use" if "user" in used else "not there")]


@verb(name="schema", says="print the JSON Schema of hilt.toml")
def schema(out: Out) -> int:
    """An editor reads it from the line `#:schema FILE` at the top of a hilt.toml."""
    out.answer({"schema": keys.schema()}, lambda: json.dumps(keys.schema(), ensure_ascii=False, indent=2))
    return 0


for _each in (show, path, schema):
    command.add_command(_each)
