"""The layout `caves`: what holds for every map it makes, how it flows, and what stood there before."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from drawn import KINDS, canvas, codes, flat, mask, picture, rows
from flows import measure_flow, region_graph
from pydantic import ValidationError
from warrens import (
    build,
    cells_of,
    digest_elsewhere,
    digest_of_maps,
    fresh,
    job,
    regions,
    seeded,
    walls_are_right,
)

from dungeon import Canvas, GenerationError, Phase, Rect
from dungeon import terrain as t
from dungeon.core.registry import LAYOUTS
from dungeon.extend import Between, Constant, Stream, Streams
from dungeon.generation.layouts.caves import CavesParams, caves
from dungeon.generation.layouts.caves_flow import (
    CLOSED,
    Crossing,
    find_crossings,
    find_detours,
    find_loops,
    free_cells,
    linear_flow,
    longest_round,
    straight_way,
    winding_way,
)
from dungeon.generation.layouts.caves_shapes import numbered
from dungeon.grid.regions import components

AUTOMATON = ("noise", *(f"the automaton's step {n}" for n in range(1, 6)))

CASES = [
    *(((50, 80), seed) for seed in range(40)),
    *(((60, 110), seed) for seed in range(10)),
    *(((100, 100), seed) for seed in range(5)),
    *(((56, 56), seed) for seed in range(10)),
]


@cache
def made(size, seed):
    return fresh("caves", *size, seed)


def each_map():
    for size, seed in CASES:
        yield made(size, seed)


# -- what holds for every map -----------------------------------------------------------------------


def test_everything_open_is_connected_and_belongs_to_a_cave_or_a_tunnel():
    for each in each_map():
        assert components(each.open)[1] == 1
        assert (each.open == (each.region > 0)).all()
        assert {region.kind for region in each.regions} <= {"cave", "corridor"}
        assert not each.connections


def test_caves_are_whole_apart_and_of_the_sizes_that_were_asked_for():
    for each in each_map():
        found = np.zeros_like(each.open)
        for cave in regions(each, "cave"):
            cells = cells_of(each, cave)
            assert (each.terrain[cells] == t.CAVE).all()
            assert 60 <= cells.sum() <= 400
            assert components(cells)[1] == 1
            ys, xs = np.nonzero(cells)
            assert cave.bounds == Rect(ys.min(), xs.min(), np.ptp(ys) + 1, np.ptp(xs) + 1)
            wide = np.pad(cells, 1)
            near = np.zeros_like(cells)
            for dy in range(3):
                for dx in range(3):
                    near |= wide[dy : dy + each.height, dx : dx + each.width]
            assert not (near & found).any()
            found |= cells


def test_tunnels_are_whole_and_lead_from_cave_to_cave():
    for each in each_map():
        for tunnel in regions(each, "corridor"):
            cells = cells_of(each, tunnel)
            assert (each.terrain[cells] == t.CORRIDOR).all()
            assert components(cells)[1] == 1
            ys, xs = np.nonzero(cells)
            assert tunnel.bounds == Rect(ys.min(), xs.min(), np.ptp(ys) + 1, np.ptp(xs) + 1)
            graph = region_graph(each)
            assert sum(each.regions[other].kind == "cave" for other in graph[tunnel.id - 1]) >= 2


def test_earth_is_left_at_the_edges():
    for each in each_map():
        inner = np.zeros_like(each.open)
        inner[3:-3, 3:-3] = True
        assert not (each.open & ~inner).any()
    wide = fresh("caves", 60, 90, 3, margin=Constant(15))
    assert not wide.open[:15].any()
    assert not wide.open[:, -15:].any()


def test_walls_stand_around_all_that_is_open_and_used_marks_it():
    for each in each_map():
        assert walls_are_right(each)
        bits = each.used.tolist()
        assert (np.array(bits) == each.open).all()


def test_maps_are_well_filled_and_no_two_caves_are_alike():
    for (height, width), seed in CASES:
        each = made((height, width), seed)
        inner = (height - 10) * (width - 10)
        assert each.open.sum() >= 0.25 * inner, (height, width, seed)
        assert len(regions(each, "cave")) >= inner / 900
    shapes = [
        cells_of(each, cave)[cave.bounds.slices] for each in each_map() for cave in regions(each, "cave")
    ]
    assert len({(shape.shape, shape.tobytes()) for shape in shapes}) == len(shapes)


def test_caves_and_tunnels_are_not_straight_as_a_ruler():
    """A cave's outline turns more often than a rectangle's, and most tunnels that have space for it wind."""
    for (height, width), seed in CASES[:20]:
        each = made((height, width), seed)
        for cave in regions(each, "cave"):
            cells = np.pad(cells_of(each, cave), 1)
            corners = cells[1:, 1:].astype(int) + cells[:-1, 1:] + cells[1:, :-1] + cells[:-1, :-1]
            assert (corners % 2).sum() >= 10
    maps = (fresh("caves", 60, 110, seed, width=Constant(1)) for seed in range(20))
    boxes = [tunnel.bounds for each in maps for tunnel in regions(each, "corridor")]
    long = [box for box in boxes if max(box.height, box.width) >= 7]
    assert len(long) > 20
    assert sum(min(box.height, box.width) > 1 for box in long) >= 0.75 * len(long)


# -- the same again ---------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes():
    for seed in range(10):
        again, first = fresh("caves", 50, 80, seed), made((50, 80), seed)
        assert again.terrain.tobytes() == first.terrain.tobytes()
        assert again.region.tobytes() == first.region.tobytes()
        assert again.regions == first.regions


def test_other_seeds_and_attempts_give_other_maps():
    maps = {made((50, 80), seed).terrain.tobytes() for seed in range(40)}
    assert len(maps) == 40
    other = Canvas(50, 80, KINDS)
    build("caves", other, 3, attempt=1)
    assert other.terrain.tobytes() not in maps


def test_another_process_gives_the_same_bytes():
    assert digest_elsewhere("caves", "12345") == digest_of_maps("caves")


@pytest.mark.parametrize("layout", ["caves", "mines"])
def test_where_nobody_watches_the_automaton_is_not_shown_and_the_map_is_the_same(layout):
    chosen, watched, unwatched = LAYOUTS[layout], Canvas(56, 90, KINDS), Canvas(56, 90, KINDS)
    seen = list(chosen.build(watched, chosen.params(), job(3)))
    unseen = list(chosen.build(unwatched, chosen.params(), replace(job(3), watched=False)))
    assert np.array_equal(watched.terrain, unwatched.terrain)
    assert np.array_equal(watched.region, unwatched.region)
    messages = [step.message for step in unseen]
    assert messages == [step.message for step in seen if step.message not in AUTOMATON]


def test_there_is_a_step_for_the_noise_every_step_of_the_automaton_the_caves_and_every_tunnel():
    each = Canvas(50, 80, KINDS)
    messages, shown = [], []
    for step in caves(each, CavesParams(steps=3), job(5)):
        assert (step.phase, step.canvas) == (Phase.LAYOUT, each)
        messages.append(step.message)
        shown.append(each.open.copy())
    count = len(regions(each, "cave"))
    assert messages[:5] == ["noise", *(f"the automaton's step {n}" for n in (1, 2, 3)), f"{count} caves"]
    assert len(messages) == 5 + len(regions(each, "corridor"))
    assert len({cells.tobytes() for cells in shown}) == len(shown)
    assert not (shown[4] & ~shown[3]).any(), "caves that are too small are filled"


# -- hollows ----------------------------------------------------------------------------------------


def test_small_hollows_are_filled_and_the_others_numbered():
    labels, boxes = numbered(
        mask("""
            .........
            .##..#...
            .##......
            .....###.
            .#...###.
            """),
        3,
        9,
        Stream(1),
    )
    assert ["".join(map(str, row)) for row in labels.tolist()] == [
        "000000000",
        "011000000",
        "011000000",
        "000002220",
        "000002220",
    ]
    assert boxes == [Rect(1, 1, 2, 2), Rect(3, 5, 2, 3)]


@pytest.mark.parametrize("seed", range(20))
def test_large_hollows_are_parted_by_a_wall(seed):
    cells = mask("""
        ...............................
        .####################....#####.
        .#####################..######.
        .#############################.
        .#####..###############.######.
        .#############################.
        .##################....#######.
        ...............................
        """)
    labels, boxes = numbered(cells, 12, 60, Stream(seed))
    count = len(boxes)
    assert count >= 3
    assert not (labels[~cells] > 0).any()
    assert (labels > 0).sum() >= 0.6 * cells.sum()
    sizes = np.bincount(labels.ravel())[1:]
    assert sizes.min() >= 12
    assert sizes.max() <= 60
    assert components(labels > 0)[1] == count


# -- flow -------------------------------------------------------------------------------------------


def test_crossings_are_found_along_rows_and_columns():
    labels = np.array(
        [
            [-1, -1, -1, -1, -1, -1, -1, -1, -1],
            [-1, 1, 1, 0, 0, 0, 2, 2, -1],
            [-1, 0, 0, 0, 0, 0, 0, 0, -1],
            [-1, 0, 0, 0, 0, 0, 3, 0, -1],
            [-1, 0, 0, -1, 0, 0, 3, 0, -1],
            [-1, 4, 0, -1, 0, 0, 3, 0, -1],
            [-1, -1, -1, -1, -1, -1, -1, -1, -1],
        ],
        np.int32,
    )
    rank = Streams(1).ranks("crossings")
    found = find_crossings(labels, 4, 3, rank)
    assert found == {
        (1, 2): [Crossing(1, 2, 1, 3, 0, 1, 3)],
        (1, 4): [Crossing(1, 4, 2, 1, 1, 0, 3)],
        (2, 3): [Crossing(2, 3, 2, 6, 1, 0, 1)],
    }, "3 and 4 face each other over cells that may not be dug"
    assert labels.min() == CLOSED
    assert (1, 2) not in find_crossings(labels, 4, 2, rank)


def test_detours_lead_wherever_nothing_but_earth_lies_between():
    """Spaces 1 and 4 are shut off from each other, and 3 lies nearer to both 2 and 4 than these to each other."""
    drawn = rows("""
        xxxxxxxxxxxxxx
        x11   x   44 x
        x11   x   44 x
        x     x      x
        x  22     33 x
        x  22     33 x
        xxxxxxxxxxxxxx
        """)
    labels = np.array([["x 1234".index(cell) + CLOSED for cell in row] for row in drawn], np.int32)
    assert list(find_detours(labels, 4, 4)) == [[(1, 2), (3, 4)], [(1, 2), (2, 3), (3, 4)]]
    assert next(find_detours(labels, 4, 5)) == [(1, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("seed", range(30))
def test_a_winding_way_ends_where_the_straight_one_does(seed):
    for dy, dx in ((0, 1), (1, 0)):
        for length in range(1, 20):
            crossing = Crossing(1, 2, 15, 15, dy, dx, length)
            way = winding_way(crossing, free_cells(np.zeros((40, 40), np.bool_)), Stream(seed).random)
            line = straight_way(crossing)
            assert (way[0], way[-1]) == (line[0], line[-1])
            steps = pairwise(way)
            assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in steps)
            assert len(set(way)) == len(way)
            assert max(abs(y - 15) if dx else abs(x - 15) for y, x in way) <= 3


def test_a_winding_way_keeps_off_what_is_used():
    used = np.zeros((9, 30), np.bool_)
    used[1:3] = used[6:8] = True
    for seed in range(50):
        way = winding_way(Crossing(1, 2, 4, 3, 0, 1, 20), free_cells(used), Stream(seed).random)
        assert {y for y, _ in way} == {4}


@pytest.mark.parametrize("at", [1, 28])
def test_a_winding_way_beside_the_map_s_edge_leaves_the_outermost_cells(at):
    used = np.pad(np.zeros((28, 28), np.bool_), 1, constant_values=True)
    for dy, dx in ((0, 1), (1, 0)):
        ways = [
            winding_way(
                Crossing(1, 2, *((4, at) if dy else (at, 4)), dy, dx, 20), free_cells(used), Stream(n).random
            )
            for n in range(20)
        ]
        assert all(1 <= y <= 28 and 1 <= x <= 28 for way in ways for y, x in way)


LATTICE = [Rect(20 * (n // 6), 20 * (n % 6), 10, 10) for n in range(30)]
"""Thirty caves in five rows of six, of which neighbours can be joined."""
PAIRS = {(a + 1, b + 1): 5 for a in range(30) for b in (a + 1, a + 6) if b < 30 and (b == a + 6 or b % 6)}


@pytest.mark.parametrize("linearity", [0.3, 0.6, 0.9, 1.0])
def test_as_many_caves_lie_along_one_way_as_wanted(linearity):
    for seed in range(20):
        flow = linear_flow(LATTICE, PAIRS, linearity, Stream(seed))
        assert len(flow.path) == round(30 * linearity)
        assert len(flow.tree) == 29
        assert set(flow.tree) <= set(PAIRS)
        joined = {1}
        for _ in range(30):
            joined |= {other for pair in flow.tree if joined.intersection(pair) for other in pair}
        assert joined == set(range(1, 31))


def test_loops_are_closed_only_where_they_save_a_long_walk():
    for seed in range(20):
        flow = linear_flow(LATTICE, PAIRS, 1.0, Stream(seed))
        loops = find_loops(flow.tree, LATTICE, PAIRS, 100, 60, Stream(seed))
        assert loops
        assert set(loops) <= set(PAIRS) - set(flow.tree)
        known = list(flow.tree)
        for a, b in loops:
            steps = {a: 0}
            for _ in range(30):
                for one, other in known:
                    for here, there in ((one, other), (other, one)):
                        if here in steps and steps[here] + 20 < steps.get(there, 1_000_000):
                            steps[there] = steps[here] + 20
            assert steps[b] - 20 >= 60, "a walk of 20 cells to each neighbour"
            known.append((a, b))
        assert len(find_loops(flow.tree, LATTICE, PAIRS, 3, 0, Stream(seed))) == 3


def test_the_flow_of_a_drawn_map_is_measured():
    drawn = canvas("""
        ###################
        #::#  #::#   #:::##
        #::,,,,::,,,,,:::,#
        #::#  #:,#   #::##,
        ####  ##,##  #:,##,
              #::::  ##,# ,
              #::::,,,,,, ,
              #####  ##:::,
        """)
    flow = measure_flow(drawn)
    assert (flow.spaces, flow.along, flow.loops) == (5, 4, 1)
    assert flow.linearity == 0.8
    assert measure_flow(Canvas(9, 9, KINDS)).linearity == 0


@pytest.mark.parametrize("linearity", [0.5, 0.8])
def test_maps_are_as_linear_as_asked_for(linearity):
    shares = []
    for seed in range(40):
        each = fresh("caves", 60, 110, seed, linearity=linearity, loops=0.0)
        flow = measure_flow(each)
        assert flow.spaces == len(regions(each, "cave"))
        shares.append(flow.linearity)
    assert sum(share >= linearity for share in shares) >= 32
    assert np.mean(shares) >= linearity


@pytest.mark.parametrize("side", [300, 500])
def test_large_maps_are_as_linear_as_asked_for(side):
    """Where an edge of a way through hundreds of caves can't be dug, the way leads around that place and keeps its length."""
    for seed in range(4):
        each = fresh("caves", side, side, seed, loops=0.0)
        assert len(regions(each, "cave")) > 100
        assert measure_flow(each).linearity >= 0.75


