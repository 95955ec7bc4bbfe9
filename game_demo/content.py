"""Where the game's content lies."""

from __future__ import annotations

from pathlib import Path


def data_folder() -> Path:
    """Return the folder of the game's own content.

    An installed game carries it inside the package; in a checkout it lies beside the package.
    """
    package = Path(__file__).resolve().parent
    carried = package / "data"
    return carried if carried.is_dir() else package.parent / "data"
