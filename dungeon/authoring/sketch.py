"""A sketch: a prefab in parts, from which it can be written as text, REXPaint drawing or Tiled map; and the text form. A plane is a layer of the drawing: map, links, machines, references, paint."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from string import ascii_letters, digits, punctuation
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.drawing.meaning import (
    is_of_kind,
    with_connectors,
)
from dungeon.content.drawing.planes import (
    BLANK,
    DONT_CARE,
    MAX_PAINTS,
    PLANE_NAMES,
    REFERENCES,
    drawn_planes,
    reference_planes,
)
from dungeon.content.drawing.read_drawing import MACHINE_COLOUR, read_ground
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.names import words_of
from dungeon.content.source.reader import MAX_BYTES
from dungeon.content.source.yaml_writer import DrawingRows, to_yaml
from dungeon.content.values.grammar import listed
from dungeon.core.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.drawing.meaning import (
        CharacterMeanings,
        Variation,
    )
    from dungeon.content.drawing.planes import (
        DrawingPlane,
        XpDrawing,
    )
    from dungeon.content.drawing.rexpaint import XpLayer
    from dungeon.content.loading.build import BuildContext
    from dungeon.content.source.files import ProblemLog, Record
    from dungeon.core.errors import Source
    from dungeon.terrain import Colour

LEFT_OUT = (*PLANE_NAMES, "paints", "aliases", "like", "layers")
"""Keys of an entry that a sketch does not copy: the drawing and its layers, and `like`, as inherited keys are written out."""

KEYS = tuple(field.alias or name for name, field in PrefabEntry.model_fields.items())
"""The keys of an entry, in the order in which they are written."""

HANDY = "~^=:;,_%&*!$@|/-"
"""Characters that look like terrain; they are used first for terrain without a character."""


def free_characters(taken: Collection[str]) -> Iterator[str]:
    """Yield characters that are not in `taken`: those of `HANDY` first, then ASCII, then letters. The order is fixed."""
    others = (char for char in map(chr, range(0x80, 0x110000)) if char.isalpha() and char.isprintable())
    for char in chain(HANDY, ascii_letters, digits, punctuation, others):
        if char not in taken:
            yield char


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A prefab in parts.

    Attributes:
        name: The name of the prefab.
        label: The name in problems, such as ``prefab 'hall'``.
        source: The place of the prefab's entry.
        fields: The keys of the entry without the drawing, as written, in the order of the model.
        aliases: The aliases of the entry (character -> the character that it stands for), as written.
        shape: (height, width) in cells.
        map: The characters of the map, row by row; `BLANK` where it leaves the map unchanged. Cells of an .xp drawing
            whose meaning depends on their colour have a character with the same meaning.
        links: The plane of links, row by row, with `BLANK` for empty cells; likewise `machines`.
        references: Each plane of references, likewise.
        mixed: Characters that mean something else on a layer for one kind of object than elsewhere.
        is_coloured: Whether the prefab has variants, and its .xp drawing may be read by colours.
        colours: Index of a cell, counted row by row -> colour of the machine there.
        glyphs: Character -> terrain, for the characters that must be added to the palette of a text.
        meaning: The meanings of the characters.
        loose: The characters that steps of `vary` may change, or whose meaning may change.
        taken: All characters that are drawn, have a meaning, or may be put there by a step.
        layers: The layers of the .xp drawing; empty if the prefab is drawn as text.
        roles: The key `layers` of the entry, as written; empty if there is none.
    """

    name: str
    label: str
    source: Source
    fields: Mapping[str, object]
    aliases: Mapping[str, object]
    shape: tuple[int, int]
    map: str
    links: str
    machines: str
    references: tuple[str, ...]
    mixed: tuple[str, ...]
    is_coloured: bool
    colours: Mapping[int, Colour]
    glyphs: Mapping[str, str]
    meaning: CharacterMeanings
    loose: frozenset[str]
    taken: frozenset[str]
    layers: Sequence[XpLayer] = ()
    roles: Sequence[object] = ()

    @property
    def own(self) -> frozenset[str]:
        """The characters of the prefab's legend, and those that steps of `vary` may change. Their colour does not decide their meaning."""
        return self.loose.union(self.meaning.legend)


