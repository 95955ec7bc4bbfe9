"""A content's own kinds of objects, and its own words for kinds: from `kinds.yaml` through levels to adapters and the game."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import esper
import pytest
import tcod.ecs
from content_files import marked, write_content
from jsonschema import Draft202012Validator

import dungeon
from dungeon import Factories, playtest
from dungeon.adapters.highlights import legend
from dungeon.authoring.explain import explain_prefab
from dungeon.cli import main
from dungeon.playtest.report.report import report_on
from dungeon.playtest.tuning.choosing import foes_of
from dungeon.playtest.tuning.goal import goal_in

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content, Level, Spawn

KINDS = """\
monster: {like: robot, alias: true}
npc: {like: robot}
fungus: {like: prop, called: fungi}
food: {like: item, called: food}
"""

FILES: dict[str, str | None] = {
    "kinds.yaml": KINDS,
    "objects/robots.yaml": None,
    "objects/monsters.yaml": """\
        sweeper: {name: sweeper, glyph: s, class: worker, category: harmless, depth: 1, threat: 2}
        brute: {name: brute, glyph: B, class: fighter, loadout: [{food: bread}, {item: scrap}]}
        """,
    "objects/npcs.yaml": """\
        smith: {name: the smith, glyph: "@", class: townsfolk, carries: {class: any_tool}, data: {says: hello}}
        child: {name: a child, glyph: c, like: smith, class: young}
        """,
    "objects/fungi.yaml": """\
        puffball: {name: puffball, glyph: o, class: pale, light: 3}
        bracket: {name: bracket, glyph: c, class: pale, blocks: false}
        """,
    "objects/food.yaml": """\
        bread: {name: a loaf, glyph: "%", worth: 2}
        """,
    "objects/items.yaml": """\
        scrap: {name: scrap metal, glyph: "!"}
        hammer: {name: hammer, glyph: "(", class: any_tool}
        """,
    "locks.yaml": """\
        larder: {name: the larder, opened_by: {fungus: bracket}}
        """,
    "prefabs/rooms.yaml": """\
        store:
          map: |
            C..f
            n.B.
            m..h
          legend:
            C: {prop: crate}
            n: {npc: {class: townsfolk}, chance: 100%, data: {mood: glad}}
            m: {monster: brute}
            f: {fungus: {class: pale}}
            h: {item: {equipped_by: smith}}
          legends: boxes
        """,
    "maps/cellars.yaml": """\
        cellars:
          name: The Cellars
          size: 60x40
          layout: tunnels
          encounters: 2
          locks: {larder: 1}
          population:
            - {npc: child, count: 2, followers: [{monster: sweeper, count: 1}]}
            - {fungus: any, count: 6, drift: 3}
            - {food: bread, count: 3}
        """,
}
"""Content in which every kind of its own is asked for wherever objects are."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_content(tmp_path_factory.mktemp("kinds"), FILES)


@pytest.fixture(scope="module")
def content(folder: Path) -> Content:
    return dungeon.load_content(folder)


@pytest.fixture(scope="module")
def level(content: Content) -> Level:
    return dungeon.World(content, seed=4).level("cellars/1")


def of_kind(level: Level, kind: str) -> list[Spawn]:
    """Return the spawns of a kind, those that others hold included."""
    return [each for spawn in level.spawns for each in (spawn, *spawn.loadout) if each.kind == kind]


def said(folder: Path, *mods: Path) -> list[str]:
    """Return the problems of content as printed, without the folder and the severity."""
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(folder, *mods)
    return [
        str(each).replace(f"{folder.parent}/", "").replace(" error: ", " ") for each in caught.value.problems
    ]


# -- on levels ----------------------------------------------------------------------------------


def test_levels_have_kinds_by_name_and_aliases_by_their_meaning(content: Content, level: Level) -> None:
    world = dungeon.World(content, seed=4)
    assert {(spawn.kind, spawn.like) for spawn in level.spawns} == {
        *((kind, kind) for kind in ("robot", "item", "prop")),
        *(("npc", "robot"), ("fungus", "prop"), ("food", "item")),
    }
    assert dungeon.prove(level) == dungeon.prove(level, world) == []
    assert level.own_kinds == {"npc": "robot", "fungus": "prop", "food": "item"}
    assert {spawn.tag for spawn in of_kind(level, "robot")} == {"sweeper", "brute"}
    assert {(each.kind, each.tag) for spawn in of_kind(level, "robot") for each in spawn.loadout} == {
        ("food", "bread"),
        ("item", "scrap"),
    }


