"""Content written as text in a script."""

from __future__ import annotations

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
