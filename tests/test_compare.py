"""Comparing two runs: statistics against direct computation, values against SQL, and conditions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from changed_runs import change, rows
from content_files import SMALL, write_content

from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.compare import ConditionError, Pair, condition_in, trends_of
from dungeon.playtest.compare.comparison import RATE
from dungeon.playtest.compare.measures import MEASURES
from dungeon.playtest.statistics import (
    benjamini_hochberg,
    can_be_significant,
    least_p_value,
    p_value,
    point_biserial,
    standard_error,
    z_of_interval,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORLDS = range(24)

CONTENT = {
    "world.yaml": "start: cellars/1\nleads_to: {cellars/1: cellars/2, cellars/2: nook/3}\n",
    "maps/cellars.yaml": """\
        cellars:
          name: The Cellars
          size: 32x24
          layout: tunnels
          encounters: 2
          population: [{item: scrap, count: 1..3}]
        """,
    "maps/nook.yaml": "nook: {name: The Nook, size: 9x9, layout: {caves: {min_caves: 1}}}\n",
}
"""Two maps that are made, and one that can't be."""

MORE_SCRAP = {"maps/cellars.yaml": CONTENT["maps/cellars.yaml"].replace("1..3", "2..4")}


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Content before and after there was more scrap."""
    folder = tmp_path_factory.mktemp("contents")
    before = write_content(folder / "before", CONTENT)
    return before, write_content(folder / "after", CONTENT | MORE_SCRAP)


@pytest.fixture(scope="module")
def runs(contents: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of each; the second one has other worlds, too."""
    folder = tmp_path_factory.mktemp("runs")
    playtest.record(contents[0], WORLDS, out=folder / "a")
    playtest.record(contents[1], range(WORLDS.start, WORLDS.stop + 3), out=folder / "b")
    return folder / "a", folder / "b"


@pytest.fixture(scope="module")
def pair(runs: tuple[Path, Path]) -> Pair:
    return Pair(*runs)


# -- chance ----------------------------------------------------------------------------------------


def test_p_values_of_few_differences_go_through_all_sign_patterns() -> None:
    assert p_value(np.array([0.0, 0, 0])) == 1
    assert p_value(np.array([0.0, 2, 0, 2, 2, 2])) == 2 / 16
    differences = [3.0, -1, 2, 2, 0, 5, -2, 1]
    totals = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    assert p_value(np.array(differences)) == sum(each >= 10 for each in totals) / len(totals)


def test_p_values_of_many_differences_are_nearly_normal() -> None:
    rng = np.random.default_rng(5)
    differences = rng.normal(0.4, 1, 40)
    signs = rng.choice([1, -1], (100_000, 40))
    by_trial = (np.abs(signs @ differences) >= abs(differences.sum())).mean()
    assert p_value(differences) == pytest.approx(by_trial, rel=0.15)


def test_rates_are_those_of_benjamini_and_hochberg() -> None:
    chances = np.array([0.039, 0.001, 0.041, 0.008])
    assert benjamini_hochberg(chances).tolist() == pytest.approx([0.041, 0.004, 0.041, 0.016])
    assert benjamini_hochberg(np.array([])).tolist() == []


def test_questions_that_cannot_be_significant_are_left_out() -> None:
    # Of three worlds that differ the least chance is 1/4, of eight 1/128: only the last two can be told at 5%.
    least = np.array([least_p_value(np.ones(count)) for count in (0, 3, 3, 3, 8, 8)])
    assert least.tolist() == [1, 1 / 4, 1 / 4, 1 / 4, 1 / 128, 1 / 128]
    for count in (1, 5, 12, 13, 20):
        sizes = np.arange(1.0, count + 1)
        assert least_p_value(-sizes) == p_value(sizes)
    assert can_be_significant(least, 0.05).tolist() == [False] * 4 + [True] * 2
    # Of four such questions each has to do with a quarter of the rate, so that seven worlds are too few.
    assert can_be_significant(np.array([1 / 64] * 4), 0.05).tolist() == [False] * 4
    assert can_be_significant(np.array([1 / 128] * 4), 0.05).tolist() == [True] * 4
    assert can_be_significant(np.array([]), 0.05).tolist() == []


