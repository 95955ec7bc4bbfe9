"""The page of how bots fare in the demo by depth: whether the game gets harder evenly, and what kills them.

    python docs/writer/balance.py [GAMES [FIRST]]

plays a game with each bot in each of GAMES worlds of `data/`, by default 200, with seeds from FIRST (0) on, in two processes. It prints
`docs/balance-of-the-demo.md`. How far it is, the speed, and the places where bots gave up go to standard error. The same content
and numbers print the same page.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import dungeon
from dungeon.core.crew import Crew, Died
from dungeon.playtest.bots.explorer import TEMPERS
from dungeon.playtest.bots.playing import BOTS, death_in, play_out, visits_of
from dungeon.playtest.game import find_game
from dungeon.playtest.statistics import wilson

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from measured import Measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dungeon import Content, Level, World
    from dungeon.playtest.game import Action, Event, Observation, Play, Start

DATA: Final = Path(__file__).parents[2] / "data"
GAME: Final = "game_demo.playing:start"
GAMES: Final = 200
JOBS: Final = 2
LIMITS: Final = {"random": 3000}
"""Bot -> actions after which it gives up, if earlier than `LIMIT`; nothing changes later for the random bot."""

LIMIT: Final = 20_000
TIMES: Final = 1.8
"""A depth kills too much if it kills more than this factor times what its neighbours do."""

SURE: Final = "broken"
"""The word for a depth that surely kills too much."""

KILLERS: Final = 6
"""Number of killers listed."""

TOLD: Final = 20
"""Number of worlds after which a line on standard error says how far the games are."""

READING: Final = """\
# How bots fare in the demo

Written by `python docs/writer/balance.py {games} {first}`: a game with each [bot](bots.md) in each of {games} worlds.

**How to read it.** Bots play worse than people: they know only what they have seen, never lure, sneak or read, and use few of the
[ways to solve encounters](ways-of-the-demo.md). So their wins don't show how hard the game is. They show whether it gets harder evenly, and
what kills. Deaths at a depth are shares of the games that reached it, so that all depths can be compared.
The rule is that no depth kills more than {times} times as much as its two neighbours together. It is *broken* if the 95 % intervals show it for sure,
and *doubtful* if it is broken in these games, but perhaps by chance. The last table has the median shares of full hit points and
full charge when a bot leaves a depth. If they fall from depth to depth, repairs or charge are too rare. Turns are medians, too. A bot *gave up* if its game had not ended
after {limit:,} actions (the random bot: {random:,}).
"""
"""The head of the page."""


class Left(NamedTuple):
    """What a player has left, as shares of the maximum from 0 to 1, when he first reaches a deeper map."""

    hp: float
    charge: float


class Played(NamedTuple):
    """One game.

    Attributes:
        seed: Seed of the world.
        bot: The bot.
        ending: ``victory``, ``death`` or ``gave up``.
        turns: Depth -> turns spent on maps of that depth.
        depth: Depth at the end.
        killer: Tag of what killed the player; empty for lack of charge, None if he did not die.
        left: Depth -> what the player had left when he first went deeper.
        seconds: CPU seconds of the game.
        making: CPU seconds spent on making levels.
    """

    seed: int
    bot: str
    ending: str
    turns: Counter[int]
    depth: int
    killer: str | None
    left: dict[int, Left]
    seconds: float
    making: float


class Gauged:
    """A game that notes what hit points and charge the player has left whenever he reaches a deeper map than ever before."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._deepest = play.observe().depth
        self.observe: Callable[[], Observation] = play.observe
        self.legal: Callable[[], list[Action]] = play.legal
        self.left: dict[int, Left] = {}

    @property
    def over(self) -> str | None:
        """The ending of the game; None while it goes on."""
        return self._play.over

    def act(self, action: Action) -> Sequence[Event]:
        """Take an action and return the events."""
        events = self._play.act(action)
        if any(each.kind == "entered" for each in events):
            seen = self._play.observe()
            if seen.depth > self._deepest:
                self.left[self._deepest] = Left(seen.hp / seen.max_hp, seen.charge / seen.max_charge)
                self._deepest = seen.depth
        return events


