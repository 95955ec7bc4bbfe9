"""Digging ways between spaces that lie apart in the earth: caves, and the rooms of mines.

What is dug is known here as cells alone; nothing is carved before all ways are found, so that others can be tried instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice, product, tee
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.caves_flow import (
    CLOSED,
    find_crossings,
    find_detours,
    find_loops,
    flags_of,
    free_cells,
    linear_flow,
    longest_round,
    straight_way,
    widened,
    winding_way,
)
from dungeon.grid.bits import Board
from dungeon.grid.graph import LONG, Backbone, longest_in_trees, neighbours_in, parts
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.caves_flow import Crossing, Flow, Pair
    from dungeon.generation.layouts.caves_shapes import CaveSystemParams
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

BETWEEN_DOORS = 3
"""A way between two rooms has a door at each end and a cell between them, or is a single door."""

LEFT_OUT = sorted(product(range(5), repeat=2), key=sum)
"""How many spaces a long way leaves out before and after a pair that can't be joined, in the order in which it is tried."""

AROUND = 30
"""How far beyond two spaces a way that bends may lead from one to the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spaces:
    """The spaces of a map, numbered from 1: caves first, then rooms.

    Attributes:
        board: The layout of the map's masks.
        area: The part of the map in which they all lie.
        labels: (height, width), each space's number at its cells, `CLOSED` where no way may be dug, otherwise 0.
        taken: (height, width) bool, what is open, and what may not be dug, the outermost cells among it.
        boxes: The smallest rectangle around each.
        caves: How many of them are caves.
    """

    board: Board
    area: Rect
    labels: NDArray[np.int32]
    taken: NDArray[np.bool_]
    boxes: Sequence[Rect]
    caves: int

    @property
    def has_rooms(self) -> bool:
        """Whether some are rooms."""
        return len(self.boxes) > self.caves


class Way(NamedTuple):
    """A way from the space `a` to the space `b`.

    Attributes:
        cells: The (y, x) cells of the tunnel; none where a single door parts a space from a room.
        doors: The (y, x, number) of the doors to those of the spaces that are rooms.
    """

    a: int
    b: int
    cells: Sequence[tuple[int, int]]
    doors: Sequence[tuple[int, int, int]] = ()

    @property
    def pair(self) -> tuple[int, int]:
        """Both spaces, the lower number first."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    def carve(self, canvas: Canvas, before: int, close: Callable[[], int]) -> None:
        """Carve it as a corridor, with doors where it meets rooms.

        Args:
            canvas: The map.
            before: What to add to a space's number to get its region.
            close: Rolls what closes a room: the terrain of the door.
        """
        if not self.cells:
            y, x, _ = self.doors[0]
            canvas.add_door(y, x, (self.a + before, self.b + before), close())
            return
        ys, xs = zip(*self.cells, strict=True)
        top, left = min(ys), min(xs)
        corridor = canvas.add_region("corridor", Rect(top, left, max(ys) - top + 1, max(xs) - left + 1))
        canvas.carve_cells(self.cells, t.CORRIDOR, corridor)
        for y, x, number in self.doors:
            canvas.add_door(y, x, (number + before, corridor), close())