@pytest.mark.parametrize("cave", [Between(40, 90), Between(60, 150), Between(150, 400)], ids=str)
def test_all_caves_lie_along_one_way_where_that_is_asked_for(cave):
    """Where a way can't be dug, as others are in its way, the caves are joined in another order."""
    shares = []
    for seed in range(40):
        each = fresh("caves", 70, 110, seed, cave=cave, linearity=1.0, loops=0.0)
        shares.append(measure_flow(each).linearity)
        assert not each.open[:3].any(), "where caves may not be, ways lead neither"
    assert sum(share == 1 for share in shares) >= 38
    assert np.mean(shares) >= 0.99


@pytest.mark.parametrize("barred", [False, True])
def test_where_the_earth_does_not_allow_it_the_journal_says_so(barred):
    """Of three chambers that a single way can lead into each, a way leads through two at most."""
    for seed in range(5):
        canvas, made_from = Canvas(60, 113, KINDS), job(seed)
        for x in (1, 38, 75) if barred else ():
            canvas.stamp(30, x, codes("B" * 16), 0)
            canvas.stamp(30, x + 19, codes("B" * 17), 0)
            canvas.stamp(30, x + 36, codes("B\n" * 29), 0)
        params = CavesParams(linearity=1.0, loops=0.0)
        for _ in caves(canvas, params, made_from):
            pass
        flow = measure_flow(canvas)
        notes = [dict(each.counts) for each in made_from.journal.decisions if "not allow" in each.reason]
        assert notes == ([{"wanted": flow.spaces, "along one way": flow.along}] if barred else [])
        assert (flow.linearity < 1) == barred


