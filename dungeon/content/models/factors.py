"""Factors of a world and of its difficulties: how much is scattered over its maps, and how often encounters of a category come.

spawns: 50%                                half of what `population` scatters
weights: {danger: 150%, reward: 50%}       encounters of a category weigh more or less
difficulties:                              chosen by World(content, difficulty="hard")
easy: {spawns: 50%, weights: {danger: 50%}}
hard: {spawns: {by_depth: {1: 100%, 10: 200%}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from dungeon.content.source.names import MAX_LISTED, NewName
from dungeon.content.values.by_depth import FactorHere
from dungeon.content.values.fields import CategoryName
from dungeon.content.values.grammar import WeightByDepth, weight_at
from dungeon.core.frozen import NOTHING, nothing
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from dungeon.core.vocabulary import Category


class FactorsEntry(Entry):
    """How much more, or less, the maps of a world hold than their entries say.

    Attributes:
        spawns: The factor for how many objects the `population` of every map scatters: 50% is half of them. It may be by
            depth.
        weights: Category -> the factor for the weights of its encounters. It may be by depth.
    """

    spawns: FactorHere = 1.0
    weights: Annotated[dict[CategoryName, FactorHere], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )

    def spawns_at(self, depth: int) -> float:
        """Return the factor for the population of a map at a depth."""
        return weight_at(self.spawns, depth, NOTHING)

    def weight_at(self, category: Category, depth: int) -> float:
        """Return the factor for the weights of a category's encounters on a map at a depth."""
        return weight_at(self.weights.get(category, 1.0), depth, NOTHING)

    @property
    def changes_nothing(self) -> bool:
        """Whether each of the factors is 100%, at every depth."""
        return all(_is_one(factor) for factor in (self.spawns, *self.weights.values()))


def _is_one(factor: float | WeightByDepth) -> bool:
    points = factor.points if isinstance(factor, WeightByDepth) else ((0, factor),)
    return all(each == 1 for _, each in points)


Difficulties = Annotated[dict[NewName, FactorsEntry], Field(max_length=MAX_LISTED)]
"""Name of a difficulty -> its factors, which are multiplied with those of the world."""
