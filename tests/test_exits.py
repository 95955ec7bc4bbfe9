"""Where the player arrives and where the ways on are."""

from collections import Counter
from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from drawn import canvas, codes, drawing, mask, picture

from dungeon import Cell, GenerationError, Placement, Portal, Rect, Region
from dungeon import terrain as t
from dungeon.content.prefab.drawing import DrawnGround, DrawnKey, DrawnLock
from dungeon.extend import Streams
from dungeon.generation.layouts.exits import FAR_SHARE, ForeseenStairs, StairContext, choose_stairs
from dungeon.grid.diameter import diameter
from dungeon.grid.regions import distances

HALLS = """
    ##############################
    #......#..........#..........#
    #......+..........#..........#
    #......#..........+..........#
    #......#..........#..........#
    #######################+######
    #,,,,,,,,,,,,,,,,,,,,,,,,,,,,#
    ##+#################+#########
    #....#         #.........#
    #....#         #.........#
    ######         ###########
    """


def ways(made, count=1, placements=(), seed=0, way=0, **masks):
    """Find the ways of a canvas to so many maps."""
    leads_to = [f"m{number}/2" for number in range(count)]
    return choose_stairs(
        made, leads_to, Streams(seed, "m/1"), StairContext(placements=placements, **masks), way
    )


def placement(region, bounds):
    """Return a placement in a region."""
    return Placement(
        encounter="e",
        category="fluff",
        prefab="p",
        mode="accessible",
        orientation="r0",
        region=region,
        bounds=Rect(*bounds),
    )


# -- chosen ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_ways_are_distinct_in_rooms_and_off_the_doors(count):
    for seed in range(60):
        made = canvas(HALLS)
        before = made.terrain.copy()
        found = ways(made, count, seed=seed)
        cells = [found.entrance, *found.exits]
        assert len(set(cells)) == count + 1
        for cell in cells:
            assert before[cell] == t.FLOOR
            assert made.regions[made.region[cell] - 1].kind == "room"
            assert all(max(abs(door.y - cell.y), abs(door.x - cell.x)) > 1 for door in made.connections)
        assert made.terrain[found.entrance] == t.STAIRS_UP
        assert all(made.terrain[cell] == t.STAIRS_DOWN for cell in found.exits)
        assert int((made.terrain != before).sum()) == count + 1


def test_every_exit_is_far_from_the_entrance_and_from_those_before_it():
    for seed in range(60):
        made = canvas(HALLS)
        found = ways(made, 3, seed=seed)
        taken = [found.entrance]
        for cell in found.exits:
            walk = distances(made.passable(), taken)
            in_rooms = made.open & np.isin(
                made.region, [each.id for each in made.regions if each.kind == "room"]
            )
            assert walk[cell] >= FAR_SHARE * walk[in_rooms].max() - 2
            taken.append(cell)


@pytest.mark.parametrize("way", [0.3, 0.6, 0.8])
def test_every_exit_is_as_far_from_the_entrance_as_the_map_says(way):
    """The rooms on the left hold encounters, so that quiet rooms lie side by side: corridors must do then."""
    for seed in range(60):
        made = canvas(HALLS)
        taken = [placement(made.region[cell], (*cell, 3, 3)) for cell in ((1, 1), (1, 19))]
        longest = diameter(made.passable()).low
        found = ways(made, 3, taken, seed, way=way)
        walk = distances(made.passable(), [found.entrance])
        assert found.least >= 0.8 * way * longest, "about the longest way there is"
        assert all(walk[cell] >= found.least for cell in found.exits)
        assert found.near == ()


def test_where_no_cell_is_far_enough_the_farthest_one_is_taken():
    for seed in range(20):
        made = canvas("""
            ###################
            #<......+.........#
            ###################
            """)
        whole = [placement(each.id, (1, 5, 1, 13)) for each in made.regions]
        found = ways(made, 1, whole, seed, way=1)
        assert found.exits == found.near == (Cell(1, 4),)
        assert found.least == 13


