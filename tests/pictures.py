"""The pictures of the pages of techniques: for each kind of scene, what our code makes of it. Here: single prefabs."""

from __future__ import annotations

import re
import string
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from drawn import CHARS, WATER
from panels import ARROW, Panel, block_of, lines

import dungeon
from dungeon import Orientation
from dungeon.adapters.scene import figures_of, in_draw_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray
    from scenes import Scene

    from dungeon import Canvas, Level, Sample, Spawn
    from dungeon.terrain import TerrainSet

DEPTH = 2
"""Where prefabs are rolled."""

ORIENTATIONS = [each.label for each in Orientation]
STEPS = {(1, 0): "v", (-1, 0): "^", (0, -1): "<", (0, 1): ">"}
MARKS = {"connector": "*", "diggable": "o", "closed": "x"}
LETTERS = string.ascii_lowercase
CATEGORY_MARKS = {"fluff": "f", "risk": "?", "danger": "!", "reward": "$"}

DRAWERS: dict[str, Callable[[Scene, str], str]] = {}
"""Kind of scene -> what draws one of its panels."""


def redrawn(scene: Scene) -> str:
    """Return a scene's block as our code draws it."""
    draw = DRAWERS[scene.kind]
    return block_of(
        [
            Panel(each.label, draw(scene, each.label.removeprefix(ARROW))) if each.is_drawn else each
            for each in scene.panels
        ]
    )


def draws(kind: str) -> Callable[[Callable[[Scene, str], str]], Callable[[Scene, str], str]]:
    """Register what draws the panels of a kind of scene."""

    def register(draw: Callable[[Scene, str], str]) -> Callable[[Scene, str], str]:
        assert kind not in DRAWERS
        DRAWERS[kind] = draw
        return draw

    return register


def number(label: str, word: str, otherwise: int) -> int:
    """Return the number after a word in a label."""
    found = re.search(rf"\b{word} (\d+)", label)
    return int(found[1]) if found else otherwise


def cells_of(terrain: NDArray[np.uint8], kinds: TerrainSet) -> list[list[str]]:
    """Return the characters of terrain: built-in kinds in those of the page, an author's in his own."""
    return [
        [CHARS[code] if code in CHARS and code != WATER else chr(kinds.glyph[code]) for code in row]
        for row in terrain.tolist()
    ]


def picture(terrain: NDArray[np.uint8], kinds: TerrainSet, spawns: Iterable[Spawn] = ()) -> str:
    """Return terrain with what stands on it."""
    rows = cells_of(terrain, kinds)
    for figure in chain.from_iterable(map(figures_of, in_draw_order(spawns))):
        rows[figure.cell.y][figure.cell.x] = figure.glyph
    return lines(rows)


def marked(drawn: Canvas | Level, *marks: tuple[NDArray[np.bool_], str]) -> str:
    """Return terrain with marks on some cells: (height, width) bool, and what to put there."""
    rows = cells_of(drawn.terrain, drawn.terrain_set)
    for cells, mark in marks:
        for y, x in np.argwhere(cells).tolist():
            rows[y][x] = mark
    return lines(rows)


# -- prefabs --------------------------------------------------------------------------------------


@draws("roll")
def _(scene: Scene, label: str) -> str:
    """Draw a roll of a prefab: "roll 3", "r90", "depth 4", "NAME", or several of them; "told": what the game is told."""
    words = re.sub(r"\b(roll|depth) \d+", "", label).replace(",", "").split()
    content = scene.content
    sample = dungeon.sample_prefab(
        content,
        next((word for word in words if word in content.prefabs), "example"),
        number=number(label, "roll", 1),
        orientation=next((word for word in words if word in ORIENTATIONS), None),
        depth=number(label, "depth", DEPTH),
    )
    return told(sample) if "told" in words else picture(sample.terrain, sample.terrain_set, sample.spawns)


def told(sample: Sample) -> str:
    """Return what the game is told of everything that stands in a roll, a line each."""
    listed = [
        f"{spawn.glyph} {spawn.tag}"
        + "".join(f", {key} {word(value)}" for key, value in sorted(spawn.keywords.items()))
        for spawn in sorted(sample.spawns, key=lambda each: (each.y, each.x))
    ]
    return "\n".join(listed) or "nothing"


def word(value: object) -> str:
    """Return a keyword's value as an author would write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@draws("links")
def _(scene: Scene, label: str) -> str:
    """Draw where and whereto the links of a prefab lead: "r90" as it lies so."""
    prefab = scene.content.prefabs["example"]
    drawing = prefab.drawing.turned(dungeon.Orientation.named(label if label in ORIENTATIONS else "r0"))
    rows = cells_of(drawing.terrain, scene.content.terrain_set)
    for link in drawing.links:
        rows[link.y][link.x] = STEPS[link.dy, link.dx] if link.kind == "tunneler" else MARKS[link.kind]
    ways = [
        f"{STEPS[link.dy, link.dx]} {link.width} wide" for link in drawing.links if link.kind == "tunneler"
    ]
    return "\n".join([lines(rows), "", *dict.fromkeys(ways)]).rstrip()
