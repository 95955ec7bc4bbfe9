"""Deals cards (prefabs, plain rooms, passages) to the cells of a coarse grid, and decides which neighbours corridors join.

A mask is an int with one bit per grid cell; a *place* is the number of a cell's bit. A *face* is a prefab's drawing as a card.
A *border* is one outer side of one grid cell of a card. A *joint* says which two cards a corridor (*way*) must join. A *plot*
is a zone with its grid cells. A *deck* gives weights and numbers of copies to cards.

The result is connected by construction. First, cards of several cells are laid where their closed sides cut nothing
off. Then a random spanning tree joins all cards. Every other cell gets a card with openings to all cells that the
tree joins it to. All cards of the deck are tested in all orientations, so nothing has to be retried. If no card fits,
a plain room is laid.

    +-+-+-+        the tree (- and |) demands of each cell the sides
    | |   |        on which its card must have openings
    +-+ +-+

A mask is an int with one bit per cell of the grid; a *place* is the number of a cell's bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.streams import DRAWN, UNIT
from dungeon.generation.layouts import cards_faces
from dungeon.generation.layouts.cards_decks import PASSAGE, ROOM, DeckOfZone, deck_of
from dungeon.generation.layouts.cards_faces import Border
from dungeon.generation.layouts.cards_grid import SIDES
from dungeon.grid.bits import places
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from dungeon.core.streams import Streams
    from dungeon.generation.layouts.cards_decks import DealtCopies
    from dungeon.generation.layouts.cards_faces import Card, Face
    from dungeon.generation.layouts.cards_grid import Lattice
    from dungeon.generation.layouts.cards_zones import Plot, ZonePlan

RANK = 64
"""Number of random bits that a cell is given."""

WORDS = {(-1, 0): "north", (0, -1): "west", (0, 1): "east", (1, 0): "south"}
"""(dy, dx) -> the name of the side."""


class CardJoint(NamedTuple):
    """Two neighbouring cards that a corridor must join. Cards are given by their index in `Deal.dealt`.

    Attributes:
        one: The index of the first card.
        here: The border of the first card at which the corridor leaves it.
        other: The index of the second card.
        there: The border of the second card, opposite to `here`.
        gate: For a corridor into another zone: the places of the grid cells (outside that zone, in it); else None.
    """

    one: int
    here: Border
    other: int
    there: Border
    gate: tuple[int, int] | None = None


@dataclass(slots=True)
class Deal:
    """The cards of a map and the corridors between them, chosen before anything is drawn.

    Attributes:
        plan: The zones.
        table: The copies laid from all decks.
        dealt: The cards laid so far.
        lies: Place of a grid cell -> the index of the card that covers it, in `dealt`.
        joints: The pairs of cards to be joined by corridors.
        streams: The random streams.
    """

    plan: ZonePlan
    table: DealtCopies
    dealt: list[Card] = field(default_factory=list)
    lies: dict[int, int] = field(default_factory=dict)
    joints: list[CardJoint] = field(default_factory=list)
    streams: Streams = field(init=False)
    _needed: dict[int, set[Border]] = field(default_factory=dict)
    _rank: Callable[[int, int], int] = field(init=False)

    def __post_init__(self) -> None:
        self.streams = self.plan.job.streams.under("layout", "cards", self.plan.job.attempt)
        self._rank = self.streams.ranks("card")

    @property
    def lattice(self) -> Lattice:
        """The grid on which the cards lie."""
        return self.plan.lattice

    def run(self) -> None:
        """Lay cards on the cells of all zones, bridges and tunnels, and choose the pairs of cards that corridors must join."""
        for before, place in self.plan.joined:
            self._need(before, place)
            self._need(place, before)
        for number, plot in enumerate(self.plan.plots):
            self._deal_between(plot)
            self._deal_to(number, plot)
        gates = {gate for plot in self.plan.plots for gate in plot.gates}
        self.joints += [
            self._joint(*pair)._replace(gate=pair if pair in gates else None) for pair in self.plan.joined
        ]

    def _need(self, place: int, there: int) -> None:
        """Note that the card at the grid cell `place` must have an opening toward the neighbouring grid cell `there`."""
        stride = self.lattice.board.stride
        (y, x), (to_y, to_x) = divmod(place, stride), divmod(there, stride)
        self._needed.setdefault(place, set()).add(Border(to_y - y, to_x - x, 0, 0))

    def _lay(self, card: Card) -> None:
        """Add a card to the cards laid so far, and note it at each grid cell that it takes."""
        for y, x in card.offsets:
            self.lies[(card.cells.y + y) * self.lattice.board.stride + card.cells.x + x] = len(self.dealt)
        self.dealt.append(card)

    # -- between zones --------------------------------------------------------------------------

    def _deal_between(self, plot: Plot) -> None:
        """Lay the cards that lead to a zone: one card on its bridge, or a passage on each grid cell of its tunnel."""
        if plot.bridge is not None and plot.entry is not None:
            deck = DeckOfZone(plot.entry.bridge, self.table, {} if plot.entry.bridge else {ROOM: 1.0})
            self._deal_one(plot.bridge, None, deck, self._order(plot.bridge, deck))
        for place in plot.tunnel:
            cell = self._cell(place)
            stream = self.streams.stream("card", cell.y, cell.x)
            lines = self._lines_opposite(place, self._needed.get(place, ()))
            card = cards_faces.passage(self.lattice, None, cell, stream, lines)
            self._lay(
                card
                or cards_faces.room(self.lattice, None, cell, self.plan.params, stream, is_rectangle=True)
            )

    # -- within zones ---------------------------------------------------------------------------

    def _deal_to(self, number: int, plot: Plot) -> None:
        """Lay cards on all grid cells of one zone, and choose the pairs of these cards that corridors must join.

        Args:
            number: The index of the zone in the plan.
            plot: The zone with its grid cells.
        """
        deck = deck_of(plot.entry, self.table)
        order = places(plot.cells)
        self.streams.stream("order", plot.name).shuffle(order)
        left = _RemainingCells(self.lattice, plot.cells)
        drawn = {place: self._order(place, deck) for place in order}
        for section in plot.sections:
            self._deal_section(section, number, deck, left)
        for place in order:
            if left.cells >> place & 1:
                self._deal_large(place, number, [name for name in drawn[place] if deck.has(name)], left)
        pairs = self._pairs(plot, left)
        self.streams.stream("tree", plot.name).shuffle(pairs)
        tree, others = self._tree(pairs)
        for before, place in tree:
            self._need(before, place)
            self._need(place, before)
        for place in order:
            if left.cells >> place & 1:
                self._deal_one(place, number, deck, drawn[place])
        self.joints += [self._joint(*pair) for pair in tree]
        self._add_loops(plot, tree, others)

    def _order(self, place: int, deck: DeckOfZone) -> list[str]:
        """Return the names of all cards of a deck, in the random order in which they are tried at the grid cell `place`.

        A card with a large weight tends to come early. The order depends on the deck and the cell alone, so a small edit
        elsewhere does not change it.
        """
        return deck.order((self._rank(*divmod(place, self.lattice.board.stride)) >> RANK - DRAWN) * UNIT)

    def _deal_section(self, cells: int, number: int, deck: DeckOfZone, left: _RemainingCells) -> None:
        """Lay a card of exactly the shape of a section; lay nothing and note that in the journal if no card will do.

        Args:
            cells: The mask of the section's grid cells.
            number: The index of the zone.
            deck: The deck to draw from.
            left: The cells of the zone without a card.
        """
        board = self.lattice.board
        block = board.bounds(cells)
        shape = tuple((y - block.y, x - block.x) for y, x in board.cells(cells))
        drawn = self._order((cells & -cells).bit_length() - 1, deck)
        streams = self.streams.under("section", block.y, block.x)
        for name in (each for each in drawn if each not in (ROOM, PASSAGE) and deck.has(each)):
            faces = [face for face in self.table.faces(name) if face.cells == shape]
            streams.stream("lying", name).shuffle(faces)
            if self._lay_first([(face, block) for face in faces], name, number, left):
                return
        text = "no card that is left has its shape and the openings that are needed"
        self.plan.job.journal.note("layout", f"section at {block.x}, {block.y}", "noted", text)

    def _lay_first(
        self, options: Iterable[tuple[Face, Rect]], name: str, number: int, left: _RemainingCells
    ) -> bool:
        """Lay a prefab over several grid cells, in the first position that will do; return False if none does.

        The rest of the zone must stay connected around the card, and the card must have the openings that are needed.

        Args:
            options: (drawing, rectangle of grid cells) for each position.
            name: The prefab.
            number: The index of the zone.
            left: The cells of the zone without a card.
        """
        for face, block in options:
            if not left.has(block, face.cells):
                continue
            card = cards_faces.prefab(self.lattice, number, block, face)
            closed = left.closed_by(card, self._opens) if self._serves(card) else None
            if closed is not None and left.may_close(closed):
                self._lay(card)
                self.table.count(name)
                left.take(card, closed)
                return True
        return False

    def _deal_large(self, place: int, number: int, drawn: Iterable[str], left: _RemainingCells) -> None:
        """Lay a card of several grid cells over the cell at `place`, if such a card comes before all cards of one cell.

        If no card will do, nothing is laid.

        Args:
            place: The place of the grid cell.
            number: The index of the zone.
            drawn: The names of cards, in the order in which they are tried.
            left: The cells of the zone without a card.
        """
        cell = self._cell(place)
        streams = self.streams.under("large", cell.y, cell.x)
        for name in drawn:
            if name in (ROOM, PASSAGE):
                if name == ROOM and streams.unit("hall") < self.plan.params.halls:
                    self._deal_hall(cell, number, left, streams)
                return
            faces = self.table.faces(name)
            if any(len(face.cells) == 1 for face in faces):
                return  # a card of one cell comes first: it is chosen later, when its needed openings are known
            options = [
                (face, Rect(y, x, face.rows, face.columns))
                for face in faces
                for y in range(cell.y - face.rows + 1, cell.y + 1)
                for x in range(cell.x - face.columns + 1, cell.x + 1)
                if (cell.y - y, cell.x - x) in face.cells
            ]
            streams.stream("lying", name).shuffle(options)
            if self._lay_first(options, name, number, left):
                return

    def _deal_hall(self, cell: Rect, number: int, left: _RemainingCells, streams: Streams) -> None:
        """Lay a hall (a plain room of two or four grid cells) so that it covers one grid cell; do nothing if there is no space.

        Args:
            cell: The grid cell, as a rectangle of the grid.
            number: The index of the zone.
            left: The cells of the zone without a card.
            streams: The random streams of this cell.
        """
        options = [
            Rect(y, x, height, width)
            for height, width in ((1, 2), (2, 1), (2, 2))
            for y in range(cell.y - height + 1, cell.y + 1)
            for x in range(cell.x - width + 1, cell.x + 1)
        ]
        options = [block for block in options if left.has(block)]
        if options:
            block, stream = streams.stream("lying").pick(options), streams.stream("room")
            card = cards_faces.room(self.lattice, number, block, self.plan.params, stream)
            self._lay(card)
            left.take(card, (0, 0))

    def _deal_one(self, place: int, number: int | None, deck: DeckOfZone, drawn: Collection[str]) -> None:
        """Lay a card of one grid cell with openings toward all cells that it must be joined to; a plain room if no card has them.

        Args:
            place: The place of the grid cell.
            number: The index of the zone; None for a bridge.
            deck: The deck to draw from.
            drawn: The names of its cards, in the order in which they are tried.
        """
        cell = self._cell(place)
        streams = self.streams.under("card", cell.y, cell.x)
        needed = self._needed.get(place, set())
        for name in filter(deck.has, drawn):
            if name == PASSAGE:
                lines = self._lines_opposite(place, needed)
                card = cards_faces.passage(self.lattice, number, cell, streams.stream("passage"), lines)
                if card is None:
                    continue
                self._lay(card)
                return
            if name == ROOM:
                break
            fitting = [
                face
                for face in self.table.faces(name)
                if len(face.cells) == 1
                and needed <= face.openings.keys()
                and (
                    not self.lattice.abuts
                    or self._serves(cards_faces.prefab(self.lattice, number, cell, face))
                )
            ]
            if fitting:
                face = streams.stream("lying", name).pick(fitting)
                self._lay(cards_faces.prefab(self.lattice, number, cell, face))
                self.table.count(name)
                return
        else:
            sides = " and ".join(WORDS[border.dy, border.dx] for border in sorted(needed)) or "any side"
            text = f"no card that is left has openings to the {sides}: a plain room instead"
            counts = (("cards", len(drawn)),)
            self.plan.job.journal.note("layout", f"cell {cell.x}, {cell.y}", "noted", text, counts)
        room = cards_faces.room(self.lattice, number, cell, self.plan.params, streams.stream("room"))
        if not self._serves(room):
            stream = streams.stream("rectangle")
            room = cards_faces.room(self.lattice, number, cell, self.plan.params, stream, is_rectangle=True)
        self._lay(room)

    def _serves(self, card: Card) -> bool:
        """Tell whether a card that is not laid yet has an opening toward each cell that it must be joined to."""
        stride = self.lattice.board.stride
        for y, x in card.offsets:
            place = (card.cells.y + y) * stride + card.cells.x + x
            for dy, dx, *_ in self._needed.get(place, ()):
                if not self._opens(card, Border(dy, dx, y, x), place + dy * stride + dx):
                    return False
        return True

    def _opens(self, card: Card, border: Border, there: int) -> bool:
        """Tell whether a card can be entered at a border; if grid cells share walls, opposite to an opening of the card beyond.

        Args:
            card: The card, which need not be laid yet.
            border: The border.
            there: The place of the grid cell beyond it.
        """
        if not card.can_open(border):
            return False
        if not self.lattice.abuts or there not in self.lies:
            return True
        lines = {opening.at for opening in card.openings(border, self.lattice)}
        return not lines.isdisjoint(self._lines_of(there, (-border.dy, -border.dx)))

    def _lines_of(self, place: int, side: tuple[int, int]) -> set[int]:
        """Return the rows or columns of the map where the card on a grid cell can be entered from a side of this cell.

        Args:
            place: The place of the grid cell; a card must lie there.
            side: The side, as (dy, dx) out of the grid cell.
        """
        card = self.dealt[self.lies[place]]
        y, x = divmod(place, self.lattice.board.stride)
        border = Border(*side, y - card.cells.y, x - card.cells.x)
        return {opening.at for opening in card.openings(border, self.lattice)}

    def _lines_opposite(self, place: int, needed: Iterable[Border]) -> dict[Border, set[int]]:
        """Return border of a grid cell -> the rows or columns at which the card beyond it, laid already, has openings: a way can't bend there.

        Args:
            place: The place of the grid cell.
            needed: The borders at which a way must lead in.
        """
        beyond = {each: place + each.dy * self.lattice.board.stride + each.dx for each in needed}
        return {
            border: self._lines_of(there, (-border.dy, -border.dx))
            for border, there in beyond.items()
            if self.lattice.abuts and there in self.lies
        }

    # -- joining --------------------------------------------------------------------------------

    def _cell(self, place: int) -> Rect:
        """Return the grid cell at `place` (the number of its bit in masks) as a rectangle of 1 x 1 grid cells."""
        return Rect(*divmod(place, self.lattice.board.stride), 1, 1)

    def _pairs(self, plot: Plot, left: _RemainingCells) -> list[tuple[int, int]]:
        """Return the pairs of neighbouring grid cells of a zone that can be joined, as pairs of places.

        Cells without a card form pairs, too. Only two cells of the same card form none, and neighbours that a card cuts off.

        Args:
            plot: The zone.
            left: The cells of the zone without a card; it knows which neighbours the cards laid so far cut off.
        """
        stride = self.lattice.board.stride
        return [
            (place, there)
            for place in places(plot.cells)
            for there, joined in ((place + 1, left.across), (place + stride, left.down))
            if joined >> place & 1 and (place not in self.lies or self.lies[place] != self.lies.get(there))
        ]

    def _tree(self, pairs: Iterable[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Split pairs of cells into two lists: those that form a spanning tree of all cards, and the others.

        Kruskal's algorithm with union-find. A pair joins the tree unless earlier pairs connect its two cells already; all cells
        of one card count as one.

        Args:
            pairs: Pairs of places of neighbouring cells, in random order.
        """
        root: dict[int, int] = {}

        def find(place: int) -> int:
            """Return the representative of the component of the cell at `place`; all cells of a card are one node."""
            node = ~self.lies[place] if place in self.lies else place  # a negative number per card
            while (above := root.get(node, node)) != node:
                root[node] = node = root.get(above, above)
            return node

        tree: list[tuple[int, int]] = []
        others: list[tuple[int, int]] = []
        for before, place in pairs:
            one, other = find(before), find(place)
            (others if one == other else tree).append((before, place))
            if one != other:
                root[one] = other
        return tree, others

    def _add_loops(
        self, plot: Plot, tree: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]
    ) -> None:
        """Close loops: add joints between random pairs of neighbouring cards that have openings toward each other.

        No two cards are joined twice. If chance chooses no pair at all, the first possible one is joined, unless the parameter
        `loops` is 0; so a zone is more than a tree.

        Args:
            plot: The zone.
            tree: The pairs of places that are joined already.
            others: The other pairs of neighbouring places.
        """
        joined = {frozenset((self.lies[before], self.lies[place])) for before, place in tree}
        stream = self.streams.stream("loops", plot.name)
        passed: list[CardJoint] = []
        loops = len(self.joints)
        for before, place in others:
            pair = frozenset((self.lies[before], self.lies[place]))
            is_wanted, joint = stream.chance(self.plan.params.loops), self._joint(before, place)
            if pair in joined or not self._can_open(joint):
                continue
            if is_wanted:
                self.joints.append(joint)
                joined.add(pair)
            else:
                passed.append(joint)
        if passed and self.plan.params.loops > 0 and len(self.joints) == loops:
            self.joints.append(passed[0])

    def _can_open(self, joint: CardJoint) -> bool:
        """Tell whether each of the two cards of a joint has an opening toward the other card."""
        one, cell = self.dealt[joint.one], self.dealt[joint.one].cell_at(joint.here)
        there = (cell.y + joint.here.dy) * self.lattice.board.stride + cell.x + joint.here.dx
        return self.dealt[joint.other].can_open(joint.there) and self._opens(one, joint.here, there)

    def _joint(self, before: int, place: int) -> CardJoint:
        """Return the joint of the cards at two neighbouring places of the grid: the two cards, and the borders where they meet."""
        one, other = self.lies[before], self.lies[place]
        return CardJoint(one, self._border(before, place), other, self._border(place, before))

    def _border(self, place: int, there: int) -> Border:
        """Return the border of the card at the grid cell `place` that faces the neighbouring grid cell `there`."""
        stride = self.lattice.board.stride
        block = self.dealt[self.lies[place]].cells
        (y, x), (to_y, to_x) = divmod(place, stride), divmod(there, stride)
        return Border(to_y - y, to_x - x, y - block.y, x - block.x)


