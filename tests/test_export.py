"""Prefabs exported as text and as .xp drawings: each form reads back as the same prefab, and exporting it again changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tcod.console
import yaml
from content_files import write_content
from demo import demo_content
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import dungeon
from dungeon import XpLayer
from dungeon.authoring.tiled import Exporter
from dungeon.content.drawing.rexpaint import TILES, TRANSPARENT, parse_xp
from dungeon.content.source.yaml_writer import to_yaml
from dungeon.extend import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dungeon import Content
    from dungeon.authoring.tiled import Form
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.extend import Drawing

HERE = Path(__file__).parent
DATA = HERE.parent / "data"
REAL_WORLD = HERE / "real_world"
FORMS: tuple[Form, ...] = ("text", "xp")
ROLLS = 2


# -- what it means that two prefabs are equal -----------------------------------------------------


def seen(drawing: Drawing) -> dict[str, object]:
    """Return all that there is to a drawing."""
    return {
        "orientation": drawing.orientation,
        "terrain": drawing.terrain.tolist(),
        "obstacles": drawing.obstacles.tolist(),
        "references": [(each, each.symbol, each.turned) for each in drawing.references],
        "links": drawing.links,
        "machines": [(each, each.symbol, each.char) for each in drawing.machines],
        "stairs": drawing.stairs,
        "parts": drawing.parts,
    }


def told(prefab: Prefab) -> dict[str, object]:
    """Return all that there is to a prefab, and some of the drawings it makes in all the ways they may lie."""
    template = prefab.template
    return {
        "fixed": seen(template.fixed),
        "loose": template.loose,
        "steps": template.steps,
        "fits": dict(template.fits),
        "parameters": dict(template.parameters),
        "orientations": prefab.orientations,
        "tags": prefab.tags,
        "rolls": [
            [seen(drawing) for drawing in prefab.variant(Stream(number)).drawings] for number in range(ROLLS)
        ],
    }


def exported(exporter: Exporter) -> dict[Form, dict[str, dict[str, bytes]]]:
    """Return form -> prefab -> its files, for all prefabs."""
    return {form: {name: exporter.export(name, form) for name in exporter.content.prefabs} for form in FORMS}


def replaced(folder: Path, copy: Path, files: Mapping[str, Mapping[str, bytes]]) -> Path:
    """Return a copy of a content folder in which these files stand for the prefabs, in the order of the files."""
    shutil.copytree(folder, copy, ignore=lambda where, _: ["prefabs"] if Path(where) == folder else [])
    (copy / "prefabs").mkdir()
    entries = b""
    for written in files.values():
        for file, data in written.items():
            if file.endswith(".xp"):
                (copy / file).write_bytes(data)
            else:
                entries += data
    (copy / "prefabs" / "all.yaml").write_bytes(entries)
    return copy


def check_round_trip(folder: Path, where: Path) -> dict[Form, Content]:
    """Check that all prefabs of a folder go through both forms unchanged, and return the content in both."""
    source = Exporter(folder)
    before = source.content
    # What was drawn as .xp keeps the colours of its author; through a text it loses those.
    drawn = {path.stem for path in folder.glob("prefabs/**/*.xp")}
    first = exported(source)
    after: dict[Form, Content] = {}
    for form in FORMS:
        copy = replaced(folder, where / form, first[form])
        exporter = Exporter(copy)
        after[form] = exporter.content
        assert list(after[form].prefabs) == list(before.prefabs)
        for name, prefab in before.prefabs.items():
            assert told(after[form].prefabs[name]) == told(prefab), f"{name} as {form}"
        again = exported(exporter)
        assert again["text"] == first["text"]
        if form == "xp":
            assert again["xp"] == first["xp"]
        else:
            changed = {name for name, files in again["xp"].items() if files != first["xp"][name]}
            assert changed <= drawn
            assert not changed or exported(Exporter(replaced(copy, where / "text-xp", again["xp"]))) == again
    return after


# -- prefabs that are there -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[Form, Content]:
    return check_round_trip(DATA, tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize("form", FORMS)
def test_the_demos_levels_stay_as_they_were(demo: dict[Form, Content], form: Form) -> None:
    """One world of each form, and every sixth map of it, as the prefabs themselves have been compared in full."""
    seed = FORMS.index(form)
    old, new = dungeon.World(demo_content(), seed), dungeon.World(demo[form], seed)
    for node in old.maps[seed::6]:
        assert dungeon.to_json(old.level(node.id)) == dungeon.to_json(new.level(node.id))


def test_drawings_of_others_go_through_both_forms(tmp_path: Path) -> None:
    after = check_round_trip(REAL_WORLD, tmp_path)
    before = dungeon.World(dungeon.load_content(REAL_WORLD), 1)
    for content in after.values():
        world = dungeon.World(content, 1)
        for node in before.maps:
            assert dungeon.to_json(before.level(node.id)) == dungeon.to_json(world.level(node.id))


def test_tcod_reads_the_drawings_as_we_do(tmp_path: Path) -> None:
    exporter = Exporter(DATA)
    for name in exporter.content.prefabs:
        data = exporter.export(name, "xp")[f"prefabs/{name}.xp"]
        path = tmp_path / f"{name}.xp"
        path.write_bytes(data)
        ours, theirs = parse_xp(data, name), tcod.console.load_xp(path)
        assert len(ours) == len(theirs) == 4
        for layer, console in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(layer.glyph, console.ch)
            np.testing.assert_array_equal(layer.fg, console.fg)
            np.testing.assert_array_equal(layer.bg, console.bg)
            assert layer.glyph.max() < 256


# -- pictures -------------------------------------------------------------------------------------


def text_of(tmp_path: Path, prefab: str | bytes | None, layers: Sequence[XpLayer] = (), **files: str) -> str:
    """Return a prefab named `nook` written down as text, after checking that it goes through both forms."""
    changed: dict[str, str | bytes | Sequence[XpLayer] | None] = {
        f"{name.replace('__', '/')}.yaml": text for name, text in files.items()
    }
    if prefab is not None:
        changed["prefabs/nook.yaml"] = prefab
    if layers:
        changed["prefabs/nook.xp"] = layers
    folder = write_content(tmp_path / "content", changed)
    check_round_trip(folder, tmp_path / "copies")
    return dungeon.export_prefab(folder, "nook", "text")["prefabs/nook.yaml"].decode()


def drawing_of(tmp_path: Path) -> tuple[list[XpLayer], str]:
    """Return the layers and the entry of the prefab that `text_of` looked at."""
    files = dungeon.export_prefab(tmp_path / "content", "nook", "xp")
    assert list(files) == ["prefabs/nook.xp", "prefabs/nook.yaml"]
    return parse_xp(files["prefabs/nook.xp"], "nook.xp"), files["prefabs/nook.yaml"].decode()


def test_a_text_stays_what_it_is_and_loses_its_comments(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        """\
        nook: # a corner
          tags: cosy
          orientations: [r0, r90]
          map: |
            #C.#
            ####
          references: |2
              B
          legend: {C: {prop: {value: crate, chance: 30%}, data: {Weight: "007", open: no}}, B: {item: scrap}}
        """,
    )
    assert text == dedent(
        """\
        nook:
          map: |
            #C.#
            ####
          references: |2
              B
          legend:
            C: {prop: {value: crate, chance: 30%}, data: {Weight: "007", open: no}}
            B: {item: scrap}
          orientations: [r0, r90]
          tags: cosy
        """
    )


def test_an_xp_drawing_of_a_text_looks_like_it(tmp_path: Path) -> None:
    text_of(
        tmp_path,
        """\
        nook:
          map: |
            #=? 
            ~..+
          links: |
            1
          machines: |2

             o
          references: |2

               B
          legend: {"=": {prop: crate}, B: {item: scrap}}
        """,  # noqa: W291
    )
    layers, entry = drawing_of(tmp_path)
    assert [layer.rows() for layer in layers] == [
        ["#=  ", "~..+"],
        ["1   ", "    "],
        ["    ", " o  "],
        ["    ", "   B"],
    ]
    assert entry == dedent(
        """\
        nook:
          legend:
            "=": {prop: crate}
            B: {item: scrap}
        """
    )
    ground, _, machines, _ = layers
    assert ground.fg[0, 0].tolist() == [255, 0, 0], "the palette's colour for a wall"
    assert ground.fg[1, 0].tolist() == [0x40, 0xA0, 0x40], "the colour of grass"
    assert ground.bg[0, 2].tolist() == list(TRANSPARENT)
    assert ground.bg[0, 3].tolist() != list(TRANSPARENT)
    assert machines.fg[1, 1].tolist() == [150, 150, 150]
    assert [int((~layer.transparent).sum()) for layer in layers] == [7, 1, 1, 1]


def test_terrain_that_only_a_colour_tells_gets_a_character(tmp_path: Path) -> None:
    ground = XpLayer.from_rows(["███", "..+"], fg=(255, 0, 0))
    fg = ground.fg.copy()
    fg[0, 1:], fg[1, 0] = (0, 0, 255), (9, 9, 9)
    text = text_of(
        tmp_path,
        'nook: {palette: {colours: {"#0000ff": moat, "#FF0000": wall}}, legend: {"#": {item: scrap}}}',
        [XpLayer(glyph=ground.glyph, fg=fg, bg=ground.bg)],
        terrain='grass: {like: floor, glyph: "\\""}\nmoat: {like: floor, glyph: "#", walkable: false}',
    )
    # `#` is scrap here, so that neither the wall nor the moat, whose look it is, can have it.
    assert text == dedent(
        """\
        nook:
          map: |
            ^==
            .^^
          legend:
            "#": {item: scrap}
          palette:
            colours: {"#0000ff": moat, "#FF0000": wall}
            glyphs: {"^": wall, "=": moat}
        """
    )


def test_cells_left_transparent_where_the_question_mark_means_something(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        'nook: {legend: {"?": {item: scrap}}}',
        [XpLayer.from_rows(["?. ", "..."], transparent_spaces=True)],
    )
    assert text == dedent(
        """\
        nook:
          map: |
            ?.^
            ...
          aliases:
            "^": ""
          legend:
            "?": {item: scrap}
        """
    )


def test_characters_that_rexpaint_lacks_have_aliases(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        """\
        nook:
          map: |
            Ã.й
          machines: |2
             ©
          legend: {Ã: {item: scrap}, й: {item: scrap}}
          vary: [{shuffle: Ãй}]
        """,
    )
    assert "©" in text
    layers, entry = drawing_of(tmp_path)
    assert [layer.rows()[0] for layer in layers] == ["☺.☻", "   ", " ♥ ", "   "]
    assert '  aliases:\n    "☺": Ã\n    "☻": й\n    "♥": "©"\n' in entry


def test_when_all_tiles_are_drawn_some_characters_cannot_be(tmp_path: Path) -> None:
    every = "".join(chr(ord(char)) for char in bytes(range(33, 255)).decode("cp437") if char.isprintable())
    every += "☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼⌂"
    folder = write_content(
        tmp_path,
        {
            "prefabs/nook.yaml": f"nook:\n  map: |\n    {'.' * 260}\n  machines: |\n    {every} Ãй\n".replace(
                "machines: |", "machines: |2"
            )
        },
    )
    with pytest.raises(
        dungeon.ContentError, match=r"prefab 'nook': an .xp drawing has no tile for this .*'Ã'"
    ):
        dungeon.export_prefab(folder, "nook", "xp")
    assert set(dungeon.export_prefab(folder, "nook", "text")) == {"prefabs/nook.yaml"}


def test_machines_keep_their_colours_in_a_text(tmp_path: Path) -> None:
    ground = XpLayer.from_rows(["." * 40])
    machine = XpLayer.from_rows([" " + "\u2560" * 38 + "\u00a0"], transparent_spaces=True)
    fg = np.array([[(x, 0, 0) for x in range(40)]], np.uint8)
    fg[0, :3] = 150
    layers = [ground, XpLayer.from_rows([" " * 40]), XpLayer(glyph=machine.glyph, fg=fg, bg=machine.bg)]
    text = text_of(tmp_path, None, layers)
    rows = dict(yaml.safe_load(text)["nook"])
    assert rows["paint"].rstrip("\n") == "   abcdefghijklmnopqrstuvwxyzABCDEFGHIJK"
    assert rows["paints"]["K"] == "#270000"
    assert rows["machines"].rstrip("\n") == " " + "╠" * 38 + "^"
    assert rows["aliases"] == {"^": "\u00a0"}


def test_text_with_every_trap_that_yaml_has(tmp_path: Path) -> None:
    spaces = " " * 4
    text = text_of(
        tmp_path,
        (
            f"nook:\n  map: |2\n    {spaces}\n    #  #\n    # {'#'} \n    {spaces}\n"
            "  references: |2\n\n     '  \n"
            "  legend: {\"'\": {item: scrap, data: {a: 'x: y', b: '#', c: \"\\u2028\", d: -.5, e: '-.5', f: [], g: ~}}}\n"
        ).encode(),
    )
    assert text == (
        f"nook:\n  map: |2\n    {spaces}\n    #  #\n    # # \n    {spaces}\n  references: |2\n\n     '\n"
        "  legend:\n"
        '    "\'": {item: scrap, data: {a: "x: y", b: "#", c: "\\u2028", d: -0.5, e: "-.5", f: [], g: null}}\n'
    )


def test_more_colours_than_letters(tmp_path: Path) -> None:
    side = 20
    blank, blocks = XpLayer.from_rows([" " * side] * side), XpLayer.from_rows(["█" * side] * side)
    fg = np.zeros((side, side, 3), np.uint8)
    fg[..., 0], fg[..., 1] = np.mgrid[:side, :side]
    text = text_of(tmp_path, None, [blank, blank, XpLayer(glyph=blocks.glyph, fg=fg, bg=blocks.bg)])
    assert len(yaml.safe_load(text)["nook"]["paints"]) == side * side


def test_authors_may_use_aliases_too(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        """\
        nook:
          map: |
            .A?
          aliases: {A: é, "?": ""}
          legend: {é: {item: scrap}}
        """,
    )
    assert text == "nook:\n  map: |\n    .é?\n  legend:\n    é: {item: scrap}\n"


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        (
            '{" ": x}',
            "4:13: error: prefab 'nook': a space is an empty cell, and can't stand for anything else",
        ),
        ("{x: no}", 'one character, or "" for a cell that leaves the map as it is, is needed here: no'),
        ("{xy: z}", "one printable character is needed here: xy"),
    ],
)
def test_aliases_that_cannot_be(tmp_path: Path, aliases: str, message: str) -> None:
    entry = f"nook:\n  map: |\n    ...\n  aliases: {aliases}\n"
    folder = write_content(tmp_path, {"prefabs/nook.yaml": entry})
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(folder)
    assert message in str(caught.value)


def test_a_drawing_too_large_for_four_layers(tmp_path: Path) -> None:
    hall = "".join(f"    {'.' * 1000}\n" for _ in range(501))
    folder = write_content(tmp_path, {"prefabs/nook.yaml": f"nook:\n  map: |\n{hall}"})
    with pytest.raises(dungeon.ContentError, match=r"prefab 'nook': no \.xp drawing can hold this"):
        dungeon.export_prefab(folder, "nook", "xp")


def test_calls_that_make_no_sense(tmp_path: Path) -> None:
    folder = write_content(tmp_path)
    with pytest.raises(KeyError, match=r"there is no prefab 'stor' \(did you mean store\?\)"):
        dungeon.export_prefab(folder, "stor", "xp")
    with pytest.raises(ValueError, match="to text, xp or tmj, not to 'png'"):
        dungeon.export_prefab(folder, "store", "png")  # type: ignore[arg-type]


def test_spaces_between_references_are_no_cells_to_choose_from(tmp_path: Path) -> None:
    entry = """\
        nook:
          map: |
            . .
          references: |
            B
          legend: {B: {item: scrap}}
          vary: [{exactly: 2, of: " ", become: "#"}]
        """
    folder = write_content(tmp_path, {"prefabs/nook.yaml": entry})
    with pytest.raises(dungeon.ContentError, match="only 1 cell has this character, fewer than asked for: 2"):
        dungeon.load_content(folder)


# -- any prefab -----------------------------------------------------------------------------------

MEANINGS = [
    "grass",
    "wall",
    {"prop": "crate"},
    {"prop": "crate", "terrain": "grass", "group": "odd", "weight": 2.5},
    {
        "item": {"value": "scrap", "chance": "30%"},
        "shift": [1, 0],
        "data": {"n": 0.00001, "s": "1e3", "t": None},
    },
    {"terrain": "stairs_down", "to": "cellars"},
    {"terrain": "stairs_down", "to": {"value": {"cellars": 1, "cellars/2": 3}, "chance": "50%"}},
    {
        "prop": "crate",
        "shift": {"value": [1, [0, "1..2"]], "chance": "30%"},
        "group": ["odd", "even"],
        "weight": {"common": 1, "2": 3},
    },
    {"item": "any", "prototype": True},
    {"robot": {"class": "worker"}, "fallback": True},
    {"switch": "mood", "cases": {"good": "grass", "bad": {"trap": "snare", "chance": [0.5, 1]}}},
]
CHARS = "ab?# .~é©й─'\"@"
GROUND = "#. +'?ab~é©й"


@st.composite
def grids(draw: st.DrawFn, chars: str, width: int, height: int) -> str:
    row = st.text(st.sampled_from(chars), min_size=width, max_size=width)
    return "\n".join(draw(st.lists(row, min_size=height, max_size=height)))


@st.composite
def prefabs(draw: st.DrawFn) -> tuple[dict[str, object], list[XpLayer]]:
    """Return the entry of a prefab, and its layers if it is drawn as .xp."""
    width, height = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    legend = draw(
        st.dictionaries(st.sampled_from(CHARS.replace(" ", "")), st.sampled_from(MEANINGS), max_size=6)
    )
    for char in "ab~é©й":
        legend.setdefault(char, "grass")
    entry: dict[str, object] = {"legend": legend, "parameters": {"mood": ["good", "bad"]}}
    steps: list[dict[str, object]] = [
        {"substitute": "a", "with": {"b": 3, "#": 1}},
        {"optional": "b?", "become": "@" if "@" in legend else ".", "otherwise": "a", "chance": "25%"},
        {"shuffle": "é©"},
        {"substitute": "й", "switch": "mood", "cases": {"good": "a", "bad": "."}},
    ]
    entry["vary"] = draw(st.lists(st.sampled_from(steps), max_size=2))
    for char in ".#":
        legend.setdefault(char, "floor")
    if draw(st.booleans()):
        entry["orientations"] = ["r0", "r90"]
    links = draw(grids("  19*ox", width, height))
    machines = draw(grids("   ╔©й§", width, height))
    as_text = draw(st.booleans())
    ground = draw(grids(GROUND if as_text else "█#. +'?ab~é", width, height))
    known = "".join(sorted(legend)) if as_text else "".join(sorted(set(legend) & set(TILES)))
    # An object that the map names may not have another one over it, and two of them may not name a machine.
    references = "".join(
        char if char == "\n" or (below not in legend and machine == " ") else " "
        for char, below, machine in zip(
            draw(grids("    " + known, width, height)), ground, machines, strict=True
        )
    )
    if as_text:
        entry |= {"map": ground, "links": links, "references": references}
        entry |= {"machines": machines, "paint": draw(grids(" xy", width, height))}
        entry["paints"] = {"x": "#00ff00", "y": [255, 0, 255]}
        return entry, []
    entry["palette"] = {
        "colours": {"#0000ff": "grass", "#00ff00": "floor_3", "#ff00ff": "earth"},
        "match": draw(st.sampled_from(["exact", "nearest"])),
    }
    layers = []
    for text in (ground, links, machines, references):
        shown = text.replace("©", "☺").replace("й", "\u00a0")
        colours = st.sampled_from([(0, 0, 255), (0, 255, 0), (255, 0, 0), (1, 2, 3)])
        cells = width * height
        glyph = XpLayer.from_rows(shown.split("\n")).glyph
        fg, bg = (
            np.array(draw(st.lists(each, min_size=cells, max_size=cells)), np.uint8).reshape(height, width, 3)
            for each in (colours, colours | st.just(TRANSPARENT))
        )
        if text is ground:
            fg[glyph == 219] = (0, 255, 0)  # a full block means nothing by itself
        layers.append(XpLayer(glyph=glyph, fg=fg, bg=bg))
    return entry, layers[: draw(st.integers(1, 4))]


def names_a_machine_twice(folder: Path) -> bool:
    """Tell whether a random drawing has what no prefab may have: two props over one machine."""
    problems = dungeon.examine_content(folder).problems
    errors = [problem.message for problem in problems if problem.severity == "error"]
    return bool(errors) and all(
        "named already" in message or "says already which" in message for message in errors
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(prefabs())
def test_any_prefab_goes_through_both_forms(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[dict[str, object], list[XpLayer]]
) -> None:
    entry, layers = made
    where = tmp_path_factory.mktemp("any")
    files: dict[str, bytes | str | Sequence[XpLayer] | None] = {
        "prefabs/nook.yaml": to_yaml({"nook": entry}).encode()
    }
    if layers:
        files["prefabs/nook.xp"] = layers
    folder = write_content(where / "content", files)
    assume(not names_a_machine_twice(folder))
    check_round_trip(folder, where / "copies")
    shutil.rmtree(where)
