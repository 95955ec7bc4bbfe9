"""Highlights: their tints as pictures, their legends, and tints that can be told apart with colour blindness."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest
from demo import demo_content
from drawn import canvas
from PIL import Image
from tcod.console import rgb_graphic

import dungeon
from dungeon import Cell, Exit, Level, Placement, Rect, Spawn
from dungeon.adapters import highlights as h
from dungeon.adapters.animation import FRESH
from dungeon.adapters.console import TILE
from dungeon.cli import main
from dungeon.content.models.encounters import CategoryEntry
from dungeon.core.vocabulary import HIGHLIGHTS, Highlight
from dungeon.grid.graph import colouring
from dungeon.grid.regions import FAR, distances, way_down
from dungeon.grid.routes import on_cycles
from dungeon.level.flow import find_flow

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = Path(__file__).parent.parent / "data"

pytestmark = pytest.mark.usefixtures("demo_once")

MARKS = {"orange": "w", "brown": "a", "blue": "o", "grey": "s", "violet": "e", "sky": "S", "green": "g",
         "red": "r", "amber": "y"}  # fmt: skip


def level_of(text: str, placements: Sequence[Placement] = (), spawns: Sequence[Spawn] = ()) -> Level:
    """Return a level that looks like a picture: '<' is its entrance, and every '>' and 'X' leads on."""
    made = canvas(dedent(text))
    t = dungeon.terrain
    (entrance,) = np.argwhere(made.base == t.STAIRS_UP).tolist()
    ways = np.argwhere(np.isin(made.base, (t.STAIRS_DOWN, t.EXIT))).tolist()
    return Level(
        id="drawn/1", name="Drawn", depth=1, seed=0, terrain=made.terrain, region=made.region,
        terrain_set=made.terrain_set, entrance=Cell(*entrance),
        exits=tuple(Exit(y=y, x=x, leads_to=f"map/{number}") for number, (y, x) in enumerate(ways, 2)),
        regions=tuple(made.regions), connections=tuple(made.connections), doors=(), placements=tuple(placements), spawns=tuple(spawns),
        lights=(), journal=(),
    )  # fmt: skip


def seen(level: Level, highlight: Highlight) -> str:
    """Return the terrain with the mark of its tint's hue on every cell that is tinted."""
    rows = [list(row) for row in dungeon.to_text(level, spawns=False).splitlines()]
    for tint in h.tints(level, highlight):
        for y, x in np.argwhere(tint.cells).tolist():
            rows[y][x] = MARKS[tint.hue.name]
    return "\n".join("".join(row).rstrip() for row in rows)


def told(level: Level, highlight: Highlight) -> list[str]:
    """Return the legend."""
    return [f"{meaning.hue.name}: {meaning.text}" for meaning in h.legend(level, highlight)]


def is_picture(drawn: str, expected: str) -> bool:
    """Tell whether a drawing is what is expected, which is indented."""
    return drawn.strip("\n") == dedent(expected).strip("\n")


def placement(bounds: Rect, encounter: str = "", category: str = "danger") -> Placement:
    """Return something that has been placed."""
    return Placement(
        encounter=encounter, category=category, prefab="p", mode="m", orientation="r0", region=0, bounds=bounds
    )  # fmt: skip


def spawn(kind: str, y: int, *xs: int) -> Spawn:
    """Return something that stands on these cells of a row."""
    cells = tuple(Cell(y, x) for x in xs)
    return Spawn(kind=kind, tag=kind, name=kind, y=y, x=xs[0], glyph="x", fg=(1, 2, 3), cells=cells)


# -- flow -----------------------------------------------------------------------------------------


def test_the_main_way_its_loops_and_side_branches() -> None:
    level = level_of("""
        #######   #######
        #<..#.#####.....#
        #...+.+...#.....#
        #...#.#...+.....#
        ##+####+#########
         #,,,,,,,,,,,,#
         #,##########,###
         #+###      #,..#
        #....#      #+###
        #....+,,#  #...>#
        ########   ######
        """)
    assert is_picture(
        seen(level, "flow"),
        """
        #######   #######
        #wwa#o#####eeeee#
        #awaoooooo#eeeee#
        #awa#o#oooseeeee#
        ##w####o#########
         #wwwwwwwwwwww#
         #a##########w###
         #s###      #wee#
        #ssss#      #w###
        #sssssee#  #awww#
        ########   ######
        """,
    )
    assert told(level, "flow") == [
        "orange: main way: 22 steps to map/2",
        "brown: on the main way",
        "blue: on a loop beside the main way; 1 loop in all",
        "violet: end of a side branch",
        "grey: side branch, with one way back",
    ]


