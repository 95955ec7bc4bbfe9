"""A system: spaces that lie apart in the earth, and the ways that are dug to join them.

What the layouts `caves` and `mines` have in common: see `cave_shapes` for how caves come about, `flow` for which spaces are
joined, `digging` for how, and `linking` for how what stood on the map before is joined to them.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from dungeon import terrain as t
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.core.errors import GenerationError, counted
from dungeon.generation.layouts.caves.cave_shapes import blobs, numbered, weathered
from dungeon.generation.layouts.caves.crossings import CLOSED, find_crossings, find_detours
from dungeon.generation.layouts.caves.digging import Digger
from dungeon.generation.layouts.caves.flow import add_loops, linear_flow, longest_round
from dungeon.generation.layouts.caves.linking import Linker
from dungeon.generation.layouts.caves.places import outlined, thrown
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.grid.rows import Rows
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.registry import Size
    from dungeon.generation.layouts.caves.crossings import Crossing
    from dungeon.generation.layouts.caves.flow import Flow, Pair
    from dungeon.generation.layouts.caves.places import Earth, Place
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

OPEN = 0.78
"""The share of a cave's ground that is open in the end, its rim left out."""

RIM = 3.6
"""How many cells across are lost at a cave's rim: the earth around it, and what the automaton closes there."""


ROOMY = 1.3
"""The least map has so many times the space, each way, that the fewest caves take."""


class CaveSystemParams(RolledParameters):
    """What an author may set for caves and what is dug to join them.

    Attributes:
        margin: How many cells of earth are left at the map's edges, at least: space for what is embedded later.
        cave: How many cells a cave has, about. Those with fewer than the least of it are filled, those with more than the
            most parted; 200 is taken for 141..283, as parting halves caves.
        barren: At most this share of the ground, and at least half as much, stays earth in stretches as wide as a cave or two.
            Chance says where, so that no two maps have one outline.
        pockets: The share of the places for caves that stay earth.
        fill: The share of a cave's ground that is open before the automaton smooths it: the less, the more nooks.
        steps: How often the automaton smooths it.
        linearity: The share of the caves that is to lie along one way, at least; the rest lies beside it. Where the earth
            does not allow it the journal says how many do. Ways that close loops are short cuts between them.
        loops: How many ways that close loops there are to be, per cave: one at least, wherever it can be dug, unless this is 0.
        saves: How many cells of walk a way that closes a loop must save, if another does.
        reach: How long a tunnel may be, unless it takes longer ones to join all caves, or as many along one way as
            `linearity` says.
        width: How many cells wide tunnels are.
        winding: The share of the tunnels that wind.
        min_caves: With fewer caves the map is not usable.
    """

    margin: Annotated[IntValue, within(1, 500)] = Constant(3)
    cave: Annotated[IntValue, within(10, 10_000)] = Choice(
        ((Between(60, 150), 2), (Between(120, 250), 3), (Between(200, 400), 1))
    )
    barren: Probability = 0.3
    pockets: Probability = 0.08
    fill: Probability = 0.68
    steps: Annotated[int, Field(ge=0, le=50, strict=True)] = 5
    linearity: Probability = 0.75
    loops: Probability = 0.2
    saves: Annotated[int, Field(ge=0, strict=True)] = 50
    reach: Annotated[int, Field(ge=1, le=200, strict=True)] = 16
    width: Annotated[IntValue, within(1, 2)] = Choice(((Constant(1), 3), (Constant(2), 1)))
    winding: Probability = 0.9
    min_caves: Annotated[int, Field(ge=1, strict=True)] = 2

    @cached_property
    def spacing(self) -> float:
        """How many cells neighbouring places for caves are apart, about."""
        mean = sum((size or 0) * share for size, share in self.cave.odds().items())
        return math.sqrt(mean / OPEN) + RIM

    @cached_property
    def limits(self) -> tuple[int, int]:
        """The fewest and the most cells of a cave.

        The halves of one that is parted must not be too small: where the sizes that the author wants are closer together
        than by a factor of two, both limits give way alike.
        """
        sizes = list(self.cave.outcomes())
        low, high = min(sizes), max(sizes)
        slack = max(1.0, math.sqrt(2 * low / high))
        return round(low / slack), round(high * slack)


