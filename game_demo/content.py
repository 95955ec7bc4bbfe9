"""The folder of the game's content."""

from __future__ import annotations

from pathlib import Path


def data_folder() -> Path:
    """Return the folder of the game's own content.

    An installed package contains it as ``data``; in a checkout it lies next to the package.
    """
    package = Path(__file__).resolve().parent
    carried = package / "data"
    return carried if carried.is_dir() else package.parent / "data"
