"""Which encounters a map gets: weights, limits, shares, groups, depth; and how little an edit changes."""

import itertools
from collections import Counter, defaultdict
from random import Random

import pytest
from drawn import load, small_game

import dungeon
from dungeon.extend import Streams
from dungeon.generation.encounters.draw import Arrival, Draw, RuleRefusal
from dungeon.generation.encounters.shares import WorldMap, share_out

PLACES = [
    *(WorldMap(f"mine/{depth}", "mine", depth) for depth in (1, 2, 3, 4)),
    *(WorldMap(f"city/{depth}", "city", depth) for depth in (2, 3, 5)),
]


def game(encounters, maps="mine: {name: Mine}\ncity: {name: City}\n"):
    """Return content with these encounters, on two kinds of map; every prefab is a single cell."""
    return {
        "weights.yaml": "never: 0\nrare: 1\ncommon: 5\n",
        "prefabs/p.yaml": 'one: {map: "."}\n',
        "encounters/e.yaml": encounters,
        "maps/m.yaml": maps,
        "world.yaml": "start: mine/1\n",
    }


def draw(content, seed, map_name="mine", depth=2, shares=None, first=None):
    """Return the draw of a map."""
    return Draw(content, map_name, depth, shares or {}, Streams(seed, f"{map_name}/{depth}"), first or {})


def arrivals(drawn, most=1000):
    """Return the names of all arrivals, if every encounter can be placed."""
    names = []
    while len(names) < most and (arrival := drawn.next()):
        names.append(arrival.encounter)
        assert arrival.copy == names.count(arrival.encounter)
        drawn.place(arrival)
    return names


def follows(counts, weights):
    """Return whether counts lie within the 99.9 % intervals around the shares that the weights give."""
    total, whole = counts.total(), sum(weights.values())
    for name, weight in weights.items():
        share = weight / whole
        if abs(counts[name] - total * share) > 3.3 * (total * share * (1 - share)) ** 0.5 + 1:
            return False
    return set(counts) <= set(weights)


# -- the draw of one map --------------------------------------------------------------------------


def test_what_arrives_first_follows_the_weights(tmp_path):
    content = load(
        tmp_path,
        game("""
            a: {category: fluff, prefabs: one, maps: {mine: common}}
            b: {category: fluff, prefabs: one, maps: {mine: rare}}
            c: {category: fluff, prefabs: one, maps: {mine: 2.5, city: never}}
            never: {category: fluff, prefabs: one, maps: {mine: never}}
            elsewhere: {category: fluff, prefabs: one, maps: {city: common}}
            """),
    )
    counts = Counter(arrivals(draw(content, seed), 1)[0] for seed in range(6000))
    assert follows(counts, {"a": 5.0, "b": 1.0, "c": 2.5})
    later = Counter(arrivals(draw(content, seed), 9)[8] for seed in range(3000))
    assert follows(later, {"a": 5.0, "b": 1.0, "c": 2.5})
    assert set(arrivals(draw(content, 1, "city"), 5)) == {"elsewhere"}


def test_once_a_limit_is_reached_the_others_share_what_is_left(tmp_path):
    content = load(
        tmp_path,
        game("""
            a: {category: fluff, prefabs: one, maps: {mine: 20}, limit: {map: 2}}
            b: {category: fluff, prefabs: one, maps: {mine: 3}}
            c: {category: fluff, prefabs: one, maps: {mine: 1}}
            """),
    )
    rest = Counter()
    for seed in range(1500):
        names = arrivals(draw(content, seed), 40)
        assert names.count("a") == 2
        rest.update(name for name in names if name != "a")
    assert follows(rest, {"b": 3.0, "c": 1.0})


def test_what_was_refused_does_not_come_again(tmp_path):
    content = load(
        tmp_path,
        game("""
            a: {category: fluff, prefabs: one, maps: {mine: 20}}
            b: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 3}}
            """),
    )
    drawn = draw(content, 0)
    assert drawn.next() == Arrival("a", 1)
    # `a` was not placed, so no further copy of it arrives.
    assert arrivals(drawn) == ["b", "b", "b"]
    assert drawn.next() is None


