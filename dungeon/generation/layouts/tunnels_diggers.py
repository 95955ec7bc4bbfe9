"""Tunnelers: agents that dig the corridors of the layout `tunnels`, each with a width, a direction and a lifetime in cells.

A tunneler digs straight runs; between them it may turn or send out a child, a new tunneler. What it digs are pieces of
a plan: corridors, junctions and halls. A line is a row of the map for axis 0 and a column for axis 1.

After the tunneler idea of the DungeonMaker (dungeonmaker.sourceforge.net), whose diggers live, turn and have
children; own design. A tunneler here digs a whole run at a time on line masks. It keeps a distance from corridors
beside it, so that rooms fit between. It turns only to a side with space, and closes a loop only if that saves a long
walk.

       child                 at the end of each run a tunneler may send a child
         ^                   to either side, turn, or open a junction (J)
    =====|=====JJJ
    run  | run JJJ--> ...
               JJJ
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.generation.layouts.tunnels_pieces import SHORTEST, TunnelPiece, cell
from dungeon.generation.layouts.tunnels_plan import STRIP, TunnelPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.tunnels_params import TunnelerParams, TunnelsParams
    from dungeon.generation.layouts.tunnels_pieces import TunnelPieceKind

# -- tunneler --------------------------------------------------------------------------------------


AROUND_CORNER = 8
"""A tunneler turns, or sends a child, to a side only with this many free cells there: a corridor with a small room at its end."""

STAND_OFF = 5
"""A tunneler stops this many cells before a corridor that it does not join: a small room with its walls fits between."""


@dataclass(slots=True, eq=False)
class Tunneler:
    """A digger of corridors: where it digs next, and what it passes on to its children.

    Attributes:
        breed: The kind of tunneler: main or side.
        axis: The direction that it digs: 0 along a row, 1 along a column.
        sign: +1 to dig right or down, -1 to dig left or up.
        across: The first row (axis 0) or column (axis 1) of its corridor.
        width: The width of its corridor, in cells.
        front: The next cell that it digs on these rows or columns.
        life: How many cells it may still dig.
        turn: The chance of a turn at the end of a run.
        branch: The chance, for each of the two sides, of a child at the end of a run.
        spacing: How many cells it keeps from corridors beside it.
        parent: The piece that its next corridor is joined to; None if it starts at the mouth of a prefab.
        hold: The (first, last) cells along `parent` that must not be cut off, since its next corridor is joined there.
        door: The (y, x) of the door that its first corridor begins behind; None if it begins at a corridor.
        piece: The corridor or junction that it has just dug; None before its first cell and after a turn.
        size_bias: The size bias of rooms beside its corridors, from -1 (smaller) to 1 (larger).
        generation: The number of its ancestors: parent, parent's parent and so on.
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
    parent: TunnelPiece | None = None
    hold: tuple[int, int] = (0, 0)
    door: tuple[int, int] | None = None
    piece: TunnelPiece | None = None
    size_bias: float = 0.0
    generation: int = 0


