"""A field that names prefabs by *words*, their names or tags: one word, a list of words, or a mapping word -> weight.

Several prefabs may have one tag. A prefab *goes by* its name and its tags; a *variant* of a prefab goes by those of its *base*, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.names import MAX_LISTED, read_several, reader_of
from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.content.values.fields import WORD_OR_NUMBER, Weight, read_weight
from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

PrefabWords = tuple[str, ...] | Mapping[str, Weight]
"""Names and tags of prefabs, or name or tag -> weight. Without weights, each prefab is equally likely to be tried first."""


def read_prefab_words(raw: object, info: ValidationInfo) -> PrefabWords:
    """Read a name or tag of prefabs, a list of them, or a mapping name or tag -> weight.

    Raises:
        MisreadError: `raw` is none of these, is empty, or all its weights are 0.
    """
    read = reader_of("prefab or tag")
    if not isinstance(raw, Mapping):
        return read_several(lambda each: read(each, info), raw, least=1)
    if not raw:
        raise misread("a mapping must not be empty here: nothing could be chosen from it")
    if len(raw) > MAX_LISTED:
        raise misread(f"at most {MAX_LISTED} items may be listed here", raw)
    problems: list[ValueProblem] = []
    found: dict[str, Weight] = {}
    for word, said in raw.items():
        name = attempt(problems, lambda each: read(each, info), word, word, key=True)
        weight = attempt(problems, lambda each: read_weight(each, info), said, word)
        if name is not None and weight is not None:
            found[name] = weight
    raise_any(problems)
    if not any(found.values()):
        raise misread("at least one weight must be above zero", raw)
    return found


class VariantOf(NamedTuple):
    """A prefab that is one of the variants of another prefab, its base.

    Attributes:
        base: The name of the base.
        weight: How common it is among the variants of the base.
    """

    base: str
    weight: float


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


PrefabsByWeight = Annotated[
    PrefabWords,
    PlainValidator(read_prefab_words),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "maxItems": MAX_LISTED,
                    "uniqueItems": True,
                },
                {
                    "description": "each with its weight: {a: 3, b: 1}",
                    "type": "object",
                    "additionalProperties": WORD_OR_NUMBER,
                    "minProperties": 1,
                    "maxProperties": MAX_LISTED,
                },
            ]
        }
    ),
]