def take_apart(
    record: Record,
    entry: PrefabEntry,
    drawn: XpDrawing | None,
    context: BuildContext,
    kinds: t.TerrainSet,
    log: ProblemLog,
    variants: Sequence[tuple[Record, PrefabEntry]] = (),
) -> Sketch:
    """Return the sketch of a prefab that has no errors.

    Args:
        record: The prefab's entry as written.
        entry: The validated entry.
        drawn: The .xp drawing; None if the prefab is drawn as text.
        context: The legends, palettes and terrain for reading the drawing.
        kinds: All kinds of terrain.
        log: A log for problems; none are expected.
        variants: The prefab's variants, as written and validated. They may give other meanings to its characters.
    """
    meaning, variation = context.meaning(record, entry), context.variation(record, entry)
    # From here on a connector on the map is a wall with a link over it.
    planes, _ = with_connectors(drawn_planes(record, drawn, (), log, meaning.roles), meaning, variation)
    terrain, loose = read_ground(planes, meaning, variation)
    meanings = [meaning]
    for each in variants:
        other = context.meaning(*each)
        meanings.append(other)
        loose |= _changed_by(context.variation(*each)).union(other.legend)
        loose |= {char for char, name in other.glyphs.items() if meaning.glyphs.get(char) != name}
    nothing = BLANK * len(planes[0].text)
    upper = [plane.text.replace(" ", BLANK) for plane in planes]
    upper += [nothing] * (REFERENCES + 1 - len(upper))
    references = tuple(upper[number] for number in reference_planes(upper))
    chooser = _CharacterChooser(meaning, kinds, loose, _said(meaning, variation).union(upper[2], *references))
    text = chooser.characters(planes[0].text, terrain.ravel().tolist())
    raw = record.fields
    return Sketch(
        name=record.name,
        label=record.label,
        source=record.source(key=True),
        fields={key: plain(raw[key]) for key in KEYS if key in raw and key not in LEFT_OUT},
        aliases=raw.get("aliases", {}),
        shape=planes[0].shape,
        map=text,
        links=upper[1],
        machines=upper[2],
        references=references,
        mixed=tuple(sorted(_mixed(planes, meaning))),
        is_coloured=bool(variants and drawn and any(each.colours for each in meanings)),
        colours=_machine_colours(planes, meaning),
        glyphs=chooser.added,
        meaning=meaning,
        loose=loose,
        taken=frozenset({*chooser.taken, *text}),
        layers=drawn.layers if drawn else (),
        roles=words_of(plain(raw.get("layers"))),
    )


def _mixed(planes: Sequence[DrawingPlane], meaning: CharacterMeanings) -> Iterator[str]:
    """Yield the characters on layers for one kind of object whose legend lists objects of other kinds, too."""
    for plane in planes:
        for char in plane.chars & meaning.legend.keys() if plane.only else ():
            if not all(is_of_kind(leaf, plane.kind) for leaf, _ in meaning.legend[char].leaves()):
                yield char


def plain(raw: object) -> object:
    """Return YAML data as plain dicts and lists, without the positions in the file."""
    if isinstance(raw, dict):
        return {key: plain(value) for key, value in raw.items()}
    return [plain(value) for value in raw] if isinstance(raw, list) else raw


def _said(meaning: CharacterMeanings, variation: Variation) -> set[str]:
    """Return the characters that have a meaning (in legends and palettes), that steps of `vary` use, or that are reserved."""
    return {BLANK, DONT_CARE, " ", *meaning.legend, *meaning.glyphs}.union(_changed_by(variation))


def _changed_by(variation: Variation) -> set[str]:
    """Return the characters that steps of `vary` change, or put into the drawing."""
    return {
        char for step in variation.steps for char in (*step.sources, *(char for char, _ in step.results()))
    }


def _machine_colours(planes: Sequence[DrawingPlane], meaning: CharacterMeanings) -> dict[int, Colour]:
    """Return the colour of each cell of a machine: index of the cell, counted row by row -> colour."""
    if len(planes) < 3:
        return {}
    plane = planes[2]
    cells = [at for at, char in enumerate(plane.text) if char not in (" ", BLANK)]
    if plane.colour is not None:
        colours = plane.colour.reshape(-1, 3)[cells].tolist()
        return {at: (red, green, blue) for at, (red, green, blue) in zip(cells, colours, strict=True)}
    paint = planes[4].text if len(planes) > 4 else ""
    return {at: (meaning.paints or {}).get(paint[at : at + 1], MACHINE_COLOUR) for at in cells}


@dataclass
class _CharacterChooser:
    """Chooses a character for every cell of an .xp drawing's map, so that a text with these characters means the same.

    Attributes:
        meaning: The meanings of the drawing's characters and colours.
        kinds: All kinds of terrain.
        loose: The characters that steps of `vary` may change.
        taken: The characters that can't get a new meaning.
        added: Character -> terrain, for the characters that got a new meaning.
    """

    meaning: CharacterMeanings
    kinds: t.TerrainSet
    loose: frozenset[str]
    taken: set[str]
    added: dict[str, str] = field(default_factory=dict)

    def characters(self, drawn: str, codes: Sequence[int]) -> str:
        """Return for each cell of the map a character that has the same meaning in a prefab drawn as text.

        Args:
            drawn: The characters of the drawing.
            codes: The terrain code of each cell, which may come from its colour.
        """
        # Characters that can stay are found first, so that no new character equals one of them.
        pairs = dict.fromkeys(zip(drawn, codes, strict=True))
        kept = {pair: char for pair in pairs if (char := self.kept(*pair)) is not None}
        self.taken.update(kept.values())
        chars = {pair: kept[pair] if pair in kept else self.standing_for(pair[1]) for pair in pairs}
        return "".join(chars[pair] for pair in zip(drawn, codes, strict=True))

    def kept(self, char: str, code: int) -> str | None:
        """Return the character of a cell if it means terrain `code` in a text, too; None if the cell's colour decides its meaning."""
        if char in self.loose or char in self.meaning.legend:
            return char
        if code == t.KEEP:
            return BLANK
        name = self.meaning.glyphs.get(char)
        return char if name is not None and self.meaning.code(name) == code else None

    def standing_for(self, code: int) -> str:
        """Return a character that means terrain `code`; if there is none, give a free character this meaning."""
        own = self.loose.union(self.meaning.legend)
        for char, name in {**self.meaning.glyphs, **self.added}.items():
            if char not in own and self.meaning.code(name) == code:
                return char
        shown = self.kinds.kinds[code].glyph
        char = next(free_characters(self.taken)) if shown in self.taken else shown
        self.added[char] = self.kinds.kinds[code].name
        self.taken.add(char)
        return char


