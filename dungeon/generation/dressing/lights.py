"""Lights along walls, some way from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.dressing.outcome import Outcome
from dungeon.level.model import Light

if TYPE_CHECKING:
    from dungeon.content.models.dressing import LightEntry
    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground


def lights(ground: Ground, entry: LightEntry, stream: Stream) -> Outcome:
    """Put up lights, each on a cell beside a wall, until there are enough or all places are near one."""
    board, canvas = ground.board, ground.canvas
    closed = board.full & ~board.from_array(canvas.open)
    left = ground.floor & ground.asked(entry, stream) & board.beside(closed)
    wanted = None if entry.count is None else roll(entry.count, stream, 0)
    cells = 0
    for place in ground.in_random_order(left, stream):
        if wanted is not None and cells.bit_count() >= wanted:
            break
        if not left >> place & 1:
            continue
        y, x = divmod(place, board.stride)
        reach = roll(entry.spacing, stream, 12) - 1
        top, before = max(y - reach, 0), max(x - reach, 0)
        bottom, right = min(y + reach + 1, board.height), min(x + reach + 1, board.width)
        left &= ~board.block(top, before, bottom - top, right - before)
        colour = entry.light.roll(stream)
        if colour is not None:
            cells |= 1 << place
            ground.lights.append(Light(y=y, x=x, radius=roll(entry.radius, stream, 4), colour=colour))
    if entry.ground is not None:
        ground.strew(cells, entry.ground, stream)
    if not cells:
        return Outcome(done=False, text="no place beside a wall is left")
    return Outcome(done=True, text=counted(cells.bit_count(), "light"))
