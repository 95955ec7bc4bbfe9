"""Small contents that `check` has no error for, and of which levels used to be lost: odd drawings, locks, small maps."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, load, write

import dungeon
from dungeon import terrain as t

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Level

LEGEND = {
    "L": "{terrain: locked_door, lock: brass}",
    "b": "{prop: crate, lock: brass}",
    "K": "{terrain: locked_door, lock: iron}",
    "G": "{terrain: locked_door, lock: gold}",
    "g": "{item: scrap, opens: gold, data: {consumed: true}}",
    "C": "{prop: pillar}",
}
"""The level puts what opens `brass`, a piece of scrap metal; `gold` has keys that are used up; nothing opens `iron`."""


def made(folder: Path, drawing: str, told: str, links: str = "", seeds: int = 4) -> list[Level]:
    """Return levels of a map of which this is said, at two depths; the prefab `room` is drawn so."""
    prefab = f"room:\n  map: |2\n{indent(dedent(drawing).strip(chr(10)), '    ')}\n"
    if links:
        prefab += f"  links: |2\n{indent(links, '    ')}\n"
    legend = [f"    {char}: {meaning}\n" for char, meaning in LEGEND.items() if char in drawing]
    files = {
        **OBJECTS,
        "locks.yaml": "brass: {name: brass lock, opened_by: {item: scrap}}\n",
        "prefabs/room.yaml": prefab + ("".join(["  legend:\n", *legend]) if legend else ""),
        "maps/m.yaml": f"m: {{name: M, {told}}}\n",
        "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
    }
    content, levels = load(folder, files), []
    for seed in range(seeds):
        world = dungeon.World(content, seed)
        levels += [world.level(f"m/{depth}") for depth in (1, 2)]
        assert [violation for level in levels[-2:] for violation in dungeon.prove(level, world)] == []
    return levels


SEALED = "layout: {static: {prefab: room, pockets: seal}}"


@pytest.mark.parametrize(
    "drawing",
    [
        """
        ##########
        #...#....#
        #.b.#.b..#
        ##########
        """,
        """
        ##########
        #...K....#
        #.b.#.b..#
        ##########
        """,
        """
        ##########
        #bC......#
        #C....b..#
        ##########
        """,
    ],
    ids=["behind a wall", "behind a door that nothing opens", "behind pillars"],
)
def test_a_locked_prop_that_nobody_gets_to_needs_no_key(tmp_path: Path, drawing: str) -> None:
    for level in made(tmp_path, drawing, SEALED):
        assert [each.tag for each in level.spawns].count("crate") == 2
        assert [lock.x for lock in level.locks if lock.word == "brass"] == [7]
        assert [each.tag for each in level.spawns].count("scrap") == 1


def test_a_locked_prop_behind_other_locked_props_needs_no_key(tmp_path: Path) -> None:
    drawing = """
        #######
        #bb...#
        #bb...#
        #.....#
        #######
        """
    for level in made(tmp_path, drawing, SEALED):
        assert len(level.spawns) == 5
        assert [(lock.y, lock.x) for lock in level.locks] == [(2, 3), (3, 2), (3, 3)]


def test_scattered_things_leave_a_way_to_a_prop_from_the_side_that_is_not_sealed(tmp_path: Path) -> None:
    drawing = """
        ###########
        #..b......#
        ###########
        """
    for level in made(tmp_path, drawing, f"{SEALED}, population: [{{prop: pillar, count: 20}}]", seeds=10):
        (crate,) = [each for each in level.spawns if each.tag == "crate"]
        beside = [side for side in (-1, 1) if not level.regions[level.region[2, crate.x + side] - 1].sealed]
        assert beside
        assert not any(each.blocks for each in level.spawns if each.y == 2 and each.x - crate.x in beside)
        assert [lock.word for lock in level.locks] == ["brass"]


def test_a_locked_door_that_stays_shut_in_the_open_is_sealed_itself(tmp_path: Path) -> None:
    drawing = """
        ########
        #......#
        #......K
        #.K....#
        ########
        """
    for level in made(tmp_path, drawing, SEALED):
        doors = np.argwhere(level.base == t.LOCKED_DOOR).tolist()
        assert doors == [[4, 3]]
        assert level.regions[level.region[4, 3] - 1].sealed


def test_keys_may_not_be_spent_on_the_way_from_parts_that_are_dug_to(tmp_path: Path) -> None:
    """Pillars cut off the west; a way is dug there. One key may be spent on either door, so the prefab is refused."""
    drawing = """
        #########
        #...#...#
        ##G###G##
        #..C....#
        #...C.g.#
        ######+##
        """
    told = "size: 40x30, layout: tunnels, features: [{prefab: room}]"
    for level in made(tmp_path, drawing, told):
        (refused,) = [each.reason for each in level.journal if each.stage == "seed"]
        assert "stays shut if its key is spent on another lock first" in refused


@pytest.mark.parametrize("links", ["", "    1"])
@pytest.mark.parametrize(
    "layout",
    [
        "{caves: {cave: 40..60, margin: 4, min_caves: 1}}",
        "{mines: {cave: 40..60, margin: 4, min_caves: 1}}",
        "tunnels",
        "{cards: {cell: 13x13}}",
        "{cards: {cell: 13x13, zones: {a: {}, b: {}}}}",
        "{patchwork: {zones: {a: {layout: {cards: {cell: 13x13}}}}}}",
    ],
)
def test_a_map_with_space_for_nothing_but_its_feature_is_made(
    tmp_path: Path, layout: str, links: str
) -> None:
    drawing = """
        ########
        #......#
        #......#
        #......+
        #......#
        ########
        """
    told = f"size: 16x15, layout: {layout}, features: [{{prefab: room, required: true, orientations: r0}}]"
    for level in made(tmp_path, drawing, told, links):
        assert [placement.prefab for placement in level.placements] == ["room"]


def test_a_piece_whose_own_door_hides_what_a_connector_would_open_is_not_the_only_one(tmp_path: Path) -> None:
    """Whoever comes in by the door at the top breaks the wall between both parts open; nobody else opens the iron door."""
    drawing = """
        ####+##
        #...#.#
        #...#.#
        #...K.#
        #...#.#
        #######
        """
    told = "size: 14x14, layout: {connected: {prefabs: {room: {}}, auto: 50%, rooms: 1, side: 3..4}}"
    for level in made(tmp_path, drawing, told, seeds=8):
        assert not np.count_nonzero(level.base == t.LOCKED_DOOR)


def test_another_ground_plan_is_made_for_what_is_guaranteed(tmp_path: Path) -> None:
    """Small mines do not always have a room or cave that holds the vault."""
    files = {
        **OBJECTS,
        "prefabs/vault.yaml": 'vault: {map: "......\\n......\\n......\\n......"}\n',
        "encounters/vault.yaml": "vault: {category: reward, prefabs: vault, guaranteed: true, maps: {m: 1}}\n",
        "maps/m.yaml": "m: {name: M, size: 18x16, layout: mines}\n",
        "world.yaml": "start: m/1\n",
    }
    content = load(tmp_path, files)
    made = [dungeon.World(content, seed).level("m/1") for seed in range(10)]
    assert all("vault" in [each.encounter for each in level.placements] for level in made)
    again = [each.reason for level in made for each in level.journal if each.verdict == "retried"]
    assert any("vault is guaranteed, and can't be placed" in reason for reason in again)
    assert any(level.retries for level in made)


def test_another_ground_plan_is_made_if_one_has_too_little_floor_for_stairs(tmp_path: Path) -> None:
    """A closet of a single cell may be all that fits on a small map."""
    assert len(made(tmp_path, ".", "size: 19x17, layout: cards", seeds=10)) == 20


def test_a_guaranteed_encounter_without_rooms_names_the_layout_that_makes_none(tmp_path: Path) -> None:
    files = {
        **OBJECTS,
        "prefabs/p.yaml": 'vault: {map: "..\\n.."}\n',
        "encounters/e.yaml": "vault: {category: reward, prefabs: vault, maps: {m: 1}, guaranteed: true, limit: {map: 1}}\n",
        "maps/m.yaml": "m: {name: M, size: 50x34, layout: caves}\n",
        "world.yaml": "start: m/1\n",
    }
    with pytest.raises(dungeon.GenerationError) as told:
        dungeon.World(load(tmp_path, files), 0).level("m/1")
    reason = "vault is guaranteed, and can't be placed: no room is free; the layout caves makes none"
    assert reason in str(told.value)


def test_check_tries_a_map_again_that_only_a_feature_saves(tmp_path: Path) -> None:
    """No cell fits; with the stairs, which half of the levels have, such a map is made all the same."""
    files = {
        **OBJECTS,
        "maps/m.yaml": "m: {name: M, size: 65x9, layout: cards, features: [{stairs: up, chance: 50%}]}\n",
        "world.yaml": "start: m/1\n",
    }
    found = dungeon.examine_content(write(tmp_path, files))
    errors = [each.message for each in found.problems if each.severity == "error"]
    assert len(errors) == 1
    assert "there is no space for a cell of 11x9 on a map of 65x9" in errors[0]


def test_no_door_of_a_card_stands_beside_an_open_cell_of_its_edge(tmp_path: Path) -> None:
    drawing = """
        ###
        #+#
        #.#
        #.#
        #.#
        ...
        """
    layout = "layout: {cards: {cell: 9x9, gap: 2, deck: {room: 1}, passages: 0, count: 4..6}}"
    assert made(tmp_path, drawing, f"size: 56x41, {layout}", seeds=20)


def test_features_that_leave_no_space_for_the_layout_are_put_elsewhere(tmp_path: Path) -> None:
    """A cell fits beside what is kept free, but not if that lies in the middle."""
    levels = made(
        tmp_path, ".", "size: 33x13, layout: {cards: {cell: 13x9}}, features: [{keep_out: 8x11}]", seeds=10
    )
    again = [each.reason for level in levels for each in level.journal if each.verdict == "retried"]
    assert "there is no space for a cell of 13x9 on a map of 33x13" in again


def test_check_tries_every_variant_of_a_map(tmp_path: Path) -> None:
    zones = "zones: {yard: {count: 1}, cellar: {count: 1, from: yard, required: true}}"
    variants = "whole: {weight: 4}, halved: {features: [{keep_out: 27x5, at: [50%, 50%]}]}"
    told = f"size: 61x13, layout: {{cards: {{cell: 13x9, gap: 2, {zones}}}}}, variants: {{{variants}}}"
    files = {
        **OBJECTS,
        "maps/m.yaml": f"m: {{name: M, {told}}}\n",
        "world.yaml": "start: m/1\n",
    }
    found = dungeon.examine_content(write(tmp_path, files))
    (error,) = [each.message for each in found.problems if each.severity == "error"]
    assert "no level of this map could be made: zone cellar must be on the map" in error


def test_check_places_what_is_guaranteed_on_large_maps_too(tmp_path: Path) -> None:
    files = {
        **OBJECTS,
        "prefabs/vault.yaml": 'vault: {map: "...\\n...\\n..."}\n',
        "encounters/vault.yaml": (
            "vault: {category: reward, prefabs: vault, guaranteed: true, maps: {m: 1}, far_from: {entrance: 300}}\n"
        ),
        "maps/m.yaml": "m: {name: M, size: 90x50, layout: cards}\n",
        "world.yaml": "start: m/1\n",
    }
    found = dungeon.examine_content(write(tmp_path, files))
    (error,) = [each.message for each in found.problems if each.severity == "error"]
    assert "no level of this map could be made: vault is guaranteed, and can't be placed" in error


def test_no_way_is_dug_to_what_lies_behind_a_locked_door(tmp_path: Path) -> None:
    """The key of the upper room lies in the lower one: whoever came into the upper one would never leave it."""
    drawing = """
        #####
        #...#
        ##G##
        #g..#
        ###+#
        """
    told = (
        "size: 22x34, layout: {connected: {start: room, rooms: 1, auto: 0, prefabs: {room: {}}}}, "
        "features: [{stairs: down}, {stairs: up}]"
    )
    assert made(tmp_path, drawing, told, seeds=40)


def test_a_portal_may_lead_to_a_drawing_with_a_locked_door(tmp_path: Path) -> None:
    """It ends before the door, from where the key is found behind it."""
    drawing = """
        ##########
        #.....L..#
        #.....####
        ##########
        """
    zones = "yard: {}, keep: {layout: {static: {prefab: room}}, join: island, port: lamp, required: true}"
    for level in made(tmp_path, drawing, f"size: 70x40, layout: {{patchwork: {{zones: {{{zones}}}}}}}"):
        (portal,) = level.portals
        assert level.retries == 0
        y, x = (int(each) for each in np.argwhere(level.base == t.LOCKED_DOOR)[0])
        assert portal.end.x < x
        assert portal.end.y - y in (0, 1)


def test_zones_leave_each_other_the_space_that_they_need(tmp_path: Path) -> None:
    """Each would get half of the map, and the hall needs more than that."""
    zones = "yard: {layout: caves}, hall: {layout: tunnels, required: true}"
    for level in made(tmp_path, ".", f"size: 75x47, layout: {{patchwork: {{zones: {{{zones}}}}}}}", seeds=10):
        assert [zone.name for zone in level.zones] == ["yard", "hall"]
