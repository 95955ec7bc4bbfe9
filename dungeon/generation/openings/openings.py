"""Find where corridors can enter a prefab that lies on the map before rooms are dug.

A link is a cell that the author marked for a corridor, or closed to corridors; the table below has its kinds. A mouth
is the place outside of the prefab where the corridor to a link meets it. Mouths, links and cells are in coordinates of
the prefab's drawing.

    tunneler digit             The cells from it straight to the edge are dug, at least one cell wide, and a
    corridor
                               of the drawn width must start there.
    connector `*`              Likewise, one cell wide; a corridor may end there.
    diggable edge `o`          Stays earth that corridors may be dug through.
    closed edge `x`            The cells outside of it must not be dug.
    no link at all             The doors on its outside are connectors; without doors, the middle of each stretch of
                               open cells on its edge.
    any link to a locked door  A corridor must start there.

A link is an entrance only where walkers pass: the lines of its width count whose last cell holds no obstacle.
A part of the inside that no link leads into is entered as if the drawing had no links.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dungeon import terrain as t
from dungeon.generation.openings.inside import Inside
from dungeon.grid.rect import Cell
from dungeon.grid.regions import bounds_of
from dungeon.level.canvas import Mouth, MouthKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing, Link
    from dungeon.core.registry import Objection
    from dungeon.grid.rect import Rect
    from dungeon.terrain import TerrainSet

SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1))
"""South, north, west, east as (dy, dx)."""


@dataclass(frozen=True, slots=True)
class Openings:
    """How a drawing is put on the map and where corridors enter it. All cells are in coordinates of the drawing.

    Attributes:
        codes: (height, width) uint8, the drawing's terrain; `KEEP` where the map's earth stays and may be dug.
        dug: The cells of the drawing that are dug open for its links.
        mouths: Where corridors begin or end: the first cells outside of the drawing. Their region is 0.
        groups: For each mouth the number of the connected part of the inside that it leads into; -1 for none.
        closed: The cells around the drawing in which nothing may be dug.
        stopped: (height, width) bool, cells of the drawing that corridors need not reach and must not lead through: with an
            obstacle, not walkable, or only behind a locked door.
        bounds: The smallest rectangle around the open and dug cells that are not sealed; None if there are none.
        sealed: (height, width) bool, the open cells that are cut off on purpose; None if there are none.
        reserved: Cells in which nothing may be dug: those of `closed`, and earth on which an object will stand.
        is_split: Whether it has a locked door, or two parts between which a walker gets only by leaving the drawing.
        ways_out: For each part that is reached only from outside: the cells around the drawing where a
            corridor may arrive.
        stuck: The links with blocked terrain between them and the edge; no corridor comes there.
        blind: The links with an obstacle in every row or column of their width; no corridor comes there.
        pierced: A cell to which a corridor can be dug only through a drawn wall, as ("", cell); None if there is none.
        objection: Why the drawing can't be put on a map, as (text, cell); None if it can.
    """

    codes: NDArray[np.uint8]
    dug: tuple[Cell, ...]
    mouths: tuple[Mouth, ...]
    groups: tuple[int, ...]
    closed: tuple[Cell, ...]
    stopped: NDArray[np.bool_]
    bounds: Rect | None
    sealed: NDArray[np.bool_] | None
    reserved: tuple[Cell, ...]
    is_split: bool
    ways_out: tuple[tuple[Cell, ...], ...]
    stuck: tuple[Link, ...]
    blind: tuple[Link, ...]
    pierced: Objection | None
    objection: Objection | None


def openings(drawing: Drawing, terrain_set: TerrainSet) -> Openings:
    """Return where a drawing can be entered; the result is cached and shared by drawings with the same terrain and obstacles."""
    return cached_on_ground(_found, drawing, terrain_set)


def _found(drawing: Drawing, terrain_set: TerrainSet) -> Openings:
    digging = _LinkDigger(drawing, terrain_set)
    for link in drawing.links:
        if link.kind == "tunneler":
            digging.open(link, link.kind)
        elif link.kind == "connector":
            digging.open(digging.facing_out(link), link.kind)
    digging.add_diggable_edges()
    closed = digging.closed()
    if not digging.mouths:
        digging.add_edge_mouths(closed)
    inside = digging.inside(closed)
    if inside.lost:
        for part in inside.lost:
            doors = inside.locked_ground.barred & inside.board.beside(part)
            if not digging.add_edge_mouths(closed, inside.cells(part)):
                digging.add_edge_mouths(closed, inside.cells(doors))
        inside = digging.inside(closed)
    codes = digging.codes
    codes.flags.writeable = False  # the result is cached and shared
    opened = (terrain_set.base[codes] > t.BLOCKED) & (codes != t.KEEP)
    for each in digging.dug:
        opened[each] = True
    if drawing.sealed_cells is not None:
        opened &= ~drawing.sealed_cells
    stands = np.argwhere(inside.stopped & (codes == t.KEEP)).tolist()
    return Openings(
        codes=codes,
        dug=tuple(digging.dug),
        # A tunneler: a corridor must start right at a locked door, for one that ends nearby would not lead to it.
        mouths=tuple(
            each._replace(kind="tunneler") if inside.leads_to_a_lock(each) else each
            for each in digging.mouths
        ),
        groups=inside.groups,
        closed=closed,
        stopped=inside.stopped,
        bounds=bounds_of(opened) if opened.any() else None,
        sealed=drawing.sealed_cells,
        reserved=(*closed, *(Cell(y, x) for y, x in stands)),
        is_split=inside.is_split,
        ways_out=inside.ways_out,
        stuck=tuple(digging.stuck),
        blind=tuple(digging.blind),
        pierced=inside.pierced if inside.objection is None else None,
        objection=inside.objection,
    )


@dataclass(slots=True)
class _LinkDigger:
    """A drawing while the cells between its links and its edge are dug.

    Attributes:
        codes: (height, width) uint8, the drawing's terrain; diggable edges are `KEEP`, the code of cells where the map stays as it
            is.
        opened: (height, width) bool, the drawing's open cells, dug ones included.
        soft: (height, width) bool, earth that corridors may be dug through.
        blocked: (height, width) bool, cells that must never be dug.
        dug: The cells that have been dug, in order.
        mouths: The mouths found so far. `stuck`: the links that lead only into blocked terrain. `blind`: the links with an
            obstacle in every line of their width.
    """

    drawing: Drawing
    terrain_set: TerrainSet
    codes: NDArray[np.uint8] = field(init=False)
    opened: NDArray[np.bool_] = field(init=False)
    soft: NDArray[np.bool_] = field(init=False)
    blocked: NDArray[np.bool_] = field(init=False)
    dug: dict[Cell, None] = field(default_factory=dict)
    mouths: list[Mouth] = field(default_factory=list)
    stuck: list[Link] = field(default_factory=list)
    blind: list[Link] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.codes = self.drawing.terrain.copy()
        base = self.terrain_set.base[self.codes]
        kept = self.codes == t.KEEP
        self.opened = ~kept & (base > t.BLOCKED)
        self.blocked = ~kept & (base == t.BLOCKED)
        for link in self.drawing.links:
            if link.kind == "diggable" and not (self.opened | self.blocked)[link.y, link.x]:
                self.codes[link.y, link.x] = t.KEEP
        self.soft = self.codes == t.KEEP

    def steps(self, y: int, x: int, dy: int, dx: int) -> Iterator[Cell]:
        """Yield the cell (y, x) and the cells after it in the direction (dy, dx), up to the edge of the drawing."""
        height, width = self.codes.shape
        while 0 <= y < height and 0 <= x < width:
            yield Cell(y, x)
            y, x = y + dy, x + dx

    # -- links ----------------------------------------------------------------------------------

    def open(self, link: Link, kind: MouthKind) -> None:
        """Dig from a link to the drawing's edge, and add the mouth there; record a link that can't be used as `stuck` or `blind`.

        For these nothing is dug: what is dug for a blind link is closed again.

        Args:
            link: The link.
            kind: The kind of mouth: at a `tunneler` a corridor must start, at a `connector` one may end.
        """
        way = list(self.steps(link.y, link.x, link.dy, link.dx))
        if any(self.blocked[cell] for cell in way):
            self.stuck.append(link)
            return
        first = self.first_line(link, way)
        lines = range(first, first + link.width)
        height, width = self.codes.shape
        dug_before = len(self.dug)
        for cell in way:
            dig_all = not self.opened[cell]
            for line in lines:
                beside = Cell(cell.y, line) if link.dy else Cell(line, cell.x)
                if 0 <= beside.y < height and 0 <= beside.x < width:
                    self.dig(beside, hard=dig_all)
        edge = way[-1]
        ends = [Cell(edge.y, line) if link.dy else Cell(line, edge.x) for line in lines]
        line, width = self.widest_stretch(ends)
        if not width:
            self.blind.append(link)
            for cell in [*self.dug][dug_before:]:
                self.fill(cell)
            return
        y, x = (edge.y + link.dy, first + line) if link.dy else (first + line, edge.x + link.dx)
        self.mouths.append(Mouth(y, x, link.dy, link.dx, width, kind, 0))

    def facing_out(self, link: Link) -> Link:
        """Return a connector link with the direction in which it faces.

        In a wall it faces away from the one open cell beside it, if only closed cells follow up to the edge. Otherwise it keeps the
        direction to the nearest edge.
        """
        if self.opened[link.y, link.x]:
            return link
        sides = [
            (dy, dx)
            for dy, dx in SIDES
            if self._is_inside(Cell(link.y - dy, link.x - dx)) and self.opened[link.y - dy, link.x - dx]
        ]
        if len(sides) != 1:
            return link
        ((dy, dx),) = sides
        if any(self.opened[cell] or self.blocked[cell] for cell in self.steps(link.y, link.x, dy, dx)):
            return link
        return link._replace(dy=dy, dx=dx)

    def widest_stretch(self, ends: list[Cell]) -> tuple[int, int]:
        """Return the stretch of a link's cells at the edge where walkers have most space, as (index of its first cell, number of cells).

        Cells where a walker can't stand, such as those with obstacles, divide the edge into stretches. (0, 0) if he can stand nowhere.

        Args:
            ends: The cells at the drawing's edge over which the corridor would lead, in order.
        """
        best = most = begin = 0
        size = 0
        for at in range(len(ends) + 1):
            if at < len(ends) and not self.is_stopped(ends[at]):
                continue
            usable = sum(self.is_free(end) for end in ends[begin:at])
            if usable > most:
                best, most, size = begin, usable, at - begin
            begin = at + 1
        return best, size

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is an open cell of the drawing on which a walker who opens every door can stand."""
        if not self._is_inside(cell) or not self.opened[cell] or self.drawing.barriers[cell]:
            return False
        return cell in self.dug or bool(self.terrain_set.passable[self.codes[cell]])

    def is_stopped(self, cell: Cell) -> bool:
        """Return whether a cell is an open cell of the drawing on which no walker can stand: water, or one with an obstacle."""
        return self._is_inside(cell) and bool(self.opened[cell]) and not self.is_free(cell)

    def first_line(self, link: Link, way: list[Cell]) -> int:
        """Return the first row (or column) of the strip, as wide as the link, that is dug from the link to the edge.

        The link is drawn as one cell in the middle of the strip. A strip of even width may extend by one cell more to either side: the
        side with more open or diggable cells at the edge is taken.

        Args:
            link: The link.
            way: The cells from the link straight to the edge.
        """
        middle, size = (link.x, self.codes.shape[1]) if link.dy else (link.y, self.codes.shape[0])
        before = (link.width - 1) // 2
        firsts = [middle - before, middle - (link.width - 1 - before)]
        firsts = [max(0, min(first, size - link.width)) if link.width <= size else first for first in firsts]
        edge = way[-1]
        ends = (self.opened | self.soft)[edge.y] if link.dy else (self.opened | self.soft)[:, edge.x]
        return max(firsts, key=lambda first: int(ends[max(first, 0) : first + link.width].sum()))

    def dig(self, cell: Cell, *, hard: bool) -> None:
        """Open a closed cell that is diggable earth; with `hard`, also a wall, but never a blocked cell."""
        if not self.opened[cell] and not self.blocked[cell] and (hard or self.soft[cell]):
            self.opened[cell] = True
            self.soft[cell] = False
            self.dug[cell] = None

    def fill(self, cell: Cell) -> None:
        """Close a cell again that `dig` has opened."""
        self.opened[cell] = False
        self.soft[cell] = self.codes[cell] == t.KEEP
        del self.dug[cell]

    def add_diggable_edges(self) -> None:
        """Add a mouth for each diggable link at the edge whose cell is open, or leads to an open cell through diggable earth alone."""
        for link in self.drawing.links:
            cell = Cell(link.y, link.x)
            beyond = Cell(link.y + link.dy, link.x + link.dx)
            if link.kind != "diggable" or self._is_inside(beyond):
                continue
            if self.blocked[cell]:
                self.stuck.append(link)
                continue
            if self.opened[cell]:
                if not self.is_free(cell):
                    self.blind.append(link)
                elif cell not in self.dug:
                    self.mouths.append(Mouth(*beyond, link.dy, link.dx, 1, "connector", 0))
                continue
            first = self.behind_earth(link.y, link.x, -link.dy, -link.dx)
            if first is not None and self.is_stopped(first):
                self.blind.append(link)
            elif first is not None and self.opened[first] and not self._is_locked(first):
                self.mouths.append(Mouth(*beyond, link.dy, link.dx, 1, "diggable", 0))

    def closed(self) -> tuple[Cell, ...]:
        """Return the cells outside of the drawing beside the links that the author closed to corridors."""
        found: dict[Cell, None] = {}
        for link in self.drawing.links:
            if link.kind == "closed":
                for dy, dx in SIDES:
                    beyond = Cell(link.y + dy, link.x + dx)
                    if not self._is_inside(beyond):
                        found[beyond] = None
        return tuple(found)

    def _is_inside(self, cell: Cell) -> bool:
        height, width = self.drawing.height, self.drawing.width
        return 0 <= cell.y < height and 0 <= cell.x < width

    # -- without links --------------------------------------------------------------------------

    def add_edge_mouths(self, closed: Sequence[Cell], within: NDArray[np.bool_] | None = None) -> bool:
        """Add mouths at the outer doors; without doors, in the middle of each stretch of open edge. Return whether any was added.

        The edge is where the drawn cells begin: transparent cells (`KEEP`) outside of them don't count.

        Args:
            closed: The cells around the drawing in which nothing may be dug.
            within: (height, width) bool, the only cells that the mouths may lead into; None for all.
        """
        doors, middles = [], []
        for side in SIDES:
            ends = [cell for cell in self.ends(*side, closed) if within is None or within[cell]]
            doors += [(cell, side) for cell in ends if self._is_door(cell)]
            middles += [(run[len(run) // 2], side) for run in _runs(ends)]
        for cell, (dy, dx) in doors or middles:
            *_, edge = self.steps(*cell, dy, dx)
            for each in self.steps(*cell, dy, dx):
                self.dig(each, hard=False)
            self.mouths.append(Mouth(edge.y + dy, edge.x + dx, dy, dx, 1, "connector", 0))
        return bool(doors or middles)

    def ends(self, dy: int, dx: int, closed: Sequence[Cell]) -> list[Cell]:
        """Return the drawing's cells that a walker can enter from the side (dy, dx), such as (1, 0) for south, in order along that side.

        Cells behind one of `closed` are left out: nothing may be dug there.
        """
        height, width = self.codes.shape
        walls = [Cell(height - 1 if dy > 0 else 0, x) for x in range(width)]
        if dx:
            walls = [Cell(y, width - 1 if dx > 0 else 0) for y in range(height)]
        found = []
        for wall in walls:
            if (wall.y + dy, wall.x + dx) in closed:
                continue
            first = self.behind_earth(*wall, -dy, -dx)
            if first is not None and self.is_free(first):
                found.append(first)
        return found

    def behind_earth(self, y: int, x: int, dy: int, dx: int) -> Cell | None:
        """Return the first cell from (y, x) in the direction (dy, dx) that is not diggable earth.

        None if earth with an obstacle comes before it, or all cells are earth.
        """
        for each in self.steps(y, x, dy, dx):
            if not self.soft[each]:
                return each
            if self.drawing.barriers[each]:
                return None
        return None

    def inside(self, closed: tuple[Cell, ...]) -> Inside:
        """Return the drawing as it is dug now, with the mouths found so far, for flood fills."""
        codes = self.codes.copy()
        for cell in self.dug:
            codes[cell] = t.CORRIDOR
        return Inside(self.drawing, codes, self.opened.copy(), tuple(self.mouths), closed, self.terrain_set)

    def _is_door(self, cell: Cell) -> bool:
        return int(self.terrain_set.base[self.codes[cell]]) in t.DOORS

    def _is_locked(self, cell: Cell) -> bool:
        return int(self.terrain_set.base[self.codes[cell]]) == t.LOCKED_DOOR


def _runs(cells: list[Cell]) -> Iterator[list[Cell]]:
    """Yield the stretches in which each cell is beside the one before: [(0, 1), (0, 2), (0, 5)] -> [(0, 1), (0, 2)] and [(0, 5)]."""
    run: list[Cell] = []
    for cell in cells:
        if run and abs(cell.y - run[-1].y) + abs(cell.x - run[-1].x) != 1:
            yield run
            run = []
        run.append(cell)
    if run:
        yield run


T = TypeVar("T")


class _Known(dict[tuple[object, ...], Any]):
    """The cache of one drawn ground (terrain and obstacles): (function, orientation, links, further arguments) -> result."""

    def __init__(self, terrain_set: TerrainSet) -> None:
        super().__init__()
        self.terrain_set = terrain_set


def cached_on_ground(find: Callable[..., T], drawing: Drawing, terrain_set: TerrainSet, *more: object) -> T:
    """Return `find(drawing, terrain_set, *more)`, cached for as long as the drawing's ground (its terrain and obstacles) lives.

    Most variants of a prefab share one ground object, so they share the results.

    Args:
        find: A function that looks at nothing of a drawing but its ground, orientation and links.
        drawing: The drawing.
        terrain_set: The meaning of the drawing's terrain codes. Another terrain set clears the cache.
        more: Further arguments; hashable.
    """
    known = drawing.ground.notes.get(_Known)
    if not isinstance(known, _Known) or known.terrain_set is not terrain_set:
        known = drawing.ground.notes[_Known] = _Known(terrain_set)
    key = (find, drawing.orientation, drawing.links, *more)
    if key not in known:
        known[key] = find(drawing, terrain_set, *more)
    found: T = known[key]
    return found
