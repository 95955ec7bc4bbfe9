"""Recording on a cluster: real schedulers and workers make what one process makes, whichever of them dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest
from content_files import write_content
from distributed import Client

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.playtest import recording
from dungeon.playtest.cluster import workers
from dungeon.playtest.generation import generation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest import Progress

WORLDS = range(30)
TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dungeon.Content:
    return dungeon.load_content(write_content(tmp_path_factory.mktemp("content")))


@pytest.fixture(scope="module")
def whole(content: dungeon.Content, tmp_path_factory: pytest.TempPathFactory) -> dict[str, playtest.Digest]:
    """What a run says that one process has made."""
    out = tmp_path_factory.mktemp("whole")
    playtest.record(content, WORLDS, out=out)
    return playtest.digests(out)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, begun as users begin them. A dead worker has a successor."""
    file = tmp_path_factory.mktemp("scheduler") / "scheduler.json"
    known = ["--scheduler-file", str(file), "--no-dashboard"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver",
    }

    def begun(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, *known]
        return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)

    processes = [
        begun("scheduler", "--host", "127.0.0.1", "--port", "0"),
        begun("worker", "--nworkers", "2", "--nthreads", "1"),
    ]
    try:
        end = monotonic() + 60
        while not file.exists() and monotonic() < end:
            sleep(0.02)
        yield json.loads(file.read_text(encoding="utf-8"))["address"]
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)  # with its workers
            process.wait()


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "FAR_BATCH_SECONDS", 0.02)


def test_the_command_hands_worlds_to_the_workers(
    content: dungeon.Content,
    whole: dict[str, playtest.Digest],
    scheduler: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["playtest", content.folder, "--worlds", "30", "--out", str(tmp_path), "--scheduler", scheduler]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("30 worlds, 60 levels in ")
    assert playtest.digests(tmp_path) == whole


def test_a_worker_that_is_killed_changes_nothing(
    content: dungeon.Content,
    whole: dict[str, playtest.Digest],
    scheduler: str,
    tmp_path: Path,
    small_batches: None,
) -> None:
    killed: list[int] = []

    def told(progress: Progress) -> None:
        if progress.worlds > 4 and not killed:
            with Client(scheduler, set_as_default=False) as client:
                killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    recorded = playtest.record(content, WORLDS, out=tmp_path, scheduler=scheduler, told=told)
    assert killed
    assert (recorded.worlds, recorded.failed_worlds) == (len(WORLDS), 0)
    assert playtest.digests(tmp_path) == whole


def mortal(world: dungeon.World, asked: object, rows: recording.Rows) -> None:
    """Look at worlds as ever, and die over that of seed 7."""
    if world.seed == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    generation(world, asked, rows)  # type: ignore[arg-type]


def test_a_world_that_kills_workers_is_the_only_one_that_fails(
    content: dungeon.Content, scheduler: str, tmp_path: Path
) -> None:
    recorded = playtest.record(content, range(12), out=tmp_path, scheduler=scheduler, probe=mortal)
    assert (recorded.worlds, recorded.failed_worlds) == (12, 1)
    with playtest.open(tmp_path) as run:
        assert run.sql("SELECT seed, error FROM failures").fetchall() == [
            (7, "the process that made it died: 2 workers of the cluster, one after the other")
        ]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://here"])
def test_where_there_is_no_scheduler_that_is_said(
    content: dungeon.Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.2)
    with pytest.raises(playtest.PlaytestError, match=f"there is no scheduler at {address}: "):
        playtest.record(content, WORLDS, out=tmp_path, scheduler=address)


def test_workers_with_another_version_of_the_library_are_refused(
    content: dungeon.Content, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "version", lambda _: "99.0")
    with pytest.raises(playtest.PlaytestError, match=r"has version .* of the library, not 99\.0"):
        playtest.record(content, WORLDS, out=tmp_path, scheduler=scheduler)
