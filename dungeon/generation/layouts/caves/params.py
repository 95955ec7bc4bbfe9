"""What an author may set for caves and what is dug to join them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Annotated

from pydantic import Field

from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.generation.layouts.dice import RolledParameters


class CaveSystemParams(RolledParameters):
    """What an author may set for caves and what is dug to join them.

    Attributes:
        margin: How many cells of earth are left at the map's edges, at least: space for what is embedded later.
        cave: How many cells a cave has, about. Those with fewer than the least of it are filled, those with more than the
            most parted; 200 is taken for 141..283, as parting halves caves.
        barren: At most this share of the ground, and at least half as much, stays earth in stretches as wide as a cave or two.
            Chance says where, so that no two maps have one outline.
        pockets: The share of the places for caves that stay earth.
        fill: The share of a cave's ground that is open before the automaton smooths it: the less, the more nooks.
        steps: How often the automaton smooths it.
        linearity: The share of the caves that is to lie along one way, at least; the rest lies beside it. Where the earth
            does not allow it the journal says how many do. Ways that close loops are short cuts between them.
        loops: How many ways that close loops there are to be, per cave: one at least, wherever it can be dug, unless this is 0.
        saves: How many cells of walk a way that closes a loop must save, if another does.
        reach: How long a tunnel may be, unless it takes longer ones to join all caves, or as many along one way as
            `linearity` says.
        width: How many cells wide tunnels are, wherever there is free earth beside them.
        winding: The share of the tunnels that wind.
        min_caves: With fewer caves (in mines, with fewer caves and rooms) the map is not usable. Where that many of the sizes of
            `cave` find no space they are smaller. Where they still find none, the map's features count, too.
    """

    margin: Annotated[IntValue, within(1, 500)] = Constant(3)
    cave: Annotated[IntValue, within(10, 10_000)] = Choice(
        ((Between(60, 150), 2), (Between(120, 250), 3), (Between(200, 400), 1))
    )
    barren: Probability = 0.3
    pockets: Probability = 0.08
    fill: Probability = 0.68
    steps: Annotated[int, Field(ge=0, le=50, strict=True)] = 5
    linearity: Probability = 0.75
    loops: Probability = 0.2
    saves: Annotated[int, Field(ge=0, strict=True)] = 50
    reach: Annotated[int, Field(ge=1, le=200, strict=True)] = 16
    width: Annotated[IntValue, within(1, 2)] = Choice(((Constant(1), 3), (Constant(2), 1)))
    winding: Probability = 0.9
    min_caves: Annotated[int, Field(ge=1, strict=True)] = 2

    @cached_property
    def mean(self) -> float:
        """How many cells a cave has on average."""
        return sum((size or 0) * share for size, share in self.cave.odds().items())

    @cached_property
    def limits(self) -> tuple[int, int]:
        """The fewest and the most cells of a cave.

        The halves of one that is parted must not be too small: where the sizes that the author wants are closer together
        than by a factor of two, both limits give way alike.
        """
        sizes = list(self.cave.outcomes())
        low, high = min(sizes), max(sizes)
        slack = max(1.0, math.sqrt(2 * low / high))
        return round(low / slack), round(high * slack)
