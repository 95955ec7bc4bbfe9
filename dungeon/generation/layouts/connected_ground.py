"""What a map of pieces has by now: what is open, where something may still be dug, and all connectors that are left.

Everything is a mask (see `grid.bits`): all places of a piece, all ends of hallways and so all ways in which a piece
may be joined on are known at once, and one of them is picked.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.grid.bits import Board, shifted, without
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected_pieces import Piece, Print
    from dungeon.generation.openings.connectors import Connector
    from dungeon.level.canvas import Canvas

BAND = 64
"""The least number of rows from one band of the map to the next; each has twice as many."""

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


@dataclass(slots=True, kw_only=True)
class Band:
    """Some rows of the map, with masks of their own: what joining a piece on costs does not grow with the map.

    Attributes:
        top: Their first row; `board`: how masks of them are laid out.
        earth: The cells that are not open yet, and in which pieces may be built.
        clear: The cells in which a hallway may be dug: it would touch nothing there.
        opened: The open cells; `walked`: those that can be walked on.
        built: The cells that a prefab has drawn; `plain`: those that are mere wall or earth of a piece.
        doors: The doors at the ends of hallways; `hinges`: those doors and the cells beside them along the wall.
        fronts: The cells before connectors without a wall that are near nothing but their own piece.
        noted: The cells that are opened when some connector is used.
        edges: The edges of the connectors that are left, by direction and kind; `count`: the number of these connectors.
    """

    top: int
    board: Board
    earth: int
    clear: int
    opened: int
    walked: int
    built: int
    plain: int = 0
    doors: int = 0
    hinges: int = 0
    fronts: int = 0
    noted: int = 0
    edges: dict[Sort, int] = field(default_factory=dict)
    count: int = 0
    rays: dict[Sort, list[int]] = field(default_factory=dict)
    spaces: Spaces | None = None

    def place(self, y: int, x: int) -> int:
        """Return the place of a cell of the map in these masks."""
        return (y - self.top) * self.board.stride + x

    def put(self, mask: int, y: int, x: int) -> int:
        """Return a mask, whose first cell comes to lie on a cell of the map, without what is off the band."""
        place = self.place(y, x)
        if place >= 0 and mask.bit_length() + place <= self.board.full.bit_length():
            return mask << place
        return shifted(mask, place) & self.board.full

    def spots(self, piece: Piece) -> int:
        """Return the top left cells at which a piece leaves all that is there as it is, and touches nothing."""
        spaces = self.spaces
        if spaces is None:
            earth = self.earth
            bare = without(earth, self.built)
            masks = self.clear & earth, bare | without(self.plain, self.opened), bare
            spaces = self.spaces = Spaces(*(Space(self.board, mask) for mask in masks))
        found = spaces.opened.holding(piece.within(self.board), piece.open_blocks)
        if found and piece.is_drawn:
            found = spaces.solid.holding(found, piece.solid_blocks)
            found = spaces.plain.holding(found, piece.plain_blocks)
        return found

    def edges_of(self, connector: Connector, spots: int) -> int:
        """Return where the edge of a connector lies if its piece lies in one of some spots, and its way touches no door there."""
        stride = self.board.stride
        for y, x in connector.way if self.hinges else ():
            spots = without(spots, self.hinges >> y * stride + x)
        return spots << connector.y * stride + connector.x

    def ends(self, sort: Sort, length: int) -> int:
        """Return the mask of the cells in which the edge of a piece may lie at the end of a hallway of that length."""
        by = sort[0] * self.board.stride + sort[1]
        ray = self.rays.get(sort)
        if ray is None:
            ray = self.rays[sort] = [self.edges.get(sort, 0)]
        if not length:
            return ray[0]
        if len(ray) == 1:
            ray.append(shifted(ray[0], by) & (self.clear | self.fronts))
        while len(ray) < length + 2:
            ray.append(shifted(ray[-1], by) & self.clear)
        return ray[length + 1]

    def open_up(self, mask: int, near: int) -> None:
        """Note that cells have been opened; `near`: those in which no hallway may be dug any more."""
        self.opened |= mask
        self.earth = without(self.earth, mask)
        self.fronts = without(self.fronts, near)
        self.clear = without(self.clear, near)
        self.rays.clear()
        self.spaces = None


@dataclass(kw_only=True)
class Ground:
    """The map while pieces are joined on.

    Attributes:
        canvas: The map itself.
        close: Rolls what is put at the end of a hallway.
        typed: Whether only connectors of one kind join.
        kept: The mask of the cells in which nothing but a hallway is dug: ways to what was seeded are to come there.
        span: Maximum number of rows that a piece, a hallway, or a walk that is measured goes up or down.
        inner: The mask of all cells but the outermost ones; `free`: of those that anybody may dig.
        bands: The rows of the map, all but the first and the last few in two bands; a map that is not tall is a single one.
        joints: The connectors that are left, by where they are.
        barred: The connectors whose way leads through the wall of another prefab, which has no connector there: none is opened.
        ways: The connectors that open a cell, used ones too, by cell.
    """

    canvas: Canvas
    close: Callable[[], int]
    typed: bool
    kept: int = 0
    span: int = 0
    board: Board = field(init=False)
    inner: int = field(init=False)
    free: int = field(init=False)
    bands: list[Band] = field(init=False)
    joints: dict[Place, Joint] = field(default_factory=dict)
    barred: set[Place] = field(default_factory=set)
    ways: dict[tuple[int, int], list[Joint]] = field(default_factory=dict)
    _prints: dict[Piece, Print] = field(default_factory=dict)
    _way_masks: dict[Connector, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        canvas = self.canvas
        self.board = board = canvas.board
        self.inner = board.block(1, 1, canvas.height - 2, canvas.width - 2)
        opened = board.from_array(canvas.open)
        self.free = board.full & ~board.from_array(canvas.used)
        masks = {
            "earth": without(self.free, self.kept | opened),
            "clear": self.inner & self.free & ~board.around(opened),
            "opened": opened,
            "walked": board.from_array(canvas.passable()),
            "built": board.from_array(canvas.drawn),
        }
        step = self._step
        rows = Board(min(canvas.height, 2 * step), canvas.width)
        self.bands = [
            Band(
                top=top,
                board=rows,
                **{name: mask >> top * board.stride & rows.full for name, mask in masks.items()},
            )
            for top in [*range(0, canvas.height - 2 * step, step), max(canvas.height - 2 * step, 0)]
        ]

    @property
    def _step(self) -> int:
        """How many rows the next band begins below one."""
        return max(BAND, 2 * self.span)

    @property
    def share(self) -> float:
        """Which share of the map is open."""
        return self.whole("opened").bit_count() / self.inner.bit_count()

    def whole(self, name: str) -> int:
        """Return one of the masks of all bands as a mask of the whole map."""
        found = 0
        for band in self.bands:
            found |= getattr(band, name) << band.top * self.board.stride
        return found

    def band_at(self, y: int) -> Band:
        """Return the band in which most rows lie around a row."""
        step = self._step
        return self.bands[min(max((y - step // 2) // step, 0), len(self.bands) - 1)]

    def _bands_over(self, top: int, bottom: int) -> list[Band]:
        """Return the bands that have any of the rows from `top` to before `bottom`."""
        return [band for band in self.bands if band.top < bottom and top < band.top + band.board.height]

    # -- where a piece fits ---------------------------------------------------------------------

    def first_spot(self, piece: Piece, stream: Stream) -> Fit | None:
        """Return where the first piece goes, about the middle of the map if it fits there; None if it fits nowhere."""
        band = self.band_at(self.board.height // 2)
        spots, board = band.spots(piece), band.board
        height, width = board.height - piece.size[0], board.width - piece.size[1]
        middle = spots & board.block(height // 4, width // 4, height // 2 + 1, width // 2 + 1) if spots else 0
        spots = middle or spots
        if not spots:
            return None
        y, x = board.nth(spots, stream.below(spots.bit_count()))
        return Fit(Cell(y + band.top, x))

    def fits(self, piece: Piece, lengths: range, stream: Stream) -> Fit | None:
        """Return one of the ways to join a piece on; None if there is none.

        Bands are tried in random order, those with more connectors sooner. In a band it is joined with the longest hallway of
        these lengths that there is; of all connectors, and all of the piece's own, each possible pair is as likely as any other.
        """
        left = [*self.bands]
        while left:
            ends = list(accumulate(band.count for band in left))
            at = bisect(ends, stream.below(ends[-1])) if len(left) > 1 and ends[-1] else 0
            found = self._fits_in(left.pop(at), piece, lengths, stream)
            if found is not None:
                return found
        return None

    def _fits_in(self, band: Band, piece: Piece, lengths: range, stream: Stream) -> Fit | None:
        """Return one of the ways to join a piece on in a band; None if there is none."""
        spots = band.spots(piece)
        if not spots:
            return None
        ends = [
            (connector, reach, self._facing(connector), band.edges_of(connector, spots))
            for connector, reach in piece.endings
        ]
        for length in reversed(lengths):
            found = [
                (places, connector)
                for connector, reach, sort, edges in ends
                if length <= reach and (places := band.ends(sort, length) & edges)
            ]
            if found:
                return self._picked(band, found, length, stream)
        return None

    def _picked(self, band: Band, found: Sequence[tuple[int, Connector]], length: int, stream: Stream) -> Fit:
        """Return one of the ways to join a piece on; `found`: where its connectors may lie at the ends of hallways."""
        counts = [places.bit_count() for places, _ in found]
        index, number = stream.below(sum(counts)), 0
        while index >= counts[number]:
            index -= counts[number]
            number += 1
        places, connector = found[number]
        y, x = band.board.nth(places, index)
        y += band.top
        dy, dx = connector.dy, connector.dx
        back = length + 1 if length else 0
        joint = self.joints[y + back * dy, x + back * dx, -dy, -dx]
        return Fit(Cell(y - connector.y, x - connector.x), joint, connector, length)

    def _facing(self, connector: Connector) -> Sort:
        """Return the sort of the joints to which a connector may be joined."""
        return -connector.dy, -connector.dx, self.kind_of(connector)

    def kind_of(self, connector: Connector) -> int:
        """Return what a connector may be joined to."""
        return connector.width if self.typed else 0

    # -- putting it there -----------------------------------------------------------------------

    def put(self, piece: Piece, cell: Cell) -> int:
        """Draw a piece with its top left cell at a cell, note its connectors, and return its region."""
        canvas = self.canvas
        y, x = cell
        bounds = Rect(y + piece.bounds.y, x + piece.bounds.x, piece.bounds.height, piece.bounds.width)
        if piece.is_drawn:
            region = canvas.add_region("prefab", bounds)
            canvas.stamp(y, x, piece.codes, region)
        else:
            region = canvas.add_region("room", bounds)
            for block in piece.open_blocks:
                canvas.carve(Rect(y + block.y, x + block.x, block.height, block.width), t.FLOOR, region)
        found = self._print_of(piece)
        home = self.band_at(y + piece.size[0] // 2)
        before = home.built
        clear = []
        for band in self._bands_over(y - 1, y + piece.size[0] + 1):
            clear.append((band, band.clear))
            opened, near, walked, built, plain = (band.put(mask, y - 1, x - 1) for mask in found)
            band.open_up(opened, near | built)
            band.walked |= walked
            band.built |= built
            band.plain |= plain
        others = self._crossing(home, home.put(found.built, y - 1, x - 1))
        for connector, _ in piece.endings:
            way = self._way_of(connector)
            if home.put(way, y, x) & home.hinges:
                continue
            joint = self._add(connector, Cell(y, x), region, way, clear)
            if joint and home.put(way, y, x) & before:
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

    def _add(
        self, connector: Connector, cell: Cell, region: int, way: int, clear: Iterable[tuple[Band, int]]
    ) -> Joint | None:
        """Note a connector of a piece whose top left cell is given, unless it faces the edge of the map.

        `way` is the mask of the cells that are opened when it is used, for a piece at (0, 0); `clear`: the bands that the piece
        lies on, each with what was clear before it was put there.
        """
        y, x = cell.y + connector.y, cell.x + connector.x
        dy, dx, kind = connector.dy, connector.dx, self.kind_of(connector)
        if not (0 < y + dy < self.canvas.height - 1 and 0 < x + dx < self.canvas.width - 1):
            return None
        joint = Joint(y, x, dy, dx, kind, region, connector)
        sort, ahead = joint.sort, dy * self.board.stride + dx
        self.joints[joint.place] = joint
        for row, column in connector.way:
            self.ways.setdefault((row + cell.y, column + cell.x), []).append(joint)
        for band, was_clear in clear:
            bit = band.put(1, y, x)
            if bit:
                band.edges[sort] = band.edges.get(sort, 0) | bit
                band.count += 1
            band.noted |= band.put(way, *cell)
            if not connector.way:
                band.fronts |= shifted(bit, ahead) & was_clear
        return joint

    def _spend(self, joint: Joint) -> None:
        """Forget a connector."""
        del self.joints[joint.place]
        self._bar(joint)

    def _bar(self, joint: Joint) -> None:
        """Let nothing be joined to a connector."""
        self.barred.add(joint.place)
        for band in self._bands_over(joint.y, joint.y + 1):
            left = without(band.edges[joint.sort], band.put(1, joint.y, joint.x))
            band.count -= left != band.edges[joint.sort]
            band.edges[joint.sort] = left
            band.rays.clear()

    def _crossing(self, band: Band, mask: int) -> list[Joint]:
        """Return the connectors whose way opens a cell of a mask of a band."""
        found: dict[Place, Joint] = {}
        cells = band.board.cells(mask & band.noted) if mask & band.noted else ()
        for y, x in cells:
            for joint in self.ways[y + band.top, x]:
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
        home = self.band_at(joint.y)
        bit, by = home.put(1, joint.y, joint.x), self.board.stride if joint.dx else 1
        hinges = bit | bit << by | bit >> by
        if home.opened & (hinges ^ bit):  # a door would have no wall on that side
            self._open_inside(joint)
            return
        self._open_inside(joint, but_edge=True)
        edge = Cell(joint.y, joint.x)
        kind = self.close() if code is None else int(self.canvas.terrain_set.base[code])
        self.canvas.add_door(*edge, (joint.region, beyond), kind)
        if code is not None:
            self.canvas.put(*edge, code)
        self._walk_on([edge])
        for band in self._bands_over(joint.y - 1, joint.y + 2):
            band.doors |= band.put(1, *edge)
            band.hinges |= band.put(
                1 | 1 << 2 * by | 1 << by, joint.y - abs(joint.dx), joint.x - abs(joint.dy)
            )
        for other in self._crossing(home, hinges):  # nor is a way to be opened through it, or beside it
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

    def _walk_on(self, cells: Sequence[Cell]) -> None:
        """Note that cells have been opened on which one can walk."""
        rows = [y for y, _ in cells]
        top = min(rows) - 1
        mask = near = 0
        around = self.board.block(0, 0, 3, 3)
        for y, x in cells:
            mask |= 1 << (y - top) * self.board.stride + x
            near |= around << (y - 1 - top) * self.board.stride + x - 1
        for band in self._bands_over(top, max(rows) + 2):
            opened = band.put(mask, top, 0)
            band.open_up(opened, band.put(near, top, 0))
            band.walked |= opened
