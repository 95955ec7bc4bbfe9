"""One finding, how findings of one cause are joined, and the statistics behind them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from dungeon.playtest.report.sheet import SHOWN, spots_of
from dungeon.playtest.statistics import binomial_at_least

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.playtest.report.sheet import LevelRef


CHANCE = 0.01
"""How often out-of-depth objects, far keys, new beginnings and twins may come about on a sound map, at the most."""

ON_A_MAP = 3
"""So many findings of a kind on one map, or more, are one: it is the map that is out of line."""

NAMED = 4
"""So many more maps, or things, are named at most where several findings are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer to one question.

    Attributes:
        kind: What was asked.
        map: The map, the worst if there are several; empty if it concerns all of them.
        thing: What it is about: an encounter, an object, a lock... empty if it is about the map itself.
        category: The category of the encounter; empty if there is none.
        text: What was found, in a sentence or two.
        matters: Whether it is beyond the threshold of its kind.
        cases: How often it happens in 100 worlds: the worst is what happens most often.
        chance: How likely chance alone would show as much; 0 for what is never right.
        shown: Levels that show it.
        others: The other maps of which the same is true.
    """

    kind: str
    map: str = ""
    thing: str = ""
    category: str = ""
    text: str
    matters: bool
    cases: float
    chance: float
    shown: tuple[LevelRef, ...]
    others: tuple[str, ...] = ()

    @property
    def maps(self) -> tuple[str, ...]:
        """The maps that it is about, the worst first; none if it concerns all of them."""
        return (self.map, *self.others) if self.map else ()


def often(
    kind: str,
    text: str,
    counts: tuple[int, int],
    most: float,
    worlds: int,
    examples: Iterable[dict[str, Any]] | None,
    *,
    name: str,
    thing: str = "",
) -> Finding:
    """Return the answer to whether something that may happen now and then happens too often.

    Args:
        kind: What was asked.
        text: What is told.
        counts: How often it happened, and how often it might have.
        most: The share from which on it matters.
        worlds: How many worlds there are.
        examples: Levels that show it, as `EXAMPLES` tells of them.
        name: The map.
        thing: What it is about.
    """
    count, of = counts
    return Finding(
        kind=kind,
        map=name,
        thing=thing,
        text=text,
        matters=count >= most * of,
        cases=100 * count / worlds,
        chance=binomial_at_least(count, of, CHANCE),
        shown=spots_of(examples),
    )


def joined(found: Iterable[Finding]) -> list[Finding]:
    """Return findings with those of one cause as one: what is wrong with a thing shows on many maps, or with a map, in many things."""
    left = list(found)
    told = []
    while left:
        group = _largest(left)
        told.append(_one_of(group))
        left = [finding for finding in left if not any(finding is each for each in group)]
    return told


def _largest(found: Sequence[Finding]) -> list[Finding]:
    """Return the most findings that have one cause; a thing is more likely one than a map."""
    things = Counter((each.kind, each.thing) for each in found if each.thing)
    maps = Counter((each.kind, each.map) for each in found if each.map and each.thing)
    thing, on_maps = max(things.items(), key=lambda item: item[1], default=(None, 0))
    place, on_map = max(maps.items(), key=lambda item: item[1], default=(None, 0))
    if on_map >= ON_A_MAP and on_map > on_maps:
        return [each for each in found if each.thing and (each.kind, each.map) == place]
    if on_maps > 1:
        return [each for each in found if (each.kind, each.thing) == thing]
    return [found[0]]


def _one_of(group: Sequence[Finding]) -> Finding:
    """Return one finding for all that have one cause: the worst, which tells of the others."""
    if len(group) == 1:
        return group[0]
    worst, *others = sorted(group, key=lambda each: -each.cases)
    is_thing = all(each.thing == worst.thing for each in group)
    turns = zip_longest(*(each.shown for each in (worst, *others)))
    names = list(_listed([each.map if is_thing else each.thing for each in others]))
    return replace(
        worst,
        others=tuple(each.map for each in others if is_thing),
        thing=worst.thing if is_thing else "",
        text=f"{worst.text} Likewise {'on' if is_thing else 'there'}{'' if is_thing else ':'} {', '.join(names)}.",
        cases=sum(each.cases for each in group),
        chance=min(each.chance for each in group),
        shown=tuple(dict.fromkeys(spot for turn in turns for spot in turn if spot))[:SHOWN],
    )


def _listed(names: Sequence[str]) -> Iterator[str]:
    """Yield the first of some names, and how many more there are."""
    yield from names[:NAMED]
    if len(names) > NAMED:
        yield f"and {len(names) - NAMED} more"
