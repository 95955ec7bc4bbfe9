"""Reports: tables equal direct SQL, and planted mistakes become findings."""

from __future__ import annotations

import csv
import json
import re
from base64 import b64decode
from collections import defaultdict
from dataclasses import replace
from html import escape
from math import comb, exp
from shutil import copytree
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen
from zlib import decompress

import duckdb
import numpy as np
import pytest
from changed_runs import change, rows
from content_files import write_content
from invented_games import DENS

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.cli.show_marks import marks_on
from dungeon.content.models.accepted import AcceptedEntry
from dungeon.playtest.recording.probes import generation
from dungeon.playtest.recording.schema import TABLES
from dungeon.playtest.report.encounter_sections import FREQUENCY
from dungeon.playtest.report.finding import KINDS
from dungeon.playtest.report.page import FIRST, Served, as_html
from dungeon.playtest.report.report import (
    PAIRED,
    Report,
    add_content_tables,
    as_text,
    formatted,
    report_on,
    write_csv,
)
from dungeon.playtest.report.sheet import RULE, LevelRef, ReportSheet, SheetColumn
from dungeon.playtest.statistics import binomial_at_least, holm, normal_at_most, poisson_at_most, sign_test

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from dungeon import Content
    from dungeon.playtest.recording.recorder import Probe
    from dungeon.playtest.report.sheet import Form

WORLDS = range(20)

PLANTED = {
    "prefabs/rooms.yaml": f"""\
store:
  map: |
    C..C
    ..B.
    ....
  legend:
    C: {{prop: crate}}
    B: {{item: relic}}
  tags: [rooms]
hangar:
  map: |
{chr(10).join("    " + "." * 50 for _ in range(30))}
""",
    "objects/items.yaml": """\
scrap: {name: scrap metal, glyph: "!"}
relic: {name: relic, glyph: "!", depth: 9}
""",
    "encounters/rooms.yaml": """\
store: {category: reward, prefabs: store, maps: {cellars: common}}
hangar: {category: danger, prefabs: hangar, maps: {cellars: common}, placing: enclosed}
""",
}
"""A prefab for which no room is large enough, and an item that is far too good for where it lies."""

OF_GAMES = {"lethality", "survival", "economy", "endings", "killers", "deaths", "visits", "robots"}
"""The tables about games of bots."""


class Sample:
    """A run, with its content and the report on it."""

    def __init__(
        self,
        folder: Path,
        out: Path,
        changes: dict[str, str],
        probe: Probe = generation,
        worlds: range = WORLDS,
    ) -> None:
        self.data, self.out = write_content(folder, changes), out
        playtest.record(self.data, worlds, out=out, probe=probe)
        self.content: Content = dungeon.load_content(self.data)
        self.report: Report = report_on(out, self.content)

    def sheet(self, name: str) -> ReportSheet:
        return next(sheet for sheet in self.report.sheets if sheet.name == name)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return rows(self.out, query.replace("rule(reason)", RULE_BEHIND))


