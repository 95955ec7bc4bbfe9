"""Enclosed prefabs: doors opened, widened or removed with the front wall; the rest of the room filled or kept."""

from random import Random

import numpy as np
import pytest
from drawn import KINDS, SIDES, canvas, flat, picture, prefab
from placed import (
    check_consistent,
    doors_of,
    edges_of,
    ids,
    is_earth,
    is_floor_of,
    is_walkable,
    place,
    random_door,
    random_prefab,
    settled,
    spots,
    state,
)

from dungeon import Canvas, Cell, Orientation, Rect
from dungeon import terrain as t
from dungeon.generation.placing.attempt import PlacedRequest
from dungeon.grid.regions import components

HALL = """
    ###########
    #.........#
    #.........#
    #.........#
    #####+#####
    #,,,,,,,,,#
    ###########
    """


def placed_at(x, mode="enclosed", **params):
    """Return the hall with the shelf in a column, and the cell of the shelf."""
    for seed in range(100):
        made = hall()
        placed = place(made, SHELF, mode, seed=seed, **params)
        assert placed.spots == 5
        check_consistent(made)
        if placed.bounds.x == x:
            return made, placed
    raise AssertionError(f"it is never placed at {x}")


SHELF = prefab("~~~~~\n.....", orientations=[Orientation.R0])


def hall():
    """Return a hall beside a corridor."""
    return settled(canvas(HALL))


def test_a_cubby_is_open_to_the_corridor_along_its_whole_front():
    made, placed = placed_at(4, "cubby")
    assert picture(made) == flat("""
        _
        _  #######
        _  #~~~~~#
        _  #.....#
        ####.....##
        #,,,,,,,,,#
        ###########
        """)
    assert made.connections == []
    assert made.regions[placed.region - 1].bounds == (2, 4, 3, 5)


def test_no_cubby_is_opened_into_another_room():
    made = settled(
        canvas("""
        ###########
        #.........#
        #.........#
        #####+#####
        #.........#
        #.........#
        #+#########
        #,#
        ###
        """)
    )
    refused = place(made, SHELF, "cubby", (1, 2))
    assert refused.counts == (("without a corridor along all of its front", 2),)


def test_what_is_left_of_a_room_may_be_kept():
    made, _ = placed_at(5, surplus="keep")
    assert picture(made) == flat("""
        ###########
        #.........#
        #....~~~~~#
        #.........#
        #####+#####
        #,,,,,,,,,#
        ###########
        """)
    assert made.regions[0].bounds == (1, 1, 3, 9)


def test_doors_are_taken_off_or_made_wide():
    made, _ = placed_at(4, doors="open")
    assert picture(made).split("\n")[4] == "#####'#####"
    assert [door.kind for door in made.connections] == [t.DOORWAY]
    seen = {}
    for seed in range(60):
        made = hall()
        placed = place(made, SHELF, doors="widen", width=3, seed=seed)
        assert placed.spots == 5
        check_consistent(made)
        assert len(made.connections) == 3
        assert {tuple(sorted(door.between)) for door in made.connections} == {(1, 2)}
        seen[placed.bounds.x] = picture(made).split("\n")[4]
    middle = "####+++####"
    assert seen == {1: "###+++#####", 2: middle, 3: middle, 4: middle, 5: "#####+++###"}


def test_a_mere_gap_is_made_wide_too():
    made = hall()
    [door] = made.connections
    made.remove_doors([(door.y, door.x)])
    made.add_door(door.y, door.x, door.between, t.FLOOR)
    place(made, SHELF, doors="widen", width=3)
    assert [(each.kind, sorted(each.between)) for each in made.connections] == [(t.FLOOR, [1, 2])] * 3
    assert int((made.terrain[door.y] == t.FLOOR).sum()) == 3


