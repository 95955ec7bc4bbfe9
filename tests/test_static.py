"""The layout static: a drawing is the map, whatever its author left open, closed or out of reach."""

from random import Random

import numpy as np
import pytest
from drawn import OBJECTS, load, write
from walker import pockets as lost

import dungeon
from dungeon import GenerationError, Orientation, prove
from dungeon import terrain as t


def game(tmp_path, drawn, *, legend="{}", exits=1, references="", weights="", **params):
    """Return a world whose first map is a drawing."""
    chosen = ", ".join(f"{key}: {value}" for key, value in {"prefab": "hall", **params}.items())
    body = "\n".join("    " + row for row in drawn.split("\n"))
    refs = (
        "  references: |\n" + "\n".join("    " + row for row in references.split("\n")) if references else ""
    )
    folder = write(
        tmp_path,
        {
            **OBJECTS,
            **({"weights.yaml": f"common: 1\n{weights}: 0\n"} if weights else {}),
            "prefabs/hall.yaml": f"hall:\n  legend: {legend}\n  map: |\n{body}\n{refs}\n",
            "maps/m.yaml": f"m: {{name: M, layout: {{static: {{{chosen}}}}}}}\n",
            "world.yaml": "start: m/1\nleads_to: {m/1: ["
            + ", ".join(f"m/{depth}" for depth in range(2, 2 + exits))
            + "]}\n",
        },
    )
    return dungeon.World(dungeon.load_content(folder), 3)


def level_of(tmp_path, drawn, **more):
    """Return the level of a drawing."""
    return game(tmp_path, drawn, **more).level("m/1")


def lines(level, *, spawns=True):
    """Return a level's rows."""
    return [row.rstrip() for row in dungeon.to_text(level, spawns=spawns).splitlines()]


def reasons(level):
    """Return what the journal notes about the drawing."""
    return [each.reason for each in level.journal if each.stage == "layout"]


OPEN = """\
......
.#..#.
>....<"""


def test_a_frame_closes_a_drawing_with_open_borders(tmp_path):
    level = level_of(tmp_path, OPEN)
    assert lines(level) == ["########", "#......#", "#.#..#.#", "#>....<#", "########"]
    assert (level.entrance, [(way.y, way.x) for way in level.exits]) == ((3, 6), [(3, 1)])
    assert [(each.kind, each.bounds, each.sealed) for each in level.regions] == [
        ("prefab", (1, 1, 3, 6), False)
    ]


def test_without_a_frame_the_outermost_cells_become_walls(tmp_path):
    level = level_of(tmp_path, "......\n.<..>.\n.#..#.\n>....<", frame=0)
    assert lines(level) == ["######", "#<..>#", "##..##", "######"]


def test_wider_frames_are_earth(tmp_path):
    level = level_of(tmp_path, "<..>", frame=3)
    assert lines(level) == ["", "", "  ######", "  #<..>#", "  ######", "", ""]


POCKETS = """\
#############
#<..#..#....#
#...#..#.##.#
#...#..#.#.+#
#...#..#.####
######...#.##
#.#...##.##.#
###.>.#..#..#
#############"""


def test_pockets_can_be_joined_filled_or_sealed(tmp_path):
    joined = level_of(tmp_path / "join", POCKETS)
    assert [region.sealed for region in joined.regions] == [False]
    assert reasons(joined)[-1].endswith("of the drawing cannot be reached: join")
    was_open = np.array([[char in ".<>+" for char in row] for row in POCKETS.split("\n")])
    walked = joined.walkable[1:-1, 1:-1]
    assert walked[was_open].all()
    assert 3 <= (walked & ~was_open).sum() <= 9
    filled = level_of(tmp_path / "fill", POCKETS, pockets="fill")
    assert int((filled.base > t.BLOCKED).sum()) == 12
    assert [region.bounds for region in filled.regions] == [(2, 2, 4, 3)]
    sealed = level_of(tmp_path / "seal", POCKETS, pockets="seal")
    assert [region.sealed for region in sealed.regions] == [False, *[True] * 5]
    assert [way.y < 6 for way in sealed.exits] == [True]
    assert sealed.base[1:-1, 1:-1][was_open].min() > t.BLOCKED


