"""Every public name is explained: what it holds, in which shapes and units, and which errors it raises. Examples run."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import json
import re
import sys
import textwrap
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import esper
import numpy as np
import pytest
from demo import demo_content, demo_level, demo_world
from writer.names import MODULES, alias_text, is_alias, names_in

import dungeon
from dungeon.extend import forgotten_afterwards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHAPE = re.compile(r"\([^()]*,[^()]*\)|[Ss]hape")
"""How a docstring tells the shape of an array: ``(height, width)``, ``(256,)``."""

CLASSES = [name for name in dungeon.__all__ if inspect.isclass(getattr(dungeon, name)) and not is_alias(name)]


def functions() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Yield every public function, method and property by its name, with what its class says."""
    for name in dungeon.__all__:
        value = getattr(dungeon, name)
        if inspect.isfunction(value):
            yield name, value, ""
        for inner, member in vars(value).items() if name in CLASSES else ():
            if not inner.startswith("_") and (function := function_of(member)) is not None:
                yield f"{name}.{inner}", function, doc_of(value)


def function_of(member: object) -> Callable[..., Any] | None:
    """Return the function behind a member of a class; None for a value."""
    match member:
        case property():
            return member.fget
        case cached_property():
            return member.func
        case classmethod() | staticmethod():
            return member.__func__
        case _:
            return member if inspect.isfunction(member) else None


def doc_of(value: object) -> str:
    return inspect.getdoc(value) or ""


def tells_of(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){word}(?!\w)", text) is not None


FUNCTIONS = [pytest.param(function, outer, id=name) for name, function, outer in functions()]


@pytest.mark.parametrize("name", dungeon.__all__)
def test_it_has_a_first_sentence(name: str) -> None:
    text = alias_text(name) or doc_of(getattr(dungeon, name))
    assert re.match(r"[A-Z(`].*?[.:](\s|$)", text, re.DOTALL), text


@pytest.mark.parametrize("name", CLASSES)
def test_its_fields_are_explained_with_the_shapes_of_arrays(name: str) -> None:
    """Of two fields that are alike one may tell of both: "y: Its row; `x`: its column"."""
    value = getattr(dungeon, name)
    text = " ".join(doc_of(each) for each in value.__mro__ if each.__module__.startswith("dungeon"))
    fields = (
        {each.name: str(each.type) for each in dataclasses.fields(value)}
        if dataclasses.is_dataclass(value)
        else {}
    )
    fields |= {
        each: str(told)
        for each, told in getattr(value, "__annotations__", {}).items()
        if "ClassVar" not in str(told)
    }
    shown = {each: told for each, told in fields.items() if not each.startswith("_")}
    assert [each for each in shown if not tells_of(text, each)] == []
    arrays = [each for each, told in shown.items() if "NDArray" in told and "Mapping" not in told]
    assert not arrays or SHAPE.search(text), arrays


@pytest.mark.parametrize(("function", "outer"), FUNCTIONS)
def test_it_tells_arguments_shapes_and_errors(function: Callable[..., Any], outer: str) -> None:
    text = doc_of(function)
    assert text.split("\n\n")[0].rstrip().endswith((".", ":")), text
    signature = inspect.signature(function)
    if "\nArgs:\n" in text:
        assert [
            name for name in signature.parameters if name not in ("self", "cls") and not tells_of(text, name)
        ] == []
    if str(signature.return_annotation).startswith("NDArray"):
        assert SHAPE.search(text)
    assert [error for error in raised_by(function) if not tells_of(text + outer, error)] == []


def raised_by(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the names of the errors that a function raises by itself."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(error, ast.Name) and error.id[0].isupper():
                yield error.id


ROOT = Path(__file__).parent.parent
EXAMPLES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (dungeon, *map(import_module, MODULES))
    for name in names_in(module)
    if inspect.isfunction(getattr(module, name)) and (module is dungeon or name not in dungeon.__all__)
} | {f"dungeon.{name}": getattr(dungeon, name) for name in CLASSES if ">>>" in doc_of(getattr(dungeon, name))}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_function_or_class_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("data", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extend"))
    level = demo_level("foundry/3", 7)
    given = {"dungeon": dungeon, "json": json, "np": np, "level": level}
    given |= {"content": demo_content(), "world": demo_world(7)}
    (test,) = doctest.DocTestFinder(recurse=False).find(EXAMPLES[name], name, globs=given) or [None]
    assert test is not None
    assert name.rpartition(".")[2] in test.docstring.partition("Example:")[2], (
        "a public function has an example"
    )
    with forgotten_afterwards():
        failed = doctest.DocTestRunner().run(test).failed
    for module in [each for each in sys.modules if each.partition(".")[0] == "dungeon_halls"]:
        del sys.modules[module]  # or another test's import would not register its layout
    for world in {*esper.list_worlds()} - {"default"}:
        esper.switch_world("default")
        esper.delete_world(world)
    assert not failed, capsys.readouterr().out