def test_loops_are_as_many_as_asked_for_and_cost_linearity():
    counted = {0.0: 0, 0.15: 0, 0.4: 0}
    for loops in counted:
        for seed in range(40):
            counted[loops] += measure_flow(fresh("caves", 60, 110, seed, loops=loops, saves=20)).loops
    spaces = sum(len(regions(fresh("caves", 60, 110, seed), "cave")) for seed in range(40))
    assert counted[0.0] <= 4, "two ways may meet by chance"
    assert counted[0.15] == pytest.approx(0.15 * spaces, rel=0.25)
    assert counted[0.4] > 1.5 * counted[0.15]


def test_the_longest_round_comes_first():
    chain = [(1, 2), (2, 3), (3, 4), (4, 5)]
    assert longest_round([(1, 3), (1, 5), (2, 5), (1, 2)], chain, 5) == [(1, 5), (2, 5), (1, 3)]


def test_where_no_way_closes_a_loop_the_journal_says_so():
    """Between two spaces there is one way and never a second."""
    told = []
    for seed in range(20):
        canvas, made_from = Canvas(30, 60, KINDS), job(seed)
        params = CavesParams(cave=Between(60, 150), min_caves=1)
        for _ in caves(canvas, params, made_from):
            pass
        notes = [each for each in made_from.journal.decisions if "closes a loop" in each.reason]
        assert bool(notes) == (measure_flow(canvas).loops == 0)
        told += notes
    assert 0 < len(told) < 20


