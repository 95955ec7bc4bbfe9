"""Scattering objects where nothing is drawn: over maps, over rooms of encounters, and around drawn objects and cells.

The *population* is scattered over a map, the *content* over the room of an encounter. The *company* of a drawn object or cell are
its followers, and what lies around it. A *place* is a name for cells, such as ``walls`` or ``doors`` (see `populate.places`). A *heap* is a group of objects around one cell
(key `drift`). *Quiet* cells are those where nothing of the population is put.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.catalog.scattered import STEPS_AROUND, PopulationEntry, followers_of
from dungeon.content.values.grammar import roll, weight_at
from dungeon.core.frozen import NOTHING
from dungeon.generation.populate.choosing import ObjectChooser, changed
from dungeon.generation.populate.places import MAX_STRAY, ScatterPlaces, default_place, either
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import FAR, distances, way_down

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.catalog.scattered import AroundEntry, FollowerEntry, SpreadEntry
    from dungeon.content.models.maps import MapPopulationEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.placed_drawings import Company
    from dungeon.generation.populate.populator import Populator
    from dungeon.level.model import Placement

LEADER_TRIES = 8
"""Number of cells that are tried for a leader whose followers need space; each try costs a flood fill."""

POPULATION = "population "
"""The beginning of `Spawn.source` for the population of a map."""

ARRIVAL_QUIET = 8
"""Robots of a population keep this many cells away from where the player arrives: he is not attacked at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """A request to scatter the content of an encounter over its room or cave.

    Attributes:
        entries: The entries of the content.
        region: The region id of the room or cave.
        index: The encounter's index among the level's placements.
        name: The beginning of the names of the random streams: ("populate", "encounter", encounter, number of its copy).
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
    factor: float = 1.0,
) -> None:
    """Scatter a map's own population over free cells, except those that are kept clear of it (quiet cells).

    Args:
        populator: Holds the objects of the level, and gets the new ones.
        entries: The entries of the population.
        arrival: The cell where the player arrives.
        streams: The random streams.
        seen: (height, width) bool: the cells that the player sees from `arrival`. Robots are put on them only if their entry has
            `in_sight`. None if no entry depends on what the player sees.
        factor: How many times as many objects to put as the entries say; followers are not multiplied.
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
        off_robots = near if entry.in_sight else hidden
        off = off_robots if entry.like == "robot" else None
        excluded = either([off, occupancy.quiet.get(str(entry.kind))])
        # Streams are named after what an entry asks for, so that adding an entry before it changes nothing.
        name = ("populate", "population", what, alike[what])
        unseen = None if entry.in_sight else seen
        own = f"{POPULATION}{number + 1}", None, name, excluded, unseen, factor, off_robots
        _Scattering(populator, places, streams, entry, *own).put()


def scatter_content(populator: Populator, scatter: Scatter, streams: Streams) -> None:
    """Scatter the content of one encounter over its room or cave."""
    canvas, occupancy = populator.canvas, populator.occupancy
    area = canvas.regions[scatter.region - 1].bounds
    ground = occupancy.plain[area.slices] & (canvas.region[area.slices] == scatter.region)
    places = ScatterPlaces(occupancy, area, ground, rooms=ground)
    for number, entry in enumerate(scatter.entries):
        source = f"{scatter.name[2]}: content {number + 1}"
        name = (*scatter.name, "content", number)
        _Scattering(populator, places, streams, entry, source, scatter.index, name).put()


