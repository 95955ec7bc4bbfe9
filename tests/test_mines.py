"""The layout `mines`: caves and dug-out rooms in a squarish area, linked by straight tunnels."""

from functools import cache

import numpy as np
import pytest
from drawn import KINDS, codes
from flows import measure_flow
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
from dungeon.extend import Between, Constant
from dungeon.generation.layouts.mines import MinesParams, mines
from dungeon.grid.regions import bounds_of, components

SEEDS = range(40)


@cache
def made(seed):
    return fresh("mines", 70, 80, seed)


def each_map():
    for seed in SEEDS:
        yield made(seed)


# -- what holds for every map -----------------------------------------------------------------------


def test_everything_open_is_connected_and_belongs_to_a_region_or_is_a_door():
    for each in each_map():
        assert components(each.open)[1] == 1
        doors = np.zeros_like(each.open)
        for door in each.connections:
            doors[door.y, door.x] = True
        assert (each.open == ((each.region > 0) | doors)).all()
        assert {region.kind for region in each.regions} <= {"cave", "room", "corridor"}
        assert walls_are_right(each)


def test_a_mine_is_small_and_squarish():
    for each in each_map():
        box = bounds_of(each.open)
        assert max(box.height, box.width) <= 60
        assert min(box.height, box.width) >= 0.5 * max(box.height, box.width)


def test_there_are_rooms_and_caves_and_the_caves_are_sparse():
    rooms = [len(regions(each, "room")) for each in each_map()]
    caves = [len(regions(each, "cave")) for each in each_map()]
    assert min(rooms) >= 3
    assert min(caves) >= 1
    assert sum(rooms) > len(SEEDS) * 7
    assert sum(caves) > len(SEEDS) * 3
    assert np.mean([each.open.sum() / bounds_of(each.open).area for each in each_map()]) < 0.33


def test_rooms_are_rectangles_open_only_through_their_doors():
    for each in each_map():
        doors = {(door.y, door.x): door for door in each.connections}
        for room in regions(each, "room"):
            assert (each.region[room.bounds.slices] == room.id).all()
            assert (each.terrain[room.bounds.slices] == t.FLOOR).all()
            assert min(room.bounds.height, room.bounds.width) >= 4
            assert max(room.bounds.height, room.bounds.width) <= 9
            ring = set(room.bounds.grown().cells()) - set(room.bounds.cells())
            entries = [cell for cell in ring if each.open[cell]]
            assert entries
            assert all(room.id in doors[cell].between for cell in entries)


def test_a_door_stands_in_a_wall_between_the_two_regions_it_names():
    kinds = set()
    for each in each_map():
        is_open = each.open
        cells = {(door.y, door.x) for door in each.connections}
        assert len(cells) == len(each.connections)
        for door in each.connections:
            y, x = door.y, door.x
            kinds.add(door.kind)
            assert each.terrain[y, x] == door.kind
            vertical, horizontal = [(y - 1, x), (y + 1, x)], [(y, x - 1), (y, x + 1)]
            ways, walls = (vertical, horizontal) if is_open[y - 1, x] else (horizontal, vertical)
            assert all(is_open[cell] for cell in ways)
            assert not any(is_open[cell] for cell in walls)
            assert sorted(door.between) == sorted(int(each.region[cell]) for cell in ways)
            assert any(each.regions[number - 1].kind == "room" for number in door.between)
    assert kinds == {t.DOOR, t.DOORWAY}


def test_tunnels_are_straight():
    boxes = [tunnel.bounds for each in each_map() for tunnel in regions(each, "corridor")]
    straight = sum(min(box.height, box.width) == 1 for box in boxes)
    assert straight >= 0.95 * len(boxes), "but for those that nothing straight could replace"
    assert sum(max(box.height, box.width) >= 10 for box in boxes) > len(SEEDS)


def test_mines_have_loops():
    assert all(measure_flow(each).loops for each in each_map())
    rare = [measure_flow(fresh("mines", 70, 80, seed, loops=0.01, saves=500)).loops for seed in range(40)]
    assert min(rare) >= 1, "one at least, though it saves less than is asked for"
    none = [measure_flow(fresh("mines", 70, 80, seed, loops=0.0)).loops for seed in range(40)]
    assert sum(none) <= 4, "two ways may meet by chance"


# -- the same again ---------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes():
    for seed in range(10):
        again, first = fresh("mines", 70, 80, seed), made(seed)
        assert again.terrain.tobytes() == first.terrain.tobytes()
        assert again.region.tobytes() == first.region.tobytes()
        assert (again.regions, again.connections) == (first.regions, first.connections)
    assert len({each.terrain.tobytes() for each in each_map()}) == len(SEEDS)


