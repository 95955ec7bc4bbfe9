"""REXPaint drawings (``.xp``): read strictly, drawn from text, and written.

A drawing is one gzip member. Unpacked it is little-endian and has no padding::

    int32 version    negative; absent before REXPaint R9
    int32 layers     1 to 9
    per layer        int32 width, int32 height, then width * height cells
    per cell         uint32 glyph, 3 bytes foreground, 3 bytes background

Cells stand column after column: cell ``i`` is at ``x = i // height, y = i % height``.

A file is unpacked in small pieces and never further than its own header calls for, so neither a header that
promises billions of cells nor a small file that unpacks to gigabytes costs anything. The largest file that can
be read takes about 55 MB while it is read: 24 MB of file, 10 MB of one unpacked layer, 20 MB of arrays.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import stat
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon.core.errors import A_FILE, ContentError, Problem, Source, check_type
from dungeon.core.frozen import by_fields, sealed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MAX_LAYERS = 9
"""The most layers that REXPaint can make."""

MAX_CELLS = 1_000_000
"""Maximum number of cells of one layer: 1000x1000."""

MAX_CELLS_IN_ALL = 2_000_000
"""Maximum number of cells of all layers together: two layers of 1000x1000, or nine of 555x400."""

MAX_FILE_BYTES = 24_000_000
"""Maximum size of the compressed file; `MAX_CELLS_IN_ALL` cells that do not compress at all take 20 MB."""

TRANSPARENT = (255, 0, 255)
"""Background colour of a transparent cell, through which the layer below shows."""

CELL = np.dtype([("glyph", "<u4"), ("fg", "u1", 3), ("bg", "u1", 3)])
GZIP = b"\x1f\x8b"
VERSION = -1
SMALLEST = 22  # bytes unpacked: one cell, without a version
PIECE = 65_536  # bytes unpacked at a time
SPACE = 32
NO_CHARACTER = 0xFFFD
"""The Unicode replacement character, for tiles that are no character."""

# Python's codec leaves 1-31 and 127 as control characters where the screen showed pictures.
_PICTURES = "☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"
_CP437 = "\0" + _PICTURES + bytes(range(32, 256)).decode("cp437").replace("\x7f", "⌂")
_POINTS = np.array([ord(character) for character in _CP437], np.uint32)

TILES: Mapping[str, int] = MappingProxyType({char: tile for tile, char in enumerate(_CP437) if tile})
"""Character -> tile, of code page 437."""

_KINDS = (
    (rb"\x89PNG", "a PNG image"),
    (rb"PK\x03\x04", "a zip archive"),
    (rb"\x1f\x8b", "a gzip file"),
    (rb"\xff\xff\xff\xff", "the inside of a drawing without its gzip compression"),
    (rb"[\t\n\f\r\x1b -~\x80-\xf4]+\Z", "plain text"),
)
"""(start of a file, what kind of file it is), to name files that are no drawings.

