"""What a map is due, drawn by lot from its YAML alone, as the manual tells it: with no help from the code that draws encounters.

Games are of a single map, of which everything may be said that matters to the draw of one. What their prefabs bring is sure, so that
budgets can be kept without weighing chances.
"""

from __future__ import annotations

import json
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dungeon.generation.odds.expected import Sampling
from dungeon.generation.odds.odds import Z, margin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random

    from dungeon import Content, Estimate
    from dungeon.generation.encounters.shares import WorldMap
    from dungeon.generation.odds.odds import DrawnOdds

Yaml = Any
"""What a YAML file holds."""

DEPTH = 2
CATEGORIES = ("fluff", "risk", "danger", "reward")
PREFABS = {
    "dot": {"map": "."},
    "coin": {"map": "a", "legend": {"a": {"item": "coin"}}},
    "rat": {"map": "a", "legend": {"a": {"robot": "rat"}}},
}
BRINGS = {"dot": {}, "coin": {"worth": 3}, "rat": {"threat": 2}}


def sampled(
    content: Content, places: Sequence[WorldMap], worlds: int
) -> dict[WorldMap, dict[str, DrawnOdds]]:
    """Return map -> encounter -> how often it is drawn on the map, in worlds of the seeds 0, 1, ... whose levels are not made."""
    sampling = Sampling(content, places)
    sampling.add(worlds)
    return {place: sampling.drawn_on(place) for place in places}


def game(luck: Random) -> tuple[dict[str, str], dict[str, Yaml], Yaml]:
    """Return the files of a game, its encounters, and its map."""
    names = [f"e{number}" for number in range(luck.randint(3, 8))]
    said = {name: _encounter(luck, names, place) for place, name in enumerate(names)}
    if not any("x" in groups(entry) for entry in said.values()):
        said["e0"]["group"] = "x"  # others may ask to be near to it
    mine: Yaml = {
        "name": "Mine",
        "encounters": luck.choice((0, 1, 3, 5, 8)),
        "nothing": luck.choice((0, 0, 1, 6)),
    }
    if mine["encounters"] and luck.random() < 0.3:
        least = luck.randint(0, min(2, mine["encounters"]))
        mine["mix"] = {luck.choice(CATEGORIES): f"{least}..{least + luck.randint(0, 2)}"}
    if luck.random() < 0.3:
        mine["budget"] = {luck.choice(("threat", "worth")): luck.choice((0, 3, 7))}
    if not mine.keys() & {"mix", "budget"}:
        _limit_worlds(luck, said, mine["encounters"])
    files: Yaml = {
        "objects/items.yaml": {"coin": {"name": "coin", "glyph": "$", "worth": 3}},
        "objects/robots.yaml": {"rat": {"name": "rat", "glyph": "r", "threat": 2}},
        "prefabs/all.yaml": PREFABS,
        "encounters/all.yaml": said,
        "maps/all.yaml": {"mine": mine},
        "world.yaml": {"start": f"mine/{DEPTH}"},
    }
    return {path: json.dumps(held) for path, held in files.items()}, said, mine


def _encounter(luck: Random, names: list[str], place: int) -> Yaml:
    earlier = names[:place] or [names[1]]
    name, other = names[place], luck.choice([each for each in names if each != names[place]])
    weights = (0, 0.5, 1, 4, 20, {"by_depth": {1: 0, 3: 8}}, {"by_depth": {1: 6, 3: 0}, "stepped": True})
    entry: Yaml = {"category": luck.choice(CATEGORIES), "prefabs": luck.choice(list(PREFABS))}
    entry |= {"placing": "accessible", "maps": {"mine": luck.choice(weights)}}
    keys: list[tuple[str, float, Yaml]] = [
        ("limit", 0.5, {"map": luck.randint(1, 3)}),
        ("least", 0.1, {"map": 1}),
        ("group", 0.3, luck.choice(("x", "y", ["x", "y"]))),
        ("requires", 0.15 * (place > 0), luck.choice(earlier)),
        ("conflicts", 0.2, other),
        ("guaranteed", 0.1, True),
        ("fallback", 0.3 * (place > 0), luck.choice(earlier)),
        ("near", 0.1, {luck.choice((*CATEGORIES, other, name, "x")): 99}),
        ("depth", 0.1, luck.choice(("2..", "1..3", "3.."))),
    ]
    entry |= {key: value for key, share, value in keys if luck.random() < share}
    if entry.get("requires") == entry.get("conflicts"):
        entry.pop("conflicts", None)
    return entry


