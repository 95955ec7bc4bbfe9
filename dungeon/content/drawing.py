"""From planes of characters and colours, as an .xp file or a text holds them, to a drawing.

    plane 1  terrain: each cell by the legend, by its colour, or by its character
    plane 2  links: a digit starts a tunneler of that width, digging toward the nearest edge
    plane 3  machines: each connected group of cells is one prop
    plane 4  references: characters that the legend explains

A drawing with a single plane may have references in it; the legend says what they stand on.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.planes import BLANK, DONT_CARE, MARK, MAX_CHARACTERS, MAX_MARKS, Plane
from dungeon.content.prefab import Drawing, Link, Machine, Reference
from dungeon.errors import Problem, Source
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.models import SymbolEntry

MAX_UNKNOWN = 20
"""How many characters without a meaning are reported for one drawing."""

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
"""What characters mean unless a palette or a legend says otherwise; so too `?`, which leaves the map as it is."""

MACHINE_COLOUR = (150, 150, 150)
"""The colour of machines that are drawn as text."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the characters and colours of a drawing may mean.

    Attributes:
        legend: Character -> terrain or object.
        glyphs: Character -> terrain, defaults included.
        colours: ``#rrggbb`` in lower case -> terrain.
        nearest: Whether a colour that is not listed counts as the nearest one that is.
        codes: Name of terrain -> code.
        stops: Tells whether an object of that symbol will stop walkers for good.
        unclear: Characters that mean something, but what it is could not be read.
        whole: Whether all legends and palettes could be read; if not, other characters may mean something too.
        colours_whole: Likewise, for colours.
    """

    legend: Mapping[str, SymbolEntry]
    glyphs: Mapping[str, str]
    colours: Mapping[str, str]
    nearest: bool
    codes: Mapping[str, int]
    stops: Callable[[SymbolEntry], bool]
    unclear: Collection[str] = ()
    whole: bool = True
    colours_whole: bool = True

    def knows_all_of(self, plane: Plane) -> bool:
        """Tell whether what is not known on a plane means nothing."""
        return self.whole and (self.colours_whole or plane.colour is None)


@dataclass
class _Draft:
    """A drawing in the making, and what is wrong with it."""

    planes: Sequence[Plane]
    meaning: Meaning
    entry: str
    problems: list[Problem]

    def problem(
        self, source: Source, message: str, char: str | None = None, allowed: tuple[str, ...] = ()
    ) -> None:
        other_case = char.swapcase() if char else ""
        self.problems.append(
            Problem(
                source=source,
                entry=self.entry,
                message=message,
                value=None if char is None else repr(char),
                allowed=allowed,
                nearest=other_case if other_case in allowed else None,
            )
        )

    @cached_property
    def explained(self) -> tuple[str, ...]:
        """The characters that the legend explains."""
        return tuple(sorted(self.meaning.legend))

    def code(self, name: str | None) -> int:
        """Return the code of a kind of terrain; names are checked where they are written."""
        return self.meaning.codes.get(name or "floor", t.FLOOR)

    # -- plane 1 --------------------------------------------------------------------------------

    def terrain(self) -> NDArray[np.uint8]:
        """Read the first plane."""
        plane = self.planes[0]
        table, unknown = {}, []
        for char in sorted(plane.chars):
            code = self.glyph_code(char)
            table[ord(char)] = t.FLOOR if code is None else code
            if code is None:
                unknown.append(char)
        result = plane.looked_up(table)
        seen = np.zeros(plane.shape, np.bool_)
        if plane.colour is not None and self.meaning.colours:
            seen = self.by_colour(plane, plane.colour, set(unknown), result)
        if unknown and self.meaning.knows_all_of(plane):
            self.report_unknown(plane, set(unknown), seen)
        return result

    def glyph_code(self, char: str) -> int | None:
        """Return what a character means on the first plane, or None if it means nothing."""
        meaning = self.meaning
        if char in meaning.legend:
            return self.code(meaning.legend[char].terrain)
        if char in meaning.glyphs:
            return self.code(meaning.glyphs[char])
        return t.KEEP if char in (DONT_CARE, BLANK) or char in meaning.unclear else None

    def by_colour(
        self, plane: Plane, colour: NDArray[np.uint8], unknown: Collection[str], result: NDArray[np.uint8]
    ) -> NDArray[np.bool_]:
        """Read the cells that have a listed colour, and return the mask of those that colour has explained.

        The legend, which is the prefab's own, comes before colours, and colours before other characters. Where
        the nearest colour counts, it does so for cells that nothing else explains.
        """
        meaning = self.meaning
        listed = {int(text[1:], 16): self.code(name) for text, name in meaning.colours.items()}
        keys = np.array(sorted(listed), np.int32)
        codes = np.array([listed[key] for key in sorted(listed)], np.uint8)
        packed = _packed(colour)
        own = {BLANK, *meaning.legend, *meaning.unclear}
        free = ~plane.having(own)
        at = np.minimum(np.searchsorted(keys, packed), len(keys) - 1)
        seen: NDArray[np.bool_] = free & (keys[at] == packed)
        result[seen] = codes[at[seen]]
        if meaning.nearest and unknown:
            guessed = plane.having(unknown) & ~seen
            colours, which = np.unique(packed[guessed], return_inverse=True)
            result[guessed] = codes[_nearest(colours, keys)][which]
            seen |= guessed
        return seen

    def report_unknown(self, plane: Plane, unknown: Collection[str], seen: NDArray[np.bool_]) -> None:
        """Report characters without a meaning, each once, except where colour has explained the cell."""
        cells = np.flatnonzero(plane.having(unknown) & ~seen)
        points = np.frombuffer(plane.text.encode("utf-32-le", "surrogatepass"), np.uint32)[cells]
        chars, first, counts = np.unique(points, return_index=True, return_counts=True)
        for number in np.argsort(first)[:MAX_UNKNOWN].tolist():
            y, x = divmod(int(cells[first[number]]), plane.shape[1])
            what = "character"
            if plane.colour is not None:
                what = f"character or its colour #{_packed(plane.colour[y, x]):06x}"
            message = f"no legend or palette says what this {what} means{_times(int(counts[number]))}"
            self.problem(plane.where(y, x), message, chr(chars[number]), self.explained)
        if len(chars) > MAX_UNKNOWN:
            message = f"{len(chars) - MAX_UNKNOWN} more characters have no meaning"
            self.problem(plane.where(0, 0), message)

    # -- planes 2 to 4 --------------------------------------------------------------------------

    def marks(self, number: int) -> list[tuple[int, int, str]]:
        """Return the cells of a plane above the first that have something on them."""
        if number >= len(self.planes):
            return []
        plane = self.planes[number]
        return self.few(plane.cells(MARK), plane)

    def few(self, cells: list[tuple[int, int, str]], plane: Plane) -> list[tuple[int, int, str]]:
        """Return the cells, or none after reporting that there are too many."""
        if len(cells) <= MAX_MARKS:
            return cells
        self.problem(plane.where(0, 0), f"more than {MAX_MARKS} cells of this layer have something on them")
        return []

    def references(self, terrain: NDArray[np.uint8]) -> tuple[Reference, ...]:
        """Read the objects of the first and the fourth plane, and put the terrain they ask for under them."""
        legend = self.meaning.legend
        objects = sorted(char for char, symbol in legend.items() if symbol.kind is not None)
        found: list[Reference] = []
        if objects:
            pattern = re.compile(f"[{re.escape(''.join(objects))}]")
            found += [Reference(*cell) for cell in self.few(self.planes[0].cells(pattern), self.planes[0])]
        taken = {(y, x) for y, x, _ in found}
        unknown = []
        for y, x, char in self.marks(3):
            if char not in legend:
                unknown.append((y, x, char))
                continue
            symbol = legend[char]
            if symbol.terrain is not None:
                terrain[y, x] = self.code(symbol.terrain)
            if symbol.kind is not None:
                if (y, x) in taken:
                    message = "a reference on the map stands in this cell already"
                    self.problem(self.planes[3].where(y, x), message, char)
                found.append(Reference(y, x, char))
        if self.meaning.whole:
            self.report_marks(3, unknown, "no legend says what this reference means", self.explained)
        return tuple(sorted(found))

    def report_marks(
        self, number: int, marks: Sequence[tuple[int, int, str]], message: str, allowed: tuple[str, ...]
    ) -> None:
        """Report marks that mean nothing, each character once."""
        counts = Counter(char for _, _, char in marks)
        first = {char: (y, x) for y, x, char in reversed(marks)}
        for char in list(counts)[:MAX_UNKNOWN]:
            if char not in self.meaning.unclear:
                source = self.planes[number].where(*first[char])
                self.problem(source, f"{message}{_times(counts[char])}", char, allowed)

    def links(self) -> tuple[Link, ...]:
        """Read the second plane."""
        found, wrong = [], []
        for y, x, char in self.marks(1):
            if char not in "123456789":
                wrong.append((y, x, char))
                continue
            height, width = self.planes[1].shape
            # South first: a prefab faces south, so of equally near edges that one is meant.
            edges = ((height - 1 - y, 1, 0), (y, -1, 0), (x, 0, -1), (width - 1 - x, 0, 1))
            _, dy, dx = min(edges, key=lambda edge: edge[0])
            found.append(Link(y, x, int(char), dy, dx))
        self.report_marks(1, wrong, "a link is the width of a tunneler, 1 to 9", ())
        return tuple(found)

    def machines(self) -> tuple[Machine, ...]:
        """Read the third plane: each connected group of cells is one machine."""
        chars = {(y, x): char for y, x, char in self.marks(2)}
        if not chars:
            return ()
        plane = self.planes[2]
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
        """Return the colour of a machine: that of its first cell."""
        if plane.colour is None:
            return MACHINE_COLOUR
        red, green, blue = plane.colour[cell].tolist()
        return (red, green, blue)


def _times(count: int) -> str:
    return "" if count == 1 else f" ({count} cells)"


def _packed(colour: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return (..., 3) bytes as one number each, 0xrrggbb."""
    wide = colour.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _nearest(colours: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each colour (packed), the index of the listed one that is nearest in RGB."""
    best = np.zeros(colours.shape, np.intp)
    least = np.full(colours.shape, np.iinfo(np.int32).max, np.int32)
    for index, other in enumerate(listed.tolist()):
        unlike = sum(((colours >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (16, 8, 0))
        closer = unlike < least
        best[closer] = index
        least[closer] = unlike[closer]
    return best


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
    for plane in planes:
        if len(plane.chars) > MAX_CHARACTERS:
            draft.problem(
                plane.where(0, 0), f"more than {MAX_CHARACTERS} different characters are drawn here"
            )
            draft.planes = [Plane("?", (1, 1), plane.where)]
    terrain = draft.terrain()
    references = draft.references(terrain)
    machines = draft.machines()
    obstacles = np.zeros(terrain.shape, np.bool_)
    stops = {char: meaning.stops(meaning.legend[char]) for char in {each.char for each in references}}
    for y, x, char in references:
        obstacles[y, x] |= stops[char]
    for machine in machines:
        for cell in machine.cells:
            obstacles[cell] = True
    drawing = Drawing(Orientation.R0, terrain, obstacles, references, draft.links(), machines)
    return drawing, draft.problems
