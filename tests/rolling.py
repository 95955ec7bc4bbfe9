"""Prefabs written as an author writes them, and pictures of what becomes of them when they are rolled."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import CHARS, OBJECTS, canvas, load, write

import dungeon
from dungeon.extend import Journal, Stream
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.generation.populate.populator import Populator

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dungeon import Content, Spawn
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.extend import Drawing

NEVER_SEEN = 3.2905
"""A count strays from what is declared by more standard deviations than this in one of 1,000 cases."""


def files(prefabs: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a game with the objects of the small game, these prefabs, and two maps."""
    return {
        **OBJECTS,
        "prefabs/all.yaml": prefabs,
        "maps/m.yaml": "m: {name: M}\n",
        "maps/mines.yaml": "mines: {name: Mines}\n",
        "world.yaml": "start: m/1\nleads_to: {m/1: [mines/2]}\n",
        **(more or {}),
    }


def game(folder: Path, prefabs: str, more: Mapping[str, str] | None = None) -> Content:
    """Return the content of a game with these prefabs; it has terrain `water`."""
    return load(folder, files(prefabs, more))


def said(folder: Path, prefabs: str, more: Mapping[str, str] | None = None) -> list[str]:
    """Return what is wrong with a game, without the names of folder and file."""
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(write(folder, files(prefabs, more)))
    shown = [str(problem).replace(" error:", "") for problem in caught.value.problems]
    return [line.replace(f"{folder}/", "").removeprefix("prefabs/all.yaml:") for line in shown]


def shown(drawing: Drawing) -> str:
    """Return a drawing as text: its terrain, and the characters of its references and machines on it."""
    cells = [[CHARS[code] for code in row] for row in drawing.terrain.tolist()]
    for machine in drawing.machines:
        for (y, x), glyph in zip(machine.cells, machine.glyphs, strict=True):
            cells[y][x] = glyph
    for each in drawing.references:
        cells[each.y][each.x] = each.char
    return "\n".join("".join(row) for row in cells)


def rolls(prefab: Prefab, times: int = 400) -> Counter[str]:
    """Return picture -> how often it is what a prefab looks like, facing south."""
    return Counter(shown(prefab.variant(Stream(seed)).drawing) for seed in range(times))


def is_likely(count: int, of: int, share: float) -> bool:
    """Tell whether something that happens with that probability may well have happened so often."""
    return abs(count - of * share) <= NEVER_SEEN * sqrt(of * share * (1 - share)) + 0.5


def filled(content: Content, drawing: Drawing, *, seed: int = 0, depth: int = 1) -> Populator:
    """Put everything that stands in a drawing on an empty floor, and return what did it."""
    made = canvas("\n".join(["." * drawing.width] * drawing.height))
    occupancy = Occupancy(made)
    occupancy.expect(drawing, 0, 0)
    occupancy.set_reachable(np.ones(drawing.terrain.shape, np.bool_))
    populator = Populator(
        canvas=made,
        catalog=content.catalog,
        weigh=content.weight,
        depth=depth,
        journal=Journal(),
        occupancy=occupancy,
    )
    populator.fill(PlacedDrawing(drawing=drawing, y=0, x=0, index=0, stream=Stream(seed)))
    return populator


def stood(content: Content, drawing: Drawing, seed: int = 0, depth: int = 1) -> list[Spawn]:
    """Return what stands in a drawing, in which there is nothing that cannot be."""
    populator = filled(content, drawing, seed=seed, depth=depth)
    assert not list(populator.journal.decisions)
    return populator.spawns
