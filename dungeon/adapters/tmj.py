"""The JSON map format (.tmj) of the editor Tiled 1.10, as far as it is used here, and a sheet: the picture with one tile for each glyph that a map uses.

The format: https://doc.mapeditor.org/en/stable/reference/json-map-format/. The glyphs of a level are tiles of one picture.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Mapping  # noqa: TC003  # as pydantic reads annotations
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray  # noqa: TC002
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from dungeon.adapters.tileset import CELL, square_tileset

if TYPE_CHECKING:
    from dungeon.terrain import Colour


MOST = 2000
"""Maximum width and height of a map, in cells."""

TURNED = np.uint32(0x0FFF_FFFF)
"""Mask that removes the bits for rotation and flipping from a tile's number."""

Type = Annotated[str, Field(validation_alias=AliasChoices("type", "class"))]
"""The field that Tiled's user interface calls class. Tiled 1.9 wrote it as ``class``."""


class TmjPart(BaseModel):
    """Base of all parts of a Tiled map. Unknown JSON keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Property(TmjPart):
    """A custom property of a map or an object."""

    name: str
    type: str = "string"
    value: bool | int | float | str


class TmjObject(TmjPart):
    """An object of a layer. Its place and size are in pixels."""

    id: int
    name: str = ""
    type: Type = ""
    x: float
    y: float
    width: float = 0
    height: float = 0
    rotation: float = 0
    visible: bool = True
    gid: int | None = None
    properties: tuple[Property, ...] = ()


class Layer(TmjPart):
    """A layer of a Tiled map: of tiles if it has `data`, of objects if it has `objects`."""

    id: int
    name: str
    type: str
    x: int = 0
    y: int = 0
    opacity: float = 1
    visible: bool = True
    width: int | None = None
    height: int | None = None
    data: tuple[int, ...] | str | None = None
    encoding: Literal["csv", "base64"] | None = None
    compression: str | None = None
    draworder: str | None = None
    objects: tuple[TmjObject, ...] | None = None


class Tile(TmjPart):
    """A tile that has a class: its number in the tileset, and the class."""

    id: int
    type: Type = ""


class Tileset(TmjPart):
    """The tiles of one picture. On the map the first tile has the number `firstgid`, the second `firstgid` + 1, and so on.

    Tilesets in files of their own (`source`) are not read.
    """

    firstgid: int
    name: str = ""
    source: str | None = None
    image: str | None = None
    imagewidth: int | None = None
    imageheight: int | None = None
    columns: int | None = None
    tilecount: int | None = None
    tilewidth: int | None = None
    tileheight: int | None = None
    margin: int = 0
    spacing: int = 0
    objectalignment: str | None = None
    tiles: tuple[Tile, ...] = ()


class TiledMap(TmjPart):
    """A map in the format of Tiled."""

    type: Literal["map"] = "map"
    version: str | float = "1.10"
    tiledversion: str = "1.10.2"
    orientation: Literal["orthogonal"] = "orthogonal"
    renderorder: str = "right-down"
    infinite: Literal[False] = False
    width: Annotated[int, Field(ge=1, le=MOST)]
    height: Annotated[int, Field(ge=1, le=MOST)]
    tilewidth: Annotated[int, Field(ge=1)]
    tileheight: Annotated[int, Field(ge=1)]
    nextlayerid: int = 0
    nextobjectid: int = 0
    properties: tuple[Property, ...] = ()
    tilesets: tuple[Tileset, ...] = ()
    layers: tuple[Layer, ...] = ()


def write_map(tiled: TiledMap) -> bytes:
    """Return a map as the bytes of a .tmj file."""
    return (tiled.model_dump_json(exclude_none=True) + "\n").encode()


def read_map(text: str | bytes) -> TiledMap:
    """Return the map of a .tmj file.

    Raises:
        ValueError: The text is no such map, or of an unsupported kind, such as an infinite or isometric map.
    """
    try:
        return TiledMap.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"this is not a Tiled map that can be read: {place or 'the file'}: {first['msg']}"
        ) from None


def layer_of(tiled: TiledMap, name: str) -> Layer:
    """Return the layer with this name.

    Raises:
        ValueError: There is no such layer, or more than one.
    """
    found = [layer for layer in tiled.layers if layer.name == name]
    if len(found) > 1:
        raise ValueError(f"the map has {len(found)} layers called {name!r}")
    if not found:
        names = ", ".join(layer.name for layer in tiled.layers)
        raise ValueError(f"the map has no layer {name!r}, only {names}")
    return found[0]


def objects_in(tiled: TiledMap, name: str) -> tuple[TmjObject, ...]:
    """Return the objects of the layer with this name.

    Raises:
        ValueError: There is no such layer, or it has no objects but tiles.
    """
    objects = layer_of(tiled, name).objects
    if objects is None:
        raise ValueError(f"the layer {name!r} is not a layer of objects")
    return objects


def tile_layer(number: int, name: str, gids: NDArray[np.uint32], *, visible: bool = True) -> Layer:
    """Return a layer of tiles. `gids`: (height, width) numbers of the tiles, 0 for no tile."""
    height, width = gids.shape
    data = tuple(gids.ravel().tolist())
    return Layer(
        id=number, name=name, type="tilelayer", width=width, height=height, data=data, visible=visible
    )


def types_in(tiled: TiledMap, name: str) -> list[list[str]]:
    """Return the class of the tile in each cell of a layer, row by row; an empty text for a cell without a tile.

    Raises:
        ValueError: There is no such layer, it is not as large as the map, or a tile has no class.
    """
    types = {0: ""}
    for tileset in tiled.tilesets:
        if tileset.source is not None:
            raise ValueError(f"the tileset {tileset.source} is an external file: embed it in the map")
        types.update({tileset.firstgid + tile.id: tile.type for tile in tileset.tiles if tile.type})
    rows = _gids(tiled, layer_of(tiled, name)).tolist()
    for y, row in enumerate(rows):
        for x, gid in enumerate(row):
            if gid not in types:
                raise ValueError(f"the layer {name!r} has a tile without a class at y {y}, x {x}")
    return [[types[gid] for gid in row] for row in rows]


def _gids(tiled: TiledMap, layer: Layer) -> NDArray[np.uint32]:
    """Return the (height, width) tile numbers of a layer, without rotation bits. ValueError if it is no layer of tiles."""
    data, size = layer.data, tiled.width * tiled.height
    if isinstance(data, str):
        found = np.frombuffer(_unpacked(layer, data, size * 4), "<u4")
    elif data is not None and all(0 <= gid < 1 << 32 for gid in data):
        found = np.array(data, np.uint32)
    else:
        raise ValueError(f"the layer {layer.name!r} is not a layer of tiles")
    if found.size != size:
        raise ValueError(f"the layer {layer.name!r} has {found.size} cells, and the map has {size}")
    return (found & TURNED).reshape(tiled.height, tiled.width)


def _unpacked(layer: Layer, text: str, size: int) -> bytes:
    """Return the bytes of a base64 layer. Decompress at most `size` + 4 bytes, so that a zip bomb can't fill the memory."""
    try:
        packed = base64.b64decode(text.strip(), validate=True)
        if not layer.compression:
            return packed[: len(packed) // 4 * 4]
        if layer.compression in ("zlib", "gzip"):
            return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(packed, size + 4)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"the layer {layer.name!r} can't be unpacked: {error}") from None
    raise ValueError(
        f"the layer {layer.name!r} is compressed as {layer.compression}: set the map's tile layer format to CSV in Tiled"
    )


