"""From planes of characters and colours, as an .xp file or a text holds them, to a drawing.

    plane 1  terrain: each cell by colour or by glyph
    plane 2  links: a digit starts a tunneler of that width, digging toward the nearest edge
    plane 3  machines: each connected group of cells is one prop
    plane 4  references: characters that the legend explains

A drawing with a single plane may have references in it; the legend says what they stand on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab import Drawing, Link, Machine, Reference
from dungeon.errors import Problem, Source, nearest_match
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models import PaletteEntry, SymbolEntry
    from dungeon.content.rexpaint import XpLayer

SOLID_GLYPHS = "█▓▒░"
"""Glyphs that show their foreground as an area: their colour is the cell's colour."""

PLANE_NAMES = ("map", "links", "machines", "references")

DEFAULT_GLYPHS: dict[str, str] = {
    "#": "wall",
    ".": "floor",
    " ": "earth",
    "+": "door",
    "'": "doorway",
    "<": "stairs_up",
    ">": "stairs_down",
    **{str(digit): f"floor_{digit}" for digit in range(10)},
}
"""What characters mean unless a palette or a legend says otherwise; `?` always leaves the map as it is."""

DONT_CARE = "?"

Where = Callable[[int, int], Source]


@dataclass(frozen=True, slots=True)
class Plane:
    """One layer of a drawing as its author made it.

    Attributes:
        chars: Its rows, all of one length.
        where: Says where in the file the cell (y, x) stands.
        blank: (height, width) bool, cells that were left transparent; None if there are none.
        colour: (height, width, 3) uint8, the colour that each cell is seen in; None for text.
    """

    chars: Sequence[str]
    where: Where
    blank: NDArray[np.bool_] | None = None
    colour: NDArray[np.uint8] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width)."""
        return len(self.chars), len(self.chars[0]) if self.chars else 0

    def codepoints(self) -> NDArray[np.int32]:
        """Return the characters as a (height, width) array."""
        text = "".join(self.chars)
        return np.frombuffer(text.encode("utf-32-le"), np.int32).reshape(self.shape)

    def marks(self) -> list[tuple[int, int, str]]:
        """Return the cells that have something on them, row by row, for planes above the first."""
        points = self.codepoints()
        shown = (points != ord(" ")) & (points != 0)
        if self.blank is not None:
            shown &= ~self.blank
        ys, xs = np.nonzero(shown)
        return [(y, x, self.chars[y][x]) for y, x in zip(ys.tolist(), xs.tolist(), strict=True)]


def plane_of_layer(layer: XpLayer, where: Where) -> Plane:
    """Return the plane of a REXPaint layer."""
    points = layer.codepoints
    solid = np.isin(points, [ord(glyph) for glyph in SOLID_GLYPHS])
    empty = (points == ord(" ")) | (points == 0)
    colour = np.where((empty & ~solid)[..., None], layer.bg, layer.fg)
    chars = ["".join(map(chr, row)) for row in points.tolist()]
    return Plane(chars, where, layer.transparent, colour)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the characters and colours of a drawing may mean.

    Attributes:
        legend: Character -> terrain or object.
        palette: The palette, defaults and the prefab's own lines merged.
        codes: Name of terrain -> code.
        stops: Tells whether an object of that symbol will stop walkers for good.
    """

    legend: Mapping[str, SymbolEntry]
    palette: PaletteEntry
    codes: Mapping[str, int]
    stops: Callable[[SymbolEntry], bool]


