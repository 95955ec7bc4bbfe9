"""All that is told of a run, as plain data: see `report_on`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from dungeon.playtest.report.content_sections import count_objects, encounter_sheets, object_sheets
from dungeon.playtest.report.declared import PAIRED, declare
from dungeon.playtest.report.findings import findings
from dungeon.playtest.report.game_sections import game_sheets
from dungeon.playtest.report.sections import making_sheets, shape_sheets
from dungeon.playtest.report.sheet import Spot
from dungeon.playtest.run import Run

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from dungeon.content.library import Content
    from dungeon.playtest.report.findings import Finding
    from dungeon.playtest.report.sheet import Sheet

Box = tuple[str, int, int, int, int]
"""What is placed somewhere: its category; its top row and left column, rows and columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """The outlines of a level.

    Attributes:
        height: Its rows; `width`, its columns.
        entrance: The row and the column of the entrance.
        exits: Those of the exits.
        boxes: What has been placed.
    """

    height: int
    width: int
    entrance: tuple[int, int]
    exits: tuple[tuple[int, int], ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is told of a run.

    Attributes:
        about: What the run is, a sentence each.
        worlds: How many worlds it has.
        arguments: What `dungeon show` has to be told to mean its content.
        findings: What is out of line, the worst first.
        sheets: All figures.
        sketches: The outlines of every level that is shown by a finding or a figure.
    """

    about: tuple[str, ...]
    worlds: int
    arguments: str
    findings: tuple[Finding, ...]
    sheets: tuple[Sheet, ...]
    sketches: Mapping[Spot, Sketch]

    def command(self, spot: Spot) -> str:
        """Return the command that shows a level."""
        return f"dungeon show {spot.map} --seed {spot.seed}{self.arguments}"


def report_on(folder: str | os.PathLike[str], content: Content | None = None) -> Report:
    """Return what there is to tell of the run in a folder, as it is now.

    Args:
        folder: The folder.
        content: The content of the run; without it, what it declares is left out.

    Raises:
        PlaytestError: There is no run that can be read, or the content is another one.
    """
    with Run(folder) as run:
        declare(run, content)
        count_objects(run)
        found = findings(run)
        sections = (game_sheets, encounter_sheets, object_sheets, shape_sheets, making_sheets)
        sheets = [sheet for section in sections for sheet in section(run)]
        cited = {spot for finding in found for spot in finding.shown}
        cited.update(spot for sheet in sheets for spots in sheet.shown for spot in spots)
        ((worlds,),) = run.sql("SELECT count(*) FROM worlds").fetchall()
        ((arguments,),) = run.sql("SELECT arguments FROM run").fetchall()
        return Report(
            about=tuple(_about(run, content)),
            worlds=worlds,
            arguments=arguments,
            findings=tuple(found),
            sheets=tuple(sheets),
            sketches=_sketches(run, sorted(cited)),
        )


def _about(run: Run, content: Content | None) -> Iterable[str]:
    """Yield what the run is."""
    query = """
        SELECT count(*), count(DISTINCT map), count(*) FILTER (error IS NOT NULL), (SELECT count(*) FROM worlds),
            (SELECT min(seed) FROM worlds), (SELECT max(seed) FROM worlds)
        FROM levels
    """
    ((levels, maps, failed, worlds, first, last),) = run.sql(query).fetchall()
    if not worlds:
        yield "No world has been recorded yet."
        return
    yield f"{worlds:,} worlds with {levels:,} levels of {maps} maps; the seeds are from {first} to {last}."
    if failed:
        yield f"{failed:,} levels could not be made."
    if content is None:
        yield "The content is not at hand, or is no longer what it was: what it declares is left out."
    elif worlds > PAIRED:
        yield f"What levels were due has been worked out for the first {PAIRED} worlds."


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


def _sketches(run: Run, spots: Iterable[Spot]) -> dict[Spot, Sketch]:
    """Return the outlines of some levels; of those that could not be made there are none."""
    seeds, maps = [spot.seed for spot in spots], [spot.map for spot in spots]
    run.add("cited", pa.table({"seed": pa.array(seeds, pa.int64()), "map": pa.array(maps, pa.string())}))
    return {
        Spot(seed, name): Sketch(
            height=height, width=width, entrance=entrance, exits=tuple(ways or ()), boxes=tuple(boxes or ())
        )
        for seed, name, height, width, entrance, ways, boxes in run.sql(SKETCHES).fetchall()
    }