# -- what stood there before ------------------------------------------------------------------------

HUT = """
    #####
    #...#
    #...#
    #..##
    """


def test_what_is_used_is_left_alone_with_a_distance():
    for seed in range(20):
        each = Canvas(50, 80, KINDS)
        each.stamp(20, 30, codes(HUT), each.add_region("prefab", Rect(20, 30, 4, 5), sealed=True))
        each.reserve(Rect(10, 10, 8, 12))
        each.stamp(30, 60, codes("B\n" * 15), 0)
        before = each.terrain.copy()
        build("caves", each, seed)
        for kept in (Rect(20, 30, 4, 5), Rect(30, 60, 15, 1)):
            assert (each.terrain[kept.slices] == before[kept.slices]).all()
        near = np.zeros_like(each.open)
        for kept in (Rect(20, 30, 4, 5), Rect(10, 10, 8, 12), Rect(30, 60, 15, 1)):
            near[kept.grown().slices] = True
        assert (each.open & near).sum() == 8, "only the hut's own floor"
        outside = each.open & ~near
        assert outside.any()
        assert len(set(components(each.open)[0][outside].tolist())) == 1


@pytest.mark.parametrize(
    ("text", "mouth", "ahead"),
    [
        ("#####\n#...#\n#...#\n#..##", (4, 1, 1, 0, 2, "tunneler"), Rect(4, 1, 1, 2)),
        ("#..##\n#...#\n#...#\n#####", (-1, 1, -1, 0, 2, "tunneler"), Rect(-1, 1, 1, 2)),
        ("####\n#...\n#...\n#..#\n####", (1, 4, 0, 1, 2, "tunneler"), Rect(1, 4, 2, 1)),
        ("####\n...#\n...#\n#..#\n####", (1, -1, 0, -1, 2, "tunneler"), Rect(1, -1, 2, 1)),
    ],
)
def test_a_tunneler_is_joined_by_a_way_of_its_width(text, mouth, ahead):
    box = Rect(23, 38, *codes(text).shape)
    for seed in range(15):
        each = Canvas(50, 80, KINDS)
        mouths = seeded(each, 23, 38, text, [mouth])
        build("caves", each, seed, mouths)
        assert components(each.open)[1] == 1
        assert walls_are_right(each)
        beside = each.open[box.grown().slices].copy()
        beside[1:-1, 1:-1] = False
        expected = np.zeros_like(beside)
        expected[ahead._replace(y=ahead.y + 1, x=ahead.x + 1).slices] = True
        assert (beside == expected).all(), "both lines of the mouth are open, and nothing else touches it"