def least_size(params: CaveSystemParams, job: LayoutJob) -> Size:  # noqa: ARG001
    """Return how many cells the shorter and the longer side of the map need, for the fewest caves that there may be."""
    margins = 2 * max(params.margin.outcomes())
    side = ROOMY * params.spacing
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
        self.taken = board.from_rows(canvas.used.rows) if any(canvas.used.rows) else 0
        self.closed = board.full ^ board.block(1, 1, height - 2, width - 2) | board.around(self.taken)

    @property
    def diggable(self) -> int:
        """The mask of the cells of the area that may be dug."""
        return self.board.block(*self.area) & ~self.closed


class CaveSystem:
    """A system being made on a canvas.

    Attributes:
        canvas: What is on it already is left alone, with a cell's distance.
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
    """

    labels: NDArray[np.int32]
    earth: Earth

    def __init__(self, canvas: Canvas, params: CaveSystemParams, job: LayoutJob, name: str) -> None:
        self.canvas = canvas
        self.params = params
        self.job = job
        self.key = ("layout", name, job.attempt)
        self.stream = job.streams.mersenne(*self.key, "caves")
        self.ground = Ground(canvas, params.dice("margin", self.stream, 1)())
        self.boxes: list[Rect] = []
        self.caves = self.before = 0

    def places(self) -> list[tuple[Place, int]]:
        """Return the places for caves, each with how many cells the cave is to have; 0 for pockets of earth."""
        stream, pockets = self.stream, self.params.pockets
        roll = self.params.dice("cave", stream, 0)
        ground, spacing = self.ground, self.params.spacing
        self.earth = outlined(ground.board, ground.area, self.params.barren, spacing, stream)
        every = thrown(self.earth, spacing, stream)
        return [(place, 0 if stream.chance(pockets) else roll()) for place in every]

    def hollow_out(self, places: Sequence[tuple[Place, int]], diggable: int) -> Iterator[Step]:
        """Make caves at the places; `Step`s show the caves and, if watched, the noise and what the automaton does to it.

        Raises:
            GenerationError: There are too few caves.
        """
        canvas, board, stream, params = self.canvas, self.ground.board, self.stream, self.params
        allowed = blobs(board, self.earth, places, params.spacing, stream) & diggable
        noise = stream.bits(board.height * board.stride, params.fill) & allowed
        free = board.to_array(diggable) if self.ground.taken else None
        for number, bits in enumerate(weathered(board, noise, allowed, params.steps)):
            if self.job.watched:
                canvas.sketch(board.to_array(bits), t.CAVE, free)
                yield Step(Phase.LAYOUT, f"the automaton's step {number}" if number else "noise", canvas)
        self._number(board.to_array(bits))
        if self.job.watched:
            canvas.sketch(self.labels > 0, t.CAVE, free)
        self.before = canvas.carve_spaces(self.labels, self.boxes, "cave", t.CAVE)
        yield Step(Phase.LAYOUT, f"{counted(self.caves, 'cave')}", canvas)

    def _number(self, cells: NDArray[np.bool_]) -> None:
        """Number the caves, each of a size that the author wants, in ground that hangs together."""
        board, params, height, width = self.ground.board, self.params, self.canvas.height, self.canvas.width
        if self.ground.taken:  # what was put on the map before may cut it in two
            grounds, _ = components(board.to_array(board.full & ~self.ground.closed))
            cells = cells & (grounds == np.bincount(grounds[cells], minlength=1).argmax())
        self.labels, self.boxes = numbered(cells, *params.limits, self.stream)
        self.caves = len(self.boxes)
        if self.caves < params.min_caves:
            raise GenerationError(
                f"only {counted(self.caves, 'cave')} found space in a map of {width}x{height}; "
                f"min_caves is {params.min_caves}"
            )

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
        """Dig ways between the spaces, link what stood there before, and build the walls.

        Args:
            close: Rolls what closes a room: the terrain of the door.

        Raises:
            GenerationError: Something can't be joined.
        """
        canvas, ground, params = self.canvas, self.ground, self.params
        taken = self._close()
        stream = self.job.streams.mersenne(*self.key, "ways")
        digger = Digger(
            canvas=canvas,
            board=ground.board,
            area=ground.board.block(*ground.area),
            labels=self.labels,
            taken=taken,
            boxes=self.boxes,
            caves=self.caves,
            before=self.before,
            random=stream.random,
            close=close,
            winding=params.winding,
            thickness=params.dice("width", stream, 1),
        )
        flow, crossings = self._flow()
        yield from digger.dig_all(flow, crossings)
        if params.loops and not digger.has_loop:
            yield from self._close_loop(digger, crossings)
        if digger.lacks and (along := digger.along(flow.loops)) < flow.wanted:
            counts = (("wanted", flow.wanted), ("along one way", along))
            text = "the earth did not allow as many spaces along one way as wanted"
            self.job.journal.note("layout", "flow", "noted", text, counts)
        if ground.taken:
            random = self.job.streams.mersenne(*self.key, "links").random
            linker = Linker(canvas, ground.board, ground.taken, ground.closed, random, self.job.stopped)
            yield from linker.link_all(self.job.mouths)
        canvas.build_walls()

    def _close_loop(self, digger: Digger, crossings: Mapping[Pair, Sequence[Crossing]]) -> Iterator[Step]:
        """Dig one way that closes a loop, where those that were planned could not be dug or would save too little.

        What saves the longest walk comes first, straight ways before others.
        """
        spaces = len(self.boxes)
        for pairs in chain([list(crossings)], find_detours(self._earth(), spaces, self.params.reach)):
            for a, b in longest_round(pairs, digger.dug, spaces):
                if digger.dig(crossings.get((a, b), ())) or any(digger.bend_all([(a, b)])):
                    yield Step(Phase.LAYOUT, f"loop between {a} and {b}", self.canvas)
                    return
        text = "the earth did not allow a way that closes a loop"
        self.job.journal.note("layout", "flow", "noted", text)

    def _earth(self) -> NDArray[np.int32]:
        """Return the numbers of spaces in the area."""
        return self.labels[self.ground.area.slices]

    def _close(self) -> Rows:
        """Mark the cells that may not be dug; return them with all that is open."""
        labels, ground, (height, width) = self.labels, self.ground, self.labels.shape
        labels[[0, -1]] = labels[:, 0] = labels[:, -1] = CLOSED
        if ground.taken:
            labels[ground.board.to_array(ground.closed)] = CLOSED
        if ground.taken or len(self.boxes) > self.caves:
            return Rows.of(labels != 0)
        ends = 1 | 1 << width - 1
        rows = [row | ends for row in self.canvas.used.rows]
        rows[0] = rows[-1] = (1 << width) - 1
        return Rows(height, width, rows)

    def _flow(self) -> tuple[Flow, Mapping[Pair, Sequence[Crossing]]]:
        """Choose which spaces are joined; return that and where they can be."""
        params, boxes = self.params, self.boxes
        rank = self.job.streams.ranks(*self.key, "crossings")
        crossings = find_crossings(self.labels, len(boxes), params.reach, rank)
        lengths = {pair: found[0].length for pair, found in crossings.items()}
        detours = find_detours(self._earth(), len(boxes), params.reach)
        stream = self.job.streams.mersenne(*self.key, "flow")
        flow = linear_flow(boxes, lengths, params.linearity, stream, detours)
        wanted = int(params.loops * len(boxes) + stream.random())
        add_loops(flow, boxes, lengths, wanted, params.saves, stream)
        counts = (("spaces", len(boxes)), ("along one way", len(flow.path)), ("loops", len(flow.loops)))
        self.job.journal.note("layout", "flow", "noted", "most spaces are to lie along one way", counts)
        return flow, crossings
