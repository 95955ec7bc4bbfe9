"""The canvas: its verbs keep arrays, regions and doors in step, and everything can be undone."""

from random import Random

import numpy as np
import pytest
from drawn import CODES, KINDS, canvas, codes, flat, picture, picture_of_mask, rows

from dungeon import Canvas, Connection, GenerationError, Rect
from dungeon import terrain as t
from dungeon.level.canvas import MAX_REGIONS


def used_of(made):
    """Return the cells that are not free to be dug."""
    return made.used.copy()


def state(made):
    """Return everything that a canvas is."""
    return (
        made.terrain.tobytes(),
        made.region.tobytes(),
        made.drawn.tobytes(),
        made.used.tobytes(),
        tuple(made.regions),
        tuple(made.connections),
    )


# -- carving --------------------------------------------------------------------------------------


def test_rooms_corridors_and_doors_are_carved_and_get_walls():
    made = Canvas(8, 16)
    room = made.carve_room(Rect(2, 2, 3, 4))
    hall = made.carve_room(Rect(1, 8, 6, 1), "corridor", t.CORRIDOR)
    spur = made.carve_room(Rect(3, 7, 1, 1), "corridor", t.CORRIDOR)
    made.add_door(3, 6, (room, spur))
    made.build_walls()
    assert picture(made) == flat("""
        _      ###
        _#######,#
        _#....##,#
        _#....+,,#
        _#....##,#
        _#######,#
        _      #,#
        _      ###
        """)
    assert [(each.kind, each.bounds) for each in made.regions] == [
        ("room", (2, 2, 3, 4)),
        ("corridor", (1, 8, 6, 1)),
        ("corridor", (3, 7, 1, 1)),
    ]
    assert made.connections == [Connection(y=3, x=6, kind=t.DOOR, between=(room, spur))]
    assert (made.region[3, 3], made.region[3, 6], made.region[6, 8]) == (room, 0, hall)
    assert np.array_equal(used_of(made), made.open)


@pytest.mark.parametrize("rect", [(0, 2, 1, 1), (2, 0, 1, 1), (7, 2, 1, 1), (2, 15, 1, 1), (6, 2, 2, 1)])
def test_the_outermost_cells_cannot_be_opened(rect):
    made = Canvas(8, 16)
    before = state(made)
    assert not made.inside(Rect(*rect))
    assert not made.may_carve(Rect(*rect))
    with pytest.raises(ValueError, match="reaches the closed edge of a map of 8x16"):
        made.carve(Rect(*rect), t.FLOOR, 0)
    with pytest.raises(ValueError, match="reaches the closed edge of a map of 8x16"):
        made.stamp(rect[0], rect[1], np.full(rect[2:], t.WALL, np.uint8), 0)
    assert state(made) == before


def test_only_free_earth_inside_the_border_may_be_carved():
    made = Canvas(7, 12)
    made.carve_room(Rect(2, 2, 2, 2))
    made.reserve(Rect(3, 8, 1, 1))
    spots = [
        [[made.may_carve(Rect(y, x, 1, 2), margin) for x in range(12)] for y in range(7)] for margin in (0, 1)
    ]
    assert picture_of_mask(np.array(spots[0])) == flat("""
        ............
        .#########..
        ....######..
        ....###..#..
        .#########..
        .#########..
        ............
        """)
    assert picture_of_mask(np.array(spots[1])) == flat("""
        ............
        .....#####..
        .....#......
        .....#......
        .....#......
        .#########..
        ............
        """)


def test_too_many_regions_raise_an_error():
    made = Canvas(4, 4)
    made.regions = [made.regions] * MAX_REGIONS
    with pytest.raises(GenerationError, match="65535 regions"):
        made.add_region("zone", Rect(1, 1, 1, 1))


def test_bounds_grow_over_pieces():
    made = Canvas(9, 9)
    region = made.carve_room(Rect(4, 4, 1, 2))
    made.widen_bounds(region, Rect(2, 5, 1, 1))
    assert made.regions[0].bounds == (2, 4, 3, 2)
    made.widen_bounds(region, Rect(3, 1, 4, 1))
    assert made.regions[0].bounds == (2, 1, 5, 5)


def test_the_cells_of_regions_are_found():
    made = Canvas(4, 8)
    first, second = made.carve_room(Rect(1, 1, 2, 2)), made.carve_room(Rect(1, 4, 2, 3))
    assert picture_of_mask(made.within([second])).split() == rows("""
        ........
        ....###.
        ....###.
        ........
        """)
    assert made.within([first, second]).sum() == 10
    assert not made.within([]).any()