def test_a_link_is_short_and_takes_over_no_cave():
    for seed in range(20):
        each = Canvas(50, 80, KINDS)
        mouths = seeded(each, 22, 36, "#####\n#...#\n##.##", [(3, 2, 1, 0, 1, "tunneler")])
        steps = build("caves", each, seed, mouths)
        assert sum(step.message.startswith("a way to the prefab") for step in steps) == 1
        assert each.regions[-1].kind == "corridor"
        assert cells_of(each, each.regions[-1]).sum() <= 30


def test_links_may_share_a_way() -> None:
    for seed in range(10):
        each = Canvas(50, 80, KINDS)
        south = [(2, 1, 1, 0, 1, "tunneler"), (2, 2, 1, 0, 1, "tunneler")]
        build("caves", each, seed, seeded(each, 22, 36, "####\n#..#", south))
        assert each.open[24, 37:39].all()
        assert components(each.open)[1] == 1


def test_no_way_leads_from_a_mouth_at_the_edge_of_the_map() -> None:
    each = Canvas(50, 80, KINDS)
    build("caves", each, 0, seeded(each, 1, 5, "#..#\n####", [(-1, 1, -1, 0, 2, "tunneler")]))
    assert not each.open[0].any()
    assert components(each.open)[1] == 1, "the prefab is broken into"


