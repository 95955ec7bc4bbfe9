"""Tuning: changing values in YAML, the search for a value, and that the predicted effect is real."""

from __future__ import annotations

import random
import re
import tempfile
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from changed_runs import rows
from content_files import write_content

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.compare import ConditionError
from dungeon.playtest.compare.measures import MEASURES
from dungeon.playtest.tuning.choosing import KnobChooser
from dungeon.playtest.tuning.goal import Goal, IntervalEstimate, Texts, Trial, effect_of, estimate_of, goal_in
from dungeon.playtest.tuning.knobs import (
    FINE,
    Knob,
    Setting,
    UnsettableError,
    knobs_in,
    scalar_at,
    with_value,
)
from dungeon.playtest.tuning.search import Search
from dungeon.playtest.tuning.tune import best_trials

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ENCOUNTERS = """\
# Rooms, and what they are for.
store:
  category: reward
  prefabs: store
  maps: {cellars: common} # wherever there is space
  limit: {map: 1}

den: {category: danger, prefabs: store, maps: {cellars: common}, limit: {map: 1}}
"""

CONTENT = {
    "encounters/rooms.yaml": ENCOUNTERS,
    "maps/cellars.yaml": "cellars: {name: The Cellars, size: 30x20, layout: tunnels, encounters: 1}\n",
}

WORLDS = 12


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_content(tmp_path_factory.mktemp("content"), CONTENT)


@pytest.fixture(scope="module")
def content(data: Path) -> dungeon.Content:
    return dungeon.load_content(data)


# -- how a change is written -----------------------------------------------------------------------

TEXT = """\
# a comment
one:
  maps: {foundry: common, "mere": 3} # why
  # more is below
  limit: {map: 1}

two: # another
  depth: 2.. # so deep
  text: |
    maps: of words
    depth: none

# the end
three: {k: &x 3, j: *x}
"""


@pytest.mark.parametrize(
    ("path", "value", "before", "after"),
    [
        (("one", "maps", "foundry"), "2.5", "{foundry: common, ", "{foundry: 2.5, "),
        (("one", "maps", "mere"), "rare", '"mere": 3}', '"mere": rare}'),
        (("two", "depth"), "4..", "depth: 2.. #", "depth: 4.. #"),
        (("one", "limit", "world"), "2", "{map: 1}", "{map: 1, world: 2}"),
        (("one", "depth"), "3..", "  limit: {map: 1}\n", "  limit: {map: 1}\n  depth: 3..\n"),
        (("two", "limit", "map"), "1", "depth: none\n", "depth: none\n  limit: {map: 1}\n"),
        (("three", "a", "b"), "1", "&x 3, ", "&x 3, a: {b: 1}, "),
    ],
)
def test_only_the_value_is_replaced(path: tuple[str, ...], value: str, before: str, after: str) -> None:
    assert TEXT.count(before) == 1
    changed = with_value(TEXT, path, value)
    assert changed == TEXT.replace(before, after)
    assert scalar_at(changed, path) == value


def test_line_ends_are_kept_and_a_last_line_gets_one() -> None:
    assert with_value("a:\r\n  b: 1\r\n", ("a", "c"), "2") == "a:\r\n  b: 1\r\n  c: 2\r\n"
    assert with_value("a:\n  b: 1", ("a", "c"), "2") == "a:\n  b: 1\n  c: 2\n"


@pytest.mark.parametrize("path", [("three", "k"), ("three", "j"), ("one", "maps"), ("two", "depth", "from")])
def test_aliases_and_values_that_are_no_scalars_are_left_alone(path: tuple[str, ...]) -> None:
    with pytest.raises(UnsettableError):
        with_value(TEXT, path, "1")


# -- numbers ---------------------------------------------------------------------------------------

WORDS = {"rare": 1.0, "uncommon": 4.0, "common": 10.0}


