"""The features that lie on the map already, and how far from them others are to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.core.vocabulary import LANDMARKS
from dungeon.generation.seeding.places import steps_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dungeon.content.models.features import Size
    from dungeon.generation.seeding.places import Span
    from dungeon.grid.rect import Rect


class Neighbour(NamedTuple):
    """A feature that lies on the map.

    Attributes:
        names: What others call it.
        spans: Name -> how far it is to be from what is called that.
    """

    names: tuple[str, ...]
    rect: Rect
    spans: Mapping[str, tuple[Span, ...]]


@dataclass(slots=True)
class Neighbours:
    """What lies on a map of that (height, width)."""

    whole: Size
    there: list[Neighbour] = field(default_factory=list)

    def add(self, names: tuple[str, ...], rect: Rect, spans: Mapping[str, tuple[Span, ...]]) -> None:
        """Say that a feature lies there now."""
        self.there.append(Neighbour(names, rect, spans))

    def called(self, name: str) -> list[Rect]:
        """Return where the features of that name lie."""
        return [each.rect for each in self.there if name in each.names]

    def apart(
        self, names: tuple[str, ...], spans: Mapping[str, tuple[Span, ...]], size: Size
    ) -> NDArray[np.bool_]:
        """Return the top left cells at which a feature is as far from others as it, and they, are to be.

        Args:
            names: What others call it.
            spans: How far it is to be from others.
            size: Its (height, width).
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

    def _is_met(self, neighbour: Neighbour, name: str, span: Span) -> bool:
        """Tell whether a feature that is to be near one of that name is near one, so that another may be far."""
        if span.low:
            return False
        y, x, height, width = neighbour.rect
        others = [each.rect for each in self.there if name in each.names and each is not neighbour]
        return any(steps_to(other, (height, width), self.whole)[y, x] <= span.high for other in others)

    def lacking(self) -> dict[str, NDArray[np.int32]]:
        """Return how far each cell is from being right for the entrance, or an exit, where none is on the map yet.

        Returns:
            "entrance" and "exits" -> (height, width) int32, steps; only if some feature cares.
        """
        found: dict[str, NDArray[np.int32]] = {}
        for name in LANDMARKS:
            for each in self.there if not self.called(name) else ():
                steps = steps_to(each.rect, (1, 1), self.whole)
                for span in each.spans.get(name, ()):
                    lack = np.maximum(0, np.maximum(span.low - steps, steps - span.high))
                    found[name] = np.maximum(found[name], lack) if name in found else lack
        return found
