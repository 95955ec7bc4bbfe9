"""Workers of a Dask scheduler that do tasks by one function, the work. Any worker may die without harm to the rest."""

from __future__ import annotations

from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

from distributed import Client, KilledWorker, WorkerPlugin, as_completed, get_worker
from distributed.protocol.pickle import dumps, loads

from dungeon.core.crew import AHEAD, Died
from dungeon.core.errors import PlaytestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from distributed import Future, Worker

Task = TypeVar("Task")
Result = TypeVar("Result")

PATIENCE = 30
"""Seconds to wait for the scheduler's answer, and for a first worker."""

ROLL_CALL = 2.0
"""Seconds between two counts of the workers, which may come and go."""


class Cluster(Generic[Task, Result]):
    """The workers of a Dask scheduler, used like a `Crew`: in a ``with`` statement, at whose end they are released.

    Each worker thread gets at most `AHEAD` tasks at a time, so that few results wait to be taken. Tasks of a worker that has died
    are given to another one, as often as the scheduler allows.

    Args:
        work: The function that does a task; it is sent to each worker once, also to workers that come later.
        address: The scheduler: ``tcp://HOST:PORT``.

    Raises:
        PlaytestError: The scheduler does not answer, no worker comes, or a worker has another version of the library.
    """

    def __init__(self, work: Callable[[Task], Result], address: str) -> None:
        self._work = work
        self._address = address
        self._name = f"dungeon-{uuid4().hex}"  # unique: other programs may use the same workers
        self._stack = ExitStack()
        self._client: Client
        self._room = 0
        self._counted = -ROLL_CALL

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._client = stack.enter_context(_client_of(self._address))
            stack.callback(self._remove_work)
            try:
                self._client.register_plugin(_Work(self._work), self._name)
                self._client.wait_for_workers(1, timeout=PATIENCE)
            except ImportError as error:
                raise PlaytestError(f"a worker of {self._address} lacks the module {error.name}") from error
            except TimeoutError as error:
                start = f"start some with: dask worker {self._address} --nthreads 1"
                raise PlaytestError(f"{self._address} has no workers: {start}") from error
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def results(self, ask: Callable[[], Task | None]) -> Iterator[tuple[Task, Result | Died]]:
        """Yield each task with its result as it is done, in any order.

        A dying worker takes all its tasks along, and any of them may have killed it. Tasks whose workers died again and again
        wait until all others are done. They are then yielded as `Died`, and further tasks are done one at a time.

        Args:
            ask: Returns another task, or None if there is none for now. It is asked again after each result.

        Raises:
            PlaytestError: The scheduler is gone.
            Exception: An error raised by the work.
        """
        doubtful = []
        for task, result in self._run_tasks(ask, self._capacity_now):
            if isinstance(result, Died):
                doubtful.append((task, result))
            else:
                yield task, result
        yield from doubtful
        yield from self._run_tasks(ask, lambda: 1)

    def _run_tasks(
        self, ask: Callable[[], Task | None], room: Callable[[], int]
    ) -> Iterator[tuple[Task, Result | Died]]:
        """Yield tasks with their results, in any order.

        Args:
            ask: Returns another task, or None if there is none for now.
            room: Returns the maximum number of tasks that may be under way.
        """
        given: dict[Future[Any], Task] = {}
        done = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)

        def give(task: Task) -> None:
            future = self._client.submit(_do, self._name, task, pure=False)
            given[future] = task
            done.add(future)

        while True:
            while len(given) < room() and (task := ask()) is not None:
                give(task)
            if not given:
                return
            for future, outcome in done.next_batch():
                task = given.pop(future)
                if isinstance(outcome, CancelledError) and self._client.status == "running":
                    give(task)  # its worker has died between doing it and handing over the result
                else:
                    yield task, self._result_of(outcome)

    def _result_of(self, outcome: Any) -> Result | Died:
        """Return the result of a finished task from what Dask returned, or raise its error."""
        if isinstance(outcome, _Done):
            result: Result = outcome.result
            return result
        if isinstance(outcome, CancelledError):
            raise self._gone() from outcome
        _, error, _ = outcome
        if isinstance(error, KilledWorker):
            return Died(f"{error.allowed_failures + 1} workers of the cluster, one after the other")
        raise error

    def _capacity_now(self) -> int:
        """Return the maximum number of tasks under way: `AHEAD` for each worker thread; `AHEAD` if there is no worker just now."""
        now = monotonic()
        if now >= self._counted + ROLL_CALL:
            try:
                threads = self._client.nthreads()
            except OSError as error:  # the connection is closed
                raise self._gone() from error
            self._room = AHEAD * max(1, sum(threads.values()))
            self._counted = now
        return self._room

    def _gone(self) -> PlaytestError:
        """Return the error for a scheduler that is gone."""
        return PlaytestError(f"the scheduler at {self._address} has gone; what is recorded is whole")

    def _remove_work(self) -> None:
        """Remove the work from all workers; ignore workers that can't be reached, also because the scheduler has gone."""
        if self._client.status == "running":
            with suppress(OSError, TimeoutError):
                self._client.unregister_worker_plugin(self._name)


class _Connection(Client):
    """A client that is closed at once if it finds no scheduler.

    If closing were left to the garbage collector, it could run while another client starts, and wait forever for a lock
    that the other client holds.
    """

    def __init__(self, address: str) -> None:
        try:
            super().__init__(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        except BaseException:
            self.close()  # type: ignore[no-untyped-call]
            raise


def _client_of(address: str) -> Client:
    """Return a client connected to a scheduler.

    Raises:
        PlaytestError: There is no scheduler at that address.
    """
    try:
        return _Connection(address)
    except (OSError, ValueError) as error:
        raise PlaytestError(f"there is no scheduler at {address}: {error}") from error


class _Work(WorkerPlugin):
    """The work, pickled, as a plugin that Dask sends to each worker. Only the same version of the library unpickles it."""

    def __init__(self, work: Callable[[Any], object]) -> None:
        self._packed = dumps(work)
        self._version = version("tcod-dungeon")
        self.do: Callable[[Any], object]

    def setup(self, worker: Worker) -> None:
        """Unpickle the work on a worker.

        Raises:
            PlaytestError: It was pickled by another version of the library.
        """
        here = version("tcod-dungeon")
        if here != self._version:
            raise PlaytestError(
                f"worker {worker.address} has version {here} of the library, not {self._version}"
            )
        self.do = loads(self._packed)


class _Done(NamedTuple):
    """A result of the work, as distinct from the errors that Dask returns in its place."""

    result: Any


def _do(name: str, task: object) -> _Done:
    """Do a task on the worker that runs this function; `name` is the name of the plugin with the work."""
    work = get_worker().plugins[name]
    assert isinstance(work, _Work)
    return _Done(work.do(task))
