"""Reports of runs with games: tables about games, and findings about games and maps."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING

import numpy as np
import pytest
from changed_runs import change, rows
from invented_games import DENS, Invented
from test_report import OF_GAMES, Sample

from dungeon.playtest.report.finding import Finding, joined_findings
from dungeon.playtest.report.game_findings import usual_power
from dungeon.playtest.report.report import report_on
from dungeon.playtest.report.sheet import LevelRef
from dungeon.playtest.statistics import wilson

if TYPE_CHECKING:
    from pathlib import Path

CELLARS = "cellars: {name: The Cellars, size: 32x24, layout: tunnels, encounters: 5}\n"

SIX_MAPS = DENS | {
    "world.yaml": "start: cellars/1\nleads_to: {cellars/1: cellars/2, cellars/2: cellars/3, cellars/3: cellars/4, cellars/4: pit/5}\n",
    "maps/cellars.yaml": CELLARS,
    "maps/pit.yaml": """\
pit:
  name: The Pit
  size: 32x24
  layout: tunnels
  population: [{trap: snare, count: 40}, {item: scrap, count: 3}]
""",
    "encounters/late.yaml": "late: {category: reward, prefabs: store, maps: {cellars: common}, depth: 7..9}\n",
}
"""Four maps that are alike, and one full of traps; an encounter whose depths are those of no map."""

HARM = {"hound": 3, "sweeper": 1, "clerk": 1, "mouser": 3, "mule": 2}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    probe = Invented(harm=HARM | {"hound": 15}, unmet="store", stuck="cellars/4", hp=10_000)
    return Sample(tmp_path_factory.mktemp("content"), tmp_path_factory.mktemp("run"), SIX_MAPS, probe)


def test_planted_mistakes_of_games_and_maps_are_found(played: Sample) -> None:
    told = {(finding.kind, finding.thing or finding.map): finding for finding in played.report.findings}
    assert set(told) == {
        ("nowhere", "late"),
        ("trapped", "traps"),
        ("harmful", "hound"),
        ("unmet", "store"),
        ("stuck", "cellars/4"),
    }
    assert "late can't be anywhere: its depth is 7 to 9" in told["nowhere", "late"].text
    assert "pit/5 is full of traps: 40 on a level, mostly snare" in told["trapped", "traps"].text
    assert "The robot hound is stronger than its threat of 2 says" in told["harmful", "hound"].text
    assert "Bots give up on cellars/4: 40 of the 40 games" in told["stuck", "cellars/4"].text
    for kind in ("harmful", "unmet"):
        for finding in (each for each in played.report.findings if each.kind == kind):
            for seed, name, *_ in finding.shown:
                met = (
                    f"SELECT count(*) FROM placements WHERE seed = {seed} AND map = '{name}' AND encounter = "
                )
                ((there,),) = played.ask(met + {"harmful": "'den'", "unmet": "'store'"}[kind])
                assert there


def findings_of(tmp_path: Path, changes: dict[str, str], probe: Invented) -> dict[tuple[str, str], Finding]:
    sample = Sample(tmp_path / "content", tmp_path / "run", SIX_MAPS | changes, probe)
    return {(each.kind, each.thing): each for each in sample.report.findings}


def test_a_robot_that_is_too_weak_is_found(tmp_path: Path) -> None:
    harm = {"hound": 30, "sweeper": 10, "clerk": 10, "mouser": 30, "mule": 2}
    told = findings_of(tmp_path, {}, Invented(harm=harm, hp=100_000))
    assert set(told) == {("nowhere", "late"), ("trapped", "traps"), ("harmless", "mule")}
    weak = told["harmless", "mule"]
    assert (
        "The robot mule is weaker than its threat of 1.5 says: it costs 1.1 hit points a fight" in weak.text
    )
    assert weak.frequency.endswith("of the hit points lost in a game.")
    assert "hit points a game fewer than its threat says. It spoils" in weak.frequency


def test_a_robot_that_kills_more_than_its_threat_says_is_found(tmp_path: Path) -> None:
    robots = DENS["objects/robots.yaml"].replace("threat: 2, data", "threat: 0.1, data")
    told = findings_of(tmp_path, {"objects/robots.yaml": robots}, Invented(harm=HARM | {"hound": 15}, hp=25))
    killer = told["killer", "hound"]
    assert "The robot hound kills more often than its threat says: it struck the last blow in " in killer.text
    assert "deaths by robots or traps (" in killer.text
    assert "more deaths in 100 games than its threat explains." in killer.frequency
    assert killer.harm <= 1
    assert killer.spoilt == f"It spoils {killer.harm:.0%} of all games."
    assert replace(killer, harm=0.0).spoilt == "It spoils no game."
    assert killer.rate == pytest.approx(100 * killer.harm)


def test_maps_where_items_or_charge_are_scarce_are_found(tmp_path: Path) -> None:
    sample = Sample(tmp_path / "content", tmp_path / "run", SIX_MAPS, Invented(hp=100))
    change(
        sample.out,
        "UPDATE visits SET gained = 6, charge = 100",
        "UPDATE visits SET gained = 1 WHERE map = 'cellars/2'",
        "UPDATE visits SET charge = 9 WHERE map = 'cellars/3' AND seed % 4 = 0",
    )
    told = {(each.map, each.thing): each for each in report_on(sample.out, sample.content).findings}
    items, charge = told["cellars/2", "items"], told["cellars/3", "charge"]
    assert "games take 1.0 there; 6.0 are usual on a map." in items.text
    assert "10 of the 40 games that reach it arrive with less than 10%." in charge.text
    assert charge.harm == pytest.approx(10 / 40)
    assert items.size == pytest.approx(5 / 6)
    assert {each.kind for each in told.values()} >= {"scarce", "drained"}


TOOLS = {
    "objects/items.yaml": 'scrap: {name: scrap metal, glyph: "!"}\n'
    + "".join(f"kit{n}: {{name: kit {n}, glyph: '!', class: mend, worth: {n}}}\n" for n in (1, 2, 3, 4, 5)),
    "objects/traps.yaml": "snare: {name: snare, glyph: ^}\n"
    + "".join(f"pit{n}: {{name: pit {n}, glyph: ^, threat: {n}}}\n" for n in (1, 2, 3, 4, 5)),
}
"""Items of one class with a worth, and traps with a threat."""


def test_a_trap_that_is_too_strong_and_an_item_that_is_too_weak_are_found(tmp_path: Path) -> None:
    sample = Sample(tmp_path / "content", tmp_path / "run", SIX_MAPS | TOOLS, Invented(hp=100))

    def happened(kind: str, tag: str, amount: int) -> str:
        return (
            f"INSERT INTO events SELECT seed, bot, game, 900, map, type, depth, '{kind}', '{tag}', 2, {2 * amount} "
            "FROM visits WHERE map = 'cellars/2'"
        )

    usual = [
        happened(kind, f"{tag}{n}", amount * n)
        for n in (1, 2, 3, 4, 5)
        for kind, tag, amount in (("used", "kit", 6), ("sprung", "pit", 2))
    ]
    change(sample.out, *usual)
    assert {each.kind for each in report_on(sample.out, sample.content).findings} == {"nowhere", "trapped"}
    change(
        sample.out,
        "UPDATE events SET amount = 12 WHERE tag = 'kit3'",
        "UPDATE events SET amount = 40 WHERE tag = 'pit2'",
    )
    told = {(each.kind, each.thing): each for each in report_on(sample.out, sample.content).findings}
    assert set(told) == {("nowhere", "late"), ("trapped", "traps"), ("feeble", "kit3"), ("harmful", "pit2")}
    assert (
        "its worth of 3 says: it restores 6.0 hit points each time; items of that worth usually restore 18.0."
        in told["feeble", "kit3"].text
    )
    assert told["feeble", "kit3"].size == pytest.approx(2 / 3)
    assert told["feeble", "kit3"].rate == pytest.approx(2 * 12)
    assert (
        "its threat of 2 says: it costs 20.0 hit points each time; traps of that threat usually cost 4.0."
        in told["harmful", "pit2"].text
    )
    assert told["harmful", "pit2"].size == pytest.approx(5)


UNLIKE_OTHERS = SIX_MAPS | {
    "maps/cellars.yaml": CELLARS.replace(
        "encounters: 5}", "encounters: 1, population: [{robot: mule, count: 5}]}"
    ),
    "maps/pit.yaml": SIX_MAPS["maps/pit.yaml"].replace(
        "snare, count: 40", "snare, count: 1}, {robot: clerk, count: 12"
    ),
    "encounters/dens.yaml": DENS["encounters/dens.yaml"].replace(
        "den, maps: {cellars: common}", "den, maps: {cellars: 25}"
    ),
    "encounters/late.yaml": "",
    "objects/items.yaml": 'scrap: {name: scrap metal, glyph: "!"}\nrelic: {name: relic, glyph: "!", depth: 9}\n',
    "objects/robots.yaml": DENS["objects/robots.yaml"].replace(
        "threat: 1.5", "threat: 1.5, loadout: [{item: relic}]"
    ),
}
"""One map with more robots than the others, an encounter with more weight than the others, and an item that robots carry too early."""


def test_what_is_unlike_all_others_is_found(tmp_path: Path) -> None:
    sample = Sample(tmp_path / "content", tmp_path / "run", UNLIKE_OTHERS)
    found = sample.report.findings
    told = {(each.kind, each.thing): each for each in found}
    assert set(told) == {("crowded", "robots"), ("heavy", "den"), ("beyond", "relic"), ("deep", "items")}
    crowded, heavy = told["crowded", "robots"], told["heavy", "den"]
    assert (
        "pit/5 is full of robots outside encounters: 12 on a level, mostly clerk; 5 are usual."
        in crowded.text
    )
    assert crowded.maps == ("pit/5",)
    assert crowded.size == pytest.approx(12 / 5)
    assert "den outweighs all other encounters on cellars/" in heavy.text
    assert "its weight is 25, and the next has 10." in heavy.text
    assert set(heavy.maps) == {f"cellars/{n}" for n in (1, 2, 3, 4)}
    assert heavy.size == pytest.approx(2.5)
    dens = sample.ask("SELECT seed, map FROM placements WHERE encounter = 'den'")
    assert {spot.level for spot in heavy.shown} <= set(dens)
    assert "It is mostly held by mule." in told["beyond", "relic"].text


def finding_of(name: str, thing: str, harm: float) -> Finding:
    text = f"{name} lacks {thing}."
    spot = LevelRef(1, name)
    return Finding(
        kind="missed",
        map=name,
        thing=thing,
        text=text,
        size=harm / 10,
        matters=True,
        rate=2 * harm,
        harm=harm,
        chance=0.0,
        shown=(spot,),
    )


def test_findings_of_one_cause_are_joined() -> None:
    by_thing = joined_findings(
        [finding_of("a/1", "pool", 5), finding_of("b/2", "den", 1), finding_of("b/2", "pool", 7)]
    )
    assert [(each.text, each.maps, each.harm) for each in by_thing] == [
        ("b/2 lacks pool. Also on a/1.", ("b/2", "a/1"), 12),
        ("b/2 lacks den.", ("b/2",), 1),
    ]
    by_map = joined_findings([finding_of("a/1", thing, 3) for thing in ("pool", "den", "lair")])
    assert [(each.text, each.maps, each.thing) for each in by_map] == [
        ("a/1 lacks pool. Also on this map: den, lair.", ("a/1",), "")
    ]


GAMES = {
    ("lethality", "depth", "encounter", "bot", "hp_lost"): """
        SELECT depth, encounter, bot, avg(hp_lost) FROM meetings WHERE met OR fought GROUP BY depth, encounter, bot""",
    ("survival", "depth", "bot", "killer"): """
        SELECT depth, bot, killer_tag FROM plays WHERE ending = 'death' GROUP BY depth, bot, killer_tag
        QUALIFY row_number() OVER (PARTITION BY depth, bot ORDER BY count(*) DESC, killer_tag) = 1""",
    ("survival", "depth", "bot", "survival"): """
        SELECT depth, bot, count(*) / 20.0 FROM visits GROUP BY depth, bot""",
    (
        "endings",
        "bot",
        "ending",
        "share",
    ): "SELECT bot, ending, count(*) / 20.0 FROM plays GROUP BY bot, ending",
    ("lethality", "depth", "encounter", "bot", "meetings"): """
        SELECT depth, encounter, bot, count(*) FROM meetings WHERE met OR fought GROUP BY depth, encounter, bot""",
    ("economy", "depth", "bot", "games"): "SELECT depth, bot, count(*) FROM visits GROUP BY depth, bot",
    ("economy", "depth", "bot", "gained"): "SELECT depth, bot, avg(gained) FROM visits GROUP BY depth, bot",
    ("economy", "depth", "bot", "used"): "SELECT depth, bot, avg(used) FROM visits GROUP BY depth, bot",
    ("economy", "depth", "bot", "charge"): "SELECT depth, bot, avg(charge) FROM visits GROUP BY depth, bot",
    ("economy", "depth", "bot", "charged"): "SELECT depth, bot, avg(charged) FROM visits GROUP BY depth, bot",
    ("economy", "depth", "bot", "spent"): "SELECT depth, bot, avg(spent) FROM visits GROUP BY depth, bot",
    ("visits", "map", "bot", "hp_lost"): "SELECT map, bot, avg(hp_lost) FROM visits GROUP BY map, bot",
    ("visits", "map", "bot", "pace"): """
        SELECT map, bot, median(turns / count) FROM visits JOIN events USING (seed, bot, game, map) WHERE kind = 'faced'
        GROUP BY map, bot""",
    ("items", "tag", "found"): "SELECT tag, sum(count) / 40.0 FROM events WHERE kind = 'gained' GROUP BY tag",
    ("items", "tag", "at_5"): """
        SELECT tag, sum(count) / (SELECT count(*) FROM visits WHERE depth = 5) FROM events
        WHERE kind = 'gained' AND depth = 5 GROUP BY tag""",
    ("deaths", "map", "y", "x", "times"): """
        SELECT map, y // 5 * 5, x // 5 * 5, count(*) FROM plays WHERE ending = 'death' GROUP BY 1, 2, 3""",
    ("killers", "map", "killer", "encounter", "times"): """
        SELECT map, killer_tag, killer, count(*) FROM plays WHERE ending = 'death' GROUP BY map, killer_tag, killer""",
    ("lethality", "depth", "encounter", "bot", "hp_total"): """
        SELECT depth, encounter, bot, sum(hp_lost) FROM meetings GROUP BY depth, encounter, bot""",
}


