"""Scattering objects where nothing is drawn: the population of a map, and the content of encounters over their rooms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll, weight_at
from dungeon.core.frozen import NOTHING
from dungeon.generation.populate.choosing import ObjectChooser, changed
from dungeon.generation.populate.places import MAX_STRAY, ScatterPlaces, default_place
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import FAR, distances, way_down

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.models.population import FollowerEntry, MapPopulationEntry, PopulationEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.populator import Populator

LEADER_TRIES = 8
"""Number of cells that are tried for a leader whose followers need space; each try costs a flood fill."""

POPULATION = "population "
"""The beginning of `Spawn.source` for the population of a map."""

ARRIVAL_QUIET = 8
"""Robots of a population keep this many cells away from where the player arrives: he is not attacked at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """The content that an encounter scatters over its room or cave.

    Attributes:
        entries: The content.
        region: The id of the region.
        index: The encounter's index among the level's placements.
        name: The beginning of its streams' names: ("populate", "encounter", its name, copy).
    """

    entries: Sequence[PopulationEntry]
    region: int
    index: int
    name: tuple[str, str, str, int]


def scatter_population(
    populator: Populator,
    entries: Sequence[MapPopulationEntry],
    arrival: Cell,
    streams: Streams,
    seen: NDArray[np.bool_] | None = None,
) -> None:
    """Scatter a map's own population over free cells that are not quiet.

    Args:
        populator: What fills the level.
        entries: The population.
        arrival: The cell where the player arrives.
        streams: The random streams.
        seen: (height, width) bool, the cells seen from the arrival. Of robots, only those with `in_sight`
            come there.
    """
    canvas, occupancy = populator.canvas, populator.occupancy
    everywhere = Rect(0, 0, *canvas.terrain.shape)
    outside = occupancy.plain & ~canvas.quiet
    near = np.zeros(outside.shape, np.bool_)
    near[Rect(*arrival, 1, 1).grown(ARRIVAL_QUIET).clipped(canvas.height, canvas.width).slices] = True
    places = ScatterPlaces(occupancy, everywhere, outside)
    hidden = near if seen is None else near | seen
    alike: Counter[str] = Counter()
    for number, entry in enumerate(entries):
        what = entry.words
        alike[what] += 1
        excluded = None
        if entry.like == "robot":
            excluded = near if entry.in_sight else hidden
        # Streams are named after what an entry asks for, so that adding an entry before it changes nothing.
        name = ("populate", "population", what, alike[what])
        unseen = None if entry.in_sight else seen
        source = f"{POPULATION}{number + 1}"
        _Scattering(populator, places, streams, entry, source, None, name, excluded, unseen).put()


def scatter_content(populator: Populator, scatter: Scatter, streams: Streams) -> None:
    """Scatter an encounter's content over its room or cave."""
    canvas, occupancy = populator.canvas, populator.occupancy
    area = canvas.regions[scatter.region - 1].bounds
    ground = occupancy.plain[area.slices] & (canvas.region[area.slices] == scatter.region)
    places = ScatterPlaces(occupancy, area, ground, rooms=ground)
    for number, entry in enumerate(scatter.entries):
        source = f"{scatter.name[2]}: content {number + 1}"
        name = (*scatter.name, "content", number)
        _Scattering(populator, places, streams, entry, source, scatter.index, name).put()


class _Drift(NamedTuple):
    """A drift: a heap of scattered objects.

    Attributes:
        middle: The cell around which the objects lie.
        ground: (area.height, area.width) bool, the cells near the middle.
        area: The part of the map that `ground` covers; `part`: the same, as slices into arrays of the whole area.
    """

    middle: Cell
    ground: NDArray[np.bool_]
    area: Rect
    part: tuple[slice, slice]


