"""Runs from elsewhere: nothing in them is imported or printed unescaped, and damage is reported in one line."""

from __future__ import annotations

import sys
from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from changed_runs import change, change_facts
from content_files import write_content
from damaged_runs import damage, is_read, judge

from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.compare import Pair, condition_in
from dungeon.playtest.recording.manifest import read_facts
from dungeon.playtest.report.report import report_on

if TYPE_CHECKING:
    from pathlib import Path

GAMES = playtest.Games(bots=("random",), game="demo", limit=30)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three worlds with a short game in each."""
    out = tmp_path_factory.mktemp("whole")
    playtest.record(write_content(tmp_path_factory.mktemp("content")), range(3), out=out, probe=GAMES)
    return out


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return copytree(whole, tmp_path / "run")


def commands(run: Path) -> list[list[str]]:
    return [
        ["report", str(run), "--text"],
        ["compare", str(run), str(run)],
        ["playtest", "--digest", "--out", str(run)],
    ]


# -- imports --------------------------------------------------------------------------------------


def test_modules_named_in_a_run_are_not_imported(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("hostile", "spiteful"):
        (here / f"{name}.py").write_text(f"open('{here}/ran-{name}', 'w').close()\n", encoding="utf-8")
    change_facts(
        run,
        arguments=read_facts(run).arguments + " --import hostile",
        games=" --bots spiteful:bot --game spiteful:start --games 1 --limit 9",
    )
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(here)
    for call in commands(run):
        assert main(call) == 0
        said = capsys.readouterr().err
        if call[0] == "report":
            assert said == (
                "dungeon: the run was made with --import hostile; without that option, the report lacks what the content declares\n"
            )
    assert sorted(path.name for path in here.iterdir()) == ["hostile.py", "spiteful.py"]
    assert not {"hostile", "spiteful"} & {*sys.modules}
    assert main(["report", str(run), "--text", "--import", "hostile"]) == 0
    assert (here / "ran-hostile").exists()
    assert capsys.readouterr().err == ""
    del sys.modules["hostile"]


# -- damage ---------------------------------------------------------------------------------------

FACTS = {
    "no JSON": (b"{", "it is not JSON"),
    "no UTF-8": (b"\xff", "it is not JSON"),
    "too deep": (b"[" * 100_000, "it is not JSON"),
    "a list": (b"[]", "it is damaged: it does not say what was recorded"),
    "half of them": (b'{"version": 5, "probe": "generation"}', "it is damaged: it does not say what was recorded"),
    "newer": ({"version": 99}, "it has tables of version 99, not 5 (a newer version of the library wrote it)"),
    "older": ({"version": 3}, "it has tables of version 3, not 5"),
    "a number": ({"content": 7}, "it is damaged: it does not say what was recorded"),
    "a command": ({"arguments": " --data x; ls"}, "it is damaged: ' --data x; ls' are not options of a run"),
    "half a quote": ({"arguments": ' --data "'}, "No closing quotation"),
}  # fmt: skip


@pytest.mark.parametrize("what", FACTS)
def test_every_command_reports_a_damaged_manifest_in_one_line(
    run: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    how, why = FACTS[what]
    if isinstance(how, bytes):
        (run / "run.json").write_bytes(how)
    else:
        change_facts(run, **how)
    for call in commands(run):
        assert main(call) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err == f"dungeon: {run / 'run.json'} cannot be read: {why}\n"


BROKEN = "spawns.parquet"
DAMAGE = {
    "a stranger": ("notes", b"", "'notes' in "),
    "a part from 7 to 2": ("7_2", b"", "'7_2' in "),
    "a part twice": ("0_0", b"", "have the seed 0"),
    "no worlds": ("0_2/worlds.parquet", b"", "worlds.parquet"),
    "damaged spawns": (f"0_2/{BROKEN}", b"PAR1 and no more PAR1", BROKEN),
    "no spawns": (f"0_2/{BROKEN}", None, BROKEN),
    "no level": ("DELETE FROM worlds WHERE seed = 1", "the part 0_2 does not hold the worlds 0 to 2"),
    "a word for a number": ("ALTER TABLE spawns ALTER y TYPE VARCHAR", f"{BROKEN}: the column 'y' has another type"),
    "no column": ("ALTER TABLE spawns DROP COLUMN y", ""),
    "another column": ("ALTER TABLE spawns RENAME COLUMN y TO z", f"{BROKEN}: the column 'z' has another type"),
    "too large": ("UPDATE spawns SET y = 1_000_000 WHERE n = 0", f"{BROKEN}: the column 'y' has another type or impossible values"),
    "no row": ("UPDATE spawns SET y = NULL WHERE n = 0", f"{BROKEN}: the column 'y' has another type or impossible values"),
    "half a level": ("UPDATE levels SET height = NULL", "it is damaged: levels has incomplete rows"),
    "no map": ("UPDATE levels SET map = '$(ls)' WHERE map = 'cellars/2'", "it is damaged: '$(ls)' is not a map id"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGE)
def test_every_command_reports_damaged_parts_in_one_line(
    whole: Path, run: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    *how, why = DAMAGE[what]
    change(run)
    if len(how) == 1:
        change(run, str(how[0]))
    else:
        path, data = run / "parts" / str(how[0]), how[1]
        path.unlink(missing_ok=True)
        if isinstance(data, bytes):
            path.write_bytes(data)
    for call in commands(run):
        assert main(call) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"dungeon: {run} cannot be read: ") or why in err
        assert str(why) in err
        assert err.count("\n") == 1


def test_damage_that_only_reading_finds_is_reported_in_one_line(run: Path) -> None:
    file = min(run.glob("parts/*/spawns.parquet"))
    data = file.read_bytes()
    refused = 0
    for at in range(4, 1004, 80):
        file.write_bytes(data[:at] + b"\xff" * 20 + data[at + 20 :])
        refused += not is_read(run)
    assert refused > 6


def test_a_part_with_other_worlds_than_its_name_says_is_damaged(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(run)
    (run / "parts" / "0_2").rename(run / "parts" / "0_3")
    for call in commands(run):
        assert main(call) == 2
        assert "the part 0_3 does not hold the worlds 0 to 3" in capsys.readouterr().err


def test_nothing_is_recorded_into_a_damaged_run(
    whole: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(run, "DELETE FROM worlds WHERE seed = 1")
    data = str(read_facts(whole).arguments.split()[1])
    bots = ["--bots", "random", "--game", "demo", "--limit", "30"]
    assert main(["playtest", data, "--worlds", "9", "--out", str(run), *bots]) == 2
    assert "it is damaged: the part 0_2 does not hold the worlds 0 to 2" in capsys.readouterr().err
    assert len(list((run / "parts").iterdir())) == 1


def test_control_characters_in_a_run_are_shown_escaped(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(
        run,
        "UPDATE placements SET encounter = chr(27) || '[31mred' WHERE encounter = 'store'",
        "DELETE FROM visits WHERE seed = 0",
        "DELETE FROM meetings WHERE seed = 0",
        "UPDATE plays SET actions = NULL, turns = NULL, depth = NULL, y = NULL, x = NULL, "
        "error = 'Oops: ' || chr(27) || ']0;title' || chr(7) WHERE seed = 0",
    )
    for call in commands(run):
        assert main(call) == 0
        said = "".join(capsys.readouterr())
        assert said.replace("\n", "").isprintable()
        if call[0] == "report":
            assert "\\x1b[31mred" in said
            assert "Oops: \\x1b]0;title\\x07" in said


@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_is_damaged_at_random_is_read_or_refused(whole: Path, tmp_path: Path, seed: int) -> None:
    """Many more are in tests/fuzzing/fuzz_runs.py."""
    damage(whole, tmp_path / "run", seed)
    judge(tmp_path / "run", whole)


def test_a_folder_without_a_manifest_is_no_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "run.json").unlink()
    for is_folder in (False, True):
        if is_folder:
            (run / "run.json").mkdir()
        for call in (commands(run)[0], *commands(run)[2:]):
            assert main(call) == 2
            said = f"dungeon: there is no run in {run}: {run / 'run.json'} is missing\n"
            assert capsys.readouterr().err == said


# -- games ----------------------------------------------------------------------------------------

FAULTY = """
def start(world, seed=0, *, make=None):
    raise KeyError("no hero")