class Digger:
    """Ways that are dug between spaces. One leaves a room through a door, a cave through a hole.

    Attributes:
        spaces: What they lead from and to.
        random: Draws from 0 to 1.
        winding: The chance that a way winds.
        thickness: Rolls how many cells wide a way is.
        taken: (height, width) bool, what is open, and what may not be dug.
        doors: (height, width) bool, the cells of the doors that have been dug so far.
        ways: Pair of spaces -> the way that has been dug between them, in the order of digging.
    """

    def __init__(
        self, spaces: Spaces, random: Callable[[], float], winding: float, thickness: Callable[[], int]
    ) -> None:
        self.spaces = spaces
        self.random = random
        self.winding = winding
        self.thickness = thickness
        self.taken = spaces.taken.copy()
        self.doors = np.zeros_like(self.taken)
        self._taken = flags_of(self.taken)
        self.is_free = free_cells(self.taken)
        self._width = self.taken.shape[1]
        self.ways: dict[Pair, Way] = {}

    @property
    def has_loop(self) -> bool:
        """Whether one can go around in a circle, once all spaces are joined."""
        return len(self.ways) >= len(self.spaces.boxes)

    @property
    def along(self) -> int:
        """How many spaces lie along the longest way, as long as none closes a loop."""
        return longest_in_trees(neighbours_in(self.ways, len(self.spaces.boxes)))

    def dig_tree(self, flow: Flow, crossings: Mapping[Pair, Sequence[Crossing]]) -> list[Pair]:
        """Dig the ways of a flow that join its spaces: straight across, or around where the long way needs them.

        Returns:
            The pairs along the flow's path that can't be joined, if for want of them too few spaces lie along one way.
        """
        along = len(flow.path) - 1
        dug = [self.dig(crossings.get(pair, ())) for pair in flow.tree]
        if all(dug[:along]):
            return []
        branches = (pair for pair, is_dug in zip(flow.tree[along:], dug[along:], strict=True) if is_dug)
        backbone = Backbone([node - 1 for node in flow.path], neighbours_in(branches, len(self.spaces.boxes)))
        for at in range(along):
            if dug[at]:
                backbone.add(at)
        refused: list[Pair] = []
        for at in range(along):
            if backbone.longest >= flow.wanted:
                return []
            if dug[at]:
                continue
            if self.bend(flow.tree[at]):
                backbone.add(at)
            else:
                refused.append(flow.tree[at])
        return refused if backbone.longest < flow.wanted else []

    def dig(self, crossings: Sequence[Crossing]) -> bool:
        """Dig a way across the earth between two spaces that touches nothing else; return whether there is one."""
        for crossing in filter(self._has_doors, crossings) if self.spaces.has_rooms else crossings:
            a, b = crossing.a, crossing.b
            way: list[tuple[int, int]] = []
            if self.winding and crossing.length > 2 and self.random() < self.winding:
                way = winding_way(crossing, self.is_free, self.random)
            if not (way and self._touches_only(way, (a, b))):
                way = straight_way(crossing)
                if not self._touches_only(way, (a, b)):
                    continue
            self._add(way, a, b, beside=(crossing.dx, crossing.dy))
            return True
        return False

    def exchange(
        self,
        path: Sequence[int],
        refused: Iterable[Pair],
        crossings: Mapping[Pair, Sequence[Crossing]],
        detours: Iterable[Pair],
    ) -> None:
        """Lead a long way around pairs that can't be joined, by exchanging two of its edges for two others.

        After G. A. Croes, "A method for solving traveling-salesman problems" (1958). What blocks an edge is mostly another
        edge of the way that crosses it; the two edges that take their place don't cross, and no space is left out:

            a   d          a - c
              x      ->             what lies between b and c is walked the other way
            c   b          b - d

        Where no exchange can be dug, the way leaves out a few spaces beside the pair.
        """
        path = list(path)
        facing = neighbours_in({**crossings, **dict.fromkeys(detours)}, len(self.spaces.boxes))
        for pair in refused:
            place = {node: at for at, node in enumerate(path)}
            if not place.keys() >= {*pair} or abs(place[pair[0]] - place[pair[1]]) > 1:
                continue  # the way does not lead along this pair any more
            at = min(place[node] for node in pair)
            for before, after in LEFT_OUT:
                begin, end = at - before, at + 1 + after
                if begin < 0 or end >= len(path):
                    continue
                a, b = path[begin], path[end]
                if end > begin + 1 and b - 1 in facing[a - 1] and self._replace(None, [(a, b)], crossings):
                    path[begin + 1 : end] = []
                    break
                for other in (place.get(node + 1, begin) for node in facing[a - 1]):
                    if begin - 1 <= other <= end or other + 1 == len(path):
                        continue
                    c, d = path[other : other + 2]
                    if d - 1 in facing[b - 1] and self._replace((c, d), [(a, c), (b, d)], crossings):
                        break
                else:
                    continue
                if other < begin:
                    path[other + 1 : end] = path[begin:other:-1]
                else:
                    path[begin + 1 : other + 1] = path[other : end - 1 : -1]
                break

    def _replace(
        self, old: Pair | None, new: Iterable[Pair], crossings: Mapping[Pair, Sequence[Crossing]]
    ) -> bool:
        """Dig ways between some pairs instead of the way between another; change nothing if one can't be dug."""
        removed = None if old is None else self.ways.get(_sorted_pair(*old))
        if removed:
            self._fill(removed)
        dug: list[Pair] = []
        for one, other in new:
            pair = _sorted_pair(one, other)
            if not (self.dig(crossings.get(pair, ())) or self.bend(pair)):
                break
            dug.append(pair)
        else:
            if removed:
                del self.ways[removed.pair]
            return True
        for pair in dug:
            self._fill(self.ways.pop(pair))
        if removed:
            self._open(removed)
        return False

    def bend(self, pair: Pair) -> bool:
        """Dig a shortest way between two spaces that touches nothing else; return whether there is one."""
        (a, b), spaces = pair, self.spaces
        height, width = spaces.labels.shape
        near = spaces.boxes[a - 1].joined(spaces.boxes[b - 1]).grown(AROUND).common(spaces.area)
        part = near.grown().clipped(height, width)
        board, labels = Board(part.height, part.width), spaces.labels[part.slices]
        here, there = board.from_array(labels == a), board.from_array(labels == b)
        taken = board.from_array(self.taken[part.slices])
        others = taken & ~(board.from_array(labels == CLOSED) | here | there)
        within = board.block(near.y - part.y, near.x - part.x, near.height, near.width)
        way = self._shortest(part, here, there, within & ~(taken | board.beside(others)))
        if way:
            self._add(way, a, b)
        return bool(way)

    def join_rest(self, crossings: Mapping[Pair, Sequence[Crossing]]) -> None:
        """Join what is not joined yet: straight across where that can be, by shortest ways elsewhere.

        Raises:
            GenerationError: There is no way, for the rooms' walls and what was taken before stand in it.
        """
        neighbours = neighbours_in(self.ways, len(self.spaces.boxes))
        together = dict(enumerate(parts(neighbours)))
        part = {node + 1: number for number, nodes in together.items() for node in nodes}
        apart = list(crossings.values())
        while len(together) > 1:
            apart = [found for found in apart if part[found[0].a] != part[found[0].b]]
            apart.sort(key=lambda found: found[0].length)
            if not any(map(self.dig, apart)):
                self._join([node + 1 for node in min(together.values(), key=len)])
            number, other = sorted(part[space] for space in next(reversed(self.ways)))
            part.update((node + 1, number) for node in together[other])
            together[number] += together.pop(other)

    def _touches_only(self, way: Sequence[tuple[int, int]], spaces: Sequence[int]) -> bool:
        """Tell whether cells are free to be dug and touch no space but these."""
        taken, width, numbers = self._taken, self._width, (*spaces, CLOSED)
        for y, x in way:
            place = y * width + x
            if taken[place]:
                return False
            for beside in (place - width, place - 1, place + 1, place + width):
                if taken[beside] and self.spaces.labels.item(beside) not in numbers:
                    return False
        return True

    def _has_doors(self, crossing: Crossing) -> bool:
        """Tell whether doors can stand at those ends of a crossing that are in rooms."""
        a, b, y, x, dy, dx, length = crossing
        first, last = a > self.spaces.caves, b > self.spaces.caves
        if first and last and 1 < length < BETWEEN_DOORS:
            return False
        for at in (0,) * first + (length - 1,) * last:
            row, column = y + dy * at, x + dx * at
            if self.taken[row - dx, column - dy] or self.taken[row + dx, column + dy]:
                return False
        return True

    def _add(
        self, way: Sequence[tuple[int, int]], a: int, b: int, beside: tuple[int, int] | None = None
    ) -> None:
        """Dig a way from one space to another.

        Args:
            way: Its cells, from the one beside a to the one beside b.
            a: Where it begins.
            b: Where it ends.
            beside: The step to a second line of cells, if it may be wide.
        """
        first, last = a > self.spaces.caves, b > self.spaces.caves
        if len(way) == 1 and (first or last):
            dug = Way(a, b, (), ((*way[0], a),))
        else:
            cells = way[first : len(way) - last]
            if beside is not None and self.thickness() > 1:
                caves = [number for number in (a, b) if number <= self.spaces.caves]
                inside = self.spaces.area.contains
                cells = widened(
                    cells, beside, lambda y, x: inside(y, x) and self._touches_only([(y, x)], caves)
                )
            dug = Way(a, b, cells, ((*way[0], a),) * first + ((*way[-1], b),) * last)
        self.ways[dug.pair] = dug
        self._open(dug)

    def _open(self, way: Way) -> None:
        """Mark the cells of a way as taken."""
        self._mark(way, taken=True)

    def _fill(self, way: Way) -> None:
        """Mark the cells of a way as free earth again."""
        self._mark(way, taken=False)

    def _mark(self, way: Way, *, taken: bool) -> None:
        for y, x in way.cells:
            self._taken[y * self._width + x] = taken
        for y, x, _ in way.doors:
            self._taken[y * self._width + x] = self.doors[y, x] = taken

    def _join(self, numbers: Sequence[int]) -> None:
        """Dig the shortest way from some of the spaces to any other: one nearby, or else one over the whole map."""
        spaces, (height, width) = self.spaces, self.spaces.labels.shape
        whole, own = Rect(0, 0, height, width), set(numbers)
        bounds = reduce(Rect.joined, (spaces.boxes[number - 1] for number in numbers))
        # Whatever a way of fewer cells than AROUND may come past lies in the part.
        for part, most in ((bounds.grown(AROUND).clipped(height, width), AROUND - 1), (whole, math.inf)):
            labels, board = spaces.labels[part.slices], Board(part.height, part.width)
            here = board.from_array(np.isin(labels, numbers))
            there = board.from_array(labels > 0) & ~here
            ground = board.full & ~board.from_array(self.taken[part.slices])
            way = self._shortest(part, here, there, ground, most)
            if way:
                break
        if not way:
            raise GenerationError(
                f"no way can be dug to {len(numbers)} of {len(spaces.boxes)} caves and rooms"
            )
        a = next(number for number in self._beside(way[0]) if number in own)
        b = next(number for number in self._beside(way[-1]) if number not in own)
        self._add(way, a, b)

    def _shortest(self, part: Rect, here: int, there: int, ground: int, most: float = math.inf) -> list[Cell]:
        """Return the cells of a shortest way through earth from one mask to another, which enters rooms through their walls.

        Args:
            part: The part of the map that the masks are of, with a cell around the ground wherever the map goes on.
            here: Where the way begins.
            there: Where it ends.
            ground: Where it may be dug.
            most: The most cells that it may have.
        """
        spaces, board = self.spaces, Board(part.height, part.width)
        starts, goals = board.beside(here) & ground, board.beside(there) & ground
        if spaces.has_rooms:
            rooms = board.from_array(spaces.labels[part.slices] > spaces.caves)
            doors = board.from_array(self.doors[part.slices])
            gates = board.beside(rooms) & ~board.around(doors)  # a wall's corners are not beside its room
            ground &= gates | ~board.around(rooms)
            starts &= ground
            goals &= ground
            ground &= starts | goals | ~gates
        way = find_way(board, {1: ground}, starts, goals, most=most, random=self.random, winds=True)
        return [Cell(y + part.y, x + part.x) for y, x in way]

    def _beside(self, cell: Cell) -> list[int]:
        """Return the numbers of the spaces that a cell touches."""
        y, x = cell
        beside = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
        return [int(self.spaces.labels[at]) for at in beside if self.spaces.labels[at] > 0]