def test_drawn_stairs_may_be_nearer_and_are_told_of():
    made = canvas("""
        ######################
        #....<..>............#
        ######################
        """)
    found = ways(made, 1, way=0.6)
    assert found.exits == found.near == (Cell(1, 8),)
    assert found.least == ceil(0.6 * 19)


def test_the_entrance_is_chosen_far_from_a_drawn_exit():
    for seed in range(30):
        made = canvas("""
            ######################
            #............>.......#
            ######################
            """)
        found = ways(made, 1, seed=seed, way=0.6)
        assert found.entrance.x <= 13 - 0.6 * 12
        assert not found.near


def test_a_gap_in_a_wall_is_no_place_for_stairs():
    for seed in range(10):
        made = canvas("""
            #######
            #..+..#
            #######
            """)
        [door] = made.connections
        made.remove_doors([(1, 3)])
        made.add_door(1, 3, door.between, t.FLOOR)
        ways(made, 3, seed=seed)
        assert made.terrain[1, 3] == t.FLOOR
        with pytest.raises(GenerationError, match="no cell left for stairs"):
            ways(made, 4, seed=seed)


def test_the_entrance_may_be_anywhere():
    rooms = {int(canvas(HALLS).region[ways(canvas(HALLS), seed=seed).entrance]) for seed in range(80)}
    assert rooms == {each.id for each in canvas(HALLS).regions if each.kind == "room"}


def test_stairs_are_where_they_were_foreseen_or_else_in_the_same_room_or_anywhere():
    before = ways(canvas(HALLS), 2)
    cells = [before.entrance, *before.exits]
    made = canvas(HALLS)
    foreseen = [ForeseenStairs(cell, int(made.region[cell])) for cell in cells]
    for seed in range(10):  # of another seed than what was foreseen
        again = ways(canvas(HALLS), 2, seed=seed, foreseen=foreseen)
        assert [again.entrance, *again.exits] == cells
    for moved, (cell, region) in enumerate(foreseen):
        meant = np.zeros(made.terrain.shape, np.bool_)
        meant[cell] = True
        found = ways(canvas(HALLS), 2, foreseen=foreseen, objects=meant)
        there = [found.entrance, *found.exits]
        assert there[moved] != cell
        assert made.region[there[moved]] == region
        found = ways(
            canvas(HALLS), 2, [placement(region, made.regions[region - 1].bounds)], foreseen=foreseen
        )
        there = [found.entrance, *found.exits]
        assert made.region[there[moved]] != region
        others = [each for number, each in enumerate(foreseen) if number != moved and each.region != region]
        assert [each.cell for each in others] == [each.cell for each in others if each.cell in there]


def test_an_entrance_that_must_be_elsewhere_takes_the_place_of_an_exit_that_was_foreseen() -> None:
    """Nobody says how far apart they are to be: still they are two."""
    made = canvas(HALLS)
    where = Cell(2, 14)
    foreseen = [
        ForeseenStairs(Cell(2, 2), int(made.region[2, 2])),
        ForeseenStairs(where, int(made.region[where])),
    ]
    only = np.zeros(made.terrain.shape, np.bool_)
    only[where] = True
    found = ways(made, foreseen=foreseen, satisfying={"entrance": only})
    assert found.entrance == where
    assert where not in found.exits


def test_stairs_come_first_where_they_had_better_be():
    plain = canvas(HALLS)
    ids = [int(plain.region[cell]) for cell in ((1, 1), (8, 1))]
    found = set()
    for seed in range(20):
        made = canvas(HALLS)
        before = ways(canvas(HALLS), 1, seed=seed)
        after = ways(made, 1, seed=seed, preferred=made.within(ids))
        found |= {int(plain.region[cell]) for cell in (before.entrance, *before.exits)}
        assert {int(plain.region[cell]) for cell in (after.entrance, *after.exits)} <= {*ids}
    assert not found <= {*ids}
    nowhere = np.zeros(plain.terrain.shape, np.bool_)
    assert ways(canvas(HALLS), 2, preferred=nowhere).exits == ways(canvas(HALLS), 2).exits


