"""A level as the tile array of a game: a structured numpy array with the fields that the game uses, such as `walkable` and `light`.

Games that follow tcod's tutorials keep their map in one structured array, mostly indexed ``[x, y]``. Its fields tell
whether a cell is walkable and transparent, and how it looks in sight and from memory::

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
"""The fields that are filled from the attribute of `TerrainSet` with the same name."""

LIKE = {t.CORRIDOR: "floor", t.CAVE: "floor", t.EARTH: "wall", t.BLOCKED: "wall"}
"""Built-in terrain -> the terrain whose values it takes if it is not named itself."""

SEEN = ("ch", "fg", "bg", "light", "dark", "transparent")
"""The fields with defaults for how a cell looks, and whether it is transparent."""

LOOK = ("ch", "fg", "bg")
"""The fields of tcod's `rgb_graphic`."""

REMEMBERED = (0.45, 0.5, 0.7)
"""Factors for the red, green and blue of remembered colours: dim and a little blue."""


@runtime_checkable
class Placeable(Protocol):
    """A thing with a row and a column: a cell, rectangle, spawn, door, exit, light, lock and so on."""

    @property
    def y(self) -> int:
        """The row of the thing's cell."""

    @property
    def x(self) -> int:
        """The column of the thing's cell."""


def xy(thing: Placeable) -> tuple[int, int]:
    """Return the place of a cell, spawn, door, exit or light as (x, y), the order of `Console.print` and tcod's tutorials.

    Example:
        >>> dungeon.xy(dungeon.Cell(y=3, x=12))
        (12, 3)
    """
    check_type(thing, Placeable, "xy", "a cell, spawn, door, exit or whatever else has y and x")
    return thing.x, thing.y


def remembered(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return colours as the player remembers them: dimmed, and mixed half with grey.

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

    These fields of the dtype have defaults, which `values` overrides:

        - ``walkable``, ``transparent``, ``diggable`` and ``passable``: as in the terrain set, ignoring spawns
        - ``terrain``: the terrain's code
        - ``ch``, ``fg`` and ``bg``: the terrain's character and colours
        - ``light``, with any of the fields ``ch``, ``fg`` and ``bg``: likewise
        - ``dark``, with the same fields: likewise, with the colours of `remembered`

    Args:
        level: The level.
        dtype: The structured dtype of the tiles.
        values: Name of terrain -> its tile: field -> value for some or all fields, or a whole tile of the dtype.
        order: ``"C"`` for an array that is indexed ``[y, x]``, ``"F"`` for ``[x, y]``, as in tcod's tutorials.

    Terrain that `values` does not name takes the values of

        - the built-in kind that it is based on, if both or neither are walkable
        - ``floor``, if it is a corridor or a cave; ``wall``, if it is earth or blocked
        - the wall beside it, if it is a secret door. It differs from that wall only in the defaults of
          ``walkable``, ``passable``, ``diggable`` and ``terrain``

    A field without a default and without such a value takes the value of ``floor`` on walkable terrain, and else of
    ``wall``. So a game with two tiles names only these two.

    Returns:
        (height, width) of `dtype`, C-contiguous; or (width, height), F-contiguous.

    Raises:
        TypeError: The dtype has no fields, or a value or default does not fit its field.
        ValueError: `values` names unknown terrain or an unknown field; a field has neither a default nor a value for
            terrain on the level; or there is no such order.

    Example:
        >>> tile_dt = np.dtype([("walkable", bool), ("cost", np.uint8)])
        >>> tiles = dungeon.tiles(level, tile_dt, {"floor": {"cost": 1}, "wall": {"cost": 0}}, order="F")
        >>> tiles.shape == (level.width, level.height)
        True
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
                like = "floor" if kinds.walkable[code] else "wall"
                raise ValueError(
                    f"terrain {name!r} has no value for the field {field!r}, of {tile[field]}: give one for it,"
                    f" or for {like!r}, whose values it takes"
                )
        for field, value in said[code].items():
            try:
                table[field][code] = value
            except (TypeError, ValueError, OverflowError) as error:
                raise TypeError(
                    f"the tile of terrain {name!r}: {value!r} does not fit the field {field!r}: {error}"
                ) from None
    filled = table[level.terrain]
    for y, x in _unnamed_secrets(level, values or {}):
        wall = wall_beside(level.terrain, kinds, y, x)
        looks = SEEN if level.terrain[y, x] == t.SECRET_DOOR else ()
        for field in {*said[wall], *looks}.intersection(tile.names):
            filled[field][y, x] = table[field][wall]
    return in_order(filled, order)


def _unnamed_secrets(level: Level, values: Mapping[str, Any]) -> list[list[int]]:
    """Return the (y, x) of the secret doors that must look like the wall beside them.

    Those are all secret doors, except kinds that `values` (name of terrain -> tile) names; none if it names ``secret_door``.
    """
    if "secret_door" in values:
        return []
    hidden = level.terrain_set.base == t.SECRET_DOOR
    hidden[[level.terrain_set.codes[name] for name in values]] = False
    cells: list[list[int]] = np.argwhere(hidden[level.terrain]).tolist()
    return cells


def _said(
    values: Mapping[str, Any], kinds: TerrainSet, dtype: np.dtype[Any], defaults: Mapping[str, object]
) -> dict[int, dict[str, Any]]:
    """Return terrain code -> field -> value, as far as the game gives values.

    Terrain that `values` does not name takes the values of similar terrain, as `tiles` explains.

    Args:
        values: Name of terrain -> its tile, or field -> value.
        kinds: The kinds of terrain.
        dtype: The dtype of the tiles.
        defaults: Field -> its default values.
    """
    fields = dtype.names or ()
    for name, value in values.items():
        if name not in kinds.names:
            raise ValueError(unknown("terrain", name, kinds.names))
        if isinstance(value, Mapping):
            for field in (each for each in value if each not in fields):
                raise ValueError(f"the tile of terrain {name!r}: {unknown('field', field, fields)}")
        elif getattr(value, "dtype", None) != dtype:
            raise TypeError(
                f"the tile of terrain {name!r} must be of the dtype, or a mapping of fields to values, not {value!r}"
            )

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
    """Return field -> (256,) default values, one per terrain code, for the fields that have defaults."""
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
    """Return default values of a field in the shape of that field.

    A colour with four parts gets the alpha 255. TypeError if the values don't fit.
    """
    if values.shape[1:] == (3,) and dtype.shape == (4,):
        return np.insert(values, 3, 255, axis=1)
    if values.shape[1:] != dtype.shape:
        raise TypeError(f"the field {name!r} needs the shape {values.shape[1:]}, not {dtype.shape}")
    return values
