"""The page of how bots fare by depth; see docs/writer/balance.py."""

from collections import Counter

import pytest
from demo import demo_content
from writer.balance import (
    GAME,
    Left,
    Played,
    broken,
    endings,
    game_of,
    given_up,
    hazards,
    killers,
    remains,
    toll,
)

import dungeon
from dungeon.playtest.bots.playing import play_out
from dungeon.playtest.game import find_game


def games(*ends: int, bot: str = "greedy", deepest: int = 5) -> list[Played]:
    """Return games that end in death: `ends` counts them at depth 1, 2...; those at `deepest` or below have no killer."""
    depths = [depth for depth, count in enumerate(ends, start=1) for _ in range(count)]
    return [
        Played(
            seed=7,
            bot=bot,
            ending="death",
            turns=Counter(dict.fromkeys(range(1, depth + 1), 100)),
            depth=depth,
            killer="hound" if depth < deepest else "",
            left={each: Left(hp=0.5, charge=0.25) for each in range(1, depth)},
            seconds=1.0,
            making=0.5,
        )
        for depth in depths
    ]


def test_deaths_are_counted_among_games_that_reached_the_depth() -> None:
    assert toll(games(2, 0, 3)) == {1: (2, 5), 2: (0, 3), 3: (3, 3)}
    skipping = games(0, 0, 1)[0]._replace(turns=Counter({1: 50, 3: 9}))
    assert toll([skipping]) == {1: (0, 1), 3: (1, 1)}
    rows = [*hazards([*games(2, 0, 3), *games(4, bot="random")])]
    assert rows[-3].startswith("| 1 | 5 | 2 | 40% | 12% to 77% |  | 2 of 5 |  | 0 | 100 |")


def test_bots_that_give_up_are_listed_except_the_random_one() -> None:
    (lost,), (random,) = games(0, 1), games(0, 1, bot="random")
    assert [*given_up([lost])] == []
    stuck = [each._replace(ending="gave up") for each in (lost, random)]
    assert [*given_up(stuck)] == ["greedy gave up at depth 2 of world 7"]


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ((100, 90, 80, 30, 64), [5]),  # the last depth, where the rest of them die
        ((1, 1, 1, 1, 1), []),
        ((10, 300, 10, 10, 10), [2]),
    ],
)
def test_depths_that_kill_much_more_than_their_neighbours_are_listed(
    ends: tuple[int, ...], told: list[int]
) -> None:
    survivors = [each._replace(ending="victory") for each in games(0, 0, 0, 0, 30)]
    rows = [*broken([*games(*ends), *survivors])][1:]
    assert [int(row.split()[2].rstrip(",")) for row in rows if row.startswith("- depth")] == told
    assert (rows == ["None."]) == (not told)


@pytest.mark.parametrize(("times", "verdict"), [(1, "doubtful"), (40, "broken")])
def test_a_difference_within_the_intervals_is_doubtful(times: int, verdict: str) -> None:
    survivors = [each._replace(ending="victory") for each in games(0, 0, 6)]
    rows = [*broken([*games(0, 2, 0), *survivors] * times)]
    assert rows[1:] == [f"- depth 2, {verdict}: 25.0% beside 0.0%"]


def test_the_tables_have_a_row_for_each_bot() -> None:
    played = [*games(0, 1, 0, 1), *games(1, bot="cautious"), *games(2, bot="hasty"), *games(1, bot="random")]
    played[1] = played[1]._replace(killer="")
    assert [*endings(played)][-3] == "| greedy | 2 | 0 | 0.0% | 0.0% to 65.8% | 2 | 0 | 300 | 4 | 3.0 |"
    assert [*killers(played)][-3] == "| greedy | 2 | hound 50% | no charge left 50% |  |  |  |  |"
    assert [*remains(played)][-3] == "| 1 | 0 |  |  | 2 | 50% | 25% | 0 |  |  |"


def test_gauging_does_not_change_a_game() -> None:
    world, start = dungeon.World(demo_content(), 305), find_game(GAME)
    played = game_of(world, "hasty", start, {})
    outcome = play_out(start, world, "hasty", 305)
    assert (played.ending, played.turns.total(), played.depth) == (
        outcome.ending,
        outcome.turns,
        outcome.depth,
    )
    assert [*played.left] == sorted(played.turns)[:-1]
    assert all(0 < left.hp <= 1 and 0 <= left.charge <= 1 for left in played.left.values())
