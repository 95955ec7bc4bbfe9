"""Find the connectors of a drawing: the places where a layout may join a hallway to it.

A connector is used when a hallway is joined there. Then the cells of its *way* are opened, from the inside (the
drawing's open cells) to the *edge*, the last cell towards the hallway. A connector that is not used stays closed: a
door drawn at it is wall. `codes` is the terrain of a drawing whose connectors are all closed. A mouth is the place
outside where a corridor meets the drawing.

#######     A connector in a wall (*) faces away from the one open cell beside it.
#.....#
#..####
#..*???
####???
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.generation.openings.inside import Inside
from dungeon.generation.openings.openings import cached_on_ground, openings
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components
from dungeon.level.canvas import Mouth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.terrain import TerrainSet


class Connector(NamedTuple):
    """A place where a hallway may be joined to a drawing.

    Attributes:
        y: The row of its edge, the last cell of the drawing on the way out; `x`: the column.
        dy: With `dx` the direction out of the drawing, such as (0, 1) for east.
        width: The width in cells of the opening as the author drew it. The hallway is one cell wide and meets its middle.
        way: The cells that are opened when a hallway is joined, from the innermost to the edge; empty if they are open already.
        code: The terrain code of the door drawn at its edge, or None for no door.
    """

    y: int
    x: int
    dy: int
    dx: int
    width: int
    way: tuple[Cell, ...]
    code: int | None


@dataclass(frozen=True, slots=True)
class DrawingConnectors:
    """What a layout needs to know about a drawing to join it to others.

    Attributes:
        codes: (height, width) uint8, the drawing's terrain while no hallway is joined: doors at connectors are walls.
        connectors: The connectors to which a hallway can be joined.
        objection: Why no hallway can be joined, or why a walker could not reach all of the drawing, as (text, (y, x) cell or None);
            None if neither is so.
    """

    codes: NDArray[np.uint8]
    connectors: tuple[Connector, ...]
    objection: tuple[str, tuple[int, int] | None] | None


def connectors_of(drawing: Drawing, terrain_set: TerrainSet) -> DrawingConnectors:
    """Return the connectors of a drawing; the result is cached and shared by drawings with the same terrain and obstacles."""
    return cached_on_ground(_found, drawing, terrain_set)


def _found(drawing: Drawing, terrain_set: TerrainSet) -> DrawingConnectors:
    entries = openings(drawing, terrain_set)
    base = np.where(drawing.terrain == t.KEEP, t.EARTH, terrain_set.base[drawing.terrain])
    found = tuple(
        connector
        for mouth in entries.mouths
        if mouth.kind != "diggable" and (connector := _connector(drawing, base, mouth)) is not None
    )
    codes = drawing.terrain.copy()
    for each in found:
        if each.code is not None:
            codes[each.y, each.x] = t.WALL
    found = tuple(each for each in found if _leads_inside(codes, each, terrain_set))
    if (base == t.LOCKED_DOOR).any():
        insides = [(each, _entered_by(each, drawing, codes, terrain_set)) for each in found]
        is_whole = all(_leads_everywhere(inside) for _, inside in insides)
        found = tuple(each for each, inside in insides if _leads_past_locks(inside))
    else:
        is_whole = _all_lead_everywhere(found, drawing, codes, terrain_set)
    is_whole = is_whole and _hangs_together(drawing, codes, terrain_set)
    if (base == t.SECRET_DOOR).any():
        found = _in_plain_sight(found, drawing, codes, terrain_set)
    codes.flags.writeable = False  # the result is cached and shared
    objection = entries.objection
    if objection is None and not found:
        objection = "no link, door or open edge that a hallway could be joined to", None
    if objection is None and not is_whole:
        objection = "separate parts inside, and a hallway would reach only one", None
    return DrawingConnectors(codes, found, objection)


def _leads_inside(codes: NDArray[np.uint8], connector: Connector, terrain_set: TerrainSet) -> bool:
    """Return whether the cells opened for a connector lead to an open cell while all other connectors are closed.

    They do not if the next cell inside is the door of another connector, which is wall then.
    """
    if not connector.way:
        return True
    y, x = connector.way[0]
    return bool(terrain_set.base[codes[y - connector.dy, x - connector.dx]] > t.BLOCKED)


def _hangs_together(drawing: Drawing, codes: NDArray[np.uint8], terrain_set: TerrainSet) -> bool:
    """Return whether a walker can get between all open cells of a drawing while all its connectors are closed.

    This matters if the drawing is the whole map, so that no hallway is joined.
    """
    opened = (codes != t.KEEP) & (terrain_set.base.take(codes) > t.BLOCKED)
    return not Inside(drawing, codes, opened, (), (), terrain_set).lost


def _all_lead_everywhere(
    connectors: Iterable[Connector], drawing: Drawing, codes: NDArray[np.uint8], terrain_set: TerrainSet
) -> bool:
    """Return whether a walker who enters by any one of the connectors reaches every open cell; for drawings without locked doors.

    This is faster than `_leads_everywhere`: without locked doors one flood fill a connector is enough.
    """
    board = Board(drawing.height + 2, drawing.width + 2)  # one more row, and column, on every side
    opened = (codes != t.KEEP) & (terrain_set.base.take(codes) > t.BLOCKED)
    walked = opened & terrain_set.passable.take(codes) & ~drawing.barriers
    free = board.from_part(walked, 1) << board.stride
    for each in connectors:
        front = board.from_cells([(each.y + each.dy + 1, each.x + each.dx + 1)])
        is_shut = each.code is not None and not terrain_set.passable[each.code]
        way = each.way[:-1] if is_shut else each.way
        ground = free | front | board.from_cells((y + 1, x + 1) for y, x in way)
        if board.flood(ground, front) != ground:
            return False
    return True


def _in_plain_sight(
    connectors: Sequence[Connector], drawing: Drawing, codes: NDArray[np.uint8], terrain_set: TerrainSet
) -> tuple[Connector, ...]:
    """Return the connectors between which a walker needs no secret door.

    Connectors at a secret door are left out. If secret doors divide the inside, only the connectors of the part with the most
    connectors are returned. If every connector is at a secret door, all are returned.
    """
    secret = terrain_set.base == t.SECRET_DOOR
    opened = (codes != t.KEEP) & terrain_set.passable.take(codes) & ~secret.take(codes) & ~drawing.barriers
    labels, _ = components(opened)
    parts: dict[int, list[Connector]] = {}
    for each in connectors:
        if each.code is None or not secret[each.code]:
            y, x = each.way[0] if each.way else (each.y + each.dy, each.x + each.dx)
            parts.setdefault(int(labels[y - each.dy, x - each.dx]), []).append(each)
    most: Sequence[Connector] = max(parts.values(), key=len) if parts else connectors
    return tuple(most)


def _entered_by(
    connector: Connector, drawing: Drawing, codes: NDArray[np.uint8], terrain_set: TerrainSet
) -> Inside:
    """Return the drawing's `Inside` as it is when a hallway is joined to `connector` and to no other."""
    y, x, dy, dx = connector[:4]
    used = codes.copy()
    for cell in connector.way:
        used[cell] = t.CORRIDOR
    if connector.code is not None:
        used[y, x] = connector.code
    opened = (used != t.KEEP) & (terrain_set.base.take(used) > t.BLOCKED)
    mouth = Mouth(y + dy, x + dx, dy, dx, 1, "connector", 0)
    return Inside(drawing, used, opened, (mouth,), (), terrain_set)


