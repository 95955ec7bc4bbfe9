"""The *planes* of a drawing, which lie above each other: the layers of an .xp file, or the texts of a prefab's entry, as drawn.

The *map* is the lowest plane. A *reference* is a character on the plane `references`, which names an object.

plane 1  map: the terrain        plane 3  machines        plane 5  paint: the colours of
plane 2  links                   plane 4  references               machines (texts only)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.drawing.rexpaint import MAX_CELLS
from dungeon.content.source.marks import JOINED
from dungeon.content.source.names import NameList
from dungeon.core.errors import Problem, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.drawing.rexpaint import XpLayer
    from dungeon.content.source.files import ProblemLog, Record


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

STRIPPED = "; an editor may have removed spaces at its end: switch that off, or draw the earth there with a character of the legend"

Where = Callable[[int, int], Source]
"""A function (y, x) -> the file, line and column of that cell of a plane."""


@dataclass(frozen=True)
class DrawingPlane:
    """One plane of a drawing, with the characters and colours as its author drew them.

    Attributes:
        text: The characters, row after row without line ends; `BLANK` for transparent cells.
        shape: (height, width).
        where: Returns the file, line and column of the cell (y, x).
        colour: (height, width, 3) uint8, the visible colour of each cell; None for text.
    """

    text: str
    shape: tuple[int, int]
    where: Where
    colour: NDArray[np.uint8] | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[str], where: Where) -> DrawingPlane:
        """Return the plane of a text.

        Args:
            rows: The rows, all of the same length.
            where: Returns the file, line and column of the cell (y, x).
        """
        return cls("".join(rows), (len(rows), len(rows[0])), where)

    @classmethod
    def of_layer(cls, layer: XpLayer, where: Where) -> DrawingPlane:
        """Return the plane of a layer of an .xp file; `where` returns the place of the cell (y, x) in the file."""
        points = layer.codepoints
        points[points == 0] = ord(" ")
        hollow = points == ord(" ")
        colour = np.where(hollow[..., None], layer.bg, layer.fg)
        shown = np.where(layer.transparent, ord(BLANK), points).astype("<u4")
        text = shown.tobytes().decode("utf-32-le", "surrogatepass")
        return cls(text, (layer.height, layer.width), where, colour)

    @cached_property
    def chars(self) -> frozenset[str]:
        """The different characters of the plane; if there are more than `MAX_CHARACTERS`, only some of them."""
        chars: set[str] = set()
        for start in range(0, len(self.text), MAX_CHARACTERS):
            chars.update(self.text[start : start + MAX_CHARACTERS])
            if len(chars) > MAX_CHARACTERS:
                break
        return frozenset(chars)

    def looked_up(self, table: Mapping[int, int]) -> NDArray[np.uint8]:
        """Return (height, width) uint8: for each cell the code of its character; `table` is code point -> code."""
        codes = self.text.translate(table).encode("latin-1")
        return np.frombuffer(codes, np.uint8).reshape(self.shape).copy()

    def having(self, chars: Collection[str]) -> NDArray[np.bool_]:
        """Return (height, width) bool: True where the cell has one of these characters."""
        table = {ord(char): int(char in chars) for char in self.chars}
        return self.looked_up(table).astype(np.bool_)

    def cells_of(self, chars: Collection[str]) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of each cell with one of these characters, row by row; at most `MAX_MARKS` + 1 cells."""
        found: list[tuple[int, str]] = []
        for char in sorted(self.chars.intersection(chars)):
            at = self.text.find(char)
            while at >= 0 and len(found) <= MAX_MARKS:
                found.append((at, char))
                at = self.text.find(char, at + 1)
        width = self.shape[1]
        return [(*divmod(at, width), char) for at, char in sorted(found)]

    def cells(self, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of each cell whose character matches the pattern, row by row; at most `MAX_MARKS` + 1 cells."""
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
        record: The entry of the prefab as written.
        drawn: The prefab's .xp file; None if the drawing is a text.
        drawings: The names of all .xp files.
        log: The log to which problems are added.
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
    """Return drawn character -> the character for which it stands, from `aliases` of a prefab, without unreadable ones."""
    raw = record.fields.get("aliases")
    if not isinstance(raw, dict):
        return {}
    return {
        char: other
        for char, other in raw.items()
        if len(char) == 1 and isinstance(other, str | int) and len(str(other)) <= 1
    }


def xp_planes(record: Record, drawn: XpDrawing, log: ProblemLog) -> list[DrawingPlane]:
    """Return the planes of a prefab's .xp drawing; empty if the file could not be read. Problems are added to `log`."""
    for name in PLANE_NAMES:
        if name in record.fields:
            log.add(record, f"the file {drawn.file} draws this prefab already", name, value=name, key=True)
    most = XP_LAYERS
    if len(drawn.layers) > most:
        message = f"the drawing of a prefab has at most {most} layers, but this one has {len(drawn.layers)}"
        log.take([Problem(source=Source(file=drawn.file), entry=record.label, message=message)])
    return [DrawingPlane.of_layer(layer, partial(cell_of_xp, drawn.file)) for layer in drawn.layers[:most]]


def cell_of_xp(file: str, y: int, x: int) -> Source:
    """Return the place of the cell (y, x) of an .xp file, with row and column from 1 as line and column."""
    return Source(file=file, line=y + 1, column=x + 1)


def text_planes(record: Record, drawings: Collection[str], log: ProblemLog) -> list[DrawingPlane]:
    """Return the planes of a text drawing; if it can't be read, log why and return an empty list.

    Args:
        record: The entry of the prefab as written.
        drawings: The names of all .xp files, for a hint if the text is missing.
        log: The log to which problems are added.
    """
    raw = record.fields
    if "map" not in raw and isinstance(record.data, dict) and not record.is_lost:
        near = NameList(drawings).nearest(record.name)
        hint = f"; is {near}.xp meant?" if near else ""
        log.add(record, f"this prefab has neither a map nor an .xp drawing of its name{hint}", key=True)
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
    """Return by how many cells the text of a plane is drawn too far left, because YAML took its leading spaces for indentation.

    map: |           references: |
      #####              C         <- the first row begins with spaces, so YAML puts C into the first column
    """
    for each in ("map", name):  # indentation can't be compared if an alias took a text from elsewhere
        mark = record.mark(each)
        if mark.indent < 0 or mark.line != record.mark(each, key=True).line:
            return 0
    if record.mark(name).file != record.mark("map").file:  # a mod may indent its texts differently
        return 0
    return max(record.mark(name).indent - record.mark("map").indent, 0)


def cell_of_text(record: Record, name: str, y: int, x: int) -> Source:
    """Return the file, line and column of the cell (y, x) of a text plane; the start of the text if its rows were joined.

    Args:
        record: The entry of the prefab.
        name: The key under which the text stands, such as "map".
        y: Row of the cell.
        x: Column of the cell.
    """
    begins, indent = record.source(name), record.mark(name).indent
    if indent < 0:
        return begins
    return Source(file=begins.file, line=begins.line + 1 + y, column=indent + 1 + x)


def _rows(record: Record, name: str, log: ProblemLog) -> list[str]:
    """Return the rows of the text under the key `name`; if YAML joined them into one row, log that and return an empty list."""
    text = record.fields.get(name)
    if not isinstance(text, str):
        return []  # it is missing, or no text, which has been reported
    if record.mark(name).indent == JOINED:
        log.add(
            record,
            "YAML joins the rows of this drawing into one; write | after the key, and the rows below it",
            name,
        )
        return []
    return text.rstrip("\n").split("\n")


def _map_rows(record: Record, log: ProblemLog) -> list[str]:
    """Return the rows of the map, cut or filled to equal length; rows that are too short or too long are logged."""
    rows = _rows(record, "map", log)
    lengths = Counter(len(row) for row in rows if row)
    if rows and not lengths:
        log.add(record, "this drawing is empty", "map")
    if not lengths:
        return []
    # The most common length counts as right. If it is not that of more than half of the rows, the longest does:
    # the other rows have probably lost their ends.
    width, count = lengths.most_common(1)[0]
    others = f"but most rows have {width}"
    if count * 2 <= lengths.total():
        width = max(lengths)
        others = f"but the longest row has {width}"
    if len(rows) * width > MAX_CELLS:
        log.add(
            record,
            f"this drawing has {len(rows) * width:,} cells, but at most {MAX_CELLS:,} are possible",
            "map",
        )
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
    """Tell whether the rows that are shorter than `width` probably lost spaces at their ends to an editor."""
    if any(row.endswith(" ") for row in rows):
        return False
    return any(" " in row for row in rows) or sum(len(row) < width for row in rows) > 1


def _rows_above(record: Record, name: str, size: tuple[int, int], log: ProblemLog) -> list[str]:
    """Return the rows of a plane above the map, cut or filled to the size of the map.

    There may be fewer rows than in the map, and shorter ones: missing cells are empty. Cells outside the map are
    logged.

    Args:
        record: The entry of the prefab as written.
        name: The key under which the plane stands, such as "references".
        size: (height, width) of the map.
        log: The log to which problems are added.
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
