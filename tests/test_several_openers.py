"""Locks that any of several things open, and locks that need several keys: what may be said, and what levels have."""

from __future__ import annotations

from collections import Counter
from textwrap import dedent
from typing import TYPE_CHECKING

import esper
import pytest
from drawn import OBJECTS, load
from player import play
from test_game import forget_worlds, keyed, said, walk

import dungeon
from dungeon.adapters.console import to_graph
from dungeon.playtest.bots.playing import bot_named
from dungeon.proof.level_puzzle import opened_by
from dungeon.proof.solution import solution_of
from game_demo.playing import start
from game_demo.rules import actions
from game_demo.rules.leftovers import untried_levers
from game_demo.rules.locks import describe_lock, keys_of_use
from game_demo.state.components import GoalItem

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content, Level

LOCKS = """
    either: {name: gate, opened_by: [{item: scrap}, {prop: crate}]}
    weighed: {name: gate, opened_by: [{item: scrap, weight: 3}, {robot: guard}]}
    fuses: {name: fuse box, opened_by: {item: patch, count: 2}, keys: 3}
    slots: {name: slot, opened_by: {item: scrap, count: 2}, consumed: true}
    both: {name: hatch, opened_by: [{item: scrap}, {prop: crate}], keys: all}
    after: {name: shutter, opened_by: [{lock: fuses}, {prop: crate, count: 2}], keys: all}
    """
ALL_LOCKS = "{either: 1, weighed: 0..1, fuses: 1, slots: 2, both: {on: way}, after: 1}"
MAP = "m: {{name: M, size: 50x34, layout: {layout}, encounters: 2, locks: {locks}}}\n"
CELL = """
    cell:
      map: |
        .....
        .C.r.
      legend: {C: {prop: crate, lock: slots, key: any}, r: {robot: guard, key: any}}
    """


def game(folder: Path, locks: str = ALL_LOCKS, words: str = LOCKS, layout: str = "tunnels") -> Content:
    """Return a game with locks of all sorts on its only map, `m/1`; with a locked box if `slots` are among them."""
    files = {
        **OBJECTS,
        "locks.yaml": dedent(words),
        "prefabs/cell.yaml": dedent(CELL if "slots" in words else CELL.replace("lock: slots, ", "")),
        "encounters/cell.yaml": "cell: {category: reward, prefabs: cell, placing: accessible, maps: {m: 1}}\n",
        "maps/m.yaml": MAP.format(layout=layout, locks=locks),
        "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
    }
    return load(folder, files)


def levels(content: Content, count: int) -> list[Level]:
    """Return levels of the first seeds."""
    return [dungeon.World(content, seed).level("m/1") for seed in range(count)]


def keys_of(level: Level, word: str) -> list[str]:
    """Return the tags of the keys of a lock, sorted; the tag of what a prop or robot holds."""
    return sorted(
        str(each.keywords.get("holds", each.tag)) for each in level.spawns if word in opened_by(each)
    )


# -- what may be said -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "place", "message"),
    [
        ("opened_by: [{item: scrap}, {item: scrp}]", "2:48", "there is no item of this name: scrp"),
        ("opened_by: [{item: scrap}, {prop: crate, item: scrap}]", "2:", "only one thing can open a lock"),
        ("opened_by: []", "2:", "from 1 to 20 openers can be listed here"),
        ("opened_by: [scrap]", "2:", "a mapping of keys to values is needed here"),
        ("opened_by: {item: scrap, weight: 2}", "2:39", "only one of several openers"),
        ("opened_by: [{item: scrap, weight: 0}]", "2:", "at least one weight must be above zero"),
        ("opened_by: {item: scrap, count: 0}", "2:46", "at least 1 is needed here"),
        ("opened_by: {item: scrap, count: 2..3}", "2:46", "a whole number is needed here"),
        ("opened_by: {lock: x, count: 2}", "2:", "only an object can have this key: count"),
        ("opened_by: {item: scrap, count: 3}, keys: 2", "2:", "the lock needs 3 of them to open: 2"),
        (
            "opened_by: {item: scrap}, keys: some",
            "2:46",
            "a whole number from 1 to 20, or 'all', is needed here: some",
        ),
        (
            "opened_by: [{item: scrap, count: 2}, {prop: crate}], keys: all",
            "2:",
            "give all the same 'count': all",
        ),
        ("opened_by: [{item: scrap}, {robot: guard}], toggle: true", "2:", "only a prop, such as a lever"),
        ("opened_by: {prop: crate, count: 2}, toggle: true", "2:", "opens the lock alone can shut it again"),
        ("opened_by: [{item: scrap}, {lock: y}]", "2:48", "this lock is opened by itself: y -> y"),
        ("opened_by: [{lock: x}, {lock: x}], consumed: true", "2:", "so that it has no key of its own"),
    ],
)
def test_what_makes_no_lock_is_refused_where_it_is_written(
    tmp_path: Path, entry: str, place: str, message: str
) -> None:
    with pytest.raises(dungeon.ContentError) as caught:
        game(
            tmp_path,
            locks="{}",
            words=f"x: {{name: X, opened_by: {{item: scrap}}}}\ny: {{name: Y, {entry}}}\n",
        )
    problems = [str(each) for each in caught.value.problems if "locks.yaml" in str(each)]
    assert len(problems) == 1
    assert f"locks.yaml:{place}" in problems[0]
    assert message in problems[0]


