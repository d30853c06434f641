"""How strict taint is, from the settings."""

from collections.abc import Mapping
from typing import Literal

from hilt.assembly.config import Config
from hilt.policy.taint_state import Switches


def switches_of(config: Config) -> Switches:
    """The switches of `[policy.taint]`; each value was checked against the schema when it was read."""
    modes: Mapping[str, Literal["ask", "deny", "off"]] = {"ask": "ask", "deny": "deny", "off": "off"}
    fetches: Mapping[str, Literal["verbatim", "ask"]] = {"verbatim": "verbatim", "ask": "ask"}
    unseen: Mapping[str, Literal["given", "ask"]] = {"given": "given", "ask": "ask"}
    destroys: Mapping[str, Literal["vouched", "named"]] = {"vouched": "vouched", "named": "named"}
    identities: Mapping[str, Literal["strict", "trusted"]] = {"strict": "strict", "trusted": "trusted"}
    return Switches(
        mode=modes[_text(config, "mode")],
        fetch=fetches[_text(config, "fetch")],
        unseen=unseen[_text(config, "unseen")],
        destroy=destroys[_text(config, "destroy")],
        identity=identities[_text(config, "identity")],
        known=config.texts("policy.taint.known") or (),
    )


def _text(config: Config, key: str) -> str:
    return config.text(f"policy.taint.{key}") or ""
