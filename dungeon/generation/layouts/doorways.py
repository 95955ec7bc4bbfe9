"""Doors at the edges of rooms and prefabs, mouths (places at a prefab's edge where a way begins), and ways between parts.

A *mouth* has a direction out of the prefab, and a width in cells. Each of these cells is a *line* of the mouth, a way straight
out. *Seeded* prefabs were put on the map before its layout. A mouth of kind "diggable" is a closed edge: there the
prefab's *own earth* lies between the edge and its open cells.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.bits import without
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas, Mouth

# -- kinds of door ---------------------------------------------------------------------------------


CLOSINGS = {"door": t.DOOR, "doorway": t.DOORWAY, "secret door": t.SECRET_DOOR, "open": t.FLOOR}
"""An author's word -> the terrain that closes a room there; `open` is a gap in the wall."""


def reveal_needed_doors(canvas: Canvas) -> None:
    """Turn each secret door that a player would have to find to go on into a plain door.

    A secret door stays secret if a single region lies behind it, or if other ways lead there, too. Doors that prefabs
    have drawn are left alone. Regions are united over all doors that are not secret (union-find).
    """
    own = [
        number
        for number, door in enumerate(canvas.connections)
        if door.kind == t.SECRET_DOOR and not canvas.drawn[door.y, door.x]
    ]
    if not own:
        return
    part = list(range(len(canvas.regions) + 1))

    def part_of(region: int) -> int:
        """Return the representative of the connected regions to which a region belongs (union-find without ranks)."""
        while part[region] != region:
            region = part[region]
        return region

    secret = {number for number, door in enumerate(canvas.connections) if door.kind == t.SECRET_DOOR}
    for number, door in enumerate(canvas.connections):
        if number not in secret:
            part[part_of(door.between[0])] = part_of(door.between[1])
    sizes = Counter(map(part_of, range(1, len(part))))
    degrees = Counter(part_of(region) for number in secret for region in canvas.connections[number].between)
    for number in own:
        door = canvas.connections[number]
        one, other = map(part_of, door.between)
        if one == other or any(sizes[each] == degrees[each] == 1 for each in (one, other)):
            continue
        part[one] = other
        sizes[other] += sizes[one]
        degrees[other] += degrees[one] - 2
        canvas.put(door.y, door.x, t.DOOR)
        canvas.connections[number] = replace(door, kind=t.DOOR)


# -- mouths ----------------------------------------------------------------------------------------
#
# Mouths of seeded prefabs as they lie on the map. `mouth.y, mouth.x` is the first cell outside; (dy, dx) points away:
#
#     ####
#     ...#          m  the first cell of a mouth of width 2 that points right
#     ...m          n  its second line
#     ...n          the prefab's last cells are those to the left of m and n
#     ####


def is_open(canvas: Canvas, y: int, x: int) -> bool:
    """Tell whether the cell (y, x) has open terrain: floor, door, water and the like, neither earth nor wall."""
    return bool(canvas.terrain_set.base[canvas.terrain[y, x]] > t.BLOCKED)


def lines_of(canvas: Canvas, mouth: Mouth) -> list[tuple[Cell, Cell]]:
    """Return the lines of a mouth (its straight ways out, one cell wide) as (last cell of the prefab, first cell outside) pairs.

    A mouth of width n has n lines. Lines whose last cell is closed are left out, unless the mouth is "diggable".
    """
    found = []
    for line in range(mouth.width):
        first = Cell(mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy))
        last = Cell(first.y - mouth.dy, first.x - mouth.dx)
        if mouth.kind == "diggable" or is_open(canvas, *last):
            found.append((last, first))
    return found


def cell_before(mouth: Mouth) -> Cell:
    """Return the cell at the prefab's edge next to the first outside cell of a mouth."""
    return Cell(mouth.y - mouth.dy, mouth.x - mouth.dx)


