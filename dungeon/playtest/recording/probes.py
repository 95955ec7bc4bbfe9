"""Probes, which record facts about a world: its levels and their times (`generation`), and games of bots in it (`Games`)."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, cast

from dungeon.core.errors import PLUGIN_FAULTS, PlaytestError, described
from dungeon.metrics import measurements_of
from dungeon.playtest.bots.playing import (
    BOTS,
    LIMIT,
    UnknownBotError,
    death_in,
    event_counts_of,
    find_bot,
    meetings_of,
    play_out,
    visits_of,
)
from dungeon.playtest.game import UnknownGameError, find_game
from dungeon.playtest.recording.schema import RANGES, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.library import Content
    from dungeon.level.model import Level, Spawn
    from dungeon.level.steps import Phase, Step
    from dungeon.playtest.bots.playing import GameOutcome, MakeBot, MapVisit, Meeting
    from dungeon.playtest.game import Start
    from dungeon.playtest.recording.rows import RowCollector, Value
    from dungeon.playtest.recording.schema import Ranged, TableColumn
    from dungeon.world import World


MEASURED_WHOLLY = 2
"""Every second world, by its seed, gets all measurements; the slow ones take as long as all others together."""

MOST_SECONDS = 900.0
"""Maximum seconds of a bot's game. A game that takes longer is recorded as failed: it hangs."""

COLUMNS = {table.name: table.columns for table in TABLES}
"""Table -> its columns."""


def generation(world: World, asked: Collection[str], rows: RowCollector) -> None:
    """Make levels of a world and record them. A level that can't be made is recorded with its error.

    Args:
        world: The world.
        asked: The ids of the maps to make.
        rows: Collects the rows.
    """
    for _ in recorded_levels(world, asked, rows):
        pass


def recorded_levels(world: World, asked: Collection[str], rows: RowCollector) -> Iterator[Level]:
    """Make levels of a world and record them as `generation` does, and yield each level that could be made."""
    for node in world.maps:
        if node.id not in asked:
            continue
        names = rows.name(node.id), rows.name(node.name)
        clock = _Clock()
        try:
            level = world.level(node.id, told=clock)
            measured = measurements_of(level, all_of_them=world.seed % MEASURED_WHOLLY == 0)
        except PLUGIN_FAULTS as error:  # one bad level must not end thousands: it is among the failures
            # The same error has the same text in every world: seed and map are columns of their own.
            failed = described(error)
            for place in (
                f"{node.id} of seed {world.seed}: ",
                f" The level was {node.id} of seed {world.seed}.",
            ):
                failed = failed.replace(place, "", 1)
            rows.number("level", world.seed, *names, node.depth, *[None] * 5, failed)
            continue
        size = level.height, level.width
        number = rows.number(
            "level", world.seed, *names, node.depth, *size, *level.entrance, level.retries, None
        )
        for phase, seconds in clock.seconds.items():
            rows.add("timing", number, rows.name(phase.value), round(1e6 * seconds))
        _record_places(number, level, rows)
        _record_spawns(number, level, world.content, rows)
        _record_measurements(number, measured, rows)
        yield level


class _Clock:
    """A callback for the steps of a level that adds up the seconds of each stage in `seconds`."""

    def __init__(self) -> None:
        self.seconds: dict[Phase, float] = {}
        self._last = perf_counter()

    def __call__(self, step: Step) -> None:
        now = perf_counter()
        self.seconds[step.phase] = self.seconds.get(step.phase, 0.0) + now - self._last
        self._last = now


def _record_places(number: int, level: Level, rows: RowCollector) -> None:
    """Record a level's exits, placements and refusals."""
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


def _record_spawns(number: int, level: Level, content: Content, rows: RowCollector) -> None:
    """Record a level's spawns, first those that stand on the map, then the items that robots and props hold.

    Among the latter are keys that levels keep as the keyword `holds` of their holder.
    """
    name, spawn_rows = rows.name, rows.tables["spawn"]
    things: list[tuple[Spawn | CatalogObject, Spawn, int | None]] = [
        (each, each, None) for each in level.spawns
    ]
    for holder, each in enumerate(level.spawns):
        things += [(item, each, holder) for item in each.loadout]
        things += [(key, each, holder) for key in _held_keys(each, content)]
    spawn_rows += [
        (
            number,
            n,
            name(thing.kind),
            name(thing.like),
            name(thing.tag),
            name(spot.source),
            spot.y,
            spot.x,
            spot.placement,
            holder,
        )
        for n, (thing, spot, holder) in enumerate(things)
    ]