def scatter_company(
    populator: Populator, company: Company, placements: Sequence[Placement], streams: Streams
) -> None:
    """Put the followers of a drawn robot, and all that lies around a drawn cell or object. If the object is gone, put nothing.

    What comes to stand outside the placement of the drawing, as the proof draws its limits, belongs to no placement.

    Args:
        populator: Holds the objects of the level, and gets the new ones.
        company: The drawn cell or object. Once all drawings are filled, its surroundings are known.
        placements: The level's placements.
        streams: The random streams, named ("populate", "company", source, y, x of the first cell, tag of the object).
    """
    cells, symbol, thing, source, placement = company
    spawns, first = populator.spawns, len(populator.spawns)
    tag = thing.tag if thing is not None else ""
    drawn = cells, source, tag  # others may share its cell
    own = (at for at, each in enumerate(spawns) if (each.cells, each.source, each.tag) == drawn)
    leader = next(own, None)
    if thing is not None and leader is None:
        return
    choose_for_depth_at(populator, *cells[0])
    name = ("populate", "company", source, *cells[0], tag)
    if thing is not None and leader is not None and (followers := followers_of(symbol, thing.band)):
        places = _places_within(populator, cells)
        under = streams.under(*name, "followers")
        follow(populator, places, places.free("anywhere"), followers, under, leader)
    for number, entry in enumerate(symbol.around):
        steps = roll(entry.within, streams.stream(*name, "within", number), STEPS_AROUND)
        places = _places_within(populator, cells, steps)
        _Scattering(populator, places, streams, entry, source, placement, (*name, "around", number)).put()
    if placement is None:
        return
    bounds, region = placements[placement].bounds, placements[placement].region
    for at in range(first, len(spawns)):
        y, x = spawns[at].cells[0]
        if not bounds.contains(y, x) and not 0 < region == populator.canvas.region[y, x]:
            spawns[at] = changed(spawns[at], placement=None)


def _places_within(
    populator: Populator,
    cells: Sequence[Cell],
    steps: int | None = None,
    within: NDArray[np.bool_] | None = None,
) -> ScatterPlaces:
    """Return the places around some cells: floor that may be scattered on, at most `steps` steps away.

    The steps lead around obstacles and through no locked door. With None for `steps`, the places are all cells at most
    `MAX_STRAY` rows and columns away. `within` are the (height, width) cells that may be used; None for all of the map.
    """
    canvas, occupancy = populator.canvas, populator.occupancy
    reach = MAX_STRAY if steps is None else steps
    area = Rect.around(cells).grown(reach).clipped(canvas.height, canvas.width)
    ground = (occupancy.plain if within is None else within)[area.slices].copy()
    if steps is not None:
        codes = canvas.terrain[area.slices]
        walkable = canvas.terrain_set.passable.take(codes) & ~occupancy.stands[area.slices]
        walkable &= canvas.terrain_set.base.take(codes) != t.LOCKED_DOOR
        ground &= distances(walkable, [(y - area.y, x - area.x) for y, x in cells]) <= steps
    return ScatterPlaces(occupancy, area, ground, rooms=ground)


class _Heap(NamedTuple):
    """A heap of scattered objects (key `drift`).

    Attributes:
        middle: The cell around which the objects lie.
        ground: (area.height, area.width) bool: the cells near the middle.
        area: The rectangle of the map that `ground` covers.
        part: The slices that cut this rectangle out of arrays for all places of the scattering.
    """

    middle: Cell
    ground: NDArray[np.bool_]
    area: Rect
    part: tuple[slice, slice]