def test_a_connector_is_used_where_it_is_needed_or_a_cave_lies_close_by():
    south, west = (3, 2, 1, 0, 1, "connector"), (1, -1, 0, -1, 1, "tunneler")
    used = 0
    for seed in range(20):
        alone = Canvas(50, 80, KINDS)
        mouths = seeded(alone, 22, 36, "#####\n#...#\n##.##", [south])
        build("caves", alone, seed, mouths)
        assert alone.open[25, 38]
        assert components(alone.open)[1] == 1
        helped = Canvas(50, 80, KINDS)
        mouths = seeded(helped, 22, 36, "#####\n....#\n##.##", [south, west])
        build("caves", helped, seed, mouths)
        assert helped.open[23, 35]
        used += bool(helped.open[25, 38])
        assert components(helped.open)[1] == 1
    assert 0 < used < 20


def test_a_diggable_edge_is_opened_where_a_cave_lies_close_by():
    opened = 0
    for seed in range(30):
        each = Canvas(50, 80, KINDS)
        links = [(2, -1, 0, -1, 1, "diggable"), (5, 2, 1, 0, 1, "tunneler")]
        mouths = seeded(each, 22, 36, "#####\n#...#\n?...#\n#...#\n##.##", links)
        build("caves", each, seed, mouths)
        opened += bool(each.open[24, 36])
        assert each.open[24, 35] == each.open[24, 36]
        assert each.open[27, 38]
        assert components(each.open)[1] == 1
    assert 0 < opened < 30


