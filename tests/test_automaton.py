"""Automata, growth, ways and graphs, against the plainest code that could be right."""

from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from drawn import mask, picture_of_mask
from flows import independent_loops, longest_walk
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from test_grid import MASKS, naive_flood

from dungeon import Rect
from dungeon.extend import Board, MersenneStream, Stream
from dungeon.grid.automaton import grow_apart, majority
from dungeon.grid.graph import (
    Backbone,
    long_path,
    longest_in_trees,
    longest_path,
    neighbours_in,
    parts,
    walk_within,
)
from dungeon.grid.regions import Parts
from dungeon.grid.ways import find_way


def board_of(cells):
    board = Board(*cells.shape)
    return board, board.from_array(cells)


# -- the automaton ----------------------------------------------------------------------------------


def naive_majority(cells):
    height, width = cells.shape
    result = np.zeros_like(cells)
    for y in range(height):
        for x in range(width):
            result[y, x] = cells[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].sum() >= 5
    return result


@given(MASKS)
def test_a_step_is_that_of_a_naive_automaton(cells):
    board, bits = board_of(cells)
    assert (board.to_array(majority(board, bits)) == naive_majority(cells)).all()


def test_a_step_fills_holes_and_takes_away_spikes_and_corners():
    board, bits = board_of(
        mask("""
        .........
        .#.......
        ..####.#.
        ..#.##...
        ..######.
        ..####...
        .........
        """)
    )
    assert (
        picture_of_mask(board.to_array(majority(board, bits)))
        == """
.........
.........
...##....
..#####..
..#####..
...###...
.........
""".strip()
    )


# -- growth -----------------------------------------------------------------------------------------


def test_what_grows_apart_leaves_a_cell_between_and_stays_on_its_ground():
    ground = mask("""
        ###########
        ###########
        ####...####
        ###########
        """)
    board, bits = board_of(ground)
    masks = [board.from_cells([(0, 0)]), board.from_cells([(3, 10)])]
    grown = grow_apart(board, masks, bits, lambda: board.full, 9)
    assert [picture_of_mask(board.to_array(each)).split() for each in grown] == [
        ["######.....", "######.....", "####.......", "####......."],
        [".......####", ".......####", ".......####", ".....######"],
    ]


@given(arrays.arrays(np.bool_, (12, 17)), st.integers(0, 99), st.integers(0, 12))
def test_blobs_of_different_classes_never_touch(ground, seed, steps):
    random = Random(seed)
    board, bits = board_of(ground)
    masks = [board.from_cells([(y, x)]) for y, x in ((1, 1), (10, 2), (2, 14), (9, 13))]
    grown = grow_apart(board, masks, bits, lambda: random.getrandbits(12 * 18), steps)
    for number, (before, after) in enumerate(zip(masks, grown, strict=True)):
        assert before & ~after == 0
        assert after & ~before & ~bits == 0
        others = sum(each for other, each in enumerate(grown) if other != number)
        assert board.around(after) & others == 0
        assert board.flood(after, before) == after


# -- masks ------------------------------------------------------------------------------------------


@given(MASKS)
def test_rows_of_integers_are_the_same_mask(cells):
    board, bits = board_of(cells)
    rows = [sum(1 << int(x) for x in np.flatnonzero(row)) for row in cells]
    assert board.from_rows(rows) == bits


@given(MASKS)
def test_the_last_cell_reached_is_as_far_as_any(cells):
    board, bits = board_of(cells)
    if bits:
        start = board.cells(bits)[0]
        steps = naive_flood(cells, start)
        (last,) = board.cells(board.last_reached(bits, board.from_cells([start])))
        assert steps[last] == max(steps.values())


@given(MASKS)
def test_parts_know_their_bounds_and_first_cells_and_take_other_numbers(cells):
    found = Parts(cells)
    labels = found.labels
    for part, box in enumerate(found.boxes(), 1):
        ys, xs = np.nonzero(labels == part)
        assert box == Rect(ys.min(), xs.min(), np.ptp(ys) + 1, np.ptp(xs) + 1)
        assert found.first(part) == (ys[0], xs[0])
    assert len(found.boxes()) == found.count
    numbers = np.arange(found.count + 1, dtype=np.int32) % 3
    assert (found.numbered(numbers) == numbers[labels]).all()


