"""Cards: prefabs, plain rooms and passages that take one or more cells of a coarse grid. A *face* is a drawing seen as a card.

A *border* is one outer side of one grid cell of a card. A *mouth* is a row of cells at a drawing's edge, all on one side, where
the drawing can be entered; each of these cells is a *line*, a straight way in. An *opening* is one line, by its row or column.
A *plain* card is a room or passage that is no prefab.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.generation.openings.openings import cached_on_ground, openings
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import framed, touching
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_grid import Lattice
    from dungeon.generation.layouts.cards_params import CardsParams
    from dungeon.generation.openings.openings import Openings
    from dungeon.level.canvas import Mouth
    from dungeon.terrain import TerrainSet

# -- faces ------------------------------------------------------------------------------------------
#
# A face is a prefab's drawing as a card: how many cells of the grid it takes, and on which sides it can be entered.


MOST_CELLS = 4
"""A card takes at most this many grid cells downward, and as many to the right."""

FEW_CELLS = 2
"""A card that takes more grid cells than this downward, or to the right, fills them but for one row or column."""


class Border(NamedTuple):
    """One outer side of one of the grid cells that a card takes.

    A card of 1 x 2 grid cells has two borders at its top: (-1, 0, 0, 0) and (-1, 0, 0, 1).

    Attributes:
        dy: The direction out of the card, down or up; 0 if the border is at the left or right.
        dx: The direction out of the card, right or left; 0 if the border is at the top or bottom.
        y: The row of the grid cell within the card, from 0.
        x: The column of the grid cell within the card, from 0.
    """

    dy: int
    dx: int
    y: int
    x: int

    @property
    def number(self) -> int:
        """The number of the grid cell along that side of the card, from 0."""
        return self.x if self.dy else self.y


class CardOpening(NamedTuple):
    """A place where a card can be entered, one cell wide.

    Attributes:
        at: The column of an opening at the top or bottom of the card, the row of one at its left or right. A `Face` counts
            from the first row or column of the drawing; the results of `Card.openings` count from that of the map.
        mouth: The index of its mouth in the prefab's mouths; 0 for a plain card.
    """

    at: int
    mouth: int


class Grid(NamedTuple):
    """The size of a grid's cells and the gap between them, in cells of the map, as in `Lattice`."""

    height: int
    width: int
    gap: int

    @property
    def abuts(self) -> bool:
        """Whether neighbouring grid cells share a row or column of walls."""
        return self.gap < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """A prefab's drawing as a card.

    Attributes:
        drawing: The drawing.
        entries: Where it can be entered: its mouths, and more.
        rows: How many rows of grid cells it reaches over.
        columns: How many columns of grid cells it reaches over.
        cells: The grid cells that it takes, as (row, column); all but those in which nothing is drawn.
        y: How many rows of the map lie between the top of its grid cells and the drawing, which is centred in them.
        x: How many columns lie between the left of its grid cells and the drawing.
        is_walled: Whether its outermost cells are its walls; otherwise walls are built around it.
        openings: Border -> the openings there; without borders that have none.
    """

    drawing: Drawing
    entries: Openings
    rows: int
    columns: int
    cells: tuple[tuple[int, int], ...]
    y: int
    x: int
    is_walled: bool
    openings: Mapping[Border, tuple[CardOpening, ...]]


TOO_LARGE = "more cells than a card can have"
"""Why a drawing can't be a card, as `check` tells authors."""

NO_WAY_IN = "no opening on any side"
DEAD_END = "an opening in its wall with nothing behind"
IN_PARTS = "openings to parts of it that do not hang together"


def try_face(drawing: Drawing, grid: Grid, terrain_set: TerrainSet) -> Face | None:
    """Return a prefab's drawing as a card, with the number of grid cells that it takes; None if it can't be a card."""
    found = _face(drawing, grid, terrain_set)
    return found if isinstance(found, Face) else None


def objection(drawing: Drawing, grid: Grid, terrain_set: TerrainSet) -> Objection | None:
    """Return why a prefab's drawing can't be laid as a card on a grid with cells of this size; None if it can."""
    found = _face(drawing, grid, terrain_set)
    if isinstance(found, Face):
        return None
    return openings(drawing, terrain_set).objection or (found, None)


def _face(drawing: Drawing, grid: Grid, terrain_set: TerrainSet) -> Face | str:
    """Return a prefab's drawing as a card, or the reason why it can't be one.

    The result is cached for all drawings that have the same ground: terrain, obstacles and locks.
    """
    found = cached_on_ground(_found, drawing, terrain_set, grid)
    if isinstance(found, Face) and found.drawing is not drawing:
        # Drawings with the same ground share one cached result, but not the objects in them.
        return replace(found, drawing=drawing)
    return found


