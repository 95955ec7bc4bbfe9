"""Encounters with variants: one race, one limit, and a form of its own for each copy."""

import json
from collections import Counter
from dataclasses import replace
from textwrap import dedent

import pytest
from content_files import marked, write_content
from test_adapters import before

import dungeon
from dungeon.authoring.uses import uses_of
from dungeon.cli import main
from dungeon.cli.odds import as_json

STORE = """\
    store:
      category: reward
      prefabs: shelf
      placing: accessible
      maps: {cellars: 1}
      limit: {map: 2}
      variants:
        full: {weight: 3, content: [{item: scrap, count: 2}]}
        bare: {prefabs: table}
        held: {weight: {by_depth: {1: 0, 2: 4}}, content: [{robot: sweeper, count: 3}]}
    """
FILES = {
    "prefabs/more.yaml": """\
        shelf: {map: "."}
        table: {map: ".."}
        huge: {map: "......................................................................"}
        """,
    "encounters/rooms.yaml": STORE,
    "maps/cellars.yaml": "cellars: {name: The Cellars, size: 60x40, encounters: 3}\n",
}


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    return dungeon.load_content(write_content(tmp_path_factory.mktemp("content"), FILES))


@pytest.fixture(scope="module")
def levels(content):
    """Return the levels of some worlds, each with its world."""
    worlds = [dungeon.World(content, seed) for seed in range(60)]
    return [(world.level(node.id), world) for world in worlds for node in world.maps]


def test_copies_are_of_variants_by_their_weights_and_share_a_limit(levels):
    for depth, weights in ((1, {"full": 3, "bare": 1}), (2, {"full": 3, "bare": 1, "held": 4})):
        found = [level.placements for level, _ in levels if level.depth == depth]
        assert all([each.encounter for each in placed] == ["store", "store"] for placed in found)
        counts = Counter(each.variant for placed in found for each in placed)
        total, whole = counts.total(), sum(weights.values())
        assert counts.keys() == weights.keys()
        for name, weight in weights.items():
            share = weight / whole
            assert abs(counts[name] - total * share) < 3.3 * (total * share * (1 - share)) ** 0.5


def test_each_copy_is_what_its_variant_says_and_else_what_the_encounter_does(levels):
    brings = {"full": ["item", "item"], "bare": [], "held": ["robot"] * 3}
    for level, world in levels:
        assert dungeon.prove(level, world) == []
        for index, placement in enumerate(level.placements):
            assert placement.prefab == {"bare": "table"}.get(placement.variant, "shelf")
            assert (placement.mode, placement.category) == ("accessible", "reward")
            brought = [each.kind for each in level.spawns if each.placement == index]
            assert brought == brings[placement.variant]


def test_the_proof_knows_variants(levels):
    level, world = next((level, world) for level, world in levels if level.placements[0].variant == "bare")
    first, *others = level.placements
    for changed, words in (
        ({"variant": "held"}, "store with table has the prefab 'table', which this variant does not use"),
        ({"variant": "burnt"}, "store with table has the unknown variant 'burnt'"),
        ({"variant": ""}, "store with table has the unknown variant ''"),
    ):
        spoilt = replace(level, placements=(replace(first, **changed), *others))
        assert [each.message for each in dungeon.prove(spoilt, world)] == [words]
    spoilt = replace(level, placements=(replace(first, variant=7), *others))
    assert [each.rule for each in dungeon.prove(spoilt, world)] == ["field-value"]


def test_what_has_no_place_leaves_its_turn_to_the_next_variant(tmp_path):
    files = {**FILES, "encounters/rooms.yaml": STORE.replace("weight: 3", "weight: 1000, prefabs: huge")}
    level = dungeon.World(dungeon.load_content(write_content(tmp_path, files)), 1).level("cellars/1")
    assert [each.variant for each in level.placements] == ["bare", "bare"]


