"""Whether and where a server is to be reached, and what a person declared of its tools."""

from hilt.adapters.upstream import HttpPlace, Place, StdioPlace
from hilt.assembly.consents import consented
from hilt.assembly.effects_file import DeclaredEffects, read_effects_file
from hilt.assembly.gateway.consent import consent_of
from hilt.assembly.gateway.settings import ServerSpec
from hilt.errors import ConfigError

DISABLED = "disabled in the settings"


def off(spec: ServerSpec) -> str:
    """Why a server is not to be started; "" where it may be."""
    if not spec.enabled:
        return DISABLED
    if spec.fault:
        return spec.fault
    if spec.needs_consent and not consented(consent_of(spec)):
        return f"nobody has agreed to it yet: {consent_of(spec).says} (hilt trust {spec.origin} asks)"
    return ""


def place_of(spec: ServerSpec) -> Place:
    """What is started or reached."""
    if spec.url:
        return HttpPlace(spec.url, spec.headers, spec.bearer)
    return StdioPlace(spec.command, spec.env, spec.cwd)


def effects_of(spec: ServerSpec) -> tuple[DeclaredEffects | None, str]:
    """The file of effects of a server; one that cannot be read leaves its tools undeclared, and that is said."""
    if spec.effects is None:
        return None, ""
    try:
        return read_effects_file(spec.effects), ""
    except ConfigError as error:
        return None, f"{spec.name}: {error.problem}; its tools count as able to do everything"