def test_false_alarms_are_rare() -> None:
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(400):
        worlds = rng.poisson(0.7, (2, 60, 100)).astype(float)
        rates = benjamini_hochberg(np.array([p_value(each) for each in worlds[1] - worlds[0]]))
        alarms += bool((rates <= RATE).any())
    assert alarms <= 8  # 2 %; at a rate of 5% there would be 13


def test_effects_lie_between_minus_one_and_one() -> None:
    same, more = np.full(5, 2.0), np.full(5, 3.0)
    assert [point_biserial(same, more), point_biserial(more, same), point_biserial(same, same)] == [1, -1, 0]
    assert point_biserial(np.array([0.0, 1]), np.array([0.0, 1, 1, 0]) + 0.1) == pytest.approx(0.1, abs=0.01)


def test_intervals_have_their_coverage() -> None:
    rng = np.random.default_rng(2)
    draws = rng.poisson(2, (2000, 80)) - 2.0
    held = np.mean([abs(each.mean()) <= z_of_interval(0.05) * standard_error(each) for each in draws])
    assert held == pytest.approx(0.95, abs=0.015)


# -- two runs --------------------------------------------------------------------------------------


def test_edited_things_come_first(pair: Pair) -> None:
    comparison = pair.compare()
    assert comparison.seeds == tuple(WORLDS)
    first = comparison.changes[0]
    assert (first.measure, first.thing, first.worlds) == ("objects", "scrap", len(WORLDS))
    assert first.rate <= 0.05
    assert (first.more, first.less) == (len(WORLDS), 0)
    assert {each.thing for each in comparison.all_changes} <= {"scrap", "item"}


def test_values_equal_direct_sql(pair: Pair, runs: tuple[Path, Path]) -> None:
    query = f"""
        SELECT avg(a) FROM (
            SELECT (SELECT count(*) FROM spawns AS s WHERE s.seed = l.seed AND tag = 'scrap' AND map LIKE 'cellars/%')
                / 2.0 AS a
            FROM (SELECT DISTINCT seed FROM levels WHERE seed < {WORLDS.stop}) AS l)"""
    wanted = [rows(run, query)[0][0] for run in runs]
    change = pair.ask(MEASURES["objects"], "cellars", "scrap")
    assert [change.before, change.after] == pytest.approx(wanted)
    assert change.difference == pytest.approx(wanted[1] - wanted[0])
    for seed in change.seeds:
        assert seed in WORLDS


def test_every_measure_can_be_asked_of_its_things(pair: Pair) -> None:
    for name, measure in MEASURES.items():
        for thing in pair.things(measure)[:1] if measure.has_things else [""]:
            change = pair.ask(measure, "everywhere", thing)
            assert change.worlds > 0, name
    assert pair.ask(MEASURES["levels"], "everywhere").after == 2
    assert pair.ask(MEASURES["failed"], "nook").after == 1
    assert pair.ask(MEASURES["failed"], "everywhere").after == pytest.approx(1 / 3)
    with pytest.raises(playtest.PlaytestError, match=r"no world has a value of retries\(nook\) in both runs"):
        pair.ask(MEASURES["retries"], "nook")


def test_equal_runs_have_no_changes(runs: tuple[Path, Path]) -> None:
    comparison = Pair(runs[0], runs[0]).compare()
    assert comparison.questions > 20
    assert comparison.all_changes == []


def test_runs_without_common_seeds_pair_worlds_in_order(
    contents: tuple[Path, Path], runs: tuple[Path, Path], tmp_path: Path
) -> None:
    for name, content in zip(("same", "more"), contents, strict=True):
        playtest.record(content, range(100, 124), out=tmp_path / name)
    same, more = (Pair(runs[0], tmp_path / each).compare() for each in ("same", "more"))
    assert (same.seeds, same.paired) == (tuple(range(100, 124)), False)
    assert same.all_changes == []
    assert (more.changes[0].measure, more.changes[0].thing) == ("objects", "scrap")
    playtest.record(contents[0], range(0), out=tmp_path / "none")
    with pytest.raises(playtest.PlaytestError, match=r"the run in .*none holds no world"):
        Pair(runs[0], tmp_path / "none")


