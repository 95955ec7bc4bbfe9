"""Reading recorded runs: SQL queries, export to Parquet, and the command line."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from contextlib import closing
from dataclasses import astuple
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest
from changed_runs import rows
from content_files import write_content

from dungeon import playtest
from dungeon.cli import main
from dungeon.cli.printing import bar_line, bar_on, duration
from dungeon.playtest import Progress
from dungeon.playtest.recording.schema import OWNER_COLUMNS, TABLES, is_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon.playtest.run import Run

WORLDS = range(3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_content(tmp_path_factory.mktemp("con tent"))


@pytest.fixture(scope="module")
def folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    playtest.record(data, WORLDS, out=out)
    return out


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    with playtest.open(folder) as run:
        yield run


def test_queries_join_views(folder: Path, run: Run) -> None:
    query = """
        SELECT p.encounter, count(*) FROM placements AS p JOIN spawns AS s
        ON s.seed = p.seed AND s.map = p.map AND s.placement = p.n GROUP BY 1
    """
    ((encounter, objects),) = run.sql(query).fetchall()
    assert (encounter, objects) == ("store", len(run.spawns.filter("placement IS NOT NULL")))
    assert objects > 0
    assert run.sql("SELECT * FROM run").fetchall() == [astuple(run.facts)]
    with pytest.raises(duckdb.CatalogException):
        run.sql("SELECT * FROM treasures")
    with pytest.raises(AttributeError, match="a run has no 'treasures', only worlds, levels"):
        run.treasures  # noqa: B018


def test_other_programs_read_the_files_of_all_parts(folder: Path, run: Run) -> None:
    with closing(duckdb.connect()) as database:
        for table in TABLES:
            written = database.sql(f"FROM '{folder}/parts/*/{table.view}.parquet'")
            assert written.columns == [column.name for column in table.shown]
            assert sorted(written.fetchall(), key=repr) == sorted(
                getattr(run, table.view).fetchall(), key=repr
            )


def test_own_tables_can_be_queried_with_the_others(run: Run) -> None:
    run.add("chosen", pa.table({"seed": [0, 2]}))
    chosen = run.sql("SELECT DISTINCT seed FROM levels JOIN chosen USING (seed) ORDER BY seed").fetchall()
    assert chosen == [(0,), (2,)]
    run.add("few", "SELECT seed FROM chosen LIMIT 1")
    assert len(run.sql("FROM few")) == 1
    with pytest.raises(ValueError, match="every run has a table or view 'spawns': choose another name"):
        run.add("spawns", pa.table({"seed": [0]}))


def test_a_run_may_be_read_up_to_a_number_of_worlds(data: Path, tmp_path: Path) -> None:
    for seed in (4, 0, 2):
        playtest.record(data, range(seed, seed + 2), out=tmp_path)
    parts = len(list((tmp_path / "parts").iterdir()))
    for most, read in ((1, 2 if parts == 3 else 1), (4, 4), (5, 4 if parts == 3 else 5), (9, 6), (None, 6)):
        with playtest.open(tmp_path, most=most) as run:
            assert [seed for (seed,) in run.sql("SELECT seed FROM worlds ORDER BY seed").fetchall()] == [
                *range(read)
            ]


def test_a_run_can_be_queried_while_it_grows(data: Path, tmp_path: Path) -> None:
    found = []

    def told(progress: Progress) -> None:
        with playtest.open(tmp_path) as run:
            found.append((len(run.worlds), progress.worlds))

    playtest.record(data, range(3), out=tmp_path, told=told)
    assert found[-1] == (3, 3)
    assert all(seen == recorded for seen, recorded in found)


def test_the_shown_columns_are_those_of_the_schema(run: Run) -> None:
    for table in TABLES:
        own = [column.name for column in table.columns if not is_id(column.kind)]
        of_owner = [*OWNER_COLUMNS[table.owner].values()] if table.owner else []
        assert getattr(run, table.view).columns == of_owner + own


def test_without_the_lab_games_are_there_and_recording_says_what_is_missing(
    data: Path, tmp_path: Path
) -> None:
    code = f"""
