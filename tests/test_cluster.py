"""Recording on a cluster: real schedulers and workers make the same rows as one process, even if workers die."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import dask
import pytest
import strolling
from content_files import write_content
from distributed import Client
from distributed.comm import CommClosedError

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest import cluster
from dungeon.playtest.recording import recorder
from dungeon.playtest.recording.probes import generation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest import Progress

WORLDS = range(14)
TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dungeon.Content:
    return dungeon.load_content(write_content(tmp_path_factory.mktemp("content")))


@pytest.fixture(scope="module")
def run(content: dungeon.Content, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that one process has made."""
    out = tmp_path_factory.mktemp("run")
    playtest.record(content, WORLDS, out=out)
    return out


@pytest.fixture(scope="module")
def whole(run: Path) -> dict[str, playtest.Digest]:
    """What that run says."""
    return playtest.digests(run)


@contextmanager
def begun(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler with two workers as users do; give its address, and its process before that of the workers."""
    file = folder / "scheduler.json"
    known = ["--scheduler-file", str(file), "--no-dashboard"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver",
    }

    def process(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, *known]
        return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)

    processes = [
        process("scheduler", "--host", "127.0.0.1", "--port", "0"),
        process("worker", "--nworkers", "2", "--nthreads", "1"),
    ]
    try:
        end = monotonic() + 60
        while not file.exists() and monotonic() < end:
            sleep(0.02)
        yield json.loads(file.read_text(encoding="utf-8"))["address"], processes
    finally:
        for each in processes:
            with suppress(ProcessLookupError):  # a test has killed it
                os.killpg(each.pid, signal.SIGKILL)  # with its workers
            each.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers. A dead worker has a successor."""
    with begun(tmp_path_factory.mktemp("scheduler")) as (address, _):
        yield address


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "BATCH_SECONDS", 0.02)


