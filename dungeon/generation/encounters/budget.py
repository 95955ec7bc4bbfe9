"""The budget of a map: how many encounters of each category it has, and how much threat and worth these may bring."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import weight_at
from dungeon.core.frozen import NOTHING
from dungeon.core.vocabulary import STAKES
from dungeon.generation.encounters.veto import Veto

if TYPE_CHECKING:
    from dungeon.content.library import Content
    from dungeon.core.vocabulary import Category, Stake

TINY = 1e-9
"""Sums of many small numbers are that much off at most."""


def budget_of(content: Content, map_name: str, depth: int) -> dict[Stake, float]:
    """Return how much threat and worth the encounters of a map may bring at a depth; any amount of what is not there."""
    budget = content.maps[map_name].budget
    said = {stake: getattr(budget, stake) for stake in STAKES}
    return {stake: weight_at(amount, depth, NOTHING) for stake, amount in said.items() if amount is not None}


class Budget:
    """What a map may still have.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        wanted: How many encounters it is to have.

    Attributes:
        left: How many turns are left.
    """

    def __init__(self, content: Content, map_name: str, depth: int, wanted: int) -> None:
        self.amounts = budget_of(content, map_name, depth)
        self.spent: dict[Stake, float] = dict.fromkeys(self.amounts, 0.0)
        self._content = content
        self._mix = content.maps[map_name].mix
        self._depth = depth
        self.left = wanted
        self._there: Counter[Category] = Counter()
        self._lacking = {category: least for category, (least, _) in self._mix.items() if least}

    def copy(self) -> Budget:
        """Return a budget of its own, with as much left."""
        other = copy(self)
        other.spent, other._there, other._lacking = dict(self.spent), self._there.copy(), dict(self._lacking)  # noqa: SLF001
        return other

    def objection(self, name: str) -> Veto | None:
        """Return why the map may not have one more of an encounter, or None if it may."""
        category = self._content.encounters[name].category
        if category in self._mix and self._there[category] >= self._mix[category][1]:
            return Veto("mix", category)
        for stake, amount in self.amounts.items():
            if self.spent[stake] + self._cost(name, stake) > amount + TINY:
                return Veto("budget", stake)
        return None

    def keeps_from(self, name: str) -> bool:
        """Tell whether all turns that are left are kept for others than an encounter, or than no encounter if there is no name."""
        if not self._lacking or sum(self._lacking.values()) < self.left:
            return False
        return not name or self._content.encounters[name].category not in self._lacking

    def release(self) -> None:
        """Say that nobody is left for whom turns are kept."""
        self._lacking = {}

    def _cost(self, name: str, stake: Stake) -> float:
        return self._content.costs.of_encounter(name, self._depth).get(stake, 0.0)

    @property
    def shortage(self) -> dict[Category, int]:
        """How many encounters of each category the map still lacks of those that it is to have."""
        short = {each: least - self._there[each] for each, (least, _) in self._mix.items()}
        return {each: count for each, count in short.items() if count > 0}

    def spend(self, name: str) -> None:
        """Say that a turn has been had, by an encounter or, if there is no name, by none."""
        self.left -= 1
        if name:
            category = self._content.encounters[name].category
            self._there[category] += 1
            if category in self._lacking:
                self._lacking[category] -= 1
                self._lacking = {each: lack for each, lack in self._lacking.items() if lack}
            for stake in self.amounts:
                self.spent[stake] += self._cost(name, stake)
