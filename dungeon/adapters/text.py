"""A level, or a sample of a prefab, as plain text; and what its locks divide, and what opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.adapters.scene import Scene, as_seen, figures
from dungeon.core.errors import counted
from dungeon.core.wanted import A_SCENE, check_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.model import Level
    from dungeon.proof.level.solution import SolvedArea


def to_text(level: Scene, *, spawns: bool = True) -> str:
    """Return the level, or a sample of a prefab, as lines of characters, one a cell, each line ended by a newline.

    Args:
        level: The level, or whatever else has terrain and spawns.
        spawns: Whether to show what stands on the terrain.
    """
    check_type(level, Scene, "to_text", A_SCENE)
    codes = as_seen(level.terrain, level.terrain_set)
    rows = [list(map(chr, row)) for row in level.terrain_set.glyph[codes].tolist()]
    if spawns:
        for figure in figures(level):
            rows[figure.cell.y][figure.cell.x] = figure.glyph
    return "".join("".join(row) + "\n" for row in rows)


def to_graph(level: Level) -> str:
    """Return the areas into which a level's locks divide it, and its locks and keys, each a line; then its portals.

    Rounds are those in which all is opened that can be; in round 0 nothing is, and what is in reach then is from the start.
    """
    return "".join(f"{line}\n" for line in _graph(level))


def _graph(level: Level) -> Iterator[str]:
    yield from _locks_and_keys(level)
    for portal in level.portals:
        leads = "leads to and fro" if portal.both else "leads on"
        yield f"  {portal.kind} at y {portal.y}, x {portal.x} {leads}: y {portal.to_y}, x {portal.to_x}"


def _locks_and_keys(level: Level) -> Iterator[str]:
    from dungeon.proof.level.solution import solution_of  # noqa: PLC0415 - few ask for it

    told = solution_of(level)
    if not told.locks:
        yield "no locks"
        return
    rounds = counted(told.rounds, "round")
    yield f"{counted(len(told.locks), 'lock')} between {counted(len(told.areas), 'area')}, opened in {rounds}"
    names = {(lock.y, lock.x): lock.name for lock in level.locks}
    for area in told.areas:
        yield f"  area {area.number}: {counted(area.cells, 'cell')} {_held_by(level, area)}{_when(area.sphere)}"
    for lock in told.locks:
        lies = f", {counted(lock.distance, 'step')} from the nearest key" if lock.distance is not None else ""
        sides = " and ".join(f"area {number}" for number in lock.areas)
        word = f"{lock.word} ({names[lock.cell]})" if names.get(lock.cell) else lock.word
        yield f"  lock {word}: {lock.what} at y {lock.cell.y}, x {lock.cell.x}, {sides}{lies}{_when(lock.sphere)}"
    for key in told.keys:
        spawn = level.spawns[key.spawn]
        how = " once" if key.consumed else " to and fro" if key.toggles else ""
        words = ", ".join(key.words) + how
        where = f"area {key.areas[0]}" if key.areas else "locked in"
        yield f"  key {words}: {spawn.tag} at y {spawn.y}, x {spawn.x}, {where}{_when(key.sphere)}"


def _held_by(level: Level, area: SolvedArea) -> str:
    """Return in which regions an area lies."""
    kinds = [f"{kind} {number}" for number in area.regions if (kind := level.kinds.get(number))]
    more = f" and {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return f"in {', '.join(kinds[:3])}{more}" if kinds else "in no region"


def _when(sphere: int | None) -> str:
    """Return when something is reached, or opened."""
    return "; never" if sphere is None else f"; round {sphere}" if sphere else "; from the start"
