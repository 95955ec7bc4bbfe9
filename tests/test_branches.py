"""Worlds by pattern: what rules expand to, what is wrong with them, and what is left to chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import marked
from drawn import load, small_game, write
from lots import sampled

import dungeon
from dungeon import terrain as t
from dungeon.cli import main
from dungeon.generation.encounters.shares import WorldMap

if TYPE_CHECKING:
    from pathlib import Path

MAPS = """\
tombs: {name: Tombs, layout: boxes, size: {by_depth: {1: 30x20, 5: 70x40}}, encounters: {by_depth: {1: 1, 5: 5..9}}}
crypt: {name: Crypt, layout: boxes, size: 40x30, encounters: 3}
vault: {name: Vault, layout: boxes, size: 40x30}
"""
NINES = NormalDist().inv_cdf(0.9995)


def game(folder: Path, world: str, **more: str) -> dungeon.Content:
    """Return the small game with more maps, and another world."""
    files = small_game() | {"maps/more.yaml": MAPS, "world.yaml": world}
    return load(folder, files | {place.replace("__", "/") + ".yaml": text for place, text in more.items()})


def ways(content: dungeon.Content, seed: int = 0) -> dict[str, list[str]]:
    """Return where each map of a world leads."""
    return {node.id: list(node.leads_to) for node in dungeon.World(content, seed).maps}


def likely(times: int, chance: float, tries: int) -> bool:
    """Tell whether something of that chance comes so often in so many tries, within a 99.9 % interval."""
    return abs(times - chance * tries) <= NINES * (tries * chance * (1 - chance)) ** 0.5 + 0.5


# -- what rules expand to -------------------------------------------------------------------------

EXPANDED = {
    "all of a branch, each to the next": (
        "maps: {tombs: 1..3}\nleads_to: {under/1: tombs/1, tombs/*: tombs/+1}\n",
        {"under/1": ["tombs/1"], "tombs/1": ["tombs/2"], "tombs/2": ["tombs/3"], "tombs/3": []},
    ),
    "some of them, which need not be listed again": (
        "leads_to: {under/1: tombs/1, tombs/1..2: tombs/+1}\n",
        {"under/1": ["tombs/1"], "tombs/1": ["tombs/2"], "tombs/2": []},
    ),
    "a rule over those that others name": (
        "leads_to: {under/1: [tombs/1..2, crypt/2], tombs/*: [tombs/+1, crypt/+0], crypt/2: crypt/3}\n",
        {
            "under/1": ["tombs/1", "tombs/2", "crypt/2"],
            "tombs/1": ["tombs/2"],
            "tombs/2": ["crypt/2"],
            "crypt/2": ["crypt/3"],
            "crypt/3": [],
        },
    ),
    "rules add up, and what two of them say counts once": (
        "maps: {tombs: 1..3, crypt: 3}\nleads_to: {under/1: tombs/1, tombs/*: tombs/+1, tombs/2: [crypt/+1, tombs/3]}\n",
        {
            "under/1": ["tombs/1"],
            "tombs/1": ["tombs/2"],
            "tombs/2": ["tombs/3", "crypt/3"],
            "tombs/3": [],
            "crypt/3": [],
        },
    ),
    "with gaps": (
        "maps: {tombs: [1, 3..4]}\nleads_to: {under/1: tombs/1, tombs/1: tombs/3, tombs/*: tombs/+1}\n",
        {"under/1": ["tombs/1"], "tombs/1": ["tombs/3"], "tombs/3": ["tombs/4"], "tombs/4": []},
    ),
    "and back up": (
        "maps: {tombs: 1..2}\nleads_to: {under/1: tombs/1, tombs/*: [tombs/+1, tombs/-1]}\n",
        {"under/1": ["tombs/1"], "tombs/1": ["tombs/2"], "tombs/2": ["tombs/1"]},
    ),
}


@pytest.mark.parametrize(("world", "expected"), EXPANDED.values(), ids=EXPANDED.keys())
def test_patterns_expand_to_maps(tmp_path: Path, world: str, expected: dict[str, list[str]]) -> None:
    assert ways(game(tmp_path, f"start: under/1\n{world}")) == expected


def test_a_pattern_is_the_same_world_as_its_list(tmp_path: Path) -> None:
    short = "start: under/1\nmaps: {tombs: 1..3}\nleads_to: {under/1: tombs/1, tombs/*: tombs/+1}\n"
    long = "start: under/1\nleads_to: {under/1: tombs/1, tombs/1: tombs/2, tombs/2: tombs/3}\n"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = game(tmp_path / "a", short), game(tmp_path / "b", long)
    assert dungeon.World(one, 3).maps == dungeon.World(other, 3).maps
    assert dungeon.World(one, 3).level("tombs/2") == dungeon.World(other, 3).level("tombs/2")


# -- mistakes -------------------------------------------------------------------------------------

START = "start: under/1\n"
WRONG = {
    "no map at that depth": (
        "maps: {tombs: 1..3}\nleads_to: {under/1: [tombs/1, «tombs/5], tombs/*: tombs/+1}\n",
        "this branch has no map at depth 5: tombs/5 (did you mean tombs/3?)",
    ),
    "a range that goes too far": (
        "maps: {tombs: 1..3}\nleads_to: {under/1: tombs/1, «tombs/1..4: tombs/+1}\n",
        "this branch has no map at depth 4: tombs/1..4 (did you mean tombs/1?)",
    ),
    "all of none": (
        "leads_to: {under/1: tombs/1, «vault/*: tombs/+1}\n",
        "the world has no such map; 'maps' says at which depths there are any: vault/* (allowed: tombs/1, under/1)",
    ),
    "nothing lies there": (
        "leads_to: {under/1: [tombs/1, «tombs/+3]}\n",
        "this exit leads nowhere: the world has no such map: tombs/+3",
    ),
    "nothing leads there": (
        "maps: {tombs: 1..3, «crypt: 4..6}\nleads_to: {under/1: tombs/1, tombs/*: tombs/+1}\n",
        "no exits lead from the start of the world to these maps: crypt",
    ),
    "nothing leads to some": (
        "maps: {«tombs: 1..4}\nleads_to: {under/1: tombs/1, tombs/1: tombs/+1}\n",
        "no exits lead from the start of the world to tombs/3, tombs/4: tombs",
    ),
    "to itself": (
        "leads_to: {under/1: [«under/+0, tombs/1]}\n",
        "a map can't lead to itself: under/+0",
    ),
    "a branch of no type": (
        "maps: {«tomb: 1..3}\nleads_to: {under/1: tomb/1, tomb/*: tomb/+1}\n",
        "there is no type of map of this name: tomb (did you mean tombs?)",
    ),
    "types without weight": (
        "maps: {deep: {depths: 2..3, «maps: {tombs: {by_depth: {2: 1, 3: 0}}}}}\nleads_to: {under/1: deep/2..3}\n",
        "no type of map has a weight above 0 at depth 3",
    ),
    "a depth twice": (
        "maps: {tombs: [1..3, «2]}\nleads_to: {under/1: tombs/1..3}\n",
        "depth 2 is listed twice: 2",
    ),
    "no depths": (
        "maps: {tombs: «shallow}\nleads_to: {under/1: tombs/1}\n",
        "a depth, or a range of depths such as 1..10, is needed here: shallow",
    ),
    "a range that ends above": (
        "leads_to: {under/1: «tombs/3..1}\n",
        "the end of this range is below its start: tombs/3..1",
    ),
    "no pattern": (
        "leads_to: {under/1: «tombs/*}\n",
        "where exits lead is written name/depth, name/3..5, or name/+1 for one depth deeper: tombs/*",
    ),
    "no maps": (
        "leads_to: {«under/+1: tombs/1}\n",
        "maps are written name/depth, name/3..5, or name/* for all of that name: under/+1",
    ),
    "the start left to chance": (
        "choose: [{of: [«under, tombs]}]\nleads_to: {under/1: tombs/1}\n",
        "games begin here, so every world has this branch: under",
    ),
    "another start left to chance": (
        "starts: {school: tombs/1}\nmaps: {tombs: {depths: 1, chance: «50%}}\nleads_to: {under/1: tombs/1}\n",
        "games begin here, so every world has this branch: tombs",
    ),
    "no other start": (
        "starts: {school: «tombs/3}\nmaps: {tombs: 1..2}\nleads_to: {under/1: tombs/1, tombs/1: tombs/2}\n",
        "this branch has no map at depth 3: tombs/3 (did you mean tombs/2?)",
    ),
    "twice left to chance": (
        "maps: {tombs: {depths: 2, chance: 50%}}\nchoose: [{of: [«tombs, crypt]}]\nleads_to: {under/1: [tombs/2, crypt/2]}\n",
        "another 'chance' or 'choose' decides already whether the world has this branch: tombs",
    ),
    "more than there are": (
        "choose: [{of: [tombs, crypt], count: «3}]\nleads_to: {under/1: [tombs/2, crypt/2]}\n",
        "only 2 branches are listed to choose from: 3",
    ),
    "none of the world's": (
        "choose: [{of: [tombs, «crypt]}]\nleads_to: {under/1: [tombs/2]}\n",
        "the world has no map of this name: crypt",
    ),
    "from itself": (
        "maps: {tombs: {depths: 2..3, entered_from: «tombs/3}}\nleads_to: {under/1: tombs/2, tombs/2: tombs/3}\n",
        "a branch can't be entered from itself: tombs/3",
    ),
    "one way to nothing": (
        "one_way: «crypt/*\nleads_to: {under/1: tombs/2}\n",
        "the world has no such map; 'maps' says at which depths there are any: crypt/* (allowed: tombs/2, under/1)",
    ),
}


@pytest.mark.parametrize(("world", "message"), WRONG.values(), ids=WRONG.keys())
def test_mistakes_are_told_where_they_are(tmp_path: Path, world: str, message: str) -> None:
    text, [place] = marked(START + world)
    folder = write(tmp_path, small_game() | {"maps/more.yaml": MAPS, "world.yaml": text})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(folder)
    assert [str(each).removeprefix(f"{folder}/") for each in caught.value.problems] == [
        f"world.yaml:{place}: error: world: {message}"
    ]


@pytest.mark.parametrize(
    "world",
    [
        "maps: {tombs: 0..1000, crypt: 0..1000, vault: 0..1000, under: 0..1000, deep: {depths: 0..1000, maps: {tombs: 1}}}\n",
        "maps: {tombs: 0..400}\nleads_to: {under/1: tombs/0..400, tombs/*: tombs/0..400}\n",
    ],
)
def test_too_much_is_an_error_and_takes_no_time(tmp_path: Path, world: str) -> None:
    with pytest.raises(dungeon.ContentError, match="at most"):
        game(tmp_path, START + world)


# -- what is left to chance -----------------------------------------------------------------------

WORLDS = 300
CHANCY = """\
start: under/1
maps:
  tombs: 2..5
  crypt: {depths: 3..4, maps: {crypt: 3, tombs: 1}, chance: 30%, entered_from: tombs/2..4}
