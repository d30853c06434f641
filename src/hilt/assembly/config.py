"""The settings in force: every source merged, each value with its origin.

Strongest first: flag, environment, project, user, organisation, default. The policy is the exception:
rules of every source stand together, for the strictest has the word, and nobody loosens the organisation's preset.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from hilt.assembly import keys
from hilt.assembly.durations import duration
from hilt.assembly.origin import Origin, Setting
from hilt.assembly.server_tables import SERVERS, with_servers
from hilt.assembly.sources import ORGANISATION_FILE, sources
from hilt.assembly.trust import PRESET, tightened, under_organisation
from hilt.declarations.schema import is_array, is_object

RULES = "policy.rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What was read. `notes` says, for people, what of an untrusted file was not used; `again` reads the same anew."""

    settings: Mapping[str, Setting]
    rules: tuple[Setting, ...] = ()
    origins: tuple[Origin, ...] = ()
    notes: tuple[str, ...] = field(default=())
    again: "Callable[[], Config] | None" = field(default=None, compare=False)

    def value(self, key: str) -> object:
        """The value of a key, None where none is set."""
        found = self.settings.get(key)
        return found.value if found else None

    def text(self, key: str) -> str | None:
        """A text."""
        value = self.value(key)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts."""
        value = self.value(key)
        return tuple(str(each) for each in value) if is_array(value) else None

    def number(self, key: str) -> float:
        """A number; 0 where none is set."""
        value = self.value(key)
        return value if isinstance(value, int | float) else 0

    def duration(self, key: str) -> timedelta:
        """A length of time such as 14d."""
        return duration(self.text(key) or "") or timedelta()

    def origin(self, key: str) -> Origin | None:
        """Where a key's value came from."""
        found = self.settings.get(key)
        return found.origin if found else None

    def paths(self, key: str) -> tuple[Path, ...]:
        """A list of paths, relative to the file that names them."""
        origin = self.origin(key)
        return tuple(origin.folder / Path(each).expanduser() for each in self.texts(key) or ()) if origin else ()


def read_config(
    workspace: Path | None = None,
    *,
    file: Path | None = None,
    settings: Sequence[str] = (),
    organisation: Path = ORGANISATION_FILE,
) -> Config:
    """The settings for a workspace, else for the current folder. Raises `ConfigError`.

    `file` is a configuration to use and trust instead of the nearest one upward; `settings` are
    `key=value` texts; `organisation` the machine's own file, if it is there.
    """
    start = (workspace or Path.cwd()).absolute()
    merged = _defaults()
    rules: list[Setting] = []
    notes: list[str] = []
    origins: list[Origin] = []
    ceiling: object = None
    for source in sources(start, file, settings, organisation):
        origin, values = source.origin, dict(source.values)
        if not origin.trusted:
            values, said = tightened(values, origin, {key: each.value for key, each in merged.items()}, start)
            notes += said
        notes += under_organisation(values, origin, ceiling)
        ceiling = values.get(PRESET) if origin.layer == "organisation" else ceiling
        own = values.pop(RULES, None)
        for rule in own if is_array(own) else ():
            rules.append(Setting(key=f"{RULES}[{len(rules)}]", value=rule, origin=origin))
        servers = values.pop(SERVERS, None)
        if servers is not None:
            merged[SERVERS] = with_servers(merged.get(SERVERS), servers, origin)
        merged |= {key: Setting(key=key, value=value, origin=origin) for key, value in values.items()}
        origins.append(origin)
    if workspace is not None:
        flag = Origin(layer="flag", place="--workspace", folder=Path.cwd())
        merged["workspace.roots"] = Setting(key="workspace.roots", value=[str(workspace)], origin=flag)
    again = partial(read_config, workspace, file=file, settings=settings, organisation=organisation)
    return Config(settings=merged, rules=tuple(rules), origins=tuple(origins), notes=tuple(notes), again=again)


def _defaults() -> dict[str, Setting]:
    origin = Origin(layer="default", place="", folder=Path.cwd())
    return {
        key: Setting(key=key, value=node["default"], origin=origin)
        for key, node in keys.leaves().items()
        if "default" in node
    }


def rule_fields(setting: Setting) -> Mapping[str, object]:
    """The fields of one rule."""
    return setting.value if is_object(setting.value) else {}
