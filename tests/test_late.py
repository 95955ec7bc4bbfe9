"""Encounters that are late: they have their turns as others have, and choose their places after all others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from drawn import write

import dungeon
from dungeon.generation.stages.furnish import place as stage
from dungeon.level.steps import Phase

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "world.yaml": "start: hut/1\n",
    "maps/hut.yaml": "hut: {name: Hut, size: 60x40, layout: tunnels, encounters: 5, annexes: false}\n",
    "objects/props.yaml": 'crate: {name: crate, glyph: "c"}\nrack: {name: rack, glyph: "r"}\n',
    "prefabs/some.yaml": "".join(
        f"{name}:\n  map: |\n    #1#\n    ...\n  legend: {{1: {{prop: {thing}}}}}\n"
        for name, thing in (("crates", "crate"), ("racks", "rack"), ("pair", "rack"))
    ),
    "encounters/some.yaml": """
crates: {category: fluff, prefabs: crates, maps: {hut: 2}, limit: {map: 3}}
racks: {category: reward, prefabs: racks, maps: {hut: 2}, limit: {map: 3}}
pair: {category: risk, prefabs: pair, maps: {hut: 1}, limit: {map: 1}}
""",
}

NEW = "new: {{category: danger, prefabs: crates, maps: {{hut: 4}}, limit: {{map: 1}}{0}}}\n"


def game(tmp_path: Path, *mods: str, **changed: str) -> dungeon.Content:
    """Load the game above, with encounters that mods add."""
    files = FILES | {name.replace("__", "/") + ".yaml": text for name, text in changed.items()}
    folders = [write(tmp_path / "game", files)]
    for number, text in enumerate(mods):
        folders.append(write(tmp_path / f"mod{number}", {"encounters/mod.yaml": text}))
    return dungeon.load_content(*folders)


def lying(level: dungeon.Level, *but: str) -> Counter[tuple[object, ...]]:
    return Counter(
        (each.encounter, each.bounds, each.orientation)
        for each in level.placements
        if each.encounter not in but
    )


def levels(content: dungeon.Content, count: int) -> list[dungeon.Level]:
    return [dungeon.World(content, seed).level("hut/1") for seed in range(count)]


def test_what_a_mod_adds_is_late_and_so_is_who_says_it_and_who_must_be_near_only_to_such(tmp_path):
    some = (
        FILES["encounters/some.yaml"]
        + """
