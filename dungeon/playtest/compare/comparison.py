"""Two runs of the same worlds: each measure of an encounter, prefab, bot... before and after, and the significant changes.

A measure, such as the number of copies, has a value for each thing (an encounter, prefab, bot...) and each scope (a part of the
world, such as a map or a depth). A question asks whether one such value has changed between the runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.core.errors import PlaytestError
from dungeon.playtest.compare.edits import edits_between
from dungeon.playtest.compare.measures import DEPTH, EVERYWHERE, MEASURES, ComparedRun
from dungeon.playtest.reading import content_of
from dungeon.playtest.statistics import (
    benjamini_hochberg,
    can_be_significant,
    least_p_value,
    p_value,
    point_biserial,
    standard_error,
    z_of_interval,
    z_score,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.playtest.compare.edits import Edit
    from dungeon.playtest.compare.measures import Amounts, Measure


RATE = 0.01
"""False discovery rate of the listed changes. If nothing at all has changed, one comparison in a hundred lists something."""

MISSED = 0.05
"""The share of intervals of listed changes that miss the true difference; also the largest p-value of a condition's change."""

AS_STRONG = 0.9
"""Among a thing's changes, the largest effect is shown of those with at least this share of the highest z-score."""

ALL = [""]
"""Stands for all things of a measure together, where a list of things is needed."""

SHOWN = 3
"""Number of seeds named as examples of a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredChange:
    """One measure before and after, as a mean over worlds.

    Attributes:
        measure: The measure's name, a key of `MEASURES`.
        scope: The part of the world: ``everywhere``, a branch, a type of map, a depth such as ``depth3``, or a map id.
        thing: The encounter, prefab, bot... that is measured; empty for all together, or if the measure has no things.
        before: Mean over the worlds of the first run.
        after: Mean over the worlds of the second run.
        error: Standard error of the difference of the means.
        chance: P-value of the difference, as if this were the only question.
        least: The smallest p-value that differences of these sizes could have: see `least_p_value`.
        strength: Z-score of the difference.
        effect: Effect size from -1 to 1: see `point_biserial`.
        worlds: Number of worlds that have a value in both runs.
        more: Number of worlds in which the value has grown.
        less: Number of worlds in which the value has shrunk.
        seeds: Seeds of the worlds with the largest differences, largest first.
        rate: The smallest false discovery rate at which this change is listed.
        wrong: The probability with which the interval misses the true difference.
        also: The names of further measures of the same thing that have changed.
    """

    measure: str
    scope: str
    thing: str
    before: float
    after: float
    error: float
    chance: float
    least: float
    strength: float
    effect: float
    worlds: int
    more: int
    less: int
    seeds: tuple[int, ...]
    rate: float = 1.0
    wrong: float = MISSED
    also: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """Mean after minus mean before."""
        return self.after - self.before

    @property
    def margin(self) -> float:
        """Half the width of the interval for the difference."""
        return z_of_interval(self.wrong) * self.error

    @property
    def importance(self) -> float:
        """The effect size at the cautious end of the difference's interval, the end nearest to 0; 0 if the interval contains 0."""
        size = abs(self.difference)
        return abs(self.effect) * max(0.0, 1 - self.margin / size) if size else 0.0

    @property
    def subject(self) -> str:
        """Name of measure and thing in words, such as ``encounter engine_house``."""
        return MEASURES[self.measure].called(self.thing)


class Comparison(NamedTuple):
    """The significant changes between two runs.

    Attributes:
        seeds: The seeds of the compared worlds, as in the second run.
        paired: Whether both runs have worlds of the same seeds.
        edits: The edits between both contents; None if these differ and the files of either are no longer available.
        questions: Number of questions tested.
        changes: One significant change for each thing (encounter, robot...), or for each measure without things. Changes of
            edited things come first; among them, and among the others, the most important first.
        all_changes: All significant changes, the most important first.
    """

    seeds: tuple[int, ...]
    paired: bool
    edits: list[Edit] | None
    questions: int
    changes: list[MeasuredChange]
    all_changes: list[MeasuredChange]


