"""Joining what stood on a map before its caves: by direct links, for tunnelers would take over the caves.

A link is a short way, as wide as its mouth, from the mouth to the nearest cave or tunnel:

    #..#          the prefab's last row
    #::#          the mouth, two cells wide, and the way:
     ::::::       a block of its width that moves over free earth
     ::::::....   until it meets a cave
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.paths.ways import shortest_way
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import components
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import Mouth
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas

NEAR = 4
"""How near a cave must be for a way to open into a prefab through its diggable edge."""

SPACED = 6
"""How far such openings of one prefab are apart."""


@dataclass
class Linker:
    """Links what was on a canvas before to the caves and tunnels that are there now.

    Attributes:
        canvas: The map.
        board: The layout of its masks.
        taken: The mask of what was on the canvas before; `closed`: of what may not be dug, with a distance to it.
        random: Draws from 0 to 1.
        stopped: (height, width) bool, open cells that no way need lead to, nor may lead through; None for none.
    """

    canvas: Canvas
    board: Board
    taken: int
    closed: int
    random: Callable[[], float]
    stopped: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        board, canvas = self.board, self.canvas
        edge = board.full ^ board.block(1, 1, board.height - 2, board.width - 2)
        rooms = board.from_array(self._kinds("room"))
        self.walls = board.around(rooms)
        self.grounds = [board.full & ~(each | self.walls) for each in (self.closed, self.taken | edge)]
        self.ways = board.from_array(canvas.open) & ~self.taken & ~self.walls

    def _kinds(self, kind: str) -> NDArray[np.bool_]:
        """Return the cells of the regions of a kind that this layout made."""
        known = np.array([False, *(region.kind == kind for region in self.canvas.regions)])
        cells: NDArray[np.bool_] = known[self.canvas.region] & ~self.board.to_array(self.taken)
        return cells

    def link_all(self, mouths: Sequence[Mouth]) -> Iterator[Step]:
        """Link every tunneler, the edges that caves come near to, and what would be cut off without its connectors.

        What has no way here is left to `seeded.join_seeded`, which asks for less.
        """
        for mouth in mouths:
            if mouth.kind == "tunneler":
                yield from self._dig(self._way(mouth), mouth)
        yield from self._open_edges([mouth for mouth in mouths if mouth.kind == "diggable"])
        for group in self._cut_off([mouth for mouth in mouths if mouth.kind == "connector"]):
            ways = [
                (way.bit_count(), number, way)
                for number, mouth in enumerate(group)
                if (way := self._way(mouth))
            ]
            if ways:
                _, number, way = min(ways)
                yield from self._dig(way, group[number])

    def _way(self, mouth: Mouth) -> int:
        """Return the cells of the shortest way from a mouth: of its width and clear of all else, if that can be had.

        0 if there is none at all.
        """
        board = self.board
        ends = board.beside(self.ways)
        for width in dict.fromkeys((mouth.width, 1)):
            top = mouth.y - (width - 1 if mouth.dy < 0 else 0)
            left = mouth.x - (width - 1 if mouth.dx < 0 else 0)
            if not self.canvas.inside(Rect(top, left, width, width)):
                continue
            first = board.block(mouth.y, mouth.x, *((width, 1) if mouth.dx else (1, width))) & ~self.taken
            for ground in self.grounds:
                spots = board.fits(ground | first, width, width)
                goals = spots & ~board.fits(board.full & ~ends, width, width)
                start = board.from_cells([(top, left)])
                if way := shortest_way(board, start, goals, spots, self.random):
                    cells = first
                    for y, x in way:
                        cells |= board.block(y, x, width, width)
                    return cells & ~self.taken
        return 0

    def _dig(self, cells: int, mouth: Mouth) -> Iterator[Step]:
        """Carve a way as a corridor, as far as it is not open yet."""
        board, canvas = self.board, self.canvas
        found = board.cells(cells & ~self.ways)
        if mouth.kind == "diggable":
            found.append(Cell(mouth.y - mouth.dy, mouth.x - mouth.dx))
        if not found:
            return
        ys, xs = zip(*found, strict=True)
        bounds = Rect(min(ys), min(xs), max(ys) - min(ys) + 1, max(xs) - min(xs) + 1)
        canvas.carve_cells(found, t.CORRIDOR, canvas.add_region("corridor", bounds))
        self.ways |= cells
        yield Step(Phase.LAYOUT, f"link of {len(found)} cells", canvas)

    def _open_edges(self, mouths: Sequence[Mouth]) -> Iterator[Step]:
        """Open diggable edges where caves lie close by, here and there."""
        near = self.ways
        for _ in range(NEAR):
            near = self.board.beside(near)
        opened: list[Mouth] = []
        for mouth in mouths:
            apart = all(
                abs(mouth.y - other.y) + abs(mouth.x - other.x) >= SPACED
                for other in opened
                if other.region == mouth.region
            )
            if apart and near & self.board.from_cells([(mouth.y, mouth.x)]):
                way = self._way(mouth)
                if 0 < way.bit_count() <= NEAR * mouth.width:
                    opened.append(mouth)
                    yield from self._dig(way, mouth)

    def _cut_off(self, mouths: Sequence[Mouth]) -> list[list[Mouth]]:
        """Return the mouths of what can't be reached, those of each connected part together."""
        opened = self.canvas.open if self.stopped is None else self.canvas.open & ~self.stopped
        labels, _ = components(opened)
        main = int(labels[self.board.to_array(self.ways)].max(initial=0))  # there may be none
        groups: dict[int, list[Mouth]] = {}
        for mouth in mouths:
            part = int(labels[mouth.y - mouth.dy, mouth.x - mouth.dx])
            if part not in (0, main):
                groups.setdefault(part, []).append(mouth)
        return list(groups.values())
