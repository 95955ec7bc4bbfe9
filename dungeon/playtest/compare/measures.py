"""The measures by which two runs are compared, such as how often an encounter is on a map; and a run's values as arrays.

A measure, such as the number of copies, has a value for each thing (an encounter, prefab, bot...) and each scope (a part of the
world, such as a map or a depth).
"""

from __future__ import annotations

import re
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon.playtest.reading import read_only

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


Kind = Literal["share", "count", "mean", "rate"]
"""How a measure's rows become one number per world.

- ``share``: share of levels (or games) that have the thing.
- ``count``: amount per level (or game).
- ``mean``: mean of the rows' values.
- ``rate``: like ``mean``, of values 0 and 1, shown in percent.
"""

Base = Literal["made", "tried", "world", "came", "played"]
"""What a share or count is divided by.

- ``made``: levels that could be made.
- ``tried``: all levels, those that failed included.
- ``world``: nothing; the number is per world.
- ``came``: games that came to that part of the world.
- ``played``: all games of the world.
"""


class Measure(NamedTuple):
    """A number that can be compared between two runs.

    Attributes:
        name: The measure's name in conditions, such as ``share``.
        subject: Words that go before the name of a thing (an encounter, prefab, bot...), such as ``encounter`` or ``deaths by``.
        sql: A SELECT of level id, id of the thing's name (or NULL), value; for games also the game's id.
        kind: How the selected values become one number: a share, a mean...
        base: What the number is divided by.
        is_listed: Whether full comparisons ask for it; else only conditions do. Times are left out: no two runs have equal ones.
        together: Name of the measure for all things together; empty if they are never taken together.
        by_bot: Whether the measure is taken for single bots. Then only that bot's games count.
        or_deeper: Whether games that reached a deeper map count for a depth, too, because a way may lead around a depth.
    """

    name: str
    subject: str
    sql: str
    kind: Kind = "count"
    base: Base = "made"
    is_listed: bool = True
    together: str = ""
    by_bot: bool = False
    or_deeper: bool = False

    @property
    def has_things(self) -> bool:
        """Whether the measure is taken for single encounters, prefabs, bots..., not only for all together."""
        return " NULL," not in self.sql

    @property
    def of_games(self) -> bool:
        """Whether the measure is taken on games played by bots."""
        return " play " in self.sql

    @property
    def is_share(self) -> bool:
        """Whether values of the measure are shown in percent."""
        return self.kind in ("share", "rate")

    def called(self, thing: str) -> str:
        """Return the measure's name in words: ``encounter engine_house``. An empty `thing` stands for all things together."""
        return f"{self.subject} {thing}".rstrip() if thing or not self.together else self.together


def _counted(table: str, column: str) -> str:
    return f"SELECT level, {column}, count(*) FROM {table} GROUP BY level, {column}"


def _named(text: str) -> str:
    return f"(SELECT id FROM name WHERE text = '{text}')"


def _ended(thing: str, ending: str) -> str:
    """Return a SELECT of all games with an ending: level id, `thing` (a column), 1, game id."""
    return (
        f"SELECT level.id, {thing}, 1, play.id FROM play JOIN level ON level.seed = play.seed "
        f"AND level.map = play.map WHERE play.error IS NULL AND ending = {_named(ending)}"
    )


def _played(table: str, what: str, only: str = "TRUE", joined: str = "") -> str:
    """Return a SELECT from the table ``visit`` or ``meeting`` of all games that could be played.

    Args:
        table: ``visit`` or ``meeting``, called ``it`` in the SQL.
        what: The selected columns, after the level's id.
        only: A condition on the rows.
        joined: A JOIN with further tables.
    """
    return (
        f"SELECT level.id, {what} FROM {table} AS it JOIN play ON play.id = it.play JOIN level "
        f"ON level.seed = play.seed AND level.map = it.map {joined} WHERE play.error IS NULL AND {only}"
    )


ROBOTS = (
    f"JOIN (SELECT DISTINCT level AS held_by, placement AS came_with, tag FROM spawn WHERE base = {_named('robot')}) "
    "ON held_by = level.id AND came_with = it.placement"
)
"""Joins to a meeting each kind of robot that came with its encounter."""

MET = "met + fought > 0"

CAME = _played("visit", "play.bot, 1, play.id")
"""SELECT of each game's visits: level, bot, 1, game."""

