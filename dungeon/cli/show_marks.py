"""`dungeon show --mark`: where a thing is on a level, in words and on the drawing, with rulers and a key of the glyphs around it."""

from __future__ import annotations

from collections import defaultdict
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.cli.calling import CallError, unknown
from dungeon.cli.printing import placement_line
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from tcod.console import Console

    from dungeon.level.model import Level, Spawn
    from dungeon.world import World

ENCOUNTER, LOCK, EXIT = "encounter", "lock", "exit"
"""The words for all encounters, all locks and all exits of a level. The kinds of objects, such as ``robot``, are words of this sort, too."""

AROUND = 4
"""The key of glyphs covers this number of cells around what is marked."""

LINE = 100
"""Width at which the key is wrapped, in characters."""


class Mark(NamedTuple):
    """Something that is marked on a level.

    Attributes:
        cells: (height, width) bool, the cells that it covers.
        lines: What it is and where, in words.
    """

    cells: NDArray[np.bool_]
    lines: tuple[str, ...]


def marks_on(level: Level, what: str) -> list[Mark]:
    """Return everything on a level that has one of some names, or is a named cell; empty if there is nothing.

    Args:
        level: The level.
        what: Names, separated by spaces. Each is the name of an encounter, category, prefab, object or lock; the id of a map that
            exits lead to; a kind of object, `ENCOUNTER`, `LOCK` or `EXIT`; or a cell ``y,x``.

    Raises:
        CallError: The cell is outside the level.
    """
    return [mark for name in what.split() for mark in _marks_of(level, name)]


def _marks_of(level: Level, what: str) -> list[Mark]:
    """Return everything on a level that has one name, or the one cell: see `marks_on`."""
    if cell := Cell.parse(what):
        y, x = cell
        if y >= level.height or x >= level.width:
            raise CallError(
                f"--mark {what} is outside {level.id}, which has {level.height} rows and {level.width} columns"
            )
        return [_mark(level, [(y, x)], f"the cell at y {y}, x {x}")]
    return [
        *_placements(level, what),
        *_spawns(level, what),
        *_locks(level, what),
        *(
            _mark(level, [(way.y, way.x)], f"exit to {way.leads_to} at y {way.y}, x {way.x}")
            for way in level.exits
            if what in (EXIT, way.leads_to)
        ),
    ]


def _mark(level: Level, cells: list[tuple[int, int]], *lines: str) -> Mark:
    mask = np.zeros(level.terrain.shape, np.bool_)
    mask[tuple(np.transpose(cells))] = True
    return Mark(mask, lines)


def _placements(level: Level, what: str) -> Iterator[Mark]:
    """Yield a mark for each placement of an encounter or prefab, with a line for each kind of object that belongs to it."""
    from dungeon.adapters.highlights import cells_of

    for number, each in enumerate(level.placements):
        if what in (each.encounter, each.prefab, each.category) or (what == ENCOUNTER and each.encounter):
            own: defaultdict[tuple[str, str, str], list[Spawn]] = defaultdict(list)
            for spawn in level.spawns:
                if spawn.placement == number and spawn.like != "debris":
                    own[spawn.glyph, spawn.tag, spawn.kind].append(spawn)
            lines = (
                f"  {glyph} {tag} ({kind}) at {'; '.join(f'y {spawn.y}, x {spawn.x}' for spawn in spawns)}"
                for (glyph, tag, kind), spawns in own.items()
            )
            yield Mark(cells_of(level, [each]), (placement_line(each).strip(), *lines))


def _spawns(level: Level, what: str) -> Iterator[Mark]:
    """Yield a mark for each object of a name or kind. An item or key that a robot or box holds is marked at its holder."""
    for holder in level.spawns:
        if what == holder.keywords.get("holds"):
            text = f"{what} (key) at y {holder.y}, x {holder.x}, held by {holder.tag} ({holder.kind})"
            yield _mark(level, [*holder.cells], text)
        for each in (holder, *holder.loadout):
            if what in (each.tag, each.kind, each.like):
                held = f", held by {holder.tag} ({holder.kind})" if each is not holder else ""
                of = level.placements[holder.placement].encounter if holder.placement is not None else ""
                text = f"{each.glyph} {each.tag} ({each.kind}) at y {holder.y}, x {holder.x}{held}"
                yield _mark(level, [*holder.cells], text + (f", of {of}" if of else ""))


def _locks(level: Level, what: str) -> Iterator[Mark]:
    """Yield a mark for each lock of a name, and for each key that opens it."""
    from dungeon.adapters.console import key_text, lock_text
    from dungeon.proof.solution import solution_of

    told = solution_of(level)
    for lock in told.locks:
        if what in (LOCK, lock.word):
            yield _mark(level, [lock.cell], lock_text(level, lock))
    for key in told.keys:
        if what == LOCK or what in key.words:
            yield _mark(level, [*level.spawns[key.spawn].cells], key_text(level, key))


