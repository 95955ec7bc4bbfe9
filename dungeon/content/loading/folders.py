"""Where content lies on the disk: which folder it is that somebody stands in."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dungeon.content.loading.draft import ENTRY_KINDS, SINGLE_FILES

if TYPE_CHECKING:
    from pathlib import Path

WORLD = "world.yaml"
"""The file that all content has."""

PARTS = frozenset(PurePosixPath(place).parts[0] for place in (*SINGLE_FILES, *ENTRY_KINDS))
"""The names of the files and folders in a content folder."""


def content_around(folder: Path) -> Path | None:
    """Return the content folder that a folder is, or is a part of, as an absolute path; None if it is in none.

    It is told by its ``world.yaml``; what lies in it by the names of its folders: ``prefabs``, ``maps``...
    """
    here = folder.resolve()
    for around in (here, *here.parents):
        if (around / WORLD).is_file() and (around == here or here.relative_to(around).parts[0] in PARTS):
            return around
    return None


def is_like_content(folder: Path) -> bool:
    """Tell whether a folder holds any of the files and folders that content has."""
    return any((folder / part).exists() for part in PARTS)
