"""Zones of a level while it is being built (*territories*): the rectangles that each zone covers, its regions, and its depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.regions import touching
from dungeon.level.model import Zone

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell, Rect
    from dungeon.level.canvas import Canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class Territory:
    """A zone (part of a map with its own theme and encounters) during generation; the finished level has a `Zone` for it.

    Attributes:
        name: The zone's name.
        kind: How the zone is joined to its parent: see `Zone.kind`.
        parent: The name of the zone that this one is joined to; empty for none.
        theme: The name of the zone's theme; empty if it uses the map's theme.
        step: How many levels deeper than the map the zone counts.
        area: The rectangles of the map that the zone covers, walls included. Rectangles of different zones do not overlap.
        gates: The cells of the doors from the parent into this zone. If a portal leads to the zone, the one cell where the portal
            begins.
        before: The ids of the passages that lead to `gates`. These regions belong to no zone, wherever they lie.
        way: The ids of the regions of the bridge or tunnel that leads to the zone; those of `before` are among them.
        way_theme: The name of the theme of these regions; empty if they use the map's theme.
    """

    name: str
    kind: str
    parent: str
    theme: str
    step: int
    area: tuple[Rect, ...]
    gates: tuple[Cell, ...]
    before: tuple[int, ...] = ()
    way: tuple[int, ...] = ()
    way_theme: str = ""


def owners(canvas: Canvas, territories: Sequence[Territory]) -> NDArray[np.intp]:
    """Return the zone to which each region belongs: (regions + 1,) zone numbers from 1, indexed by region id; 0 for none.

    A region belongs to the zone that has most of the region's cells.
    """
    labels = np.zeros(canvas.region.shape, np.intp)
    for number, territory in enumerate(territories, 1):
        for rect in territory.area:
            labels[rect.slices] = number
    count = len(canvas.regions) + 1
    cells = np.bincount((labels * count + canvas.region).ravel(), minlength=(len(territories) + 1) * count)
    owner: NDArray[np.intp] = cells.reshape(-1, count).argmax(axis=0)
    owner[[0, *(region for each in territories for region in each.before)]] = 0
    return owner


def cells_of_way(canvas: Canvas, territory: Territory) -> NDArray[np.bool_]:
    """Return (height, width) bool: the bridge or tunnel that leads to a zone, with its walls, except those that other regions share."""
    way = canvas.within(territory.way)
    found: NDArray[np.bool_] = touching(way) & ~touching((canvas.region > 0) & ~way)
    return found | way


def regions_in(canvas: Canvas, territories: Sequence[Territory], names: Collection[str]) -> frozenset[int]:
    """Return the ids of the regions that belong to the zones with these names."""
    is_named = np.array([False, *(zone.name in names for zone in territories)])
    return frozenset(np.flatnonzero(is_named[owners(canvas, territories)]).tolist())


def cells_of(canvas: Canvas, territories: Iterable[Territory]) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of the map that these zones cover, walls included."""
    found = np.zeros(canvas.region.shape, np.bool_)
    for rect in (rect for each in territories for rect in each.area):
        found[rect.slices] = True
    return found


def depths_below(canvas: Canvas, territories: Sequence[Territory]) -> NDArray[np.intp] | None:
    """Return (height, width): for each cell, how many levels deeper than the map its zone counts; 0 outside zones.

    None if no zone counts as deeper than the map.
    """
    if not any(each.step for each in territories):
        return None
    found = np.zeros(canvas.region.shape, np.intp)
    for each in territories:
        for rect in each.area:
            found[rect.slices] = each.step
    return found


def zones_of(canvas: Canvas, territories: Sequence[Territory]) -> tuple[Zone, ...]:
    """Return the `Zone`s of a finished map, one for each territory, in the same order."""
    if not territories:
        return ()
    numbers = {each.name: number for number, each in enumerate(territories, 1)}
    owner = owners(canvas, territories).tolist()
    # Placing an encounter may have removed some doors.
    ways = {(door.y, door.x) for door in canvas.connections} | {portal.begin for portal in canvas.portals}
    return tuple(
        Zone(
            id=number,
            name=each.name,
            kind=each.kind,
            parent=numbers.get(each.parent, 0),
            regions=tuple(region.id for region in canvas.regions if owner[region.id] == number),
            theme=each.theme,
            step=each.step,
            gates=tuple(gate for gate in each.gates if gate in ways),
        )
        for number, each in enumerate(territories, 1)
    )