@dataclass(slots=True)
class _Scattering:
    """Scatters the objects of one entry of a population or of an encounter's content.

    Attributes:
        populator: Holds the objects of the level, and gets the new ones.
        places: The cells where objects may be scattered, in the rectangle `places.area` of the map ("area" below).
        streams: The random streams.
        entry: The entry.
        source: The map or encounter that asks for the objects, for `Spawn.source`.
        placement: The index of the encounter in `Level.placements`; None for a map's population.
        name: The beginning of the names of the random streams.
        excluded: (area.height, area.width) bool: the cells where none of the objects is put; None for no such cells.
        seen: (height, width) bool: the cells through which no patrol leads; None for no such cells.
        factor: How many times as many objects to put as the entry says.
        off_robots: (height, width) bool: the cells where no robot is put around an object; None for no such cells.
        free: Name of a place -> the cells of this place that are still free.
        usual: The name of the place where the objects are put if the entry names none.
        needed: (area.height, area.width) bool: free cells on which an obstacle is known to close a path; None while there are none.
    """

    populator: Populator
    places: ScatterPlaces
    streams: Streams
    entry: SpreadEntry
    source: str
    placement: int | None
    name: tuple[str | int, ...]
    excluded: NDArray[np.bool_] | None = None
    seen: NDArray[np.bool_] | None = None
    factor: float = 1.0
    off_robots: NDArray[np.bool_] | None = None
    free: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    usual: str = field(init=False)
    needed: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        self.usual = default_place(self.entry)
        bare = self.populator.occupancy.bare.get(str(self.entry.kind))
        if bare is not None:
            self.excluded = either([self.excluded, bare[self.places.area.slices]])

    def put(self) -> None:
        """Put the objects that the entry asks for."""
        low, high = self.entry.depth
        if not low <= self.populator.depth <= high:
            return
        heap: _Heap | None = None
        begun = left = 0
        for copy, stream in enumerate(self.streams.branches(self._count(), *self.name), 1):
            if self.entry.drift is not None and not left:
                begun += 1
                luck = self.streams.stream(*self.name, "drift", begun)
                left = roll(self.entry.drift, luck, 1)
                heap = self._heap(luck)
            left -= 1
            cell = self._put_one(stream, heap)
            if cell is not None and self.entry.like == "robot":
                self._lead(cell, copy)
            if cell is not None and isinstance(self.entry, PopulationEntry) and self.entry.around:
                self._surround(cell, self.entry.around, copy)

    def _count(self) -> int:
        """Return how many objects to put: the entry's count; or its density, in objects per 100 cells, times the number of cells.

        Both are multiplied by `factor`. Chance decides the fraction of a count, so that the expected number is exact.
        """
        entry, stream = self.entry, self.streams.stream(*self.name)
        if entry.density is None:
            count = roll(entry.count, stream, 0)
            if self.factor == 1:
                return count
            return int(count * self.factor + self.streams.stream(*self.name, "spawns").random())
        words = [*entry.at.outcomes()] if entry.at is not None else []
        if entry.at is None or not entry.at.applies:
            words.append(self.usual)
        ground = np.logical_or.reduce([self.places.of(word) for word in dict.fromkeys(words)])
        if self.excluded is not None:
            ground &= ~self.excluded
        dense = weight_at(entry.density, self.populator.depth, NOTHING)
        return int(self.factor * dense * np.count_nonzero(ground) / 100 + stream.random())

    def _place(self, stream: Stream) -> NDArray[np.bool_]:
        """Return the free cells of the place (``walls``, ``doors``...) that the entry's key `at` names; if it is random, draw one."""
        word = self.entry.at.roll(stream) if self.entry.at is not None else None
        return self._free(word or self.usual)

    def _free(self, word: str) -> NDArray[np.bool_]:
        """Return (area.height, area.width) bool: the free cells of the place with this name, such as ``walls``."""
        if word not in self.free:
            self.free[word] = self.places.free(word, self.excluded)
        return self.free[word]

    def _heap(self, stream: Stream) -> _Heap | None:
        """Return a new heap with a random free cell as its middle, beside a wall if possible; None if no cell is free."""
        cells, area = self._place(stream), self.places.area
        for pool in (cells & self.places.of("walls"), cells):
            if np.count_nonzero(pool):
                y, x = divmod(stream.pick_set(pool), area.width)
                middle = Cell(area.y + y, area.x + x)
                near, part = self.places.around(middle, MAX_STRAY)
                return _Heap(middle, near, part, self.places.inside(part))
        return None

    def _put_one(self, stream: Stream, heap: _Heap | None) -> Cell | None:
        """Put one object, in the heap if one is given, and return the object's cell; None if no object was put."""
        populator, source = self.populator, self.source
        cells, area = self._place(stream), self.places.area
        if heap is not None:
            cells, area = self._in_heap(cells, heap, stream)
        ground = _of_one_depth(populator, cells, area, stream)
        request = populator.chooser.request(self.entry)
        if not request.comes(stream):
            return None
        thing = populator.chooser.choose(request, stream, source, populator.journal)
        if thing is None:
            return None
        cell = self._cell(thing, ground, area, stream)
        if followers_of(self.entry, thing.band):
            cell = self._for_leader(thing, cell, ground, stream)
        if cell is None and heap is not None:  # in the heap it would close a path
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
        """Return a random one of `cells` for an object such that walkers still get everywhere; None if there is none.

        If an obstacle fits on none of `cells`, they are not tried for later obstacles: there may be hundreds of objects to put.

        Args:
            thing: The object.
            cells: (area.height, area.width) bool.
            area: The rectangle of the map that `cells` covers.
            stream: The random stream.
        """
        if not thing.stays:
            return self.populator.free_cell(thing, cells, area, stream)
        part = self.places.inside(area)
        if self.needed is not None:
            cells = cells & ~self.needed[part]
        cell = self.populator.free_cell(thing, cells, area, stream)
        if cell is None:
            if self.needed is None:
                self.needed = np.zeros((self.places.area.height, self.places.area.width), np.bool_)
            self.needed[part] |= cells
        return cell

    def _for_leader(
        self, thing: CatalogObject, cell: Cell | None, ground: NDArray[np.bool_], stream: Stream
    ) -> Cell | None:
        """Return a cell for a leader that has space around it for all its followers; after `LEADER_TRIES` tries, any cell.

        Args:
            thing: The leader.
            cell: The first cell to try; None if the leader fits nowhere.
            ground: (area.height, area.width) bool: the cells to choose from.
            stream: The random stream.
        """
        free, ground = self._free("anywhere"), ground.copy()
        for _ in range(LEADER_TRIES):
            if cell is None or has_space(self.places, free, cell, followers_of(self.entry, thing.band)):
                break
            ground[cell.y - self.places.area.y, cell.x - self.places.area.x] = False
            cell = self.populator.free_cell(thing, ground, self.places.area, stream) or cell
        return cell

    def _in_heap(
        self, cells: NDArray[np.bool_], heap: _Heap, stream: Stream
    ) -> tuple[NDArray[np.bool_], Rect]:
        """Return (mask of the free cells where the next object of a heap may lie, window): `window` is the rectangle of the mask.

        The mask covers only this window of the map: its cell (0, 0) is the top left cell of the window. The free cells lie within
        a small random distance of the heap's middle; if none is free there, within `MAX_STRAY`; if none is, all of `cells` count.

        Args:
            cells: Mask of the free cells of the area in which the entry is scattered.
            heap: The heap.
            stream: The random stream.
        """
        usual = 1 + min(stream.below(MAX_STRAY), stream.below(MAX_STRAY))
        near = heap.ground & cells[heap.part]
        y, x = heap.middle.y - heap.area.y, heap.middle.x - heap.area.x
        top, left = max(y - usual, 0), max(x - usual, 0)
        closer = near[top : y + usual + 1, left : x + usual + 1]
        if np.count_nonzero(closer):
            return closer, Rect(heap.area.y + top, heap.area.x + left, *closer.shape)
        if np.count_nonzero(near):
            return near, heap.area
        return cells, self.places.area

    def _lead(self, cell: Cell, copy: int) -> None:
        """Give the robot that was put last, on `cell`, the patrol and the followers that the entry asks for.

        Args:
            cell: The cell of the robot.
            copy: The number of the robot among those of the entry, for the names of random streams.
        """
        populator, entry = self.populator, self.entry
        leader = len(populator.spawns) - 1
        if entry.patrol is not None:
            stream = self.streams.stream(*self.name, "patrol", copy)
            places = patrol_from(populator, cell, roll(entry.patrol, stream, 0), stream, self.seen)
            if places:
                populator.spawns[leader] = changed(populator.spawns[leader], patrol=places)
        spawn = populator.spawns[leader]
        if followers := followers_of(entry, populator.catalog[spawn.kind, spawn.tag].band):
            streams = self.streams.under(*self.name, "followers", copy)
            follow(populator, self.places, self._free("anywhere"), followers, streams, leader)
            self._take([each.cells[0] for each in populator.spawns[leader + 1 :]])

    def _surround(self, cell: Cell, entries: Sequence[AroundEntry], copy: int) -> None:
        """Put what lies around the object on a cell, on cells where the object itself might lie.

        Args:
            cell: The cell of the object.
            entries: What lies around it.
            copy: The number of the object among those of the entry, for the names of random streams.
        """
        populator, first = self.populator, len(self.populator.spawns)
        ground = np.zeros(populator.canvas.terrain.shape, np.bool_)
        ground[self.places.area.slices] = self.places.of("anywhere")
        for number, entry in enumerate(entries):
            name = (*self.name, "around", copy, number)
            steps = roll(entry.within, self.streams.stream(*name, "within"), STEPS_AROUND)
            places = _places_within(populator, (cell,), steps, ground)
            off = self.off_robots if entry.like == "robot" else None
            excluded = None if off is None else off[places.area.slices]
            own = self.source, self.placement, name, excluded, self.seen
            _Scattering(populator, places, self.streams, entry, *own).put()
        self._take([each.cells[0] for each in populator.spawns[first:]])

    def _take(self, cells: Sequence[Cell]) -> None:
        """Remove cells from the free cells of all places, because objects have been put on them."""
        area = self.places.area
        for mask in self.free.values():
            for cell in cells:
                mask[cell.y - area.y, cell.x - area.x] = False


