"""Rooms along corridors, behind other rooms and, where nothing else fits, alone; and their second doors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values import roll
from dungeon.layouts.burrow import Burrow, Piece, Side, cell, faces
from dungeon.layouts.dice import dice
from dungeon.layouts.tunneler import pick_bit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.layouts.tunnels import TunnelsParams
    from dungeon.streams import Stream

OVERHANG = 8
"""How far a room may stick out beyond the end of the corridor that it is built on."""

CORNER = 2
"""So many cells at the beginning of a corridor get no door: they lie in the walls of the one it leaves."""

SLIMMEST = 3
"""A room is at most this many times as long as it is wide."""

SCATTER = 2
"""In a stretch with this many lengths of a room to spare it stands anywhere, else near one of the ends."""

MOST_PIECES = 60_000
"""Regions are numbered with 16 bits."""


class Lining:
    """Builds rooms against the walls of what is there, until the map is as full as it should be.

    Args:
        burrow: The plan to build in.
        params: What the author set.
        stream: Where chances come from.

    Attributes:
        count: How many rooms there are.
        wanted: How many there should be in the end.
        full: How many cells of the map should be open in the end.
    """

    def __init__(self, burrow: Burrow, params: TunnelsParams, stream: Stream) -> None:
        self.burrow = burrow
        self.params = params
        self.stream = stream
        self.size_class = dice(params.sizes, stream, "medium")
        self.spans = {
            name: dice(value, stream, 4)
            for name, value in (("small", params.small), ("medium", params.medium), ("large", params.large))
        }
        self.gap = dice(params.gap, stream, 0)
        self.least = params.narrowest
        self.count = 0
        self.wanted = MOST_PIECES if params.rooms is None else roll(params.rooms, stream, MOST_PIECES)
        height, width = burrow.size
        self.full = int(params.open * (height - 2) * (width - 2))
        self._most_rooms = self._most_open = 0

    def done(self) -> bool:
        """Tell whether what was aimed at is there, and no fewer rooms than the map must have."""
        if self.count >= self._most_rooms:
            return True
        return self.burrow.open >= self._most_open and self.count >= self.params.min_rooms

    def aim(self, share: float) -> None:
        """Build from now on until so much of what is missing to the targets is there."""
        missing, spare = self.full - self.burrow.open, max(0, MOST_PIECES - len(self.burrow.pieces))
        self._most_open = self.burrow.open + int(missing * share)
        self._most_rooms = self.count + min(int((self.wanted - self.count) * share + 0.5), spare)

    # -- along walls ----------------------------------------------------------------------------

    def line(self, hosts: Iterable[Piece], *, void: int = 0, rounds: int = 1000) -> None:
        """Build rooms along the walls of these pieces, one in each free stretch a round, until enough is there.

        Going round like this spreads rooms over the whole map, however few there are to be.

        Args:
            hosts: The pieces to build on.
            void: Build only where this many cells each way were free at the beginning.
            rounds: How often to go round at most.
        """
        if self.done():
            return
        present = [host for host in hosts if not host.gone]
        self.stream.shuffle(present)
        walls: Iterable[tuple[Piece, Side]] = ((host, side) for host in present for side in self._walls(host))
        if void:
            blocks = self.burrow.blocks(void)
            walls = (wall for wall in walls if faces(blocks, void, wall[1]))
        for _ in range(rounds):
            again = []
            for host, side in walls:
                if self.done():
                    return
                if self._build_beside(host, side):
                    again.append((host, side))
            if not again:
                return
            walls = again

    def _walls(self, host: Piece) -> tuple[Side, ...] | list[Side]:
        """Return the walls of a piece, each as far as there may be doors in it."""
        if host.kind != "corridor":
            return host.sides()
        used, walls = self.burrow.used, []
        for side in host.sides():
            axis, wall, sign, low, high = side
            if axis != host.axis:
                if not used[axis][wall + sign] >> low & 1:  # else it goes on there
                    walls.append(side)
            elif host.parent is None:
                walls.append(side)
            elif host.length > CORNER:
                walls.append(
                    (axis, wall, sign, low + CORNER, high)
                    if host.sign > 0
                    else (axis, wall, sign, low, high - CORNER)
                )
        return walls

    def _build_beside(self, host: Piece, side: Side) -> bool:
        """Build a room in every free stretch along a wall; tell whether there is any new one."""
        before = self.count
        for first, end in self.burrow.stretches(side, self.least, OVERHANG):
            self._build_in(host, side, first, end)
            if self.done():
                break
        return self.count > before

    def _build_in(self, host: Piece, side: Side, first: int, end: int) -> None:
        """Build a room in the free stretch from `first` to below `end`, if it can have a door in the wall."""
        stream, (axis, _, _, low, high) = self.stream, side
        span = self.spans[self.size_class()]
        length, depth = span(), span()
        if (length < depth) is (axis == 0) and stream.random() < self.params.wide:
            length, depth = depth, length
        first, end = max(first, low - length + 1), min(end, high + length - 1)
        length = min(length, end - first)
        slack = end - first - length
        if slack > SCATTER * length:
            at = first + stream.below(slack + 1)
        else:
            gap = min(self.gap(), slack)
            at = first + gap if stream.random() < 0.5 else end - length - gap
        depth = self.burrow.depth(side, at, length, depth)
        if length > depth * SLIMMEST:
            length = max(depth * SLIMMEST, low - at + 1)
        door_low, door_high = max(at, low), min(at + length, high)
        cells = self.burrow.door_cells(side, door_low, door_high)
        if cells:
            self._build(host, side, at, length, depth, pick_bit(cells, door_low, door_high, stream))

    def _build(self, host: Piece | None, side: Side, at: int, length: int, depth: int, door: int) -> None:
        """Build a room of that length and depth beyond a wall, with a door to the host if there is one."""
        axis, wall, sign, _, _ = side
        across = wall + 1 if sign > 0 else wall - depth
        entry, index = cell(axis, wall + sign, door), len(self.burrow.pieces)
        room = Piece(index, "room", axis, across, at, depth, length, 1, host, entry)
        if host is not None:
            room.hold, room.door = host.held_at(axis, sign, door, door), cell(axis, wall, door)
        self.burrow.add(room)
        self.count += 1

    # -- elsewhere ------------------------------------------------------------------------------

    def build_alone(self) -> bool:
        """Build a room that is joined to nothing, where no corridor had space; tell whether there was any."""
        height, width = self.burrow.size
        places = []
        for wall in range(1, height - 1):
            side = (0, wall, 1, 1, width - 1)
            places += [(side, first, end) for first, end in self.burrow.stretches(side, self.least, 0)]
        if not places:
            return False
        side, first, end = self.stream.pick(places)
        span = self.spans[self.size_class()]
        length = min(span(), end - first)
        self._build(None, side, first, length, self.burrow.depth(side, first, length, span()), first)
        return True

    def add_second_doors(self) -> None:
        """Give some rooms another door, to a neighbour one wall away to which the walk was long."""
        stream, chance = self.stream, self.params.second_door
        for room in self.burrow.pieces:
            if room.kind == "room" and stream.random() < chance:
                walls = list(room.sides())
                stream.shuffle(walls)
                any(self._add_second_door(room, side) for side in walls)

    def _add_second_door(self, room: Piece, side: Side) -> bool:
        """Open a door through a wall of a room, if what lies beyond is worth it; tell whether it is."""
        burrow, (axis, wall, sign, low, high) = self.burrow, side
        beyond = burrow.used[axis][wall + sign] & ~burrow.doors[axis][wall + sign]
        cells = beyond & burrow.door_cells(side, low, high)
        if not cells:
            return False
        at = pick_bit(cells, low, high, self.stream)
        here, there = cell(axis, wall - sign, at), cell(axis, wall + sign, at)
        other = burrow.piece_at(*there)
        if other is None or burrow.walk(room, here, other, there) < self.params.loop:
            return False  # it was taken before we came, or is near anyway
        burrow.add_loop(*cell(axis, wall, at), room, other)
        return True
