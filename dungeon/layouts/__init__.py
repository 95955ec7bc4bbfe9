"""Layouts: the ground plans that maps are made of."""

from dungeon.layouts import static, tunnels
from dungeon.registry import register_layout

register_layout("tunnels", tunnels.TunnelsParams, tunnels.tunnels)
register_layout("static", static.StaticParams, static.static, size=static.size)
