"""Export prefabs as text, as REXPaint drawings, or as Tiled maps; and read such Tiled maps back. A sketch is a prefab in parts; an ink is a pair of colours."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from string import ascii_letters, digits, punctuation
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from dungeon.adapters.tmj import (
    SIDE,
    Sheet,
    TiledMap,
    png,
    properties_of,
    read_map,
    tile_layer,
    types_in,
    values_of,
    write_map,
)
from dungeon.authoring.sketch import KEYS, as_text, entry_of, fields_of, file_of, plain, refusal, take_apart
from dungeon.content.drawing.layer_roles import TERRAIN
from dungeon.content.drawing.planes import (
    BLANK,
    PLANE_NAMES,
    XP_LAYERS,
)
from dungeon.content.drawing.rexpaint import SPACE, TILES, TRANSPARENT, XpLayer, encode_xp
from dungeon.content.loading.load import load_draft
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.names import NAME
from dungeon.content.source.reader import read_yaml
from dungeon.content.source.yaml_writer import DrawingRows, to_yaml
from dungeon.core.errors import ContentError, Problem

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.authoring.sketch import Sketch
    from dungeon.content.library import Content
    from dungeon.terrain import Colour, TerrainKind


Ink = tuple["Colour", "Colour"]
"""Foreground and background colour."""

BLACK: Colour = (0, 0, 0)
LINK_COLOUR: Colour = (255, 220, 80)
PLAIN_COLOUR: Colour = (200, 200, 200)
"""The colour of characters without a fixed meaning."""


def draw_layers(sketch: Sketch, content: Content) -> tuple[list[XpLayer], Mapping[str, object]]:
    """Return the REXPaint layers of a prefab, and its aliases (character in REXPaint -> character that it stands for).

    There are four layers, or more if the prefab has several layers of references.

    The layers of an .xp drawing are kept. If nothing says what they hold, missing layers are added, and empty cells of upper
    layers become transparent.

    Raises:
        ContentError: A character is not in code page 437, and no other one is free as its alias.
    """
    height, width = sketch.shape
    if sketch.layers and sketch.meaning.roles is not None:
        return list(sketch.layers), sketch.aliases
    if sketch.layers:
        upper = [_cleared(layer) for layer in sketch.layers[1:]]
        empty = XpLayer.from_rows([" " * width] * height, bg=TRANSPARENT, fg=BLACK)
        return [sketch.layers[0], *upper, *[empty] * (XP_LAYERS - 1 - len(upper))], sketch.aliases
    tiles, aliases = _painted_tiles(sketch)
    look = _Look(sketch, content)
    machines = {at: (colour, BLACK) for at, colour in sketch.colours.items()}
    inks: Sequence[Callable[[int, str], Ink]] = (
        lambda _, char: look.of_cell(char),
        lambda *_: (LINK_COLOUR, BLACK),
        lambda at, _: machines[at],
        *[lambda _, char: (look.of_object(char), BLACK)] * len(sketch.references),
    )
    texts = (sketch.map, sketch.links, sketch.machines, *sketch.references)
    layers = [_layer(text, sketch.shape, tiles, ink) for text, ink in zip(texts, inks, strict=True)]
    return layers, aliases


def _cleared(layer: XpLayer) -> XpLayer:
    """Return a layer above the lowest one with its empty cells made transparent, and without characters in transparent cells."""
    empty = layer.transparent | (layer.glyph == SPACE) | (layer.glyph == 0)
    glyph, fg, bg = layer.glyph.copy(), layer.fg.copy(), layer.bg.copy()
    glyph[empty], fg[empty], bg[empty] = SPACE, BLACK, TRANSPARENT
    return replace(layer, glyph=glyph, fg=fg, bg=bg)


def _layer(
    text: str, shape: tuple[int, int], tiles: Mapping[str, int], ink: Callable[[int, str], Ink]
) -> XpLayer:
    """Return a layer with the characters of `text`; `ink` gives the colours of each cell. `BLANK` cells are transparent."""
    size = len(text)
    glyph = np.full(size, SPACE, np.uint32)
    fg, bg = np.zeros((2, size, 3), np.uint8)
    bg[:] = TRANSPARENT
    for at, char in enumerate(text):
        if char != BLANK:
            glyph[at] = tiles[char]
            fg[at], bg[at] = ink(at, char)
    return XpLayer(glyph=glyph.reshape(shape), fg=fg.reshape(*shape, 3), bg=bg.reshape(*shape, 3))


# -- characters ---------------------------------------------------------------------------------


def _painted_tiles(sketch: Sketch) -> tuple[dict[str, int], dict[str, object]]:
    """Choose the REXPaint tile for each drawn character. A character that REXPaint can't show gets an alias: a free character.

    If no alias is free, a character above 255 is its own tile; this library's reader understands that.

    Returns:
        Character -> tile; and alias -> the character that it stands for.
    """
    drawn = list(dict.fromkeys(sketch.map + sketch.links + sketch.machines + "".join(sketch.references)))
    free = [char for char in TILES if char.isprintable() and char not in drawn and char != " "]
    # Prefer aliases without another meaning in the prefab, which would confuse its readers.
    free.sort(key=lambda char: char in sketch.taken or char.isascii())
    tiles = {char: TILES[char] for char in drawn if char in TILES}
    aliases: dict[str, object] = {}
    for char in drawn:
        if char in TILES or char == BLANK:
            continue
        if free:
            alias = free.pop(0)
            aliases[alias] = char
            tiles[char] = TILES[alias]
        elif ord(char) > 255:
            tiles[char] = ord(char)
        else:
            raise _cannot_draw(sketch, char)
    return tiles, aliases


def _cannot_draw(sketch: Sketch, char: str) -> ContentError:
    """Return the error for a character that REXPaint can't show, when no unused tile is left to stand for it."""
    texts = (sketch.map, sketch.machines, *sketch.references)
    at = next(text.index(char) for text in texts if char in text)
    y, x = divmod(at, sketch.shape[1])
    message = f"an .xp drawing has no tile for this character, in row {y + 1} and column {x + 1}, and no tile is free"
    return ContentError(
        [Problem(source=sketch.source, entry=sketch.label, message=message, value=repr(char))]
    )


