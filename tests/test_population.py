"""What maps and encounters scatter: how densely, where, in drifts; who leads whom; who goes on patrol; who is seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn import OBJECTS, canvas, load

import dungeon
from dungeon import Cell
from dungeon import terrain as t
from dungeon.content.models.maps import MapPopulationEntry
from dungeon.extend import Journal, Streams
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.places import MAX_STRAY
from dungeon.generation.populate.populator import Populator
from dungeon.generation.populate.scattering import FOLLOWER_REACH, scatter_population
from dungeon.generation.stages.populate import give_loadouts
from dungeon.grid.regions import FAR, components, distances, seen_from, way_down

if TYPE_CHECKING:
    from dungeon import Spawn
    from dungeon.content.catalog.catalog import Catalog

WORKS = """
    ##################################################
    #..........#.............#........#........#.....#
    #..........#.............#........#........#.....#
    #..........+.............+........#........#.....#
    #..........#.............#........#........+.....#
    #####+###########+##########+######........#.....#
    #,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,+........#.....#
    #########+###################+####........##.....#
    #...............#.....................#.....#....#
    #...............#.....................#...L.#....#
    ##################################################
    """
"""A room to arrive in at the top left, a corridor with rooms on both sides, and a room behind a locked door."""

HOME = Cell(2, 2)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The objects of the small game."""
    files = {**OBJECTS, "maps/m.yaml": "m: {name: M}\n", "world.yaml": "start: m/1\n"}
    return load(tmp_path_factory.mktemp("objects"), files).catalog


def scattered(
    catalog: Catalog, *entries: dict[str, Any], seed: int = 0, depth: int = 1, text: str = WORKS
) -> Populator:
    """Scatter a population over a map where one arrives at `HOME`, and return the populator."""
    made = canvas(text)
    made.put(*HOME, t.STAIRS_UP)
    labels, _ = components(made.passable())
    occupancy = Occupancy(made)
    occupancy.set_reachable(labels == labels[HOME])
    result = Populator(
        canvas=made, catalog=catalog, weigh=float, depth=depth, journal=Journal(), occupancy=occupancy
    )
    population = [MapPopulationEntry.model_validate(entry) for entry in entries]
    seen = seen_from(made.terrain_set.transparent[made.terrain], HOME)
    scatter_population(result, population, HOME, Streams(seed, "m/1"), seen)
    return result


def marks(result: Populator) -> Counter[str]:
    """Return how many things stand in each kind of region."""
    kinds = {region.id: region.kind for region in result.canvas.regions}
    return Counter(kinds[int(result.canvas.region[each.y, each.x])] for each in result.spawns)


def test_robots_hold_what_the_catalog_or_the_population_says(catalog: Catalog) -> None:
    entries = [
        {"robot": "sweeper", "count": 20, "loadout": [{"item": {"class": "aid"}, "chance": "50%"}]},
        {"robot": "guard", "count": 3, "followers": [{"robot": "sweeper", "loadout": [{"item": "drill"}]}]},
    ]
    held = {}
    for more in ([], [{"item": "scrap", "count": 9}]):
        result = scattered(catalog, *entries, *more, depth=2)
        give_loadouts(result, Streams(0, "m/1"))
        held[len(more)] = {each.cells: each.loadout for each in result.spawns if each.kind == "robot"}
        assert all(item.cells == each.cells for each in result.spawns for item in each.loadout)
        alone = [each for each in result.spawns if each.tag == "sweeper" and not each.group]
        assert Counter(item.tag for each in alone for item in each.loadout).keys() == {"kit"}
        assert 0 < sum(map(len, (each.loadout for each in alone))) < 20
        assert {item.tag for each in result.spawns if each.group for item in each.loadout} == {"drill"}
        assert not any(each.loadout for each in result.spawns if each.tag == "guard")
    assert held[0] == held[1]  # what else comes changes nothing


# -- how many ---------------------------------------------------------------------------------------


