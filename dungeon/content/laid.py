"""Drawings as they lie: terrain, and what stands in it, in one of eight orientations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np

from dungeon import terrain as t
from dungeon.grid.glyphs import turn_glyph
from dungeon.grid.rect import Cell
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.symbols import SymbolEntry
    from dungeon.terrain import Colour

LinkKind = Literal["tunneler", "connector", "diggable", "closed"]

MOST_PARTS = 1 << 20
FIGURES = 1_000_003
LARGEST = (1 << 61) - 1
"""What numbers for references are made with: two of them in a cell make another one."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A character at a cell of a drawing that stands for an object.

    Attributes:
        symbol: What it stands for.
        part: Which of the drawing's `parts` it belongs to.
        turned: Whether columns and rows have changed places since its own prefab was drawn.
    """

    y: int
    x: int
    char: str
    symbol: SymbolEntry = field(compare=False, repr=False)
    part: int = 0
    turned: bool = field(default=False, compare=False)


class Link(NamedTuple):
    """Where a prefab joins the rest.

    Attributes:
        kind: A tunneler starts here; or a corridor may be joined on (connector); or paths dug later may come
            through (diggable), or may not (closed).
        width: How wide a tunneler digs; 1 for other kinds.
        dy: With `dx`, the direction of the nearest edge.
    """

    y: int
    x: int
    width: int
    dy: int
    dx: int
    kind: LinkKind = "tunneler"


def nearest_edge(y: int, x: int, height: int, width: int) -> tuple[int, int]:
    """Return the step (dy, dx) from a cell of a drawing toward the nearest edge.

    South comes first: a prefab faces south, so of equally near edges that one is meant.
    """
    edges = ((height - 1 - y, 1, 0), (y, -1, 0), (x, 0, -1), (width - 1 - x, 0, 1))
    _, dy, dx = min(edges, key=lambda edge: edge[0])
    return dy, dx


class Stairs(NamedTuple):
    """Stairs that lead to a certain map, or the first of a certain name."""

    y: int
    x: int
    to: str


@dataclass(frozen=True, slots=True)
class Machine:
    """One prop over several connected cells, shown as drawn.

    Attributes:
        glyphs: What each cell shows, in the colours `fgs`.
        symbol: What it is; None for a generic machine.
        part: Which of the drawing's `parts` it belongs to.
    """

    cells: tuple[Cell, ...]
    glyphs: tuple[str, ...]
    fgs: tuple[Colour, ...]
    symbol: SymbolEntry | None = field(default=None, compare=False, repr=False)
    char: str = ""
    part: int = 0

    @property
    def shown(self) -> set[tuple[Cell, str, Colour]]:
        """What is seen of it."""
        return set(zip(self.cells, self.glyphs, self.fgs, strict=True))


@dataclass(frozen=True)
class Drawing:
    """A prefab as it lies in one orientation.

    Attributes:
        terrain: (height, width) uint8 codes; `KEEP` where the map shows through.
        obstacles: (height, width) bool: where an object will stop walkers for good.
        stairs: The stairs that lead to certain maps.
        parts: The names of the prefabs it is made of, its own first.
        repeats: Whether its prefab has a drawing that looks the same but whose front faces another side.
    """

    orientation: Orientation
    terrain: NDArray[np.uint8]
    obstacles: NDArray[np.bool_]
    references: tuple[Reference, ...] = ()
    links: tuple[Link, ...] = ()
    machines: tuple[Machine, ...] = ()
    stairs: tuple[Stairs, ...] = ()
    parts: tuple[str, ...] = ("",)
    repeats: bool = False

    def __post_init__(self) -> None:
        self.terrain.flags.writeable = False
        self.obstacles.flags.writeable = False

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.terrain.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.terrain.shape[1])

    @property
    def name(self) -> str:
        """The name of its prefab."""
        return self.parts[0]

    @property
    def upright(self) -> Drawing:
        """It as it was drawn."""
        return self

    @property
    def may_be_symmetric(self) -> bool:
        """Whether it may look the same in two orientations: if all that is drawn, weighed, is in balance across some line.

        A mirroring from left to right leaves a drawing as it is only if its weight lies in the middle across, and so on;
        every turn that does leaves the weight in the middle down and across.
        """
        weights = (self.terrain + np.int64(1)) * (1 + self.figures % FIGURES)
        height, width = weights.shape
        whole = int(weights.sum())
        down = int(weights.sum(axis=1) @ np.arange(height))
        across = int(weights.sum(axis=0) @ np.arange(width))
        if 2 * across == (width - 1) * whole or 2 * down == (height - 1) * whole:
            return True
        return height == width and (down == across or down + across == (width - 1) * whole)

    @cached_property
    def notes(self) -> dict[type, object]:
        """What others have found out about it, so that they need not find out again."""
        return {}

    @cached_property
    def ink(self) -> frozenset[tuple[int, int]]:
        """The cells (y, x) on which there is anything."""
        ys, xs = np.nonzero(self.terrain != t.KEEP)
        cells = {*zip(ys.tolist(), xs.tolist(), strict=True)}
        cells |= {(each.y, each.x) for each in self.references}
        return frozenset(cells | {(y, x) for machine in self.machines for y, x in machine.cells})

    @cached_property
    def figures(self) -> NDArray[np.int64]:
        """(height, width) int64: a number for the references of each cell, 0 for none; equal ones look the same."""
        found = np.zeros(self.terrain.shape, np.int64)
        for each in self.references:
            own = ord(each.char) * MOST_PARTS + each.part + 1
            found[each.y, each.x] = (int(found[each.y, each.x]) * FIGURES + own) % LARGEST
        found.flags.writeable = False
        return found

    def laid(self, orientation: Orientation) -> Drawing:
        """Return this drawing, which must lie as it was drawn, in another orientation."""
        return self if orientation is Orientation.R0 else _Laid(self, orientation)

    def repeated(self) -> Drawing:
        """Return it as one that looks like another, but whose front faces another side."""
        return replace(self, repeats=True)

    def looks_like(self, other: Drawing) -> bool:
        """Tell whether a player could not tell the two apart."""
        return (
            np.array_equal(self.terrain, other.terrain)
            and np.array_equal(self.figures, other.figures)
            and sorted(self.links) == sorted(other.links)
            and sorted(self.stairs) == sorted(other.stairs)
            and _shown(self.machines) == _shown(other.machines)
        )


class _Laid(Drawing):
    """A drawing in another orientation than it was drawn in.

    A variant is laid every way there is, and in most of them it fits nowhere. What is in it is turned when somebody
    asks for it.
    """

    drawn: Drawing

    def __init__(self, drawn: Drawing, orientation: Orientation, *, repeats: bool = False) -> None:
        self.__dict__.update(drawn=drawn, orientation=orientation, parts=drawn.parts, repeats=repeats)

    @property
    def upright(self) -> Drawing:
        """It as it was drawn."""
        return self.drawn

    @property
    def height(self) -> int:
        """Rows, as it lies."""
        return int(self.drawn.terrain.shape[1 if self.orientation.turns % 2 else 0])

    @property
    def width(self) -> int:
        """Columns, as it lies."""
        return int(self.drawn.terrain.shape[0 if self.orientation.turns % 2 else 1])

    @cached_property
    def terrain(self) -> NDArray[np.uint8]:
        """The terrain, turned."""
        return _frozen(self.orientation.turn(self.drawn.terrain))

    @cached_property
    def obstacles(self) -> NDArray[np.bool_]:
        """Where an object will stop walkers, turned."""
        return _frozen(self.orientation.turn(self.drawn.obstacles))

    def repeated(self) -> Drawing:
        """Return it as one that looks like another, but whose front faces another side."""
        return _Laid(self.drawn, self.orientation, repeats=True)

    @cached_property
    def _frame(self) -> tuple[int, int, int, int, int, int]:
        """Where (0, 0) goes, and the ways that a step down and a step to the right become: (y, x) each."""
        size = self.drawn.terrain.shape
        down, right = self.orientation.turn_vector(1, 0), self.orientation.turn_vector(0, 1)
        return (*self.orientation.turn_cell(0, 0, *size), *down, *right)

    def _cell(self, y: int, x: int) -> Cell:
        top, left, down_y, down_x, right_y, right_x = self._frame
        return Cell(top + y * down_y + x * right_y, left + y * down_x + x * right_x)

    @cached_property
    def figures(self) -> NDArray[np.int64]:
        """The references as numbers, turned."""
        return self.orientation.turn(self.drawn.figures)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The references, turned."""
        quarter = self.orientation.turns % 2 == 1
        moved = []
        for each in self.drawn.references:
            y, x = self._cell(each.y, each.x)
            moved.append(Reference(y, x, each.char, each.symbol, each.part, each.turned != quarter))
        return tuple(sorted(moved, key=in_order))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links, turned."""
        return tuple(
            Link(*self._cell(y, x), width, *self.orientation.turn_vector(dy, dx), kind)
            for y, x, width, dy, dx, kind in self.drawn.links
        )

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """The machines, turned, glyphs and all."""
        return tuple(
            replace(
                machine,
                cells=tuple(self._cell(y, x) for y, x in machine.cells),
                glyphs=tuple(turn_glyph(glyph, self.orientation) for glyph in machine.glyphs),
            )
            for machine in self.drawn.machines
        )

    @cached_property
    def stairs(self) -> tuple[Stairs, ...]:
        """The stairs, turned."""
        return tuple(Stairs(*self._cell(y, x), to) for y, x, to in self.drawn.stairs)


S = TypeVar("S", bound=np.generic)


def _frozen(array: NDArray[S]) -> NDArray[S]:
    array.flags.writeable = False
    return array


def in_order(reference: Reference) -> tuple[int, int, str]:
    """Return what references are sorted by."""
    return reference.y, reference.x, reference.char


def _shown(machines: tuple[Machine, ...]) -> set[tuple[Cell, str, Colour]]:
    return {shown for machine in machines for shown in machine.shown}
