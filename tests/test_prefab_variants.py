"""Variants of a prefab: bundles of keys, of which each copy has one, drawn by weight and condition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from drawn import write
from rolling import files, game, is_likely, said, shown

import dungeon
from dungeon.authoring.explain import explain_prefab
from dungeon.cli import main
from dungeon.content.values.prefab_weights import VariantOf, parts_of, share_weights
from dungeon.extend import Stream
from dungeon.playtest.compare.edits import edits_between

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon import Content, Level

YARD = dedent("""\
    yard:
      map: |
        #######
        #f...m#
        #f....#
        ###*###
      legend: {m: {prop: crate}}
      orientations: r0
      variants:
        wet: {weight: 3, only: {depth: 2..}, legend: {f: water, m: {robot: guard}}}
        dry: {vary: [{substitute: f, with: "."}]}
    """)
SHED = 'shed: {map: "####\\n#..#\\n#+##", orientations: r0}\n'
SEEDS = 12


def drawn(content: Content, name: str) -> str:
    """Return the picture of a prefab that does not vary."""
    return shown(content.prefabs[name].drawing)


def levels(content: Content, map_id: str, count: int = SEEDS) -> Iterator[Level]:
    """Yield levels of a map from different worlds, each proved."""
    for seed in range(count):
        world = dungeon.World(content, seed)
        level = world.level(map_id)
        assert dungeon.prove(level, world) == []
        yield level


def laid(content: Content, map_id: str, count: int = SEEDS) -> Counter[str]:
    """Return prefab -> the number of its copies on several levels of a map."""
    return Counter(each.prefab for level in levels(content, map_id, count) for each in level.placements)


# -- what a variant is ------------------------------------------------------------------------------


def test_each_variant_is_a_prefab_with_the_keys_of_its_prefab_and_its_own(tmp_path: Path) -> None:
    content = game(tmp_path, YARD)
    assert list(content.prefabs) == ["yard/wet", "yard/dry"]
    assert drawn(content, "yard/wet") == "#######\n#~...m#\n#~....#\n#######"
    assert drawn(content, "yard/dry") == "#######\n#....m#\n#.....#\n#######"
    kinds = [content.prefabs[name].drawing.references[0].symbol.kind for name in content.prefabs]
    assert kinds == ["robot", "prop"]
    assert [each.name for each in content.called["yard"]] == ["yard/wet", "yard/dry"]


def test_mappings_are_merged_and_other_keys_replaced(tmp_path: Path) -> None:
    content = game(
        tmp_path,
        """\
base:
  map: abc
  legend: {a: wall, b: floor}
  palette: {glyphs: {c: wall}}
  vary: [{substitute: a, with: b}]
  tags: bases
  only: {maps: m}
  variants:
    one: {legend: {b: water}, only: {depth: 2..3}}
    two: {vary: [], palette: {glyphs: {d: water}}, aliases: {b: d}}
    three: {map: "a\\nb"}
""",
    )
    assert [drawn(content, f"base/{name}") for name in ("one", "two", "three")] == ["~~#", "#~#", ".\n."]
    assert [each.name for each in content.called["bases"]] == ["base/one", "base/two", "base/three"]
    one, two = content.conditions["base/one"], content.conditions["base/two"]
    assert (one.maps, one.depth) == (("m",), (2, 3))
    assert (two.maps, two.depth) == (("m",), (0, 1000))


def test_a_prefab_that_is_like_one_with_variants_has_them_too(tmp_path: Path) -> None:
    prefabs = """\
