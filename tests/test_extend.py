"""Plugins: the example of `docs/extend.md` works everywhere, and mistakes of plugins are reported."""

from __future__ import annotations

import ast
import json
import os
import pickle
import re
import subprocess
import sys
from inspect import get_annotations
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from drawn import write

import dungeon
from dungeon import extend, playtest
from dungeon.cli import main
from dungeon.core.registry import import_installed
from dungeon.generation import registering
from game_demo.__main__ import main as demo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "extend.md"
EXAMPLE = ROOT / "docs" / "extend"
SHOWN = re.compile(r"^\[`(\S+)`\]\(extend/(\S+)\)\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def content() -> Iterator[dungeon.Content]:
    """The content of the page, with its plugin registered as long as it is needed."""
    with pytest.MonkeyPatch.context() as patch, extend.forgotten_afterwards():
        patch.syspath_prepend(str(EXAMPLE))
        extend.import_plugin("dungeon_halls")
        yield dungeon.load_content(EXAMPLE / "data")
    for module in [each for each in sys.modules if each.partition(".")[0] == "dungeon_halls"]:
        del sys.modules[module]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the plugin is installed, as installers leave it: with its metadata beside it."""
    folder = tmp_path_factory.mktemp("site")
    copytree(EXAMPLE / "dungeon_halls", folder / "dungeon_halls")
    points = (
        (EXAMPLE / "pyproject.toml").read_text("utf-8").partition('[project.entry-points."dungeon.plugins"]')
    )
    return write(
        folder,
        {
            "dungeon_halls-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: dungeon-halls\nVersion: 1.0\n",
            "dungeon_halls-1.0.dist-info/entry_points.txt": "[dungeon.plugins]" + points[2].replace('"', ""),
        },
    )


def run(code: str, *paths: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, which finds modules in these folders, too."""
    found = os.pathsep.join(map(str, [*paths, ROOT]))
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        text=True,
        check=False,
    )


# -- the page -------------------------------------------------------------------------------------


def test_the_page_shows_every_file_of_the_example_as_it_is() -> None:
    shown = {name: text for name, there, text in SHOWN.findall(PAGE.read_text("utf-8")) if name == there}
    files = [each for each in EXAMPLE.rglob("*") if each.suffix in {".py", ".yaml", ".toml"}]
    assert len(files) == 12
    assert shown == {each.relative_to(EXAMPLE).as_posix(): each.read_text("utf-8") for each in files}


