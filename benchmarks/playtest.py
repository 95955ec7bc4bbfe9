"""What recording costs, beside making the same levels and throwing them away.

Run from the checkout's root: `python benchmarks/playtest.py 100` for that many worlds of each kind: of one map of 79x29
cells, of one of 100x60, and those of `data/`. The three ways to make them take turns, and each has its best of three turns.
Processor time is that of all processes together; it can be trusted on a machine that does other things, too. Where as
many processes are busy as there are cores, the ratio of processor times is that of speeds.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import dungeon
from dungeon import playtest
from dungeon.core.crew import Crew

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parent.parent / "data"

TURNS = 3
AT_ONCE = 5
"""How many worlds a process makes at a time where nothing is recorded."""

MAP = "benchmark: {{name: Benchmark, size: {size}, layout: tunnels, encounters: 10}}\n"


class Cost(NamedTuple):
    """What so many levels took: seconds on the clock, and of processors."""

    clock: float
    processor: float


def main(worlds: int) -> None:
    """Measure, and print the tables."""
    for name, content, levels in contents():
        seeds = range(worlds)
        found: dict[str, list[Cost]] = {}
        for _ in range(TURNS):
            for way, work in (
                ("alone, 2 processes", partial(throw_away, content, seeds)),
                ("recorded, 2 processes", partial(recorded, content, seeds, 2)),
                ("recorded, 1 process", partial(recorded, content, seeds, 1)),
            ):
                found.setdefault(way, []).append(cost(work))
        print(f"{name}: {worlds} worlds, {levels} levels each")
        best = {way: Cost(*map(min, zip(*costs, strict=True))) for way, costs in found.items()}
        for way, (clock, processor) in best.items():
            count = worlds * levels
            print(f"  {way:22} {count / clock:8.1f} levels/s {1000 * processor / count:8.2f} ms of processors each")
        alone, two, one = best.values()
        print(f"  recorded beside alone: {alone.clock / two.clock:.2f} by the clock, ", end="")
        print(f"{alone.processor / two.processor:.2f} by processor time (goal 0.85)")
        print(f"  two processes beside one: {one.clock / two.clock:.2f} by the clock (goal 1.8)")
    print(f"peak memory: {memory(resource.RUSAGE_SELF)} MB who writes, {memory(resource.RUSAGE_CHILDREN)} MB who makes")


def contents() -> Iterator[tuple[str, dungeon.Content, int]]:
    """Yield contents, what they are, and about how many levels a world of them has."""
    for size in ("79x29", "100x60"):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            shutil.copytree(DATA, data)
            (data / "maps" / "benchmark.yaml").write_text(MAP.format(size=size), encoding="utf-8")
            (data / "world.yaml").write_text("start: benchmark/2\n", encoding="utf-8")
            for file in sorted((data / "encounters").glob("*.yaml")):
                text = file.read_text(encoding="utf-8")
                file.write_text(text.replace("maps: {", "maps: {benchmark: 10, "), encoding="utf-8")
            yield size, dungeon.load_content(data), 1
    yield "data/", dungeon.load_content(DATA), len(dungeon.World(dungeon.load_content(DATA)).maps)


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


def recorded(content: dungeon.Content, seeds: range, jobs: int) -> None:
    """Record worlds."""
    with tempfile.TemporaryDirectory() as out:
        playtest.record(content, seeds, out=out, jobs=jobs)


def cost(work: Callable[[], None]) -> Cost:
    """Return what a piece of work takes."""
    clock, processor = perf_counter(), processors()
    work()
    return Cost(perf_counter() - clock, processors() - processor)


def processors() -> float:
    """Return the seconds that processors have spent on this process and those that it has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def memory(who: int) -> int:
    """Return the most memory that one of some processes had, in MB."""
    return resource.getrusage(who).ru_maxrss // 1024


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
