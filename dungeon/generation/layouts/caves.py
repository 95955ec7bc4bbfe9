"""The layout `caves`: natural caves of many shapes, joined by winding tunnels; and `CaveSystem`, which it shares with `mines`.

A *space* is a cave, or in `mines` a rectangular room; spaces are numbered from 1. A *place* is a point of the map around which
a cave is to grow; a *pocket* is a place that stays earth. `labels` has the number of each cell's space, 0 for earth, `CLOSED`
(-1) for cells that may not be dug.

After "Generating and Populating Caves". `caves_shapes` makes the caves, `caves_flow` chooses which are joined,
`caves_digging` digs the tunnels. Prefabs that were put on the map before are joined by `seeded`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError, counted
from dungeon.generation.layouts.caves_digging import CaveNetwork, CaveSpaces
from dungeon.generation.layouts.caves_flow import CLOSED
from dungeon.generation.layouts.caves_shapes import (
    CaveSystemParams,
    automaton_steps,
    blobs,
    numbered,
    outline_earth,
    throw_places,
)
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.registry import Size
    from dungeon.generation.layouts.caves_shapes import CaveEarth, CavePlace
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

OPEN = 0.78
"""The share of a cave's ground that the automaton leaves open, roughly, its rim not counted."""

RIM = 3.6
"""How many cells a cave loses across at its rim: the earth around it, and the cells that the automaton closes there."""

SPARE = 2
"""There must be space for this many times as many places as caves: some places end up too small or as pockets."""

LEAST = 10
"""The fewest cells of a cave, however small the map."""

ROOMY = 1.3
"""The smallest map has this many times the length, in each direction, that the fewest caves take."""


def spacing(params: CaveSystemParams) -> float:
    """Return the mean distance, in cells, between the middles of neighbouring caves, from the mean size of a cave."""
    return math.sqrt(params.mean / OPEN) + RIM


def least_size(params: CaveSystemParams, job: LayoutJob) -> Size:  # noqa: ARG001
    """Return the smallest map for this layout, as (shorter side, longer side): `min_caves` caves have space side by side."""
    margins = 2 * max(params.margin.outcomes())
    side = ROOMY * spacing(params)
    return margins + round(side), margins + round(params.min_caves * side)


class CaveGround:
    """The cells of a map that a cave system may dig.

    Args:
        canvas: The map.
        margin: The number of rows and columns of earth that stay at each edge of the map.

    Attributes:
        board: The layout of the map's masks.
        area: The rectangle of the map without its margins.
        taken: The mask of the cells that were carved, drawn or reserved before the layout.
        closed: The mask of the cells that may not be dug: the map's edge, and all cells on or next to a taken one.

    Raises:
        GenerationError: The margins leave nothing.
    """

    def __init__(self, canvas: Canvas, margin: int) -> None:
        height, width = canvas.height, canvas.width
        self.board = board = Board(height, width)
        self.area = Rect(margin, margin, height - 2 * margin, width - 2 * margin)
        if self.area.height < 1 or self.area.width < 1:
            raise GenerationError(
                f"margins of {counted(margin, 'cell')} leave nothing of a map of {width}x{height}"
            )
        self.taken = board.from_array(canvas.used)
        self.closed = board.full ^ board.block(1, 1, height - 2, width - 2) | board.around(self.taken)

    @property
    def diggable(self) -> int:
        """The mask of the cells of `area` that may be dug."""
        return self.board.block(*self.area) & ~self.closed


