"""Which encounters a map gets, in which order they are tried.

Each encounter that could appear on the map sends copies that arrive at random times, as often per unit of
time as its weight says (a Poisson process). Taking arrivals in order of time draws encounters in proportion to
their weights, with as many copies as the limits allow. A new encounter only slips its own arrivals in between.

What is guaranteed comes before all others, then what is promised: the copies that the world has given to the map, which would
be lost to the world if the map had its encounters before their turn came, and the least that authors want; and with any of these what
it requires. An encounter that requires others waits for them, and comes as soon as they are there; so does one that is to be near to
others, until one of those is there.
"""

from __future__ import annotations

import heapq
from collections import Counter
from copy import copy
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from dungeon.content.values.grammar import number_at, roll, weight_at
from dungeon.core.frozen import NOTHING, Frozen
from dungeon.core.streams import Race
from dungeon.core.vocabulary import LANDMARKS, STAKES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry, EncounterForm
    from dungeon.core.streams import Streams
    from dungeon.core.vocabulary import Category, Stake

Reason = TypeVar("Reason")
"""What tells why something is refused."""

NO_ENCOUNTER = ""
"""What arrives where nothing is to be placed."""


class Rank(IntEnum):
    """In which order copies have their turns."""

    GUARANTEED = 0
    PROMISED = 1
    BY_CHANCE = 2


@dataclass(frozen=True, slots=True)
class Arrival:
    """The turn of one copy of an encounter, counted from 1, to be placed; `rank` tells how urgent that is."""

    encounter: str
    copy: int
    rank: Rank = Rank.BY_CHANCE


class TurnResult(NamedTuple, Generic[Reason]):
    """What has come of a turn.

    Attributes:
        arrival: Whose turn it was.
        refused: Who could not come, and why: it, and those who were to stand in for it.
        taking: Who has come; None if nobody could.
    """

    arrival: Arrival
    refused: tuple[tuple[Arrival, Reason], ...]
    placed: Arrival | None


RULE_TEXTS: Mapping[str, str] = {
    "group": "its group {what!r} is taken by {other}",
    "conflict": "it conflicts with {what}, which is on the map",
    "requires": "it requires {what}, which is not on the map",
    "near": "it is to be near {what}, and none is on the map",
    "mix": "the map's mix has no more {what}",
    "budget": "the map's budget has too little {what} left",
}
"""Kind of veto -> the sentence that the journal and `dungeon why` show."""


class RuleRefusal(NamedTuple):
    """The rule by which a map refuses an encounter wherever it would lie.

    Attributes:
        kind: The rule, a key of `TEXTS`.
        what: The group, encounter, category or stake that the rule is about.
        other: The encounter that has the group; empty for other rules.
    """

    kind: str
    what: str
    other: str = ""

    @property
    def reason(self) -> str:
        """What it is, in words."""
        return RULE_TEXTS[self.kind].format(what=self.what, other=self.other)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """The places that each rule forbids: none, as no place has been looked at."""
        return ()


class _QueuedArrival(NamedTuple):
    """An arrival to come: by rank, then by time; the number tells it from others of its encounter."""

    rank: Rank
    time: float
    encounter: str
    number: int