def test_a_kind_is_treated_as_the_kind_it_is_like(level: Level) -> None:
    smiths = [spawn for spawn in of_kind(level, "npc") if spawn.tag == "smith"]
    assert {(spawn.blocks, *sorted(spawn.keywords.items())) for spawn in smiths} == {
        (True, ("mood", "glad"), ("says", "hello"))
    }
    children = [spawn for spawn in of_kind(level, "npc") if spawn.tag == "child"]
    assert len(children) == 2
    for child in children:
        followers = [each for each in level.spawns if each.group == child.group and not each.leads]
        assert child.leads
        assert [(each.kind, each.tag) for each in followers] == [("robot", "sweeper")]
    puffballs = [spawn for spawn in of_kind(level, "fungus") if spawn.tag == "puffball"]
    assert all(spawn.blocks for spawn in puffballs)
    assert len(puffballs) == len(level.lights)
    assert {lock.word for lock in level.locks} == {"larder"}
    assert [spawn.tag for spawn in of_kind(level, "fungus") if spawn.keywords.get("opens") == "larder"] == [
        "bracket"
    ]
    assert {spawn.tag for spawn in level.spawns if spawn.source == "store:h"} == {
        "hammer"
    }  # what a smith carries


def test_a_machine_and_the_ends_of_a_portal_are_of_a_kind_that_is_like_a_prop(tmp_path: Path) -> None:
    files = {
        **FILES,
        "prefabs/rooms.yaml": """\
            store:
              map: |
                ......
                ......
                ......
              machines: |2
                 ◎◎
              references: |2
                 f
                p    p
              legend:
                f: {fungus: puffball}
                p: {fungus: bracket, port: spores}
            """,
    }
    level = dungeon.World(dungeon.load_content(write_content(tmp_path, files)), seed=4).level("cellars/1")
    assert dungeon.prove(level) == []
    store = level.placements[0]
    machine, *ends = [spawn for spawn in level.spawns if spawn.placement == 0]
    assert (machine.kind, machine.tag, machine.glyphs) == ("fungus", "puffball", ("◎", "◎"))
    assert [(end.kind, end.tag) for end in ends] == [("fungus", "bracket")] * 2
    assert {
        (portal.kind, portal.begin, portal.end)
        for portal in level.portals
        if store.bounds.contains(*portal.begin)
    } == {("bracket", (ends[0].y, ends[0].x), (ends[1].y, ends[1].x))}


def test_the_proof_knows_no_other_kinds(level: Level) -> None:
    smith = next(number for number, spawn in enumerate(level.spawns) if spawn.tag == "smith")

    def violations(**changed: str) -> set[str]:
        spawns = list(level.spawns)
        spawns[smith] = replace(spawns[smith], **changed)
        return {each.rule for each in dungeon.prove(replace(level, spawns=tuple(spawns)))}

    assert violations(kind="robot") == set()
    for wrong in ({"kind": "nymph"}, {"like": "nymph"}, {"like": "trap"}, {"kind": "item"}):
        assert "spawn-kind" in violations(**wrong), wrong
    assert "spawn-kind" in {each.rule for each in dungeon.prove(replace(level, own_kinds={}))}


def test_the_proof_reports_a_kind_that_is_like_another_kind_than_declared(
    content: Content, level: Level
) -> None:
    turned = [replace(each, like="item") if each.kind == "fungus" else each for each in level.spawns]
    odd = replace(level, spawns=tuple(turned), own_kinds={**level.own_kinds, "fungus": "item"})
    texts = [str(each) for each in dungeon.prove(odd, dungeon.World(content, seed=4))]
    assert any("fungus bracket is like an item" in text for text in texts)


# -- wherever levels go -------------------------------------------------------------------------


def test_json_keeps_kinds_and_refuses_unknown_ones(level: Level) -> None:
    text = dungeon.to_json(level)
    assert dungeon.from_json(text) == level
    data = json.loads(text)
    assert data["own_kinds"] == {"food": "item", "fungus": "prop", "npc": "robot"}
    for wrong in ({"npc": "item"}, {}, {"npc": "golem"}):
        with pytest.raises(ValueError, match=r"^(spawns|own_kinds):"):
            dungeon.from_json(json.dumps({**data, "own_kinds": wrong}))