def test_removed_doors_are_no_connections():
    made = canvas("""
        #####
        #.+.#
        ##+##
        #...#
        #####
        """)
    made.remove_doors([(2, 2), (4, 4)])
    assert [(door.y, door.x) for door in made.connections] == [(1, 2)]


# -- drawing --------------------------------------------------------------------------------------


def test_a_stamp_leaves_the_map_unchanged_under_keep_cells():
    made = canvas("""
        #########
        #.......#
        #.......#
        #.......#
        #########
        """)
    region = made.add_region("zone", Rect(1, 2, 3, 4))
    made.stamp(1, 2, codes("?#~?\n_? .\n????"), region)
    assert picture(made) == flat("""
        #########
        #..#~...#
        #. . ...#
        #.......#
        #########
        """)
    assert made.region.tolist()[1:3] == [[0, 1, 1, 0, 2, 1, 1, 1, 0], [0, 1, 0, 1, 0, 2, 1, 1, 0]]
    assert made.drawn.sum() == 5
    # Earth that a prefab drew is used although it is earth.
    assert made.used[2, 2]


def test_what_was_stamped_is_not_filled_and_its_earth_gets_walls_where_it_touches_open_cells():
    made = canvas("""
        ########
        #......#
        #......#
        ########
        """)
    made.stamp(1, 3, codes("_.\n.#"), 1)
    made.build_walls()
    assert picture(made) == flat("""
        ########
        #..#...#
        #...#..#
        ########
        """)
    made.fill(Rect(1, 1, 2, 6))
    made.build_walls()
    assert picture(made) == flat("""
        _  ###
        _ ##.#
        _ #.##
        _ ###
        """)
    assert not made.may_carve(Rect(1, 3, 1, 1), 0)


def test_filled_rooms_can_be_dug_again():
    made = Canvas(6, 8)
    region = made.carve_room(Rect(1, 1, 4, 6))
    made.fill(Rect(1, 4, 4, 3))
    assert made.may_carve(Rect(1, 4, 4, 3), 0)
    assert made.region[1, 3] == region
    assert not made.region[1, 4]


def test_a_drawing_of_the_whole_map_leaves_a_frame():
    made = Canvas(5, 8, KINDS)
    made.draw_whole(1, codes("......\n..?+~.\n_..  ."))
    assert picture(made) == flat("""
        _
        _......
        _.. +~.
        _ ..  .
        _
        """)
    made = Canvas(3, 6, KINDS)
    made.draw_whole(0, codes("......\n..?+~.\n_..  ."))
    assert picture(made) == flat("""
        ######
        #. +~#
        _##  #
        """)
    assert not made.drawn.any()


# -- walls ----------------------------------------------------------------------------------------


def random_canvas(random):
    """Return a canvas with floors, walls, stamped cells and blocked ones at random."""
    made = Canvas(random.randint(3, 14), random.randint(3, 14), KINDS)
    letters = random.choice([" .", " #.", "    #.", " ..~+B#"])
    for y in range(1, made.height - 1):
        for x in range(1, made.width - 1):
            made.terrain[y, x] = CODES[random.choice(letters)]
            made.drawn[y, x] = random.random() < 0.1
    return made


def naive_walls(made):
    """Return the terrain with walls where earth touches open cells, and none but drawn ones elsewhere."""
    terrain, is_open = made.terrain.copy(), np.pad(made.open, 1)
    for y in range(made.height):
        for x in range(made.width):
            touched = is_open[y : y + 3, x : x + 3].any()
            if made.terrain[y, x] == t.EARTH and touched:
                terrain[y, x] = t.WALL
            elif made.terrain[y, x] == t.WALL and not touched and not made.drawn[y, x]:
                terrain[y, x] = t.EARTH
    return terrain


@pytest.mark.parametrize("seed", range(60))
def test_walls_stand_where_open_cells_are_touched(seed):
    random = Random(seed)
    made = random_canvas(random)
    expected = naive_walls(made)
    made.build_walls()
    assert picture(made) == picture(expected)
    made.build_walls()
    assert picture(made) == picture(expected)


