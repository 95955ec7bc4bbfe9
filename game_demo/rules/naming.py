"""What things are called, in a few words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import esper

from game_demo.state.components import Appearance, Description, Mind, Tag
from game_demo.state.things.minds import BEGINNINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from game_demo.state.components import ItemEffect
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell
    from game_demo.state.things.parts import Part


def name_of(entity: int) -> str:
    """Return what the player reads of an entity."""
    return esper.component_for_entity(entity, Appearance).name


def terrain_name(game_map: GameMap, cell: Cell) -> str:
    """Return what the player takes the ground for."""
    door = game_map.doors.get(cell)
    if door is not None and door.is_open:
        return "open door"
    return game_map.level.terrain_set.kinds[int(game_map.codes[cell])].name.replace("_", " ")


def with_article(name: str) -> str:
    """Return a name with the article that it takes: ``a spanner``, ``some fittings``, ``the Chief Clerk``."""
    if name[:1].isupper():
        return f"the {name}"
    if is_plural(name):
        return f"some {name}"
    return f"{'an' if name[:1] in tuple('aeiou') else 'a'} {name}"


def is_plural(name: str) -> bool:
    """Tell whether a name stands for several things, by its last word or that before ``of``: ``pile of kettles`` does not."""
    head = name.split(" of ", maxsplit=1)[0]
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def listed(names: Iterable[str]) -> str:
    """Return names with their articles as a list, each once: ``a key (x2) and an arc cell``."""
    counts = Counter(names)
    told = [with_article(name) + (f" (x{count})" if count > 1 else "") for name, count in counts.items()]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def description_of(entity: int) -> str:
    """Return what is read of a prop, or just what it is."""
    words = esper.try_component(entity, Description)
    name = ", ".join([name_of(entity), *states_of(entity)])
    return f"{name[:1].upper()}{name[1:]}. {words.text if words else ''}".rstrip()


def states_of(entity: int) -> list[str]:
    """Return what state a thing is in, what locks it and what it opens, as far as its author said so."""
    keywords = esper.component_for_entity(entity, Tag).keywords
    told = {"state": "{}", "lock": "locked ({})", "opens": "opens {}"}
    if keywords.get("state") in BEGINNINGS and esper.has_component(entity, Mind):
        del told["state"]  # by now it may have woken
    parts = [
        form.format(keywords[name]) for name, form in told.items() if isinstance(keywords.get(name), str)
    ]
    if keywords.get("prototype") is True:
        parts.append("a prototype")
    return [part.replace("_", " ") for part in parts]


def effect_of(effect: ItemEffect | None) -> str:
    """Return what an item does when it is applied, empty if that is nothing."""
    if effect is None:
        return ""
    if effect.part is not None:
        return effect_of_part(effect.part)
    if effect.trap is not None:
        return f"a trap, damage {effect.trap.damage}"
    told = {
        "repairs {}": effect.repair,
        "charge +{}": effect.charge,
        "hit points +{} for good": effect.frame,
    }
    return ", ".join(words.format(amount) for words, amount in told.items() if amount)


def effect_of_part(part: Part) -> str:
    """Return what a part is, and what it does while it is fitted."""
    told = {
        f"power +{part.power}": part.power,
        f"armour +{part.armour}": part.armour,
        f"{part.speed:g} steps a turn": part.speed != 1,
        "no steps heard" if not part.noise else f"steps heard {part.noise} away": part.noise is not None,
        f"sight +{part.sight}": part.sight,
        "shines": part.lit,
        "finds what is hidden": part.keen,
        "digs": part.digs,
        "hacks": part.hacks,
        f"battery +{part.capacity}": part.capacity,
        f"drain {part.drain:+}%": part.drain,
    }
    gun = part.gun
    shots = [f"shoots for {gun.power}, {gun.range} cells, {gun.charge} charge"] if gun else []
    return ", ".join([part.slot, *shots, *(text for text, is_so in told.items() if is_so)])
