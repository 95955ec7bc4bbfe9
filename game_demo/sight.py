"""What the player sees of a level and remembers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import esper
import numpy as np
import tcod.constants
import tcod.map
from tcod.console import rgb_graphic

from dungeon import terrain as t
from game_demo.components import Appearance, Colour, Footprint, Hidden, Place, Position, Tag, Trap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from game_demo.floor import Floor

REACH: Final = 16
"""How many cells the player sees."""

LAYERS: Final = ("debris", "trap", "item", "prop", "robot")
"""Kinds of things from the bottom of a cell to its top."""

SPRUNG: Final = (110, 100, 100)
SECRET: Final = (214, 120, 250)


class Area(NamedTuple):
    """A rectangle of a map's cells, up to but without its bottom row and its right column."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The index that cuts it out of an array of the map."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width)."""
        return self.bottom - self.top, self.right - self.left

    def within(self, place: Place) -> Place | None:
        """Return where in it a cell of the map lies, or None if it lies outside."""
        y, x = place
        inside = self.top <= y < self.bottom and self.left <= x < self.right
        return (y - self.top, x - self.left) if inside else None


def area_around(place: Place, reach: int, shape: tuple[int, ...]) -> Area:
    """Return the part of a map of that shape that is at most `reach` rows and columns away from a cell."""
    (y, x), (height, width) = place, shape
    return Area(max(y - reach, 0), max(x - reach, 0), min(y + reach + 1, height), min(x + reach + 1, width))


class Sight:
    """One level through the player's eyes.

    Attributes:
        visible: (height, width) bool, what is seen now.
        seen: (height, width) bool, what was ever seen.
        memory: (height, width) of tcod's `rgb_graphic`, how it looked then; robots are not remembered.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.visible = np.zeros(shape, dtype=np.bool_)
        self.seen = np.zeros(shape, dtype=np.bool_)
        self.memory = np.zeros(shape, dtype=rgb_graphic)

    def look(self, floor: Floor, eye: Place) -> None:
        """See what there is to be seen from a cell."""
        self.visible = field_of_view(floor.transparent, eye, REACH)

    def remember(self, floor: Floor, eye: Place) -> None:
        """Keep in mind what was last seen, from that cell."""
        area = area_around(eye, REACH, self.visible.shape)
        visible = self.visible[area.slices]
        self.seen[area.slices] |= visible
        self.memory[area.slices][visible] = tiles(floor, area, robots=False)[visible]


def field_of_view(transparent: NDArray[np.bool_], eye: Place, reach: int) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of what is seen from a cell, up to `reach` cells away."""
    area = area_around(eye, reach, transparent.shape)
    visible = np.zeros(transparent.shape, dtype=np.bool_)
    visible[area.slices] = tcod.map.compute_fov(
        transparent[area.slices],
        (eye[0] - area.top, eye[1] - area.left),
        radius=reach,
        algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST,
    )
    return visible


def tiles(floor: Floor, area: Area, *, robots: bool, hidden: bool = False) -> NDArray[np.void]:
    """Return how a part of the level looks in full light, without the player.

    Args:
        floor: The level.
        area: Which part.
        robots: Whether to show the robots.
        hidden: Whether to show also what has not been found.

    Returns:
        (height, width) of tcod's `rgb_graphic`.
    """
    kinds, codes = floor.level.terrain_set, floor.codes[area.slices]
    picture = np.empty(area.shape, dtype=rgb_graphic)
    for layer, looks in (("ch", kinds.glyph), ("fg", kinds.fg), ("bg", kinds.bg)):
        picture[layer] = looks[codes]
    secrets = [place for place in floor.doors if hidden and floor.door_at(place, t.SECRET_DOOR)]
    figures = _figures(area, robots=robots, hidden=hidden)
    for place, glyph, colour in (*((place, "+", SECRET) for place in secrets), *figures):
        if (spot := area.within(place)) is not None:
            picture["ch"][spot], picture["fg"][spot] = ord(glyph), colour
    return picture


def _figures(area: Area, *, robots: bool, hidden: bool) -> Iterator[tuple[Place, str, Colour]]:
    """Yield cell, glyph and colour of all that stands or lies in an area, from the bottom up."""
    things = [
        (LAYERS.index(tag.kind), entity, look, (position.y, position.x))
        for entity, (tag, look, position) in esper.get_components(Tag, Appearance, Position)
        if (robots or tag.kind != "robot")
        and (area.within((position.y, position.x)) or esper.has_component(entity, Footprint))
    ]
    for _, entity, look, place in sorted(things, key=lambda thing: thing[:2]):
        if esper.has_component(entity, Hidden) and not hidden:
            continue
        trap = esper.try_component(entity, Trap)
        colour = SPRUNG if trap is not None and not trap.armed else look.fg
        footprint = esper.try_component(entity, Footprint)
        if footprint is None:
            yield place, look.glyph, colour
        else:
            for cell, glyph in zip(footprint.cells, footprint.glyphs, strict=True):
                yield cell, glyph, colour
