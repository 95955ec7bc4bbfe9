"""The esper worlds of a game.

esper knows its worlds by name, for the whole process, and one of them is the current one. A game has a world for each of
its levels, under names that no other game has, and makes the one that it plays on the current one before it reads or
changes it: so any number of games can be on in a process.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import esper

if TYPE_CHECKING:
    from collections.abc import Iterable

NEUTRAL = "default"
"""The world that esper always has."""


class Worlds:
    """The esper worlds of one game; they are deleted when it is closed, or forgotten."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._release = weakref.finalize(self, _delete, self._names.values())
        self._release.atexit = False

    def __getitem__(self, map_id: str) -> str:
        """Return the name of the world of a map."""
        if map_id not in self._names:
            self._names[map_id] = f"{map_id} of game {id(self):x}"
        return self._names[map_id]

    def enter(self, map_id: str) -> None:
        """Make the world of a map esper's current one."""
        if esper.current_world != self._names.get(map_id):
            esper.switch_world(self[map_id])

    def close(self) -> None:
        """Delete the worlds."""
        self._release()


def _delete(names: Iterable[str]) -> None:
    for name in names:
        if esper.current_world == name:
            esper.switch_world(NEUTRAL)
        if name in esper.list_worlds():
            esper.delete_world(name)
