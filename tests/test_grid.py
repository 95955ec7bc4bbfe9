"""Masks and geometry, against the plainest code that could be right."""

from collections import deque
from itertools import pairwise

import numpy as np
import pytest
from drawn import mask, picture_of_mask, rows
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dungeon import Cell, Orientation, Rect
from dungeon.extend import Board, shifted
from dungeon.grid.bits import all_in_run, any_in_run, array_of, nth_bit, places, row_bits
from dungeon.grid.diameter import diameter
from dungeon.grid.regions import (
    FAR,
    LARGE,
    Parts,
    bounds_of,
    components,
    distances,
    parts_of,
    way_down,
)
from dungeon.grid.symmetry import ALL_ORIENTATIONS
from dungeon.grid.walks import MANY, ArrayWalks, BitWalks, walks_over
from dungeon.grid.ways import find_way

SHAPES = st.one_of(
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    st.tuples(st.just(1), st.integers(1, 40)),
    st.tuples(st.integers(1, 40), st.just(1)),
    st.tuples(st.integers(1, 4), st.sampled_from([31, 32, 33, 63, 64, 65])),
)
MASKS = SHAPES.flatmap(lambda shape: arrays.arrays(np.bool_, shape))


def neighbours(y, x):
    """Return the four cells beside a cell."""
    return [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]


def naive_flood(cells, start, leaps=()):
    """Return what 4-neighbour steps, and leaps, reach from a start cell, with how many steps."""
    height, width = cells.shape
    across = [*leaps, *(pair[::-1] for pair in leaps)]
    steps = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for y, x in neighbours(*here) + [there for begin, there in across if begin == here]:
            if 0 <= y < height and 0 <= x < width and cells[y, x] and (y, x) not in steps:
                steps[y, x] = steps[here] + 1
                queue.append((y, x))
    return steps


# -- connected parts ------------------------------------------------------------------------------


def test_parts_are_numbered_in_reading_order():
    cells = mask("""
        .##..#
        ..#.##
        #...#.
        ##.#..
        .#.##.
        """)
    labels, count = components(cells)
    assert count == 4
    assert ["".join(str(part) for part in row) for row in labels.tolist()] == [
        "011002",
        "001022",
        "300020",
        "330400",
        "030440",
    ]


@given(MASKS)
def test_parts_are_those_of_a_naive_flood(cells):
    expected, count = np.zeros(cells.shape, np.int32), 0
    for y, x in np.argwhere(cells).tolist():
        if not expected[y, x]:
            count += 1
            for cell in naive_flood(cells, (y, x)):
                expected[cell] = count
    labels, found = components(cells)
    assert found == count
    assert labels.dtype == np.int32
    assert np.array_equal(labels, expected)
    parts = parts_of(labels, count)
    assert len(parts) == count
    for number, part in enumerate(parts, 1):
        assert part.tolist() == np.flatnonzero(labels == number).tolist()


@given(MASKS)
def test_parts_know_their_cells_and_sizes(cells):
    parts = Parts(cells)
    labels, count = components(cells)
    assert parts.count == count
    assert parts.sizes.tolist()[1:] == [int((labels == number).sum()) for number in range(1, count + 1)]
    for number in range(1, count + 1):
        assert np.array_equal(parts.mask(number), labels == number)
    for y, x in np.ndindex(cells.shape):
        assert parts.at(y, x) == labels[y, x]


def test_a_spiral_and_a_comb_are_one_part():
    spiral = mask("""
        #########
        ........#
        #######.#
        #.....#.#
        #.###.#.#
        #.#...#.#
        #.#####.#
        #.......#
        #########
        """)
    assert components(spiral)[1] == 1
    comb = np.zeros((200, 201), np.bool_)
    comb[:, ::2] = True
    assert components(comb)[1] == 101
    comb[-1] = True
    assert components(comb)[1] == 1


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_an_empty_mask_has_no_components(shape):
    labels, count = components(np.zeros(shape, np.bool_))
    assert (labels.shape, count) == (shape, 0)
    assert parts_of(labels, 0) == []


