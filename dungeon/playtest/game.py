"""The interface through which bots play a game: start, observe, act.

To playtest your own game, write a function that starts it and returns an object that bots can play:

    def start(world: dungeon.World, seed: int) -> Play: ...

Name it in an entry point of the group ``dungeon.games``, or as ``module:name`` where a command asks for a game. The library
never imports a game in any other way.

A bot knows only what a player would know: the ground that was seen, as it was then; the things that were found; the robots in
sight. The game reports what happens as `Event`s, and the lab counts them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, cast, get_args

from dungeon.core.errors import unknown
from dungeon.core.frozen import NOTHING
from dungeon.core.registry import find_callable, installed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon import Level, SpawnKind, World

GROUP: Final = "dungeon.games"
"""The group of entry points that name games."""


class Action(IntEnum):
    """An action of the player.

    The first eight are steps. A step moves, or attacks a robot, opens a door or works a prop that stands in the way.
    """

    NORTHWEST = 0
    NORTH = 1
    NORTHEAST = 2
    WEST = 3
    EAST = 4
    SOUTHWEST = 5
    SOUTH = 6
    SOUTHEAST = 7
    WAIT = 8
    SEARCH = 9
    """Search for hidden things nearby."""
    TAKE = 10
    """Pick up the items on the player's cell."""
    MEND = 11
    """Use up a healing item."""
    STRENGTHEN = 12
    """Use up or fit an item that makes the player stronger."""
    DOWN = 13
    UP = 14
    CROSS = 15
    """Enter the portal on the player's cell."""
    FIRE = 16
    """Shoot at the nearest robot that can be hit."""
    RECHARGE = 17
    """Use up an item that gives charge."""


STEPS: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""(dy, dx) of each step action, by its number."""


class Ground(IntEnum):
    """The kind of ground of a cell, as far as the player knows it. Kinds from `FLOOR` on can be walked on without harm."""

    UNKNOWN = 0
    WALL = 1
    """A cell that can't be walked on."""
    OBJECT = 2
    """A cell with an object that can't be walked through."""
    LOCKED = 3
    """A locked door; a step opens it if the player has the key."""
    TRAP = 4
    """A known trap; stepping on it triggers it."""
    FLOOR = 5
    DOOR = 6
    """A closed door; a step opens it."""
    DOWN = 7
    UP = 8
    PORTAL = 9


class Thing(NamedTuple):
    """An object that the player has found, or a robot in sight.

    Attributes:
        number: Its number on its map.
        kind: Its built-in kind, or the one that it is like: robot, item, prop...
        tag: Its tag in the catalogs.
        cell: The cell (y, x) where it is, or was when last seen.
        placement: Index in `Level.placements` of the placement that it came with, or None.
        encounter: The encounter of that placement; empty if there is none.
        hp: Hit points left of a robot.
        max_hp: Full hit points of a robot.
        power: Maximum damage of a robot's blows and shots; for an item, the strength that it gives.
        repair: Hit points that an item restores.
        works: Whether a step into it or onto it opens or pulls something; or takes it, for an item on a prop that blocks.
        key: Whether the item opens a lock.
        goal: Whether taking it wins the game.
        charger: Whether a step into it or onto it gives charge.
        yields: Whether the robot is friendly and changes places with the player.
    """

    number: int
    kind: SpawnKind
    tag: str
    cell: tuple[int, int]
    placement: int | None = None
    encounter: str = ""
    hp: int = 0
    max_hp: int = 0
    power: int = 0
    repair: int = 0
    works: bool = False
    key: bool = False
    goal: bool = False
    charger: bool = False
    yields: bool = False


@dataclass(slots=True)
class Observation:
    """What the player knows now. Its arrays belong to the game: they change with it and must not be written to.

    Attributes:
        map_id: The player's map.
        depth: Depth of that map.
        turn: Number of turns passed.
        cell: The player's cell (y, x).
        hp: Hit points left.
        max_hp: Full hit points.
        power: Maximum damage of the player's blows.
        ground: (height, width) uint8 of `Ground`, as last seen.
        visible: (height, width) bool, cells in sight.
        explored: (height, width) bool, cells that have ever been in sight.
        robots: Robots in sight.
        things: Items and working props found on this map and not taken; a cell may hold several.
        version: A number that rises whenever `ground` or `things` of this map changes.
        mending: Healing items in the pack: hit points restored -> number of items.
        strengthening: Strengthening items in the pack: strength given -> number of items.
        keys: Number of things found on this map that open locks.
        charge: Turns that the player's charge will last.
        max_charge: Turns of a full charge; 0 in games without charge.
        recharging: Charging items in the pack: turns given -> number of items.
        shot: Maximum damage of a shot at the nearest robot that can be hit, if it hunts the player; else 0.
    """

    map_id: str
    depth: int
    turn: int
    cell: tuple[int, int]
    hp: int
    max_hp: int
    power: int
    ground: NDArray[np.uint8]
    visible: NDArray[np.bool_]
    explored: NDArray[np.bool_]
    robots: Sequence[Thing]
    things: Sequence[Thing]
    version: int
    mending: Mapping[int, int]
    strengthening: Mapping[int, int]
    keys: int
    charge: int = 0
    max_charge: int = 0
    recharging: Mapping[int, int] = NOTHING
    shot: int = 0