# -- what levels have -------------------------------------------------------------------------------


def test_of_several_openers_a_level_has_one_by_weight(tmp_path: Path) -> None:
    seen: dict[str, Counter[str]] = {"either": Counter(), "weighed": Counter()}
    for level in levels(game(tmp_path, "{either: 1, weighed: 1}"), 60):
        for word in {lock.word for lock in level.locks}:
            (tag,) = keys_of(level, word)
            seen[word][tag] += 1
    assert seen["either"].keys() == {"scrap", "crate"}
    assert min(seen["either"].values()) > 15
    assert seen["weighed"].keys() == {"scrap", "guard"}
    assert seen["weighed"]["scrap"] > 2 * seen["weighed"]["guard"]


def test_the_order_of_openers_makes_no_difference(tmp_path: Path) -> None:
    turned = LOCKS.replace("[{item: scrap}, {prop: crate}]", "[{prop: crate}, {item: scrap}]")
    here, there = (
        levels(game(tmp_path / name, "{either: 1}", words), 6)
        for name, words in (("here", LOCKS), ("there", turned))
    )
    assert [each.spawns for each in here] == [each.spawns for each in there]


def test_a_lock_has_its_count_and_the_level_its_keys(tmp_path: Path) -> None:
    for level in levels(game(tmp_path, "{fuses: 2, slots: 2, both: 1, after: 1}"), 8):
        found = {lock.word: lock for lock in level.locks}
        locks = Counter(lock.word for lock in level.locks)
        assert {(lock.word, lock.count) for lock in level.locks} <= {
            ("fuses", 2), ("slots", 2), ("both", 1), ("after", 2),
        }  # fmt: skip
        assert keys_of(level, "fuses") == ["patch"] * 3
        assert keys_of(level, "slots") == ["scrap"] * 2 * locks["slots"]
        assert keys_of(level, "both") == ["crate", "scrap"]
        assert keys_of(level, "after") == ["crate", "crate"]
        assert found["after"].follows == "fuses"
        assert {door.lock_count for door in level.doors if door.lock == "fuses"} == {2}
        assert dungeon.from_json(dungeon.to_json(level)).locks == level.locks
        told = {lock.word: (lock.needed, lock.keys) for lock in solution_of(level).locks}
        assert told["fuses"] == (2, 3)
        assert "needs 2 of 3 keys" in to_graph(level)


def test_a_lock_that_may_follow_one_which_is_not_there_has_keys(tmp_path: Path) -> None:
    words = "first: {name: A, opened_by: {item: patch}}\n"
    words += "then: {name: B, opened_by: [{lock: first}, {item: scrap}]}\n"
    for level in levels(game(tmp_path / "alone", "{then: 1}", words), 4):
        assert {lock.follows for lock in level.locks} == {""}
        assert keys_of(level, "then") == ["scrap"]
    ways = Counter(
        lock.follows
        for level in levels(game(tmp_path / "both", "{then: 1, first: 1}", words), 16)
        for lock in level.locks
        if lock.word == "then"
    )
    assert ways.keys() == {"", "first"}


def test_keys_of_one_lock_lie_in_different_areas(tmp_path: Path) -> None:
    words = "a: {name: A, opened_by: {item: scrap}, nested: 0%}\nb: {name: B, opened_by: {item: patch, count: 3}}\n"
    spread = 0
    for level in levels(game(tmp_path, "{a: 2, b: 1}", words), 12):
        told = solution_of(level)
        spread += len({key.areas for key in told.keys if key.words == ("b",)}) > 1
    assert spread > 8


