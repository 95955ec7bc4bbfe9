"""Bots by name, and whole games played by them.

`play_out` plays one game and returns its `GameOutcome`. `visits_of` and `meetings_of` count, from the events alone, how each map and
each encounter went, so the numbers of any game compare.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from dungeon.core.registry import find_callable
from dungeon.playtest.bots.explorer import TEMPERS, Explorer
from dungeon.playtest.game import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World
    from dungeon.playtest.game import Action, Play, Start

BOTS: Final = (*TEMPERS, "random")
"""The names of the bots that come along."""

GROUP: Final = "dungeon.bots"
"""The group of entry points that name others."""


class Bot(Protocol):
    """Plays a game. One bot plays one game, from its start."""

    def choose(self, play: Play) -> Action:
        """Return what to do next in a game that is on."""


class RandomBot:
    """Does any of what can be done, each as likely as the other: what a player who understands nothing would get."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"random/{seed}")

    def choose(self, play: Play) -> Action:
        """Return any legal action."""
        return self._rng.choice(play.legal())


class MakeBot(Protocol):
    """Makes a bot, as the entry points of the group `GROUP` do: a class whose `__init__` takes a seed is one."""

    def __call__(self, seed: int, /) -> Bot:
        """Return a new bot, whose choices depend on nothing but the seed and what it is shown."""


class UnknownBotError(LookupError):
    """There is no such bot; the message says which there are, or what is wrong with it."""


def find_bot(name: str) -> MakeBot:
    """Return what makes bots.

    Args:
        name: One of `BOTS`, the name of an entry point of the group `GROUP`, or ``module:attribute``.

    Raises:
        UnknownBotError: There is no such bot.
    """
    if name == "random":
        return RandomBot
    if name in TEMPERS:
        return lambda seed: Explorer(TEMPERS[name], random.Random(f"{name}/{seed}"))
    try:
        return find_callable(GROUP, "bot", name, BOTS)
    except LookupError as error:
        raise UnknownBotError(str(error)) from error


def bot_named(name: str, seed: int = 0) -> Bot:
    """Return a new bot, as `find_bot` makes it.

    Raises:
        UnknownBotError: There is no bot of that name.
    """
    return find_bot(name)(seed)


LIMIT: Final = 20_000
"""After so many actions a bot gives up."""


class Moment(NamedTuple):
    """An event, with when it was: after how many actions, on which turn of the game, and with how many hit points left."""

    action: int
    turn: int
    hp: int
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOutcome:
    """How a game went.

    Attributes:
        ending: Victory, death, or None where the bot gave up.
        actions: How many actions it took; `turns`: how many turns of the game.
        map_id: Where it ended; `depth`: how deep that is; `cell`: the (y, x) there.
        start: How it began: the player came to the first map.
        moments: What happened then, in order.
    """

    ending: Literal["victory", "death"] | None
    actions: int
    turns: int
    map_id: str
    depth: int
    cell: tuple[int, int]
    start: Moment
    moments: tuple[Moment, ...]


def play_out(
    start: Start,
    world: World,
    bot: str | MakeBot,
    seed: int = 0,
    *,
    limit: int = LIMIT,
    make: Callable[[str], Level] | None = None,
) -> GameOutcome:
    """Let a bot play a game from its start until it is over, or until it gives up.

    The same game, world, bot and seed give the same outcome.

    Args:
        start: What starts the game: see `dungeon.playtest.game.find_game`.
        world: The world to play.
        bot: The name of a bot, as `find_bot` knows it, or what makes one of a seed.
        seed: What chance depends on, that of the game and that of the bot.
        limit: How many actions the bot takes at most.
        make: What makes levels, where that is not the world itself.

    Raises:
        UnknownBotError: There is no such bot.
    """
    player = (find_bot(bot) if isinstance(bot, str) else bot)(seed)
    play = start(world, seed, make=make)
    seen = play.observe()
    first = Moment(0, seen.turn, seen.hp, Event("entered", seen.map_id))
    moments: list[Moment] = []
    action = 0
    while play.over is None and action < limit:
        action += 1
        if events := play.act(player.choose(play)):
            seen = play.observe()
            moments += [Moment(action, seen.turn, seen.hp, each) for each in events]
    last = play.observe()
    return GameOutcome(
        ending=play.over,
        actions=action,
        turns=last.turn,
        map_id=last.map_id,
        depth=last.depth,
        cell=last.cell,
        start=first,
        moments=tuple(moments),
    )