# -- conditions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("objects(cellars, scrap) > +20%", True),
        ("objects(cellars, scrap) > +500%", False),
        ("objects(cellars, scrap) > +0.5", True),
        ("objects(cellars/1, scrap) < -1%", False),
        ("objects(everywhere,scrap)>=2", True),
        ("share(depth1, store) > +0%", False),
        ("share(depth1, store) <= 100%", True),
        ("levels@depth3 < 1", True),
        ("levels(everywhere) <= 1.5", False),
        ("failed@nook >= 100%", True),
    ],
)
def test_conditions_are_evaluated(pair: Pair, text: str, holds: bool) -> None:  # noqa: FBT001  # pytest names it
    assert condition_in(text, pair).holds is holds


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "a measure is missing"),
        ("shares(cellars, store) > 5%", 1, "'shares' is not a measure (did you mean share?)"),
        ("share cellars", 7, "'cellars' is not ( or @"),
        ("share(celars, store) > 5%", 7, "(did you mean cellars?)"),
        ("share(cellars, stor) > 5%", 16, "'stor' is not found in either run (did you mean store?)"),
        ("share(cellars) > 5%", 14, "')' is not a comma"),
        ("share(cellars, store > 5%", 22, "'>' is not )"),
        ("share(cellars, store) = 5%", 23, "'=' is not a comparison (did you mean >=?)"),
        ("share(cellars, store) >", 24, "a bound such as +5% is missing"),
        ("share(cellars, store) > five", 25, "'five' is not a bound such as +5%, 30% or 2.5"),
        ("levels@cellars > 5%", 18, "levels is not in percent"),
        ("levels@cellars > 5 ) ", 20, "')' is not expected here"),
    ],
)
def test_errors_of_conditions_name_the_column(pair: Pair, text: str, column: int, message: str) -> None:
    with pytest.raises(ConditionError, match=re.escape(message)) as raised:
        condition_in(text, pair)
    assert raised.value.column == column


def test_without_games_conditions_on_them_are_refused(pair: Pair) -> None:
    with pytest.raises(
        playtest.PlaytestError, match=r"deaths is measured on games, .* record them with --bots"
    ):
        condition_in("deaths@depth3 > +5%", pair)


# -- the command -----------------------------------------------------------------------------------


