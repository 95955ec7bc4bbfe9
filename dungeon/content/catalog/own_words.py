"""Kinds of objects that ``kinds.yaml`` declares (`fungus`, like `item`), and the reading of entries that use these words as keys.

If the content declares `fungus` as a kind like item, an entry may say `fungus: morel` where others say `item: scrap`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import ModelWrapValidatorHandler, ValidationError, ValidationInfo

from dungeon.content.catalog.selector import Selector, read_selector
from dungeon.content.source.names import Names, NewName
from dungeon.content.source.problems import (
    MisreadError,
    ValueProblem,
    attempt,
    problems_of,
    unknown_key,
)
from dungeon.content.values.fields import Flag, Given, among, given
from dungeon.core.kinds import Kind, plural
from dungeon.core.parameters import Entry
from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind

if TYPE_CHECKING:
    from collections.abc import Mapping


M = TypeVar("M", bound=Entry)

ONE_OBJECT = "an entry can name only one object, and {!r} names one already"
"""Message for a second object in one entry, with a gap for the key of the first."""


class KindEntry(Entry):
    """A kind of objects that the author adds, or another word for a built-in kind.

    Attributes:
        like: The built-in kind whose rules apply to objects of this kind: item, robot, prop, trap or debris.
        alias: Whether this is only another word for the kind under `like`, rather than a kind of its own.
        called: The plural; the catalog of the kind is the file of that name in `objects`. By default the word
            with an s.
    """

    like: Annotated[SpawnKind, *among(*SPAWN_KINDS)]
    alias: Flag = False
    called: Given[NewName] = None

    def kind(self, word: str) -> Kind:
        """Return this entry as a `Kind`; `word` is the key under which it stands in ``kinds.yaml``."""
        return Kind(word, self.called or plural(word), self.like if self.alias else word, self.like)


def read_in_own_words(
    model: type[M], raw: object, read: ModelWrapValidatorHandler[M], info: ValidationInfo
) -> M:
    """Read an entry about an object whose kind may be a word of the content's own: `{fungus: morel}`.

    The word is replaced by the built-in kind that it is like (`{item: ...}`), so all rules for that kind apply.

    Args:
        model: The model of the entry.
        raw: The entry as written.
        read: Reads the entry when only built-in words are left as keys.
        info: The context of validation, which holds the content's own words.

    Raises:
        MisreadError: The entry is wrong. The error lists no problem if the meaning of a word is unknown because a
            file is unreadable.
        ValidationError: The entry is wrong, and all its words are built in.
    """
    names = info.context if isinstance(info.context, Names) else Names({})
    kinds = names.kinds
    if not isinstance(raw, dict) or kinds.are_built_in:
        return read(raw)
    fields, refused = model.__pydantic_fields__, model.NOT_HERE
    if not raw.keys() - fields.keys() - refused.keys():
        return read(raw)
    strange = [key for key in raw if key not in fields and key not in refused]
    if not kinds.unclear.isdisjoint(strange) or not (kinds.whole or kinds.own.keys() >= {*strange}):
        raise MisreadError([])
    said = {key: value for key, value in raw.items() if key not in strange}
    words = {key: key for key in said}
    problems: list[ValueProblem] = []
    for word in strange:
        problem = _misplaced(model, word, names, words)
        if problem is not None:
            problems.append(problem)
        else:
            kind = kinds[word]
            words[kind.like] = word
            said[kind.like] = attempt(problems, partial(_selector, kind, info=info), raw[word], word)
    if not problems:
        return read(said)
    try:
        read(raw)  # collects the problems of the other keys
    except ValidationError as error:
        problems += [
            problem
            for problem in problems_of(error, model)
            if problem.path[:1] not in {(word,) for word in strange}
        ]
    raise MisreadError(problems)


def _misplaced(model: type[Entry], word: str, names: Names, words: Mapping[str, str]) -> ValueProblem | None:
    """Return why the content's own word for a kind can't be a key of an entry, or None if it can.

    Args:
        model: The model of the entry.
        word: The word.
        names: All names of the content.
        words: Built-in key that the entry has already -> the word under which the author wrote it.
    """
    kinds = names.kinds
    if word in names.gone.get("kind", ()) and (problem := names.problem("kind", word)):
        return replace(problem, path=(word,), key=True)
    kind = kinds.own.get(word)
    if kind is None or kind.like not in model.model_fields:
        others = [each for each in kinds.own if kinds[each].like in model.model_fields]
        return unknown_key(model, word, kind and kind.like, others)
    if kind.like in words:
        return ValueProblem(message=ONE_OBJECT.format(words[kind.like]), path=(word,), value=word, key=True)
    return None


def _selector(kind: Kind, raw: object, info: ValidationInfo) -> Selector:
    return read_selector(kind, given(raw), info)


def written_as(key: str, value: object) -> str:
    """Return the word under which the author wrote the value of a key: `key` itself, or the content's own word for that kind.

    Args:
        key: The built-in key, such as `item`.
        value: The value of that key as it was read.
    """
    return value.own.word if isinstance(value, Selector) and value.own is not None else key
