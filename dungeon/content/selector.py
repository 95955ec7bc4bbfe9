"""Which object a reference asks for: by tag, by one of several tags, or by class or category."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.faults import Fault, MisreadError, attempt, misread
from dungeon.content.names import Names, check_name, plural, read_several, read_word
from dungeon.content.values import Value, leaves, read_value
from dungeon.errors import nearest_match

if TYPE_CHECKING:
    from dungeon.vocabulary import SpawnKind

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


def read_selector(kind: SpawnKind, raw: object, info: ValidationInfo) -> Selector:
    """Read ``tag``, ``[tag, tag]``, ``{tag: weight}`` or ``{class: name, category: name}``.

    Raises:
        MisreadError: It is none of these, or no object has that tag, class or category.
    """
    if isinstance(raw, Selector):
        return raw
    if isinstance(raw, dict) and any(question in raw for question in QUESTIONS):
        return _read_questions(kind, raw, info)
    if isinstance(raw, dict):
        # What looks like a misspelt question would else be two mistakes: an unknown tag, and no weight.
        for key, answer in raw.items():
            if isinstance(answer, str | list) and nearest_match(str(key), QUESTIONS):
                raise misread("this key is not known", key, key, allowed=QUESTIONS, key=True)
    tags = read_value(raw, read_word)
    if isinstance(info.context, Names):
        faults = [
            fault.inside(*path, key=key)
            for leaf, path, key in leaves(tags, raw)
            for tag in leaf.outcomes()
            if (fault := info.context.fault(kind, tag))
        ]
        if faults:
            raise MisreadError(faults)
    return Selector(tags=tags)


def _read_questions(kind: SpawnKind, raw: dict[str, object], info: ValidationInfo) -> Selector:
    faults: list[Fault] = []
    answers: dict[str, tuple[str, ...]] = dict.fromkeys(QUESTIONS, ())
    for question, asked in raw.items():
        if question not in QUESTIONS:
            message = "beside class and category nothing else can be asked for"
            faults += misread(message, question, question, allowed=QUESTIONS, key=True).faults
        else:
            read = partial(_read_answer, f"{question} of {plural(kind)}", info)
            words = attempt(
                faults, lambda asked, read=read: read_several(read, asked, least=1), asked, question
            )
            answers[question] = words or ()
    if faults:
        raise MisreadError(faults)
    return Selector(classes=answers["class"], categories=answers["category"])


def _read_answer(what: str, info: ValidationInfo, raw: object) -> str:
    word = read_word(raw)
    check_name(what, word, info)
    return word


def selector_of(kind: SpawnKind) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the annotations of a field that chooses among the objects of a kind."""

    def read(raw: object, info: ValidationInfo) -> Selector:
        return read_selector(kind, raw, info)

    return PlainValidator(read), WithJsonSchema(SCHEMA)


SCHEMA = {
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
