"""A run as arrays: what it has of something, world by world."""

from __future__ import annotations

import re
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.playtest.compare.measures import CAME
from dungeon.playtest.reading import read_only

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

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


class Sample:
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