def _leads_past_locks(inside: Inside) -> bool:
    """Return whether a walker who enters by the used connector can open every locked door, in whatever order he opens them.

    He can't if the key of a door is missing, lies behind the door, or may be used up on another lock first.
    """
    ground = inside.locked_ground
    return not (
        _beyond_locks(inside) & ground.free & ~inside.reached or ground.lost_by_spending(inside.begin)
    )


def _leads_everywhere(inside: Inside) -> bool:
    """Return whether a walker who enters by the used connector and opens every lock reaches every open cell."""
    return not inside.locked_ground.free & ~_beyond_locks(inside)


def _beyond_locks(inside: Inside) -> int:
    """Return the mask of the cells that a walker who enters by the mouths and opens every lock reaches."""
    ground = inside.locked_ground
    return inside.board.flood(ground.free | ground.barred, inside.begin)


def _connector(drawing: Drawing, base: NDArray[np.uint8], mouth: Mouth) -> Connector | None:
    """Return the connector for a mouth; None if no open cell lies behind it, or an obstacle or blocked terrain comes first.

    Args:
        drawing: The drawing.
        base: (height, width) uint8, the built-in terrain code of each cell of the drawing.
        mouth: The mouth.
    """
    line = (mouth.width - 1) // 2
    y, x = mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy)
    inward = list(_steps(Cell(y - mouth.dy, x - mouth.dx), -mouth.dy, -mouth.dx, base.shape))
    own = next((at for at, cell in enumerate(inward) if drawing.terrain[cell] != t.KEEP), None)
    if own is None:
        return None
    way: list[Cell] = []
    code = None
    for number, cell in enumerate(inward[own:]):
        if base[cell] == t.BLOCKED or drawing.barriers[cell]:
            return None
        is_door = base[cell] in t.DOORS and number == 0
        if base[cell] > t.BLOCKED and not is_door:
            break
        if is_door:
            code = int(drawing.terrain[cell])
        way.append(cell)
    else:
        return None
    return Connector(*inward[own], mouth.dy, mouth.dx, mouth.width, tuple(reversed(way)), code)


def _steps(cell: Cell, dy: int, dx: int, size: tuple[int, ...]) -> Iterator[Cell]:
    """Yield a cell and the cells after it in the direction (dy, dx), up to the edge of a drawing of this (height, width)."""
    y, x = cell
    while 0 <= y < size[0] and 0 <= x < size[1]:
        yield Cell(y, x)
        y, x = y + dy, x + dx
