"""Digs tunnels between *spaces*: open parts of the map that lie apart in the earth, caves or rooms of a mine, numbered from 1.

A *pair* is the numbers of two spaces, the lower one first. A *crossing* is a straight row of earth cells between two spaces,
along which a tunnel can be dug. The *flow* is the plan of which pairs are joined; its *path* is the long chain of spaces on
which most lie.

Tunnels are lists of cells here. Nothing is carved before all tunnels are found, so that others can be tried instead.
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
    from dungeon.generation.layouts.caves_flow import CaveFlow, Crossing, Pair
    from dungeon.generation.layouts.caves_shapes import CaveSystemParams
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

BETWEEN_DOORS = 3
"""Fewest cells of a tunnel between two rooms: a door at each end and a cell between. A single cell is one door for both."""

LEFT_OUT = sorted(product(range(5), repeat=2), key=sum)
"""How many spaces a long path leaves out before and after a pair that can't be joined, in the order of the tries."""

AROUND = 30
"""How far beyond two spaces a tunnel with bends may lead, in cells: a smaller part of the map is searched faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaveSpaces:
    """The spaces (caves and rooms) of a map before tunnels join them, numbered from 1: caves first, then rooms.

    Attributes:
        board: Converts cells and arrays of the map to bitmasks and back.
        area: The rectangle of the map in which all spaces lie.
        labels: (height, width), the number of each cell's space; 0 for earth; `CLOSED` for cells that may not be dug.
        taken: (height, width) bool, the cells that are open or may not be dug. All cells of the map's edge are set.
        boxes: The smallest rectangle around each space; that of space n is `boxes[n - 1]`.
        caves: The number of caves.
    """

    board: Board
    area: Rect
    labels: NDArray[np.int32]
    taken: NDArray[np.bool_]
    boxes: Sequence[Rect]
    caves: int

    @property
    def has_rooms(self) -> bool:
        """Whether any space is a room."""
        return len(self.boxes) > self.caves


class CaveTunnel(NamedTuple):
    """A tunnel between two spaces (caves or rooms).

    Attributes:
        a: The number of the space at its beginning.
        b: The number of the space at its end.
        cells: Its (y, x) cells; empty if a single door joins the two spaces.
        doors: (y, x, number of the room) of each of its doors.
    """

    a: int
    b: int
    cells: Sequence[tuple[int, int]]
    doors: Sequence[tuple[int, int, int]] = ()

    @property
    def pair(self) -> tuple[int, int]:
        """The numbers of the two spaces, the lower one first."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    def carve(self, canvas: Canvas, before: int, close: Callable[[], int]) -> None:
        """Carve the tunnel as a corridor, with doors at rooms.

        Args:
            canvas: The map.
            before: The number to add to the number of a space to get the id of its region.
            close: Rolls the terrain of a door.
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


class TunnelDigger:
    """Finds the cells of tunnels between spaces (caves and rooms). A tunnel leaves a room through a door, a cave through a gap.

    Args:
        spaces: The spaces.
        random: Draws from 0 to 1.
        winding: The chance that a tunnel winds.
        thickness: Rolls the width of a tunnel in cells.

    Attributes:
        taken: (height, width) bool, the cells that are open or may not be dug, with the tunnels so far.
        doors: (height, width) bool, the doors of the tunnels so far.
        is_free: Takes (y, x) and tells whether neither this cell nor any of its four neighbours is taken.
        ways: Pair of spaces -> the tunnel between them, in the order of digging.
    """

    def __init__(
        self, spaces: CaveSpaces, random: Callable[[], float], winding: float, thickness: Callable[[], int]
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
        self.ways: dict[Pair, CaveTunnel] = {}

    @property
    def has_loop(self) -> bool:
        """Whether the tunnels dug so far close a loop: there are at least as many as spaces. It is right only once all spaces are joined."""
        return len(self.ways) >= len(self.spaces.boxes)

    @property
    def along(self) -> int:
        """The number of spaces (caves and rooms) on the longest path through the tunnels dug so far.

        It is exact while the tunnels form no loop, and a lower bound after that.
        """
        return longest_in_trees(neighbours_in(self.ways, len(self.spaces.boxes)))

    def dig_tree(self, flow: CaveFlow, crossings: Mapping[Pair, Sequence[Crossing]]) -> list[Pair]:
        """Dig the tunnels of a planned tree: straight ones, and ones with bends where the long path lacks a straight one.

        Args:
            flow: The plan: the pairs of spaces to join, and which of them make up the long path.
            crossings: Pair -> its crossings (straight rows of earth between the two spaces).

        Returns:
            The pairs along the path that can't be joined; an empty list if enough spaces lie along one path without
            them.
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
        """Dig a straight or winding tunnel along the first of these crossings where it touches no other space or tunnel.

        Return False if there is none.

        Args:
            crossings: Straight rows of earth between two spaces, the best one first.
        """
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
        """Repair a long path where two successive spaces can't be joined: exchange two of its edges for two others (a 2-opt move).

        After G. A. Croes, "A method for solving traveling-salesman problems" (1958). An edge (a tunnel of the path) is mostly
        blocked by another edge of the path that crosses it. The two edges that replace them don't cross, and no space is left
        out:

            a   d          a - c
              x      ->             the path from b to c is walked backward then
            c   b          b - d

        Where no exchange can be dug, the path leaves out a few spaces beside the pair.

        Args:
            path: The numbers of the spaces along the path.
            refused: The pairs along the path that can't be joined.
            crossings: Pair -> its crossings (straight rows of earth between the two spaces).
            detours: Pairs that a tunnel with bends may join.
        """
        path = list(path)
        facing = neighbours_in({**crossings, **dict.fromkeys(detours)}, len(self.spaces.boxes))
        for pair in refused:
            place = {node: at for at, node in enumerate(path)}
            if not place.keys() >= {*pair} or abs(place[pair[0]] - place[pair[1]]) > 1:
                continue  # an exchange has already removed this pair from the path
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
        """Remove the tunnel of a pair of spaces and dig tunnels for other pairs; if that fails, change nothing and return False.

        Args:
            old: The pair whose tunnel is removed; None for none.
            new: The pairs that get tunnels.
            crossings: Pair -> its crossings (straight rows of earth between the two spaces).
        """
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
        """Dig a shortest tunnel with bends between a pair of spaces; it touches no third one. Return False if there is none."""
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
        """Join the spaces that are not joined yet: by straight tunnels where possible, else by shortest tunnels with bends.

        Args:
            crossings: Pair -> its crossings (straight rows of earth between the two spaces).

        Raises:
            GenerationError: Walls of rooms, or cells taken before, leave no way.
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
        """Tell whether a planned tunnel can be dug: all of its cells are free, and none touches an open cell of a third space.

        Other tunnels may not be touched either.

        Args:
            way: The (y, x) cells of the tunnel.
            spaces: The numbers of the spaces that it may touch.
        """
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
        """Tell whether a tunnel along a crossing has space for its doors: one at each end that lies in a room's wall."""
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
        """Add a tunnel and mark its cells as taken.

        Args:
            way: Its cells, from the one beside the space `a` to the one beside the space `b`.
            a: The number of the space at its beginning.
            b: The number of the space at its end.
            beside: Where a second line of cells may lie, as (dy, dx) from the cells of the tunnel; None if it must be one wide.
        """
        first, last = a > self.spaces.caves, b > self.spaces.caves
        if len(way) == 1 and (first or last):
            dug = CaveTunnel(a, b, (), ((*way[0], a),))
        else:
            cells = way[first : len(way) - last]
            if beside is not None and self.thickness() > 1:
                caves = [number for number in (a, b) if number <= self.spaces.caves]
                inside = self.spaces.area.contains
                cells = widened(
                    cells, beside, lambda y, x: inside(y, x) and self._touches_only([(y, x)], caves)
                )
            dug = CaveTunnel(a, b, cells, ((*way[0], a),) * first + ((*way[-1], b),) * last)
        self.ways[dug.pair] = dug
        self._open(dug)

    def _open(self, way: CaveTunnel) -> None:
        """Mark the cells of a tunnel as taken."""
        self._mark(way, taken=True)

    def _fill(self, way: CaveTunnel) -> None:
        """Mark the cells of a tunnel as free earth again."""
        self._mark(way, taken=False)

    def _mark(self, way: CaveTunnel, *, taken: bool) -> None:
        """Set or clear the cells of a tunnel in `taken`, and its doors in `doors`, too."""
        for y, x in way.cells:
            self._taken[y * self._width + x] = taken
        for y, x, _ in way.doors:
            self._taken[y * self._width + x] = self.doors[y, x] = taken

    def _join(self, numbers: Sequence[int]) -> None:
        """Dig the shortest tunnel from any of some spaces to any other space.

        It is searched near these spaces first, then on the whole map.

        Args:
            numbers: The numbers of the spaces from which it may begin; they are joined to each other.

        Raises:
            GenerationError: There is no way.
        """
        spaces, (height, width) = self.spaces, self.spaces.labels.shape
        whole, own = Rect(0, 0, height, width), set(numbers)
        bounds = reduce(Rect.joined, (spaces.boxes[number - 1] for number in numbers))
        # A tunnel of fewer than AROUND cells can't leave the first part, so a shorter one elsewhere is impossible.
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
        """Return the cells of a shortest tunnel from some spaces to others, which enters rooms straight through their walls.

        Args:
            part: The part of the map that all masks cover. It has one cell around `ground`, except at the map's edge.
            here: The mask of the spaces where it may begin.
            there: The mask of the spaces where it may end.
            ground: The mask of the cells that may be dug.
            most: The greatest number of cells that it may have.

        Returns:
            Its cells on the map; empty if there is none.
        """
        spaces, board = self.spaces, Board(part.height, part.width)
        starts, goals = board.beside(here) & ground, board.beside(there) & ground
        if spaces.has_rooms:
            rooms = board.from_array(spaces.labels[part.slices] > spaces.caves)
            doors = board.from_array(self.doors[part.slices])
            # Wall cells for doors, without corners and without cells next to doors.
            gates = board.beside(rooms) & ~board.around(doors)
            ground &= gates | ~board.around(rooms)
            starts &= ground
            goals &= ground
            ground &= starts | goals | ~gates
        way = find_way(board, {1: ground}, starts, goals, most=most, random=self.random, winds=True)
        return [Cell(y + part.y, x + part.x) for y, x in way]

    def _beside(self, cell: Cell) -> list[int]:
        """Return the numbers of the spaces (caves and rooms) that have a cell right above, below or beside `cell`."""
        y, x = cell
        beside = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
        return [int(self.spaces.labels[at]) for at in beside if self.spaces.labels[at] > 0]


