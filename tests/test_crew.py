"""Worker processes: every task is done once, also if a process dies."""

from __future__ import annotations

import os
import signal
from functools import partial
from multiprocessing import get_context
from select import select
from time import sleep
from typing import TYPE_CHECKING

import pytest

from dungeon.core.crew import Crew, Died

if TYPE_CHECKING:
    from collections.abc import Callable


def squared(task: int) -> int:
    return task * task


def squared_by_mortals(task: int) -> int:
    if task % 10 == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task * task


def refused(task: int) -> int:
    raise ValueError(f"not {task}")


def done(work: Callable[[int], int], tasks: int, jobs: int) -> list[tuple[int, int | Died]]:
    with Crew(work, jobs) as crew:
        return sorted(crew.results(partial(next, iter(range(tasks)), None)))


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("tasks", [0, 1, 50])
def test_every_task_is_done_once(tasks: int, jobs: int) -> None:
    assert done(squared, tasks, jobs) == [(task, task * task) for task in range(tasks)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_dead_process_is_replaced_and_loses_only_its_task(jobs: int) -> None:
    found = dict(done(squared_by_mortals, 40, jobs))
    assert found == {
        task: Died("killed by signal 9") if task % 10 == 3 else task * task for task in range(40)
    }


def test_tasks_may_be_added_while_others_are_done() -> None:
    tasks = [1]
    found = []
    with Crew(squared, 2) as crew:
        for task, result in crew.results(lambda: tasks.pop() if tasks else None):
            found.append(task)
            if isinstance(result, int) and result < 1000:
                tasks.append(result + 1)
    assert found == [1, 2, 5, 26, 677]


def test_exceptions_of_the_work_are_raised_in_the_parent() -> None:
    with pytest.raises(ValueError, match="not 0"):
        done(refused, 5, 1)


def test_few_tasks_are_taken_before_their_time() -> None:
    asked = []

    def ask() -> int:
        asked.append(len(asked))
        return asked[-1]

    with Crew(squared, 2) as crew:
        results = crew.results(ask)
        for number in range(30):
            next(results)
            assert len(asked) <= number + 5


def test_no_process_is_left_behind() -> None:
    with Crew(partial(_pid_and_sleep, 60.0), 2) as crew:
        results = crew.results(partial(next, iter([0.0, 0.0, 1.0, 1.0]), None))
        pids = {next(results)[1] for _ in range(2)}
    for pid in pids:
        assert isinstance(pid, int)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def _pid_and_sleep(longest: float, share: float) -> int:
    sleep(longest * share)
    return os.getpid()


def test_processes_of_a_killed_parent_end_by_themselves() -> None:
    alive, open_while_alive = os.pipe()

    def work() -> None:
        with Crew(squared, 3) as crew:
            for task, _ in crew.results(partial(next, iter(range(10**9)), None)):
                if task == 50:
                    os.kill(os.getpid(), signal.SIGKILL)

    master = get_context("fork").Process(target=work)
    master.start()
    os.close(open_while_alive)
    master.join()
    assert master.exitcode == -signal.SIGKILL
    ready, _, _ = select([alive], [], [], 30)
    os.close(alive)
    assert ready
