"""The commands, called as an author calls them: two calls of each, and what they print."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import chdir, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import yaml
from demo import demo_content

import dungeon
from dungeon import cli
from dungeon.core.vocabulary import HIGHLIGHTS
from dungeon.generation.odds.plans import unplaced_on

if TYPE_CHECKING:
    from dungeon.generation.encounters.shares import WorldMap
    from dungeon.generation.odds.plans import Unplaced

ROOT = Path(__file__).parent.parent


def printed(*lines: str, here: Path = ROOT, columns: int = 100) -> list[str]:
    """Run commands in the checkout or in another folder, and return what each prints."""
    found = []
    for line in lines:
        name, *arguments = shlex.split(line)
        assert name == "dungeon"
        with chdir(here), patch.dict("os.environ", COLUMNS=str(columns)), redirect_stdout(StringIO()) as out:
            assert cli.main(arguments) == 0
        found.append(out.getvalue())
    return found


def test_check() -> None:
    lines = ("dungeon check data", "dungeon check --data data --json")
    with patch("dungeon.examine_content", cache(dungeon.examine_content)):  # both say what one look has found
        text, machine = printed(*lines)
    found = json.loads(machine)
    assert found["problems"] == [], "there is nothing to say of the content that comes with the library"
    assert found["counts"]["errors"] == found["counts"]["warnings"] == 0
    (line,) = text.splitlines()
    assert line.startswith("data: ")


def test_show_a_prefab() -> None:
    lines = (
        "dungeon show boiler_room --seed 3 --orientation all",
        "dungeon show boiler_room --seed 3 --orientation r90 --times 9",
    )
    every, nine = printed(*lines)
    labels = re.findall(r"\d (r\d+|m\d+)", every)
    assert labels == ["r0", "r90", "r180", "r270", "m0", "m90", "m180", "m270"]
    assert re.findall(r"(\d) r90", nine) == [*"012345678"]
    assert re.search(r"^boiler_room: prefab, 7x10, depth \d+, seed 3; 9 rolls$", nine, re.MULTILINE)


def test_explain() -> None:
    lines = ("dungeon explain boiler_room", "dungeon explain boiler_room --depth 4")
    shallow, deep = printed(*lines)
    for text, depth in ((shallow, 2), (deep, 4)):
        assert re.search(r"\[palette.yaml, data/palette.yaml:\d+:\d+\]", text)
        assert re.search(
            rf"data/prefabs/boiler_room.yaml:\d+:\d+; odds at depth {depth}$", text, re.MULTILINE
        )
        assert re.search(r"100% (steam_vent|blow_off)", text)
    assert shallow != deep


def test_odds() -> None:
    lines = (
        "dungeon odds data --map foundry --width 40",
        "dungeon odds data --map foundry/3 --width 40 --realised 2 --json",
    )
    tried: dict[WorldMap, Unplaced] = {}  # what fits on no ground plan is the same for both

    def unplaced_once(content: dungeon.Content, place: WorldMap, count: int) -> Unplaced:
        if place not in tried:
            tried[place] = unplaced_on(content, place, count)
        return tried[place]

    with patch("dungeon.generation.odds.expected.unplaced_on", unplaced_once):
        tables, machine = printed(*lines, columns=120)
    table, second, _ = tables.partition("\nfoundry/4  The Foundry: ")
    assert second
    assert re.search(
        r"^foundry/3  The Foundry: 10 to 12 wanted, of \d+ encounters; sampled, because the map has a budget$",
        table,
        re.MULTILINE,
    )
    assert re.search(r"^  governor .* 20 +1/1 +office .* ~\d+\.\d±", table, re.MULTILINE)  # it has a budget
    (on_map,) = json.loads(machine)["maps"]
    names = [each["encounter"] for each in on_map["encounters"]]
    assert names == re.findall(r"^  (\w+) +(?:fluff|risk|danger|reward|lore) ", table, re.MULTILINE)
    assert all(each["realised"] for each in on_map["encounters"])


def test_watch() -> None:
    lines = ("dungeon watch foundry/3 --seed 9", "dungeon watch data/prefabs/pool.xp")
    with patch("dungeon.cli.watch.changes", lambda watched: iter([[], ["prefabs/posts.yaml"]])):
        level, drawing = printed(*lines)
    for text, seen in ((level, "foundry/3: .*, seed 9, "), (drawing, "Watching data/prefabs/pool.xp")):
        first, again = text.split("Ctrl-C stops.\n", 1)
        assert re.search(seen, first)
        assert re.search(r"prefabs/posts.yaml changed\. Ctrl-C stops\.\n\Z", again)
        assert first.splitlines()[:-1] == again.splitlines()[:-1]


def test_schema() -> None:
    lines = ("dungeon schema", "dungeon schema prefabs")
    listed, schema = printed(*lines)
    assert re.search(r"^prefabs +.*prefabs/", listed, re.MULTILINE)
    assert json.loads(schema) == dungeon.content_schemas()["prefabs"]


def test_show_a_level() -> None:
    lines = ("dungeon show foundry --seed 9", "dungeon show foundry/3 --highlight encounters --journal")
    plain, full = printed(*lines)
    assert re.search(r"^foundry/\d+: .*, seed 9, .* encounters, .* objects; leads to ", plain, re.MULTILINE)
    assert re.search(r"^  (fluff|risk|danger|reward) +\w+ \(\w+ [rm]\d+\) x \d+", full, re.MULTILINE)
    assert re.search(
        r"^  \[place\] \w+: chosen, \w+ [rm]\d+ at y \d+, x \d+ \(\d+ spots\)", full, re.MULTILINE
    )


def test_highlight() -> None:
    lines = (
        "dungeon show foundry --highlight flow",
        "dungeon show foundry --highlight regions --colour always",
    )
    flow, regions = printed(*lines)
    assert re.search(r"^  orange  main way: \d+ steps to foundry/4$", flow, re.MULTILINE)
    assert re.search(r"^  \x1b\[48;2;[0-9;]+m  \x1b\[0m blue    room: \d+ regions$", regions, re.MULTILINE)
    guide = (ROOT / "docs" / "guide" / "tools.md").read_text(encoding="utf-8")
    assert all(f"`{word}`" in guide for word in HIGHLIGHTS)


def test_show_a_drawing() -> None:
    lines = ("dungeon show data/prefabs/pool.xp", "dungeon show data/prefabs/pool.xp --colour always")
    plain, coloured = printed(*lines)
    height = dungeon.read_xp(ROOT / "data/prefabs/pool.xp")[0].glyph.shape[0]
    assert plain.count("\n") == coloured.count("\n") == height
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain


def test_export(tmp_path: Path) -> None:
    lines = ("dungeon export pay_office --to pay_office.xp", "dungeon export pool --to pool.yaml")
    (tmp_path / "data").symlink_to(ROOT / "data")
    assert printed(*lines, here=tmp_path) == ["pay_office.xp\npay_office.yaml\n", "pool.yaml\n"]
    assert 1 <= len(dungeon.read_xp(tmp_path / "pay_office.xp")) <= 4
    text = (tmp_path / "pool.yaml").read_text(encoding="utf-8")
    ground = demo_content().prefabs["pool"].drawing.terrain
    rows = yaml.safe_load(text)["pool"]["map"].splitlines()
    assert (len(rows), len(rows[0])) == ground.shape


def test_graph_of_locks() -> None:
    lines = ("dungeon show foundry --graph", "dungeon show foundry/3 --seed 9 --graph")
    for text in printed(*lines):
        assert re.search(
            r"^no locks$|^\d+ locks? between \d+ areas?, opened in \d+ rounds?$", text, re.MULTILINE
        )
