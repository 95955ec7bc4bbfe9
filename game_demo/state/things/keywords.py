"""What the game understands of the `data` that authors give to objects; all of it is optional.

kind      keyword       default    meaning
========  ============= =========  ==========================================================================
any       `text`        nothing    what is read of it: props when bumped, items when taken, all when looked at
any       `state`       nothing    told with its name, like `lock` (what it is locked with) and `opens`
any       `opens`       nothing    items taken, props bumped into and robots destroyed open locks of that word
any       `consumed`    false      whether it opens just one of them
any       `code`        nothing    it is read, not carried: whoever has it knows what opens these locks
prop      `toggle`      false      whether it locks again what it opens, when it is pulled once more
prop      `charges`     0          how many times the player can be charged there
prop      `explodes`    nothing    `{radius: 2, damage: 8}`: set off, it hurts whoever is in sight of it, less the farther off
prop      `terminal`    nothing    any of map, traps, locks, guards, turn: what it can be talked into
robot     `hp`          4          how much damage destroys it
robot     `attack`      0          the most damage one of its blows does; with 0 it never strikes
robot     `shoots`      nothing    `{power: 2, range: 6}`: the most damage of its shots, and how many cells they reach
robot     `sight`       8          how many cells away it notices the player where it is light
robot     `speed`       1          moves a turn: 0.5 is every other turn, 2 is twice a turn
robot     `behaviour`   wander     one of those below
robot     `asleep`      false      whether it sleeps until it hears something near, or is struck
robot     `calls`       0          how many steps away its calls for help are heard; it calls when it is disturbed
robot     `flees_below` 0          it flees when it has less than this share of its hit points
robot     `mends`       1          how much a mender mends in a move
robot     `obeys`       false      whether it shuts down when the leader is destroyed that it follows
robot     `careless`    false      whether it minds no traps; others keep off those of the works
trap      `damage`      1          how much it hurts; 0 where it has an effect
trap      `effect`      nothing    what is read when it springs
trap      `noise`       0          how many steps away it is heard when it springs: robots come and look
trap      `charge`      0          how many turns' charge it takes of the battery of the player
trap      `sparks`      false      whether it sets off what explodes next to it
trap      `hidden`      true       whether it must be found
trap      `faulty`      false      whether it does nothing, being a prototype that never worked
item      `faulty`      false      likewise
item      `repair`      0          applied, it mends so much damage; it is used up
item      `charge`      0          applied, it gives the battery so many turns; it is used up
item      `frame`       0          applied, it raises his hit points and the most that he can have, for good; it is used up
item      `goal`        false      whoever takes it has won
item      `slot`        nothing    arm, legs, head or back: it is a part, and can be fitted there
========  ============= =========  ==========================================================================

Behaviours of robots: `idle` stands, `wander` strolls, and both fight only whoever strikes them. `guard` keeps its post,
and `hunt` strolls about: both chase the player on sight, go where they hear something, and look for him where they lost
him. `swarm` does so too, but waits near him for another of its kind before it strikes. `coward` strolls, and flees when it is struck; `caller`
flees on sight; with `calls`, they fetch help first. `mender` strolls, and mends robots that are damaged.

What parts do while they are fitted, by keywords of items that say `slot`:

========== =========  ==================================================================================
keyword    default    meaning
========== =========  ==================================================================================
`power`    0          added to the most damage of the player's blows
`armour`   0          the most that is taken off each blow and shot that he takes
`shoots`   nothing    `{power: 4, range: 6, charge: 8}`: what his shots do, and the turns' charge that each takes
`speed`    1          of legs: steps a turn
`noise`    3          of legs: how many steps away his steps are heard
`sight`    0          how many cells farther he sees
`lit`      false      whether it shines: robots then notice him as if he stood in the light
`keen`     false      whether he finds at once what is hidden next to him
`digs`     false      whether he can dig with it
`hacks`    false      whether he can talk to terminals with it
`capacity` 0          how many turns more the battery holds
`drain`    0          how many per cent more charge every turn takes; below 0 it saves some
========== =========  ==================================================================================

Other keywords are shown in look mode and otherwise left alone.
=======
`docs/guide/objects.md` has a table of it, with what holds where nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar, get_args

from game_demo.state.things.minds import Behaviour
from game_demo.state.things.parts import Gun, Part, Slot

if TYPE_CHECKING:
    from dungeon import Spawn

Word = TypeVar("Word", bound=str)

MAX_NUMBER: Final = 9999
"""No number of a keyword is larger, lest one robot's `speed` stops the game."""


