"""Prefabs, and objects, that are like others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from content_files import marked, write_content
from rolling import game, rolls, said

import dungeon
from dungeon import XpLayer, export_prefab
from dungeon.authoring.explain import explain_prefab
from dungeon.cli import main
from dungeon.content.source.reader import MAX_NODES
from dungeon.playtest.compare.edits import edits_between

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PREFABS, ENCOUNTERS, ROBOTS = "prefabs/rooms.yaml", "encounters/rooms.yaml", "objects/robots.yaml"
STORE = {ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: 1}}\n"}

FENCED = """\
fenced:
  legend: {f: {switch: fence, cases: {iron: wall, wood: door}}, "~": water}
  parameters: {fence: [iron, wood]}
  vary:
    - {exactly: 1, of: x, become: "~", otherwise: "."}
"""


def looks(folder: Path, prefabs: str, name: str = "room", more: Mapping[str, str] | None = None) -> set[str]:
    """Return all that a prefab may look like."""
    return set(rolls(game(folder, prefabs, more).prefabs[name], 100))


def told(folder: Path, files: Mapping[str, Any], *severities: str) -> list[str]:
    """Return what is said of content, without the name of its folder; errors, unless anything else is asked for."""
    problems = dungeon.examine_content(write_content(folder, files)).problems
    asked = severities or ("error",)
    return [str(each).replace(f"{folder}/", "") for each in problems if each.severity in asked]


def expect(folder: Path, prefabs: str, *messages: str) -> None:
    """Check that these messages are all that is wrong with prefabs, each where a « stands."""
    text, places = marked(prefabs)
    assert said(folder, text) == [f"{at}: {each}" for at, each in zip(places, messages, strict=True)]


# -- what is shared -----------------------------------------------------------------------------


def test_steps_parameters_and_legend_are_shared_by_drawings(tmp_path: Path) -> None:
    text = f"{FENCED}room: {{like: fenced, map: fxx}}\nyard: {{like: fenced, map: xf}}\n"
    assert looks(tmp_path, text) == {"#~.", "#.~", "+~.", "+.~"}
    assert looks(tmp_path, text, "yard") == {"~#", "~+"}


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        # What it says itself counts: a list or a value whole, of these mappings each key.
        ("vary: [{substitute: x, with: '~'}]", {"#~~", "+~~"}),
        ("parameters: {fence: iron}", {"#~.", "#.~"}),
        ("legend: {'~': door}", {"#+.", "#.+", "++.", "+.+"}),
        ("legend: {f: floor}", {".~.", "..~"}),
        ("vary: []\n  legend: {x: water}", {"#~~", "+~~"}),
        ("palette: {glyphs: {'.': water}}\n  legend: {'~': wall}", {"##~", "#~#", "+#~", "+~#"}),
    ],
)
def test_what_a_prefab_says_itself_counts(tmp_path: Path, own: str, expected: set[str]) -> None:
    assert looks(tmp_path, f"{FENCED}room:\n  like: fenced\n  map: fxx\n  {own}\n") == expected


def test_palettes_are_merged_glyph_by_glyph(tmp_path: Path) -> None:
    text = """\
base: {palette: {glyphs: {a: wall, b: wall}}}
room: {like: base, map: ab, palette: {glyphs: {b: water}}}
"""
    assert looks(tmp_path, text) == {"#~"}


def test_one_may_be_like_another_in_any_order(tmp_path: Path) -> None:
    text = "room: {like: hall, legend: {b: door}}\nhall: {like: base, map: abc}\n"
    text += "base: {legend: {a: wall, b: wall, c: water}}\n"
    assert looks(tmp_path, text) == {"#+~"}
    assert looks(tmp_path, text, "hall") == {"##~"}


def test_only_a_prefab_without_a_map_has_the_drawing_of_the_other(tmp_path: Path) -> None:
    text = """\
