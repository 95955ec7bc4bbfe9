"""Random streams: keyed by name alone, uniform, with fair races."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dungeon.core.streams import UNIT, Race, Ranking, digest, mixed
from dungeon.extend import MersenneStream, Stream, Streams


def near(count: int, expected: float, variance: float) -> bool:
    """Tell whether a count lies within the 99.9 % interval around its expectation."""
    return abs(count - expected) <= 3.3 * variance**0.5 + 1


def fair(counts: Counter[str], shares: dict[str, float]) -> bool:
    """Tell whether counts follow shares."""
    total, whole = counts.total(), sum(shares.values())
    return all(
        near(counts[name], total * share / whole, total * share / whole * (1 - share / whole))
        for name, share in shares.items()
    )


NAMES = [
    "",
    "a",
    "b",
    "ab",
    "1",
    "int1:1",
    "a\x1fstr:b",
    "astr:b",
    "astr1:b",
    "ø",
    "\ud800",
    0,
    1,
    -1,
    10**30,
    "place",
]


def test_different_names_never_meet():
    keys = [(), *((a,) for a in NAMES), *((a, b) for a in NAMES for b in NAMES)]
    keys += [(a, b, "c") for a in NAMES for b in NAMES]
    assert len({digest(*key) for key in keys}) == len(keys)


@given(*[st.lists(st.text() | st.integers(), min_size=1)] * 2)
def test_a_level_names_its_streams_by_its_key_and_their_names(key, name):
    assert Streams(*key).seed(*name) == digest(*key, *name)


def test_streams_are_the_same_today_and_tomorrow():
    # These numbers are a promise to everyone who has shared a seed; they change only with a new major version.
    assert digest("foundry/3", 7) == 121457618327412667432242505507106268437
    streams = Streams(7, "foundry/3")
    stream, mersenne = streams.stream("place", "vault", 1), streams.mersenne("layout", "tunnels", 0)
    assert [stream.below(1000) for _ in range(5)] == [510, 63, 833, 513, 378]
    assert [mersenne.below(1000) for _ in range(5)] == [21, 75, 519, 520, 921]


def test_the_order_of_asking_does_not_matter():
    one, other = Streams(1, "a"), Streams(1, "a")
    first = {name: one.stream(name).random() for name in "xyz"}
    assert {name: other.stream(name).random() for name in "zyx"} == first
    assert Streams(2, "a").stream("x").random() != first["x"] != first["y"]


@given(st.integers(-(2**70), 2**70), st.integers(1, 2**53))
def test_draws_stay_in_their_bounds(seed, count):
    stream = Stream(seed)
    assert 0 <= stream.below(count) < count
    assert -count <= stream.between(-count, count) <= count
    assert 0 <= stream.arrival(1e-9) < float("inf")
    assert stream.arrival(0) == float("inf")
    assert not stream.chance(0)
    assert stream.chance(1)


def test_draws_are_even():
    stream = Stream(3)
    assert fair(Counter(str(stream.between(3, 7)) for _ in range(20_000)), dict.fromkeys("34567", 1.0))
    assert fair(Counter(stream.pick("abc") for _ in range(20_000)), dict.fromkeys("abc", 1.0))
    weights = {"a": 1.0, "b": 0.0, "c": 5.0, "d": 0.5}
    assert fair(Counter(stream.weighted(weights.items()) for _ in range(20_000)), weights)
    orders = Counter()
    for _ in range(12_000):
        cards = list("abc")
        stream.shuffle(cards)
        orders["".join(cards)] += 1
    assert fair(orders, dict.fromkeys(["abc", "acb", "bac", "bca", "cab", "cba"], 1.0))


def test_nothing_to_draw_from():
    for options in ([], [("a", 0.0)]):
        with pytest.raises(ValueError, match="no option has a weight"):
            Stream(1).weighted(options)
    with pytest.raises(IndexError):
        Stream(1).pick([])
    with pytest.raises(IndexError):
        Stream(1).pick_set(np.zeros((3, 3), np.bool_))
    with pytest.raises(IndexError):
        Stream(1).pick_set(np.zeros((0, 3), np.bool_))


def test_the_set_cells_of_a_mask_are_picked_evenly_whether_many_or_few():
    stream = Stream(5)
    for size, cells in ((8, "257"), (4000, "12")):  # in the second case nearly every try misses
        mask = np.zeros(size, np.bool_)
        mask[[int(cell) for cell in cells]] = True
        assert fair(
            Counter(str(stream.pick_set(mask.reshape(2, -1))) for _ in range(3000)), dict.fromkeys(cells, 1.0)
        )


def test_a_pick_stays_when_other_cells_change():
    mask = np.zeros((40, 40), np.bool_)
    mask[5:35, 5:35] = True
    fewer = mask.copy()
    fewer[20:26, 20:26] = False
    moved = 0
    for seed in range(500):
        pick = Stream(seed).pick_set(mask)
        moved += pick != Stream(seed).pick_set(fewer)
        if fewer.flat[pick]:
            assert pick == Stream(seed).pick_set(fewer)
    assert near(moved, 500 * 36 / 900, 20)


def test_a_pick_of_few_cells_stays_when_other_cells_change():
    """Nearly all tries miss, so that the set cells are ranked."""
    few = np.zeros((200, 200), np.bool_)
    few[::40, ::40] = True
    fewer = few.copy()
    fewer[0] = False
    moved = 0
    for seed in range(300):
        pick, other = Stream(seed).pick_set(few), Stream(seed).pick_set(fewer)
        moved += pick != other
        assert pick == other or not fewer.flat[pick]
    assert near(moved, 300 * 5 / 25, 20)


def test_races_follow_weights_and_do_not_know_the_order_of_their_candidates():
    weights = {"a": 3.0, "b": 1.0, "never": 0.0, "c": 6.0}
    wins, seconds = Counter(), Counter()
    for seed in range(6000):
        order = Streams(seed).race(weights, "x")
        assert order == Streams(seed).race(dict(reversed(weights.items())), "x")
        assert sorted(order) == ["a", "b", "c"]
        wins[order[0]] += 1
        if order[0] == "c":
            seconds[order[1]] += 1
    assert fair(wins, weights)
    assert fair(seconds, {"a": 3.0, "b": 1.0})


def test_a_new_candidate_changes_only_the_races_that_it_wins():
    old = {"a": 3.0, "b": 1.0, "c": 6.0}
    won = 0
    for seed in range(3000):
        before, after = Streams(seed).race(old), Streams(seed).race({"new": 2.0, **old})
        assert [name for name in after if name != "new"] == before
        won += after[0] == "new"
    assert near(won, 500, 500 * 5 / 6)


def test_single_draws_are_even_and_never_zero():
    draws = np.array([Streams(seed).unit("x") for seed in range(20_000)])
    assert draws.min() > 0
    assert draws.max() <= 1
    assert fair(Counter(str(int(draw * 5)) for draw in draws if draw < 1), dict.fromkeys("01234", 1.0))


# -- races prepared once ------------------------------------------------------------------------------


def test_a_prepared_race_is_won_in_proportion_to_weights():
    weights = {"a": 1.0, "b": 3.0, "c": 0.5, "d": 0.0}
    race = Race((name, weight, name) for name, weight in weights.items())
    stream = Stream(5)
    assert fair(Counter(race.winner(stream.random()) for _ in range(20_000)), weights)


@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_a_new_runner_changes_only_the_races_it_wins(weight):
    few = Race((name, 1.0, name) for name in ("a", "b", "c"))
    more = Race((name, weight if name == "new" else 1.0, name) for name in ("new", "c", "b", "a"))
    stream = Stream(6)
    draws = [stream.random() for _ in range(1000)]
    assert any(more.winner(draw) == "new" for draw in draws)
    assert all(more.winner(draw) in ("new", few.winner(draw)) for draw in draws)


def test_races_about_different_things_are_independent():
    race, other = (Race(((name, 1.0, name) for name in "ab"), key) for key in ("one", "other"))
    stream = Stream(7)
    draws = [stream.random() for _ in range(10_000)]
    pairs = Counter(race.winner(draw) + other.winner(draw) for draw in draws)
    assert fair(pairs, dict.fromkeys(("aa", "ab", "ba", "bb"), 1.0))


def test_the_only_runner_wins_and_none_is_an_error():
    assert Race([("a", 0.0, 1), ("b", 2.0, 2)]).winner(0.3) == 2
    with pytest.raises(ValueError, match="no candidate has a weight above zero"):
        Race([("a", 0.0, 1)])


# -- streams of many kinds ----------------------------------------------------------------------------


def test_branches_are_those_of_their_name_and_number():
    streams = Streams(1, "m/1")
    first, again, other = (
        [[stream.random() for _ in range(20)] for stream in streams.branches(count, "populate", number)]
        for count, number in ((50, 2), (80, 2), (50, 3))
    )
    assert (len(first), len(again), len(other)) == (50, 80, 50)
    assert again[:50] == first
    assert len({draw for draws in (*again, *other) for draw in draws}) == 130 * 20
    assert streams.branches(0, "populate", 2) == []


def test_draws_from_branches_are_even_and_independent():
    branches = Streams(3, "m/1").branches(10_000, "x")
    firsts, seconds = zip(*((each.below(5), each.below(2)) for each in branches), strict=True)
    assert fair(Counter(map(str, firsts)), dict.fromkeys("01234", 1.0))
    assert fair(Counter(map(str, seconds)), dict.fromkeys("01", 1.0))
    pairs = {f"{a}{b}": 1.0 for a in range(5) for b in range(2)}
    assert fair(Counter(f"{a}{b}" for a, b in zip(firsts, seconds, strict=True)), pairs)


def test_draws_of_one_stream_are_even_and_independent():
    stream = Streams(3, "m/1").stream("y")
    draws = [stream.below(5) for _ in range(20_001)]
    assert fair(Counter(map(str, draws)), dict.fromkeys("01234", 1.0))
    pairs = {f"{a}{b}": 1.0 for a in range(5) for b in range(5)}
    assert fair(Counter(f"{a}{b}" for a, b in zip(draws[::2], draws[1::2], strict=False)), pairs)


@pytest.mark.parametrize("kind", [Stream, MersenneStream])
def test_draws_lie_between_0_and_1(kind):
    stream = kind(4)
    draws = [stream.random() for _ in range(10_000)]
    assert 0 <= min(draws) < 0.01
    assert 0.99 < max(draws) < 1
    assert all(draw % UNIT == 0 for draw in draws)


def test_a_mersenne_stream_has_the_sequence_that_python_promises():
    streams = Streams(4, "m/1")
    assert streams.mersenne("x").random() == Random(streams.seed("x")).random()


def test_mixed_bits_hang_on_every_bit():
    for bit in range(64):
        changed = [(mixed(number) ^ mixed(number ^ 1 << bit)).bit_count() for number in range(200)]
        assert 28 < sum(changed) / len(changed) < 36, bit


@pytest.mark.parametrize("kind", [Stream, MersenneStream])
def test_bits_have_their_share(kind):
    stream = kind(5)
    for share in (32 / 64, 19 / 64, 54 / 64):
        bits = stream.bits(20_001, share)
        assert bits.bit_length() <= 20_001
        assert near(bits.bit_count(), 20_001 * share, 20_001 * share * (1 - share))


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 4000)), unique=True), st.integers())
def test_many_cells_have_the_ranks_that_each_alone_has(cells, seed):
    streams = Streams(seed, "somewhere")
    rank = streams.ranks("place", "it")
    ranks = Ranking(np.array(cells, int).reshape(-1, 2)).ranks(streams, "place", "it")
    assert ranks.tolist() == [rank(*cell) for cell in cells]
