"""Load very many damaged contents: every one must be loaded or refused, in time and within bounds.

Run from the checkout's root: `python benchmarks/fuzz.py [CASES] [SEED]` (by default 10,000 cases from seed 1 on). The
cases are Hypothesis's, drawn in batches of 1,000, each from a seed of its own, so that whatever fails can be had again
by its seed: it is printed. Peak memory is that of this process, Hypothesis included.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter, process_time

from hypothesis import HealthCheck, Phase, given, seed, settings

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from damaged import DAMAGED, WHOLE  # noqa: E402  # the tests' own strategies
from test_fuzz import judge, write  # noqa: E402

BATCH = 1000
SLOWEST = 1.0
"""Seconds of the processor that no case may take: other programs may run beside this one."""
MOST_MEMORY = 200
"""MB that the process may take."""


def main() -> int:
    """Run the batches, print what was seen, and return 1 if anything was wrong."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    verdicts: Counter[str] = Counter()
    slowest = 0.0
    start = perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, WHOLE)
        for number in range(first, first + -(-cases // BATCH)):

            @seed(number)
            @settings(
                max_examples=BATCH,
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
    return 1 if memory > MOST_MEMORY else 0


if __name__ == "__main__":
    sys.exit(main())