def _limit_worlds(luck: Random, said: dict[str, Yaml], most: int) -> None:
    """Limit some encounters to so many in the world, but to no more than the map can have, come what may."""
    coming = sum("guaranteed" in entry or "least" in entry for entry in said.values())
    for entry in said.values():
        alone = not entry.keys() & {"group", "conflicts", "requires", "least", "guaranteed", "near"}
        if coming < most and alone and luck.random() < 0.3:
            coming += 1
            entry["limit"] = entry.get("limit", {}) | {luck.choice(("world", "branch")): 1}


def weight(said: Yaml) -> float:
    """Return a weight at the depth of the map."""
    if not isinstance(said, dict):
        return float(said)
    (_, low), (_, high) = said["by_depth"].items()
    return low if said.get("stepped") else (low + high) / 2


class Lots:
    """One draw of what the map is due.

    Args:
        luck: What decides.
        said: The encounters.
        mine: The map.

    Attributes:
        drawn: Who has come, in order; an empty name for a turn at which nothing does.
    """

    def __init__(self, luck: Random, said: dict[str, Yaml], mine: Yaml) -> None:
        self.luck, self.said, self.mine = luck, said, mine
        self.drawn: list[str] = []
        self.weights = {
            name: weight(entry["maps"]["mine"]) for name, entry in said.items() if at_depth(entry)
        }
        self.weights = {name: each for name, each in self.weights.items() if each > 0}
        sure = [name for name in self.weights if "guaranteed" in said[name]]
        self.guaranteed = {each for name in sure for each in self.needs(name)}
        self.owed: Counter[str] = Counter()
        for name in self.weights:
            copies = max(
                self.shared(name), said[name].get("least", {}).get("map", 0), name in self.guaranteed
            )
            if copies:
                self.owed[name] = max(self.owed[name], copies)
                self.owed |= Counter(dict.fromkeys(self.needs(name), 1))
        least = {category: int(span.split("..")[0]) for category, span in mine.get("mix", {}).items()}
        self.lacking = Counter({category: count for category, count in least.items() if count})
        self.rates = self.weights | {"": self.mine["nothing"]}
        self.coming = {name: (luck.expovariate(rate), 1) for name, rate in self.rates.items() if rate > 0}
        self.run()

    def needs(self, name: str) -> Iterator[str]:
        """Yield an encounter and all that must be there for it, as far as it can be."""
        if name in self.weights:
            yield name
            if other := self.said[name].get("requires"):
                yield from self.needs(other)

    def shared(self, name: str) -> int:
        """Return how many copies the world gives to its only map."""
        limit = self.said[name].get("limit", {})
        return max(limit.get("world", 0), limit.get("branch", 0))

    def most(self, name: str) -> float:
        """Return how many copies the map may have."""
        return min(self.said[name].get("limit", {"map": float("inf")}).values())

    def run(self) -> None:
        """Let one after the other come, as they arrive."""
        waiting: dict[str, int] = {}
        now = 0.0
        while (name := self.next()) is not None:
            is_sure = self.rank(name)[0] == 0
            now, number = self.coming.pop(name)
            if name and self.drawn.count(name) >= self.most(name):
                continue
            if name and self.waits(name):
                waiting[name] = number
                continue
            taking = self.whoever_can(name, is_sure=is_sure)
            if taking is None:
                continue
            self.drawn.append(taking)
            if taking:
                self.lacking -= Counter({self.said[taking]["category"]: 1})
            if taking == name and (not name or number < self.most(name)):
                self.coming[name] = now + self.luck.expovariate(self.rates[name]), number + 1
            for each in [each for each in waiting if not self.waits(each)]:
                self.coming[each] = now, waiting.pop(each)

    def next(self) -> str | None:
        """Return whose turn it is; None if there are enough, or nobody is left."""
        able = [name for name in self.coming if self.rank(name)[0] == 0 or not self.is_kept(name)]
        if not able:
            self.lacking.clear()
            able = [*self.coming]
        if self.left <= 0:
            able = [name for name in able if self.rank(name)[0] == 0]
        return min(able, key=self.rank, default=None)

    def rank(self, name: str) -> tuple[int, float]:
        """Return how urgent a turn is, then when it comes."""
        time, number = self.coming[name]
        if number > self.owed[name]:
            return 2, time
        return (0 if name in self.guaranteed else 1), time

    @property
    def left(self) -> int:
        """How many turns are left."""
        return int(self.mine["encounters"]) - len(self.drawn)

    def is_kept(self, name: str) -> bool:
        """Tell whether all turns that are left are for categories that the map still lacks."""
        kept = bool(self.lacking) and self.lacking.total() >= self.left
        return kept and (not name or self.said[name]["category"] not in self.lacking)

    def waits(self, name: str) -> bool:
        """Tell whether an encounter requires one that is not there, or is to be near to one."""
        entry, there = self.said[name], [self.said[other] | {"name": other} for other in self.drawn if other]
        known = [{each["name"], each["category"], *groups(each)} for each in there]
        is_alone = any(not any(word in words for words in known) for word in entry.get("near", ()))
        return is_alone or entry.get("requires", "") not in ("", *self.drawn)

    def whoever_can(self, name: str, *, is_sure: bool) -> str | None:
        """Return who comes at a turn: who arrives, or who stands in; None if nobody can."""
        taking: str | None = name
        while taking and self.is_refused(taking, is_sure=is_sure):
            taking = self.said[taking].get("fallback")
            if taking is None:
                return None
            entry = self.said[taking]
            is_full = self.drawn.count(taking) >= self.most(taking)
            if not at_depth(entry) or is_full or self.waits(taking) or (not is_sure and self.is_kept(taking)):
                return None
        return taking

    def is_refused(self, name: str, *, is_sure: bool) -> bool:
        """Tell whether those that are there, the mix or the budget keep an encounter off."""
        entry, there = self.said[name], [each for each in self.drawn if each]
        for other in there:
            rival = self.said[other]
            is_shunned = entry.get("conflicts") == other or rival.get("conflicts") == name
            if other != name and (is_shunned or groups(entry) & groups(rival)):
                return True
        if is_sure:
            return False
        category = entry["category"]
        if category in self.mine.get("mix", {}):
            high = int(self.mine["mix"][category].split("..")[1])
            if sum(self.said[other]["category"] == category for other in there) >= high:
                return True
        return any(
            sum(BRINGS[self.said[each]["prefabs"]].get(stake, 0) for each in (*there, name)) > amount
            for stake, amount in self.mine.get("budget", {}).items()
            if BRINGS[entry["prefabs"]].get(stake)
        )


def groups(entry: Yaml) -> set[str]:
    """Return the groups of an encounter."""
    return {*entry.get("group", ())}


def at_depth(entry: Yaml) -> bool:
    """Tell whether an encounter may come at the depth of the map."""
    low, _, high = entry.get("depth", "0..").partition("..")
    return int(low) <= DEPTH <= int(high or DEPTH)


def parted(odds: Mapping[str, DrawnOdds], draws: Sequence[list[str]]) -> list[tuple[str, str]]:
    """Return where the 99.9 % intervals of odds and of draws by lot lie apart: encounter, and what of it."""
    found = []
    for name, told in odds.items():
        counts = {
            "first": [each[:1] == [name] for each in draws],
            "drawn": [name in each for each in draws],
            "copies": [each.count(name) for each in draws],
        }
        for what, samples in counts.items():
            mean, squares = fmean(samples), sum(each * each for each in samples)
            estimate: Estimate = getattr(told, what)
            seldom = Z * Z / len(draws)  # what has not been seen may still come
            margin_of_both = margin(sum(samples), squares, len(draws)) + seldom + estimate.margin
            if abs(mean - estimate.value) > margin_of_both:
                found.append((name, what))
    return found