moods: {variants: {wet: {legend: {f: water}}, dry: {legend: {f: floor}}}}
yard: {like: moods, map: "#f"}
lane: {like: yard, map: "ff"}
plain: {like: yard, variants: {}, legend: {f: wall}}
"""
    content = game(tmp_path, prefabs)
    assert sorted(content.prefabs) == ["lane/dry", "lane/wet", "plain", "yard/dry", "yard/wet"]
    assert [drawn(content, name) for name in ("yard/wet", "lane/dry", "plain")] == ["#~", "..", "##"]
    with pytest.raises(KeyError, match="it has no drawing: it exists only for these to be 'like' it"):
        explain_prefab(content, "moods")


def test_a_mod_changes_one_variant_and_adds_another(tmp_path: Path) -> None:
    base = write(tmp_path / "base", files(YARD))
    mod = write(
        tmp_path / "mod",
        {
            "prefabs/x.yaml": "yard: {change: {variants: {dry: {legend: {m: {robot: guard}}}}}, add: {variants: {old: {legend: {f: wall}}}}}\n"
        },
    )
    content = dungeon.load_content(base, mod)
    assert list(content.prefabs) == ["yard/wet", "yard/dry", "yard/old"]
    assert content.prefabs["yard/dry"].drawing.references[0].symbol.kind == "robot"
    assert drawn(content, "yard/old") == "#######\n##...m#\n##....#\n#######"
    kept = dungeon.load_content(base, mod, cache=tmp_path / "cache")
    again = dungeon.load_content(base, mod, cache=tmp_path / "cache")
    assert dict(again.variants) == dict(kept.variants) == dict(content.variants)
    assert drawn(again, "yard/old") == drawn(content, "yard/old")


# -- drawn by weight, wherever prefabs are asked for ---------------------------------------------------


def test_variants_share_the_part_of_their_prefab() -> None:
    variants = {"yard/wet": VariantOf("yard", 3.0), "yard/dry": VariantOf("yard", 1.0)}
    assert parts_of(["shed", *variants], variants) == {"shed": 1, "yard/wet": 0.75, "yard/dry": 0.25}
    assert parts_of(["yard/dry", "shed"], variants) == {"yard/dry": 1, "shed": 1}
    called = {"yard": ["yard/wet", "yard/dry"], "all": ["yard/wet", "yard/dry", "shed"]}
    assert share_weights({"all": 4}, called, variants) == {"yard/wet": 1.5, "yard/dry": 0.5, "shed": 2}
    none = {name: VariantOf("yard", 0.0) for name in variants}
    assert parts_of(variants, none) == {"yard/wet": 0, "yard/dry": 0}


MAP = "m: {{name: M, size: 60x40, {}}}\n"
WORLD = {"world.yaml": "start: m/1\nleads_to: {m/1: m/2}\n"}
WAYS = {
    "a feature": {"maps/m.yaml": MAP.format("features: [{prefab: yard, count: 2, required: true}]")},
    "a feature by weight": {"maps/m.yaml": MAP.format("features: [{prefab: {yard: 1}, count: 3}]")},
    "encounters": {
        "maps/m.yaml": MAP.format("encounters: 4"),
        "encounters/e.yaml": "e: {category: fluff, maps: {m: 1}, prefabs: yard, access: 1..9}\n",
    },
    "connected pieces": {
        "maps/m.yaml": MAP.format("layout: {connected: {prefabs: {yard: 9}, rooms: 8, auto: 50%}}")
    },
    "cards": {"maps/m.yaml": MAP.format("layout: {cards: {cell: 11x8, count: 9, deck: {yard: 9}}}")},
    "static maps": {"maps/m.yaml": "m: {name: M, layout: {static: {prefab: yard}}}\n"},
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_ask_for_a_prefab_draws_variants_by_weight_and_condition(
    way: str, tmp_path: Path
) -> None:
    yard = YARD.replace("*", "+") if way == "encounters" else YARD
    if way == "static maps":
        yard = yard.replace("#f....#", "#f<.>.#").replace("*", "#")
    content = game(tmp_path, yard, {**WAYS[way], **WORLD})
    above, below = laid(content, "m/1"), laid(content, "m/2", 2 * SEEDS)
    if way == "static maps":  # whose map is no placement
        above, below = (
            Counter(
                "yard/wet" if (level.terrain == content.terrain_set.code("water")).any() else "yard/dry"
                for level in levels(content, name, 2 * SEEDS)
            )
            for name in ("m/1", "m/2")
        )
    assert above["yard/dry"] >= 6
    assert set(above) == {"yard/dry"}
    assert set(below) == {"yard/dry", "yard/wet"}
    assert is_likely(below["yard/wet"], below.total(), 0.75)


def test_machines_and_prefabs_fitted_in_are_drawn_by_weight_too(tmp_path: Path) -> None:
    prefabs = """\
