"""Two runs of the same worlds: every question that can be asked of both, and what has changed by more than chance."""

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


RATE = 0.05
"""How much of what is listed as changed may be chance, and how often intervals may miss."""

AS_STRONG = 0.9
"""What is told of a thing is that with the largest effect among what has at least so much of the strongest evidence."""

ALL = [""]
"""Things that are asked of together."""

SHOWN = 3
"""How many seeds are told that show a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredChange:
    """A number, before and after, as a mean over worlds.

    Attributes:
        measure: Which number: a name of `MEASURES`.
        scope: Of which part of the world.
        thing: Of what; empty if it is not about things.
        before: Its mean over the worlds of the first run; `after`, over those of the second.
        error: The standard error of their difference.
        chance: How likely so large a difference would be by chance, were this the only question; `least`: if all worlds that
            differ did so in one direction.
        least: See `chance`.
        strength: The evidence for that, in standard deviations.
        effect: How large it is beside how much worlds differ anyway: from -1 to 1.
        worlds: How many worlds have it in both runs.
        more: In how many of them it has grown; `less`, in how many it has shrunk.
        seeds: Those that show it best.
        rate: The smallest false discovery rate at which it would be listed.
        wrong: How often the interval may miss.
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
    wrong: float = RATE

    @property
    def difference(self) -> float:
        """By how much it has grown."""
        return self.after - self.before

    @property
    def margin(self) -> float:
        """Half the width of the interval for the difference."""
        return z_of_interval(self.wrong) * self.error

    @property
    def importance(self) -> float:
        """The effect, if the difference were but that end of its interval which is nearest to 0."""
        size = abs(self.difference)
        return abs(self.effect) * max(0.0, 1 - self.margin / size) if size else 0.0

    @property
    def subject(self) -> str:
        """What it is about, in words."""
        return MEASURES[self.measure].called(self.thing)


class Comparison(NamedTuple):
    """What has changed between two runs.

    Attributes:
        seeds: The seeds of the worlds that are compared, those of the second run.
        paired: Whether they are the same in both runs.
        edits: What has been changed in the content; None where that is no longer at hand.
        questions: How many questions were asked at once.
        changes: What has changed by more than chance: of each thing what tells most, the most important first; before all
            others, of things that have been edited themselves.
        all_changes: All that has.
    """

    seeds: tuple[int, ...]
    paired: bool
    edits: list[Edit] | None
    questions: int
    changes: list[MeasuredChange]
    all_changes: list[MeasuredChange]


