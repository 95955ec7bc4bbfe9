"""Drawings that walkers don't get through: links under what stays, insides walled off, locked doors that nothing opens."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon import terrain as t
from dungeon.authoring.lint.meanings import openers
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
        "no level if drawn as it is": "no level of map {map} can be made with this prefab: it has {reason}",
    },
    "warning": {
        "blind link": "a permanent obstacle covers this link, so nothing can enter here",
        "stuck link": "this link leads into terrain that can't be dug, so no corridor starts here",
        "sometimes stuck link": "in {some} of {all} variants this link leads into terrain that can't be dug, so no corridor starts here",
        "sometimes blind link": "in {some} of {all} variants a permanent obstacle covers this link, so nothing can enter here",
        "never seedable": "map {map} can never place it as a feature: it has {reason}",
        "not always seedable": "in {some} of {all} variants map {map} can't place it as a feature: it has {reason}",
        "never closed": "no link, door or open edge leads to this cell: on map {map} a corridor to it is dug through a wall",
        "not always closed": "in {some} of {all} variants no link, door or open edge leads to this cell: on map {map} a corridor to it is dug through a wall",
        "never drawn as it is": "drawn as map {map}, it has {reason}",
        "not always drawn as it is": "in {some} of {all} variants it has, drawn as map {map}, {reason}",
        "locked prop": "it has a locked prop that stays shut: the player can't be sure to reach it with its key",
        "sometimes locked prop": "in {some} of {all} variants it has a locked prop that stays shut: the player can't be sure to reach it with its key",
        "changed as a map": "map {map} will differ from the drawing here: it has {reason}",
        "never complete": "its maps can never have everything that the layout asks for: {reason}",
    },
}
"""Severity -> check -> what the rules here say, with words in braces to be filled in; `docs/checks.md` explains each."""


LINKS = PLANE_NAMES[1]


def look_over(subject: Subject) -> None:
    """Say which links nobody can come in by, and what is wrong with drawings that maps ask for."""
    judge = _Judge(subject)
    for name, prefab in subject.prefabs.items():
        if prefab.template.fixed.links:
            _look_at_links(subject, name, judge)
    _look_at_features(subject, judge)
    _look_at_layouts(subject)
    _look_at_locked_props(subject)


class _Judge:
    """Judges drawings that are to be seeded, those that are walked alike just once."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.known = Derived()

    def __call__(self, drawing: Drawing) -> Openings:
        """Return where one comes into a drawing."""
        return self.known.once((drawing.ground, drawing.links), openings, drawing, self.subject.terrain_set)

    def objection(self, drawing: Drawing) -> Objection | None:
        """Return what is wrong with a drawing."""
        return self(drawing).objection


def _look_at_links(subject: Subject, name: str, judge: _Judge) -> None:
    """Say which of a prefab's own links lie under something that stays, or lead into terrain that is never dug."""
    drawings = subject.rolled(name)
    own = {(link.y, link.x) for link in subject.prefabs[name].template.fixed.links}
    counts: Counter[tuple[tuple[int, int], str]] = Counter()
    for drawing in drawings:
        entries = judge(drawing)
        for check, links in (("blind link", entries.blind), ("stuck link", entries.stuck)):
            counts.update((cell, check) for cell in {(link.y, link.x) for link in links} & own)
    record = subject.records["prefab"][name]
    for ((y, x), check), some in sorted(counts.items()):
        which = check if some == len(drawings) else f"sometimes {check}"
        subject.say_of_cell(which, record, y, x, "", plane=LINKS, some=str(some), all=str(len(drawings)))


def _look_at_features(subject: Subject, judge: _Judge) -> None:
    """Say which prefabs that are to be seeded can't be."""
    wanted: dict[str, str] = {}
    for name, entry in subject.maps.items():
        for _, feature in entry.all_features():
            for word in feature.prefab.outcomes() if feature.prefab is not None else ():
                for prefab in subject.called.get(word, ()):
                    wanted.setdefault(prefab, name)
    for prefab, name in wanted.items():
        _say(subject, prefab, "seedable", name, judge.objection)
        _say(subject, prefab, "closed", name, lambda drawing: judge(drawing).pierced)


