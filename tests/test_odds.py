"""How often encounters are met: exact odds against brute force and against draws, what is realised, and the command."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import os
import re
import statistics
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from demo import demo_content
from drawn import load, write
from lots import sampled
from test_company import game as company_game

import dungeon
from dungeon import Cause, Estimate
from dungeon.cli import main
from dungeon.cli.odds import bar, causes_in, limit_in, number, percent
from dungeon.extend import Streams
from dungeon.generation.encounters.draw import NO_ENCOUNTER
from dungeon.generation.encounters.shares import WorldMap, share_out
from dungeon.generation.odds import realised
from dungeon.generation.odds.expected import expected
from dungeon.generation.odds.parties import Runner
from dungeon.generation.odds.race import race
from dungeon.generation.odds.realised import realise
from dungeon.generation.odds.worlds import due_on

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dungeon import Content, EncounterOdds
    from dungeon.generation.odds.odds import DrawnOdds

DATA = Path(__file__).parent.parent / "data"


def places_of(world: dungeon.World) -> list[WorldMap]:
    return [WorldMap(each.id, each.name, each.depth) for each in world.maps]


# -- races ----------------------------------------------------------------------------------------


Allied = frozenset[frozenset[str]]


def brute_force(
    parties: Sequence[Sequence[Runner]], wanted: Mapping[int, float], allied: Allied = frozenset()
) -> dict[str, list[float]]:
    """Return what `race` does, copy by copy: each is the next one's in proportion to the weights of those who may send it."""
    runners = [each for party in parties for each in party]
    found = {each.name: [0.0] * max(wanted) for each in runners}
    rivals = {
        pair
        for party in parties
        for one in party
        for other in party
        if one is not other and (pair := frozenset((one.name, other.name))) not in allied
    }

    def go_on(counts: Counter[str], limits: dict[str, int], left: int, likely: float) -> None:
        able = [
            each
            for each in runners
            if counts[each.name] < limits[each.name]
            and not any(frozenset((each.name, other)) in rivals for other in counts)
        ]
        able = [each for each in able if each.given] or able
        if not left or not able:
            for name, count in counts.items():
                for copy in range(count):
                    found[name][copy] += likely
            return
        total = sum(each.weight for each in able)
        for each in able:
            go_on(counts + Counter([each.name]), limits, left - 1, likely * each.weight / total)

    def supplies(each: Runner) -> list[tuple[int, float]]:
        """Return how many copies it may have, and how likely."""
        tails = [1.0, *each.supply, 0.0]
        return [(count, tails[count] - tails[count + 1]) for count in range(len(tails) - 1)]

    for each in itertools.product(*map(supplies, runners)):
        limits = {runner.name: count for runner, (count, _) in zip(runners, each, strict=True)}
        likely = math.prod(chance for _, chance in each)
        for count, chance in wanted.items():
            if likely:
                go_on(Counter(), limits, count, likely * chance)
    return found


def some_race(random: Random) -> tuple[list[list[Runner]], dict[int, float]]:
    """Return a small race of any kind."""
    names = map(str, itertools.count())
    rivals = [
        [
            Runner(
                name=next(names),
                weight=random.choice([0.001, 1, 1, 4, 10, 1000]),
                supply=(share := random.random(), share * random.random())[: random.randint(1, 2)]
                if given
                else (1.0,) * random.randint(0, 3),
                given=given,
            )
            for given in random.choices([False, True], [3, 1], k=random.choice([1, 1, 2, 3]))
        ]
        for _ in range(random.randint(1, 3))
    ]
    return rivals, {random.randint(0, 4): 0.25, 5: 0.75}


