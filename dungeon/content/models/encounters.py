"""Encounters as authors write them: what may be met, where, how often, and in whose company."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from dungeon.content.catalog.symbols import PopulationEntry
from dungeon.content.models.algorithms import PlacingField
from dungeon.content.models.locks import LockValue
from dungeon.content.source.entry import Entry
from dungeon.content.source.faults import UNSAID, misread
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.values.by_depth import WeightHere
from dungeon.content.values.fields import (
    DEEPEST,
    Count,
    Depths,
    Doors,
    Flag,
    Given,
    MapName,
    NewNames,
)
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, within
from dungeon.core.registry import PLACINGS
from dungeon.core.vocabulary import Category

MOST_COPIES = 100_000
"""So many copies a world has of an encounter at most."""


class Limit(Entry):
    """How many copies of an encounter there may be; any number where it is not said.

    Attributes:
        map: On each map.
        world: In the whole world. They are given to its maps before any is made, and come first on these.
    """

    map: Given[Count] = None
    world: Given[Annotated[IntValue, within(0, MOST_COPIES)]] = None


class EncounterEntry(Entry):
    """Content worth meeting.

    Attributes:
        category: fluff, risk, danger or reward.
        prefabs: The prefabs it may take, each as likely as any other that fits, or as its weight says; none for a mode
            that places none.
        content: What is scattered over its room or cave besides, or instead.
        placing: The placing mode: a name, or `{name: {its parameters}}`.
        maps: Map -> how common it is there, as a weight word or a number, or by depth.
        depth: The depths at which it may appear.
        limit: How many copies a map, and the world, may have.
        group: Exclusivity groups: no two encounters of a group share a map.
        access: How many doors the room may have, or how many ways may lead into the cave.
        zones: The zones of its maps in which it may be placed; anywhere, if none is named.
        spawns: Whether the map's own population may be scattered over the rest of its room or cave; by default
            over that of a cave with a prefab in it.
        lock: The lock of `locks.yaml` that all doors of its room get, if it lies off the way.
    """

    category: Category
    prefabs: PrefabsByWeight = ()
    content: Annotated[tuple[PopulationEntry, ...], Field(max_length=MAX_LISTED)] = ()
    placing: PlacingField = Field(default="enclosed", validate_default=True)
    maps: Annotated[dict[MapName, WeightHere], Field(min_length=1, max_length=MAX_LISTED)]
    depth: Depths = (0, DEEPEST)
    limit: Limit = Limit()
    group: NewNames = ()
    access: Given[Doors] = None
    zones: NewNames = ()
    spawns: Given[Flag] = None
    lock: Given[LockValue] = None

    @model_validator(mode="after")
    def _has_something(self) -> Self:
        draws = PLACINGS[self.placing.name].draws
        if draws and not self.prefabs:
            message = f"an encounter that is placed {self.placing.name} needs 'prefabs'"
            raise misread(message, UNSAID)
        if not draws and self.prefabs:
            message = f"an encounter that is placed {self.placing.name} has no prefabs, only 'content'"
            raise misread(message, UNSAID, "prefabs", key=True)
        if not draws and not self.content:
            raise misread(f"an encounter that is placed {self.placing.name} needs 'content'", UNSAID)
        return self