def test_depth_and_maps_decide_what_is_possible(tmp_path):
    content = load(
        tmp_path,
        game("""
            early: {category: fluff, prefabs: one, maps: {mine: 1}, depth: 1..2, limit: {map: 1}}
            late: {category: fluff, prefabs: one, maps: {mine: 1}, depth: 3.., limit: {map: 1}}
            third: {category: fluff, prefabs: one, maps: {mine: 1, city: rare}, depth: 3, limit: {map: 1}}
            """),
    )
    found = {depth: sorted(arrivals(draw(content, 0, depth=depth))) for depth in range(6)}
    assert found == {
        0: [],
        1: ["early"],
        2: ["early"],
        3: ["late", "third"],
        4: ["late"],
        5: ["late"],
    }
    assert arrivals(draw(content, 0, "city", 3)) == ["third"]
    assert "early" not in content.weights_on("city", 1)


def test_groups_exclude_others_but_not_further_copies(tmp_path):
    content = load(
        tmp_path,
        game("""
            a: {category: fluff, prefabs: one, maps: {mine: 1}, group: [x, y], limit: {map: 2}}
            b: {category: fluff, prefabs: one, maps: {mine: 1}, group: y, limit: {map: 2}}
            c: {category: fluff, prefabs: one, maps: {mine: 1}, group: z, limit: {map: 2}}
            """),
    )
    seen = set()
    for seed in range(40):
        drawn, placed = draw(content, seed), []
        while arrival := drawn.next():
            refusal = drawn.refusal(arrival)
            if refusal is None:
                placed.append(arrival.encounter)
                drawn.place(arrival)
            else:
                other = {"a": "b", "b": "a"}[arrival.encounter]
                assert refusal == RuleRefusal("group", "y", other)
                assert refusal.reason == f"its group 'y' is taken by {other}"
                assert other in placed
        assert "".join(sorted(placed)) in ("aacc", "bbcc")
        seen.add("".join(sorted(placed)))
    assert len(seen) == 2


def test_a_new_encounter_only_slips_in_between(tmp_path):
    old = "a: {category: fluff, prefabs: one, maps: {mine: 3}}\nb: {category: fluff, prefabs: one, maps: {mine: 1}}\n"
    new = "new: {category: fluff, prefabs: one, maps: {mine: 2}}\n"
    before = load(tmp_path / "before", game(old))
    after = load(tmp_path / "after", game(new + old))
    for seed in range(200):
        longer = arrivals(draw(after, seed), 60)
        rest = [name for name in longer if name != "new"]
        assert rest == arrivals(draw(before, seed), len(rest))


def test_what_says_the_same_in_more_words_draws_the_same(tmp_path):
    plain = """
        a: {category: fluff, prefabs: [one], maps: {mine: common}, group: x, limit: {map: 2}}
        b: {category: fluff, prefabs: one, maps: {mine: 3}, group: x}
        c: {category: fluff, prefabs: one, maps: {mine: rare}, limit: {map: 4}}
        """
    wordy = """
        a: {category: fluff, prefabs: {one: 7}, maps: {mine: {by_depth: {2: common}}}, group: {map: [x]}, limit: {map: 2}}
        b: {category: fluff, prefabs: one, maps: {mine: {by_depth: {1: 2, 3: 4}}}, group: {map: x}, least: {map: 0}}
        c: {category: fluff, prefabs: one, maps: {mine: rare}, limit: {map: 4}, guaranteed: false, fallback: b}
        """
    before = load(tmp_path / "before", game(plain, "mine: {name: Mine, encounters: 6, size: 50x30}\n"))
    after = load(
        tmp_path / "after", game(wordy, "mine: {name: Mine, encounters: 6, size: 50x30, nothing: 0}\n")
    )
    for seed in range(100):
        assert arrivals(draw(after, seed), 60) == arrivals(draw(before, seed), 60)
    for seed in range(3):
        level = dungeon.World(before, seed).level("mine/1")
        assert level.placements
        again = load(
            tmp_path / f"{seed}",
            game(wordy.replace("{1: 2, 3: 4}", "{1: 3}"), "mine: {name: Mine, encounters: 6, size: 50x30}\n"),
        )
        assert dungeon.to_json(dungeon.World(again, seed).level("mine/1")) == dungeon.to_json(level)


def test_who_must_come_and_has_come_already_lets_nobody_else_in(tmp_path):
    """A fallback that was placed already is skipped at its own turn, and no fallback comes on a map that wants no encounters."""
    content = load(
        tmp_path,
        game(
            """
            wide: {category: fluff, prefabs: one, maps: {mine: 9000}, access: 99, guaranteed: true, fallback: post}
            post: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 1}, guaranteed: true}
            pile: {category: fluff, prefabs: one, maps: {mine: 50}}
            """,
            maps="mine: {name: Mine, size: 40x30, encounters: 0}\n",
        ),
    )
    for seed in range(6):
        level = dungeon.World(content, seed=seed).level("mine/1")
        assert [each.encounter for each in level.placements] == ["post"]


