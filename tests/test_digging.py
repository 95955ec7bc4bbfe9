"""What authors declare undiggable stays as it is drawn, and walls of drawings are opened only where their links and doors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import yaml_of

import dungeon
from dungeon import terrain as t
from dungeon.generation.openings.openings import openings

if TYPE_CHECKING:
    from pathlib import Path

TERRAIN = """\
pane: {like: wall, glyph: "=", transparent: true, diggable: false}
granite: {like: earth, glyph: "%", diggable: false}
plaster: {like: wall, glyph: "H"}
chalk: {like: wall, glyph: "C", diggable: true}
"""
LEGEND = {"=": "pane", "%": "granite", "H": "plaster", "e": "earth"}

CABINET = """\
#######
#.===.#
#.=.=.#
#.===.#
#.....#
###+###
"""
"""Its middle is closed by panes."""

KIOSK = """\
======
=....+
=....=
======
"""

KIOSK_LINKS = "o  o  \n      \no     \n   oo \n"


def files(drawing: str, layout: object = "tunnels", links: str = "", **feature: object) -> dict[str, str]:
    """Return a map with, unless the layout draws it, a prefab as a feature."""
    legend = {char: name for char, name in LEGEND.items() if char in drawing}
    prefab = {"map": drawing, "legend": legend} | ({"links": links} if links else {})
    entry: dict[str, object] = {"name": "Hall", "size": "60x40", "layout": layout, "encounters": 0}
    if feature:
        entry["features"] = [{"prefab": "drawn", **feature}]
    return {
        "terrain.yaml": TERRAIN,
        "prefabs/all.yaml": yaml_of({"drawn": prefab}),
        "maps/hall.yaml": yaml_of({"hall": entry}),
        "world.yaml": "start: hall/1\n",
    }


def write(folder: Path, content: dict[str, str]) -> None:
    for path, text in content.items():
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def said(folder: Path) -> list[str]:
    return [
        str(each)
        for each in dungeon.examine_content(folder).problems
        if each.source.file.endswith("all.yaml")
    ]


def test_what_denies_to_be_dug_is_blocked_for_all_that_digs(tmp_path: Path) -> None:
    write(tmp_path, files(KIOSK))
    kinds = {kind.name: kind.base for kind in dungeon.load_content(tmp_path).terrain_set.kinds}
    assert [kinds[name] for name in ("pane", "granite", "plaster", "chalk")] == [
        t.BLOCKED,
        t.BLOCKED,
        t.WALL,
        t.WALL,
    ]


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines", {"connected": {"rooms": 6}}])
def test_panes_are_never_dug(tmp_path: Path, layout: object) -> None:
    write(tmp_path, files(KIOSK, layout, links=KIOSK_LINKS, count=3))
    content = dungeon.load_content(tmp_path)
    pane = content.terrain_set.code("pane")
    for seed in range(6):
        level = dungeon.World(content, seed).level("hall/1")
        assert level.placements
        for placement in level.placements:
            inside = level.terrain[placement.bounds.slices]
            assert np.count_nonzero(inside == pane) == KIOSK.count("=")


def test_a_link_on_what_is_never_dug_is_reported_and_opens_nothing(tmp_path: Path) -> None:
    write(tmp_path, files(KIOSK, links="  o   \n      \n      \n      \n", count=1))
    (problem,) = said(tmp_path)
    assert problem.endswith(
        "prefab 'drawn': no corridor can start at this link: it leads into terrain that can't be dug"
    )
    content = dungeon.load_content(tmp_path)
    drawing = content.prefabs["drawn"].drawings[0]
    entries = openings(drawing, content.terrain_set)
    assert [(link.y, link.x) for link in entries.stuck] == [(0, 2)]
    assert (entries.codes == drawing.terrain).all()


def test_a_drawing_closed_by_panes_is_refused_and_costs_no_level(tmp_path: Path) -> None:
    write(tmp_path, files(CABINET, at=[20, 10]))
    (problem,) = said(tmp_path)
    assert "can never place this prefab as a feature" in problem
    assert "a cell that can't be reached from outside, even by digging" in problem
    content = dungeon.load_content(tmp_path)
    for seed in range(4):
        level = dungeon.World(content, seed).level("hall/1")
        assert not level.placements
        assert any("even by digging" in each.reason for each in level.journal)


TURNSTILE = """\
####
#..#
+..#
+..#
#..#
#..#
#..#
####
"""
"""Two doors side by side; its links are in their wall, and at its corner."""

TURNSTILE_LINKS = "    \n    \n    \n    \n    \n2   \n    \n1   \n"


@pytest.mark.parametrize("doors", ["open", "door", "doorway"])
def test_ways_in_one_wall_do_not_open_each_other(tmp_path: Path, doors: str) -> None:
    params = {"rooms": "12..18", "prefabs": {"drawn": {"weight": 2}}, "auto": "30%", "doors": doors}
    write(tmp_path, files(TURNSTILE, {"connected": params}, links=TURNSTILE_LINKS))
    content = dungeon.load_content(tmp_path)
    for seed in range(12):
        assert dungeon.World(content, seed).level("hall/1")


CELL = """\
eeeeeee
e#####e
e#...#e
e#####e
eeeeeee
"""


@pytest.mark.parametrize("drawing", [CELL, CELL.replace("#", "H")])
def test_check_says_where_a_wall_will_be_pierced(tmp_path: Path, drawing: str) -> None:
    write(tmp_path, files(drawing, count=1))
    (problem,) = said(tmp_path)
    assert "no link, door or open edge leads to this cell, so map hall digs a corridor to it" in problem
    assert "digs a corridor to it through a wall" in problem


def test_a_closed_part_of_panes_alone_is_not_pierced(tmp_path: Path) -> None:
    write(tmp_path, files(CELL.replace("#", "="), count=1))
    (problem,) = said(tmp_path)
    assert "even by digging" in problem