# -- ways -------------------------------------------------------------------------------------------


@given(MASKS, st.data())
def test_a_shortest_way_is_as_long_as_a_naive_one(cells, data):
    board, bits = board_of(cells)
    if not bits:
        return
    start, goal = (data.draw(st.sampled_from(board.cells(bits))) for _ in range(2))
    ends = board.from_cells([start]), board.from_cells([goal])
    way = find_way(board, {1: bits}, *ends, random=Random(1).random, winds=data.draw(st.booleans()))
    steps = naive_flood(cells, start)
    if goal not in steps:
        assert way == []
        return
    assert (way[0], way[-1], len(way)) == (start, goal, steps[goal] + 1)
    assert all(cells[cell] for cell in way)
    assert all(abs(a.y - b.y) + abs(a.x - b.x) == 1 for a, b in pairwise(way))


def test_a_way_leads_from_the_nearest_start_to_the_nearest_goal():
    ground = mask("""
        ###.###
        #.#.#.#
        #.###.#
        """)
    board, bits = board_of(ground)
    starts, goals = board.from_cells([(2, 0), (0, 2)]), board.from_cells([(2, 6), (0, 4)])
    way = find_way(board, {1: bits}, starts, goals, random=Random(1).random, winds=True)
    assert way == [(0, 2), (1, 2), (2, 2), (2, 3), (2, 4), (1, 4), (0, 4)]


@pytest.mark.parametrize("most", [6, 7])
def test_a_way_that_is_longer_than_allowed_is_not_found_and_draws_nothing(most):
    board, bits = board_of(mask("#######"))
    stream = Random(1)
    ends = board.from_cells([(0, 0)]), board.from_cells([(0, 6)])
    way = find_way(board, {1: bits}, *ends, most=most, random=stream.random, winds=True)
    assert len(way) == (7 if most == 7 else 0)
    assert (stream.random() == Random(1).random()) == (most == 6)


# -- graphs -----------------------------------------------------------------------------------------