def test_tiled_keeps_kinds(level: Level) -> None:
    files = dungeon.to_tiled(level)
    (tmj,) = [each for name, each in files.items() if name.endswith(".tmj")]
    assert dungeon.from_tiled(tmj) == level


def test_content_and_levels_are_pickled_with_kinds(content: Content, level: Level) -> None:
    copy = pickle.loads(pickle.dumps(content))
    assert copy.kinds == content.kinds
    assert dungeon.World(copy, seed=4).level("cellars/1") == pickle.loads(pickle.dumps(level)) == level


def test_esper_has_both_names(level: Level) -> None:
    world = "kinds"
    dungeon.to_esper(level, world)
    esper.switch_world(world)
    tags = {(tag.kind, tag.like) for _, (tag, _) in esper.get_components(dungeon.Tag, dungeon.Robot)}
    assert tags == {("robot", "robot"), ("npc", "robot")}
    assert {tag.kind for _, (tag, _) in esper.get_components(dungeon.Tag, dungeon.Item)} == {"item", "food"}
    dungeon.remove_from_esper(level, world)
    esper.switch_world("default")
    esper.delete_world(world)


def test_a_kind_has_its_own_factory_or_that_of_the_kind_it_is_like(level: Level) -> None:
    def counts(**factories: str) -> dict[str, int]:
        registry = tcod.ecs.Registry()
        made = {kind: lambda _, word=word: [dungeon.Ambush(word)] for kind, word in factories.items()}
        dungeon.to_tcod_ecs(level, registry, made)
        words = [each.components[dungeon.Ambush].word for each in registry.Q.all_of([dungeon.Ambush])]
        return {word: words.count(word) for word in words}

    robots, npcs = len(of_kind(level, "robot")), len(of_kind(level, "npc"))
    assert counts(robot="r") == {"r": robots + npcs}
    assert counts(npc="n") == {"n": npcs}
    assert counts(robot="r", npc="n") == {"r": robots, "n": npcs}
    with pytest.raises(
        ValueError, match=r"there is no kind of spawn 'monster', only .*, npc, fungus, food, and door"
    ):
        counts(monster="m")


def test_highlights_name_each_kind(level: Level) -> None:
    standing = Counter(spawn.kind for spawn in level.spawns)
    assert Counter(each.text for each in legend(level, "spawns")) == Counter(
        f"{kind}: {count}" for kind, count in standing.items()
    )


# -- for authors --------------------------------------------------------------------------------


def test_explain_shows_the_kind_and_its_odds(content: Content) -> None:
    told = {each.char: each.meanings[0] for each in explain_prefab(content, "store", depth=1).characters}
    assert (told["n"].kind, [each.tag for each in told["n"].outcomes]) == ("npc", ["smith"])
    assert [each.name for each in told["n"].keywords] == ["chance", "data"]
    assert (told["m"].kind, told["m"].keywords) == ("robot", ())
    assert {each.tag: each.likely for each in told["f"].outcomes} == {"puffball": 0.5, "bracket": 0.5}


def test_costs_count_what_kinds_bring(content: Content) -> None:
    prefab = content.prefabs["store"]
    assert content.costs.of_prefab(prefab, 1) == {"worth": 2.0}  # the loaf that the brute holds


def test_the_journal_names_the_kind(tmp_path: Path) -> None:
    maps = """\
        cellars:
          name: The Cellars
          size: 60x40
          population: [{npc: {class: young}, count: 1}]
        """
    npcs = """\
        child: {name: a child, glyph: c, class: young, depth: 9}
        """
    files = {"kinds.yaml": "npc: {like: robot}", "objects/npcs.yaml": npcs, "maps/cellars.yaml": maps}
    level = dungeon.World(dungeon.load_content(write_content(tmp_path, files)), seed=1).level("cellars/1")
    assert "no npc of young fits depth 1" in {each.reason for each in level.journal}


def test_nothing_is_to_be_said_of_content_with_kinds_that_is_right(folder: Path) -> None:
    found = {each.entry.partition(" ")[0] for each in dungeon.examine_content(folder).problems}
    assert found == {"debris", "trap", "theme", "weights"}  # of which nothing is used here


def test_an_object_of_a_kind_of_its_own_that_nobody_asks_for_is_noticed(tmp_path: Path) -> None:
    files = {"kinds.yaml": "npc: {like: robot}", "objects/npcs.yaml": "hermit: {name: a hermit, glyph: h}"}
    found = dungeon.examine_content(write_content(tmp_path, files)).problems
    assert any("npc 'hermit'" in str(each) for each in found)


