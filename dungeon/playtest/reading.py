"""The content that a run was recorded with. No code that a run names is imported or run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.loading.draft import ACCEPTED_FILE
from dungeon.content.source.files import ProblemLog, content_files, digest_of
from dungeon.core.errors import PlaytestError, file_errors
from dungeon.playtest.recording.manifest import parsed_options, read_facts

if TYPE_CHECKING:
    from collections.abc import Iterable


def fingerprint(layers: Iterable[str | os.PathLike[str]]) -> str:
    """Return a digest of all files of some content folders that matter for levels. It does not depend on where the folders are.

    Args:
        layers: The content folder and its mods, in order.

    Raises:
        PlaytestError: A file can't be read, or a folder holds none.
    """
    parts: list[bytes] = []
    for number, layer in enumerate(map(Path, layers)):
        files = content_files(layer, ProblemLog(), number)
        if not files:
            raise PlaytestError(f"the content folder {layer} is gone or empty")
        for file in (each for each in files if each.place != ACCEPTED_FILE):
            with file_errors(PlaytestError, "read", file.path):
                parts += [os.fsencode(file.key), file.path.read_bytes()]
    return digest_of(parts)


class RecordedContent(NamedTuple):
    """The content that a run was recorded with.

    Attributes:
        content: Its fingerprint.
        folders: Its folders, the base first, then mods; empty if they are gone or have changed since.
        imports: The modules to import before the content can be loaded.
        difficulty: The difficulty of the worlds; None for none.
    """

    content: str
    folders: list[str]
    imports: list[str]
    difficulty: str | None = None


def content_of(folder: str | os.PathLike[str]) -> RecordedContent:
    """Return the content that a run was recorded with. Its folders are compared by fingerprint; nothing is imported.

    Raises:
        PlaytestError: There is no readable run.
    """
    facts = read_facts(folder)
    options = parsed_options("arguments", facts.arguments)
    layers = [value for option, value in options if option in ("--data", "--mod")]
    imports = [value for option, value in options if option == "--import"]
    try:
        is_there = bool(layers) and all(Path(each).is_dir() for each in layers)
        is_same = is_there and fingerprint(layers) == facts.content
    except (PlaytestError, OSError, ValueError):
        is_same = False
    return RecordedContent(facts.content, layers if is_same else [], imports, facts.difficulty or None)