def test_main_ways_to_several_exits_and_to_one_that_is_out_of_reach() -> None:
    level = level_of("""
        #########
        #>..<..>#
        #########
        #......>#
        #########
        """)
    assert is_picture(
        seen(level, "flow"),
        """
        #########
        #wwwwwww#
        #########
        #......>#
        #########
        """,
    )
    assert told(level, "flow") == ["orange: main way: 3 steps to map/2, 3 steps to map/3, no way to map/4"]


def test_where_nothing_leads_on_the_main_way_is_the_longest() -> None:
    level = level_of("""
        ########
        #.<....#
        ########
        """)
    assert is_picture(seen(level, "flow"), "########\n#awwwww#\n########")
    assert told(level, "flow")[0] == "orange: main way: 4 steps to the farthest cell, as nothing leads on"


def test_an_entrance_in_a_wall_is_refused() -> None:
    level = level_of("###\n#<#\n###")
    with pytest.raises(ValueError, match="the entrance at y 0, x 9 can't be walked on"):
        find_flow(level.walkable, level.region, Cell(0, 9), [])


def on_cycles_by_trial(edges: Sequence[tuple[int, int]], trunk: set[int]) -> set[int]:
    """Return the areas that touch another one in a place that can be closed without cutting anything off."""

    def reach(closed: int) -> set[int]:
        found = set(trunk)
        for _ in edges:
            for number, (a, b) in enumerate(edges):
                if number != closed and (a in found or b in found):
                    found |= {a, b}
        return found

    whole = reach(-1)
    open_ = {area for number, edge in enumerate(edges) if reach(number) == whole for area in edge}
    return (open_ & whole) - trunk


