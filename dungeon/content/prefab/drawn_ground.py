"""Grounds: the ground of drawings, shared by all that are walked on alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.core.frozen import by_fields, sealed
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab.locks import Box, Key, Lock


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DrawnGround:
    """A drawing without what is in it: its terrain, and where an object will stop walkers.

    Most variants of a prefab have other objects in them but the ground of one before. They share it, and so what has
    been found out about it.

    Attributes:
        terrain: (height, width) uint8 codes, as drawn; `KEEP` where the map shows through.
        obstacles: (height, width) bool, as drawn: where an object will stop walkers for good.
        locks: What bars its locked doors, as drawn.
        keys: What is sure to open some of them; only asked for where there are locks.
        boxes: The locked props in it on which such keys may be spent.
        covers: Whether there is no `KEEP` cell in it.
        notes: What others have found out about it, so that they need not find out again.
    """

    terrain: NDArray[np.uint8]
    obstacles: NDArray[np.bool_]
    locks: tuple[Lock, ...] = ()
    keys: tuple[Key, ...] = ()
    boxes: tuple[Box, ...] = ()
    covers: bool = field(init=False)
    notes: dict[type, object] = field(default_factory=dict, init=False, repr=False)
    _turned: dict[Orientation, tuple[NDArray[np.uint8], NDArray[np.bool_]]] = field(
        default_factory=dict, init=False, repr=False
    )

    _same: dict[Orientation, bool] = field(default_factory=dict, init=False, repr=False)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        height, width = self.size
        return f"<DrawnGround of {width}x{height} cells>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "covers", t.KEEP not in self.terrain.tobytes())
        object.__setattr__(self, "terrain", sealed(self.terrain))
        object.__setattr__(self, "obstacles", sealed(self.obstacles))
        self._turned[Orientation.R0] = self.terrain, self.obstacles

    @property
    def size(self) -> tuple[int, int]:
        """(height, width), as drawn."""
        height, width = self.terrain.shape
        return height, width

    def turned(self, orientation: Orientation) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the terrain and the obstacles as they lie in an orientation."""
        found = self._turned.get(orientation)
        if found is None:
            turn = orientation.turn
            found = self._turned[orientation] = sealed(turn(self.terrain)), sealed(turn(self.obstacles))
        return found

    def looks_same(self, orientation: Orientation) -> bool:
        """Tell whether the terrain lies in an orientation as it was drawn."""
        found = self._same.get(orientation)
        if found is None:
            laid = self.turned(orientation)[0]
            found = laid.shape == self.terrain.shape and laid.tobytes() == self.terrain.tobytes()
            self._same[orientation] = found
        return found
