"""The planes of a prefab's drawing, from the layers of its .xp file or the texts of its entry."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dungeon.content.drawing import DONT_CARE, PLANE_NAMES, Plane
from dungeon.content.names import NameList
from dungeon.content.rexpaint import MAX_CELLS
from dungeon.errors import Problem, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.content.files import Findings, Record
    from dungeon.content.rexpaint import XpLayer


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The .xp file of a prefab: its layers (none if it could not be read), and its name for messages."""

    layers: Sequence[XpLayer]
    file: str


def xp_planes(record: Record, drawn: Drawn, findings: Findings) -> list[Plane]:
    """Return the planes of an .xp drawing, which are none if it could not be read."""
    for name in PLANE_NAMES:
        if name in record.fields:
            findings.add(record, f"{drawn.file} draws this prefab already", name, value=name, key=True)
    most = len(PLANE_NAMES)
    if len(drawn.layers) > most:
        message = f"a prefab has at most {most} layers, and this has {len(drawn.layers)}"
        findings.take([Problem(source=Source(file=drawn.file), entry=record.label, message=message)])
    return [Plane.of_layer(layer, partial(_cell_of_xp, drawn.file)) for layer in drawn.layers[:most]]


def _cell_of_xp(file: str, y: int, x: int) -> Source:
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
    if "map" not in raw and isinstance(record.data, dict):
        near = NameList(drawings).nearest(record.name)
        hint = f"; is {near}.xp meant?" if near else ""
        findings.add(record, f"it has neither a map nor an .xp drawing of its name{hint}", key=True)
    rows = _map_rows(record, findings) if isinstance(raw.get("map"), str) else []
    if not rows:
        return []
    planes = [Plane.of_rows(rows, partial(_cell_of_text, record, "map"))]
    last = max(number for number, name in enumerate(PLANE_NAMES) if name in raw)
    for name in PLANE_NAMES[1 : last + 1]:
        rows = _rows_above(record, name, planes[0].shape, findings)
        planes.append(Plane.of_rows(rows, partial(_cell_of_text, record, name)))
    return planes


def _cell_of_text(record: Record, name: str, y: int, x: int) -> Source:
    """Return the place of a cell of a text plane in its YAML file."""
    mark = record.mark(name)
    if mark.indent < 0:
        return Source(file=record.file, line=mark.line, column=mark.column)
    return Source(file=record.file, line=mark.line + 1 + y, column=mark.indent + 1 + x)


def _map_rows(record: Record, findings: Findings) -> list[str]:
    """Return the rows of the map, cut or filled up to one length after reporting those of another."""
    rows = record.fields["map"].rstrip("\n").split("\n")
    # Of rows that differ those are wrong whose length is rare; of equally frequent lengths the first is right.
    lengths = Counter(len(row) for row in rows if row).most_common(1)
    if not lengths:
        findings.add(record, "this drawing is empty", "map")
        return []
    width = lengths[0][0]
    if len(rows) * width > MAX_CELLS:
        findings.add(record, f"this drawing has more than {MAX_CELLS:,} cells", "map")
        return []
    for y, row in enumerate(rows):
        if len(row) != width:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            message = f"this row has {cells}, most have {width}"
            source = _cell_of_text(record, "map", y, min(len(row), width))
            findings.take([Problem(source=source, entry=record.label, message=message)])
    return [row[:width].ljust(width, DONT_CARE) for row in rows]


def _rows_above(record: Record, name: str, size: tuple[int, int], findings: Findings) -> list[str]:
    """Return the rows of a plane above the map, of its size.

    What is not drawn is empty, so rows may be shorter than the map's, and fewer; there is nothing on a plane whose
    text is missing, or is none (which has been reported). What lies outside of the map is reported and cut off.
    """
    text = record.fields.get(name)
    height, width = size
    rows = text.split("\n") if isinstance(text, str) else []
    for y, row in enumerate(rows):
        drawn = len(row.rstrip(" "))
        if drawn and (y >= height or drawn > width):
            message = f"this row of the {name} reaches out of the map, which is {width}x{height} cells"
            source = _cell_of_text(record, name, y, width if y < height else drawn - len(row.strip(" ")))
            findings.take([Problem(source=source, entry=record.label, message=message)])
    rows = [row[:width].ljust(width) for row in rows[:height]]
    return rows + [" " * width] * (height - len(rows))
