"""Type checks of the fields of a level; if one fails, no other rule of the proof is run. A column is a sequence of the values of one field, such as the `state` of all doors.

The expected types come from the annotations in `dungeon.level.model`. A level is read in *columns*: one field of all its doors,
for example. All columns of one type are checked together, which is quick for a level without mistakes.
"""

from __future__ import annotations

import dataclasses
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.grid.rect import Cell, Rect
from dungeon.level import model
from dungeon.level.model import Spawn
from dungeon.terrain import TerrainSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.model import Level

Finding = tuple[str, int | None, int | None]
"""(message, row, column) of a violation; row and column are None if it belongs to no single cell."""

LARGEST = 2**31 - 1
"""The largest number in a level, apart from its seed: 32 bits, so that sums of a few never overflow in numpy's 64 bits."""

SHOWN = 40
"""Number of characters after which a message cuts a wrong value."""

Column = Sequence[Any]
"""The values of one field in all parts of a list, or of several fields of one type."""

Fits = Callable[[Column], bool]
"""A test that returns whether all values of a column have the expected type."""


def _all_a(kind: type) -> Fits:
    """Return a test that tells whether all values of a column are instances of `kind` or of its subclasses."""
    only = {kind}

    def fits(column: Column) -> bool:
        kinds = {*map(type, column)}
        return kinds <= only or all(issubclass(each, kind) for each in kinds)

    return fits


def _all_numbers(code: str) -> Fits:
    """Return a test that tells whether all values of a column are whole numbers that fit into an `array.array` of type `code`.

    ``"i"`` is 32 bits, ``"B"`` is 0 to 255. `array.array` tests this in a quick C loop.
    """

    def fits(column: Column) -> bool:
        try:
            array(code, column)
        except (TypeError, OverflowError):
            return False
        return True

    return fits


def _or_none(fits: Fits) -> Fits:
    """Return a test that a column passes if its values other than None pass the test `fits`."""
    return lambda column: fits([value for value in column if value is not None])


def _tuples(fits: Fits, count: int | None = None, kind: type = tuple) -> Fits:
    """Return a test that tells whether all values of a column are tuples whose elements pass the test `fits`.

    Args:
        fits: The test, which gets the elements of all tuples together as one column.
        count: The length that each tuple must have; None for any.
        kind: The class of the tuples.
    """
    of_kind = _all_a(kind)

    def fits_all(column: Column) -> bool:
        if not of_kind(column) or (count is not None and not {count}.issuperset(map(len, column))):
            return False
        return not any(column) or fits([*chain.from_iterable(column)])

    return fits_all


_are_texts, _are_tuples, _are_whole = _all_a(str), _all_a(tuple), _all_numbers("i")


def _are_words(column: Column) -> bool:
    """Tell whether all values of a column are mappings from text to text."""
    return _all_a(Mapping)(column) and all(_are_texts([*each, *each.values()]) for each in column)


def _cells_of(column: Column) -> NDArray[np.intp] | None:
    """Return the (y, x) of all cells in a column as an (n, 2) array.

    The column's values must be non-empty tuples of cells; None if they are not.
    """
    if not _are_tuples(column) or not all(column):
        return None
    cells = [*chain.from_iterable(column)]
    if {*map(type, cells)} != {Cell} and not (_are_tuples(cells) and {2}.issuperset(map(len, cells))):
        return None
    try:
        numbers = array("i", [*chain.from_iterable(cells)])
    except (TypeError, OverflowError):
        return None
    return np.array(numbers, np.intp).reshape(-1, 2)


class FieldType(NamedTuple):
    """The expected type of a field: `fits` tests a column for it, and `text` names it in messages."""

    fits: Fits
    text: str


WHOLE = FieldType(_are_whole, f"a whole number, {LARGEST} at most")
COUNT = FieldType(_all_numbers("I"), "a whole number from 0 on")
NUMBER = FieldType(lambda column: COUNT.fits(column) and all(column), "a whole number from 1 on")
TEXT = FieldType(_are_texts, "a text")
WORD = FieldType(lambda column: _are_texts(column) and all(column), "a text that is not empty")
PAIR = FieldType(_tuples(_are_whole, 2), f"two whole numbers, {LARGEST} at most")
COLOUR = FieldType(_tuples(_all_numbers("B"), 3), "three whole numbers from 0 to 255")
ARRAY = FieldType(_all_a(np.ndarray), "an array")