HARM: Final = ("hurt", "sprung")
BLOWS: Final = ("dealt", "hurt", "destroyed")


@dataclass(slots=True, kw_only=True)
class EventTally:
    """What can be counted anywhere.

    Attributes:
        turns: The turns spent there.
        hp_lost: The hit points lost to robots and traps.
        gained: The items taken.
        died: Whether the player died.
    """

    turns: int = 0
    hp_lost: int = 0
    gained: int = 0
    died: bool = False

    def count(self, event: Event) -> None:
        """Count what has happened there."""
        if event.kind in HARM:
            self.hp_lost += event.amount
        self.gained += event.kind == "gained"
        self.died |= event.kind == "died"


@dataclass(slots=True, kw_only=True)
class MapVisit(EventTally):
    """A map to which the player came, however often.

    Attributes:
        map_id: The map.
        turn: The turn on which the player came first; `hp`: the hit points left then.
    """

    map_id: str
    turn: int
    hp: int


@dataclass(slots=True, kw_only=True)
class Meeting(EventTally):
    """An encounter on a map, of which events have told something. Its tally is of its own robots, traps, items and ground.

    Attributes:
        map_id: The map; `placement`: the index in `Level.placements`.
        encounter: Its name.
        robots: How many robots have come with it.
        seen: The turn on which its ground was first in sight, None if it never was.
        met: Whether the player stepped on its ground.
        fought: Whether there was a blow between the player and a robot of it.
        standing: The robots that took part in that and have not been destroyed, by `Event.number`.
    """

    map_id: str
    placement: int
    encounter: str
    robots: int
    seen: int | None = None
    met: bool = False
    fought: bool = False
    standing: set[int | None] = field(default_factory=set)

    @property
    def seen_afar(self) -> bool:
        """Whether it was seen, and the player never stepped on its ground."""
        return self.seen is not None and not self.met

    @property
    def won(self) -> bool:
        """Whether all robots of it that fought were destroyed."""
        return self.fought and not self.standing

    @property
    def fled(self) -> bool:
        """Whether the player fought it, or was on its ground though there were robots, and neither won nor died of it."""
        return (self.fought or (self.met and self.robots > 0)) and not self.won and not self.died

    def count(self, event: Event) -> None:
        """Count what has happened with it."""
        EventTally.count(self, event)
        self.met |= event.kind == "met"
        if event.kind in BLOWS:
            self.fought = True
            self.standing.add(event.number)
        if event.kind == "destroyed":
            self.standing.discard(event.number)


def visits_of(outcome: GameOutcome) -> list[MapVisit]:
    """Return the maps of a game, in the order in which the player came to them first."""
    visits: dict[str, MapVisit] = {}
    here, since = outcome.start.event.map_id, outcome.start.turn
    for moment in (outcome.start, *outcome.moments):
        event = moment.event
        visit = visits.setdefault(event.map_id, MapVisit(map_id=event.map_id, turn=moment.turn, hp=moment.hp))
        visit.count(event)
        if event.map_id != here:
            visits[here].turns += moment.turn - since
            here, since = event.map_id, moment.turn
    visits[here].turns += outcome.turns - since
    return list(visits.values())


def meetings_of(outcome: GameOutcome, robots: Callable[[str, int], int]) -> list[Meeting]:
    """Return the encounters of a game, in the order in which they were first heard of.

    Args:
        outcome: How the game went.
        robots: Returns how many robots have come with a placement, given its map and index.
    """
    meetings: dict[tuple[str, int], Meeting] = {}
    ground, since = None, 0
    for moment in outcome.moments:
        event, meeting = moment.event, None
        if event.placement is not None and event.encounter:
            where = event.map_id, event.placement
            meeting = meetings.get(where)
            if meeting is None:
                meeting = meetings[where] = Meeting(
                    map_id=event.map_id,
                    placement=event.placement,
                    encounter=event.encounter,
                    robots=robots(*where),
                )
            meeting.count(event)
            if event.kind == "seen" and meeting.seen is None:
                meeting.seen = moment.turn
        if event.kind in ("entered", "came"):
            if ground is not None:
                ground.turns += moment.turn - since
            ground, since = meeting, moment.turn
    if ground is not None:
        ground.turns += outcome.turns - since
    return list(meetings.values())


def death_in(outcome: GameOutcome) -> Event | None:
    """Return what tells of the player's death, None if there was none."""
    return next((each.event for each in reversed(outcome.moments) if each.event.kind == "died"), None)
