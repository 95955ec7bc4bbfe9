"""Alterations: free rooms and caves are changed for encounters that fit into none of them unchanged."""

from random import Random

import pytest
from drawn import canvas, flat, load, picture, prefab
from placed import check_consistent, random_map, random_prefab, request, settled, state

import dungeon
from dungeon import Orientation
from dungeon import terrain as t
from dungeon.extend import Ground, Sites, Streams
from dungeon.generation.placing.alterations import AlterationLimits
from dungeon.generation.placing.placer import Placer
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.grid.regions import components

UPRIGHT = [Orientation.R0]


def put(made, prefabs, mode="enclosed", seed=0, access=None, limits=None, kinds=("room", "cave"), **params):
    """Place one of the prefabs, on an altered site if no site fits."""
    prefabs = prefabs if isinstance(prefabs, list) else [prefabs]
    placer = Placer(made, Streams(seed), kinds=kinds, limits=limits and (lambda: limits))
    return placer.place(request(prefabs, mode, access, **params))


BETWEEN = """
    BBBBBBBBBBBB
    B##########B
    B#,,,,,,,,#B
    B#,###+##,#B
    B#,#....#,#B
    B#,#....+,#B
    B#,######,#B
    B#,,,,,,,,#B
    B##########B
    BBBBBBBBBBBB
    """
"""A room between ways, with two doors, and no earth."""


def test_a_door_too_many_is_walled_up_where_another_way_leads_around():
    seen = set()
    for seed in range(20):
        made = settled(canvas(BETWEEN))
        placed = put(made, prefab("..\n.."), seed=seed)
        assert placed.altered
        (door,) = made.connections
        seen.add((door.y, door.x))
        check_consistent(made)
        assert components(made.open)[1] == 1
    assert seen == {(3, 6), (5, 8)}


ONLY_WAY = """
    BBBBBBBBBBBBBBBB
    BBBBBBBBBBBBBBBB
    BB,,+....+,,,,BB
    BBBBB....BBBBBBB
    BBBBBBBBBBBBBBBB
    """


def test_a_door_that_is_needed_stays():
    made = settled(canvas(ONLY_WAY))
    before = state(made)
    refused = put(made, prefab("..\n.."))
    assert isinstance(refused, SpaceRefusal)
    assert state(made) == before


def test_a_door_is_needed_by_whoever_can_not_get_through_elsewhere():
    for where in ("doors", "stopped"):
        made = settled(canvas(BETWEEN))
        limits = AlterationLimits.none(made)
        getattr(limits, where)[[3, 5], [6, 8]] = True
        if where == "stopped":
            limits.stopped[:] = False
            limits.stopped[2, 4] = limits.stopped[7, 4] = True  # two halves, which only the room joins
            limits.stopped[2, 9] = True
        assert isinstance(put(made, prefab("..\n.."), limits=limits), SpaceRefusal)


def test_the_doors_of_what_is_taken_stay():
    made = settled(
        canvas("""
        BBBBBBBBBBBBBBB
        B#############B
        B#,,,,,,,,,,,#B
        B#,###+###+#,#B
        B#,#...+...#,#B
        B#,#...#...#,#B
        B#,#########,#B
        B#,,,,,,,,,,,#B
        B#############B
        BBBBBBBBBBBBBBB
        """)
    )
    placer = Placer(made, Streams(0), kinds=("room",))
    first = placer.place(request([prefab(".")], "accessible", (2, 2), ("first",)))
    doors = {(door.y, door.x) for door in made.connections}
    second = placer.place(request([prefab("..\n..")], "enclosed", (1, 1), ("second",)))
    assert (
        isinstance(second, SpaceRefusal) or (4, 7) in {(door.y, door.x) for door in made.connections} <= doors
    )
    assert Sites.of(made).sites[first.region].ways == 2


LANE = """
    BBBBBBBBBBBBBB
    BBBBBBBBBBBBBB
    BB,,,,,,,,,,BB
    BB,BBB+BBBBBBB
    BB,B#...#BBBBB
    BB,##...#BBBBB
    BBBBBBB#BBBBBB
    BBBBB,,,,BBBBB
    BBBBBBBBBBBBBB
    """
"""A room with one door, a way close to its west side, and another one that leads nowhere below it."""