def test_numbers_keep_the_authors_notation() -> None:
    def written(raw: str, value: float, *path: str) -> list[str]:
        return [knob.written(value) for knob in knobs_in("a.yaml", path, raw, WORDS)]

    assert written("common", 4, "store", "maps", "cellars") == ["uncommon"]
    assert written("common", 2.5, "store", "maps", "cellars") == ["2.5"]
    assert written("10", 4, "store", "maps", "cellars") == ["4"]
    assert written("10..12", 7, "cellars", "encounters") == ["7..9"]
    assert written("2..5", 3, "store", "depth") == ["3..5", "2..3"]
    assert written("2..", 4, "store", "depth") == ["4.."]
    assert written("30%", 45, "drift", "chance") == ["45%"]
    assert written("far", 3, "drift", "chance") == written("true", 3, "store", "guaranteed") == []


def test_the_roundest_number_is_chosen_then_the_nearest() -> None:
    (weight,) = knobs_in("a.yaml", ("store", "maps", "cellars"), "10", WORDS)
    (word,) = knobs_in("a.yaml", ("store", "maps", "cellars"), "common", WORDS)
    assert weight.roundest(7.7, 4.2) == 5
    assert weight.roundest(3.8, 3.1) == 3.5
    assert word.roundest(7.7, 3.9) == 4
    assert weight.roundest(9.3, 6.9) == 8
    assert weight.roundest(0.34, 0.27) == 0.3
    assert weight.between(3.1, 3.2) is None
    assert weight.between(3, 4) == (3.1, 3.9)


PEERS = """\
den: {category: danger, prefabs: store, maps: {cellars: {by_depth: {1: 5, 2: 30}}}, limit: {map: 3}}
shop: {category: fluff, prefabs: store, maps: {cellars: 0.8, caves: 4}, limit: {map: 2}, depth: 1..9}
"""


def test_numbers_stay_near_to_those_of_the_content(tmp_path: Path) -> None:
    """A weight may be half the smallest weight of any map, or twice the largest; a depth is one of the world."""
    robots = """\
        rat: {name: rat, glyph: r, data: {hp: 2, attack: 1}}
        ogre: {name: ogre, glyph: o, data: {hp: 20, attack: 4}}
        troll: {name: troll, glyph: t, data: {hp: 30, attack: 5}}
        """
    files = {
        "weights.yaml": "rare: 1\ncommon: 10\n",
        "encounters/rooms.yaml": PEERS,
        "objects/robots.yaml": robots,
        "maps/caves.yaml": "caves: {name: Caves, layout: caves, encounters: 4..6, population: [{robot: rat, count: 9}]}\n",
    }
    data = write_content(tmp_path, CONTENT | files)
    content = dungeon.load_content(data)
    chooser = KnobChooser(content, Texts(data))

    def ends(name: str) -> list[tuple[float, float]]:
        return [(knob.least, knob.most) for knob in chooser.named(name)]

    assert ends("shop.maps.cellars") == ends("shop.maps.caves") == [(0.4, 60)]
    assert ends("den.maps.cellars") == [(0.4, 60), (0.4, 60)]
    assert ends("den.limit.map") == [(1, 6)]
    assert ends("caves.encounters") == [(1, 8)], "one map has 1 encounter, one has 4 or more"
    assert ends("caves.population.0.count") == [(5, 18)]
    assert ends("shop.depth") == [(1, 2), (1, 9)], "the world has two depths; the present value stays allowed"
    assert ends("shop.maps.caves=1..200") == [(1, 200)]
    base = Trial(settings=(), run=tmp_path, estimate=estimate_of(np.zeros(2), is_share=True))
    goal = goal_in("share(cellars, den) > 90%", content)
    assert [(knob.name, knob.least, knob.most) for knob in chooser.for_goal(goal, base)][-2:] == [
        ("den.depth (from)", 1, 2),
        ("cellars.encounters", 1, 8),
    ]
    goal = goal_in("deaths_by(everywhere, rat) > 1%", content, ("hasty",))
    assert [(knob.name, knob.least, knob.most) for knob in chooser.for_goal(goal, base)] == [
        ("rat.data.attack", 1, 4),
        ("rat.data.hp", 1, 8),
    ]
    goal = goal_in("deaths_by(everywhere, troll) > 1%", content, ("hasty",))
    assert [knob.most for knob in chooser.for_goal(goal, base)] == [10, 60], (
        "no more than twice the strongest"
    )


