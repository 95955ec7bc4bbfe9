"""Tables about supplies: the items that levels have and games find at each depth, and the items and charge that games spend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.game_sections import BOT, PLAYERS
from dungeon.playtest.report.sheet import DEPTH, EXAMPLES, GAME, SHOWN, column, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.report.sheet import ReportSheet
    from dungeon.playtest.run import Run

ECONOMY = f"""
WITH games AS (
    SELECT seed, bot, game, depth, sum(gained) AS gained, sum(used) AS used, arg_min(charge, turn) AS charge, sum(charged) AS charged,
        sum(spent) AS spent, arg_min(map, turn) AS map
    FROM visits GROUP BY seed, bot, game, depth
)
SELECT depth, bot, count(*), avg(gained), avg(used), avg(charge), avg(charged), avg(spent),
    arg_min({GAME}, (charged - spent, seed, game), {SHOWN})
FROM games GROUP BY depth, bot ORDER BY bot, depth
"""

ITEMS = f"""
WITH whole AS (
    SELECT (SELECT count(*) FROM worlds WHERE error IS NULL) AS worlds,
        (SELECT nullif(count(*), 0) FROM plays WHERE error IS NULL AND bot IN ({PLAYERS})) AS games
),
came AS (SELECT depth, count(DISTINCT (seed, bot, game)) AS came FROM visits WHERE bot IN ({PLAYERS}) GROUP BY depth),
taken AS (
    SELECT tag, depth, sum(count) FILTER (kind = 'gained') AS found, sum(count) FILTER (kind = 'used') AS used
    FROM events WHERE bot IN ({PLAYERS}) GROUP BY tag, depth
),
took AS (SELECT tag, sum(found) AS found, sum(used) AS used FROM taken GROUP BY tag),
lying AS (
    SELECT kind, tag, depth, sum(count) AS placed, {EXAMPLES} AS examples FROM objects WHERE base = 'item' GROUP BY kind, tag, depth
),
there AS (
    SELECT kind, tag, sum(placed) AS placed, flatten(list(examples ORDER BY depth))[:{SHOWN}] AS examples,
        list((depth, if(games IS NULL, placed / worlds, coalesce(found, 0) / came))) AS at_depths
    FROM lying LEFT JOIN taken USING (tag, depth) LEFT JOIN came USING (depth) CROSS JOIN whole GROUP BY kind, tag
),
named AS (SELECT kind, tag FROM there UNION SELECT kind, tag FROM thing WHERE base = 'item')
SELECT tag, class, rating, coalesce(placed, 0) / worlds AS placed, coalesce(found, 0) / games AS found, coalesce(used, 0) / games,
    at_depths, examples
FROM named LEFT JOIN there USING (kind, tag) LEFT JOIN took USING (tag) LEFT JOIN thing USING (kind, tag) CROSS JOIN whole
ORDER BY found, placed, kind, tag
"""
"""For each item: its columns, the (depth, number there) of each depth that has it, and example levels."""

AT = "at_"
"""How the names of columns about one depth begin."""

PLENTY = 5
"""Number of items named as the most plentiful."""


def supply_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the tables about supplies; the one about games only if there were games."""
    items = run.sql(ITEMS).fetchall()
    ((games,),) = run.sql(f"SELECT count(*) FROM plays WHERE error IS NULL AND bot IN ({PLAYERS})").fetchall()
    depths = sorted({depth for *_, at, _ in items for depth, _ in at or ()})
    most = ", ".join(
        f"{tag} ({found if games else placed:.1f})"
        for tag, _, _, placed, found, *_ in items[: -PLENTY - 1 : -1]
    )
    what, where = ("found in a game", "a game that comes to") if games else ("in a world", "a world, at")
    yield sheet_of(
        "items",
        "Items: scarce and plentiful",
        f"How many of each item are {what}, the scarcest first, and how many of them at each depth. The most plentiful are {most or 'none'}. "
        "Items that robots hold are included.",
        [
            column("tag", "text", "its name in the catalog"),
            column("class", "text", "its class in the catalog, or its category if it has no class"),
            column("rating", "count", "its depth rating"),
            column("placed", "number", "average number in a world"),
            column("found", "number", "average number that a game takes; empty if no bot has played"),
            column(
                "used", "number", "average number that a game uses up or fits; empty if no bot has played"
            ),
            *(
                column(
                    f"{AT}{depth}",
                    "number",
                    f"average number {what.split()[0]} in {where} depth {depth}; empty if that depth has none",
                )
                for depth in depths
            ),
        ],
        ((*row, *(dict(at or ()).get(depth) for depth in depths), examples) for *row, at, examples in items),
    )
    if not games:
        return
    yield sheet_of(
        "economy",
        "What games gain and spend",
        "Items and charge of each bot, by depth: averages of the games that come there. Examples are of games that lost most charge.",
        [
            DEPTH,
            BOT,
            column("games", "count", "games that came to this depth"),
            column("gained", "number", "items taken there"),
            column("used", "number", "items used up or fitted there"),
            column("charge", "number", "charge on arrival"),
            column("charged", "number", "charge taken on there"),
            column("spent", "number", "charge lost there"),
        ],
        run.sql(ECONOMY).fetchall(),
    )


def depth_columns(sheet: ReportSheet) -> list[str]:
    """Return the columns of the table of items about one depth each."""
    return [each.name for each in sheet.columns if each.name.startswith(AT)]