hall: {map: "....", references: "C", links: "   2", legend: {C: {prop: crate}}}
same: {like: hall}
moved: {like: hall, references: "  C"}
other: {like: hall, map: "...."}
"""
    prefabs = game(tmp_path, text).prefabs
    pictures = {name: dict(rolls(prefab, 1)) for name, prefab in prefabs.items()}
    assert pictures["same"] == pictures["hall"] == {"C...": 1}
    assert pictures["moved"] == {"..C.": 1}
    assert pictures["other"] == {"....": 1}
    assert [len(prefab.template.fixed.links) for prefab in prefabs.values()] == [1, 1, 1, 0]


def test_drawings_of_rexpaint_are_shared(tmp_path: Path) -> None:
    layers = [XpLayer.from_rows(["C.x"])]
    files = STORE | {
        "prefabs/base.xp": layers,
        "prefabs/tall.xp": [XpLayer.from_rows(["C", "x"])],
        PREFABS: "base: {legend: {C: {prop: crate}, x: wall}}\n"
        "store: {like: base, legend: {x: {prop: barrel}}}\ntall: {like: store}\n",
    }
    prefabs = dungeon.load_content(write_content(tmp_path, files)).prefabs
    assert {name: dict(rolls(prefab, 1)) for name, prefab in prefabs.items()} == {
        "base": {"C.#": 1},
        "store": {"C.x": 1},
        "tall": {"C\nx": 1},
    }


def test_a_prefab_like_another_is_as_if_all_were_written_out(tmp_path: Path) -> None:
    encounter = {ENCOUNTERS: "store: {category: reward, prefabs: stores, maps: {cellars: 1}}\n"}
    shared = """\
base:
  legends: boxes
  legend: {C: {prop: crate, chance: 50%}}
  vary: [{shuffle: CB}]
  tags: stores
  orientations: [r0, r90]
