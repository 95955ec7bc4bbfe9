"""From references, machines and population to spawns: who stands where, and nobody in anybody's way."""

from collections import Counter
from dataclasses import FrozenInstanceError, fields, replace
from random import Random
from textwrap import dedent

import numpy as np
import pytest
from drawn import CODES, OBJECTS, canvas, drawing, load, prefab, rows

from dungeon import Cell, Light, Orientation, Placement, Rect, Region, Spawn
from dungeon import terrain as t
from dungeon.content.models.maps import MapPopulationEntry
from dungeon.content.prefab.drawing import DrawnGround, DrawnKey, DrawnLock
from dungeon.extend import Journal, Stream, Streams
from dungeon.generation.locks.keys import walked as walked_from
from dungeon.generation.placing.walkability import walkability
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.placed_drawings import PlacedDrawing, chains
from dungeon.generation.populate.populator import GENERIC_MACHINE, Populator
from dungeon.generation.populate.scattering import ARRIVAL_QUIET, scatter_population
from dungeon.grid.regions import components
from dungeon.grid.symmetry import ALL_ORIENTATIONS
from dungeon.level.model import Lock as BarredDoor

R0 = Orientation.R0


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The objects of the small game."""
    return load(
        tmp_path_factory.mktemp("objects"),
        {**OBJECTS, "maps/m.yaml": "m: {name: M}\n", "world.yaml": "start: m/1\n"},
    )


@pytest.fixture
def catalog(content):
    """What can be put."""
    return content.catalog


def vault(text, legend, *, below=None, machines=(), machine=None):
    """Return a prefab; every character of the legend is drawn on floor unless `below` says otherwise."""
    grounds = {char: (below or {}).get(char, ".") for char in legend}
    return prefab(drawing(text, grounds, machines, legend=legend, machine=machine))


def populator(made, catalog, *drawings, arrival=(1, 1), depth=1):
    """Return a populator for a canvas on which the prefabs of these drawings are expected."""
    occupancy = Occupancy(made)
    for put in drawings:
        occupancy.expect(put.drawing, put.y, put.x)
    labels, _ = components(made.passable() & ~occupancy.obstacles)
    occupancy.set_reachable((labels == labels[arrival]) & (labels > 0))
    return Populator(
        canvas=made, catalog=catalog, weigh=float, depth=depth, journal=Journal(), occupancy=occupancy
    )


def filled(catalog, drawn, *, orientation=R0, seed=0, depth=1, margin=2):
    """Fill a prefab that lies in a room, with `margin` - 1 cells of floor around it, and return the populator."""
    laid = drawn.drawing.turned(orientation)
    across, down = laid.width + 2 * margin, laid.height + 2 * margin
    floor = "#" + "." * (across - 2) + "#"
    made = canvas("\n".join(["#" * across, *[floor] * (down - 2), "#" * across]))
    made.stamp(margin, margin, laid.terrain, 1)
    put = PlacedDrawing(drawing=laid, y=margin, x=margin, index=0, stream=Stream(seed))
    free = made.passable()
    free[margin : margin + laid.height, margin : margin + laid.width] &= ~laid.obstacles
    arrival = tuple(np.argwhere(free)[0].tolist()) if free.any() else (0, 0)
    result = populator(made, catalog, put, arrival=arrival, depth=depth)
    result.fill(put)
    assert not result.occupancy.expected.any()
    return result


def shown(result, area=None):
    """Return where things stand, as a picture of their tags' first letters."""
    picture = np.full(result.canvas.terrain.shape, ".")
    for spawn in result.spawns:
        for cell in spawn.cells:
            picture[cell] = spawn.tag[0]
    picture = picture[2:-2, 2:-2] if area is None else picture[area.slices]
    return "\n".join("".join(row) for row in picture.tolist())


def notes(result):
    """Return what was refused and why."""
    return [f"{each.subject}: {each.reason}" for each in result.journal.decisions]


# -- references -----------------------------------------------------------------------------------


def test_things_stand_where_they_are_drawn_and_say_what_they_are(catalog):
    drawn = vault(
        "1.g\nC.^\n..a",
        {
            "1": {"item": "scrap", "data": {"worth": 9}},
            "g": {"robot": "guard"},
            "C": {"prop": "pillar"},
            "^": {"trap": "snare"},
            "a": {"debris": "ash"},
        },
    )
    result = filled(catalog, drawn)
    assert shown(result) == "s.g\np.s\n..a"
    by_tag = {spawn.tag: spawn for spawn in result.spawns}
    scrap = by_tag["scrap"]
    assert (scrap.kind, scrap.name, scrap.y, scrap.x, scrap.cells) == ("item", "scrap metal", 2, 2, ((2, 2),))
    assert scrap.keywords == {"worth": 9, "made": ["iron", {"of": "rust"}]}
    assert (scrap.placement, scrap.source) == (0, "vault:1")
    assert [by_tag[tag].blocks for tag in ("scrap", "guard", "pillar", "snare", "ash")] == [
        False,
        True,
        True,
        False,
        False,
    ]
    assert by_tag["pillar"].opaque
    assert by_tag["guard"].keywords == {"hp": 5}
    assert notes(result) == []


