"""Content that a program has written with PyYAML's `safe_dump` is the same as what an author wrote by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from content_files import write_content
from damaged import WHOLE
from test_fuzz import write

import dungeon

if TYPE_CHECKING:
    from pathlib import Path

DRAWING = """\
#######
#..  .#
#.B...#
###+###
"""


class Words(yaml.SafeLoader):
    """Reads words such as `on` as words, like the library."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # as PyYAML has it
        first: [(tag, regexp) for tag, regexp in found if not tag.endswith((":bool", ":timestamp"))]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


Words.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), ["t", "f"])


def dumped(data: bytes, **options: Any) -> bytes:
    return yaml.safe_dump(yaml.load(data, Words), **options).encode()


def drawn(content: dungeon.Content, name: str) -> tuple[object, ...]:
    """Return all that a prefab's drawing is made of."""
    prefab = content.prefabs[name]
    fixed = prefab.template.fixed
    return fixed.terrain.tolist(), fixed.references, fixed.links, fixed.machines, prefab.template.chars


@pytest.mark.parametrize("flow", [True, False, None])
@pytest.mark.parametrize("in_order", [True, False])
def test_content_that_was_dumped_is_the_same(tmp_path: Path, *, flow: bool | None, in_order: bool) -> None:
    files = {
        file: dumped(data, default_flow_style=flow, sort_keys=in_order) if file.endswith(".yaml") else data
        for file, data in WHOLE.items()
    }
    write(tmp_path / "drawn", WHOLE)
    write(tmp_path / "dumped", files)
    first, second = (dungeon.load_content(tmp_path / name) for name in ("drawn", "dumped"))
    for part in ("encounters", "maps", "locks", "categories", "world", "weights", "preferences"):
        assert getattr(second, part) == getattr(first, part), part
    assert second.catalog.things == first.catalog.things
    for name in first.prefabs:
        assert drawn(second, name) == drawn(first, name)


BLOCK = "map: |\n    ###\n    # #\n    #.#"
IN_QUOTES = {
    "escapes and folded lines": 'map: "###\\n\\\n    # #\\n\\\n    #.#\\n"',
    "escapes": 'map: "###\\n# #\\n#.#"',
    "empty lines": "map: '###\n\n    # #\n\n    #.#\n\n    '",
}


@pytest.mark.parametrize("text", IN_QUOTES.values(), ids=IN_QUOTES)
def test_rows_in_quotes_are_the_drawing_that_a_block_is(tmp_path: Path, text: str) -> None:
    block, quoted = (
        dungeon.load_content(write_content(tmp_path / name, {"prefabs/more.yaml": f"cell:\n  {each}\n"}))
        for name, each in (("block", BLOCK), ("quoted", text))
    )
    assert drawn(quoted, "cell") == drawn(block, "cell")


def test_one_long_row_with_escaped_breaks_is_a_drawing(tmp_path: Path) -> None:
    row = "\u2592" + ". ." * 60 + "#"
    text = yaml.safe_dump({"hall": {"map": row, "legend": {"\u2592": "wall"}}}, width=60)
    assert text.count("\\\n") > 2
    write_content(tmp_path, {"prefabs/more.yaml": text})
    assert dungeon.load_content(tmp_path).prefabs["hall"].width == len(row)


def test_what_is_wrong_in_quotes_is_told_where_they_begin(tmp_path: Path) -> None:
    text = yaml.safe_dump({"hall": {"map": DRAWING.replace("..#", "..")}})
    assert text.startswith("hall:\n  map: '#####")
    write_content(tmp_path, {"prefabs/more.yaml": text})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(tmp_path)
    (problem, *_) = caught.value.problems
    assert (problem.source.line, problem.source.column) == (2, 8)
    assert problem.message.startswith("this row has 6 cells")
