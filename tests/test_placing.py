"""Placing in rooms: all spots are found, drawings lie right, and a refused request changes nothing."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from drawn import KINDS, SIDES, WATER, canvas, flat, picture, prefab
from placed import (
    check_consistent,
    doors_of,
    drawn_as,
    edges_of,
    is_walkable,
    place,
    random_map,
    random_prefab,
    request,
    spots,
    state,
)

from dungeon import Canvas, Cell, Connection, Orientation, Rect, Region
from dungeon import terrain as t
from dungeon.core.registry import Placing
from dungeon.extend import Ground, Parameters, Sites, Streams
from dungeon.generation.placing.attempt import PlacedRequest, PlacingRequest, attempt
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.placing.walkability import walkability
from dungeon.grid.regions import components
from dungeon.grid.symmetry import ALL_ORIENTATIONS

# -- pictures -------------------------------------------------------------------------------------

HALL = """
    ###########
    #.........#
    #.........#
    #.........#
    #####+#####
        #,#
        ###
    """


def test_an_enclosed_room_shrinks_to_the_prefab_and_the_door_leads_onto_its_front():
    seen = {}
    for seed in range(100):
        made = canvas(HALL)
        placed = place(made, prefab(".#.\n...", orientations=[Orientation.R0]), seed=seed)
        assert placed.spots == 3
        assert placed.bounds == made.regions[0].bounds == (2, placed.bounds.x, 2, 3)
        seen[placed.bounds.x] = picture(made)
    assert seen == {
        3: flat("""
            _
            _ #####
            _ #.#.#
            _ #...#
            _ ###+#
            _   #,#
            _   ###
            """),
        4: flat("""
            _
            _  #####
            _  #.#.#
            _  #...#
            _  ##+##
            _   #,#
            _   ###
            """),
        5: flat("""
            _
            _   #####
            _   #.#.#
            _   #...#
            _   #+###
            _   #,#
            _   ###
            """),
    }


DOOR_ON = {
    "south": """
        #######
        #.....#
        #.....#
        #.....#
        ###+###
        _ #,#
        _ ###
        """,
    "west": """
        _ #####
        _ #...#
        ###...#
        #,+...#
        ###...#
        _ #...#
        _ #####
        """,
    "north": """
        _ ###
        _ #,#
        ###+###
        #.....#
        #.....#
        #.....#
        #######
        """,
    "east": """
        #####
        #...#
        #...###
        #...+,#
        #...###
        #...#
        #####
        """,
}
FACING = {
    ("south", "r0"): """
        _
        _#####
        _#~..#
        _##.##
        _ #+#
        _ #,#
        _ ###
        """,
    ("south", "m0"): """
        _
        _#####
        _#..~#
        _##.##
        _ #+#
        _ #,#
        _ ###
        """,
    ("west", "r90"): """
        _
        _  ###
        ####~#
        #,+..#
        ####.#
        _  ###
        _
        """,
    ("west", "m90"): """
        _
        _  ###
        ####.#
        #,+..#
        ####~#
        _  ###
        _
        """,
    ("north", "r180"): """
        _ ###
        _ #,#
        _ #+#
        _##.##
        _#..~#
        _#####
        _
        """,
    ("north", "m180"): """
        _ ###
        _ #,#
        _ #+#
        _##.##
        _#~..#
        _#####
        _
        """,
    ("east", "r270"): """
        _
        _###
        _#.####
        _#..+,#
        _#~####
        _###
        _
        """,
    ("east", "m270"): """
        _
        _###
        _#~####
        _#..+,#
        _#.####
        _###
        _
        """,
}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_the_front_is_turned_to_the_door(side, orientation):
    made = canvas(DOOR_ON[side])
    before = picture(made)
    placed = place(made, prefab("~..\n#.#", orientations=[orientation]))
    if (side, orientation.label) in FACING:
        assert isinstance(placed, PlacedRequest)
        assert placed.spots == 1
        assert picture(made) == flat(FACING[side, orientation.label])
    else:
        assert placed == SpaceRefusal(
            "the only free room won't do", (("without a door that its front can meet", 1),)
        )
        assert picture(made) == before


def test_an_accessible_prefab_stands_anywhere_in_a_room_with_any_number_of_doors():
    made = canvas("""
        _   #,#
        _####+######
        _#........##
        ##........+,
        ,+........##
        ##........#
        _##########
        """)
    crates = prefab("...\n.C.\n...")
    everywhere = [Cell(y, x) for y in (2, 3) for x in range(2, 8)]
    assert spots(made, crates.drawing, "accessible") == everywhere
    assert spots(made, drawn_as("...\n.C.\n.#."), "accessible") == []
    placed = place(made, [prefab("CCC", "wide"), prefab("..#\n...", "edged"), crates], "accessible")
    assert placed.drawing.name == crates.name
    assert placed.spots == 12
    assert made.regions[placed.region - 1].bounds == (2, 2, 4, 8)


def test_the_first_reason_is_counted_for_each_room():
    made = canvas("""
        ##########################
        #....#..#....#....#...#..#
        #....#..#....#....#...#..#
        #....#..#....#....#...#..#
        ##+####+##+#+##########+##
        _#,,,,,,,,,,,,,,,,,,,,,,#
        _########################
        """)
    vault = prefab("~#~\n~~~\n...", orientations=[Orientation.R0])
    refused = place(made, prefab("~.~\n~.~\n~.~\n~.~", "long"))
    assert refused.reason == "none of 6 free rooms will do"
    assert refused.counts == (
        ("with 0 doors", 2),
        ("with 2 doors", 1),
        ("too small", 2),
        ("without a door that its front can meet", 1),
    )
    assert place(made, vault, access=(4, 9)).counts == (
        ("with 0 doors", 2),
        ("with 1 door", 3),
        ("with 2 doors", 1),
    )
    cut = place(made, prefab("...\nCCC\n...", "cut", [Orientation.R0]))
    assert cut.counts == (
        ("with 0 doors", 2),
        ("with 2 doors", 1),
        ("too small", 2),
        ("where part of it could not be reached", 1),
    )


def test_prefabs_that_fit_nowhere_are_passed_over():
    for seed in range(20):
        made = canvas(HALL)
        big, small = prefab("." * 12, "big"), prefab("..", "small")
        placed = place(made, [big, small], seed=seed)
        assert placed.drawing.name == small.name
        assert placed.spots == 2


def test_every_prefab_room_and_spot_gets_its_turn():
    text = """
        #####################
        #....#....#....#....#
        #....#....#....#....#
        #+######+##+#######+#
        #,,,,,,,,,,,,,,,,,,,#
        #####################
        """
    prefabs = [prefab("..", "a", [Orientation.R0]), prefab("..\n..", "b", [Orientation.R0])]
    seen = {}
    for seed in range(800):
        placed = place(canvas(text), prefabs, seed=seed)
        key = placed.drawing.name, placed.bounds.y, placed.bounds.x
        seen[key] = seen.get(key, 0) + 1
    doors = [1, 8, 11, 19]
    rooms = [(1, 4), (6, 9), (11, 14), (16, 19)]
    expected = {}
    for door, (low, high) in zip(doors, rooms, strict=True):
        lefts = [x for x in (door - 1, door) if low <= x < high]
        for x in lefts:
            for name, y in (("a", 2), ("b", 1)):
                expected[name, y, x] = 800 / 8 / len(lefts)
    assert seen.keys() == expected.keys()
    assert all(abs(seen[key] - count) < 3.5 * count**0.5 for key, count in expected.items())


def test_where_a_prefab_goes_depends_on_the_place_of_rooms_and_not_on_their_numbers():
    text = """
        #####################
        #....#....#....#....#
        #....#....#....#....#
        #+######+##+#######+#
        #,,,,,,,,,,,,,,,,,,,#
        #####################
        """
    for seed in range(30):
        one, other = canvas(text), canvas(text)
        # Swap the numbers of the first and the last room.
        first, last = one.regions[0].bounds, one.regions[3].bounds
        other.regions[0] = Region(id=1, kind="room", bounds=last)
        other.regions[3] = Region(id=4, kind="room", bounds=first)
        other.region[first.slices], other.region[last.slices] = 4, 1
        swap = {1: 4, 4: 1}
        other.connections = [
            Connection(
                y=door.y, x=door.x, kind=door.kind, between=tuple(swap.get(n, n) for n in door.between)
            )
            for door in other.connections
        ]
        placed = [place(each, prefab(".~\n..", "v"), seed=seed) for each in (one, other)]
        assert placed[0].bounds == placed[1].bounds
        assert picture(one) == picture(other)


# -- awkward places -------------------------------------------------------------------------------


def test_a_prefab_as_large_as_the_room_changes_nothing_but_the_room():
    made = canvas("""
        ######
        #....#
        #....#
        ###+##
        #,,,,#
        ######
        """)
    place(made, prefab("#~~#\n....", orientations=[Orientation.R0]))
    assert picture(made) == flat("""
        _####
        ##~~##
        #....#
        ###+##
        #,,,,#
        ######
        """)


def test_two_rooms_that_share_a_wall_and_a_door_can_both_shrink():
    text = """
        ###########
        #....#....#
        #....#....#
        #....+....#
        #....#....#
        #....#....#
        ####+######
        _  #,#
        _  ###
        """
    made = canvas(text)
    sites = Sites.of(made)
    assert {number: room.ways for number, room in sites.sites.items()} == {1: 2, 2: 1}
    east = prefab("~.\n..\n.~", "east", [Orientation.R90])
    first = attempt(made, sites, request([east], name=("place", "east", 1)), Streams(0))
    west = prefab("~...\n~...\n~...\n....", "west", [Orientation.R0])
    second = attempt(made, sites, request([west], access=(2, 2), name=("place", "west", 1)), Streams(0))
    assert (first.region, second.region) == (2, 1)
    assert picture(made) == flat("""
        _
        ######
        #~...#####
        #~...+..~#
        #~...#~..#
        #....#####
        ####+#
        _  #,#
        _  ###
        """)
    assert [door.between for door in made.connections] == [(1, 2), (3, 1)]
    labels, count = components(made.passable())
    assert count == 1, labels


def test_a_door_at_the_end_of_a_wall_leaves_one_place():
    made = canvas("""
        #######
        #.....#
        #.....#
        #####+#
        #,,,,,#
        #######
        """)
    assert spots(made, drawn_as("..\n..")) == [(1, 4)]
    assert spots(made, drawn_as("..\n#.")) == [(1, 4)]
    assert spots(made, drawn_as("..\n.#")) == []


def test_a_door_beyond_the_corner_is_no_door_of_the_room():
    made = canvas("""
        _######
        _#....#
        _#....#
        #+#####
        #,#
        ###
        """)
    assert made.connections[0].between == (2, 0)
    made.connections = [Connection(y=3, x=1, kind=t.DOOR, between=(1, 2))]
    assert Sites.of(made).sites[1].openings == []


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 4), (4, 1)])
def test_rooms_one_cell_wide(height, width):
    made = Canvas(height + 6, width + 6, KINDS)
    room = made.carve_room(Rect(3, 3, height, width))
    hall = made.carve_room(Rect(1, 3, 1, 1), "corridor", t.CORRIDOR)
    made.add_door(2, 3, (room, hall))
    made.build_walls()
    floor = drawn_as(".")
    assert spots(made, floor.turned(Orientation.R180)) == [(3, 3)]
    assert spots(made, floor) == []
    placed = place(made, prefab("."))
    assert placed.bounds == (3, 3, 1, 1)
    assert picture(made.terrain[:6, 2:5]) == flat("""
        ###
        #,#
        #+#
        #.#
        ###
        _
        """)
    refused = place(canvas("###\n#.#\n#+#\n#,#\n###"), prefab("C"))
    assert refused.counts == (("where part of it could not be reached", 1),)


def test_rooms_at_the_edge_of_the_map():
    made = canvas("""
        ######
        #....#
        #....#
        #....#
        ####+#
        #,,,,#
        ######
        """)
    placed = place(made, prefab("~~~.\n....\n....", orientations=[Orientation.R0]))
    assert placed.bounds == (1, 1, 3, 4)
    made = canvas("""
        ######
        #....#
        #....#
        #....#
        ####+#
        #,,,,#
        ######
        """)
    assert place(made, prefab(".....")).counts == (("too small", 1),)
    place(made, prefab("."))
    assert picture(made) == flat("""
        _
        _
        _  ###
        _  #.#
        ####+#
        #,,,,#
        ######
        """)


def test_a_threshold_that_the_drawing_leaves_as_it_is():
    made = canvas(HALL)
    placed = place(made, prefab("~~~\n~.~\n~?~", orientations=[Orientation.R0]))
    assert placed.bounds == (1, 4, 3, 3)
    assert picture(made) == flat("""
        _  #####
        _  #~~~#
        _  #~.~#
        _  #~.~#
        _  ##+##
        _   #,#
        _   ###
        """)
    assert made.region[3, 5] == placed.region
    assert not made.drawn[3, 5]


def test_something_in_the_way_behind_the_door():
    made = canvas(HALL)
    assert spots(made, drawn_as("...\n.C.")) == [(2, 3), (2, 5)]
    assert spots(made, drawn_as("...\nCMC")) == []
    assert spots(made, drawn_as("...\n.~.")) == [(2, 3), (2, 5)]


def test_water_and_crates_may_not_come_between_doors():
    text = """
        ####+####
        #.......#
        #.......#
        #.......#
        ####+####
        """
    made = canvas("   #,#\n" + flat(text) + "\n   #,#\n   ###")
    for moat in ("...\n~~~\n...", "...\nCCC\n...", "...\n###\n..."):
        assert len(spots(made, drawn_as(moat), access=(2, 2))) == 3
        assert place(made, prefab(moat), access=(1, 9)).counts == (
            ("where part of it could not be reached", 1),
        )
        assert place(made, prefab(moat), "accessible").counts[0][0] in (
            "in which its edge would be in the way",
            "where part of it could not be reached",
        )


@pytest.mark.parametrize(
    ("text", "together"),
    [
        (".", True),
        ("#", False),
        ("~", False),
        ("C", False),
        ("?", True),
        ("M?", True),
        (".~\n~.", False),
        (".~\n..", True),
        ("~~~\n~.~\n~~~", True),
        ("...\n.C.\n...", True),
        (".#.\n###\n.#.", False),
        (".#~", False),  # water behind a wall: nobody would ever see it
        (".#C", False),
        (".CC", True),
        (".C.", False),
        ("..+..\n#####", True),
        ("..L..\n#####", False),  # nothing opens it
        ("..s..\n#####", True),
        (".B.", False),
        (". .", False),
        (".?.", True),
        (".M.", False),
    ],
)
def test_a_drawing_must_hang_together(text, together):
    for orientation in ALL_ORIENTATIONS:
        assert walkability(drawn_as(text, orientation), KINDS).is_connected == together


def test_doors_that_a_prefab_draws_must_lead_somewhere():
    refused = ("where a door of it would lead nowhere", 1)
    back_door = prefab("#+#\n...\n...", "back door", [Orientation.R0])
    assert place(canvas(HALL), back_door).counts == (refused,)
    closet = prefab("#.#\n#+#\n...", "closet", [Orientation.R0])
    assert isinstance(place(canvas(HALL), closet), PlacedRequest)
    front_door = prefab("...\n#+#", "front door", [Orientation.R0])
    made = canvas(HALL)
    assert isinstance(place(made, front_door), PlacedRequest)
    assert picture(made) == flat("""
        _
        _  #####
        _  #...#
        _  ##+##
        _   #+#
        _   #,#
        _   ###
        """)
    # At the blind end of a room a door would lead nowhere; anywhere else it leads on.
    seen = set()
    for seed in range(40):
        made = canvas("""
            #######
            #.....#
            #+#####
            #,#
            ###
            """)
        placed = place(made, prefab("+", "gate", [Orientation.R0]), "accessible", seed=seed)
        assert placed.spots == 5
        seen.add(placed.bounds.x)
    assert seen == {1, 2, 3, 4}


def test_stairs_in_a_room_are_never_filled_in():
    made = canvas("""
        ########
        #>.....#
        #......#
        #......#
        #+######
        #,#
        ###
        """)
    assert spots(made, drawn_as("..\n..")) == [(2, 1)]
    assert place(made, prefab("..\n..")).counts == (("where it would cover stairs", 1),)
    assert picture(made).count(">") == 1
    assert len(spots(made, drawn_as(".."), "accessible")) == 14
    assert isinstance(place(made, prefab("..\n.."), "accessible"), PlacedRequest)
    assert picture(made).count(">") == 1


def test_what_another_prefab_has_drawn_is_not_drawn_over():
    made = canvas(HALL)
    made.stamp(1, 1, np.full((2, 9), WATER, np.uint8), 1)
    assert spots(made, drawn_as("..")) == [(3, 4), (3, 5)]
    assert spots(made, drawn_as("..\n.."), "accessible") == []


def test_sealed_rooms_and_what_is_no_room_are_left_alone():
    made = canvas("""
        #########
        #...#:::#
        #...#:::#
        ##+###+##
        #,,,,,,,#
        #########
        """)
    assert list(Sites.of(made).having(("room",), 0, 9).sites) == [1]
    region = made.regions[0]
    made.regions[0] = Region(id=1, kind="room", bounds=region.bounds, sealed=True)
    refused = place(made, prefab(".."))
    assert refused == SpaceRefusal("no room is free", ())


def everywhere(sites, shape, params):
    """Yield the spots by size alone, whether or not a door leads in: the mode of a test."""
    yield "too small", sites.fits(shape.height, shape.width)


def own_mode(find, put):
    """Return the request for a prefab of one cell, in the test's own placing mode."""
    mode = Placing(name="own", params=Parameters, spots=find, place=put, access=(0, 9))
    return PlacingRequest(
        name=("own",),
        mode=mode,
        params=Parameters(),
        prefabs=[prefab(".", orientations=[Orientation.R0])],
        access=(0, 9),
    )


