"""Games in which encounters declare whatever they can, and what is wrong with their worlds by the YAML alone.

All keys come together: limits, minimums, groups and company within map, branch and world, distances, mixes and budgets, depths,
variants, zones and numbers of doors, in worlds of branches with maps of several types, some of which some worlds lack. For the tests
and for `tests/fuzzing/declared_worlds.py`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from operator import mul
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lots import BRINGS, CATEGORIES, PREFABS
from test_spacing import objections as too_near_or_far

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

    import dungeon

Yaml = Any
"""What a YAML file holds."""

Levels = dict[str, tuple[str, "dungeon.Level"]]
"""Map id -> its type, and the level."""

MAPS = ("mine", "city")
ZONES = ("hall", "deep")
WORLD = {
    "start": "trunk/1",
    "maps": {
        "trunk": {"depths": "1..3", "maps": {"mine": 2, "city": 1}},
        "side": {"depths": "2..3", "maps": {"city": 1}, "chance": "70%", "entered_from": "trunk/1..2"},
    },
    "leads_to": {"trunk/*": "trunk/+1", "side/2": "side/3"},
}
LAYOUTS: tuple[Yaml, ...] = (
    {"tunnels": {"rooms": 14}},
    {"caves": {"cave": "30..90"}},
    {"connected": {"rooms": 16, "side": "5..8"}},
)
ANY = 10**6


def game(luck: Random) -> tuple[dict[str, str], dict[str, Yaml], dict[str, Yaml]]:
    """Return the files of a game, its encounters, and its maps."""
    maps = {name: _map(luck) for name in MAPS}
    maps["city"]["layout"] = {"patchwork": {"zones": {zone: {"layout": "tunnels"} for zone in ZONES}}}
    maps["city"]["size"] = "90x44"
    names = [f"e{number}" for number in range(luck.randint(4, 12))]
    caves = "caves" in maps["mine"]["layout"]
    said = {name: _encounter(luck, names, place, caves=caves) for place, name in enumerate(names)}
    files: Yaml = {
        "objects/items.yaml": {"coin": {"name": "coin", "glyph": "$", "worth": 3}},
        "objects/robots.yaml": {"rat": {"name": "rat", "glyph": "r", "threat": 2}},
        "objects/debris.yaml": {"dust": {"name": "dust", "glyph": ":"}},
        "prefabs/all.yaml": PREFABS,
        "encounters/all.yaml": said,
        "maps/all.yaml": maps,
        "world.yaml": WORLD,
    }
    return {path: json.dumps(held) for path, held in files.items()}, said, maps


def _map(luck: Random) -> Yaml:
    told: Yaml = {"name": "Map", "size": "64x40", "layout": luck.choice(LAYOUTS)}
    told["encounters"] = luck.choice((0, 2, 4, 7, 9))
    if luck.random() < 0.3:
        told["nothing"] = luck.choice((1, 5))
    if told["encounters"] and luck.random() < 0.4:
        least = luck.randint(0, 1)
        told["mix"] = {luck.choice(CATEGORIES): f"{least}..{least + luck.randint(0, 2)}"}
    if luck.random() < 0.3:
        told["budget"] = {luck.choice(("threat", "worth")): luck.choice((0, 3, 6, 10))}
    return told


def _encounter(luck: Random, names: list[str], place: int, *, caves: bool) -> Yaml:
    name, earlier = names[place], names[:place]
    mode = luck.choice(("centered", "embedded") if caves else ("enclosed", "accessible"))
    where = ["mine"] if caves else luck.choice((["mine"], ["city"], [*MAPS]))
    entry: Yaml = {
        "category": luck.choice(CATEGORIES),
        "prefabs": luck.sample(list(PREFABS), luck.randint(1, 2)),
        "placing": mode,
        "maps": {each: luck.choice((1, 4, {"by_depth": {1: 0, 3: 4}})) for each in where},
    }
    if mode == "accessible" and luck.random() < 0.3:
        entry["access"] = luck.choice(("1", "1..2", "2.."))
    if where == ["city"] and luck.random() < 0.7:
        entry["zones"] = luck.choice(ZONES)
    words = (*names, *CATEGORIES, "entrance", "exits")
    scopes = ("map", "branch", "world")
    keys: list[tuple[str, float, Yaml]] = [
        ("depth", 0.1, luck.choice(("2..", "1..2", "2..3"))),
        ("limit", 0.5, {luck.choice(scopes): luck.randint(1, 3) for _ in range(2)}),
        ("least", 0.2, {luck.choice(("map", "world")): 1}),
        ("group", 0.3, {luck.choice(scopes): luck.choice("xy")}),
        ("requires", 0.3 * bool(earlier), luck.choice(earlier or names)),
        ("conflicts", 0.2, luck.choice(names)),
        ("guaranteed", 0.04, True),
        ("fallback", 0.2 * bool(earlier), luck.choice(earlier or names)),
        ("far_from", 0.2, {luck.choice(words): luck.choice((3, 8, 14))}),
        ("near", 0.25, {luck.choice(words): luck.choice((14, 30))}),
        ("variants", 0.3, _variants(luck)),
    ]
    entry |= {key: value for key, share, value in keys if luck.random() < share and value != name}
    if entry.get("requires") == entry.get("conflicts"):
        entry.pop("conflicts", None)
    return entry


def _variants(luck: Random) -> Yaml:
    return {
        "plain": {"weight": luck.randint(1, 3)},
        "rich": {"prefabs": "coin", "weight": {"by_depth": {1: 0, 3: 4}}},
        "late": {"prefabs": ["rat"], "content": [{"debris": "dust", "count": 2}], "weight": 2},
    }


def weight(said: Yaml, depth: int) -> float:
    """Return a weight at a depth from 1 to 3."""
    return float(said) if not isinstance(said, dict) else 4 * (depth - 1) / 2


def span(said: Yaml) -> tuple[int, int]:
    """Return the least and the most of a span as it is written."""
    low, dots, high = str(said).partition("..")
    return int(low or 0), int(high or ANY) if dots else int(low)


def of_scope(entry: Yaml, scope: str) -> set[str]:
    """Return the groups of an encounter within map, branch or world."""
    return {*entry.get("group", {}).get(scope, "")}


def objections(said: dict[str, Yaml], maps: dict[str, Yaml], levels: Levels) -> Iterator[str]:
    """Yield what is wrong with the levels of a world."""
    for place, (kind, level) in levels.items():
        found = [*_on_level(said, maps[kind], kind, level), *_of_placements(said, kind, level)]
        yield from (f"{place}: {told}" for told in (*found, *_company(said, level)))
        flat = {
            name: {"far_from": {}, "near": {}, **entry, "group": dict(entry.get("group", {}))}
            for name, entry in said.items()
        }
        yield from (f"{place}: {told}" for told in too_near_or_far(flat, level))
    branches = defaultdict(list)
    for place in levels:
        branches[place.split("/")[0]].append(place)
    for scope, parts in (
        ("map", [[each] for each in levels]),
        ("branch", [*branches.values()]),
        ("world", [[*levels]]),
    ):
        for places in parts:
            there = Counter(each.encounter for place in places for each in levels[place][1].placements)
            yield from (f"{', '.join(places)}: {told}" for told in _together(said, scope, there))
    yield from _lacking(said, maps, levels)


def _together(said: dict[str, Yaml], scope: str, there: Counter[str]) -> Iterator[str]:
    """Yield which limits and groups the encounters of a map, a branch or the world break."""
    for name, count in there.items():
        if count > said[name].get("limit", {}).get(scope, ANY):
            yield f"{count} {name}"
    for group in "xy":
        if len(rivals := [name for name in there if group in of_scope(said[name], scope)]) > 1:
            yield f"{' and '.join(rivals)} share the group {group} of the {scope}"


def _on_level(said: dict[str, Yaml], entry: Yaml, kind: str, level: dungeon.Level) -> Iterator[str]:
    """Yield whom a level lacks, and of what it has too much."""
    there = Counter(each.encounter for each in level.placements)
    refused = {each.subject for each in level.journal if each.verdict == "refused"}
    able = [name for name, each in said.items() if can_be(each, kind, level.depth)]
    sure = [name for name in able if "guaranteed" in said[name]]
    for name in sure:
        if not {"limit", "group"} & said[name].keys() and there.keys().isdisjoint(_stand_ins(said, name)):
            yield f"no {name}"
    spared = {stand_in for name in _required(said, sure) for stand_in in _stand_ins(said, name)}
    by_chance = [name for name in there.elements() if name not in spared]
    if len(by_chance) > entry["encounters"]:
        yield f"{len(by_chance)} encounters, not {entry['encounters']}"
    yield from _amounts(said, entry, level, by_chance)
    if not entry.keys() & {"mix", "budget"} and _promised(said, able) <= entry["encounters"]:
        for name in able:
            least = said[name].get("least", {}).get("map", 0)
            if there[name] < least and name not in refused and _is_free(said[name]):
                yield f"{there[name]} {name}, not at least {least}"
    for category, wanted in entry.get("mix", {}).items():
        low, _ = span(wanted)
        count = sum(said[name]["category"] == category for name in there.elements())
        lost = [name for name in able if said[name]["category"] == category and _is_free(said[name])]
        if count < low and refused.isdisjoint(lost) and lost:
            yield f"{count} of {category}, not at least {low}"


def _amounts(
    said: dict[str, Yaml], entry: Yaml, level: dungeon.Level, by_chance: Sequence[str]
) -> Iterator[str]:
    """Yield of what a level has more than its map may have, but for what must be there."""
    for stake, amount in entry.get("budget", {}).items():
        if (cost := sum(_cost(said[name], stake, level.depth) for name in by_chance)) > amount + 1e-6:
            yield f"{stake} {cost}, not {amount}"
    for category, wanted in entry.get("mix", {}).items():
        _, high = span(wanted)
        if sum(said[name]["category"] == category for name in by_chance) > high:
            yield f"more than {high} of {category}"


def _company(said: dict[str, Yaml], level: dungeon.Level) -> Iterator[str]:
    """Yield who is on a level without whom it requires, or with whom it conflicts."""
    there = {each.encounter for each in level.placements}
    for name in there:
        if said[name].get("requires", name) not in there:
            yield f"{name} without {said[name]['requires']}"
        if said[name].get("conflicts") in there:
            yield f"{name} with {said[name]['conflicts']}"


def _of_placements(said: dict[str, Yaml], kind: str, level: dungeon.Level) -> Iterator[str]:
    """Yield what is wrong with an encounter for itself: where it is, as what, and in which variant."""
    copies: Counter[str] = Counter()
    stand_ins = {each.get("fallback") for each in said.values()}
    for placement in level.placements:
        name = placement.encounter
        copies[name] += 1
        entry = said[name]
        form = entry | entry.get("variants", {}).get(placement.variant, {})
        low, high = span(entry.get("depth", ".."))
        if kind not in entry["maps"] or not low <= level.depth <= high:
            yield f"{name} on a {kind} at depth {level.depth}"
        if not weight(entry["maps"].get(kind, 0), level.depth) and name not in stand_ins:
            yield f"{name}, of no weight"
        if (placement.variant != "") != ("variants" in entry) or not weight(
            form.get("weight", 1), level.depth
        ):
            yield f"{name} as {placement.variant!r}"
        if placement.prefab not in (*as_list(form["prefabs"]),) or placement.mode != entry["placing"]:
            yield f"{name} as {placement.prefab}, {placement.mode}"
        if (placement.category, placement.copy) != (entry["category"], copies[name]):
            yield f"{name} {placement.copy} of category {placement.category}"
        region = level.regions[placement.region - 1]
        low, high = (
            span(entry["access"])
            if "access" in entry
            else (1, 1)
            if placement.mode == "enclosed"
            else (0, ANY)
        )
        if not low <= len(region.connections) <= high:
            yield f"{name} in a room with {len(region.connections)} doors"
        zones = {zone.name: zone.regions for zone in level.zones}
        if "zones" in entry and placement.region not in zones.get(entry["zones"], ()):
            yield f"{name} out of zone {entry['zones']}"


def _lacking(said: dict[str, Yaml], maps: dict[str, Yaml], levels: Levels) -> Iterator[str]:
    """Yield what the world has too little of: where a map that could have had it had space, and turns for all that is promised."""
    for name, entry in said.items():
        least = entry.get("least", {}).get("world", 0)
        total = sum(each.encounter == name for _, level in levels.values() for each in level.placements)
        refused = any(
            each.subject == name and each.verdict == "refused"
            for _, level in levels.values()
            for each in level.journal
        )
        if total >= least or refused or not _is_free(entry):
            continue
        for kind, level in levels.values():
            able = [each for each, other in said.items() if can_be(other, kind, level.depth)]
            is_roomy = _promised(said, able) <= maps[kind]["encounters"]
            if name in able and is_roomy and not maps[kind].keys() & {"mix", "budget"}:
                yield f"{total} {name}, not at least {least}"


def _is_free(entry: Yaml) -> bool:
    """Tell whether nobody else has a say in whether an encounter comes."""
    return not entry.keys() & {"group", "requires", "conflicts", "near", "limit"}


def _promised(said: dict[str, Yaml], able: Iterable[str]) -> int:
    """Return how many copies a map may have to have, at most, whatever else there is."""
    return sum(
        sum(entry.get("limit", {}).get(scope, 0) for scope in ("branch", "world"))
        + sum(entry.get("least", {}).values())
        + ("guaranteed" in entry)
        + ("requires" in entry)
        + ("conflicts" in entry or any(other.get("conflicts") == name for other in said.values())) * ANY
        for name in able
        for entry in [said[name]]
    )


def can_be(entry: Yaml, kind: str, depth: int) -> bool:
    """Tell whether an encounter may come to a map by its weight."""
    low, high = span(entry.get("depth", ".."))
    return low <= depth <= high and weight(entry["maps"].get(kind, 0), depth) > 0


def _required(said: dict[str, Yaml], names: Iterable[str]) -> Iterator[str]:
    """Yield encounters and whatever they require."""
    for name in names:
        yield name
        if "requires" in said[name]:
            yield from _required(said, [said[name]["requires"]])


def _stand_ins(said: dict[str, Yaml], name: str) -> Iterator[str]:
    """Yield an encounter, and who comes if it can't."""
    yield name
    if "fallback" in said[name]:
        yield from _stand_ins(said, said[name]["fallback"])


def _cost(entry: Yaml, stake: str, depth: int) -> float:
    """Return what an encounter brings on average."""
    forms = [entry | form for form in entry.get("variants", {}).values()] or [entry]
    weights = [weight(form.get("weight", 1), depth) for form in forms]
    brings = [fmean(BRINGS[name].get(stake, 0) for name in as_list(form["prefabs"])) for form in forms]
    return sum(map(mul, weights, brings)) / sum(weights)


def as_list(said: Yaml) -> Sequence[str]:
    """Return one name or several as several."""
    return [said] if isinstance(said, str) else said