class _RemainingCells:
    """The grid cells of a zone that have no card yet, and the sides of cells that cards of several cells have closed.

    Attributes:
        board: The layout of masks.
        zone: The mask of all of the zone's cells.
        cells: The mask of the cells without a card.
        across: The mask of the cells that can be joined to the next cell on their right.
        down: The mask of the cells that can be joined to the next cell below.
        parts: The number of connected components of the zone before any card was laid.
    """

    def __init__(self, lattice: Lattice, cells: int) -> None:
        self.board = lattice.board
        self.zone = cells
        self.cells = cells
        self.across = cells & cells >> 1
        self.down = cells & cells >> self.board.stride
        self.parts = self._count(self.across, self.down)

    def has(self, block: Rect, cells: Iterable[tuple[int, int]] | None = None) -> bool:
        """Tell whether some grid cells lie within the zone and have no card on them yet.

        Args:
            block: The rectangle of grid cells.
            cells: The cells in question, as (row, column) within the rectangle; None for all.
        """
        board = self.board
        return (
            block.y >= 0
            and block.x >= 0
            and block.bottom <= board.height
            and block.right <= board.width
            and self._mask(block, cells) & ~self.cells == 0
        )

    def _mask(self, block: Rect, cells: Iterable[tuple[int, int]] | None) -> int:
        """Return the mask of some grid cells of a rectangle, given as (row, column) within it; of all for None."""
        if cells is None:
            return self.board.block(*block)
        return self.board.from_cells((block.y + y, block.x + x) for y, x in cells)

    def may_close(self, closed: tuple[int, int]) -> bool:
        """Tell whether the zone stays as connected as it was if some borders are closed, as returned by `closed_by`."""
        across, down = closed
        return self._count(self.across & ~across, self.down & ~down) == self.parts

    def take(self, card: Card, closed: tuple[int, int]) -> None:
        """Note that a card lies in the zone, and which borders it closes, as returned by `closed_by`."""
        self.cells &= ~self._mask(card.cells, card.offsets)
        self.across &= ~closed[0]
        self.down &= ~closed[1]

    def closed_by(self, card: Card, opens: Callable[[Card, Border, int], bool]) -> tuple[int, int]:
        """Return which neighbouring cells a card would cut off from each other, as two masks of grid cells.

        The first mask has the cells that can't be joined to their right neighbour any more, the second those that can't be
        joined to their lower neighbour.

        Args:
            card: The card.
            opens: Tells whether a card can be entered at a border from the grid cell at a place.
        """
        stride, across, down = self.board.stride, 0, 0
        offsets = {*card.offsets}
        for y, x in offsets:
            place = (card.cells.y + y) * stride + card.cells.x + x
            for dy, dx in SIDES:
                there = place + dy * stride + dx
                if (y + dy, x + dx) in offsets or opens(card, Border(dy, dx, y, x), there):
                    continue
                before = min(place, there)
                if before >= 0 and dx:
                    across |= 1 << before
                elif before >= 0:
                    down |= 1 << before
        return across, down

    def _count(self, across: int, down: int) -> int:
        """Return the number of connected components of the zone for some set of connections (flood fill on masks).

        Args:
            across: The mask of the cells that are connected to their right neighbour.
            down: The mask of the cells that are connected to their lower neighbour.
        """
        stride, rest, count = self.board.stride, self.zone, 0
        while rest:
            front = rest & -rest
            count += 1
            while front:
                rest ^= front
                front = (
                    (front & across) << 1
                    | front >> 1 & across
                    | (front & down) << stride
                    | front >> stride & down
                )
                front &= rest
        return count
