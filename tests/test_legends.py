"""Legends and palettes that extend others."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from rolling import game, rolls, said

from dungeon import XpLayer, write_xp

if TYPE_CHECKING:
    from pathlib import Path

ROOM = """
    room:
      map: |
        abc
      legends: {legends}
    """


def legends(text: str) -> dict[str, str]:
    return {"legends/all.yaml": text}


def drawn(folder: Path, text: str, names: str, own: str = "") -> str:
    """Return what becomes of `abc`, on water (~), earth ( ), floor (.), wall (#), door (+) or doorway (')."""
    more = f"  legend: {own}\n" if own else ""
    (picture,) = rolls(
        game(folder, dedent(ROOM).replace("{legends}", names) + more, legends(text)).prefabs["room"], 1
    )
    return picture


@pytest.mark.parametrize(
    ("text", "names", "own", "picture"),
    [
        # A legend adds to what it extends, and overrides it.
        ("low: {a: wall, b: wall, c: wall}\nhigh: {extends: low, b: water}\n", "high", "", "#~#"),
        ("high: {extends: low, b: water}\nlow: {a: wall, b: wall, c: wall}\n", "[high]", "", "#~#"),
        # Of several, the later ones override the earlier.
        ("one: {a: wall, b: wall, c: wall}\ntwo: {b: water}\n", "[one, two]", "", "#~#"),
        ("one: {a: wall, b: wall, c: wall}\ntwo: {b: water}\n", "[two, one]", "", "###"),
        ("x: {a: wall, b: wall, c: wall}\ny: {b: water}\nz: {extends: [x, y]}\n", "z", "", "#~#"),
        # The prefab's own comes last.
        ("low: {a: wall, b: wall}\nhigh: {extends: low, b: water}\n", "high", "{b: door, c: door}", "#++"),
        # Through several.
        ("a1: {a: wall, b: wall, c: wall}\na2: {extends: a1, b: door}\na3: {extends: a2, c: water}\n", "a3", "", "#+~"),
    ],
)  # fmt: skip
def test_legends_extend_others(tmp_path: Path, text: str, names: str, own: str, picture: str) -> None:
    assert drawn(tmp_path, text, names, own) == picture


def test_what_is_listed_stands_in_its_order_also_where_another_extends_it(tmp_path: Path) -> None:
    legends = "low: {a: wall, b: wall, c: wall}\nhigh: {extends: low, b: water}\n"
    assert drawn(tmp_path / "1", legends, "[low, high]") == "#~#"
    assert drawn(tmp_path / "2", legends, "[high, low]") == "###"
    assert drawn(tmp_path / "3", f"{legends}top: {{extends: [high, low]}}\n", "top") == "###"


def test_what_two_extended_legends_extend_comes_before_both(tmp_path: Path) -> None:
    """The top of a diamond is read once, below both sides, so that it overrides neither."""
    diamond = """
        top: {a: wall, b: wall, c: wall}
        left: {extends: top, a: water}
        right: {extends: top, b: door}
        bottom: {extends: [left, right]}
        """
    assert drawn(tmp_path / "1", diamond, "bottom") == "~+#"
    assert drawn(tmp_path / "2", diamond, "[left, right]") == "~+#"
    assert drawn(tmp_path / "3", diamond, "[right, left]") == "~+#"


def test_legends_that_extend_themselves_are_refused_and_the_circle_is_named(tmp_path: Path) -> None:
    text = "one: {a: wall, extends: two}\ntwo: {extends: [zero, three]}\nthree: {extends: one}\nzero: {b: wall, c: wall}\n"
    assert said(tmp_path, ROOM.replace("{legends}", "one"), legends(text)) == [
        "legends/all.yaml:1:25: legend 'one': this legend extends itself: one -> two -> three -> one",
        "legends/all.yaml:2:16: legend 'two': this legend extends itself: two -> three -> one -> two",
        "legends/all.yaml:3:18: legend 'three': this legend extends itself: three -> one -> two -> three",
    ]
    alone = "one: {a: wall, b: wall, c: wall, extends: one}\n"
    assert said(tmp_path, ROOM.replace("{legends}", "one"), legends(alone)) == [
        "legends/all.yaml:1:43: legend 'one': this legend extends itself: one -> one"
    ]


def test_names_of_legends_that_there_are_not(tmp_path: Path) -> None:
    text = "boxes: {a: wall, b: wall, c: wall}\nmore: {extends: boxs}\n"
    assert said(tmp_path, ROOM.replace("{legends}", "more"), legends(text)) == [
        "legends/all.yaml:2:17: legend 'more': there is no legend of this name: boxs (did you mean boxes?)"
    ]


# -- palettes -----------------------------------------------------------------------------------

OWN = """
    room:
      map: |
        abc
      palette: {own}
    """


def painted(folder: Path, palettes: str, own: str, general: str = "") -> str:
    files = {"palettes/all.yaml": palettes, "palette.yaml": general or "glyphs: {}\n"}
    (picture,) = rolls(game(folder, OWN.replace("{own}", own), files).prefabs["room"], 1)
    return picture


LOW = "low: {glyphs: {a: wall, b: wall, c: wall}}\n"


@pytest.mark.parametrize(
    ("palettes", "own", "general", "picture"),
    [
        (LOW, "{extends: low}", "", "###"),
        (LOW, "{extends: low, glyphs: {b: water}}", "", "#~#"),
        (LOW + "high: {extends: low, glyphs: {c: door}}\n", "{extends: high, glyphs: {b: water}}", "", "#~+"),
        (LOW + "other: {glyphs: {b: door}}\n", "{extends: [low, other]}", "", "#+#"),
        (LOW + "other: {glyphs: {b: door}}\n", "{extends: [other, low]}", "", "###"),
        # What palette.yaml says, and extends, holds for all prefabs.
        (LOW, "{glyphs: {b: water}}", "extends: low\n", "#~#"),
    ],
)
def test_palettes_extend_others(tmp_path: Path, palettes: str, own: str, general: str, picture: str) -> None:
    assert painted(tmp_path, palettes, own, general) == picture


def test_what_palette_yaml_says_overrides_what_it_extends(tmp_path: Path) -> None:
    assert painted(tmp_path, LOW, "{glyphs: {c: door}}", "extends: low\nglyphs: {b: water}\n") == "#~+"


def test_how_colours_are_matched_is_extended_and_overridden_too(tmp_path: Path) -> None:
    (tmp_path / "prefabs").mkdir()
    write_xp(tmp_path / "prefabs" / "daub.xp", [XpLayer.from_rows(["██"], fg=(250, 5, 5))])
    near = {"palettes/all.yaml": 'near: {colours: {"#ff0000": wall, "#0000ff": water}, match: nearest}\n'}
    content = game(tmp_path, "daub: {palette: {extends: near}}\n", near)
    assert set(rolls(content.prefabs["daub"], 1)) == {"##"}
    (line,) = said(tmp_path, "daub: {palette: {extends: near, match: exact}}\n", near)
    assert "no legend or palette says what this character or its colour #fa0505 means" in line


def test_palettes_that_extend_themselves_are_refused_and_the_circle_is_named(tmp_path: Path) -> None:
    text = LOW + "one: {extends: two}\ntwo: {extends: [low, one]}\n"
    assert said(tmp_path, OWN.replace("{own}", "{extends: two}"), {"palettes/all.yaml": text}) == [
        "palettes/all.yaml:2:16: palette 'one': this palette extends itself: one -> two -> one",
        "palettes/all.yaml:3:16: palette 'two': this palette extends itself: two -> one -> two",
    ]
