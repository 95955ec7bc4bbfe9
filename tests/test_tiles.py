"""A level as a game's own structured array, in either index order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tcod.console
import tcod.map
from drawn import KINDS, canvas

import dungeon
from dungeon import terrain as t
from dungeon.adapters.tiles import remembered
from dungeon.level.model import doors_of

GRAPHIC = np.dtype([("ch", np.int32), ("fg", "3B"), ("bg", "3B")])
TILE = np.dtype([("walkable", bool), ("transparent", bool), ("dark", GRAPHIC), ("light", GRAPHIC)])
"""As in tcod's tutorials."""

BLUE, BLACK = (0, 0, 100), (0, 0, 0)
ROWS = ["#######", "#<.+~>#", "#######"]


@pytest.fixture(scope="module")
def level() -> dungeon.Level:
    made = canvas("\n".join(ROWS))
    return dungeon.Level(
        id="drawn/1", name="Drawn", depth=1, seed=0, terrain=made.terrain, region=made.region, terrain_set=KINDS,
        entrance=dungeon.Cell(1, 1), exits=(dungeon.Exit(y=1, x=5, leads_to="drawn/2"),), regions=tuple(made.regions),
        connections=(), doors=(), placements=(), spawns=(), lights=(), journal=(),
    )  # fmt: skip


def test_a_tutorials_tiles_are_filled_from_the_content(level: dungeon.Level) -> None:
    tiles = dungeon.tiles(level, TILE)
    assert tiles.dtype == TILE
    np.testing.assert_array_equal(tiles["walkable"], level.walkable)
    np.testing.assert_array_equal(tiles["transparent"], level.transparent)
    assert ["".join(map(chr, row)) for row in tiles["light"]["ch"].tolist()] == ROWS
    assert ["".join(map(chr, row)) for row in tiles["dark"]["ch"].tolist()] == ROWS
    np.testing.assert_array_equal(tiles["light"]["fg"][1, 4], (0, 0, 255))
    np.testing.assert_array_equal(tiles["dark"]["fg"], remembered(tiles["light"]["fg"]))
    np.testing.assert_array_equal(tiles["dark"]["bg"], remembered(tiles["light"]["bg"]))


def test_remembered_colours_are_darker() -> None:
    colours = np.array([(255, 255, 255), (255, 0, 0), (0, 0, 255), (90, 80, 70)], np.uint8)
    dim = remembered(colours)
    assert (dim.sum(axis=1) < colours.sum(axis=1)).all()
    assert (dim.max(axis=1) > 0).all()
    assert remembered(np.zeros(3, np.uint8)).tolist() == [0, 0, 0]


def test_in_order_f_it_is_indexed_by_x_and_y_and_lies_so_in_memory(level: dungeon.Level) -> None:
    tiles = dungeon.tiles(level, TILE, order="F")
    assert tiles.shape == (level.width, level.height)
    assert tiles.flags.f_contiguous
    np.testing.assert_array_equal(tiles.T, dungeon.tiles(level, TILE))
    (way,) = level.exits
    assert chr(tiles[dungeon.xy(way)]["light"]["ch"]) == ">"
    assert chr(tiles[dungeon.xy(level.entrance)]["light"]["ch"]) == "<"
    seen = tcod.map.compute_fov(
        tiles["transparent"], dungeon.xy(level.entrance), algorithm=tcod.constants.FOV_SHADOW
    )
    assert seen[2, 1]
    assert not seen[4, 1]


def test_consoles_have_either_order(level: dungeon.Level) -> None:
    rows, columns = dungeon.to_console(level), dungeon.to_console(level, order="F")
    assert (rows.rgb.shape, columns.rgb.shape) == ((3, 7), (7, 3))
    np.testing.assert_array_equal(rows.rgb, columns.rgb.T)
    assert str(rows) == str(columns)
    with pytest.raises(ValueError, match=r"order must be 'C'.* or 'F'.*, not 'xy'"):
        dungeon.to_console(level, order="xy")


def test_tiles_are_drawn_by_a_console_of_their_order(level: dungeon.Level) -> None:
    console = tcod.console.Console(level.width, level.height, order="F")
    console.rgb[...] = dungeon.tiles(level, TILE, order="F")["light"]
    np.testing.assert_array_equal(console.rgb, dungeon.to_console(level, order="F").rgb)
    np.testing.assert_array_equal(
        dungeon.tiles(level, tcod.console.rgb_graphic), dungeon.to_console(level).rgb
    )


