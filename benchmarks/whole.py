"""Time of whole levels and of each stage, from the size of Brogue's maps to 1000x1000 cells.

    python benchmarks/whole.py                      the table
    python benchmarks/whole.py --seconds 20         with more levels of each size
    python benchmarks/whole.py --sizes 198x66       only these sizes
    python benchmarks/whole.py --profile 198x66     the slowest functions
    python benchmarks/whole.py --encounters 0       without encounters
    python benchmarks/whole.py --open 20%           with as much floor as rot.js's Digger, instead of twice as much
    python benchmarks/whole.py --against PATH       compared with the code of another checkout

A whole level goes through all stages, from plan to proof. Each comes from a new world, so only the content is kept between levels.
Maps have as many encounters, objects and exits for their area as the demo's. Times are CPU time: the least of three rounds for each
level, because other work slows a machine by up to a half for seconds at a time. Means over all levels of a size are printed. Stages are
timed on levels made step by step, which takes a little longer. Memory is the peak of a fresh process that makes one level.

With `--against`, each checkout has its own process, and both make the same levels in turns. Both read the other checkout's `data/`,
and make maps of three sizes and all levels of its worlds.

The exit code is 1 if nothing was measured or a goal is missed; `--smallest` makes a few small levels and has no goals.
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
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from inline_content import drop_far_keys
from measured import Measured
from pairs import ROUNDS, WARMING, in_turns, print_ratio, serve, served

import dungeon

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DATA = Path(__file__).parent.parent / "data"

GOALS = {"79x29": 150, "80x70": 120, "198x66": 60, "1000x1000": 2}
"""Size -> levels a second."""

SIZES = ("79x29", "80x50", "80x70", "100x100", "198x66", "500x500", "1000x1000")
"""Columns x rows, as in map files."""

MARK, MARK_SPEED = "198x66", 296
"""Angband's map size, and its levels a second."""

SMALL, LARGE, EXPONENT = "80x50", "1000x1000", 1.05
"""Between these sizes, time may grow with this power of the area."""

COMPARED = ("79x29", "80x70", "198x66")
"""Sizes of maps timed with `--against`."""

RATIO = 1.05
"""Maximum ratio of our total time to that of the other checkout; runs differ by about this much."""

MEMORY = 400
"""Maximum MB for one level of 1000x1000."""

MOST = 400
"""Maximum number of levels measured of one size."""

WORLDS = 40
"""Maximum number of worlds of `data/` whose levels are compared."""

STAGES = ("world", "plan", "seed", "layout", "place", "exits", "populate", "paint", "prove")
"""The timed stages; ``world`` is the making of the `World` before the first stage."""

AREA, ENCOUNTERS = 100 * 60, 11
"""Cells of a map of the demo, and its number of encounters."""

POPULATION = (
    ("robot: {class: worker}", 5),
    ("robot: {class: [watch, hunter]}", 2),
    ("item: {category: supply}", 2),
    ("item: {category: stock}", 3),
    ("prop: lamp", 4),
    ("debris: {class: litter}", 33),
    ("trap: {class: footing}", 2),
)
"""Spawns of the demo's galleries, on average."""

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
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description="Time whole levels.")
    parser.add_argument("--sizes", nargs="+", metavar="WxH", help="columns x rows")
    parser.add_argument("--seconds", type=float, default=8.0, help="CPU time for the levels of a size")
    parser.add_argument("--encounters", type=int, help="number of encounters on a map")
    parser.add_argument("--open", metavar="SHARE", help="the layout's `open`: the open share of a map")
    parser.add_argument("--profile", metavar="WxH", help="print which functions take the time instead")
    parser.add_argument("--smallest", action="store_true", help="time a few small levels")
    parser.add_argument("--against", metavar="PATH", type=Path, help="the checkout to compare with")
    parser.add_argument("--one", metavar="WxH", help="make one level and print the process's peak memory")
    parser.add_argument("--serve", action="store_true", help="time the levels named on standard input")
    options = parser.parse_args()
    if options.serve:
        serve(partial(timed_level, {}))
    elif options.against:
        compare(options.against.resolve(), options.sizes or COMPARED, options.seconds)
    elif options.one:
        make(content(options.one, options.encounters, options.open), 0)
        print(peak_memory())
    elif options.profile:
        profile(content(options.profile, options.encounters, options.open), options.seconds)
    elif options.smallest:
        report(SIZES[:1], 0.1, options.encounters, options.open, checks_goals=False)
    else:
        report(options.sizes or SIZES, options.seconds, options.encounters, options.open)


def report(
    sizes: Sequence[str],
    seconds: float,
    encounters: int | None,
    share: str | None,
    *,
    checks_goals: bool = True,
) -> None:
    """Measure levels of these sizes and print the tables."""
    measured = Measured(checks_goals=checks_goals)
    means = {}
    print(f"{'size':>10} {'levels/s':>9} {'goal':>5} {'ms':>9}", *(f"{stage:>9}" for stage in STAGES))
    for size in sizes:
        whole, times, counts = measure(content(size, encounters, share), seconds)
        means[size] = whole
        measured.add(f"ms for a level of {size}", 1000 * whole, 1000 / GOALS[size] if size in GOALS else None)
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
        measured.add(f"exponent of growth from {SMALL} to {LARGE}", grown, EXPONENT)
    if LARGE in means:
        command = [sys.executable, __file__, "--one", LARGE]
        command += [] if encounters is None else ["--encounters", str(encounters)]
        command += [] if share is None else ["--open", share]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        print(f"peak memory at {LARGE}: {run.stdout.strip()} MB (goal {MEMORY})")
        measured.add(f"MB of memory at {LARGE}", float(run.stdout), MEMORY)
    measured.exit()


