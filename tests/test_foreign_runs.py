"""Runs from elsewhere: nothing in them is imported or printed unescaped, and damage is reported in one line."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from content_files import write_content
from damaged_runs import FILE, damage, judge

from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.compare import Pair, condition_in
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


def change(run: Path, *statements: str) -> None:
    with closing(sqlite3.connect(run / FILE)) as database, database:
        for statement in statements:
            database.execute(statement)


def commands(run: Path) -> list[list[str]]:
    return [
        ["report", str(run), "--text"],
        ["compare", str(run), str(run)],
        ["playtest", "--digest", "--out", str(run)],
        ["playtest", "--parquet", "--out", str(run)],
    ]


# -- imports --------------------------------------------------------------------------------------


def test_modules_named_in_a_run_are_not_imported(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("hostile", "spiteful"):
        (here / f"{name}.py").write_text(f"open('{here}/ran-{name}', 'w').close()\n", encoding="utf-8")
    change(
        run,
        "UPDATE run SET arguments = arguments || ' --import hostile'",
        "UPDATE run SET games = ' --bots spiteful:bot --game spiteful:start --games 1 --limit 9'",
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

DAMAGE = {
    "no database": (b"a poem, and no database", "file is not a database"),
    "empty": (b"", "it holds no run, or only the beginning of one"),
    "other tables": ("DROP TABLE run", "it holds no run, or only the beginning of one"),
    "newer": ("UPDATE run SET version = 99", "it has tables of version 99, not 4 (a newer version of the library wrote it)"),
    "older": ("UPDATE run SET version = 1", "it has tables of version 1, not 4"),
    "no facts": ("DELETE FROM run", "it is damaged: it does not say what was recorded"),
    "no table": ("DROP TABLE spawn", "it is damaged: its table 'spawn' is missing"),
    "no column": ("ALTER TABLE run DROP COLUMN probe", "it is damaged: its table 'run' has a different structure"),
    "no name": ("DELETE FROM name WHERE id = 1", "it is damaged: names are missing"),
    "no level": ("DELETE FROM level WHERE id = 0", "it is damaged: the table 'level' has impossible values"),
    "no world": ("DELETE FROM world WHERE seed = 1", "it is damaged: the table 'level' has rows without a world"),
    "no spawn": ("DELETE FROM spawn WHERE n = 0", "it is damaged: the table 'spawn' has missing rows"),
    "a word for a number": ("UPDATE spawn SET y = 'a'", "it is damaged: the table 'spawn' has impossible values"),
    "too large": ("UPDATE level SET depth = 9e9", "it is damaged: the table 'level' has impossible values"),
    "half a level": ("UPDATE level SET height = NULL", "it is damaged: the table 'level' has incomplete rows"),
    "no map": ("UPDATE name SET text = '$(ls)' WHERE text = 'cellars/2'", "it is damaged: '$(ls)' is not a map id"),
    "a command": ("UPDATE run SET arguments = ' --data x; ls'", "it is damaged: ' --data x; ls' are not options of a run"),
    "half a quote": ("UPDATE run SET arguments = ' --data \"'", "No closing quotation"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGE)
def test_every_command_reports_damage_in_one_line(
    run: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    how, why = DAMAGE[what]
    if isinstance(how, bytes):
        (run / FILE).write_bytes(how)
    else:
        change(run, how)
    for call in commands(run):
        assert main(call) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err == f"dungeon: {run / FILE} cannot be read: {why}\n"


def test_a_run_whose_end_is_missing_is_damaged(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = (run / FILE).read_bytes()
    for size in (50, 100, 4096, len(data) // 2, len(data) - 4096):
        (run / FILE).write_bytes(data[:size])
        for call in commands(run):
            assert main(call) == 2
            assert capsys.readouterr().err.startswith(f"dungeon: {run / FILE} cannot be read: ")


def test_a_run_with_an_index_of_other_rows_is_damaged(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SQLite would find rows by the index, and so others than those in the table."""
    change(run, "DROP INDEX spawn_of", "CREATE INDEX spawn_of ON spawn(y)", "PRAGMA writable_schema = ON",
           "UPDATE sqlite_master SET sql = 'CREATE INDEX spawn_of ON spawn(tag)' WHERE name = 'spawn_of'")  # fmt: skip
    for call in commands(run):
        assert main(call) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"dungeon: {run / FILE} cannot be read: it is damaged: row ")
        assert said.endswith(" missing from index spawn_of\n")


def test_nothing_is_recorded_into_a_damaged_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(run, "DELETE FROM name WHERE id = 1")
    data = str(write_content(tmp_path / "content"))
    assert main(["playtest", data, "--worlds", "1", "--out", str(run)]) == 2
    said = f"dungeon: {run / FILE} cannot be written: it is damaged: names are missing; record into another folder, or delete that one\n"
    assert capsys.readouterr().err == said


