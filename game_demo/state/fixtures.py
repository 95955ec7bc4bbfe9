"""Components of things that the player can work on: explosives, terminals, lids, traps and captives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

Offer = Literal["map", "traps", "locks", "guards", "turn"]
"""What a terminal can do: show the map or the traps around it, open a lock, shut a robot down, or make one change sides."""

OFFERS: Final[tuple[Offer, ...]] = get_args(Offer)

MOST: Final = 30
"""The highest radius and damage of a blast."""


@dataclass(frozen=True, slots=True)
class Explosive:
    """The entity can explode.

    Attributes:
        radius: How far the blast reaches, in cells, along lines of sight.
        damage: The damage beside it; two cells away half of that, three cells away a third.
    """

    radius: int
    damage: int


@dataclass(frozen=True, slots=True)
class Volatile:
    """The robot's wreck explodes."""

    blast: Explosive


@dataclass(slots=True)
class Fuse:
    """The entity explodes on this turn."""

    turn: int


@dataclass(slots=True)
class Terminal:
    """The entity is a terminal with these offers, each granted once."""

    offers: list[Offer] = field(default_factory=list)


@dataclass(slots=True)
class Lid:
    """The entity has a shut lid without a lock, which can be pried open."""


@dataclass(slots=True)
class TrapEffect:
    """What a trap does to its victim.

    Attributes:
        damage: How many hit points it takes.
        message: What the player reads; empty for a plain sentence.
        noise: How many steps away it is heard.
        sparks: Whether it sets off explosives next to it.
        charge: How many turns' worth of charge it takes from the player.
        faulty: Whether it does nothing, which shows when it springs.
    """

    damage: int
    message: str
    noise: int = 0
    sparks: bool = False
    charge: int = 0
    faulty: bool = False


@dataclass(slots=True)
class Laid:
    """The player has laid the trap, so robots don't know of it."""


@dataclass(slots=True)
class Captive:
    """The robot is held fast. The player can free it, and then it changes sides."""


@dataclass(slots=True)
class Careless:
    """The robot does not avoid traps."""
