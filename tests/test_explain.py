"""Explaining a prefab: every character with its meaning, its definition and its exact odds."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import write_content
from rolled import FAMILY, surprise

import dungeon
from dungeon.authoring.explain import explain_prefab, step_in_words
from dungeon.authoring.sample import Sampler
from dungeon.cli import main
from dungeon.content.models.entries import PrefabEntry
from dungeon.content.source.names import read_word
from dungeon.content.values.grammar import in_words, percent
from dungeon.content.values.value_fields import read_int, read_value

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content
    from dungeon.authoring.explain import Character, Explanation

FILES: dict[str, str] = {
    "objects/robots.yaml": """\
        mite: {name: mite, glyph: m, class: hunter, depth: 1, carries: {knife: 3, scrap: 1}}
        wolf: {name: wolf, glyph: w, class: hunter, depth: 2, weight: 3}
        hound: {name: hound, glyph: h, class: [hunter, watch], depth: 2, carries: scrap}
        giant: {name: giant, glyph: g, class: hunter, depth: 3}
        """,
    "objects/items.yaml": """\
        scrap: {name: scrap metal, glyph: "!", class: stuff}
        knife: {name: knife, glyph: "/", class: stuff}
        wrench: {name: wrench, glyph: "w", class: stuff, depth: 3}
        laser: {name: laser, glyph: "?", class: stuff, prototype: true, faulty: 20%}
        """,
    "legends/more.yaml": """\
        base:
          B: {prop: crate}
          d: {debris: rubble, chance: 25%}
        more:
          extends: base
          B: {prop: barrel}
        """,
    "palettes/dark.yaml": """\
        dark: {glyphs: {"%": blocked}}
        """,
    "prefabs/more.yaml": """\
        everything:
          map: |
            .?~%..r.
            #F..xx.d
            .G.a...b
            SS......
          references: |
            h s i  e

                g k
          links: |
            3      *
          machines: |2
                 X

                MM
          legends: more
          palette: {extends: dark}
          legend:
            r: {robot: {class: [hunter, watch]}, chance: [50%, 100%]}
            h: {robot: {class: hunter}, strong: {value: true, chance: 40%}}
            s: {robot: {class: watch}, fallback: {true: 1, false: 3}}
            i: {item: {class: stuff}, prototype: {value: true, chance: 30%}, rating: {0: 3, 1: 1}}
            e: {item: {equipped_by: {mite: 3, hound: 1}}, chance: {value: 50%, chance: 80%}}
            a: {prop: crate, group: one, weight: 3}
            b: {prop: {crate: 1, barrel: 1}, group: one, chance: 50%, data: {full: true}}
            g: {prop: barrel}
            k: {terrain: {grass: 1, floor: 3}}
            F:
              switch: fence
              cases:
                iron: {terrain: wall}
                wood: {prop: crate, terrain: grass}
            G: {terrain: stairs_down, to: cellars}
          parameters:
            fence: {iron: 1, wood: 3}
          vary:
            - {exactly: 1, of: x, become: "~", otherwise: d}
            - {fit: S, prefabs: nook}
          orientations: [r0, m0]
        nook: {map: ".", tags: [small]}
        """,
    "encounters/more.yaml": """\
        all: {category: risk, prefabs: everything, maps: {cellars: common}, depth: 2..4}
        """,
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return dungeon.load_content(write_content(tmp_path_factory.mktemp("data"), FILES))


@pytest.fixture(scope="module")
def told(content: Content) -> Explanation:
    return explain_prefab(content, "everything")


def of(told: Explanation, char: str) -> Character:
    (found,) = [each for each in told.characters if each.char == char]
    return found


def place(source: object) -> str:
    return str(source).rsplit("/", 1)[1]


def test_a_prefab_is_drawn_as_written(told: Explanation) -> None:
    assert (told.name, told.depth, told.size, place(told.source)) == (
        "everything",
        2,
        (4, 8),
        "more.yaml:1:1",
    )
    assert told.planes == (
        ("map", (".?~%..r.", "#F..xx.d", ".G.a...b", "SS......")),
        ("links", ("3      *", *[" " * 8] * 3)),
        ("machines", ("     X  ", " " * 8, "    MM  ", " " * 8)),
        ("references", ("h s i  e", " " * 8, "    g k ", " " * 8)),
    )


@pytest.mark.parametrize(
    ("char", "cells", "where", "source", "terrain"),
    [
        (".", 18, "built in", None, ["floor"]),
        ("#", 1, "built in", None, ["wall"]),
        ("~", 1, "palette.yaml", "palette.yaml:1:10", ["grass"]),
        ("%", 1, "palette dark", "dark.yaml:1:17", ["blocked"]),
        ("d", 1, "legend base", "more.yaml:3:3", ["floor"]),
        ("G", 1, "its own legend", "more.yaml:34:5", ["stairs_down"]),
        ("k", 1, "its own legend", "more.yaml:28:5", ["grass", "floor"]),
        ("?", 1, "built in", None, None),
        ("x", 2, "built in", None, None),
    ],
)
def test_every_character_is_traced_to_its_definition(
    told: Explanation, char: str, cells: int, where: str, source: str | None, terrain: list[str] | None
) -> None:
    found = of(told, char)
    assert (found.cells, found.origin.where) == (cells, where)
    assert (place(found.origin.source) if found.origin.source else None) == source
    meant = [[each.name for each in meaning.terrain] for meaning in found.meanings]
    assert meant == ([] if terrain is None else [terrain])


def test_a_legend_overrides_those_it_extends(tmp_path: Path) -> None:
    prefab = "nook: {map: BB, legends: more}\n"
    content = dungeon.load_content(
        write_content(
            tmp_path / "data", FILES | {"prefabs/more.yaml": prefab} | {"encounters/more.yaml": None}
        )
    )
    (found,) = explain_prefab(content, "nook").characters
    assert (found.cells, found.origin.where, place(found.origin.source)) == (
        2,
        "legend more",
        "more.yaml:6:3",
    )
    assert [each.tag for each in found.meanings[0].outcomes] == ["barrel"]


def odds_of(told: Explanation, char: str) -> dict[str | None, float]:
    """Return the odds of a cell, all its cases taken together, in percent."""
    result: Counter[str | None] = Counter()
    for meant in of(told, char).meanings:
        for outcome in meant.outcomes:
            result[outcome.tag] += meant.case * outcome.likely * 100
        result[None] += meant.case * (meant.nothing if meant.kind else 1.0) * 100
    return {tag: pytest.approx(share) for tag, share in result.items() if share > 1e-9}


def test_odds_are_exact(told: Explanation) -> None:
    # The hunters at depth 2 are wolves (weight 3) and hounds; at 3, one level above, only the giant is.
    assert odds_of(told, "h") == {"wolf": 60 * 0.75, "hound": 60 * 0.25, "giant": 40}
    assert odds_of(told, "r") == {"wolf": 75 * 0.375, "hound": 75 * (0.125 + 0.5), None: 25}
    assert odds_of(told, "s") == {"hound": 100}
    assert odds_of(told, "i") == {"laser": 30, "wrench": 70 * 0.25, "knife": 70 * 0.375, "scrap": 70 * 0.375}
    assert odds_of(told, "e") == {"knife": 60 * 0.5625, "scrap": 60 * (0.1875 + 0.25), None: 40}
    assert odds_of(told, "a") == {"crate": 75, None: 25}
    assert odds_of(told, "b") == {"crate": 6.25, "barrel": 6.25, None: 87.5}
    assert odds_of(told, "F") == {"crate": 75, None: 25}


def test_odds_are_those_of_the_depth(content: Content) -> None:
    assert odds_of(explain_prefab(content, "everything", depth=1), "h") == {
        "mite": 60,
        "wolf": 30,
        "hound": 10,
    }
    assert odds_of(explain_prefab(content, "everything", depth=1), "s") == {"hound": 25, None: 75}
    assert odds_of(explain_prefab(content, "everything", depth=9), "h") == {"giant": 100}


def test_rolls_are_as_frequent_as_the_explained_odds(content: Content, told: Explanation) -> None:
    rolls, sampler = 1200, Sampler(content)
    chars = {
        (y, x): char
        for name, rows in told.planes
        if name in ("map", "references")
        for y, row in enumerate(rows)
        for x, char in enumerate(row)
        if char in "hsieabrFg"
    }
    seen: dict[str, Counter[str]] = {char: Counter() for char in chars.values()}
    grass = 0
    for number in range(rolls):
        sample = sampler.sample("everything", number=number)
        assert sample.journal == ()
        grass += sample.terrain[2, 6] == content.terrain_set.code("grass")
        for spawn in sample.spawns:
            if (spawn.y, spawn.x) in chars:
                seen[chars[spawn.y, spawn.x]][spawn.tag] += 1
    claims = [("k", grass, 25.0)]
    for char, tags in seen.items():
        odds = {tag: share.expected for tag, share in odds_of(told, char).items() if tag is not None}  # type: ignore[attr-defined]
        assert set(tags) == set(odds)
        claims += [(f"{char} {tag}", tags[tag], share) for tag, share in odds.items()]
    assert len(claims) == 18
    limit = math.log(2 * len(claims) / FAMILY)  # see rolled.py
    assert [claim for claim in claims if surprise(claim[1], rolls, min(claim[2] / 100, 1)) > limit] == []


CHOOSY = """\
    choosy:
      map: |
        a.b.c.d.e.f
        v.w.x.y.z.>
        m........n.
      machines: |2


          MM  MM
      references: |2


          k   l
      legend:
        a: {item: knife, group: [one, two], weight: 1..4}
        b: {item: scrap, group: {one: 3, two: 1}, weight: {common: 1, 2: 3}}
        c: {item: wrench, group: {value: one, chance: 40%}, weight: {value: 5, chance: 50%}, chance: 50%}
        d: {switch: mood, cases: {calm: {item: knife, group: two, weight: 0..1}, wild: floor}}
        e: {item: scrap, group: {value: [two, three], chance: 70%}}
        f: {item: any, prototype: [true, false]}
        v: {item: {class: stuff}, group: four, weight: [0, 2]}
        w: {item: scrap, group: four, weight: [0, 0, 3]}
        x: {robot: any}
        y: {item: {class: stuff}, prototype: {value: true, chance: 50%}, rating: [0, 1]}
        z: {item: knife, shift: {value: [0, 0], chance: 30%}}
        ">": {terrain: stairs_down, to: {value: {cellars: 3, cellars/2: 1}, chance: 80%}}
        k: {prop: crate, group: [five, six], weight: [1, 2]}
        l: {prop: barrel, group: five, weight: 1..2}
        m: {debris: rubble, group: six}
        n: {debris: rubble, group: [five, seven]}
      parameters: {mood: [calm, wild]}
    """


def test_rolls_of_groups_are_as_frequent_as_the_explained_odds(tmp_path: Path) -> None:
    files = {**FILES, "prefabs/more.yaml": CHOOSY, "encounters/more.yaml": None}
    content, rolls = dungeon.load_content(write_content(tmp_path / "data", files)), 1500
    told, sampler = explain_prefab(content, "choosy", depth=2), Sampler(content)
    seen: dict[str, Counter[str]] = {char: Counter() for char in "abcefklmnvwxyz"}
    for number in range(rolls):
        for spawn in sampler.sample("choosy", number=number, depth=2).spawns:
            if (char := spawn.source[-1]) in seen:
                seen[char][spawn.tag] += 1
    claims = []
    for char, tags in seen.items():
        odds = {tag: share.expected for tag, share in odds_of(told, char).items() if tag is not None}  # type: ignore[attr-defined]
        assert set(tags) == set(odds), char
        claims += [(f"{char} {tag}", tags[tag], share) for tag, share in odds.items()]
    limit = math.log(2 * len(claims) / FAMILY)
    assert [claim for claim in claims if surprise(claim[1], rolls, min(claim[2] / 100, 1)) > limit] == []
    (down,) = of(told, ">").meanings
    assert down.to == "cellars (60%) or cellars/2 (20%) or wherever the map leads (20%)"
    assert of(told, "a").meanings[0].group == ("b", "c", "d", "e")


def test_odds_of_groups_that_are_rolled_are_exact(tmp_path: Path) -> None:
    files = {**FILES, "prefabs/more.yaml": CHOOSY, "encounters/more.yaml": None}
    told = explain_prefab(dungeon.load_content(write_content(tmp_path / "data", files)), "choosy", depth=2)
    # Of four: v weighs 0 or 2, w 0, 0 or 3. Where both weigh 0, neither comes.
    assert odds_of(told, "w") == {"scrap": 100 / 3 * (1 / 2 + 1 / 2 * 3 / 5), None: 100 - 80 / 3}
    # Of five: l weighs 1 or 2, against k, with 1 or 2, half of the time, and n, with 1, half of the time.
    alone, both = 1 / 4, 1 / 4
    against_k = (1 / 2 + 1 / 3 + 2 / 3 + 1 / 2) / 4 / 4
    against_n = (1 / 2 + 2 / 3) / 2 / 4
    against_both = (1 / 3 + 1 / 4 + 2 / 4 + 2 / 5) / 4 * both
    likely = 100 * (alone + against_k + against_n + against_both)
    assert odds_of(told, "l") == {"barrel": likely, None: 100 - likely}


def test_keywords_are_as_written_with_their_places(told: Explanation) -> None:
    (meant,) = of(told, "b").meanings
    assert [(each.name, each.text, place(each.source)) for each in meant.keywords] == [
        ("group", "one", "more.yaml:26:38"),
        ("chance", "50%", "more.yaml:26:50"),
        ("data", "{full: true}", "more.yaml:26:63"),
    ]
    assert meant.group == ("a",)


def test_steps_links_machines_and_uses_are_explained(told: Explanation) -> None:
    assert [(step.words, place(step.source), step.prefabs) for step in told.steps] == [
        ("exactly 1 of the cells with x becomes ~; the others become d", "more.yaml:38:7", ()),
        (
            "into each connected group of S a prefab is fitted, with a chance of 100%; what is left becomes .",
            "more.yaml:39:7",
            ("nook",),
        ),
    ]
    assert told.parameters == (("fence", "wood (75%) or iron (25%)"),)
    assert told.links == (("connector", 1, 1), ("tunneler", 3, 1))
    machines = [(each.cells, each.named, [thing.tag for thing in each.outcomes]) for each in told.machines]
    assert machines == [(1, "", []), (2, "g", ["barrel"])]
    assert (told.orientations, told.looks) == (("r0", "m0"), 2)
    assert [(each.kind, each.name, each.maps) for each in told.uses] == [
        ("encounter", "all", ((2, "cellars/2"),))
    ]


def test_a_drawing_read_by_colour_is_explained_by_colour(tmp_path: Path) -> None:
    glyph = np.array([[219, 219, ord(".")]], np.uint32)  # 219 is the full block of code page 437
    fg = np.array([[(255, 0, 0), (255, 0, 0), (1, 2, 3)]], np.uint8)
    layer = dungeon.XpLayer(glyph=glyph, fg=fg, bg=np.zeros_like(fg))
    content = dungeon.load_content(write_content(tmp_path / "data", {"prefabs/hut.xp": [layer]}))
    told = explain_prefab(content, "hut")
    assert told.planes == (("map", ("##.",)),)
    found = [(each.char, each.colour, each.cells, each.origin.where) for each in told.characters]
    assert found == [("\u2588", "#ff0000", 2, "palette.yaml"), (".", None, 1, "built in")]
    assert place(told.characters[0].origin.source) == "palette.yaml:2:11"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"substitute": "xy", "with": {".": 3, "~": 1}}, "x or y: each becomes . (75%) or ~ (25%)"),
        ({"substitute": "x", "with": [".", "~"], "once": True}, "x: all alike become . (50%) or ~ (50%)"),
        (
            {"substitute": "x", "switch": "f", "cases": {"a": "1", "b": " "}},
            'x becomes what the parameter f decides: 1 if it is a and " " if it is b',
        ),
        (
            {"exactly": "1..2", "of": "x", "become": "y"},
            "1 to 2 of the cells with x become y; the others stay",
        ),
        (
            {"exactly": 2, "of": "xy", "become": "z", "otherwise": "."},
            "exactly 2 of the cells with x or y become z; the others become .",
        ),
        ({"shuffle": ["ab", "cd"]}, "ab and cd change places at random"),
        (
            {"one_of": "123", "become": "+", "otherwise": "#"},
            "one of 1, 2 and 3 that are drawn becomes +; the others become #",
        ),
        (
            {"optional": "w", "chance": ["20%", "40%"], "become": "#", "otherwise": "."},
            "w: with a chance of 30% on average all become #, else .",
        ),
    ],
)
def test_steps_are_described_in_words(step: dict[str, object], words: str) -> None:
    (read,) = PrefabEntry.model_validate({"map": "x", "vary": [step]}).vary
    assert step_in_words(read) == words


def test_values_are_described_in_words() -> None:
    assert in_words(read_value("2..4", read_int)) == "2 to 4"
    assert in_words(read_value({"value": "x", "chance": "30%"}, read_word)) == "nothing (70%) or x (30%)"
    assert [percent(share) for share in (1.0, 0.5, 1 / 3, 0.0004)] == ["100%", "50%", "33.3%", "0.04%"]


def test_the_command_prints_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_content(tmp_path / "data")
    assert main(["explain", "store", "--data", str(data), "--depth", "3"]) == 0
    assert (
        capsys.readouterr().out.replace(f"{data}/", "")
        == """\
