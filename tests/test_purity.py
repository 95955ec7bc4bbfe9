"""Nothing that a level, a world or content hands out can be changed; and equal levels are equal."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from drawn import KINDS, load, small_game
from walked import changeable

import dungeon
from dungeon.core.frozen import Frozen

SAYING = """
scrap:
  name: scrap metal
  glyph: s
  data: {made: [iron, {of: rust}], origin: {port: {berth: 3}}}
coin: {name: coin, glyph: "$", data: {worth: {low: 1}}, roll: {worn: [0.1, 0.2]}}
"""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dungeon.Content:
    files = small_game()
    return load(tmp_path_factory.mktemp("game"), files)


@pytest.fixture(scope="module")
def level(content: dungeon.Content) -> dungeon.Level:
    world = dungeon.World(content, 7)
    return max((world.level(each.id) for each in world.maps), key=lambda each: len(each.spawns))


def test_nothing_of_a_level_can_be_changed(content: dungeon.Content) -> None:
    world = dungeon.World(content, 7)
    for node in world.maps:
        level = world.level(node.id)
        assert list(changeable(level, "level")) == []
        assert list(changeable(world.why(node.id, level), "why")) == []
        assert list(changeable(dungeon.measure(level), "metrics")) == []
    assert list(changeable(world.maps, "maps")) == []


def test_nothing_of_content_can_be_changed(content: dungeon.Content) -> None:
    assert list(changeable(content, "content")) == []


@pytest.mark.parametrize(
    "change",
    [
        "world.seed = 8",
        "world.content = None",
        "content.world.leads_to['m/1'] = ()",
        "next(iter(content.encounters.values())).maps['m'] = 5",
        "content.weights['common'] = 0",
        "content.terrain_set.walkable.flags.writeable = True",
        "level.walkable[0, 0] = True",
        "level.walkable.flags.writeable = True",
        "level.transparent[0, 0] = True",
        "level.base[0, 0] = 1",
        "level.terrain.flags.writeable = True",
        "level.region.setflags(write=True)",
        "level.seed = 1",
        "level.walkable = None",
        "level.spawns[0].y = 1",
        "level.spawns[0].keywords['x'] = 1",
    ],
)
def test_none_of_these_works(change: str, content: dungeon.Content, level: dungeon.Level) -> None:
    names = {"world": dungeon.World(content, 7), "content": content, "level": level}
    with pytest.raises((AttributeError, TypeError, ValueError)):
        exec(change, names)


def test_what_an_author_says_of_an_object_is_not_another_levels_to_change(tmp_path: Any) -> None:
    files = {
        "world.yaml": "start: m/1",
        "maps/m.yaml": "m: {name: M, size: 40x30, population: [{item: scrap, count: 3}, {item: coin, count: 3}]}",
        "objects/items.yaml": SAYING,
    }
    world = dungeon.World(load(tmp_path, files), 1)
    first, again = world.level("m/1"), world.level("m/1")
    told = [each.keywords for each in first.spawns if each.tag == "scrap"]
    assert told
    for keywords in told:
        with pytest.raises(TypeError, match="dict\\(it\\) is a copy"):
            keywords["origin"]["port"]["berth"] = 1  # type: ignore[index]
        assert keywords == {"made": ["iron", {"of": "rust"}], "origin": {"port": {"berth": 3}}}
    assert told[0] is told[1]  # frozen once, when content was loaded
    assert first == again
    assert list(changeable(first)) == []
    worn = {each.keywords["worn"] for each in first.spawns if each.tag == "coin"}
    assert worn <= {0.1, 0.2}


def test_keywords_that_a_game_gives_a_spawn_of_its_own_are_frozen_too() -> None:
    said = {"a": {"b": [1]}}
    spawn = dungeon.Spawn(kind="item", tag="t", name="n", y=1, x=1, glyph="t", fg=(1, 2, 3), keywords=said)
    said["a"]["b"].append(2)
    assert type(spawn.keywords) is Frozen
    assert spawn.keywords == {"a": {"b": [1]}}
    assert hash(spawn) == hash(replace(spawn))


def test_arrays_that_a_level_is_given_stay_their_owners(level: dungeon.Level) -> None:
    terrain, region = level.terrain.copy(), level.region.copy()
    own = replace(level, terrain=terrain, region=region)
    before = level.walkable.copy()
    terrain[...] = 0
    region[...] = 0
    assert own == level
    assert np.array_equal(own.walkable, before)


def test_what_follows_from_terrain_is_worked_out_once(level: dungeon.Level) -> None:
    kinds = level.terrain_set
    for name in ("base", "walkable", "transparent"):
        assert np.array_equal(getattr(level, name), getattr(kinds, name)[level.terrain])
        assert getattr(level, name) is getattr(level, name)
        assert getattr(replace(level), name) is not getattr(level, name)


def test_levels_that_hold_the_same_are_equal_and_others_are_not(content: dungeon.Content) -> None:
    world, other = dungeon.World(content, 7), dungeon.World(content, 8)
    assert world == dungeon.World(content, 7)
    assert hash(world) == hash(dungeon.World(content, 7))
    assert world != other
    for node in world.maps:
        level, again = world.level(node.id), dungeon.World(content, 7).level(node.id)
        assert level == again
        assert hash(level) == hash(again)
        assert {level, again} == {level}
        assert level != other.level(node.id)
        assert dungeon.from_json(dungeon.to_json(level)) == level
    assert level != 1


def test_a_level_that_differs_in_anything_is_another(level: dungeon.Level) -> None:
    def flipped(array: Any) -> Any:
        array = array.copy()
        array[0, 0] += 1
        return array

    for field in fields(dungeon.Level):
        now = getattr(level, field.name)
        match now:
            case np.ndarray():
                changed = flipped(now)
            case int():
                changed = now + 1
            case str():
                changed = now + "x"
            case tuple() if field.name != "entrance":
                changed = (*now, "more")
            case dungeon.TerrainSet():
                changed = KINDS if now != KINDS else dungeon.TerrainSet()
            case _:
                changed = dungeon.Cell(0, 0)
        assert replace(level, **{field.name: changed}) != level, field.name


def test_everything_shows_itself_in_a_line_or_two(content: dungeon.Content, level: dungeon.Level) -> None:
    world = dungeon.World(content, 7)
    steps = world.steps(level.id)
    step = next(steps)
    recording = dungeon.Recording(world.steps(level.id))
    name = next(iter(content.prefabs))
    shown = [
        *(
            content,
            content.catalog,
            content.prefabs,
            content.called,
            content.terrain_set,
            content.prefabs[name],
        ),
        *(
            content.prefabs[name].template,
            content.prefabs[name].drawing,
            dungeon.sample_prefab(content, name),
        ),
        *(world, *world.maps, level, dungeon.measure(level), *world.why(level.id, level)),
        *(step, step.canvas, recording, recording[1], dungeon.XpLayer.from_rows(["." * 80] * 80)),
        *(*level.spawns, *level.placements, *level.connections, *level.journal, *level.regions, *level.exits),
    ]
    assert [repr(each) for each in shown if len(repr(each)) > 300] == []
    assert repr(level) == (
        f"<Level {level.id} of seed 7: {level.width}x{level.height} cells, {len(level.spawns)} spawns, "
        f"{len(level.placements)} placements, {len(level.regions)} regions, {len(level.doors)} doors, "
        f"{len(level.exits)} exits>"
    )
    assert repr(world).startswith("<World of seed 7: ")
