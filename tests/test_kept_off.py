"""`no_spawn` with kinds of objects: what is not scattered on the cells of a drawing, nor over the feature of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn import OBJECTS, load

import dungeon

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Level

SEEDS = range(12)
NPCS = {"kinds.yaml": "npc: {like: robot}\n", "objects/npcs.yaml": "hermit: {name: hermit, glyph: h}\n"}
CROWD = (
    "{robot: sweeper, count: 150, in_sight: true}, {npc: hermit, count: 150, in_sight: true},"
    " {item: coin, count: 150}, {debris: dust, count: 150, at: anywhere}"
)
FILES = {
    **OBJECTS,
    **NPCS,
    "objects/items.yaml": 'coin: {name: coin, glyph: "$"}\n',
    "objects/debris.yaml": 'dust: {name: dust, glyph: ","}\n',
    "world.yaml": "start: m/1\n",
}
YARD = 'yard: {map: "#########\\n' + "#nnnnnnn#\\n" * 5 + '####n####", legend: {n: %s}}\n'


def levels(folder: Path, feature: str, symbol: str, **more: str) -> list[Level]:
    """Return levels crowded with objects, each with a yard whose cells have this symbol."""
    entry = f"m: {{name: M, size: 40x30, population: [{CROWD}], features: [{{prefab: yard, required: true{feature}}}]}}\n"
    content = load(folder, FILES | {"maps/m.yaml": entry, "prefabs/yard.yaml": YARD % symbol} | more)
    made = [dungeon.World(content, seed).level("m/1") for seed in SEEDS]
    assert not any(map(dungeon.prove, made))
    return made


def in_yards(made: list[Level]) -> set[str]:
    """Return the tags of all objects that lie in yards."""
    return {
        spawn.tag
        for level in made
        for spawn in level.spawns
        if level.placements[0].bounds.contains(spawn.y, spawn.x)
    }


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        ("false", {"sweeper", "hermit", "coin", "dust"}),
        ("robots", {"coin", "dust"}),  # a kind that is like a robot is one
        ("npcs", {"sweeper", "coin", "dust"}),
        ("[items, debris]", {"sweeper", "hermit"}),
        ("[props, traps]", {"sweeper", "hermit", "coin", "dust"}),
        ("true", set()),
    ],
)
def test_no_object_of_these_kinds_is_scattered_on_cells_or_over_a_feature(
    tmp_path: Path, kinds: str, found: set[str]
) -> None:
    assert in_yards(levels(tmp_path / "cells", "", f"{{terrain: floor, no_spawn: {kinds}}}")) == found
    assert in_yards(levels(tmp_path / "feature", f", no_spawn: {kinds}", "floor")) == found


def test_a_feature_keeps_the_population_off_and_not_its_own_company(tmp_path: Path) -> None:
    symbol = "{robot: sweeper, chance: 20%, followers: [{robot: sweeper}], around: [{item: coin}]}"
    assert in_yards(levels(tmp_path, ", no_spawn: [robots, items]", symbol)) == {"sweeper", "coin", "dust"}


def test_cells_keep_off_company_and_content_too(tmp_path: Path) -> None:
    yard = 'yard: {map: "nnnnn\\nnnwnn\\nnnnnn", orientations: r0, legend: {n: {terrain: floor, no_spawn: [robots, items]}, w: %s}}\n'
    around = "{robot: sweeper, followers: [{robot: sweeper, count: 3}], around: [{item: coin, count: 4, within: 2}]}"
    encounter = (
        "e: {category: fluff, prefabs: yard, placing: accessible, maps: {m: 1}, access: 1..4,"
        " content: [{item: coin, count: 40}, {debris: dust, count: 40}]}\n"
    )
    files = FILES | {
        "maps/m.yaml": "m: {name: M, size: 60x40, encounters: 3}\n",
        "prefabs/yard.yaml": yard % around,
        "encounters/e.yaml": encounter,
    }
    content = load(tmp_path, files)
    seen = set()
    for seed in SEEDS:
        level = dungeon.World(content, seed).level("m/1")
        assert not dungeon.prove(level)
        for placement in level.placements:
            for spawn in (each for each in level.spawns if placement.bounds.contains(each.y, each.x)):
                is_middle = (spawn.y, spawn.x) == (placement.bounds.y + 1, placement.bounds.x + 2)
                assert spawn.kind == "debris" or is_middle
                seen.add(spawn.kind)
    assert seen == {"debris", "robot"}


def test_nothing_of_a_kind_shifts_onto_a_cell(tmp_path: Path) -> None:
    yard = 'yard: {map: "#######\\n#nnIpp.\\n#######", legend: {n: {terrain: floor, no_spawn: items}, I: {item: coin, shift: [2, 0]}, p: floor}}\n'
    entry = "m: {name: M, size: 40x30, features: [{prefab: yard, required: true, orientations: r0}]}\n"
    content = load(tmp_path, FILES | {"maps/m.yaml": entry, "prefabs/yard.yaml": yard})
    columns = set()
    for seed in range(30):
        level = dungeon.World(content, seed).level("m/1")
        columns |= {spawn.x - level.placements[0].bounds.x for spawn in level.spawns}
    assert columns == {3, 4, 5}


def test_kinds_are_rolled_like_any_value(tmp_path: Path) -> None:
    made = levels(tmp_path, "", "{terrain: floor, no_spawn: {value: robots, chance: 50%}}")
    assert in_yards(made) == {"sweeper", "hermit", "coin", "dust"}
    rare = levels(tmp_path / "never", "", "{terrain: floor, no_spawn: {robots: 1, true: 1}}")
    assert in_yards(rare) == {"coin", "dust"}


@pytest.mark.parametrize("word", ["robot", "[robots, rabots]", "[]", "3", "[true, robots]"])
def test_other_words_are_refused_with_what_is_allowed(tmp_path: Path, word: str) -> None:
    for feature, symbol in ((f", no_spawn: {word}", "floor"), ("", f"{{terrain: floor, no_spawn: {word}}}")):
        with pytest.raises(dungeon.ContentError, match=r"kinds|empty") as error:
            levels(tmp_path, feature, symbol)
        assert len(error.value.problems) == 1
