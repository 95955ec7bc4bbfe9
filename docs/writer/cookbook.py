"""The files and levels that `docs/cookbook.md` shows, taken from the folders in `docs/cookbook/`.

Run from the checkout's root, after a recipe or generation has changed: `python docs/writer/cookbook.py`.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

from dungeon.cli import main

DOCS = Path(__file__).parents[1]
PAGE, RECIPES = DOCS / "cookbook.md", DOCS / "cookbook"

FILE = re.compile(r"^```yaml\n# (\w+/\S+)\n.*?^```$", re.MULTILINE | re.DOTALL)
"""A block with a file of a recipe: `# prison/locks.yaml`."""

OUTPUT = re.compile(r"^```text\n.*?^```(?=\n\n\*`dungeon (show [^`]+)`)", re.MULTILINE | re.DOTALL)
"""A block with the output of the command that is named below it."""


def redrawn(page: str) -> str:
    """Return the page with all its files and levels brought up to date.

    Raises:
        FileNotFoundError: There is no file of a name that the page gives.
    """
    page = FILE.sub(lambda block: f"```yaml\n# {block[1]}\n{_text(block[1])}```", page)
    return OUTPUT.sub(lambda block: f"```text\n{_output(block[1])}\n```", page)


def _text(file: str) -> str:
    """Return the text of a file of a recipe."""
    return (RECIPES / file).read_text(encoding="utf-8")


def _output(command: str) -> str:
    """Return what a command of the page prints, without empty lines around it and spaces at the ends of lines."""
    written = io.StringIO()
    with redirect_stdout(written):
        main(command.replace("docs/", f"{DOCS}/").split())
    lines = [line.rstrip() for line in written.getvalue().splitlines()]
    used = [number for number, line in enumerate(lines) if line]
    return "\n".join(lines[used[0] : used[-1] + 1])


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8")
    after = redrawn(before)
    PAGE.write_text(after, encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}: {'as it was' if after == before else 'changed'}\n")
