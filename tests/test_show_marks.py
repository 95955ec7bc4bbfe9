"""`dungeon show --mark`: where a thing is on a level, in words and on the drawing; and why it is not there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from content_files import write_content
from demo import DATA, demo_level
from tcod.console import Console

from dungeon.adapters.console import console_to_rows
from dungeon.cli import main
from dungeon.cli.show_marks import MARKED, marks_on, with_marks
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dungeon import Level

GUARDED = {
    "prefabs/guards.yaml": """\
        post:
          map: |
            R..R
            ..!.
          legend:
            R: {robot: sweeper}
            "!": {item: scrap}
        hangar:
          map: |
"""
    + "".join(f"            {'.' * 70}\n" for _ in range(3)),
    "encounters/guards.yaml": """\
        post: {category: danger, prefabs: post, maps: {cellars: common}, guaranteed: true, limit: {map: 1}}
        hangar: {category: risk, prefabs: hangar, maps: {cellars: common}, placing: enclosed}
        """,
}
"""A guard post on every level, and a prefab that is wider than the map."""


@pytest.fixture
def show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Return what calls the command on the guarded content and returns the printed lines, errors included."""
    data = write_content(tmp_path / "data", GUARDED)

    def run(*arguments: str, code: int = 0) -> list[str]:
        assert main(["show", *arguments, "--data", str(data)]) == code
        captured = capsys.readouterr()
        return [line.rstrip() for line in (captured.out + captured.err).splitlines()]

    return run


def test_rulers_point_at_marked_rows_and_columns() -> None:
    drawing = Console(14, 4, order="C")
    drawing.ch[...] = ord(".")
    cells = np.zeros((4, 14), np.bool_)
    cells[1:3, 11] = True
    drawn = with_marks(drawing, cells)
    assert [row.rstrip() for row in console_to_rows(drawn)] == [
        "   0         10",
        "   '         'v",
        "0  ..............",
        "1> ..............",
        " > ..............",
        "   ..............",
    ]
    marked = (drawn.bg == MARKED).all(axis=2)[2:, 3:]
    assert (marked == cells).all(), "only marked cells have the colour of marks"


def test_an_encounter_is_marked_with_its_objects_and_a_key(show: Callable[..., list[str]]) -> None:
    lines = show("cellars/1", "--mark", "post")
    at = lines.index("marked post: 1")
    found = re.fullmatch(r"  danger  post \(post \w+\) x (\d+)\.\.(\d+), y (\d+)\.\.(\d+)", lines[at + 1])
    assert found
    left, right, top, bottom = map(int, found.groups())
    objects = dict(re.findall(r"^    (. \w+ \(\w+\)) at (.*)$", "\n".join(lines), re.MULTILINE))
    assert [*objects] == ["s sweeper (robot)", "! scrap (item)"]
    cells = re.findall(r"y (\d+), x (\d+)", objects["s sweeper (robot)"])
    assert len(cells) == 2
    drawing = lines[2 : lines.index(lines[at - 1])]
    for y, x in ((int(y), int(x)) for y, x in cells):
        assert drawing[y][4 + x] == "s"
        assert top <= y <= bottom
        assert left <= x <= right
    assert [n for n, row in enumerate(drawing) if row[2:3] == ">"] == [*range(top, bottom + 1)]
    assert [n for n, char in enumerate(lines[1][4:]) if char == "v"] == [*range(left, right + 1)]
    key = " ".join(lines[at + 4 :])
    assert key.startswith("key: ")
    assert {"s sweeper (robot)", "! scrap (item)", ". floor", "# wall"} <= {*key[5:].split(", ")}


def test_what_is_not_there_has_its_reason(show: Callable[..., list[str]]) -> None:
    plain, reasons = show("cellars/1"), []
    for what in ("hangar", "snare"):
        lines = show("cellars/1", "--mark", what)
        assert lines[: len(plain)] == plain, "without marks there are no rulers"
        at = lines.index(f"nothing to mark: cellars/1 has no {what} in this world")
        reasons.append(lines[at + 1 :])
    (about, *refused), nothing = reasons
    both = show("cellars/1", "--mark", "snare 0,0")
    at = both.index("nothing to mark: cellars/1 has no snare in this world")
    assert both[at + 1] == "marked 0,0: 1"
    assert about.startswith("  hangar: risk, ")
    assert refused
    assert nothing == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["cellars/1", "--mark", "pots"],
            "there is no encounter, prefab, object, lock or map 'pots' (did you mean post?)",
        ),
        (
            ["cellars/1", "--mark", "40,3"],
            "--mark 40,3 is outside cellars/1, which has 40 rows and 60 columns",
        ),
        (
            ["post", "--depth", "1", "--mark", "post", "--orientation", "r0"],
            "post is a prefab; --mark is for maps",
        ),
        (["cellars/1", "--mark", "post", "--gif", "x.gif"], "--gif and --mark can't be used together"),
    ],
)
def test_wrong_marks_are_refused(show: Callable[..., list[str]], arguments: list[str], told: str) -> None:
    assert show(*arguments, code=2) == [f"dungeon: {told}"]


def cells_of(level: Level, what: str) -> set[tuple[int, int]]:
    """Return all cells that a name marks on a level."""
    return {(int(y), int(x)) for mark in marks_on(level, what) for y, x in np.argwhere(mark.cells)}


def test_marks_are_where_the_level_has_its_things() -> None:
    level = demo_level("pattern_store/6", 7)
    solved = solution_of(level)
    assert solved.locks
    word = solved.locks[0].word
    keys = {
        (level.spawns[key.spawn].y, level.spawns[key.spawn].x) for key in solved.keys if word in key.words
    }
    assert cells_of(level, word) == {lock.cell for lock in solved.locks if lock.word == word} | keys
    assert {lock.cell for lock in solved.locks} <= cells_of(level, "lock")
    assert cells_of(level, "exit") == {(way.y, way.x) for way in level.exits}
    assert cells_of(level, level.exits[0].leads_to) <= cells_of(level, "exit")
    assert cells_of(level, "3,4") == {(3, 4)}
    assert cells_of(level, "3,4 exit") == cells_of(level, "exit") | {(3, 4)}
    robots = {cell for spawn in level.spawns if spawn.like == "robot" for cell in spawn.cells}
    assert cells_of(level, "robot") == robots
    for what in ("encounter", level.placements[-1].category, level.placements[-1].prefab):
        assert cells_of(level, what)


def test_a_held_item_is_marked_at_its_holder() -> None:
    level = demo_level("foundry/3", 7)
    holder = next(spawn for spawn in level.spawns if spawn.loadout)
    item = holder.loadout[0]
    (*_, text) = [mark.lines[0] for mark in marks_on(level, item.tag) if mark.cells[holder.y, holder.x]]
    assert f"held by {holder.tag} ({holder.kind})" in text


def test_a_marked_level_is_drawn_as_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "level.png"
    names = [each.encounter for each in demo_level("foundry/3", 7).placements if each.encounter]
    arguments = ["foundry/3", "--seed", "7", "--mark", names[0], "--png", str(picture), "--data", str(DATA)]
    assert main(["show", *arguments]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"marked {names[0]}: {names.count(names[0])}" in capsys.readouterr().out
