"""What a player may decide about when it comes in sight: the events `faced`, by which playtests measure the pace of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from dungeon import terrain as t
from game_demo.rules.actions import answers
from game_demo.rules.leftovers import is_sign
from game_demo.rules.moods import is_ally, is_dangerous
from game_demo.rules.pack import keeping_of
from game_demo.state.components import (
    Blocks,
    Charger,
    EntityText,
    Hidden,
    Item,
    Position,
    Prop,
    Robot,
    Tag,
    Trap,
    cells_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


class Choices:
    """What the player may decide about on his level and has not seen yet.

    These are stairs, portals, locked doors, visible traps, items other than haul, robots that can do damage, and props that are locked,
    shut, explosive or a terminal, open something or give charge, and signs on the floor.
    """

    def __init__(self, game: Game) -> None:
        self._map = game.map
        self._unseen = [(tag, sum(map(game.map.bit, set(cells)))) for tag, cells in _standing(game)]
        self._robots: set[int] = set()  # those that were seen
        self._looked = 0  # mask: where robots were in sight at the last look

    def look(self) -> str:
        """Return the tag of something that has come in sight for the first time, ``stairs`` or ``door``; empty for nothing."""
        seen = self._map.sight.mask
        found = [tag for tag, cells in self._unseen if cells & seen]
        if found:
            self._unseen = [each for each in self._unseen if not each[1] & seen]
        robots = seen & self._map.robots
        if robots & ~self._looked:
            found += self._robots_among(robots)
        self._looked = robots
        return found[0] if found else ""

    def _robots_among(self, cells: int) -> list[str]:
        """Return the tags of the robots on a mask of cells that can do damage and were not seen before."""
        found = []
        for robot, (_, at, tag) in esper.get_components(Robot, Position, Tag):
            if self._map.bit((at.y, at.x)) & cells and robot not in self._robots:
                self._robots.add(robot)
                if is_dangerous(robot) and not is_ally(robot):
                    found.append(tag.tag)
        return found


def _standing(game: Game) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    """Yield the tag and the cells of each thing to decide about that stands on the player's level, other than robots."""
    game_map = game.map
    for cell in (*game_map.exits, *game_map.portals):
        yield "stairs", (cell,)
    for cell in game_map.doors:
        if game_map.door_at(cell, t.LOCKED_DOOR):
            yield "door", (cell,)
    for entity, (_, tag) in esper.get_components(Position, Tag):
        if not esper.has_component(entity, Hidden) and _matters(game, entity):
            yield tag.tag, cells_of(entity)


def _matters(game: Game, entity: int) -> bool:
    """Return whether the player may decide about a thing."""
    if esper.has_component(entity, Item):
        return keeping_of(entity) != "haul"
    if esper.has_component(entity, Prop):
        opens = "opens" in esper.component_for_entity(entity, Tag).keywords
        charges = esper.has_component(entity, Charger)
        lies = esper.has_component(entity, EntityText) and not esper.has_component(entity, Blocks)
        return opens or charges or answers(game, entity) or (lies and is_sign(game, entity))
    return esper.has_component(entity, Trap)
