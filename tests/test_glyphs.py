"""Characters that point somewhere turn with the drawing that they are part of."""

import pytest

from dungeon import Orientation
from dungeon.grid.symmetry import ALL_ORIENTATIONS, FAMILIES, arms_of, turn_glyph

DRAWN = ["╔═╤╕", "║ │→", "╟─┼┐", "╚▲/╨"]


def laid(rows: list[str], orientation: Orientation) -> list[str]:
    """Return a drawing of characters in another orientation, cell by cell."""
    height, width = len(rows), len(rows[0])
    cells = {}
    for y, row in enumerate(rows):
        for x, char in enumerate(row):
            cells[orientation.turn_cell(y, x, height, width)] = turn_glyph(char, orientation)
    if orientation.turns % 2:
        height, width = width, height
    return ["".join(cells[y, x] for x in range(width)) for y in range(height)]


@pytest.mark.parametrize(
    ("orientation", "expected"),
    [
        (Orientation.R0, DRAWN),
        (Orientation.R90, ["╔╤═╗", "►│ ║", "\\┼─╢", "╞┘↓╜"]),
        (Orientation.R180, ["╥/▼╗", "└┼─╢", "←│ ║", "╘╧═╝"]),
        (Orientation.M0, ["╒╤═╗", "←│ ║", "┌┼─╢", "╨\\▲╝"]),
        (Orientation.M90, ["╞┐↑╖", "/┼─╢", "►│ ║", "╚╧═╝"]),
    ],
)
def test_a_drawing_stays_the_same_drawing(orientation: Orientation, expected: list[str]) -> None:
    assert laid(DRAWN, orientation) == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("orientation", ALL_ORIENTATIONS)
def test_a_family_keeps_to_itself(family: str, orientation: Orientation) -> None:
    chars = set(arms_of(family))
    assert {turn_glyph(char, orientation) for char in chars} == chars


def test_other_characters_stay_as_they_are() -> None:
    assert {turn_glyph(char, each) for char in "A#.☼" for each in ALL_ORIENTATIONS} == set("A#.☼")
