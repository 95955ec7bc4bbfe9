"""Ways from one zone to another: a door in a wall that they share, or the shortest corridors through earth.

Where a door can be is asked of all cells at once. It has an open cell of a zone on one side, on the other side either an open
cell of the other zone, or earth that no open cell touches, corners included; through such earth alone corridors are dug, so
that nothing else of the two zones comes to touch:

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
from dungeon.grid.neighbours import touching
from dungeon.grid.paths.ways import find_way
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.level.canvas import Canvas

APART = 5
"""Ways between the same two zones keep so many cells from each other's doors, if they can."""


class Way(NamedTuple):
    """A way between two zones.

    Attributes:
        doors: The cells of its doors: one in a wall that both share, else the first zone's and the other's.
        cells: The cells of the corridor between these, from the first zone to the other.
    """

    doors: tuple[Cell, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rock:
    """A map on which ways are looked for.

    Attributes:
        board: How masks are laid out.
        opened: The mask of the open cells.
        walls: The mask of the closed cells in which a door may be.
        deep: The mask of those through which a corridor may be dug.
        doors: The mask of the doors that there are, drawn ones and mere gaps among them.
    """

    board: Board
    opened: int
    walls: int
    deep: int
    doors: int

    @classmethod
    def of(cls, canvas: Canvas, *, break_in: bool = False) -> Rock:
        """Return the rock of a map; doors may be broken into what prefabs have drawn, or they may not."""
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
        """Return by how many places a bit moves up with a step south, east, north and west."""
        return self.board.stride, 1, -self.board.stride, -1

    def entries(self, ground: int, step: int) -> int:
        """Return the walls into which a door may be broken from some ground by a step, with a wall on both sides."""
        across = 1 if abs(step) != 1 else self.board.stride
        flanks = shifted(self.opened, across) | shifted(self.opened, -across)
        return self.walls & shifted(ground, step) & ~flanks & ~self.board.beside(self.doors)

    def shared(self, one: int, other: int) -> int:
        """Return the walls in which a door leads from some ground straight to other ground."""
        found = 0
        for step in self.steps():
            found |= self.entries(one, step) & shifted(other, -step)
        return found

    def pick_door(self, doors: Mapping[int, int], front: Cell, stream: Stream) -> Cell:
        """Return one of the doors before which a cell is."""
        place = front.y * self.board.stride + front.x
        found = [place - step for step, each in doors.items() if each >> place - step & 1]
        return Cell(*divmod(stream.pick(found), self.board.stride))

    def doors_to(self, ground: int, allowed: int) -> dict[int, int]:
        """Return the doors that may lead to some ground, a mask for each step out of it to where a corridor may start."""
        return {
            step: self.entries(ground, step) & shifted(self.deep & allowed, -step) for step in self.steps()
        }


def _fronts(doors: Mapping[int, int]) -> int:
    """Return the mask of the cells before doors."""
    return reduce(or_, (shifted(each, step) for step, each in doors.items()))


def way_between(rock: Rock, one: int, other: int, allowed: int, stream: Stream, *, walls: bool) -> Way | None:
    """Return a way from some ground to other ground, one of the shortest, or None if there is none.

    Args:
        rock: The map.
        one: The mask of the ground where it begins.
        other: That of the ground where it ends.
        allowed: The mask of the cells through which a corridor may lead.
        stream: Where chance comes from.
        walls: Whether a mere door in a wall between the two will do, and is better than any corridor.
    """
    if walls and (shared := rock.board.cells(rock.shared(one, other))):
        return Way((stream.pick(shared),), ())
    starts, ends = rock.doors_to(one, allowed), rock.doors_to(other, allowed)
    ground = {1: rock.deep & allowed}
    way = find_way(rock.board, ground, _fronts(starts), _fronts(ends), random=stream.random)
    if not way:
        return None
    doors = rock.pick_door(starts, way[0], stream), rock.pick_door(ends, way[-1], stream)
    return Way(doors, tuple(way))


def dig_way(canvas: Canvas, way: Way, close: Callable[[], int]) -> int:
    """Dig a way and hang its doors; return the id of its corridor, 0 if it has none."""
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


def join(
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
    """Dig ways from one part of the map to another; return of each its corridor and the door to the other part.

    Args:
        canvas: The map.
        begins: (height, width) bool, the ground of the first part; then what else a way may begin on if none can there.
        other: The same of the second part.
        allowed: (height, width) bool, where corridors may be, if they can: they may be anywhere if it takes that.
        close: Rolls what a door is made of.
        stream: Where chance comes from.
        count: How many ways, if there are so many apart from each other.
        walls: Whether the two may share a wall, with a mere door in it.

    Raises:
        GenerationError: No way leads there.
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