def refusal(sketch: Sketch, message: str) -> ContentError:
    """Return the error for a prefab that can't be written as text, REXPaint drawing or Tiled map. `message` gives the reason."""
    return ContentError([Problem(source=sketch.source, entry=sketch.label, message=message)])


def as_text(sketch: Sketch) -> bytes:
    """Return the YAML file of a prefab drawn as text.

    Raises:
        ContentError: It has more colours than a text can have, or the file would be too large.
    """
    return file_of(sketch, fields_of(sketch))


def fields_of(sketch: Sketch) -> dict[str, object]:
    """Return the keys and values of the entry of a prefab drawn as text; planes are `DrawingRows`.

    Raises:
        ContentError: It has more colours than a text can have, or a character that means two things.
    """
    if sketch.mixed:
        chars = listed([repr(char) for char in sketch.mixed])
        raise refusal(
            sketch,
            f"a text has no layers for one kind of object, and {chars} would mean objects of other kinds, too",
        )
    if sketch.is_coloured:
        raise refusal(
            sketch, "it has variants, and each of them may read the colours of its .xp drawing in another way"
        )
    text_chars = _text_characters(sketch)
    table = {ord(char): drawn for char, drawn in text_chars.items()}
    fields = dict(sketch.fields)
    fields["map"] = _rows(sketch, sketch.map.translate(table))
    upper = table | {ord(BLANK): " "}
    for name, plane in (("links", sketch.links), ("machines", sketch.machines)):
        fields[name] = _rows_above(sketch, plane.translate(upper))
    above = [rows for plane in sketch.references if (rows := _rows_above(sketch, plane.translate(upper)))]
    fields["references"] = above if above[1:] else above[0] if above else DrawingRows()
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
    """Return character of the sketch -> character to write instead, for those that can't be written in a text.

    They are unprintable characters, and `BLANK` where a text writes something else for "unchanged".
    """
    unprintable = sorted(char for char in {*sketch.machines} - {BLANK} if not char.isprintable())
    wanted = list(unprintable)
    known = sketch.own.union(sketch.meaning.glyphs)
    if BLANK in sketch.map and DONT_CARE in known:
        wanted.append(BLANK)
    found = dict(zip(wanted, free_characters(sketch.taken), strict=False))
    return {BLANK: DONT_CARE, **found}


def _rows(sketch: Sketch, text: str) -> DrawingRows:
    width = sketch.shape[1]
    return DrawingRows(text[start : start + width] for start in range(0, len(text), width))


def _rows_above(sketch: Sketch, text: str) -> DrawingRows:
    """Return the rows of a plane other than the map, without trailing spaces and trailing empty rows."""
    rows = [row.rstrip(" ") for row in _rows(sketch, text)]
    while rows and not rows[-1]:
        rows.pop()
    return DrawingRows(rows)


def _painted(sketch: Sketch) -> tuple[DrawingRows, dict[str, str]]:
    """Return the plane `paint`, and its legend `paints`: character -> colour."""
    colours = [each for each in dict.fromkeys(sketch.colours.values()) if each != MACHINE_COLOUR]
    if len(colours) > MAX_PAINTS:
        raise refusal(
            sketch,
            f"the prefab's machines have {len(colours)} colours, and a drawing in text can have {MAX_PAINTS} at most",
        )
    chars = dict(zip(colours, free_characters(HANDY), strict=False))
    cells = [" "] * len(sketch.map)
    for at, colour in sketch.colours.items():
        cells[at] = chars.get(colour, " ")
    paints = {char: "#" + bytes(colour).hex() for colour, char in chars.items()}
    return _rows_above(sketch, "".join(cells)), paints


def entry_of(sketch: Sketch, fields: Mapping[str, object]) -> str:
    """Return an entry as YAML, with its keys in the order of the model, and without empty keys that were not written."""
    said = {key: fields[key] for key in KEYS if key in fields and (fields[key] or key in sketch.fields)}
    return to_yaml({sketch.name: said})


def file_of(sketch: Sketch, fields: Mapping[str, object]) -> bytes:
    """Return the YAML file of an entry.

    Raises:
        ContentError: The file would be too large.
    """
    data = entry_of(sketch, fields).encode()
    if len(data) > MAX_BYTES:
        raise refusal(sketch, f"the prefab's file would be larger than {MAX_BYTES:,} bytes")
    return data