# -- shares of the world's limits -----------------------------------------------------------------

SHARED = """\
two: {category: fluff, prefabs: one, maps: {mine: 1, city: 3}, limit: {world: 2}}
most: {category: fluff, prefabs: one, maps: {mine: 1, city: 1}, limit: {map: 1, world: 50}}
five: {category: fluff, prefabs: one, maps: {mine: common, city: never}, limit: {map: 2, world: 5}, depth: 2..3}
free: {category: fluff, prefabs: one, maps: {mine: 1}, limit: {map: 1}}
nowhere: {category: fluff, prefabs: one, maps: {mine: never}, limit: {world: 3}}
"""


def test_shares_keep_every_limit(tmp_path):
    content = load(tmp_path, game(SHARED))
    for seed in range(200):
        shares = share_out(content, PLACES, seed)
        totals = Counter()
        for (name, map_id), share in shares.most.items():
            totals[name] += share
            limit = content.encounters[name].limit
            assert 0 <= share <= (limit.map or max(limit.world.outcomes()))
            place = next(each for each in PLACES if each.map_id == map_id)
            assert not share or name in content.weights_on(place.name, place.depth)
        # The limit and the maps allow four: two maps, of depths 2 and 3, take two each.
        assert totals == {"two": 2, "most": 7, "five": 4, "nowhere": 0}
        assert not any(name == "free" for name, _ in shares.most)


def test_how_many_copies_a_world_has_may_be_left_to_chance(tmp_path):
    content = load(tmp_path, game(SHARED.replace("{world: 2}", "{world: {0: 1, 2: 3}}")))
    counts = Counter()
    for seed in range(400):
        shares = share_out(content, PLACES, seed)
        counts[sum(share for (name, _), share in shares.most.items() if name == "two")] += 1
    assert follows(counts, {0: 1.0, 2: 3.0})


def test_what_the_world_gives_to_a_map_comes_before_all_else_there(tmp_path):
    maps = "mine: {name: Mine, encounters: 9}\ncity: {name: City, encounters: 9}\n"
    content = load(tmp_path, game(SHARED, maps))
    for seed in range(100):
        shares = share_out(content, PLACES, seed)
        for place in PLACES:
            here = {name: share for (name, map_id), share in shares.most.items() if map_id == place.map_id}
            first = {name: share for (name, map_id), share in shares.first.items() if map_id == place.map_id}
            assert first == {name: share for name, share in here.items() if share}
            drawn = arrivals(draw(content, seed, place.name, place.depth, here, first), 30)
            given = sum(here.values())
            assert Counter(drawn[:given]) == Counter({name: count for name, count in here.items() if count})


def test_shares_follow_the_maps_weights(tmp_path):
    content = load(tmp_path, game(SHARED))
    counts = Counter()
    for seed in range(1000):
        shares = share_out(content, PLACES, seed)
        counts.update({map_id: share for (name, map_id), share in shares.most.items() if name == "two"})
    weights = {place.map_id: 1.0 if place.name == "mine" else 3.0 for place in PLACES}
    assert follows(counts, weights)


def test_shares_do_not_know_the_order_of_maps_and_encounters(tmp_path):
    content = load(tmp_path / "one", game(SHARED))
    turned = load(tmp_path / "other", game("".join(reversed(SHARED.splitlines(keepends=True)))))
    for seed in range(20):
        expected = share_out(content, PLACES, seed)
        assert share_out(content, PLACES, seed) == expected
        shuffled = Random(seed).sample(PLACES, len(PLACES))
        assert share_out(turned, shuffled, seed) == expected


def test_a_new_map_takes_only_the_copies_that_it_wins(tmp_path):
    content = load(tmp_path, game(SHARED))
    moved = 0
    for seed in range(300):
        before = share_out(content, PLACES, seed)
        after = share_out(content, [WorldMap("mine/9", "mine", 2), *PLACES], seed)
        for name in ("two", "most", "five"):
            won = after.most[name, "mine/9"]
            lost = [before.most[name, place.map_id] - after.most[name, place.map_id] for place in PLACES]
            assert min(lost) >= 0
            assert sum(lost) <= won
            moved += sum(lost)
    assert 0 < moved < 300


