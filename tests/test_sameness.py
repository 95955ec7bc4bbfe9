"""Levels of one map are not alike: what two seeds have open in common is little more than chance gives."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from alike import sameness
from drawn import mask
from warrens import fresh

import dungeon
from dungeon.content.values.grammar import Constant

SEEDS = 40


@cache
def content():
    return dungeon.load_content(Path(__file__).parent.parent / "data")


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


GROWN = """
    galleries/1 cisterns/2 tinnings/2 foundry/3 tally_house/3 leaf_house/3 mere/3 furrings/3 flues/3 feed_works/3
"""


@pytest.mark.parametrize("map_id", GROWN.split())
def test_no_map_of_the_demo_looks_the_same_for_every_seed(map_id):
    levels = [dungeon.World(content(), seed=seed).level(map_id).walkable for seed in range(SEEDS)]
    found = sameness(levels)
    assert found.overlap < found.chance + 0.055
    assert found.commonest < 0.8


def test_the_order_room_is_put_together_anew_for_every_seed():
    levels = [dungeon.World(content(), seed=seed).level("order_room/4").walkable for seed in range(SEEDS)]
    assert len({level.tobytes() for level in levels}) > SEEDS / 4
