"""The page of how bots fare with each encounter and lock: how many meet it, survive it, win, take or open something.

    python docs/writer/meetings.py [GAMES [FIRST [ERRANDS]]]

plays a game with each of three bots in each of GAMES worlds of `data/`, by default 100, with seeds from FIRST (0) on. Then it puts bots
straight on levels with encounters and locks that no bot has dealt with; ERRANDS limits their number. It prints
`docs/bots-of-the-demo.md`, and the time to standard error. The same content and numbers print the same page.
"""

from __future__ import annotations

import functools
import multiprocessing
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

CHECKOUT: Final = Path(__file__).parents[2]
for folder in ("", "benchmarks", "docs"):
    sys.path.insert(0, str(CHECKOUT / folder))

from measured import Measured  # noqa: E402

import dungeon  # noqa: E402
from dungeon import terrain as t  # noqa: E402
from dungeon.playtest.bots.explorer import TEMPERS, Explorer  # noqa: E402
from dungeon.playtest.bots.playing import (  # noqa: E402
    find_bot,
    meetings_of,
    play_out,
)
from game_demo.playing import DemoPlay  # noqa: E402
from game_demo.state.game import Game  # noqa: E402
from writer.balance import head, row  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from dungeon import Content, Level, Lock, World
    from dungeon.playtest.bots.playing import GameOutcome, MakeBot
    from game_demo.state.game_map import GameMap

GAMES: Final = 100
BOTS: Final = ("cautious", "greedy", "hasty")
SEARCHING: Final = "searching"
"""The name of a further bot: greedy, and searching along every wall."""

SEEDS: Final = 50
"""Number of worlds searched for levels with an encounter or lock that no bot has dealt with."""
LEVELS: Final = 8
"""Maximum number of levels on which a bot is put for one errand."""
LIMIT: Final = 2000
"""Maximum number of actions on each of them."""

READING: Final = """\
# What bots meet in the demo

Written by `python docs/writer/meetings.py {games} {first}`: a game with each of three [bots](bots.md) in each of {games} worlds.

**How to read it.** For each encounter and bot, the first number counts the copies that the bot met in all its games: it stepped on their
ground or fought their robots. Then come the shares in which it stayed *alive*, *won* (all robots that fought were destroyed) and *took* an
item of the encounter; shares of 0 are left out. The share of wins does not tell how hard an encounter is: a bot that slips past the robots has
not won. Bots use few of the [ways to solve encounters](ways-of-the-demo.md), and their [results by depth](balance-of-the-demo.md) show it.
The table of locks counts the locks on levels that the bot reached, and how many were open at the end: by a key, a lever, a code or by force.
Locks without a name are named after their encounter or prefab. If a bot did not meet a rare encounter in its games, it was put *straight* on
a level that has it, as a new player: on up to {levels} levels, until it met the encounter and lived. A dash means that it met the encounter on none of
them, as the hasty bot may do when it knows the way down. The *{searching}* bot is the greedy one, but also searches along every wall. It was
put on levels with encounters of which no other bot took an item, and with locks that no other bot opened.
"""
"""The head of the page."""

Fate = Literal["met", "alive", "won", "took", "held"]


@dataclass(slots=True)
class Tally:
    """Counts over games.

    Attributes:
        fates: (bot, encounter, fate) -> number of copies of the encounter with this fate. ``met``: the bot stepped on ground of the copy or
            fought its robots. A copy that was met may also be: ``alive``: the bot did not die of it; ``won``: all its robots that fought
            were destroyed; ``took``: one of its items was taken; ``held``: it has items.
        locks: (bot, name of a lock) -> number of such locks on levels that the bot reached.
        opened: (bot, name of a lock) -> number of such locks that are open when its games end.
    """

    fates: Counter[tuple[str, str, Fate]] = field(default_factory=Counter)
    locks: Counter[tuple[str, str]] = field(default_factory=Counter)
    opened: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.fates += other.fates
        self.locks += other.locks
        self.opened += other.opened

    def having(self, fate: Fate) -> set[str]:
        """Return the encounters of which at least one copy had this fate."""
        return {name for (_, name, each), count in self.fates.items() if each == fate and count}

    def count(self, bot: str, game: Game, outcome: GameOutcome) -> None:
        """Count a finished game."""
        for each in meetings_of(outcome, lambda *_: 0):
            if not (each.met or each.fought):
                continue
            spawns = game.maps[each.map_id].level.spawns
            became: dict[Fate, bool] = {
                "met": True,
                "alive": not each.died,
                "won": each.won,
                "took": each.gained > 0,
                "held": any(spawn.placement == each.placement and spawn.like == "item" for spawn in spawns),
            }
            for fate, is_so in became.items():
                self.fates[bot, each.encounter, fate] += is_so
        for game_map in game.maps.values():
            for lock in game_map.level.locks:
                named = bot, name_of(game_map.level, lock)
                self.locks[named] += 1
                self.opened[named] += is_open(game_map, (lock.y, lock.x))