def test_what_is_made_in_a_hurry_is_a_spawn_like_any_other(catalog):
    drawn = vault("C.g", {"C": {"prop": "pillar"}, "g": {"robot": "guard"}}, machines=[{(0, 1): "="}])
    for spawn in filled(catalog, drawn).spawns:
        again = Spawn(**{each.name: getattr(spawn, each.name) for each in fields(Spawn)})
        assert spawn == again
        assert (type(spawn), hash(spawn), repr(spawn)) == (Spawn, hash(again), repr(again))
        with pytest.raises(FrozenInstanceError):
            spawn.tag = "other"


CHAINED = """
    1.11
    1..1
    .11.
    1.2.
    """


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_neighbours_share_their_pick_along_chains(catalog, orientation):
    legend = {"1": {"item": ["scrap", "patch", "kit", "drill"]}, "2": {"item": ["scrap", "drill"]}}
    drawn = vault(CHAINED, legend)
    groups = [[(0, 0), (1, 0)], [(0, 2), (0, 3), (1, 3)], [(2, 1), (2, 2)], [(3, 0)], [(3, 2)]]
    together = Counter()
    for seed in range(60):
        result = filled(catalog, drawn, orientation=orientation, seed=seed)
        tags = {(spawn.y - 2, spawn.x - 2): spawn.tag for spawn in result.spawns}
        for group in groups:
            assert len({tags[orientation.turn_cell(*cell, 4, 4)] for cell in group}) == 1
        picks = [tags[orientation.turn_cell(*group[0], 4, 4)] for group in groups]
        together.update((i, j) for i in range(5) for j in range(i) if picks[i] == picks[j])
    # Chains choose for themselves: any two differ more often than not.
    assert len(together) == 10
    assert max(together.values()) < 45


def test_a_snake_is_one_chain():
    snake = drawing(
        """
        11111
        ....1
        11111
        1....
        11111
        """,
        {"1": "."},
    )
    assert [len(group) for group in chains(snake.references)] == [17]


def test_equal_things_may_choose_for_themselves(catalog):
    drawn = vault("111111", {"1": {"item": ["scrap", "patch", "kit", "drill"], "unique": True}})
    counts = Counter(
        len({spawn.tag for spawn in filled(catalog, drawn, seed=seed).spawns}) for seed in range(200)
    )
    assert counts[1] <= 3
    assert counts[3] + counts[4] > 120


def test_a_chance_is_taken_for_each_but_the_pick_is_shared(catalog):
    drawn = vault("11111111", {"1": {"item": ["scrap", "drill"], "chance": "30%"}})
    present, tags = 0, Counter()
    for seed in range(600):
        spawns = filled(catalog, drawn, seed=seed).spawns
        present += len(spawns)
        assert len({spawn.tag for spawn in spawns}) <= 1
        tags.update(spawn.tag for spawn in spawns[:1])
    assert abs(present - 1440) < 3.3 * (4800 * 0.21) ** 0.5
    assert min(tags.values()) > 200


def test_a_pick_may_be_that_there_is_nothing(catalog):
    drawn = vault("11.1", {"1": {"item": {"value": "scrap", "chance": "50%"}}})
    seen = Counter(shown(filled(catalog, drawn, seed=seed)) for seed in range(400))
    assert set(seen) == {"....", "ss..", "...s", "ss.s"}
    assert all(abs(count - 100) < 35 for count in seen.values())


# -- which object ---------------------------------------------------------------------------------


def pick(catalog, entry, seed, depth):
    """Return the tag that a symbol gets."""
    spawns = filled(catalog, vault("1", {"1": entry}), seed=seed, depth=depth).spawns
    return spawns[0].tag if spawns else None


@pytest.mark.parametrize(
    ("entry", "depth", "possible"),
    [
        ({"robot": {"class": "guard"}}, 0, {None}),
        ({"robot": {"class": "guard"}}, 1, {"guard"}),
        ({"robot": {"class": "guard"}}, 2, {"guard"}),
        ({"robot": {"class": "guard"}}, 9, {"warden"}),
        ({"robot": {"class": ["guard", "worker"]}}, 5, {"warden", "sweeper"}),
        ({"item": {"class": "aid"}}, 1, {"patch"}),
        ({"item": {"class": "aid"}}, 2, {"kit"}),
        ({"item": {"category": "tool"}}, 1, {"patch"}),
        ({"item": {"category": "tool"}}, 2, {"patch", "kit", "drill"}),
        ({"item": {"category": "tool", "class": "power"}}, 2, {"drill"}),
        ({"item": ["kit", "drill"]}, 0, {"kit", "drill"}),  # a tag is a tag at any depth
        ({"item": {"kit": 1, "scrap": 0}}, 0, {"kit"}),
    ],
)
def test_what_answers_a_reference(catalog, entry, depth, possible):
    assert {pick(catalog, entry, seed, depth) for seed in range(40)} == possible


def test_what_nothing_answers_is_noted(catalog):
    result = filled(catalog, vault("gg.g", {"g": {"robot": {"class": "guard"}}}), depth=0)
    assert notes(result) == ["vault:g: no robot of guard fits depth 0"] * 2
    assert result.spawns == []


def test_members_of_a_category_are_picked_by_weight(catalog):
    counts = Counter(pick(catalog, {"item": {"category": "tool"}}, seed, 2) for seed in range(1200))
    for tag, share in {"patch": 1 / 6, "kit": 4 / 6, "drill": 1 / 6}.items():
        assert abs(counts[tag] - 1200 * share) < 3.3 * (1200 * share * (1 - share)) ** 0.5


