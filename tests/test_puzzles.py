"""Locks and keys of whole levels: the solver against a player who tries everything; many more in benchmarks/spoilt.py."""

from __future__ import annotations

import random

import pytest
from player import play, wander
from puzzles import SPOILERS, Verdict, judged, puzzle_level, spoilt

from dungeon.level.proof.solver import Puzzle, PuzzleKey, PuzzleLock

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
    assert {what for _, what in levels} >= set(SPOILERS) - {"portal turned"}
    assert ends([judged(level) for level, _ in levels]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_they_agree_about_portals_that_lead_both_ways_and_one_way(start: int) -> None:
    levels = [puzzle_level(seed, portals=True) for seed in range(start, start + 50)]
    assert ends([judged(level) for level in levels]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_and_about_portals_of_levels_that_were_spoilt(start: int) -> None:
    levels = [spoilt(puzzle_level(seed, portals=True), seed) for seed in range(start, start + 50)]
    assert {what for _, what in levels} >= {"portal turned"}
    assert ends([judged(level) for level, _ in levels]) == ALL_ENDS


@pytest.mark.parametrize("start", range(0, 100, 50))
def test_who_knows_portals_plays_no_other_way_where_there_are_none(start: int) -> None:
    for seed in range(start, start + 50):
        level = puzzle_level(seed)
        if len(level.spawns) < 6:
            assert wander(level) == play(level)


# -- keys that open several words ---------------------------------------------------------------------


def entangled(seed: int) -> Puzzle:
    """Return a puzzle of up to six locks, whose keys open up to three words each and are mostly used up."""
    rng = random.Random(seed)
    count = rng.randint(2, 6)
    words = "abcd"[: rng.randint(1, 4)]
    locks = []
    for number in range(count):
        near = 1 << rng.randint(0, number)
        word = frozenset(rng.choice(words))
        locks.append(PuzzleLock(word, frozenset(), near, near | 2 << number))
    keys = [
        PuzzleKey(
            frozenset(rng.choices(words, k=rng.randint(1, 3))),
            1 << rng.choice((0, rng.randint(0, count))),
            rng.random() < 0.9,
        )
        for _ in range(count + rng.randint(-1, 1))
    ]
    return Puzzle(1, (2 << count) - 1, locks, keys)


def all_ends(puzzle: Puzzle) -> set[tuple[int, int]]:
    """Return how many areas are reached and how many locks opened wherever play may end."""
    found, seen, waiting = set(), set(), [(frozenset(), frozenset())]
    while waiting:
        opened, spent = state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        reached = puzzle.start
        for lock in opened:
            reached |= puzzle.locks[lock].beyond
        moves = []
        for number in set(range(len(puzzle.locks))) - opened:
            lock = puzzle.locks[number]
            fitting = [
                index
                for index, key in enumerate(puzzle.keys)
                if index not in spent
                and lock.near & reached
                and key.areas & reached
                and lock.words <= key.words
            ]
            used_up = {index for index in fitting if puzzle.keys[index].consumed}
            if used_up < set(fitting):  # nobody uses a key up who has one that lasts
                moves.append((opened | {number}, spent))
            else:
                moves += [(opened | {number}, spent | {index}) for index in used_up]
        waiting += moves
        if not moves:
            found.add((reached.bit_count(), len(opened)))
    return found


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_the_solver_agrees_where_keys_open_several_words(start: int) -> None:
    seen = set()
    for seed in range(start, start + 100):
        puzzle = entangled(seed)
        found, outcome = all_ends(puzzle), puzzle.solve()
        lasting = Puzzle(
            puzzle.start, puzzle.goal, puzzle.locks, [key._replace(consumed=False) for key in puzzle.keys]
        )
        hope = max(all_ends(lasting))[0]
        strands = max(found)[0] == hope and min(found) < max(found)
        assert outcome.complete
        assert (outcome.stranded is not None) == strands, seed
        assert len(outcome.order) == max(found)[1], seed
        seen.add(strands)
    assert seen == {False, True}


def test_the_right_key_on_the_wrong_lock_strands() -> None:
    """Who opens the first lock with the key that also opens the second has none left for that."""
    locks = [PuzzleLock(frozenset(word), frozenset(), 1, 1 | 2 << at) for at, word in enumerate("ac")]
    keys = [PuzzleKey(frozenset(words), 1, consumed=True) for words in ("a", "ac")]
    assert Puzzle(1, 7, locks, keys).solve().stranded == (1,)
