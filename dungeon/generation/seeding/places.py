"""Where a feature may lie by its YAML entry: its place on the map, and its distances to other features.

A feature is something that an author wants on a map before its rooms are dug: a prefab, stairs, a barrier or an area.
Its place is named by its top left cell. Landmarks are the entrance and the exits. Distances are steps without
diagonals, as if nothing were in the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.content.models.features import lies_at, lies_beside, lies_within
from dungeon.content.values.fields import NOWHERE
from dungeon.core.vocabulary import LANDMARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models.features import FeatureEntry, Lines, Size
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Streams
    from dungeon.grid.rect import Rect

# -- places -----------------------------------------------------------------------------------------
#
# Random parts of a place are rolled first. If there is no space in the rolled place, everything that the author allows
# is tried: `from: [north, east]` means one of these edges at random, and the other one if the first has no space.


NOWHERE_NEAR = 1 << 30
"""A number of steps larger than the distance of any two cells."""


class DistanceSpan(NamedTuple):
    """The numbers of steps to another feature that are allowed: from `low` to `high`, both included."""

    low: int
    high: int = NOWHERE_NEAR

    def holds(self, steps: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return an array of bool of the same shape: True where the number of steps is allowed."""
        return (self.low <= steps) & (steps <= self.high)


@dataclass(frozen=True, slots=True)
class FeaturePlace:
    """The place that an author gives a feature. A field lists alternatives, of which one must hold; all fields must hold.

    Attributes:
        across: Columns of its top left cell; empty for any. `down`: rows, likewise.
        shift: By how much it may miss the column and the row, as (columns, rows).
        sides: Edges or corners of the map, such as "north"; the feature lies at one of the `distances` from it. Empty for anywhere.
        distances: Numbers of cells between the feature and a side.
        regions: Parts of the map in which it must lie, such as "centre"; empty for anywhere.
        spans: Name of another feature or a landmark -> the allowed distances to it. They are no alternatives: all must hold.
    """

    across: tuple[float, ...]
    down: tuple[float, ...]
    shift: tuple[int, int]
    sides: tuple[str, ...]
    distances: tuple[int, ...]
    regions: tuple[str, ...]
    spans: Mapping[str, tuple[DistanceSpan, ...]]

    @classmethod
    def rolled(cls, entry: FeatureEntry, streams: Streams, *name: str | int) -> FeaturePlace:
        """Return the place of a feature with all its random values rolled, so that each field has at most one option.

        Args:
            entry: The feature.
            streams: The random streams.
            name: The beginning of the names of the streams to roll from.
        """

        def roll(key: str, value: Value[Any]) -> list[Any]:
            rolled = value.roll(streams.stream(*name, key))
            return [] if rolled is None else [rolled]

        (reach,) = roll("shift", entry.shift) or [NOWHERE]
        off = [max(roll(f"shift {number}", part), default=0) for number, part in enumerate(reach)]
        return cls._of(entry, roll, off)

    @classmethod
    def allowed(cls, entry: FeatureEntry) -> FeaturePlace:
        """Return the place of a feature with every option that `rolled` might choose."""

        def every(_: str, value: Value[Any]) -> list[Any]:
            odds = value.odds()
            return [] if None in odds else list(odds)

        reach = zip(*entry.shift.outcomes(), strict=True)
        off = [max(most for part in parts for most in part.outcomes()) for parts in reach]
        return cls._of(entry, every, off)

    @classmethod
    def _of(
        cls, entry: FeatureEntry, options: Callable[[str, Value[Any]], list[Any]], off: Sequence[int]
    ) -> FeaturePlace:
        """Return a place made from a feature's entry.

        Args:
            entry: The feature.
            options: Called with (key, value of the entry); returns the options that the value stands for.
            off: The maximum (columns, rows) by which the feature may miss its column and row.
        """

        def several(key: str, value: Value[Any] | None) -> tuple[Any, ...]:
            return tuple(options(key, value)) if value is not None else ()

        spans: dict[str, tuple[DistanceSpan, ...]] = {}
        for name, value in entry.far_from.items():
            spans[name] = (DistanceSpan(min(several(f"far {name}", value), default=0)),)
        for name, value in entry.near.items():
            nearest = DistanceSpan(0, max(several(f"near {name}", value), default=NOWHERE_NEAR))
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
        """Return (height, width) bool of the map: the top left cells at which a feature of this size lies in this place.

        Distances to other features (`spans`) are left out. No feature reaches out of the map.

        Args:
            size: The (height, width) of the feature.
            whole: The (height, width) of the map.
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
    """Return (height, width) bool: the cells whose row and whose column are both True in at least one of the pairs (rows, columns)."""
    found: NDArray[np.bool_] = np.logical_or.reduce([rows[:, None] & columns for rows, columns in lines])
    return found


def steps_to(other: Rect, size: Size, whole: Size) -> NDArray[np.int32]:
    """Return (height, width) int32: for each top left cell of a feature, the number of steps from the feature to a rectangle.

    It is 0 where they overlap, and 1 where they touch.

    Args:
        other: The rectangle.
        size: The (height, width) of the feature.
        whole: The (height, width) of the map.
    """
    lines = []
    for low, high, length, extent in (
        (other.y, other.bottom, size[0], whole[0]),
        (other.x, other.right, size[1], whole[1]),
    ):
        first = np.arange(extent, dtype=np.int32)
        lines.append(np.maximum(0, np.maximum(low - (first + length - 1), first - (high - 1))))
    steps: NDArray[np.int32] = lines[0][:, None] + lines[1]
    return steps


# -- distances between features ---------------------------------------------------------------------


class Neighbour(NamedTuple):
    """A feature that lies on the map.

    Attributes:
        names: The names that other features use for it.
        rect: Its bounds.
        spans: Name of another feature or a landmark -> the distances to it that this feature allows.
    """

    names: tuple[str, ...]
    rect: Rect
    spans: Mapping[str, tuple[DistanceSpan, ...]]


@dataclass(slots=True)
class Neighbours:
    """The features that lie on a map, for checking distances. `whole` is the (height, width) of the map, `there` the features."""

    whole: Size
    there: list[Neighbour] = field(default_factory=list)

    def add(self, names: tuple[str, ...], rect: Rect, spans: Mapping[str, tuple[DistanceSpan, ...]]) -> None:
        """Add a feature that has been put on the map; the arguments are those of `Neighbour`."""
        self.there.append(Neighbour(names, rect, spans))

    def called(self, name: str) -> list[Rect]:
        """Return the bounds of the features on the map that have this name."""
        return [each.rect for each in self.there if name in each.names]

    def apart(
        self, names: tuple[str, ...], spans: Mapping[str, tuple[DistanceSpan, ...]], size: Size
    ) -> NDArray[np.bool_]:
        """Return (height, width) bool of the map: the top left cells at which a new feature breaks no distance.

        Both the distances that the new feature asks for and those that features on the map ask for must hold.

        Args:
            names: The names of the new feature.
            spans: Name of another feature -> the allowed distances to that feature.
            size: The (height, width) of the new feature.
        """
        found = np.ones(self.whole, np.bool_)
        for name, wanted in spans.items():
            if others := self.called(name):
                steps = np.minimum.reduce([steps_to(rect, size, self.whole) for rect in others])
                for span in wanted:
                    found &= span.holds(steps)
        for each in self.there:
            for name in names:
                for span in each.spans.get(name, ()):
                    if not self._is_met(each, name, span):
                        found &= span.holds(steps_to(each.rect, size, self.whole))
        return found

    def _is_met(self, neighbour: Neighbour, name: str, span: DistanceSpan) -> bool:
        """Return whether a new feature need not meet a wish of a feature on the map, because the wish is met already.

        It is met if it only asks for some feature called `name` to be near, and a feature of that name is near already.

        Args:
            neighbour: The feature on the map with the wish.
            name: A name of the new feature.
            span: The wish: the allowed distances from `neighbour` to features called `name`.
        """
        if span.low:
            return False
        y, x, height, width = neighbour.rect
        others = [each.rect for each in self.there if name in each.names and each is not neighbour]
        return any(steps_to(other, (height, width), self.whole)[y, x] <= span.high for other in others)

    def lacking(self) -> dict[str, NDArray[np.int32]]:
        """Return by how many steps each cell breaks the distances that features ask for from stairs that are not on the map yet.

        Returns:
            "entrance" or "exits" -> (height, width) int32: the number of steps by which stairs in that cell would be too near to a
            feature or too far from it, 0 for a good cell. A landmark to which no feature asks for a distance is absent.
        """
        found: dict[str, NDArray[np.int32]] = {}
        for name in LANDMARKS:
            for each in self.there if not self.called(name) else ():
                steps = steps_to(each.rect, (1, 1), self.whole)
                for span in each.spans.get(name, ()):
                    lack = np.maximum(0, np.maximum(span.low - steps, steps - span.high))
                    found[name] = np.maximum(found[name], lack) if name in found else lack
        return found