@pytest.fixture(scope="module")
def deadly(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    probe = Invented(harm=HARM, hp=25)
    return Sample(tmp_path_factory.mktemp("content"), tmp_path_factory.mktemp("run"), SIX_MAPS, probe)


@pytest.mark.parametrize("asked", GAMES, ids=lambda asked: f"{asked[0]}-{asked[-1]}")
def test_figures_of_games_equal_direct_sql(deadly: Sample, asked: tuple[str, ...]) -> None:
    name, *columns = asked
    recorded = {tuple(key): value for *key, value in deadly.ask(GAMES[asked])}
    told = {tuple(key): value for *key, value in deadly.sheet(name).values(*columns) if value}
    assert told == pytest.approx({key: value for key, value in recorded.items() if value})
    assert recorded


def test_robots_as_strong_as_their_threat_are_no_finding(deadly: Sample) -> None:
    assert {finding.kind for finding in deadly.report.findings} == {"nowhere", "trapped"}
    assert any(ending == "death" for (ending,) in deadly.sheet("endings").values("ending"))


def test_a_run_without_games_has_no_tables_about_games(deadly: Sample, tmp_path: Path) -> None:
    sound = Sample(tmp_path / "content", tmp_path / "run", {"maps/cellars.yaml": CELLARS}, worlds=range(1))
    assert OF_GAMES & {sheet.name for sheet in sound.report.sheets} == set()
    assert OF_GAMES.issubset(sheet.name for sheet in deadly.report.sheets)


def test_robots_have_their_attributes_beside_their_toll(played: Sample) -> None:
    columns = (
        "robot",
        "threat",
        "hp",
        "attack",
        "fought",
        "toll",
        "toll_low",
        "toll_high",
        "ratio",
        "fight_share",
        "placed",
    )
    told = {robot: rest for robot, *rest in played.sheet("robots").values(*columns)}
    threat, hp, attack, fought, toll, low, high, ratio, share, _ = told["hound"]
    assert (threat, hp, attack) == (2, 6, 2)
    assert told["clerk"][1:3] == [None, None]  # its entry has no data
    assert 6 < low < toll < high < 9  # from 0 to 15, alike often
    assert fought > 50
    assert ratio > 2.2
    assert share > 0.5
    assert sum(each[-2] for each in told.values()) == pytest.approx(1)
    placed = played.ask("SELECT tag, count(*) / 20.0 FROM spawns WHERE kind = 'robot' GROUP BY tag")
    assert {robot: each[-1] for robot, each in told.items()} == pytest.approx(dict(placed))


def test_rows_tell_what_is_missing_or_comes_before(deadly: Sample) -> None:
    given_up = [
        row for row in deadly.sheet("endings").values("bot", "ending", "games") if row[1] == "gave up"
    ]
    assert given_up == [("cautious", "gave up", 0), ("hasty", "gave up", 0)]
    before = {
        "cellars/1": None,
        "cellars/2": "cellars/1",
        "cellars/3": "cellars/2",
        "cellars/4": "cellars/3",
        "pit/5": None,
    }
    assert dict(deadly.sheet("stakes").values("map", "previous")) == before
    assert "fewer than two of their levels are missing: pit/5." in deadly.sheet("sameness").text
    assert "pit/5" not in dict(deadly.sheet("sameness").values("map", "pairs"))
    rows = deadly.sheet("lethality").values("encounter", "hp_total")
    of_each = [
        sum(lost for each, lost in rows if each == name) for name in dict.fromkeys(name for name, _ in rows)
    ]
    assert of_each == sorted(of_each, reverse=True)
    ((lost,),) = deadly.ask("SELECT sum(hp_lost) FROM visits")
    assert f"account for {sum(of_each) / lost:.0%} of all hit points" in deadly.sheet("lethality").text


def test_sentences_above_tables_name_the_extremes(played: Sample, deadly: Sample) -> None:
    assert "no game saw or met, though levels have them: store. " in played.sheet("lethality").text
    assert "games were given up: cellars/4 (40)." in played.sheet("endings").text
    assert played.sheet("frequency").text.endswith("Encounters that no level has: late.")
    query = "SELECT encounter, sum(hp_lost) FROM meetings GROUP BY encounter ORDER BY 2 DESC LIMIT 1"
    ((worst, lost),) = deadly.ask(query)
    assert (
        f"cost most over all games come first: {worst} ({lost:,} hit points),"
        in deadly.sheet("lethality").text
    )
    query = """
        SELECT map, median(turns / faced) FROM visits
        JOIN (SELECT seed, bot, game, map, sum(count) AS faced FROM events WHERE kind = 'faced' GROUP BY ALL) USING (seed, bot, game, map)
        GROUP BY map ORDER BY 2 DESC, 1
    """
    dullest = ", ".join(f"{name} ({pace:,.0f})" for name, pace in deadly.ask(query)[:3]) or "none"
    assert f"turns for each decision, in the median game there: {dullest}. " in deadly.sheet("visits").text
    query = (
        "SELECT map, sum(died)::INTEGER, count(*) FROM visits GROUP BY map HAVING count(*) >= 10 ORDER BY map"
    )
    deadliest, died, came = max(deadly.ask(query), key=lambda row: row[1] / row[2])
    assert f"10 or more reach them: {deadliest} ({died} of {came})" in deadly.sheet("visits").text
    query = "SELECT killer_tag, count(*) FROM plays WHERE ending = 'death' GROUP BY killer_tag ORDER BY 2 DESC, 1 LIMIT 1"
    ((killer, times),) = deadly.ask(query)
    assert f"most deaths are caused by {killer} ({times})" in deadly.sheet("killers").text
    known = {tag for (tag,) in deadly.ask("SELECT DISTINCT tag FROM events")}
    placed = {
        tag
        for (tag,) in deadly.ask(
            "SELECT DISTINCT tag FROM spawns SEMI JOIN visits USING (seed, map) WHERE base IN ('robot', 'trap', 'item')"
        )
    }
    unmet = sorted(placed - known)
    assert unmet
    assert (
        f"though they are on levels that games reached: {', '.join(unmet)}." in deadly.sheet("objects").text
    )
    assert "though levels have them: none. " in deadly.sheet("lethality").text
    assert "games were given up: none." in deadly.sheet("endings").text


def test_a_name_of_a_column_is_not_a_count_here_and_a_share_there(deadly: Sample) -> None:
    forms: dict[str, set[str]] = {}
    for sheet in deadly.report.sheets:
        names = [column.name for column in sheet.columns]
        assert len(names) == len({*names, "examples"}) - 1, sheet.name
        for column in sheet.columns:
            forms.setdefault(column.name, set()).add(column.form)
    assert [name for name, form in forms.items() if {"count", "share"} <= form] == []


def test_deaths_are_told_apart_by_cause(deadly: Sample, tmp_path: Path) -> None:
    run = copytree(deadly.out, tmp_path / "run")
    change(
        run,
        "UPDATE plays SET killer_tag = '', killer = '' WHERE ending = 'death' AND seed < 4",
        "UPDATE plays SET killer_tag = 'keg', killer = '' WHERE ending = 'death' AND seed = 4",
    )
    ((deaths, worn, kegs),) = rows(
        run,
        "SELECT count(*), count(*) FILTER (killer_tag = ''), count(*) FILTER (killer_tag = 'keg') FROM plays WHERE ending = 'death'",
    )
    assert min(worn, kegs) > 0
    sheet = next(each for each in report_on(run, deadly.content).sheets if each.name == "killers")
    assert (
        f"Of all {deaths} deaths, {deaths - worn - kegs} are by robots or traps, {worn} by lack of charge, and {kegs} by other"
        in sheet.text
    )
    assert {("lack of charge", ""), ("keg", "outside encounters")} <= set(sheet.values("killer", "encounter"))


def test_deaths_mark_what_killed_and_where(deadly: Sample) -> None:
    query = "SELECT seed, bot, killer_tag || ' ' || y || ',' || x FROM plays WHERE ending = 'death'"
    marks = {(seed, bot): mark for seed, bot, mark in deadly.ask(query)}
    for name in ("killers", "deaths"):
        spots = [spot for spots in deadly.sheet(name).shown for spot in spots]
        assert len(spots) > 5
        assert all(spot.mark == marks[spot.seed, spot.bot] for spot in spots)
        for spot in spots:
            boxes = deadly.report.sketches[spot.level].marks[spot.mark]
            killer, cell = spot.mark.split()
            assert f"{boxes[-1][0]},{boxes[-1][1]}" == cell
            query = f"SELECT count(*) FROM spawns WHERE seed = {spot.seed} AND map = '{spot.map}' AND tag = '{killer}'"
            assert [(len(boxes) - 1,)] == deadly.ask(query)


def test_shares_have_intervals(deadly: Sample) -> None:
    for came, games, low, high in deadly.sheet("survival").values(
        "reached", "games", "survival_low", "survival_high"
    ):
        assert (low, high) == pytest.approx(wilson(came, games))
    # By hand, for 8 of 10: (0.8 + 0.192) / 1.384 -+ 0.226.
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_the_usual_value_ignores_outliers_and_keeps_to_its_powers() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    square = x**2
    square[4] = 1000
    assert usual_power(x, square, np.array([2.0, 10.0])) == pytest.approx([4, 100])
    # Three robots of one threat and two of another, which cost less: that does not make a weak one cost more.
    threat, cost = np.array([4.0, 4.0, 4.0, 5.0, 5.0]), np.array([8.0, 8.0, 8.0, 2.0, 2.0])
    assert usual_power(threat, cost, np.array([2.0]), (1.0, 2.0)) == pytest.approx([4])
