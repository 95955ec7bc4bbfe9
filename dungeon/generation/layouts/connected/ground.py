"""What a map of pieces has by now: what is open, where something may still be dug, and all connectors that are left.

Everything is a mask (see `grid.bits`): all places of a piece, all ends of hallways and so all ways in which a piece
may be joined on are known at once, and one of them is picked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.grid.bits import Board, shifted, without
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected.piece import Piece, Print
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
        connector: What it is in cells of the piece.
    """

    y: int
    x: int
    dy: int
    dx: int
    kind: int
    region: int
    connector: Connector

    @property
    def way(self) -> tuple[Cell, ...]:
        """The cells that are opened when it is used, from the innermost to the edge."""
        down, right = self.y - self.connector.y, self.x - self.connector.x
        return tuple(Cell(y + down, x + right) for y, x in self.connector.way)

    @property
    def is_open(self) -> bool:
        """Whether there is no wall at its edge, so that nothing needs to be opened."""
        return not self.connector.way

    @property
    def place(self) -> Place:
        """Where it is, and where it leads."""
        return self[:4]

    @property
    def facing(self) -> Place:
        """Where a connector with the same edge would be that leads the other way."""
        return self.y, self.x, -self.dy, -self.dx

    @property
    def sort(self) -> Sort:
        """Its direction and kind."""
        return self[2:5]

    def ahead(self, steps: int) -> Cell:
        """Return the cell so many steps beyond its edge."""
        return Cell(self.y + steps * self.dy, self.x + steps * self.dx)


class Space:
    """Where cells of some kind may come, as long as nothing is changed on the map.

    Args:
        board: How masks are laid out.
        mask: The mask of those cells.
    """

    __slots__ = ("_board", "_known", "_mask")

    def __init__(self, board: Board, mask: int) -> None:
        self._board = board
        self._mask = mask
        self._known: dict[tuple[int, int], int] = {}

    def holding(self, spots: int, blocks: Iterable[Rect]) -> int:
        """Return those of some cells from which all of these blocks lie within."""
        known, stride = self._known, self._board.stride
        for y, x, height, width in blocks:
            if not spots:
                return 0
            fits = known.get((height, width))
            if fits is None:
                fits = known[height, width] = self._board.fits(self._mask, height, width)
            spots &= fits >> (y * stride + x)
        return spots


