"""Levels of one map are not alike: what two seeds have open in common is little more than chance gives.

The maps of the demo are held to that in `test_data`, where its levels are made.
"""

import numpy as np
import pytest
from alike import sameness
from drawn import mask
from warrens import fresh

from dungeon.extend import Constant

SEEDS = 40


def test_the_overlap_of_drawn_maps_is_measured():
    one = mask("""
        .##.
        .##.
        """)
    other = mask("""
        ..##
        ..##
        """)
    found = sameness([one, other])
    assert found.overlap == pytest.approx(2 / 6)
    assert found.chance == pytest.approx(0.5 / 1.5)
    assert found.commonest == 1
    assert sameness([one, one]).overlap == 1


def test_a_lattice_is_noticed():
    """Blocks that lie about the same points have more in common than blocks that lie anywhere."""
    dice = np.random.default_rng(1)
    above = {}
    for jitter in (2, 12):
        levels = []
        for _ in range(SEEDS):
            cells = np.zeros((48, 96), np.bool_)
            for y in range(0, 48, 12):
                for x in range(0, 96, 12):
                    down, right = dice.integers(0, jitter, 2)
                    cells[(y + down + np.arange(6)[:, None]) % 48, (x + right + np.arange(6)) % 96] = True
            levels.append(cells)
        found = sameness(levels)
        above[jitter] = found.overlap - found.chance
    assert above[2] > 0.3
    assert above[12] < 0.02


@pytest.mark.parametrize("layout", ["caves", "mines"])
def test_caves_lie_elsewhere_for_every_seed(layout):
    found = sameness([fresh(layout, 64, 110, seed, margin=Constant(1)).open for seed in range(SEEDS)])
    assert found.overlap < found.chance + 0.06
    assert found.commonest < 0.8
