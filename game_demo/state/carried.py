"""What the player carries besides his pack: the haul, which only scores, the ring of keys of a level, and openers of other levels' locks.

A lock and the keys, codes and levers that open it share a *word*.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


# -- the haul --------------------------------------------------------------------------------------


class Find(NamedTuple):
    """A kind of thing in the haul: its name, and the value of one."""

    name: str
    value: int


@dataclass(slots=True)
class Haul:
    """The things without use that the player has taken, which count for the score.

    Attributes:
        counts: Kind -> how many, in the order in which they were found.
    """

    counts: Counter[Find] = field(default_factory=Counter)

    @property
    def worth(self) -> int:
        """The value of the whole haul."""
        return sum(find.value * count for find, count in self.counts.items())

    def add(self, find: Find) -> None:
        """Add one thing."""
        self.counts[find] += 1

    def best(self) -> list[tuple[Find, int]]:
        """Return each kind with its count, most valuable first."""
        return sorted(self.counts.items(), key=lambda entry: -entry[0].value)

    def __str__(self) -> str:
        """Return the size and value of the haul: ``14 things, worth 143``."""
        count = self.counts.total()
        things = "1 thing" if count == 1 else f"{count} things"
        return f"{things}, worth {self.worth or 'nothing'}"


# -- keys ------------------------------------------------------------------------------------------


class Key(NamedTuple):
    """A key on the ring.

    Attributes:
        name: The name of the key.
        words: The words of the locks that the key opens.
        spent_on: The word of the lock that uses the key up; empty for a key that is never used up.
    """

    name: str
    words: tuple[str, ...]
    spent_on: str = ""


@dataclass(slots=True)
class KeyRing:
    """What the player has to open the locks of a level: keys, codes and pulled levers, by the words of locks.

    Attributes:
        needs: Word -> how many openers its locks need, if more than one.
        lasting: Word -> how many openers of any number of locks the player has, codes among them.
        codes: The words known as codes.
        once: Word -> how many openers of one lock the player has.
        levers: The words whose locks a lever holds open until it is pulled again.
        hung: The keys that the player carries, in the order in which he got them.
        brought: How many of `Game.far_openers` are on the ring.
    """

    needs: Mapping[str, int] = field(default_factory=dict)
    lasting: Counter[str] = field(default_factory=Counter)
    codes: set[str] = field(default_factory=set)
    once: Counter[str] = field(default_factory=Counter)
    levers: set[str] = field(default_factory=set)
    hung: list[Key] = field(default_factory=list)
    brought: int = 0

    def add(self, keywords: Mapping[str, object], name: str = "") -> tuple[str, ...]:
        """Let the player open what an entity with these keywords opens; return the words of those locks.

        Args:
            keywords: The keywords.
            name: The name of the key to carry; empty if nothing is carried, as for a lever.
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
        """Return a carried key that opens locks with a word, preferably one that is not used up by opening; None for none."""
        fits = [each for each in self.hung if word in each.words]
        return min(fits, key=lambda each: bool(each.spent_on), default=None)

    def needed(self, word: str) -> int:
        """Return how many openers a lock with a word needs."""
        return self.needs.get(word, 1)

    def had(self, word: str) -> int:
        """Return how many openers of a lock with a word the player has, at most as many as it needs."""
        return min(self.lasting[word] + self.once[word], self.needed(word))

    def opens(self, word: str) -> bool:
        """Return whether what is on the ring opens locks with a word."""
        return word in self.levers or self.had(word) == self.needed(word)

    def opens_all(self, word: str) -> bool:
        """Return whether what is on the ring opens any number of locks with a word."""
        return word in self.levers or self.lasting[word] >= self.needed(word)

    def use(self, word: str) -> bool:
        """Open one lock with a word, and use up the key if it opens only one lock; return whether anything on the ring opens the lock."""
        if not self.opens(word):
            return False
        spent = 0 if self.opens_all(word) else self.needed(word) - self.lasting[word]
        if spent:
            self.once[word] -= spent
        for key in [each for each in self.hung if each.spent_on == word][:spent]:
            self.hung.remove(key)
        return True

    @property
    def number(self) -> int:
        """How many openers the player has that matter, more of a word than its locks need left out."""
        lasting = sum(min(count, self.needed(word)) for word, count in self.lasting.items())
        return lasting + sum(self.once.values())


class FarOpener(NamedTuple):
    """What the player has, or has done, that opens locks on other levels.

    Attributes:
        name: The name of the key; empty for what is not carried, such as a lever.
        keywords: The keywords of the object, of which `opens` lists only the words of such locks.
    """

    name: str
    keywords: Mapping[str, object]


def words_of(keywords: Mapping[str, object]) -> tuple[str, ...]:
    """Return the words of the locks that an entity with these keywords opens."""
    opens = keywords.get("opens")
    return tuple(each for each in (opens if isinstance(opens, tuple) else (opens,)) if isinstance(each, str))
