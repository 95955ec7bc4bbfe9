"""Tunnelers: diggers with a width, a direction and a lifetime, that turn, branch, join and open junctions.

After the tunneler idea of the DungeonMaker (dungeonmaker.sourceforge.net), whose diggers live, turn and have
children; own design. Ours dig a whole run at a time on line masks, keep a distance from corridors beside them so
that rooms fit between, turn only to where there is space, and close a loop only where it saves a long walk.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dungeon.generation.layouts.dice import pick_bit
from dungeon.generation.layouts.tunnels_plan import SHORTEST, STRIP, Piece, TunnelPlan, cell
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.job import Mouth
    from dungeon.generation.layouts.tunnels_params import TunnelerParams, TunnelsParams
    from dungeon.generation.layouts.tunnels_plan import PieceKind, Side

# -- tunneler --------------------------------------------------------------------------------------


AROUND_CORNER = 8
"""The fewest cells that must be free before a tunneler turns or sends a child to a side."""

STAND_OFF = 5
"""How far from a corridor that it does not join a tunneler stops: a small room with its walls."""

TYPICAL_OPEN = 0.42
"""On maps that are to be less open than this corridors keep farther apart."""


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
        taste: Whether rooms beside what it digs are smaller or larger than elsewhere, from -1 to 1.
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
    taste: float = 0.0
    generation: int = 0


class Breed:
    """What the tunnelers of one kind have in common: their parameters, ready to be rolled.

    Args:
        params: What the author set.
        size: How many lines the map has per axis.
        spread: What the lengths of corridors and the distances between them are multiplied by.
        stream: Where their chances come from.

    Attributes:
        edges: Per axis, the first line where a corridor is far enough from the map's edge for rooms beside it.
    """

    def __init__(self, params: TunnelerParams, size: tuple[int, int], spread: float, stream: Stream) -> None:
        self.params = params
        self.width = params.dice("width", stream, 1)
        self.run = _stretched(params.dice("run", stream, SHORTEST), spread)
        self.life = _stretched(params.dice("life", stream, 0), spread)
        self.hall_margin = params.dice("hall_margin", stream, 2)
        self.spacing = _stretched(params.dice("spacing", stream, 1), spread, max(1, min(size) // 3))
        most = max(1, min(size) // 3)
        least = min(params.table("spacing", 1)[1])
        self.least_spacing = min(int(least * spread), most)
        self.edges = tuple(min(min(least, most) + 1, max(2, lines // 2 - 2)) for lines in size)


def _stretched(roll: Callable[[], int], spread: float, most: int | None = None) -> Callable[[], int]:
    """Return what rolls lengths that are `spread` times as long, but no more than `most`."""
    if most is not None:
        return lambda: min(int(roll() * spread), most)
    return roll if spread == 1 else lambda: int(roll() * spread)


class Tunnelers:
    """The tunnelers of one map at work.

    Args:
        plan: The plan to dig in.
        params: What the author set.
        spread: What the lengths of corridors and the distances between them are multiplied by.
        stream: Where their chances come from.
    """

    def __init__(self, plan: TunnelPlan, params: TunnelsParams, spread: float, stream: Stream) -> None:
        self.plan = plan
        self.params = params
        self.stream = stream
        self.queue: deque[Tunneler] = deque()
        self.widest = max(1, min(plan.size) // 12)
        self.around_corner = max(SHORTEST, min(int(AROUND_CORNER * spread), min(plan.size) // 4))

    def dig(self) -> None:
        """Let all waiting tunnelers, and the children that they have meanwhile, live their lives."""
        while self.queue:
            self._live(self.queue.popleft())

    def drifted(self, taste: float) -> float:
        """Return the taste of one that takes after somebody with that taste."""
        return min(1.0, max(-1.0, taste + self.params.drift * (2 * self.stream.random() - 1)))

    # -- living ---------------------------------------------------------------------------------

    def _live(self, me: Tunneler) -> None:
        """Dig runs, and decide after each, until there is no life or no way left."""
        run, free = me.breed.run, self._reach(me)
        while me.life >= SHORTEST:
            wanted = min(run(), me.life)
            blocked = free <= wanted
            if blocked:
                ahead = self._way_ahead(me, free)
                if ahead is not None and self._join(me, ahead, free):
                    return
                wanted = free if ahead is None else max(free - STAND_OFF, min(free, SHORTEST))
            if wanted >= SHORTEST:
                self._advance(me, wanted)
                free -= wanted
            elif me.piece is None:
                return
            corridor = me.piece
            if not self._choose(me, blocked):
                return
            if me.piece is not corridor:  # it has turned, or opened a junction
                free = self._reach(me)

    def leave(self, me: Tunneler) -> None:
        """Let one that has just left a mouth live: it must start, and at its full width, however close others are."""
        met = self._meet(me)
        if met is not None and self._way_ahead(me, self._reach(me)) is None:
            self._run_into(me, *met)
            return
        while me.spacing > 1 and met is None and self._reach(me) < SHORTEST:
            me.spacing //= 2
        self._live(me)

    def _reach(self, me: Tunneler) -> int:
        """Return how many cells it could dig straight on."""
        return self.plan.reach(me.axis, me.sign, me.across, me.width, me.front, me.spacing)

    def _advance(self, me: Tunneler, length: int) -> None:
        """Dig that many cells: a new corridor, or more of the one at hand."""
        front, sign, plan, piece = me.front, me.sign, self.plan, me.piece
        low = front if sign > 0 else front - length + 1
        if piece is None or piece.kind != "corridor":
            across, entry = me.across, (front, me.across) if me.axis else (me.across, front)
            me.piece = plan.add(
                Piece(
                    len(plan.pieces),
                    "corridor",
                    me.axis,
                    across,
                    low,
                    me.width,
                    length,
                    sign,
                    me.parent,
                    entry,
                    me.hold,
                    me.door,
                    me.taste,
                )
            )
            if me.parent is None:
                me.piece.holds.append((front, front))  # where it left a mouth, it stays
        else:
            plan.take(piece, low, length)
            piece.along = min(piece.along, low)
            piece.length += length
        me.front = front + sign * length
        me.life -= length

    def _choose(self, me: Tunneler, blocked: bool) -> bool:  # noqa: FBT001  # private, and called for every run
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
        piece, axis = me.piece, 1 - me.axis
        assert piece is not None
        width = min(piece.length, me.width)
        if piece.kind != "corridor":
            across = piece.along + (piece.length - width) // 2
        else:
            across = me.front - width if me.sign > 0 else me.front + 1
        edge = me.breed.edges[axis]
        if not edge <= across <= self.plan.size[axis] - edge - width:
            return across, width, []
        low, high = piece.across, piece.across + piece.thick
        back, ahead = self.plan.reach_both(axis, across, width, low, high, me.spacing)
        least = self.around_corner
        signs = [-1] if back >= least else []
        if ahead >= least:
            signs.append(1)
        return across, width, signs

    def _child(self, me: Tunneler, sign: int, across: int, width: int) -> Tunneler:
        """Return a child that takes after its parent and leaves it to one side."""
        random, breed, drift, piece = self.stream.random, me.breed, self.params.drift, me.piece
        assert piece is not None
        if width > 1 and random() < breed.params.narrow:
            width -= 1
        elif width < min(self.widest, piece.length) and random() < breed.params.widen:
            width += 1
            if me.sign > 0 or piece.kind != "corridor":
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
            breed.spacing(),
            piece,
            hold,
            taste=self.drifted(me.taste),
            generation=me.generation + 1,
        )

    def _open_junction(self, me: Tunneler) -> None:
        """Dig a square hall ahead, a little wider than the corridor, if there is space; go to its far side.

        =====#      The hall may touch the corridor only where that enters it, so the mask that
        ===  .H     must be free reaches back beside the corridor but not into it.
        =====#
        """
        assert me.piece is not None
        plan, breed, grow = self.plan, me.breed, self.stream.between(1, 2)
        kind: PieceKind = "junction"
        if breed.params.hall and self.stream.random() < breed.params.hall:
            kind, grow = "hall", breed.hall_margin()
        size, first = me.width + 2 * grow, me.across - grow
        low = me.front if me.sign > 0 else me.front - size + 1
        if first < 1 or low < 1 or first + size >= plan.size[me.axis]:
            return
        beside = (1 << (size + 2)) - 1 << (low - 1)
        ahead = (1 << (size + 1)) - 1 << (low if me.sign > 0 else low - 1)
        line, end = first - 1, me.across + me.width
        for taken in plan.used[me.axis][first - 1 : first + size + 1]:
            if taken & (ahead if me.across <= line < end else beside):
                return
            line += 1
        index, entry, at = len(plan.pieces), cell(me.axis, me.across, me.front), me.front - me.sign
        me.piece = plan.add(
            Piece(
                index,
                kind,
                me.axis,
                first,
                low,
                size,
                size,
                me.sign,
                me.piece,
                entry,
                (at, at),
                None,
                me.taste,
            )
        )
        me.parent, me.hold, me.door = me.piece, (0, 0), None
        me.front += me.sign * size

    # -- joining --------------------------------------------------------------------------------

    def _way_ahead(self, me: Tunneler, free: int) -> Piece | None:
        """Return the corridor or junction that all of one's lines run into one wall beyond the free cells."""
        plan, axis, across = self.plan, me.axis, me.across
        at = me.front + me.sign * (free + 1)
        if free < 1 or not 0 < at < plan.size[1 - axis]:
            return None
        if not plan.strips[axis][across // STRIP] >> at & 1:
            return None
        first = plan.piece_at(*cell(axis, across, at))
        if first is None or first.kind == "room":
            return None
        last = first if me.width == 1 else plan.piece_at(*cell(axis, across + me.width - 1, at))
        return first if first is last else None

    def _meet(self, me: Tunneler) -> tuple[int, Piece, tuple[int, int]] | None:
        """Return how many cells it must dig until it touches a corridor or a junction, that piece and the cell of it.

        None if there is none close by, or if it would touch something else, too.
        """
        plan, lines = self.plan, range(me.across, me.across + me.width)
        for length in range(1, SHORTEST + 1):
            last = me.front + me.sign * (length - 1)
            near = [cell(me.axis, line, last + me.sign) for line in lines]
            near += [cell(me.axis, line, last) for line in (lines[0] - 1, lines[-1] + 1)]
            taken = [(y, x) for y, x in near if plan.used[0][y] >> x & 1]
            pieces = [plan.piece_at(*place) for place in taken]
            ways = [piece for piece in pieces if piece is not None and piece.kind != "room"]
            if len(ways) < len(taken) or any(plan.used[me.axis][line] >> last & 1 for line in lines):
                return None
            if ways:
                return length, ways[0], taken[0]
        return None

    def _run_into(self, me: Tunneler, length: int, target: Piece, touched: tuple[int, int]) -> None:
        """Dig from a mouth the few cells to a corridor or a junction that is touched then."""
        self._advance(me, length)
        assert me.piece is not None
        end = me.front - me.sign
        me.piece.holds.append((end, end))
        target.holds.append(target.held_by(*touched))
        self.plan.graft(me.piece, cell(me.axis, me.across, end), target)

    def _join(self, me: Tunneler, target: Piece, free: int) -> bool:
        """Dig on into the corridor ahead, if that saves a walk long enough; tell whether it was done."""
        plan, params = self.plan, self.params
        begun = me.piece or me.parent  # nothing, if it has just left a mouth
        here = cell(me.axis, me.across, me.front)
        there = cell(me.axis, me.across, me.front + me.sign * (free + 1))
        enough = params.loop + free + 1 if plan.trees == 1 else math.inf
        walk = plan.walk(begun, here, target, there, enough) if begun is not None else math.inf
        saved, apart = walk - (free + 1), walk == math.inf
        if saved < params.loop or not (apart or self.stream.chance(me.breed.params.join)):
            return False
        self._advance(me, free + 1)
        assert me.piece is not None
        end = me.front - me.sign
        me.piece.holds.append((end, end))
        target.holds.append(target.held_at(1 - me.axis, -me.sign, me.across, me.across + me.width - 1))
        if apart:
            plan.graft(me.piece, cell(me.axis, me.across, end), target)
        return True


def _beside(piece: Piece, sign: int, across: int, width: int) -> tuple[int, tuple[int, int]]:
    """Return the first cell beside a piece at its crossing with these lines, and what of the piece must stay."""
    front = piece.across - 1 if sign < 0 else piece.across + piece.thick
    return front, (across, across + width - 1) if piece.kind == "corridor" else (0, 0)


# -- network ---------------------------------------------------------------------------------------
#
# The network of corridors: where its first tunnelers begin, and where others start into what is still empty.


THINNING = 1.3
"""Corridors grow rarer faster than floor does on thin maps: more of the floor is left for rooms."""

POCKET = 12
"""How many cells each way must be free to be worth a tunneler: for a room, a corridor and their walls."""

VAST = 24
"""How many cells each way must be free, where something divides the map, for a network of its own."""

FIRST_TRIES = 12
"""How many places are looked at for the first tunneler, if none of them is very good."""

LAST_TRIES = 300
"""How many are looked at, if none will do."""


class Quiet:
    """Where neither a corridor nor the map's edge is near a breed's tunnelers: a quick answer before a thorough one.

    Args:
        plan: The map.
        breed: What the tunnelers are like.
        length: How many cells they must be able to dig.
    """

    def __init__(self, plan: TunnelPlan, breed: Breed, length: int) -> None:
        self.spacing = breed.least_spacing
        self._strips = max(0, length // STRIP - 1)
        height, width = plan.size
        top, left = breed.edges
        self._cells = (
            [(1 << width - left) - (1 << left)] * len(plan.strips[0]),
            [(1 << height - top) - (1 << top)] * len(plan.strips[1]),
        )
        self.disturb(piece for piece in plan.pieces if piece.kind != "room")

    def disturb(self, dug: Iterable[Piece]) -> None:
        """Say that these corridors and junctions have been dug."""
        spacing = self.spacing
        for piece in dug:
            axis, across, along = piece.axis, piece.across, piece.along
            below, end = across + piece.thick, along + piece.length
            low = along - spacing if along > spacing else 0
            mask, cells = ~((1 << end + spacing) - (1 << low)), self._cells[axis]
            for strip in range(across // STRIP, (below + 3) // STRIP):
                cells[strip] &= mask
            low = across - spacing if across > spacing else 0
            mask, cells = ~((1 << below + spacing) - (1 << low)), self._cells[1 - axis]
            for strip in range(along // STRIP, (end + 3) // STRIP):
                cells[strip] &= mask

    def beyond(self, side: Side) -> bool:
        """Tell whether it is quiet anywhere beyond a wall: in the first strip that lies wholly beyond it, and as far as one must dig."""
        axis, wall, sign, low, high = side
        cells = self._cells[axis]
        strip = (wall + STRIP - 1) // STRIP if sign > 0 else (wall + 1) // STRIP - 1
        last = strip + sign * self._strips
        if last < 0 or last >= len(cells):
            return False
        return bool(cells[strip] & cells[last] & (1 << high) - (1 << low))


class Network:
    """The corridors of one map.

    Args:
        plan: The plan to dig in.
        params: What the author set.
        stream: Where the tunnelers' chances come from.
    """

    def __init__(self, plan: TunnelPlan, params: TunnelsParams, stream: Stream) -> None:
        self.plan = plan
        self.stream = stream
        spread = max(1.0, TYPICAL_OPEN / max(params.open, 0.05)) ** THINNING
        self.tunnelers = Tunnelers(plan, params, spread, stream)
        self.farthest = max(1, min(plan.size) // 3)
        self.pocket = min(POCKET, self.farthest)
        self.main = Breed(params.main, plan.size, spread, stream)
        self.side = Breed(params.side, plan.size, spread, stream)

    def enter(self, mouths: Iterable[Mouth]) -> None:
        """Send a tunneler of the drawn width off from every mouth at which one must start, one after the other.

        Those that live first leave the cells before the other mouths free.
        """
        diggers = [digger for mouth in mouths if mouth.kind == "tunneler" and (digger := self._at(mouth))]
        kept = [self.plan.keep(_first_cells(digger)) for digger in diggers]
        for digger, cells in zip(diggers, kept, strict=True):
            self.plan.give_back(cells)
            self.tunnelers.leave(digger)
        self.tunnelers.dig()

    def _at(self, mouth: Mouth) -> Tunneler | None:
        """Return a tunneler that is about to leave a mouth; None if it would leave the map, too."""
        axis = int(mouth.dy != 0)
        across, front = (mouth.x, mouth.y) if axis else (mouth.y, mouth.x)
        lines, cells = self.plan.size[axis] - 2, self.plan.size[1 - axis] - 2
        if not (across > 0 and across + mouth.width < lines and 0 < front < cells - 1):
            return None
        sign = mouth.dy + mouth.dx
        return self._tunneler(self.main, axis, sign, across + 1, mouth.width, front + 1, self.main.spacing())

    def begin(self) -> Piece | None:
        """Send tunnelers both ways from a place in the middle part of the map; return where, if there was space."""
        plan, stream, breed = self.plan, self.stream, self.main
        height, width = plan.size
        best, found = SHORTEST - 1, None
        for tried in range(LAST_TRIES):
            axis = int(stream.below(height + width) < height)  # mostly the longer way
            lines, cells = plan.size[axis], plan.size[1 - axis]
            thick = min(breed.width(), self.tunnelers.widest)
            across = stream.between(max(lines * 3 // 10, 2), max(lines * 7 // 10 - thick, 2))
            front = stream.between(max(cells // 4, 2), max(cells * 3 // 4, 2))
            length = self._reach_both_ways(axis, across, thick, front)
            if length > best:
                best, found = length, (axis, across, thick, front)
            if best > cells // 2 or (found is not None and tried >= FIRST_TRIES):
                break
        return self._begin_at(*found) if found is not None else None

    def begin_elsewhere(self) -> Piece | None:
        """Do the same in the midst of a vast empty space, if there is one that no tunneler has come to."""
        at = self.plan.find_void(VAST, self.stream)
        if at is None:
            return None
        axis, breed = self.stream.below(2), self.main
        across, front = at if axis == 0 else at[::-1]
        return self._begin_at(axis, across, min(breed.width(), self.tunnelers.widest), front)

    def _begin_at(self, axis: int, across: int, thick: int, front: int) -> Piece | None:
        """Send tunnelers both ways from a cell; return the piece that they begin with, unless it came to nothing."""
        plan, breed = self.plan, self.main
        first = plan.add(Piece(len(plan.pieces), "corridor", axis, across, front, thick, 1, 1, None, (0, 0)))
        for sign in (1, -1):
            digger = self._tunneler(breed, axis, sign, across, thick, front + sign, breed.spacing())
            digger.piece = first
            self.tunnelers.queue.append(digger)
        self.tunnelers.dig()
        if first.length < SHORTEST and not first.holds:
            plan.remove(first)
        return None if first.gone else first

    def _reach_both_ways(self, axis: int, across: int, thick: int, front: int) -> int:
        ahead = self.plan.reach(axis, 1, across, thick, front, 0)
        behind = self.plan.reach(axis, -1, across, thick, front, 0)
        return ahead + behind - 1 if ahead > 0 and behind > 0 else 0

    def _tunneler(
        self, breed: Breed, axis: int, sign: int, across: int, width: int, front: int, spacing: int
    ) -> Tunneler:
        params = breed.params
        return Tunneler(
            breed, axis, sign, across, width, front, breed.life(), params.turn, params.branch, spacing
        )

    # -- filling --------------------------------------------------------------------------------

    def fill(
        self, breed: Breed, hosts: Iterable[Piece], length: int, pocket: int = 0
    ) -> Iterator[list[Piece]]:
        """Start tunnelers from the walls of pieces, and of what they dig, until there is no place for another.

        Args:
            breed: What they are like.
            hosts: The pieces to start from, in random order.
            length: The fewest cells they must be able to dig.
            pocket: Start only where so many cells each way are free; if 0, look for corridors only.

        Yields:
            After every start the pieces that came of it; the caller may stop whenever there are enough.
        """
        plan, pieces = self.plan, self.plan.pieces
        quiet = None if pocket else Quiet(plan, breed, length)
        promises = quiet.beyond if quiet is not None else partial(plan.faces_void, size=pocket)
        waiting = [host for host in hosts if not host.gone]
        self.stream.shuffle(waiting)
        for host in waiting:
            for side in host.sides()[: 2 if host.kind == "corridor" else None]:  # it ends where it was to end
                while promises(side) and self._start(breed, host, side, length):
                    before = len(pieces)
                    self.tunnelers.dig()
                    if len(pieces) == before:  # there was less space than it seemed
                        break
                    dug = pieces[before:]
                    if quiet is not None:
                        quiet.disturb(dug)
                    waiting.extend(dug)
                    yield dug

    def _start(self, breed: Breed, host: Piece, side: Side, length: int) -> bool:
        """Send a tunneler off from somewhere along a wall, if there is a place for one."""
        plan, is_room, (facing, wall, sign, low, high) = self.plan, host.kind == "room", side
        axis, width = 1 - facing, 1
        low_edge, high_edge = breed.edges[axis], plan.size[axis] - breed.edges[axis]
        low = max(low, low_edge)
        high = min(high, high_edge)
        if not is_room and host.thick > 1:
            width = min(breed.width(), host.thick, self.tunnelers.widest)
        if high - low < width:
            return False
        places = plan.starts(side, low, high, width, length, breed.least_spacing)
        if places and is_room:
            places &= plan.door_cells(side, low, high)
        if not places:
            return False
        across = pick_bit(places, low, high, self.stream)
        digger = self._tunneler(breed, axis, sign, across, width, wall, breed.least_spacing - STRIP // 2)
        digger.life = max(length, digger.life)
        digger.taste = self.tunnelers.drifted(host.taste)
        digger.parent, digger.hold = host, host.held_at(facing, sign, across, across + width - 1)
        if is_room:
            digger.door = cell(facing, wall, across)
            digger.front += sign
        self.tunnelers.queue.append(digger)
        return True


def _first_cells(digger: Tunneler) -> Rect:
    """Return the cells of a framed mask that a tunneler digs first, one of each of its lines."""
    if digger.axis:
        return Rect(digger.front, digger.across, 1, digger.width)
    return Rect(digger.across, digger.front, digger.width, 1)


# -- trimming ---------------------------------------------------------------------------------------
#
# Taking back what tunnelers dug in vain.


STUB = 3
"""A dead end shorter than this would look like a mistake."""


def trim(plan: TunnelPlan, first: Piece | None, dead_ends: float, stream: Stream) -> None:
    """Take back what leads nowhere: junctions without exits and the ends of corridors.

    Going from the farthest pieces to those that they hang on, each knows what is left of its children.

    Args:
        plan: The plan.
        first: The piece whose both ends may lead nowhere, if there is one.
        dead_ends: The share of the dead ends that stay.
        stream: What decides which.
    """
    random = stream.random
    pieces = plan.pieces[::-1]
    if plan.grafted:
        pieces.sort(key=lambda piece: -piece.depth)
    for piece in pieces:
        if piece.kind == "room" or piece is first or piece.gone:
            continue
        low, high = piece.needed()
        if piece.kind == "corridor" and piece.length - (high - low) >= STUB and random() < dead_ends:
            continue
        if not piece.holds:
            plan.remove(piece)
        elif piece.kind == "corridor":
            plan.cut(piece, low, high)
    if first is not None and first.parent is None and not first.gone:
        _trim_first(plan, first)


def _trim_first(plan: TunnelPlan, first: Piece) -> None:
    """Trim the first piece: both its ends may lead nowhere, and where only one thing was begun from it, it does."""
    while len(first.holds) == 1:
        children = [p for p in plan.pieces if p.parent is first and not p.gone and p.door is None]
        if not children:
            break
        plan.remove(first)
        first = children[0]
        first.parent = None
    if not first.holds:
        plan.remove(first)
    elif first.kind == "corridor":
        low, high = first.needed()
        least = STUB if len(first.holds) == 1 else first.thick
        high = min(max(high, low + least), first.along + first.length)
        plan.cut(first, max(min(low, high - least), first.along), high)
