"""The *drawing* of a prefab in one of eight orientations: terrain, *references* (characters that stand for objects), and *links*.

A link is a cell where the prefab is joined to the rest of the map. A drawing *faces south* as its author drew it. A *machine* is a prop
over several cells. A *lock name* is the word after `lock:` and `opens:`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.frozen import Derived, by_fields, sealed
from dungeon.grid.rect import Cell
from dungeon.grid.symmetry import Orientation, turn_glyph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.terrain import Colour


class DrawnLock(NamedTuple):
    """The lock of a locked door of a drawing: row, column, and the lock name, which keys have under `opens`."""

    y: int
    x: int
    word: str

    def moved(self, dy: int, dx: int) -> DrawnLock:
        """Return a copy moved `dy` rows down and `dx` columns to the right."""
        return DrawnLock(self.y + dy, self.x + dx, self.word)


class LockedProp(NamedTuple):
    """A locked prop of a drawing: the cells on which it may stand, and its lock name. A key that is used up may be spent on it."""

    cells: tuple[Cell, ...]
    word: str

    def moved(self, dy: int, dx: int) -> LockedProp:
        """Return a copy moved `dy` rows down and `dx` columns to the right."""
        return self._replace(cells=tuple(Cell(y + dy, x + dx) for y, x in self.cells))


class DrawnKey(NamedTuple):
    """An object that is certain to be on these cells of a drawing, and that opens the locks with a certain name.

    An object that opens locks of several names is one `DrawnKey` for each name, all on the same cells.

    Attributes:
        cells: The cells that the object covers. Empty for a key that the level places outside the drawing, where the player finds
            it before the door.
        word: The name of the locks that it opens.
        underfoot: Whether it can only be put on walkable cells.
        consumed: Whether it may be used up by the first lock that it opens.
        locked: The name of the lock on the key itself (say, a locked chest); empty if it is not locked.
    """

    cells: tuple[Cell, ...]
    word: str
    underfoot: bool = False
    consumed: bool = False
    locked: str = ""

    def moved(self, dy: int, dx: int) -> DrawnKey:
        """Return a copy moved `dy` rows down and `dx` columns to the right."""
        return self._replace(cells=tuple(Cell(y + dy, x + dx) for y, x in self.cells))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DrawnGround:
    """The *ground* of a drawing: its terrain, and the cells where an object blocks walkers, without the objects themselves.

    Most variants of a prefab differ only in their objects. They share one `DrawnGround`, and with it the cache in
    `notes`.

    Attributes:
        terrain: (height, width) uint8 codes, facing south; `KEEP` where the terrain of the map is kept.
        obstacles: (height, width) bool, facing south: True where an object blocks walkers permanently.
        locks: The locks of the locked doors, facing south.
        keys: The objects that certainly open some of these doors; empty if there are no locks.
        boxes: The locked props on which keys may be spent.
        sealed_cells: (height, width) bool, facing south: the open cells that are cut off on purpose (see
            `locked_ground.sealed_cells`); None if there are none.
        covers: Whether no cell of `terrain` is `KEEP`.
        notes: Cache of values derived from the ground.
    """

    terrain: NDArray[np.uint8]
    obstacles: NDArray[np.bool_]
    locks: tuple[DrawnLock, ...] = ()
    keys: tuple[DrawnKey, ...] = ()
    boxes: tuple[LockedProp, ...] = ()
    sealed_cells: NDArray[np.bool_] | None = None
    covers: bool = field(init=False)
    notes: Derived = field(default_factory=Derived, init=False, repr=False, compare=False)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        height, width = self.size
        return f"<DrawnGround of {width}x{height} cells>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "covers", t.KEEP not in self.terrain.tobytes())
        object.__setattr__(self, "terrain", sealed(self.terrain))
        object.__setattr__(self, "obstacles", sealed(self.obstacles))
        if self.sealed_cells is not None:
            object.__setattr__(self, "sealed_cells", sealed(self.sealed_cells))
        self.notes[Orientation.R0] = self.terrain, self.obstacles, self.sealed_cells

    @property
    def barriers(self) -> NDArray[np.bool_]:
        """(height, width) bool, facing south: the open cells where walkers never walk: obstacles and sealed cells."""
        return self.obstacles if self.sealed_cells is None else self.obstacles | self.sealed_cells

    @property
    def size(self) -> tuple[int, int]:
        """The (height, width) of the ground as drawn, facing south."""
        height, width = self.terrain.shape
        return height, width

    def turned(
        self, orientation: Orientation
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_] | None]:
        """Return the arrays `terrain`, `obstacles` and `sealed_cells` as they look in an orientation."""
        return self.notes.once(orientation, self._turned, orientation.turn)

    def _turned(
        self, turn: Callable[[NDArray[Any]], NDArray[Any]]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        cut_off = None if self.sealed_cells is None else sealed(turn(self.sealed_cells))
        return sealed(turn(self.terrain)), sealed(turn(self.obstacles)), cut_off

    def looks_same(self, orientation: Orientation) -> bool:
        """Tell whether the terrain looks the same in an orientation as it does facing south."""
        return self.notes.once(("same", orientation), self._looks_same, orientation)

    def _looks_same(self, orientation: Orientation) -> bool:
        laid = self.turned(orientation)[0]
        return laid.shape == self.terrain.shape and laid.tobytes() == self.terrain.tobytes()


LinkKind = Literal["tunneler", "connector", "diggable", "closed"]

MOST_PARTS = 1 << 20
"""Factor that separates the character from the part in a number of `Drawing.figures`.

