"""What a cell is made of: built-in terrain that algorithms know, and the authors' own kinds.

A map is an array of uint8 codes. Codes below `BUILT_IN` mean the same in every game; a kind that an author adds
(grass, water, blast door...) gets a code above and is *based on* a built-in one, which tells algorithms what to do with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dungeon.core.frozen import Frozen, by_fields, itself, sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

Byte = TypeVar("Byte", np.uint8, np.bool_)

EARTH = 0
WALL = 1
BLOCKED = 2
FLOOR = 3
CORRIDOR = 4
CAVE = 5
DOORWAY = 6
DOOR = 7
SECRET_DOOR = 8
LOCKED_DOOR = 9
STAIRS_UP = 10
STAIRS_DOWN = 11
EXIT = 12
FLOOR_0 = 13
"""The first of ten floors that a theme gives a look to: `FLOOR_0 + digit`, drawn as a digit in a prefab."""
BUILT_IN = 23

CORRIDOR_KINDS = ("junction", "hall")
"""Names for the floors of those regions, which are corridor like any other unless content tells them apart."""

KEEP = 255
"""In a drawing: leave whatever the map has here."""

MAX_KINDS = 250

DIGGABLE = (EARTH, WALL)
"""What ways are dug through. A kind of terrain like one of these that declares `diggable: false` is based on `BLOCKED`."""

DOORS = (DOORWAY, DOOR, SECRET_DOOR, LOCKED_DOOR)
GAPS = (FLOOR, *DOORS)
"""What may fill a gap in a wall between two regions: a door of some kind, or nothing but floor."""
STAIRS = (STAIRS_UP, STAIRS_DOWN, EXIT)

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainKind:
    """One kind of terrain.

    Attributes:
        name: The author's name for it.
        base: The built-in code that algorithms take it for.
        walkable: Whether a walker can enter (a closed door is walkable: it opens).
        transparent: Whether sight passes.
        diggable: Whether corridors may be dug through it.
        glyph: The character that shows it.
        fg: Colour of the glyph, RGB of 0..255.
        bg: Colour behind it.
    """

    name: str
    base: int
    walkable: bool
    transparent: bool
    diggable: bool
    glyph: str
    fg: Colour
    bg: Colour = (0, 0, 0)

    __reduce__ = by_fields


def _is_passable(kind: TerrainKind) -> bool:
    return kind.base > BLOCKED and (kind.walkable or kind.base == LOCKED_DOOR)


def _kind(name: str, base: int, flags: str, glyph: str, fg: Colour, bg: Colour = (0, 0, 0)) -> TerrainKind:
    return TerrainKind(
        name=name,
        base=base,
        walkable="w" in flags,
        transparent="t" in flags,
        diggable="d" in flags,
        glyph=glyph,
        fg=fg,
        bg=bg,
    )


BUILT_IN_KINDS: tuple[TerrainKind, ...] = (
    _kind("earth", EARTH, "d", " ", (58, 50, 44)),
    _kind("wall", WALL, "", "#", (136, 132, 128), (26, 25, 24)),
    _kind("blocked", BLOCKED, "", " ", (40, 40, 44)),
    _kind("floor", FLOOR, "wt", ".", (104, 104, 112)),
    _kind("corridor", CORRIDOR, "wt", ".", (78, 76, 74)),
    _kind("cave", CAVE, "wt", ".", (112, 92, 70)),
    _kind("doorway", DOORWAY, "wt", "'", (176, 130, 70)),
    _kind("door", DOOR, "w", "+", (206, 152, 76)),
    _kind("secret_door", SECRET_DOOR, "w", "#", (136, 132, 128), (26, 25, 24)),
    _kind("locked_door", LOCKED_DOOR, "", "+", (214, 84, 70)),
    _kind("stairs_up", STAIRS_UP, "wt", "<", (240, 236, 200)),
    _kind("stairs_down", STAIRS_DOWN, "wt", ">", (240, 236, 200)),
    _kind("exit", EXIT, "wt", ">", (150, 230, 240)),
    *(_kind(f"floor_{digit}", FLOOR, "wt", ".", (104, 104, 112)) for digit in range(10)),
)

BASE_NAMES: tuple[str, ...] = tuple(kind.name for kind in BUILT_IN_KINDS[:FLOOR_0])
"""What a kind of terrain can be based on."""


def looked_up(table: NDArray[Byte], codes: NDArray[np.uint8]) -> NDArray[Byte]:
    """Return `table.take(codes)` for the codes of a whole map: in half the time, as letters are translated.

    Args:
        table: (256,), of single bytes.
        codes: Of any shape.
    """
    return np.ndarray(codes.shape, table.dtype, bytearray(codes.tobytes()).translate(table.tobytes()))


def _check(code: int, kind: TerrainKind) -> None:
    """Raise a ValueError if a kind of terrain can't have this code, or can't be shown."""
    if not 0 <= kind.base < FLOOR_0 or (code < BUILT_IN and kind.base != BUILT_IN_KINDS[code].base):
        raise ValueError(f"terrain {kind.name!r} with the code {code} is not based on {kind.base}")
    if len(kind.glyph) != 1 or not all(0 <= part <= 255 for part in (*kind.fg, *kind.bg)):
        raise ValueError(f"terrain {kind.name!r} needs one character and colours of 0 to 255")


@dataclass(frozen=True, repr=False)
class TerrainSet:
    """The kinds of terrain of one game, with their properties as arrays to look codes up in.

    Attributes:
        kinds: Every kind; a kind's place in the tuple is its code.
        base: (256,) uint8, the built-in code of each code; unused codes count as blocked.
        walkable: (256,) bool; likewise `transparent` and `diggable`.
        passable: (256,) bool, where a walker gets who can open every door: what is walkable, and locked doors.
        open: (256,) bool, what is not solid; `door` and `stairs`: (256,) bool, what is based on a door, or a way out.
        glyph: (256,) int32 code points; `fg` and `bg`: (256, 3) uint8.

    Raises:
        ValueError: There are too few or too many kinds, or one of them is not what its code asks for.
    """

    kinds: tuple[TerrainKind, ...] = BUILT_IN_KINDS
    base: NDArray[np.uint8] = field(init=False, repr=False, compare=False)
    walkable: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    transparent: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    diggable: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    passable: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    open: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    door: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    stairs: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    glyph: NDArray[np.int32] = field(init=False, repr=False, compare=False)
    fg: NDArray[np.uint8] = field(init=False, repr=False, compare=False)
    bg: NDArray[np.uint8] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not BUILT_IN <= len(self.kinds) <= MAX_KINDS:
            raise ValueError(f"a terrain set has {BUILT_IN} to {MAX_KINDS} kinds, not {len(self.kinds)}")
        for code, kind in enumerate(self.kinds):
            _check(code, kind)
        spare = 256 - len(self.kinds)

        def table(values: Iterable[object], empty: object, dtype: type[np.generic]) -> NDArray[np.generic]:
            return sealed(np.array([*values, *[empty] * spare], dtype=dtype))

        columns = {
            "base": table((kind.base for kind in self.kinds), BLOCKED, np.uint8),
            "walkable": table((kind.walkable for kind in self.kinds), False, np.bool_),
            "transparent": table((kind.transparent for kind in self.kinds), False, np.bool_),
            "diggable": table((kind.diggable for kind in self.kinds), False, np.bool_),
            "passable": table((_is_passable(kind) for kind in self.kinds), False, np.bool_),
            "open": table((kind.base > BLOCKED for kind in self.kinds), False, np.bool_),
            "door": table((kind.base in DOORS for kind in self.kinds), False, np.bool_),
            "stairs": table((kind.base in STAIRS for kind in self.kinds), False, np.bool_),
            "glyph": table((ord(kind.glyph) for kind in self.kinds), ord("?"), np.int32),
            "fg": table((kind.fg for kind in self.kinds), (255, 0, 0), np.uint8),
            "bg": table((kind.bg for kind in self.kinds), (0, 0, 0), np.uint8),
        }
        for name, array in columns.items():
            object.__setattr__(self, name, array)

    __copy__ = __deepcopy__ = itself

    def __reduce__(self) -> tuple[Callable[[tuple[TerrainKind, ...]], TerrainSet], tuple[object]]:
        return _set_of, (self.kinds,)

    def __repr__(self) -> str:
        return f"<TerrainSet of {len(self.kinds)} kinds, {len(self.kinds) - BUILT_IN} of them the author's>"

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds' names in order of their codes."""
        return tuple(kind.name for kind in self.kinds)

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """Name of a kind -> its code."""
        return Frozen({kind.name: code for code, kind in enumerate(self.kinds)})

    def code(self, name: str) -> int:
        """Return the code of the kind of that name. KeyError if there is none."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(name) from None


@lru_cache(maxsize=16)
def _set_of(kinds: tuple[TerrainKind, ...]) -> TerrainSet:
    """Return the set of these kinds: levels that arrive from another process share one, as they did there."""
    return TerrainSet(kinds)
