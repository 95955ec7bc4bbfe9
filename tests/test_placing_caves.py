"""Placing in caves (centered, embedded, free), checked against naive rules cell by cell."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from drawn import KINDS, SIDES, canvas, flat, picture, prefab, write
from placed import (
    edges_of,
    ids,
    is_earth,
    is_floor_of,
    is_walkable,
    place,
    random_prefab,
    request,
    settled,
    spots,
    state,
)

import dungeon
from dungeon import Canvas, Cell, Orientation, Rect
from dungeon import terrain as t
from dungeon.core.registry import PLACINGS
from dungeon.extend import Sites, Streams
from dungeon.generation.modes.centered import objection
from dungeon.generation.placing.attempt import PlacedRequest, attempt
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.grid.regions import bounds_of, components

R0 = [Orientation.R0]

BAY = """
    ####################
    ####################
    ####################
    ####################
    ########:###########
    ###:::::::::::######
    ##:::::::::::::#####
    ##::::::::::::::####
    ####::::::::::######
    ####################
    ####################
    """


def cave(text):
    """Return a drawn map of caves, with walls that may be dug."""
    return settled(canvas(text))


# -- embedded -------------------------------------------------------------------------------------


NICHE = prefab("~~~~\n~..~\n....", orientations=R0)


def test_an_embedded_prefab_is_dug_into_the_wall_and_looks_out_into_the_cave():
    made = cave(BAY)
    assert spots(made, NICHE.drawing, "embedded", protrusion=1) == [(3, 3), (3, 10)]
    seen = {}
    for seed in range(200):
        made = cave(BAY)
        placed = place(made, NICHE, "embedded", seed=seed)
        assert placed.spots == 8
        assert made.regions[0].bounds == bounds_of(made.open)
        seen[placed.bounds[:2]] = picture(made)
    assert seen.keys() == {(3, 3), (3, 5), (3, 8), (3, 10), (4, 2), (4, 3), (4, 10), (4, 11)}
    assert seen[3, 10] == flat("""
        ####################
        ####################
        ####################
        ##########~~~~######
        ########:#~..~######
        ###:::::::....######
        ##:::::::::::::#####
        ##::::::::::::::####
        ####::::::::::######
        ####################
        ####################
        """)
    # One corner of the front is two cells deep in the cave; the prefab covers the bump.
    assert seen[3, 5] == flat("""
        ####################
        ####################
        ####################
        #####~~~~###########
        #####~..~###########
        ###::....:::::######
        ##:::::::::::::#####
        ##::::::::::::::####
        ####::::::::::######
        ####################
        ####################
        """)


def test_it_may_have_the_shape_of_a_cave_itself():
    made = cave(BAY)
    hole = prefab("?##??\n#..#?\n#...#\n.....", orientations=R0)
    made, placed = cave(BAY), None
    for seed in range(50):
        made = cave(BAY)
        placed = place(made, hole, "embedded", seed=seed)
        if placed.bounds[:2] == (3, 2):
            break
    assert placed.spots == 4
    assert picture(made) == flat("""
        ####################
        ####################
        #       ############
        # #### #############
        # #..###:###########
        ###...#:::::::######
        ##.....::::::::#####
        ##::::::::::::::####
        ####::::::::::######
        ####################
        ####################
        """)


def test_stairs_other_caves_and_reserved_earth_are_left_alone():
    with_stairs = cave(BAY.replace("###:::::::::::######", "###::::::::>::######"))
    assert spots(with_stairs, NICHE.drawing, "embedded") == [(3, 3), (3, 5), (4, 2), (4, 3)]
    reserved = cave(BAY)
    reserved.terrain[2, :8] = t.EARTH
    reserved.reserve(Rect(2, 0, 1, 8))
    assert spots(reserved, NICHE.drawing, "embedded") == [(3, 10), (4, 2), (4, 3), (4, 10), (4, 11)]
    beside = cave(BAY.replace("####################\n    ###", "##:::::#############\n    ###", 1))
    assert spots(beside, NICHE.drawing, "embedded", protrusion=1) == [(3, 3), (3, 10)]


def test_why_nothing_is_embedded_is_counted_cave_by_cave():
    made = cave("""
        ##########################
        ##:::####################
        ##:::####::::::####::::::#
        #########::::::####::::::#
        ##########################
        #########:::::############
        ###########################
        """)
    niche = prefab("~~~~\n~~~~\n....", orientations=R0)
    refused = place(made, niche, "embedded")
    assert refused == SpaceRefusal(
        "none of 4 free caves will do",
        (
            ("nowhere as wide as its front", 1),
            ("without earth enough behind the wall", 1),
            ("where its front could not be entered", 2),
        ),
    )


def test_what_would_cut_a_tunnel_off_is_undone():
    made = cave("""
        ##########
        ##########
        ##########
        ####::::##
        ####::::,,
        ####::::##
        ##########
        """)
    before = state(made)
    vault = prefab("####\n#..#\n#..#\n..##", orientations=R0)
    assert spots(made, vault.drawing, "embedded") == [(1, 4)]
    assert place(made, vault, "embedded").counts == (("where it would cut off the east way out", 1),)
    assert state(made) == before


# -- centered -------------------------------------------------------------------------------------


def test_a_centered_prefab_stands_in_the_middle_with_open_space_around_it():
    made = cave(BAY)
    placed = place(made, prefab("###\n#..\n###", orientations=R0), "centered", drift=0, buffer=2)
    assert placed.spots == 1
    assert picture(made) == flat("""
        ####################
        ####################
        ####################
        #####:::::::########
        #####:::::::########
        ###::::###::::######
        ##:::::#..:::::#####
        ##:::::###::::::####
        ####::::::::::######
        #####:::::::########
        ####################
        """)


def test_around_a_centered_prefab_of_any_shape_its_shape_is_opened():
    # All around it is open, and the corners as far as they are beside it; the `?` that is shut in stays earth.
    rotunda = prefab("???...???\n?..###..?\n..#?###..\n?..###..?\n???...???", orientations=R0)
    assert objection(rotunda.drawing, KINDS) is None
    made = cave("""
        ###############
        ###############
        ###############
        #######:#######
        #######::######
        #######:#######
        ###############
        ###############
        ###############
        """)
    place(made, rotunda, "centered", drift=0, buffer=1)
    assert picture(made) == flat("""
        #   #######   #
        # ###:::::### #
        ###:::...:::###
        ##::..###..::##
        ##:..#####..:##
        ##::..###..::##
        ###:::...:::###
        # ###:::::### #
        #   #######   #
        """)


def test_the_middle_is_where_a_cave_is_widest():
    made = cave("""
        ##################################
        ##::::::##########################
        ##:::::::#########################
        ##:::::::::::::::::::::::::::::::#
        ##:::::::#########################
        ##::::::##########################
        ##################################
        """)
    assert spots(made, prefab(".", orientations=R0).drawing, "centered", drift=0) == [(3, 5)]


@pytest.mark.parametrize("mode", ["centered", "embedded", "free"])
def test_a_cave_that_is_all_quiet_is_no_site(mode):
    made = cave(BAY)
    made.keep_region_quiet(1)
    wanted = [] if mode == "free" else NICHE
    assert Sites.of(made).sites == {}
    assert place(made, wanted, mode) == SpaceRefusal(f"no {'cave' if wanted else 'place'} is free", ())


def test_it_covers_no_other_cave_and_opens_onto_none():
    text = """
        ################
        ####:::#########
        ################
        ##:::::::::#####
        ##:::::::::#####
        ##:::::::::#####
        ################
        ################
        ################
        """
    post = prefab("#.#\n...\n#.#", orientations=R0).drawing
    free = cave(text.replace("####:::###", "##########"))
    assert len(spots(free, post, "centered", drift=9, buffer=1)) == 3 * 8
    left = spots(cave(text), post, "centered", drift=9, buffer=1)
    assert left == [(2, 9), (3, 9), *((4, x) for x in range(2, 10))]


# -- the oracle -----------------------------------------------------------------------------------


def random_caves(random):
    """Return a canvas with random caves, some joined by tunnels, a room or two, stairs, and cells drawn by prefabs."""
    made = Canvas(random.randint(12, 26), random.randint(12, 26), KINDS)
    inside = np.zeros(made.terrain.shape, np.bool_)
    margin = random.choice([1, 1, 3])
    inside[margin:-margin, margin:-margin] = True
    cells = (
        np.array([[random.random() < 0.5 for _ in range(made.width)] for _ in range(made.height)]) & inside
    )
    for _ in range(random.choice([2, 3, 4])):
        padded = np.pad(cells, 1)
        near = sum(
            padded[1 + dy : 1 + dy + made.height, 1 + dx : 1 + dx + made.width]
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
        )
        cells = (near >= 5) & inside
    _carve_caves(made, cells, random)
    for _ in range(random.randint(0, 3)):
        y, x, length = (
            random.randint(1, made.height - 2),
            random.randint(1, made.width - 8),
            random.randint(1, 6),
        )
        tunnel = made.add_region("corridor", Rect(y, x, 1, length))
        for each in range(x, x + length):
            if not made.open[y, each]:
                made.carve(Rect(y, each, 1, 1), t.CORRIDOR, tunnel)
    if made.may_carve(room := Rect(random.randint(1, made.height), random.randint(1, made.width), 2, 3)):
        made.carve_room(room)
    _disturb(made, random)
    made.build_walls()
    return made


def _carve_caves(made, cells, random):
    """Carve connected cells, nearly all as caves."""
    labels, count = components(cells)
    for part in range(1, count + 1):
        own = labels == part
        kind = random.choice(["cave"] * 12 + ["zone"])
        number = made.add_region(kind, bounds_of(own), sealed=random.random() < 0.05)
        for y, x in np.argwhere(own).tolist():
            made.carve(Rect(y, x, 1, 1), t.CAVE, number)


def _disturb(made, random):
    """Put stairs into caves, and mark some cells as drawn, quiet or reserved."""
    for y, x in np.argwhere(made.terrain == t.CAVE).tolist():
        if random.random() < 0.01:
            made.put(y, x, random.choice([t.STAIRS_UP, t.STAIRS_DOWN, t.EXIT]))
    for _ in range(random.choice([0, 0, 1, 3])):
        rect = Rect(random.randint(0, made.height - 3), random.randint(0, made.width - 3), 2, 2)
        chosen = random.choice(["drawn", "quiet", "used"])
        if chosen == "used":
            made.reserve(rect)
        else:
            getattr(made, chosen)[rect.slices] = True


def caves_of(made):
    """Return the free caves."""
    return [region for region in made.regions if region.kind == "cave" and not region.sealed]


def depth_along(made, cell, dy, dx):
    """Return the number of open cells in a row from this cell, in the direction opposite to (dy, dx)."""
    depth = 0
    while made.open[cell]:
        cell = Cell(cell.y - dy, cell.x - dx)
        depth += 1
    return depth


def is_embedded(made, region, drawing, corner, protrusion):
    """Return whether a drawing may be embedded at a cell, by the steps of the article."""
    target = Rect(*corner, drawing.height, drawing.width)
    dy, dx = drawing.orientation.turn_vector(1, 0)
    front = next(side for side, step in SIDES.items() if step == (dy, dx))
    edge = sorted(edges_of(drawing)[front])
    ends = [Cell(corner[0] + y, corner[1] + x) for y, x in (edge[0], edge[-1])]
    # 1, 2: both front corners are open cells of the cave.
    if not all(is_floor_of(made, end, {region.id}) for end in ends):
        return False
    # 3, 4: along both sides to the wall.
    deepest = max(depth_along(made, end, dy, dx) for end in ends)
    if deepest > protrusion:
        return False

    def depth_of(cell):  # how far behind the front line, which is 0 deep
        return (ends[0].y - cell.y) * dy + (ends[0].x - cell.x) * dx

    outer = list(target.cells())
    inner = [cell for cell in outer if depth_of(cell) >= deepest]
    # 5: no stairs; before the inner rectangle earth and the cave, in it earth alone.
    if not inner or any(KINDS.base[made.terrain[cell]] in t.STAIRS for cell in outer):
        return False
    if not all(is_earth(made, cell) or is_floor_of(made, cell, {region.id}) for cell in outer):
        return False
    # 6: a cell of earth around its sides and its back. (5 for the inner rectangle itself.)
    around = {Cell(y + a, x + b) for y, x in inner for a in (-1, 0, 1) for b in (-1, 0, 1)}
    around = [cell for cell in around if depth_of(cell) >= deepest]
    if any(
        not (0 <= y < made.height and 0 <= x < made.width) or not is_earth(made, Cell(y, x))
        for y, x in around
    ):
        return False
    # Beyond the article: the front can be entered from the cave.
    free = {each.id for each in caves_of(made)}
    return any(
        is_walkable(drawing, (y, x)) and is_floor_of(made, (corner[0] + y + dy, corner[1] + x + dx), free)
        for y, x in edge
    )


def middle_of(made, region):
    """Return the middle of a cave, found by a naive erosion cell by cell."""
    own = {cell for cell in region.bounds.cells() if is_floor_of(made, cell, {region.id})}
    if not own:
        return None
    left = own
    while deeper := {
        Cell(y, x) for y, x in left if all((y + a, x + b) in left for a in (-1, 0, 1) for b in (-1, 0, 1))
    }:
        left = deeper
    y, x = (sum(each) / len(own) for each in zip(*own, strict=True))
    return min(left, key=lambda cell: (round((cell.y - y) ** 2 + (cell.x - x) ** 2, 6), cell))


def is_centered(made, region, drawing, corner, middle, buffer, drift):
    """Return whether a drawing may be centered at a cell: a naive version of the mode's rules."""
    center = Cell(corner[0] + drawing.height // 2, corner[1] + drawing.width // 2)
    if max(abs(center.y - middle.y), abs(center.x - middle.x)) > drift or not is_floor_of(
        made, center, {region.id}
    ):
        return False
    outer = Rect(*corner, drawing.height, drawing.width).grown(buffer)
    if not made.inside(outer):
        return False
    if not all(is_earth(made, cell) or is_floor_of(made, cell, {region.id}) for cell in outer.cells()):
        return False
    beside = [cell for cell in outer.grown().cells() if not outer.contains(*cell)]
    ours = {region.id} | ids(made, "corridor")
    return all(not made.open[cell] or is_floor_of(made, cell, ours) for cell in beside)


def corners(made):
    """Return all cells of a map."""
    return list(Rect(0, 0, made.height, made.width).cells())


def on_map(made, drawing, corner):
    """Return whether all cells of a drawing lie on the map."""
    return corner.y + drawing.height <= made.height and corner.x + drawing.width <= made.width


@pytest.mark.parametrize("group", range(6))
def test_embedded_spots_are_those_of_a_search_by_the_rules(group):
    met = 0
    for seed in range(10):
        random = Random(f"embedded {group} {seed}")
        made = random_caves(random)
        protrusion = random.choice([1, 2, 2, 3, 9])
        each = random_prefab(random)
        for drawing in each.drawings:
            expected = {
                cell
                for cell in corners(made)
                if on_map(made, drawing, cell)
                and any(is_embedded(made, region, drawing, cell, protrusion) for region in caves_of(made))
            }
            assert set(spots(made, drawing, "embedded", protrusion=protrusion)) == expected, (group, seed)
            met += len(expected)
    assert met > 8


@pytest.mark.parametrize("group", range(4))
def test_centered_spots_are_those_of_a_search_by_the_rules(group):
    met = 0
    for seed in range(25):
        random = Random(f"centered {group} {seed}")
        made = random_caves(random)
        buffer, drift = random.choice([0, 0, 1, 2]), random.choice([0, 1, 2, 5])
        middles = [(region, middle_of(made, region)) for region in caves_of(made)]
        for drawing in random_prefab(random).drawings:
            expected = {
                cell
                for cell in corners(made)
                if on_map(made, drawing, cell)
                and any(
                    middle and is_centered(made, region, drawing, cell, middle, buffer, drift)
                    for region, middle in middles
                )
            }
            if drawing.repeats:
                continue
            found = spots(made, drawing, "centered", buffer=buffer, drift=drift)
            assert set(found) == expected, (group, seed)
            met += len(expected)
    assert met > 8


@pytest.mark.parametrize("mode", ["embedded", "centered"])
def test_caves_stay_whole(mode):
    placed_count = 0
    for seed in range(60):
        random = Random(f"whole {mode} {seed}")
        made = random_caves(random)
        before, regions, others = state(made), list(made.regions), made.region.copy()
        parts = components(made.passable())[1]
        placed = place(made, [random_prefab(random, name) for name in "abcdef"], mode, seed=seed)
        if not isinstance(placed, PlacedRequest):
            assert state(made) == before
            continue
        placed_count += 1
        own = placed.region
        foreign = (others != 0) & (others != own)
        assert np.array_equal(made.region[foreign], others[foreign])
        assert [each for each in made.regions if each.id != own] == [
            each for each in regions if each.id != own
        ]
        assert made.regions[own - 1].bounds == bounds_of(made.region == own)
        assert (made.region[made.region != others] * 1 != 0).sum() == (
            (made.region == own) & (others != own)
        ).sum()
        obstacles = np.zeros_like(made.open)
        obstacles[placed.bounds.slices] = placed.drawing.obstacles
        assert components(made.passable() & ~obstacles)[1] <= parts
        border = np.ones_like(made.open)
        border[1:-1, 1:-1] = False
        assert not (made.open & border).any()
    assert placed_count > 10


@pytest.mark.parametrize("mode", ["embedded", "centered"])
def test_what_the_check_says_can_never_be_placed_never_is(mode):
    said = met = 0
    for seed in range(400):
        random = Random(f"never {mode} {seed}")
        each = random_prefab(random)
        never = PLACINGS[mode].objection(each.drawing, KINDS) is not None
        placed = isinstance(place(random_caves(random), each, mode, seed=seed), PlacedRequest)
        assert not (never and placed), (seed, each.drawing.terrain)
        said, met = said + never, met + placed
    assert said > 15
    assert met > 40


def test_what_was_dug_for_one_encounter_is_no_earth_for_the_next():
    made = cave("""
        ########
        ##::::##
        ##::::##
        ########
        ########
        ########
        ########
        ########
        ##::::##
        ##::::##
        ########
        """)
    deep = prefab("~~~~\n~~~~\n~..~\n....", orientations=[Orientation.R0, Orientation.R180])
    sites = Sites.of(made)
    first = attempt(made, sites, request([deep], "embedded", name=("place", "first", 1)), Streams(4))
    assert (first.spots, first.bounds) in ((2, (5, 2, 4, 4)), (2, (2, 2, 4, 4)))
    second = attempt(made, sites, request([deep], "embedded", name=("place", "second", 1)), Streams(4))
    assert second.counts == (("without earth enough behind the wall", 1),)


def test_free_content_takes_a_room_or_a_cave():
    made = cave("""
        ############
        #....##::::#
        #....##::::#
        #+####,,,,,#
        #,,,,,,#####
        ############
        """)
    before = state(made)
    seen = {place(made, [], "free", seed=seed).region for seed in range(40)}
    assert seen == {region.id for region in made.regions if region.kind in ("room", "cave")}
    assert place(made, [], "free").spots == 2
    assert place(made, [], "free", access=(2, 2)) == SpaceRefusal(
        "none of 2 free places will do", (("with 1 door", 1), ("with 1 way in", 1))
    )
    assert state(made) == before


def ways_into(level: dungeon.Level, region: int) -> int:
    """Return the number of ways into a region: groups of neighbouring open cells just outside of it."""
    own, walks = level.region == region, level.walkable
    beyond = {
        (y + dy, x + dx)
        for y, x in np.argwhere(own & walks).tolist()
        for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0))
        if walks[y + dy, x + dx] and not own[y + dy, x + dx]
    }
    ways = 0
    while beyond:
        waiting = [beyond.pop()]
        ways += 1
        for y, x in waiting:
            near = {(y + dy, x + dx) for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0))} & beyond
            beyond -= near
            waiting += near
    return ways


def test_a_cave_with_so_many_ways_in_gets_no_more_from_what_is_dug_later(tmp_path):
    content = dungeon.load_content(
        write(
            tmp_path,
            {
                "world.yaml": "start: caves/1\n",
                "maps/caves.yaml": "caves: {name: Caves, size: 80x50, layout: caves, encounters: 6}\n",
                "prefabs/spot.yaml": 'spot: {map: "..\\n.."}\n',
                "encounters/all.yaml": "post: {category: reward, prefabs: spot, placing: centered, access: 1, maps: {caves: 1}}\n",
            },
        )
    )
    found = Counter(
        ways_into(level, each.region)
        for level in (dungeon.World(content, seed).level("caves/1") for seed in range(25))
        for each in level.placements
    )
    assert found.keys() == {1}
    assert found[1] > 120
