"""The planes of a prefab's drawing, from the layers of its .xp file or the texts of its entry.

plane 1  map: the terrain        plane 3  machines        plane 5  paint: the colours of
plane 2  links                   plane 4  references               machines, of texts only
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
    from dungeon.content.source.files import Findings, Record


PLANE_NAMES = ("map", "links", "machines", "references", "paint")

CHARACTER_PLANES = ("map", "machines", "references")
"""Those whose characters an author chooses, so that `aliases` applies to them."""

XP_LAYERS = 4
"""How many of them an .xp file may have; its machines have colours of their own."""

BLANK = "\ud800"
"""What stands for the character of a transparent cell: one that no file can hold."""

MARK = re.compile(f"[^ {BLANK}]")

MAX_MARKS = 50_000
"""How many cells of a plane may have links, machines or references on them."""

MAX_CHARACTERS = 4000
"""How many different characters a plane may have."""

MAX_PAINTS = MAX_CHARACTERS - 1
"""How many colours the machines of a text may have: each takes a character, and one is the space."""

DONT_CARE = "?"
"""The character that leaves the map as it is."""

STRIPPED = "; an editor may have stripped spaces from its end: keep it from that, or draw this earth with a character of the legend"

Where = Callable[[int, int], Source]


@dataclass(frozen=True)
class Plane:
    """One layer of a drawing as its author made it.

    Attributes:
        text: Its characters row by row; `BLANK` where a cell was left transparent.
        shape: (height, width).
        where: Says where in the file the cell (y, x) stands.
        colour: (height, width, 3) uint8, the colour that each cell is seen in; None for text.
    """

    text: str
    shape: tuple[int, int]
    where: Where
    colour: NDArray[np.uint8] | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[str], where: Where) -> Plane:
        """Return the plane of a text's rows, which are all of one length."""
        return cls("".join(rows), (len(rows), len(rows[0])), where)

    @classmethod
    def of_layer(cls, layer: XpLayer, where: Where) -> Plane:
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
        """The different characters on it, or a few more than `MAX_CHARACTERS` of them."""
        chars: set[str] = set()
        for start in range(0, len(self.text), MAX_CHARACTERS):
            chars.update(self.text[start : start + MAX_CHARACTERS])
            if len(chars) > MAX_CHARACTERS:
                break
        return frozenset(chars)

    def looked_up(self, table: Mapping[int, int]) -> NDArray[np.uint8]:
        """Return (height, width) uint8: each cell's character, by code point, as the table has it."""
        codes = self.text.translate(table).encode("latin-1")
        return np.frombuffer(codes, np.uint8).reshape(self.shape).copy()

    def having(self, chars: Collection[str]) -> NDArray[np.bool_]:
        """Return (height, width) bool: where one of these characters stands."""
        table = {ord(char): int(char in chars) for char in self.chars}
        return self.looked_up(table).astype(np.bool_)

    def cells_of(self, chars: Collection[str]) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of the cells that have one of these characters, row by row; as many as `cells`."""
        found: list[tuple[int, str]] = []
        for char in sorted(self.chars.intersection(chars)):
            at = self.text.find(char)
            while at >= 0 and len(found) <= MAX_MARKS:
                found.append((at, char))
                at = self.text.find(char, at + 1)
        width = self.shape[1]
        return [(*divmod(at, width), char) for at, char in sorted(found)]

    def cells(self, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
        """Return (y, x, character) of the cells whose character is of the pattern, row by row.

        There is one more than `MAX_MARKS` of them at most.
        """
        found = []
        width = self.shape[1]
        for match in pattern.finditer(self.text):
            found.append((*divmod(match.start(), width), match[0]))
            if len(found) > MAX_MARKS:
                break
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The .xp file of a prefab: its layers (none if it could not be read), and its name for messages."""

    layers: Sequence[XpLayer]
    file: str


def drawn_planes(
    record: Record, drawn: Drawn | None, drawings: Collection[str], findings: Findings
) -> list[Plane]:
    """Return the planes of a prefab's drawing, with the characters that are meant; none if it can't be read.

    Args:
        record: The prefab.
        drawn: Its .xp file, if there is one.
        drawings: The names of all .xp files.
        findings: Takes what is wrong.
    """
    if drawn is not None:
        planes = xp_planes(record, drawn, findings)
    else:
        planes = text_planes(record, drawings, findings)
    meant = {ord(char): str(other) or BLANK for char, other in _aliases(record).items()}
    if not meant:
        return planes
    return [
        replace(plane, text=plane.text.translate(meant)) if name in CHARACTER_PLANES else plane
        for name, plane in zip(PLANE_NAMES, planes, strict=False)
    ]


def _aliases(record: Record) -> dict[str, str | int]:
    """Return the aliases of a prefab, as far as they can be read."""
    raw = record.fields.get("aliases")
    if not isinstance(raw, dict):
        return {}
    return {
        char: other
        for char, other in raw.items()
        if len(char) == 1 and isinstance(other, str | int) and len(str(other)) <= 1
    }


