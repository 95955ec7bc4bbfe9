"""Annexes: rooms and caves dug beside a way for encounters that fit into no free site."""

from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
from drawn import SIDES, canvas, flat, load, picture, prefab
from placed import check_consistent, random_map, request, settled, state

import dungeon
from dungeon import Orientation
from dungeon import terrain as t
from dungeon.extend import Annex, Ground, Sites, Streams
from dungeon.generation.placing.annexes import LONGEST_HALLWAY, AnnexGround, AnnexPlan
from dungeon.generation.placing.attempt import PlacedRequest
from dungeon.generation.placing.placer import Placer
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.grid.regions import components

BOTH = ("room", "cave")

LANE = """
    _
    _
    _
    _
    _
    ##########
    #,,,,,,,,#
    ##########
    """


def put(made, prefabs, mode="enclosed", kinds=BOTH, seed=0, access=None, **params):
    """Place one of the prefabs, in an annex if no site fits."""
    prefabs = prefabs if isinstance(prefabs, list) else [prefabs]
    return Placer(made, Streams(seed), kinds=kinds).place(request(prefabs, mode, access, **params))


# -- pictures -------------------------------------------------------------------------------------


def test_a_room_that_fits_exactly_is_dug_beside_a_way_with_its_front_at_the_way():
    seen = set()
    for seed in range(60):
        made = settled(canvas(LANE))
        placed = put(made, prefab(".C.\n...", orientations=[Orientation.R0]), seed=seed)
        assert placed.dug
        assert placed.bounds == made.regions[-1].bounds
        assert made.regions[-1].kind == "room"
        check_consistent(made)
        seen.add(picture(made))
    assert (
        flat("""
        _
        _
        _ #####
        _ #...#
        _ #...#
        ####+#####
        #,,,,,,,,#
        ##########
        """)
        in seen
    )
    # Three doors at each of the six places, except doors that would lie in the corner of the lane's wall.
    assert 12 <= len(seen) <= 18


def test_the_door_leads_onto_a_cell_of_the_front_that_can_be_walked_on():
    for seed in range(30):
        made = settled(canvas(LANE))
        placed = put(made, prefab("...\n#C.", orientations=[Orientation.R0]), seed=seed)
        (door,) = made.connections
        assert (door.y, door.x) == (5, placed.bounds.x + 2)


def test_what_is_accessible_gets_a_room_in_which_one_gets_around_it():
    made = settled(canvas(LANE))
    placed = put(made, prefab("."), mode="accessible")
    room = made.regions[placed.region - 1].bounds
    assert (room.height, room.width) == (3, 3)
    assert room.encloses(placed.bounds)
    assert len(made.connections) == 1


def test_a_hallway_leads_where_no_door_can():
    made = settled(
        canvas("""
        BBBBBBBBBBBBBB
        B            B
        B            B
        B     ####   B
        B     #,,#   B
        B     ####   B
        BBBBBBBBBBBBBB
        """)
    )
    made.drawn[3, 7:9] = made.drawn[5, 7:9] = True  # a prefab's walls, which stay
    placed = put(made, prefab("..\n..", orientations=[Orientation.R90]))
    assert placed.dug
    hallway = [region for region in made.regions if region.kind == "corridor"][1:]
    assert all(region.bounds.area <= LONGEST_HALLWAY for region in hallway)
    check_open(made)


def check_open(made):
    """Assert that all open cells are connected."""
    assert components(made.open)[1] == 1


CAVE = """
    ____________________
    ____________________
    ____________________
    ____________________
    ____________________
    ____________________
    ____________________
    ____________________
    ____________________
    ____________________
    ########____________
    #::::::#____________
    #::::::#____________
    ########____________
    """


@pytest.mark.parametrize("mode", ["embedded", "centered"])
def test_caves_get_caves_which_tunnels_without_doors_join(mode):
    made = settled(canvas(CAVE))
    made.quiet[11:13, 1:4] = True  # so that there is no space in the cave
    for seed in range(20):
        trial = made.copy()
        placed = put(
            trial, prefab(".....\n.....\n.....\n.....", orientations=[Orientation.R0]), mode, seed=seed
        )
        assert isinstance(placed, PlacedRequest)
        if placed.dug:
            assert trial.regions[placed.region - 1].kind == "cave"
            assert not trial.connections
            check_open(trial)


