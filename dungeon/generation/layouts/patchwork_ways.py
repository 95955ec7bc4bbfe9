"""Ways from one zone to another in the layout `patchwork`: a door in a wall that both share, or a corridor with two doors.

A corridor is a shortest path through earth, with a door at both ends. A ground is the cells of a zone that can be
walked on. Masks are integers with one bit for each cell of the map.

All possible doors are found at once, as masks. A door has an open cell of one zone on one side. On the other side it has
an open cell of the other zone, or earth that no open cell touches, not even diagonally. Corridors are dug through such
earth alone, so they touch nothing on their way:

    ####         ####
    ...#         ...####
    ...+....     ...+..#        o +, the doors at both ends; all that a corridor
    ...#         ...##.####     touches is its own walls
    ####         #### .+...
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.grid.bits import Board, shifted
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import touching
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.level.canvas import Canvas

APART = 5
"""Ways between the same two zones keep this many cells from each other's doors, if they can."""


class ZoneWay(NamedTuple):
    """A way between two zones.

    Attributes:
        doors: The cells of its doors: one in a shared wall, else the door of the first zone and that of the second.
        cells: The cells of its corridor, from the first zone to the second; empty for a door in a shared wall.
    """

    doors: tuple[Cell, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rock:
    """Masks of a map on which ways are searched.

    Attributes:
        board: The layout of the masks.
        opened: The open cells.
        walls: The closed cells in which a door may be.
        deep: The cells through which a corridor may be dug: free earth that touches no open cell.
        doors: The doors of the map, drawn doors and gaps included.
    """

    board: Board
    opened: int
    walls: int
    deep: int
    doors: int

    @classmethod
    def of(cls, canvas: Canvas, *, break_in: bool = False) -> Rock:
        """Return the masks of a map; with `break_in`, doors may be put into walls that prefabs have drawn."""
        board, base = canvas.board, canvas.base
        inner = board.block(1, 1, canvas.height - 2, canvas.width - 2)
        opened = board.from_array(canvas.open)
        solid = board.from_array((base == t.EARTH) | (base == t.WALL)) & inner
        free = solid & ~board.from_array(canvas.used) & ~board.from_array(canvas.drawn)
        return cls(
            board=board,
            opened=opened,
            walls=solid if break_in else free,
            deep=free & ~board.around(opened),
            doors=board.from_array(canvas.terrain_set.door.take(canvas.terrain))
            | board.from_cells((door.y, door.x) for door in canvas.connections),
        )

    def steps(self) -> tuple[int, int, int, int]:
        """Return by how many places the bit of a cell moves in a mask with a step (south, east, north, west)."""
        return self.board.stride, 1, -self.board.stride, -1

    def entries(self, ground: int, step: int) -> int:
        """Return the mask of the wall cells, one step away from the cells of a ground, in which a door may be.

        These cells have a wall on both sides, and no door beside them.

        Args:
            ground: The mask of the ground.
            step: The direction, as the number of bits from `steps`.
        """
        across = 1 if abs(step) != 1 else self.board.stride
        flanks = shifted(self.opened, across) | shifted(self.opened, -across)
        return self.walls & shifted(ground, step) & ~flanks & ~self.board.beside(self.doors)

    def shared(self, one: int, other: int) -> int:
        """Return the mask of the wall cells where a door would lead straight from `one` to `other`, the masks of two grounds."""
        found = 0
        for step in self.steps():
            found |= self.entries(one, step) & shifted(other, -step)
        return found

    def pick_door(self, doors: Mapping[int, int], front: Cell, stream: Stream) -> Cell:
        """Return a random one of the doors that lead out of a ground to the cell `front`.

        Args:
            doors: Direction (a number of `steps`) -> the mask of the doors that lead out of the ground in this direction.
            front: The cell in front of the door, outside of the ground.
            stream: The random stream.
        """
        place = front.y * self.board.stride + front.x
        found = [place - step for step, each in doors.items() if each >> place - step & 1]
        return Cell(*divmod(stream.pick(found), self.board.stride))

    def doors_to(self, ground: int, allowed: int) -> dict[int, int]:
        """Return where doors may lead out of a ground to a corridor.

        Args:
            ground: The mask of the ground.
            allowed: The mask of the cells where a corridor may be.

        Returns:
            Direction (a number of `steps`) -> the mask of the doors that lead out of the ground in this direction.
        """
        return {
            step: self.entries(ground, step) & shifted(self.deep & allowed, -step) for step in self.steps()
        }


def _fronts(doors: Mapping[int, int]) -> int:
    """Return the mask of the cells right in front of doors, outside of the zone that the doors lead out of.

    Args:
        doors: Direction (a number of `Rock.steps`) -> the mask of the doors that lead out of the zone in this direction.
    """
    return reduce(or_, (shifted(each, step) for step, each in doors.items()))


def way_between(
    rock: Rock, one: int, other: int, allowed: int, stream: Stream, *, walls: bool
) -> ZoneWay | None:
    """Return a random one of the shortest ways from one zone to another; None if no way is possible.

    Args:
        rock: The masks of the map.
        one: The mask of the ground of the zone where the way begins.
        other: The mask of the ground of the zone where the way ends.
        allowed: The mask of the cells where a corridor may be.
        stream: The random stream.
        walls: Whether the way may be a door in a shared wall; such a door is preferred to any corridor.
    """
    if walls and (shared := rock.board.cells(rock.shared(one, other))):
        return ZoneWay((stream.pick(shared),), ())
    starts, ends = rock.doors_to(one, allowed), rock.doors_to(other, allowed)
    ground = {1: rock.deep & allowed}
    way = find_way(rock.board, ground, _fronts(starts), _fronts(ends), random=stream.random)
    if not way:
        return None
    doors = rock.pick_door(starts, way[0], stream), rock.pick_door(ends, way[-1], stream)
    return ZoneWay(doors, tuple(way))


def dig_way(canvas: Canvas, way: ZoneWay, close: Callable[[], int]) -> int:
    """Dig a way between two zones with its doors; return the id of the corridor's region, 0 if the way is only a door.

    Args:
        canvas: The map.
        way: The cells and doors of the way.
        close: Rolls the terrain of a door.
    """
    corridor = 0
    if way.cells:
        corridor = canvas.add_region("corridor", Rect.around(way.cells))
        canvas.carve_cells(way.cells, t.CORRIDOR, corridor)
    for y, x in way.doors:
        sides = [(y - 1, x), (y + 1, x)] if canvas.open[y - 1, x] else [(y, x - 1), (y, x + 1)]
        first, second = (int(canvas.region[side]) for side in sides)
        canvas.add_door(y, x, (first, second), close())
    dug = np.zeros(canvas.terrain.shape, np.bool_)
    dug[tuple(np.transpose((*way.cells, *way.doors)))] = True
    canvas.build_walls(among=touching(dug))
    return corridor


def join_zones(
    canvas: Canvas,
    begins: Sequence[NDArray[np.bool_]],
    other: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    close: Callable[[], int],
    stream: Stream,
    *,
    count: int = 1,
    walls: bool = False,
) -> list[tuple[int, Cell]]:
    """Dig one or more ways from one zone to another.

    Tried in this order: a corridor on allowed cells, a corridor anywhere, a way with doors broken into walls of prefabs.

    Args:
        canvas: The map.
        begins: (height, width) bool each: the ground of the first zone, then other ground where a way may begin if it can't begin in that
            zone.
        other: (height, width) bool, the ground of the second zone.
        allowed: (height, width) bool, where corridors should be.
        close: Rolls the terrain of a door.
        stream: The random stream.
        count: The largest number of ways; all but the first are dug only if they are apart from the others.
        walls: Whether a way may be a door in a wall that the two zones share.

    Returns:
        (id of the corridor's region or 0, cell of the door to the second zone) for each way.

    Raises:
        GenerationError: No way can be dug.
    """
    found: list[tuple[int, Cell]] = []
    for number in range(count):
        way = None
        for one, break_in, limit in (
            (begins[0], False, True),
            (begins[0], False, False),
            *((each, True, False) for each in begins),
        ):
            rock = Rock.of(canvas, break_in=break_in)
            bits = rock.board.from_array
            near = 0
            for _, (y, x) in found:
                near |= rock.board.block(*Rect(y, x, 1, 1).grown(APART).clipped(canvas.height, canvas.width))
            inside = bits(allowed) if limit else rock.board.full
            begin, end = (bits(part if break_in else part & ~canvas.drawn) & ~near for part in (one, other))
            way = way_between(rock, begin, end, inside, stream, walls=walls)
            if way is not None or number:
                break
        if way is None:
            break
        found.append((dig_way(canvas, way, close), way.doors[-1]))
    if not found:
        raise GenerationError("no way can be dug from one zone to another")
    return found