def choose_for_depth_at(populator: Populator, y: int, x: int) -> None:
    """Choose the next objects for the depth of the cell (y, x); a zone may count as deeper than the rest of the map."""
    if populator.below is not None:
        populator.chooser = ObjectChooser.of(populator.catalog, populator.depth + int(populator.below[y, x]))


def _of_one_depth(
    populator: Populator, cells: NDArray[np.bool_], area: Rect, stream: Stream
) -> NDArray[np.bool_]:
    """Pick a random one of `cells`, choose the next objects for its depth, and return the cells that count as equally deep.

    Args:
        populator: Holds the objects of the level.
        cells: (area.height, area.width) bool.
        area: The rectangle of the map that `cells` covers.
        stream: The random stream.
    """
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
    first: int,
) -> None:
    """Put the followers of a robot, and mark the leader and its followers as a group.

    A follower without space near the leader is left out; this is noted in the journal. A robot without
    followers is not marked as a leader.

    Args:
        populator: Holds the objects of the level, and gets the followers.
        places: The cells of the map where followers may stand, in the rectangle `places.area`.
        free: (area.height, area.width) bool: the free cells. The cells that followers take are cleared.
        followers: The entries of the followers.
        streams: The random streams, named (number of the entry).
        first: The index of the leader in `populator.spawns`.
    """
    spawns, others = populator.spawns, len(populator.spawns)
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
            cell = _cell_near(places, free, home, thing.kind, stream)
            if cell is None:
                subject = f"{leader.source} ({thing.tag})"
                populator.journal.note("populate", subject, "refused", "no cell near its leader is free")
                continue
            keywords = request.keywords(thing, stream)
            source, placement = leader.source, leader.placement
            populator.put(thing, (cell,), keywords, source, placement, loadout=request.loadout)
            free[cell.y - places.area.y, cell.x - places.area.x] = False
    if len(spawns) > others:
        group = 1 + max(each.group for each in spawns)
        spawns[first] = changed(leader, group=group, leads=True)
        spawns[others:] = [changed(each, group=group, leads=False) for each in spawns[others:]]


