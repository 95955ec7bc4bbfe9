"""The pages of techniques: their pictures are drawn again, what they name exists, and no step of the articles is missing."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from manual import rows
from panels import panels_of
from pictures import DRAWERS
from techniques import ARTICLES, BEYOND, FENCE, FRONT, Section, pages, redrawn, sections, text_of

ROOT = Path(__file__).parent.parent
SECTIONS = sections()

WIDEST = 79
HIGHEST = 14

STEPS = {
    "Enclosed rooms": 4,
    "Accessible rooms": 3,
    "Embedded prefabs": 8,
    "New zones": 4,
    "Links that save a walk": 3,
}
"""What the articles count the steps of."""

PREFABS_IN_DEPTH = """
    Prefabs first
    Variants of features
    Blocked barriers
    Areas off limits
    Places at random
    The drawing says how it is joined
    Special exits
    Prefabs over several maps
    Large landmarks
    A pool for each map
    Depth limits
    Count limits
    Mutual exclusivity
    Access limits
    Weights as words
    The matrix of weights
    Encounters come first, rooms second
    Encounters tinted by category
    The map knows its rooms and doors
    Rotation
    Flips
    Several prefabs, some too large
    The rest of the room left open
    Doors made wide
    Doors taken off
    Cubbies
    Content without a prefab
    Four layers
    Drawings typed as text
    Links start tunnelers
    Edges that may be dug, or may not
    Maps built of prefabs
    Layouts that vary
    A list of what characters stand for
    Five kinds of objects
    Tags and names
    Keywords
    Shift
    One of several
    A class, fit for the depth
    Several classes
    Category
    Strong
    Fallback
    Items from exact to vague
    What a robot would carry
    Traps by class
    Prototypes, never faulty
    Out of depth
    Keywords that vary
    Only sometimes there
    One line of a group
    Neighbours choose alike
    Neighbours that differ
    Tunnelers with a width
    """
DUNGEON_PREFABS = """
    Seeded prefabs in caves
    Prefabs first
    Areas off limits
    Places at random
    The drawing says how it is joined
    Large landmarks
    Four layers
    Cells by colour
    Cell types
    Stairs: anywhere, or somewhere
    A drawing that leads into another
    Links start tunnelers
    Edges that may be dug, or may not
    Machines without a name
    Machines with a name
    Standard machines as references
    A list of what characters stand for
    Prototypes, never faulty
    Tunnelers with a width
    Props and robots scattered over the map
    """
CAVES = """
    Caves by an automaton
    Caves are numbered
    A linear flow
    Loops
    Overlays of flow and loops
    Earth around the edges
    Mines
    Seeded prefabs in caves
    Encounters in caves
    Prefabs first
    Special exits
    Centered prefabs
    The middle of a cave
    Not a rectangle
    Other prefabs, then other caves
    Content without a prefab
    Encounters come first, rooms second
    Encounters tinted by category
    A drawing that leads into another
    Layouts that vary
    """
CARDS = """
    The set of neighbours
    Growth at random
    Most borders first
    Some borders first
    Toward a direction, or the centre
    Pre-built sections
    Sections of several rooms
    Cells that wait grow likelier
    Cards that abut
    Several zones
    Corners may touch, or not
    Bridged zones
    A bridge's own theme
    Tumour zones
    Multi-tumour zones
    The environment tree: keys on other maps
    Island zones
    Ports of islands
    The sea between islands
    Zones of any layout
    Cards of a deck
    """
LOVE_PREFABS = """
    Connectors, and the way they face
    Auto-rooms
    The deck of a map
    The starting prefab
    Cells that do not care
    A hallway that is shortened until something fits
    Until there are enough
    Rooms laid over others
    Mazes
    Drawings typed as text
    Maps built of prefabs
    Display cases that are sealed
    Torches where a scene wants them
    """
TECHNIQUES = dict(zip(ARTICLES, (PREFABS_IN_DEPTH, DUNGEON_PREFABS, CAVES, CARDS, LOVE_PREFABS), strict=True))
"""What each article tells of besides, as one finds it on reading."""


def names(listed: str) -> list[str]:
    """Return the lines of a list."""
    return [line.strip() for line in listed.strip().split("\n")]


@cache
def functions_in(file: Path) -> set[str]:
    """Return the names of the functions in a file."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_picture_is_what_our_code_draws(section: Section) -> None:
    assert section.text == section.redrawn(), "python tests/techniques.py draws the pages again"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_section_has_a_picture_that_our_code_draws(section: Section) -> None:
    blocks = [(kind, body) for language, kind, body in FENCE.findall(section.text) if language != "yaml"]
    assert blocks
    for kind, body in blocks:
        assert kind in DRAWERS
        assert any(panel.is_drawn and panel.text for panel in panels_of(body))
        lines = body.split("\n")
        assert max(map(len, lines)) <= WIDEST
        assert len(lines) <= HIGHEST + 1


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_what_a_section_names_exists(section: Section) -> None:
    assert section.places
    assert section.tests
    for name, file in section.places:
        module, *path = name.split(".")
        assert file.stem == module
        found: object = import_module(".".join(file.with_suffix("").parts))
        for each in path:
            found = getattr(found, each)
    for name, file in section.tests:
        test, _, row = name.removesuffix("]").partition("[")
        assert test.startswith("test_")
        assert test in functions_in(file)
        if row:
            assert row in {each.feature for each in rows()}


def test_the_table_lists_every_page_and_section() -> None:
    assert text_of(FRONT) == redrawn(FRONT), "python tests/techniques.py writes the table"
    assert {*pages()} == {*FRONT.with_suffix("").glob("*.md")}
    titles = [section.title for section in SECTIONS]
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize("steps", STEPS)
def test_no_step_of_the_articles_is_missing(steps: str) -> None:
    found = [each.title.removeprefix(f"{steps} ") for each in SECTIONS if each.title.startswith(f"{steps} ")]
    assert [int(title.split(":")[0]) for title in found] == [*range(1, STEPS[steps] + 1)]


@pytest.mark.parametrize("article", ARTICLES)
def test_no_technique_of_the_articles_is_missing(article: str) -> None:
    of_article = {
        each.title for each in SECTIONS if article in each.articles and not each.title.startswith((*STEPS,))
    }
    assert of_article == {*names(TECHNIQUES[article])}


def test_sections_say_which_articles_they_come_from() -> None:
    assert [
        each.title for each in SECTIONS if not {*each.articles} <= {*ARTICLES, BEYOND} or not each.articles
    ] == []
