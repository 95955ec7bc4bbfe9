"""What may be compared besides runs: content as it was in another revision of its repository."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.playtest.errors import PlaytestError
from dungeon.playtest.recording.store import FILE

if TYPE_CHECKING:
    import os


def is_run(folder: str | os.PathLike[str]) -> bool:
    """Tell whether there is a run in a folder."""
    return (Path(folder) / FILE).is_file()


def unpacked(revision: str, folder: str | os.PathLike[str], into: Path) -> Path:
    """Write a folder as it was in another revision of its git repository, and return where that is.

    Nothing but the folder itself is written, and nothing in the repository, even if this is killed.

    Args:
        revision: Anything that git takes for a commit.
        folder: The folder.
        into: Where it is to be written; it is made.

    Raises:
        PlaytestError: There is no git, no such revision, or no such folder in it.
    """
    if revision.startswith("-"):
        raise PlaytestError(f"{revision} is no revision")
    command = ["git", "-C", str(folder), "archive", "--format=tar", revision]
    try:
        archive = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603  # git, and no options
    except FileNotFoundError as error:
        raise PlaytestError(f"{revision} is no folder, and there is no git to look for a revision") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise PlaytestError(f"{revision} is neither a folder nor a revision of {folder}: {said}") from error
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(into, filter="data")
    return into
