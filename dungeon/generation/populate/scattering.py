"""What is scattered where nothing is drawn: a map's population with its groups, and the content of encounters over their rooms."""

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
from dungeon.generation.populate.places import STRAY, ScatterPlaces, usual_place
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import FAR, distances, way_down

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.models.population import FollowerEntry, MapPopulationEntry, PopulationEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.populator import Populator

LEADING = 8
"""So many cells are tried for a leader who is to have others near."""

POPULATION = "population "
"""How the source of what a map's own population scatters begins."""

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
    populator: Populator,
    entries: Sequence[MapPopulationEntry],
    arrival: Cell,
    streams: Streams,
    seen: NDArray[np.bool_] | None = None,
) -> None:
    """Put a map's own population on free cells that are not to be quiet.

    Args:
        populator: What fills the level.
        entries: The population.
        arrival: Where the player arrives.
        streams: Where chance comes from.
        seen: (height, width) bool, the cells that are seen from there, where robots come only if they may be seen.
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
        but = None
        if entry.like == "robot":
            but = near if entry.in_sight else hidden
        # An entry is named after what it asks for: others may come and go before it.
        name = ("populate", "population", what, alike[what])
        unseen = None if entry.in_sight else seen
        source = f"{POPULATION}{number + 1}"
        _Scattering(populator, places, streams, entry, source, None, name, but, unseen).put()


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
    """Where things lie together.

    Attributes:
        ground: (area.height, area.width) bool, the cells near its middle.
        area: Where on the map these lie; `part`: where in the arrays of the whole area.
    """

    middle: Cell
    ground: NDArray[np.bool_]
    area: Rect
    part: tuple[slice, slice]


@dataclass(slots=True)
class _Scattering:
    """What one entry scatters.

    Attributes:
        source: Who asks for it; `placement`: the index of the placement that it comes with.
        name: What the random streams are named after.
        but: (area.height, area.width) bool, where nothing of it comes; None for nowhere.
        seen: (height, width) bool, where no patrol leads.
        free: Word for a place -> its cells that are free by now.
        usual: Where its objects are if the entry does not say.
        ways: (area.height, area.width) bool, free cells that walkers can't do without; None before any is known.
    """

    populator: Populator
    places: ScatterPlaces
    streams: Streams
    entry: PopulationEntry
    source: str
    placement: int | None
    name: tuple[str | int, ...]
    but: NDArray[np.bool_] | None = None
    seen: NDArray[np.bool_] | None = None
    free: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    usual: str = field(init=False)
    ways: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        self.usual = usual_place(self.entry)

    def put(self) -> None:
        """Put as many objects as the entry asks for, each of which takes its cell."""
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
        entry, stream = self.entry, self.streams.stream(*self.name)
        if entry.density is None:
            return roll(entry.count, stream, 0)
        words = [*entry.at.outcomes()] if entry.at is not None else []
        if entry.at is None or not entry.at.applies:
            words.append(self.usual)
        ground = np.logical_or.reduce([self.places.of(word) for word in dict.fromkeys(words)])
        if self.but is not None:
            ground &= ~self.but
        dense = weight_at(entry.density, self.populator.depth, NOTHING)
        return int(dense * np.count_nonzero(ground) / 100 + stream.random())

    def _place(self, stream: Stream) -> NDArray[np.bool_]:
        """Return the free cells of one of the places where its objects may be."""
        word = self.entry.at.roll(stream) if self.entry.at is not None else None
        return self._free(word or self.usual)

    def _free(self, word: str) -> NDArray[np.bool_]:
        if word not in self.free:
            self.free[word] = self.places.free(word, self.but)
        return self.free[word]

    def _drift(self, stream: Stream) -> _Drift | None:
        """Return a drift that begins beside a wall if it may: there nobody has swept, and nobody walks."""
        cells, area = self._place(stream), self.places.area
        for pool in (cells & self.places.of("walls"), cells):
            if np.count_nonzero(pool):
                y, x = divmod(stream.pick_set(pool), area.width)
                middle = Cell(area.y + y, area.x + x)
                near, part = self.places.around(middle, STRAY)
                return _Drift(middle, near, part, self.places.inside(part))
        return None

    def _put_one(self, stream: Stream, drift: _Drift | None) -> Cell | None:
        """Put an object, in a drift if there is one, and return its cell; None if none comes."""
        populator, source = self.populator, self.source
        cells, area = self._place(stream), self.places.area
        if drift is not None:
            cells, area = self._in_drift(cells, drift, stream)
        ground = _alike(populator, cells, area, stream)
        request = populator.chooser.request(self.entry)
        if not request.comes(stream):
            return None
        thing = populator.chooser.choose(request, stream, source, populator.journal)
        if thing is None:
            return None
        cell = self._cell(thing, ground, area, stream)
        if self.entry.followers:
            cell = self._for_leader(thing, cell, ground, stream)
        if cell is None and drift is not None:  # near its middle it would be in the way
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
        """Return one of some cells of an area that walkers can do without, None if there is none.

        Cells among which none was found for a thing that stops walkers are not tried again: there may be hundreds to put.
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
        """Return a cell for a leader, the first of some about which there is space for all who may follow."""
        free, ground = self._free("anywhere"), ground.copy()
        for _ in range(LEADING):
            if cell is None or has_space(self.places, free, cell, self.entry.followers):
                break
            ground[cell.y - self.places.area.y, cell.x - self.places.area.x] = False
            cell = self.populator.free_cell(thing, ground, self.places.area, stream) or cell
        return cell

    def _in_drift(
        self, cells: NDArray[np.bool_], drift: _Drift, stream: Stream
    ) -> tuple[NDArray[np.bool_], Rect]:
        """Return where an object of a drift may be: near its middle as a rule, and elsewhere where that is full."""
        usual = 1 + min(stream.below(STRAY), stream.below(STRAY))
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
        """Let others follow a robot that has been put, and let it go on patrol."""
        populator, entry = self.populator, self.entry
        leader = len(populator.spawns) - 1
        if entry.patrol is not None:
            stream = self.streams.stream(*self.name, "patrol", copy)
            places = round_from(populator, cell, roll(entry.patrol, stream, 0), stream, self.seen)
            if places:
                populator.spawns[leader] = changed(populator.spawns[leader], patrol=places)
        if entry.followers:
            streams = self.streams.under(*self.name, "followers", copy)
            follow(populator, self.places, self._free("anywhere"), entry.followers, streams)
            self._take([each.cells[0] for each in populator.spawns[leader + 1 :]])

    def _take(self, cells: Sequence[Cell]) -> None:
        """Note that cells are free no more."""
        area = self.places.area
        for mask in self.free.values():
            for cell in cells:
                mask[cell.y - area.y, cell.x - area.x] = False


