"""What a person agrees to of one server: exactly what would be started or reached, as it was written."""

from hilt.assembly.consents import Spec
from hilt.assembly.gateway.settings import ServerSpec
from hilt.declarations.schema import is_array, is_object


def consent_of(spec: ServerSpec) -> Spec:
    """The yes that a server needs; variables stand in it as `${NAME}`."""
    place = spec.place
    arguments = place.get("args")
    command = place.get("command")
    words = [str(command), *map(str, arguments if is_array(arguments) else ())] if command else []
    cwd, url = place.get("cwd"), place.get("url")
    return Spec(
        command=tuple(words),
        env=_texts(place.get("env")),
        cwd=str(cwd) if cwd else None,
        url=str(url) if url else None,
        headers=_texts(place.get("headers")),
    )


def _texts(table: object) -> dict[str, str]:
    return {name: str(value) for name, value in table.items()} if is_object(table) else {}
