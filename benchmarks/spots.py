"""Time to find every spot of a prefab on a 200x200 map, in all its orientations.

Run from the checkout's root: `python benchmarks/spots.py`. Every figure is the median CPU time over many runs, each on newly listed
sites. Facts about the map that all placements share are timed apart.
"""

from __future__ import annotations

import statistics
import sys
from functools import partial
from itertools import pairwise
from time import process_time
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from measured import Measured

import dungeon.generation.built_in  # registers the layouts  # noqa: F401
from dungeon import terrain as t
from dungeon.content.prefab.drawing import Drawing, DrawnGround
from dungeon.core.registry import CAVES, LAYOUTS, PLACINGS, Shape
from dungeon.core.streams import Stream, Streams
from dungeon.generation.layouts.job import LayoutJob
from dungeon.generation.placing.sites import Sites
from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of, components
from dungeon.grid.symmetry import ALL_ORIENTATIONS
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
SIDE = 200
RUNS = 60
GOAL = 0.3
MAX_PROTRUSION = 2
SIZES = ((9, 12), (5, 7))
"""(height, width) of the prefabs; the first one has the goal."""


def main() -> None:
    """Measure, and print the table."""
    smallest = sys.argv[1:] == ["--smallest"]
    noted = Measured(checks_goals=not smallest)
    rooms, caves = tunnels(), blobs()
    print(f"{'what':44} {'number':>7} {'median':>9} {'goal':>9}")
    for what, canvas in (("rooms", rooms), ("caves", caves)):
        row(
            f"list the sites of a map of {what}",
            len(Sites.of(canvas).sites),
            median(lambda c: c, Sites.of, canvas),
        )
    row("ask what is earth, and whose floor is where", 1, median(Sites.of, prepare, caves))
    for size in SIZES[:1] if smallest else SIZES:
        laid = drawings(*size)
        for mode, canvas in (
            ("enclosed", rooms),
            ("cubby", rooms),
            ("accessible", rooms),
            ("embedded", caves),
            ("centered", caves),
        ):
            search = partial(find, mode=mode, laid=laid)
            count = search(prepare(Sites.of(canvas)))
            figure = median(lambda canvas: prepare(Sites.of(canvas)), search, canvas)
            row(f"{mode} {size[1]}x{size[0]}, all 8 orientations", count, figure, GOAL)
            noted.add(f"milliseconds of {mode} {size[1]}x{size[0]}", figure if count else 0, GOAL)
    noted.exit()


def row(what: str, count: int, milliseconds: float, goal: float | None = None) -> None:
    """Print one line of the table."""
    print(f"{what:44} {count:7} {milliseconds:6.3f} ms" + (f" {goal:6.1f} ms" if goal else ""))


def median(before: Callable[[Canvas], T], work: Callable[[T], object], canvas: Canvas) -> float:
    """Return the median CPU time of a piece of work in milliseconds; `before` prepares each run and is not counted."""
    times = []
    for ready in [before(canvas) for _ in range(RUNS)]:
        start = process_time()
        work(ready)
        times.append(process_time() - start)
    return 1000 * statistics.median(times)


def prepare(sites: Sites) -> Sites:
    """Compute everything about the sites that does not depend on the prefab."""
    ground = sites.ground
    _ = ground.earth, ground.ways, ground.open
    _ = ground.digits(CAVES, 2, 16), ground.digits(CAVES, 16, 2)
    for side in range(4):
        sites.facing(side)
    for placing in PLACINGS.values():
        sites.having(placing.kinds, *placing.access).near_middle(2)
    return sites


def find(sites: Sites, mode: str, laid: list[Drawing]) -> int:
    """Return the number of spots for a prefab, searched as the placing of an encounter searches."""
    placing = PLACINGS[mode]
    eligible = sites.having(placing.kinds, *placing.access)
    options = placing.settle(placing.params(), Stream(0))
    by_shape: dict[Shape, int] = {}
    count = 0
    for drawing in laid:
        front = drawing.orientation.turns if placing.faces else 0
        shape = Shape(drawing.height, drawing.width, front, MAX_PROTRUSION)
        if shape not in by_shape:
            by_shape[shape] = last(placing.spots(eligible, shape, options), 0)
        count += last(placing.suits(eligible, drawing, options, by_shape[shape]), by_shape[shape]).bit_count()
    return count


def last(rules: Iterator[tuple[str, int]], otherwise: int) -> int:
    """Apply `rules`, given as (name, mask of what is left); return the mask of the last, or 0 after one that leaves nothing.

    Without rules, return the mask `otherwise`.
    """
    for _, left in rules:
        otherwise = left
        if not left:
            break
    return otherwise


def drawings(height: int, width: int) -> list[Drawing]:
    """Return a vault with an open front, in all 8 orientations."""
    codes = np.full((height, width), t.FLOOR, np.uint8)
    codes[1:-2, 2] = t.WALL
    base = Drawing(DrawnGround(codes, np.zeros(codes.shape, np.bool_)))
    return [base.turned(orientation) for orientation in ALL_ORIENTATIONS]


def tunnels() -> Canvas:
    """Return a map of large rooms along corridors."""
    canvas = Canvas(SIDE, SIDE)
    job = LayoutJob(streams=Streams(1, "spots"), journal=Journal(), prefabs={})
    layout = LAYOUTS["tunnels"]
    params = layout.params.model_validate({"large": "12..20", "sizes": {"medium": 1, "large": 1}})
    for _ in layout.build(canvas, params, job):
        pass
    return canvas


def blobs() -> Canvas:
    """Return a map of caves in earth, with a tunnel from each cave to the next."""
    canvas, stream = Canvas(SIDE, SIDE), Stream(5)
    cells = np.zeros((SIDE, SIDE), np.bool_)
    pitch, gap = 33, 6
    for y in range(SIDE):
        for x in range(SIDE):
            inside = gap < y % pitch < pitch - gap and gap < x % pitch < pitch - gap
            cells[y, x] = inside and y < SIDE - 2 and x < SIDE - 2 and stream.chance(0.62)
    for _ in range(4):
        padded = np.pad(cells, 1)
        near = sum(padded[1 + a : 1 + a + SIDE, 1 + b : 1 + b + SIDE] for a in (-1, 0, 1) for b in (-1, 0, 1))
        cells = near >= 5
    labels, count = components(cells)
    centers = []
    for part in range(1, count + 1):
        own = np.argwhere(labels == part)
        region = canvas.add_region("cave", bounds_of(labels == part))
        for y, x in own.tolist():
            canvas.carve(Rect(y, x, 1, 1), t.CAVE, region)
        centers.append(own[len(own) // 2].tolist())
    for (y, x), (down, across) in pairwise(centers):
        way = [(y, each) for each in range(min(x, across), max(x, across) + 1)]
        way += [(each, across) for each in range(min(y, down), max(y, down) + 1)]
        tunnel = canvas.add_region("corridor", Rect(y, x, 1, 1))
        for cell in way:
            if not canvas.open[cell]:
                canvas.carve(Rect(*cell, 1, 1), t.CORRIDOR, tunnel)
    canvas.build_walls()
    return canvas


if __name__ == "__main__":
    main()