def test_stairs_in_pockets(tmp_path):
    drawn = "<..#.>.#..>"
    joined = level_of(tmp_path / "join", drawn, exits=2)
    assert [way.x for way in joined.exits] == [6, 11]
    filled = level_of(tmp_path / "fill", drawn, pockets="fill", exits=2)
    assert lines(filled)[1] == "#<>>#   #"
    sealed = level_of(tmp_path / "seal", drawn, pockets="seal", exits=2)
    assert lines(sealed)[1] == "#<>>#...#...#"


def test_ways_are_not_dug_through_blocked_terrain(tmp_path):
    legend = '{"B": blocked}'
    around = level_of(tmp_path / "around", "<...B....\n....B....\n.........\n>...B....", legend=legend)
    assert [region.sealed for region in around.regions] == [False]
    cut = level_of(tmp_path / "cut", "<..B....\n...B....\n>..B....", legend=legend)
    assert [region.sealed for region in cut.regions] == [False, True]
    detour = level_of(tmp_path / "detour", "<.>B..\n...B..\n###B##\n######", legend=legend)
    assert [region.sealed for region in detour.regions] == [False]
    assert int((detour.base == t.CORRIDOR).sum()) == 5


def test_doors_that_lead_nowhere_are_walled_up(tmp_path):
    level = level_of(
        tmp_path,
        "+#+#####\n#..>#..+\n#<.++..#\n#..'#..#\n##+##++#\n#+######",
    )
    assert lines(level) == [
        "",
        " ########",
        " #..>#..#",
        " #<.++..#",
        " #..'#..#",
        " #####++#",
        " ########",
        "",
    ]
    assert reasons(level) == ["5 doors of the drawing led nowhere: walled up"]
    chain = level_of(tmp_path / "chain", "<..>+++")
    assert lines(chain)[1] == "#<..>###"
    assert reasons(chain) == ["3 doors of the drawing led nowhere: walled up"]


def test_drawings_without_stairs_get_them(tmp_path):
    for seed in range(5):
        world = game(tmp_path / str(seed), "#" * 30 + "\n" + "." * 30, exits=2)
        level = dungeon.World(world.content, seed).level("m/1")
        cells = [level.entrance.x, *(way.x for way in level.exits)]
        assert len(set(cells)) == 3
        assert abs(cells[0] - cells[1]) >= 9


def test_stairs_are_not_put_where_something_stands(tmp_path):
    legend = "{C: {prop: crate}, i: {item: scrap}, ^: {trap: snare}}"
    for seed in range(20):
        content = game(tmp_path / str(seed), "CiCiCi^.\n^^^^^^^.\niCiCiC^.", legend=legend).content
        level = dungeon.World(content, seed).level("m/1")
        assert {level.entrance.x, level.exits[0].x} == {8}
        assert len(level.spawns) == 21


def test_what_stands_between_stairs_is_seen(tmp_path):
    """Crates part the map: the ways are on the same side."""
    legend = "{C: {prop: crate}}"
    level = level_of(tmp_path, "...C......\n...C......\n...C......", legend=legend)
    assert min(level.entrance.x, level.exits[0].x) > 4


def test_what_no_way_can_be_dug_to_is_sealed_with_all_that_is_in_it(tmp_path):
    level = level_of(tmp_path, "..~i~>\n..~~~.\ni....<", legend='{"~": water, i: {item: scrap}}')
    assert reasons(level) == [
        "1 part of the drawing cannot be reached on foot: join",
        "no way can be dug to 1 part of the drawing: sealed",
    ]
    assert [(region.bounds, region.sealed) for region in level.regions] == [
        ((1, 1, 3, 6), False),
        ((1, 4, 1, 1), True),
    ]
    assert [(spawn.y, spawn.x) for spawn in level.spawns] == [(1, 4), (3, 1)]


def test_items_out_of_reach_are_taken_away_and_noted(tmp_path):
    legend = '{"~": water, C: {prop: crate}, i: {item: scrap}, j: {item: scrap, terrain: water}}'
    level = level_of(tmp_path, "<...>\n.~~~.\n.~j~.\n.~~~.\n.....", legend=legend)
    assert level.spawns == ()
    reasons = [each.reason for each in level.journal if each.stage == "populate"]
    assert reasons == ["it would lie in water, which can't be walked on"]


