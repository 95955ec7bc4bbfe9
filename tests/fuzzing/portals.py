"""Whether the proof and a player who tries everything agree on levels with locks and portals, with the time of each.

Run from the checkout's root: `python tests/fuzzing/portals.py [LEVELS]`. Half of the portals lead one way, and some are locked. The same
number of levels is spoilt on purpose: keys moved or removed, words changed, portals reversed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from measured import Measured
from player import wander  # the tests' own
from puzzles import SHUT_OUT, STRANDED, puzzle_level, spoilt

from dungeon.proof.prove import prove

if TYPE_CHECKING:
    from dungeon.level.model import Level

VERDICTS = {
    (False, False): "cannot be finished",
    (True, False): "can be finished",
    (True, True): "can strand the player",
}

spent: Counter[str] = Counter()


def verdicts(level: Level) -> tuple[tuple[bool, bool], tuple[bool, bool]]:
    """Return (everything can be reached, a player can be stranded) by the proof, and the same by a player who tries everything."""
    begin = process_time()
    broken = {violation.rule for violation in prove(level)}
    middle = process_time()
    ends = wander(level)
    spent.update(proof=middle - begin, player=process_time() - middle)
    whole = not broken & SHUT_OUT
    return (whole, whole and bool(broken & STRANDED)), (not ends.missed, not ends.missed and ends.strands)


def main(count: int) -> None:
    """Compare both and print the counts."""
    noted = Measured()
    for title, change in (
        ("as drawn", lambda level, _: level),
        ("spoilt", lambda level, seed: spoilt(level, seed)[0]),
    ):
        said: Counter[str] = Counter()
        differ = []
        for seed in range(count):
            proof, player = verdicts(change(puzzle_level(seed, portals=True), seed))
            said[VERDICTS[player]] += 1
            differ += [] if proof == player else [seed]
        print(f"{title}: {count} levels, {dict(said)}; they differ on {len(differ)} {differ[:5] or ''}")
        noted.add(f"levels, {title}", said.total())
        if differ:
            noted.fail(f"{title}: the proof and the player differ on seeds {differ[:5]}")
    for name, seconds in spent.items():
        print(f"{name}: {1000 * seconds / max(2 * count, 1):.2f} ms a level")
    noted.exit()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
