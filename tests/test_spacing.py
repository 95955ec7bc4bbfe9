"""How far encounters lie from the entrance, the exits and each other: over contents that are made by chance.

Levels are held against the YAML as it is written, with no help from the code that places encounters.
"""

from dataclasses import replace
from random import Random

import pytest
import yaml
from drawn import canvas, load

import dungeon
import dungeon.generation.built_in  # for its placing modes
from dungeon import Rect
from dungeon.content.models.encounters import EncounterEntry
from dungeon.extend import Board
from dungeon.generation.placing.spacing import Spacing
from dungeon.terrain import DOOR, WALL

STEPS = (3, 8, 14)
KINDS = ("fluff", "danger", "reward")
LAYOUTS = (
    {"tunnels": {"rooms": 14}},
    {"caves": {"cave": "30..90"}},
    {"connected": {"rooms": 16, "side": "5..8"}},
)
PREFABS = """\
one: {map: "."}
pair: {map: ".."}
hut: {map: "#.#\\n...\\n"}
"""


def game(random):
    """Return the files of a game, and its encounters as YAML."""
    layout = random.choice(LAYOUTS)
    modes = ["centered", "embedded", "free"] if "caves" in layout else ["enclosed", "accessible", "free"]
    names = [f"e{number}" for number in range(random.randint(2, 6))]
    words = [*names, *KINDS, "goods", "entrance", "exits"]
    said = {}
    for name in names:
        entry = {"category": random.choice(KINDS), "placing": random.choice(modes), "maps": {"mine": 1}}
        entry |= {"group": {"world": "goods"}} if random.random() < 0.15 else {}
        if entry["placing"] == "free":
            entry["content"] = [{"debris": "dust", "count": 2}]
        else:
            entry["prefabs"] = random.sample(["one", "pair", "hut"], 2)
        far = {word: random.choice(STEPS) for word in random.sample(words, random.randint(0, 3))}
        near = {word: random.choice(STEPS[1:]) for word in random.sample(words, random.random() < 0.25)}
        far = {word: steps for word, steps in far.items() if steps <= near.get(word, steps)}
        said[name] = entry | {"far_from": far, "near": near}
    if not any("group" in entry for entry in said.values()):
        said[names[0]]["group"] = "goods"
    files = {
        "prefabs/p.yaml": PREFABS,
        "objects/debris.yaml": "dust: {name: dust, glyph: ':'}\n",
        "encounters/e.yaml": yaml.safe_dump(said, sort_keys=False),
        "maps/m.yaml": yaml.safe_dump(
            {"mine": {"name": "Mine", "size": "64x40", "encounters": 7, "layout": layout}}
        ),
        "world.yaml": "start: mine/1\nleads_to: {mine/1: [mine/2]}\n",
    }
    return files, said


def cells(level, placement):
    """Return the cells that an encounter covers: its drawing, or all cells of its region."""
    y, x, height, width = placement.bounds
    found = {(row, column) for row in range(y, y + height) for column in range(x, x + width)}
    if placement.prefab:
        return found
    return {cell for cell in found if level.region[cell] == placement.region}


