"""What a recording depends on, besides itself: the content, and the code that makes levels and rules the game."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import dungeon
from dungeon.content.source.files import ProblemLog, content_files
from game_demo.saving.recording import SaveError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon import Content
    from game_demo.saving.recording import Header

ROOMS = (
    (Path(dungeon.__file__).parent, ("adapters", "content", "core", "generation", "grid", "level")),
    (Path(__file__).parents[1], ("rules", "state")),
)
"""Where the code lies, besides single files beside these rooms."""


class OtherContentError(SaveError):
    """A recording was made with other content: with that it can be replayed."""


class Origin(NamedTuple):
    """What games are played with here.

    Attributes:
        content: The digest of the content's files; `code`: that of the code.
        version: The version of the game.
    """

    content: str
    code: str
    version: str

    def check(self, header: Header) -> None:
        """Check that a recording can be replayed here.

        Raises:
            OtherContentError: It was made with other content.
            SaveError: It was made with other code.
        """
        if header.code != self.code:
            same = header.version == self.version
            raise SaveError(f"it was made with {'another state of ' * same}version {header.version}")
        if header.content != self.content:
            raise OtherContentError("it was made with other content")


def origin_of(content: Content) -> Origin:
    """Return what a game with this content depends on; content that has changed on the disk since it was loaded is as it is now.

    Raises:
        OSError: A file can't be read.
    """
    layers = [
        (file.key, file.path)
        for number, layer in enumerate(map(Path, content.layers))
        for file in content_files(layer, ProblemLog(), number)
    ]
    code: list[tuple[str, Path]] = []
    for house, rooms in ROOMS:
        paths = [*house.glob("*.py"), *(path for room in rooms for path in house.glob(f"{room}/**/*.py"))]
        code += [(f"{house.name}/{path.relative_to(house).as_posix()}", path) for path in paths]
    return Origin(_digest(layers), _digest(sorted(code)), _version())


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    """Return a digest of files and their names."""
    digest = hashlib.sha256()
    for name, path in files:
        data = path.read_bytes()
        digest.update(f"{name!r} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _version() -> str:
    try:
        return version("tcod-dungeon")
    except PackageNotFoundError:  # nobody has installed it: it is played from its sources
        return "unknown"