@dataclass(slots=True)
class _Scattering:
    """Scatters the objects of one entry.

    Attributes:
        source: The map or encounter that asks for the objects, for `Spawn.source`; `placement`: the index of their placement.
        name: The beginning of the streams' names.
        excluded: (area.height, area.width) bool, cells where none of the objects is put; None for no such cells.
        seen: (height, width) bool, cells where no patrol passes.
        free: Word for a place -> its cells that are still free.
        usual: The word for the place where the objects are put if the entry names none.
        ways: (area.height, area.width) bool, free cells known to be needed by walkers; None while none is known.
    """

    populator: Populator
    places: ScatterPlaces
    streams: Streams
    entry: PopulationEntry
    source: str
    placement: int | None
    name: tuple[str | int, ...]
    excluded: NDArray[np.bool_] | None = None
    seen: NDArray[np.bool_] | None = None
    free: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    usual: str = field(init=False)
    ways: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        self.usual = default_place(self.entry)

    def put(self) -> None:
        """Put the objects that the entry asks for."""
        low, high = self.entry.depth
        if not low <= self.populator.depth <= high:
            return
        drift: _Drift | None = None
        begun = left = 0
        for copy, stream in enumerate(self.streams.branches(self._count(), *self.name), 1):
            if self.entry.drift is not None and not left:
                begun += 1
                luck = self.streams.stream(*self.name, "drift", begun)
                left = roll(self.entry.drift, luck, 1)
                drift = self._drift(luck)
            left -= 1
            cell = self._put_one(stream, drift)
            if cell is not None and self.entry.like == "robot":
                self._lead(cell, copy)

    def _count(self) -> int:
        """Return the number of objects: the entry's count, or its density times the cells where they may be."""
        entry, stream = self.entry, self.streams.stream(*self.name)
        if entry.density is None:
            return roll(entry.count, stream, 0)
        words = [*entry.at.outcomes()] if entry.at is not None else []
        if entry.at is None or not entry.at.applies:
            words.append(self.usual)
        ground = np.logical_or.reduce([self.places.of(word) for word in dict.fromkeys(words)])
        if self.excluded is not None:
            ground &= ~self.excluded
        dense = weight_at(entry.density, self.populator.depth, NOTHING)
        return int(dense * np.count_nonzero(ground) / 100 + stream.random())

    def _place(self, stream: Stream) -> NDArray[np.bool_]:
        """Return the free cells of the place (``walls``, ``doors``...) that the entry's YAML key `at` names; of several, a random one."""
        word = self.entry.at.roll(stream) if self.entry.at is not None else None
        return self._free(word or self.usual)

    def _free(self, word: str) -> NDArray[np.bool_]:
        """Return the free cells of a place, by its name such as ``walls``."""
        if word not in self.free:
            self.free[word] = self.places.free(word, self.excluded)
        return self.free[word]

    def _drift(self, stream: Stream) -> _Drift | None:
        """Return a drift (a heap of objects) with a random middle cell, beside a wall if possible: a room's middle is kept clear."""
        cells, area = self._place(stream), self.places.area
        for pool in (cells & self.places.of("walls"), cells):
            if np.count_nonzero(pool):
                y, x = divmod(stream.pick_set(pool), area.width)
                middle = Cell(area.y + y, area.x + x)
                near, part = self.places.around(middle, MAX_STRAY)
                return _Drift(middle, near, part, self.places.inside(part))
        return None

    def _put_one(self, stream: Stream, drift: _Drift | None) -> Cell | None:
        """Put one object, in a drift if there is one, and return the object's cell; None if no object was put."""
        populator, source = self.populator, self.source
        cells, area = self._place(stream), self.places.area
        if drift is not None:
            cells, area = self._in_drift(cells, drift, stream)
        ground = _of_one_depth(populator, cells, area, stream)
        request = populator.chooser.request(self.entry)
        if not request.comes(stream):
            return None
        thing = populator.chooser.choose(request, stream, source, populator.journal)
        if thing is None:
            return None
        cell = self._cell(thing, ground, area, stream)
        if self.entry.followers:
            cell = self._for_leader(thing, cell, ground, stream)
        if cell is None and drift is not None:  # in the drift it would close a way
            cell = self._cell(thing, self._place(stream), self.places.area, stream)
        if cell is None:
            populator.journal.note("populate", f"{source} ({thing.tag})", "refused", "no free cell is left")
            return None
        keywords, loadout = request.keywords(thing, stream), request.loadout
        populator.put(thing, (cell,), keywords, source, self.placement, loadout=loadout)
        self._take([cell])
        return cell

    def _cell(
        self, thing: CatalogObject, cells: NDArray[np.bool_], area: Rect, stream: Stream
    ) -> Cell | None:
        """Return a random one of some cells such that walkers still get everywhere; None if there is none.

        If no cell was found for an obstacle, these cells are not tried again: there may be hundreds of
        objects to put.
        """
        if not thing.stays:
            return self.populator.free_cell(thing, cells, area, stream)
        part = self.places.inside(area)
        if self.ways is not None:
            cells = cells & ~self.ways[part]
        cell = self.populator.free_cell(thing, cells, area, stream)
        if cell is None:
            if self.ways is None:
                self.ways = np.zeros((self.places.area.height, self.places.area.width), np.bool_)
            self.ways[part] |= cells
        return cell

    def _for_leader(
        self, thing: CatalogObject, cell: Cell | None, ground: NDArray[np.bool_], stream: Stream
    ) -> Cell | None:
        """Return a cell for a leader with space around it for all followers; any cell after `LEADER_TRIES` tries."""
        free, ground = self._free("anywhere"), ground.copy()
        for _ in range(LEADER_TRIES):
            if cell is None or has_space(self.places, free, cell, self.entry.followers):
                break
            ground[cell.y - self.places.area.y, cell.x - self.places.area.x] = False
            cell = self.populator.free_cell(thing, ground, self.places.area, stream) or cell
        return cell

    def _in_drift(
        self, cells: NDArray[np.bool_], drift: _Drift, stream: Stream
    ) -> tuple[NDArray[np.bool_], Rect]:
        """Return the free cells where the next object of a drift (a heap of objects) may lie, and the part of the map they cover.

        They are close to the middle of the drift; if no cell near the middle is free, all of `cells`.
        """
        usual = 1 + min(stream.below(MAX_STRAY), stream.below(MAX_STRAY))
        near = drift.ground & cells[drift.part]
        y, x = drift.middle.y - drift.area.y, drift.middle.x - drift.area.x
        top, left = max(y - usual, 0), max(x - usual, 0)
        closer = near[top : y + usual + 1, left : x + usual + 1]
        if np.count_nonzero(closer):
            return closer, Rect(drift.area.y + top, drift.area.x + left, *closer.shape)
        if np.count_nonzero(near):
            return near, drift.area
        return cells, self.places.area

    def _lead(self, cell: Cell, copy: int) -> None:
        """Give the robot that was put last its patrol and its followers."""
        populator, entry = self.populator, self.entry
        leader = len(populator.spawns) - 1
        if entry.patrol is not None:
            stream = self.streams.stream(*self.name, "patrol", copy)
            places = patrol_from(populator, cell, roll(entry.patrol, stream, 0), stream, self.seen)
            if places:
                populator.spawns[leader] = changed(populator.spawns[leader], patrol=places)
        if entry.followers:
            streams = self.streams.under(*self.name, "followers", copy)
            follow(populator, self.places, self._free("anywhere"), entry.followers, streams)
            self._take([each.cells[0] for each in populator.spawns[leader + 1 :]])

    def _take(self, cells: Sequence[Cell]) -> None:
        """Remove cells from the free cells, as an object has been put on them."""
        area = self.places.area
        for mask in self.free.values():
            for cell in cells:
                mask[cell.y - area.y, cell.x - area.x] = False