def mark_lines(level: Level, what: str, world: World) -> Iterator[str]:
    """Yield what is marked, or why nothing is, for each of some names; then the key of the glyphs around all that is marked.

    Args:
        level: The level.
        what: The names, as for `marks_on`.
        world: The level's world.

    Raises:
        CallError: Nothing in the world's content has such a name.
    """
    for name in what.split() or [what]:
        marks = _marks_of(level, name)
        yield from [f"marked {name}: {len(marks)}"] if marks else _absence(level, name, world)
        yield from (f"  {line}" for mark in marks for line in mark.lines)
    if marks := marks_on(level, what):
        yield from wrap(
            f"key: {', '.join(_key(level, all_cells(level, marks)))}", LINE, subsequent_indent="  "
        )


def all_cells(level: Level, marks: list[Mark]) -> NDArray[np.bool_]:
    """Return a mask of all marked cells of a level, shape (height, width)."""
    cells = np.zeros(level.terrain.shape, np.bool_)
    for mark in marks:
        cells |= mark.cells
    return cells


def _absence(level: Level, what: str, world: World) -> Iterator[str]:
    """Yield why an encounter or prefab is not on a level."""
    from dungeon.cli.why import lines_about

    content = world.content
    things = content.catalog.things
    known = [
        *(ENCOUNTER, LOCK, EXIT, *things, *content.encounters, *content.prefab_names, *content.locks),
        *(tag for named in things.values() for tag in named),
        *content.chart.spots,
    ]
    if what not in known and not any(what == key.lock for key in world.keys):
        raise unknown(
            "encounter, prefab, object, lock or map", what, known, there="name one, or a cell as Y,X"
        )
    yield f"nothing to mark: {level.id} has no {what} in this world"
    if what in content.encounters or content.has_prefab(what):
        cases = world.why(level.id, level)
        yield from (f"  {line}" for line in lines_about(level, what, cases, content))


def _key(level: Level, cells: NDArray[np.bool_]) -> Iterator[str]:
    """Yield each glyph drawn on or near some cells with the name of what it shows: objects from the top-most kind, then terrain."""
    from dungeon.adapters.scene import as_seen, figures_of, in_draw_order

    near = np.zeros_like(cells)
    for y, x in np.argwhere(cells).tolist():
        near[max(y - AROUND, 0) : y + AROUND + 1, max(x - AROUND, 0) : x + AROUND + 1] = True
    names: defaultdict[str, dict[str, None]] = defaultdict(dict)
    free = near.copy()
    for spawn in reversed(in_draw_order(level.spawns)):
        for figure in figures_of(spawn):
            if free[figure.cell]:
                free[figure.cell] = False
                names[f"{spawn.tag} ({spawn.kind})"][figure.glyph] = None
    codes = as_seen(level.terrain, level.terrain_set)[free]
    for code in np.unique(codes).tolist():
        names[level.terrain_set.names[code]][chr(level.terrain_set.glyph[code])] = None
    for name, glyphs in names.items():
        yield f"{''.join('space' if glyph == ' ' else glyph for glyph in glyphs)} {name}"


# -- the drawing -----------------------------------------------------------------------------------

MARKED = (150, 0, 110)
"""The background of marked cells."""

RULER, POINTER = (130, 130, 140), (255, 130, 230)
"""The colours of the rulers, and of what points at marked rows and columns."""

DIMMED = 0.5
"""Brightness of everything that is not marked."""

TICK = 10
"""The rulers number every tenth row and column."""


def with_marks(drawing: Console, cells: NDArray[np.bool_]) -> Console:
    """Return the drawing of a level with marked cells: all others are darker, and rulers point at marked rows and columns.

    Args:
        drawing: The drawing, with a character for each cell of the level; it is changed.
        cells: (height, width) bool, the marked cells.
    """
    from tcod.console import Console

    height, width = cells.shape
    tiles = drawing.rgb
    for colour in ("fg", "bg"):
        tiles[colour][~cells] = (tiles[colour][~cells] * DIMMED).astype(np.uint8)
    tiles["bg"][cells] = MARKED
    rows, columns = (np.logical_or.reduce(cells, axis=axis).tolist() for axis in (1, 0))
    left = len(str(height)) + 2
    console = Console(left + width, 2 + height, order="C")
    for y in range(height):
        starts = rows[y] and not (y and rows[y - 1])
        if starts or y % TICK == 0:
            console.print(0, 2 + y, str(y).rjust(left - 2), fg=POINTER if rows[y] else RULER)
        if rows[y]:
            console.print(left - 2, 2 + y, ">", fg=POINTER)
    for x in range(0, width, TICK):
        console.print(left + x, 0, str(x), fg=RULER)
    for x in range(width):
        if columns[x] or x % TICK == 0:
            console.print(left + x, 1, "v" if columns[x] else "'", fg=POINTER if columns[x] else RULER)
    drawing.blit(console, left, 2)
    return console
