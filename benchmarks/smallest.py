"""Run every benchmark, fuzzer and page writer once with its smallest size; exit with 1 if one fails or prints nothing.

Run from the checkout's root: `python benchmarks/smallest.py [NAME...]`, or with `--quick` to leave out the slow ones. Such runs say
nothing about speed. They show that each script of `benchmarks/`, `tests/fuzzing/` and `docs/writer/` still works.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

FOLDERS = (ROOT / "benchmarks", ROOT / "tests" / "fuzzing", ROOT / "docs" / "writer")

PLACE = "PLACE"
"""Stands for a temporary folder in arguments."""

SMALLEST = {
    "balance": ["1"],
    "bots": ["--worlds", "1"],
    "cast": ["23", PLACE],
    "checked": ["4", "1"],
    "cookbook": [],
    "declared_worlds": ["2", "1"],
    "draws": ["3", "200"],
    "edits": ["1", "encounter"],
    "frames": ["30"],
    "fuzz_files": ["50"],
    "fuzz_runs": ["120"],
    "growth": ["--smallest"],
    "imports": ["1"],
    "levels": ["--smallest"],
    "loading": ["100", "20", "1"],
    "locks": ["3"],
    "meetings": ["1", "0", "2"],
    "odd_drawings": ["5"],
    "odds": ["--smallest"],
    "peers": ["--smallest"],
    "planted": ["--out", PLACE, "--count", "1", "--worlds", "4"],
    "playtest": ["--smallest"],
    "portals": ["10"],
    "proof": ["3", "data", "4"],
    "readme": ["--smallest"],
    "sameness": ["3", "furrings"],
    "saves": ["1", "2"],
    "spoilt": ["6"],
    "spots": ["--smallest"],
    "strolls": ["1", "200"],
    "towers": ["3"],
    "ways": ["1"],
    "whole": ["--smallest"],
    "words": ["15"],
    "worlds": ["1"],
}
"""Script -> the arguments of its smallest size."""


SLOW = {
    "balance": "bots play whole games",
    "bots": "bots play whole games",
    "edits": "loads data/ twice and makes two worlds of it",
    "imports": "starts 24 processes",
    "loading": "starts processes that load much content",
    "meetings": "bots play whole games",
    "odds": "simulates thousands of draws",
    "planted": "records two runs and reads them with five commands",
}
"""Scripts that `--quick` leaves out, because they take 8 seconds of CPU time or more, and the reason."""


def main(names: list[str]) -> int:
    """Run the scripts, print a line for each, and return 1 if anything is wrong."""
    scripts = {
        path.stem: path
        for folder in FOLDERS
        for path in folder.glob("*.py")
        if 'if __name__ == "__main__":' in path.read_text("utf-8")
    }
    wrong = [
        f"{name}.py is missing from the list or from the folders"
        for name in sorted(scripts.keys() ^ {*SMALLEST, "smallest"})
    ]
    if names == ["--quick"]:
        names = [name for name in SMALLEST if name not in SLOW]
    for name in names or SMALLEST:
        before = cpu_seconds()
        with tempfile.TemporaryDirectory() as place:
            words = [place if word == PLACE else word for word in SMALLEST[name]]
            command = [sys.executable, str(scripts[name]), *words]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
        failed = done.returncode != 0 or not done.stdout.strip()
        print(f"{name:14} {cpu_seconds() - before:6.1f} s  {'failed' if failed else 'ok'}", flush=True)
        if failed:
            said = (done.stderr or done.stdout).strip().splitlines()[-12:]
            wrong.append("\n  ".join([f"{name}.py {' '.join(words)}: exit code {done.returncode}", *said]))
    print(f"{'all':14} {cpu_seconds():6.1f} s of CPU time")
    print(*wrong, sep="\n", file=sys.stderr)
    return int(bool(wrong))


def cpu_seconds() -> float:
    """Return the CPU time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
