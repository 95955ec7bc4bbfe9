"""Parameters of the layout `tunnels`, in which tunnelers (agents that dig) dig corridors with rooms along them."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from pydantic import Field

from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.parameters import Parameters
from dungeon.generation.layouts.dice import Closing, RolledParameters
from dungeon.generation.layouts.shaping import ShapedRoomsParams
from dungeon.generation.layouts.tunnels_pieces import SHORTEST


def _weights(*pairs: tuple[int | Between, float]) -> Choice[int]:
    """Return a weighted choice of the values in these (value, weight) pairs; a value may be a range."""
    options = ((Constant(value) if isinstance(value, int) else value, weight) for value, weight in pairs)
    return Choice(tuple(options))


class TunnelerParams(RolledParameters):
    """Parameters of one kind of tunneler (a digger of corridors).

    Attributes:
        width: The width of its corridors, in cells.
        run: How many cells it digs before it may turn, branch or open a junction.
        life: How many cells it digs in all; its children dig fewer with each generation.
        turn: The chance of a turn at the end of a run.
        branch: The chance, for each of the two sides, of a child (a new tunneler) at the end of a run.
        narrow: The chance that a child digs narrower than its parent.
        widen: The chance that a child digs wider than its parent.
        junction: The chance of a junction, a little wider than the corridor, where a tunneler turns or branches.
        hall: The share of these junctions that are halls.
        hall_margin: How many cells wider than the corridor a hall is on each side.
        spacing: How many cells it keeps from corridors beside it, and from the map's edge.
        join: The chance that it digs on into a corridor ahead, where that saves a long walk.
    """

    width: Annotated[IntValue, within(1, 9)] = _weights((1, 5), (2, 3), (3, 1))
    run: Annotated[IntValue, within(SHORTEST, 200)] = Between(7, 20)
    life: Annotated[IntValue, within(SHORTEST, 2000)] = Between(60, 160)
    turn: Probability = 0.35
    branch: Probability = 0.35
    narrow: Probability = 0.5
    widen: Probability = 0.1
    junction: Probability = 0.3
    hall: Probability = 0.15
    hall_margin: Annotated[IntValue, within(1, 30)] = Between(3, 4)
    spacing: Annotated[IntValue, within(1, 60)] = Between(12, 18)
    join: Probability = 0.7


class SideParams(TunnelerParams):
    """Parameters of side passages: narrow, short and winding, dug into parts that the main corridors left empty."""

    width: Annotated[IntValue, within(1, 9)] = Constant(1)
    run: Annotated[IntValue, within(SHORTEST, 200)] = Between(4, 8)
    life: Annotated[IntValue, within(SHORTEST, 2000)] = Between(10, 30)
    turn: Probability = 0.6
    branch: Probability = 0.1
    junction: Probability = 0.1
    hall: Probability = 0.0
    spacing: Annotated[IntValue, within(1, 60)] = Between(5, 7)


class RoomQuotas(Parameters):
    """Quotas: how many rooms of each size class a map gets.

    Rooms for quotas are built first, and are never larger or smaller than their class. Classes without a quota get
    rooms after that, by the chances in `sizes`.

    Attributes:
        small: The number of small rooms.
        medium: The number of medium rooms.
        large: The number of large rooms.
    """

    small: Annotated[IntValue, within(0, 60_000)] | None = None
    medium: Annotated[IntValue, within(0, 60_000)] | None = None
    large: Annotated[IntValue, within(0, 60_000)] | None = None


class TunnelsParams(ShapedRoomsParams):
    """Parameters of the layout `tunnels`.

    Attributes:
        main: The tunnelers that dig first.
        side: The tunnelers that dig side passages into empty parts.
        drift: How far a child's chances to turn and to branch may differ from its parent's: at 50%, a chance of 40%
            becomes 20% to 60%. Also how far its size bias may differ, from -100% (each room is a class smaller than
            rolled) to 100% (a class larger). Corridors inherit both, so parts of a big map differ.
        loop: How many steps of walk a loop must save, where a corridor joins another or a room gets a second door.
        dead_ends: The share of dead ends of corridors that stay.
        open: The share of the map to open, doors included. Digging ends there, or when no space is left. Below 42%
            corridors keep farther apart than `spacing` says, so that a thin map has rooms, too.
        rooms: The number of rooms, if there is space for them within `open`.
        quotas: How many rooms belong to each size class, even if that takes more than `open`.
        sizes: The size class of a room.
        small: The length of a small room's side, in cells.
        medium: The length of a medium room's side.
        large: The length of a large room's side.
        wide: The chance that a room higher than wide is laid on its side.
        gap: The fewest cells of earth, besides the wall, between neighbouring rooms.
        doors: What closes a room: `door`, `doorway`, `secret door`, or `open` for a gap in the wall. Only the
            door of a room that leads to no other room or corridor, and a door that closes a loop, may be secret; all
            others become plain doors.
        anteroom: The chance that a room on a corridor lies behind an anteroom.
        second_door: The share of rooms that try for a second door, which closes a loop. Unless this is 0, at least
            one room gets one, if any room can.
    """

    main: TunnelerParams = TunnelerParams()
    side: SideParams = SideParams()
    drift: Probability = 0.5
    loop: Annotated[int, Field(ge=0, strict=True)] = 30
    dead_ends: Probability = 0.05
    open: Probability = 0.42
    rooms: Annotated[IntValue, within(1, 60_000)] | None = None
    quotas: RoomQuotas = RoomQuotas()
    sizes: Annotated[WordValue, one_of("small", "medium", "large")] = Choice(
        ((Constant("small"), 3), (Constant("medium"), 5), (Constant("large"), 2))
    )
    small: Annotated[IntValue, within(2, 100)] = Between(3, 5)
    medium: Annotated[IntValue, within(2, 100)] = Between(5, 9)
    large: Annotated[IntValue, within(2, 100)] = Between(8, 13)
    wide: Probability = 0.5
    gap: Annotated[IntValue, within(0, 100)] = _weights((0, 3), (1, 2), (2, 2), (Between(3, 6), 2))
    doors: Closing = Choice(((Constant("door"), 4), (Constant("doorway"), 1)))
    anteroom: Probability = 0.04
    second_door: Probability = 0.25

    @cached_property
    def narrowest(self) -> int:
        """The shortest side that a room of any size class may have, in cells."""
        return min(min(value.outcomes()) for value in (self.small, self.medium, self.large))