class Pair:
    """Two runs, to be asked what has changed between them.

    Args:
        before: The folder of the first run.
        after: The folder of the second.

    Attributes:
        scopes: What parts of a world are called.
        paired: Whether both have worlds of the same seeds; else the first of each is compared with the first of the other, and
            so on, which takes more worlds to tell a change from chance.
        seeds: The seeds of the worlds that are compared, in order: those of the second run.

    Raises:
        PlaytestError: There is no run that can be read, or one that has no world.
    """

    def __init__(self, before: str | os.PathLike[str], after: str | os.PathLike[str]) -> None:
        self._sides = ComparedRun(before), ComparedRun(after)
        one, other = self._sides
        common = np.intersect1d(one.seeds, other.seeds)
        self.paired = bool(len(common))
        count = min(len(one.seeds), len(other.seeds))
        if not count:
            raise PlaytestError(f"there is no world in {before if len(other.seeds) else after}")
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
        """Ask everything, and return what has changed."""
        asked = list(self._all_questions())
        edits = self._edits()
        edited = {edit.name for edit in edits or ()} - {""}
        # What has been edited is asked for itself: it need not stand out among thousands of questions.
        families = [
            [each for each in asked if (each.thing in edited) is is_edited] for is_edited in (True, False)
        ]
        changes = [change for family in families for change in _listed(family)]
        changes.sort(key=_order)
        told = sorted(_one_each(changes), key=lambda change: change.thing not in edited)
        return Comparison(tuple(self.seeds.tolist()), self.paired, edits, len(asked), told, changes)

    def _all_questions(self) -> Iterator[MeasuredChange]:
        """Yield the answers to all questions, those of games about single things only for the whole world."""
        scopes = self._distinct_scopes()
        for measure in MEASURES.values():
            if not measure.is_listed or (measure.of_games and not self.has_games):
                continue
            for scope in scopes:
                if measure.of_games and measure.together:
                    yield from self._asked(measure, scope, only="")
                if not measure.of_games or (scope == scopes[-1] and not measure.by_bot):
                    yield from (
                        each for each in self._asked(measure, scope) if each.thing or not measure.together
                    )

    def _edits(self) -> list[Edit] | None:
        """Return what has been changed in the content, if both are at hand."""
        one, other = (content_of(side.folder) for side in self._sides)
        if one.content == other.content:
            return []
        return edits_between(one.folders, other.folders) if one.folders and other.folders else None

    def things(self, measure: Measure) -> list[str]:
        """Return what a measure can be asked of; nothing if it is not about things."""
        names = {name for amounts in self._amounts_of(measure) for name in amounts.names}
        return sorted(names - {""})

    def ask(self, measure: Measure, scope: str, thing: str = "") -> MeasuredChange:
        """Ask a single question.

        Raises:
            PlaytestError: There is nothing that could be compared.
        """
        for change in self._asked(measure, scope, only=thing):
            return change
        name = f"{measure.name}({', '.join(each for each in (scope, thing) if each)})"
        raise PlaytestError(f"there is no world for which both runs have {name}")

    def numbers(
        self, measure: Measure, scope: str, thing: str = ""
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a number of each world, before and after, shape (worlds,); nan for worlds that don't have that part."""
        before, after = (self._by_world(side, measure, scope, [thing])[0] for side in range(2))
        return before, after

    def _asked(self, measure: Measure, scope: str, *, only: str | None = None) -> Iterator[MeasuredChange]:
        """Yield what a part of the world has of each thing, or of just one, before and after."""
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
        """Return how much of things there is, shape (things, worlds): nan for worlds that don't have that part at all.

        A thing without a name stands for all of them together.
        """
        sample, worlds, amounts = self._sides[side], self._worlds[side], self._amounts_of(measure)[side]
        inside = sample.levels_of(scope, or_deeper=measure.or_deeper) & (worlds >= 0)
        shape = len(things), len(self.seeds)
        cells, rows = self._cells(amounts, things, worlds, inside)
        values = amounts.values[rows]
        if measure.kind == "share":
            # Each level, or each game, counts but once.
            cells = _once(cells, amounts.games[rows]) if measure.of_games else cells
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
            once = _once(cells, sample.visits.games[rows])
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
        """Return of which thing and world rows are, as an index of shape (things, worlds); and which rows that are."""
        numbers = np.zeros_like(amounts.things) if things == ALL else amounts.numbered(things)
        rows = inside[amounts.levels] & (numbers >= 0)
        return numbers[rows] * len(self.seeds) + worlds[amounts.levels[rows]], rows

    def _amounts_of(self, measure: Measure) -> tuple[Amounts, Amounts]:
        """Return what there is before and after; it is kept until another measure is asked for, as it may be large."""
        if measure.name not in self._amounts:
            self._amounts.clear()
            one, other = self._sides
            self._amounts[measure.name] = one.amounts(measure.sql), other.amounts(measure.sql)
        return self._amounts[measure.name]

    def _distinct_scopes(self) -> list[str]:
        """Return parts of a world that have not all the same levels, single maps first, depths left to conditions; last, all of it.

        What has the same levels as something smaller goes by that one's name.
        """
        found: dict[tuple[bytes, ...], str] = {}
        for name in reversed(self.scopes):
            if not DEPTH.fullmatch(name):
                found.setdefault(self._levels_of(name), name)
        whole = found.pop(self._levels_of(EVERYWHERE))
        return [*found.values(), whole]

    def _levels_of(self, scope: str) -> tuple[bytes, ...]:
        """Return what tells the levels of a part of the world from those of others."""
        return tuple(side.scopes[scope].tobytes() if scope in side.scopes else b"" for side in self._sides)


def _listed(family: Sequence[MeasuredChange]) -> Iterator[MeasuredChange]:
    """Yield those of changes that were asked about at once which are more than chance."""
    least = np.array([each.least for each in family], np.float64)
    told = [each for each, is_told in zip(family, can_be_significant(least, RATE), strict=True) if is_told]
    rates = benjamini_hochberg(np.array([each.chance for each in told], np.float64))
    found = [(each, float(rate)) for each, rate in zip(told, rates, strict=True) if rate <= RATE]
    # Intervals of what was picked for being large miss more often, unless they are wider: Benjamini and Yekutieli,
    # False Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters (2005).
    wrong = RATE * len(found) / max(1, len(told))
    yield from (replace(each, rate=rate, wrong=wrong) for each, rate in found)


def _change(
    where: tuple[str, str, str],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    seeds: NDArray[np.int64],
) -> MeasuredChange:
    """Return a number before and after, of the same worlds: shape (worlds,)."""
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


def _once(cells: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cells of rows, those of the same cell and game but once."""
    most = int(games.max(initial=0)) + 1
    return np.unique(cells * most + games) // most


def _order(change: MeasuredChange) -> tuple[object, ...]:
    """Return what sorts changes, the most important first."""
    turn = list(MEASURES).index(change.measure)
    return -change.importance, -change.strength, turn, change.subject, change.scope


def _one_each(changes: Iterable[MeasuredChange]) -> Iterator[MeasuredChange]:
    """Yield one of the changes of each thing: what is true of the whole is so of its parts, but less surely."""
    groups: dict[str, list[MeasuredChange]] = {}
    for change in changes:
        groups.setdefault(change.subject, []).append(change)
    told = []
    for group in groups.values():
        enough = AS_STRONG * max(each.strength for each in group)
        told.append(min((each for each in group if each.strength >= enough), key=_order))
    yield from sorted(told, key=_order)
