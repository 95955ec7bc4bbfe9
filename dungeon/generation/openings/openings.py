"""Where a drawing that is to be seeded can be entered: what its links, doors and edges become.

    a tunneler's digit        the way from its cell straight to the edge is dug, at least one cell wide, and a way of the
                              drawn width must start there
    a connector's `*`         likewise, one cell wide, where a way may end
    a diggable edge `o`       stays earth, which belongs to nobody; a way may come through it
    a closed edge `x`         the cells outside of it are kept from being dug
    no link at all            its outer doors are connectors; without doors the middle of each stretch of open edge is
    any link to a locked door a way must start there

A link is a way in only where walkers pass: of its lines those count on whose last cell nothing stands that stays. A part of
the inside that no link leads into is entered as if there were no link at all. What is said of the ways to come is the
`Mouth` of a link.
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
    """How a drawing is put on the map; cells are the drawing's.

    Attributes:
        codes: (height, width) uint8, its terrain; `KEEP` where earth stays earth that anybody may dig.
        dug: The cells that are dug open for its links.
        mouths: Where ways begin or end, the first cells beyond the drawing; their region is 0.
        groups: For each mouth a number, the same for those that lead into the same part of the inside.
        closed: The cells beyond it in which nothing may be dug.
        stopped: (height, width) bool, its open cells that ways need not lead to, nor may lead through: something stands
            there, nobody walks on them, or only a locked door leads there.
        bounds: The smallest rectangle around its open cells, those that are dug among them; None if it has none.
        reserved: The cells of the map in which nobody is to dig: the closed ones, and those on which something will stand.
        is_split: Whether what hangs together by open cells does not for walkers.
        is_left: Whether a part of the inside is led into by no mouth, so that a way has to be dug to it.
        ways_out: For each such part that ways come to only from outside: the cells beyond the drawing by which they may.
        stuck: The links that only lead into blocked terrain.
        blind: The links on which something stands in every line.
        pierced: A cell to which a way is dug through a wall, for no link, door or open edge leads there; None if there is none.
        objection: Why it can't be seeded, and the cell to be blamed; None if it can.
    """

    codes: NDArray[np.uint8]
    dug: tuple[Cell, ...]
    mouths: tuple[Mouth, ...]
    groups: tuple[int, ...]
    closed: tuple[Cell, ...]
    stopped: NDArray[np.bool_]
    bounds: Rect | None
    reserved: tuple[Cell, ...]
    is_split: bool
    is_left: bool
    ways_out: tuple[tuple[Cell, ...], ...]
    stuck: tuple[Link, ...]
    blind: tuple[Link, ...]
    pierced: Objection | None
    objection: Objection | None


def openings(drawing: Drawing, terrain_set: TerrainSet) -> Openings:
    """Return where a drawing can be entered, found out once for as long as its ground lasts."""
    return cached_on_ground(_found, drawing, terrain_set)


def _found(drawing: Drawing, terrain_set: TerrainSet) -> Openings:
    digging = _LinkDigger(drawing, terrain_set)
    for link in drawing.links:
        if link.kind == "tunneler":
            digging.open(link, link.kind)
        elif link.kind == "connector":
            digging.open(digging.facing_out(link), link.kind)
    digging.let_in()
    closed = digging.closed()
    if not digging.mouths:
        digging.open_edges(closed)
    inside = digging.inside(closed)
    if inside.lost:
        for part in inside.lost:
            doors = inside.locked_ground.barred & inside.board.beside(part)
            if not digging.open_edges(closed, inside.cells(part)):
                digging.open_edges(closed, inside.cells(doors))
        inside = digging.inside(closed)
    codes = digging.codes
    codes.flags.writeable = False  # whoever asks again gets the same
    opened = (terrain_set.base[codes] > t.BLOCKED) & (codes != t.KEEP)
    for each in digging.dug:
        opened[each] = True
    stands = np.argwhere(inside.stopped & (codes == t.KEEP)).tolist()
    return Openings(
        codes=codes,
        dug=tuple(digging.dug),
        # A way that just ends near a locked door would be no way to it.
        mouths=tuple(
            each._replace(kind="tunneler") if inside.leads_to_a_lock(each) else each
            for each in digging.mouths
        ),
        groups=inside.groups,
        closed=closed,
        stopped=inside.stopped,
        bounds=bounds_of(opened) if opened.any() else None,
        reserved=(*closed, *(Cell(y, x) for y, x in stands)),
        is_split=inside.is_split,
        is_left=bool(inside.lost),
        ways_out=inside.ways_out,
        stuck=tuple(digging.stuck),
        blind=tuple(digging.blind),
        pierced=inside.pierced if inside.objection is None else None,
        objection=inside.objection,
    )


@dataclass(slots=True)
class _LinkDigger:
    """A drawing, and what has been dug in it.

    Attributes:
        opened: (height, width) bool, its open cells; `soft`: those of earth that anybody may dig.
        mouths: What has been found so far; likewise `stuck` and `blind`.
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
        """Yield a cell and those beyond it, as far as the drawing goes."""
        height, width = self.codes.shape
        while 0 <= y < height and 0 <= x < width:
            yield Cell(y, x)
            y, x = y + dy, x + dx

    # -- links ----------------------------------------------------------------------------------

    def open(self, link: Link, kind: MouthKind) -> None:
        """Dig the way from a link to the edge, and say what is to start, or may end, there."""
        way = list(self.steps(link.y, link.x, link.dy, link.dx))
        if any(self.blocked[cell] for cell in way):
            self.stuck.append(link)
            return
        first = self.first_line(link, way)
        lines = range(first, first + link.width)
        height, width = self.codes.shape
        for cell in way:
            dig_all = not self.opened[cell]
            for line in lines:
                beside = Cell(cell.y, line) if link.dy else Cell(line, cell.x)
                if 0 <= beside.y < height and 0 <= beside.x < width:
                    self.dig(beside, hard=dig_all)
        edge = way[-1]
        ends = [Cell(edge.y, line) if link.dy else Cell(line, edge.x) for line in lines]
        line, width = self.widest(ends)
        if not width:
            self.blind.append(link)
            return
        y, x = (edge.y + link.dy, first + line) if link.dy else (first + line, edge.x + link.dx)
        self.mouths.append(Mouth(y, x, link.dy, link.dx, width, kind, 0))

    def facing_out(self, link: Link) -> Link:
        """Return a connector as it faces: one in a wall away from the one open cell beside it, if that leads out."""
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

    def widest(self, ends: list[Cell]) -> tuple[int, int]:
        """Return where among the last cells of a link's lines its way begins, and how many it has: none if nobody can pass.

        That is the stretch between cells on which something stands where most can be walked on.
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
        """Tell whether a walker who can open every door can stand on a cell of the drawing."""
        if not self._is_inside(cell) or not self.opened[cell] or self.drawing.obstacles[cell]:
            return False
        return cell in self.dug or bool(self.terrain_set.passable[self.codes[cell]])

    def is_stopped(self, cell: Cell) -> bool:
        """Tell whether a cell of the drawing is open, and nobody can stand on it."""
        return self._is_inside(cell) and bool(self.opened[cell]) and not self.is_free(cell)

    def first_line(self, link: Link, way: list[Cell]) -> int:
        """Return the first of the lines of a link's way: of those that hold it, the ones with the most open ends.

        A way two wide, drawn as one digit, may lie to either side of it.
        """
        middle, size = (link.x, self.codes.shape[1]) if link.dy else (link.y, self.codes.shape[0])
        before = (link.width - 1) // 2
        firsts = [middle - before, middle - (link.width - 1 - before)]
        firsts = [max(0, min(first, size - link.width)) if link.width <= size else first for first in firsts]
        edge = way[-1]
        ends = (self.opened | self.soft)[edge.y] if link.dy else (self.opened | self.soft)[:, edge.x]
        return max(firsts, key=lambda first: int(ends[max(first, 0) : first + link.width].sum()))

    def dig(self, cell: Cell, *, hard: bool) -> None:
        """Open a cell of earth that anybody may dig, or, if the way goes through solid cells, any that is not blocked."""
        if not self.opened[cell] and not self.blocked[cell] and (hard or self.soft[cell]):
            self.opened[cell] = True
            self.soft[cell] = False
            self.dug[cell] = None

    def let_in(self) -> None:
        """Find the edge cells through which ways may come: earth with nothing but such earth before an open cell."""
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
        """Return the cells beyond closed edges."""
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

    def open_edges(self, closed: Sequence[Cell], within: NDArray[np.bool_] | None = None) -> bool:
        """Make the outer doors connectors; without doors the middle of each stretch of open edge. Tell if there was any.

        An edge is where the drawing's own cells begin: what it leaves as it is does not count.

        Args:
            closed: The cells beyond it in which nothing may be dug.
            within: (height, width) bool, the only cells that are to be led into; by default all.
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
        """Return the cells that can be walked into from that side, in order."""
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
        """Return the first cell on the way inward that is not earth for anybody to dig; None where something stands before it."""
        for each in self.steps(y, x, dy, dx):
            if not self.soft[each]:
                return each
            if self.drawing.obstacles[each]:
                return None
        return None

    def inside(self, closed: tuple[Cell, ...]) -> Inside:
        """Return what walkers make of it as it is now."""
        codes = self.codes.copy()
        for cell in self.dug:
            codes[cell] = t.CORRIDOR
        return Inside(self.drawing, codes, self.opened.copy(), tuple(self.mouths), closed, self.terrain_set)

    def _is_door(self, cell: Cell) -> bool:
        return int(self.terrain_set.base[self.codes[cell]]) in t.DOORS

    def _is_locked(self, cell: Cell) -> bool:
        return int(self.terrain_set.base[self.codes[cell]]) == t.LOCKED_DOOR


def _runs(cells: list[Cell]) -> Iterator[list[Cell]]:
    """Yield the stretches of cells that lie side by side."""
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
    """Who has asked, how the ground lay, its links, and what else was asked -> what came of it."""

    def __init__(self, terrain_set: TerrainSet) -> None:
        super().__init__()
        self.terrain_set = terrain_set


def cached_on_ground(find: Callable[..., T], drawing: Drawing, terrain_set: TerrainSet, *more: object) -> T:
    """Return `find(drawing, terrain_set, *more)`, found out once for as long as the drawing's ground lasts.

    Args:
        find: Asks for nothing but the ground of a drawing, how it lies, and its links.
        drawing: The drawing.
        terrain_set: What its codes mean.
        more: What else is asked; must be hashable.
    """
    known = drawing.ground.notes.get(_Known)
    if not isinstance(known, _Known) or known.terrain_set is not terrain_set:
        known = drawing.ground.notes[_Known] = _Known(terrain_set)
    key = (find, drawing.orientation, drawing.links, *more)
    if key not in known:
        known[key] = find(drawing, terrain_set, *more)
    found: T = known[key]
    return found
