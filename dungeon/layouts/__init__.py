"""Layouts: the ground plans that maps are made of."""

from dungeon.layouts import caves, mines, static, tunnels
from dungeon.layouts.params import TunnelsParams
from dungeon.registry import CAVES, ROOMS, register_layout

register_layout("tunnels", TunnelsParams, tunnels.tunnels, largest_room=tunnels.largest_room, kinds=ROOMS)
register_layout(
    "static",
    static.StaticParams,
    static.static,
    size=static.size,
    largest_room=static.largest_room,
    kinds=(),
    draws_all=True,
)
register_layout("caves", caves.CavesParams, caves.caves, kinds=CAVES)
register_layout("mines", mines.MinesParams, mines.mines, kinds=(*ROOMS, *CAVES))
