"""How long it takes to dress a map: each pass by itself, and a usual dressing of several.

Run from the checkout's root: `python benchmarks/dressing.py`. Levels are made up to their dressing, and that is then
repeated on copies. Every figure is the mean, over all levels of a size, of the least CPU time of several runs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from measured import Measured

import dungeon
import dungeon.generation.built_in  # registers layouts
from dungeon.generation.encounters.spacing import Spacing
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.dress import dress
from dungeon.generation.stages.layout import lay_out
from dungeon.generation.stages.plan import plan
from dungeon.generation.stages.seed import seed

if TYPE_CHECKING:
    from dungeon.level.canvas import Canvas

LEVELS, RUNS = 12, 5
GOAL = 1.0
"""Milliseconds for a usual dressing at 80x50."""

SIZES = ("80x50", "100x60", "200x200")
LAYOUTS = ("tunnels", "caves", "mines")

PASSES = {
    "lake": "{lake: water, cells: 30..60, bank: mud}",
    "river": "{river: water, crossing: planks, bank: mud}",
    "chasm": "{chasm: water, crossing: planks}",
    "patches": "{patches: grass, regions: [room, cave]}",
    "rubble": "{rubble: rubble}",
    "cracks": "{cracks: rubble}",
    "light": "{light: '#ffb060'}",
}
USUAL = ("lake", "river", "patches", "rubble", "light")

TERRAIN = """
water: {walkable: false}
mud: {}
planks: {}
grass: {}
rubble: {}
"""


def main() -> None:
    """Measure, and print the table."""
    smallest = sys.argv[1:] == ["--smallest"]
    noted = Measured(checks_goals=not smallest)
    sizes, levels = (("20x20",), 1) if smallest else (SIZES, LEVELS)
    print(
        f"{'milliseconds':20} "
        + " ".join(f"{size + ' ' + layout:>16}" for size in sizes for layout in LAYOUTS)
    )
    dressings = {
        "chance alone": "[{rubble: rubble, chance: 0%}]",
        **{name: f"[{text}]" for name, text in PASSES.items()},
    }
    dressings["a usual dressing"] = f"[{', '.join(PASSES[name] for name in USUAL)}]"
    for name, text in dressings.items():
        figures = [1000 * measured(size, layout, text, levels) for size in sizes for layout in LAYOUTS]
        print(f"{name:20} " + " ".join(f"{figure:16.2f}" for figure in figures))
        goal = GOAL if name == "a usual dressing" else None
        for figure, layout in zip(figures, LAYOUTS, strict=False):
            noted.add(f"milliseconds of {name} at {sizes[0]} {layout}", figure, goal)
    print(f"goal for a usual dressing at {SIZES[0]}: {GOAL} ms")
    noted.exit()


def measured(size: str, layout: str, dressing: str, levels: int) -> float:
    """Return how many seconds a dressing takes."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "maps").mkdir()
        (root / "terrain.yaml").write_text(TERRAIN, encoding="utf-8")
        (root / "world.yaml").write_text("start: bench/1\n", encoding="utf-8")
        text = f"bench: {{name: Bench, size: {size}, layout: {layout}, dressing: {dressing}}}\n"
        (root / "maps" / "bench.yaml").write_text(text, encoding="utf-8")
        content = dungeon.load_content(root)
    return sum(least_time(content, number) for number in range(levels)) / levels


def least_time(content: dungeon.Content, number: int) -> float:
    """Return the least time of dressing one level several times."""
    brief = Brief(
        content=content,
        seed=number,
        id="bench/1",
        name="bench",
        depth=1,
        leads_to=(),
        shares={},
        watched=False,
    )
    seeded = finished(seed(brief, finished(plan(brief)).canvas))
    ground = finished(lay_out(brief, seeded))
    return min(timed(brief, ground.canvas.copy()) for _ in range(RUNS))


def timed(brief: Brief, canvas: Canvas) -> float:
    """Return the time of dressing a canvas."""
    start = process_time()
    finished(dress(brief, canvas, (), (), Spacing(canvas, {}, 0, None)))
    return process_time() - start


if __name__ == "__main__":
    main()
