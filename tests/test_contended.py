"""Declared odds come true where encounters contend for space, in games drawn at random; many more in tests/fuzzing/odds.py."""

from random import Random

import pytest
from contended import game
from drawn import write

import dungeon
from dungeon.cli.odds import correlation
from dungeon.generation.odds import expected

WORLDS = 8
DRAWN = 400
"""So many worlds are drawn, without being made, to tell what is due: to better than 8 worlds can show."""


@pytest.mark.parametrize("number", range(1, 3))
def test_levels_have_what_they_are_due(tmp_path, monkeypatch, number):
    monkeypatch.setattr(expected, "SAMPLES", DRAWN)
    odds = dungeon.World(dungeon.load_content(write(tmp_path, game(Random(number))))).odds(realised=WORLDS)
    assert odds.samples == DRAWN
    for on_map in odds.maps:
        rows = [each.realised for each in on_map.encounters]
        assert (correlation(rows) or 1) >= 0.97, on_map.id
        assert sum(row.had for row in rows) >= 0.97 * sum(row.due for row in rows), on_map.id