def test_intervals_of_shares_are_wilson_s() -> None:
    found = estimate_of(np.array([1.0] * 10 + [0.0] * 40 + [np.nan]), is_share=True)
    assert (found.value, found.worlds) == (0.2, 50)
    assert (round(found.low, 4), round(found.high, 4)) == (0.1124, 0.3304)  # as tables have it
    none = estimate_of(np.zeros(50), is_share=True)
    assert none.low == pytest.approx(0, abs=1e-12)
    assert 0.05 < none.high < 0.08


# -- goals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("share(cellars, store) = 5%", 0.03, 0.07),
        ("share(cellars, store) = 50%", 0.45, 0.55),
        ("share(cellars, store) = 5% ±1%", 0.04, 0.06),
        ("share@cellars/1, store = 5%+-1%", 0.04, 0.06),
        ("count(cellars, den) = .5", 0.45, 0.55),
        ("copies(cellars, den) >= 2", 2, inf),
        ("share@depth1, den < 10%", -inf, 0.1),
        ("survival@2 between 40% and 60%", 0.4, 0.6),
        ("win(hasty) > 20%", 0.2, inf),
    ],
)
def test_goals_give_the_accepted_range(content: dungeon.Content, text: str, low: float, high: float) -> None:
    goal = goal_in(text, content, ("hasty",))
    assert (goal.low, goal.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("shares(cellars, store) = 5%", 1, "'shares' is not a measure (did you mean share?)"),
        ("share(cellar, store) = 5%", 7, "(did you mean cellars?)"),
        ("share(cellars, stor) = 5%", 16, "'stor' is not in the content (did you mean store?)"),
        ("share(cellars, store) 5%", 23, "'5%' is not a comparison (there are =, between, <, <=, >, >=)"),
        ("share(cellars, store) = five", 25, "'five' is not a number such as 5% or 2.5"),
        ("share(cellars, store) = 5% or so", 28, "'or' is not a tolerance such as ±1%"),
        ("share(cellars, store) between 5% or 6%", 34, "'or' is not and"),
        ("share(cellars, store) between 6% and 5%", 38, "'5%' is not more than the number before it"),
        ("copies(cellars, store) = 5%", 26, "copies is not in percent"),
        ("win(greed) > 5%", 5, "'greed' is not a map"),
    ],
)
def test_errors_of_goals_name_the_column(
    content: dungeon.Content, text: str, column: int, message: str
) -> None:
    with pytest.raises(ConditionError, match=re.escape(message)) as raised:
        goal_in(text, content, ("hasty", "greedy"))
    assert raised.value.column == column


# -- what may change -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "share(cellars, store) = 5%",
            "store.maps.cellars store.limit.map store.depth(from) cellars.encounters",
        ),
        ("count(cellars/2, den) > .5", "den.maps.cellars den.limit.map cellars.encounters"),
        ("category(cellars, danger) > 1", "den.maps.cellars cellars.encounters"),
        ("prefab(cellars, store) > 1", "store.maps.cellars den.maps.cellars cellars.encounters"),
        ("objects(cellars, scrap) > 1", ""),
        ("deaths_by(everywhere, sweeper) > 1%", "sweeper.data.attack sweeper.data.hp"),
    ],
)
def test_knobs_fit_the_goal(tmp_path: Path, text: str, names: str) -> None:
    robots = {
        "objects/robots.yaml": "sweeper: {name: sweeper, glyph: s, data: {hp: 4, attack: 2, sight: 5}}\n"
    }
    data = write_content(tmp_path, CONTENT | robots)
    content, texts = dungeon.load_content(data), Texts(data)
    base = Trial(settings=(), run=tmp_path, estimate=estimate_of(np.zeros(2), is_share=True))
    knobs = KnobChooser(content, texts).for_goal(goal_in(text, content, ("hasty",)), base)
    assert [knob.name.replace(" ", "") for knob in knobs] == names.split()
    assert [knob.tier for knob in knobs] == sorted(knob.tier for knob in knobs)


