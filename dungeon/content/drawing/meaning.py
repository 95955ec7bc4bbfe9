"""The planes of a drawing, what their characters and colours mean, and what the author wants to vary.

The planes are the layers of an .xp file, or the texts of an entry:

plane 1  map: the terrain        plane 3  machines        plane 5  paint: the colours of
plane 2  links                   plane 4  references               machines (texts only)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.drawing.rexpaint import MAX_CELLS
from dungeon.content.prefab.locked_ground import OpenedWords, opens_nothing
from dungeon.content.prefab.template import CharacterReading
from dungeon.content.prefab.variation import STEPS
from dungeon.content.source.marks import JOINED, holds_broken
from dungeon.content.source.names import NameList
from dungeon.content.values.grammar import Constant, mapped
from dungeon.core.errors import Problem, Source, nearest_match
from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.drawing.rexpaint import XpLayer
    from dungeon.content.prefab.variation import StepEntry
    from dungeon.content.source.files import ProblemLog, Record
    from dungeon.content.values.grammar import Value


PLANE_NAMES = ("map", "links", "machines", "references", "paint")

CHARACTER_PLANES = ("map", "machines", "references")
"""The planes whose characters an author may replace by `aliases`."""

XP_LAYERS = 4
"""Maximum number of layers of an .xp file; its machines carry their own colours, so it needs no fifth plane."""

BLANK = "\ud800"
"""Stands for the character of a transparent cell; it is a lone surrogate, which no file can contain."""

MARK = re.compile(f"[^ {BLANK}]")
"""A character that is neither a space nor transparent."""

MAX_MARKS = 50_000
"""Maximum number of cells of a plane with links, machines or references on them."""

MAX_CHARACTERS = 4000
"""Maximum number of different characters on a plane."""

MAX_PAINTS = MAX_CHARACTERS - 1
"""Maximum number of machine colours in a text: each takes a character, and the space is not one of them."""

DONT_CARE = "?"
"""The character of a cell that leaves the map unchanged."""

STRIPPED = "; an editor may have stripped spaces from its end: keep it from that, or draw this earth with a character of the legend"

Where = Callable[[int, int], Source]
"""Function (y, x) -> the place of that cell of a plane in its file."""


@dataclass(frozen=True)
class DrawingPlane:
    """One layer of a drawing as its author made it.

    Attributes:
        text: Its characters, row after row without line ends; `BLANK` for transparent cells.
        shape: (height, width).
        where: Returns the place of the cell (y, x) in the file.
        colour: (height, width, 3) uint8, the visible colour of each cell; None for text.
    """

    text: str
    shape: tuple[int, int]
    where: Where
    colour: NDArray[np.uint8] | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[str], where: Where) -> DrawingPlane:
        """Return the plane of a text; all rows must have the same length."""
        return cls("".join(rows), (len(rows), len(rows[0])), where)

    @classmethod
    def of_layer(cls, layer: XpLayer, where: Where) -> DrawingPlane:
        """Return the plane of a REXPaint layer."""
        points = layer.codepoints
        points[points == 0] = ord(" ")
        hollow = points == ord(" ")
        colour = np.where(hollow[..., None], layer.bg, layer.fg)
        shown = np.where(layer.transparent, ord(BLANK), points).astype("<u4")
        text = shown.tobytes().decode("utf-32-le", "surrogatepass")
        return cls(text, (layer.height, layer.width), where, colour)

    @cached_property
    def chars(self) -> frozenset[str]:
        """Its different characters; if there are more than `MAX_CHARACTERS`, only some of them."""
        chars: set[str] = set()
        for start in range(0, len(self.text), MAX_CHARACTERS):
            chars.update(self.text[start : start + MAX_CHARACTERS])
            if len(chars) > MAX_CHARACTERS:
                break
        return frozenset(chars)

    def looked_up(self, table: Mapping[int, int]) -> NDArray[np.uint8]:
        """Return (height, width) uint8: the table's code for each cell; `table` is code point -> code."""
        codes = self.text.translate(table).encode("latin-1")
        return np.frombuffer(codes, np.uint8).reshape(self.shape).copy()

    def having(self, chars: Collection[str]) -> NDArray[np.bool_]:
        """Return (height, width) bool: True where the cell has one of these characters."""
        table = {ord(char): int(char in chars) for char in self.chars}
        return self.looked_up(table).astype(np.bool_)

    def cells_of(self, chars: Collection[str]) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of each cell with one of these characters, row by row.

        At most `MAX_MARKS` + 1 cells.
        """
        found: list[tuple[int, str]] = []
        for char in sorted(self.chars.intersection(chars)):
            at = self.text.find(char)
            while at >= 0 and len(found) <= MAX_MARKS:
                found.append((at, char))
                at = self.text.find(char, at + 1)
        width = self.shape[1]
        return [(*divmod(at, width), char) for at, char in sorted(found)]

    def cells(self, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of each cell whose character matches the pattern, row by row.

        At most `MAX_MARKS` + 1 cells.
        """
        found = []
        width = self.shape[1]
        for match in pattern.finditer(self.text):
            found.append((*divmod(match.start(), width), match[0]))
            if len(found) > MAX_MARKS:
                break
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class XpDrawing:
    """The .xp file of a prefab: its layers (none if it could not be read), and its name in messages."""

    layers: Sequence[XpLayer]
    file: str