def test_encounters_keep_their_rooms_to_themselves():
    made = canvas(HALLS)
    taken = [placement(made.region[cell], (*cell, 1, 1)) for cell in ((1, 1), (1, 8), (1, 19), (8, 1))]
    for seed in range(20):
        made = canvas(HALLS)
        found = ways(made, 2, taken, seed)
        assert {int(made.region[cell]) for cell in (found.entrance, *found.exits)} == {made.region[8, 16]}


def test_where_all_rooms_are_taken_stairs_stand_beside_what_covers_them_or_in_corridors():
    made = canvas(HALLS)
    rooms = [each for each in made.regions if each.kind == "room"]
    whole = [placement(each.id, each.bounds) for each in rooms]
    corridor = int(made.region[6, 1])
    for seed in range(20):
        made = canvas(HALLS)
        found = ways(made, 2, whole, seed)
        assert {int(made.region[cell]) for cell in (found.entrance, *found.exits)} == {corridor}


def test_an_encounter_elsewhere_seldom_moves_the_stairs():
    same = 0
    for seed in range(100):
        before = ways(canvas(HALLS), 1, seed=seed)
        made = canvas(HALLS)
        after = ways(made, 1, [placement(made.region[8, 1], (8, 1, 1, 1))], seed)
        same += before.entrance == after.entrance
        if made.region[before.entrance] != made.region[8, 1]:
            assert before.entrance == after.entrance
    assert same > 80


def test_obstacles_and_what_is_drawn_are_kept_clear():
    text = """
        ##########
        #...#....#
        #........#
        #...#....#
        ##########
        """
    meant = mask("""
        ..........
        .###.####.
        .#.#.####.
        .###.###..
        ..........
        """)
    gap = np.zeros(meant.shape, np.bool_)
    gap[2, 4] = True
    for seed in range(20):
        found = ways(canvas(text), 1, seed=seed, objects=meant)
        assert {found.entrance, *found.exits} <= {(2, 2), (2, 4), (3, 8)}
        # With the gap blocked the larger part is the map, and it has one cell left.
        assert ways(canvas(text), 0, seed=seed, objects=meant, obstacles=gap).entrance == (3, 8)
        with pytest.raises(GenerationError, match="no cell left for stairs"):
            ways(canvas(text), 1, seed=seed, objects=meant, obstacles=gap)


def test_sealed_rooms_and_islands_are_no_place_to_arrive():
    text = """
        ##################
        #..#~~~~~~~~~#...#
        #..#~.......~#...#
        #..#~~~~~~~~~#...#
        #..#......~~~#...#
        ##################
        """
    for seed in range(20):
        made = canvas(text)
        made.regions[2] = Region(id=3, kind="prefab", bounds=made.regions[2].bounds, sealed=True)
        found = ways(made, 1, seed=seed)
        assert {cell.x for cell in (found.entrance, *found.exits)} <= {1, 2}
        assert found.ground.sum() == 8


@pytest.mark.parametrize(("text", "fits"), [("#.#", 1), ("#..#", 2), ("#,.#", 2), ("#:::#", 3)])
def test_maps_with_few_cells(text, fits):
    for count in range(4):
        made = canvas(f"{'#' * len(text)}\n{text}\n{'#' * len(text)}")
        if count + 1 <= fits:
            found = ways(made, count)
            assert len({found.entrance, *found.exits}) == count + 1
        else:
            with pytest.raises(GenerationError, match="no cell left for stairs"):
                ways(made, count)


def test_a_map_without_a_cell():
    with pytest.raises(GenerationError, match="no cell left for stairs"):
        ways(canvas("###\n#~#\n###"))


# -- drawn ----------------------------------------------------------------------------------------


