"""A prefab as text: the YAML file of an entry, with the drawing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.authoring.export.sketch import HANDY, free_characters
from dungeon.content.drawing.planes import BLANK, DONT_CARE, MAX_PAINTS
from dungeon.content.drawing.read_drawing import MACHINE_COLOUR
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.reader import MAX_BYTES
from dungeon.content.source.yaml_writer import Rows, to_yaml
from dungeon.core.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.authoring.export.sketch import Sketch

KEYS = tuple(field.alias or name for name, field in PrefabEntry.model_fields.items())
"""What an entry may say, in the order in which it is written."""


def refusal(sketch: Sketch, message: str) -> ContentError:
    """Return the error that a prefab can't be written in a form."""
    return ContentError([Problem(source=sketch.source, entry=sketch.label, message=message)])


def as_text(sketch: Sketch) -> bytes:
    """Return the YAML file of a prefab drawn as text.

    Raises:
        ContentError: It has more colours, or is larger, than a file may be.
    """
    return file_of(sketch, fields_of(sketch))


def fields_of(sketch: Sketch) -> dict[str, object]:
    """Return what the entry of a prefab drawn as text says, its planes as `Rows`.

    Raises:
        ContentError: It has more colours than a text may have.
    """
    text_chars = _text_characters(sketch)
    table = {ord(char): drawn for char, drawn in text_chars.items()}
    fields = dict(sketch.fields)
    fields["map"] = _rows(sketch, sketch.map.translate(table))
    upper = table | {ord(BLANK): " "}
    for name, plane in (
        ("links", sketch.links),
        ("machines", sketch.machines),
        ("references", sketch.references),
    ):
        fields[name] = _rows_above(sketch, plane.translate(upper))
    fields["paint"], fields["paints"] = _painted(sketch)
    fields["aliases"] = {
        drawn: char.strip(BLANK) for char, drawn in text_chars.items() if (char, drawn) != (BLANK, DONT_CARE)
    }
    if sketch.glyphs:
        palette = sketch.fields.get("palette", {})
        assert isinstance(palette, dict)
        fields["palette"] = {**palette, "glyphs": {**palette.get("glyphs", {}), **sketch.glyphs}}
    return fields


def _text_characters(sketch: Sketch) -> dict[str, str]:
    """Return character -> the one to draw instead, for those that can't stand in a text."""
    unprintable = sorted(char for char in {*sketch.machines} - {BLANK} if not char.isprintable())
    wanted = list(unprintable)
    known = sketch.own.union(sketch.meaning.glyphs)
    if BLANK in sketch.map and DONT_CARE in known:
        wanted.append(BLANK)
    found = dict(zip(wanted, free_characters(sketch.taken), strict=False))
    return {BLANK: DONT_CARE, **found}


def _rows(sketch: Sketch, text: str) -> Rows:
    width = sketch.shape[1]
    return Rows(text[start : start + width] for start in range(0, len(text), width))


def _rows_above(sketch: Sketch, text: str) -> Rows:
    """Return the rows of a plane above the map, without what is empty on the right and below."""
    rows = [row.rstrip(" ") for row in _rows(sketch, text)]
    while rows and not rows[-1]:
        rows.pop()
    return Rows(rows)


def _painted(sketch: Sketch) -> tuple[Rows, dict[str, str]]:
    """Return the plane that paints machines, and what its characters mean."""
    colours = [each for each in dict.fromkeys(sketch.colours.values()) if each != MACHINE_COLOUR]
    if len(colours) > MAX_PAINTS:
        raise refusal(sketch, f"its machines have {len(colours)} colours, and a text can have {MAX_PAINTS}")
    chars = dict(zip(colours, free_characters(HANDY), strict=False))
    cells = [" "] * len(sketch.map)
    for at, colour in sketch.colours.items():
        cells[at] = chars.get(colour, " ")
    paints = {char: "#" + bytes(colour).hex() for colour, char in chars.items()}
    return _rows_above(sketch, "".join(cells)), paints


def entry_of(sketch: Sketch, fields: Mapping[str, object]) -> str:
    """Return an entry as YAML: those fields that say something, in the order of the model."""
    said = {key: fields[key] for key in KEYS if key in fields and (fields[key] or key in sketch.fields)}
    return to_yaml({sketch.name: said})


def file_of(sketch: Sketch, fields: Mapping[str, object]) -> bytes:
    """Return the file of an entry.

    Raises:
        ContentError: It is larger than a file may be.
    """
    data = entry_of(sketch, fields).encode()
    if len(data) > MAX_BYTES:
        raise refusal(sketch, f"its file would be larger than {MAX_BYTES:,} bytes")
    return data
