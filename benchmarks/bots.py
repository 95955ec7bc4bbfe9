"""Turns a second of each bot, in one process without a screen; with and without the time to make levels.

    python benchmarks/bots.py [WORLDS] [DATA]

Only actions that pass a turn of the game count as turns. Times are CPU time of the process (user and system).
"""

from __future__ import annotations

import functools
import sys
import time
from collections import Counter
from pathlib import Path

from measured import Measured

import dungeon
from dungeon.playtest.bots.playing import BOTS, play_out
from dungeon.playtest.game import find_game

GAME = "game_demo.playing:start"
LIMIT = 6000


def main(worlds: int = 4, data: str = "data") -> None:
    """Let every bot play some worlds and print the table."""
    content, start = dungeon.load_content(Path(data)), find_game(GAME)
    making: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    turns: Counter[str] = Counter()
    ends: Counter[tuple[str, str]] = Counter()
    for seed in range(worlds):
        world = dungeon.World(content, seed)
        make = functools.cache(world.level)
        for bot in BOTS:

            def timed(
                map_id: str, bot: str = bot, make: functools._lru_cache_wrapper = make
            ) -> dungeon.Level:
                began = time.process_time()
                level = make(map_id)
                making[bot] += time.process_time() - began
                return level

            began = time.process_time()
            outcome = play_out(start, world, bot, seed, limit=LIMIT, make=timed)
            spent[bot] += time.process_time() - began
            turns[bot] += outcome.turns
            ends[bot, outcome.ending or "gave up"] += 1
    print(f"{'bot':10}{'games':>7}{'won':>6}{'died':>6}{'turns':>8}{'turns/s':>9}{'with levels':>13}")
    for bot in BOTS:
        won, died = ends[bot, "victory"], ends[bot, "death"]
        playing = turns[bot] / max(spent[bot] - making[bot], 1e-9)
        print(
            f"{bot:10}{worlds:7}{won:6}{died:6}{turns[bot]:8}{playing:9.0f}{turns[bot] / max(spent[bot], 1e-9):13.0f}"
        )
    noted = Measured()
    total = sum(turns.values())
    noted.add("turns", total)
    if not total:
        noted.exit()
    print(f"{total} turns, {total / (sum(spent.values()) - sum(making.values())):.0f} a second")
    noted.exit()


if __name__ == "__main__":
    main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))