EventKind = Literal[
    "entered",
    "seen",
    "faced",
    "met",
    "came",
    "fought",
    "dealt",
    "hurt",
    "destroyed",
    "gained",
    "used",
    "charged",
    "opened",
    "sprung",
    "worn",
    "died",
    "won",
]
"""The kinds of events:

entered   the player arrived on a map, for the first time or again
seen      ground of an encounter came in sight for the first time
faced     something that the player may decide about came in sight for the first time: `tag` names it; at most one event an action
met       the player stepped on an encounter's ground for the first time
came      the player moved onto the ground named by the event: an encounter's, or that of none
fought    first blow between the player and a robot of an encounter
dealt     the player hit a robot, for `amount`
hurt      a robot hit the player, for `amount`
destroyed the player destroyed a robot
gained    the player took an item
used      the player used up or fitted an item, and gained `amount` hit points
charged   the player's charge rose by `amount`
opened    a lock was opened
sprung    the player stepped into a trap, for `amount`
worn      the player lost `amount` hit points for lack of charge
died      the player was destroyed; placement and tag name the cause; no tag means lack of charge
won       the player won the game
"""

EVENT_KINDS: Final = get_args(EventKind)


class Event(NamedTuple):
    """Something that happened in a game.

    Attributes:
        kind: The kind of event.
        map_id: The map where it happened.
        placement: Index in `Level.placements` of the placement involved, or None.
        encounter: The encounter of that placement; empty if there is none.
        tag: Catalog tag of the robot, item or trap involved; empty if there is none.
        amount: The damage, for events about damage; the hit points, for ``used``; the charge, for ``charged``.
        number: `Thing.number` of the robot, item or trap involved; None if there is none.
    """

    kind: EventKind
    map_id: str
    placement: int | None = None
    encounter: str = ""
    tag: str = ""
    amount: int = 0
    number: int | None = None


def checked_event(event: object) -> Event:
    """Return an event that a game has reported, if it is one.

    Raises:
        TypeError: It is no `Event`, or one of its texts is no text.
        ValueError: There is no such kind of event.

    Example:
        >>> from dungeon.playtest.game import Event, checked_event
        >>> checked_event(Event("died", "foundry/3", tag="crusher")).tag
        'crusher'
    """
    if not isinstance(event, Event):
        raise TypeError(f"the game reports a {type(event).__name__}, not an Event")
    if event.kind not in EVENT_KINDS:
        raise ValueError(unknown("event", event.kind, EVENT_KINDS))
    for text in (event.map_id, event.encounter, event.tag):
        if not isinstance(text, str):
            raise TypeError(f"the game reports an event {event.kind!r} with {text!r} in place of a text")
    return event


class Play(Protocol):
    """A game in progress. The same world, seed and actions give the same game, and games do not influence each other."""

    @property
    def over(self) -> Literal["victory", "death"] | None:
        """How the game has ended, such as ``victory``; None while it goes on."""

    def observe(self) -> Observation:
        """Return what the player knows now."""

    def legal(self) -> list[Action]:
        """Return the actions that may have an effect now. The list is never empty while the game goes on."""

    def act(self, action: Action) -> Sequence[Event]:
        """Take an action, let everything else act, and return the events.

        Any action is accepted: one that is not legal does nothing, or passes a turn.
        """


class Start(Protocol):
    """A function that starts a game. A package offers one by an entry point of the group `GROUP` in its pyproject.toml."""

    def __call__(self, world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> Play:
        """Start a game.

        Args:
            world: The world to play in.
            seed: Seed of the random parts of the game's rules.
            make: Returns the level of a map id; None uses `World.level`. Games in the same world may share levels through it.
        """


class UnknownGameError(LookupError):
    """There is no game of that name, or it can't be loaded; the message lists the names or gives the cause."""


def find_game(name: str) -> Start:
    """Return the function that starts a game.

    Args:
        name: The name of an entry point of the group `GROUP`, or ``module:attribute``.

    Raises:
        UnknownGameError: There is no such game.

    Example:
        >>> from dungeon.playtest.game import find_game
        >>> play = find_game("demo")(world, 0)
        >>> play.over is None
        True
    """
    try:
        return cast("Start", find_callable(GROUP, "game", name))
    except LookupError as error:
        raise UnknownGameError(str(error)) from error


def viewer_of(name: str) -> str:
    """Return the command that shows the games of bots in an installed game: `VIEWER` in the module of the function that starts it.

    Such a command has the options ``--replay BOT``, ``--seed``, ``--game-seed``, ``--limit``, ``--map`` and ``--mark``, and those
    that name the content. Return an empty text if there is none. A game named as ``module:attribute`` is not imported for this.

    Example:
        >>> from dungeon.playtest.game import viewer_of
        >>> viewer_of("demo")
        'dungeon-demo'
    """
    if name not in installed(GROUP):
        return ""
    try:
        module = getattr(find_game(name), "__module__", "")
    except UnknownGameError:
        return ""
    return str(getattr(sys.modules.get(module), "VIEWER", ""))


def only_game() -> str:
    """Return the name of the only installed game.

    Raises:
        UnknownGameError: No game is installed, or several are.

    Example:
        >>> from dungeon.playtest.game import only_game
        >>> only_game()
        'demo'
    """
    known = sorted(installed(GROUP))
    if len(known) != 1:
        if known:
            raise UnknownGameError(f"several games are installed: name one of {', '.join(known)}")
        raise UnknownGameError("no game is installed: name one as module:function")
    return known[0]
