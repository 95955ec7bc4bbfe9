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
from dungeon.errors import GenerationError
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.grid.ways import shortest_way
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.bits import Board
    from dungeon.layouts.job import Mouth
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
    """

    canvas: Canvas
    board: Board
    taken: int
    closed: int
    random: Callable[[], float]

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
        """Link every tunneler, the edges that caves come near to, and whatever would be cut off without.

        Raises:
            GenerationError: A tunneler, or something that is not sealed, can't be linked.
        """
        for mouth in mouths:
            if mouth.kind == "tunneler":
                yield self._link(mouth)
        yield from self._open_edges([mouth for mouth in mouths if mouth.kind == "diggable"])
        while (part := self._cut_off()) is not None:
            yield self._rejoin(part, [mouth for mouth in mouths if mouth.kind != "tunneler"])

    def _link(self, mouth: Mouth) -> Step:
        way = self._way(mouth)
        if way is None:
            raise GenerationError(
                f"no way leads from the prefab's link at y {mouth.y}, x {mouth.x} to a cave: it is walled in"
            )
        return self._dig(way, mouth)

    def _way(self, mouth: Mouth) -> int | None:
        """Return the cells of the shortest way from a mouth: of its width and clear of all else, if that can be had."""
        board = self.board
        ends = board.beside(self.ways)
        for width in dict.fromkeys((mouth.width, 1)):
            across, along = (width, 1) if mouth.dx else (1, width)
            first = board.block(mouth.y, mouth.x, across, along) & ~self.taken
            top = mouth.y - (width - 1 if mouth.dy < 0 else 0)
            left = mouth.x - (width - 1 if mouth.dx < 0 else 0)
            for ground in self.grounds:
                spots = board.fits(ground | first, width, width)
                goals = spots & ~board.fits(board.full & ~ends, width, width)
                start = board.from_cells([(top, left)])
                if way := shortest_way(board, start, goals, spots, self.random):
                    cells = first
                    for y, x in way:
                        cells |= board.block(y, x, width, width)
                    return cells & ~self.taken
        return None

    def _dig(self, cells: int, mouth: Mouth | None) -> Step:
        """Carve a way as a corridor."""
        board, canvas = self.board, self.canvas
        found = board.cells(cells & ~self.ways)
        if mouth is not None and mouth.kind == "diggable":
            found.append((mouth.y - mouth.dy, mouth.x - mouth.dx))  # type: ignore[arg-type]
        ys, xs = zip(*found, strict=True)
        bounds = Rect(min(ys), min(xs), max(ys) - min(ys) + 1, max(xs) - min(xs) + 1)
        canvas.carve_cells(found, t.CORRIDOR, canvas.add_region("corridor", bounds))
        self.ways |= cells
        return Step(Phase.LAYOUT, f"link of {len(found)} cells", canvas)

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
                if way is not None and way.bit_count() <= NEAR * mouth.width:
                    opened.append(mouth)
                    yield self._dig(way, mouth)

    def _cut_off(self) -> NDArray[np.bool_] | None:
        """Return the cells of a part that can't be reached and is not sealed, or None if there is none."""
        canvas = self.canvas
        sealed = np.array([False, *(region.sealed for region in canvas.regions)])
        labels, count = components(canvas.open)
        main = labels[self.board.to_array(self.ways)].max()
        apart = (labels > 0) & (labels != main) & ~sealed[canvas.region]
        apart &= canvas.region > 0
        if count < 2 or not apart.any():
            return None
        first: NDArray[np.bool_] = labels == labels[apart][0]
        return first

    def _rejoin(self, part: NDArray[np.bool_], mouths: Sequence[Mouth]) -> Step:
        """Link a part that is cut off: at a connector, else at a diggable edge, else where it lies open to the earth."""
        regions = set(np.unique(self.canvas.region[part]).tolist())
        for kind in ("connector", "diggable"):
            ways = [
                (way.bit_count(), number, way, mouth)
                for number, mouth in enumerate(mouths)
                if mouth.kind == kind
                and (
                    part[mouth.y - mouth.dy, mouth.x - mouth.dx]
                    or (kind == "diggable" and mouth.region in regions)
                )
                and (way := self._way(mouth))
            ]
            if ways:
                _, _, way, mouth = min(ways)
                return self._dig(way, mouth)
        board = self.board
        start = board.beside(board.from_array(part)) & ~self.taken
        for ground in self.grounds:
            if found := shortest_way(board, start, board.beside(self.ways), ground | start, self.random):
                return self._dig(board.from_cells(found), None)
        y, x = np.argwhere(part)[0].tolist()
        raise GenerationError(
            f"what is open at y {y}, x {x} has no link by which it can be joined to the caves"
        )
