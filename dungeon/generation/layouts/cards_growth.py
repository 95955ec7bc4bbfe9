"""How a zone of the layout `cards` grows on its grid, cell by cell or by *sections*: shapes of several cells, taken at once.

A zone grows by a set of valid cells beside it. A cell is picked from the set, then its own neighbours join the set. So no
pick is ever wrong, and none has to be undone. The order of the picks gives the zone its shape.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). A mask is an int with one bit per grid cell; a *place* is the
number of a cell's bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.generation.layouts.cards_params import DECK, SECTIONS, turned
from dungeon.grid.bits import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_decks import DeckShapes
    from dungeon.generation.layouts.cards_grid import Lattice
    from dungeon.generation.layouts.cards_params import Growth, Offsets

MOST_BORDERS = 4
"""A cell has four neighbours."""

TOWARD = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
"""Direction -> (dy, dx); north-east and the like are the sums."""


@dataclass(slots=True)
class Grower:
    """Lets one zone grow on the grid, cell by cell.

    Attributes:
        lattice: The grid.
        growth: The author's parameters of the growth.
        stream: The random stream.
        shapes: The shapes of the cards in the zone's deck, if it may grow by them.
        ages: Place of a cell beside the zone -> how many other cells were taken while it lay there.
        sections: The masks of the sections of several cells that were taken by the shape of a card, in order.
    """

    lattice: Lattice
    growth: Growth
    stream: Stream
    shapes: DeckShapes | None = None
    ages: dict[int, int] = field(default_factory=dict)
    sections: list[int] = field(default_factory=list)

    def grow(
        self,
        begin: int,
        allowed: int,
        count: int,
        *,
        beside: int = 0,
        leaves_room: Callable[[int], bool] = lambda _: True,
    ) -> int:
        """Return the mask of the grid cells that the zone takes: `count` cells, or fewer if there is no space.

        Args:
            begin: The mask of the zone's first cells; 0 if it begins beside another zone.
            allowed: The mask of the cells that it may take.
            count: The number of cells that it should have.
            beside: The mask of another zone beside which it may take cells at any time, even apart from its own cells; 0 for
                none.
            leaves_room: Takes a mask of the zone with further cells, and tells whether other zones still have space then. Cells
                for which it returns False are never taken. It must return False for every larger zone, too.
        """
        cells, unfit = begin, 0
        if self.shapes is not None and begin.bit_count() == 1:
            section, card = self._section(begin.bit_length() - 1, allowed | begin, count)
            if section and leaves_room(section):
                cells = self._take(begin, section, card)
        while (size := cells.bit_count()) < count:
            neighbours = self.lattice.beside(cells | beside) & allowed & ~cells
            if not neighbours:
                break
            fit = neighbours & ~unfit
            place = self._pick(fit or neighbours, cells | beside, cells)
            self._age(neighbours)
            section, card = 1 << place, None
            if fit:
                section, card = self._section(place, allowed & ~cells, count - size)
            if section and leaves_room(cells | section):
                cells = self._take(cells, section, card)
            elif fit and self.shapes is not None:
                unfit |= 1 << place
            elif leaves_room(cells | 1 << place):
                cells |= 1 << place
            else:
                allowed &= ~(1 << place)
        return cells

    def _age(self, neighbours: int) -> None:
        """Note that the cells of a mask lay beside the zone for one more turn, if the author's growth asks for that."""
        for place in places(neighbours) if self.growth.ageing else ():
            self.ages[place] = self.ages.get(place, 0) + 1

    def _take(self, cells: int, section: int, card: str | None) -> int:
        """Return the zone `cells` with a section; if it has the shape of `card`, note that, so that such a card is laid."""
        if card is not None and self.shapes is not None:
            self.shapes.take(card)
            if section.bit_count() > 1:
                self.sections.append(section)
        return cells | section

    def _pick(self, neighbours: int, rooms: int, cells: int) -> int:
        """Return the place of the grid cell that the zone takes next: a random one of its neighbours, as the author's `grow` says.

        Args:
            neighbours: The mask of the cells that may be taken.
            rooms: The mask of the cells that count as taken for the author's `chances`.
            cells: The mask of the zone so far.
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
        """Return for each cell how far it lies in the author's direction `toward`, in cells; the zone prefers cells that lie far.

        For `toward: centre` it is minus the distance from the zone's middle; without a direction, 0.

        Args:
            options: The places of the cells.
            cells: The mask of the zone so far.
        """
        toward, stride = self.growth.toward, self.lattice.board.stride
        if toward is None or (toward == "centre" and not cells):
            return [0.0] * len(options)
        if toward != "centre":
            return [float(_along(place, toward, stride)) for place in options]
        inside = [divmod(place, stride) for place in places(cells)]
        y0, x0 = (sum(each[axis] for each in inside) / len(inside) for axis in (0, 1))
        return [-math.hypot(place // stride - y0, place % stride - x0) for place in options]

    def _section(self, place: int, allowed: int, most: int) -> tuple[int, str | None]:
        """Return (cells, card): what the zone takes at once, a rolled section over the cell at `place` or that cell alone.

        `cells` is a mask: 0 if the shape of a card is rolled, and none fits. `card` is the card that has the shape; None for a
        named section.

        Args:
            place: The place of the cell.
            allowed: The mask of the cells that may be taken. If a named section fits in no position, only the cell is taken.
            most: The greatest number of cells to take; shapes of cards may take more.
        """
        name = roll(self.growth.sections, self.stream, "cell")
        if name == DECK and self.shapes is not None:
            for card, positions in self.shapes.in_order(self.stream.random()):
                if fits := self._fits(positions, place, allowed):
                    return self.stream.pick(fits), card
            return 0, None
        if name in SECTIONS and name != "cell":
            fits = [mask for mask in self._fits(turned(name), place, allowed) if mask.bit_count() <= most]
            if fits:
                return self.stream.pick(fits), None
        return 1 << place, None

    def _fits(self, positions: Iterable[Offsets], place: int, allowed: int) -> list[int]:
        """Return the masks of the positions of a section, relative to the cell at `place`, in which it lies on allowed cells."""
        board, fits = self.lattice.board, []
        y, x = divmod(place, board.stride)
        for offsets in positions:
            cells = [(y + down, x + across) for down, across in offsets]
            if all(0 <= row < board.height and 0 <= column < board.width for row, column in cells):
                mask = board.from_cells(cells)
                if mask & ~allowed == 0:
                    fits.append(mask)
        return fits


def first_of(options: list[int], growth: Growth, stride: int, stream: Stream) -> int:
    """Return the place of a random cell with which a zone begins.

    If the zone grows in a direction such as north, only the southern half of the cells comes into question, so that there is
    space ahead.

    Args:
        options: The places of the possible cells.
        growth: The author's parameters of the growth.
        stride: The number of bits from one row of the grid to the next.
        stream: The random stream.
    """
    if growth.toward is None or growth.toward == "centre":
        return stream.pick(options)
    toward = growth.toward
    ordered = sorted(options, key=lambda place: _along(place, toward, stride))
    return stream.pick(ordered[: (len(ordered) + 1) // 2])


def _along(place: int, toward: str, stride: int) -> int:
    """Return how far the grid cell at `place` lies in the direction `toward`, such as "north-east", in cells."""
    steps = [TOWARD[word] for word in toward.split("-")]
    return sum(place // stride * dy + place % stride * dx for dy, dx in steps)


def by_borders(lattice: Lattice, neighbours: int, rooms: int) -> list[int]:
    """Sort grid cells by the number of sides that they share with cells of `rooms`: return five masks, for 0 to 4 sides.

    Bits are moved up from mask to mask, once per direction, so that all cells are counted at once.

    Args:
        lattice: The grid.
        neighbours: The mask of the cells to sort.
        rooms: The mask of the cells whose sides count.
    """
    stride = lattice.board.stride
    exactly = [neighbours, 0, 0, 0, 0]
    for moved in (rooms << 1, rooms >> 1, rooms << stride, rooms >> stride):
        for borders in range(MOST_BORDERS, 0, -1):
            more = exactly[borders - 1] & moved
            exactly[borders] |= more
            exactly[borders - 1] ^= more
    return exactly