def has_space(
    places: ScatterPlaces, free: NDArray[np.bool_], home: Cell, followers: Sequence[FollowerEntry]
) -> bool:
    """Tell whether there is space near a cell for the greatest possible number of followers.

    Args:
        places: The cells of the map where followers may stand.
        free: (area.height, area.width) bool: the cells in the rectangle `places.area` that are free.
        home: The cell of the leader.
        followers: The entries of the followers.
    """
    near, area = places.around(home, MAX_STRAY)
    most = sum(max(each.count.outcomes()) for each in followers)
    return bool(np.count_nonzero(near & free[places.inside(area)]) > most)


def _cell_near(
    places: ScatterPlaces, free: NDArray[np.bool_], home: Cell, kind: str, stream: Stream
) -> Cell | None:
    """Return a random free cell near `home`, if possible within `FOLLOWER_REACH` cells, else within `MAX_STRAY`; or None."""
    bare = places.occupancy.bare.get(kind)
    for reach in (FOLLOWER_REACH, MAX_STRAY):
        near, area = places.around(home, reach)
        near &= free[places.inside(area)]
        if bare is not None:
            near &= ~bare[area.slices]
        if near.any():
            y, x = divmod(stream.pick_set(near), area.width)
            return Cell(area.y + y, area.x + x)
    return None


MIN_PATROL_STEPS = 12
"""Minimum length of a patrol in steps; a shorter one would hardly leave the room."""

MIN_STEPS_IN_REGION = 3
"""A patrol has no stop in a region that its path crosses in fewer steps: the path only cuts a corner there."""


def patrol_from(
    populator: Populator, home: Cell, most: int, stream: Stream, seen: NDArray[np.bool_] | None = None
) -> tuple[Cell, ...]:
    """Return the cells between which a robot walks on its patrol, `home` first; empty if there is no path for a patrol.

    The path is a shortest one to a random cell in another region; it leads around obstacles and through no locked door. The result
    has one cell in each region on the path. These cells are kept free of obstacles.

    Args:
        populator: Holds the objects of the level; the robot was put last.
        home: The cell of the robot.
        most: The greatest number of cells, `home` included.
        stream: The random stream.
        seen: (height, width) bool: the cells that the path must avoid; None for none.
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