# -- colours ------------------------------------------------------------------------------------


@dataclass
class _Look:
    """The colours in which a prefab is drawn in REXPaint.

    Attributes:
        sketch: The prefab.
        content: The content, with its terrain and objects.
    """

    sketch: Sketch
    content: Content

    def __post_init__(self) -> None:
        meaning = self.sketch.meaning
        self.cells: dict[str, Ink] = {}
        self.listed = {_colour(text): meaning.code(name) for text, name in meaning.colours.items()}
        self.colours = {code: colour for colour, code in reversed(self.listed.items())}

    def of_cell(self, char: str) -> Ink:
        """Return (foreground, background) of a map cell with this character. The results are cached."""
        if char not in self.cells:
            self.cells[char] = self._of_cell(char)
        return self.cells[char]

    def _of_cell(self, char: str) -> Ink:
        """Return what `of_cell` returns, without its cache."""
        meaning = self.sketch.meaning
        own = char in self.sketch.own
        code = self._code(char)
        if code is None:
            return PLAIN_COLOUR, BLACK
        kind = self.content.terrain_set.kinds[code]
        seen = self.colours.get(code, kind.bg if char == " " else kind.fg)
        if own and char in meaning.legend:
            seen = self._object_colour(char) or seen
        if not own:
            # For characters that are not the prefab's own, a listed colour would override the character's meaning.
            seen = self._that_says(seen, code)
        return _inks(char, seen, kind)

    def _code(self, char: str) -> int | None:
        """Return the terrain code of a character of the map (the first possible one); None if it has no meaning."""
        meaning = self.sketch.meaning
        if char in meaning.legend:
            terrain = next(meaning.legend[char].leaves())[0].terrain
            return meaning.code(next(iter(terrain.outcomes())) if terrain else None)
        return meaning.code(meaning.glyphs[char]) if char in meaning.glyphs else None

    def of_object(self, char: str) -> Colour:
        """Return the colour of a character that asks for an object: that of the first object it may be, else grey."""
        return self._object_colour(char) or PLAIN_COLOUR

    def _object_colour(self, char: str) -> Colour | None:
        """Return the colour of the first object that a character may stand for; None if it stands for no object."""
        symbol = self.sketch.meaning.legend.get(char)
        for leaf, _ in symbol.leaves() if symbol else ():
            if leaf.kind is not None and leaf.selector is not None:
                for thing in self.content.catalog.members(leaf.kind, leaf.selector):
                    return thing.fg
        return None

    def _that_says(self, colour: Colour, code: int) -> Colour:
        """Return `colour`; if a palette lists it for terrain other than `code`, return the next colour that no palette lists so.

        So the colour of a cell never changes the meaning of its character.
        """
        packed = int.from_bytes(bytes(colour))
        while self.listed.get(colour, code) != code or colour == TRANSPARENT:
            packed = (packed + 1) % 0x1000000
            red, green, blue = packed.to_bytes(3)
            colour = red, green, blue
        return colour