def _look_at_layouts(subject: Subject) -> None:
    """Say what is wrong with prefabs that layouts draw, each by itself and all of them together."""
    for name, entry in subject.maps.items():
        for layout, params in layouts_of(entry.layout.name, entry.layout.params):
            for prefab in subject.laid_by(params):
                fatal = LOSES_THE_MAP if params is entry.layout.params and layout.draws_all else frozenset()
                judge = partial(_objection, subject, layout, params)
                _say(subject, prefab, "drawn as it is", name, judge, fatal)
                if isinstance(params, StaticParams):
                    _look_at_static(subject, prefab, name, params)
                _say(subject, prefab, "closed", name, partial(_pierced, subject, layout, params))
        _look_at_completeness(subject, name)


def _look_at_static(subject: Subject, prefab: str, name: str, params: StaticParams) -> None:
    """Say what becomes of a drawing that is a map, each thing of the first variant in which that is so."""
    said: set[str] = set()
    for drawing in subject.rolled(prefab):
        for reason, cell in remarks(params, drawing, subject.terrain_set):
            if reason not in said and cell is not None:
                record = subject.records["prefab"][prefab]
                subject.say_of_cell("changed as a map", record, *cell, "", plane="", map=name, reason=reason)
            said.add(reason)


def _look_at_locked_props(subject: Subject) -> None:
    """Say which locked props stay shut: their own drawing walls them in, or only it may open them and nobody is sure to get to the key."""
    if not subject.all_right("prefab", "legend", "map", "encounter", "lock", *subject.catalog.things):
        return
    maps = {
        name: entry.layout.params
        for name, entry in subject.maps.items()
        if isinstance(entry.layout.params, StaticParams)
    }
    found = openers(subject)
    for name in subject.prefabs:
        ids = dict.fromkeys(visit.map_id for visit in subject.visits.get(name, ()))
        own = {word for (word, map_id), sources in found.items() if sources == {name} and map_id in ids}
        own = own.difference(subject.locks) | subject.locks.keys()  # keys to the latter are put in reach
        drawings = subject.rolled(name) if own else ()
        drawn = {map_name: params for map_name, params in maps.items() if name in subject.laid_by(params)}
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
    """Return the first cells of the props locked with some words that stay shut in a drawing.

    Args:
        subject: The content.
        params: How the drawing is made a map; None if it lies on one, where all of it is walked to.
        drawing: The drawing.
        words: The words that nothing else opens, and those to which the level gives keys.
    """
    template = subject.prefabs[drawing.name].template
    boxes = [each for each in locked_props(drawing.references, drawing.machines) if each.word in words]
    if not boxes:
        return []

    def opens(symbol: SymbolEntry) -> OpenedWords:
        """Of a group one comes true, and whichever does may be the key."""
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


def _look_at_completeness(subject: Subject, name: str) -> None:
    """Say why a map can never be all that its layout is asked for."""
    entry = subject.maps[name]
    layout, params = LAYOUTS[entry.layout.name], entry.layout.params
    drawn = {
        word: {prefab: _lying(subject, prefab) for prefab in subject.called.get(word, ())}
        for word in params.asked_for()
    }
    if not all(prefabs and all(prefabs.values()) for prefabs in drawn.values()):
        return  # one that could not be read may be what is missing
    size = entry.size.most
    for reason in layout.shortages(params, drawn, size, subject.terrain_set):
        subject.say("never complete", subject.records["map"][name], "layout", reason=reason)


def _lying(subject: Subject, name: str) -> list[Drawing]:
    """Return the drawings that a prefab may be, in every way it may lie; of those that are walked on alike just one."""
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
    """Say what is wrong with some of the drawings that a prefab may be, as a map wants it.

    If each has one of the fatal faults, no level can be made of it: that is an error.
    """
    found, drawings = subject.objections(prefab, judge), subject.rolled(prefab)
    if not found:
        return
    which = "never" if len(found) == len(drawings) else "not always"
    if which == "never" and {each for each, _ in found} <= fatal:
        which = "no level if"
        subject.unmakeable.add(name)
    subject.say_of_drawing(f"{which} {check}", prefab, found, map=name)


RULES: Rules = (look_over,)