RULE_BEHIND = r"regexp_replace(regexp_replace(reason, 'none of \d+', 'none of the'), '\d+', 'N', 'g')"
"""The reason of a refusal without its numbers: an encounter that fits in no room is refused for one rule."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("content"), tmp_path_factory.mktemp("run"), {})


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("content"), tmp_path_factory.mktemp("run"), PLANTED)


def test_sound_content_has_no_findings(sound: Sample) -> None:
    assert [finding.text for finding in sound.report.findings] == []


def test_planted_mistakes_are_found(planted: Sample) -> None:
    found = planted.report.findings
    texts = {finding.thing: finding.text for finding in found}
    assert texts["hangar"].startswith("cellars/1 never has hangar")
    assert texts["relic"].startswith("The item relic is out of depth on cellars/1")
    for finding in found:
        assert finding.text.endswith(" Also on cellars/2.")
        assert {spot.map for spot in finding.shown} == set(finding.maps) == {"cellars/1", "cellars/2"}
    spoilt = {each.thing: replace(each, harm=1.0).frequency.partition("It spoils ")[2] for each in found}
    assert spoilt["hangar"] == "100% of a game's encounters."
    query = "SELECT subject, count(*) FROM refusals WHERE stage = 'place' GROUP BY subject ORDER BY 2 DESC, 1"
    (refused, times), *_ = planted.ask(query)
    assert f"most refusals, all maps together: {refused} ({times:,})" in planted.sheet("refusals").text
    assert spoilt["relic"] == "100% of a game's robots, traps and items."
    harms = [finding.harm for finding in found]
    assert harms == sorted(harms, reverse=True)


ACCEPTED = """\
missed: {hangar: {most: 100%, reason: It is for the sequel.}}
beyond: {relic: {most: 20%, reason: A lucky find.}}
"""


def test_the_sentence_about_prefabs_names_the_one_that_fits_nowhere(tmp_path: Path) -> None:
    encounters = "store: {category: reward, prefabs: [store, hangar], maps: {cellars: common}}\n"
    changes = PLANTED | {"encounters/rooms.yaml": encounters}
    sheet = Sample(tmp_path / "content", tmp_path / "run", changes, worlds=range(4)).sheet("prefabs")
    ((expected,),) = [
        (each,)
        for name, used, each in sheet.values("prefab", "used", "expected")
        if name == "hangar" and not used
    ]
    assert sheet.text.endswith(
        f"Prefabs with most missing placements: hangar ({expected:.0f} of {expected:.0f} missing)."
    )


def test_variants_by_map_are_expected_where_they_can_be(tmp_path: Path) -> None:
    changes = {
        "encounters/rooms.yaml": "store: {category: reward, maps: {cellars: common, caves: common}, guaranteed: true, variants: {"
        "room: {prefabs: store, placing: enclosed}, cave: {prefabs: den, placing: embedded}}}\n",
        "prefabs/rooms.yaml": "store:\n  map: |\n    ...\n    ...\nden:\n  map: |\n    ...\n    ...\n",
        "maps/caves.yaml": "caves: {name: Caves, size: 60x40, encounters: 3, layout: caves}\n",
        "world.yaml": "start: cellars/1\nleads_to: {cellars/1: caves/2}\n",
    }
    sample = Sample(tmp_path / "content", tmp_path / "run", changes, worlds=range(4))
    for name, word in (("variants", "variant"), ("prefabs", "prefab")):
        found = sample.sheet(name).values(word, "used", "expected")
        assert len(found) == 2
        assert all(used == expected > 0 for _, used, expected in found)


def test_accepted_findings_are_told_in_one_line_until_they_grow(planted: Sample, tmp_path: Path) -> None:
    data = write_content(tmp_path, PLANTED | {"accepted.yaml": ACCEPTED})
    report = report_on(planted.out, dungeon.load_content(data))  # a run of the same levels
    missing = "missed hangar: 100% of its copies are missing on cellars/1, at most that on 1 more."
    (hangar,) = (each for each in planted.report.findings if each.thing == "hangar")
    spoilt = hangar.frequency.partition(". ")[2]
    assert [each.text for each in report.accepted] == [
        f"{missing} {spoilt} Accepted up to 100%: It is for the sequel."
    ]
    write_csv(report, tmp_path / "tables")
    with (tmp_path / "tables" / "findings.csv").open(encoding="utf-8", newline="") as file:
        told = {row["thing"]: (row["accepted"], float(row["harm"])) for row in csv.DictReader(file)}
    assert told["hangar"] == ("yes", hangar.harm)
    assert told["relic"][0] == told["items"][0] == "no"
    texts = {each.thing: each.text for each in report.findings}
    assert texts.keys() == {"relic", "items"}
    assert "This is more than the accepted 20%." in texts["relic"]
    text = "\n".join(as_text(report, 200))
    assert "Accepted in accepted.yaml\n  missed hangar: 100%" in text
    (command, *_) = report.commands(report.accepted[0].shown[0])
    assert f"sequel.\n    {command}" in text
    page = as_html(report)
    assert "<summary>Accepted in accepted.yaml: 1</summary>" in page
    assert f'data-finding="{len(report.findings)}"' in page
    assert f"<code>{escape(command)}</code>" in page


def test_every_kind_of_finding_can_be_accepted() -> None:
    assert set(AcceptedEntry.model_fields) == set(KINDS) - {"failed"}


def test_mistakes_in_accepted_findings_are_told_with_their_places(tmp_path: Path) -> None:
    accepted = """\
