"""What stands about in the works and answers the player: what explodes, terminals, and traps that somebody has laid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

if TYPE_CHECKING:
    from game_demo.state.things.keywords import Keywords

Offer = Literal["map", "traps", "locks", "guards"]
"""What a terminal can be talked into: to show the map, or the traps, around it; to open a lock; to shut a guard down."""

OFFERS: Final[tuple[Offer, ...]] = get_args(Offer)

MOST: Final = 30
"""No blast reaches farther, or does more."""


@dataclass(frozen=True, slots=True)
class Explosive:
    """It can be set off, and then hurts everybody up to `radius` cells away.

    Attributes:
        radius: How far it reaches, in cells, by lines of sight.
        damage: What it does next to it; two cells away half of that, three cells away a third.
    """

    radius: int
    damage: int


@dataclass(slots=True)
class Fuse:
    """The entity explodes when that turn has come."""

    turn: int


@dataclass(slots=True)
class Terminal:
    """It can be talked into these things, each once."""

    offers: list[Offer] = field(default_factory=list)


@dataclass(slots=True)
class TrapEffect:
    """What a trap does to whoever steps on it, and what is read then.

    Attributes:
        damage: How much it hurts.
        message: What is read; empty for something plain.
        noise: How many steps away it is heard.
        sparks: Whether it sets off what explodes next to it.
    """

    damage: int
    message: str
    noise: int = 0
    sparks: bool = False


@dataclass(slots=True)
class Laid:
    """The player has laid the trap: robots don't know of it."""


@dataclass(slots=True)
class Careless:
    """The robot minds no traps."""


def fixtures_of(keywords: Keywords) -> list[Any]:
    """Return what the keywords of an object make of it, beyond what all of its kind are."""
    parts: list[Any] = []
    kind = keywords.spawn.kind
    if kind == "robot" and keywords.flag("careless", default=False):
        parts.append(Careless())
    if kind == "prop" and (explosive := _explosive(keywords)) is not None:
        parts.append(explosive)
    if kind == "prop" and (offers := _offers(keywords)):
        parts.append(Terminal(offers))
    return parts


def _explosive(keywords: Keywords) -> Explosive | None:
    value = keywords.spawn.keywords.get("explodes")
    if value is None:
        return None
    radius, damage = (value.get("radius"), value.get("damage")) if isinstance(value, Mapping) else (0, 0)
    if isinstance(radius, int) and isinstance(damage, int) and 0 < radius <= MOST and 0 < damage <= MOST:
        return Explosive(radius, damage)
    keywords.warn("explodes", value, f"{{radius: 2, damage: 8}}, of 1 to {MOST} each")
    return None


def _offers(keywords: Keywords) -> list[Offer]:
    value = keywords.spawn.keywords.get("terminal")
    if value is None:
        return []
    asked = value if isinstance(value, tuple) else (value,)
    if strange := [each for each in asked if each not in OFFERS]:
        keywords.warn("terminal", strange[0], f"any of {', '.join(OFFERS)}")
    return [each for each in OFFERS if each in asked]
