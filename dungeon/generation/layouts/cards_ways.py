"""Drawing cards on the map, and digging the corridors (*ways*) between them.

A *card* is a prefab, plain room or passage. A *border* is one outer side of one of the grid cells that it takes. An *opening* is
a place where it can be entered. A *joint* says which two cards a way joins, and at which borders. A joint with a *gate* leads
into another zone, and gets a door.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.generation.layouts.cards_faces import Plain
from dungeon.generation.layouts.doorways import CLOSINGS, dig_in, is_open
from dungeon.generation.openings.landings import lay
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_deal import CardJoint
    from dungeon.generation.layouts.cards_faces import Border, Card, CardOpening
    from dungeon.generation.layouts.cards_grid import Lattice
    from dungeon.generation.layouts.cards_params import CardsParams
    from dungeon.level.canvas import Canvas, Mouth

# -- ways -------------------------------------------------------------------------------------------
#
# A way leads straight out of one card, along the earth between two cells, and straight into the other card.
#
#     #####     #####
#     #...#  ,,,+...#      + a door of the plain room on the right
#     #...,,,,  #...#      the prefab on the left has an opening of its own
#     #####     #####
#
# Only one way is dug between two cells, and it never reaches the crossings of the grid's lines, so no two ways meet.


SHORT = 3
"""A way of at most this many cells between two rooms has a door at one end only, and a gap at the other."""

BEYOND_ALL = 1 << 30
"""A distance greater than any on a map."""


@dataclass(slots=True)
class LaidCard:
    """A card (prefab, plain room or passage) that has been drawn on the map.

    Attributes:
        card: The card.
        region: The id of the card's region on the map, 0 for none.
        mouths: The places at a prefab's edge where it can be entered, in cells of the map; empty for other cards.
        used: (border of the card, opening) of each corridor that ends at the card.
        has_lost: Whether cells may have been taken from the region, so that its bounds must be measured again.
    """

    card: Card
    region: int
    mouths: Sequence[Mouth] = ()
    used: set[tuple[Border, CardOpening]] = field(default_factory=set)
    has_lost: bool = False


def lay_card(canvas: Canvas, card: Card) -> LaidCard:
    """Draw a card (a prefab, a plain room or a passage) on the map, and return it with its region and mouths."""
    if not isinstance(card.look, Plain):
        region, mouths = lay(canvas, card.look.entries, Cell(card.box.y, card.box.x))
        return LaidCard(card, region, mouths, has_lost=not card.is_whole)
    if card.look.kind == "passage":
        region = canvas.add_region("corridor", card.box)
        canvas.carve(card.box, t.CORRIDOR, region)
    elif card.look.cells.all():
        region = canvas.carve_room(card.box)
    else:
        region = canvas.add_region("room", card.box)
        ys, xs = card.look.cells.nonzero()
        cells = zip((ys + card.box.y).tolist(), (xs + card.box.x).tolist(), strict=True)
        canvas.carve_cells(cells, t.FLOOR, region)
    return LaidCard(card, region)


@dataclass(frozen=True, slots=True)
class CardWays:
    """Digs the corridors (*ways*) between the cards of a map.

    Attributes:
        canvas: The map.
        lattice: The coarse grid on which the cards lie.
        params: The author's parameters of the layout.
    """

    canvas: Canvas
    lattice: Lattice
    params: CardsParams

    def dig(
        self, one: LaidCard, other: LaidCard, joint: CardJoint, stream: Stream
    ) -> tuple[int, Cell | None]:
        """Dig the corridor between two cards, with its doors, and note at both cards which openings it uses.

        Args:
            one: The card where the corridor begins.
            other: The card where it ends.
            joint: The borders at which the two cards are joined, and whether the corridor leads into another zone.
            stream: The random stream.

        Returns:
            The id of the corridor's region, 0 if a door in a shared wall joins the cards; and the cell of the door into another
            zone, None if the joint has no gate.
        """
        start, end = self._nearest(one, other, joint, stream)
        one.used.add((joint.here, start))
        other.used.add((joint.there, end))
        self._dig_in(one, start)
        self._dig_in(other, end)
        if self.lattice.abuts:
            return 0, self._join_abutting(one, other, start, end, joint, stream)
        first, last = (
            one.card.first_beyond(joint.here, start),
            other.card.first_beyond(joint.there, end),
        )
        way = self._way(one.card, first, last, joint)
        doors = self._doors(one, other, way, joint, stream)
        corridor = [cell for cell in way if cell not in doors]
        region = self.canvas.add_region("corridor", Rect.around(corridor))
        self.canvas.carve_cells(corridor, t.CORRIDOR, region)
        for cell, (kind, laid) in doors.items():
            # The door takes a cell of a prefab's wall.
            laid.has_lost |= not isinstance(laid.card.look, Plain)
            self.canvas.add_door(*cell, (laid.region, region), kind)
        return region, next(iter(doors), None) if joint.gate else None

    def _join_abutting(
        self,
        one: LaidCard,
        other: LaidCard,
        start: CardOpening,
        end: CardOpening,
        joint: CardJoint,
        stream: Stream,
    ) -> Cell | None:
        """Open a door in the wall that the grid cells of two cards share; return its cell if the joint has a gate, else None.

        A card that does not reach the wall gets a straight corridor up to it. A door that a prefab draws there stays; else its
        kind is rolled.

        Args:
            one: The first card.
            other: The second card.
            start: The opening of the first card.
            end: The opening of the second card, in the same row or column.
            joint: The borders at which the cards are joined.
            stream: The random stream of the kind of door.
        """
        canvas, (dy, dx) = self.canvas, joint.here[:2]
        cell = self.lattice.on_map(one.card.cell_at(joint.here))
        if dy:
            door = Cell(cell.bottom - 1 if dy > 0 else cell.y, start.at)
        else:
            door = Cell(start.at, cell.right - 1 if dx > 0 else cell.x)
        code = t.DOOR if joint.gate else CLOSINGS[roll(self.params.doors, stream, "door")]
        for laid, border, opening in ((one, joint.here, start), (other, joint.there, end)):
            way = laid.card.first_beyond(border, opening)
            while (door.y - way.y) * border.dy + (door.x - way.x) * border.dx > 0:
                canvas.carve_cells([way], t.CORRIDOR, laid.region)
                canvas.widen_bounds(laid.region, Rect(*way, 1, 1))
                way = Cell(way.y + border.dy, way.x + border.dx)
            look, (y, x) = laid.card.look, (door.y - laid.card.box.y, door.x - laid.card.box.x)
            if not isinstance(look, Plain):
                laid.has_lost = True
                drawn = look.entries.codes
                if 0 <= y < drawn.shape[0] and 0 <= x < drawn.shape[1] and self._is_door(drawn[y, x]):
                    code = int(drawn[y, x])
        canvas.add_door(*door, (one.region, other.region), int(canvas.terrain_set.base[code]))
        canvas.put(*door, code)
        return door if joint.gate else None

    def _is_door(self, code: int) -> bool:
        """Tell whether terrain with this code is a door of some kind."""
        return code != t.KEEP and int(self.canvas.terrain_set.base[code]) in t.DOORS

    def _nearest(
        self, one: LaidCard, other: LaidCard, joint: CardJoint, stream: Stream
    ) -> tuple[CardOpening, CardOpening]:
        """Return one opening of each card: the pair between which a corridor has the shortest bend.

        The bend is the difference of the openings' columns (or rows, for cards side by side). Of several such pairs one is
        drawn at random.
        """
        here = one.card.openings(joint.here, self.lattice)
        there = other.card.openings(joint.there, self.lattice)
        pairs: list[tuple[CardOpening, CardOpening]] = []
        least = BEYOND_ALL
        for start in here:
            for end in there:
                off = abs(start.at - end.at)
                if off < least:
                    least, pairs = off, []
                if off == least:
                    pairs.append((start, end))
        return stream.pick(pairs)

    def _way(self, one: Card, first: Cell, last: Cell, joint: CardJoint) -> list[Cell]:
        """Return the cells of the corridor between two cards, in order. It turns halfway between their grid cells.

        Args:
            one: The first card.
            first: The first cell of the corridor, just outside of this card.
            last: The last cell of the corridor, just outside of the second card.
            joint: The borders at which the cards are joined.
        """
        dy, dx = joint.here[:2]
        block = self.lattice.on_map(one.cell_at(joint.here))
        middle = (self.lattice.gap - 1) // 2
        if dy:
            line = (block.bottom if dy > 0 else block.y - self.lattice.gap) + middle
            turns = Cell(line, first.x), Cell(line, last.x)
        else:
            line = (block.right if dx > 0 else block.x - self.lattice.gap) + middle
            turns = Cell(first.y, line), Cell(last.y, line)
        way = [first]
        for goal in (*turns, last):
            while way[-1] != goal:
                y, x = way[-1]
                way.append(Cell(y + (goal.y > y) - (goal.y < y), x + (goal.x > x) - (goal.x < x)))
        return way

    # -- doors ----------------------------------------------------------------------------------

    def _doors(
        self, one: LaidCard, other: LaidCard, way: Sequence[Cell], joint: CardJoint, stream: Stream
    ) -> dict[Cell, tuple[int, LaidCard]]:
        """Choose the doors of a corridor, at most one at each end: return cell -> (terrain of the door, the card that it closes).

        Args:
            one: The card where the corridor begins.
            other: The card where it ends.
            way: The cells of the corridor, in order.
            joint: How the two cards are joined; at a gate, a door closes the zone's end.
            stream: The random stream of the kinds of doors.
        """
        ends: dict[Cell, LaidCard] = {}
        for laid, first, border in ((other, way[-1], joint.there), (one, way[0], joint.here)):
            cell = self._end(laid, first, border, gate=joint.gate is not None and not ends)
            if cell is not None:
                ends[cell] = laid
        kinds = [CLOSINGS[roll(self.params.doors, stream, "door")] for _ in ends]
        if len(kinds) > 1 and len(way) <= SHORT:
            kinds[1 if joint.gate else stream.below(2)] = t.FLOOR
        if joint.gate:
            drawn = int(self.canvas.terrain_set.base[self.canvas.terrain[next(iter(ends))]])
            kinds[0] = drawn if drawn in t.DOORS else t.DOOR
        return {cell: (kind, laid) for (cell, laid), kind in zip(ends.items(), kinds, strict=True)}

    def _end(self, laid: LaidCard, first: Cell, border: Border, *, gate: bool) -> Cell | None:
        """Return the cell for a door at one end of a corridor; None if no door is put there.

        A plain room gets its door just outside. A prefab draws its own doors. So a door is added only where the prefab's wall was dug open
        for a drawn connector, or where no wall is drawn.

        Args:
            laid: The card at this end.
            first: The first cell of the corridor outside of it.
            border: The border of the card on which that cell lies.
            gate: Whether a door must be there.
        """
        if isinstance(laid.card.look, Plain):
            return first if gate or laid.card.look.kind == "room" else None
        if not laid.card.look.is_walled:
            return first
        last = Cell(first.y - border.dy, first.x - border.dx)
        if gate:
            return last  # `close_unused` will wall up the cells beside it, in an opening of several cells
        beside = [Cell(last.y + sign * border.dx, last.x + sign * border.dy) for sign in (-1, 1)]
        if is_open(self.canvas, *last) and any(is_open(self.canvas, *cell) for cell in beside):
            return None  # a door would lack a wall on one side
        within = Cell(last.y - laid.card.box.y, last.x - laid.card.box.x)
        return last if within in laid.card.look.entries.dug else None

    def _dig_in(self, laid: LaidCard, opening: CardOpening) -> None:
        """Dig from a prefab's opening through the earth at its edge to its open cells, if that edge is diggable (`o`)."""
        if laid.mouths and laid.mouths[opening.mouth].kind == "diggable":
            dig_in(self.canvas, laid.mouths[opening.mouth])

    # -- unused openings --------------------------------------------------------------------------

    def close_unused(self, laid: LaidCard) -> None:
        """Wall up the openings of a prefab at which no corridor ends, with the cells that were dug for them.

        A cell that connects two parts of the prefab stays open.
        """
        card, canvas = laid.card, self.canvas
        if isinstance(card.look, Plain):
            return
        used = {(border.dy, border.dx, opening.at) for border, opening in laid.used}
        dug = {(y + card.box.y, x + card.box.x) for y, x in card.look.entries.dug}
        for mouth in laid.mouths:
            for line in range(mouth.width):
                y, x = mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy)
                if (mouth.dy, mouth.dx, x if mouth.dy else y) in used:
                    continue
                cell, is_edge = Cell(y - mouth.dy, x - mouth.dx), card.look.is_walled
                while is_open(canvas, *cell) and (is_edge or self._leads_nowhere(cell, dug)):
                    is_passage = self._open_beside(cell) > 1
                    if is_passage and self._parts(laid, cell) > self._parts(laid):
                        break  # the cell connects two parts of the prefab
                    canvas.wall_up(*cell)
                    laid.has_lost = True
                    cell, is_edge = Cell(cell.y - mouth.dy, cell.x - mouth.dx), False
        if laid.has_lost:
            canvas.settle_bounds(laid.region)

    def _parts(self, laid: LaidCard, but: Cell | None = None) -> int:
        """Return the number of connected components of the open cells in a card's box, without the cell `but`.

        If the card does not take all of its box, only its own cells count: others may lie in the rest of the box.
        """
        card, area = laid.card, laid.card.box.slices
        opened = self.canvas.terrain_set.open.take(self.canvas.terrain[area])
        if not card.is_whole:
            opened &= self.canvas.region[area] == laid.region
        if but is not None:
            opened[but.y - card.box.y, but.x - card.box.x] = False
        return components(opened)[1]

    def _leads_nowhere(self, cell: Cell, dug: Collection[tuple[int, int]]) -> bool:
        """Tell whether a cell is a useless opening: a door or a cell dug for a connector, with fewer than two open neighbours.

        Args:
            cell: The cell of the map.
            dug: The cells that were dug for the connectors of a prefab.
        """
        base = int(self.canvas.terrain_set.base[self.canvas.terrain[cell]])
        return self._open_beside(cell) < 2 and (cell in dug or base in t.DOORS)

    def _open_beside(self, cell: Cell) -> int:
        """Return how many of a cell's four neighbours are open."""
        y, x = cell
        return sum(is_open(self.canvas, *each) for each in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)))
