"""Tables about games: what encounters and maps cost bots, how far bots get, how games end, and what kills bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.finding import listed
from dungeon.playtest.report.level_sections import SQUARE
from dungeon.playtest.report.sheet import (
    CATEGORY,
    DEPTH,
    ENDS,
    GAME,
    GAMES,
    MAP,
    SHOWN,
    ReportSheet,
    SheetColumn,
    column,
    sheet_of,
)
from dungeon.playtest.statistics import WIDTH, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from dungeon.playtest.run import Run


PLAYERS = """
SELECT bot FROM (SELECT bot, avg((ending = 'gave up')::INTEGER) AS share FROM plays GROUP BY bot)
WHERE share <= (SELECT min(share) FROM (SELECT avg((ending = 'gave up')::INTEGER) AS share FROM plays GROUP BY bot)) + 0.5
"""
"""The bots whose games count. A bot that gives up much more often than the best one, as `random` does, is left out."""

LETHALITY = f"""
WITH kinds AS (SELECT encounter, any_value(category) AS category FROM placements WHERE encounter <> '' GROUP BY encounter)
SELECT depth, encounter, any_value(kinds.category), bot, sum(hp_lost)::BIGINT AS hp_total, count(*), sum(seen_afar)::INTEGER, sum(met)::INTEGER,
    sum(fought)::INTEGER, sum(won)::INTEGER, sum(fled)::INTEGER, sum(died)::INTEGER AS deaths,
    sum(greatest(met, fought))::INTEGER AS times, deaths / nullif(times, 0), deaths, times,
    avg(hp_lost) FILTER (met + fought > 0),
    {WIDTH} * stddev_samp(hp_lost) FILTER (met + fought > 0) / sqrt(nullif(times, 0)),
    avg(turns) FILTER (met + fought > 0), avg(gained) FILTER (met + fought > 0),
    arg_max({GAME}, (died, hp_lost, -seed, map, -game), {SHOWN})
FROM meetings JOIN kinds USING (encounter) GROUP BY depth, encounter, bot
ORDER BY sum(hp_total) OVER (PARTITION BY encounter) DESC, encounter, depth, bot
"""

KILLER = "CASE killer_tag WHEN '' THEN 'lack of charge' ELSE killer_tag END"
"""SQL for what killed the player, from `plays`."""

SURVIVAL = f"""
WITH games AS (SELECT bot, count(*) AS games FROM plays WHERE error IS NULL GROUP BY bot),
deepest AS (SELECT bot, seed, game, max(depth) AS deepest FROM visits GROUP BY bot, seed, game),
there AS (
    SELECT bot, depth, sum(died)::INTEGER AS died, {GAMES} FILTER (died = 1) AS dead, {GAMES} AS examples
    FROM visits GROUP BY bot, depth
),
killers AS (
    SELECT bot, depth, mode({KILLER} ORDER BY {KILLER}) AS killer FROM plays WHERE ending = 'death' GROUP BY bot, depth
),
came AS (
    SELECT bot, depth, count(*) AS came, any_value(died) AS died, any_value(dead) AS dead, any_value(examples) AS examples
    FROM there JOIN deepest USING (bot) WHERE deepest >= depth GROUP BY bot, depth
)
SELECT depth, bot, games, came, came / games, came, games, died, died / came, died, came, killer, coalesce(dead, examples)
FROM came JOIN games USING (bot) LEFT JOIN killers USING (bot, depth) ORDER BY bot, depth
"""

ENDINGS = f"""
WITH games AS (SELECT bot, count(*) AS games FROM plays GROUP BY bot),
known AS (SELECT ending FROM plays UNION SELECT 'gave up')
SELECT bot, ending, count(map), count(map) / any_value(games), count(map), any_value(games),
    avg(turns), avg(actions), avg(depth), {ENDS}
