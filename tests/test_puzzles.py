"""The solver of locks and keys, compared with a brute-force player; tests/fuzzing/spoilt.py tries many more levels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from networks import network, try_everything
from player import play, wander
from puzzles import SPOILERS, STRANDED, Verdict, judged, puzzle_level, spoilt

from dungeon import prove
from dungeon.proof import puzzle_drops, puzzle_search
from dungeon.proof.puzzle import Puzzle, PuzzleDrop, PuzzleKey, PuzzleLock
from dungeon.proof.puzzle_drops import play_with_drops, solve
from dungeon.proof.puzzle_search import play as play_through

if TYPE_CHECKING:
    from collections.abc import Sequence

ALL_ENDS = {(True, False), (True, True), (False, False)}
"""(gets_all, strands) of the three kinds of levels: all is reached; a player may be stranded; no player reaches all."""


def ends(verdicts: list[Verdict]) -> set[tuple[bool, bool]]:
    """Return the (gets_all, strands) of all verdicts; fail if the proof and the player disagree about one."""
    assert [number for number, each in enumerate(verdicts) if not each.agreed] == []
    return {(each.gets_all, each.strands) for each in verdicts}


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_proof_agrees_with_a_player_who_tries_everything(start: int) -> None:
    assert ends([judged(puzzle_level(seed)) for seed in range(start, start + 50)]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_proof_agrees_with_a_player_about_spoilt_levels(start: int) -> None:
    levels = [spoilt(puzzle_level(seed), seed) for seed in range(start, start + 50)]
    assert {what for _, what in levels} >= set(SPOILERS) - {"portal turned"}
    assert ends([judged(level) for level, _ in levels]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_the_proof_agrees_with_a_player_about_portals(start: int) -> None:
    levels = [puzzle_level(seed, portals=True) for seed in range(start, start + 50)]
    assert ends([judged(level) for level in levels]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_the_proof_agrees_with_a_player_about_portals_of_spoilt_levels(start: int) -> None:
    levels = [spoilt(puzzle_level(seed, portals=True), seed) for seed in range(start, start + 50)]
    assert {what for _, what in levels} >= {"portal turned"}
    assert ends([judged(level) for level, _ in levels]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 100, 50))
def test_without_portals_both_trial_players_get_the_same_result(start: int) -> None:
    for seed in range(start, start + 50):
        level = puzzle_level(seed)
        if len(level.spawns) < 6:
            assert wander(level) == play(level)


@pytest.mark.parametrize("portals", [False, True])
@pytest.mark.parametrize("start", range(0, 60, 30))
def test_the_proof_agrees_with_a_player_about_levers_that_toggle(start: int, *, portals: bool) -> None:
    levels = [puzzle_level(seed, portals=portals, levers=True) for seed in range(start, start + 30)]
    spoilt_levels = [spoilt(level, seed)[0] for seed, level in enumerate(levels, start)]
    assert ends([judged(level) for level in [*levels, *spoilt_levels]]) >= {(True, False), (False, False)}


@pytest.mark.parametrize("portals", [False, True])
@pytest.mark.parametrize("start", range(0, 60, 30))
def test_the_proof_agrees_with_a_player_about_locks_that_need_several_keys(
    start: int, *, portals: bool
) -> None:
    levels = [puzzle_level(seed, portals=portals, counts=True) for seed in range(start, start + 30)]
    assert {lock.count for level in levels for lock in level.locks} == {1, 2, 3}
    spoilt_levels = [spoilt(level, seed)[0] for seed, level in enumerate(levels, start)]
    assert ends([judged(level) for level in [*levels, *spoilt_levels]]) == ALL_ENDS


def lever_puzzle(*drops: PuzzleDrop, lever: int, keys: Sequence[PuzzleKey] = ()) -> Puzzle:
    """Return a puzzle of two areas and a door that a lever opens and closes.

    Args:
        drops: One-way passages.
        lever: The areas from which the lever can be pulled.
        keys: Other keys of the door.
    """
    doors = [PuzzleLock(frozenset(["sluice"]), frozenset(), HALL | TOWER, HALL | TOWER)]
    levers = [PuzzleKey(frozenset(["sluice"]), lever, consumed=False, toggles=True)]
    return Puzzle(HALL, HALL | TOWER, doors, [*levers, *keys], drops)


HALL, TOWER = 2, 4
CHUTE, HATCH = PuzzleDrop(TOWER, HALL), PuzzleDrop(HALL, TOWER)
KEY = PuzzleKey(frozenset(["sluice"]), HALL, consumed=True)


def test_closing_a_door_from_inside_and_dropping_out_strands_the_player() -> None:
    """The key of the door is consumed; the lever is in the tower, from which a chute leads down to the hall."""
    outcome = solve(lever_puzzle(CHUTE, lever=TOWER, keys=[KEY]))
    assert (outcome.lost, outcome.complete) == (TOWER, True)
    lasting = [KEY._replace(consumed=False)]
    assert not solve(lever_puzzle(CHUTE, lever=TOWER, keys=lasting)).lost


def test_dropping_behind_a_door_closed_by_a_lever_in_front_of_it_strands_the_player() -> None:
    assert solve(lever_puzzle(HATCH, lever=HALL)).lost == HALL
    assert not solve(lever_puzzle(HATCH, lever=TOWER)).lost


def test_a_lever_that_can_be_reached_again_strands_no_player() -> None:
    for puzzle in (
        lever_puzzle(lever=HALL),
        lever_puzzle(CHUTE, lever=HALL),
        lever_puzzle(CHUTE, HATCH, lever=TOWER),
        lever_puzzle(lever=TOWER, keys=[KEY]),
    ):
        outcome = solve(puzzle)
        assert (outcome.order, outcome.stranded, outcome.lost, outcome.complete) == ((0,), None, 0, True)


def test_either_of_two_boxes_may_get_the_only_key() -> None:
    """Two boxes and one consumed key: every player opens one of the boxes, and the hatch does not change that."""
    door = PuzzleLock(frozenset(["iron"]), frozenset(), HALL | TOWER, HALL | TOWER)
    boxes = [PuzzleLock(frozenset(["brass"]), frozenset(), HALL | TOWER, HALL | TOWER)] * 2
    keys = [PuzzleKey(frozenset([word]), TOWER, consumed=word == "brass") for word in ("iron", "brass")]
    outcome = play_with_drops(Puzzle(HALL, HALL | TOWER, [*boxes, door], keys, [HATCH]))
    assert (outcome.stranded, outcome.lost, outcome.complete) == (None, 0, True)


def test_an_incomplete_search_among_levers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_drops, "MOST_STATES", 1)
    assert not solve(lever_puzzle(HATCH, lever=HALL)).complete
    assert solve(lever_puzzle(CHUTE, lever=HALL)).complete


# -- networks without a level around them ---------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, 1200, 200))
def test_the_solver_agrees_about_networks_of_all_kinds(start: int) -> None:
    """Puzzles with lasting and consumed keys of one or several words, boxes, second doors, and locks that follow others."""
    seen = set()
    for seed in range(start, start + 200):
        puzzle = network(2 + seed % 4, seed)
        ends, outcome = try_everything(puzzle), play_through(puzzle)
        reached = puzzle.reached(puzzle.start, sum(1 << lock for lock in outcome.order)) & puzzle.goal
        assert outcome.complete
        assert (reached.bit_count(), len(outcome.order)) == ends.most, seed
        assert (outcome.stranded is not None) == ends.strands, seed
        seen.add(ends.strands)
    assert seen == {False, True}


@pytest.mark.parametrize("start", range(0, 600, 200))
def test_the_solver_agrees_about_networks_whose_locks_need_several_keys(start: int) -> None:
    seen = set()
    for seed in range(start, start + 200):
        puzzle = network(2 + seed % 3, seed, counts=True)
        lasting = {word for key in puzzle.keys if not key.consumed for word in key.words}
        if any(lock.needed > 1 and lock.words & lasting for lock in puzzle.locks):
            puzzle = replace(puzzle, keys=[key._replace(consumed=False) for key in puzzle.keys])
        ends, outcome = try_everything(puzzle), play_through(puzzle)
        reached = puzzle.reached(puzzle.start, sum(1 << lock for lock in outcome.order)) & puzzle.goal
        assert outcome.complete
        assert (reached.bit_count(), len(outcome.order)) == ends.most, seed
        assert (outcome.stranded is not None) == ends.strands, seed
        seen.add(ends.strands)
    assert seen == {False, True}


def door(word: str, needed: int, area: int) -> PuzzleLock:
    """Return a locked door between the hall and an area."""
    return PuzzleLock(frozenset([word]), frozenset(), HALL | area, HALL | area, needed=needed)


def test_three_keys_for_one_lock_of_two_that_need_two_strand() -> None:
    """With four keys both doors are opened in either order; with three, one stays shut; a fourth behind the first decides."""
    key = PuzzleKey(frozenset(["fuse"]), HALL, consumed=True)
    doors = [door("fuse", 2, TOWER), door("fuse", 2, 8)]

    def played(*areas: int) -> tuple[int, bool]:
        keys = [key._replace(areas=area) for area in areas]
        outcome = play_through(Puzzle(HALL, HALL | TOWER | 8, doors, keys))
        return len(outcome.order), outcome.stranded is not None

    assert played(HALL, HALL, HALL, HALL) == (2, False)
    assert played(HALL, HALL, HALL) == (1, False)
    assert played(HALL, HALL, HALL, TOWER) == (2, True)
    assert played(HALL) == (0, False)


def test_keys_that_last_count_before_others_are_spent() -> None:
    """A lasting key and a consumed one open a door that needs two; the second door then lacks a key."""
    keys = [PuzzleKey(frozenset(["fuse"]), HALL, consumed=spent) for spent in (False, True)]
    for doors, opened in (([door("fuse", 2, TOWER)], 1), ([door("fuse", 2, TOWER), door("fuse", 2, 8)], 1)):
        outcome = solve(Puzzle(HALL, HALL | TOWER | 8, doors, keys))
        assert (len(outcome.order), outcome.complete) == (opened, True)
    more = [*keys, PuzzleKey(frozenset(["fuse"]), TOWER | 8, consumed=False)]
    assert len(solve(Puzzle(HALL, HALL | TOWER | 8, doors, more)).order) == 2


def test_an_incomplete_search_breaks_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    hard = [level for level in map(puzzle_level, range(100)) if judged(level).strands]
    monkeypatch.setattr(puzzle_search, "MOST_STATES", 1)
    said = [[each.message for each in prove(level) if each.rule in STRANDED] for level in hard]
    assert all(said)
    assert ["there are too many orders of play to search them all"] in said


def test_the_right_key_on_the_wrong_lock_strands() -> None:
    """A player who opens the first lock with the key that also opens the second has no key left for the second."""
    locks = [PuzzleLock(frozenset(word), frozenset(), 1, 1 | 2 << at) for at, word in enumerate("ac")]
    keys = [PuzzleKey(frozenset(words), 1, consumed=True) for words in ("a", "ac")]
    assert play_through(Puzzle(1, 7, locks, keys)).stranded == (1,)
