"""*Templates*, from which a prefab's drawings are made: fixed cells, *loose cells*, which vary, and *insets* (prefabs fitted in).

Most of a drawing never changes and is read once, when the content is loaded. The rest are *loose cells*: their
characters may be changed by `vary`, or their meaning depends on a parameter. They are read anew for each
variant. A *reference* is a character on the plane above the map; it names an object.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.drawing import (
    Drawing,
    DrawnGround,
    DrawnKey,
    DrawnLock,
    Link,
    LockedProp,
    Reference,
    Stairs,
    blocked_by,
    in_order,
    name_machines,
    nearest_edge,
    obstacles_of,
)
from dungeon.content.prefab.locked_ground import OpenedWords, keys_and_boxes, opens_nothing, sealed_cells
from dungeon.content.values.grammar import roll
from dungeon.core.frozen import NOTHING, Derived, by_fields
from dungeon.core.streams import UNIT, Streams
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.variation import FitRequest, StepEntry
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream


class PrefabFootprint(NamedTuple):
    """The cells on which a prefab in one orientation may have terrain or an object, whichever variant is rolled.

    Attributes:
        orientation: The orientation.
        height: Rows in this orientation.
        width: Columns in this orientation.
        drawn_cells: The cells (y, x).
    """

    orientation: Orientation
    height: int
    width: int
    drawn_cells: frozenset[tuple[int, int]]


class FittablePrefab(Protocol):
    """What `fit` steps need to know of a prefab that they place inside another drawing."""

    @property
    def name(self) -> str:
        """The name of the prefab."""

    def footprints(self, orientations: frozenset[Orientation]) -> Iterable[PrefabFootprint]:
        """Return the cells that the prefab may draw on, for each orientation in `orientations` that the prefab permits."""

    def drawn(self, orientation: Orientation, stream: Stream) -> Drawing:
        """Roll a variant of the prefab and return its drawing in an orientation."""


@dataclass(frozen=True, slots=True)
class Inset:
    """A drawing fitted into another one, the outer drawing, in which its top-left cell lies at (y, x)."""

    drawing: Drawing
    y: int
    x: int

    @property
    def drawn_cells(self) -> list[Cell]:
        """The cells of the outer drawing that the inset covers with terrain or an object."""
        return [Cell(self.y + y, self.x + x) for y, x in self.drawing.drawn_cells]


class CellGroup:
    """Connected loose cells of a drawing, into which another prefab can be fitted.

    Attributes:
        cells: Cell -> its index in the template's list of loose cells.
    """

    __slots__ = ("_spots", "cells")

    def __init__(self, cells: Mapping[Cell, int]) -> None:
        self.cells = cells
        self._spots: dict[tuple[str, frozenset[Orientation]], list[tuple[Orientation, Cell]]] = {}

    def place_within(
        self, prefab: FittablePrefab, orientations: frozenset[Orientation], stream: Stream
    ) -> Inset | None:
        """Fit a prefab into this group of cells: return one of its variants with a place for it; None if it fits nowhere.

        Each pair of orientation and place is equally likely. The variant is rolled afterwards, so all cells
        that any variant draws on must lie in the group.

        Args:
            prefab: The prefab.
            orientations: The orientations allowed here, if the prefab permits them.
            stream: The random stream for the place and the variant.
        """
        spots = self._spots_of(prefab, orientations)
        if not spots:
            return None
        orientation, cell = stream.pick(spots)
        return Inset(prefab.drawn(orientation, stream), *cell)

    def _spots_of(
        self, prefab: FittablePrefab, orientations: frozenset[Orientation]
    ) -> list[tuple[Orientation, Cell]]:
        """Return each (orientation, top-left cell) at which all variants of a prefab fit into the group."""
        key = prefab.name, orientations
        if key not in self._spots:
            prints = prefab.footprints(orientations)
            self._spots[key] = [
                (each.orientation, cell) for each in prints for cell in spots_within(self.cells, each)
            ]
        return self._spots[key]


def spots_within(cells: Collection[Cell], footprint: PrefabFootprint) -> list[Cell]:
    """Return each top-left cell at which a prefab can be placed so that all cells of its footprint lie on `cells`."""
    _, high, wide, drawn_cells = footprint
    if len(drawn_cells) > len(cells):
        return []
    top, left = min(y for y, _ in cells), min(x for _, x in cells)
    height = max(y for y, _ in cells) - top + 1
    width = max(x for _, x in cells) - left + 1
    # `?` cells may lie outside the group, so the board has a margin of a whole drawing on every side.
    board = Board(height + 2 * high, width + 2 * wide)
    mask = board.from_cells(Cell(y - top + high, x - left + wide) for y, x in cells)
    found = -1
    for y, x in drawn_cells:
        found &= mask >> (y * board.stride + x)
    if found == -1:
        return []
    return [Cell(y + top - high, x + left - wide) for y, x in board.cells(found)]


MOST_REMEMBERED = 16
"""How many `DrawnGround`s, and how many lists of cell groups, a template keeps in its caches."""

NO_CHARACTER = ""
"""Character of a loose cell that is covered by a prefab fitted in."""


class LooseCell(NamedTuple):
    """A cell of a drawing whose character may change, or whose character's meaning depends on a parameter.

    Attributes:
        y: Row of the cell.
        x: Column of the cell.
        char: The character as drawn.
        above: Whether the character is drawn in `references`, above the map, rather than in `map`.
        only: The name of the kind that the layer of references is for; empty for the map, and for a layer of all kinds.
    """

    y: int
    x: int
    char: str
    above: bool
    only: str = ""


class CharacterReading(NamedTuple):
    """What a character of a drawing means.

    Attributes:
        codes: Terrain code, rolled for each cell; None leaves the terrain unchanged.
        symbols: (`Reference.nth`, symbol) for each object of the cell, and for each mark of it for a key or for the game.
        to: The map to which stairs lead, rolled for each cell; None if the author did not write it.
        stops: Whether one of the objects blocks walkers permanently.
        lock: The lock name of the cell, rolled for each cell; it counts if the terrain turns out to be a locked door.
        is_connector: Whether a corridor may be joined on here.
    """

    codes: Value[int] | None
    symbols: tuple[tuple[int, SymbolEntry], ...] = ()
    to: Value[str] | None = None
    stops: bool = False
    lock: Value[str] | None = None
    is_connector: bool = False

    @property
    def certain(self) -> int:
        """The one terrain code of a character whose terrain is not rolled; `KEEP` if the character leaves the terrain unchanged."""
        return t.KEEP if self.codes is None else next(iter(self.codes.outcomes()))

    @property
    def certain_destination(self) -> str | None:
        """The map, branch or map id to which stairs lead whose destination is not rolled; None if the author wrote no destination."""
        return None if self.to is None else next(iter(self.to.outcomes()))


class CharacterReader(Protocol):
    """A function that returns what a character of a drawing means."""

    def __call__(
        self, char: str, *, above: bool, parameters: Mapping[str, str | None], only: str = ""
    ) -> CharacterReading:
        """Return what a character means.

        Args:
            char: The character.
            above: Whether it is drawn above the map, where it names an object, rather than on the map.
            parameters: Parameter of the prefab -> its rolled value.
            only: The name of the kind that the layer is for; empty for any.
        """


@dataclass(frozen=True, kw_only=True, repr=False)
class Template:
    """The fixed and the loose cells of a prefab's drawing, from which all its variants are made.

    Attributes:
        fixed: The drawing with the terrain `KEEP`, and nothing else, on every loose cell.
        loose: The loose cells, whose characters may change, row by row.
        steps: The steps under `vary`, which change these characters.
        fits: Index in `steps` of a `fit` step -> name of a prefab that it may fit in -> weight.
        parameters: Parameter of the prefab -> its value, rolled once for each variant.
        chars: (characters drawn in `map`, characters drawn in `references`).
        read: Returns what a character means.
        stops: Tells whether the object of a symbol blocks walkers permanently.
        opens: Returns the names of the locks that the object of a symbol certainly opens.
        given: The lock names in `locks.yaml`, for which the level itself places keys.
        lock_names: The names of the locks that a variant of the drawing may have, on doors or objects.
        sealing: The meaning of the terrain codes, for a prefab whose closed parts are sealed. None for any other
            prefab.
    """

    fixed: Drawing
    read: CharacterReader
    stops: Callable[[SymbolEntry], bool]
    opens: Callable[[SymbolEntry], OpenedWords] = opens_nothing
    given: frozenset[str] = frozenset()
    lock_names: frozenset[str] = frozenset()
    sealing: t.TerrainSet | None = None
    loose: tuple[LooseCell, ...] = ()
    steps: tuple[StepEntry, ...] = ()
    fits: Mapping[int, Mapping[str, float]] = field(default_factory=lambda: NOTHING)
    parameters: Mapping[str, Value[str]] = field(default_factory=lambda: NOTHING)
    chars: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    __reduce__ = by_fields

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<Template of {width}x{height} cells, {len(self.loose)} of them loose>"

    @property
    def shape(self) -> tuple[int, int]:
        """The (height, width) of the drawing as drawn, in cells."""
        return self.fixed.height, self.fixed.width

    @property
    def varies(self) -> bool:
        """Whether the prefab has different variants: some of its cells are loose."""
        return bool(self.loose)

    @property
    def drawn_cells(self) -> frozenset[tuple[int, int]]:
        """The cells (y, x) of the drawing that may have terrain or an object, whichever variant is rolled."""
        return self.fixed.drawn_cells | {(loose.y, loose.x) for loose in self.loose}

    @cached_property
    def symmetries(self) -> tuple[Orientation, ...]:
        """The orientations, other than the drawn one, in which the fixed cells look the same as in the drawn one."""
        sure = np.ones(self.shape, np.bool_)
        for loose in self.loose:
            sure[loose.y, loose.x] = False
        looks = self.fixed.terrain, self.fixed.figures
        others = [each for each in Orientation if each is not Orientation.R0]
        return tuple(way for way in others if all(_stays(each, way, sure) for each in looks))

    def roll(self, stream: Stream, prefabs: Mapping[str, FittablePrefab]) -> Drawing:
        """Return a variant of the drawing: roll the parameters, apply the steps under `vary`, and read the loose cells.

        Args:
            stream: The random stream.
            prefabs: All prefabs by name, some of which may be fitted in.
        """
        if not self.varies:
            return self.fixed
        loose = self.begun(stream, prefabs)
        for number, step in enumerate(self.steps):
            loose.step = number
            step.apply(loose, stream)
        cast = _DrawingBuilder(self)
        cast.fill(loose, self._readings_with(loose.parameters), stream)
        for inset in loose.insets:
            cast.join(inset)
        return cast.drawing()

    def begun(self, stream: Stream, prefabs: Mapping[str, FittablePrefab]) -> CellRoll:
        """Return the loose cells as drawn, before the first step of `vary`, with all parameters of the prefab rolled."""
        parameters = {name: self.parameters[name].roll(stream) for name in sorted(self.parameters)}
        return CellRoll(self, parameters, prefabs)

    def groups(self, indices: tuple[int, ...]) -> list[CellGroup]:
        """Return the 4-connected groups of the loose cells with these indices; recent results are cached."""
        return self._groups.once(indices, self._connected, indices)

    def _connected(self, indices: tuple[int, ...]) -> list[CellGroup]:
        """Compute the 4-connected groups of the loose cells with these indices."""
        places = {Cell(self.loose[index].y, self.loose[index].x): index for index in indices}
        mask = np.zeros(self.shape, np.bool_)
        for cell in places:
            mask[cell] = True
        labels, count = components(mask)
        found: list[dict[Cell, int]] = [{} for _ in range(count)]
        for cell, index in places.items():
            found[labels[cell] - 1][cell] = index
        return [CellGroup(each) for each in found]

    def ground(
        self,
        codes: bytearray,
        obstacles: bytearray,
        locks: tuple[DrawnLock, ...],
        keys: tuple[DrawnKey, ...],
        boxes: tuple[LockedProp, ...],
        sealed: NDArray[np.bool_] | None,
    ) -> DrawnGround:
        """Return the ground (terrain and obstacles) of a variant; an equal ground that was made before is reused.

        Args:
            codes: The terrain code of each cell, one byte a cell, row by row.
            obstacles: 1 where an object blocks walkers permanently, else 0; one byte a cell, row by row.
            locks: The locked doors.
            keys: The keys that are certain to be in the drawing.
            boxes: The locked props on which keys may be spent.
            sealed: (height, width) bool, the open cells that are cut off on purpose; None if there are none.
        """
        both = bytes(codes + obstacles)
        ground, stops = np.frombuffer(both, np.uint8).reshape(2, *self.shape)
        key = both, locks, keys, boxes, None if sealed is None else sealed.tobytes()
        return self._grounds.once(key, DrawnGround, ground, stops.view(np.bool_), locks, keys, boxes, sealed)

    @cached_property
    def blank(self) -> tuple[bytes, bytes]:
        """(terrain codes, obstacles) of the fixed drawing: one byte a cell, row by row; 1 where an object blocks walkers."""
        fixed = self.fixed
        obstacles = obstacles_of(self.shape, fixed.references, (), self.stops)
        return fixed.terrain.tobytes(), obstacles.tobytes()

    def _readings_with(self, parameters: Mapping[str, str | None]) -> _ReadingCache:
        """Return the cache of what each character means while the prefab's parameters have these values."""
        return self._readings.once(tuple(parameters.values()), _ReadingCache, self.read, parameters)

    @cached_property
    def _readings(self) -> Derived:
        return Derived()

    @cached_property
    def _grounds(self) -> Derived:
        return Derived(MOST_REMEMBERED)

    @cached_property
    def _groups(self) -> Derived:
        return Derived(MOST_REMEMBERED)


