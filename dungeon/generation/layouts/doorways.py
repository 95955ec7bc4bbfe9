"""What closes a room where a way meets it, by the words that authors use."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.value_fields import WordValue, one_of
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas
    from dungeon.level.mouth import Mouth

# -- closings --------------------------------------------------------------------------------------


CLOSINGS = {"door": t.DOOR, "doorway": t.DOORWAY, "secret door": t.SECRET_DOOR, "open": t.FLOOR}
"""The word, and the terrain that it stands for; open is a mere gap."""

Closing = Annotated[WordValue, one_of(*CLOSINGS)]


def show_ways_on(canvas: Canvas) -> None:
    """Turn secret doors that no prefab has drawn into doors, but for those behind which lies a single region, or to which other ways lead."""
    own = [
        number
        for number, door in enumerate(canvas.connections)
        if door.kind == t.SECRET_DOOR and not canvas.drawn[door.y, door.x]
    ]
    if not own:
        return
    part = list(range(len(canvas.regions) + 1))

    def part_of(region: int) -> int:
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
# The mouths of what was seeded, as they lie on the map: what is open at them, what they lead to, digging in; and blind doors.


def is_open(canvas: Canvas, y: int, x: int) -> bool:
    """Tell whether a cell is open: a floor, a door, water."""
    return bool(canvas.terrain_set.base[canvas.terrain[y, x]] > t.BLOCKED)


def lines_of(canvas: Canvas, mouth: Mouth) -> list[tuple[Cell, Cell]]:
    """Return the prefab's last cell and the first one beyond it, of each of a mouth's lines that the prefab opens."""
    found = []
    for line in range(mouth.width):
        first = Cell(mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy))
        last = Cell(first.y - mouth.dy, first.x - mouth.dx)
        if mouth.kind == "diggable" or is_open(canvas, *last):
            found.append((last, first))
    return found


def last_before(mouth: Mouth) -> Cell:
    """Return the prefab's last cell before a mouth."""
    return Cell(mouth.y - mouth.dy, mouth.x - mouth.dx)


def _own_earth(canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the cells between a mouth and the open cells of its prefab, and the first of those; nothing if there is none."""
    cells = [last_before(mouth)]
    while canvas.region[cells[-1]] != mouth.region:
        y, x = cells[-1]
        if canvas.drawn[y, x] or not canvas.inside(Rect(y, x, 1, 1)):
            return []
        cells.append(Cell(y - mouth.dy, x - mouth.dx))
    return cells


def behind(canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the open cells of a prefab that a way from a mouth leads to."""
    if mouth.kind == "diggable":
        return _own_earth(canvas, mouth)[-1:]
    return [last for last, _ in lines_of(canvas, mouth)]


def may_dig_in(canvas: Canvas, mouth: Mouth) -> bool:
    """Tell whether no room has been built into a prefab's own earth where `dig_in` would dig."""
    doors = {(door.y, door.x) for door in canvas.connections}
    for y, x in _own_earth(canvas, mouth)[:-1]:
        for cell in ((y, x), (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            region = int(canvas.region[cell])
            if cell in doors or (region and canvas.regions[region - 1].kind == "room"):
                return False
    return True


def dig_in(canvas: Canvas, mouth: Mouth) -> None:
    """Dig from a mouth through the prefab's own earth to its open cells."""
    for y, x in _own_earth(canvas, mouth)[:-1]:
        cell = Rect(y, x, 1, 1)
        opened = is_open(canvas, y, x)
        if opened and any(abs(door.y - y) + abs(door.x - x) == 1 for door in canvas.connections):
            continue  # it stays part of what the door leads to
        code = int(canvas.terrain[y, x]) if opened else t.CORRIDOR
        before = int(canvas.region[y, x])
        canvas.carve(cell, code, mouth.region)
        canvas.settle_bounds(before)
        canvas.widen_bounds(mouth.region, cell)
        canvas.build_walls(cell.grown())


def narrow_mouths(canvas: Canvas, mouths: Sequence[Mouth]) -> int:
    """Return at how many mouths for tunnelers the way is narrower than the prefab's own: there was no space for more."""
    ways = [[beyond for _, beyond in lines_of(canvas, each)] for each in mouths if each.kind == "tunneler"]
    return sum(not all(is_open(canvas, *cell) for cell in way) for way in ways)


def wall_up_blind_doors(canvas: Canvas, drawn: NDArray[np.bool_]) -> int:
    """Turn doors among cells that prefabs have drawn, (height, width) bool, into wall where they lead nowhere; return the number.

    With them go doors that the layout has made before such a door, for these lead nowhere then.
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