class Pair:
    """Two recorded runs to compare.

    Args:
        before: The folder of the first run.
        after: The folder of the second run.

    Attributes:
        scopes: Names of the parts of a world that either run has: ``everywhere``, types, branches, depths, map ids.
        paired: Whether the runs share seeds. If not, worlds are paired in order of seeds, and more worlds are needed to
            tell a change from chance.
        seeds: The seeds of the compared worlds in ascending order, as in the second run.

    Raises:
        PlaytestError: A run can't be read, or has no world.
    """

    def __init__(self, before: str | os.PathLike[str], after: str | os.PathLike[str]) -> None:
        self._sides = ComparedRun(before), ComparedRun(after)
        one, other = self._sides
        common = np.intersect1d(one.seeds, other.seeds)
        self.paired = bool(len(common))
        count = min(len(one.seeds), len(other.seeds))
        if not count:
            raise PlaytestError(f"the run in {before if len(other.seeds) else after} holds no world")
        seeds = [common, common] if self.paired else [one.seeds[:count], other.seeds[:count]]
        self.seeds = seeds[1]
        self.scopes = list(dict.fromkeys([EVERYWHERE, *one.scopes, *other.scopes]))
        self._worlds = [side.worlds(each) for side, each in zip(self._sides, seeds, strict=True)]
        self._amounts: dict[str, tuple[Amounts, Amounts]] = {}

    @property
    def has_games(self) -> bool:
        """Whether bots have played in both runs."""
        return all(len(side.visits.levels) for side in self._sides)

    def compare(self) -> Comparison:
        """Test every listed measure, thing and part of the world (`_all_questions`), and return the significant changes."""
        asked = list(self._all_questions())
        edits = self._edits()
        edited = {edit.name for edit in edits or ()} - {""}
        # Edited things are a family of their own, so that they are not corrected for thousands of other questions.
        families = [
            [each for each in asked if (each.thing in edited) is is_edited] for is_edited in (True, False)
        ]
        changes = [change for family in families for change in _significant(family)]
        changes.sort(key=_order)
        told = sorted(one_per_thing(changes), key=lambda change: change.thing not in edited)
        return Comparison(tuple(self.seeds.tolist()), self.paired, edits, len(asked), told, changes)

    def _all_questions(self) -> Iterator[MeasuredChange]:
        """Yield the change of every listed measure for the scopes of `_distinct_scopes` and for each thing.

        A measure of games is tested for each thing in the scope of the whole world only. A measure that is counted for each bot is
        tested only for all bots together.
        """
        scopes = self._distinct_scopes()
        for measure in MEASURES.values():
            if not measure.is_listed or (measure.of_games and not self.has_games):
                continue
            for scope in scopes:
                if measure.of_games and measure.together:
                    yield from self._changes_of(measure, scope, only="")
                if not measure.of_games or (scope == scopes[-1] and not measure.by_bot):
                    yield from (
                        each
                        for each in self._changes_of(measure, scope)
                        if each.thing or not measure.together
                    )

    def _edits(self) -> list[Edit] | None:
        """Return the edits between both contents; empty if these are equal; None if the files of either are no longer available."""
        one, other = (content_of(side.folder) for side in self._sides)
        if one.content == other.content:
            return []
        return edits_between(one.folders, other.folders) if one.folders and other.folders else None

    def things(self, measure: Measure) -> list[str]:
        """Return the sorted names of the encounters, prefabs... that `measure` counts in either run; empty if it counts none by name."""
        names = {name for amounts in self._amounts_of(measure) for name in amounts.names}
        return sorted(names - {""})

    def ask(self, measure: Measure, scope: str, thing: str = "") -> MeasuredChange:
        """Return one measure before and after.

        Raises:
            PlaytestError: No world has the value in both runs.
        """
        for change in self._changes_of(measure, scope, only=thing):
            return change
        name = f"{measure.name}({', '.join(each for each in (scope, thing) if each)})"
        raise PlaytestError(f"no world has a value of {name} in both runs")

    def numbers(
        self, measure: Measure, scope: str, thing: str = ""
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values of each world, before and after, each of shape (worlds,); nan for worlds without that scope."""
        before, after = (self._by_world(side, measure, scope, [thing])[0] for side in range(2))
        return before, after

    def _changes_of(
        self, measure: Measure, scope: str, *, only: str | None = None
    ) -> Iterator[MeasuredChange]:
        """Yield a measure's change in `scope`, a part of the world, for each encounter, prefab...

        Args:
            measure: The measure.
            scope: The part of the world.
            only: The name of the only encounter, prefab... to yield; empty for all together; None yields each of them.
        """
        groups = [self.things(measure)] if measure.has_things else []
        if measure.together or not measure.has_things:
            groups.append(ALL)
        for things in groups:
            if only is not None and only not in things:
                continue
            matrices = [self._by_world(side, measure, scope, things) for side in range(2)]
            for thing, before, after in zip(things, *matrices, strict=True):
                there = ~np.isnan(before) & ~np.isnan(after)
                if there.any() and only in (None, thing):
                    where = measure.name, scope, thing
                    yield _change(where, before[there], after[there], self.seeds[there])

    def _by_world(
        self, side: int, measure: Measure, scope: str, things: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return the measure's value for each encounter, prefab... in each world of one run, shape (things, worlds).

        The value is nan for worlds that lack the part `scope`.

        Args:
            side: 0 for the first run, 1 for the second.
            measure: The measure.
            scope: The part of the world, such as ``everywhere`` or a map id.
            things: The names of the encounters, prefabs...; ``ALL`` gives one value for all of them together.
        """
        sample, worlds, amounts = self._sides[side], self._worlds[side], self._amounts_of(measure)[side]
        inside = sample.levels_of(scope, or_deeper=measure.or_deeper) & (worlds >= 0)
        shape = len(things), len(self.seeds)
        cells, rows = self._cells(amounts, things, worlds, inside)
        values = amounts.values[rows]
        if measure.kind == "share":
            # Each level, or each game, counts once.
            cells = _distinct(cells, amounts.games[rows]) if measure.of_games else cells
            values = np.ones(len(cells))
        sums = np.bincount(cells, values, minlength=shape[0] * shape[1]).reshape(shape)
        counts: NDArray[np.int64]
        if measure.kind in ("mean", "rate"):
            counts = np.bincount(cells, minlength=sums.size).reshape(shape)
        elif measure.base == "world":
            counts = np.ones(shape[1], np.int64)
        elif measure.of_games:
            part = inside if measure.base == "came" else worlds >= 0
            whose = things if measure.by_bot else ALL
            cells, rows = self._cells(sample.visits, whose, worlds, part)
            once = _distinct(cells, sample.visits.games[rows])
            counts = np.bincount(once, minlength=len(whose) * shape[1]).reshape(-1, shape[1])
        else:
            of = worlds[inside & (sample.made | (measure.base == "tried"))]
            counts = np.bincount(of, minlength=shape[1])
        with np.errstate(invalid="ignore"):
            result: NDArray[np.float64] = sums / counts
        return result

    def _cells(
        self, amounts: Amounts, things: Sequence[str], worlds: NDArray[np.int64], inside: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return where the values of `amounts` belong in an array of shape (things, worlds).

        Args:
            amounts: The values.
            things: The names of the encounters, prefabs...; `ALL` for one row for all of them together.
            worlds: For each level, the index of its world.
            inside: Mask of the levels whose values belong in the array, shape (levels,).

        Returns:
            For each value that belongs in the array, its index in the flattened array; and the mask of these values.
        """
        numbers = np.zeros_like(amounts.things) if things == ALL else amounts.numbered(things)
        rows = inside[amounts.levels] & (numbers >= 0)
        return numbers[rows] * len(self.seeds) + worlds[amounts.levels[rows]], rows

    def _amounts_of(self, measure: Measure) -> tuple[Amounts, Amounts]:
        """Return the values that a measure selects from both runs. Only those of the last measure are cached: they may be large."""
        if measure.name not in self._amounts:
            self._amounts.clear()
            one, other = self._sides
            self._amounts[measure.name] = one.amounts(measure.sql), other.amounts(measure.sql)
        return self._amounts[measure.name]

    def _distinct_scopes(self) -> list[str]:
        """Return the scopes to compare, ``everywhere`` last. Of scopes with the same levels, only one is returned.

        That is the narrower one: a map id rather than a type of map. Depths are not compared, unless a condition names one.
        """
        found: dict[tuple[bytes, ...], str] = {}
        for name in reversed(self.scopes):
            if not DEPTH.fullmatch(name):
                found.setdefault(self._levels_of(name), name)
        whole = found.pop(self._levels_of(EVERYWHERE))
        return [*found.values(), whole]

    def _levels_of(self, scope: str) -> tuple[bytes, ...]:
        """Return the masks of the levels that a scope has in both runs, as bytes: equal for two scopes with the same levels."""
        return tuple(side.scopes[scope].tobytes() if scope in side.scopes else b"" for side in self._sides)


def _significant(family: Sequence[MeasuredChange]) -> Iterator[MeasuredChange]:
    """Yield the changes that stay significant after the correction for many questions: Benjamini and Hochberg's.

    Each yielded change has its `rate` (the false discovery rate at which it is significant) and its `wrong` (the
    probability with which its interval misses the true difference) set.

    Args:
        family: The changes that answer questions of one family, which are corrected together.
    """
    least = np.array([each.least for each in family], np.float64)
    told = [each for each, is_told in zip(family, can_be_significant(least, RATE), strict=True) if is_told]
    rates = benjamini_hochberg(np.array([each.chance for each in told], np.float64))
    found = [(each, float(rate)) for each, rate in zip(told, rates, strict=True) if rate <= RATE]
    # Changes were selected for being large, so their intervals must be wider to be right: Benjamini and Yekutieli,
    # False Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters (2005).
    wrong = MISSED * len(found) / max(1, len(told))
    yield from (replace(each, rate=rate, wrong=wrong) for each, rate in found)


def _change(
    where: tuple[str, str, str],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    seeds: NDArray[np.int64],
) -> MeasuredChange:
    """Return the change of a measure from its values before and after.

    Args:
        where: The names of the measure, the scope and the thing.
        before: The value of each world in the first run, shape (worlds,).
        after: The value of the same worlds in the second run.
        seeds: The seeds of these worlds.
    """
    differences = after - before
    shown = np.argsort(-np.abs(differences), kind="stable")[:SHOWN]
    measure, scope, thing = where
    return MeasuredChange(
        measure=measure,
        scope=scope,
        thing=thing,
        before=float(before.mean()),
        after=float(after.mean()),
        error=standard_error(differences),
        chance=p_value(differences),
        least=least_p_value(differences),
        strength=z_score(differences),
        effect=point_biserial(before, after),
        worlds=len(seeds),
        more=int((differences > 0).sum()),
        less=int((differences < 0).sum()),
        seeds=tuple(seeds[each].item() for each in shown if differences[each]),
    )


def _distinct(cells: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `cells` sorted, without those that repeat both cell and game; `games` holds the game of each cell."""
    most = int(games.max(initial=0)) + 1
    return np.unique(cells * most + games) // most


def _order(change: MeasuredChange) -> tuple[object, ...]:
    """Return the sort key of a change: the most important first."""
    turn = list(MEASURES).index(change.measure)
    return -change.importance, -change.strength, turn, change.subject, change.scope


def one_per_thing(changes: Iterable[MeasuredChange]) -> Iterator[MeasuredChange]:
    """Yield one change for each thing, or for each measure without things: one cause changes many measures in many parts of the world.

    It is the most important of those whose `strength` is at least `AS_STRONG` times the greatest one of the thing. The names of
    the thing's other measures are in its attribute `also`, the most important first.
    """
    groups: dict[str, list[MeasuredChange]] = {}
    for change in sorted(changes, key=_order):
        groups.setdefault(change.thing or change.measure, []).append(change)
    told = []
    for group in groups.values():
        enough = AS_STRONG * max(each.strength for each in group)
        most = next(each for each in group if each.strength >= enough)
        also = dict.fromkeys(each.measure for each in group if each.measure != most.measure)
        told.append(replace(most, also=tuple(also)))
    yield from sorted(told, key=_order)
