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
    """The time of a game.

    Attributes:
        ticks: The ticks since the game began.
        elapsed: The ticks that the last action took.
    """

    ticks: int = 0
    elapsed: int = 0

    @property
    def turn(self) -> int:
        """The number of whole turns that have passed."""
        return self.ticks // TURN

    def advance(self, ticks: int) -> None:
        """Add the ticks of an action."""
        self.ticks += ticks
        self.elapsed = ticks

    def times(self, turns: int) -> int:
        """Return how many multiples of `turns` turns the last action has passed: for things that happen every few turns."""
        span = turns * TURN
        return self.ticks // span - (self.ticks - self.elapsed) // span


# -- parts -----------------------------------------------------------------------------------------

Slot = Literal["arm", "legs", "head", "back"]
"""The kind of place that a part goes to."""

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
"""The highest damage of a blow without parts."""
CAPACITY: Final = 1200
"""How many turns the body's own battery lasts, without parts."""
STEP_NOISE: Final = 3
"""How many steps away the player's steps are heard, without parts."""
HITS: Final = 0.75
"""The chance that a shot hits, at any distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gun:
    """A gun: the highest damage of a shot, its range in cells, and how many turns' worth of charge a shot uses."""

    power: int
    range: int
    charge: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPart:
    """Something that can be fitted to the body, and what it does there.

    Attributes:
        slot: The kind of place it goes to.
        power: Added to the highest damage of blows.
        armour: Added to the most that armour takes off each blow and shot.
        gun: The gun that it is, or None.
        speed: Steps a turn, for legs.
        noise: How many steps away its wearer is heard; None for no change.
        sight: Added to the range of sight, in cells.
        lit: Whether it shines, so that robots see the player from afar.
        keen: Whether it always notices hidden things next to the player.
        digs: Whether it digs through earth.
        hacks: Whether it helps with terminals and taps robots.
        pries: Whether it pries lids open and helps to force locks.
        capacity: Added to the battery, in turns.
        drain: How many per cent more charge each turn uses.
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
        """How many ticks a step takes with these legs."""
        return round(TURN / self.speed)


@dataclass(slots=True)
class ItemEffect:
    """What an item does when it is used.

    Attributes:
        repair: How many hit points it gives back.
        charge: How many turns' worth of charge it gives.
        frame: How many hit points it adds for good, to the present and to the highest number.
        part: The part that it is, or None.
        trap: The trap that it lays, or None.
        untried: Whether it is a prototype that may prove faulty.
        faulty: Whether it does nothing.
        risk: How often items of this kind are faulty, 0 to 1, while it is untried.
    """

    repair: int = 0
    charge: int = 0
    frame: int = 0
    part: BodyPart | None = None
    trap: TrapEffect | None = None
    untried: bool = False
    faulty: bool = False
    risk: float = 0.0

    @property
    def is_useful(self) -> bool:
        """Whether the item does anything at all, as far as the player can tell."""
        return self != ItemEffect()

    def tried(self) -> ItemEffect:
        """Return the effect after the first use: as announced, or that of a faulty item."""
        if not self.faulty:
            return replace(self, untried=False, risk=0.0)
        return ItemEffect(part=BodyPart(slot=self.part.slot) if self.part else None, faulty=True)


@dataclass(slots=True)
class Stack:
    """Equal items in the pack, or the item fitted at a place.

    `letter` is the key that stands for it in the pack. A part keeps its letter while it is fitted.
    """

    tag: str
    look: Appearance
    effect: ItemEffect
    count: int = 1
    letter: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What a body can do: the sum of its fitted parts, in the terms of `BodyPart`.

    Attributes:
        pace: How many ticks a step takes.
        capacity: How many turns the battery lasts.
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
"""The build without parts, or with an empty battery."""


Aid = Literal["keen", "hacks", "pries"]
"""The abilities of a part that raise a chance but are not required."""


@dataclass(slots=True)
class Body:
    """The player's body.

    Attributes:
        fitted: Place -> the part there.
        charge: The charge left in the battery, in ticks.
        capacity: The most charge that the battery holds, in ticks.
        sneaks: Whether the player sneaks.
        build: What the body can do now; `refit` computes it.
        was_at: The player's cell when the last action ended; None on arrival at a level.
        stands: Whether he was still on that cell after this action.
    """

    fitted: dict[Place, Stack] = field(default_factory=dict)
    charge: int = CAPACITY * TURN
    capacity: int = CAPACITY * TURN
    sneaks: bool = False
    build: Build = BARE
    was_at: tuple[int, int] | None = None
    stands: bool = False

    @property
    def parts(self) -> list[BodyPart]:
        """The parts that are fitted."""
        return [stack.effect.part for stack in self.fitted.values() if stack.effect.part is not None]

    def aid(self, use: Aid) -> str:
        """Return the name of the fitted part with an ability; empty if there is none, or the battery is empty."""
        fitted = self.fitted.values() if getattr(self.build, use) else ()
        return next((each.look.name for each in fitted if getattr(each.effect.part, use, False)), "")

    @property
    def has_failed(self) -> bool:
        """Whether the battery is empty: then no part works, and actions take twice as long."""
        return self.charge == 0

    def refit(self) -> None:
        """Compute the build again, after a part was fitted, or the battery ran dry or got charge again."""
        build = build_of(self.parts)
        self.capacity = build.capacity * TURN
        self.charge = min(self.charge, self.capacity)
        self.build = BARE if self.has_failed else build

    def place_for(self, part: BodyPart) -> Place:
        """Return the place where fitting a part improves the body most."""
        gains = self.gains(part)
        return max(gains, key=gains.__getitem__)

    def gains(self, part: BodyPart) -> Mapping[Place, float]:
        """Return place -> how much `worth_of` the fitted parts grows if a part replaces what is fitted there."""
        fitted = [(at, each.effect.part) for at, each in self.fitted.items() if each.effect.part is not None]
        return _gains(part, tuple(fitted))


@lru_cache(maxsize=256)
def _gains(part: BodyPart, fitted: tuple[tuple[Place, BodyPart], ...]) -> Mapping[Place, float]:
    """Compute `Body.gains`, cached: bots ask it for every item after most turns."""
    before = worth_of(each for _, each in fitted)
    return MappingProxyType(
        {
            place: worth_of({**dict(fitted), place: part}.values()) - before
            for place, slot in PLACES.items()
            if slot == part.slot
        }
    )


def build_of(parts: Iterable[BodyPart]) -> Build:
    """Return the build of a body with some parts."""
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


def worth_of(parts: Iterable[BodyPart]) -> float:
    """Return a rough number for how useful parts are together; 0 for none. Bots and defaults choose by it."""
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