def compare(other: Path, sizes: Sequence[str], seconds: float) -> None:
    """Time levels of this checkout and of another in turns; print both times of each map and their ratio.

    Args:
        other: The other checkout, whose `data/` both read.
        sizes: Sizes of maps to compare besides the maps of `data/`.
        seconds: CPU time for the levels of each map, for each checkout.
    """
    measured = Measured()
    totals = [0.0, 0.0]
    print(f"{'map':>16} {'levels':>6} {'here, ms':>9} {'there, ms':>9} {'ratio':>6}", flush=True)
    with (
        tempfile.TemporaryDirectory() as place,
        served(Path(__file__).parents[1], __file__) as here,
        served(other, __file__) as there,
    ):
        for name, jobs in compared_maps(other / "data", Path(place), sizes):
            times = in_turns((here, there), jobs, seconds)
            means = [statistics.fmean(side) for side in times]
            totals = [total + mean for total, mean in zip(totals, means, strict=True)]
            measured.add(name, means[0])
            print_ratio(name, len(times[0]), means)
    if measured.count:
        print_ratio("all", "", totals)
        measured.add("times as long as the other checkout, all maps", totals[0] / totals[1], RATIO)
    measured.exit()


def compared_maps(data: Path, place: Path, sizes: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield (name, levels to make) for each size and for each map of `data`, in the form of `timed_level`."""
    for size in sizes:
        write_content(data, place / size, size)
        yield size, [f"benchmark/2 {seed} {place / size}" for seed in range(MOST)]
    content = dungeon.load_content(data)
    jobs: defaultdict[str, list[str]] = defaultdict(list)
    for seed in range(WORLDS):
        for node in dungeon.World(content, seed).maps:
            jobs[node.name].append(f"{node.id} {seed} {data}")
    yield from jobs.items()


def timed_level(contents: dict[Path, dungeon.Content], job: str) -> float:
    """Return the CPU time of a level, named as ``MAP SEED FOLDER``. `contents` holds the contents loaded so far."""
    map_id, seed, folder = job.split(" ", 2)
    data = Path(folder)
    if data not in contents:
        contents[data] = dungeon.load_content(data)
    start = process_time()
    make(contents[data], int(seed), map_id)
    return process_time() - start


def measure(loaded: dungeon.Content, seconds: float) -> tuple[float, dict[str, float], str]:
    """Return the mean seconds of a level, the mean seconds of each stage, and a text of how much a median level holds."""
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
    """Make a level step by step and return the seconds of each stage."""
    from dungeon.core.lazy import collector_paused  # noqa: PLC0415  # other checkouts may not have it

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


def make(loaded: dungeon.Content, seed: int, map_id: str = "benchmark/2") -> dungeon.Level:
    """Make a level of a new world."""
    return dungeon.World(loaded, seed=seed).level(map_id)


def profile(loaded: dungeon.Content, seconds: float) -> None:
    """Print the functions that take the most time."""
    make(loaded, -1)
    profiler = cProfile.Profile()
    end, seed = process_time() + seconds, 0
    while seed == 0 or process_time() < end:
        profiler.runcall(make, loaded, seed)
        seed += 1
    print(f"{seed} levels")
    pstats.Stats(profiler).sort_stats("tottime").print_stats(45)


def peak_memory() -> int:
    """Return the peak memory of this process in MB."""
    import resource  # noqa: PLC0415  # Windows has none, and only this figure needs it

    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def area(size: str) -> int:
    """Return the number of cells of a size such as ``198x66``."""
    return math.prod(map(int, size.split("x")))


def content(size: str, encounters: int | None = None, share: str | None = None) -> dungeon.Content:
    """Return the demo's content with one map of this size on which all its encounters may appear.

    Args:
        size: Columns x rows.
        encounters: Number of encounters; None scales the demo's number by the area.
        share: Open share of the map; None leaves it to the layout.
    """
    with tempfile.TemporaryDirectory() as folder:
        return dungeon.load_content(write_content(DATA, Path(folder) / "data", size, encounters, share))


def write_content(
    source: Path, target: Path, size: str, encounters: int | None = None, share: str | None = None
) -> Path:
    """Copy a content folder, add the map described in `content`, and return the copy's folder."""
    scale = area(size) / AREA
    population = [f"    - {{{what}, count: {round(count * scale)}}}" for what, count in POPULATION]
    if encounters is None:
        encounters = round(ENCOUNTERS * scale)
    layout = "tunnels" if share is None else f"{{tunnels: {{open: {share}}}}}"
    entry = MAP.format(size=size, layout=layout, encounters=encounters, population="\n".join(population))
    shutil.copytree(source, target)
    (target / "maps" / "benchmark.yaml").write_text(entry, encoding="utf-8")
    (target / "world.yaml").write_text(WORLD, encoding="utf-8")
    drop_far_keys(target)
    for file in sorted((target / "encounters").glob("*.yaml")):
        text = file.read_text(encoding="utf-8").replace("maps: {", "maps: {benchmark: 10, ")
        # A map with ten times the area gets ten times the limit.
        text = re.sub(r"map: (\d+)", lambda most: f"map: {int(most[1]) * math.ceil(scale)}", text)
        file.write_text(text, encoding="utf-8")
    return target


if __name__ == "__main__":
    main()
