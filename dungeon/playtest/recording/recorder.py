"""Recording worlds with several processes or machines.

Batches of seeds go out to the workers. Each comes back as a part of the run, packed as Parquet files, and one process stores
them. The rows of a world do not depend on the worker or on the order. So a run that was stopped and continued is equal to one that was not.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import dungeon
from dungeon.core.crew import Crew, Died
from dungeon.core.errors import PLUGIN_FAULTS, PlaytestError, described, missing_module
from dungeon.core.lazy import collector_paused
from dungeon.playtest.reading import fingerprint
from dungeon.playtest.recording.manifest import Facts
from dungeon.playtest.recording.probes import Games, generation
from dungeon.playtest.recording.rows import RowCollector

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable

    from dungeon.content.library import Content
    from dungeon.playtest.cluster import Cluster
    from dungeon.playtest.recording.parts import Part, PartStore
    from dungeon.playtest.recording.rows import Batch
    from dungeon.world import World

    Probe = Callable[[World, Collection[str], RowCollector], None]
    """Records the named maps of a world as rows, which depend on nothing else."""

BATCH_SECONDS = 0.5
"""Smallest target time of a batch. Its worlds are made again if the run is stopped while they are made."""

MOST_SECONDS = 60.0
"""Largest target time of a batch: long recordings should not have too many parts."""

SHARE = 0.1
"""Target time of a batch as a share of the time that the recording has taken so far, between these two."""

MOST_IN_BATCH = 1000
"""Maximum number of worlds in a batch."""

SEEDS = range(-(2**63), 2**63 - 1)
"""The seeds that a run can store: 64 bits, and so has the number after the last seed."""


class Progress(NamedTuple):
    """The progress of a recording.

    Attributes:
        worlds: Number of worlds recorded so far, earlier ones included.
        total: Number of worlds to record.
        before: Number of worlds that had been recorded earlier.
    """

    worlds: int
    total: int
    before: int


class Recorded(NamedTuple):
    """The numbers of a finished recording, for the worlds that were asked for.

    Attributes:
        path: The folder of the run.
        worlds: Number of worlds.
        levels: Number of their levels.
        failed_worlds: Number of worlds that could not be made.
        failed_levels: Number of levels that could not be made.
        games: Number of games played by bots.
        failed_games: Number of games that could not be played.
    """

    path: Path
    worlds: int
    levels: int
    failed_worlds: int
    failed_levels: int
    games: int
    failed_games: int


def record(
    content: Content | str | os.PathLike[str],
    worlds: range,
    *,
    out: str | os.PathLike[str],
    maps: Iterable[str] = (),
    jobs: int = 1,
    told: Callable[[Progress], None] | None = None,
    probe: Probe = generation,
    scheduler: str | None = None,
) -> Recorded:
    """Make worlds and record them in a folder. Worlds that are already recorded there are not made again.

    Args:
        content: The content, or its folder. Its files must not have changed since it was loaded. For worlds of a difficulty,
            what `Content.at_difficulty` returns.
        worlds: The seeds, with a step of 1.
        out: The folder of the run; it is created if needed.
        maps: Map ids, branches or types of map to make; empty for all maps.
        jobs: Number of processes.
        told: A function that is called with the progress, at the start and whenever more worlds have been recorded.
        probe: The function that makes and records each world. A run has one probe. With `Games`, bots play in the worlds.
        scheduler: Address of a Dask scheduler, ``tcp://HOST:PORT``, whose workers replace the processes.

    Raises:
        ContentError: The content is wrong.
        KeyError: No world has a map of that name.
        PlaytestError: The folder holds a different run or can't be written, the scheduler does not answer, or the extra `lab`
            is not installed.
        ValueError: The seeds have another step than 1, or are too large.

    Example:
        >>> from dungeon.playtest import record
        >>> recorded = record(content, range(3), out="run", maps=["foundry/3"])
        >>> recorded.levels
        3
    """
    try:
        from dungeon.playtest.recording.parts import open_store, packed  # noqa: PLC0415
        from dungeon.playtest.run import Run  # noqa: PLC0415
    except ImportError as error:
        raise PlaytestError(missing_module(error, "lab")) from error
    job = _job_for(content, worlds, maps, probe)
    with open_store(Path(out), job.facts) as store:
        with Run(out) as run:
            run.check()  # nothing is added to a damaged run
        with _workers(partial(packed, job.work), jobs, scheduler) as workers:
            _record_job(job, store, workers, told)
    with Run(out) as run:
        query = (
            f"SELECT count(*), count(error) FROM {{}} WHERE seed BETWEEN {worlds.start} AND {worlds.stop - 1}"
        )
        counts = [run.sql(query.format(view)).fetchall()[0] for view in ("worlds", "levels", "plays")]
    (made, failed), (levels, failed_levels), (games, failed_games) = counts
    return Recorded(Path(out), made, levels, failed, failed_levels, games, failed_games)


class _Job(NamedTuple):
    """The seeds, the function that makes them, and the facts that all of them share."""

    worlds: range
    work: Callable[[range], Batch]
    facts: Facts


def _job_for(
    content: Content | str | os.PathLike[str], worlds: range, maps: Iterable[str], probe: Probe
) -> _Job:
    """Return the job of a recording; raise the errors of `record`."""
    if worlds.step != 1 or (worlds and not (worlds[0] in SEEDS and worlds[-1] in SEEDS)):
        raise ValueError(f"seeds must have a step of 1 and fit in 64 bits, not {worlds}")
    if not isinstance(content, dungeon.Content):
        content = dungeon.load_content(content)
    maps = tuple(maps)
    asked = map_ids_named(content, maps)
    facts = Facts(
        probe=getattr(probe, "__name__", type(probe).__name__),
        content=fingerprint(content.layers),
        package=version("tcod-dungeon"),
        maps=" ".join(asked) if maps else "",
        games=probe.arguments if isinstance(probe, Games) else "",
        arguments=content_options(content, probe.modules if isinstance(probe, Games) else ()),
    )
    return _Job(worlds, partial(batch_of, content, frozenset(asked), probe), facts)


def _record_job(
    job: _Job,
    store: PartStore,
    workers: Crew[range, Part] | Cluster[range, Part],
    told: Callable[[Progress], None] | None,
) -> None:
    """Make the worlds that a store lacks, in batches, and store them."""
    worlds = job.worlds
    plan = _Plan(store.missing(worlds))
    done = before = len(worlds) - plan.left
    if told is not None:
        told(Progress(done, len(worlds), before))
    for seeds, result in workers.results(plan.ask):
        part = plan.take_result(seeds, result)
        if part is None:
            continue
        store.write(part)
        done += len(seeds)
        if told is not None:
            told(Progress(done, len(worlds), before))


def _workers(
    work: Callable[[range], Any], jobs: int, scheduler: str | None
) -> Crew[range, Any] | Cluster[range, Any]:
    """Return the workers: processes, or those of a Dask scheduler. Dask is imported only for the latter."""
    if scheduler is None:
        return Crew(work, jobs)
    try:
        from dungeon.playtest.cluster import Cluster  # noqa: PLC0415
    except ImportError as error:
        raise PlaytestError(missing_module(error, "cluster")) from error
    return Cluster(work, scheduler)


def map_ids_named(content: Content, names: Iterable[str]) -> list[str]:
    """Return the ids of the maps that the names stand for, sorted; without names, of all maps.

    Args:
        content: The content.
        names: Map ids, branches and types of map.

    Raises:
        KeyError: No world has a map of that name.
    """
    spots = content.chart.spots.values()
    wanted = set(names)
    called = {spot.id: {spot.id, spot.branch, *spot.types} for spot in spots}
    for name in sorted(wanted.difference(*called.values())):
        raise KeyError(f"worlds of this content have no map {name!r}, only {', '.join(called)}")
    return sorted(each for each, by in called.items() if not wanted or by & wanted)


def batch_of(content: Content, asked: Collection[str], probe: Probe, seeds: range) -> Batch:
    """Make the worlds of some seeds and return the rows of the run's tables about them. A failed world is recorded with its error."""
    rows = RowCollector()
    start = perf_counter()
    for seed in seeds:
        with collector_paused():
            try:
                world = dungeon.World(content, seed)
            except PLUGIN_FAULTS as error:  # one bad world must not end thousands: it is among the failures
                rows.add("world", seed, described(error))
                continue
            probe(world, asked, rows)
        rows.add("world", seed, None)
    return rows.batch(seeds, perf_counter() - start)