def test_a_variant_that_is_only_scattered_has_no_prefab(tmp_path):
    strewn = STORE.replace("bare: {prefabs: table}", "bare: {placing: free, content: [{item: scrap}]}")
    write_content(tmp_path, {**FILES, "encounters/rooms.yaml": strewn})
    content = dungeon.load_content(tmp_path)
    placed = [
        each for seed in range(4) for each in dungeon.World(content, seed).level("cellars/1").placements
    ]
    assert {(each.variant == "bare", each.prefab, each.mode) for each in placed} == {
        (True, "", "free"),
        (False, "shelf", "accessible"),
    }


def test_a_refusal_tells_of_every_variant(tmp_path):
    narrow = STORE.replace("weight: 3", "weight: 3, access: 99").replace("prefabs: table", "prefabs: huge")
    files = {**FILES, "encounters/rooms.yaml": narrow}
    level = dungeon.World(dungeon.load_content(write_content(tmp_path, files)), 1).level("cellars/1")
    assert not level.placements
    (told,) = (each for each in level.journal if each.verdict == "refused")
    assert "full: none of" in told.reason
    assert "; bare: none of" in told.reason or told.reason.startswith("bare: none of")
    rooms = sum(count for _, count in told.counts)
    assert rooms == 2 * sum(count for rule, count in told.counts if "door" in rule)


def test_a_variant_less_or_more_moves_only_what_it_wins(tmp_path, content):
    fewer = {**FILES, "encounters/rooms.yaml": STORE.replace("bare:", "worn: {weight: 1}\n        bare:")}
    other = dungeon.load_content(write_content(tmp_path, fewer))
    same = 0
    for seed in range(20):
        one, two = (dungeon.World(each, seed).level("cellars/1") for each in (content, other))
        if "worn" not in {each.variant for each in two.placements}:
            same += 1
            assert one == two
    assert 3 <= same <= 17


def test_at_a_depth_without_variants_an_encounter_never_comes(tmp_path):
    lines = STORE.splitlines(keepends=True)
    files = {**FILES, "encounters/rooms.yaml": "".join([*lines[:7], lines[9]])}  # only the one that is held
    world = dungeon.World(dungeon.load_content(write_content(tmp_path, files)), 3)
    assert [len(world.level(node.id).placements) for node in world.maps] == [0, 2]
    (no, yes) = world.odds().maps
    assert [[each.encounter for each in told.encounters] for told in (no, yes)] == [[], ["store"]]


def test_levels_with_variants_go_through_json(levels):
    level, _ = levels[0]
    text = dungeon.to_json(level)
    assert dungeon.from_json(text) == level
    data = before(json.loads(text), 6, "markers", "ways_back")
    for placement in data["placements"]:
        del placement["variant"]  # as a version wrote it that knew of none
    assert {each.variant for each in dungeon.from_json(json.dumps(data)).placements} == {""}


def test_authors_are_told_of_variants(content):
    (told,) = uses_of(content, "table")
    assert (told.name, told.variants) == ("store", ("bare",))
    shares = [dict(on_map.encounters[0].variants) for on_map in dungeon.World(content, 1).odds().maps]
    assert shares == [{"full": 0.75, "bare": 0.25}, {"full": 0.375, "bare": 0.125, "held": 0.5}]
    plain = as_json(dungeon.World(content, 1).odds(), 1)
    assert [each["encounters"][0]["variants"] for each in plain["maps"]] == shares