class _ReadingCache(dict[tuple[str, bool, str], CharacterReading]):
    """Cache: (character, `above`, `only`) -> what it means, read on first use; `above` and `only` are as in `LooseCell`."""

    def __init__(self, read: CharacterReader, parameters: Mapping[str, str | None]) -> None:
        super().__init__()
        self._read = read
        self._parameters = parameters

    def __missing__(self, key: tuple[str, bool, str]) -> CharacterReading:
        char, above, only = key
        reading = self[key] = self._read(char, above=above, parameters=self._parameters, only=only)
        return reading


class _DrawingBuilder:
    """A variant's drawing in the making: the template's fixed drawing, to which loose cells and insets are added."""

    def __init__(self, template: Template) -> None:
        fixed = template.fixed
        self.template = template
        self.codes, self.obstacles = map(bytearray, template.blank)
        self.references = list(fixed.references)
        self.machines = list(fixed.machines)
        self.stairs = list(fixed.stairs)
        self.locks = list(fixed.locks)
        self.links = list(fixed.links)
        self.parts = fixed.parts
        self.sealed: list[Cell] = []

    def fill(self, loose: CellRoll, readings: _ReadingCache, stream: Stream) -> None:
        """Read the loose cells by their present characters, and add their terrain, objects, stairs and locks to the drawing.

        Args:
            loose: The loose cells with their characters after all steps.
            readings: What each character means.
            stream: The random stream for terrain, destinations and locks that are rolled.
        """
        width, ground, obstacles = self.template.fixed.width, self.codes, self.obstacles
        for (y, x, _, above, only), char in zip(self.template.loose, loose.chars, strict=True):
            if char == NO_CHARACTER:
                continue
            codes, symbols, to, stops, lock, is_connector = readings[char, above, only]
            if codes is not None:
                ground[y * width + x] = roll(codes, stream, t.FLOOR)
            for nth, symbol in symbols:
                self.references.append(Reference(y, x, char, symbol, nth=nth))
            if stops:
                obstacles[y * width + x] = True
            if to is not None and (way := to.roll(stream)) is not None:
                self.stairs.append(Stairs(y, x, way))
            if lock is not None and (word := lock.roll(stream)) is not None:
                self.locks.append(DrawnLock(y, x, word))
            if is_connector:
                edge = nearest_edge(y, x, *self.template.shape)
                self.links.append(Link(y, x, 1, *edge, "connector"))

    def join(self, inset: Inset) -> None:
        """Add an inset, a prefab fitted into this drawing: its terrain, objects, stairs, locks and links.

        The inset's links (cells where corridors may join) now lead out over the nearest edge of the whole drawing.
        """
        drawing, top, left, first = inset.drawing, inset.y, inset.x, len(self.parts)
        height, width = self.template.shape
        rows = zip(drawing.terrain.tolist(), drawing.obstacles.tolist(), strict=True)
        for y, row in enumerate(rows, top):
            for x, (code, stops) in enumerate(zip(*row, strict=True), left):
                if code != t.KEEP:  # a `?` cell of the inset may lie outside the drawing
                    self.codes[y * width + x] = code
                if stops:
                    self.obstacles[y * width + x] = True
        self.references += [
            Reference(top + y, left + x, char, symbol, first + part, turned, nth)
            for y, x, char, symbol, part, turned, nth in drawing.references
        ]
        self.machines += [
            replace(each, cells=tuple(Cell(top + y, left + x) for y, x in each.cells), part=first + each.part)
            for each in drawing.machines
        ]
        self.stairs += [Stairs(top + y, left + x, to) for y, x, to in drawing.stairs]
        self.locks += [lock.moved(top, left) for lock in drawing.locks]
        for link in drawing.links:
            y, x = top + link.y, left + link.x
            dy, dx = nearest_edge(y, x, height, width)
            self.links.append(link._replace(y=y, x=x, dy=dy, dx=dx))
        self.parts += drawing.parts
        if drawing.sealed_cells is not None:
            self.sealed += [Cell(top + y, left + x) for y, x in np.argwhere(drawing.sealed_cells).tolist()]

    def drawing(self) -> Drawing:
        """Return the finished drawing."""
        template = self.template
        machines, references = name_machines(self.machines, self.references)
        for y, x in blocked_by(machines, template.stops):
            self.obstacles[y * template.shape[1] + x] = True
        keys, boxes = keys_and_boxes(
            references, machines, self.locks, template.opens, template.stops, template.given
        )
        return Drawing(
            template.ground(self.codes, self.obstacles, tuple(self.locks), keys, boxes, self._sealed_cells()),
            tuple(sorted(references, key=in_order)),
            tuple(self.links),
            tuple(machines),
            tuple(self.stairs),
            self.parts,
        )

    def _sealed_cells(self) -> NDArray[np.bool_] | None:
        """Return (height, width) bool, the open cells that are cut off on purpose; None if there are none.

        These are the sealed cells of the prefabs fitted in, and the closed parts of the whole if its prefab is sealed.
        """
        template, found = self.template, None
        if template.sealing is not None:
            codes, obstacles = (
                np.frombuffer(each, np.uint8).reshape(template.shape) for each in (self.codes, self.obstacles)
            )
            found = sealed_cells(codes, obstacles.view(np.bool_), self.links, template.sealing)
        if self.sealed:
            found = np.zeros(template.shape, np.bool_) if found is None else found
            for cell in self.sealed:
                found[cell] = True
        return found