def go_to(populator: Populator, y: int, x: int) -> None:
    """Say where what is asked for next is to stand: it is chosen for the depth that this cell counts for."""
    if populator.below is not None:
        populator.chooser = ObjectChooser.of(populator.catalog, populator.depth + int(populator.below[y, x]))


def _alike(populator: Populator, cells: NDArray[np.bool_], area: Rect, stream: Stream) -> NDArray[np.bool_]:
    """Return those of the cells of an area that count as deep as one of them that is picked, for which things are then chosen."""
    if populator.below is None or not np.count_nonzero(cells):
        return cells
    below = populator.below[area.slices]
    y, x = divmod(stream.pick_set(cells), cells.shape[1])
    go_to(populator, area.y + y, area.x + x)
    alike: NDArray[np.bool_] = cells & (below == below[y, x])
    return alike


AT_HEEL = 2
"""Followers stand no more cells away than that if there is space."""


def follow(
    populator: Populator,
    places: ScatterPlaces,
    free: NDArray[np.bool_],
    followers: Sequence[FollowerEntry],
    streams: Streams,
) -> None:
    """Put those that follow the robot that was put last, and say who belongs together.

    Whoever finds no space near the leader stays away, which is journalled. A leader whom nobody follows is none.

    Args:
        populator: What fills the level.
        places: The part of the map where they may be.
        free: (area.height, area.width) bool, the cells of it that are free; those that are taken are unset.
        followers: Who follows.
        streams: Where chance comes from: (number of the entry).
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
    """Tell whether all who may follow find space near a leader; `free` is as for `follow`."""
    near, area = places.around(home, STRAY)
    most = sum(max(each.count.outcomes()) for each in followers)
    return bool(np.count_nonzero(near & free[places.inside(area)]) > most)


def _cell_near(places: ScatterPlaces, free: NDArray[np.bool_], home: Cell, stream: Stream) -> Cell | None:
    for reach in (AT_HEEL, STRAY):
        near, area = places.around(home, reach)
        near &= free[places.inside(area)]
        if near.any():
            y, x = divmod(stream.pick_set(near), area.width)
            return Cell(area.y + y, area.x + x)
    return None


SHORTEST = 12
"""So many steps away a patrol leads at least."""

BRIEF = 3
"""A region that the way leaves after fewer steps is no place to go to."""


def round_from(
    populator: Populator, home: Cell, most: int, stream: Stream, seen: NDArray[np.bool_] | None = None
) -> tuple[Cell, ...]:
    """Return the places of a patrol in the order in which it comes by them, where it begins first; none if it finds no way.

    It follows a shortest way to a cell in another region, around what stays and through no locked door; so each place is
    walked to from the one before. The places stay free of whatever would stop it.

    Args:
        populator: What fills the level.
        home: Where it begins.
        most: How many places it has at most, each in a region of its own.
        stream: Where chance comes from.
        seen: (height, width) bool, cells where it does not go; None for none.
    """
    canvas, occupancy = populator.canvas, populator.occupancy
    ground = canvas.passable() & ~occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    if seen is not None:
        ground &= ~seen
    ground[home] = True
    away = distances(ground, [home])
    ends = (away >= SHORTEST) & (away < FAR) & occupancy.plain & ~occupancy.meant
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
        if region and len(cells) >= BRIEF:
            by_region.setdefault(region, cells[len(cells) // 2])
    places = [*by_region.values()][:most]
    if len(places) < 2:
        places.append(way[-1])
    for cell in places:
        occupancy.spared[cell] = True
    return tuple(places)
