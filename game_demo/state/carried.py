"""What the player carries besides his pack: the haul, which only scores, and the ring of keys of a level."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


# -- the haul --------------------------------------------------------------------------------------


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


# -- keys ------------------------------------------------------------------------------------------


class Key(NamedTuple):
    """What hangs on the ring: its name, the words of the locks that it opens, and that on which it is used up, empty for none."""

    name: str
    words: tuple[str, ...]
    spent_on: str = ""


@dataclass(slots=True)
class KeyRing:
    """Keys, pulled levers, codes and the like: words that may be opened any number of times, or so many.

    Attributes:
        lasting: The words of what opens any number of locks, `codes` among them; `once`: how many locks of a word are opened.
        levers: The words of what levers hold open until they are pulled again.
        hung: What the player carries of all that, in the order in which he came by it.
    """

    lasting: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    once: Counter[str] = field(default_factory=Counter)
    levers: set[str] = field(default_factory=set)
    hung: list[Key] = field(default_factory=list)

    def add(self, keywords: Mapping[str, object], name: str = "") -> tuple[str, ...]:
        """Take what something with these keywords opens, and return the words of that.

        Args:
            keywords: The keywords.
            name: What is carried of it, empty for nothing, as of a lever.
        """
        words = words_of(keywords)
        if words and name:
            self.hung.append(Key(name, words, words[0] if keywords.get("consumed") is True else ""))
        if "code" in keywords:
            self.codes.update(words)
        if keywords.get("consumed") is True:
            self.once.update(words[:1])
        else:
            self.lasting.update(words)
        return words

    def key_to(self, word: str) -> Key | None:
        """Return what of that which the player carries would open a lock with that word, None for nothing; one that lasts, if there is one."""
        fits = [each for each in self.hung if word in each.words]
        return min(fits, key=lambda each: bool(each.spent_on), default=None)

    def opens(self, word: str) -> bool:
        """Tell whether there is something on it that opens a lock with that word."""
        return word in self.lasting or word in self.levers or self.once[word] > 0

    def use(self, word: str) -> bool:
        """Open a lock with that word, and tell whether that could be done."""
        if word in self.lasting or word in self.levers:
            return True
        if not self.once[word]:
            return False
        self.once[word] -= 1
        if (key := next((each for each in self.hung if each.spent_on == word), None)) is not None:
            self.hung.remove(key)
        return True


def words_of(keywords: Mapping[str, object]) -> tuple[str, ...]:
    """Return the words of the locks that something with these keywords opens."""
    opens = keywords.get("opens")
    return tuple(each for each in (opens if isinstance(opens, tuple) else (opens,)) if isinstance(each, str))
