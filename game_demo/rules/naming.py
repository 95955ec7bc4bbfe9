"""Names and short phrases: articles, plurals, lists, and what items, traps and guns do."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import esper

from game_demo.state.body import HITS, TURN
from game_demo.state.components import Appearance, Mind, Tag
from game_demo.state.geometry import bearing_of, distance
from game_demo.state.minds import BEGINNINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from game_demo.state.body import BodyPart
    from game_demo.state.carried import Find
    from game_demo.state.components import Gun, ItemEffect, TrapEffect
    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell


FOLLOWED: Final = re.compile(r" (?:of|in|to|that|beside)\b| \(")
"""Matches where the main noun of a name ends: before these words or a bracket."""
NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
PLURALS: Final = (
    ("man", "men"),
    ("shelf", "shelves"),
    ("half", "halves"),
    ("knife", "knives"),
    ("y", "ies"),
    *((ending, f"{ending}es") for ending in ("s", "x", "z", "ch", "sh")),
)
"""Endings of nouns and of their plurals, for nouns that don't just add an s."""


def name_of(entity: int) -> str:
    """Return the name of an entity."""
    return esper.component_for_entity(entity, Appearance).name


def the(entity: int) -> str:
    """Return the name of an entity with its article: ``the mouser``, but ``your mouser`` for a robot on the player's side."""
    mind = esper.try_component(entity, Mind)
    is_his = mind is not None and mind.state == "with you"
    return f"{'your' if is_his else 'the'} {name_of(entity)}"


def terrain_name(game_map: GameMap, cell: Cell) -> str:
    """Return the name of the terrain at a cell, as far as the player can tell: a secret door is a wall."""
    door = game_map.doors.get(cell)
    if door is not None and door.is_open:
        return "open door"
    return game_map.level.terrain_set.kinds[int(game_map.codes[cell])].name.replace("_", " ")


def describe_destination(game: Game, map_id: str) -> str:
    """Return a map's name, and its depth if that is not the depth of the player's level.

    ``The Foundry, depth 3, 2 levels deeper``, or only ``The Foundry, depth 2`` if it is one level deeper or lies higher.
    """
    title, levels = game.title(map_id), game.world.node(map_id).depth - game.map.level.depth
    if levels == 0:
        return game.name_of_map(map_id)
    return f"{title}, {levels} levels deeper" if levels > 1 else title


def with_article(name: str) -> str:
    """Return a name with the article that it takes: ``a spanner``, ``some fittings``, ``the Chief Clerk``."""
    if name[:1].isupper():
        return f"the {name}"
    if is_plural(name):
        return f"some {name}"
    return f"an {name}" if name[:1] in tuple("aeiou") else f"a {name}"


def as_sentence(text: str) -> str:
    """Return a text with its first letter as a capital; other letters stay."""
    return f"{text[:1].upper()}{text[1:]}"


def is_plural(name: str) -> bool:
    """Return whether a name is a plural, by its main noun: ``fittings`` is, ``pile of kettles`` is not."""
    head = _head_of(name)
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def listed(names: Iterable[str]) -> str:
    """Return names with articles as a list, equal names counted: ``two keys and an arc cell``."""
    told = [
        several(name, count) if count > 1 else with_article(name) for name, count in Counter(names).items()
    ]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def left_over(names: Sequence[str]) -> str:
    """Return names after ``are still`` or ``is still``, for a sentence that begins with ``There``."""
    are = "are" if names.count(names[0]) > 1 or is_plural(names[0]) else "is"
    return f"{are} still {listed(names)}"


def several(name: str, count: int) -> str:
    """Return a counted name, small numbers as words: ``two heaps of coal``, ``some brass fittings (x2)``."""
    if is_plural(name) or name[:1].isupper():
        return f"{with_article(name)} (x{count})"
    head = _head_of(name)
    number = NUMBERS[count] if count < len(NUMBERS) else str(count)
    return f"{number} {plural_of(head)}{name[len(head) :]}"


def _head_of(name: str) -> str:
    """Return a name up to its main noun: ``heap of coal -> heap``."""
    return FOLLOWED.split(name, maxsplit=1)[0]


def plural_of(noun: str) -> str:
    """Return the plural of a noun: ``boxes``, ``copies``, ``shelves``, ``signalmen``."""
    ending, plural = next((each for each in PLURALS if noun.endswith(each[0])), ("", "s"))
    is_vowel_before = ending == "y" and noun[-2:-1] in tuple("aeiou")
    return f"{noun}s" if is_vowel_before else f"{noun.removesuffix(ending)}{plural}"