def test_areas_on_cycles_are_those_that_trials_find() -> None:
    random = np.random.default_rng(6)
    for _ in range(150):
        areas = int(random.integers(2, 9))
        pairs = random.integers(0, areas, (int(random.integers(1, 13)), 2)).tolist()
        edges = sorted((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
        trunk = {0} | {b for a, b in edges[:2] if a == 0}
        assert on_cycles(edges, trunk) == on_cycles_by_trial(edges, trunk), (edges, trunk)


def test_a_way_down_is_a_shortest_one_in_steps_to_the_four_sides() -> None:
    random = np.random.default_rng(3)
    for _ in range(50):
        mask = random.random((9, 12)) < 0.75
        mask[4, 4] = True
        away = distances(mask, [(4, 4)])
        for end in np.argwhere(away < FAR).tolist():
            way = way_down(away, Cell(*end))
            assert (way[0], way[-1], len(way)) == (Cell(*end), Cell(4, 4), away[tuple(end)] + 1)
            assert all(mask[cell] for cell in way)
            assert all(abs(a.y - b.y) + abs(a.x - b.x) == 1 for a, b in pairwise(way))


# -- encounters, features, spawns -----------------------------------------------------------------

ROOM = """
    ##########
    #........#BB
    #.<.....>#BB
    ##########
    """
PLACED = (
    placement(Rect(1, 1, 1, 2)),
    placement(Rect(1, 3, 1, 2), "e"),
    placement(Rect(1, 5, 1, 2), "e", "reward"),
)


def test_a_prefab_that_the_map_asked_for_has_a_tint_of_its_own_among_encounters() -> None:
    level = level_of(ROOM, PLACED)
    assert is_picture(
        seen(level, "encounters"),
        """
        ##########
        #eerrgg..#
        #.<.....>#
        ##########
        """,
    )
    assert told(level, "encounters") == [
        "green: reward: 1 encounter",
        "red: danger: 1 encounter",
        "violet: feature of the map: 1 prefab",
    ]


def test_features_are_prefabs_of_the_map_barriers_and_stairs() -> None:
    level = level_of(ROOM, PLACED)
    assert is_picture(
        seen(level, "features"),
        """
        ##########
        #ee......#aa
        #.S.....S#aa
        ##########
        """,
    )
    assert told(level, "features") == [
        "sky: stairs, of features or not: 2",
        "violet: feature of the map: 1 prefab",
        "brown: barrier, where nothing is dug: 4 cells",
    ]


def test_a_category_of_the_author_has_the_tint_that_the_content_gives_it() -> None:
    own = replace(placement(Rect(1, 3, 1, 2), "e", "lore"), tint=(8, 96, 104))
    other = replace(placement(Rect(1, 5, 1, 2), "e", "fluff"), tint=(112, 60, 24))
    level = level_of(ROOM, (own, other))
    assert told(level, "encounters") == ["#086068: lore: 1 encounter", "brown: fluff: 1 encounter"]
    tints = {tint.hue.colour: np.argwhere(tint.cells).tolist() for tint in h.tints(level, "encounters")}
    assert tints == {(8, 96, 104): [[1, 3], [1, 4]], (112, 60, 24): [[1, 5], [1, 6]]}


def test_spawns_are_tinted_by_kind_the_one_on_top() -> None:
    level = level_of(
        ROOM, (), [spawn("robot", 1, 1), spawn("debris", 1, 1), spawn("prop", 1, 3, 4), spawn("item", 2, 4)]
    )
    assert is_picture(
        seen(level, "spawns"),
        """
        ##########
        #r.oo....#
        #.<.g...>#
        ##########
        """,
    )
    assert told(level, "spawns") == ["red: robot: 1", "blue: prop: 1", "green: item: 1"]


def test_an_empty_level_has_no_legend() -> None:
    level = level_of("####\n#<.#\n####")
    assert told(level, "encounters") == told(level, "spawns") == []
    assert np.array_equal(dungeon.to_console(level, "encounters").rgb, dungeon.to_console(level).rgb)


# -- regions --------------------------------------------------------------------------------------


def test_regions_are_tinted_by_kind() -> None:
    level = level_of("""
        #######
        #<.+,,###
        ####,::>#
        #########
        """)
    assert is_picture(
        seen(level, "regions"),
        """
        #######
        #oo+ss###
        ####sggo#
        #########
        """,
    )
    assert told(level, "regions") == [
        "blue: room: 2 regions",
        "grey: corridor: 1 region",
        "green: cave: 1 region",
    ]


@pytest.fixture(scope="module")
def levels() -> list[Level]:
    world = dungeon.World(demo_content(), 4)
    return [world.level(node.id) for node in world.maps]


def test_regions_beside_each_other_never_look_alike(levels: list[Level]) -> None:
    for level in levels:
        tinted = dungeon.to_console(level, "regions").rgb["bg"].astype(int)
        looks = {each.id: tinted[tuple(np.argwhere(level.region == each.id)[0])] for each in level.regions}
        for a, b in h._close(level.region):
            assert np.abs(looks[a] - looks[b]).max() > 12, (level.id, a, b)
        inside = level.region > 0
        assert all(
            np.array_equal(tinted[y, x], looks[level.region[y, x]]) for y, x in np.argwhere(inside).tolist()
        )
        assert np.array_equal(tinted[~inside], dungeon.to_console(level).rgb["bg"][~inside])


def test_unknown_regions_are_not_tinted() -> None:
    level = level_of("#######\n#<.+..#\n#######")
    region = level.region.copy()
    region[1, 4:6] = 9
    region[1, 1] = 8
    region[1, 2] = 7
    level = replace(level, region=region)
    assert is_picture(seen(level, "regions"), "#######\n#<.+..#\n#######")


def test_nodes_of_an_edge_differ_in_colour_and_few_colours_do() -> None:
    random = np.random.default_rng(2)
    for _ in range(100):
        nodes = [7 * each for each in range(int(random.integers(1, 15)))]
        edges = [pair for pair in combinations(nodes, 2) if random.random() < 0.4]
        colours = colouring(nodes, edges)
        assert list(colours) == nodes
        assert all(colours[a] != colours[b] for a, b in edges)
        most = max((sum(node in edge for edge in edges) for node in nodes), default=0)
        assert max(colours.values()) <= most
    ladder = [(a, b) for a, b in combinations(range(12), 2) if b - a == 2 or (b - a == 1 and not a % 2)]
    assert set(colouring(range(12), ladder).values()) == {0, 1}
    assert colouring([], []) == {}


# -- all of them ----------------------------------------------------------------------------------


def test_every_highlight_has_a_view() -> None:
    assert tuple(h.VIEWS) == HIGHLIGHTS == get_args(Highlight)


@pytest.mark.parametrize("wrong", ["rooms", "", "Flow", ["flow"], 3])
def test_an_unknown_highlight_is_refused(levels: list[Level], wrong: object) -> None:
    said = f"there is no highlight {wrong!r}, only encounters, features, flow, regions, spawns, zones"
    for draw in (dungeon.to_console, dungeon.to_image, h.legend):
        with pytest.raises(ValueError, match="there is no highlight") as error:
            draw(levels[0], wrong)
        assert str(error.value).startswith(said)


@pytest.mark.parametrize("highlight", HIGHLIGHTS)
def test_a_highlight_changes_only_backgrounds(levels: list[Level], highlight: Highlight) -> None:
    for level in levels:
        plain, tinted = dungeon.to_console(level).rgb, dungeon.to_console(level, highlight).rgb
        for layer in ("ch", "fg"):
            assert np.array_equal(plain[layer], tinted[layer])
        cells = np.zeros(level.terrain.shape, np.bool_)
        for tint in h.tints(level, highlight):
            assert tint.cells.any()
            cells |= tint.cells
        assert np.array_equal(plain["bg"][~cells], tinted["bg"][~cells])
        known = {tint.hue.colour for tint in h.tints(level, highlight)}
        assert {tuple(colour) for colour in tinted["bg"][cells].tolist()} <= known


@pytest.mark.parametrize("highlight", HIGHLIGHTS)
def test_the_last_frame_of_a_recording_is_tinted_like_its_level(
    levels: list[Level], highlight: Highlight
) -> None:
    world = dungeon.World(demo_content(), 4)
    for level in levels[:1]:
        frames = dungeon.Recording(world.steps(level.id))
        assert frames[-1].kinds == level.kinds
        drawn = [dungeon.to_console(each, highlight).rgb for each in (frames[-1], level)]
        assert np.array_equal(*drawn)
        for frame in frames[:: max(1, len(frames) // 12)]:
            dungeon.to_console(frame, highlight)


def test_a_frame_knows_kinds_that_change_later() -> None:
    made = canvas("#####\n#...#\n#####")
    steps = [dungeon.Step(dungeon.Phase.LAYOUT, message, made) for message in ("before", "after")]
    recording = dungeon.Recording(unrooming(steps, made))
    assert [frame.kinds for frame in recording] == [{1: "room"}, {1: "zone"}]


def unrooming(steps: Sequence[dungeon.Step], made: dungeon.level.canvas.Canvas):
    """Yield steps, between which the only room becomes a zone."""
    for step in steps:
        yield step
        made.room_to_zone(1)


def test_of_a_prefab_without_a_map_only_spawns_are_tinted() -> None:
    sample = dungeon.sample_prefab(demo_content(), "slag_pit")
    for highlight in HIGHLIGHTS:
        tinted = dungeon.to_console(sample, highlight).rgb["bg"] != dungeon.to_console(sample).rgb["bg"]
        assert tinted.any() == (highlight == "spawns" and bool(sample.spawns))


def test_tiles_are_those_of_tcod() -> None:
    assert rgb_graphic == TILE


# -- colours --------------------------------------------------------------------------------------

SIGHT = {
    "all colours": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
"""What eyes that lack a sort of cone make of linear RGB, by Machado, Oliveira and Fernandes (2009)."""

XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = XYZ.sum(axis=1)
GROUND = (14, 12, 10)

USED_TOGETHER = {
    "encounters": [h.FEATURE, *h.CATEGORY_HUES.values(), h.NAMED[CategoryEntry().colour]],
    "features": [h.BROWN, h.FEATURE, h.PIECE, h.SKY],
    "flow": [h.ORANGE, h.BROWN, h.BLUE, h.GREY, h.VIOLET],
    "regions": [*h.REGION_HUES.values()],
    "spawns": [*h.SPAWN_HUES.values()],
    "zones": [h.GATE, *h.ZONE_HUES],
}


def linear(colour: Sequence[int]) -> np.ndarray:
    """Return sRGB as light."""
    share = np.array(colour) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(colour: Sequence[int], sight: Sequence[Sequence[float]]) -> np.ndarray:
    """Return CIE L*a*b* of what somebody sees."""
    xyz = XYZ @ np.clip(np.array(sight) @ linear(colour), 0, 1) / WHITE
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("highlight", HIGHLIGHTS)
def test_everybody_can_tell_the_tints_apart(highlight: Highlight, sight: str) -> None:
    assert set(USED_TOGETHER) == set(HIGHLIGHTS)
    colours = [GROUND, *(hue.colour for hue in USED_TOGETHER[highlight])]
    for one, other in combinations(colours, 2):
        apart = np.linalg.norm(lab(one, SIGHT[sight]) - lab(other, SIGHT[sight]))
        assert apart > 15, (one, other)
    if highlight != "spawns":  # what is new in a film has a colour that is no tint's
        assert all(
            np.linalg.norm(lab(FRESH, SIGHT[sight]) - lab(each, SIGHT[sight])) > 12 for each in colours
        )


def test_the_used_tints_are_the_compared_ones(levels: list[Level]) -> None:
    for highlight in HIGHLIGHTS:
        names = {hue.name for hue in USED_TOGETHER[highlight]}
        assert {meaning.hue.name for level in levels for meaning in h.legend(level, highlight)} <= names


def test_light_characters_stay_legible_on_tints() -> None:
    for hue in {*(hue for hues in USED_TOGETHER.values() for hue in hues)}:
        light = float(XYZ[1] @ linear(hue.colour))
        assert 1.05 / (light + 0.05) > 4.5, hue  # WCAG 2, level AA


# -- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("highlight", HIGHLIGHTS)
def test_the_legend_is_printed_below_the_map(
    highlight: Highlight, levels: list[Level], capsys: pytest.CaptureFixture[str]
) -> None:
    expected = [f"  {meaning.hue.name:7} {meaning.text}" for meaning in h.legend(levels[0], highlight)]
    call = ["show", levels[0].id, "--seed", "4", "--data", str(DATA), "--highlight", highlight]
    assert main(call) == 0
    out = capsys.readouterr().out.splitlines()
    caption = levels[0].height
    assert out[caption].startswith(levels[0].id)
    assert out[caption + 1 : caption + 1 + len(expected)] == expected
    assert main([*call, "--colour", "always"]) == 0
    coloured = capsys.readouterr().out.splitlines()[caption + 1 :]
    for meaning, line in zip(h.legend(levels[0], highlight), coloured, strict=False):
        assert line.startswith("  \x1b[48;2;{};{};{}m  \x1b[0m ".format(*meaning.hue.colour))


def test_seeded_prefabs_are_listed_as_features(
    levels: list[Level], capsys: pytest.CaptureFixture[str]
) -> None:
    level = next(level for level in levels if any(each.mode == "seeded" for each in level.placements))
    seeded = [each for each in level.placements if each.mode == "seeded"]
    assert main(["show", level.id, "--seed", "4", "--data", str(DATA), "--highlight", "encounters"]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if " seeded (" in line]
    assert len(listed) == len(seeded)
    for line, each in zip(listed, seeded, strict=True):
        assert line.startswith(f"  feature seeded ({each.prefab} {each.orientation}) ")


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("region", " (did you mean regions?)"), ("enconters", " (did you mean encounters?)"), ("x", "")],
)
def test_a_wrong_highlight_is_answered_with_the_known_ones(
    wrong: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("show", "watch"):
        with pytest.raises(SystemExit) as end:
            main([command, "foundry", "--highlight", wrong])
        assert end.value.code == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert said == (
            f"dungeon {command}: error: argument --highlight: there is no highlight {wrong!r}, "
            f"only encounters, features, flow, regions, spawns, zones{hint}"
        )


def test_steps_are_animated_with_the_main_way(tmp_path: Path) -> None:
    call = ["show", "tinnings", "--data", str(DATA), "--frames", "6", "--gif"]
    colours = {}
    for name, more in (("plain", []), ("flow", ["--highlight", "flow"])):
        file = tmp_path / f"{name}.gif"
        assert main([*call, str(file), *more]) == 0
        with Image.open(file) as picture:
            picture.seek(picture.n_frames - 1)
            colours[name] = {colour for _, colour in picture.convert("RGB").getcolors(1 << 20)}
    assert h.ORANGE.colour in colours["flow"] - colours["plain"]
