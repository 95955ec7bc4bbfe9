"""Write the README of `benchmarks/` and of `tests/fuzzing/`: a table of the scripts, and what some of them print on this machine.

Run from the checkout's root, while nothing else runs: `python benchmarks/readme.py [PATH]`. PATH is a checkout of another version,
whose levels are then timed beside those of this one. It takes about 10 minutes. `--smallest` only prints the tables.
"""

from __future__ import annotations

import ast
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]

BENCHMARKS, FUZZING = ROOT / "benchmarks", ROOT / "tests" / "fuzzing"

TIMED = (
    "whole.py --seconds 4 --sizes 79x29 80x50 80x70 198x66 500x500",
    "growth.py",
    "worlds.py 20",
    "levels.py",
    "loading.py 2000 500",
    "imports.py 4",
    "spots.py",
)
"""The benchmarks whose output is shown, in this order."""

FUZZED = (
    "proof.py 150 data 30",
    "edits.py 10 encounter",
    "sameness.py 60 furrings tinnings",
)
"""The fuzzers whose output is shown."""

HEADS = {
    BENCHMARKS: """\
# Benchmarks

Speed is measured here and never in a test. Run a benchmark from the checkout's root, in an environment with the package installed:
`python benchmarks/whole.py`. Its docstring lists its arguments. It exits with 1 if it measured nothing, found something wrong or
missed a goal. `python benchmarks/smallest.py` runs every benchmark, fuzzer and page writer once with its smallest size.

| benchmark | what it measures |
|---|---|
""",
    FUZZING: """\
# Fuzzing

These scripts try thousands of random contents, files and games; the tests try a few of the same kind. Run one from the checkout's root:
`python tests/fuzzing/checked.py`. Its docstring lists its arguments. It exits with 1 if it tried nothing or found something wrong.
`drawn_small.py` and the other `drawn_*.py` draw random content; `planted_*.py` plant imbalances in a content.

| script | what it tries |
|---|---|
""",
}

MEASURED = """
## What they print

The output below was made by `python benchmarks/readme.py` on {day} with CPython {version} on {cores} cores. Times are CPU time. A command that ends with
"exit code 1" missed a goal, which it names.
"""


def main(arguments: list[str]) -> None:
    """Write both pages, or print their tables."""
    if arguments == ["--smallest"]:
        print(*(table(folder) for folder in HEADS), sep="\n\n")
        return
    timed = [f"whole.py --seconds 3 --against {arguments[0]}", *TIMED] if arguments else [*TIMED]
    day = datetime.now(UTC).date().isoformat()
    for folder, commands in ((BENCHMARKS, timed), (FUZZING, FUZZED)):
        parts = [
            HEADS[folder] + table(folder),
            MEASURED.format(day=day, version=platform.python_version(), cores=os.cpu_count()),
        ]
        for command in commands:
            print(command, flush=True)
            parts.append(section(folder, command))
        (folder / "README.md").write_text("\n".join(parts), encoding="utf-8")


def table(folder: Path) -> str:
    """Return a row for each script in a folder: its name and the first paragraph of its docstring."""
    rows = []
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in text:
            about = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].replace("\n", " ")
            rows.append(f"| `{path.stem}` | {about} |")
    return "\n".join(rows)


def section(folder: Path, command: str) -> str:
    """Run a script and return a section with its command and output."""
    name, *words = command.split()
    run = subprocess.run(
        [sys.executable, str(folder / name), *words], check=False, capture_output=True, text=True
    )
    told = run.stdout.rstrip()
    if run.returncode:
        told += f"\n{run.stderr.strip()}\nexit code {run.returncode}"
    shown = [Path(word).name if Path(word).is_absolute() else word for word in words]
    return f"### {' '.join([name, *shown])}\n\n```text\n{told}\n```\n"


if __name__ == "__main__":
    main(sys.argv[1:])
