"""What a body can do: what another part would make better or worse, and how charge and hit points change with time."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import esper

from game_demo.rules.naming import describe_gun, speed_of
from game_demo.state.body import TURN, build_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.body import Body, BodyPart, Build, Place
    from game_demo.state.components import Gun
    from game_demo.state.game import Game


# -- what parts change -----------------------------------------------------------------------------


class Aspect(NamedTuple):
    """One property of a body, such as its armour.

    Attributes:
        told: Returns the text about a change of this property, from one `Build` to another.
        good: Returns how good a `Build` is in this property; more is better.
    """

    told: Callable[[Build, Build], str]
    good: Callable[[Build], object]


def _amount(
    told: str, value: Callable[[Build], object], good: Callable[[Build], object] | None = None
) -> Aspect:
    """Return the aspect for a number.

    Args:
        told: The text, with ``{}`` for the value.
        value: Returns the value of a build.
        good: Returns how good a build is; None if a higher value is better.
    """
    return Aspect(
        lambda before, after: f"{told.format(value(after))} (now {value(before)})",
        good or value,
    )


def _ability(name: str, gained: str, lost: str, *, is_good: bool = True) -> Aspect:
    """Return the aspect for a yes-or-no property of `Build`, with the texts for gaining and for losing it."""
    has: Callable[[Build], bool] = attrgetter(name)
    return Aspect(
        lambda _, after: gained if has(after) else lost,
        lambda build: has(build) == is_good,
    )


def _deed(name: str, deed: str) -> Aspect:
    """Return the aspect for an ability that only parts give; `deed` says it after ``you can``: ``dig through earth``."""
    return _ability(name, f"lets you {deed}", f"you can no longer {deed}")


def _describe_guns(before: Gun | None, after: Gun | None) -> str:
    """Return the text about a gun that is gained, lost or replaced."""
    if after is None:
        return "you can no longer shoot (f)"
    return f"gun: {describe_gun(after)} (now {describe_gun(before)})" if before else "lets you shoot (f)"


def _describe_armour(build: Build) -> str:
    """Return what the armour does, or that there is none."""
    return f"your armour reduces each hit by up to {build.armour}" if build.armour else "you have no armour"


def charge_a_turn(build: Build) -> str:
    """Return how much charge a turn uses, as text: ``1.25``."""
    charge = 1 + build.drain / 100
    return f"{charge:g}"


ASPECTS: Final[dict[str, Aspect]] = {
    "power": _amount("blows do up to {} damage", attrgetter("power")),
    "armour": Aspect(
        lambda before, after: f"{_describe_armour(after)} (now {before.armour})",
        attrgetter("armour"),
    ),
    "gun": Aspect(
        lambda before, after: _describe_guns(before.gun, after.gun),
        lambda build: (build.gun.power, build.gun.range) if build.gun else (0, 0),
    ),
    "pace": _amount("steps a turn: {}", lambda build: speed_of(build.pace), lambda build: -build.pace),
    "noise": _amount("your steps are heard {} cells away", attrgetter("noise"), lambda build: -build.noise),
    "sight": _amount("you see {} cells", attrgetter("sight")),
    "lit": _ability(
        "lit",
        "you shine, so robots see you from farther away",
        "you no longer shine, so robots don't see you from so far away",
        is_good=False,
    ),
    "keen": _ability(
        "keen",
        "you always notice what is hidden next to you",
        "you no longer notice everything that is hidden next to you",
    ),
    "digs": _deed("digs", "dig through earth and soft walls"),
    "hacks": _ability(
        "hacks",
        "terminals obey you more often, and w beside a robot that has not noticed you makes it change sides",
        "terminals obey you less often, and you can't make robots change sides",
    ),
    "pries": _deed("pries", "pry crates, lockers and locks open"),
    "capacity": _amount("the battery holds up to {} charge", attrgetter("capacity")),
    "drain": _amount("each turn uses {} charge", charge_a_turn, lambda build: -build.drain),
}
"""Field of `Build` -> its aspect."""


def changes(before: Build, after: Build) -> list[tuple[str, bool]]:
    """Return how the build `after` differs from `before`: for each change its text, and whether it is an improvement."""
    told = []
    for each in fields(before):
        if getattr(before, each.name) != getattr(after, each.name):
            aspect = ASPECTS[each.name]
            good: Any = aspect.good(before)
            told.append((aspect.told(before, after), aspect.good(after) > good))
    return told


def changes_at(body: Body, place: Place, part: BodyPart | None) -> list[tuple[str, bool]]:
    """Return how a body changes if `part` replaces what is fitted at `place`, in the form of `changes`.

    A `part` of None means that nothing is fitted there, or a faulty part.
    """
    others = [each.effect.part for at, each in body.fitted.items() if at != place and each.effect.part]
    return changes(build_of(body.parts), build_of([*others, part] if part else others))


def describe_fitting(body: Body, part: BodyPart) -> str:
    """Return what a part would change in the place where it gains most: ``if you fit it as your right arm, better: power +2``."""
    place = body.place_for(part)
    told = changes_at(body, place, part)
    better = "; ".join(text for text, is_better in told if is_better)
    worse = "; ".join(text for text, is_better in told if not is_better)
    effects = [f"{side}: {texts}" for side, texts in (("better", better), ("worse", worse)) if texts]
    return f"if you fit it as your {place}, {', '.join(effects) or 'nothing changes'}"


# -- charge and hit points -------------------------------------------------------------------------

LOW: Final = 0.2
"""Below this share of the battery's capacity the player is warned, and again below `LAST`."""
LAST: Final = 0.1
WEAR_TURNS: Final = 8
"""With an empty battery, the player loses one hit point every this many turns."""
MENDING_TURNS: Final = 8
"""The player regains one hit point every this many turns."""
MENDING: Final = 4
"""How many turns' worth of charge a regained hit point costs."""