def test_the_command_hands_worlds_to_the_workers(
    content: dungeon.Content,
    whole: dict[str, playtest.Digest],
    scheduler: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = [
        "playtest",
        content.folder,
        "--worlds",
        str(len(WORLDS)),
        "--out",
        str(tmp_path),
        "--scheduler",
        scheduler,
    ]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("14 worlds, 28 levels in ")
    assert playtest.digests(tmp_path) == whole


def test_few_tasks_are_under_way_at_a_time(scheduler: str) -> None:
    numbers, under_way, most = iter(range(60)), 0, 0

    def ask() -> int | None:
        nonlocal under_way, most
        number = next(numbers, None)
        under_way += number is not None
        most = max(most, under_way)
        return number

    done = []
    with cluster.Cluster(str, scheduler) as hands:
        for number, text in hands.results(ask):
            assert text == str(number)
            done.append(number)
            under_way -= 1
    assert sorted(done) == list(range(60))
    assert cluster.AHEAD <= most <= cluster.AHEAD * 2


def test_an_error_in_the_work_is_raised(scheduler: str) -> None:
    tasks = iter(["3", "three"])
    with (
        cluster.Cluster(int, scheduler) as hands,
        pytest.raises(ValueError, match="invalid literal for int"),
    ):
        list(hands.results(lambda: next(tasks, None)))


def test_workers_let_bots_play(content: dungeon.Content, scheduler: str, tmp_path: Path) -> None:
    games = playtest.Games(bots=("random",), game="strolling:start", limit=60)
    here, there = tmp_path / "here", tmp_path / "there"
    playtest.record(content, range(4), out=here, probe=games)
    found = playtest.record(content, range(4), out=there, probe=games, scheduler=scheduler)
    assert (found.games, found.failed_games) == (4, 0)
    assert playtest.digests(here) == playtest.digests(there)


def test_a_game_missing_on_workers_is_reported(
    content: dungeon.Content, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ModuleType("only_here")
    own.start = strolling.start  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "only_here", own)
    games = playtest.Games(bots=("random",), game="only_here:start")
    with pytest.raises(playtest.PlaytestError, match="'only_here:start' can't be loaded: No module named"):
        playtest.record(content, range(4), out=tmp_path, probe=games, scheduler=scheduler)


class Killer:
    """Kills a worker of a scheduler once some worlds are there: its process id is then in `killed`."""

    def __init__(self, scheduler: str) -> None:
        self.scheduler = scheduler
        self.killed: list[int] = []

    def __call__(self, progress: Progress) -> None:
        if progress.worlds > 4 and not self.killed:
            with Client(self.scheduler, set_as_default=False) as client:
                self.killed.append(min(client.run(os.getpid).values()))
            os.kill(self.killed[0], signal.SIGKILL)


def test_a_worker_that_is_killed_changes_nothing(
    content: dungeon.Content,
    whole: dict[str, playtest.Digest],
    scheduler: str,
    tmp_path: Path,
    small_batches: None,
) -> None:
    killer = Killer(scheduler)
    recorded = playtest.record(content, WORLDS, out=tmp_path, scheduler=scheduler, told=killer)
    assert killer.killed
    assert (recorded.worlds, recorded.failed_worlds) == (len(WORLDS), 0)
    assert playtest.digests(tmp_path) == whole


def mortal(world: dungeon.World, asked: object, rows: recorder.Rows) -> None:
    """Look at worlds as ever, and die over that of seed 7."""
    if world.seed == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    generation(world, asked, rows)  # type: ignore[arg-type]


def test_a_world_that_kills_workers_is_the_only_one_that_fails(
    content: dungeon.Content, scheduler: str, tmp_path: Path
) -> None:
    recorded = playtest.record(content, range(9), out=tmp_path, scheduler=scheduler, probe=mortal)
    assert (recorded.worlds, recorded.failed_worlds) == (9, 1)
    with playtest.open(tmp_path) as run:
        assert run.sql("SELECT seed, error FROM failures").fetchall() == [
            (7, "the process that made it died: 2 workers of the cluster, one after the other")
        ]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://here"])
def test_a_missing_scheduler_is_reported(
    content: dungeon.Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    with pytest.raises(playtest.PlaytestError, match=f"there is no scheduler at {address}: "):
        playtest.record(content, WORLDS, out=tmp_path, scheduler=address)
    clients = [each for each in gc.get_objects() if issubclass(type(each), Client)]
    assert {each.status for each in clients} <= {"closed"}


def test_workers_with_another_version_of_the_library_are_refused(
    content: dungeon.Content, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "version", lambda _: "99.0")
    with pytest.raises(playtest.PlaytestError, match=r"has version .* of the library, not 99\.0"):
        playtest.record(content, WORLDS, out=tmp_path, scheduler=scheduler)


def test_a_scheduler_that_is_gone_when_workers_are_counted_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def closed() -> None:
        raise CommClosedError

    workers = cluster.Cluster[int, int](abs, "tcp://here:1")
    monkeypatch.setattr(workers, "_client", SimpleNamespace(nthreads=closed, loop=None), raising=False)
    monkeypatch.setattr(cluster, "as_completed", lambda **_: None)
    with pytest.raises(playtest.PlaytestError, match="the scheduler at tcp://here:1 has gone"):
        next(workers.results(lambda: 1))


def test_a_run_whose_scheduler_dies_can_continue_elsewhere(
    content: dungeon.Content, whole: dict[str, playtest.Digest], tmp_path: Path, small_batches: None
) -> None:
    out = tmp_path / "run"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),
        begun(tmp_path) as (address, (scheduler, _)),
    ):

        def told(progress: Progress) -> None:
            if progress.worlds > 4 and scheduler.poll() is None:
                scheduler.kill()
                scheduler.wait()

        with pytest.raises(
            playtest.PlaytestError, match=f"the scheduler at {address} has gone; what is recorded is whole"
        ):
            playtest.record(content, WORLDS, out=out, scheduler=address, told=told)
    assert 4 < len(playtest.open(out).worlds) < len(WORLDS)
    playtest.record(content, WORLDS, out=out)
    assert playtest.digests(out) == whole