@dataclass(slots=True)
class _Draft:
    """A drawing in the making, and what is wrong with it."""

    planes: Sequence[Plane]
    meaning: Meaning
    entry: str
    problems: list[Problem]

    def problem(
        self, source: Source, message: str, value: str | None = None, allowed: Sequence[str] = ()
    ) -> None:
        nearest = nearest_match(value, allowed) if value and len(value) > 1 else None
        self.problems.append(
            Problem(
                source=source,
                entry=self.entry,
                message=message,
                value=value,
                allowed=tuple(allowed),
                nearest=nearest,
            )
        )

    def code(self, name: str | None) -> int:
        """Return the code of a kind of terrain; names are checked where they are written."""
        return self.meaning.codes.get(name or "floor", t.FLOOR)

    def terrain(self) -> NDArray[np.uint8]:
        """Read the first plane."""
        plane = self.planes[0]
        points = plane.codepoints()
        result = np.full(plane.shape, t.KEEP, np.uint8)
        unread = np.ones(plane.shape, np.bool_) if plane.blank is None else ~plane.blank
        if plane.colour is not None and self.meaning.palette.colours:
            self.by_listed_colour(plane.colour, unread, result)
        unknown = np.zeros(plane.shape, np.bool_)
        for point in np.unique(points[unread]).tolist():
            cells = unread & (points == point)
            code = self.glyph_code(chr(point))
            if code is None:
                unknown |= cells
            else:
                result[cells] = code
        if unknown.any():
            self.by_nearest_colour(plane, unknown, result)
        return result

    def glyph_code(self, char: str) -> int | None:
        """Return what a character means on the first plane, or None if it means nothing."""
        if char in self.meaning.legend:
            return self.code(self.meaning.legend[char].terrain)
        if char == DONT_CARE:
            return t.KEEP
        name = self.meaning.palette.glyphs.get(char)
        return None if name is None else self.code(name)

    def by_listed_colour(
        self, colour: NDArray[np.uint8], unread: NDArray[np.bool_], result: NDArray[np.uint8]
    ) -> None:
        """Read the cells whose colour the palette lists."""
        packed = _packed(colour)
        for text, name in self.meaning.palette.colours.items():
            cells = unread & (packed == int(text[1:], 16))
            result[cells] = self.code(name)
            unread &= ~cells

    def by_nearest_colour(self, plane: Plane, cells: NDArray[np.bool_], result: NDArray[np.uint8]) -> None:
        """Read the cells that nothing else explains, if the palette allows to guess; else report them."""
        palette = self.meaning.palette
        if plane.colour is not None and palette.match == "nearest" and palette.colours:
            listed = np.array([list(bytes.fromhex(text[1:])) for text in palette.colours], np.int64)
            codes = np.array([self.code(name) for name in palette.colours.values()], np.uint8)
            colours = plane.colour[cells].astype(np.int64)
            unlike = ((colours[:, None, :] - listed[None, :, :]) ** 2).sum(axis=2)
            result[cells] = codes[unlike.argmin(axis=1)]
            return
        result[cells] = t.FLOOR
        points = plane.codepoints()
        for point in np.unique(points[cells]).tolist():
            ys, xs = np.nonzero(cells & (points == point))
            y, x = int(ys[0]), int(xs[0])
            colour = "" if plane.colour is None else f" in #{_packed(plane.colour)[y, x]:06x}"
            self.problem(
                plane.where(y, x),
                f"no legend or palette says what this character means{colour} ({len(ys)} cells)",
                repr(chr(point)),
            )

    def references(self, terrain: NDArray[np.uint8]) -> tuple[Reference, ...]:
        """Read the objects of the first and the fourth plane, and put the terrain they ask for under them."""
        legend = self.meaning.legend
        found: list[Reference] = []
        objects = {char for char, symbol in legend.items() if symbol.kind is not None}
        if objects:
            found += [Reference(*mark) for mark in self.planes[0].marks() if mark[2] in objects]
        if len(self.planes) == len(PLANE_NAMES):
            plane = self.planes[3]
            for y, x, char in plane.marks():
                if char not in legend:
                    allowed = sorted(objects)
                    self.problem(
                        plane.where(y, x), "no legend says what this reference means", repr(char), allowed
                    )
                    continue
                if legend[char].terrain is not None:
                    terrain[y, x] = self.code(legend[char].terrain)
                if char in objects:
                    found.append(Reference(y, x, char))
        return tuple(sorted(found))

    def links(self) -> tuple[Link, ...]:
        """Read the second plane."""
        if len(self.planes) < 2:
            return ()
        plane = self.planes[1]
        height, width = plane.shape
        found = []
        for y, x, char in plane.marks():
            if char not in "123456789":
                self.problem(plane.where(y, x), "a link is the width of a tunneler, 1 to 9", repr(char))
                continue
            # South first: a prefab faces south, so of equally near edges that one is meant.
            edges = ((height - 1 - y, 1, 0), (y, -1, 0), (x, 0, -1), (width - 1 - x, 0, 1))
            _, dy, dx = min(edges, key=lambda edge: edge[0])
            found.append(Link(y, x, int(char), dy, dx))
        return tuple(found)

    def machines(self) -> tuple[Machine, ...]:
        """Read the third plane: each connected group of cells is one machine."""
        if len(self.planes) < 3:
            return ()
        plane = self.planes[2]
        chars = {(y, x): char for y, x, char in plane.marks()}
        mask = np.zeros(plane.shape, np.bool_)
        for cell in chars:
            mask[cell] = True
        labels, count = components(mask)
        groups: list[list[Cell]] = [[] for _ in range(count)]
        for y, x in chars:
            groups[labels[y, x] - 1].append(Cell(y, x))
        return tuple(
            Machine(tuple(cells), tuple(chars[cell] for cell in cells), self.machine_colour(plane, cells[0]))
            for cells in groups
        )

    @staticmethod
    def machine_colour(plane: Plane, cell: Cell) -> t.Colour:
        if plane.colour is None:
            return (150, 150, 150)
        red, green, blue = plane.colour[cell].tolist()
        return (red, green, blue)


def _packed(colour: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return (..., 3) bytes as one number each, 0xrrggbb."""
    wide = colour.astype(np.int64)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def read_drawing(planes: Sequence[Plane], meaning: Meaning, entry: str) -> tuple[Drawing, list[Problem]]:
    """Read a drawing from its planes.

    Args:
        planes: One to four planes of the same size, in the order of `PLANE_NAMES`.
        meaning: What their characters and colours mean.
        entry: What problems call the prefab.

    Returns:
        The drawing as far as it could be read, and what is wrong with it.
    """
    draft = _Draft(planes, meaning, entry, [])
    terrain = draft.terrain()
    references = draft.references(terrain)
    machines = draft.machines()
    obstacles = np.zeros(terrain.shape, np.bool_)
    for y, x, char in references:
        obstacles[y, x] |= meaning.stops(meaning.legend[char])
    for machine in machines:
        for cell in machine.cells:
            obstacles[cell] = True
    drawing = Drawing(Orientation.R0, terrain, obstacles, references, draft.links(), machines)
    return drawing, draft.problems
