"""The measures by which two runs are compared, such as how often an encounter is on a map; and a run's values as arrays.

A measure, such as the number of copies, has a value for each thing (an encounter, prefab, bot...) and each scope (a part of the
world, such as a map or a depth).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon.playtest.bots.playing import HARM
from dungeon.playtest.run import Run

if TYPE_CHECKING:
    import os
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
        sql: A SELECT of the level's `seed` and `map`, the `thing` (or NULL) and the `value`; for games also of `bot` and `game`.
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
        return "NULL AS thing" not in self.sql

    @property
    def of_games(self) -> bool:
        """Whether the measure is taken on games played by bots."""
        return " game " in self.sql

    @property
    def is_share(self) -> bool:
        """Whether values of the measure are shown in percent."""
        return self.kind in ("share", "rate")

    def called(self, thing: str) -> str:
        """Return the measure's name in words: ``encounter engine_house``. An empty `thing` stands for all things together."""
        return f"{self.subject} {thing}".rstrip() if thing or not self.together else self.together


def _counted(view: str, column: str) -> str:
    return f"SELECT seed, map, {column} AS thing, count(*) AS value FROM {view} GROUP BY ALL"


def _ended(thing: str, ending: str) -> str:
    """Return a SELECT of all games with an ending: `thing` (a column) and 1."""
    return (
        f"SELECT seed, map, {thing} AS thing, 1 AS value, bot, n AS game FROM plays "
        f"WHERE error IS NULL AND ending = '{ending}'"
    )


def _played(view: str, thing: str, value: str, only: str = "TRUE") -> str:
    """Return a SELECT from the view ``visits``, ``events`` or ``meetings``.

    Args:
        view: ``visits``, ``events`` or ``meetings``.
        thing: The column with the thing's name.
        value: The value.
        only: A condition on the rows.
    """
    return f"SELECT seed, map, {thing} AS thing, {value} AS value, bot, game FROM {view} WHERE {only}"


def _happened(kinds: Iterable[str], value: str) -> str:
    """Return a SELECT from the view ``events``: the tag and `value` of events of some kinds."""
    return _played("events", "tag", value, f"kind IN ({', '.join(map(repr, kinds))})")


MET = "met + fought > 0"

EACH = '1.0 * amount / "count"'
"""The mean amount of the events that a row of `events` counts."""

CAME = _played("visits", "bot", "1")
"""SELECT of each game's visits: the bot and 1."""

