"""The values of `no_spawn`: that nothing is scattered on some cells, or no objects of some kinds.

true                  nothing at all
robots                no robots, nor kinds that are like them
[robots, traps]       neither robots nor traps
npcs                  no objects of this kind, which the content declares
"""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.names import Names
from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.content.values.grammar import Constant, Value
from dungeon.content.values.value_fields import VALUE, read_value
from dungeon.core.kinds import BUILT_IN, Kinds

KeptOff = bool | tuple[str, ...]
"""What is kept off some cells: True for everything, False for nothing, or the names of kinds, as on levels."""

KEPT_OFF_NEVER: Value[KeptOff] = Constant(value=False)
"""A `no_spawn` that keeps nothing off."""


def read_kept_off(raw: object, info: ValidationInfo) -> KeptOff:
    """Read a `no_spawn` that nothing is rolled for: true, false, the plural of a kind, or a list of such words."""
    kinds = _kinds_of(info)
    if not isinstance(raw, list | tuple):
        return _read_one(raw, kinds)
    problems: list[ValueProblem] = []
    found = [
        attempt(problems, lambda each: _read_kinds(each, kinds), each, number)
        for number, each in enumerate(raw)
    ]
    if not raw:
        raise misread("a list of kinds can't be empty", raw)
    raise_any(problems)
    return tuple(dict.fromkeys(name for each in found if each is not None for name in each))


def read_kept_off_value(raw: object, info: ValidationInfo) -> Value[KeptOff]:
    """Read `no_spawn` in the value grammar; a list of kinds means all of them."""
    if isinstance(raw, Value):
        return raw
    if isinstance(raw, list | tuple) and any(isinstance(each, str) for each in raw):
        return Constant(read_kept_off(raw, info))
    return read_value(raw, lambda each: _read_one(each, _kinds_of(info)))


def _kinds_of(info: ValidationInfo) -> Kinds:
    return info.context.kinds if isinstance(info.context, Names) else Kinds()


def _read_one(raw: object, kinds: Kinds) -> KeptOff:
    """Read true, false or the plural of a kind; the texts "true" and "false" count too, as keys of a mapping are text."""
    if isinstance(raw, bool) or raw in ("true", "false"):
        return raw in (True, "true")
    return _read_kinds(raw, kinds)


def _read_kinds(raw: object, kinds: Kinds) -> tuple[str, ...]:
    """Return the names of the kind with this plural and of all kinds that are like it."""
    known = {kinds[word].called: kinds[word] for word in kinds.words}
    if not isinstance(raw, str) or raw not in known:
        if isinstance(raw, str) and kinds.any_more:
            return ()  # it may be a kind whose entry could not be read, which is reported
        raise misread(
            "true, false or kinds of objects are needed here", raw, allowed=("true", "false", *known)
        )
    name = known[raw].name
    return kinds.like(name) if name in BUILT_IN else (name,)


_KINDS = {"anyOf": [{"enum": [kind.called for kind in BUILT_IN.values()]}, {"type": "string"}]}
_ITEMS = {"type": "array", "items": _KINDS, "minItems": 1}
KEPT_OFF_SCHEMA = {"anyOf": [{"type": "boolean"}, *_KINDS["anyOf"], _ITEMS]}

NoSpawn = Annotated[KeptOff, PlainValidator(read_kept_off), WithJsonSchema(KEPT_OFF_SCHEMA)]
"""What is not scattered over a feature."""

NoSpawnValue = Annotated[
    Value[KeptOff],
    PlainValidator(read_kept_off_value),
    WithJsonSchema({VALUE: {"anyOf": [{"type": "boolean"}, *_KINDS["anyOf"]]}}),
]
"""What is not scattered on a drawn cell, in the value grammar."""
