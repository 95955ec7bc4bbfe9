"""Rooms without an encounter take shapes: drawn maps in, drawn maps out."""

from functools import cache

import pytest
from demo import demo_content
from drawn import canvas, flat, picture
from pydantic import ValidationError

import dungeon
from dungeon import Phase
from dungeon import terrain as t
from dungeon.extend import Constant, Streams
from dungeon.generation.layouts.shaping import SHAPES, ShapedRoomsParams, shape_rooms
from dungeon.grid.regions import bounds_of, components

HALL = """
    #############
    ###.........#
    ###.........#
    ###.........#
    #,+.........#
    ###.........#
    ###.........#
    #######+#####
    #######,#####
    #############
    """


def shaped(text, shape, taken=(), seed=0):
    """Return a drawn map whose rooms have been shaped, and what they have become."""
    made = canvas(text)
    params = ShapedRoomsParams(shapes=Constant(shape))
    rooms = [room for room in made.regions if room.id not in taken]
    found = [name for _, name in shape_rooms(made, params, rooms, Streams(seed, "m/1"))]
    return made, found


def test_an_ellipse_and_what_was_its_block_are_walled_off():
    made, found = shaped(HALL, "ellipse")
    assert found == ["ellipse"]
    assert picture(made) == flat("""
        ##  #######
        ## ##.....##
        ####.......##
        ###.........#
        #,+.........#
        ####.......##
        ## ##.....##
        ##  ###+###
        #######,#####
        #############
        """)


def test_every_door_has_its_way_in():
    for shape in SHAPES:
        for seed in range(20):
            made, found = shaped(
                """
                ###############
                ####,##########
                ####+##########
                ###.........###
                #,+.........+,#
                ###.........###
                ###.........###
                ###.........###
                ###########+###
                ###########,###
                ###############
                """,
                shape,
                seed=seed,
            )
            assert found in ([shape], [])
            assert components(made.open)[1] == 1
            assert (made.open == (made.region > 0) | (made.terrain == t.DOOR)).all()
            for room in made.regions:
                assert room.bounds == bounds_of(made.region == room.id)


def test_small_rooms_taken_ones_and_what_is_drawn_stay_as_they_are():
    small = """
        #########
        #.......#
        #.......#
        #.......#
        ####+####
        ####,####
        #########
        """
    for text, taken in ((small, ()), (HALL, (1, 2, 3))):
        made, found = shaped(text, "cross", taken)
        assert not found
        assert picture(made) == picture(canvas(text))
    made = canvas(HALL)
    made.drawn[3, 5] = True
    assert not list(shape_rooms(made, ShapedRoomsParams(shapes=Constant("cross")), made.regions, Streams(1)))


def test_rectangles_stay_and_unknown_shapes_are_refused():
    assert picture(shaped(HALL, "rectangle")[0]) == picture(canvas(HALL))
    with pytest.raises(ValidationError, match="round"):
        ShapedRoomsParams(shapes={"round": 1})


# -- whole levels -----------------------------------------------------------------------------------


@cache
def content():
    return demo_content()


@pytest.mark.parametrize("map_id", ["galleries/2", "cisterns/3", "tinnings/2"])
def test_rooms_of_levels_are_of_many_shapes_and_those_of_encounters_stay(map_id):
    seen = set()
    for seed in range(15):
        level = dungeon.World(content(), seed=seed).level(map_id)
        taken = {placement.region for placement in level.placements}
        for note in level.journal:
            if note.stage == "shape":
                assert int(note.subject.split()[1]) not in taken
                seen.add(note.reason)
    assert seen >= {"ellipse", "cross", "notched", "alcoves", "pillared"}


def test_there_is_a_step_for_each_shape():
    world = dungeon.World(content(), seed=3)
    steps = [step.message for step in world.steps("galleries/2") if step.phase is Phase.PLACE]
    notes = [
        f"{note.subject}: {note.reason}"
        for note in world.level("galleries/2").journal
        if note.stage == "shape"
    ]
    assert notes
    assert [message for message in steps if message in notes] == notes