def _sorted_pair(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)


# -- network ----------------------------------------------------------------------------------------
#
# The network of ways between spaces: planned, dug, and planned again where the earth does not allow what was planned.


PLANS = 8
"""How many long ways are tried at most."""


class Network:
    """The network of some spaces.

    Attributes:
        spaces: What is joined.
        params: What the author set.
        job: Its streams (`key`, ...) decide everything.
        key: The beginning of the streams' names.
        crossings: Where the earth between two spaces can be crossed.
        detours: The pairs of spaces between which a way can be bent, found as they are needed.
    """

    def __init__(
        self, spaces: Spaces, params: CaveSystemParams, job: LayoutJob, key: tuple[str | int, ...]
    ) -> None:
        self.spaces, self.params, self.job, self.key = spaces, params, job, key
        count, reach = len(spaces.boxes), params.reach
        self.crossings = find_crossings(spaces.labels, count, reach, job.streams.ranks(*key, "crossings"))
        self.detours: Iterator[list[Pair]] = find_detours(spaces.labels[spaces.area.slices], count, reach)

    def dig(self) -> Iterator[tuple[str, Way]]:
        """Yield the ways that join all spaces, then those that close loops, each with a word for it.

        Raises:
            GenerationError: Something can't be joined.
        """
        spaces, params = self.spaces, self.params
        stream = self.job.streams.mersenne(*self.key, "flow")
        flow, digger = self._join_along(stream)
        digger.join_rest(self.crossings)
        yield from (("tunnel", way) for way in digger.ways.values())
        joined = len(digger.ways)
        along = digger.along
        wanted = int(params.loops * len(spaces.boxes) + stream.random())
        loops = find_loops(digger.ways, spaces.boxes, self.crossings, wanted, params.saves, stream)
        for pair in loops:
            digger.dig(self.crossings[pair])
        if params.loops and not digger.has_loop:
            self._close_loop(digger)
        yield from (("loop", way) for way in islice(digger.ways.values(), joined, None))
        counts = (("spaces", len(spaces.boxes)), ("along one way", along), ("loops", len(loops)))
        journal = self.job.journal
        journal.note("layout", "flow", "noted", "most spaces are to lie along one way", counts)
        if along < flow.wanted:
            text = "the earth did not allow as many spaces along one way as wanted"
            journal.note("layout", "flow", "noted", text, (("wanted", flow.wanted), ("along one way", along)))

    def _detours(self) -> Iterator[list[Pair]]:
        """Return the detours from the first on: what has been found of them is not looked for again."""
        self.detours, found = tee(self.detours)
        return found

    def _join_along(self, stream: Stream) -> tuple[Flow, Digger]:
        """Dig a tree of ways, so that as many spaces lie along one way as wanted.

        Whether a way can be dug depends on those dug before. Where one that is needed can't, another long way is tried, which
        does without it. A way through very many spaces can hardly ever be dug as planned: there, edges of it are exchanged.
        """
        spaces, params = self.spaces, self.params
        ways = self.job.streams.mersenne(*self.key, "ways")
        thickness = params.dice("width", ways, 1)
        lengths = {pair: found[0].length for pair, found in self.crossings.items()}
        refused: set[Pair] = set()
        tried = []
        for _ in range(PLANS):
            more = ([pair for pair in pairs if pair not in refused] for pairs in self._detours())
            flow = linear_flow(spaces.boxes, lengths, params.linearity, stream, more)
            digger = Digger(spaces, ways.random, params.winding, thickness)
            failed = digger.dig_tree(flow, self.crossings)
            tried.append((flow, digger))
            if len(flow.path) > LONG:
                detours = next(self._detours())
                digger.exchange(flow.path, failed, self.crossings, detours)
                break
            if not failed:
                break
            refused.update(failed)
            lengths = {pair: length for pair, length in lengths.items() if pair not in refused}
        return tried[0] if len(tried) == 1 else max(tried, key=lambda each: each[1].along)

    def _close_loop(self, digger: Digger) -> None:
        """Dig one way that closes a loop, where those that were planned could not be dug or would save too little.

        What saves the longest walk comes first, straight ways before others.
        """
        for pairs in chain([list(self.crossings)], self._detours()):
            for pair in longest_round(pairs, digger.ways, len(self.spaces.boxes)):
                if digger.dig(self.crossings.get(pair, ())) or digger.bend(pair):
                    return
        text = "the earth did not allow a way that closes a loop"
        self.job.journal.note("layout", "flow", "noted", text)