def test_drawn_stairs_come_first_and_surplus_ones_become_floor():
    made = canvas("""
        ##############
        #.>..<...>...#
        #...X....<...#
        ##############
        """)
    found = ways(made, 2)
    assert found.entrance in [(1, 5), (2, 9)]
    assert found.exits in [((1, 2), (1, 9)), ((1, 2), (2, 4)), ((1, 9), (2, 4))]
    kept = {found.entrance, *found.exits}
    for cell in [(1, 2), (1, 5), (1, 9), (2, 4), (2, 9)]:
        assert (made.terrain[cell] == t.FLOOR) == (cell not in kept)
    made = canvas("""
        ##############
        #.>..........#
        ##############
        """)
    found = ways(made, 0)
    assert picture(made).count(">") == 0
    assert found.exits == ()


def uneven(counts, options):
    """Return how far counts are from being even: chi squared."""
    even = sum(counts.values()) / len(options)
    return sum((counts[each] - even) ** 2 / even for each in options)


def test_which_of_too_many_stairs_are_taken_is_up_to_chance():
    downs, ups = [(1, 2), (1, 9), (2, 4), (3, 1), (3, 12)], [(1, 5), (2, 9), (3, 6)]
    entrances, one_of, two_of = Counter(), Counter(), Counter()
    for seed in range(600):
        for count, taken in ((1, one_of), (2, two_of)):
            made = canvas("""
                ##############
                #.>..<...>...#
                #...X....<...#
                #>....<.....>#
                ##############
                """)
            found = ways(made, count, seed=seed)
            assert list(found.exits) == sorted(found.exits), "the topmost leads to the first map"
            taken.update(found.exits)
        entrances[found.entrance] += 1
    assert (set(one_of), set(two_of), set(entrances)) == (set(downs), set(downs), set(ups))
    assert uneven(one_of, downs) < 18.5, "more than that once in 1000 times, if all are as likely"
    assert uneven(two_of, downs) < 18.5
    assert uneven(entrances, ups) < 13.8


def test_of_too_many_stairs_those_that_were_foreseen_are_taken():
    text = """
        ##############
        #.>..<...>...#
        #...X....<...#
        ##############
        """
    for up, down in (((1, 5), (1, 9)), ((2, 9), (1, 2)), ((2, 9), (2, 4))):
        foreseen = [ForeseenStairs(Cell(*cell), 1) for cell in (up, down)]
        for seed in range(4):
            found = ways(canvas(text), 1, seed=seed, foreseen=foreseen)
            assert (found.entrance, *found.exits) == (up, down)


def test_which_stairs_lead_down_is_drawn_apart_from_which_lead_up():
    edge = "#############"
    for seed in range(30):
        one, other = (
            ways(canvas(f"{edge}\n{row}\n{edge}"), 1, seed=seed) for row in ("#.>..<.>..>.#", "#.>..<.>..><#")
        )
        assert one.exits == other.exits


def test_an_entrance_that_leads_nowhere_is_not_taken_where_there_is_another():
    for seed in range(20):
        made = canvas("""
            ###########
            #<#.......#
            ###....<.>#
            ###########
            """)
        found = ways(made, 1, seed=seed)
        assert (found.entrance, found.exits) == ((2, 7), ((2, 9),))


def test_what_is_not_drawn_is_added_far_from_what_is():
    for seed in range(30):
        made = canvas("""
            #####################
            #>..................#
            #####################
            """)
        found = ways(made, 2, seed=seed)
        assert found.exits[0] == (1, 1)
        assert found.entrance.x >= 1 + FAR_SHARE * 18
        assert found.exits[1] not in (found.entrance, (1, 1))


def test_stairs_to_which_no_way_leads_are_no_exits():
    made = canvas(
        """
        ###################
        #<.....#~>~#>..#>.#
        #......#~~~#...#..#
        #......~~~~C...#..#
        ###################
        """.replace("C", "+")
    )
    obstacles = np.zeros(made.terrain.shape, np.bool_)
    obstacles[3, 11] = True
    found = ways(made, 1, obstacles=obstacles)
    assert found.entrance == (1, 1)
    assert found.exits[0].x < 7
    assert picture(made).count(">") == 1


def test_the_way_leads_through_every_kind_of_door():
    for door in "+'sL":
        made = canvas(f"""
            #########
            #<..{door}..>#
            #########
            """)
        assert ways(made, 1).exits == ((1, 7),)


