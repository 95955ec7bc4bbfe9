"""The pages of the reference about every public name, from its docstring."""

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

PAGES: dict[str, tuple[str, ...]] = {
    "content": (
        *("dungeon.reading", "dungeon.authoring", "dungeon.content", "dungeon.core.errors"),
        *("dungeon.content.drawing", "dungeon.generation.populate", "dungeon.grid"),
    ),
    "levels": (
        *("dungeon.world", "dungeon.generation.atlas", "dungeon.level", "dungeon.terrain", "dungeon.core"),
        *("dungeon.generation.seeding.floors", "dungeon.generation.world_keys"),
    ),
    "proof": (
        *("dungeon.proof.prove", "dungeon.metrics", "dungeon.level.journal"),
        *("dungeon.generation.encounters", "dungeon.generation.odds"),
    ),
    "output": ("dungeon.adapters", "dungeon.level.steps"),
    "entities": ("dungeon.adapters.components", "dungeon.adapters.entities"),
    "plugins": ("dungeon.level.canvas", "dungeon.generation"),
    "playtest": (),
}
"""Page of the reference -> the packages and modules whose names it describes. The most specific package decides the page of a name."""

FOLDER = Path(__file__).parents[1] / "reference" / "api"

HOMES = {home: page for page, homes in PAGES.items() for home in homes}

MODULES: dict[str, str] = {
    "dungeon.extend": "plugins",
    "dungeon.playtest": "playtest",
    "dungeon.playtest.game": "playtest",
    "dungeon.playtest.bots.playing": "playtest",
}
"""Other modules with public names, and their pages. The names are those in `__all__`, or all that the module defines."""


def page(subject: str) -> str:
    """Return a description of every public name of a page, for autodoc to fill in."""
    names = [_described(dungeon, name) for name in names_of(subject)]
    return "\n\n".join([*names, *(_module(module) for module in modules_of(subject))])


def index() -> str:
    """Return a table of all pages with links to their names."""
    rows = ["| page | names |", "| --- | --- |"]
    for subject in PAGES:
        names = [f"{{py:obj}}`~dungeon.{name}`" for name in names_of(subject)]
        for module in modules_of(subject):
            names += [f"{{py:obj}}`~{module.__name__}.{name}`" for name in _own(module)]
        text = (FOLDER / f"{subject}.md").read_text(encoding="utf-8")
        title = next(line for line in text.splitlines() if line.startswith("# "))
        rows.append(f"| [{title.removeprefix('# ')}](api/{subject}.md) | {', '.join(names)} |")
    return "\n".join(rows)


def names_of(subject: str) -> list[str]:
    """Return the public names of the package that belong on a page, functions first."""
    names = [name for name in dungeon.__all__ if page_of(name) == subject]
    return sorted(names, key=lambda name: not inspect.isfunction(getattr(dungeon, name)))


def modules_of(subject: str) -> list[ModuleType]:
    """Return the modules that a page describes besides the package."""
    return [import_module(name) for name, page in MODULES.items() if page == subject and find_spec(name)]


def page_of(name: str) -> str:
    """Return the page of a public name of the package.

    Raises:
        LookupError: No page has the name's package: add it to one.
    """
    home = home_of(dungeon, name)
    found = [each for each in HOMES if f"{home}.".startswith(f"{each}.")]
    if not found:
        raise LookupError(f"no page has {home}, the module of {name}")
    return HOMES[max(found, key=len)]


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


def _own(module: ModuleType) -> list[str]:
    """Return the public names of a module without those that the package `dungeon` has, too."""
    return [name for name in names_in(module) if not _is_shared(module, name)]


def _is_shared(module: ModuleType, name: str) -> bool:
    return name in dungeon.__all__ and getattr(module, name) is getattr(dungeon, name)


def _module(module: ModuleType) -> str:
    """Return a chapter about a module. Names that the package `dungeon` has, too, are only listed."""
    shared = [name for name in names_in(module) if _is_shared(module, name)]
    blocks = [f"## {module.__name__}", (inspect.getdoc(module) or "").split("\n\n")[0]]
    if shared:
        blocks.append(
            f"Also in `dungeon`, with the same meaning: {', '.join(f'`{name}`' for name in shared)}."
        )
    return "\n\n".join([*blocks, *(_described(module, name) for name in _own(module))])


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
