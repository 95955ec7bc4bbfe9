"""Rules about portals: where they begin and end, and that nobody is stranded who takes one that leads one way."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.survey import Survey


def portal_place(survey: Survey) -> Iterator[Finding]:
    """A portal begins and ends on two cells of the map that can be walked on and where nothing stands for good, off doors and stairs."""
    for portal in survey.level.portals:
        if portal.begin == portal.end:
            yield f"the {portal.kind} leads to where it begins", portal.y, portal.x
        for cell in (portal.begin, portal.end):
            place = survey.at(*cell)
            if place is None:
                yield f"an end of the {portal.kind} lies outside the map", *cell
            elif not survey.walkable[place]:
                yield f"an end of the {portal.kind} lies where nobody walks", *cell
            elif survey.stopped[place]:
                yield f"{survey.obstacles[place].tag} stands on an end of the {portal.kind}", *cell
            elif survey.bases[place] in (*t.DOORS, *t.STAIRS):
                yield f"an end of the {portal.kind} is on a door or on stairs", *cell


def portal_twice(survey: Survey) -> Iterator[Finding]:
    """From no cell lead two portals."""
    entries = Counter(cell for portal in survey.level.portals for cell in portal.entries)
    for cell, count in entries.items():
        if count > 1:
            yield f"{count} portals lead from one cell", *cell


def portal_return(survey: Survey) -> Iterator[Finding]:
    """Whoever has taken a portal that leads one way can still get everywhere, and open all that can be opened."""
    if survey.played is None or not survey.played.outcome.lost:
        return
    level, outcome = survey.played
    lost = [number for number in range(1, outcome.lost.bit_length()) if outcome.lost >> number & 1]
    cells = np.flatnonzero(np.isin(level.labels, lost))
    if len(cells):
        yield survey.finding("who has dropped somewhere may never get here again", int(cells[0]))
    else:
        yield "who has dropped somewhere may never open a box", None, None
