"""Small edits of content stay small: what an added encounter does not need is as it was."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from demo import demo_content
from drawn import load, small_game
from edited import Kept, compared, levels_of

import dungeon

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA = Path(__file__).parent.parent / "data"

CHANGED = ("galleries", "labelling", "cisterns")
"""The maps to which an encounter is added."""

MAPS = (*CHANGED, "foundry")

CRIB = """
new_crib: {category: fluff, prefabs: tool_crib, limit: {map: 1}, maps: {galleries: common, labelling: common, cisterns: common}}
"""


@cache
def content() -> dungeon.Content:
    return demo_content()


@cache
def before() -> list[dungeon.Level]:
    return list(levels_of(content(), range(12), MAPS))


@pytest.fixture(scope="module")
def modded(tmp_path_factory: pytest.TempPathFactory) -> dungeon.Content:
    """The content with an encounter more, which a mod adds."""
    file = tmp_path_factory.mktemp("mod") / "encounters" / "fluff.yaml"
    file.parent.mkdir()
    file.write_text(CRIB, encoding="utf-8")
    return dungeon.load_content(DATA, file.parent.parent)


@pytest.fixture(scope="module")
def found(modded: dungeon.Content) -> Mapping[str, Kept]:
    """What an encounter more keeps of some levels."""
    return compared(before(), content(), modded)


def test_levels_that_an_added_encounter_does_not_enter_are_the_same_to_the_byte(
    found: Mapping[str, Kept],
) -> None:
    assert (found["foundry"].same, found["foundry"].entered) == (found["foundry"].levels, 0)
    assert found["foundry"].levels >= 6
    for name in CHANGED:
        assert 0 < found[name].entered < 20
        assert found[name].same == found[name].levels - found[name].entered


def test_an_encounter_before_all_others_in_a_file_gives_the_levels_that_a_mod_with_it_gives(
    modded: dungeon.Content, tmp_path: Path
) -> None:
    folder = shutil.copytree(DATA, tmp_path / "folder")
    file = folder / "encounters" / "fluff.yaml"
    file.write_text(CRIB + file.read_text("utf-8"), encoding="utf-8")
    kept = compared(levels_of(modded, range(1), MAPS), modded, dungeon.load_content(folder))
    assert {name: each.same for name, each in kept.items()} == {
        name: each.levels for name, each in kept.items()
    }
    assert {*kept} == {*MAPS}


def test_an_added_encounter_leaves_stairs_and_most_others_where_they_are(
    found: Mapping[str, Kept],
) -> None:
    changed = [found[name] for name in CHANGED]
    assert sum(each.exits for each in changed) > 15
    assert sum(each.stayed for each in changed) >= 0.95 * sum(each.entrances for each in changed)
    assert sum(each.left for each in changed) >= 0.95 * sum(each.exits for each in changed)
    # Of all levels of many worlds 95 % stay: `tests/fuzzing/edits.py`. Here only those that the encounter comes to are looked at.
    assert sum(each.moved for each in changed) <= 0.12 * sum(each.placements for each in changed)


def test_an_added_encounter_that_keeps_off_the_stairs_mostly_leaves_them_where_they_are(
    tmp_path: Path,
) -> None:
    (tmp_path / "encounters").mkdir()
    shy = CRIB.replace("limit:", "far_from: {entrance: 20, exits: 10}, limit:")
    (tmp_path / "encounters" / "shy.yaml").write_text(shy, encoding="utf-8")
    levels = [level for level in before() if not level.id.startswith("foundry/")]
    kept = compared(levels, content(), dungeon.load_content(DATA, tmp_path))
    assert sum(each.entered for each in kept.values()) > 6
    assert sum(each.stayed for each in kept.values()) >= 0.85 * sum(each.entrances for each in kept.values())
    # In 40 worlds 95 of 102 exits stay where they are; in these few worlds there are about 30.
    assert sum(each.left for each in kept.values()) >= 0.75 * sum(each.exits for each in kept.values())


def test_what_has_changed_is_counted(tmp_path: Path) -> None:
    """Else the tests above would hold of levels that have nothing in common."""
    world = dungeon.World(load(tmp_path, small_game()), 3)
    level = world.level("under/1")
    assert level.placements
    same, other = Kept(), Kept()
    same.take(level, level, world.content)
    assert (same.levels, same.same, same.entrances) == (1, 1, 0)
    first = level.placements[0]
    changed = replace(
        level,
        entrance=(0, 0),
        exits=level.exits[:-1],
        placements=(
            replace(first, bounds=first.bounds.grown()),
            *level.placements[1:],
            replace(first, encounter="new"),
        ),
    )
    other.take(level, changed, world.content)
    assert (other.same, other.entered, other.entrances, other.stayed) == (0, 1, 1, 0)
    assert (other.placements, other.moved) == (len(level.placements), 1)
    assert (other.exits, other.left) == (len(level.exits), len(level.exits) - 1)
    assert other.standing == other.spawns < len(level.spawns)
