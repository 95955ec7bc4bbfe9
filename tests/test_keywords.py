"""What may be said of an object, and what becomes of it when a prefab is filled."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rolling import filled, game, is_likely, stood

import dungeon
from dungeon import Orientation
from dungeon import terrain as t
from dungeon.generation.populate.populator import INTEGRITY
from dungeon.grid.symmetry import ALL_ORIENTATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content, Level, Spawn

MORE = {
    "objects/robots.yaml": """
        sweeper: {name: sweeper, glyph: s, class: worker, depth: 1}
        guard: {name: guard, glyph: g, class: guard, depth: 2, carries: {kit: 1, drill: 3}}
        warden: {name: warden, glyph: w, class: guard, depth: 3, carries: {class: aid}}
        titan: {name: titan, glyph: t, class: guard, depth: 6}
        """,
    "objects/items.yaml": """
        scrap: {name: scrap metal, glyph: "!", roll: {worth: 3..5, rust: {value: 1, chance: 50%}}, data: {made: [2..3], worth: 0}}
        patch: {name: patch, glyph: "+", class: aid, category: tool, depth: 1}
        kit: {name: kit, glyph: "k", class: aid, category: tool, depth: 3}
        drill: {name: drill, glyph: "d", class: power, category: tool, depth: 2}
        zap: {name: zap, glyph: "z", class: power, category: tool, depth: 2, prototype: true, faulty: 40%}
        """,
}


def one(folder: Path, entry: str) -> Content:
    """Return a game whose prefab `room` is a single cell with that object."""
    return game(folder, f"room: {{map: 'x', legend: {{x: {entry}}}}}\n", MORE)


def tags(content: Content, *, depth: int = 1, times: int = 200) -> Counter[str]:
    """Return what stands in the prefab `room`, and how often, as its tags in the order of the cells."""
    seen: Counter[str] = Counter()
    for seed in range(times):
        spawns = filled(content, content.prefabs["room"].drawing, seed=seed, depth=depth).spawns
        seen[" ".join(each.tag for each in sorted(spawns, key=lambda each: (each.y, each.x)))] += 1
    return seen


def keywords(content: Content, times: int = 400) -> list[dict[str, object]]:
    """Return what the game is told of the only object of `room`, time after time."""
    return [dict(stood(content, content.prefabs["room"].drawing, seed)[0].keywords) for seed in range(times)]


# -- whether ------------------------------------------------------------------------------------


def test_of_a_group_exactly_one_line_comes_true_by_weight(tmp_path: Path) -> None:
    content = game(tmp_path, """
        room:
          map: |
            a.b.c
            a....
          legend:
            a: {item: kit, group: g, weight: common}
            b: {item: drill, group: g, weight: rare}
            c: {robot: sweeper, group: g}
        """, MORE)  # fmt: skip
    seen = tags(content, times=1200)
    assert set(seen) == {"kit kit", "drill", "sweeper"}
    for line, weight in {"kit kit": 4, "drill": 1, "sweeper": 1}.items():
        assert is_likely(seen[line], 1200, weight / 6)


def test_groups_do_not_know_each_other(tmp_path: Path) -> None:
    content = game(tmp_path, """
        room:
          map: "abcd"
          legend:
            a: {item: kit, group: g}
            b: {item: drill, group: g}
            c: {item: patch, group: h}
            d: {item: scrap, group: h, weight: never}
        """, MORE)  # fmt: skip
    seen = tags(content, times=400)
    assert set(seen) == {"kit patch", "drill patch"}
    assert is_likely(seen["kit patch"], 400, 0.5)


def test_a_line_of_a_group_that_comes_true_may_still_not_come(tmp_path: Path) -> None:
    content = game(tmp_path, """
        room:
          map: "ab"
          legend: {a: {item: kit, group: g, chance: 50%}, b: {item: drill, group: g}}
        """, MORE)  # fmt: skip
    seen = tags(content, times=800)
    assert is_likely(seen["drill"], 800, 0.5)
    assert is_likely(seen["kit"], 800, 0.25)
    assert is_likely(seen[""], 800, 0.25)


def test_a_chance_may_be_of_any_kind_of_value(tmp_path: Path) -> None:
    for number, (chance, share) in enumerate(
        {"30%": 0.3, "[0%, 50%]": 0.25, "{value: 0%, chance: 60%}": 0.4, "{10%: 1, 90%: 3}": 0.7}.items()
    ):
        content = one(tmp_path / str(number), f"{{item: kit, chance: {chance}}}")
        assert is_likely(tags(content, times=1000)["kit"], 1000, share)


# -- which --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "depth", "expected"),
    [
        ("{robot: {class: guard}}", 2, {"guard"}),
        ("{robot: {class: guard}, strong: true}", 2, {"warden"}),
        ("{robot: {class: guard}, strong: true}", 1, {"guard"}),
        ("{robot: {class: guard}, strong: [true, false]}", 2, {"guard", "warden"}),
        ("{robot: {class: guard}}", 1, {""}),
        ("{robot: {class: guard}, fallback: true}", 1, {"guard"}),
        ("{robot: {class: guard}, fallback: true}", 3, {"warden"}),
        ("{robot: {class: [guard, worker]}, fallback: true}", 1, {"guard", "sweeper"}),
        ("{item: {class: aid}}", 1, {"patch"}),
        ("{item: {class: aid}, rating: 2}", 1, {"kit"}),
        ("{item: {class: aid}, rating: -2}", 3, {"patch"}),
        ("{item: {category: tool}}", 3, {"patch", "kit", "drill"}),
        ("{item: {category: tool}, prototype: true}", 3, {"zap"}),
        ("{item: {class: power}, prototype: true}", 1, {""}),
        ("{item: {class: power}, prototype: true, rating: 1}", 1, {"zap"}),
        ("{item: {category: tool}, prototype: true}", 1, {"patch"}),
        ("{item: {class: aid}, prototype: true}", 3, {"kit"}),
        ("{item: {class: aid}, prototype: true}", 0, {""}),
        ("{item: {class: aid}, prototype: true, fallback: true}", 0, {"patch"}),
        ("{item: {class: [aid, power]}, prototype: true}", 3, {"zap"}),
        ("{item: {class: {aid: 1, power: 0}}, prototype: true}", 3, {"kit"}),
        ("{item: any}", 1, {"scrap", "patch"}),
        ("{item: any, rating: 1}", 1, {"scrap", "patch", "drill"}),
        ("{item: any, prototype: true}", 1, {"scrap", "patch"}),
        ("{item: any, prototype: true}", 2, {"zap"}),
        ("{robot: any}", 0, {""}),
        ("{robot: any, strong: true}", 1, {"sweeper", "guard"}),
        ("{robot: any, fallback: true}", 0, {"sweeper"}),
        ("{item: zap}", 0, {"zap"}),
        ("{item: {equipped_by: guard}}", 1, {"kit", "drill"}),
        ("{item: {equipped_by: warden}}", 1, {"patch"}),
        ("{item: {equipped_by: warden}}", 3, {"kit"}),
        ("{item: {equipped_by: {value: warden, chance: 50%}}}", 3, {"kit", ""}),
    ],
)
def test_which_object_it_is(tmp_path: Path, entry: str, depth: int, expected: set[str]) -> None:
    assert set(tags(one(tmp_path, entry), depth=depth, times=60)) == expected


def test_what_a_robot_would_carry_is_as_likely_as_it_carries_it(tmp_path: Path) -> None:
    seen = tags(one(tmp_path, "{item: {equipped_by: guard}}"), times=1200)
    assert is_likely(seen["drill"], 1200, 0.75)


def test_what_nothing_answers_is_journalled(tmp_path: Path) -> None:
    content = one(tmp_path, "{item: {class: power}, prototype: true}")
    (decision,) = filled(content, content.prefabs["room"].drawing).journal.decisions
    assert (decision.subject, decision.reason) == ("room:x", "no item of prototype of power fits depth 1")


def test_what_not_even_anything_answers_is_journalled(tmp_path: Path) -> None:
    content = one(tmp_path, "{item: any, rating: -9}")
    scrap = one(tmp_path / "2", "{robot: any}")
    assert filled(content, content.prefabs["room"].drawing, depth=1).journal.decisions[0].reason == (
        "no item of any sort fits depth -8"
    )
    assert filled(scrap, scrap.prefabs["room"].drawing, depth=0).journal.decisions[0].reason == (
        "no robot of any sort fits depth 0"
    )


# -- what the game is told ----------------------------------------------------------------------


def test_prototypes_are_faulty_as_often_as_their_entry_says(tmp_path: Path) -> None:
    told = keywords(one(tmp_path / "1", "{item: zap}"), 1000)
    assert all(each["prototype"] is True for each in told)
    assert is_likely(sum(each["faulty"] is True for each in told), 1000, 0.4)
    spared = keywords(one(tmp_path / "2", "{item: zap, never_faulty: true}"))
    assert all(each == {"prototype": True, "faulty": False} for each in spared)
    assert keywords(one(tmp_path / "3", "{item: drill, never_faulty: true}"), 5) == [{}] * 5


def test_state_lock_and_what_opens_it_reach_the_game(tmp_path: Path) -> None:
    told = keywords(one(tmp_path / "1", "{prop: lamp, state: {lit: 3, out: 1}, lock: [red, blue]}"), 800)
    assert is_likely(sum(each["state"] == "lit" for each in told), 800, 0.75)
    assert is_likely(sum(each["lock"] == "red" for each in told), 800, 0.5)
    assert keywords(one(tmp_path / "2", "{item: kit, opens: red}"), 2) == [{"opens": "red"}] * 2
    sometimes = keywords(one(tmp_path / "3", "{prop: lamp, state: {value: lit, chance: 50%}}"), 60)
    assert {tuple(each.items()) for each in sometimes} == {(), (("state", "lit"),)}


STATES = {
    **MORE,
    "objects/robots.yaml": "idler: {name: idler, glyph: i, state: {asleep: 3, awake: 1, broken: 0}}\n"
    "heavy: {name: heavy, glyph: h, like: idler}\n",
    "maps/m.yaml": "m: {name: M, population: [{robot: heavy, count: 3, state: awake}]}\n",
}


def in_states(folder: Path, entry: str) -> Content:
    """Return a game whose prefab `room` is a single cell with that object, which may have states."""
    return game(folder, f"room: {{map: 'x', legend: {{x: {entry}}}}}\n", STATES)


@pytest.mark.parametrize("robot", ["idler", "heavy"])
def test_the_catalog_says_in_what_states_an_object_is(tmp_path: Path, robot: str) -> None:
    told = keywords(in_states(tmp_path, f"{{robot: {robot}}}"), 800)
    assert {each["state"] for each in told} == {"asleep", "awake"}
    assert is_likely(sum(each["state"] == "asleep" for each in told), 800, 0.75)


def test_who_asks_for_an_object_may_say_its_state(tmp_path: Path) -> None:
    told = keywords(in_states(tmp_path / "1", "{robot: idler, state: broken}"), 5)
    assert told == [{"state": "broken"}] * 5
    told = keywords(in_states(tmp_path / "2", "{robot: any, state: {value: broken, chance: 50%}}"), 800)
    assert is_likely(sum(each["state"] == "broken" for each in told), 800, 0.5)
    assert is_likely(sum(each["state"] == "awake" for each in told), 800, 0.125)


@pytest.mark.parametrize("thing", ["prop: crate", "trap: snare", "item: patch", "debris: ash"])
def test_objects_of_every_kind_have_states(tmp_path: Path, thing: str) -> None:
    assert keywords(in_states(tmp_path, f"{{{thing}, state: wet}}"), 2) == [{"state": "wet"}] * 2


def test_the_state_of_what_is_scattered_reaches_every_game(tmp_path: Path) -> None:
    level = dungeon.World(in_states(tmp_path, "{robot: idler}"), seed=1).level("m/1")
    assert [(each.tag, each.keywords["state"]) for each in level.spawns] == [("heavy", "awake")] * 3
    assert dungeon.from_json(dungeon.to_json(level)).spawns == level.spawns


def test_free_keywords_are_rolled_under_roll_and_untouched_under_data(tmp_path: Path) -> None:
    told = keywords(one(tmp_path, "{item: scrap, roll: {rust: 7..8, shiny: 50%}, data: {note: 1..2}}"), 900)
    assert all(each["made"] == ("2..3",) for each in told)
    assert all(each["note"] == "1..2" for each in told)
    assert all(each["shiny"] == 0.5 for each in told)
    worth = Counter(each["worth"] for each in told)
    assert set(worth) == {3, 4, 5}  # what is rolled comes before what is fixed
    assert all(is_likely(count, 900, 1 / 3) for count in worth.values())
    assert is_likely(sum(each["rust"] == 7 for each in told), 900, 0.5)


def test_what_an_object_of_the_catalog_rolls_is_rolled_without_a_word_about_it(tmp_path: Path) -> None:
    told = keywords(one(tmp_path, "{item: scrap}"), 400)
    assert {each["worth"] for each in told} == {3, 4, 5}
    assert is_likely(sum("rust" in each for each in told), 400, 0.5)


def test_each_of_several_neighbours_rolls_for_itself(tmp_path: Path) -> None:
    content = game(tmp_path, "room: {map: 'xx', legend: {x: {item: scrap}}}\n", MORE)
    pairs = {
        tuple(each.keywords["worth"] for each in stood(content, content.prefabs["room"].drawing, seed))
        for seed in range(200)
    }
    assert len(pairs) == 9


# -- machines -----------------------------------------------------------------------------------

MACHINES = """
    room:
      map: |
        .....
        .....
      machines: |2
         AB C
          B
      references: |2
            {char}
      paint: |2
         rg
      paints: {{r: "#ff0000", g: "#00ff00"}}
      legend:
        e: {{prop: [engine, lamp], state: humming}}
        k: {{item: kit}}
    """


def machines(folder: Path, char: str, seed: int = 0, depth: int = 1) -> list[Spawn]:
    content = game(folder, MACHINES.format(char=char), MORE)
    return stood(content, content.prefabs["room"].drawing, seed, depth)


def test_generic_machines_withstand_more_the_deeper_they_stand(tmp_path: Path) -> None:
    for depth in (0, 1, 6):
        spawns = machines(tmp_path, " ", depth=depth)
        assert [each.tag for each in spawns] == ["machine", "machine"]
        assert [each.keywords for each in spawns] == [{"integrity": INTEGRITY * (depth + 1)}] * 2


def test_a_machine_has_the_colour_of_each_of_its_cells(tmp_path: Path) -> None:
    first, second = machines(tmp_path, " ")
    assert (first.glyphs, first.cells) == (tuple("ABB"), ((0, 1), (0, 2), (1, 2)))
    assert first.fgs == ((255, 0, 0), (0, 255, 0), (150, 150, 150))
    assert (second.glyphs, second.fgs) == (("C",), ((150, 150, 150),))


def test_a_reference_to_a_prop_over_a_machine_names_it(tmp_path: Path) -> None:
    seen = Counter()
    for seed in range(80):
        generic, named = machines(tmp_path, "e", seed)
        assert (generic.tag, generic.source) == ("machine", "room:machine")
        assert (named.cells, named.glyphs, named.source) == (((0, 4),), ("C",), "room:e")
        assert named.keywords["state"] == "humming"
        seen[named.tag] += 1
    assert is_likely(seen["engine"], 80, 0.5)


def test_other_references_over_a_machine_do_not_name_it_and_items_lie_on_it(tmp_path: Path) -> None:
    content = game(tmp_path, MACHINES.format(char="k"), MORE)
    result = filled(content, content.prefabs["room"].drawing)
    assert [each.tag for each in result.spawns] == ["machine", "machine", "kit"]
    assert result.spawns[2].cells[0] in result.spawns[1].cells
    assert not result.journal.decisions


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_the_colours_of_a_machine_turn_with_it(tmp_path: Path, orientation: Orientation) -> None:
    content = game(tmp_path, MACHINES.format(char=" "), MORE)
    first, _ = stood(content, content.prefabs["room"].drawing.turned(orientation))
    at = dict(zip(first.cells, first.fgs, strict=True))
    assert at[orientation.turn_cell(0, 1, 2, 5)] == (255, 0, 0)
    assert at[orientation.turn_cell(0, 2, 2, 5)] == (0, 255, 0)
    assert at[orientation.turn_cell(1, 2, 2, 5)] == (150, 150, 150)


# -- stairs -------------------------------------------------------------------------------------

HALL = """
    hall:
      map: |
        #########
        #<.a.b.c#
        #.......#
        #########
      legend:
        a: {terrain: stairs_down, to: %s}
        b: {terrain: stairs_down, to: %s}
        c: {terrain: stairs_down}
    """


def level(folder: Path, one: str, other: str, seed: int = 0) -> Level:
    """Return the hall, from which ways lead to the crypt and to the mines, in that order."""
    more = {
        "maps/m.yaml": "m: {name: M, layout: {static: {prefab: hall}}}\n",
        "maps/crypt.yaml": "crypt: {name: Crypt}\n",
        "world.yaml": "start: m/1\nleads_to: {m/1: [crypt/2, mines/2]}\n",
    }
    return dungeon.World(game(folder, HALL % (one, other), more), seed).level("m/1")


def dropped(made: Level) -> list[tuple[str, str]]:
    return [
        (each.subject, each.reason)
        for each in made.journal
        if each.stage == "exits" and each.subject.startswith("stairs")
    ]


A, B, C = 3, 5, 7


def columns(made: Level) -> list[int]:
    """Return the columns of the ways to the crypt and to the mines within the drawing."""
    assert [each.leads_to for each in made.exits] == ["crypt/2", "mines/2"]
    assert {each.y for each in made.exits} == {made.entrance.y}
    return [each.x - made.entrance.x + 1 for each in made.exits]


def test_stairs_for_a_certain_map_lead_there_and_others_wherever_else(tmp_path: Path) -> None:
    assert columns(level(tmp_path / "1", "crypt", "mines")) == [A, B]
    assert columns(level(tmp_path / "2", "mines", "crypt/2")) == [B, A]


def test_of_stairs_for_the_same_map_chance_picks(tmp_path: Path) -> None:
    seen = set()
    for seed in range(8):
        made = level(tmp_path / str(seed), "mines", "mines/2", seed)
        general, mines = columns(made)
        left, word = (B, "mines/2") if mines == A else (A, "mines")
        assert (general, {mines, left}) == (C, {A, B})
        where = f"stairs at y {made.entrance.y}, x {made.entrance.x + left - 1}"
        assert dropped(made) == [(where, f"no exit to {word} is left for them")]
        seen.add(mines)
    assert seen == {A, B}


def test_stairs_that_are_not_needed_become_floor(tmp_path: Path) -> None:
    made = level(tmp_path, "crypt", "m")
    assert columns(made) == [A, C]
    stairs = np.argwhere(made.terrain == t.STAIRS_DOWN)
    assert [x - made.entrance.x + 1 for _, x in stairs.tolist()] == [A, C]
    assert [reason for _, reason in dropped(made)] == ["no exit to m is left for them"]