def test_a_careless_mode_cannot_cut_a_room_off():
    """A mode that fills the rest of the room keeps its promise only at the cell behind the door."""

    def put(canvas, drawing, spot, region, params):
        canvas.fill(canvas.regions[region - 1].bounds)
        canvas.stamp(spot.y, spot.x, drawing.terrain, region)

    for seed in range(10):
        made = canvas(HALL)
        placed = attempt(made, Sites.of(made), own_mode(everywhere, put), Streams(seed))
        assert placed.spots == 27
        assert placed.bounds == (3, 5, 1, 1)


def test_a_mode_that_breaks_every_room_is_refused_and_leaves_nothing_behind():
    def put(canvas, drawing, spot, region, params):
        canvas.fill(canvas.regions[region - 1].bounds)
        canvas.remove_doors([(4, 5)])
        canvas.set_bounds(region, Rect(0, 0, 1, 1))

    made = canvas(HALL)
    before = state(made)
    refused = attempt(made, Sites.of(made), own_mode(everywhere, put), Streams(0))
    assert refused.counts == (("where part of it could not be reached", 1),)
    assert state(made) == before


def test_drawings_that_do_not_hang_together_are_not_even_tried():
    def put(canvas, drawing, spot, region, params):
        raise AssertionError("this drawing can't be right anywhere")

    asked = request([prefab(".~.", "parted")])
    refused = attempt(
        canvas(HALL), Sites.of(canvas(HALL)), asked._replace(mode=replace(asked.mode, place=put)), Streams(0)
    )
    assert refused.counts == (("where part of it could not be reached", 1),)


