"""Worlds: levels are pure functions, small edits stay small, and every level can be played."""

import gc
import itertools
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from drawn import BoxesParams, boxes, load, small_game, write

import dungeon
from dungeon import Phase
from dungeon import terrain as t

HERE = Path(__file__).parent
LAYOUTS = ("boxes", "tunnels")


def unlucky(canvas, params, job):
    """Dig like boxes, but have bad luck at first: as often as the journal of the job tells."""
    yield from boxes(canvas, params, job)
    if job.attempt < 2:
        raise dungeon.GenerationError("it rained")


def hopeless(canvas, params, job):
    """Never have luck."""
    raise dungeon.GenerationError("it always rains")
    yield


def leaky(canvas, params, job):
    """Break a promise: leave a hole in the border."""
    yield from boxes(canvas, params, job)
    canvas.terrain[0, 5] = t.FLOOR
    canvas.terrain[1, 5] = t.FLOOR


dungeon.register_layout("unlucky", BoxesParams, unlucky)
dungeon.register_layout("hopeless", BoxesParams, hopeless)
dungeon.register_layout("leaky", BoxesParams, leaky)


@pytest.fixture(scope="module", params=LAYOUTS)
def content(request, tmp_path_factory):
    """The small game on one of the layouts."""
    return load(tmp_path_factory.mktemp("game"), small_game(request.param))


@pytest.fixture(scope="module")
def in_boxes(tmp_path_factory):
    """The small game in boxes."""
    return load(tmp_path_factory.mktemp("boxes"), small_game())


@pytest.fixture(scope="module")
def in_boxes_1(in_boxes):
    """Level 1 of the small game in boxes, in some worlds."""
    return [dungeon.World(in_boxes, seed).level("under/1") for seed in range(20)]


# -- every level is playable ----------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 12, 6))
def test_every_level_is_proved(content, first):
    placed = Counter()
    for seed in range(first, first + 6):
        world = dungeon.World(content, seed)
        node = world.maps[seed % 4]
        level = world.level(node.id)  # raises if the proof finds anything
        assert dungeon.prove(level) == []
        assert level.retries == 0
        assert [way.leads_to for way in level.exits] == list(node.leads_to)
        placed.update(placement.encounter for placement in level.placements)
    assert len(placed) >= 5


def test_the_journal_explains_every_encounter(content):
    for seed in range(5):
        level = dungeon.World(content, seed).level("under/2")
        chosen = [each.subject for each in level.journal if (each.stage, each.verdict) == ("place", "chosen")]
        assert chosen == [placement.encounter for placement in level.placements]
        for decision in level.journal:
            assert str(decision).startswith(f"[{decision.stage}] {decision.subject}: ")
            if decision.stage == "place" and decision.reason.startswith("none of"):
                assert sum(count for _, count in decision.counts) == int(decision.reason.split()[2])


def test_levels_are_frozen(in_boxes):
    level = dungeon.World(in_boxes, 1).level("under/1")
    for array in (level.terrain, level.region):
        with pytest.raises(ValueError, match="read-only"):
            array[1, 1] = 0
    with pytest.raises(AttributeError):
        level.depth = 3


# -- promise 1: a pure function -------------------------------------------------------------------

SCRIPT = """
import sys, hashlib
sys.path.insert(0, sys.argv[1])
import drawn, dungeon
for folder in sys.argv[3:]:
    content = dungeon.load_content(folder)
    for seed in (3, 4):
        world = dungeon.World(content, seed)
        for map_id in sys.argv[2].split():
            print(folder, map_id, seed, hashlib.sha256(dungeon.to_json(world.level(map_id)).encode()).hexdigest())
"""


def test_what_is_left_of_making_levels_refers_to_nothing_that_refers_back(content):
    """The garbage collector, which is paused meanwhile, finds nothing afterwards: all is freed as soon as it is done with."""
    world = dungeon.World(content, seed=3)
    for map_id in 2 * [node.id for node in world.maps]:
        world.level(map_id)  # the first time some things are made that stay
    gc.collect()
    gc.disable()
    try:
        found = []
        for _ in range(3):
            for node in world.maps:
                world.level(node.id)
            found.append(gc.collect())
        assert min(found) == 0, "threads of other tests may end meanwhile, but not each time"
    finally:
        gc.enable()


def test_the_same_bytes_in_any_process_and_order(tmp_path):
    """Maps of a world, and worlds of games of every layout."""
    games = [str(write(tmp_path / layout, small_game(layout))) for layout in LAYOUTS]
    runs = [
        ("1", "under/1 under/2 under/3 under/4", games),
        ("2", "under/4 under/2 under/1 under/3 under/4", games[::-1]),
    ]
    printed = []
    for hash_seed, order, folders in runs:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(HERE), order, *folders],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        printed.append(set(done.stdout.splitlines()))
    assert printed[0] == printed[1]
    assert len(printed[0]) == 8 * len(games)