def _found(drawing: Drawing, terrain_set: TerrainSet, grid: Grid) -> Face | str:
    """Compute a prefab's drawing as a card, or the reason why it can't be one (see `_face`, which caches the result)."""
    entries = openings(drawing, terrain_set)
    if entries.objection is not None:
        return entries.objection[0]
    if entries.is_split or len(set(entries.groups)) > 1:
        return IN_PARTS
    frame = _framed(entries, terrain_set, grid)
    if frame is None:
        return TOO_LARGE
    entries = _trimmed(entries, frame)
    found = _card_openings(entries, frame, grid, _opened(entries, terrain_set))
    if found is None:
        return DEAD_END
    if not found:
        return NO_WAY_IN
    return Face(drawing=drawing, entries=entries, openings=found, **frame._asdict())


def _card_openings(
    entries: Openings, frame: _Frame, grid: Grid, opened: NDArray[np.bool_]
) -> dict[Border, tuple[CardOpening, ...]] | None:
    """Return border -> the openings there, for the borders that have any; None if an opening in a wall leads to nothing.

    Args:
        entries: The entrances of the drawing.
        frame: How it lies on the grid.
        grid: The size of the grid's cells.
        opened: (height, width) bool, the open cells of the drawing.
    """
    shut = {_side_of(cell, entries.codes.shape) for cell in entries.closed}
    found: dict[Border, list[CardOpening]] = {}
    for number, mouth in enumerate(entries.mouths):
        if (mouth.dy, mouth.dx) in shut:
            continue
        lines = [CardOpening(at, number) for at in lines_of(mouth, opened)]
        if frame.is_walled and not all(_leads_in(mouth, line.at, opened) for line in lines):
            return None
        for line in lines:
            border = frame.border(mouth, line.at, grid)
            if border is not None:
                found.setdefault(border, []).append(line)
    for border in sorted(found):
        if border.number:  # ways into two cells of one card must not run side by side
            dy, dx, y, x = border
            before = found.get(Border(dy, dx, y - abs(dx), x - abs(dy)), ())
            others = {line.at + 1 for line in before}
            found[border] = [line for line in found[border] if line.at not in others]
    return {border: tuple(lines) for border, lines in found.items() if lines}


