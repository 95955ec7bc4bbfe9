"""Content in which one word is wrong: the error is told, and no warning or note that merely follows from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import yaml
from content_files import write_content
from damaged import WHOLE

import dungeon

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WRONG_WORDS = ("word", "null", "[]", "77")
"""What stands in the place of a word: another that is hardly any name, nothing, a list, a number."""

EVERY = 71
"""So many words are between two that are tried: all of them, in all ways, take four minutes."""

Remark = tuple[str, int, str]


def words(folder: Path) -> Iterator[tuple[Path, int, int]]:
    """Yield every key and plain or quoted value of the files: file, start and end."""
    for file in sorted(folder.rglob("*.yaml")):
        for event in yaml.parse(file.read_text(encoding="utf-8")):
            if isinstance(event, yaml.ScalarEvent) and event.style in (None, '"', "'"):
                yield file, event.start_mark.index, event.end_mark.index


def remarks(examination: dungeon.Examination) -> set[Remark]:
    """Return the warnings and notes without what may well change: counts of variants, and names."""
    return {
        (each.source.file, each.source.line, re.sub(r"(encounter|map) '?\w+'?|\d+", "...", each.message))
        for each in examination.problems
        if each.severity != "error"
    }


def is_refused(folder: Path) -> bool:
    """Tell whether content cannot be loaded."""
    try:
        dungeon.load_content(folder)
    except dungeon.ContentError:
        return True
    return False


@pytest.mark.usefixtures("few_rolls")
@pytest.mark.parametrize("wrong", WRONG_WORDS)
def test_nothing_is_said_that_merely_follows_from_an_error(tmp_path: Path, wrong: str) -> None:
    folder = write_content(tmp_path, WHOLE)
    before = remarks(dungeon.examine_content(folder))
    assert before  # such as are there without any error, and may go with one
    refused = 0
    for number, (file, start, end) in enumerate(words(folder)):
        if number % EVERY != WRONG_WORDS.index(wrong):
            continue
        text = file.read_text(encoding="utf-8")
        file.write_text(text[:start] + wrong + text[end:], encoding="utf-8")
        if is_refused(folder):  # all else would be looked over for nothing
            refused += 1
            found = dungeon.examine_content(folder)
            assert found.content is None
            assert remarks(found) <= before, f"{file.name}: {text[start:end]} has become {wrong}"
        file.write_text(text, encoding="utf-8")
    assert refused > 4


@pytest.mark.parametrize(
    ("files", "wrong"),
    [
        (
            {
                "objects/items.yaml": "scrap: {name: scrap, glyph: s}\nkey: {name: key, glyph: k}",
                "locks.yaml": "iron: {name: iron, opened_by: key}",
                "encounters/a.yaml": "a: {category: fluff, prefabs: store, maps: {cellars: 1}, lock: iron}",
            },
            "locks.yaml",
        ),
        (
            {
                "world.yaml": "{start: cellars/1, leads_to: {cellars/1: vaults/9}, maps: {vaults: 2}}",
                "maps/vaults.yaml": "vaults: {name: Vaults, layout: caves}",
                "maps/cellars.yaml": "cellars: {name: C, layout: tunnels, features: [{prefab: hole, to: vaults}]}",
                "prefabs/hole.yaml": "hole: {map: '>..'}",
            },
            "world.yaml",
        ),
    ],
)
def test_an_error_in_a_file_that_others_are_named_in_has_no_echo(
    files: dict[str, str], wrong: str, tmp_path: Path
) -> None:
    found = dungeon.examine_content(write_content(tmp_path, files))
    assert [each.source.file.endswith(wrong) for each in found.problems if each.severity == "error"] == [True]
    echoes = ("this object is never used", "stairs to this map are never drawn")
    assert [each for each in found.problems if each.message.startswith(echoes)] == []
