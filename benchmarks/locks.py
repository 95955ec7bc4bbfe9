"""Time to play through a level's locks, and where keys lie compared with a forward fill.

python benchmarks/locks.py [LEVELS]

By default 300 levels; with fewer levels, proportionally fewer puzzles are solved.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, median
from time import process_time
from typing import TYPE_CHECKING

from inline_content import content_of
from measured import Measured

import dungeon
from dungeon.generation.locks import graph
from dungeon.generation.stages import locks as stage
from dungeon.proof.puzzle import Puzzle, PuzzleKey, PuzzleLock
from dungeon.proof.puzzle_drops import solve
from dungeon.proof.solution import solution_of

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from networks import network

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dungeon.content.library import Content
    from dungeon.core.streams import Streams
    from dungeon.generation.locks.graph import KeyRequest, LockGraph, Put

FILES = {
    "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
    "objects/items.yaml": "".join(f"key_{word}: {{name: key, glyph: k}}\n" for word in "abcd"),
    "locks.yaml": "".join(f"{word}: {{name: lock, opened_by: {{item: key_{word}}}}}\n" for word in "abcd"),
    "maps/m.yaml": "m: {name: M, size: 80x50, layout: tunnels, locks: {a: {on: way}, b: 1, c: 1, d: 1}}\n",
}
"""A game whose levels have four locks: one on the way and three on rooms."""


def forward(
    graph: LockGraph,
    lying: Sequence[tuple[int, str]],
    wanted: Sequence[KeyRequest],
    put: Put,
    streams: Streams,
) -> list[KeyRequest]:
    """Place each key where the player can go with the keys placed before; return those without a place. To compare with `assumed_fill`."""
    order = list(wanted)
    streams.stream("locks", "order").shuffle(order)
    keys, refused = list(lying), []
    for key in order:
        areas = put(key, graph.reached(keys), 0)
        if areas:
            keys.append((areas, key.word))
        else:
            refused.append(key)
    return refused


LEVELS = 300


def where(content: Content, levels: int, name: str, noted: Measured) -> None:
    """Print in which spheres keys lie, and how far they lie from their locks as shares of the longest walk.

    A key of sphere 0 is in reach from the beginning, one of sphere 1 after the first round of opening locks, and so on.
    """
    spheres: Counter[int] = Counter()
    rounds: list[int] = []
    shares: list[float] = []
    for seed in range(levels):
        level = dungeon.World(content, seed).level("m/1")
        if len(level.locks) != 4:
            continue
        told = solution_of(level)
        spheres.update(key.sphere for key in told.keys if key.sphere is not None)
        rounds.append(told.rounds)
        longest = dungeon.measure(level).longest
        shares += [lock.distance / longest for lock in told.locks if lock.distance is not None]
    total = sum(spheres.values())
    if not total:
        noted.fail(f"{name}: no level has four locks and a key")
        return
    noted.add(f"keys, {name}", total)
    shown = "  ".join(f"{sphere}: {count / total:.0%}" for sphere, count in sorted(spheres.items()))
    print(f"{name:8}  {len(rounds)} levels, {mean(rounds):.2f} rounds; keys by sphere  {shown}")
    print(f"          from key to lock {median(shares):.0%} of the longest walk (median)")


def random_puzzle(locks: int, seed: int) -> Puzzle:
    """Return a random tree of areas with `locks` locks and as many keys, half of which are used up."""
    rng = Random(seed)
    barred, keys = [], []
    for number in range(locks):
        near = 1 << rng.randrange(1, number + 2)
        word = f"{'used' if number % 2 else 'kept'} {rng.randrange(locks // 4 + 1)}"
        beyond = 1 << number + 2 | near
        barred.append(PuzzleLock(frozenset([word]), frozenset(), near, beyond))
        area = 1 << rng.randrange(1, max(2, number // 2 + 1))
        keys.append(PuzzleKey(frozenset([word]), area, consumed=number % 2 == 1))
    return Puzzle(2, (4 << locks) - 2, barred, keys)


def times(name: str, make: Callable[[int, int], Puzzle], locks: int, count: int) -> None:
    """Print the time to solve `count` puzzles with this number of locks."""
    taken, given_up = [], 0
    for seed in range(count):
        puzzle = make(locks, seed)
        begin = process_time()
        outcome = solve(puzzle)
        taken.append((process_time() - begin) * 1000)
        given_up += not outcome.complete
    taken.sort()
    print(
        f"{locks:2} locks, {name}: {median(taken):.2f} ms (median), {taken[count * 99 // 100]:.2f} ms (99 of 100), "
        f"{taken[-1]:.2f} ms (longest), {given_up} of {count} given up"
    )


def main() -> None:
    """Measure and print."""
    content = content_of(FILES)
    levels = int(sys.argv[1]) if len(sys.argv) > 1 else LEVELS
    noted = Measured()
    where(content, levels, "assumed", noted)
    stage.assumed_fill = forward
    where(content, levels, "forward", noted)
    stage.assumed_fill = graph.assumed_fill
    share = min(levels / LEVELS, 1)
    for name, make, counts in (
        ("as in levels", random_puzzle, {4: 100, 8: 100, 30: 100}),
        ("of all kinds", network, {4: 1000, 8: 2000, 12: 500, 20: 200, 30: 100}),
        ("of all kinds, with drops", partial(network, drops=True), {4: 500, 8: 200}),
    ):
        for locks, count in counts.items():
            times(name, make, locks, math.ceil(count * share) or 1)
    noted.exit()


if __name__ == "__main__":
    main()