@pytest.mark.parametrize("seed", range(60))
def test_walls_rebuilt_around_a_change_are_those_rebuilt_everywhere(seed):
    random = Random(seed)
    made = random_canvas(random)
    made.build_walls()
    y, x = random.randint(1, made.height - 2), random.randint(1, made.width - 2)
    rect = Rect(y, x, random.randint(1, made.height - 1 - y), random.randint(1, made.width - 1 - x))
    if random.random() < 0.5:
        made.fill(rect)
    else:
        made.carve(rect, t.FLOOR, 0)
    expected = naive_walls(made)
    made.build_walls(rect.grown())
    assert picture(made) == picture(expected)


def test_walls_without_open_neighbours_stay_unless_cleared():
    made = canvas("""
        #### #
        #..#
        ##.#
         ###BB
        """)
    made.put(2, 2, t.WALL)
    made.build_walls(clear=False)
    assert picture(made) == flat("""
        #### #
        #..#
        ####
         ###BB
        """)
    made.build_walls()
    assert picture(made) == flat("""
        ####
        #..#
        ####
            BB
        """)


# -- going back -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_everything_inside_a_snapshot_can_be_undone(seed):
    random = Random(seed)
    made = canvas("""
        ###############
        #.....#.......#
        #.....+.......#
        #.....#.......#
        #######....####
           #,,+....#
           ########
        """)
    room = made.regions[random.randrange(2)].bounds
    made.stamp(room.y, room.x, codes(".?\n?#"), 1)
    before = state(made)
    snapshot = made.snapshot(room.grown())
    for _ in range(random.randint(1, 6)):
        y, x = random.randint(room.y, room.bottom - 1), random.randint(room.x, room.right - 1)
        rect = Rect(y, x, random.randint(1, room.bottom - y), random.randint(1, room.right - x))
        verb = random.randrange(7)
        if verb == 0:
            made.fill(rect)
        elif verb == 1:
            made.carve_room(rect)
        elif verb == 2:
            made.stamp(y, x, np.full(rect[2:], random.choice([t.EARTH, t.FLOOR, t.KEEP]), np.uint8), 1)
        elif verb == 3:
            made.add_door(y, x, (1, 2))
        elif verb == 4:
            made.remove_doors([(2, 6)])
        elif verb == 5:
            made.set_bounds(1, rect)
        else:
            made.build_walls(room.grown())
    made.restore(snapshot)
    assert state(made) == before
    # A snapshot can be gone back to more than once.
    made.carve_room(room)
    made.restore(snapshot)
    assert state(made) == before


TWO_ROOMS = """
    ###############
    #.....#.......#
    #.....#.......#
    #.....#.......#
    ###+#####+#####
    #,,,,,,,,,,,,,#
    ###############
    """


def put_pillars(made, region):
    """Draw pillars in a room and remove its door; return what its rectangle was before and after."""
    room = made.regions[region - 1]
    before = made.snapshot(room.bounds.grown())
    made.stamp(room.bounds.y + 1, room.bounds.x + 1, codes("#.#"), region)
    made.keep_quiet(room.bounds)
    made.remove_doors([(door.y, door.x) for door in made.connections if region in door.between])
    return before, made.snapshot(before.rect), room


def test_one_change_is_taken_back_while_a_later_one_stays():
    made, other = canvas(TWO_ROOMS), canvas(TWO_ROOMS)
    first = put_pillars(made, 1)
    for each in (made, other):
        put_pillars(each, 2)
    assert made.take_back(*first)
    assert state(made) == state(other)
    assert (made.quiet == other.quiet).all()


@pytest.mark.parametrize(
    ("cell", "works"), [((2, 2), False), ((2, 3), False), ((3, 3), False), ((3, 9), True)]
)
def test_a_change_is_not_taken_back_if_a_later_one_touches_it(cell, works):
    made = canvas(TWO_ROOMS)
    first = put_pillars(made, 1)
    made.quiet[first[0].rect.slices] = first[0].quiet
    made.put(*cell, t.STAIRS_DOWN)
    before = state(made)
    assert made.take_back(*first) is works
    assert (state(made) == before) is not works
    assert made.terrain[cell] == t.STAIRS_DOWN


def test_keep_cells_of_a_stamp_are_not_used():
    made = Canvas(5, 70)
    made.reserve(Rect(1, 60, 1, 1))
    made.stamp(1, 1, np.full((3, 60), t.FLOOR, np.uint8), 1)
    made.stamp(1, 61, np.full((2, 4), t.KEEP, np.uint8), 1)
    assert used_of(made).sum() == 180
    made.stamp(2, 62, np.full((1, 2), t.EARTH, np.uint8), 1)
    assert np.flatnonzero(used_of(made)[2]).tolist() == [*range(1, 61), 62, 63]
