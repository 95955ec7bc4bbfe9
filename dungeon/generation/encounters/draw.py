"""Which encounters a map gets: each copy of an encounter gets a random arrival time, and copies are tried in the order of arrival.

A copy's turn is the moment when it is tried. Guaranteed copies come first; then those promised to the map, by the world
or by the author's `min`; then those by chance. A map's mix limits the number of encounters of a category. Its budget
limits stakes: threat and worth.

Each encounter that may appear on the map has copies that arrive at random times, with its weight as the rate (a Poisson process).
Taking the arrivals in order of time draws encounters in proportion to their weights, up to their limits. A new encounter in the
content only adds its own arrivals in between.

    time ->
    den   (weight 2)   --1-----2-----------3---      the turns: den, shop, den, shop, den
    shop  (weight 1)   ----1-----------2-------      a limit of 2 dens would leave out the last turn

Copies promised by the world come early because they would be lost if the map were full before their turn. What a guaranteed or promised
encounter requires comes along. An encounter that requires others, or must be near one of several, waits until these are placed and
then comes at once.
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
"""The type that tells why an encounter was refused."""

NO_ENCOUNTER = ""
"""The name that is drawn for a turn at which nothing is placed."""


class Rank(IntEnum):
    """Why a copy of an encounter comes to a map, in the order in which a map tries to place such copies."""

    GUARANTEED = 0
    PROMISED = 1
    BY_CHANCE = 2


@dataclass(frozen=True, slots=True)
class Arrival:
    """One copy of an encounter whose turn has come to be placed.

    Attributes:
        encounter: The name of the encounter.
        copy: The number of the copy on this map, from 1.
        rank: Whether the copy is guaranteed, promised to the map, or comes by chance.
    """

    encounter: str
    copy: int
    rank: Rank = Rank.BY_CHANCE


class TurnResult(NamedTuple, Generic[Reason]):
    """The result of one turn: trying to place a copy of an encounter or, if it fits nowhere, the encounters that replace it (fallbacks).

    Attributes:
        arrival: The copy that was to be placed.
        refused: (copy, reason) for all that could not be placed: first `arrival`, then its fallbacks.
        placed: The copy that was placed: `arrival` or a fallback; None if all were refused.
    """

    arrival: Arrival
    refused: tuple[tuple[Arrival, Reason], ...]
    placed: Arrival | None


RULE_TEXTS: Mapping[str, str] = {
    "group": "its group {what!r} is taken by {other}",
    "conflict": "it conflicts with {what}, which is on the map",
    "requires": "it requires {what}, which is not on the map",
    "near": "it must be near {what}, which is not on the map",
    "mix": "the map's mix allows no more {what}",
    "budget": "the map's budget has too little {what} left",
}
"""Kind of `RuleRefusal` -> the sentence for the journal and `dungeon why`."""


class RuleRefusal(NamedTuple):
    """The rule that keeps an encounter off a map, wherever on the map it would lie.

    If the encounter has the group "bosses" and the dragon on the map has it, too, the rule is ("group", "bosses", "dragon").

    Attributes:
        kind: The rule, a key of `RULE_TEXTS`.
        what: The group, encounter, category or stake that the rule is about.
        other: The encounter on the map that has the group; empty for other rules.
    """

    kind: str
    what: str
    other: str = ""

    @property
    def reason(self) -> str:
        """The refusal as a sentence."""
        return RULE_TEXTS[self.kind].format(what=self.what, other=self.other)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Always empty. In a `SpaceRefusal`, this attribute counts the rooms and caves that break each rule."""
        return ()


class _QueuedArrival(NamedTuple):
    """A copy of an encounter that waits in a map's queue, ordered by rank, then arrival time; `number` is its copy number, from 1."""

    rank: Rank
    time: float
    encounter: str
    number: int