def test_a_room_that_was_used_is_not_used_again():
    made = canvas(HALL)
    sites = Sites.of(made)
    attempt(made, sites, request([prefab("..")]), Streams(0))
    assert list(sites.sites) == []
    assert sites.area == 0
    assert attempt(made, sites, request([prefab("..")]), Streams(0)) == SpaceRefusal("no room is free", ())


def test_masks_of_what_there_is_now_are_those_of_the_map_looked_at_anew():
    placed = 0
    for seed in range(30):
        random = Random(seed)
        made = random_map(random)
        sites = Sites.of(made)
        for copy in range(6):
            mode = random.choice(["enclosed", "accessible", "cubby"])
            asked = request([random_prefab(random)], mode, access=(0, 9), name=("place", "it", copy))
            placed += isinstance(attempt(made, sites, asked, Streams(seed)), PlacedRequest)
            anew = Ground(made)
            assert (sites.ground.earth, sites.ground.open) == (anew.earth, anew.open)
    assert placed > 30


def test_sites_come_in_the_order_of_their_ranks_however_many_have_spots():
    made = Canvas(60, 60, KINDS)
    for y in range(1, 59, 4):
        for x in range(1, 59, 4):
            made.carve_room(Rect(y, x, 2, 2))
    sites, streams = Sites.of(made), Streams(3)
    rank = streams.ranks("place", "it", 1, "room")
    for share in (1, 2, 40, 225):
        wanted = [site for site in sites.sites.values() if site.region.id % share == 0]
        spots = sum(site.mask for site in wanted)
        found = sites.having_spots(spots, sites.in_order(streams, "place", "it", 1, "room"))
        assert [sites.sites[number] for number in found] == sorted(
            wanted, key=lambda site: rank(*site.region.bounds[:2])
        )
    assert len(sites.sites) == 225