def pluralized(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 step``, ``2 steps``."""
    return f"1 {noun}" if count == 1 else f"{count} {plural_of(noun)}"


def bearings(start: Cell, goal: Cell) -> str:
    """Return how far a cell is from another, walls ignored, and in which direction: ``5 steps to the east``."""
    return f"{pluralized(distance(start, goal), 'step')} to the {bearing_of(start, goal)}"


def counted(name: str, count: int) -> str:
    """Return a name with its count if that is more than one: ``lump of scrap x2``."""
    return f"{name} x{count}" if count > 1 else name


def describe_find(find: Find, count: int) -> str:
    """Return one kind of the haul with its count and worth: ``lump of scrap x2, worth 2 each``."""
    told = counted(find.name, count)
    if not find.value:
        return told
    return f"{told}, worth {find.value} each" if count > 1 else f"{told}, worth {find.value}"


def steps_a_turn(pace: int) -> str:
    """Return a walking speed, given the ticks of a step: ``1.6 steps a turn``."""
    speed = speed_of(pace)
    return "1 step a turn" if speed == "1" else f"{speed} steps a turn"


def speed_of(pace: int) -> str:
    """Return how many steps of `pace` ticks fit into a turn, to one decimal."""
    return f"{round(TURN / pace, 1):g}"


def states_of(entity: int) -> list[str]:
    """Return the state that an author gave a thing, and whether it is a prototype.

    The chance that an untried item is faulty is told by `effect_of`.
    """
    tag = esper.component_for_entity(entity, Tag)
    keywords, prototype = tag.keywords, "a prototype" if tag.like == "item" else "a prototype, which may fail"
    state = keywords.get("state")
    may_have_woken = state in BEGINNINGS and esper.has_component(entity, Mind)
    parts = [state.replace("_", " ")] if isinstance(state, str) and not may_have_woken else []
    return parts + [prototype] * (keywords.get("prototype") is True)


def shortened(names: Sequence[str], fits: Callable[[str], bool]) -> str:
    """Return names joined by commas, as many as `fits` allows, then ``+3 more``; at least the first name."""
    text = ", ".join(names)
    for shown in range(len(names) - 1, 0, -1):
        if fits(text):
            break
        first, more = ", ".join(names[:shown]), len(names) - shown
        text = f"{first}, +{more} more"
    return text


def effect_of(effect: ItemEffect | None) -> str:
    """Return what an item does when it is used or fitted, with its slot and whether it is untried; empty for nothing."""
    if effect is None:
        return ""
    slot = effect.part.slot if effect.part else ""
    trap = f"a trap that robots walk into, {effect_of_trap(effect.trap)}" if effect.trap else ""
    risk = f"{effect.risk:.0%} of these are faulty" if effect.risk else "it may be faulty"
    untried = f"untried: {risk}" if effect.untried else ""
    return ", ".join(filter(None, [slot, trap, what_it_does(effect), untried]))


def use_of(effect: ItemEffect) -> str:
    """Return which key uses an item, and what it does: ``i fits it: arm, power +2``."""
    verb = "w lays" if effect.trap else "i fits" if effect.part else "i applies"
    return f"{verb} it: {effect_of(effect)}"


def what_it_does(effect: ItemEffect) -> str:
    """Return what an item does when it is used or fitted, without its slot; empty for nothing."""
    if effect.faulty and not effect.untried:
        return "faulty: does nothing and can't be repaired"
    told = {
        f"repairs {effect.repair}": effect.repair,
        f"charge +{effect.charge}": effect.charge,
        f"maximum hit points +{effect.frame}": effect.frame,
    }
    parts = [text for text, is_so in told.items() if is_so]
    return ", ".join(parts + (_what_part_does(effect.part) if effect.part else []))


def effect_of_trap(trap: TrapEffect) -> str:
    """Return what a trap does to its victim."""
    told = {
        f"hits for {trap.damage}": trap.damage,
        f"drains {trap.charge} charge": trap.charge,
        f"makes a noise heard {trap.noise} steps away": trap.noise,
        "sets off explosives beside it": trap.sparks,
    }
    return ", ".join(text for text, is_so in told.items() if is_so) or "does no harm"


def describe_gun(gun: Gun) -> str:
    """Return the numbers of a gun, the player's or a robot's."""
    charge = f", {gun.charge} charge a shot" if gun.charge else ""
    return f"shoots for up to {gun.power}, {HITS:.0%} of shots hit, range {gun.range}{charge}"


def _what_part_does(part: BodyPart) -> list[str]:
    """Return a phrase for each thing that a fitted part does."""
    told = {
        f"power +{part.power}": part.power,
        f"armour +{part.armour}": part.armour,
        steps_a_turn(part.pace): part.speed != 1,
        "silent steps" if not part.noise else f"steps heard {part.noise} cells away": part.noise is not None,
        f"sight +{part.sight}": part.sight,
        "shines": part.lit,
        "finds hidden traps and doors, disarms better (w)": part.keen,
        "digs (w)": part.digs,
        "helps at terminals, wins over unaware robots (w)": part.hacks,
        "pries (w)": part.pries,
        f"battery +{part.capacity}": part.capacity,
        f"{part.drain}% more charge a turn": part.drain > 0,
        f"{-part.drain}% less charge a turn": part.drain < 0,
    }
    shots = [describe_gun(part.gun)] if part.gun else []
    return shots + [text for text, is_so in told.items() if is_so]