def main(games: int = GAMES, first: int = 0) -> None:
    """Play the games and print the page; exit with 1 if there was no game, or if a depth surely kills too much."""
    noted = Measured()
    seeds = iter(range(first, first + games))
    played: dict[int, list[Played]] = {}
    began = time.perf_counter()
    with Crew(partial(games_in, dungeon.load_content(DATA)), JOBS) as crew:
        for seed, result in crew.results(partial(next, seeds, None)):
            if isinstance(result, Died):
                sys.exit(f"a process died over world {seed}: {result.how}")
            played[seed] = result
            if len(played) % TOLD == 0:
                print(
                    f"{len(played)} of {games} worlds after {time.perf_counter() - began:.0f} s",
                    file=sys.stderr,
                )
    all_played = [each for seed in sorted(played) for each in played[seed]]
    noted.add("turns", sum(each.turns.total() for each in all_played))
    if not all_played:
        noted.exit()
    print(READING.format(games=games, first=first, times=TIMES, limit=LIMIT, random=LIMITS["random"]))
    for part in (endings, hazards, broken, killers, remains):
        print(*part(all_played), "", sep="\n")
    print(*speed(all_played, time.perf_counter() - began), *given_up(all_played), sep="\n", file=sys.stderr)
    for line in broken(all_played):
        if SURE in line:
            noted.fail(line)
    noted.exit()


def games_in(content: Content, seed: int) -> list[Played]:
    """Return a game of every bot in one world."""
    world, start = dungeon.World(content, seed), find_game(GAME)
    levels: dict[str, Level] = {}
    return [game_of(world, bot, start, levels) for bot in BOTS]