SHAPES: dict[str, FieldType] = {
    "int": WHOLE,
    "int | None": FieldType(_or_none(_are_whole), f"None or a whole number, {LARGEST} at most"),
    "bool": FieldType(_all_a(bool), "true or false"),
    **dict.fromkeys(("str", "Category", "DoorStatus", "SpawnKind"), TEXT),
    "str | None": FieldType(_or_none(_are_texts), "None or a text"),
    "tuple[str, ...]": FieldType(_tuples(_are_texts), "a tuple of texts"),
    "tuple[int, ...]": FieldType(_tuples(_are_whole), f"a tuple of whole numbers, {LARGEST} at most"),
    **dict.fromkeys(("Cell", "tuple[int, int]"), PAIR),
    "Cell | None": FieldType(_or_none(PAIR.fits), f"None or {PAIR.text}"),
    "tuple[Cell, ...]": FieldType(_tuples(PAIR.fits), "a tuple of cells, each two whole numbers"),
    "Rect": FieldType(_tuples(_are_whole, 4, Rect), f"a rectangle of whole numbers, {LARGEST} at most"),
    "Colour": COLOUR,
    "Colour | None": FieldType(_or_none(COLOUR.fits), f"None or {COLOUR.text}"),
    "tuple[Spawn, ...]": FieldType(_tuples(_all_a(Spawn)), "a tuple of spawns"),
    "Mapping[str, str]": FieldType(_are_words, "a mapping of texts to texts"),
    "Mapping[str, object]": FieldType(
        lambda column: _all_a(Mapping)(column) and all(map(_are_texts, map(list, column))),
        "a mapping with texts as keys",
    ),
    **dict.fromkeys(("NDArray[np.uint8]", "NDArray[np.uint16]"), ARRAY),
    "TerrainSet": FieldType(_all_a(TerrainSet), "a terrain set"),
}
"""Annotation in `dungeon.level.model` -> the type of its fields."""

NARROWER: dict[tuple[str, str], FieldType] = {
    **dict.fromkeys((("Region", "kind"), ("Lock", "word"), ("Portal", "kind"), ("Placement", "mode")), WORD),
    **dict.fromkeys((("Zone", "name"), ("Zone", "kind")), WORD),
    **dict.fromkeys((("Spawn", "group"), ("Level", "retries")), COUNT),
    **dict.fromkeys((("Lock", "count"), ("Door", "lock_count")), NUMBER),
    ("Spawn", "cells"): FieldType(
        lambda column: _cells_of(column) is not None, SHAPES["tuple[Cell, ...]"].text
    ),
    ("Level", "seed"): FieldType(_all_a(int), "a whole number"),
}
"""(class, field) -> its type, where the proof asks for more than the annotation says."""

UNCHECKED = {"name", "glyph", "fg", "glyphs", "fgs", "blocks", "opaque", "keywords", "source"}
"""Fields of spawns that are not checked here: they are only shown to players, or the few rules that read them check them."""

PART = re.compile(r"tuple\[(\w+), \.\.\.\]")
"""The annotation of a list in `Level`, such as `tuple[Door, ...]`."""


def _shapes_of(kind: type) -> dict[str, FieldType]:
    """Return field name -> expected type, for the fields of a class of `dungeon.level.model` that are checked."""
    found = {}
    for field in dataclasses.fields(kind):
        if kind is not Spawn or field.name not in UNCHECKED:
            shape = NARROWER.get((kind.__name__, field.name))
            if shape is None and kind is model.Level and PART.fullmatch(str(field.type)):
                shape = FieldType(_are_tuples, "a tuple")
            found[field.name] = shape or SHAPES[str(field.type)]
    return found


LEVEL = _shapes_of(model.Level)
"""Field of `Level` -> its type; lists only need to be tuples here."""

