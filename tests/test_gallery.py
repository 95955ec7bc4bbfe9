"""The gallery of the docs: each section shows the layout or placing mode that its heading names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from writer.gallery import MAP, Exhibit, exhibits, with_pictures

import dungeon
from dungeon.core.registry import PLACINGS, is_plugin
from dungeon.generation.built_in import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.registry import Layout, Placing

PAGE = Path(__file__).parent.parent / "docs" / "gallery.md"
EXHIBITS = [*exhibits(PAGE.read_text(encoding="utf-8"))]


def ours(registry: Mapping[str, Layout[Any] | Placing[Any]]) -> set[str]:
    """Return the names that the library itself registers."""
    return {name for name, each in registry.items() if not is_plugin(each.home)}


def test_there_is_a_section_for_every_layout_and_placing_mode() -> None:
    assert sorted(each.title for each in EXHIBITS) == sorted([*ours(LAYOUTS), *ours(PLACINGS), "seeded"])


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda each: each.title)
def test_a_section_shows_what_it_is_about(exhibit: Exhibit) -> None:
    level = exhibit.level()
    assert level.id == MAP
    assert dungeon.prove(level) == []
    layout = yaml.safe_load(exhibit.files["maps/hall.yaml"])["hall"]["layout"]
    modes = {placement.mode for placement in level.placements}
    if exhibit.title in LAYOUTS:
        assert exhibit.title in layout
        zones = layout[exhibit.title].get("zones", ()) if isinstance(layout, dict) else ()
        assert [zone.name for zone in level.zones] == [*zones]
    else:
        assert modes == {exhibit.title}


def test_pictures_take_the_place_of_comments(tmp_path: Path) -> None:
    page = with_pictures(PAGE.read_text(encoding="utf-8"), tmp_path)
    assert "<!-- picture" not in page
    for each in EXHIBITS:
        assert f'src="_images/gallery-{each.title}.png"' in page
        assert (tmp_path / f"gallery-{each.title}.png").stat().st_size > 1000
