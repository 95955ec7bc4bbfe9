"""Machines: prefabs (such as pumps) that a map's entry sets along walls or in the middle of rooms after everything is placed.

They stand where nothing else is drawn or placed, off doors and stairs, and never where they would close a way.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.content.values.prefab_weights import Variants, weigh_prefabs
from dungeon.core.frozen import NOTHING
from dungeon.core.streams import MASK, Ranking
from dungeon.core.vocabulary import SPACES
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.grid.bits import all_places
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import touching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.content.models.maps import MachinesEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.populator import Populator
    from dungeon.level.model import Placement
    from dungeon.terrain import TerrainSet


KEPT_CLEAR = np.isin(np.arange(256), (*t.DOORS, *t.STAIRS))
KEPT_CLEAR.flags.writeable = False
"""(256,) bool, indexed by code of built-in terrain: whether machines must not touch it."""

DEFAULT_STAND = "wall"
"""Where a machine stands if `at` does not apply."""


def objection(drawing: Drawing, terrain_set: TerrainSet) -> str | None:
    """Return why a drawing can't be set as a machine, or None if it can: all terrain that it draws must be walkable floor."""
    codes = drawing.terrain[drawing.terrain != t.KEEP]
    if not codes.size:
        return None
    base = terrain_set.base[codes]
    floors = ((base == t.FLOOR) | (base == t.CORRIDOR) | (base == t.CAVE)) & terrain_set.walkable[codes]
    if floors.all():
        return None
    return f"it has {terrain_set.kinds[codes[int(floors.argmin())]].name}, and a machine has only floor to walk on"


def set_machines(
    populator: Populator,
    entries: Sequence[MachinesEntry],
    called: Mapping[str, Sequence[Prefab]],
    placements: Sequence[Placement],
    streams: Streams,
    variants: Variants = NOTHING,
) -> Iterator[str]:
    """Set the machines that a map asks for, and fill them with objects; yield a line of text about each.

    Args:
        populator: Holds the objects of the level, and gets those of the machines.
        entries: The entries of the map that ask for machines.
        called: Name or tag -> the prefabs that have it.
        placements: The encounters and features on the map. Machines keep out of the rooms of these.
        streams: The random streams, named ("machines", prefabs, number among equal entries, ...).
        variants: The prefabs that are variants of others.
    """
    floor = _Floor(populator, placements) if entries else None
    alike: Counter[str] = Counter()
    for entry in entries:
        what = " ".join(sorted(entry.prefabs))
        alike[what] += 1
        own = streams.under("machines", what, alike[what])
        low, high = entry.depth
        if floor is None or not low <= populator.depth <= high:
            continue
        prefabs = {prefab.name: prefab for word in entry.prefabs for prefab in called[word]}
        names = {word: [prefab.name for prefab in called[word]] for word in entry.prefabs}
        weights = weigh_prefabs(entry.prefabs, names, populator.weigh, variants)
        for copy in range(roll(entry.count, own.stream("count"), 0)):
            at = entry.at.roll(own.stream("at", copy)) or DEFAULT_STAND
            placed = floor.place(weights, prefabs, at, own.under(copy))
            if isinstance(placed, str):
                populator.journal.note("machines", what, "refused", placed)
                continue
            populator.fill(placed)
            text = f"{placed.drawing.name} {placed.drawing.orientation.label} at y {placed.y}, x {placed.x}"
            populator.journal.note("machines", what, "chosen", text)
            yield text


TRIED = np.uint64(MASK)
"""The largest random number: it marks a cell that has been tried, so that no other cell comes after it."""


