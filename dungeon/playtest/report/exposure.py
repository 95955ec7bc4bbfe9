"""How often a player meets what is on a level: the measure by which findings are ranked.

A *game* is what an average game of the bots goes through. Without bots it is a player who goes to every level of a world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.playtest.report.game_sections import PLAYERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.playtest.run import Run


class Exposure(NamedTuple):
    """What an average game goes through.

    The harm of a finding is the share of a game that it spoils: of the levels, encounters, objects, steps or hit points that a
    game goes through; of the games, for deaths and for games given up. So harms of different kinds can be compared.

    Attributes:
        worlds: Number of worlds in the run.
        games: Number of games; the number of worlds without bots.
        reach: Map -> the share of games that go there.
        seen: Map -> the share of its levels that games see: `reach`, divided by the share of worlds that have the map.
        levels: Number of levels in a game.
        encounters: Number of placed encounters on these levels.
        objects: Number of robots, traps and items on these levels.
        threat: Threat of these levels.
        steps: Number of turns of a game; the steps from the entrance to the farthest exit of each level without bots.
        hp_lost: Hit points lost in a game; 1 without bots.
    """

    worlds: int
    games: int
    reach: Mapping[str, float]
    seen: Mapping[str, float]
    levels: float
    encounters: float
    objects: float
    threat: float
    steps: float
    hp_lost: float

    def in_game(self, name: str, times: float) -> float:
        """Return how often a game meets something that a map has `times` times in all worlds of the run together."""
        return self.seen.get(name, 0.0) * times / self.worlds

    def of_levels(self, name: str, share: float = 1.0) -> float:
        """Return the share of a game's levels that is spoilt if a share of the levels of a map is."""
        return share * self.reach.get(name, 0.0) / self.levels


VISITED = f"""
WITH games AS (SELECT count(*) AS games FROM plays WHERE error IS NULL AND bot IN ({PLAYERS})),
worlds AS (SELECT count(*) AS worlds FROM worlds),
came AS (SELECT map, count(*) AS came, sum(hp_lost) AS hp_lost FROM visits WHERE bot IN ({PLAYERS}) GROUP BY map),
things AS (
    SELECT map, sum(count) AS objects, coalesce(sum(count * threat), 0) AS threat
    FROM objects LEFT JOIN thing USING (kind, tag) GROUP BY map
),
copies AS (SELECT map, count(*) AS copies FROM placements WHERE encounter <> '' GROUP BY map),
ways AS (SELECT map, avg(value) AS way FROM metrics WHERE metric = 'exit_farthest' GROUP BY map),
made AS (
    SELECT map, count(*) AS made, any_value(height + width) / 2 AS size FROM levels WHERE error IS NULL GROUP BY map
)
SELECT map, CASE WHEN games > 0 THEN coalesce(came, 0) / games ELSE made / worlds END AS reach, made / worlds,
    coalesce(copies, 0) / made, coalesce(objects, 0) / made, coalesce(threat, 0) / made, coalesce(way, size),
    coalesce(hp_lost, 0) / greatest(games, 1)
FROM made LEFT JOIN came USING (map) LEFT JOIN things USING (map) LEFT JOIN copies USING (map) LEFT JOIN ways USING (map),
    games, worlds ORDER BY map
"""

PLAYED = f"SELECT count(*), avg(turns) FROM plays WHERE error IS NULL AND bot IN ({PLAYERS})"


def exposure_in(run: Run) -> Exposure:
    """Return what an average game of a run goes through; `count_objects` and `add_content_tables` must have been called."""
    ((worlds,),) = run.sql("SELECT count(*) FROM worlds").fetchall()
    ((games, turns),) = run.sql(PLAYED).fetchall()
    rows = run.sql(VISITED).fetchall()
    reach = {name: share for name, share, *_ in rows}

    def of_game(column: int) -> float:
        """Return the sum of a column of averages per level over the levels of a game; never 0, as it is divided by."""
        return sum(row[1] * row[column] for row in rows) or 1.0

    return Exposure(
        worlds=worlds,
        games=games or worlds,
        reach=reach,
        seen={name: min(share / has, 1.0) for name, share, has, *_ in rows},
        levels=sum(reach.values()) or 1.0,
        encounters=of_game(3),
        objects=of_game(4),
        threat=of_game(5),
        steps=turns or of_game(6),
        hp_lost=sum(row[7] for row in rows) or 1.0,
    )
