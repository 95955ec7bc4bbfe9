"""Dressing of maps that can change nothing, or that asks for what makes no difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.models.dressing import BodyEntry, ChasmEntry, LakeEntry
from dungeon.core.registry import LAYOUTS, layouts_of

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Path, Subject
    from dungeon.content.models.dressing import PassEntry

BORDER = 2
"""Rows, and columns, that are the map's border."""

ANYWHERE = ("corridor", "junction", "hall", "zone", "prefab")
"""Kinds of region that any layout may make besides those that encounters are placed in."""


def look_over(subject: Subject) -> None:
    """Say what is doubtful about the dressing of maps."""
    for name, entry in subject.maps.items():
        for number, each in enumerate(entry.dressing):
            _look_at_pass(subject, name, each, ("dressing", number))


def _look_at_pass(subject: Subject, name: str, entry: PassEntry, path: Path) -> None:
    record, algorithm = subject.records["map"][name], subject.maps[name].layout
    layout = algorithm.name
    makers = [maker for maker, _ in layouts_of(layout, algorithm.params)]
    kinds = {kind for maker in makers for kind in maker.kinds or ()}
    if not any(entry.chance.outcomes()):
        subject.say("never comes", record, *path, "chance")
    if entry.regions and all(maker.kinds is not None for maker in makers):
        known = {*kinds, *ANYWHERE}
        if known.isdisjoint(entry.regions):
            said = ", ".join(entry.regions)
            subject.say(
                "nothing to dress",
                record,
                *path,
                "regions",
                value=said,
                allowed=known,
                layout=layout,
                map=name,
            )
    if isinstance(entry, BodyEntry) and entry.crossing is not None and not subject.unclear_codes:
        codes = [subject.codes[each] for each in entry.what.outcomes()]
        if subject.terrain_set.walkable[codes].all():
            subject.say("crossing without need", record, *path, "crossing", key=True, value="crossing")
    if not LAYOUTS[layout].brings_size:
        _look_at_size(subject, name, entry, path)


def _look_at_size(subject: Subject, name: str, entry: PassEntry, path: Path) -> None:
    """Say what has no space on the map even if it is as small as it may be."""
    height, width = subject.maps[name].size.most
    if isinstance(entry, LakeEntry):
        key, least, most = "cells", min(entry.cells.outcomes()), (height - BORDER) * (width - BORDER)
    elif isinstance(entry, ChasmEntry):
        key, least, most = "length", min(entry.length.outcomes()), height + width - 2 * BORDER
    else:
        return
    if least > most:
        record = subject.records["map"][name]
        subject.say("no space to dress", record, *path, key, value=least, size=f"{width}x{height}")
