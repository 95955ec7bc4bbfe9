"""Declared odds come true where encounters contend for space, in games drawn at random; many more in tests/fuzzing/odds.py."""

from random import Random

import pytest
from contended import game
from drawn import write

import dungeon
from dungeon.cli.odds import correlation

WORLDS = 8
WIDTH = 0.08
"""What is due is known to within this margin: better than 8 worlds can show."""


@pytest.mark.parametrize("number", range(1, 3))
def test_levels_have_what_they_are_due(tmp_path, number):
    world = dungeon.World(dungeon.load_content(write(tmp_path, game(Random(number)))))
    odds = world.odds(realised=WORLDS, width=WIDTH)
    assert odds.samples > 0
    for on_map in odds.maps:
        rows = [each.realised for each in on_map.encounters]
        assert (correlation(rows) or 1) >= 0.97, on_map.id
        assert sum(row.had for row in rows) >= 0.97 * sum(row.due for row in rows), on_map.id
