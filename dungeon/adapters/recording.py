"""A recording of a level being built, for animations and for stepping forward and back. A frame is the level after one step; a moment of an array is its state at one step.

The canvas goes on changing, so each step is stored as the cells that it changed and their new values. When these take more
space than the whole array, compressed, the whole array is stored, too (a key frame). Any moment is rebuilt from the last
key frame before it::

    key frame   + changes   + changes   + changes   key frame   + changes   ...
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, overload

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import check_type
from dungeon.grid.rect import Cell
from dungeon.level.steps import Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.model import Placement, Spawn
    from dungeon.level.steps import Phase
    from dungeon.terrain import TerrainSet


S = TypeVar("S", bound=np.generic)

INTERVAL = 32
"""Minimum number of moments between two key frames."""


class CellChanges(NamedTuple, Generic[S]):
    """How an array changed from one moment to the next.

    Attributes:
        cells: The flat indices of the changed cells.
        values: The new values of these cells.
    """

    cells: NDArray[np.uint32]
    values: NDArray[S]

    @property
    def nbytes(self) -> int:
        """The size of both arrays, in bytes."""
        return self.cells.nbytes + self.values.nbytes


class Film(Generic[S]):
    """All moments of an array that changes, stored in little space. Moments are numbered from 0.

    Args:
        first: The array at its first moment. It is copied, so it may change afterwards.

    Attributes:
        changes: The changes of each moment since the one before; none at the first.
    """

    def __init__(self, first: NDArray[S]) -> None:
        self._last = first.copy()
        self._starts = [0]
        self._whole = [self._compressed()]  # at the moments with these numbers
        self._since = 0  # the bytes of all changes since
        self.changes = [self._change(first)]

    def add(self, now: NDArray[S]) -> None:
        """Add the array `now` as the next moment."""
        change = self._change(now)
        self._last.ravel()[change.cells] = change.values
        self._since += change.nbytes
        number = len(self.changes)
        self.changes.append(change)
        if number - self._starts[-1] >= INTERVAL and self._since > len(self._whole[-1]):
            self._starts.append(number)
            self._whole.append(self._compressed())
            self._since = 0

    def at(self, number: int) -> NDArray[S]:
        """Return a new array with the values at moment `number`."""
        nearest = bisect_right(self._starts, number) - 1
        flat = np.frombuffer(zlib.decompress(self._whole[nearest]), self._last.dtype).copy()
        for change in self.changes[self._starts[nearest] + 1 : number + 1]:
            flat[change.cells] = change.values
        return flat.reshape(self._last.shape)

    @property
    def nbytes(self) -> int:
        """The size of all stored moments, in bytes."""
        return sum(change.nbytes for change in self.changes) + sum(map(len, self._whole))

    def _change(self, now: NDArray[S]) -> CellChanges[S]:
        cells = np.flatnonzero(now != self._last).astype(np.uint32)
        return CellChanges(cells, now.ravel()[cells])

    def _compressed(self) -> bytes:
        return zlib.compress(self._last.tobytes(), 1)


T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Frame:
    """The state of a level after one step of its generation. It can be drawn like a level.

    Attributes:
        number: Its index in the recording.
        phase: The stage of generation; `message`: the step, in words.
        terrain: (height, width) uint8 codes of `terrain_set`.
        region: (height, width) uint16 region ids, 0 for none.
        kinds: Region id -> kind of region, so far.
        changed: (height, width) bool, the cells that have changed since the frame before.
        placements: The placements so far.
        spawns: The spawns so far.
    """

    number: int
    phase: Phase
    message: str
    terrain: NDArray[np.uint8]
    terrain_set: TerrainSet
    region: NDArray[np.uint16]
    kinds: dict[int, str]
    changed: NDArray[np.bool_]
    placements: tuple[Placement, ...]
    spawns: tuple[Spawn, ...]

    def __repr__(self) -> str:
        return f"<Frame {self.number} of {self.phase.value}: {self.message}>"

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self.terrain.shape[0])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.terrain.shape[1])

    @property
    def entrance(self) -> Cell | None:
        """The cell of the stairs up, where the player will arrive; None while there are none."""
        return next(iter(self._stairs(t.STAIRS_UP)), None)

    @property
    def exits(self) -> tuple[Cell, ...]:
        """The cells of stairs down and exits so far."""
        return self._stairs(t.STAIRS_DOWN, t.EXIT)

    def _stairs(self, *codes: int) -> tuple[Cell, ...]:
        at = np.flatnonzero(np.isin(self.terrain_set.base[self.terrain], codes))
        return tuple(Cell(*divmod(each, self.width)) for each in at.tolist())


class _Kept(NamedTuple):
    """One step of a recording as it is stored: its phase and message, and the placements, spawns and region kinds at that moment."""

    phase: Phase
    message: str
    placements: _Prefix[Placement]
    spawns: _Prefix[Spawn]
    kinds: tuple[str, ...]  # of the regions, in order of their ids


class Recording(Sequence[Frame]):
    """The frames of a level being built. The first one shows the map before anything was dug.

    Args:
        steps: The steps of generation that `World.steps` yields.

    Raises:
        ValueError: There are no steps.
        GenerationError: The level can't be made.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        self._frames: list[_Kept] = []
        placements: _SharedList[Placement] = _SharedList()
        spawns: _SharedList[Spawn] = _SharedList()
        check_type(steps, Iterable, "Recording", "the steps of a level, such as world.steps('foundry/3')")
        for step in steps:
            check_type(step, Step, "Recording", "the steps of a level, such as world.steps('foundry/3')")
            canvas = step.canvas
            if not self._frames:
                self._terrain: Film[np.uint8] = Film(canvas.terrain)
                self._region: Film[np.uint16] = Film(canvas.region)
                self.terrain_set = canvas.terrain_set
                self.shape: tuple[int, int] = (canvas.height, canvas.width)
            else:
                self._terrain.add(canvas.terrain)
                self._region.add(canvas.region)
            kept = placements.now(step.placements), spawns.now(step.spawns)
            kinds = tuple(region.kind for region in canvas.regions)
            if self._frames and kinds == self._frames[-1].kinds:
                kinds = self._frames[-1].kinds
            self._frames.append(_Kept(step.phase, step.message, *kept, kinds))
        if not self._frames:
            raise ValueError("a recording needs at least one step of generation, and got none")

    def __len__(self) -> int:
        return len(self._frames)

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<Recording of {len(self)} frames of {width}x{height} cells>"

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        """Return a frame with new arrays, which may be changed. IndexError if there is no such frame."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        kept = self._frames[number]
        return Frame(
            number=number,
            phase=kept.phase,
            message=kept.message,
            terrain=self._terrain.at(number),
            terrain_set=self.terrain_set,
            region=self._region.at(number),
            kinds=dict(enumerate(kept.kinds, 1)),
            changed=self._changed(number),
            placements=kept.placements.items,
            spawns=kept.spawns.items,
        )

    def _changed(self, number: int) -> NDArray[np.bool_]:
        """Return a mask of the cells with new terrain or a new spawn since the frame before."""
        kept = self._frames[number]
        changed = np.zeros(self.shape, np.bool_)
        changed.ravel()[self._terrain.changes[number].cells] = True
        known = set(map(id, self._frames[number - 1].spawns.items)) if number else set()
        for spawn in kept.spawns.items:
            if id(spawn) not in known:
                for cell in spawn.cells:
                    changed[cell] = True
        return changed

    @property
    def messages(self) -> tuple[str, ...]:
        """The message of every frame."""
        return tuple(kept.message for kept in self._frames)

    @property
    def phases(self) -> dict[Phase, range]:
        """Stage -> the numbers of its frames, in order. A stage that was repeated reaches from its first frame to its last."""
        found: dict[Phase, range] = {}
        for number, kept in enumerate(self._frames):
            first = found.get(kept.phase, range(number, number)).start
            found[kept.phase] = range(first, number + 1)
        return found

    @property
    def nbytes(self) -> int:
        """The size of all stored maps and changes, in bytes."""
        return self._terrain.nbytes + self._region.nbytes


@dataclass(frozen=True, slots=True)
class _Prefix(Generic[T]):
    """The first `length` items of a list that has grown since: the state of the list at an earlier moment."""

    whole: list[T]
    length: int

    @property
    def items(self) -> tuple[T, ...]:
        return tuple(self.whole[: self.length])


class _SharedList(Generic[T]):
    """A list that grows, with its states at several moments. The states share their items in memory while no item is removed."""

    def __init__(self) -> None:
        self._whole: list[T] = []

    def now(self, items: Sequence[T]) -> _Prefix[T]:
        """Store the state of the list at the next moment, given as `items`, and return it."""
        count = len(self._whole)
        # If an item was removed, the last known item is no longer at its old index.
        if len(items) < count or (count and items[count - 1] is not self._whole[-1]):
            self._whole = list(items)
        else:
            self._whole.extend(items[count:])
        return _Prefix(self._whole, len(items))
