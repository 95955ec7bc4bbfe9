"""What is scattered where nothing is drawn: a map's population, and the content of encounters over their rooms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.generation.populate.choosing import Chooser
from dungeon.grid.rect import Rect
from dungeon.level.model import SPACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import PopulationEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.references import Populator
    from dungeon.grid.rect import Cell

ARRIVAL_QUIET = 8
"""Population robots keep this many cells away from where the player arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """What an encounter scatters over its room or cave.

    Attributes:
        entries: What.
        region: The id of the room's or cave's region.
        index: The encounter's index among the level's placements.
        name: What the random streams are named after: ("populate", "encounter", its name, copy).
    """

    entries: Sequence[PopulationEntry]
    region: int
    index: int
    name: tuple[str, str, str, int]


def scatter_population(
    populator: Populator, entries: Sequence[PopulationEntry], arrival: Cell, streams: Streams
) -> None:
    """Put a map's own population on free cells that are not to be quiet."""
    canvas, occupancy = populator.canvas, populator.occupancy
    outside = occupancy.plain & ~canvas.quiet
    in_rooms = outside & canvas.within(each.id for each in canvas.regions if each.kind in SPACES)
    everywhere = Rect(0, 0, *outside.shape)
    far = outside.copy()
    far[Rect(*arrival, 1, 1).grown(ARRIVAL_QUIET).clipped(*far.shape).slices] = False
    for number, entry in enumerate(entries):
        cells = (far if entry.kind == "robot" else in_rooms) & ~occupancy.taken
        scattered = _Scattered(entry, f"population {number + 1}", None, ("populate", "population", number))
        scattered.put(populator, cells, everywhere, streams)


def scatter_content(populator: Populator, scatter: Scatter, streams: Streams) -> None:
    """Scatter an encounter's content over its room or cave."""
    canvas, occupancy = populator.canvas, populator.occupancy
    area = canvas.regions[scatter.region - 1].bounds
    ground = occupancy.plain[area.slices] & (canvas.region[area.slices] == scatter.region)
    for number, entry in enumerate(scatter.entries):
        cells = ground & ~occupancy.taken[area.slices]
        source = f"{scatter.name[2]}: content {number + 1}"
        scattered = _Scattered(entry, source, scatter.index, (*scatter.name, "content", number))
        scattered.put(populator, cells, area, streams)


@dataclass(frozen=True, slots=True)
class _Scattered:
    """What one entry scatters.

    Attributes:
        source: Who asks for it; `placement`: the index of the placement that it comes with.
        name: What the random streams are named after.
    """

    entry: PopulationEntry
    source: str
    placement: int | None
    name: tuple[str | int, ...]

    def put(self, populator: Populator, cells: NDArray[np.bool_], area: Rect, streams: Streams) -> None:
        """Put as many objects as the entry asks for on these cells of an area, each of which takes its cell."""
        source, journal = self.source, populator.journal
        count = roll(self.entry.count, streams.stream(*self.name), 0)
        for stream in streams.branches(count, *self.name):
            ground = _alike(populator, cells, area, stream)
            chooser = populator.chooser
            request = chooser.request(self.entry)
            if not request.comes(stream):
                continue
            thing = chooser.choose(request, stream, source, journal)
            if thing is None:
                continue
            cell = populator.free_cell(thing, ground, area, stream)
            if cell is None:
                journal.note("populate", f"{source} ({thing.tag})", "refused", "no free cell is left")
                continue
            populator.put(thing, (cell,), request.keywords(thing, stream), source, self.placement)
            cells[cell.y - area.y, cell.x - area.x] = False


def go_to(populator: Populator, y: int, x: int) -> None:
    """Say where what is asked for next is to stand: it is chosen for the depth that this cell counts for."""
    if populator.below is not None:
        populator.chooser = Chooser.of(populator.catalog, populator.depth + int(populator.below[y, x]))


def _alike(populator: Populator, cells: NDArray[np.bool_], area: Rect, stream: Stream) -> NDArray[np.bool_]:
    """Return those of the cells of an area that count as deep as one of them that is picked, for which things are then chosen."""
    if populator.below is None or not cells.any():
        return cells
    below = populator.below[area.slices]
    y, x = divmod(stream.pick_set(cells), cells.shape[1])
    go_to(populator, area.y + y, area.x + x)
    alike: NDArray[np.bool_] = cells & (below == below[y, x])
    return alike
