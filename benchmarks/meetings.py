"""What becomes of each encounter, and of each lock, when bots play: which bot comes to it, solves it and survives it, how often.

Run from the checkout's root: `python benchmarks/meetings.py [GAMES [FIRST]]`, by default 100 worlds from seed 0, with each of three
bots. It prints a table of encounters and one of locks.
"""

from __future__ import annotations

import functools
import multiprocessing
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

CHECKOUT: Final = Path(__file__).parent.parent
sys.path.insert(0, str(CHECKOUT))

from balance import head, row  # noqa: E402

import dungeon  # noqa: E402
from dungeon import terrain as t  # noqa: E402
from dungeon.playtest.bots.counting import meetings_of  # noqa: E402
from dungeon.playtest.bots.playing import play_out  # noqa: E402
from game_demo.playing.play import DemoPlay  # noqa: E402
from game_demo.state.game import Game  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon import Level, World
    from game_demo.state.game_map import GameMap

GAMES: Final = 100
BOTS: Final = ("cautious", "greedy", "hasty")
Fate = Literal["met", "alive", "won", "took"]


@dataclass(slots=True)
class Tally:
    """What became of things in some games.

    Attributes:
        fates: (bot, encounter, what became of it) -> how often. `met`: the bot came to its ground or fought it, `alive`: and did not
            die of it, `won`: all robots of it that fought are gone, `took`: something of it was taken.
        locks: (bot, name of a lock) -> how many there were on levels to which the bot came; `opened`: how many it has opened.
    """

    fates: Counter[tuple[str, str, Fate]] = field(default_factory=Counter)
    locks: Counter[tuple[str, str]] = field(default_factory=Counter)
    opened: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Count what another one has counted."""
        self.fates += other.fates
        self.locks += other.locks
        self.opened += other.opened


@functools.cache
def content_of() -> dungeon.Content:
    """Return the demo's content; each process reads it once."""
    return dungeon.load_content(CHECKOUT / "data")


def play(seed: int) -> Tally:
    """Let each bot play a world once."""
    tally, world = Tally(), dungeon.World(content_of(), seed)
    make = functools.cache(world.level)
    for bot in BOTS:
        games: list[Game] = []

        def start(
            world: World, seed: int = 0, *, make: Callable[[str], Level], games: list[Game] = games
        ) -> DemoPlay:
            games.append(Game(world, seed=seed, make=make, watched=False))
            return DemoPlay(games[0])

        outcome = play_out(start, world, bot, seed, make=make)
        robots = Counter(
            (map_id, each.placement)
            for map_id, game_map in games[0].maps.items()
            for each in game_map.level.spawns
            if each.like == "robot"
        )
        for each in meetings_of(outcome, lambda *where, robots=robots: robots[where]):
            if not (each.met or each.fought):
                continue
            tally.fates[bot, each.encounter, "met"] += 1
            tally.fates[bot, each.encounter, "alive"] += not each.died
            tally.fates[bot, each.encounter, "won"] += each.won
            tally.fates[bot, each.encounter, "took"] += each.gained > 0
        for name, is_open in locks_of(games[0]):
            tally.locks[bot, name] += 1
            tally.opened[bot, name] += is_open
    return tally


def locks_of(game: Game) -> Iterator[tuple[str, bool]]:
    """Yield the name of every lock on the levels that a game came to, and whether it is open by now."""
    for game_map in game.maps.values():
        for cell, lock in game_map.locks.items():
            yield lock.name or "locked by a drawing", is_open(game_map, cell)


def is_open(game_map: GameMap, cell: tuple[int, int]) -> bool:
    """Tell whether a portal, a door or a box with a lock is open."""
    if cell in game_map.portals:
        return cell in game_map.unlocked
    if cell in game_map.doors:
        return game_map.door_at(cell, t.LOCKED_DOOR) is None
    return game_map.blockers.get(cell) in game_map.worked


def told(tally: Tally, bot: str, encounter: str) -> str:
    """Return what became of an encounter with a bot, in a few words."""
    met, alive, won, took = (tally.fates[bot, encounter, fate] for fate in ("met", "alive", "won", "took"))
    if not met:
        return "-"
    shares = {"alive": alive, "won": won, "took": took}
    return f"{met}: " + ", ".join(f"{word} {count / met:.0%}" for word, count in shares.items() if count)


def main(games: int, first: int) -> None:
    """Let the bots play so many worlds, and print the tables."""
    total = Tally()
    with multiprocessing.Pool() as pool:
        for tally in pool.imap_unordered(play, range(first, first + games)):
            total.add(tally)
    encounters = content_of().encounters
    print(f"Of {games} worlds, each played once by each bot.\n")
    print(*head("encounter", "category", *BOTS), sep="\n")
    for name in sorted(encounters):
        print(row(name, encounters[name].category, *(told(total, bot, name) for bot in BOTS)))
    survived = {name for (_, name, fate), count in total.fates.items() if fate == "alive" and count}
    never = sorted(name for name in encounters if name not in survived)
    print(
        f"\nOf {len(encounters)} encounters, {len(survived)} were come to and survived by some bot.", end=" "
    )
    print(f"Not so: {', '.join(never)}.\n" if never else "\n")
    print(*head("lock", *BOTS), sep="\n")
    for name in sorted({name for _, name in total.locks}):
        print(row(name, *(f"{total.opened[bot, name]} of {total.locks[bot, name]}" for bot in BOTS)))


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*given, *(GAMES, 0)[len(given) :])
