"""The ground to dress with water, grass, rubble...: which cells of a finished map may still be changed, and changing them.

A pass is one entry under a map's `dressing`, such as a lake or patches of grass. To flood cells is to give them terrain
on which walkers can't stand. A bed is cells of rock that are dug for a river or chasm. A mask is an int with one bit
for each cell of the map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.content.models.features import shares_of
from dungeon.grid.bits import all_places
from dungeon.grid.noise import ranks
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.content.models.dressing import PassEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Light, Placement


# -- outcome ----------------------------------------------------------------------------------------
class PassOutcome(NamedTuple):
    """The outcome of a dressing pass (an entry under `dressing`), or of one of its lakes, rivers or chasms.

    Attributes:
        done: Whether it was made.
        text: What was made and where; or why it could not be made.
    """

    done: bool
    text: str


class MapLight(NamedTuple):
    """A light that a dressing pass has put up, and the minimum distance in cells to other lights (`spacing`)."""

    light: Light
    spacing: int


def _nothing(_: int) -> None:
    """Return None: the cells of the mask may be flooded. The default for `DressingGround.lost`."""


class DressingGround:
    """A map with prefabs and encounters in place, while it is dressed. All masks are ints, with `board` to convert them.

    Some cells never change: those drawn by prefabs, covered by encounters, in quiet areas (where an author wants nothing
    scattered), stairs, doors, and cells beside doors. A cell is dressed once; later passes leave it alone.

    Args:
        canvas: The map.
        placements: The placed encounters.
        laid: (drawing, row, column of its top left cell) of each prefab's drawing on the map.
        dry: Cells where stairs will be put. They and the cells around them are not flooded.
        lost: Called with a mask of cells to flood; returns what the map would lose, such as "no place would be left for the exits", or
            None if they may be flooded.

    Attributes:
        canvas: The map.
        lost: The argument of this name.
        board: Converts between cells and masks.
        floor: Mask of the cells that may get walkable terrain.
        soft: Mask of the cells of `floor` that may also be flooded: they touch no prefab, no door and no encounter.
        walked: Mask of the cells that walkers can stand on without opening a lock; cells where prefabs may put
            obstacles don't count.
        codes: Name of terrain -> terrain code.
        lights: The lights that passes have put up.
    """

    def __init__(
        self,
        canvas: Canvas,
        placements: Iterable[Placement],
        laid: Iterable[tuple[Drawing, int, int]],
        dry: Iterable[Cell] = (),
        lost: Callable[[int], str | None] = _nothing,
    ) -> None:
        self.canvas = canvas
        self.lost = lost
        self.board = board = canvas.board
        self.lights: list[MapLight] = []
        # Kinds of corridor for which the content has no terrain of their own are plain corridor.
        self.codes = dict.fromkeys(t.CORRIDOR_KINDS, t.CORRIDOR)
        self.codes |= canvas.terrain_set.codes
        terrain_set, base = canvas.terrain_set, canvas.base
        kept = canvas.drawn | canvas.quiet
        for placement in placements:
            if not placement.scattered:
                kept[placement.bounds.slices] = True
        walkable = t.looked_up(terrain_set.walkable, canvas.terrain)
        walkable &= base != t.LOCKED_DOOR
        bits = board.from_array
        floors = bits(walkable & (base >= t.FLOOR) & (base <= t.CAVE))
        for drawing, y, x in laid:
            walkable[Rect(y, x, drawing.height, drawing.width).slices] &= ~drawing.barriers
        self.walked = bits(walkable)
        doors = (terrain_set.door | terrain_set.stairs).take(canvas.terrain)
        doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
        ways, ours = bits(doors), bits(kept)
        if cut_off := [region.id for region in canvas.regions if region.sealed]:
            ours |= bits(canvas.within(cut_off))
        self.floor = floors & ~ours & ~board.beside(ways)
        apart = ~board.around(ours | ways | board.from_cells(dry))
        self.soft = self.floor & apart
        inside = board.block(1, 1, canvas.height - 2, canvas.width - 2)
        self._solid, self._apart = bits(base <= t.WALL) & inside, apart

    @property
    def rock(self) -> int:
        """Mask of the earth and walls through which a river or chasm may be dug; without earth that is reserved."""
        return self._solid & self._apart & ~self.board.from_array(self.canvas.used)

    def asked(self, entry: PassEntry, stream: Stream) -> int:
        """Return the mask of the cells that a pass may change according to its YAML keys `regions` and `where`."""
        return self.of_kind(entry.regions) & self.board.block(*self.part(entry, stream))

    def of_kind(self, kinds: Sequence[str]) -> int:
        """Return the mask of the cells of all regions of these kinds, such as "room" and "cave"; the whole map if no kind is named."""
        if not kinds:
            return self.board.full
        canvas = self.canvas
        return self.board.from_array(canvas.within(each.id for each in canvas.regions if each.kind in kinds))

    def part(self, entry: PassEntry, stream: Stream) -> Rect:
        """Return the part of the map that a pass may change by its key `where`, without the map's outermost rows and columns."""
        height, width = self.canvas.height, self.canvas.width
        name = None if entry.where is None else entry.where.roll(stream)
        if name is None:
            return Rect(1, 1, height - 2, width - 2)
        (top, bottom), (left, right) = shares_of(name)
        y, x = max(round(top * height), 1), max(round(left * width), 1)
        return Rect(
            y, x, min(round(bottom * height), height - 1) - y, min(round(right * width), width - 1) - x
        )

    def lay(self, cells: int, code: int) -> None:
        """Set the terrain of the cells of a mask to the terrain code `code`.

        Where these were earth or wall, the cells become open and the earth around becomes wall.
        """
        canvas, board = self.canvas, self.board
        canvas.terrain[board.to_array(cells)] = code
        self.floor &= ~cells
        self.soft &= ~cells
        if not canvas.terrain_set.walkable[code]:
            self.walked &= ~cells
        if cut := cells & self._solid:
            self._solid &= ~cells
            canvas.open_bed(board.to_array(cut))

    def strew(self, cells: int, terrain: Value[str], stream: Stream) -> int:
        """Lay terrain chosen at random for each cell by itself; return the mask of the cells that were changed.

        Args:
            cells: Mask of the cells.
            terrain: The random name of a terrain; a cell for which it gives none stays as it is.
            stream: The random stream.
        """
        odds = terrain.odds()
        left, share, laid = cells, 1.0, 0
        for name in sorted(name for name in odds if name is not None):
            likely = odds[name]
            chosen = left
            if likely < share:
                chosen &= stream.bits(cells.bit_length(), likely / share)
            self.lay(chosen, self.codes[name])
            left &= ~chosen
            share -= likely
            laid |= chosen
        return laid

    def in_random_order(self, cells: int, stream: Stream) -> list[int]:
        """Return the bit positions of a mask in random order.

        Each cell of the map has its own random rank, so adding or removing a cell does not change the order of the others.
        """
        board = self.board
        places = all_places(cells)
        drawn = ranks(stream, board.height, board.width).take(places - places // board.stride)
        ordered: list[int] = places[drawn.argsort(kind="stable")].tolist()
        return ordered
