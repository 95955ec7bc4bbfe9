"""A field that names prefabs by *words*, their names or tags: one word, a list of words, or a mapping word -> weight.

Several prefabs may have one tag. A prefab *goes by* its name and its tags.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.names import MAX_LISTED, read_several, reader_of
from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.content.values.fields import WORD_OR_NUMBER, Weight, read_weight

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