MEASURES = {
    each.name: each
    for each in (
        Measure("share", "encounter", _counted("placements", "encounter"), "share"),
        Measure("copies", "encounter", _counted("placements", "encounter")),
        Measure("refused", "refusals of", _counted("refusals", "subject")),
        Measure("category", "category", _counted("placements", "category")),
        Measure("prefab", "prefab", _counted("placements", "prefab")),
        Measure("objects", "object", _counted("spawns", "tag")),
        Measure("kind", "all", _counted("spawns", "kind")),
        Measure("metric", "metric", "SELECT seed, map, metric AS thing, value FROM metrics", "mean"),
        Measure("locked", "locked", _counted("locks", "what")),
        Measure("locked_with", "locked with", _counted("locks", "word")),
        Measure(
            "key_distance",
            "steps to what opens a",
            "SELECT seed, map, what AS thing, distance AS value FROM locks WHERE distance IS NOT NULL",
            "mean",
        ),
        Measure(
            "word_distance",
            "steps to what opens",
            "SELECT seed, map, word AS thing, distance AS value FROM locks WHERE distance IS NOT NULL",
            "mean",
        ),
        Measure(
            "levels",
            "levels",
            "SELECT seed, map, NULL AS thing, 1 AS value FROM levels WHERE error IS NULL",
            base="world",
        ),
        Measure(
            "failed",
            "failed levels",
            "SELECT seed, map, NULL AS thing, 1 AS value FROM levels WHERE error IS NOT NULL",
            "share",
            "tried",
        ),
        Measure(
            "retries",
            "retries",
            "SELECT seed, map, NULL AS thing, retries AS value FROM levels WHERE error IS NULL",
        ),
        Measure(
            "milliseconds",
            "milliseconds",
            "SELECT seed, map, NULL AS thing, microseconds / 1000.0 AS value FROM timings",
            is_listed=False,
        ),
        Measure("deaths_by", "deaths by", _ended("killer_tag", "death"), "share", "came"),
        Measure("deaths", "deaths in", _ended("killer", "death"), "share", "came", together="deaths"),
        Measure("deaths_of", "deaths of bot", _ended("bot", "death"), "share", "came", by_bot=True),
        Measure("toll", "hit points lost in", _played("meetings", "encounter", "hp_lost", MET), "mean"),
        Measure("harm", "hit points lost to", _happened(HARM, "amount"), base="came"),
        Measure("blow", "damage by each hit of", _happened(HARM, EACH), "mean"),
        Measure("dealt", "damage done to", _happened(["dealt"], "amount"), base="came"),
        Measure("used", "uses of", _happened(["used"], '"count"'), base="came"),
        Measure("mended", "hit points by each use of", _happened(["used"], EACH), "mean"),
        Measure("met", "games that meet", _played("meetings", "encounter", "1", MET), "share", "came"),
        Measure(
            "beaten",
            "fights won against",
            _played("meetings", "encounter", "won", "fought = 1"),
            "rate",
            is_listed=False,
        ),
        Measure(
            "fled", "flights from", _played("meetings", "encounter", "fled", MET), "rate", is_listed=False
        ),
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
            _played("visits", "bot", "hp_lost"),
            "mean",
            together="hit points lost",
            by_bot=True,
        ),
        Measure(
            "turns", "turns of bot", _played("visits", "bot", "turns"), "mean", together="turns", by_bot=True
        ),
        Measure(
            "gained",
            "items taken by bot",
            _played("visits", "bot", "gained"),
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

NUMBERED = {
    "numbered_levels": "SELECT row_number() OVER (ORDER BY seed, map) - 1 AS level, seed, map FROM levels",
    "numbered_games": "SELECT row_number() OVER (ORDER BY seed, bot, n) - 1 AS number, seed, bot, n AS game FROM plays",
}
"""Table to add to a run -> the query for its rows."""

AMOUNTS = """
SELECT level, thing, value::DOUBLE AS value, {number} AS game
FROM ({query}) JOIN numbered_levels USING (seed, map) {games} ORDER BY ALL
"""


MOST_WORLDS = 5_000
"""Maximum number of worlds of a run that are compared, to limit memory to about 2 GB. They show differences far below what a player notices."""


class Amounts(NamedTuple):
    """The values that a measure selects from a run, as parallel arrays: one element for each selected row.

    Attributes:
        levels: Index of the level that the value is about.
        things: Index in `names` of the encounter, prefab, bot... that the value is about.
        values: The values.
        games: Number of the game that the value is about; -1 if it is not about games.
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
        self._run = Run(folder, most=MOST_WORLDS)
        for table, rows in NUMBERED.items():
            self._run.add(table, rows)
        self.seeds = self._run.arrow("SELECT seed FROM worlds WHERE error IS NULL ORDER BY seed")[
            "seed"
        ].to_numpy()
        levels = self._run.arrow("SELECT *, error IS NULL AS made FROM levels ORDER BY seed, map")
        self._seeds, self._depths = levels["seed"].to_numpy(), levels["depth"].to_numpy()
        self.made = levels["made"].to_numpy()
        self.scopes = _scopes(levels["map"].to_pylist(), levels["type"].to_pylist(), self._depths.tolist())

    @cached_property
    def visits(self) -> Amounts:
        """One value for each time that a bot's game came to a level, with the bot's name."""
        return self.amounts(CAME)

    def amounts(self, query: str) -> Amounts:
        """Return the values that the SQL of a measure selects from this run."""
        number, games = (
            ("number", "JOIN numbered_games USING (seed, bot, game)") if " game " in query else ("-1", "")
        )
        rows = self._run.arrow(AMOUNTS.format(query=query, number=number, games=games))
        things = rows["thing"].cast("string").fill_null("").combine_chunks().dictionary_encode()
        levels, values, games = (rows[name].to_numpy() for name in ("level", "value", "game"))
        return Amounts(levels, things.indices.to_numpy(), values, games, things.dictionary.to_pylist())

    def levels_of(self, scope: str, *, or_deeper: bool = False) -> NDArray[np.bool_]:
        """Return the mask of a scope's levels, shape (levels,); all False for an unknown scope.

        Args:
            scope: Name of the part of the world.
            or_deeper: Whether a depth includes all deeper maps.
        """
        if or_deeper and DEPTH.fullmatch(scope):
            deeper: NDArray[np.bool_] = self._depths >= int(scope.removeprefix("depth"))
            return deeper
        return self.scopes.get(scope, np.zeros(len(self._seeds), bool))

    def worlds(self, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each level the index of its seed in `seeds` (ascending); -1 if the seed is not there."""
        index = np.minimum(np.searchsorted(seeds, self._seeds), len(seeds) - 1)
        return np.where(seeds[index] == self._seeds, index, -1)


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