def test_another_object_in_the_catalog_changes_only_the_picks_that_it_wins(tmp_path, catalog):
    more = {**OBJECTS, "maps/m.yaml": "m: {name: M}\n", "world.yaml": "start: m/1\n"}
    items = dedent(more["objects/items.yaml"])
    more["objects/items.yaml"] = "awl: {name: awl, glyph: a, category: tool}\n" + items
    larger = load(tmp_path, more).catalog
    drawn = vault("1.1.1.1", {"1": {"item": {"category": "tool"}}})
    won = 0
    for seed in range(150):
        before = [spawn.tag for spawn in filled(catalog, drawn, seed=seed, depth=2).spawns]
        after = [spawn.tag for spawn in filled(larger, drawn, seed=seed, depth=2).spawns]
        won += after.count("awl")
        assert all(new in (old, "awl") for old, new in zip(before, after, strict=True))
    assert abs(won - 600 / 7) < 30


# -- shifting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_shifts_are_even_turn_with_the_drawing_and_stay_inside(catalog, orientation):
    drawn = vault(".......\n...1...\n.......\n.......", {"1": {"item": "scrap", "shift": [2, 5]}})
    counts = Counter()
    for seed in range(200):
        (spawn,) = filled(catalog, drawn, orientation=orientation, seed=seed).spawns
        counts[spawn.y - 2, spawn.x - 2] += 1
    within = {orientation.turn_cell(y, x, 4, 7) for y in range(4) for x in range(1, 6)}
    assert set(counts) == within
    assert max(counts.values()) < 10 + 3.5 * 10**0.5


def test_nothing_shifts_into_walls_doors_stairs_water_or_where_others_are_drawn(catalog):
    legend = {
        "1": {"item": "scrap", "shift": [9, 9]},
        "2": {"item": "kit", "chance": 0},
        "C": {"prop": "crate"},
        "r": {"robot": "guard"},
    }
    drawn = vault("#.+..\n>C~2.\n.r1.X\nL'B<.", legend)
    seen = set()
    for seed in range(300):
        result = filled(catalog, drawn, seed=seed)
        seen.add(next((each.y - 2, each.x - 2) for each in result.spawns if each.tag == "scrap"))
    # Nor behind what it can't get past: a crate before (0, 1), stairs before (3, 4).
    assert seen == {(0, 3), (0, 4), (1, 4), (2, 0), (2, 2), (2, 3)}


def test_things_that_shift_never_share_a_cell(catalog):
    drawn = vault("1111\n....", {"1": {"item": "scrap", "shift": [3, 1]}})
    for seed in range(100):
        result = filled(catalog, drawn, seed=seed)
        assert len({(spawn.y, spawn.x) for spawn in result.spawns}) == 4


def test_a_crate_that_shifts_does_not_close_a_passage(catalog):
    drawn = vault("...#...\n..C....\n...#...", {"C": {"prop": "crate", "shift": [9, 9]}})
    seen = Counter()
    for seed in range(400):
        (spawn,) = filled(catalog, drawn, seed=seed).spawns
        seen[spawn.y - 2, spawn.x - 2] += 1
    # Not into the gap, and beside it only where it was drawn.
    assert (1, 3) not in seen
    assert (1, 4) not in seen
    assert (1, 2) in seen
    assert {(0, 0), (1, 0), (2, 6), (0, 4)} <= set(seen)


def test_crates_that_shift_together_do_not_close_a_passage_that_one_alone_would_leave_open(catalog):
    """Two crates, each of which may move into the way past the other."""
    legend = {"C": {"prop": "crate", "shift": [9, 9]}, "D": {"prop": "pillar"}}
    drawn = vault("C....\n..D..", legend)
    seen = set()
    for seed in range(300):
        result = filled(catalog, drawn, seed=seed, margin=1)
        check_whole(result)
        seen |= {(spawn.y - 1, spawn.x - 1) for spawn in result.spawns if spawn.tag == "crate"}
    # Not above the pillar or across a corner from it: it comes later, but it will come.
    assert seen == {(0, 0), (0, 4), (1, 0), (1, 1), (1, 3), (1, 4)}


def test_what_stays_away_is_in_nobodys_way(catalog):
    legend = {"C": {"prop": "crate", "shift": [9, 9]}, "B": {"prop": "pillar", "chance": 0}}
    drawn = vault(".B..\n...C", legend)
    seen = set()
    for seed in range(300):
        result = filled(catalog, drawn, seed=seed, margin=1)
        seen |= {(spawn.y - 1, spawn.x - 1) for spawn in result.spawns}
    assert seen == {(0, 0), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)}


def check_whole(result):
    """Check that blockers stand alone, and that walkers get wherever they got before and nothing stands now.

    The place that a crate has left may be walled in by others: nobody got there before, either.
    """
    blocked = Counter(
        cell for spawn in result.spawns if spawn.blocks and spawn.kind != "robot" for cell in spawn.cells
    )
    assert not blocked or max(blocked.values()) == 1
    free = result.canvas.passable()
    for cell in blocked:
        free[cell] = False
    labels, _ = components(free)
    parts = set(labels[result.occupancy.plain & free].tolist())
    assert len(parts) <= 1, shown(result)
    lying = [spawn for spawn in result.spawns if spawn.kind != "prop"]
    on_props = [spawn for spawn in lying if not result.occupancy.laden.isdisjoint(spawn.cells)]
    assert all(spawn.kind in ("item", "debris") for spawn in on_props)
    assert {labels[spawn.y, spawn.x] for spawn in lying if spawn not in on_props} <= parts


