"""What is found out about a drawing's ground is found out once: most variants of a prefab share one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.terrain import TerrainSet

T = TypeVar("T")


class _Known(dict[tuple[object, ...], Any]):
    """Who has asked, how the ground lay, its links, and what else was asked -> what came of it."""

    def __init__(self, terrain_set: TerrainSet) -> None:
        super().__init__()
        self.terrain_set = terrain_set


def remembered(find: Callable[..., T], drawing: Drawing, terrain_set: TerrainSet, *more: object) -> T:
    """Return `find(drawing, terrain_set, *more)`, found out once for as long as the drawing's ground lasts.

    Args:
        find: Asks for nothing but the ground of a drawing, how it lies, and its links.
        drawing: The drawing.
        terrain_set: What its codes mean.
        more: What else is asked; must be hashable.
    """
    known = drawing.ground.notes.get(_Known)
    if not isinstance(known, _Known) or known.terrain_set is not terrain_set:
        known = drawing.ground.notes[_Known] = _Known(terrain_set)
    key = (find, drawing.orientation, drawing.links, *more)
    if key not in known:
        known[key] = find(drawing, terrain_set, *more)
    found: T = known[key]
    return found