def walls(level):
    """Return what a level is made of, with `C` where something stands that stays, and `-` for sealed regions."""
    shown = [list(row) for row in dungeon.to_text(level, spawns=False).splitlines()]
    for region in level.regions:
        for y, x in np.argwhere(level.region == region.id).tolist():
            if region.sealed and shown[y][x] == ".":
                shown[y][x] = "-"
    for spawn in level.spawns:
        shown[spawn.y][spawn.x] = "C"
    return ["".join(row).rstrip() for row in shown]


CRATED = """\
########
<...C..#
#####.##
###..>##"""


@pytest.mark.parametrize(
    ("pockets", "expected"),
    [
        ("join", ["", "#########", "#<...C..#", "####.#.##", " ###..>##", "   #####"]),
        ("fill", ["", "#########", "#<.>.C# #", "#########", " ###   ##", ""]),
        ("seal", ["", "#########", "#<.>.C--#", "######-##", " ###---##", "   #####"]),
    ],
)
def test_what_lies_behind_something_that_stays_is_a_pocket(tmp_path, pockets, expected):
    level = level_of(tmp_path, CRATED, legend="{C: {prop: crate}}", pockets=pockets)
    assert walls(level) == expected
    assert reasons(level) == [f"1 part of the drawing cannot be reached on foot: {pockets}"]
    assert prove(level) == []
    assert lost(level) == []


def test_an_obstacle_that_stays_away_opens_what_was_sealed(tmp_path):
    sealed = set()
    for seed in range(12):
        world = game(
            tmp_path / str(seed), "<.>.C...", legend="{C: {prop: crate, chance: 50%}}", pockets="seal"
        )
        level = dungeon.World(world.content, seed).level("m/1")
        assert prove(level) == []
        assert lost(level) == []
        sealed.add((len(level.spawns), sum(region.sealed for region in level.regions)))
    assert sealed == {(1, 1), (0, 0)}


def test_behind_a_locked_door_that_nothing_opens_lies_a_pocket_only_if_it_is_to_be_sealed(tmp_path):
    legend = "{L: {terrain: locked_door, lock: brass}, k: {item: scrap, opens: brass}}"
    level = level_of(tmp_path / "seal", "<.>L..", legend=legend, pockets="seal")
    assert walls(level)[1] == "#<.>+--#"
    for pockets in ("join", "fill"):
        with pytest.raises(
            dungeon.GenerationError, match="locked door whose key is not certain to lie in front of it"
        ):
            level_of(tmp_path / pockets, "<.>L..", legend=legend, pockets=pockets)
    opened = level_of(tmp_path / "key", "<k>L..", legend=legend, pockets="seal")
    assert [region.sealed for region in opened.regions] == [False]


def test_what_stood_in_a_filled_pocket_is_noted(tmp_path):
    level = level_of(tmp_path, "<..>#i.\n....###", legend="{i: {item: scrap}}", pockets="fill")
    assert level.spawns == ()
    assert [each.reason for each in level.journal if each.stage == "populate"] == ["it would stand in earth"]


def test_what_the_drawing_put_at_its_open_border_is_noted(tmp_path):
    level = level_of(tmp_path, "C....\n.<.>i\n.....", legend="{C: {prop: crate}, i: {item: scrap}}", frame=0)
    assert level.spawns == ()
    assert len([each for each in level.journal if each.reason == "it would stand in wall"]) == 2


@pytest.mark.parametrize("drawn", ["#", "###\n###", " ", "+"])
def test_a_drawing_without_an_open_cell_is_an_error_that_says_so(tmp_path, drawn):
    with pytest.raises(dungeon.GenerationError, match="'hall' has no open cell"):
        level_of(tmp_path, drawn if drawn != " " else "##\n# ")


def test_a_drawing_with_one_cell(tmp_path):
    assert lines(level_of(tmp_path / "in", ".", exits=0)) == ["###", "#<#", "###"]
    with pytest.raises(dungeon.GenerationError, match="no cell left for stairs"):
        level_of(tmp_path / "out", ".", exits=1)