store: {like: base, map: "C.B"}
"""
    whole = shared.split("store:", maxsplit=1)[0].replace("base:", "store:") + '  map: "C.B"\n'
    levels = []
    for name, text in (("shared", shared), ("whole", whole)):
        folder = write_content(tmp_path / name, {PREFABS: text} | encounter)
        for _ in range(2):  # as read, and as remembered
            content = dungeon.load_content(folder, cache=tmp_path / "cache")
            levels.append(dungeon.to_json(dungeon.World(content, seed=3).level("cellars/2")))
    assert levels == [levels[0]] * 4
    assert '"store"' in levels[0]


def test_a_mod_that_changes_a_prefab_changes_those_that_are_like_it(tmp_path: Path) -> None:
    files = STORE | {PREFABS: 'base: {legend: {C: {prop: crate}}}\nstore: {like: base, map: "C."}\n'}
    base, mod = write_content(tmp_path / "base", files), tmp_path / "mod"
    (mod / "prefabs").mkdir(parents=True)
    (mod / "prefabs/any.yaml").write_text("base: {change: {legend: {C: {prop: barrel}}}}\n")
    content = dungeon.load_content(base, mod)
    (reference,) = content.prefabs["store"].drawing.references
    assert reference.symbol.selector is not None
    assert reference.symbol.selector.tags is not None
    assert list(reference.symbol.selector.tags.outcomes()) == ["barrel"]
    explained = explain_prefab(content, "store")
    ((name, _, (change,)),) = explained.bases
    assert (name, change.keys) == ("base", ("legend.C.prop",))
    (crate,) = (each for each in explained.characters if each.char == "C")
    assert crate.origin.where == "the legend of base"
    assert [each.file for each in crate.origin.changed] == [str(mod / "prefabs/any.yaml")]


# -- prefabs without a drawing ------------------------------------------------------------------


def test_a_prefab_without_a_drawing_is_there_only_for_others(tmp_path: Path) -> None:
    text = f"{FENCED}  tags: yards\nroom: {{like: fenced, map: fxx}}\nbare: {{like: fenced, map: fxx, tags: []}}\n"
    content = game(tmp_path, text)
    assert list(content.prefabs) == ["room", "bare"]
    assert [each.name for each in content.called["yards"]] == ["room"]
    assert content.bases == {"room": "fenced", "bare": "fenced"}


def test_nothing_else_can_ask_for_a_prefab_without_a_drawing(tmp_path: Path) -> None:
    text, (at,) = marked("store: {category: reward, prefabs: [«base, store], maps: {cellars: 1}}\n")
    files = {ENCOUNTERS: text, PREFABS: "base: {legend: {C: wall}}\nstore: {like: base, map: C}\n"}
    message = "this prefab has no drawing: it exists only for others to be 'like' it: base"
    assert told(tmp_path, files) == [f"{ENCOUNTERS}:{at}: error: encounter 'store': {message}"]


# -- what is wrong ------------------------------------------------------------------------------

UNDRAWN = "this prefab has neither a map nor an .xp drawing of its name"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("room: {map: '.', like: «hal}\nhall: {map: '.'}\n",
         ["prefab 'room': there is no prefab of this name: hal (did you mean hall?)"]),
        ("room: {map: '.', like: «[a]}\n", ["prefab 'room': a name is needed here: [a]"]),
        # What is not known to be drawn, or explained, may be so by what could not be found.
        ("room: {like: «hal}\nhall: {map: 'C'}\nnook: {like: room}\n".replace("'C'", "'.'"),
         ["prefab 'room': there is no prefab of this name: hal (did you mean hall?)"]),
        ("room: {map: 'C', like: «hal}\nhall: {map: '.'}\nnook: {like: room, map: 'D'}\n",
         ["prefab 'room': there is no prefab of this name: hal (did you mean hall?)"]),
        ("room: {like: «hall}\nhall: {like: «room}\n",
         ["prefab 'room': this prefab is like itself: room -> hall -> room",
          "prefab 'hall': this prefab is like itself: hall -> room -> hall"]),
        ("room: {map: 'CD', like: hall, legend: {C: wall}}\nhall: {map: '.', legend: «3}\n",
         ["prefab 'hall': a mapping of keys to values is needed here, such as {...: 3}: 3"]),
        ("room: {map: '.', «extends: hall}\nhall: {map: '.', «abstract: true}\n",
         ["prefab 'room': to take keys from another prefab, write 'like': extends",
          "prefab 'hall': a prefab without a drawing is abstract already: others can be 'like' it: abstract"]),
        # Somebody must draw.
        ("«base: {legend: {C: wall}}\n", [f"prefab 'base': {UNDRAWN}"]),
        ("base: {legend: {C: wall}}\n«room: {like: base}\n", [f"prefab 'room': {UNDRAWN}"]),
        # What is wrong with a part is said once, of the prefab that says it.
        ("room: {like: base, map: C}\nbase: {legend: {C: {prop: «crat}}}\nhall: {like: base, map: C}\n",
         ["prefab 'base': there is no prop of this name: crat (did you mean crate?)"]),
        ("room: {like: base, map: C}\nbase: {legend: {C: {terrain: wall, «lock: red}}}\nhall: {like: base, map: C}\n",
         ["prefab 'base': only a prop, locked_door, and terrain that is like locked_door, can have this key: lock"]),
        ("room: {like: base, map: .}\nbase: {tags: [«hall]}\nhall: {map: .}\n",
         ["prefab 'base': there is a prefab whose name is this tag, in prefabs/all.yaml:3:1: hall"]),
        # What only a drawing makes wrong is said of each that draws so, where it is written.
        ("base:\n  vary: [{exactly: «3, of: c, become: '#', otherwise: .}]\nroom: {like: base, map: ccc}\nhall: {like: base, map: cc}\n",
         ["prefab 'hall': only 2 cells have this character, fewer than asked for: 3"]),
        ("base: {legend: {f: {switch: «fence, cases: {a: wall}}}}\nroom: {like: base, map: f}\n",
         ["prefab 'room': this prefab has no parameter of this name: fence"]),
        ("base: {map: «'.C'}\nroom: {like: base, legend: {C: wall}}\n",
         ["prefab 'base': no legend or palette says what this character means: 'C'"]),
        ("base: {map: «'.C'}\nroom: {like: base}\nhall: {like: room, legend: {}}\n",
         ["prefab 'base': no legend or palette says what this character means: 'C'"]),
        # A drawing lies on a map.
        ("base: {legend: {C: wall}, «links: '2'}\nhall: {like: base}\nroom: {like: hall, map: C}\n",
         ["prefab 'base': without a 'map' this key draws nothing, and prefabs that are 'like' this one don't take it: links"]),
        # No prefab is fitted into itself by what it has from another one, either.
        ("base: {vary: [{fit: S, prefabs: «room}]}\nroom: {like: base, map: S}\n",
         ["prefab 'room': this prefab is fitted into itself: room -> room"]),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, text: str, messages: list[str]) -> None:
    expect(tmp_path, text, *messages)


def test_objects_have_their_mistakes_said_once_too(tmp_path: Path) -> None:
    text, (at,) = marked(
        "sweeper: {name: s, glyph: s, depth: «deep}\nother: {name: o, glyph: o, like: sweeper}\n"
    )
    (message,) = told(tmp_path, {ROBOTS: text})
    assert message.startswith(f"{ROBOTS}:{at}: error: robot 'sweeper': ")


def test_what_is_missing_is_missed_where_a_mod_removes_it(tmp_path: Path) -> None:
    files = STORE | {PREFABS: "base: {legend: {C: wall}}\nstore: {like: base, map: C}\n"}
    base, mod = write_content(tmp_path / "base", files), tmp_path / "mod"
    (mod / "prefabs").mkdir(parents=True)
    (mod / "prefabs/any.yaml").write_text("base: remove\n")
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(base, mod)
    (problem,) = caught.value.problems
    assert problem.message.startswith("there is no prefab of this name any more; ")
    assert str(problem.source) == f"{base}/{PREFABS}:2:15"


def test_files_can_have_only_so_much_from_others(tmp_path: Path) -> None:
    keys = ", ".join(f"k{number}: 0" for number in range(700))
    robots = f"sweeper: {{name: s, glyph: s, data: {{{keys}}}}}\n"
    robots += "".join(f"r{number}: {{name: r, glyph: r, like: sweeper}}\n" for number in range(100))
    (message,) = told(tmp_path, {ROBOTS: robots})
    assert (
        f"with all that its entries take from others by 'like', this file has more than {MAX_NODES} keys and values"
        in message
    )


# -- what is doubtful ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        # A character that any of them draws is of use, and so is a prefab that others are like.
        ('base: {map: ".", legend: {C: wall}}\nstore: {like: base, map: "C."}\n', []),
        ('base: {legend: {C: wall, «D: wall}}\nstore: {like: base, map: "C."}\n',
         ["warning: prefab 'base': this character is never used: neither the drawing nor the steps of 'vary' contain it: D"]),
        ('base: {parameters: {«fence: a}}\nstore: {like: base, map: "."}\n',
         ["warning: prefab 'base': this parameter is never used: no symbol and no variation step names it under 'switch': fence"]),
        ('base: {machine: crate, palette: {match: exact}}\nstore: {like: base, map: "."}\n', []),
        # A step looks for marks that this drawing has not got.
        ('base: {vary: [{substitute: «x, with: "#"}]}\nstore: {like: base, map: "."}\n',
         ["warning: prefab 'store': no cell has this character here: it is not drawn, or earlier steps replace it: x"]),
        ('base: {vary: [{optional: x, chance: «0%, become: "#", otherwise: "."}]}\nstore: {like: base, map: "x"}\n',
         ["note: prefab 'base': the chance is 0%, so this part of the content never takes effect"]),
    ],
)  # fmt: skip
def test_what_is_doubtful(tmp_path: Path, text: str, messages: list[str]) -> None:
    text, places = marked(text)
    files = STORE | {PREFABS: text, "legends/boxes.yaml": None}
    found = [line for line in told(tmp_path, files, "warning", "note") if PREFABS in line]
    expected = [f"{PREFABS}:{at}: {each}" for at, each in zip(places, messages, strict=True)]
    assert found == expected


# -- tools --------------------------------------------------------------------------------------


def test_what_is_exported_is_written_out(tmp_path: Path) -> None:
    text = 'base: {legend: {C: {prop: crate}}, tags: stores}\nstore: {like: base, map: "C."}\n'
    folder = write_content(tmp_path, STORE | {PREFABS: text})
    (entry,) = export_prefab(folder, "store", "text").values()
    before = dungeon.load_content(folder).prefabs["store"]
    (folder / PREFABS).write_bytes(entry)
    after = dungeon.load_content(folder).prefabs["store"]
    assert rolls(after, 1) == rolls(before, 1) == {"C.": 1}
    assert after.tags == before.tags == ("stores",)


@pytest.mark.parametrize(
    "command", [["explain", "base"], ["show", "base"], ["export", "base", "--to", "base.yaml"]]
)
def test_commands_tell_what_a_prefab_without_a_drawing_is_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    text = 'base: {legend: {C: {prop: crate}}}\nstore: {like: base, map: "C"}\n'
    folder = write_content(tmp_path, STORE | {PREFABS: text})
    assert main([*command, "--data", str(folder)]) == 2
    told = "'base' (it has no drawing: it exists only for these to be 'like' it: store)"
    assert told in capsys.readouterr().err


def test_explain_tells_what_a_prefab_is_like(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'base: {legend: {C: {prop: crate}}}\nstore: {like: base, map: "C"}\n'
    folder = write_content(tmp_path, STORE | {PREFABS: text})
    assert main(["explain", "store", "--data", str(folder)]) == 0
    assert f"\n  like base, {folder}/{PREFABS}:1:1\n" in capsys.readouterr().out


def test_a_change_is_told_of_the_entry_that_says_it(tmp_path: Path) -> None:
    text = 'base: {max_protrusion: 2}\nstore: {like: base, map: "."}\n'
    robots = "sweeper: {name: s, glyph: s, depth: 2}\nother: {name: o, glyph: o, like: sweeper}\n"
    folders = []
    for name, old, new in (("before", "2", "2"), ("after", "2", "3")):
        files = {PREFABS: text.replace(old, new), ROBOTS: robots.replace(old, new)}
        folders.append(str(write_content(tmp_path / name, STORE | files)))
    edits = edits_between(folders[:1], folders[1:])
    assert [(edit.subject, edit.text) for edit in edits] == [
        ("prefab base", "max_protrusion: 2 -> 3"),
        ("robot sweeper", "depth: 2 -> 3"),
    ]
