"""The passes by their keys, and how one of them is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon.content.models.dressing import BodyEntry
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.dressing.bodies import chasm, lake, river
from dungeon.generation.dressing.ground import Outcome
from dungeon.generation.dressing.lights import lights
from dungeon.grid.bits import all_places
from dungeon.grid.noise import grain, value_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from dungeon.content.models.dressing import CracksEntry, PassEntry, PatchesEntry, RubbleEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.dressing.ground import Ground

# -- strewn -----------------------------------------------------------------------------------------
#
# What covers a share of the ground: smooth patches, rubble along walls, and cracks.


FRAYED = 0.12
"""How much single cells count at the rims of patches."""

HEAP = 3
"""Heaps of rubble are about so many cells across."""

ROUGH = 0.5
"""How much single cells count beside heaps."""

BY_WALL = 0.5
"""How much likelier rubble lies beside a wall."""

BENDS = 0.35
"""How often a crack turns, to either side."""

NO_GROUND = "no ground of this kind is left"


def patches(ground: Ground, entry: PatchesEntry, stream: Stream) -> Outcome:
    """Lay smooth patches."""
    height, width = ground.board.height, ground.board.width
    values = value_noise(stream, height, width, roll(entry.size, stream, 6))
    values += FRAYED * grain(stream, height, width)
    return _covered(ground, entry, roll(entry.cover, stream, 0.0), values, stream)


def rubble(ground: Ground, entry: RubbleEntry, stream: Stream) -> Outcome:
    """Strew rubble along walls, in heaps."""
    board = ground.board
    values = value_noise(stream, board.height, board.width, HEAP)
    values += ROUGH * grain(stream, board.height, board.width)
    values += BY_WALL * board.to_array(board.around(board.full & ~ground.walked))
    return _covered(ground, entry, roll(entry.cover, stream, 0.0), values, stream)


def _covered(
    ground: Ground, entry: PassEntry, cover: float, values: NDArray[np.float64], stream: Stream
) -> Outcome:
    """Lay terrain on that share of the ground, where the values are highest."""
    asked = ground.asked(entry, stream)
    cells = ground.board.to_array(ground.floor & asked)
    own = values[cells]
    count = round(cover * own.size)
    if not own.size:
        return Outcome(done=False, text=NO_GROUND)
    if not count:
        return Outcome(done=False, text="it covers less than a cell")
    least = np.partition(own, own.size - count)[own.size - count]
    laid = ground.strew(ground.board.from_array(cells & (values >= least)), entry.what, stream)
    return Outcome(done=True, text=f"{counted(laid.bit_count(), 'cell')} of {counted(own.size, 'cell')}")


def cracks(ground: Ground, entry: CracksEntry, stream: Stream) -> Outcome:
    """Let cracks run over the ground, each as far as it leads."""
    board, stride = ground.board, ground.board.stride
    floor = ground.floor & ground.asked(entry, stream)
    if not floor:
        return Outcome(done=False, text=NO_GROUND)
    steps = (-stride, 1, stride, -1)
    starts, is_floor = all_places(floor), board.to_flags(floor)
    count, cracked = roll(entry.count, stream, 0), np.zeros((board.height, stride), np.bool_)
    for _ in range(count):
        place, heading = starts.item(stream.below(starts.size)), stream.below(4)
        for _ in range(roll(entry.length, stream, 4)):
            cracked.ravel()[place] = True
            turn = stream.random()
            side = (turn < BENDS) - (turn > 1 - BENDS)
            # It never turns back, and where it can't go on it turns aside.
            ways = [(heading + each) % 4 for each in dict.fromkeys((side, 0, 1, -1))]
            ahead = [way for way in ways if is_floor[place + steps[way]]]
            if not ahead:
                break
            place += steps[ahead[0]]
    laid = ground.strew(board.from_array(cracked[:, :-1]), entry.what, stream)
    return Outcome(done=True, text=f"{counted(count, 'crack')} of {counted(laid.bit_count(), 'cell')}")


MAKERS: dict[str, Callable[[Ground, Any, Any], Outcome]] = {
    "lake": lake,
    "river": river,
    "chasm": chasm,
    "patches": patches,
    "rubble": rubble,
    "cracks": cracks,
    "light": lights,
}
"""The key of a pass -> what makes one of it."""


def make(ground: Ground, entry: PassEntry, streams: Streams, *name: str | int) -> Iterator[Outcome]:
    """Make a pass: as many lakes, rivers or chasms as it asks for, or what else it does, once.

    Args:
        ground: The map.
        entry: What its author says.
        streams: Where chance comes from.
        name: What the streams of this pass are called.
    """
    stream = streams.stream(*name)
    if not stream.chance(roll(entry.chance, stream, 0.0)):
        yield Outcome(done=False, text="chance keeps it away")
        return
    count = roll(entry.count, stream, 0) if isinstance(entry, BodyEntry) else 1
    for number in range(1, count + 1):
        yield MAKERS[entry.KEY](ground, entry, streams.mersenne(*name, number))
