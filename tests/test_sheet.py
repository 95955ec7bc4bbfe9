"""The pictures of levels in the documentation are those that their commands draw."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import numpy as np
import pytest
from demo import demo_content
from PIL import Image
from sheet import ROOT, SEEDS, SHEET, first_levels, sheet
from terminals import Screen

import dungeon
from dungeon.cli import main

if TYPE_CHECKING:
    from pathlib import Path

KILOBYTE = 1000
MODES = re.compile(r"\x1b\[\?(7|25)[hl]")
"""Whether a terminal wraps its lines and shows its cursor."""


def pixels(file: Path) -> np.ndarray:
    """Return a picture as (height, width, 3)."""
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGB"))


def test_the_contact_sheet_shows_what_maps_are_now() -> None:
    assert np.array_equal(pixels(SHEET), sheet()), "python tests/sheet.py draws the sheet anew"
    assert SHEET.stat().st_size < 300 * KILOBYTE


def test_every_map_type_is_on_the_contact_sheet() -> None:
    content = demo_content()
    assert first_levels([dungeon.World(content, seed) for seed in SEEDS]).keys() == content.maps.keys()


@pytest.mark.parametrize(("name", "page"), [("level", "index.md"), ("flow", "guide/maps.md")])
def test_a_picture_in_the_docs_is_what_its_command_draws(name: str, page: str, tmp_path: Path) -> None:
    text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
    (command,) = re.findall(rf"`dungeon (show [^`]+ --png docs/{name}\.png[^`]*)`", text)
    assert f"{name}.png)" in text
    drawn = tmp_path / f"{name}.png"
    arguments = shlex.split(command.replace(f"docs/{name}.png", str(drawn)))
    assert main([*arguments, "--data", str(ROOT / "data")]) == 0
    assert np.array_equal(pixels(ROOT / "docs" / f"{name}.png"), pixels(drawn)), f"dungeon {command}"


def test_the_cast_can_be_played() -> None:
    """As asciicast v2: a header, and what is written after so many seconds."""
    text = (ROOT / "docs" / "demo.cast").read_text(encoding="utf-8")
    header, *events = map(json.loads, text.splitlines())
    assert header["version"] == 2
    assert [seconds for seconds, *_ in events] == sorted(seconds for seconds, *_ in events)
    assert {kind for _, kind, _ in events} == {"o"}
    screen = Screen(header["width"], header["height"], erases=True)
    shown = []
    for _, _, written in events:
        screen.feed(MODES.sub("", written))
        shown.append("\n".join(map("".join, screen.letters.tolist())))
    for words in (
        "Watch a level being built",
        "Look",
        "Tab lists the levels",
        "You come to",
        "designer's view",
    ):
        assert any(words in each for each in shown), words
    assert not shown[-1].strip(), "the terminal is left as it was found"
    assert len(text.encode()) < 150 * KILOBYTE


@pytest.mark.parametrize("name", ["demo", "demo-tints"])
def test_the_readme_shows_the_demo(name: str) -> None:
    file = ROOT / "docs" / f"{name}.png"
    assert f"](docs/{name}.png)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert pixels(file).any()
    assert file.stat().st_size < 100 * KILOBYTE
