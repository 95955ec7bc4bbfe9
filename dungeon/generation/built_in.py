"""The layouts and placing modes that the library brings; importing this registers them."""

from dungeon.core.registry import CAVES, LAYOUTS, ROOMS
from dungeon.generation.layouts.cards import layout as cards
from dungeon.generation.layouts.cards.deal import shortages as cards_shortages
from dungeon.generation.layouts.cards.params import CardsParams
from dungeon.generation.layouts.caves import cave_system, mines
from dungeon.generation.layouts.connected import layout as connected
from dungeon.generation.layouts.connected.params import ConnectedParams
from dungeon.generation.layouts.connected.params import shortages as connected_shortages
from dungeon.generation.layouts.patchwork import layout as patchwork
from dungeon.generation.layouts.patchwork.params import PatchworkParams
from dungeon.generation.layouts.static import layout as static
from dungeon.generation.layouts.tunnels import layout as tunnels
from dungeon.generation.layouts.tunnels.params import TunnelsParams
from dungeon.generation.placing.modes import accessible, centered, cubby, embedded, enclosed, free
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
register_layout(
    "caves", cave_system.CavesParams, cave_system.caves, least=cave_system.least_size, kinds=CAVES
)
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
    shortages=cards_shortages,
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
    cubby.CubbyParams,
    enclosed.spots,
    enclosed.place,
    suits=enclosed.suits,
    on_site=enclosed.on_site,
    settle=cubby.settle,
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
