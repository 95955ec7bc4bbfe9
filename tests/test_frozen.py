"""Frozen mappings and arrays can't be changed."""

from __future__ import annotations

import copy
import json
import pickle
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walked import changeable

import dungeon
from dungeon import Cell
from dungeon.core.frozen import NOTHING, Frozen, freeze, sealed, short_repr

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
SAID = st.dictionaries(st.text(max_size=5), PLAIN, max_size=4)


@given(SAID)
def test_it_is_the_dict_that_it_was_made_from(said: dict[str, Any]) -> None:
    frozen = Frozen(said)
    assert frozen == said
    assert said == frozen
    assert not frozen != said  # noqa: SIM202  # a question of its own
    assert frozen == Frozen(said)
    assert hash(frozen) == hash(Frozen(said))
    assert frozen != {**said, "another key": 1}
    assert list(frozen) == list(said)
    assert json.loads(json.dumps(frozen)) == json.loads(json.dumps(said))
    assert list(changeable(frozen)) == []


@given(SAID)
def test_it_can_be_copied_and_pickled(said: dict[str, Any]) -> None:
    frozen = Frozen(said)
    others = [
        pickle.loads(pickle.dumps(frozen, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    for other in (*others, copy.copy(frozen), copy.deepcopy(frozen)):
        assert (type(other), other, repr(other)) == (Frozen, frozen, repr(frozen))
        assert list(changeable(other)) == []


@pytest.mark.parametrize(
    "change",
    [
        "it['new'] = 1",
        "it['a'] = 1",
        "it |= {'new': 1}",
        "it.update(new=1)",
        "it.setdefault('new', 1)",
        "it.pop('a')",
        "it.popitem()",
        "it.clear()",
        "del it['a']",
        "it['a']['b'] = 1",
        "it['a']['c'][0] = 1",
        "it['a']['c'][1]['d'] = 1",
        "it['a']['e'].add(1)",
        "it['a']['f'][0] = 1",
        "it['a']['f'].flags.writeable = True",
        "it['a']['g'][0] = 1",
        "it.new = 1",
    ],
)
def test_nothing_in_it_can_be_changed(change: str) -> None:
    a = {"b": 0, "c": [0, {"d": 0}], "e": {0}, "f": np.zeros(1), "g": bytearray(b"0")}
    it = Frozen({"a": a})
    with pytest.raises((TypeError, AttributeError, ValueError)):
        exec(change)
    assert repr(it) == repr(Frozen({"a": a}))


def test_calling_its_init_again_changes_nothing() -> None:
    it = Frozen(a=1)
    it.__init__({"b": 2})  # type: ignore[misc]
    assert it == {"a": 1}


def test_the_source_of_a_frozen_value_stays_mutable_and_separate() -> None:
    said: dict[str, Any] = {"a": [1, {"b": 2}], "array": np.arange(3)}
    it = Frozen(said)
    said["a"][1]["b"] = 3
    said["array"][0] = 9
    said["new"] = 1
    assert it["a"] == (1, {"b": 2})
    assert it["array"].tolist() == [0, 1, 2]
    assert "new" not in it
    said["array"][1] = 8  # the array that was given is still its owner's


def test_copies_of_ones_own_are_plain_dicts() -> None:
    it = Frozen(a=1)
    for own in (dict(it), it.copy(), it | {"b": 2}, {**it}):
        assert type(own) is dict


def test_named_tuples_keep_their_type() -> None:
    cell = Cell(1, 2)
    assert freeze(cell) is cell
    frozen = freeze((cell, [cell]))
    assert frozen == (cell, (cell,))
    assert isinstance(frozen[1][0], Cell)
    assert freeze(MappingProxyType({"a": [1]})) == {"a": [1]}
    assert freeze(NOTHING) is NOTHING


def test_values_that_are_frozen_already_are_shared() -> None:
    inner = Frozen(a=1)
    assert Frozen(x=inner)["x"] is inner
    array = sealed(np.arange(3))
    assert sealed(array) is array
    assert sealed(array.reshape(3, 1)).base is not None


@pytest.mark.parametrize("make", [lambda cells: cells, lambda cells: cells[:, ::2], lambda cells: cells.T])
def test_a_sealed_array_has_the_same_cells_and_can_never_be_written_to(make: Any) -> None:
    cells = make(np.arange(12, dtype=np.uint16).reshape(3, 4))
    array = sealed(cells)
    assert np.array_equal(array, cells)
    assert (array.dtype, array.flags.c_contiguous) == (np.uint16, True)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
    cells[...] = 0
    assert array.any()


def test_an_array_that_is_read_only_for_now_is_not_taken_for_sealed() -> None:
    cells = np.zeros(3)
    cells.flags.writeable = False
    array = sealed(cells)
    cells.flags.writeable = True
    cells[0] = 1
    assert not array.any()


def test_an_array_of_objects_is_refused() -> None:
    with pytest.raises(TypeError, match="objects"):
        sealed(np.array([[], {}], object))


def test_values_with_many_fields_have_a_short_repr() -> None:
    spawn = dungeon.Spawn(
        kind="prop",
        tag="press",
        name="x" * 500,
        y=1,
        x=2,
        glyph="P",
        fg=(1, 2, 3),
        cells=tuple(Cell(1, x) for x in range(100)),
        keywords={f"key {number}": "y" * 100 for number in range(50)},
    )
    assert short_repr(spawn) == repr(spawn)
    assert len(repr(spawn)) < 300
    assert repr(spawn).startswith("Spawn(kind='prop', like='prop', tag='press', name='xxx")
    assert "blocks" not in repr(spawn)
