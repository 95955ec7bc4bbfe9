"""The rooms of the layout `tunnels`: their size classes (small, medium, large), and where they are built.

A piece is a corridor, junction, hall or room of the plan (the map before it is carved). A room is built behind a wall
(a `Side`) of a piece, its host, with a door in that wall. A stretch is a row of cells along a wall with free earth
behind.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import Choice, Constant, roll
from dungeon.generation.layouts.dice import dice, pick_bit
from dungeon.generation.layouts.tunnels_network import TYPICAL_OPEN
from dungeon.generation.layouts.tunnels_pieces import Side, TunnelPiece, cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.tunnels_params import TunnelsParams
    from dungeon.generation.layouts.tunnels_plan import TunnelPlan

# -- sizes of rooms ---------------------------------------------------------------------------------


CLASSES = ("small", "medium", "large")


class RoomSizes:
    """Chooses the size class (small, medium or large) of each next room.

    A class may have a quota, the number of rooms that the author wants of it. Classes with an unfilled quota come first.

    Args:
        params: The author's parameters.
        stream: The random stream of all rolls.

    Attributes:
        spans: Size class -> a function that rolls the length of one side of a room, in cells.
        quotas: Size class -> the number of rooms wanted, for classes with a quota.
        wanted: Size class -> the number of rooms still missing from its quota, for classes with a quota.
        least: Size class -> the shortest side that a room of the class may have, for classes with a quota.
    """

    def __init__(self, params: TunnelsParams, stream: Stream) -> None:
        quotas = {"small": params.quotas.small, "medium": params.quotas.medium, "large": params.quotas.large}
        self.spans = {name: params.dice(name, stream, 4) for name in CLASSES}
        self.wanted = {name: roll(value, stream, 0) for name, value in quotas.items() if value is not None}
        self.least = {name: min(params.table(name, 4)[1]) for name in self.wanted}
        self.quotas = dict(self.wanted)
        self._random = stream.random
        self._free = self._unlimited(params, stream)
        chosen = params.table("sizes", "medium")[1]
        self._order = [name for name in CLASSES if name in chosen and name not in self.quotas]

    def _unlimited(self, params: TunnelsParams, stream: Stream) -> Callable[[], str] | None:
        """Return a function that rolls a size class among those without a quota, by the weights of the parameter `sizes`.

        Return None if each class in `sizes` has a quota.
        """
        if not self.quotas:
            return params.dice("sizes", stream, "medium")
        odds = [(name or "medium", chance) for name, chance in params.sizes.odds().items()]
        left = [(Constant(name), chance) for name, chance in odds if name not in self.quotas and chance > 0]
        return dice(Choice(tuple(left)), stream, "medium") if left else None

    @property
    def missing(self) -> int:
        """The number of rooms still missing from the quotas of all size classes together."""
        return sum(self.wanted.values())

    @property
    def complete(self) -> bool:
        """Whether no further room may be built: all quotas are full, and there is no class without a quota."""
        return self._free is None and not self.missing

    def next(self, size_bias: float) -> str:
        """Return the size class of the next room.

        Classes with rooms missing from their quotas come first, each with a chance in proportion to that number. If no
        room is missing, the class is rolled by the author's weights and may be changed by `size_bias`.

        Args:
            size_bias: From -1 to 1: -0.3 makes the room one class smaller with a chance of 30 %, 0.3 one class larger.
        """
        if self.quotas:
            left = int(self._random() * self.missing)
            for name, count in self.wanted.items():
                left -= count
                if left < 0:
                    return name
        if self._free is None:
            return next(iter(self.quotas))
        name = self._free()
        if size_bias and self._random() < abs(size_bias) and name in self._order:
            place = self._order.index(name) + (1 if size_bias > 0 else -1)
            return self._order[min(max(place, 0), len(self._order) - 1)]
        return name

    def fits(self, name: str, length: int, depth: int) -> bool:
        """Tell whether a room of `length` x `depth` cells is large enough for the size class `name`.

        Classes without a quota have no lower bound.
        """
        return name not in self.quotas or min(length, depth) >= self.least[name]

    def count(self, name: str) -> None:
        """Count a room that has been built toward the quota of its size class `name`, if that class has a quota."""
        if name in self.wanted:
            self.wanted[name] -= 1


OVERHANG = 8
"""How many cells a room may stick out beyond an end of the wall that it is built on: most of a medium room's side."""

