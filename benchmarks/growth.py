"""Time of every layout and every dressing pass on maps of three sizes, and the exponent by which it grows with the area.

Run from the checkout's root: `python benchmarks/growth.py [NAME...]`, or `python benchmarks/growth.py --smallest` for tiny maps,
without goals. Every figure is CPU time: the least of several runs for each seed, and the median over seeds. With exponent e, time grows
as area^e from 200x200 to 1000x1000. The exit code is 1 if nothing was measured, a goal is missed or a registered layout is left out.
"""

from __future__ import annotations

import gc
import math
import statistics
import sys
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from inline_content import content_of
from measured import Measured

import dungeon
import dungeon.generation.built_in  # registers the layouts  # noqa: TC001
from dungeon.core.registry import LAYOUTS
from dungeon.generation.placing.spacing import Spacing
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.layout import lay_out, plan
from dungeon.generation.stages.place import FurnishedMap, LevelState
from dungeon.generation.stages.seed import seed
from dungeon.generation.stages.surface import dress

if TYPE_CHECKING:
    from collections.abc import Callable

CAVES_GROWTH = 1.05
"""Maximum exponent of caves."""


class Size(NamedTuple):
    """A size of map, the number of seeds measured at it, and the number of runs of each seed."""

    columns: int
    rows: int
    seeds: int
    runs: int

    @property
    def area(self) -> int:
        """Number of cells."""
        return self.columns * self.rows


SIZES = (Size(80, 50, 20, 3), Size(200, 200, 8, 3), Size(1000, 1000, 1, 2))
SMALLEST = (Size(80, 50, 1, 1), Size(100, 80, 1, 1), Size(120, 100, 1, 1))

PREFABS = r"""
hall: {map: "#####*#####\n#.........#\n*..#...#..*\n#.........#\n#####*#####"}
bend: {map: "###*#????\n#...#????\n*...*????\n#...#####\n#.......*\n#.......#\n####*####"}
apse: {map: "??###??\n?#...#?\n#.....#\n#.....#\n#.....#\n###+###"}
nook: {map: "#####\n#...#\n#...#\n##+##"}
block: {map: "########\n#..#...#\n#......+\n####+###"}
long: {map: "##################\n#................#\n+................+\n##################"}
"""

TERRAIN = """
water: {walkable: false}
mud: {}
planks: {}
grass: {}
rubble: {}
"""

PER_PIECE, LEAST_PIECES = 500, 25
"""A map of prefabs or cards has one piece for each `PER_PIECE` cells, but at least `LEAST_PIECES`."""


