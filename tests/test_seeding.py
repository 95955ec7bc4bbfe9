"""Seeding: where prefabs are entered, where features may lie, and levels that grow around them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from textwrap import dedent, indent
from typing import TYPE_CHECKING

import numpy as np
import pytest
import yaml
from drawn import CHARS, KINDS, WATER, canvas, drawing, flat, load, picture, picture_of_mask, rows
from walker import pockets

import dungeon
from dungeon import Cell, GenerationError, LayoutJob, Orientation, Phase, Rect, Step, prove
from dungeon import terrain as t
from dungeon.content.drawing.read_drawing import LINK_MARKS
from dungeon.content.models.features import FeatureEntry
from dungeon.content.prefab.drawing import DrawnKey, DrawnLock, Link, nearest_edge
from dungeon.content.prefab.locked_ground import NOT_OPENED
from dungeon.core.registry import LAYOUTS, Layout
from dungeon.extend import Mouth, Parameters, Stream, Streams
from dungeon.generation.layouts.doorways import wall_up_blind_doors
from dungeon.generation.layouts.seeded import join_seeded
from dungeon.generation.openings.inside import WALLED_OFF
from dungeon.generation.openings.landings import lay
from dungeon.generation.openings.openings import openings
from dungeon.generation.seeding.ground import FeatureSpace, Front
from dungeon.generation.seeding.places import FeaturePlace, steps_to
from dungeon.grid.regions import bounds_of, distances

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon import Canvas, Level
    from dungeon.extend import Drawing

# -- where a prefab is entered --------------------------------------------------------------------


def linked(text: str, links: str = "") -> Drawing:
    """Return a drawing with links drawn over it; blanks on the left count from the first column of either."""
    drawn = drawing(text)
    found = []
    for y, row in enumerate(rows(links) if links else []):
        for x, char in enumerate(row):
            if char not in " .":
                width = int(char) if char.isdigit() else 1
                edge = nearest_edge(y, x, drawn.height, drawn.width)
                found.append(Link(y, x, width, *edge, LINK_MARKS.get(char, "tunneler")))
    return replace(drawn, links=tuple(found))


ARROWS = {(1, 0): "v", (-1, 0): "^", (0, 1): ">", (0, -1): "<"}


def entries(drawn: Drawing) -> str:
    """Return a drawing with a frame in which its mouths are.

    Arrows are the first cells of tunnelers' ways, `c` of those that may end at connectors, `d` before earth that may be
    dug, and `x` is kept from being dug. `,` has been dug, and `?` is anybody's earth.
    """
    found = openings(drawn, KINDS)
    shown = np.full((drawn.height + 2, drawn.width + 2), " ")
    for (y, x), code in np.ndenumerate(found.codes):
        shown[y + 1, x + 1] = CHARS[int(code)]
    for y, x in found.dug:
        shown[y + 1, x + 1] = ","
    for y, x in found.closed:
        shown[y + 1, x + 1] = "x"
    for mouth in found.mouths:
        char = ARROWS[mouth.dy, mouth.dx] if mouth.kind == "tunneler" else mouth.kind[0]
        for line in range(mouth.width):
            shown[mouth.y + 1 + line * abs(mouth.dx), mouth.x + 1 + line * abs(mouth.dy)] = char
    return "\n".join("".join(row).rstrip() for row in shown).strip("\n")


GATE = """
    #######
    #.....#
    #.....#
    #######
    """


@pytest.mark.parametrize(
    ("text", "links", "expected"),
    [
        pytest.param(
            GATE,
            """
            .......
            .......
            .......
            ...3...
            """,
            """
            _#######
            _#.....#
            _#.....#
            _##,,,##
            ___vvv
            """,
            id="a tunneler digs as wide as it is drawn",
        ),
        pytest.param(
            GATE,
            """
            .......
            .......
            .......
            ..2....
            """,
            """
            _#######
            _#.....#
            _#.....#
            _##,,###
            ___vv
            """,
            id="of two lines the digit is one",
        ),
        pytest.param(
            "#####\n#...#\n##+##",
            ".....\n.....\n..3..",
            """
            _#####
            _#...#
            _##+##
            __vvv
            """,
            id="a door that is drawn stays as wide as it is",
        ),
        pytest.param(
            "#####\n#...#\n#...#\n#####",
            "..1..\n.....\n.....\n.....",
            """
            ___^
            _##,##
            _#...#
            _#...#
            _#####
            """,
            id="toward the nearest edge",
        ),
        pytest.param(
            "#######\n#.....#\n#######\n#######",
            ".......\n...2...\n.......\n.......",
            """
            ____^^
            _###,,##
            _#.....#
            _#######
            _#######
            """,
            id="from a link inside the way is dug to the edge",
        ),
        pytest.param(
            "#########\n#...#...#\n#...#...#\n#########",
            ".........\no...*...o\no........\n..xxx....",
            """
            _____c
            _####,####
            d?...,...?d
            d?...#...#
            _#########
            ___xxx
            """,
            id="earth that may be dug, and edges that may not",
        ),
        pytest.param(
            "######\n##...#\n##...#\n######",
            "......\noo....\n.o....\n......",
            """
            _######
            d??...#
            _#?...#
            _######
            """,
            id="ways come in through earth that reaches the edge",
        ),
        pytest.param(
            "##B##\n#...#\n#####",
            "..1..\n.....\n.....",
            """
            _##B##
            _#...#
            _#####
            """,
            id="a way can't lead through blocked terrain",
        ),
    ],
)
def test_links_become_mouths(text: str, links: str, expected: str) -> None:
    assert entries(linked(text, links)) == flat(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "##+###\n#....#\n#....+\n######",
            """
            ___c
            _##+###
            _#....#
            _#....+c
            _######
            """,
            id="its outer doors",
        ),
        pytest.param(
            "......\n......\n......",
            """
            ____c
            _......
            c......c
            _......
            ____c
            """,
            id="the middle of each open edge",
        ),
        pytest.param(
            "##.####\n##...C.\n##.####",
            """
            ___c
            _##.####
            _##.....c
            _##.####
            ___c
            """,
            id="of each stretch of it",
        ),
        pytest.param(
            "???????\n?##+##?\n?#...#?\n?#####?",
            """
            ____c
            _???,???
            _?##+##?
            _?#...#?
            _?#####?
            """,
            id="through what it leaves as it is",
        ),
        pytest.param(
            "#####\n#...#\n#####",
            """
            _#####
            _#...#
            _#####
            """,
            id="nothing, if it is closed all around",
        ),
    ],
)
def test_without_links_connectors_are(text: str, expected: str) -> None:
    assert entries(linked(text)) == flat(expected)


@pytest.mark.parametrize(
    ("text", "links", "expected"),
    [
        pytest.param(
            """
            C....
            C....
            #####
            """,
            """
            .....
            1....
            .....
            """,
            """
            ____c
            _.....
            _.....c
            _#####
            """,
            id="none at all, so the edges are open",
        ),
        pytest.param(
            """
            #######
            #.....#
            #.....#
            #..C..#
            """,
            """
            .......
            .......
            .......
            ...5...
            """,
            """
            _#######
            _#.....#
            _#.....#
            _#.....#
            __vv
            """,
            id="the widest stretch beside it",
        ),
        pytest.param(
            """
            #######
            #.....#
            #.....#
            #..C..#
            """,
            """
            .......
            .......
            .......
            ..3....
            """,
            """
            _#######
            _#.....#
            _#.....#
            _#.....#
            __vv
            """,
            id="narrower",
        ),
        pytest.param(
            """
            ####
            #..~
            #..~
            ####
            """,
            """
            ....
            ...1
            ....
            1...
            """,
            """
            _####
            _#..~
            _#..~
            _,###
            _v
            """,
            id="nobody comes in over water",
        ),
        pytest.param(
            """
            #######
            #..C..#
            #..C...
            #..C..#
            ###.###
            """,
            """
            .......
            .......
            1......
            .......
            .......
            """,
            """
            _#######
            _#.....#
            <,......c
            _#.....#
            _###.###
            ____c
            """,
            id="a part without a link is entered as if there were none",
        ),
        pytest.param(
            """
            .C.
            .C.
            .C.
            """,
            """
            ...
            *..
            ...
            """,
            """
            ___c
            _...
            c...c
            _...
            ___c
            """,
            id="and so is each of several",
        ),
        pytest.param(
            """
            #+#C#
            #.#.#
            #.#.+
            #####
            """,
            """
            .1.1.
            .....
            .....
            .....
            """,
            """
            __^
            _#+#.#
            _#.#.#
            _#.#.+c
            _#####
            """,
            id="or by its door",
        ),
    ],
)
def test_links_under_what_stays_are_no_way_in(text: str, links: str, expected: str) -> None:
    assert entries(linked(text, links)) == flat(expected)


def barred(text: str, links: str = "", **words: str) -> Drawing:
    """Return a drawing with links over it, in which `L` is barred by a word, `l` by none, and `k` is an item that opens `L`."""
    drawn = linked(text.replace("k", ".").replace("l", "L"), links)
    cells = [(y, x, char) for y, row in enumerate(rows(text)) for x, char in enumerate(row)]
    locks = tuple(DrawnLock(y, x, "brass") for y, x, char in cells if char == "L")
    keys = tuple(DrawnKey((Cell(y, x),), "brass") for y, x, char in cells if char == "k")
    return replace(drawn, ground=replace(drawn.ground, locks=locks, keys=keys))


@pytest.mark.parametrize(
    ("text", "links", "objection"),
    [
        pytest.param("#####\n#k.L.\n#####", ".....\n1....\n.....", None, id="a key before the door"),
        pytest.param("#######\n#..L..#\n#######", ".......\n1......", (NOT_OPENED, (1, 3)), id="no key"),
        pytest.param(
            "#######\n#..Lk.#\n#######", ".......\n1......", (NOT_OPENED, (1, 3)), id="a key behind the door"
        ),
        pytest.param("#######\n#..l..#\n#######", ".......\n1.....1", None, id="another way in"),
        pytest.param("#######\n#..l...\n#######", ".......\n1......", None, id="another open edge"),
        pytest.param("#######\n#..l..+\n#######", ".......\n1......", None, id="another door"),
        pytest.param(
            "#######\n#..L..#\n#######",
            ".......\n1.....1",
            (NOT_OPENED, (1, 3)),
            id="a door with a word that nothing opens, and another way in",
        ),
        pytest.param("#######\n#.....L\n#######", "", (NOT_OPENED, (1, 6)), id="the only door"),
        pytest.param("########\n#...#k..\nL...#..+\n########", "", None, id="its key is in another part"),
        pytest.param(
            "#######\n#k.L.<#\n#######",
            ".......\n1......",
            (NOT_OPENED, (1, 3)),
            id="locked in by the stairs",
        ),
        pytest.param(
            "#######\n#..Lk<#\n#######", ".......\n1......", (NOT_OPENED, (1, 3)), id="out, but not in"
        ),
        pytest.param("#######\n#k.Lk<#\n#######", ".......\n1......", None, id="a key on either side"),
        pytest.param(".....\n.CCC.\n.C.C.\n.CCC.\n.....", "", (WALLED_OFF, (2, 2)), id="crates all around"),
        pytest.param(".....\n.~~~.\n.~.~.\n.~~~.\n.....", "", (WALLED_OFF, (2, 2)), id="an island"),
        pytest.param(".....\n.###.\n.#.#.\n.###.\n.....", "", None, id="walls can be dug through"),
        pytest.param(".....\n.BBB.\n.B.B.\n.BBB.\n.....", "", (WALLED_OFF, (2, 2)), id="rock can't"),
        pytest.param("###\n#.#\n###", "xxx\nx x\nxxx", (WALLED_OFF, (1, 1)), id="closed on purpose"),
        pytest.param(
            "BBBBBBB\nB..L.k+\nB###BBB\nB...BBB\nBBBBBBB",
            "",
            (WALLED_OFF, (3, 1)),
            id="a pocket that a way can only be dug to from behind a locked door",
        ),
    ],
)
def test_a_drawing_of_which_a_part_stays_cut_off_is_not_seeded(
    text: str, links: str, objection: tuple[str, tuple[int, int]] | None
) -> None:
    assert openings(barred(text, links), KINDS).objection == objection


def test_what_is_to_be_dug_to_from_outside_is_not_seeded_at_the_edge_of_the_map() -> None:
    """Crates shut the chamber below in the west; of the cells beyond its walls one must be free earth."""
    found = openings(linked(".....\nCCC..\n#.C..\n##B.."), KINDS)
    assert found.ways_out == ((Cell(2, -1), Cell(3, -1), Cell(4, 0), Cell(4, 1)),)
    ground = FeatureSpace(8, 9)
    spots = ground.space_for_prefab(4, 5, [Front.beside(cell, 0) for cell in found.ways_out[0]])
    assert ground.board.cells(spots) == [Cell(y, x) for y in (1, 2, 3) for x in (1, 2, 3) if (y, x) != (3, 1)]


def test_a_way_must_start_at_a_locked_door() -> None:
    (mouth,) = openings(barred("#####\n#k..#\n#...#\n##.##", ".....\n.....\n.....\n..*.."), KINDS).mouths
    assert mouth.kind == "connector"
    found = openings(barred("########\n#...#k..\nL...#..+\n########"), KINDS).mouths
    assert sorted((mouth.x, mouth.kind) for mouth in found) == [(-1, "tunneler"), (8, "connector")]


@pytest.mark.parametrize("orientation", list(Orientation))
def test_mouths_turn_with_the_drawing(orientation: Orientation) -> None:
    drawn = linked("#####\n#...#\n#...#\n##.##\n##+##", ".....\n.....\no....\n.....\n..3..")
    here = openings(drawn, KINDS)
    turned = openings(drawn.turned(orientation), KINDS)
    for one, other in zip(here.mouths, turned.mouths, strict=True):
        assert (other.dy, other.dx) == orientation.turn_vector(one.dy, one.dx)
        assert (one.kind, one.width) == (other.kind, other.width)
    assert np.array_equal(turned.codes, orientation.turn(here.codes))


# -- where a feature may lie ----------------------------------------------------------------------


def spots(feature: str, size: tuple[int, int] = (1, 1), whole: tuple[int, int] = (6, 12)) -> str:
    """Return where a feature of that size may lie, a `#` for each of its top left cells."""
    entry = FeatureEntry.model_validate({"stairs": "up", **yaml.safe_load(f"{{{feature}}}")})
    return picture_of_mask(FeaturePlace.allowed(entry).mask(size, whole))


@pytest.mark.parametrize(
    ("feature", "size", "expected"),
    [
        (
            "at: [3, 2]",
            (1, 1),
            """
            ............
            ............
            ...#........
            ............
            ............
            ............
            """,
        ),
        (
            "at: [-1, -1]",  # its own last column is the map's
            (2, 3),
            """
            ............
            ............
            ............
            ............
            .........#..
            ............
            """,
        ),
        (
            "at: [50%, 100%], shift: [1, 0]",
            (2, 2),
            """
            ............
            ............
            ............
            ....###.....
            ............
            ............
            """,
        ),
        (
            "at: [50%, 100%], shift: {value: [{value: 1, chance: 10%}, [0, 1]], chance: 20%}",
            (2, 2),
            """
            ............
            ............
            ....###.....
            ....###.....
            ....###.....
            ............
            """,
        ),
        (
            "x: 4..6",
            (5, 1),
            """
            ....###.....
            ....###.....
            ............
            ............
            ............
            ............
            """,
        ),
        (
            "from: [east, south], distance: 1",
            (1, 2),
            """
            .........#..
            .........#..
            .........#..
            .........#..
            ###########.
            .........#..
            """,
        ),
        (
            "from: south-east, distance: [1, 2]",
            (1, 1),
            """
            ............
            ............
            ............
            .........#..
            ..........#.
            ............
            """,
        ),
        (
            "where: north-west half",
            (1, 1),
            """
            ######......
            ######......
            ######......
            ............
            ............
            ............
            """,
        ),
        (
            "where: centre",  # its middle lies there, whatever its size
            (3, 5),
            """
            ............
            ..####......
            ..####......
            ............
            ............
            ............
            """,
        ),
    ],
)
def test_what_is_said_of_a_place(feature: str, size: tuple[int, int], expected: str) -> None:
    assert spots(feature, size) == flat(expected)


def test_a_feature_may_be_shifted_only_sometimes() -> None:
    raw = yaml.safe_load("{quiet: 1x1, at: [3, 3], shift: {value: [0..1, 2], chance: 40%}}")
    entry = FeatureEntry.model_validate(raw)
    reaches = Counter(FeaturePlace.rolled(entry, Streams(seed), "x").shift for seed in range(1000))
    assert set(reaches) == {(0, 0), (0, 2), (1, 2)}
    assert abs(reaches[0, 0] - 600) < 3.3 * (1000 * 0.24) ** 0.5
    assert abs(reaches[1, 2] - 200) < 3.3 * (1000 * 0.16) ** 0.5


def test_steps_are_those_of_a_walker_between_the_nearest_cells() -> None:
    stream = Stream(1)
    for _ in range(100):
        whole = stream.between(6, 12), stream.between(6, 12)
        other = Rect(stream.below(4), stream.below(4), stream.between(1, 3), stream.between(1, 3))
        size = stream.between(1, 3), stream.between(1, 3)
        steps = steps_to(other, size, whole)
        for y in range(whole[0] - size[0] + 1):
            for x in range(whole[1] - size[1] + 1):
                least = min(
                    abs(a.y - b.y) + abs(a.x - b.x) for a in Rect(y, x, *size).cells() for b in other.cells()
                )
                assert steps[y, x] == least


# -- space ----------------------------------------------------------------------------------------


def fits_by_hand(
    taken: set[tuple[int, int]], size: tuple[int, int], drawn: Rect, fronts: list[Front]
) -> bool:
    """Tell whether a prefab touches nothing that is taken, and the ways from it need nothing that is."""
    inside = Rect(1, 1, size[0] - 2, size[1] - 2)
    whole = Rect(0, 0, *size)
    if not inside.encloses(drawn) or any(cell in taken for cell in drawn.grown().cells()):
        return False
    free = []
    for front in fronts:
        way = Rect(front.rect.y + drawn.y, front.rect.x + drawn.x, front.rect.height, front.rect.width)
        clear = Rect(front.clear.y + drawn.y, front.clear.x + drawn.x, front.clear.height, front.clear.width)
        fine = inside.encloses(way) and whole.encloses(clear)
        free.append(fine and not any(cell in taken for cell in clear.cells()))
    needed = [fine for front, fine in zip(fronts, free, strict=True) if front.must]
    return all(needed) and (not fronts or any(free))


def test_the_spots_with_space_are_those_that_a_search_finds() -> None:
    stream = Stream(7)
    found = 0
    for _ in range(60):
        size = stream.between(14, 24), stream.between(14, 24)
        ground = FeatureSpace(*size)
        taken = set()
        for _ in range(stream.between(0, 3)):
            rect = Rect(stream.below(10), stream.below(10), stream.between(1, 4), stream.between(1, 4))
            ground.areas |= ground.board.block(*rect)
            taken.update(rect.cells())
        height, width = stream.between(2, 4), stream.between(2, 4)
        mouths = [
            Mouth(
                height,
                stream.below(width),
                1,
                0,
                stream.between(1, 2),
                stream.pick(["tunneler", "connector"]),
                0,
            ),
            Mouth(stream.below(height), -1, 0, -1, 1, stream.pick(["tunneler", "diggable"]), 0),
        ][: stream.between(0, 2)]
        fronts = [Front.of(mouth) for mouth in mouths]
        spots = ground.board.to_array(ground.space_for_prefab(height, width, fronts))
        for (y, x), fits in np.ndenumerate(spots):
            assert fits == fits_by_hand(taken, size, Rect(y, x, height, width), fronts)
        found += int(spots.sum())
    assert found > 1000


def test_barriers_do_not_cut_a_map_in_two() -> None:
    ground = FeatureSpace(12, 20)
    assert ground.take_area(Rect(0, 9, 9, 2))
    assert not ground.take_area(Rect(8, 9, 4, 2))
    assert ground.take_area(Rect(8, 9, 2, 2))


def test_nothing_cuts_a_prefab_off() -> None:
    ground = FeatureSpace(20, 20)
    south = [Front.of(Mouth(3, 1, 1, 0, 1, "tunneler", 0))]
    assert ground.take_prefab(Rect(1, 1, 3, 3), south)
    assert not ground.take_area(Rect(6, 1, 1, 6))  # across the way itself
    assert ground.take_area(Rect(1, 6, 9, 1))
    assert not ground.take_area(Rect(9, 1, 1, 6))  # around its corner: a small pocket would be left
    assert ground.take_area(Rect(9, 3, 1, 4))


# -- ways to what a layout has left out -----------------------------------------------------------


def seeded(text: str, at: Rect, mouths: list[Mouth]) -> tuple[Canvas, int, list[Mouth]]:
    """Return a canvas of which that rectangle is a prefab, its region, and its mouths."""
    made = canvas(text)
    here = np.zeros(made.region.shape, np.bool_)
    here[at.slices] = True
    zero, own = sorted(set(made.region[here].tolist()))
    assert zero == 0
    made.regions[own - 1] = replace(made.regions[own - 1], kind="prefab")
    made.drawn = here & (made.terrain != t.EARTH)
    for y, x in np.argwhere(~here & ~made.open).tolist():  # walls are free earth that has been built on
        made.used[y, x] = False
    doors = [door for door in made.connections if at.contains(door.y, door.x)]
    made.remove_doors([(door.y, door.x) for door in doors])
    for door in doors:
        made.region[door.y, door.x] = own
    return made, own, [mouth._replace(region=own) for mouth in mouths]


def joined(made: Canvas, region: int, mouths: list[Mouth], *obstacles: tuple[int, int]) -> str:
    """Return the canvas as it is once what was seeded is joined to it, with something in the way at some cells."""
    blocked = np.zeros(made.terrain.shape, np.bool_)
    for cell in obstacles:
        blocked[cell] = True
    for _ in join_seeded(made, mouths, [region], blocked):
        pass
    return picture(made)


def test_a_way_leads_from_a_mouth_around_what_is_in_between_to_the_rest() -> None:
    made, region, mouths = seeded(
        """
        #####________________
        #...#____________####
        ##.##____________#..#
        _________________#..#
        _____________##__#..#
        _____________##__#..#
        _____________##__####
        _____________________
        """,
        Rect(0, 0, 3, 5),
        [Mouth(3, 2, 1, 0, 1, "tunneler", 0)],
    )
    made.reserve(Rect(4, 13, 3, 2))
    assert joined(made, region, mouths) == flat(
        """
        #####____________
        #...#################
        ##.###,,,,,,,,,,,'..#
        _#,###,###########..#
        _#,,,,,#_____##__#..#
        _#######_____##__#..#
        _____________##__####
        ____________________
        """
    )
    (door,) = made.connections
    assert {made.regions[number - 1].kind for number in door.between} == {"room", "corridor"}


@pytest.mark.parametrize("kind", [t.DOOR, t.FLOOR])
def test_a_door_before_one_that_leads_nowhere_goes_with_it(kind: int) -> None:
    made = canvas("""
        #########
        #..+.+###
        #########
        """)
    made.drawn[:, 5:] = True
    (between,) = (door.between for door in made.connections if door.x == 3)
    made.remove_doors([(1, 3), (1, 5)])
    made.carve_cells([(1, 4)], t.SECRET_DOOR, 0)
    made.drawn[:, 4:] = True
    made.add_door(1, 3, between, kind)
    wall_up_blind_doors(made, made.drawn)
    assert picture(made) == flat("""
        #########
        #..######
        #########
        """)
    assert not made.connections


def test_what_the_layout_has_joined_is_left_alone() -> None:
    text = """
        #####_______
        #...#_______
        ##.##_______
        _#,#________
        _#,#####____
        _#,+...#____
        _#######____
        """
    made, region, mouths = seeded(text, Rect(0, 0, 3, 5), [Mouth(3, 2, 1, 0, 1, "tunneler", 0)])
    assert joined(made, region, mouths) == flat(text)


def test_every_tunneler_gets_its_way_even_if_another_has_one() -> None:
    made, region, mouths = seeded(
        """
        ______________#####_
        _####_________#...#_
        _#...,,,,,,,,,+...#_
        _##.#_________#...#_
        ______________#...#_
        ______________#...#_
        ______________#####_
        """,
        Rect(1, 1, 3, 4),
        [Mouth(2, 5, 0, 1, 1, "tunneler", 0), Mouth(4, 3, 1, 0, 1, "tunneler", 0)],
    )
    assert joined(made, region, mouths) == flat(
        """
        ______________#####_
        _####_________#...#_
        _#...,,,,,,,,,+...#_
        _##.##,#______#...#_
        __#,##,#______#...#_
        __#,,,,#______#...#_
        __######______#####_
        """
    )


def test_a_prefab_that_is_cut_off_is_entered_through_its_own_earth() -> None:
    made, region, mouths = seeded(
        """
        _######________
        _#....#___####_
        _#....____#..#_
        _######___#..#_
        __________####_
        """,
        Rect(0, 1, 4, 6),
        [Mouth(2, 7, 0, 1, 1, "diggable", 0)],
    )
    assert joined(made, region, mouths) == flat(
        """
        _######________
        _#....########_
        _#....,,,,'..#_
        _##########..#_
        __________####_
        """
    )
    assert made.region[2, 6] == region
    assert made.regions[region - 1].bounds == Rect(1, 2, 2, 5)


def test_a_prefab_without_a_way_in_is_broken_into_and_blocked_terrain_never_is() -> None:
    text = """
        ______________
        _######_______
        _#....#_####__
        _######_#..#__
        ________#..#__
        ________####__
        ______________
        """
    made, region, mouths = seeded(text, Rect(1, 1, 3, 6), [])
    assert joined(made, region, mouths) == flat(
        """
        ______________
        _########_____
        _#....,,####__
        _######,'..#__
        ______###..#__
        ________####__
        ______________
        """
    )
    made, region, mouths = seeded(
        text.replace("#....#", "B....B").replace("######", "BBBBBB"), Rect(1, 1, 3, 6), []
    )
    with pytest.raises(GenerationError, match="no way can be dug to the prefab at y 2, x 2"):
        joined(made, region, mouths)


def test_where_no_doorway_can_be_a_room_is_broken_open_and_is_a_zone_then() -> None:
    made, region, mouths = seeded(
        """
        ______________
        _____#####____
        _#####...#____
        _#..##...#____
        _#..+#####____
        _#..##..##____
        _#####..#_____
        _____####_____
        ______________
        """,
        Rect(2, 1, 5, 4),
        [Mouth(4, 5, 0, 1, 1, "connector", 0)],
    )
    assert joined(made, region, mouths) == flat(
        """
        ______________
        _____#####____
        _#####...#____
        _#..#,...#____
        _#..+,,###____
        _#..##..##____
        _#####..#_____
        _____####_____
        ______________
        """
    )
    # The lower room, which led nowhere, has got its way, too.
    assert sorted(each.kind for each in made.regions) == ["corridor", "corridor", "prefab", "zone", "zone"]


def test_a_way_through_two_walls_in_a_row_has_a_door_in_one_and_breaks_the_other_open() -> None:
    """Two doors in a row would have no region between them. Where there is space a corridor leads around, with a door at each end."""
    text = """
        ______________________
        ______________________
        _#####################
        _#..+....##.........._
        _#..#....##.........._
        _#####################
        ______________________
        """
    made, region, mouths = seeded(text, Rect(2, 1, 4, 4), [])
    assert joined(made, region, mouths) == flat(
        """
        _______######_________
        _______#,,,,#_________
        _#######'##'##########
        _#..+....##.........._
        _#..#....##.........._
        _#####################
        ______________________
        """
    )
    made, region, mouths = seeded(text.replace("_", "B"), Rect(2, 1, 4, 4), [])
    assert "B#..+....',.........." in joined(made, region, mouths)
    assert [door.between for door in made.connections] == [(2, 4)]
    assert sorted(each.kind for each in made.regions) == ["corridor", "prefab", "room", "zone"]


def test_no_way_leads_through_the_corner_of_a_room() -> None:
    text = """
        __________________
        __________________
        _____,,,,,,,,,,,__
        __________________
        __________________
        _###______________
        _#..______________
        _###__..__________
        ______..__________
        __________________
        """
    made, region, mouths = seeded(text, Rect(5, 1, 3, 3), [Mouth(6, 4, 0, 1, 1, "tunneler", 0)])
    made.build_walls()
    made.reserve(Rect(5, 4, 1, 1))
    assert joined(made, region, mouths) == flat(
        """
        __________________
        ____#############_
        ____#,,,,,,,,,,,#_
        ____##,##########_
        _____#,#__________
        _#####,#__________
        _#..,#'##_________
        _###,'..#_________
        ___###..#_________
        _____####_________
        """
    )
    assert {each.kind for each in made.regions} == {"corridor", "prefab", "room"}


PASSAGE = """
    _________________
    _####_______####_
    _#..#_______#..#_
    _#..#########..#_
    _#..+.......+..#_
    _#..#########..#_
    _####_______####_
    """


def test_where_something_in_a_prefab_stops_walkers_what_lies_behind_it_gets_a_way_of_its_own() -> None:
    at = Rect(3, 5, 3, 7)
    made, region, mouths = seeded(PASSAGE, at, [])
    assert joined(made, region, mouths) == flat(PASSAGE)
    made, region, mouths = seeded(PASSAGE, at, [])
    around = flat(
        """
        ____#########____
        _####,,,,,,,####_
        _#..',#####,'..#_
        _#..#########..#_
        _#..+.......+..#_
        _#..#########..#_
        _####_______####_
        """
    )
    assert joined(made, region, mouths, (4, 6)) == around
    made, region, mouths = seeded(PASSAGE, at, [])
    assert joined(made, region, mouths, *((4, x) for x in range(5, 12))) == around


def test_a_way_leads_to_the_lines_of_a_mouth_that_nothing_stops() -> None:
    """The layout has led its way to the western line, on which something stands."""
    made, region, mouths = seeded(
        """
        ######______
        #....#______
        ##..##______
        _#,##_______
        _#,#####____
        _#,+...#____
        _#######____
        """,
        Rect(0, 0, 3, 6),
        [Mouth(3, 2, 1, 0, 2, "tunneler", 0)],
    )
    assert joined(made, region, mouths, (2, 2)).split("\n")[3].strip().startswith("#,,#")


def test_a_mouth_whose_door_has_been_walled_up_needs_no_way() -> None:
    text = """
        #####_______
        #...#_______
        ##.##_______
        _#,#________
        _#,#####____
        _#,+...#____
        _#######____
        """
    made, region, mouths = seeded(text, Rect(0, 0, 3, 5), [Mouth(1, 5, 0, 1, 1, "tunneler", 0)])
    assert joined(made, region, mouths) == flat(text)


def test_over_a_sea_ways_are_causeways() -> None:
    made, region, mouths = seeded(
        """
        _#####_______
        _#...#_______
        _##.##_______
        _____________
        _____________
        _######______
        _#....#______
        _######______
        """,
        Rect(0, 1, 3, 5),
        [Mouth(3, 3, 1, 0, 1, "tunneler", 0)],
    )
    made.terrain_set = KINDS
    made.terrain[3:5, 1:-1] = WATER
    made.reserve(Rect(3, 1, 2, 11))
    joined(made, region, mouths)
    assert made.base[3:6, 3].tolist() == [t.CORRIDOR, t.CORRIDOR, t.DOORWAY]
    assert (made.terrain[3:5] == WATER).sum() == 20


def test_a_door_gives_way_where_the_only_way_leads_through_the_wall_beside_it() -> None:
    made, region, mouths = seeded(
        """
        _________
        _,,,,,,,_
        _,#####,_
        _,....#'_
        _,#####,_
        _,,,,,,,_
        _________
        """,
        Rect(2, 2, 3, 5),
        [],
    )
    made.terrain[[2, 4], 5] = t.BLOCKED
    joined(made, region, mouths, (3, 4))
    assert made.base[3, 5:8].tolist() == [t.FLOOR, t.CORRIDOR, t.CORRIDOR]
    assert made.connections == []


def test_no_way_comes_to_a_locked_door() -> None:
    """It is the nearest that is open, but who comes from the prefab may not be able to open it."""
    made, region, mouths = seeded(
        """
        _________________
        _#####___#####___
        _#...#___#...#___
        _#...+___L...#___
        _#...#___#...#___
        _#####___##'##___
        __________#,#____
        __________#,#____
        __________#,#____
        ___________,_____
        _________________
        """,
        Rect(1, 1, 5, 5),
        [Mouth(3, 6, 0, 1, 1, "tunneler", 0)],
    )
    made.remove_doors([(3, 9)])  # as it is with those that a prefab has drawn
    assert joined(made, region, mouths) == flat(
        """
        _________________
        _#####___#####___
        _#...#####...#___
        _#...+,,#L...#___
        _#...##,##...#___
        _######,###'##___
        ______#,,,,,#____
        ______#####,#____
        __________#,#____
        ___________,_____
        _________________
        """
    )


def test_doors_that_nothing_was_joined_to_are_walled_up() -> None:
    made, region, mouths = seeded(
        """
        _____________
        _##+##_______
        _#...########
        _#...+,,,,,,#
        _#...########
        _##+##_______
        _____________
        """,
        Rect(1, 1, 5, 5),
        [Mouth(3, 6, 0, 1, 1, "connector", 0), Mouth(6, 3, 1, 0, 1, "connector", 0)],
    )
    made.set_bounds(region, bounds_of(made.region == region))
    assert made.regions[region - 1].bounds == Rect(1, 2, 5, 4)
    assert joined(made, region, mouths) == flat(
        """
        _____________
        _#####_______
        _#...########
        _#...+,,,,,,#
        _#...########
        _#####_______
        _____________
        """
    )
    assert made.regions[region - 1].bounds == Rect(2, 2, 3, 4)  # without the doors that there were


def test_a_door_that_led_to_nothing_but_a_blind_one_is_walled_up_with_it() -> None:
    """The prefab has a door in its corner, with nothing behind it, and the room got a door right before that."""
    made, region, mouths = seeded(
        """
        ______________
        _###########__
        _#,,,,,,,,,#__
        _##'######+##_
        _#...##.....#_
        _#...##.....#_
        _#...'+######_
        _#####________
        """,
        Rect(3, 6, 4, 7),
        [Mouth(2, 10, -1, 0, 1, "connector", 0), Mouth(6, 5, 0, -1, 1, "connector", 0)],
    )
    assert joined(made, region, mouths) == flat(
        """
        ______________
        _###########__
        _#,,,,,,,,,#__
        _##'######+##_
        _#...##.....#_
        _#...##.....#_
        _#...########_
        _#####________
        """
    )
    assert [(door.y, door.x) for door in made.connections] == [(3, 3)]


# -- levels ---------------------------------------------------------------------------------------

GAME = {
    "objects/items.yaml": "scrap: {name: scrap, glyph: '!'}",
    "objects/props.yaml": "crate: {name: crate, glyph: '='}",
    "world.yaml": "start: under/1\nleads_to: {under/1: [under/2, deep/2], under/2: [deep/3]}",
    "maps/deep.yaml": "deep: {name: Deep}",
    "prefabs/all.yaml": """
        gate:
          orientations: [r0, m0]
          map: |
            #########
            #.......#
            #..C.C..#
            #.......#
            #########
          links: |2


            o       o

                3
          legend: {C: {prop: crate}}
        niche: {map: "#+#\\n...", tags: [small]}
        nook: {map: "...\\n#.#", tags: [small]}
        shaft: {map: "#####\\n#.>.#\\n#...#\\n##+##"}
        arrival: {map: "#####\\n#.<.#\\n#...#\\n##+##"}
        cross:
          map: |
            ###.###
            #.....#
            .......
            #.....#
            ###.###
          links: |
            xxx1xxx

            1     1

            xxx1xxx
        """,
}


def game(folder: Path, features: str, layout: str = "tunnels", size: str = "80x50") -> dungeon.Content:
    """Return a game whose map `under` has these features (and variants), as YAML."""
    head = f"under:\n  name: Under\n  size: {size}\n  layout: {layout}\n"
    return load(folder, {**GAME, "maps/under.yaml": head + indent(dedent(features), "  ")})


def levels(content: dungeon.Content, count: int, map_id: str = "under/1") -> list[Level]:
    """Return that level of so many worlds; each is proved playable while it is made."""
    return [dungeon.World(content, seed).level(map_id) for seed in range(count)]


def told(level: Level, stage: str = "seed") -> list[str]:
    """Return what the journal says of a stage."""
    return [str(each) for each in level.journal if each.stage == stage]


def spokes(canvas: Canvas, _params: Parameters, job: LayoutJob) -> Iterator[Step]:
    """Dig a cave in the middle of the map, and a way from every tunneler's mouth to it, wide at its beginning."""
    middle = Rect(canvas.height // 2 - 2, canvas.width // 2 - 3, 5, 7)
    if not canvas.may_carve(middle):
        raise GenerationError("something is in the middle")
    canvas.carve_room(middle, "cave", t.CAVE)
    yield Step(Phase.LAYOUT, "the middle", canvas)
    free = np.zeros((canvas.height, canvas.width), np.bool_)
    free[1:-1, 1:-1] = ~canvas.used[1:-1, 1:-1]
    free[middle.slices] = True
    away = distances(free, list(middle.cells()))
    for mouth in (each for each in job.mouths if each.kind == "tunneler"):
        y, x = mouth.y, mouth.x
        region = canvas.add_region("corridor", Rect(y, x, 1, 1))
        canvas.carve(Rect(y, x, *((1, mouth.width) if mouth.dy else (mouth.width, 1))), t.CORRIDOR, region)
        while away[y, x]:
            if canvas.base[y, x] == t.EARTH:
                canvas.carve(Rect(y, x, 1, 1), t.CORRIDOR, region)
            y, x = min(((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)), key=lambda cell: int(away[cell]))
        yield Step(Phase.LAYOUT, "a spoke", canvas)
    for each in [each for each in canvas.regions if each.kind == "corridor"]:
        canvas.set_bounds(each.id, bounds_of(canvas.region == each.id))
    canvas.build_walls()


@pytest.fixture
def spoked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the layout `spokes`."""
    monkeypatch.setitem(LAYOUTS, "spokes", Layout(name="spokes", params=Parameters, build=spokes))


def cells_of(level: Level, rect: Rect, codes: tuple[int, ...]) -> int:
    """Return how many cells of a rectangle are based on this terrain."""
    return int(np.isin(level.base[rect.slices], codes).sum())


def bounds_told(level: Level, label: str) -> list[Rect]:
    """Return where the journal says that the areas of that label lie."""
    found = re.findall(rf"{label}: chosen, \w+ (\d+)x(\d+) at y (\d+), x (\d+)", "\n".join(told(level)))
    return [Rect(int(y), int(x), int(height), int(width)) for width, height, y, x in found]


@pytest.mark.usefixtures("spoked")
def test_a_layout_begins_at_the_mouths(tmp_path: Path) -> None:
    content = game(
        tmp_path,
        """
        features:
          - {name: gate, prefab: gate, from: north, where: [north-west third, north-east third]}
          - {prefab: cross, from: south, distance: 8}
        """,
        layout="spokes",
        size="60x40",
    )
    for level in levels(content, 30):
        gate, cross = level.placements
        assert (gate.prefab, gate.mode, gate.encounter, gate.bounds.y) == ("gate", "seeded", "", 1)
        assert cross.bounds.bottom == level.height - 8
        corridors = [region for region in level.regions if region.kind == "corridor"]
        y, x, height, width = gate.bounds
        edges = level.base[y : y + height, [x, x + width - 1]] > t.BLOCKED
        assert (
            len(corridors) == 1 + 4 + edges.sum()
        )  # one to what is close to each side, and none that had to be added
        assert level.base[5, gate.bounds.x + 3 : gate.bounds.x + 6].tolist() == [t.CORRIDOR] * 3


FEATURES = """
    features:
      - {name: gate, prefab: gate, from: [north, south], distance: 1..3}
      - {name: crossing, prefab: cross, far_from: {gate: 15}, chance: 70%}
      - {name: niches, prefab: small, count: 0..2, no_spawn: true}
      - {name: wall, blocked: {width: 2..3, height: [30%, 50%]}, where: middle columns}
      - {name: rest, quiet: 12x9}
    variants:
      1: {weight: 2, features: [{name: shut, keep_out: 9x7, where: [west half, east half]}]}
      left: {features: [{stairs: down, to: deep}]}
    population:
      - {item: scrap, count: 60}
    """


@pytest.fixture(scope="module", params=["tunnels", "caves", "mines"])
def grown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Level]:
    """Return levels of a map with features of all kinds, dug by one of the layouts."""
    return levels(game(tmp_path_factory.mktemp("grown"), FEATURES, layout=request.param), 40)


def test_levels_with_features_of_all_kinds_are_playable(grown: list[Level]) -> None:
    for level in grown:
        assert prove(level) == []
        regions = {region.id: region for region in level.regions}
        assert all(
            regions[each.region].kind == "prefab" for each in level.placements if each.mode == "seeded"
        )


def test_the_bounds_of_regions_are_the_smallest_around_their_cells(grown: list[Level]) -> None:
    for level in grown:
        for region in level.regions:
            cells = level.region == region.id
            assert not cells.any() or region.bounds == bounds_of(cells)


def test_a_way_starts_wherever_a_link_asks_for_one(grown: list[Level]) -> None:
    shown = 0
    for level in grown:
        for placement in level.placements:
            if placement.prefab == "gate":
                (y, x, height, width), south = placement.bounds, level.base > t.BLOCKED
                ends = south[y + height if placement.orientation in ("r0", "m0") else y - 1, x : x + width]
                assert ends.any()
                shown += 1
    assert shown == len(grown)


LINKED = {
    "prefabs/linked.yaml": """
        quarry:
          map: |
            #########
            #.......#
            #.......#
            #.......#
            #########
          links: |2

            o       o
            o       o
            o       o
                3
        deep:
          map: |
            ###############
            ###############
            ###############
            ######...######
            ######...######
            ######...######
            ###############
            ###############
            #######.#######
          links: |
            ooooooooooooooo
            ooooooooooooooo
            ooooooooooooooo
            oooooo   oooooo
            oooooo   oooooo
            oooooo   oooooo
            ooooooooooooooo
            oooooo   oooooo
            oooooo 1 oooooo
        """
}


def linked_levels(folder: Path, features: str, count: int, layout: str = "tunnels") -> list[Level]:
    """Return levels around prefabs with a digit and diggable edges."""
    head = f"under:\n  name: Under\n  size: 80x50\n  layout: {layout}\n"
    files = {**GAME, **LINKED, "maps/under.yaml": head + indent(dedent(features), "  ")}
    return levels(load(folder, files), count)


def test_however_many_prefabs_there_are_a_way_of_the_width_drawn_starts_at_each(tmp_path: Path) -> None:
    for level in linked_levels(tmp_path, "features: [{prefab: quarry, orientations: r0, count: 4}]", 40):
        for y, x, height, _ in (each.bounds for each in level.placements):
            assert (level.base[y + height, x + 3 : x + 6] == t.CORRIDOR).all()


def test_diggable_edges_are_opened_beside_a_digit_once_to_a_side_at_most(tmp_path: Path) -> None:
    opened = sides = 0
    for level in linked_levels(tmp_path, "features: [{prefab: quarry, orientations: r0}]", 80):
        (placement,) = level.placements
        y, x, _, width = placement.bounds
        for column in (x, x + width - 1):
            dug = level.base[y + 1 : y + 4, column] > t.BLOCKED
            assert dug.sum() <= 1
            opened += int(dug.sum())
            sides += 1
    assert 0.4 * sides < opened < 0.8 * sides  # by what came close by, and by nothing else


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines"])
def test_what_a_layout_builds_in_a_prefabs_own_earth_is_not_broken_into(tmp_path: Path, layout: str) -> None:
    """Each level is proved while it is made: no door without walls, no room with a hole."""
    for level in linked_levels(tmp_path, "features: [{prefab: deep, count: 3}]", 15, layout):
        assert [each.prefab for each in level.placements] == ["deep"] * 3


def test_a_prefab_without_an_open_cell_keeps_its_bounds_to_itself() -> None:
    """No region tells which of its cells are its own."""
    made = canvas("\n".join(["_" * 9] * 7))
    for text, free in (
        ("?????\n?#?#?\n?????", 0),
        ("?????\n?#.#?\n?????", 10),
    ):  # two are dug for its ways in
        lay(made, openings(drawing(text), KINDS), Cell(2, 2))
        assert int((~made.used[2:5, 2:7]).sum()) == free
        made = canvas("\n".join(["_" * 9] * 7))


@pytest.mark.usefixtures("spoked")
def test_a_way_that_is_narrower_than_drawn_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def heedless(canvas: Canvas, params: Parameters, job: LayoutJob) -> Iterator[Step]:
        return spokes(canvas, params, replace(job, mouths=()))

    def narrow(canvas: Canvas, params: Parameters, job: LayoutJob) -> Iterator[Step]:
        for mouth in job.mouths:
            if mouth.kind == "tunneler":
                canvas.block(Rect(mouth.y, mouth.x, 1, 1))
        return heedless(canvas, params, job)

    for build in (heedless, narrow):
        name = build.__name__
        monkeypatch.setitem(LAYOUTS, name, Layout(name=name, params=Parameters, build=build))
    features = "features: [{prefab: quarry, orientations: r0, from: north}]"
    for layout, count in (("narrow", 1), ("heedless", 0), ("spokes", 0)):
        (level,) = linked_levels(tmp_path / layout, features, 1, layout)
        assert sum("a prefab's mouth (1 mouth)" in each for each in told(level, "layout")) == count


def test_each_level_has_the_features_of_all_and_of_one_variant(grown: list[Level]) -> None:
    said = [" ".join(told(level)) for level in grown]
    assert all("gate: chosen" in each and "wall: chosen" in each and "rest: chosen" in each for each in said)
    shut = sum("shut: chosen" in each for each in said)
    left = sum("variant left, feature 1: chosen, stairs down" in each for each in said)
    assert shut + left == len(grown)
    assert shut > left > 5
    assert 0.4 * len(grown) < sum("crossing: chosen" in each for each in said) < len(grown)
    assert {sum(each.prefab in ("niche", "nook") for each in level.placements) for level in grown} == {
        0,
        1,
        2,
    }


def test_nobody_digs_through_barriers_or_in_areas_that_are_kept_out_of(grown: list[Level]) -> None:
    for level in grown:
        (wall,) = bounds_told(level, "wall")
        assert cells_of(level, wall, (t.BLOCKED,)) == wall.area
        for shut in bounds_told(level, "shut"):
            assert cells_of(level, shut, (t.EARTH, t.WALL, t.BLOCKED)) == shut.area


def test_nothing_is_scattered_where_it_is_quiet(grown: list[Level]) -> None:
    in_gates = 0
    for level in grown:
        quiet = bounds_told(level, "rest")
        quiet += [each.bounds for each in level.placements if each.prefab in ("niche", "nook")]
        scattered = [spawn for spawn in level.spawns if spawn.placement is None]
        assert len(scattered) == 60
        assert not any(rect.contains(each.y, each.x) for each in scattered for rect in quiet)
        gates = [each.bounds for each in level.placements if each.prefab == "gate"]
        in_gates += sum(gate.contains(each.y, each.x) for each in scattered for gate in gates)
    assert in_gates > 0  # where nobody asks for quiet, things are scattered over seeded prefabs, too


def test_what_stands_in_seeded_prefabs_is_theirs(grown: list[Level]) -> None:
    for level in grown:
        crates = [spawn for spawn in level.spawns if spawn.tag == "crate"]
        assert [level.placements[spawn.placement or 0].prefab for spawn in crates] == ["gate", "gate"]


def test_the_same_seed_gives_the_same_level_again(tmp_path: Path) -> None:
    content = game(tmp_path, FEATURES)
    world = dungeon.World(content, 3)
    last = world.level("under/2")
    first = dungeon.to_json(world.level("under/1"))
    assert dungeon.to_json(dungeon.World(content, 3).level("under/1")) == first
    assert dungeon.to_json(dungeon.World(content, 3).level("under/2")) == dungeon.to_json(last)
    *_, step = world.steps("under/1")
    assert np.array_equal(step.canvas.terrain, world.level("under/1").terrain)


def test_another_feature_leaves_the_first_ones_where_they_are(tmp_path: Path) -> None:
    one = game(tmp_path / "one", "features:\n  - {name: gate, prefab: gate, from: north}\n")
    two = game(
        tmp_path / "two",
        "features:\n  - {name: gate, prefab: gate, from: north}\n  - {name: more, prefab: cross}\n",
    )
    for seed in range(10):
        alone = dungeon.World(one, seed).level("under/1").placements
        assert dungeon.World(two, seed).level("under/1").placements[:1] == alone


def test_a_layout_that_begins_again_finds_the_features_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumbling(canvas: Canvas, params: Parameters, job: LayoutJob) -> Iterator[Step]:
        before = picture(canvas), canvas.used.tolist(), len(canvas.regions), job.mouths
        seen.append(before)
        if job.attempt < 2:
            canvas.carve(
                Rect(1, 1, canvas.height - 2, canvas.width - 2),
                t.FLOOR,
                canvas.add_region("cave", Rect(1, 1, 1, 1)),
            )
            raise GenerationError("bad luck")
        yield from spokes(canvas, params, job)

    seen: list[object] = []
    monkeypatch.setitem(LAYOUTS, "stumbling", Layout(name="stumbling", params=Parameters, build=stumbling))
    content = game(
        tmp_path, "features:\n  - {prefab: gate, from: north}\n  - {blocked: 3x4}\n", layout="stumbling"
    )
    (level,) = levels(content, 1)
    assert level.retries == 2
    assert seen[0] == seen[1] == seen[2]


# -- on foot ----------------------------------------------------------------------------------------

IN_THE_WAY = {
    "objects/items.yaml": "scrap: {name: scrap, glyph: '!'}\nkey: {name: key, glyph: '-'}",
    "terrain.yaml": 'water: {like: floor, walkable: false, glyph: "~"}\n',
    "prefabs/all.yaml": """
        gauges:   # both tunnelers' links lie under gauges, and so does a part of the third
          map: |
            #######
            #.....#
            C.....C
            #.....#
            #..C..#
          links: |2


            1     1

               3
          legend: &in_the_way {C: {prop: crate}, $: {item: scrap}, "~": water}
        halves:   # crates from wall to wall: a room behind them has no link
          map: |
            #########
            #...C...#
            #...C.$.#
            #...C...#
            ####C#.##
          links: |2


            2
          legend: *in_the_way
        court:    # nobody crosses the water
          map: |
            ..~~..
            .$~~..
            ..~~..
          legend: *in_the_way
        vault:
          orientations: [r0, m90]
          map: |
            #########
            #k..#...#
            #...L.$.#
            #...#...#
            #.+######
          legend:
            L: {terrain: locked_door, lock: brass}
            k: {item: key, opens: brass}
            $: {item: scrap}
        back:     # its locked door leads outside, and the key lies in the porch
          map: |
            #########
            #...#k...
            L.$.#....
            #...#....
            #########
          legend:
            L: {terrain: locked_door, lock: brass}
            k: {item: key, opens: brass}
            $: {item: scrap}
        """,
}


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines", "spokes"])
@pytest.mark.usefixtures("spoked")
def test_whatever_stands_on_links_all_of_a_prefab_can_be_walked_to(tmp_path: Path, layout: str) -> None:
    where = "from: [north, east, south, west], distance: 3..6"
    features = ", ".join(f"{{name: {name}, prefab: {name}, {where}}}" for name in GIVEN)
    folder = {**GAME, **IN_THE_WAY}
    head = f"under:\n  name: Under\n  size: 90x60\n  layout: {layout}\n"
    folder["maps/under.yaml"] = (
        head + f"  features: [{features}]\n  population: [{{prop: crate, count: 20}}]\n"
    )
    found: dict[str, int] = {}
    for level in levels(load(tmp_path, folder), 6):
        assert pockets(level) == []
        assert not any(each.reason == "no way leads to it" for each in level.journal)
        for each in level.journal:
            if each.stage == "seed":
                found[f"{each.subject}: {each.verdict}"] = found.get(f"{each.subject}: {each.verdict}", 0) + 1
    assert found == {**{f"{name}: chosen": 6 for name in GIVEN}, "gauges: noted": 6}


GIVEN = ("gauges", "halves", "court", "vault", "back")

SHUT = {
    "world.yaml": "start: under/1\n",
    "objects/items.yaml": "key: {name: key, glyph: '-'}\n",
    "objects/props.yaml": "crate: {name: crate, glyph: c}\n",
    "locks.yaml": "brass: {name: brass lock, opened_by: {item: key}}\n",
    "terrain.yaml": 'steel: {like: wall, diggable: false}\npool: {like: floor, walkable: false, glyph: "~"}\n',
    "prefabs/all.yaml": """
        closet:
          map: |
            ######
            #....#
            #....#
            ###+##
        secret:
          map: |
            ######
            #....#
            #....#
            ###S##
          legend: {S: secret_door}
        vault:     # nobody needs to get to the crate
          map: |
            HHHHHH
            Hc#..H
            H##..H
            HHHHLH
          legend: &shut {H: steel, c: {prop: crate}, "~": pool, L: {terrain: locked_door, lock: brass}}
        tank:      # one only looks at it
          map: |
            HHHH
            H~~H
            HHHH
          legend: *shut
        """,
}


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines", "connected", "cards"])
def test_a_seeded_prefab_keeps_its_doors_and_walls(tmp_path: Path, layout: str) -> None:
    doors = {"closet": t.DOOR, "secret": t.SECRET_DOOR, "vault": t.LOCKED_DOOR}
    features = ", ".join(f"{{prefab: {name}, required: true}}" for name in [*doors, "tank"])
    map_entry = f"under: {{name: Under, size: 70x50, layout: {layout}, features: [{features}]}}\n"
    content = load(tmp_path, {**SHUT, "maps/under.yaml": map_entry})
    for seed in range(4):
        world = dungeon.World(content, seed)
        level = world.level("under/1")
        for placement in level.placements:
            area = placement.bounds.slices
            found = [code for code in level.base[area].ravel().tolist() if code in t.DOORS]
            assert found == ([doors[placement.prefab]] if placement.prefab in doors else [])
            steel = [level.terrain_set.kinds[code].name for code in level.terrain[area].ravel().tolist()]
            assert steel.count("steel") == {"vault": 15, "tank": 10}.get(placement.prefab, 0)
        assert prove(level, world) == []


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines"])
def test_corridors_are_dug_to_closed_parts_that_only_each_other_enclose(tmp_path: Path, layout: str) -> None:
    board = ["#" * 15, *("#.#.#.#.#.#.#.#" if y % 2 else "##.#.#.#.#.#.##" for y in range(9)), "#" * 15]
    drawn = indent("\n".join(board), "    ")
    map_entry = f"under: {{name: Under, size: 70x50, layout: {layout}, features: [{{prefab: board}}]}}\n"
    files = {**SHUT, "maps/under.yaml": map_entry, "prefabs/board.yaml": f"board:\n  map: |\n{drawn}\n"}
    content = load(tmp_path, files)
    for seed in range(4):
        level = dungeon.World(content, seed).level("under/1")
        assert [each.prefab for each in level.placements] == ["board"]
        assert not level.unreachable.any()
        assert prove(level) == []


@pytest.mark.parametrize(
    ("prefab", "reason"),
    [
        (
            'map: ".....\\n.CCC.\\n.C.C.\\n.CCC.\\n....."',
            "it has a cell that can't be reached from outside, even by digging",
        ),
        ('map: "#####\\n...D.\\n#####"\nlinks: " \\n1"', None),
        (
            'map: "#####\\n...L.\\n#####"\nlinks: " \\n1"',
            "it has a locked door whose key is not certain to lie in front of it",
        ),
        (
            'map: "######\\n...L.#\\n######"',
            "it has a locked door whose key is not certain to lie in front of it",
        ),
    ],
)
def test_what_stays_cut_off_is_refused_with_a_word(tmp_path: Path, prefab: str, reason: str | None) -> None:
    legend = "legend: {C: {prop: crate}, L: {terrain: locked_door, lock: brass}, D: locked_door}\n"
    folder = {**GAME, "prefabs/all.yaml": "it:\n" + indent(f"{prefab}\n{legend}", "  ")}
    folder["maps/under.yaml"] = "under: {name: Under, size: 60x40, features: [{name: post, prefab: it}]}\n"
    for level in levels(load(tmp_path, folder), 3):
        (told_of,) = [each for each in level.journal if each.stage == "seed"]
        if reason is None:
            assert told_of.verdict == "chosen"
        else:
            assert told_of.verdict == "refused"
            assert re.fullmatch(rf"it [rm]\d+ {reason.removeprefix('it ')}", told_of.reason)
        assert pockets(level) == []


def test_of_the_variants_of_a_prefab_one_is_seeded_that_is_whole(tmp_path: Path) -> None:
    it = """
        it:
          map: |
            #######
            #..w..#
            #..w.k#
            #..w..#
            ##.####
          legend: {k: {item: scrap}, L: locked_door}
          vary: [{substitute: w, with: {L: 1, ".": 1}, once: true}]
        """
    folder = {**GAME, "prefabs/all.yaml": it}
    folder["maps/under.yaml"] = "under: {name: Under, size: 60x40, features: [{name: post, prefab: it}]}\n"
    for level in levels(load(tmp_path, folder), 8):
        assert pockets(level) == []
        assert [each.verdict for each in level.journal if each.stage == "seed"] == ["chosen"]
        assert not (level.base == t.LOCKED_DOOR).any()


def test_ways_that_are_dug_later_lead_to_what_lies_behind_obstacles_and_not_through_them() -> None:
    made, region, mouths = seeded(
        """
        _______________
        _____#####_____
        _____#...#_____
        _____#...#_____
        _____#...#_____
        _____##.##_____
        _______________
        ____________,,_
        _______________
        """,
        Rect(1, 5, 5, 5),
        [Mouth(6, 7, 1, 0, 1, "connector", 0)],
    )
    assert joined(made, region, mouths, (3, 6), (3, 7), (3, 8)) == flat(
        """
        _______________
        _____########
        _____#...,,,#
        _____#...##,#
        _____#...##,#
        _____##.###,#
        ______#,###,#
        ______#,,,,,,,
        ______#######
        """
    )


# -- distances, stairs and exits ------------------------------------------------------------------


def test_features_keep_their_distance_from_each_other_whichever_is_listed_first(tmp_path: Path) -> None:
    for number, features in enumerate(
        [
            "- {name: a, prefab: gate, far_from: {b: 30}}\n  - {name: b, prefab: cross}",
            "- {name: b, prefab: cross}\n  - {name: a, prefab: gate, far_from: {b: 30}}",
        ]
    ):
        content = game(tmp_path / str(number), f"features:\n  {features}\n")
        for level in levels(content, 15):
            one, other = [each.bounds for each in level.placements]
            assert steps_to(other, (one.height, one.width), (level.height, level.width))[one.y, one.x] >= 30


def test_features_may_be_near_each_other_and_copies_apart(tmp_path: Path) -> None:
    content = game(
        tmp_path,
        """
        features:
          - {name: hub, prefab: cross, where: centre}
          - {name: spot, prefab: small, count: 3, near: {hub: 14}, far_from: {spot: 8}}
        """,
    )
    for level in levels(content, 15):
        hub, *others = [each.bounds for each in level.placements]
        assert len(others) == 3
        whole = level.height, level.width
        for number, rect in enumerate(others):
            size = rect.height, rect.width
            assert steps_to(hub, size, whole)[rect.y, rect.x] <= 14
            for other in others[:number]:
                assert steps_to(other, size, whole)[rect.y, rect.x] >= 8


@pytest.mark.parametrize("arrival", ["{stairs: up, from: west, required: true}", "{prefab: arrival}", ""])
def test_the_entrance_is_far_from_what_is_to_be_far_from_it(tmp_path: Path, arrival: str) -> None:
    more = f"  - {arrival}\n" if arrival else ""
    text = f"features:\n  - {{name: gate, prefab: gate, far_from: {{entrance: 40}}}}\n{more}"
    for level in levels(game(tmp_path, text), 20):
        (gate,) = [each.bounds for each in level.placements if each.prefab == "gate"]
        apart = steps_to(gate, (1, 1), (level.height, level.width))[level.entrance]
        assert apart >= 40
        walk = distances(level.walkable, [level.entrance])
        assert walk[gate.slices].min() >= 40  # nobody walks less than that
        assert "{stairs" not in arrival or level.entrance.x == 2


def test_exits_are_near_what_they_are_to_be_near(tmp_path: Path) -> None:
    text = "features:\n  - {prefab: gate, far_from: {exits: 20}}\n  - {prefab: cross, near: {exits: 30}}\n"
    for level in levels(game(tmp_path, text), 20):
        gate, cross = [each.bounds for each in level.placements]
        for way in level.exits:
            assert steps_to(gate, (1, 1), (level.height, level.width))[way.y, way.x] >= 20
            assert steps_to(cross, (1, 1), (level.height, level.width))[way.y, way.x] <= 30


def test_distances_that_no_cell_has_are_kept_as_far_as_possible_and_the_journal_says_so(
    tmp_path: Path,
) -> None:
    text = "features:\n  - {prefab: gate, where: centre, orientations: r0, far_from: {entrance: 60}}\n"
    for level in levels(game(tmp_path, text, size="50x30"), 5):
        (said,) = told(level, "exits")
        assert "no cell is as far from the map's features as it must be" in said


def test_stairs_lead_where_the_map_says(tmp_path: Path) -> None:
    content = game(
        tmp_path,
        """
        features:
          - {name: mines, prefab: shaft, to: deep, where: north-west half, category: danger}
          - {name: next, stairs: down, to: under/2, from: east}
        """,
    )
    for level in levels(content, 10):
        ways = {way.leads_to: (way.y, way.x) for way in level.exits}
        (shaft,) = level.placements
        assert shaft.bounds.contains(*ways["deep/2"])
        assert shaft.category == "danger"
        assert ways["under/2"][1] == level.width - 3
    for level in levels(content, 3, "under/2"):
        assert "[seed] next: refused, this level does not lead to under/2" in told(level)
        (way,) = level.exits
        assert level.placements[0].bounds.contains(way.y, way.x)


# -- large and small, and what does not fit -------------------------------------------------------


def test_prefabs_from_3x2_to_100x90(tmp_path: Path) -> None:
    rows = ["".join("#" if x % 10 == 0 and y % 9 else "." for x in range(100)) for y in range(90)]
    huge = "huge:\n  map: |\n" + "".join(f"    {row}\n" for row in rows)
    content = load(
        tmp_path,
        {
            **GAME,
            "prefabs/huge.yaml": huge,
            "maps/under.yaml": "under: {name: Under, size: 140x130, features: ["
            "{prefab: huge, required: true}, {prefab: niche, count: 3, required: true}]}",
        },
    )
    for level in levels(content, 2):
        assert sorted(each.bounds.area for each in level.placements) == [6, 6, 6, 9000]


def test_every_place_is_tried_before_a_feature_is_refused(tmp_path: Path) -> None:
    content = game(
        tmp_path,
        """
        features:
          - {prefab: gate, from: [west, east], y: 10, required: true}
          - {blocked: 16x16, at: [0, 4]}
        """,
    )
    for level in levels(content, 10):
        assert level.placements[0].bounds.right == level.width - 1


@pytest.mark.parametrize(
    ("feature", "reason"),
    [
        ("prefab: gate, x: 200", "the map has no such place"),
        (
            "prefab: gate, far_from: {first: 200}",
            "every such place is too near to other features or too far from them",
        ),
        ("prefab: gate, at: [50%, 50%], required: false", "no space is left in such a place"),
        (
            "keep_out: 3x100%, where: middle columns",
            "wherever there is space it would cut off a part of the map",
        ),
    ],
)
def test_what_has_no_place_is_refused_with_the_reason(tmp_path: Path, feature: str, reason: str) -> None:
    text = f"features:\n  - {{name: first, prefab: cross, at: [50%, 50%]}}\n  - {{name: next, {feature}}}\n"
    for level in levels(game(tmp_path, text), 3):
        assert f"[seed] next: refused, {reason}" in told(level)


def test_a_level_is_not_made_without_what_it_must_have(tmp_path: Path) -> None:
    content = game(
        tmp_path,
        "features:\n  - {name: one, prefab: gate, at: [8, 8]}\n  - {name: two, prefab: cross, at: [10, 10]}\n",
    )
    with pytest.raises(GenerationError, match="there is no place for two: no space is left in such a place"):
        dungeon.World(content, 1).level("under/1")


def test_features_are_put_anew_before_one_that_is_needed_is_given_up(tmp_path: Path) -> None:
    # The gate has a place only if the niche does not lie in the middle of it.
    content = game(
        tmp_path,
        """
        features:
          - {name: small, prefab: niche, x: 2..30, y: 2..10}
          - {name: big, prefab: gate, x: 2..4, y: 2..4}
        """,
        size="40x24",
    )
    made = levels(content, 30)
    retried = [level for level in made if any("retried" in line for line in told(level))]
    assert all("gate" in [each.prefab for each in level.placements] for level in made)
    assert 0 < len(retried) < len(made)


# -- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("features: [{prefab: gaet}]", "there is no prefab or tag of this name: gaet (did you mean gate?)"),
        ("features: [{from: north}]", "one of prefab, stairs, blocked, keep_out, quiet is needed here"),
        (
            "features: [{prefab: gate, quiet: 3x3}]",
            "a feature has only one kind, and here 'prefab' says which: quiet",
        ),
        (
            "features: [{blocked: 3x3, no_spawn: true}]",
            "only a feature with 'prefab' or 'stairs' can have this key: no_spawn",
        ),
        (
            "features: [{blocked: three}]",
            "an area is written 3x20 (columns x rows), or {width: ..., height: ...}: three",
        ),
        (
            "features: [{stairs: up, to: deep}]",
            "stairs up can't have 'to': they lead back to the map from which the player comes: to",
        ),
        ("features: [{stairs: sideways}]", "this value is not allowed here: sideways (allowed: down, up)"),
        (
            "features: [{stairs: down, to: deeep}]",
            "there is no map or branch of this name: deeep (did you mean deep?)",
        ),
        (
            "features: [{prefab: gate, at: [3]}]",
            "a list of two coordinates, [column, row], is needed here: [3]",
        ),
        ("features: [{prefab: gate, at: [3, 4], x: 5}]", "'at' gives the position of the feature already: x"),
        (
            "features: [{prefab: gate, shift: [1, 1]}]",
            "'shift' needs a position to count from: 'at', or 'x' and 'y': shift",
        ),
        (
            "features: [{prefab: gate, distance: 3}]",
            "'distance' needs an edge to count from: 'from': distance",
        ),
        (
            "features: [{prefab: gate, from: nord}]",
            "this value is not allowed here: nord (did you mean north?)",
        ),
        (
            "features: [{prefab: gate, where: north-west thrid}]",
            "this value is not allowed here: north-west thrid (did you mean north-west third?)",
        ),
        (
            "features: [{name: a, prefab: gate}, {name: a, prefab: cross}]",
            "another feature of the level has this name: a",
        ),
        (
            "{features: [{name: a, prefab: gate}], variants: {1: {features: [{name: a, prefab: cross}]}}}",
            "another feature of the level has this name: a",
        ),
        (
            "features: [{name: exits, prefab: gate}]",
            "this word has a meaning of its own and can't be a name: exits",
        ),
        (
            "features: [{prefab: gate, far_from: {entrence: 4}}]",
            "the level has no feature of this name: entrence (did you mean entrance?)",
        ),
        (
            "{variants: {1: {features: [{name: a, prefab: gate}]}, 2: {features: [{prefab: gate, near: {a: 4}}]}}}",
            "the level has no feature of this name: a (allowed: entrance, exits)",
        ),
        (
            "features: [{prefab: gate, near: {exits: 4}, far_from: {exits: 9}}]",
            "this distance under 'near' is below the one under 'far_from': exits",
        ),
        (
            "variants: {-1: {}}",
            "a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters): -1",
        ),
        ("variants: {1: {weight: oftn}}", "there is no weight word of this name: oftn"),
        (
            "{layout: {static: {prefab: gate}}, features: [{stairs: up}]}",
            "the layout static draws the whole map, so the map can't have this key: features",
        ),
    ],
)
def test_mistakes_are_refused_when_the_content_is_loaded(tmp_path: Path, features: str, message: str) -> None:
    entry = {"name": "Under", **yaml.safe_load(features)}
    files = {**GAME, "maps/under.yaml": yaml.safe_dump({"under": entry}, default_flow_style=False)}
    with pytest.raises(dungeon.ContentError) as caught:
        load(tmp_path, files)
    (problem,) = caught.value.problems
    assert str(problem).endswith(f"error: map 'under': {message}")
    assert problem.source.line > 1
