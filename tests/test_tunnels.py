"""The layout `tunnels`: what holds for every map it makes, and its parts against slow but simple answers."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from dungeon import Canvas, GenerationError, LayoutJob, Phase, Rect
from dungeon import terrain as t
from dungeon.extend import Between, Choice, Constant, Journal, Sometimes, Stream, Streams
from dungeon.generation.layouts import tunnels as layout
from dungeon.generation.layouts.dice import dice
from dungeon.generation.layouts.tunnels import tunnels
from dungeon.generation.layouts.tunnels_params import SideParams, TunnelerParams, TunnelsParams
from dungeon.generation.layouts.tunnels_pieces import TunnelPiece
from dungeon.generation.layouts.tunnels_plan import STRIP, TunnelPlan
from dungeon.grid.regions import components

GLYPHS = {t.EARTH: " ", t.WALL: "#", t.FLOOR: ".", t.CORRIDOR: ",", t.DOORWAY: "'", t.DOOR: "+"}

CASES = [
    *(((50, 80), seed) for seed in range(50)),
    *(((24, 60), seed) for seed in range(30)),
    *(((20, 40), seed) for seed in range(30)),
    *(((15, 20), seed) for seed in range(30)),
    *(((60, 100), seed) for seed in range(10)),
    *(((100, 17), seed) for seed in range(5)),
    *(((37, 141), seed) for seed in range(5)),
    *(((11, 9), seed) for seed in range(10)),
]


def job(seed, attempt=0):
    return LayoutJob(streams=Streams(seed, "test/1"), journal=Journal(), prefabs={}, attempt=attempt)


def fresh(height, width, seed, canvas=None, **params):
    canvas = canvas or Canvas(height, width)
    for _ in tunnels(canvas, TunnelsParams(**params), job(seed)):
        pass
    return canvas


@cache
def made(size, seed):
    return fresh(*size, seed)


def each_map():
    for size, seed in CASES:
        yield made(size, seed)


def drawn(canvas):
    return ["".join(GLYPHS[int(code)] for code in row).rstrip() for row in canvas.terrain]


def open_neighbours(is_open):
    count = np.zeros(is_open.shape, int)
    count[1:] += is_open[:-1]
    count[:-1] += is_open[1:]
    count[:, 1:] += is_open[:, :-1]
    count[:, :-1] += is_open[:, 1:]
    return count


def dead_ends(canvas):
    return int((open_neighbours(canvas.open) == 1)[canvas.terrain == t.CORRIDOR].sum())


def regions(canvas, kind):
    return [region for region in canvas.regions if region.kind == kind]


# -- what holds for every map -----------------------------------------------------------------------


def test_everything_open_is_connected():
    for canvas in each_map():
        assert components(canvas.open)[1] == 1


def test_the_border_is_closed():
    for canvas in each_map():
        assert not canvas.open[[0, -1]].any()
        assert not canvas.open[:, [0, -1]].any()


def test_walls_stand_around_all_that_is_open_and_nowhere_else():
    for canvas in each_map():
        padded = np.pad(canvas.open, 1)
        near = np.zeros_like(canvas.open)
        for dy in range(3):
            for dx in range(3):
                near |= padded[dy : dy + canvas.height, dx : dx + canvas.width]
        assert ((canvas.terrain == t.WALL) == (near & ~canvas.open)).all()


def test_a_door_stands_in_a_wall_between_the_two_regions_it_names():
    """Closed on two opposite sides, open on the two others, and no other door next to it, even diagonally."""
    for canvas in each_map():
        is_open = canvas.open
        cells = {(door.y, door.x) for door in canvas.connections}
        assert len(cells) == len(canvas.connections)
        for door in canvas.connections:
            y, x = door.y, door.x
            assert door.kind in (t.DOOR, t.DOORWAY)
            assert canvas.terrain[y, x] == door.kind
            assert canvas.region[y, x] == 0
            vertical, horizontal = [(y - 1, x), (y + 1, x)], [(y, x - 1), (y, x + 1)]
            ways, walls = (vertical, horizontal) if is_open[y - 1, x] else (horizontal, vertical)
            assert all(is_open[cell] for cell in ways)
            assert not any(is_open[cell] for cell in walls)
            assert sorted(door.between) == sorted(int(canvas.region[cell]) for cell in ways)
            around = {(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)}
            assert around & cells == {(y, x)}


def test_regions_are_rectangles_that_fill_their_bounds():
    for canvas in each_map():
        assert [region.id for region in canvas.regions] == list(range(1, len(canvas.regions) + 1))
        for region in canvas.regions:
            assert (canvas.region[region.bounds.slices] == region.id).all()
        assert sum(region.bounds.area for region in canvas.regions) == (canvas.region > 0).sum()
        assert ((canvas.region > 0) == np.isin(canvas.terrain, (t.FLOOR, t.CORRIDOR))).all()
        for kind, code in (
            ("room", t.FLOOR),
            ("corridor", t.CORRIDOR),
            ("junction", t.CORRIDOR),
            ("hall", t.CORRIDOR),
        ):
            for region in regions(canvas, kind):
                assert (canvas.terrain[region.bounds.slices] == code).all()


def test_a_room_is_open_only_through_its_doors():
    for canvas in each_map():
        doors = {(door.y, door.x): door for door in canvas.connections}
        for room in regions(canvas, "room"):
            ring = set(room.bounds.grown().cells()) - set(room.bounds.cells())
            entries = [cell for cell in ring if canvas.open[cell]]
            assert all(room.id in doors[cell].between for cell in entries)
            assert entries or len(canvas.regions) == 1


def test_used_marks_exactly_what_is_open():
    for canvas in each_map():
        bits = canvas.used.tolist()
        assert (np.array(bits) == canvas.open).all()


def test_what_is_taken_back_is_free_in_rows_and_in_columns(monkeypatch):
    remove, removed = TunnelPlan.remove, []

    def checked(plan, piece):
        remove(plan, piece)
        removed.append(piece)
        for rows, columns in (plan.used, plan.doors):
            by_row = [[row >> x & 1 for x in range(len(columns))] for row in rows]
            by_column = [[column >> y & 1 for column in columns] for y in range(len(rows))]
            assert by_row == by_column

    monkeypatch.setattr(TunnelPlan, "remove", checked)
    for seed in range(3):
        fresh(50, 80, seed)
    assert removed


def test_maps_are_well_filled():
    for (height, width), seed in CASES:
        canvas = made((height, width), seed)
        if height * width >= 800:
            assert canvas.open.mean() >= 0.37, (height, width, seed)
            assert len(regions(canvas, "room")) >= 5
            assert regions(canvas, "corridor")


def test_small_maps_still_have_a_couple_of_rooms():
    counts = [len(regions(made((15, 20), seed), "room")) for seed in range(30)]
    assert min(counts) >= 2
    assert sum(counts) >= 30 * 3


def test_rooms_are_of_many_sizes_and_mostly_have_one_door():
    for seed in range(20):
        canvas = made((50, 80), seed)
        rooms = regions(canvas, "room")
        assert len({(room.bounds.height, room.bounds.width) for room in rooms}) > len(rooms) / 3
        doors = [sum(room.id in door.between for door in canvas.connections) for room in rooms]
        assert doors.count(1) > len(rooms) / 3
        assert max(doors) >= 2


def test_corridors_are_never_one_cell_stubs():
    for canvas in each_map():
        lone = open_neighbours(canvas.open) == 1
        for corridor in regions(canvas, "corridor"):
            if lone[corridor.bounds.slices].any():
                assert max(corridor.bounds.height, corridor.bounds.width) >= 3


# -- the same again ---------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes():
    for seed in range(10):
        again = fresh(50, 80, seed)
        first = made((50, 80), seed)
        assert again.terrain.tobytes() == first.terrain.tobytes()
        assert again.region.tobytes() == first.region.tobytes()
        assert (again.regions, again.connections) == (first.regions, first.connections)


def test_other_seeds_and_attempts_give_other_maps():
    maps = {made((50, 80), seed).terrain.tobytes() for seed in range(50)}
    assert len(maps) == 50
    canvas = Canvas(50, 80)
    for _ in tunnels(canvas, TunnelsParams(), job(3, attempt=1)):
        pass
    assert canvas.terrain.tobytes() not in maps


def digest_of_maps():
    return blake2b(b"".join(fresh(40, 70, seed).terrain.tobytes() for seed in range(5))).hexdigest()


def test_another_process_gives_the_same_bytes():
    code = "import test_tunnels; print(test_tunnels.digest_of_maps())"
    environment = dict(os.environ, PYTHONHASHSEED="77", PYTHONPATH=os.pathsep.join(sys.path))
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
    )
    assert run.stdout.decode().strip() == digest_of_maps()


def test_there_is_a_step_for_every_region():
    canvas = Canvas(40, 60)
    grown = []
    for step in tunnels(canvas, TunnelsParams(), job(5)):
        assert (step.phase, step.canvas) == (Phase.LAYOUT, canvas)
        grown.append(int(canvas.open.sum()))
    assert grown == sorted(grown)
    assert len(grown) >= len(canvas.regions)
    assert (canvas.terrain == fresh(40, 60, 5).terrain).all()


# -- what an author asks for ------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [1, 6, 15])
def test_the_number_of_rooms_is_what_was_asked_for(wanted):
    for seed in range(10):
        assert len(regions(fresh(50, 80, seed, rooms=wanted), "room")) == wanted


def test_the_journal_says_when_there_was_no_space_for_all_rooms():
    work = job(0)
    for _ in tunnels(Canvas(20, 40), TunnelsParams(rooms=90), work):
        pass
    (decision,) = work.journal.decisions
    assert (decision.stage, decision.subject) == ("layout", "tunnels")
    assert dict(decision.counts)["wanted"] == 90


def test_the_number_of_rooms_may_be_left_to_chance():
    counts = {len(regions(fresh(50, 80, seed, rooms="5..8"), "room")) for seed in range(20)}
    assert counts == {5, 6, 7, 8}


@pytest.mark.parametrize("share", [0.15, 0.25, 0.35])
def test_as_much_is_open_as_was_asked_for(share):
    for seed in range(10):
        assert share <= fresh(60, 90, seed, open=share).open.mean() < share + 0.06


def test_doors_count_as_open():
    for seed in range(4):
        assert 0.42 <= fresh(150, 150, seed).open.mean() < 0.425


def test_a_thin_map_is_thin_everywhere():
    """A low target does not leave half of the map empty."""
    quarters = np.zeros(4)
    for seed in range(30):
        is_open = fresh(60, 90, seed, open=0.25).open
        quarters += [is_open[y : y + 30, x : x + 45].mean() for y in (0, 30) for x in (0, 45)]
    assert (quarters / 30).min() > 0.2


def test_rooms_keep_to_their_sizes():
    for seed in range(10):
        canvas = fresh(50, 80, seed, small="4..6", medium="4..6", large="4..6")
        for room in regions(canvas, "room"):
            assert min(room.bounds[2:]) >= 4
            assert max(room.bounds[2:]) <= 6


def test_corridors_keep_to_their_width(monkeypatch):
    monkeypatch.setattr(layout, "BACK_DOORS", 0)
    wide = TunnelerParams(width=3, narrow=0, widen=0, junction=0)
    side = SideParams(width=2, narrow=0, widen=0, junction=0)
    for seed in range(10):
        canvas = fresh(60, 90, seed, main=wide, side=side)
        widths = {min(corridor.bounds[2:]) for corridor in regions(canvas, "corridor")}
        assert widths <= {2, 3}
        assert 3 in widths


def test_dead_ends_are_as_frequent_as_asked_for():
    none, some, most = (
        sum(dead_ends(fresh(50, 80, seed, dead_ends=share)) for seed in range(30)) for share in (0, 0.2, 1)
    )
    assert none == 0
    assert 15 < some < most / 2


def test_all_rooms_may_have_doorways():
    for seed in range(5):
        canvas = fresh(50, 80, seed, doors="doorway")
        assert {door.kind for door in canvas.connections} == {t.DOORWAY}


def test_without_junctions_there_are_none():
    for seed in range(5):
        assert not regions(
            fresh(50, 80, seed, main={"junction": 0}, side={"junction": 0}, anteroom=0), "junction"
        )


def test_loops_are_closed_where_they_save_a_walk():
    loops = 0
    for seed in range(20):
        plan = TunnelPlan(np.zeros((60, 90), np.bool_))
        layout._plan(plan, 0, TunnelsParams(loop=25), job(seed))
        for y, x, a, b in plan.loops:
            assert plan.walk(a, (y, x), b, (y, x)) >= 25
        loops += len(plan.loops)
    assert loops > 20


def test_side_passages_keep_their_nature_when_one_thing_is_changed():
    params = TunnelsParams(side={"turn": "80%"})
    assert params.side == SideParams(turn=0.8)
    assert params.side.run != params.main.run


def test_wrong_parameters_are_refused():
    for wrong in ({"rooms": 0}, {"widht": 3}, {"main": {"width": "0..2"}}, {"sizes": "huge"}, {"open": 1.5}):
        with pytest.raises(ValidationError):
            TunnelsParams(**wrong)


def test_a_map_without_space_says_so():
    with pytest.raises(GenerationError, match="no room found space in a map of 9x4"):
        fresh(4, 9, 0)


def test_one_room_at_least_gets_a_second_door_where_any_can():
    more = [
        len(fresh(40, 60, seed, second_door=0.0001).connections)
        - len(fresh(40, 60, seed, second_door=0).connections)
        for seed in range(25)
    ]
    assert {*more} <= {0, 1}
    assert sum(more) > 20


# -- odd ground -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(5, 5), (5, 60), (60, 5), (7, 7), (9, 30), (8, 200), (300, 12)])
def test_odd_sizes(size):
    for seed in range(10):
        canvas = fresh(*size, seed)
        assert components(canvas.open)[1] == 1
        assert not canvas.open[[0, -1]].any()
        assert not canvas.open[:, [0, -1]].any()
        assert regions(canvas, "room")


def test_the_smallest_map_is_one_room():
    assert drawn(fresh(5, 5, 0)) == [
        "#####",
        "#...#",
        "#...#",
        "#...#",
        "#####",
    ]


def test_a_whole_map():
    assert drawn(fresh(14, 40, 7)) == [
        "############## ##### ###### #####",
        "#........#...# #...# #....# #...#",
        "#........#...# #...# #....# #...#",
        "#........#...# #...# #....# #...# ######",
        "########'###+####+######'####...# #....#",
        "       #,,,,,,,,,,,,,,,,,,,,+...# #....#",
        "       #,###+##############,#...# #....#",
        "       #,#.....#....#######,#######+####",
        "  ######,#.....+....#.....#,,,,,,,,,#",
        "  #....#,#.....#....'.....+,######,#####",
        "  #....#,#.....#....#.....###....#,#...#",
        "  #....+,#.....######.....# #....+,#...#",
        "  #....###.....#    ####### #....#,+...#",
        "  ###### #######            ############",
    ]


def test_what_is_reserved_or_stamped_is_left_alone():
    vault = np.full((7, 9), t.FLOOR, np.uint8)
    vault[[0, -1]] = t.WALL
    vault[:, [0, -1]] = t.WALL
    reserved = [Rect(3, 5, 10, 12), Rect(30, 0, 6, 30), Rect(20, 60, 1, 20)]
    for seed in range(20):
        canvas = Canvas(50, 80)
        for rect in reserved:
            canvas.reserve(rect)
        canvas.stamp(22, 35, vault, canvas.add_region("prefab", Rect(22, 35, 7, 9), sealed=True))
        fresh(50, 80, seed, canvas=canvas)
        assert (canvas.terrain[22:29, 35:44] == vault).all()
        assert (canvas.region[23:28, 36:43] == 1).all()
        for rect in reserved:
            assert (canvas.terrain[rect.slices] == t.EARTH).all()
        ours = canvas.open & ~canvas.drawn
        assert components(ours)[1] == 1
        kept = np.zeros_like(ours)
        for rect in [*reserved, Rect(22, 35, 7, 9)]:
            kept[rect.grown().clipped(50, 80).slices] = True
        assert not (ours & kept).any()
        assert len(regions(canvas, "room")) >= 10


def test_ground_with_hardly_any_space():
    """Reserved stripes leave strips of earth six cells high, too low for a corridor with rooms."""
    for seed in range(10):
        canvas = Canvas(50, 80)
        for y in range(0, 48, 8):
            canvas.reserve(Rect(y, 0, 2, 80))
        fresh(50, 80, seed, canvas=canvas)
        assert components(canvas.open)[1] == 1
        assert regions(canvas, "room")


# -- the parts, against simple answers --------------------------------------------------------------


def random_ground(seed, height=14, width=19, share=0.12):
    """Return a plan with some cells taken, some of them ways, and both as arrays with the frame."""
    stream = Stream(seed)
    taken, ways = np.zeros((height, width), bool), np.zeros((height + 2, width + 2), bool)
    for y in range(height):
        for x in range(width):
            if stream.chance(share):
                taken[y, x] = True
                ways[y + 1, x + 1] = stream.chance(0.4)
    plan = TunnelPlan(taken)
    for y, x in zip(*ways.nonzero(), strict=True):
        plan.strips[0][int(y) // STRIP] |= 1 << int(x)
        plan.strips[1][int(x) // STRIP] |= 1 << int(y)
    used = np.ones_like(ways)
    used[1:-1, 1:-1] = taken
    return plan, used, ways, stream


def as_seen(array, axis):
    return array.T if axis else array


def in_strips(ways):
    """Return the ways with every line widened to its strip."""
    return np.array([ways[y - y % STRIP : y - y % STRIP + STRIP].any(axis=0) for y in range(len(ways))])


def nearby(across, thick, spacing):
    """Return the lines of the strips at least half of which lie within the spacing, if that is more than a wall."""
    if spacing < 2:
        return
    within = range(across - spacing, across + thick + spacing)
    for number in range(40):
        lines = range(number * STRIP, number * STRIP + STRIP)
        if sum(line in within for line in lines) * 2 >= STRIP:
            yield from lines


def simple_reach(used, ways, sign, across, thick, front, spacing):
    """Count cells from `front` on until something is in the way or beside it."""
    lines = [line for line in nearby(across, thick, spacing) if line < len(ways)]
    reach = 0
    if not 0 < front < used.shape[1] - 1 or used[across - 1 : across + thick + 1, front].any():
        return reach
    while True:
        at = front + sign * (reach + 1)
        beside = ways[lines, at]
        if used[across - 1 : across + thick + 1, at].any() or beside.any():
            return reach
        reach += 1


def test_reach_agrees_with_a_walk_along_the_cells():
    for seed in range(150):
        plan, used, ways, stream = random_ground(seed)
        axis, sign = stream.below(2), stream.pick((-1, 1))
        lines, cells = plan.size[axis], plan.size[1 - axis]
        thick, spacing = stream.between(1, 3), stream.between(0, 4)
        across, front = stream.between(1, lines - 1 - thick), stream.between(1, cells - 2)
        seen, near = as_seen(used, axis), in_strips(as_seen(ways, axis))
        here = seen[across - 1 : across + thick + 1, front].any()
        if here or near[[n for n in nearby(across, thick, spacing) if n < lines], front].any():
            assert plan.reach(axis, sign, across, thick, front, spacing) <= 0
            continue
        expected = simple_reach(seen, near, sign, across, thick, front, spacing)
        assert plan.reach(axis, sign, across, thick, front, spacing) == expected
        back, ahead = plan.reach_both(axis, across, thick, front, front + 1, spacing)
        assert back == simple_reach(seen, near, -1, across, thick, front - 1, spacing) or back <= 0
        assert ahead == simple_reach(seen, near, 1, across, thick, front + 1, spacing) or ahead <= 0


def beyond(array, side, depth):
    """Return the lines from a wall outward, `depth` of them after the wall itself, or None off the map."""
    axis, wall, sign, _, _ = side
    last = wall + sign * depth
    if not 0 <= last < as_seen(array, axis).shape[0]:
        return None
    return as_seen(array, axis)[min(wall, last) : max(wall, last) + 1]


def random_side(plan, stream):
    axis = stream.below(2)
    low = stream.between(1, plan.size[1 - axis] - 4)
    high = stream.between(low + 2, plan.size[1 - axis] - 1)
    return axis, stream.between(1, plan.size[axis] - 2), stream.pick((-1, 1)), low, high


def test_starts_are_all_places_where_a_corridor_fits():
    """Ways count by the strip; in the wall's own strip, where the host may lie, only by what is taken beyond the wall."""
    found = 0
    for seed in range(150):
        plan, used, ways, stream = random_ground(seed, share=0.04)
        side = axis, wall, sign, low, high = random_side(plan, stream)
        thick, length, spacing = stream.between(1, 2), stream.between(4, 7), stream.between(0, 3)
        strip = beyond(used, side, length)
        expected = 0
        if strip is not None:
            near = in_strips(as_seen(ways, axis))
            lines = range(min(wall, wall + sign * length), max(wall, wall + sign * length) + 1)
            own = near[wall] & as_seen(used, axis)[[n for n in lines if n // STRIP == wall // STRIP]].any(
                axis=0
            )
            for number in {line // STRIP for line in lines} - {wall // STRIP}:
                if sum(line // STRIP == number for line in lines) * 2 >= STRIP:
                    own |= near[number * STRIP]
            for c in range(low, high - thick + 1):
                free = not strip[:, c - 1 : c + thick + 1].any()
                if free and not own[max(c - spacing, 0) : c + thick + spacing].any():
                    expected |= 1 << c
        assert plan.starts(side, low, high, thick, length, spacing) == expected
        found += bool(expected)
    assert found > 20


def test_stretches_are_all_places_where_rooms_fit():
    found = 0
    for seed in range(150):
        plan, used, _, stream = random_ground(seed, share=0.05)
        side = random_side(plan, stream)
        least, overhang = stream.between(2, 4), stream.between(0, 4)
        strip = beyond(used, side, least + 1)
        fits = set()  # every first cell of the smallest room
        low, high = max(side[3] - overhang, 1), min(side[4] + overhang, plan.size[1 - side[0]] - 1)
        for first in range(low, high - least + 1) if strip is not None else ():
            if not strip[:, first - 1 : first + least + 1].any():
                fits.add(first)
        got = list(plan.stretches(side, least, overhang))
        covered = {first for start, end in got for first in range(start, end - least + 1)}
        assert covered <= fits
        assert all(first + least <= side[3] or first >= side[4] for first in fits - covered)
        for start, end in got:
            deep = plan.depth(side, start, end - start, 9)
            assert deep >= least
            room = beyond(used, side, deep + 1)
            assert room is not None
            assert not room[:, start - 1 : end + 1].any()
        found += bool(got)
    assert found > 20


def test_a_void_is_a_free_block_beyond_a_wall():
    answers = set()
    for seed in range(200):
        plan, used, _, stream = random_ground(seed, share=0.04)
        side = random_side(plan, stream)
        _, _, _, low, high = side
        depth = stream.between(3, 9)
        strip = beyond(used, side, depth - 1)
        expected = strip is not None and any(
            not strip[:, first : first + depth].any()
            for first in range(max(low - depth + 2, 0), high - 1)
            if first + depth <= strip.shape[1]
        )
        assert plan.faces_void(side, depth) == expected
        answers.add(expected)
    assert answers == {True, False}


def test_pieces_beside_voids_are_those_that_a_free_block_touches():
    for seed in range(50):
        plan, used, _, stream = random_ground(seed, share=0.04)
        for y, x in zip(*(~used).nonzero(), strict=True):
            if stream.chance(0.1) and not used[y, x]:
                plan.add(TunnelPiece(len(plan.pieces), "room", 0, int(y), int(x), 1, 1, 1, None, (0, 0)))
                used[y, x] = True
        size = stream.between(3, 6)
        near = np.zeros_like(used)
        for y in range(1, used.shape[0] - size):
            for x in range(1, used.shape[1] - size):
                if not used[y : y + size, x : x + size].any():
                    near[y - 1 : y + size + 1, x - 1 : x + size + 1] = True
        expected = [piece.index for piece in plan.pieces if near[piece.framed()[:2]]]
        assert plan.beside_voids(size) == expected


def test_a_void_is_found_if_there_is_one():
    found = 0
    for seed in range(100):
        plan, used, _, stream = random_ground(seed, share=0.08)
        size = stream.between(3, 7)
        blocks = [
            (y, x)
            for y in range(used.shape[0] - size + 1)
            for x in range(used.shape[1] - size + 1)
            if not used[y : y + size, x : x + size].any()
        ]
        middle = plan.find_void(size, stream)
        assert (middle is None) == (not blocks)
        if middle is not None:
            assert (middle[0] - size // 2, middle[1] - size // 2) in blocks
            found += 1
    assert 20 < found < 100


def test_the_walk_along_the_tree_goes_back_to_where_two_ways_part():
    """Two side corridors of a main one, ten cells apart: from tip to tip it is down, along and up again."""
    plan = TunnelPlan(np.zeros((20, 40), np.bool_))
    main = plan.add(TunnelPiece(0, "corridor", 0, 10, 5, 1, 30, 1, None, (0, 0)))
    west = plan.add(TunnelPiece(1, "corridor", 1, 10, 5, 1, 5, -1, main, (9, 10), (10, 10)))
    east = plan.add(TunnelPiece(2, "corridor", 1, 20, 5, 1, 5, -1, main, (9, 20), (20, 20)))
    assert plan.walk(west, (5, 10), east, (5, 20)) == 20
    assert plan.walk(main, (10, 5), east, (9, 20)) == 17
    apart = plan.add(TunnelPiece(3, "corridor", 0, 15, 5, 1, 9, 1, None, (0, 0)))
    assert plan.walk(apart, (15, 5), west, (5, 10)) == float("inf")


@pytest.mark.parametrize(
    ("value", "odds"),
    [
        (Constant(3), {3: 1.0}),
        (Between(2, 5), {2: 0.25, 3: 0.25, 4: 0.25, 5: 0.25}),
        (Choice(((Constant(1), 3), (Between(2, 3), 1), (Constant(9), 0))), {1: 0.75, 2: 0.125, 3: 0.125}),
        (Sometimes(Constant(7), 0.3), {7: 0.3, 0: 0.7}),
    ],
)
def test_dice_have_the_odds_of_their_value(value, odds):
    throw = dice(value, Stream(1), 0)
    rolls = [throw() for _ in range(20_000)]
    assert {
        outcome: pytest.approx(rolls.count(outcome) / 20_000, abs=0.015) for outcome in set(rolls)
    } == odds
