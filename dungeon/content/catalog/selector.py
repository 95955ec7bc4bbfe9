"""Selectors: how an author chooses an object: by tag, by class or category, by the robot that would carry it, or `any`.

A *question* is a key under which an author asks for an object by something else than its tag: `class`, `category`, `equipped_by`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.problems import UNKNOWN_KEY, ValueProblem, attempt, misread, raise_any
from dungeon.content.values.grammar import Value  # noqa: TC001  # models with selectors are built from the annotations
from dungeon.content.values.value_fields import VALUE, read_names
from dungeon.core.errors import nearest_match
from dungeon.core.kinds import BUILT_IN, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.core.vocabulary import SpawnKind

QUESTIONS = ("class", "category")
"""Keys that ask for an object of any kind by something else than its tag."""

EQUIPPED_BY = "equipped_by"
"""Key that asks for an item by the robot that would carry it."""


ANY = "any"
"""Word that asks for any object that fits the depth; so no object can have this name."""

CARRIER = "robot that carries anything"
"""Kind of the names allowed under `equipped_by`: robots with the key `carries`."""


@dataclass(frozen=True, slots=True)
class Selector:
    """An author's choice of an object. Only one attribute of the first five is set, or both `classes` and `categories`.

    Attributes:
        tags: The tags, in the value grammar (`[a, b]`); None if the object is not chosen by its tag.
        classes: The classes, in the value grammar. Of the class that is drawn, the members with the highest rating (least
            depth) that fits the map's depth are candidates.
        categories: The categories, in the value grammar. Each member of the category that is drawn is a candidate if it fits
            the depth. If `classes` is set too, a candidate must be in the drawn class and in the drawn category.
        equipped_by: Tags of robots, in the value grammar; the object is one of the items that the drawn robot would carry.
        anything: Whether every object of the kind that fits the depth is a candidate.
        own: The kind of object, if the author used a word of the content's own for it (`fungus`); else None.
    """

    tags: Value[str] | None = None
    classes: Value[str] | None = None
    categories: Value[str] | None = None
    equipped_by: Value[str] | None = None
    anything: bool = False
    own: Kind | None = None


def questions_of(kind: Kind) -> tuple[str, ...]:
    """Return the YAML keys by which an author can choose an object of a kind without naming its tag.

    They are `class` and `category`, and for items also `equipped_by`.
    """
    return (*QUESTIONS, EQUIPPED_BY) if kind.name == "item" else QUESTIONS


def read_selector(kind: Kind, raw: object, info: ValidationInfo) -> Selector:
    """Read an author's choice of an object as a `Selector`.

    The choice is written ``tag``, ``[tag, tag]``, ``{tag: weight}``, ``{class: name, category: name}``, ``{equipped_by:
    robot}`` or ``any``.

    Args:
        kind: The kind of object, which is the key before the choice.
        raw: The choice as written.
        info: The context of validation, with the names that exist.

    Raises:
        MisreadError: `raw` is none of these, or no object has that tag, class or category.
    """
    if isinstance(raw, Selector):
        return raw
    own = None if kind.word in BUILT_IN else kind
    if raw == ANY:
        return Selector(anything=True, own=own)
    questions = questions_of(kind)
    if isinstance(raw, dict) and any(question in raw for question in questions):
        return replace(_read_questions(kind, raw, info), own=own)
    if isinstance(raw, dict):
        # Otherwise a misspelt `class` would give two problems: an unknown tag, and a weight that is no number.
        for key, answer in raw.items():
            if key == EQUIPPED_BY:
                raise misread("'equipped_by' can only ask for items", key, key, key=True)
            if isinstance(answer, str | list) and nearest_match(str(key), questions):
                raise misread(UNKNOWN_KEY, key, key, allowed=questions, key=True)
    _refuse_questions_within(raw, questions)
    return Selector(tags=read_names(kind.word, raw, info), own=own)


def _refuse_questions_within(raw: object, questions: tuple[str, ...]) -> None:
    """Raise a MisreadError if a list of tags, or a mapping tag -> weight, contains `any` or one of `questions`, such as `class`."""
    parts: list[tuple[str | int, object]] = list(enumerate(raw)) if isinstance(raw, list) else []
    if isinstance(raw, dict):
        parts = [("value", raw["value"])] if "value" in raw else [(key, key) for key in raw]
    for at, part in parts:
        if part == ANY:
            message = "'any' can't stand in a list or choice of tags; write any alone, with a 'chance' beside it if needed"
            raise misread(message, ANY, at, key=isinstance(raw, dict) and at == ANY)
        for question in questions:
            if isinstance(part, dict) and question in part:
                message = f"{question!r} can't stand in a list or choice of tags; write {{class: [a, b]}}, with a 'chance' beside it if needed"
                raise misread(message, question, at, question, key=True)


def _read_questions(kind: Kind, raw: dict[str, object], info: ValidationInfo) -> Selector:
    """Read ``{class: name, category: name}`` or ``{equipped_by: robot}`` as a `Selector` among the objects of a kind."""
    problems: list[ValueProblem] = []
    answers: dict[str, Value[str] | None] = {}
    questions = questions_of(kind)
    known: dict[str, Callable[[object], Value[str]]] = {
        "class": lambda asked: read_names(f"class of {kind.called}", asked, info),
        "category": lambda asked: read_names(f"category of {kind.called}", asked, info),
        EQUIPPED_BY: lambda asked: read_names(CARRIER, asked, info),
    }
    for question, asked in raw.items():
        if question not in questions:
            message = f"only {' and '.join(questions)} can ask for an object here"
            problems += misread(message, question, question, allowed=questions, key=True).problems
        elif question == EQUIPPED_BY and len(raw) > 1:
            message = "'equipped_by' can't be combined with a class or category"
            problems += misread(message, question, question, key=True).problems
        else:
            answers[question] = attempt(problems, known[question], asked, question)
    raise_any(problems)
    return Selector(
        classes=answers.get("class"),
        categories=answers.get("category"),
        equipped_by=answers.get(EQUIPPED_BY),
    )


def selector_of(word: SpawnKind) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the pydantic annotations of a field that chooses among the objects of a built-in kind."""
    kind = BUILT_IN[word]

    def read(raw: object, info: ValidationInfo) -> Selector:
        return read_selector(kind, raw, info)

    return PlainValidator(read), WithJsonSchema(selector_schema(kind))


def selector_schema(kind: Kind) -> dict[str, Any]:
    """Return the JSON Schema of a choice among the objects of a kind.

    A value in the value grammar is written as `{VALUE: schema of one outcome}` here; `authoring.schema` puts the full schema of
    such values in its place.
    """
    tags = {VALUE: {"type": "string", "not": {"enum": [ANY]}}}
    asked = {
        "type": "object",
        "properties": {question: {VALUE: {"type": "string"}} for question in questions_of(kind)},
        "additionalProperties": False,
        "minProperties": 1,
    }
    anything = {"const": ANY, "description": f"any of the {kind.called} that fit the depth"}
    return {"anyOf": [anything, tags, asked]}