FROM games CROSS JOIN known LEFT JOIN plays USING (bot, ending) GROUP BY bot, ending ORDER BY bot, ending
"""

KILLERS = f"""
SELECT map, depth, {KILLER} AS tag, CASE WHEN killer <> '' THEN killer WHEN killer_tag <> '' THEN 'outside encounters' ELSE '' END AS encounter, count(*) AS times,
    count(*) / sum(count(*)) OVER (PARTITION BY map), {ENDS}
FROM plays WHERE ending = 'death' GROUP BY map, depth, killer_tag, killer ORDER BY times DESC, map, tag, encounter
"""

DEATHS = f"""
SELECT map, depth, y // {SQUARE} * {SQUARE} AS y, x // {SQUARE} * {SQUARE} AS x, count(*), {ENDS}
FROM plays WHERE ending = 'death' GROUP BY map, depth, y // {SQUARE}, x // {SQUARE} ORDER BY depth, map, y, x
"""

ACCOUNTED = """
SELECT (SELECT sum(hp_lost) FROM meetings) / nullif(sum(hp_lost), 0), (SELECT sum(died) FROM meetings) / nullif(sum(died), 0)
FROM visits
"""
"""The share of the hit points lost in games, and of the deaths, for which encounters account; NULL if there are none."""

COSTLIEST = "SELECT encounter, sum(hp_lost) AS lost FROM meetings GROUP BY encounter ORDER BY lost DESC, encounter LIMIT 5"
"""The encounters that cost most hit points in all games, with these."""

GIVEN_UP = """
SELECT map, count(*) AS times FROM plays WHERE ending = 'gave up' GROUP BY map ORDER BY times DESC, map LIMIT 5
"""
"""The maps on which most games were given up, with their number."""

UNSEEN = """
SELECT DISTINCT encounter FROM placements
ANTI JOIN (SELECT encounter FROM meetings WHERE seen IS NOT NULL OR met = 1) USING (encounter) WHERE encounter <> '' ORDER BY encounter
"""
"""The encounters of recorded levels that no game saw or met."""

FACED = "SELECT seed, bot, game, map, sum(count) AS faced FROM events WHERE kind = 'faced' GROUP BY seed, bot, game, map"
"""The number of decisions of each game on each map."""

VISITS = f"""
WITH faced AS ({FACED})
SELECT map, depth, bot, count(*), sum(died)::INTEGER, sum(died) / count(*), sum(died)::INTEGER, count(*),
    avg(hp), avg(hp_lost), avg(turns), median(turns / faced), avg(gained), arg_max({GAME}, (died, hp_lost, -seed, -game), {SHOWN})
