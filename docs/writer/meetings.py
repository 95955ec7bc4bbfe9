"""The page of how bots fare with each encounter and lock: how many meet it, survive it, win, take or open something.

    python docs/writer/meetings.py [GAMES [FIRST [ERRANDS]]]

plays a game with each of three bots in so many worlds of `data/`, by default 100, of the seeds from FIRST (0) on; then it puts bots
straight on levels that have what is left, or the first ERRANDS of that. It prints `docs/bots-of-the-demo.md`; how fast that went is told apart. The same content and
numbers print the same page.
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
"""A bot that looks for what the others leave: greedy, and it searches along every wall."""

SEEDS: Final = 50
"""Among so many worlds, levels are looked for that have what no bot came to."""
LEVELS: Final = 8
"""On so many of them a bot is put at most, for each thing that is left."""
LIMIT: Final = 2000
"""So many actions it has there."""

READING: Final = """\
# What bots meet in the demo

Written by `python docs/writer/meetings.py {games} {first}`: a game with each of three [bots](bots.md) in each of {games} worlds.

**How to read it.** For each encounter and bot the first number tells how many copies the bot came to, in all its games: it stepped on their
ground, or fought their robots. Then follows in what share of them it was still *alive* when it had left (or had beaten) what is there, how often
it *won*, which is to say that all robots of it that fought are gone, and how often it *took* something that had come with it; shares of
nothing are left out. A share of those that won is no measure of how hard an encounter is: who slips past its robots has not won. Bots use only few of the
[ways to solve what encounters pose](ways-of-the-demo.md), and [fare at each depth](balance-of-the-demo.md) as they do. Of locks it tells how many
of those on levels to which the bot came were open in the end, by a key, a lever, a number or by force; those that drawings have of their own
go by whose drawing it is. What a bot did not come to in its games because it is rare, it was put straight in front of, as a new player on a level that has
it: on {levels} levels at most, until it had come to it and lived. That is what *straight* means; and a dash, that it passed by on all of these levels, as
the hasty one does where it knows the way down. The bot called *{searching}* is the greedy one, but also searches along every wall; it was put on levels
with what no other took anything of, or did not open.
"""

Fate = Literal["met", "alive", "won", "took", "held"]


@dataclass(slots=True)
class Tally:
    """What became of things in some games.

    Attributes:
        fates: (bot, encounter, what became of it) -> how often. `met`: the bot came to its ground or fought it, `alive`: and did not
            die of it, `won`: all robots of it that fought are gone, `took`: something of it was taken, `held`: there are items in it.
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

    def having(self, fate: Fate) -> set[str]:
        """Return the encounters of which that became of any copy."""
        return {name for (_, name, each), count in self.fates.items() if each == fate and count}

    def count(self, bot: str, game: Game, outcome: GameOutcome) -> None:
        """Count a game that is over."""
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
    """What a bot is put straight in front of: an encounter to survive, or to take something of, or else a lock to open."""

    bot: str
    kind: Literal["survive", "take", "open"]
    name: str

    def is_done(self, tally: Tally) -> bool:
        """Tell whether the bot has done it."""
        if self.kind == "open":
            return tally.opened[self.bot, self.name] > 0
        fate: Fate = "took" if self.kind == "take" else "alive"
        return tally.fates[self.bot, self.name, fate] > 0

    def leads_to(self, level: Level) -> bool:
        """Tell whether a level has what it is about."""
        if self.kind == "open":
            return any(name_of(level, lock) == self.name for lock in level.locks)
        return any(each.encounter == self.name for each in level.placements)


@functools.cache
def content_of() -> Content:
    """Return the demo's content; each process reads it once."""
    return dungeon.load_content(CHECKOUT / "data")


def bot_of(name: str) -> MakeBot:
    """Return what makes a bot of that name."""
    if name == SEARCHING:
        temper = replace(TEMPERS["greedy"], searches=True)
        return lambda seed: Explorer(temper, random.Random(f"{name}/{seed}"))
    return find_bot(name)