class Draw:
    """Draws the encounters of one map in order of arrival.

    Args:
        content: The content.
        map_name: The type of map.
        depth: The depth of the map.
        shares: Encounter -> how many copies the limits of world and branch leave to this map.
        streams: The level's random streams.
        first: Encounter -> how many copies of it the world promised to this map: they are tried before those by chance.

    Attributes:
        wanted: The number of encounters that the map should get.
        budget: What the map may still get: its number of encounters, its mix of categories, and its budget of threat and worth.
        limits: Encounter -> the maximum number of copies on the map; None for any number.
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
        """Return encounter -> how many of its copies are tried before those by chance; encounters with none are absent.

        Counted are guaranteed copies, promised copies, and a copy of each encounter that any of these requires.

        Args:
            given: Encounter -> the number of copies that the world promised to the map.
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
        ]  # any other would only bring along what it requires: it could not come itself
        return {name: max(promised.get(name, 0), 1) for name in with_required(self.content, able, coming)}

    def limit(self, name: str) -> int | None:
        """Return the maximum number of copies of an encounter on the map; None for any number."""
        limit, share = self.content.encounters[name].limit.map, self._shares.get(name)
        return min(limit, share) if limit and share is not None else limit or share

    def _waiting_times(self, number: int) -> dict[str, float]:
        """Return encounter -> the random time between the arrivals of copies `number` - 1 and `number`; for copy 1, from time 0."""
        if number not in self._waits:
            race = self._candidates.race
            waits = race.times(self._streams.unit("plan", number)) if race else ()
            self._waits[number] = dict(zip(self._candidates.weights, waits, strict=True))
        return self._waits[number]

    def _queue_copy(self, name: str, number: int) -> None:
        """Queue copy `number` of an encounter at a random time after the present turn's, if the encounter's limit allows this copy."""
        limit = self.limits.get(name)
        if limit is None or number <= limit:
            time = self._now + self._waiting_times(number)[name]
            heapq.heappush(self._queue, _QueuedArrival(self._rank(name, number), time, name, number))

    def _rank(self, name: str, number: int) -> Rank:
        """Return whether copy `number` of an encounter is guaranteed, promised, or comes by chance."""
        if number > self._first.get(name, 0):
            return Rank.BY_CHANCE
        return Rank.GUARANTEED if name in self._guaranteed else Rank.PROMISED

    def run(self, attempt: Callable[[Arrival], Reason | None]) -> Iterator[TurnResult[Reason]]:
        """Try to place one copy after another until the map has enough encounters or no copy is left; yield the result of each turn.

        Args:
            attempt: Called with a copy; places it and returns None, or returns why it can't be placed.
        """
        while arrival := self.next(enough=self.budget.left <= 0):
            placed: Arrival | None = arrival
            refused = []
            while placed is not None and placed.encounter != NO_ENCOUNTER:
                reason = attempt(placed)
                if reason is None:
                    break
                refused.append((placed, reason))
                placed = self.fallback_for(placed)
            if placed is not None:
                self.place(placed)
            yield TurnResult(arrival, tuple(refused), placed)

    def next(self, *, enough: bool = False) -> Arrival | None:
        """Return the next copy to place; None if none is left. Encounters that wait for others are skipped.

        Sometimes the mix reaches its minimums only if all encounters that the map may still get have certain categories. Then
        encounters of other categories are postponed until the queue has none of these categories left.

        Args:
            enough: Whether the map has as many encounters as it should: then only guaranteed ones still come.
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
                continue  # it was placed as the fallback of others
            if self.missing_for(name):
                self._waiting.append(turn)
                continue
            return Arrival(name, self._placed[name] + 1, turn.rank)
        return None

    def _is_full(self, name: str, limit: int | None) -> bool:
        """Return whether an encounter has as many copies on the map as `limit` allows; None allows any number."""
        return limit is not None and self._placed[name] >= limit

    def _is_kept_from(self, name: str, rank: Rank) -> bool:
        """Return whether a copy must wait because the mix reserves for other categories all encounters that the map may still get.

        The mix reserves them to reach its minimums. A guaranteed copy never waits for that.
        """
        return rank is not Rank.GUARANTEED and self.budget.reserves_turns_from(name)

    def fallback_for(self, arrival: Arrival) -> Arrival | None:
        """Return the copy of another encounter (the fallback) to place instead of the refused `arrival`; None if no fallback may come."""
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
        """Record that a copy of an encounter was placed on the map.

        The encounter's next copy and the encounters that waited for this one are queued. Other encounters of its groups are refused
        from now on.
        """
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
        """Return the content's entry of the encounter that `arrival` is a copy of."""
        return self.content.encounters[arrival.encounter]

    def first_draw_odds(self) -> dict[str, float]:
        """Return encounter -> the probability that it is drawn first on this map. Call it before the first call of `next`."""
        ready = [turn for turn in self._queue if not self.missing_for(turn.encounter)]
        able = [turn for turn in ready if not self._is_kept_from(turn.encounter, turn.rank)] or ready
        best = min((turn.rank for turn in able), default=None)
        names = [turn.encounter for turn in able if turn.rank == best]
        weights = self._candidates.weights
        total = sum(weights[name] for name in names)
        return {name: weights[name] / total for name in names}

    def still_waiting(self) -> list[tuple[Arrival, RuleRefusal]]:
        """Return the copies that still wait for another encounter, each with the rule that names what it waits for."""
        return [
            (Arrival(turn.encounter, self._placed[turn.encounter] + 1, turn.rank), lacking)
            for turn in sorted(self._waiting)
            if (lacking := self.missing_for(turn.encounter))
        ]

    def missing_for(self, name: str) -> RuleRefusal | None:
        """Return the rule (`requires` or `near`) that makes an encounter wait, with the first encounter that it waits for; else None.

        An empty name, for `NO_ENCOUNTER`, never waits.
        """
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

    def refusal(self, arrival: Arrival) -> RuleRefusal | None:
        """Return the rule (group, conflict, mix or budget) by which a copy can't be added to the map, or None."""
        name, entry = arrival.encounter, self._entry(arrival)
        for group in entry.group.map:
            if (other := self._group_holders.get(group, name)) != name:
                return RuleRefusal("group", group, other)
        for other in self._placed:
            if other and (other in entry.conflicts or name in self.content.encounters[other].conflicts):
                return RuleRefusal("conflict", other)
        return None if arrival.rank is Rank.GUARANTEED else self.budget.refusal(name)

    def _is_there(self, word: str) -> bool:
        """Return whether an encounter with this name, category or group has already been placed on the map."""
        return any(self.content.encounters[name].goes_by(name, word) for name in self._placed if name)


