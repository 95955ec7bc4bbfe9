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
        unsure: The parameters that may not apply, so that a switch on them may leave characters as they are.
        partial: Whether these are only some of the cells that the steps change.
        faults: What can't be right.
        unused: Characters, with the path to them, that no cell can have where a step asks for them.
    """

    counts: dict[str, tuple[int, int]]
    unsure: Collection[str] = ()
    partial: bool = False
    faults: list[Fault] = field(default_factory=list)
    unused: list[Fault] = field(default_factory=list)

    def take(self, chars: Iterable[str], *path: str | int) -> tuple[int, int]:
        """Return how many cells have one of these characters, of which there are none afterwards."""
        fewest = most = 0
        for char in chars:
            low, high = self.counts.pop(char, (0, 0))
            if high == 0:
                message = "this character is not drawn, or not left by the steps before this one"
                self.unused.append(Fault(message=message, path=path, value=char))
            fewest, most = fewest + low, most + high
        return fewest, most

    def give(self, char: str, low: int, high: int) -> None:
        """Say that so many cells more may have a character."""
        fewest, most = self.counts.get(char, (0, 0))
        self.counts[char] = fewest + low, most + high

    def scatter(self, options: Iterable[str | None], high: int, keep: Iterable[str] = ()) -> None:
        """Say that up to `high` cells become one of these characters; None stands for keeping theirs."""
        listed = list(dict.fromkeys(options))
        for option in listed:
            for char in keep if option is None else [option]:
                self.give(char, 0, high)
