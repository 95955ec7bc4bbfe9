"""Choosing knobs for a goal: the numbers in the content whose change may bring a measure (such as deaths) to its target."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dungeon.content.source.reader import LOADER
from dungeon.core.errors import PlaytestError, nearest_match
from dungeon.core.vocabulary import DEEPEST
from dungeon.playtest.compare.measures import DEPTH
from dungeon.playtest.run import Run
from dungeon.playtest.statistics import wilson
from dungeon.playtest.tuning.knobs import (
    RANGE,
    Knob,
    Setting,
    UnsettableError,
    depth_knobs,
    keys_at,
    knobs_in,
    scalar_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.library import Content
    from dungeon.content.models.world import ChartMap
    from dungeon.playtest.tuning.goal import Goal, Texts, Trial
    from dungeon.playtest.tuning.knobs import Path as Keys

STRENGTH = ("attack", "hp")
"""Keywords in the `data` of robots and traps that make them stronger as they grow."""

BETTER = ("survival", "win", "beaten", "gained")
"""Measures of games that fall as robots get stronger; the others rise."""

MOST_STRONGER = 4
"""A robot's strength may change by at most this factor, up or down."""

SPREAD = 2
"""A number stays between the smallest such number of the content, divided by this factor, and the largest, times this factor."""

MOST_KILLERS = 3
"""Number of the most frequent killers whose strength may change."""

FIRST, LAST = ("encounter", "map"), ("theme", "prefab")
"""Kinds of entries in which a name is looked for: first these, then objects, then `LAST`."""