def wanted_on(content: Content, map_name: str, depth: int, streams: Streams) -> int:
    """Return the number of encounters that a map should get, chosen at random if its entry gives several numbers.

    Args:
        content: The content.
        map_name: The type of map.
        depth: The depth of the map.
        streams: The level's random streams.
    """
    number = number_at(content.maps[map_name].encounters, depth)
    return roll(number, streams.stream("plan", "encounters"), 0)


class _Candidates(NamedTuple):
    """The encounters that a map may draw, before the limits of the world apply.

    Attributes:
        weights: Encounter, or `NO_ENCOUNTER`, -> its weight.
        race: Draws a random arrival time for the next copy of each encounter in `weights`, in this order; None if there are none.
        limits: Encounter -> the maximum number of copies on the map; None for any number.
        least: Encounter -> the minimum number of copies on the map; encounters without a minimum are absent.
    """

    weights: Mapping[str, float]
    race: Race[str] | None
    limits: Mapping[str, int | None]
    least: Mapping[str, int]


def _candidates_on(content: Content, map_name: str, depth: int) -> _Candidates:
    """Return the encounters that a map of this type and depth may draw, with their weights and limits."""
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
    """Return the names of the encounters that a map must have (`guaranteed`), with all that they require.

    Args:
        content: The content.
        limits: Encounter that the map may have -> its maximum number of copies; None for any number.
    """
    names = (name for name, limit in limits.items() if limit != 0 and content.encounters[name].guaranteed)
    return frozenset(with_required(content, limits, names))