def _sorted_pair(a: int, b: int) -> Pair:
    """Return two numbers of spaces as a pair, the lower one first."""
    return (a, b) if a < b else (b, a)


# -- network ----------------------------------------------------------------------------------------
#
# The flow is planned, dug, and planned anew if a tunnel that it needs can't be dug.


PLANS = 8
"""Largest number of flows that are planned and dug; the one with most spaces along one path is taken."""


class CaveNetwork:
    """Plans and digs the tunnels between all spaces (caves and rooms) of a map.

    Args:
        spaces: The spaces to join.
        params: The author's parameters.
        job: Its streams (`key`, ...) decide everything.
        key: The first words of the streams' names.

    Attributes:
        crossings: Pair of spaces -> its crossings (straight rows of earth between the two), the best first.
        detours: The pairs that a tunnel with bends can join, as two lists computed when first asked for: pairs that lie near each
            other, then all.
    """

    def __init__(
        self, spaces: CaveSpaces, params: CaveSystemParams, job: LayoutJob, key: tuple[str | int, ...]
    ) -> None:
        self.spaces, self.params, self.job, self.key = spaces, params, job, key
        count, reach = len(spaces.boxes), params.reach
        self.crossings = find_crossings(spaces.labels, count, reach, job.streams.ranks(*key, "crossings"))
        self.detours: Iterator[list[Pair]] = find_detours(spaces.labels[spaces.area.slices], count, reach)

    def dig(self) -> Iterator[tuple[str, CaveTunnel]]:
        """Yield ("tunnel", tunnel) for the tunnels that join all spaces, then ("loop", tunnel) for those that close loops.

        Raises:
            GenerationError: A space can't be joined.
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
        """Return an iterator over the lists of pairs that bent tunnels can join, from the first list on; none is computed twice."""
        self.detours, found = tee(self.detours)
        return found

    def _join_along(self, stream: Stream) -> tuple[CaveFlow, TunnelDigger]:
        """Dig a tree of tunnels in which enough spaces lie along one path; return the plan, and the dug tunnels.

        A tunnel may be blocked by tunnels dug before it. If a tunnel that the path needs is blocked, another path is planned without that
        pair. A very long path (over `LONG` spaces) can hardly ever be dug as planned, so its edges are exchanged instead.
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
            digger = TunnelDigger(spaces, ways.random, params.winding, thickness)
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

    def _close_loop(self, digger: TunnelDigger) -> None:
        """Dig one tunnel that closes a loop, if the author wants loops but none has been dug; it may save fewer steps than wanted.

        The pairs with the longest walk between them come first; straight tunnels are tried before tunnels with bends.
        """
        for pairs in chain([list(self.crossings)], self._detours()):
            for pair in longest_round(pairs, digger.ways, len(self.spaces.boxes)):
                if digger.dig(self.crossings.get(pair, ())) or digger.bend(pair):
                    return
        text = "the earth did not allow a way that closes a loop"
        self.job.journal.note("layout", "flow", "noted", text)
