"""What things and cells are called, in a few words or in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.naming import condition, name_of, use_of
from game_demo.state.components import (
    Blade,
    Guard,
    Health,
    Hunt,
    Tag,
    Trap,
    Use,
    Wander,
    Words,
)
from game_demo.state.entities import things_at

if TYPE_CHECKING:
    from dungeon import Placement
    from game_demo.state.floor import Floor
    from game_demo.state.game import Game
    from game_demo.state.geometry import Place

MOODS: tuple[tuple[type, str], ...] = ((Wander, "wanders"), (Guard, "guards its post"), (Hunt, "hunts you"))


def terrain_name(floor: Floor, place: Place) -> str:
    """Return what the player takes the ground for."""
    door = floor.doors.get(place)
    if door is not None and door.is_open:
        return "open door"
    return floor.level.terrain_set.kinds[int(floor.codes[place])].name.replace("_", " ")


def way_at(game: Game, place: Place) -> str:
    """Return where the stairs on a cell lead, empty where there are none."""
    target = game.floor.exits.get(place)
    if target is not None:
        return f"stairs down to {game.title(target)}"
    if place == game.floor.level.entrance:
        back = game.way_back()
        return f"stairs up to {game.title(back)}" if back else "the way out of this world"
    return ""


def underfoot(game: Game) -> str:
    """Return what is where the player stands, in one line."""
    place = game.place
    names = [name_of(entity) for entity in things_at(place)]
    return ", ".join([way_at(game, place) or terrain_name(game.floor, place), *names])


def report(game: Game, place: Place, *, everything: bool = False) -> list[str]:
    """Return all that is known of a cell, a line for each of: things, ground, encounter, what authors want to know.

    Args:
        game: The game.
        place: The cell.
        everything: Whether to tell also what the player has not seen.
    """
    floor = game.floor
    if not everything and not floor.sight.seen[place]:
        return ["You have not seen this yet."]
    visible = everything or bool(floor.sight.visible[place])
    things = [
        entity
        for entity in things_at(place, hidden=everything)
        if visible or esper.component_for_entity(entity, Tag).kind != "robot"
    ]
    lines = ["You." if place == game.place else "", *map(describe, things)]
    ground = way_at(game, place) or terrain_name(floor, place)
    lines.append(f"{'' if visible else 'From memory: '}{ground}{_region(floor, place)}")
    lines += [_placement(each) for each in floor.level.placements if each.bounds.contains(*place)]
    lines += map(_origin, things)
    return [line[0].upper() + line[1:] for line in lines if line]


def describe(entity: int) -> str:
    """Return what the player can tell of a thing."""
    parts = [name_of(entity)]
    if (trap := esper.try_component(entity, Trap)) is not None and not trap.armed:
        parts[0] += ", sprung"
    if (health := esper.try_component(entity, Health)) is not None:
        parts.append(f"{health.now}/{health.full} hp")
    if (blade := esper.try_component(entity, Blade)) is not None:
        parts.append(f"hits for up to {blade.power}" if blade.power else "does not fight")
        parts.append(next((mood for kind, mood in MOODS if esper.has_component(entity, kind)), "stands idle"))
    if use := use_of(esper.try_component(entity, Use)):
        parts.append(use)
    parts += condition(entity)
    text = esper.try_component(entity, Words)
    return ", ".join(parts) + (f". {text.text}" if text else "")


def _region(floor: Floor, place: Place) -> str:
    number = int(floor.level.region[place])
    region = next((each for each in floor.level.regions if each.id == number), None)
    if region is None:
        return ""
    size = f"{region.bounds.width}x{region.bounds.height}"
    return f", {region.kind} {number} ({size}, {counted(len(region.doors), 'door')}{', sealed' if region.sealed else ''})"


def _placement(placement: Placement) -> str:
    copies = f"copy {placement.copy}" + (
        f" of up to {placement.limit}" if placement.limit is not None else ""
    )
    prefab = f", prefab {placement.prefab} {placement.orientation}" if placement.prefab else ""
    encounter = placement.encounter or "part of the map"
    return f"encounter: {encounter} ({placement.category}, {placement.mode}{prefab}, {copies})"


def _origin(entity: int) -> str:
    tag = esper.component_for_entity(entity, Tag)
    data = ", ".join(f"{name} {value}" for name, value in tag.keywords.items() if name != "text")
    return f"{tag.kind} {tag.tag!r} from {tag.source or 'the map'}{f': {data}' if data else ''}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where that is due."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
