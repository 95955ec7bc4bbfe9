"""Annexes: rooms and caves that are dug near a corridor, for an encounter that fits into no free room or cave (site).

A block is the rectangle in which an annex is dug. A door or a short hallway joins it to a way: a corridor, hall,
junction or cave. Sides are 0 to 3 for south, west, north and east. A mask is an int with one bit for each cell of the
map.

    before           after
    ########         ##########
    ,,,,,,,,         ,,,,,,,,,,         , corridor   + door   . the annex
    ########         ####+#####         A hallway has up to 8 cells. So a drawn encounter is not lost just because the
    (earth)             #.....#         layout happened to dig small rooms.
                        #.....#
                        #######

All places for annexes are found at once, as masks. After the room accretion of "Brogue" (Brian Walker, 2009), in which a map
grows by rooms attached wherever their doors meet open cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.streams import Ranking
from dungeon.generation.placing.ground import SIDES
from dungeon.generation.placing.walkability import edge_cell, spots_with_edge_on
from dungeon.grid.bits import all_in_run, all_places, shifted
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon.core.registry import Annex
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.placing.ground import Ground

LONGEST_HALLWAY = 8
"""Maximum length of a hallway to an annex in cells, its door not counted."""

MARK_BITS = 12
"""Bits of a random key that hold an annex's height and side: 4 * height + side is below 2 ** 12 for heights up to 1,023."""

FLOORS = {"room": t.FLOOR, "cave": t.CAVE}
"""Kind of site -> the terrain of its floor."""

Edge = tuple[bool, ...]
"""For each cell along a side of a block: whether a door may lead onto it."""


class AnnexPlan(NamedTuple):
    """What to dig as an annex in which one of the prefabs of an encounter would fit.

    Attributes:
        annex: The kind, the size and the sides of entry.
        cells: (height, width) bool, the cells of the block that are opened.
        side: The side of the block that the door is on: 0 to 3 for south, west, north, east.
        edge: For each cell of the block along that side, whether the door may lead onto it.
    """

    annex: Annex
    cells: NDArray[np.bool_]
    side: int
    edge: Edge


class AnnexSpot(NamedTuple):
    """A place where an annex can be dug.

    Attributes:
        plan: What is dug.
        y: The row of the top-left cell of its block.
        x: The column of that cell.
        length: The length of its hallway in cells; 0 for a door alone.
    """

    plan: AnnexPlan
    y: int
    x: int
    length: int