def test_a_door_is_made_wide_only_where_a_corridor_runs_along():
    made = settled(canvas(HALL.replace("#,,,,,,,,,#", "####,,#####")))
    assert place(made, SHELF, doors="widen", width=3).counts == (
        ("with no door at its front that could be 3 wide", 1),
    )
    placed = place(made, SHELF, doors="widen", width=2)
    assert placed.spots == 4
    doors, corridor = picture(made).split("\n")[4:6]
    assert doors.find("++") == corridor.find(",,") == 4
    assert doors.count("+") == 2


def test_options_may_be_rolled():
    seen = set()
    for seed in range(60):
        made = hall()
        place(made, SHELF, doors=["keep", "open", "widen"], width="2..3", surplus=["fill", "keep"], seed=seed)
        line = picture(made).split("\n")[4]
        seen.add((line.strip("# "), made.regions[0].bounds.width))
    assert seen == {(door, width) for door in ("+", "'", "++", "+++") for width in (5, 9)}


# -- the oracle -----------------------------------------------------------------------------------


def random_halls(random):
    """Return a canvas with rooms, corridors along some of their walls, and doors."""
    made = Canvas(random.randint(10, 24), random.randint(10, 24), KINDS)
    for _ in range(30):
        height, width = random.choice([(1, 5), (4, 2), (3, 3), (3, 6), (5, 4), (2, 8)])
        y, x = random.randint(1, made.height), random.randint(1, made.width)
        if made.may_carve(Rect(y - 1, x - 1, height + 2, width + 2), 1):
            made.carve_room(Rect(y, x, height, width))
    rooms = list(made.regions)
    for room in rooms:
        for _ in range(3):
            _run_along(made, room.bounds, random)
    for room in rooms:
        for _ in range(10):
            if sum(room.id in door.between for door in made.connections) < 1 + (random.random() < 0.1):
                random_door(made, room, random)
    made.build_walls()
    if random.random() < 0.2:
        made.quiet[random.randint(0, made.height - 1)] = True
    return made


def _run_along(made, bounds, random):
    """Carve a corridor along one side of a room, if there is space."""
    side = random.choice(list(SIDES))
    dy, dx = SIDES[side]
    length = random.randint(2, 14)
    if dy:
        y = bounds.bottom + 1 if dy > 0 else bounds.y - 2
        strip = Rect(y, random.randint(bounds.x - 2, bounds.x + 1), 1, length)
    else:
        x = bounds.right + 1 if dx > 0 else bounds.x - 2
        strip = Rect(random.randint(bounds.y - 2, bounds.y + 1), x, length, 1)
    if made.may_carve(strip, 1) if random.random() < 0.5 else made.may_carve(strip, 0):
        made.carve_room(strip, random.choice(["corridor", "corridor", "junction"]), t.CORRIDOR)


def facing(made, room, drawing, corner):
    """Return, for each cell of the front, whether a wall or door lies before it and a corridor behind that."""
    dy, dx = drawing.orientation.turn_vector(1, 0)
    front = next(side for side, each in SIDES.items() if each == (dy, dx))
    found = []
    for y, x in sorted(edges_of(drawing)[front]):
        wall = corner[0] + y + dy, corner[1] + x + dx
        way = wall[0] + dy, wall[1] + dx
        is_door = KINDS.base[made.terrain[wall]] in t.DOORS and made.region[wall] == 0
        on_map = 0 <= way[0] < made.height and 0 <= way[1] < made.width
        opens = on_map and is_floor_of(made, way, ids(made, "corridor", "junction"))
        found.append(((y, x), is_door, (is_door or is_earth(made, wall)) and opens))
    return front, found


def ways_into(made, room):
    """Return (own cell, side) of each opening of a room."""
    found = [
        (cell, side)
        for cell in room.bounds.cells()
        for side, (dy, dx) in SIDES.items()
        if made.region[cell] == room.id
        and made.open[cell.y + dy, cell.x + dx]
        and made.region[cell.y + dy, cell.x + dx] != room.id
    ]
    assert set(doors_of(made, room)) <= set(found)
    return found


