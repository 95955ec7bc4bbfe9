"""The interface by which bots play a game: start, observe, act.

A game of your own can be playtested once it has a function that starts it, and an object that plays it on:

    def start(world: dungeon.World, seed: int) -> Play: ...

It is named by an entry point of the group ``dungeon.games``, or as ``module:name`` where a command asks for a game.
All that `dungeon` knows of a game goes through this module: it never imports one.

A bot is told what a player would know, and no more: what was seen of the ground and how it was then, the things that were
found, the robots that are in sight. The game says what happens as `Event`s, of which the lab counts how encounters go.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, cast

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
    """What a player can do. A step goes to a cell, or strikes, opens or works whatever is in the way there, if that does not change places."""

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
    """Look for what is hidden nearby."""
    TAKE = 10
    """Pick up what lies here."""
    MEND = 11
    """Use up an item that gives hit points back."""
    STRENGTHEN = 12
    """Use up, or fit, an item that makes the player stronger."""
    DOWN = 13
    UP = 14
    CROSS = 15
    """Go by the portal that begins here."""
    FIRE = 16
    """Shoot at the nearest robot that can be hit from here."""
    RECHARGE = 17
    """Use up an item that gives charge."""


STEPS: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Rows down and columns right of the actions that are steps, by their number."""


class Ground(IntEnum):
    """What a cell is, as far as the player knows. All from `FLOOR` on can be walked on without harm."""

    UNKNOWN = 0
    WALL = 1
    """Whatever can't be walked on."""
    OBJECT = 2
    """Something stands there that can't be walked through."""
    LOCKED = 3
    """A door that is shut; a step opens it if the player has what opens it."""
    TRAP = 4
    """There is a trap that can be stepped on."""
    FLOOR = 5
    DOOR = 6
    """It is shut, and a step opens it."""
    DOWN = 7
    UP = 8
    PORTAL = 9


class Thing(NamedTuple):
    """Something that the player has found, or that a robot in sight is.

    Attributes:
        number: Which one it is, on its map.
        kind: What it is, or is like: robot, item, prop...
        tag: Its name in the catalogs.
        cell: Where it is, or was when it was seen last: (y, x).
        placement: The index in `Level.placements` of the placement that it came with, or None.
        encounter: The encounter of that placement; empty for none.
        hp: How much damage a robot still takes; `max_hp`: when it is whole.
        power: The most damage one of a robot's blows or shots does; how much stronger an item makes whoever uses it.
        repair: How many hit points an item gives back to whoever uses it up.
        works: Whether a step into it, or on it, opens or pulls something.
        key: Whether an item opens something.
        goal: Whether who takes it has won.
        charger: Whether a step into it, or on it, gives charge.
        yields: Whether a robot means no harm, and a step to it changes places with it.
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
    """What the player knows now. Its arrays are the game's own: they change with it, and are not to be written to.

    Attributes:
        map_id: The map on which the player is; `depth`: how deep it lies.
        turn: How many turns have passed.
        cell: Where the player is: (y, x).
        hp: How much damage the player still takes; `max_hp`: when whole. `power`: the most damage of a blow.
        ground: (height, width) uint8 of `Ground`, as it was when the player saw it last.
        visible: (height, width) bool, what is in sight. `explored`: what ever was.
        robots: The robots in sight.
        things: The items, and the props that work, that were found on this map and not taken; those that lie on one cell
            as well.
        version: It rises whenever `ground` or `things` of this map has changed.
        mending: The items in the pack that give hit points back, by how many; `strengthening`: those that make stronger.
        keys: How much the player has found, on this map, that opens locks.
        charge: How many turns the player's charge lasts; `max_charge`: when full, 0 in games without.
        recharging: The items in the pack that give charge, by how many turns.
        shot: The most damage of a shot at the nearest robot that can be hit from here, if it is after the player; else 0.
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
    "met",
    "came",
    "fought",
    "dealt",
    "hurt",
    "destroyed",
    "gained",
    "opened",
    "sprung",
    "worn",
    "died",
    "won",
]
"""What can happen:

entered   the player came to a map, for the first time or again
seen      some ground of an encounter came in sight for the first time
met       the player stepped on its ground for the first time
came      the player came to its ground, or left that of an encounter for that of none, which the event then names
fought    the first blow between the player and a robot of it
dealt     the player struck a robot, for `amount`
hurt      a robot struck the player, for `amount`
destroyed the player destroyed a robot
gained    the player took an item
opened    a lock was opened
sprung    the player stepped into a trap, for `amount`
worn      the player lost hit points for want of charge, `amount` of them
died      the player was destroyed; by whom, say placement and tag
won       the game is won
"""


class Event(NamedTuple):
    """Something that has happened.

    Attributes:
        kind: What.
        map_id: Where.
        placement: The index in `Level.placements` of the placement that it was about, or None.
        encounter: The encounter of that placement; empty for none.
        tag: The name in the catalogs of the robot, item or trap that it was about; empty for none.
        amount: The damage, where it is about damage.
        number: Which robot, item or trap of its map it was about, as `Thing.number` says; None for none.
    """

    kind: EventKind
    map_id: str
    placement: int | None = None
    encounter: str = ""
    tag: str = ""
    amount: int = 0
    number: int | None = None


class Play(Protocol):
    """A game that is on. The same world, seed and actions give the same game; games do not touch each other."""

    @property
    def over(self) -> Literal["victory", "death"] | None:
        """How the game has ended, if it has."""

    def observe(self) -> Observation:
        """Return what the player knows."""

    def legal(self) -> list[Action]:
        """Return the actions that do something now, or may; never none before the game is over."""

    def act(self, action: Action) -> Sequence[Event]:
        """Do something, let the others act, and return what has happened.

        Any action may be asked for: one that is not legal does nothing, or lets a turn pass.
        """


class Start(Protocol):
    """Starts a game, as the entry points of the group `GROUP` do."""

    def __call__(self, world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> Play:
        """Start a game.

        Args:
            world: The world to play.
            seed: What chance in the game's rules depends on.
            make: What makes a level of the world, given its map's id, where that is not the world itself: games in the
                same world may share its levels.
        """


class UnknownGameError(LookupError):
    """There is no such game; the message says which there are, or what is wrong with it."""


def find_game(name: str) -> Start:
    """Return what starts a game.

    Args:
        name: The name of an entry point of the group `GROUP`, or ``module:attribute``.

    Raises:
        UnknownGameError: There is no such game.
    """
    try:
        return cast("Start", find_callable(GROUP, "game", name))
    except LookupError as error:
        raise UnknownGameError(str(error)) from error


def only_game() -> str:
    """Return the name of the game that is installed.

    Raises:
        UnknownGameError: There is none, or there are several.
    """
    known = sorted(installed(GROUP))
    if len(known) != 1:
        there = f"there are {', '.join(known)}" if known else "none is installed; name one as module:function"
        raise UnknownGameError(f"which game is to be played? {there}")
    return known[0]
