"""How much each kind of robot hurts whoever fights it, told from fights with several kinds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.playtest.report.sections.games import PLAYERS
from dungeon.playtest.report.sections.objects import OBJECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.playtest.run import Run

PARTS = 10
"""Worlds fall into so many parts, by their seeds: how much what they tell differs is how uncertain it is."""

ROUNDS = 200
"""After so many rounds the estimates no longer move."""

FIGHTS = f"""
WITH objects AS ({OBJECTS}),
each_kind AS (
    SELECT seed, map, placement, kind, tag, sum(count)::INTEGER AS count
    FROM objects WHERE base IN ('robot', 'trap') AND placement >= 0 GROUP BY ALL
),
there AS (
    SELECT seed, map, placement, list((kind, tag, count) ORDER BY kind, tag) AS things
    FROM each_kind GROUP BY seed, map, placement
)
SELECT encounter, seed, things, count(*), sum(hp_lost)::INTEGER
FROM meetings JOIN there USING (seed, map, placement)
WHERE fought = 1 AND bot IN ({PLAYERS}) GROUP BY encounter, seed, things ORDER BY encounter, seed, things
"""

Thing = tuple[str, str]


class Harm(NamedTuple):
    """How fights went, and what they tell.

    Attributes:
        things: The robots and traps that were there, each by its kind and tag.
        costs: The hit points that one of each costs whoever fights in the same encounter.
        errors: The standard errors of the logarithms of these.
        fought: How many of each there were, in all fights.
        encounters: Of each row the encounter; a row is a world's fights in an encounter with the same things.
        seeds: Its world.
        fights: How many fights that were.
        lost: How many hit points they cost; `expected`: how many, by what was there.
        expected: See `lost`.
    """

    things: list[Thing]
    costs: NDArray[np.float64]
    errors: NDArray[np.float64]
    fought: NDArray[np.float64]
    encounters: NDArray[np.str_]
    seeds: NDArray[np.int64]
    fights: NDArray[np.float64]
    lost: NDArray[np.float64]
    expected: NDArray[np.float64]


def harm_in(run: Run) -> Harm | None:
    """Return what fights tell; None if there were none."""
    rows = run.sql(FIGHTS).fetchall()
    if not rows:
        return None
    encounters, seeds, there, fights, lost = zip(*rows, strict=True)
    things = sorted({(kind, tag) for each in there for kind, tag, _ in each})
    counts = _counts(there, things)
    times, hurt = np.array(fights, np.float64), np.array(lost, np.float64)
    part = np.array(seeds) % PARTS
    costs = _costs(counts, times, hurt)
    without = np.array(
        [_costs(counts, times * (part != each), hurt * (part != each)) for each in range(PARTS)]
    )
    # The jackknife: B. Efron, "The jackknife, the bootstrap and other resampling plans" (1982).
    spread = np.log(np.maximum(without, 1e-6))
    errors = np.sqrt((PARTS - 1) * spread.var(axis=0))
    return Harm(
        things=things,
        costs=costs,
        errors=errors,
        fought=times @ counts,
        encounters=np.array(encounters),
        seeds=np.array(seeds),
        fights=times,
        lost=hurt,
        expected=times * (counts @ costs),
    )


def _counts(there: Sequence[Sequence[Any]], things: Sequence[Thing]) -> NDArray[np.float64]:
    """Return how many of each thing there are, shape (rows, things)."""
    number = {thing: index for index, thing in enumerate(things)}
    counts = np.zeros((len(there), len(things)))
    for row, each in enumerate(there):
        for kind, tag, count in each:
            counts[row, number[kind, tag]] = count
    return counts


def _costs(
    counts: NDArray[np.float64], fights: NDArray[np.float64], lost: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what one of each thing costs, so that fights cost most likely what they did.

    What a fight costs is the sum of what each thing there does, as for Poisson's law; the estimates get better from round to
    round: L. Shepp and Y. Vardi, "Maximum likelihood reconstruction for emission tomography" (1982).

    Args:
        counts: How many of each there were in each fight of a row, shape (rows, things).
        fights: How many fights, shape (rows,).
        lost: How many hit points they cost, shape (rows,).
    """
    there = counts.T @ fights
    costs = np.full(counts.shape[1], lost.sum() / max(there.sum(), 1.0))
    for _ in range(ROUNDS):
        expected = np.maximum(fights * (counts @ costs), 1e-9)
        costs = costs * ((counts * fights[:, None]).T @ (lost / expected)) / np.maximum(there, 1e-9)
    return costs


def usual_cost(threats: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what robots of some threats usually cost: a power of the threat, through the middle of what they do.

    The power is the median of those of all pairs: H. Theil, "A rank-invariant method of linear and polynomial regression
    analysis" (1950). A few that are out of line do not bend it.
    """
    x, y = np.log(threats), np.log(costs)
    first, second = np.triu_indices(len(x), 1)
    apart = x[first] != x[second]
    powers = (y[second] - y[first])[apart] / (x[second] - x[first])[apart]
    power = float(np.median(powers)) if len(powers) else 1.0
    usual: NDArray[np.float64] = np.exp(power * x + np.median(y - power * x))
    return usual