def is_spot(made, room, drawing, corner, mode, surplus, doors, width):
    """Return whether a drawing may lie with its top-left cell at a cell: a naive version of the modes' rules."""
    target = Rect(*corner, drawing.height, drawing.width)
    if not all(is_floor_of(made, cell, {room.id}) for cell in target.cells()):
        return False
    front, along = facing(made, room, drawing, corner)
    thresholds = [((y - corner[0], x - corner[1]), side) for (y, x), side in ways_into(made, room)]
    edges = edges_of(drawing)
    served = [cell in edges[side] and is_walkable(drawing, cell) for cell, side in thresholds]
    if not any(good for good, (_, side) in zip(served, thresholds, strict=True) if side == front):
        return False
    for good, ((y, x), _) in zip(served, thresholds, strict=True):
        outside = not (0 <= y < drawing.height and 0 <= x < drawing.width)
        if not good and not (surplus == "keep" and outside):
            return False
    if mode == "cubby":
        return all(opens for *_, opens in along)
    if doors == "widen":
        runs = [along[first : first + width] for first in range(len(along) - width + 1)]
        return any(
            all(opens and is_walkable(drawing, cell) for cell, _, opens in run)
            and any(is_door for _, is_door, _ in run)
            for run in runs
        )
    return True


CASES = [
    ("cubby", {"surplus": "fill"}),
    ("cubby", {"surplus": "keep"}),
    ("enclosed", {"surplus": "keep"}),
    ("enclosed", {"doors": "widen", "width": 2}),
    ("enclosed", {"doors": "widen", "width": 3, "surplus": "keep"}),
]


@pytest.mark.parametrize(("mode", "params"), CASES, ids=str)
def test_spots_are_those_of_a_search_by_the_rules(mode, params):
    met = 0
    for seed in range(40):
        random = Random(f"{mode} {params} {seed}")
        made = random_halls(random)
        said = {"surplus": "fill", "doors": "keep", "width": 2, **params}
        for each in (random_prefab(random), random_prefab(random)):
            for drawing in each.drawings:
                expected = [
                    cell
                    for region in made.regions
                    if region.kind == "room"
                    for cell in region.bounds.cells()
                    if is_spot(made, region, drawing, cell, mode, **said)
                ]
                assert set(spots(made, drawing, mode, (0, 9), **params)) == set(expected), (seed, drawing)
                met += len(expected)
    assert met > 8


@pytest.mark.parametrize(("mode", "params"), [*CASES, ("enclosed", {"doors": "open"})], ids=str)
def test_the_map_stays_whole_and_its_doors_in_step(mode, params):
    met = 0
    for seed in range(60):
        random = Random(f"whole {mode} {seed}")
        made = random_halls(random)
        before, parts = state(made), components(made.passable())[1]
        placed = place(
            made, [random_prefab(random, name) for name in "abcdef"], mode, (0, 9), seed=seed, **params
        )
        if not isinstance(placed, PlacedRequest):
            assert state(made) == before
            continue
        met += 1
        check_consistent(made)
        obstacles = np.zeros_like(made.open)
        obstacles[placed.bounds.slices] = placed.drawing.obstacles
        assert components(made.passable() & ~obstacles)[1] == parts
        assert all(Cell(door.y, door.x) != placed.bounds[:2] for door in made.connections)
        if params.get("doors") == "open":
            assert {door.kind for door in made.connections if placed.region in door.between} == {t.DOORWAY}
    assert met > 5


def test_a_door_within_the_bounds_of_a_room_that_is_no_rectangle_stays():
    made = settled(
        canvas("""
        ###########
        ###.....###
        ###.....###
        ####...####
        #,,+...####
        #,####+####
        #,,,,,,####
        ###########
        """)
    )
    for seed in range(10):
        trial = made.copy()
        assert isinstance(place(trial, prefab("...\n..."), access=(2, 2), seed=seed), PlacedRequest)
        assert {(door.y, door.x) for door in trial.connections} == {(4, 3), (5, 6)}
        check_consistent(trial)