leads_to:
  under/1: tombs/2
  tombs/*: tombs/+1
  crypt/*: crypt/+1
  crypt/4: vault/5
one_way: vault/*
"""


def test_some_worlds_have_a_branch_entered_from_one_map_of_several(tmp_path: Path) -> None:
    content = game(tmp_path, CHANCY)
    mouths: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for seed in range(WORLDS):
        world = dungeon.World(content, seed)
        found = [node.id for node in world.maps if "crypt/3" in node.leads_to]
        assert ("crypt/3" in world) == ("vault/5" in world) == bool(found)
        assert len(found) <= 1
        mouths.update(found)
        types.update(node.name for node in world.maps if node.branch == "crypt")
        assert [node.branch_depth for node in world.maps if node.branch == "crypt"] in ([], [1, 2])
        assert all(target in world for node in world.maps for target in node.leads_to)
    assert likely(mouths.total(), 0.3, WORLDS)
    assert all(likely(mouths[f"tombs/{depth}"], 1 / 3, mouths.total()) for depth in (2, 3, 4))
    assert likely(types["crypt"], 3 / 4, types.total())


def test_as_many_branches_are_chosen_as_are_asked_for(tmp_path: Path) -> None:
    choice = "choose: [{of: [tombs, crypt, vault], count: 1..2}]\n"
    content = game(tmp_path, f"{START}{choice}leads_to: {{under/1: [tombs/2, crypt/2, vault/2]}}\n")
    counts = [{*ways(content, seed)} - {"under/1"} for seed in range(WORLDS)]
    assert {len(each) for each in counts} == {1, 2}
    for branch in ("tombs/2", "crypt/2", "vault/2"):
        assert likely(sum(branch in each for each in counts), 1 / 2, WORLDS)


def test_decisions_stay_when_others_are_added(tmp_path: Path) -> None:
    """A new branch, a new type of map and a new place to enter from change only the worlds in which they win."""
    before = game(tmp_path / "before", CHANCY)
    edits = {
        "a branch": ("  tombs: 2..5\n", "  tombs: 2..5\n  vault: {depths: 5, chance: 50%}\n"),
        "a type": ("crypt: 3, tombs: 1", "crypt: 3, tombs: 1, vault: 1"),
        "a mouth": ("tombs/2..4", "tombs/2..5"),
    }
    for what, (old, new) in edits.items():
        assert old in CHANCY
        after = game(tmp_path / what, CHANCY.replace(old, new))
        for seed in range(100):
            one, other = (
                {(node.id, node.name): node for node in dungeon.World(content, seed).maps}
                for content in (before, after)
            )
            if what == "a branch":
                assert one.keys() - other.keys() <= {("vault/5", "vault")}
            if what == "a type":
                assert all(name == "vault" for _, name in other.keys() - one.keys())
            if what == "a mouth" and "crypt/3" not in dict(other)["tombs/5", "tombs"].leads_to:
                assert one == other


def test_a_world_is_a_pure_function_of_content_and_seed(tmp_path: Path) -> None:
    content = game(tmp_path, CHANCY)
    for seed in range(20):
        world = dungeon.World(content, seed)
        assert world.maps == dungeon.World(content, seed).maps
    assert len({dungeon.World(content, seed).maps for seed in range(60)}) > 5


def test_levels_of_all_branches_are_proved(tmp_path: Path) -> None:
    content = game(tmp_path, CHANCY)
    for seed in range(12):
        world = dungeon.World(content, seed)
        for node in world.maps:
            level = world.level(node.id)
            assert dungeon.prove(level, world) == []
            assert level.name == content.maps[node.name].name


def test_no_stairs_lead_back_from_a_map_of_one_way(tmp_path: Path) -> None:
    content = game(tmp_path, START + "leads_to: {under/1: [vault/2, crypt/2]}\none_way: vault/2\n")
    for seed in range(10):
        world = dungeon.World(content, seed)
        vault, crypt = world.level("vault/2"), world.level("crypt/2")
        assert not (vault.base == t.STAIRS_UP).any()
        assert vault.walkable[vault.entrance]
        assert crypt.base[crypt.entrance] == t.STAIRS_UP
        assert [each.rule for each in dungeon.prove(crypt, OneWayWorld(content, seed))] == ["world-entrance"]


class OneWayWorld(dungeon.World):
    """A world that says of all its maps that no way leads back."""

    def node(self, map_id: str) -> dungeon.MapNode:
        return replace(super().node(map_id), one_way=True)


def test_drawn_stairs_open_a_branch_where_the_world_wants_it(tmp_path: Path) -> None:
    """A feature that leads to a branch is only on the map from which that is entered."""
    prefab = 'mouth: {map: "...\\n.>.\\n...", tags: [], legend: {}}\n'
    maps = MAPS.replace(
        "boxes, size: {by_depth", "tunnels, features: [{prefab: mouth, to: crypt}], size: {by_depth"
    )
    files = {"prefabs__mouth": prefab, "maps__more": maps}
    content = game(tmp_path, CHANCY.replace("30%", "100%"), **files)
    for seed in range(8):
        world = dungeon.World(content, seed)
        for node in world.maps:
            if node.branch == "tombs":
                level = world.level(node.id)
                drawn = [each.bounds for each in level.placements if each.prefab == "mouth"]
                mouths = [way for way in level.exits if way.leads_to == "crypt/3"]
                assert len(drawn) == len(mouths) == ("crypt/3" in node.leads_to)
                assert all(
                    bounds.y <= way.y < bounds.y + 3 for bounds, way in zip(drawn, mouths, strict=True)
                )


def test_a_map_of_other_worlds_is_told_apart_from_one_of_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game(tmp_path, CHANCY)
    seeds = [seed for seed in range(20) if "crypt/3" in ways(dungeon.load_content(tmp_path), seed)]
    without = next(seed for seed in range(20) if seed not in seeds)
    after = next(seed for seed in seeds if seed > without)
    for command, wrong in (("show", "crypt/3"), ("why", "crypt")):
        assert main([command, wrong, "--data", str(tmp_path), "--seed", str(without)]) == 2
        told = capsys.readouterr().err
        assert f"the world of seed {without} has no {wrong!r} (try --seed {after})" in told
        assert main([command, wrong, "--data", str(tmp_path), "--seed", str(after)]) == 0
        capsys.readouterr()


# -- numbers by depth -----------------------------------------------------------------------------


def test_size_and_encounters_grow_with_depth(tmp_path: Path) -> None:
    content = game(tmp_path, START + "maps: {tombs: 1..6}\nleads_to: {under/1: tombs/1, tombs/*: tombs/+1}\n")
    world = dungeon.World(content)
    sizes = [world.level(f"tombs/{depth}").terrain.shape for depth in range(1, 7)]
    assert sizes == [(20, 30), (25, 40), (30, 50), (35, 60), (40, 70), (40, 70)]
    wanted = [(min(each.wanted), max(each.wanted)) for each in world.odds("tombs").maps]
    assert wanted == [(1, 1), (2, 3), (3, 5), (4, 7), (5, 9), (5, 9)]
    stepped = MAPS.replace("5: 70x40}", "5: 70x40}, stepped: true")
    (tmp_path / "stepped").mkdir()
    again = game(tmp_path / "stepped", START + "leads_to: {under/1: tombs/1..5}\n", maps__more=stepped)
    shapes = [dungeon.World(again).level(f"tombs/{depth}").terrain.shape for depth in (4, 5)]
    assert shapes == [(20, 30), (40, 70)]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "size: {by_depth: {1: «60}}",
            "a size is written 100x60 (columns x rows), or {width: ..., height: ...}: 60",
        ),
        ("size: {by_depth: {1: «60x8}}", "both sides of a map must lie between 9 and 4000: 60x8"),
        ("size: {by_depth: {«x: 60x40}}", "a depth from 0 to 1000 is needed here: x"),
        ("size: {width: {by_depth: {1: «5}}}", "this number must lie between 9 and 4000: 5"),
        (
            "encounters: {by_depth: {1: 3, 2: «none}}",
            "a whole number, or a range such as 2..5, is needed here: none",
        ),
        (
            "encounters: {by_depth: {1: 3, 2: «[1, 5]}}",
            "only numbers and ranges can change gradually from depth to depth; with stepped: true this holds until the next depth: [1, 5]",
        ),
        (
            "encounters: «{by_depth: {1: 3}, steped: true}",
            (
                "a number by depth is written {by_depth: {1: 4, 5: 8..10}}, with or without stepped: true: "
                "{by_depth: {1: 3}, steped: true}"
            ),
        ),
    ],
)
def test_mistakes_in_numbers_by_depth(tmp_path: Path, entry: str, message: str) -> None:
    text, [place] = marked(f"vault: {{name: Vault, layout: boxes, {entry}}}\n")
    world = START + "leads_to: {under/1: vault/2}\n"
    folder = write(tmp_path, small_game() | {"maps/more.yaml": text, "world.yaml": world})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(folder)
    assert [str(each).removeprefix(f"{folder}/") for each in caught.value.problems] == [
        f"maps/more.yaml:{place}: error: map 'vault': {message}"
    ]


# -- odds, and what worlds share out --------------------------------------------------------------

HOARD = "hoard: {category: reward, prefabs: one, maps: {under: 1, tombs: 1, crypt: 1}, limit: {world: 1}, guaranteed: true}\n"


def test_once_in_a_world_is_on_one_map_of_those_that_it_has(tmp_path: Path) -> None:
    content = game(tmp_path, CHANCY, encounters__hoard=HOARD)
    met: Counter[str] = Counter()
    for seed in range(16):
        world = dungeon.World(content, seed)
        levels = [world.level(node.id) for node in world.maps if node.name != "vault"]
        found = [each.id for each in levels for one in each.placements if one.encounter == "hoard"]
        assert len(found) == 1
        met.update(found)
    assert len(met) > 3


def test_the_odds_weigh_how_likely_a_map_is_there(tmp_path: Path) -> None:
    plain = "stone: {category: fluff, prefabs: one, maps: {crypt: 1}, limit: {map: 3}}\n"
    content = game(tmp_path, CHANCY, encounters__hoard=HOARD + plain)
    odds = dungeon.World(content).odds(width=0.1)
    chance = {(each.id, each.name): each.chance.value for each in odds.maps}
    assert chance["tombs/3", "tombs"] == 1
    assert chance["crypt/3", "crypt"] == pytest.approx(0.3 * 3 / 4, abs=0.05)
    assert chance["crypt/3", "tombs"] == pytest.approx(0.3 / 4, abs=0.05)
    by_map = {(each.id, each.name, told.encounter): told for each in odds.maps for told in each.encounters}
    # Three on each crypt, of which a world has 2 x 3/4 in 30 % of all worlds; and one hoard in any world.
    assert by_map["crypt/3", "crypt", "stone"].copies.value == pytest.approx(2.5, abs=0.6)
    assert by_map["tombs/2", "tombs", "hoard"].world.value == pytest.approx(1, abs=0.05)
    realised = dungeon.World(content).odds(
        "crypt", realised=30, width=0.2
    )  # what levels have is looked at alone
    had = {
        (each.id, each.name): told.realised
        for each in realised.maps
        for told in each.encounters
        if told.encounter == "stone"
    }
    one = had["crypt/3", "crypt"]
    assert one is not None
    assert one.due > 1


RARE = """\
gem: {category: reward, prefabs: one, maps: {tombs: 3, crypt: 1, under: 1}, limit: {world: 1..2}}
bone: {category: fluff, prefabs: one, maps: {tombs: 1, crypt: {by_depth: {3: 1, 4: 5}}}, limit: {map: 2}}
"""


@pytest.mark.parametrize(
    "world",
    [
        CHANCY,
        CHANCY.replace("chance: 30%, ", ""),
        START
        + "choose: [{of: [tombs, crypt], count: {0: 1, 1: 3}}]\nleads_to: {under/1: [tombs/3, crypt/3]}\n",
    ],
    ids=["a branch or not", "types of map", "one of two, or none"],
)
def test_odds_of_worlds_that_differ_are_computed(tmp_path: Path, world: str) -> None:
    content = game(tmp_path, world, encounters__all=RARE)
    odds = dungeon.World(content).odds()
    assert odds.samples == 0
    places = [WorldMap(each.id, each.name, int(each.id.rsplit("/")[1])) for each in odds.maps]
    drawn = sampled(content, places, 500)
    for on_map, place in zip(odds.maps, places, strict=True):
        for each in on_map.encounters:
            often = drawn[place][each.encounter]
            assert abs(each.copies.value - often.copies.value) <= often.copies.margin, (place, each)
            assert abs(each.first.value - often.first.value) <= often.first.margin, (place, each)
    had = Counter(node.id for seed in range(WORLDS) for node in dungeon.World(content, seed).maps)
    for map_id in had:
        chance = sum(each.chance.value for each in odds.maps if each.id == map_id)
        assert likely(had[map_id], chance, WORLDS)


def test_of_too_many_worlds_samples_are_drawn(tmp_path: Path) -> None:
    world = (
        START
        + "maps: {deep: {depths: 2..9, maps: {crypt: 1, tombs: 1}}}\nleads_to: {under/1: deep/2, deep/*: deep/+1}\n"
    )
    odds = dungeon.World(game(tmp_path, world, encounters__all=RARE)).odds("deep/4", width=0.037)
    assert odds.samples > 0
    assert [(each.name, each.chance.value) for each in odds.maps] == [
        ("crypt", pytest.approx(0.5, abs=0.03)),
        ("tombs", pytest.approx(0.5, abs=0.03)),
    ]


def test_branch_limits_hold_in_a_branch_of_several_types(tmp_path: Path) -> None:
    pair = "pair: {category: risk, prefabs: one, maps: {crypt: 1, tombs: 1}, limit: {branch: 1}}\n"
    world = (
        START
        + "maps: {deep: {depths: 2..6, maps: {crypt: 1, tombs: 1}}}\nleads_to: {under/1: deep/2, deep/*: deep/+1}\n"
    )
    content = game(tmp_path, world, encounters__pair=pair)
    for seed in range(10):
        made = dungeon.World(content, seed)
        levels = [made.level(node.id) for node in made.maps if node.branch == "deep"]
        assert np.count_nonzero([one.encounter == "pair" for each in levels for one in each.placements]) == 1
