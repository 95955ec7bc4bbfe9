"""The ground that is dressed: which cells of a finished map may still be changed, and how."""

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
#
# What has become of a pass.


class PassOutcome(NamedTuple):
    """What has become of a pass, or of one of the things that it makes.

    Attributes:
        done: Whether it has been made.
        text: What has been made and where, or why it could not be.
    """

    done: bool
    text: str


class MapLight(NamedTuple):
    """A light of the map's own, and how many cells away other lights are at least."""

    light: Light
    spacing: int


def _nothing(_: int) -> None:
    """Tell that nothing is lost, whatever is flooded."""


class DressingGround:
    """A map whose prefabs and encounters are in their places; every mask is an integer of its board.

    What prefabs have drawn, where encounters are, what is quiet, doors with the cells beside them, and stairs stay as
    they are. A cell is dressed once: later passes leave it to the first.

    Args:
        canvas: The map.
        placements: What encounters cover.
        laid: The drawings that lie on it, each with the row and column of its top-left cell.
        dry: Cells where stairs are to come: whatever is laid there can be walked on, and around them, too.
        lost: Tells what would be lost if nobody got over some cells (a mask) any more, as "no place would be left for ...".

    Attributes:
        canvas: The map; `board` is how its masks are laid out.
        floor: The cells that may get terrain that one walks on.
        soft: Those that may be flooded, too: they touch no prefab, no door and nothing of an encounter.
        walked: Where walkers get who open no lock; what may come to stand there is in their way.
        codes: Name of terrain -> code.
        lights: The lights that have been put up.
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
        # Where content does not tell kinds of corridor apart, they are corridor.
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
            walkable[Rect(y, x, drawing.height, drawing.width).slices] &= ~drawing.obstacles
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
        """The earth and walls through which a bed may be cut; earth that is in use, though nobody has dug there, is reserved."""
        return self._solid & self._apart & ~self.board.from_array(self.canvas.used)

    def asked(self, entry: PassEntry, stream: Stream) -> int:
        """Return the cells that a pass may change by what its author says of its place."""
        return self.of_kind(entry.regions) & self.board.block(*self.part(entry, stream))

    def of_kind(self, kinds: Sequence[str]) -> int:
        """Return the cells of regions of these kinds; all cells, if none is named."""
        if not kinds:
            return self.board.full
        canvas = self.canvas
        return self.board.from_array(canvas.within(each.id for each in canvas.regions if each.kind in kinds))

    def part(self, entry: PassEntry, stream: Stream) -> Rect:
        """Return the part of the map that a pass may change, off the outermost cells."""
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
        """Make cells of some terrain; what is earth or wall among them is cut open, and walls come to stand around it."""
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
        """Lay terrain in the value grammar, for each cell anew, and return the cells that have got some."""
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
        """Return the places of the bits of a mask. Each is ranked for itself: whatever comes or goes moves no other."""
        board = self.board
        places = all_places(cells)
        drawn = ranks(stream, board.height, board.width).take(places - places // board.stride)
        ordered: list[int] = places[drawn.argsort(kind="stable")].tolist()
        return ordered
