"""Prefabs as cards: how many cells of the grid a drawing takes, and on which of their sides it can be entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.generation.openings.openings import openings
from dungeon.generation.openings.remembered import remembered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection
    from dungeon.generation.openings.openings import Openings
    from dungeon.grid.rect import Cell
    from dungeon.level.mouth import Mouth
    from dungeon.terrain import TerrainSet

MOST_CELLS = 2
"""How many cells a card has at most, each way."""


class Border(NamedTuple):
    """A side of one of a card's cells that is a side of the card: (dy, dx), and which of its cells on that side, from 0."""

    dy: int
    dx: int
    number: int


class Opening(NamedTuple):
    """Where a drawing can be entered.

    Attributes:
        at: How far along the side, from the drawing's first cell.
        mouth: Which of its mouths that is.
    """

    at: int
    mouth: int


class Grid(NamedTuple):
    """The size of a grid's cells: as of `Lattice`."""

    height: int
    width: int
    gap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """A drawing as a card.

    Attributes:
        drawing: The drawing.
        entries: Where it can be entered.
        rows: How many cells of the grid it has in a column; `columns`: in a row.
        y: How far its first cell lies from that of the grid's cells; likewise `x`.
        is_walled: Whether its outermost cells are its walls, rather than that walls have to stand around it.
        openings: Side of one of its cells -> where it can be entered there.
    """

    drawing: Drawing
    entries: Openings
    rows: int
    columns: int
    y: int
    x: int
    is_walled: bool
    openings: Mapping[Border, tuple[Opening, ...]]


TOO_LARGE = "more cells than a card can have"
NO_WAY_IN = "no opening on any side"
DEAD_END = "an opening in its wall with nothing behind"
IN_PARTS = "openings to parts of it that do not hang together"


def try_face(drawing: Drawing, grid: Grid, terrain_set: TerrainSet) -> Face | None:
    """Return a drawing as a card of a grid, or None if it can't be one."""
    found = _face(drawing, grid, terrain_set)
    return found if isinstance(found, Face) else None


def objection(drawing: Drawing, grid: Grid, terrain_set: TerrainSet) -> Objection | None:
    """Return why a drawing can't be a card of a grid; None if it can."""
    found = _face(drawing, grid, terrain_set)
    if isinstance(found, Face):
        return None
    return openings(drawing, terrain_set).objection or (found, None)


def _face(drawing: Drawing, grid: Grid, terrain_set: TerrainSet) -> Face | str:
    found = remembered(_found, drawing, terrain_set, grid)
    if isinstance(found, Face) and found.drawing is not drawing:
        # Others that are walked alike share its ground, and have other things in them.
        return Face(
            drawing=drawing,
            entries=found.entries,
            rows=found.rows,
            columns=found.columns,
            y=found.y,
            x=found.x,
            is_walled=found.is_walled,
            openings=found.openings,
        )
    return found


def _found(drawing: Drawing, terrain_set: TerrainSet, grid: Grid) -> Face | str:
    entries = openings(drawing, terrain_set)
    if entries.objection is not None:
        return entries.objection[0]
    if entries.is_split or len(set(entries.groups)) > 1:
        return IN_PARTS
    is_walled = _is_walled(entries, terrain_set)
    walls = 0 if is_walled else 2
    rows, columns = (
        next(
            (
                count
                for count in range(1, MOST_CELLS + 1)
                if length + walls <= count * (side + grid.gap) - grid.gap
            ),
            0,
        )
        for length, side in ((drawing.height, grid.height), (drawing.width, grid.width))
    )
    if not rows or not columns:
        return TOO_LARGE
    y = (rows * (grid.height + grid.gap) - grid.gap - drawing.height) // 2
    x = (columns * (grid.width + grid.gap) - grid.gap - drawing.width) // 2
    shut = {_side_of(cell, drawing) for cell in entries.closed}
    found: dict[Border, list[Opening]] = {}
    opened = _opened(entries, terrain_set)
    for number, mouth in enumerate(entries.mouths):
        if (mouth.dy, mouth.dx) in shut:
            continue
        middle, side = (mouth.x + x, grid.width) if mouth.dy else (mouth.y + y, grid.height)
        index = int(middle + (mouth.width - 1) // 2 >= side + grid.gap)
        lines = [Opening(at, number) for at in lines_of(mouth, opened)]
        if is_walled and not all(_leads_in(mouth, line.at, opened) for line in lines):
            return DEAD_END
        found.setdefault(Border(mouth.dy, mouth.dx, index), []).extend(lines)
    for (dy, dx, index), lines in found.items():
        if index:  # ways into two of its cells must not lie side by side
            others = {line.at + 1 for line in found.get(Border(dy, dx, 0), ())}
            found[Border(dy, dx, index)] = [line for line in lines if line.at not in others]
    if not any(found.values()):
        return NO_WAY_IN
    return Face(
        drawing=drawing,
        entries=entries,
        rows=rows,
        columns=columns,
        y=y,
        x=x,
        is_walled=is_walled,
        openings={border: tuple(lines) for border, lines in found.items() if lines},
    )


def _side_of(cell: Cell, drawing: Drawing) -> tuple[int, int]:
    """Return on which side of a drawing a cell beyond its edge lies."""
    if 0 <= cell.y < drawing.height:
        return (0, -1) if cell.x < 0 else (0, 1)
    return (-1, 0) if cell.y < 0 else (1, 0)


def lines_of(mouth: Mouth, opened: NDArray[np.bool_]) -> Iterator[int]:
    """Yield how far along its side each line of a mouth lies that the drawing, (height, width) bool, opens."""
    for line in range(mouth.width):
        y, x = mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy)
        if mouth.kind == "diggable" or opened[y - mouth.dy, x - mouth.dx]:
            yield x if mouth.dy else y


def _leads_in(mouth: Mouth, at: int, opened: NDArray[np.bool_]) -> bool:
    """Tell whether a line of a mouth, through the wall of a drawing, leads to an open cell behind that."""
    y, x = (mouth.y, at) if mouth.dy else (at, mouth.x)
    return bool(opened[y - 2 * mouth.dy, x - 2 * mouth.dx])


def _opened(entries: Openings, terrain_set: TerrainSet) -> NDArray[np.bool_]:
    """Return (height, width) bool: a drawing's open cells, once its links are dug."""
    opened: NDArray[np.bool_] = (terrain_set.base.take(entries.codes) > t.BLOCKED) & (entries.codes != t.KEEP)
    for cell in entries.dug:
        opened[cell] = True
    return opened


def _is_walled(entries: Openings, terrain_set: TerrainSet) -> bool:
    """Tell whether only mouths open the outermost cells of a drawing, and nothing of them is the map's."""
    codes = entries.codes
    edge = _opened(entries, terrain_set) | (codes == t.KEEP)
    edge[1:-1, 1:-1] = False
    for mouth in entries.mouths:
        for line in range(mouth.width):
            edge[
                mouth.y + line * abs(mouth.dx) - mouth.dy,
                mouth.x + line * abs(mouth.dy) - mouth.dx,
            ] = False
    return min(codes.shape) > 2 and not edge.any()