def game_of(world: World, bot: str, start: Start, levels: dict[str, Level]) -> Played:
    """Return a bot's game; made levels are kept in `levels` for the next bot."""
    making = 0.0
    gauged: list[Gauged] = []

    def make(map_id: str) -> Level:
        nonlocal making
        if map_id not in levels:
            began = time.process_time()
            levels[map_id] = world.level(map_id)
            making += time.process_time() - began
        return levels[map_id]

    def started(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> Gauged:
        gauged.append(Gauged(start(world, seed, make=make)))
        return gauged[0]

    began = time.process_time()
    outcome = play_out(started, world, bot, world.seed, limit=LIMITS.get(bot, LIMIT), make=make)
    death = death_in(outcome)
    turns: Counter[int] = Counter()
    for visit in visits_of(outcome):
        turns[world.node(visit.map_id).depth] += visit.turns
    return Played(
        seed=world.seed,
        bot=bot,
        ending=outcome.ending or "gave up",
        turns=turns,
        depth=outcome.depth,
        killer=death.tag if death else None,
        left=gauged[0].left,
        seconds=time.process_time() - began,
        making=making,
    )


# -- the page -----------------------------------------------------------------------------------------------


def endings(played: list[Played]) -> Iterator[str]:
    """Yield the table of endings by bot."""
    yield "## How games end\n"
    yield from head(
        "bot", "games", "won", "share", "95 %", "died", "gave up", "turns", "deepest", "mean depth"
    )
    for bot in BOTS:
        games = [each for each in played if each.bot == bot]
        ends = Counter(each.ending for each in games)
        low, high = wilson(won := ends["victory"], len(games))
        deepest = [max(each.turns) for each in games]
        yield row(
            bot,
            len(games),
            won,
            f"{won / len(games):.1%}",
            f"{low:.1%} to {high:.1%}",
            ends["death"],
            ends["gave up"],
            f"{statistics.median(each.turns.total() for each in games):.0f}",
            max(deepest),
            f"{statistics.mean(deepest):.1f}",
        )


def hazards(played: list[Played]) -> Iterator[str]:
    """Yield the table of deaths by depth, as shares of the games that reached that depth."""
    yield "## Deaths by depth\n"
    yield from head("depth", "games", "died", "share", "95 %", *TEMPERS, "gave up", "turns")
    for depth, (died, came) in toll(thinking(played)).items():
        low, high = wilson(died, came)
        by_bot = (toll(each for each in played if each.bot == bot).get(depth) for bot in TEMPERS)
        shares = (f"{each[0]} of {each[1]}" if each else "" for each in by_bot)
        stuck = sum((each.ending, each.depth) == ("gave up", depth) for each in thinking(played))
        turns = statistics.median(each.turns[depth] for each in thinking(played) if depth in each.turns)
        interval = f"{low:.0%} to {high:.0%}"
        yield row(depth, came, died, f"{died / came:.0%}", interval, *shares, stuck, f"{turns:.0f}")


def broken(played: list[Played]) -> Iterator[str]:
    """Yield a line for each depth whose share of deaths is more than `TIMES` that of the depths above and below."""
    yield f"## Depths with more than {TIMES} times the deaths of their neighbours\n"
    tolls = toll(thinking(played))
    found = False
    for depth, (died, came) in tolls.items():
        beside = [tolls[each] for each in (depth - 1, depth + 1) if each in tolls]
        died_beside, came_beside = (sum(each) for each in zip(*beside, strict=True))
        if died / came <= TIMES * died_beside / came_beside:
            continue
        found = True
        sure = wilson(died, came)[0] > TIMES * wilson(died_beside, came_beside)[1]
        yield (
            f"- depth {depth}, {SURE if sure else 'doubtful'}: "
            f"{died / came:.1%} beside {died_beside / came_beside:.1%}"
        )
    if not found:
        yield "None."


def killers(played: list[Played]) -> Iterator[str]:
    """Yield the table of the most frequent killers by bot."""
    yield "## Causes of death\n"
    yield from head("bot", "deaths", *map(str, range(1, KILLERS + 1)))
    for bot in BOTS:
        tags = Counter(
            each.killer or "no charge left" for each in played if each.bot == bot and each.ending == "death"
        )
        first = sorted(tags.items(), key=lambda each: (-each[1], each[0]))[:KILLERS]
        told = [f"{tag} {count / tags.total():.0%}" for tag, count in first]
        yield row(bot, tags.total(), *told, *[""] * (KILLERS - len(told)))


def remains(played: list[Played]) -> Iterator[str]:
    """Yield the table of the hit points and charge that players have left when they first go deeper."""
    yield "## Hit points and charge when leaving a depth\n"
    yield from head("depth", *(f"{bot}: {what}" for bot in TEMPERS for what in ("games", "hp", "charge")))
    for depth in sorted({depth for each in thinking(played) for depth in each.left}):
        cells: list[str] = []
        for bot in TEMPERS:
            left = [each.left[depth] for each in played if each.bot == bot and depth in each.left]
            cells.append(str(len(left)))
            cells += [f"{statistics.median(share):.0%}" for share in zip(*left, strict=True)] or ["", ""]
        yield row(depth, *cells)


def speed(played: list[Played], clock: float) -> Iterator[str]:
    """Yield the speed of each bot; the time of making levels is given apart."""
    for bot in BOTS:
        games = [each for each in played if each.bot == bot]
        turns, seconds = sum(each.turns.total() for each in games), sum(each.seconds for each in games)
        making = sum(each.making for each in games)
        yield (
            f"{bot:10}{turns / len(games):8.0f} turns a game{turns / (seconds - making):8.0f} turns/s"
            f"{seconds / len(games):8.2f} s a game, {making / len(games):.2f} of them for levels"
        )
    yield f"{len(played)} games in {clock:.0f} s by the clock"


def given_up(played: Iterable[Played]) -> Iterator[str]:
    """Yield the games in which a bot other than the random one gave up; each is worth a look."""
    for each in thinking(played):
        if each.ending == "gave up":
            yield f"{each.bot} gave up at depth {each.depth} of world {each.seed}"


def thinking(played: Iterable[Played]) -> list[Played]:
    """Return the games of all bots but the random one."""
    return [each for each in played if each.bot in TEMPERS]


def toll(played: Iterable[Played]) -> dict[int, tuple[int, int]]:
    """Return depth -> (games that ended there by death, games that reached it)."""
    came: Counter[int] = Counter()
    died: Counter[int] = Counter()
    for each in played:
        came.update(each.turns.keys())
        died[each.depth] += each.ending == "death"
    return {depth: (died[depth], came[depth]) for depth in sorted(came)}


def head(first: str, *others: str) -> Iterator[str]:
    """Yield the head of a table."""
    yield row(first, *others)
    yield f"|---|{'--:|' * len(others)}"


def row(*cells: object) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
