"""The map as the player sees it: lit around him, dim where it is only remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

import dungeon
from game_demo.display.palettes import SIGN, TEXT, legible
from game_demo.rules.moods import is_harmless
from game_demo.rules.paths import robots_in_sight
from game_demo.state.components import cell_of
from game_demo.state.geometry import Area, area_around, distance
from game_demo.state.sight import SIGHT_RADIUS, field_of_view
from game_demo.state.tiles import tiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from tcod.console import Console

    from dungeon.core.vocabulary import Highlight
    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell

LAMP: Final = np.array([30.0, 25.0, 16.0])
"""The light that the player's lamp adds to the ground next to him."""
FAINTEST: Final = 0.5
"""The brightness of things at the end of sight."""
MEMORY: Final = np.array([0.40, 0.48, 0.92])
"""The tint of remembered things."""
MARGIN: Final = 3
"""This many cells around the player stay in view, whichever robots are brought into view, too."""
MIDNIGHT: Final = np.array([4.0, 5.0, 10.0])
GLOW: Final = 0.25
"""How much of a light's colour falls on the cells next to it."""
WEIGHTS: Final = np.array([0.3, 0.59, 0.11])
"""How much red, green and blue add to brightness."""


class Viewport(NamedTuple):
    """A rectangle of the console that shows a part of the map.

    Attributes:
        y: The first row on the console.
        x: The first column on the console.
        area: The part of the map.
    """

    y: int
    x: int
    area: Area

    def on_console(self, cell: Cell) -> Cell | None:
        """Return where on the console a cell of the map is shown; None if it is not."""
        spot = self.area.within(cell)
        return None if spot is None else (self.y + spot[0], self.x + spot[1])

    def on_map(self, spot: Cell) -> Cell | None:
        """Return which cell of the map is shown at `spot`, a cell of the console; None for none."""
        cell = spot[0] - self.y + self.area.top, spot[1] - self.x + self.area.left
        return cell if self.area.within(cell) else None


class HasSize(Protocol):
    """Anything with rows and columns, such as a level."""

    @property
    def height(self) -> int:
        """Number of rows."""

    @property
    def width(self) -> int:
        """Number of columns."""