missed:
  hangr: {most: 100%, reason: none}
  hangar: {most: much, reason: none, maps: cellars/7}
harmful: {relik: {most: 3, reason: ""}}
alike: {cellars/1: {reason: none, maps: cellars/1}}
mised: {}
"""
    data = write_content(tmp_path, PLANTED | {"accepted.yaml": accepted})
    texts = [str(each) for each in dungeon.examine_content(data).problems if "accepted.yaml" in str(each)]
    said = [text.partition("accepted.yaml:")[2].partition(": error: accepted: ") for text in texts]
    assert [(place, message) for place, _, message in said] == [
        (
            "3:18",
            "a share such as 60%, or a number of times from 0 to 1000 such as 2.5, is needed here: much",
        ),
        ("4:36", 'one line of text is needed here, of 1 to 200 printable characters: ""'),
        ("5:9", "'most' is missing"),
        ("5:35", "this key is not known: maps (allowed: most, reason)"),
        ("6:1", "this key is not known: mised (did you mean missed?)"),
    ]


def test_accepted_findings_of_nothing_are_warned_of(tmp_path: Path) -> None:
    accepted = "alike: {cellars/7: {most: 1, reason: none}}\nharmful: {relik: {most: 3, reason: none}}\n"
    data = write_content(tmp_path, PLANTED | {"accepted.yaml": accepted})
    assert dungeon.load_content(data).accepted.alike
    texts = [str(each) for each in dungeon.examine_content(data).problems if "accepted.yaml" in str(each)]
    assert [text.partition("accepted.yaml:")[2] for text in texts] == [
        "1:9: warning: accepted: nothing is accepted here: the world has no such map: cellars/7 (did you mean cellars/2?)",
        "2:11: warning: accepted: nothing is accepted here: there is no object of this tag: relik (did you mean relic?)",
    ]


UNEVEN = DENS | {
    "objects/items.yaml": 'coin: {name: coin, glyph: "!", worth: 2}\n',
    "objects/robots.yaml": f"""\
{DENS["objects/robots.yaml"]}
ogre: {{name: ogre, glyph: O, depth: 4, threat: 6}}
giant: {{name: giant, glyph: G, depth: 1, threat: 40}}
dragon: {{name: dragon, glyph: D, depth: 3, threat: 90}}
""",
    "encounters/dens.yaml": DENS["encounters/dens.yaml"].replace("maps:", "limit: {map: 1}, maps:"),
    "encounters/rooms.yaml": "",
    "maps/cellars.yaml": """\
cellars:
  name: The Cellars
  size: 60x40
  layout: tunnels
  encounters: 5
  population: [{item: coin, count: 20, depth: 1}, {item: coin, count: 4, depth: 2}, {robot: ogre, count: 4}, {robot: giant, count: 1}]