def xp_planes(record: Record, drawn: Drawn, findings: Findings) -> list[Plane]:
    """Return the planes of an .xp drawing, which are none if it could not be read."""
    for name in PLANE_NAMES:
        if name in record.fields:
            findings.add(record, f"{drawn.file} draws this prefab already", name, value=name, key=True)
    most = XP_LAYERS
    if len(drawn.layers) > most:
        message = f"a prefab has at most {most} layers, and this has {len(drawn.layers)}"
        findings.take([Problem(source=Source(file=drawn.file), entry=record.label, message=message)])
    return [Plane.of_layer(layer, partial(cell_of_xp, drawn.file)) for layer in drawn.layers[:most]]


def cell_of_xp(file: str, y: int, x: int) -> Source:
    """Return the place of a cell of a drawing: its row and column, counted from 1."""
    return Source(file=file, line=y + 1, column=x + 1)


def text_planes(record: Record, drawings: Collection[str], findings: Findings) -> list[Plane]:
    """Return the planes of a text drawing; none, after saying why, if they can't be read.

    Args:
        record: The prefab.
        drawings: The names of all .xp files.
        findings: Takes what is wrong.
    """
    raw = record.fields
    if "map" not in raw and isinstance(record.data, dict) and not record.is_lost:
        near = NameList(drawings).nearest(record.name)
        hint = f"; is {near}.xp meant?" if near else ""
        findings.add(record, f"it has neither a map nor an .xp drawing of its name{hint}", key=True)
    rows = _map_rows(record, findings)
    if not rows:
        return []
    planes = [Plane.of_rows(rows, partial(cell_of_text, record, "map"))]
    last = max(number for number, name in enumerate(PLANE_NAMES) if name in raw)
    for name in PLANE_NAMES[1 : last + 1]:
        rows = _rows_above(record, name, planes[0].shape, findings)
        planes.append(Plane.of_rows(rows, partial(cell_of_text, record, name)))
    return planes


def _lost_columns(record: Record, name: str) -> int:
    """Return how many leading spaces of a text YAML took for indentation: it lies to the left of where it was drawn.

    map: |           references: |
      #####              C         <- the first row begins with spaces, so C comes to lie in the first column
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


def _rows(record: Record, name: str, findings: Findings) -> list[str]:
    """Return the rows of a text; none, after saying so, where YAML has joined them."""
    text = record.fields.get(name)
    if not isinstance(text, str):
        return []  # it is missing, or is none, which has been reported
    if record.mark(name).indent == JOINED:
        findings.add(record, "YAML joins these rows into one; rows of a drawing must stand below a |", name)
        return []
    return text.rstrip("\n").split("\n")


def _map_rows(record: Record, findings: Findings) -> list[str]:
    """Return the rows of the map, cut or filled up to one length after reporting those of another."""
    rows = _rows(record, "map", findings)
    lengths = Counter(len(row) for row in rows if row)
    if rows and not lengths:
        findings.add(record, "this drawing is empty", "map")
    if not lengths:
        return []
    # Of rows that differ those are wrong whose length is rare; if none is that of most, some have lost their ends.
    width, count = lengths.most_common(1)[0]
    others = f"most have {width}"
    if count * 2 <= lengths.total():
        width = max(lengths)
        others = f"the longest has {width}"
    if len(rows) * width > MAX_CELLS:
        findings.add(
            record, f"this drawing has {len(rows) * width:,} cells; {MAX_CELLS:,} are the most", "map"
        )
        return []
    hint = STRIPPED if _may_be_stripped(rows, width) else ""
    for y, row in enumerate(rows):
        if len(row) != width:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            message = f"this row has {cells}, {others}{hint if len(row) < width else ''}"
            source = cell_of_text(record, "map", y, min(len(row), width))
            findings.take([Problem(source=source, entry=record.label, message=message)])
    return [row[:width].ljust(width, DONT_CARE) for row in rows]


def _may_be_stripped(rows: Sequence[str], width: int) -> bool:
    """Tell whether rows are likely to be too short because an editor has stripped spaces from their ends."""
    if any(row.endswith(" ") for row in rows):
        return False
    return any(" " in row for row in rows) or sum(len(row) < width for row in rows) > 1


def _rows_above(record: Record, name: str, size: tuple[int, int], findings: Findings) -> list[str]:
    """Return the rows of a plane above the map, of its size.

    What is not drawn is empty, so rows may be shorter than the map's, and fewer. What lies outside of the map is
    reported and cut off.
    """
    height, width = size
    rows = _rows(record, name, findings)
    if lost := _lost_columns(record, name):
        message = (
            f"YAML takes {lost} of the leading spaces of these rows for indentation, and moves all of them to the left;"
            " begin the text with |2 if it is indented by two spaces"
        )
        findings.add(record, message, name)
        rows = []
    for y, row in enumerate(rows):
        drawn = len(row.rstrip(" "))
        if drawn and (y >= height or drawn > width):
            message = f"this row of the {name} reaches out of the map, which is {width}x{height} cells"
            source = cell_of_text(record, name, y, width if y < height else drawn - len(row.strip(" ")))
            findings.take([Problem(source=source, entry=record.label, message=message)])
    rows = [row[:width].ljust(width) for row in rows[:height]]
    return rows + [" " * width] * (height - len(rows))
