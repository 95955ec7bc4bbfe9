"""Spacing: the distances (`far_from`, `near`) that encounters keep from the entrance, the exits and each other.

A landmark is the entrance or the exits: stairs. Stairs that no prefab has drawn are chosen after placing, and missing
until then. Possible cells are those where missing stairs would break no distance. A mask is an int with one bit for
each cell of the map.

    <1234#      Steps from the entrance `<`. With `far_from: {entrance: 3}` a drawing may cover only cells at 3 or
    12345#      more; with `near: {entrance: 3}` it must cover at least one cell at 3 or less.

A distance is a number of steps on the map as it is when an encounter is placed, between the cells that encounters cover. A later
placement must not break it. Drawn stairs are known from the start. All other stairs are chosen after placing, so until then enough
cells are kept for them that meet the distances of all placed encounters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import ARRIVAL, EXITS, LANDMARKS, SPACES
from dungeon.grid.rect import Rect
from dungeon.grid.ways import DistanceRule, within_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import TerrainSet

SPARE_CELLS = 12
"""Minimum number of room and cave cells that must stay possible for each entrance or exit that is missing.

Later placements cover and cut off some of these cells, so one cell each would not do.
"""

WAY_MARK = 1
"""The bit that marks a passable cell (floor or any door) in the lookup table of `_marks_of`."""

MARKS = {ARRIVAL: 2, EXITS: 4}
""""entrance" or "exits" -> the bit that marks its stairs in the same table."""


def _marks_of(terrain_set: TerrainSet) -> NDArray[np.uint8]:
    """Return (256,) uint8: terrain code -> `WAY_MARK` if walkers can pass, with the bit of `MARKS` for each kind of stairs."""
    base = terrain_set.base
    marks: NDArray[np.uint8] = terrain_set.passable * np.uint8(WAY_MARK)
    marks[base == t.STAIRS_UP] |= MARKS[ARRIVAL]
    marks[(base == t.STAIRS_DOWN) | (base == t.EXIT)] |= MARKS[EXITS]
    return marks


class _MapView(NamedTuple):
    """What spacing has seen on a map at some time.

    Attributes:
        ways: The mask of passable cells, with every kind of door.
        stairs: "entrance" or "exits" -> the mask of the drawn stairs.
    """

    ways: int
    stairs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _PlacedEncounter:
    """An encounter that has been placed.

    Attributes:
        name: The encounter's name.
        entry: The encounter's entry.
        cells: The mask of the cells that it covers.
        around: The bounds of `cells`, grown by the largest number of steps in `far_from` and `near` of the entry. A change outside of
            this rectangle can neither break nor mend these distances.
    """

    name: str
    entry: EncounterEntry
    cells: int
    around: Rect


class _SpacingState(NamedTuple):
    """A saved state of `Spacing`, for undo: the values of its private attributes of these names."""

    placed: list[_PlacedEncounter]
    covered: int
    distanced: list[_PlacedEncounter]
    last_view: _MapView | None


def _keeps_distance(entry: EncounterEntry) -> bool:
    """Return whether an encounter has `far_from` or `near`."""
    return bool(entry.far_from or entry.near)


class Spacing:
    """The placed encounters of a map, and the distances that they keep.

    Args:
        canvas: The map.
        encounters: Encounter name -> entry, for all encounters that may be placed.
        wanted: "entrance" or "exits" -> the number of such stairs that the map must have, drawn ones included.
        home: (height, width) bool, the cells where the entrance may be; None for anywhere.
    """

    def __init__(
        self,
        canvas: Canvas,
        encounters: Mapping[str, EncounterEntry],
        wanted: Mapping[str, int],
        home: NDArray[np.bool_] | None = None,
    ) -> None:
        self._canvas = canvas
        self._encounters = encounters
        self._wanted = wanted
        self._board = board = canvas.board
        self._home = board.full if home is None else board.from_array(home)
        self._placed: list[_PlacedEncounter] = []
        self._covered = 0  # the union of their cells; no cell is covered twice
        self._distanced: list[_PlacedEncounter] = []
        self._last_view: _MapView | None = None  # None: the map has not been read since the last change
        self._checked_view: _MapView | None = None
        if any(map(_keeps_distance, encounters.values())):
            self._floor = self._plain_floor()

    @cached_property
    def _marks(self) -> NDArray[np.uint8]:
        return _marks_of(self._canvas.terrain_set)

    def _view_now(self, changed: Rect | None = None) -> _MapView:
        """Return the passable cells and the stairs of the map as it is now.

        Args:
            changed: A rectangle outside of which the map is as the last view has it: only its rows are read. None reads all rows.
        """
        board, view = self._board, self._last_view
        if changed is None or view is None:
            changed, view = Rect(0, 0, board.height, board.width), _MapView(0, dict.fromkeys(MARKS, 0))
        top, bottom = changed.y, changed.bottom
        told = t.looked_up(self._marks, self._canvas.terrain[top:bottom])
        drawn = [(*divmod(at, board.width), told.item(at)) for at in np.flatnonzero(told > WAY_MARK).tolist()]
        stairs = {
            word: board.with_rows(
                mask, top, bottom, board.from_cells((y, x) for y, x, marks in drawn if marks & MARKS[word])
            )
            for word, mask in view.stairs.items()
        }
        ways = board.from_part((told & WAY_MARK).view(np.bool_), 0)
        return _MapView(board.with_rows(view.ways, top, bottom, ways), stairs)

    def distances(self, name: str) -> tuple[DistanceRule, ...]:
        """Return the distances that an encounter must keep: those in its entry, and those that placed encounters keep from it."""
        entry = self._encounters[name]
        if not self._distanced and not _keeps_distance(entry):
            return ()
        if self._last_view is None:
            self._last_view = self._view_now()
        theirs = (
            DistanceRule(each.name, each.cells, steps)
            for each in self._distanced
            for word, steps in each.entry.far_from.items()
            if entry.goes_by(name, word)
        )
        said = self._own_distances(entry, self._placed, self._last_view.stairs)
        return tuple(
            dict.fromkeys((*said, *theirs, *self._distances_to_missing_stairs(entry, self._last_view)))
        )

    def _distances_to_missing_stairs(self, entry: EncounterEntry, view: _MapView) -> Iterator[DistanceRule]:
        """Yield, for each missing landmark that an encounter must be near, the rule to be near any cell where its stairs may be.

        `view` is the map on which stairs are missing.
        """
        for landmark, steps in entry.near.items():
            if landmark in LANDMARKS and self._count_missing(landmark, view) > 0:
                cells = self._stair_cells(landmark, self._allowed(landmark, view.ways), view.ways)
                yield DistanceRule(f"any place for the {landmark}", cells, steps, near=True)

    def _own_distances(
        self, entry: EncounterEntry, others: Sequence[_PlacedEncounter], stairs: Mapping[str, int]
    ) -> Iterator[DistanceRule]:
        """Yield a rule for each name in `far_from` and `near` of an encounter, if something on the map has this name.

        Args:
            entry: The encounter's entry.
            others: The placed encounters that may have the name.
            stairs: "entrance" or "exits" -> the mask of the drawn stairs.
        """
        for said, near in ((entry.far_from, False), (entry.near, True)):
            for word, steps in said.items():
                cells = stairs.get(word)
                if cells is None:
                    cells = reduce(
                        or_, (each.cells for each in others if each.entry.goes_by(each.name, word)), 0
                    )
                if cells:
                    yield DistanceRule(f"the {word}" if word in LANDMARKS else word, cells, steps, near)

    def broken_distance(self, name: str, cells: int, changed: Rect) -> str | None:
        """Return which distance is broken once an encounter has been drawn, in words that follow "3 rooms"; None if all hold.

        All distances are checked, of the new encounter and of placed ones: "where it would break a distance of den".

        Args:
            name: The new encounter.
            cells: The mask of the cells that it covers.
            changed: A rectangle with all cells that changed since the last encounter was added.
        """
        if not self._distanced and not _keeps_distance(self._encounters[name]):
            self._checked_view = None
            return None
        now = self._checked_view = self._view_now(changed)
        board = self._board
        if now != self._last_view:
            new = self._placed_of(name, cells)
            for each in (*self._distanced, new):
                if not each.around.overlaps(changed):
                    continue
                others = [other for other in (*self._placed, new) if other is not each]
                stairs = {word: mask & ~each.cells for word, mask in now.stairs.items()}
                if not all(
                    rule.holds(board, now.ways, each.cells)
                    for rule in self._own_distances(each.entry, others, stairs)
                ):
                    return f"where it would break a distance of {each.name}"
        return self._stairs_without_cells(self._encounters[name], cells, now)

    def _stairs_without_cells(self, entry: EncounterEntry, cells: int, now: _MapView) -> str | None:
        """Return in words which missing stairs would have too few possible cells left if an encounter is placed; None if none would.

        Args:
            entry: The encounter.
            cells: The mask of the cells that it covers.
            now: The map with the encounter on it.
        """
        for landmark in self._wanted:
            lacking = self._count_missing(landmark, now)
            if lacking <= 0:
                continue
            allowed = self._allowed(landmark, now.ways) & self._allowed_by(entry, cells, landmark, now.ways)
            if allowed == self._board.full:
                continue
            left = self._stair_cells(landmark, allowed, now.ways) & ~cells
            if left.bit_count() < SPARE_CELLS * lacking:
                return f"where no place would be left for the {landmark}"
        return None

    def _count_missing(self, landmark: str, view: _MapView) -> int:
        """Return how many stairs of a landmark are missing: those that the map must have, less those drawn on the map in `view`."""
        return self._wanted[landmark] - view.stairs[landmark].bit_count()

    def _stair_cells(self, landmark: str, allowed: int, ways: int) -> int:
        """Return the mask of the cells that the stairs of a landmark may be chosen from: passable plain floor that no encounter covers.

        Args:
            landmark: "entrance" or "exits".
            allowed: The mask of the cells where the stairs would break no distance.
            ways: The mask of passable cells.
        """
        left = allowed & self._floor & ways & ~self._covered
        return left & self._home if landmark == ARRIVAL else left

    def stairs_lost_without(self, cells: int) -> str | None:
        """Return in words which missing stairs would have too few possible cells if walkers could not pass `cells`; None if none would."""
        if not self._distanced:
            return None
        now = self._view_now()
        wanted = {landmark: self._count_missing(landmark, now) for landmark in self._wanted}
        for landmark, lacking in wanted.items():
            if lacking <= 0:
                continue
            had, left = (
                self._stair_cells(landmark, self._allowed(landmark, ways), ways).bit_count()
                for ways in (now.ways, now.ways & ~cells)
            )
            if left < min(had, sum(wanted.values())):  # other stairs may take some of these cells
                return f"no place would be left for the {landmark}"
        return None

    def _allowed(self, landmark: str, ways: int) -> int:
        """Return the mask of the cells where a landmark's stairs break no distance of a placed encounter; steps lead over `ways`."""
        allowed = (self._allowed_by(each.entry, each.cells, landmark, ways) for each in self._distanced)
        return reduce(and_, allowed, self._board.full)

    def _allowed_by(self, entry: EncounterEntry, cells: int, landmark: str, ways: int) -> int:
        """Return the mask of the cells where stairs of a landmark break no distance of one encounter.

        Args:
            entry: The encounter.
            cells: The mask of the cells that it covers.
            landmark: "entrance" or "exits".
            ways: The mask of the cells over which steps are counted.
        """
        allowed, board = self._board.full, self._board
        if steps := entry.far_from.get(landmark):
            allowed &= ~within_steps(board, ways, cells, steps - 1)
        if steps := entry.near.get(landmark):
            allowed &= within_steps(board, ways, cells, steps)
        return allowed

    def _plain_floor(self) -> int:
        """Return the mask of plain floor in rooms and caves that are not sealed."""
        canvas, base = self._canvas, self._canvas.base
        spaces = canvas.within(each.id for each in canvas.regions if each.kind in SPACES and not each.sealed)
        return self._board.from_array((base >= t.FLOOR) & (base <= t.CAVE) & ~canvas.drawn & spaces)

    def _placed_of(self, name: str, cells: int) -> _PlacedEncounter:
        """Return the record of the encounter `name`, which covers the cells of the mask `cells`."""
        entry = self._encounters[name]
        steps = max((*entry.far_from.values(), *entry.near.values()), default=0)
        return _PlacedEncounter(name, entry, cells, self._board.bounds(cells).grown(steps))

    def add(self, name: str, cells: int) -> None:
        """Record that the encounter `name` was placed and covers the cells of the mask `cells`."""
        placed = self._placed_of(name, cells)
        self._placed.append(placed)
        self._covered |= cells
        self._last_view = self._checked_view  # the map has not changed since `broken_distance` read it
        if _keeps_distance(placed.entry):
            self._distanced.append(placed)

    def may_move(self, name: str, cause: str) -> bool:
        """Return whether a placed encounter may move: it keeps no distance, and neither placed encounters nor `cause` must be near it.

        Args:
            name: The placed encounter.
            cause: The encounter for which it would move away.
        """
        entry = self._encounters[name]
        near = (*(each.entry.near for each in self._distanced), self._encounters[cause].near)
        return not _keeps_distance(entry) and not any(
            entry.goes_by(name, word) for each in near for word in each
        )

    def snapshot(self) -> _SpacingState:
        """Return the present state of this object, for `restore`."""
        return _SpacingState([*self._placed], self._covered, [*self._distanced], self._last_view)

    def restore(self, snapshot: _SpacingState) -> None:
        """Set this object back to a state that `snapshot` returned."""
        self._placed, self._covered, self._distanced, self._last_view = snapshot

    def remove(self, name: str, cells: int) -> None:
        """Record that an encounter was taken off the map.

        Args:
            name: The encounter, which keeps no distance.
            cells: The mask of the cells that it covered.
        """
        gone = next(each for each in self._placed if each.name == name and each.cells == cells)
        self._placed.remove(gone)
        self._covered &= ~cells
        self._last_view = None

    def cells_for_stairs(self) -> dict[str, NDArray[np.bool_]]:
        """Return "entrance" or "exits" -> (height, width) bool, the cells where such stairs break no distance of a placed encounter.

        A landmark whose stairs may lie anywhere is absent.
        """
        found: dict[str, NDArray[np.bool_]] = {}
        if not self._distanced:
            return found
        ways = self._board.from_array(self._canvas.passable())
        for landmark in LANDMARKS:
            allowed = self._allowed(landmark, ways)
            if allowed != self._board.full:
                found[landmark] = self._board.to_array(allowed)
        return found
