"""What the world gives to a map comes there, whoever else is given to maps, and whoever must be there for it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from drawn import write

import dungeon

if TYPE_CHECKING:
    from pathlib import Path

WORLDS = 25

FILES = {
    "world.yaml": "start: a/1\nleads_to: {a/1: b/2, b/2: c/3}\n",
    "prefabs/spot.yaml": "spot: {map: '.'}\n",
    "maps/all.yaml": "".join(
        f"{name}: {{name: Map, size: 60x40, encounters: {count}}}\n"
        for name, count in (("a", 5), ("b", 5), ("c", 5), ("one", 1))
    ),
}


def entry(name: str, maps: str, category: str = "reward", more: str = "") -> str:
    return f"{name}: {{category: {category}, prefabs: spot, placing: accessible, maps: {{{maps}}}{more}}}\n"


PILE = entry("pile", "a: 5, b: 5, c: 5, one: 5", "fluff")


def worlds(folder: Path, encounters: str, **changed: str) -> list[dict[str, Counter[str]]]:
    """Return, for each of some worlds, map -> the encounters on it; every level has been proved."""
    files = FILES | {f"{name.replace('__', '/')}.yaml": text for name, text in changed.items()}
    content = dungeon.load_content(write(folder, files | {"encounters/all.yaml": encounters}))
    found = []
    for seed in range(WORLDS):
        world = dungeon.World(content, seed)
        levels = {node.id: world.level(node.id) for node in world.maps}
        assert not [fault for level in levels.values() for fault in dungeon.prove(level, world)]
        found.append(
            {key: Counter(each.encounter for each in level.placements) for key, level in levels.items()}
        )
    return found


def times(found: list[dict[str, Counter[str]]], name: str) -> Counter[str]:
    """Return map -> how many copies of an encounter it had in all worlds."""
    return sum((Counter({key: there[name]}) for each in found for key, there in each.items()), Counter())


ONCE = ", limit: {world: 1}"


@pytest.mark.parametrize(
    ("encounters", "where"),
    [
        pytest.param(entry("crown", "a: 1, b: 1", more=ONCE + ", near: {fluff: 80}") + PILE, "ab", id="near"),
        pytest.param(
            entry("crown", "a: 1, b: 1", more=ONCE + ", near: {guard: 80}")
            + entry("guard", "b: 1", "danger", ", least: {map: 1}")
            + PILE,
            "b",
            id="near to one who is elsewhere",
        ),
        pytest.param(
            entry("crown", "b: 1, c: 1", more=ONCE + ", requires: guard")
            + entry("guard", "a: 1, b: 1", "danger", ", limit: {map: 1, world: 2}")
            + PILE,
            "b",
            id="requires what the world gives",
        ),
        pytest.param(
            entry("crown", "b: 1, c: 1", more=ONCE + ", requires: guard")
            + entry("guard", "b: 1", "danger", ", group: {world: guards}, least: {map: 1}")
            + entry("other", "a: 1", "danger", ", group: {world: others}")
            + PILE,
            "b",
            id="requires what has a group of the world",
        ),
        pytest.param(
            entry("crown", "a: 1", more=ONCE + ", guaranteed: true, group: {world: gems}")
            + entry("orb", "a: 9, b: 9", more=ONCE + ", group: {world: gems}")
            + PILE,
            "a",
            id="guaranteed in a group of the world",
        ),
    ],
)
def test_what_the_world_has_once_comes_in_every_world(tmp_path, encounters, where):
    found = worlds(tmp_path, encounters)
    crowns = times(found, "crown")
    assert crowns.total() == WORLDS
    assert {key[0] for key in +crowns} == {*where}


def test_a_map_whose_only_turn_is_taken_is_promised_nothing_more(tmp_path):
    heaps = entry("heap", "one: 20, b: 1", "fluff", ", least: {map: 1}, group: {world: heaps}")
    found = worlds(
        tmp_path,
        heaps + entry("crown", "one: 1, b: 1", more=ONCE) + PILE,
        world="start: one/1\nleads_to: {one/1: b/2}\n",
    )
    assert times(found, "heap")["one/1"] == WORLDS
    assert +times(found, "crown") == {"b/2": WORLDS}


def test_a_map_without_the_zone_is_promised_nothing_for_it(tmp_path):
    cards = "{cards: {cell: 9x7, zones: {loft: {count: 9}, eaves: {count: 6}}}}"
    maps = FILES["maps/all.yaml"] + f"works: {{name: Works, size: 110x64, encounters: 4, layout: {cards}}}\n"
    found = worlds(
        tmp_path,
        entry("crown", "a: 1, works: 1", more=ONCE + ", zones: loft")
        + PILE
        + entry("heap", "works: 3", "fluff"),
        maps__all=maps,
        world="start: a/1\nleads_to: {a/1: works/2}\n",
    )
    assert +times(found, "crown") == {"works/2": WORLDS}
    world = dungeon.World(dungeon.load_content(tmp_path), 3)
    (case,) = (each for each in world.why("a/1") if each.encounter == "crown")
    assert (case.outcome, case.reason) == ("impossible", "only in loft, and a has no such zone")


def test_what_can_not_come_brings_nobody_along(tmp_path):
    some = PILE + entry("heap", "a: 1, b: 1", "fluff") + entry("guard", "b: 1", "danger")
    more = entry("crown", "a: 1", more=", least: {map: 1}, requires: [heap, guard]")
    plain, other = worlds(tmp_path / "plain", some), worlds(tmp_path / "more", some + more)
    assert [each["a/1"] for each in other] == [each["a/1"] for each in plain]
    assert times(plain, "heap")["a/1"] < WORLDS  # else it would be there come what may


def test_who_is_to_be_near_another_waits_for_it(tmp_path):
    """It comes to each level on which there is one, though its own turn comes long before."""
    guard = entry("guard", "a: 99, b: 99, c: 99", "danger", ", near: {pile: 80}, limit: {map: 1}")
    found = worlds(tmp_path, guard + PILE)
    assert times(found, "guard") == dict.fromkeys(("a/1", "b/2", "c/3"), WORLDS)
    lone = worlds(tmp_path / "lone", guard.replace("pile", "heap") + PILE + entry("heap", "b: 9", "fluff"))
    there = sum(each["b/2"]["heap"] > 0 for each in lone)
    assert (+times(lone, "guard")).keys() == {"b/2"}
    assert there - 5 < times(lone, "guard")["b/2"] <= there  # some heaps have the last turn that there is


@pytest.mark.parametrize("first", ["vault", "cellar"])
def test_a_branch_is_entered_from_any_map_wherever_it_stands_in_the_file(tmp_path, first):
    branches = {
        "vault": "  vault: {depths: 4, entered_from: [hub/1, cellar/2..3]}\n",
        "cellar": "  cellar: {depths: 2..3, entered_from: hub/1}\n",
    }
    order = [first, *(each for each in branches if each != first)]
    text = "start: hub/1\nmaps:\n  hub: 1\n" + "".join(branches[each] for each in order)
    files = {
        "world.yaml": text + "leads_to: {cellar/2: cellar/3}\n",
        "maps/all.yaml": "".join(
            f"{name}: {{name: Map, size: 60x40}}\n" for name in ("hub", "cellar", "vault")
        ),
    }
    content = dungeon.load_content(write(tmp_path, files))
    mouths = Counter(
        node.id
        for seed in range(300)
        for node in dungeon.World(content, seed).maps
        if "vault/4" in node.leads_to
    )
    assert mouths.keys() == {"hub/1", "cellar/2", "cellar/3"}
    assert min(mouths.values()) > 60
