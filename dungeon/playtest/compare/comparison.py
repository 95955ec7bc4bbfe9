"""Two runs of the same worlds: every question that can be asked of both, and what has changed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.playtest.compare.inference import (
    adjusted,
    chance_of,
    effect_of,
    error_of,
    strength_of,
    width_of,
)
from dungeon.playtest.compare.measures import MEASURES
from dungeon.playtest.compare.sample import Sample
from dungeon.playtest.errors import PlaytestError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.playtest.compare.measures import Measure
    from dungeon.playtest.compare.sample import Amounts

RATE = 0.05
"""How much of what is listed as changed may be chance, and how often intervals may miss."""

AS_STRONG = 0.9
"""What is told of a thing is that with the largest effect among what has at least so much of the strongest evidence."""

DEPTH = re.compile(r"depth\d+")
"""A part of a world: its maps of that depth."""

SHOWN = 3
"""How many seeds are told that show a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A number, before and after, as a mean over worlds.

    Attributes:
        measure: Which number: a name of `MEASURES`.
        scope: Of which part of the world.
        thing: Of what; empty if it is not about things.
        before: Its mean over the worlds of the first run; `after`, over those of the second.
        error: The standard error of their difference.
        chance: How likely so large a difference would be by chance, were this the only question.
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
        return width_of(self.wrong) * self.error

    @property
    def importance(self) -> float:
        """The effect, if the difference were but that end of its interval which is nearest to 0."""
        size = abs(self.difference)
        return abs(self.effect) * max(0.0, 1 - self.margin / size) if size else 0.0

    @property
    def subject(self) -> str:
        """What it is about, in words."""
        return f"{MEASURES[self.measure].subject} {self.thing}".rstrip()


class Comparison(NamedTuple):
    """What has changed between two runs.

    Attributes:
        seeds: The seeds of the worlds that both have.
        questions: How many questions were asked at once.
        changes: What has changed by more than chance: of each thing what tells most, the most important first.
        all_changes: All that has.
    """

    seeds: tuple[int, ...]
    questions: int
    changes: list[Change]
    all_changes: list[Change]