def test_terrain_takes_the_values_of_its_name_or_its_base(level: dungeon.Level) -> None:
    paved = {"light": (ord(","), BLUE, BLACK)}
    tiles = dungeon.tiles(level, TILE, {"floor": paved, "door": {"walkable": False}})
    assert "".join(map(chr, tiles["light"]["ch"][1])) == "#<,+~>#"  # one can't walk on water as on floor
    assert "".join(map(chr, tiles["dark"]["ch"][1])) == ROWS[1]
    assert tiles["walkable"][1].tolist() == [False, True, True, False, False, True, False]
    own = dungeon.tiles(level, TILE, {"floor": paved, "water": {"light": (ord("w"), BLUE, BLACK)}})
    assert "".join(map(chr, own["light"]["ch"][1])) == "#<,+w>#"


def test_terrain_may_be_a_whole_tile_of_the_games(level: dungeon.Level) -> None:
    wall = np.array((False, False, (ord("#"), BLUE, BLACK), (ord("#"), (9, 9, 9), BLACK)), dtype=TILE)
    tiles = dungeon.tiles(level, TILE, {"wall": wall})
    assert (tiles[0] == wall).all()
    assert (tiles[1, 1:6] != wall).all()


def test_other_fields_are_filled_from_values(level: dungeon.Level) -> None:
    dtype = np.dtype(
        [("terrain", "u1"), ("cost", "i2"), ("fg", "4B"), ("light", [("bg", "3B"), ("ch", "i4")])]
    )
    costs = {"wall": 0, "floor": 1, "door": 2, "stairs_up": 1, "stairs_down": 1}
    tiles = dungeon.tiles(level, dtype, {name: {"cost": cost} for name, cost in costs.items()})
    np.testing.assert_array_equal(tiles["terrain"], level.terrain)
    assert tiles["cost"][1].tolist() == [0, 1, 1, 2, 0, 1, 0]  # one can't walk on water
    assert tiles["fg"][1, 4].tolist() == [0, 0, 255, 255]
    assert "".join(map(chr, tiles["light"]["ch"][1])) == ROWS[1]


