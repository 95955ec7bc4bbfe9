"""Processes that share work, of which any may die without harm to the rest."""

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
"""So many seconds a process has to end by itself once nothing comes from it any more."""

AHEAD = 2
"""How many tasks a process has at a time: one to do, and one to go on with while the result of the first is looked at."""


class Died(NamedTuple):
    """A process has died over a task; `how` says how, in words."""

    how: str


class Crew(Generic[Task, Result]):
    """Processes that do tasks: to be used in a `with`, at the end of which they are ended, whatever they do.

    Each has at most `AHEAD` tasks, so that however many there are, few results wait to be taken. They take no notice of
    Ctrl-C, which is for the process that started them; when that one dies, they end by themselves.

    Args:
        work: What is done with a task; it is handed to each process once.
        jobs: How many processes there are.
    """

    def __init__(self, work: Callable[[Task], Result], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._hands: list[_Hand[Task, Result]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hand in self._hands:
            hand.end()
        self._hands.clear()

    def results(self, ask: Callable[[], Task | None]) -> Iterator[tuple[Task, Result | Died]]:
        """Yield each task with what came of it, as they are done, which may be in another order.

        Args:
            ask: Returns another task, or None if there is none for now. It is asked again after each result; when
                it has none and all is done, that is the end.

        Raises:
            Exception: What the work has raised.
        """
        self._hands = [_Hand(self._work) for _ in range(self._jobs)]
        left: deque[Task] = deque()  # by those who died before they had begun with it
        while True:
            for number in range(1, AHEAD + 1):
                for hand in self._hands:
                    while len(hand.tasks) < number:
                        task = left.popleft() if left else ask()
                        if task is None:
                            break
                        hand.give(task)
            busy = {hand.pipe: number for number, hand in enumerate(self._hands) if hand.tasks}
            if not busy:
                return
            for pipe in wait(list(busy)):
                number = busy[pipe]  # type: ignore[index]  # a pipe is all that it waits for
                hand = self._hands[number]
                task, result = hand.take()
                if isinstance(result, Died):
                    left.extend(hand.tasks)
                    self._hands[number] = _Hand(self._work)
                yield task, result


class _Failed(NamedTuple):
    """What the work has raised over a task."""

    error: Exception


class _Hand(Generic[Task, Result]):
    """A process of the crew, and the tasks that it has been given, in their order."""

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
        """Give it another task."""
        self.tasks.append(task)
        try:
            self.pipe.send(task)
        except OSError:
            return  # it has died, as whoever takes its answer will see

    def take(self) -> tuple[Task, Result | Died]:
        """Wait for what comes of its first task, and return both.

        Raises:
            Exception: What the work has raised.
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
        """End it, at once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(near: Connection[Any, Any], pipe: Connection[Any, Any], work: Callable[[Any], object]) -> None:
    """Do the tasks that come through a pipe until nobody is at its other, near end.

    A forked process has that end, too, and those of processes that were there before. When who gives the tasks is killed,
    the youngest process is the first to be alone, and ends; with it goes what kept the next one waiting.
    """
    near.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # what was there before the first task stays to the last
    with suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            try:
                result = work(task)
            except Exception as error:  # noqa: BLE001  # it is raised where the result is wanted
                result = _Failed(error)
            pipe.send(result)