def properties_of(fields: Mapping[str, bool | float | str]) -> tuple[Property, ...]:
    """Return name -> value as properties, with their Tiled types."""
    kinds: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "string"}
    return tuple(Property(name=name, type=kinds[type(value)], value=value) for name, value in fields.items())


def values_of(properties: tuple[Property, ...]) -> dict[str, Any]:
    """Return properties as name -> value.

    Raises:
        ValueError: Two properties have the same name.
    """
    found = {each.name: each.value for each in properties}
    if len(found) < len(properties):
        raise ValueError("an object or the map has two properties of the same name")
    return found


SCALE = 2
SIDE = CELL * SCALE
"""Width and height of a tile, in pixels."""

COLUMNS = 16


@dataclass
class Sheet:
    """The tiles that a map uses: glyphs in colours. They become the map's only tileset, and the picture of that tileset.

    Attributes:
        numbers: (glyph, foreground, background, class) of each tile -> its number, from 1 in the order of first use.
    """

    numbers: dict[tuple[str, Colour, Colour | None, str], int] = field(default_factory=dict)

    def tile(self, glyph: str, fg: Colour, bg: Colour | None = None, type_: str = "") -> int:
        """Return the number of a tile; add the tile if it is new.

        Args:
            glyph: The character that it shows.
            fg: Colour of the character.
            bg: Background colour; None for transparent.
            type_: Its class.
        """
        return self.numbers.setdefault((glyph, fg, bg, type_), len(self.numbers) + 1)

    def tileset(self, image: str) -> Tileset:
        """Return the tiles as a tileset of Tiled. `image` is the file name of their picture."""
        height, width, _ = self.picture().shape
        tiles = tuple(Tile(id=number - 1, type=key[3]) for key, number in self.numbers.items() if key[3])
        return Tileset(
            firstgid=1, name="glyphs", image=image, imagewidth=width, imageheight=height, columns=COLUMNS,
            tilecount=height * width // SIDE**2, tilewidth=SIDE, tileheight=SIDE, objectalignment="topleft", tiles=tiles,
        )  # fmt: skip

    def picture(self) -> NDArray[np.uint8]:
        """Return the (height, width, 4) uint8 RGBA picture of all tiles, `COLUMNS` in a row."""
        font = square_tileset(SCALE)
        rows = -(-len(self.numbers) // COLUMNS)
        picture = np.zeros((rows, SIDE, COLUMNS, SIDE, 4), np.uint8)
        for (glyph, fg, bg, _), number in self.numbers.items():
            row, column = divmod(number - 1, COLUMNS)
            ink = font.get_tile(ord(glyph))[..., 3] > 0
            if bg is not None:
                picture[row, :, column] = (*bg, 255)
            picture[row, :, column][ink] = (*fg, 255)
        return picture.reshape(rows * SIDE, COLUMNS * SIDE, 4)


def png(picture: NDArray[np.uint8]) -> bytes:
    """Return a (height, width, 4) uint8 RGBA picture as a PNG file: https://www.w3.org/TR/png-3/."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = picture.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
