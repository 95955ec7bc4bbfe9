"""*Towers*: prefabs on several maps that lie one above the other, joined by stairs.

The *floors* of a tower are its prefabs, one on each map, from the first map to the last. The stairs down of a floor lie on the same
cells of their map as the stairs up of the next floor, and lead to them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from dungeon.content.models.features import (
    COMPASS,
    MAX_CELLS,
    REGIONS,
    FeatureEntry,
    Pair,
    Place,
    PrefabValue,
)
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.source.problems import CheckedEntry, ValueProblem
from dungeon.content.values.fields import HERE, CategoryName, Flag, Given, Shift, several_of
from dungeon.content.values.grammar import Constant
from dungeon.content.values.map_names import SomeMaps
from dungeon.content.values.value_fields import IntValue, ShareValue, WordValue, one_of, within
from dungeon.core.registry import LAYOUTS
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.content.models.maps import MapEntry

Floors = Annotated[dict[SomeMaps, PrefabValue], Field(min_length=1, max_length=MAX_LISTED)]


class TowerEntry(CheckedEntry):
    """A tower or shaft: a prefab on each of several maps, at the same place, joined by stairs that match.

    Attributes:
        floors: Maps -> the prefab that is the tower's floor there, by name or tag, or a choice in the value grammar. The maps are
            listed from the first to the last; each leads to the next.
        category: The category of the prefabs: fluff, risk, danger or reward, or a word of `categories.yaml`.
        orientations: The orientations allowed for the tower, if its prefabs permit them. All floors lie in the same one.
        no_spawn: Whether nothing is scattered over the cells of the floors.
        chance: The probability that a world has the tower.
        at: The position of the first floor's top left corner: [column, row]. If the maps differ in size, this and the
            following keys mean the area that all of them have, from their top left corners on.
        x: Only the column of the first floor's top left corner.
        y: Only the row of the first floor's top left corner.
        shift: How far the first floor may lie from that position: [columns, rows], in either direction.
        side: The edge or corner of the map from which `distance` is counted. Written `from`.
        distance: How many cells lie between the first floor and that edge.
        where: The part of the map in which the middle of the first floor lies.
    """

    floors: Floors
    category: CategoryName = "fluff"
    orientations: Given[Annotated[tuple[str, ...], *several_of(*(each.label for each in Orientation))]] = None
    no_spawn: Flag = False
    chance: ShareValue = Constant(1.0)
    at: Given[Pair] = None
    x: Given[Place] = None
    y: Given[Place] = None
    shift: Shift = HERE
    side: Given[Annotated[WordValue, one_of(*COMPASS)]] = Field(default=None, alias="from")
    distance: Annotated[IntValue, within(0, MAX_CELLS)] = Constant(1)
    where: Given[Annotated[WordValue, one_of(*REGIONS)]] = None

    @cached_property
    def feature(self) -> FeatureEntry:
        """A feature with the place, the category and the orientations of the tower, for placing its floors like prefabs of a map."""
        said = {key: getattr(self, key) for key in self.model_fields_set - {"floors", "chance"}}
        return FeatureEntry.model_construct(
            prefab=next(iter(self.floors.values())), required=True, _fields_set={*said}, **said
        )

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        yield from self.feature.problems_of_place()
        for maps, value in self.floors.items():
            if not value.applies:
                message = (
                    "every floor is there: 'chance' of the tower decides whether a world has all of them"
                )
                yield ValueProblem(message=message, path=("floors", maps))


def problems_of_floors(
    name: str, floors: Iterable[tuple[str, str]], ways: Mapping[str, Iterable[str]], one_way: Iterable[str]
) -> Iterator[ValueProblem]:
    """Yield a problem for each floor of a tower to which no stairs can lead.

    Args:
        name: The name of the tower.
        floors: (map id, the key under `floors` that means it) of each floor.
        ways: Map id -> the ids of the maps to which it leads in at least one world.
        one_way: The ids of the maps from which no stairs lead back.
    """
    listed, one_way, told = [*floors], {*one_way}, set[str]()
    ids = [map_id for map_id, _ in listed]
    if len(ids) == 1:
        message = "a tower has floors on two maps or more; a prefab on one map is a feature of that map"
        yield ValueProblem(message=message, path=("towers", name, "floors"))
    for number, (map_id, text) in enumerate(listed[1:], 1):
        at, before = ("towers", name, "floors", text), ids[number - 1]
        message = ""
        if map_id in ids[:number]:
            message = f"{map_id} has a floor of this tower already"
        elif map_id not in ways.get(before, ()):
            message = f"no exit leads from {before}, the map of the floor before, to {map_id}"
        elif map_id in one_way:
            message = f"{map_id} is one-way, but stairs lead back up from this floor"
        if message and text not in told:
            told.add(text)
            yield ValueProblem(message=message, path=at, value=text, key=True)


def towers_on_drawn_maps(
    towers: Mapping[str, Iterable[tuple[str, str, object]]],
    types: Mapping[str, Iterable[str]],
    maps: Mapping[str, MapEntry],
) -> Iterator[ValueProblem]:
    """Yield a problem for each floor on a map whose layout draws the whole map, so that it has no place for features.

    Args:
        towers: Name of a tower -> (map id, the key under `floors` that means it, its prefab) of each floor.
        types: Map id -> the types of which the map may be.
        maps: Name of a type of map -> its entry.
    """
    for name, floors in towers.items():
        for map_id, text, _ in floors:
            for kind in types[map_id]:
                if kind in maps and LAYOUTS[maps[kind].layout.name].draws_all:
                    layout = maps[kind].layout.name
                    message = (
                        f"the layout {layout} draws the whole map {kind}, so {map_id} can't have a floor"
                    )
                    path = ("towers", name, "floors", text)
                    yield ValueProblem(message=message, path=path, value=text, key=True)