""",
}
"""Every map has the same five dens, four ogres from far below, and a giant; the second has fewer coins. No map has a dragon."""


def test_maps_that_are_alike_too_deep_or_poorer_are_found(tmp_path: Path) -> None:
    found = Sample(tmp_path / "content", tmp_path / "run", UNEVEN, worlds=range(12)).report.findings
    told = {(each.kind, each.thing): each for each in found}
    assert set(told) == {
        ("misrated", "giant"),
        ("alike", "encounters"),
        ("alike", "robots"),
        ("deep", "robots"),
        ("beyond", "ogre"),
        ("poorer", ""),
    }
    assert "have 100% in common. Also on cellars/2." in told["alike", "encounters"].text
    assert (
        "27% of the robots on cellars/1 are rated for greater depths than 1, mostly ogre."
        in told["deep", "robots"].text
    )
    assert "average worth of a level is 8.0, after 40.0." in told["poorer", ""].text
    assert "is rated for depth 1, but its threat is 40" in told["misrated", "giant"].text
    # Every game sees both levels: 8 of 30 robots and 24 coins are too deep; one of two levels has 80% less.
    assert told["deep", "robots"].harm == pytest.approx(8 / 54)
    assert told["poorer", ""].harm == pytest.approx(0.8 / 2)
    assert told["alike", "encounters"].harm == pytest.approx(1.0)


QUERIES = {
    ("frequency", "map", "encounter", "realised"): """
        SELECT map, encounter, 1.0 * count(*) / (SELECT count(*) FROM levels WHERE levels.map = placements.map)
        FROM placements WHERE encounter <> '' GROUP BY map, encounter""",
    ("categories", "map", "category", "copies"): """
        SELECT map, category, 1.0 * count(*) / (SELECT count(*) FROM levels WHERE levels.map = placements.map)
        FROM placements WHERE encounter <> '' GROUP BY map, category""",
    (
        "prefabs",
        "prefab",
        "used",
    ): "SELECT prefab, count(*) FROM placements WHERE prefab <> '' GROUP BY prefab",
    ("refusals", "map", "subject", "reason", "times"): """
        SELECT map, subject, rule(reason), count(*) FROM refusals GROUP BY map, subject, rule(reason)""",
    ("rules", "map", "rule", "spots"): """
        SELECT map, rule, sum(count) FROM refused_spots GROUP BY map, rule""",
    ("objects", "map", "tag", "times"): """
        SELECT map, tag, count(*) FROM spawns WHERE kind IN ('robot', 'trap', 'item') GROUP BY map, tag""",
    ("items", "tag", "placed"): "SELECT tag, count(*) / 20.0 FROM spawns WHERE kind = 'item' GROUP BY tag",
    (
        "items",
        "tag",
        "at_2",
    ): "SELECT tag, count(*) / 20.0 FROM spawns WHERE kind = 'item' AND depth = 2 GROUP BY tag",
    (
        "out_of_depth",
        "map",
        "kind",
        "tag",
    ): "SELECT DISTINCT map, kind, 'relic' FROM spawns WHERE tag = 'relic'",
    ("metrics", "map", "metric", "mean"): "SELECT map, metric, avg(value) FROM metrics GROUP BY map, metric",
    ("places", "map", "category", "y", "x", "times"): """
        SELECT map, what, y // 5 * 5, x // 5 * 5, count(*) FROM (
            SELECT map, category AS what, y + height // 2 AS y, x + width // 2 AS x FROM placements WHERE encounter <> ''
            UNION ALL SELECT map, 'exit', y, x FROM exits
        ) GROUP BY 1, 2, 3, 4""",
    ("times", "map", "took"): """
        SELECT map, avg(took) FROM (SELECT map, sum(microseconds) / 1000.0 AS took FROM timings GROUP BY seed, map)
        GROUP BY map""",
}


@pytest.mark.parametrize("asked", QUERIES, ids=lambda asked: f"{asked[0]}-{asked[-1]}")
def test_figures_equal_direct_sql(planted: Sample, asked: tuple[str, ...]) -> None:
    name, *columns = asked
    told = {
        key: value for *key, value in planted.sheet(name).values(*columns) for key in [tuple(key)] if value
    }
    recorded = {tuple(key): value for *key, value in planted.ask(QUERIES[asked])}
    assert told == pytest.approx(recorded)
    assert recorded


def test_refusals_with_one_rule_are_one_row(planted: Sample) -> None:
    told = planted.sheet("refusals").values("map", "subject", "reason")
    reasons = planted.ask("SELECT DISTINCT map, subject, reason FROM refusals")
    assert len(set(told)) == len(told) < len(reasons)


TIED = """
CREATE OR REPLACE TABLE refusals AS
SELECT * REPLACE (if(row_number() OVER (PARTITION BY map ORDER BY seed) = 1, 'worse', 'bad') AS reason)
FROM refusals WHERE subject = 'hangar' QUALIFY row_number() OVER (PARTITION BY map ORDER BY seed) <= 2
"""
"""Leaves two refusals of `hangar` on each map, with two reasons."""


def test_of_reasons_as_frequent_the_first_by_alphabet_is_told(planted: Sample, tmp_path: Path) -> None:
    copytree(planted.out, tmp_path / "run")
    change(tmp_path / "run", TIED)
    sheet = next(each for each in report_on(tmp_path / "run").sheets if each.name == "refusals")
    assert sorted(sheet.values("map", "reason", "times")) == [
        (name, reason, 1) for name in ("cellars/1", "cellars/2") for reason in ("bad", "worse")
    ]
    with playtest.open(tmp_path / "run") as run:
        add_content_tables(run, planted.content)
        told = [row for row in run.sql(FREQUENCY).fetchall() if row[2] == "hangar"]
    assert [row[8] for row in told] == ["bad", "bad"]


LOCKED = (
    "INSERT INTO locks BY NAME SELECT seed, map, type, depth, 0 AS n, 1 AS y, 1 AS x, 'gate' AS word, 'door' AS what, 0 AS sphere, 60 AS distance FROM levels",
    "UPDATE metrics SET value = if(map = 'cellars/1', 600, 1) WHERE metric = 'exit_farthest'",
)
"""A lock on each level with its key 60 steps away; the farthest exit is 600 steps away on one map, and 1 step on the other."""


def test_keys_are_told_in_ways_through_the_map(planted: Sample, tmp_path: Path) -> None:
    copytree(planted.out, tmp_path / "run")
    change(tmp_path / "run", *LOCKED)
    sheet = next(each for each in report_on(tmp_path / "run").sheets if each.name == "locks")
    ((height, width),) = planted.ask("SELECT DISTINCT height, width FROM levels WHERE map = 'cellars/2'")
    assert sheet.values("map", "ways") == [
        ("cellars/2", pytest.approx(120 / (height + width))),
        ("cellars/1", pytest.approx(0.1)),
    ]


def test_locks_with_keys_on_other_maps_have_no_distance(planted: Sample, tmp_path: Path) -> None:
    copytree(planted.out, tmp_path / "run")
    change(tmp_path / "run", *LOCKED, "UPDATE locks SET distance = NULL WHERE map = 'cellars/1'")
    report = report_on(tmp_path / "run")
    sheet = next(each for each in report.sheets if each.name == "locks")
    assert sheet.values("map")[-1] == ("cellars/1",)
    assert sheet.values("distance", "most", "ways")[-1] == (None, None, None)
    assert as_html(report)


def test_whole_numbers_have_no_decimals() -> None:
    assert [formatted(value, "number") for value in (10970.0, 3, 2.5, 0.999)] == [
        "10,970",
        "3",
        "2.50",
        "1.00",
    ]


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ("in its zones: none of 32 free rooms will do", "none of the free rooms will do"),
        ("its group 'lair' is taken by kennel", "its group 'lair' is taken"),
        (
            "none of 4 free caves will do, nor 3 that could be altered",
            "none of the free caves will do, nor N that could be altered",
        ),
        ("the map's budget has too little worth left", "the map's budget has too little worth left"),
    ],
)
def test_rule_of_a_reason(reason: str, rule: str) -> None:
    assert duckdb.execute(f"SELECT {RULE} FROM (SELECT ? AS reason)", [reason]).fetchall() == [(rule,)]


def test_declared_copies_equal_a_draw_with_unlimited_space(sound: Sample) -> None:
    """Odds leave out what fits nowhere, so all encounters of this content fit."""
    assert len(WORLDS) <= PAIRED
    due = defaultdict(float)
    for on_map in dungeon.World(sound.content, WORLDS[0]).odds(realised=len(WORLDS)).maps:
        for each in on_map.encounters:
            assert each.realised is not None
            due[on_map.id, each.encounter] = each.realised.due
    told = {
        (name, encounter): due
        for name, encounter, due in sound.sheet("frequency").values("map", "encounter", "declared")
    }
    assert told == pytest.approx(due)
    assert sum(told.values()) > 1


def test_example_levels_show_their_rows(planted: Sample) -> None:
    sheet = planted.sheet("frequency")
    for (name, encounter, realised), shown in zip(
        sheet.values("map", "encounter", "realised"), sheet.shown, strict=True
    ):
        if not realised:
            continue
        there = planted.ask(
            f"SELECT DISTINCT seed FROM placements WHERE map = '{name}' AND encounter = '{encounter}' ORDER BY seed LIMIT 5"
        )
        assert list(shown) == [LevelRef(seed, name, encounter) for (seed,) in there]


def test_declared_figures_are_left_out_without_the_content(planted: Sample) -> None:
    report = report_on(planted.out)
    assert any("left out" in line for line in report.about)
    frequency = next(sheet for sheet in report.sheets if sheet.name == "frequency")
    assert {declared for (declared,) in frequency.values("declared")} == {None}


def test_other_content_is_refused(sound: Sample, planted: Sample) -> None:
    with pytest.raises(playtest.PlaytestError, match="recorded with other content"):
        report_on(planted.out, sound.content)


@pytest.fixture(scope="module")
def page(planted: Sample) -> str:
    return as_html(planted.report)


def data_of(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/octet-stream" id="data">(.*?)</script>', page)
    data: dict[str, Any] = json.loads(decompress(b64decode(found)))
    return data


def test_the_page_loads_no_other_file(page: str) -> None:
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL)
    assert not re.findall(r'<[^>]*(?:src|href)="(?!data:|#)', markup)
    assert not re.findall(r"@import|url\(", page.split("</style>", maxsplit=1)[0])
    assert len(page.encode()) < 600_000


def test_the_page_has_all_figures_and_findings(planted: Sample, page: str) -> None:
    data = data_of(page)
    for sheet, told in zip(planted.report.sheets, data["sheets"], strict=True):
        for at, column in enumerate(told["columns"]):
            values = (
                [column["words"][word] for word in column["values"]]
                if "words" in column
                else column["values"]
            )
            assert values == [
                pytest.approx(row[at], rel=1e-3) if isinstance(row[at], float) else row[at]
                for row in sheet.rows
            ]
        places = [
            (*data["levels"][level][:2], data["marks"][mark], data["games"][game])
            for level, mark, game in data["places"]
        ]
        shown = [[places[number] for number in numbers] for numbers in told["shown"]]
        assert shown == [[(*spot.level, spot.mark, "") for spot in spots] for spots in sheet.shown]
    before = page.split("<script", maxsplit=1)[0]
    assert all(finding.text in before for finding in planted.report.findings)


def test_every_chart_says_what_to_look_for(page: str) -> None:
    data = data_of(page)
    assert set(data["charts"]) - {sheet["name"] for sheet in data["sheets"]} <= OF_GAMES
    for chart in (each for charts in data["charts"].values() for each in charts):
        assert re.match(r"Look .*\.$", chart["description"])


def test_outlines_match_the_level(planted: Sample, page: str) -> None:
    data = data_of(page)
    for seed, name, text, _ in data["levels"][:5]:
        numbers = [ord(character) - FIRST for character in text]
        level = dungeon.World(planted.content, seed).level(name)
        exits = [number for way in level.exits for number in (way.y, way.x)]
        assert numbers[:4] == [level.height, level.width, *level.entrance]
        assert numbers[4 : 5 + len(exits)] == [len(level.exits), *exits]
        boxes = [each for each in level.placements if each.category in data["categories"]]
        rest = numbers[5 + len(exits) :]
        told = [rest[at : at + 5] for at in range(0, len(rest), 5) if rest[at] < len(data["categories"])]
        assert told == [
            [
                data["categories"].index(each.category),
                each.bounds.y,
                each.bounds.x,
                each.bounds.height,
                each.bounds.width,
            ]
            for each in boxes
        ]


def test_small_pictures_mark_what_the_command_marks(planted: Sample, page: str) -> None:
    data = data_of(page)
    told = set()
    for seed, name, _, marks in data["levels"][:8]:
        level = dungeon.World(planted.content, seed).level(name)
        cited = {
            data["marks"][mark] for at, mark, _ in data["places"] if data["levels"][at][:2] == [seed, name]
        }
        for mark in cited - {""}:
            numbers = [ord(each) - FIRST for each in marks.get(str(data["marks"].index(mark)), "")]
            boxes = {tuple(numbers[at : at + 4]) for at in range(0, len(numbers), 4)}
            assert boxes == {box_of(each.cells) for each in marks_on(level, mark)}, mark
            told.add(mark)
    assert {"store", "relic", "exit", "encounter", "reward"} <= told


def box_of(cells: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return y, x, height and width of the smallest box around some cells."""
    (top, left), (bottom, right) = np.argwhere(cells).min(axis=0), np.argwhere(cells).max(axis=0)
    return int(top), int(left), int(bottom - top + 1), int(right - left + 1)


