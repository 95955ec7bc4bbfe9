"""Findings about games: robots, traps, encounters and maps that are too deadly, items that are too weak; maps that bots give up on, encounters that they miss.

A thing here is a kind of robot or trap, as (kind, tag). The cost of a fight is the hit points that a bot loses in it.
"""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.playtest.report.finding import ENOUGH, USUAL, Finding, frequency_finding
from dungeon.playtest.report.game_sections import PLAYERS
from dungeon.playtest.report.sheet import ENDS, GAME, GAMES, MADE, SHOWN, levels_in
from dungeon.playtest.statistics import binomial_at_least, normal_at_most, poisson_at_most, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.playtest.report.exposure import Exposure
    from dungeon.playtest.report.sheet import LevelRef
    from dungeon.playtest.run import Run


PARTS = 10
"""Worlds are split into this number of parts by seed; how the parts differ gives the standard errors."""

ROUNDS = 200
"""Number of rounds after which the estimates no longer change."""

FIGHTS = f"""
WITH each_kind AS (
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
    """The fights of a run, and the estimated cost of each kind of robot and trap.

    The fights of one world in one encounter with the same robots and traps are one group of fights.

    Attributes:
        things: The (kind, tag) of each kind of robot and trap.
        costs: Estimated hit points that one robot or trap of a kind costs in a fight, shape (things,).
        errors: Standard errors of the logarithms of `costs`, shape (things,).
        fought: Number of robots or traps of each kind in all fights together, shape (things,).
        encounters: The encounter of each group of fights, shape (groups,).
        seeds: The seed of each group's world, shape (groups,).
        fights: Number of fights in each group, shape (groups,).
        lost: Hit points that bots lost in each group, shape (groups,).
        expected: Hit points that each group's robots and traps should cost according to `costs`, shape (groups,).
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
    """Return all fights of a run, and what each kind of robot and trap costs in them by estimate; None if there were no fights."""
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
    """Return the number of robots or traps of each kind in a fight of each group of fights, shape (groups, things).

    Args:
        there: For each group, its (kind, tag, number of robots or traps).
        things: The (kind, tag) of each column of the result.
    """
    number = {thing: index for index, thing in enumerate(things)}
    counts = np.zeros((len(there), len(things)))
    for row, each in enumerate(there):
        for kind, tag, count in each:
            counts[row, number[kind, tag]] = count
    return counts


