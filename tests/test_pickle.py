"""Levels, worlds, content and errors go to other processes and come back, copied or pickled, as what they were."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from demo import demo_content
from drawn import load, small_game, write
from walked import changeable

import dungeon
from dungeon.content import library
from dungeon.core.frozen import by_fields

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)
TWO_FAULTS = small_game() | {"terrain.yaml": "swamp: {glyph: 12345}", "weights.yaml": "often: much"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("game"), small_game())


@pytest.fixture(scope="module", params=["from the files", "from a cache"])
def content(
    folder: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dungeon.Content:
    if request.param == "from the files":
        return dungeon.load_content(folder)
    cache = tmp_path_factory.mktemp("remembered")
    dungeon.load_content(folder, cache=cache)
    return dungeon.load_content(folder, cache=cache)


@pytest.fixture
def level(content: dungeon.Content) -> dungeon.Level:
    world = dungeon.World(content, 7)
    return max((world.level(each.id) for each in world.maps), key=lambda each: len(each.spawns))


def others(value: Any) -> Iterator[Any]:
    """Yield a value as every protocol pickles it, and its copies."""
    for protocol in PROTOCOLS:
        yield pickle.loads(pickle.dumps(value, protocol))
    yield copy.copy(value)
    yield copy.deepcopy(value)


def levels_of(world: dungeon.World) -> list[str]:
    """Return all levels of a world, as text."""
    return [dungeon.to_json(world.level(each.id)) for each in world.maps]


# -- levels ---------------------------------------------------------------------------------------


def test_a_level_comes_back_equal_and_as_unchangeable_as_it_was(level: dungeon.Level) -> None:
    _ = level.walkable  # what is known of it stays behind
    for other in others(level):
        assert other == level
        assert hash(other) == hash(level)
        assert dungeon.to_json(other) == dungeon.to_json(level)
        assert list(changeable(other)) == []
        assert np.array_equal(other.walkable, level.walkable)
        assert dungeon.prove(other) == []


def test_every_value_of_a_level_comes_back_equal(level: dungeon.Level) -> None:
    world_like = [level.terrain_set, dungeon.measure(level), dungeon.Cell(1, 2), dungeon.Rect(1, 2, 3, 4)]
    parts = ("spawns", "connections", "doors", "exits", "regions", "placements", "lights", "journal")
    for value in (*world_like, *(each for part in parts for each in getattr(level, part))):
        for other in others(value):
            assert (type(other), other) == (type(value), value)
            assert list(changeable(other)) == []


def test_components_come_back(level: dungeon.Level) -> None:
    for spawn in level.spawns:
        for component in dungeon.components_of(spawn):
            for other in others(component):
                assert (type(other), other) == (type(component), component)
    tag = dungeon.Tag("item", "t", {"a": [1]})
    assert [each == tag for each in others(tag)] == [True] * (len(PROTOCOLS) + 2)


def test_levels_that_come_back_share_one_set_of_terrain(level: dungeon.Level) -> None:
    one, other = (pickle.loads(pickle.dumps(level)) for _ in range(2))
    assert one.terrain_set is other.terrain_set


def test_a_level_takes_its_own_content_along_and_no_more() -> None:
    world = dungeon.World(demo_content(), 7)
    for node in world.maps[::4]:
        level = world.level(node.id)
        data = pickle.dumps(level)
        # A tenth of a kilobyte for each of its parts, what terrain looks like, and 4 kilobytes for its maps.
        parts = ("spawns", "connections", "doors", "exits", "regions", "placements", "lights", "journal")
        looks = len(pickle.dumps(level.terrain_set))
        assert len(data) < looks + 4_000 + 130 * sum(len(getattr(level, part)) for part in parts)
        assert len(data) < len(dungeon.to_json(level)) / 3
        assert b"dungeon.content" not in data
        tables = level.terrain_set.glyph.tobytes() + level.terrain_set.fg.tobytes()
        assert looks < len(tables) + 110 * len(level.terrain_set.kinds)


def test_a_pickle_of_other_fields_is_refused_and_says_so(level: dungeon.Level) -> None:
    make, (kind, names, values) = by_fields(level.spawns[0])
    with pytest.raises(
        pickle.UnpicklingError, match="this Spawn was pickled by another version of the library: it has"
    ):
        make(kind, (*names, "mood"), (*values, "mild"))
    with pytest.raises(pickle.UnpicklingError, match="another version"):
        make(kind, names[:-1], values[:-1])


# -- worlds and content ---------------------------------------------------------------------------


def test_a_world_comes_back_and_makes_the_same_levels(content: dungeon.Content) -> None:
    world = dungeon.World(content, 7)
    for other in others(world):
        assert (other.seed, other.maps, other.start) == (world.seed, world.maps, world.start)
    assert levels_of(other) == levels_of(pickle.loads(pickle.dumps(world))) == levels_of(world)


def test_content_comes_back_before_and_after_levels_were_made_from_it(folder: Path) -> None:
    expected = levels_of(dungeon.World(dungeon.load_content(folder), 7))
    content = dungeon.load_content(folder)
    assert levels_of(dungeon.World(pickle.loads(pickle.dumps(content)), 7)) == expected
    used = dungeon.load_content(folder)
    levels_of(dungeon.World(used, 7))
    assert levels_of(dungeon.World(pickle.loads(pickle.dumps(used)), 7)) == expected


def test_content_that_came_back_is_as_unchangeable_as_it_was(content: dungeon.Content) -> None:
    other = pickle.loads(pickle.dumps(content))
    assert list(changeable(other)) == []
    assert repr(other) == repr(content)
    assert other.sources == content.sources
    assert list(other.prefabs) == list(content.prefabs)
    assert [each.name for each in other.called.get("depot", ())] == [
        each.name for each in content.called.get("depot", ())
    ]
    for name in content.prefabs:
        mine, theirs = content.prefabs[name], other.prefabs[name]
        assert [str(each.terrain) for each in mine.drawings] == [
            str(each.terrain) for each in theirs.drawings
        ]
        assert theirs.prefabs[name] is theirs


def test_a_copy_in_the_same_process_is_the_thing_itself(
    content: dungeon.Content, level: dungeon.Level
) -> None:
    state = {
        "world": dungeon.World(content, 7),
        "content": content,
        "level": level,
        "kinds": level.terrain_set,
    }
    for name, other in copy.deepcopy(state).items():
        assert other is state[name]


def test_a_process_that_is_sent_the_same_content_again_makes_it_once(content: dungeon.Content) -> None:
    worlds = [pickle.loads(pickle.dumps(dungeon.World(content, seed))) for seed in range(3)]
    assert len({id(each.content) for each in worlds}) == 1
    assert pickle.dumps(content) == pickle.dumps(content)


def test_prefabs_of_a_cache_stay_unbuilt_until_they_are_asked_for(folder: Path, tmp_path: Path) -> None:
    dungeon.load_content(folder, cache=tmp_path)
    content = dungeon.load_content(folder, cache=tmp_path)
    other = pickle.loads(pickle.dumps(content))
    assert isinstance(other.prefabs, library.LazyMapping)
    assert other.prefabs._made == {}
    name = next(iter(other.prefabs))
    assert other.prefabs[name].name == name
    assert pickle.loads(pickle.dumps(other)).prefabs._made == {}


def test_content_that_was_changed_comes_back_changed(content: dungeon.Content) -> None:
    changed = replace(content, weights={**content.weights, "seldom": 0.001})
    assert pickle.loads(pickle.dumps(changed)).weights["seldom"] == 0.001


def test_a_sample_and_an_examination_come_back(content: dungeon.Content, folder: Path) -> None:
    for name in content.prefabs:
        for orientation in content.prefabs[name].orientations:
            sample = dungeon.sample_prefab(content, name, orientation=orientation)
            other = pickle.loads(pickle.dumps(sample))
            assert dungeon.to_text(other) == dungeon.to_text(sample)
            assert other.spawns == sample.spawns
    examined = dungeon.examine_content(folder)
    assert pickle.loads(pickle.dumps(examined)).problems == examined.problems != ()


# -- errors ---------------------------------------------------------------------------------------


def test_an_error_comes_back_with_its_problems(tmp_path: Path) -> None:
    with pytest.raises(dungeon.ContentError) as caught:
        load(tmp_path, TWO_FAULTS)
    error = caught.value
    error.add_note("while the game began")
    for other in others(error):
        assert type(other) is dungeon.ContentError
        assert str(other) == str(error)
        assert other.problems == error.problems
        assert len(other.problems) >= 2
        assert other.__notes__ == ["while the game began"]
    for other in others(dungeon.GenerationError("m/1 of seed 7: no room")):
        assert (type(other), str(other)) == (dungeon.GenerationError, "m/1 of seed 7: no room")


# -- other processes ------------------------------------------------------------------------------


def make_level(world: dungeon.World, map_id: str) -> dungeon.Level:
    """Make a level, in whatever process this is called."""
    return world.level(map_id)


def make_from_content(content: dungeon.Content, seed: int) -> list[dungeon.Level]:
    """Make all levels of a world."""
    world = dungeon.World(content, seed)
    return [world.level(each.id) for each in world.maps]


def fail_with_content(folder: Path) -> None:
    """Load content that has something wrong with it."""
    dungeon.load_content(folder)


def fail_to_generate(content: dungeon.Content) -> None:
    """Ask for more than a level can hold."""
    raise dungeon.GenerationError(f"no room among {len(content.maps)} maps")


def test_a_pool_of_processes_makes_levels_and_outlives_errors(
    content: dungeon.Content, tmp_path: Path
) -> None:
    wrong = write(tmp_path, TWO_FAULTS)
    world = dungeon.World(content, 7)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(dungeon.ContentError) as caught:
            pool.submit(fail_with_content, wrong).result()
        with pytest.raises(dungeon.GenerationError, match="no room among 1 maps"):
            pool.submit(fail_to_generate, content).result()
        levels = list(pool.map(make_level, [world] * len(world.maps), [each.id for each in world.maps]))
        (more,) = pool.map(make_from_content, [content], [7])
    assert [str(each) for each in caught.value.problems] == [
        str(each) for each in dungeon.examine_content(wrong).problems if each.severity == "error"
    ]
    assert levels == more == [world.level(each.id) for each in world.maps]
    assert all(list(changeable(each)) == [] for each in levels)
    assert json.loads(dungeon.to_json(levels[0]))["id"] == levels[0].id
