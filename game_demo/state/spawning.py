"""From the spawns of a level to entities: what each keyword of an object means to the game, checked and converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from game_demo.state.body import BodyPart, Gun, Slot
from game_demo.state.components import (
    Attack,
    Blocks,
    Charger,
    Energy,
    EntityText,
    ExclusiveChoice,
    GoalItem,
    HaulValue,
    Health,
    Hidden,
    ItemEffect,
    Mind,
    Perception,
    Route,
    TrapEffect,
    components_of,
)
from game_demo.state.fixtures import (
    MOST,
    OFFERS,
    Captive,
    Careless,
    Explosive,
    Lid,
    Offer,
    Terminal,
    Volatile,
)
from game_demo.state.minds import MANNERS, Behaviour

if TYPE_CHECKING:
    from dungeon import Spawn
    from game_demo.state.minds import State


# -- keywords --------------------------------------------------------------------------------------

Word = TypeVar("Word", bound=str)

MAX_NUMBER: Final = 9999
"""The highest number of a keyword, so that no robot's `speed` can stop the game."""


@dataclass
class Keywords:
    """The keywords of a spawn, converted to the types that the game needs.

    Attributes:
        spawn: The spawn.
        warnings: A line for every unusable value, which counts as not given.
    """

    spawn: Spawn
    warnings: list[str] = field(default_factory=list)

    def number(self, name: str, default: float, low: float = 0, high: float = MAX_NUMBER) -> float:
        """Return the number of a keyword, from `low` to `high`."""
        return self._number(name, self.spawn.keywords.get(name, default), default, low, high)

    def integer(self, name: str, default: int, low: int = 0, high: int = MAX_NUMBER) -> int:
        """Return the whole number of a keyword, from `low` to `high`."""
        return int(self.number(name, default, low, high))

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return the truth value of a keyword."""
        value = self.spawn.keywords.get(name, default)
        if isinstance(value, bool):
            return value
        self.warn(name, value, "true or false")
        return default

    def text(self, name: str) -> str:
        """Return the text of a keyword; empty for none."""
        value = self.spawn.keywords.get(name, "")
        if isinstance(value, str):
            return " ".join(value.split())
        self.warn(name, value, "a text")
        return ""

    def one_of_texts(self, name: str) -> str:
        """Return the text of a keyword; if its value is a list of texts, the one that the position of the object selects; empty for none.

        No random number is drawn, so a level does not depend on how many texts there are.
        """
        value = self.spawn.keywords.get(name)
        if isinstance(value, list | tuple) and value and all(isinstance(each, str) for each in value):
            return " ".join(value[(2 * self.spawn.y + self.spawn.x) % len(value)].split())
        return self.text(name)

    def gun(self) -> Gun | None:
        """Return the gun that the keywords describe, or None."""
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
        """Return the behaviour of a robot."""
        known: tuple[Behaviour, ...] = get_args(Behaviour)
        return self._one_of("behaviour", known) or "wander"

    def part(self) -> BodyPart | None:
        """Return the body part that an item is, or None."""
        known: tuple[Slot, ...] = get_args(Slot)
        slot = self._one_of("slot", known)
        if slot is None:
            return None
        return BodyPart(
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
        """Return the value of a keyword if it is one of some words, else None."""
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
        """Add a warning that a keyword has an unusable value, and which values can be used."""
        self.warnings.append(f"{self.spawn.kind} {self.spawn.tag!r}: {name} is {value!r}, not {wanted}")


# -- fixtures --------------------------------------------------------------------------------------


def fixtures_of(keywords: Keywords) -> list[Any]:
    """Return the components for the keywords `captive`, `careless`, `explodes`, `terminal` and `lid` of a robot or prop."""
    parts: list[Any] = []
    kind = keywords.spawn.kind
    if kind == "robot" and keywords.flag("captive"):
        parts.append(Captive())
    if kind == "robot" and keywords.flag("careless", default=False):
        parts.append(Careless())
    if kind == "robot" and (explosive := _explosive(keywords)) is not None:
        parts.append(Volatile(explosive))
    if kind == "prop" and (explosive := _explosive(keywords)) is not None:
        parts.append(explosive)
    if kind == "prop" and (offers := _offers(keywords)):
        parts.append(Terminal(offers))
    if kind == "prop" and keywords.flag("lid"):
        parts.append(Lid())
    return parts


def _explosive(keywords: Keywords) -> Explosive | None:
    value = keywords.spawn.keywords.get("explodes")
    if value is None:
        return None
    radius, damage = (value.get("radius"), value.get("damage")) if isinstance(value, Mapping) else (0, 0)
    if isinstance(radius, int) and isinstance(damage, int) and 0 < radius <= MOST and 0 < damage <= MOST:
        return Explosive(radius, damage)
    keywords.warn(
        "explodes", value, f"a mapping such as {{radius: 2, damage: 8}} with numbers from 1 to {MOST}"
    )
    return None


def _offers(keywords: Keywords) -> list[Offer]:
    value = keywords.spawn.keywords.get("terminal")
    if value is None:
        return []
    asked = value if isinstance(value, tuple) else (value,)
    if strange := [each for each in asked if each not in OFFERS]:
        keywords.warn("terminal", strange[0], f"any of {', '.join(OFFERS)}")
    return [each for each in OFFERS if each in asked]


# -- entities --------------------------------------------------------------------------------------


def components_for(spawn: Spawn, warnings: list[str]) -> list[Any]:
    """Return the components of a spawn's entity.

    Args:
        spawn: The spawn.
        warnings: A list that receives a line for every keyword that the game can't use.
    """
    keywords = Keywords(spawn, warnings)
    parts = components_of(spawn)
    if text := keywords.one_of_texts("text"):
        parts.append(EntityText(text))
    match spawn.like:
        case "robot":
            parts += _robot(spawn, keywords)
        case "trap":
            parts += _trap(keywords)
        case "item":
            parts += _item(keywords)
        case "prop":
            if charges := keywords.integer("charges", 0):
                parts.append(Charger(charges))
    return parts + fixtures_of(keywords)


def _robot(spawn: Spawn, keywords: Keywords) -> list[Any]:
    hp = keywords.integer("hp", 4, low=1)
    parts: list[Any] = [
        Health(hp, hp),
        Attack(keywords.integer("attack", 0)),
        Perception(keywords.integer("sight", 8)),
        Energy(keywords.number("speed", 1, low=0, high=4)),
        Route(),
        _mind(spawn, keywords),
    ]
    if (gun := keywords.gun()) is not None:
        parts.append(gun)
    if not spawn.blocks:  # a game in which robots could be walked through would need other rules
        parts.append(Blocks())
    return parts


def _mind(spawn: Spawn, keywords: Keywords) -> Mind:
    state: State | None = "lurking" if "ambush" in spawn.keywords else None
    state = state or ("asleep" if keywords.text("state") == "asleep" else None)
    behaviour = keywords.behaviour()
    return Mind(
        behaviour,
        state or MANNERS[behaviour].rest,
        (spawn.y, spawn.x),
        calls=keywords.integer("calls", 0),
        flees_below=keywords.number("flees_below", 0, high=1),
        mends=keywords.integer("mends", 1),
        obeys=keywords.flag("obeys"),
        opens_doors=keywords.flag("doors", default=True),
        leash=keywords.integer("leash", 0),
        keeps=keywords.integer("keeps", 0),
        rams=keywords.flag("rams"),
        steals=keywords.flag("steals"),
    )


def _item(keywords: Keywords) -> list[Any]:
    effect = ItemEffect(
        keywords.integer("repair", 0),
        keywords.integer("charge", 0),
        keywords.integer("frame", 0),
        keywords.part(),
    )
    if effect.is_useful:
        faulty = keywords.flag("faulty")
        effect = replace(effect, untried=faulty or keywords.flag("prototype"), faulty=faulty)
    parts: list[Any] = [effect]
    if value := keywords.integer("value", 0):
        parts.append(HaulValue(value))
    if word := keywords.text("choice"):
        parts.append(ExclusiveChoice(word, keywords.spawn.placement))
    if keywords.flag("goal"):
        parts.append(GoalItem(keywords.text("ending")))
    return parts


def _trap(keywords: Keywords) -> list[Any]:
    effect = keywords.text("effect")
    parts: list[Any] = [
        TrapEffect(
            keywords.integer("damage", 0 if effect else 1),
            effect,
            keywords.integer("noise", 0),
            keywords.flag("sparks"),
            keywords.integer("charge", 0),
            keywords.flag("faulty"),
        )
    ]
    if keywords.flag("hidden", default=True):
        parts.append(Hidden())
    return parts
