"""How large the next room is to be: size classes, how many of each are still wanted, and local taste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import Choice, Constant, roll
from dungeon.generation.layouts.dice import dice

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.tunnels.params import TunnelsParams

CLASSES = ("small", "medium", "large")


class Sizes:
    """Rolls size classes.

    Args:
        params: What the author set.
        stream: Where chances come from.

    Attributes:
        spans: Class -> what rolls a side of such a room.
        wanted: Class -> how many more rooms of it must be, for the classes that have a quota; `least`: the shortest side
            that those may have.
    """

    def __init__(self, params: TunnelsParams, stream: Stream) -> None:
        quotas = {"small": params.quotas.small, "medium": params.quotas.medium, "large": params.quotas.large}
        self.spans = {name: params.dice(name, stream, 4) for name in CLASSES}
        self.wanted = {name: roll(value, stream, 0) for name, value in quotas.items() if value is not None}
        self.least = {name: min(params.table(name, 4)[1]) for name in self.wanted}
        self.quotas = dict(self.wanted)
        self._random = stream.random
        self._free = self._unlimited(params, stream)
        chosen = params.table("sizes", "medium")[1]
        self._order = [name for name in CLASSES if name in chosen and name not in self.quotas]

    def _unlimited(self, params: TunnelsParams, stream: Stream) -> Callable[[], str] | None:
        """Return what rolls one of the classes without a quota; None if all that there may be have one."""
        if not self.quotas:
            return params.dice("sizes", stream, "medium")
        odds = [(name or "medium", chance) for name, chance in params.sizes.odds().items()]
        left = [(Constant(name), chance) for name, chance in odds if name not in self.quotas and chance > 0]
        return dice(Choice(tuple(left)), stream, "medium") if left else None

    @property
    def missing(self) -> int:
        """How many rooms with a quota are still to be built."""
        return sum(self.wanted.values())

    @property
    def complete(self) -> bool:
        """Whether no room may be built any more, for all that there were to be stand."""
        return self._free is None and not self.missing

    def next(self, taste: float) -> str:
        """Return the class of the next room, where rooms are a class smaller (-1) or larger (1) or in between.

        While rooms with a quota are missing it is one of those.
        """
        if self.quotas:
            left = int(self._random() * self.missing)
            for name, count in self.wanted.items():
                left -= count
                if left < 0:
                    return name
        if self._free is None:
            return next(iter(self.quotas))
        name = self._free()
        if taste and self._random() < abs(taste) and name in self._order:
            place = self._order.index(name) + (1 if taste > 0 else -1)
            return self._order[min(max(place, 0), len(self._order) - 1)]
        return name

    def fits(self, name: str, length: int, depth: int) -> bool:
        """Tell whether a room of that size will do for its class: one that is to be counted may not be smaller."""
        return name not in self.quotas or min(length, depth) >= self.least[name]

    def count(self, name: str) -> None:
        """Say that a room of that class has been built."""
        if name in self.wanted:
            self.wanted[name] -= 1