def test_values_shared_by_an_alias_are_no_knobs(tmp_path: Path) -> None:
    shared = ENCOUNTERS.replace("{map: 1}\n", "&one {map: 1}\n").replace("limit: {map: 1}}", "limit: *one}")
    data = write_content(tmp_path, CONTENT | {"encounters/rooms.yaml": shared})
    content = dungeon.load_content(data)
    base = Trial(settings=(), run=tmp_path, estimate=estimate_of(np.zeros(2), is_share=True))
    knobs = KnobChooser(content, Texts(data)).for_goal(goal_in("share(cellars/1, den) < 5%", content), base)
    assert [knob.name for knob in knobs] == ["den.maps.cellars", "cellars.encounters"]


def test_a_weight_by_depth_has_a_knob_for_each_depth(tmp_path: Path) -> None:
    by_depth = ENCOUNTERS.replace("{cellars: common} #", "{cellars: {by_depth: {1: rare, 2: 5}}} #")
    data = write_content(tmp_path, CONTENT | {"encounters/rooms.yaml": by_depth})
    knobs = KnobChooser(dungeon.load_content(data), Texts(data)).named("store.maps.cellars")
    assert [(knob.name, knob.now) for knob in knobs] == [
        ("store.maps.cellars.by_depth.1", 1),
        ("store.maps.cellars.by_depth.2", 5),
    ]


# -- the search ------------------------------------------------------------------------------------


class Dice:
    """A bench without levels: in each world something is there if its luck is below a share that grows with a knob."""

    def __init__(self, share: Callable[[float], float], low: float, high: float) -> None:
        self.share = share
        self.goal = Goal(text="", measure=MEASURES["share"], scope="", thing="", low=low, high=high)
        self.luck = np.array([random.Random(world).random() for world in range(1000)])
        self.made = 0

    def measure(self, settings: tuple[Setting, ...], worlds: int) -> Trial:
        self.made += worlds
        there = self._there(settings, worlds)
        return Trial(settings=settings, run=Path(), estimate=estimate_of(there, is_share=True))

    def effect(self, one: Trial, other: Trial) -> IntervalEstimate:
        worlds = min(one.estimate.worlds, other.estimate.worlds)
        return effect_of(self._there(other.settings, worlds), self._there(one.settings, worlds))

    def _there(self, settings: tuple[Setting, ...], worlds: int) -> NDArray[np.float64]:
        value = settings[-1].value if settings else 10
        return (self.luck[:worlds] < self.share(value)).astype(float)


@pytest.mark.parametrize(
    ("low", "high"), [(0.1, 0.2), (0.2, 0.3), (-inf, 0.05), (0.7, inf), (0.55, 0.65), (0.01, 0.05)]
)
def test_the_smallest_safe_change_is_found(low: float, high: float) -> None:
    dice = Dice(lambda weight: weight / (weight + 15), low, high)
    knob = Knob(place="a.yaml", path=("weight",), now=10, least=FINE, most=1000, grain=FINE)
    start = dice.measure((), 125)
    search = Search(bench=dice, fewest=125, most=1000, knob=knob, fixed=(), start=start)
    assert search.probe() < inf
    found = search.run()
    assert dice.goal.holds(found.estimate)
    (setting,) = found.settings
    # Half as large a change would not do, nor is the number as written longer than two digits.
    half = 10 * (setting.value / 10) ** 0.5
    assert not dice.goal.holds(dice.measure((Setting(knob, half),), 1000).estimate)
    assert len(setting.written.replace(".", "").strip("0")) <= 2
    assert dice.made < 16_000


def test_a_knob_that_does_too_little_is_tried_once() -> None:
    dice = Dice(lambda weight: 0.4 * weight / (weight + 15), 0.6, 0.7)
    knob = Knob(place="a.yaml", path=("weight",), now=10, least=FINE, most=1000, grain=FINE)
    search = Search(bench=dice, fewest=100, most=400, knob=knob, fixed=(), start=dice.measure((), 100))
    assert search.probe() == inf
    assert [*search.tried] == [1000]
    assert search.best is search.tried[1000], "it comes nearest"
    assert search.has_effect
    idle = Dice(lambda _: 0.4, 0.6, 0.7)
    search = Search(bench=idle, fewest=100, most=400, knob=knob, fixed=(), start=idle.measure((), 100))
    assert search.probe() == inf
    assert not search.has_effect
    assert idle.made == 200