@pytest.mark.parametrize("seed", range(40))
def test_races_of_rivals_some_of_whom_are_allied_are_as_brute_force_tells(seed: int) -> None:
    random = Random(seed)
    parties, wanted = some_race(random)
    pairs = [
        frozenset(pair)
        for party in parties
        for pair in itertools.combinations([each.name for each in party], 2)
    ]
    allied = frozenset(pair for pair in pairs if random.random() < 0.5)
    known = brute_force(parties, wanted, allied)
    for name, chances in race(parties, wanted, allied).items():
        assert chances.tolist() == pytest.approx(known[name][: len(chances)], abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_races_are_as_brute_force_tells(seed: int) -> None:
    rivals, wanted = some_race(Random(seed))
    known = brute_force(rivals, wanted)
    for name, chances in race(rivals, wanted).items():
        assert chances.tolist() == pytest.approx(known[name][: len(chances)], abs=1e-9)
        assert not any(known[name][len(chances) :])


def test_many_copies_are_as_exact() -> None:
    endless = [
        [Runner(name=name, weight=weight, supply=(1.0,) * 60)] for name, weight in (("a", 9), ("b", 1))
    ]
    chances = race(endless, {60: 1.0})["b"]
    binomial = [math.comb(60, count) * 0.1**count * 0.9 ** (60 - count) for count in range(61)]
    assert chances.tolist() == pytest.approx([sum(binomial[count:]) for count in range(1, 61)], abs=1e-9)


@pytest.mark.parametrize("weights", [(1, 1), (1, 1e4), (1e4, 1), (20, 19)])
def test_the_first_of_rivals_sends_on_alone(weights: tuple[float, float]) -> None:
    rivals = [
        Runner(name=name, weight=weight, supply=(1.0,) * 40)
        for name, weight in zip("ab", weights, strict=True)
    ]
    found = race([rivals], {40: 1.0})
    for each in rivals:
        assert found[each.name].tolist() == pytest.approx([each.weight / sum(weights)] * 40, abs=1e-9)


def test_weights_may_be_far_apart() -> None:
    rivals = [
        Runner(name=name, weight=weight, supply=(1.0,) * 3) for name, weight in (("a", 1e6), ("b", 1.0))
    ]
    slow = [Runner(name="slow", weight=1e-5, supply=(1.0,) * 6)]
    known = brute_force([rivals, slow], {6: 1.0})
    for name, chances in race([rivals, slow], {6: 1.0}).items():
        assert chances.tolist() == pytest.approx(known[name][: len(chances)], abs=1e-9)


def test_nothing_runs_where_nothing_is_wanted() -> None:
    assert race([], {3: 1.0}) == {}
    assert race([[Runner(name="a", weight=1.0, supply=(1.0,))]], {0: 1.0})["a"].tolist() == []


# -- content --------------------------------------------------------------------------------------


def game(encounters: str, maps: str, leads_to: str = "") -> dict[str, str]:
    """Return a game of single-cell encounters on maps of this kind."""
    return {
        "weights.yaml": "never: 0\nrare: 1\ncommon: 5\n",
        "prefabs/p.yaml": f'one: {{map: "."}}\nhall: {{map: "{HALL}"}}\n',
        "encounters/e.yaml": encounters,
        "maps/m.yaml": maps,
        "world.yaml": f"start: mine/1\nleads_to: {{{leads_to}}}\n",
    }


HALL = r"\n".join(["." * 70] * 3)
CHAIN = "mine/1: [mine/2, city/2], mine/2: [city/3]"


WORLDS = {"1": 1, "2": 2, "0..3": 3, "{1: 3, 4: 1}": 4, "{value: 2, chance: 50%}": 2}
"""Limits of the world, and how many copies they allow at most."""


def chance_game(
    random: Random, *, mixed: bool = False, apart: bool = False, contended: bool = False
) -> dict[str, str]:
    """Return a game whose encounters have any weights, limits, groups and depths.

    Groups are mixed where that is said; or encounters conflict, and there are turns at which nothing comes. Where it is
    contended, a map may win more copies than it can have, or such as shut each other out.
    """
    lines = []
    counts = ["3", "2..6", "[0, 8]", "{value: 12, chance: 70%}"] if contended else ["3", "3..6", "[4, 12]"]
    left = 100 if contended else 3
    for index in range(random.randint(4, 16)):
        maps = {
            name: random.choice([0, 0.1, 1, 5, 40]) for name in random.choice([["mine"], ["mine", "city"]])
        }
        said = [
            f"category: {random.choice(['fluff', 'risk', 'danger', 'reward'])}",
            "prefabs: one",
            f"maps: {maps}",
        ]
        limits = []
        if random.random() < 0.6:
            limits.append(f"map: {random.randint(1, 3)}")
        shared = [said for said, most in WORLDS.items() if most <= left] if random.random() < 0.4 else []
        if shared:
            limits.append(f"world: {random.choice(shared)}")
            left -= WORLDS[limits[-1].removeprefix("world: ")]
        if limits:
            said.append(f"limit: {{{', '.join(limits)}}}")
        if random.random() < 0.5 and (contended or not shared):
            said.append(f"group: [{', '.join(random.sample('xyz', 2 if mixed else 1))}]")
        if random.random() < 0.3:
            said.append("depth: 2..")
        if apart and index and random.random() < 0.3:
            said.append(f"conflicts: e{random.randrange(index)}")
        lines.append(f"e{index}: {{{', '.join(said)}}}")
    maps = "".join(
        f"{name}: {{name: A Map, encounters: {random.choice(counts)}, nothing: {random.choice([0.5, 9]) if apart else 0}}}\n"
        for name in ("mine", "city")
    )
    return game("\n".join(lines), maps, CHAIN)


def parted(
    odds: dungeon.Odds, drawn: Mapping[WorldMap, Mapping[str, DrawnOdds]]
) -> list[tuple[str, str, str]]:
    """Return where exact numbers lie outside of the 99.9 % intervals of drawn ones."""
    often_on = {(place.map_id, place.name): each for place, each in drawn.items()}
    return [
        (on_map.id, each.encounter, name)
        for on_map in odds.maps
        if (on_map.id, on_map.name) in often_on  # one of the types that the map may have
        for each in on_map.encounters
        for name in ("first", "drawn", "copies")
        for exact, often in [
            (getattr(each, name), getattr(often_on[on_map.id, on_map.name][each.encounter], name))
        ]
        if abs(exact.value - often.value) > often.margin + exact.margin
    ]


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw few worlds for what is not computed, where it is not the point how well that is known."""
    monkeypatch.setattr("dungeon.generation.odds.expected.WIDTH", 0.12)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("said", [{}, {"mixed": True}, {"contended": True}])
@pytest.mark.parametrize("seed", range(2))
def test_the_odds_are_what_draws_come_to(tmp_path: Path, seed: int, said: dict[str, bool]) -> None:
    """What is drawn anyway, and not computed, is compared with more draws."""
    world = dungeon.World(load(tmp_path, chance_game(Random(seed), **said)))
    odds = world.odds()
    assert said or odds.samples == 0
    assert parted(odds, sampled(world.content, places_of(world), 400)) == []


ONCE = {
    "written_off",
    "pinned_down",
    "hidden_cache",
    "crib_of_tools",
    "lid_archive",
    "kettle_hoard",
    "pay_office",
}
"""Rewards of which a map may have to refuse one."""


def without_budgets(folder: Path) -> Content:
    """Return the demo's content without what keeps odds from being computed.

    These are budgets, limits of branches, and what keeps others from winning a copy: a group, and more encounters that come once
    in a world than a map has room for. Rewards keep their limits of the world.
    """
    content = demo_content()
    said = {name: {"mix", "budget"} & each.model_fields_set for name, each in content.maps.items()}
    maps = [f"{name}: {{remove: [{', '.join(sorted(keys))}]}}\n" for name, keys in said.items() if keys]
    limited = [name for name, each in content.encounters.items() if each.limit.branch is not None]
    encounters = [f"{name}: {{remove: {{limit: branch}}}}\n" for name in limited]
    for name, each in content.encounters.items():
        if each.limit.world is not None and (each.category != "reward" or name in ONCE):
            encounters.append(f"{name}: {{remove: {{limit: world}}}}\n")
    mod = write(
        folder,
        {
            "maps/mod.yaml": "".join(maps),
            "encounters/mod.yaml": "".join(["control_room: {remove: group}\n", *encounters]),
        },
    )
    return dungeon.load_content(DATA, mod)


@pytest.mark.usefixtures("few_draws")
def test_the_odds_of_the_demo_are_what_draws_come_to(tmp_path: Path) -> None:
    assert dungeon.World(demo_content()).odds(width=0.49).samples > 0
    world = dungeon.World(without_budgets(tmp_path))
    odds = world.odds()
    assert odds.samples == 0
    drawn = sampled(world.content, places_of(world), 60)
    assert parted(odds, drawn) == []
    for on_map in odds.maps:
        chances = [each.first.value for each in on_map.encounters]
        assert sum(chances) == pytest.approx(1 if max(on_map.wanted) else 0)
        copies = sum(each.copies.value for each in on_map.encounters)
        assert copies == pytest.approx(sum(count * likely for count, likely in on_map.wanted.items()))


def test_the_limits_of_the_world_are_shared_out(tmp_path: Path) -> None:
    encounters = """
        sole: {category: risk, prefabs: one, maps: {mine: 1, city: 3}, limit: {world: 1}}
        some: {category: risk, prefabs: one, maps: {city: 1}, limit: {map: 2, world: 1..3}}
        more: {category: fluff, prefabs: one, maps: {mine: 1, city: 1}}
        """
    maps = "mine: {name: M, encounters: 4}\ncity: {name: C, encounters: 6}\n"
    odds = by_encounter(dungeon.World(load(tmp_path, game(encounters, maps, CHAIN))).odds())
    # Two mines of weight 1 and two cities of weight 3.
    assert odds["mine/1"]["sole"].drawn.value == pytest.approx(1 / 8)
    assert odds["city/2"]["sole"].copies.value == pytest.approx(3 / 8)
    assert odds["mine/1"]["sole"].first.value == pytest.approx(1 / 8), "what the world gives comes first"
    assert odds["mine/1"]["more"].first.value == pytest.approx(7 / 8)
    assert odds["mine/1"]["more"].copies.value == pytest.approx(4 - 1 / 8)
    assert odds["mine/1"]["sole"].world.value == pytest.approx(1)
    assert odds["city/3"]["some"].world.value == pytest.approx(2)
    some = odds["city/3"]["some"]
    assert (some.limit, some.world_limit, some.weight, some.category) == (2, (1, 3), 1.0, "risk")


@pytest.mark.usefixtures("few_draws")
def test_no_map_is_given_more_than_it_can_have(tmp_path: Path) -> None:
    """Two copies of each run for the two turns of the map: each has one, before any has two."""
    encounters = "".join(
        f"{name}: {{category: fluff, prefabs: one, maps: {{mine: 1}}, limit: {{map: 2, world: 2}}}}\n"
        for name in "ab"
    )
    odds = dungeon.World(load(tmp_path, game(encounters, "mine: {name: M, encounters: 2}\n"))).odds()
    assert [each.copies.value for each in odds.maps[0].encounters] == [1, 1]
    assert odds.samples > 0


def by_encounter(odds: dungeon.Odds) -> dict[str, dict[str, EncounterOdds]]:
    return {on_map.id: {each.encounter: each for each in on_map.encounters} for on_map in odds.maps}


def test_groups_may_have_members_in_common(tmp_path: Path) -> None:
    """The second and the third share no group: where either is drawn, the other one comes, too."""
    encounters = """
        a: {category: fluff, prefabs: one, maps: {mine: 2}, limit: {map: 1}, group: [x, y]}
        b: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 1}, group: x}
        c: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 1}, group: y}
        """
    odds = dungeon.World(load(tmp_path, game(encounters, "mine: {name: M, encounters: 2}\n"))).odds()
    found = by_encounter(odds)["mine/1"]
    assert {name: each.drawn for name, each in found.items()} == dict.fromkeys("abc", Estimate(0.5))


HUB = "hub: {category: fluff, prefabs: one, maps: {mine: 8}, limit: {map: 1}, group: [a, b, c, d, e, f, g, h]}\n"
SPOKES = "".join(
    f"to_{group}: {{category: fluff, prefabs: one, maps: {{mine: 1}}, limit: {{map: 1}}, group: {group}}}\n"
    for group in "abcdefgh"
)


def test_what_would_take_too_long_is_drawn_and_marked_so(tmp_path: Path) -> None:
    """The hub comes alone, or else two others of eight do."""
    world = dungeon.World(load(tmp_path, game(HUB + SPOKES, "mine: {name: M, encounters: 2}\n")))
    odds = world.odds()
    assert odds.samples > 0
    for name, each in by_encounter(odds)["mine/1"].items():
        chance = 1 / 2 if name == "hub" else 1 / 8
        assert not each.drawn.is_exact
        assert abs(each.drawn.value - chance) <= each.drawn.margin < 0.05


def test_sampling_ends_when_the_odds_are_known(tmp_path: Path) -> None:
    """Both encounters are on every level, so fewer worlds are needed than for a chance of a half."""
    encounters = "".join(
        f"{name}: {{category: fluff, prefabs: one, maps: {{mine: {weight}}}}}\n"
        for name, weight in (("a", 9), ("b", 1))
    )
    world = dungeon.World(load(tmp_path, game(encounters, "mine: {name: M, encounters: 200}\n")))
    odds = world.odds(width=0.1)
    assert 100 <= odds.samples < 271, "fewer than for a chance of a half, as those to be first are .9 and .1"
    assert odds.maps[0].sampled == "the map may want 200 encounters"
    assert max(each.first.margin for each in odds.maps[0].encounters) <= 0.1
    for each, share in zip(odds.maps[0].encounters, (0.9, 0.1), strict=True):
        assert not each.copies.is_exact
        assert abs(each.copies.value - share * 200) <= each.copies.margin


def test_the_number_in_a_world_keeps_to_its_limit(tmp_path: Path) -> None:
    """Each map may have the copy, but only one of them has it: maps are not independent of each other."""
    said = """
        sole: maps: {mine: 1, city: 1}, limit: {world: 1}, guaranteed: true
        some: maps: {mine: 1, city: 1}, limit: {world: 2..4}, group: x
        a: maps: {mine: 3, city: 1}, group: x
        """
    found = met(tmp_path, said, width=0.1)
    assert all(each["sole"].drawn.margin > 0.05 for each in found.values())
    sole, some = found["mine/1"]["sole"].world, found["mine/1"]["some"].world
    assert sole.value == 1
    assert 0 < sole.margin < 0.05
    assert 2 <= some.value + some.margin <= 4.2


@pytest.mark.usefixtures("few_draws")
def test_only_the_maps_that_are_asked_for_are_told(tmp_path: Path) -> None:
    """Also where odds are drawn, and not computed: they are the same, whoever else is asked for."""
    encounters = f"{HUB}{SPOKES}two: {{category: risk, prefabs: one, maps: {{city: 2}}}}\n"
    maps = "mine: {name: M, encounters: 2}\ncity: {name: C, encounters: 1}\n"
    world = dungeon.World(load(tmp_path, game(encounters, maps, CHAIN)))
    assert [each.id for each in world.odds("mine").maps] == ["mine/1", "mine/2"]
    assert [each.id for each in world.odds("city/3").maps] == ["city/3"]
    with pytest.raises(KeyError, match="no map 'city/9'"):
        world.odds("city/9")
    alone, among = world.odds("mine/2"), world.odds().maps
    assert alone.samples > 0
    assert alone.maps[0] in among
    weights = [(-each.weight, each.encounter) for each in alone.maps[0].encounters]
    assert weights == sorted(weights)


# -- what is realised -------------------------------------------------------------------------------

BLOCK = r"\n".join(["." * 9] * 9)

CROWDED = """
    big: {category: reward, prefabs: hall, maps: {mine: 4}, limit: {map: 1}}
    one: {category: danger, prefabs: block, maps: {mine: 1}, limit: {map: 1}}
    two: {category: risk, prefabs: block, maps: {mine: 1}, limit: {map: 1}}
    tiny: {category: fluff, prefabs: one, maps: {mine: 1}}
    """


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> dungeon.World:
    """Return a world of a small map: nothing has space for `big`, seldom more than one room for a block."""
    files = game(CROWDED, "mine: {name: A Map, size: 30x17, layout: boxes, encounters: 3}\n")
    files["prefabs/p.yaml"] += f'block: {{map: "{BLOCK}"}}\n'
    return dungeon.World(load(tmp_path_factory.mktemp("crowded"), files), 5)


def test_what_is_realised_is_what_levels_have(crowded: dungeon.World) -> None:
    worlds, told = 60, []
    odds = crowded.odds(realised=worlds, told=told.append)
    assert (odds.worlds, told) == (worlds, [*range(1, worlds + 1)])
    levels = [dungeon.World(crowded.content, 5 + number).level("mine/1") for number in range(worlds)]
    had = Counter(placement.encounter for level in levels for placement in level.placements)
    for each in odds.maps[0].encounters:
        assert each.realised is not None
        assert each.realised.had == had[each.encounter] / worlds
        assert abs(each.realised.due - each.copies.value) < 0.3
        assert sum(share for _, share in each.realised.causes) == pytest.approx(
            1 if each.realised.causes else 0
        )
    assert replace_realised(odds) == crowded.odds().maps, "what is due does not change"


def replace_realised(odds: dungeon.Odds) -> tuple[dungeon.MapOdds, ...]:
    """Return the odds as if nothing had been made."""
    return tuple(
        replace(each, encounters=tuple(replace(one, realised=None) for one in each.encounters))
        for each in odds.maps
    )


def test_what_took_the_difference_is_told(crowded: dungeon.World) -> None:
    found = by_encounter(crowded.odds(realised=150))["mine/1"]
    realised = {name: each.realised for name, each in found.items() if each.realised is not None}
    big, one, tiny = realised["big"], realised["one"], realised["tiny"]
    assert (big.had, big.due) == (0, 0), "its turns go to others"
    assert {reason for reason, _ in found["big"].unplaced[:3]} == {
        "too small",
        "with 2 doors",
        "with 3 doors",
    }
    assert sum(share for _, share in found["big"].unplaced) == pytest.approx(1)
    assert not found["one"].unplaced
    reasons = {reason for reason, _ in one.causes}
    assert {"taken by two", "too small"} <= reasons
    assert "taken by big" not in reasons
    assert tiny.differs
    assert tiny.had > tiny.due
    assert {reason for reason, _ in tiny.instead} == {"one", "two"}


@pytest.mark.parametrize("wanted", ["3", "[2, 4]"])
def test_the_turns_of_what_never_fits_go_where_levels_give_them(tmp_path: Path, wanted: str) -> None:
    """What the world promises of it is lost, its fallback comes in its place, and what requires it stays away."""
    encounters = """
        never: {category: danger, prefabs: hall, maps: {mine: 50}, limit: {map: 1}, fallback: other}
        grand: {category: danger, prefabs: hall, maps: {mine: 9}, limit: {world: 1}}
        guest: {category: risk, prefabs: one, maps: {mine: 50}, limit: {map: 1}, KEY}
        other: {category: risk, prefabs: one, maps: {mine: 1}, limit: {map: 1}}
        tiny: {category: fluff, prefabs: one, maps: {mine: 1}}
        """
    maps = f"mine: {{name: A Map, size: 40x25, layout: boxes, encounters: {wanted}}}\n"
    for name, key, why in (
        ("requires", "requires: never", "guest has requires"),
        ("falls back", "depth: 1", "never, which has a fallback, may be refused"),
    ):
        files = game(encounters.replace("KEY", key), maps)
        odds = dungeon.World(load(tmp_path / name, files)).odds(realised=40, width=0.2)
        assert odds.maps[0].sampled == why
        for each in odds.maps[0].encounters:
            assert each.realised is not None
            assert each.realised.had == each.realised.due, each.encounter
            assert abs(each.realised.had - each.copies.value) <= each.copies.margin + 0.5, each.encounter
            assert bool(each.unplaced) == (each.encounter in ("never", "grand"))
            if each.encounter == "other":
                assert each.realised.had == 1
            if each.unplaced:
                assert (each.drawn, each.copies, each.world) == (Estimate(0), Estimate(0), Estimate(0))
            if (name, each.encounter) == ("requires", "guest"):
                assert each.realised.had == each.copies.value == 0
    simple = encounters.replace(", fallback: other", "").replace("KEY", "depth: 1")
    odds = dungeon.World(load(tmp_path / "simple", game(simple, maps))).odds()
    found = by_encounter(odds)["mine/1"]
    assert odds.samples == 0
    without = "\n".join(line for line in simple.splitlines() if "prefabs: hall" not in line)
    rest = by_encounter(dungeon.World(load(tmp_path / "without", game(without, maps))).odds())["mine/1"]
    assert rest == {name: each for name, each in found.items() if not each.unplaced}


def test_levels_that_have_all_they_are_due_lose_nothing(tmp_path: Path) -> None:
    encounters = "one: {category: fluff, prefabs: one, maps: {mine: 1}}"
    world = dungeon.World(
        load(tmp_path, game(encounters, "mine: {name: A Map, layout: boxes, encounters: 1..3}\n"))
    )
    (found,) = world.odds(realised=40).maps[0].encounters
    assert found.realised is not None
    assert found.realised.had == found.realised.due
    assert (found.realised.margin, found.realised.causes, found.realised.differs) == (0, (), False)


def test_several_processes_tell_the_same(crowded: dungeon.World) -> None:
    assert crowded.odds("mine", realised=9, jobs=2) == crowded.odds("mine", realised=9)


def test_a_process_that_dies_is_an_error(crowded: dungeon.World, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(_content: object, _asked: object, seed: int) -> None:
        os._exit(seed)

    monkeypatch.setattr(realised, "result_of", die)
    with pytest.raises(dungeon.GenerationError, match="the world of seed 5 has died: ended with exit code 5"):
        dungeon.World(crowded.content, 5).odds(realised=1, jobs=2)


# -- company --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("seed", range(3))
def test_conflicts_and_turns_of_nothing_are_computed(tmp_path: Path, seed: int) -> None:
    world = dungeon.World(load(tmp_path, chance_game(Random(seed), apart=True)))
    odds = world.odds()
    assert any(each.drawn.is_exact for on_map in odds.maps for each in on_map.encounters)
    assert parted(odds, sampled(world.content, places_of(world), 400)) == []


def company_of(said: str, wanted: int = 2, **of_map: int) -> dict[str, str]:
    """Return a game of encounters of this kind, each at most once on a map unless it says otherwise."""
    lines = [line.strip().partition(": ") for line in said.strip().splitlines()]
    encounters = "".join(
        f"{name}: {{category: fluff, prefabs: one, {'' if 'limit' in keys else 'limit: {map: 1}, '}{keys}}}\n"
        for name, _, keys in lines
    )
    own = "".join(f", {key}: {value}" for key, value in of_map.items())
    maps = f"mine: {{name: M, encounters: {wanted}{own}}}\ncity: {{name: C, encounters: {wanted}{own}}}\n"
    return game(encounters, maps, CHAIN)


def met(
    tmp_path: Path, said: str, wanted: int = 2, *, width: float | None = None, **of_map: int
) -> dict[str, dict[str, EncounterOdds]]:
    """Return the odds of encounters of this kind."""
    world = dungeon.World(load(tmp_path, company_of(said, wanted, **of_map)))
    return by_encounter(world.odds(width=width))


def test_a_conflict_is_a_group_of_two(tmp_path: Path) -> None:
    said = (
        "a: maps: {mine: 1}, KEY\nb: maps: {mine: 2}, group: x\nc: maps: {mine: 4}, limit: {map: 2, world: 1}"
    )
    in_group = met(tmp_path / "group", said.replace("KEY", "group: x"))
    conflict = met(tmp_path / "conflict", said.replace("KEY", "conflicts: b"))
    for name, each in in_group["mine/1"].items():
        other = conflict["mine/1"][name]
        assert each.drawn.is_exact
        assert (each.first, each.drawn, each.copies) == (other.first, other.drawn, other.copies)
    assert in_group["mine/1"]["a"].drawn.value + in_group["mine/1"]["b"].drawn.value <= 1


def test_turns_of_nothing_are_taken_from_the_others(tmp_path: Path) -> None:
    found = met(tmp_path, "a: maps: {mine: 3}, limit: {}", 4, nothing=1)["mine/1"]["a"]
    assert (found.first, found.copies) == (Estimate(0.75), Estimate(3.0))
    assert found.drawn.value == pytest.approx(1 - 1 / 4**4)


@pytest.mark.parametrize(
    ("said", "wanted", "copies"),
    [
        # It must come, even where no encounter is wanted.
        ("a: maps: {mine: 1}, guaranteed: true\nb: maps: {mine: 9}", 1, {"a": 1, "b": 0}),
        ("a: maps: {mine: 1}, guaranteed: true\nb: maps: {mine: 9}", 0, {"a": 1, "b": 0}),
        # A third copy of it comes as late as it would by chance: as often as it wins three times of ten to one.
        (
            "a: maps: {mine: 1}, limit: {}, least: {map: 2}\nb: maps: {mine: 9}",
            3,
            {"a": 2.001, "b": 0.999},
        ),
        # Four copies are promised to the four maps, which may have one each.
        ("a: maps: {mine: 1, city: 1}, least: {world: 4}\nb: maps: {mine: 9}", 1, {"a": 1, "b": 0}),
        # Of the orders of a, b and c, b is there if a is before c, and c not before b: where it waits for a, too.
        (
            "a: maps: {mine: 1}\nb: maps: {mine: 1}, requires: a\nc: maps: {mine: 1}",
            2,
            {"a": 1, "b": 1 / 3, "c": 2 / 3},
        ),
        ("a: maps: {mine: 1, city: 1}, limit: {branch: 1}", 2, {"a": 1 / 2}),
        ("a: maps: {mine: 3}, group: {world: x}\nb: maps: {mine: 1}, group: {world: x}", 2, {"a": 3 / 4}),
        ("a: maps: {mine: 3}, group: {branch: x}\nb: maps: {mine: 1}, group: {branch: x}", 2, {"b": 1 / 4}),
        # Whenever b is refused for the sake of a, c comes instead.
        (
            "a: maps: {mine: 1}\nb: maps: {mine: 1}, conflicts: a, fallback: c\nc: maps: {mine: 0}",
            2,
            {"a": 1 / 2, "b": 1 / 2},
        ),
    ],
)
def test_other_company_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, wanted: int, copies: dict[str, float]
) -> None:
    monkeypatch.setattr("dungeon.generation.odds.expected.WIDTH", 0.052)
    found = met(tmp_path, said, wanted)["mine/1"]
    for name, count in copies.items():
        assert not found[name].copies.is_exact
        assert abs(found[name].copies.value - count) <= found[name].copies.margin < 0.1
    assert "c" not in found or "c" in copies, "what comes as a stand-in alone has no line"


@pytest.mark.usefixtures("few_draws")
def test_what_is_promised_brings_what_it_requires(tmp_path: Path) -> None:
    """What the world gives to a map does not wait there in vain, and goes only where there is what it waits for."""
    said = """
        seal: maps: {mine: 1, city: 1}, limit: {world: 1}, requires: clerk
        clerk: maps: {mine: 0.001}, requires: desk
        desk: maps: {mine: 0.001}
        page: maps: {mine: 0.001}, least: {map: 1}, requires: boy
        boy: maps: {mine: 0.001}
        rest: maps: {mine: 9, city: 9}, limit: {}
        """
    world = dungeon.World(load(tmp_path, company_of(said, 5)))
    for place, drawn in sampled(world.content, places_of(world), 40).items():
        copies = {name: each.copies.value for name, each in drawn.items()}
        if place.name == "mine":
            assert copies["page"] == copies["boy"] == 1
            assert 0 < copies["seal"] == copies["clerk"] == copies["desk"] < 1
        else:
            assert copies["seal"] == 0
    assert sum(by_encounter(world.odds())[f"mine/{depth}"]["seal"].copies.value for depth in (1, 2)) == 1
    too_many = said.replace("rest", "least: maps: {mine: 1}, limit: {map: 2}, least: {map: 2}\n        rest")
    world = dungeon.World(load(tmp_path / "crowded", company_of(too_many, 5)))
    for drawn in sampled(world.content, places_of(world), 40).values():
        assert drawn["seal"].copies.value < 0.1, "it and those with it would be more than the map is to have"


def test_copies_that_are_promised_race_as_all_others_do(tmp_path: Path) -> None:
    said = "".join(f"{name}: maps: {{mine: 1}}, limit: {{map: 2}}, least: {{map: 2}}\n" for name in "ab")
    drawn = met(tmp_path, said)["mine/1"]["a"].drawn
    assert abs(drawn.value - 3 / 4) <= drawn.margin < 0.05


@pytest.mark.parametrize("part", range(2))
def test_levels_with_space_for_all_have_what_they_are_due(tmp_path: Path, part: int) -> None:
    compared = 0
    for seed in range(part * 8, part * 8 + 8):
        content = load(tmp_path / str(seed), company_game(Random(seed))[0])
        world = dungeon.World(content, seed)
        shares = share_out(content, places_of(world), seed)
        for place in places_of(world):
            try:
                level = world.level(place.map_id)
            except dungeon.GenerationError:  # what is guaranteed is kept off by others
                continue
            turns = [each for each in level.journal if (each.stage, each.verdict) == ("place", "refused")]
            if all(each.kind != "space" for each in turns):
                due = due_on(content, place, shares, Streams(seed, place.map_id))
                had = [each.encounter for each in level.placements if each.encounter]
                assert had == [name for name in due if name != NO_ENCOUNTER]
                compared += bool(had)
    assert compared > 10


@pytest.mark.usefixtures("few_draws")
def test_limits_of_branches_are_told_between_strokes(tmp_path: Path) -> None:
    said = """
        a: maps: {mine: 1}, limit: {branch: 2}
        b: maps: {mine: 1}, limit: {map: 1, branch: 1..2, world: 3}
        c: maps: {mine: 1}, limit: {world: 3}
        """
    found = met(tmp_path, said)["mine/1"]
    assert [limit_in(found[name]) for name in "abc"] == ["-/2/-", "1/1..2/3", "-/3"]


def test_company_is_to_blame_where_it_keeps_others_off(tmp_path: Path) -> None:
    """On so small a map there is no space for `big`: who needs it stays away, and who shuns it comes."""
    encounters = """
        big: {category: fluff, prefabs: hall, maps: {mine: 1000000}, limit: {map: 1}, placing: accessible}
        guest: {category: fluff, prefabs: one, maps: {mine: 1000}, limit: {map: 1}, requires: big}
        shy: {category: fluff, prefabs: one, maps: {mine: 100}, limit: {map: 1}, conflicts: big}
        foe: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 1}, conflicts: shy}
        """
    maps = "mine: {name: A Map, size: 40x25, layout: boxes, encounters: 3}\n"
    content = load(tmp_path, game(encounters, maps))
    odds = expected(content, ["mine/1"], plans=0)  # with plans, `big` is known to have no place
    found = by_encounter(realise(odds, content, range(10)))["mine/1"]
    for name, cause in (
        ("guest", "it requires big, which is not on the map"),
        ("foe", "it conflicts with shy, which is on the map"),
    ):
        realised = found[name].realised
        assert realised is not None
        assert (realised.due, realised.had) == (1, 0)
        assert realised.causes == (Cause(cause, 1.0),)


def test_a_missing_copy_is_blamed_on_the_rule_that_excludes_the_last_rooms(tmp_path: Path) -> None:
    encounters = """
        chest: {category: reward, prefabs: one, maps: {mine: 100}, limit: {map: 1}}
        hermit: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 1}, access: 2.., far_from: {chest: 300}}
        """
    maps = "mine: {name: A Map, size: 60x40, layout: boxes, encounters: 2}\n"
    content = load(tmp_path, game(encounters, maps))
    turns = [
        turn.decision
        for case in dungeon.World(content, 0).why("mine/1")
        for turn in case.turns
        if case.encounter == "hermit"
    ]
    assert len(turns[0].counts) > 1, "other rules exclude rooms, too"
    realised = by_encounter(realise(expected(content, ["mine/1"], plans=0), content, range(5)))["mine/1"][
        "hermit"
    ].realised
    assert realised is not None
    assert realised.causes == (Cause("less than 300 steps from chest", 1.0),)


# -- the command ----------------------------------------------------------------------------------

TABLE = """
    chest: {category: reward, prefabs: one, maps: {mine: 3}, limit: {map: 1}, group: prize}
    purse: {category: reward, prefabs: one, maps: {mine: 2}, limit: {map: 1}, group: prize}
    relic: {category: risk, prefabs: one, maps: {mine: 0.5}, limit: {map: 1, world: 0..1}}
    """


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["odds", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_table_tells_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    folder = write(
        tmp_path, game(TABLE, "mine: {name: A Map, encounters: 1}\ncity: {name: B}\n", "mine/1: [city/2]")
    )
    lines = printed(capsys, str(folder))
    table = lines[lines.index("") :]
    # Of two worlds one has a relic; in the other, chest and purse share by weight.
    assert table == [
        "",
        "mine/1  A Map: 1 wanted, of 3 encounters",
        "  encounter  category  weight   limit  group  first              drawn  copies  world",
        "  chest      reward         3       1  prize  30.0%  ███         30.0%    0.30   0.30",
        "  purse      reward         2       1  prize  20.0%  ██          20.0%    0.20   0.20",
        "  relic      risk         0.5  1/0..1         50.0%  █████       50.0%    0.50   0.50",
        "",
        "city/2  B: no encounters",
    ]
    meanings = [line.split()[0] for line in lines[1 : lines.index("")]]
    assert meanings == ["weight", "limit", "group", "first", "drawn", "copies", "world"]


def test_a_map_that_gets_fewer_encounters_than_it_asks_for_says_how_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maps = "mine: {name: A Map, encounters: 3..4}\n"
    lines = printed(capsys, str(write(tmp_path, game(TABLE, maps))))
    # Chest or purse, and in half of the worlds the relic.
    assert "mine/1  A Map: 3 to 4 wanted, of 3 encounters, which give only 1.5 on average" in lines


def test_mods_change_the_odds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(write(tmp_path / "game", game(TABLE, "mine: {name: A Map, encounters: 1}\n")))
    mod = str(write(tmp_path / "mod", {"encounters/e.yaml": "relic: {change: {maps: {mine: 0}}}\n"}))
    for arguments in ([folder, mod], [folder, "--mod", mod], ["--data", folder, "--mod", mod]):
        told = json.loads("\n".join(printed(capsys, *arguments, "--json")))
        drawn = {each["encounter"]: each["drawn"]["value"] for each in told["maps"][0]["encounters"]}
        assert drawn == pytest.approx({"chest": 0.6, "purse": 0.4})


def test_maps_without_encounters_have_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maps = "mine: {name: A Map, encounters: 1}\nhall: {name: The Hall, layout: boxes}\n"
    folder = write(tmp_path, game(TABLE, maps, "mine/1: [hall/2]"))
    assert printed(capsys, str(folder), "--map", "hall", "--realised", "1") == [
        "How often encounters are drawn, ignoring whether rooms fit",
        "",
        "hall/2  The Hall: no encounters",
    ]


def test_the_table_fits_its_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dungeon.World(demo_content()).odds("furrings", realised=1, width=0.4)
    monkeypatch.setattr(dungeon.World, "odds", lambda *_, **__: known)
    for columns in (70, 90, 120, 160):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = printed(capsys, "--data", str(DATA), "--map", "furrings", "--realised", "1")
        assert max(map(len, lines)) <= columns
        assert any("█" in line for line in lines) == (columns > 120)


def test_the_table_tells_what_is_realised(
    crowded: dungeon.World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    arguments = (crowded.content.folder, "--realised", "60", "--seed", "5")
    lines = printed(capsys, *arguments)
    (never,) = [after for line, after in itertools.pairwise(lines) if line.startswith("  big ")]
    (one,) = [line for line in lines if line.startswith("  one ")]
    (tiny,) = [line for line in lines if line.startswith("  tiny ")]
    assert re.search(r"^ {6}fits on none of 30 ground plans: (too small|with 2 doors) \d+%, ", never)
    assert re.search(r" \d+% ▼  (too small|taken by two) \d+%, ", one)
    assert re.search(r"▲  instead of (one|two) ", tiny)
    assert "\x1b" not in "".join(lines)
    coloured = printed(capsys, *arguments, "--colour", "always")
    assert [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in coloured] == lines
    (one,) = [line for line in coloured if line.startswith("  one ")]
    assert re.search(r"\x1b\[1;31m *\d+% ▼\x1b\[0m", one)


def test_what_is_drawn_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    lines = printed(capsys, str(write(tmp_path, game(HUB + SPOKES, "mine: {name: M, encounters: 2}\n"))))
    assert [line for line in lines if line.startswith("  ~ ")] == [
        "  ~       an estimate from 1083 sampled worlds, ± its 99.9 % interval; 1 of 1 map sampled, 0 computed"
    ]
    (line,) = [line for line in lines if line.startswith("  hub ")]
    assert re.search(r"~\d\d\.\d±\d\.\d%.*~\d\d\.\d±\d\.\d%  ~0\.\d\d±0\.\d\d", line)


@pytest.mark.parametrize(
    ("estimate", "as_percent", "as_number"),
    [
        (Estimate(0.0), "-", "-"),
        (Estimate(0.0004), "<0.1%", "<0.01"),
        (Estimate(0.0006), "0.1%", "<0.01"),
        (Estimate(0.4408), "44.1%", "0.44"),
        (Estimate(1.0), "100.0%", "1.00"),
        (Estimate(0.44, 0.026), "~44.0±2.6%", "~0.44±0.03"),
        (Estimate(0.0, 0.003), "~0.0±0.3%", "~0.00±0.00"),
    ],
)
def test_numbers_have_as_many_digits_as_tell_something(
    estimate: Estimate, as_percent: str, as_number: str
) -> None:
    assert (percent(estimate), number(estimate)) == (as_percent, as_number)


def test_bars_are_as_long_as_chances_are_large() -> None:
    assert [bar(share) for share in (0, 0.05, 0.1, 0.44, 1)] == [
        "          ",
        "▌         ",
        "█         ",
        "████▍     ",
        "██████████",
    ]


def test_causes_are_told_as_far_as_there_is_room() -> None:
    causes = (Cause("too small", 0.61), Cause("taken by store_room", 0.22), Cause("with 2 doors", 0.17))
    assert causes_in(causes, 99) == "too small 61%, taken by store_room 22%, with 2 doors 17%"
    assert causes_in(causes, 50) == "too small 61%, taken by store_room 22%, …"
    assert causes_in(causes, 39) == "too small 61%, …"
    assert causes_in(causes, 10) == "too small…"
    assert causes_in((), 10) == ""


def test_programs_are_told_the_same(crowded: dungeon.World, capsys: pytest.CaptureFixture[str]) -> None:
    odds = crowded.odds("mine", realised=5)
    arguments = [str(crowded.content.folder), "--map", "mine/1", "--realised", "5", "--seed", "5"]
    told = json.loads("\n".join(printed(capsys, *arguments, "--json")))
    assert (told["samples"], told["realised"]) == (odds.samples, {"worlds": 5, "seed": 5})
    (on_map,) = told["maps"]
    assert on_map["map"] == "mine/1"
    assert {each["encounters"]: each["chance"] for each in on_map["wanted"]} == odds.maps[0].wanted
    rows = [*csv.DictReader(io.StringIO("\n".join(printed(capsys, *arguments, "--csv"))))]
    for each, plain, row in zip(odds.maps[0].encounters, on_map["encounters"], rows, strict=True):
        assert each.realised is not None
        assert (plain["encounter"], row["encounter"]) == (each.encounter, each.encounter)
        assert (plain["weight"], plain["limit"], plain["groups"]) == (each.weight, each.limit, [*each.groups])
        for name in ("first", "drawn", "copies", "world"):
            assert plain[name] == getattr(each, name)._asdict()
            assert (float(row[name]), float(row[f"{name}_margin"])) == getattr(each, name)
        assert plain["realised"]["had"] == each.realised.had == float(row["had"])
        assert [Cause(**cause) for cause in plain["realised"]["causes"]] == [*each.realised.causes]


def test_a_page_compares_what_is_due_with_what_worlds_had(
    crowded: dungeon.World, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(crowded.content.folder)
    lines = printed(capsys, folder, "--realised", "60", "--seed", "5", "--markdown")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    realised = {each.encounter: each.realised for each in crowded.odds(realised=60).maps[0].encounters}
    assert f"`dungeon odds {folder} --realised 60 --seed 5 --markdown`" in lines[2]
    ((_, due, had, found, *counts),) = [row for row in rows if row[0] == "mine/1"]
    assert (due, had) == tuple(
        f"{sum(getattr(each, name) for each in realised.values()):.2f}" for name in ("due", "had")
    )
    pairs = zip(*((each.had, each.due) for each in realised.values()), strict=True)
    assert found == f"{statistics.correlation(*pairs):.3f}"
    assert sum(map(int, counts[1:])) == int(counts[0]) == 4
    big, one = ([row for row in rows if row[0] == name] for name in ("big", "one"))
    assert [(row[1], *row[3:6]) for row in big] == [("4", "0.000", "0.000", "-")]
    assert re.search(r"^fits on none of 30 ground plans: .*with 2 doors \d+%", big[0][7])
    assert "taken by two " in one[0][7]


def test_what_a_world_may_have_is_counted_on_all_its_maps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = game(TABLE, "mine: {name: A Map, encounters: 1}\n")
    lines = printed(capsys, str(write(tmp_path, files)), "--realised", "12", "--markdown")
    (row,) = [line for line in lines if line.startswith("| relic | 0..1 ")]
    due, had = (float(cell) for cell in row.split("|")[3:5])
    assert 0 < due == had < 1
    assert row.endswith("| 100% |")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--markdown"], "--markdown needs --realised N"),
        (["--map", "foundy"], "there is no map 'foundy' (did you mean foundry?)"),
        (["--map", "mere/9"], "there is no map 'mere/9' (did you mean mere/4?)"),
        (["elsewhere"], "two content folders are given, elsewhere and "),
        (["--realised", "0"], "a number from 1 to 10000000 is needed, not '0'"),
        (["--jobs", "many"], "a number from 1 to 64 is needed, not 'many'"),
        (["--json", "--csv"], "not allowed with argument --json"),
    ],
)
def test_what_cannot_be_told_is_said_so(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    try:
        code = main(["odds", "--data", str(DATA), *arguments])
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    assert code == 2
    assert message in capsys.readouterr().err


def test_wrong_content_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", str(write(tmp_path, {"world.yaml": "start: nowhere/1\n"}))]) == 1
    assert "1 problem in the content" in capsys.readouterr().err


def test_a_variant_without_rooms_or_caves_on_a_map_has_no_share_there(tmp_path: Path) -> None:
    forms = "built: {placing: accessible}, sunken: {placing: embedded}, strewn: {placing: centered}"
    camp = f"camp: {{category: risk, prefabs: one, maps: {{mine: 1, city: 1}}, variants: {{{forms}}}}}\n"
    maps = "mine: {name: M, layout: tunnels, encounters: 1}\ncity: {name: C, layout: caves, encounters: 1}\n"
    world = dungeon.World(load(tmp_path, game(camp, maps, "mine/1: [city/2]")))
    odds = world.odds(realised=4)
    shares = [dict(each.encounters[0].variants) for each in odds.maps]
    assert shares == [{"built": 1.0}, {"sunken": 0.5, "strewn": 0.5}]
    realised = [each.encounters[0].realised for each in odds.maps]
    assert [set(each.variants) for each in realised if each] == [set(each) for each in shares]