class Spaces(NamedTuple):
    """Where the cells of a piece may come: its open ones, its mere wall and earth, and the other ones."""

    opened: Space
    plain: Space
    solid: Space


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
        earth: The mask of those that are not open yet, and in which pieces may be built.
        clear: The mask of the cells in which a hallway may be dug: it would touch nothing there.
        opened: The mask of the open cells; `walked`: of those that can be walked on.
        built: The mask of the cells that a prefab has drawn; `plain`: of those that are mere wall or earth of a piece.
        doors: The mask of the doors at the ends of hallways; `hinges`: of those doors and the cells beside them along the wall.
        fronts: The mask of the cells before connectors without a wall that are near nothing but their own piece.
        joints: The connectors that are left, by where they are.
        barred: The connectors whose way leads through the wall of another prefab, which has no connector there: none is opened.
        edges: The masks of the edges of the others, by direction and kind.
        ways: The connectors that open a cell, used ones too, by cell; `noted`: the mask of these cells.
    """

    canvas: Canvas
    close: Callable[[], int]
    typed: bool
    kept: int = 0
    board: Board = field(init=False)
    inner: int = field(init=False)
    free: int = field(init=False)
    earth: int = field(init=False)
    clear: int = field(init=False)
    opened: int = field(init=False)
    walked: int = field(init=False)
    built: int = field(init=False)
    plain: int = 0
    doors: int = 0
    hinges: int = 0
    fronts: int = 0
    joints: dict[Place, Joint] = field(default_factory=dict)
    barred: set[Place] = field(default_factory=set)
    edges: dict[Sort, int] = field(default_factory=dict)
    ways: dict[tuple[int, int], list[Joint]] = field(default_factory=dict)
    noted: int = 0
    _rays: dict[Sort, list[int]] = field(default_factory=dict)
    _spaces: Spaces | None = None
    _prints: dict[Piece, Print] = field(default_factory=dict)
    _way_masks: dict[Connector, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        canvas = self.canvas
        self.board = board = canvas.board
        self.inner = board.block(1, 1, canvas.height - 2, canvas.width - 2)
        used = board.from_rows(canvas.used.rows)
        self.opened = board.from_array(canvas.open)
        self.walked = board.from_array(canvas.passable())
        self.built = board.from_array(canvas.drawn)
        self.free = board.full & ~used
        self.earth = without(self.free, self.kept | self.opened)
        self.clear = self.inner & self.free & ~board.around(self.opened)

    @property
    def share(self) -> float:
        """Which share of the map is open."""
        return self.opened.bit_count() / self.inner.bit_count()

    # -- where a piece fits ---------------------------------------------------------------------

    def spots(self, piece: Piece) -> int:
        """Return the top left cells at which a piece leaves all that is there as it is, and touches nothing."""
        spaces = self._spaces
        if spaces is None:
            earth = self.earth
            bare = without(earth, self.built)
            masks = self.clear & earth, bare | without(self.plain, self.opened), bare
            spaces = self._spaces = Spaces(*(Space(self.board, mask) for mask in masks))
        found = spaces.opened.holding(piece.within(self.board), piece.open_blocks)
        if found and piece.is_drawn:
            found = spaces.solid.holding(found, piece.solid_blocks)
            found = spaces.plain.holding(found, piece.plain_blocks)
        return found

    def fits(self, piece: Piece, lengths: range, stream: Stream) -> Fit | None:
        """Return one of the ways to join a piece on, with the longest hallway of these lengths that there is; or None.

        Of all connectors, and all of the piece's own, each possible pair is as likely as any other.
        """
        spots = self.spots(piece)
        if not spots:
            return None
        ends = [
            (connector, reach, self._facing(connector), self._edges_of(connector, spots))
            for connector, reach in piece.endings
        ]
        for length in reversed(lengths):
            found = [
                (places, connector)
                for connector, reach, sort, edges in ends
                if length <= reach and (places := self._ends(sort, length) & edges)
            ]
            if found:
                return self._picked(found, length, stream)
        return None

    def _edges_of(self, connector: Connector, spots: int) -> int:
        """Return where the edge of a connector lies if its piece lies in one of some spots, and its way touches no door there."""
        stride = self.board.stride
        for y, x in connector.way if self.hinges else ():
            spots = without(spots, self.hinges >> y * stride + x)
        return spots << connector.y * stride + connector.x

    def _picked(self, found: Sequence[tuple[int, Connector]], length: int, stream: Stream) -> Fit:
        """Return one of the ways to join a piece on; `found`: where its connectors may lie at the ends of hallways."""
        counts = [places.bit_count() for places, _ in found]
        index, number = stream.below(sum(counts)), 0
        while index >= counts[number]:
            index -= counts[number]
            number += 1
        places, connector = found[number]
        y, x = self.board.nth(places, index)
        dy, dx = connector.dy, connector.dx
        back = length + 1 if length else 0
        joint = self.joints[y + back * dy, x + back * dx, -dy, -dx]
        return Fit(Cell(y - connector.y, x - connector.x), joint, connector, length)

    def _ends(self, sort: Sort, length: int) -> int:
        """Return the mask of the cells in which the edge of a piece may lie at the end of a hallway of that length."""
        by = sort[0] * self.board.stride + sort[1]
        ray = self._rays.get(sort)
        if ray is None:
            ray = self._rays[sort] = [self.edges.get(sort, 0)]
        if not length:
            return ray[0]
        if len(ray) == 1:
            ray.append(shifted(ray[0], by) & (self.clear | self.fronts))
        while len(ray) < length + 2:
            ray.append(shifted(ray[-1], by) & self.clear)
        return ray[length + 1]

    def _facing(self, connector: Connector) -> Sort:
        """Return the sort of the joints to which a connector may be joined."""
        return -connector.dy, -connector.dx, self.kind_of(connector)

    def kind_of(self, connector: Connector) -> int:
        """Return what a connector may be joined to."""
        return connector.width if self.typed else 0

    # -- putting it there -----------------------------------------------------------------------

    def put(self, piece: Piece, cell: Cell) -> int:
        """Draw a piece with its top left cell at a cell, note its connectors, and return its region."""
        canvas, stride = self.canvas, self.board.stride
        y, x = cell
        bounds = Rect(y + piece.bounds.y, x + piece.bounds.x, piece.bounds.height, piece.bounds.width)
        if piece.is_drawn:
            region = canvas.add_region("prefab", bounds)
            canvas.stamp(y, x, piece.codes, region)
        else:
            region = canvas.add_region("room", bounds)
            for block in piece.open_blocks:
                canvas.carve(Rect(y + block.y, x + block.x, block.height, block.width), t.FLOOR, region)
        opened, near, walked, built, plain = (
            shifted(mask, (y - 1) * stride + x - 1) for mask in self._print_of(piece)
        )
        clear, walls = self.clear, self.built
        self._open_up(opened, near | built)
        self.walked |= walked
        self.built |= built
        self.plain |= plain
        others = self._crossing(built)
        for connector, _ in piece.endings:
            way = shifted(self._way_of(connector), y * stride + x)
            joint = self._add(connector, y + connector.y, x + connector.x, region, way, clear)
            if joint and way & walls:
                others.append(joint)
        for joint in others:
            if joint.facing not in self.joints:
                self._bar(joint)
        return region

    def _print_of(self, piece: Piece) -> Print:
        """Return the masks of a piece on the map's board."""
        found = self._prints.get(piece)
        if found is None:
            found = self._prints[piece] = piece.print_on(self.board)
        return found

    def _add(self, connector: Connector, y: int, x: int, region: int, way: int, clear: int) -> Joint | None:
        """Note a connector of a region with its edge at (y, x), unless it faces the edge of the map, or its way touches a door.

        `way` is the mask of the cells that are opened when it is used; `clear` is what was so before its piece was put there.
        """
        dy, dx, kind = connector.dy, connector.dx, self.kind_of(connector)
        if not (0 < y + dy < self.canvas.height - 1 and 0 < x + dx < self.canvas.width - 1):
            return None
        if way & self.hinges:
            return None
        joint = Joint(y, x, dy, dx, kind, region, connector)
        sort, stride = joint.sort, self.board.stride
        bit = 1 << y * stride + x
        self.joints[joint.place] = joint
        self.edges[sort] = self.edges.get(sort, 0) | bit
        self.noted |= way
        down, right = y - connector.y, x - connector.x
        for row, column in connector.way:
            self.ways.setdefault((row + down, column + right), []).append(joint)
        if not connector.way:
            self.fronts |= shifted(bit, dy * stride + dx) & clear
        return joint

    def _spend(self, joint: Joint) -> None:
        """Forget a connector."""
        del self.joints[joint.place]
        self._bar(joint)

    def _bar(self, joint: Joint) -> None:
        """Let nothing be joined to a connector."""
        self.barred.add(joint.place)
        self.edges[joint.sort] = without(self.edges[joint.sort], self._bit(joint))
        self._rays.clear()

    def _crossing(self, mask: int) -> list[Joint]:
        """Return the connectors whose way opens a cell of a mask."""
        found: dict[Place, Joint] = {}
        cells = self.board.cells(mask & self.noted) if mask & self.noted else ()
        for cell in cells:
            for joint in self.ways[cell]:
                place = joint[:4]
                if self.joints.get(place) is joint:
                    found[place] = joint
        return [*found.values()]

    def _way_of(self, connector: Connector) -> int:
        """Return the mask of the cells that are opened when a connector of a piece at (0, 0) is used."""
        found = self._way_masks.get(connector)
        if found is None:
            found = self._way_masks[connector] = self.board.from_cells(connector.way)
        return found

    def _bit(self, joint: Joint) -> int:
        return 1 << (joint.y * self.board.stride + joint.x)

    def join(self, first: Joint, second: Joint, cells: Sequence[Cell]) -> None:
        """Open two connectors to each other, by a hallway over these cells; by one door if they share their edge or touch."""
        self._spend(first)
        self._spend(second)
        if cells:
            hallway = self.canvas.add_region("corridor", Rect.around(cells))
            self._carve(cells, t.CORRIDOR, hallway)
            self._open(first, hallway, first.connector.code)
            self._open(second, hallway, second.connector.code)
            return
        is_shared = (first.y, first.x) == (second.y, second.x)
        self._open_inside(first, but_edge=is_shared)
        code = second.connector.code if first.connector.code is None else first.connector.code
        self._open(second, first.region, code)

    def open_into(self, joint: Joint, region: int) -> None:
        """Open a connector right into the region before it."""
        self._spend(joint)
        self._open(joint, region, joint.connector.code)

    def _open(self, joint: Joint, beyond: int, code: int | None) -> None:
        """Open a connector's way, with a door at its edge, if that lies in a wall, between its piece and the region beyond."""
        if joint.is_open:
            return
        bit, by = self._bit(joint), self.board.stride if joint.dx else 1
        beside = bit << by | bit >> by
        if self.opened & beside:  # a door would have no wall on that side
            self._open_inside(joint)
            return
        self._open_inside(joint, but_edge=True)
        edge = Cell(joint.y, joint.x)
        kind = self.close() if code is None else int(self.canvas.terrain_set.base[code])
        self.canvas.add_door(*edge, (joint.region, beyond), kind)
        if code is not None:
            self.canvas.put(*edge, code)
        self._walk_on([edge])
        self.doors |= bit
        hinges = bit | beside
        self.hinges |= hinges
        for other in self._crossing(hinges):  # nor is a way to be opened through it, or beside it
            self._spend(other)

    def _open_inside(self, joint: Joint, *, but_edge: bool = False) -> None:
        """Make the cells of a connector's way part of its piece; all `but` its `edge`, perhaps."""
        if len(joint.connector.way) > but_edge:
            cells = joint.way[:-1] if but_edge else joint.way
            self._carve(cells, t.FLOOR, joint.region)
            self.canvas.widen_bounds(joint.region, Rect.around(cells))

    def _carve(self, cells: Sequence[Cell], code: int, region: int) -> None:
        self.canvas.carve_cells(cells, code, region)
        self._walk_on(cells)

    def _walk_on(self, cells: Iterable[Cell]) -> None:
        """Note that cells have been opened on which one can walk."""
        mask = near = 0
        for y, x in cells:
            mask |= 1 << (y * self.board.stride + x)
            near |= self.board.block(y - 1, x - 1, 3, 3)
        self._open_up(mask, near)
        self.walked |= mask

    def _open_up(self, mask: int, near: int) -> None:
        """Note that cells have been opened; `near`: those in which no hallway may be dug any more."""
        self.opened |= mask
        self.earth = without(self.earth, mask)
        self.fronts = without(self.fronts, near)
        self.clear = without(self.clear, near)
        self._rays.clear()
        self._spaces = None
