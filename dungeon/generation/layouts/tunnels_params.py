"""What authors may set on the layout `tunnels`."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from pydantic import Field

from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.parameters import Parameters
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.generation.layouts.doorways import Closing
from dungeon.generation.layouts.shaping import ShapedRoomsParams
from dungeon.generation.layouts.tunnels_plan import SHORTEST


def _weights(*pairs: tuple[int | Between, float]) -> Choice[int]:
    """Return the choice of one of these values, each with its weight."""
    options = ((Constant(value) if isinstance(value, int) else value, weight) for value, weight in pairs)
    return Choice(tuple(options))


class TunnelerParams(RolledParameters):
    """What one kind of tunneler is like.

    Attributes:
        width: How many cells wide they dig.
        run: How many cells they dig before they may turn, branch or open a junction.
        life: How many cells they dig in all; children less and less.
        turn: The chance of a turn at the end of a run.
        branch: The chance of a child to either side there.
        narrow: The chance that a child digs narrower.
        widen: The chance that a child digs wider.
        junction: The chance that where they turn or branch a junction a little wider than the corridor is opened.
        hall: The share of those junctions that are halls.
        hall_margin: How many cells wider than the corridor a hall is on each side.
        spacing: How far they keep from corridors beside them, and from the map's edge.
        join: The chance that they open into a corridor ahead, where that saves a long walk.
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
    """Side passages: narrow, short and winding, dug into what the main corridors left empty."""

    width: Annotated[IntValue, within(1, 9)] = Constant(1)
    run: Annotated[IntValue, within(SHORTEST, 200)] = Between(4, 8)
    life: Annotated[IntValue, within(SHORTEST, 2000)] = Between(10, 30)
    turn: Probability = 0.6
    branch: Probability = 0.1
    junction: Probability = 0.1
    hall: Probability = 0.0
    spacing: Annotated[IntValue, within(1, 60)] = Between(5, 7)


class RoomQuotas(Parameters):
    """How many rooms of a size class there are to be.

    Where they are not set, `sizes` decides. Rooms with a quota are built first, and never larger or smaller than their class.

    Attributes:
        small: How many small rooms there are to be.
        medium: How many medium rooms there are to be.
        large: How many large rooms there are to be.
    """

    small: Annotated[IntValue, within(0, 60_000)] | None = None
    medium: Annotated[IntValue, within(0, 60_000)] | None = None
    large: Annotated[IntValue, within(0, 60_000)] | None = None


class TunnelsParams(ShapedRoomsParams):
    """What an author may set.

    Attributes:
        main: The tunnelers that dig first.
        side: The tunnelers that fill gaps.
        drift: How far a child's chances to turn and branch may be from its parent's, as a share of them; and how far its
            taste for smaller or larger rooms may be, from always a class smaller (-100%) to always a class larger. Corridors
            pass both on, so that parts of a big map differ.
        loop: How many cells of walk a join or a second door must save.
        dead_ends: The share of corridor ends leading nowhere that stay.
        open: The share of the map that is to be open, doors included; digging ends there or when there is no space. Below
            42% corridors keep farther apart than `spacing` says, so that a thin map has rooms, too.
        rooms: How many rooms there are to be, if there is space for them within `open`.
        quotas: How many of them are to be of a size class, even if more than `open` is open then.
        sizes: Which of the size classes a room is.
        small: How many cells the sides of small rooms have.
        medium: How many cells the sides of medium rooms have.
        large: How many cells the sides of large rooms have.
        wide: The chance that a room higher than wide is laid down.
        gap: Earth besides the wall between neighbouring rooms, at least.
        doors: What closes a room: `door`, `doorway`, `secret door`, or `open` for a mere gap in the wall. Only a room that
            nothing lies behind, and a way that closes a loop, has a secret door; others get a door instead.
        anteroom: The chance that a room on a corridor lies behind an anteroom.
        second_door: The share of rooms that look for a second door, which closes a loop: one at least gets one, if any room
            can, unless this is 0.
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
        """The shortest side a room may have."""
        return min(min(value.outcomes()) for value in (self.small, self.medium, self.large))
