"""What was made last, kept in case it is wanted again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

K = TypeVar("K", bound="Hashable")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A few results under what they were made from. What is there longest makes way for a new one.

    Args:
        most: How many it keeps.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[K, V] = {}

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return what was made from this before, or make it."""
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= self._most:
                oldest = next(iter(self._kept.copy()))  # of a copy: another thread may be adding
                self._kept.pop(oldest, None)
            found = self._kept[key] = make()
        return found
