"""The floors of towers: prefabs on several maps whose stairs match, and the drawings from which a tower can be built.

A *stack* is one drawing for each floor, from the first to the last, with the position of each. The stairs down of a drawing lie on
the same cells as the stairs up of the next one::

    #####    #######
    #.>.#    #.<..>#     the stairs > of the first floor lie on the stairs < of the second:
    #...#    #.....#     its top left cell lies on the same column, and not one column farther west
    #####    #######
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.content.models.features import FeatureEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.level.model import Exit
    from dungeon.terrain import TerrainSet


@dataclass(frozen=True, slots=True, kw_only=True)
class TowerFloor:
    """One floor of a tower at its place on a map.

    Attributes:
        tower: The name of the tower.
        map_id: The id of the map.
        number: The number of the floor, from 1 for the first map.
        count: The number of floors of the tower.
        feature: The feature as which the floor is placed.
        drawing: The drawing.
        cell: The drawing's top left cell on the map.
        down: The stairs to the next floor; each arrives at the same cell of its map.
        up: The stairs back to the floor before.
        is_way_in: Whether the player comes to the map only by towers, so that one of the stairs `up` is the level's entrance.
    """

    tower: str
    map_id: str
    number: int
    count: int
    feature: FeatureEntry
    drawing: Drawing
    cell: Cell
    down: tuple[Exit, ...] = ()
    up: tuple[Exit, ...] = ()
    is_way_in: bool = False

    @property
    def label(self) -> str:
        """The floor's name in the journal and in random streams."""
        return f"tower {self.tower}"


class FreeStairs(NamedTuple):
    """The cells of a drawing with stairs that lead to no map of their own: stairs up, and stairs down and exits, each sorted."""

    up: tuple[Cell, ...]
    down: tuple[Cell, ...]

    @classmethod
    def of(cls, drawing: Drawing, terrain_set: TerrainSet) -> FreeStairs:
        """Return the stairs of a drawing."""
        base = terrain_set.base[drawing.terrain]
        bound = {(each.y, each.x) for each in drawing.stairs}
        up = np.argwhere(base == t.STAIRS_UP).tolist()
        down = np.argwhere((base == t.STAIRS_DOWN) | (base == t.EXIT)).tolist()
        return cls(
            tuple(Cell(*each) for each in up), tuple(Cell(*each) for each in down if tuple(each) not in bound)
        )


def step_between(down: Sequence[Cell], up: Sequence[Cell]) -> Cell | None:
    """Return how many rows and columns the next floor's drawing lies from this one's, so that their stairs match.

    Args:
        down: The stairs down of this floor, sorted.
        up: The stairs up of the next floor, sorted.

    Returns:
        (rows, columns); None if there are no stairs, or if they match nowhere.
    """
    if not down or len(down) != len(up):
        return None
    dy, dx = down[0].y - up[0].y, down[0].x - up[0].x
    return (
        Cell(dy, dx)
        if all((a.y - b.y, a.x - b.x) == (dy, dx) for a, b in zip(down, up, strict=True))
        else None
    )


class StackedDrawing(NamedTuple):
    """A drawing in a stack, its stairs, and the (rows, columns) between its top left cell and that of the first floor."""

    drawing: Drawing
    stairs: FreeStairs
    offset: Cell


Stack = tuple[StackedDrawing, ...]


def stacks(options: Sequence[Sequence[Drawing]], terrain_set: TerrainSet) -> Iterator[Stack]:
    """Yield the stacks that can be built, in order of preference.

    Args:
        options: The drawings to choose from for each floor, the preferred first.
        terrain_set: The kinds of terrain.
    """
    known = [[(drawing, FreeStairs.of(drawing, terrain_set)) for drawing in each] for each in options]
    hopeless: set[tuple[int, tuple[tuple[int, int], ...]]] = set()

    def above(stack: Stack) -> Iterator[Stack]:
        """Yield the stacks that begin with `stack`."""
        number = len(stack)
        if number == len(known):
            yield stack
            return
        last = stack[-1]
        if not last.stairs.down:
            return
        pattern = tuple((y - last.stairs.down[0].y, x - last.stairs.down[0].x) for y, x in last.stairs.down)
        if (number, pattern) in hopeless:
            return
        is_found = False
        for drawing, stairs in known[number]:
            step = step_between(last.stairs.down, stairs.up)
            if step is not None:
                offset = Cell(last.offset.y + step.y, last.offset.x + step.x)
                for found in above((*stack, StackedDrawing(drawing, stairs, offset))):
                    is_found = True
                    yield found
        if not is_found:
            hopeless.add((number, pattern))

    for drawing, stairs in known[0]:
        yield from above((StackedDrawing(drawing, stairs, Cell(0, 0)),))
