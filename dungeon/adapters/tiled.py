"""Write a level as a map of the editor Tiled, and read it back."""

from __future__ import annotations

from dungeon.core.errors import A_LEVEL, check_type
from dungeon.level.model import Level


def to_tiled(level: Level, name: str | None = None) -> dict[str, bytes]:
    """Return the level as files for the editor Tiled: a map (.tmj), and the picture of its tiles (.png).

    The terrain is a layer of tiles. Placements, spawns, exits, lights, locks, portals and the entrance are layers of objects; their
    fields are properties. Values for which Tiled has no type are JSON in the property `more`, or in the
    map's property `level`. Equal levels give equal maps.

    Args:
        level: The level.
        name: Name of the files without an ending; by default the level's id with ``-`` for the slash.

    Returns:
        File name -> bytes, for ``NAME.tmj`` and ``NAME.png``.

    Example:
        >>> sorted(dungeon.to_tiled(level))
        ['foundry-3.png', 'foundry-3.tmj']
    """
    from dungeon.adapters import tiled_map  # noqa: PLC0415 - few programs use it

    check_type(level, Level, "to_tiled", A_LEVEL)
    return tiled_map.written(level, level.id.replace("/", "-") if name is None else name)


def from_tiled(text: str | bytes) -> Level:
    """Return the level of a Tiled map that `to_tiled` wrote, with the changes made in Tiled.

    Terrain may be painted, and objects moved, changed, copied and deleted. A spawn's other cells, its patrol and its loadout move
    with it. `prove` tells whether the level can still be played.

    Args:
        text: The .tmj file.

    Raises:
        ValueError: The text is no such map; the message names the first wrong part.

    Example:
        >>> files = dungeon.to_tiled(level, "foundry")
        >>> dungeon.from_tiled(files["foundry.tmj"]) == level
        True
    """
    from dungeon.adapters import tiled_map  # noqa: PLC0415

    check_type(text, (str, bytes), "from_tiled", "the text of a .tmj file")
    return tiled_map.read(text)