def test_density_is_so_many_on_a_hundred_cells(catalog: Catalog) -> None:
    counts = [
        len(scattered(catalog, {"item": "scrap", "density": 4}, seed=seed).spawns) for seed in range(60)
    ]
    made = scattered(catalog)
    rooms = made.canvas.within(each.id for each in made.canvas.regions if each.kind == "room")
    wanted = 0.04 * np.count_nonzero(made.occupancy.plain & rooms)
    assert {*counts} == {int(wanted), int(wanted) + 1}
    assert abs(sum(counts) / len(counts) - wanted) < 0.2


@pytest.mark.parametrize(("depth", "times"), [(1, 1), (2, 2), (3, 3), (9, 3)])
def test_density_may_depend_on_the_depth(catalog: Catalog, depth: int, times: int) -> None:
    dense = {"by_depth": {"1": 3, "3": 9}}
    first = len(scattered(catalog, {"item": "scrap", "density": 3}).spawns)
    found = len(scattered(catalog, {"item": "scrap", "density": dense}, depth=depth).spawns)
    assert abs(found - times * first) <= times


def test_an_entry_comes_at_its_depths_alone(catalog: Catalog) -> None:
    entry = {"item": "scrap", "count": 2, "depth": "2..3"}
    assert [len(scattered(catalog, entry, depth=depth).spawns) for depth in (1, 2, 3, 4)] == [0, 2, 2, 0]


# -- where ------------------------------------------------------------------------------------------


def test_things_come_where_their_place_is(catalog: Catalog) -> None:
    for seed in range(20):
        there = marks(scattered(catalog, {"trap": "snare", "count": 12, "at": "corridors"}, seed=seed))
        assert there == {"corridor": 12}
        result = scattered(catalog, {"trap": "snare", "count": 8, "at": "doors"}, seed=seed)
        base = result.canvas.base
        for each in result.spawns:
            near = [base[each.y + dy, each.x + dx] for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))]
            assert {*near} & {*t.DOORS}
        result = scattered(catalog, {"debris": "ash", "count": 20, "at": "walls"}, seed=seed)
        base = result.canvas.base
        assert all(
            (base[each.y - 1 : each.y + 2, each.x - 1 : each.x + 2] <= t.BLOCKED).any()
            for each in result.spawns
        )
        result = scattered(catalog, {"debris": "ash", "count": 20, "at": "middles"}, seed=seed)
        base = result.canvas.base
        assert not any(
            (base[each.y - 1 : each.y + 2, each.x - 1 : each.x + 2] <= t.BLOCKED).any()
            for each in result.spawns
        )


def test_places_have_weights(catalog: Catalog) -> None:
    entry = {"trap": "snare", "count": 10, "at": {"corridors": 3, "rooms": 1}}
    found = sum((marks(scattered(catalog, entry, seed=seed)) for seed in range(60)), Counter())
    assert abs(found["corridor"] - 450) < 45
    assert found["corridor"] + found["room"] == 600


def test_drifts_lie_together_and_along_walls(catalog: Catalog) -> None:
    def spread(entry: dict[str, Any]) -> float:
        gaps = []
        for seed in range(20):
            spawns = scattered(catalog, {"debris": "ash", "count": 30, **entry}, seed=seed).spawns
            assert len(spawns) == 30
            cells = [(each.y, each.x) for each in spawns]
            assert len({*cells}) == 30
            gaps += [max(abs(y - v), abs(x - u)) for (y, x), (v, u) in pairwise(cells)]
        return sum(gaps) / len(gaps)

    assert spread({"drift": 10}) < spread({}) / 2
    for seed in range(20):
        (one, *_) = [scattered(catalog, {"debris": "ash", "count": 8, "drift": 8}, seed=seed).spawns]
        assert max(each.y for each in one) - min(each.y for each in one) <= 2 * MAX_STRAY
        assert max(each.x for each in one) - min(each.x for each in one) <= 2 * MAX_STRAY


def test_a_drift_stays_in_its_room(catalog: Catalog) -> None:
    for seed in range(40):
        result = scattered(catalog, {"debris": "ash", "count": 6, "drift": 6}, seed=seed)
        assert len({int(result.canvas.region[each.y, each.x]) for each in result.spawns}) == 1


# -- who is seen, who leads, who goes on patrol ---------------------------------------------------------

