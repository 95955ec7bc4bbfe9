"""A pool of worker processes in which a process may die without stopping the others."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections import deque
from contextlib import suppress
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from types import TracebackType
    from typing import Self

Task = TypeVar("Task")
Result = TypeVar("Result")

LAST_WORDS = 5.0
"""Seconds that a process gets to end by itself after its pipe has closed, before it is killed."""

AHEAD = 2
"""Maximum number of tasks of a process at a time: one in work, and one to go on with while the first result is fetched."""


class Died(NamedTuple):
    """Stands for the result of a task whose process died while it did the task. `how` says how: ``killed by signal 9``."""

    how: str


class Crew(Generic[Task, Result]):
    """Worker processes that do tasks. Use it in a `with` block; at its end all processes are killed.

    Each process is given at most `AHEAD` tasks at a time, so few results wait in memory. Ctrl-C does not stop the processes,
    only their parent. If the parent dies, the processes end by themselves.

    Args:
        work: The function that does a task; it is sent to each process once.
        jobs: Number of processes.
    """

    def __init__(self, work: Callable[[Task], Result], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._workers: list[_Worker[Task, Result]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def results(self, ask: Callable[[], Task | None]) -> Iterator[tuple[Task, Result | Died]]:
        """Yield a pair (task, result) for each task as soon as it is done, not always in the order of the tasks.

        Args:
            ask: Returns the next task, or None if there is none for now. It is called again after each result. The iteration
                ends when `ask` returns None and no process has a task.

        Raises:
            Exception: `work` raised this exception.
        """
        self._workers = [_Worker(self._work) for _ in range(self._jobs)]
        left: deque[Task] = deque()  # tasks of dead processes that these had not begun
        while True:
            for number in range(1, AHEAD + 1):
                for worker in self._workers:
                    while len(worker.tasks) < number:
                        task = left.popleft() if left else ask()
                        if task is None:
                            break
                        worker.give(task)
            busy = {worker.pipe: number for number, worker in enumerate(self._workers) if worker.tasks}
            if not busy:
                return
            for pipe in wait(list(busy)):
                number = busy[pipe]  # type: ignore[index]  # it waits for nothing but these pipes
                worker = self._workers[number]
                task, result = worker.take()
                if isinstance(result, Died):
                    left.extend(worker.tasks)
                    self._workers[number] = _Worker(self._work)
                yield task, result


class _Failed(NamedTuple):
    """Stands for the result of a task for which the work function raised an exception."""

    error: Exception


class _Worker(Generic[Task, Result]):
    """A worker process with the tasks that it has been given and that are not done yet, the oldest first."""

    def __init__(self, work: Callable[[Task], Result]) -> None:
        self.tasks: deque[Task] = deque()
        self.pipe: Connection[Any, Any]
        self.pipe, theirs = multiprocessing.Pipe()
        self.process: BaseProcess = multiprocessing.Process(
            target=_serve, args=(self.pipe, theirs, work), daemon=True
        )
        self.process.start()
        theirs.close()  # so that the pipe ends when the process does

    def give(self, task: Task) -> None:
        """Send a task to the process."""
        self.tasks.append(task)
        try:
            self.pipe.send(task)
        except OSError:
            return  # the process has died; `take` will notice

    def take(self) -> tuple[Task, Result | Died]:
        """Wait until the process has done its oldest task; return the task and its result.

        Raises:
            Exception: The work function raised this exception.
        """
        try:
            result = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(LAST_WORDS)
            self.end()
            code = self.process.exitcode or 0
            result = Died(f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}")
        if isinstance(result, _Failed):
            raise result.error
        return self.tasks.popleft(), result

    def end(self) -> None:
        """Kill the process and close its pipe."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(near: Connection[Any, Any], pipe: Connection[Any, Any], work: Callable[[Any], object]) -> None:
    """Run in a worker process: do the tasks that come through `pipe`, and send back their results, until the parent ends.

    A forked process inherits the parent's ends of its own pipe and of all older processes' pipes. If the parent is killed, the
    youngest process sees its pipe close and ends; that closes the pipe of the next older one, and so on.

    Args:
        near: The parent's end of the pipe.
        pipe: This process's end of the pipe.
        work: The function that does a task.
    """
    near.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # objects from before the first task are never garbage: don't scan them
    with suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            try:
                result = work(task)
            except Exception as error:  # noqa: BLE001  # raised again in the parent
                result = _Failed(error)
            pipe.send(result)
