"""A level as a map of the editor Tiled, and back."""

from __future__ import annotations

from dungeon.core.errors import A_LEVEL, check_type
from dungeon.level.model import Level


def to_tiled(level: Level, name: str | None = None) -> dict[str, bytes]:
    """Return the level as files that the editor Tiled opens: a map (.tmj), and the picture of its tiles beside it.

    The terrain is a layer of tiles. Placements, spawns, exits, lights, locks, portals and the entrance are layers of objects, whose
    properties are what there is to say of them; what Tiled has no shape for is JSON in the property `more`, and in the
    property `level` of the map. Equal levels give equal maps.

    Args:
        level: The level.
        name: What the files are called, without an ending; by default the level's id, with ``-`` for the slash.

    Returns:
        File -> what it holds: ``NAME.tmj`` and ``NAME.png``.
    """
    from dungeon.adapters import tiled_map  # noqa: PLC0415 - few programs use it

    check_type(level, Level, "to_tiled", A_LEVEL)
    return tiled_map.written(level, level.id.replace("/", "-") if name is None else name)


def from_tiled(text: str | bytes) -> Level:
    """Return the level of a map of Tiled that `to_tiled` wrote, with what has been done to it there.

    Terrain may be painted, and objects moved, changed, copied and deleted; a spawn's other cells, its patrol and what it holds move
    with it. Whether the level can still be played, `prove` tells.

    Args:
        text: The .tmj file.

    Raises:
        ValueError: The text is not such a map; the message says where it departs from one.
    """
    from dungeon.adapters import tiled_map  # noqa: PLC0415

    check_type(text, (str, bytes), "from_tiled", "the text of a .tmj file")
    return tiled_map.read(text)
