"""Shifts: how far something may stand from where it is drawn, or lie from where it is said to."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import PlainValidator, WithJsonSchema

from dungeon.content.source.faults import Fault, MisreadError, attempt, misread
from dungeon.content.source.numbers import resolve
from dungeon.content.values.grammar import Constant, Value
from dungeon.content.values.value_fields import SHARE_SCHEMA, VALUE, read_sometimes, reader

MAX_SHIFT = 50


class Reach(NamedTuple):
    """How many columns, and how many rows, something may be off, either way."""

    across: Value[int]
    down: Value[int]

    @property
    def moves(self) -> bool:
        """Whether it is ever off at all."""
        return any(most > 0 for part in self for most in part.outcomes())


NOWHERE = Reach(Constant(0), Constant(0))
HERE: Value[Reach] = Constant(NOWHERE)
"""The shift of what stays where it is."""


def read_shift(raw: object) -> Value[Reach]:
    """Read ``[columns, rows]``, each in the value grammar, or that only sometimes: ``{value: [2, 0], chance: 30%}``.

    Raises:
        MisreadError: It is neither.
    """
    if isinstance(raw, Value):
        return raw
    return read_sometimes(raw, _read_reach) if isinstance(raw, dict) else _read_reach(raw)


def _read_reach(raw: object) -> Value[Reach]:
    if isinstance(raw, list | tuple) and len(raw) == 2:
        faults: list[Fault] = []
        read = reader(_read_cells)
        across, down = (attempt(faults, read, part, number) for number, part in enumerate(raw))
        if across is not None and down is not None:
            return Constant(Reach(across, down))
        raise MisreadError(faults)
    raise misread("a list of two whole numbers, [columns, rows], is needed here", raw)


def _read_cells(raw: object) -> int:
    number = resolve(raw) if isinstance(raw, str) else raw
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MAX_SHIFT:
        raise misread(f"a whole number from 0 to {MAX_SHIFT} is needed here", raw)
    return number


CELLS_SCHEMA = {"type": "integer", "minimum": 0, "maximum": MAX_SHIFT}
REACH_SCHEMA = {"items": {VALUE: CELLS_SCHEMA}, "minItems": 2, "maxItems": 2}
SOMETIMES_SCHEMA = {
    "properties": {"value": {"type": "array", **REACH_SCHEMA}, "chance": SHARE_SCHEMA},
    "required": ["value", "chance"],
    "additionalProperties": False,
}
Shift = Annotated[
    Value[Reach],
    PlainValidator(read_shift),
    # What is said of lists does not touch mappings, so one schema can say both.
    WithJsonSchema({"type": ["array", "object"], **REACH_SCHEMA, **SOMETIMES_SCHEMA}),
]
