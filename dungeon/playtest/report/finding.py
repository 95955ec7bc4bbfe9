"""A finding: one thing in a run that an author should look at, and how findings with one cause are joined."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from dungeon.content.models.accepted import AcceptedThingEntry
from dungeon.playtest.report.sheet import SHOWN, levels_in
from dungeon.playtest.statistics import binomial_at_least

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.content.models.accepted import AcceptedEntry, AcceptedFindingEntry
    from dungeon.playtest.report.sheet import Form, LevelRef


CHANCE = 0.01
"""Share of levels on which out-of-depth objects, far keys, restarts and twins are accepted on a sound map."""

USUAL = 5
"""Minimum number of kinds of robots, kinds of locks, or maps, to say what is usual."""

ENOUGH = 10
"""Minimum number of levels, worlds or robots for a test that takes averages as normally distributed."""

ON_A_MAP = 3
"""From this number of things with the same kind of finding on one map, the findings are joined: the map is the cause."""

NAMED = 4
"""Maximum number of further maps or things named in a joined finding."""


class FindingKind(NamedTuple):
    """A kind of findings: the unit of `Finding.rate`, what `Finding.harm` is a share of, and what `Finding.size` is about.

    ``{size} {measured}`` says the size in words: ``45% of its copies are missing``, ``2.2 times the usual way to a key``.
    """

    unit: str
    spoilt: str
    measured: str
    form: Form = "share"


KINDS = {
    "failed": FindingKind("failures in 100 worlds", "all games", "of the worlds"),
    "nowhere": FindingKind("levels in 100 worlds", "a game's encounters", "of its levels"),
    "heavy": FindingKind("copies in 100 worlds", "a game's encounters", "the next greatest weight", "number"),
    "missed": FindingKind("missing copies in 100 worlds", "a game's encounters", "of its copies are missing"),
    "unused": FindingKind(
        "missing placements in 100 worlds", "a game's encounters", "of its placements are missing"
    ),
    "beyond": FindingKind(
        "objects in 100 worlds", "a game's robots, traps and items", "of the levels have one"
    ),
    "deep": FindingKind(
        "objects in 100 worlds", "a game's robots, traps and items", "of its robots or items are out of depth"
    ),
    "far": FindingKind("locks in 100 worlds", "a game's turns", "of the locks have a far key"),
    "farther": FindingKind("locks in 100 worlds", "a game's turns", "the usual way to a key", "number"),
    "trapped": FindingKind("levels in 100 worlds", "a game's levels", "the usual number of traps", "number"),
    "crowded": FindingKind(
        "levels in 100 worlds", "a game's levels", "the usual number of robots outside encounters", "number"
    ),
    "poorer": FindingKind("levels in 100 worlds", "a game's levels", "less worth than the map before"),
    "easier": FindingKind("levels in 100 worlds", "a game's levels", "less threat than the map before"),
    "again": FindingKind("levels in 100 worlds", "a game's levels", "of the layouts are started again"),
    "alike": FindingKind(
        "levels in 100 worlds", "a game's levels", "in common between its levels of two worlds"
    ),
    "misrated": FindingKind(
        "robots in 100 worlds", "a game's threat", "the threat that is usual for its depth rating", "number"
    ),
    "harmful": FindingKind(
        "hit points a game more than its threat says",
        "the hit points lost in a game",
        "the hit points that are usual for its threat",
        "number",
    ),
    "harmless": FindingKind(
        "hit points a game fewer than its threat says",
        "the hit points lost in a game",
        "fewer hit points lost to it in encounters than is usual for its threat",
    ),
    "feeble": FindingKind(
        "hit points a game fewer than its worth says",
        "the hit points lost in a game",
        "fewer hit points than is usual for its worth",
    ),
    "deadlier": FindingKind(
        "hit points a game more than its robots and traps cost elsewhere",
        "the hit points lost in a game",
        "the hit points that its robots and traps cost elsewhere",
        "number",
    ),
    "killer": FindingKind(
        "more deaths in 100 games than its threat explains", "all games", "its share of the threat", "number"
    ),
    "killing": FindingKind("more deaths in 100 games than is usual", "all games", "of the games end there"),
    "scarce": FindingKind("games in 100", "a game's levels", "of the items are missing"),
    "drained": FindingKind("games in 100", "all games", "of the games lack charge"),
    "stuck": FindingKind("games in 100", "all games", "of the games are given up there"),
    "unmet": FindingKind("copies in 100 games", "a game's encounters", "of the copies are not met"),
}
"""The kinds of findings; ``docs/report.md`` says what each is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer to one question about a run, such as "do bots often give up on this map?".

    Attributes:
        kind: The question, a key of `KINDS`.
        map: The map that the finding is about, the worst one if there are several; empty if it is about no map.
        thing: The encounter, object, lock... that the finding is about; empty if it is about the map itself. If `dungeon show --mark`
            does not know it, the examples have a mark of their own.
        category: The encounter's category; empty if there is none.
        text: The finding in a sentence or two.
        size: How large the fault is where it happens: a share, or a number of times. What an author accepts is bounded by it.
        matters: Whether the fault is large enough to be reported: each kind has a threshold.
        rate: How often it happens, in the unit of its kind.
        harm: The share of a player's game that it spoils: see `Exposure`. Findings are sorted by it.
        chance: P-value of the finding; 0 if one case is enough to prove a fault.
        shown: Example levels with the fault.
        command: A command that repeats a failure of which no level can be shown; empty for other findings.
        others: Further maps with the same finding.
    """

    kind: str
    map: str = ""
    thing: str = ""
    category: str = ""
    text: str
    size: float
    matters: bool
    rate: float
    harm: float
    chance: float
    shown: tuple[LevelRef, ...]
    command: str = ""
    others: tuple[str, ...] = ()

    @property
    def maps(self) -> tuple[str, ...]:
        """The maps that the finding is about, the worst first; empty if it is about none."""
        return (self.map, *self.others) if self.map else ()

    @property
    def frequency(self) -> str:
        """How often the fault happens, and what it spoils, in a sentence each."""
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        return f"That is {rate} {KINDS[self.kind].unit}. {self.spoilt}"

    @property
    def spoilt(self) -> str:
        """What the fault spoils, in a sentence; nothing on a map that no game reaches."""
        if not self.harm:
            return "It spoils no game."
        share = f"{self.harm:.0%}" if self.harm >= 0.1 else f"{100 * self.harm:.2g}%"
        return f"It spoils {share} of {KINDS[self.kind].spoilt}."


def frequency_finding(
    kind: str,
    text: str,
    counts: tuple[int, int],
    most: float,
    toll: tuple[float, float],
    examples: Iterable[dict[str, Any]] | None,
    *,
    name: str,
    thing: str = "",
) -> Finding:
    """Return a finding about an event that may happen too often, such as a lock that stays shut.

    Args:
        kind: The kind of finding.
        text: Its text.
        counts: Number of times that the event happened, and number of times that it could have happened.
        most: The share (event happened / could have happened) from which on the finding matters.
        toll: `rate` and `harm` of the finding.
        examples: Example levels with the event, as selected by `EXAMPLES`.
        name: The map that the finding is about.
        thing: The encounter, object, lock... that the finding is about.
    """
    count, of = counts
    return Finding(
        kind=kind,
        map=name,
        thing=thing,
        text=text,
        size=count / of if of else 0.0,
        matters=count >= most * of,
        rate=toll[0],
        harm=toll[1],
        chance=binomial_at_least(count, of, CHANCE),
        shown=levels_in(examples),
    )


def size_in_words(kind: str, size: float) -> str:
    """Return the size of a finding as text: ``45%``, or ``3.1 times``."""
    return f"{size:.0%}" if KINDS[kind].form == "share" else f"{size:.2g} times"


def told_and_accepted(
    found: Iterable[Finding], accepted: AcceptedEntry
) -> tuple[list[Finding], list[Finding]]:
    """Return the findings that are not accepted, and those that are, by harm.

    A finding whose size is above the accepted one is told, and its text says so. All findings that one entry of ``accepted.yaml``
    accepts are joined. Their text is one line with the largest size and its map.
    """
    told: list[Finding] = []
    groups: dict[tuple[str, AcceptedFindingEntry], list[Finding]] = {}
    for each in found:
        entry = accepted.acceptance(each.kind, each.thing, each.map)
        if entry is None:
            told.append(each)
        elif each.size > entry.most:
            most = size_in_words(each.kind, entry.most)
            told.append(replace(each, text=f"{each.text} This is more than the accepted {most}."))
        else:
            name = each.thing if isinstance(entry, AcceptedThingEntry) else each.map
            groups.setdefault((f"{each.kind} {name}", entry), []).append(each)
    meant = [_accepted_finding(name, entry, group) for (name, entry), group in groups.items()]
    return told, sorted(meant, key=lambda each: (-each.harm, each.text))


def _accepted_finding(name: str, entry: AcceptedFindingEntry, group: Sequence[Finding]) -> Finding:
    """Return the finding that an entry of ``accepted.yaml`` accepts, with a line about it as its text."""
    joined = _one_finding(group)
    worst = max(group, key=lambda each: each.size)
    size = f"{size_in_words(worst.kind, worst.size)} {KINDS[worst.kind].measured}"
    if worst.map and isinstance(entry, AcceptedThingEntry):
        more = len({each.map for each in group}) - 1
        size += f" on {worst.map}{f', at most that on {more} more' if more else ''}"
    most = size_in_words(worst.kind, entry.most)
    return replace(joined, text=f"{name}: {size}. {joined.spoilt} Accepted up to {most}: {entry.reason}")


def marked(finding: Finding) -> Finding:
    """Return a finding whose thing is marked on the example levels that mark nothing else."""
    return replace(
        finding, shown=tuple(each._replace(mark=each.mark or finding.thing) for each in finding.shown)
    )


def joined_findings(found: Iterable[Finding]) -> list[Finding]:
    """Return findings with each group of one cause joined into one finding: see `_largest_group`."""
    left = list(found)
    told = []
    while left:
        group = _largest_group(left)
        told.append(_one_finding(group))
        left = [finding for finding in left if not any(finding is each for each in group)]
    return told


def _largest_group(found: Sequence[Finding]) -> list[Finding]:
    """Return findings of one kind that probably have one cause; the first finding alone if there is no such group.

    A group has 2 or more findings about one thing (an encounter, object...) on several maps, or `ON_A_MAP` or more about several
    things on one map. The largest group is returned; of equal ones, the group about one thing.
    """
    things = Counter((each.kind, each.thing) for each in found if each.thing)
    maps = Counter((each.kind, each.map) for each in found if each.map and each.thing)
    thing, on_maps = max(things.items(), key=lambda item: item[1], default=(None, 0))
    place, on_map = max(maps.items(), key=lambda item: item[1], default=(None, 0))
    if on_map >= ON_A_MAP and on_map > on_maps:
        return [each for each in found if each.thing and (each.kind, each.map) == place]
    if on_maps > 1:
        return [each for each in found if (each.kind, each.thing) == thing]
    return [found[0]]


def _one_finding(group: Sequence[Finding]) -> Finding:
    """Return one finding for a group: the worst, with the others named in its text."""
    if len(group) == 1:
        return group[0]
    worst, *others = sorted(group, key=lambda each: (-each.harm, -each.rate))
    is_thing = all(each.thing == worst.thing for each in group)
    turns = zip_longest(*(each.shown for each in (worst, *others)))
    names = list(listed([each.map if is_thing else each.thing for each in others]))
    return replace(
        worst,
        others=tuple(each.map for each in others if is_thing),
        thing=worst.thing if is_thing else "",
        text=f"{worst.text} Also on {'' if is_thing else 'this map: '}{', '.join(names)}.",
        size=max(each.size for each in group),
        rate=sum(each.rate for each in group),
        harm=sum(each.harm for each in group),
        chance=min(each.chance for each in group),
        shown=tuple(dict.fromkeys(spot for turn in turns for spot in turn if spot))[:SHOWN],
    )


def listed(names: Sequence[str]) -> Iterator[str]:
    """Yield the first `NAMED` names; if there are more, yield then ``and 3 more``."""
    yield from names[:NAMED]
    if len(names) > NAMED:
        yield f"and {len(names) - NAMED} more"