class Breed:
    """A kind of tunneler (main or side), with a function for each of its parameters that rolls a value.

    Args:
        params: The author's parameters of this kind.
        size: The number of (rows, columns) of the plan.
        spread: The factor for the lengths of corridors and the distances between them, at least 1.
        stream: The random stream of all rolls.

    Attributes:
        width: Rolls the width of a corridor, in cells.
        run: Rolls the length of a straight run, in cells.
        life: Rolls the number of cells that a tunneler may dig in all.
        hall_margin: Rolls how many cells wider than its corridor a hall is on each side.
        spacing: Rolls how many cells a tunneler keeps from corridors beside it.
        least_spacing: The smallest number that `spacing` may roll.
        edges: (the first row, the first column) that is far enough from the map's edge for rooms beside a corridor.
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
    """Return a function that rolls a length with `roll` and multiplies the length by `spread`, rounded down.

    Args:
        roll: Rolls a length.
        spread: The factor, 1 or more.
        most: The largest result; longer lengths become this one. None for no limit.
    """
    if most is not None:
        return lambda: min(int(roll() * spread), most)
    return roll if spread == 1 else lambda: int(roll() * spread)


class Tunnelers:
    """The waiting tunnelers of one map, and the rules by which they dig.

    Args:
        plan: The plan to dig in.
        params: The author's parameters.
        spread: The factor for the lengths of corridors and the distances between them, at least 1.
        stream: The random stream of all decisions.

    Attributes:
        queue: The tunnelers that wait to dig; children go to the end of the queue.
        widest: The largest width of a corridor on this map, in cells.
        around_corner: The number of free cells that a side must have for a turn or a child.
    """

    def __init__(self, plan: TunnelPlan, params: TunnelsParams, spread: float, stream: Stream) -> None:
        self.plan = plan
        self.params = params
        self.stream = stream
        self.queue: deque[Tunneler] = deque()
        self.widest = max(1, min(plan.size) // 12)
        self.around_corner = max(SHORTEST, min(int(AROUND_CORNER * spread), min(plan.size) // 4))

    def dig(self) -> None:
        """Let all waiting tunnelers dig until they stop, then the children that they have sent out, and so on."""
        while self.queue:
            self._live(self.queue.popleft())

    def drifted(self, size_bias: float) -> float:
        """Return a random number from -1 to 1 that differs from `size_bias` by at most the parameter `drift`.

        The size bias of a corridor makes rooms beside it smaller (negative) or larger (positive).
        """
        return min(1.0, max(-1.0, size_bias + self.params.drift * (2 * self.stream.random() - 1)))

    # -- living ---------------------------------------------------------------------------------

    def _live(self, digger: Tunneler) -> None:
        """Let a tunneler dig one straight run after another, until its lifetime is over or it has no space left.

        At the end of each run `_choose` decides how it goes on.
        """
        run, free = digger.breed.run, self._reach(digger)
        while digger.life >= SHORTEST:
            wanted = min(run(), digger.life)
            blocked = free <= wanted
            if blocked:
                ahead = self._way_ahead(digger, free)
                if ahead is not None and self._join(digger, ahead, free):
                    return
                wanted = free if ahead is None else max(free - STAND_OFF, min(free, SHORTEST))
            if wanted >= SHORTEST:
                self._advance(digger, wanted)
                free -= wanted
            elif digger.piece is None:
                return
            corridor = digger.piece
            if not self._choose(digger, blocked):
                return
            if digger.piece is not corridor:  # the tunneler has turned, or opened a junction
                free = self._reach(digger)

    def leave(self, digger: Tunneler) -> None:
        """Let a tunneler at the mouth of a prefab dig until it stops, starting with the mouth's full width.

        If a corridor or junction touches its first cells, the tunneler only digs up to that. Otherwise the distance
        that it keeps from corridors beside it is halved until it can start.
        """
        met = self._meet(digger)
        if met is not None and self._way_ahead(digger, self._reach(digger)) is None:
            self._run_into(digger, *met)
            return
        while digger.spacing > 1 and met is None and self._reach(digger) < SHORTEST:
            digger.spacing //= 2
        self._live(digger)

    def _reach(self, digger: Tunneler) -> int:
        """Return how many cells a tunneler can dig straight ahead; negative if it can't dig the next cell."""
        return self.plan.reach(
            digger.axis, digger.sign, digger.across, digger.width, digger.front, digger.spacing
        )

    def _advance(self, digger: Tunneler, length: int) -> None:
        """Let a tunneler dig `length` cells straight ahead: a new corridor, or a longer one if it digs a corridor already."""
        front, sign, plan, piece = digger.front, digger.sign, self.plan, digger.piece
        low = front if sign > 0 else front - length + 1
        if piece is None or piece.kind != "corridor":
            across, entry = digger.across, (front, digger.across) if digger.axis else (digger.across, front)
            digger.piece = plan.add(
                TunnelPiece(
                    len(plan.pieces),
                    "corridor",
                    digger.axis,
                    across,
                    low,
                    digger.width,
                    length,
                    sign,
                    digger.parent,
                    entry,
                    digger.hold,
                    digger.door,
                    digger.size_bias,
                )
            )
            if digger.parent is None:
                digger.piece.holds.append((front, front))  # the cell at the mouth must stay
        else:
            plan.take(piece, low, length)
            piece.along = min(piece.along, low)
            piece.length += length
        digger.front = front + sign * length
        digger.life -= length

    def _choose(self, digger: Tunneler, blocked: bool) -> bool:  # noqa: FBT001  # private, and called for every run
        """Decide by chance what a tunneler does at the end of a run; tell whether it goes on digging.

        It may turn, send out children, open a junction, or go straight on.

        Args:
            digger: The tunneler.
            blocked: Whether it can't go straight on.
        """
        random = self.stream.random
        turning = random() < digger.turn or blocked
        left, right = random() < digger.branch, random() < digger.branch
        if not (turning or left or right):
            return True
        assert digger.piece is not None
        if digger.piece.kind == "corridor" and random() < digger.breed.params.junction:
            self._open_junction(digger)
        across, width, signs = self._exits(digger)
        for sign in signs:
            if left if sign < 0 else right:
                self.queue.append(self._child(digger, sign, across, width))
        if not (turning and signs):
            return not blocked
        digger.sign = signs[0] if len(signs) == 1 or random() < 0.5 else signs[1]
        digger.front, digger.hold = _beside(digger.piece, digger.sign, across, width)
        digger.axis, digger.across, digger.width = 1 - digger.axis, across, width
        digger.parent, digger.piece, digger.door = digger.piece, None, None
        return True

    def _exits(self, digger: Tunneler) -> tuple[int, int, list[int]]:
        """Return where corridors may branch off to the sides at the end of a run.

        Returns:
            (the first row or column of such a corridor, its width, the sides with space for it: -1 for the left or
            upper side, +1 for the right or lower side).
        """
        piece, axis = digger.piece, 1 - digger.axis
        assert piece is not None
        width = min(piece.length, digger.width)
        if piece.kind != "corridor":
            across = piece.along + (piece.length - width) // 2
        else:
            across = digger.front - width if digger.sign > 0 else digger.front + 1
        edge = digger.breed.edges[axis]
        if not edge <= across <= self.plan.size[axis] - edge - width:
            return across, width, []
        low, high = piece.across, piece.across + piece.thick
        back, ahead = self.plan.reach_both(axis, across, width, low, high, digger.spacing)
        least = self.around_corner
        signs = [-1] if back >= least else []
        if ahead >= least:
            signs.append(1)
        return across, width, signs

    def _child(self, digger: Tunneler, sign: int, across: int, width: int) -> Tunneler:
        """Return a new tunneler, a child of `digger`, that starts to one side; its width and chances may differ from those of `digger`.

        Args:
            digger: The parent.
            sign: The side: -1 for left or up, +1 for right or down.
            across: The first row or column of the corridor to that side, as returned by `_exits`.
            width: The width of the corridor, as returned by `_exits`.
        """
        random, breed, drift, piece = self.stream.random, digger.breed, self.params.drift, digger.piece
        assert piece is not None
        if width > 1 and random() < breed.params.narrow:
            width -= 1
        elif width < min(self.widest, piece.length) and random() < breed.params.widen:
            width += 1
            if digger.sign > 0 or piece.kind != "corridor":
                across -= 1  # grow backward, else it would stick out past the end of the parent
        front, hold = _beside(piece, sign, across, width)
        return Tunneler(
            breed,
            1 - digger.axis,
            sign,
            across,
            width,
            front,
            breed.life() * 2 // (digger.generation + 3),
            digger.turn * (1 + drift * (2 * random() - 1)),
            digger.branch * (1 + drift * (2 * random() - 1)),
            breed.spacing(),
            piece,
            hold,
            size_bias=self.drifted(digger.size_bias),
            generation=digger.generation + 1,
        )

    def _open_junction(self, digger: Tunneler) -> None:
        """Dig a square junction or hall, wider than the corridor, ahead of a tunneler, and move the tunneler to the far side.

        Nothing happens if there is no space.

             #+++       The square (+) may touch the corridor (=) only where the corridor enters. So the cells that
            ==+++       must be free include those beside the end of the corridor (#).
             #+++
        """
        assert digger.piece is not None
        plan, breed, grow = self.plan, digger.breed, self.stream.between(1, 2)
        kind: TunnelPieceKind = "junction"
        if breed.params.hall and self.stream.random() < breed.params.hall:
            kind, grow = "hall", breed.hall_margin()
        size, first = digger.width + 2 * grow, digger.across - grow
        low = digger.front if digger.sign > 0 else digger.front - size + 1
        if first < 1 or low < 1 or first + size >= plan.size[digger.axis]:
            return
        beside = (1 << (size + 2)) - 1 << (low - 1)
        ahead = (1 << (size + 1)) - 1 << (low if digger.sign > 0 else low - 1)
        line, end = first - 1, digger.across + digger.width
        for taken in plan.used[digger.axis][first - 1 : first + size + 1]:
            if taken & (ahead if digger.across <= line < end else beside):
                return
            line += 1
        index, entry, at = (
            len(plan.pieces),
            cell(digger.axis, digger.across, digger.front),
            digger.front - digger.sign,
        )
        digger.piece = plan.add(
            TunnelPiece(
                index,
                kind,
                digger.axis,
                first,
                low,
                size,
                size,
                digger.sign,
                digger.piece,
                entry,
                (at, at),
                None,
                digger.size_bias,
            )
        )
        digger.parent, digger.hold, digger.door = digger.piece, (0, 0), None
        digger.front += digger.sign * size

    # -- joining --------------------------------------------------------------------------------

    def _way_ahead(self, digger: Tunneler, free: int) -> TunnelPiece | None:
        """Return the corridor or junction that a tunneler would meet over its whole width after digging `free` cells.

        After these cells only one wall would lie between the two. Return None if the tunneler would meet none.
        """
        plan, axis, across = self.plan, digger.axis, digger.across
        at = digger.front + digger.sign * (free + 1)
        if free < 1 or not 0 < at < plan.size[1 - axis]:
            return None
        if not plan.strips[axis][across // STRIP] >> at & 1:
            return None
        first = plan.piece_at(*cell(axis, across, at))
        if first is None or first.kind == "room":
            return None
        last = first if digger.width == 1 else plan.piece_at(*cell(axis, across + digger.width - 1, at))
        return first if first is last else None

    def _meet(self, digger: Tunneler) -> tuple[int, TunnelPiece, tuple[int, int]] | None:
        """Return the corridor or junction that a tunneler will touch while it digs its first `SHORTEST` cells.

        Returns:
            (how many cells the tunneler must dig until it touches the piece, the piece, the (y, x) of the cell of the
            piece that it touches). None if it touches no piece, or something else at the same time.
        """
        plan, lines = self.plan, range(digger.across, digger.across + digger.width)
        for length in range(1, SHORTEST + 1):
            last = digger.front + digger.sign * (length - 1)
            near = [cell(digger.axis, line, last + digger.sign) for line in lines]
            near += [cell(digger.axis, line, last) for line in (lines[0] - 1, lines[-1] + 1)]
            taken = [(y, x) for y, x in near if plan.used[0][y] >> x & 1]
            pieces = [plan.piece_at(*place) for place in taken]
            ways = [piece for piece in pieces if piece is not None and piece.kind != "room"]
            if len(ways) < len(taken) or any(plan.used[digger.axis][line] >> last & 1 for line in lines):
                return None
            if ways:
                return length, ways[0], taken[0]
        return None

    def _run_into(self, digger: Tunneler, length: int, target: TunnelPiece, touched: tuple[int, int]) -> None:
        """Let a tunneler dig `length` cells from a mouth up to a corridor or junction, and join its corridor to that.

        Args:
            digger: The tunneler at the mouth of a prefab.
            length: The number of cells.
            target: The corridor or junction.
            touched: The (y, x) of the cell of `target` that the new corridor touches.
        """
        self._advance(digger, length)
        assert digger.piece is not None
        end = digger.front - digger.sign
        digger.piece.holds.append((end, end))
        target.holds.append(target.held_by(*touched))
        self.plan.graft(digger.piece, cell(digger.axis, digger.across, end), target)

    def _join(self, digger: Tunneler, target: TunnelPiece, free: int) -> bool:
        """Let a tunneler dig into the corridor ahead if that shortens the walk between the two by at least `loop` steps.

        If they are not connected yet, they are always joined; otherwise the chance `join` decides.

        Args:
            digger: The tunneler.
            target: The corridor or junction ahead.
            free: The number of free cells before the wall of `target`.

        Returns:
            Whether the tunneler has dug into `target`.
        """
        plan, params = self.plan, self.params
        begun = digger.piece or digger.parent  # None just after a mouth
        here = cell(digger.axis, digger.across, digger.front)
        there = cell(digger.axis, digger.across, digger.front + digger.sign * (free + 1))
        enough = params.loop + free + 1 if plan.trees == 1 else math.inf
        walk = plan.walk(begun, here, target, there, enough) if begun is not None else math.inf
        saved, apart = walk - (free + 1), walk == math.inf
        if saved < params.loop or not (apart or self.stream.chance(digger.breed.params.join)):
            return False
        self._advance(digger, free + 1)
        assert digger.piece is not None
        end = digger.front - digger.sign
        digger.piece.holds.append((end, end))
        target.holds.append(
            target.held_at(1 - digger.axis, -digger.sign, digger.across, digger.across + digger.width - 1)
        )
        if apart:
            plan.graft(digger.piece, cell(digger.axis, digger.across, end), target)
        return True


def _beside(piece: TunnelPiece, sign: int, across: int, width: int) -> tuple[int, tuple[int, int]]:
    """Return where a corridor begins that branches off `piece` to one side, and which cells of `piece` must not be cut off.

    Args:
        piece: The corridor or junction that the new corridor branches off.
        sign: The side: -1 for left or up, +1 for right or down.
        across: The first row or column of the new corridor.
        width: The width of the new corridor.

    Returns:
        The first cell of the new corridor, and the (first, last) cells along `piece` that must stay; (0, 0) for a
        junction, which is never cut.
    """
    front = piece.across - 1 if sign < 0 else piece.across + piece.thick
    return front, (across, across + width - 1) if piece.kind == "corridor" else (0, 0)
