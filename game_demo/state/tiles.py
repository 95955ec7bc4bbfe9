"""How the cells of a level look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np
from tcod.console import rgb_graphic

from dungeon import terrain as t
from game_demo.state.components import (
    Appearance,
    Charger,
    Colour,
    Footprint,
    Hidden,
    Mind,
    Position,
    Tag,
    Trap,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Area, Cell
    from game_demo.state.minds import State

LAYERS: Final = ("debris", "trap", "item", "prop", "robot")
"""Kinds of things, from the bottom of a cell to its top."""

MOODS: Final[dict[State, Colour]] = {
    "alert": (110, 16, 16),
    "charging": (150, 30, 0),
    "reeling": (70, 50, 60),
    "stalking": (96, 40, 0),
    "calling": (120, 0, 90),
    "searching": (84, 72, 0),
    "fleeing": (20, 40, 110),
    "mending": (0, 70, 40),
    "asleep": (44, 44, 52),
    "off": (44, 44, 52),
    "with you": (0, 64, 88),
}
"""State -> the colour behind a robot in that state."""
SPENT: Final = (110, 100, 100)
"""The colour of sprung traps and empty chargers."""
FLAT: Final = "_"
"""The glyph of a sprung trap, so that it can be told without colours."""
SECRET: Final = (214, 120, 250)


def tiles(game_map: GameMap, area: Area, *, robots: bool, hidden: bool = False) -> NDArray[np.void]:
    """Return how a part of the level looks in full light, without the player.

    Args:
        game_map: The level.
        area: The part.
        robots: Whether to show robots.
        hidden: Whether to show also what was not found yet.

    Returns:
        (height, width) of tcod's `rgb_graphic`.
    """
    kinds, codes = game_map.level.terrain_set, game_map.codes[area.slices]
    picture = np.empty(area.shape, dtype=rgb_graphic)
    for layer, looks in (("ch", kinds.glyph), ("fg", kinds.fg), ("bg", kinds.bg)):
        picture[layer] = looks[codes]
    bare = kinds.base[codes] == t.DOORWAY
    for cell in game_map.doors:
        if (spot := area.within(cell)) is not None:
            bare[spot] = False
    picture["ch"][bare] = ord(".")  # an open door can be shut, and a bare doorway can't
    secrets = [cell for cell in game_map.doors if hidden and game_map.door_at(cell, t.SECRET_DOOR)]
    figures = _figures(area, robots=robots, hidden=hidden)
    for cell, glyph, colour in (*((cell, "+", SECRET) for cell in secrets), *figures):
        if (spot := area.within(cell)) is not None:
            picture["ch"][spot], picture["fg"][spot] = ord(glyph), colour
    if robots:
        for _, (mind, at) in esper.get_components(Mind, Position):
            if mind.state in MOODS and (spot := area.within((at.y, at.x))) is not None:
                picture["bg"][spot] = MOODS[mind.state]
    return picture


def _figures(area: Area, *, robots: bool, hidden: bool) -> Iterator[tuple[Cell, str, Colour]]:
    """Yield cell, glyph and colour of everything in an area, from the bottom up."""
    top, left, bottom, right = area
    large = dict(esper.get_component(Footprint))
    things = [
        (LAYERS.index(tag.like), entity, look, (at.y, at.x))
        for entity, (tag, look, at) in esper.get_components(Tag, Appearance, Position)
        if ((top <= at.y < bottom and left <= at.x < right) or entity in large)
        and (robots or tag.like != "robot")
    ]
    for _, entity, look, cell in sorted(things, key=lambda thing: thing[:2]):
        if esper.has_component(entity, Hidden) and not hidden:
            continue
        glyph, colour = figure_of(entity, look)
        footprint = large.get(entity)
        if footprint is None:
            yield cell, glyph, colour
        else:
            for covered, part in zip(footprint.cells, footprint.glyphs, strict=True):
                yield covered, part, colour


def figure_of(entity: int, look: Appearance) -> tuple[str, Colour]:
    """Return the glyph and colour of an entity: dim if it is used up. Sprung traps look all the same."""
    if is_sprung(entity):
        return FLAT, SPENT
    charger = esper.try_component(entity, Charger)
    return look.glyph, SPENT if charger is not None and not charger.left else look.fg


def is_sprung(entity: int) -> bool:
    """Return whether an entity is a sprung trap."""
    trap = esper.try_component(entity, Trap)
    return trap is not None and not trap.armed
