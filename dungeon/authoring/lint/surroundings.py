"""What is around the cells of drawings: doors that steps lead around, and chances that make no difference."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.registry import PLACINGS
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.prefab.drawing import Drawing, Reference
    from dungeon.terrain import TerrainSet

ACROSS, DOWN = (0, 1), (1, 0)


def look_over(subject: Subject) -> None:
    """Say which doors stand in the open, and which objects come although by chance they would stay away."""
    walled_in = _walled_in(subject)
    for name in subject.prefabs:
        _look_at_doors(subject, name)
        _look_at_chances(subject, name, edge_is_closed=name in walled_in)


def _walled_in(subject: Subject) -> set[str]:
    """Return the prefabs around which there are walls wherever they come up; none unless all who ask are known."""
    if not subject.all_right("encounter", "map", "prefab"):
        return set()
    inside: set[str] = set()
    elsewhere = {
        name for each in subject.maps for name in subject.seeded_on(each, dict(subject.ids_of(each)))
    }
    elsewhere |= {each for name, names in subject.within.items() for each in names if each != name}
    for form in subject.forms:
        faces = PLACINGS[form.entry.placing.name].faces
        (inside if faces else elsewhere).update(subject.wanted_in(form))
    return inside - elsewhere


def _look_at_doors(subject: Subject, name: str) -> None:
    drawings, record = subject.rolled(name), subject.records["prefab"][name]
    counts = Counter(
        cell for drawing in drawings for cell in _doors_in_the_open(drawing, subject.terrain_set)
    )
    for cell, some in sorted(counts.items()):
        check = "door in the open" if some == len(drawings) else "door sometimes in the open"
        subject.say_of_cell(check, record, *cell, "", some=some, all=len(drawings))


def _doors_in_the_open(drawing: Drawing, terrain_set: TerrainSet) -> Iterator[Cell]:
    """Yield the doors of which neither pair of opposite sides is closed while the other lets walkers through.

    Other doors in a row with one count as part of it. Beyond the drawing, and where the map shows through, there may be
    anything.
    """
    unknown = np.pad(drawing.terrain == t.KEEP, 1, constant_values=True)
    base = np.pad(terrain_set.base.take(drawing.terrain), 1)
    is_open = (base > t.BLOCKED) & ~np.pad(drawing.obstacles, 1)
    is_door = np.isin(base, t.DOORS) & ~unknown
    closed, is_open = ~is_open & ~unknown, is_open & ~unknown
    for y, x in np.argwhere(is_door).tolist():
        if not any(
            not any(is_open[cell] for cell in _sides(is_door, y, x, along))
            and not any(closed[cell] for cell in ((y - dy, x - dx), (y + dy, x + dx)))
            for along, (dy, dx) in ((ACROSS, DOWN), (DOWN, ACROSS))
        ):
            yield Cell(y - 1, x - 1)


def _sides(is_door: NDArray[np.bool_], y: int, x: int, along: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the first cells to both sides of a door, along a wall, that are no doors."""
    dy, dx = along
    for step in (-1, 1):
        beside = y + step * dy, x + step * dx
        while is_door[beside]:
            beside = beside[0] + step * dy, beside[1] + step * dx
        yield beside


def _look_at_chances(subject: Subject, name: str, *, edge_is_closed: bool) -> None:
    record = subject.records["prefab"][name]
    shut_in: dict[str, set[Cell]] = {}
    for drawing in subject.rolled(name):
        for reference in _shut_in(drawing, subject.terrain_set, edge_is_closed=edge_is_closed):
            shut_in.setdefault(reference.char, set()).add(reference.cell)
    for char, cells in shut_in.items():
        more = f" ({len(cells)} cells)" if len(cells) > 1 else ""
        subject.say_of_cell("chance without effect", record, *min(cells), char, cells=more)


def _shut_in(drawing: Drawing, terrain_set: TerrainSet, *, edge_is_closed: bool) -> Iterator[Reference]:
    """Yield what may stay away by chance although nobody could get to its place: all four sides of it are closed."""
    shown = drawing.terrain != t.KEEP
    inside = shown & ((terrain_set.base.take(drawing.terrain) <= t.BLOCKED) | drawing.obstacles)
    closed = np.pad(inside, 1, constant_values=edge_is_closed)
    for reference in drawing.references:
        symbol, (y, x) = reference.symbol, reference.cell
        if reference.part or not drawing.obstacles[y, x] or not symbol.is_fixed or symbol.group is not None:
            continue
        if all(chance is None or chance >= 1 for chance in symbol.chance.odds()):
            continue
        if closed[y, x + 1] and closed[y + 2, x + 1] and closed[y + 1, x] and closed[y + 1, x + 2]:
            yield reference
