"""What the benchmarks of single layouts share: content from a few files, and how long a layout takes of a level."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import dungeon

if TYPE_CHECKING:
    from collections.abc import Mapping


def content_of(files: Mapping[str, str]) -> dungeon.Content:
    """Return what is loaded from files: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return dungeon.load_content(folder)


def measured(world: dungeon.World, map_id: str) -> tuple[float, float, int]:
    """Return how long the layout of a level takes, and all of it, in seconds, and how many cards it has."""
    layout, cards = 0.0, 0
    start = last = process_time()
    for step in world.steps(map_id):
        now = process_time()
        if step.phase is dungeon.Phase.LAYOUT:
            layout += now - last
            cards += " of the grid" in step.message
        last = now
    return layout, last - start, cards