class Errand(NamedTuple):
    """The task of a bot that is put straight on a level: to survive an encounter, take one of its items, or open a lock."""

    bot: str
    kind: Literal["survive", "take", "open"]
    name: str

    def is_done(self, tally: Tally) -> bool:
        """Tell whether the bot has done the errand, by the counts of its games."""
        if self.kind == "open":
            return tally.opened[self.bot, self.name] > 0
        fate: Fate = "took" if self.kind == "take" else "alive"
        return tally.fates[self.bot, self.name, fate] > 0

    def leads_to(self, level: Level) -> bool:
        """Tell whether a level has the encounter or lock."""
        if self.kind == "open":
            return any(name_of(level, lock) == self.name for lock in level.locks)
        return any(each.encounter == self.name for each in level.placements)


@functools.cache
def content_of() -> Content:
    """Return the demo's content, which each process loads once."""
    return dungeon.load_content(CHECKOUT / "data")


def bot_of(name: str) -> MakeBot:
    """Return the factory of a bot."""
    if name == SEARCHING:
        temper = replace(TEMPERS["greedy"], searches=True)
        return lambda seed: Explorer(temper, random.Random(f"{name}/{seed}"))
    return find_bot(name)


def play(seed: int) -> Tally:
    """Let each bot play one world."""
    tally, world = Tally(), dungeon.World(content_of(), seed)
    make = functools.cache(world.level)
    for bot in BOTS:
        tally.count(bot, *played(world, bot, make))
    return tally


