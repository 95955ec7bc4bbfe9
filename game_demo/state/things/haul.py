"""The haul: what the player takes along for no other reason than what it would fetch outside."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Find(NamedTuple):
    """A kind of thing that goes to the haul: its name, and what one of it would fetch."""

    name: str
    value: int


@dataclass(slots=True)
class Haul:
    """What the player has found that is of no use to him, and is worth something outside.

    Attributes:
        counts: How many there are of each kind, in the order in which they were found.
    """

    counts: Counter[Find] = field(default_factory=Counter)

    @property
    def worth(self) -> int:
        """What all of it would fetch."""
        return sum(find.value * count for find, count in self.counts.items())

    def add(self, find: Find) -> None:
        """Add another one."""
        self.counts[find] += 1

    def best(self) -> list[tuple[Find, int]]:
        """Return each kind and how many there are of it, what fetches most first, and else as found."""
        return sorted(self.counts.items(), key=lambda entry: -entry[0].value)

    def __str__(self) -> str:
        """Return how much it is: ``14 things, worth 143``."""
        count = self.counts.total()
        return f"{count} thing{'' if count == 1 else 's'}, worth {self.worth or 'nothing'}"
