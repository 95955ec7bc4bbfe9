"""The solver beside a player who tries everything, on small sound levels and on levels spoilt on purpose.

Run from the checkout's root: `python tests/fuzzing/spoilt.py [LEVELS] [FIRST]`, by default 200 of both, from seed 0 on. Half of the levels
are random drawings, half are made by the library; `tests/puzzles.py` spoils them. It names the levels on which both do not agree, and
levels made by the library that can strand the player.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import dungeon

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from inline_content import content_of
from puzzles import Verdict, judged, puzzle_level, spoilt

if TYPE_CHECKING:
    from dungeon import Content, Level

LAYOUTS = ("tunnels", "mines", "connected", "cards")
MOST_LOCKS = 6
"""Maximum number of locks: the player tries all orders, which takes too long with more."""
OTHER = 1_000_000
"""If a level has more locks, the seed is raised by this number."""
FILES = {
    "objects/items.yaml": "key: {name: key, glyph: k}\ntoken: {name: token, glyph: t}\n",
    "objects/props.yaml": "lever: {name: lever, glyph: v}\n",
    "locks.yaml": "brass: {name: brass lock, opened_by: {item: key}}\n"
    "coin: {name: coin lock, opened_by: {item: token}, consumed: true}\n"
    "crank: {name: sluice, opened_by: {prop: lever}}\n"
    "inner: {name: inner lock, opened_by: {lock: brass}}\n",
    "world.yaml": f"start: {LAYOUTS[0]}/1\n"
    f"leads_to: {{{LAYOUTS[0]}/1: [{', '.join(f'{name}/2' for name in LAYOUTS[1:])}]}}\n",
    **{
        f"maps/{name}.yaml": f"{name}: {{name: {name}, size: 40x26, layout: {name}, "
        "locks: {brass: {count: 0..1, on: way}, coin: 2..3, crank: 0..1, inner: 0..1}}\n"
        for name in LAYOUTS
    },
}
"""A game of small maps with locks that use up their keys, and others."""


RIGHT = Verdict(agreed=True, gets_all=True, strands=False)
"""The verdict on every level that the library makes."""


def game() -> Content:
    """Return the content of `FILES`."""
    return content_of(FILES)


def small_level(content: Content, seed: int) -> Level:
    """Return a level with a few locks: for an even seed a random drawing, else one made by the library."""
    if seed % 2 == 0:
        return puzzle_level(seed)
    layout = LAYOUTS[seed // 2 % len(LAYOUTS)]
    worlds = (dungeon.World(content, other) for other in count(seed, OTHER))
    levels = (world.level(next(node.id for node in world.maps if node.name == layout)) for world in worlds)
    return next(level for level in levels if len(level.locks) <= MOST_LOCKS)


def show(what: str, verdicts: list[Verdict]) -> None:
    """Print the counts of verdicts."""
    ends = Counter((each.gets_all, each.strands) for each in verdicts)
    print(
        f"{what:26} {len(verdicts):5} levels: {ends[True, False]:5} right, {ends[True, True]:5} may strand, "
        f"{ends[False, False]:5} shut out; the proof agrees on {sum(each.agreed for each in verdicts)}"
    )


def main() -> int:
    """Compare; return 1 if both disagree on a level, or a level made by the library is wrong."""
    words = sys.argv[1:]
    levels, first = (int(word) for word in [*words, *["200", "0"][len(words) :]])
    content, start = game(), perf_counter()
    seeds = range(first, first + levels)
    whole = {seed: judged(small_level(content, seed)) for seed in seeds}
    show("as they are", [*whole.values()])
    made = [verdict for seed, verdict in whole.items() if seed % 2]
    show("  of them made", made)
    kinds: dict[str, list[Verdict]] = {}
    wrong = [f"seed {seed}" for seed, verdict in whole.items() if not verdict.agreed]
    wrong += [f"seed {seed}, made so" for seed in seeds if seed % 2 and whole[seed] != RIGHT]
    for seed in seeds:
        level, what = spoilt(small_level(content, seed), seed)
        verdict = judged(level)
        kinds.setdefault(what or "nothing to be done", []).append(verdict)
        wrong += [] if verdict.agreed else [f"seed {seed}, {what}"]
    show("spoilt", [verdict for each in kinds.values() for verdict in each])
    for what, verdicts in sorted(kinds.items()):
        show(f"  {what}", verdicts)
    print(f"in {perf_counter() - start:.1f} s")
    for each in wrong:
        print(f"wrong: {each}")
    return int(bool(wrong) or not levels)


if __name__ == "__main__":
    sys.exit(main())