def drawn_planes(
    record: Record, drawn: XpDrawing | None, drawings: Collection[str], log: ProblemLog
) -> list[DrawingPlane]:
    """Return the planes of a prefab's drawing, with aliases replaced; empty if it can't be read.

    Args:
        record: The prefab.
        drawn: Its .xp file, if there is one.
        drawings: The names of all .xp files.
        log: Takes the problems.
    """
    planes = xp_planes(record, drawn, log) if drawn is not None else text_planes(record, drawings, log)
    meant = {ord(char): str(other) or BLANK for char, other in _aliases(record).items()}
    if not meant:
        return planes
    return [
        replace(plane, text=plane.text.translate(meant)) if name in CHARACTER_PLANES else plane
        for name, plane in zip(PLANE_NAMES, planes, strict=False)
    ]


def _aliases(record: Record) -> dict[str, str | int]:
    """Return the aliases of a prefab, without those that can't be read."""
    raw = record.fields.get("aliases")
    if not isinstance(raw, dict):
        return {}
    return {
        char: other
        for char, other in raw.items()
        if len(char) == 1 and isinstance(other, str | int) and len(str(other)) <= 1
    }


def xp_planes(record: Record, drawn: XpDrawing, log: ProblemLog) -> list[DrawingPlane]:
    """Return the planes of an .xp drawing; empty if it could not be read."""
    for name in PLANE_NAMES:
        if name in record.fields:
            log.add(record, f"{drawn.file} draws this prefab already", name, value=name, key=True)
    most = XP_LAYERS
    if len(drawn.layers) > most:
        message = f"a prefab has at most {most} layers, and this has {len(drawn.layers)}"
        log.take([Problem(source=Source(file=drawn.file), entry=record.label, message=message)])
    return [DrawingPlane.of_layer(layer, partial(cell_of_xp, drawn.file)) for layer in drawn.layers[:most]]


def cell_of_xp(file: str, y: int, x: int) -> Source:
    """Return the place of a cell of an .xp drawing: its row and column, counted from 1."""
    return Source(file=file, line=y + 1, column=x + 1)


def text_planes(record: Record, drawings: Collection[str], log: ProblemLog) -> list[DrawingPlane]:
    """Return the planes of a text drawing; if it can't be read, log why and return an empty list.

    Args:
        record: The prefab.
        drawings: The names of all .xp files.
        log: Takes the problems.
    """
    raw = record.fields
    if "map" not in raw and isinstance(record.data, dict) and not record.is_lost:
        near = NameList(drawings).nearest(record.name)
        hint = f"; is {near}.xp meant?" if near else ""
        log.add(record, f"it has neither a map nor an .xp drawing of its name{hint}", key=True)
    rows = _map_rows(record, log)
    if not rows:
        return []
    planes = [DrawingPlane.of_rows(rows, partial(cell_of_text, record, "map"))]
    last = max(number for number, name in enumerate(PLANE_NAMES) if name in raw)
    for name in PLANE_NAMES[1 : last + 1]:
        rows = _rows_above(record, name, planes[0].shape, log)
        planes.append(DrawingPlane.of_rows(rows, partial(cell_of_text, record, name)))
    return planes


def _lost_columns(record: Record, name: str) -> int:
    """Return how many leading spaces of a text YAML took for indentation: it is drawn that many cells too far left.

    map: |           references: |
      #####              C         <- the first row begins with spaces, so YAML puts C into the first column
    """
    for each in ("map", name):  # a text that an alias brought here may stand anywhere in the file
        mark = record.mark(each)
        if mark.indent < 0 or mark.line != record.mark(each, key=True).line:
            return 0
    if record.mark(name).file != record.mark("map").file:  # a mod indents its own texts
        return 0
    return max(record.mark(name).indent - record.mark("map").indent, 0)


