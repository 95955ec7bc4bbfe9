"""A card as it lies: a prefab, a plain room or a mere passage on one or more cells of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.generation.openings.openings import cached_on_ground, openings
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_grid import CardsParams, Lattice
    from dungeon.generation.openings.openings import Openings
    from dungeon.level.canvas import Mouth
    from dungeon.terrain import TerrainSet

# -- faces ------------------------------------------------------------------------------------------
#
# Prefabs as cards: how many cells of the grid a drawing takes, and on which of their sides it can be entered.


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
    found = cached_on_ground(_found, drawing, terrain_set, grid)
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


LEAST_SHARE = 0.6
"""How much of its cell a plain room takes at least, each way."""

LEAST_SIDE = 3
"""How many cells the sides of a plain room have at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What no prefab draws.

    Attributes:
        kind: A room, or a mere passage.
        cells: (height, width) bool, its open cells.
    """

    kind: Literal["room", "passage"]
    cells: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card on the grid.

    Attributes:
        plot: Which zone it belongs to; None for a bridge or a piece of a tunnel.
        cells: The rectangle of the grid that it takes.
        box: The rectangle of the map that its drawing covers, or its open cells if it is plain.
        look: What it is.
    """

    plot: int | None
    cells: Rect
    box: Rect
    look: Face | Plain

    def openings(self, border: Border, lattice: Lattice) -> Sequence[Opening]:
        """Return where it can be entered on one side of one of its cells; `at` is a row or column of the map."""
        first = self.box.x if border.dy else self.box.y
        if not isinstance(self.look, Plain):
            return [Opening(first + at, mouth) for at, mouth in self.look.openings.get(border, ())]
        cells = self.look.cells
        edge = (
            cells[-1 if border.dy > 0 else 0] if border.dy else cells[:, -1 if border.dx > 0 else 0]
        ).tolist()
        down, across = (0, border.number) if border.dy else (border.number, 0)
        cell = lattice.on_map(Rect(self.cells.y + down, self.cells.x + across, 1, 1))
        low, high = (cell.x, cell.right) if border.dy else (cell.y, cell.bottom)
        return [
            Opening(first + at, 0) for at, is_open in enumerate(edge) if is_open and low <= first + at < high
        ]

    def can_open(self, border: Border) -> bool:
        """Tell whether it can be entered on one side of one of its cells. All that is plain can be, everywhere."""
        return isinstance(self.look, Plain) or border in self.look.openings

    def first_beyond(self, border: Border, at: int) -> Cell:
        """Return the first cell beyond what it draws, or opens, at a row or column of one side."""
        box = self.box
        if border.dy:
            return Cell(box.bottom if border.dy > 0 else box.y - 1, at)
        return Cell(at, box.right if border.dx > 0 else box.x - 1)


def passage(lattice: Lattice, plot: int | None, cells: Rect, stream: Stream) -> Card:
    """Return a passage: a single cell of floor anywhere in a cell of the grid, where its ways meet."""
    whole = lattice.on_map(cells).grown(-1)
    y, x = whole.y + stream.below(whole.height), whole.x + stream.below(whole.width)
    look = Plain(kind="passage", cells=np.ones((1, 1), np.bool_))
    return Card(plot=plot, cells=cells, box=Rect(y, x, 1, 1), look=look)


def room(lattice: Lattice, plot: int | None, cells: Rect, params: CardsParams, stream: Stream) -> Card:
    """Return a plain room somewhere in some cells of the grid, with its walls."""
    whole = lattice.on_map(cells).grown(-1)
    sides = []
    for length, count, side in (
        (whole.height, cells.height, lattice.height),
        (whole.width, cells.width, lattice.width),
    ):
        # What spans several cells of the grid must be open to all of them.
        least = max(LEAST_SIDE, round(LEAST_SHARE * length)) if count == 1 else length - side // 2
        sides.append(stream.between(min(least, length), length))
    height, width = sides
    y = whole.y + stream.between(0, whole.height - height)
    x = whole.x + stream.between(0, whole.width - width)
    name = roll(params.shapes, stream, "rectangle") if cells.area == 1 else "rectangle"
    mask = SHAPES[name](height, width, stream)
    return Card(plot=plot, cells=cells, box=Rect(y, x, height, width), look=Plain(kind="room", cells=mask))


def prefab(lattice: Lattice, plot: int | None, cells: Rect, face: Face) -> Card:
    """Return a prefab in some cells of the grid."""
    whole = lattice.on_map(cells)
    box = Rect(whole.y + face.y, whole.x + face.x, face.drawing.height, face.drawing.width)
    return Card(plot=plot, cells=cells, box=box, look=face)
