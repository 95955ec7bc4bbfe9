"""The network of corridors: where its first tunnelers begin, and where others start into what is still empty."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dungeon.generation.layouts.dice import pick_bit
from dungeon.generation.layouts.tunnels.piece import SHORTEST, Piece, cell
from dungeon.generation.layouts.tunnels.plan import STRIP
from dungeon.generation.layouts.tunnels.tunneler import TYPICAL_OPEN, Breed, Tunneler, Tunnelers
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.job import Mouth
    from dungeon.generation.layouts.tunnels.params import TunnelsParams
    from dungeon.generation.layouts.tunnels.piece import Side
    from dungeon.generation.layouts.tunnels.plan import TunnelPlan

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
