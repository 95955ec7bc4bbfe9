"""What the game understands of the `data` that authors give to objects; all of it is optional.

`docs/guide/objects.md` has a table of it, with what holds where nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from dungeon import Spawn

Behaviour = Literal["idle", "wander", "guard", "hunt"]

MAX_NUMBER: Final = 9999
"""No number of a keyword is larger, lest one robot's `speed` stops the game."""


@dataclass
class Keywords:
    """Reads the keywords of a spawn.

    Attributes:
        spawn: Whose.
        warnings: One line for each keyword that is not what the game can use; it then counts as not given.
    """

    spawn: Spawn
    warnings: list[str] = field(default_factory=list)

    def number(self, name: str, default: float, low: float = 0, high: float = MAX_NUMBER) -> float:
        """Return a number from `low` to `high`."""
        value = self.spawn.keywords.get(name, default)
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.warn(name, value, f"a number from {low} to {high}")
        return default

    def integer(self, name: str, default: int, low: int = 0) -> int:
        """Return a whole number that is not below `low`."""
        return int(self.number(name, default, low))

    def flag(self, name: str, *, default: bool) -> bool:
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

    def behaviour(self) -> Behaviour:
        """Return how a robot behaves."""
        value = self.spawn.keywords.get("behaviour", "wander")
        known: Behaviour
        for known in get_args(Behaviour):
            if value == known:
                return known
        self.warn("behaviour", value, "idle, wander, guard or hunt")
        return "wander"

    def warn(self, name: str, value: object, wanted: str) -> None:
        """Note that a keyword is not what was wanted."""
        self.warnings.append(f"{self.spawn.kind} {self.spawn.tag!r}: {name} is {value!r}, not {wanted}")
