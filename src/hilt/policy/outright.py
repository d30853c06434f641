"""Whether policy denies every call of a tool, whatever its arguments: then it need not be declared either."""

from hilt.declarations.effects import RISKS, Effects, actions_of, risk_of
from hilt.policy.facts import namespace_of
from hilt.policy.matching import fits_tool
from hilt.policy.policy import SILENT, Policy
from hilt.policy.presets import preset_denies
from hilt.policy.rules import Rule


def denied_outright(policy: Policy, tool: str, effects: Effects, *, server: str = "") -> str:
    """Why no call of the tool can pass; empty where one might.

    What rests on a hook, an argument or what the session has seen can only be said of a call.
    """
    mine = [rule for rule in policy.rules if fits_tool(rule, tool, server or namespace_of(tool))]
    denying = ("deny", "ask") if policy.preset == SILENT else ("deny",)
    for rule in mine:
        if rule.word in denying and rule.static and _speaks_always(rule, effects):
            return rule.reason or f"the {rule.layer}'s rule {rule.label!r} denies every call of it"
    if any(rule.word == "allow" for rule in mine):
        return ""
    denied = preset_denies(policy.preset, actions_of(effects.does))
    return f"preset {policy.preset}: {denied} is deny" if denied else ""


def _speaks_always(rule: Rule, effects: Effects) -> bool:
    """Whether a rule without conditions on a call's values speaks about each: by what the tool always does."""
    actions = actions_of(effects.does)
    if rule.actions and not set(rule.actions) & set(actions):
        return False
    if rule.irreversible and not effects.irreversible:
        return False
    risk = risk_of(actions, undoable=effects.undoable, irreversible=effects.irreversible)
    return not rule.risk or RISKS.index(risk) >= RISKS.index(rule.risk)
