"""Lakes, rivers and chasms on the ground: where ways go on across them, and what their banks are made of."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.dressing.chasms import chasms
from dungeon.generation.dressing.lakes import lakes
from dungeon.generation.dressing.outcome import Outcome
from dungeon.generation.dressing.rivers import courses
from dungeon.generation.dressing.ways import ways_across

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.content.models.dressing import BodyEntry, ChasmEntry, LakeEntry, RiverEntry
    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground

CUTS_OFF = "wherever it was tried it would cut a way, and it has no 'crossing'"

LAKES, CHASMS = 32, 256
"""Maximum number of shapes that are tried for one lake and one chasm: a refusal takes time in proportion to the area."""


def lake(ground: Ground, entry: LakeEntry, stream: Stream) -> Outcome:
    """Lay a lake where there is space for it."""
    wanted = roll(entry.cells, stream, 20)
    area = ground.soft & ground.asked(entry, stream)
    shapes = islice(lakes(ground, area, wanted, stream), LAKES)
    return _laid(ground, entry, shapes, stream, f"nowhere is there space for {counted(wanted, 'cell')}")


def river(ground: Ground, entry: RiverEntry, stream: Stream) -> Outcome:
    """Let a river flow, where it comes past something open."""
    width = roll(entry.width, stream, 1)
    part = ground.part(entry, stream)
    seen = ground.soft & ground.of_kind(entry.regions)
    area = (seen | ground.rock) & ground.board.block(*part)
    shapes = (each for each in courses(ground, area, part, width, stream) if each & seen)
    return _laid(ground, entry, shapes, stream, "no way leads from edge to edge")


def chasm(ground: Ground, entry: ChasmEntry, stream: Stream) -> Outcome:
    """Tear the ground open."""
    length, width = roll(entry.length, stream, 12), roll(entry.width, stream, 2)
    part = ground.board.block(*ground.part(entry, stream))
    seen = ground.soft & ground.of_kind(entry.regions) & part
    shapes = islice(chasms(ground, seen | ground.rock & part, seen, length, width, stream), CHASMS)
    return _laid(ground, entry, shapes, stream, f"nowhere is there space for {counted(length, 'cell')}")


def _laid(ground: Ground, entry: BodyEntry, shapes: Iterable[int], stream: Stream, lacking: str) -> Outcome:
    """Lay the first of some shapes that leaves walkers their ways.

    Args:
        ground: The map.
        entry: What its author says.
        shapes: The cells of each.
        stream: Where chance comes from.
        lacking: Why there may be none.
    """
    name = roll(entry.what, stream, "")
    if not name:
        return Outcome(done=False, text="its terrain does not apply this time")
    board, code = ground.board, ground.codes[name]
    is_walked = bool(ground.canvas.terrain_set.walkable[code])
    for shape in shapes:
        if is_walked:
            flood, crossings = shape & ground.soft, 0  # what one can wade through opens no ways through rock
        else:
            flood, crossings = ways_across(board, ground.walked, shape, ground.soft, stream)
        if crossings and entry.crossing is None:
            lacking = CUTS_OFF
            continue
        if not is_walked and (fault := ground.lost(flood & ~crossings)):
            lacking = f"wherever it was tried {fault}"
            continue
        ground.lay(flood & ~crossings, code)
        if entry.crossing is not None:
            ground.strew(crossings, entry.crossing, stream)
        if entry.bank is not None:
            ground.strew(board.around(flood) & ground.floor & ~crossings, entry.bank, stream)
        y, x = board.nth(flood, flood.bit_count() // 2)
        text = f"{counted(flood.bit_count(), 'cell')} of {name} about y {y}, x {x}"
        if crossings:
            text += f", {counted(crossings.bit_count(), 'cell')} across"
        return Outcome(done=True, text=text)
    return Outcome(done=False, text=lacking)
