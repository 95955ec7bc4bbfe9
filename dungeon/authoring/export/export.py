"""Writing a prefab down in another form: as text, or as an .xp drawing with its properties beside it.

Either form reads back as the same prefab, and written down once more it is the same to the byte. Comments are
lost; what the author said is kept as said, except where a form can't hold it:

    - terrain that only its colour tells gets a character in a text, which the entry's palette explains
    - characters that a form can't hold are replaced, and the entry's `aliases` tells what is meant
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dungeon.authoring.export.painting import draw_layers
from dungeon.authoring.export.sketch import HANDY, free_characters, take_apart
from dungeon.content.drawing.planes import BLANK, DONT_CARE, MAX_PAINTS
from dungeon.content.drawing.read_drawing import MACHINE_COLOUR
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.content.loading.load import load_draft
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.reader import MAX_BYTES
from dungeon.content.source.yaml_writer import Rows, to_yaml
from dungeon.core.errors import ContentError, Problem, nearest_match

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from dungeon.authoring.export.sketch import Sketch
    from dungeon.content.library import Content

Form = Literal["text", "xp"]


def export_prefab(
    folder: str | os.PathLike[str], name: str, to: Form, *, mods: Iterable[str | os.PathLike[str]] = ()
) -> dict[str, bytes]:
    """Write a prefab down in another form: see `dungeon.authoring.reading.export_prefab`."""
    if to not in ("text", "xp"):
        raise ValueError(f"a prefab is exported to text or xp, not to {to!r}")
    return Exporter(folder, *mods).export(name, to)


class Exporter:
    """Writes prefabs of content down in other forms, after reading its folders once.

    Raises:
        ContentError: The content is wrong.
    """

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self.content, self.draft = load_draft(*folders)

    def export(self, name: str, to: Form) -> dict[str, bytes]:
        """Write a prefab down, as `export_prefab` does."""
        sketch = self.sketch(name)
        if to == "text":
            return {f"prefabs/{name}.yaml": as_text(sketch)}
        drawing, entry = as_xp(sketch, self.content)
        return {f"prefabs/{name}.xp": drawing, f"prefabs/{name}.yaml": entry}

    def sketch(self, name: str) -> Sketch:
        """Take a prefab apart."""
        content, draft = self.content, self.draft
        if name not in content.prefabs or draft.context is None:
            nearest = nearest_match(name, content.prefabs)
            raise KeyError(f"there is no prefab {name!r}{f' (did you mean {nearest}?)' if nearest else ''}")
        entry = draft.entries["prefab"].get(name, PrefabEntry())
        assert isinstance(entry, PrefabEntry)
        record, packed = draft.records["prefab"][name], draft.drawings.get(name)
        drawn = packed.layers(draft.findings) if packed else None
        return take_apart(record, entry, drawn, draft.context, content.terrain_set, draft.findings)


def as_xp(sketch: Sketch, content: Content) -> tuple[bytes, bytes]:
    """Return the .xp file of a prefab, and the YAML file of what else there is to say.

    Raises:
        ContentError: It has more cells than an .xp file may have, or a character for which no tile is left.
    """
    layers, aliases = draw_layers(sketch, content)
    try:
        drawing = encode_xp(layers)
    except ValueError as error:
        raise refusal(sketch, f"no .xp drawing of four layers can hold this: it {error}") from error
    return drawing, _file(sketch, {**sketch.fields, "aliases": aliases})


def refusal(sketch: Sketch, message: str) -> ContentError:
    """Return the error that a prefab can't be written in a form."""
    return ContentError([Problem(source=sketch.source, entry=sketch.label, message=message)])


def as_text(sketch: Sketch) -> bytes:
    """Return the YAML file of a prefab drawn as text.

    Raises:
        ContentError: It has more colours, or is larger, than a file may be.
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
    return _file(sketch, fields)


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


def _file(sketch: Sketch, fields: Mapping[str, object]) -> bytes:
    """Return the file of an entry, its keys in the order of the model."""
    keys = [field.alias or name for name, field in PrefabEntry.model_fields.items()]
    said = {key: fields[key] for key in keys if key in fields and (fields[key] or key in sketch.fields)}
    data = to_yaml({sketch.name: said}).encode()
    if len(data) > MAX_BYTES:
        raise refusal(sketch, f"its file would be larger than {MAX_BYTES:,} bytes")
    return data
