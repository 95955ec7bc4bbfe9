"""Objects out of depth (`rating`): by levels, for a depth, or as on another map, wherever objects are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn import load
from rolling import filled

import dungeon
from dungeon.authoring.explain import explain_prefab
from dungeon.content.catalog.catalog import choice_odds

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content

SEEDS = range(12)

ROBOTS = {
    "rat": "{name: rat, glyph: r, class: beast, threat: 1}",
    "wolf": "{name: wolf, glyph: w, class: beast, depth: 4, threat: 4}",
    "bear": "{name: bear, glyph: b, class: beast, depth: 7, threat: 7}",
}
FILES = {
    "objects/robots.yaml": "".join(f"{tag}: {entry}\n" for tag, entry in ROBOTS.items()),
    "objects/items.yaml": "tin: {name: tin, glyph: '!', class: loot}\ngold: {name: gold, glyph: $, class: loot, depth: 5}\n",
    "objects/props.yaml": (
        "box: {name: box, glyph: '=', class: crate}\nsafe: {name: safe, glyph: '%', class: crate, depth: 5}\n"
    ),
    "objects/debris.yaml": (
        "dust: {name: dust, glyph: ',', class: dirt}\nslag: {name: slag, glyph: ';', class: dirt, depth: 5}\n"
    ),
    "maps/m.yaml": "m: {name: M, size: 50x30}\nmines: {name: Mines}\ncaves: {name: Caves}\n",
    "world.yaml": "start: m/1\nmaps: {mines: 4..6, deep: {depths: 7..8, maps: {caves: 1}}}\n"
    "leads_to: {m/1: [mines/4, deep/7], mines/*: mines/+1, deep/*: deep/+1}\n",
}


def one(folder: Path, entry: str) -> Content:
    """Return content whose prefab `room` is a single cell with this object."""
    return load(folder, {**FILES, "prefabs/p.yaml": f"room: {{map: 'x', legend: {{x: {entry}}}}}\n"})


@pytest.mark.parametrize(
    ("entry", "tags"),
    [
        ("{robot: {class: beast}}", {"rat"}),
        ("{robot: {class: beast}, rating: +3}", {"wolf"}),
        ("{robot: {class: beast}, rating: +5, strong: true}", {"bear"}),
        ("{robot: any, rating: +5}", {"rat", "wolf"}),
        ("{prop: {class: crate}, rating: 4}", {"safe"}),
        ("{debris: {class: dirt}, rating: 4}", {"slag"}),
        ("{robot: {class: beast}, rating: {depth: 7}}", {"bear"}),
        ("{robot: {class: beast}, rating: {depth: 0}}", {"rat"}),
        ("{robot: {class: beast}, rating: {depth: 3..4}}", {"rat", "wolf"}),
        ("{robot: {class: beast}, rating: {depth: 3}, strong: true}", {"wolf"}),
        ("{robot: {class: beast}, rating: {as: mines/6}}", {"wolf"}),
        ("{robot: {class: beast}, rating: {as: mines}}", {"wolf"}),
        ("{robot: {class: beast}, rating: {as: deep}}", {"bear"}),
        ("{robot: {class: beast}, rating: {as: caves}}", {"bear"}),
        ("{robot: {class: beast}, rating: {as: {m: 1, deep/8: 1}}}", {"rat", "bear"}),
        ("{robot: {class: beast}, rating: [+3, {as: deep}]}", {"wolf", "bear"}),
        ("{robot: {class: beast}, rating: {value: {depth: 7}, chance: 50%}}", {"rat", "bear"}),
        ("{robot: {class: beast}, rating: {+3: 1, +6: 1}}", {"wolf", "bear"}),
    ],
)
def test_a_rating_chooses_the_objects_that_its_odds_say(tmp_path: Path, entry: str, tags: set[str]) -> None:
    content = one(tmp_path, entry)
    room = content.prefabs["room"]
    rolled = [filled(content, room.drawing, seed=seed).spawns[0].tag for seed in range(40)]
    assert set(rolled) == tags
    (reference,) = room.drawing.references
    assert choice_odds(reference.symbol, content.catalog, 1).keys() == tags
    told = explain_prefab(content, "room", depth=1).characters[0].meanings[0]
    assert {outcome.tag for outcome in told.outcomes} == tags


def test_expected_costs_know_ratings(tmp_path: Path) -> None:
    content = one(tmp_path, "{robot: {class: beast}, rating: {value: {depth: 7}, chance: 50%}}")
    assert content.costs.of_prefab(content.prefabs["room"], 1) == {"threat": 4.0}


POPULATION = """\
m:
  name: M
  size: 50x30
  layout: tunnels
  encounters: 1
  machines: [{prefabs: shrine, count: 1}]
  population:
    - {prop: {class: crate}, count: 3, rating: +4}
    - {debris: any, count: 9, rating: {as: mines/6}}
    - robot: {class: beast}
      rating: {depth: 7}
      loadout: [{item: {class: loot}, rating: {as: deep}}]
      followers: [{robot: {class: beast}, rating: +3, count: 2}]
