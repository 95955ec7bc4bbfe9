"""A prefab as a map of the editor Tiled, and such maps as text.

Every plane of a prefab drawn as text is a layer of tiles there, one for each character; what else its entry says is
YAML in the map's property `entry`.
"""

from __future__ import annotations

from string import ascii_letters, digits, punctuation
from typing import TYPE_CHECKING

import numpy as np

from dungeon.adapters.tiled.sheet import SIDE, Sheet, png
from dungeon.adapters.tiled.tmj import (
    TiledMap,
    properties_of,
    read_map,
    tile_layer,
    types_in,
    values_of,
    write_map,
)
from dungeon.authoring.export.as_text import KEYS, entry_of, fields_of
from dungeon.authoring.export.sketch import plain
from dungeon.content.drawing.planes import PLANE_NAMES
from dungeon.content.source.names import NAME
from dungeon.content.source.reader import read_yaml
from dungeon.content.source.yaml_writer import Rows, to_yaml
from dungeon.core.errors import ContentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.authoring.export.sketch import Sketch
    from dungeon.terrain import Colour

COLOURS: dict[str, Colour] = {
    "map": (200, 200, 200),
    "links": (90, 200, 220),
    "machines": (230, 150, 70),
    "references": (250, 220, 90),
    "paint": (220, 110, 200),
}
"""How the characters of a plane are shown, to tell whose they are."""

TYPED = ascii_letters + digits + punctuation
"""Characters that there are tiles of whether the prefab has them or not, for an author to draw with."""


def as_tiled(sketch: Sketch) -> dict[str, bytes]:
    """Return the map of a prefab, and the picture of its tiles.

    Raises:
        ContentError: It has more colours than a text may have.
    """
    fields = fields_of(sketch)
    planes = {name: fields.pop(name) for name in PLANE_NAMES}
    height, width = sketch.shape
    sheet = Sheet()
    layers = []
    for number, (name, rows) in enumerate(planes.items(), start=1):
        assert isinstance(rows, Rows)
        layers.append(tile_layer(number, name, _tiles(rows, sketch.shape, name, sheet), visible=any(rows)))
    tiled = TiledMap(
        width=width, height=height, tilewidth=SIDE, tileheight=SIDE, layers=tuple(layers), nextlayerid=len(layers) + 1,
        nextobjectid=1, tilesets=(sheet.tileset(f"{sketch.name}.png"),),
        properties=properties_of({"entry": entry_of(sketch, fields)}),
    )  # fmt: skip
    return {f"{sketch.name}.tmj": write_map(tiled), f"{sketch.name}.png": png(sheet.picture())}


def _tiles(rows: Rows, shape: tuple[int, int], name: str, sheet: Sheet) -> NDArray[np.uint32]:
    """Return the numbers of the tiles of a plane; where it has a space there is none."""
    ground = (0, 0, 0) if name == "map" else None
    gids = np.zeros(shape, np.uint32)
    for y, row in enumerate(rows):
        for x, char in enumerate(row):
            if char != " ":
                gids[y, x] = sheet.tile(char, COLOURS[name], ground, char)
    for char in TYPED:
        sheet.tile(char, COLOURS[name], ground, char)
    return gids


def prefab_from_tiled(text: str | bytes) -> dict[str, bytes]:
    """Return the text of a prefab that is a map of Tiled: see `dungeon.authoring.reading.prefab_from_tiled`."""
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
        if any(layer.name == plane for layer in tiled.layers):
            fields[plane] = _rows(types_in(tiled, plane), full=plane == "map")
    ordered = {key: fields[key] for key in (*KEYS, *fields) if fields.get(key, ()) != ()}
    return {f"prefabs/{name}.yaml": to_yaml({name: ordered}).encode()}


def _rows(chars: list[list[str]], *, full: bool) -> Rows:
    """Return the rows of a plane; but for the map, without what is empty on the right and below."""
    rows = ["".join(char or " " for char in row) for row in chars]
    if not full:
        rows = [row.rstrip(" ") for row in rows]
        while rows and not rows[-1]:
            rows.pop()
    return Rows(rows)