def graph_of(count, edges):
    neighbours = [[] for _ in range(count)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    return neighbours


def lattice(height, width):
    cells = [(y, x) for y in range(height) for x in range(width)]
    return graph_of(
        len(cells),
        [
            (cells.index(cell), cells.index(other))
            for cell in cells
            for other in ((cell[0] + 1, cell[1]), (cell[0], cell[1] + 1))
            if other in cells
        ],
    )


def test_parts_loops_and_the_longest_walk_of_a_graph():
    #   0 - 1 - 2 - 3    5 - 6
    #       |       |     \ /
    #       4       8      7
    graph = graph_of(9, [(0, 1), (1, 2), (2, 3), (1, 4), (3, 8), (5, 6), (6, 7), (7, 5)])
    assert parts(graph) == [[0, 1, 2, 4, 3, 8], [5, 6, 7]]
    assert independent_loops(graph) == 1
    assert longest_walk(graph, 2) in ([0, 1, 2, 3, 8], [4, 1, 2, 3, 8], [8, 3, 2, 1, 4], [8, 3, 2, 1, 0])
    assert len(longest_walk(graph, 6)) == 2


@pytest.mark.parametrize("seed", range(30))
def test_the_longest_walk_of_a_tree_is_the_longest(seed):
    random = Random(seed)
    count = random.randint(1, 25)
    tree = graph_of(count, [(random.randrange(node), node) for node in range(1, count)])
    assert independent_loops(tree) == 0

    def depth(node, before):
        return 1 + max((depth(other, node) for other in tree[node] if other != before), default=0)

    assert len(longest_walk(tree)) == max(depth(node, None) for node in range(count))
    assert longest_in_trees(tree) == len(longest_walk(tree))


def test_the_longest_path_through_trees_is_that_of_the_tree_with_the_longest():
    #   1 - 2 - 3    5 - 6 - 7 - 8    9
    #       |            |
    #       4           10
    trees = neighbours_in([(1, 2), (2, 3), (2, 4), (5, 6), (6, 7), (7, 8), (6, 10)], 10)
    assert trees[1] == [0, 2, 3]
    assert longest_in_trees(trees) == 4
    assert longest_in_trees([]) == 0


@pytest.mark.parametrize("seed", range(10))
def test_a_long_path_has_no_repeats_and_is_as_long_as_wanted(seed):
    graph = lattice(5, 7)
    for enough in (1, 2, 17, 33):
        path = long_path(graph, seed, enough, Random(seed).random)
        assert len(path) == len(set(path)) == enough
        assert seed in path
        assert all(b in graph[a] for a, b in pairwise(path))


def test_a_path_is_as_long_as_a_star_allows():
    star = graph_of(6, [(0, n) for n in range(1, 6)])
    assert len(long_path(star, 3, 6, Random(1).random)) == 3
    assert long_path([[]], 0, 5, Random(1).random) == [0]


def test_where_a_path_is_too_short_others_are_tried():
    """One that leads through all of a lattice with two tails must begin in one of them."""
    graph = [*lattice(4, 5), [0], [19]]
    graph[0], graph[19] = [*graph[0], 20], [*graph[19], 21]
    whole = Counter()
    for seed in range(40):
        random = Random(seed).random
        one = long_path(graph, 9, 22, random)
        best = longest_path(graph, one, 22, random)
        assert len(best) == len(set(best)) >= len(one)
        assert all(b in graph[a] for a, b in pairwise(best))
        whole.update(one=len(one) == 22, best=len(best) == 22)
    assert whole["one"] < 15
    assert whole["best"] > 35
    assert longest_path(graph, [3, 4], 2, Random(1).random) == [3, 4]


def test_a_walk_within_a_length():
    #   0 -2- 1 -2- 2
    #    \----9----/
    edges = [[(1, 2), (2, 9)], [(0, 2), (2, 2)], [(1, 2), (0, 9)]]
    assert walk_within(edges, 0, 2, 4)
    assert not walk_within(edges, 0, 2, 3)
    assert walk_within(edges, 1, 1, 0)


# -- noise ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.66, 0.9, 1])
def test_bits_are_set_as_often_as_asked_for(share):
    bits = Stream(7).bits(100_000, share)
    assert bits.bit_count() / 100_000 == pytest.approx(share, abs=0.01)
    assert bits < 1 << 100_000


def test_bits_are_even_along_their_length():
    bits = Stream(8).bits(64_000, 0.7)
    counts = Counter(at % 8 for at in range(64_000) if bits >> at & 1)
    assert all(count == pytest.approx(5600, abs=200) for count in counts.values())


def test_bits_are_the_same_in_every_version():
    assert hex(MersenneStream(1).bits(64, 0.5)) == "0x91b7584a2265b1f5"
    assert hex(MersenneStream(1).bits(64, 0.66)) == "0xd2efefc57fd4f57f"


@pytest.mark.parametrize("seed", range(20))
def test_a_backbone_knows_the_longest_path_after_each_edge(seed):
    random = Random(seed)
    path = list(range(1, 13))  # nodes of pairs are numbered from 1
    branches = [(random.randint(1, node - 1), node) for node in range(13, 40)]
    backbone = Backbone([node - 1 for node in path], neighbours_in(branches, 40))
    pairs = list(branches)
    for at in random.sample(range(11), 11):
        backbone.add(at)
        pairs.append((path[at], path[at + 1]))
        assert backbone.longest == longest_in_trees(neighbours_in(pairs, 40))


def test_a_long_path_takes_in_what_lies_beside_it_and_leaves_dead_ends():
    comb = [(node, node + 1) for node in range(1, 300)]  # a long line,
    comb += [(node, 300 + node) for node in range(1, 301)]  # a second one beside it,
    comb += [(300 + node, 301 + node) for node in range(1, 300) if node % 2]  # in pieces of two nodes,
    path = long_path(neighbours_in(comb, 600), 0, 450, Random(5).random)
    assert len(set(path)) == len(path) >= 450