def pieces(size: Size) -> int:
    """Return the number of prefabs or cards on a map of a size."""
    return max(size.area // PER_PIECE, LEAST_PIECES)


PARAMETERS: dict[str, Callable[[Size], str]] = {
    "tunnels": lambda _: "{}",
    "caves": lambda _: "{}",
    "mines": lambda size: f"{{side: {max(size.columns, size.rows)}}}",
    "connected": lambda size: f"{{prefabs: {{hall: 2, bend: 2, apse: 1}}, rooms: {pieces(size)}}}",
    "cards": lambda size: f"{{cell: 11x8, count: {pieces(size)}, deck: {{nook: 2, block: 2, long: 1}}}}",
    "patchwork": lambda _: "{zones: {a: {layout: caves}, b: {}, c: {from: b}, d: {from: a, layout: caves}}}",
    "static": lambda _: "{prefab: drawn}",
}
"""Layout -> its parameters in YAML for a map of a size."""

LAYOUT_GOALS = {"connected": 8.0, "cards": 5.0}
"""Layout -> maximum milliseconds at the first size."""

PASSES = {
    "lake": "{lake: water, cells: 30..60, bank: mud}",
    "river": "{river: water, crossing: planks, bank: mud}",
    "chasm": "{chasm: water, crossing: planks}",
    "patches": "{patches: grass, regions: [room, cave]}",
    "rubble": "{rubble: rubble}",
    "cracks": "{cracks: rubble}",
    "light": "{light: '#ffb060'}",
}
USUAL = ", ".join(PASSES[name] for name in ("lake", "river", "patches", "rubble", "light"))
USUAL_GOAL = 1.0
"""Maximum milliseconds of a usual dressing of tunnels at the first size."""

LAKES = "{lake: water, cells: 300..600}"
"""Lakes so large that most of them are refused."""

DRESSINGS = {
    **{f"dressing: {name}": ("tunnels", f"[{text}]") for name, text in PASSES.items()},
    **{f"a usual dressing of {layout}": (layout, f"[{USUAL}]") for layout in ("tunnels", "caves", "mines")},
    "10 lakes, most refused": ("tunnels", f"[{', '.join([LAKES] * 10)}]"),
}
"""Row of the table -> (layout, dressing in YAML)."""


def main() -> None:
    """Measure the named rows, or all, and print the table."""
    smallest = "--smallest" in sys.argv
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    sizes = SMALLEST if smallest else SIZES
    noted = Measured(checks_goals=not smallest)
    for missing in LAYOUTS.keys() - PARAMETERS.keys():
        noted.fail(f"the layout {missing} is not measured")
    gc.disable()  # as a world does while it makes a level
    print(f"{'milliseconds':34}", *(f"{f'{size.columns}x{size.rows}':>10}" for size in sizes), " exponent")
    for name in (*PARAMETERS, *DRESSINGS):
        if names and name not in names:
            continue
        times = [1000 * time_of(name, size) for size in sizes]
        exponent = math.log(times[2] / times[1]) / math.log(sizes[2].area / sizes[1].area)
        print(f"{name:34}", *(f"{each:10.2f}" for each in times), f"{exponent:9.2f}", flush=True)
        goal = LAYOUT_GOALS.get(name, USUAL_GOAL if name == "a usual dressing of tunnels" else None)
        noted.add(f"milliseconds of {name} at the first size", times[0], goal)
        noted.add(f"{name}, exponent of growth", exponent, CAVES_GROWTH if name == "caves" else None)
    noted.exit()


def time_of(name: str, size: Size) -> float:
    """Return the median seconds of a layout or dressing on maps of a size."""
    layout, dressing = DRESSINGS.get(name, (name, ""))
    content = content_for(layout, size, dressing)
    timed = dressing_time if dressing else layout_time
    return statistics.median(
        min(timed(brief_for(content, number)) for _ in range(size.runs))
        for number in range(1, size.seeds + 1)
    )


def content_for(layout: str, size: Size, dressing: str) -> dungeon.Content:
    """Return content with one map of this layout, size and dressing."""
    chosen = f"{{{layout}: {PARAMETERS[layout](size)}}}"
    told = "" if layout == "static" else f"size: {size.columns}x{size.rows}, "
    told += f"dressing: {dressing}, " if dressing else ""
    files = {
        "world.yaml": "start: map/1\n",
        "terrain.yaml": TERRAIN,
        "prefabs/all.yaml": PREFABS + (drawn(size) if layout == "static" else ""),
        "maps/all.yaml": f"map: {{name: Map, {told}layout: {chosen}}}\n",
    }
    return content_of(files)


def drawn(size: Size) -> str:
    """Return a drawing of a whole map: rooms side by side with doors between them."""
    rows = ("####+####", "#.......#", "#.......#", "+.......+", "#.......#", "#.......#")
    columns, lines = size.columns // len(rows[0]), size.rows // len(rows)
    inside = [row * columns for row in rows * lines]
    outer = "#" * len(inside[0])
    text = "\n".join(f"    {row}" for row in (outer, *inside[1:], outer))
    return f"drawn:\n  map: |\n{text}\n"


def brief_for(content: dungeon.Content, number: int) -> Brief:
    """Return the brief of a level with this seed."""
    return Brief(
        content=content,
        seed=number,
        id="map/1",
        name="map",
        depth=1,
        leads_to=(),
        shares={},
        watched=False,
    )


def layout_time(brief: Brief) -> float:
    """Return the CPU seconds of a level's layout stage."""
    seeded = finished(seed(brief, finished(plan(brief)).canvas))
    start = process_time()
    finished(lay_out(brief, seeded))
    return process_time() - start


def dressing_time(brief: Brief) -> float:
    """Return the CPU seconds of a level's dressing stage."""
    seeded = finished(seed(brief, finished(plan(brief)).canvas))
    ground = finished(lay_out(brief, seeded))
    spacing = Spacing(ground.canvas, {}, {"entrance": 1, "exits": 0}, None)
    furnishing = FurnishedMap(canvas=ground.canvas, placements=(), drawings=(), scatters=(), spacing=spacing)
    state = LevelState(seeded=seeded, ground=ground, furnishing=furnishing)
    start = process_time()
    finished(dress(brief, state))
    return process_time() - start


if __name__ == "__main__":
    main()