def test_control_characters_in_a_run_are_shown_escaped(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(
        run,
        "UPDATE name SET text = char(27) || '[31mred' WHERE text = 'store'",
        "DELETE FROM visit WHERE play = 0",
        "DELETE FROM meeting WHERE play = 0",
        "UPDATE play SET actions = NULL, turns = NULL, depth = NULL, y = NULL, x = NULL, "
        "error = 'Oops: ' || char(27) || ']0;title' || char(7) WHERE id = 0",
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
    damage((whole / FILE).read_bytes(), tmp_path / FILE, seed)
    judge(tmp_path, whole)


# -- parts and other files ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole_parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in two parts, of a world each, beside its content."""
    folder = tmp_path_factory.mktemp("parts")
    playtest.record_parts(write_content(folder / "content"), range(2), out=folder / "run")
    return folder


FACTS = '{"version": 3, "probe": "generation", "content": 7}'
WRONG_PARTS = {
    "no JSON": ("facts.json", b"{", "facts.json cannot be read: it is not JSON"),
    "no UTF-8": ("facts.json", b"\xff", "facts.json cannot be read: it is not JSON"),
    "too deep": ("facts.json", b"[" * 100_000, "facts.json cannot be read: it is not JSON"),
    "a list": ("facts.json", b"[]", "facts.json cannot be read: it does not say what was recorded"),
    "half of them": ("facts.json", FACTS.encode(), "facts.json cannot be read: it does not say what was recorded"),
    "a stranger": ("parts/notes", b"", "'notes' in "),
    "a part from 7 to 2": ("parts/7_2", b"", "'7_2' in "),
    "no worlds": ("parts/0_0/worlds.parquet", b"", "worlds.parquet cannot be read: "),
    "damaged spawns": ("parts/0_0/spawns.parquet", b"PAR1 and no more PAR1", "spawns.parquet cannot be read: "),
    "no spawns": ("parts/0_0/spawns.parquet", None, "spawns.parquet cannot be read: "),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG_PARTS)
def test_damaged_parts_are_reported_in_one_line(
    whole_parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    run = copytree(whole_parts / "run", tmp_path / "run")
    name, data, why = WRONG_PARTS[what]
    (run / name).unlink(missing_ok=True)
    if data is not None:
        (run / name).write_bytes(data)
    assert main(["playtest", str(whole_parts / "content"), "--worlds", "3", "--parts", str(run)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert why in err
    assert err.count("\n") == 1


def test_a_part_with_other_worlds_than_its_name_says_is_refused(
    whole_parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = copytree(whole_parts / "run", tmp_path / "run")
    (run / "parts" / "1_1").rename(run / "parts" / "1_3")
    assert main(["playtest", str(whole_parts / "content"), "--worlds", "1", "--parts", str(run)]) == 2
    assert "1_3 does not hold the worlds 1 to 3" in capsys.readouterr().err


@pytest.mark.parametrize("of_other_file", [True, False], ids=["log of another file", "log of noise"])
def test_a_foreign_log_changes_nothing_or_is_reported(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, of_other_file: bool
) -> None:
    """SQLite reads the log beside a file in place of its pages; here it is one that something else has left there."""
    (before,) = told_by(run, capsys)
    log = run / f"{FILE}-wal"
    if of_other_file:
        with closing(sqlite3.connect(tmp_path / "other.sqlite", isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode = WAL")
            other.execute("CREATE TABLE run (version)")
            log.write_bytes((tmp_path / "other.sqlite-wal").read_bytes())
    else:
        log.write_bytes(b"no log\n" * 2000)
    assert told_by(run, capsys) in ([before], [])


def told_by(run: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the digest of a run; nothing if one line says that it is damaged."""
    code = main(["playtest", "--digest", "--out", str(run)])
    out, err = capsys.readouterr()
    if code == 0:
        return [out]
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"dungeon: {run / FILE} cannot be read: ")
    return []


def test_a_run_that_is_not_a_file_is_reported(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / FILE).unlink()
    (run / FILE).symlink_to(run / "nowhere")
    for is_folder in (False, True):
        if is_folder:
            (run / FILE).unlink()
            (run / FILE).mkdir()
        for call in (commands(run)[0], *commands(run)[2:]):
            assert main(call) == 2
            said = f"dungeon: there is no run in {run}: {run / FILE} is missing\n"
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
    assert failed.text == (
        f"12 of 12 games could not be played, in 3 of 3 worlds: KeyError: 'no hero' (faulty_game.py, line 3) ({command})"
    )
    assert failed.cases == 100
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
    change(run, "DELETE FROM visit", "DELETE FROM meeting")
    for play, depths in enumerate(([1], [1, 2], [1, 3])):
        for n, depth in enumerate(depths):
            where = f"SELECT {play}, {n}, map, type, depth, {n}, 1, 9, 0, 0, 0, 0, 0, 0, 0 FROM level"
            change(run, f"INSERT INTO visit {where} WHERE depth = {depth} LIMIT 1")
    shares = {1: 1, 2: 2 / 3, 3: 1 / 3}
    (sheet,) = (each for each in report_on(run).sheets if each.name == "survival")
    assert dict(sheet.values("depth", "survival")) == pytest.approx(shares)
    pair = Pair(run, run)
    compared = {depth: condition_in(f"survival@{depth} > 0%", pair).change.after for depth in shares}
    assert compared == pytest.approx(shares)
