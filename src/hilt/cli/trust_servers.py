"""`hilt trust FILE.json`: a person's yes to the servers that a file of another program lists, each by its command."""

import os
from pathlib import Path

import click

from hilt.assembly import consents
from hilt.assembly.gateway.consent import consent_of
from hilt.assembly.gateway.files import read_servers
from hilt.assembly.gateway.settings import ServerSpec
from hilt.cli.faults import Code, CommandError
from hilt.cli.output import Out


def agree(out: Out, file: Path, *, yes: bool) -> int:
    """Ask about each server that nobody has agreed to, and remember a yes for exactly its command or address."""
    read = read_servers(file, os.environ)
    for note in read.notes:
        out.note(note)
    unknown = [each for each in read.servers if not consents.consented(consent_of(each))]
    if unknown and not (yes or out.asks):
        shown = "; ".join(_words(each, consent_of(each).says) for each in unknown)
        raise CommandError(
            f"nobody is here to agree to these servers ({len(unknown)}): {shown}",
            f"hilt trust --yes {file} agrees to all of it",
            code=Code.CONSENT,
            label="consent",
        )
    for each in unknown:
        if yes or click.confirm(f"{_words(each, consent_of(each).asks)}\n  may Hilt use it?", default=False, err=True):
            consents.give(consent_of(each))
    states = {each.name: consents.consented(consent_of(each)) for each in read.servers}
    out.answer({"servers": [{"name": name, "agreed": agreed} for name, agreed in states.items()]}, _said(states))
    return Code.FINE


def disagree(out: Out, file: Path) -> int:
    """Take back the yes to every server of a file."""
    gone = [each.name for each in read_servers(file, os.environ).servers if consents.withdraw(consent_of(each))]
    if not gone:
        raise CommandError(f"nobody has agreed to a server of {file}", "hilt trust FILE.json asks", label="not_trusted")
    out.answer({"removed": gone}, f"not agreed to any more: {', '.join(gone)}")
    return Code.FINE


def _words(spec: ServerSpec, says: str) -> str:
    return f"{consents.visible(spec.name)}, which {'reaches' if spec.place.get('url') else 'starts'}: {says}"


def _said(states: dict[str, bool]) -> str:
    agreed, other = ([name for name, is_so in states.items() if is_so is wanted] for wanted in (True, False))
    said = [f"agreed to: {', '.join(agreed)}, until their commands change"] if agreed else []
    return "\n".join([*said, *([f"not agreed to: {', '.join(other)}"] if other else [])])
