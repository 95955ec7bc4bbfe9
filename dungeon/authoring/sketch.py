"""A prefab as its author made it, taken apart so that it can be written down again in another form."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from string import ascii_letters, digits, punctuation
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.drawing.meaning import (
    with_connectors,
)
from dungeon.content.drawing.planes import (
    BLANK,
    DONT_CARE,
    MAX_PAINTS,
    PLANE_NAMES,
    drawn_planes,
)
from dungeon.content.drawing.read_drawing import MACHINE_COLOUR, read_ground
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.reader import MAX_BYTES
from dungeon.content.source.yaml_writer import DrawingRows, to_yaml
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

LEFT_OUT = (*PLANE_NAMES, "paints", "aliases", "like")
"""Keys of an entry that say what is drawn, rather than what that means; or what it has from another, all of which is written out."""

KEYS = tuple(field.alias or name for name, field in PrefabEntry.model_fields.items())
"""What an entry may say, in the order in which it is written."""

HANDY = "~^=:;,_%&*!$@|/-"
"""Characters that look like something to stand in, or to walk on."""


def free_characters(taken: Collection[str]) -> Iterator[str]:
    """Yield characters other than those that are taken, the handiest first, always in the same order."""
    others = (char for char in map(chr, range(0x80, 0x110000)) if char.isalpha() and char.isprintable())
    for char in chain(HANDY, ascii_letters, digits, punctuation, others):
        if char not in taken:
            yield char


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A prefab taken apart.

    Attributes:
        name: Its name.
        label: What problems call it.
        source: Where its entry stands.
        fields: What its entry says, without the drawing, as written and in the order of the model.
        aliases: The aliases of its entry, as written.
        shape: (height, width).
        map: The characters of the map that are meant, row by row; `BLANK` where it leaves the map as it is. Those
            of an .xp drawing that mean something by their colour only are replaced by characters that mean that.
        links: Likewise, the other planes, with `BLANK` wherever there is nothing.
        colours: Cell (row by row) -> the colour of the machine there.
        glyphs: Characters that stand for terrain in `map` and must be added to the palette of a text.
        meaning: What the characters mean.
        loose: The characters that may change, or whose meaning may.
        taken: All characters that are drawn, or mean anything, or may be left by a step.
        layers: Its .xp drawing as drawn; empty if it is drawn as text.
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
    references: str
    colours: Mapping[int, Colour]
    glyphs: Mapping[str, str]
    meaning: CharacterMeanings
    loose: frozenset[str]
    taken: frozenset[str]
    layers: Sequence[XpLayer] = ()

    @property
    def own(self) -> frozenset[str]:
        """The characters that the legend explains, or that may change: colours say nothing about those."""
        return self.loose.union(self.meaning.legend)


def take_apart(
    record: Record,
    entry: PrefabEntry,
    drawn: XpDrawing | None,
    context: BuildContext,
    kinds: t.TerrainSet,
    log: ProblemLog,
) -> Sketch:
    """Take a prefab apart, which must be right.

    Args:
        record: Its entry as written.
        entry: Its entry.
        drawn: Its .xp file, if there is one.
        context: What to read the drawing with.
        kinds: All kinds of terrain.
        log: Takes what is wrong, though nothing is.
    """
    meaning, variation = context.meaning(record, entry), context.variation(record, entry)
    # What is a connector on the map is wall, and a link, from here on.
    planes, _ = with_connectors(drawn_planes(record, drawn, (), log), meaning, variation)
    terrain, loose = read_ground(planes, meaning, variation)
    nothing = BLANK * len(planes[0].text)
    upper = [plane.text.replace(" ", BLANK) for plane in planes[1:4]]
    upper += [nothing] * (3 - len(upper))
    ground = _Ground(meaning, kinds, loose, _said(meaning, variation) | set(upper[1]) | set(upper[2]))
    text = ground.characters(planes[0].text, terrain.ravel().tolist())
    raw = record.fields
    return Sketch(
        name=record.name,
        label=record.label,
        source=record.source(key=True),
        fields={key: plain(raw[key]) for key in KEYS if key in raw and key not in LEFT_OUT},
        aliases=raw.get("aliases", {}),
        shape=planes[0].shape,
        map=text,
        links=upper[0],
        machines=upper[1],
        references=upper[2],
        colours=_machine_colours(planes, meaning),
        glyphs=ground.added,
        meaning=meaning,
        loose=loose,
        taken=frozenset({*ground.taken, *text}),
        layers=drawn.layers if drawn else (),
    )


def plain(raw: object) -> object:
    """Return data as written, without the marks of where it stood."""
    if isinstance(raw, dict):
        return {key: plain(value) for key, value in raw.items()}
    return [plain(value) for value in raw] if isinstance(raw, list) else raw


def _said(meaning: CharacterMeanings, variation: Variation) -> set[str]:
    """Return the characters that legends, palettes and steps speak of, and those that are never free."""
    said = {BLANK, DONT_CARE, " ", *meaning.legend, *meaning.glyphs}
    for step in variation.steps:
        said |= {*step.sources, *(char for char, _ in step.results())}
    return said


def _machine_colours(planes: Sequence[DrawingPlane], meaning: CharacterMeanings) -> dict[int, Colour]:
    """Return cell -> colour, for the cells of machines."""
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
class _Ground:
    """Gives every cell of a map a character that means there in a text what the cell means.

    Attributes:
        kinds: All kinds of terrain.
        taken: The characters that can't be given a meaning.
        added: The characters that have been given one.
    """

    meaning: CharacterMeanings
    kinds: t.TerrainSet
    loose: frozenset[str]
    taken: set[str]
    added: dict[str, str] = field(default_factory=dict)

    def characters(self, drawn: str, codes: Sequence[int]) -> str:
        """Return the characters of a map's cells.

        Args:
            drawn: The characters as drawn.
            codes: The terrain of each cell, which its colour may have decided.
        """
        # First those that stay, so that no new one is among them.
        pairs = dict.fromkeys(zip(drawn, codes, strict=True))
        kept = {pair: char for pair in pairs if (char := self.kept(*pair)) is not None}
        self.taken.update(kept.values())
        chars = {pair: kept[pair] if pair in kept else self.standing_for(pair[1]) for pair in pairs}
        return "".join(chars[pair] for pair in zip(drawn, codes, strict=True))

    def kept(self, char: str, code: int) -> str | None:
        """Return the character if it means the same in a text; None if only its colour says what it is."""
        if char in self.loose or char in self.meaning.legend:
            return char
        if code == t.KEEP:
            return BLANK
        name = self.meaning.glyphs.get(char)
        return char if name is not None and self.meaning.code(name) == code else None

    def standing_for(self, code: int) -> str:
        """Return a character that means this terrain, after giving one that meaning if there is none."""
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
    """Return the error that a prefab can't be written in a form."""
    return ContentError([Problem(source=sketch.source, entry=sketch.label, message=message)])


def as_text(sketch: Sketch) -> bytes:
    """Return the YAML file of a prefab drawn as text.

    Raises:
        ContentError: It has more colours, or is larger, than a file may be.
    """
    return file_of(sketch, fields_of(sketch))


def fields_of(sketch: Sketch) -> dict[str, object]:
    """Return what the entry of a prefab drawn as text says, its planes as `DrawingRows`.

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


def _rows(sketch: Sketch, text: str) -> DrawingRows:
    width = sketch.shape[1]
    return DrawingRows(text[start : start + width] for start in range(0, len(text), width))


def _rows_above(sketch: Sketch, text: str) -> DrawingRows:
    """Return the rows of a plane above the map, without what is empty on the right and below."""
    rows = [row.rstrip(" ") for row in _rows(sketch, text)]
    while rows and not rows[-1]:
        rows.pop()
    return DrawingRows(rows)


def _painted(sketch: Sketch) -> tuple[DrawingRows, dict[str, str]]:
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
