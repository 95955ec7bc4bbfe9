"""The minds of robots: the state in which each behaviour begins, and the state it turns to when something happens.

A robot's state is one word, which the player can see. `game_demo.rules.robot_moves` says what a robot does in each state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from game_demo.state.geometry import Cell, Direction


State = Literal[
    "off",
    "lurking",
    "asleep",
    "idle",
    "at work",
    "at its post",
    "mending",
    "searching",
    "stalking",
    "alert",
    "charging",
    "reeling",
    "calling",
    "fleeing",
    "with you",
]
"""What a robot is doing:

off        it has shut down for good
lurking    it waits in ambush until an item is taken; it looks idle
asleep     it stands still, sees nothing, and wakes from noises nearby
idle       it stands still
at work    it wanders, walks its patrol, or follows its leader
at its post it stands there, walks its patrol, or follows its leader
mending    it walks to a damaged robot and mends it
searching  it goes where it heard something or lost the player, and looks around
stalking   it keeps near the player, and waits for others of its kind
alert      it fights the player, or pursues him
charging   it has lowered its head, and runs straight on into whatever stands there
reeling    it has run into an obstacle, and can do nothing
calling    it draws breath, then calls all that hear it to where it saw the player
fleeing    it runs from the player
with you   it has changed sides: it keeps near the player and fights his enemies
"""

Behaviour = Literal["idle", "wander", "guard", "hunt", "swarm", "coward", "caller", "mender"]


class Manner(NamedTuple):
    """The reactions of a behaviour.

    Attributes:
        rest: The state while nothing disturbs the robot.
        on_sight: The state it turns to when it sees the player; None if it ignores him.
        on_noise: The state it turns to when it hears something; None if it ignores noises.
        on_harm: The state it turns to when it is struck.
    """

    rest: State
    on_sight: State | None
    on_noise: State | None
    on_harm: State


MANNERS: Final[dict[Behaviour, Manner]] = {
    "idle": Manner("idle", None, None, "alert"),
    "wander": Manner("at work", None, None, "alert"),
    "guard": Manner("at its post", "alert", "searching", "alert"),
    "hunt": Manner("at work", "alert", "searching", "alert"),
    "swarm": Manner("at work", "stalking", "searching", "alert"),
    "coward": Manner("at work", None, None, "fleeing"),
    "caller": Manner("at its post", "fleeing", None, "fleeing"),
    "mender": Manner("at work", None, None, "fleeing"),
}

UNAWARE: Final = frozenset[State](
    ("off", "lurking", "asleep", "idle", "at work", "at its post", "mending", "searching")
)
"""States of robots that don't know where the player is; a blow surprises them."""

LOOKS_OUT: Final = frozenset[State](("idle", "at work", "at its post", "mending", "searching"))
"""States in which robots can notice the player."""

INERT: Final = frozenset[State](("off", "asleep"))
"""States in which robots don't make way."""

BEGINNINGS: Final = ("asleep", "awake")
"""The states in which authors may let robots begin."""

AFTER_PLAYER: Final = frozenset[State](("alert", "charging", "reeling", "stalking", "calling"))
"""States of robots that want to fight the player, or call others to."""

OUT_OF_IT: Final = frozenset[State](("off", "with you"))
"""States of robots that are no longer enemies."""

COMMITTED: Final = frozenset[State](("charging", "reeling"))
"""States that a robot sees through, whatever happens to it."""

PRESSING: Final = frozenset[State](("alert", "charging", "reeling", "calling", "searching", "stalking"))
"""States of robots that prevent journeys while they are in sight."""

WARY: Final = frozenset[State](("stalking", "fleeing"))
"""States of robots that know of the player and keep away from him."""

MARKS: Final[dict[State, str]] = {
    "alert": "!",
    "charging": ">",
    "reeling": "*",
    "stalking": "~",
    "searching": "?",
    "calling": "(",
    "fleeing": "<",
    "mending": "+",
    "asleep": "z",
    "off": "x",
    "with you": "&",
}
"""State -> the character that marks it in lists; other states have none."""

HARMLESS: Final = "-"
"""The mark of robots without a marked state that do nothing to the player unless struck."""


@dataclass(slots=True)
class Mind:
    """The character of a robot, and what it is doing.

    Attributes:
        behaviour: Its behaviour.
        state: What it is doing now.
        post: The cell where it belongs.
        calls: How many steps away its call for help is heard; 0 if it never calls.
        called: Whether it has called since it was disturbed.
        flees_below: It flees with less than this share of its hit points.
        mends: How many hit points it gives another robot in a move.
        obeys: Whether it shuts down when its leader is destroyed.
        was_seen_off: Whether the player has seen it run from him.
        was_seen_after: Whether the player has seen it come after him, and not give up yet.
        was_told: Whether the player was told of it since it turned to its state, or last hit him.
        retold: What the player was told of it that is not told again while he sees it.
        opens_doors: Whether it opens closed doors.
        leash: How many cells from its post it follows the player; 0 for no limit. A blow sets it to 0.
        keeps: How many cells from the player it tries to stay; 0 if it does not mind him near.
        rams: Whether it charges at the player from a distance.
        steals: Whether its blow takes something out of the pack, with which it flees.
        has_loot: Whether it has stolen something.
        aim: The cell where it knows or guesses the player to be.
        heading: The direction in which it wanders or charges.
        patience: How many more moves it stays in a state that ends by itself.
    """

    behaviour: Behaviour
    state: State
    post: Cell
    calls: int = 0
    called: bool = False
    flees_below: float = 0
    mends: int = 0
    obeys: bool = False
    was_seen_off: bool = False
    was_seen_after: bool = False
    was_told: bool = False
    retold: set[str] = field(default_factory=set)
    opens_doors: bool = True
    leash: int = 0
    keeps: int = 0
    rams: bool = False
    steals: bool = False
    has_loot: bool = False
    aim: Cell | None = None
    heading: Direction = (0, 0)
    patience: int = 0

    @property
    def manner(self) -> Manner:
        """The reactions of the robot's behaviour."""
        return MANNERS[self.behaviour]

    @property
    def is_unaware(self) -> bool:
        """Whether the robot does not know where the player is."""
        return self.state in UNAWARE

    @property
    def is_out_of_bounds(self) -> bool:
        """Whether the cell where the robot knows or guesses the player to be is farther from its post than its leash."""
        return bool(self.leash) and self.aim is not None and distance(self.aim, self.post) > self.leash

    @property
    def is_old_news(self) -> bool:
        """Whether the robot always runs from the player and he has seen that: then its running does not interrupt him again."""
        return self.was_seen_off and self.manner.on_sight == "fleeing"

    @property
    def shows(self) -> State:
        """The state that the player sees: a robot in ambush looks idle."""
        return "idle" if self.state == "lurking" else self.state
