"""What is derived from frozen values: the one way in which the library remembers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")

ABSENT = object()


class Derived(dict[Any, Any]):
    """Results, each made when it is first asked for and kept beside the frozen value that it is derived from.

    Args:
        most: Maximum number of results; the oldest makes way for a new one. None keeps all.
    """

    __slots__ = ("_most",)

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self._most = most

    def once(self, key: Hashable, make: Callable[..., T], *args: Any) -> T:
        """Return the result under a key; `make(*args)` if there is none yet."""
        found: T = self.get(key, ABSENT)
        if found is ABSENT:
            if self._most is not None and len(self) >= self._most:
                self.pop(next(iter(self.copy())), None)  # of a copy: another thread may be adding
            found = self[key] = make(*args)
        return found