def cell_of_text(record: Record, name: str, y: int, x: int) -> Source:
    """Return the place of a cell of a text plane in its YAML file."""
    begins, indent = record.source(name), record.mark(name).indent
    if indent < 0:
        return begins
    return Source(file=begins.file, line=begins.line + 1 + y, column=indent + 1 + x)


def _rows(record: Record, name: str, log: ProblemLog) -> list[str]:
    """Return the rows of a text; if YAML joined them into one, log it and return an empty list."""
    text = record.fields.get(name)
    if not isinstance(text, str):
        return []  # it is missing, or is none, which has been reported
    if record.mark(name).indent == JOINED:
        log.add(record, "YAML joins these rows into one; rows of a drawing must stand below a |", name)
        return []
    return text.rstrip("\n").split("\n")


def _map_rows(record: Record, log: ProblemLog) -> list[str]:
    """Return the rows of the map at equal length, after logging rows that are too short or too long."""
    rows = _rows(record, "map", log)
    lengths = Counter(len(row) for row in rows if row)
    if rows and not lengths:
        log.add(record, "this drawing is empty", "map")
    if not lengths:
        return []
    # Of rows that differ those are wrong whose length is rare; if none is that of most, some have lost their ends.
    width, count = lengths.most_common(1)[0]
    others = f"most have {width}"
    if count * 2 <= lengths.total():
        width = max(lengths)
        others = f"the longest has {width}"
    if len(rows) * width > MAX_CELLS:
        log.add(record, f"this drawing has {len(rows) * width:,} cells; {MAX_CELLS:,} are the most", "map")
        return []
    hint = STRIPPED if _may_be_stripped(rows, width) else ""
    for y, row in enumerate(rows):
        if len(row) != width:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            message = f"this row has {cells}, {others}{hint if len(row) < width else ''}"
            source = cell_of_text(record, "map", y, min(len(row), width))
            log.take([Problem(source=source, entry=record.label, message=message)])
    return [row[:width].ljust(width, DONT_CARE) for row in rows]


def _may_be_stripped(rows: Sequence[str], width: int) -> bool:
    """Tell whether rows are probably too short because an editor stripped spaces from their ends."""
    if any(row.endswith(" ") for row in rows):
        return False
    return any(" " in row for row in rows) or sum(len(row) < width for row in rows) > 1


def _rows_above(record: Record, name: str, size: tuple[int, int], log: ProblemLog) -> list[str]:
    """Return the rows of a plane above the map, cut or filled to the map's size.

    Rows may be fewer and shorter than the map's, since missing cells are empty. Cells outside the map are
    logged.
    """
    height, width = size
    rows = _rows(record, name, log)
    if lost := _lost_columns(record, name):
        message = (
            f"YAML takes {lost} of the leading spaces of these rows for indentation, and moves all of them to the left;"
            " begin the text with |2 if it is indented by two spaces"
        )
        log.add(record, message, name)
        rows = []
    for y, row in enumerate(rows):
        drawn = len(row.rstrip(" "))
        if drawn and (y >= height or drawn > width):
            message = f"this row of the {name} reaches out of the map, which is {width}x{height} cells"
            source = cell_of_text(record, name, y, width if y < height else drawn - len(row.strip(" ")))
            log.take([Problem(source=source, entry=record.label, message=message)])
    rows = [row[:width].ljust(width) for row in rows[:height]]
    return rows + [" " * width] * (height - len(rows))


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
"""Character -> terrain, unless a palette or legend says otherwise. `?` leaves the map unchanged."""

SETTLED: Mapping[str, str | None] = NOTHING
"""No parameters."""