Text is UTF-8 or a DOS code page, possibly with ANSI escapes.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class XpLayer:
    """One layer of a drawing, as read-only copies of the given arrays.

    Attributes:
        glyph: Shape (height, width): the tile of each cell, an index into code page 437.
        fg: Shape (height, width, 3): red, green and blue of the foreground, 0 to 255.
        bg: Shape (height, width, 3): red, green and blue of the background, 0 to 255.

    Raises:
        ValueError: A type or shape differs from the above, or there are no cells.
    """

    glyph: NDArray[np.uint32]
    fg: NDArray[np.uint8]
    bg: NDArray[np.uint8]

    def __post_init__(self) -> None:
        shape = self.glyph.shape
        if self.glyph.ndim != 2 or 0 in shape:
            raise ValueError(
                f"glyph must have shape (height, width) with one cell or more, not shape {shape}"
            )
        for name, dtype, asked in (
            ("glyph", np.uint32, shape),
            ("fg", np.uint8, (*shape, 3)),
            ("bg", np.uint8, (*shape, 3)),
        ):
            given: NDArray[Any] = getattr(self, name)
            if given.dtype != dtype or given.shape != asked:
                raise ValueError(
                    f"{name} is an array of {given.dtype} {given.shape}, not of {dtype.__name__} {asked}"
                )
            object.__setattr__(self, name, sealed(given))

    __reduce__ = by_fields

    def __repr__(self) -> str:
        height, width = self.glyph.shape
        return f"<XpLayer of {width}x{height} cells>"

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[str],
        *,
        fg: tuple[int, int, int] = (255, 255, 255),
        bg: tuple[int, int, int] = (0, 0, 0),
        transparent_spaces: bool = False,
    ) -> XpLayer:
        """Draw a layer from lines of text, one character a cell.

        Args:
            rows: The lines, top first, all of the same width.
            fg: The foreground of every cell.
            bg: The background of every cell.
            transparent_spaces: Whether the layer below shows through wherever there is a space.

        Raises:
            ValueError: There is nothing to draw, a row is wider or narrower than the first, a character is not
                in code page 437, or a colour is not three numbers from 0 to 255.
        """
        tile_of = {"\0": 0, **TILES}
        for y, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ValueError(f"row {y} is {len(row)} wide, but row 0 is {len(rows[0])}")
            for x, character in enumerate(row):
                if character not in tile_of:
                    name = f"{character!r} (U+{ord(character):04X})"
                    raise ValueError(f"{name} at x={x}, y={y} is not in code page 437")
        glyph = np.array([[tile_of[character] for character in row] for row in rows], np.uint32)
        fgs, bgs = np.empty((2, *glyph.shape, 3), np.uint8)
        fgs[:], bgs[:] = list(bytes(fg)), list(bytes(bg))
        if transparent_spaces:
            bgs[glyph == SPACE] = TRANSPARENT
        return cls(glyph=glyph, fg=fgs, bg=bgs)

    def over(self, lower: XpLayer) -> XpLayer:
        """Return this layer laid over another one of the same size, which shows through its transparent cells."""
        hollow = self.transparent
        ink = hollow[..., None]
        return XpLayer(
            glyph=np.where(hollow, lower.glyph, self.glyph),
            fg=np.where(ink, lower.fg, self.fg),
            bg=np.where(ink, lower.bg, self.bg),
        )

    @property
    def height(self) -> int:
        """The number of rows of the layer."""
        return int(self.glyph.shape[0])

    @property
    def width(self) -> int:
        """The number of columns of the layer."""
        return int(self.glyph.shape[1])

    @property
    def transparent(self) -> NDArray[np.bool_]:
        """Shape (height, width), bool: True for transparent cells, where the layer below is seen."""
        mask: NDArray[np.bool_] = np.all(self.bg == np.array(TRANSPARENT, np.uint8), axis=2)
        return mask

    @property
    def codepoints(self) -> NDArray[np.int32]:
        """Shape (height, width): the Unicode code point of each cell, as `tcod.console.Console.ch` holds it.

        Tiles above 255, which a custom font may have, are taken as code points already. A tile that is no
        Unicode character (a surrogate, or above 0x10FFFF) becomes U+FFFD.
        """
        points = np.where(self.glyph < 256, _POINTS[self.glyph & 255], self.glyph)
        points[(points > 0x10FFFF) | ((points >= 0xD800) & (points <= 0xDFFF))] = NO_CHARACTER
        return points.astype(np.int32)

    def rows(self) -> list[str]:
        """Return the layer as text, top row first; transparent cells and tile 0 are spaces."""
        blank = self.transparent | (self.glyph == 0)
        points = np.where(blank, SPACE, self.codepoints).astype("<u4")
        return [row.tobytes().decode("utf-32-le") for row in points]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, XpLayer):
            return NotImplemented
        pairs = ((self.glyph, other.glyph), (self.fg, other.fg), (self.bg, other.bg))
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        return hash(self.glyph.tobytes())


def read_xp(path: str | os.PathLike[str]) -> list[XpLayer]:
    """Read the layers of the drawing in the file at `path`, lowest first.

    Raises:
        FileNotFoundError: There is no such file.
        ContentError: The file cannot be read, or is not a whole and undamaged drawing.

    Example:
        >>> dungeon.write_xp("closet.xp", [dungeon.XpLayer.from_rows(["###", "#.+", "###"])])
        >>> [layer] = dungeon.read_xp("closet.xp")
        >>> layer.glyph.shape
        (3, 3)
    """
    check_type(path, (str, os.PathLike), "read_xp", A_FILE)
    file = os.fspath(path)
    try:
        data = _bytes_of(Path(path))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        reason = getattr(error, "strerror", None) or error
        raise _content_error(file, f"the file cannot be read: {reason}") from error
    return parse_xp(data, file)


