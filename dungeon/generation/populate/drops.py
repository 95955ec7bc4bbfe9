"""Drops: ways that lead one way, from far off back to near where the player has come from.

One ends on ground that is open from the start, so that everybody has come by there who can be where it begins, and nobody is
stranded by it. It begins as many steps from there, and from other drops, as there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.core.vocabulary import SPACES
from dungeon.generation.populate.ports import open_parts, put_port
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, distances
from dungeon.level.model import Portal

if TYPE_CHECKING:
    from collections.abc import Container

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.models.layouts import MapDrops
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.references import Populator

FARTHEST = 0.9
"""A drop begins at least this far off, as a share of the way to the farthest place that there is for one."""

NEAR = 0.25
"""It ends no farther from the entrance than this."""


def put_drops(
    populator: Populator, wish: MapDrops, entrance: Cell, locked: Container[Cell], streams: Streams
) -> None:
    """Let drops lead back to near the entrance, as many as are wished, as far as there are places for them.

    Args:
        populator: What has filled the level, locks and keys included.
        wish: How many, and what they are.
        entrance: Where the player arrives.
        locked: Where portals begin that are locked.
        streams: Where chance comes from: ("drops", number).
    """
    canvas = populator.canvas
    free = canvas.passable() & ~populator.occupancy.stands
    leaps = canvas.leaps
    home = distances(free, [entrance], leaps)
    longest = int(home[home < FAR].max())
    parts = open_parts(populator, locked)
    near = (parts.labels == parts.at(*entrance)) & (home <= NEAR * longest)
    begun = [entrance]
    for number in range(roll(wish.count, streams.stream("drops", "count"), 0)):
        stream = streams.stream("drops", number)
        kind = wish.prop.roll(stream)
        if kind is None:
            continue
        away = distances(free, begun, leaps)
        far = _bare(populator) & (away < FAR) & (home > 2 * NEAR * longest)
        far &= away >= FARTHEST * int(away.max(where=far, initial=0))
        begin, end = _cell(populator, far, stream), _cell(populator, near, stream)
        if begin is None or end is None:
            populator.journal.note(
                "populate", kind, "refused", "there is no place from which it saves many steps"
            )
            continue
        canvas.portals += (Portal(y=begin.y, x=begin.x, to_y=end.y, to_x=end.x, kind=kind, both=False),)
        put_port(populator, kind, begin, f"drop {number + 1}", stream)
        populator.occupancy.add((begin, end), blocks=False, stays=False)
        begun.append(begin)
        text = f"from y {begin.y}, x {begin.x} back to y {end.y}, x {end.x}"
        populator.journal.note(
            "populate", kind, "chosen", text, (("steps saved", int(home[begin] - home[end])),)
        )


def _cell(populator: Populator, cells: NDArray[np.bool_], stream: Stream) -> Cell | None:
    """Return one of some cells on which nothing stands, of a room if there is one."""
    canvas = populator.canvas
    bare = cells & _bare(populator)
    rooms = canvas.within(each.id for each in canvas.regions if each.kind in SPACES)
    for pool in (bare & rooms & ~canvas.quiet, bare):
        if pool.any():
            return Cell(*divmod(stream.pick_set(pool), canvas.width))
    return None


def _bare(populator: Populator) -> NDArray[np.bool_]:
    """Return the cells on which nothing stands, nor is drawn."""
    canvas, occupancy = populator.canvas, populator.occupancy
    return occupancy.plain & ~occupancy.taken & ~occupancy.meant & ~canvas.drawn
