"""Comparing two runs with games, and the edits between their contents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from changed_runs import rows
from content_files import write_content
from invented_games import DENS, Invented

from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.compare import Pair, condition_in
from dungeon.playtest.compare.edits import edits_between

if TYPE_CHECKING:
    from pathlib import Path

CELLARS = "cellars: {name: The Cellars, size: 32x24, layout: tunnels, encounters: 4, population: [{item: scrap, count: 1}]}\n"

STRONGER = {
    "objects/robots.yaml": DENS["objects/robots.yaml"].replace("hp: 6, attack: 2", "hp: 12, attack: 4")
}

WITH_DENS = DENS | {"maps/cellars.yaml": CELLARS}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Runs with games, before and after hounds were made stronger."""
    folder = tmp_path_factory.mktemp("played")
    for name, changes, harm in (("a", {}, 4), ("b", STRONGER, 14)):
        data = write_content(folder / f"content_{name}", WITH_DENS | changes)
        playtest.record(
            data,
            range(40),
            out=folder / name,
            maps=["cellars"],
            probe=Invented(harm={"hound": harm, "mouser": 4}, hp=18),
        )
    return folder / "a", folder / "b"


def test_a_robot_that_was_made_stronger_comes_first(played: tuple[Path, Path]) -> None:
    comparison = Pair(*played).compare()
    (edit,) = comparison.edits or []
    assert (edit.subject, edit.text) == ("robot hound", "data.attack: 2 -> 4, data.hp: 6 -> 12")
    assert (edit.source.file.endswith("objects/robots.yaml"), edit.source.line) == (True, 2)
    first = comparison.changes[0]
    assert (first.subject, first.before < first.after) == ("damage by each hit of hound", True)
    subjects = [each.subject for each in comparison.changes]
    assert set(first.also) == {"harm", "deaths_by"}
    assert {"deaths", "hit points lost in den"} <= set(subjects)
    assert len({each.thing or each.measure for each in comparison.changes}) == len(subjects)
    weakened = [subject for subject in subjects if "mouser" in subject or "lair" in subject]
    assert all(subjects.index("hit points lost in den") < subjects.index(subject) for subject in weakened)
    assert Pair(played[0], played[0]).compare().all_changes == []


GAMES = {
    "deaths@depth2": """
        SELECT avg(value) FROM (
            SELECT avg(died) AS value FROM visits WHERE depth = 2 GROUP BY seed
        )""",
    "deaths(cellars/1, den)": """
        SELECT avg(value) FROM (
            SELECT avg((ending = 'death' AND map = 'cellars/1' AND killer = 'den')::INT) AS value FROM plays GROUP BY seed
        )""",
    "deaths_of(everywhere, hasty)": "SELECT avg((ending = 'death')::INT) FROM plays WHERE bot = 'hasty'",
    "survival@2": """
        SELECT 1.0 * (SELECT count(*) FROM visits WHERE depth = 2) / (SELECT count(*) FROM plays)""",
    "win(cautious)": "SELECT avg((ending = 'victory')::INT) FROM plays WHERE bot = 'cautious'",
    "win@everywhere": "SELECT avg((ending = 'victory')::INT) FROM plays",
    "toll(everywhere, den)": """
        SELECT avg(value) FROM (
            SELECT avg(hp_lost) AS value FROM meetings WHERE encounter = 'den' GROUP BY seed
        )""",
    "blow(everywhere, hound)": """
        SELECT avg(value) FROM (
            SELECT avg(1.0 * amount / count) AS value FROM events WHERE kind = 'hurt' AND tag = 'hound' GROUP BY seed
        )""",
    "harm(depth1, hound)": """
        SELECT avg(value) FROM (
            SELECT 1.0 * coalesce((
                SELECT sum(amount) FROM events WHERE seed = visits.seed AND depth = 1 AND tag = 'hound'
            ), 0) / count(*) AS value FROM visits WHERE depth = 1 GROUP BY seed
        )""",
    "hp_lost@1": """
        SELECT avg(value) FROM (SELECT avg(hp_lost) AS value FROM visits WHERE depth = 1 GROUP BY seed)""",
}


@pytest.mark.parametrize("asked", GAMES)
def test_measures_of_games_equal_direct_sql(asked: str, played: tuple[Path, Path]) -> None:
    ((wanted,),) = rows(played[1], GAMES[asked])
    change = condition_in(f"{asked} > 0", Pair(played[1], played[1])).change
    assert change.after == pytest.approx(wanted)
    assert wanted > 0


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("deaths@depth1 > +5%", True),
        ("deaths@1 < -5%", False),
        ("deaths(den) > +5%", True),
        ("deaths(lair) < +0%", False),
        ("deaths_by(depth1, hound) > 10%", True),
        ("survival@2 < -10%", True),
        ("win(hasty) < 80%", True),
        ("hp_lost(depth1, hasty) > +50%", True),
        ("turns@depth1 > +1%", False),
    ],
)
def test_conditions_on_games(text: str, holds: bool, played: tuple[Path, Path]) -> None:  # noqa: FBT001  # pytest names it
    assert condition_in(text, Pair(*played)).holds is holds


def test_bots_play_in_contents_that_are_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one = write_content(tmp_path / "one", WITH_DENS)
    other = write_content(tmp_path / "other", WITH_DENS | {"maps/cellars.yaml": CELLARS.replace("4", "3", 1)})
    sides = [str(one), str(other), "--worlds", "3", "--maps", "cellars", "--out", str(tmp_path)]
    bots = ["--bots", "hasty", "--game", "strolling:start", "--limit", "40"]
    assert main(["compare", *sides, *bots, "--fail-if", "survival@1 >= 100%", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["edits"][0]["name"] == "cellars"
    for side in "ab":
        assert rows(tmp_path / side, "SELECT count(*), min(bot) FROM plays") == [(3, "hasty")]
    assert main(["compare", *sides, "--bots", "brave"]) == 2
    assert "there is no bot 'brave'" in capsys.readouterr().err


def test_edits_are_shown_as_authors_wrote_them(tmp_path: Path) -> None:
    changed = CELLARS.replace("32x24", "36x24").replace("count: 1}", "count: 2..3}, {trap: snare, count: 1}")
    after = WITH_DENS | {
        "maps/cellars.yaml": changed,
        "encounters/new.yaml": "new: {category: reward, prefabs: store, maps: {cellars: rare}}\n",
    }
    del after["encounters/dens.yaml"]
    after["prefabs/rooms.yaml"] = "store:\n  map: |\n    ..\n    ..\n"
    one, other = write_content(tmp_path / "one", WITH_DENS), write_content(tmp_path / "other", after)
    told = {edit.subject: edit.text for edit in edits_between([str(one)], [str(other)])}
    assert told.pop("map cellars") == (
        "population: {item: scrap, count: 1} -> {item: scrap, count: 2..3}, {trap: snare, count: 1}, size: 32x24 -> 36x24"
    )
    assert told.pop("encounter new") == "is new"
    assert told.pop("encounter den") == "is gone"
    assert "map has changed" in told.pop("prefab store")
    assert set(told) == {f"encounter {name}" for name in ("closet", "office", "lair", "stable")}
    assert edits_between([str(one)], [str(one)]) == []
