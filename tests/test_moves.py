"""Moves: a placed encounter moves for one that fits nowhere else; a chain of moves that fails changes nothing."""

from random import Random

import numpy as np
from drawn import canvas, prefab
from placed import random_map, random_prefab, request, settled, state

from dungeon import Orientation
from dungeon import terrain as t
from dungeon.extend import Streams
from dungeon.generation.placing.attempt import PlacedRequest
from dungeon.generation.placing.placer import Placer
from dungeon.generation.placing.refusals import SpaceRefusal

THREE_ROOMS = """
    ######################
    #..##....##..........#
    #..##....##..........#
    ##+####+######+#######
    #,,,,,,,,,,,,,,,,,,,,#
    ######################
    """
"""Rooms of two, four and ten columns."""


def lying(text, name):
    """Return a prefab of one row of floor that lies as it is drawn."""
    return prefab(text, name, orientations=[Orientation.R0])


def asked(text, name):
    """Return the request for a prefab of one row, named after it."""
    return request([lying(text, name)], "accessible", name=("place", name, 1))


def first_seed(*wanted):
    """Return a placer of three requests and their places, with the first seed for which the first two take these regions."""
    for seed in range(200):
        placer = Placer(settled(canvas(THREE_ROOMS)), Streams(seed), kinds=())
        two = placer.place(asked("..", "two")), placer.place(asked("....", "four"))
        if [each.region for each in two] == list(wanted):
            return placer
    raise AssertionError("no seed does that")


def test_one_moves_to_a_free_room():
    placer = first_seed(1, 3)
    placed = placer.place(asked(".....", "five"))
    assert placed.region == 3
    assert [each.placed.region for each in placer.occupants] == [1, 2, 3]
    assert placer.moved == [1]


def test_two_move_in_a_chain():
    """The encounter that must move fits only into a second one's room, and the second one fits into the smallest room."""
    placer = first_seed(2, 3)
    placed = placer.place(asked(".....", "five"))
    assert placed.region == 3
    assert [each.placed.region for each in placer.occupants] == [1, 2, 3]
    assert sorted(placer.moved) == [0, 1]


def test_nobody_moves_for_what_fits_nowhere():
    placer = first_seed(1, 3)
    before = state(placer._canvas)
    assert isinstance(placer.place(asked("...........", "eleven")), SpaceRefusal)
    assert state(placer._canvas) == before
    assert placer.moved == []


def test_random_prefabs_on_random_maps_all_lie_where_they_are_said_to():
    moves = refused = 0
    for seed in range(150):
        random = Random(seed)
        made = random_map(random)
        placer = Placer(made, Streams(seed), kinds=())
        for number in range(10):
            before, quiet = state(made), made.quiet.copy()
            mode = random.choice(["enclosed", "accessible"])
            found = placer.place(
                request([random_prefab(random, f"p{number}")], mode, name=("place", f"p{number}", 1))
            )
            moves += len(placer.moved)
            if isinstance(found, SpaceRefusal):
                refused += 1
                assert state(made) == before
                assert (made.quiet == quiet).all()
        placed = [each.placed for each in placer.occupants]
        assert len({each.region for each in placed}) == len(placed)
        for each in placed:
            assert isinstance(each, PlacedRequest)
            drawn, here = each.drawing.terrain, made.terrain[each.bounds.slices]
            is_open = (made.terrain_set.base[drawn] > t.BLOCKED) & (drawn != t.KEEP)
            assert np.array_equal(here[is_open], drawn[is_open])
            assert made.quiet[each.bounds.slices].all()
    assert moves >= 15
    assert refused > 100
