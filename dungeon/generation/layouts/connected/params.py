"""What authors may set on the layout `connected`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dungeon.content.models.layouts import Deck
from dungeon.content.values.fields import PrefabOrTag
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.frozen import nothing
from dungeon.generation.layouts.closings import Closing
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.grid.shapes import SHAPES

MAX_PIECES = 10_000
"""How many prefabs and rooms a map may be made of."""

MAX_LENGTH = 200
"""How many cells a hallway may have."""


class ConnectedParams(RolledParameters):
    """What an author may set.

    Attributes:
        start: The prefab, or tag of one, that the map begins with; without one it begins like any other.
        prefabs: The prefabs that it goes on with.
        auto: The share of auto-rooms; all, where there are no prefabs.
        shapes: What auto-rooms look like.
        side: How many cells the sides of auto-rooms have.
        rooms: How many prefabs and auto-rooms there are to be.
        area: The share of the map that is open in the end, at which no more are added, if it comes before `rooms`.
        barren: At most this share of the map, and at least half as much, stays earth in stretches, through which only hallways
            are dug: for maps that would fill all there is, so that no two have one outline.
        hallway: How many cells a hallway has; with 0 two walls are one, with a door in it. Where it does not fit it is shorter,
            but not shorter than the least of these.
        doors: What is put at the ends of hallways, but where a prefab has a door drawn. Only a single room, and what other ways
            lead to, lies behind a secret door; others get a door instead.
        typed: Whether only connectors of one kind join: `*` to `*`, a digit to the same digit.
        loops: The chance that two connectors that are left over are joined, where that saves enough.
        saves: How many steps of a way around a loop saves at least.
        reach: How many cells of a hallway are dug for a loop at most.
        overlays: How many rooms are laid over what is there, to open the map up.
    """

    start: PrefabOrTag | None = None
    prefabs: Deck = Field(default_factory=nothing)
    auto: Probability = 0.5
    shapes: Annotated[WordValue, one_of(*SHAPES)] = Choice(
        (
            (Constant("rectangle"), 5),
            *((Constant(shape), 2) for shape in ("ellipse", "cross", "ell")),
            *((Constant(shape), 1) for shape in ("diamond", "triangle", "notched", "pillared")),
        )
    )
    side: Annotated[IntValue, within(1, 100)] = Between(3, 9)
    rooms: Annotated[IntValue, within(1, MAX_PIECES)] = Between(20, 28)
    area: Probability | None = None
    barren: Probability = 0.0
    hallway: Annotated[IntValue, within(0, MAX_LENGTH)] = Between(1, 7)
    doors: Closing = Choice(((Constant("doorway"), 3), (Constant("door"), 2)))
    typed: Annotated[bool, Field(strict=True)] = False
    loops: Probability = 1.0
    saves: Annotated[int, Field(ge=0, strict=True)] = 20
    reach: Annotated[int, Field(ge=0, le=MAX_LENGTH, strict=True)] = 12
    overlays: Annotated[IntValue, within(0, 1000)] = Constant(0)

    @property
    def auto_share(self) -> float:
        """The share of auto-rooms."""
        return self.auto if self.prefabs else 1.0

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of its prefabs, the first one's first."""
        return (*((self.start,) if self.start else ()), *self.prefabs)