HALL = """
    ##########################
    #........................#
    #........................#
    #...........#####........#
    #...........#....+.......#
    ##########################
    """


def test_robots_are_not_where_they_are_seen_on_arrival_unless_they_may_be(catalog: Catalog) -> None:
    found = []
    for allowed in (False, True):
        entry = {"robot": "sweeper", "count": 4, "in_sight": allowed}
        made = [scattered(catalog, entry, seed=seed, text=HALL) for seed in range(30)]
        seen = seen_from(made[0].canvas.terrain_set.transparent[made[0].canvas.terrain], HOME)
        found.append([bool(seen[each.y, each.x]) for result in made for each in result.spawns])
    assert len(found[0]) == len(found[1]) == 120
    assert not any(found[0])
    assert sum(found[1]) > 60


GANG = {
    "robot": "guard",
    "count": 2,
    "followers": [{"robot": "sweeper", "count": "2..3"}, {"robot": "sweeper", "chance": "50%"}],
}


def groups(spawns: list[Spawn]) -> dict[int, list[Spawn]]:
    """Return the groups by their numbers."""
    return {number: [each for each in spawns if each.group == number] for number in {s.group for s in spawns}}


def test_followers_stand_near_their_leader_in_its_room(catalog: Catalog) -> None:
    sizes: Counter[int] = Counter()
    for seed in range(60):
        result = scattered(catalog, GANG, {"robot": "sweeper", "count": 2}, seed=seed)
        bands = groups(result.spawns)
        assert {*bands} == {0, 1, 2}
        assert len(bands.pop(0)) == 2
        for band in bands.values():
            leader, *others = band
            assert (leader.tag, leader.leads) == ("guard", True)
            assert {(each.tag, each.leads) for each in others} == {("sweeper", False)}
            sizes[len(others)] += 1
            for each in others:
                assert max(abs(each.y - leader.y), abs(each.x - leader.x)) <= MAX_STRAY
                assert result.canvas.region[each.y, each.x] == result.canvas.region[leader.y, leader.x]
        cells = [(each.y, each.x) for each in result.spawns]
        assert len({*cells}) == len(cells)
    assert {*sizes} == {2, 3, 4}


def test_followers_keep_at_heel_if_there_is_space(catalog: Catalog) -> None:
    entry = {"robot": "guard", "in_sight": True, "followers": [{"robot": "sweeper", "count": 3}]}
    for seed in range(30):
        leader, *others = scattered(catalog, entry, seed=seed, text=HALL.replace("....+", "#####")).spawns
        assert all(max(abs(each.y - leader.y), abs(each.x - leader.x)) <= FOLLOWER_REACH for each in others)


CELL = """
    ################
    #..............#
    #..............#
    ############+###
    ############...#
    ################
    """


def test_who_finds_no_space_near_its_leader_stays_away(catalog: Catalog) -> None:
    entry = {"robot": "guard", "followers": [{"robot": "sweeper", "count": 9}]}
    result = scattered(catalog, entry, text=CELL)
    assert len(result.spawns) == 3
    assert [each.reason for each in result.journal.decisions] == ["no cell near its leader is free"] * 7


def test_a_leader_whom_nobody_follows_is_none(catalog: Catalog) -> None:
    (spawn,) = scattered(catalog, {"robot": "guard", "followers": [{"robot": "sweeper", "count": 0}]}).spawns
    assert (spawn.group, spawn.leads) == (0, False)


def test_patrols_lead_on_foot_through_regions_and_stay_free(catalog: Catalog) -> None:
    lengths: Counter[int] = Counter()
    for seed in range(40):
        entries = {"robot": "guard", "count": 2, "patrol": 4}, {"prop": "crate", "count": 60}
        result = scattered(catalog, *entries, seed=seed)
        region, ground = result.canvas.region, result.canvas.passable() & ~result.occupancy.stands
        ground &= result.canvas.base != t.LOCKED_DOOR
        labels, _ = components(ground)
        for spawn in result.spawns:
            if spawn.kind != "robot":
                continue
            lengths[len(spawn.patrol)] += 1
            assert spawn.patrol[0] == (spawn.y, spawn.x)
            assert len({int(labels[cell]) for cell in spawn.patrol} - {0}) == 1
            assert len({int(region[cell]) for cell in spawn.patrol} - {0}) == len(spawn.patrol)
            assert not any(result.occupancy.stands[cell] for cell in spawn.patrol)
    assert {*lengths} == {2, 3, 4}


