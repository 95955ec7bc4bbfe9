"""Whether every field of a level that the proof reads holds what it should: without that nothing else can be looked at.

A level is read a column at a time, one field of all its doors, say; and columns of the same shape are looked at
together. So a level that is right is quickly seen to be. Of spawns, of which there are most, that is left out which
is only shown to players, or which few rules ask for: those see to it themselves.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.grid.rect import Cell, Rect
from dungeon.level.model import Connection, Door, Exit, Light, Lock, Placement, Portal, Region, Spawn, Zone
from dungeon.terrain import TerrainSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.model import Level

Finding = tuple[str, int | None, int | None]
"""What is wrong, and the row and the column of the cell where that shows, if there is one."""

LARGEST = 2**31 - 1
"""No number on a level is larger, and none is below its negative, but for the seed."""

SHOWN = 40
"""How much of a wrong value is shown."""

Column = Sequence[Any]
"""Values of fields."""

Fits = Callable[[Column], bool]
"""Tells whether all values of a column are of some shape."""


def _all_a(kind: type) -> Fits:
    """Return what tells whether all values are of that type, or one that is derived from it."""
    only = {kind}

    def told(column: Column) -> bool:
        kinds = set(map(type, column))
        return kinds <= only or all(issubclass(each, kind) for each in kinds)

    return told


def _filled(fits: Fits) -> Fits:
    """Return what tells besides whether no value is empty."""
    return lambda column: fits(column) and all(column)


def _or_none(fits: Fits) -> Fits:
    return lambda column: fits([value for value in column if value is not None])


_are_texts = _all_a(str)
_are_tuples = _all_a(tuple)


def _are_words(column: Column) -> bool:
    """Tell whether all values are mappings of texts to texts."""
    return _all_a(Mapping)(column) and all(_are_texts([*each, *each.values()]) for each in column)


def _are_whole(column: Column) -> bool:
    """Tell whether all values are whole numbers of 32 bits, which arrays are quick to find out."""
    try:
        array("i", column)
    except (TypeError, OverflowError):
        return False
    return True


def _are_counts(column: Column) -> bool:
    """Tell likewise whether all are such numbers, and none is below 0."""
    try:
        array("I", column)
    except (TypeError, OverflowError):
        return False
    return True


def _are_parts_of_colours(column: Column) -> bool:
    """Tell likewise whether all are whole numbers of a byte."""
    try:
        array("B", column)
    except (TypeError, OverflowError):
        return False
    return True


def _tuples(fits: Fits, count: int | None = None, kind: type = tuple) -> Fits:
    """Return what tells whether all values are tuples of a kind (of so many) of what fits."""
    of_kind = _all_a(kind)

    def told(column: Column) -> bool:
        if not of_kind(column) or (count is not None and not {count}.issuperset(map(len, column))):
            return False
        return fits([*chain.from_iterable(column)])

    return told


def numbers_of(cells: Column) -> NDArray[np.intp] | None:
    """Return the (y, x) of all cells of a column of tuples of them, an (n, 2) array; None if it is none."""
    if not _are_tuples(cells) or not all(cells):
        return None
    each = [*chain.from_iterable(cells)]
    if {*map(type, each)} != {Cell} and not (_are_tuples(each) and {2}.issuperset(map(len, each))):
        return None
    try:
        numbers = array("i", [*chain.from_iterable(each)])
    except (TypeError, OverflowError):
        return None
    return np.array(numbers, np.intp).reshape(-1, 2)


class Shape(NamedTuple):
    """What a field should hold: `fits` tells whether values do, `text` says it in words."""

    fits: Fits
    text: str


WHOLE = Shape(_are_whole, f"a whole number, {LARGEST} at most")
COUNT = Shape(_are_counts, "a whole number from 0 on")
ANY_WHOLE = Shape(_all_a(int), "a whole number")
MAYBE_WHOLE = Shape(_or_none(_are_whole), f"None or a whole number, {LARGEST} at most")
TEXT = Shape(_are_texts, "a text")
WORD = Shape(_filled(_are_texts), "a text that is not empty")
MAYBE_TEXT = Shape(_or_none(_are_texts), "None or a text")
TEXTS = Shape(_tuples(_are_texts), "a tuple of texts")
FLAG = Shape(_all_a(bool), "true or false")
WHOLES = Shape(_tuples(_are_whole), f"a tuple of whole numbers, {LARGEST} at most")
PAIR = Shape(_tuples(_are_whole, 2), f"two whole numbers, {LARGEST} at most")
RECT = Shape(_tuples(_are_whole, 4, Rect), f"a rectangle of whole numbers, {LARGEST} at most")
CELLS = Shape(lambda column: numbers_of(column) is not None, "a tuple of cells, each two whole numbers")
MAYBE_CELLS = Shape(_tuples(_tuples(_are_whole, 2)), "a tuple of cells, each two whole numbers")
COLOUR = Shape(_tuples(_are_parts_of_colours, 3), "three whole numbers from 0 to 255")
MAYBE_COLOUR = Shape(_or_none(COLOUR.fits), "None or three whole numbers from 0 to 255")
HELD = Shape(_tuples(_all_a(Spawn)), "a tuple of spawns")
PARTS = Shape(_are_tuples, "a tuple")
WORDS = Shape(_are_words, "a mapping of texts to texts")
ARRAY = Shape(_all_a(np.ndarray), "an array")
TERRAIN_SET = Shape(_all_a(TerrainSet), "a terrain set")

PARTS_OF: dict[str, tuple[type, dict[str, Shape]]] = {
    "exits": (Exit, {"y": WHOLE, "x": WHOLE, "leads_to": TEXT}),
    "regions": (Region, {"id": WHOLE, "kind": WORD, "bounds": RECT, "connections": WHOLES, "sealed": FLAG}),
    "connections": (Connection, {"y": WHOLE, "x": WHOLE, "kind": WHOLE, "between": PAIR}),
    "doors": (
        Door,
        {"y": WHOLE, "x": WHOLE, "terrain": TEXT, "state": TEXT, "lock": MAYBE_TEXT, "lock_name": TEXT},
    ),
    "locks": (Lock, {"y": WHOLE, "x": WHOLE, "word": WORD, "follows": TEXT, "name": TEXT}),
    "portals": (
        Portal,
        {"y": WHOLE, "x": WHOLE, "to_y": WHOLE, "to_x": WHOLE, "kind": WORD, "both": FLAG},
    ),
    "zones": (
        Zone,
        {
            "id": WHOLE,
            "name": WORD,
            "kind": WORD,
            "parent": WHOLE,
            "regions": WHOLES,
            "theme": TEXT,
            "step": WHOLE,
            "gates": MAYBE_CELLS,
        },
    ),
    "placements": (
        Placement,
        {
            "encounter": TEXT,
            "category": TEXT,
            "prefab": TEXT,
            "mode": WORD,
            "orientation": TEXT,
            "region": WHOLE,
            "bounds": RECT,
            "copy": WHOLE,
            "limit": MAYBE_WHOLE,
            "groups": TEXTS,
            "tint": MAYBE_COLOUR,
            "variant": TEXT,
        },
    ),
    "spawns": (
        Spawn,
        {
            "kind": TEXT,
            "like": TEXT,
            "tag": TEXT,
            "y": WHOLE,
            "x": WHOLE,
            "cells": CELLS,
            "placement": MAYBE_WHOLE,
            "group": COUNT,
            "leads": FLAG,
            "patrol": MAYBE_CELLS,
            "loadout": HELD,
        },
    ),
    "lights": (Light, {"y": WHOLE, "x": WHOLE, "radius": WHOLE, "colour": COLOUR}),
}
"""Field of a level that lists parts -> what these are, and what those of their fields that are read should hold."""

KINDS = {name: Shape(_all_a(kind), f"a {kind.__name__}") for name, (kind, _) in PARTS_OF.items()}
"""Likewise -> what these are, as a shape."""

ALSO_READ = {"spawns": ("blocks",)}
"""Likewise -> further fields of which columns are wanted, whatever they hold."""

LEVEL = {
    "id": TEXT,
    "name": TEXT,
    "depth": WHOLE,
    "seed": ANY_WHOLE,
    "retries": COUNT,
    "entrance": PAIR,
    "terrain": ARRAY,
    "region": ARRAY,
    "terrain_set": TERRAIN_SET,
    "journal": PARTS,
    "own_kinds": WORDS,
    **dict.fromkeys(PARTS_OF, PARTS),
}
"""Field of a level -> what it should hold."""


ALIKE: dict[Fits, list[tuple[str, str]]] = {}
"""What tells whether columns fit -> these columns, each as the field of a level and the field of its parts."""
for _name, (_, _shapes) in PARTS_OF.items():
    for _field, _shape in _shapes.items():
        ALIKE.setdefault(_shape.fits, []).append((_name, _field))


class Fields:
    """The fields of a level, read.

    Attributes:
        level: The level.
        columns: Field of a level that lists parts -> field of the parts -> its values, in the order of the parts.
        cells: (n, 2) the (y, x) of all cells of all spawns.
        faults: What is not as it should be. Where there is any, the others may lack something.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.columns: dict[str, dict[str, Column]] = {}
        self.cells = np.zeros((0, 2), np.intp)
        own = {name: (getattr(level, name),) for name in LEVEL}
        self.faults = [*_misfits(own, LEVEL, "")]
        if self.faults:
            return
        self.faults = [*_misfits({name: getattr(level, name) for name in KINDS}, KINDS, "")]
        if self.faults:
            return
        for name, (_, shapes) in PARTS_OF.items():
            self.columns[name] = _columns(getattr(level, name), (*shapes, *ALSO_READ.get(name, ())))
        cells = numbers_of(self.columns["spawns"]["cells"])
        if cells is not None:
            self.cells = cells
        if cells is None or not self._fit():
            for name, (_, shapes) in PARTS_OF.items():
                self.faults += _misfits(self.columns[name], shapes, f"{name}[{{}}].")

    def _fit(self) -> bool:
        """Tell whether all columns but the spawns' cells hold what they should."""
        return all(
            fits([*chain.from_iterable(self.columns[name][field] for name, field in fields)])
            for fits, fields in ALIKE.items()
            if fits is not CELLS.fits
        )