def with_required(content: Content, able: Collection[str], names: Iterable[str]) -> list[str]:
    """Return encounters with all that they require, directly or not; each comes after those that it requires.

    Args:
        content: The content.
        able: The encounters that may appear; any other is left out, with those that only it requires.
        names: The encounters to begin with.
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
    content: Content, map_name: str, depth: int, streams: Streams, name: str, copy: int
) -> list[EncounterForm]:
    """Return the forms (variants) of an encounter in weighted random order: the order in which one copy tries them.

    Args:
        content: The content.
        map_name: The type of map.
        depth: The depth of the level.
        streams: The level's random streams.
        name: The encounter.
        copy: The number of the copy, from 1.
    """
    forms = {form.label: (form, weight) for form, weight in content.forms_on(name, map_name, depth)}
    weights = {label: weight for label, (_, weight) in forms.items()}
    return [forms[label][0] for label in streams.race(weights, "place", name, copy, "form")]


# -- the budget of a map -----------------------------------------------------------------------------

ROUNDING = 1e-9
"""The rounding error that a sum of many small numbers may have."""


def budget_of(content: Content, map_name: str, depth: int) -> dict[Stake, float]:
    """Return stake -> how much threat or worth the encounters of a map may bring; a stake without a limit is absent."""
    budget = content.maps[map_name].budget
    said = {stake: getattr(budget, stake) for stake in STAKES}
    return {stake: weight_at(amount, depth, NOTHING) for stake, amount in said.items() if amount is not None}


class MapBudget:
    """What a map may still get: its number of encounters, its mix of categories, and its budget of threat and worth (stakes).

    Args:
        content: The content.
        map_name: The type of map.
        depth: The depth of the map.
        wanted: The number of encounters that the map should get.

    Attributes:
        left: The number of encounters that the map may still get.
        amounts: Stake -> how much of it all encounters of the map together may bring.
        spent: Stake -> how much of it the placed encounters have brought.
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
        """Return a copy of this budget that can be changed by itself."""
        other = copy(self)
        other.spent, other._there, other._lacking = dict(self.spent), self._there.copy(), dict(self._lacking)  # noqa: SLF001
        return other

    def refusal(self, name: str) -> RuleRefusal | None:
        """Return the rule of the mix or the budget that forbids one more copy of an encounter; None if it is allowed."""
        category = self._content.encounters[name].category
        if category in self._mix and self._there[category] >= self._mix[category][1]:
            return RuleRefusal("mix", category)
        for stake, amount in self.amounts.items():
            if self.spent[stake] + self._cost(name, stake) > amount + ROUNDING:
                return RuleRefusal("budget", stake)
        return None

    def reserves_turns_from(self, name: str) -> bool:
        """Return whether an encounter must wait because the mix reserves for other categories all encounters that the map may still get.

        The mix reserves them to reach its minimums. An encounter of a category below its minimum need not wait. An empty name, for
        `NO_ENCOUNTER`, stands for a turn without encounter.
        """
        if not self._lacking or sum(self._lacking.values()) < self.left:
            return False
        return not name or self._content.encounters[name].category not in self._lacking

    def release_reserved_turns(self) -> None:
        """Drop the minimums of the mix, so that no encounter must wait: none of the required categories is left to draw."""
        self._lacking = {}

    def _cost(self, name: str, stake: Stake) -> float:
        """Return how much of a stake (threat or worth) one copy of an encounter is expected to bring to the map."""
        return self._content.costs.of_encounter(name, self._depth).get(stake, 0.0)

    @property
    def shortage(self) -> dict[Category, int]:
        """Category -> how many encounters the map lacks to reach the mix's minimum; categories that have reached it are absent."""
        short = {each: least - self._there[each] for each, (least, _) in self._mix.items()}
        return {each: count for each, count in short.items() if count > 0}

    def spend(self, name: str) -> None:
        """Count one copy of an encounter against the number, the mix and the budget; an empty name counts only a turn without encounter."""
        self.left -= 1
        if name:
            category = self._content.encounters[name].category
            self._there[category] += 1
            if category in self._lacking:
                self._lacking[category] -= 1
                self._lacking = {each: lack for each, lack in self._lacking.items() if lack}
            for stake in self.amounts:
                self.spent[stake] += self._cost(name, stake)
