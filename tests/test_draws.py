"""Odds agree with a simulation of the draw written from the manual, for all settings of one map."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from drawn import load
from lots import DEPTH, Lots, game, parted, sampled

from dungeon.generation.encounters.shares import WorldMap
from dungeon.generation.odds.exact import exact_odds, world_wins

if TYPE_CHECKING:
    from pathlib import Path

DRAWS = 300
PLACE = WorldMap(f"mine/{DEPTH}", "mine", DEPTH)


@pytest.mark.parametrize("part", range(2))
def test_odds_agree_with_a_simulation_of_the_draw(tmp_path: Path, part: int) -> None:
    for number in range(part * 6, part * 6 + 6):
        files, said, mine = game(Random(number))
        content = load(tmp_path / str(number), files)
        exact = exact_odds(content, PLACE, world_wins(content, [PLACE]))
        odds = sampled(content, [PLACE], DRAWS)[PLACE] if isinstance(exact, str) else exact
        luck = Random(-1 - number)
        draws = [Lots(luck, said, mine).drawn for _ in range(DRAWS)]
        assert parted(odds, draws) == [], number


def test_the_simulation_tells_odds_apart(tmp_path: Path) -> None:
    missed = 0
    for number in range(8):
        files, said, mine = game(Random(number))
        content = load(tmp_path / str(number), files)
        odds = sampled(content, [PLACE], DRAWS)[PLACE]
        for name in [each for each, told in odds.items() if 0.3 < told.drawn.value < 0.9]:
            other = said | {name: said[name] | {"maps": {"mine": 0.01}}}
            draws = [Lots(Random(each), other, mine).drawn for each in range(DRAWS)]
            assert name in {each for each, _ in parted(odds, draws)}
            missed += 1
    assert missed > 2
