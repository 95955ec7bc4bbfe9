"""Random samples of single prefabs without a map, for authors to look at and for tests to count: a variant of the drawing with its objects."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon.authoring.uses import shallowest
from dungeon.content.values.prefab_weights import parts_of
from dungeon.core.streams import Streams, seed_of
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.generation.populate.populator import Populator
from dungeon.generation.populate.sample import Sample
from dungeon.generation.populate.scattering import scatter_company
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.symmetry import Orientation
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal

if TYPE_CHECKING:
    from typing import SupportsIndex

    from dungeon.content.library import Content
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.level.model import Spawn

OTHER_DEPTH = 1
"""The depth of a prefab that is not used."""

FRAME = 2
"""Cells around the drawing: a ring of floor, and around it the closed edge that every canvas has."""


@dataclass(slots=True)
class Sampler:
    """Makes random samples of prefabs, and keeps what all samples of a prefab share.

    Attributes:
        content: The game's content.
        depths: Cache: prefab -> its default depth.
        sets: Cache: (prefab, orientation) -> (drawing, canvas with the drawing), for prefabs that never vary.
    """

    content: Content
    depths: dict[str, int] = field(default_factory=dict)
    sets: dict[tuple[str, Orientation], tuple[Drawing, Canvas]] = field(default_factory=dict)

    def sample(
        self,
        name: str,
        *,
        seed: SupportsIndex | str = 0,
        number: int = 0,
        orientation: Orientation | str | None = None,
        depth: int | None = None,
    ) -> Sample:
        """Return a random sample of a prefab; arguments and errors are those of `sample_prefab`."""
        name = self.chosen(name, seed, number)
        prefab = self._prefab(name)
        laid = _permitted(prefab, orientation)
        if depth is None:
            depth = self.depth(name)
        streams = Streams(seed_of(seed), "sample", name, number)
        drawing, canvas = self._set(prefab, streams, laid)
        populator = self._populator(drawing, canvas, depth)
        placed = PlacedDrawing(
            drawing=drawing, y=FRAME, x=FRAME, index=None, stream=streams.stream("populate")
        )
        populator.fill(placed)
        for company in populator.companies:
            scatter_company(populator, company, (), streams)
        return Sample(
            name=name,
            number=number,
            depth=depth,
            drawing=drawing,
            terrain_set=self.content.terrain_set,
            spawns=tuple(map(_in_drawing, populator.spawns)),
            journal=tuple(populator.journal.decisions),
        )

    def chosen(self, name: str, seed: SupportsIndex | str, number: int) -> str:
        """Return the name of the prefab that a sample shows: one of the variants of the prefab `name`, or `name` if it has none.

        Variants are drawn by weight, wherever they may be used.

        Args:
            name: The name.
            seed: The seed of the samples.
            number: The number of the sample.
        """
        variants = self.content.variants_of(name)
        if not variants:
            return name
        parts = parts_of(variants, self.content.variants)
        return Streams(seed_of(seed), "sample", name, number).winner(parts, "variant of it")

    def depth(self, name: str) -> int:
        """Return the lowest depth at which a prefab is used; 1 if it is not used."""
        if name not in self.depths:
            depth = shallowest(self.content, name)
            self.depths[name] = OTHER_DEPTH if depth is None else depth
        return self.depths[name]

    def _set(self, prefab: Prefab, streams: Streams, orientation: Orientation) -> tuple[Drawing, Canvas]:
        """Return a random variant of the prefab's drawing in an orientation, and a canvas on which it is drawn."""
        if prefab.varies:
            return self._on_canvas(prefab.variant(streams.stream("variant")).drawing.turned(orientation))
        key = prefab.name, orientation
        if key not in self.sets:
            self.sets[key] = self._on_canvas(prefab.drawing.turned(orientation))
        return self.sets[key]

    def _on_canvas(self, drawing: Drawing) -> tuple[Drawing, Canvas]:
        height, width = drawing.height, drawing.width
        canvas = Canvas(height + 2 * FRAME, width + 2 * FRAME, self.content.terrain_set)
        region = canvas.carve_room(Rect(1, 1, height + 2 * FRAME - 2, width + 2 * FRAME - 2))
        canvas.stamp(FRAME, FRAME, drawing.terrain, region)
        return drawing, canvas

    def _prefab(self, name: str) -> Prefab:
        if name not in self.content.prefabs:
            raise self.content.no_prefab(name)
        return self.content.prefabs[name]

    def _populator(self, drawing: Drawing, canvas: Canvas, depth: int) -> Populator:
        """Return a populator that chooses the objects of the drawing on this canvas, without changing the canvas."""
        occupancy = Occupancy(canvas)
        occupancy.expect(drawing, FRAME, FRAME)
        inside = np.zeros(canvas.terrain.shape, np.bool_)
        inside[FRAME:-FRAME, FRAME:-FRAME] = True
        occupancy.set_reachable(canvas.passable() & ~occupancy.obstacles & inside)
        return Populator(
            canvas=canvas,
            catalog=self.content.catalog,
            weigh=self.content.weight,
            depth=depth,
            journal=Journal(),
            occupancy=occupancy,
        )


def _permitted(prefab: Prefab, asked: Orientation | str | None) -> Orientation:
    """Return the orientation of a sample: as asked, else as drawn, else the first permitted one. ValueError if `asked` is not permitted."""
    permitted = prefab.orientations
    if asked is None:
        return Orientation.R0 if Orientation.R0 in permitted else permitted[0]
    label = asked if isinstance(asked, str) else asked.label
    for each in permitted:
        if each.label == label:
            return each
    labels = ", ".join(each.label for each in permitted)
    raise ValueError(f"the prefab {prefab.name!r} can't have the orientation {label}; it permits {labels}")


def _in_drawing(spawn: Spawn) -> Spawn:
    """Return a spawn with coordinates relative to the drawing's top-left cell."""
    cells = tuple(Cell(y - FRAME, x - FRAME) for y, x in spawn.cells)
    return replace(spawn, y=cells[0].y, x=cells[0].x, cells=cells)