class Draw:
    """The encounters of one map in order of arrival.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        shares: Encounter -> how many copies the limits of world and branch leave to this map.
        streams: The level's streams.
        first: Encounter -> how many of them come first.

    Attributes:
        wanted: How many encounters the map is to have.
        budget: What it may still have.
    """

    def __init__(
        self,
        content: Content,
        map_name: str,
        depth: int,
        shares: Mapping[str, int],
        streams: Streams,
        first: Mapping[str, int] = NOTHING,
    ) -> None:
        self.content = content
        self._map, self._depth = map_name, depth
        self._shares = shares
        self._group_holders: dict[str, str] = {}
        self._placed: Counter[str] = Counter()
        self._waiting: list[_QueuedArrival] = []
        self._postponed: list[_QueuedArrival] = []
        self._turn: _QueuedArrival | None = None
        self._candidates = content.derive(
            ("candidates", map_name, depth), _candidates_on, content, map_name, depth
        )
        self._waits: dict[int, dict[str, float]] = {}
        self._streams = streams
        self.wanted = wanted_on(content, map_name, depth, streams)
        self.budget = MapBudget(content, map_name, depth, self.wanted)
        self._now = 0.0
        self.limits = dict(self._candidates.limits)
        self.limits.update({name: self.limit(name) for name in shares if name in self.limits})
        self._guaranteed = guaranteed(content, self.limits)
        self._first = self._first_copies(first)
        self._queue = [
            _QueuedArrival(self._rank(name, 1), wait, name, 1)
            for name, wait in self._waiting_times(1).items()
            if self.limits.get(name) != 0
        ]
        heapq.heapify(self._queue)

    def _first_copies(self, given: Mapping[str, int]) -> dict[str, int]:
        """Return encounter -> the number of its copies that come before all that come by chance; encounters without such are absent.

        Args:
            given: Encounter -> the number of copies that the world has given to the map.
        """
        least = self._candidates.least
        promised = {
            name: max(given.get(name, 0), least.get(name, 0), name in self._guaranteed)
            for name in (*given, *least, *self._guaranteed)
            if self.limits.get(name, 0) != 0
        }
        able = {name for name, limit in self.limits.items() if limit != 0} if promised else set[str]()
        coming = [
            name
            for name in promised
            if name in self._guaranteed
            or able.issuperset(with_required(self.content, self.content.encounters, [name]))
        ]  # any other would bring along what it requires, and could not come itself
        return {name: max(promised.get(name, 0), 1) for name in with_required(self.content, able, coming)}

    def limit(self, name: str) -> int | None:
        """Return how many copies the map may have; None for any number."""
        limit, share = self.content.encounters[name].limit.map, self._shares.get(name)
        return min(limit, share) if limit and share is not None else limit or share

    def _waiting_times(self, number: int) -> dict[str, float]:
        """Return encounter -> the time between the arrivals of its copies `number` - 1 and `number`; for copy 1, since time 0."""
        if number not in self._waits:
            race = self._candidates.race
            waits = race.times(self._streams.unit("plan", number)) if race else ()
            self._waits[number] = dict(zip(self._candidates.weights, waits, strict=True))
        return self._waits[number]

    def _queue_copy(self, name: str, number: int) -> None:
        """Let a copy arrive some time after now."""
        limit = self.limits.get(name)
        if limit is None or number <= limit:
            time = self._now + self._waiting_times(number)[name]
            heapq.heappush(self._queue, _QueuedArrival(self._rank(name, number), time, name, number))

    def _rank(self, name: str, number: int) -> Rank:
        if number > self._first.get(name, 0):
            return Rank.BY_CHANCE
        return Rank.GUARANTEED if name in self._guaranteed else Rank.PROMISED

    def run(self, objection: Callable[[Arrival], Reason | None]) -> Iterator[TurnResult[Reason]]:
        """Let one after the other have its turn until there are enough, or none is left; yield what has come of each turn.

        Args:
            objection: Called with whoever is to come; returns why it can't, or None if it has come.
        """
        while arrival := self.next(enough=self.budget.left <= 0):
            placed: Arrival | None = arrival
            refused = []
            while placed is not None and placed.encounter != NO_ENCOUNTER:
                reason = objection(placed)
                if reason is None:
                    break
                refused.append((placed, reason))
                placed = self.fallback_for(placed)
            if placed is not None:
                self.place(placed)
            yield TurnResult(arrival, tuple(refused), placed)

    def next(self, *, enough: bool = False) -> Arrival | None:
        """Return the next arrival, or None if no encounter is left; those that wait for others are passed over.

        Those from whom turns are kept come only when nobody is left for whom they are.

        Args:
            enough: Whether the map has as many as it is to have: then only those come that it must have.
        """
        while self._queue or self._postponed:
            if enough and not (self._queue and self._queue[0].rank is Rank.GUARANTEED):
                return None
            if not self._queue:
                self.budget.release_reserved_turns()
                self._queue, self._postponed = self._postponed, []
                heapq.heapify(self._queue)
            turn = heapq.heappop(self._queue)
            name = turn.encounter
            if self._is_kept_from(name, turn.rank):
                self._postponed.append(turn)
                continue
            self._turn, self._now = turn, turn.time
            if self._is_full(name, self.limits.get(name)):
                continue  # others have had it as their fallback
            if self.missing_for(name):
                self._waiting.append(turn)
                continue
            return Arrival(name, self._placed[name] + 1, turn.rank)
        return None

    def _is_full(self, name: str, limit: int | None) -> bool:
        return limit is not None and self._placed[name] >= limit

    def _is_kept_from(self, name: str, rank: Rank) -> bool:
        return rank is not Rank.GUARANTEED and self.budget.reserves_turns_from(name)

    def fallback_for(self, arrival: Arrival) -> Arrival | None:
        """Return who takes the turn of an encounter that was refused, or None if nobody can."""
        name = self._entry(arrival).fallback
        if name is None:
            return None
        entry = self.content.encounters[name]
        low, high = entry.depth
        if self._map not in entry.maps or not low <= self._depth <= high:
            return None
        if not self.content.forms_on(name, self._map, self._depth):
            return None
        if (
            self._is_full(name, self.limit(name))
            or self.missing_for(name)
            or self._is_kept_from(name, arrival.rank)
        ):
            return None
        return replace(arrival, encounter=name, copy=self._placed[name] + 1)

    def place(self, arrival: Arrival) -> None:
        """Say that it was placed: the next copy may come, those that wait for it may, and its groups are taken."""
        name = arrival.encounter
        self._placed[name] += 1
        self.budget.spend(name)
        if name:
            self._group_holders.update(dict.fromkeys(self._entry(arrival).group.map, name))
        if self._turn is not None and self._turn.encounter == name:
            self._queue_copy(name, self._turn.number + 1)
        held, self._waiting = self._waiting, []
        for turn in held:
            if self.missing_for(turn.encounter):
                self._waiting.append(turn)
            else:
                heapq.heappush(self._queue, turn._replace(time=max(turn.time, self._now)))

    def _entry(self, arrival: Arrival) -> EncounterEntry:
        return self.content.encounters[arrival.encounter]

    def first_draw_odds(self) -> dict[str, float]:
        """Return how likely each encounter is to be the first that has a turn, before any has had one."""
        ready = [turn for turn in self._queue if not self.missing_for(turn.encounter)]
        able = [turn for turn in ready if not self._is_kept_from(turn.encounter, turn.rank)] or ready
        best = min((turn.rank for turn in able), default=None)
        names = [turn.encounter for turn in able if turn.rank == best]
        weights = self._candidates.weights
        total = sum(weights[name] for name in names)
        return {name: weights[name] / total for name in names}

    def still_waiting(self) -> list[tuple[Arrival, RuleRefusal]]:
        """Return those that still wait for another encounter, each with what it waits for."""
        return [
            (Arrival(turn.encounter, self._placed[turn.encounter] + 1, turn.rank), lacking)
            for turn in sorted(self._waiting)
            if (lacking := self.missing_for(turn.encounter))
        ]

    def missing_for(self, name: str) -> RuleRefusal | None:
        """Return for whom an encounter waits: the first that it requires, or is to be near to, and that is not there; None if all are."""
        if not name:
            return None
        entry = self.content.encounters[name]
        for required in entry.requires:
            if not self._placed[required]:
                return RuleRefusal("requires", required)
        for word in entry.near:
            if word not in LANDMARKS and not self._is_there(word):
                return RuleRefusal("near", word)
        return None

    def objection(self, arrival: Arrival) -> RuleRefusal | None:
        """Return what the map, or those who are on it, have against one who arrives; None if nothing."""
        name, entry = arrival.encounter, self._entry(arrival)
        for group in entry.group.map:
            if (other := self._group_holders.get(group, name)) != name:
                return RuleRefusal("group", group, other)
        for other in self._placed:
            if other and (other in entry.conflicts or name in self.content.encounters[other].conflicts):
                return RuleRefusal("conflict", other)
        return None if arrival.rank is Rank.GUARANTEED else self.budget.objection(name)

    def _is_there(self, word: str) -> bool:
        """Tell whether an encounter that goes by a word has been placed."""
        return any(self.content.encounters[name].goes_by(name, word) for name in self._placed if name)