def test_what_has_no_mouth_is_broken_into_and_what_is_walled_in_for_good_is_told_of():
    each = Canvas(50, 80, KINDS)
    seeded(each, 22, 36, "....\n....")
    build("caves", each, 4)
    assert components(each.open)[1] == 1
    each = Canvas(50, 80, KINDS)
    mouths = seeded(each, 22, 36, "BBBBB\nB. BB\nBBBBB", [(1, 2, 0, 1, 1, "tunneler")])
    with pytest.raises(GenerationError, match="no way can be dug to the prefab"):
        build("caves", each, 4, mouths)


def test_a_barrier_across_the_map_leaves_the_larger_side():
    for seed in range(10):
        each = Canvas(50, 80, KINDS)
        each.stamp(1, 30, codes("B\n" * 48), 0)
        build("caves", each, seed)
        assert components(each.open)[1] == 1
        assert not each.open[:, :31].any()


# -- what an author asks for ------------------------------------------------------------------------


def test_a_single_size_gives_caves_of_about_that_size():
    for size in (50, 200):
        for seed in range(5):
            each = fresh("caves", 60, 100, seed, cave=Constant(size))
            sizes = [int(cells_of(each, region).sum()) for region in regions(each, "cave")]
            assert len(sizes) >= 2
            assert size / 1.45 < min(sizes) <= max(sizes) < size * 1.45


def test_caves_are_of_the_size_that_was_asked_for():
    small = fresh("caves", 60, 100, 1, cave=Between(30, 60))
    large = fresh("caves", 60, 100, 1, cave=Between(300, 900))
    assert len(regions(small, "cave")) > 3 * len(regions(large, "cave"))
    for each, low, high in ((small, 30, 60), (large, 300, 900)):
        sizes = [int(cells_of(each, cave).sum()) for cave in regions(each, "cave")]
        assert low <= min(sizes) <= max(sizes) <= high


def test_wide_tunnels_are_wide_but_for_their_mouths():
    """Where nothing else lies beside it a tunnel of two cells has two lines, straight or not, and still joins two caves only."""
    for winding in (0.0, 1.0):
        wide = total = 0
        for seed in range(10):
            each = fresh("caves", 60, 100, seed, width=Constant(2), winding=winding, loops=0.0)
            assert components(each.open)[1] == 1
            assert not each.open[[*range(3), *range(-3, 0)]].any()
            assert measure_flow(each).loops <= 1, "two ways may meet by chance"
            for tunnel in regions(each, "corridor"):
                cells = cells_of(each, tunnel)[tunnel.bounds.slices]
                if max(cells.shape) >= 5:
                    total += 1
                    wide += (cells[:-1, :-1] & cells[1:, :-1] & cells[:-1, 1:] & cells[1:, 1:]).sum() >= 3
        assert wide >= 0.8 * total > 10


def test_tunnels_are_as_long_straight_and_wide_as_asked_for():
    each = fresh("caves", 60, 100, 2, winding=0.0, width=1)
    boxes = [region.bounds for region in regions(each, "corridor")]
    assert sum(min(box.height, box.width) == 1 for box in boxes) >= 0.9 * len(boxes)


