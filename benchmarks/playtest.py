"""Time and memory of recording a playtest, beside making the same levels without recording.

Run from the checkout's root: `python benchmarks/playtest.py 100` for that many worlds of each kind: of one map of 79x29
cells, of one of 100x60, and those of `data/`. By the clock, three ways to make them take turns, each with its best of three;
that is for a machine that has nothing else to do. Processor time is taken in pairs, world by world, each with its best
of three, and can be trusted on any machine: where as many processes are busy as there are cores, it is what counts.
The exit code is 1 if nothing was recorded, or a goal of processor time or of memory is missed; `--smallest` records a world
of the first kind and has no goals.
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

from measured import Measured

import dungeon
from dungeon import playtest
from dungeon.core.crew import Crew
from dungeon.playtest.recording.probes import generation
from dungeon.playtest.recording.recorder import batch_of
from dungeon.playtest.recording.store import Facts, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parent.parent / "data"

TURNS, PAIRS = 3, 3
PAIRED = 8
"""So many worlds are made in pairs: some of those that are measured wholly, and some of the others."""

BESIDE, MEMORY = 0.85, 500
"""What making levels takes at least beside recording them, and the MB that a process may need."""

AT_ONCE = 5
"""How many worlds a process makes at a time where nothing is recorded."""

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
    print(f"peak memory: {own} MB who writes, {others} MB who makes (goal {MEMORY})")
    noted.add("MB of memory", max(own, others), MEMORY)
    noted.exit()


def paired(content: dungeon.Content, worlds: int) -> tuple[float, float]:
    """Return the milliseconds of processor time that a level takes, and that it takes if it is recorded, of so many worlds."""
    asked = frozenset(content.chart.spots)
    alone = recorded = 0.0
    levels = 0
    with tempfile.TemporaryDirectory() as out:
        facts = Facts(probe="", content="", package="", maps="", arguments="")
        with opened(Path(out), facts) as store:
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
    """Yield contents, and what they are. Their folders are there until the next one is asked for."""
    for size in ("79x29", "100x60"):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            shutil.copytree(DATA, data)
            (data / "maps" / "benchmark.yaml").write_text(MAP.format(size=size), encoding="utf-8")
            (data / "world.yaml").write_text("start: benchmark/2\n", encoding="utf-8")
            for file in sorted((data / "encounters").glob("*.yaml")):
                text = file.read_text(encoding="utf-8")
                file.write_text(text.replace("maps: {", "maps: {benchmark: 10, "), encoding="utf-8")
            yield size, dungeon.load_content(data)
    yield "data/", dungeon.load_content(DATA)


def throw_away(content: dungeon.Content, seeds: range) -> None:
    """Make worlds in two processes, and keep nothing."""
    parts = (seeds[first : first + AT_ONCE] for first in range(0, len(seeds), AT_ONCE))
    with Crew(partial(made, content), 2) as crew:
        for _ in crew.results(partial(next, parts, None)):
            pass


def made(content: dungeon.Content, seeds: range) -> None:
    """Make the levels of worlds."""
    for seed in seeds:
        world = dungeon.World(content, seed)
        for node in world.maps:
            world.level(node.id)


def record(content: dungeon.Content, seeds: range, jobs: int) -> None:
    """Record worlds."""
    with tempfile.TemporaryDirectory() as out:
        playtest.record(content, seeds, out=out, jobs=jobs)


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return how long a piece of work takes by a clock."""
    start = clock()
    work()
    return clock() - start


def memory(who: int) -> int:
    """Return the most memory that one of some processes had, in MB."""
    return resource.getrusage(who).ru_maxrss // 1024


if __name__ == "__main__":
    if sys.argv[1:] == ["--smallest"]:
        main(1, smallest=True)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