def test_of_changes_that_do_the_same_the_smallest_is_taken() -> None:
    """From 12 on, more changes nothing: a limit that nothing reaches."""
    dice = Dice(lambda weight: 0.4 if weight < 12 else 0.55, 0.5, 0.6)
    knob = Knob(place="a.yaml", path=("limit",), now=10, least=1, most=40)
    search = Search(bench=dice, fewest=100, most=400, knob=knob, fixed=(), start=dice.measure((), 100))
    assert search.probe() < inf
    (setting,) = search.run().settings
    assert setting.value == 12
    assert dice.made < 6_000


def test_the_second_best_change_is_of_another_number() -> None:
    """Two numbers can reach the goal, one can't; the one that must change least comes first."""
    knobs = [
        Knob(place="a.yaml", path=(name,), now=10, least=FINE, most=100, grain=FINE)
        for name in ("idle", "weak", "strong")
    ]
    dice = Dice(lambda weight: weight / (weight + 15), 0.55, 0.7)
    strong = Dice(lambda weight: weight**2 / (weight**2 + 150), 0.55, 0.7)
    idle = Dice(lambda _: 0.4, 0.55, 0.7)

    class Benches(Dice):
        def _there(self, settings: tuple[Setting, ...], worlds: int) -> NDArray[np.float64]:
            name = settings[-1].knob.name if settings else "idle"
            bench = {"idle": idle, "weak": dice, "strong": strong}[name]
            return bench._there(settings, worlds)

    bench = Benches(lambda _: 0, 0.55, 0.7)
    base = bench.measure((), 125)
    best, second = best_trials(bench, knobs, base, 125, 1000)
    assert [each.knob.name for each in best.settings] == ["strong"]
    assert second is not None
    assert [each.knob.name for each in second.settings] == ["weak"]
    assert bench.goal.has(best.estimate)
    assert bench.goal.has(second.estimate)
    assert best.settings[0].value < second.settings[0].value
    assert not any(each.made for each in (dice, strong, idle))
    far = Benches(lambda _: 0, 0.97, inf)
    best, second = best_trials(far, knobs[:1], base, 125, 1000)
    assert (best, second) == (base, None), "what does nothing is no change at all"


# -- the whole -------------------------------------------------------------------------------------

GOAL = "share(cellars, store) between 5% and 45%"


@pytest.fixture(scope="module")
def tuned(data: Path) -> playtest.Tuned:
    return playtest.tune(data, GOAL, worlds=WORLDS)


def test_a_goal_is_reached_by_one_change_that_is_written_only_if_asked(
    tuned: playtest.Tuned, data: Path, tmp_path: Path
) -> None:
    assert tuned.is_reached
    (setting,) = tuned.settings
    assert setting.knob.name == "store.maps.cellars"
    old, new = "  maps: {cellars: common} #", f"  maps: {{cellars: {setting.written}}} #"
    removed, added = (
        [line for line in tuned.diff.splitlines() if re.match(rf"\{sign}[^{sign}]", line)] for sign in "-+"
    )
    assert (removed, added) == ([f"-{old} wherever there is space"], [f"+{new} wherever there is space"])
    assert (data / "encounters/rooms.yaml").read_text("utf-8") == ENCOUNTERS
    # What it predicts is what is so in the fresh worlds, once the change has been made.
    after = write_content(
        tmp_path / "after", CONTENT | {"encounters/rooms.yaml": ENCOUNTERS.replace(old, new)}
    )
    fresh = range(WORLDS, 2 * WORLDS)
    playtest.record(after, fresh, out=tmp_path / "run", maps=["cellars"])
    query = "SELECT count(DISTINCT seed || map) FROM placements WHERE encounter = 'store'"
    ((levels,),) = rows(tmp_path / "run", query)
    ((all_levels,),) = rows(tmp_path / "run", "SELECT count(*) FROM levels")
    assert tuned.verified.worlds == len(fresh)
    assert tuned.verified.value == pytest.approx(levels / all_levels)