def spend(game: Game, ticks: int) -> None:
    """Take charge, in ticks, from the battery, and warn the player when it falls below `LOW`, below `LAST`, or to 0."""
    body = game.body
    low, last, had = LOW * body.capacity, LAST * body.capacity, body.charge
    body.charge = max(body.charge - ticks, 0)
    if body.has_failed:
        game.refit()
        told = "Your battery is empty! No part works, you are slow, and you lose hit points."
        game.log.say(f"{told} {_charge_advice(game)}", "bad")
    elif body.charge < last <= had:
        told = f"Your battery is nearly empty: it lasts about {turns_of_charge(game)} more turns."
        game.log.say(f"{told} {_charge_advice(game)}", "bad")
    elif body.charge < low <= had:
        game.log.say(f"Your battery is low. {_charge_advice(game)}", "bad")


def turns_of_charge(game: Game) -> int:
    """Return how many turns of walking the battery lasts, with the drain of the parts and, if the player is hurt, that of mending."""
    is_hurt = game.health.hp < game.health.max_hp
    each = TURN * (100 + game.body.build.drain) // 100 + is_hurt * MENDING * TURN // MENDING_TURNS
    return game.body.charge // each


def _charge_advice(game: Game) -> str:
    """Return the advice on how to get charge: to use an item of the pack that gives some, else to find some."""
    cell = next((stack.look.name for stack in game.player.inventory if stack.effect.charge), "")
    return f"Use the {cell} (i)." if cell else "Find a battery cell, or walk into a charging cradle."


class ChargeProcessor(esper.Processor):
    """Takes charge for the time that has passed. With an empty battery the player loses hit points instead."""

    def process(self, game: Game) -> None:
        """Take the charge for the time of the last action; with an empty battery, take hit points instead."""
        if not game.body.has_failed:
            spend(game, game.clock.elapsed * (100 + game.body.build.drain) // 100)
        elif worn := game.clock.times(WEAR_TURNS):
            game.note("worn", amount=worn)
            game.damage_player(worn, "an empty battery")


class MendingProcessor(esper.Processor):
    """Gives the player hit points back as time passes; each costs charge."""

    def process(self, game: Game) -> None:
        """Give back a hit point for each `MENDING_TURNS` turns that the last action has passed, and take charge for it."""
        health = game.health
        if game.is_over or game.body.has_failed or health.hp == health.max_hp:
            return
        if mended := min(game.clock.times(MENDING_TURNS), health.max_hp - health.hp):
            health.hp += mended
            spend(game, mended * MENDING * TURN)
