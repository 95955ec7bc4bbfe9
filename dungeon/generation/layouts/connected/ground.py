"""What a map of pieces has by now: what is open, where something may still be dug, and all connectors that are left.

Everything is a mask (see `grid.bits`): all places of a piece, all ends of hallways and so all ways in which a piece
may be joined on are known at once, and one of them is picked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.generation.openings.openings import SIDES
from dungeon.grid.bits import Board, shifted, starts
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected.piece import Piece, Run
    from dungeon.generation.openings.connectors import Connector
    from dungeon.level.canvas import Canvas

Place = tuple[int, int, int, int]
"""The edge of a connector and the direction that leads away from it: (y, x, dy, dx)."""

Sort = tuple[int, int, int]
"""The direction of connectors, (dy, dx), and what they may be joined to."""


class Joint(NamedTuple):
    """A connector on the map to which nothing is joined yet.

    Attributes:
        y: The row of its edge; `x`: its column.
        dy: With `dx` the direction that leads away from its piece.
        kind: What it may be joined to: connectors of the same kind.
        region: Its piece's region.
        way: The cells that are opened when it is used, from the innermost to the edge.
        code: The door that is drawn at its edge, or None.
    """

    y: int
    x: int
    dy: int
    dx: int
    kind: int
    region: int
    way: tuple[Cell, ...]
    code: int | None

    @property
    def place(self) -> Place:
        """Where it is, and where it leads."""
        return self[:4]

    @property
    def sort(self) -> Sort:
        """Its direction and kind."""
        return self[2:5]

    def ahead(self, steps: int) -> Cell:
        """Return the cell so many steps beyond its edge."""
        return Cell(self.y + steps * self.dy, self.x + steps * self.dx)


class Fit(NamedTuple):
    """One way to join a piece on.

    Attributes:
        cell: Where its top left cell lies.
        joint: What it is joined to; None for the first piece.
        connector: Its own connector, in cells of the piece.
        length: How many cells the hallway between them has.
    """

    cell: Cell
    joint: Joint | None = None
    connector: Connector | None = None
    length: int = 0


@dataclass(kw_only=True)
class Ground:
    """The map while pieces are joined on.

    Attributes:
        canvas: The map itself.
        close: Rolls what is put at the end of a hallway.
        typed: Whether only connectors of one kind join.
        kept: The mask of the cells in which nothing but a hallway is dug: ways to what was seeded are to come there.
        free: The mask of the cells that anybody may dig.
        opened: The mask of the open cells; `walked`: of those that can be walked on.
        built: The mask of cells that a piece has drawn; `plain`: of those that are mere wall or earth.
        doors: The mask of the doors at the ends of hallways.
        fronts: The mask of the cells before connectors without a wall that are near nothing but their own piece.
        joints: The connectors that are left, by where they are.
        edges: The masks of their edges, by direction and kind.
    """

    canvas: Canvas
    close: Callable[[], int]
    typed: bool
    kept: int = 0
    board: Board = field(init=False)
    inner: int = field(init=False)
    free: int = field(init=False)
    opened: int = field(init=False)
    walked: int = field(init=False)
    built: int = 0
    plain: int = 0
    doors: int = 0
    fronts: int = 0
    joints: dict[Place, Joint] = field(default_factory=dict)
    edges: dict[Sort, int] = field(default_factory=dict)
    _clear: int | None = None
    _rays: dict[Sort, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        canvas = self.canvas
        self.board = board = Board(canvas.height, canvas.width)
        self.inner = board.block(1, 1, canvas.height - 2, canvas.width - 2)
        used = board.from_rows(canvas.used.rows)
        self.opened = board.from_array(canvas.open)
        self.walked = board.from_array(canvas.passable())
        self.free = board.full & ~used

    @property
    def clear(self) -> int:
        """The mask of the cells in which a hallway may be dug: it would touch nothing there."""
        if self._clear is None:
            self._clear = self.inner & self.free & ~self.built & ~self.board.around(self.opened)
        return self._clear

    @property
    def share(self) -> float:
        """Which share of the map is open."""
        return self.opened.bit_count() / self.inner.bit_count()

    # -- where a piece fits ---------------------------------------------------------------------

    def spots(self, piece: Piece) -> int:
        """Return the top left cells at which a piece leaves all that is there as it is, and touches nothing."""
        board, (height, width) = self.board, piece.size
        whole = self.inner if piece.is_drawn else board.full
        found = board.fits(whole, height, width)
        free = self.free & ~self.kept & ~self.opened
        found = self._all_in(found, piece.open_runs, self.clear & free)
        found = self._all_in(found, piece.solid_runs, free & ~self.built)
        return self._all_in(found, piece.plain_runs, free | self.plain & ~self.opened)

    def _all_in(self, spots: int, runs: Iterable[Run], mask: int) -> int:
        """Return those of some cells from which all of these runs lie in a mask."""
        known: dict[int, int] = {}
        stride = self.board.stride
        for y, x, length in runs:
            if not spots:
                return 0
            if length not in known:
                known[length] = starts(mask, length, 1)
            spots &= known[length] >> (y * stride + x)
        return spots

    def fits(self, piece: Piece, lengths: range, stream: Stream) -> Fit | None:
        """Return one of the ways to join a piece on, with the longest hallway of these lengths that there is; or None.

        Of all connectors, and all of the piece's own, each possible pair is as likely as any other.
        """
        spots = self.spots(piece)
        if not spots:
            return None
        stride = self.board.stride
        for length in reversed(lengths):
            found: list[tuple[int, Connector]] = []
            for connector, reach in piece.endings:
                if length > reach:
                    continue
                sort = (-connector.dy, -connector.dx, self.kind_of(connector))
                places = self._ends(sort, length) >> (connector.y * stride + connector.x) & spots
                if places:
                    found.append((places, connector))
            if found:
                return self._picked(found, length, stream)
        return None

    def _picked(self, found: Sequence[tuple[int, Connector]], length: int, stream: Stream) -> Fit:
        index = stream.below(sum(places.bit_count() for places, _ in found))
        number = 0
        while index >= found[number][0].bit_count():
            index -= found[number][0].bit_count()
            number += 1
        places, connector = found[number]
        cell = self.board.nth(places, index)
        dy, dx = connector.dy, connector.dx
        back = length + 1 if length else 0
        edge = cell.y + connector.y + back * dy, cell.x + connector.x + back * dx
        return Fit(cell, self.joints[(*edge, -dy, -dx)], connector, length)

    def _ends(self, sort: Sort, length: int) -> int:
        """Return the mask of the cells in which the edge of a piece may lie at the end of a hallway of that length."""
        known = self._rays.get(sort)
        if known is None:
            edges = self.edges.get(sort, 0)
            known = self._rays[sort] = [edges, shifted(edges, self._step(sort)) & (self.clear | self.fronts)]
        by = self._step(sort)
        while len(known) <= length:
            known.append(shifted(known[-1], by) & self.clear)
        return shifted(known[length], by) & self.clear if length else known[0]

    def _step(self, sort: Sort) -> int:
        return sort[0] * self.board.stride + sort[1]

    def kind_of(self, connector: Connector) -> int:
        """Return what a connector may be joined to."""
        return connector.width if self.typed else 0

    # -- putting it there -----------------------------------------------------------------------

    def put(self, piece: Piece, cell: Cell) -> int:
        """Draw a piece with its top left cell at a cell, note its connectors, and return its region."""
        canvas, board = self.canvas, self.board
        y, x = cell
        bounds = Rect(y + piece.bounds.y, x + piece.bounds.x, piece.bounds.height, piece.bounds.width)
        by = y * board.stride + x
        taken = self.built | board.around(self.opened)
        opened = _mask(piece.open_runs, board.stride) << by
        self._open_up(opened)
        if piece.is_drawn:
            region = canvas.add_region("prefab", bounds)
            canvas.stamp(y, x, piece.codes, region)
            plain = _mask(piece.plain_runs, board.stride) << by
            self.plain |= plain
            self.built |= opened | plain | _mask(piece.solid_runs, board.stride) << by
            self.walked |= board.from_part(piece.walked, x) << (y * board.stride)
        else:
            region = canvas.add_region("room", bounds)
            for run in piece.open_runs:
                canvas.carve(Rect(y + run.y, x + run.x, 1, run.length), t.FLOOR, region)
            self.walked |= opened
        for connector, _ in piece.endings:
            way = tuple(Cell(y + each.y, x + each.x) for each in connector.way)
            self._add(
                Joint(
                    y + connector.y,
                    x + connector.x,
                    connector.dy,
                    connector.dx,
                    self.kind_of(connector),
                    region,
                    way,
                    connector.code,
                ),
                taken,
            )
        self._has_changed()
        return region

    def _add(self, joint: Joint, taken: int) -> None:
        """Note a connector, unless it faces the edge of the map; `taken` is what others had drawn, or were near, before."""
        y, x = joint.ahead(1)
        if 0 < y < self.canvas.height - 1 and 0 < x < self.canvas.width - 1:
            self.joints[joint.place] = joint
            if not joint.way:
                self.fronts |= 1 << (y * self.board.stride + x) & self.inner & self.free & ~taken
            self.edges[joint.sort] = self.edges.get(joint.sort, 0) | self._bit(joint)

    def _spend(self, joint: Joint) -> None:
        """Forget a connector."""
        del self.joints[joint.place]
        self.edges[joint.sort] &= ~self._bit(joint)

    def _bit(self, joint: Joint) -> int:
        return 1 << (joint.y * self.board.stride + joint.x)

    def _has_changed(self) -> None:
        self._clear = None
        self._rays.clear()

    def join(self, first: Joint, second: Joint, cells: Sequence[Cell]) -> None:
        """Open two connectors to each other, by a hallway over these cells; by one door if they share their edge or touch."""
        self._spend(first)
        self._spend(second)
        if cells:
            hallway = self.canvas.add_region("corridor", Rect.around(cells))
            self._carve(cells, t.CORRIDOR, hallway)
            self._open(first, hallway, first.code)
            self._open(second, hallway, second.code)
            return
        is_shared = (first.y, first.x) == (second.y, second.x)
        self._open_inside(first, first.way[:-1] if is_shared else first.way)
        code = second.code if first.code is None else first.code
        self._open(second, first.region, code)

    def open_into(self, joint: Joint, region: int) -> None:
        """Open a connector right into the region before it."""
        self._spend(joint)
        self._open(joint, region, joint.code)

    def _open(self, joint: Joint, beyond: int, code: int | None) -> None:
        """Open a connector's way, with a door at its edge, if that lies in a wall, between its piece and the region beyond."""
        if not joint.way:
            return
        edge = Cell(joint.y, joint.x)
        sides = [Cell(edge.y + side * joint.dx, edge.x + side * joint.dy) for side in (-1, 1)]
        beside = self.board.from_cells(sides)
        if self.opened & beside:  # a door would have no wall on that side
            self._open_inside(joint, joint.way)
            return
        self._open_inside(joint, joint.way[:-1])
        kind = self.close() if code is None else int(self.canvas.terrain_set.base[code])
        self.canvas.add_door(*edge, (joint.region, beyond), kind)
        if code is not None:
            self.canvas.put(*edge, code)
        self._opened([edge])
        self.doors |= self.board.from_cells([edge])
        if any(edges & beside for edges in self.edges.values()):  # nor is one to be opened later
            for side, way in product(sides, SIDES):
                if other := self.joints.get((*side, *way)):
                    self._spend(other)

    def _open_inside(self, joint: Joint, cells: Sequence[Cell]) -> None:
        """Make cells of a connector's way part of its piece."""
        if cells:
            self._carve(cells, t.CORRIDOR, joint.region)
            self.canvas.widen_bounds(joint.region, Rect.around(cells))

    def _carve(self, cells: Sequence[Cell], code: int, region: int) -> None:
        self.canvas.carve_cells(cells, code, region)
        self._opened(cells)

    def _opened(self, cells: Iterable[Cell]) -> None:
        mask = self.board.from_cells(cells)
        self._open_up(mask)
        self.walked |= mask
        self._has_changed()

    def _open_up(self, mask: int) -> None:
        self.opened |= mask
        self.fronts &= ~self.board.around(mask)


def _mask(runs: Iterable[Run], stride: int) -> int:
    """Return the mask of runs, from the top left cell of a board."""
    mask = 0
    for y, x, length in runs:
        mask |= ((1 << length) - 1) << (y * stride + x)
    return mask
