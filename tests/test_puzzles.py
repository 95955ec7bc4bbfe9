"""Locks and keys of whole levels: the solver against a player who tries everything; many more in benchmarks/spoilt.py."""

from __future__ import annotations

import pytest
from puzzles import SPOILERS, Verdict, judged, puzzle_level, spoilt

ALL_ENDS = {(True, False), (True, True), (False, False)}
"""Everything is reached and nobody stranded; somebody may be; nobody gets everywhere."""


def ends(verdicts: list[Verdict]) -> set[tuple[bool, bool]]:
    """Return how levels end, once the proof has agreed with the player on each."""
    assert [number for number, each in enumerate(verdicts) if not each.agreed] == []
    return {(each.gets_all, each.strands) for each in verdicts}


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_proof_agrees_with_a_player_who_tries_everything(start: int) -> None:
    assert ends([judged(puzzle_level(seed)) for seed in range(start, start + 50)]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_so_it_does_of_levels_that_were_spoilt(start: int) -> None:
    levels = [spoilt(puzzle_level(seed), seed) for seed in range(start, start + 50)]
    assert {what for _, what in levels} >= set(SPOILERS)
    assert ends([judged(level) for level, _ in levels]) == ALL_ENDS