mines: {name: Mines}
caves: {name: Caves}
"""


def test_ratings_work_wherever_objects_are_asked_for(tmp_path: Path) -> None:
    files = {
        **FILES,
        "maps/m.yaml": POPULATION,
        "prefabs/p.yaml": "shrine:\n  map: |\n    ...\n    .x.\n    ...\n"
        "  legend: {x: {prop: {class: crate}, rating: {as: deep}}}\n",
        "encounters/e.yaml": "den: {category: danger, maps: {m: 1}, placing: free,"
        " content: [{robot: {class: beast}, rating: {as: mines}, count: 2}]}\n",
    }
    content, seen = load(tmp_path, files), {}
    for seed in SEEDS:
        level = dungeon.World(content, seed).level("m/1")
        assert not dungeon.prove(level)
        for spawn in level.spawns:
            seen.setdefault(spawn.source.replace("population ", "p"), set()).add(spawn.tag)
            assert [held.tag for held in spawn.loadout] == ["gold"] * (spawn.tag == "bear")
    assert seen.pop("p3") == {"bear", "wolf"}  # leaders and their followers
    assert seen.pop("p2") == {"dust", "slag"}
    assert seen == {"p1": {"safe"}, "shrine:x": {"safe"}, "den: content 1": {"wolf"}}


def test_a_map_that_no_world_has_leaves_the_depth_as_it_is(tmp_path: Path) -> None:
    prefab = "room: {map: 'x', legend: {x: {robot: {class: beast}, rating: {as: attic}}}}\n"
    maps = FILES["maps/m.yaml"] + "attic: {name: Attic}\n"
    content = load(tmp_path, {**FILES, "prefabs/p.yaml": prefab, "maps/m.yaml": maps})
    assert filled(content, content.prefabs["room"].drawing, depth=5).spawns[0].tag == "wolf"


def test_a_machine_and_what_opens_a_lock_take_a_rating(tmp_path: Path) -> None:
    files = {
        **FILES,
        "locks.yaml": "iron: {name: iron, opened_by: {item: {class: loot}, rating: {as: deep}}}\n",
        "maps/m.yaml": "m: {name: M, size: 60x40, locks: {iron: 2}}\nmines: {name: Mines}\ncaves: {name: Caves}\n",
        "prefabs/p.yaml": 'bed: {map: "....", machines: " ╔╗", references: " x",'
        " legend: {x: {prop: {class: crate}, rating: {depth: 5}}}}\n",
    }
    content = load(tmp_path, files)
    assert [each.tag for each in filled(content, content.prefabs["bed"].drawing).spawns] == ["safe"]
    openers = [
        spawn.tag
        for seed in SEEDS
        for spawn in dungeon.World(content, seed).level("m/1").spawns
        if spawn.keywords.get("opens") == "iron"
    ]
    assert set(openers) == {"gold"}
