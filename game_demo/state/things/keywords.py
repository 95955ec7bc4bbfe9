"""What the game understands of the `data` that authors give to objects; all of it is optional.

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

    def one_of_texts(self, name: str) -> str:
        """Return a text, or that of several which it is where the thing stands; empty if there is none.

        Chance has no say in it, so that a level is the same however many there are.
        """
        value = self.spawn.keywords.get(name)
        if isinstance(value, list | tuple) and value and all(isinstance(each, str) for each in value):
            return " ".join(value[(2 * self.spawn.y + self.spawn.x) % len(value)].split())
        return self.text(name)

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
            pries=self.flag("pries"),
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
