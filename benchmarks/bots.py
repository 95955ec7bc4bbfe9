"""Turns a second of each bot, in one process without a screen; with and without the time to make levels.

    python benchmarks/bots.py                       the table
    python benchmarks/bots.py --worlds 20           with more worlds
    python benchmarks/bots.py --against PATH        compared with the code of another checkout

Only actions that pass a turn of the game count as turns. Times are CPU time of the process (user and system). With `--against`, each
checkout has its own process, and both play the same games in turns in the other checkout's `data/`; the least of three times of each
game counts, without the time to make its levels.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from measured import Measured
from pairs import in_turns, print_ratio, serve, served

import dungeon
from dungeon.playtest.bots.playing import BOTS, play_out
from dungeon.playtest.game import find_game

if TYPE_CHECKING:
    from dungeon.playtest.bots.playing import GameOutcome

DATA = Path(__file__).parents[1] / "data"

GAME = "game_demo.playing:start"
LIMIT = 6000
"""Number of actions of a game."""


class Timed(NamedTuple):
    """A bot's game, the CPU seconds that it took, and those to make its levels."""

    outcome: GameOutcome
    playing: float
    making: float


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description="Time games of bots.")
    parser.add_argument("--worlds", type=int, default=4, help="number of worlds in which every bot plays")
    parser.add_argument("--against", metavar="PATH", type=Path, help="the checkout to compare with")
    parser.add_argument("--serve", action="store_true", help="time the games named on standard input")
    options = parser.parse_args()
    if options.serve:
        serve(functools.partial(timed_game, {}))
    elif options.against:
        compare(options.against.resolve(), options.worlds)
    else:
        report(options.worlds)


def report(worlds: int) -> None:
    """Let every bot play some worlds and print the table."""
    content = dungeon.load_content(DATA)
    making: Counter[str] = Counter()
    playing: Counter[str] = Counter()
    turns: Counter[str] = Counter()
    ends: Counter[tuple[str, str]] = Counter()
    for seed in range(worlds):
        for bot in BOTS:
            game = played(dungeon.World(content, seed), bot)
            playing[bot] += game.playing
            making[bot] += game.making
            turns[bot] += game.outcome.turns
            ends[bot, game.outcome.ending or "gave up"] += 1
    print(f"{'bot':10}{'games':>7}{'won':>6}{'died':>6}{'turns':>8}{'turns/s':>9}{'with levels':>13}")
    for bot in BOTS:
        counts = f"{worlds:7}{ends[bot, 'victory']:6}{ends[bot, 'death']:6}{turns[bot]:8}"
        whole = playing[bot] + making[bot]
        print(f"{bot:10}{counts}{turns[bot] / playing[bot]:9.0f}{turns[bot] / whole:13.0f}")
    noted = Measured()
    noted.add("turns", turns.total())
    print(f"{turns.total()} turns, {turns.total() / playing.total():.0f} a second")
    noted.exit()


def played(world: dungeon.World, bot: str) -> Timed:
    """Let a bot play a game and return it with its times."""
    making = 0.0

    @functools.cache
    def make(map_id: str) -> dungeon.Level:
        nonlocal making
        began = process_time()
        level = world.level(map_id)
        making += process_time() - began
        return level

    began = process_time()
    outcome = play_out(find_game(GAME), world, bot, world.seed, limit=LIMIT, make=make)
    return Timed(outcome, process_time() - began - making, making)


def compare(other: Path, worlds: int) -> None:
    """Play games with this checkout and with another in turns; print both times of a game of each bot, and their ratio."""
    measured = Measured()
    totals = [0.0, 0.0]
    print(f"{'bot':>16} {'games':>6} {'here, ms':>9} {'there, ms':>9} {'ratio':>6}", flush=True)
    with served(Path(__file__).parents[1], __file__) as here, served(other, __file__) as there:
        for bot in BOTS:
            jobs = [f"{bot} {seed} {other / 'data'}" for seed in range(worlds)]
            means = [fmean(times) for times in in_turns((here, there), jobs, sys.maxsize)]
            totals = [total + mean for total, mean in zip(totals, means, strict=True)]
            measured.add(bot, means[0])
            print_ratio(bot, worlds, means)
    print_ratio("all", "", totals)
    measured.exit()


def timed_game(contents: dict[str, dungeon.Content], job: str) -> float:
    """Return the CPU time of a game, named as ``BOT SEED FOLDER``. `contents` holds the contents loaded so far."""
    bot, seed, folder = job.split(" ", 2)
    if folder not in contents:
        contents[folder] = dungeon.load_content(folder)
    return played(dungeon.World(contents[folder], int(seed)), bot).playing


if __name__ == "__main__":
    main()
