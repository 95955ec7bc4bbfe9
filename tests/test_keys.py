"""Locks that the level opens: what `locks.yaml` may say, where keys come to lie, and which doors are locked besides."""

from __future__ import annotations

from collections import Counter
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, load, mask
from player import play, wander

import dungeon
from dungeon import Cell, Phase
from dungeon import terrain as t
from dungeon.cli.show_marks import marks_on
from dungeon.extend import Stream, Streams
from dungeon.generation.locks.graph import KeyRequest, LockedThing, LockGraph, assumed_fill
from dungeon.generation.locks.keys import DistanceWish, _walks_from
from dungeon.grid.regions import FAR, distances
from dungeon.playtest.recording.probes import generation
from dungeon.playtest.recording.rows import RowCollector
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content, Level
    from dungeon.grid.rect import Leap

LOCKS = """
    brass: {name: brass lock, opened_by: {item: scrap}}
    iron: {name: iron lock, opened_by: {lock: brass}}
    gate: {name: gate, opened_by: {prop: crate}, distance: 20%..}
    coin: {name: coin slot, opened_by: {item: patch}, consumed: true}
    guard: {name: guarded door, opened_by: {robot: guard}}
    """
VAULT = """
    vault:
      map: |
        #####
        #.k.#
        ##L##
        .....
      legend: {L: {terrain: locked_door, lock: brass}, k: {key: any}}
    cell:
      map: |
        .....
        .C.r.
      legend: {C: {prop: crate, lock: coin, key: any}, r: {robot: guard, key: any}}
    """
ENCOUNTERS = """
    vault: {category: reward, prefabs: vault, maps: {m: 1}, limit: {map: 2}}
    cell: {category: reward, prefabs: cell, placing: accessible, maps: {m: 1}, limit: {map: 1}, lock: [coin, brass]}
    """
POST = "post: {category: danger, prefabs: cell, placing: accessible, maps: {m: 1}}\n"
FIVE = "{gate: {on: way}, coin: 1, iron: 1, guard: 1, brass: 0..1}"


def game(
    folder: Path, locks: str = FIVE, layout: str = "tunnels", words: str = "", **changed: str
) -> Content:
    """Return a game with locks of all sorts on its only map, `m/1`; `words` are more of them."""
    files = {
        **OBJECTS,
        "locks.yaml": dedent(LOCKS) + words,
        "prefabs/vaults.yaml": dedent(VAULT),
        "encounters/vaults.yaml": dedent(ENCOUNTERS),
        "maps/m.yaml": f"m: {{name: M, size: 60x40, layout: {layout}, encounters: 3, locks: {locks}}}\n",
        "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
    }
    return load(folder, files | {f"{name.replace('__', '/')}.yaml": text for name, text in changed.items()})


def levels(content: Content, count: int) -> list[Level]:
    """Return levels of so many seeds."""
    return [dungeon.World(content, seed).level("m/1") for seed in range(count)]


