"""Dressing: crossings where ways would be cut, what is left alone, and levels that stay playable under all of it."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn import WATER, drawing, flat, load, mask, picture, picture_of_mask, small_game
from drawn import canvas as drawn

import dungeon
import dungeon.generation.built_in  # for its placing modes
from dungeon import Cell, Rect
from dungeon import terrain as t
from dungeon.content.models.dressing import PASSES
from dungeon.content.models.encounters import EncounterEntry
from dungeon.extend import Board, MersenneStream, Stream, Streams
from dungeon.generation.dressing import bodies
from dungeon.generation.dressing.bodies import MAX_CHASM_SHAPES, MAX_LAKE_SHAPES, ways_across
from dungeon.generation.dressing.ground import DressingGround
from dungeon.generation.dressing.passes import MAKERS, make
from dungeon.generation.placing.spacing import Spacing
from dungeon.grid.noise import value_noise
from dungeon.grid.regions import components
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Canvas
    from dungeon.generation.dressing.ground import PassOutcome

CAVE = """
    ####################
    #::::::::::::::::::#
    #::::::::::::::::::#
    #::::::::::::::::::#
    #::::::::::::::::::#
    #::::::::::::::::::#
    #::::::::::::::::::#
    ####################
    """

HALLS = """
    ______________________
    __######______######__
    __#....########....#__
    __#....+,,,,,,+....#__
    __#....########....#__
    __#....#______#....#__
    __######______######__
    ______________________
    """


def dress(made: Canvas, entry: dict[str, object], seed: int = 0, name: str = "it") -> list[PassOutcome]:
    """Make one pass over a drawn map."""
    (key,) = PASSES.keys() & entry.keys()
    return [
        *make(
            DressingGround(made, (), ()), PASSES[key].model_validate(entry), Streams(seed), "dress", key, name
        )
    ]


def walked_parts(made: Canvas) -> int:
    """Return in how many parts one can walk on a map."""
    return components(made.passable())[1]


# -- ways across ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ground", "flood", "after"),
    [
        pytest.param(
            """
            #####
            #####
            #####
            """,
            """
            ..#..
            ..#..
            ..#..
            """,
            1,
            id="a river has one crossing",
        ),
        pytest.param(
            """
            #####
            #####
            #####
            """,
            """
            .....
            ..#..
            ..#..
            """,
            0,
            id="a way leads around",
        ),
        pytest.param(
            """
            ##.##
            ##.##
            ##.##
            """,
            """
            .##..
            .##..
            .##..
            """,
            0,
            id="what was apart stays apart",
        ),
        pytest.param(
            """
            #########
            .........
            #########
            """,
            """
            ....#....
            ....#....
            ....#....
            """,
            2,
            id="each way has its own, though one would do",
        ),
        pytest.param(
            """
            #######
            """,
            """
            ..###..
            """,
            3,
            id="a passage goes on as a bridge",
        ),
    ],
)
def test_ways_go_on_across_what_is_flooded(ground: str, flood: str, after: int) -> None:
    walked, wet = mask(ground), mask(flood)
    board = Board(*walked.shape)
    flooded, crossings = ways_across(board, board.from_array(walked), board.from_array(wet), 0, Stream(0))
    assert flooded == board.from_array(wet)
    assert crossings.bit_count() == after
    left = board.from_array(walked) & (~flooded | crossings)
    assert components(board.to_array(left))[1] == components(walked)[1]


def test_islets_are_flooded() -> None:
    walked, wet = (
        np.ones((5, 9), np.bool_),
        mask("""
        .........
        ..####...
        ..#..#...
        ..####...
        .........
        """),
    )
    board = Board(5, 9)
    everywhere = board.from_array(walked)
    flooded, crossings = ways_across(board, everywhere, board.from_array(wet), everywhere, Stream(0))
    assert not crossings
    assert picture_of_mask(board.to_array(flooded)) == flat("""
        .........
        ..####...
        ..####...
        ..####...
        .........
        """)


@pytest.mark.parametrize("turns", range(4))
def test_what_goes_on_beyond_the_ground_close_by_is_no_islet(turns: int) -> None:
    walked = np.rot90(mask(".########."), turns)
    wet = np.rot90(mask(".......##."), turns)
    board = Board(*walked.shape)
    everywhere = board.from_array(walked)
    flooded, crossings = ways_across(board, everywhere, board.from_array(wet), everywhere, Stream(0))
    assert (flooded, crossings) == (board.from_array(wet), 0)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_flooded_walkers_get_everywhere_they_got(seed: int) -> None:
    random = np.random.default_rng(seed)
    walked, wet = random.random((14, 24)) < 0.75, random.random((14, 24)) < random.random()
    soft = random.random((14, 24)) < 0.5
    board = Board(14, 24)
    flooded, crossings = ways_across(
        *(board, board.from_array(walked), board.from_array(wet), board.from_array(soft), Stream(seed))
    )
    dry = walked & ~board.to_array(flooded & ~crossings)
    assert not crossings & ~board.from_array(walked & wet | walked & soft)
    before, count = components(walked)
    after, _ = components(dry)
    for part in range(1, count + 1):
        assert len(set(after[(before == part) & dry].tolist())) <= 1


def test_walkers_have_no_keys_and_go_around_what_stands() -> None:
    made = drawn("""
        #########
        #...L...#
        #...#...#
        #...+...#
        #########
        """)
    ground = DressingGround(made, (), [(drawing("C."), 2, 1)])
    assert picture_of_mask(ground.board.to_array(ground.walked)) == flat("""
        .........
        .###.###.
        ..##.###.
        .#######.
        .........
        """)


# -- passes ---------------------------------------------------------------------------------------


def test_a_lake_lies_where_it_cuts_no_way() -> None:
    for seed in range(30):
        made = drawn(CAVE)
        (outcome,) = dress(made, {"lake": "water", "cells": 20}, seed)
        assert outcome.done
        assert 12 <= (made.terrain == WATER).sum() <= 26
        assert walked_parts(made) == 1


def test_where_stairs_are_to_come_and_around_it_there_is_no_lake() -> None:
    entry = PASSES["lake"].model_validate({"lake": "water", "cells": 20})
    flooded = 0
    for seed in range(30):
        free, kept = drawn(CAVE), drawn(CAVE)
        stairs = Cell(4, 9)
        for made, dry in ((free, []), (kept, [stairs])):
            assert [*make(DressingGround(made, (), (), dry), entry, Streams(seed), "dress", "lake", "it")]
        around = Rect(*stairs, 1, 1).grown().slices
        flooded += bool((free.terrain[around] == WATER).any())
        assert not (kept.terrain[around] == WATER).any()
        assert (kept.terrain == WATER).any()
    assert flooded > 5


def test_a_lake_leaves_places_for_stairs_that_are_to_be_far_from_an_encounter() -> None:
    """Six cells are as far from it as the entrance is to be: of those two are left, as an exit may come to one of them."""
    lake = PASSES["lake"].model_validate({"lake": "water", "cells": 40})
    free = {"category": "fluff", "placing": "free", "content": [{"debris": "dust"}], "maps": {"mine": 1}}
    den = EncounterEntry.model_validate(free | {"far_from": {"entrance": 20}})
    drowned = 0
    for seed in range(60):
        left = []
        for is_kept in (False, True):
            made = drawn(CAVE)
            spacing = Spacing(made, {"den": den}, {"entrance": 1, "exits": 1})
            spacing.add("den", Board(made.height, made.width).from_cells([(1, 1)]))
            told = {"lost": spacing.stairs_lost_without} if is_kept else {}
            (outcome,) = make(
                DressingGround(made, (), (), **told), lake, Streams(seed), "dress", "lake", "it"
            )
            assert outcome.done
            left.append(int((spacing.cells_for_stairs()["entrance"] & made.passable()).sum()))
        drowned += left[0] < 2
        assert left[1] >= 2
        assert left[0] < 2 or left[0] == left[1]  # where enough is left anyway the lake lies where it lay
    assert drowned > 3


@pytest.mark.parametrize(
    ("entry", "most"),
    [({"lake": "water", "cells": 3}, MAX_LAKE_SHAPES), ({"chasm": "water", "length": 3}, MAX_CHASM_SHAPES)],
)
def test_a_body_that_would_cut_a_way_everywhere_is_refused_after_a_fixed_number_of_tries(
    entry: dict[str, object], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def counted(*args: Any) -> tuple[int, int]:
        tried.append(args)
        return ways_across(*args)

    monkeypatch.setattr(bodies, "ways_across", counted)
    between, corridor = "#:" + "#" * 58 + ":#\n", "#" + ":" * 60 + "#\n"
    made = drawn("#" * 62 + "\n" + (corridor + between) * 60 + corridor + "#" * 62)
    (outcome,) = dress(made, entry)
    assert outcome.text == "wherever it was tried it would cut a way, and it has no 'crossing'"
    assert len(tried) == most
    assert not (made.terrain == WATER).any()


def test_a_lake_leaves_most_of_a_room_dry_or_is_refused() -> None:
    made = drawn(HALLS)
    (outcome,) = dress(made, {"lake": "water", "cells": 16})
    assert not outcome.done
    assert outcome.text == "nowhere is there space for 16 cells"
    assert picture(made) == picture(drawn(HALLS))


def test_doors_the_cells_beside_them_and_what_is_drawn_quiet_or_placed_stay_as_they_are() -> None:
    for seed in range(20):
        made = drawn(HALLS)
        made.claim(dungeon.Rect(4, 3, 1, 2))
        made.keep_quiet(dungeon.Rect(2, 15, 2, 1))
        before = made.terrain.copy()
        dress(made, {"patches": "cave", "cover": 1}, seed)
        changed = (made.terrain == t.CAVE) & (before != t.CAVE)
        assert picture_of_mask(changed) == flat("""
            ......................
            ......................
            ...####.........###...
            ...###...####...###...
            .....##........####...
            ...####........####...
            ......................
            ......................
            """)


def test_a_river_cuts_its_bed_through_rock_between_walls_of_its_own() -> None:
    for seed in range(30):
        made = drawn(HALLS)
        (outcome,) = dress(made, {"river": "water", "crossing": "cave"}, seed)
        if not outcome.done:
            continue
        wet = made.terrain == WATER
        assert wet.any()
        assert not wet[0].any()
        assert not wet[:, 0].any()
        assert walked_parts(made) == 1
        bare = (made.base == t.EARTH) & np.isin(made.terrain, (t.EARTH,))
        grown = np.zeros_like(bare)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                grown |= np.roll(made.open, (dy, dx), (0, 1))
        assert not (bare & grown).any()


def test_what_one_can_wade_through_opens_no_way_through_rock() -> None:
    for seed in range(20):
        made = drawn(HALLS)
        opened = made.open
        dress(made, {"river": "cave"}, seed)
        assert (made.open == opened).all()


def test_without_a_crossing_a_river_that_would_cut_a_way_is_refused() -> None:
    verdicts = set()
    for seed in range(20):
        made = drawn(CAVE)
        (outcome,) = dress(made, {"river": "water"}, seed)
        verdicts.add(outcome.text.partition(" of ")[0] if outcome.done else outcome.text)
        assert walked_parts(made) == 1
    assert "wherever it was tried it would cut a way, and it has no 'crossing'" in verdicts


def test_patches_cover_just_the_share_that_is_asked_for() -> None:
    made = drawn(CAVE)
    dress(made, {"patches": "floor", "cover": 0.25})
    assert (made.terrain == t.FLOOR).sum() == 27


def test_a_cell_is_dressed_once() -> None:
    made = drawn(CAVE)
    ground = DressingGround(made, (), ())
    for key, code in (("patches", "floor"), ("rubble", "corridor")):
        entry = PASSES[key].model_validate({key: code, "cover": 0.5})
        assert all(each.done for each in make(ground, entry, Streams(1), key))
    assert [(made.terrain == code).sum() for code in (t.FLOOR, t.CORRIDOR, t.CAVE)] == [54, 27, 27]


def test_every_pass_has_its_maker() -> None:
    assert PASSES.keys() == MAKERS.keys()


# -- shapes ---------------------------------------------------------------------------------------


def test_noise_is_smooth_and_the_same_for_the_same_draws() -> None:
    noise = value_noise(MersenneStream(1), 40, 60, 8)
    assert (noise == value_noise(MersenneStream(1), 40, 60, 8)).all()
    assert 0 <= noise.min() < 0.3
    assert 0.7 < noise.max() < 1
    assert np.abs(np.diff(noise, axis=0)).max() < 1.5 / 8 + 0.01
    assert np.abs(np.diff(noise, axis=1)).max() < 1.5 / 8 + 0.01


def test_a_way_winds_around_what_is_slow() -> None:
    ground = mask("""
        ###########
        ###########
        ###########
        """)
    slow = mask("""
        ...........
        ...#####...
        ......#####
        """)
    board = Board(3, 11)
    speeds = {1: board.from_array(ground & ~slow), 4: board.from_array(slow)}
    start, goal = board.from_cells([(1, 0)]), board.from_cells([(1, 10)])
    way = board.from_cells(find_way(board, speeds, start, goal))
    assert picture_of_mask(board.to_array(way)) == flat("""
        ###########
        #.........#
        ...........
        """)
    assert not find_way(board, {1: start | goal}, start, goal)


# -- levels ---------------------------------------------------------------------------------------

TERRAIN = """
water: {walkable: false}
pit: {like: cave, walkable: false}
mud: {}
planks: {}
grass: {}
rubble: {}
"""

ALL = """
  dressing:
    - {lake: water, cells: 15..60, bank: mud, count: 1..3}
    - {river: water, width: 1..3, crossing: planks, bank: {value: mud, chance: 40%}, count: 0..2}
    - {chasm: pit, crossing: [planks, floor], count: 1..2}
    - {patches: {grass: 3, mud: 1}, cover: 20%}
    - {rubble: rubble}
    - {cracks: rubble, where: [north half, south-east third]}
    - {light: "#ffb060", radius: 2..4, spacing: 8, ground: grass}
