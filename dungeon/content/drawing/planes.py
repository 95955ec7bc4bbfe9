"""The *planes* of a drawing, which lie above each other: the layers of an .xp file, or the texts of a prefab's entry, as drawn.

The *map* is the lowest plane. A *reference* is a character on the plane `references`, which names an object.

plane 1  map: the terrain        plane 3  machines        plane 5  paint: the colours of
plane 2  links                   plane 4  references               machines (texts only)

All planes after the fifth are further layers of references.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.drawing.layer_roles import IGNORED, TERRAIN, LayerRole
from dungeon.content.drawing.rexpaint import MAX_CELLS
from dungeon.content.source.marks import JOINED
from dungeon.content.source.names import NameList
from dungeon.core.errors import Problem, Source
from dungeon.core.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.drawing.rexpaint import XpLayer
    from dungeon.content.source.files import ProblemLog, Record


PLANE_NAMES = ("map", "links", "machines", "references", "paint")

CHARACTER_PLANES = ("map", "machines", "references")
"""The planes whose characters an author may replace by `aliases`."""

REFERENCES = 3
"""Index of the first plane of references."""

XP_LAYERS = 4
"""Number of layers of an .xp file without `layers`; its machines carry their own colours, so it needs no fifth plane."""

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

Path = tuple[str | int, ...]
"""The key of a plane in a prefab's entry, and for one of several layers of references its index in their list."""

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
        only: For a layer of references that is for one kind of object: this kind. None for any other plane.
    """

    text: str
    shape: tuple[int, int]
    where: Where
    colour: NDArray[np.uint8] | None = None
    only: Kind | None = None

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

    @property
    def kind(self) -> str:
        """The name of the kind that a layer of references is for, as in levels; empty for any other plane."""
        return self.only.name if self.only else ""

    def retold(self, meant: Mapping[int, str]) -> DrawingPlane:
        """Return this plane with characters replaced: code point -> character."""
        return replace(self, text=self.text.translate(meant))

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


def reference_planes(planes: Sequence[object]) -> list[int]:
    """Return the indices of the planes of references."""
    return [number for number in range(REFERENCES, len(planes)) if number != len(PLANE_NAMES) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class XpDrawing:
    """The .xp file of a prefab: its layers (none if it could not be read), and its name in messages."""

    layers: Sequence[XpLayer]
    file: str


def drawn_planes(
    record: Record,
    drawn: XpDrawing | None,
    drawings: Collection[str],
    log: ProblemLog,
    roles: Sequence[LayerRole] | None = None,
) -> list[DrawingPlane]:
    """Return the planes of a prefab's drawing, with aliases replaced; empty if it can't be read.

    Args:
        record: The entry of the prefab as written.
        drawn: The prefab's .xp file; None if the drawing is a text.
        drawings: The names of all .xp files.
        log: The log to which problems are added.
        roles: The contents of the layers of an .xp file, in order; None for the order of `PLANE_NAMES`.
    """
    planes = xp_planes(record, drawn, log, roles) if drawn is not None else text_planes(record, drawings, log)
    meant = {ord(char): str(other) or BLANK for char, other in _aliases(record).items()}
    if not meant:
        return planes
    return [
        plane if name in PLANE_NAMES and name not in CHARACTER_PLANES else plane.retold(meant)
        for name, plane in zip_longest(PLANE_NAMES, planes)
        if plane is not None
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


def xp_planes(
    record: Record, drawn: XpDrawing, log: ProblemLog, roles: Sequence[LayerRole] | None = None
) -> list[DrawingPlane]:
    """Return the planes of a prefab's .xp drawing; empty if the file could not be read.

    Args:
        record: The entry of the prefab.
        drawn: The prefab's .xp file.
        log: The log to which problems are added.
        roles: The contents of the layers, in order; None for the order of `PLANE_NAMES`.
    """
    for name in PLANE_NAMES:
        if name in record.fields:
            log.add(record, f"the file {drawn.file} draws this prefab already", name, value=name, key=True)
    where = partial(cell_of_xp, drawn.file)
    if roles is not None:
        return _planes_by_role(record, drawn, roles, where, log)
    if len(drawn.layers) > XP_LAYERS:
        message = f"without the key 'layers', the drawing of a prefab has at most {XP_LAYERS} layers, but this one has {len(drawn.layers)}"
        log.take([Problem(source=Source(file=drawn.file), entry=record.label, message=message)])
    return [DrawingPlane.of_layer(layer, where) for layer in drawn.layers[:XP_LAYERS]]


def _planes_by_role(
    record: Record, drawn: XpDrawing, roles: Sequence[LayerRole], where: Where, log: ProblemLog
) -> list[DrawingPlane]:
    """Return the planes of an .xp drawing whose author says what each layer holds; empty if it has no terrain.

    Layers of terrain, links or machines lie over those of the same role before them. Each layer of references is a plane of its
    own.
    """
    is_own = "layers" in record.fields and record.is_own("layers")
    message = _objection_to_roles(roles, len(drawn.layers), is_own=is_own)
    if message and is_own:
        log.add(record, message, "layers")
    elif message:
        log.take([Problem(source=Source(file=drawn.file), entry=record.label, message=message)])
    single: dict[str, XpLayer] = {}
    references = []
    for role, layer in zip(roles, drawn.layers, strict=False):
        if isinstance(role, Kind):
            references.append(replace(DrawingPlane.of_layer(layer, where), only=role))
        elif role == PLANE_NAMES[REFERENCES]:
            references.append(DrawingPlane.of_layer(layer, where))
        elif role != IGNORED:
            single[role] = layer.over(single[role]) if role in single else layer
    if TERRAIN not in single:
        return []
    ground = DrawingPlane.of_layer(single[TERRAIN], where)
    empty = DrawingPlane(BLANK * len(ground.text), ground.shape, where)
    upper = [
        DrawingPlane.of_layer(single[name], where) if name in single else empty
        for name in PLANE_NAMES[1:REFERENCES]
    ]
    return [ground, *upper, *references[:1], *([empty] if references[1:] else []), *references[1:]]


def _objection_to_roles(roles: Sequence[LayerRole], count: int, *, is_own: bool) -> str:
    """Return why a drawing of `count` layers can't have these roles; empty if it can.

    Args:
        roles: The roles of the layers.
        count: The number of layers; 0 if the drawing could not be read.
        is_own: Whether the roles are those of the drawing's own entry, rather than of a palette for several drawings.
    """
    if count > len(roles):
        return f"this drawing has {count} layers, and `layers` lists {len(roles)}; write `ignore` for those that mean nothing"
    if is_own and 0 < count < len(roles):
        return f"`layers` lists {len(roles)} layers, and this drawing has {count}"
    if count and TERRAIN not in roles[:count]:
        return f"none of the {count} layers of this drawing is terrain"
    return ""


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
    planes = [DrawingPlane.of_rows(rows, partial(cell_of_text, record, ("map",)))]
    further = reference_paths(record)
    last = max(number for number, name in enumerate(PLANE_NAMES) if name in raw)
    paths: list[Path] = [(name,) for name in PLANE_NAMES[1 : len(PLANE_NAMES) if further[1:] else last + 1]]
    if further:
        paths[REFERENCES - 1] = further[0]
    for path in (*paths, *further[1:]):
        rows = _rows_above(record, path, planes[0].shape, log)
        planes.append(DrawingPlane.of_rows(rows, partial(cell_of_text, record, path)))
    return planes


def reference_paths(record: Record) -> list[Path]:
    """Return the paths of the texts that a prefab lists under `references`; empty for a single text, or none."""
    name = PLANE_NAMES[REFERENCES]
    texts = record.fields.get(name)
    return [(name, number) for number in range(len(texts))] if isinstance(texts, list) else []


def _lost_columns(record: Record, path: Path) -> int:
    """Return by how many cells the text of a plane is drawn too far left, because YAML took its leading spaces for indentation.

    map: |           references: |
      #####              C         <- the first row begins with spaces, so YAML puts C into the first column
    """
    if len(path) > 1:  # the texts of a list are indented more than the map, but all alike
        marks = [record.mark(*each) for each in reference_paths(record)]
        return max(record.mark(*path).indent - min(mark.indent for mark in marks), 0)
    for each in (("map",), path):  # indentation can't be compared if an alias took a text from elsewhere
        mark = record.mark(*each)
        if mark.indent < 0 or mark.line != record.mark(*each, key=True).line:
            return 0
    if record.mark(*path).file != record.mark("map").file:  # a mod may indent its texts differently
        return 0
    return max(record.mark(*path).indent - record.mark("map").indent, 0)


def cell_of_text(record: Record, path: Path, y: int, x: int) -> Source:
    """Return the file, line and column of the cell (y, x) of a text plane; the start of the text if its rows were joined.

    Args:
        record: The entry of the prefab.
        path: The key under which the text stands, such as "map", and the index of the text in a list.
        y: Row of the cell.
        x: Column of the cell.
    """
    begins, indent = record.source(*path), record.mark(*path).indent
    if indent < 0:
        return begins
    return Source(file=begins.file, line=begins.line + 1 + y, column=indent + 1 + x)


def _rows(record: Record, path: Path, log: ProblemLog) -> list[str]:
    """Return the rows of the text at `path`; if YAML joined them into one row, log that and return an empty list."""
    text = record.part(*path) if path[0] in record.fields else None
    if not isinstance(text, str):
        return []  # it is missing, or no text, which has been reported
    if record.mark(*path).indent == JOINED:
        log.add(
            record,
            "YAML joins the rows of this drawing into one; write | after the key, and the rows below it",
            *path,
        )
        return []
    return text.rstrip("\n").split("\n")


def _map_rows(record: Record, log: ProblemLog) -> list[str]:
    """Return the rows of the map, cut or filled to equal length; rows that are too short or too long are logged."""
    rows = _rows(record, ("map",), log)
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
            source = cell_of_text(record, ("map",), y, min(len(row), width))
            log.take([Problem(source=source, entry=record.label, message=message)])
    return [row[:width].ljust(width, DONT_CARE) for row in rows]


def _may_be_stripped(rows: Sequence[str], width: int) -> bool:
    """Tell whether the rows that are shorter than `width` probably lost spaces at their ends to an editor."""
    if any(row.endswith(" ") for row in rows):
        return False
    return any(" " in row for row in rows) or sum(len(row) < width for row in rows) > 1


def _rows_above(record: Record, path: Path, size: tuple[int, int], log: ProblemLog) -> list[str]:
    """Return the rows of a plane above the map, cut or filled to the size of the map.

    There may be fewer rows than in the map, and shorter ones: missing cells are empty. Cells outside the map are
    logged.

    Args:
        record: The entry of the prefab as written.
        path: The key under which the plane stands, such as "references", and the index of the text in a list.
        size: (height, width) of the map.
        log: The log to which problems are added.
    """
    height, width = size
    rows = _rows(record, path, log)
    if lost := _lost_columns(record, path):
        message = (
            f"YAML takes {lost} of the leading spaces of these rows for indentation, and moves all of them to the left;"
            " begin the text with |2 if it is indented by two spaces"
        )
        log.add(record, message, *path)
        rows = []
    for y, row in enumerate(rows):
        drawn = len(row.rstrip(" "))
        if drawn and (y >= height or drawn > width):
            message = f"this row of the {path[0]} reaches out of the map, which is {width}x{height} cells"
            source = cell_of_text(record, path, y, width if y < height else drawn - len(row.strip(" ")))
            log.take([Problem(source=source, entry=record.label, message=message)])
    rows = [row[:width].ljust(width) for row in rows[:height]]
    return rows + [" " * width] * (height - len(rows))