# -- the oracle -----------------------------------------------------------------------------------


def is_spot(made, region, drawing, mode, corner):
    """Return whether a drawing may lie with its top-left cell at a cell: a naive version of the modes' rules."""
    for cell in Rect(*corner, drawing.height, drawing.width).cells():
        if not region.bounds.contains(*cell) or made.region[cell] != region.id:
            return False
        if made.terrain[cell] != t.FLOOR or made.drawn[cell]:
            return False
    edges = edges_of(drawing)
    if mode == "accessible":
        return all(is_walkable(drawing, cell) for side in edges.values() for cell in side)
    step = drawing.orientation.turn_vector(1, 0)
    front = next(side for side, each in SIDES.items() if each == step)
    doors = [
        (side, (inside[0] - corner[0], inside[1] - corner[1])) for inside, side in doors_of(made, region)
    ]
    return any(side == front for side, _ in doors) and all(
        cell in edges[side] and is_walkable(drawing, cell) for side, cell in doors
    )


def oracle(made, drawing, mode, access):
    """Return region id -> spots, found cell by cell with the naive rules."""
    return {
        region.id: [cell for cell in region.bounds.cells() if is_spot(made, region, drawing, mode, cell)]
        for region in made.regions
        if region.kind == "room" and access[0] <= len(doors_of(made, region)) <= access[1]
    }


