"""The minds of robots: what each behaviour does undisturbed, and what it turns to when something happens.

What a robot is about is one word, its state, which the player can see; `game_demo.rules.robot_moves` says what a robot does in each.
"""

from __future__ import annotations

from dataclasses import dataclass
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
"""What a robot is about:

off        it stands still for good
lurking    it stands in ambush, until what it watches is taken; it looks idle
asleep     it stands still, sees nothing, and wakes of noises that are near
idle       it stands still
at work    it strolls, goes its rounds, or follows its leader
at its post it stands there, goes its rounds, or follows its leader
mending    it goes to a damaged robot and mends it
searching  it goes where it has heard something, or where it lost the player, and looks about
stalking   it keeps near the player, and waits for others of its kind
alert      it fights the player, or is after him
charging   it has lowered its head, and then runs straight on, into whoever stands there
reeling    it has run into something harder than the player, and can do nothing
calling    it draws breath, and then calls all that can hear it to where it saw the player
fleeing    it runs from the player
with you   it has changed sides: it keeps near the player, and fights whoever is after him
"""

Behaviour = Literal["idle", "wander", "guard", "hunt", "swarm", "coward", "caller", "mender"]


class Manner(NamedTuple):
    """A behaviour.

    Attributes:
        rest: Its state while nothing disturbs it.
        on_sight: What it turns to when it sees the player; None if it does not mind him.
        on_noise: What it turns to when it hears something.
        on_harm: What it turns to when it is struck.
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
"""The states of robots that do not know where the player is: a blow takes them by surprise."""

LOOKS_OUT: Final = frozenset[State](("idle", "at work", "at its post", "mending", "searching"))
"""The states in which robots notice the player."""

STANDING: Final = frozenset[State](("off", "lurking", "asleep", "idle"))
"""The states in which robots make no moves, and are moved by nobody: an ambush is not to be told from a robot that is idle."""

BEGINNINGS: Final = ("asleep", "awake")
"""What authors may say of the state in which robots begin."""

AFTER_PLAYER: Final = frozenset[State](("alert", "charging", "reeling", "stalking", "calling"))
"""The states of robots that mean to fight the player, or to have him fought."""

OUT_OF_IT: Final = frozenset[State](("off", "with you"))
"""The states of robots that will not be after the player, whatever they were before."""

COMMITTED: Final = frozenset[State](("charging", "reeling"))
"""The states that robots see through, whatever is done to them."""

PRESSING: Final = frozenset[State](("alert", "charging", "reeling", "calling", "searching", "stalking"))
"""The states of robots beside which the player has no time for anything long."""

WARY: Final = frozenset[State](("stalking", "fleeing"))
"""The states of robots that know of the player, and keep away from him."""

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
"""A character for each state that tells the player something."""

HARMLESS: Final = "-"
"""The character for robots in other states that do nothing to the player unless he strikes them."""


@dataclass(slots=True)
class Mind:
    """What a robot is like, and what it is about.

    Attributes:
        behaviour: How it behaves.
        state: What it is about now.
        post: Where it belongs.
        calls: How far it is heard when it calls for help; 0 if it never does. `called`: whether it has since it was disturbed.
        flees_below: It flees when it has less than this share of its hit points.
        mends: How many hit points it gives another robot in a move.
        obeys: Whether it shuts down when the one is destroyed whom it follows.
        was_seen_off: Whether the player has seen it run from him. `was_seen_after`: come after him, and not go back yet.
        opens_doors: Whether it opens doors; else a shut one holds it.
        leash: How many cells from its post it follows the player; 0 for as far as he goes. Who is struck forgets it.
        keeps: It keeps at least so many cells from the player where it can; 0 if it does not mind him near.
        rams: Whether it charges at the player from some way off.
        steals: Whether it takes something out of his pack with a blow, and runs. `has_loot`: whether it has.
        aim: Where it knows or guesses the player to be.
        heading: In which direction it strolls.
        patience: How many moves more it goes on with what it is about, where that does not last for ever.
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
        """What it does when."""
        return MANNERS[self.behaviour]

    @property
    def is_unaware(self) -> bool:
        """Whether it does not know where the player is."""
        return self.state in UNAWARE

    @property
    def is_out_of_bounds(self) -> bool:
        """Whether it knows the player to be where its leash does not reach."""
        return bool(self.leash) and self.aim is not None and distance(self.aim, self.post) > self.leash

    @property
    def is_old_news(self) -> bool:
        """Whether it runs from whom it sees, calling or not, and the player has seen that: he is not interrupted by it again."""
        return self.was_seen_off and self.manner.on_sight == "fleeing"

    @property
    def shows(self) -> State:
        """What the player sees of its state."""
        return "idle" if self.state == "lurking" else self.state
