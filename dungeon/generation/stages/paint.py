"""Painting: terrain gets the look of the map's theme, or of that of its zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.level.steps import Phase, Step
from dungeon.terrain import BUILT_IN, CAVE, CORRIDOR, CORRIDOR_KINDS, FLOOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.exits import Access
    from dungeon.generation.stages.state import LevelState


def close_behind(brief: Brief, state: LevelState, access: Access) -> Stage[None]:
    """Leave bare ground where the player arrives on a map from which no way leads back."""
    canvas, entrance = state.canvas, access.ways.entrance
    if brief.one_way:
        here = int(canvas.region[entrance])
        kind = canvas.regions[here - 1].kind if here else ""
        grounds = {"cave": CAVE, "corridor": CORRIDOR} | dict.fromkeys(CORRIDOR_KINDS, CORRIDOR)
        canvas.put(*entrance, grounds.get(kind, FLOOR))
        yield Step(Phase.PAINT, "no way leads back", canvas)


def paint(brief: Brief, state: LevelState) -> Stage[None]:
    """Tell junctions and halls from corridors, if content does, and give terrain the look of the theme of its zone, or the map."""
    canvas = state.canvas
    for message, terrain in coats(brief, state):
        canvas.terrain = terrain
        if message:
            yield Step(Phase.PAINT, message, canvas)


def coats(brief: Brief, state: LevelState) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Yield what each coat of paint would make of the terrain, the last one all of it, with what is said of it, if anything.

    The canvas stays as it is.
    """
    canvas, bare = state.canvas, state.canvas.terrain.copy()
    known = brief.content.terrain_set.codes
    own = {name: known[name] for name in CORRIDOR_KINDS if known.get(name, 0) >= BUILT_IN}
    if own:
        kinds = [CORRIDOR, *[own.get(region.kind, CORRIDOR) for region in canvas.regions]]
        cells = bare.ravel()
        floor = (cells == CORRIDOR).nonzero()[0]
        cells[floor] = np.array(kinds, np.uint8)[canvas.region.ravel()[floor]]
    painted = bare
    theme, themes = brief.entry.theme, brief.content.themes
    yield "", bare
    if theme is not None:
        painted = themes[theme].take(bare)
        yield f"painted as {theme}", painted
    for zone in state.zones:
        if zone.theme:
            painted = painted.copy()
            for rect in zone.area:
                painted[rect.slices] = themes[zone.theme].take(bare[rect.slices])
            yield f"{zone.name} painted as {zone.theme}", painted
