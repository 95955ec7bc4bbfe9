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
    """The result of a task during which its process died. `how` is in words: ``killed by signal 9``."""

    how: str


class Crew(Generic[Task, Result]):
    """Worker processes that do tasks. Use it in a `with` block; at its end all processes are killed.

    Each process has at most `AHEAD` tasks, so few results wait in memory. Ctrl-C does not stop the processes, only
    their parent. If the parent dies, they end by themselves.

    Args:
        work: The function that does a task; sent to each process once.
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
        """Yield (task, result) pairs as the tasks are done, which may be in another order.

        Args:
            ask: Returns the next task, or None if there is none now. It is called again after each result. The
                iteration ends when it returns None and no task is in work.

        Raises:
            Exception: `work` has raised it.
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
    """An exception that the work raised for a task."""

    error: Exception


class _Worker(Generic[Task, Result]):
    """A process of the crew, and the tasks that it has been given, the oldest first."""

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
        """Wait for the result of the oldest task; return the task and the result.

        Raises:
            Exception: The work has raised it.
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
    """Do the tasks that come through `pipe` until its other end, `near`, is closed in every process.

    A forked process inherits `near` and the near ends of older processes. If the parent is killed, the youngest
    process sees its pipe close first and ends; that closes the pipe of the next older one, and so on.
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
