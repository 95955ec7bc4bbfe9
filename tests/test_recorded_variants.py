"""Variants of encounters in a run and its report: which stood where, and which never came."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from content_files import write_content

import dungeon
from dungeon import playtest
from dungeon.playtest.report.report import report_on

if TYPE_CHECKING:
    from pathlib import Path

WORLDS = range(6)

CONTENT = {
    "prefabs/rooms.yaml": f"""\
shelf: {{map: "."}}
table: {{map: ".."}}
hangar: {{map: "{"." * 70}"}}
""",
    "encounters/rooms.yaml": """\
store:
  category: reward
  maps: {cellars: common}
  placing: accessible
  variants:
    full: {weight: 6, prefabs: shelf}
    bare: {weight: 3, prefabs: table}
    huge: {weight: 9, prefabs: hangar}
plain: {category: fluff, prefabs: shelf, maps: {cellars: common}, placing: accessible}
""",
}
"""An encounter with three variants, for one of which no room is large enough, and one without any."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_content(tmp_path_factory.mktemp("content"), CONTENT)


@pytest.fixture(scope="module")
def out(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    playtest.record(data, WORLDS, out=folder)
    return folder


def test_a_run_tells_in_which_variant_an_encounter_came(data: Path, out: Path) -> None:
    content = dungeon.load_content(data)
    there: Counter[tuple[str, str]] = Counter()
    for seed in WORLDS:
        world = dungeon.World(content, seed)
        for node in world.maps:
            there.update((each.encounter, each.variant) for each in world.level(node.id).placements)
    with playtest.open(out) as run:
        query = "SELECT encounter, variant, count(*) FROM placements GROUP BY ALL"
        recorded = {(name, variant): count for name, variant, count in run.sql(query).fetchall()}
    assert recorded == there
    assert set(recorded) == {("store", "full"), ("store", "bare"), ("plain", "")}


def test_a_report_tells_which_variants_never_came(data: Path, out: Path) -> None:
    report = report_on(out, dungeon.load_content(data))
    sheet = next(sheet for sheet in report.sheets if sheet.name == "variants")
    told = {variant: (used, expected) for _, variant, used, expected in sheet.rows}
    copies = sum(used for used, _ in told.values())
    assert sheet.rows[0][:3] == ("store", "huge", 0)
    assert {variant: expected for variant, (_, expected) in told.items()} == pytest.approx(
        {"full": copies * 6 / 18, "bare": copies * 3 / 18, "huge": copies * 9 / 18}
    )
    assert all(sheet.shown)


def test_without_the_content_a_report_tells_of_variants_that_came(out: Path) -> None:
    sheet = next(sheet for sheet in report_on(out).sheets if sheet.name == "variants")
    assert {row[1] for row in sheet.rows} == {"full", "bare"}
