"""A level as the tile array of a game of its own: a structured numpy array with whatever fields that game has.

Games that follow tcod's tutorials keep their map in one structured array, mostly indexed ``[x, y]``, whose fields say
whether a cell can be walked on and seen through, and how it looks in sight and in memory::

    graphic_dt = np.dtype([("ch", np.int32), ("fg", "3B"), ("bg", "3B")])
    tile_dt = np.dtype([("walkable", bool), ("transparent", bool), ("dark", graphic_dt), ("light", graphic_dt)])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from dungeon import terrain as t
from dungeon.adapters.console import in_order, terrain_tiles
from dungeon.adapters.scene import wall_beside
from dungeon.core.errors import A_LEVEL, check_type, unknown
from dungeon.level.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import DTypeLike, NDArray

    from dungeon.adapters.console import Order
    from dungeon.terrain import TerrainSet

FLAGS = ("walkable", "transparent", "diggable", "passable")
"""The fields that are looked up in the terrain set by their name."""

LIKE = {t.CORRIDOR: "floor", t.CAVE: "floor", t.EARTH: "wall", t.BLOCKED: "wall"}
"""Built-in terrain -> the terrain whose values it takes if none are said of it."""

SEEN = ("ch", "fg", "bg", "light", "dark", "transparent")
"""The fields with defaults that tell how a cell looks, and whether sight passes."""

LOOK = ("ch", "fg", "bg")
"""What tcod knows of how a cell looks."""

REMEMBERED = (0.45, 0.5, 0.7)
"""How much is left of the red, green and blue of what is remembered: it is dim, and a little blue."""


@runtime_checkable
class Placeable(Protocol):
    """Whatever has a place: a cell, a rectangle, a spawn, a door, an exit, a light, a lock..."""

    @property
    def y(self) -> int:
        """Its row."""

    @property
    def x(self) -> int:
        """Its column."""


def xy(thing: Placeable) -> tuple[int, int]:
    """Return the place of a cell, spawn, door, exit or light as (x, y), as tcod's tutorials and `Console.print` take it."""
    check_type(thing, Placeable, "xy", "a cell, spawn, door, exit or whatever else has y and x")
    return thing.x, thing.y