def look(drawing, cell):
    """Return the terrain that placing a drawing at a cell should make."""
    return drawing.terrain.shape, drawing.terrain.tobytes(), drawing.obstacles.tobytes(), tuple(cell)


def expected_terrain(made, drawing, region, spot, mode):
    """Return what the map must look like afterwards, and which cells prefabs have drawn."""
    terrain, drawn = made.terrain.copy(), made.drawn.copy()
    target = Rect(*spot, drawing.height, drawing.width)
    room = region.bounds
    if mode == "enclosed":
        for cell in room.cells():
            if not target.contains(*cell):
                terrain[cell] = t.EARTH
    for y, x in np.argwhere(drawing.terrain != t.KEEP).tolist():
        terrain[spot[0] + y, spot[1] + x] = drawing.terrain[y, x]
        drawn[spot[0] + y, spot[1] + x] = True
    if mode == "enclosed":
        is_open = np.pad(KINDS.base[terrain] > t.BLOCKED, 1)
        for y, x in room.grown().cells():
            touched = is_open[y : y + 3, x : x + 3].any()
            if terrain[y, x] == t.EARTH and touched:
                terrain[y, x] = t.WALL
            elif terrain[y, x] == t.WALL and not touched and not drawn[y, x]:
                terrain[y, x] = t.EARTH
    return terrain, drawn


