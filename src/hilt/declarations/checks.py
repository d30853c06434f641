"""Checks across fields, run in `validate` and reported with every other violation.

Each says its rule once; the schema carries the part JSON Schema can express where providers
accept it. A check sees the decoded arguments and never alters them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One rule over several arguments.

    `broken(arguments)` returns what is expected, or None when the rule holds; `path` names the
    argument to change, `next_step` the change; `schema` is merged into the parameters' schema.
    """

    path: str
    broken: Callable[[Arguments], str | None]
    next_step: str
    schema: Mapping[str, object] = field(default_factory=dict[str, object])


def ordered(first: str, second: str) -> Check:
    """`first` may not lie after `second`; holds while either is missing."""

    def broken(arguments: Arguments) -> str | None:
        low, high = arguments.get(first), arguments.get(second)
        if low is None or high is None or not low > high:  # type: ignore[operator]  # same declared type
            return None
        return f"{first} <= {second}"

    return Check(path=first, broken=broken, next_step=f"exchange {first} and {second}")


def together(*names: str) -> Check:
    """All of `names` are given, or none."""

    def broken(arguments: Arguments) -> str | None:
        given = [name for name in names if arguments.get(name) is not None]
        return None if len(given) in (0, len(names)) else f"all of {', '.join(names)}, or none"

    required = {name: [other for other in names if other != name] for name in names}
    return Check(
        path=names[0],
        broken=broken,
        next_step=f"give {' and '.join(names)} together, or leave all out",
        schema={"dependentRequired": required},
    )


def exactly_one(*names: str) -> Check:
    """One of `names` is given and no other."""

    def broken(arguments: Arguments) -> str | None:
        given = [name for name in names if arguments.get(name) is not None]
        return None if len(given) == 1 else f"exactly one of {', '.join(names)}"

    return Check(path=names[0], broken=broken, next_step=f"give one of {', '.join(names)} and leave the others out")


def not_together(first: str, second: str) -> Check:
    """`first` and `second` exclude each other; zero, empty and missing count as not given."""

    def broken(arguments: Arguments) -> str | None:
        return f"{first} or {second}, not both" if arguments.get(first) and arguments.get(second) else None

    return Check(path=first, broken=broken, next_step=f"leave out {first} or {second}")