def choose_for_depth_at(populator: Populator, y: int, x: int) -> None:
    """Let the objects that are chosen next be those for the depth of the cell (y, x): parts of a map may count as deeper."""
    if populator.below is not None:
        populator.chooser = ObjectChooser.of(populator.catalog, populator.depth + int(populator.below[y, x]))


def _of_one_depth(
    populator: Populator, cells: NDArray[np.bool_], area: Rect, stream: Stream
) -> NDArray[np.bool_]:
    """Pick a random one of some cells, and return the cells of the same depth. Objects chosen next are those for this depth."""
    if populator.below is None or not np.count_nonzero(cells):
        return cells
    below = populator.below[area.slices]
    y, x = divmod(stream.pick_set(cells), cells.shape[1])
    choose_for_depth_at(populator, area.y + y, area.x + x)
    alike: NDArray[np.bool_] = cells & (below == below[y, x])
    return alike


FOLLOWER_REACH = 2
"""Followers stand at most this many cells from their leader, if there is space."""


def follow(
    populator: Populator,
    places: ScatterPlaces,
    free: NDArray[np.bool_],
    followers: Sequence[FollowerEntry],
    streams: Streams,
) -> None:
    """Put the followers of the robot that was put last, and mark the leader and its followers as a group.

    A follower without space near the leader is left out; this is noted in the journal. A robot without
    followers is not marked as a leader.

    Args:
        populator: What fills the level.
        places: The part of the map where they may stand.
        free: (area.height, area.width) bool, its free cells; cells that are taken here are cleared in it.
        followers: The entries of the followers.
        streams: The random streams, named (number of the entry).
    """
    spawns = populator.spawns
    first = len(spawns) - 1
    leader = spawns[first]
    home = leader.cells[0]
    for number, entry in enumerate(followers):
        request = populator.chooser.request(entry)
        for stream in streams.branches(roll(entry.count, streams.stream(number), 0), number):
            if not request.comes(stream):
                continue
            thing = populator.chooser.choose(request, stream, leader.source, populator.journal)
            if thing is None:
                continue
            cell = _cell_near(places, free, home, stream)
            if cell is None:
                subject = f"{leader.source} ({thing.tag})"
                populator.journal.note("populate", subject, "refused", "no cell near its leader is free")
                continue
            keywords = request.keywords(thing, stream)
            source, placement = leader.source, leader.placement
            populator.put(thing, (cell,), keywords, source, placement, loadout=request.loadout)
            free[cell.y - places.area.y, cell.x - places.area.x] = False
    if len(spawns) > first + 1:
        group = 1 + max(each.group for each in spawns)
        spawns[first:] = [changed(each, group=group, leads=not at) for at, each in enumerate(spawns[first:])]