@pytest.mark.parametrize("group", range(6))
def test_whatever_shifts_walkers_get_everywhere(catalog, group):
    tried = 0
    for seed in range(60):
        random = Random(f"{group} {seed}")
        height, width = random.randint(2, 7), random.randint(2, 9)
        letters = random.choice([".....C", "...C1", "....#C", "....?CD1", ".....#+C"])
        text = "\n".join("".join(random.choice(letters) for _ in range(width)) for _ in range(height))
        legend = {
            "C": {"prop": "crate", "shift": [random.randint(0, 4), random.randint(0, 4)]},
            "D": {"prop": "pillar", "chance": "50%", "shift": [1, 1]},
            "1": {"item": "scrap", "shift": [random.randint(0, 9), 3]},
        }
        drawn = vault(text, legend)
        orientation = random.choice(ALL_ORIENTATIONS)
        margin = random.choice([1, 2])
        result = filled(catalog, drawn, orientation=orientation, seed=seed, margin=margin)
        if not walkability(drawn.drawing, result.canvas.terrain_set).is_connected:
            continue
        tried += 1
        check_whole(result)
        assert notes(result) == []
        laid = drawn.drawing.turned(orientation)
        bounds = Rect(margin, margin, laid.height, laid.width)
        assert all(bounds.contains(spawn.y, spawn.x) for spawn in result.spawns)
        certain = sum(each.char != "D" for each in laid.references)
        assert certain <= len(result.spawns) <= len(laid.references)
    assert tried > 10


# -- machines that shift --------------------------------------------------------------------------


def places_of(catalog, drawn, times=300, margin=2, **more):
    """Return the cells that the only thing in a prefab takes, seen from the prefab, and how often."""
    seen = Counter()
    for seed in range(times):
        (spawn,) = filled(catalog, drawn, seed=seed, margin=margin, **more).spawns
        seen[tuple((y - margin, x - margin) for y, x in spawn.cells)] += 1
    return seen


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_a_machine_shifts_as_a_whole_evenly_and_turns_with_the_drawing(catalog, orientation):
    crank = {(1, 2): "╔", (1, 3): "═", (2, 2): "╚"}
    drawn = vault(
        ".......\n.......\n.......\n.......",
        {},
        machines=[crank],
        machine={"prop": "engine", "shift": [1, 9]},
    )
    within = {
        tuple(orientation.turn_cell(y + down, x + across, 4, 7) for y, x in crank)
        for down in (-1, 0, 1)
        for across in (-1, 0, 1)
    }
    counts = places_of(catalog, drawn, 180, orientation=orientation)
    assert set(counts) == within
    assert max(counts.values()) < 20 + 3.5 * 20**0.5
    drawings = {spawn.glyphs for spawn in filled(catalog, drawn, orientation=orientation, seed=5).spawns}
    assert drawings == {drawn.drawing.turned(orientation).machines[0].glyphs}


