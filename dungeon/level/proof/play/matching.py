"""To how many locks a key can be given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.level.proof.play.parts import members

if TYPE_CHECKING:
    from collections.abc import Sequence


def most_given(sorts: Sequence[int], keys: Sequence[int], wanted: Sequence[int]) -> int:
    """Return to how many locks a key can be given: a largest matching, by augmenting paths (Kuhn, 1955).

    Args:
        sorts: The words that keys of each sort open, as masks: best such first that open few.
        keys: How many there are of each sort.
        wanted: How many locks there are of each word.
    """
    given = _Given(sorts, keys, wanted)
    for word in range(len(wanted)):
        while given.missing[word] and given.give(word, set()):
            given.missing[word] -= 1
    return sum(wanted) - sum(given.missing)


class _Given:
    """What has been given: first as it comes, in the order of the sorts.

    Attributes:
        keys: How many keys of each sort are left.
        missing: How many locks of each word have none yet.
        given: Sort -> how many keys the locks of each word have.
    """

    def __init__(self, sorts: Sequence[int], keys: Sequence[int], wanted: Sequence[int]) -> None:
        self._sorts = sorts
        self.keys, self.missing = list(keys), list(wanted)
        self.given = [[0] * len(wanted) for _ in sorts]
        for sort, opened in enumerate(sorts):
            for word in members(opened) if keys[sort] else ():
                count = self.given[sort][word] = min(self.keys[sort], self.missing[word])
                self.keys[sort] -= count
                self.missing[word] -= count

    def give(self, word: int, tried: set[int]) -> bool:
        """Give one more key to a word, though others get theirs from elsewhere for that; tell whether that can be done."""
        for sort in range(len(self._sorts)):
            if not self._sorts[sort] >> word & 1 or sort in tried:
                continue
            tried.add(sort)
            if self.keys[sort]:
                self.keys[sort] -= 1
                self.given[sort][word] += 1
                return True
            for other, count in enumerate(self.given[sort]):
                if count and other != word and self.give(other, tried):
                    self.given[sort][other] -= 1
                    self.given[sort][word] += 1
                    return True
        return False
