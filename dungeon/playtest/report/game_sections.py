"""How bots fare: what encounters cost them, how far they come, how their games end, and what they die of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.sections import CATEGORY, DEPTH, MAP, SQUARE
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, ReportSheet, SheetColumn, column, sheet_of
from dungeon.playtest.statistics import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from dungeon.playtest.run import Run


PLAYERS = """
SELECT bot FROM (SELECT bot, avg((ending = 'gave up')::INTEGER) AS share FROM plays GROUP BY bot)
WHERE share <= (SELECT min(share) FROM (SELECT avg((ending = 'gave up')::INTEGER) AS share FROM plays GROUP BY bot)) + 0.5
"""
"""The bots whose games mean something: one that gives up much more often than others, as a random one does, tells of itself."""

LETHALITY = f"""
WITH kinds AS (SELECT encounter, any_value(category) AS category FROM placements WHERE encounter <> '' GROUP BY encounter)
SELECT depth, encounter, any_value(kinds.category), bot, count(*), sum(seen_afar)::INTEGER, sum(met)::INTEGER,
    sum(fought)::INTEGER, sum(won)::INTEGER, sum(fled)::INTEGER, sum(died)::INTEGER,
    sum(died) / nullif(sum(greatest(met, fought)), 0), sum(greatest(met, fought))::INTEGER,
    avg(hp_lost) FILTER (met + fought > 0), 1.959964 * stddev_samp(hp_lost) FILTER (met + fought > 0) / sqrt(nullif(sum(greatest(met, fought)), 0)),
    avg(turns) FILTER (met + fought > 0), avg(gained) FILTER (met + fought > 0),
    arg_max({{'seed': seed, 'map': map}}, (died, hp_lost, -seed), {SHOWN})
FROM meetings JOIN kinds USING (encounter) GROUP BY depth, encounter, bot
ORDER BY sum(died) DESC, sum(hp_lost) / count(*) DESC, depth, encounter, bot
"""

SURVIVAL = f"""
WITH games AS (SELECT bot, count(*) AS games FROM plays WHERE error IS NULL GROUP BY bot),
deepest AS (SELECT bot, seed, game, max(depth) AS deepest FROM visits GROUP BY bot, seed, game),
there AS (
    SELECT bot, depth, sum(died)::INTEGER AS died, {EXAMPLES} FILTER (died = 1) AS dead, {EXAMPLES} AS examples
    FROM visits GROUP BY bot, depth
),
came AS (
    SELECT bot, depth, count(*) AS came, any_value(died) AS died, any_value(dead) AS dead, any_value(examples) AS examples
    FROM there JOIN deepest USING (bot) WHERE deepest >= depth GROUP BY bot, depth
)
SELECT depth, bot, games, came, came / games, came, games, died, died / came, died, came, coalesce(dead, examples)
FROM came JOIN games USING (bot) ORDER BY bot, depth
"""

ENDINGS = f"""
WITH games AS (SELECT bot, count(*) AS games FROM plays GROUP BY bot)
SELECT bot, ending, count(*), count(*) / any_value(games), count(*), any_value(games),
    avg(turns), avg(actions), avg(depth), {EXAMPLES} FILTER (map <> '')
FROM plays JOIN games USING (bot) GROUP BY bot, ending ORDER BY bot, ending
"""

KILLERS = f"""
SELECT map, depth, CASE killer_tag WHEN '' THEN '(none)' ELSE killer_tag END AS tag,
    CASE killer WHEN '' THEN '(none)' ELSE killer END AS encounter, count(*) AS times,
    count(*) / sum(count(*)) OVER (PARTITION BY map), {EXAMPLES}
FROM plays WHERE ending = 'death' GROUP BY map, depth, killer_tag, killer ORDER BY times DESC, map, tag, encounter
"""

DEATHS = f"""
SELECT map, depth, y // {SQUARE} * {SQUARE} AS y, x // {SQUARE} * {SQUARE} AS x, count(*), {EXAMPLES}
FROM plays WHERE ending = 'death' GROUP BY map, depth, y // {SQUARE}, x // {SQUARE} ORDER BY depth, map, y, x
"""

VISITS = f"""
SELECT map, depth, bot, count(*), sum(died)::INTEGER, sum(died) / count(*), sum(died)::INTEGER, count(*), avg(hp), avg(hp_lost),
    avg(turns), avg(gained), arg_max({{'seed': seed, 'map': map}}, (died, hp_lost, -seed), {SHOWN})