class _Plan:
    """The seeds still to be made, and the retries of batches whose worker died.

    Args:
        gaps: The missing seeds.

    Attributes:
        left: Number of worlds to make, as counted at the start.
    """

    def __init__(self, gaps: Iterable[range]) -> None:
        self._gaps = deque(gaps)
        self._begun = perf_counter()
        self._size = 1
        self._retries: deque[range] = deque()
        self._suspect_seeds: set[int] = set()
        self.left = sum(map(len, self._gaps))

    def ask(self) -> range | None:
        """Return the seeds of the next batch to make; None if there is nothing to make for now."""
        if self._retries:
            return self._retries.popleft()
        if not self._gaps:
            return None
        gap = self._gaps.popleft()
        if len(gap) > self._size:
            self._gaps.appendleft(gap[self._size :])
        return gap[: self._size]

    def take_result(self, seeds: range, result: Part | Died) -> Part | Batch | None:
        """Return the part to store; None if its worlds will be made again.

        If a worker died over a batch, its worlds are made again one by one. A world that kills a second worker is recorded as failed.
        """
        if not isinstance(result, Died):
            each = result.seconds / len(seeds)
            wanted = min(MOST_SECONDS, max(BATCH_SECONDS, SHARE * (perf_counter() - self._begun)))
            self._size = int(min(MOST_IN_BATCH, max(1, wanted // max(each, 1e-6))))
            return result
        if len(seeds) == 1 and seeds[0] in self._suspect_seeds:
            rows = RowCollector()
            rows.add("world", seeds[0], f"the process that made it died: {result.how}")
            return rows.batch(seeds, 0.0)
        self._suspect_seeds.update(seeds)
        self._retries.extend(range(seed, seed + 1) for seed in seeds)
        return None


def content_options(content: Content, modules: Iterable[str]) -> str:
    """Return the command-line options that load the content, import these modules and choose the content's difficulty."""
    data, *mods = map(quote, content.layers)
    named = [f" --data {data}", *(f" --mod {mod}" for mod in mods)]
    imports = dict.fromkeys([*content.plugins, *modules])
    named += [f" --import {quote(module)}" for module in imports]
    return "".join([*named, f" --difficulty {quote(content.difficulty)}" if content.difficulty else ""])