class _Frame(NamedTuple):
    """How a drawing lies on the grid, as in `Face`."""

    rows: int
    columns: int
    cells: tuple[tuple[int, int], ...]
    y: int
    x: int
    is_walled: bool

    def border(self, mouth: Mouth, at: int, grid: Grid) -> Border | None:
        """Return the border of the card at which one line of a mouth lies; that of the middle of the mouth, if there are gaps.

        None for a line that meets the end of a wall between two other grid cells.

        Args:
            mouth: The mouth, in coordinates of the drawing.
            at: The column of the line for a mouth at the top or bottom, otherwise its row.
            grid: The size of the grid's cells.
        """
        rows, columns = grid.height + grid.gap, grid.width + grid.gap
        back = 2 if grid.abuts else 1  # the wall between two grid cells belongs to both
        middle = (mouth.width - 1) // 2
        if mouth.dy:
            y, x = mouth.y - back * mouth.dy + self.y, (at if grid.abuts else mouth.x + middle) + self.x
        else:
            y, x = (at if grid.abuts else mouth.y + middle) + self.y, mouth.x - back * mouth.dx + self.x
        if grid.abuts and (x % columns if mouth.dy else y % rows) == 0:
            return None
        return Border(mouth.dy, mouth.dx, y // rows, x // columns)

    def is_free(self, y: int, x: int, grid: Grid) -> bool:
        """Tell whether the cell (y, x) of the drawing lies beyond the grid cells that the card takes.

        Earth between two grid cells is theirs only if both are taken. A wall that two grid cells share is that of each.
        """
        rows, columns = (
            {at // (side + grid.gap), (at + grid.gap) // (side + grid.gap)}
            for at, side in ((y + self.y, grid.height), (x + self.x, grid.width))
        )
        taken = [(row, column) in self.cells for row in rows for column in columns]
        return not (any(taken) if grid.abuts else all(taken))


def _framed(entries: Openings, terrain_set: TerrainSet, grid: Grid) -> _Frame | None:
    """Return how a drawing lies on the grid, in the middle of its grid cells; None if it is too large.

    A drawing without walls of its own needs space for the walls around it.
    """
    frame = _centred(entries.codes, grid, is_walled=True)
    if frame is not None:
        whole = len(frame.cells) == frame.rows * frame.columns
        if _is_walled(entries, terrain_set) if whole else _is_outlined(entries, terrain_set):
            return frame
    return _centred(entries.codes, grid, is_walled=False)


def _centred(codes: NDArray[np.uint8], grid: Grid, *, is_walled: bool) -> _Frame | None:
    """Return how a drawing lies on the grid with or without walls of its own; None if it is too large.

    Args:
        codes: (height, width) uint8, the drawing's terrain. The card does not take grid cells in which all of it is `KEEP`, unless
            the drawing, or a wall around it, reaches into the earth between those and the others.
        grid: The size of the grid's cells.
        is_walled: Whether its outermost cells are its walls.
    """
    walls = 0 if is_walled else 2
    counts, offsets = [], []
    for length, side in zip(codes.shape, (grid.height, grid.width), strict=True):
        pitch = side + grid.gap
        count = max(-(-(length + walls + grid.gap) // pitch), 1)
        spare = count * pitch - grid.gap - length - walls
        if count > MOST_CELLS or (count > FEW_CELLS and spare > 1):
            return None
        counts.append(count)
        offsets.append((count * pitch - grid.gap - length) // 2)
    (rows, columns), (y, x) = counts, offsets
    places = tuple((row, column) for row in range(rows) for column in range(columns))
    whole = _Frame(rows, columns, places, y, x, is_walled)
    if len(places) == 1 or (codes != t.KEEP).all():
        return whole
    drawn = codes != t.KEEP
    tops, lefts = (
        [number * (side + grid.gap) - offset for number in range(count)]
        for count, side, offset in ((rows, grid.height, y), (columns, grid.width, x))
    )
    rim = 1 if grid.abuts else 0  # a wall may be that of a neighbour
    taken = tuple(
        (row, column)
        for row, column in places
        if drawn[
            max(tops[row] + rim, 0) : max(tops[row] + grid.height - rim, 0),
            max(lefts[column] + rim, 0) : max(lefts[column] + grid.width - rim, 0),
        ].any()
    )
    frame = whole._replace(cells=taken)
    around = np.pad(drawn, 1)
    around = around if is_walled else touching(around)
    beyond = any(frame.is_free(at - 1, to - 1, grid) for at, to in np.argwhere(around).tolist())
    return whole if beyond or not taken else frame


def _trimmed(entries: Openings, frame: _Frame) -> Openings:
    """Return a drawing's entrances with mouths where its drawn cells end, if it does not take all grid cells that it reaches over.

    ##+##?????
    #...#?????      the mouth of + moves to m, and the cells after it (,),
    #...+m,,,,      which led on to the edge of the drawing, are not dug
    ##########
    """
    if len(frame.cells) == frame.rows * frame.columns:
        return entries
    mouths, beyond = [], set[tuple[int, int]]()
    for mouth in entries.mouths:
        (dy, dx), y, x = (mouth.dy, mouth.dx), mouth.y, mouth.x
        while entries.codes[y - dy, x - dx] == t.KEEP:
            y, x = y - dy, x - dx
            beyond.update((y + line * abs(dx), x + line * abs(dy)) for line in range(mouth.width))
        mouths.append(mouth._replace(y=y, x=x))
    return replace(
        entries, mouths=tuple(mouths), dug=tuple(cell for cell in entries.dug if cell not in beyond)
    )


def _side_of(cell: Cell, shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the side of a drawing of this (height, width), as (dy, dx), on which a cell just outside the drawing lies."""
    if 0 <= cell.y < shape[0]:
        return (0, -1) if cell.x < 0 else (0, 1)
    return (-1, 0) if cell.y < 0 else (1, 0)


def lines_of(mouth: Mouth, opened: NDArray[np.bool_]) -> Iterator[int]:
    """Yield the lines of a mouth (a row of cells at a drawing's edge) through which a corridor can come in.

    Each is a column for a mouth at the top or bottom of the drawing, and a row for one at its left or right.

    Args:
        mouth: The mouth.
        opened: (height, width) bool, the open cells of the drawing.
    """
    for line in range(mouth.width):
        y, x = mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy)
        if mouth.kind == "diggable" or opened[y - mouth.dy, x - mouth.dx]:
            yield x if mouth.dy else y


def _leads_in(mouth: Mouth, at: int, opened: NDArray[np.bool_]) -> bool:
    """Tell whether one line of a mouth leads on into the drawing: whether the second cell from the edge is open there.

    Args:
        mouth: The mouth: a row of cells at the drawing's edge where it can be entered.
        at: The line: a column if the mouth is at the top or bottom, otherwise a row.
        opened: (height, width) bool, the open cells of the drawing.
    """
    y, x = (mouth.y, at) if mouth.dy else (at, mouth.x)
    return bool(opened[y - 2 * mouth.dy, x - 2 * mouth.dx])


def _opened(entries: Openings, terrain_set: TerrainSet) -> NDArray[np.bool_]:
    """Return (height, width) bool: a drawing's open cells, including the cells that are dug for its connectors.

    Doors without an open cell beside them are left out: a corridor there would lead nowhere.
    """
    opened: NDArray[np.bool_] = (terrain_set.base.take(entries.codes) > t.BLOCKED) & (entries.codes != t.KEEP)
    for cell in entries.dug:
        opened[cell] = True
    near = framed(opened)
    beside = near[:-2, 1:-1] | near[2:, 1:-1] | near[1:-1, :-2] | near[1:-1, 2:]
    return opened & (beside | ~terrain_set.door.take(entries.codes))


def _is_walled(entries: Openings, terrain_set: TerrainSet) -> bool:
    """Tell whether a drawing has its own walls: each of its outermost cells is drawn and closed, except at its mouths."""
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


def _is_outlined(entries: Openings, terrain_set: TerrainSet) -> bool:
    """Tell whether a drawing of any shape has its own walls: no open cell touches a cell outside of it, except at its mouths."""
    opened, drawn = _opened(entries, terrain_set), entries.codes != t.KEEP
    outside = np.pad(~drawn, 1, constant_values=True)
    edge = touching(outside)[1:-1, 1:-1] & opened
    for mouth in entries.mouths:
        for line in range(mouth.width):
            y, x = mouth.y + line * abs(mouth.dx) - mouth.dy, mouth.x + line * abs(mouth.dy) - mouth.dx
            while not drawn[y, x]:
                edge[y, x] = False
                y, x = y - mouth.dy, x - mouth.dx
            edge[y, x] = False
    return not edge.any()


LEAST_SHARE = 0.6
"""A plain room in one grid cell is at least this share of the cell's height and width, so that grid cells don't look empty."""

LEAST_SIDE = 3
"""Fewest cells of a plain room's side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """The look of a card that is no prefab.

    Attributes:
        kind: A room, or a passage: a single open cell where corridors meet.
        cells: (height, width) bool, its open cells.
    """

    kind: Literal["room", "passage"]
    cells: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card on the grid: what it shows, and the grid cells that it takes.

    Attributes:
        plot: The index of its zone; None for a bridge or a part of a tunnel, which lie between zones.
        cells: The rectangle of grid cells that it takes.
        box: The rectangle of the map that a prefab's drawing covers, or the open cells of a plain card.
        look: The prefab or plain room that it shows.
    """

    plot: int | None
    cells: Rect
    box: Rect
    look: Face | Plain

    def openings(self, border: Border, lattice: Lattice) -> Sequence[CardOpening]:
        """Return the card's openings on one border (one outer side of one of its grid cells), as rows or columns of the map.

        Args:
            border: The border.
            lattice: The grid.
        """
        first = self.box.x if border.dy else self.box.y
        if not isinstance(self.look, Plain):
            return [CardOpening(first + at, mouth) for at, mouth in self.look.openings.get(border, ())]
        cells = self.look.cells
        edge = (
            cells[-1 if border.dy > 0 else 0] if border.dy else cells[:, -1 if border.dx > 0 else 0]
        ).tolist()
        cell = lattice.on_map(self.cell_at(border))
        if lattice.abuts:
            cell = cell.grown(-1)
        low, high = (cell.x, cell.right) if border.dy else (cell.y, cell.bottom)
        return [
            CardOpening(first + at, 0)
            for at, is_open in enumerate(edge)
            if is_open and low <= first + at < high
        ]

    def can_open(self, border: Border) -> bool:
        """Tell whether the card can be entered at a border (one side of one of its grid cells). Plain cards always can."""
        return isinstance(self.look, Plain) or border in self.look.openings

    @property
    def offsets(self) -> Iterable[tuple[int, int]]:
        """The grid cells that it takes, as (row, column) within `cells`."""
        if not isinstance(self.look, Plain):
            return self.look.cells
        return ((y, x) for y in range(self.cells.height) for x in range(self.cells.width))

    def name_of(self, border: Border) -> tuple[int, ...]:
        """Return words that tell a border from the card's others, for the names of streams."""
        return (border.dy, border.dx, border.number) if self.is_whole else border

    @property
    def is_whole(self) -> bool:
        """Whether it takes all grid cells of the rectangle `cells`."""
        return isinstance(self.look, Plain) or len(self.look.cells) == self.cells.area

    def cell_at(self, border: Border) -> Rect:
        """Return the grid cell of a border, as a rectangle of the grid."""
        return Rect(self.cells.y + border.y, self.cells.x + border.x, 1, 1)

    def first_beyond(self, border: Border, opening: CardOpening) -> Cell:
        """Return the cell of the map just outside of the card at one of its openings.

        Args:
            border: The border of the opening.
            opening: The opening, by its column of the map for a border at the top or bottom, otherwise by its row.
        """
        box, at = self.box, opening.at
        if not isinstance(self.look, Plain):
            mouth = self.look.entries.mouths[opening.mouth]
            return Cell(box.y + mouth.y, at) if border.dy else Cell(at, box.x + mouth.x)
        if border.dy:
            return Cell(box.bottom if border.dy > 0 else box.y - 1, at)
        return Cell(at, box.right if border.dx > 0 else box.x - 1)


def passage(
    lattice: Lattice, plot: int | None, cells: Rect, stream: Stream, lines: Mapping[Border, Collection[int]]
) -> Card | None:
    """Return a passage as a card: a single open cell, at a random place in its grid cell, where corridors meet.

    None if it can't lie opposite to openings of all neighbours.

    Args:
        lattice: The grid.
        plot: The index of its zone; None for a part of a tunnel between zones.
        cells: Its grid cell, as a rectangle of the grid.
        stream: The random stream.
        lines: Border -> the rows or columns of the map where the neighbour there can be entered straight ahead. Borders where
            a way may bend are left out.
    """
    whole = lattice.on_map(cells).grown(-1)
    rows = [y for y in range(whole.y, whole.bottom) if all(y in at for each, at in lines.items() if each.dx)]
    columns = [
        x for x in range(whole.x, whole.right) if all(x in at for each, at in lines.items() if each.dy)
    ]
    if not rows or not columns:
        return None
    y, x = rows[stream.below(len(rows))], columns[stream.below(len(columns))]
    look = Plain(kind="passage", cells=np.ones((1, 1), np.bool_))
    return Card(plot=plot, cells=cells, box=Rect(y, x, 1, 1), look=look)


def room(
    lattice: Lattice,
    plot: int | None,
    cells: Rect,
    params: CardsParams,
    stream: Stream,
    *,
    is_rectangle: bool = False,
) -> Card:
    """Return a plain room as a card, with space for its walls: of random size, at a random place in its grid cells.

    If grid cells share walls, the room fills its grid cells.

    Args:
        lattice: The grid.
        plot: The index of its zone; None for a bridge between zones.
        cells: The rectangle of grid cells that it takes.
        params: The author's parameters of the layout.
        stream: The random stream.
        is_rectangle: Whether the room is a rectangle, whatever shape is rolled.
    """
    whole = lattice.on_map(cells).grown(-1)
    sides = []
    for length, count, side in (
        (whole.height, cells.height, lattice.height),
        (whole.width, cells.width, lattice.width),
    ):
        # A room over several grid cells must reach into all of them.
        least = max(LEAST_SIDE, round(LEAST_SHARE * length)) if count == 1 else length - side // 2
        sides.append(length if lattice.abuts else stream.between(min(least, length), length))
    height, width = sides
    y = whole.y + stream.between(0, whole.height - height)
    x = whole.x + stream.between(0, whole.width - width)
    name = roll(params.shapes, stream, "rectangle") if cells.area == 1 else "rectangle"
    mask = SHAPES["rectangle" if is_rectangle else name](height, width, stream)
    return Card(plot=plot, cells=cells, box=Rect(y, x, height, width), look=Plain(kind="room", cells=mask))


def prefab(lattice: Lattice, plot: int | None, cells: Rect, face: Face) -> Card:
    """Return a prefab as a card: its drawing lies in the middle of some grid cells.

    Args:
        lattice: The grid.
        plot: The index of its zone; None for a bridge between zones.
        cells: The rectangle of grid cells that it takes.
        face: The drawing.
    """
    whole = lattice.on_map(cells)
    box = Rect(whole.y + face.y, whole.x + face.x, face.drawing.height, face.drawing.width)
    return Card(plot=plot, cells=cells, box=box, look=face)