class Pair:
    """Two runs, to be asked what has changed between them.

    Args:
        before: The folder of the first run.
        after: The folder of the second.

    Attributes:
        scopes: What parts of a world are called.
        seeds: The seeds of the worlds that both have, in order.

    Raises:
        PlaytestError: There is no run that can be read, or no world is in both.
    """

    def __init__(self, before: str | os.PathLike[str], after: str | os.PathLike[str]) -> None:
        self._sides = Sample(before), Sample(after)
        one, other = self._sides
        self.seeds = np.intersect1d(one.seeds, other.seeds)
        if not len(self.seeds):
            raise PlaytestError(f"no world is both in {before} and in {after}: record the same seeds")
        self.scopes = list(dict.fromkeys([*one.scopes, *other.scopes]))
        self._worlds = [side.worlds(self.seeds) for side in self._sides]
        self._amounts: dict[str, tuple[Amounts, Amounts]] = {}

    def compare(self) -> Comparison:
        """Ask everything, and return what has changed."""
        listed = [measure for measure in MEASURES.values() if measure.is_listed]
        scopes = list(self._distinct_scopes())
        asked = [each for measure in listed for scope in scopes for each in self._asked(measure, scope)]
        rates = adjusted(np.array([each.chance for each in asked], np.float64))
        found = [(each, float(rate)) for each, rate in zip(asked, rates, strict=True) if rate <= RATE]
        # Intervals of what was picked for being large miss more often, unless they are wider: Benjamini and Yekutieli,
        # False Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters (2005).
        wrong = RATE * len(found) / max(1, len(asked))
        changes = [replace(each, rate=rate, wrong=wrong) for each, rate in found]
        changes.sort(key=_order)
        return Comparison(tuple(self.seeds.tolist()), len(asked), list(_one_each(changes)), changes)

    def things(self, measure: Measure) -> list[str]:
        """Return what a measure can be asked of; nothing if it is not about things."""
        names = {name for amounts in self._amounts_of(measure) for name in amounts.names}
        return sorted(names - {""})

    def ask(self, measure: Measure, scope: str, thing: str = "") -> Change:
        """Ask a single question.

        Raises:
            PlaytestError: There is nothing that could be compared.
        """
        for change in self._asked(measure, scope, only=thing):
            return change
        name = f"{measure.name}({', '.join(each for each in (scope, thing) if each)})"
        raise PlaytestError(f"there is no world for which both runs have {name}")

    def _asked(self, measure: Measure, scope: str, *, only: str | None = None) -> Iterator[Change]:
        """Yield what a part of the world has of each thing, or of just one, before and after."""
        things = self.things(measure) if measure.has_things else [""]
        matrices = [self._by_world(side, measure, scope, things) for side in range(2)]
        for thing, before, after in zip(things, *matrices, strict=True):
            there = ~np.isnan(before) & ~np.isnan(after)
            if there.any() and only in (None, thing):
                where = measure.name, scope, thing
                yield _change(where, before[there], after[there], self.seeds[there])

    def _by_world(
        self, side: int, measure: Measure, scope: str, things: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return how much of things there is, shape (things, worlds): nan for worlds that don't have that part at all."""
        sample, worlds, amounts = self._sides[side], self._worlds[side], self._amounts_of(measure)[side]
        number = {thing: index for index, thing in enumerate(things)}
        numbers = np.array([number.get(name, -1) for name in amounts.names], np.int64)
        inside = sample.scopes.get(scope, np.zeros(len(worlds), bool)) & (worlds >= 0)
        rows = inside[amounts.levels] & (numbers[amounts.things] >= 0)
        shape = len(things), len(self.seeds)
        cells = numbers[amounts.things[rows]] * shape[1] + worlds[amounts.levels[rows]]
        values = np.ones(len(cells)) if measure.kind == "share" else amounts.values[rows]
        size = shape[0] * shape[1]
        sums = np.bincount(cells, values, minlength=size).reshape(shape)
        counts: NDArray[np.int64]
        if measure.kind == "mean":
            counts = np.bincount(cells, minlength=size).reshape(shape)
        elif measure.base == "world":
            counts = np.ones(shape[1], np.int64)
        else:
            of = worlds[inside & (sample.made | (measure.base == "tried"))]
            counts = np.bincount(of, minlength=shape[1])
        with np.errstate(invalid="ignore"):
            result: NDArray[np.float64] = sums / counts
        return result

    def _amounts_of(self, measure: Measure) -> tuple[Amounts, Amounts]:
        """Return what there is before and after; it is kept until another measure is asked for, as it may be large."""
        if measure.name not in self._amounts:
            self._amounts.clear()
            one, other = self._sides
            self._amounts[measure.name] = one.amounts(measure), other.amounts(measure)
        return self._amounts[measure.name]

    def _distinct_scopes(self) -> Iterator[str]:
        """Yield parts of a world that have not all the same levels, single maps first; depths are left to conditions."""
        seen = set()
        for name in reversed(self.scopes):
            levels = tuple(
                side.scopes[name].tobytes() if name in side.scopes else b"" for side in self._sides
            )
            if levels not in seen and not DEPTH.fullmatch(name):
                seen.add(levels)
                yield name


def _change(
    where: tuple[str, str, str],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    seeds: NDArray[np.int64],
) -> Change:
    """Return a number before and after, of the same worlds: shape (worlds,)."""
    differences = after - before
    shown = np.argsort(-np.abs(differences), kind="stable")[:SHOWN]
    measure, scope, thing = where
    return Change(
        measure=measure,
        scope=scope,
        thing=thing,
        before=float(before.mean()),
        after=float(after.mean()),
        error=error_of(differences),
        chance=chance_of(differences),
        strength=strength_of(differences),
        effect=effect_of(before, after),
        worlds=len(seeds),
        more=int((differences > 0).sum()),
        less=int((differences < 0).sum()),
        seeds=tuple(seeds[each].item() for each in shown if differences[each]),
    )


def _order(change: Change) -> tuple[object, ...]:
    """Return what sorts changes, the most important first."""
    turn = list(MEASURES).index(change.measure)
    return -change.importance, -change.strength, turn, change.subject, change.scope


def _one_each(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield one of the changes of each thing: what is true of the whole is so of its parts, but less surely."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.subject, []).append(change)
    told = []
    for group in groups.values():
        enough = AS_STRONG * max(each.strength for each in group)
        told.append(min((each for each in group if each.strength >= enough), key=_order))
    yield from sorted(told, key=_order)