def test_pockets_leave_earth():
    full = [fresh("caves", 60, 100, seed, pockets=0.0).open.mean() for seed in range(8)]
    poor = [fresh("caves", 60, 100, seed, pockets=0.4).open.mean() for seed in range(8)]
    assert np.mean(poor) < 0.8 * np.mean(full)


def test_where_little_space_is_left_caves_are_smaller_and_the_journal_says_so():
    for size in ((30, 40), (24, 44), (26, 36)):
        for seed in range(20):
            each, made_from = Canvas(*size, KINDS), job(seed)
            each.reserve(Rect(12, 10, 8, 12))
            for _ in caves(each, CavesParams(), made_from):
                pass
            assert len(regions(each, "cave")) >= 2
            assert components(each.open)[1] == 1
            sizes = [int(cells_of(each, cave).sum()) for cave in regions(each, "cave")]
            notes = [each for each in made_from.journal.decisions if "smaller than wanted" in each.reason]
            assert min(sizes) >= 60 or notes
            assert min(sizes) >= 10
    asked = Canvas(60, 110, KINDS), job(1)
    list(caves(asked[0], CavesParams(min_caves=30), asked[1]))
    assert len(regions(asked[0], "cave")) >= 30, "so many caves as there must be"
    roomy = job(1)
    list(caves(Canvas(60, 110, KINDS), CavesParams(), roomy))
    assert not any("smaller" in each.reason for each in roomy.journal.decisions)


def test_where_neither_noise_nor_blobs_find_space_caves_are_all_that_can_be_dug():
    for seed in range(20):
        each, made_from = Canvas(20, 30, KINDS), job(seed)
        each.reserve(Rect(3, 12, 14, 15))  # leaves earth to the west
        for _ in caves(each, CavesParams(min_caves=1), made_from):
            pass
        assert regions(each, "cave")
        assert components(each.open)[1] == 1


def test_a_map_without_space_says_so():
    with pytest.raises(GenerationError, match="only 0 caves found space in a map of 9x9; min_caves is 2"):
        fresh("caves", 9, 9, 1)
    with pytest.raises(GenerationError, match="margins of 3 cells leave nothing of a map of 6x6"):
        fresh("caves", 6, 6, 1)


@pytest.mark.parametrize("wrong", [{"linearity": 2}, {"steps": -1}, {"cave": Constant(3)}, {"caves": 4}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValidationError):
        CavesParams(**wrong)


def test_a_small_map_as_a_picture():
    each = fresh("caves", 24, 60, 2, margin=Constant(2), cave=Between(30, 200))
    assert picture(each) == flat("""
        _
        _
        _              ####                        ######
        _           ####::########                ##::::##
        _        ####:#::::::::::##               #::::::##
        _       ##::::#:::::::::::#               #:::::::##
        _       #:::::#:::::::::::#   #####       ###::::::##
        _       #:::::##:::::::::## ###:::##        ##::::::#
        _       ##:::::#:::::::::# ##::::::##        #:::::##
        _       ##:::::##::::::::# #::::::::##  ######:::::#
        _      ##:::::::#:::::::## #:::::::::####::,,,::::,#
        _      #::::::::###:::::#  #::::::::::::::::###::#,#
        _      #::::::::::#::::#####::::::::::::::::# ####,#
        _      #::::::::::#::::#,,##:::::::::::::::##   ##,#####
        _      #::::::::::##:::,,,,,:::::::::::::::#  ###::::::##
        _      ##::::::::::#:::#####:::::::::::::::# ##:::::::::#
        _       #::::::::::#,,##   ##::::::::::::::# #::::::::::#
        _       #:::::::::::::#   #####::::::::::::# #::::::::::#
        _       ##::##::::::::# ###,,###::::::::::## #::::::::::#
        _        ######::::::####,,,,,##::::::::###  ##::##:::::#
        _             ##::::,,##,,###,,,::::#####     ######:::##
        _              ######,,,,## #####::##              #####
        _                   ######      ####
        _
        """)