def test_who_counts_for_nothing_in_a_budget_is_noticed(tmp_path: Path) -> None:
    cellars = (
        "cellars: {name: The Cellars, size: 60x40, budget: {threat: 9}, population: [{npc: any, count: 1}]}"
    )
    npcs = "thug: {name: a thug, glyph: t}\nguard: {name: a guard, glyph: g, threat: 3}"
    files = {"kinds.yaml": "npc: {like: robot}", "objects/npcs.yaml": npcs, "maps/cellars.yaml": cellars}
    found = dungeon.examine_content(write_content(tmp_path, files)).problems
    assert [each.entry for each in found if "budgets count this object as 0" in each.message] == [
        *("npc 'thug'", "robot 'sweeper'", "trap 'snare'"),
    ]


def test_schemas_know_the_words_of_a_content(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schemas = dungeon.content_schemas(folder)

    def faults(kind: str, data: object) -> list[str]:
        return [error.message for error in Draft202012Validator(schemas[kind]).iter_errors(data)]

    room = {
        "store": {"map": "..", "legend": {"n": {"npc": {"class": "townsfolk"}}, "m": {"monster": "brute"}}}
    }
    assert faults("prefabs", room) == []
    assert faults("fungi", {"puffball": {"name": "puffball", "glyph": "o"}}) == []
    assert faults("fungi", {"any": {"name": "puffball", "glyph": "o"}}) != []
    assert faults("locks", {"larder": {"name": "l", "opened_by": {"fungus": "bracket"}}}) == []
    assert faults("locks", {"larder": {"name": "l", "opened_by": {"fungi": "bracket"}}}) != []
    assert faults("maps", {"m": {"name": "m", "population": [{"food": {"equipped_by": "smith"}}]}}) != []
    assert list(Draft202012Validator(dungeon.content_schemas()["prefabs"]).iter_errors(room)) != []
    assert main(["schema", "--data", str(folder)]) == 0
    assert "objects/fungi.yaml" in capsys.readouterr().out
    with pytest.raises(dungeon.ContentError, match="there is no such folder"):
        dungeon.content_schemas(folder / "nowhere")


# -- in the lab ---------------------------------------------------------------------------------


def test_the_demo_plays_with_kinds_and_the_lab_counts_them_as_what_they_are_like(
    content: Content, tmp_path: Path
) -> None:
    games = playtest.Games(bots=("greedy",), game="game_demo.playing:start", each=1, limit=600)
    playtest.record(content, range(1), out=tmp_path / "run", maps=["cellars/1"], probe=games)
    run = playtest.open(tmp_path / "run")
    ((robots,),) = run.sql("SELECT sum(robots) FROM meetings WHERE map = 'cellars/1'").fetchall()
    level = dungeon.World(content, seed=0).level("cellars/1")
    came = [spawn.kind for spawn in level.spawns if spawn.placement is not None and spawn.like == "robot"]
    assert robots == len(came) == 4
    assert Counter(came) == {"robot": 2, "npc": 2}
    (sheet,) = [each for each in report_on(tmp_path / "run", content).sheets if each.name == "stakes"]
    counted = Counter(each.like for spawn in level.spawns for each in (spawn, *spawn.loadout))
    name, levels, _, *counts = sheet.rows[0][:6]
    assert (name, levels, *counts) == ("cellars/1", 1, counted["robot"], counted["trap"], counted["item"])


def test_goals_may_be_about_kinds_and_their_objects(content: Content) -> None:
    assert goal_in("kind(cellars/1, npc) between 2 and 4", content).thing == "npc"
    assert goal_in("harm(everywhere, smith) < 2", content, ("hasty",)).thing == "smith"
    assert foes_of(content)["smith"].kind == "npc"
    assert content.kinds.like("robot", "prop") == ("robot", "npc", "prop", "fungus")


# -- mods ---------------------------------------------------------------------------------------


def test_a_mod_adds_a_kind(tmp_path: Path) -> None:
    base, mod = write_content(tmp_path / "base"), tmp_path / "mod"
    files = {
        "kinds.yaml": "ghost: {like: robot}",
        "objects/ghosts.yaml": "wisp: {name: a wisp, glyph: w}",
        "maps/haunt.yaml": "cellars: {add: {population: [{ghost: wisp, count: 2}]}}",
    }
    for place, text in files.items():
        (mod / place).parent.mkdir(parents=True, exist_ok=True)
        (mod / place).write_text(text)
    level = dungeon.World(dungeon.load_content(base, mod), seed=1).level("cellars/1")
    assert [spawn.tag for spawn in of_kind(level, "ghost")] == ["wisp", "wisp"]
    (mod / "more.txt").write_text("")
    second = tmp_path / "second"
    second.mkdir()
    (second / "kinds.yaml").write_text("ghost: {like: prop}")
    (message,) = said(base, mod, second)
    assert message.startswith("second/kinds.yaml:1:1: kind 'ghost': this name is taken already, in ")
    (second / "kinds.yaml").write_text("ghost: {change: {called: phantoms}}")
    assert [text for text in said(base, mod, second) if "objects/ghosts.yaml: this file is not read" in text]


# -- mistakes -----------------------------------------------------------------------------------

MISTAKES = [
    ("npc: {like: «robbot}", ["this value is not allowed here: robbot (did you mean robot?)"]),
    ("npc: {like: «npc}", ["this value is not allowed here: npc (allowed: debris, item, prop, robot, trap)"]),
    ("«npc: {alias: true}", ["'like' is missing"]),
    ("«robot: {like: prop}", ["this word has a meaning of its own and can't be a name: robot"]),
    ("«count: {like: prop}", ["this word has a meaning of its own and can't be a name: count"]),
    ("«chance: {like: prop}", ["this word has a meaning of its own and can't be a name: chance"]),
    ("«drawing: {like: prop}", ["this word has a meaning of its own and can't be a name: drawing"]),
    ("«door: {like: prop}", ["this word has a meaning of its own and can't be a name: door"]),
    ("«light: {like: prop}", ["this word has a meaning of its own and can't be a name: light"]),
    ("«map: {like: prop}", ["this word has a meaning of its own and can't be a name: map"]),
    ("«Item: {like: item, called: wares}", ["this word has a meaning of its own and can't be a name: Item"]),
    ("«class: {like: prop}", ["this word has a meaning of its own and can't be a name: class"]),
    (
        "npc: {like: robot, called: «robots}",
        ["this plural is taken: it belongs to objects/robots.yaml: robots"],
    ),
    ("«encounter: {like: prop}", ["this word has a meaning of its own and can't be a name: encounter"]),
    (
        "place: {like: prop, called: «Maps}",
        ["this plural is taken: it belongs to maps: Maps"],
    ),
    (
        "npc: {like: robot}\nman: {like: robot, called: «npcs}",
        ["this plural is taken: it belongs to objects/npcs.yaml: npcs"],
    ),
]


@pytest.mark.parametrize(("text", "messages"), MISTAKES)
def test_what_is_wrong_with_a_kind_is_told_where_it_stands(
    tmp_path: Path, text: str, messages: list[str]
) -> None:
    text, places = marked(text)
    found = said(write_content(tmp_path / "data", {"kinds.yaml": text}))
    assert [each.partition(": ")[0] for each in found] == [f"data/kinds.yaml:{place}" for place in places]
    assert [each.split(": ", maxsplit=2)[2] for each in found] == messages


FREE = "this key is not known; keys that only your game understands belong under 'data'"
USES = [
    ("{«nqc: smith}", ["this key is not known: nqc (did you mean npc?)"]),
    (
        "{npc: smith, «zzz: 3}",
        [
            (
                "this key is not known; keys that only your game understands belong under 'data': zzz "
                "(allowed: ambush, around, cases, chance, data, debris, fallback, followers, food, fungus, group, item, key, loadout, lock, marker, monster, "
                "never_faulty, no_spawn, npc, one_way, opens, port, prop, prototype, rating, robot, roll, shift, state, strong, "
                "switch, terrain, to, trap, unique, weight)"
            ),
        ],
    ),
    ("{npc: «smiht}", ["there is no npc of this name: smiht (did you mean smith?)"]),
    ("{monster: «smith}", ["there is no monster of this name, but a npc: smith"]),
    ("{npc: {class: «town}}", ["there is no class of npcs of this name: town (did you mean townsfolk?)"]),
    ("{fungus: {«equipped_by: smith}}", ["'equipped_by' can only ask for items: equipped_by"]),
    ("{food: {«equipped_by: smith}}", ["'equipped_by' can only ask for items: equipped_by"]),
    (
        "{npc: smith, «monster: brute}",
        ["an entry can name only one object, and 'npc' names one already: monster"],
    ),
    (
        "{npc: «smiht, «monster: brute}",
        [
            "there is no npc of this name: smiht (did you mean smith?)",
            "an entry can name only one object, and 'npc' names one already: monster",
        ],
    ),
    (
        "{fungus: bracket, «npc: smith}",
        ["an entry can name only one object, and 'fungus' names one already: npc"],
    ),
    ("{fungus: bracket, npc: «}", ["this key has no value"]),
    ("{npc: smith, «port: a}", ["only props can have this key: port"]),
    (
        "{npc: smith, «hp: 3}",
        [
            (
                f"{FREE}: hp (allowed: ambush, around, cases, chance, data, debris, fallback, followers, food, fungus, group, item, key, loadout, lock, marker, monster, "
                "never_faulty, no_spawn, npc, one_way, opens, port, prop, prototype, rating, robot, roll, shift, state, strong, "
                "switch, terrain, to, trap, unique, weight)"
            )
        ],
    ),
    (
        "{fungus: bracket, «light: 3}",
        ["this key belongs to the object itself, in its catalog in objects/: light"],
    ),
    (
        "{npc: «smiht, chance: «150}",
        [
            "there is no npc of this name: smiht (did you mean smith?)",
            "a share from 0% to 100% is needed here: 150",
        ],
    ),
    ("{npc: smith, loadout: [{«npc: smith}]}", ["only items can be held: npc"]),
    (
        "{switch: age, cases: {old: {npc: «smiht}}}",
        ["there is no npc of this name: smiht (did you mean smith?)"],
    ),
]


@pytest.mark.parametrize(("symbol", "messages"), USES)
def test_what_is_wrong_where_a_kind_is_asked_for_is_told_there(
    tmp_path: Path, symbol: str, messages: list[str]
) -> None:
    text, places = marked(f"boxes:\n  n: {symbol}\n  B: {{prop: barrel}}\n")
    found = said(write_content(tmp_path / "data", {**FILES, "legends/boxes.yaml": text}))
    assert [each.partition(": ")[0] for each in found] == [
        f"data/legends/boxes.yaml:{place}" for place in places
    ]
    assert [each.split(": ", maxsplit=2)[2] for each in found] == messages


def test_words_of_a_content_mean_nothing_in_another(tmp_path: Path) -> None:
    files = {"legends/boxes.yaml": "boxes: {n: {npc: smith}, B: {prop: barrel}}"}
    (message,) = said(write_content(tmp_path / "data", files))
    assert message.startswith(
        "data/legends/boxes.yaml:1:13: legend 'boxes': this key is not known; keys that only your game understands belong under "
        "'data': npc (allowed: "
    )


def test_who_needs_a_kind_that_a_mod_removes_is_told_which_one_that_was(tmp_path: Path) -> None:
    base = write_content(tmp_path / "base", {"kinds.yaml": KINDS})
    mod = tmp_path / "mod"
    legends, places = marked("boxes: {n: {«npc: smith}, B: {prop: barrel}}")
    (base / "legends/boxes.yaml").write_text(legends)
    mod.mkdir()
    (mod / "kinds.yaml").write_text("npc: remove")
    message = "there is no kind of this name any more; mod/kinds.yaml:1:1 removes it: npc"
    assert said(base, mod) == [f"base/legends/boxes.yaml:{places[0]}: legend 'boxes': {message}"]


def test_what_opens_a_lock_is_a_prop_an_item_or_a_robot_by_any_word(tmp_path: Path) -> None:
    files = {
        **FILES,
        "kinds.yaml": f"{KINDS}pit: {{like: trap}}\n",
        "objects/pits.yaml": "hole: {name: a hole, glyph: v}",
    }
    locks = """\
        larder: {name: the larder, opened_by: {pit: hole}}
        cellar: {name: the cellar, opened_by: {npc: smith, fungus: bracket}}
        """
    assert [
        each.split(": ", maxsplit=2)[2]
        for each in said(write_content(tmp_path / "data", {**files, "locks.yaml": locks}))
    ] == [
        "a lock is opened by a prop, an item, a robot or another lock: pit",
        "only one thing can open a lock, and here 'fungus' says which: npc",
    ]


def test_a_catalog_of_a_kind_that_nobody_declares_is_a_mistake(tmp_path: Path) -> None:
    npcs = "smith: {name: a smith, glyph: s}"
    (message,) = said(write_content(tmp_path / "data", {"kinds.yaml": KINDS, "objects/ncps.yaml": npcs}))
    assert message == (
        "data/objects/ncps.yaml: this file is not read, since content has no file of this name: objects/ncps.yaml (did you mean objects/npcs.yaml?)"
    )


def test_objects_have_what_the_kind_may_have_that_theirs_is_like(tmp_path: Path) -> None:
    fungi = """\
        puffball: {name: puffball, glyph: o, worth: 3}
        bracket: {name: bracket, glyph: c, like: pufball}
        any: {name: morel, glyph: m}
        """
    files = {"kinds.yaml": "fungus: {like: prop, called: fungi}", "objects/fungi.yaml": fungi}
    assert sorted(said(write_content(tmp_path / "data", files))) == [
        "data/objects/fungi.yaml:1:38: fungus 'puffball': only items can have this key: worth",
        "data/objects/fungi.yaml:2:42: fungus 'bracket': there is no fungus of this name: pufball (did you mean puffball?)",
        "data/objects/fungi.yaml:3:1: fungus 'any': this word has a meaning of its own and can't be a name: any",
    ]


@pytest.mark.parametrize(
    "kinds", [KINDS.replace("npc: {like: robot}", "npc: {like: rowboat, call: them}"), f"{KINDS}more: {{like"]
)
def test_where_a_kind_is_not_clear_nobody_who_uses_it_is_blamed(tmp_path: Path, kinds: str) -> None:
    found = said(write_content(tmp_path / "data", {**FILES, "kinds.yaml": kinds}))
    assert {each.partition(":")[0] for each in found} == {"data/kinds.yaml"}


@pytest.mark.parametrize(
    "kinds",
    [
        *(
            KINDS.replace("npc: {like: robot", f"npc: {{like: robot, called: {word}")
            for word in ("props", "maps")
        ),
        f"{KINDS}Item: {{like: item}}\n",
    ],
)
def test_a_kind_that_cannot_be_takes_nothing_from_others(
    tmp_path: Path, kinds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_content(tmp_path / "data", {**FILES, "kinds.yaml": kinds})
    (message,) = said(folder)
    assert message.startswith("data/kinds.yaml:")
    assert "maps" in dungeon.content_schemas(folder)
    assert main(["schema", "--data", str(folder)]) == 0
    assert "maps/**" in capsys.readouterr().out


def test_no_kind_is_called_as_what_else_becomes_entities(tmp_path: Path) -> None:
    others = Factories.__annotations__.keys() - {"prop", "trap", "robot", "item", "debris"}
    kinds = "".join(f"{word}: {{like: prop}}\n" for word in sorted(others))
    found = said(write_content(tmp_path / "data", {"kinds.yaml": kinds}))
    assert [each.rpartition(": ")[2] for each in found] == sorted(others) != []


@pytest.mark.parametrize("word", ["category", "terrain", "kind", "weight word", "map", "prefab"])
def test_a_word_that_no_kind_can_have_means_what_it_did(tmp_path: Path, word: str) -> None:
    (message,) = said(write_content(tmp_path / "data", {"kinds.yaml": f"{word}: {{like: prop}}"}))
    assert message.startswith(f"data/kinds.yaml:1:1: kind '{word}': ")


def test_all_mistakes_with_kinds_are_told_at_once(tmp_path: Path) -> None:
    files = {
        **FILES,
        "kinds.yaml": f"{KINDS}item: {{like: prop}}\n",
        "legends/boxes.yaml": "boxes: {n: {npc: smiht}, B: {prop: barel}}",
        "objects/food.yaml": "bread: {name: a loaf, glyph: long}",
        "objects/plants.yaml": "fern: {}",
    }
    found = said(write_content(tmp_path / "data", files))
    assert {each.partition(":")[0] for each in found} == {
        *("data/kinds.yaml", "data/legends/boxes.yaml", "data/objects/food.yaml", "data/objects/plants.yaml")
    }


def test_content_with_kinds_is_remembered_in_a_cache(folder: Path, tmp_path: Path, level: Level) -> None:
    first, again = (dungeon.load_content(folder, cache=tmp_path) for _ in range(2))
    assert len([*tmp_path.iterdir()]) == 1
    assert first.kinds == again.kinds
    assert dungeon.World(again, seed=4).level("cellars/1") == level