def test_a_new_encounter_leaves_all_shares_as_they_are(tmp_path):
    before = load(tmp_path / "before", game(SHARED))
    new = "new: {category: fluff, prefabs: one, maps: {mine: 9, city: 9}, limit: {world: 4}}\n"
    after = load(tmp_path / "after", game(new + SHARED))
    for seed in range(50):
        expected = share_out(before, PLACES, seed)
        shares = share_out(after, PLACES, seed)
        assert {key: share for key, share in shares.most.items() if key[0] != "new"} == expected.most


def test_what_the_world_has_goes_where_it_can_be_had(tmp_path):
    """Each map has one encounter of a group. One that only one map can have gets it; one that a mix or budget forbids goes elsewhere."""
    encounters = """
        only: {category: reward, prefabs: one, maps: {city: 1}, depth: 5, limit: {world: 1}, group: x}
        wide: {category: reward, prefabs: one, maps: {city: 50}, limit: {world: 1}, group: x}
        foe: {category: reward, prefabs: one, maps: {city: 50, mine: 1}, limit: {world: 1}, conflicts: [only, wide]}
        risky: {category: danger, prefabs: one, maps: {city: 50, mine: 1}, limit: {map: 1, world: 3}}
        """
    maps = "mine: {name: Mine, encounters: 2}\ncity: {name: City, encounters: 9, mix: {danger: 0..0}}\n"
    content = load(tmp_path, game(encounters, maps))
    for seed in range(60):
        shares = share_out(content, PLACES, seed)
        assert shares.first == {key: share for key, share in shares.most.items() if share}
        given = defaultdict(list)
        for name, map_id in sorted(shares.first):
            given[name].append(map_id)
        assert given["only"] == ["city/5"]
        assert given["wide"] in (["city/2"], ["city/3"])
        assert given["foe"][0] not in (*given["only"], *given["wide"])
        assert [map_id[:5] for map_id in given["risky"]] == ["mine/"] * 3
        for place in PLACES:
            drawn = draw(content, seed, place.name, place.depth, *shares.on(place.map_id, content.encounters))
            placed = Counter()
            while placed.total() < drawn.wanted and (arrival := drawn.next()):
                if drawn.refusal(arrival) is None:
                    drawn.place(arrival)
                    placed[arrival.encounter] += 1
            assert placed == Counter(shares.on(place.map_id, ())[1])


# -- whole worlds ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The small game."""
    return load(tmp_path_factory.mktemp("game"), small_game())


def test_no_limit_group_depth_or_access_is_ever_broken(content):
    copies = Counter()
    for seed in range(8):
        world = dungeon.World(content, seed)
        order = Random(seed).sample([node.id for node in world.maps], 4)
        in_world = Counter()
        for map_id in order:
            level = world.level(map_id)
            on_map, groups = Counter(), defaultdict(set)
            for placement in level.placements:
                name = placement.encounter
                encounter = content.encounters[name]
                on_map[name] += 1
                assert placement.copy == on_map[name]
                assert encounter.depth[0] <= level.depth <= encounter.depth[1]
                assert content.weight(encounter.maps["under"]) > 0
                for group in encounter.group.map:
                    groups[group].add(name)
                low, high = encounter.access or ((1, 1) if placement.mode == "enclosed" else (0, 99))
                region = level.regions[placement.region - 1]
                assert low <= len(region.connections) <= high, name
            assert all(len(names) == 1 for names in groups.values())
            for name, count in on_map.items():
                assert count <= (content.encounters[name].limit.map or 99)
            in_world += on_map
        for name, count in in_world.items():
            limit = content.encounters[name].limit.world
            assert limit is None or count <= max(limit.outcomes())
        copies += in_world
    # Every allowed encounter has been placed, and no forbidden one.
    assert {"depot", "nook", "pool", "hideout", "ruins", "plant", "market", "shaft"} == set(copies)


def test_levels_do_not_depend_on_the_order_in_which_they_are_made(content):
    for seed in (1, 2):
        expected = None
        for order in itertools.islice(
            itertools.permutations(["under/1", "under/2", "under/3", "under/4"]), 0, 24, 11
        ):
            world = dungeon.World(content, seed)
            made = {map_id: dungeon.to_json(world.level(map_id)) for map_id in order}
            assert expected is None or made == expected
            expected = made


def test_prefabs_that_are_too_large_are_passed_over(content):
    names = set()
    for seed in range(6):
        for node in dungeon.World(content, seed).maps:
            level = dungeon.World(content, seed).level(node.id)
            names |= {each.prefab for each in level.placements if each.encounter == "depot"}
    assert names == {"store"}