@dataclass
class Keywords:
    """The keywords of a spawn, each read as the kind of value that the game needs.

    Attributes:
        spawn: Whose keywords.
        warnings: A line for every value of no use; it then counts as not given.
    """

    spawn: Spawn
    warnings: list[str] = field(default_factory=list)

    def number(self, name: str, default: float, low: float = 0, high: float = MAX_NUMBER) -> float:
        """Return a number from `low` to `high`."""
        return self._number(name, self.spawn.keywords.get(name, default), default, low, high)

    def integer(self, name: str, default: int, low: int = 0, high: int = MAX_NUMBER) -> int:
        """Return a whole number from `low` to `high`."""
        return int(self.number(name, default, low, high))

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a yes or no."""
        value = self.spawn.keywords.get(name, default)
        if isinstance(value, bool):
            return value
        self.warn(name, value, "true or false")
        return default

    def text(self, name: str) -> str:
        """Return a text, empty if there is none."""
        value = self.spawn.keywords.get(name, "")
        if isinstance(value, str):
            return " ".join(value.split())
        self.warn(name, value, "a text")
        return ""

    def gun(self) -> Gun | None:
        """Return what it shoots with, None for nothing."""
        value = self.spawn.keywords.get("shoots")
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.warn("shoots", value, "{power: 2, range: 6}")
            return None
        read = {
            name: int(self._number(f"shoots.{name}", value.get(name, default), default, low))
            for name, default, low in (("power", 2, 1), ("range", 6, 1), ("charge", 0, 0))
        }
        return Gun(**read)

    def behaviour(self) -> Behaviour:
        """Return how a robot behaves."""
        known: tuple[Behaviour, ...] = get_args(Behaviour)
        return self._one_of("behaviour", known) or "wander"

    def part(self) -> Part | None:
        """Return what part of a body an item is, None for none."""
        known: tuple[Slot, ...] = get_args(Slot)
        slot = self._one_of("slot", known)
        if slot is None:
            return None
        return Part(
            slot=slot,
            power=self.integer("power", 0),
            armour=self.integer("armour", 0),
            gun=self.gun(),
            speed=self.number("speed", 1, low=0.25, high=4),
            noise=self.integer("noise", 0) if "noise" in self.spawn.keywords else None,
            sight=self.integer("sight", 0),
            lit=self.flag("lit"),
            keen=self.flag("keen"),
            digs=self.flag("digs"),
            hacks=self.flag("hacks"),
            capacity=self.integer("capacity", 0),
            drain=self.integer("drain", 0, low=-100),
        )

    def _one_of(self, name: str, known: tuple[Word, ...]) -> Word | None:
        """Return which of some words it says, None for none of them."""
        value = self.spawn.keywords.get(name)
        for word in known:
            if value == word:
                return word
        if value is not None:
            self.warn(name, value, f"{', '.join(known[:-1])} or {known[-1]}")
        return None

    def _number(
        self, name: str, value: object, default: float, low: float, high: float = MAX_NUMBER
    ) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.warn(name, value, f"a number from {low} to {high}")
        return default

    def warn(self, name: str, value: object, wanted: str) -> None:
        """Note that a keyword is not what was wanted."""
        self.warnings.append(f"{self.spawn.kind} {self.spawn.tag!r}: {name} is {value!r}, not {wanted}")
