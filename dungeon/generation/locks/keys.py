"""Placing keys in given *areas* (parts of the map between closed locks): on a *mark* that a drawing has for a key, or on the ground.

Sets of areas are bitmasks: bit n stands for area n. A *word* is a lock name.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.content.prefab.drawing import DrawnKey, DrawnLock
from dungeon.content.prefab.locked_ground import LockedGround, words_in_opens
from dungeon.core.errors import counted
from dungeon.core.frozen import Frozen
from dungeon.core.vocabulary import SPACES
from dungeon.generation.populate.choosing import changed
from dungeon.generation.populate.scattering import ARRIVAL_QUIET, POPULATION
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.walks import walks_over
from dungeon.level.model import Spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.models.locks import LockEntry, OpenerEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.placed_drawings import KeyMark
    from dungeon.generation.populate.populator import Populator
    from dungeon.grid.rect import Leap
    from dungeon.grid.walks import Walks
    from dungeon.level.model import Lock


class MarkedSpot(NamedTuple):
    """A mark for a key, and the mask of the areas from which a key on this mark can be taken."""

    mark: KeyMark
    areas: int


@dataclass(frozen=True, slots=True)
class DistanceWish:
    """The range in which a key should lie: `low` to `high` steps from the nearest lock that it opens.

    Cells that can't be reached count as 0 steps away.

    Attributes:
        cells: (height, width) bool, True everywhere.
        walks: Measures the steps from the locks; None if any distance will do.
        low: The minimum number of steps.
        high: The maximum number of steps.
    """

    cells: NDArray[np.bool_]
    walks: Walks | None = None
    low: int = 0
    high: int = 0
    _met: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

    def met(self, lack: int = 0) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells in the range `low` to `high`, or at most `lack` steps nearer or farther."""
        if self.walks is None:
            return self.cells
        if lack not in self._met:
            low = self.low - lack
            enough = self.walks.beyond(self.cells, low) if low > 0 else self.cells
            self._met[lack] = enough & ~self.walks.beyond(self.cells, self.high + lack + 1)
        return self._met[lack]

    def lack(self, cells: NDArray[np.bool_] | Cell) -> int:
        """Return by how many steps a cell is too near or too far, 0 in the range; for a mask, the least such number of its cells."""

        def within(lack: int) -> bool:
            return bool(np.any(self.met(lack)[cells]))

        return 0 if within(0) else bisect_left(range(self.low + self.cells.size), True, key=within)

    def masks(self, free: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
        """Yield the cells where a key may lie, the best cells first, as up to three (height, width) bool arrays.

        First come the cells in the range; then those at most n steps too near or far, with the least n that fits a cell of `free`;
        then all cells of the map.

        Args:
            free: (height, width) bool: the cells that are free for the key.
        """
        yield self.met()
        if self.walks is not None and free.any():
            yield self.met(self.lack(free))
            yield self.cells


@dataclass(slots=True)
class KeyPlacer:
    """Places keys on a level that already has all its other objects.

    Attributes:
        populator: Holds the objects of the level.
        entries: Lock name -> its entry.
        things: Lock name -> what its keys are; of several, the keys are each of them in turn.
        labels: (height, width) int32: the number of each cell's area, 0 for none.
        near: Returns the mask of the areas from which something on these cells, or inside a box there, can be taken.
        locked: Lock name -> the cells that are locked with it.
        entrance: The cell where the player arrives.
        streams: The random streams.
        filled: The ids (Python's `id`) of the marks that hold a key.
        held: Lock name -> mask of the areas that have a key of it, for locks that need several.
    """

    populator: Populator
    entries: Mapping[str, LockEntry]
    things: Mapping[str, Sequence[OpenerEntry]]
    labels: NDArray[np.int32]
    near: Callable[[Sequence[Cell]], int]
    locked: Mapping[str, Sequence[Cell]]
    entrance: Cell
    streams: Streams
    filled: set[int] = field(default_factory=set)
    held: dict[str, int] = field(default_factory=dict)
    _wishes: dict[str, DistanceWish] = field(default_factory=dict)

    def put(self, word: str, number: int, areas: int, preferred: int) -> int:
        """Place a key, and return the mask of the areas from which it can be taken; 0 if no place was found.

        The keys of a lock that needs several lie in different areas if possible.

        Args:
            word: The name of the locks that the key opens.
            number: The number of the key among the keys of this word.
            areas: Mask of the areas in which the key may lie.
            preferred: Mask of the areas in which the key should lie, if several places are equally good otherwise.
        """
        if held := self.held.get(word, 0):
            preferred = preferred & ~held or areas & ~held or preferred
        found = self._put(word, number, areas, preferred)
        if any(each.count > 1 for each in self.things[word]):
            self.held[word] = held | found
        return found

    def _put(self, word: str, number: int, areas: int, preferred: int) -> int:
        """Place a key as `put` does, wherever other keys of the word lie."""
        entry, stream = self.entries[word], self.streams.stream("locks", word, number)
        asked, populator = self.things[word][number % len(self.things[word])].asked, self.populator
        source = f"lock {word}"
        if asked is None:
            return 0
        request = populator.chooser.request(asked)
        thing = populator.chooser.choose(request, stream, source, populator.journal)
        if thing is None:
            return 0
        told = {"opens": word, **{said: True for said in ("consumed", "toggle") if getattr(entry, said)}}
        keywords = Frozen.holding({**request.keywords(thing, stream), **told})
        spot = self._marked(word, thing, areas, preferred, stream)
        if spot is not None:
            self.filled.add(id(spot.mark))
            place = spot.mark.place
            if isinstance(place, Spawn):
                self._hand(place, thing, told)
            else:
                populator.put(thing, (place,), keywords, source, spot.mark.placement)
            self._tell(word, thing, "at a place that a drawing marks for it", place)
            return spot.areas
        cell, lack = self._ground(word, thing, areas, preferred, stream)
        if cell is None:
            cell = self._vacated(word, thing, areas)
            if cell is None:
                return 0
            populator.put(thing, (cell,), keywords, source, None)
            self._tell(word, thing, "in place of something scattered", cell)
            return self.near((cell,))
        populator.put(thing, (cell,), keywords, source, None)
        misses = f", {counted(lack, 'step')} too near or far" if lack else ""
        self._tell(word, thing, f"on the ground{misses}", cell)
        return 1 << int(self.labels[cell])

    # -- marks ----------------------------------------------------------------------------------

    def _marked(
        self, word: str, thing: CatalogObject, areas: int, preferred: int, stream: Stream
    ) -> MarkedSpot | None:
        """Return a random mark for a key, with the areas from which the key can be taken there; None if no mark suits.

        The mark must lie in `areas`, and as far from the locks as the entry of the lock asks for. Marks for keys of this very lock name
        come first, then marks in `preferred`. All areas with such marks are equally likely.

        Args:
            word: The name of the locks that the key opens.
            thing: The key.
            areas: Mask of the areas in which the key may lie.
            preferred: Mask of preferred areas.
            stream: The random stream.
        """
        spots = [
            MarkedSpot(mark, near)
            for mark in self.populator.marks
            if mark.word in (None, word) and id(mark) not in self.filled and self._suits(mark, thing)
            for near in [self._areas_of(mark)]
            if near & areas
        ]
        wished = self._wish(word).met()
        wish = [each for each in spots if wished[_cells_of(each.mark)[0]]]
        own = [each for each in wish if each.mark.word == word] or wish
        if not own:
            return None
        own = [each for each in own if each.areas & preferred] or own
        area = stream.pick(list(dict.fromkeys(each.areas for each in own)))
        return stream.pick([each for each in own if each.areas == area])

    def _suits(self, mark: KeyMark, thing: CatalogObject) -> bool:
        """Tell whether a key can be put on a mark.

        If the mark is an object, such as a box or a robot, it must hold no key yet, and the key must be an item. If it is a cell, it
        must be free, and a key that stops walkers must not close a path. Where something else is drawn, too, an item lies with it.
        """
        place, occupancy = mark.place, self.populator.occupancy
        if isinstance(place, Spawn):
            return (
                thing.like == "item"
                and "opens" not in place.keywords
                and any(each is place for each in self.populator.spawns)
            )
        if mark.is_shared and thing.lies and not self._is_covered(mark, place):
            return not occupancy.objection([place], thing, drawn=True) and bool(self._areas_of(mark))
        if occupancy.objection([place], thing) or occupancy.taken[place] or not self.labels[place]:
            return False
        return not thing.stays or occupancy.keeps_whole([place])

    def _is_covered(self, mark: KeyMark, place: Cell) -> bool:
        """Tell whether an obstacle stands on a marked cell that the mark's own prefab did not draw there."""
        if not self.populator.occupancy.are_obstacles([place]):
            return False
        under = self.populator.try_holder(place)
        return under is None or under.placement != mark.placement or under.source.startswith(POPULATION)

    def _areas_of(self, mark: KeyMark) -> int:
        """Return the bitmask of the areas from which a key on this mark can be taken."""
        place = mark.place
        if isinstance(place, Spawn):
            return self.near(place.cells)
        if (under := self.populator.try_holder(place)) is not None:
            return self.near(under.cells)
        return 1 << int(self.labels[place])

    def _hand(self, holder: Spawn, thing: CatalogObject, told: Mapping[str, object]) -> None:
        """Let an object hold a key: add `holds` (the key's tag) and the key's own keywords `told`, such as `opens`, to its keywords."""
        spawns = self.populator.spawns
        index = next(number for number, each in enumerate(spawns) if each is holder)
        spawns[index] = changed(
            holder, keywords=Frozen.holding({**holder.keywords, **told, "holds": thing.tag})
        )

    # -- ground ---------------------------------------------------------------------------------

    def _ground(
        self, word: str, thing: CatalogObject, areas: int, preferred: int, stream: Stream
    ) -> tuple[Cell | None, int]:
        """Return (random free cell for a key, number of steps by which it is too near to the lock or too far); (None, 0) without one.

        The distance matters most: cells in the range come first, then those that miss it least, then all. After that, cells in rooms
        come first, then those in quiet rooms (where nothing is scattered), then those in corridors. Each area is equally likely.

        Args:
            word: The name of the locks that the key opens.
            thing: The key.
            areas: Mask of the areas in which the key may lie.
            preferred: Mask of preferred areas.
            stream: The random stream.
        """
        populator, occupancy = self.populator, self.populator.occupancy
        canvas = populator.canvas
        chosen = [bool(areas >> number & 1) for number in range(int(self.labels.max()) + 1)]
        chosen[0] = False
        free = occupancy.plain & ~occupancy.taken & ~occupancy.meant & np.array(chosen).take(self.labels)
        if thing.like == "robot":
            free[Rect(*self.entrance, 1, 1).grown(ARRIVAL_QUIET).clipped(*free.shape).slices] = False
        rooms = canvas.within(each.id for each in canvas.regions if each.kind in SPACES)
        wish = self._wish(word)
        for wished in wish.masks(free):
            for cells in (free & rooms & ~canvas.quiet, free & rooms, free):
                found = self._pick(thing, cells & wished, preferred, stream)
                if found is not None:
                    return found, wish.lack(found)
        return None, 0

    def _vacated(self, word: str, thing: CatalogObject, areas: int) -> Cell | None:
        """Remove a scattered object of the map's population to make room for a key; return its cell, or None if none can go.

        Objects are tried from the last to the first. A key that stops walkers needs the cell of an object that stopped them, too, or a cell
        that walkers get around. Any other key may not replace an object that keeps two areas apart.

        Args:
            word: The name of the locks that the key opens.
            thing: The key.
            areas: Mask of the areas in which the key may lie.
        """
        populator, occupancy = self.populator, self.populator.occupancy
        if thing.like == "robot":
            return None
        for index in reversed(range(len(populator.spawns))):
            spawn = populator.spawns[index]
            cell = spawn.cells[0]
            if (
                spawn.placement is not None
                or not spawn.source.startswith(POPULATION)
                or spawn.like == "robot"
            ):
                continue
            near = self.near((cell,))
            if cell in occupancy.goals or "opens" in spawn.keywords or not near & areas:
                continue
            stood = occupancy.are_obstacles([cell])
            if stood == thing.stays or (near.bit_count() == 1 if stood else occupancy.keeps_whole([cell])):
                populator.take_away(index, f"a key to {word} takes its place")
                return cell
        return None

    def _pick(
        self, thing: CatalogObject, cells: NDArray[np.bool_], preferred: int, stream: Stream
    ) -> Cell | None:
        """Return a random one of `cells` for a key, in a preferred area if possible; None if the key can stand on none of them."""
        numbers = np.unique(self.labels[cells]).tolist()
        stream.shuffle(numbers)
        numbers.sort(key=lambda number: not preferred >> number & 1)
        whole = Rect(0, 0, *cells.shape)
        tried = (
            self.populator.free_cell(thing, cells & (self.labels == number), whole, stream)
            for number in numbers
        )
        return next((cell for cell in tried if cell is not None), None)

    # -- distances ------------------------------------------------------------------------------

    def _wish(self, word: str) -> DistanceWish:
        """Return the range in which the keys of a lock name should lie, in steps from its locks.

        The entry gives the range as shares of the longest walk on the map: 0.5 to 1 on a map of 80 steps -> 40 to 80 steps.
        """
        if word not in self._wishes:
            canvas = self.populator.canvas
            free = canvas.passable() & ~self.populator.occupancy.stands
            low, high = self.entries[word].distance
            if (low, high) == (0.0, 1.0):
                self._wishes[word] = DistanceWish(np.ones_like(free))
            else:
                home = walks_over(free, canvas.leaps).alone(self.entrance)
                end = home.farthest(free)
                longest = home.alone(end).longest() if end else 0
                walks = _walks_from(self.locked[word], free, canvas.leaps)
                self._wishes[word] = DistanceWish(
                    np.ones_like(free), walks, int(low * longest), int(high * longest)
                )
        return self._wishes[word]

    def _tell(self, word: str, thing: CatalogObject, where: str, place: Cell | Spawn) -> None:
        """Note in the journal where a key lies."""
        text = f"{thing.tag} at y {place.y}, x {place.x}, {where}"
        self.populator.journal.note("locks", word, "chosen", text)


def _walks_from(cells: Iterable[Cell], free: NDArray[np.bool_], leaps: Sequence[Leap]) -> Walks:
    """Return an object that measures the steps from the nearest of `cells` over free ground.

    `cells` count as free, too. `leaps` are pairs of cells that count as neighbours, such as the ends of a portal.
    """
    opened, starts = free.copy(), list(cells)
    for cell in starts:
        opened[cell] = True
    walks = walks_over(opened, leaps)
    for cell in starts:
        walks.begin(cell)
    return walks


def _cells_of(mark: KeyMark) -> Sequence[Cell]:
    """Return the cells of the object that is marked for a key, or the one cell that is marked."""
    place = mark.place
    return place.cells if isinstance(place, Spawn) else (place,)


def walked(populator: Populator, start: Cell, locks: Iterable[Lock]) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells that the player reaches from `start`, opening locks with keys found on the way.

    Locks that open when another lock is opened count as open: the keys of the other lock have been placed in reach. So do
    locks whose keys lie on other maps.
    """
    canvas = populator.canvas
    board = canvas.board
    keys = [
        DrawnKey(populator.reach_of(spawn), word)
        for spawn in populator.spawns
        if "opens" in spawn.keywords
        for word in words_in_opens(spawn.keywords["opens"])
    ]
    keys += [DrawnKey((), lock.word) for lock in locks if lock.follows or lock.keys_on]
    barred = [DrawnLock(lock.y, lock.x, lock.word) for lock in locks]
    free = canvas.passable() & ~populator.occupancy.stands
    ground = LockedGround.on(board, canvas.terrain, free, barred, keys, canvas.terrain_set, canvas.leaps)
    return board.to_array(ground.reached(board.from_cells([start])))