No drawing has as many parts.
"""
FIGURES = 1_000_003
"""Factor that combines several references of a cell into one number of `Drawing.figures`."""
LARGEST = (1 << 61) - 1
"""Modulus of the numbers in `Drawing.figures`: a Mersenne prime that fits int64."""


class Reference(NamedTuple):
    """A character of a drawing that stands for an object.

    Attributes:
        y: Row of the cell.
        x: Column of the cell.
        char: The character.
        symbol: The meaning of the character.
        part: Index in `Drawing.parts` of the prefab in which the author drew the character; 0 if no prefab was fitted in.
        turned: Whether rows and columns have been swapped since that prefab was drawn, by a turn of 90 or 270 degrees.
        nth: The number of the symbol among the symbols of the character, if the legend lists several; else 0.
    """

    y: int
    x: int
    char: str
    symbol: SymbolEntry
    part: int = 0
    turned: bool = False
    nth: int = 0

    @property
    def cell(self) -> Cell:
        """The cell of the drawing where the character stands."""
        return Cell(self.y, self.x)

    @property
    def called(self) -> str:
        """A name of the symbol within its part: the character, followed by the symbol's number if that is not 0."""
        return f"{self.char}{self.nth}" if self.nth else self.char


in_order = itemgetter(0, 1, 2)
"""Sort key of references: (y, x, char)."""

place_of = itemgetter(0, 1)
"""The cell (y, x) of a reference."""

name_of = itemgetter(2, 4, 6)
"""What equal references have in common: (char, part, nth)."""


class Link(NamedTuple):
    """A cell of a drawing that says how the prefab is joined to the rest of the map there.

    Attributes:
        kind: At a `tunneler` a tunnel is dug from here; at a `connector` a corridor may join. Corridors that are dug later
            may pass through a `diggable` cell, but not through a `closed` one.
        width: Width of the tunnel in cells; 1 for the other kinds.
        dy: With `dx`, the step toward the nearest edge of the drawing.
    """

    y: int
    x: int
    width: int
    dy: int
    dx: int
    kind: LinkKind = "tunneler"


def nearest_edge(y: int, x: int, height: int, width: int) -> tuple[int, int]:
    """Return the step (dy, dx) from the cell (y, x) toward the nearest edge of a drawing of height x width cells.

    Of equally near edges, the southern one is taken, since a prefab faces south.
    """
    edges = ((height - 1 - y, 1, 0), (y, -1, 0), (x, 0, -1), (width - 1 - x, 0, 1))
    _, dy, dx = min(edges, key=lambda edge: edge[0])
    return dy, dx


class Stairs(NamedTuple):
    """Stairs in a drawing, with row and column, that lead to a certain map: `to` is a map id, or the name of a map or branch."""

    y: int
    x: int
    to: str