@given(MASKS, st.data())
def test_distances_are_those_of_a_naive_flood(cells, data):
    start = (
        data.draw(st.integers(0, cells.shape[0] - 1)),
        data.draw(st.integers(0, cells.shape[1] - 1)),
    )
    found = distances(cells, [start])
    expected = np.full(cells.shape, FAR)
    for cell, steps in naive_flood(cells, start).items():
        expected[cell] = steps
    assert np.array_equal(found, expected)


def test_distances_from_several_starts_are_from_the_nearest():
    field = distances(mask("########.#"), [(0, 0), (0, 6)])
    assert field[0].tolist() == [0, 1, 2, 3, 2, 1, 0, 1, FAR, FAR]


@given(
    SHAPES.flatmap(lambda shape: arrays.arrays(np.int32, shape, elements=st.sampled_from([0, 1, 4, 40]))),
    st.data(),
)
def test_the_cheapest_ways_are_those_of_a_naive_search(cost, data):
    board = Board(*cost.shape)
    cells = st.tuples(st.integers(0, cost.shape[0] - 1), st.integers(0, cost.shape[1] - 1))
    starts, goals = (data.draw(st.sets(cells, min_size=1, max_size=3)) for _ in range(2))
    width = data.draw(st.integers(1, 3))

    def price_of(y, x):
        """Return what a block costs; 0 where it can't be."""
        block = cost[y : y + width, x : x + width]
        return int(block.max()) if block.shape == (width, width) and block.all() else 0

    told = {cell: price_of(*cell) for cell in starts if price_of(*cell)}
    waiting = [*told]
    while waiting:
        here = waiting.pop()
        for there in neighbours(*here):
            if min(there) >= 0 and (price := price_of(*there)) and told[here] + price < told.get(there, FAR):
                told[there] = told[here] + price
                waiting.append(there)
    blocks = {cell: {(cell[0] + y, cell[1] + x) for y in range(width) for x in range(width)} for cell in told}
    expected = min((price for cell, price in told.items() if blocks[cell] & goals), default=None)
    ground = {each: board.from_array(cost == each) for each in (1, 4, 40)}
    ends = board.from_cells(starts), board.from_cells(goals)
    way = find_way(board, ground, *ends, width=width)
    assert bool(way) == (expected is not None)
    if expected is None:
        return
    assert find_way(board, ground, *ends, width=width, most=expected) == way
    assert not find_way(board, ground, *ends, width=width, most=expected - 1)
    assert all(cost[cell] for cell in way)
    if width == 1:
        assert way[0] in starts
        assert way[-1] in goals
        assert sum(int(cost[cell]) for cell in way) == expected
        assert all(there in neighbours(*here) for here, there in pairwise(way))