def steps_between(level, one, other):
    """Return the number of steps between two sets of cells over walkable cells; 10**9 if no way leads there."""
    walks = level.terrain_set.passable[level.terrain]
    front, seen, steps = set(one), set(one), 0
    while front:
        if front & other:
            return steps
        beside = {(y + dy, x + dx) for y, x in front for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        beside = {(y, x) for y, x in beside if 0 <= y < level.height and 0 <= x < level.width} - seen
        seen |= beside
        if beside & other:
            return steps + 1
        front, steps = {cell for cell in beside if walks[cell]}, steps + 1
    return 10**9


def answers(said, placement, word):
    """Return whether a word (encounter, group or category) means a placement."""
    entry = said[placement.encounter]
    group = entry.get("group", ())
    groups = list(group.values()) if isinstance(group, dict) else [group]
    return word in (placement.encounter, entry["category"], *groups)


def objections(said, level):
    """Yield every broken distance of a level."""
    covered = [cells(level, placement) for placement in level.placements]
    for number, placement in enumerate(level.placements):
        entry, own = said[placement.encounter], covered[number]
        declared = [(key, *each) for key in ("far_from", "near") for each in entry[key].items()]
        for key, word, steps in declared:
            there = {
                "entrance": [{level.entrance}],
                "exits": [{(way.y, way.x)} for way in level.exits],
            }.get(word) or [
                covered[other]
                for other, each in enumerate(level.placements)
                if other != number and answers(said, each, word)
            ]
            found = [steps_between(level, own, other) for other in there]
            if key == "far_from" and found and min(found) < steps:
                yield f"{placement.encounter} is {min(found)} steps from {word}, not {steps}"
            if key == "near" and min(found, default=steps + 1) > steps and there:
                yield f"{placement.encounter} is {min(found)} steps from {word}, not at most {steps}"


@pytest.mark.parametrize("number", range(16))
def test_distances_are_those_that_are_declared(tmp_path, number):
    files, said = game(Random(number))
    content = load(tmp_path, files)
    for seed in range(2):
        world = dungeon.World(content, seed)
        for node in world.maps:
            level = world.level(node.id)
            assert not list(objections(said, level))
            assert dungeon.prove(level, world) == []


def test_no_encounter_counts_on_stairs_that_are_surplus(tmp_path):
    """Of four drawn stairs in the corners of the map one is used, and all encounters lie near it."""
    hut = {"category": "fluff", "prefabs": "one", "placing": "enclosed", "maps": {"mine": 1}}
    said = {name: hut | {"near": {"exits": 20}, "far_from": {}} for name in ("e0", "e1")}
    stairs = [{"stairs": "down", "at": [y, x]} for y in (6, -6) for x in (8, -8)]
    mine = {"name": "Mine", "size": "90x50", "encounters": 2, "layout": "tunnels", "features": stairs}
    files = {
        "prefabs/p.yaml": PREFABS,
        "encounters/e.yaml": yaml.safe_dump(said),
        "maps/m.yaml": yaml.safe_dump({"mine": mine}, sort_keys=False),
        "world.yaml": "start: mine/1\nleads_to: {mine/1: [mine/2]}\n",
    }
    content = load(tmp_path, files)
    for seed in range(1, 5):
        level = dungeon.World(content, seed=seed).level("mine/1")
        placed = [each for each in level.placements if each.encounter]
        assert placed
        assert not list(objections(said, replace(level, placements=tuple(placed))))


def test_where_stairs_that_are_yet_to_come_are_too_far_off_nothing_is_tried(tmp_path):
    """The entrance lies in the first zone. No spot in the second zone is near it, and the refusal counts sites, not spots."""
    zones = {"hall": {"layout": "tunnels"}, "deep": {"layout": "tunnels"}}
    mine = {"name": "Mine", "size": "100x50", "encounters": 1, "annexes": False}
    far_off = {"category": "fluff", "prefabs": "one", "placing": "accessible", "maps": {"mine": 1}}
    files = {
        "prefabs/p.yaml": PREFABS,
        "encounters/e.yaml": yaml.safe_dump({"e": far_off | {"zones": "deep", "near": {"entrance": 2}}}),
        "maps/m.yaml": yaml.safe_dump(
            {"mine": mine | {"layout": {"patchwork": {"zones": zones}}}}, sort_keys=False
        ),
        "world.yaml": "start: mine/1\nleads_to: {mine/1: [mine/2]}\n",
    }
    content = load(tmp_path, files)
    for seed in range(4):
        level = dungeon.World(content, seed=seed).level("mine/1")
        (told,) = [each for each in level.journal if (each.subject, each.verdict) == ("e", "refused")]
        assert [rule for rule, _ in told.counts] == ["more than 2 steps from any place for the entrance"]


def test_what_is_dug_for_an_encounter_must_not_bring_it_near_to_others_by_another_way():
    """The annex was far enough from the mess until its door opened onto a corridor that leads to the mess."""
    before = """
        ##############
        #....,,,,,,,,#
        #....#######,#
        ############,#
        #....,,,,,,,,#
        #....#########
        ##############
    """
    entry = {"category": "fluff", "prefabs": "one", "placing": "enclosed", "maps": {"mine": 1}}
    entries = {
        "mess": EncounterEntry.model_validate(entry),
        "den": EncounterEntry.model_validate(entry | {"far_from": {"mess": 10}}),
    }
    ground = canvas(before)
    board = Board(ground.height, ground.width)
    spacing = Spacing(ground, entries, {"entrance": 1, "exits": 1})
    spacing.add("mess", board.from_cells([(1, 1), (1, 2)]))
    assert [each.steps for each in spacing.distances("den")] == [10]
    den = board.from_cells([(4, 1), (4, 2)])
    changed = Rect(3, 1, 2, 4)
    assert spacing.broken_distance("den", den, changed) is None
    ground.terrain[3, 1] = DOOR  # which is dug with it
    assert spacing.broken_distance("den", den, changed) == "where it would break a distance of den"


def test_what_changes_for_a_later_encounter_must_leave_cells_for_stairs_that_earlier_ones_must_be_near() -> (
    None
):
    """The den must be near the exits, which are still missing. A wall then leaves eight cells within reach of it."""
    ground = canvas("""
        ##########
        #........#
        #........#
        #........#
        #........#
        ##########
    """)
    entry = {"category": "fluff", "prefabs": "one", "placing": "enclosed", "maps": {"mine": 1}}
    entries = {
        "den": EncounterEntry.model_validate(entry | {"near": {"exits": 6}}),
        "mess": EncounterEntry.model_validate(entry),
    }
    spacing = Spacing(ground, entries, {"exits": 1})
    den, mess = (ground.board.from_cells([cell]) for cell in ((1, 1), (1, 8)))
    assert spacing.broken_distance("den", den, Rect(1, 1, 1, 1)) is None
    spacing.add("den", den)
    assert spacing.broken_distance("mess", mess, Rect(1, 8, 1, 1)) is None
    ground.terrain[1:5, 3] = WALL
    assert (
        spacing.broken_distance("mess", mess, Rect(1, 3, 4, 6))
        == "where no place would be left for the exits"
    )


def test_who_may_move_for_another() -> None:
    """An encounter may not move if it keeps a distance, or if another one, placed or not, must be near it."""
    ground = canvas("#####\n#...#\n#####")
    entry = {"category": "fluff", "prefabs": "one", "placing": "enclosed", "maps": {"mine": 1}}
    keeps = {
        "shop": {},
        "shy": {"far_from": {"shop": 3}},
        "clerk": {"near": {"shop": 5}},
        "lamp": {"group": "lights"},
        "moth": {"near": {"lights": 5}},
    }
    entries = {name: EncounterEntry.model_validate(entry | said) for name, said in keeps.items()}
    spacing = Spacing(ground, entries, {"entrance": 1, "exits": 1})
    for name in ("shop", "shy", "moth"):
        spacing.add(name, ground.board.from_cells([(1, 1)]))
    assert spacing.may_move("shop", "shy")
    assert not spacing.may_move("shop", "clerk")
    assert not spacing.may_move("shy", "shop")
    assert not spacing.may_move("lamp", "shop")
