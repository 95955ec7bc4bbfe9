"""How long whole levels take, at every size from Brogue's to 1000x1000 cells, and where the time goes.

    python benchmarks/whole.py                      the table
    python benchmarks/whole.py --seconds 20         with more levels of each size
    python benchmarks/whole.py --sizes 198x66       of some sizes only
    python benchmarks/whole.py --profile 198x66     which functions take it
    python benchmarks/whole.py --encounters 0       without encounters
    python benchmarks/whole.py --open 20%           with as much floor as rot.js's Digger, instead of twice as much

A whole level is planned, built, filled with encounters and with a population, given exits, painted and proved, from
a world of its own seed: nothing is kept from one to the next but the content. Maps have as many encounters, objects
and exits for their area as the demo's. Times are CPU time; what is printed are means over all levels of a size, after a few
to warm up. Of each level the least of three times counts, one from each round over all of them: other work on the machine
slows it by up to a half for seconds at a time. The stages are timed on levels made step by step, which takes a little
longer. Memory is the peak of a fresh process that loads the content and makes one level.
"""

from __future__ import annotations

import argparse
import cProfile
import math
import pstats
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import dungeon
from dungeon.core.collector import collector_paused

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = Path(__file__).parent.parent / "data"

GOALS = {"79x29": 150, "80x70": 120, "198x66": 60, "1000x1000": 2}
"""Levels a second."""

SIZES = ("79x29", "80x50", "80x70", "100x100", "198x66", "500x500", "1000x1000")
"""Columns x rows, as in map files."""

MARK, MARK_SPEED = "198x66", 296
"""Angband's size, and its levels a second."""

SMALL, LARGE, EXPONENT = "80x50", "1000x1000", 1.05
"""Between these sizes time may grow with this power of the area."""

MEMORY = 400
"""MB that one level of 1000x1000 may need."""

WARMING = 3
"""Levels made before any is measured."""

ROUNDS = 3
"""How often each level is made and measured."""

MOST = 400
"""Levels of one size that are measured at most."""

STAGES = ("world", "plan", "seed", "layout", "place", "exits", "populate", "paint", "prove")
"""Making the world comes before the first stage of its level."""

AREA, ENCOUNTERS = 100 * 60, 11
"""Cells of a map of the demo, and encounters on it."""

POPULATION = (
    ("robot: {class: worker}", 5),
    ("robot: {class: [watch, hunter]}", 2),
    ("item: {category: supply}", 2),
    ("item: {category: stock}", 3),
    ("prop: lamp", 4),
    ("debris: {class: litter}", 33),
    ("trap: {class: footing}", 2),
)
"""Of the galleries, in the mean."""

MAP = """
benchmark:
  name: Benchmark
  size: {size}
  theme: galleries
  layout: {layout}
  encounters: {encounters}
  population:
{population}
"""

WORLD = """
start: benchmark/2
leads_to: {benchmark/2: [benchmark/3, galleries/2], benchmark/3: [], galleries/2: []}
"""


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description="Time whole levels.")
    parser.add_argument("--sizes", nargs="+", default=SIZES, metavar="WxH", help="columns x rows")
    parser.add_argument("--seconds", type=float, default=8.0, help="CPU time for the levels of a size")
    parser.add_argument(
        "--encounters", type=int, help="how many on a map, instead of as many as the demo has"
    )
    parser.add_argument(
        "--open", metavar="SHARE", help="how much of a map is open, as its layout's `open` says it"
    )
    parser.add_argument("--profile", metavar="WxH", help="print which functions take the time instead")
    parser.add_argument("--one", metavar="WxH", help="make one level and print the process's peak memory")
    options = parser.parse_args()
    if options.one:
        make(content(options.one, options.encounters, options.open), 0)
        print(peak_memory())
    elif options.profile:
        profile(content(options.profile, options.encounters, options.open), options.seconds)
    else:
        report(options.sizes, options.seconds, options.encounters, options.open)


def report(sizes: Sequence[str], seconds: float, encounters: int | None, share: str | None) -> None:
    """Measure levels of these sizes and print the tables."""
    means = {}
    print(f"{'size':>10} {'levels/s':>9} {'goal':>5} {'ms':>9}", *(f"{stage:>9}" for stage in STAGES))
    for size in sizes:
        whole, times, counts = measure(content(size, encounters, share), seconds)
        means[size] = whole
        columns = (f"{1000 * times[stage]:9.2f}" for stage in STAGES)
        print(
            f"{size:>10} {1 / whole:9.1f} {GOALS.get(size, ''):>5} {1000 * whole:9.2f}",
            *columns,
            f" {counts}",
        )
    if MARK in means:
        print(f"{1 / means[MARK] / MARK_SPEED:.0%} of Angband's {MARK_SPEED} levels a second at {MARK}")
    if SMALL in means and LARGE in means:
        grown = math.log(means[LARGE] / means[SMALL]) / math.log(area(LARGE) / area(SMALL))
        print(f"from {SMALL} to {LARGE} time grows with area^{grown:.3f} (goal {EXPONENT})")
    if LARGE in means:
        command = [sys.executable, __file__, "--one", LARGE]
        command += [] if encounters is None else ["--encounters", str(encounters)]
        command += [] if share is None else ["--open", share]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        print(f"peak memory at {LARGE}: {run.stdout.strip()} MB (goal {MEMORY})")


