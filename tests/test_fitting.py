"""Prefabs fitted into marked cells of others."""

from __future__ import annotations

from collections import Counter
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from drawn import rows
from rolling import game, is_likely, rolls, said, stood

from dungeon import Cell, Orientation
from dungeon.content.models.entries import MOST_NESTED
from dungeon.extend import Stream
from dungeon.grid.symmetry import ALL_ORIENTATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon.content.prefab.prefab import Prefab


def prefab(name: str, drawn: str, *lines: str) -> str:
    """Return the YAML of a prefab: its rows, _ for blanks that dedenting leaves alone, and more lines."""
    text = indent("\n".join(rows(drawn)), "    ")
    return "\n".join([f"{name}:", "  map: |2", text, *(f"  {line}" for line in lines)]) + "\n"


def room(folder: Path, *prefabs: str) -> Prefab:
    return game(folder, "".join(prefabs)).prefabs["room"]


HALL = """
    ######
    #.SSS#
    #.SSS#
    ######
    """
ALCOVE = prefab("alcove", "~~~\n~C~", 'legend: {C: {prop: crate}, "~": water}', "tags: [nook]")
LONG = prefab("long", "++++", "tags: [nook]")
FIT = "vary: [{fit: S, prefabs: nook}]"


def test_a_prefab_with_the_tag_that_fits_is_taken_in_every_way_it_may_lie(tmp_path: Path) -> None:
    assert rolls(room(tmp_path, prefab("room", HALL, FIT), ALCOVE, LONG)).keys() == {
        "######\n#.~~~#\n#.~C~#\n######",
        "######\n#.~C~#\n#.~~~#\n######",
    }


def test_where_nothing_fits_there_is_something_else(tmp_path: Path) -> None:
    for otherwise, char in (("", "."), (', otherwise: "~"', "~")):
        step = f"vary: [{{fit: S, prefabs: long{otherwise}}}]"
        seen = rolls(room(tmp_path, prefab("room", HALL, step, 'legend: {"~": water}'), LONG), 5)
        assert set(seen) == {f"######\n#.{char * 3}#\n#.{char * 3}#\n######"}


def test_there_may_be_none_and_cells_may_be_left(tmp_path: Path) -> None:
    step = 'vary: [{fit: S, prefabs: post, chance: 25%, otherwise: "#"}]'
    seen = rolls(
        room(tmp_path, prefab("room", "S.SS", step), prefab("post", "~", 'legend: {"~": water}')), 1600
    )
    assert set(seen) == {"#.##", "~.##", "#.~#", "#.#~", "~.~#", "~.#~"}
    assert is_likely(sum(n for picture, n in seen.items() if picture[0] == "~"), 1600, 0.25)
    assert is_likely(sum(n for picture, n in seen.items() if "~" in picture[2:]), 1600, 0.25)
    one, two = (sum(n for picture, n in seen.items() if picture[at] == "~") for at in (2, 3))
    assert is_likely(one, one + two, 0.5)


def test_each_prefab_that_fits_is_as_likely(tmp_path: Path) -> None:
    names = {"one": "#", "two": "'", "three": "+"}
    inner = [prefab(name, char, "tags: [dot]") for name, char in names.items()]
    seen = rolls(room(tmp_path, prefab("room", "S", "vary: [{fit: S, prefabs: [dot, one]}]"), *inner), 900)
    assert set(seen) == set(names.values())
    assert all(is_likely(count, 900, 1 / 3) for count in seen.values())


def test_groups_and_drawings_of_any_shape(tmp_path: Path) -> None:
    hook = prefab("hook", """
        ~?
        ~~
        """, 'legend: {"~": water}', "orientations: [r0]")  # fmt: skip
    hall = prefab("room", """
        S#..S
        SS.SS
        """, "vary: [{fit: S, prefabs: hook}]")  # fmt: skip
    assert set(rolls(room(tmp_path, hall, hook), 5)) == {"~#...\n~~..."}
    turning = hook.replace("[r0]", "[r0, m0, r90]")
    assert set(rolls(room(tmp_path, hall, turning), 5)) == {"~#..~\n~~.~~"}