store: prefab, 4x3, prefabs/rooms.yaml:1:1; odds at depth 3

map
  C..C
  ..B.
  ....

characters
  .  9 cells: floor . #686870  [built in]
  C  2 cells: prop on floor . #686870  [its own legend, prefabs/rooms.yaml:7:5]
        100% crate
  B  1 cell: prop on floor . #686870  [legend boxes, legends/boxes.yaml:2:3]
        100% barrel

orientations
  r0, r90, r180, r270, m0, m90, m180, m270; 8 of them look different

used by
  encounter store, on cellars/1, cellars/2  [encounters/rooms.yaml:1:1]
"""
    )


def test_an_unknown_prefab_is_answered_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_content(tmp_path / "data")
    assert main(["explain", "stores", "--data", str(data)]) == 2
    assert capsys.readouterr().err == "dungeon: there is no prefab 'stores' (did you mean store?)\n"


@pytest.mark.parametrize(
    ("prefabs", "there"),
    [(None, "there is 1 prefab"), ("another: {map: '.'}\n", "there are 2 prefabs")],
)
def test_a_name_without_a_similar_one_is_answered_with_the_number_of_prefabs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], prefabs: str | None, there: str
) -> None:
    data = write_content(tmp_path / "data", {"prefabs/more.yaml": prefabs})
    assert main(["explain", "cellars", "--data", str(data)]) == 2
    assert capsys.readouterr().err == f"dungeon: there is no prefab 'cellars' ({there})\n"
