"""What levels really have of each encounter, beside what the very same levels were due.

A level and what it was due are drawn from the same streams, so most of the luck of either is the luck of both, and
their difference tells after few worlds what takes many to see in the numbers themselves.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.collector import collector_paused
from dungeon.core.crew import Crew, Died
from dungeon.core.errors import GenerationError
from dungeon.generation.atlas import maps_of
from dungeon.generation.encounters.draw import NO_ENCOUNTER
from dungeon.generation.encounters.shares import Place, share_out
from dungeon.generation.odds.causes import causes_of
from dungeon.generation.odds.due import due_on
from dungeon.generation.odds.odds import Cause, Odds, Realised, margin
from dungeon.generation.stages.brief import brief_of, finished
from dungeon.generation.stages.pipeline import make

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dungeon.content.library import Content

Key = tuple[str, str, str]
"""Map id, type of map, and encounter."""


class Outcome(NamedTuple):
    """What became of an encounter on a level.

    Attributes:
        key: The map and the encounter.
        had: How many copies the level has; `due`, how many it was due.
        causes: Why it has less, if it has.
        instead: What it has more of it for, if it has.
    """

    key: Key
    had: int
    due: int
    causes: tuple[Cause, ...]
    instead: tuple[Cause, ...]


Outcomes = tuple[list[tuple[str, str]], list[Outcome]]
"""The maps of a world, by id and type, and what became of encounters on them."""


@dataclass(slots=True)
class Tally:
    """What worlds had, added up.

    Attributes:
        worlds: How many there were.
        maps: How many of them had a map, by id and type.
        had: How many copies their levels had.
        due: How many they would have had where space is endless.
        squares: The sum of the squares of what each level had more, or less, than it was due.
        causes: Why it was less.
        instead: What it was more for.
    """

    worlds: int = 0
    maps: Counter[tuple[str, str]] = field(default_factory=Counter)
    had: Counter[Key] = field(default_factory=Counter)
    due: Counter[Key] = field(default_factory=Counter)
    squares: Counter[Key] = field(default_factory=Counter)
    causes: dict[Key, dict[str, float]] = field(default_factory=dict)
    instead: dict[Key, dict[str, float]] = field(default_factory=dict)

    def add(self, maps: Iterable[tuple[str, str]], outcomes: Iterable[Outcome]) -> None:
        """Add a world: the maps that it has, and what became of encounters there."""
        self.worlds += 1
        self.maps.update(maps)
        for key, had, due, causes, instead in outcomes:
            self.had[key] += had
            self.due[key] += due
            self.squares[key] += (had - due) ** 2
            for blame, parts in ((self.causes, causes), (self.instead, instead)):
                copies = blame.setdefault(key, {})
                for reason, share in parts:
                    copies[reason] = copies.get(reason, 0.0) + share * abs(had - due)

    def realised(self, key: Key) -> Realised:
        """Return what it comes to for an encounter on a map."""
        had, due, worlds = self.had[key], self.due[key], max(self.maps[key[:2]], 1)
        return Realised(
            had=had / worlds,
            due=due / worlds,
            margin=margin(had - due, self.squares[key], worlds),
            causes=_shares(self.causes.get(key, {})),
            instead=_shares(self.instead.get(key, {})),
        )


def _shares(copies: Mapping[str, float]) -> tuple[Cause, ...]:
    """Return what made a difference to so many copies, the greatest first."""
    total = sum(copies.values())
    ordered = sorted(copies.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Cause(reason, count / total) for reason, count in ordered)


def realise(
    odds: Odds,
    content: Content,
    seeds: Sequence[int],
    *,
    jobs: int = 1,
    told: Callable[[int], None] | None = None,
) -> Odds:
    """Return the odds, and beside them what worlds have had.

    Args:
        odds: What is due, on the maps that are asked for.
        content: The content.
        seeds: The seeds of the worlds.
        jobs: How many processes make them.
        told: Called with how many have been made whenever another one is.

    Raises:
        GenerationError: A level can't be made.
    """
    tally = Tally()
    for result in _results(content, {each.id for each in odds.maps}, seeds, jobs):
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


def _results(content: Content, asked: Collection[str], seeds: Sequence[int], jobs: int) -> Iterator[Outcomes]:
    """Yield what each world had, in the order of the seeds."""
    work = partial(result_of, content, asked)
    if jobs == 1:
        yield from map(work, seeds)
        return
    early: dict[int, Outcomes] = {}
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


def result_of(content: Content, asked: Collection[str], seed: int) -> Outcomes:
    """Make some of a world's levels and return what they have had and what they were due."""
    nodes = maps_of(content, seed)
    places = [Place(each.id, each.name, each.depth) for each in nodes]
    shares = share_out(content, places, seed)
    found: list[Outcome] = []
    for node, place in zip(nodes, places, strict=True):
        if node.id not in asked:
            continue
        brief = brief_of(content, seed, node, shares)
        due = Counter(due_on(content, place, shares, brief.streams))
        del due[NO_ENCOUNTER]
        with collector_paused():
            level = finished(make(brief))
            had = Counter(placement.encounter for placement in level.placements if placement.encounter)
            lost = due - had
            causes = causes_of(brief_of(content, seed, node, shares), level, lost)
        instead = tuple(Cause(name, count / lost.total()) for name, count in lost.items())
        found += [
            Outcome(
                (node.id, node.name, name),
                had[name],
                due[name],
                causes.get(name, ()),
                instead if had[name] > due[name] else (),
            )
            for name in content.weights_on(node.name, node.depth)
            if had[name] or due[name]
        ]
    return [(node.id, node.name) for node in nodes], found
