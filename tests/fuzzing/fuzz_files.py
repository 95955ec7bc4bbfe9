"""Thousands of damaged files: each must be loaded completely or refused, within limits of time and memory.

Run from the checkout's root: `python tests/fuzzing/fuzz_files.py [CASES] [SEED]` (by default 10,000 cases from seed 1 on).
CASES is the number of contents (YAML and .xp files). Levels, Tiled maps and saved games get a tenth of it each, but at least 100. Hypothesis
draws the contents in batches of 1,000, each from its own seed, which is printed on failure so that it can be repeated. The exit code is
1 if anything went wrong or nothing was read. Peak memory is that of this process, Hypothesis included.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, seed, settings

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from damaged import DAMAGED, WHOLE  # noqa: E402  # the tests' own strategies
from test_fuzz import judge, write  # noqa: E402
from test_fuzz_files import (  # noqa: E402
    READERS,
    damaged_json,
    damaged_save,
    judge_level,
    judge_save,
    saved_game,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 1000
SLOWEST = 5.0
"""Maximum CPU seconds of a case: five times those of the slowest one, because a machine may be slow."""
MOST_MEMORY = 200
"""Maximum MB of the process."""


def files(cases: int, first: int) -> int:
    """Read damaged levels, Tiled maps and saved games, and return the number of failures."""
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        content, save = saved_game(Path(name))
        levels = {kind: written(kind) for kind in READERS}
        kinds: dict[str, Callable[[Random], bool]] = {
            kind: lambda rng, kind=kind: judge_level(kind, damaged_json(levels[kind], rng))  # type: ignore[misc]
            for kind in READERS
        }
        kinds["save"] = lambda rng: judge_save(content, damaged_save(save, rng))
        for kind, judged in kinds.items():
            verdicts: Counter[str] = Counter()
            slowest = 0.0
            for number in range(first, first + cases):
                begun = process_time()
                try:
                    verdict = "loaded" if judged(Random(number)) else "refused"
                except Exception as error:  # noqa: BLE001  # any exception is a failure
                    verdict = "faulty"
                    print(f"{kind}, seed {number}: {type(error).__name__}: {error}")
                taken = process_time() - begun
                slowest = max(slowest, taken)
                verdicts["slow" if taken > SLOWEST else verdict] += 1
            faults += verdicts["faulty"] + verdicts["slow"]
            print(f"{kind}: {cases} cases, slowest {slowest:.2f} s: {dict(verdicts)}", flush=True)
            faults += not (verdicts["loaded"] and verdicts["refused"])  # else nothing was measured
    return faults


def main() -> int:
    """Run the batches; return 1 if anything went wrong or nothing was read."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    if cases < 1:
        print("nothing was asked for", file=sys.stderr)
        return 1
    verdicts: Counter[str] = Counter()
    slowest = 0.0
    start = perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, WHOLE)
        judge(folder, {})  # imports everything, so that no case is charged for it
        for number in range(first, first + -(-cases // BATCH)):

            @seed(number)
            @settings(
                max_examples=min(BATCH, cases),
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(files=DAMAGED)
            def batch(files: dict[str, bytes]) -> None:
                nonlocal slowest
                begun = process_time()
                content = judge(folder, files)
                taken = process_time() - begun
                slowest = max(slowest, taken)
                assert taken <= SLOWEST, f"this took {taken:.1f} s"
                verdicts["refused" if content is None else "loaded"] += 1

            try:
                batch()
            except BaseException:
                print(f"seed {number} found something")
                raise
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"seed {number}: {verdicts.total()} cases, slowest {slowest:.2f} s, {memory:.0f} MB",
                flush=True,
            )
    print(f"{verdicts.total()} cases in {perf_counter() - start:.0f} s: {dict(verdicts)}")
    faults = files(max(cases // 10, 100), first)
    return 1 if faults or memory > MOST_MEMORY else 0


if __name__ == "__main__":
    sys.exit(main())
