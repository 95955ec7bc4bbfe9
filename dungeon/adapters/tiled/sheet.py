"""A picture of tiles, each of them a glyph, for Tiled to draw with."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dungeon.adapters.tiled.tmj import Tile, Tileset
from dungeon.adapters.tileset import CELL, square_tileset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.terrain import Colour

SCALE = 2
SIDE = CELL * SCALE
"""How many pixels a tile is wide and high."""

COLUMNS = 16


@dataclass
class Sheet:
    """Tiles, numbered from 1 in the order in which they are first asked for; a map's only tileset."""

    numbers: dict[tuple[str, Colour, Colour | None, str], int] = field(default_factory=dict)

    def tile(self, glyph: str, fg: Colour, bg: Colour | None = None, type_: str = "") -> int:
        """Return the number of a tile.

        Args:
            glyph: The character that it shows.
            fg: In this colour.
            bg: On this one; None lets what is below show.
            type_: What its class is.
        """
        return self.numbers.setdefault((glyph, fg, bg, type_), len(self.numbers) + 1)

    def tileset(self, image: str) -> Tileset:
        """Return the tileset, whose picture lies in that file."""
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
