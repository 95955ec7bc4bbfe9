"""What YAML itself can't read, anywhere in any entry: one problem, at its place, and nothing that follows from it."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from content_files import write_content, yaml_of
from damaged import WHOLE, YAMLS

import dungeon
from dungeon.content.source.reader import LOADER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = "BROKEN-NODE"
"""What stands in the plain data where the broken node is to be."""


def written(data: object, node: str) -> tuple[str, str]:
    """Return data as YAML with that node in place of `MARK`, and where that stands, as line:column."""
    text = yaml_of(data)
    before = text[: text.index(MARK)]
    place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    return text.replace(MARK, node), place


def parts(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of every value within plain data."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from parts(data[key])


@cache
def said(file: str) -> Any:
    """Return what a file says, without the entry that says the same as another: read once, not to be changed."""
    data = yaml.load(WHOLE[file], LOADER)
    data.pop("copy", None)
    return data


def plain(file: str) -> Any:
    """Return the same, to be changed."""
    return deepcopy(said(file))


def entries_of(file: str) -> int:
    return sum(1 for _ in parts(said(file)))


def errors(folder: Path, file: str, text: str) -> list[str]:
    """Return what is wrong with content of which a file is as given."""
    write_content(folder, {**WHOLE, "prefabs/rooms.yaml": written_whole(), file: text.encode()})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


@cache
def written_whole() -> bytes:
    return yaml_of(said("prefabs/rooms.yaml")).encode()


NO_ANCHOR, NO_TAG = "no anchor above has this name: *nowhere", "! begins a tag, which has no meaning here"
VALUES = {
    "*nowhere": NO_ANCHOR,
    "!!python/object:os.system {a: 1}": NO_TAG,
    "!!null ''": NO_TAG,
    "&a [*a]": "this alias is inside the value that it names: *a",
    "{<<: *nowhere}": NO_ANCHOR,
    "{<<: 3}": "a mapping, or a list of mappings, is needed after <<",
    "{[1, 2]: 3}": "a key must be a single word or number",
}
"""Nodes that can't be read -> what is said of them."""

KEYS = {
    "*nowhere ": NO_ANCHOR,
    "[a, b]": "a key must be a single word or number",
    "{a: b}": "a key must be a single word or number",
    "!!str a": NO_TAG,
}


@pytest.mark.parametrize("node", list(VALUES))
@pytest.mark.parametrize("file", YAMLS)
def test_a_value_that_cannot_be_read_is_one_problem(tmp_path: Path, file: str, node: str) -> None:
    """An alias that names nothing at every twentieth place, the others here and there."""
    number = list(VALUES).index(node)
    for at in range(number, entries_of(file), 9 * len(VALUES) if number else 20):
        data = plain(file)
        container, key = list(parts(data))[at]
        container[key] = MARK
        text, place = written(data, node)
        found = errors(tmp_path, file, text)
        assert len(found) == 1, (key, node, found)
        line, _, column = place.partition(":")
        assert found[0].startswith(f"{file}:{line}:"), (key, text)
        assert int(found[0].split(":")[2]) >= int(column)
        assert f": error: {VALUES[node]}" in found[0]


@pytest.mark.parametrize("file", YAMLS)
def test_a_key_that_cannot_be_read_is_one_problem(tmp_path: Path, file: str) -> None:
    nodes = list(KEYS)
    for at in range(0, entries_of(file), 9):
        data = plain(file)
        container, key = list(parts(data))[at]
        if not isinstance(container, dict):
            continue
        whole = deepcopy(container)
        container.clear()
        container.update({MARK if each == key else each: value for each, value in whole.items()})
        node = nodes[at // 9 % len(nodes)]
        text, place = written(data, node)
        found = errors(tmp_path, file, text)
        assert len(found) == 1, (key, node, found)
        assert found[0].startswith(f"{file}:{place}: error: {KEYS[node]}"), (key, text)


def test_an_alias_that_names_nothing_in_a_legend(tmp_path: Path) -> None:
    text = "boxes:\n  B: {prop: barrel}\n  x: {item: *nowhere}\n"
    found = errors(tmp_path, "legends/boxes.yaml", text)
    assert found == ["legends/boxes.yaml:3:13: error: no anchor above has this name: *nowhere"]


def test_an_entry_with_a_key_that_cannot_be_read_may_have_had_any(tmp_path: Path) -> None:
    """It is not blamed for keys that it lacks, nor others for classes and names that may have stood there."""
    text = "sweeper: {name: s, glyph: s, *nowhere : worker}\nwarden: {name: 3}\n"
    found = errors(tmp_path, "objects/robots.yaml", text)
    assert [line.partition(": error: ")[2] for line in found] == [
        "no anchor above has this name: *nowhere",
        "robot 'warden': 'glyph' is missing",
        "robot 'warden': text is needed here: 3",
    ]
