"""Machines: along the walls and in the middle of rooms, where they close no way and nothing else is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, canvas, load, picture, prefab

import dungeon
from dungeon import terrain as t
from dungeon.content.models.maps import MachinesEntry
from dungeon.core.vocabulary import SPACES
from dungeon.extend import Journal, Streams
from dungeon.generation.populate.machines import set_machines
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.populator import Populator

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Level, Spawn

PREFABS = """
    press:
      map: |
        ????
        ????
      machines: |2
        ╔══╗
        ╚══╝
    tank:
      map: |
        ???
        ???
        ???
      machines: |2
        ╔═╗
        ║o║
        ╚═╝
    bench: {map: "C.C", legend: {C: {prop: crate}}}
    shed:
      map: |
        ####
        #..#
        #+##
        ....
    camp: {map: "C.C", legend: {C: {prop: crate}}}
    """

GAME = {
    **OBJECTS,
    "prefabs/all.yaml": PREFABS,
    "encounters/all.yaml": """
        rest: {category: fluff, prefabs: camp, placing: accessible, maps: {works: 1}, limit: {map: 4}}
        """,
    "maps/works.yaml": """
        works:
          name: Works
          size: 70x40
          encounters: 3
          layout: {tunnels: {large: 8..12}}
          machines:
            - {prefabs: {press: 3, bench: 1}, count: 4}
            - {prefabs: tank, at: middle, count: 1..2}
          population: [{item: scrap, count: 5}]
        """,
    "world.yaml": "start: works/1\nleads_to: {works/1: works/2}\n",
}


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> list[Level]:
    """Many levels with machines."""
    content = load(tmp_path_factory.mktemp("game"), GAME)
    return [dungeon.World(content, seed).level("works/1") for seed in range(40)]


def machines(level: Level, name: str) -> list[Spawn]:
    """Return what stands on a level of the machines with this prefab."""
    return [each for each in level.spawns if each.source.startswith(f"{name}:")]


def around(level: Level, spawn: Spawn) -> np.ndarray:
    """Return the built-in terrain of the cells around a machine, those of the machine being 255."""
    ys, xs = zip(*spawn.cells, strict=True)
    found = level.base[min(ys) - 1 : max(ys) + 2, min(xs) - 1 : max(xs) + 2].copy()
    for y, x in spawn.cells:
        found[y - min(ys) + 1, x - min(xs) + 1] = 255
    return found


def test_machines_are_props_over_several_cells_and_come_by_weight_and_number(levels: list[Level]) -> None:
    found: Counter[str] = Counter()
    tanks = set()
    for level in levels:
        for name in ("press", "bench", "tank"):
            found[name] += len(machines(level, name)) // (2 if name == "bench" else 1)
        tanks.add(len(machines(level, "tank")))
        assert all(len(each.cells) == len(each.glyphs) == 8 for each in machines(level, "press"))
    wanted = 4 * len(levels)
    assert abs(found["press"] - 0.75 * wanted) < 4 * (wanted * 0.75 * 0.25) ** 0.5
    assert found["press"] + found["bench"] > 0.97 * wanted
    assert {1, 2} <= tanks


def test_their_backs_are_to_the_wall(levels: list[Level]) -> None:
    sides: Counter[int] = Counter()
    for level in levels:
        for each in machines(level, "press"):
            edge = around(level, each)
            rims = edge[0, 1:-1], edge[-1, 1:-1], edge[1:-1, 0], edge[1:-1, -1]
            walls = [bool((rim <= t.BLOCKED).all()) for rim in rims]
            long = rims[:2] if edge.shape[1] > edge.shape[0] else rims[2:]
            assert any(bool((rim <= t.BLOCKED).all()) for rim in long)
            sides.update(number for number, wall in enumerate(walls) if wall)
    assert {*sides} == {0, 1, 2, 3}


def test_one_can_walk_around_what_stands_in_the_middle(levels: list[Level]) -> None:
    for level in levels:
        taken = {cell for spawn in level.spawns if spawn.blocks for cell in spawn.cells}
        for each in machines(level, "tank"):
            edge = around(level, each)
            assert (edge > t.BLOCKED).all()
            ys, xs = zip(*each.cells, strict=True)
            ring = {(y, x) for y in range(min(ys) - 1, max(ys) + 2) for x in range(min(xs) - 1, max(xs) + 2)}
            assert not (ring - {*each.cells}) & taken


def test_they_keep_off_doors_stairs_encounters_and_each_other(levels: list[Level]) -> None:
    for level in levels:
        kinds = level.kinds
        placed = {each.region for each in level.placements}
        own = [each for name in ("press", "bench", "tank") for each in machines(level, name)]
        for each in own:
            region = int(level.region[each.y, each.x])
            assert kinds[region] in SPACES
            assert region not in placed
            for y, x in each.cells:
                near = level.base[y - 1 : y + 2, x - 1 : x + 2]
                assert not np.isin(near, (*t.DOORS, *t.STAIRS)).any()
        cells = Counter(cell for spawn in level.spawns for cell in spawn.cells if spawn.blocks)
        assert max(cells.values()) == 1


def test_floor_that_a_machine_draws_stays_part_of_the_regions_it_lies_in(tmp_path: Path) -> None:
    made = canvas("""
        #####
        #.::#
        #####
        """)
    catalog = load(tmp_path, GAME).catalog
    occupancy, journal = Occupancy(made), Journal()
    occupancy.set_reachable(made.passable())
    populator = Populator(
        canvas=made, catalog=catalog, weigh=float, depth=1, journal=journal, occupancy=occupancy
    )
    regions, bounds = made.region.copy(), made.regions.copy()
    entry = MachinesEntry.model_validate({"prefabs": "rug"})
    told = [*set_machines(populator, [entry], {"rug": [prefab("...", "rug")]}, (), Streams(0, "m/1"))]
    assert len(told) == 1, journal.decisions
    assert picture(made) == "#####\n#...#\n#####"
    assert np.array_equal(made.region, regions)
    assert made.regions == bounds


def test_levels_with_machines_are_proved_and_kept(tmp_path: Path) -> None:
    content = load(tmp_path, GAME)
    for seed in range(15):
        world = dungeon.World(content, seed)
        level = world.level("works/2")
        assert dungeon.prove(level, world) == []
        assert dungeon.from_json(dungeon.to_json(level)) == level


def test_what_has_walls_is_no_machine_and_what_finds_no_place_is_told(tmp_path: Path) -> None:
    works = GAME["maps/works.yaml"].replace("{press: 3, bench: 1}", "shed")
    level = dungeon.World(load(tmp_path, {**GAME, "maps/works.yaml": works}), 3).level("works/1")
    assert not machines(level, "shed")
    told = [each.reason for each in level.journal if each.subject == "shed"]
    assert told == ["it has wall, and a machine has only floor to walk on"] * 4
    works = GAME["maps/works.yaml"].replace("70x40", "24x20").replace("count: 1..2", "count: 9")
    level = dungeon.World(load(tmp_path / "small", {**GAME, "maps/works.yaml": works}), 3).level("works/1")
    told = [each.reason for each in level.journal if each.subject == "tank"]
    assert "there is no place for it in the middle of a room" in told


def test_machines_come_at_their_depths_alone(tmp_path: Path) -> None:
    works = GAME["maps/works.yaml"].replace("count: 4}", "count: 4, depth: 2..}")
    world = dungeon.World(load(tmp_path, {**GAME, "maps/works.yaml": works}), 3)
    assert not machines(world.level("works/1"), "press")
    assert machines(world.level("works/2"), "press")


def test_another_entry_moves_no_machine_and_no_wall(tmp_path: Path) -> None:
    content = load(tmp_path / "one", GAME)
    more = GAME["maps/works.yaml"].replace(
        "          machines:\n", "          machines:\n            - {prefabs: bench, at: middle}\n"
    )
    other = load(tmp_path / "other", {**GAME, "maps/works.yaml": more})
    stayed = total = 0
    for seed in range(12):
        before, after = (dungeon.World(each, seed).level("works/1") for each in (content, other))
        assert np.array_equal(before.terrain, after.terrain)
        own = [{each.cells for each in machines(level, "press")} for level in (before, after)]
        total += len(own[0])
        stayed += len(own[0] & own[1])
    assert stayed > 0.9 * total