def test_two_contents_are_compared_and_a_condition_fails(
    contents: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sides = [*map(str, contents), "--worlds", "12", "--maps", "cellars/1", "--out", str(tmp_path)]
    assert main(["compare", *sides, "--fail-if", "objects(cellars, scrap) > +1%"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("12 worlds in both, ")
    assert re.search(
        r"^edited: map cellars, population: .* \(.*maps/cellars.yaml:\d+:\d+\)$", out, re.MULTILINE
    )
    assert re.search(r"^object scrap +objects +cellars/1 .* 0, 1, 2$", out, re.MULTILINE)
    assert "fails: objects(cellars, scrap) > +1%: " in err
    kept = ["compare", str(tmp_path / "a"), str(tmp_path / "b")]
    assert main([*kept, "--fail-if", "objects(cellars, scrap) < -1%"]) == 0
    assert capsys.readouterr().out == out
    assert main([*kept, "--fail-if", "objects(cellars, scrp) < -1%"]) == 2
    assert "--fail-if, column 18 of 'objects(cellars, scrp) < -1%': 'scrp'" in capsys.readouterr().err


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that commits files of the content folder ``data`` of a new repository, the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_DATE", "2026-10-01T12:00:00Z")

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(message: str, files: dict[str, str | None] | None, tag: str = "") -> str:
        if files is not None:
            write_content(tmp_path / "data", files)
        git("add", ".")
        git("commit", "--quiet", "--allow-empty", "--message", message)
        if tag:
            git("tag", tag)
        return git("rev-parse", "--short", "HEAD")

    git("init", "--quiet")
    return commit


FEW = ["--worlds", "12", "--maps", "cellars/1"]


def test_a_revision_is_compared_with_the_working_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], repository: Callable[..., str]
) -> None:
    repository("content", CONTENT)
    write_content(tmp_path / "data", CONTENT | MORE_SCRAP)
    assert main(["compare", "HEAD", *FEW, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["changes"][0]["thing"] == "scrap"
    assert found["changes"][0]["interval"][0] > 0
    assert main(["compare", "HEAD", "HEAD", *FEW, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == []
    assert main(["compare", "HAED", *FEW, "--json"]) == 2
    assert "HAED is neither a folder nor a revision of " in capsys.readouterr().err


def test_trends_have_a_line_for_each_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], repository: Callable[..., str]
) -> None:
    repository("too early", CONTENT)
    repository("first", CONTENT, "v1")
    repository("a commit that leaves the content as it is", None)
    broken = repository("broken", CONTENT | {"maps/nook.yaml": "nook: {name: 3, layout: attic}\n"})
    richer = repository("more scrap", CONTENT | MORE_SCRAP)
    again = repository("as before", CONTENT | {"maps/nook.yaml": CONTENT["maps/nook.yaml"] + "\n"})
    assert main(["compare", "--since", "v1", *FEW, "--out", "kept"]) == 0
    out = capsys.readouterr().out
    summary, left_out, _, *blocks = out.splitlines()
    assert re.fullmatch(r"3 versions, 12 worlds each: \d measures moved by more than chance .*", summary)
    assert left_out.startswith(f"left out: {broken}, whose content has errors: ")
    assert blocks[0] == "object scrap: objects, cellars/1"
    assert [re.split(" {2,}", line.strip()) for line in blocks[1:4]] == [
        ["v1", "2026-10-01", "1.917", "first"],
        [richer, "2026-10-01", "2.917", "+1 ±0", "more scrap"],
        [again, "2026-10-01", "1.917", "-1 ±0", "as before"],
    ]
    write_content(tmp_path / "data", CONTENT)
    assert main(["compare", "--since", richer, *FEW, "--out", "kept", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in told["versions"]] == [richer, again, "now"]
    assert told["trends"][0]["values"][1:] == pytest.approx([1 + 11 / 12] * 2)
    assert len([*(tmp_path / "kept").iterdir()]) == 3  # of "now", which changes, no run is kept


def test_trends_of_named_versions_in_other_forms(
    contents: tuple[Path, Path], runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [str(runs[0]), str(runs[1]), str(contents[0])]
    condition = ["--fail-if", "objects(cellars, scrap) > +1%"]
    assert main(["compare", *sides, "--worlds", "12", "--markdown", *condition]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert table[0] == "| what | measured | where | version | date | value | change | commit |"
    assert [line.split(" | ")[:4] for line in table[2:5]] == [
        ["| object scrap", "objects", "cellars", sides[0]],
        *(["| ", "", "", side] for side in sides[1:]),
    ]
    assert lines[-1].startswith("- passes: ")  # conditions compare the first version with the last


def test_small_steps_that_add_up_are_a_trend(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """Scrap is lost in four worlds at a time: too few to be more than chance, but twelve are not."""
    folders = [runs[0]]
    for step in range(3):
        folders.append(tmp_path / str(step))
        shutil.copytree(folders[-2], folders[-1])
        lost = f"tag = 'scrap' AND seed BETWEEN {4 * step} AND {4 * step + 3}"
        change(folders[-1], f"UPDATE spawns SET tag = 'lost' WHERE {lost}")
    found = trends_of(folders)
    assert [comparison.all_changes for comparison in found.comparisons] == [[], [], []]
    (lost_scrap,) = (trend for trend in found.trends if trend.most.thing == "scrap")
    assert lost_scrap.steps == [None] * 3
    assert lost_scrap.values == sorted(lost_scrap.values, reverse=True)
    assert len(set(lost_scrap.values)) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the versions to compare"),
        (["HEAD", "--since", "HEAD"], "--since already names the versions: what is 'HEAD'?"),
        (["--since", "HEAD"], "data has not changed since HEAD"),
        (["--since", "v9"], "v9 is neither a folder nor a revision of data"),
        (["--since=-x"], "-x is not the name of a git revision"),
    ],
)
def test_wrong_versions_are_refused(
    repository: Callable[..., str], capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    repository("content", CONTENT)
    assert main(["compare", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_table_is_written_in_markdown(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", *map(str, runs), "--markdown", "--fail-if", "objects(cellars, scrap) > +1%"]
    assert main(command) == 1
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert table[0].startswith("| what | measured | where |")
    assert "object scrap" in table[2]
    assert len({line.count("|") for line in table}) == 1
    assert lines[-1].startswith("- **fails**: `objects(cellars, scrap) > +1%`: ")


def test_wrong_content_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], runs: tuple[Path, Path]
) -> None:
    wrong = write_content(tmp_path, {"weights.yaml": SMALL["weights.yaml"].replace("10", "ten")})
    assert main(["compare", str(runs[0]), str(wrong)]) == 1
    assert "weights.yaml:" in capsys.readouterr().err
