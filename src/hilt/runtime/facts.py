"""What `decide` knows of one call: the arguments with a role, resolved."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from hilt.calls.arguments import Values
from hilt.calls.resolver import CommandFact, Resolver, UrlFact
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import Role
from hilt.declarations.schema import is_array
from hilt.policy.facts import Facts

NO_LABELS: frozenset[str] = frozenset()


def facts_of(
    tool: AnyTool,
    values: Values,
    resolver: Resolver | None,
    *,
    labels: frozenset[str] = NO_LABELS,
    folder: str | None = None,
    session: Session | None = None,
) -> Facts:
    """The facts of one call, as far as a runtime with this resolver can know them.

    `folder` is where its commands start, unless the call itself names one; `session` is whose call it is.
    """
    effects = tool.declaration.effects
    whose = (session.id, session.principal) if session is not None else ("", "")
    if not effects.roles and not effects.isolated:
        return Facts(
            tool=tool.name,
            effects=effects,
            arguments=values,
            labels=labels,
            session=whose[0],
            principal=whose[1],
            server=tool.declaration.server,
        )
    return Facts(
        session=whose[0],
        principal=whose[1],
        server=tool.declaration.server,
        tool=tool.name,
        effects=effects,
        arguments=values,
        urls=tuple(_address(asked) for _, asked in texts_of("url", tool, values)),
        paths=() if resolver is None else tuple(resolver.path(asked) for asked in _paths(tool, values)),
        commands=() if resolver is None else tuple(_commands(tool, values, resolver, folder)),
        confinement=resolver.confinement if resolver is not None and effects.isolated else frozenset(),
        labels=labels,
    )


def texts_of(role: Role, tool: AnyTool, values: Values) -> Iterator[tuple[str, str]]:
    """Each text given in this role, with where it stands among the arguments."""
    for parameter, its_role in tool.declaration.effects.roles.items():
        if its_role != role:
            continue
        given = values.get(parameter)
        if isinstance(given, str):
            yield parameter, given
        elif is_array(given):
            yield from ((f"{parameter}[{place}]", each) for place, each in enumerate(given) if isinstance(each, str))


def _paths(tool: AnyTool, values: Values) -> Iterator[str]:
    """The paths of a call. What a server of others takes plain relative ones to start from, only it knows.

    So those are no fact about this machine, unless they climb or begin at a home folder.
    """
    foreign = bool(tool.declaration.server)
    for _, asked in texts_of("path", tool, values):
        if not foreign or asked.startswith(("/", "~")) or ".." in asked.split("/") or "\0" in asked:
            yield asked


def runs_commands(tool: AnyTool) -> bool:
    """Whether an argument of this tool is a command."""
    return "command" in tool.declaration.effects.roles.values()


def _commands(tool: AnyTool, values: Values, resolver: Resolver, folder: str | None) -> Iterator[CommandFact]:
    """The commands of a call: a text is shell, a list the words of one program."""
    folder = next((asked for _, asked in texts_of("path", tool, values)), folder)
    for parameter, role in tool.declaration.effects.roles.items():
        given = values.get(parameter) if role == "command" else None
        if isinstance(given, str):
            yield resolver.command(given, folder)
        elif is_array(given):
            yield resolver.command([str(each) for each in given], folder)


def _address(asked: str) -> UrlFact:
    try:
        parts = urlsplit(asked)
        return UrlFact(asked=asked, host=(parts.hostname or "").lower(), scheme=parts.scheme.lower())
    except ValueError:  # brackets that hold no address
        return UrlFact(asked=asked, host="")
