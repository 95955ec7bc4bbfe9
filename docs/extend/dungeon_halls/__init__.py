"""Halls with rooms along both sides, and prefabs that stand in corners."""

from dungeon.extend import ROOMS, register_layout, register_placing
from dungeon_halls import cornered, spine

register_layout("spine", spine.SpineParams, spine.build, kinds=ROOMS)
register_placing(
    "cornered",
    cornered.CorneredParams,
    cornered.spots,
    cornered.place,
    settle=cornered.settle,
    faces=False,
)
