"""Terrain, which is what a cell is made of: the built-in kinds that algorithms know, and kinds that authors base on them.

A map is an array of uint8 codes. Codes below `BUILT_IN` mean the same in every game. A kind that an author adds (grass,
water, blast door...) gets a higher code. It is *based on* a built-in kind, and algorithms treat it like that kind.
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
"""The first of ten floors whose look depends on the map's theme: `FLOOR_0 + digit`, drawn as a digit in a prefab."""
BUILT_IN = 23

CORRIDOR_KINDS = ("junction", "hall")
"""Further names for terrain: the floor of junctions and halls. It is corridor unless the content gives it a look of its own."""

KEEP = 255
"""The code of a cell of a drawing that leaves the map's terrain unchanged."""

MAX_KINDS = 250

DIGGABLE = (EARTH, WALL)
"""The terrain that corridors are dug through. A kind like these with `diggable: false` is based on `BLOCKED` instead."""

DOORS = (DOORWAY, DOOR, SECRET_DOOR, LOCKED_DOOR)
GAPS = (FLOOR, *DOORS)
"""The terrain of a gap in the wall between two regions: plain floor, or a kind of door."""
STAIRS = (STAIRS_UP, STAIRS_DOWN, EXIT)

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainKind:
    """One kind of terrain.

    Attributes:
        name: The author's name for the kind.
        base: The code of the built-in kind that this kind is based on; a built-in kind has its own code.
        walkable: Whether a walker can enter such a cell (a closed door is walkable: it opens).
        transparent: Whether such a cell lets sight pass.
        diggable: Whether corridors may be dug through such a cell.
        glyph: The character that is drawn.
        fg: Colour of the glyph, RGB of 0..255.
        bg: Colour behind the glyph.
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
    """Tell whether a walker who can open every door can enter terrain of this kind."""
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
"""The names of the terrain that other kinds can be based on."""


def looked_up(table: NDArray[Byte], codes: NDArray[np.uint8]) -> NDArray[Byte]:
    """Return `table.take(codes)`: for each code the entry of the table at that index.

    For the codes of a whole map, this function takes half the time of `take`.

    Args:
        table: (256,) uint8 or bool.
        codes: uint8 array of any shape.
    """
    return np.ndarray(codes.shape, table.dtype, bytearray(codes.tobytes()).translate(table.tobytes()))


def _check(code: int, kind: TerrainKind) -> None:
    """Raise a ValueError if a kind of terrain can't have this code, or has an invalid glyph or colour."""
    if not 0 <= kind.base < FLOOR_0 or (code < BUILT_IN and kind.base != BUILT_IN_KINDS[code].base):
        raise ValueError(f"terrain {kind.name!r} with the code {code} is not based on {kind.base}")
    if len(kind.glyph) != 1 or not all(0 <= part <= 255 for part in (*kind.fg, *kind.bg)):
        raise ValueError(f"terrain {kind.name!r} needs one character and colours of 0 to 255")


@dataclass(frozen=True, repr=False)
class TerrainSet:
    """The kinds of terrain of one game, with their properties as lookup arrays: ``terrain_set.walkable[level.terrain]``.

    Attributes:
        kinds: Every kind of terrain; a kind's index is its code. The arrays have an entry for each code, used or not.
        base: (256,) uint8: the code of the built-in kind that a kind is based on; unused codes count as blocked.
        walkable: (256,) bool: whether walkers can enter such cells.
        transparent: (256,) bool: whether such cells let sight pass.
        diggable: (256,) bool: whether corridors may be dug through such cells.
        passable: (256,) bool: whether a walker who can open every door can enter such cells: walkable terrain and locked doors.
        open: (256,) bool: whether such cells are not solid.
        door: (256,) bool: whether the kind is based on a door.
        stairs: (256,) bool: whether the kind is based on stairs or an exit.
        glyph: (256,) int32: the code point of the character.
        fg: (256, 3) uint8: the colour of the character.
        bg: (256, 3) uint8: the colour behind the character.

    Raises:
        ValueError: There are too few or too many kinds, a kind can't have its code, or its glyph or colour is invalid.
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
        """The names of the kinds of terrain in the order of their codes."""
        return tuple(kind.name for kind in self.kinds)

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """Name of each kind of terrain -> its code."""
        return Frozen({kind.name: code for code, kind in enumerate(self.kinds)})

    def code(self, name: str) -> int:
        """Return the code of the kind with this name.

        Raises:
            KeyError: No kind has this name.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(name) from None


@lru_cache(maxsize=16)
def _set_of(kinds: tuple[TerrainKind, ...]) -> TerrainSet:
    """Return the terrain set of these kinds. It is cached, so that unpickled levels share one set."""
    return TerrainSet(kinds)