PARTS: dict[str, type] = {
    field.name: vars(model)[listed[1]]
    for field in dataclasses.fields(model.Level)
    if field.name != "journal" and (listed := PART.fullmatch(str(field.type)))
}
"""Name of a list in `Level`, such as `doors` -> the class of its parts, such as `Door`. The journal is not checked."""

KINDS = {name: FieldType(_all_a(kind), f"a {kind.__name__}") for name, kind in PARTS.items()}
SHAPES_OF = {name: _shapes_of(kind) for name, kind in PARTS.items()}

ALIKE: dict[Fits, list[tuple[str, str]]] = {}
"""Test -> the columns (list of the level, field of its parts) that it is for, so that they can be checked in one call."""
for _name, _shapes in SHAPES_OF.items():
    for _field, _shape in _shapes.items():
        ALIKE.setdefault(_shape.fits, []).append((_name, _field))
del ALIKE[SHAPES_OF["spawns"]["cells"].fits]  # `Fields` checks the spawns' cells when it reads them

READ = {name: (*shapes, *(("blocks",) if name == "spawns" else ())) for name, shapes in SHAPES_OF.items()}
"""Name of a list in `Level` -> the fields of its parts that are read into columns."""


class Fields:
    """The fields of a level, read into columns and checked.

    Attributes:
        level: The level.
        columns: Name of a list (`doors`) -> field (`state`) -> its values, in the order of the list.
        cells: (n, 2): the (y, x) of all cells of all spawns.
        faults: A finding for each value of a wrong type. If there are any, the other attributes may be incomplete.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.columns: dict[str, dict[str, Column]] = {}
        self.cells = np.zeros((0, 2), np.intp)
        self.faults = [*_misfits({name: (getattr(level, name),) for name in LEVEL}, LEVEL, "")]
        if not self.faults:
            self.faults = [*_misfits({name: getattr(level, name) for name in KINDS}, KINDS, "")]
        if self.faults:
            return
        for name, read in READ.items():
            rows = map(attrgetter(*read), getattr(level, name))
            columns: list[Column] = [*zip(*rows, strict=True)] or [()] * len(read)
            self.columns[name] = dict(zip(read, columns, strict=True))
        cells = _cells_of(self.columns["spawns"]["cells"])
        if cells is not None:
            self.cells = cells
        if cells is None or not self._fit():
            for name, shapes in SHAPES_OF.items():
                self.faults += _misfits(self.columns[name], shapes, f"{name}[{{}}].")

    def _fit(self) -> bool:
        """Tell whether all checked fields of the level's parts (doors, spawns, ...) hold values of the right types.

        The values of one field over all parts of a kind form a column; columns with the same expected type are tested together.
        The spawns' cells are left out, since `__init__` checks them.
        """
        return all(
            fits([*chain.from_iterable(self.columns[name][field] for name, field in fields)])
            for fits, fields in ALIKE.items()
        )


def field_value(fields: Fields) -> Iterator[Finding]:
    """Every field holds a value of its type, and numbers fit in 32 bits (`seed` may be larger)."""
    yield from fields.faults


def _misfits(columns: Mapping[str, Column], shapes: Mapping[str, FieldType], title: str) -> Iterator[Finding]:
    """Yield a finding for each value that is not of its field's type.

    Args:
        columns: Field -> its values.
        shapes: Field -> its expected type.
        title: What stands before the field's name in messages, with `{}` for the index of the value: `doors[{}].`.
    """
    for field, shape in shapes.items():
        if shape.fits(columns[field]):
            continue
        for number, value in enumerate(columns[field]):
            if not shape.fits((value,)):
                yield f"{title.format(number)}{field} is {_shown(value)}, not {shape.text}", None, None


def _shown(value: object) -> str:
    """Return a wrong value as text, cut after `SHOWN` characters; numbers that are too large are not written out."""
    if type(value) is int and abs(value) > LARGEST:
        return "too large a number"
    try:
        text = repr(value)
    except ValueError:  # a number in it has more digits than Python converts to text
        return "something with too large a number"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