def wanted_on(content: Content, map_name: str, depth: int, streams: Streams) -> int:
    """Return how many encounters a map is to have.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        streams: The level's streams.
    """
    number = number_at(content.maps[map_name].encounters, depth)
    return roll(number, streams.stream("plan", "encounters"), 0)


class _Candidates(NamedTuple):
    """What a map may draw from, before the limits of the world apply.

    Attributes:
        weights: Encounter, or `NO_ENCOUNTER`, -> its weight.
        race: The race that tells when each of these arrives, in the same order; None if there are none.
        limits: Encounter -> the most copies that a map may have; None for any number.
        least: Encounter -> the least number of copies that a map must have; encounters that it need not have are absent.
    """

    weights: Mapping[str, float]
    race: Race[str] | None
    limits: Mapping[str, int | None]
    least: Mapping[str, int]


def _candidates_on(content: Content, map_name: str, depth: int) -> _Candidates:
    weights = {**content.weights_on(map_name, depth)}
    encounters = {name: content.encounters[name] for name in weights}
    nothing = content.weight_at(content.maps[map_name].nothing, depth)
    if nothing > 0:
        weights[NO_ENCOUNTER] = nothing
    return _Candidates(
        Frozen(weights),
        Race(((name, weight, name) for name, weight in weights.items()), "plan") if weights else None,
        Frozen({name: each.limit.map for name, each in encounters.items()}),
        Frozen({name: each.least.map for name, each in encounters.items() if each.least.map}),
    )