def measure(loaded: dungeon.Content, seconds: float) -> tuple[float, dict[str, float], str]:
    """Return the mean time of a level and of each stage in seconds, and what the levels had on them."""
    for seed in range(-WARMING, 0):
        make(loaded, seed)
    whole: list[float] = []
    runs: list[dict[str, float]] = []
    counts: dict[str, list[int]] = {"regions": [], "placements": [], "spawns": []}
    end = process_time() + seconds / ROUNDS
    while len(runs) < MOST and (len(runs) < WARMING or process_time() < end):
        start = process_time()
        level = make(loaded, len(runs))
        whole.append(process_time() - start)
        for what, numbers in counts.items():
            numbers.append(len(getattr(level, what)))
        del level
        runs.append(stages_of(loaded, len(runs)))
    for _ in range(ROUNDS - 1):
        for seed, (least, run) in enumerate(zip(whole, runs, strict=True)):
            start = process_time()
            make(loaded, seed)
            whole[seed] = min(least, process_time() - start)
            again = stages_of(loaded, seed)
            runs[seed] = {stage: min(time, again[stage]) for stage, time in run.items()}
    said = [f"{statistics.median(numbers):.0f} {what}" for what, numbers in counts.items()]
    stages = {stage: statistics.fmean(run.get(stage, 0.0) for run in runs) for stage in STAGES}
    return statistics.fmean(whole), stages, f"{', '.join(said)} ({len(runs)} levels)"


def stages_of(loaded: dungeon.Content, seed: int) -> dict[str, float]:
    """Make a level step by step and return how long each stage took; a stage ends with its last step."""
    times: dict[str, float] = defaultdict(float)
    with collector_paused():  # as in `World.level`
        last = process_time()
        world = dungeon.World(loaded, seed=seed)
        times["world"], last = process_time() - last, process_time()
        for step in world.steps("benchmark/2"):
            now = process_time()
            times[step.phase.value] += now - last
            last = now
    return times


def make(loaded: dungeon.Content, seed: int) -> dungeon.Level:
    """Make a level."""
    return dungeon.World(loaded, seed=seed).level("benchmark/2")


def profile(loaded: dungeon.Content, seconds: float) -> None:
    """Print which functions take the time."""
    make(loaded, -1)
    profiler = cProfile.Profile()
    end, seed = process_time() + seconds, 0
    while seed == 0 or process_time() < end:
        profiler.runcall(make, loaded, seed)
        seed += 1
    print(f"{seed} levels")
    pstats.Stats(profiler).sort_stats("tottime").print_stats(45)


def peak_memory() -> int:
    """Return the most memory that this process has ever had, in MB."""
    import resource  # noqa: PLC0415  # Windows has none, and only this figure needs it

    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def area(size: str) -> int:
    """Return how many cells a map of a size like 198x66 has."""
    return math.prod(map(int, size.split("x")))


def content(size: str, encounters: int | None = None, share: str | None = None) -> dungeon.Content:
    """Return the demo's content with a map of that size on which all its encounters may appear.

    Args:
        size: Columns x rows.
        encounters: How many; by default as many as the demo has on as many cells.
        share: How much of the map is open; by default what the layout has by default.
    """
    scale = area(size) / AREA
    population = [f"    - {{{what}, count: {round(count * scale)}}}" for what, count in POPULATION]
    if encounters is None:
        encounters = round(ENCOUNTERS * scale)
    layout = "tunnels" if share is None else f"{{tunnels: {{open: {share}}}}}"
    entry = MAP.format(size=size, layout=layout, encounters=encounters, population="\n".join(population))
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(DATA, data)
        (data / "maps" / "benchmark.yaml").write_text(entry, encoding="utf-8")
        (data / "world.yaml").write_text(WORLD, encoding="utf-8")
        for file in sorted((data / "encounters").glob("*.yaml")):
            text = file.read_text(encoding="utf-8").replace("maps: {", "maps: {benchmark: 10, ")
            # On a map of ten times the area an encounter may come up ten times as often.
            text = re.sub(r"map: (\d+)", lambda most: f"map: {int(most[1]) * math.ceil(scale)}", text)
            file.write_text(text, encoding="utf-8")
        return dungeon.load_content(data)


if __name__ == "__main__":
    main()