def _held_keys(spawn: Spawn, content: Content) -> list[CatalogObject]:
    """Return the key that a robot or prop holds for a lock, in a list; empty if it holds none."""
    tag = spawn.keywords.get("holds")
    keys = [each for each in content.objects if each.tag == tag and each.like == "item"] if tag else []
    return keys[:1]


def _record_measurements(number: int, measured: Mapping[str, Any], rows: RowCollector) -> None:
    """Record a level's metrics, locks and keys."""
    for metric, value in _metrics_of(measured):
        if value is not None:
            rows.add("metric", number, rows.name(metric), float(value))
    for n, lock in enumerate(measured.get("locks", ())):
        names = rows.name(lock.word), rows.name(lock.what)
        rows.add("lock", number, n, *names, *lock.cell, lock.sphere, lock.distance)
    for key in measured.get("keys", ()):
        for word in key.words:
            rows.add("key", number, key.spawn, rows.name(word), int(key.consumed), key.sphere)


def _metrics_of(measured: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    """Yield (metric, value) for each measurement; the value is None where there is nothing to measure."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """A probe that does the work of `generation` and then has bots play games in the world. It can be pickled.

    Attributes:
        bots: The names of the bots: see `dungeon.playtest.bots.playing.find_bot`.
        game: The name of the game: see `dungeon.playtest.game.find_game`.
        each: Number of games of each bot in each world; they have different seeds.
        limit: Number of actions after which a bot gives up.

    Raises:
        UnknownBotError: There is no bot of that name.
        UnknownGameError: There is no such game.
    """

    bots: tuple[str, ...]
    game: str
    each: int = 1
    limit: int = LIMIT

    def __post_init__(self) -> None:
        for bot in self.bots:
            find_bot(bot)
        find_game(self.game)

    @property
    def arguments(self) -> str:
        """The command-line options that play the same games."""
        bots = ",".join(self._chosen)
        return f" --bots {quote(bots)} --game {quote(self.game)} --games {self.each} --limit {self.limit}"

    @property
    def modules(self) -> list[str]:
        """The modules that commands must import: those of a game or bots named as ``module:attribute``, sorted."""
        return sorted({name.partition(":")[0] for name in (self.game, *self.bots) if ":" in name})

    @property
    def _chosen(self) -> list[str]:
        """The bots without duplicates, the built-in ones first."""
        return [*(bot for bot in BOTS if bot in self.bots), *sorted(set(self.bots).difference(BOTS))]

    def __call__(self, world: World, asked: Collection[str], rows: RowCollector) -> None:
        """Make levels of a world, let bots play in it, and record both.

        Args:
            world: The world.
            asked: The ids of the maps whose levels are recorded. Games may go to other maps, too.
            rows: Collects the rows.

        Raises:
            PlaytestError: The game or a bot is not installed here.
        """
        try:
            start, bots = find_game(self.game), [(bot, find_bot(bot)) for bot in self._chosen]
        except (UnknownBotError, UnknownGameError) as error:
            raise PlaytestError(str(error)) from error
        make = _cached_levels({level.id: level for level in recorded_levels(world, asked, rows)}, world)
        for name, bot in bots:
            for n in range(self.each):
                self._play(start, world, name, bot, n, make, rows)

    def _play(
        self,
        start: Start,
        world: World,
        name: str,
        bot: MakeBot,
        n: int,
        make: Callable[[str], Level],
        rows: RowCollector,
    ) -> None:
        """Let a bot play one game and record it; a game that raises an error or reports wrong values is recorded as failed."""
        which = world.seed, rows.name(name), n
        try:
            with time_limit(MOST_SECONDS):
                outcome = play_out(start, world, bot, n, limit=self.limit, make=make)
            play = _checked("play", *which, *_ending_columns(outcome, world, rows), None)
            visits = [
                _checked("visit", at, *_map_columns(each.map_id, world, rows), *_visit_columns(each))
                for at, each in enumerate(visits_of(outcome))
            ]
            events = [
                _checked(
                    "event",
                    at,
                    *_map_columns(each.map_id, world, rows),
                    *map(rows.name, (each.kind, each.tag)),
                    each.times,
                    each.amount,
                )
                for at, each in enumerate(event_counts_of(outcome))
            ]
            meetings = [
                _checked(
                    "meeting", at, *_map_columns(each.map_id, world, rows), *_meeting_columns(each, rows)
                )
                for at, each in enumerate(meetings_of(outcome, _robot_counter(make)))
            ]
        except PLUGIN_FAULTS as error:  # one bad game must not end thousands: it is among the failures
            nothing = rows.name("")
            failed = rows.name("failed"), None, None, nothing, nothing, None, None, None, nothing, nothing
            rows.number("play", *which, *failed, described(error))
            return
        number = rows.number("play", *play)
        for visit in visits:
            rows.add("visit", number, *visit)
        for event in events:
            rows.add("event", number, *event)
        for meeting in meetings:
            rows.add("meeting", number, *meeting)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in the `with` block after some seconds of wall time, and again each second if the block goes on.

    Only the main thread of a process can be stopped, and not on Windows. Elsewhere this does nothing.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"the game takes more than {seconds:g} seconds")

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _checked(table: str, *values: Value) -> tuple[Value, ...]:
    """Return the values of a row after its first, with NumPy's numbers as Python's: a game may report anything.

    Raises:
        TypeError: A value is not a whole number, and its column holds whole numbers.
        ValueError: A number is too small or too large for its column.
    """
    columns = COLUMNS[table][1:]
    return tuple(
        _in_range(column, value) if column.kind in RANGES else value
        for column, value in zip(columns, values, strict=True)
    )


def _in_range(column: TableColumn, value: Value) -> int | None:
    """Return a whole number for a column of a row; raise the errors of `_checked`."""
    if value is None and column.empty:
        return None
    least, most = RANGES[cast("Ranged", column.kind)]
    try:
        number = index(cast("int", value))
    except TypeError:
        raise TypeError(f"the game reports {value!r} as {column.text}: no whole number") from None
    if not least <= number <= most:
        raise ValueError(f"the game reports {number} as {column.text}: not from {least} to {most}")
    return number


def _visit_columns(visit: MapVisit) -> tuple[int, ...]:
    """Return the columns of a visit after those of its map."""
    stock = visit.gained, visit.used, visit.charge, visit.charged, visit.spent
    return visit.turn, visit.turns, visit.hp, visit.hp_lost, *stock, int(visit.died)


def _meeting_columns(meeting: Meeting, rows: RowCollector) -> tuple[int | None, ...]:
    """Return the columns of a meeting after those of its map."""
    about = meeting.placement, rows.name(meeting.encounter), meeting.robots, meeting.seen
    went = meeting.met, meeting.seen_afar, meeting.fought, meeting.won, meeting.fled
    return *about, *map(int, went), meeting.hp_lost, meeting.turns, meeting.gained, int(meeting.died)


def _cached_levels(made: dict[str, Level], world: World) -> Callable[[str], Level]:
    """Return a function that makes the level of a map id, each level of the world only once; `made` holds those made so far."""

    def make(map_id: str) -> Level:
        if map_id not in made:
            made[map_id] = world.level(map_id)
        return made[map_id]

    return make


def _robot_counter(make: Callable[[str], Level]) -> Callable[[str, int], int]:
    """Return a function that takes a map id and the index of a placement, and returns the placement's number of robots."""

    def robots(map_id: str, placement: int) -> int:
        return sum(each.like == "robot" and each.placement == placement for each in make(map_id).spawns)

    return robots


def _map_columns(map_id: str, world: World, rows: RowCollector) -> tuple[int, int, int]:
    """Return a map's columns in a row: id, type and depth."""
    node = world.node(map_id)
    return rows.name(node.id), rows.name(node.name), node.depth


def _ending_columns(outcome: GameOutcome, world: World, rows: RowCollector) -> tuple[int, ...]:
    """Return the columns of a game's ending: how and where it ended, and the killer."""
    death = death_in(outcome)
    killer = (death.encounter, death.tag) if death else ("", "")
    return (
        rows.name(outcome.ending or "gave up"),
        *(outcome.actions, outcome.turns),
        *_map_columns(outcome.map_id, world, rows),
        *outcome.cell,
        *map(rows.name, killer),
    )
