"""The layouts and placing modes of the library. Importing this module registers them."""

from dungeon.core.registry import CAVES, LAYOUTS, ROOMS
from dungeon.generation.layouts import cards, caves, connected, mines, patchwork, static, tunnels
from dungeon.generation.layouts.cards_params import CardsParams
from dungeon.generation.layouts.connected_pieces import ConnectedParams
from dungeon.generation.layouts.connected_pieces import shortages as connected_shortages
from dungeon.generation.layouts.patchwork_params import PatchworkParams
from dungeon.generation.layouts.tunnels_params import TunnelsParams
from dungeon.generation.modes import accessible, centered, embedded, enclosed, free
from dungeon.generation.registering import register_layout, register_placing

__all__ = ["LAYOUTS", "register_layout", "register_placing"]

register_layout(
    "tunnels",
    TunnelsParams,
    tunnels.tunnels,
    least=tunnels.least,
    largest_room=tunnels.largest_room,
    kinds=ROOMS,
)
register_layout(
    "static",
    static.StaticParams,
    static.static,
    size=static.size,
    least=static.least,
    largest_room=static.largest_room,
    kinds=(),
    draws_all=True,
    objection=static.objection,
    pierced=static.pierced,
)
register_layout(
    "connected",
    ConnectedParams,
    connected.connected,
    least=connected.least,
    largest_room=connected.largest_room,
    kinds=ROOMS,
    objection=connected.objection,
    shortages=connected_shortages,
)
register_layout("caves", caves.CavesParams, caves.caves, least=caves.least_size, kinds=CAVES)
register_layout("mines", mines.MinesParams, mines.mines, least=mines.least_size, kinds=(*ROOMS, *CAVES))

register_layout(
    "cards",
    CardsParams,
    cards.cards,
    least=cards.least,
    largest_room=cards.largest_room,
    kinds=ROOMS,
    objection=cards.objection,
    pierced=cards.pierced,
    shortages=cards.shortages,
)

register_layout("patchwork", PatchworkParams, patchwork.patchwork)

register_placing(
    "enclosed",
    enclosed.EnclosedParams,
    enclosed.spots,
    enclosed.place,
    suits=enclosed.suits,
    on_site=enclosed.on_site,
    settle=enclosed.settle,
    access=(1, 1),
    objection=enclosed.objection,
    annex=enclosed.annex,
)
register_placing(
    "cubby",
    enclosed.CubbyParams,
    enclosed.spots,
    enclosed.place,
    suits=enclosed.suits,
    on_site=enclosed.on_site,
    settle=enclosed.settle_cubby,
    access=(1, 1),
    objection=enclosed.objection_in_cubby,
    annex=enclosed.annex,
)
register_placing(
    "accessible",
    accessible.AccessibleParams,
    accessible.spots,
    accessible.place,
    suits=accessible.suits,
    faces=False,
    objection=accessible.objection,
    annex=accessible.annex,
)
register_placing(
    "centered",
    centered.CenteredParams,
    centered.spots,
    centered.place,
    suits=centered.suits,
    settle=centered.settle,
    kinds=CAVES,
    anchor=centered.anchor,
    faces=False,
    margin=centered.margin,
    shares=True,
    objection=centered.objection,
    annex=centered.annex,
)
register_placing(
    "embedded",
    embedded.EmbeddedParams,
    embedded.spots,
    embedded.place,
    suits=embedded.suits,
    kinds=CAVES,
    anchor=embedded.anchor,
    shares=True,
    objection=embedded.objection,
    annex=embedded.annex,
)
register_placing(
    "free",
    free.FreeParams,
    free.spots,
    free.place,
    kinds=(*ROOMS, *CAVES),
    draws=False,
)