def test_a_machine_shifts_only_to_where_all_of_it_may_stand(catalog):
    drawn = vault(
        "...1.#..\n.....#..\n.....'..\n~....#..",
        {"1": {"item": "kit", "chance": 0}},
        machines=[{(1, 2): "║", (2, 2): "║", (3, 2): "║"}],
        machine={"prop": "engine", "shift": [9, 9]},
    )
    columns = {(cells[0][0], cells[0][1]) for cells in places_of(catalog, drawn)}
    # Not into the wall or the doorway, nor before or behind it; not on water, not where an item is drawn.
    assert columns == {(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (1, 3)}


def test_a_machine_that_has_nowhere_to_go_stays_and_one_that_is_in_a_wall_goes_if_it_can(catalog):
    machine = {"prop": "engine", "shift": [2, 0]}
    stays = vault("#..#", {}, machines=[{(0, 1): "m", (0, 2): "m"}], machine=machine)
    assert set(places_of(catalog, stays, 40)) == {((0, 1), (0, 2))}
    goes = vault("#.....", {}, machines=[{(0, 0): "m", (0, 1): "m"}], machine=machine)
    assert set(places_of(catalog, goes, 80)) == {((0, 1), (0, 2)), ((0, 2), (0, 3))}
    walled = filled(catalog, vault("##.", {}, machines=[{(0, 0): "m", (0, 1): "m"}], machine=machine))
    assert notes(walled) == ["vault:machine (engine): it would stand in wall"]


def test_a_machine_may_shift_only_sometimes(catalog):
    shift = {"value": [1, 0], "chance": "50%"}
    drawn = vault(
        "....", {}, machines=[{(0, 1): "m", (0, 2): "m"}], machine={"prop": "engine", "shift": shift}
    )
    counts = places_of(catalog, drawn, 600)
    assert set(counts) == {((0, x), (0, x + 1)) for x in (0, 1, 2)}
    assert abs(counts[(0, 1), (0, 2)] - 400) < 3.3 * (600 * 2 / 9) ** 0.5


def test_a_machine_that_shifts_closes_no_passage_and_no_ring(catalog):
    drawn = vault(
        "...#....\n........\n...#....",
        {},
        machines=[{(1, 5): "m", (1, 6): "m"}],
        machine={"prop": "engine", "shift": [9, 9]},
    )
    corners = {cells[0] for cells in places_of(catalog, drawn, 400)}
    assert corners.isdisjoint({(1, 2), (1, 3), (1, 1), (1, 4)})
    assert {(0, 0), (2, 1), (0, 6), (1, 6), (2, 4)} <= corners
    # Around a pit: it may not close in on cells that were free.
    hook = {(0, 0): "m", (0, 1): "m", (0, 2): "m", (1, 0): "m", (1, 2): "m"}
    walled = vault(
        "......\n......\n......\n.#####", {}, machines=[hook], machine={"prop": "engine", "shift": [9, 9]}
    )
    corners = {cells[0] for cells in places_of(catalog, walled, 400)}
    assert (1, 1) not in corners
    assert (1, 0) not in corners
    assert (0, 2) in corners


def test_what_is_drawn_over_a_machine_that_moves_away_is_in_its_way(catalog):
    """A crate will stand where the machine was drawn: the machine may not close the way past it."""
    drawn = vault(
        "....\n..C.",
        {"C": {"prop": "crate"}},
        machines=[{(1, 2): "m", (1, 3): "m"}],
        machine={"prop": "engine", "shift": [2, 1]},
    )
    for seed in range(60):
        check_whole(filled(catalog, drawn, seed=seed, margin=1))


def test_whatever_machines_shift_walkers_get_everywhere(catalog):
    tried = moved = 0
    for seed in range(400):
        random = Random(f"machines {seed}")
        height, width = random.randint(3, 7), random.randint(4, 9)
        letters = random.choice(["......C", "....1", ".....#C", ".....?D1", "......#+C"])
        text = "\n".join("".join(random.choice(letters) for _ in range(width)) for _ in range(height))
        top, left = random.randint(0, height - 2), random.randint(0, width - 2)
        shape = random.choice([[(0, 0)], [(0, 0), (0, 1)], [(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 0)]])
        cells = {(top + y, left + x): "m" for y, x in shape}
        legend = {
            "C": {"prop": "crate", "shift": [random.randint(0, 4), random.randint(0, 4)]},
            "D": {"prop": "pillar", "chance": "50%", "shift": [1, 1]},
            "1": {"item": "scrap", "shift": [random.randint(0, 9), 3]},
        }
        machine = {"prop": "engine", "shift": [random.randint(0, 6), random.randint(0, 6)]}
        drawn = vault(text, legend, machines=[cells], machine=machine)
        orientation, margin = random.choice(ALL_ORIENTATIONS), random.choice([1, 2])
        result = filled(catalog, drawn, orientation=orientation, seed=seed, margin=margin)
        if not walkability(drawn.drawing, result.canvas.terrain_set).is_connected or notes(result):
            continue
        tried += 1
        check_whole(result)
        (engine,) = [spawn for spawn in result.spawns if spawn.tag == "engine"]
        home = [(y + margin, x + margin) for y, x in drawn.drawing.turned(orientation).machines[0].cells]
        moved += list(engine.cells) != home
    assert tried > 100
    assert moved > 40


# -- what cannot be -------------------------------------------------------------------------------


def test_nothing_stands_in_walls_or_on_stairs(catalog):
    legend = {
        "l": {"prop": "lamp"},
        "r": {"robot": "guard"},
        "1": {"item": "scrap"},
        "d": {"trap": "snare"},
    }
    drawn = vault("lr1d.", legend, below={"l": "#", "r": "<", "1": "B", "d": "+"})
    result = filled(catalog, drawn)
    assert shown(result) == "...s."
    assert notes(result) == [
        "vault:l (lamp): it would stand in wall",
        "vault:r (guard): it would stand in stairs_up",
        "vault:1 (scrap): it would stand in blocked",
    ]
    assert result.lights == []


def test_items_and_traps_lie_where_somebody_walks_and_the_rest_may_stand_in_water(catalog):
    legend = {"l": {"prop": "lamp"}, "r": {"robot": "guard"}, "1": {"item": "scrap"}, "d": {"trap": "snare"}}
    result = filled(catalog, vault("lr1d.", legend, below=dict.fromkeys(legend, "~")))
    assert shown(result) == "lg..."
    assert notes(result) == [
        "vault:1 (scrap): it would lie in water, which can't be walked on",
        "vault:d (snare): it would lie in water, which can't be walked on",
    ]


def test_two_things_drawn_on_one_cell(catalog):
    legend = {
        "C": {"prop": "crate"},
        "i": {"item": "scrap"},
        "j": {"item": "kit"},
        "r": {"robot": "guard"},
        "s": {"robot": "sweeper"},
    }
    seen = {}
    for pair in ("Ci", "Cr", "iC", "ij", "ir", "ri", "rs", "rC", "Cs"):
        one, other = (vault(char, legend).drawing for char in pair)
        both = one.references + other.references
        drawn = replace(
            one, ground=DrawnGround(one.terrain, one.obstacles | other.obstacles), references=both
        )
        result = filled(catalog, prefab(drawn))
        seen[pair] = [spawn.tag for spawn in result.spawns], len(notes(result))
    assert seen == {
        "Ci": (["crate", "scrap"], 0),
        "Cr": (["crate"], 1),
        "iC": (["scrap", "crate"], 0),
        "ij": (["scrap", "kit"], 0),
        "ir": (["scrap", "guard"], 0),
        "ri": (["guard", "scrap"], 0),
        "rs": (["guard"], 1),
        "rC": (["guard"], 1),
        "Cs": (["crate"], 1),
    }


# -- machines and lights --------------------------------------------------------------------------


@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS, ids=lambda each: each.label)
def test_a_machine_is_one_thing_on_several_cells(catalog, orientation):
    cells = {(1, 1): "a", (1, 2): "b", (2, 1): "c"}
    drawn = vault("....\n....\n....", {}, machines=[cells], machine="engine")
    result = filled(catalog, drawn, orientation=orientation)
    (spawn,) = result.spawns
    turned = [orientation.turn_cell(*cell, 3, 4) for cell in cells]
    assert [(y - 2, x - 2) for y, x in spawn.cells] == turned
    assert (spawn.y, spawn.x) == spawn.cells[0]
    assert spawn.glyphs == tuple("abc")
    assert (spawn.glyph, spawn.tag, spawn.fg) == ("a", "engine", (1, 2, 3))
    assert spawn.blocks
    assert spawn.opaque
    assert spawn.keywords == {"noise": [1, 2]}
    assert result.lights == [Light(y=spawn.y, x=spawn.x, radius=3, colour=(1, 2, 3))]


