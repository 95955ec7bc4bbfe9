"""Bots by name, games played by them, and the numbers of a game by map and by encounter.

`play_out` plays one game and returns its `GameOutcome`. From its events, `visits_of` makes a `MapVisit` for each map, and
`meetings_of` a `Meeting` for each encounter. They use events alone, so that the numbers of different games can be compared.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from dungeon.core.registry import find_callable
from dungeon.playtest.bots.explorer import TEMPERS, Explorer
from dungeon.playtest.game import Event, checked_event

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World
    from dungeon.playtest.game import Action, EventKind, Play, Start

BOTS: Final = (*TEMPERS, "random")
"""The names of the built-in bots."""

GROUP: Final = "dungeon.bots"
"""The group of entry points that name other bots."""


class Bot(Protocol):
    """A program that plays a game: it observes, and chooses actions. One bot object plays one game, from its start."""

    def choose(self, play: Play) -> Action:
        """Return the bot's next action in a game that is not over."""


class RandomBot:
    """A bot that takes a random legal action: the baseline of a player who understands nothing."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"random/{seed}")

    def choose(self, play: Play) -> Action:
        """Return a random legal action."""
        return self._rng.choice(play.legal())


class MakeBot(Protocol):
    """The type of a function that takes a seed and returns a new bot. A bot's class is such a function if it takes only a seed.

    To offer a bot by name, a package names this function in an entry point of the group `GROUP` in its pyproject.toml.
    """

    def __call__(self, seed: int, /) -> Bot:
        """Return a new bot. Its choices depend only on the seed and on what it observes."""


class UnknownBotError(LookupError):
    """There is no bot of that name, or it can't be loaded; the message lists the names or gives the cause."""


def find_bot(name: str) -> MakeBot:
    """Return the factory of a bot.

    Args:
        name: One of `BOTS`, the name of an entry point of the group `GROUP`, or ``module:attribute``.

    Raises:
        UnknownBotError: There is no such bot.

    Example:
        >>> from dungeon.playtest.bots.playing import find_bot
        >>> bot = find_bot("random")(1)
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
    """Return a new bot, made by the factory that `find_bot` returns.

    Raises:
        UnknownBotError: There is no such bot.

    Example:
        >>> from dungeon.playtest.bots.playing import bot_named
        >>> bot = bot_named("random", seed=1)
    """
    return find_bot(name)(seed)


LIMIT: Final = 20_000
"""Number of actions after which a bot gives up."""


class Moment(NamedTuple):
    """An event, with the numbers of actions and turns so far, and the player's hit points and charge after it."""

    action: int
    turn: int
    hp: int
    event: Event
    charge: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOutcome:
    """The result of one game.

    Attributes:
        ending: ``victory``, ``death``, or None if the bot gave up.
        actions: Number of actions that the bot took.
        turns: Number of turns of the game.
        map_id: The map on which the game ended.
        depth: The depth of that map.
        cell: The player's cell (y, x) at the end.
        start: The first moment: the player entered the first map.
        moments: All later events, in order.
        charge: The player's charge at the end.
    """

    ending: Literal["victory", "death"] | None
    actions: int
    turns: int
    map_id: str
    depth: int
    cell: tuple[int, int]
    start: Moment
    moments: tuple[Moment, ...]
    charge: int = 0


