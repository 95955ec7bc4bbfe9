"""Two checkouts of the code timed in turns, in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WARMING = 3
"""Number of jobs done before any is measured."""

ROUNDS = 3
"""Number of times that each job is done; the least time counts."""


def in_turns(
    sides: Sequence[Callable[[str], float]], jobs: Sequence[str], seconds: float
) -> list[list[float]]:
    """Let two functions do the same jobs in turns; return for each function the least time of each job.

    Args:
        sides: The functions. Each takes a job and returns the CPU time that it took.
        jobs: The jobs; only the first ones are done if all of them take longer than `seconds`.
        seconds: CPU time for all jobs of one side.
    """
    for side in sides:
        for job in jobs[:WARMING]:
            side(job)
    least: list[list[float]] = [[], []]
    for job in jobs:
        for side, times in zip(sides, least, strict=True):
            times.append(side(job))
        if len(least[0]) >= WARMING and sum(least[0]) > seconds / ROUNDS:
            break
    for again in range(1, ROUNDS):
        for number in range(len(least[0])):
            for at in (again % 2, 1 - again % 2):
                least[at][number] = min(least[at][number], sides[at](jobs[number]))
    return least


@contextmanager
def served(checkout: Path, script: str) -> Iterator[Callable[[str], float]]:
    """Start a process with the code of a checkout; yield a function that does a job there and returns its CPU time.

    Args:
        checkout: The checkout.
        script: The benchmark, which calls `serve` if its only argument is ``--serve``.
    """
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"}
    command = [sys.executable, script, "--serve"]
    process = subprocess.Popen(
        command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    requests, answers = process.stdin, process.stdout

    def ask(job: str) -> float:
        print(job, file=requests, flush=True)
        answer = answers.readline()
        if not answer:
            sys.exit(f"{checkout} could not do {job}")
        return float(answer)

    loaded_from = answers.readline().strip()
    if not Path(loaded_from).is_relative_to(checkout):
        sys.exit(f"the code of {checkout} was asked for, and {loaded_from or 'nothing'} was imported")
    try:
        yield ask
    finally:
        requests.close()
        process.wait()


def serve(timed: Callable[[str], float]) -> None:
    """Print the path of the imported library; then, for each job, a line of the input, the CPU time that `timed` returns."""
    print(dungeon.__file__, flush=True)
    for line in sys.stdin:
        print(timed(line.rstrip("\n")), flush=True)


def print_ratio(name: str, count: int | str, means: Sequence[float]) -> None:
    """Print a line of the comparison: mean seconds here and there, as milliseconds, and their ratio."""
    here, there = means
    line = f"{name:>16} {count:>6} {1000 * here:9.2f} {1000 * there:9.2f} {here / there:6.3f}"
    print(line, flush=True)
