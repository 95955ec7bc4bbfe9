"""Towers: prefabs on several maps at one place, with stairs that match. Where they lie, what refuses them, and what games get."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import esper
import pytest
from drawn import load
from test_game import forget_worlds

import dungeon
from dungeon import Cell, Exit, prove
from dungeon.adapters.components import LeadsTo, Position
from game_demo.display.descriptions import stairs_at
from game_demo.rules import actions
from game_demo.state.game import Game

sys.path.insert(0, str(Path(__file__).parent / "fuzzing"))

from drawn_towers import write_game_with_towers
from towers import unmatched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon import Content, Level, World

PREFABS = """
    roof:
      map: |
        #########
        #>.....>#
        +.......+
        #########
    hall:
      map: |
        #########
        #<.....<#
        #..###..#
        +...>...+
        #########
    base:
      map: |
        #####
        #.<.#
        #...#
        ##+##
    """
WORLD = """
    start: cellars/1
    leads_to: {cellars/1: cellars/2, cellars/2: cellars/3, cellars/3: cellars/4}
    towers:
      keep:
        floors: {cellars/1: roof, cellars/2: hall, cellars/3: base}
    """
CELLARS = "cellars: {name: Cellars, size: 60x40}\n"


def content(
    folder: Path, world: str = WORLD, maps: str = CELLARS, prefabs: str = PREFABS, **more: str
) -> Content:
    """Load a content with the tower `keep` over three of four maps."""
    files = {"world.yaml": dedent(world), "maps/all.yaml": dedent(maps), "prefabs/all.yaml": dedent(prefabs)}
    return load(
        folder, files | {name.replace("__", "/") + ".yaml": dedent(text) for name, text in more.items()}
    )


def levels_of(world: World) -> dict[str, Level]:
    """Make all levels of a world, prove them, and assert that the stairs of towers match."""
    levels = {node.id: world.level(node.id) for node in world.maps}
    for level in levels.values():
        assert prove(level, world) == []
    assert unmatched(levels) == []
    return levels


def cells(ways: tuple[Exit, ...]) -> set[Cell]:
    """Return the cells of those stairs that belong to a tower."""
    return {Cell(way.y, way.x) for way in ways if way.arrives is not None}


# -- where the floors lie -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_stairs_of_neighbouring_floors_lie_on_the_same_cells_and_lead_to_each_other(
    tmp_path: Path, seed: int
) -> None:
    levels = levels_of(dungeon.World(content(tmp_path), seed))
    assert [len(levels[f"cellars/{depth}"].exits) for depth in (1, 2, 3, 4)] == [2, 1, 1, 0]
    assert [len(levels[f"cellars/{depth}"].ways_back) for depth in (1, 2, 3, 4)] == [0, 2, 1, 0]
    for upper, lower in (("cellars/1", "cellars/2"), ("cellars/2", "cellars/3")):
        assert cells(levels[upper].exits) == cells(levels[lower].ways_back)
        assert levels[lower].entrance in cells(levels[lower].ways_back)
    assert levels["cellars/3"].exits[0].arrives is None  # the tower ends there
    lying = [placement.orientation for level in levels.values() for placement in level.placements]
    assert len(lying) == 3
    assert len({*lying}) == 1


def test_smaller_floors_are_shifted_so_that_their_stairs_match(tmp_path: Path) -> None:
    made = content(tmp_path, WORLD.replace("floors:", "orientations: [r0]\n        floors:"))
    hall, base = (dungeon.World(made, 3).floors(each)[0] for each in ("cellars/2", "cellars/3"))
    assert (base.cell.y - hall.cell.y, base.cell.x - hall.cell.x) == (2, 2)


def test_a_level_is_the_same_made_first_last_or_alone(tmp_path: Path) -> None:
    made, ids = content(tmp_path), [f"cellars/{depth}" for depth in (1, 2, 3, 4)]
    down = [dungeon.to_json(level) for world in [dungeon.World(made, 5)] for level in map(world.level, ids)]
    up = [
        dungeon.to_json(level)
        for world in [dungeon.World(made, 5)]
        for level in map(world.level, reversed(ids))
    ]
    alone = [dungeon.to_json(dungeon.World(made, 5).level(each)) for each in ids]
    assert down == alone == up[::-1]


def test_other_features_of_a_map_do_not_move_its_tower_unless_they_need_its_place(tmp_path: Path) -> None:
    more = "cellars: {name: Cellars, size: 60x40, features: [{blocked: 3x3}, {quiet: 20x20}], variants: {1: {features: [{stairs: up}]}}}\n"
    places = [
        [
            dungeon.World(content(tmp_path / name, maps=maps), seed).floors("cellars/2")[0].cell
            for seed in range(9)
        ]
        for name, maps in (("bare", CELLARS), ("more", more))
    ]
    assert places[0] == places[1]


def test_a_tower_keeps_clear_of_what_always_lies_on_any_of_its_maps(tmp_path: Path) -> None:
    maps = """
        cellars: {name: Cellars, size: 40x30}
        crypt: {name: Crypt, size: 40x30, features: [{blocked: 18x28, at: [1, 1]}]}
        """
    world = WORLD.replace("cellars/2", "crypt/2").replace("floors:", "orientations: [r0]\n        floors:")
    for seed in range(5):
        made = dungeon.World(content(tmp_path, world, maps), seed)
        assert made.floors("cellars/1")[0].cell.x > 18
        assert prove(made.level("crypt/2"), made) == []


def test_the_place_is_meant_for_the_area_that_all_maps_have(tmp_path: Path) -> None:
    maps = "cellars: {name: Cellars, size: 60x40}\ncrypt: {name: Crypt, size: 36x26}\n"
    world = WORLD.replace("cellars/3", "crypt/3").replace(
        "floors:", "at: [-11, -11]\n        orientations: [r0]\n        floors:"
    )
    made = dungeon.World(content(tmp_path, world, maps), 1)
    assert made.floors("cellars/1")[0].cell == (26 - 4 - 10, 36 - 9 - 10)
    levels_of(made)


def test_two_towers_may_join_the_same_maps(tmp_path: Path) -> None:
    shaft = "      shaft: {floors: {cellars/2: well, cellars/3: sump}}\n"
    drawn = """
    well: {map: "#####\\n#..>#\\n##+##"}
    sump: {map: "#####\\n#..<#\\n##+##"}
    """
    made = content(tmp_path, WORLD.rstrip(" ") + shaft, prefabs=PREFABS.rstrip(" ") + drawn.lstrip("\n"))
    for seed in range(4):
        levels = levels_of(dungeon.World(made, seed))
        assert len(cells(levels["cellars/2"].exits)) == 2
        assert len(cells(levels["cellars/3"].ways_back)) == 2


# -- other ways in --------------------------------------------------------------------------------


def test_a_map_that_is_also_reached_otherwise_has_an_entrance_besides_its_tower(tmp_path: Path) -> None:
    world = WORLD.replace("cellars/1: cellars/2", "cellars/1: [cellars/2, side/2], side/2: cellars/3")
    for seed in range(4):
        levels = levels_of(dungeon.World(content(tmp_path, world, CELLARS + "side: {name: Side}\n"), seed))
        assert levels["cellars/3"].entrance not in cells(levels["cellars/3"].ways_back)
        assert levels["cellars/2"].entrance in cells(levels["cellars/2"].ways_back)


def test_a_world_without_one_of_its_maps_has_no_tower_and_says_so(tmp_path: Path) -> None:
    world = WORLD.replace("cellars/3: base", "crypt/3: base").replace(
        "start:", "maps: {crypt: {depths: 3, chance: 50%}}\n    start:"
    )
    world = world.replace("cellars/2: cellars/3", "cellars/2: [cellars/3, crypt/3]")
    made = content(tmp_path, world, CELLARS + "crypt: {name: Crypt}\n")
    worlds = [dungeon.World(made, seed) for seed in range(20)]
    with_it, without = (
        next(each for each in worlds if ("crypt/3" in each) is wanted) for wanted in (True, False)
    )
    assert len(with_it.floors("cellars/1")) == 1
    levels_of(with_it)
    assert without.floors("cellars/1") == ()
    journal = [(each.subject, each.verdict, each.reason) for each in without.level("cellars/1").journal]
    assert ("tower keep", "refused", "this world has no crypt/3") in journal


def test_chance_decides_for_the_whole_world(tmp_path: Path) -> None:
    made = content(tmp_path, WORLD.replace("floors:", "chance: 50%\n        floors:"))
    counts = [
        [len(dungeon.World(made, seed).floors(f"cellars/{depth}")) for depth in (1, 2, 3)]
        for seed in range(30)
    ]
    assert {tuple(each) for each in counts} == {(0, 0, 0), (1, 1, 1)}


# -- what has no place ----------------------------------------------------------------------------

LOST = {
    "a map is too small": (
        WORLD.replace("cellars/3: base", "crypt/3: base").replace("cellars/3", "crypt/3"),
        "cellars: {name: Cellars, size: 60x40}\ncrypt: {name: Crypt, size: 9x9}\n",
        PREFABS,
        "its floor base has no space on crypt/3, which is 9x9",
    ),
    "stairs that don't match": (
        WORLD,
        CELLARS,
        PREFABS.replace("#..###..#", "#.<###..#"),
        "the stairs down of its floor on cellars/1 nowhere match the stairs up of its floor on cellars/2",
    ),
    "no common orientation": (
        WORLD,
        CELLARS,
        PREFABS.replace("base:\n", "base:\n      orientations: [r0]\n").replace(
            "hall:\n", "hall:\n      orientations: [m0]\n"
        ),
        "its prefabs permit no common orientation",
    ),
}


@pytest.mark.parametrize(("world", "maps", "prefabs", "reason"), LOST.values(), ids=[*LOST])
def test_a_tower_without_a_place_is_an_error_and_never_a_missing_floor(
    tmp_path: Path, world: str, maps: str, prefabs: str, reason: str
) -> None:
    made = dungeon.World(content(tmp_path, world, maps, prefabs), 2)
    for map_id in ("cellars/1", "cellars/2"):
        with pytest.raises(
            dungeon.GenerationError,
            match=f"^{map_id} of seed 2: there is no place for the tower keep: {reason}",
        ):
            made.level(map_id)
    (problem,) = [each for each in dungeon.examine_content(tmp_path).problems if "tower" in each.message]
    assert problem.message == f"no level with a floor of this tower can be made: {reason}"


# -- what games get -------------------------------------------------------------------------------


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    yield Game(dungeon.World(content(tmp_path), 1))
    forget_worlds()


def stand(game: Game, cell: Cell) -> None:
    """Put the player on a cell."""
    game.map.remove(game.hero)
    game.map.put(game.hero, cell)


def test_each_stairs_lead_to_the_matching_ones_and_back(game: Game) -> None:
    for way in game.map.level.exits:
        stand(game, (way.y, way.x))
        assert stairs_at(game, game.player_cell).startswith("stairs down to Cellars")
        actions.descend(game)
        assert (game.map.level.id, game.player_cell) == ("cellars/2", (way.y, way.x))
        assert stairs_at(game, game.player_cell).startswith("stairs up to Cellars")
        actions.ascend(game)
        assert (game.map.level.id, game.player_cell) == ("cellars/1", (way.y, way.x))


def test_entities_and_files_know_where_stairs_arrive(tmp_path: Path) -> None:
    level = dungeon.World(content(tmp_path), 1).level("cellars/2")
    assert dungeon.from_json(dungeon.to_json(level)) == level
    assert dungeon.from_tiled(dungeon.to_tiled(level)["cellars-2.tmj"]) == level
    dungeon.to_esper(level, "tower")
    found = {
        (at.y, at.x): (leads.map_id, leads.arrives)
        for _, (at, leads) in esper.get_components(Position, LeadsTo)
    }
    forget_worlds()
    assert found == {(way.y, way.x): (way.leads_to, way.arrives) for way in (*level.exits, *level.ways_back)}


# -- the proof ------------------------------------------------------------------------------------


def test_the_proof_compares_the_stairs_with_those_of_the_other_maps(tmp_path: Path) -> None:
    world = dungeon.World(content(tmp_path), 1)
    level = world.level("cellars/2")
    way, *others = level.ways_back
    broken = {
        "no stairs": replace(level, ways_back=tuple(others)),
        "other map": replace(level, ways_back=(replace(way, leads_to="cellars/3"), *others)),
        "other cell": replace(level, exits=(replace(level.exits[0], arrives=Cell(0, 0)),)),
        "no cell": replace(level, exits=(replace(level.exits[0], arrives=None),)),
        "no prefab": replace(level, placements=()),
        "moved": replace(
            level, placements=tuple(replace(each, bounds=each.bounds.grown()) for each in level.placements)
        ),
    }
    for name, each in broken.items():
        assert "world-tower" in {violation.rule for violation in prove(each, world)}, name
    no_arrival = replace(level, ways_back=(replace(way, arrives=None), *others))
    assert "stairs-back" in {violation.rule for violation in prove(no_arrival)}
    other = dungeon.World(world.content, 2).level("cellars/2")
    assert "world-tower" in {violation.rule for violation in prove(replace(other, seed=1), world)}


# -- random worlds --------------------------------------------------------------------------------

WORLDS = (5, 11, 13, 27)
"""Numbers of random worlds; all have a tower that finds a place."""


@pytest.mark.parametrize("number", WORLDS)
def test_random_worlds_have_towers_whose_stairs_match(tmp_path: Path, number: int) -> None:
    write_game_with_towers(number, tmp_path)
    world = dungeon.World(dungeon.load_content(tmp_path), number)
    assert levels_of(world)
    assert any(world.floors(node.id) for node in world.maps)
