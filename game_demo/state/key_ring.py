"""What the player has, on one level, to open locks with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class KeyRing:
    """Keys, pulled levers, codes and the like: words that may be opened any number of times, or so many.

    Attributes:
        lasting: The words of what opens any number of locks, `codes` among them; `once`: how many locks of a word are opened.
        levers: The words of what levers hold open until they are pulled again.
    """

    lasting: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    once: Counter[str] = field(default_factory=Counter)
    levers: set[str] = field(default_factory=set)

    def add(self, keywords: Mapping[str, object]) -> tuple[str, ...]:
        """Take what something with these keywords opens, and return the words of that."""
        words = words_of(keywords)
        if "code" in keywords:
            self.codes.update(words)
        if keywords.get("consumed") is True:
            self.once.update(words[:1])
        else:
            self.lasting.update(words)
        return words

    def use(self, word: str) -> bool:
        """Open a lock with that word, and tell whether that could be done."""
        if word in self.lasting or word in self.levers:
            return True
        if not self.once[word]:
            return False
        self.once[word] -= 1
        return True


def words_of(keywords: Mapping[str, object]) -> tuple[str, ...]:
    """Return the words of the locks that something with these keywords opens."""
    opens = keywords.get("opens")
    return tuple(each for each in (opens if isinstance(opens, tuple) else (opens,)) if isinstance(each, str))