def play_out(
    start: Start,
    world: World,
    bot: str | MakeBot,
    seed: int = 0,
    *,
    limit: int = LIMIT,
    make: Callable[[str], Level] | None = None,
) -> GameOutcome:
    """Let a bot play a game until it is over or the bot gives up.

    The same game, world, bot and seed always give the same outcome.

    Args:
        start: Starts the game: see `dungeon.playtest.game.find_game`.
        world: The world to play in.
        bot: The name of a bot (see `find_bot`), or its factory.
        seed: Seed of the game's rules and of the bot.
        limit: Number of actions after which the bot gives up.
        make: Returns the level of a map id; None uses `World.level`.

    Raises:
        UnknownBotError: There is no such bot.
        TypeError: The game reports something that is no `Event`.
        ValueError: The game reports an unknown kind of event, or ends in an unknown way.
        Exception: The game or the bot raised this exception.

    Example:
        >>> from dungeon.playtest.bots.playing import play_out
        >>> from dungeon.playtest.game import find_game
        >>> outcome = play_out(find_game("demo"), world, "random", limit=20)
        >>> outcome.actions <= 20
        True
    """
    player = (find_bot(bot) if isinstance(bot, str) else bot)(seed)
    play = start(world, seed, make=make)
    seen = play.observe()
    first = Moment(0, seen.turn, seen.hp, Event("entered", seen.map_id), seen.charge)
    moments: list[Moment] = []
    action = 0
    while play.over is None and action < limit:
        action += 1
        if events := play.act(player.choose(play)):
            seen = play.observe()
            moments += [
                Moment(action, seen.turn, seen.hp, checked_event(each), seen.charge) for each in events
            ]
    last, ending = play.observe(), play.over
    if ending not in (None, "victory", "death"):
        raise ValueError(f"the game is over by {ending!r}, not by 'victory' or 'death'")
    return GameOutcome(
        ending=ending,
        actions=action,
        turns=last.turn,
        map_id=last.map_id,
        depth=last.depth,
        cell=last.cell,
        start=first,
        moments=tuple(moments),
        charge=last.charge,
    )


HARM: Final = ("hurt", "sprung")
"""Events in which the player loses hit points to a robot or a trap."""
BLOWS: Final = ("dealt", "hurt", "destroyed")
"""Events between the player and a robot in a fight."""


@dataclass(slots=True, kw_only=True)
class EventTally:
    """Numbers that are counted for maps and for encounters alike.

    Attributes:
        turns: Number of turns that the player spent on the map, or on the encounter's ground.
        hp_lost: Hit points that the player lost to robots and traps.
        gained: Number of items that the player took.
        died: Whether the player died on the map, or was killed by the encounter.
    """

    turns: int = 0
    hp_lost: int = 0
    gained: int = 0
    died: bool = False

    def count(self, event: Event) -> None:
        """Add one event to the numbers."""
        if event.kind in HARM:
            self.hp_lost += event.amount
        self.gained += event.kind == "gained"
        self.died |= event.kind == "died"


@dataclass(slots=True, kw_only=True)
class MapVisit(EventTally):
    """The numbers of one map in one game, added up over all times that the player was on the map.

    Attributes:
        map_id: The map.
        turn: The turn on which the player first came to the map.
        hp: The player's hit points then.
        charge: The player's charge then.
        used: Number of items that the player used up or fitted on the map.
        charged: The charge that the player gained on the map.
        spent: The charge that the player lost on the map.
    """

    map_id: str
    turn: int
    hp: int
    charge: int = 0
    used: int = 0
    charged: int = 0
    spent: int = 0

    def count(self, event: Event) -> None:
        """Add one event on the map to the numbers."""
        EventTally.count(self, event)
        self.used += event.kind == "used"
        if event.kind == "charged":
            self.charged += event.amount
            self.spent += event.amount  # `visits_of` subtracts what is left of it when the player leaves


@dataclass(slots=True, kw_only=True)
class Meeting(EventTally):
    """The numbers of one encounter's placement in one game: its ground, robots, traps and items.

    Attributes:
        map_id: The map.
        placement: Index in `Level.placements`.
        encounter: The encounter's name.
        robots: Number of robots that were placed with it.
        seen: Turn on which the encounter's ground first came in sight; None if it never did.
        met: Whether the player stepped on the encounter's ground.
        fought: Whether the player and one of the encounter's robots exchanged a blow.
        standing: `Event.number` of the encounter's robots that fought and are not destroyed.
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
        """Whether the player saw the encounter's ground, but never stepped on it."""
        return self.seen is not None and not self.met

    @property
    def won(self) -> bool:
        """Whether the player fought the encounter's robots and destroyed every robot that fought."""
        return self.fought and not self.standing

    @property
    def fled(self) -> bool:
        """Whether the player fought the encounter, or entered it while it had robots, and neither won nor died of it."""
        return (self.fought or (self.met and self.robots > 0)) and not self.won and not self.died

    def count(self, event: Event) -> None:
        """Add one event with this encounter to the numbers."""
        EventTally.count(self, event)
        self.met |= event.kind == "met"
        if event.kind in BLOWS:
            self.fought = True
            self.standing.add(event.number)
        if event.kind == "destroyed":
            self.standing.discard(event.number)