def test_a_machine_without_a_name_is_a_generic_one(catalog):
    (spawn,) = filled(catalog, vault("..", {}, machines=[{(0, 1): "m"}])).spawns
    assert (spawn.tag, spawn.name) == (GENERIC_MACHINE.tag, "machine")


def test_a_machine_in_a_wall_is_refused_as_a_whole(catalog):
    machines = [{(0, 1): "m", (0, 2): "m"}, {(0, 3): "m"}]
    result = filled(catalog, vault("C#..", {"C": {"prop": "crate"}}, machines=machines))
    assert shown(result) == "c..m"
    assert notes(result) == ["vault:machine (machine): it would stand in wall"]
    assert not result.occupancy.obstacles[2, 3:5].any()


def test_lights_shine_where_their_things_stand(catalog):
    drawn = vault("l...\n....", {"l": {"prop": "lamp", "shift": [3, 1]}})
    for seed in range(20):
        result = filled(catalog, drawn, seed=seed)
        (spawn,) = result.spawns
        assert result.lights == [Light(y=spawn.y, x=spawn.x, radius=5, colour=(255, 255, 128))]


# -- population -----------------------------------------------------------------------------------

LAIR = """
    ########################################
    #..........#.............#........#,,,,#
    #..........+.............+........+,,,,#
    #..........#.............#........#,##,#
    ######+#######################L####,##,#
         #,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,#
         ####################+########,###+#
         #~~~~~.#..:::::::::::::#    #+#...#
         #~~.~~~#..:::::::::::::#    #.#...#
         ########################    ### ###
    """


def scattered(catalog, entries, *, seed=0, text=LAIR, placements=(), arrival=(1, 1), depth=1, sealed=()):
    """Scatter a population over a map and return the populator."""
    made = canvas(text)
    for number in sealed:
        region = made.regions[number - 1]
        made.regions[number - 1] = Region(id=number, kind=region.kind, bounds=region.bounds, sealed=True)
    made.put(*arrival, t.STAIRS_UP)
    result = populator(made, catalog, arrival=arrival, depth=depth)
    population = [MapPopulationEntry.model_validate(entry) for entry in entries]
    for each in placements:
        made.quiet[each.bounds.slices] = True
        made.quiet |= (made.region == each.region) & (each.region > 0)
    scatter_population(result, population, Cell(*arrival), Streams(seed, "m/1"))
    return result


def placement(region, bounds):
    """Return a placement in a region."""
    return Placement(
        encounter="e",
        category="fluff",
        prefab="p",
        mode="accessible",
        orientation="r0",
        region=region,
        bounds=Rect(*bounds),
    )


def test_counts_are_kept(catalog):
    entries = [
        {"item": "scrap", "count": 7},
        {"robot": "sweeper", "count": "2..4"},
        {"debris": "ash", "count": 10, "chance": "50%"},
        {"prop": "crate", "count": {"value": 3, "chance": "50%"}},
    ]
    counts = [
        Counter(spawn.tag for spawn in scattered(catalog, entries, seed=seed).spawns) for seed in range(200)
    ]
    assert all(count["scrap"] == 7 for count in counts)
    assert {count["sweeper"] for count in counts} == {2, 3, 4}
    assert abs(sum(count["ash"] for count in counts) - 1000) < 75
    assert {count["crate"] for count in counts} == {0, 3}


def test_things_lie_in_rooms_and_robots_are_anywhere_but_not_near_the_arrival(catalog):
    entries = [
        {"item": "scrap", "count": 20},
        {"trap": "snare", "count": 5},
        {"prop": "crate", "count": 8},
        {"robot": "sweeper", "count": 12},
    ]
    kinds = {"robot": Counter(), "thing": Counter()}
    for seed in range(80):
        result = scattered(catalog, entries, seed=seed, arrival=(2, 13))
        cells = [(spawn.y, spawn.x) for spawn in result.spawns]
        assert len(set(cells)) == len(cells) == 45
        for spawn in result.spawns:
            what = "robot" if spawn.kind == "robot" else "thing"
            kinds[what][picture_at(result, spawn)] += 1
            if what == "robot":
                assert max(abs(spawn.y - 2), abs(spawn.x - 13)) > ARRIVAL_QUIET
        check_whole_from(result, (2, 13))
    assert set(kinds["thing"]) == {".", ":"}
    assert set(kinds["robot"]) == {".", ":", ","}