def test_the_command_writes_it_and_leaves_nothing_behind(
    tuned: playtest.Tuned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_content(tmp_path / "content", CONTENT)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    files = sorted(data.rglob("*"))
    assert main(["tune", GOAL, str(data), "--worlds", str(WORLDS), "--write"]) == 0
    out = capsys.readouterr().out
    (setting,) = tuned.settings  # the same for the same seeds, wherever the content lies
    text = ENCOUNTERS.replace("{cellars: common} #", f"{{cellars: {setting.written}}} #")
    assert (data / "encounters/rooms.yaml").read_text("utf-8") == text
    assert f"verified  {tuned.goal.told(tuned.verified)} in {WORLDS} other worlds" in out
    assert sorted(data.rglob("*")) == files
    assert not list((tmp_path / "temporary").iterdir())


def test_files_that_changed_meanwhile_are_not_overwritten(tuned: playtest.Tuned, data: Path) -> None:
    file = data / "encounters/rooms.yaml"
    file.write_text(ENCOUNTERS + "# new\n", "utf-8")
    try:
        with pytest.raises(playtest.PlaytestError, match="has changed since it was read"):
            tuned.write()
        assert file.read_text("utf-8") == ENCOUNTERS + "# new\n"
    finally:
        file.write_text(ENCOUNTERS, "utf-8")


def test_an_unreachable_goal_is_reported(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tune", "count(cellars, den) > 3", str(data), "--worlds", "8", "--of", "den.limit.map"]
    assert main([*command, "--write"]) == 1
    out = capsys.readouterr().out
    assert "not reached; no change comes nearer" in out
    assert "tried     den.limit.map" in out
    assert (data / "encounters/rooms.yaml").read_text("utf-8") == ENCOUNTERS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["count(cellars, dem) > 3"], "column 16 of 'count(cellars, dem) > 3': 'dem' is not in the content"),
        (["win(hasty) > 3%"], "win is measured on games: name the bots with --bots"),
        (["count(cellars, den) > 3", "--of", "dem.maps"], "there is no entry 'dem'"),
        (["count(cellars, den) > 3", "--of", "den.category"], "den.category is not a number"),
        (["metric(cellars, loops) > 30"], "no number is known to affect"),
    ],
)
def test_wrong_calls_are_reported(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["tune", *arguments, "--data", str(data), "--worlds", "2"]) == 2
    assert message in capsys.readouterr().err


def test_robots_are_made_weaker_until_enough_games_get_through(tmp_path: Path) -> None:
    robots = "sweeper: {name: sweeper, glyph: s, class: worker, depth: 1, data: {attack: 3}} # it sweeps\n"
    files = {
        "world.yaml": "start: cellars/1\nleads_to: {cellars/1: cellars/2, cellars/2: cellars/3}\n",
        "objects/robots.yaml": robots,
        "maps/cellars.yaml": "cellars: {name: The Cellars, size: 20x16, layout: caves, population: [{robot: sweeper, count: 2}]}\n",
    }
    data = write_content(tmp_path, {**CONTENT, **files})
    games = playtest.Games(bots=("random",), game="gauntlet:start")
    tuned = playtest.tune(data, "survival@3 > 50%", worlds=12, games=games)
    assert tuned.before.value < 0.5 < tuned.after.value
    (setting,) = tuned.settings
    assert setting.knob.name == "sweeper.data.attack"
    assert f"+{robots.replace('attack: 3', f'attack: {setting.written}')}" in tuned.diff
    assert tuned.verified.value > 0.5
    hurried = playtest.Games(bots=("random",), game="gauntlet:start", limit=1)
    for goal, why in (
        (
            "survival@3 > 50%",
            "11 of 12 games end before depth3, but not by a death (gave up: 11), so at most 8% come there",
        ),
        ("deaths@3 < 10%", "none of 12 games comes to depth3; the deepest end at depth 2"),
    ):
        message = re.escape(f"{goal!r} is out of reach: {why}")
        with pytest.raises(playtest.PlaytestError, match=message):
            playtest.tune(data, goal, worlds=12, games=hurried)
    with pytest.raises(playtest.PlaytestError, match="has no value in 12 worlds"):
        playtest.tune(data, "toll(everywhere, den) < 1", worlds=12, games=hurried)