@dataclass(frozen=True, slots=True)
class CharacterMeanings:
    """What the characters and colours of a drawing mean.

    Attributes:
        legend: Character -> terrain or object.
        glyphs: Character -> terrain, defaults included.
        colours: ``#rrggbb`` in lower case -> terrain.
        nearest: Whether an unlisted colour counts as the nearest listed one.
        codes: Name of terrain -> code.
        stops: Tells whether the object of a symbol blocks walkers permanently.
        opens: Returns the words that the object of a symbol certainly opens.
        given: The words of `locks.yaml`, for which the level itself provides keys.
        machine: The prop that drawn machines are; None for generic ones.
        paints: Character of the fifth plane -> colour of the machine under it; None if that could not be
            read.
        unclear: Characters that have a meaning, but it could not be read.
        whole: Whether all legends and palettes could be read. If not, any unknown character may have a
            meaning.
        colours_whole: The same, for colours.
    """

    legend: Mapping[str, SymbolEntry]
    glyphs: Mapping[str, str]
    colours: Mapping[str, str]
    nearest: bool
    codes: Mapping[str, int]
    stops: Callable[[SymbolEntry], bool]
    opens: Callable[[SymbolEntry], OpenedWords] = opens_nothing
    given: frozenset[str] = frozenset()
    machine: SymbolEntry | None = None
    paints: Mapping[str, t.Colour] | None = field(default_factory=lambda: NOTHING)
    unclear: Collection[str] = ()
    whole: bool = True
    colours_whole: bool = True

    @property
    def explained(self) -> tuple[str, ...]:
        """The characters in the legend, sorted."""
        return tuple(sorted(self.legend))

    def knows_all_of(self, plane: DrawingPlane) -> bool:
        """Tell whether everything unknown on a plane certainly has no meaning."""
        return self.whole and (self.colours_whole or plane.colour is None)

    def code(self, name: str | None) -> int:
        """Return the code of a kind of terrain.

        Floor for None and for an unknown name, which is reported elsewhere.
        """
        return self.codes.get(name or "floor", t.FLOOR)

    def reading(
        self, char: str, *, above: bool, parameters: Mapping[str, str | None] = SETTLED
    ) -> CharacterReading:
        """Return what a character means.

        Args:
            char: The character.
            above: Whether it is a reference on the fourth plane, rather than on the map.
            parameters: The rolled values of the prefab's parameters.
        """
        symbol = self.legend[char].settled(parameters) if char in self.legend else None
        if symbol is not None:
            codes = None if above and symbol.terrain is None else self.coded(symbol.terrain)
            if symbol.kind is None:
                return CharacterReading(
                    codes, symbol if symbol.stands else None, to=symbol.to, lock=symbol.lock
                )
            return CharacterReading(codes, symbol, symbol.to, self.stops(symbol))
        if above:
            return CharacterReading(None)
        if char in self.legend:  # a switch without a case for this
            return CharacterReading(Constant(t.FLOOR))
        if char in self.glyphs:
            return CharacterReading(Constant(self.code(self.glyphs[char])))
        return CharacterReading(Constant(t.KEEP))

    def coded(self, terrain: Value[str] | None) -> Value[int]:
        """Return terrain in the value grammar as codes; floor for None."""
        if terrain is None:
            return Constant(t.FLOOR)
        return mapped(terrain, self.code)

    def explains(self, char: str, *, above: bool) -> bool:
        """Tell whether a character has a meaning: as a reference if `above`, else on the map."""
        if char in self.legend or char in self.unclear:
            return True
        return char == " " if above else char in self.glyphs or char in (DONT_CARE, BLANK)


@dataclass(frozen=True, slots=True)
class Variation:
    """What varies in a drawing.

    Attributes:
        steps: The steps under `vary`.
        parameters: Parameter -> its value, rolled once for the whole drawing.
        fits: Index of a `fit` step -> prefab -> weight.
    """

    steps: tuple[StepEntry, ...] = ()
    parameters: Mapping[str, Value[str]] = field(default_factory=lambda: NOTHING)
    fits: Mapping[int, Mapping[str, float]] = field(default_factory=lambda: NOTHING)


CONNECTOR = "*"


def with_connectors(
    planes: Sequence[DrawingPlane], meaning: CharacterMeanings, variation: Variation
) -> tuple[Sequence[DrawingPlane], CharacterMeanings]:
    """Return the planes with each connector `*` on the map turned into a wall on the map and a link on the second plane.

    This is done for text drawings only, and only if nothing else says what `*` means.
    """
    ground, *others = planes
    changed = {char for step in variation.steps for char in step.sources}
    if (
        ground.colour is not None
        or CONNECTOR not in ground.chars
        or CONNECTOR in changed
        or meaning.explains(CONNECTOR, above=False)
    ):
        return planes, meaning
    links = others[0].text if others else " " * len(ground.text)
    both = "".join(
        CONNECTOR if below == CONNECTOR and MARK.match(mark) is None else mark
        for below, mark in zip(ground.text, links, strict=True)
    )
    plane = replace(others[0], text=both) if others else DrawingPlane(both, ground.shape, ground.where)
    return [ground, plane, *others[1:]], replace(meaning, glyphs={**meaning.glyphs, CONNECTOR: "wall"})


