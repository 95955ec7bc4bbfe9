"""Small pictures of levels for a report's page: outlines of encounters and prefabs, stairs, and what is marked on them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dungeon.grid.rect import Cell
from dungeon.playtest.run import arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dungeon.playtest.report.sheet import LevelRef
    from dungeon.playtest.run import Run


Box = tuple[str, int, int, int, int]
"""The bounding box of a placement: category, top row, left column, height, width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSketch:
    """The data for a small picture of a level: its size, its stairs, and the bounding boxes of its encounters and prefabs.

    Attributes:
        height: Number of rows of the map.
        width: Number of columns of the map.
        entrance: Cell (y, x) of the entrance.
        exits: Cells (y, x) of the exits.
        boxes: The bounding box and the category of each placement.
        marks: What is marked -> its boxes (y, x, height, width); at most `MOST_MARKS` of each name in it.
    """

    height: int
    width: int
    entrance: tuple[int, int]
    exits: tuple[tuple[int, int], ...]
    boxes: tuple[Box, ...]
    marks: Mapping[str, tuple[tuple[int, int, int, int], ...]]


SKETCHES = """
WITH ways AS (SELECT seed, map, list((y, x) ORDER BY n) AS ways FROM exits SEMI JOIN cited USING (seed, map) GROUP BY ALL),
boxes AS (
    SELECT seed, map, list((category, y, x, height, width) ORDER BY n) AS boxes
    FROM placements SEMI JOIN cited USING (seed, map) GROUP BY ALL
)
SELECT seed, map, height, width, (entrance_y, entrance_x), ways, boxes
FROM levels SEMI JOIN cited USING (seed, map) LEFT JOIN ways USING (seed, map) LEFT JOIN boxes USING (seed, map)
WHERE error IS NULL ORDER BY seed, map
"""


CITED = {"seed": pa.int64(), "map": pa.string(), "mark": pa.string()}

MOST_MARKS = 20
"""Maximum number of boxes that one name marks on a small picture."""

MARKS = f"""
WITH lying AS (SELECT seed, map, n AS spawn, kind, base, tag, y, x FROM spawns SEMI JOIN cited USING (seed, map)),
places AS (
    SELECT seed, map, unnest(list_distinct([encounter, prefab, category, if(encounter <> '', 'encounter', '')])) AS mark,
        y, x, height, width FROM placements
    UNION ALL SELECT seed, map, unnest(list_distinct([tag, kind, base])), y, x, 1, 1 FROM lying
    UNION ALL SELECT seed, map, unnest([word, 'lock']), y, x, 1, 1 FROM locks
    UNION ALL SELECT seed, map, unnest([word, 'lock']), y, x, 1, 1 FROM keys JOIN lying USING (seed, map, spawn)
    UNION ALL SELECT seed, map, unnest([leads_to, 'exit']), y, x, 1, 1 FROM exits
)
SELECT seed, map, mark, list((y, x, height, width))[:{MOST_MARKS}]
FROM places SEMI JOIN cited USING (seed, map, mark) WHERE mark <> '' GROUP BY seed, map, mark
"""
"""The boxes of marks, by the names that `dungeon show --mark` takes."""


def sketches_of(run: Run, spots: Iterable[LevelRef]) -> dict[tuple[int, str], LevelSketch]:
    """Return the data for small pictures of levels; levels that could not be made are left out."""
    cited = {(spot.level, spot.mark) for spot in spots}
    words = {(*level, word) for level, mark in cited for word in (mark.split() or [""])}
    run.add("cited", arrow_table(CITED, sorted(words)))
    boxes_of = {(seed, name, word): boxes for seed, name, word, boxes in run.rows(MARKS)}
    boxes_of |= {word: [(*cell, 1, 1)] for word in words if (cell := Cell.parse(word[-1]))}
    marks: defaultdict[tuple[int, str], dict[str, tuple[Any, ...]]] = defaultdict(dict)
    for level, mark in cited:
        marks[level][mark] = tuple(
            chain.from_iterable(boxes_of.get((*level, word), ()) for word in mark.split())
        )
    return {
        (seed, name): LevelSketch(
            height=height,
            width=width,
            entrance=entrance,
            exits=tuple(ways or ()),
            boxes=tuple(boxes or ()),
            marks=marks[seed, name],
        )
        for seed, name, height, width, entrance, ways, boxes in run.sql(SKETCHES).fetchall()
    }