def test_something_drawn_on_stairs_does_not_hide_them():
    made = canvas("""
        #########
        #<.....>#
        #########
        """)
    on_stairs = mask("""
        .........
        .#.....#.
        .........
        """)
    found = ways(made, 1, obstacles=on_stairs, objects=on_stairs)
    assert (found.entrance, found.exits) == ((1, 1), ((1, 7),))


def test_an_entrance_in_a_sealed_part_is_none():
    made = canvas("""
        ##########
        #<..#....#
        ##########
        """)
    made.regions[0] = Region(id=1, kind="prefab", bounds=made.regions[0].bounds, sealed=True)
    found = ways(made, 1)
    assert found.entrance.x > 4
    assert picture(made).count("<") == 1
    assert made.terrain[1, 1] == t.FLOOR


def test_where_all_there_is_was_drawn_its_floor_must_do() -> None:
    made = canvas("""
        #######
        #.....#
        #######
        """)
    made.drawn[:] = True
    found = ways(made, 1, [placement(1, (1, 1, 1, 5))])
    assert {made.terrain[found.entrance], made.terrain[found.exits[0]]} == {t.STAIRS_UP, t.STAIRS_DOWN}
    assert found.entrance != found.exits[0]


def test_with_too_little_floor_off_the_encounters_theirs_must_do() -> None:
    """An encounter covers the room but for one cell, and two stairs are wanted."""
    made = canvas("""
        #######
        #.....#
        #######
        """)
    found = ways(made, 1, [placement(1, (1, 2, 1, 4))])
    assert {made.terrain[found.entrance], made.terrain[found.exits[0]]} == {t.STAIRS_UP, t.STAIRS_DOWN}


def test_no_stairs_are_where_a_boat_lands_however_little_floor_there_is() -> None:
    for seed in range(20):
        made = canvas("""
            #####
            #...#
            #####
            """)
        made.drawn[:] = True
        made.portals = (Portal(y=1, x=1, to_y=1, to_x=2, kind="boat", both=True),)
        assert ways(made, 0, seed=seed).entrance == (1, 3)


def test_one_arrives_where_one_gets_everywhere_through_what_opens_on_the_way():
    text = """
        #################
        #...L......#....#
        #####......L....#
        #################
        """
    locks, keys = (
        (DrawnLock(1, 4, "brass"), DrawnLock(2, 11, "iron")),
        (
            DrawnKey((Cell(1, 6),), "brass"),
            DrawnKey((Cell(1, 2),), "iron"),
        ),
    )
    drawn = replace(drawing(text), ground=DrawnGround(codes(text), codes(text) == 255, locks, keys))
    arrived = set()
    for seed in range(40):
        made = canvas(text)
        found = choose_stairs(made, ["m/2"], Streams(seed, "m/1"), StairContext(laid=[(drawn, 0, 0)]))
        arrived.add(found.entrance)
    # Only between the two doors lies the key that leads to the other one.
    assert {x for _, x in arrived} <= set(range(5, 11))
    assert len(arrived) > 1


def test_where_no_place_leads_everywhere_one_arrives_anywhere():
    text = """
        ###########
        #....L....#
        ###########
        """
    assert choose_stairs(canvas(text), [], Streams(1, "m/1")).entrance.y == 1


def test_stairs_lie_behind_a_secret_door_if_only_there_they_keep_the_distances_of_encounters() -> None:
    text = """
        ##################
        #..........s.....#
        #..........#.....#
        #..........#.....#
        ##################
        """
    beyond = np.zeros((5, 18), np.bool_)
    beyond[:, 12:] = True
    for seed in range(12):
        plain, right = (
            ways(canvas(text), seed=seed, **masks) for masks in ({}, {"satisfying": {"exits": beyond}})
        )
        assert plain.exits[0].x < 11 > plain.entrance.x
        assert right.exits[0].x > 11
        entered = ways(canvas(text), seed=seed, satisfying={"entrance": beyond})
        assert entered.entrance.x > 11
