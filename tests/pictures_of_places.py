"""The pictures of the pages of techniques that show an encounter placed in drawn rooms and caves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from drawn import canvas
from panels import even
from pictures import DEPTH, draws, marked, number, picture
from placed import on_sites, settled

from dungeon import Cell, Rect
from dungeon.core.registry import PLACINGS
from dungeon.extend import Journal, Sites, Streams
from dungeon.generation.placing.attempt import PlacedRequest, PlacingRequest, attempt
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.generation.populate.populator import Populator
from dungeon.generation.populate.scattering import Scatter, scatter_content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scenes import Scene

    from dungeon import Canvas, Spawn
    from dungeon.extend import Drawing


@dataclass
class Tried:
    """A request for an encounter in the rooms or caves of a scene."""

    scene: Scene
    canvas: Canvas
    sites: Sites
    request: PlacingRequest

    @classmethod
    def of(cls, scene: Scene) -> Tried:
        """Return it before it is tried."""
        content = scene.content
        made = settled(canvas(even(scene.given["map"]).replace(" ", "_")))
        made.terrain_set = content.terrain_set
        encounter = content.encounters["scene"]
        mode = PLACINGS[encounter.placing.name]
        request = PlacingRequest(
            name=("place", "scene", 1),
            mode=mode,
            params=content.placings["scene"],
            prefabs=content.choices["scene"],
            access=encounter.access or mode.access,
        )
        return cls(scene, made, Sites.of(made), request)

    def spots(self, rules: int | None = None, **shape: int) -> Iterator[tuple[Drawing, Cell, Cell]]:
        """Yield every spot, or those that the first few rules leave: a drawing, its top left cell, its cell of the site.

        Args:
            rules: How many rules are asked, of those that know no drawing; all rules of both kinds by default.
            shape: What is different of the prefabs' shapes.
        """
        mode = self.request.mode
        options = mode.settle(self.request.params, Streams(1).stream("options"))
        eligible = self.sites.having(mode.kinds, *self.request.access)
        for prefab in self.request.prefabs:
            for drawing in prefab.drawings:
                (alike,) = (
                    each for each, ways in prefab.shapes(faces=mode.faces) if drawing.orientation in ways
                )
                asked = alike._replace(**shape)
                masks = [mask for _, mask in mode.spots(eligible, asked, options)][:rules]
                if rules is None:
                    masks += [mask for _, mask in mode.suits(eligible, drawing, options, masks[-1])]
                    masks += [on_sites(mode, eligible, drawing, options, masks[-1])]
                down, across = mode.anchor(asked)
                for cell in eligible.board.cells(masks[-1]):
                    yield drawing, Cell(cell.y - down, cell.x - across), cell

    def ends(self, rules: int, **shape: int) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells of the site to which such spots belong."""
        found = np.zeros(self.canvas.terrain.shape, np.bool_)
        for _, _, cell in self.spots(rules, **shape):
            found[cell] = True
        return found


@draws("place")
def _(scene: Scene, label: str) -> str:
    """Draw rooms before and after placing.

    "seed 3": it is placed; "where it fits": the sites with a spot; "target 2 of 5": what the second spot covers;
    "ends left by rule 2": cells to which the spots belong that two rules leave; "depths": how far these stand out; "why": why not.
    """
    tried = Tried.of(scene)
    if label == "where it fits":
        regions = {tried.canvas.region[cell] for _, _, cell in tried.spots()}
        return marked(tried.canvas, (np.isin(tried.canvas.region, [*regions]), "o"))
    if label.startswith("ends left by rule"):
        return marked(tried.canvas, (tried.ends(number(label, "rule", 1)), "*"))
    if label == "depths":
        deep = {depth: tried.ends(2, max_protrusion=depth) for depth in range(9, 0, -1)}
        return marked(tried.canvas, *((cells, str(depth)) for depth, cells in deep.items()))
    if label.startswith("target"):
        chosen, count = map(int, re.findall(r"\d+", label))
        found = [(drawing, cell) for drawing, cell, _ in tried.spots()]
        assert len(found) == count, len(found)
        drawing, (y, x) = found[chosen - 1]
        target = np.zeros(tried.canvas.terrain.shape, np.bool_)
        target[Rect(y, x, drawing.height, drawing.width).slices] = True
        return marked(tried.canvas, (target, "p"))
    streams = Streams(number(label, "seed", 1))
    placed = attempt(tried.canvas, tried.sites, tried.request, streams)
    if label == "why":
        assert isinstance(placed, SpaceRefusal)
        return "\n".join([placed.reason, *(f"{count} {rule}" for rule, count in placed.counts)])
    assert isinstance(placed, PlacedRequest), placed
    return picture(tried.canvas.terrain, tried.canvas.terrain_set, filled(tried, placed, streams))


def filled(tried: Tried, placed: PlacedRequest, streams: Streams) -> list[Spawn]:
    """Return the objects in a placed encounter."""
    content, made, drawing = tried.scene.content, tried.canvas, placed.drawing
    occupancy = Occupancy(made)
    if drawing is not None:
        occupancy.expect(drawing, placed.bounds.y, placed.bounds.x)
    occupancy.set_reachable(made.passable() & ~occupancy.obstacles)
    populator = Populator(
        canvas=made,
        catalog=content.catalog,
        weigh=content.weight,
        depth=DEPTH,
        journal=Journal(),
        occupancy=occupancy,
    )
    name = ("populate", "encounter", "scene", 1)
    if drawing is not None:
        stream = streams.stream(*name)
        populator.fill(
            PlacedDrawing(drawing=drawing, y=placed.bounds.y, x=placed.bounds.x, index=None, stream=stream)
        )
    entries = content.encounters["scene"].content
    if entries:
        scatter_content(
            populator, Scatter(entries=entries, index=0, name=name, region=placed.region), streams
        )
    return populator.spawns
