"""How a zone grows: by the set of the cells beside it and nothing else, all of which are valid.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). A cell is picked from the set, then the cells beside it are added;
so there is nothing to guess, and nothing to take back. Which of the set is next makes the shape of a zone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.generation.layouts.cards.params import turned
from dungeon.grid.bits import places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards.lattice import Lattice
    from dungeon.generation.layouts.cards.params import Growth

MOST_BORDERS = 4

TOWARD = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}


@dataclass(frozen=True, slots=True)
class Grower:
    """Lets a zone grow.

    Attributes:
        lattice: The grid.
        growth: In which order the zone takes cells.
        stream: Where chance comes from.
        ages: Cell -> how often another one was taken.
    """

    lattice: Lattice
    growth: Growth
    stream: Stream
    ages: dict[int, int] = field(default_factory=dict)

    def grow(
        self,
        begin: int,
        allowed: int,
        count: int,
        *,
        beside: int = 0,
        leaves_room: Callable[[int], bool] = lambda _: True,
    ) -> int:
        """Return the mask of the cells that the zone takes, so many if there is space.

        Args:
            begin: The mask of what it begins with, all of which is allowed; 0 if `beside` is where it begins.
            allowed: The cells that it may take.
            count: How many cells it is to have.
            beside: The mask of a zone whose set of neighbours it begins with, and keeps: it may begin anew there.
            leaves_room: Given the zone as it would be, tells whether others still find what they need. Cells for which it says no
                are never taken. What is wrong for a zone must be wrong for a larger one.
        """
        cells, ages = begin, self.ages
        while (size := cells.bit_count()) < count:
            neighbours = self.lattice.beside(cells | beside) & allowed & ~cells
            if not neighbours:
                break
            place = self._pick(neighbours, cells | beside, cells)
            if self.growth.ageing:
                for other in places(neighbours):
                    ages[other] = ages.get(other, 0) + 1
            section = self._section(place, allowed & ~cells, count - size)
            if leaves_room(cells | section):
                cells |= section
            elif leaves_room(cells | 1 << place):
                cells |= 1 << place
            else:
                allowed &= ~(1 << place)
        return cells

    def _pick(self, neighbours: int, rooms: int, cells: int) -> int:
        """Return the cell of the set of neighbours that is next.

        Args:
            neighbours: The set.
            rooms: The mask of what counts as a border.
            cells: The zone so far.
        """
        growth, stream, chosen = self.growth, self.stream, neighbours
        if growth.chances:
            exactly = by_borders(self.lattice, neighbours, rooms)
            for borders in range(MOST_BORDERS, 0, -1):
                few = exactly[borders]
                if few and stream.chance(growth.chances.get(borders, 0.0)):
                    chosen = few
                    break
        options = places(chosen)
        if growth.toward is None and not growth.ageing:
            return stream.pick(options)
        pulls = self._pulls(options, cells)
        most = max(pulls)
        weights = [
            (1 + growth.ageing * self.ages.get(place, 0)) * math.exp(growth.pull * (pull - most))
            for place, pull in zip(options, pulls, strict=True)
        ]
        return stream.weighted(zip(options, weights, strict=True))

    def _pulls(self, options: Sequence[int], cells: int) -> list[float]:
        """Return how far each of some cells lies where the zone is pulled: in a direction, or about its centre."""
        toward, stride = self.growth.toward, self.lattice.board.stride
        if toward is None or (toward == "centre" and not cells):
            return [0.0] * len(options)
        if toward != "centre":
            return [float(_along(place, toward, stride)) for place in options]
        inside = [divmod(place, stride) for place in places(cells)]
        y0, x0 = (sum(each[axis] for each in inside) / len(inside) for axis in (0, 1))
        return [-math.hypot(place // stride - y0, place % stride - x0) for place in options]

    def _section(self, place: int, allowed: int, most: int) -> int:
        """Return what is laid on a cell: that cell, or a section that covers it, where it has space."""
        board, cell = self.lattice.board, 1 << place
        name = roll(self.growth.sections, self.stream, "cell")
        if name == "cell":
            return cell
        y, x = divmod(place, board.stride)
        fits = []
        for offsets in turned(name):
            cells = [(y + down, x + across) for down, across in offsets]
            if len(cells) <= most and all(
                0 <= row < board.height and 0 <= column < board.width for row, column in cells
            ):
                mask = board.from_cells(cells)
                if mask & ~allowed == 0:
                    fits.append(mask)
        return self.stream.pick(fits) if fits else cell


def first_of(options: list[int], growth: Growth, stride: int, stream: Stream) -> int:
    """Return one of some cells to begin with: where cells lie likelier in a direction, one of the half from which it leads on."""
    if growth.toward is None or growth.toward == "centre":
        return stream.pick(options)
    toward = growth.toward
    ordered = sorted(options, key=lambda place: _along(place, toward, stride))
    return stream.pick(ordered[: (len(ordered) + 1) // 2])


def _along(place: int, toward: str, stride: int) -> int:
    """Return how far a cell lies in a direction."""
    steps = [TOWARD[word] for word in toward.split("-")]
    return sum(place // stride * dy + place % stride * dx for dy, dx in steps)


def by_borders(lattice: Lattice, neighbours: int, rooms: int) -> list[int]:
    """Return, for 0 to 4 borders, the mask of those of some cells that share so many sides with rooms."""
    stride = lattice.board.stride
    exactly = [neighbours, 0, 0, 0, 0]
    for moved in (rooms << 1, rooms >> 1, rooms << stride, rooms >> stride):
        for borders in range(MOST_BORDERS, 0, -1):
            more = exactly[borders - 1] & moved
            exactly[borders] |= more
            exactly[borders - 1] ^= more
    return exactly