def _inks(char: str, seen: Colour, kind: TerrainKind) -> Ink:
    """Return (foreground, background) of a cell so that the player sees the colour `seen`: as background if `char` is a space.

    `kind` gives the other colour.
    """
    if char == " ":
        return kind.fg, BLACK if seen == TRANSPARENT else seen
    return seen, BLACK if kind.bg == TRANSPARENT else kind.bg


def _colour(text: str) -> Colour:
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue


COLOURS: dict[str, Colour] = {
    "map": (200, 200, 200),
    "links": (90, 200, 220),
    "machines": (230, 150, 70),
    "references": (250, 220, 90),
    "paint": (220, 110, 200),
}
"""Plane -> the colour of its characters in Tiled, so that planes can be told apart."""

TYPED = ascii_letters + digits + punctuation
"""Characters that always get tiles, so that the author can draw with them in Tiled."""


def as_tiled(sketch: Sketch) -> dict[str, bytes]:
    """Return a prefab as a map of Tiled, with the picture of its tiles.

    Returns:
        File name -> bytes: ``NAME.tmj`` and ``NAME.png``.

    Raises:
        ContentError: It has more colours than a text can have.
    """
    fields = fields_of(sketch)
    planes: dict[str, object] = {}
    for name in PLANE_NAMES:
        drawn = fields.pop(name)
        for number, rows in enumerate(drawn if isinstance(drawn, list) else [drawn], 1):
            planes[name if number == 1 else f"{name} {number}"] = rows
    height, width = sketch.shape
    sheet = Sheet()
    layers = []
    for number, (name, rows) in enumerate(planes.items(), start=1):
        assert isinstance(rows, DrawingRows)
        layers.append(tile_layer(number, name, _tiles(rows, sketch.shape, name, sheet), visible=any(rows)))
    tiled = TiledMap(
        width=width, height=height, tilewidth=SIDE, tileheight=SIDE, layers=tuple(layers), nextlayerid=len(layers) + 1,
        nextobjectid=1, tilesets=(sheet.tileset(f"{sketch.name}.png"),),
        properties=properties_of({"entry": entry_of(sketch, fields)}),
    )  # fmt: skip
    return {f"{sketch.name}.tmj": write_map(tiled), f"{sketch.name}.png": png(sheet.picture())}


def _tiles(rows: DrawingRows, shape: tuple[int, int], name: str, sheet: Sheet) -> NDArray[np.uint32]:
    """Return the (height, width) tile numbers of a plane, 0 for a space. The tiles are added to `sheet`.

    Args:
        rows: The rows of the plane.
        shape: (height, width) of the drawing.
        name: The name of the plane.
        sheet: The tiles used so far.
    """
    ground = (0, 0, 0) if name == "map" else None
    gids = np.zeros(shape, np.uint32)
    colour = COLOURS[name.split(maxsplit=1)[0]]
    for y, row in enumerate(rows):
        for x, char in enumerate(row):
            if char != " ":
                gids[y, x] = sheet.tile(char, colour, ground, char)
    for char in TYPED:
        sheet.tile(char, colour, ground, char)
    return gids


