"""Each stage of a level alone: it needs only its arguments, and another stage can replace it."""

import inspect
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path

import pytest
from drawn import canvas as drawn
from drawn import load, picture, small_game

import dungeon
from dungeon import Canvas, Rect
from dungeon import terrain as t
from dungeon.generation.encounters.shares import Shares, WorldMap
from dungeon.generation.odds.worlds import due_on
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.exits import find_exits
from dungeon.generation.stages.layout import LaidOutMap, lay_out, plan
from dungeon.generation.stages.locks import lock_up
from dungeon.generation.stages.pipeline import finish, make
from dungeon.generation.stages.place import LevelState, place
from dungeon.generation.stages.populate import populate
from dungeon.generation.stages.seed import SeededMap, seed
from dungeon.generation.stages.surface import paint

HALLS = """
    ############
    #..........#
    #..........#
    #####+######
    #..........#
    ####+#######
    #......#
    #......#
    #......#
    ########
    """

WANTED = "encounters: 5..9"

STORE = 'store: {map: ".C.", legend: {C: {prop: crate}}}\n'


def brief(tmp_path: Path, *, seed: int = 3, watched: bool = False, **files: str) -> Brief:
    """Return the brief of a level of a small game; files may be replaced."""
    content = load(tmp_path, small_game(**files))
    return Brief(
        content=content,
        seed=seed,
        id="under/1",
        name="under",
        depth=1,
        leads_to=("under/2", "under/3"),
        shares={},
        watched=watched,
    )


def wanting(count: int, tmp_path: Path) -> Brief:
    """Return the brief of a level that wants `count` encounters."""
    maps = small_game()["maps/under.yaml"]
    assert WANTED in maps
    return brief(tmp_path, maps__under=maps.replace(WANTED, f"encounters: {count}"))


def bare(canvas: Canvas) -> SeededMap:
    """Return a map without features."""
    return SeededMap(canvas=canvas, placements=(), drawings=(), mouths=(), stopped=None, bound={}, lacking={})


def test_the_plan_is_of_the_size_and_the_wishes_of_its_map(tmp_path: Path) -> None:
    sizes, wanted = set(), set()
    for number in range(40):
        planned = finished(plan(brief(tmp_path / str(number), seed=number)))
        assert not planned.canvas.open.any()
        sizes.add(planned.canvas.terrain.shape)
        wanted.add(planned.wanted)
    assert {30 <= height <= 44 and 50 <= width <= 70 for height, width in sizes} == {True}
    assert len(sizes) > 20
    assert wanted == {5, 6, 7, 8, 9}


def test_seeding_gives_the_features_and_what_is_to_fill_them(tmp_path: Path) -> None:
    level = brief(
        tmp_path,
        prefabs__dozen=STORE,
        encounters__all="{}\n",
        maps__under="""
            under: {name: Under, size: 20x11, layout: boxes, features: [{prefab: store, at: [8, 5], orientations: r0}]}
            """,
    )
    seeded = finished(seed(level, Canvas(11, 20, level.content.terrain_set)))
    assert [placement.bounds for placement in seeded.placements] == [Rect(5, 8, 1, 3)]
    assert [(each.drawing.name, each.y, each.x, each.index) for each in seeded.drawings] == [
        ("store", 5, 8, 0)
    ]
    assert picture(seeded.canvas.terrain[5:6, 7:12]) == " ..."


def test_a_layout_is_laid_around_any_seeded_map(tmp_path: Path) -> None:
    level = brief(tmp_path, layout="tunnels")
    canvas = Canvas(30, 50, level.content.terrain_set)
    canvas.block(Rect(10, 10, 9, 9))
    ground = finished(lay_out(level, bare(canvas)))
    assert (ground.canvas.terrain[10:19, 10:19] == t.BLOCKED).all()
    assert ground.canvas.open.any()
    assert (ground.drawings, ground.retries) == ((), 0)


def as_it_is(made: Canvas) -> LaidOutMap:
    """Return a laid-out map made of a drawn canvas."""
    return LaidOutMap(canvas=made, drawings=(), zones=(), retries=0)


def test_encounters_are_placed_on_a_ground_plan_that_somebody_has_drawn(tmp_path: Path) -> None:
    level = wanting(3, tmp_path)
    made = drawn(HALLS)
    before = made.terrain.copy()
    furnished = finished(place(level, bare(made), as_it_is(made)))
    assert 0 < len(furnished.placements) <= 3
    assert {each.region for each in furnished.placements} <= {1, 2, 3}
    assert [each.index for each in furnished.drawings] == list(range(len(furnished.placements)))
    assert (furnished.canvas.terrain != before).any()
    assert (made.terrain == before).all()


ROOMS = """
    ##################
    #......##........#
    #......##........#
    #......##........#
    #......##........#
    ###+######+#######
    #................#
    ##################
    """

FURNITURE = """
bench: {map: "........"}
block: {map: "..\\n.."}
"""

CONTENDING = """
bench: {category: fluff, prefabs: bench, placing: accessible, maps: {under: 1}, limit: {map: 1}}
block: {category: fluff, prefabs: block, placing: accessible, maps: {under: 3}, limit: {map: 1}}
"""