def play(seed: int) -> Tally:
    """Let each bot play a world once."""
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
    """Let a bot play a world, from a map on, with so many actions; return the game, and how it went."""
    games: list[Game] = []

    def start(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> DemoPlay:
        games.append(Game(world, begin, seed=seed, make=make, watched=False))
        return DemoPlay(games[0])

    limited = {} if limit is None else {"limit": limit}
    outcome = play_out(start, world, bot_of(bot), world.seed, make=make, **limited)
    return games[0], outcome


def put(errand: Errand, first: int) -> Tally:
    """Put a bot on levels that have what its errand is about, until that is done."""
    tally = Tally()
    for world, level in islice(levels_for(errand, content_of(), first), LEVELS):
        tally.count(errand.bot, *played(world, errand.bot, functools.cache(world.level), level.id, LIMIT))
        if errand.is_done(tally):
            break
    return only(errand, tally)


def only(errand: Errand, tally: Tally) -> Tally:
    """Return what a tally tells of an errand, and of nothing on the way."""
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
    """Yield the levels that have what an errand is about, those of the first worlds first."""
    for seed in range(first, first + SEEDS):
        world = dungeon.World(content, seed)
        for node in world.maps:
            if errand.kind != "open" and errand.name not in content.weights_on(node.name, node.depth):
                continue
            if errand.leads_to(level := world.level(node.id)):
                yield world, level


def errands_after(total: Tally, content: Content) -> list[Errand]:
    """Return what is left to do when bots have played."""
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
    """Return the encounters with items to which bots came, none of whom took any."""
    return sorted(tally.having("held") - tally.having("took"))


def not_opened(tally: Tally, content: Content) -> list[str]:
    """Return the names of the locks that no bot has opened."""
    known = {name for _, name in tally.locks} | {lock.name for lock in content.locks.values()}
    return sorted(known - {name for (_, name), count in tally.opened.items() if count})


def name_of(level: Level, lock: Lock) -> str:
    """Return the name of a lock, or of whose drawing has it."""
    if lock.name:
        return lock.name
    around = [
        each.encounter or each.prefab
        for each in level.placements
        if each.bounds.y <= lock.y < each.bounds.bottom and each.bounds.x <= lock.x < each.bounds.right
    ]
    return f"(of {around[-1] if around else level.name})"


def is_open(game_map: GameMap, cell: tuple[int, int]) -> bool:
    """Tell whether a portal, a door or a box with a lock is open."""
    if cell in game_map.portals:
        return cell in game_map.unlocked
    if cell in game_map.doors:
        return game_map.door_at(cell, t.LOCKED_DOOR) is None
    return game_map.blockers.get(cell) in game_map.worked


# -- the page -----------------------------------------------------------------------------------------------


def told(tally: Tally, bot: str, encounter: str) -> str:
    """Return what became of an encounter with a bot, in a few words; an empty text if it never came to it."""
    met, alive, won, took = (tally.fates[bot, encounter, fate] for fate in ("met", "alive", "won", "took"))
    shares = {"alive": alive, "won": won, "took": took}
    words = ", ".join(f"{word} {count / met:.0%}" for word, count in shares.items() if count)
    return f"{met}: {words}" if words else f"{met}" if met else ""


def left_over(total: Tally, straight: Tally, content: Content) -> Iterator[str]:
    """Yield what nobody came to, survived, took anything of or opened."""
    both = Tally()
    both.add(total)
    both.add(straight)
    everything = content.encounters.keys()
    yield "## What is left\n"
    yield from _listed("Encounters that no bot came to", everything - both.having("met"))
    yield from _listed("Encounters that no bot survived", both.having("met") - both.having("alive"))
    yield from _listed(
        "Encounters of which no bot took anything, though something lies there", not_taken(both)
    )
    yield from _listed("Locks that no bot opened", not_opened(both, content))
    for name in not_taken(total):
        if both.fates[SEARCHING, name, "took"] and not any(both.fates[bot, name, "took"] for bot in BOTS):
            words = told(straight, SEARCHING, name)
            yield f"- Of *{name}* only the {SEARCHING} bot took something. Straight, {words}."


def _listed(what: str, names: Collection[str]) -> Iterator[str]:
    yield f"- {what}: {', '.join(sorted(names)) or 'none'}."


def encounters_table(total: Tally, straight: Tally, content: Content) -> Iterator[str]:
    """Yield the table of what became of encounters."""
    yield "## Encounters\n"
    yield from head("encounter", "category", *BOTS)
    for name in sorted(content.encounters):
        cells = (_cell(told(total, bot, name), told(straight, bot, name)) for bot in BOTS)
        yield row(name, content.encounters[name].category, *cells)


def locks_table(total: Tally, straight: Tally) -> Iterator[str]:
    """Yield the table of how many locks were opened."""
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
    """Let the bots play, and print the page."""
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
