"""Tile types: the numpy structure of one cell."""

import numpy as np

graphic_dt = np.dtype([("ch", np.int32), ("fg", "3B"), ("bg", "3B")])
"""The look of a cell, with the dtype of `Console.rgb`."""

tile_dt = np.dtype(
    [
        ("walkable", bool),
        ("transparent", bool),
        ("dark", graphic_dt),  # as it is remembered
        ("light", graphic_dt),  # as it is seen
    ]
)

SHROUD = np.array((ord(" "), (255, 255, 255), (0, 0, 0)), dtype=graphic_dt)
"""The look of unexplored cells."""

WALL = np.array(
    (False, False, (ord("#"), (60, 60, 90), (0, 0, 0)), (ord("#"), (150, 140, 100), (0, 0, 0))), dtype=tile_dt
)