class CaveSystem:
    """The caves of a map, and the rooms of `mines`, while they are dug and joined. Both are called *spaces*.

    Args:
        canvas: The map.
        params: The author's parameters.
        job: The job of the layout.
        name: The name of the layout, a part of the names of its random streams.

    Attributes:
        canvas: The map. Everything on it stays; spaces keep one cell away from it.
        standing: The number of regions on the map before the layout, without sealed ones.
        params: The author's parameters.
        job: Its streams (`key`, ...) decide everything.
        key: The first words of the streams' names.
        stream: The random stream for the shapes of the caves.
        ground: The cells that may be dug.
        labels: (height, width) int32, the number of each cell's space, from 1; 0 for earth; `CLOSED` for cells that
            may not be dug. Caves have the lowest numbers.
        boxes: The smallest rectangle around each space; that of space n is `boxes[n - 1]`.
        caves: The number of caves.
        before: The number to add to the number of a space to get the id of its region.
        earth: The earth in which caves may be.
        scale: The size of caves as a share of the size that the author wants; below 1 on small maps.
        spacing: The mean distance between neighbouring places for caves, in cells.
    """

    labels: NDArray[np.int32]
    earth: CaveEarth
    scale: float
    spacing: float

    def __init__(self, canvas: Canvas, params: CaveSystemParams, job: LayoutJob, name: str) -> None:
        self.canvas = canvas
        self.standing = sum(not region.sealed for region in canvas.regions)
        self.params = params
        self.job = job
        self.key = ("layout", name, job.attempt)
        self.stream = job.streams.mersenne(*self.key, "caves")
        self.ground = CaveGround(canvas, params.dice("margin", self.stream, 1)())
        self.boxes: list[Rect] = []
        self.caves = self.before = 0

    def places(self) -> list[tuple[CavePlace, int]]:
        """Return the points around which caves grow, each with the size of its cave in cells; size 0 for one that stays earth.

        If the map has no space for `min_caves` caves of the wanted sizes, all sizes are scaled down.
        """
        params, stream, ground = self.params, self.stream, self.ground
        roll = params.dice("cave", stream, 0)
        each = ground.diggable.bit_count() / (SPARE * params.min_caves)
        mean = min(params.mean, max(LEAST, OPEN * max(0, math.sqrt(each) - RIM) ** 2))
        self.scale, self.spacing = mean / params.mean, math.sqrt(mean / OPEN) + RIM
        self.earth = outline_earth(ground.board, ground.area, params.barren, self.spacing, stream)
        every = list(throw_places(self.earth, self.spacing, stream))
        pockets = int(params.pockets * len(every) + stream.random())
        return [
            (place, round(roll() * self.scale) if number >= pockets else 0)
            for number, place in enumerate(every)
        ]

    def hollow_out(
        self, places: Sequence[tuple[CavePlace, int]], diggable: int, rooms: int = 0
    ) -> Iterator[Step]:
        """Carve caves at the places. Yield a step for all caves and, if watched, one for the noise and each step of the automaton.

        Args:
            places: The places, each with the size of its cave in cells; 0 for a place that stays earth.
            diggable: The mask of the cells that may be dug.
            rooms: The number of rooms that are dug after the caves.

        Raises:
            GenerationError: Caves, rooms and the regions that the map had before are fewer than `min_caves`.
        """
        canvas, board, stream, params = self.canvas, self.ground.board, self.stream, self.params
        allowed = blobs(board, self.earth, places, self.spacing, stream) & diggable
        free = board.to_array(diggable) if self.ground.taken else None
        noise = stream.bits(board.height * board.stride, params.fill) & allowed
        # Three attempts at enough caves: from noise in the blobs, from the whole blobs, from all that may be dug.
        for begin, within in ((noise, allowed), (allowed, allowed), (diggable, diggable)):
            for number, bits in enumerate(automaton_steps(board, begin, within, params.steps)):
                if self.job.watched:
                    canvas.sketch(board.to_array(bits), t.CAVE, free)
                    yield Step(Phase.LAYOUT, f"the automaton's step {number}" if number else "noise", canvas)
            self._number(board.to_array(bits))
            if self.caves >= params.min_caves:
                break
        if self.caves + rooms + self.standing < params.min_caves:
            raise GenerationError(
                f"only {counted(self.caves, 'cave')} found space in a map of {canvas.width}x{canvas.height}; "
                f"min_caves is {params.min_caves}"
            )
        if self.job.watched:
            canvas.sketch(self.labels > 0, t.CAVE, free)
        self.before = canvas.carve_spaces(self.labels, self.boxes, "cave", t.CAVE)
        yield Step(Phase.LAYOUT, f"{counted(self.caves, 'cave')}", canvas)

    def _number(self, cells: NDArray[np.bool_]) -> None:
        """Find the caves among the open cells, set `labels`, `boxes` and `caves`, and fill or split caves of wrong sizes.

        Caves have the sizes that the author wants, or smaller ones if there are too few. If prefabs on the map cut the ground
        in several parts, only caves in the part with most open cells are kept.

        Args:
            cells: (height, width) bool, the open cells.
        """
        board, fewest, smaller = self.ground.board, self.params.min_caves, self.scale < 1
        if self.ground.taken:  # prefabs that were put on the map before may cut the ground in two
            grounds, _ = components(board.to_array(board.full & ~self.ground.closed))
            cells = cells & (grounds == np.bincount(grounds[cells], minlength=1).argmax())
        least, most = self.params.limits
        low = max(min(least, LEAST), round(least * self.scale))
        # At least twice the lower limit, so that both halves of a split cave are large enough.
        high = max(2 * low, round(most * self.scale))
        self.labels, self.boxes = numbered(cells, low, high, self.stream)
        while len(self.boxes) < fewest and low > LEAST:
            low, smaller = max(LEAST, low // 2), True
            high = max(2 * low, high // 2)
            self.labels, self.boxes = numbered(cells, low, high, self.stream)
        self.caves = len(self.boxes)
        if smaller:
            text = "caves may be smaller than wanted, for the map has space for few"
            self.job.journal.note("layout", "caves", "noted", text, (("fewest cells", low), ("most", high)))

    def dig_room(self, room: Rect) -> Step:
        """Carve a room, number it as the next space, and return the step to show. Call it only after `hollow_out`."""
        self.canvas.carve_room(room)
        self.boxes.append(room)
        self.labels[room.slices] = len(self.boxes)
        wide = room.grown()
        for corner in (
            (wide.y, wide.x),
            (wide.y, room.right),
            (room.bottom, wide.x),
            (room.bottom, room.right),
        ):
            self.labels[corner] = CLOSED  # a tunnel through a corner cell would touch the room diagonally
        return Step(Phase.LAYOUT, f"room of {room.height}x{room.width}", self.canvas)

    def join(self, close: Callable[[], int]) -> Iterator[Step]:
        """Dig tunnels that join all spaces (caves and rooms), yield a step for each, and build the walls.

        Args:
            close: Rolls the terrain of a room's door.

        Raises:
            GenerationError: A space can't be joined.
        """
        canvas, ground = self.canvas, self.ground
        spaces = CaveSpaces(
            board=ground.board,
            area=ground.area,
            labels=self.labels,
            taken=self._close(),
            boxes=self.boxes,
            caves=self.caves,
        )
        network = CaveNetwork(spaces, self.params, self.job, self.key).dig() if self.boxes else ()
        for name, way in network:
            way.carve(canvas, self.before, close)
            yield Step(Phase.LAYOUT, f"{name} between {way.a} and {way.b}", canvas)
        canvas.build_walls()

    def _close(self) -> NDArray[np.bool_]:
        """Set `CLOSED` in `labels` where nothing may be dug; return (height, width) bool: these cells and all open ones."""
        labels, ground = self.labels, self.ground
        labels[[0, -1]] = labels[:, 0] = labels[:, -1] = CLOSED
        if ground.taken:
            labels[ground.board.to_array(ground.closed)] = CLOSED
        taken: NDArray[np.bool_] = labels != 0
        return taken


# -- the layout -------------------------------------------------------------------------------------


class CavesParams(CaveSystemParams):
    """Parameters of the layout `caves`."""


def caves(canvas: Canvas, params: CavesParams, job: LayoutJob) -> Iterator[Step]:
    """Make caves in the free earth of the canvas and join them.

    Args:
        canvas: The map. Everything on it stays; caves keep one cell away from it.
        params: The author's parameters.
        job: Its streams ("layout", "caves", attempt, ...) decide everything.

    Yields:
        A step for the caves and after every tunnel; if watched, for the noise and each step of the automaton, too.

    Raises:
        GenerationError: There are too few caves, or a cave can't be joined.
    """
    system = CaveSystem(canvas, params, job, "caves")
    yield from system.hollow_out(system.places(), system.ground.diggable)
    yield from system.join(close=lambda: t.DOORWAY)  # never called: only rooms have doors