@dataclass(frozen=True, slots=True)
class Machine:
    """One prop over several connected cells, shown as it was drawn.

    Attributes:
        cells: The cells that it covers.
        glyphs: The character of each cell.
        fgs: The colour of each cell.
        symbol: The meaning of the reference drawn over the machine, which says which prop it is; None for a generic machine.
        char: The character of that reference; empty if there is none.
        part: Index in `Drawing.parts` of the prefab in which the author drew the machine.
        turned: Whether rows and columns have been swapped since that prefab was drawn, by a turn of 90 or 270 degrees.
        called: The name of the symbol within its part, as in `Reference.called`; empty if there is none.
    """

    cells: tuple[Cell, ...]
    glyphs: tuple[str, ...]
    fgs: tuple[Colour, ...]
    symbol: SymbolEntry | None = field(default=None, compare=False, repr=False)
    char: str = ""
    part: int = 0
    turned: bool = False
    called: str = ""

    @property
    def shown(self) -> set[tuple[Cell, str, Colour]]:
        """What is visible of the machine: (cell, character, colour) for each of its cells."""
        return set(zip(self.cells, self.glyphs, self.fgs, strict=True))


@dataclass(frozen=True, repr=False)
class Drawing:
    """The drawing of a prefab in one orientation.

    Attributes:
        ground: The terrain, and the cells where objects block walkers, facing south.
        references: The characters that stand for objects, sorted by (y, x, char).
        links: The cells where the prefab is joined to the map.
        machines: The props over several cells.
        stairs: The stairs that lead to certain maps.
        parts: The name of the prefab, then the names of the prefabs that were fitted into it.
        repeats: Whether the drawing looks the same as in an earlier orientation, and only its front faces
            another side.
        orientation: The orientation in which the prefab lies.
        height: Number of rows in this orientation.
        width: Number of columns in this orientation.
    """

    ground: DrawnGround
    references: tuple[Reference, ...] = ()
    links: tuple[Link, ...] = ()
    machines: tuple[Machine, ...] = ()
    stairs: tuple[Stairs, ...] = ()
    parts: tuple[str, ...] = ("",)
    repeats: bool = False
    orientation: Orientation = field(default=Orientation.R0, init=False)
    height: int = field(init=False)
    width: int = field(init=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    def __repr__(self) -> str:
        return f"<Drawing {self.name!r} {self.orientation.label} of {self.width}x{self.height} cells>"

    def __post_init__(self) -> None:
        height, width = self.ground.size
        object.__setattr__(self, "height", height)
        object.__setattr__(self, "width", width)

    @cached_property
    def terrain(self) -> NDArray[np.uint8]:
        """Terrain codes in this orientation, (height, width) uint8; `KEEP` where the terrain of the map is kept."""
        return self.ground.turned(self.orientation)[0]

    @cached_property
    def obstacles(self) -> NDArray[np.bool_]:
        """(height, width) bool in this orientation: True where an object blocks walkers permanently."""
        return self.ground.turned(self.orientation)[1]

    @property
    def sealed_cells(self) -> NDArray[np.bool_] | None:
        """(height, width) bool: the open cells that are cut off on purpose; None if there are none."""
        return None if self.ground.sealed_cells is None else self.ground.turned(self.orientation)[2]

    @cached_property
    def barriers(self) -> NDArray[np.bool_]:
        """(height, width) bool: the open cells where walkers never walk: obstacles and sealed cells."""
        cut_off = self.sealed_cells
        return self.obstacles if cut_off is None else self.obstacles | cut_off

    @property
    def locks(self) -> tuple[DrawnLock, ...]:
        """The locks of the drawing's locked doors; one on a cell that has become other terrain has no effect."""
        return self.ground.locks

    @property
    def keys(self) -> tuple[DrawnKey, ...]:
        """The objects in the drawing that are certain to be there, and that open some of its locked doors."""
        return self.ground.keys

    @property
    def boxes(self) -> tuple[LockedProp, ...]:
        """The locked props of the drawing: a player may spend on them a key that a locked door needs."""
        return self.ground.boxes

    @property
    def name(self) -> str:
        """The name of the prefab that was drawn."""
        return self.parts[0]

    @property
    def is_bare(self) -> bool:
        """Whether the drawing has no objects at all."""
        return not self.references and not self.machines

    @cached_property
    def drawn_cells(self) -> frozenset[tuple[int, int]]:
        """The cells (y, x) on which the drawing has terrain or an object."""
        ys, xs = np.nonzero((self.terrain != t.KEEP) | self.meant)
        return frozenset(zip(ys.tolist(), xs.tolist(), strict=True))

    @cached_property
    def meant(self) -> NDArray[np.bool_]:
        """(height, width) bool in this orientation: True where an object is drawn, whether it blocks walkers or not."""
        width = self.width
        found = bytearray(self.height * width)  # filling it takes a third of the time of filling an array
        for each in self.references:
            found[each.y * width + each.x] = True
        for y, x in (cell for machine in self.machines for cell in machine.cells):
            found[y * width + x] = True
        return np.ndarray((self.height, width), np.bool_, bytes(found))

    @cached_property
    def figures(self) -> NDArray[np.int64]:
        """(height, width) int64: for each cell a hash of the references drawn on it, 0 for none; equal hashes mean equal looks."""
        found = np.zeros(self.terrain.shape, np.int64)
        for each in self.references:
            own = ord(each.char) * MOST_PARTS + each.part + 1
            found[each.y, each.x] = (int(found[each.y, each.x]) * FIGURES + own) % LARGEST
        return sealed(found)

    def turned(self, orientation: Orientation) -> Drawing:
        """Return this drawing, which must face south, in another orientation."""
        return self if orientation is Orientation.R0 else _Turned(self, orientation)

    def repeated(self) -> Drawing:
        """Return a copy with `repeats` set: it looks the same as in an earlier orientation of the prefab."""
        return replace(self, repeats=True)

    def looks_like(self, other: Drawing) -> bool:
        """Tell whether this drawing and another one look the same to a player."""
        return (
            self.height == other.height
            and self.terrain.tobytes() == other.terrain.tobytes()
            and self.figures.tobytes() == other.figures.tobytes()
            and sorted(self.links) == sorted(other.links)
            and sorted(self.stairs) == sorted(other.stairs)
            and sorted(self.locks) == sorted(other.locks)
            and _shown(self.machines) == _shown(other.machines)
        )


class _Turned(Drawing):
    """A drawing that is turned or mirrored; `drawn` is the same drawing facing south.

    Each property is computed only when it is first asked for: variants are tried in all orientations, and most
    fit nowhere.
    """

    drawn: Drawing

    def __init__(self, drawn: Drawing, orientation: Orientation, *, repeats: bool = False) -> None:
        height, width = drawn.height, drawn.width
        if orientation.turns % 2:
            height, width = width, height
        self.__dict__.update(
            drawn=drawn,
            ground=drawn.ground,
            orientation=orientation,
            parts=drawn.parts,
            repeats=repeats,
            height=height,
            width=width,
        )

    def repeated(self) -> Drawing:
        """Return a copy with `repeats` set: it looks the same as in an earlier orientation of the prefab."""
        return _Turned(self.drawn, self.orientation, repeats=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_orientation, (self.drawn, self.orientation, self.repeats)

    @cached_property
    def _frame(self) -> tuple[int, int, int, int, int, int]:
        """Where the drawn cell (0, 0) lies after turning, and how the steps (1, 0) and (0, 1) point then: y, x of each in one tuple."""
        size = self.drawn.height, self.drawn.width
        down, right = self.orientation.turn_vector(1, 0), self.orientation.turn_vector(0, 1)
        return (*self.orientation.turn_cell(0, 0, *size), *down, *right)

    def _cell(self, y: int, x: int) -> Cell:
        top, left, down_y, down_x, right_y, right_x = self._frame
        return Cell(top + y * down_y + x * right_y, left + y * down_x + x * right_x)

    @cached_property
    def figures(self) -> NDArray[np.int64]:
        """(height, width) int64 in this orientation: for each cell a hash of the references drawn on it, 0 for none."""
        return sealed(self.orientation.turn(self.drawn.figures))

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The references of the drawing, turned to this orientation and sorted by (y, x, char)."""
        top, left, down_y, down_x, right_y, right_x = self._frame
        quarter = self.orientation.turns % 2 == 1
        moved = [
            (
                top + y * down_y + x * right_y,
                left + y * down_x + x * right_x,
                char,
                symbol,
                part,
                turned != quarter,
                nth,
            )
            for y, x, char, symbol, part, turned, nth in self.drawn.references
        ]
        moved.sort(key=in_order)
        return tuple(map(Reference._make, moved))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links of the drawing, turned to this orientation."""
        return tuple(
            Link(*self._cell(y, x), width, *self.orientation.turn_vector(dy, dx), kind)
            for y, x, width, dy, dx, kind in self.drawn.links
        )

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """The machines, turned to this orientation; line-drawing characters such as ``─`` are turned, too."""
        quarter, orientation = self.orientation.turns % 2 == 1, self.orientation
        return tuple(
            Machine(
                tuple([self._cell(y, x) for y, x in each.cells]),
                tuple([turn_glyph(glyph, orientation) for glyph in each.glyphs]),
                each.fgs,
                each.symbol,
                each.char,
                each.part,
                each.turned != quarter,
                each.called,
            )
            for each in self.drawn.machines
        )

    @cached_property
    def stairs(self) -> tuple[Stairs, ...]:
        """The stairs of the drawing, turned to this orientation."""
        return tuple(Stairs(*self._cell(y, x), to) for y, x, to in self.drawn.stairs)

    @cached_property
    def locks(self) -> tuple[DrawnLock, ...]:
        """The locks of the drawing's locked doors, turned to this orientation."""
        return tuple(
            lock._replace(y=y, x=x) for lock in self.ground.locks for y, x in [self._cell(*lock[:2])]
        )

    @cached_property
    def keys(self) -> tuple[DrawnKey, ...]:
        """The objects that certainly open some of the locked doors, turned to this orientation."""
        return tuple(
            key._replace(cells=tuple(self._cell(*cell) for cell in key.cells)) for key in self.ground.keys
        )

    @cached_property
    def boxes(self) -> tuple[LockedProp, ...]:
        """The locked props on which keys may be spent, turned to this orientation."""
        return tuple(
            box._replace(cells=tuple(self._cell(*cell) for cell in box.cells)) for box in self.ground.boxes
        )


def _by_orientation(drawn: Drawing, orientation: Orientation, repeats: bool) -> Drawing:  # noqa: FBT001
    return _Turned(drawn, orientation, repeats=repeats)


def _shown(machines: tuple[Machine, ...]) -> set[tuple[Cell, str, Colour]]:
    return {shown for machine in machines for shown in machine.shown}


def name_machines(
    machines: Sequence[Machine], references: Sequence[Reference]
) -> tuple[list[Machine], list[Reference]]:
    """Return (machines, references): a machine under the reference to a prop becomes that prop, and this reference is left out.

    Args:
        machines: The props over several cells, still without a meaning.
        references: The characters that stand for objects.
    """
    if not machines:
        return [], list(references)
    covered = {cell: number for number, machine in enumerate(machines) for cell in machine.cells}
    named, left = list(machines), []
    for reference in references:
        number = covered.get(Cell(reference.y, reference.x))
        if number is None or reference.symbol.like != "prop" or reference.part != named[number].part:
            left.append(reference)
        else:
            named[number] = replace(
                named[number], symbol=reference.symbol, char=reference.char, called=reference.called
            )
    return named, left


def obstacles_of(
    shape: tuple[int, ...],
    references: Sequence[Reference],
    machines: Sequence[Machine],
    stops: Callable[[SymbolEntry], bool],
) -> NDArray[np.bool_]:
    """Return (height, width) bool: True where an object blocks walkers permanently.

    Args:
        shape: (height, width) of the drawing.
        references: The characters that stand for objects.
        machines: The props over several cells.
        stops: Tells whether the object of a symbol blocks walkers permanently.
    """
    obstacles = np.zeros(shape, np.bool_)
    for reference in references:
        if stops(reference.symbol):
            obstacles[reference.y, reference.x] = True
    for cell in blocked_by(machines, stops):
        obstacles[cell] = True
    return obstacles


def blocked_by(machines: Sequence[Machine], stops: Callable[[SymbolEntry], bool]) -> Iterator[Cell]:
    """Yield the cells of each machine that blocks walkers; `stops` tells whether the object of a symbol blocks them permanently."""
    for machine in machines:
        if machine.symbol is None or stops(machine.symbol):
            yield from machine.cells
