"""A system: spaces that lie apart in the earth, and the ways that are dug to join them.

What the layouts `caves` and `mines` have in common: see `cave_shapes` for how caves come about, `flow` for which spaces are
joined, and `digging` for how. What stood on the map before is joined to them by `seeded`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError, counted
from dungeon.generation.layouts.caves_digging import Network, Spaces
from dungeon.generation.layouts.caves_flow import CLOSED
from dungeon.generation.layouts.caves_shapes import (
    CaveSystemParams,
    blobs,
    numbered,
    outlined,
    thrown,
    weathered,
)
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.registry import Size
    from dungeon.generation.layouts.caves_shapes import Earth, Place
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

OPEN = 0.78
"""The share of a cave's ground that is open in the end, its rim left out."""

RIM = 3.6
"""How many cells across are lost at a cave's rim: the earth around it, and what the automaton closes there."""

SPARE = 2
"""How many times as many places as caves must be found there is to be space for."""

LEAST = 10
"""How many cells a cave has at least, however small the map is."""

ROOMY = 1.3
"""The least map has so many times the space, each way, that the fewest caves take."""


def spacing(params: CaveSystemParams) -> float:
    """Return how many cells neighbouring places for caves are apart, about."""
    return math.sqrt(params.mean / OPEN) + RIM


def least_size(params: CaveSystemParams, job: LayoutJob) -> Size:  # noqa: ARG001
    """Return how many cells the shorter and the longer side of the map need, for the fewest caves that there may be."""
    margins = 2 * max(params.margin.outcomes())
    side = ROOMY * spacing(params)
    return margins + round(side), margins + round(params.min_caves * side)