def test_a_level_is_the_same_first_last_and_twice(content):
    for seed in range(2):
        expected = {}
        for order in itertools.islice(
            itertools.permutations(["under/1", "under/2", "under/3", "under/4"]), 0, None, 12
        ):
            world = dungeon.World(content, seed)
            for map_id in (*order, order[0]):
                text = dungeon.to_json(world.level(map_id))
                assert expected.setdefault(map_id, text) == text


def test_stepping_and_draining_give_the_same_level(content):
    for seed in range(4):
        world = dungeon.World(content, seed)
        steps = list(world.steps("under/2"))
        level = world.level("under/2")
        assert np.array_equal(steps[-1].canvas.terrain, level.terrain)
        assert np.array_equal(steps[-1].canvas.region, level.region)
        phases = [step.phase for step in steps]
        assert list(dict.fromkeys(phases)) == [phase for phase in Phase if phase in set(phases)]
        assert {Phase.PLAN, Phase.LAYOUT, Phase.PLACE, Phase.EXITS, Phase.POPULATE, Phase.PROVE} <= set(
            phases
        )
        assert all(step.message for step in steps)
        # A level that is half built takes nothing from the next one.
        half = world.steps("under/2")
        next(half)
        next(half)
        assert dungeon.to_json(world.level("under/2")) == dungeon.to_json(level)


@pytest.mark.parametrize("layout", ["tunnels", "caves"])
def test_whoever_waits_for_a_level_is_told_of_every_stage(tmp_path, layout):
    world = dungeon.World(load(tmp_path, small_game(layout)), 1)
    told = []
    level = world.level("under/1", told=told.append)
    assert dungeon.to_json(level) == dungeon.to_json(world.level("under/1"))
    phases = list(dict.fromkeys(step.phase for step in told))
    assert phases == [phase for phase in Phase if phase in phases]
    assert {Phase.PLAN, Phase.LAYOUT, Phase.EXITS, Phase.POPULATE, Phase.PROVE} <= set(phases)


def test_seeds_are_whole_numbers_of_any_size_and_kind(in_boxes):
    level = dungeon.World(in_boxes, 7).level("under/1")
    for seed in (np.int64(7), np.uint8(7)):
        other = dungeon.World(in_boxes, seed).level("under/1")
        assert dungeon.to_json(other) == dungeon.to_json(level)
    for seed in (-1, 0, 10**40):
        assert dungeon.from_json(dungeon.to_json(dungeon.World(in_boxes, seed).level("under/1"))).seed == seed
    assert dungeon.to_text(dungeon.World(in_boxes, 8).level("under/1")) != dungeon.to_text(level)


# -- promise 2: small edits stay small ------------------------------------------------------------


def edited(folder, edit, layout="boxes"):
    """Return the small game with an edit: (file, text to add at its end)."""
    files = small_game(layout)
    for file, text in edit.items():
        files[file] = dedent(files[file]) + text
    return load(folder, files)


def touched_in(one, other):
    """Return the cells that encounters of just one of two levels touch, whole rooms and walls, and all stairs.

    What has been dug for an encounter, and the hallway to it, comes after all regions that the layout has made.
    """
    touched = np.isin(one.base, t.STAIRS) | np.isin(other.base, t.STAIRS)
    for level, counterpart in ((one, other), (other, one)):
        for region in level.regions:
            if region not in counterpart.regions and region.id > min(len(one.regions), len(other.regions)):
                touched[region.bounds.grown().slices] = True
        for placement in level.placements:
            twins = [
                each for each in counterpart.placements if replace(each, copy=placement.copy) == placement
            ]
            if not twins:
                touched[placement.bounds.grown().slices] = True
                for each in (one, other):
                    if placement.region <= len(each.regions):
                        touched[each.regions[placement.region - 1].bounds.grown().slices] = True
    return touched


NEW_ENCOUNTER = "new: {category: reward, prefabs: [strip, pond], maps: {under: common}, access: 1..3}\n"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_new_encounter_moves_no_wall_outside_the_rooms_that_change_hands(tmp_path, layout):
    before = load(tmp_path / "before", small_game(layout))
    after = edited(tmp_path / "after", {"encounters/all.yaml": NEW_ENCOUNTER}, layout)
    changed, same, stayed = 0, 0, []
    for seed in range(14):
        one, other = (dungeon.World(each, seed).level("under/3") for each in (before, after))
        touched = touched_in(one, other)
        assert np.array_equal(one.terrain[~touched], other.terrain[~touched])
        assert [door for door in one.connections if not touched[door.y, door.x]] == [
            door for door in other.connections if not touched[door.y, door.x]
        ]
        changed += one.placements != other.placements
        same += sum(each in other.placements for each in one.placements)
        stayed.append(one.entrance == other.entrance)
    assert changed > 5
    assert same > 14
    assert sum(stayed) > 8