def annex_cells(annex: Annex, stream: Stream) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of an annex's bounding box that are dug.

    A room is dug as the whole box, a cave as an ellipse. A cave whose prefab needs earth behind it (on side `back`) is dug as the whole
    box, without the two corners on the side opposite `back`.
    """
    cells = SHAPES["ellipse" if annex.kind == "cave" and not annex.depth else "rectangle"](
        annex.height, annex.width, stream
    )
    if annex.depth:  # close the two corners away from the earth behind it
        turned = np.rot90(cells, annex.back)
        turned[-1, [0, -1]] = False
    return cells


@dataclass(frozen=True, slots=True)
class AnnexGround:
    """A map as the search for places for annexes sees it.

    Attributes:
        ground: The masks of the map.
        closed: The mask of the cells that are not open.
        earth: The mask of the cells that may be dug.
        targets: The mask of the open cells to which an annex may be joined.
    """

    ground: Ground
    closed: int
    earth: int
    targets: int
    _leads: dict[tuple[int, int], int] = field(default_factory=dict, init=False)
    _earthen: dict[tuple[int, int], int] = field(default_factory=dict, init=False)
    _free: dict[tuple[int, int], int] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        ground: Ground,
        regions: Collection[int] | None = None,
        within: NDArray[np.bool_] | None = None,
        excluded: Collection[int] = (),
    ) -> AnnexGround:
        """Return the map with which to search places for annexes.

        Args:
            ground: The masks of the map.
            regions: The ids of the regions to which annexes may be joined; None for any corridor, hall, junction or cave.
            within: (height, width) bool, where all dug cells must be; None for anywhere.
            excluded: The ids of the regions to which no annex may be joined, even if `regions` has them.
        """
        board, canvas = ground.board, ground.canvas
        targets = ground.beginnings
        if excluded:
            targets &= ~board.from_array(canvas.within(excluded))
        if regions is not None:
            targets &= board.from_array(canvas.within(regions))
        allowed = board.block(1, 1, board.height - 2, board.width - 2)
        if within is not None:
            allowed &= board.from_array(within)
        return cls(
            ground=ground, closed=board.full & ~ground.open, earth=ground.earth & allowed, targets=targets
        )

    def spots(self, plans: Iterable[AnnexPlan], streams: Streams) -> Iterator[AnnexSpot]:
        """Yield all places where one of the planned annexes can be dug: those with short hallways first, otherwise in random order."""
        board, listed = self.ground.board, list(plans)
        blocks = [self.blocks(plan.annex) for plan in listed]
        for length in range(LONGEST_HALLWAY + 1):
            found = {
                number: all_places(mask)
                for number, (plan, block) in enumerate(zip(listed, blocks, strict=True))
                if block and (mask := block & self._spots_at_ways(plan, length))
            }
            if not found:
                continue
            numbers = np.array([*found]).repeat([*map(len, found.values())])
            cells = np.stack(np.divmod(np.concatenate([*found.values()]), board.stride), axis=1)
            # The key has the annex's size and side, so plans at one cell have different ranks, and ranks do not depend on
            # the other plans.
            marks = np.array(
                [(each.annex.height * len(SIDES) + each.side, each.annex.width) for each in listed]
            )
            ranks = Ranking(cells << MARK_BITS | marks[numbers]).ranks(streams, "annex", length)
            for index in ranks.argsort().tolist():
                y, x = cells[index].tolist()
                yield AnnexSpot(listed[numbers[index]], y, x, length)

    def blocks(self, annex: Annex) -> int:
        """Return the mask of the top-left cells at which an annex can be dug.

        Its block, and the earth that must remain behind it, lie in earth there and touch no open cell.
        """
        stride, (dy, dx) = self.ground.board.stride, SIDES[annex.back]
        # Look for a larger block, with the earth behind; to the north or west it begins `depth` cells earlier.
        y, x = min(dy, 0) * annex.depth, min(dx, 0) * annex.depth
        height, width = annex.height + abs(dy) * annex.depth, annex.width + abs(dx) * annex.depth
        return shifted(self._free_blocks(height, width), -(y * stride + x))

    def _free_blocks(self, height: int, width: int) -> int:
        """Return the mask of the top-left cells of all rectangles of this size that are earth and touch no open cell; cached."""
        key = height, width
        if key not in self._free:
            board = self.ground.board
            around = board.fits(self.closed, height + 2, width + 2)
            self._free[key] = board.fits(self.earth, height, width) & around << board.stride + 1
        return self._free[key]

    def _door_cells(self, side: int, length: int) -> int:
        """Return the mask of the cells where an annex may have its door, so that a hallway leads from it to one of `targets`; cached.

        Args:
            side: The side of the annex that the door is on; the hallway goes straight on in this direction.
            length: The number of cells of the hallway, without the door; 0 if the door itself lies beside a target.
        """
        key = side, length
        if key not in self._leads:
            self._leads[key] = self._find_door_cells(*key)
        return self._leads[key]

    def _find_door_cells(self, side: int, length: int) -> int:
        """Compute the result of `_door_cells`, without the cache."""
        dy, dx = SIDES[side]
        out = dy * self.ground.board.stride + dx
        return self._hallways(side, length) & shifted(self.targets, -(length + 1) * out)

    def _hallways(self, side: int, length: int) -> int:
        """Return the mask of the cells where a door and a hallway from it can be dug, wherever the hallway ends.

        The cells to both sides of the hallway must be closed, so that it opens into nothing on its way. The arguments are those of
        `_door_cells`.
        """
        stride, (dy, dx) = self.ground.board.stride, SIDES[side]
        key = side, length
        if key not in self._earthen:
            if length:
                one, shorter = self._hallways(side, 0), self._hallways(side, length - 1)
                self._earthen[key] = shorter & shifted(one, -length * (dy * stride + dx))
            else:
                along = 1 if dy else stride
                self._earthen[key] = self.earth & shifted(self.closed, along) & shifted(self.closed, -along)
        return self._earthen[key]

    def _spots_at_ways(self, plan: AnnexPlan, length: int) -> int:
        """Return the mask of the top-left cells at which a hallway of this length joins the block of a planned annex to a target.

        Whether the block itself can be dug there is not asked.
        """
        stride, (dy, dx) = self.ground.board.stride, SIDES[plan.side]
        size, out = (plan.annex.height, plan.annex.width), dy * stride + dx
        doors = shifted(self._door_cells(plan.side, length), -out)
        found = spots_with_edge_on(doors, plan.edge, size, plan.side, stride)
        if count := plan.annex.facing:
            if length:
                return 0
            runs = all_in_run(doors, count, 1 if dy else stride)
            found &= spots_with_edge_on(runs, (True,) * len(plan.edge), size, plan.side, stride, count)
        return found

    def dig(self, spot: AnnexSpot, closing: int, stream: Stream) -> int:
        """Dig an annex with its hallway and door; return the id of its region.

        Args:
            spot: A place that `spots` yielded.
            closing: The terrain code of a room's door; a cave has no door.
            stream: Picks the door among the possible ones.
        """
        canvas, (annex, cells, side, edge) = self.ground.canvas, spot.plan
        stride = self.ground.board.stride
        doors = self._door_cells(side, spot.length)
        options = [
            door
            for place, is_free in enumerate(edge)
            if is_free and doors >> (door := self._cell_outside(spot, place)).y * stride + door.x & 1
        ]
        block = Rect(spot.y, spot.x, annex.height, annex.width)
        region = canvas.add_region(annex.kind, block)
        ys, xs = cells.nonzero()
        canvas.carve_cells(
            zip((ys + block.y).tolist(), (xs + block.x).tolist(), strict=True), FLOORS[annex.kind], region
        )
        canvas.build_walls(
            block.joined(self._dig_hallway(stream.pick(options), side, spot.length, region, closing)).grown()
        )
        return region

    def break_through(self, region: int, area: int, beyond: int, closing: int, stream: Stream) -> bool:
        """Dig one more door or hallway into a region, the shortest that is possible; return whether any was possible.

        Args:
            region: The id of the region, a room or cave.
            area: The mask of the region's cells.
            beyond: The mask of the cells, besides `targets`, from which the hallway may lead.
            closing: The terrain code of a room's door; a cave has no door.
            stream: Picks one of several shortest hallways.
        """
        board = self.ground.board
        for length in range(LONGEST_HALLWAY + 1):
            options = []
            for side, (dy, dx) in enumerate(SIDES):
                out = dy * board.stride + dx
                leads = self._door_cells(side, length) & shifted(beyond & ~area, -(length + 1) * out)
                options += [(cell, side) for cell in board.cells(leads & shifted(area, out))]
            if options:
                door, side = stream.pick(options)
                self.ground.canvas.build_walls(self._dig_hallway(door, side, length, region, closing).grown())
                return True
        return False

    def _dig_hallway(self, door: Cell, side: int, length: int, region: int, closing: int) -> Rect:
        """Dig a hallway and, for a room, its door; return the bounds of these cells and of the open cell to which they lead.

        Args:
            door: The cell of the door.
            side: The side of the room or cave that the door is on; the hallway goes straight on in this direction.
            length: The number of cells of the hallway, without the door.
            region: The id of the room or cave.
            closing: The terrain code of the door; a cave has no door.
        """
        canvas, (dy, dx) = self.ground.canvas, SIDES[side]
        beyond = Cell(door.y + (length + 1) * dy, door.x + (length + 1) * dx)
        before, code = int(canvas.region[beyond]), int(canvas.terrain[beyond])
        first = 0 if canvas.regions[region - 1].kind == "cave" else 1  # a cave has no door
        if hallway := [Cell(door.y + n * dy, door.x + n * dx) for n in range(first, length + 1)]:
            before = canvas.add_region("corridor", Rect.around(hallway))
            canvas.carve_cells(hallway, code, before)
        if first:
            canvas.add_door(*door, (region, before), closing)
        return Rect.around([door, beyond])

    def _cell_outside(self, spot: AnnexSpot, place: int) -> Cell:
        """Return the cell outside of an annex's block, before the cell number `place` along the side with the door, from 0."""
        annex, _, side, _ = spot.plan
        y, x = edge_cell(annex.height, annex.width, side, 0)
        dy, dx = SIDES[side]
        y, x = spot.y + y + dy, spot.x + x + dx
        return Cell(y, x + place) if dy else Cell(y + place, x)
