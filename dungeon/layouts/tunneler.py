"""Tunnelers: diggers with a width, a direction and a lifetime, that turn, branch, join and open junctions.

After the tunneler idea of the DungeonMaker (dungeonmaker.sourceforge.net), whose diggers live, turn and have
children; own design. Ours dig a whole run at a time on line masks, keep a distance from corridors beside them so
that rooms fit between, turn only to where there is space, and close a loop only where it saves a long walk.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.layouts.burrow import Burrow, Piece, Side, cell, faces
from dungeon.layouts.dice import dice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.layouts.tunnels import TunnelerParams, TunnelsParams
    from dungeon.streams import Stream

SHORTEST = 4
"""The fewest cells that are worth a corridor."""

AROUND_CORNER = 8
"""The fewest cells that must be free before a tunneler turns or sends a child to a side."""

STAND_OFF = 5
"""How far from a corridor that it does not join a tunneler stops: a small room with its walls."""

POCKET = 12
"""How many cells each way must be free to be worth a tunneler: for a room, a corridor and their walls."""

FEW = 10
"""For so many pieces it does not pay to look anew at the whole map."""

FIRST_TRIES = 12
"""How many places are looked at for the first tunneler, if none of them is very good."""

LAST_TRIES = 300
"""How many are looked at, if none will do."""


@dataclass(slots=True, eq=False)
class Tunneler:
    """A digger on its way.

    Attributes:
        breed: What it is like.
        axis: The way it digs; `sign`: which way along it, +1 or -1.
        across: Its first line; `width`: how many lines it digs.
        front: The next cell that it digs.
        life: How many cells it still digs.
        turn: The chance that it turns at the end of a run; `branch`: that it sends a child to a side there.
        spacing: How many cells it keeps from corridors beside it.
        parent: The piece it starts from; `hold`: which cells along that; `door`: the door it starts behind.
        piece: The corridor or junction that it is digging, None before the first cell and after a turn.
        generation: How many ancestors it has.
    """

    breed: Breed
    axis: int
    sign: int
    across: int
    width: int
    front: int
    life: int
    turn: float
    branch: float
    spacing: int
    parent: Piece | None = None
    hold: tuple[int, int] = (0, 0)
    door: tuple[int, int] | None = None
    piece: Piece | None = None
    generation: int = 0


class Breed:
    """What the tunnelers of one kind have in common: their parameters, ready to be rolled."""

    def __init__(self, params: TunnelerParams, stream: Stream) -> None:
        self.params = params
        self.width = dice(params.width, stream, 1)
        self.run = dice(params.run, stream, SHORTEST)
        self.life = dice(params.life, stream, 0)
        self.spacing = dice(params.spacing, stream, 1)
        self.least_spacing = min(params.spacing.outcomes())


class Network:
    """The tunnelers of one map and the ground they dig in.

    Args:
        burrow: The plan to dig in.
        params: What the author set.
        stream: Where their chances come from.
    """

    def __init__(self, burrow: Burrow, params: TunnelsParams, stream: Stream) -> None:
        self.burrow = burrow
        self.params = params
        self.stream = stream
        self.main = Breed(params.main, stream)
        self.side = Breed(params.side, stream)
        self.queue: deque[Tunneler] = deque()
        self.widest = max(1, min(burrow.size) // 12)
        self.farthest = max(1, min(burrow.size) // 3)
        self.pocket = min(POCKET, self.farthest)
        self.around_corner = max(SHORTEST, min(AROUND_CORNER, min(burrow.size) // 4))

    # -- starting -------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Send tunnelers both ways from a place in the middle part of the map; tell whether there was space."""
        burrow, stream, breed = self.burrow, self.stream, self.main
        height, width = burrow.size
        best, found = SHORTEST - 1, None
        for tried in range(LAST_TRIES):
            axis = int(stream.below(height + width) < height)  # mostly the longer way
            lines, cells = burrow.size[axis], burrow.size[1 - axis]
            thick = min(breed.width(), self.widest)
            across = stream.between(max(lines * 3 // 10, 2), max(lines * 7 // 10 - thick, 2))
            front = stream.between(max(cells // 4, 2), max(cells * 3 // 4, 2))
            length = self._reach_both_ways(axis, across, thick, front)
            if length > best:
                best, found = length, (axis, across, thick, front)
            if best > cells // 2 or (found is not None and tried >= FIRST_TRIES):
                break
        if found is None:
            return False
        axis, across, thick, front = found
        first = burrow.add(Piece(0, "corridor", axis, across, front, thick, 1, 1, None, (0, 0)))
        for sign in (1, -1):
            spacing = min(breed.spacing(), self.farthest)
            digger = self._tunneler(breed, axis, sign, across, thick, front + sign, spacing)
            digger.piece = first
            self.queue.append(digger)
        self.dig()
        if first.length < SHORTEST and not first.holds:
            burrow.remove(first)
        return not first.gone

    def _reach_both_ways(self, axis: int, across: int, thick: int, front: int) -> int:
        ahead = self.burrow.reach(axis, 1, across, thick, front, 0)
        behind = self.burrow.reach(axis, -1, across, thick, front, 0)
        return ahead + behind - 1 if ahead > 0 and behind > 0 else 0

    def _tunneler(
        self, breed: Breed, axis: int, sign: int, across: int, width: int, front: int, spacing: int
    ) -> Tunneler:
        params = breed.params
        return Tunneler(
            breed, axis, sign, across, width, front, breed.life(), params.turn, params.branch, spacing
        )

    def dig(self) -> None:
        """Let all waiting tunnelers, and the children that they have meanwhile, live their lives."""
        while self.queue:
            self._live(self.queue.popleft())

    def fill(self, breed: Breed, hosts: list[Piece], length: int) -> Iterator[list[Piece]]:
        """Start tunnelers from the walls of pieces, and of what they dig, until there is no place for another.

        Args:
            breed: What they are like.
            hosts: The pieces to start from; they are shuffled.
            length: The fewest cells they must be able to dig.

        Yields:
            After every start the pieces that came of it; the caller may stop whenever there are enough.
        """
        pieces = self.burrow.pieces
        self.stream.shuffle(hosts)
        blocks = self.burrow.blocks(self.pocket)
        while hosts:
            begun = len(pieces)
            for host in hosts:
                for side in host.sides():
                    while faces(blocks, self.pocket, side) and self._start(breed, host, side, length):
                        before = len(pieces)
                        self.dig()
                        yield pieces[before:]
            hosts = [piece for piece in pieces[begun:] if piece.kind != "room"]
            if len(hosts) > FEW:  # otherwise what was free before says enough
                blocks = self.burrow.blocks(self.pocket)

    def _start(self, breed: Breed, host: Piece, side: Side, length: int) -> bool:
        """Send a tunneler off from somewhere along a wall, if there is a place for one."""
        burrow, is_room, (facing, wall, sign, low, high) = self.burrow, host.kind == "room", side
        width = 1 if is_room else min(breed.width(), host.thick, self.widest)
        axis, spacing = 1 - facing, min(breed.least_spacing, self.farthest)
        edge = self._edge(axis, width, spacing)
        low, high = max(low, edge), min(high, burrow.size[axis] - edge)
        if high - low < width:
            return False
        places = burrow.starts(side, low, high, width, length, spacing)
        if is_room:
            places &= burrow.door_cells(side, low, high)
        if not places:
            return False
        across = pick_bit(places, low, high, self.stream)
        digger = self._tunneler(breed, axis, sign, across, width, wall, spacing)
        digger.life = max(length, digger.life)
        digger.parent, digger.hold = host, host.held_at(facing, sign, across, across + width - 1)
        if is_room:
            digger.door = cell(facing, wall, across)
            digger.front += sign
        self.queue.append(digger)
        return True

    # -- living ---------------------------------------------------------------------------------

    def _live(self, me: Tunneler) -> None:
        """Dig runs, and decide after each, until there is no life or no way left."""
        burrow, breed = self.burrow, me.breed
        while me.life >= SHORTEST:
            free = burrow.reach(me.axis, me.sign, me.across, me.width, me.front, me.spacing)
            wanted = min(breed.run(), me.life)
            blocked = free <= wanted
            if blocked:
                ahead = self._way_ahead(me, free)
                if ahead is not None and self._join(me, ahead, free):
                    return
                wanted = free if ahead is None else max(free - STAND_OFF, min(free, SHORTEST))
            if wanted >= SHORTEST:
                self._advance(me, wanted)
            elif me.piece is None:
                return
            if not self._choose(me, blocked=blocked):
                return

    def _advance(self, me: Tunneler, length: int) -> None:
        """Dig that many cells: a new corridor, or more of the one at hand."""
        low = me.front if me.sign > 0 else me.front - length + 1
        piece, burrow = me.piece, self.burrow
        if piece is None or piece.kind != "corridor":
            index, entry = len(burrow.pieces), cell(me.axis, me.across, me.front)
            me.piece = burrow.add(
                Piece(
                    index,
                    "corridor",
                    me.axis,
                    me.across,
                    low,
                    me.width,
                    length,
                    me.sign,
                    me.parent,
                    entry,
                    me.hold,
                    me.door,
                )
            )
        else:
            burrow.take(piece, low, length)
            piece.along = min(low, piece.along)
            piece.length += length
        me.front += me.sign * length
        me.life -= length

    def _choose(self, me: Tunneler, *, blocked: bool) -> bool:
        """At the end of a run: turn, branch, open a junction or go on; tell whether it lives on."""
        random = self.stream.random
        turning = random() < me.turn or blocked
        left, right = random() < me.branch, random() < me.branch
        if not (turning or left or right):
            return True
        assert me.piece is not None
        if me.piece.kind == "corridor" and random() < me.breed.params.junction:
            self._open_junction(me)
        across, width, signs = self._exits(me)
        for sign in signs:
            if left if sign < 0 else right:
                self.queue.append(self._child(me, sign, across, width))
        if not (turning and signs):
            return not blocked
        me.sign = signs[0] if len(signs) == 1 or random() < 0.5 else signs[1]
        me.front, me.hold = _beside(me.piece, me.sign, across, width)
        me.axis, me.across, me.width = 1 - me.axis, across, width
        me.parent, me.piece, me.door = me.piece, None, None
        return True

    def _exits(self, me: Tunneler) -> tuple[int, int, list[int]]:
        """Return the first line and the width of the way across from where one stands, and the sides it could go to."""
        piece, burrow, axis = me.piece, self.burrow, 1 - me.axis
        assert piece is not None
        width = min(me.width, piece.length)
        if piece.kind == "junction":
            across = piece.along + (piece.length - width) // 2
        else:
            across = me.front - width if me.sign > 0 else me.front + 1
        edge = self._edge(axis, width, me.spacing)
        if not edge <= across <= burrow.size[axis] - edge - width:
            return across, width, []
        low, high = piece.across, piece.across + piece.thick
        back, ahead = burrow.reach_both(axis, across, width, low, high, me.spacing)
        return across, width, [s for s, free in ((-1, back), (1, ahead)) if free >= self.around_corner]

    def _child(self, me: Tunneler, sign: int, across: int, width: int) -> Tunneler:
        """Return a child that takes after its parent and leaves it to one side."""
        random, breed, drift, piece = self.stream.random, me.breed, self.params.drift, me.piece
        assert piece is not None
        if width > 1 and random() < breed.params.narrow:
            width -= 1
        elif width < min(self.widest, piece.length) and random() < breed.params.widen:
            width += 1
            if me.sign > 0 or piece.kind == "junction":
                across -= 1  # the other way it would not lie within the parent's end
        front, hold = _beside(piece, sign, across, width)
        return Tunneler(
            breed,
            1 - me.axis,
            sign,
            across,
            width,
            front,
            breed.life() * 2 // (me.generation + 3),
            me.turn * (1 + drift * (2 * random() - 1)),
            me.branch * (1 + drift * (2 * random() - 1)),
            min(breed.spacing(), self.farthest),
            piece,
            hold,
            generation=me.generation + 1,
        )

    def _open_junction(self, me: Tunneler) -> None:
        """Dig a square hall ahead, a little wider than the corridor, if there is space; go to its far side.

        =====#      The hall may touch the corridor only where that enters it, so the mask that
        ===  .H     must be free reaches back beside the corridor but not into it.
        =====#
        """
        assert me.piece is not None
        burrow, grow = self.burrow, self.stream.between(1, 2)
        size, first = me.width + 2 * grow, me.across - grow
        low = me.front if me.sign > 0 else me.front - size + 1
        if first < 1 or low < 1 or first + size >= burrow.size[me.axis]:
            return
        beside = (1 << (size + 2)) - 1 << (low - 1)
        ahead = (1 << (size + 1)) - 1 << (low if me.sign > 0 else low - 1)
        for line, taken in enumerate(burrow.used[me.axis][first - 1 : first + size + 1], first - 1):
            if taken & (ahead if me.across <= line < me.across + me.width else beside):
                return
        index, entry, at = len(burrow.pieces), cell(me.axis, me.across, me.front), me.front - me.sign
        me.piece = burrow.add(
            Piece(index, "junction", me.axis, first, low, size, size, me.sign, me.piece, entry, (at, at))
        )
        me.parent, me.hold, me.door = me.piece, (0, 0), None
        me.front += me.sign * size

    def _edge(self, axis: int, width: int, spacing: int) -> int:
        """Return the first line where a corridor is far enough from the map's edge for rooms beside it."""
        return min(spacing + 1, max(2, (self.burrow.size[axis] - width) // 2 - 1))

    # -- joining --------------------------------------------------------------------------------

    def _way_ahead(self, me: Tunneler, free: int) -> Piece | None:
        """Return the corridor or junction that all of one's lines run into one wall beyond the free cells."""
        burrow, axis = self.burrow, me.axis
        at = me.front + me.sign * (free + 1)
        if free < 1 or not 0 < at < burrow.size[1 - axis]:
            return None
        if not all(line >> at & 1 for line in burrow.ways[axis][me.across : me.across + me.width]):
            return None
        first = burrow.piece_at(*cell(axis, me.across, at))
        last = burrow.piece_at(*cell(axis, me.across + me.width - 1, at))
        return first if first is last else None

    def _join(self, me: Tunneler, target: Piece, free: int) -> bool:
        """Dig on into the corridor ahead, if that saves a walk long enough; tell whether it was done."""
        burrow, params = self.burrow, self.params
        begun = me.piece or me.parent
        assert begun is not None
        here = cell(me.axis, me.across, me.front)
        there = cell(me.axis, me.across, me.front + me.sign * (free + 1))
        saved = burrow.walk(begun, here, target, there) - (free + 1)
        if saved < params.loop or not self.stream.chance(me.breed.params.join):
            return False
        self._advance(me, free + 1)
        assert me.piece is not None
        end = me.front - me.sign
        me.piece.holds.append((end, end))
        target.holds.append(target.held_at(1 - me.axis, -me.sign, me.across, me.across + me.width - 1))
        return True


def _beside(piece: Piece, sign: int, across: int, width: int) -> tuple[int, tuple[int, int]]:
    """Return the first cell beside a piece at its crossing with these lines, and what of the piece must stay."""
    front = piece.across - 1 if sign < 0 else piece.across + piece.thick
    return front, (0, 0) if piece.kind == "junction" else (across, across + width - 1)


def pick_bit(mask: int, low: int, high: int, stream: Stream) -> int:
    """Return one of the set bits, all of which lie from `low` to below `high`, more or less evenly."""
    at = low + stream.below(high - low)
    rest = mask >> at
    if rest:
        return at + (rest & -rest).bit_length() - 1
    return (mask & -mask).bit_length() - 1
