"""The tools of a listing as the audit sees them: a declared tool at its word, a foreign one by what it shows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hilt.assembly.effects_file import DeclaredEffects
from hilt.assembly.targets import Listed
from hilt.audit.declared import by_effects
from hilt.audit.inference import inferred
from hilt.audit.legs import Audited
from hilt.declarations.description import Environment


def audited(tools: Sequence[Listed], declared: DeclaredEffects | None = None) -> tuple[Audited, ...]:
    """Each tool with its legs, in the listing's order; tools of one server and name count once."""
    single = {(each.server, each.original): each for each in tools}
    names = Counter(name for _, name in single)
    return tuple(
        _audited(each, declared, label=each.original if names[each.original] == 1 else f"{each.server}/{each.original}")
        for each in single.values()
    )


def _audited(listed: Listed, declared: DeclaredEffects | None, *, label: str) -> Audited:
    effects = declared.of(listed.server, listed.declaration) if declared else None
    if effects is None and listed.tool is not None:
        effects = listed.declaration.effects
    if effects is not None:
        return by_effects(listed.declaration, effects, server=listed.server, label=label)
    named = replace(listed.declaration, name=listed.original)  # what its own server calls it shows what it does
    return inferred(named, named.text(Environment()), server=listed.server, label=label)


def unknown_names(tools: Sequence[Listed], declared: DeclaredEffects) -> tuple[str, ...]:
    """What a file declares effects for and no target has."""
    return tuple(sorted(set(declared.forms) - {f"{each.server}.{each.original}" for each in tools}))