def listed_colours(
    plane: DrawingPlane,
    colour: NDArray[np.uint8],
    meaning: CharacterMeanings,
    own: Collection[str],
    unknown: Collection[str],
) -> NDArray[np.int32]:
    """Return (height, width) int32: the listed colour (0xrrggbb) by which each cell is read.

    -1 for cells read by character.

    The order is: legend, exact colour, other characters, and last the nearest colour for cells that nothing
    else explains.

    Args:
        plane: The map.
        colour: (height, width, 3) uint8, the visible colour of each cell.
        meaning: What colours mean; it must list some.
        own: Characters that come before colours: those of the legend.
        unknown: Characters without a meaning.
    """
    keys = np.array(sorted(int(text[1:], 16) for text in meaning.colours), np.int32)
    seen_as = packed(colour)
    at = np.minimum(np.searchsorted(keys, seen_as), len(keys) - 1)
    seen = ~plane.having(own) & (keys[at] == seen_as)
    result = np.where(seen, seen_as, np.int32(-1))
    if meaning.nearest and unknown:
        guessed = plane.having(unknown) & ~seen
        colours, which = np.unique(seen_as[guessed], return_inverse=True)
        result[guessed] = keys[_nearest(colours, keys)][which]
    return result


def packed(colour: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return colours of shape (..., 3) as one number each, 0xrrggbb."""
    wide = colour.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _nearest(colours: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each colour (0xrrggbb), the index of the listed colour nearest in RGB."""
    best = np.zeros(colours.shape, np.intp)
    least = np.full(colours.shape, np.iinfo(np.int32).max, np.int32)
    for index, other in enumerate(listed.tolist()):
        unlike = sum(((colours >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (16, 8, 0))
        closer = unlike < least
        best[closer] = index
        least[closer] = unlike[closer]
    return best


PALETTE_KEYS = ("extends", "glyphs", "colours", "match")
EXPLAINING = ("like", "legend", "legends", "palette", "vary", "aliases")
"""Keys of a prefab that say what its characters mean."""


@dataclass
class UnreadCharacters:
    """Characters that have a meaning which could not be read, gathered from invalid entries.

    Attributes:
        chars: These characters.
        whole: Whether no other character can have a meaning, too.
    """

    whole: bool
    chars: set[str] = field(default_factory=set)

    def add_legend(self, record: Record | None) -> None:
        """Add the characters of a shared legend that is invalid, or missing (None)."""
        if record is None or not isinstance(record.data, dict):
            self.whole = False
            return
        self.chars |= set(record.fields)
        self.whole = self.whole and is_legible(record.fields.get("extends"))

    def add_palette(self, raw: object) -> None:
        """Add the characters of a palette that is invalid, or missing (None)."""
        if not isinstance(raw, dict):
            self.whole = False
            return
        glyphs = raw.get("glyphs", {})
        self.chars |= _keys(glyphs)
        self.whole = self.whole and isinstance(glyphs, dict) and is_legible(raw.get("extends"))
        self.whole = self.whole and not _misspells(raw, PALETTE_KEYS, ("glyphs", "extends"))

    def add_prefab(self, record: Record, known: Iterable[str]) -> None:
        """Add the characters that an invalid prefab explains itself.

        Args:
            record: The prefab.
            known: All keys that a prefab may have.
        """
        raw = record.fields
        legend, steps = raw.get("legend", {}), raw.get("vary", [])
        self.chars |= _keys(legend) | _varied(steps)
        self.add_palette(raw.get("palette", {}))
        legible = (
            isinstance(record.data, dict) and isinstance(legend, dict) and is_legible(raw.get("legends"))
        )
        legible = legible and isinstance(steps, list) and all(isinstance(step, dict) for step in steps)
        legible = legible and not (record.is_lost or holds_broken(steps) or holds_broken(raw.get("aliases")))
        self.whole = self.whole and legible and not _misspells(raw, known, EXPLAINING)


def _misspells(raw: Iterable[str], known: Iterable[str], meant: Iterable[str]) -> bool:
    """Tell whether an unknown key among `raw` resembles one of the keys in `meant`."""
    keys, wanted = list(known), list(meant)
    return any(nearest_match(key, keys) in wanted for key in raw if key not in keys)


def is_legible(raw: object) -> bool:
    """Tell whether every name in a list, or a single name, can be read."""
    listed = raw if isinstance(raw, list) else [] if raw is None else [raw]
    return all(isinstance(word, str | int) for word in listed)


def _varied(raw: object) -> set[str]:
    """Return the characters that the steps under `vary` seem to change, as far as they can be read."""
    steps = [step for step in raw if isinstance(step, dict)] if isinstance(raw, list) else []
    said = [
        step[key]
        for step in steps
        for key in step
        if key in (*STEPS, "of") or not any(name in step for name in STEPS)
    ]
    words = [word for each in said for word in (each if isinstance(each, list) else [each])]
    return {char for word in words if isinstance(word, str | int) for char in str(word)}


def _keys(raw: object) -> set[str]:
    return set(raw) if isinstance(raw, dict) else set()