FROM visits GROUP BY map, depth, bot ORDER BY depth, map, bot
"""

BOT = column("bot", "text", "the bot that played")


def _ends(of: str) -> tuple[SheetColumn, SheetColumn]:
    """Return the columns for the interval of a share."""
    return (
        column(f"{of}_low", "share", f"where that begins which holds the true {of} in 95 of 100 cases"),
        column(f"{of}_high", "share", "where it ends"),
    )


def _with_ends(answers: Iterable[tuple[Any, ...]], *places: int) -> Iterator[tuple[Any, ...]]:
    """Yield rows in which an interval stands for two numbers, of how many and of how many of them: those at some places."""
    for answer in answers:
        row = list(answer)
        for at in places:
            row[at : at + 2] = wilson(row[at] or 0, row[at + 1] or 0) if row[at + 1] else (None, None)
        yield tuple(row)


def game_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield what there is to tell of games; nothing if there were none."""
    ((games,),) = run.sql("SELECT count(*) FROM plays").fetchall()
    if not games:
        return
    yield sheet_of(
        "lethality",
        "How bots fare with encounters",
        "What each encounter does to each bot, by depth; those that kill most come first. Per meeting, the bot having stepped on "
        "its ground or fought its robots.",
        [
            DEPTH,
            column("encounter", "text", "the encounter"),
            CATEGORY,
            BOT,
            column("told", "count", "of how many of them games tell anything"),
            column("afar", "count", "how many were seen, and never met"),
            column("met", "count", "how many were met: the bot stepped on their ground"),
            column("fought", "count", "how many were fought"),
            column("won", "count", "how many fights were won"),
            column("fled", "count", "from how many the bot fled"),
            column("deaths", "count", "in how many it died"),
            column("lethality", "share", "deaths per meeting"),
            *_ends("lethality"),
            column("hp_lost", "number", "hit points lost per meeting"),
            column("margin", "number", "by how much that may be off, in 95 of 100 cases"),
            column("turns", "number", "turns spent per meeting"),
            column("gained", "number", "items taken per meeting"),
        ],
        map(_lethality, run.sql(LETHALITY).fetchall()),
    )
    yield sheet_of(
        "survival",
        "How far bots come",
        "How many of each bot's games come to each depth or deeper, as ways may lead around a depth; and how many end there by death.",
        [
            DEPTH,
            BOT,
            column("games", "count", "how many games it played"),
            column("came", "count", "how many of them came so deep or deeper"),
            column("survival", "share", "which share that is"),
            *_ends("survival"),
            column("died", "count", "how many of those died there"),
            column("deaths", "share", "which share that is"),
            *_ends("deaths"),
        ],
        _with_ends(run.sql(SURVIVAL).fetchall(), 5, 9),
    )
    yield sheet_of(
        "endings",
        "How games end",
        "By victory, by death, or because the bot gave up.",
        [
            BOT,
            column("ending", "text", "how they ended"),
            column("games", "count", "how many did"),
            column("share", "share", "which share of the bot's games that is"),
            *_ends("share"),
            column("turns", "number", "turns until then, on average"),
            column("actions", "number", "actions until then, on average"),
            column("deep", "number", "the depth at which they ended, on average"),
        ],
        _with_ends(run.sql(ENDINGS).fetchall(), 4),
    )
    yield sheet_of(
        "killers",
        "What bots die of",
        "Which robots and traps end games, on which maps and in which encounters.",
        [
            MAP,
            DEPTH,
            column("killer", "text", "the robot or trap"),
            column("encounter", "text", "the encounter that it came with"),
            column("times", "count", "how many games it ended"),
            column("share", "share", "which share of the deaths on that map"),
        ],
        run.sql(KILLERS).fetchall(),
    )
    yield sheet_of(
        "deaths",
        "Where bots die",
        f"How many games end by death in each square of {SQUARE} by {SQUARE} cells.",
        [
            MAP,
            DEPTH,
            column("y", "count", "the first row of the square"),
            column("x", "count", "its first column"),
            column("times", "count", "how many end there"),
        ],
        run.sql(DEATHS).fetchall(),
    )
    yield sheet_of(
        "visits",
        "How bots fare on maps",
        "What each map does to each bot that comes there.",
        [
            MAP,
            DEPTH,
            BOT,
            column("came", "count", "how many games came there"),
            column("died", "count", "how many ended there by death"),
            column("deaths", "share", "which share that is"),
            *_ends("deaths"),
            column("hp", "number", "hit points left on coming there"),
            column("hp_lost", "number", "hit points lost there"),
            column("turns", "number", "turns spent there"),
            column("gained", "number", "items taken there"),
        ],
        _with_ends(run.sql(VISITS).fetchall(), 6),
    )


def _lethality(answer: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with an interval after the deaths per meeting, in place of the number of meetings."""
    meetings = answer[12]
    ends = wilson(answer[10], meetings) if meetings else (None, None)
    return *answer[:12], *ends, *answer[13:]