def test_a_new_object_changes_only_the_picks_that_it_wins(tmp_path, in_boxes_1):
    robot = "newcomer: {name: newcomer, glyph: n, class: worker, depth: 1}\n"
    after = edited(tmp_path, {"objects/robots.yaml": robot})
    won = 0
    for one in in_boxes_1[:12]:
        other = dungeon.World(after, one.seed).level("under/1")
        assert np.array_equal(one.terrain, other.terrain)
        assert (one.placements, one.connections, one.exits) == (
            other.placements,
            other.connections,
            other.exits,
        )
        for old, new in zip(one.spawns, other.spawns, strict=True):
            assert (old.y, old.x, old.kind) == (new.y, new.x, new.kind)
            assert old == new or new.tag == "newcomer"
            won += old != new
    assert won > 4


def test_a_new_prefab_changes_only_the_places_that_it_wins(tmp_path, in_boxes_1):
    files = small_game()
    files["prefabs/more.yaml"] = 'new: {map: "..\\n.."}\n'
    files["encounters/all.yaml"] = files["encounters/all.yaml"].replace(
        "prefabs: [one, strip]", "prefabs: [one, new, strip]"
    )
    after = load(tmp_path, files)
    won = 0
    for one in in_boxes_1:
        other = dungeon.World(after, one.seed).level("under/1")
        touched = touched_in(one, other)
        assert np.array_equal(one.terrain[~touched], other.terrain[~touched])
        pairs = list(zip(one.placements, other.placements, strict=False))
        first = next((new for old, new in pairs if old != new), None)
        assert first is None or first.prefab == "new"
        won += first is not None
    assert 1 < won < 18


def test_a_map_elsewhere_changes_nothing_here_but_shares_of_limits(tmp_path, in_boxes):
    files = small_game()
    files["maps/other.yaml"] = "other: {name: Other, size: 40x30, layout: boxes}\n"
    files["world.yaml"] = files["world.yaml"].replace("under/4]\n", "under/4, other/4]\n", 1)
    after = load(tmp_path, files)
    for seed in range(3):
        for map_id in ("under/1", "under/3", "under/4"):
            one, other = (dungeon.World(each, seed).level(map_id) for each in (in_boxes, after))
            assert dungeon.to_json(one) == dungeon.to_json(other)


# -- the world ------------------------------------------------------------------------------------


def test_the_maps_of_a_world(in_boxes):
    world = dungeon.World(in_boxes)
    assert [(node.id, node.name, node.depth, node.leads_to) for node in world.maps] == [
        ("under/1", "under", 1, ("under/2", "under/3")),
        ("under/2", "under", 2, ("under/4",)),
        ("under/3", "under", 3, ("under/4",)),
        ("under/4", "under", 4, ()),
    ]
    assert world.start is world.node("under/1")
    for call in (world.node, world.level, world.steps):
        with pytest.raises(KeyError, match=r"no map 'under/9' \(did you mean under/4\?\)"):
            call("under/9")
    level = world.level("under/3")
    assert (level.id, level.name, level.depth, level.seed) == ("under/3", "The Under", 3, 0)


def test_bad_luck_is_tried_again_and_noted(tmp_path):
    level = dungeon.World(load(tmp_path, small_game("unlucky")), 1).level("under/1")
    assert level.retries == 2
    retried = [each for each in level.journal if each.verdict == "retried"]
    assert [(each.stage, each.subject, each.reason) for each in retried] == [
        ("layout", "unlucky", "it rained")
    ] * 2
    assert len(level.placements) > 0


def test_no_luck_at_all_is_an_error(tmp_path):
    with pytest.raises(dungeon.GenerationError, match=r"^under/1 of seed 1: it always rains$"):
        dungeon.World(load(tmp_path, small_game("hopeless")), 1).level("under/1")


def test_a_broken_promise_is_an_error_that_says_which(tmp_path):
    world = dungeon.World(load(tmp_path, small_game("leaky")), 1)
    with pytest.raises(
        dungeon.GenerationError, match="under/1 of seed 1: the level breaks a promise:\n  border-open at 0, 5"
    ):
        world.level("under/1")


def test_a_theme_paints_and_changes_nothing_else(tmp_path, in_boxes):
    files = small_game()
    files["terrain.yaml"] = dedent(files["terrain.yaml"]) + "moss: {like: floor, glyph: '\"'}\n"
    files["themes.yaml"] = "damp: {floor: moss, corridor: moss}\n"
    files["maps/under.yaml"] = files["maps/under.yaml"].replace("layout:", "theme: damp\n      layout:")
    painted = load(tmp_path, files)
    for seed in range(5):
        one, other = (dungeon.World(each, seed).level("under/2") for each in (in_boxes, painted))
        moss = other.terrain_set.code("moss")
        expected = one.terrain.copy()
        expected[np.isin(one.terrain, (t.FLOOR, t.CORRIDOR))] = moss
        # Author's terrain is numbered by name: moss comes before water.
        expected[one.terrain == one.terrain_set.code("water")] = other.terrain_set.code("water")
        assert np.array_equal(other.terrain, expected)
        assert (one.spawns, one.placements, one.exits) == (other.spawns, other.placements, other.exits)