def picture_at(result, spawn):
    """Return the character of the terrain below a spawn."""
    return next(char for char, code in CODES.items() if code == result.canvas.terrain[spawn.y, spawn.x])


def check_whole_from(result, arrival):
    """Check that props leave every cell that could be walked to before still within reach."""
    before = components(result.canvas.passable())[0]
    before = before == before[arrival]
    free = result.canvas.passable()
    for spawn in result.spawns:
        if spawn.blocks and spawn.kind != "robot":
            free[spawn.y, spawn.x] = False
    after = components(free)[0]
    assert np.array_equal(before & free, after == after[arrival])


def test_nothing_is_scattered_where_nobody_gets_to(catalog):
    result = scattered(catalog, [{"item": "scrap", "count": 300}])
    stood = {(spawn.y, spawn.x) for spawn in result.spawns}
    made = result.canvas
    wanted = [kind in ("room", "cave") for kind in ["", *(region.kind for region in made.regions)]]
    beyond = {(7, 11), (8, 8)}  # behind water
    assert stood == {
        (y, x) for y, x in np.argwhere(np.array(wanted)[made.region]).tolist() if result.occupancy.plain[y, x]
    }
    assert not stood & beyond
    assert len(stood) == len(result.spawns) < 300
    assert notes(result)[0] == "population 1 (scrap): no free cell is left"
    assert len(result.spawns) + len(notes(result)) == 300


def test_quiet_cells_are_left_alone_and_sealed_regions_are_not(catalog):
    made = canvas(LAIR)
    sealed = int(made.region[1, 30])
    room = int(made.region[1, 15])
    result = scattered(
        catalog,
        [{"item": "scrap", "count": 200}, {"robot": "sweeper", "count": 100}],
        placements=[placement(room, (1, 14, 2, 3)), placement(0, (7, 14, 2, 4))],
    )
    for spawn in result.spawns:
        assert result.canvas.region[spawn.y, spawn.x] != room
        assert not Rect(7, 14, 2, 4).contains(spawn.y, spawn.x)
    assert any(result.canvas.region[spawn.y, spawn.x] == sealed for spawn in result.spawns)


def test_props_leave_the_way_to_doors_open_even_to_locked_ones(catalog):
    text = """
        #######
        #.....#
        #.....#
        ##L##+#
        #.#,,,#
        #######
        """
    seen = set()
    for seed in range(60):
        result = scattered(catalog, [{"prop": "crate", "count": 20}], text=text, seed=seed)
        check_whole_from(result, (1, 1))
        seen |= {(spawn.y, spawn.x) for spawn in result.spawns}
        assert (2, 2) not in seen
        assert (2, 5) not in seen
        assert (4, 1) not in seen  # the last cell behind a door
    assert len(seen) >= 5


def test_props_never_fill_a_whole_cave(catalog):
    text = """
        ########
        #,,,,,##
        ####,:##
        ####::##
        ########
        """
    for seed in range(20):
        result = scattered(catalog, [{"prop": "crate", "count": 20}], text=text, seed=seed, arrival=(1, 1))
        cave = {(2, 5), (3, 4), (3, 5)}
        assert len(cave - {(spawn.y, spawn.x) for spawn in result.spawns}) == 1


def test_an_encounter_elsewhere_moves_hardly_anything(catalog):
    entries = [{"item": "scrap", "count": 6}, {"prop": "crate", "count": 4}, {"robot": "sweeper", "count": 4}]
    made = canvas(LAIR)
    room = int(made.region[8, 30])
    stayed = total = 0
    for seed in range(60):
        before = scattered(catalog, entries, seed=seed).spawns
        after = scattered(catalog, entries, seed=seed, placements=[placement(room, (8, 30, 1, 1))]).spawns
        total += len(before)
        stayed += len(set(places(before)) & set(places(after)))
    assert stayed > 0.95 * total


def places(spawns):
    """Return what stands where."""
    return [(spawn.tag, spawn.y, spawn.x) for spawn in spawns]


def test_population_that_nothing_answers_is_noted(catalog):
    result = scattered(catalog, [{"robot": {"class": "guard"}, "count": 2}], depth=0)
    assert notes(result) == ["population 1: no robot of guard fits depth 0"] * 2


# -- maps drawn by hand ---------------------------------------------------------------------------


def drawn_map(catalog, text, legend, *, arrival, sealed=()):
    """Fill a map that is a prefab as a whole."""
    below = dict.fromkeys(legend, ".")
    drawn = prefab(drawing(text, below, legend=legend), "hall").drawing
    made = canvas("\n".join("".join(below.get(char, char) for char in row) for row in rows(text)))
    made.put(*arrival, t.STAIRS_UP)
    for number in sealed:
        region = made.regions[number - 1]
        made.regions[number - 1] = Region(id=number, kind="zone", bounds=region.bounds, sealed=True)
    put = PlacedDrawing(
        drawing=drawn,
        y=0,
        x=0,
        index=None,
        stream=Stream(0),
    )
    result = populator(made, catalog, put, arrival=arrival)
    result.fill(put)
    result.remove_lost_items(Cell(*arrival))
    return result