def test_the_example_imports_nothing_but_what_is_meant_for_plugins() -> None:
    imported = {
        node.module
        for file in (EXAMPLE / "dungeon_halls").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    assert imported == {"collections.abc", "typing", "dungeon.extend", "dungeon_halls"}


def test_every_name_for_plugins_is_there_and_explained() -> None:
    assert extend.__all__ == sorted(
        extend.__all__, key=lambda name: (not name.isupper(), name.islower(), name)
    )
    unexplained = [
        name
        for name in extend.__all__
        if isinstance(each := getattr(extend, name), type)
        and not (each.__doc__ or "").strip().split("\n")[0].endswith(".")
    ]
    assert unexplained == []


@pytest.mark.parametrize("told", [registering.LayoutOptions, registering.PlacingOptions, extend.LayoutJob])
def test_nothing_that_plugins_give_or_get_is_of_any_type(told: type) -> None:
    said = get_annotations(told)
    assert len(said) > 6
    assert [name for name, each in said.items() if re.search(r"\bAny\b", str(each))] == []


# -- what it does ---------------------------------------------------------------------------------


def test_rooms_hang_on_a_paved_hall_and_altars_stand_in_corners(content: dungeon.Content) -> None:
    moss = content.terrain_set.code("moss")
    for seed in range(8):
        for level in map(dungeon.World(content, seed).level, ("abbey/1", "abbey/2")):
            assert dungeon.prove(level) == []
            (hall,) = [each for each in level.regions if each.kind == "corridor"]
            assert (level.terrain[hall.bounds.slices] == moss).all()
            assert hall.bounds.height in (2, 3)
            assert all(hall.id in door.between for door in level.connections)
            assert len(level.placements) >= 4
            for each in level.placements:
                room, altar = level.regions[each.region - 1].bounds, each.bounds
                gaps = sorted([altar.y - room.y, room.bottom - altar.bottom])[:1]
                gaps += sorted([altar.x - room.x, room.right - altar.right])[:1]
                assert all(gap in (0, 1) for gap in gaps)


def test_their_parameters_are_checked_like_others(content: dungeon.Content, tmp_path: Path) -> None:
    copytree(content.folder, tmp_path / "data")
    file = tmp_path / "data" / "maps" / "abbey.yaml"
    file.write_text(
        file.read_text("utf-8").replace("width: 2..3", "width: [2, 9]").replace("room:", "rom:"), "utf-8"
    )
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(tmp_path / "data")
    assert [str(each).removeprefix(f"{file}:") for each in caught.value.problems] == [
        "4:31: error: map 'abbey': this number must lie between 1 and 5: 9",
        "4:35: error: map 'abbey': this key is not known: rom (did you mean room?)",
    ]


@pytest.mark.usefixtures("content")
def test_their_parameters_are_in_the_schema() -> None:
    schemas = dungeon.content_schemas()
    width = schemas["maps"]["$defs"]["SpineParams"]["properties"]["width"]
    assert (width["description"], width["default"]) == ("The width of the hall in cells.", 1)
    assert "CorneredParams" in schemas["encounters"]["$defs"]


def test_content_tells_which_plugins_it_needs(content: dungeon.Content, tmp_path: Path) -> None:
    assert content.plugins == ("dungeon_halls.cornered", "dungeon_halls.spine")
    plain = {"world.yaml": "start: pit/1\n", "maps/pit.yaml": "pit: {name: Pit, layout: caves}\n"}
    assert dungeon.load_content(write(tmp_path, plain)).plugins == ()


def test_content_brings_its_plugins_to_another_process(content: dungeon.Content, tmp_path: Path) -> None:
    (tmp_path / "content").write_bytes(pickle.dumps(content))
    code = f"""
import pickle, sys, dungeon
packed = open("content", "rb").read()
try:
    pickle.loads(packed)
except ModuleNotFoundError as error:
    print(error)
sys.path.append({str(EXAMPLE)!r})
print(dungeon.to_json(dungeon.World(pickle.loads(packed), 3).level("abbey/1")), end="")
"""
    done = run(code, cwd=tmp_path)
    without, _, there = done.stdout.partition("\n")
    assert without == "No module named 'dungeon_halls'", done.stderr
    assert there == dungeon.to_json(dungeon.World(content, 3).level("abbey/1"))


# -- where it is found ----------------------------------------------------------------------------

PITS = {"world.yaml": "start: pit/1\n", "maps/pit.yaml": "pit: {name: Pit, layout: pit, size: 20x20}\n"}
BURROW = """
from dungeon.extend import Parameters, Phase, Rect, Step, register_layout

def pit(canvas, params, job):
    canvas.carve_room(Rect(2, 2, 4, 4))
    canvas.build_walls()
    yield Step(Phase.LAYOUT, "a pit", canvas)

register_layout("pit", Parameters, pit)
"""

EVERYWHERE = f"""
import json
import dungeon
from dungeon.cli import main

data = {str(EXAMPLE / "data")!r}
told = {{
    "check": main(["check", data]),
    "show": main(["show", "abbey/1", "--data", data]),
    "odds": main(["odds", data, "--realised", "2", "--jobs", "2"]),
    "playtest": main(["playtest", data, "--worlds", "4", "--jobs", "2", "--out", "run"]),
    "report": main(["report", "run", "--text"]),
}}
with dungeon.playtest.open("run") as run:
    told["levels"] = len(run.levels.filter("error IS NULL"))
    told["arguments"] = run.facts.arguments

from game_demo.playing import start
play = start(dungeon.World(dungeon.load_content(data), 1))
play.act(play.legal()[0])
told["map"] = play.observe().map_id
print(json.dumps(told))
"""


def test_where_it_is_installed_it_works_in_commands_processes_and_games(
    installed: Path, tmp_path: Path
) -> None:
    done = run(EVERYWHERE, installed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ",,,," in done.stdout
    assert "The content is not at hand" not in done.stdout
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "check": 0,
        "show": 0,
        "odds": 0,
        "playtest": 0,
        "report": 0,
        "levels": 8,
        "arguments": f" --data {EXAMPLE / 'data'} --import dungeon_halls.cornered --import dungeon_halls.spine",
        "map": "abbey/1",
    }


def test_commands_and_the_demo_import_what_they_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A module in the folder that one is in is found, too."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(write(tmp_path, {"burrow.py": BURROW}))
    write(tmp_path / "pits", PITS)
    with extend.forgotten_afterwards():
        assert main(["check", "pits"]) == 1
        assert main(["check", "pits", "--import", "burrow"]) == 0
    del sys.modules["burrow"]
    with extend.forgotten_afterwards():
        assert demo(["--data", "pits", "--import", "burrow", "--map", "nowhere/1"]) == 2
        assert "there is no map 'nowhere/1', only pit/1" in capsys.readouterr().err
    del sys.modules["burrow"]


# -- what goes wrong ------------------------------------------------------------------------------


class Nothing(extend.Parameters):
    """Nothing to set."""


def pit(canvas: extend.Canvas, params: Nothing, job: extend.LayoutJob) -> Iterator[extend.Step]:
    canvas.carve_room(extend.Rect(2, 2, 4, 4))
    canvas.build_walls()
    yield extend.Step(extend.Phase.LAYOUT, "a pit", canvas)


def test_a_name_is_taken_once_and_the_error_tells_by_whom() -> None:
    with extend.forgotten_afterwards():
        extend.register_layout("pit", Nothing, pit)
        with pytest.raises(ValueError, match=rf"{__name__} can't register the layout 'pit': {__name__} has"):
            extend.register_layout("pit", Nothing, pit)
        with pytest.raises(ValueError, match=r"the layout 'caves': dungeon[a-z_.]+ has one"):
            extend.register_layout("caves", Nothing, pit)


def test_parameters_are_of_the_class_that_they_must_be() -> None:
    with (
        extend.forgotten_afterwards(),
        pytest.raises(
            TypeError,
            match="the layout 'pit': the class of its parameters must be a subclass of Parameters, and <class 'int'> is not",
        ),
    ):
        extend.register_layout("pit", int, pit)  # type: ignore[type-var]


def yields_nothing(_canvas: extend.Canvas, _params: Nothing, _job: extend.LayoutJob) -> Iterator[extend.Step]:
    """Yield, but no step."""
    yield  # type: ignore[misc]


def lost_door(canvas: extend.Canvas, _params: Nothing, _job: extend.LayoutJob) -> Iterator[extend.Step]:
    """Dig a room with a door to a region that there is not."""
    canvas.add_door(1, 3, (canvas.carve_room(extend.Rect(2, 2, 4, 4)), 7))
    yield extend.Step(extend.Phase.LAYOUT, "a room", canvas)


def lost_room(canvas: extend.Canvas, _params: Nothing, _job: extend.LayoutJob) -> Iterator[extend.Step]:
    """Dig a room of a region that there is not."""
    canvas.carve(extend.Rect(2, 2, 4, 4), extend.terrain.FLOOR, 7)
    yield extend.Step(extend.Phase.LAYOUT, "a room", canvas)


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda *_: None, "a layout yields steps; this one has no 'yield', and has returned None"),
        (yields_nothing, r"a layout yields steps, Step.*, not None"),
        (lost_room, "the layout carved the cell at y 2, x 2 for region 7, but the map has 0 regions"),
        (lost_door, r"the door at 1, 3 leads between regions \(1, 7\), but the map has 1 region"),
    ],
)
def test_what_a_layout_does_wrong_is_told_and_of_which_layout(
    build: Callable[..., Iterator[extend.Step]], told: str, tmp_path: Path
) -> None:
    with extend.forgotten_afterwards():
        extend.register_layout("pit", Nothing, build)
        world = dungeon.World(dungeon.load_content(write(tmp_path, PITS)))
        with pytest.raises((TypeError, ValueError), match=told) as caught:
            world.level("pit/1")
    assert caught.value.__notes__ == [
        f"This was in the layout 'pit' of {__name__}.",
        "The level was pit/1 of seed 0.",
    ]


