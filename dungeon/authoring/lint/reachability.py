"""Lint checks whether corridors and the player get into drawings: links (marks where a corridor may join), walled-off parts, locked doors and props. To seed a prefab is to place it before rooms are dug."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon import terrain as t
from dungeon.authoring.lint.symbols import openers
from dungeon.content.drawing.planes import (
    PLANE_NAMES,
)
from dungeon.content.prefab.locked_ground import (
    LockedGround,
    OpenedWords,
    certain_keys,
    keys_from_level,
    locked_props,
)
from dungeon.core.frozen import Derived
from dungeon.core.registry import LAYOUTS, layouts_of
from dungeon.generation.layouts.static import LOSES_THE_MAP, StaticParams, remarks, shut_props
from dungeon.generation.openings.openings import Openings, openings
from dungeon.grid.bits import Board

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from dungeon.authoring.lint.subject import Rules, Says, Subject
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.parameters import Parameters
    from dungeon.core.registry import Layout, Objection
    from dungeon.grid.rect import Cell

SAYS: Says = {
    "error": {
        "no level if drawn": "no level of map {map} can be made with this prefab: the prefab has {reason}",
    },
    "warning": {
        "covered link": "nothing can enter by this link: a permanent obstacle covers it",
        "link into rock": "no corridor can start at this link: it leads into terrain that can't be dug",
        "sometimes link into rock": "in {some} of {all} variants, no corridor can start at this link: it leads into terrain that can't be dug",
        "sometimes covered link": "in {some} of {all} variants, nothing can enter by this link: a permanent obstacle covers it",
        "never seedable": "map {map} can never place this prefab as a feature: the prefab has {reason}",
        "not always seedable": "in {some} of {all} variants, map {map} can't place this prefab as a feature: the prefab has {reason}",
        "never closed": "no link, door or open edge leads to this cell, so map {map} digs a corridor to it through a wall",
        "not always closed": "in {some} of {all} variants, no link, door or open edge leads to this cell, so map {map} digs a corridor to it through a wall",
        "nothing sealed": "`sealed` has no effect: a link, a door or an open edge leads to every open cell of the drawing",
        "never drawn": "drawn as map {map}, this prefab has {reason}",
        "not always drawn": "in {some} of {all} variants, this prefab, drawn as map {map}, has {reason}",
        "locked prop": "this prefab has a locked prop that stays shut: the player may be unable to reach it with its key",
        "sometimes locked prop": "in {some} of {all} variants, this prefab has a locked prop that stays shut: the player may be unable to reach it with its key",
        "changed as a map": "map {map} will differ from its drawing at this cell: the drawing has {reason}",
        "never complete": "no level of this map can have everything that its layout asks for: {reason}",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


LINKS = PLANE_NAMES[1]


def check_reachability(subject: Subject) -> None:
    """Check the links of prefabs, the prefabs of features and layouts, and locked props."""
    judge = _Judge(subject)
    for name, prefab in subject.prefabs.items():
        if prefab.template.fixed.links:
            _check_links(subject, name, judge)
    for name, entry in subject.entries.items():
        if entry.sealed and all(each.sealed_cells is None for each in subject.rolled(name)):
            subject.say("nothing sealed", subject.records["prefab"][name], "sealed", key=True)
    _check_features(subject, judge)
    _check_layouts(subject)
    _check_locked_props(subject)


class _Judge:
    """Finds out whether a drawing can be seeded: placed on the map as a feature, before the layout digs around it.

    Drawings with equal ground and links are judged once.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.known = Derived()

    def __call__(self, drawing: Drawing) -> Openings:
        """Return the openings of a drawing: where it can be entered."""
        return self.known.once((drawing.ground, drawing.links), openings, drawing, self.subject.terrain_set)

    def objection(self, drawing: Drawing) -> Objection | None:
        """Return why the drawing can't be seeded, and where: (reason, cell); None if it can."""
        return self(drawing).objection


