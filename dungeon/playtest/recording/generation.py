"""The first probe: what levels are made of, and how long they take to make."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from dungeon.metrics import measurements_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from dungeon.level.model import Level
    from dungeon.level.steps import Phase, Step
    from dungeon.playtest.recording.rows import Rows
    from dungeon.world import World

MEASURED_WHOLLY = 2
"""One in so many worlds, by the seed, has the measurements made that take about as long as all others together."""


def generation(world: World, asked: Collection[str], rows: Rows) -> None:
    """Make levels of a world, and note what they hold.

    A level that can't be made is noted as well, whoever's fault that is.

    Args:
        world: The world.
        asked: The ids of the maps.
        rows: Takes what is found.
    """
    for _ in noted(world, asked, rows):
        pass


def noted(world: World, asked: Collection[str], rows: Rows) -> Iterator[Level]:
    """Do what `generation` does, and yield each level that could be made."""
    for node in world.maps:
        if node.id not in asked:
            continue
        names = rows.name(node.id), rows.name(node.name)
        clock = _Clock()
        try:
            level = world.level(node.id, told=clock)
            measured = measurements_of(level, all_of_them=world.seed % MEASURED_WHOLLY == 0)
        except Exception as error:  # noqa: BLE001  # one bad level must not end thousands; it is listed among the failures
            failed = f"{type(error).__name__}: {error}"
            rows.number("level", world.seed, *names, node.depth, *[None] * 5, failed)
            continue
        size = level.height, level.width
        number = rows.number(
            "level", world.seed, *names, node.depth, *size, *level.entrance, level.retries, None
        )
        for phase, seconds in clock.seconds.items():
            rows.add("timing", number, rows.name(phase.value), round(1e6 * seconds))
        _note_places(number, level, rows)
        _note_spawns(number, level, rows)
        _note_measurements(number, measured, rows)
        yield level


class _Clock:
    """Called with the steps of a level, it finds how long each stage takes: `seconds`."""

    def __init__(self) -> None:
        self.seconds: dict[Phase, float] = {}
        self._last = perf_counter()

    def __call__(self, step: Step) -> None:
        now = perf_counter()
        self.seconds[step.phase] = self.seconds.get(step.phase, 0.0) + now - self._last
        self._last = now


def _note_places(number: int, level: Level, rows: Rows) -> None:
    """Note where the ways out are, what has been placed, and what has been refused."""
    for n, way in enumerate(level.exits):
        rows.add("exit", number, n, rows.name(way.leads_to), way.y, way.x)
    for n, each in enumerate(level.placements):
        names = each.encounter, each.category, each.prefab, each.mode, each.orientation
        box = each.bounds
        place = each.region, box.y, box.x, box.height, box.width
        rows.add("placement", number, n, *map(rows.name, names), *place, each.copy, rows.name(each.variant))
    refused = (each for each in level.journal if each.verdict == "refused")
    for n, decision in enumerate(refused):
        words = decision.stage, decision.subject, decision.reason
        rows.add("refusal", number, n, *map(rows.name, words))
        for turn, (rule, count) in enumerate(decision.counts):
            rows.add("refused_spot", number, n, turn, rows.name(rule), count)


def _note_spawns(number: int, level: Level, rows: Rows) -> None:
    """Note what stands where, and who holds what."""
    name, noted = rows.name, rows.tables["spawn"]
    standing = [(each, None) for each in level.spawns]
    held = [(item, holder) for holder, each in enumerate(level.spawns) for item in each.loadout]
    noted += [
        (
            number,
            n,
            name(each.kind),
            name(each.like),
            name(each.tag),
            name(each.source),
            each.y,
            each.x,
            each.placement,
            holder,
        )
        for n, (each, holder) in enumerate([*standing, *held])
    ]


def _note_measurements(number: int, measured: Mapping[str, Any], rows: Rows) -> None:
    """Note the numbers of a level, and how its locks are opened."""
    for metric, value in _numbers_of(measured):
        if value is not None:
            rows.add("metric", number, rows.name(metric), float(value))
    for n, lock in enumerate(measured.get("locks", ())):
        names = rows.name(lock.word), rows.name(lock.what)
        rows.add("lock", number, n, *names, *lock.cell, lock.sphere, lock.distance)
    for key in measured.get("keys", ()):
        for word in key.words:
            rows.add("key", number, key.spawn, rows.name(word), int(key.consumed), key.sphere)


def _numbers_of(measured: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    """Yield what each measurement is called, and how much it is; None where there is nothing to measure."""
    for name, value in measured.items():
        if name == "exits":
            yield "exit_nearest", min(value, default=None)
            yield "exit_farthest", max(value, default=None)
        elif name == "regions":
            yield from ((f"regions_{kind}", count) for kind, count in value)
        elif isinstance(value, tuple):
            yield name, len(value)
        else:
            yield name, value