def field_value(fields: Fields) -> Iterator[Finding]:
    """Every field holds a value of its type, and no number is larger than any on a map can be."""
    yield from fields.faults


def _columns(parts: Sequence[object], fields: tuple[str, ...]) -> dict[str, Column]:
    """Return the values that parts have in each of these fields."""
    rows = map(attrgetter(*fields), parts)
    columns: list[Column] = [*zip(*rows, strict=True)] if parts else [()] * len(fields)
    return dict(zip(fields, columns, strict=True))


def _misfits(columns: Mapping[str, Column], shapes: Mapping[str, Shape], title: str) -> Iterator[Finding]:
    """Yield what does not fit in columns (field -> values), of which the nth row's fields are called `title`."""
    for field, shape in shapes.items():
        if shape.fits(columns[field]):
            continue
        for number, value in enumerate(columns[field]):
            if not shape.fits((value,)):
                yield f"{title.format(number)}{field} is {_shown(value)}, not {shape.text}", None, None


def _shown(value: object) -> str:
    """Return what a wrong value looks like, as much of it as fits into a sentence."""
    if type(value) is int and abs(value) > LARGEST:
        return "too large a number"
    try:
        text = repr(value)
    except ValueError:  # within it is a number of more digits than Python likes to write
        return "something with too large a number"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