def visits_of(outcome: GameOutcome) -> list[MapVisit]:
    """Return a `MapVisit` for each map that the player came to in a game, in order of the first arrival.

    Example:
        >>> from dungeon.playtest.bots.playing import play_out, visits_of
        >>> from dungeon.playtest.game import find_game
        >>> outcome = play_out(find_game("demo"), world, "random", limit=20)
        >>> visits_of(outcome)[0].map_id == world.start.id
        True
    """
    visits: dict[str, MapVisit] = {}
    here, since, charge = outcome.start.event.map_id, outcome.start.turn, outcome.start.charge
    for moment in (outcome.start, *outcome.moments):
        event = moment.event
        first = MapVisit(map_id=event.map_id, turn=moment.turn, hp=moment.hp, charge=moment.charge)
        visit = visits.setdefault(event.map_id, first)
        visit.count(event)
        if event.map_id != here:
            visits[here].turns += moment.turn - since
            visits[here].spent += charge - moment.charge
            here, since, charge = event.map_id, moment.turn, moment.charge
    visits[here].turns += outcome.turns - since
    visits[here].spent += charge - outcome.charge
    return list(visits.values())


class EventCount(NamedTuple):
    """All events of one kind about one robot, trap or item on a map, in one game.

    Attributes:
        map_id: The map.
        kind: The kind of event.
        tag: The tag of the robot, trap or item in the catalog.
        times: Number of events.
        amount: Sum of their amounts, such as damage.
    """

    map_id: str
    kind: EventKind
    tag: str
    times: int
    amount: int


def event_counts_of(outcome: GameOutcome) -> list[EventCount]:
    """Return an `EventCount` for each map, kind of event and tag in a game, in order of its first event; events without tag are left out.

    Example:
        >>> from dungeon.playtest.bots.playing import event_counts_of, play_out
        >>> from dungeon.playtest.game import find_game
        >>> outcome = play_out(find_game("demo"), world, "random", limit=20)
        >>> counts = {(each.kind, each.tag): each.times for each in event_counts_of(outcome)}
    """
    counts: dict[tuple[str, EventKind, str], list[int]] = {}
    for event in (moment.event for moment in outcome.moments if moment.event.tag):
        count = counts.setdefault((event.map_id, event.kind, event.tag), [0, 0])
        count[0] += 1
        count[1] += event.amount
    return [EventCount(*key, *count) for key, count in counts.items()]


def meetings_of(outcome: GameOutcome, robots: Callable[[str, int], int]) -> list[Meeting]:
    """Return a `Meeting` for each encounter that events of a game name, in order of its first event.

    Args:
        outcome: The game.
        robots: Takes a map id and an index in `Level.placements`; returns the number of robots placed with that placement.

    Example:
        >>> from dungeon.playtest.bots.playing import meetings_of, play_out
        >>> from dungeon.playtest.game import find_game
        >>> outcome = play_out(find_game("demo"), world, "random", limit=20)
        >>> meetings = meetings_of(outcome, lambda map_id, placement: 0)
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
    """Return the event of the player's death; None if the player did not die.

    Example:
        >>> from dungeon.playtest.bots.playing import death_in, play_out
        >>> from dungeon.playtest.game import find_game
        >>> outcome = play_out(find_game("demo"), world, "random", limit=20)
        >>> (death_in(outcome) is not None) == (outcome.ending == "death")
        True
    """
    return next((each.event for each in reversed(outcome.moments) if each.event.kind == "died"), None)