def _costs(
    counts: NDArray[np.float64], fights: NDArray[np.float64], lost: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the maximum-likelihood estimate of the hit points that one robot or trap of each kind costs, shape (things,).

    The cost of a fight is taken as the sum of the costs of its robots and traps, each Poisson distributed. The estimate is improved
    in rounds: L. Shepp and Y. Vardi, "Maximum likelihood reconstruction for emission tomography" (1982).

    Args:
        counts: Number of robots or traps of each kind in a fight of each group of fights, shape (groups, things).
        fights: Number of fights in each group, shape (groups,).
        lost: Hit points lost in each group, shape (groups,).
    """
    there = counts.T @ fights
    costs = np.full(counts.shape[1], lost.sum() / max(there.sum(), 1.0))
    for _ in range(ROUNDS):
        expected = np.maximum(fights * (counts @ costs), 1e-9)  # never 0: it is divided by
        costs = costs * ((counts * fights[:, None]).T @ (lost / expected)) / np.maximum(there, 1e-9)
    return costs


def usual_power(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    asked: NDArray[np.float64],
    powers: tuple[float, float] = (0.0, inf),
) -> NDArray[np.float64]:
    """Return the value that is usual for each x in `asked`: a power of x, fitted to the points (x, y), all above 0; shape (asked,).

    The exponent lies between `powers`. It is the median over all pairs of values, so a few outliers don't change it: H. Theil, "A rank-invariant method of
    linear and polynomial regression analysis" (1950).
    """
    x, y = np.log(x), np.log(y)
    first, second = np.triu_indices(len(x), 1)
    apart = x[first] != x[second]
    slopes = (y[second] - y[first])[apart] / (x[second] - x[first])[apart]
    power = float(np.clip(np.median(slopes) if len(slopes) else 1.0, *powers))
    usual: NDArray[np.float64] = np.exp(power * np.log(asked) + np.median(y - power * x))
    return usual


HARMFUL, SURELY_HARMFUL = 2.2, 1.5
"""A robot, trap or encounter is too strong, and an item too weak, from `HARMFUL` times the usual cost; the test asks for more than `SURELY_HARMFUL` times."""

HARMLESS, LEAST_USUAL = 6.0, 1.0
"""A robot is too weak if robots of its threat usually cost `HARMLESS` times as much, and at least `LEAST_USUAL` hit points.

The test is that of `SURELY_HARMFUL`.
"""

POWERS = 1.0, 2.0
"""A robot of twice the threat is taken to cost at least 2 and at most 4 times as much: few robots don't tell how much it is."""

TRACE, SURE = 0.1, 0.5
"""What a threat usually costs is fitted to robots that cost more than `TRACE` hit points, with a standard error of at most `SURE`.

The error is that of the logarithm. A robot that costs less counts as costing `TRACE`.
"""

SLIGHT = 0.002
"""A robot matters if it costs games this share of all hit points that they lose more, or less, than is usual."""

KILLING, KILLING_ON = 2.0, 0.1
"""A map or depth is too deadly if `KILLING` times as many games end there as on its peers, and at least `KILLING_ON` of them."""

GIVEN_UP = 0.05
"""A map is a dead end if at least this share of the games that reach it is given up there."""

UNMET, SURELY_UNMET = 0.05, 0.2
"""An encounter is out of the way if at most `UNMET` of its copies are met; the test asks for less than `SURELY_UNMET`."""


def usual_costs(run: Run, harm: Harm) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (threat of each thing, hit points that robots of that threat usually cost), each of shape (things,).

    The usual cost is NaN for traps, for robots that were fought less than `ENOUGH` times, and for all things if fewer than
    `USUAL` robots have a cost that is well known.
    """
    query = "SELECT kind, tag, threat FROM thing WHERE base = 'robot' AND threat > 0"
    known = {(kind, tag): threat for kind, tag, threat in run.sql(query).fetchall()}
    threats = np.array([known.get(thing, 0.0) for thing in harm.things])
    usual = np.full(len(threats), np.nan)
    is_known = (threats > 0) & (harm.fought >= ENOUGH)
    is_sure = is_known & (harm.costs > TRACE) & (harm.errors <= SURE)
    if is_sure.sum() >= USUAL:
        usual[is_known] = usual_power(threats[is_sure], harm.costs[is_sure], threats[is_known], POWERS)
    return threats, usual


def of_games(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield the findings about games; nothing if there were no games."""
    harm = run.notes.once("harm", harm_in, run)
    if harm is not None:
        yield from _robots(run, game, harm)
        yield from _encounters(run, game, harm)
    yield from _effects(run, game)
    yield from _killers(run, game)
    yield from _maps(run, game)
    yield from _depths(run, game)
    yield from _given_up(run, game)
    yield from _scarce(run, game)
    yield from _unmet(run, game)


WORST_WITH = f"""
SELECT tag, arg_max({GAME}, (hp_lost, -seed), {SHOWN}) AS examples
FROM meetings JOIN objects USING (seed, map, placement) WHERE base = 'robot' AND fought = 1 GROUP BY tag
"""
"""For each robot, the levels where fights with it cost most."""


def _robots(run: Run, game: Exposure, harm: Harm) -> Iterator[Finding]:
    """Yield a finding for each kind of robot that was fought often: does it cost much more, or much less, than robots of its threat?

    `Finding.matters` holds the answer.
    """
    threats, all_usual = usual_costs(run, harm)
    shown = _worst(run, WORST_WITH)
    for index in np.flatnonzero(~np.isnan(all_usual)):
        (kind, tag), fought, usual = harm.things[index], harm.fought[index], all_usual[index]
        cost, error = max(harm.costs[index], TRACE), max(harm.errors[index], fought**-0.5)
        is_strong = cost >= usual
        differs = abs(cost - usual) * fought / game.games
        times = max(cost / usual, usual / cost)
        text = f"The {kind} {tag} is {'stronger' if is_strong else 'weaker'} than its threat of {threats[index]:g} says"
        yield Finding(
            kind="harmful" if is_strong else "harmless",
            thing=tag,
            text=f"{text}: it costs {harm.costs[index]:.1f} hit points a fight; robots of that threat usually cost {usual:.1f}.",
            size=float(times if is_strong else 1 - cost / usual),
            matters=bool(
                differs >= SLIGHT * game.hp_lost
                and (times >= HARMFUL if is_strong else times >= HARMLESS and usual >= LEAST_USUAL)
            ),
            rate=float(differs),
            harm=float(differs / game.hp_lost),
            chance=normal_at_most(log(SURELY_HARMFUL / times), float(error) ** 2),
            shown=shown.get(tag, ()),
        )


EFFECTS = f"""
WITH done AS (
    SELECT *, if(kind = 'sprung', 'trap', 'item') AS base FROM events
    WHERE kind IN ('sprung', 'used') AND amount > 0 AND bot IN ({PLAYERS})
),
strong AS (
    SELECT base, tag, sum("count")::INTEGER AS times, sum(amount) / sum("count") AS strength,
        coalesce(var_samp(amount / "count"), 0) / count(*) AS variance, {GAMES} AS examples
    FROM done GROUP BY base, tag
)
SELECT base, list((kind, tag, if(base = 'trap', threat, worth), times, strength, variance, examples) ORDER BY kind, tag)
FROM strong JOIN thing USING (base, tag) WHERE if(base = 'trap', threat, worth) > 0
GROUP BY base, if(base = 'trap', '', class) HAVING count(*) >= {USUAL} ORDER BY min(tag)
"""


def _effects(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each trap and item: does a trap cost more, or an item restore less, than is usual for threat or worth?"""
    for base, peers in run.sql(EFFECTS).fetchall():
        is_trap = base == "trap"
        stake, does = ("threat", "cost") if is_trap else ("worth", "restore")
        stakes, strengths = (np.array([each[column] for each in peers], np.float64) for column in (2, 4))
        for each, usual in zip(peers, usual_power(stakes, strengths, stakes).tolist(), strict=True):
            kind, tag, worth, uses, strength, variance, examples = each
            times = strength / usual if is_trap else usual / strength
            differs = abs(strength - usual) * uses / game.games
            beyond = SURELY_HARMFUL * usual - strength if is_trap else strength - usual / SURELY_HARMFUL
            text = f"The {kind} {tag} is {'stronger' if is_trap else 'weaker'} than its {stake} of {worth:g} says"
            yield Finding(
                kind="harmful" if is_trap else "feeble",
                thing=tag,
                text=f"{text}: it {does}s {strength:.1f} hit points each time; {base}s of that {stake} usually {does} {usual:.1f}.",
                size=times if is_trap else 1 - 1 / times,
                matters=uses >= ENOUGH and times >= HARMFUL and differs >= SLIGHT * game.hp_lost,
                rate=differs,
                harm=differs / game.hp_lost,
                chance=normal_at_most(beyond, variance),
                shown=levels_in(examples),
            )


WORST_OF = f"""
SELECT encounter, arg_max({GAME}, (hp_lost, -seed), {SHOWN})
FROM meetings WHERE fought = 1 GROUP BY encounter
"""


def _encounters(run: Run, game: Exposure, harm: Harm) -> Iterator[Finding]:
    """Yield a finding for each encounter with enough fights: do they cost much more than its robots and traps do elsewhere?

    `Finding.matters` holds the answer.
    """
    categories = dict(
        run.sql("SELECT encounter, any_value(category) FROM placements GROUP BY encounter").fetchall()
    )
    shown = _worst(run, WORST_OF)
    for name in np.unique(harm.encounters).tolist():
        rows = harm.encounters == name
        seeds, number = np.unique(harm.seeds[rows], return_inverse=True)
        lost, expected = (np.bincount(number, each[rows]) for each in (harm.lost, harm.expected))
        fights = float(harm.fights[rows].sum())
        if len(seeds) < ENOUGH:
            continue
        beyond = lost - SURELY_HARMFUL * expected
        excess = float(lost.sum() - expected.sum())
        text = f"{name} is deadlier than its robots and traps: a fight costs {lost.sum() / fights:.1f} hit points"
        yield Finding(
            kind="deadlier",
            thing=name,
            category=categories[name],
            text=f"{text}; elsewhere the same robots and traps cost {expected.sum() / fights:.1f}.",
            size=float(lost.sum() / max(expected.sum(), 1.0)),
            matters=bool(lost.sum() >= HARMFUL * expected.sum()),
            rate=excess / game.games,
            harm=excess / game.games / game.hp_lost,
            chance=normal_at_most(-float(beyond.mean()), float(beyond.var(ddof=1)) / len(seeds)),
            shown=shown[name],
        )


def _worst(run: Run, query: str) -> dict[str, tuple[LevelRef, ...]]:
    """Return name of an encounter or robot -> the levels where it cost the most hit points, as selected by a query."""
    return {thing: levels_in(examples) for thing, examples in run.sql(query).fetchall()}


DEATHS = f"""
WITH came AS (
    SELECT map, depth, count(*) AS came, sum(died)::INTEGER AS died
    FROM visits WHERE bot IN ({PLAYERS}) GROUP BY map, depth
),
killers AS (
    SELECT map, mode(killer_tag ORDER BY killer_tag) FILTER (killer_tag <> '') AS robot, mode(killer ORDER BY killer) FILTER (killer <> '') AS encounter,
        {ENDS} AS examples
    FROM plays WHERE ending = 'death' AND bot IN ({PLAYERS}) GROUP BY map
)
SELECT map, depth, came, died, sum(came) OVER like_it - came, sum(died) OVER like_it - died, robot, encounter, examples
FROM came LEFT JOIN killers USING (map) WINDOW like_it AS (PARTITION BY depth) ORDER BY map
"""


def _maps(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each map: do many more of the games that reach it end there by death than on maps of the same depth?"""
    for name, depth, came, died, others, dead, robot, encounter, examples in run.sql(DEATHS).fetchall():
        if not others:
            continue
        by = f", mostly by {robot}" if robot else ""
        by += f" in {encounter}" if encounter else ""
        text = f"{died / came:.0%} of the games that reach {name} end there by death{by}"
        text += f"; on other maps of depth {depth} it is {dead / others:.0%}."
        yield _killing(text, (died, came), (dead, others), game, examples, name=name)


KILLER, SURELY_KILLING, KILLER_IN = 4.0, 2.0, 0.03
"""A robot or trap kills too often with `KILLER` times its share of the threat that games meet, in `KILLER_IN` of all games.

The test asks for more than `SURELY_KILLING` times that share.
"""

KILLERS = f"""
WITH made AS ({MADE}),
came AS (SELECT map, count(*) AS came FROM visits WHERE bot IN ({PLAYERS}) GROUP BY map),
met AS (
    SELECT kind, tag, sum(count * threat * came / levels) AS met
    FROM objects JOIN thing USING (kind, tag) JOIN made USING (map) JOIN came USING (map) WHERE threat > 0 GROUP BY kind, tag
),
dead AS (
    SELECT killer_tag AS tag, count(*) AS died, {ENDS} AS examples
    FROM plays WHERE ending = 'death' AND killer_tag <> '' AND bot IN ({PLAYERS}) GROUP BY killer_tag
)
SELECT kind, tag, died, sum(died) OVER (), met / (SELECT sum(met) FROM met), examples
FROM met JOIN dead USING (tag) ORDER BY kind, tag
"""


def _killers(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each robot and trap: does it kill much more often than its share of the threat that games meet?"""
    for kind, tag, died, deaths, share, examples in run.sql(KILLERS).fetchall():
        excess = (died - share * deaths) / game.games
        part = f"{died} of the {deaths} deaths by robots or traps ({died / deaths:.0%})"
        text = f"The {kind} {tag} kills more often than its threat says: it struck the last blow in {part}"
        yield Finding(
            kind="killer",
            thing=tag,
            text=f"{text}, though it is {share:.1%} of the threat on levels that games reach.",
            size=died / deaths / share,
            matters=died >= KILLER * share * deaths and died >= KILLER_IN * game.games,
            rate=100 * excess,
            harm=excess,
            chance=binomial_at_least(died, int(deaths), min(SURELY_KILLING * share, 0.99)),
            shown=levels_in(examples),
        )


BY_DEPTH = f"""
WITH died AS (
    SELECT depth, count(*) AS died, mode(killer_tag ORDER BY killer_tag) FILTER (killer_tag <> '') AS robot, {ENDS} AS examples
    FROM plays WHERE ending = 'death' AND bot IN ({PLAYERS}) GROUP BY depth
),
came AS (
    SELECT depth, count(DISTINCT (seed, bot, game)) AS came FROM visits WHERE bot IN ({PLAYERS}) GROUP BY depth
)
SELECT depth, came, coalesce(died, 0), robot, examples FROM came LEFT JOIN died USING (depth) ORDER BY depth
"""


def _depths(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each depth: do many more of the games that reach it end there by death than one depth above or below?"""
    rows = {depth: rest for depth, *rest in run.sql(BY_DEPTH).fetchall()}
    for depth, (came, died, robot, examples) in rows.items():
        near = [rows[each][:2] for each in (depth - 1, depth + 1) if each in rows]
        if not near:
            continue
        of, dead = max(near, key=lambda each: each[1] / each[0])
        by = f", mostly by {robot}" if robot else ""
        text = f"{died / came:.0%} of the games that reach depth {depth} end there by death{by}"
        text += f"; one depth above or below it is at most {dead / of:.0%}."
        yield _killing(text, (died, came), (dead, of), game, examples)


def _killing(
    text: str,
    deaths: tuple[int, int],
    peers: tuple[int, int],
    game: Exposure,
    examples: Iterable[dict[str, Any]] | None,
    *,
    name: str = "",
) -> Finding:
    """Return a finding about a map or depth where many games end by death.

    Args:
        text: Its text.
        deaths: Number of games that end there by death, and number of games that reach it.
        peers: The same numbers for the maps or the depth that it is compared with.
        game: What an average game goes through.
        examples: Example games that end there.
        name: The map; empty for a depth.
    """
    (died, came), (dead, of) = deaths, peers
    excess = (died - came * dead / of) / game.games
    return Finding(
        kind="killing",
        map=name,
        text=text,
        size=died / came,
        matters=died >= KILLING_ON * came and died * of >= KILLING * dead * came,
        rate=100 * excess,
        harm=excess,
        chance=binomial_at_least(died, came, wilson(dead, of)[1]),
        shown=levels_in(examples),
    )


STUCK = f"""
WITH stuck AS (
    SELECT map, count(*) AS times, {ENDS} AS examples
    FROM plays WHERE ending = 'gave up' AND bot IN ({PLAYERS}) GROUP BY map
),
came AS (SELECT map, count(*) AS came FROM visits WHERE bot IN ({PLAYERS}) GROUP BY map)
SELECT map, came, coalesce(times, 0), examples FROM came LEFT JOIN stuck USING (map) ORDER BY map
"""


def _given_up(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each map: do bots often give up on it?"""
    for name, came, times, examples in run.sql(STUCK).fetchall():
        text = f"Bots give up on {name}: {times} of the {came} games that reach it are given up there."
        share = times / game.games
        yield frequency_finding(
            "stuck", text, (times, came), GIVEN_UP, (100 * share, share), examples, name=name
        )


SCARCE = 1 / 3
"""A map has too few items if games take at most this share of what is usual on a map; the test asks for less than half of it."""

DRAINED, DRAINED_ON = 0.1, 0.1
"""Charge is scarce if `DRAINED_ON` of the games that reach a map arrive with less than `DRAINED` of the charge they began with."""

ITEMS = "{'seed': seed, 'map': map, 'bot': bot, 'game': game, 'mark': 'item'}"
"""SQL for a game as an example, with the items of its level marked."""

ECONOMY = f"""
WITH games AS (
    SELECT seed, bot, game, max(charge) FILTER (n = 0) AS begun FROM visits WHERE bot IN ({PLAYERS}) GROUP BY seed, bot, game
),
maps AS (
    SELECT map, count(*) AS came, avg(gained) AS gained, coalesce(var_samp(gained), 0) / count(*) AS variance,
        count(*) FILTER (charge < {DRAINED} * begun) AS drained,
        arg_min({ITEMS}, (gained, seed), {SHOWN}) AS barren,
        min(DISTINCT {ITEMS}, {SHOWN}) FILTER (charge < {DRAINED} * begun) AS low
    FROM visits JOIN games USING (seed, bot, game) GROUP BY map
)
SELECT *, (SELECT median(gained) FROM maps), (SELECT count(*) FROM maps) FROM maps ORDER BY map
"""


def _scarce(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield two findings for each map: do games find few items there, and do they arrive with hardly any charge?"""
    for name, came, gained, variance, drained, barren, empty, usual, maps in run.sql(ECONOMY).fetchall():
        if maps >= USUAL and usual > 0:
            yield Finding(
                kind="scarce",
                map=name,
                thing="items",
                text=f"Items are scarce on {name}: games take {gained:.1f} there; {usual:.1f} are usual on a map.",
                size=1 - gained / usual,
                matters=gained <= SCARCE * usual,
                rate=100 * came / game.games,
                harm=game.of_levels(name, 1 - gained / usual),
                chance=normal_at_most(gained - usual / 2, variance),
                shown=levels_in(barren),
            )
        share = drained / game.games
        text = f"Charge is scarce before {name}: {drained} of the {came} games that reach it arrive with less than {DRAINED:.0%}."
        counts, toll = (drained, came), (100 * share, share)
        yield frequency_finding("drained", text, counts, DRAINED_ON, toll, empty, name=name, thing="charge")


OUT_OF_THE_WAY = f"""
WITH came AS (SELECT seed, map, bot, game FROM visits WHERE bot IN ({PLAYERS})),
there AS (SELECT seed, map, n AS placement, encounter, category FROM placements WHERE encounter <> ''),
told AS (SELECT seed, map, bot, game, placement, met FROM meetings)
SELECT encounter, category, count(*), coalesce(sum(met), 0)::INTEGER, {GAMES} FILTER (coalesce(met, 0) = 0)
FROM came JOIN there USING (seed, map) LEFT JOIN told USING (seed, map, bot, game, placement)
GROUP BY encounter, category ORDER BY encounter
"""


def _unmet(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each encounter: do bots that reach its level hardly ever meet it?"""
    for name, category, times, met, examples in run.sql(OUT_OF_THE_WAY).fetchall():
        yield Finding(
            kind="unmet",
            thing=name,
            category=category,
            text=f"{name} is hardly ever met: games met {met} of the {times} copies on levels that they reached.",
            size=1 - met / times,
            matters=met <= UNMET * times,
            rate=100 * (times - met) / game.games,
            harm=(times - met) / game.games / game.encounters,
            chance=poisson_at_most(met, SURELY_UNMET * times),
            shown=levels_in(examples),
        )