def has_space(
    places: ScatterPlaces, free: NDArray[np.bool_], home: Cell, followers: Sequence[FollowerEntry]
) -> bool:
    """Tell whether the maximum number of followers finds space near a cell; `free` is as for `follow`."""
    near, area = places.around(home, MAX_STRAY)
    most = sum(max(each.count.outcomes()) for each in followers)
    return bool(np.count_nonzero(near & free[places.inside(area)]) > most)


def _cell_near(places: ScatterPlaces, free: NDArray[np.bool_], home: Cell, stream: Stream) -> Cell | None:
    """Return a random free cell near `home`: within `FOLLOWER_REACH`, else within `MAX_STRAY`; None if there is none."""
    for reach in (FOLLOWER_REACH, MAX_STRAY):
        near, area = places.around(home, reach)
        near &= free[places.inside(area)]
        if near.any():
            y, x = divmod(stream.pick_set(near), area.width)
            return Cell(area.y + y, area.x + x)
    return None


MIN_PATROL_STEPS = 12
"""Minimum length of a patrol in steps; a shorter one would hardly leave the room."""

MIN_STEPS_IN_REGION = 3
"""A region that the way crosses in fewer steps is no place of a patrol: the way only cuts its corner."""


def patrol_from(
    populator: Populator, home: Cell, most: int, stream: Stream, seen: NDArray[np.bool_] | None = None
) -> tuple[Cell, ...]:
    """Return the places of a patrol in order, its start first; empty if it finds no way.

    It follows a shortest way to a random cell in another region, around obstacles and through no locked door,
    with one place in each region on the way. Each place can be walked to from the one before. The places are
    kept free of obstacles.

    Args:
        populator: What fills the level.
        home: The cell where it begins.
        most: Maximum number of places, each in a region of its own.
        stream: The random stream.
        seen: (height, width) bool, cells where it does not go; None for none.
    """
    canvas, occupancy = populator.canvas, populator.occupancy
    ground = canvas.passable() & ~occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    if seen is not None:
        ground &= ~seen
    ground[home] = True
    away = distances(ground, [home])
    ends = (away >= MIN_PATROL_STEPS) & (away < FAR) & occupancy.plain & ~occupancy.meant
    ends &= canvas.region != canvas.region[home]
    if most < 2 or not ends.any():
        populator.journal.note(
            "populate", populator.spawns[-1].source, "noted", "there is no way for a patrol"
        )
        return ()
    way = way_down(away, Cell(*divmod(stream.pick_set(ends), canvas.width)))[::-1]
    by_region = {int(canvas.region[home]): home}
    for region, run in groupby(way, key=lambda cell: int(canvas.region[cell])):
        cells = [*run]
        if region and len(cells) >= MIN_STEPS_IN_REGION:
            by_region.setdefault(region, cells[len(cells) // 2])
    places = [*by_region.values()][:most]
    if len(places) < 2:
        places.append(way[-1])
    for cell in places:
        occupancy.spared[cell] = True
    return tuple(places)