bed: {map: "C", legend: {C: {prop: crate}}, variants: {one: {weight: 3}, two: {map: "CC"}}}
hole: {map: "?..?", variants: {one: {weight: 3, map: "=??="}, two: {}}, legend: {"=": water}}
hall: {map: "####\\nSSSS\\n####", vary: [{fit: S, prefabs: hole, orientations: r0}]}
"""
    more = {"maps/m.yaml": MAP.format("machines: [{prefabs: bed, count: 9}]")}
    content = game(tmp_path, prefabs, more)
    found: Counter[str] = Counter()
    for level in levels(content, "m/1", 4):
        found.update(each.source.partition(":")[0] for each in level.spawns)
    assert is_likely(found["bed/one"], found["bed/one"] + found["bed/two"] // 2, 0.75)
    assert found["bed/two"] > 0
    rolled = Counter(content.prefabs["hall"].variant(Stream(seed)).drawing.parts[1] for seed in range(200))
    assert is_likely(rolled["hole/one"], 200, 0.75)


def test_the_other_variants_take_the_whole_part_where_one_may_not_be_used(tmp_path: Path) -> None:
    more = {
        "maps/m.yaml": MAP.format("encounters: 3, annexes: false"),
        "encounters/e.yaml": "e: {category: fluff, maps: {m: 1}, prefabs: {yard: 3, shed: 1}, access: 1..9}\n",
    }
    content = game(tmp_path, YARD + SHED, more)
    assert dict(content.preferences["e"]) == {"yard/wet": 2.25, "yard/dry": 0.75, "shed": 1}
    assert dict(content.preferences_on("e", "m", 1)) == {"yard/dry": 3, "shed": 1}
    assert dict(content.preferences_on("e", "m", 2)) == dict(content.preferences["e"])


def test_an_encounter_waits_for_a_map_where_one_of_its_variants_may_be_used(tmp_path: Path) -> None:
    yard = YARD.replace("dry: {", "dry: {only: {depth: 3..}, ")
    more = {
        "maps/m.yaml": MAP.format("encounters: 2"),
        "encounters/e.yaml": "e: {category: fluff, maps: {m: 1}, prefabs: yard, access: 1..9}\n",
    }
    content = game(tmp_path, yard, more)
    assert dict(content.weights_on("m", 1)) == {}
    assert dict(content.weights_on("m", 2)) == {"e": 1}


@pytest.mark.parametrize(
    "layout",
    [
        "{connected: {prefabs: {yard: {weight: 9, copies: 2}}, rooms: 9}}",
        "{cards: {cell: 11x8, count: 9, deck: {yard: {weight: 9, copies: 2}}}}",
    ],
)
def test_copies_of_all_variants_count_together(layout: str, tmp_path: Path) -> None:
    yard = YARD.replace("#######", "###*###").replace("#f....#", "#f....*")
    content = game(tmp_path, yard, {"maps/m.yaml": MAP.format(f"layout: {layout}"), **WORLD})
    copies = [[each.prefab for each in level.placements] for level in levels(content, "m/2", 8)]
    assert {2} <= {len(each) for each in copies} <= {1, 2}
    assert {name for each in copies for name in each} == {"yard/wet", "yard/dry"}


def test_one_variant_can_be_asked_for_by_its_name(tmp_path: Path) -> None:
    more = {"maps/m.yaml": MAP.format("features: [{prefab: yard/dry, count: 2, required: true}]")}
    content = game(tmp_path, YARD, more)
    assert laid(content, "m/1", 3) == {"yard/dry": 6}


def test_prove_reports_a_prefab_that_may_not_be_used_on_the_map(tmp_path: Path) -> None:
    more = {"maps/m.yaml": MAP.format("features: [{prefab: yard, required: true}]")}
    world = dungeon.World(game(tmp_path, YARD, more), 1)
    level = world.level("m/1")
    (placement,) = level.placements
    wrong = replace(level, placements=(replace(placement, prefab="yard/wet"),))
    (found,) = dungeon.prove(wrong, world)
    assert (found.rule, "'yard/wet' may not be used on this map" in found.message) == ("world-prefab", True)


# -- mistakes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            ("f: water", "f: watr"),
            "10:54: prefab 'yard': there is no terrain of this name: watr (did you mean water?)",
        ),
        (
            ("prop: crate", "prop: crat"),
            "7:22: prefab 'yard': there is no prop of this name: crat (did you mean crate?)",
        ),
        (
            ("f: water, ", ""),
            "4:6: prefab 'yard/wet': no legend or palette says what this character means (2 cells): 'f' (allowed: m)",
        ),
        (
            ("weight: 3", "wieght: 3"),
            "10:11: prefab 'yard': this key is not known: wieght (did you mean weight?)",
        ),
        (
            ("weight: 3", "tags: x"),
            "10:11: prefab 'yard': this key belongs to the prefab itself: its variants have it in common: tags",
        ),
        (
            ("wet: ", "we/t: "),
            "10:5: prefab 'yard': a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters): we/t",
        ),
        (
            ("weight: 3", "weight: rar"),
            "10:19: prefab 'yard': there is no weight word of this name: rar (did you mean rare?)",
        ),
    ],
)
def test_a_mistake_is_told_once_at_its_place(changed: tuple[str, str], expected: str, tmp_path: Path) -> None:
    (problem,) = said(tmp_path, YARD.replace(*changed))
    assert problem == expected


# -- tools ------------------------------------------------------------------------------------------


def test_show_draws_variants_and_explain_tells_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"maps/m.yaml": MAP.format("features: [{prefab: yard}]"), **WORLD}
    folder = write(tmp_path, files(YARD, more))
    assert main(["show", "yard", "--times", "9", "--data", str(folder)]) == 0
    out = capsys.readouterr().out
    assert " r0 wet" in out
    assert "yard: prefab, 7x4" in out
    assert main(["explain", "yard", "--data", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "yard: prefab with 2 variants\n     75% yard/wet  [" in out
    assert "odds at depth 2\n  like yard, " in out
    assert ["map m, on m/2  [" in out, "map m, on m/1, m/2  [" in out] == [True, True]
    assert main(["explain", "yard/wet", "--data", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("yard/wet: prefab, 7x4")


def test_samples_of_a_prefab_are_samples_of_its_variants(tmp_path: Path) -> None:
    content = game(tmp_path, YARD)
    found = Counter(dungeon.sample_prefab(content, "yard", number=number).name for number in range(200))
    assert is_likely(found["yard/wet"], 200, 0.75)
    assert found.total() == found["yard/wet"] + found["yard/dry"]


@pytest.mark.parametrize("form", ["text", "xp", "tmj"])
def test_a_prefab_is_exported_with_its_variants(form: str, tmp_path: Path) -> None:
    yard = YARD.replace("    dry: {", "    dry: {palette: {glyphs: {q: water}}, ").replace(
        "#f....#", "#f.q..#"
    )
    yard = yard.replace("legend: {f: water,", "legend: {f: water, q: floor,")
    folder = write(tmp_path / "one", files(yard))
    made = dungeon.export_prefab(folder, "yard", form)  # type: ignore[arg-type]
    if form == "tmj":
        made = dungeon.prefab_from_tiled(made["yard.tmj"])
    other = write(tmp_path / "two", {name: text for name, text in files("").items() if "prefabs" not in name})
    for name, data in made.items():
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_bytes(data)
    content, again = dungeon.load_content(folder), dungeon.load_content(other)
    assert dict(content.variants) == dict(again.variants)
    for name in content.prefabs:
        assert drawn(content, name) == drawn(again, name)
        assert content.conditions.get(name) == again.conditions.get(name)
    with pytest.raises(KeyError, match="'yard/wet' is a variant, and is exported with its prefab 'yard'"):
        dungeon.export_prefab(folder, "yard/wet", "text")


def test_a_change_in_a_variant_is_one_edit(tmp_path: Path) -> None:
    one = write(tmp_path / "one", files(YARD))
    two = write(tmp_path / "two", files(YARD.replace("weight: 3", "weight: 2")))
    (edit,) = edits_between([one], [two])
    assert "variants" in str(edit)


def test_floors_of_towers_are_drawn_by_weight_and_condition(tmp_path: Path) -> None:
    prefabs = """\
roof: {map: "#####\\n#>..+\\n#####", orientations: r0}
base:
  map: "#####\\n#<..+\\n#####"
  orientations: r0
  variants: {one: {weight: 3}, two: {}, three: {only: {depth: 9..}}}
"""
    world = "start: m/1\nleads_to: {m/1: m/2}\ntowers: {keep: {floors: {m/1: roof, m/2: base}}}\n"
    content = game(tmp_path, prefabs, {"maps/m.yaml": MAP.format("encounters: 0"), "world.yaml": world})
    found = laid(content, "m/2", 3 * SEEDS)
    assert set(found) == {"base/one", "base/two"}
    assert is_likely(found["base/one"], 3 * SEEDS, 0.75)
