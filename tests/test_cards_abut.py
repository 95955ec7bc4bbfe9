"""Cards that abut (`gap: 0`): neighbouring cells of the grid share walls, and doors in them join the cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn import KINDS, prefab
from test_cards import check_gates
from test_cards_sections import SIDE, TETROMINOES, game, section

import dungeon
from dungeon import terrain as t
from dungeon.generation.layouts.cards_faces import Border, Grid, try_face

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon import Level

HUB = """
    ###'###
    #.....#
    #.###.#
    '.###.'
    #.###.#
    #.....#
    ###'###
    """
SMALL = """
    ##+##
    #...#
    +...+
    #...#
    ##+##
    """
OFF = """
    #+#####
    #.....#
    #.....#
    #.....#
    #.....#
    #.....#
    #####+#
    """
"""Its doors lie opposite to those of no other card, nor to its own when it is mirrored."""


def levels(content: dungeon.Content, count: int = 6) -> Iterator[Level]:
    """Yield levels, each proved."""
    for seed in range(count):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        yield level


def test_rooms_fill_their_cells_and_doors_in_shared_walls_join_them(tmp_path: Path) -> None:
    layout = "{cell: 7x7, gap: 0, count: 20, halls: 0%, passages: 0, shapes: rectangle}"
    for level in levels(game(tmp_path, layout)):
        assert {region.kind for region in level.regions} == {"room"}
        assert {region.bounds[2:] for region in level.regions} == {(SIDE - 2, SIDE - 2)}
        rest = {(each.bounds.y % (SIDE - 1), each.bounds.x % (SIDE - 1)) for each in level.regions}
        assert len(rest) == 1
        assert len(level.connections) >= 19
        for door in level.connections:
            sides = [(door.y - 1, door.x), (door.y + 1, door.x)]
            if level.region[sides[0]] == 0:
                sides = [(door.y, door.x - 1), (door.y, door.x + 1)]
            assert {int(level.region[side]) for side in sides} == {*door.between}


@pytest.mark.parametrize("shapes", ["ellipse", "{triangle: 1, cross: 1, rectangle: 1}"])
def test_rooms_of_any_shape_and_passages_are_entered_straight_ahead(tmp_path: Path, shapes: str) -> None:
    layout = f"{{cell: 9x7, gap: 0, count: 20, halls: 30%, rooms: 2, passages: 2, shapes: {shapes}}}"
    kinds = set()
    for level in levels(game(tmp_path, layout)):
        kinds |= {region.kind for region in level.regions}
        assert all(len({*door.between}) == 2 for door in level.connections)
    assert kinds == {"room", "corridor"}


def test_a_door_that_is_drawn_in_a_shared_wall_stays_as_it_is(tmp_path: Path) -> None:
    layout = "{cell: 7x7, gap: 0, count: 16, rooms: 0, passages: 0, doors: open, deck: {hub: 1}}"
    for level in levels(game(tmp_path, layout, hub=HUB)):
        assert [region.kind for region in level.regions] == 16 * ["prefab"]
        assert {door.kind for door in level.connections} == {t.DOORWAY}
        assert (level.base == t.DOORWAY).sum() == len(level.connections)  # unused ones are walled up


def test_small_cards_get_a_straight_corridor_up_to_the_wall(tmp_path: Path) -> None:
    layout = "{cell: 11x9, gap: 0, count: 12, rooms: 1, passages: 0, halls: 0%, shapes: rectangle, deck: {small: 3}}"
    seen = 0
    for level in levels(game(tmp_path, layout, small=SMALL)):
        for region in level.regions:
            cells = level.base[level.region == region.id]
            seen += region.kind == "prefab" and (cells == t.CORRIDOR).sum() > 0
    assert seen > 6


def test_cards_are_joined_only_where_their_openings_lie_opposite(tmp_path: Path) -> None:
    layout = "{cell: 7x7, gap: 0, count: 12, rooms: 0, passages: 0, deck: {off: 3, hub: 1}}"
    kinds = []
    for level in levels(game(tmp_path, layout, off=OFF, hub=HUB)):
        kinds += [region.kind for region in level.regions]
        open_beside = level.walkable
        for door in level.connections:
            assert open_beside[door.y - 1 : door.y + 2, door.x - 1 : door.x + 2].sum() >= 3
    assert min(kinds.count("prefab"), kinds.count("room")) > 6


def test_openings_at_the_end_of_a_neighbouring_wall_are_none() -> None:
    """The grid cells are 5x5, so that a wall between two of them meets the wide card in its middle."""
    wide = prefab("##+#+#+##\n#.......#\n#.......#\n#.......#\n#########").drawing
    face = try_face(wide, Grid(5, 5, -1), KINDS)
    assert face is not None
    assert face.cells == ((0, 0), (0, 1))
    assert {border: [each.at for each in found] for border, found in face.openings.items()} == {
        Border(-1, 0, 0, 0): [2],
        Border(-1, 0, 0, 1): [6],
    }


def test_sections_tile_zones_wall_to_wall(tmp_path: Path) -> None:
    halls = {f"hall_{name}": section(shape, gap=-1) for name, shape in TETROMINOES.items()}
    layout = "{cell: 7x7, gap: 0, count: 24, grow: {sections: deck}, rooms: 0, passages: 0, deck: {hall: 1}}"
    for level in levels(game(tmp_path, layout, **halls)):
        assert [region.kind for region in level.regions] == 6 * ["prefab"]


def test_zones_that_abut_are_entered_only_by_their_gates(tmp_path: Path) -> None:
    joins = {"b": "tumour", "c": "bridge", "d": "island", "e": "multi-tumour"}
    zones = ", ".join(f"{name}: {{from: a, join: {join}, count: 4}}" for name, join in joins.items())
    deck = "deck: {hub: 2, small: 1, off: 1}, zones: {a: {count: 9}, " + zones + "}"
    content = game(tmp_path, f"{{cell: 7x7, gap: 0, {deck}}}", hub=HUB, small=SMALL, off=OFF)
    for level in levels(content):
        assert len(level.zones) == 5
        check_gates(level)
        assert all(int(level.base[gate]) in t.DOORS for zone in level.zones for gate in zone.gates)


@pytest.mark.parametrize("seed", [9, 19, 42, 44])
def test_a_door_of_a_section_beside_another_card_in_its_notch_is_walled_up(tmp_path: Path, seed: int) -> None:
    """The card in the notch made the door look as if it connected two parts of the section, so that it stayed open."""
    halls = {f"hall_{name}": section(TETROMINOES[name], gap=-1) for name in "SLT"}
    zones = (
        "a: {count: 12, grow: {sections: deck}}, b: {from: a, join: tumour, count: 8, deck: {}, grow: random}, "
        "c: {from: a, join: island, count: 5, deck: {}}"
    )
    layout = f"{{cell: 7x7, gap: 0, passages: 5, deck: {{hall: 1}}, zones: {{{zones}}}}}"
    check_gates(dungeon.World(game(tmp_path, layout, **halls), seed).level("m/1"))