def is_sound(made, after, region, drawing, spot):
    """Tell whether everything in the room can be reached without leaving it, and drawn doors lead somewhere.

    `after` is what the map would look like.
    """
    room = np.zeros(after.shape, np.bool_)
    room[region.bounds.slices] = True
    for door in made.connections:
        room[door.y, door.x] |= region.id in door.between
    base = KINDS.base[after]
    is_open = base > t.BLOCKED
    walkable = (KINDS.walkable[after] | (base == t.LOCKED_DOOR)) & is_open & room
    target = Rect(*spot, drawing.height, drawing.width).slices
    walkable[target] &= ~drawing.obstacles
    if components(walkable)[1] != 1 or components(is_open & room)[1] != 1:
        return False
    for y, x in (np.argwhere(np.isin(drawing.terrain, t.DOORS)) + spot).tolist():
        if int(is_open[y - 1, x]) + is_open[y + 1, x] + is_open[y, x - 1] + is_open[y, x + 1] < 2:
            return False
    return True


ACCESS = [(1, 1), (1, 1), (0, 9), (2, 3), (1, 2)]


@pytest.mark.parametrize("mode", ["enclosed", "accessible"])
@pytest.mark.parametrize("group", range(4))
def test_spots_are_those_of_a_search_by_the_rules(mode, group):
    met = 0
    for seed in range(40):
        random = Random(f"{group} {seed}")
        made = random_map(random)
        access = random.choice(ACCESS)
        for each in (random_prefab(random), random_prefab(random)):
            expected = [
                look(drawing, cell)
                for drawing in map(each.drawing.turned, each.orientations)
                for cells in oracle(made, drawing, mode, access).values()
                for cell in cells
            ]
            found = [
                look(drawing, cell)
                for drawing in each.drawings
                for cell in spots(made, drawing, mode, access)
            ]
            assert set(found) == set(expected), (group, seed)
            met += len(found)
    assert met > 25