def test_only_ways_that_both_prefabs_permit(tmp_path: Path) -> None:
    arrow = prefab("arrow", "~C", 'legend: {C: {prop: crate}, "~": water}', "orientations: [r0, r90, r180]")
    square = "SS\nSS"
    steps = {
        "": {"~C", "C~", "~/C"},
        ", orientations: [r0, r270]": {"~C"},
        ", orientations: [r180, r90]": {"C~", "~/C"},
        ", orientations: [m0]": set(),
    }
    for text, ways in steps.items():
        step = f"vary: [{{fit: S, prefabs: arrow{text}}}]"
        seen = rolls(room(tmp_path, prefab("room", square, step), arrow), 200)
        expected = {
            "~C": {"~C\n..", "..\n~C"},
            "C~": {"C~\n..", "..\nC~"},
            "~/C": {"~.\nC.", ".~\n.C"},
        }
        assert set(seen) == ({picture for way in ways for picture in expected[way]} or {"..\n.."})


def test_what_looks_the_same_either_way_lies_in_any_and_is_not_favoured(tmp_path: Path) -> None:
    bar = prefab("bar", "~~", 'legend: {"~": water}')
    mirrored = prefab("room", "SS", "vary: [{fit: S, prefabs: bar, orientations: [m0]}]")
    assert set(rolls(room(tmp_path, mirrored, bar), 5)) == {"~~"}
    step = "vary: [{fit: S, prefabs: bar, orientations: [r0, r180, r90]}]"
    seen = rolls(room(tmp_path, prefab("room", "SS\nSS", step), bar), 800)
    lying = seen["~~\n.."] + seen["..\n~~"]
    assert is_likely(lying, 800, 0.5)


def test_the_inner_prefab_varies_too(tmp_path: Path) -> None:
    vary = 'vary: [{one_of: "12", become: "+", otherwise: "#"}]'
    gate = prefab("gate", "12", vary, "orientations: [r0]")
    seen = rolls(room(tmp_path, prefab("room", "SS.SS", "vary: [{fit: S, prefabs: gate}]"), gate), 60)
    assert set(seen) == {f"{one}.{other}" for one in ("+#", "#+") for other in ("+#", "#+")}


def test_prefabs_lie_within_prefabs_to_several_depths(tmp_path: Path) -> None:
    prefabs = [
        prefab("room", "#SSSSS#", "vary: [{fit: S, prefabs: d1}]"),
        prefab("d1", "+SSS+", "vary: [{fit: S, prefabs: d2}]"),
        prefab("d2", "'S'", "vary: [{fit: S, prefabs: d3}]"),
        prefab("d3", "C", "legend: {C: {prop: crate}}"),
    ]
    of_four = room(tmp_path, *prefabs)
    assert set(rolls(of_four, 5)) == {"#+'C'+#"}
    assert of_four.drawing.parts == ("room", "d1", "d2", "d3")
    assert [each.part for each in of_four.drawing.references] == [3]


# -- what stands in it --------------------------------------------------------------------------


def test_each_prefab_has_its_own_legend_groups_and_neighbours(tmp_path: Path) -> None:
    pick = "{item: [scrap, patch, kit, drill], unique: false}"
    inner = prefab(
        "cell", "1a2", f"legend: {{a: {pick}, 1: {{item: kit, group: g}}, 2: {{item: drill, group: g}}}}"
    )
    outer = prefab(
        "room", "1SSS2aSSS.", "vary: [{fit: S, prefabs: cell}]",
        f"legend: {{a: {pick}, 1: {{robot: guard, group: g}}, 2: {{prop: lamp, group: g}}}}",
    )  # fmt: skip
    content = game(tmp_path, outer + inner)
    seen = Counter[tuple[str, ...]]()
    apart = Counter[bool]()
    for seed in range(300):
        spawns = stood(content, content.prefabs["room"].variant(Stream(seed)).drawing, seed)
        by_part = [[each.tag for each in spawns if each.x in cells] for cells in ((0, 4), (1, 3), (6, 8))]
        assert [len(tags) for tags in by_part] == [1, 1, 1]
        seen[tuple(tags[0] for tags in by_part)] += 1
        assert {each.source.split(":")[0] for each in spawns if each.x in (2, 7)} == {"cell"}
        assert {each.source for each in spawns if each.x == 5} == {"room:a"}
        tags = {each.x: each.tag for each in spawns}
        apart[tags[2] == tags[7]] += 1
    assert len(seen) == 8  # every group of every part chooses for itself
    assert {tags[0] for tags in seen} == {"guard", "lamp"}
    assert is_likely(apart[True], 300, 0.25)


