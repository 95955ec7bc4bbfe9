"""The player's body: a battery, and five places to which parts are fitted. `TURN` and `Clock` count its time in ticks.

Charge is counted in ticks, too: a turn of ordinary life uses `TURN` ticks of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from game_demo.state.sight import SIGHT_RADIUS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dungeon.adapters.components import Appearance
    from game_demo.state.fixtures import TrapEffect


# -- time ------------------------------------------------------------------------------------------

TURN: Final = 100
"""The ticks of a turn."""


@dataclass(slots=True)
class Clock:
    """How late it is in a game.

    Attributes:
        ticks: The ticks since it began; `elapsed`: those that the last action took.
    """

    ticks: int = 0
    elapsed: int = 0

    @property
    def turn(self) -> int:
        """The turns that have passed in full."""
        return self.ticks // TURN

    def advance(self, ticks: int) -> None:
        """Let an action take so many ticks."""
        self.ticks += ticks
        self.elapsed = ticks

    def times(self, turns: int) -> int:
        """Return how often, during the last action, another so many turns of the game were full."""
        span = turns * TURN
        return self.ticks // span - (self.ticks - self.elapsed) // span


# -- parts -----------------------------------------------------------------------------------------

Slot = Literal["arm", "legs", "head", "back"]
"""What kind of place a part goes to."""

Place = Literal["right arm", "left arm", "legs", "head", "back"]
"""A place of the body."""

PLACES: Final[dict[Place, Slot]] = {
    "right arm": "arm",
    "left arm": "arm",
    "legs": "legs",
    "head": "head",
    "back": "back",
}

POWER: Final = 3
"""The most damage of a blow of bare arms."""
CAPACITY: Final = 1200
"""How many turns of ordinary life the body's own battery holds."""
STEP_NOISE: Final = 3
"""How far the steps of bare legs are heard, in steps."""
HITS: Final = 0.75
"""How many of all shots hit, near or far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gun:
    """What shoots: the most damage of a shot, how many cells it reaches, and how many turns' charge a shot takes."""

    power: int
    range: int
    charge: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something that can be fitted to the body, and what it then does.

    Attributes:
        slot: What kind of place it goes to.
        power: What it adds to the most damage of blows; `armour`: the most that it takes off each blow and shot.
        gun: With what one can shoot.
        speed: How many steps legs make in a turn; `noise`: how far these are heard, None for no difference.
        sight: How many cells farther eyes see; `lit`: whether it shines, and is seen from afar; `keen`: whether it finds
            at once what is hidden next to one.
        digs: Whether it digs through earth; `hacks`: whether it talks to terminals; `pries`: whether it opens what is shut.
        capacity: How many turns more the battery lasts; `drain`: how many per cent more charge ordinary life takes.
    """

    slot: Slot
    power: int = 0
    armour: int = 0
    gun: Gun | None = None
    speed: float = 1
    noise: int | None = None
    sight: int = 0
    lit: bool = False
    keen: bool = False
    digs: bool = False
    hacks: bool = False
    pries: bool = False
    capacity: int = 0
    drain: int = 0

    @property
    def pace(self) -> int:
        """How many ticks a step takes with legs that are this part."""
        return round(TURN / self.speed)


@dataclass(slots=True)
class ItemEffect:
    """What an item does when it is applied.

    Attributes:
        repair: How much damage it mends.
        charge: How many turns' charge it gives.
        frame: By how much it raises hit points, and the most of them, for good.
        part: The part to be fitted that it is, if any.
        trap: The trap to be laid that it is, if any.
        untried: Whether nobody knows yet if it does that, as of prototypes.
        faulty: Whether it does nothing of that; once it was tried, nothing of it is told here any more.
        risk: How often such things are faulty, from 0 to 1, as long as it is untried.
    """

    repair: int = 0
    charge: int = 0
    frame: int = 0
    part: Part | None = None
    trap: TrapEffect | None = None
    untried: bool = False
    faulty: bool = False
    risk: float = 0.0

    @property
    def is_useful(self) -> bool:
        """Whether it does anything at all, as far as one can tell."""
        return self != ItemEffect()

    def tried(self) -> ItemEffect:
        """Return what it turns out to be when it is tried: just what it is said to be, or nothing but a part of its shape."""
        if not self.faulty:
            return replace(self, untried=False, risk=0.0)
        return ItemEffect(part=Part(slot=self.part.slot) if self.part else None, faulty=True)


@dataclass(slots=True)
class Stack:
    """Items of one kind in the player's inventory, or one that is fitted."""

    tag: str
    look: Appearance
    effect: ItemEffect
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What a body can do with the parts that are fitted to it: as `Part` says, summed up.

    Attributes:
        pace: How many ticks a step takes.
        capacity: How many turns of ordinary life the battery holds.
    """

    power: int = POWER
    armour: int = 0
    gun: Gun | None = None
    pace: int = TURN
    noise: int = STEP_NOISE
    sight: int = SIGHT_RADIUS
    lit: bool = False
    keen: bool = False
    digs: bool = False
    hacks: bool = False
    pries: bool = False
    capacity: int = CAPACITY
    drain: int = 0


BARE: Final = Build()
"""What a body can do without parts, or without charge."""


Aid = Literal["keen", "hacks", "pries"]
"""What a part helps with, but does not enable; as `Part` has it."""


@dataclass(slots=True)
class Body:
    """The player's body.

    Attributes:
        fitted: What is fitted, by place.
        charge: What is left in the battery, in ticks; `capacity`: the most that it holds.
        sneaks: Whether its steps are slow and silent.
        build: What it can do now; `refit` works it out.
        was_at: Where it was when an action was last over, None on arrival; `stands`: whether it was still there after this one.
    """

    fitted: dict[Place, Stack] = field(default_factory=dict)
    charge: int = CAPACITY * TURN
    capacity: int = CAPACITY * TURN
    sneaks: bool = False
    build: Build = BARE
    was_at: tuple[int, int] | None = None
    stands: bool = False

    @property
    def parts(self) -> list[Part]:
        """The parts that are fitted."""
        return [stack.effect.part for stack in self.fitted.values() if stack.effect.part is not None]

    def aid(self, use: Aid) -> str:
        """Return the name of what is fitted that helps with something; empty if nothing does, or works."""
        fitted = self.fitted.values() if getattr(self.build, use) else ()
        return next((each.look.name for each in fitted if getattr(each.effect.part, use, False)), "")

    @property
    def has_failed(self) -> bool:
        """Whether the battery is empty: no part works then, and everything takes twice as long."""
        return self.charge == 0

    def refit(self) -> None:
        """Work out what the body can do, after a part was fitted or the battery has run dry or holds something again."""
        build = build_of(self.parts)
        self.capacity = build.capacity * TURN
        self.charge = min(self.charge, self.capacity)
        self.build = BARE if self.has_failed else build

    def place_for(self, part: Part) -> Place:
        """Return where a part goes if nobody says so: to the place where the body gains most by it."""
        gains = self.gains(part)
        return max(gains, key=gains.__getitem__)

    def gains(self, part: Part) -> Mapping[Place, float]:
        """Return by how much the body is worth more, roughly, with a part in each place that takes it instead of what is there now."""
        fitted = [(at, each.effect.part) for at, each in self.fitted.items() if each.effect.part is not None]
        return _gains(part, tuple(fitted))


@lru_cache(maxsize=256)
def _gains(part: Part, fitted: tuple[tuple[Place, Part], ...]) -> Mapping[Place, float]:
    """Return the same, given what is fitted where: bots ask for all that they carry, and again after most turns."""
    before = worth_of(each for _, each in fitted)
    return MappingProxyType(
        {
            place: worth_of({**dict(fitted), place: part}.values()) - before
            for place, slot in PLACES.items()
            if slot == part.slot
        }
    )


def build_of(parts: Iterable[Part]) -> Build:
    """Return what a body with these parts can do."""
    parts = [*parts]
    noises = [part.noise for part in parts if part.noise is not None]
    guns = [part.gun for part in parts if part.gun is not None]
    return Build(
        power=POWER + sum(part.power for part in parts),
        armour=sum(part.armour for part in parts),
        gun=max(guns, key=lambda gun: (gun.power, gun.range), default=None),
        pace=next((part.pace for part in parts if part.slot == "legs"), TURN),
        noise=sum(noises) if noises else STEP_NOISE,
        sight=SIGHT_RADIUS + sum(part.sight for part in parts),
        lit=any(part.lit for part in parts),
        keen=any(part.keen for part in parts),
        digs=any(part.digs for part in parts),
        hacks=any(part.hacks for part in parts),
        pries=any(part.pries for part in parts),
        capacity=CAPACITY + sum(part.capacity for part in parts),
        drain=sum(part.drain for part in parts),
    )


def worth_of(parts: Iterable[Part]) -> float:
    """Return a rough number for how useful parts are together, to choose some where nobody looks closer; 0 for none."""
    parts = [*parts]
    build = build_of(parts)
    return (
        2 * (build.power - POWER)
        + 3 * build.armour
        + (build.gun.power if build.gun else 0)
        + 8 * (TURN / build.pace - 1)
        + (STEP_NOISE - build.noise) / 3
        + (build.sight - SIGHT_RADIUS) / 4
        + (build.keen + build.digs + build.hacks + build.pries)
        + (build.capacity - CAPACITY) / 100
        - build.drain / 10
    )
