"""Make `benchmarks/README.md` anew: what each benchmark is for, and what the most important ones print on this machine today.

Run from the checkout's root, while nothing else runs: `python benchmarks/readme.py [PATH]`. PATH is a checkout of another version:
then whole levels are timed beside its levels, too. It takes about 10 minutes. `--smallest` prints the list of benchmarks only.
"""

from __future__ import annotations

import ast
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).parent

SHOWN = (
    "whole.py --seconds 4 --sizes 79x29 80x50 80x70 198x66 500x500",
    "growth.py",
    "worlds.py 20",
    "levels.py",
    "loading.py 2000 500",
    "imports.py 4",
    "spots.py",
    "proof.py 150 data 30",
    "edits.py 10 encounter",
    "sameness.py 60 furrings tinnings",
)
"""The commands whose output is shown, in this order."""

HEAD = """\
# Benchmarks

Speed is measured here and never in a test. Run a benchmark from the checkout's root, in an environment with the package installed:
`python benchmarks/whole.py`. The docstring of each lists its arguments. It exits with 1 if it measured nothing, found something
wrong or missed a goal that it states. `python benchmarks/smallest.py` runs all of them once with their smallest size.

| benchmark | what it tells |
|---|---|
"""

MEASURED = """
## What they print

The output below was made by `python benchmarks/readme.py` on {day} with CPython {version} on {cores} cores. Times are CPU time. A command that ends with
"exit code 1" missed a goal, which it names.
"""


def main(arguments: list[str]) -> None:
    """Write the page, or print its list."""
    if arguments == ["--smallest"]:
        print(listed())
        return
    shown = [f"whole.py --seconds 3 --against {arguments[0]}", *SHOWN] if arguments else [*SHOWN]
    day = datetime.now(UTC).date().isoformat()
    parts = [
        HEAD + listed(),
        MEASURED.format(day=day, version=platform.python_version(), cores=os.cpu_count()),
    ]
    for command in shown:
        print(command, flush=True)
        parts.append(section(command))
    (FOLDER / "README.md").write_text("\n".join(parts), encoding="utf-8")


def listed() -> str:
    """Return a row for each benchmark: its name, and the first sentence about it."""
    rows = []
    for path in sorted(FOLDER.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in text:
            about = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].replace("\n", " ")
            rows.append(f"| `{path.stem}` | {about} |")
    return "\n".join(rows)


def section(command: str) -> str:
    """Run a benchmark; return its name and what it prints."""
    name, *words = command.split()
    run = subprocess.run(
        [sys.executable, str(FOLDER / name), *words], check=False, capture_output=True, text=True
    )
    told = run.stdout.rstrip()
    if run.returncode:
        told += f"\n{run.stderr.strip()}\nexit code {run.returncode}"
    shown = [Path(word).name if Path(word).is_absolute() else word for word in words]
    return f"### {' '.join([name, *shown])}\n\n```text\n{told}\n```\n"


if __name__ == "__main__":
    main(sys.argv[1:])