def test_another_process_gives_the_same_bytes():
    assert digest_elsewhere("mines", "12345") == digest_of_maps("mines")


def test_there_is_a_step_for_the_noise_the_automaton_the_caves_every_room_and_every_tunnel():
    each = Canvas(60, 60, KINDS)
    messages = []
    for step in mines(each, MinesParams(steps=2), job(5)):
        assert (step.phase, step.canvas) == (Phase.LAYOUT, each)
        messages.append(step.message.split(" ")[0])
    rooms, caves = len(regions(each, "room")), len(regions(each, "cave"))
    assert messages[: 4 + rooms] == ["noise", "the", "the", str(caves), *["room"] * rooms]
    assert set(messages[4 + rooms :]) <= {"tunnel", "loop"}


# -- what stood there before ------------------------------------------------------------------------


def test_what_stood_there_is_left_alone_and_linked_to_a_cave_or_a_tunnel():
    for seed in range(20):
        each = Canvas(60, 64, KINDS)
        text = "#####\n#...#\n#...#\n#..##"
        mouths = seeded(each, 26, 30, text, [(4, 1, 1, 0, 2, "tunneler")])
        build("mines", each, seed, mouths)
        assert (each.terrain[Rect(26, 30, 4, 5).slices] == codes(text)).all()
        assert each.open[30, 31:33].all()
        around = each.open[Rect(25, 29, 6, 7).slices].copy()
        around[1:-1, 1:-1] = False
        assert around.sum() == 2
        assert components(each.open)[1] == 1
        doors = {(door.y, door.x) for door in each.connections}
        for room in regions(each, "room"):
            ring = set(room.bounds.grown().cells()) - set(room.bounds.cells())
            assert all(cell in doors for cell in ring if each.open[cell])


# -- what an author asks for ------------------------------------------------------------------------


def test_the_area_is_as_large_as_asked_for_and_lies_anywhere():
    boxes = [bounds_of(fresh("mines", 90, 90, seed, side=Constant(40)).open) for seed in range(12)]
    assert all(max(box.height, box.width) <= 40 for box in boxes)
    assert len({(box.y // 8, box.x // 8) for box in boxes}) >= 6


def test_rooms_are_as_many_and_as_large_as_asked_for():
    none = fresh("mines", 70, 80, 3, rooms=0.0)
    assert not regions(none, "room")
    assert not none.connections
    small = fresh("mines", 70, 80, 3, room=Constant(3))
    assert {room.bounds[2:] for room in regions(small, "room")} == {(3, 3)}


def test_doors_are_of_the_kind_that_was_asked_for():
    for kind, code in (("door", t.DOOR), ("doorway", t.DOORWAY)):
        assert {door.kind for door in fresh("mines", 70, 80, 3, doors=Constant(kind)).connections} == {code}


@pytest.mark.parametrize("seed", range(10))
def test_mines_whose_tunnels_wind_keep_their_doors_whole(seed):
    each = fresh("mines", 70, 80, seed, winding=1.0, width=Constant(2), loops=1.0, saves=0)
    assert components(each.open)[1] == 1
    for door in each.connections:
        y, x = door.y, door.x
        assert each.open[[y - 1, y + 1], x].all() != each.open[y, [x - 1, x + 1]].all()
        assert each.open[[y - 1, y + 1], x].any() != each.open[y, [x - 1, x + 1]].any()


def test_caves_are_of_the_size_that_was_asked_for():
    each = fresh("mines", 90, 90, 3, cave=Between(100, 300))
    for cave in regions(each, "cave"):
        assert 100 <= cells_of(each, cave).sum() <= 300


def test_a_map_without_space_says_so():
    with pytest.raises(GenerationError, match="only 0 caves found space in a map of 9x9; min_caves is 1"):
        fresh("mines", 9, 9, 1)


def test_where_all_places_have_rooms_there_need_be_no_cave():
    for seed in range(10):
        each = fresh("mines", 60, 60, seed, rooms=1.0, room=Constant(4))
        assert len(regions(each, "room")) > 5
        assert components(each.open)[1] == 1


@pytest.mark.parametrize("wrong", [{"rooms": 2}, {"room": Constant(1)}, {"doors": Constant("gate")}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValidationError):
        MinesParams(**wrong)


def test_a_link_for_which_the_edge_is_too_near_has_a_narrower_way() -> None:
    """Once the square of a wide way that faces the edge reached beyond it, and no level was made."""
    each = Canvas(40, 60, KINDS)
    mouths = seeded(each, 3, 26, "#....#\n#....#\n######", [(-1, 1, -1, 0, 4, "tunneler")])
    build("mines", each, 0, mouths)
    assert each.open[2, 27]
