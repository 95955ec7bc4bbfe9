"""Locks whose keys lie on other maps: where the keys are dealt, what levels keep, and players who try everything."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from random import Random
from typing import TYPE_CHECKING

import pytest
from drawn import OBJECTS, load
from keyed_worlds import Traveller, game

from dungeon import ContentError, World, components_of, from_json, prove, to_json
from dungeon.adapters.components import Locked
from dungeon.adapters.console import to_graph
from dungeon.authoring.reading import examine_content
from dungeon.generation.world_keys import NO_LOCKS, locks_by_source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dungeon import Content
    from dungeon.generation.world_keys import LocksOnMap

# The article's world: the bridge of the port leads on to the works, and opens in the lava dungeon.
PORT = {
    "locks.yaml": "bridge: {name: the Slag Bridge, opened_by: {prop: lever}, keys_on: lava/*}\n",
    "world.yaml": """\
start: port/1
maps: {port: 1, lava: 2..3, works: 2..4}
leads_to: {port/1: [lava/2, works/2], lava/*: lava/+1, works/*: works/+1}
""",
    "maps/all.yaml": """\
port:
  name: Port
  size: 90x60
  layout: {patchwork: {zones: {quay: {}, bank: {join: bridge, lock: bridge}}}}
lava: {name: Lava, size: 60x40, layout: caves}
works: {name: Works, size: 60x40}
""",
}


def made(folder: Path, **more: str) -> Content:
    """Return the game of the port; files may be replaced or added."""
    props = "        lever: {name: lever, glyph: '/'}\n        chest: {name: chest, glyph: '&'}\n"
    files: Mapping[str, str] = {
        **OBJECTS,
        **PORT,
        "objects/props.yaml": OBJECTS["objects/props.yaml"].rstrip() + f"\n{props}",
    }
    return load(folder, {**files, **{f"{name.replace('__', '/')}.yaml": text for name, text in more.items()}})


def locks_on_map(content: Content, name: str, depth: int) -> LocksOnMap:
    """Return the world locks that maps of a type may have at a depth, in any world."""
    return reduce(or_, locks_by_source(content, name, depth).values(), NO_LOCKS)


def with_hall(folder: Path, hall: str, locks: str = "") -> Content:
    """Return the game with a port that is a drawing, the prefab `hall`, and with these locks besides the bridge."""
    others = PORT["maps/all.yaml"].split("lava:")[1]
    return made(
        folder,
        locks=PORT["locks.yaml"] + locks,
        prefabs__hall=hall,
        maps__all=f"port: {{name: P, layout: {{static: {{prefab: hall}}}}}}\nlava:{others}",
    )


def test_a_lever_of_the_lava_dungeon_opens_the_bridge_of_the_port(tmp_path: Path) -> None:
    content = made(tmp_path)
    bridges = 0
    for seed in range(12):
        world = World(content, seed)
        (key,) = world.keys
        assert (key.lock, key.number, key.map.split("/")[0]) == ("bridge", 0, "lava")
        assert world.locks_before("port/1", "lava/2") == frozenset()
        assert world.locks_before("port/1", "works/2") == {"bridge"}
        port = world.level("port/1")
        bridges += bool(port.locks)
        assert {lock.keys_on for lock in port.locks} <= {(key.map,)}
        there = [each for each in world.level(key.map).spawns if each.keywords.get("opens") == "bridge"]
        assert [(each.tag, each.source) for each in there] == [("lever", "lock bridge")]
        assert not [*Traveller(world).objections()]
        for node in world.maps:
            assert prove(world.level(node.id), world) == []
    assert bridges == 12


def test_keys_lie_where_a_player_comes_from_each_start(tmp_path: Path) -> None:
    content = made(
        tmp_path,
        locks=PORT["locks.yaml"].replace("lava/*", "[quay/1, lava/1, port/2]"),
        world="start: quay/1\nstarts: {siege: lava/1}\nleads_to: {quay/1: port/2, lava/1: port/2, port/2: works/3}\n",
        maps__all=f"{PORT['maps/all.yaml']}quay: {{name: Quay, size: 40x30}}\n",
    )
    worlds = [World(content, seed) for seed in range(8)]
    assert {world.starts["siege"].id for world in worlds} == {"lava/1"}
    assert {key.map for world in worlds for key in world.keys} == {"port/2"}
    assert prove(worlds[0].level("port/2"), worlds[0]) == []


@pytest.mark.parametrize("number", range(14))
def test_no_player_is_stuck_in_a_world_at_random(number: int, tmp_path: Path) -> None:
    content = load(tmp_path, game(Random(number)))
    world = World(content, number)
    traveller = Traveller(world)
    assert not [*traveller.objections()]
    for level in traveller.levels.values():
        assert prove(level, world) == []


def test_a_player_who_can_be_stuck_is_noticed(tmp_path: Path) -> None:
    world = World(made(tmp_path), 3)
    traveller = Traveller(world)
    node = traveller.nodes[world.keys[0].map]
    there = traveller.levels[node.id]
    kept = tuple(each for each in there.spawns if "opens" not in each.keywords)
    traveller.levels[node.id] = replace(there, spawns=kept)
    said = "; ".join(traveller.objections())
    assert "port/1: the lock bridge is lost" in said
    broken = prove(traveller.levels[node.id], world)
    assert [each.rule for each in broken] == ["key-here"]


def test_the_proof_knows_where_keys_must_lie_and_which_exits_are_open(tmp_path: Path) -> None:
    world = World(made(tmp_path), 3)
    port = world.level("port/1")
    elsewhere = tuple(replace(lock, keys_on=("works/2",)) for lock in port.locks)
    told = {each.rule for each in prove(replace(port, locks=elsewhere), world)}
    assert told == {"key-maps", "door-list"}
    lava, works = port.exits
    swapped = (replace(lava, leads_to="works/2"), replace(works, leads_to="lava/2"))
    for seed in range(30):
        world = World(world.content, seed)
        port = world.level("port/1")
        lava, works = port.exits
        swapped = (replace(lava, leads_to="works/2"), replace(works, leads_to="lava/2"))
        if {each.rule for each in prove(replace(port, exits=swapped), world)} == {"key-exit"}:
            return
    pytest.fail("the exit to the works never lies behind the bridge")


def test_one_key_is_spread_and_the_same_whichever_level_is_made_first(tmp_path: Path) -> None:
    three = "bridge: {name: B, opened_by: {item: scrap, count: 2}, keys: 4, keys_on: [lava/*, works/2]}\n"
    content = made(
        tmp_path,
        locks=three,
        maps__all=PORT["maps/all.yaml"].replace(", lock: bridge", "")
        + "\nlair: {name: L, locks: {bridge: 1}}",
        world=PORT["world.yaml"]
        .replace("works: 2..4", "works: 2..4, lair: 5")
        .replace("works/*: works/+1", "works/*: works/+1, works/4: lair/5"),
    )
    for seed in range(6):
        world = World(content, seed)
        assert sorted(key.map for key in world.keys)[:3] == ["lava/2", "lava/3", "lava/3"] or {
            key.map for key in world.keys
        } == {"lava/2", "lava/3", "works/2"}
        last = World(content, seed).level("lair/5")
        assert to_json(last) == to_json(world.level("lair/5"))
        assert all(set(lock.keys_on) == {key.map for key in world.keys} for lock in last.locks)


def test_no_map_before_the_lock_leaves_all_unlocked(tmp_path: Path) -> None:
    behind = PORT["locks.yaml"].replace("lava/*", "works/3..4")
    only = (
        PORT["world.yaml"]
        .replace("[lava/2, works/2]", "works/2")
        .replace("works/*: works/+1", "works/*: works/+1, works/3: lava/2")
    )
    maps = PORT["maps/all.yaml"].replace(
        "layout: {patchwork: {zones: {quay: {}, bank: {join: bridge, lock: bridge}}}}",
        "locks: {bridge: {on: way}}",
    )
    content = made(tmp_path, locks=behind, world=only, maps__all=maps)
    world = World(content, 1)
    assert world.keys == ()
    port = world.level("port/1")
    assert port.locks == ()
    warned = [str(each) for each in examine_content(content.folder).problems]
    assert any("in 40 of 40 worlds nothing is locked with this" in each for each in warned)


def test_a_lock_that_would_bar_the_way_to_its_key_is_given_up(tmp_path: Path) -> None:
    hall = """\
hall:
  map: |
    ##########
    #<.#..L.>#
    #..L..#.>#
    ##########
  legend: {L: {terrain: locked_door, lock: bridge}}
"""
    content = with_hall(tmp_path, hall)
    world = World(content, 1)
    port = world.level("port/1")
    assert port.locks == ()
    refused = [each.reason for each in port.journal if each.stage == "locks" and each.verdict == "refused"]
    assert refused == ["its keys lie on other maps, and it would bar the exit to lava/2, which must be open"]
    assert prove(port, world) == []


def test_a_lock_that_bars_an_exit_by_way_of_another_is_given_up(tmp_path: Path) -> None:
    """The door N to both exits opens with the door Z, which lies behind the bridge L."""
    hall = """\
hall:
  orientations: r0
  map: |
    ##########
    #<..N..>>#
    ##L#######
    #..Z...###
    ##########
  legend:
    L: {terrain: locked_door, lock: bridge}
    Z: {terrain: locked_door, lock: zinc}
    N: {terrain: locked_door, lock: inner}
"""
    locks = "zinc: {name: Z, opened_by: {item: scrap}}\ninner: {name: N, opened_by: {lock: zinc}}\n"
    content = with_hall(tmp_path, hall, locks)
    world = World(content, 1)
    port = world.level("port/1")
    assert {lock.word for lock in port.locks} == {"zinc", "inner"}
    assert prove(port, world) == []


def test_keys_of_the_level_lie_on_both_sides_of_a_lock_of_the_world(tmp_path: Path) -> None:
    hall = """\
hall:
  orientations: r0
  map: |
    ############
    #<..L......#
    #>..#......#
    ##T###.##U##
    #....#.#...#
    #....#>#...#
    ############
  legend:
    L: {terrain: locked_door, lock: bridge}
    T: {terrain: locked_door, lock: tin}
    U: {terrain: locked_door, lock: zinc}
"""
    locks = (
        "tin: {name: T, opened_by: {item: scrap}, nested: 100%}\nzinc: {name: Z, opened_by: {item: scrap}}\n"
    )
    content = with_hall(tmp_path, hall, locks)
    sides = set()
    for seed in range(30):
        world = World(content, seed)
        port = world.level("port/1")
        if not port.locks:
            continue  # the exit to the lava lies behind the bridge
        keys = {each.keywords["opens"]: each.x for each in port.spawns if "opens" in each.keywords}
        assert keys["tin"] < 5
        sides.add(keys["zinc"] > 5)
        assert prove(port, world) == []
    assert sides == {True, False}


def test_json_and_entities_tell_where_the_keys_lie(tmp_path: Path) -> None:
    world = World(made(tmp_path), 3)
    port = world.level("port/1")
    assert from_json(to_json(port)) == port
    (door,) = [door for door in port.doors if door.lock]
    assert door.lock_keys_on == (world.keys[0].map,)
    assert [each.keys_on for each in components_of(door) if isinstance(each, Locked)] == [door.lock_keys_on]
    assert f"needs 1 key from {world.keys[0].map}" in to_graph(port)


@pytest.mark.parametrize(
    ("lock", "said"),
    [
        (
            "keys_on: atlantis/*",
            "locks.yaml:1:54: error: lock 'bridge': there is no map or branch of this name: atlantis",
        ),
        ("keys_on: lava", "maps are written name/depth, name/3..5, or name/* for all of that name: lava"),
        (
            "keys_on: lava/*, consumed: true",
            "this is not possible for keys on other maps ('keys_on'): consumed",
        ),
        (
            "keys_on: lava/*, distance: 20%..",
            "this is not possible for keys on other maps ('keys_on'): distance",
        ),
        ("keys_on: [lava/*, lava/9]", "the world has no such map: lava/9"),
    ],
)
def test_mistakes_name_their_place(lock: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ContentError) as caught:
        made(tmp_path, locks=f"bridge: {{name: B, opened_by: {{prop: lever}}, {lock}}}\n")
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_lock_cannot_follow_another_and_have_keys_on_other_maps(tmp_path: Path) -> None:
    mixed = "gate: {name: G, opened_by: [{prop: lever}, {lock: bridge}], keys_on: lava/*}\n"
    with pytest.raises(ContentError, match="another lock can't be one if the keys lie on other maps"):
        made(tmp_path, locks=PORT["locks.yaml"] + mixed)
    follower = "gate: {name: G, opened_by: {lock: bridge}, keys_on: lava/*}\n"
    with pytest.raises(
        ContentError, match="another lock opens this one, so that it has no key of its own: keys_on"
    ):
        made(tmp_path / "b", locks=PORT["locks.yaml"] + follower)


def test_every_way_to_lock_something_counts(tmp_path: Path) -> None:
    vault = "vault:\n  map: |\n    #####\n    #...#\n    ##L##\n    #..C#\n    ##.##\n  legend: {L: {terrain: locked_door, lock: bridge}, C: {prop: chest}}\n"
    maps = PORT["maps/all.yaml"].replace(", lock: bridge", "")
    cases = {
        "encounters__v": "v: {category: reward, prefabs: vault, placing: enclosed, maps: {works: 1}}\n",
        "maps__all": maps.replace("works: {name: Works", "works: {locks: {bridge: 1}, name: Works"),
    }
    bare = made(tmp_path / "a", maps__all=maps, prefabs__vault=vault)
    assert not locks_on_map(bare, "works", 2).all
    for number, (name, text) in enumerate(cases.items()):
        content = made(tmp_path / str(number), **{"maps__all": maps, "prefabs__vault": vault, name: text})
        assert locks_on_map(content, "works", 2).all == {"bridge"}
        assert not locks_on_map(content, "works", 2).barring
    way = maps.replace("works: {name: Works", "works: {locks: {bridge: {on: way}}, name: Works")
    assert locks_on_map(made(tmp_path / "w", maps__all=way), "works", 2).on_way == {"bridge"}


VAULT = """\
vault:
  orientations: r0
  map: |
    #####
    #...#
    ##L##
    #...#
    ##.##
  legend: {L: {terrain: locked_door, lock: bridge}}
cell:
  map: |
    ...
    ...
"""


@pytest.mark.parametrize(
    "more",
    [
        {
            "encounters__v": "v: {category: reward, prefabs: vault, placing: enclosed, maps: {works: 1},"
            " limit: {world: 0..1}}\n"
        },
        {
            "encounters__v": "v: {category: reward, prefabs: cell, placing: enclosed, maps: {works: 1},"
            " guaranteed: true, limit: {map: 1}, depth: 3, lock: {value: bridge, chance: 50%}}\n"
        },
        {"maps__all": "works: {locks: {bridge: 0..1}, name: Works"},
        {
            "maps__all": "works: {layout: {patchwork: {zones: {quay: {}, bank: {join: bridge, lock:"
            " {value: bridge, chance: 40%}}}}}, name: Works"
        },
    ],
    ids=["limit", "chance", "count", "zone"],
)
def test_a_world_whose_plan_has_no_such_door_has_no_key_for_it(more: dict[str, str], tmp_path: Path) -> None:
    maps = PORT["maps/all.yaml"].replace(", lock: bridge", "").replace("size: 60x40}", "size: 60x60}")
    maps = maps.replace("works: {name: Works", more.get("maps__all", "works: {encounters: 1, name: Works"))
    world = PORT["world.yaml"].replace("works: 2..4", "works: 2..3")
    content = made(tmp_path, **{"prefabs__vault": VAULT, **more, "maps__all": maps, "world": world})
    seen = set()
    for seed in range(12):
        world = World(content, seed)
        doors = [lock.word for node in world.maps for lock in world.level(node.id).locks]
        keys = [
            each.tag
            for node in world.maps
            for each in world.level(node.id).spawns
            if each.keywords.get("opens") == "bridge"
        ]
        assert len(keys) == len(world.keys) == bool(doors)
        seen.add(bool(doors))
        for node in world.maps:
            assert prove(world.level(node.id), world) == []
    assert seen == {True, False}


def test_a_fallback_of_weight_0_may_have_the_door(tmp_path: Path) -> None:
    content = made(
        tmp_path,
        maps__all=PORT["maps/all.yaml"].replace(", lock: bridge", ""),
        prefabs__vault=VAULT,
        encounters__v="first: {category: reward, prefabs: cell, maps: {works: 1}, fallback: last}\n"
        "last: {category: reward, prefabs: vault, maps: {works: 0}}\n",
    )
    assert locks_on_map(content, "works", 2).all == {"bridge"}
    assert not locks_on_map(content, "lava", 2).all
