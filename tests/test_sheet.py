"""The pictures of levels in the documentation are those that their commands draw."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from sheet import ROOT, SEEDS, SHEET, first_levels, sheet

import dungeon
from dungeon.cli import main

if TYPE_CHECKING:
    from pathlib import Path

KILOBYTE = 1000


def pixels(file: Path) -> np.ndarray:
    """Return a picture as (height, width, 3)."""
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGB"))


def test_the_contact_sheet_shows_what_maps_are_now() -> None:
    assert np.array_equal(pixels(SHEET), sheet()), "python tests/sheet.py draws the sheet anew"
    assert SHEET.stat().st_size < 300 * KILOBYTE


def test_every_map_type_is_on_the_contact_sheet() -> None:
    content = dungeon.load_content(ROOT / "data")
    assert {
        map_id.split("/")[0] for map_id in first_levels([dungeon.World(content, seed) for seed in SEEDS])
    } == {*content.maps}


@pytest.mark.parametrize(("name", "page"), [("level", "index.md"), ("flow", "guide/maps.md")])
def test_a_picture_in_the_docs_is_what_its_command_draws(name: str, page: str, tmp_path: Path) -> None:
    text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
    (command,) = re.findall(rf"`dungeon (show [^`]+ --png docs/{name}\.png[^`]*)`", text)
    assert f"{name}.png)" in text
    drawn = tmp_path / f"{name}.png"
    arguments = shlex.split(command.replace(f"docs/{name}.png", str(drawn)))
    assert main([*arguments, "--data", str(ROOT / "data")]) == 0
    assert np.array_equal(pixels(ROOT / "docs" / f"{name}.png"), pixels(drawn)), f"dungeon {command}"
