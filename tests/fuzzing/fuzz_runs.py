"""Damaged recorded runs: each must be readable from end to end, or refused with one line that names the damage.

Run from the checkout's root: `python tests/fuzzing/fuzz_runs.py [CASES] [SEED]` (by default 1,000 cases from seed 1 on). A report takes a
hundred times as long as reading, so only every hundredth case also goes to the commands `report`, `compare` and `playtest --digest`.
Failures are printed with their seeds. The exit code is 1 if there are any, if no run was read, or if none was refused.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import process_time
from traceback import format_exc

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from content_files import write_content  # noqa: E402  # the tests' own content
from damaged_runs import damage, is_read, judge  # noqa: E402

from dungeon import playtest  # noqa: E402

EVERY = 100
"""One case in this number goes to the commands."""

SECONDS = 30
"""A case that takes longer is a hang."""


def main() -> int:
    """Try the cases and print the counts; return 1 if anything went wrong."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    verdicts: Counter[str] = Counter()
    start = process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write_content(folder / "content")
        whole, run = folder / "whole", folder / "run"
        games = playtest.Games(bots=("random",), game="demo", limit=30)
        playtest.record(data, range(4), out=whole, probe=games)
        for seed in range(first, first + cases):
            what = damage(whole, run, seed)
            signal.alarm(SECONDS)
            try:
                read = is_read(run)
                verdicts["read" if read else "refused"] += 1
                if seed % EVERY == 0:
                    judge(run, whole)
            except BaseException:  # noqa: BLE001  # any exception is a failure
                print(f"seed {seed} ({what}): {format_exc()}")
                verdicts["wrong"] += 1
            signal.alarm(0)
    print(f"{cases} cases in {process_time() - start:.0f} s of CPU time: {dict(verdicts)}")
    return int("wrong" in verdicts or not {"read", "refused"} <= {*verdicts})


def _hangs(*_: object) -> None:
    raise TimeoutError(f"no end after {SECONDS} s")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _hangs)
    sys.exit(main())