def remembered(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return colours as they are remembered: half way to grey, and dim.

    Args:
        colours: (..., 3) uint8, red, green and blue.

    Returns:
        (..., 3) uint8.
    """
    grey = colours.mean(axis=-1, keepdims=True)
    return np.asarray((colours + grey) / 2 * REMEMBERED, np.uint8)


def tiles(
    level: Level,
    dtype: DTypeLike,
    values: Mapping[str, Mapping[str, Any] | np.void | NDArray[np.void]] | None = None,
    *,
    order: Order = "C",
) -> NDArray[np.void]:
    """Return the terrain of a level as a new array of a game's own tiles.

    What `values` does not say of a kind of terrain is as the content has it, in these fields of the dtype:

        - ``walkable``, ``transparent``, ``diggable`` and ``passable``, as in the terrain set; spawns are not asked
        - ``terrain``, the terrain's code
        - ``ch``, ``fg`` and ``bg``, the terrain's character and colours
        - ``light``, which has any of the fields ``ch``, ``fg`` and ``bg``: likewise
        - ``dark``, which is like it: the same with the colours as they are remembered

    Args:
        level: The level.
        dtype: The structured dtype of the tiles.
        values: Terrain -> what its tiles are: field -> value for some fields or all, or a whole tile of that dtype. What
            terrain takes that is not named here is told below.
        order: ``"C"`` for an array that is indexed ``[y, x]``, ``"F"`` for ``[x, y]``, as in tcod's tutorials.

    Terrain that `values` does not name takes what is said there

        - of the built-in kind that it is based on, if both can be walked on or neither can
        - of ``floor``, if it is a corridor or a cave; of ``wall``, if it is earth or blocked
        - of the wall beside it, if it is a secret door: nothing tells it from that wall, but for the defaults of
          ``walkable``, ``passable``, ``diggable`` and ``terrain``

    A field that has neither a default nor such a value takes what is said of ``floor`` where one can walk, otherwise of
    ``wall``: a game with two tiles names two.

    Returns:
        (height, width) of `dtype`, C-contiguous; or (width, height), F-contiguous.

    Raises:
        TypeError: The dtype has no fields, or a value or default does not fit its field.
        ValueError: `values` names terrain or a field that there is not; a field has neither a default nor a value for
            terrain that is on the level; or there is no such order.

    Example::

        tiles = dungeon.tiles(level, tile_dt, {"wall": {"dark": (ord("#"), (0, 0, 100), (0, 0, 0))}}, order="F")
    """
    check_type(level, Level, "tiles", A_LEVEL)
    tile = np.dtype(dtype)
    if tile.names is None:
        raise TypeError(f"the dtype of tiles needs fields such as 'walkable', and {tile} has none")
    kinds = level.terrain_set
    defaults = _defaults(kinds, tile)
    said = _said(values or {}, kinds, tile, defaults)
    table = np.zeros(256, tile)
    for field, column in defaults.items():
        table[field] = column
    for code in np.unique(level.terrain).tolist():
        name = kinds.kinds[code].name
        for field in tile.names:
            if field not in said[code] and field not in defaults:
                raise ValueError(
                    f"{name!r}: its tiles have no value for the field {field!r}, of {tile[field]}"
                )
        for field, value in said[code].items():
            try:
                table[field][code] = value
            except (TypeError, ValueError, OverflowError) as error:
                raise TypeError(f"{name!r}: {value!r} does not fit the field {field!r}: {error}") from None
    filled = table[level.terrain]
    for y, x in _unnamed_secrets(level, values or {}):
        wall = wall_beside(level.terrain, kinds, y, x)
        looks = SEEN if level.terrain[y, x] == t.SECRET_DOOR else ()
        for field in {*said[wall], *looks}.intersection(tile.names):
            filled[field][y, x] = table[field][wall]
    return in_order(filled, order)


def _unnamed_secrets(level: Level, values: Mapping[str, Any]) -> list[list[int]]:
    """Return the cells of the secret doors of which nothing is said, neither of their kind nor of secret doors."""
    if "secret_door" in values:
        return []
    hidden = level.terrain_set.base == t.SECRET_DOOR
    hidden[[level.terrain_set.codes[name] for name in values]] = False
    cells: list[list[int]] = np.argwhere(hidden[level.terrain]).tolist()
    return cells


def _said(
    values: Mapping[str, Any], kinds: TerrainSet, dtype: np.dtype[Any], defaults: Mapping[str, object]
) -> dict[int, dict[str, Any]]:
    """Return code of terrain -> field -> what has been said of it, or of terrain that it is like."""
    fields = dtype.names or ()
    for name, value in values.items():
        if name not in kinds.names:
            raise ValueError(unknown("terrain", name, kinds.names))
        if isinstance(value, Mapping):
            for field in (each for each in value if each not in fields):
                raise ValueError(f"{name!r}: {unknown('field', field, fields)}")
        elif getattr(value, "dtype", None) != dtype:
            raise TypeError(f"{name!r}: a tile of the dtype is needed, or field -> value, not {value!r}")

    def told(names: Iterable[str]) -> dict[str, Any]:
        value: Any = next((values[name] for name in names if name in values), {})
        return {field: value[field] for field in (value if isinstance(value, Mapping) else fields)}

    said = {}
    for code, kind in enumerate(kinds.kinds):
        base = kinds.kinds[kind.base]
        like = (base.name, LIKE.get(kind.base, "")) if kind.walkable == base.walkable else ()
        plain = told(["floor" if kind.walkable and kind.base != t.SECRET_DOOR else "wall"])
        own = told([kind.name, *like])
        said[code] = {field: plain[field] for field in plain if field not in defaults} | own
    return said


def _defaults(kinds: TerrainSet, dtype: np.dtype[Any]) -> dict[str, NDArray[np.generic]]:
    """Return field -> (256,) values, one for every code of terrain, for the fields that need not be given."""
    codes = np.arange(256, dtype=np.uint8)
    light = terrain_tiles(codes, kinds)
    dark = light.copy()
    for part in ("fg", "bg"):
        dark[part] = remembered(light[part])
    plain = {"terrain": codes, **{name: getattr(kinds, name) for name in FLAGS}}
    plain |= {part: light[part] for part in LOOK}
    found = {}
    for name in dtype.names or ():
        inner = dtype[name].names
        if name in plain and inner is None:
            found[name] = _fitted(plain[name], name, dtype[name])
        elif name in ("light", "dark") and inner is not None and set(inner) <= set(LOOK):
            look = light if name == "light" else dark
            found[name] = np.empty(256, dtype[name])
            for part in inner:
                found[name][part] = _fitted(look[part], f"{name}.{part}", dtype[name][part])
    return found


def _fitted(values: NDArray[Any], name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return defaults in the shape of their field: a colour of four parts is opaque."""
    if values.shape[1:] == (3,) and dtype.shape == (4,):
        return np.insert(values, 3, 255, axis=1)
    if values.shape[1:] != dtype.shape:
        raise TypeError(f"the field {name!r} needs the shape {values.shape[1:]}, not {dtype.shape}")
    return values
