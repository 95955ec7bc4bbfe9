"""Speed of our bare layouts beside those of rot.js, measured in the same session.

Run from the checkout's root: `python benchmarks/peers.py [FOLDER]`, or `python benchmarks/peers.py --smallest` for our layouts alone
at the smallest size, without goals. The comparison needs node and npm; without npm, only our layouts are measured. The npm package
`rot-js` is installed into a temporary folder, or taken from FOLDER. Times are CPU time: the least of several runs of each map. Both
sides take turns, so that other work on the machine slows both alike.
"""

from __future__ import annotations

import gc
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from measured import Measured

import dungeon.generation.built_in  # registers the layouts  # noqa: F401
from dungeon.core.registry import LAYOUTS
from dungeon.core.streams import Streams
from dungeon.generation.layouts.job import LayoutJob
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = ((50, 80), (100, 100), (200, 200))
"""(height, width) of the maps."""

TURNS = 3
"""Number of times that the sides alternate."""

REPEATS = 3
"""Number of times that each map is made; the least time counts."""

MAPS = {(50, 80): 40, (100, 100): 20, (200, 200): 8}
"""Size -> number of maps made in one turn."""


@dataclass(frozen=True, slots=True)
class Figures:
    """CPU time of a map in milliseconds, and the share of its cells that is open; median and mean for several maps."""

    ms: float
    open: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One of our layouts, measured against a map generator of rot.js.

    Attributes:
        layout: Our registered layout.
        params: Parameters of the layout; None makes it open as large a share of the map as the generator of rot.js does.
        peer: The name of the generator of rot.js in `peers.js`.
        goals: For each size, the maximum ratio of the time of our layout to that of rot.js.
    """

    layout: str
    params: dict[str, Any] | None
    peer: str
    goals: tuple[float, float, float]


RACES = (
    Race(layout="tunnels", params=None, peer="digger", goals=(0.3, 0.1, 0.02)),
    Race(layout="tunnels", params={}, peer="digger", goals=(0.3, 0.1, 0.02)),
    Race(layout="caves", params={}, peer="cellular", goals=(0.1, 0.05, 0.02)),
)


def main() -> None:
    """Measure, print a table for each race, and exit with 1 if nothing was measured or a goal is missed."""
    smallest = sys.argv[1:] == ["--smallest"]
    measured = Measured(checks_goals=not smallest)
    if smallest or not shutil.which("npm"):
        print("rot.js is left out: " + ("this is the smallest size" if smallest else "npm is not installed"))
        for race in RACES:
            for size in SIZES[:1] if smallest else SIZES:
                ours = median(list(our_maps(race, size, range(1 if smallest else 3), 0.2)))
                print(f"{race.layout:>8} {size[1]:>5}x{size[0]:<4} {ours.ms:8.2f} ms {ours.open:6.1%} open")
                measured.add(race.layout, ours.ms)
    elif len(sys.argv) > 1:
        run(Path(sys.argv[1]), measured)
    else:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["npm", "install", "--silent", "--no-audit", "rot-js"], cwd=folder, check=True)
            run(Path(folder), measured)
    measured.exit()


def run(rot: Path, measured: Measured) -> None:
    """Run every race; `rot` is the folder with rot.js."""
    for race in RACES:
        how = "with as much open" if race.params is None else race.params or "as it is by default"
        print(f"{race.layout}, {how}, beside rot.js {race.peer}")
        table(race, rot, measured)
        print()


def table(race: Race, rot: Path, measured: Measured) -> None:
    """Print a row for each size."""
    print(f"{'map':>10} {'theirs':>9} {'open':>6} {'ours':>9} {'open':>6} {'ratio':>7} {'goal':>6}")
    for size, goal in zip(SIZES, race.goals, strict=True):
        theirs, ours = compare(race, size, rot)
        ratio = ours.ms / theirs.ms
        measured.add(f"{race.layout} {size[1]}x{size[0]}, share of their time", ratio, goal)
        print(
            f"{size[1]:>5}x{size[0]:<4} {theirs.ms:6.2f} ms {theirs.open:6.1%} {ours.ms:6.2f} ms {ours.open:6.1%}"
            f" {ratio:7.3f} {goal:6.2f}"
        )


def compare(race: Race, size: tuple[int, int], rot: Path) -> tuple[Figures, Figures]:
    """Return the figures of rot.js and of our layout for one size."""
    theirs, ours = [], []
    for turn in range(TURNS):
        seeds = range(turn * MAPS[size] + 1, (turn + 1) * MAPS[size] + 1)
        theirs += their_maps(race, size, seeds, rot)
        ours += our_maps(race, size, seeds, median(theirs).open)
    return median(theirs), median(ours)


def median(maps: list[Figures]) -> Figures:
    """Return the median time and the mean share of open cells."""
    return Figures(statistics.median(each.ms for each in maps), statistics.mean(each.open for each in maps))


def their_maps(race: Race, size: tuple[int, int], seeds: range, rot: Path) -> Iterator[Figures]:
    """Yield the figures of a rot.js map for each seed."""
    height, width = size
    script = Path(__file__).with_suffix(".js")
    numbers = [str(number) for number in (width, height, len(seeds), seeds.start, REPEATS)]
    command = ["node", str(script), race.peer, *numbers]
    answer = subprocess.run(command, cwd=rot, check=True, capture_output=True, text=True)
    for line in answer.stdout.splitlines():
        yield Figures(**json.loads(line))


def our_maps(race: Race, size: tuple[int, int], seeds: range, share: float) -> Iterator[Figures]:
    """Yield the figures of one of our maps for each seed; `share` is the open share of the maps of rot.js."""
    layout = LAYOUTS[race.layout]
    params = layout.params(**({"open": share} if race.params is None else race.params))
    gc.collect()
    gc.disable()  # as a world does while it makes a level
    for seed in seeds:
        times = []
        for _ in range(REPEATS):
            streams = Streams(seed, "peers/1")
            job = LayoutJob(streams=streams, journal=Journal(), prefabs={}, watched=False)
            start = process_time()
            canvas = Canvas(*size)
            for _ in layout.build(canvas, params, job):
                pass
            times.append(process_time() - start)
        yield Figures(1000 * min(times), float(canvas.open.mean()))
    gc.enable()


if __name__ == "__main__":
    main()
