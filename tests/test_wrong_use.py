"""Wrong use of the library and the command line: one line says what would be right."""

import re
from contextlib import nullcontext
from io import StringIO

import pytest
from content_files import write_content, yaml_of

import dungeon
from dungeon.cli import COMMANDS, main
from game_demo import start
from game_demo.__main__ import main as demo


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A small game."""
    heap = {"heap": {"map": "C" * 30, "legend": {"C": {"prop": ["crate", "barrel"]}}}}
    return dungeon.load_content(
        write_content(tmp_path_factory.mktemp("game"), {"prefabs/heap.yaml": yaml_of(heap)})
    )


def test_text_is_a_seed_everywhere_the_same(content):
    assert dungeon.World(content, "7") == dungeon.World(content, 7)
    assert dungeon.World(content, "-12").seed == -12
    seeds = [dungeon.World(content, text).seed for text in ("moss", "Moss", "mosś", " 7", "7.0", "9" * 400)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)
    # Saved games rely on it, whatever process or machine reads them.
    assert seeds[0] == 6230978740213746
    typed, meant = (dungeon.sample_prefab(content, "heap", seed=seed) for seed in ("7", 7))
    assert typed.spawns == meant.spawns


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        (1.5, TypeError, "a seed is a whole number or text, not 1.5"),
        (None, TypeError, "a seed is a whole number or text, not None"),
        (True, TypeError, "a seed is a whole number or text, not True"),
        (b"7", TypeError, "a seed is a whole number or text, not b'7'"),
        ("", ValueError, "a seed can't be empty text; any letter, word or number is one"),
        (2**1024, ValueError, "a seed has at most 1024 bits, not 1025"),
    ],
)
def test_what_is_no_seed_is_told(content, seed, error, message):
    with pytest.raises(error) as raised:
        dungeon.World(content, seed)
    assert str(raised.value) == message
    with pytest.raises(error):
        dungeon.sample_prefab(content, "heap", seed=seed)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("data", "World() takes content, not 'data': write World(load_content('data'))"),
        (7, "World() takes content, not 7: write World(load_content(FOLDER))"),
    ],
)
def test_a_world_of_no_content_is_told_what_to_write(given, message):
    with pytest.raises(TypeError) as raised:
        dungeon.World(given, 7)
    assert str(raised.value) == message


@pytest.mark.parametrize("ask", [dungeon.World.node, dungeon.World.level, dungeon.World.odds])
def test_a_map_that_is_not_there_is_told_with_the_nearest(content, ask):
    world = dungeon.World(content)
    with pytest.raises(KeyError, match=r"has no map 'cellars/11' \(did you mean cellars/1\?\)"):
        ask(world, "cellars/11")
    with pytest.raises(KeyError, match=r"has no map 'zzz' \(there are .*cellars/1"):
        ask(world, "zzz")


def test_why_takes_the_level_of_that_map_and_nothing_else(content):
    world = dungeon.World(content, 3)
    level = world.level("cellars/1")
    assert world.why("cellars/1", level) == world.why("cellars/1")
    with pytest.raises(TypeError) as raised:
        world.why("cellars/1", "store")
    assert str(raised.value) == (
        "level must be the Level that this world made of cellars/1, not 'store'; "
        "for one encounter: [case for case in world.why('cellars/1') if case.encounter == 'store']"
    )
    with pytest.raises(
        TypeError, match=r"^level must be the Level that this world made of cellars/1, not 7$"
    ):
        world.why("cellars/1", 7)
    with pytest.raises(KeyError, match=r"has no map 'cellars/11' \(did you mean cellars/1\?\)"):
        world.why("cellars/11", level)
    with pytest.raises(ValueError, match=r"^the level must be cellars/1 of seed 4, not cellars/1 of seed 3$"):
        dungeon.World(content, 4).why("cellars/1", level)


def test_a_node_is_no_id(content):
    world = dungeon.World(content)
    with pytest.raises(TypeError, match="a map's id is text such as 'cellars/1', not MapNode"):
        world.level(world.start)


# -- folders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [dungeon.load_content, dungeon.examine_content])
def test_a_folder_without_a_name_is_not_the_one_that_a_program_runs_in(content, monkeypatch, read):
    monkeypatch.chdir(content.folder)
    with pytest.raises(ValueError, match=r"the name of a folder is empty; '\.' is the current"):
        read("")
    assert read(".")


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (
            "data/prefabs",
            "data/prefabs: error: this folder is a part of the content in data; name that folder instead",
        ),
        (
            "data/world.yaml",
            "data/world.yaml: error: this folder is a part of the content in data; name that folder instead",
        ),
        ("notes.txt", "notes.txt: error: this is a file, not a folder"),
        ("dta", "dta: error: there is no such folder"),
    ],
)
def test_what_is_no_content_folder_is_told(tmp_path, monkeypatch, folder, message):
    write_content(tmp_path / "data")
    (tmp_path / "notes.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    for read in (dungeon.load_content, lambda mod: dungeon.load_content("data", mod)):
        with pytest.raises(dungeon.ContentError) as raised:
            read(folder)
        assert [str(each) for each in raised.value.problems] == [message]


# -- calls ----------------------------------------------------------------------------------------


def called(*arguments):
    """Return the exit code of a call."""
    try:
        return main([*arguments])
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("shwo", r"dungeon: error: there is no command 'shwo', only show, watch, .* \(did you mean show\?\)"),
        ("--verson", r"dungeon: error: there is no option --verson \(did you mean --version\?\)"),
        ("show cellars --sed 3", r"dungeon show: error: there is no option --sed \(did you mean --seed\?\)"),
        ("why --jsn", r"dungeon why: error: there is no option --jsn \(did you mean --json\?\)"),
        ("why cellars -q", r"dungeon why: error: there is no option -q \(dungeon why --help lists them\)"),
        ("show cellars 5", "dungeon show: error: one argument too many: '5'"),
        (
            "why cellars --seed 3 guard",
            r"dungeon why: error: one argument too many: 'guard' \(or it must stand beside the other names, not after an option\)",
        ),
        ("show cellars --seed=", "dungeon show: error: argument --seed: a seed can't be empty text; .*"),
        (
            "show cellars --color red",
            "dungeon show: error: .* there is no colour 'red', only auto, always, never",
        ),
        ("show cellars/9", r"dungeon: this world has no map or prefab 'cellars/9' \(did you mean .*\)"),
        ("check dta", r"dungeon: there is no folder 'dta' \(did you mean data\?\)"),
        ("check --data=", "dungeon: there is no folder ''"),
        ("check data mood", "dungeon: there is no folder 'mood'"),
        ("show cellars --mod mood", "dungeon: there is no folder 'mood'"),
        ("odds notes.txt", "dungeon: notes.txt is a file, not a folder of content"),
        ("check .", r"dungeon: there is no content in \. \(did you mean data\?\)"),
    ],
)
def test_a_wrong_call_is_told_in_a_line(tmp_path, monkeypatch, capsys, call, message):
    write_content(tmp_path / "data")
    (tmp_path / "notes.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    assert called(*call.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(f"{message}\n", err), err


def test_a_seed_may_be_typed_as_text(tmp_path, monkeypatch, capsys):
    write_content(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    drawn = []
    for seed in ("moss", "6230978740213746", "-7"):
        assert called("show", "cellars", "--seed", seed) == 0
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_demo_takes_text_for_a_seed_too(tmp_path, monkeypatch, capsys):
    seeds = []

    def session(_content, seed, **_):
        seeds.append(seed)
        raise dungeon.GenerationError("far enough")

    monkeypatch.setattr(start, "Session", session)
    monkeypatch.setattr(start, "choose_frontend", lambda *_, **__: nullcontext())
    data = str(write_content(tmp_path))
    assert demo(["--data", data, "--seed", "moss"]) == 1
    assert demo(["--data", data]) == 1
    assert seeds == ["moss", None]
    capsys.readouterr()
    assert demo(["--data", data, "--seed", ""]) == 2
    assert capsys.readouterr().err.startswith("dungeon-demo: a seed can't be empty text")


# -- colours --------------------------------------------------------------------------------------


class Terminal(StringIO):
    """Takes what is printed, as a terminal."""

    def isatty(self):
        """Say that it is one."""
        return True


@pytest.mark.parametrize(
    ("environment", "option", "is_coloured"),
    [
        ({}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({}, ["--color", "never"], False),
        ({"TERM": "dumb", "NO_COLOR": "1"}, ["--color=always"], True),
        ({}, ["--colour", "auto"], True),
    ],
)
@pytest.mark.parametrize("command", [["explain", "store"], ["check"], ["show", "cellars"]])
def test_problems_have_colours_where_they_are_wanted(
    tmp_path, monkeypatch, command, environment, option, is_coloured
):
    write_content(tmp_path, {"prefabs/rooms.yaml": "store: {map: 'Q'}"})
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out, err = Terminal(), Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    assert called(*command, "--data", str(tmp_path), *option) == 1
    said = (out if command == ["check"] else err).getvalue()
    assert ("\x1b[1;31merror" in said) == is_coloured
    assert "no legend or palette says what this character means" in said


@pytest.mark.parametrize("command", [each.__name__.rpartition(".")[2] for each in COMMANDS])
def test_every_command_takes_the_option_of_colours(capsys, command):
    assert called(command, "--help") == 0
    assert "--color {auto,always,never}" in capsys.readouterr().out


LEVEL = r"takes a level, such as world\.level\('foundry/3'\)"
SCENE = "takes a level, a sample of a prefab or a frame of a recording"
WRONG_TYPES = [
    *((f"tiles({wrong}, [('walkable', bool)])", LEVEL) for wrong in ("world", "'cellars/1'", "None", "3")),
    ("to_esper(world)", LEVEL),
    ("to_tcod_ecs(None, None)", LEVEL),
    ("to_tcod_ecs(level, None)", "a tcod.ecs.Registry"),
    ("remove_from_esper(3)", f"{LEVEL}, or its id"),
    ("remove_from_tcod_ecs(3, None)", f"{LEVEL}, or its id"),
    ("to_json(world)", LEVEL),
    ("to_tiled(world)", LEVEL),
    ("prove(world)", LEVEL),
    ("prove(None)", LEVEL),
    ("prove(level, content)", "a world, or None, beside the level"),
    ("measure('cellars/1')", LEVEL),
    ("to_console('cellars/1')", SCENE),
    ("to_text(None)", SCENE),
    ("to_image(world)", SCENE),
    ("from_json(None)", "the text that to_json wrote"),
    ("from_tiled(level)", "the text of a .tmj file"),
    ("prefab_from_tiled(3)", "the text of a .tmj file"),
    ("load_content(3)", "the path of a folder"),
    ("load_content(None)", "the path of a folder"),
    ("load_content('data', 3)", "the path of a folder"),
    ("examine_content(content)", "the path of a folder"),
    ("content_schemas(3)", "the path of a folder"),
    ("export_prefab(content, 'heap', 'text')", "the path of a folder"),
    ("export_prefab('data', 3, 'text')", "the name of a prefab"),
    ("sample_prefab('data', 'heap')", r"content, such as load_content\('data'\)"),
    ("sample_prefab(content, 3)", "the name of a prefab"),
    ("read_xp(3)", "the path of a file"),
    ("write_xp(None, [])", "the path of a file"),
    ("write_xp('a.xp', 3)", "a list of layers"),
    ("write_xp('a.xp', ['###'])", "a list of layers"),
    ("Recording(3)", "the steps of a level"),
    ("Recording('cellars/1')", "the steps of a level"),
    ("components_of(world)", "a spawn, door, portal's end, exit, light, marker or level"),
    ("xy(3)", "a cell, spawn, door, exit"),
]


@pytest.mark.parametrize(("call", "wanted"), WRONG_TYPES, ids=[call for call, _ in WRONG_TYPES])
def test_a_value_of_the_wrong_type_is_told_with_what_is_wanted(content, call, wanted):
    world = dungeon.World(content)
    level = world.level("cellars/1")
    function = call.partition("(")[0]
    with pytest.raises(TypeError, match=rf"^{function}\(\) takes .*{wanted.removeprefix('takes ')}.*, not "):
        eval(f"dungeon.{call}", {"dungeon": dungeon, "world": world, "level": level, "content": content})


def test_the_objects_of_a_content_are_listed(content):
    tags = {(each.kind, each.tag) for each in content.objects}
    assert len(tags) == len(content.objects)
    assert {("prop", "crate"), ("prop", "barrel")} <= tags
    world = dungeon.World(content)
    spawns = [spawn for node in world.maps for spawn in world.level(node.id).spawns]
    assert {(spawn.kind, spawn.tag, spawn.name) for spawn in spawns} <= {
        (each.kind, each.tag, each.name) for each in content.objects
    }