def test_items_that_nobody_could_get_to_are_taken_away_with_a_word(catalog):
    legend = {"C": {"prop": "crate"}, "i": {"item": "scrap"}, "l": {"item": "patch"}, "r": {"robot": "guard"}}
    result = drawn_map(
        catalog,
        """
        ###############
        #..C.i#i~.~i~.#
        #..C..##~~~~~~#
        #.iCCC#..ir...#
        #.i...........#
        #######i#######
        #i#...#########
        ###############
        """,
        legend,
        arrival=(4, 1),
    )
    items = sorted((spawn.y, spawn.x) for spawn in result.spawns if spawn.kind == "item")
    # (1, 5) is behind crates, (1, 7) and (1, 11) behind water, (6, 1) behind walls.
    assert items == [(3, 2), (3, 9), (4, 2), (5, 7)]
    assert notes(result) == ["hall:i (scrap): no way leads to it"] * 4


def test_items_in_sealed_regions_stay(catalog):
    text = """
        #######
        #..#.i#
        #######
        """
    legend = {"i": {"item": "scrap"}}
    assert len(drawn_map(catalog, text, legend, arrival=(1, 1)).spawns) == 0
    assert len(drawn_map(catalog, text, legend, arrival=(1, 1), sealed=[2]).spawns) == 1


# -- gaps that nobody gets to -----------------------------------------------------------------------

HEAP = """
    .......
    .CCCCC.
    .CCCCC.
    .CCCCC.
    .CCCCC.
    .......
    """


EITHER = {"S": {"prop": "crate", "group": "g", "weight": 0}, "i": {"item": "scrap", "group": "g"}}
"""A crate that never comes, for something else does."""


def gaps(result):
    """Return the cells to which nobody gets from the corner, past all that stands."""
    labels, _ = components(result.canvas.passable() & ~result.occupancy.stands)
    return np.argwhere((labels > 0) & (labels != labels[1, 1])).tolist()


def test_in_a_heap_nothing_stays_away_that_would_leave_a_gap(catalog):
    came = 0
    for seed in range(60):
        drawn = vault(HEAP, {"C": {"prop": "crate", "chance": "80%"}})
        result = filled(catalog, drawn, seed=seed)
        assert gaps(result) == []
        told = [note for note in notes(result) if "placed after all" in note]
        came += len(told)
        assert set(told) <= {
            "vault:C (crate): it is placed after all: without it, its cell could not be reached"
        }
    assert came > 5


def test_what_lies_behind_a_locked_door_is_a_gap_too(catalog):
    drawn = vault("....\n.##.\n.LC.\n.##.\n....", {"C": {"prop": "crate", "chance": "50%"}})
    shut = vault("....\n.###\n.LC#\n.###\n....", {"C": {"prop": "crate", "chance": "50%"}})
    came = [[len(filled(catalog, each, seed=seed).spawns) for seed in range(20)] for each in (drawn, shut)]
    assert set(came[0]) == {0, 1}, "from the other side one gets there"
    assert set(came[1]) == {1}


def test_a_locked_door_that_an_absent_object_bares_leads_to_no_gap(catalog):
    crate = {"prop": "crate", "chance": "50%"}
    drawn = vault("....\n.###\n.DC#\n.###\n....", {"D": crate, "C": crate}, below={"D": "L"})
    pictures = {shown(filled(catalog, drawn, seed=seed)) for seed in range(20)}
    assert pictures == {f"....\n....\n.{row}.\n....\n...." for row in (".c", "cc")}


def test_where_nothing_can_come_a_gap_is_walled_up(catalog):
    drawn = vault(".....\n.CCC.\n.CSC.\n.CCC.\n....i", {"C": {"prop": "crate"}, **EITHER})
    result = filled(catalog, drawn)
    assert gaps(result) == []
    assert notes(result) == ["vault: a gap at y 4, x 4 that could not be reached is walled up"]
    assert result.canvas.terrain[4, 4] == t.WALL
    assert result.canvas.region[4, 4] == 0


def test_a_gap_that_others_open_stays(catalog):
    drawn = vault(".....\n.CCC.\n.CSS.\n.CCC.\n....i", {"C": {"prop": "crate"}, **EITHER})
    result = filled(catalog, drawn)
    assert gaps(result) == []
    assert notes(result) == []
    assert len(result.spawns) == 7 + 1


def test_nothing_is_put_where_somebody_opens_a_lock(catalog):
    text = """
        ##########
        #........#
        #........#
        ####..####
        ####.L...#
        ####.#####
        ####I#####
        ##########
        """
    lever = vault("..\n.L\n.#\nI#", {"I": {"prop": "crate", "opens": "brass"}})
    ground = lever.drawing.ground
    locks, keys = (DrawnLock(1, 1, "brass"),), (DrawnKey((Cell(3, 0),), "brass"),)
    drawn = replace(lever.drawing, ground=replace(ground, locks=locks, keys=keys))
    put = PlacedDrawing(drawing=drawn, y=3, x=4, index=None, stream=Stream(0))
    for seed in range(40):
        made = canvas(text.replace("I", "."))
        made.put(1, 1, t.STAIRS_UP)
        result = populator(made, catalog, put, arrival=(1, 1))
        result.fill(put)
        scatter_population(
            result,
            [MapPopulationEntry.model_validate({"prop": "crate", "count": 30})],
            Cell(1, 1),
            Streams(seed, "m/1"),
        )
        walked = walked_from(result, Cell(1, 1), [BarredDoor(y=4, x=5, word="brass")])
        assert walked[5, 4]  # before the lever
        assert walked[4, 6]  # behind the door
        assert np.array_equal(walked, made.passable() & ~result.occupancy.stands)