said: {category: fluff, prefabs: crates, maps: {hut: 1}, late: true}
follows: {category: lore, prefabs: crates, maps: {hut: 1}, near: {said: 5}}
second: {category: fluff, prefabs: crates, maps: {hut: 1}, near: {lore: 5, entrance: 20}}
either: {category: fluff, prefabs: crates, maps: {hut: 1}, near: {fluff: 5}}
"""
    )
    lore = {"encounters__some": some, "categories": "lore: {}\n"}
    assert game(tmp_path, **lore).late == {"said", "follows", "second"}
    mods = NEW.format("") + "sooner: {category: fluff, prefabs: crates, maps: {hut: 1}, late: false}\n"
    mods += "racks: {change: {category: fluff}}\npair: {replace: {category: fluff, prefabs: pair, maps: {hut: 1}}}\n"
    content = game(tmp_path, mods, "crates: {change: {depth: 1..9}}\nnew: {change: {depth: 1..4}}\n")
    assert content.late == {"new"}
    assert {name for kind, name in content.added if kind == "encounter"} == {"new", "sooner"}


def test_what_is_removed_and_added_anew_is_the_mods(tmp_path):
    content = game(tmp_path, "pair: remove\n", "pair: {category: fluff, prefabs: pair, maps: {hut: 1}}\n")
    assert content.late == {"pair"}
    assert not game(tmp_path, NEW.format(""), "new: remove\n").late


def test_a_late_encounter_comes_as_often_and_leaves_all_others_where_they_are(tmp_path):
    plain, mod = levels(game(tmp_path), 60), levels(game(tmp_path, NEW.format("")), 60)
    sooner = levels(game(tmp_path, NEW.format(", late: false")), 60)
    entered = [
        (one, other)
        for one, other in zip(plain, mod, strict=True)
        if "new" in {each.encounter for each in other.placements}
    ]
    assert len(entered) > 40
    assert all(lying(other, "new") <= lying(one) for one, other in entered)
    assert all(
        dungeon.to_json(a) == dungeon.to_json(b)
        for a, b in zip(plain, mod, strict=True)
        if (a, b) not in entered
    )
    moved = [not lying(other, "new") <= lying(one) for one, other in zip(plain, sooner, strict=True)]
    assert sum(moved) > 5  # who is not late takes some of the places that others had
    names = [Counter(each.encounter for each in level.placements) for level in mod]
    assert names == [Counter(each.encounter for each in level.placements) for level in sooner]
    assert all(dungeon.prove(level) == [] for level in mod)
    assert all(level.placements[-1].encounter == "new" for _, level in entered)


def test_who_says_so_in_the_content_itself_is_as_one_that_a_mod_adds(tmp_path):
    mod = levels(game(tmp_path, NEW.format("")), 10)
    some = FILES["encounters/some.yaml"] + NEW.format(", late: true")
    assert [lying(each) for each in levels(game(tmp_path, encounters__some=some), 10)] == [
        lying(each) for each in mod
    ]


def test_steps_come_when_the_late_have_their_places(tmp_path):
    world = dungeon.World(game(tmp_path, NEW.format("")), 3)
    told = [step.message for step in world.steps("hut/1") if step.phase is Phase.PLACE][:5]
    assert [text.split(":")[0] for text in told] == ["crates", "racks", "racks", "pair", "new"]
    level = world.level("hut/1")
    noted = [each.subject for each in level.journal if (each.stage, each.verdict) == ("place", "chosen")]
    assert noted[-1] == "new"


NARROW = "hut: {name: Hut, size: 36x22, layout: tunnels, encounters: 4, annexes: false}\n"
"""A map with few rooms, none of which is altered and to which none is added."""


def told_of_new(level: dungeon.Level) -> list[str]:
    return [each.verdict for each in level.journal if (each.stage, each.subject) == ("place", "new")]


def test_one_whose_places_others_have_taken_comes_before_them_after_all(tmp_path):
    found = levels(game(tmp_path, NEW.format(""), maps__hut=NARROW), 150)
    crowded = [level for level in found if "retried" in told_of_new(level)]
    assert len(crowded) > 3
    for level in crowded:
        assert told_of_new(level) == ["retried", "chosen"]
        assert dungeon.prove(level) == []


def test_one_that_is_guaranteed_comes_to_every_map_on_which_it_might_lie(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "MOST_PRESSING", 0)  # the others come in order of their arrival
    sure = game(
        tmp_path,
        NEW.format(", guaranteed: true"),
        maps__hut=NARROW.replace("encounters: 4", "encounters: 12"),
    )
    for level in levels(sure, 60):
        assert told_of_new(level) in (["chosen"], ["retried", "chosen"])
        assert dungeon.prove(level) == []


def test_where_there_is_too_little_space_for_all_late_ones_come_as_often_as_others(tmp_path):
    full = FILES["maps/hut.yaml"].replace("encounters: 5", "encounters: 40")
    new = "".join(NEW.replace("new:", f"new{number}:").format(", late: {0}") for number in range(6))
    counts = []
    for late in ("true", "false"):
        found = levels(game(tmp_path / late, new.replace("{0}", late), maps__hut=full), 60)
        names = Counter(each.encounter[:3] for level in found for each in level.placements)
        assert any("no other is left to try" in each.reason for each in found[0].journal)
        counts.append((names["new"], names.total() - names["new"]))
    (late, others), (soon, rest) = counts
    assert abs(late - soon) <= 0.1 * soon
    assert abs(others - rest) <= 0.1 * rest


def test_one_that_has_no_place_at_all_is_refused_at_its_turn(tmp_path):
    found = levels(game(tmp_path, NEW.format(", access: 9")), 10)
    assert {verdict for level in found for verdict in told_of_new(level)} == {"refused"}
    assert {len(level.placements) for level in found} == {5}


def test_who_must_be_near_one_that_is_late_finds_it_there(tmp_path):
    some = """
crates: {category: fluff, prefabs: crates, maps: {hut: 1}}
guard: {category: danger, prefabs: racks, maps: {hut: 9}, near: {prize: 80}, requires: prize, limit: {map: 1}}
prize: {category: reward, prefabs: pair, maps: {hut: 9}, late: true, limit: {map: 1}}
"""
    found = levels(game(tmp_path, encounters__some=some), 20)
    assert all({"guard", "prize"} <= {each.encounter for each in level.placements} for level in found)
    either = some.replace("prize: 80", "reward: 80").replace("requires: prize, ", "") + (
        "gift: {category: reward, prefabs: crates, maps: {hut: 1}, limit: {map: 1}}\n"
    )
    for level in levels(game(tmp_path, encounters__some=either), 30):
        names = [each.encounter for each in level.placements]
        assert "guard" not in names or "gift" in names[: names.index("guard")]


def test_whom_a_late_one_must_be_near_comes_before_others_with_it(tmp_path):
    some = FILES["encounters/some.yaml"].replace("limit: {map: 3}", "limit: {map: 4}")
    late = """
guard: {category: danger, prefabs: crates, maps: {hut: 1}, near: {prize: 40}, requires: prize, guaranteed: true, limit: {map: 1}}
prize: {category: reward, prefabs: racks, maps: {hut: 1}, limit: {map: 1}}
"""
    found = levels(game(tmp_path, late, maps__hut=NARROW, encounters__some=some), 60)
    retried = [each for level in found for each in level.journal if each.verdict == "retried"]
    assert "guard" in {each.subject for each in retried}
    for level in found:
        assert {"guard", "prize"} <= {each.encounter for each in level.placements}
        assert dungeon.prove(level) == []