class Ground:
    """What a system may be dug into.

    Attributes:
        board: The whole map.
        area: The map without its margins.
        taken: The mask of what was carved, drawn or reserved before.
        closed: The mask of the cells that may not be dug: the outermost ones, and those on or beside what is taken.

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
        """The mask of the cells of the area that may be dug."""
        return self.board.block(*self.area) & ~self.closed


class CaveSystem:
    """A system being made on a canvas.

    Attributes:
        canvas: What is on it already is left alone, with a cell's distance.
        standing: How many regions that are not sealed it had before.
        params: What the author set.
        job: Its streams (`key`, ...) decide everything.
        key: The beginning of the streams' names.
        stream: The one that makes the caves.
        ground: What it may be dug into.
        labels: (height, width) int32, the number of each cell's space from 1, 0 for earth, `CLOSED` where no way may be
            dug; caves have the first numbers.
        boxes: The smallest rectangle around each space.
        caves: How many of the spaces are caves.
        before: What to add to a space's number to get its region.
        earth: Where caves may be.
        scale: How large caves are to be, as a share of what the author wants: 1 but in small maps.
        spacing: How many cells neighbouring places for caves are apart, about.
    """

    labels: NDArray[np.int32]
    earth: Earth
    scale: float
    spacing: float

    def __init__(self, canvas: Canvas, params: CaveSystemParams, job: LayoutJob, name: str) -> None:
        self.canvas = canvas
        self.standing = sum(not region.sealed for region in canvas.regions)
        self.params = params
        self.job = job
        self.key = ("layout", name, job.attempt)
        self.stream = job.streams.mersenne(*self.key, "caves")
        self.ground = Ground(canvas, params.dice("margin", self.stream, 1)())
        self.boxes: list[Rect] = []
        self.caves = self.before = 0

    def places(self) -> list[tuple[Place, int]]:
        """Return the places for caves, each with how many cells the cave is to have; 0 for pockets of earth.

        Where the map has no space for enough caves of the sizes that the author wants they are smaller.
        """
        params, stream, ground = self.params, self.stream, self.ground
        roll = params.dice("cave", stream, 0)
        each = ground.diggable.bit_count() / (SPARE * params.min_caves)
        mean = min(params.mean, max(LEAST, OPEN * max(0, math.sqrt(each) - RIM) ** 2))
        self.scale, self.spacing = mean / params.mean, math.sqrt(mean / OPEN) + RIM
        self.earth = outlined(ground.board, ground.area, params.barren, self.spacing, stream)
        every = list(thrown(self.earth, self.spacing, stream))
        pockets = int(params.pockets * len(every) + stream.random())
        return [
            (place, round(roll() * self.scale) if number >= pockets else 0)
            for number, place in enumerate(every)
        ]

    def hollow_out(
        self, places: Sequence[tuple[Place, int]], diggable: int, rooms: int = 0
    ) -> Iterator[Step]:
        """Make caves at the places; `Step`s show the caves and, if watched, the noise and what the automaton does to it.

        Args:
            places: Where, and how many cells each is to have.
            diggable: The mask of the cells that may be dug.
            rooms: How many rooms there will be.

        Raises:
            GenerationError: There are too few caves and rooms, with the regions that the map had before.
        """
        canvas, board, stream, params = self.canvas, self.ground.board, self.stream, self.params
        allowed = blobs(board, self.earth, places, self.spacing, stream) & diggable
        free = board.to_array(diggable) if self.ground.taken else None
        noise = stream.bits(board.height * board.stride, params.fill) & allowed
        # where noise leaves too little, caves are as smooth as blobs; where blobs do, they are all that can be dug
        for begin, within in ((noise, allowed), (allowed, allowed), (diggable, diggable)):
            for number, bits in enumerate(weathered(board, begin, within, params.steps)):
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
        """Number the caves in ground that hangs together: of sizes that the author wants, or smaller where too few are."""
        board, fewest, smaller = self.ground.board, self.params.min_caves, self.scale < 1
        if self.ground.taken:  # what was put on the map before may cut it in two
            grounds, _ = components(board.to_array(board.full & ~self.ground.closed))
            cells = cells & (grounds == np.bincount(grounds[cells], minlength=1).argmax())
        least, most = self.params.limits
        low = max(min(least, LEAST), round(least * self.scale))
        high = max(2 * low, round(most * self.scale))  # a cave with more is parted, and its halves are caves
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
        """Carve a room, which becomes the next space; call it after `hollow_out`."""
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
            self.labels[corner] = CLOSED  # a way through it would touch the room
        return Step(Phase.LAYOUT, f"room of {room.height}x{room.width}", self.canvas)

    def join(self, close: Callable[[], int]) -> Iterator[Step]:
        """Dig ways between the spaces, and build the walls.

        Args:
            close: Rolls what closes a room: the terrain of the door.

        Raises:
            GenerationError: Something can't be joined.
        """
        canvas, ground = self.canvas, self.ground
        spaces = Spaces(
            board=ground.board,
            area=ground.area,
            labels=self.labels,
            taken=self._close(),
            boxes=self.boxes,
            caves=self.caves,
        )
        network = Network(spaces, self.params, self.job, self.key).dig() if self.boxes else ()
        for name, way in network:
            way.carve(canvas, self.before, close)
            yield Step(Phase.LAYOUT, f"{name} between {way.a} and {way.b}", canvas)
        canvas.build_walls()

    def _close(self) -> NDArray[np.bool_]:
        """Mark the cells that may not be dug; return them with all that is open."""
        labels, ground = self.labels, self.ground
        labels[[0, -1]] = labels[:, 0] = labels[:, -1] = CLOSED
        if ground.taken:
            labels[ground.board.to_array(ground.closed)] = CLOSED
        taken: NDArray[np.bool_] = labels != 0
        return taken


# -- caves ------------------------------------------------------------------------------------------
#
# The layout `caves`: natural caves of many shapes, joined by winding tunnels into a linear flow with loops.
#
# After "Generating and Populating Caves"; see `system` for how.


class CavesParams(CaveSystemParams):
    """What an author may set."""


def caves(canvas: Canvas, params: CavesParams, job: LayoutJob) -> Iterator[Step]:
    """Make caves in the free earth of the canvas and join them.

    Args:
        canvas: What is on it already is left alone, with a cell's distance.
        params: What the author set.
        job: Its streams ("layout", "caves", attempt, ...) decide everything.

    Yields:
        A step for the caves and after every tunnel; if watched, for the noise and each step of the automaton, too.

    Raises:
        GenerationError: There are too few caves, or something that was seeded can't be joined.
    """
    system = CaveSystem(canvas, params, job, "caves")
    yield from system.hollow_out(system.places(), system.ground.diggable)
    yield from system.join(close=lambda: t.DOORWAY)  # of rooms; there are none
