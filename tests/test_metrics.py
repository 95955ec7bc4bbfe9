"""Metrics of levels: drawn maps with known answers, and small random maps against brute force."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np
import pytest
from demo import demo_content
from drawn import canvas, mask

import dungeon
from dungeon import Cell, Exit, Level
from dungeon.cli import main
from dungeon.grid.diameter import Diameter, diameter
from dungeon.grid.narrows import cut_cells, dead_ends, narrows
from dungeon.grid.regions import components, distances
from dungeon.grid.routes import contacts, disjoint_routes, fewest_counted, neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DATA = Path(__file__).parent.parent / "data"

pytestmark = pytest.mark.usefixtures("demo_once")


def level_of(text: str) -> Level:
    """Return a level that looks like a picture: '<' is its entrance, and every '>' and 'X' leads on."""
    made = canvas(text)
    ((y, x),) = np.argwhere(made.base == dungeon.terrain.STAIRS_UP).tolist()
    ways = np.argwhere(np.isin(made.base, (dungeon.terrain.STAIRS_DOWN, dungeon.terrain.EXIT))).tolist()
    return Level(
        id="drawn/1", name="Drawn", depth=1, seed=0, terrain=made.terrain, region=made.region,
        terrain_set=made.terrain_set, entrance=Cell(y, x),
        exits=tuple(Exit(y=y, x=x, leads_to=f"drawn/{number}") for number, (y, x) in enumerate(ways, 2)),
        regions=tuple(made.regions), connections=tuple(made.connections), doors=(), placements=(), spawns=(), lights=(), journal=(),
    )  # fmt: skip


def random_masks(count: int, largest: int = 11) -> Iterator[NDArray[np.bool_]]:
    """Yield random masks in one part, ragged and open ones."""
    random = np.random.default_rng(20)
    while count:
        height, width = random.integers(1, largest + 1, 2)
        cells = random.random((height, width)) < random.uniform(0.35, 0.95)
        labels, parts = components(cells)
        if parts:
            yield labels == np.bincount(labels[labels > 0]).argmax()
            count -= 1


# -- whole levels ---------------------------------------------------------------------------------


def test_a_string_of_rooms() -> None:
    told = dungeon.measure(
        level_of("""
            #########################
            #<.+,,,+....#...+,,,'..>#
            #..#####....+...#####...#
            #########################
            """)
    )
    assert told.open == 35 / 100
    assert told.walkable == 35
    assert told.regions == (("corridor", 2), ("room", 4))
    assert (told.rooms, told.dead_ends, told.dead_end_rooms) == (4, 0, 2)
    assert (told.loops, told.islands, told.routes, told.linearity) == (0, 0, 1, 1.0)
    assert told.exits == (24,)
    assert (told.longest, told.longest_bound) == (26, 26)
    assert told.choke_size == 2
    assert [(each.cells[0], each.cells[-1], each.parts) for each in told.chokes] == [
        (Cell(1, 2), Cell(1, 8), (28, 6)),
        (Cell(1, 15), Cell(1, 21), (26, 8)),
        (Cell(2, 11), Cell(2, 13), (17, 17)),
    ]


def test_rooms_along_a_passage_with_loops_and_dead_ends() -> None:
    told = dungeon.measure(
        level_of("""
            #####################
            #..#...#....#.....#>#
            #..#...+....#.....#.#
            ##+##+####+####+###+#
            #,,,,,,,,,,,,,,,,,,,#
            ##+####+####,########
            #....#...<.#,#  #  ##
            #....+.....#,########
            #....#.....#,,,,    #
            #####################
            """)
    )
    assert (told.rooms, told.dead_end_rooms) == (7, 3)
    assert (
        told.dead_ends == 2
    )  # the corridor's western end, and the branch's; at the eastern end there is a door
    assert (told.loops, told.islands) == (2, 2)
    assert told.routes == 1
    assert told.linearity == 2 / 7
    assert told.exits == (19,)


def test_what_cannot_be_reached_is_left_out_and_pillars_are_no_loops() -> None:
    told = dungeon.measure(
        level_of("""
            ##############
            #<....###....#
            #.#.#.###.#..#
            #.....###....#
            ##############
            """)
    )
    assert (told.walkable, told.open) == (13, (13 + 11) / 70)
    assert (told.rooms, told.loops, told.islands) == (2, 0, 2)
    assert (told.routes, told.exits, told.linearity) == (None, (), 1.0)
    assert told.chokes == ()


def test_ways_that_share_no_door_are_routes_of_their_own() -> None:
    two = """
        ###########
        #<..+,,,,,#
        #...###'###
        #...+...>.#
        ###########
        """
    assert dungeon.measure(level_of(two)).routes == 2
    assert dungeon.measure(level_of(two.replace("'", "#"))).routes == 1
    assert dungeon.measure(level_of(two)).loops == 1


def test_linearity_does_not_ask_where_the_entrance_is() -> None:
    string = """
        #################
        #..+..+..+..+..+#
        ###############.#
        #..+..+..+..+...#
        #################
        """
    for y, x in [(1, 1), (1, 7), (1, 14), (3, 8), (3, 2)]:
        rows = [list(row) for row in dedent(string).strip().split("\n")]
        rows[y][x] = "<"
        assert dungeon.measure(level_of("\n".join(map("".join, rows)))).linearity == 1.0


def test_locked_and_secret_doors_can_be_passed_and_water_can_not() -> None:
    told = dungeon.measure(
        level_of("""
            ############
            #<.L..s..~.#
            ############
            """)
    )
    assert told.walkable == 8
    assert told.longest == 7


def test_an_entrance_in_a_wall_cannot_be_measured() -> None:
    level = level_of("###\n#<#\n###")
    walled = level.terrain.copy()
    walled[1, 1] = dungeon.terrain.WALL
    with pytest.raises(ValueError, match="entrance at y 1, x 1"):
        dungeon.measure(replace(level, terrain=walled))


def test_a_single_cell_can_be_measured() -> None:
    told = dungeon.measure(level_of("###\n#<#\n###"))
    assert (told.walkable, told.longest, told.longest_bound, told.chokes) == (1, 0, 0, ())


def test_numbers_of_the_own_maps_agree_with_brute_force() -> None:
    world = dungeon.World(demo_content(), 0)
    for node in world.maps[::2]:
        level = world.level(node.id)
        told = dungeon.measure(level)
        passable = level.terrain_set.passable[level.terrain]
        away = distances(passable, [level.entrance], level.leaps)
        assert told.exits == tuple(int(away[way.y, way.x]) for way in level.exits)
        assert told.longest == told.longest_bound >= max(told.exits, default=0)
        _, solid = components(np.pad(~passable, 1, constant_values=True))
        assert told.islands <= solid - 1  # pieces that touch at a corner are one island
        assert 0 <= told.dead_end_rooms <= told.rooms
        assert told.linearity is None or 0 < told.linearity <= 1
        for choke in told.chokes:
            assert choke.parts[1] >= told.choke_size
            for cell in choke.cells:
                without = passable.copy()
                without[cell] = False
                labels, _ = components(without)
                sizes = np.bincount(labels[labels > 0])
                assert (sizes >= told.choke_size).sum() >= 2


# -- how far --------------------------------------------------------------------------------------


def test_the_longest_way_is_exact() -> None:
    for cells in random_masks(250):
        farthest = max(int(distances(cells, [(y, x)])[cells].max()) for y, x in np.argwhere(cells).tolist())
        assert diameter(cells) == Diameter(farthest, farthest)


def test_with_few_sweeps_there_are_bounds() -> None:
    loose = 0
    for cells in random_masks(100):
        exact, few = diameter(cells), diameter(cells, most=4)
        assert few.low <= exact.low <= few.high
        loose += few.low < few.high
    assert loose


def test_only_one_part_can_be_measured() -> None:
    with pytest.raises(ValueError, match="empty"):
        diameter(mask("..\n.."))
    with pytest.raises(ValueError, match="several parts"):
        diameter(mask("#.#"))


# -- choke points ---------------------------------------------------------------------------------


def test_cut_cells_are_those_whose_loss_splits_the_mask() -> None:
    for cells in random_masks(250):
        wanted = {}
        for y, x in np.argwhere(cells).tolist():
            rest = cells.copy()
            rest[y, x] = False
            labels, parts = components(rest)
            if parts > 1:
                wanted[y, x] = tuple(sorted(np.bincount(labels[labels > 0])[1:].tolist(), reverse=True))
        assert cut_cells(cells) == wanted


def drawn_narrows(text: str, least: int) -> list[str]:
    """Return a picture of each narrow, with 'o' for its cells."""
    cells = mask(text)
    found = []
    for narrow in narrows(cells, least):
        chars = np.where(cells, "#", ".")
        for cell in narrow.cells:
            chars[cell] = "o"
        found.append("/".join("".join(row) for row in chars.tolist()))
    return found


def test_a_passage_is_one_narrow_however_long() -> None:
    text = "###...###\n#########\n###...###"
    assert drawn_narrows(text, 3) == ["###...###/##ooooo##/###...###"]
    assert narrows(mask(text), 3)[0].parts == (10, 10)
    assert drawn_narrows(text, 12) == []


def test_nooks_off_a_passage_do_not_divide_it() -> None:
    text = "###..#..###\n###########\n###.....###"
    assert drawn_narrows(text, 3) == ["###..#..###/##ooooooo##/###.....###"]


def test_where_passages_meet_is_counted_with_none() -> None:
    text = """
        ##...##
        #######
        ...#...
        ..###..
        ..###..
        """
    assert drawn_narrows(text, 3) == [
        "##...##/#oo####/...#.../..###../..###..",
        "##...##/####oo#/...#.../..###../..###..",
        "##...##/#######/...o.../..#o#../..###..",
    ]


def test_where_large_parts_touch_in_one_cell_is_a_narrow() -> None:
    assert drawn_narrows("##...\n##...\n.####\n...##\n...##", 3)[0].count("o") >= 1
    assert drawn_narrows("##.\n###\n.##", 3) == ["##./#o#/.##"]


# -- dead ends ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("###", [(0, 0), (0, 2)]),
        ("..#..\n..#..\n#####", [(0, 2), (2, 0), (2, 4)]),
        ("##.\n##.\n##.\n###", [(0, 0), (3, 2)]),  # its southern end has a way out on its side
        ("###\n###\n###", []),  # as wide as long: a hall
        ("######\n######\n######", [(0, 0), (0, 5)]),
        ("###\n###\n###\n.#.\n.#.", [(0, 0), (4, 1)]),  # a hall with one way in is one
        ("###\n###\n.#.", [(2, 1)]),
        ("#..#\n####", [(0, 0), (0, 3)]),
        ("####\n#..#\n####", []),
    ],
)
def test_passages_end_where_nothing_leads_on(text: str, ends: list[tuple[int, int]]) -> None:
    cells = mask(text)
    assert dead_ends(cells, cells) == ends
    for turn in range(4):
        turned = np.rot90(cells, turn)
        assert len(dead_ends(turned, turned)) == len(ends)


def test_narrow_ends_are_cells_with_one_neighbour() -> None:
    for cells in random_masks(150):
        framed = np.pad(cells, 1)
        beside = framed[2:, 1:-1].astype(int) + framed[:-2, 1:-1] + framed[1:-1, 2:] + framed[1:-1, :-2]
        single = {(y, x) for y, x in np.argwhere(cells & (beside == 1)).tolist()}
        assert single <= set(dead_ends(cells, cells))
        nowhere = np.zeros_like(cells)
        assert dead_ends(cells, nowhere) == []


def test_ends_outside_of_passages_do_not_count() -> None:
    cells = mask("####")
    passages = mask("###.")
    assert dead_ends(cells, passages) == [(0, 0)]


# -- routes ---------------------------------------------------------------------------------------


def labels(text: str) -> NDArray[np.int32]:
    return np.array([[int(char) if char != "." else 0 for char in row] for row in text.split()], np.int32)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12 12 12", [(1, 2)]),
        ("112 .22 112", [(1, 2), (1, 2)]),
        ("112 122 ...", [(1, 2)]),
        ("111 1.2 111", [(1, 2), (1, 2)]),
        ("121 ... 333", [(1, 2), (1, 2)]),
        ("123 123", [(1, 2), (2, 3)]),
    ],
)
def test_areas_touch_once_for_each_place(text: str, wanted: list[tuple[int, int]]) -> None:
    assert contacts(labels(text)) == wanted


def brute_routes(edges: list[tuple[int, int]], start: int, goal: int) -> int:
    """Return the fewest edges that must be taken away to part start and goal."""
    for count in range(len(edges) + 1):
        for gone in combinations(range(len(edges)), count):
            reached, queue = {start}, [start]
            for area in queue:
                for index, edge in enumerate(edges):
                    if area in edge and index not in gone:
                        other = edge[0] + edge[1] - area
                        if other not in reached:
                            reached.add(other)
                            queue.append(other)
            if goal not in reached:
                return count
    raise AssertionError(edges)


def test_disjoint_routes_are_as_many_as_must_be_cut() -> None:
    random = np.random.default_rng(3)
    seen = Counter()
    for _ in range(150):
        edges = [
            (min(a, b), max(a, b))
            for a, b in random.integers(1, 6, (int(random.integers(1, 9)), 2)).tolist()
            if a != b
        ]
        routes = disjoint_routes(edges, 1, 5)
        assert routes == brute_routes(edges, 1, 5)
        seen[routes] += 1
    assert {0, 1, 2, 3} <= set(seen)
    with pytest.raises(ValueError, match="start and goal"):
        disjoint_routes([(1, 2)], 1, 1)


def test_the_fewest_counted_areas_on_the_way() -> None:
    beside = neighbours([(1, 2), (2, 3), (3, 4), (1, 5), (5, 6), (4, 6)])
    assert fewest_counted(beside, 1, frozenset({1, 2, 3, 4})) == {1: 1, 2: 2, 5: 1, 6: 1, 4: 2, 3: 3}
    assert fewest_counted({}, 7, frozenset()) == {7: 0}


# -- the command ----------------------------------------------------------------------------------


def test_a_map_is_shown_with_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "cisterns/2", "--seed", "1", "--metrics", "--data", str(DATA)]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = dungeon.measure(dungeon.World(demo_content(), 1).level("cisterns/2"))
    below = {line[2:15].strip(): line[16:] for line in lines[61:]}
    assert below["longest way"] == f"{told.longest} steps"
    assert below["exits"] == f"{', '.join(map(str, told.exits))} steps from the entrance"
    assert below["loops"].startswith(f"{told.loops}; {told.islands} island")
    assert below["choke points"].startswith(
        f"{len(told.chokes)} that cut off {told.choke_size} cells or more"
    )
    assert list(below) == [
        "open", "regions", "dead ends", "loops", "routes", "exits", "longest way", "choke points", "linearity"
    ]  # fmt: skip


def test_numbers_are_compared_over_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["show", "galleries", "--seed", "5", "--metrics", "--times", "3", "--data", str(DATA)]
    assert main(call) == 0
    title, heading, *rows = capsys.readouterr().out.splitlines()
    assert title == "galleries/1: 3 levels, seeds 5 to 7"
    assert heading.split() == ["min", "median", "max"]
    content = demo_content()
    told = [dungeon.measure(dungeon.World(content, seed).level("galleries/1")) for seed in (5, 6, 7)]
    (longest,) = [row.split()[-3:] for row in rows if row.startswith("  longest way")]
    assert [int(cell) for cell in longest] == sorted(each.longest for each in told)
    assert main([*call, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [each["seed"] for each in printed["levels"]] == [5, 6, 7]
    assert [each["loops"] for each in printed["levels"]] == [each.loops for each in told]
    assert printed["spread"]["longest way"]["median"] == sorted(each.longest for each in told)[1]


def test_numbers_that_a_map_has_not_are_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "order_room", "--metrics", "--times", "1", "--data", str(DATA)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[-3:] for row in rows if "exit" in row] == [["-"] * 3] * 2
    assert main(["show", "order_room", "--metrics", "--json", "--data", str(DATA)]) == 0
    assert json.loads(capsys.readouterr().out)["levels"][0]["routes"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pool", "--metrics"], "pool is a prefab; --metrics is for maps"),
        (["pool", "--metrics", "--times", "2"], "pool is a prefab; --metrics is for maps"),
        (["x.xp", "--metrics"], "x.xp is a drawing; --metrics is for maps"),
        (["x.xp", "--metrics", "--json"], "x.xp is a drawing; --metrics is for maps"),
        (["galleries", "--metrics", "--json", "--png", "x.png"], "--json and --png can't be used together"),
        (
            ["galleries", "--metrics", "--times", "2", "--png", "x.png"],
            "--png can't be used with --metrics --times, which prints only numbers",
        ),
        (["galleries", "--json"], "--json needs --metrics"),
        (["galleries", "--metrics", "--times", "0"], "a number from 1 to 1000 is needed"),
        (
            ["galleries", "--times", "2"],
            "galleries is a map; --times is for prefabs, or for maps with --metrics",
        ),
        (["galeries", "--metrics", "--json"], "did you mean galleries?"),
    ],
)
def test_numbers_that_cannot_be_asked_for(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    try:
        code = main(["show", *arguments, "--data", str(DATA)])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert message in capsys.readouterr().err
