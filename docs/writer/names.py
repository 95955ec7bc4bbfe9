"""The page of the reference about every public name, from its docstring."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

CHAPTERS: dict[str, tuple[str, ...]] = {
    "Reading and checking content": (
        "dungeon.reading",
        "dungeon.authoring",
        "dungeon.content",
        "dungeon.core.errors",
    ),
    "Worlds and levels": (
        "dungeon.world",
        "dungeon.generation.atlas",
        "dungeon.level",
        "dungeon.terrain",
        "dungeon.core",
    ),
    "Proof, measures, reasons and odds": (
        *("dungeon.proof.prove", "dungeon.metrics", "dungeon.level.journal"),
        *("dungeon.generation.encounters", "dungeon.generation.odds"),
    ),
    "Pictures, text, JSON and steps": ("dungeon.adapters", "dungeon.level.steps"),
    "Entities of esper": ("dungeon.adapters.components", "dungeon.adapters.entities"),
    "Drawings, and variants of prefabs": (
        "dungeon.content.drawing",
        "dungeon.generation.populate",
        "dungeon.grid",
    ),
    "Your own layouts and placing modes": ("dungeon.level.canvas", "dungeon.generation"),
}
"""Chapter -> the packages and modules with its public names. The most specific package decides the chapter of a name."""

ROOMS = {room: chapter for chapter, rooms in CHAPTERS.items() for room in rooms}

MODULES = (
    *("dungeon.extend", "dungeon.playtest", "dungeon.playtest.game"),
    "dungeon.playtest.bots.playing",
)
"""Other modules with public names: the names in their `__all__`, or all that they define."""


def page() -> str:
    """Return a description of every public name, for autodoc to fill in."""
    found: dict[str, list[str]] = {chapter: [] for chapter in CHAPTERS}
    for name in dungeon.__all__:
        found[chapter_of(name)].append(name)
    blocks = [
        f"## {chapter}\n\n" + "\n\n".join(_described(dungeon, name) for name in names)
        for chapter, names in found.items()
    ]
    return "\n\n".join([*blocks, *(_module(import_module(name)) for name in MODULES if find_spec(name))])


def chapter_of(name: str) -> str:
    """Return the chapter of a public name of the package.

    Raises:
        LookupError: No chapter has the name's package: add it to one.
    """
    home = home_of(dungeon, name)
    rooms = [room for room in ROOMS if f"{home}.".startswith(f"{room}.")]
    if not rooms:
        raise LookupError(f"no chapter has {home}, the module of {name}")
    return ROOMS[max(rooms, key=len)]


def home_of(module: ModuleType, name: str) -> str:
    """Return the name of the module that a public name of a module comes from."""
    stub = Path(f"{module.__file__}i")  # lists all names of a lazily loading module
    tree = ast.parse(stub.read_text(encoding="utf-8")) if stub.is_file() else _source_of(module.__name__)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and name in {alias.name for alias in node.names}:
            return node.module
    return module.__name__


def names_in(module: ModuleType) -> list[str]:
    """Return the public names of a module."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    here = inspect.getmembers(module, lambda each: getattr(each, "__module__", None) == module.__name__)
    return [name for name, _ in here if not name.startswith("_")]


def _module(module: ModuleType) -> str:
    """Return a chapter about a module. Names that the package `dungeon` has, too, are only listed."""
    names = names_in(module)
    shared = [
        name for name in names if name in dungeon.__all__ and getattr(module, name) is getattr(dungeon, name)
    ]
    blocks = [f"## {module.__name__}", (inspect.getdoc(module) or "").split("\n\n")[0]]
    if shared:
        blocks.append(
            f"Also in `dungeon`, with the same meaning: {', '.join(f'`{name}`' for name in shared)}."
        )
    return "\n\n".join([*blocks, *(_described(module, name) for name in names if name not in shared)])


def _described(module: ModuleType, name: str) -> str:
    """Return the text about a name: a directive of autodoc, or for a type alias or a value the string below its assignment."""
    value = getattr(module, name)
    called = f"{module.__name__}.{name}"
    if inspect.ismodule(value):
        return _directive(f"data:: {called}", f"\n{(inspect.getdoc(value) or '').splitlines()[0]}")
    if name in _assigned(home_of(module, name)):
        return _directive(f"data:: {called}", f"\n{alias_text(name, module)}")
    if inspect.isclass(value):
        return _directive(f"autoclass:: {called}", ":members:")
    return _directive(f"autofunction:: {called}")


def _directive(first: str, more: str = "") -> str:
    lines = [f".. {first}", *(f"   {line}" for line in more.splitlines())]
    return "```{eval-rst}\n" + "\n".join(lines) + "\n```"


def is_alias(name: str) -> bool:
    """Return whether a public name of the package is a type alias."""
    return name in _assigned(home_of(dungeon, name))


def alias_text(name: str, module: ModuleType = dungeon) -> str:
    """Return the string below the assignment of a public name; empty if it has none."""
    return _assigned(home_of(module, name)).get(name, "")


@cache
def _assigned(home: str) -> Mapping[str, str]:
    """Return name -> the string below its assignment, for each name that a module assigns."""
    body = _source_of(home).body
    found = {}
    for node, after in zip(body, [*body[1:], None], strict=True):
        match node, after:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = text
            case ast.Assign(targets=[ast.Name(id=name)]), _:
                found[name] = ""
    return found


@cache
def _source_of(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