"""


def dressed_game(folder: Path, layout: str, dressing: str = ALL) -> dungeon.Content:
    """Return a small game whose levels are dressed."""
    game = small_game(layout, terrain=TERRAIN)
    game["maps/under.yaml"] = dedent(game["maps/under.yaml"]).rstrip() + f"\n{dressing}"
    return load(folder, game)


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines"])
def test_levels_with_everything_keep_all_promises(tmp_path: Path, layout: str) -> None:
    content = dressed_game(tmp_path, layout)
    made = 0
    for seed in range(5):
        world = dungeon.World(content, seed)
        level = world.level("under/1")
        assert dungeon.prove(level, world) == []
        made += sum(each.stage == "dress" and each.verdict == "chosen" for each in level.journal)
    assert made > 5 * 7


def test_passes_that_come_or_go_leave_the_others_their_luck(tmp_path: Path) -> None:
    patches = "    - {patches: grass}\n    - {lake: water}\n"
    more = "    - {light: '#ffffff'}\n    - {rubble: rubble, regions: cave}\n"
    levels = [
        dungeon.World(dressed_game(tmp_path / name, "tunnels", f"  dressing:\n{text}"), 5).level("under/1")
        for name, text in (("few", patches), ("many", more + patches))
    ]
    assert (levels[0].terrain == levels[1].terrain).all()
    assert levels[0].spawns == levels[1].spawns
    assert set(levels[0].lights) < set(levels[1].lights)


def test_each_pass_is_a_step_and_a_line_of_the_journal(tmp_path: Path) -> None:
    world = dungeon.World(
        dressed_game(tmp_path, "caves", "  dressing: [{rubble: rubble}, {lake: water, cells: 900}]\n"), 1
    )
    steps = [each for each in world.steps("under/1") if each.phase is dungeon.Phase.DRESS]
    assert [each.message.partition(":")[0] for each in steps] == ["rubble 1"]
    rubble, lake = [each for each in world.level("under/1").journal if each.stage == "dress"]
    assert (rubble.subject, rubble.verdict) == ("rubble 1", "chosen")
    assert str(lake) == "[dress] lake 1: refused, nowhere is there space for 900 cells"


TORCHES = {
    "objects/props.yaml": "torch: {name: torch, glyph: t, fg: '#ff9900', light: 3}\n",
    "prefabs/hearth.yaml": "hearth:\n  map: |\n    #####\n    #t..#\n    #...#\n    ##+##\n  legend: {t: {prop: torch}}\n",
}


def test_lights_of_a_map_keep_their_distance_from_the_torches_of_prefabs(tmp_path: Path) -> None:
    """The hearth stands in the middle; the map's lights, 8 cells or more apart, stay 8 cells away from its torch."""
    game = small_game("tunnels", terrain=TERRAIN)
    game["objects/props.yaml"] = game.get("objects/props.yaml", "") + TORCHES["objects/props.yaml"]
    game["prefabs/hearth.yaml"] = TORCHES["prefabs/hearth.yaml"]
    game["maps/under.yaml"] = dedent(game["maps/under.yaml"]).rstrip() + (
        "\n  dressing: [{light: '#ffb060', radius: 4, spacing: 8}]\n  features: [{prefab: hearth}]\n"
    )
    content = load(tmp_path, game)
    met = 0
    for seed in range(10):
        world = dungeon.World(content, seed)
        level = world.level("under/1")
        torches = [each for each in level.spawns if each.tag == "torch"]
        own = [each for each in level.lights if each.radius == 4]
        gaps = [max(abs(a.y - b.y), abs(a.x - b.x)) for a in torches for b in own]
        met += len(gaps)
        assert min(gaps, default=8) >= 8
        if torches and own:
            near = replace(own[0], y=torches[0].y + 1, x=torches[0].x)
            spoilt = replace(level, lights=tuple(near if each is own[0] else each for each in level.lights))
            assert [each.rule for each in dungeon.prove(spoilt, world)] == ["world-light"]
    assert met > 10


def test_a_light_that_no_pass_puts_up_is_found_out(tmp_path: Path) -> None:
    world = dungeon.World(dressed_game(tmp_path, "tunnels"), 2)
    level = world.level("under/1")
    assert level.lights
    for change in ({"radius": 5}, {"colour": (1, 2, 3)}):
        spoilt = replace(level, lights=(replace(level.lights[0], **change), *level.lights[1:]))
        assert [each.rule for each in dungeon.prove(spoilt, world)] == ["world-light"]