def _check_links(subject: Subject, name: str, judge: _Judge) -> None:
    """Report links of a prefab that lie under a permanent obstacle, or lead into terrain that can't be dug."""
    drawings = subject.rolled(name)
    own = {(link.y, link.x) for link in subject.prefabs[name].template.fixed.links}
    counts: Counter[tuple[tuple[int, int], str]] = Counter()
    for drawing in drawings:
        entries = judge(drawing)
        for check, links in (("covered link", entries.blind), ("link into rock", entries.stuck)):
            counts.update((cell, check) for cell in {(link.y, link.x) for link in links} & own)
    record = subject.records["prefab"][name]
    for ((y, x), check), some in sorted(counts.items()):
        which = check if some == len(drawings) else f"sometimes {check}"
        subject.say_of_cell(which, record, y, x, "", plane=LINKS, some=str(some), all=str(len(drawings)))


def _check_features(subject: Subject, judge: _Judge) -> None:
    """Report prefabs of features and towers that can't be placed before the layout, or to which a corridor is dug through a wall."""
    wanted: dict[str, str] = {}
    for name, entry in subject.maps.items():
        for _, feature in entry.all_features():
            for word in feature.prefab.outcomes() if feature.prefab is not None else ():
                for prefab in subject.called.get(word, ()):
                    wanted.setdefault(prefab, name)
    for prefab, map_id in subject.floors:
        wanted.setdefault(prefab, map_id)
    for prefab, name in wanted.items():
        _say(subject, prefab, "seedable", name, judge.objection)
        _say(subject, prefab, "closed", name, lambda drawing: judge(drawing).pierced)


def _check_layouts(subject: Subject) -> None:
    """Report prefabs named by a map's layout that the layout can't use, and layouts whose prefabs together are not enough."""
    for name, entry in subject.maps.items():
        for layout, params in layouts_of(entry.layout.name, entry.layout.params):
            for prefab in subject.prefabs_of_layout(params):
                fatal = LOSES_THE_MAP if params is entry.layout.params and layout.draws_all else frozenset()
                judge = partial(_objection, subject, layout, params)
                _say(subject, prefab, "drawn", name, judge, fatal)
                if isinstance(params, StaticParams):
                    _check_static(subject, prefab, name, params)
                _say(subject, prefab, "closed", name, partial(_pierced, subject, layout, params))
        _check_completeness(subject, name)


def _check_static(subject: Subject, prefab: str, name: str, params: StaticParams) -> None:
    """Report how levels of a map that is a single drawing will differ from the drawing. Each reason is reported once."""
    said: set[str] = set()
    for drawing in subject.rolled(prefab):
        for reason, cell in remarks(params, drawing, subject.terrain_set):
            if reason not in said and cell is not None:
                record = subject.records["prefab"][prefab]
                subject.say_of_cell("changed as a map", record, *cell, "", plane="", map=name, reason=reason)
            said.add(reason)


def _check_locked_props(subject: Subject) -> None:
    """Report locked props that stay shut: they are walled in, or their only keys are in the same drawing and may be out of reach."""
    if not subject.all_sound("prefab", "legend", "map", "encounter", "lock", *subject.catalog.things):
        return
    maps = {
        name: entry.layout.params
        for name, entry in subject.maps.items()
        if isinstance(entry.layout.params, StaticParams)
    }
    found = openers(subject)
    for name in subject.prefabs:
        ids = dict.fromkeys(appearance.map_id for appearance in subject.appearances.get(name, ()))
        own = {word for (word, map_id), sources in found.items() if sources == {name} and map_id in ids}
        own = (
            own.difference(subject.locks) | subject.locks.keys()
        )  # the generator puts keys of `locks.yaml` in reach
        drawings = subject.rolled(name) if own else ()
        drawn = {
            map_name: params for map_name, params in maps.items() if name in subject.prefabs_of_layout(params)
        }
        closed = [
            [
                each
                for params in (drawn.values() or (None,))
                for each in _closed(subject, params, drawing, own)
            ]
            for drawing in drawings
        ]
        cells = [each[0] for each in closed if each]
        if cells:
            which = "locked prop" if len(cells) == len(drawings) else "sometimes locked prop"
            words: dict[str, Any] = {"some": str(len(cells)), "all": str(len(drawings))}
            subject.say_of_cell(which, subject.records["prefab"][name], *cells[0], "", **words)


