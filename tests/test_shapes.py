"""Shapes of rooms: they hang together and fill their block, whatever its size."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import pytest
from drawn import flat, picture_of_mask

from dungeon.extend import Stream
from dungeon.grid import shapes
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

SHAPES = {
    "rectangle": shapes.rectangle,
    "ellipse": shapes.ellipse,
    "diamond": shapes.diamond,
    "triangle": shapes.triangle,
    "cross": partial(shapes.cross, stream=Stream(4)),
    "ell": partial(shapes.ell, stream=Stream(4)),
    "notched": partial(shapes.notched, stream=Stream(4)),
    "alcoves": shapes.alcoves,
    "pillared": shapes.pillared,
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_hangs_together_and_touches_all_four_sides(name: str) -> None:
    shape: Callable[[int, int], NDArray[np.bool_]] = SHAPES[name]
    for height, width in product(range(1, 16), repeat=2):
        found = shape(height, width)
        assert found.shape == (height, width)
        assert components(found)[1] == 1, (height, width)
        sides = found[0].any(), found[-1].any(), found[:, 0].any(), found[:, -1].any()
        assert all(sides), (height, width)


def test_round_shapes_are_symmetric_and_leave_the_corners() -> None:
    for shape in (shapes.ellipse, shapes.diamond):
        for height, width in product(range(4, 16), repeat=2):
            found = shape(height, width)
            assert not found[0, 0]
            assert (found == found[::-1]).all()
            assert (found == found[:, ::-1]).all()


def test_pictures() -> None:
    assert picture_of_mask(shapes.ellipse(5, 9)) == flat("""
        ..#####..
        #########
        #########
        #########
        ..#####..
    """)
    assert picture_of_mask(shapes.triangle(4, 7)) == flat("""
        ...#...
        ..###..
        .#####.
        #######
    """)


def test_crosses_and_ells_are_of_many_kinds() -> None:
    stream = Stream(1)
    for shape in (shapes.cross, shapes.ell):
        found = {shape(9, 12, stream).tobytes() for _ in range(60)}
        assert len(found) > 12, shape


def test_alcoves_and_pillars_stand_in_rows() -> None:
    assert picture_of_mask(shapes.alcoves(5, 11)) == flat("""
        ..#..#..#..
        ###########
        ###########
        ###########
        ..#..#..#..
        """)
    assert picture_of_mask(shapes.pillared(5, 11)) == flat("""
        ###########
        ###########
        ##.##.##.##
        ###########
        ###########
        """)


def test_notches_are_cut_out_of_corners() -> None:
    seen = set()
    for seed in range(40):
        found = shapes.notched(6, 9, Stream(seed))
        assert found[2:4].all()
        assert found[:, 3:6].all()
        seen.add(found.tobytes())
    assert len(seen) > 30
