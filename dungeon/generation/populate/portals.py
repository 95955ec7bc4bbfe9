"""Portals (connections of two distant cells): the props at their ends, and *drops*, one-way portals back to near the entrance.

A drop ends on ground that is open before any lock is opened. The player has passed it before he reaches the drop's beginning, so
he is never stranded. A drop begins as many steps as possible from the entrance and from other drops. A *port* is a prop with the
keyword `port`: two of them in one prefab become a portal.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.catalog.requests import ObjectEntry
from dungeon.content.catalog.selector import Selector
from dungeon.content.values.grammar import Constant, roll
from dungeon.core.vocabulary import SPACES
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, Parts, distances
from dungeon.level.model import Portal, leaps_of

if TYPE_CHECKING:
    from collections.abc import Container

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.models.layouts import MapDrops
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.populator import Populator
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Spawn


def put_ports(populator: Populator, streams: Streams) -> None:
    """Put a prop on each cell where a portal of the map can be entered.

    The kind of the portal is the tag of the prop; without such a prop in the catalog, the portal stays invisible.
    """
    for number, portal in enumerate(populator.canvas.portals):
        for side, cell in enumerate(portal.entries):
            stream = streams.stream("populate", "portal", number, side)
            put_port(populator, portal.kind, cell, f"portal {number + 1}", stream)


def put_port(populator: Populator, kind: str, cell: Cell, source: str, stream: Stream) -> None:
    """Put the prop of a portal on a cell, if the catalog has one with the tag `kind`.

    Args:
        populator: Holds the objects of the level.
        kind: The kind of the portal.
        cell: The cell.
        source: The portal that the prop belongs to, for `Spawn.source`.
        stream: The random stream.
    """
    if kind not in populator.catalog.things["prop"]:
        return
    request = populator.chooser.request(_prop(kind))
    thing = populator.chooser.choose(request, stream, source, populator.journal)
    if thing is not None:
        populator.put(thing, (cell,), request.keywords(thing, stream), source, None)


@cache
def _prop(tag: str) -> ObjectEntry:
    """Return an entry that asks for the prop with this tag; always the same object, as choosers cache requests by its `id`."""
    return ObjectEntry.model_validate({"prop": Selector(tags=Constant(tag))})


def join_ports(populator: Populator, first: int, name: str) -> None:
    """Make a portal of each pair of props in a filled prefab that have the same value of the keyword `port`.

    Args:
        populator: The populator that filled the prefab.
        first: The index in the populator's spawns of the prefab's first object; all later ones belong to the prefab, too.
        name: The prefab's name.
    """
    canvas = populator.canvas
    ends: dict[str, list[Spawn]] = {}
    for spawn in populator.spawns[first:]:
        word = spawn.keywords.get("port") if spawn.like == "prop" else None
        if isinstance(word, str):
            ends.setdefault(word, []).append(spawn)
    for word, pair in ends.items():
        if len(pair) != 2 or not all(_is_ground(canvas, each) for each in pair):
            text = "a portal needs exactly two ends, both on walkable ground"
            populator.journal.note("populate", f"{name}: port {word}", "refused", text)
            continue
        one, other = sorted(pair, key=lambda each: each.keywords.get("one_way") is not True)
        both = one.keywords.get("one_way") is other.keywords.get("one_way")
        canvas.portals += (Portal(y=one.y, x=one.x, to_y=other.y, to_x=other.x, kind=one.tag, both=both),)


def _is_ground(canvas: Canvas, spawn: Spawn) -> bool:
    """Tell whether a spawn stands on walkable ground off doors and stairs."""
    base = canvas.base[spawn.y, spawn.x]
    return bool(canvas.passable()[spawn.y, spawn.x]) and base not in (*t.DOORS, *t.STAIRS)


def remove_one_way_traps(populator: Populator, entrance: Cell, locked: Container[Cell]) -> None:
    """Remove each one-way portal from whose end the player might not get back.

    A one-way portal stays if, with all locks closed, its end can be reached from the entrance or from its beginning.

    Args:
        populator: Holds the objects of the level.
        entrance: The cell where the player arrives.
        locked: The cells where locked portals begin.
    """
    canvas = populator.canvas
    if all(portal.both for portal in canvas.portals):
        return
    parts = open_parts(populator, locked)
    home, kept = parts.at(*entrance), []
    for portal in canvas.portals:
        if portal.both or parts.at(*portal.end) in (home, parts.at(*portal.begin)):
            kept.append(portal)
        else:
            subject = f"{portal.kind} at y {portal.y}, x {portal.x}"
            populator.journal.note(
                "populate", subject, "refused", "there may be no way back from where it leads"
            )
    canvas.portals = tuple(kept)


def open_parts(populator: Populator, locked: Container[Cell]) -> Parts:
    """Return the connected parts of the walkable ground while all locks are closed.

    Args:
        populator: Holds the objects of the level.
        locked: The cells where locked portals begin.
    """
    canvas = populator.canvas
    leaps = leaps_of(each for each in canvas.portals if each.begin not in locked)
    free = canvas.passable() & ~populator.occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    return Parts(free, leaps)


MIN_DROP_SHARE = 0.9
"""A drop begins at least at this share of the largest possible distance."""

MAX_END_SHARE = 0.25
"""A drop ends within this share of the longest walk from the entrance."""


def put_drops(
    populator: Populator, wish: MapDrops, entrance: Cell, locked: Container[Cell], streams: Streams
) -> None:
    """Add the drops (one-way portals from far away back to near the entrance) that a map asks for, as far as they fit.

    Args:
        populator: Holds the objects of the level, keys included.
        wish: The number of drops, and their prop.
        entrance: The cell where the player arrives.
        locked: The cells where locked portals begin.
        streams: The random streams, named ("drops", number).
    """
    canvas = populator.canvas
    free = canvas.passable() & ~populator.occupancy.stands
    leaps = canvas.leaps
    home = distances(free, [entrance], leaps)
    longest = int(home[home < FAR].max())
    parts = open_parts(populator, locked)
    near = (parts.labels == parts.at(*entrance)) & (home <= MAX_END_SHARE * longest)
    begun = [entrance]
    for number in range(roll(wish.count, streams.stream("drops", "count"), 0)):
        stream = streams.stream("drops", number)
        kind = wish.prop.roll(stream)
        if kind is None:
            continue
        away = distances(free, begun, leaps)
        far = _bare_cells(populator) & (away < FAR) & (home > 2 * MAX_END_SHARE * longest)
        far &= away >= MIN_DROP_SHARE * int(away.max(where=far, initial=0))
        begin, end = _drop_cell(populator, far, stream), _drop_cell(populator, near, stream)
        if begin is None or end is None:
            populator.journal.note(
                "populate", kind, "refused", "no place is far enough away for it to save many steps"
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


def _drop_cell(populator: Populator, cells: NDArray[np.bool_], stream: Stream) -> Cell | None:
    """Return a random one of `cells` on which no object stands or will stand, in a room if possible; None if there is none."""
    canvas = populator.canvas
    bare = cells & _bare_cells(populator)
    rooms = canvas.within(each.id for each in canvas.regions if each.kind in SPACES)
    for pool in (bare & rooms & ~canvas.quiet, bare):
        if pool.any():
            return Cell(*divmod(stream.pick_set(pool), canvas.width))
    return None


def _bare_cells(populator: Populator) -> NDArray[np.bool_]:
    """Return (height, width) bool: reachable floor that no prefab has drawn, and on which no object stands or will stand."""
    canvas, occupancy = populator.canvas, populator.occupancy
    return occupancy.plain & ~occupancy.taken & ~occupancy.meant & ~canvas.drawn
