"""Time to import the library, to load content, and to make whole levels.

Run from the checkout's root: `python benchmarks/levels.py`. Every figure is the median over many runs in this process; imports run in
fresh processes with compiled bytecode, as an installed package has it. Goals are meant for a machine with two cores.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from inline_content import drop_far_keys
from measured import Measured

import dungeon

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parent.parent / "data"

LEVELS = 100
LOADS = 15
IMPORTS = 9

MAPS = """
benchmark:
  name: Benchmark
  size: 100x100
  layout: tunnels
  encounters: 10
"""

IMPORT = """
import tcod, numpy, esper, yaml
from pydantic import RootModel, TypeAdapter  # pydantic imports its parts only when a name of them is used
from time import perf_counter
start = perf_counter()
import dungeon
bare = perf_counter() - start
for name in dungeon.__all__:
    getattr(dungeon, name)
print(bare, perf_counter() - start)
"""


def main() -> None:
    """Measure, and print the table."""
    smallest = sys.argv[1:] == ["--smallest"]
    noted = Measured(checks_goals=not smallest)
    print(f"{'what':58} {'median':>9} {'goal':>9}")
    bare, full = (
        statistics.median(column) for column in zip(*imports(1 if smallest else IMPORTS), strict=True)
    )
    row("import dungeon, after its dependencies", bare, 0.200, noted)
    row("import dungeon and use every name of it, likewise", full, 0.200, noted)
    row("load data/", median(lambda: dungeon.load_content(DATA), 1 if smallest else LOADS), 0.300, noted)
    content = content_with_benchmark_map()
    placed: list[int] = []
    spawned: list[int] = []

    def make(seed: int) -> None:
        level = dungeon.World(content, seed=seed).level("benchmark/2")
        placed.append(len(level.placements))
        spawned.append(len(level.spawns))

    seeds = iter(range(LEVELS + 1))
    levels = 3 if smallest else LEVELS
    figure = median(lambda: make(next(seeds)), levels)
    row("whole level 100x100, planned, built, populated, proved", figure, 0.015, noted)
    print(f"  placed encounters: {min(placed)} to {max(placed)}, median {statistics.median(placed):.0f}")
    print(f"  spawns: {min(spawned)} to {max(spawned)}, median {statistics.median(spawned):.0f}")
    noted.add("levels", sum(map(bool, spawned)))
    if not any(placed):
        noted.fail("no level has an encounter")
    noted.exit()


def row(what: str, seconds: float, goal: float, noted: Measured) -> None:
    """Print one line of the table."""
    print(f"{what:58} {1000 * seconds:6.1f} ms {1000 * goal:6.0f} ms")
    noted.add(f"seconds: {what}", seconds, goal)


def median(work: Callable[[], object], runs: int) -> float:
    """Return the median time of a piece of work in seconds, after one run that is not counted."""
    work()
    times = []
    for _ in range(runs):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return statistics.median(times)


def imports(runs: int) -> list[list[float]]:
    """Return the seconds to import the library, bare and with every name, of each run in a fresh process.

    Dependencies are imported before the clock starts. A first run only compiles the bytecode.
    """
    command = [sys.executable, "-c", IMPORT]
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
        done = [
            subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
            for _ in range(runs + 1)
        ]
    return [[float(word) for word in run.stdout.split()] for run in done[1:]]


def content_with_benchmark_map() -> dungeon.Content:
    """Return the demo's content with a map of 100x100 cells on which all its encounters may appear."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(DATA, data)
        (data / "maps" / "benchmark.yaml").write_text(MAPS, encoding="utf-8")
        (data / "world.yaml").write_text("start: benchmark/2\n", encoding="utf-8")
        drop_far_keys(data)
        for file in sorted((data / "encounters").glob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace("maps: {", "maps: {benchmark: 10, "), encoding="utf-8")
        return dungeon.load_content(data)


if __name__ == "__main__":
    main()
