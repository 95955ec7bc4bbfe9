"""Spacing: how far encounters lie from the entrance, the exits and each other, and how near to them.

Steps are counted on the map as it is when an encounter is placed, between what encounters cover; what is placed later must keep
all distances as they are. Stairs that are drawn are there from the start, and those that are surplus are there no longer. All
others are chosen at the end: until then enough cells are kept for them that lie right for all encounters.
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
"""So many cells of rooms and caves are kept for the entrance, and for each exit, that is yet to be chosen."""

WAY_MARK = 1
"""What the code of a cell is marked with on which one walks, through whatever door."""

MARKS = {ARRIVAL: 2, EXITS: 4}
"""Likewise, what stairs are marked with."""


def _marks_of(terrain_set: TerrainSet) -> NDArray[np.uint8]:
    """Return (256,) uint8: terrain code -> its marks, so that all of them are looked up at once."""
    base = terrain_set.base
    marks: NDArray[np.uint8] = terrain_set.passable * np.uint8(WAY_MARK)
    marks[base == t.STAIRS_UP] |= MARKS[ARRIVAL]
    marks[(base == t.STAIRS_DOWN) | (base == t.EXIT)] |= MARKS[EXITS]
    return marks


class _MapView(NamedTuple):
    """What has been seen on a map.

    Attributes:
        ways: The mask of where one walks, through whatever door.
        stairs: "entrance" or "exits" -> the mask of the stairs that are drawn.
    """

    ways: int
    stairs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _PlacedEncounter:
    """An encounter that has been placed.

    Attributes:
        name: Its name.
        entry: Its entry.
        cells: The mask of what it covers.
        around: A rectangle with all cells that are as near to it as the greatest number of steps in its `far_from` and `near`.
            Changes of the map outside of the rectangle can't break these rules, nor mend them.
    """

    name: str
    entry: EncounterEntry
    cells: int
    around: Rect


class _SpacingState(NamedTuple):
    """What has been settled, and what follows from it."""

    settled: list[_PlacedEncounter]
    covered: int
    particular: list[_PlacedEncounter]
    right: dict[str, int]
    seen: _MapView | None


def _keeps_distance(entry: EncounterEntry) -> bool:
    """Tell whether an encounter says how far it is to be from anything."""
    return bool(entry.far_from or entry.near)


class Spacing:
    """Who lies where on a map whose encounters are placed one after the other, and who keeps which distance.

    Args:
        canvas: The map.
        encounters: The encounters that may come to it.
        exits: How many maps it leads to.
        home: (height, width) bool, where the entrance is to be, if that matters.
    """

    def __init__(
        self,
        canvas: Canvas,
        encounters: Mapping[str, EncounterEntry],
        exits: int,
        home: NDArray[np.bool_] | None = None,
    ) -> None:
        self._canvas = canvas
        self._encounters = encounters
        self._wanted = {ARRIVAL: 1, EXITS: exits}
        self._board = board = canvas.board
        self._home = board.full if home is None else board.from_array(home)
        self._placed: list[_PlacedEncounter] = []
        self._covered = 0  # all that they cover; nothing is covered twice
        self._allowed = dict.fromkeys(LANDMARKS, board.full)
        self._distanced: list[_PlacedEncounter] = []
        self._last_view: _MapView | None = None  # nobody has looked since the last one was placed
        self._checked_view: _MapView | None = None
        if any(map(_keeps_distance, encounters.values())):
            self._floor = self._plain_floor()

    @cached_property
    def _marks(self) -> NDArray[np.uint8]:
        return _marks_of(self._canvas.terrain_set)

    def _view_now(self, changed: Rect | None = None) -> _MapView:
        """Look at the map; only at the rows of a rectangle if all else is as it was when somebody looked last."""
        board, seen = self._board, self._last_view
        if changed is None or seen is None:
            changed, seen = Rect(0, 0, board.height, board.width), _MapView(0, dict.fromkeys(MARKS, 0))
        top, bottom = changed.y, changed.bottom
        told = t.looked_up(self._marks, self._canvas.terrain[top:bottom])
        drawn = [(*divmod(at, board.width), told.item(at)) for at in np.flatnonzero(told > WAY_MARK).tolist()]
        stairs = {
            word: board.with_rows(
                mask, top, bottom, board.from_cells((y, x) for y, x, marks in drawn if marks & MARKS[word])
            )
            for word, mask in seen.stairs.items()
        }
        ways = board.from_part((told & WAY_MARK).view(np.bool_), 0)
        return _MapView(board.with_rows(seen.ways, top, bottom, ways), stairs)

    def distances(self, name: str) -> tuple[DistanceRule, ...]:
        """Return how far an encounter must lie from what is there, by what it says and by what others say."""
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

    def _distances_to_missing_stairs(self, entry: EncounterEntry, seen: _MapView) -> Iterator[DistanceRule]:
        """Yield to which places for stairs that are yet to be chosen an encounter must be near: elsewhere it leaves none."""
        for landmark, steps in entry.near.items():
            if landmark in LANDMARKS and self._count_missing(landmark, seen) > 0:
                cells = self._stair_cells(landmark, self._allowed[landmark], seen.ways)
                yield DistanceRule(f"any place for the {landmark}", cells, steps, near=True)

    def _own_distances(
        self, entry: EncounterEntry, others: Sequence[_PlacedEncounter], stairs: Mapping[str, int]
    ) -> Iterator[DistanceRule]:
        """Yield how far an encounter says that it is to be from what there is; nothing of what there is not."""
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
        """Return which distance is wrong, its own or one of another encounter, if an encounter covers some cells; None if none is.

        The text tells of sites, in words that follow "3 rooms": "where it would change how far den is from others".

        Args:
            name: The encounter.
            cells: The mask of what it covers.
            changed: A rectangle with all cells that have changed since the last encounter was placed.
        """
        if not self._distanced and not _keeps_distance(self._encounters[name]):
            self._checked_view = None
            return None
        now = self._checked_view = self._view_now(changed)
        board = self._board
        if now != self._last_view:
            it = self._placed_of(name, cells)
            there = [*self._placed, it]
            for each in (*self._distanced, it):
                if not each.around.overlaps(changed):
                    continue
                others = [other for other in there if other is not each]
                stairs = {word: mask & ~each.cells for word, mask in now.stairs.items()}
                if not all(
                    rule.holds(board, now.ways, each.cells)
                    for rule in self._own_distances(each.entry, others, stairs)
                ):
                    return f"where it would change how far {each.name} is from others"
        return self._stairs_without_cells(self._encounters[name], cells, now)

    def _stairs_without_cells(self, entry: EncounterEntry, cells: int, now: _MapView) -> str | None:
        """Return which stairs that are yet to be chosen would have no place any more, or None."""
        for landmark in self._wanted:
            lacking = self._count_missing(landmark, now)
            right = self._allowed[landmark] & self._allowed_by(entry, cells, landmark, now.ways)
            if lacking <= 0 or right == self._board.full:
                continue
            left = self._stair_cells(landmark, right, now.ways) & ~cells
            if left.bit_count() < SPARE_CELLS * lacking:
                return f"where no place would be left for the {landmark}"
        return None

    def _count_missing(self, landmark: str, seen: _MapView) -> int:
        """Return how many stairs are yet to be chosen."""
        return self._wanted[landmark] - seen.stairs[landmark].bit_count()

    def _stair_cells(self, landmark: str, right: int, ways: int) -> int:
        """Return which of the cells that lie right stairs may be chosen from."""
        left = right & self._floor & ways & ~self._covered
        return left & self._home if landmark == ARRIVAL else left

    def stairs_lost_without(self, cells: int) -> str | None:
        """Return which stairs that are yet to be chosen would have no place any more if nobody got over some cells, or None.

        Args:
            cells: The mask of the cells.
        """
        if not self._distanced:
            return None
        now = self._view_now()
        wanted = {landmark: self._count_missing(landmark, now) for landmark in self._wanted}
        for landmark, lacking in wanted.items():
            if lacking <= 0:
                continue
            had, left = (
                self._stair_cells(landmark, self._allowed_now(landmark, ways), ways).bit_count()
                for ways in (now.ways, now.ways & ~cells)
            )
            if left < min(had, sum(wanted.values())):  # the other stairs may come to be on these places, too
                return f"no place would be left for the {landmark}"
        return None

    def _allowed_now(self, landmark: str, ways: int) -> int:
        """Return where stairs lie right for all encounters that have been placed, where one walks so."""
        right = (self._allowed_by(each.entry, each.cells, landmark, ways) for each in self._distanced)
        return reduce(and_, right, self._board.full)

    def _allowed_by(self, entry: EncounterEntry, cells: int, landmark: str, ways: int) -> int:
        """Return where stairs lie right for an encounter that covers some cells."""
        right, board = self._board.full, self._board
        if steps := entry.far_from.get(landmark):
            right &= ~within_steps(board, ways, cells, steps - 1)
        if steps := entry.near.get(landmark):
            right &= within_steps(board, ways, cells, steps)
        return right

    def _plain_floor(self) -> int:
        """Return the plain floor of rooms and caves."""
        canvas, base = self._canvas, self._canvas.base
        spaces = canvas.within(each.id for each in canvas.regions if each.kind in SPACES and not each.sealed)
        return self._board.from_array((base >= t.FLOOR) & (base <= t.CAVE) & ~canvas.drawn & spaces)

    def _placed_of(self, name: str, cells: int) -> _PlacedEncounter:
        entry = self._encounters[name]
        steps = max((*entry.far_from.values(), *entry.near.values()), default=0)
        return _PlacedEncounter(name, entry, cells, self._board.bounds(cells).grown(steps))

    def add(self, name: str, cells: int) -> None:
        """Say that an encounter has been placed.

        Args:
            name: The encounter.
            cells: The mask of what it covers.
        """
        settled = self._placed_of(name, cells)
        self._placed.append(settled)
        self._covered |= cells
        self._last_view = self._checked_view  # the map is as it was when this was found to be right
        if _keeps_distance(settled.entry):
            self._distanced.append(settled)
            if self._last_view is None:
                self._last_view = self._view_now()
            for landmark in LANDMARKS:
                self._allowed[landmark] &= self._allowed_by(
                    settled.entry, cells, landmark, self._last_view.ways
                )

    def may_move(self, name: str, cause: str) -> bool:
        """Tell whether an encounter that was placed may move: it keeps no distance itself, and none is to be near it.

        Args:
            name: The encounter.
            cause: The encounter that it would move for.
        """
        entry = self._encounters[name]
        near = (*(each.entry.near for each in self._distanced), self._encounters[cause].near)
        return not _keeps_distance(entry) and not any(
            entry.goes_by(name, word) for each in near for word in each
        )

    def snapshot(self) -> _SpacingState:
        """Return what `go_back` needs to forget all that has been settled after this."""
        return _SpacingState(
            [*self._placed], self._covered, [*self._distanced], dict(self._allowed), self._last_view
        )

    def restore(self, snapshot: _SpacingState) -> None:
        """Forget all that has been settled since a state was asked for."""
        self._placed, self._covered, self._distanced, self._allowed, self._last_view = snapshot

    def remove(self, name: str, cells: int) -> None:
        """Say that an encounter does not lie any more where it lay.

        Args:
            name: The encounter, which keeps no distance itself.
            cells: The mask of what it covered.
        """
        gone = next(each for each in self._placed if each.name == name and each.cells == cells)
        self._placed.remove(gone)
        self._covered &= ~cells
        self._last_view = None

    def cells_for_stairs(self) -> dict[str, NDArray[np.bool_]]:
        """Return "entrance" or "exits" -> (height, width) bool, the cells that lie right for all encounters on the map as it is.

        Nothing is said of those that may lie anywhere.
        """
        found: dict[str, NDArray[np.bool_]] = {}
        if not self._distanced:
            return found
        ways = self._board.from_array(self._canvas.passable())
        for landmark in LANDMARKS:
            right = self._allowed_now(landmark, ways)
            if right != self._board.full:
                found[landmark] = self._board.to_array(right)
        return found