def test_equal_characters_of_neighbouring_prefabs_are_no_chain(tmp_path: Path) -> None:
    inner = prefab("cell", "aa", "legend: {a: {item: [scrap, drill]}}", "orientations: [r0]")
    content = game(
        tmp_path,
        prefab("room", "aSS", "vary: [{fit: S, prefabs: cell}]", "legend: {a: {item: [scrap, drill]}}")
        + inner,
    )
    seen = Counter(
        "".join(each.tag[0] for each in sorted(stood(content, content.prefabs["room"].drawing, seed), key=lambda each: each.x))
        for seed in range(400)
    )  # fmt: skip
    assert set(seen) == {"sss", "sdd", "dss", "ddd"}
    assert all(is_likely(count, 400, 0.25) for count in seen.values())


INNER = prefab(
    "inner",
    """
    .1.
    ...
    """,
    "machines: |2",
    "  ",
    "  ┌─",
    "legend: {1: {item: scrap, shift: [1, 0]}}",
    "machine: engine",
)


@pytest.mark.parametrize("within", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_what_stands_in_it_turns_with_it_and_with_its_parent(tmp_path: Path, within: Orientation) -> None:
    step = f"vary: [{{fit: S, prefabs: inner, orientations: [{within.label}]}}]"
    height, width = (3, 2) if within.turns % 2 else (2, 3)
    hall = "\n".join(["#" * (width + 1), *["#" + "S" * width] * height])
    content = game(tmp_path, prefab("room", hall, step) + INNER)

    def moved(outer: Orientation, y: int, x: int) -> Cell:
        """Return where a cell of the inner prefab comes to lie."""
        y, x = within.turn_cell(y, x, 2, 3)
        return Cell(*outer.turn_cell(y + 1, x + 1, height + 1, width + 1))

    for outer in ALL_ORIENTATIONS:
        drawing = content.prefabs["room"].drawing.turned(outer)
        (machine,) = drawing.machines
        assert machine.cells == (moved(outer, 1, 0), moved(outer, 1, 1)), outer.label
        is_flat = machine.glyphs[1] == "─"
        assert len({each.y if is_flat else each.x for each in machine.cells}) == 1, outer.label
        seen = {
            Cell(each.y, each.x)
            for seed in range(20)
            for each in stood(content, drawing, seed)
            if each.tag == "scrap"
        }
        assert seen == {moved(outer, 0, x) for x in range(3)}, outer.label


def test_levels_name_the_prefab_that_things_came_with(tmp_path: Path) -> None:
    content = game(tmp_path, prefab("room", HALL, FIT) + ALCOVE)
    (crate,) = stood(content, content.prefabs["room"].drawing)
    assert crate.source == "alcove:C"


# -- what cannot be -----------------------------------------------------------------------------


def test_prefabs_that_lie_within_themselves_are_refused_and_the_circle_is_named(tmp_path: Path) -> None:
    itself = prefab("self", "SS", "vary: [{fit: S, prefabs: self}]")
    assert said(tmp_path, itself) == ["4:28: prefab 'self': this prefab is fitted into itself: self -> self"]
    ring = [
        prefab(one, "SS", f"vary: [{{fit: S, prefabs: {other}}}]", f"tags: [{one}s]")
        for one, other in (("a", "b"), ("b", "cs"), ("c", "a"))
    ]
    assert said(tmp_path, "".join(ring)) == [
        "4:28: prefab 'a': this prefab is fitted into itself: a -> b -> c -> a",
        "9:28: prefab 'b': this prefab is fitted into itself: b -> c -> a -> b",
        "14:28: prefab 'c': this prefab is fitted into itself: c -> a -> b -> c",
    ]


def test_nesting_has_an_end(tmp_path: Path) -> None:
    def nested(count: int) -> str:
        inner = [prefab(f"p{n}", "S", f"vary: [{{fit: S, prefabs: p{n + 1}}}]") for n in range(count)]
        return "".join([*inner, prefab(f"p{count}", "~", 'legend: {"~": water}')])

    assert set(rolls(game(tmp_path / "a", nested(MOST_NESTED)).prefabs["p0"], 2)) == {"~"}
    (line,) = said(tmp_path / "b", nested(MOST_NESTED + 1))
    assert line == ("4:9: prefab 'p0': prefabs are fitted into each other more than 50 deep, down to p51")