def guaranteed(content: Content, limits: Mapping[str, int | None]) -> frozenset[str]:
    """Return the encounters that a map must have, and what these require.

    Args:
        content: The content.
        limits: Encounter that may be there -> how many copies of it; None for any number.
    """
    names = (name for name, limit in limits.items() if limit != 0 and content.encounters[name].guaranteed)
    return frozenset(with_required(content, limits, names))


def with_required(content: Content, able: Collection[str], names: Iterable[str]) -> list[str]:
    """Return some encounters and all that they require, what is required before those that require it.

    Args:
        content: The content.
        able: Those that may be there; others are left out, and what they require.
        names: The encounters.
    """
    found: dict[str, None] = {}
    waiting = [name for name in names if name in able]
    while waiting:
        required = content.encounters[waiting[-1]].requires
        if lacking := [name for name in required if name in able and name not in found]:
            waiting += lacking
        else:
            found[waiting.pop()] = None
    return [*found]


def forms_in_turn(
    content: Content, depth: int, streams: Streams, name: str, copy: int
) -> list[EncounterForm]:
    """Return the forms in which a copy of an encounter may come to a level, in the order in which they are tried.

    Args:
        content: The content.
        depth: How deep the level lies.
        streams: The level's streams.
        name: The encounter.
        copy: Which copy, from 1.
    """
    forms = {form.label: (form, weight) for form, weight in content.forms_at(name, depth)}
    weights = {label: weight for label, (_, weight) in forms.items()}
    return [forms[label][0] for label in streams.race(weights, "place", name, copy, "form")]


# -- the budget of a map -----------------------------------------------------------------------------

ROUNDING = 1e-9
"""Sums of many small numbers are that much off at most."""


def budget_of(content: Content, map_name: str, depth: int) -> dict[Stake, float]:
    """Return how much threat and worth the encounters of a map may bring at a depth; any amount of what is not there."""
    budget = content.maps[map_name].budget
    said = {stake: getattr(budget, stake) for stake in STAKES}
    return {stake: weight_at(amount, depth, NOTHING) for stake, amount in said.items() if amount is not None}


class MapBudget:
    """What a map may still have.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        wanted: How many encounters it is to have.

    Attributes:
        left: How many turns are left.
    """

    def __init__(self, content: Content, map_name: str, depth: int, wanted: int) -> None:
        self.amounts = budget_of(content, map_name, depth)
        self.spent: dict[Stake, float] = dict.fromkeys(self.amounts, 0.0)
        self._content = content
        self._mix = content.maps[map_name].mix
        self._depth = depth
        self.left = wanted
        self._there: Counter[Category] = Counter()
        self._lacking = {category: least for category, (least, _) in self._mix.items() if least}

    def copy(self) -> MapBudget:
        """Return a budget of its own, with as much left."""
        other = copy(self)
        other.spent, other._there, other._lacking = dict(self.spent), self._there.copy(), dict(self._lacking)  # noqa: SLF001
        return other

    def objection(self, name: str) -> RuleRefusal | None:
        """Return why the map may not have one more of an encounter, or None if it may."""
        category = self._content.encounters[name].category
        if category in self._mix and self._there[category] >= self._mix[category][1]:
            return RuleRefusal("mix", category)
        for stake, amount in self.amounts.items():
            if self.spent[stake] + self._cost(name, stake) > amount + ROUNDING:
                return RuleRefusal("budget", stake)
        return None

    def reserves_turns_from(self, name: str) -> bool:
        """Tell whether all turns that are left are kept for others than an encounter, or than no encounter if there is no name."""
        if not self._lacking or sum(self._lacking.values()) < self.left:
            return False
        return not name or self._content.encounters[name].category not in self._lacking

    def release_reserved_turns(self) -> None:
        """Say that nobody is left for whom turns are kept."""
        self._lacking = {}

    def _cost(self, name: str, stake: Stake) -> float:
        return self._content.costs.of_encounter(name, self._depth).get(stake, 0.0)

    @property
    def shortage(self) -> dict[Category, int]:
        """How many encounters of each category the map still lacks of those that it is to have."""
        short = {each: least - self._there[each] for each, (least, _) in self._mix.items()}
        return {each: count for each, count in short.items() if count > 0}

    def spend(self, name: str) -> None:
        """Say that a turn has been had, by an encounter or, if there is no name, by none."""
        self.left -= 1
        if name:
            category = self._content.encounters[name].category
            self._there[category] += 1
            if category in self._lacking:
                self._lacking[category] -= 1
                self._lacking = {each: lack for each, lack in self._lacking.items() if lack}
            for stake in self.amounts:
                self.spent[stake] += self._cost(name, stake)