def test_kinds_of_region_that_a_layout_does_not_know_are_not_dug():
    made = settled(canvas(LANE))
    before = state(made)
    refused = put(made, prefab("..\n.."), "centered", kinds=("room",))
    assert isinstance(refused, SpaceRefusal)
    assert refused.reason == "no cave is free"
    assert state(made) == before


TWO_LANES = """
    ##########
    #,,,,,,,,#
    #,########
    #,#_______
    #,#_______
    #,#_______
    #,########
    #,,,,,,,,#
    ##########
    """


def test_who_wants_several_ways_in_gets_an_annex_between_them():
    seen = set()
    for seed in range(20):
        made = settled(canvas(TWO_LANES))
        placed = put(made, prefab("."), "accessible", access=(2, 3), seed=seed)
        assert placed.dug
        assert Sites.of(made).sites[placed.region].ways == 2
        check_consistent(made)
        seen.add(picture(made))
    assert len(seen) > 5


def test_nobody_gets_more_ways_in_than_lead_anywhere():
    refused = put(settled(canvas(LANE)), prefab("."), "accessible", access=(9, 9))
    assert refused.reason == "no room is free, nor is there space to dig one"


def test_where_nothing_can_be_dug_the_map_stays_as_it_was():
    made = settled(canvas(LANE.replace("_", "B" * 10)))
    made.terrain[:5] = t.BLOCKED
    before = state(made)
    refused = put(made, prefab("."))
    assert refused.reason == "no room is free, nor is there space to dig one"
    assert state(made) == before


def test_a_cubby_is_dug_where_the_way_leads_along_all_of_its_front():
    for seed in range(20):
        made = settled(canvas(LANE))
        placed = put(made, prefab("....\n....", orientations=[Orientation.R0]), "cubby", seed=seed)
        assert placed.dug
        assert (made.base[5, placed.bounds.x : placed.bounds.right] == t.FLOOR).all()


def test_what_comes_later_finds_the_rooms_that_are_left():
    made = settled(
        canvas("""
        ____________
        ____________
        ____________
        ____________
        #####_______
        #...#_______
        ##+##_______
        #,,,,,,,,,##
        ############
        """)
    )
    placer = Placer(made, Streams(0), kinds=BOTH)
    big = placer.place(request([prefab("....\n....", "big", orientations=[Orientation.R0])], name=("big",)))
    small = placer.place(request([prefab("..", "small", orientations=[Orientation.R0])], name=("small",)))
    assert (big.dug, small.dug, small.region) == (True, False, 1)


def test_a_kept_room_is_taken_only_by_what_finds_no_other_place_and_has_no_annex():
    for text, kinds, dug, region in (
        ("####____\n#..#____\n##+#____\n#,,,,,,#\n########", (), False, 1),
        ("_____####\n_____#..#\n_____##+#\n#,,,,,,,#\n#########", BOTH, True, 3),
    ):
        made = settled(canvas(text))
        placer = Placer(made, Streams(0), kinds=kinds, kept=[1])
        placed = placer.place(request([prefab("..", "small", orientations=[Orientation.R0])]))
        assert (placed.dug, placed.region) == (dug, region)


# -- all of them ----------------------------------------------------------------------------------


