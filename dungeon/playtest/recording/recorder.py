"""Making worlds by the thousand, and writing down what they hold.

Seeds go out to processes in batches, what comes back is written by the one process that began it all. Nothing depends on
which process makes a world, nor on when: a run that was stopped and went on is the same as one that was not.
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
from dungeon.core.errors import PlaytestError
from dungeon.core.lazy import collector_paused
from dungeon.playtest.reading import fingerprint
from dungeon.playtest.recording.probes import Games, generation
from dungeon.playtest.recording.store import Batch, Facts, RowCollector, opened

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable

    from dungeon.content.library import Content
    from dungeon.playtest.cluster import Cluster
    from dungeon.playtest.recording.parts import PartDraft, PartStore
    from dungeon.playtest.recording.store import Store
    from dungeon.world import World

    Probe = Callable[[World, Collection[str], RowCollector], None]
    """What worlds are asked: it looks at some maps of a world and adds rows. The rows depend on nothing else."""

BATCH_SECONDS = 0.5
"""How long a batch should take: so much is lost if a run is killed, and so often something is written."""

FAR_BATCH_SECONDS = 5.0
"""Likewise of workers elsewhere, of which there may be a hundred: each batch waits for the disk when it is written."""

PART_SECONDS = 60.0
"""Likewise of parts, which are files, and should not be too many."""

MOST_IN_BATCH = 1000

SEEDS = range(-(2**63), 2**63 - 1)
"""What a run has space for; the number after the last seed is one of 64 bits, too."""


class Progress(NamedTuple):
    """How far a run has come.

    Attributes:
        worlds: How many worlds have been recorded, those that were there before among them.
        total: How many there are to be.
        before: How many were there before.
    """

    worlds: int
    total: int
    before: int


class Recorded(NamedTuple):
    """What has been recorded of the worlds that were asked for.

    Attributes:
        path: The file.
        worlds: How many worlds it holds; `levels`, how many of their levels.
        failed_worlds: Of how many worlds nothing is known.
        failed_levels: How many levels could not be made.
        games: How many games bots have played in them.
        failed_games: How many of these could not be played.
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
    """Make worlds and record what they hold. What is recorded already is not made again.

    Args:
        content: The content, or its folder. Its files must be those that it was read from.
        worlds: The seeds, which follow on each other.
        out: The folder of the run; it is made if it is not there.
        maps: Ids of maps, branches or types of map, to look at no others.
        jobs: How many processes make them.
        told: Called at first, and whenever some more have been recorded.
        probe: What worlds are asked; a run has one. `Games` has bots play in them.
        scheduler: The address of a Dask scheduler, ``tcp://HOST:PORT``, whose workers make them in place of processes.

    Raises:
        ContentError: Something is wrong in the content.
        KeyError: No world has a map of that name.
        PlaytestError: The folder holds another run, or can't be written; or there is no such scheduler.
        ValueError: These are no seeds that follow on each other, or they are too large.
    """
    job = _job(content, worlds, maps, probe)
    seconds = BATCH_SECONDS if scheduler is None else FAR_BATCH_SECONDS
    with opened(Path(out), job.facts) as store, _hands(job.work, jobs, scheduler) as hands:
        return _recorded(job, store, hands, seconds, told)


