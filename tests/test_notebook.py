"""The example notebook: its cells run, one after the other, and what they show is what was recorded."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def shown_by(source: str, names: dict[str, Any]) -> Any:
    """Run a cell and return what a notebook would show under it: the value of its last line, if that has one."""
    lines = ast.parse(source).body
    last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.fixture(scope="module")
def cells() -> list[dict[str, Any]]:
    notebook = json.loads((DOCS / "playtest.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    found: list[dict[str, Any]] = notebook["cells"]
    return found


def test_every_cell_runs(
    cells: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(DOCS)  # where notebooks run
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = {
        cell["id"]: shown_by("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"
    }
    worlds, levels = 6, 3 * 6
    assert (shown["record"].worlds, shown["record"].levels) == (worlds, levels)
    chart = shown["chart"].to_dict()
    (rows,) = chart["datasets"].values()
    assert len(rows) == levels
    assert {row["map"] for row in rows} == {"galleries/1", "galleries/2", "tinnings/2"}
    assert chart["encoding"]["y"]["field"] == "robots"
    most = max(row["robots"] for row in rows)
    printed = capsys.readouterr().out
    assert f": {most} robots, " in printed
    assert "<" in printed.split("exit\n")[1]  # the level, with its entrance
    assert not Path(names["folder"].name).exists()


def test_it_is_kept_without_what_it_shows(cells: list[dict[str, Any]]) -> None:
    for cell in cells:
        assert (cell.get("outputs", []), cell.get("execution_count")) == ([], None)