def viewport_on(level: HasSize, focus: Cell, room: Area) -> Viewport:
    """Return a viewport with the focus as near to its middle as the map's edges allow.

    Args:
        level: The level.
        focus: The cell to keep in view.
        room: The part of the console to use. A smaller map is centred in it.
    """

    def span(size: int, at: int, begin: int, view: int) -> tuple[int, int, int]:
        """Return along one axis the first position on the console, and the first and the end position of the map's visible part."""
        if size <= view:
            return begin + (view - size) // 2, 0, size
        first = min(max(at - view // 2, 0), size - view)
        return begin, first, first + view

    height, width = room.shape
    y, top, bottom = span(level.height, focus[0], room.top, height)
    x, left, right = span(level.width, focus[1], room.left, width)
    return Viewport(y, x, Area(top, left, bottom, right))


def focus_of(game: Game, room: Area) -> Cell:
    """Return the middle of the view: the player's cell, or a cell near it that brings more dangerous robots into view."""
    cells = [cell_of(robot) for robot in sorted(robots_in_sight(game)) if not is_harmless(robot)]
    cells.sort(key=lambda cell: distance(cell, game.player_cell))
    y, x = (
        _middle(own, [cell[axis] for cell in cells], view)
        for axis, (own, view) in enumerate(zip(game.player_cell, room.shape, strict=True))
    )
    return y, x


def _middle(own: int, others: Iterable[int], view: int) -> int:
    """Return the middle of a view of `view` cells along one axis: near `own`, with as many others in view as possible."""
    low, high = own - MARGIN, own + MARGIN
    for each in others:
        if max(high, each) - min(low, each) < view:
            low, high = min(low, each), max(high, each)
    first = min(max(own - view // 2, high - view + 1), low)
    return first + view // 2


def draw_map(console: Console, game: Game, viewport: Viewport, eye: Highlight | None = None) -> None:
    """Draw the part of the map in the viewport.

    Args:
        console: The console.
        game: The game.
        viewport: The viewport.
        eye: What the designer's view tints; it shows all, also unseen things. None for the player's view.
    """
    area = viewport.area
    picture = seen_tiles(game, area) if eye is None else all_tiles(game.map, area, eye)
    if (here := area.within(game.player_cell)) is not None:
        picture["ch"][here], picture["fg"][here] = ord("@"), (255, 255, 255)
    make_legible(picture, game.map, area)
    height, width = area.shape
    console.rgb[viewport.y : viewport.y + height, viewport.x : viewport.x + width] = picture


def make_legible(picture: NDArray[np.void], game_map: GameMap, area: Area) -> None:
    """Raise the contrast of faint glyphs: those of ground to the contrast of signs, all others to the contrast of text."""
    ground = game_map.level.terrain_set.glyph[game_map.codes[area.slices]]
    shown = picture["ch"] != ord(" ")
    least = np.where(picture["ch"] == ground, SIGN, TEXT)[shown]
    picture["fg"][shown] = legible(picture["fg"][shown], picture["bg"][shown], least)


def seen_tiles(game: Game, area: Area) -> NDArray[np.void]:
    """Return the (height, width) tiles of what the player sees and remembers of a part of the level."""
    game_map, sight = game.map, game.map.sight
    seen, visible = sight.explored[area.slices], sight.visible[area.slices]
    picture = sight.memory[area.slices].copy()
    picture["ch"][~seen] = ord(" ")
    now = tiles(game_map, area, robots=True)
    picture["ch"][visible] = now["ch"][visible]
    nearness = nearness_to(game.player_cell, area)[visible][:, None]
    glow = light_glow(game_map, sight.area)[area.slices][visible]
    for layer, lamp in (("fg", 0.0), ("bg", 1.0)):
        grey = (picture[layer] @ WEIGHTS)[..., None] * MEMORY + MIDNIGHT
        picture[layer] = np.where(seen[..., None], grey.clip(0, 255), 0)
        lit = now[layer][visible] * (FAINTEST + (1 - FAINTEST) * nearness) + lamp * nearness * LAMP + glow
        picture[layer][visible] = lit.clip(0, 255)
    return picture


def all_tiles(game_map: GameMap, area: Area, eye: Highlight) -> NDArray[np.void]:
    """Return the (height, width) tiles of a part of the level, tinted as `dungeon.to_console` does."""
    picture = tiles(game_map, area, robots=True, hidden=True)
    highlighted = dungeon.to_console(game_map.level, highlight=eye).rgb["bg"][area.slices]
    tinted = (highlighted != game_map.level.terrain_set.bg[game_map.level.terrain[area.slices]]).any(axis=2)
    picture["bg"][tinted] = highlighted[tinted]
    return picture


def nearness_to(cell: Cell, area: Area) -> NDArray[np.float64]:
    """Return how near each cell is, from 1 at the cell itself to 0 at the end of sight."""
    y, x = np.ogrid[area.slices]
    nearness: NDArray[np.float64] = 1 - np.hypot(y - cell[0], x - cell[1]) / (SIGHT_RADIUS + 2)
    return nearness.clip(0, 1)


def light_glow(game_map: GameMap, area: Area) -> NDArray[np.float64]:
    """Return the (height, width, 3) glow of the level's lights on a part of the level."""
    glow = np.zeros((*game_map.codes.shape, 3))
    for light in game_map.level.lights:
        reach = area_around((light.y, light.x), max(light.radius, 1), game_map.codes.shape)
        if not area.overlaps(reach):
            continue
        reached = field_of_view(game_map.transparent, (light.y, light.x), max(light.radius, 1))[reach.slices]
        y, x = np.ogrid[reach.slices]
        strength = (1 - np.hypot(y - light.y, x - light.x) / (light.radius + 1)).clip(0, 1) * reached
        glow[reach.slices] += GLOW * strength[..., None] * np.array(light.colour)
    return glow