@pytest.mark.parametrize("drawn", [".", "..\n..", ".~.\n...", ".~~\n...", "~..\n.~.\n..."])
def test_a_prefab_that_looks_the_same_turned_can_still_face_every_side(drawn):
    for picture_of in DOOR_ON.values():
        made = canvas(picture_of)
        assert isinstance(place(made, prefab(drawn)), PlacedRequest)


@pytest.mark.parametrize("mode", ["enclosed", "accessible"])
@pytest.mark.parametrize("group", range(4))
def test_a_prefab_is_placed_rightly_or_not_at_all(mode, group):
    placed_count = 0
    for seed in range(30):
        random = Random(f"placed {group} {seed}")
        made = random_map(random)
        access = random.choice(ACCESS)
        prefabs = [random_prefab(random, name) for name in "abc"[: random.randint(1, 3)]]
        before, terrain = state(made), made.terrain.copy()
        regions, doors = list(made.regions), list(made.connections)
        possible = {}
        for each in prefabs:
            for drawing in each.drawings:
                if mode == "accessible" and drawing.repeats:
                    continue
                for region, cells in oracle(made, drawing, mode, access).items():
                    for cell in cells:
                        there = made.regions[region - 1]
                        after, drawn = expected_terrain(made, drawing, there, cell, mode)
                        sound = is_sound(made, after, there, drawing, cell)
                        possible[each.name, drawing.orientation, region, Cell(*cell)] = after, drawn, sound
        placed = place(made, prefabs, mode, access, seed=seed)
        if isinstance(placed, SpaceRefusal):
            assert not any(sound for _, _, sound in possible.values()), (group, seed)
            assert state(made) == before
            assert sum(count for _, count in placed.counts) == sum(each.kind == "room" for each in regions)
            continue
        placed_count += 1
        spot = Cell(placed.bounds.y, placed.bounds.x)
        orientation = placed.drawing.orientation
        after, drawn, sound = possible[placed.drawing.name, orientation, placed.region, spot]
        assert sound
        assert picture(made) == picture(after)
        assert np.array_equal(made.drawn, drawn)
        spots_in_all = sum(name == placed.drawing.name for name, *_ in possible)
        # Doors that are not at the front are checked only when a site is tried.
        assert placed.spots >= spots_in_all if mode == "enclosed" else placed.spots == spots_in_all
        assert made.connections == doors
        outside = np.ones(terrain.shape, np.bool_)
        outside[regions[placed.region - 1].bounds.grown().slices] = False
        assert np.array_equal(made.terrain[outside], terrain[outside])
        assert (
            made.region[outside].tobytes()
            == np.frombuffer(before[0][1], np.uint16).reshape(terrain.shape)[outside].tobytes()
        )
        check_consistent(made)
    assert placed_count > 3
