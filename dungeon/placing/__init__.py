"""Placing modes: how a prefab comes to stand on a finished ground plan."""

from dungeon.placing import accessible, enclosed
from dungeon.registry import register_placing

register_placing(
    "enclosed",
    enclosed.EnclosedParams,
    enclosed.spots,
    enclosed.place,
    access=(1, 1),
    objection=enclosed.objection,
)
register_placing(
    "accessible",
    accessible.AccessibleParams,
    accessible.spots,
    accessible.place,
    objection=accessible.objection,
)