def test_one_door_too_few_is_broken_through_to_a_way_close_by():
    made = settled(canvas(LANE))
    placed = put(made, prefab("."), "accessible", access=(2, 3))
    assert placed.altered
    assert {(door.y, door.x) for door in made.connections} == {(3, 6), (5, 4)}
    assert made.base[5, 3] > t.BLOCKED
    check_consistent(made)


def test_nothing_is_opened_to_what_no_way_led_to():
    made = settled(canvas(LANE.replace("BB,##", "BB,B#")))
    assert isinstance(put(made, prefab("."), "accessible", access=(2, 3)), SpaceRefusal)


CLOSET = """
    BBBBBBBBBBBBBB
    BBBBBBBBBBBBBB
    BB,,,,,,,,BBBB
    BBBBB+BBBBBBBB
    B__#..#______B
    B__#..#______B
    B__####______B
    B____________B
    B____________B
    BBBBBBBBBBBBBB
    """


def test_a_room_grows_into_the_earth_beside_it():
    seen = set()
    for seed in range(40):
        made = settled(canvas(CLOSET))
        placed = put(made, prefab("....\n....\n....", orientations=[*UPRIGHT, Orientation.R180]), seed=seed)
        assert placed.altered
        check_consistent(made)
        seen.add(picture(made))
    assert (
        flat("""
        BBBBBBBBBBBBBB
        BBBBBBBBBBBBBB
        BB,,,,,,,,BBBB
        BBBBB+BBBBBBBB
        B_#....#_____B
        B_#....#_____B
        B_#....#_____B
        B_######_____B
        B____________B
        BBBBBBBBBBBBBB
        """)
        in seen
    )


def test_what_goes_around_it_needs_only_the_block_that_is_missing():
    made = settled(canvas(CLOSET))
    placed = put(made, prefab("...\n...\n..."), "accessible")
    assert placed.altered
    room = made.regions[placed.region - 1].bounds
    assert room.encloses(placed.bounds)
    assert room.height * room.width < 25
    check_consistent(made)


@pytest.mark.parametrize("access", [(1, 1), (2, 2), (2, 4)])
def test_whatever_is_altered_everything_hangs_together_and_has_the_doors_that_it_asks_for(access):
    altered = dug = 0
    for seed in range(60):
        random = Random(seed)
        made = settled(random_map(random))
        before, count = state(made), components(made.open)[1]
        placed = put(made, random_prefab(random), "accessible", seed=seed, access=access)
        if isinstance(placed, SpaceRefusal):
            assert state(made) == before
            continue
        altered += placed.altered
        dug += placed.dug
        check_consistent(made)
        assert components(made.open)[1] <= count
        ground = Ground(made)
        whole = ground.board.from_array(made.region == placed.region)
        assert access[0] <= ground.openings.ways(whole) <= access[1]
    assert altered + dug > 0


def test_the_map_tells_whether_anything_may_be_altered():
    made = settled(canvas(BETWEEN))
    assert isinstance(put(made, prefab("..\n.."), kinds=()), SpaceRefusal)
    assert isinstance(put(made, prefab("..\n.."), kinds=("cave",)), SpaceRefusal)


def test_the_journal_tells_what_was_tried():
    def reason(**more):
        made = settled(canvas(BETWEEN))
        refused = put(made, prefab("..\n.#\n"), "accessible", **more)
        return refused.reason

    assert reason(kinds=()) == "the only free room won't do"
    assert reason() == "the only free room won't do, nor is there space to dig one"


MAZE = """\
stones: {name: Stones, size: 60x40, encounters: 12, layout: {connected: {auto: 100%, side: 5..7, rooms: 200, hallway: 0, loops: 90%, saves: 4}}}
"""
CELLS = """\
cell: {category: fluff, prefabs: cell, maps: {stones: 1}, limit: {map: 12}}
"""


def test_in_a_maze_of_rooms_with_many_doors_what_wants_one_comes(tmp_path):
    files = {
        "prefabs/p.yaml": 'cell: {map: "....\\n...."}\n',
        "encounters/e.yaml": CELLS,
        "maps/m.yaml": MAZE,
        "world.yaml": "start: stones/1\n",
    }
    content = load(tmp_path, files)
    altered = 0
    for seed in range(8):
        world = dungeon.World(content, seed)
        level = world.level("stones/1")
        assert dungeon.prove(level, world) == []
        assert len([each for each in level.placements if each.encounter]) == 12
        altered += sum(each.reason.endswith(", altered for it") for each in level.journal)
    assert altered > 0
