"""The recipes of the cookbook: the page is current, each recipe keeps what it promises, and can be changed as the page says."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from cookbook_edits import CHANGES
from player import play
from walker import beside, walk
from writer.cookbook import FILE, OUTPUT, PAGE, RECIPES, redrawn

import dungeon
from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cookbook_edits import Edit

    from dungeon import Level, Spawn

    Cell = tuple[int, int]

SEEDS = range(12)
PIECES = {
    "boss": "throne_hall",
    "choice": "treasury",
    "display_case": "gallery",
    "garrison": "garrison",
    "island": "hermitage",
    "keyed_complex": "hoard",
    "maze": "heart",
    "monster_closet": "closet",
    "prison": "prison",
    "shop": "shop",
    "tower": "tower_middle",
}
"""Name of a recipe -> the prefab that each of its worlds has."""


@cache
def worlds(name: str) -> list[list[Level]]:
    """Return the levels of a dozen worlds of a recipe."""
    content = dungeon.load_content(RECIPES / name)
    made = [dungeon.World(content, seed) for seed in SEEDS]
    return [[world.level(node.id) for node in world.maps] for world in made]


def levels(name: str) -> list[Level]:
    """Return all levels of a recipe that have its prefab."""
    return [
        level
        for world in worlds(name)
        for level in world
        if PIECES[name] in {placement.prefab for placement in level.placements}
    ]


def spawns(level: Level, *tags: str) -> list[Spawn]:
    return [spawn for spawn in level.spawns if spawn.tag in tags]


def cell_of(spawn: Spawn) -> Cell:
    return spawn.y, spawn.x


def reached(level: Level, words: Iterable[str] = ()) -> set[Cell]:
    """Return the cells to which one walks from the entrance, with the locks of some words open and all others shut."""
    opened = {(lock.y, lock.x) for lock in level.locks if lock.word in words}
    shut = {door.cell for door in level.doors if door.state == "locked"} - opened
    things = {cell for spawn in level.spawns if spawn.blocks and spawn.like == "prop" for cell in spawn.cells}
    cells = {(int(y), int(x)) for y, x in np.argwhere(level.walkable)}
    return walk((cells | opened) - shut - things, {}, [], level.entrance)


def steps(level: Level, goal: Cell) -> int:
    """Return how many steps a cell lies from the entrance."""
    ground, front, count = reached(level), {level.entrance}, 0
    while goal not in front:
        ground, count = ground - front, count + 1
        front = {each for cell in front for each in beside(cell)} & ground
    return count


def test_the_page_shows_the_files_and_levels_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert redrawn(page) == page, "run: python docs/writer/cookbook.py"


def test_the_page_shows_every_file_and_a_level_of_every_recipe() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = [match[1] for match in FILE.finditer(page)]
    assert sorted(shown) == sorted(
        str(file.relative_to(RECIPES)) for file in RECIPES.rglob("*") if file.is_file()
    )
    names = {folder.name for folder in RECIPES.iterdir()}
    assert {match[1].rpartition("/")[2] for match in OUTPUT.finditer(page)} == names == {*PIECES}


@pytest.mark.parametrize("name", PIECES)
def test_a_recipe_is_sound(name: str) -> None:
    """Nothing is found fault with, not even in a note; nearly all worlds have the thing; and all levels are proved."""
    examined = dungeon.examine_content(RECIPES / name)
    assert examined.problems == ()
    assert examined.content is not None
    assert all(dungeon.prove(level) == [] for world in worlds(name) for level in world)
    assert len({level.seed for level in levels(name)}) >= 11


@pytest.mark.parametrize("name", PIECES)
def test_a_recipe_is_taken_in_within_two_minutes(name: str) -> None:
    texts = [file.read_text(encoding="utf-8") for file in (RECIPES / name).rglob("*.yaml")]
    assert sum(len(text.splitlines()) for text in texts) <= 75


def test_garrison_has_one_captain_and_quarters_that_vary() -> None:
    quarters = set()
    for level in levels("garrison"):
        (placement,) = level.placements
        assert len(spawns(level, "captain")) == 1
        assert all(placement.bounds.contains(*cell_of(spawn)) for spawn in level.spawns)
        quarters.add(tuple(sorted(Counter(spawn.tag for spawn in spawns(level, "table", "rack")).items())))
    assert len(quarters) >= 3


def test_monster_closets_open_to_the_idol_alone() -> None:
    for level in levels("monster_closet"):
        (idol,), lurkers = spawns(level, "idol"), spawns(level, "lurker")
        assert [spawn for spawn in level.spawns if "opens" in spawn.keywords] == [idol]
        assert len(lurkers) == 6
        assert {spawn.keywords["ambush"] for spawn in (idol, *lurkers)} == {"closet"}
        assert cell_of(idol) in reached(level)
        assert not {*map(cell_of, lurkers)} & reached(level)
        assert {*map(cell_of, lurkers)} <= reached(level, ["closet"])


def test_display_cases_are_closed_and_of_glass() -> None:
    for level in levels("display_case"):
        assert len(level.spawns) == 2
        for y, x in map(cell_of, level.spawns):
            case = (slice(y - 1, y + 2), slice(x - 1, x + 2))
            assert level.unreachable[y, x]
            assert level.walkable[case].sum() == 1
            assert level.transparent[case].all()
            assert (level.terrain[case] == level.terrain_set.code("glass")).sum() == 8


def test_choice_offers_three_treasures_behind_a_door_whose_key_is_in_reach() -> None:
    orders = set()
    for level in levels("choice"):
        offers = [spawn for spawn in level.spawns if spawn.keywords.get("choice") == "treasury"]
        assert {spawn.tag for spawn in offers} == {"blade", "shield", "charm"}
        assert {spawn.placement for spawn in offers} == {0}
        (key,) = spawns(level, "mint_key")
        assert cell_of(key) in reached(level)
        assert not {*map(cell_of, offers)} & reached(level)
        assert {*map(cell_of, offers)} <= reached(level, ["mint_door"])
        orders.add(tuple(spawn.tag for spawn in sorted(offers, key=cell_of)))
    assert len(orders) >= 3


def test_prison_keeps_captives_and_a_warder_outside_has_the_key() -> None:
    for level in levels("prison"):
        captives = spawns(level, "tinker")
        (holder,) = [spawn for spawn in level.spawns if spawn.keywords.get("opens") == "cells"]
        assert (holder.tag, holder.keywords["holds"]) == ("warder", "cell_key")
        assert {spawn.keywords["state"] for spawn in captives} <= {"captive"}
        assert len(level.locks) == 4
        assert beside(cell_of(holder)) & reached(level)
        assert not {*map(cell_of, captives)} & reached(level)
        assert {*map(cell_of, captives)} <= reached(level, ["cells"])
    assert sum(len(spawns(level, "tinker")) for level in levels("prison")) > 12


def test_boss_stands_behind_a_wedge_of_guards_far_from_the_entrance() -> None:
    orientations = set()
    for level in levels("boss"):
        (boss,) = spawns(level, "regent")
        squares = Counter(
            (spawn.tag, (spawn.y - boss.y) ** 2 + (spawn.x - boss.x) ** 2)
            for spawn in spawns(level, "halberd", "slinger")
        )
        assert squares == {("halberd", 1): 1, ("halberd", 8): 2, ("slinger", 25): 2}
        (door,) = [door for door in level.doors if level.placements[0].bounds.contains(*door.cell)]
        front = min(spawns(level, "halberd"), key=lambda guard: abs(guard.y - boss.y) + abs(guard.x - boss.x))
        assert abs(front.y - door.y) + abs(front.x - door.x) < abs(boss.y - door.y) + abs(boss.x - door.x)
        assert steps(level, cell_of(boss)) >= 20
        orientations.add(level.placements[0].orientation)
    assert len(orientations) >= 3


def test_shop_is_there_once_in_a_world_and_all_its_goods_have_prices() -> None:
    assert all(sum(bool(spawns(level, "keeper")) for level in world) == 1 for world in worlds("shop"))
    maps = set()
    for level in levels("shop"):
        goods = [spawn for spawn in level.spawns if spawn.kind == "item"]
        prices = {(spawn.tag == "oil", spawn.keywords["price"]) for spawn in goods}
        assert {(oil, 4 <= price <= 6 if oil else 20 <= price <= 30) for oil, price in prices} <= {
            (True, True),
            (False, True),
        }
        bounds = level.placements[0].bounds
        assert not any(bounds.contains(*cell_of(stray)) for stray in spawns(level, "stray"))
        maps.add(level.id)
    assert maps == {"market/1", "market/2", "market/3"}


def test_island_is_reached_by_boat_alone() -> None:
    for level in levels("island"):
        (pearl,), (portal,) = spawns(level, "pearl"), level.portals
        assert portal.kind == "boat"
        assert portal.both
        assert cell_of(pearl) not in reached(level)
        ends = {portal.begin, portal.end}
        assert len(ends & reached(level)) == 1
        assert len(ends & {*map(cell_of, spawns(level, "boat"))}) == 2


def test_keyed_complex_needs_the_blue_key_before_the_red_one() -> None:
    for level in levels("keyed_complex"):
        (ingot,) = map(cell_of, spawns(level, "ingot"))
        assert {lock.word for lock in level.locks} == {"blue", "red", "green"}
        openers = [
            ({*spawn.cells}, spawn.keywords["opens"]) for spawn in level.spawns if "opens" in spawn.keywords
        ]
        assert sorted(word for _, word in openers) == ["blue", "green", "red"]
        assert ingot not in reached(level, ["blue", "green"])
        assert ingot not in reached(level, ["red", "green"])
        missed, strands = play(level)
        assert (missed, strands) == (frozenset(), False)


def test_tower_has_stairs_that_match_from_floor_to_floor() -> None:
    places = set()
    for floors in worlds("tower"):
        assert [floor.id for floor in floors] == ["cellars/1", "cellars/2", "cellars/3"]
        for lower, upper in pairwise(floors):
            down = {(way.y, way.x) for way in lower.exits}
            up = {(int(y), int(x)) for y, x in np.argwhere(upper.base == t.STAIRS_UP)}
            assert down == up
        assert [len(floor.exits) for floor in floors] == [2, 1, 0]
        (bounds,) = {placement.bounds for floor in floors for placement in floor.placements}
        places.add(bounds)
    assert len(places) >= 3


def passages(level: Level) -> tuple[int, int, int]:
    """Return how many cells of a maze can be walked on outside of its heart, how many pairs of them touch, and how many are dead ends."""
    bounds = next(placement.bounds for placement in level.placements if placement.prefab == "heart")
    inner = bounds.grown(-1)
    cells = {(int(y), int(x)) for y, x in np.argwhere(level.walkable) if not inner.contains(int(y), int(x))}
    degrees = Counter(len(beside(cell) & cells) for cell in cells)
    return len(cells), sum(degree * count for degree, count in degrees.items()) // 2, degrees[1]


def test_maze_fills_its_map_with_narrow_ways_and_dead_ends() -> None:
    for level in levels("maze"):
        open_cells = level.walkable.astype(int)
        squares = open_cells[1:, 1:] + open_cells[:-1, 1:] + open_cells[1:, :-1] + open_cells[:-1, :-1]
        heart = next(placement.bounds for placement in level.placements if placement.prefab == "heart")
        wide = np.argwhere(squares == 4)
        assert all(heart.contains(int(y), int(x)) for y, x in wide)
        cells, joints, ends = passages(level)
        assert cells > 500
        assert cells <= joints + 4  # it has loops
        assert ends > 30


@pytest.mark.parametrize("change", CHANGES)
def test_a_recipe_can_be_changed_as_the_page_says(change: str, tmp_path: Path) -> None:
    name, edits, tags = CHANGES[change]
    made = changed(name, tmp_path, edits)
    for tag in tags:
        assert sum(any(spawns(level, tag) for level in world) for world in made) >= 2, tag


def changed(name: str, folder: Path, edits: list[Edit]) -> list[list[Level]]:
    """Return the levels of a few worlds of a recipe with edits."""
    shutil.copytree(RECIPES / name, folder / name)
    for file, old, new in edits:
        path = folder / name / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert old in text, f"{file} has no {old!r}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")
    examined = dungeon.examine_content(folder / name)
    assert [problem for problem in examined.problems if problem.severity != "note"] == []
    assert examined.content is not None
    worlds = [dungeon.World(examined.content, seed) for seed in range(4)]
    made = [[world.level(node.id) for node in world.maps] for world in worlds]
    assert all(dungeon.prove(level) == [] for world in made for level in world)
    return made


def test_a_maze_without_loops_has_one_way_to_each_dead_end(tmp_path: Path) -> None:
    made = changed("maze", tmp_path, [("maps/hedges.yaml", "loops: 5%", "loops: 0%")])
    for level in (level for world in made for level in world):
        cells, joints, _ = passages(level)
        assert joints < cells