@pytest.mark.parametrize(
    ("dtype", "values", "error", "message"),
    [
        ("f4", {}, TypeError, "needs fields such as 'walkable', and float32 has none"),
        ([("cost", "i2")], {}, ValueError, "terrain 'wall' has no value for the field 'cost', of int16"),
        ([("cost", "i2")], {"wall": {"cost": 1}}, ValueError, "terrain 'floor' has no value for the field 'cost'"),
        ([("cost", "i2")], {"floor": {"cost": 1}}, ValueError, "terrain 'wall' has no value for the field 'cost'"),
        ([("light", "i4")], {}, ValueError, "terrain 'wall' has no value for the field 'light', of int32"),
        ([("light", [("ch", "i4"), ("alpha", "u1")])], {}, ValueError, "has no value for the field 'light'"),
        ([("fg", "u1")], {}, TypeError, r"the field 'fg' needs the shape \(3,\), not \(\)"),
        ([("light", [("ch", "2i")])], {}, TypeError, r"the field 'light.ch' needs the shape \(\), not \(2,\)"),
        (TILE, {"flor": {}}, ValueError, r"there is no terrain 'flor', .*\(did you mean floor\?\)"),
        (TILE, {"floor": {"dork": 1}}, ValueError, r"'floor': there is no field 'dork', .*\(did you mean dark\?\)"),
        (TILE, {"floor": {"dark": (1, 2)}}, TypeError, r"'floor': \(1, 2\) does not fit the field 'dark'"),
        (TILE, {"floor": np.zeros((), GRAPHIC)}, TypeError, "the tile of terrain 'floor' must be of the dtype, or a mapping of fields to values"),
    ],
)  # fmt: skip
def test_missing_fields_and_values_are_reported(
    level: dungeon.Level, dtype: object, values: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        dungeon.tiles(level, dtype, values)


PLAN = """
#########
#<.s,,'>#
#..G::+L#
#########
"""
BRICK, HATCH = t.BUILT_IN, t.BUILT_IN + 1
OWN = t.TerrainSet(
    (
        *t.BUILT_IN_KINDS,
        replace(t.BUILT_IN_KINDS[t.WALL], name="brick", glyph="B", fg=(200, 0, 0)),
        replace(t.BUILT_IN_KINDS[t.SECRET_DOOR], name="hatch", glyph="B", fg=(200, 0, 0)),
        replace(t.BUILT_IN_KINDS[t.FLOOR], name="lava", walkable=False),
        replace(t.BUILT_IN_KINDS[t.WALL], name="mirage", walkable=True),
    )
)


def drawn(plan: str) -> dungeon.Level:
    """Return a level as it is drawn: `B` is brick, `G` a hatch between bricks, `~` lava, `i` a mirage."""
    marks = {"B": BRICK, "G": HATCH, "~": BRICK + 2, "i": BRICK + 3, "s": t.SECRET_DOOR, "L": t.LOCKED_DOOR}
    marks |= {
        ",": t.CORRIDOR,
        ":": t.CAVE,
        "'": t.DOORWAY,
        "+": t.DOOR,
        "#": t.WALL,
        ".": t.FLOOR,
        " ": t.EARTH,
    }
    marks |= {"<": t.STAIRS_UP, ">": t.STAIRS_DOWN}
    terrain = np.array([[marks[mark] for mark in row] for row in plan.split()], np.uint8)
    return dungeon.Level(
        id="drawn/1", name="Drawn", depth=1, seed=0, terrain=terrain, region=np.zeros_like(terrain, np.uint16),
        terrain_set=OWN, entrance=dungeon.Cell(1, 1), exits=(), regions=(), connections=(),
        doors=doors_of(terrain, OWN, ()), placements=(), spawns=(), lights=(), journal=(),
    )  # fmt: skip


def test_a_game_with_two_tiles_names_two() -> None:
    level = drawn(PLAN.replace("::", "~i"))
    tiles = dungeon.tiles(level, [("solid", "u1")], {"floor": {"solid": 0}, "wall": {"solid": 1}})
    assert ["".join(map(str, row)) for row in tiles["solid"].tolist()] == [
        "111111111",
        "100100001",
        "100110011",
        "111111111",
    ]


def test_corridors_and_caves_look_like_the_games_floor_and_doors_like_themselves() -> None:
    tiles = dungeon.tiles(drawn(PLAN), TILE, {"floor": {"light": (ord("_"), BLUE, BLACK)}})
    assert "".join(map(chr, tiles["light"]["ch"][1])) == "#<_#__'>#"
    assert "".join(map(chr, tiles["light"]["ch"][2])) == "#__B__++#"


def test_nothing_tells_a_secret_door_from_the_wall_beside_it() -> None:
    wall = np.array((False, False, (ord("W"), BLUE, BLACK), (ord("W"), (9, 9, 9), BLACK)), dtype=TILE)
    for walls in (
        {"wall": wall},
        {"wall": wall, "brick": {"walkable": False, "light": (ord("M"), BLUE, BLACK)}},
    ):
        for plan in ("#####\n#<s.#\n#####", "BBBBB\nB<s.B\nBBBBB", "BBBBB\nB<G.B\nBBBBB"):
            tiles = dungeon.tiles(drawn(plan), TILE, walls)
            assert tiles[1, 2] == tiles[0, 2], plan
    named = dungeon.tiles(drawn(PLAN), TILE, {"wall": wall, "secret_door": {"walkable": True}})
    assert named["walkable"][1, 3]


def test_a_secret_door_looks_like_the_wall_beside_it_without_a_word_of_the_game() -> None:
    level = drawn("BBBBB\nB<s.B\nBBBBB")
    for field in ("light", "dark", "transparent"):
        tiles = dungeon.tiles(level, TILE)[field]
        assert tiles[1, 2] == tiles[0, 2], field
    assert dungeon.tiles(level, TILE)["walkable"][1, 2]
    assert dungeon.to_console(level).rgb[1, 2] == dungeon.to_console(level).rgb[0, 2]
    assert dungeon.to_text(level) == "BBBBB\nB<B.B\nBBBBB\n"