def _closed(
    subject: Subject, params: StaticParams | None, drawing: Drawing, words: Collection[str]
) -> list[Cell]:
    """Return the first cell of each locked prop in a drawing that may stay shut.

    Args:
        subject: The content.
        params: The parameters of the layout, if the drawing is a whole map; None if it is placed on one.
        drawing: The drawing.
        words: The lock names to check: locks that only objects of this prefab open, and locks whose keys the level places.
    """
    template = subject.prefabs[drawing.name].template
    boxes = [each for each in locked_props(drawing.references, drawing.machines) if each.word in words]
    if not boxes:
        return []

    def opens(symbol: SymbolEntry) -> OpenedWords:
        """Return the lock names that a symbol's object opens.

        If the symbol is in a group, of which exactly one symbol is used, this symbol counts as the one that is used.
        """
        return template.opens(symbol.model_copy(update={"group": None}))

    keys = certain_keys(drawing.references, drawing.machines, opens, template.stops)
    keys += keys_from_level((*drawing.locks, *boxes), template.given)
    if params is not None:
        return shut_props(params, drawing, subject.terrain_set, keys, boxes)
    board = Board(*drawing.terrain.shape)
    kept = drawing.terrain == t.KEEP
    ways = (subject.terrain_set.passable.take(drawing.terrain) | kept) & ~drawing.obstacles
    codes = np.where(kept, np.uint8(t.FLOOR), drawing.terrain)
    ground = LockedGround.on(board, codes, ways, drawing.locks, keys, subject.terrain_set, boxes=boxes)
    return [boxes[number].cells[0] for number in ground.closed_boxes(ground.free)]


def _check_completeness(subject: Subject, name: str) -> None:
    """Report why no level of a map can have everything that its layout asks for, such as more rooms than its prefabs make."""
    entry = subject.maps[name]
    layout, params = LAYOUTS[entry.layout.name], entry.layout.params
    drawn = {
        word: {prefab: _lying(subject, prefab) for prefab in subject.called.get(word, ())}
        for word in params.asked_for()
    }
    if not all(prefabs and all(prefabs.values()) for prefabs in drawn.values()):
        return  # an unreadable prefab may be the missing one
    size = entry.size.most
    for reason in layout.shortages(params, drawn, size, subject.terrain_set):
        subject.say("never complete", subject.records["map"][name], "layout", reason=reason)


def _lying(subject: Subject, name: str) -> list[Drawing]:
    """Return a prefab's drawings, turned and mirrored in every permitted way; of drawings with equal ground and links only one."""
    alike = {(drawing.ground, drawing.links): drawing for drawing in subject.rolled(name)}
    return [each.turned(way) for each in alike.values() for way in subject.prefabs[name].orientations]


def _objection(
    subject: Subject, layout: Layout[Any], params: Parameters, drawing: Drawing
) -> Objection | None:
    return layout.objection(params, drawing, subject.terrain_set)


def _pierced(subject: Subject, layout: Layout[Any], params: Parameters, drawing: Drawing) -> Objection | None:
    return layout.pierced(params, drawing, subject.terrain_set)


def _say(
    subject: Subject,
    prefab: str,
    check: str,
    name: str,
    judge: Callable[[Drawing], Objection | None],
    fatal: frozenset[str] = frozenset(),
) -> None:
    """Report the objections of `judge` to the variants of a prefab.

    The report is an error if every variant has an objection in `fatal`: then no level of the map can be made.

    Args:
        subject: The content.
        prefab: The prefab.
        check: The last part of the check's name; ``never``, ``not always`` or ``no level if`` is put before it.
        name: The map that uses the prefab.
        judge: Returns the objection to a drawing; None for no objection.
        fatal: The reasons for which the layout can't make a level.
    """
    found, drawings = subject.objections(prefab, judge), subject.rolled(prefab)
    if not found:
        return
    which = "never" if len(found) == len(drawings) else "not always"
    if which == "never" and {each for each, _ in found} <= fatal:
        which = "no level if"
        subject.unmakeable.add(name)
    subject.say_of_drawing(f"{which} {check}", prefab, found, map=name)


RULES: Rules = (check_reachability,)
