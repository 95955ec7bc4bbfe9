"""Layers of .xp drawings by role: drawings made for other games load with `layers` and a palette."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from content_files import write_content
from drawn import OBJECTS, load

import dungeon
from dungeon import XpLayer
from dungeon.authoring.explain import explain_prefab
from dungeon.content.drawing.rexpaint import encode_xp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon import Content

REAL = Path(__file__).parent / "real"
FILES = {
    **OBJECTS,
    "objects/items.yaml": 'gem: {name: gem, glyph: "*"}\ncoin: {name: coin, glyph: "$"}\n',
    "objects/robots.yaml": "rat: {name: rat, glyph: r}\n",
    "world.yaml": "start: m/1\n",
    "maps/m.yaml": "m: {name: M, size: 60x40, layout: tunnels, features: [{prefab: room}]}\n",
}
GROUND = ["#####", "#...#", "#...#", "##.##"]
ITEMS = ["     ", " x   ", "  y  ", "     "]
ROBOTS = ["     ", " x   ", "   x ", "     "]
LEGEND = "legend: {x: [{item: gem}, {robot: rat}], y: {item: coin}}"


def layers(*drawn: Sequence[str]) -> list[XpLayer]:
    return [XpLayer.from_rows(rows, transparent_spaces=bool(number)) for number, rows in enumerate(drawn)]


def drawn_in(folder: Path, drawing: Sequence[XpLayer], entry: str, **files: str) -> Content:
    (folder / "prefabs").mkdir(parents=True, exist_ok=True)
    (folder / "prefabs" / "room.xp").write_bytes(encode_xp(drawing))
    return load(folder, {**FILES, "prefabs/room.yaml": f"room: {{{entry}}}\n", **files})


def refusals(folder: Path, drawing: Sequence[XpLayer], entry: str, **files: str) -> list[str]:
    with pytest.raises(dungeon.ContentError) as caught:
        drawn_in(folder, drawing, entry, **files)
    return [str(each).removeprefix(f"{folder}/") for each in caught.value.problems]


def test_a_character_stands_for_what_its_layer_is_for(tmp_path: Path) -> None:
    content = drawn_in(tmp_path, layers(GROUND, ITEMS, ROBOTS), f"layers: [terrain, items, robots], {LEGEND}")
    for seed in range(12):
        level = dungeon.World(content, seed).level("m/1")
        assert not dungeon.prove(level)
        ((y, x, _, _),) = [each.bounds for each in level.placements]
        way = level.placements[0].orientation
        assert way
        assert sorted(each.tag for each in level.spawns) == ["coin", "gem", "rat", "rat"]
        together = [each for each in level.spawns if each.tag == "gem"]
        assert [(each.y, each.x) for each in level.spawns].count((together[0].y, together[0].x)) == 2
        assert all(y <= each.y and x <= each.x for each in level.spawns)


def test_a_palette_gives_roles_to_all_drawings_and_an_entry_to_its_own(tmp_path: Path) -> None:
    palette = {"palette.yaml": "layers: [terrain, items, robots]\n"}
    content = drawn_in(tmp_path / "one", layers(GROUND, ITEMS), LEGEND, **palette)
    tags = [each.symbol.kind for each in content.prefabs["room"].drawing.references]
    assert tags == ["item", "item"]
    own = f"layers: [terrain, robots], {LEGEND.replace('y: {item: coin}', 'y: {robot: rat}')}"
    content = drawn_in(tmp_path / "other", layers(GROUND, ITEMS), own, **palette)
    assert [each.symbol.kind for each in content.prefabs["room"].drawing.references] == ["robot", "robot"]
    shared = {"palettes/two.yaml": "two: {layers: [terrain, items]}\n"}
    content = drawn_in(
        tmp_path / "named", layers(GROUND, ITEMS), f"palette: {{extends: two}}, {LEGEND}", **shared
    )
    assert len(content.prefabs["room"].drawing.references) == 2


def test_nine_layers_are_read_and_later_terrain_lies_over_earlier(tmp_path: Path) -> None:
    empty = ["     "] * 4
    door = ["     ", "     ", "     ", "  +  "]
    nine = layers(GROUND, ITEMS, ROBOTS, door, empty, empty, empty, empty, ITEMS)
    roles = "layers: [terrain, items, robots, terrain, links, machines, references, ignore, ignore]"
    drawing = drawn_in(tmp_path, nine, f"{roles}, {LEGEND}").prefabs["room"].drawing
    names = [kind.name for kind in dungeon.load_content(tmp_path).terrain_set.kinds]
    assert names[drawing.terrain[3, 2]] == "door"
    assert len(drawing.references) == 4


def test_steps_change_the_characters_of_all_layers(tmp_path: Path) -> None:
    entry = f"layers: [terrain, items, robots], vary: [{{substitute: x, with: {{x: 1, y: 1}}}}], {LEGEND}"
    (problem,) = refusals(tmp_path, layers(GROUND, ITEMS, ROBOTS), entry)
    assert problem.startswith(
        "prefabs/room.yaml:1:71: error: prefab 'room': no legend or palette says what this reference on a layer of robots means"
    )
    entry = entry.replace("y: {item: coin}", "y: [{item: coin}, {robot: rat}]")
    content = drawn_in(tmp_path, layers(GROUND, ITEMS, ROBOTS), entry)
    found = set()
    for seed in range(12):
        found |= {each.tag for each in dungeon.World(content, seed).level("m/1").spawns}
    assert found == {"gem", "coin", "rat"}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            "layers: [terrain, items]",
            "prefabs/room.yaml:1:16: error: prefab 'room': this drawing has 3 layers, and `layers` lists 2; write `ignore` for those that mean nothing",
        ),
        (
            "layers: [terrain, items, robots, ignore]",
            "prefabs/room.yaml:1:16: error: prefab 'room': `layers` lists 4 layers, and this drawing has 3",
        ),
        (
            "layers: [terrain, items, robot]",
            "prefabs/room.yaml:1:33: error: prefab 'room': this is no role of a layer: robot (did you mean robots?)",
        ),
        (
            "layers: [links, items, robots]",
            "prefabs/room.yaml:1:16: error: prefab 'room': one of the layers must be 'terrain': [links, items, robots]",
        ),
        (
            "layers: [terrain, items, items]",
            "prefabs/room.xp:3:4: error: prefab 'room': this is a layer of items, and the legend makes this character no item: 'z' (allowed: x, y)",
        ),
    ],
)
def test_mistakes_in_roles(tmp_path: Path, entry: str, expected: str) -> None:
    robots = [row.replace("x", "z") for row in ROBOTS]
    legend = LEGEND.replace("y:", "z: {robot: rat}, y:")
    found = refusals(tmp_path, layers(GROUND, ITEMS, ROBOTS[:2] + robots[2:]), f"{entry}, {legend}")
    assert found == [expected]


def test_own_kinds_have_layers_of_their_own(tmp_path: Path) -> None:
    files = {
        "kinds.yaml": "fungus: {like: item, called: fungi}\n",
        "objects/fungi.yaml": 'morel: {name: morel, glyph: "m"}\n',
    }
    legend = "legend: {x: [{fungus: morel}, {item: gem}], y: {fungus: morel}}"
    content = drawn_in(tmp_path, layers(GROUND, ITEMS), f"layers: [terrain, fungi], {legend}", **files)
    assert [each.symbol.kind for each in content.prefabs["room"].drawing.references] == ["fungus", "fungus"]


def same_levels(one: Content, other: Content) -> bool:
    return all(
        dungeon.to_json(dungeon.World(one, seed).level("m/1"))
        == dungeon.to_json(dungeon.World(other, seed).level("m/1"))
        for seed in range(6)
    )


@pytest.mark.parametrize("form", ["text", "xp"])
def test_what_is_exported_makes_the_same_levels(tmp_path: Path, form: str) -> None:
    legend = "legend: {x: {robot: rat}, y: {item: coin}, z: {item: gem}}"
    items = [row.replace("x", "z") for row in ITEMS]
    entry = f"layers: [items, terrain, robots, items], {legend}"
    first = XpLayer.from_rows(items, transparent_spaces=True)
    drawing = [first, *layers(GROUND, ROBOTS, items)]
    content = drawn_in(tmp_path / "old", drawing, entry)
    files = dungeon.export_prefab(tmp_path / "old", "room", form)
    (tmp_path / "new" / "prefabs").mkdir(parents=True)
    for name, data in files.items():
        (tmp_path / "new" / name).write_bytes(data)
    other = load(tmp_path / "new", FILES)
    assert same_levels(content, other)
    if form == "text":
        back = dungeon.export_prefab(tmp_path / "new", "room", "xp")
        (tmp_path / "back" / "prefabs").mkdir(parents=True)
        for name, data in back.items():
            (tmp_path / "back" / name).write_bytes(data)
        assert (
            b"layers: [terrain, links, machines, references, references, references]"
            in back["prefabs/room.yaml"]
        )
        assert same_levels(content, load(tmp_path / "back", FILES))
        tiled = dungeon.export_prefab(tmp_path / "new", "room", "tmj")["room.tmj"]
        assert dungeon.prefab_from_tiled(tiled) == files


def test_a_character_that_means_two_things_is_not_written_as_text(tmp_path: Path) -> None:
    drawn_in(tmp_path, layers(GROUND, ITEMS, ROBOTS), f"layers: [terrain, items, robots], {LEGEND}")
    with pytest.raises(dungeon.ContentError, match="'x' would mean objects of other kinds, too"):
        dungeon.export_prefab(tmp_path, "room", "text")
    assert dungeon.export_prefab(tmp_path, "room", "xp")["prefabs/room.xp"]


def test_explain_names_the_layers(tmp_path: Path) -> None:
    content = drawn_in(tmp_path, layers(GROUND, ITEMS, ROBOTS), f"layers: [terrain, items, robots], {LEGEND}")
    told = explain_prefab(content, "room")
    assert [name for name, _ in told.planes] == ["map", "items", "robots"]
    meant = {(each.char, each.plane): [case.kind for case in each.meanings] for each in told.characters}
    assert meant["x", "items"] == ["item"]
    assert meant["x", "robots"] == ["robot"]


# -- drawings made by others -----------------------------------------------------------------------


def foreign(folder: Path, name: str, entry: str) -> Content:
    """Return content with a drawing of ``tests/real`` and the two lines that it needs."""
    write_content(folder, {f"prefabs/{name}.yaml": f"{name}:\n{entry}"})
    (folder / "prefabs" / f"{name}.xp").write_bytes((REAL / f"{name}.xp").read_bytes())
    return dungeon.load_content(folder)


@pytest.mark.parametrize(("upper", "expected"), [("terrain", "wall"), ("ignore", "floor")])
def test_a_drawing_of_two_layers_loads_with_two_lines(tmp_path: Path, upper: str, expected: str) -> None:
    entry = f"  layers: [terrain, {upper}]\n  palette: {{glyphs: {{A: floor, B: wall}}}}\n"
    content = foreign(tmp_path, "mltest", entry)
    terrain = content.prefabs["mltest"].drawing.terrain
    names = [kind.name for kind in content.terrain_set.kinds]
    assert names[terrain[0, 0]] == "floor"
    assert names[terrain[1, 2]] == expected
