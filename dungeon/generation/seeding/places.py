"""Where a feature may lie by what its author says of its place, whatever else is on the map.

What the author leaves to chance is rolled first. Where that leaves no place, everything that the author allows is tried:
`from: [north, east]` means an edge at random, and the other one where the first has no space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.content.models.features import lies_at, lies_beside, lies_within
from dungeon.content.values.fields import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models.features import FeatureEntry, Lines, Size
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Streams
    from dungeon.grid.rect import Rect

NOWHERE_NEAR = 1 << 30
"""More steps than there are between any two cells."""


class Span(NamedTuple):
    """How many steps there are to be to another feature, from and to, as if nothing were in the way."""

    low: int
    high: int = NOWHERE_NEAR

    def holds(self, steps: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return where a number of steps is right."""
        return (self.low <= steps) & (steps <= self.high)


@dataclass(frozen=True, slots=True)
class Place:
    """What is said of a feature's place; of several options for one thing, any will do.

    Attributes:
        across: Columns; empty where any will do. `down`: rows.
        shift: How far from there, (columns, rows).
        sides: Edges or corners, at the `distances` from them.
        regions: Parts of the map.
        spans: Feature -> how far from it, each of which must hold.
    """

    across: tuple[float, ...]
    down: tuple[float, ...]
    shift: tuple[int, int]
    sides: tuple[str, ...]
    distances: tuple[int, ...]
    regions: tuple[str, ...]
    spans: Mapping[str, tuple[Span, ...]]

    @classmethod
    def rolled(cls, entry: FeatureEntry, streams: Streams, *name: str | int) -> Place:
        """Return it with everything rolled that is left to chance."""

        def roll(key: str, value: Value[Any]) -> list[Any]:
            rolled = value.roll(streams.stream(*name, key))
            return [] if rolled is None else [rolled]

        (reach,) = roll("shift", entry.shift) or [NOWHERE]
        off = [max(roll(f"shift {number}", part), default=0) for number, part in enumerate(reach)]
        return cls._of(entry, roll, off)

    @classmethod
    def allowed(cls, entry: FeatureEntry) -> Place:
        """Return it with everything allowed that a roll might give."""

        def every(_: str, value: Value[Any]) -> list[Any]:
            odds = value.odds()
            return [] if None in odds else list(odds)

        reach = zip(*entry.shift.outcomes(), strict=True)
        off = [max(most for part in parts for most in part.outcomes()) for parts in reach]
        return cls._of(entry, every, off)

    @classmethod
    def _of(
        cls, entry: FeatureEntry, options: Callable[[str, Value[Any]], list[Any]], off: Sequence[int]
    ) -> Place:
        def several(key: str, value: Value[Any] | None) -> tuple[Any, ...]:
            return tuple(options(key, value)) if value is not None else ()

        spans: dict[str, tuple[Span, ...]] = {}
        for name, value in entry.far_from.items():
            spans[name] = (Span(min(several(f"far {name}", value), default=0)),)
        for name, value in entry.near.items():
            nearest = Span(0, max(several(f"near {name}", value), default=NOWHERE_NEAR))
            spans[name] = (*spans.get(name, ()), nearest)
        return cls(
            across=several("x", entry.across),
            down=several("y", entry.down),
            shift=(off[0], off[1]),
            sides=several("from", entry.side),
            distances=several("distance", entry.distance) or (1,),
            regions=several("where", entry.where),
            spans=spans,
        )

    def mask(self, size: Size, whole: Size) -> NDArray[np.bool_]:
        """Return the top left cells at which something of that size lies right: (height, width) bool of the whole map.

        Distances to other features are not asked for. What reaches out of the map lies nowhere.
        """
        rows = lies_at(self.down, self.shift[1], size[0], whole[0])
        columns = lies_at(self.across, self.shift[0], size[1], whole[1])
        found = rows[:, None] & columns
        if self.sides:
            found &= _any(
                lies_beside(side, distance, size, whole) for side in self.sides for distance in self.distances
            )
        if self.regions:
            found &= _any(lies_within(region, size, whole) for region in self.regions)
        return found


def _any(lines: Iterable[Lines]) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells in rows and columns of one of the pairs."""
    found: NDArray[np.bool_] = np.logical_or.reduce([rows[:, None] & columns for rows, columns in lines])
    return found


def steps_to(other: Rect, size: Size, whole: Size) -> NDArray[np.int32]:
    """Return how many steps something of that size is from a rectangle, by its top left cell; 0 where they overlap."""
    lines = []
    for low, high, length, extent in (
        (other.y, other.bottom, size[0], whole[0]),
        (other.x, other.right, size[1], whole[1]),
    ):
        first = np.arange(extent, dtype=np.int32)
        lines.append(np.maximum(0, np.maximum(low - (first + length - 1), first - (high - 1))))
    steps: NDArray[np.int32] = lines[0][:, None] + lines[1]
    return steps