@pytest.mark.parametrize(
    ("spots", "error", "told"),
    [
        (lambda *_: 1 // 0, ZeroDivisionError, "division"),
        (
            lambda *_: 6,
            TypeError,
            r"a placing mode must return an iterator of \('what is wrong', mask\) pairs, but it returned 6",
        ),
        (
            lambda *_: iter([6]),
            TypeError,
            r"a placing mode must yield \('what is wrong', mask\) pairs, but it yielded 6",
        ),
        (lambda *_: iter([(6, "too small")]), TypeError, r"but it yielded \(6, 'too small'\)"),
    ],
)
def test_what_goes_wrong_in_a_placing_mode_is_told_with_its_name(
    spots: Callable[..., extend.Rules], error: type[Exception], told: str, tmp_path: Path
) -> None:
    used = {
        "encounters/a.yaml": "a: {category: fluff, prefabs: a, placing: askew, maps: {pit: 1}}",
        "prefabs/a.yaml": "a: {map: '.'}",
        "maps/pit.yaml": "pit: {name: Pit, layout: tunnels, encounters: 1}",
    }
    with extend.forgotten_afterwards():
        extend.register_placing("askew", Nothing, spots, lambda *_: None)
        world = dungeon.World(dungeon.load_content(write(tmp_path, {**PITS, **used})))
        with pytest.raises(error, match=told) as caught:
            world.level("pit/1")
    assert caught.value.__notes__[0] == f"This was in the placing mode 'askew' of {__name__}."


@pytest.mark.parametrize("command", [["show", "pit/1"], ["why", "pit/1"], ["check"]])
def test_commands_name_the_function_line_and_seed_of_a_failing_plugin(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with extend.forgotten_afterwards():
        extend.register_layout("pit", Nothing, lambda *_: iter(lambda: 1 // 0, None))
        data = str(write(tmp_path, PITS))
        seed = [] if command == ["check"] else ["--seed", "4"]
        assert main([*command, "--data", data, *seed]) == 1
    told = " ".join(capsys.readouterr())
    where = rf"\(<lambda>, test_extend.py, line \d+.*\) This was in the layout 'pit' of {__name__}. The level was pit/1 of seed "
    assert re.search(rf"ZeroDivisionError: .* {where}{4 if seed else 0}", told)
    assert "Traceback" not in told


def test_a_playtest_goes_on_without_the_levels_that_a_plugin_fails_to_make(tmp_path: Path) -> None:
    with extend.forgotten_afterwards():
        extend.register_layout("pit", Nothing, lambda *_: iter(lambda: 1 // 0, None))
        content = dungeon.load_content(write(tmp_path / "content", PITS))
        assert playtest.record(content, range(2), out=tmp_path / "run").failed_levels == 2
    with playtest.open(tmp_path / "run") as run:
        failures = run.failures.project("seed, map, error").fetchall()
    assert [(seed, map_id) for seed, map_id, _ in failures] == [(0, "pit/1"), (1, "pit/1")]
    assert failures[0][2] == failures[1][2]
    told = r"ZeroDivisionError: .* \(<lambda>, test_extend.py, line \d+; called by .*\) This was in the layout 'pit' of "
    assert re.fullmatch(told + __name__ + r"\.", failures[0][2])


def test_what_is_registered_for_a_test_is_forgotten(tmp_path: Path) -> None:
    with extend.forgotten_afterwards():
        extend.register_layout("pit", Nothing, pit)
        content = dungeon.load_content(write(tmp_path, PITS))
    with pytest.raises(dungeon.ContentError, match="no layout of this name is registered"):
        dungeon.load_content(tmp_path)
    with pytest.raises(
        LookupError, match="no layout 'pit' is registered: import the plugin that registers it"
    ):
        dungeon.World(content).level("pit/1")


@pytest.mark.parametrize(
    ("part", "name", "meant"),
    [
        ("layout", "carved", ""),
        ("layout", "cavern", ""),
        ("layout", "halls", ""),
        ("layout", "tunnel_maze", ""),
        ("layout", "tunnles", "tunnels"),
        ("layout", "Cave", "caves"),
        ("layout", "patchwrk", "patchwork"),
        ("placing", "center", ""),
        ("placing", "encased", ""),
        ("placing", "accesible", "accessible"),
        ("zone", "carved", ""),
        ("zone", "minse", "mines"),
    ],
)
def test_a_name_that_no_plugin_registered_is_no_typing_error_unless_it_looks_like_one(
    tmp_path: Path, part: str, name: str, meant: str
) -> None:
    layout = {
        "layout": name,
        "placing": "tunnels",
        "zone": f"{{patchwork: {{zones: {{a: {{layout: {name}}}}}}}}}",
    }
    used = {
        "encounters/a.yaml": f"a: {{category: fluff, prefabs: a, maps: {{pit: 1}}, placing: {name if part == 'placing' else 'free'}}}",
        "prefabs/a.yaml": "a: {map: '.'}",
        "maps/pit.yaml": f"pit: {{name: Pit, layout: {layout[part]}, encounters: 1}}",
    }
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(write(tmp_path, {**PITS, **used}))
    (problem,) = [each for each in caught.value.problems if each.value == name]
    assert problem.message == (
        f"no {'placing mode' if part == 'placing' else 'layout'} of this name is registered; "
        "it may come from a plugin that is not installed or not imported (--import NAME)"
    )
    assert (problem.value, problem.nearest or "") == (name, meant)


BROKEN = {
    "clash": "import dungeon\nfrom dungeon.extend import *\n"
    "dungeon.register_layout('pit', Parameters, print)\ndungeon.register_layout('caves', Parameters, print)\n",
    "exit": "raise SystemExit(7)\n",
    "syntax": "def\n",
    "gone": "import nothing_of_this_name\n",
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_installed_plugin_is_told_and_stops_only_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    files = {
        f"broken_{how}.py": BROKEN[how],
        "broken-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: broken\nVersion: 2.0\n",
        "broken-2.0.dist-info/entry_points.txt": f"[dungeon.plugins]\nlost = broken_{how}\n",
    }
    told = f"the plugin lost (broken_{how} of broken 2.0) can't be imported: "
    pits = write(tmp_path / "pits", PITS)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(write(tmp_path, files))
        import_installed.cache_clear()
        assert main(["check", str(EXAMPLE.parent.parent / "tests" / "real_world")]) in (0, 3)
        (said,) = capsys.readouterr().err.splitlines()
        assert said.startswith(f"dungeon: {told}")
        assert main(["check", str(pits)]) == 1
        assert "no layout of this name is registered" in capsys.readouterr().out
        import_installed.cache_clear()
        with pytest.warns(extend.PluginWarning, match=re.escape(told)):
            import_installed()
    import_installed.cache_clear()
    import_installed()


def test_a_plugin_that_is_named_and_cannot_be_imported_is_an_error() -> None:
    with pytest.raises(extend.PluginError, match="the plugin nowhere can't be imported: ModuleNotFoundError"):
        extend.import_plugin("nowhere")