CORNER = 2
"""The first cells of a corridor get no doors, since they lie between rooms of the corridor that it branches off from."""

SLIMMEST = 3
"""A room is at most this many times as long as it is deep, so that it does not look like a corridor."""

SCATTER = 2
"""A room stands anywhere in its stretch if more cells are to spare than this many times its length; else near an end.

So rooms in short stretches line up wall to wall and leave space for another room.
"""

MANY = 8
"""From this number of pieces on, maps with few rooms (small `open`, or `rooms` set) spread them over the whole map."""

PART = 25
"""Side in cells of the squares into which a map is divided so that few rooms are spread: about a third of a screen."""

MOST_PIECES = 60_000
"""Largest number of pieces on a map, rooms included: regions are numbered with 16 bits."""


class RoomBuilder:
    """Builds rooms behind the walls of pieces (corridors, junctions, halls, rooms) until enough of the map is open.

        ------------   corridor
        #+###  #+##
        #...#  #...    each room begins one wall away and has a door (+) in this wall
        #...#  #...
        #####  ####

    Args:
        plan: The plan to build in.
        params: The author's parameters.
        stream: The random stream of all decisions.

    Attributes:
        sizes: Chooses the size class of each next room.
        count: The number of rooms built so far.
        wanted: The number of rooms to build in all; `MOST_PIECES` if the author sets no number.
        full: The number of cells of the map to open in all, corridors and doors included.
        gap: A function that rolls the number of cells of earth between neighbouring rooms.
        least: The shortest side that a room may have.
    """

    def __init__(self, plan: TunnelPlan, params: TunnelsParams, stream: Stream) -> None:
        self.plan = plan
        self.params = params
        self.stream = stream
        self.sizes = RoomSizes(params, stream)
        self.gap = params.dice("gap", stream, 0)
        self.least = params.narrowest
        self.count = 0
        self.wanted = MOST_PIECES if params.rooms is None else roll(params.rooms, stream, MOST_PIECES)
        height, width = plan.size
        self.full = int(params.open * (height - 2) * (width - 2))
        self._most_rooms = self._most_open = 0
        self._thin = self.wanted < MOST_PIECES or params.open < TYPICAL_OPEN

    def done(self) -> bool:
        """Tell whether no more rooms are needed now.

        With quotas for size classes, the quotas must be full. Otherwise the target set by the last call of `aim` must
        be reached, with at least one room built.
        """
        if self.sizes.quotas and (self.sizes.missing or self.sizes.complete):
            return self.sizes.complete
        if self.count >= self._most_rooms:
            return True
        return self.plan.open >= self._most_open and self.count > 0

    def aim(self, share: float) -> None:
        """Set the next target: which share (0 to 1) of the cells still to be opened, and of the missing rooms, is built now.

        Example: 100 rooms are wanted and 40 are built. `aim(0.5)` sets the target to 70 rooms.
        """
        missing, spare = self.full - self.plan.open, max(0, MOST_PIECES - len(self.plan.pieces))
        self._most_open = self.plan.open + int(missing * share)
        self._most_rooms = self.count + min(int((self.wanted - self.count) * share + 0.5), spare)

    # -- along walls ----------------------------------------------------------------------------

    def line(self, hosts: Iterable[TunnelPiece], *, void: int = 0, rounds: int = 1000) -> None:
        """Build rooms along the walls of pieces until the target of `aim` is reached or no wall has space.

        Each round puts one room into every free stretch of every wall. So even a few rooms are spread over the whole
        map.

        Args:
            hosts: The pieces that get rooms behind their walls; pieces removed from the plan are skipped.
            void: Build only behind walls that touch a free square with sides of this many cells; 0 for all walls.
            rounds: The largest number of rounds.
        """
        if self.done():
            return
        present = [host for host in hosts if not host.gone]
        self.stream.shuffle(present)
        if self._thin and len(present) >= MANY:
            present = _scattered(present)
        walls: Iterable[tuple[TunnelPiece, Side]] = self._walls(present, void)
        build, again = self._build_beside, []
        for _ in range(rounds):
            for wall in walls:
                if build(*wall):
                    again.append(wall)
                    if self.done():
                        return
            if not again:
                return
            walls, again = again, []

    def _walls(self, hosts: Iterable[TunnelPiece], void: int) -> Iterator[tuple[TunnelPiece, Side]]:
        """Yield (piece, wall) for every wall of some pieces that may get doors, cut to the part where doors may be.

        Args:
            hosts: The pieces.
            void: Yield only walls that touch a free square with sides of this many cells; 0 for all walls.
        """
        used, faces_void = self.plan.used, self.plan.faces_void
        for host in hosts:
            corridor, begun = host.kind == "corridor", host.parent is not None
            if corridor and begun and host.length <= CORNER:
                continue
            for side in host.sides():
                axis, wall, sign, low, high = side
                if corridor:
                    if axis != host.axis:
                        if used[axis][wall + sign] >> low & 1:  # another piece begins at this end
                            continue
                    elif begun:
                        low, high = (low + CORNER, high) if host.sign > 0 else (low, high - CORNER)
                part = axis, wall, sign, low, high
                if not void or faces_void(part, void):
                    yield host, part

    def _build_beside(self, host: TunnelPiece, side: Side) -> bool:
        """Build a room in every stretch along a wall, until no more rooms are needed; tell whether any was built.

        Args:
            host: The piece that the doors of the rooms lead to.
            side: The wall of that piece.
        """
        stretches = self.plan.stretches(side, self.least, OVERHANG)
        if not stretches:
            return False
        before = self.count
        for first, end in stretches:
            self._build_in(host, side, first, end)
            if self.done():
                break
        return self.count > before

    def _build_in(self, host: TunnelPiece, side: Side, first: int, end: int) -> None:
        """Build a room of random size behind a wall of a piece, with a door in that wall; do nothing if it does not fit.

            low                high     the wall of the host, from cell `low` to below `high`
            |##################|
              first       end           the stretch, which may reach beyond both ends of the wall
              |...........|
                 at
                 |......|               the room: `length` cells from `at` on, `depth` cells deep

        Args:
            host: The corridor or other piece that the door leads to.
            side: The wall of that piece, with the cells where a door may be.
            first: The first cell of the stretch, counted along the wall.
            end: The cell after the last cell of the stretch.
        """
        stream, (axis, _, _, low, high) = self.stream, side
        plan, random, sizes, params = self.plan, stream.random, self.sizes, self.params
        name = sizes.next(host.size_bias)
        span = sizes.spans[name]
        length, depth = span(), span()
        if (length < depth) is (axis == 0) and random() < params.wide:
            length, depth = depth, length
        if first <= low - length:
            first = low - length + 1
        if end >= high + length:
            end = high + length - 1
        slack = end - first - length
        if slack < 0:
            length, slack = end - first, 0
        if slack > SCATTER * length:
            at = first + int(random() * (slack + 1))
        else:
            gap = min(self.gap(), slack)
            at = first + gap if random() < 0.5 else end - length - gap
        depth = plan.depth(side, at, length, depth)
        if length > depth * SLIMMEST:
            length = max(depth * SLIMMEST, low - at + 1)
        door_low, door_high = max(low, at), min(high, at + length)
        cells = plan.door_cells(side, door_low, door_high)
        if cells and sizes.fits(name, length, depth):
            door = pick_bit(cells, door_low, door_high, stream)
            if host.kind == "corridor" and params.anteroom and random() < params.anteroom:
                self._build_anteroom(host, side, door)
            else:
                self._build(host, side, at, length, depth, door)
                sizes.count(name)

    def _build_anteroom(self, host: TunnelPiece, side: Side, door: int) -> None:
        """Build a small anteroom behind a wall, and rooms behind the anteroom; do nothing if either has no space.

        Args:
            host: The corridor that the anteroom's door leads to.
            side: The wall of the corridor.
            door: The position of the door along the wall (a column if the wall is a row of the map, else a row).
        """
        plan, stream, (axis, wall, sign, _, _) = self.plan, self.stream, side
        width, deep = stream.between(2, 3), stream.between(2, 3)
        first, needed = door - stream.below(width), deep + 1 + self.least
        if first < 1 or plan.depth(side, first, width, needed) < needed:
            return
        index, across = len(plan.pieces), wall + 1 if sign > 0 else wall - deep
        anteroom = TunnelPiece(
            index, "junction", axis, across, first, deep, width, sign, host, cell(axis, wall + sign, door)
        )
        anteroom.hold, anteroom.door = host.held_at(axis, sign, door, door), cell(axis, wall, door)
        anteroom.size_bias = host.size_bias
        plan.add(anteroom)
        behind = (axis, wall + sign * (deep + 1), sign, first, first + width)
        if not self._build_beside(anteroom, behind):
            plan.remove(anteroom)

    def _build(
        self, host: TunnelPiece | None, side: Side, at: int, length: int, depth: int, door: int
    ) -> None:
        """Add a room behind a wall to the plan, with a door in that wall.

        Args:
            host: The piece that the door leads to; None for a room that stands alone, without a door.
            side: The wall.
            at: The first cell along the wall that the room touches.
            length: How many cells along the wall the room touches.
            depth: How many cells the room reaches away from the wall.
            door: The position of the door along the wall.
        """
        axis, wall, sign, _, _ = side
        across = wall + 1 if sign > 0 else wall - depth
        entry, index = cell(axis, wall + sign, door), len(self.plan.pieces)
        room = TunnelPiece(index, "room", axis, across, at, depth, length, 1, host, entry)
        if host is not None:
            room.size_bias = host.size_bias
            room.hold, room.door = host.held_at(axis, sign, door, door), cell(axis, wall, door)
        self.plan.add(room)
        self.count += 1

    # -- elsewhere, and second doors --------------------------------------------------------------

    def build_alone(self) -> bool:
        """Build a single room without a door, for a map without space for a corridor; tell whether it was built."""
        height, width = self.plan.size
        places = []
        for wall in range(1, height - 1):
            side = (0, wall, 1, 1, width - 1)
            places += [(side, first, end) for first, end in self.plan.stretches(side, self.least, 0)]
        if not places:
            return False
        side, first, end = self.stream.pick(places)
        span = self.sizes.spans[self.sizes.next(0.0)]
        length = min(span(), end - first)
        self._build(None, side, first, length, self.plan.depth(side, first, length, span()), first)
        return True

    def add_second_doors(self) -> None:
        """Give some rooms a second door, to a room or corridor that is one wall away but a long walk.

        The chance `second_door` decides for which rooms a second door is tried. If none of them gets one, the other rooms are tried in
        random order, until one of these gets a second door.
        """
        stream, chance = self.stream, self.params.second_door
        count, others = len(self.plan.loops), []
        for room in self.plan.pieces:
            if room.kind == "room":
                if stream.random() < chance:
                    self._look_for_second_door(room)
                else:
                    others.append(room)
        if chance:
            stream.shuffle(others)
            while others and len(self.plan.loops) == count:
                self._look_for_second_door(others.pop())

    def _look_for_second_door(self, room: TunnelPiece) -> None:
        """Open a second door in one of a room's four walls, if a piece that is a long walk away lies behind that wall.

        The walls are tried in order, from a random one on.
        """
        walls, first = room.sides(), self.stream.below(4)
        for side in walls[first:] + walls[:first]:
            if self._add_second_door(room, side):
                break

    def _add_second_door(self, room: TunnelPiece, side: Side) -> bool:
        """Open a door in a wall of a room if the walk to the piece behind the wall is long: `loop` steps (a parameter) or more.

        Args:
            room: The room.
            side: The wall.

        Returns:
            Whether a door was opened.
        """
        plan, (axis, wall, sign, low, high) = self.plan, side
        span = (1 << high) - (1 << low)
        if not plan.used[axis][wall + sign] & span:
            return False
        cells = plan.used[axis][wall + sign] & ~plan.doors[axis][wall + sign]
        cells &= plan.door_cells(side, low, high)
        if not cells:
            return False
        at = pick_bit(cells, low, high, self.stream)
        here, there = cell(axis, wall - sign, at), cell(axis, wall + sign, at)
        other = plan.piece_at(*there)
        if other is None or plan.walk(room, here, other, there, self.params.loop) < self.params.loop:
            return False  # the cell belongs to something that was there before, or the walk is short
        plan.add_loop(*cell(axis, wall, at), room, other)
        return True


def _scattered(pieces: list[TunnelPiece]) -> list[TunnelPiece]:
    """Return pieces in an order that spreads them over the map: one from each square of `PART` x `PART` cells in turn."""
    parts: dict[tuple[int, int], list[TunnelPiece]] = {}
    for piece in pieces:
        middle, across = piece.along + piece.length // 2, piece.across + piece.thick // 2
        parts.setdefault(
            (middle // PART, across // PART) if piece.axis else (across // PART, middle // PART), []
        ).append(piece)
    return [piece for turn in zip_longest(*parts.values()) for piece in turn if piece is not None]