def parse_xp(data: bytes, file: str) -> list[XpLayer]:
    """Read the layers, lowest first, of the drawing whose file holds `data`.

    Args:
        data: The file's bytes, still compressed.
        file: What errors call the file.

    Raises:
        ContentError: `data` is not a whole and undamaged drawing, or is larger than the limits of this module.
    """
    try:
        return _layers_of(_Unpacked(data))
    except _BadDrawingError as error:
        raise _content_error(file, str(error)) from error


def encode_xp(layers: Sequence[XpLayer]) -> bytes:
    """Return the bytes of the .xp file with these layers, lowest first; equal layers give equal bytes with one version of zlib.

    Raises:
        ValueError: There are no layers or more than nine, they differ in size, or are too large to read back.
    """
    if not 1 <= len(layers) <= MAX_LAYERS:
        raise ValueError(f"a drawing has 1 to {MAX_LAYERS} layers, not {len(layers)}")
    width, height = layers[0].width, layers[0].height
    _check_size(width, height, len(layers))
    out = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as packed:
        packed.write(struct.pack("<ii", VERSION, len(layers)))
        for number, layer in enumerate(layers, 1):
            _check_alike(number, (layer.width, layer.height), (width, height))
            cells = np.empty((width, height), CELL)
            cells["glyph"] = layer.glyph.T
            cells["fg"], cells["bg"] = layer.fg.swapaxes(0, 1), layer.bg.swapaxes(0, 1)
            packed.write(struct.pack("<ii", width, height))
            packed.write(cells.tobytes())
    return out.getvalue()


def write_xp(path: str | os.PathLike[str], layers: Sequence[XpLayer]) -> None:
    """Write a drawing to an .xp file. A file of that name is replaced, but only when encoding has succeeded.

    Args:
        path: The .xp file.
        layers: One to nine layers, all of one size, lowest first.

    Raises:
        ValueError: As for `encode_xp`.
        OSError: The file cannot be written.

    Example:
        >>> dungeon.write_xp("gate.xp", [dungeon.XpLayer.from_rows(["#+#", "..."])])
    """
    check_type(path, (str, os.PathLike), "write_xp", A_FILE)
    check_type(layers, Sequence, "write_xp", "a list of layers beside the path")
    for layer in layers:
        check_type(layer, XpLayer, "write_xp", "a list of layers beside the path, each an XpLayer")
    Path(path).write_bytes(encode_xp(layers))


class _BadDrawingError(ValueError):
    """A drawing that is damaged or outside the limits; the message says how."""


class _Unpacked:
    """The unpacked bytes of a gzip file, handed out in exact amounts.

    Attributes:
        given: How many unpacked bytes have been handed out.
        total: How many unpacked bytes the file must have; the smallest possible number until the header has been read.
    """

    def __init__(self, data: bytes) -> None:
        if not data:
            raise _BadDrawingError("the file is empty")
        if len(data) > MAX_FILE_BYTES:
            raise _BadDrawingError(
                f"the file is larger than {MAX_FILE_BYTES:,} bytes, the most that a drawing may have"
            )
        if not data.startswith(GZIP):
            kind = _kind(data[:512]) or f"no gzip file (it starts with {data[:4].hex(' ')})"
            raise _BadDrawingError(f"the file is {kind}, not a REXPaint drawing")
        self.given = 0
        self.total = SMALLEST
        self._packed = memoryview(data)
        self._fed = 0
        self._stream = zlib.decompressobj(wbits=31)

    def take(self, count: int) -> bytearray:
        """Return the next `count` unpacked bytes.

        Memory grows with the bytes actually read, since the file may hold fewer than its header promises.
        """
        taken = bytearray()
        while len(taken) < count:
            piece = self._unpack(min(count - len(taken), PIECE))
            if not piece:
                where = (
                    "the file is too short"
                    if self._stream.eof
                    else f"the file is cut off at byte {len(self._packed)}"
                )
                have = self.given + len(taken)
                raise _BadDrawingError(f"{where}: it unpacks to {have} bytes and needs {self.total}")
            taken += piece
        self.given += count
        return taken

    def take_ints(self, count: int) -> tuple[int, ...]:
        """Return the next `count` unpacked integers of 32 bits."""
        return struct.unpack(f"<{count}i", self.take(4 * count))

    def finish(self) -> None:
        """Check that nothing follows the last layer, and that the file's checksum is there and correct."""
        if self._unpack(1):
            raise _BadDrawingError(
                f"the file goes on after its last layer, which ends at unpacked byte {self.given}"
            )
        if not self._stream.eof:
            raise _BadDrawingError(
                f"the file is cut off at byte {len(self._packed)}: its gzip checksum is incomplete"
            )
        end = self._fed - len(self._stream.unused_data)
        if rest := len(self._packed) - end:
            what = "a second gzip file" if self._packed[end : end + 2] == GZIP else "something else"
            raise _BadDrawingError(
                f"the drawing ends at byte {end} of the file, but {what} of {rest} bytes follows"
            )

    def _unpack(self, limit: int) -> bytes:
        """Return the next 1 to `limit` unpacked bytes; none at the end of the stream or of the file."""
        while not self._stream.eof:
            piece: bytes | memoryview = self._stream.unconsumed_tail
            if not piece:
                piece = self._packed[self._fed : self._fed + PIECE]
                self._fed += len(piece)
            try:
                out = self._stream.decompress(piece, limit)
            except zlib.error as error:
                reason = str(error).rpartition(": ")[2]
                if reason in {"incorrect data check", "incorrect length check"}:
                    reason = "its contents do not match the gzip checksum"
                raise _BadDrawingError(f"the file is damaged: {reason}") from error
            if out or not piece:
                return out
        return b""