@pytest.mark.parametrize("shape", [(LARGE // 100 + 1, 100), (100, LARGE // 100 + 1)])
def test_distances_on_large_maps_are_those_of_a_naive_flood(shape):
    cells = np.random.default_rng(7).random(shape) < 0.7
    field = distances(cells, [(0, 0), (60, 70)])
    expected = np.full(shape, FAR)
    for start in ((0, 0), (60, 70)):
        for cell, steps in naive_flood(cells, start).items():
            expected[cell] = min(expected[cell], steps)
    assert np.array_equal(field, expected)


def far_cells(cells, starts, wanted, share):
    """Return what `Walks.far` is to find, by what `distances` says."""
    steps = distances(cells, starts)
    reached = wanted & (steps < FAR) & (steps > 0)
    if not reached.any():
        return None
    return reached & (steps >= share * steps[reached].max())


@pytest.mark.parametrize("over", [BitWalks, ArrayWalks])
@given(MASKS, st.data())
def test_far_cells_are_those_that_distances_call_far(over, cells, data):
    ways = [Cell(*at) for at in np.argwhere(cells).tolist()]
    assume(ways)
    starts = data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=4))
    wanted = np.random.default_rng(data.draw(st.integers(0, 99))).random(cells.shape) < 0.5
    walks = over(cells)
    assert walks.far(wanted, 0.6) is wanted  # no walk has begun
    for count, start in enumerate(starts, 1):
        walks.begin(start)
        found = walks.far(wanted, 0.6)
        expected = far_cells(cells, starts[:count], wanted, 0.6)
        assert (found is None) == (expected is None)
        assert expected is None or np.array_equal(found, expected)


@pytest.mark.parametrize("over", [BitWalks, ArrayWalks])
@given(MASKS, st.data())
def test_walks_tell_how_far_they_lead_and_what_lies_beyond(over, cells, data):
    ways = [Cell(*at) for at in np.argwhere(cells).tolist()]
    assume(ways)
    first, second = data.draw(st.lists(st.sampled_from(ways), min_size=2, max_size=2))
    walks = over(cells)
    assert walks.longest() == 0
    one, other = walks.alone(first), walks.alone(second)
    walks.join(one)
    walks.join(other)
    for found, begun in ((one, [first]), (other, [second]), (walks, [first, second])):
        steps = distances(cells, begun)
        reached = cells & (steps < FAR)
        assert found.longest() == steps[reached].max()
        for least in (1, 2, 5):
            far = reached & (steps >= least)
            assert np.array_equal(found.beyond(cells, least), far)
            assert found.nearer(ways, least) == tuple(cell for cell in ways if steps[cell] < least)
        farthest = np.argwhere(reached & (steps == steps[reached].max()))[0]
        assert found.farthest(cells) == (tuple(farthest) if steps[reached].max() else None)


@pytest.mark.parametrize("over", [BitWalks, ArrayWalks])
@given(MASKS, st.data())
def test_the_largest_part_is_found_from_wherever_it_is_looked_for(over, cells, data):
    ways = [Cell(*at) for at in np.argwhere(cells).tolist()]
    assume(ways)
    likely = data.draw(st.sampled_from(ways))
    labels, _ = components(cells)
    sizes = np.bincount(labels.ravel())[1:]
    found = over(cells).part([], likely)
    assert found.sum() == sizes.max()
    assert len({*labels[found].tolist()}) == 1
    assert np.array_equal(over(cells).part([likely]), labels == labels[likely])


@pytest.mark.parametrize(
    ("shape", "kind"), [((30, 41), BitWalks), ((30, 42), BitWalks), ((MANY // 200, 200), ArrayWalks)]
)
def test_far_cells_of_maps_of_any_size_are_those_that_distances_call_far(shape, kind):
    random = np.random.default_rng(11)
    cells = random.random(shape) < 0.8
    starts = [Cell(*at) for at in np.argwhere(cells)[[5, 99]].tolist()]
    steps = distances(cells, starts)
    walks = walks_over(cells)
    assert isinstance(walks, kind)
    for start in starts:
        walks.begin(start)
    for wanted in (random.random(shape) < 0.1, steps < 30, steps == 1):
        assert np.array_equal(walks.far(wanted, 0.6), far_cells(cells, starts, wanted, 0.6))
    assert walks.far(steps == 0, 0.6) is None
    assert walks.far(steps == FAR, 0.6) is None


@given(MASKS)
def test_bounds_are_the_smallest_rectangle(cells):
    if not cells.any():
        with pytest.raises(ValueError, match="no cell"):
            bounds_of(cells)
        return
    rect = bounds_of(cells)
    assert cells[rect.slices].sum() == cells.sum()
    for side in (cells[rect.slices][0], cells[rect.slices][-1]):
        assert side.any()
    for side in (cells[rect.slices][:, 0], cells[rect.slices][:, -1]):
        assert side.any()


# -- a mask in one integer ------------------------------------------------------------------------


@given(MASKS)
def test_a_mask_becomes_an_integer_and_comes_back(cells):
    board = Board(*cells.shape)
    bits = board.from_array(cells)
    assert np.array_equal(board.to_array(bits), cells)
    where = [Cell(y, x) for y, x in np.argwhere(cells).tolist()]
    assert board.cells(bits) == where
    assert board.from_cells(reversed(where)) == bits
    assert bits & ~board.full == 0
    assert [board.nth(bits, index) for index in range(len(where))] == where
    for index in (-1, len(where)):
        with pytest.raises(IndexError, match=f"{len(where)} bits are set"):
            board.nth(bits, index)


@given(MASKS, st.data())
def test_a_part_of_a_mask_is_cut_out_and_put_back(cells, data):
    board = Board(*cells.shape)
    y, x = (data.draw(st.integers(0, extent - 1)) for extent in cells.shape)
    height, width = data.draw(st.integers(1, board.height - y)), data.draw(st.integers(1, board.width - x))
    part = Rect(y, x, height, width)
    cut = board.cut(board.from_array(cells), part)
    assert (Board(height, width).to_array(cut) == cells[part.slices]).all()
    only = np.zeros_like(cells)
    only[part.slices] = cells[part.slices]
    assert board.put_back(cut, part) == board.from_array(only)


@given(MASKS)
def test_a_mask_has_the_bounds_of_its_array(cells):
    assume(cells.any())
    board = Board(*cells.shape)
    assert board.bounds(board.from_array(cells)) == bounds_of(cells)


@given(MASKS)
def test_moving_and_growing(cells):
    height, width = cells.shape
    board = Board(height, width)
    bits = board.from_array(cells)
    padded = np.pad(cells, 2)

    def moved(dy, dx):
        return padded[2 - dy : 2 - dy + height, 2 - dx : 2 - dx + width]

    for dy in (-2, -1, 0, 1, 2):
        for dx in (-1, 0, 1):
            assert np.array_equal(board.to_array(board.move(bits, dy, dx)), moved(dy, dx))
    beside = cells | moved(0, 1) | moved(0, -1) | moved(1, 0) | moved(-1, 0)
    assert np.array_equal(board.to_array(board.beside(bits)), beside)
    around = np.any([moved(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)], axis=0)
    assert np.array_equal(board.to_array(board.around(bits)), around)


@given(st.integers(0, 1 << 200), st.integers(1, 9), st.integers(1, 5))
def test_runs_that_are_full_and_runs_that_are_not_empty(bits, length, step):
    def run(first):
        return [bits >> first + step * number & 1 for number in range(length)]

    size = bits.bit_length()
    assert places(all_in_run(bits, length, step)) == [first for first in range(size) if all(run(first))]
    assert places(any_in_run(bits, length, step)) == [first for first in range(size) if any(run(first))]


@given(st.integers(0, 1 << 300), st.integers(-5, 80))
def test_bits_have_places_in_order(bits, by):
    set_bits = [place for place in range(301) if bits >> place & 1]
    assert places(bits) == set_bits
    assert [nth_bit(bits, number) for number in range(len(set_bits))] == set_bits
    for number in (-1, len(set_bits)):
        with pytest.raises(IndexError, match="bits are set"):
            nth_bit(bits, number)
    assert places(shifted(bits, by)) == [place + by for place in set_bits if place + by >= 0]


@given(MASKS, st.integers(1, 4), st.integers(1, 4))
def test_every_place_where_a_block_touches_a_mask(cells, height, width):
    board = Board(*cells.shape)
    found = board.cells(board.touches(board.from_array(cells), height, width) & board.full)
    for y, x in Rect(0, 0, cells.shape[0] - height + 1, cells.shape[1] - width + 1).cells():
        assert ((y, x) in found) == cells[y : y + height, x : x + width].any()


@given(MASKS, st.data())
def test_part_of_a_map_becomes_an_integer(cells, data):
    height, width = cells.shape
    x, more = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    board = Board(height + 2, x + width + more)
    whole = np.zeros((height + 2, x + width + more), np.bool_)
    whole[:height, x : x + width] = cells
    assert board.from_part(cells, x) == board.from_array(whole)
    assert int.from_bytes(board.to_bytes(board.from_array(whole)), "little") == board.from_array(whole)


@given(MASKS, st.integers(1, 14), st.integers(1, 14))
def test_every_place_where_a_block_fits(cells, height, width):
    board = Board(*cells.shape)
    expected = [
        Cell(y, x)
        for y in range(cells.shape[0] - height + 1)
        for x in range(cells.shape[1] - width + 1)
        if cells[y : y + height, x : x + width].all()
    ]
    assert board.cells(board.fits(board.from_array(cells), height, width)) == expected


@given(st.integers(1, 9), st.integers(1, 40), st.data())
def test_a_block_is_a_rectangle(height, width, data):
    y, x = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    rect = Rect(y, x, data.draw(st.integers(0, height - y)), data.draw(st.integers(0, width - x)))
    board = Board(height, width)
    assert board.cells(board.block(*rect)) == list(rect.cells())


@given(MASKS)
@settings(max_examples=60)
def test_flooding_a_board_is_a_naive_flood(cells):
    board = Board(*cells.shape)
    bits = board.from_array(cells)
    for start in board.cells(bits)[:3]:
        assert board.cells(board.flood(bits, board.from_cells([start]))) == sorted(naive_flood(cells, start))
    assert board.flood(bits, board.full & ~bits) == 0
    assert board.flood(bits, board.full) == bits


def test_rows_do_not_run_into_each_other():
    board = Board(3, 4)
    bits = board.from_array(
        mask("""
        ...#
        #..#
        #...
        """)
    )
    assert picture_of_mask(board.to_array(board.beside(bits))).split() == ["#.##", "####", "##.#"]
    assert board.fits(bits, 1, 2) == 0
    assert board.cells(board.fits(bits, 2, 1)) == [(0, 3), (1, 0)]


# -- rows -----------------------------------------------------------------------------------------


@given(arrays.arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 70))))
def test_rows_as_integers_agree_with_the_array(cells):
    rows = row_bits(cells)
    assert [[bool(row >> x & 1) for x in range(cells.shape[1])] for row in rows] == cells.tolist()
    assert (array_of(rows, cells.shape[1]) == cells).all()
    board = Board(*cells.shape)
    assert board.from_rows(rows) == board.from_array(cells)


# -- rectangles -----------------------------------------------------------------------------------

RECTS = st.builds(Rect, st.integers(-3, 8), st.integers(-3, 8), st.integers(0, 5), st.integers(0, 5))


@given(RECTS, RECTS)
def test_rectangles_are_sets_of_cells(one, other):
    cells, others = set(one.cells()), set(other.cells())
    assert len(cells) == one.area
    if cells and others:
        assert one.overlaps(other) == bool(cells & others)
        assert one.encloses(other) == (others <= cells)
    assert set(one.clipped(6, 7).cells()) == {(y, x) for y, x in cells if 0 <= y < 6 and 0 <= x < 7}
    assert all(one.contains(y, x) == ((y, x) in cells) for y in range(-4, 14) for x in range(-4, 14))
    assert one.grown(2).grown(-2) == one
    assert list(one.cells()) == sorted(cells)


# -- symmetry -------------------------------------------------------------------------------------

LAID = {
    Orientation.R0: "abc def",
    Orientation.R90: "da eb fc",
    Orientation.R180: "fed cba",
    Orientation.R270: "cf be ad",
    Orientation.M0: "cba fed",
    Orientation.M90: "fc eb da",
    Orientation.M180: "def abc",
    Orientation.M270: "ad be cf",
}


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_the_eight_ways_to_lay_a_drawing(orientation):
    drawn = np.array([list(row) for row in rows("abc\ndef")])
    laid = orientation.turn(drawn)
    assert ["".join(row) for row in laid.tolist()] == LAID[orientation].split()
    assert laid.flags.c_contiguous
    assert Orientation.named(orientation.label) is orientation


@given(st.sampled_from(ALL_ORIENTATIONS), SHAPES)
def test_cells_steps_and_arrays_turn_alike(orientation, shape):
    height, width = shape
    drawn = np.arange(height * width).reshape(shape)
    laid = orientation.turn(drawn)
    for y, x in np.ndindex(shape):
        here = orientation.turn_cell(y, x, height, width)
        assert laid[here] == drawn[y, x]
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if 0 <= y + dy < height and 0 <= x + dx < width:
                turned = orientation.turn_vector(dy, dx)
                there = orientation.turn_cell(y + dy, x + dx, height, width)
                assert there == (here[0] + turned[0], here[1] + turned[1])


@pytest.mark.parametrize("whole", ALL_ORIENTATIONS, ids=lambda each: each.label)
@pytest.mark.parametrize("last", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_an_orientation_before_another_gives_the_whole(whole, last):
    drawn = np.arange(6).reshape(2, 3)
    assert last.turn(whole.before(last).turn(drawn)).tolist() == whole.turn(drawn).tolist()


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_the_south_edge_faces_where_the_turns_say(orientation):
    assert orientation.turn_vector(1, 0) == ((1, 0), (0, -1), (-1, 0), (0, 1))[orientation.turns]


def test_an_unknown_orientation():
    with pytest.raises(KeyError):
        Orientation.named("r45")


def test_leaps_count_as_steps() -> None:
    ground = np.zeros((3, 9), np.bool_)
    ground[1, [0, 1, 2, 6, 7, 8]] = True
    leap = (Cell(1, 0), Cell(1, 7))
    assert components(ground)[1] == 2
    assert components(ground, [leap])[0].tolist()[1] == [1, 1, 1, 0, 0, 0, 1, 1, 1]
    away = distances(ground, [Cell(1, 2)], [leap])
    assert away[1, [2, 1, 0, 7, 6, 8]].tolist() == [0, 1, 2, 3, 4, 4]
    assert way_down(away, Cell(1, 8), [leap]) == [(1, 8), (1, 7), (1, 0), (1, 1), (1, 2)]
    walks = walks_over(ground, [leap]).alone(Cell(1, 2))
    assert walks.longest() == 4
    assert walks.part([Cell(1, 0)]).sum() == 6
    assert diameter(ground, leaps=[leap]).low == 4
    ground[1, 7] = False  # one end is closed
    assert components(ground, [leap])[1] == 3


@pytest.mark.parametrize("over", [BitWalks, ArrayWalks])
@given(MASKS, st.data())
def test_leaps_between_any_cells_count_as_steps(over, cells, data):
    everywhere = [Cell(*at) for at in np.ndindex(cells.shape)]
    ways = [cell for cell in everywhere if cells[cell]]
    assume(ways)
    ends = st.tuples(st.sampled_from(everywhere), st.sampled_from(everywhere))
    leaps = data.draw(st.lists(ends, min_size=1, max_size=4))
    starts = data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=2))
    expected = np.full(cells.shape, FAR, np.int32)
    walks = over(cells, leaps)
    for start in starts:
        for cell, steps in naive_flood(cells, start, leaps).items():
            expected[cell] = min(expected[cell], steps)
        walks.begin(start)
    reached = expected < FAR
    assert np.array_equal(distances(cells, starts, leaps), expected)
    assert walks.longest() == expected[reached].max()
    for least in (1, 2, 5):
        assert np.array_equal(walks.beyond(cells, least), reached & (expected >= least))
    labels, _ = components(cells, leaps)
    assert np.array_equal(walks.part(starts[:1]), labels == labels[starts[0]])