def test_the_command_writes_page_text_and_tables(
    planted: Sample, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables, written = tmp_path / "tables", tmp_path / "page.html"
    assert main(["report", str(planted.out), "--text", "--csv", str(tables), "--html", str(written)]) == 0
    said = capsys.readouterr().out
    assert "cellars/1 never has hangar" in " ".join(said.split())
    assert f"dungeon show cellars/1 --seed 0 --mark relic --data {planted.data}" in said
    with (tables / "frequency.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told = {(row["map"], row["encounter"]): float(row["realised"]) for row in rows}
    assert told == {
        (name, encounter): value
        for name, encounter, value in planted.sheet("frequency").values("map", "encounter", "realised")
    }
    assert written.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_text_option_prints_a_named_table_with_all_rows(planted: Sample) -> None:
    sheet = planted.sheet("objects")
    lines = list(as_text(planted.report, 200, "objects"))
    first = next(spots[0] for spots in sheet.shown if spots)
    assert lines[3 + len(sheet.rows) :][:2] == [f"  Example: {planted.report.commands(first)[0]}", ""]
    meanings = lines[5 + len(sheet.rows) :]
    assert [line.split()[0] for line in meanings] == [*(each.name for each in sheet.columns), "examples"]
    assert all(line.endswith(each.text) for line, each in zip(meanings, sheet.columns, strict=False))
    with pytest.raises(playtest.PlaytestError, match="no table 'treasures', only findings, items, frequency"):
        list(as_text(planted.report, 200, "treasures"))


def test_text_option_prints_the_findings_alone(planted: Sample) -> None:
    lines = list(as_text(planted.report, 200, "findings"))
    assert lines == list(as_text(planted.report, 200))[: len(lines)]
    assert any("never has hangar" in line for line in lines)
    assert not any(line.endswith("(frequency)") for line in lines)


def test_text_has_a_mark_for_missing_values_and_empty_tables(planted: Sample) -> None:
    rows = ((None, "", 2.5), (3, "rat", None))
    forms: dict[str, Form] = {"many": "count", "what": "text", "size": "number"}
    columns = tuple(SheetColumn(name=name, form=form, text="") for name, form in forms.items())
    shown = ((LevelRef(4, "cellars/1"), LevelRef(4, "cellars/1", "rat"), LevelRef(5, "cellars/2")), ())
    made = ReportSheet(name="made", title="Made", text="Rows.", columns=columns, rows=rows, shown=shown)
    full, empty = (
        replace(planted.report, sheets=(each,)) for each in (made, replace(made, rows=(), shown=()))
    )
    assert [line.split() for line in as_text(full, 200, "made")][2:5] == [
        ["many", "what", "size", "examples"],
        ["-", "-", "2.50", "4", "cellars/1;", "5", "cellars/2"],
        ["3", "rat", "-"],
    ]
    assert list(as_text(empty, 200, "made"))[2] == "  none"


def test_the_page_has_a_default_name(planted: Sample, tmp_path: Path) -> None:
    run = copytree(planted.out, tmp_path / "run")
    tables = str(tmp_path / "tables")
    assert main(["report", str(run), "--csv", tables]) == 0
    assert not (run / "report.html").exists()
    assert main(["report", str(run), "--csv", tables, "--html"]) == 0
    assert (run / "report.html").exists()


def test_a_folder_without_a_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "there is no run in" in capsys.readouterr().err


def test_failed_levels_are_the_first_findings(sound: Sample, tmp_path: Path) -> None:
    run = copytree(sound.out, tmp_path / "run")
    where = "seed = 3 AND depth = 2"
    empty = "height = NULL, width = NULL, entrance_y = NULL, entrance_x = NULL, retries = NULL"
    change(
        run,
        *(f"DELETE FROM {table.view} WHERE {where}" for table in TABLES if table.owner == "level"),
        f"UPDATE levels SET error = 'ValueError: <no>', {empty} WHERE {where}",
    )
    report = report_on(run)
    assert report.findings[0].shown == (LevelRef(3, "cellars/2"),)
    assert "cellars/2 could not be made, in 1 of 20 worlds: ValueError: <no>" in report.findings[0].text
    assert "ValueError: &lt;no&gt;" in as_html(report)


def test_a_run_that_has_just_begun_has_a_report(sound: Sample, tmp_path: Path) -> None:
    playtest.record(sound.data, range(0), out=tmp_path)
    report = report_on(tmp_path, sound.content)
    assert report.about == ("No world has been recorded yet.",)
    assert all(
        sheet.rows == () for sheet in report.sheets if sheet.name not in ("prefabs", "objects", "items")
    )


def test_the_page_is_drawn_again_when_the_run_has_grown(sound: Sample, tmp_path: Path) -> None:
    playtest.record(sound.data, range(2), out=tmp_path)
    with Served(tmp_path, sound.content, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"

        def answer(method: str) -> tuple[str, str]:
            with urlopen(Request(address, method=method)) as got:
                return got.headers["ETag"], got.read().decode()

        stamp, page = answer("GET")
        assert "2 worlds" in page
        assert answer("HEAD") == (stamp, "")
        playtest.record(sound.data, range(3), out=tmp_path)
        assert answer("HEAD")[0] != stamp
        assert "3 worlds" in answer("GET")[1]
        server.shutdown()


@pytest.mark.parametrize(
    ("count", "trials", "chance"), [(0, 5, 0.3), (2, 5, 0.3), (5, 5, 0.01), (30, 40, 0.5), (3, 5, 1.0)]
)
def test_binomial_tails(count: int, trials: int, chance: float) -> None:
    exact = sum(comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(count, trials + 1))
    assert binomial_at_least(count, trials, chance) == pytest.approx(exact)


def test_poisson_and_normal_tails() -> None:
    assert poisson_at_most(0, 3.0) == pytest.approx(exp(-3))
    assert poisson_at_most(1, 3.0) == pytest.approx(4 * exp(-3))
    assert sign_test(10, 0) == pytest.approx(2 / 2**10)
    assert sign_test(4, 4) == 1.0
    assert normal_at_most(-1.959964, 1.0) == pytest.approx(0.025, rel=1e-5)
    assert normal_at_most(1.0, 0.0) == 1.0
    assert normal_at_most(-1.0, 0.0) == 0.0


def test_holm_keeps_significant_p_values() -> None:
    # The second is small enough for the two that are left, the third is not for the one that follows it.
    assert holm([0.04, 0.01, 0.03], 0.05) == [False, True, False]
    assert holm([0.01, 0.02, 0.001], 0.05) == [True, True, True]
    assert holm([], 0.05) == []
