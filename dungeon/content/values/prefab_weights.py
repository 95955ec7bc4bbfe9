"""The weights of prefabs that authors name by *words*, their names or tags; the *variants* of a prefab, their *base*, share its weight.

A prefab *goes by* its name and its tags; a variant goes by those of its base, too. This module imports no pydantic, because
games that only read levels import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dungeon.content.values.fields import Weight
    from dungeon.content.values.prefab_words import PrefabWords


class VariantOf(NamedTuple):
    """A prefab that is one of the variants of another prefab, its base.

    Attributes:
        base: The name of the base.
        weight: How common it is among the variants of the base.
    """

    base: str
    weight: float


class NamedPrefab(Protocol):
    """A prefab, of which only the name matters here."""

    @property
    def name(self) -> str:
        """The name of the prefab."""


Variants = Mapping[str, VariantOf]
"""Name of a prefab -> the prefab of which it is a variant, and its weight there; prefabs that are no variants are missing."""


def counted_as(name: str, variants: Variants) -> tuple[str, ...]:
    """Return the names under which copies of a prefab are counted: its own and, for a variant, that of its base."""
    return (name, variants[name].base) if name in variants else (name,)


def parts_of(names: Iterable[str], variants: Variants) -> dict[str, float]:
    """Return prefab -> its part: 1, or for variants of one base the parts of a 1 that they share by their weights.

    Variants that are not among `names` get no part, so those that are there share the whole.

    Args:
        names: The names of prefabs.
        variants: The prefabs that are variants.

    Example: `["shed", "yard/dry", "yard/wet"]`, with the weights 3 and 1 -> 1, 0.75 and 0.25.
    """
    found = dict.fromkeys(names, 1.0)
    if not variants:
        return found
    wholes: dict[str, float] = {}
    for name in found:
        if name in variants:
            base, weight = variants[name]
            wholes[base] = wholes.get(base, 0.0) + weight
    for name in found:
        if name in variants:
            base, weight = variants[name]
            found[name] = weight / wholes[base] if wholes[base] else 0.0
    return found


def share_weights(
    weights: Mapping[str, float], called: Mapping[str, Sequence[str]], variants: Variants = NOTHING
) -> dict[str, float]:
    """Return prefab -> weight: the weight of each word is shared evenly among the prefabs that go by the word.

    Variants of one base count as one prefab, and share its part by their weights.

    Example: `{"vault": 4}` and two prefabs called "vault" give 2 to each. A prefab that goes by several words
    gets the sum of its parts.

    Args:
        weights: Word -> weight.
        called: Word -> the names of the prefabs that go by it.
        variants: The prefabs that are variants.
    """
    found: dict[str, float] = {}
    for word, weight in weights.items():
        parts = parts_of(called.get(word, ()), variants)
        bases = {counted_as(name, variants)[-1] for name in parts}
        for name, part in parts.items():
            found[name] = found.get(name, 0) + weight * part / len(bases)
    return found


def share_odds(
    odds: Mapping[str | None, float], called: Mapping[str, Sequence[NamedPrefab]], variants: Variants
) -> dict[str, float]:
    """Return prefab -> weight for a word in the value grammar: the probability of each word is shared as in `share_weights`.

    Args:
        odds: Word -> probability; None stands for no prefab.
        called: Word -> the prefabs that go by it.
        variants: The prefabs that are variants.
    """
    words = {word: share for word, share in odds.items() if word is not None}
    return share_weights(words, {word: [each.name for each in called[word]] for word in words}, variants)


def weigh_prefabs(
    words: PrefabWords,
    called: Mapping[str, Sequence[str]],
    weigh: Callable[[Weight], float],
    variants: Variants = NOTHING,
) -> dict[str, float]:
    """Return prefab -> weight, for each prefab that goes by one of the words.

    Args:
        words: Names and tags, with or without weights. Without weights each prefab weighs 1, and so do all variants of one
            base together.
        called: Name or tag -> the names of the prefabs that go by it.
        weigh: Converts a weight, which may be a word such as `rare`, to a number.
        variants: The prefabs that are variants.
    """
    if isinstance(words, Mapping):
        return share_weights({word: weigh(weight) for word, weight in words.items()}, called, variants)
    return parts_of([name for word in words for name in called.get(word, ())], variants)