def _stays(looks: NDArray[np.integer], orientation: Orientation, sure: NDArray[np.bool_]) -> bool:
    """Tell whether an array stays the same when it is turned to an orientation.

    Args:
        looks: (height, width) integers.
        orientation: The orientation.
        sure: (height, width) bool. Only cells that are True here, before and after the turn, are compared.
    """
    turned = orientation.turn(looks)
    if turned.shape != looks.shape:
        return False
    return not ((turned != looks) & sure & orientation.turn(sure)).any()


class CellRoll:
    """The loose cells of a template while the steps under `vary` make a variant of them.

    Attributes:
        chars: The present character of each loose cell.
        parameters: Parameter of the prefab -> its rolled value.
        insets: The prefabs fitted in so far.
        step: Index of the current step.
    """

    def __init__(
        self, template: Template, parameters: Mapping[str, str | None], prefabs: Mapping[str, FittablePrefab]
    ) -> None:
        self.template = template
        self.parameters = parameters
        self.prefabs = prefabs
        self.chars = [loose.char for loose in template.loose]
        self.insets: list[Inset] = []
        self.step = 0

    def fit(self, step: FitRequest, stream: Stream) -> None:
        """Fit a prefab into each connected group of the cells with the step's character; covered cells get `NO_CHARACTER`.

        Args:
            step: The `fit` step.
            stream: The random stream.
        """
        weights = self.template.fits.get(self.step, NOTHING)
        for group in self.groups(step.fit):
            luck = Streams(int(stream.random() / UNIT))
            chance = roll(step.chance, luck.stream("share"), 1.0)
            if chance < 1 and not luck.stream("chance").chance(chance):
                continue
            for name in luck.race(weights):
                inset = group.place_within(self.prefabs[name], step.ways, luck.stream("spot", name))
                if inset is not None:
                    self.insets.append(inset)
                    for cell in inset.drawn_cells:
                        self.chars[group.cells[cell]] = NO_CHARACTER
                    break

    def groups(self, char: str) -> list[CellGroup]:
        """Return the 4-connected groups of the loose cells in `map` whose present character is `char`."""
        cells = zip(self.template.loose, self.chars, strict=True)
        found = [number for number, (loose, now) in enumerate(cells) if now == char and not loose.above]
        return self.template.groups(tuple(found))
