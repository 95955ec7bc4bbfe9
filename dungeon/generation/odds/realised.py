"""How many copies of each encounter real levels contain (*had*), how many were drawn for them (*due*), and why the numbers differ.

A level and its draw use the same random streams, so most of their luck is the same. Their difference is therefore
known after few worlds, where the two numbers by themselves would need many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.crew import Crew, Died
from dungeon.core.errors import GenerationError
from dungeon.core.frozen import Frozen
from dungeon.core.lazy import collector_paused
from dungeon.generation.encounters.draw import NO_ENCOUNTER, forms_in_turn
from dungeon.generation.encounters.shares import WorldMap
from dungeon.generation.odds.odds import Cause, Compared, Odds, Realised, causes_by_share, margin
from dungeon.generation.odds.plans import GroundPlan
from dungeon.generation.odds.worlds import due_on
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.stages.brief import finished
from dungeon.generation.stages.pipeline import make
from dungeon.generation.towers import Towers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.generation.stages.brief import Brief
    from dungeon.level.journal import Decision
    from dungeon.level.model import Level

Key = tuple[str, str, str]
"""Map id, type of the map, and encounter."""


class EncounterOutcome(NamedTuple):
    """How many copies of an encounter one level has, how many were drawn for it, and why these numbers differ.

    Attributes:
        key: The map and the encounter.
        had: The number of copies on the level.
        due: The number of copies that were drawn for the level.
        cause: Why the level has fewer copies than were drawn; empty if it has as many or more.
        instead: If the level has more copies than were drawn: the encounters whose places they took; else empty.
        variants: Variant -> (number of copies that have it, number of copies for which chance chose it to be tried first).
    """

    key: Key
    had: int
    due: int
    cause: str
    instead: tuple[Cause, ...]
    variants: dict[str, tuple[int, int]]


Asked = Mapping[tuple[str, str], Collection[str]]
"""(Map id, type) of each map to make -> the encounters that never find space there (`EncounterOdds.unplaced`)."""

WorldOutcomes = tuple[list[tuple[str, str]], list[EncounterOutcome]]
"""The (id, type) of all maps of a world, and the outcomes of encounters on the maps that were asked for."""


@dataclass(slots=True)
class CopySums:
    """Numbers of copies of an encounter, summed over levels.

    Attributes:
        had: The number of copies on the levels.
        due: The number of copies that were drawn for these levels.
        squares: The sum of (had - due) squared, level by level.
    """

    had: int = 0
    due: int = 0
    squares: int = 0

    def add(self, had: int, due: int) -> None:
        """Add the number of copies on one level, and the number of copies that were drawn for it."""
        self.had += had
        self.due += due
        self.squares += (had - due) ** 2

    def shares(self, whole: int, levels: int) -> Compared:
        """Return the sums `had` and `due` divided by a number, with the margin of error of their difference.

        Args:
            whole: The divisor: the number of levels for averages, or of copies for shares.
            levels: The number of levels that were added.
        """
        off = margin(self.had - self.due, self.squares, levels) * levels
        return Compared(had=self.had / whole, due=self.due / whole, margin=off / whole)


@dataclass(slots=True)
class WorldTally:
    """The copies of encounters in several worlds, added up. A key is (map id, type of the map, encounter).

    Attributes:
        worlds: The number of worlds.
        maps: (map id, type) -> the number of worlds that have this map with this type.
        copies: Key -> the number of copies on the levels, and the number of copies drawn for these levels.
        variants: Key -> variant -> the number of copies with this variant, and the number for which chance chose it to be tried first.
        causes: Key -> reason -> the number of copies that are missing for this reason.
        instead: Key -> another encounter -> the number of copies that took the place of that encounter.
    """

    worlds: int = 0
    maps: Counter[tuple[str, str]] = field(default_factory=Counter)
    copies: defaultdict[Key, CopySums] = field(default_factory=lambda: defaultdict(CopySums))
    variants: defaultdict[Key, dict[str, CopySums]] = field(default_factory=lambda: defaultdict(dict))
    causes: dict[Key, dict[str, float]] = field(default_factory=dict)
    instead: dict[Key, dict[str, float]] = field(default_factory=dict)

    def add(self, maps: Iterable[tuple[str, str]], outcomes: Iterable[EncounterOutcome]) -> None:
        """Add one world.

        Args:
            maps: The (map id, type) of each map of the world.
            outcomes: The outcomes of encounters on the maps that were made.
        """
        self.worlds += 1
        self.maps.update(maps)
        for key, had, due, cause, instead, variants in outcomes:
            self.copies[key].add(had, due)
            for name, counts in variants.items():
                self.variants[key].setdefault(name, CopySums()).add(*counts)
            missed = (Cause(cause, 1.0),) if cause else ()
            for blame, parts in ((self.causes, missed), (self.instead, instead)):
                copies = blame.setdefault(key, {})
                for reason, share in parts:
                    copies[reason] = copies.get(reason, 0.0) + share * abs(had - due)

    def realised(self, key: Key) -> Realised:
        """Return the averages for an encounter on a map, over all worlds that were added and have the map.

        Args:
            key: (map id, type of the map, encounter).
        """
        levels, copies = max(self.maps[key[:2]], 1), self.copies[key]
        compared = copies.shares(levels, levels)
        variants = self.variants[key].items() if copies.had else ()
        return Realised(
            had=compared.had,
            due=compared.due,
            margin=compared.margin,
            causes=causes_by_share(self.causes.get(key, {})),
            instead=causes_by_share(self.instead.get(key, {})),
            variants=Frozen({name: each.shares(copies.had, levels) for name, each in variants}),
        )


def realise(
    odds: Odds,
    content: Content,
    seeds: Sequence[int],
    *,
    jobs: int = 1,
    told: Callable[[int], None] | None = None,
) -> Odds:
    """Make the levels of some worlds, and return the odds with `EncounterOdds.realised` filled in from these levels.

    Args:
        odds: The odds of the maps that are asked for.
        content: The content.
        seeds: The seeds of the worlds to make.
        jobs: The number of processes that make them.
        told: A function that is called after each world with the number of worlds made so far.

    Raises:
        GenerationError: A level can't be made, or a process died.
    """
    tally = WorldTally()
    asked = {
        (on_map.id, on_map.name): frozenset(each.encounter for each in on_map.encounters if each.unplaced)
        for on_map in odds.maps
    }
    for result in _results(content, asked, seeds, jobs):
        tally.add(*result)
        if told is not None:
            told(tally.worlds)
    maps = tuple(
        replace(
            on_map,
            encounters=tuple(
                replace(each, realised=tally.realised((on_map.id, on_map.name, each.encounter)))
                for each in on_map.encounters
            ),
        )
        for on_map in odds.maps
    )
    return replace(odds, maps=maps, worlds=tally.worlds)


def _results(content: Content, asked: Asked, seeds: Sequence[int], jobs: int) -> Iterator[WorldOutcomes]:
    """Yield, for each world in the order of the seeds, how many copies its levels contain, and how many were drawn for them.

    Args:
        content: The content.
        asked: The maps to make.
        seeds: The seeds of the worlds.
        jobs: The number of processes.
    """
    work = partial(result_of, content, asked)
    if jobs == 1:
        yield from map(work, seeds)
        return
    early: dict[int, WorldOutcomes] = {}
    with Crew(work, jobs) as crew:
        results = crew.results(partial(next, iter(seeds), None))
        for seed in seeds:
            while seed not in early:
                done, result = next(results)
                if isinstance(result, Died):
                    raise GenerationError(
                        f"the process that made the world of seed {done} has died: {result.how}"
                    )
                early[done] = result
            yield early.pop(seed)


def result_of(content: Content, asked: Asked, seed: int) -> WorldOutcomes:
    """Make levels of one world; return how many copies of encounters they contain, and how many were drawn for them.

    Args:
        content: The content.
        asked: The maps to make.
        seed: The seed of the world.
    """
    towers = Towers.of_world(content, seed)
    found: list[EncounterOutcome] = []
    for node in towers.nodes.values():
        if (node.id, node.name) not in asked:
            continue
        brief, place = towers.brief(node.id), WorldMap(node.id, node.name, node.depth)
        due = Counter(due_on(content, place, towers.shares, brief.streams, asked[node.id, node.name]))
        del due[NO_ENCOUNTER]
        with collector_paused():
            level = finished(make(brief))
            had = Counter(placement.encounter for placement in level.placements if placement.encounter)
            lost = due - had
            causes = causes_of(towers.brief(node.id), level, lost)
        instead = tuple(Cause(name, count / lost.total()) for name, count in lost.items())
        found += [
            EncounterOutcome(
                (node.id, node.name, name),
                had[name],
                due[name],
                causes.get(name, ""),
                instead if had[name] > due[name] else (),
                _variants(brief, level, name),
            )
            for name in content.weights_on(node.name, node.depth)
            if had[name] or due[name]
        ]
    return [(node.id, node.name) for node in towers.nodes.values()], found


def _variants(brief: Brief, level: Level, name: str) -> dict[str, tuple[int, int]]:
    """Return variant -> (number of copies on a level that have it, number of copies for which chance chose it to be tried first).

    Args:
        brief: The input from which the level was made.
        level: The level.
        name: The name of the encounter.
    """
    copies = [placement for placement in level.placements if placement.encounter == name]
    had = Counter(placement.variant for placement in copies)
    content, depth = brief.content, brief.depth
    turns = (forms_in_turn(content, brief.name, depth, brief.streams, name, each.copy) for each in copies)
    first = Counter(forms[0].variant for forms in turns)
    variants = (form.variant for form, _ in content.forms_on(name, brief.name, depth))
    return {variant: (had[variant], first[variant]) for variant in variants if variant}


NO_TURN = "the map was full"
"""The reason for a copy that was never tried: others filled the map before its turn."""


def causes_of(brief: Brief, level: Level, lost: Collection[str]) -> dict[str, str]:
    """Return encounter -> why a level contains fewer copies of it than were drawn.

    If it would fit on the map without other encounters, the cause is the encounter that now lies in its place. Otherwise it is the
    first placing rule after which no room or cave is left.

    Args:
        brief: The input from which the level was made.
        level: The level.
        lost: The encounters of which the level has fewer copies than were drawn.
    """
    refused: dict[str, Decision] = {}
    for decision in level.journal:
        if (decision.stage, decision.verdict) == ("place", "refused") and decision.subject in lost:
            refused.setdefault(decision.subject, decision)
    plan = GroundPlan.of(brief) if refused else None
    found: dict[str, str] = {}
    for name in lost:
        if name not in refused or plan is None:
            found[name] = NO_TURN
        elif refused[name].kind != "space" or not (taker := _taker(plan, level, name)):
            # A room is counted under the first rule that it breaks, so the last rule is what all others would have left.
            counts = refused[name].counts
            found[name] = counts[-1][0] if counts else refused[name].reason
        else:
            found[name] = "taken by a copy of it" if taker == name else f"taken by {taker}"
    return found


def _taker(plan: GroundPlan, level: Level, name: str) -> str | None:
    """Return which encounter lies in the place that a missing encounter would have if the map had no other encounter.

    Args:
        plan: The ground plan of the level.
        level: The level.
        name: The encounter that is missing on the level.

    Returns:
        The name of the encounter in that place; None if the missing encounter does not fit on that map either, or its place is free.
    """
    copies = sum(placement.encounter == name for placement in level.placements)
    found = plan.place_alone(name, copies + 1)
    if isinstance(found, SpaceRefusal):
        return None
    canvas, placed = found
    around = placed.bounds.joined(canvas.regions[placed.region - 1].bounds).grown()
    for placement in level.placements:
        is_new = placed.dug or placed.altered or placement.region > len(plan.ground.canvas.regions)
        has_it = placement.bounds.overlaps(around) if is_new else placement.region == placed.region
        if placement.encounter and has_it:
            return placement.encounter
    return None