def naive(made, annex, side, edge, length):
    """Return the places where an annex may be dug, by a naive search cell by cell."""
    height, width = made.terrain.shape
    dy, dx = list(SIDES.values())[side]
    by, bx = list(SIDES.values())[annex.back]
    is_open, base = made.open, made.base

    @cache
    def diggable(y, x):
        if (
            not (0 < y < height - 1 and 0 < x < width - 1)
            or is_open[y, x]
            or made.drawn[y, x]
            or made.quiet[y, x]
        ):
            return False
        code = made.terrain[y, x]
        return code == t.WALL or (code == t.EARTH and not made.used[y, x])

    @cache
    def closed(y, x):
        return 0 <= y < height and 0 <= x < width and not is_open[y, x]

    @cache
    def way(y, x):
        kind = (
            made.regions[made.region[y, x] - 1].kind
            if 0 <= y < height and 0 <= x < width and made.region[y, x]
            else ""
        )
        return (
            kind in ("corridor", "junction", "hall", "cave")
            and t.FLOOR <= base[y, x] <= t.CAVE
            and not (made.drawn[y, x] or made.quiet[y, x])
        )

    def is_door(y, x):
        cells = [(y + n * dy, x + n * dx) for n in range(length + 1)]
        flanks = [(a + dx, b + dy) for a, b in cells] + [(a - dx, b - dy) for a, b in cells]
        beyond = y + (length + 1) * dy, x + (length + 1) * dx
        return (
            all(diggable(*each) for each in cells) and all(closed(*each) for each in flanks) and way(*beyond)
        )

    found = set()
    for y, x in (at for at in product(range(height), range(width)) if diggable(*at)):
        block = [(y + a, x + b) for a in range(annex.height) for b in range(annex.width)]
        whole = {(a + n * by, b + n * bx) for a, b in block for n in range(annex.depth + 1)}
        around = {(a + c, b + d) for a, b in whole for c in (-1, 0, 1) for d in (-1, 0, 1)}
        if not all(diggable(*each) for each in whole) or not all(closed(*each) for each in around):
            continue
        line = {
            0: [(y + annex.height, x + n) for n in range(annex.width)],
            1: [(y + n, x - 1) for n in range(annex.height)],
            2: [(y - 1, x + n) for n in range(annex.width)],
            3: [(y + n, x + annex.width) for n in range(annex.height)],
        }[side]
        doors = [is_door(*each) for each in line]
        count = annex.facing
        runs = [all(doors[n : n + count]) for n in range(len(doors) - count + 1)]
        if any(free and door for free, door in zip(edge, doors, strict=True)) and (
            not count or (length == 0 and any(runs))
        ):
            found.add((y, x))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_all_places_are_found_and_no_others(seed):
    random = Random(seed)
    made = random_map(random)
    made.quiet[random.randrange(made.height), :] = random.random() < 0.3
    made.drawn[:, random.randrange(made.width)] = random.random() < 0.3
    ground = AnnexGround.of(Ground(made))
    for _ in range(6):
        size = random.randint(1, 5), random.randint(1, 5)
        side, depth = random.randrange(4), random.choice([0, 0, 2])
        length = size[0] if side % 2 else size[1]
        annex = Annex(
            kind="room",
            height=size[0],
            width=size[1],
            sides=(side,),
            back=(side + 2) % 4,
            depth=depth,
            facing=random.choice([0, 0, min(2, length), length]),
        )
        edge = tuple(random.random() < 0.7 for _ in range(length))
        wish = AnnexPlan(annex, np.ones(size, np.bool_), side, edge)
        found = [*ground.spots([wish], Streams(seed))]
        assert len({(each.y, each.x, each.length) for each in found}) == len(found)
        assert [each.length for each in found] == sorted(each.length for each in found)
        for hallway in range(LONGEST_HALLWAY + 1):
            at = {(each.y, each.x) for each in found if each.length == hallway}
            assert at == naive(made, annex, side, edge, hallway)


# -- levels ---------------------------------------------------------------------------------------


HALLS = """\
hall: {map: "........\\n........\\n........\\n........\\n........", orientations: [r0, r90]}
"""
ENCOUNTERS = """\
feast: {category: fluff, prefabs: hall, maps: {under: 1}, limit: {map: 2}}
dance: {category: fluff, prefabs: hall, placing: accessible, maps: {under: 1}, limit: {map: 2}}
nook: {category: fluff, prefabs: hall, placing: cubby, maps: {under: 1}, limit: {map: 1}}
"""


def test_every_encounter_that_is_drawn_comes_where_there_is_earth_enough(tmp_path):
    dug, refused = 0, {"true": 0, "false": 0}
    for annexes in refused:
        layout = "{tunnels: {sizes: small, small: 3..4, rooms: 12}}"
        files = {
            "prefabs/p.yaml": HALLS,
            "encounters/e.yaml": ENCOUNTERS,
            "maps/m.yaml": f"under: {{name: U, size: 90x60, encounters: 5, annexes: {annexes}, layout: {layout}}}\n",
            "world.yaml": "start: under/1\n",
        }
        content = load(tmp_path / annexes, files)
        for seed in range(15):
            level = dungeon.World(content, seed).level("under/1")
            assert dungeon.prove(level) == []
            told = [each for each in level.journal if each.stage == "place"]
            refused[annexes] += sum(each.verdict == "refused" for each in told)
            dug += sum(each.reason.endswith(", dug for it") for each in told)
            assert annexes == "true" or not any("dig" in each.reason for each in told)
    assert refused == {"true": 0, "false": 45}
    assert dug == 75