def prefab_from_tiled(text: str | bytes) -> dict[str, bytes]:
    """Convert a Tiled map to a prefab's text: see `dungeon.authoring.reading.prefab_from_tiled`."""
    tiled = read_map(text)
    parsed = read_yaml(str(values_of(tiled.properties).get("entry", "")).encode(), "the property 'entry'")
    if parsed.problems:
        raise ContentError(parsed.problems)
    entries = plain(parsed.root)
    if not isinstance(entries, dict) or len(entries) != 1:
        raise ValueError("the map's property 'entry' must be the entry of a prefab, in YAML")
    ((name, fields),) = entries.items()
    if not NAME.fullmatch(name) or not isinstance(fields, dict):
        raise ValueError(
            f"the map's property 'entry' must be a name with keys and values, not {name!r}: {fields!r}"
        )
    for plane in PLANE_NAMES:
        drawn = [layer.name for layer in tiled.layers if re.fullmatch(rf"{plane}( \d+)?", layer.name)]
        rows = [_rows(types_in(tiled, each), full=plane == "map") for each in dict.fromkeys(drawn)]
        if rows:
            fields[plane] = rows if rows[1:] and plane == "references" else rows[0]
    ordered = {key: fields[key] for key in (*KEYS, *fields) if fields.get(key, ()) != ()}
    return {f"prefabs/{name}.yaml": to_yaml({name: ordered}).encode()}


def _rows(chars: list[list[str]], *, full: bool) -> DrawingRows:
    """Return the rows of text of a plane. If not `full`, trailing spaces and trailing empty rows are left out."""
    rows = ["".join(char or " " for char in row) for row in chars]
    if not full:
        rows = [row.rstrip(" ") for row in rows]
        while rows and not rows[-1]:
            rows.pop()
    return DrawingRows(rows)


Form = Literal["text", "xp", "tmj"]


def export_prefab(
    folder: str | os.PathLike[str], name: str, to: Form, *, mods: Iterable[str | os.PathLike[str]] = ()
) -> dict[str, bytes]:
    """Convert a prefab: see `dungeon.authoring.reading.export_prefab`."""
    if to not in get_args(Form):
        raise ValueError(f"a prefab is exported to text, xp or tmj, not to {to!r}")
    return Exporter(folder, *mods).export(name, to)


class Exporter:
    """A converter for many prefabs of one content, which reads the folders once.

    Raises:
        ContentError: The content has errors.
    """

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self.content, self.draft = load_draft(*folders)

    def export(self, name: str, to: Form) -> dict[str, bytes]:
        """Return file name -> bytes, like `export_prefab`."""
        sketch = self.sketch(name)
        if to == "text":
            return {f"prefabs/{name}.yaml": as_text(sketch)}
        if to == "tmj":
            return as_tiled(sketch)
        drawing, entry = as_xp(sketch, self.content)
        return {f"prefabs/{name}.xp": drawing, f"prefabs/{name}.yaml": entry}

    def sketch(self, name: str) -> Sketch:
        """Return the sketch of a prefab. KeyError if there is no such prefab."""
        content, draft = self.content, self.draft
        if not content.has_prefab(name) or draft.context is None:
            raise content.no_prefab(name)
        if name in content.variants:
            raise KeyError(
                f"{name!r} is a variant, and is exported with its prefab {content.variants[name].base!r}"
            )
        records, entries = draft.records["prefab"], draft.all_of("prefab", PrefabEntry)
        entry = entries.get(name, PrefabEntry())
        variants = [(records[each], entries[each]) for each in content.variants_of(name)]
        record, packed = draft.records["prefab"][name], draft.drawings.get(name)
        drawn = packed.layers(draft.log) if packed else None
        return take_apart(record, entry, drawn, draft.context, content.terrain_set, draft.log, variants)


def as_xp(sketch: Sketch, content: Content) -> tuple[bytes, bytes]:
    """Return a prefab as (.xp file, YAML file with the other keys), both as bytes.

    Raises:
        ContentError: It has more cells than an .xp file can have, or a character for which no tile is free.
    """
    layers, aliases = draw_layers(sketch, content)
    try:
        drawing = encode_xp(layers)
    except ValueError as error:
        raise refusal(sketch, f"no .xp drawing can hold this prefab: it {error}") from error
    roles = sketch.roles
    if not sketch.layers and (sketch.references[1:] or sketch.meaning.roles is not None):
        roles = [TERRAIN, "links", "machines", *["references"] * len(sketch.references)]
    return drawing, file_of(sketch, {**sketch.fields, "aliases": aliases, "layers": [*roles]})
