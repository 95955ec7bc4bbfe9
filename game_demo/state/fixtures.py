"""What stands about in the works and answers the player: what explodes, terminals, and traps that somebody has laid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

Offer = Literal["map", "traps", "locks", "guards", "turn"]
"""What a terminal can be talked into: to show the map, or the traps, around it; to open a lock; to shut a guard down, or to have it change sides."""

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


@dataclass(frozen=True, slots=True)
class Volatile:
    """The robot's wreck is about to explode."""

    blast: Explosive


@dataclass(slots=True)
class Fuse:
    """The entity explodes when that turn has come."""

    turn: int


@dataclass(slots=True)
class Terminal:
    """It can be talked into these things, each once."""

    offers: list[Offer] = field(default_factory=list)


@dataclass(slots=True)
class Lid:
    """It is shut without a lock, and can be pried open."""


@dataclass(slots=True)
class TrapEffect:
    """What a trap does to whoever steps on it, and what is read then.

    Attributes:
        damage: How much it hurts.
        message: What is read; empty for something plain.
        noise: How many steps away it is heard.
        sparks: Whether it sets off what explodes next to it.
        charge: How many turns' charge it takes, if it is the player.
        faulty: Whether it does nothing of that, which shows when it springs.
    """

    damage: int
    message: str
    noise: int = 0
    sparks: bool = False
    charge: int = 0
    faulty: bool = False


@dataclass(slots=True)
class Laid:
    """The player has laid the trap: robots don't know of it."""


@dataclass(slots=True)
class Careless:
    """The robot minds no traps."""
