"""Where content lies on the disk: which folder it is that somebody stands in, or means."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dungeon.content.loading.draft import ENTRY_KINDS, SINGLE_FILES

if TYPE_CHECKING:
    from collections.abc import Iterable

WORLD = "world.yaml"
"""The file that all content has."""

PARTS = frozenset(PurePosixPath(place).parts[0] for place in (*SINGLE_FILES, *ENTRY_KINDS))
"""The names of the files and folders in a content folder."""


def paths_of(folders: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return folders as paths.

    Raises:
        ValueError: One has no name: that would mean the folder in which a program happens to run.
    """
    named = [os.fspath(each) for each in folders]
    if "" in named:
        raise ValueError("the name of a folder is empty; '.' is the one that the program runs in")
    return [Path(each) for each in named]


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


def mistaken(folder: Path) -> str | None:
    """Return why a path can't be content, nor a mod: it is no folder, or but a part of content. None if it can."""
    if not folder.exists():
        return "there is no such folder"
    around = content_around(folder)
    if around is not None and around != folder.resolve():
        return f"this is a part of the content in {as_written(around, folder)}; that folder is to be named"
    return None if folder.is_dir() else "this is a file, not a folder"


def as_written(around: Path, folder: Path) -> Path:
    """Return the path of a folder around another one in the way in which that one is written, if it can be."""
    return next((each for each in folder.parents if each.resolve() == around), around)