def _layers_of(unpacked: _Unpacked) -> list[XpLayer]:
    """Read the header and all layers of an .xp file; raise a _BadDrawingError if bytes are missing, wrong or left over."""
    (first,) = unpacked.take_ints(1)
    count = first if first >= 0 else unpacked.take_ints(1)[0]
    if not 1 <= count <= MAX_LAYERS:
        kind = None if first == VERSION else _kind(struct.pack("<i", first))
        if kind:
            raise _BadDrawingError(f"the file is gzip-compressed, but holds {kind}, not a REXPaint drawing")
        raise _BadDrawingError(f"a drawing must have 1 to {MAX_LAYERS} layers, not {count}")

    layers: list[XpLayer] = []
    for number in range(1, count + 1):
        width, height = unpacked.take_ints(2)
        if layers:
            _check_alike(number, (width, height), (layers[0].width, layers[0].height))
        else:
            _check_size(width, height, count)
            unpacked.total = unpacked.given - 8 + count * (8 + width * height * CELL.itemsize)
        layers.append(_layer_of(unpacked.take(width * height * CELL.itemsize), width, height))
    unpacked.finish()
    return layers


def _layer_of(cells: bytearray, width: int, height: int) -> XpLayer:
    columns = np.frombuffer(cells, CELL).reshape(width, height)
    glyph = columns["glyph"].astype(np.uint32, copy=False)  # a copy only on big-endian machines
    return XpLayer(glyph=glyph.T, fg=columns["fg"].swapaxes(0, 1), bg=columns["bg"].swapaxes(0, 1))


def _check_size(width: int, height: int, layers: int) -> None:
    """Raise a _BadDrawingError if `layers` layers of this width and height are empty or too large."""
    size = f"{layers} of {width}x{height}"
    if width < 1 or height < 1:
        raise _BadDrawingError(f"a drawing must have layers at least one cell wide and high, not {size}")
    if width * height > MAX_CELLS:
        raise _BadDrawingError(f"a drawing must have layers of at most {MAX_CELLS:,} cells, not {size}")
    if layers * width * height > MAX_CELLS_IN_ALL:
        raise _BadDrawingError(
            f"a drawing must have at most {MAX_CELLS_IN_ALL:,} cells in its layers, not {size}"
        )


def _check_alike(number: int, size: tuple[int, int], first: tuple[int, int]) -> None:
    if size != first:
        sizes = f"{size[0]}x{size[1]} and layer 1 {first[0]}x{first[1]}"
        raise _BadDrawingError(f"a drawing must have layers of one size, but layer {number} is {sizes}")


def _kind(start: bytes) -> str | None:
    """Return what kind of file begins with these bytes, in words such as "a PNG image"; None if it is not known."""
    return next((kind for pattern, kind in _KINDS if re.match(pattern, start)), None)


def _bytes_of(path: Path) -> bytes:
    """Return the bytes of a file, at most `MAX_FILE_BYTES` + 1; raise an OSError for a pipe or device."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # opening a pipe would wait for its writer
        raise OSError(errno.EINVAL, "it is a pipe or device, not a file")
    with path.open("rb") as stream:
        return stream.read(MAX_FILE_BYTES + 1)


def _content_error(file: str, message: str) -> ContentError:
    return ContentError([Problem(source=Source(file=file), message=message)])