import sys
import dungeon
assert not any(name.startswith("dungeon.playtest") for name in sys.modules)
sys.modules["duckdb"] = None
from dungeon import playtest
import dungeon.playtest.game, dungeon.playtest.bots.playing
for ask in (lambda: playtest.record({str(data)!r}, range(1), out={str(tmp_path)!r}), lambda: playtest.open({str(tmp_path)!r})):
    try:
        ask()
    except playtest.PlaytestError as error:
        print(error)
print("pyarrow" in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    missing = "duckdb is missing: pip install 'tcod-dungeon[lab]'"
    assert result.stdout.splitlines()[:2] == [missing, missing]
    assert list(tmp_path.iterdir()) == []


# -- the command -----------------------------------------------------------------------------------


def test_the_command_records_writes_out_and_tells(
    data: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "run"
    arguments = [
        "playtest",
        str(data),
        "--worlds",
        "3",
        "--jobs",
        "2",
        "--out",
        str(out),
        "--digest",
    ]
    assert main(arguments) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == f"3 worlds, 6 levels in {out}"
    assert lines == [
        f"{digest}  {view} ({rows} row{'' if rows == 1 else 's'})"
        for view, (rows, digest) in playtest.digests(folder).items()
    ]


def test_the_command_records_only_the_named_maps(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["playtest", "--data", str(data), "--worlds", "2", "--out", str(tmp_path), "--maps"]
    assert main([*arguments, "cellars/2"]) == 0
    assert rows(tmp_path, "SELECT DISTINCT map FROM levels") == [("cellars/2",)]
    assert main([*arguments, "cellars/2,attic"]) == 2
    assert main([*arguments, "cellars"]) == 2
    err = capsys.readouterr().err
    assert "there is no map 'attic' (there are cellars/1, cellars, cellars/2)" in err
    assert "was recorded of cellars/2, not of cellars/1 cellars/2: record into another folder" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--worlds N is needed: the number of worlds to make"),
        (["--digest"], "there is no run in"),
    ],
)
def test_wrong_calls(
    tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["playtest", "--out", str(tmp_path / "none"), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_reported(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["playtest", str(data), "--worlds", "1", "--out", str(tmp_path / "file" / "run")]) == 2
    assert "cannot be written: Not a directory" in capsys.readouterr().err


def test_failures_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maps = {"maps/cellars.yaml": "cellars: {name: C, size: 9x9, layout: {caves: {min_caves: 1}}}\n"}
    data = write_content(tmp_path / "data", {**maps, "encounters/rooms.yaml": None})
    assert main(["playtest", str(data), "--worlds", "2", "--out", str(tmp_path / "run")]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("; 4 levels failed: see its view 'failures'\n")
    assert re.fullmatch(
        r"(failed: level cellars/\d in world 0 and 1 more: GenerationError: .*\n  dungeon show .*\n){2}", err
    )


# -- the bar ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("progress", "seconds", "line"),
    [
        (Progress(0, 10, 0), 3, "[........................] 0 of 10 worlds"),
        (Progress(5, 10, 0), 10, "[############............] 5 of 10 worlds, 0.5 a second, 10 s left"),
        (
            Progress(500, 1000, 400),
            10,
            "[############............] 500 of 1000 worlds, 10 a second, 50 s left",
        ),
        (Progress(10, 10, 10), 0, "[########################] 10 of 10 worlds"),
    ],
)
def test_the_progress_bar(progress: Progress, seconds: float, line: str) -> None:
    assert bar_line(progress, seconds) == line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (48.4, "48 s"), (59.6, "1 min 00 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_progress_bar_is_only_for_terminals_and_is_wiped_off() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    with bar_on(terminal) as told:
        assert told is not None
        told(Progress(1, 2, 0))
    drawn = terminal.getvalue().split("\r")
    assert "1 of 2 worlds" in drawn[1]
    assert drawn[-1] == "\x1b[K"
    for other in (io.StringIO(), None):
        with bar_on(other) as told:
            assert told is None
