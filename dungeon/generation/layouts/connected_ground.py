"""The map of the layout `connected` while it grows: where pieces (prefabs, auto-rooms) fit, and its unused connectors.

A *connector* is a place at a piece's edge where a hallway can be joined; its *edge* is the last cell of the piece there, its
*way* the cells that are opened when it is used. A *joint* is a connector on the map that is not used yet. A *spot* is a
position for a piece's top left cell. A *band* is a part of the map: some successive rows.

Everything is a mask (see `grid.bits`). So all spots of a piece, and all ends of hallways, are known at once:

      mask of the piece's spots where it touches nothing, moved to its connector
    & mask of the ends of hallways from unused connectors
    = all ways to join the piece on; one of them is picked at random
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.generation.layouts.connected_pieces import OpenConnector
from dungeon.grid.bits import Board, shifted, without
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected_pieces import (
        ConnectorClass,
        ConnectorPlace,
        MapPiece,
        PieceMasks,
    )
    from dungeon.generation.openings.connectors import Connector
    from dungeon.level.canvas import Canvas

BAND = 64
"""Fewest rows from the start of one band to the next; a band is twice as high, so a map of up to 128 rows is one band."""


class BlockSpace:
    """A mask of cells in which rectangles (blocks) of a piece may lie, with a cache per block size; valid until the map changes.

    Args:
        board: The layout of masks.
        mask: The mask of those cells.
    """

    __slots__ = ("_board", "_known", "_mask")

    def __init__(self, board: Board, mask: int) -> None:
        self._board = board
        self._mask = mask
        self._known: dict[tuple[int, int], int] = {}

    def spots_holding(self, spots: int, blocks: Iterable[Rect]) -> int:
        """Return the spots (positions of a piece's top left cell) at which all of the piece's blocks lie inside the mask.

        Args:
            spots: The mask of the spots to test.
            blocks: Rectangles relative to the top left cell.
        """
        known, stride = self._known, self._board.stride
        for y, x, height, width in blocks:
            if not spots:
                return 0
            fits = known.get((height, width))
            if fits is None:
                fits = known[height, width] = self._board.fits(self._mask, height, width)
            spots &= fits >> (y * stride + x)
        return spots


class PieceSpaces(NamedTuple):
    """The cells where the parts of a piece may lie, for each kind of part.

    Attributes:
        opened: Where its open cells may lie.
        plain: Where its cells of plain wall and earth may lie; it may share these with other pieces.
        solid: Where all other cells that it draws may lie.
    """

    opened: BlockSpace
    plain: BlockSpace
    solid: BlockSpace


class PieceFit(NamedTuple):
    """One position where a piece fits on the map, and the connectors that join it there.

    Attributes:
        cell: The cell of the map for the piece's top left cell.
        joint: The connector on the map that it is joined to; None for the first piece.
        connector: The piece's own connector, in cells of the piece; None for the first piece.
        length: The length of the hallway between the two, in cells.
    """

    cell: Cell
    joint: OpenConnector | None = None
    connector: Connector | None = None
    length: int = 0


@dataclass(slots=True, kw_only=True)
class Band:
    """Some successive rows of the map with masks of their own, so that the cost of joining a piece on does not grow with the map.

    Attributes:
        top: The first row.
        board: The layout of the band's masks.
        earth: The cells that are not open yet and in which pieces may be built.
        clear: The cells in which a hallway may be dug because no open cell touches them.
        opened: The open cells.
        walked: The cells that can be walked on.
        built: The cells that a prefab has drawn.
        plain: The cells of plain wall or earth of prefabs.
        doors: The doors at the ends of hallways.
        hinges: These doors and the cells beside them along the wall.
        fronts: The cells right before connectors without a wall; only cells that touch no open cell of another piece.
        noted: The cells that are opened if some connector is used.
        edges: Direction and kind of connectors -> the mask of the edges of those that can still be used.
        count: The number of connectors that can still be used.
        rays: A cache of `ends`: direction and kind of connectors -> one mask for each length of hallways.
        spaces: A cache of `spots`; None after a change of the map.
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
    edges: dict[ConnectorClass, int] = field(default_factory=dict)
    count: int = 0
    rays: dict[ConnectorClass, list[int]] = field(default_factory=dict)
    spaces: PieceSpaces | None = None

    def place(self, y: int, x: int) -> int:
        """Return the number of the bit that stands for the map's cell (y, x) in the masks of this band."""
        return (y - self.top) * self.board.stride + x

    def put(self, mask: int, y: int, x: int) -> int:
        """Return a mask moved so that its first bit stands for the map's cell (y, x); bits outside of the band are dropped."""
        place = self.place(y, x)
        if place >= 0 and mask.bit_length() + place <= self.board.full.bit_length():
            return mask << place
        return shifted(mask, place) & self.board.full

    def spots(self, piece: MapPiece) -> int:
        """Return the mask of the spots (positions of its top left cell) at which a piece fits.

        There the piece changes no cell that another piece has drawn, and touches no open cell.
        """
        spaces = self.spaces
        if spaces is None:
            earth = self.earth
            bare = without(earth, self.built)
            masks = self.clear & earth, bare | without(self.plain, self.opened), bare
            spaces = self.spaces = PieceSpaces(*(BlockSpace(self.board, mask) for mask in masks))
        found = spaces.opened.spots_holding(piece.within(self.board), piece.open_blocks)
        if found and piece.is_drawn:
            found = spaces.solid.spots_holding(found, piece.solid_blocks)
            found = spaces.plain.spots_holding(found, piece.plain_blocks)
        return found

    def edges_of(self, connector: Connector, spots: int) -> int:
        """Return where the edge of a piece's connector would lie, as a mask with one cell for each spot of the piece.

        Spots at which the connector's way would touch a door are left out.

        Args:
            connector: The connector, in cells of the piece.
            spots: The mask of the spots (positions of the piece's top left cell).
        """
        stride = self.board.stride
        for y, x in connector.way if self.hinges else ():
            spots = without(spots, self.hinges >> y * stride + x)
        return spots << connector.y * stride + connector.x

    def ends(self, sort: ConnectorClass, length: int) -> int:
        """Return the mask of the cells in which the connector of a new piece may have its edge, at the end of a hallway.

        These cells lie one step behind the hallway's last cell; for a hallway of length 0, they are the edges of the unused
        connectors.

        Args:
            sort: The direction and kind of the unused connectors.
            length: The length of the hallway, in cells.
        """
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
        """Note that the cells of `mask` have been opened, and that no hallway may be dug in the cells `near` any more."""
        self.opened |= mask
        self.earth = without(self.earth, mask)
        self.fronts = without(self.fronts, near)
        self.clear = without(self.clear, near)
        self.rays.clear()
        self.spaces = None


@dataclass(kw_only=True)
class PieceGround:
    """The map while it grows: it draws pieces (prefabs and auto-rooms), and keeps the connectors that nothing is joined to yet.

    Attributes:
        canvas: The map itself.
        close: Rolls the terrain at the end of a hallway.
        typed: Whether only connectors of one kind are joined.
        kept: The mask of cells in which only hallways are dug, for the ways to seeded prefabs that are dug later.
        span: The greatest number of rows that a piece, a hallway or a measured walk goes up or down.
        board: The layout of masks of the whole map.
        inner: The mask of all cells but the outermost ones.
        free: The mask of all cells that nothing used before the layout.
        bands: The bands of rows; neighbours overlap by half. A map that is not tall has one.
        joints: The connectors that nothing is joined to, by place: (row and column of the edge, direction).
        barred: The places of connectors that nothing can be joined to, because they are used or lead through a wall of
            another prefab.
        ways: Cell -> all connectors that open the cell when they are used, used ones included.
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
    joints: dict[ConnectorPlace, OpenConnector] = field(default_factory=dict)
    barred: set[ConnectorPlace] = field(default_factory=set)
    ways: dict[tuple[int, int], list[OpenConnector]] = field(default_factory=dict)
    _prints: dict[MapPiece, PieceMasks] = field(default_factory=dict)
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
        """The number of rows from the start of one band to the next."""
        return max(BAND, 2 * self.span)

    @property
    def share(self) -> float:
        """The share (0 to 1) of the map's cells, the outermost ones left out, that is open."""
        return self.whole("opened").bit_count() / self.inner.bit_count()

    def whole(self, name: str) -> int:
        """Return one mask for the whole map, put together from the masks of its bands.

        Args:
            name: The attribute of `Band` that holds the mask, such as "opened".
        """
        found = 0
        for band in self.bands:
            found |= getattr(band, name) << band.top * self.board.stride
        return found

    def band_at(self, y: int) -> Band:
        """Return the band in which row `y` lies nearest to the middle."""
        step = self._step
        return self.bands[min(max((y - step // 2) // step, 0), len(self.bands) - 1)]

    def _bands_over(self, top: int, bottom: int) -> list[Band]:
        """Return the bands with any row from `top` to below `bottom`."""
        return [band for band in self.bands if band.top < bottom and top < band.top + band.board.height]

    # -- where a piece fits ---------------------------------------------------------------------

    def first_spot(self, piece: MapPiece, stream: Stream) -> PieceFit | None:
        """Return a random position for the first piece, in the middle part of the map if it fits there; None if it fits nowhere."""
        band = self.band_at(self.board.height // 2)
        spots, board = band.spots(piece), band.board
        height, width = board.height - piece.size[0], board.width - piece.size[1]
        middle = spots & board.block(height // 4, width // 4, height // 2 + 1, width // 2 + 1) if spots else 0
        spots = middle or spots
        if not spots:
            return None
        y, x = board.nth(spots, stream.below(spots.bit_count()))
        return PieceFit(Cell(y + band.top, x))

    def fits(self, piece: MapPiece, lengths: range, stream: Stream) -> PieceFit | None:
        """Return a random position where a piece can be joined to an unused connector of the map; None if it fits nowhere.

        Bands come in random order, weighted by their number of connectors. In the first band with any position, the
        longest possible hallway of these lengths is taken. All pairs of connectors with this length are equally
        likely.

        Args:
            piece: The piece.
            lengths: The allowed lengths of the hallway, in cells.
            stream: The random stream.
        """
        left = [*self.bands]
        while left:
            ends = list(accumulate(band.count for band in left))
            at = bisect(ends, stream.below(ends[-1])) if len(left) > 1 and ends[-1] else 0
            found = self._fits_in(left.pop(at), piece, lengths, stream)
            if found is not None:
                return found
        return None

    def _fits_in(self, band: Band, piece: MapPiece, lengths: range, stream: Stream) -> PieceFit | None:
        """Return a random position in one band where a piece can be joined to an unused connector; None if there is none."""
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

    def _picked(
        self, band: Band, found: Sequence[tuple[int, Connector]], length: int, stream: Stream
    ) -> PieceFit:
        """Pick one of a piece's possible positions at random, and return it with its connectors.

        Args:
            band: The band of rows.
            found: (mask of cells, connector of the piece) pairs: where the connector's edge may lie at the end of a hallway.
            length: The length of the hallway.
            stream: The random stream.
        """
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
        return PieceFit(Cell(y - connector.y, x - connector.x), joint, connector, length)

    def _facing(self, connector: Connector) -> ConnectorClass:
        """Return the (dy, dx, kind) of the connectors on the map to which a piece's connector may be joined."""
        return -connector.dy, -connector.dx, self.kind_of(connector)

    def kind_of(self, connector: Connector) -> int:
        """Return the kind of a connector: the width of its link; 0 if kinds do not matter."""
        return connector.width if self.typed else 0

    # -- drawing and joining ----------------------------------------------------------------------

    def put(self, piece: MapPiece, cell: Cell) -> int:
        """Draw a piece with its top left cell at `cell`, add its connectors, and return the id of its region."""
        canvas = self.canvas
        y, x = cell
        bounds = Rect(y + piece.bounds.y, x + piece.bounds.x, piece.bounds.height, piece.bounds.width)
        if piece.is_drawn:
            region = canvas.add_region("prefab", bounds)
            canvas.stamp(y, x, piece.codes, region, piece.sealed)
            if piece.sealed is not None:
                canvas.settle_bounds(region)
        else:
            region = canvas.add_region("room", bounds)
            for block in piece.open_blocks:
                canvas.carve(Rect(y + block.y, x + block.x, block.height, block.width), t.FLOOR, region)
        found = self._masks_of(piece)
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

    def _masks_of(self, piece: MapPiece) -> PieceMasks:
        """Return the masks of a piece on the map's board, with its top left cell at (1, 1); the result is cached."""
        found = self._prints.get(piece)
        if found is None:
            found = self._prints[piece] = piece.masks_on(self.board)
        return found

    def _add(
        self, connector: Connector, cell: Cell, region: int, way: int, clear: Iterable[tuple[Band, int]]
    ) -> OpenConnector | None:
        """Add a connector of a piece to the unused ones; return None, and add nothing, if it faces the edge of the map.

        Args:
            connector: The connector, in cells of the piece.
            cell: The top left cell of the piece.
            region: The id of the piece's region.
            way: The mask of the cells that are opened when the connector is used, for a piece at (0, 0).
            clear: The bands that the piece lies on, each with its mask `clear` from before the piece was drawn.
        """
        y, x = cell.y + connector.y, cell.x + connector.x
        dy, dx, kind = connector.dy, connector.dx, self.kind_of(connector)
        if not (0 < y + dy < self.canvas.height - 1 and 0 < x + dx < self.canvas.width - 1):
            return None
        joint = OpenConnector(y, x, dy, dx, kind, region, connector)
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

    def _use_up(self, joint: OpenConnector) -> None:
        """Remove a connector from the unused ones, because it is joined to something now."""
        del self.joints[joint.place]
        self._bar(joint)

    def _bar(self, joint: OpenConnector) -> None:
        """Take a connector out of all masks, so that nothing can be joined to it any more; it stays in `joints` if it is there."""
        self.barred.add(joint.place)
        for band in self._bands_over(joint.y, joint.y + 1):
            left = without(band.edges[joint.sort], band.put(1, joint.y, joint.x))
            band.count -= left != band.edges[joint.sort]
            band.edges[joint.sort] = left
            band.rays.clear()

    def _crossing(self, band: Band, mask: int) -> list[OpenConnector]:
        """Return the unused connectors that would open any cell of a mask if they were used.

        Args:
            band: The band of rows to which the mask belongs.
            mask: The mask of the cells.
        """
        found: dict[ConnectorPlace, OpenConnector] = {}
        cells = band.board.cells(mask & band.noted) if mask & band.noted else ()
        for y, x in cells:
            for joint in self.ways[y + band.top, x]:
                place = joint[:4]
                if self.joints.get(place) is joint:
                    found[place] = joint
        return [*found.values()]

    def _way_of(self, connector: Connector) -> int:
        """Return the mask of the cells that are opened when a connector is used, for a piece at (0, 0); the result is cached."""
        found = self._way_masks.get(connector)
        if found is None:
            found = self._way_masks[connector] = self.board.from_cells(connector.way)
        return found

    def join(self, first: OpenConnector, second: OpenConnector, cells: Sequence[Cell]) -> None:
        """Join two connectors: by a hallway over these cells, or by a single door if there are none.

        Args:
            first: The connector at the beginning of the hallway.
            second: The connector at its end.
            cells: The cells of the hallway, in order; empty if the edges of the connectors are the same cell or touch.
        """
        self._use_up(first)
        self._use_up(second)
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

    def open_into(self, joint: OpenConnector, region: int) -> None:
        """Open a connector straight into the region right before it, without a hallway."""
        self._use_up(joint)
        self._open(joint, region, joint.connector.code)

    def _open(self, joint: OpenConnector, beyond: int, code: int | None) -> None:
        """Open the way of a connector, with a door at its edge if walls stand on both sides of the edge.

        Args:
            joint: The connector.
            beyond: The id of the region on the other side.
            code: The terrain of a drawn door; None to roll one.
        """
        if joint.is_open:
            return
        home = self.band_at(joint.y)
        bit, by = home.put(1, joint.y, joint.x), self.board.stride if joint.dx else 1
        hinges = bit | bit << by | bit >> by
        if home.opened & (hinges ^ bit):  # a door would lack a wall on one side
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
        for other in self._crossing(home, hinges):  # no way may be opened through this door or beside it
            self._use_up(other)

    def _open_inside(self, joint: OpenConnector, *, but_edge: bool = False) -> None:
        """Open the cells of a connector's way as a part of its piece; with `but_edge`, all of them but the edge."""
        if len(joint.connector.way) > but_edge:
            cells = joint.way[:-1] if but_edge else joint.way
            self._carve(cells, t.FLOOR, joint.region)
            self.canvas.widen_bounds(joint.region, Rect.around(cells))

    def _carve(self, cells: Sequence[Cell], code: int, region: int) -> None:
        """Carve cells on the map with terrain that can be walked on, and mark them as open and walkable in all bands."""
        self.canvas.carve_cells(cells, code, region)
        self._walk_on(cells)

    def _walk_on(self, cells: Sequence[Cell]) -> None:
        """Mark cells as open and walkable in all bands."""
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
