"""Time and memory of recording a playtest, beside making the same levels without recording.

Run from the checkout's root: `python benchmarks/playtest.py 100` for 100 worlds of each kind: one map of 79x29 cells, one map of
100x60, and the worlds of `data/`. Wall times are the best of three and mean something only on an idle machine. CPU times are
taken in pairs for each world, the best of three each, and can be trusted on any machine. The exit code is 1 if nothing was recorded, or
a goal of CPU time or memory is missed. `--smallest` records one world of the first kind and has no goals.
"""

from __future__ import annotations

import gc
import resource
import shutil
import sys
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from inline_content import drop_far_keys
from measured import Measured

import dungeon
from dungeon import playtest
from dungeon.core.crew import Crew
from dungeon.playtest.recording.manifest import Facts
from dungeon.playtest.recording.parts import open_store
from dungeon.playtest.recording.probes import generation
from dungeon.playtest.recording.recorder import batch_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parent.parent / "data"

TURNS, PAIRS = 3, 3
PAIRED = 8
"""Number of worlds timed in pairs; every second one gets all measurements."""

BESIDE, MEMORY = 0.85, 500
"""Minimum ratio of the CPU time of making levels to that of recording them; and maximum MB of a process."""

AT_ONCE = 5
"""Number of worlds a process makes at a time without recording."""

MAP = "benchmark: {{name: Benchmark, size: {size}, layout: tunnels, encounters: 10}}\n"


def main(worlds: int, *, smallest: bool = False) -> None:
    """Measure, and print the tables."""
    noted = Measured(checks_goals=not smallest)
    turns, in_pairs = (1, 1) if smallest else (TURNS, PAIRED)
    gc.freeze()
    for name, content in islice(contents(), 1 if smallest else None):
        seeds = range(worlds)
        levels = sum(len(dungeon.World(content, seed).maps) for seed in seeds)
        print(f"{name}: {worlds} worlds, {levels} levels")
        alone, recorded = paired(content, in_pairs)
        noted.add(f"{name}: making beside recording", alone / recorded, least=BESIDE)
        print(
            f"  processor time of a level: {alone:.1f} ms, recorded {recorded:.1f} ms: {alone / recorded:.2f} (goal {BESIDE})"
        )
        ways = {
            "thrown away, 2 processes": partial(throw_away, content, seeds),
            "recorded, 2 processes": partial(record, content, seeds, 2),
            "recorded, 1 process": partial(record, content, seeds, 1),
        }
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(turns):
            for way, work in ways.items():
                best[way] = min(best[way], seconds(work, perf_counter))
        for way, clock in best.items():
            print(f"  {way:24} {levels / clock:8.1f} levels/s")
        thrown, two, one = best.values()
        print(f"  recorded beside thrown away {thrown / two:.2f}, two processes beside one {one / two:.2f}")
    own, others = memory(resource.RUSAGE_SELF), memory(resource.RUSAGE_CHILDREN)
    print(
        f"peak memory: {own} MB of the process that writes, {others} MB of one that makes worlds (goal {MEMORY})"
    )
    noted.add("MB of memory", max(own, others), MEMORY)
    noted.exit()


def paired(content: dungeon.Content, worlds: int) -> tuple[float, float]:
    """Return the CPU milliseconds of making a level, and of making and recording it."""
    asked = frozenset(content.chart.spots)
    alone = recorded = 0.0
    levels = 0
    with tempfile.TemporaryDirectory() as out:
        facts = Facts(probe="", content="", package="", maps="", arguments="")
        with open_store(Path(out), facts) as store:
            for seed in range(worlds):
                one = range(seed, seed + 1)
                pairs = [
                    (
                        seconds(lambda: made(content, one), process_time),  # noqa: B023  # it is called at once
                        seconds(lambda: batch_of(content, asked, generation, one), process_time),  # noqa: B023
                    )
                    for _ in range(PAIRS)
                ]
                batch = batch_of(content, asked, generation, one)
                levels += len(batch.rows["level"])
                alone += min(each for each, _ in pairs)
                recorded += min(each for _, each in pairs)
                recorded += seconds(lambda: store.write(batch), process_time)  # noqa: B023
    return 1000 * alone / levels, 1000 * recorded / levels


def contents() -> Iterator[tuple[str, dungeon.Content]]:
    """Yield (name, content). A content's folder exists until the next one is requested."""
    for size in ("79x29", "100x60"):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            shutil.copytree(DATA, data)
            (data / "maps" / "benchmark.yaml").write_text(MAP.format(size=size), encoding="utf-8")
            (data / "world.yaml").write_text("start: benchmark/2\n", encoding="utf-8")
            drop_far_keys(data)
            for file in sorted((data / "encounters").glob("*.yaml")):
                text = file.read_text(encoding="utf-8")
                file.write_text(text.replace("maps: {", "maps: {benchmark: 10, "), encoding="utf-8")
            yield size, dungeon.load_content(data)
    yield "data/", dungeon.load_content(DATA)


def throw_away(content: dungeon.Content, seeds: range) -> None:
    """Make worlds in two processes without recording them."""
    parts = (seeds[first : first + AT_ONCE] for first in range(0, len(seeds), AT_ONCE))
    with Crew(partial(made, content), 2) as crew:
        for _ in crew.results(partial(next, parts, None)):
            pass


def made(content: dungeon.Content, seeds: range) -> None:
    """Make all levels of some worlds."""
    for seed in seeds:
        world = dungeon.World(content, seed)
        for node in world.maps:
            world.level(node.id)


def record(content: dungeon.Content, seeds: range, jobs: int) -> None:
    """Record worlds."""
    with tempfile.TemporaryDirectory() as out:
        playtest.record(content, seeds, out=out, jobs=jobs)


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the seconds that a piece of work takes by `clock`."""
    start = clock()
    work()
    return clock() - start


def memory(who: int) -> int:
    """Return the peak memory in MB of this process or of its children: see `resource.getrusage`."""
    return resource.getrusage(who).ru_maxrss // 1024


if __name__ == "__main__":
    if sys.argv[1:] == ["--smallest"]:
        main(1, smallest=True)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