@pytest.mark.parametrize("pockets", ["join", "fill", "seal"])
def test_random_drawings_become_maps_that_can_be_played(tmp_path, pockets):
    made, refused = 0, []
    for seed in range(20):
        random = Random(seed)
        letters = random.choice(["#.", "#..", "#....", "##. ", "#..+", "#..~", "#..C", "#.~C+'L<>iB"])
        width = random.randint(3, 24)
        drawn = "\n".join(
            "#" + "".join(random.choice(letters) for _ in range(width)) for _ in range(random.randint(1, 12))
        )
        legend = '{"~": water, C: {prop: crate}, i: {item: scrap, shift: [2, 2]}, L: locked_door, B: blocked}'
        world = game(tmp_path / str(seed), drawn, legend=legend, pockets=pockets, frame=random.randint(0, 2))
        try:
            level = world.level("m/1")
        except dungeon.GenerationError as error:
            refused.append(str(error))
        else:
            assert prove(level) == []
            made += 1
    usual = ("no open cell", "no cell left for stairs", *(["locked door"] if pockets != "seal" else []))
    assert all(any(words in reason for words in usual) for reason in refused)
    assert made > 10


def test_many_pockets_take_no_time_to_speak_of(tmp_path):
    """Quadratic work would show here: 5,000 pockets on a map of 200x200."""
    drawn = "\n".join(
        ("." * 199 if y == 0 else ("#" * 199 if y % 2 else ".###" * 50)[:199]) for y in range(199)
    )
    level = level_of(tmp_path, drawn, pockets="seal")
    assert len(level.regions) > 4000
    assert sum(not region.sealed for region in level.regions) == 1


def test_a_map_that_is_a_prefab_can_be_loaded_from_a_folder(tmp_path):
    content = load(
        tmp_path,
        {
            "prefabs/p.yaml": 'hall: {map: "<.>"}\n',
            "maps/m.yaml": "m: {name: M, layout: {static: {prefab: hall}}, encounters: 3}\n",
            "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
        },
    )
    level = dungeon.World(content).level("m/1")
    assert lines(level) == ["#####", "#<.>#", "#####"]
    assert level.placements == ()


def test_a_map_that_may_turn_lies_in_all_ways_that_its_prefab_may(tmp_path):
    drawn = "<...#\\n....>\\n#...."
    folder = write(
        tmp_path,
        {
            **OBJECTS,
            "prefabs/hall.yaml": f'hall: {{map: "{drawn}", orientations: [r0, m0, r90]}}\n',
            "maps/m.yaml": "m: {name: M, layout: {static: {prefab: hall, turn: true}}}\n",
            "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
        },
    )
    content = dungeon.load_content(folder)
    seen = set()
    for seed in range(40):
        level = dungeon.World(content, seed).level("m/1")
        assert prove(level) == []
        seen.add("\n".join(lines(level)))
    assert seen == {
        "######\n#<...##\n#....>#\n##....#\n ######",
        " ######\n##...<#\n#>....#\n#....##\n######",
        " ####\n##.<#\n#...#\n#...#\n#...#\n#.>##\n####",
    }


def test_a_map_that_nothing_may_be_is_an_error_that_says_so(tmp_path):
    world = game(tmp_path, "<..>", prefab="{hall: never}", weights="never")
    with pytest.raises(GenerationError, match="all prefabs for the map have weight 0"):
        world.level("m/1")


def test_a_map_is_the_same_whichever_way_it_lies(tmp_path):
    """Pockets are joined as it is drawn: what a check of the drawing finds holds however it is turned."""
    content = game(tmp_path, POCKETS, turn="true").content
    ways, maps = set(), set()
    for seed in range(48):
        codes = dungeon.World(content, seed).level("m/1").terrain
        turned = [each.turn(codes) for each in Orientation]
        ways.add((codes.shape, codes.tobytes()))
        maps.add(min((each.shape, each.tobytes()) for each in turned))
    assert len(ways) == len(Orientation)
    assert len(maps) == 1


def test_a_sealed_pocket_that_a_prop_may_leave_is_walled_up(tmp_path):
    legend = "{C: {prop: crate, shift: [1, 0], chance: 30%}}"
    content = game(tmp_path, "########\n#<..#C##\n#.>.####\n########", legend=legend, pockets="seal").content
    levels = [dungeon.World(content, seed).level("m/1") for seed in range(12)]
    assert all(prove(level) == [] for level in levels)
    assert {level.base[2, 6] > t.BLOCKED for level in levels} == {False, True}
