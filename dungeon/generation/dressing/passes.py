"""The passes that dress a map (patches, rubble, cracks, lights, lakes...), by the YAML key of each, and making one of them.

A pass is one entry under a map's `dressing`. The ground (`DressingGround`) knows which cells of the map may still be
changed. Noise is a random number for each cell, similar in neighbouring cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon.content.models.dressing import USUAL_RADIUS, USUAL_SPACING, BodyEntry
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.dressing.bodies import chasm, lake, river
from dungeon.generation.dressing.ground import MapLight, PassOutcome
from dungeon.grid.bits import all_places
from dungeon.grid.noise import grain, value_noise
from dungeon.level.model import Light

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon.content.models.dressing import CracksEntry, LightEntry, PassEntry, PatchesEntry, RubbleEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.dressing.ground import DressingGround
    from dungeon.level.model import Spawn

# -- patches, rubble and cracks ---------------------------------------------------------------------


PATCH_GRAIN = 0.12
"""Weight of the noise of single cells at the rims of patches."""

HEAP_SIZE = 3
"""Size of heaps of rubble, in cells."""

RUBBLE_GRAIN = 0.5
"""Weight of the noise of single cells beside that of heaps."""

WALL_BONUS = 0.5
"""Added to the noise of rubble beside walls, so that more of it lies there."""

TURN_CHANCE = 0.35
"""Probability that a crack turns left at a cell, and the same for right."""

NO_GROUND = "no ground of this kind is left"


def patches(ground: DressingGround, entry: PatchesEntry, stream: Stream) -> PassOutcome:
    """Lay smooth patches of terrain, such as grass, where the noise is highest."""
    height, width = ground.board.height, ground.board.width
    values = value_noise(stream, height, width, roll(entry.size, stream, 6))
    values += PATCH_GRAIN * grain(stream, height, width)
    return _covered(ground, entry, roll(entry.cover, stream, 0.0), values, stream)


def rubble(ground: DressingGround, entry: RubbleEntry, stream: Stream) -> PassOutcome:
    """Lay rubble in heaps, most of it along walls."""
    board = ground.board
    values = value_noise(stream, board.height, board.width, HEAP_SIZE)
    values += RUBBLE_GRAIN * grain(stream, board.height, board.width)
    values += WALL_BONUS * board.to_array(board.around(board.full & ~ground.walked))
    return _covered(ground, entry, roll(entry.cover, stream, 0.0), values, stream)


def _covered(
    ground: DressingGround, entry: PassEntry, cover: float, values: NDArray[np.float64], stream: Stream
) -> PassOutcome:
    """Lay a pass's terrain on a share of the cells that it may change: those with the highest noise.

    Args:
        ground: The map.
        entry: The pass.
        cover: The share of the cells to cover, 0 to 1.
        values: (height, width), the noise of each cell.
        stream: The random stream.
    """
    asked = ground.asked(entry, stream)
    cells = ground.board.to_array(ground.floor & asked)
    own = values[cells]
    count = round(cover * own.size)
    if not own.size:
        return PassOutcome(done=False, text=NO_GROUND)
    if not count:
        return PassOutcome(done=False, text="it covers less than a cell")
    least = np.partition(own, own.size - count)[own.size - count]
    laid = ground.strew(ground.board.from_array(cells & (values >= least)), entry.what, stream)
    return PassOutcome(done=True, text=f"{counted(laid.bit_count(), 'cell')} of {counted(own.size, 'cell')}")


def cracks(ground: DressingGround, entry: CracksEntry, stream: Stream) -> PassOutcome:
    """Lay cracks: random walks over floor, each of the entry's `length`, or shorter where a walk can't go on."""
    board, stride = ground.board, ground.board.stride
    floor = ground.floor & ground.asked(entry, stream)
    if not floor:
        return PassOutcome(done=False, text=NO_GROUND)
    steps = (-stride, 1, stride, -1)
    starts, is_floor = all_places(floor), board.to_flags(floor)
    count, cracked = roll(entry.count, stream, 0), np.zeros((board.height, stride), np.bool_)
    for _ in range(count):
        place, heading = starts.item(stream.below(starts.size)), stream.below(4)
        for _ in range(roll(entry.length, stream, 4)):
            cracked.ravel()[place] = True
            turn = stream.random()
            side = (turn < TURN_CHANCE) - (turn > 1 - TURN_CHANCE)
            # Never turn back. If the next cell is not free, try straight on, right, left.
            ways = [(heading + each) % 4 for each in dict.fromkeys((side, 0, 1, -1))]
            ahead = [way for way in ways if is_floor[place + steps[way]]]
            if not ahead:
                break
            place += steps[ahead[0]]
    laid = ground.strew(board.from_array(cracked[:, :-1]), entry.what, stream)
    return PassOutcome(done=True, text=f"{counted(count, 'crack')} of {counted(laid.bit_count(), 'cell')}")


# -- lights -----------------------------------------------------------------------------------------


def away_from_props(lights: Iterable[MapLight], shining: Iterable[Spawn]) -> list[Light]:
    """Return the lights that passes have put up, except those too near to a shining prop, such as a torch in a prefab.

    Args:
        lights: The lights of all passes, each with its minimum distance.
        shining: The spawned objects that shine. Only props count: robots walk away, and items are picked up.
    """
    torches = [each for each in shining if each.like == "prop"]
    return [
        light
        for light, spacing in lights
        if all(max(abs(light.y - each.y), abs(light.x - each.x)) >= spacing for each in torches)
    ]


def lights(ground: DressingGround, entry: LightEntry, stream: Stream) -> PassOutcome:
    """Put up lights on cells beside walls, until there are enough or every such cell is near a light."""
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
        return PassOutcome(done=False, text="no light has a place beside a wall")
    ground.lights += put
    if entry.ground is not None:
        lit = np.zeros((board.height, board.width), np.bool_)
        lit[[each.y for each, _ in put], [each.x for each, _ in put]] = True
        ground.strew(board.from_array(lit), entry.ground, stream)
    return PassOutcome(done=True, text=counted(len(put), "light"))


# -- all passes -------------------------------------------------------------------------------------


MAKERS: dict[str, Callable[[DressingGround, Any, Any], PassOutcome]] = {
    "lake": lake,
    "river": river,
    "chasm": chasm,
    "patches": patches,
    "rubble": rubble,
    "cracks": cracks,
    "light": lights,
}
"""YAML key of a pass -> the function that makes it once."""


def make(
    ground: DressingGround, entry: PassEntry, streams: Streams, *name: str | int
) -> Iterator[PassOutcome]:
    """Make a pass. Yield one outcome for each of its lakes, rivers or chasms; for any other pass, one outcome.

    Args:
        ground: The map.
        entry: The pass.
        streams: The level's random streams.
        name: The beginning of the names of the random streams of this pass.
    """
    stream = streams.stream(*name)
    if not stream.chance(roll(entry.chance, stream, 0.0)):
        yield PassOutcome(done=False, text="it was left out by chance")
        return
    count = roll(entry.count, stream, 0) if isinstance(entry, BodyEntry) else 1
    for number in range(1, count + 1):
        yield MAKERS[entry.KEY](ground, entry, streams.mersenne(*name, number))