@pytest.mark.parametrize("seed", range(40))
def test_the_way_of_a_patrol_is_a_shortest_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    ground = np.pad(random.random(random.integers(1, 25, 2)) < random.choice([0.6, 0.8, 1.0]), 1)
    home = Cell(*random.choice(np.argwhere(np.pad(np.ones_like(ground[1:-1, 1:-1]), 1))).tolist())
    ground[home] = True
    away = distances(ground, [home])
    front, steps = {home}, {home: 0}
    while front:
        front = {Cell(y + dy, x + dx) for y, x in front for dy, dx in ((-1, 0), (0, -1), (0, 1), (1, 0))}
        front = {cell for cell in front if ground[cell] and cell not in steps}
        steps |= dict.fromkeys(front, max(steps.values()) + 1)
    assert {cell: int(away[cell]) for cell in steps} == steps
    assert np.count_nonzero(away < FAR) == len(steps)
    for cell, count in steps.items():
        way = way_down(away, cell)[::-1]
        assert (way[0], way[-1], len(way)) == (home, cell, count + 1)
        assert all(abs(a.y - b.y) + abs(a.x - b.x) == 1 for a, b in pairwise(way))
        assert all(ground[each] for each in way)


def test_there_is_no_patrol_where_no_way_leads(catalog: Catalog) -> None:
    alone = CELL.replace("+", "#").replace("############...#", "################")
    result = scattered(catalog, {"robot": "guard", "patrol": 3, "in_sight": True}, text=alone)
    assert [each.patrol for each in result.spawns] == [()]
    assert [each.reason for each in result.journal.decisions] == ["there is no way for a patrol"]


# -- small edits, and whole levels ------------------------------------------------------------------


def test_an_entry_more_moves_only_what_it_takes_the_cells_of(catalog: Catalog) -> None:
    entries = [{"item": "scrap", "count": 6}, GANG, {"robot": "sweeper", "count": 4, "patrol": 3}]
    stayed = left = total = 0
    for seed in range(40):
        before = scattered(catalog, *entries, seed=seed).spawns
        after = scattered(catalog, {"debris": "ash", "count": 10}, *entries, seed=seed).spawns
        ash = {cell for each in after if each.kind == "debris" for cell in each.cells}
        # Whoever follows a leader goes where the leader goes.
        robbed = {each.group for each in before if each.leads and ash & {*each.cells}}
        same = {replace(each, source="") for each in after}
        free = [each for each in before if not ash & {*each.cells} and each.group not in robbed]
        total += len(before)
        left += len(free)
        stayed += sum(replace(each, source="") in same for each in free)
    assert left > 0.9 * total
    assert stayed > 0.99 * left


GAME = {
    **OBJECTS,
    "maps/m.yaml": """
        m:
          name: M
          size: 70x40
          population:
            - {robot: guard, density: 0.4, followers: [{robot: sweeper, count: 1..2}], patrol: 2..5}
            - {robot: sweeper, count: 3}
            - {trap: snare, count: 4, at: {corridors: 2, doors: 1}}
            - {debris: ash, count: 20, drift: 4..8}
        c: {name: C, size: 60x40, layout: caves, population: [{robot: guard, count: 6, patrol: 3}]}
        """,
    "world.yaml": "start: m/1\nleads_to: {m/1: c/2}\n",
}


def test_whole_levels_keep_what_is_promised(tmp_path: Any) -> None:
    content = load(tmp_path, GAME)
    bands = rounds = 0
    for seed in range(20):
        world = dungeon.World(content, seed)
        for node in world.maps:
            level = world.level(node.id)
            assert dungeon.prove(level, world) == []
            seen = seen_from(level.transparent, level.entrance)
            robots = [each for each in level.spawns if each.kind == "robot"]
            assert not any(seen[each.y, each.x] for each in robots)
            bands += sum(each.leads for each in robots)
            rounds += sum(bool(each.patrol) for each in robots)
            assert dungeon.from_json(dungeon.to_json(level)) == level
    assert bands > 33
    assert rounds > 100