MEASURES = {
    each.name: each
    for each in (
        Measure("share", "encounter", _counted("placement", "encounter"), "share"),
        Measure("copies", "encounter", _counted("placement", "encounter")),
        Measure("refused", "refusals of", _counted("refusal", "subject")),
        Measure("category", "category", _counted("placement", "category")),
        Measure("prefab", "prefab", _counted("placement", "prefab")),
        Measure("objects", "object", _counted("spawn", "tag")),
        Measure("kind", "all", _counted("spawn", "kind")),
        Measure("metric", "metric", "SELECT level, metric, value FROM metric", "mean"),
        Measure("locked", "locked", _counted("lock", "what")),
        Measure("locked_with", "locked with", _counted("lock", "word")),
        Measure(
            "key_distance",
            "steps to what opens a",
            "SELECT level, what, distance FROM lock WHERE distance IS NOT NULL",
            "mean",
        ),
        Measure(
            "word_distance",
            "steps to what opens",
            "SELECT level, word, distance FROM lock WHERE distance IS NOT NULL",
            "mean",
        ),
        Measure("levels", "levels", "SELECT id, NULL, 1 FROM level WHERE error IS NULL", base="world"),
        Measure(
            "failed",
            "failed levels",
            "SELECT id, NULL, 1 FROM level WHERE error IS NOT NULL",
            "share",
            "tried",
        ),
        Measure("retries", "retries", "SELECT id, NULL, retries FROM level WHERE error IS NULL"),
        Measure(
            "milliseconds",
            "milliseconds",
            "SELECT level, NULL, microseconds / 1000.0 FROM timing",
            is_listed=False,
        ),
        Measure("deaths_by", "deaths by", _ended("killer_tag", "death"), "share", "came"),
        Measure("deaths", "deaths in", _ended("killer", "death"), "share", "came", together="deaths"),
        Measure("deaths_of", "deaths of bot", _ended("bot", "death"), "share", "came", by_bot=True),
        Measure("toll", "hit points lost in", _played("meeting", "encounter, it.hp_lost", MET), "mean"),
        Measure(
            "harm",
            "hit points lost in fights with",
            _played("meeting", "tag, it.hp_lost", "fought = 1", ROBOTS),
            "mean",
        ),
        Measure("met", "games that meet", _played("meeting", "encounter, 1, play.id", MET), "share", "came"),
        Measure(
            "beaten",
            "fights won against",
            _played("meeting", "encounter, won", "fought = 1"),
            "rate",
            is_listed=False,
        ),
        Measure("fled", "flights from", _played("meeting", "encounter, fled", MET), "rate", is_listed=False),
        Measure(
            "win",
            "games won by bot",
            _ended("bot", "victory"),
            "share",
            "came",
            together="games won",
            by_bot=True,
        ),
        Measure(
            "survival",
            "games that come there, of bot",
            CAME,
            "share",
            "played",
            together="games that come there",
            by_bot=True,
            or_deeper=True,
        ),
        Measure(
            "stuck",
            "games given up by bot",
            _ended("bot", "gave up"),
            "share",
            "came",
            together="games given up",
            by_bot=True,
        ),
        Measure(
            "hp_lost",
            "hit points lost by bot",
            _played("visit", "bot, it.hp_lost"),
            "mean",
            together="hit points lost",
            by_bot=True,
        ),
        Measure(
            "turns", "turns of bot", _played("visit", "bot, it.turns"), "mean", together="turns", by_bot=True
        ),
        Measure(
            "gained",
            "items taken by bot",
            _played("visit", "bot, it.gained"),
            "mean",
            together="items taken",
            by_bot=True,
        ),
    )
}
"""Name -> measure."""


EVERYWHERE = "everywhere"

DEPTH = re.compile(r"depth\d+")
"""A scope that is a depth: ``depth3`` has all maps at depth 3."""

ROWS = 100_000
"""Number of rows fetched at a time, to limit the memory that Python objects take."""


class Amounts(NamedTuple):
    """The values that a measure selects from a run, as parallel arrays: one element for each selected row.

    Attributes:
        levels: Index of the level that the value is about.
        things: Index in `names` of the encounter, prefab, bot... that the value is about.
        values: The values.
        games: Id of the game that the value is about; -1 if it is not about games.
        names: The names of the encounters, prefabs, bots...
    """

    levels: NDArray[np.int64]
    things: NDArray[np.int64]
    values: NDArray[np.float64]
    games: NDArray[np.int64]
    names: list[str]

    def numbered(self, things: Sequence[str]) -> NDArray[np.int64]:
        """Return for each value the index in `things` of the name that it is about; -1 if the name is not among them."""
        number = {thing: index for index, thing in enumerate(things)}
        return np.array([number.get(name, -1) for name in self.names], np.int64)[self.things]


