"""A store that is made when the first verb needs it: SQLAlchemy takes longer to import than a call takes."""

from collections.abc import Callable
from typing import Any, cast

from hilt.store.protocol import Store


def late_store(make: Callable[[], Store]) -> Store:
    """A store that `make` gives at the first use of any verb but `close`."""
    return cast("Store", _Late(make))


class _Late:
    """Hands every verb on, so it promises what the store it makes does; written once instead of verb by verb."""

    def __init__(self, make: Callable[[], Store]) -> None:
        self._make = make
        self._made: Store | None = None

    def __getattr__(self, verb: str) -> Any:  # Any: the verb's own type, which the caller has from `Store`
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, verb)

    async def close(self) -> None:
        """Give everything back, if there is anything."""
        if self._made is not None:
            await self._made.close()