STRONGROOM = {
    "objects/props.yaml": "vat: {name: vat, glyph: v, blocks: true}\ncoffer: {name: coffer, glyph: c, blocks: true}\n"
    "winch: {name: winch, glyph: w, blocks: true}\n",
    "objects/items.yaml": "pearl: {name: pearl, glyph: p}\nseal: {name: seal, glyph: s}\n",
    "locks.yaml": "wax: {name: wax lock, opened_by: {item: seal}}\nchain: {name: chain, opened_by: {prop: winch}}\n",
    "world.yaml": "start: m/1\n",
}
"""Coffers, their locks, and vats that are scattered around them."""

NOOK = """
    #######
    #....c#
    #...###
    '...c##
    #######
"""
"""A room with two coffers, each at the end of a dead end that is one cell wide."""


def strongroom(
    tmp_path: Any, coffer: str, population: str, layout: str = "{tunnels: {rooms: 8}}"
) -> dungeon.Content:
    """Return a game of one map with such a room, over which something is scattered."""
    prefab = f"nook:\n  map: |{NOOK}\n  legend: {{c: {{prop: coffer, {coffer}}}}}\n"
    level = f"m: {{name: M, size: 46x30, layout: {layout}, features: [{{prefab: nook}}], population: {population}}}\n"
    return load(tmp_path, {**STRONGROOM, "prefabs/nook.yaml": prefab, "maps/m.yaml": level})


@pytest.mark.parametrize("coffer", ["lock: wax", "lock: chain", "loadout: [{item: pearl}]"])
@pytest.mark.parametrize("vats", [30, 300])
@pytest.mark.parametrize("layout", ["{tunnels: {rooms: 8}}", "caves"])
def test_scattered_things_leave_a_way_to_coffers(tmp_path: Any, coffer: str, vats: int, layout: str) -> None:
    content = strongroom(tmp_path, coffer, f"[{{prop: vat, count: {vats}}}]", layout)
    for seed in range(4):
        level = dungeon.World(content, seed).level("m/1")
        coffers = [each for each in level.spawns if each.tag == "coffer"]
        stopped = {cell for each in level.spawns if each.blocks for cell in each.cells}
        assert len(coffers) == 2
        assert len(level.locks) == 2 or all(each.loadout for each in coffers)
        for y, x in [(each.y, each.x) for each in coffers]:
            sides = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
            assert any(level.walkable[side] and side not in stopped for side in sides)


@pytest.mark.parametrize(
    "population", ["[{prop: vat, count: 900}]", "[{item: pearl, count: 900, at: anywhere}]"]
)
def test_what_opens_a_lock_takes_the_place_of_what_is_scattered(tmp_path: Any, population: str) -> None:
    content = strongroom(tmp_path, "lock: chain", population)
    decisions = []
    for seed in range(8):
        level = dungeon.World(content, seed).level("m/1")
        assert "winch" in {each.tag for each in level.spawns}
        decisions += [each.reason for each in level.journal]
    assert "a key to chain takes its place" in decisions


def test_what_no_walker_gets_to_holds_nothing(tmp_path: Any) -> None:
    game = {
        **STRONGROOM,
        "prefabs/store.yaml": "store:\n  map: |\n    #####\n    #cc.#\n    #c..'\n    #####\n"
        "  legend: {c: {prop: coffer, loadout: [{item: pearl}]}}\n",
        "maps/m.yaml": "m: {name: M, size: 40x24, layout: {tunnels: {rooms: 6}}, features: [{prefab: store}]}\n",
    }
    level = dungeon.World(load(tmp_path, game), 1).level("m/1")
    assert sorted(len(each.loadout) for each in level.spawns if each.tag == "coffer") == [0, 1, 1]
    assert [each.reason for each in level.journal if "holds nothing" in each.reason] == [
        "it holds nothing, as no walker can stand beside it"
    ]
