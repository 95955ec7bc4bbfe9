"""`dungeon check` lists problems whichever part of the content is unreadable."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from damaged import WHOLE, spoilt
from test_fuzz import write

import dungeon

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("few_rolls")

DAMAGES = 2
"""How many accidents each file has here."""

LOST = b"{{"
"""What is left of a file of which nothing can be read."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole")
    write(path, WHOLE)
    return path


def check(folder: Path, file: str, data: bytes) -> list[str]:
    """Check the content with another file in the place of one of its own; return the errors."""
    write(folder, {file: data})
    try:
        found = dungeon.examine_content(folder)
    finally:
        write(folder, {file: WHOLE[file]})
    errors = [str(each) for each in found.problems if each.severity == "error"]
    assert (found.content is None) == bool(errors)
    return [each.removeprefix(f"{folder}/") for each in errors]


@pytest.mark.parametrize("file", WHOLE)
def test_a_file_that_is_lost_is_the_only_error(folder: Path, file: str) -> None:
    errors = check(folder, file, LOST)
    assert errors
    assert all(each.startswith(file) for each in errors)


@pytest.mark.parametrize("file", WHOLE)
def test_a_damaged_file_gives_a_list_of_problems(folder: Path, file: str) -> None:
    rng = Random(file)
    for _ in range(DAMAGES):
        check(folder, file, spoilt(WHOLE[file], rng))


def test_a_map_with_unreadable_terrain_is_not_reported(folder: Path) -> None:
    def remarks(terrain: bytes) -> list[str]:
        write(folder, {"terrain.yaml": terrain, "maps/works.yaml": MARSH})
        problems = dungeon.examine_content(folder).problems
        write(folder, WHOLE)
        return [each.message for each in problems if "works" in each.entry and each.severity != "error"]

    crossing = "no crossing is needed here: the terrain of this dressing can be walked on"
    assert crossing in remarks(WHOLE["terrain.yaml"])
    assert remarks(LOST) == []


MARSH = b"""\
works:
  name: Marsh
  dressing: [{lake: grass, cells: 9, crossing: plank}]
"""
