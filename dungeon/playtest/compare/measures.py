"""What two runs can be asked for, of any part of a world, and a run as arrays: what it has of something, world by world."""

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
"""A share of levels, or of games, in which something is; how much of it there is in each; a mean over those that have any;
likewise of what is 0 or 1, which is told as a share."""

Base = Literal["made", "tried", "world", "came", "played"]
"""What is divided by: levels that were made, or those that failed as well; nothing, so that it is a number per world; games that
came to that part of the world, or all that were played in it."""


class Measure(NamedTuple):
    """Something that a run can be asked for.

    Attributes:
        name: What conditions call it.
        subject: What its things are, if it is about things: encounter, prefab...
        sql: Selects the ids of levels and of things' names, how much there is, and where games are divided by, which game.
        kind: What is made of that.
        base: What it is divided by.
        is_listed: Whether it is asked of all there is, and not by conditions alone. What a clock has measured is never twice the
            same.
        together: What all its things are together, if it may be asked of them all at once.
        by_bot: Whether its things are bots: then games are those of that bot.
        or_deeper: Whether games count for a depth that have come deeper, too: ways may lead around a depth.
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
        """Whether it is about one thing at a time."""
        return " NULL," not in self.sql

    @property
    def of_games(self) -> bool:
        """Whether bots must have played."""
        return " play " in self.sql

    @property
    def is_share(self) -> bool:
        """Whether it is told in percent."""
        return self.kind in ("share", "rate")

    def called(self, thing: str) -> str:
        """Return what it is about, in words; `thing` is empty for all of them together."""
        return f"{self.subject} {thing}".rstrip() if thing or not self.together else self.together


def _counted(table: str, column: str) -> str:
    return f"SELECT level, {column}, count(*) FROM {table} GROUP BY level, {column}"


def _named(text: str) -> str:
    return f"(SELECT id FROM name WHERE text = '{text}')"


def _ended(thing: str, ending: str) -> str:
    """Select the games that ended in some way, each where it did."""
    return (
        f"SELECT level.id, {thing}, 1, play.id FROM play JOIN level ON level.seed = play.seed "
        f"AND level.map = play.map WHERE play.error IS NULL AND ending = {_named(ending)}"
    )


def _played(table: str, what: str, only: str = "TRUE", joined: str = "") -> str:
    """Select something of what games have to do with levels."""
    return (
        f"SELECT level.id, {what} FROM {table} AS it JOIN play ON play.id = it.play JOIN level "
        f"ON level.seed = play.seed AND level.map = it.map {joined} WHERE play.error IS NULL AND {only}"
    )


ROBOTS = (
    f"JOIN (SELECT DISTINCT level AS held_by, placement AS came_with, tag FROM spawn WHERE base = {_named('robot')}) "
    "ON held_by = level.id AND came_with = it.placement"
)
"""Joins to an encounter each kind of robot that is there."""

MET = "met + fought > 0"

CAME = _played("visit", "play.bot, 1, play.id")
"""The games that came to a level, with whose they are."""

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
"""By name."""


EVERYWHERE = "everywhere"

DEPTH = re.compile(r"depth\d+")
"""A part of a world: its maps of that depth."""

ROWS = 100_000
"""How many rows are held as Python's own at a time."""


class Amounts(NamedTuple):
    """What there is of something, row by row.

    Attributes:
        levels: The numbers of the levels, from 0.
        things: The numbers of the things.
        values: How much.
        games: The numbers of the games, where it is of games.
        names: What the things are called, by their numbers.
    """

    levels: NDArray[np.int64]
    things: NDArray[np.int64]
    values: NDArray[np.float64]
    games: NDArray[np.int64]
    names: list[str]

    def numbered(self, things: Sequence[str]) -> NDArray[np.int64]:
        """Return which of some things each row is of, by its index; -1 for none of them."""
        number = {thing: index for index, thing in enumerate(things)}
        return np.array([number.get(name, -1) for name in self.names], np.int64)[self.things]


class ComparedRun:
    """A run that is being compared.

    Attributes:
        seeds: The seeds of its worlds, in order.
        scopes: Parts of a world, from the whole to single maps -> which levels they have: a mask for each.
        made: Which levels were made.

    Raises:
        PlaytestError: There is no run that can be read.
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
        """The games that came to each level; their things are the bots."""
        return self.amounts(CAME)

    def amounts(self, query: str) -> Amounts:
        """Return what there is of all things, as the SQL of a measure selects it."""
        with closing(read_only(self.folder, known=True)) as database:
            ids, things, values, games = _columns(database, query)
        known, numbers = np.unique(things.astype(np.int64), return_inverse=True)
        names = [self._names[each] if each >= 0 else "" for each in known.tolist()]
        levels = np.searchsorted(self._ids, ids.astype(np.int64))
        return Amounts(levels, numbers, values, games.astype(np.int64), names)

    def levels_of(self, scope: str, *, or_deeper: bool = False) -> NDArray[np.bool_]:
        """Return which levels a part of a world has, shape (levels,).

        Args:
            scope: What it is called.
            or_deeper: Whether a depth stands for all maps that lie so deep or deeper.
        """
        if or_deeper and DEPTH.fullmatch(scope):
            return self._depths >= int(scope.removeprefix("depth"))
        return self.scopes.get(scope, np.zeros(len(self._ids), bool))

    def worlds(self, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of each level's world among some seeds, which are in order; -1 for one that is not there."""
        index = np.minimum(np.searchsorted(seeds, self._seeds), len(seeds) - 1)
        return np.where(seeds[index] == self._seeds, index, -1)


def _columns(database: sqlite3.Connection, query: str) -> NDArray[np.float64]:
    """Return the rows of a query as arrays: levels, things, values, games; -1 stands for none.

    Returns:
        Shape (4, rows).
    """
    cursor = database.execute(query)
    parts = [np.empty((0, 4))]
    while rows := cursor.fetchmany(ROWS):
        part = np.array(rows, np.float64)  # ids are far below 2**53, and NULL becomes nan
        parts.append(np.full((len(part), 4), -1.0))
        parts[-1][:, : part.shape[1]] = np.where(np.isnan(part), -1.0, part)
    return np.concatenate(parts).T


def _scopes(maps: Sequence[str], types: Sequence[str], depths: Iterable[int]) -> dict[str, NDArray[np.bool_]]:
    """Return the parts of a world, by what they are called."""
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
