"""Recording: rows equal the levels, and neither processes, kills nor order change a run."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
from pathlib import Path
from shutil import copytree
from time import monotonic
from typing import TYPE_CHECKING

import pytest
from changed_runs import change, change_facts, rows
from content_files import write_content
from demo import demo_content

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest.recording import recorder
from dungeon.playtest.recording.probes import MEASURED_WHOLLY, generation
from dungeon.playtest.recording.schema import TABLES, is_id
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.playtest import Progress

WORLDS = range(-4, 9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small content of two maps, and a third one that can't be made."""
    return write_content(
        tmp_path_factory.mktemp("content"),
        {
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
        },
    )


@pytest.fixture(scope="module")
def content(folder: Path) -> dungeon.Content:
    return dungeon.load_content(folder)


@pytest.fixture(scope="module")
def whole(content: dungeon.Content, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed, made by one process."""
    out = tmp_path_factory.mktemp("whole")
    playtest.record(content, WORLDS, out=out)
    return out


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are small, so that a run has many."""
    monkeypatch.setattr(recorder, "BATCH_SECONDS", 0.02)


def beside(work: Callable[[], object]) -> multiprocessing.Process:
    """Begin some work in another process."""
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    return process


def recorded_worlds(folder: Path) -> int:
    """Return how many worlds a run holds that another process may be writing, or about to begin."""
    try:
        return len(rows(folder, "SELECT seed FROM worlds"))
    except playtest.PlaytestError:
        return 0


# -- what is recorded ------------------------------------------------------------------------------


def test_rows_equal_the_levels(content: dungeon.Content, whole: Path) -> None:
    levels = [dungeon.World(content, seed).level(f"cellars/{n}") for seed in WORLDS for n in (1, 2)]
    assert rows(
        whole, "SELECT seed, map, height, width FROM levels WHERE error IS NULL ORDER BY seed, map"
    ) == [(each.seed, each.id, each.height, each.width) for each in levels]
    assert rows(whole, "SELECT seed, map, encounter, prefab, y, x FROM placements ORDER BY seed, map, n") == [
        (level.seed, level.id, each.encounter, each.prefab, each.bounds.y, each.bounds.x)
        for level in levels
        for each in level.placements
    ]
    assert rows(whole, "SELECT seed, map, kind, tag, y, x, placement FROM spawns ORDER BY seed, map, n") == [
        (level.seed, level.id, each.kind, each.tag, each.y, each.x, each.placement)
        for level in levels
        for each in level.spawns
    ]
    assert rows(whole, "SELECT seed, map, value FROM metrics WHERE metric = 'loops' ORDER BY seed, map") == [
        (level.seed, level.id, dungeon.measure(level).loops) for level in levels
    ]
    assert rows(
        whole, "SELECT seed, map, value FROM metrics WHERE metric = 'longest' ORDER BY seed, map"
    ) == [
        (level.seed, level.id, dungeon.measure(level).longest)
        for level in levels
        if level.seed % MEASURED_WHOLLY == 0
    ]
    refused = [
        (level.seed, level.id, each.subject, each.reason)
        for level in levels
        for each in level.journal
        if each.verdict == "refused"
    ]
    assert rows(whole, "SELECT seed, map, subject, reason FROM refusals ORDER BY seed, map, n") == refused


def test_all_stages_are_timed(whole: Path) -> None:
    assert rows(whole, "SELECT count(*) FROM (SELECT DISTINCT seed, map FROM timings)") == [
        (2 * len(WORLDS),)
    ]
    (stages,) = rows(whole, "SELECT string_agg(DISTINCT stage, ' ') FROM timings")
    assert {"plan", "layout", "exits", "populate", "prove"} <= set(str(stages[0]).split())


def test_locks_and_keys_equal_the_solution(tmp_path: Path) -> None:
    content = demo_content()
    playtest.record(content, range(1), out=tmp_path, maps=["goods_inwards"])
    level = dungeon.World(content, 0).level("goods_inwards/1")
    metrics = dungeon.measure(level)
    assert metrics.locks
    assert metrics.keys == solution_of(level).keys
    assert rows(tmp_path, "SELECT word, y, x, sphere, distance FROM locks ORDER BY n") == [
        (each.word, *each.cell, each.sphere, each.distance) for each in metrics.locks
    ]
    assert set(rows(tmp_path, "SELECT spawn, word, sphere FROM keys")) == {
        (each.spawn, word, each.sphere) for each in metrics.keys for word in each.words
    }


def test_a_level_that_fails_is_recorded_with_the_command_that_shows_it(
    folder: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = rows(whole, "SELECT seed, map, error, command FROM failures ORDER BY seed")
    assert [failure[:2] for failure in failures] == [(seed, "nook/3") for seed in WORLDS]
    _, _, error, command = failures[0]
    name, *arguments = str(command).split()
    assert (name, arguments[-1]) == ("dungeon", str(folder))
    assert main(arguments) == 1
    assert str(error).removeprefix("GenerationError: ") in capsys.readouterr().err


def test_a_failed_world_is_recorded_and_the_rest_goes_on(
    content: dungeon.Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = dungeon.World

    def world(content: dungeon.Content, seed: int) -> dungeon.World:
        if seed == 1:
            raise ArithmeticError("one world too many")
        return original(content, seed)

    monkeypatch.setattr(dungeon, "World", world)
    found = playtest.record(content, range(3), out=tmp_path)
    assert (found.worlds, found.failed_worlds) == (3, 1)
    ((seed, error),) = rows(tmp_path, "SELECT seed, error FROM worlds WHERE error IS NOT NULL")
    assert seed == 1
    assert str(error).startswith("ArithmeticError: one world too many (world, test_playtest.py, line ")


# -- what happens to a run -------------------------------------------------------------------------


def test_a_run_does_not_depend_on_processes_or_order(
    content: dungeon.Content, whole: Path, tmp_path: Path, hasty: None
) -> None:
    for part in (range(5, 9), range(-4, -2), WORLDS):
        playtest.record(content, part, out=tmp_path, jobs=3)
    assert playtest.digests(tmp_path) == playtest.digests(whole)


def test_recorded_worlds_are_not_made_again(content: dungeon.Content, whole: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    playtest.record(content, range(3, 6), out=tmp_path)
    playtest.record(content, range(10), out=tmp_path, told=told.append)
    assert told[0] == (3, 10, 3)
    assert told[-1] == (10, 10, 3)
    told.clear()
    found = playtest.record(content, range(10), out=tmp_path, told=told.append)
    assert told == [(10, 10, 10)]
    assert (found.worlds, found.levels, found.failed_levels) == (10, 30, 10)


def test_different_runs_have_different_digests(whole: Path, tmp_path: Path) -> None:
    run = copytree(whole, tmp_path / "run")
    change(run)
    before = playtest.digests(whole)
    assert playtest.digests(run) == before
    change(run, "UPDATE spawns SET x = x + 1 WHERE seed = 3 AND map = 'cellars/2' AND n = 0")
    changed = {table for table, digest in playtest.digests(run).items() if digest != before[table]}
    assert changed == {"spawns"}


def test_a_killed_run_continues_to_the_same_rows(
    content: dungeon.Content, whole: Path, tmp_path: Path, hasty: None
) -> None:
    rng = random.Random(0)
    kills = 0
    while (before := recorded_worlds(tmp_path)) < len(WORLDS):
        process = beside(lambda: playtest.record(content, WORLDS, out=tmp_path, jobs=2))
        while kills and process.is_alive() and recorded_worlds(tmp_path) == before:
            process.join(0.01)
        process.join(rng.uniform(0, 0.1))
        kills += process.is_alive()
        process.kill()
        process.join()
    assert kills
    playtest.record(content, WORLDS, out=tmp_path)
    assert playtest.digests(tmp_path) == playtest.digests(whole)


def test_a_kill_leaves_whole_batches(
    content: dungeon.Content, whole: Path, tmp_path: Path, hasty: None
) -> None:
    def record() -> None:
        def told(progress: Progress) -> None:
            if progress.worlds > 4:
                os.kill(os.getpid(), signal.SIGKILL)

        playtest.record(content, WORLDS, out=tmp_path, jobs=2, told=told)

    process = beside(record)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    seeds = rows(tmp_path, "SELECT seed FROM worlds ORDER BY seed")
    assert len(seeds) > 4
    listed = ", ".join(str(seed) for (seed,) in seeds)
    for view in ("levels", "spawns"):
        ordered = "ORDER BY seed, map" + (", n" if view == "spawns" else "")
        assert rows(tmp_path, f"SELECT * FROM {view} {ordered}") == rows(
            whole, f"SELECT * FROM {view} WHERE seed IN ({listed}) {ordered}"
        )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_command_says_so_and_can_continue(
    folder: Path,
    whole: Path,
    tmp_path: Path,
    hasty: None,
    number: signal.Signals,
    capfd: pytest.CaptureFixture[str],
) -> None:
    arguments = ["playtest", str(folder), "--out", str(tmp_path), "--seed", str(WORLDS[0]), "--jobs", "2"]

    def record() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os._exit(main([*arguments, "--worlds", "1000000"]))

    process = beside(record)
    end = monotonic() + 60
    while not recorded_worlds(tmp_path) and monotonic() < end:
        process.join(0.02)
    assert process.pid is not None
    os.kill(process.pid, number)
    process.join()
    assert process.exitcode == 130
    assert "the same command continues from there" in capfd.readouterr().err
    playtest.record(folder, WORLDS, out=tmp_path)
    seeds = f"WHERE seed < {WORLDS.stop} ORDER BY seed, map, n"
    assert rows(tmp_path, f"SELECT * FROM spawns {seeds}") == rows(whole, f"SELECT * FROM spawns {seeds}")


def test_a_full_disk_is_reported_and_the_run_can_continue(
    content: dungeon.Content, whole: Path, tmp_path: Path, hasty: None
) -> None:
    def told(progress: Progress) -> None:
        if progress.worlds > 4:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    def record() -> None:
        try:
            playtest.record(content, WORLDS, out=tmp_path, told=told)
        except playtest.PlaytestError as error:
            os._exit(5 if "cannot be written: File too large" in str(error) else 6)

    process = beside(record)
    process.join()
    assert process.exitcode == 5
    assert 0 < recorded_worlds(tmp_path) < len(WORLDS)
    playtest.record(content, WORLDS, out=tmp_path)
    assert playtest.digests(tmp_path) == playtest.digests(whole)


def mortal(world: dungeon.World, asked: object, rows: recorder.Rows) -> None:
    """Look at worlds as ever, and die over that of seed 7."""
    if world.seed == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    generation(world, asked, rows)  # type: ignore[arg-type]


def test_a_world_that_kills_processes_is_recorded_as_failed(
    content: dungeon.Content, whole: Path, tmp_path: Path
) -> None:
    found = playtest.record(content, WORLDS, out=tmp_path, jobs=2, probe=mortal)
    assert (found.worlds, found.failed_worlds) == (len(WORLDS), 1)
    assert rows(tmp_path, "SELECT seed, map, error, command FROM failures WHERE map IS NULL") == [
        (
            7,
            None,
            "the process that made it died: killed by signal 9",
            f"dungeon playtest --worlds 1 --seed 7 --out world7 --data {content.folder}",
        )
    ]
    spawns = "SELECT * FROM spawns WHERE seed <> 7 ORDER BY seed, map, n"
    assert rows(tmp_path, spawns) == rows(whole, spawns)


def test_a_process_that_dies_once_changes_nothing(
    content: dungeon.Content, whole: Path, tmp_path: Path
) -> None:
    died = tmp_path / "died"

    def unlucky(world: dungeon.World, asked: object, rows: recorder.Rows) -> None:
        if world.seed == 7 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        generation(world, asked, rows)  # type: ignore[arg-type]

    playtest.record(content, WORLDS, out=tmp_path / "run", jobs=2, probe=unlucky)
    assert died.exists()
    assert playtest.digests(tmp_path / "run") == playtest.digests(whole)


# -- what is refused -------------------------------------------------------------------------------


def test_other_content_is_refused(tmp_path: Path) -> None:
    data = write_content(tmp_path / "data")
    playtest.record(data, range(1), out=tmp_path / "run")
    before = playtest.digests(tmp_path / "run")
    weights = data / "weights.yaml"
    weights.write_text(
        weights.read_text(encoding="utf-8").replace("common: 10", "common: 11"), encoding="utf-8"
    )
    with pytest.raises(
        playtest.PlaytestError, match="with other content than this: record into another folder"
    ):
        playtest.record(data, range(2), out=tmp_path / "run")
    assert playtest.digests(tmp_path / "run") == before


def test_content_that_is_gone_is_refused(tmp_path: Path) -> None:
    content = dungeon.load_content(write_content(tmp_path / "data"))
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    with pytest.raises(playtest.PlaytestError, match="data is gone or empty"):
        playtest.record(content, range(1), out=tmp_path / "run")


def test_other_maps_are_refused(content: dungeon.Content, tmp_path: Path) -> None:
    playtest.record(content, range(1), out=tmp_path, maps=["cellars"])
    with pytest.raises(playtest.PlaytestError, match="of cellars/1 cellars/2, not of all maps"):
        playtest.record(content, range(1), out=tmp_path)
    with pytest.raises(KeyError, match="no map 'attic'"):
        playtest.record(content, range(1), out=tmp_path, maps=["attic"])


def test_two_at_once_are_refused(content: dungeon.Content, tmp_path: Path) -> None:
    def told(_: Progress) -> None:
        with pytest.raises(playtest.PlaytestError, match="another process is writing it"):
            playtest.record(content, range(5), out=tmp_path)

    playtest.record(content, range(1), out=tmp_path, told=told)


@pytest.mark.parametrize("worlds", [range(0, 10, 2), range(2**63, 2**63 + 1)])
def test_seeds_outside_64_bits_are_refused(content: dungeon.Content, tmp_path: Path, worlds: range) -> None:
    with pytest.raises(ValueError, match="seeds must have a step of 1 and fit in 64 bits"):
        playtest.record(content, worlds, out=tmp_path)


@pytest.mark.parametrize("worlds", [range(-(2**63), -(2**63) + 1), range(2**63 - 2, 2**63 - 1), range(0)])
def test_the_outermost_seeds_are_recorded(content: dungeon.Content, tmp_path: Path, worlds: range) -> None:
    assert playtest.record(content, worlds, out=tmp_path).worlds == len(worlds)
    assert rows(tmp_path, "SELECT seed FROM worlds") == [(seed,) for seed in worlds]


def test_reading_a_folder_without_a_run_fails(tmp_path: Path) -> None:
    with pytest.raises(playtest.PlaytestError, match=r"there is no run in .* is missing$"):
        playtest.digests(tmp_path)
    (tmp_path / "run.sqlite").touch()
    with pytest.raises(
        playtest.PlaytestError, match=r"run.sqlite is a run of version 0.1, .* record it again"
    ):
        playtest.digests(tmp_path)
    (tmp_path / "run.json").write_text("this is no manifest", encoding="utf-8")
    with pytest.raises(playtest.PlaytestError, match="cannot be read"):
        playtest.digests(tmp_path)


def test_tables_of_another_version_are_refused(content: dungeon.Content, tmp_path: Path) -> None:
    playtest.record(content, range(1), out=tmp_path)
    change_facts(tmp_path, version=99)
    for read in (playtest.digests, lambda out: playtest.record(content, range(1), out=out)):
        with pytest.raises(playtest.PlaytestError, match="tables of version 99"):
            read(tmp_path)


def test_the_manual_lists_every_table_with_its_columns() -> None:
    page = (Path(__file__).parent.parent / "docs" / "playtest.md").read_text(encoding="utf-8")
    for table in TABLES:
        assert f"| `{table.view}` | {table.text} |" in page
        for column in table.columns:
            if not is_id(column.kind):
                assert f"| `{table.view}` | `{column.name}` | {column.text} |" in page
