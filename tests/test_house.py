"""The house: imports run only down, neighbours on one floor do not know each other, and the cellar is small."""

import ast
import sys
from collections.abc import Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FLOORS = [
    {"dungeon.core"},
    {"dungeon.terrain", "dungeon.grid"},
    {"dungeon.level", "dungeon.content"},
    {"dungeon.proof.puzzle"},
    {"dungeon.proof.puzzle_moves"},
    {"dungeon.proof.puzzle_search"},
    {"dungeon.proof.puzzle_drops"},
    {"dungeon.proof"},
    {"dungeon.metrics"},
    {"dungeon.generation.openings"},
    {
        "dungeon.generation.layouts",
        "dungeon.generation.placing",
        "dungeon.generation.encounters",
        "dungeon.generation.populate",
        "dungeon.generation.seeding",
        "dungeon.generation.dressing",
        "dungeon.adapters",
    },
    {"dungeon.generation.modes", "dungeon.generation.locks"},
    {"dungeon.generation"},
    {"dungeon.world", "dungeon.authoring", "dungeon.extend"},
    {"dungeon.proof.world_rules"},
    {"dungeon.proof.spacing_rules", "dungeon.proof.tower_rules", "dungeon.proof.key_rules"},
    {"dungeon.proof.prove"},
    {"dungeon.authoring.reading"},
    {"game_demo.state", "game_demo.content", "game_demo.versions", "dungeon.playtest"},
    {"game_demo.rules"},
    {"game_demo.display", "game_demo.saving"},
    {"game_demo.screens", "game_demo.frontends"},
    {"game_demo.bot_choices"},
    {"game_demo.playing"},
    {"game_demo.bot_games"},
    {"game_demo.start"},
    {"game_demo"},
    {"dungeon.cli"},
    {"dungeon.__main__"},
]
"""From the ground up. A room within a room has a floor of its own; what is left of the outer one lies above it."""

INNER = [
    "dungeon.content.source",
    "dungeon.content.values",
    "dungeon.content.catalog",
    "dungeon.content.prefab",
    "dungeon.content.drawing",
    "dungeon.content.models",
    "dungeon.content.costs",
    "dungeon.content.library",
    "dungeon.content.loading",
]
"""The way of content, from text to `Content`: each may know those before it."""

FRONT_DOOR = "dungeon"  # dungeon/__init__.py names the public API and may show any room

CORE = {"tcod", "numpy", "esper", "yaml", "pydantic", "pydantic_core"}
EXTRAS = {
    "dungeon.cli": {"PIL", "argcomplete", "rich", "watchfiles"},
    "dungeon.playtest": {"altair", "distributed", "duckdb", "gymnasium", "pyarrow", "vl_convert"},
    "game_demo": {"wcwidth"},
}

FILES = sorted([*ROOT.glob("dungeon/**/*.py"), *ROOT.glob("game_demo/**/*.py")])


def within(module: str, room: str) -> bool:
    """Tell whether a module is a room or lies in it."""
    return module == room or module.startswith(f"{room}.")


@cache
def room_of(module: str) -> str:
    """Return the innermost room with a floor of its own that a module lies in."""
    rooms = [room for rooms in FLOORS for room in rooms if within(module, room)]
    return max(rooms, key=len, default=FRONT_DOOR)


@cache
def floor_of(room: str) -> int:
    """Return the floor of a room, 0 for the ground."""
    (floor,) = [number for number, rooms in enumerate(FLOORS) if room in rooms]
    return floor


def module_of(path: Path) -> str:
    """Return the dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


@cache
def imports_of(path: Path) -> list[str]:
    """Return every module that a file imports, also those that only type checkers import."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path} imports relatively"
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in MODULES else node.module for name in named]
    return found


def ours(path: Path) -> list[str]:
    """Return what a file imports of ours."""
    return [name for name in imports_of(path) if name.split(".")[0] in ("dungeon", "game_demo")]


def first_of(module: str, rooms: Sequence[str]) -> int | None:
    """Return which of these rooms a module lies in, or None."""
    return next((number for number, room in enumerate(rooms) if within(module, room)), None)


def test_every_file_is_in_a_room_that_has_a_floor() -> None:
    assert [module for module in MODULES if room_of(module) == FRONT_DOOR] == [FRONT_DOOR]


def test_imports_run_only_down_and_not_to_neighbours() -> None:
    wrong = []
    for importer, path in MODULES.items():
        here = room_of(importer)
        if here == FRONT_DOOR:
            continue
        for module in ours(path):
            there = room_of(module)
            if there == here or (there == FRONT_DOOR and floor_of(here) >= floor_of("game_demo.state")):
                continue
            if floor_of(there) >= floor_of(here):
                wrong.append(f"{importer} must not import {module}")
    assert wrong == []


def test_content_goes_one_way() -> None:
    wrong = []
    for importer, path in MODULES.items():
        here = first_of(importer, INNER)
        for module in ours(path):
            there = first_of(module, INNER)
            if here is not None and there is not None and there > here:
                wrong.append(f"{importer} must not import {module}")
    assert wrong == []


def test_no_imports_go_in_circles() -> None:
    graph = {name: {each for each in ours(path) if each != name} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_nothing_is_needed_beyond_the_core_and_the_extras_of_the_room() -> None:
    wrong = []
    for importer, path in MODULES.items():
        allowed = CORE.union(*(extras for room, extras in EXTRAS.items() if within(importer, room)))
        for module in imports_of(path):
            top = module.split(".")[0]
            if top not in {"dungeon", "game_demo", *allowed} and top not in sys.stdlib_module_names:
                wrong.append(f"{importer} must not import {module}")
    assert wrong == []


def test_the_grid_speaks_no_game_words() -> None:
    words = ("prefab", "encounter", "monster", "robot", "wall", "floor", "door", "dungeon map")
    for path in FILES:
        if room_of(module_of(path)) == "dungeon.grid":
            text = path.read_text(encoding="utf-8").lower()
            assert [word for word in words if word in text] == [], path


def circle_in(room: str) -> list[str]:
    """Return modules of a room that import each other in a circle, types included; nothing if none do."""
    above = {
        module_of(path): {module for module in imports_of(path) if module.startswith(f"dungeon.{room}.")}
        for path in FILES
        if room_of(module_of(path)) == room
    }
    while free := [module for module, needs in above.items() if not needs & above.keys()]:
        for module in free:
            del above[module]
    return sorted(above)


def test_no_layouts_import_each_other() -> None:
    assert circle_in("layouts") == []
