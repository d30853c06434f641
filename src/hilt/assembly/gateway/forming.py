"""A declaration of an upstream made a tool of the catalog, or the reason why it is none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hilt.adapters.mcp_foreign import Reach, upstream_tool
from hilt.assembly.effects_file import DeclaredEffects
from hilt.assembly.foreign import declared
from hilt.assembly.gateway.settings import ServerSpec
from hilt.audit.inference import inferred
from hilt.calls.tool import AnyTool, Handling
from hilt.catalog.catalog import Withheld
from hilt.catalog.naming import Style, wire_name_of
from hilt.declarations.description import Environment
from hilt.declarations.effects import UNDECLARED, Effects
from hilt.errors import ConfigError, DeclarationError, HiltError

Entry = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """Makes the tools of one server. `known` are the effects a person declared, if there is a file of them.

    `infers` is whether arguments are read for what they are for: a list of tools needs it not.
    """

    spec: ServerSpec
    style: Style
    reach: Reach
    known: DeclaredEffects | None = None
    infers: bool = True

    def name(self, tool: str) -> str:
        """The wire name of a tool of this server."""
        return wire_name_of(self.spec.name, tool, self.style)

    def tool(self, entry: Entry) -> AnyTool | Withheld:
        """The tool, deferred or not as residency settles later; or why there is none."""
        named = str(entry.get("name"))
        if not self.spec.offers(named):
            return self.filtered(named)
        try:
            made = upstream_tool(
                entry,
                self.reach,
                effects=self.effects(entry),
                handling=Handling(timeout_s=self.spec.timeout_s),
                server=self.spec.name,
                aliases=self.spec.aliases.get(named, ()),
                claims=self.spec.claims,
            )
            made = made.renamed(self.name(named)) if made.name != self.name(named) else made
        except (DeclarationError, RecursionError) as error:
            why = error.problem if isinstance(error, HiltError) else "its schema is nested too deeply"
            return self.unusable(named, why)
        # `renamed` keeps the first wire name as the original; what the upstream calls it is what dispatch uses.
        return replace(
            made,
            declaration=replace(made.declaration, original_name=named),
            handling=replace(made.handling, parallel=made.declaration.effects.read_only),
        )

    def effects(self, entry: Entry) -> Effects:
        """What a person declared; else everything, with what its arguments are for as its schema shows it."""
        try:
            declaration = declared(entry, self.spec.name)
            said = self.known.of(self.spec.name, declaration) if self.known else None
        except ConfigError:
            return UNDECLARED
        if said is not None:
            return said
        if not self.infers:
            return UNDECLARED
        seen = inferred(declaration, declaration.text(Environment()), server=self.spec.name, label=declaration.name)
        return replace(UNDECLARED, roles=seen.effects.roles)

    def is_declared(self, tool: AnyTool) -> bool:
        """Whether a person declared the effects of a tool."""
        return self.known is not None and f"{self.spec.name}.{tool.declaration.original_name}" in self.known.forms

    def filtered(self, tool: str) -> Withheld:
        """A tool that the settings leave out."""
        table = f"servers.{self.spec.name}"
        reason, step = f"include or exclude of {table} leaves it out", f"the person can change {table} in hilt.toml"
        return Withheld(name=self.name(tool), why="filtered", reason=reason, step=step, server=self.spec.name)

    def unusable(self, tool: str, why: str) -> Withheld:
        """A tool whose declaration cannot be used."""
        step = f"report it to whoever makes the server {self.spec.name}"
        return Withheld(name=self.name(tool), why="unusable", reason=why, step=step, server=self.spec.name)

    def quarantined(self, tool: str, reason: str, step: str) -> Withheld:
        """A tool that waits for a person's word."""
        return Withheld(name=self.name(tool), why="quarantined", reason=reason, step=step, server=self.spec.name)