# -- what may be said -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: X, opened_by: {item: scrp}}", "there is no item of this name: scrp (did you mean scrap?)"),
        ("{name: X, opened_by: {}}", "one of item, prop, robot or lock is needed here"),
        (
            "{name: X, opened_by: {item: scrap, prop: crate}}",
            "only one thing can open a lock, and here 'prop' says which: item",
        ),
        (
            "{name: X, opened_by: {item: {value: scrap, chance: 50%}}}",
            "the object that opens a lock must always be there",
        ),
        (
            "{name: X, opened_by: {item: scrap, chance: 50%}}",
            "the object that opens a lock must always be there: chance",
        ),
        ("{name: X, opened_by: {lock: brass, state: up}}", "only an object can have this key: state"),
        ("{name: X, opened_by: {lock: bras}}", "there is no lock of this name: bras (did you mean brass?)"),
        ("{name: X, opened_by: {lock: x}}", "this lock is opened by itself: x -> x"),
        ("{name: X, opened_by: {lock: brass}, keys: 2}", "so that it has no key of its own: keys"),
        ("{name: X, opened_by: {lock: brass}, toggle: true}", "so that it has no key of its own: toggle"),
        ("{name: X, opened_by: {item: scrap}, toggle: true}", "only a prop, such as a lever, can shut again"),
        ("{name: X, opened_by: {prop: crate}, consumed: true, toggle: true}", "used up cannot shut again"),
        ("{name: X, opened_by: {prop: crate}, toggle: 1}", "true or false"),
        ("{name: X, opened_by: {item: scrap}, distance: 30%}", "a range of shares such as 20%.. or 20%..60%"),
        (
            "{name: X, opened_by: {item: scrap}, distance: 60%..30%}",
            "both shares must lie from 0% to 100%, the smaller one first",
        ),
    ],
)
def test_what_makes_no_lock_is_refused_where_it_is_written(tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(dungeon.ContentError) as caught:
        game(tmp_path, words=f"x: {entry}\n")
    (problem,) = caught.value.problems
    assert "locks.yaml:7:" in str(problem)
    assert message in str(problem)


# -- what the locks divide --------------------------------------------------------------------------


def test_keys_lie_where_all_others_may_be_held_but_those_that_they_bar() -> None:
    """A string of rooms: what opens `a` lies in the first, and what opens `b` there or behind `a`."""
    free = mask("####.####.####")
    barred = [LockedThing((Cell(0, 4),), "a"), LockedThing((Cell(0, 9),), "b")]
    graph = LockGraph.of(free, barred, Cell(0, 0), ())
    asked: dict[str, set[int]] = {"a": set(), "b": set()}
    for seed in range(20):

        def put(key: KeyRequest, areas: int, rather: int) -> int:
            asked[key.word].add(areas & 0b1110)
            return areas & -areas

        assert assumed_fill(graph, [], [KeyRequest("a", 0), KeyRequest("b", 0)], put, Streams(seed)) == []
    assert asked == {"a": {0b10}, "b": {0b110}}


@pytest.mark.parametrize("consumed", [(), ("a",)], ids=["kept", "used up"])
def test_keys_without_a_place_strand_none_of_those_that_have_one(consumed: tuple[str, ...]) -> None:
    """A string of rooms, twice as many keys as are needed, and any of them may have no place."""
    barred = [LockedThing((Cell(0, x),), word) for x, word in ((4, "a"), (9, "b"), (14, "c"), (19, "a"))]
    graph = LockGraph.of(mask("####.####.####.####.####"), barred, Cell(0, 10), consumed)
    wanted = [KeyRequest(word, number, 0.5) for word in "abc" for number in range(2 * graph.needs[word])]
    enough = 0
    for seed in range(100):
        dice, lying = Stream(seed), list[tuple[int, str]]()

        def put(
            key: KeyRequest,
            areas: int,
            rather: int,
            dice: Stream = dice,
            lying: list[tuple[int, str]] = lying,
        ) -> int:
            rooms = [1 << number for number in range(1, 6) if areas >> number & 1]
            if not rooms or dice.chance(0.3):
                return 0
            lying.append((dice.pick(rooms), key.word))
            return lying[-1][0]

        assumed_fill(graph, [], wanted, put, Streams(seed))
        there = Counter(word for _, word in lying)
        lost = [word for word, needed in graph.needs.items() if there[word] < needed]
        enough += len(graph.needs) - len(lost)
        given_up = [(graph.everywhere, word) for word in lost for _ in range(graph.needs[word])]
        assert graph.reached([*lying, *given_up]) == graph.everywhere, seed
    assert enough > 100, "hardly a lock has had its keys"


def words_before(nested: float, seed: int) -> dict[str, int]:
    """Return how many locks must be opened before each key is had that is put in a hall with four closets."""
    free = mask("""
        #.#.#
        .....
        #####
        .....
        #.#.#
        """)
    free[2, 0] = True
    doors = {"a": Cell(1, 0), "b": Cell(1, 4), "c": Cell(3, 0), "d": Cell(3, 4)}
    free[0, [1, 3]] = free[4, [1, 3]] = False
    graph = LockGraph.of(free, [LockedThing((cell,), word) for word, cell in doors.items()], Cell(2, 2), ())
    lies: dict[str, int] = {}

    def put(key: KeyRequest, areas: int, rather: int) -> int:
        rooms = (areas & rather or areas) & (2 << int(graph.labels.max())) - 1
        lies[key.word] = rooms & -rooms
        return lies[key.word]

    assert assumed_fill(graph, [], [KeyRequest(word, 0, nested) for word in doors], put, Streams(seed)) == []
    before: dict[str, int] = {}
    held: list[tuple[int, str]] = []
    for number in range(len(doors)):
        reached = graph.reached(held)
        before |= {word: number for word, areas in lies.items() if areas & reached and word not in before}
        held = [(areas, word) for word, areas in lies.items() if word in before]
    return before


@pytest.mark.parametrize("leaps", [(), ((Cell(1, 1), Cell(5, 9)),)], ids=["steps", "leaps"])
def test_a_wish_tells_by_how_many_steps_each_cell_misses_it(leaps: tuple[Leap, ...]) -> None:
    free = np.random.default_rng(3).random((9, 14)) < 0.7
    free[1, 1] = free[5, 9] = True
    free[4, 4] = False
    locks = [Cell(4, 4), Cell(1, 1)]
    opened = free.copy()
    opened[4, 4] = True
    away = distances(opened, locks, leaps).astype(np.int64)
    away[away == FAR] = 0
    assert (away[free] == 0).sum() > 1, "no cell is cut off"
    for low, high in ((0, 4), (3, 5), (9, 20), (40, 50)):
        wish = DistanceWish(np.ones_like(free), _walks_from(locks, free, leaps), low, high)
        lack = np.maximum(low - away, 0) + np.maximum(away - high, 0)
        for steps in range(int(lack[free].max()) + 1):
            assert ((wish.met(steps) == (lack <= steps)) | ~free).all()
        assert wish.lack(free) == lack[free].min()
        assert [wish.lack(Cell(*cell)) for cell in np.argwhere(free).tolist()] == lack[free].tolist()


def test_nested_keys_make_a_chain_and_others_lie_where_one_gets_at_once() -> None:
    for seed in range(20):
        assert sorted(words_before(1.0, seed).values()) == [0, 1, 2, 3]
        assert sorted(words_before(0.0, seed).values()) == [0, 0, 0, 0]


def test_used_up_keys_count_once_there_is_one_for_each_lock() -> None:
    free = mask("##.##.##")
    barred = [LockedThing((Cell(0, 2),), "coin"), LockedThing((Cell(0, 5),), "coin")]
    graph = LockGraph.of(free, barred, Cell(0, 0), ["coin"])
    assert graph.reached([(0b10, "coin")]) == 0b10
    assert graph.reached([(0b10, "coin"), (0b100, "coin")]) == 0b10
    assert graph.reached([(0b10, "coin"), (0b10, "coin")]) == graph.everywhere
    assert LockGraph.of(free, barred, Cell(0, 0), ()).reached([(0b10, "coin")]) == graph.everywhere


def test_a_lock_that_follows_one_behind_it_is_stuck() -> None:
    free = mask("##.##.##")
    before, after = (Cell(0, 2),), (Cell(0, 5),)
    inner, crank = LockedThing(before, "inner", follows="crank"), LockedThing(after, "crank")
    for start, locked, stuck in (
        (Cell(0, 0), inner, {"inner"}),
        (Cell(0, 7), inner, set()),
        (Cell(0, 0), inner._replace(follows=""), set()),
    ):
        assert LockGraph.of(free, [locked, crank], start, ()).stuck(["crank"]) == stuck


def test_a_lock_is_stuck_if_the_drawn_key_to_the_other_lock_lies_behind_it(tmp_path: Path) -> None:
    hall = """
        hall:
          map: |
            ###########
            #<.kI..j..#
            #.#####.###
            #...G..B.>#
            ###########
          legend:
            I: {terrain: locked_door, lock: iron}
            B: {terrain: locked_door, lock: brass}
            G: {terrain: locked_door, lock: gold}
            j: {item: patch, opens: gold}
            k: {item: patch}
        """
    static = "m: {name: M, layout: {static: {prefab: hall}}}\n"
    for name, shut in (("before", ["brass", "gold", "iron"]), ("behind", ["brass", "gold"])):
        drawn = dedent(hall if name == "behind" else hall.replace("kI..j", "jI..k"))
        content = game(tmp_path / name, prefabs__hall=drawn, maps__m=static, encounters__vaults="")
        assert sorted({lock.word for lock in levels(content, 1)[0].locks}) == shut


def test_a_door_beside_a_door_is_opened_by_itself() -> None:
    free = mask("##..##")
    barred = [LockedThing((Cell(0, 2),), "a"), LockedThing((Cell(0, 3),), "b")]
    graph = LockGraph.of(free, barred, Cell(0, 0), ())
    assert not graph.reached([(0b10, "a")]) & 0b100
    assert graph.reached([(0b10, "a"), (0b10, "b")]) == graph.everywhere


# -- levels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["tunnels", "mines"])
def test_a_player_who_tries_everything_is_never_stranded(tmp_path: Path, layout: str) -> None:
    words = set()
    for level in levels(game(tmp_path, layout=layout), 10):
        assert dungeon.prove(level) == []
        words |= {lock.word for lock in level.locks}
        if len(level.locks) <= 7:
            ends = play(level)
            assert (ends.missed, ends.strands) == (frozenset(), False)
    assert words == {"brass", "iron", "gate", "coin", "guard"}


def test_levers_that_shut_again_what_they_open_strand_nobody_who_drops(tmp_path: Path) -> None:
    maps = (
        "m: {name: M, size: 40x26, layout: tunnels, encounters: 0, locks: {sluice: {on: way}, brass: 1},"
        " drops: {prop: mat, count: 1..2}}\n"
    )
    sluice = "sluice: {name: sluice, opened_by: {prop: crate}, toggle: true}\n"
    props = OBJECTS["objects/props.yaml"] + "mat: {name: mat, glyph: m, blocks: false}\n"
    content = game(tmp_path, words=sluice, maps__m=maps, objects__props=props, encounters__vaults="")
    wandered = 0
    for level in levels(content, 25):
        assert dungeon.prove(level) == []
        levers = [each for each in level.spawns if each.keywords.get("opens") == "sluice"]
        assert all(each.kind == "prop" and each.keywords["toggle"] is True for each in levers)
        if levers and level.portals:
            ends = wander(level)
            assert (ends.missed, ends.strands) == (frozenset(), False)
            wandered += 1
    assert wandered > 8


def test_where_the_farthest_is_drawn_a_drop_begins_as_far_off_as_there_is_a_place(tmp_path: Path) -> None:
    rows = ["#+######", "#......#", "######.#", "#......#", "#.######", "#......#", "########"]
    maps = (
        "m: {name: M, size: 64x30, layout: tunnels, locks: {}, encounters: 0, drops: {prop: mat, count: 1},\n"
        "  features: [{stairs: up, from: west, distance: 1..3}, {prefab: burrow, from: east, distance: 1..3}]}\n"
    )
    content = game(
        tmp_path,
        words="",
        maps__m=maps,
        objects__props=OBJECTS["objects/props.yaml"] + "mat: {name: mat, glyph: m, blocks: false}\n",
        encounters__vaults="",
        prefabs__burrow="burrow:\n  orientations: r0\n  map: |\n    " + "\n    ".join(rows) + "\n",
    )
    for level in levels(content, 8):
        (drop,) = level.portals
        (placed,) = level.placements
        bounds = placed.bounds
        assert not (0 <= drop.y - bounds.y < bounds.height and 0 <= drop.x - bounds.x < bounds.width)


def test_keys_lie_on_the_ground_of_rooms_and_nothing_but_locks_changes(tmp_path: Path) -> None:
    bare = levels(game(tmp_path / "bare", "{}"), 20)
    for level, before in zip(levels(game(tmp_path / "locked"), 20), bare, strict=True):
        changed = level.terrain != before.terrain
        assert {int(each) for each in level.base[changed]} <= {t.LOCKED_DOOR}
        assert (level.entrance, level.exits) == (before.entrance, before.exits)
        assert level.locks
        for spawn in level.spawns:
            if "opens" in spawn.keywords and "lock" not in spawn.keywords:
                assert level.base[spawn.y, spawn.x] == t.FLOOR
                assert level.kinds[int(level.region[spawn.y, spawn.x])] in ("room", "zone", "prefab")


def test_keys_spread_over_the_spheres(tmp_path: Path) -> None:
    spheres = [
        key.sphere
        for level in levels(
            game(tmp_path, "{gate: {on: way}, guard: 1, brass: 1}", encounters__vaults=""), 80
        )
        for key in solution_of(level).keys
    ]
    assert len(spheres) > 200
    assert None not in spheres
    shares = [spheres.count(sphere) for sphere in range(3)]  # of three locks
    assert max(shares) <= 2 * min(shares)


def test_a_small_map_has_as_many_locks_as_it_has_room_for_and_says_so_of_the_others(tmp_path: Path) -> None:
    words = "abcdefghijkl"
    asked = f"{{{', '.join(f'{word}: 2' for word in words)}}}"
    locks = "".join(f"{word}: {{name: lock, opened_by: {{item: scrap}}, consumed: true}}\n" for word in words)
    content = game(tmp_path, asked, words=locks, encounters__vaults="")
    for seed in range(6):
        world = dungeon.World(content, seed=seed)
        level = world.level("m/1")
        hung = [step for step in world.steps("m/1") if step.phase is Phase.LOCKS and "locked" in step.message]
        lacking = [
            each.reason for each in level.journal if each.stage == "locks" and each.verdict == "refused"
        ]
        assert set(lacking) == {"no room off the way can be locked"}
        assert 0 < len(hung) == 2 * len(words) - len(lacking)


def test_a_drawing_needs_no_key_of_its_own_for_a_lock_of_the_level(tmp_path: Path) -> None:
    content = game(tmp_path, "{}")
    placed = [each.prefab for level in levels(content, 10) for each in level.placements]
    assert placed.count("vault") > 3
    unknown = game(
        tmp_path / "unknown", "{}", prefabs__vaults=dedent(VAULT).replace("lock: brass", "lock: zinc")
    )
    placed = [each.prefab for level in levels(unknown, 10) for each in level.placements]
    assert "vault" not in placed


def test_a_held_key_is_recorded_as_an_item_of_its_holder_and_marked_there(tmp_path: Path) -> None:
    guarded = r'{map: "......\n.C..r.\n......", legend: {C: {prop: pillar, lock: coin}, r: {robot: guard, key: coin}}}'
    content = game(
        tmp_path, "{}", prefabs__more=f"cell: {guarded}", prefabs__vaults="", encounters__vaults=POST
    )
    worlds = [dungeon.World(content, seed) for seed in range(5)]
    held = 0
    for world in worlds:
        rows = RowCollector()
        generation(world, ["m/1"], rows)
        names, level = rows.batch(range(1), 0).names, world.level("m/1")
        recorded = [
            (names[kind], names[like], names[tag], (y, x), placement, holder)
            for *_, kind, like, tag, _, y, x, placement, holder in rows.tables["spawn"]
        ]
        for number, each in enumerate(level.spawns):
            if "holds" in each.keywords:
                tag = each.keywords["holds"]
                assert ("item", "item", tag, (each.y, each.x), each.placement, number) in recorded
                told = f"{tag} (key) at y {each.y}, x {each.x}, held by {each.tag} ({each.kind})"
                assert told in [line for mark in marks_on(level, str(tag)) for line in mark.lines]
                held += 1
        assert [n for _, n, *_ in rows.tables["spawn"]] == [*range(len(recorded))]
    assert held > 3


def test_a_level_is_the_same_each_time_and_survives_json(tmp_path: Path) -> None:
    content = game(tmp_path)
    for seed in range(5):
        level = dungeon.World(content, seed).level("m/1")
        assert level == dungeon.World(content, seed).level("m/1")
        assert dungeon.from_json(dungeon.to_json(level)) == level


def test_where_no_key_has_a_place_nothing_is_locked(tmp_path: Path) -> None:
    hall = 'hall:\n  map: "<L>C"\n  legend: {L: {terrain: locked_door, lock: brass}, C: {prop: pillar, lock: brass}}\n'
    static = "m: {name: M, layout: {static: {prefab: hall}}}\n"
    content = game(tmp_path / "drawn", prefabs__hall=hall, maps__m=static, encounters__vaults="")
    level = dungeon.World(content, 1).level("m/1")
    assert level.locks == ()
    assert [door.state for door in level.doors] == ["closed"]
    assert [spawn.keywords for spawn in level.spawns] == [{}]
    assert any(
        each.subject == "brass" and "nothing is locked with it" in each.reason for each in level.journal
    )
    hall = 'hall:\n  map: "<.+.>"\n'
    static = "m: {name: M, layout: {static: {prefab: hall}}, locks: {guard: {on: way}}}\n"
    level = dungeon.World(
        game(tmp_path / "way", prefabs__hall=hall, maps__m=static, encounters__vaults=""), 1
    ).level("m/1")
    assert level.locks == ()
    assert any(each.stage == "locks" and each.verdict == "refused" for each in level.journal)
    assert np.count_nonzero(level.base == t.LOCKED_DOOR) == 0