@pytest.mark.parametrize(("layout", "count"), [("tunnels", 12), ("mines", 12), ("connected", 3)])
def test_a_player_who_tries_everything_opens_all_locks(tmp_path: Path, layout: str, count: int) -> None:
    """Each door, box and gate opens in every order of play, however the player spends his keys."""
    locks = 0
    for level in levels(game(tmp_path, layout=layout), count):
        assert dungeon.prove(level) == []
        ends = play(level)
        assert not ends.missed
        assert not ends.strands
        locks += len(level.locks)
    assert locks > count


# -- in the demo ------------------------------------------------------------------------------------

HALL = """
    ###########
    #<a.a.A...#
    ###########
    """


def test_a_door_tells_how_many_keys_it_needs_and_opens_to_all_of_them(tmp_path: Path) -> None:
    game = keyed("fuses", HALL, tmp_path, fuses="{name: fuse box, opened_by: {item: scrap, count: 2}}")
    lock, *_ = game.map.locks.values()
    assert lock.count == 2
    actions.pick_up(walk(game, "l"))
    assert game.map.ring.number == 1
    assert "The fuse box is shut; it needs two scraps; you have 1." in said(walk(game, "llll"))[-1]
    actions.pick_up(walk(game, "h"))
    assert keys_of_use(game) == {"scrap (opens a fuse box)": 2}
    walk(game, "ll")
    assert said(game)[-1] == "You unlock the fuse box with two scraps."
    assert walk(game, "ll").player_cell == (1, 7)
    forget_worlds()


def test_keys_that_are_used_up_are_used_up_together(tmp_path: Path) -> None:
    slots = "{name: slot, opened_by: {item: scrap, count: 2}, consumed: true}"
    game = keyed("slots", "############\n#<aaaaA.A..#\n############", tmp_path, slots=slots)
    for _ in range(4):
        actions.pick_up(walk(game, "l"))
    assert game.map.ring.number == 4
    walk(game, "l")
    assert said(game)[-1] == "You unlock the slot with two scraps; they stay in the lock."
    assert game.map.ring.number == len(game.map.ring.hung) == 2
    walk(game, "lll")
    assert game.map.ring.number == len(game.map.ring.hung) == 0
    assert walk(game, "ll").player_cell == (1, 9)
    forget_worlds()


def test_levers_and_deaths_add_up(tmp_path: Path) -> None:
    hall = "#########\n#<..#####\n#a..A...#\n#a..#####\n#########"
    levers = "{name: gate, opened_by: {prop: crate, count: 2}}"
    game = walk(keyed("gate", hall, tmp_path / "levers", gate=levers), "lj")
    assert game.player_cell == (2, 2)
    walk(game, "h")
    assert "two crates must be worked to open it; 1 so far" in describe_lock(game, (2, 4))
    assert said(game)[-1] == "Somewhere a lock clicks: 1 of 2."
    assert len(untried_levers(game)) == 1
    walk(game, "jh")
    assert said(game)[-1] == "Somewhere to the northeast the gate springs open."
    assert untried_levers(game) == []
    forget_worlds()
    robots = "{name: gate, opened_by: {robot: idler, count: 2}}"
    game = walk(keyed("gate", hall, tmp_path / "robots", gate=robots), "l")
    assert "two idlers must be destroyed to open it; none so far" in describe_lock(game, (2, 4))
    forget_worlds()


def test_a_code_may_have_parts(tmp_path: Path) -> None:
    notes = "{name: dials, opened_by: {item: scrap, count: 2, data: {code: 17}}}"
    game = keyed("dials", HALL, tmp_path, dials=notes)
    actions.pick_up(walk(game, "l"))
    assert said(game)[-1] == "Now you know 1 of 2 parts of the code."
    assert "it needs a code in 2 parts; you know 1" in describe_lock(game, (1, 6))
    actions.pick_up(walk(game, "ll"))
    assert said(game)[-1] == "Now you know the code."
    assert walk(game, "llll").player_cell == (1, 7)
    forget_worlds()


def test_a_bot_fetches_all_keys_and_opens_the_door(tmp_path: Path) -> None:
    hall = "###########\n#<.a...A..#\n#..#####..#\n#a..#####.#\n###########"
    game = keyed("fuses", hall, tmp_path, fuses="{name: fuse box, opened_by: {item: scrap, count: 2}}")
    forget_worlds()
    play, bot = start(game.world), bot_named("greedy", 1)
    for prize, _ in list(esper.get_component(GoalItem)):  # it lies on the near side of the door
        play.game.map.delete(prize)
    events = [event for _ in range(80) for event in play.act(bot.choose(play))]
    assert [event.kind for event in events].count("opened") == 1
    forget_worlds()
