"""Kinds of a content's own: what `kinds.yaml` says of them, and how their words are read where an object is asked for.

monster: {like: robot, alias: true}      another word for robots, who stand in objects/monsters.yaml or robots.yaml
npc: {like: robot}                       a kind of its own, which generation treats as it does robots
fungus: {like: prop, called: fungi}      in objects/fungi.yaml
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import ValidationError

from dungeon.content.catalog.selector import Selector, read_selector
from dungeon.content.source.entry import Entry
from dungeon.content.source.faults import Fault, MisreadError, attempt, faults_of, unknown_key
from dungeon.content.source.names import Names, NewName
from dungeon.content.values.fields import Flag, Given, among, given
from dungeon.core.kinds import Kind, Kinds, plural
from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ModelWrapValidatorHandler, ValidationInfo

M = TypeVar("M", bound=Entry)

ONE_OBJECT = "one object at most can be named"


class KindEntry(Entry):
    """A kind of objects that the author adds, or another word for a built-in one.

    Attributes:
        like: The built-in kind that it is to all that places, proves, plays and draws.
        alias: Whether it is but another word for that.
        called: What several of them are called: their catalog is the file of that name in `objects`. By default it is
            the word and an s.
    """

    like: Annotated[SpawnKind, *among(*SPAWN_KINDS)]
    alias: Flag = False
    called: Given[NewName] = None

    def kind(self, word: str) -> Kind:
        """Return the kind of that word."""
        return Kind(word, self.called or plural(word), self.like if self.alias else word, self.like)


def read_in_own_words(
    model: type[M], raw: object, read: ModelWrapValidatorHandler[M], info: ValidationInfo
) -> M:
    """Read what is said of an object whose kind may be given in a word of the content's own.

    It is put under the built-in word that the kind is like, so that all that is said of one holds of the other.

    Args:
        model: What it is read as.
        raw: What is said, as written.
        read: Reads it, in built-in words.
        info: The context of validation, which knows the content's own words.

    Raises:
        MisreadError: Something is wrong with it. There is no reason in it where it can't be told what a word means.
        ValidationError: Likewise, where all words are built in.
    """
    kinds = info.context.kinds if isinstance(info.context, Names) else Kinds()
    if not isinstance(raw, dict) or kinds.are_built_in:
        return read(raw)
    known = model.model_fields.keys() | model.NOT_HERE.keys()
    strange = [key for key in raw if key not in known]
    if not strange:
        return read(raw)
    if not kinds.unclear.isdisjoint(strange) or not (kinds.whole or kinds.own.keys() >= {*strange}):
        raise MisreadError([])
    said = {key: value for key, value in raw.items() if key in known}
    words = {key: key for key in said}
    faults: list[Fault] = []
    for word in strange:
        fault = _misplaced(model, word, kinds, words)
        if fault is not None:
            faults.append(fault)
        else:
            kind = kinds[word]
            words[kind.like] = word
            said[kind.like] = attempt(faults, partial(_selector, kind, info=info), raw[word], word)
    if not faults:
        return read(said)
    try:
        read(raw)  # to hear what is wrong with the rest
    except ValidationError as error:
        faults += [
            fault for fault in faults_of(error, model) if fault.path[:1] not in {(word,) for word in strange}
        ]
    raise MisreadError(faults)


def _misplaced(model: type[Entry], word: str, kinds: Kinds, words: Mapping[str, str]) -> Fault | None:
    """Return why a word can't be used in a model, beside keys that are said under these words; None if it can."""
    kind = kinds.own.get(word)
    if kind is None or kind.like not in model.model_fields:
        others = [each for each in kinds.own if kinds[each].like in model.model_fields]
        return unknown_key(model, word, kind and kind.like, others)
    if kind.like in words:
        return Fault(message=f"{ONE_OBJECT}, and {words[kind.like]} is", path=(word,), value=word, key=True)
    return None


def _selector(kind: Kind, raw: object, info: ValidationInfo) -> Selector:
    return read_selector(kind, given(raw), info)


def written_as(key: str, value: object) -> str:
    """Return the word under which something is said that is kept under a key."""
    return value.own.word if isinstance(value, Selector) and value.own is not None else key