def played(
    world: World,
    bot: str,
    make: Callable[[str], Level],
    begin: str | None = None,
    limit: int | None = None,
) -> tuple[Game, GameOutcome]:
    """Let a bot play a world; return the game and its outcome.

    Args:
        world: The world.
        bot: The bot.
        make: Returns the level of a map id.
        begin: The map to begin on; None for the world's start.
        limit: Number of actions after which the bot gives up; None for the default.
    """
    games: list[Game] = []

    def start(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> DemoPlay:
        games.append(Game(world, begin, seed=seed, make=make, watched=False))
        return DemoPlay(games[0])

    limited = {} if limit is None else {"limit": limit}
    outcome = play_out(start, world, bot_of(bot), world.seed, make=make, **limited)
    return games[0], outcome


def put(errand: Errand, first: int) -> Tally:
    """Put a bot on one level after another until its errand is done, at most on `LEVELS`; return the counts."""
    tally = Tally()
    for world, level in islice(levels_for(errand, content_of(), first), LEVELS):
        tally.count(errand.bot, *played(world, errand.bot, functools.cache(world.level), level.id, LIMIT))
        if errand.is_done(tally):
            break
    return only(errand, tally)


def only(errand: Errand, tally: Tally) -> Tally:
    """Return the counts of a tally that are about the encounter or lock of an errand."""
    is_lock = errand.kind == "open"
    fates = Counter(
        {key: count for key, count in tally.fates.items() if not is_lock and key[1] == errand.name}
    )
    counts = (tally.locks, tally.opened)
    locks, opened = (
        Counter({key: n for key, n in each.items() if is_lock and key[1] == errand.name}) for each in counts
    )
    return Tally(fates, locks, opened)


def levels_for(errand: Errand, content: Content, first: int) -> Iterator[tuple[World, Level]]:
    """Yield the levels that have an errand's encounter or lock, in order of worlds."""
    for seed in range(first, first + SEEDS):
        world = dungeon.World(content, seed)
        for node in world.maps:
            if errand.kind != "open" and errand.name not in content.weights_on(node.name, node.depth):
                continue
            if errand.leads_to(level := world.level(node.id)):
                yield world, level


def errands_after(total: Tally, content: Content) -> list[Errand]:
    """Return the errands for everything that bots have not dealt with."""
    left = [
        Errand(bot, "survive", name)
        for name in sorted(content.encounters)
        for bot in BOTS
        if not total.fates[bot, name, "met"] or name not in total.having("alive")
    ]
    left += [Errand(SEARCHING, "take", name) for name in not_taken(total)]
    return left + [
        Errand(bot, "open", name) for name in not_opened(total, content) for bot in (*BOTS, SEARCHING)
    ]


def not_taken(tally: Tally) -> list[str]:
    """Return the encounters whose items no bot took."""
    return sorted(tally.having("held") - tally.having("took"))


def not_opened(tally: Tally, content: Content) -> list[str]:
    """Return the names of the locks that no bot opened."""
    known = {name for _, name in tally.locks} | {lock.name for lock in content.locks.values()}
    return sorted(known - {name for (_, name), count in tally.opened.items() if count})


def name_of(level: Level, lock: Lock) -> str:
    """Return the name of a lock; one without a name is named after the encounter or prefab around it."""
    if lock.name:
        return lock.name
    around = [
        each.encounter or each.prefab
        for each in level.placements
        if each.bounds.y <= lock.y < each.bounds.bottom and each.bounds.x <= lock.x < each.bounds.right
    ]
    return f"(of {around[-1] if around else level.name})"


def is_open(game_map: GameMap, cell: tuple[int, int]) -> bool:
    """Tell whether a locked portal, door or box is open now."""
    if cell in game_map.portals:
        return cell in game_map.unlocked
    if cell in game_map.doors:
        return game_map.door_at(cell, t.LOCKED_DOOR) is None
    return game_map.blockers.get(cell) in game_map.worked


# -- the page -----------------------------------------------------------------------------------------------


def told(tally: Tally, bot: str, encounter: str) -> str:
    """Return an encounter's counts for a bot as text; empty if the bot never met it."""
    met, alive, won, took = (tally.fates[bot, encounter, fate] for fate in ("met", "alive", "won", "took"))
    shares = {"alive": alive, "won": won, "took": took}
    words = ", ".join(f"{word} {count / met:.0%}" for word, count in shares.items() if count)
    return f"{met}: {words}" if words else f"{met}" if met else ""


def left_over(total: Tally, straight: Tally, content: Content) -> Iterator[str]:
    """Yield the list of encounters and locks that no bot met, survived, took anything of, or opened."""
    both = Tally()
    both.add(total)
    both.add(straight)
    everything = content.encounters.keys()
    yield "## Encounters and locks without success\n"
    yield from _listed("Encounters that no bot met", everything - both.having("met"))
    yield from _listed("Encounters that no bot survived", both.having("met") - both.having("alive"))
    yield from _listed("Encounters with items of which no bot took any", not_taken(both))
    yield from _listed("Locks that no bot opened", not_opened(both, content))
    for name in not_taken(total):
        if both.fates[SEARCHING, name, "took"] and not any(both.fates[bot, name, "took"] for bot in BOTS):
            words = told(straight, SEARCHING, name)
            yield f"- Of *{name}* only the {SEARCHING} bot took something. Straight, {words}."


def _listed(what: str, names: Collection[str]) -> Iterator[str]:
    yield f"- {what}: {', '.join(sorted(names)) or 'none'}."


def encounters_table(total: Tally, straight: Tally, content: Content) -> Iterator[str]:
    """Yield the table of encounters."""
    yield "## Encounters\n"
    yield from head("encounter", "category", *BOTS)
    for name in sorted(content.encounters):
        cells = (_cell(told(total, bot, name), told(straight, bot, name)) for bot in BOTS)
        yield row(name, content.encounters[name].category, *cells)


def locks_table(total: Tally, straight: Tally) -> Iterator[str]:
    """Yield the table of locks."""
    yield "## Locks\n"
    yield from head("lock", *BOTS)
    for name in sorted({name for tally in (total, straight) for _, name in tally.locks}):
        cells = (_cell(_opened(total, bot, name), _opened(straight, bot, name)) for bot in BOTS)
        yield row(name, *cells)


def _opened(tally: Tally, bot: str, lock: str) -> str:
    count = tally.locks[bot, lock]
    return f"{tally.opened[bot, lock]} of {count}" if count else ""


def _cell(played: str, straight: str) -> str:
    return "; ".join(filter(None, [played, straight and f"straight, {straight}"])) or "-"


def main(games: int = GAMES, first: int = 0, most: int | None = None) -> None:
    """Let the bots play and print the page."""
    noted = Measured()
    began = time.perf_counter()
    content, total, straight = content_of(), Tally(), Tally()

    def collect(tally: Tally, found: Iterable[Tally], what: str) -> None:
        for each in found:
            tally.add(each)
        print(f"{what}: after {time.perf_counter() - began:.0f} s by the clock", file=sys.stderr)

    with multiprocessing.Pool() as pool:
        collect(total, pool.imap_unordered(play, range(first, first + games)), f"{games} worlds")
        errands = errands_after(total, content)[:most]
        go = functools.partial(put, first=first)
        collect(straight, pool.imap_unordered(go, errands), f"{len(errands)} errands")
    print(READING.format(games=games, first=first, levels=LEVELS, searching=SEARCHING))
    for part in (
        left_over(total, straight, content),
        encounters_table(total, straight, content),
        locks_table(total, straight),
    ):
        print(*part, "", sep="\n")
    noted.add("encounters met in games", len(total.having("met")))
    if games and not total.fates:
        noted.fail("no bot came to an encounter in any game")
    noted.exit()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