def _own_earth(canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the cells from a mouth straight into the prefab, through its own earth, up to and including its first open cell.

    The list is empty if a drawn cell or the edge of the map comes before that open cell.
    """
    cells = [cell_before(mouth)]
    while canvas.region[cells[-1]] != mouth.region:
        y, x = cells[-1]
        if canvas.drawn[y, x] or not canvas.inside(Rect(y, x, 1, 1)):
            return []
        cells.append(Cell(y - mouth.dy, x - mouth.dx))
    return cells


def cells_behind(canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the open cells of a prefab that a corridor through a mouth reaches first.

    These are one cell for each open line of the mouth; for a diggable mouth, the one cell behind the prefab's own earth.
    """
    if mouth.kind == "diggable":
        return _own_earth(canvas, mouth)[-1:]
    return [last for last, _ in lines_of(canvas, mouth)]


def may_dig_in(canvas: Canvas, mouth: Mouth) -> bool:
    """Tell whether `dig_in` may dig from a diggable mouth: no other room and no door touches the prefab's earth behind the mouth."""
    doors = {(door.y, door.x) for door in canvas.connections}
    for y, x in _own_earth(canvas, mouth)[:-1]:
        for cell in ((y, x), (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            region = int(canvas.region[cell])
            if cell in doors or (region and canvas.regions[region - 1].kind == "room"):
                return False
    return True


def dig_in(canvas: Canvas, mouth: Mouth) -> None:
    """Dig from a diggable mouth straight through the prefab's own earth, up to its first open cell."""
    for y, x in _own_earth(canvas, mouth)[:-1]:
        cell = Rect(y, x, 1, 1)
        opened = is_open(canvas, y, x)
        if opened and any(abs(door.y - y) + abs(door.x - x) == 1 for door in canvas.connections):
            continue  # the cell stays a part of the region that the door leads to
        code = int(canvas.terrain[y, x]) if opened else t.CORRIDOR
        before = int(canvas.region[y, x])
        canvas.carve(cell, code, mouth.region)
        canvas.settle_bounds(before)
        canvas.widen_bounds(mouth.region, cell)
        canvas.build_walls(cell.grown())


def count_narrow_mouths(canvas: Canvas, mouths: Sequence[Mouth]) -> int:
    """Return the number of mouths of kind "tunneler" at which the corridor is narrower than the mouth."""
    ways = [[beyond for _, beyond in lines_of(canvas, each)] for each in mouths if each.kind == "tunneler"]
    return sum(not all(is_open(canvas, *cell) for cell in way) for way in ways)


def wall_up_blind_doors(canvas: Canvas, drawn: NDArray[np.bool_]) -> int:
    """Turn doors of prefabs that lead nowhere into wall; return the number of doors walled up.

    A door leads nowhere if fewer than two of its four neighbours are open. A door that a layout has put right before such a
    door leads nowhere then as well, and is walled up, too.

    Args:
        canvas: The map.
        drawn: (height, width) bool, the cells that prefabs have drawn.
    """
    listed = {(door.y, door.x) for door in canvas.connections}
    places = np.flatnonzero(drawn & t.looked_up(canvas.terrain_set.door, canvas.terrain)).tolist()
    drawn_doors = [Cell(*divmod(place, canvas.width)) for place in places]
    doors, walled = [cell for cell in drawn_doors if cell not in listed], 0
    for y, x in doors:  # the list grows while it is walked through
        near = [Cell(y - 1, x), Cell(y, x - 1), Cell(y, x + 1), Cell(y + 1, x)]
        if is_open(canvas, y, x) and sum(is_open(canvas, *cell) for cell in near) < 2:
            before = int(canvas.region[y, x])
            canvas.wall_up(y, x)
            canvas.remove_doors([(y, x)])
            canvas.settle_bounds(before)
            walled += 1
            doors += [
                cell for cell in near if cell in listed or canvas.terrain_set.door[canvas.terrain[cell]]
            ]
    return walled


# -- joining parts ----------------------------------------------------------------------------------


THROUGH_ROCK = 5
"""The cost of a step through rock, beside 1 over an open cell, so that short digs win over long ones."""


def join_parts(
    canvas: Canvas, labels: NDArray[np.int32], main: int, stopped: NDArray[np.bool_] | None = None
) -> None:
    """Dig the cheapest way from the main part of a drawing to each of its other parts, the nearest part first.

    Ways lead through earth and walls, but not through blocked terrain, the outermost cells, or cells in `stopped`. A
    part behind such cells stays cut off. A later way may use cells of earlier ways.

    Args:
        canvas: The map.
        labels: (height, width) int32, the number of each open cell's part; 0 for closed cells.
        main: The number of the main part.
        stopped: (height, width) bool, cells that ways must not lead through: open cells that can't be walked on, and
            cells beside those that are sealed on purpose. None if there is no such cell.
    """
    board, bits = canvas.board, canvas.board.from_array
    ways = board.block(1, 1, board.height - 2, board.width - 2) & ~bits(canvas.base == t.BLOCKED)
    opened = bits(labels > 0)
    if stopped is not None:
        ways &= ~bits(stopped)
    joined, apart = bits(labels == main), bits((labels > 0) & (labels != main))
    while way := find_way(board, {1: ways & opened, THROUGH_ROCK: without(ways, opened)}, joined, apart):
        part = bits(labels == labels[way[-1]])
        dug = [cell for cell in way if canvas.terrain_set.base[canvas.terrain[cell]] <= t.BLOCKED]
        canvas.carve_cells(dug, t.CORRIDOR, 0)
        apart ^= part
        joined |= part | board.from_cells(way)
        opened |= joined