class ComparedRun:
    """A run's worlds and levels as arrays.

    Attributes:
        seeds: The seeds of the worlds that were made, ascending, shape (worlds,).
        scopes: Name of a part of the world -> mask of its levels, shape (levels,).
        made: Mask of the levels that were made, shape (levels,).

    Raises:
        PlaytestError: The run can't be read.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = folder
        with closing(read_only(folder)) as database:
            self.seeds = np.array(
                [
                    seed
                    for (seed,) in database.execute(
                        "SELECT seed FROM world WHERE error IS NULL ORDER BY seed"
                    )
                ],
                np.int64,
            )
            self._names = dict(database.execute("SELECT id, text FROM name"))
            rows = database.execute("SELECT id, seed, map, type, depth, error IS NULL FROM level ORDER BY id")
            ids, seeds, maps, types, depths, made = list(zip(*rows, strict=True)) or [()] * 6
        self._ids = np.array(ids, np.int64)
        self._seeds = np.array(seeds, np.int64)
        self._depths = np.array(depths, np.int64)
        self.made = np.array(made, bool)
        self.scopes = _scopes(
            [self._names[each] for each in maps], [self._names[each] for each in types], depths
        )

    @cached_property
    def visits(self) -> Amounts:
        """One value for each time that a bot's game came to a level, with the bot's name."""
        return self.amounts(CAME)

    def amounts(self, query: str) -> Amounts:
        """Return the values that the SQL of a measure selects from this run."""
        with closing(read_only(self.folder, known=True)) as database:
            ids, things, values, games = _columns(database, query)
        known, numbers = np.unique(things.astype(np.int64), return_inverse=True)
        names = [self._names[each] if each >= 0 else "" for each in known.tolist()]
        levels = np.searchsorted(self._ids, ids.astype(np.int64))
        return Amounts(levels, numbers, values, games.astype(np.int64), names)

    def levels_of(self, scope: str, *, or_deeper: bool = False) -> NDArray[np.bool_]:
        """Return the mask of a scope's levels, shape (levels,); all False for an unknown scope.

        Args:
            scope: Name of the part of the world.
            or_deeper: Whether a depth includes all deeper maps.
        """
        if or_deeper and DEPTH.fullmatch(scope):
            return self._depths >= int(scope.removeprefix("depth"))
        return self.scopes.get(scope, np.zeros(len(self._ids), bool))

    def worlds(self, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each level the index of its seed in `seeds` (ascending); -1 if the seed is not there."""
        index = np.minimum(np.searchsorted(seeds, self._seeds), len(seeds) - 1)
        return np.where(seeds[index] == self._seeds, index, -1)


def _columns(database: sqlite3.Connection, query: str) -> NDArray[np.float64]:
    """Return the columns of a query as an array of shape (4, rows): levels, things, values, games.

    -1 stands for NULL, and fills columns that the query lacks.
    """
    cursor = database.execute(query)
    parts = [np.empty((0, 4))]
    while rows := cursor.fetchmany(ROWS):
        part = np.array(rows, np.float64)  # ids are far below 2**53, and NULL becomes nan
        parts.append(np.full((len(part), 4), -1.0))
        parts[-1][:, : part.shape[1]] = np.where(np.isnan(part), -1.0, part)
    return np.concatenate(parts).T


def _scopes(maps: Sequence[str], types: Sequence[str], depths: Iterable[int]) -> dict[str, NDArray[np.bool_]]:
    """Return name -> mask of levels for every part of the world: everywhere, types, branches, depths, map ids."""
    of_level = [
        (EVERYWHERE, kind, map_.partition("/")[0], f"depth{depth}", map_)
        for map_, kind, depth in zip(maps, types, depths, strict=True)
    ]
    scopes: dict[str, NDArray[np.bool_]] = {}
    for turn in range(5):
        names = np.array([each[turn] for each in of_level])
        for name in np.unique(names).tolist():
            scopes[name] = scopes.get(name, False) | (names == name)
    return scopes
