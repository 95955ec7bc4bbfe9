"""Time to import `dungeon` with all its names, beside the time of the libraries that it needs.

Run from the checkout's root: `python benchmarks/imports.py [ROUNDS]`. Every figure is taken in fresh processes with compiled
bytecode, as an installed package has it; the start of Python is not counted. The imports take turns. CPU time is given beside wall
time, because other work on the machine changes it less. It is that of the importing thread alone: numpy starts threads that spin
for some 40 ms.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from measured import Measured

ROOT = Path(__file__).parent.parent

ROUNDS = 20
GOAL = 150
"""Milliseconds of CPU time to import every name."""

EVERY = "import dungeon\nfor name in dungeon.__all__: getattr(dungeon, name)"
MODEL = "from pydantic import BaseModel\nclass Model(BaseModel, defer_build=True): pass"
READ = "content = dungeon.load_content('data')"
LEVEL = "world = dungeon.World(content, 7)\nworld.level(world.start.id)"

WORK = {
    "numpy": "import numpy",
    "pydantic, and a first model": MODEL,
    "esper": "import esper",
    "yaml": "import yaml",
    "tcod.console, numpy included": "import tcod.console",
    "numpy and esper, which every name needs": "import numpy, esper",
    "all five": f"import numpy, esper, yaml, tcod.console\n{MODEL}",
    "import dungeon": "import dungeon",
    "import dungeon, every name": EVERY,
    "the same, and dungeon.extend, which needs pydantic": f"{EVERY}\nimport dungeon.extend",
    "the same, and load data/": f"{EVERY}\n{READ}",
    "the same, and make a first level": f"{EVERY}\n{READ}\n{LEVEL}",
}

TIMED = """
from time import perf_counter, thread_time
wall, cpu = perf_counter(), thread_time()
{work}
print(perf_counter() - wall, thread_time() - cpu)
"""


class Cost(NamedTuple):
    """The time of one run in milliseconds."""

    wall: float
    cpu: float


def main() -> None:
    """Measure, and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    costs: dict[str, list[Cost]] = {what: [] for what in WORK}
    with tempfile.TemporaryDirectory() as bytecode:
        for number in range(rounds + 1):
            for what, work in WORK.items():
                cost = run(work, bytecode)
                if number:  # the first round writes the bytecode
                    costs[what].append(cost)
    noted = Measured(checks_goals=rounds > 1)
    print(f"{'ms':52} {'wall: least':>12} {'median':>8} {'CPU: least':>12} {'median':>8}")
    for what, taken in costs.items():
        if not taken:
            continue
        wall, cpu = zip(*taken, strict=True)
        noted.add(f"milliseconds: {what}", min(cpu), GOAL if work_is_goal(what) else None)
        figures = (
            f"{min(wall):12.0f} {statistics.median(wall):8.0f} {min(cpu):12.0f} {statistics.median(cpu):8.0f}"
        )
        print(f"{what:52} {figures}{f'   goal {GOAL}' if work_is_goal(what) else ''}")
    noted.exit()


def work_is_goal(what: str) -> bool:
    """Tell whether the goal applies to this import."""
    return WORK[what] == EVERY


def run(work: str, bytecode: str) -> Cost:
    """Run some code in a fresh process and return its time."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    result = subprocess.run(
        [sys.executable, "-c", TIMED.format(work=work)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=environment,
    )
    wall, cpu = map(float, result.stdout.split())
    return Cost(1000 * wall, 1000 * cpu)


if __name__ == "__main__":
    main()
