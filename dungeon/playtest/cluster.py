"""Workers of a Dask cluster that share work, of which any may die without harm to the rest."""

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
"""So many seconds a scheduler has to answer, and a first worker to come."""

ROLL_CALL = 2.0
"""Every so many seconds it is asked how many workers there are: they may come and go."""


class Cluster(Generic[Task, Result]):
    """The workers of a Dask scheduler, to be used as a `Crew` is: in a `with`, at the end of which they are let go.

    Each thread of a worker has at most `AHEAD` tasks, so that however many there are, few results wait to be taken. Workers
    may come and go. What one was about when it died is given to another one, up to as often as the scheduler allows.

    Args:
        work: What is done with a task; it is handed to each worker once, also to those that come later.
        address: Where the scheduler is: ``tcp://HOST:PORT``.

    Raises:
        PlaytestError: The scheduler does not answer, no worker comes, or one has another version of the library.
    """

    def __init__(self, work: Callable[[Task], Result], address: str) -> None:
        self._work = work
        self._address = address
        self._name = f"dungeon-{uuid4().hex}"  # others may have work for the same workers
        self._stack = ExitStack()
        self._client: Client
        self._room = 0
        self._counted = -ROLL_CALL

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._client = stack.enter_context(_client_of(self._address))
            stack.callback(self._take_work_back)
            try:
                self._client.register_plugin(_Work(self._work), self._name)
                self._client.wait_for_workers(1, timeout=PATIENCE)
            except ImportError as error:
                raise PlaytestError(f"a worker of {self._address} has no {error.name}") from error
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
        """Yield each task with what came of it, as they are done, which may be in another order.

        Who dies takes along whatever had been given to it, and it can't be told which task was to blame. So those over which
        workers have died again and again wait until all else is done. Then they are told to have `Died`, and from
        then on there is but one task at a time.

        Args:
            ask: Returns another task, or None if there is none for now. It is asked again after each result.

        Raises:
            PlaytestError: The scheduler has gone.
            Exception: What the work has raised.
        """
        doubtful = []
        for task, result in self._done(ask, self._room_now):
            if isinstance(result, Died):
                doubtful.append((task, result))
            else:
                yield task, result
        yield from doubtful
        yield from self._done(ask, lambda: 1)

    def _done(
        self, ask: Callable[[], Task | None], room: Callable[[], int]
    ) -> Iterator[tuple[Task, Result | Died]]:
        """Yield tasks with their results, while there are never more under way than there is room for."""
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
        """Return what came of a task, of which Dask has a result, or how it failed."""
        if isinstance(outcome, _Done):
            result: Result = outcome.result
            return result
        if isinstance(outcome, CancelledError):
            gone = f"the scheduler at {self._address} has gone; what is recorded is whole"
            raise PlaytestError(gone) from outcome
        _, error, _ = outcome
        if isinstance(error, KilledWorker):
            return Died(f"{error.allowed_failures + 1} workers of the cluster, one after the other")
        raise error

    def _room_now(self) -> int:
        """Return how many tasks may be under way: some for each worker, and one if there is none just now."""
        now = monotonic()
        if now >= self._counted + ROLL_CALL:
            self._room = AHEAD * max(1, sum(self._client.nthreads().values()))
            self._counted = now
        return self._room

    def _take_work_back(self) -> None:
        """Let workers forget what was to be done; if they are out of reach, so is what they remember."""
        with suppress(OSError, TimeoutError):
            self._client.unregister_worker_plugin(self._name)


class _Connection(Client):
    """A client that is closed at once if it finds no scheduler.

    Were that left to the garbage collector, it might be done while another client starts, and wait for ever for a lock which that has.
    """

    def __init__(self, address: str) -> None:
        try:
            super().__init__(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        except BaseException:
            self.close()  # type: ignore[no-untyped-call]
            raise


def _client_of(address: str) -> Client:
    """Return what speaks with a scheduler."""
    try:
        return _Connection(address)
    except (OSError, ValueError) as error:
        raise PlaytestError(f"there is no scheduler at {address}: {error}") from error


class _Work(WorkerPlugin):
    """What a worker does with tasks, unpacked only where the same version of the library is."""

    def __init__(self, work: Callable[[Any], object]) -> None:
        self._packed = dumps(work)
        self._version = version("tcod-dungeon")
        self.do: Callable[[Any], object]

    def setup(self, worker: Worker) -> None:
        """Unpack it.

        Raises:
            PlaytestError: It was packed by another version of the library.
        """
        here = version("tcod-dungeon")
        if here != self._version:
            raise PlaytestError(
                f"worker {worker.address} has version {here} of the library, not {self._version}"
            )
        self.do = loads(self._packed)


class _Done(NamedTuple):
    """What the work has returned, and that it has: what went wrong comes as something else."""

    result: Any


def _do(name: str, task: object) -> _Done:
    """Do a task, on a worker."""
    work = get_worker().plugins[name]
    assert isinstance(work, _Work)
    return _Done(work.do(task))
