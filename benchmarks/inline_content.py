"""Content written as text in a script."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon

if TYPE_CHECKING:
    from collections.abc import Mapping


def content_of(files: Mapping[str, str]) -> dungeon.Content:
    """Return the content loaded from files: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return dungeon.load_content(folder)


def drop_far_keys(data: Path) -> None:
    """Let the keys of a content folder lie on the maps of their locks, as the world of a benchmark lacks the other maps."""
    locks = data / "locks.yaml"
    locks.write_text(re.sub(r"\n +keys_on: .*", "", locks.read_text(encoding="utf-8")), encoding="utf-8")
