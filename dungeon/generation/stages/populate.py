"""The stage that puts objects on the level: those of drawings, encounters and the map's own population, and the keys of locks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import Constant, roll
from dungeon.core.errors import counted
from dungeon.generation.locks.keys import walked
from dungeon.generation.populate.choosing import ObjectChooser, changed, spawn_of
from dungeon.generation.populate.machines import set_machines
from dungeon.generation.populate.populator import Populator
from dungeon.generation.populate.portals import join_ports, put_drops, put_ports, remove_one_way_traps
from dungeon.generation.populate.scattering import (
    choose_for_depth_at,
    scatter_company,
    scatter_content,
    scatter_population,
)
from dungeon.generation.stages.locks import put_keys
from dungeon.generation.stages.surface import coats
from dungeon.grid.rect import Cell
from dungeon.grid.regions import beside, seen_from
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import depths_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.requests import Loadout
    from dungeon.core.streams import Streams
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.exits import MapExits
    from dungeon.generation.stages.place import LevelState
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Light, Lock, Marker, Spawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """All objects of a level.

    Attributes:
        spawns: All objects.
        shining: The objects that give light.
        lights: The lights of these objects.
        locks: The locks of all locked doors, portals and boxes.
        markers: The cells that prefabs mark for the game.
    """

    spawns: tuple[Spawn, ...]
    shining: tuple[Spawn, ...]
    lights: tuple[Light, ...]
    locks: tuple[Lock, ...]
    markers: tuple[Marker, ...]


def populate(
    brief: Brief, state: LevelState, access: MapExits, locked: Mapping[Cell, str]
) -> Stage[Population]:
    """Put all objects on the level: fill drawings, scatter objects of encounters and of the map, and put the keys of locks.

    Args:
        brief: The level to make.
        state: The map with everything that was placed.
        access: The entrance and the exits, and the cells that objects will occupy.
        locked: Cell of a locked door -> the name of its lock.
    """
    content, canvas, placements = brief.content, state.canvas, state.all_placements
    entrance = access.ways.entrance
    populator = Populator(
        canvas=canvas,
        catalog=content.catalog,
        weigh=content.weight,
        depth=brief.depth,
        journal=brief.journal,
        occupancy=access.occupancy,
        below=depths_below(canvas, state.zones),
    )

    def step(message: str) -> Step:
        return Step(Phase.POPULATE, message, canvas, placements, populator.spawns)

    put_ports(populator, brief.streams)
    machines, variants = brief.entry.machines, brief.content.variants
    for message in set_machines(populator, machines, brief.called, placements, brief.streams, variants):
        yield step(message)
    for placed in state.numbered_drawings():
        populator.occupancy.keep_population_off(placed.area, placed.kept_off)
        if placed.drawing.is_bare:
            continue
        choose_for_depth_at(
            populator, placed.y + placed.drawing.height // 2, placed.x + placed.drawing.width // 2
        )
        first = len(populator.spawns)
        populator.fill(placed)
        join_ports(populator, first, placed.drawing.name)
        yield step(f"{placed.drawing.name} is filled")
    for company in populator.companies:
        scatter_company(populator, company, placements, brief.streams)
    for each in state.furnishing.scatters:
        scatter_content(populator, each, brief.streams)
        yield step(f"{placements[each.index].encounter} is scattered")
    populator.remove_lost_items(entrance, locked)
    seen = _seen(
        brief, state, [entrance, *(Cell(each.y, each.x) for floor in brief.floors for each in floor.up)]
    )
    factor = content.spawn_factor(brief.depth)
    scatter_population(populator, brief.entry.population, entrance, brief.streams, seen, factor)
    locks = put_keys(brief, populator, locked, access.ways)
    shut = {Cell(lock.y, lock.x) for lock in locks}
    remove_one_way_traps(populator, entrance, shut)
    if brief.entry.drops is not None:
        put_drops(populator, brief.entry.drops, entrance, shut, brief.streams)
    give_loadouts(populator, brief.streams)
    if any(region.sealed for region in canvas.regions):
        _unseal(canvas, walked(populator, entrance, locks), access.occupancy.stands)
    yield step(f"{counted(len(populator.spawns), 'object')} placed")
    return Population(
        spawns=tuple(populator.spawns),
        shining=tuple(populator.shining),
        lights=tuple(populator.lights),
        locks=locks,
        markers=tuple(populator.markers),
    )


def _unseal(canvas: Canvas, walked: NDArray[np.bool_], stopped: NDArray[np.bool_]) -> None:
    """Mark each sealed region that walkers can reach as not sealed.

    Such a region was sealed because an object might stand in its entry, but by chance there is no object; or it is a locked door
    that no drawn key opens, and a key was scattered. If walkers reach only a part of the region, the rest becomes a separate
    sealed region. So do its locked doors that walkers can't get to.

    Args:
        canvas: The map, with all objects on it.
        walked: (height, width) bool, the cells that walkers reach, opened doors included.
        stopped: (height, width) bool, the cells where an object stops walkers for good.
    """
    walkable = canvas.terrain_set.walkable.take(canvas.terrain) & ~stopped | walked
    shut = (canvas.base == t.LOCKED_DOOR) & ~stopped & ~walked & ~beside(walked)
    for region in [each for each in canvas.regions if each.sealed]:
        area = region.bounds.slices
        own = (canvas.region[area] == region.id) & walkable[area]
        if not (own & walked[area]).any():
            continue
        canvas.regions[region.id - 1] = replace(region, sealed=False)
        rest = own & ~walked[area] | (canvas.region[area] == region.id) & shut[area]
        if rest.any():
            number = canvas.add_region(region.kind, region.bounds, sealed=True)
            canvas.region[area][rest] = number
            canvas.settle_bounds(number)
            canvas.settle_bounds(region.id)


def _seen(brief: Brief, state: LevelState, arrivals: Sequence[Cell]) -> NDArray[np.bool_] | None:
    """Return (height, width) bool: the cells that the player sees from one of the cells where he may arrive, with the themes' terrain.

    None if no entry of the map's population has robots that must stay out of his sight on arrival.
    """
    hiding = [entry for entry in brief.entry.population if not entry.in_sight]
    if not any(asks.like == "robot" for entry in hiding for asks, _, _ in entry.asked()):
        return None
    *_, (_, painted) = coats(brief, state)
    transparent = state.canvas.terrain_set.transparent.take(painted)
    found: NDArray[np.bool_] = np.logical_or.reduce([seen_from(transparent, cell) for cell in arrivals])
    return found


def give_loadouts(populator: Populator, streams: Streams) -> None:
    """Give the robots and props on the level the items that they hold (their loadouts).

    A prop that no walker can stand beside holds nothing; this is noted in the journal.

    Args:
        populator: Holds the objects of the level.
        streams: The random streams, named ("populate", "loadout", y, x, number of the entry).
    """
    own = streams.under("populate", "loadout")
    for index, loadout in enumerate(populator.loadouts):
        if loadout:
            spawn = populator.spawns[index]
            if populator.occupancy.are_obstacles(spawn.cells) and not populator.occupancy.has_access(
                spawn.cells
            ):
                subject = f"{spawn.source} ({spawn.tag})"
                populator.journal.note(
                    "populate", subject, "noted", "it holds nothing, as no walker can stand beside it"
                )
                continue
            if held := tuple(_held(populator, spawn, loadout, own)):
                populator.spawns[index] = changed(spawn, loadout=held)


def _held(populator: Populator, holder: Spawn, loadout: Loadout, streams: Streams) -> Iterator[Spawn]:
    """Yield the items that a robot or prop holds, chosen for the depth of the cell on which it stands.

    Args:
        populator: Holds the objects of the level.
        holder: The robot or prop.
        loadout: The entries that say which items it holds.
        streams: The random streams, named (y, x, number of the entry).
    """
    y, x = holder.y, holder.x
    below = 0 if populator.below is None else int(populator.below[y, x])
    chooser = ObjectChooser.of(populator.catalog, populator.depth + below)
    for number, entry in enumerate(loadout):
        request = chooser.request(entry)
        count = (
            entry.count.value
            if isinstance(entry.count, Constant)
            else roll(entry.count, streams.stream(y, x, number), 0)
        )
        for stream in streams.branches(count, y, x, number):
            if request.comes(stream):
                thing = chooser.choose(request, stream, holder.source, populator.journal)
                if thing is not None:
                    keywords = request.keywords(thing, stream)
                    yield spawn_of(thing, holder.cells[:1], keywords, holder.source, holder.placement)