def contending(folder: Path, seed: int, encounters: str, wanted: int = 2) -> tuple[Brief, Canvas]:
    """Return a level without annexes, and its ground plan: a bench fits only into the second of two rooms."""
    files = {
        "maps__under": f"under: {{name: U, layout: boxes, annexes: false, encounters: {wanted}}}\n",
        "prefabs__dozen": FURNITURE,
        "encounters__all": encounters,
        "world": "start: under/1\n",
    }
    made = drawn(ROOMS)
    made.regions[2] = replace(made.regions[2], kind="corridor")
    return brief(folder, seed=seed, **files), made


@pytest.mark.parametrize("must", ["", ", guaranteed: true"], ids=["by chance", "guaranteed"])
def test_an_encounter_moves_to_another_room_for_one_that_fits_into_its_room_only(
    tmp_path: Path, must: str
) -> None:
    moved = 0
    for number in range(20):
        level, made = contending(tmp_path / str(number), number, CONTENDING.replace("}}\n", f"}}{must}}}\n"))
        furnished = finished(place(level, bare(made), as_it_is(made)))
        assert {each.encounter: each.region for each in furnished.placements} == {"bench": 2, "block": 1}
        told = {each.subject: each for each in level.journal.decisions}
        assert [each.verdict for each in level.journal.decisions] == ["chosen", "chosen"]
        assert "moved" not in told["bench"].reason
        moved += "; moved there so that bench has a place" in told["block"].reason
    assert 0 < moved < 20


@pytest.mark.parametrize("wanted", [1, 2])
def test_an_encounter_whose_group_is_taken_moves_no_other(tmp_path: Path, wanted: int) -> None:
    chair = CONTENDING.splitlines()[2].replace("block:", "chair:") + "\n"
    had: Counter[str] = Counter()
    for number in range(20):
        grouped = CONTENDING.replace("}}\n", "}, group: a}\n") + chair
        level, made = contending(tmp_path / str(number), number, grouped, wanted)
        furnished = finished(place(level, bare(made), as_it_is(made)))
        due = due_on(level.content, WorldMap("under/1", "under", 1), Shares({}, {}, {}), level.streams)
        assert {each.encounter for each in furnished.placements} == {*due}
        moved = [each.reason for each in level.journal.decisions if "moved there so that" in each.reason]
        assert all(any(f"so that {name} has" in reason for name in due) for reason in moved)
        had.update(due)
    assert min(had[name] for name in ("bench", "block", "chair")) > 0
    assert had.total() == 20 * wanted


def test_the_rest_goes_on_from_wherever_one_begins(tmp_path: Path) -> None:
    level, made = wanting(0, tmp_path), drawn(HALLS)
    seeded, ground = bare(made), as_it_is(made)
    furnished = finished(place(level, seeded, ground))
    state = LevelState(seeded=seeded, ground=ground, furnishing=furnished)
    access = finished(find_exits(level, state))
    locked = finished(lock_up(level, state, access))
    population = finished(populate(level, state, access, locked))
    finished(paint(level, state))
    result = finished(finish(level, state, access, population))
    assert dungeon.prove(result) == []
    assert [each.leads_to for each in result.exits] == ["under/2", "under/3"]
    assert result.placements == ()
    assert result.spawns
    assert {each.placement for each in result.spawns} == {None}


def test_the_stages_together_are_the_level_of_the_world(tmp_path: Path) -> None:
    level = brief(tmp_path)
    world = dungeon.World(level.content, seed=3)
    shares = {name: count for (name, place), count in world._towers.shares.most.items() if place == "under/1"}
    first = {name: count for (name, place), count in world._towers.shares.first.items() if place == "under/1"}
    made = finished(make(replace(level, shares=shares, first=first)))
    assert dungeon.to_json(made) == dungeon.to_json(world.level("under/1"))


def test_steps_tell_what_stands_by_then(tmp_path: Path) -> None:
    world = dungeon.World(load(tmp_path, small_game()), seed=3)
    seen = {step.phase: (len(step.placements), len(step.spawns)) for step in world.steps("under/1")}
    level = world.level("under/1")
    placed, stood = len(level.placements), len(level.spawns)
    assert placed
    assert seen == {
        dungeon.Phase.PLAN: (0, 0),
        dungeon.Phase.LAYOUT: (0, 0),
        dungeon.Phase.PLACE: (placed, 0),
        dungeon.Phase.EXITS: (placed, 0),
        dungeon.Phase.POPULATE: (placed, stood),
        dungeon.Phase.PROVE: (placed, stood),
    }


STAGES = (plan, seed, lay_out, place, find_exits, populate)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_what_a_stage_gives_is_frozen_and_holds_no_list(stage: object) -> None:
    module = import_module(stage.__module__)
    results = [
        each
        for _, each in inspect.getmembers(module, inspect.isclass)
        if each.__module__ == module.__name__ and is_dataclass(each)
    ]
    assert results
    for result in results:
        assert result.__dataclass_params__.frozen
        assert {field.type.split("[")[0] for field in fields(result)} & {"list", "dict", "set"} == set()
