"""Whatever a content folder holds, it is loaded or refused with a list of what is wrong; many more in tests/fuzzing/fuzz_files.py."""

from __future__ import annotations

import gzip
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import yaml
from damaged import DAMAGED, WHOLE
from hypothesis import HealthCheck, example, given, settings

import dungeon
from dungeon.content.drawing.rexpaint import encode_xp
from dungeon.content.source.marks import LINE_END
from dungeon.extend import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dungeon import Content


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for place, data in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def judge(folder: Path, files: Mapping[str, bytes]) -> Content | None:
    """Load content of which these files are damaged; use what was loaded, or look at what was said."""
    write(folder, files)
    try:
        content = dungeon.load_content(folder)
    except dungeon.ContentError as error:
        problems = error.problems
    else:
        check_whole(folder, content, files)
        use(content)
        return content
    finally:
        write(folder, {place: WHOLE[place] for place in files})
    assert problems
    for problem in problems:
        assert str(problem).isprintable()
        assert problem.source.file.startswith(str(folder))
        if problem.source.line and problem.source.file.endswith(".yaml"):
            place = problem.source.file.removeprefix(f"{folder}/")
            text = files.get(place, WHOLE[place]).decode("utf-8", "replace")
            assert problem.source.line <= len(LINE_END.findall(text)) + 1
    return None


SINGLE = ("world.yaml", "weights.yaml", "palette.yaml")
"""Files that hold no entries with names."""


def check_whole(folder: Path, content: Content, files: Mapping[str, bytes]) -> None:
    """Check that all of some files was loaded: every entry, as another reader of YAML finds them, and every byte of a drawing."""
    names = {name for _, name in content.sources}
    for file, data in files.items():
        if file.endswith(".xp"):
            (folder / file).write_bytes(data)
            again = gzip.decompress(encode_xp(dungeon.read_xp(folder / file)))
            unpacked = gzip.decompress(data)
            assert again[4:] in (unpacked, unpacked[4:])  # old files have no version before the layers
        elif file not in SINGLE:
            documents = [each for each in yaml.load_all(data, yaml.CBaseLoader) if each]
            assert {name for each in documents for name in each} <= names


def use(content: Content) -> None:
    """Roll every prefab, and make a level of every map."""
    world = dungeon.World(content, 1)
    for node in world.maps:
        with suppress(dungeon.GenerationError):
            assert dungeon.prove(world.level(node.id), world) == []
    for prefab in content.prefabs.values():
        for number in range(2):
            variant = prefab.variant(Stream(number))
            assert variant.drawings
            assert variant.drawing.terrain.shape == (prefab.height, prefab.width)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole")
    write(path, WHOLE)
    return path


def test_the_whole_language_is_good(folder: Path) -> None:
    content = judge(folder, {})
    assert content is not None
    assert sorted(content.prefabs) == ["booth", "copy", "nook", "painting", "rack", "shelf", "stand", "store"]
    assert content.prefabs["store"].varies
    for seed in range(5):
        level = dungeon.World(content, seed).level("cellars/1")
        assert level.placements


@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(files=DAMAGED)
@example(files={"prefabs/rooms.yaml": b"? Ctor"})  # what is missing stood in a line that there is not
@example(files={"encounters/more.yaml": b"\r\r\rvault:\n  c"})
@example(files={"legends/more.yaml": b"\r\rgoods:\n  extends: boxes\n  L: {"})
def test_any_content_is_loaded_or_refused(folder: Path, files: dict[str, bytes]) -> None:
    judge(folder, files)
