"""The house: imports run only down, neighbours on one floor do not know each other, and the cellar is small."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FLOORS = [
    {"terrain", "grid", "errors", "streams", "registry", "vocabulary", "collector"},
    {"level", "content"},
    {"layouts", "placing", "encounters", "populate", "adapters", "seeding"},
    {"stages"},
    {"world", "sample"},
    {"game_demo", "playtest"},
    {"cli"},
]
FRONT_DOOR = "dungeon"  # dungeon/__init__.py names the public API and may show any room

CORE = {"tcod", "numpy", "esper", "yaml", "pydantic", "pydantic_core"}
EXTRAS = {"cli": {"PIL", "rich", "watchfiles"}, "game_demo": {"blessed", "wcwidth"}}

FILES = sorted([*ROOT.glob("dungeon/**/*.py"), *ROOT.glob("game_demo/**/*.py")])


def room_of(module: str) -> str:
    """Return the room that a module of ours belongs to."""
    parts = module.split(".")
    if parts[0] == "game_demo":
        return "game_demo"
    if len(parts) == 1:
        return FRONT_DOOR
    return "cli" if parts[1] == "__main__" else parts[1]


def floor_of(room: str) -> int:
    """Return the floor of a room, 0 for the ground."""
    (floor,) = [number for number, rooms in enumerate(FLOORS) if room in rooms]
    return floor


def imports_of(path: Path) -> list[str]:
    """Return every module that a file imports, also those that only type checkers import."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path} imports relatively"
            # `from dungeon import terrain` imports a room, not a name.
            named = [f"dungeon.{alias.name}" for alias in node.names if is_room(alias.name)]
            found += named if node.module == "dungeon" and named else [node.module]
    return found


def is_room(name: str) -> bool:
    """Tell whether a name is that of a room."""
    return any(name in rooms for rooms in FLOORS)


def module_of(path: Path) -> str:
    """Return the dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_file_is_in_a_room_that_has_a_floor() -> None:
    rooms = {room_of(module_of(path)) for path in FILES} - {FRONT_DOOR}
    assert [room for room in sorted(rooms) if not is_room(room)] == []


@pytest.mark.parametrize("path", [path for path in FILES if module_of(path) != FRONT_DOOR], ids=module_of)
def test_imports_run_only_down_and_not_to_neighbours(path: Path) -> None:
    here = room_of(module_of(path))
    for module in imports_of(path):
        if module.split(".")[0] not in ("dungeon", "game_demo"):
            continue
        there = room_of(module)
        if there == here or (there == FRONT_DOOR and floor_of(here) >= floor_of("game_demo")):
            continue
        assert floor_of(there) < floor_of(here), f"{here} must not import {module}"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_nothing_is_needed_beyond_the_core_and_the_extras_of_the_room(path: Path) -> None:
    allowed = CORE | EXTRAS.get(room_of(module_of(path)), set())
    for module in imports_of(path):
        top = module.split(".")[0]
        assert top in {"dungeon", "game_demo", *allowed} or top in sys.stdlib_module_names, module


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(module_of(path)) == "grid"], ids=module_of
)
def test_the_grid_speaks_no_game_words(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    words = ("prefab", "encounter", "monster", "robot", "wall", "floor", "door", "dungeon map")
    assert [word for word in words if word in text] == []