"""


def test_failed_games_are_listed_with_a_command_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty_game.py").write_text(FAULTY, encoding="utf-8")
    data, run = write_content(tmp_path / "content"), tmp_path / "run"
    bots = [
        "--import",
        "faulty_game",
        "--bots",
        "hasty,random",
        "--game",
        "faulty_game:start",
        "--games",
        "2",
    ]
    assert main(["playtest", str(data), "--worlds", "3", "--out", str(run), *bots]) == 0
    (failed, *_) = report_on(run).findings
    command = (
        "dungeon playtest --worlds 1 --seed 0 --out world0 --bots hasty,random --game faulty_game:start --games 2 "
        f"--limit 20000 --data {data} --import faulty_game"
    )
    said = "12 of 12 games could not be played, in 3 of 3 worlds: KeyError: 'no hero' (start, faulty_game.py, line 3; called by "
    assert failed.text.startswith(said)
    assert failed.command == command
    assert failed.harm == 1
    del sys.modules["faulty_game"]
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(tmp_path)])
    capsys.readouterr()
    assert main(command.split()[1:]) == 0
    assert "4 games failed" in capsys.readouterr().out
    del sys.modules["faulty_game"]


WORLD = "start: cellars/1\nleads_to: {cellars/1: [cellars/2, cellars/3], cellars/2: [cellars/3]}\n"


def test_survival_counts_games_that_reached_the_depth_or_a_deeper_one(tmp_path: Path) -> None:
    """Of three games one stays at depth 1, one goes on to 2, and one leads around that to 3.

    depth 1   A B C     3 of 3
    depth 2     B .     2 of 3: C is deeper
    depth 3       C     1 of 3
    """
    run = tmp_path / "run"
    playtest.record(
        write_content(tmp_path / "content", {"world.yaml": WORLD}), range(3), out=run, probe=GAMES
    )
    visits = [
        f"INSERT INTO visits SELECT {seed}, 'random', 0, {n}, map, type, depth, {n}, 1, 9, 0, 0, 0, 0, 0, 0, 0 "
        f"FROM levels WHERE seed = {seed} AND depth = {depth}"
        for seed, depths in enumerate(([1], [1, 2], [1, 3]))
        for n, depth in enumerate(depths)
    ]
    change(run, "DELETE FROM visits", "DELETE FROM meetings", *visits)
    shares = {1: 1, 2: 2 / 3, 3: 1 / 3}
    (sheet,) = (each for each in report_on(run).sheets if each.name == "survival")
    assert dict(sheet.values("depth", "survival")) == pytest.approx(shares)
    pair = Pair(run, run)
    compared = {depth: condition_in(f"survival@{depth} > 0%", pair).change.after for depth in shares}
    assert compared == pytest.approx(shares)
