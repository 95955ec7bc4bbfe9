"""What a body can do, aspect by aspect, and what another part would make better and worse."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from game_demo.rules.naming import speed_of, told_of_gun
from game_demo.state.things.parts import build_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.things.parts import Body, Build, Part, Place


class Aspect(NamedTuple):
    """Something that a body can do: how it is told, what of it a body has, and how good that is, more being better."""

    told: str
    value: Callable[[Build], object]
    good: Callable[[Build], object]


def _yes_or_no(name: str) -> Callable[[Build], object]:
    """Return what reads whether a body does something."""
    return lambda build: "yes" if getattr(build, name) else "no"


ASPECTS: Final[dict[str, Aspect]] = {
    "power": Aspect("blows do up to {} damage", attrgetter("power"), attrgetter("power")),
    "armour": Aspect(
        "armour: {}",
        lambda build: f"up to {build.armour} off each hit" if build.armour else "none",
        attrgetter("armour"),
    ),
    "gun": Aspect(
        "gun: {}",
        lambda build: told_of_gun(build.gun) if build.gun else "none",
        lambda build: (build.gun.power, build.gun.range) if build.gun else (0, 0),
    ),
    "pace": Aspect("steps a turn: {}", lambda build: speed_of(build.pace), lambda build: -build.pace),
    "noise": Aspect("steps are heard {} cells away", attrgetter("noise"), lambda build: -build.noise),
    "sight": Aspect("you see {} cells far", attrgetter("sight"), attrgetter("sight")),
    "lit": Aspect("you shine, and are seen from afar: {}", _yes_or_no("lit"), lambda build: not build.lit),
    "keen": Aspect("you find what is hidden next to you: {}", _yes_or_no("keen"), attrgetter("keen")),
    "digs": Aspect("you can dig through earth (w): {}", _yes_or_no("digs"), attrgetter("digs")),
    "hacks": Aspect("you can talk to terminals (w): {}", _yes_or_no("hacks"), attrgetter("hacks")),
    "pries": Aspect("you can pry crates and lockers open (w): {}", _yes_or_no("pries"), attrgetter("pries")),
    "capacity": Aspect("the battery holds {} charge", attrgetter("capacity"), attrgetter("capacity")),
    "drain": Aspect(
        "a turn takes {} charge", lambda build: f"{1 + build.drain / 100:g}", lambda build: -build.drain
    ),
}
"""What is told of each field of a `Build`."""


def changes(before: Build, after: Build) -> list[tuple[str, bool]]:
    """Return what another part makes of a body: of each change what it is, and whether that is for the better."""
    told = []
    for each in fields(before):
        if getattr(before, each.name) != getattr(after, each.name):
            aspect = ASPECTS[each.name]
            good: Any = aspect.good(before)
            text = f"{aspect.told.format(aspect.value(after))} (now {aspect.value(before)})"
            told.append((text, aspect.good(after) > good))
    return told


def changes_at(body: Body, place: Place, part: Part | None) -> list[tuple[str, bool]]:
    """Return what becomes of a body if a place has that part instead of what is there; None for nothing, or for what is faulty."""
    others = [each.effect.part for at, each in body.fitted.items() if at != place and each.effect.part]
    return changes(build_of(body.parts), build_of([*others, part] if part else others))


def told_of_fitting(body: Body, part: Part) -> str:
    """Return what a part would change where it would be worth most; empty for nothing."""
    place = body.place_for(part)
    told = [
        f"{'better' if is_better else 'worse'}: {text}" for text, is_better in changes_at(body, place, part)
    ]
    return f"as your {place}, {', '.join(told)}" if told else ""