class KnobChooser:
    """Finds the numbers in a content that may be changed to reach a goal.

    Args:
        content: The content.
        texts: The YAML files of the content.
    """

    def __init__(self, content: Content, texts: Texts) -> None:
        self._content = content
        self._texts = texts
        self._trees: dict[str, Any] = {}

    def for_goal(self, goal: Goal, base: Trial) -> list[Knob]:
        """Return the knobs that may reach a goal, the most likely first.

        Args:
            goal: The goal.
            base: The trial of the unchanged content. For goals about games, its run tells which robots kill.
        """
        return [knob for knob in self._for_goal(goal, base) if self._can_be_set(knob)]

    def named(self, name: str) -> list[Knob]:
        """Return the knobs of the number with this name: its entry and YAML keys joined by dots, ``engine_house.maps.foundry``.

        Allowed values may follow the name, as in ``engine_house.maps.foundry=1..50``.

        Raises:
            PlaytestError: There is no such number, or the allowed values are no range.
        """
        name, _, allowed = name.partition("=")
        span = RANGE.fullmatch(allowed)
        if allowed and (span is None or not span[2] or int(span[1]) > int(span[2])):
            raise PlaytestError(f"{allowed!r} is not a range of values such as 1..50")
        entry, *keys = name.split(".")
        objects = self._content.kinds.like("robot", "trap", "item", "prop", "debris")
        kinds = (*FIRST, *objects, *LAST)
        known = [kind for kind in kinds if (kind, entry) in self._content.sources]
        if not known:
            names = {each for kind, each in self._content.sources if kind in kinds}
            nearest = nearest_match(entry, names)
            hint = f" (did you mean {nearest}?)" if nearest else ""
            raise PlaytestError(f"there is no entry {entry!r} with a number that can be changed{hint}")
        for kind in known:
            if knobs := list(self._at(kind, entry, *keys)):
                if span is not None:
                    knobs = [replace(knob, least=float(span[1]), most=float(span[2])) for knob in knobs]
                return [replace(knob, up=None, tier=0) for knob in knobs]
        raise PlaytestError(f"{name} is not a number, weight or range that can be changed")

    def place_of(self, kind: str, entry: str) -> str:
        """Return the file of an entry, relative to the content folder."""
        file = Path(self._content.sources[kind, entry].file)
        return file.relative_to(self._texts.folder).as_posix()

    def _for_goal(self, goal: Goal, base: Trial) -> list[Knob]:
        content, types = self._content, set(types_in(goal.scope, self._content))
        name = goal.measure.name
        if goal.is_of_games:
            knobs = list(self._strengths(goal, base))
            if goal.thing in content.encounters and name in ("deaths", "met"):
                knobs += self._of_encounter(goal.thing, types, goal)
            return knobs
        if goal.thing in content.encounters and name in ("share", "copies", "refused"):
            return [*self._of_encounter(goal.thing, types, goal), *self._encounter_counts(types)]
        if name == "prefab":
            encounters = [each for each in content.encounters if goal.thing in self._prefabs_of(each)]
        elif name == "category":
            encounters = [key for key, each in content.encounters.items() if each.category == goal.thing]
        else:
            return []
        return [
            *(knob for each in encounters for knob in self._weights(each, types)),
            *self._encounter_counts(types),
        ]

    def _of_encounter(self, name: str, types: set[str], goal: Goal) -> Iterator[Knob]:
        """Yield the knobs of an encounter's frequency: weights, limits, depths."""
        yield from self._weights(name, types)
        encounter = self._content.encounters[name]
        path = name, "limit", "map"
        place = self.place_of("encounter", name)
        if encounter.limit.map is not None:
            yield from self._at("encounter", *path)
        elif goal.high < 1:
            pass  # no whole limit but none at all would bring it so low
        else:
            knob = Knob(place=place, path=path, now=10, least=max(1, encounter.least.map), most=10, tier=1)
            yield self._bounded(knob, "encounter")
        if encounter.limit.world is not None:
            yield from self._at("encounter", name, "limit", "world")
        low, high = encounter.depth
        depths = [spot.depth for spot in spots_in(goal.scope, self._content)]
        shallowest, deepest = min(depths), max(depths)
        if shallowest < deepest or not low <= deepest <= high:
            span = max(low, shallowest), high if high < DEEPEST else None
            for knob in depth_knobs(place, (name, "depth"), *span, deepest):
                yield knob.within(shallowest, deepest)

    def _weights(self, name: str, types: set[str]) -> Iterator[Knob]:
        """Yield the knobs of an encounter's weight on each type of map, and at each listed depth."""
        for each in self._content.encounters[name].maps:
            if each in types:
                yield from self._at("encounter", name, "maps", each)

    def _encounter_counts(self, types: set[str]) -> Iterator[Knob]:
        """Yield the knobs of how many encounters a map of these types has. They change the frequency of every encounter."""
        for each in sorted(types):
            yield from (replace(knob, tier=2) for knob in self._at("map", each, "encounters"))

    def _strengths(self, goal: Goal, base: Trial) -> Iterator[Knob]:
        """Yield the knobs of the strength of the robot or trap that the goal names, or else of the most frequent killers."""
        foes = foes_of(self._content)
        tags = [goal.thing] if goal.thing in foes else killers_in(base, goal, self._content)[:MOST_KILLERS]
        for tag in tags:
            kind = foes[tag].kind
            for key in STRENGTH:
                now = foes[tag].data.get(key)
                if isinstance(now, int) and now > 0:
                    knob = Knob(
                        place=self.place_of(kind, tag),
                        path=(tag, "data", key),
                        now=now,
                        least=max(1, now // MOST_STRONGER),
                        most=now * MOST_STRONGER,
                        up=goal.measure.name not in BETTER,
                    )
                    yield self._bounded(knob, kind)

    def _at(self, kind: str, entry: str, *keys: str) -> Iterator[Knob]:
        """Yield the knobs of a value, or of each of its `by_depth` values.

        Yields nothing if the value is shared by a YAML alias, or inherited from another entry.

        Args:
            kind: The kind of entry, such as ``encounter``.
            entry: The entry's name.
            *keys: The YAML keys from the entry to the value.
        """
        place, path = self.place_of(kind, entry), (entry, *keys)
        text = self._texts[place]
        try:
            if by_depth := keys_at(text, (*path, "by_depth")):
                for depth in by_depth:
                    yield from self._at(kind, entry, *keys, "by_depth", depth)
            elif keys and not keys_at(text, path) and (raw := scalar_at(text, path)) is not None:
                for knob in knobs_in(place, path, raw, self._words(path)):
                    yield self._bounded(knob, kind)
        except UnsettableError:
            return  # the value is shared by an alias or inherited

    def _bounded(self, knob: Knob, kind: str) -> Knob:
        """Return a knob with its values cut to what such numbers of the content are, within `SPREAD`; a depth to the depths of the world.

        Such numbers are those with the same YAML keys in all entries of the kind: of weights, those for any map and depth.

        Args:
            knob: The knob.
            kind: The kind of its entry.
        """
        if knob.side:
            depths = [spot.depth for spot in self._content.chart.spots.values()]
            return knob.within(min(depths), max(depths))
        words = self._words(knob.path)
        entries = [self._entry_at(*key) for key in self._content.sources if key[0] == kind]
        found = [each for entry in entries for each in _scalars_at(entry, _pattern_of(knob.path[1:]))]
        known = [each.now for raw in found for each in knobs_in(knob.place, knob.path, str(raw), words)]
        numbers = [each for each in (*known, *words.values(), knob.now) if each > 0]
        return knob.within(min(numbers, default=0) / SPREAD, max(numbers, default=0) * SPREAD)

    def _entry_at(self, kind: str, entry: str) -> Any:
        """Return an entry as plain YAML data; None if it is not in a file of the content folder."""
        file = Path(self._content.sources[kind, entry].file)
        if not file.is_relative_to(self._texts.folder) or file.suffix not in (".yaml", ".yml"):
            return None
        place = self.place_of(kind, entry)
        if place not in self._trees:
            self._trees[place] = yaml.load(self._texts[place], Loader=LOADER)  # noqa: S506  # it is safe
        return self._trees[place].get(entry)

    def _words(self, path: Keys) -> dict[str, float]:
        """Return weight word (such as ``rare``) -> value if the value at a path is a weight; else an empty mapping."""
        return dict(self._content.weights) if {"maps", "weight"} & set(path) else {}

    def _can_be_set(self, knob: Knob) -> bool:
        """Return whether the value of a knob can be replaced in its YAML file."""
        try:
            self._texts.changed([Setting(knob, knob.now)])
        except UnsettableError:
            return False
        return True

    def _prefabs_of(self, encounter: str) -> set[str]:
        forms = self._content.forms[encounter]
        return {prefab for form in forms for prefab in self._content.preferences[form.label]}


def _pattern_of(keys: Keys) -> Keys:
    """Return the keys of a number with ``*`` for map types and numbers of list items, and without depths.

    ``("maps", "foundry", "by_depth", "3")`` -> ``("maps", "*")``.
    """
    pattern: list[str] = []
    for before, key in zip(("", *keys), keys, strict=False):
        if key != "by_depth" and before != "by_depth":
            pattern.append("*" if before == "maps" or key.isdecimal() else key)
    return tuple(pattern)


def _scalars_at(tree: Any, pattern: Keys) -> Iterator[Any]:
    """Yield the values in YAML data at a path, in which ``*`` stands for any key; of a value by depth, that of each depth."""
    if isinstance(tree, dict) and [*tree] == ["by_depth"]:
        for each in tree["by_depth"].values():
            yield from _scalars_at(each, pattern)
    elif not pattern:
        yield from () if isinstance(tree, dict | list) else (tree,)
    elif pattern[0] == "*":
        for each in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
            yield from _scalars_at(each, pattern[1:])
    elif isinstance(tree, dict) and pattern[0] in tree:
        yield from _scalars_at(tree[pattern[0]], pattern[1:])


def types_in(scope: str, content: Content) -> list[str]:
    """Return the types of the maps in `scope`, a part of the world such as ``foundry`` or ``depth3``."""
    return list(dict.fromkeys(each for spot in spots_in(scope, content) for each in _types(spot, scope)))


def maps_in(scope: str, content: Content, *, or_deeper: bool = False) -> list[str]:
    """Return the ids of the maps in `scope`, a part of the world; with `or_deeper`, a depth includes all deeper maps."""
    spots = spots_in(scope, content)
    if or_deeper and DEPTH.fullmatch(scope):
        first = int(scope.removeprefix("depth"))
        spots = [spot for spot in content.chart.spots.values() if spot.depth >= first]
    return [spot.id for spot in spots]


def spots_in(scope: str, content: Content) -> Iterable[ChartMap]:
    """Return the maps of the world's chart (all that a world may have) that lie in `scope`, a part of the world."""
    return [
        spot
        for spot in content.chart.spots.values()
        if scope in ("everywhere", spot.id, spot.branch, f"depth{spot.depth}", *spot.types)
    ]


def _types(spot: ChartMap, scope: str) -> list[str]:
    """Return the types that a map of the chart may have; if `scope` is one of them, only that one."""
    return [scope] if scope in spot.types else list(spot.types)


def foes_of(content: Content) -> dict[str, CatalogObject]:
    """Return tag -> robot or trap. The kinds that a content declares to be like robots or traps are included.

    If several objects have the same tag, the first one is returned.
    """
    foes = [
        thing
        for kind in content.kinds.like("robot", "trap")
        for thing in content.catalog.things[kind].values()
    ]
    return {thing.tag: thing for thing in reversed(foes)}


def why_out_of_reach(base: Trial, goal: Goal, content: Content) -> str:
    """Return in words why no change of robots can bring a goal about games within reach of the bots that played; "" if one may.

    A goal is out of reach if no game comes to its part of the world, or if more games should come there than bots leave: those that
    end before by giving up do not get further if robots are weaker.

    Args:
        base: The trial of the unchanged content.
        goal: The goal.
        content: The content.
    """
    first = min(spot.depth for spot in spots_in(goal.scope, content))
    bot = goal.thing if goal.measure.by_bot else ""
    query = "SELECT ending, depth, count(*) FROM plays WHERE ? IN ('', bot) GROUP BY 1, 2 ORDER BY 1, 2"
    with Run(base.run) as run:
        ends = run.sql(query, (bot,)).fetchall()
    games = sum(count for _, _, count in ends)
    deepest = max((depth for _, depth, _ in ends if depth is not None), default=0)
    others: Counter[str] = Counter()
    for ending, depth, count in ends:
        if ending != "death" and (depth is None or depth < first):
            others[ending] += count
    if deepest < first and not base.estimate.worlds:
        return f"none of {games} games comes to {goal.scope}; the deepest end at depth {deepest}"
    lost = others.total()
    if goal.measure.name != "survival" or wilson(games - lost, games)[1] >= goal.low:
        return ""
    told = ", ".join(f"{ending}: {count}" for ending, count in others.items())
    return (
        f"{lost} of {games} games end before {goal.scope}, but not by a death ({told}), "
        f"so at most {1 - lost / games:.0%} come there; raise --limit, or let other bots play"
    )


def killers_in(base: Trial, goal: Goal, content: Content) -> Sequence[str]:
    """Return the robots and traps that ended games in the goal's scope, the most frequent first.

    For the measure `survival`, only games that ended at a smaller depth than all maps of the scope are counted.
    """
    foes = foes_of(content)
    spots = spots_in(goal.scope, content)
    there = {spot.id for spot in spots}
    first = min((spot.depth for spot in spots), default=0)
    query = """
        SELECT killer_tag, map, depth, killer, count(*) FROM plays WHERE ending = 'death' GROUP BY 1, 2, 3, 4
    """
    counts: dict[str, int] = {}
    with Run(base.run) as run:
        for tag, map_, depth, killer, count in run.sql(query).fetchall():
            is_where = depth < first if goal.measure.name == "survival" else map_ in there
            is_meant = goal.thing not in content.encounters or goal.thing == killer
            if is_where and is_meant and tag in foes:
                counts[tag] = counts.get(tag, 0) + count
    return sorted(counts, key=lambda tag: (-counts[tag], tag))
