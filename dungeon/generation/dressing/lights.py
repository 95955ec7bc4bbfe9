"""Lights along walls, some way from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.dressing import USUAL_RADIUS, USUAL_SPACING
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.dressing.ground import MapLight, Outcome
from dungeon.level.model import Light

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.content.models.dressing import LightEntry
    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground
    from dungeon.level.model import Spawn


def away_from_props(lights: Iterable[MapLight], shining: Iterable[Spawn]) -> list[Light]:
    """Return the map's own lights without those that are too near to a prop that shines, such as a prefab's torch.

    Args:
        lights: The map's own lights.
        shining: What shines on the level; all but props is let off, as robots walk and items are taken away.
    """
    torches = [each for each in shining if each.like == "prop"]
    return [
        light
        for light, spacing in lights
        if all(max(abs(light.y - each.y), abs(light.x - each.x)) >= spacing for each in torches)
    ]


def lights(ground: Ground, entry: LightEntry, stream: Stream) -> Outcome:
    """Put up lights, each on a cell beside a wall, until there are enough or all places are near one."""
    board, canvas = ground.board, ground.canvas
    closed = board.full & ~board.from_array(canvas.open)
    places = ground.in_random_order(ground.floor & ground.asked(entry, stream) & board.beside(closed), stream)
    wanted = len(places) if entry.count is None else roll(entry.count, stream, 0)
    near = np.zeros((board.height, board.stride), np.bool_)
    is_near = near.ravel().data
    put: list[MapLight] = []
    for place in places:
        if is_near[place]:
            continue
        if len(put) == wanted:
            break
        y, x = divmod(place, board.stride)
        reach = roll(entry.spacing, stream, USUAL_SPACING) - 1
        near[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1] = True
        colour = entry.light.roll(stream)
        if colour is not None:
            light = Light(y=y, x=x, radius=roll(entry.radius, stream, USUAL_RADIUS), colour=colour)
            put.append(MapLight(light, reach + 1))
    if not put:
        return Outcome(done=False, text="no light has a place beside a wall")
    ground.lights += put
    if entry.ground is not None:
        lit = np.zeros((board.height, board.width), np.bool_)
        lit[[each.y for each, _ in put], [each.x for each, _ in put]] = True
        ground.strew(board.from_array(lit), entry.ground, stream)
    return Outcome(done=True, text=counted(len(put), "light"))
