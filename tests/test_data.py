"""The content that comes with the library: whole, rich enough, and all of it comes up in play."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import dungeon
from dungeon import Content, Level
from dungeon import terrain as t
from dungeon.content.selector import Selector
from dungeon.grid.regions import components
from dungeon.placing.edges import entries, walkable
from dungeon.vocabulary import CATEGORIES

if TYPE_CHECKING:
    from dungeon.content.prefab import Prefab

DATA = Path(__file__).parent.parent / "data"
SEEDS = range(40)
BEHAVIOURS = {"idle", "wander", "guard", "hunt"}


@pytest.fixture(scope="module")
def content() -> Content:
    return dungeon.load_content(DATA)


@pytest.fixture(scope="module")
def levels(content: Content) -> list[Level]:
    """Every map of many worlds. Making a level proves it: a broken promise is a GenerationError."""
    worlds = [dungeon.World(content, seed) for seed in SEEDS]
    return [world.level(node.id) for world in worlds for node in world.maps]


def modes(content: Content, mode: str) -> list[Prefab]:
    """Return the prefabs that encounters put in this placing mode."""
    names = {
        name for each in content.encounters.values() if each.placing.name == mode for name in each.prefabs
    }
    return [content.prefabs[name] for name in sorted(names)]


# -- how much there is --------------------------------------------------------------------------------------


def test_there_is_a_world_to_go_down_through(content: Content) -> None:
    maps = dungeon.World(content).maps
    assert len(maps) >= 4
    assert len({node.depth for node in maps}) >= 3
    assert len({node.name for node in maps if content.maps[node.name].layout.name == "tunnels"}) >= 3
    assert any(len(node.leads_to) > 1 for node in maps), "somewhere there is a choice of ways"
    assert {content.maps[name].theme for name in content.maps} == set(content.themes)


@pytest.mark.parametrize(
    ("kind", "least"), [("prop", 12), ("trap", 5), ("robot", 10), ("item", 15), ("debris", 4)]
)
def test_there_are_things_enough(content: Content, kind: str, least: int) -> None:
    things = content.catalog.things[kind]
    assert len(things) >= least
    names = Counter(thing.name for thing in things.values())
    assert max(names.values()) == 1, f"{names.most_common(1)} can't be told apart"


def test_there_are_prefabs_enough_and_of_all_sizes(content: Content) -> None:
    shapes = sorted((each.drawing.width, each.drawing.height) for each in content.prefabs.values())
    assert len(shapes) >= 20
    assert shapes[0] == (3, 2)
    assert any(width >= 12 and height >= 8 for width, height in shapes)


def test_drawings_use_all_that_an_xp_file_can_say(content: Content) -> None:
    files = {path.stem: dungeon.read_xp(path) for path in sorted((DATA / "prefabs").glob("*.xp"))}
    assert len(files) >= 6
    assert all((DATA / "prefabs" / f"{name}.yaml").exists() for name in files)
    assert sum(len(layers) == 4 for layers in files.values()) >= 4
    assert sum(len(content.prefabs[name].drawing.machines) > 0 for name in files) >= 4
    assert any(layers[0].transparent.any() for layers in files.values())
    assert any("?" in "".join(layers[0].rows()) for layers in files.values())


def test_there_are_encounters_of_every_kind(content: Content) -> None:
    encounters = content.encounters.values()
    assert len(encounters) >= 16
    assert {each.category for each in encounters} == set(CATEGORIES)
    assert {each.placing.name for each in encounters} == {"enclosed", "accessible"}
    assert any(each.group for each in encounters)
    assert any(each.limit.world for each in encounters)
    assert any(each.access for each in encounters)
    assert any(each.depth[0] > 1 for each in encounters)


@pytest.mark.parametrize("name", ["worker", "watch", "hunter", "heavy"])
def test_a_class_of_robots_grows_with_depth(content: Content, name: str) -> None:
    wanted = Selector(classes=(name,))
    at = [{robot.tag for robot in content.catalog.fitting("robot", wanted, depth)} for depth in (1, 2, 3)]
    assert all(at)
    assert not at[0] & at[1]
    assert not at[1] & at[2]


def test_objects_say_what_a_game_needs(content: Content) -> None:
    things = content.catalog.things
    for robot in things["robot"].values():
        assert {"hp", "attack", "sight", "behaviour", "text"} <= robot.data.keys(), robot.tag
        assert robot.data["behaviour"] in BEHAVIOURS, robot.tag
    for trap in things["trap"].values():
        assert {"damage", "hidden", "effect", "text"} <= trap.data.keys(), trap.tag
    for kind in ("prop", "item", "debris"):
        for thing in things[kind].values():
            assert thing.data["text"], thing.tag


# -- how it is drawn ----------------------------------------------------------------------------------------


def test_every_open_cell_of_a_prefab_can_be_reached(content: Content) -> None:
    """Nothing is walled in, whatever stands where it might; `?` and transparent cells count as open."""
    for prefab in content.prefabs.values():
        drawing = prefab.drawing
        is_open = (content.terrain_set.base[drawing.terrain] > t.BLOCKED) | (drawing.terrain == t.KEEP)
        assert components(is_open & ~drawing.obstacles)[1] == 1, prefab.name
        assert components(walkable(drawing, content.terrain_set))[1] == 1, prefab.name


def test_enclosed_prefabs_can_be_entered_from_the_south(content: Content) -> None:
    for prefab in modes(content, "enclosed"):
        assert entries(prefab.drawing, 0, content.terrain_set), prefab.name


def test_accessible_prefabs_can_be_walked_around(content: Content) -> None:
    for prefab in modes(content, "accessible"):
        free = walkable(prefab.drawing, content.terrain_set)
        free[1:-1, 1:-1] = True
        assert free.all(), prefab.name


# -- what becomes of it -------------------------------------------------------------------------------------


def test_levels_get_as_many_encounters_as_their_maps_ask_for(content: Content, levels: list[Level]) -> None:
    for level in levels:
        wanted = list(content.maps[level.id.split("/")[0]].encounters.outcomes())
        where = (level.id, level.seed)
        assert min(wanted) <= len(level.placements) <= max(wanted), where
    tunnelled = [len(level.placements) for level in levels if level.width == 100]
    assert 8 <= np.mean(tunnelled) <= 12


def test_every_encounter_comes_up_on_every_map_that_lists_it(content: Content, levels: list[Level]) -> None:
    placed = {(level.id.split("/")[0], each.encounter) for level in levels for each in level.placements}
    listed = {(name, each) for each, entry in content.encounters.items() for name in entry.maps}
    assert placed == listed


def test_every_prefab_comes_up(content: Content, levels: list[Level]) -> None:
    placed = {each.prefab for level in levels for each in level.placements}
    drawn = {name for layout in content.layouts.values() for name in layout.prefabs().values()}
    assert placed | drawn == set(content.prefabs)


def test_every_object_comes_up(content: Content, levels: list[Level]) -> None:
    found = {(spawn.kind, spawn.tag) for level in levels for spawn in level.spawns}
    assert found == {(kind, tag) for kind, things in content.catalog.things.items() for tag in things}


def test_every_kind_of_terrain_comes_up(content: Content, levels: list[Level]) -> None:
    own = set(content.terrain_set.names[t.BUILT_IN :])
    used = {content.terrain_set.names[code] for level in levels for code in np.unique(level.terrain).tolist()}
    assert own <= used


def test_nothing_asked_for_is_missing(levels: list[Level]) -> None:
    refused = [str(each) for level in levels for each in level.journal if each.stage == "populate"]
    assert refused == []


def test_the_last_level_holds_the_goal_and_no_other_does(levels: list[Level]) -> None:
    for level in levels:
        goals = [spawn for spawn in level.spawns if spawn.keywords.get("goal")]
        assert len(goals) == (not level.exits), level.id