def record_parts(
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
    """Do what `record` does, but let those who make worlds write them: as Parquet files, in parts of about a minute.

    Args:
        content: As for `record`, and so are all others but the next.
        worlds: The seeds, which follow on each other.
        out: The folder of the run, which all workers know by this path.
        maps: Ids of maps, branches or types of map, to look at no others.
        jobs: How many processes make them.
        told: Called at first, and whenever some more have been recorded.
        probe: What worlds are asked; a run has one. `Games` has bots play in them.
        scheduler: The address of a Dask scheduler.

    Raises:
        ContentError: Something is wrong in the content.
        KeyError: No world has a map of that name.
        PlaytestError: The folder holds another run, can't be written, or not all workers share it; or there is no such
            scheduler, or the extra `lab` is not installed.
        ValueError: These are no seeds that follow on each other, or they are too large.
    """
    try:
        from dungeon.playtest.recording.parts import drafted, opened_parts  # noqa: PLC0415
    except ImportError as error:
        raise PlaytestError(f"{error.name} is missing: pip install 'tcod-dungeon[lab]'") from error
    job = _job(content, worlds, maps, probe)
    folder = Path(out).resolve()
    work = partial(drafted, job.work, job.facts, folder)
    with opened_parts(folder, job.facts) as store, _hands(work, jobs, scheduler) as hands:
        return _recorded(job, store, hands, PART_SECONDS, told)


class _Job(NamedTuple):
    """What there is to do: for these seeds, this work; and what all of it has in common."""

    worlds: range
    work: Callable[[range], Batch]
    facts: Facts


def _job(content: Content | str | os.PathLike[str], worlds: range, maps: Iterable[str], probe: Probe) -> _Job:
    """Return what there is to do; it raises what `record` does."""
    if worlds.step != 1 or (worlds and not (worlds[0] in SEEDS and worlds[-1] in SEEDS)):
        raise ValueError(f"seeds are to follow on each other, within 64 bits, not {worlds}")
    if not isinstance(content, dungeon.Content):
        content = dungeon.load_content(content)
    maps = tuple(maps)
    asked = maps_called(content, maps)
    facts = Facts(
        probe=getattr(probe, "__name__", type(probe).__name__),
        content=fingerprint(content.layers),
        package=version("tcod-dungeon"),
        maps=" ".join(asked) if maps else "",
        games=probe.arguments if isinstance(probe, Games) else "",
        arguments=_arguments(content, probe.modules if isinstance(probe, Games) else ()),
    )
    return _Job(worlds, partial(batch_of, content, frozenset(asked), probe), facts)


def _recorded(
    job: _Job,
    store: Store | PartStore,
    hands: Crew[range, Any] | Cluster[range, Any],
    seconds: float,
    told: Callable[[Progress], None] | None,
) -> Recorded:
    """Let hands do what is missing in a store, in batches that take so many seconds."""
    worlds = job.worlds
    write: Callable[[Any], None] = store.write  # what hands bring is what their store takes
    plan = _Plan(store.missing(worlds), seconds)
    done = before = len(worlds) - plan.left
    if told is not None:
        told(Progress(done, len(worlds), before))
    for seeds, result in hands.results(plan.ask):
        batch = plan.deal_with(seeds, result)
        if batch is None:
            continue
        write(batch)
        done += len(seeds)
        if told is not None:
            told(Progress(done, len(worlds), before))
    store.finish()
    return Recorded(
        store.path,
        store.counted("world", worlds),
        store.counted("level", worlds),
        store.counted("world", worlds, failed=True),
        store.counted("level", worlds, failed=True),
        store.counted("play", worlds),
        store.counted("play", worlds, failed=True),
    )


def _hands(
    work: Callable[[range], Any], jobs: int, scheduler: str | None
) -> Crew[range, Any] | Cluster[range, Any]:
    """Return who does the work: processes, or the workers of a scheduler. Nobody else needs Dask."""
    if scheduler is None:
        return Crew(work, jobs)
    try:
        from dungeon.playtest.cluster import Cluster  # noqa: PLC0415
    except ImportError as error:
        raise PlaytestError(f"{error.name} is missing: pip install 'tcod-dungeon[cluster]'") from error
    return Cluster(work, scheduler)


def maps_called(content: Content, names: Iterable[str]) -> list[str]:
    """Return the ids of the maps of these ids, branches and types, in their order; of all, where none is named.

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
    """Make the worlds of some seeds and return what the probe finds."""
    rows = RowCollector()
    start = perf_counter()
    for seed in seeds:
        with collector_paused():
            try:
                world = dungeon.World(content, seed)
            except Exception as error:  # noqa: BLE001  # one bad world must not end thousands; it is listed among the failures
                rows.add("world", seed, f"{type(error).__name__}: {error}")
                continue
            probe(world, asked, rows)
        rows.add("world", seed, None)
    return rows.batch(seeds, perf_counter() - start)


class _Plan:
    """What is still to be done, and what to do where a process has died over it.

    Args:
        gaps: The seeds that are missing.
        seconds: How long a batch should take.

    Attributes:
        left: How many worlds there were to make at first.
    """

    def __init__(self, gaps: Iterable[range], seconds: float) -> None:
        self._gaps = deque(gaps)
        self._seconds = seconds
        self._size = 1
        self._again: deque[range] = deque()
        self._suspects: set[int] = set()
        self.left = sum(map(len, self._gaps))

    def ask(self) -> range | None:
        """Return the seeds of another batch; None if there is none for now."""
        if self._again:
            return self._again.popleft()
        if not self._gaps:
            return None
        gap = self._gaps.popleft()
        if len(gap) > self._size:
            self._gaps.appendleft(gap[self._size :])
        return gap[: self._size]

    def deal_with(self, seeds: range, result: Batch | PartDraft | Died) -> Batch | PartDraft | None:
        """Return what is to be recorded of a batch, None if it is to be made again.

        A batch over which a process died is made again world by world. A world over which another one dies is recorded
        as failed.
        """
        if not isinstance(result, Died):
            each = result.seconds / len(seeds)
            self._size = int(min(MOST_IN_BATCH, max(1, self._seconds // max(each, 1e-6))))
            return result
        if len(seeds) == 1 and seeds[0] in self._suspects:
            rows = RowCollector()
            rows.add("world", seeds[0], f"the process that made it died: {result.how}")
            return rows.batch(seeds, 0.0)
        self._suspects.update(seeds)
        self._again.extend(range(seed, seed + 1) for seed in seeds)
        return None


def _arguments(content: Content, modules: Iterable[str]) -> str:
    """Return what a command has to be told to mean some content, and to find these modules."""
    data, *mods = map(quote, content.layers)
    named = [f" --data {data}", *(f" --mod {mod}" for mod in mods)]
    imports = dict.fromkeys([*content.plugins, *modules])
    return "".join([*named, *(f" --import {quote(module)}" for module in imports)])
