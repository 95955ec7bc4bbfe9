"""`dungeon show PREFAB`: rolls side by side with captions, as many in a row as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from content_files import write_content
from PIL import Image

from dungeon.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PREFABS = """\
    nook:
      map: |
        C.B
        #.?
      legend:
        C: {prop: crate}
        B: {prop: barrel}
      orientations: [r0, r90, m0]
    cellars:
      map: "..."
    heap:
      map: "#C"
      references: "C"
      legend: {C: {prop: crate}}
    """


@pytest.fixture
def show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    """Return what calls the command on content with these prefabs and returns the printed lines."""
    data = write_content(tmp_path / "data", {"prefabs/more.yaml": PREFABS})
    monkeypatch.setenv("COLUMNS", "20")

    def run(*arguments: str, code: int = 0) -> list[str]:
        assert main(["show", *arguments, "--data", str(data)]) == code
        captured = capsys.readouterr()
        return [line.rstrip() for line in (captured.out or captured.err).splitlines()]

    return run


def test_one_roll_lies_as_drawn(show: Callable[..., list[str]]) -> None:
    assert show("nook") == ["0 r0", "=.0", "#.?", "nook: prefab, 3x2, depth 1, seed 0; 1 roll"]


def test_rolls_stand_side_by_side_with_captions_and_break_at_the_edge(show: Callable[..., list[str]]) -> None:
    assert show("nook", "--times", "5", "--depth", "4", "--seed", "8") == [
        "0 r0  1 r0  2 r0",
        "=.0   =.0   =.0",
        "#.?   #.?   #.?",
        "",
        "3 r0  4 r0",
        "=.0   =.0",
        "#.?   #.?",
        "nook: prefab, 3x2, depth 4, seed 8; 5 rolls",
    ]


def test_all_orientations_are_those_that_are_permitted(
    show: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert show("nook", "--orientation", "all") == [
        "0 r0  0 r90  0 m0",
        "=.0   #=     0.=",
        "#.?   ..     ?.#",
        "      ?0",
        "nook: prefab, 3x2, depth 1, seed 0; 3 rolls",
    ]


def test_one_orientation_may_be_asked_for(show: Callable[..., list[str]]) -> None:
    assert show("nook", "--orientation", "r90")[:4] == ["0 r90", "#=", "..", "?0"]


def test_an_orientation_that_is_not_permitted_is_reported(show: Callable[..., list[str]]) -> None:
    assert show("nook", "--orientation", "r180", code=2) == [
        "dungeon: the prefab 'nook' can't have the orientation r180; it permits r0, r90, m0"
    ]


def test_a_map_comes_before_a_prefab_of_its_name(show: Callable[..., list[str]]) -> None:
    assert show("cellars")[-1].startswith("cellars/1: The Cellars, depth 1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nok"], "this world has no map or prefab 'nok' (did you mean nook?)"),
        (["cellar"], "this world has no map or prefab 'cellar' (did you mean cellars?)"),
        (
            ["zzzzzz"],
            "this world has no map or prefab 'zzzzzz' (there are cellars/1, cellars/2 and 4 prefabs)",
        ),
        (["cellars", "--times", "3"], "cellars is a map; --times is for prefabs, or for maps with --metrics"),
        (["nook", "--highlight", "encounters"], "nook is a prefab; --highlight is for maps"),
        (["a.xp", "--depth", "3"], "a.xp is a drawing; --depth is for prefabs"),
    ],
)
def test_impossible_drawings_are_reported(
    show: Callable[..., list[str]], arguments: list[str], message: str
) -> None:
    assert show(*arguments, code=2) == [f"dungeon: {message}"]


def test_refusals_are_counted_and_listed_on_request(show: Callable[..., list[str]]) -> None:
    assert show("heap", "--times", "2")[-1] == (
        "heap: prefab, 2x1, depth 1, seed 0; 2 rolls; 2 refused (--journal says why)"
    )
    reason = "[populate] heap:C (crate): refused, it would stand in wall"
    assert show("heap", "--times", "2", "--journal")[-2:] == [f"  0 r0: {reason}", f"  1 r0: {reason}"]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--times", "0", "a number from 1 to 1000 is needed, not '0'"),
        ("--depth", "-1", "a depth from 0 to 1000 is needed, not '-1'"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    capsys: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["show", "nook", f"{option}={value}"])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_a_picture_holds_all_the_rolls(show: Callable[..., list[str]], tmp_path: Path) -> None:
    file = tmp_path / "nook.png"
    assert show("nook", "--times", "3", "--png", str(file), "--scale", "1")[0].startswith("nook: prefab")
    with Image.open(file) as picture:
        assert picture.size == ((4 + 2 + 4 + 2 + 4) * 8, 3 * 8)
