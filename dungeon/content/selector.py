"""Which object a reference asks for: by tag, by one of several tags, or by class or category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from dungeon.content.values import Value, read_value, read_word

QUESTIONS = ("class", "category")


@dataclass(frozen=True, slots=True)
class Selector:
    """What to choose from.

    Attributes:
        tags: The tags, with their weights; None where classes or categories are asked for.
        classes: Any of these classes; of each the strongest member that fits the depth.
        categories: Likewise, categories. With both, an object must meet both.
    """

    tags: Value[str] | None = None
    classes: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


def read_selector(raw: object) -> Selector:
    """Read ``tag``, ``[tag, tag]``, ``{tag: weight}`` or ``{class: name, category: name}``.

    Raises:
        ValueError: It is none of these.
    """
    if isinstance(raw, Selector):
        return raw
    if isinstance(raw, dict) and any(question in raw for question in QUESTIONS):
        unknown = [key for key in raw if key not in QUESTIONS]
        if unknown:
            raise ValueError(f"beside class and category there is no {unknown[0]!r} to ask for")
        return Selector(classes=_words(raw.get("class", ())), categories=_words(raw.get("category", ())))
    return Selector(tags=read_value(raw, read_word))


def _words(raw: object) -> tuple[str, ...]:
    return tuple(read_word(each) for each in (raw if isinstance(raw, list | tuple) else [raw]))


SelectorField = Annotated[
    Selector,
    PlainValidator(read_selector),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                {
                    "type": "object",
                    "minProperties": 1,
                    "description": "{class: ...}, {category: ...} or {tag: weight}",
                },
            ]
        }
    ),
]
