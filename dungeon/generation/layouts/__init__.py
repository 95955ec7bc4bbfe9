"""Layouts: the ground plans that maps are made of."""

from dungeon.core.registry import CAVES, ROOMS, register_layout
from dungeon.generation.layouts import static
from dungeon.generation.layouts.caves import caves, mines
from dungeon.generation.layouts.tunnels import layout as tunnels
from dungeon.generation.layouts.tunnels.params import TunnelsParams

register_layout("tunnels", TunnelsParams, tunnels.tunnels, largest_room=tunnels.largest_room, kinds=ROOMS)
register_layout(
    "static",
    static.StaticParams,
    static.static,
    size=static.size,
    largest_room=static.largest_room,
    kinds=(),
    draws_all=True,
    objection=static.objection,
)
register_layout("caves", caves.CavesParams, caves.caves, kinds=CAVES)
register_layout("mines", mines.MinesParams, mines.mines, kinds=(*ROOMS, *CAVES))