FROM visits LEFT JOIN faced USING (seed, bot, game, map) GROUP BY map, depth, bot ORDER BY depth, map, bot
"""

SLOWEST = """
SELECT map, avg(turns) AS turns FROM visits GROUP BY map HAVING turns >= 1 ORDER BY turns DESC, map LIMIT 3
"""
"""The maps on which an average game that reaches them spends most turns, with these turns."""

DEADLIEST = """
SELECT map, sum(died)::INTEGER AS deaths, count(*) AS came FROM visits GROUP BY map HAVING came >= 10 AND deaths > 0
ORDER BY deaths / came DESC, map LIMIT 3
"""
"""The maps with the largest share of deaths among the games that reach them, with both numbers; maps that few games reach are left out."""

CAUSES = """
SELECT count(*), count(*) FILTER (killer_tag IN (SELECT tag FROM objects WHERE base IN ('robot', 'trap'))), count(*) FILTER (killer_tag = '')
FROM plays WHERE ending = 'death'
"""
"""The number of deaths, of those by robots or traps, and of those by lack of charge."""

DEADLIEST_TAGS = f"""
SELECT {KILLER} AS tag, count(*) AS times FROM plays WHERE ending = 'death' GROUP BY tag ORDER BY times DESC, tag LIMIT 5
"""
"""What caused most deaths on all maps together, with their number."""

DULLEST = f"""
WITH faced AS ({FACED})
SELECT map, median(turns / faced) AS pace FROM visits JOIN faced USING (seed, bot, game, map)
GROUP BY map ORDER BY pace DESC, map LIMIT 3
"""
"""The maps with most turns for each decision, as the median of the games there, with these turns."""

BOT = column("bot", "text", "the bot")


def _ends(of: str) -> tuple[SheetColumn, SheetColumn]:
    """Return the two columns for the ends of the 95% interval of the share in column `of`: ``share`` -> ``share_low``, ``share_high``."""
    return (
        column(f"{of}_low", "share", f"lower end of the 95% interval of {of}"),
        column(f"{of}_high", "share", f"upper end of the 95% interval of {of}"),
    )


def _with_ends(answers: Iterable[tuple[Any, ...]], *places: int) -> Iterator[tuple[Any, ...]]:
    """Yield rows in which two numbers, a count and its total, are replaced by the 95% interval of the share.

    Args:
        answers: The rows.
        places: The index of each count in a row; the total of a count is the next value.
    """
    for answer in answers:
        row = list(answer)
        for at in places:
            row[at : at + 2] = wilson(row[at] or 0, row[at + 1] or 0) if row[at + 1] else (None, None)
        yield tuple(row)


def game_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the tables about games; nothing if there were none."""
    ((games,),) = run.sql("SELECT count(*) FROM plays").fetchall()
    if not games:
        return
    ((hurt, died),) = run.sql(ACCOUNTED).fetchall()
    costliest = ", ".join(f"{name} ({lost:,} hit points)" for name, lost in run.sql(COSTLIEST).fetchall())
    given_up = ", ".join(f"{name} ({times})" for name, times in run.sql(GIVEN_UP).fetchall()) or "none"
    killers = ", ".join(f"{tag} ({times})" for tag, times in run.sql(DEADLIEST_TAGS).fetchall()) or "none"
    ((deaths, struck, worn),) = run.sql(CAUSES).fetchall()
    unseen = ", ".join(listed([name for (name,) in run.sql(UNSEEN).fetchall()])) or "none"
    yield sheet_of(
        "lethality",
        "How bots fare with encounters",
        "What each encounter costs each bot at each depth. The encounters that cost most over all games come first: "
        f"{costliest or 'none'}. Encounters that no game saw or met, though levels have them: {unseen}. "
        "A meeting is an encounter whose ground the bot stepped on, or whose robots it fought. "
        f"Encounters account for {hurt or 0:.0%} of all hit points lost, and for {died or 0:.0%} of deaths. The rest has causes outside of encounters.",
        [
            DEPTH,
            column("encounter", "text", "the encounter"),
            CATEGORY,
            BOT,
            column("hp_total", "count", "hit points lost in all meetings"),
            column("noticed", "count", "copies that games saw, met or fought"),
            column(
                "only_seen",
                "count",
                "copies that the bot saw, but whose ground it never stepped on; it may have fought their robots",
            ),
            column("met", "count", "copies whose ground the bot stepped on"),
            column(
                "fought",
                "count",
                "copies whose robots exchanged blows with the bot; more than met if robots leave their ground",
            ),
            column("won", "count", "copies of which the bot destroyed every robot that fought"),
            column(
                "fled",
                "count",
                "copies whose robots neither lost nor killed the bot that met or fought them: it ran away or walked past",
            ),
            column("deaths", "count", "copies that killed the bot"),
            column("meetings", "count", "copies that the bot met or fought"),
            column("lethality", "share", "deaths per meeting"),
            *_ends("lethality"),
            column("hp_lost", "number", "hit points lost per meeting"),
            column("margin", "number", "half the width of the 95% interval of hp_lost"),
            column("turns", "number", "turns spent per meeting"),
            column("gained", "number", "items taken per meeting"),
        ],
        _with_ends(run.sql(LETHALITY).fetchall(), 14),
    )
    yield sheet_of(
        "survival",
        "How far bots get",
        "The share of each bot's games that reach each depth or a deeper one, and the share that ends there by death.",
        [
            DEPTH,
            BOT,
            column("games", "count", "games played"),
            column("reached", "count", "games that reached this depth or a deeper one"),
            column("survival", "share", "share of games that reached it"),
            *_ends("survival"),
            column("deaths", "count", "games that ended there by death"),
            column(
                "death_share", "share", "of the games that reached it, the share that ended there by death"
            ),
            *_ends("death_share"),
            column("killer", "text", "the most frequent cause of these deaths"),
        ],
        _with_ends(run.sql(SURVIVAL).fetchall(), 5, 9),
    )
    yield sheet_of(
        "endings",
        "How games end",
        f"Games of each bot by ending: victory, death, given up or failed. Maps on which games were given up: {given_up}.",
        [
            BOT,
            column("ending", "text", "the ending"),
            column("games", "count", "games with this ending"),
            column("share", "share", "share of the bot's games"),
            *_ends("share"),
            column("turns", "number", "average turns of these games"),
            column("actions", "number", "average actions of these games"),
            column("mean_depth", "number", "average depth at the end"),
        ],
        _with_ends(run.sql(ENDINGS).fetchall(), 4),
    )
    yield sheet_of(
        "killers",
        "What kills bots",
        f"What ended games by death, by map and encounter. Of all {deaths:,} deaths, {struck:,} are by robots or traps, {worn:,} by lack of charge, and "
        f"{deaths - struck - worn:,} by other objects, such as exploding kegs. Over all maps, most deaths are caused by {killers}. "
        "On example levels the killer and the cell (y,x) where the game ended are marked.",
        [
            MAP,
            DEPTH,
            column(
                "killer",
                "text",
                "the robot, trap or other object that struck the last blow, or lack of charge",
            ),
            column("encounter", "text", "the encounter that it belongs to"),
            column("times", "count", "games that it ended"),
            column("share", "share", "share of the deaths on that map, not of the games"),
        ],
        run.sql(KILLERS).fetchall(),
    )
    yield sheet_of(
        "deaths",
        "Where bots die",
        f"Deaths in each square of {SQUARE} by {SQUARE} cells. On example levels the killer and the cell (y,x) where the game ended are marked.",
        [
            MAP,
            DEPTH,
            column("y", "count", "top row of the square"),
            column("x", "count", "left column of the square"),
            column("times", "count", "deaths there"),
        ],
        run.sql(DEATHS).fetchall(),
    )
    slowest = ", ".join(f"{name} ({turns:,.0f})" for name, turns in run.sql(SLOWEST).fetchall()) or "none"
    deadliest = (
        ", ".join(f"{name} ({died} of {came})" for name, died, came in run.sql(DEADLIEST).fetchall())
        or "none"
    )
    dullest = ", ".join(f"{name} ({pace:,.0f})" for name, pace in run.sql(DULLEST).fetchall()) or "none"
    yield sheet_of(
        "visits",
        "How bots fare on maps",
        f"What each map costs each bot that reaches it. Maps on which an average game that reaches them spends most turns: {slowest}. "
        f"Maps with most turns for each decision, in the median game there: {dullest}. "
        f"Maps on which the largest share of games ends by death, if 10 or more reach them: {deadliest}.",
        [
            MAP,
            DEPTH,
            BOT,
            column("reached", "count", "games that reached it"),
            column("deaths", "count", "games that ended there by death"),
            column(
                "death_share", "share", "of the games that reached it, the share that ended there by death"
            ),
            *_ends("death_share"),
            column("hp", "number", "average hit points on first arrival"),
            column("hp_lost", "number", "average hit points lost there"),
            column("turns", "number", "average turns spent there"),
            column(
                "pace",
                "number",
                "turns for each thing that came in sight and that the player may decide about (`faced` event), the median of the games; the more, the duller",
            ),
            column("gained", "number", "average items taken there"),
        ],
        _with_ends(run.sql(VISITS).fetchall(), 6),
    )
