"""Locking doors that no drawing has locked: all doors of a room or a zone, or a *gate*: one door on every path to an exit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, Parts, distances, way_down
from dungeon.level.model import Connection, leaps_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.level.canvas import Canvas

MIN_GROUND_BEFORE = 0.15
"""Minimum share of the ground on the entrance's side of a gate, so that there is space to look for the gate's key."""

GATES = (t.DOORWAY, t.DOOR, t.CORRIDOR)
"""Base terrain of the cells that may become a gate on the way to an exit."""

NOT_SHUT_OFF = "its doors do not shut it off"
NO_DOORS = "its place has no doors that shut it off"
ON_THE_WAY = "its place is on the way to others"
LOCKED_ALREADY = "a door of it is locked already"


def lock_room(
    canvas: Canvas, region: int, ground: NDArray[np.bool_], keep: Sequence[Cell]
) -> list[Cell] | str:
    """Lock all doors of a region and return their cells, or return the reason why that can't be done.

    A region can be locked if walkers enter it only by its doors, and need not pass through it to reach other ground.

    Args:
        canvas: The map.
        region: The region's id.
        ground: (height, width) bool: the cells that walkers reach.
        keep: The cells that must stay outside: the entrance first, then the exits.
    """
    own = canvas.region == region
    listed = [Cell(door.y, door.x) for door in canvas.connections if region in door.between]
    cells = list(dict.fromkeys([*listed, *_drawn_doors(canvas, own, ground)]))
    if any(own[cell] for cell in keep):
        return ON_THE_WAY
    if any(canvas.base[cell] == t.LOCKED_DOOR for cell in cells):
        return LOCKED_ALREADY
    shut = ground.copy()
    for cell in cells:
        shut[cell] = False
    parts = Parts(shut, canvas.leaps)
    outside = parts.at(*keep[0])
    inside = {*parts.labels[own & shut].tolist()}
    if not cells or outside in inside:
        return NO_DOORS
    labels = parts.labels
    if (shut & ~own & (labels != outside)).any():
        return ON_THE_WAY
    for cell in cells:
        _lock_cell(canvas, cell)
    return cells


def lock_gates(
    canvas: Canvas,
    gates: Iterable[Cell],
    regions: Iterable[int],
    ground: NDArray[np.bool_],
    entrance: Cell,
) -> list[Cell] | str:
    """Lock the doors into a part of the map and return their cells, or return the reason why that can't be done.

    Args:
        canvas: The map.
        gates: The cells of the doors, and the cells where portals into the part begin. The latter are returned, but not changed.
        regions: The ids of the part's regions.
        ground: (height, width) bool: the cells that walkers reach.
        entrance: The cell where walkers start, which must stay outside.
    """
    cells = list(gates)
    if any(canvas.base[cell] == t.LOCKED_DOOR for cell in cells):
        return LOCKED_ALREADY
    shut = ground.copy()
    doors = [cell for cell in cells if cell not in {portal.begin for portal in canvas.portals}]
    for cell in doors:
        shut[cell] = False
    parts = Parts(shut, leaps_of(portal for portal in canvas.portals if portal.begin not in cells))
    inside = {*parts.labels[canvas.within(regions) & shut].tolist()}
    if not cells or parts.at(*entrance) in inside:
        return NOT_SHUT_OFF
    for cell in doors:
        _lock_cell(canvas, cell)
    return cells


def _drawn_doors(canvas: Canvas, own: NDArray[np.bool_], ground: NDArray[np.bool_]) -> Iterator[Cell]:
    """Yield the cells of doors that prefabs draw at a region's edge: a walker can step on them from outside the region.

    Args:
        canvas: The map.
        own: (height, width) bool: the cells of the region.
        ground: (height, width) bool: the cells that walkers reach.
    """
    for y, x in np.argwhere(own & canvas.terrain_set.door.take(canvas.terrain)).tolist():
        beside = [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]
        if any(ground[cell] and not own[cell] for cell in beside):
            yield Cell(y, x)


def lock_way(
    canvas: Canvas,
    ground: NDArray[np.bool_],
    entrance: Cell,
    exits: Sequence[Cell],
    taken: NDArray[np.bool_],
    stream: Stream,
    keep: Sequence[Cell] = (),
) -> Cell | None:
    """Lock a gate: one door, or one cell of a passage, through which every path from the entrance to some exit leads.

    Exits are tried in random order, and for each exit its gates. Closing a gate must cut off the exit from the entrance (it is a
    cut vertex), and leave at least `MIN_GROUND_BEFORE` of the ground on the entrance's side::

        ##########
        #........#######      <: the entrance, >: the exit
        #.<......+....>#      +: a gate
        #........#######
        ##########

    Args:
        canvas: The map.
        ground: (height, width) bool: the cells that walkers reach.
        entrance: The cell where walkers start.
        exits: The cells of the exits.
        taken: (height, width) bool: the cells that may not become a gate.
        stream: The random stream.
        keep: The cells of other exits, which the gate must not cut off.

    Returns:
        The locked cell; None if no exit has a gate.
    """
    targets = list(exits)
    stream.shuffle(targets)
    away = distances(ground, [entrance], canvas.leaps)
    for target in targets:
        if away[target] == FAR:
            continue
        gates = [
            cell
            for cell in way_down(away, target, canvas.leaps)
            if not taken[cell] and _is_gate(canvas, cell)
        ]
        stream.shuffle(gates)
        for cell in gates:
            if _is_cut_off(canvas, ground, cell, entrance, target, keep):
                _lock_cell(canvas, cell)
                return cell
    return None


def _is_gate(canvas: Canvas, cell: Cell) -> bool:
    """Tell whether a cell can become a locked door.

    It must be a door, or a cell of a passage of several cells, with walls on two opposite sides. It may touch no other door and
    no stairs.
    """
    y, x = cell
    # An open cell is never on the map's edge, so all 3x3 cells exist.
    part = canvas.terrain[y - 1 : y + 2, x - 1 : x + 2]
    own = int(canvas.terrain_set.base[canvas.terrain[cell]])
    if own not in GATES:
        return False
    (_, up, _), (left, _, right), (_, down, _) = canvas.terrain_set.open.take(part).tolist()
    if (up, down, left, right) not in ((True, True, False, False), (False, False, True, True)):
        return False
    doors, stairs = canvas.terrain_set.door.take(part), canvas.terrain_set.stairs.take(part)
    if np.count_nonzero(stairs) or np.count_nonzero(doors) != (own in t.DOORS):
        return False
    if own not in t.DOORS and int((canvas.region == canvas.region[cell]).sum()) <= 1:
        return False
    # `connections` also lists gaps without a door; the cells beside them must stay as they are.
    return not any(max(abs(door.y - y), abs(door.x - x)) == 1 for door in canvas.connections)


def _is_cut_off(
    canvas: Canvas,
    ground: NDArray[np.bool_],
    cell: Cell,
    entrance: Cell,
    target: Cell,
    keep: Sequence[Cell],
) -> bool:
    """Tell whether closing a cell cuts off an exit from the entrance, and leaves enough ground on the entrance's side.

    Args:
        canvas: The map.
        ground: (height, width) bool: the cells that walkers reach.
        cell: The cell to close.
        entrance: The cell where walkers start.
        target: The cell of the exit.
        keep: The cells of exits that it must not cut off.
    """
    shut = ground.copy()
    shut[cell] = False
    parts = Parts(shut, canvas.leaps)
    first, last = parts.at(*entrance), parts.at(*target)
    if first == last or any(parts.at(*each) != first for each in keep):
        return False
    return int(parts.sizes[first]) >= MIN_GROUND_BEFORE * int(ground.sum())


def _lock_cell(canvas: Canvas, cell: Cell) -> None:
    """Turn a door or a cell of a passage into a locked door, and list it among the canvas's connections.

    A cell of a passage then belongs to no region. A door that a prefab draws is not listed.
    """
    y, x = cell
    canvas.put(y, x, t.LOCKED_DOOR)
    for index, door in enumerate(canvas.connections):
        if (door.y, door.x) == (y, x):
            # A new list, as a snapshot of the canvas may share the old one.
            canvas.connections = [*canvas.connections]
            canvas.connections[index] = replace(door, kind=t.LOCKED_DOOR)
            return
    if canvas.drawn[cell]:
        return
    home = int(canvas.region[cell])
    sides = [(y - 1, x), (y + 1, x)] if canvas.open[y - 1, x] else [(y, x - 1), (y, x + 1)]
    first, second = (int(canvas.region[each]) for each in sides)
    canvas.region[cell] = 0
    canvas.settle_bounds(home)
    canvas.connections = [
        *canvas.connections,
        Connection(y=y, x=x, kind=t.LOCKED_DOOR, between=(first, second)),
    ]


def open_again(canvas: Canvas, cells: Iterable[Cell]) -> None:
    """Turn locked doors into doors that open without a key."""
    gone = set(cells)
    for y, x in gone:
        canvas.put(y, x, t.DOOR)
    canvas.connections = [
        replace(door, kind=t.DOOR) if (door.y, door.x) in gone else door for door in canvas.connections
    ]
