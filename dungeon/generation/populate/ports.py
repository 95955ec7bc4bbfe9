"""What stands where portals begin and end: props of the catalog that have the name of their kind, or ends that are drawn."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.catalog.selector import Selector
from dungeon.content.catalog.symbols import ObjectEntry
from dungeon.content.values.grammar import Constant
from dungeon.grid.regions import Parts
from dungeon.level.model import Portal, leaps_of

if TYPE_CHECKING:
    from collections.abc import Container

    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.references import Populator
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Spawn


def put_ports(populator: Populator, streams: Streams) -> None:
    """Put the props of all portals of the map where one may go by them; of a kind that is no prop nothing is seen."""
    for number, portal in enumerate(populator.canvas.portals):
        for side, cell in enumerate(portal.entries):
            stream = streams.stream("populate", "portal", number, side)
            put_port(populator, portal.kind, cell, f"portal {number + 1}", stream)


def put_port(populator: Populator, kind: str, cell: Cell, source: str, stream: Stream) -> None:
    """Put the prop of a kind of portal on a cell, if there is one."""
    if kind not in populator.catalog.things["prop"]:
        return
    request = populator.chooser.request(_prop(kind))
    thing = populator.chooser.choose(request, stream, source, populator.journal)
    if thing is not None:
        populator.put(thing, (cell,), request.keywords(thing, stream), source, None)


@cache
def _prop(tag: str) -> ObjectEntry:
    """Return what asks for a prop, the same one each time: choosers remember whoever has asked."""
    return ObjectEntry.model_validate({"prop": Selector(tags=Constant(tag))})


def join_ports(populator: Populator, first: int, name: str) -> None:
    """Let the drawn ends of portals of a prefab that has been filled lead to each other.

    Args:
        populator: What has filled it.
        first: The index of the first thing that stands in it.
        name: What the prefab is called.
    """
    canvas = populator.canvas
    ends: dict[str, list[Spawn]] = {}
    for spawn in populator.spawns[first:]:
        word = spawn.keywords.get("port") if spawn.like == "prop" else None
        if isinstance(word, str):
            ends.setdefault(word, []).append(spawn)
    for word, pair in ends.items():
        if len(pair) != 2 or not all(_is_ground(canvas, each) for each in pair):
            text = "a portal has two ends on ground that one walks on, and here it has not"
            populator.journal.note("populate", f"{name}: port {word}", "refused", text)
            continue
        one, other = sorted(pair, key=lambda each: each.keywords.get("one_way") is not True)
        both = one.keywords.get("one_way") is other.keywords.get("one_way")
        canvas.portals += (Portal(y=one.y, x=one.x, to_y=other.y, to_x=other.x, kind=one.tag, both=both),)


def _is_ground(canvas: Canvas, spawn: Spawn) -> bool:
    base = canvas.base[spawn.y, spawn.x]
    return bool(canvas.passable()[spawn.y, spawn.x]) and base not in (*t.DOORS, *t.STAIRS)


def leave_out_traps(populator: Populator, entrance: Cell, locked: Container[Cell]) -> None:
    """Leave out portals that lead one way where they might strand somebody: see `drops`.

    Args:
        populator: What has filled the level.
        entrance: Where the player arrives.
        locked: Where portals begin that are locked.
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
                "populate", subject, "refused", "nobody could be sure to come back from where it leads"
            )
    canvas.portals = tuple(kept)


def open_parts(populator: Populator, locked: Container[Cell]) -> Parts:
    """Return the parts of the ground that hang together while all is locked."""
    canvas = populator.canvas
    leaps = leaps_of(each for each in canvas.portals if each.begin not in locked)
    free = canvas.passable() & ~populator.occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    return Parts(free, leaps)
