"""How many cells may have each character, while the steps of `vary` are thought through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.source.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


@dataclass(slots=True)
class Tally:
    """How many cells may have each character, from and to, while steps are thought through.

    Attributes:
        counts: Character -> (fewest, most) cells.
        groups: Characters, and how many cells more than those that are the fewest of each have one of them at least.
        unsure: The parameters that may not apply, so that a switch on them may leave characters as they are.
        partial: Whether these are only some of the cells that the steps change.
        faults: What can't be right.
        unused: Characters, with the path to them, that no cell can have where a step asks for them.
    """

    counts: dict[str, tuple[int, int]]
    groups: list[tuple[frozenset[str], int]] = field(default_factory=list, kw_only=True)
    unsure: Collection[str] = ()
    partial: bool = False
    faults: list[Fault] = field(default_factory=list)
    unused: list[Fault] = field(default_factory=list)

    def take(self, chars: Iterable[str], *path: str | int) -> tuple[int, int]:
        """Return the fewest and the most cells that have one of these characters, of which there are none afterwards."""
        fewest = most = 0
        taken = frozenset(chars)
        for char in chars:
            low, high = self.counts.pop(char, (0, 0))
            if high == 0:
                message = "this character is not drawn, or not left by the steps before this one"
                self.unused.append(Fault(message=message, path=path, value=char))
            fewest, most = fewest + low, most + high
        fewest += sum(low for group, low in self.groups if group <= taken)
        self.groups = [(group, low) for group, low in self.groups if group.isdisjoint(taken)]
        return fewest, most

    def give(self, char: str, low: int, high: int) -> None:
        """Say that from `low` to `high` cells more have a character."""
        fewest, most = self.counts.get(char, (0, 0))
        self.counts[char] = fewest + low, most + high

    def scatter(self, options: Iterable[str | None], low: int, high: int, keep: Iterable[str] = ()) -> None:
        """Say that from `low` to `high` cells become one of these characters; None stands for keeping one of `keep`."""
        chars = dict.fromkeys(char for option in options for char in (keep if option is None else [option]))
        for char in chars:
            self.give(char, low if len(chars) == 1 else 0, high)
        if len(chars) > 1 and low:
            self.groups.append((frozenset(chars), low))
