"""What tells one content from another: the bytes of its files."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.content.source.files import Findings, content_files
from dungeon.playtest.errors import PlaytestError

if TYPE_CHECKING:
    from collections.abc import Iterable


def fingerprint(layers: Iterable[str | os.PathLike[str]]) -> str:
    """Return a digest of content folders, each laid over those before it: of their files, wherever the folders are.

    Raises:
        PlaytestError: A file can't be read, or there is none.
    """
    digest = hashlib.sha256()
    for number, layer in enumerate(map(Path, layers)):
        files = content_files(layer, Findings(), number)
        if not files:
            raise PlaytestError(f"{layer} holds no content any more")
        for file in files:
            for part in (os.fsencode(file.key), _bytes_of(file.path)):
                # With its length before it each part stays apart from the next.
                digest.update(len(part).to_bytes(8))
                digest.update(part)
    return digest.hexdigest()


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PlaytestError(f"{path} cannot be read: {error.strerror}") from error
