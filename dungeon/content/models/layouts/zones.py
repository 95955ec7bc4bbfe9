"""Zones: the parts of a map that differ in theme, in what they are made of and in what is met there.

A layout that knows zones has them as a field of its parameters, `Annotated[dict[NewName, X], *joined_zones()]`, where X is a
`ZoneEntry` with what that layout asks of a zone besides. They are built in the order in which they are written: the first
one by itself, each other one joined to one before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field

from dungeon.content.models.locks import LockValue
from dungeon.content.models.portals import TUNNEL, PortValue
from dungeon.content.source.entry import Entry
from dungeon.content.source.faults import Fault, MisreadError
from dungeon.content.source.names import MAX_LISTED, NewName
from dungeon.content.values.fields import Flag, Given, ThemeName
from dungeon.content.values.grammar import Constant
from dungeon.content.values.value_fields import IntValue, within

if TYPE_CHECKING:
    from collections.abc import Mapping

Joint = Literal["bridge", "tumour", "multi-tumour", "island"]
"""How a zone hangs on another one.

    bridge         a single room, or a corridor, between the two; nothing else of them touches
    tumour         it grows out of the other's side, and shares walls with it
    multi-tumour   the same, at several places of it
    island         it lies apart, and its port leads there
"""

JOINTS: tuple[Joint, ...] = get_args(Joint)

DEEPEST_STEP = 100


class ZoneEntry(Entry):
    """A zone of a map.

    Attributes:
        origin: The zone that it is joined to, one of those before it; by default the last of them. Written `from`.
        join: How it is joined.
        doors: How many doors lead from the other zone into it where it is a tumour: into each part of it, if it has several.
        port: What leads there if it is an island: `tunnel`, or a prop of the catalog that does not block: a boat.
        theme: How its terrain looks; as that of the map, unless it says.
        step: How much deeper than the map it counts, for what its population and its prefabs hold.
        lock: The lock of `locks.yaml` that the doors into it get, or its port, if no other way leads there.
        required: Whether a map is not made without it. By default it is where the zone has a lock, where prefabs that it asks
            for draw stairs down or an exit, and where an encounter that the map must have is placed in no other zone.
    """

    origin: Given[NewName] = Field(default=None, alias="from")
    join: Joint = "bridge"
    doors: Annotated[IntValue, within(1, 100)] = Constant(1)
    port: PortValue = Constant(TUNNEL)
    theme: Given[ThemeName] = None
    step: Annotated[int, Field(ge=0, le=DEEPEST_STEP, strict=True)] = 0
    lock: Given[LockValue] = None
    required: Given[Flag] = None

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of the prefabs that this zone asks for."""
        return ()


def _each_joined_to_one_before(zones: dict[str, Any]) -> dict[str, Any]:
    faults = []
    before: list[str] = []
    for number, (name, zone) in enumerate(zones.items()):
        if number == 0:
            for key in ("from", "join", "doors", "port", "lock"):
                if (key if key != "from" else "origin") in zone.model_fields_set:
                    message = "the first zone is joined to none"
                    faults.append(Fault(message=message, path=(name, key), value=key, key=True))
        elif zone.origin is not None and zone.origin not in before:
            message = "there is no zone of this name before this one"
            faults.append(Fault(message=message, path=(name, "from"), value=zone.origin, allowed=before))
        if number and "port" in zone.model_fields_set and zone.join != "island":
            message = "only an island has a port: join: island"
            faults.append(Fault(message=message, path=(name, "port"), value="port", key=True))
        before.append(name)
    if faults:
        raise MisreadError(faults)
    return zones


def joined_zones() -> tuple[Any, ...]:
    """Return the annotations of a field that holds zones by name."""
    return Field(max_length=MAX_LISTED), AfterValidator(_each_joined_to_one_before)


def origins(found: Mapping[str, ZoneEntry]) -> dict[str, str | None]:
    """Return zone -> the zone that it is joined to; None for the first."""
    before: str | None = None
    result: dict[str, str | None] = {}
    for name, zone in found.items():
        result[name] = zone.origin if zone.origin is not None else before
        before = name
    return result
