"""Limits, minimums, groups and company of encounters, over contents that are made by chance.

What has been placed is held against the YAML as it is written, with no help from the code that draws encounters.
"""

import re
from collections import Counter
from random import Random

import pytest
import yaml
from drawn import load

import dungeon

MAPS = ("mine", "city")
WORLD = "start: mine/1\nleads_to: {mine/1: [mine/2, city/2], mine/2: [mine/3], city/2: [city/3]}\n"


def encounters(random):
    """Return encounters as an author might write them, each with some of the keys that say how often it comes."""
    names = [f"e{number}" for number in range(random.randint(3, 8))]
    found = {}
    for place, name in enumerate(names):
        entry = {
            "category": "fluff",
            "prefabs": random.choice(["one", ["one", "two"], {"one": 3, "two": 1}]),
            "placing": "accessible",
            "maps": {
                each: random.choice([1, 3, {"by_depth": {1: 0, 3: 4}}])
                for each in MAPS
                if random.random() < 0.8
            },
        }
        entry["maps"] = entry["maps"] or {"mine": 2}
        others = [each for each in names if each != name]
        keys = [
            ("limit", 0.5, {random.choice(["map", "branch", "world"]): random.randint(1, 3)}),
            ("least", 0.2, {random.choice(["map", "world"]): 1}),
            ("group", 0.3, {random.choice(["map", "branch", "world"]): [random.choice("ab")]}),
            (
                "requires",
                0.15,
                random.choice(names[: max(place, 1)]),
            ),  # an earlier one: none waits for itself
            ("conflicts", 0.15, random.choice(others)),
            ("guaranteed", 0.1, True),
            ("fallback", 0.2, random.choice(names[: max(place, 1)])),
        ]
        entry |= {key: value for key, share, value in keys if random.random() < share and value != name}
        if entry.get("requires") == entry.get("conflicts"):
            entry.pop("conflicts", None)
        found[name] = entry
    return found


def game(random):
    """Return the files of a game, and its encounters as they are written."""
    said = encounters(random)
    maps = {
        name: {
            "name": name,
            "size": "50x30",
            "encounters": random.randint(0, 7),
            "nothing": random.choice([0, 0, 2]),
        }
        for name in MAPS
    }
    files = {
        "prefabs/p.yaml": 'one: {map: "."}\ntwo: {map: ".."}\n',
        "encounters/e.yaml": yaml.safe_dump(said, sort_keys=False),
        "maps/m.yaml": yaml.safe_dump(maps),
        "world.yaml": WORLD,
    }
    return files, said


def weight(entry, name, depth):
    """Return the weight of an encounter on a map."""
    said = entry["maps"].get(name, 0)
    return said if isinstance(said, int) else 4 * min(max(depth - 1, 0), 2) / 2


def groups(entry, scope):
    """Return the groups of an encounter within map, branch or world."""
    return entry.get("group", {}).get(scope, [])


def objections(said, levels):
    """Yield what is wrong with the levels of a world: id -> the encounters on it, and those that were refused."""
    for scope, places in (
        *(("map", [place]) for place in levels),
        *(("branch", [place for place in levels if place.startswith(name)]) for name in MAPS),
        ("world", [*levels]),
    ):
        there = Counter(name for place in places for name in levels[place][0])
        for name, count in there.items():
            if count > said[name].get("limit", {}).get(scope, count):
                yield f"{count} {name} in {places}"
        for group in "ab":
            if len([name for name in there if group in groups(said[name], scope)]) > 1:
                yield f"group {group} in {places}: {there}"
    for place, (there, refused) in levels.items():
        yield from alone(said, place, there, refused)
    for name, entry in said.items():
        total = sum(there.count(name) for there, _ in levels.values())
        wanted = entry.get("least", {}).get("world", 0)
        was_refused = any(name in refused for _, refused in levels.values())
        if total < wanted and not was_refused and not entry.get("group") and not crowded(said, levels, name):
            yield f"{total} {name}, and least {wanted}"


def crowded(said, levels, name):
    """Tell whether a level to which an encounter may have been given has nothing but what may come before it."""
    able = [place for place in levels if weight(said[name], place[:-2], int(place[-1]))]
    promised = {each for each in said if said[each].keys() & {"least", "limit", "guaranteed"}}
    return not able or any(set(levels[place][0]) <= promised for place in able)


def alone(said, place, there, refused):
    """Yield what is wrong with one level by itself."""
    stand_ins = {entry.get("fallback") for entry in said.values()}
    for name in there:
        entry = said[name]
        if not weight(entry, place[:-2], int(place[-1])) and name not in stand_ins:
            yield f"{name} on {place}"
        if "requires" in entry and entry["requires"] not in there:
            yield f"{name} without {entry['requires']}"
        if entry.get("conflicts") in there:
            yield f"{name} with {entry['conflicts']}"
    for name, entry in said.items():
        shared = {"branch", "world"} & {*entry.get("limit", {}), *entry.get("group", {})}
        if entry.get("guaranteed") and not shared and weight(entry, place[:-2], int(place[-1])):
            chain = [name]
            while chain[-1]:
                chain.append(said[chain[-1]].get("fallback"))
            if not {*there} & {*chain}:
                yield f"{place} without {name}"


def made(content, said, seed):
    """Return the levels of a world: id -> the encounters on it, and those that were refused; None if it can't be made."""
    world = dungeon.World(content, seed)
    levels = {}
    try:
        for node in world.maps:
            level = world.level(node.id)
            assert dungeon.prove(level, world) == []
            refused = {each.subject for each in level.journal if each.verdict == "refused"}
            levels[node.id] = [each.encounter for each in level.placements], refused
    except dungeon.GenerationError as error:
        name = re.search(r"(e\d) is guaranteed, and can't be placed: ", str(error))[1]
        assert any(entry.get("guaranteed") for entry in said.values())
        assert name in said
        return None
    return levels


PARTS, CONTENTS, WORLDS = 2, 14, 2
"""96 worlds of 48 contents, some of which can't be made."""


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_authors_say_of_how_often_is_kept(tmp_path, part):
    met, failed = Counter(), 0
    for number in range(part * CONTENTS, (part + 1) * CONTENTS):
        files, said = game(Random(number))
        content = load(tmp_path / str(number), files)
        for seed in range(number, number + WORLDS):
            levels = made(content, said, seed)
            if levels is None:
                failed += 1
                continue
            assert [*objections(said, levels)] == [], (number, seed)
            for there, _ in levels.values():
                met.update(key for name in there for key in said[name])
    assert {"limit", "least", "group", "requires", "conflicts", "guaranteed", "fallback"} <= met.keys()
    assert failed < CONTENTS * WORLDS / 4


def test_the_check_finds_what_is_wrong():
    said = {
        "a": {"maps": {"mine": 1}, "limit": {"branch": 1}, "group": {"world": ["a"]}},
        "b": {"maps": {"mine": 1}, "requires": "c", "conflicts": "a", "group": {"world": ["a"]}},
        "c": {"maps": {"mine": 1}, "guaranteed": True},
    }
    right = {"mine/1": (["a", "c"], set()), "mine/2": (["c"], set())}
    assert [*objections(said, right)] == []
    for wrong, count in (("aac", 1), ("abc", 2), ("a", 1), ("b", 2)):
        assert len([*objections(said, right | {"mine/1": ([*wrong], set())})]) >= count, wrong
