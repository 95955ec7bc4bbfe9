"""The mix of categories and the budgets of threat and worth of a map, over random contents."""

from collections import Counter
from random import Random
from statistics import mean

import pytest
import yaml
from drawn import load

import dungeon

KINDS = ("fluff", "risk", "danger", "reward")
OBJECTS = {
    "objects/robots.yaml": """
        rat: {name: rat, glyph: r, class: pest, depth: 0, threat: 1}
        hound: {name: hound, glyph: h, class: pest, depth: 3, threat: 4}
        """,
    "objects/traps.yaml": "snare: {name: snare, glyph: '^', threat: 2}\n",
    "objects/items.yaml": "coin: {name: coin, glyph: '$', worth: 3}\npin: {name: pin, glyph: '!'}\n",
    "objects/props.yaml": "crate: {name: crate, glyph: '='}\n",
}
STAKES = {"rat": ("threat", 1), "hound": ("threat", 4), "snare": ("threat", 2), "coin": ("worth", 3)}


def game(random):
    """Return the files of a game, the threat and worth of each encounter, and the map as YAML."""
    prefabs, said = {}, {}
    for number in range(random.randint(3, 8)):
        tags = random.choices(["rat", "snare", "coin", "pin"], k=random.randint(0, 4))
        kinds = {"rat": "robot", "snare": "trap", "coin": "item", "pin": "item"}
        legend = {str(place): {kinds[tag]: tag} for place, tag in enumerate(tags)}
        prefabs[f"p{number}"] = {"map": "".join(legend) + "."} | ({"legend": legend} if legend else {})
        said[f"e{number}"] = {
            "category": random.choice(KINDS),
            "prefabs": f"p{number}",
            "placing": "accessible",
            "maps": {"mine": random.randint(1, 5)},
        }
    mix = {kind: sorted(random.choices(range(4), k=2)) for kind in random.sample(KINDS, random.randint(0, 3))}
    there = {entry["category"] for entry in said.values()}
    mix = {kind: [low if kind in there else 0, high] for kind, (low, high) in mix.items()}
    mine = {
        "name": "Mine",
        "encounters": max(sum(low for low, _ in mix.values()), random.randint(0, 7)),
        "mix": {kind: f"{low}..{high}" for kind, (low, high) in mix.items()},
        "budget": {
            stake: {"by_depth": {1: random.randint(0, 6), 3: random.randint(6, 20)}}
            for stake in random.sample(["threat", "worth"], random.randint(0, 2))
        },
    }
    files = {
        **OBJECTS,
        "prefabs/p.yaml": yaml.safe_dump(prefabs),
        "encounters/e.yaml": yaml.safe_dump(said),
        "maps/m.yaml": yaml.safe_dump({"mine": mine}),
        "world.yaml": "start: mine/1\nleads_to: {mine/1: [mine/2], mine/2: [mine/3]}\n",
    }
    return files, said, mine


@pytest.mark.parametrize("number", range(10))
def test_levels_have_what_their_map_may_have(tmp_path, number):
    files, said, mine = game(Random(number))
    content = load(tmp_path, files)
    for seed in range(2):
        world = dungeon.World(content, seed)
        for node in world.maps:
            level = world.level(node.id)
            found = Counter(said[each.encounter]["category"] for each in level.placements)
            for kind, span in mine["mix"].items():
                low, high = map(int, span.split(".."))
                assert found[kind] <= high
                refused = any("budget" in each.reason or "will do" in each.reason for each in level.journal)
                assert found[kind] >= low or refused
            for stake, amount in mine["budget"].items():
                low, high = amount["by_depth"].values()
                brought = [STAKES.get(each.tag, ("", 0)) for each in level.spawns]
                total = sum(worth for name, worth in brought if name == stake)
                assert total <= low + (high - low) * (node.depth - 1) / 2


def test_turns_are_kept_for_what_the_map_must_have(tmp_path):
    common = "{category: fluff, prefabs: one, placing: accessible, maps: {mine: 1000}}"
    rare = "{category: reward, prefabs: one, placing: accessible, maps: {mine: 0.001}}"
    files = {
        "prefabs/p.yaml": 'one: {map: "."}\n',
        "encounters/e.yaml": f"common: {common}\nrare: {rare}\n",
        "maps/m.yaml": "mine: {name: Mine, encounters: 4, nothing: 5000, mix: {reward: 2..}}\n",
        "world.yaml": "start: mine/1\n",
    }
    content = load(tmp_path, files)
    for seed in range(10):
        level = dungeon.World(content, seed).level("mine/1")
        assert sum(each.encounter == "rare" for each in level.placements) == 2


PREFABS = {
    "plain": {"map": "abb", "legend": {"a": {"robot": "rat"}, "b": {"item": "coin"}}},
    "chancy": {
        "map": "abb",
        "legend": {"a": {"robot": "hound", "chance": "25%"}, "b": {"item": ["coin", "pin"]}},
    },
    "classy": {
        "map": "a.b",
        "legend": {"a": {"robot": {"class": "pest"}}, "b": {"robot": {"class": "pest"}, "strong": True}},
    },
    "one_of": {
        "map": "abc",
        "legend": {
            "a": {"robot": "hound", "group": "g", "weight": 3},
            "b": {"trap": "snare", "group": "g"},
            "c": {"item": "coin", "group": "h"},
        },
    },
    "varied": {
        "map": "xx..yy",
        "legend": {"a": {"robot": "rat"}, "t": {"trap": "snare"}},
        "vary": [{"substitute": "x", "with": {"a": 1, "t": 1}}, {"substitute": "y", "with": ["t", "."]}],
    },
}


@pytest.mark.parametrize("name", PREFABS)
@pytest.mark.parametrize("depth", [1, 2])
def test_costs_are_what_prefabs_bring_on_average(tmp_path, name, depth):
    prefabs = yaml.safe_dump({name: PREFABS[name]})
    content = load(
        tmp_path,
        {**OBJECTS, "prefabs/p.yaml": prefabs, "maps/m.yaml": "m: {name: M}\n", "world.yaml": "start: m/1\n"},
    )
    expected = content.costs.of_prefab(content.prefabs[name], depth)
    rolls = [
        Counter(
            STAKES.get(each.tag)
            for each in dungeon.sample_prefab(content, name, number=number, depth=depth).spawns
        )
        for number in range(300)
    ]
    for stake in ("threat", "worth"):
        found = [
            sum(key[1] * count for key, count in roll.items() if key and key[0] == stake) for roll in rolls
        ]
        assert mean(found) == pytest.approx(expected.get(stake, 0), rel=0.25, abs=0.05)


def test_content_counts_only_at_its_depths(tmp_path):
    rats = "e: {category: danger, maps: {m: 1}, placing: free, content: [{robot: rat, count: 2}, {robot: rat, depth: 2..}]}\n"
    files = {"encounters/e.yaml": rats, "maps/m.yaml": "m: {name: M}\n", "world.yaml": "start: m/1\n"}
    costs = load(tmp_path, {**OBJECTS, **files}).costs
    one = costs.of_encounter("e", 1)["threat"]
    assert costs.of_encounter("e", 2)["threat"] == one * 1.5