class _Floor:
    """The floor of rooms where machines may stand, as bitmasks.

    Attributes:
        free: Mask of the cells that machines may cover.
        walk: Mask of the cells on which no object stands or will stand, and that walkers can use.
        solid: Mask of walls and earth.

    Args:
        populator: Holds the objects of the level.
        placements: The encounters and features on the map, whose rooms are not used.
    """

    def __init__(self, populator: Populator, placements: Sequence[Placement]) -> None:
        self.populator = populator
        canvas, occupancy = populator.canvas, populator.occupancy
        base = canvas.base
        self.board = canvas.board
        taken = {placement.region for placement in placements}
        rooms = canvas.within(
            each.id for each in canvas.regions if each.kind in SPACES and each.id not in taken
        )
        bare = occupancy.plain & ~occupancy.taken & ~occupancy.meant
        kept = canvas.quiet | canvas.drawn | touching(KEPT_CLEAR.take(base))
        self.free = self.board.from_array(bare & rooms & ~kept)
        self.walk = self.board.from_array(bare)
        self.solid = self.board.from_array(base <= t.BLOCKED)

    def place(
        self, weights: Mapping[str, float], prefabs: Mapping[str, Prefab], at: str, streams: Streams
    ) -> PlacedDrawing | str:
        """Place one of several prefabs in a random orientation and return it, or return the reason why none fits.

        Args:
            weights: Name of a prefab -> its weight in the random order in which the prefabs are tried.
            prefabs: Name -> prefab.
            at: Where the machine is to stand: `wall`, or anything else for the middle of a room.
            streams: The random streams.
        """
        canvas, reason = self.populator.canvas, ""
        for name in streams.race(weights, "prefab"):
            variant = prefabs[name].variant(streams.stream("variant", name))
            told = objection(variant.drawing, canvas.terrain_set)
            if told is not None:
                reason = told
                continue
            stream = streams.stream("lie", name)
            lying = [*variant.drawings]
            stream.shuffle(lying)
            for drawing in lying:
                cell = self._cell(drawing, at, streams.under("cell", name, drawing.orientation.label))
                if cell is not None:
                    return self._take(drawing, cell, streams.stream("fill", name))
            where = "along a wall" if at == "wall" else "in the middle of a room"
            reason = f"there is no place for it {where}"
        return reason

    def _cell(self, drawing: Drawing, at: str, streams: Streams) -> Cell | None:
        """Return a random top left cell for a drawing such that walkers still get everywhere; None if there is none.

        Each cell of the map has its own random number, and the lowest wins. So a small change of the map seldom changes the choice.
        """
        spots = self._against_walls(drawing) if at == "wall" else self._in_the_middle(drawing)
        if not spots:
            return None
        cells = np.array(np.divmod(all_places(spots), self.board.stride)).T
        ys, xs = drawing.obstacles.nonzero()
        stands = [*zip(ys.tolist(), xs.tolist(), strict=True)]
        ranks = Ranking(cells).ranks(streams)
        for _ in range(len(cells)):
            # One of the first few usually fits, so sorting all would cost more.
            first = int(ranks.argmin())
            cell = Cell(*cells[first].tolist())
            if not stands or self.populator.occupancy.keeps_whole(
                [(cell.y + y, cell.x + x) for y, x in stands]
            ):
                return cell
            ranks[first] = TRIED
        return None

    def _against_walls(self, drawing: Drawing) -> int:
        """Return the mask of the top left cells for a drawing such that its whole back touches a wall.

        The back is the north side before the drawing is turned. Here M is an unturned machine::

            ######
            ..MM..
        """
        board, height, width = self.board, drawing.height, drawing.width
        dy, dx = drawing.orientation.turn_vector(-1, 0)
        if dy:
            backs = board.fits(self.solid, 1, width)
            walls = board.move(backs, 1, 0) if dy < 0 else backs >> height * board.stride
        else:
            backs = board.fits(self.solid, height, 1)
            walls = board.move(backs, 0, 1) if dx < 0 else backs >> width
        return board.fits(self.free, height, width) & walls

    def _in_the_middle(self, drawing: Drawing) -> int:
        """Return the mask of the top left cells for a drawing such that it has floor on all sides, corners included."""
        board, height, width = self.board, drawing.height, drawing.width
        around = board.fits(self.walk, height + 2, width + 2)
        return board.fits(self.free, height, width) & board.move(board.move(around, 1, 0), 0, 1)

    def _take(self, drawing: Drawing, cell: Cell, stream: Stream) -> PlacedDrawing:
        """Draw a machine's terrain on the map at `cell`, its top left, and keep other machines off the cells around it.

        The result is the drawing to fill with objects; `stream` will choose them.
        """
        canvas, occupancy, board = self.populator.canvas, self.populator.occupancy, self.board
        if (drawing.terrain != t.KEEP).any():
            # It may lie in several regions, where zones are open to each other: each cell keeps its region.
            area = Rect(*cell, drawing.height, drawing.width).slices
            canvas.stamp(*cell, drawing.terrain, canvas.region[area])
        occupancy.expect(drawing, cell.y, cell.x)
        own = board.block(cell.y, cell.x, drawing.height, drawing.width)
        self.free &= ~board.around(own)
        self.walk &= ~own
        return PlacedDrawing(drawing=drawing, y=cell.y, x=cell.x, index=None, stream=stream)