def test_what_variants_came_to_is_told_beside_what_they_were_due(tmp_path, capsys):
    files = FILES | {"encounters/rooms.yaml": STORE.replace("{prefabs: table}", "{prefabs: huge}")}
    folder = write_content(tmp_path, files)
    worlds = 25
    odds = dungeon.World(dungeon.load_content(folder), 0).odds("cellars/1", realised=worlds)
    levels = [dungeon.World(dungeon.load_content(folder), seed).level("cellars/1") for seed in range(worlds)]
    (store,) = odds.maps[0].encounters
    assert store.variants == {"full": 0.75, "bare": 0.25}
    full, bare = (store.realised.variants[name] for name in store.variants)
    assert (full.had, bare.had) == (1, 0), "what fits nowhere leaves its turn to the other"
    assert {each.variant for level in levels for each in level.placements} == {"full"}
    assert full.due + bare.due == 1
    assert 0 < full.margin == bare.margin < 1
    assert full.differs
    assert abs(full.due - 0.75) < 3.3 * (0.75 * 0.25 / store.realised.had / worlds) ** 0.5
    assert not store.realised.differs, "of all variants together, levels have what they are due"

    told = {}
    for form in ("--json", "--csv", "--markdown", "--colour=never"):
        assert main(["odds", str(folder), "--map", "cellars/1", f"--realised={worlds}", form]) == 0
        told[form] = capsys.readouterr().out
    (plain,) = json.loads(told["--json"])["maps"][0]["encounters"]
    assert plain["realised"]["variants"]["bare"] == {
        "had": 0,
        "due": bare.due,
        "margin": bare.margin,
        "parts": True,
    }
    assert f"full 0.75; bare 0.25,2.0,2.0,0.0,,full 1; bare 0,full {full.due:.3g};" in told["--csv"]
    assert (
        f"| store as bare | 25% | | {bare.due:.1%} | 0.0% | 0% | {bare.margin:.1%} | |" in told["--markdown"]
    )
    assert "as full 75% (100% ▲), bare 25% (0% ▼)" in told["--colour=never"]


def test_an_encounter_costs_what_its_variants_do_on_average(tmp_path):
    files = {
        **FILES,
        "objects/items.yaml": 'scrap: {name: scrap, glyph: "!", worth: 8}\n',
        "objects/robots.yaml": "sweeper: {name: sweeper, glyph: s, threat: 2}\n",
    }
    costs = dungeon.load_content(write_content(tmp_path, files)).costs
    assert costs.of_encounter("store", 1) == {"worth": 12}  # three of four times two items
    assert costs.of_encounter("store", 2) == {"worth": 6, "threat": 3}


SLIPS = {
    "a key that all have in common": (
        "held: {«limit: {map: 1}}",
        "this key belongs to the encounter itself: its variants have it in common",
    ),
    "a misspelt key": ("held: {«prefab: table}", "this key is not known"),
    "a prefab that there is not": ("held: {prefabs: «tabel}", "there is no prefab or tag of this name"),
    "a weight that is none": (
        "held: {weight: «-1}",
        "a weight is a word of weights.yaml or a number from 0 to 1,000,000",
    ),
    "a word that there is not": ("held: {weight: «often}", "there is no weight word of this name"),
    "no mapping": ("held: «3", "a mapping of keys to values is needed here"),
    "a mode that places no prefabs": (
        "held: {placing: free, content: [{item: scrap}], «prefabs: shelf}",
        "a variant that is placed free has no prefabs, only 'content'",
    ),
    "no prefab": ("held: {prefabs: «[]}", "a list must not be empty here"),
    "nothing that could come": ("«held: {placing: free, content: []}", "needs 'content'"),
    "a name that is none": ("«'he ld': {}", "a name"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_are_told_where_they_are(tmp_path, slip):
    said, message = SLIPS[slip]
    lines = STORE.splitlines(keepends=True)
    text, (place,) = marked(dedent("".join([*lines[:7], f"        {said}\n"])))
    write_content(tmp_path, {**FILES, "encounters/rooms.yaml": text})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(tmp_path)
    (problem,) = caught.value.problems
    assert message in problem.message
    assert (f"{problem.source.line}:{problem.source.column}", problem.entry) == (place, "encounter 'store'")


def test_what_never_comes_is_told(tmp_path):
    doubtful = STORE.replace("{weight: 3,", "{weight: 0, zones: attic,").replace("table", "huge")
    write_content(tmp_path, {**FILES, "encounters/rooms.yaml": doubtful})
    found = {
        each.message: each.source.line
        for each in dungeon.examine_content(tmp_path).problems
        if each.entry == "encounter 'store'"
    }
    assert found == {
        "this variant never appears: its weight is 0": 8,
        "none of this encounter's maps has a zone of this name": 8,
        "prefab 'huge' (70x1 cells) doesn't fit: the space on map cellars is at most 60x40 cells": 9,
    }
