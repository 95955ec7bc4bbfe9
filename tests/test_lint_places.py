"""Features without a place are reported just where the generator finds none: tried on small maps, place by place."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from content_files import write_content, yaml_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dungeon
from dungeon.content.models.features import LANDING, REGIONS, FeatureEntry, length_in_cells
from dungeon.extend import Streams
from dungeon.generation.seeding.places import FeaturePlace

if TYPE_CHECKING:
    from pathlib import Path

STORE = 3, 4
"""The (height, width) of the prefab of the small content."""

PLACES = st.integers(-8, 8) | st.sampled_from(["0%", "50%", "100%"])
VALUES = {
    "where": st.sampled_from(REGIONS) | st.lists(st.sampled_from(REGIONS), min_size=1, max_size=2),
    "from": st.sampled_from(["north", "east", "south-west"]) | st.just(["north", "south"]),
    "distance": st.integers(0, 6) | st.just("1..4"),
    "x": PLACES | st.lists(PLACES, min_size=1, max_size=2),
    "y": PLACES | st.lists(PLACES, min_size=1, max_size=2),
    "shift": st.tuples(st.integers(0, 2), st.integers(0, 2)).map(list),
}
KINDS = st.sampled_from(
    [{"prefab": "store"}, {"stairs": "down"}, {"quiet": "3x2"}, {"quiet": "50%x7"}, {"blocked": "40%x2"}]
)


@st.composite
def features(draw: st.DrawFn) -> dict[str, Any]:
    """Return a feature as its author writes it, and a few things that are said of its place."""
    keys = draw(st.sets(st.sampled_from(["where", "from", "x", "y"]), min_size=1))
    keys |= {"distance"} if "from" in keys and draw(st.booleans()) else set()
    keys |= {"shift"} if keys & {"x", "y"} and draw(st.booleans()) else set()
    return {**draw(KINDS), **{key: draw(VALUES[key]) for key in sorted(keys)}}


def shapes(entry: FeatureEntry, whole: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the sizes that a feature may have on a map of that size."""
    if entry.prefab is not None:
        return [STORE, STORE[::-1]]
    if entry.area is None:
        return [(LANDING, LANDING)]
    sides = entry.area.height.odds(), entry.area.width.odds()
    return [
        (length_in_cells(a, whole[0]), length_in_cells(b, whole[1])) for a, b in product(*sides) if a and b
    ]


def has_place(entry: FeatureEntry, sizes: list[tuple[int, int]]) -> bool:
    """Tell whether the generator finds a place on a map of one of these sizes, by what is allowed or by some roll."""
    places = [
        FeaturePlace.allowed(entry),
        *(FeaturePlace.rolled(entry, Streams(seed), "x") for seed in range(20)),
    ]
    return any(
        place.mask(shape, whole).any()
        for whole in sizes
        for shape in shapes(entry, whole)
        for place in places
    )


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(feature=features(), heights=st.sampled_from([[9, 9], [12, 14], [20, 21]]))
@example(feature={"prefab": "store", "where": "north quarter", "from": "south"}, heights=[12, 14])
@example(feature={"quiet": "3x2", "x": -1, "where": "west half"}, heights=[9, 9])
@example(
    feature={"prefab": "store", "from": "north", "where": "north half", "x": 0, "y": ["100%", 1]},
    heights=[9, 9],
)
@example(
    feature={"stairs": "down", "from": "south-west", "distance": 6, "where": "north-west third"},
    heights=[9, 9],
)
def test_a_feature_is_reported_where_the_generator_finds_no_place(
    tmp_path_factory: pytest.TempPathFactory, feature: dict[str, Any], heights: list[int]
) -> None:
    entry = FeatureEntry.model_validate(feature)
    sizes = [(height, 13) for height in range(heights[0], heights[1] + 1)]
    folder = tmp_path_factory.mktemp("places")
    size = {"width": 13, "height": f"{heights[0]}..{heights[1]}"}
    cellars = {"name": "Cellars", "size": size, "features": [feature]}
    write_content(folder, {"maps/cellars.yaml": yaml_of({"cellars": cellars})})
    said = [str(each) for each in dungeon.examine_content(folder).problems if each.severity != "note"]
    doubts = (
        "no place on the map",
        "reach beyond the map",
        "larger than",
        "doesn't fit",
        "covers the whole map",
        "can't be placed on any level",
    )
    of_place = [line for line in said if any(doubt in line for doubt in doubts)]
    if has_place(entry, sizes):
        assert not any("no place on the map" in line for line in of_place)
    else:
        assert of_place


def test_a_required_feature_without_a_place_is_an_error(tmp_path: Path) -> None:
    feature = {"prefab": "store", "where": "north quarter", "from": "south", "required": True}
    cellars = {"name": "Cellars", "size": "60x40", "features": [feature]}
    write_content(tmp_path, {"maps/cellars.yaml": yaml_of({"cellars": cellars})})
    (error,) = [each for each in dungeon.examine_content(tmp_path).problems if each.severity != "note"]
    assert error.severity == "error"
    assert "no place on the map" in error.message
    world = dungeon.World(dungeon.load_content(tmp_path), 1)
    with pytest.raises(dungeon.GenerationError, match="there is no place for feature 1"):
        world.level("cellars/1")


LODGE = "lodge:\n  orientations: {way}\n  map: |\n    ##+##\n    #...#\n    #####\n"
"""A prefab of 5x3 cells with a door in the north, as it is drawn."""


@pytest.mark.parametrize(
    ("layout", "way", "axis", "near", "far"),
    [
        ("tunnels", "r0", "y", 5, 6),
        ("tunnels", "r90", "x", -6, -7),
        ("tunnels", "r180", "y", -6, -7),
        ("tunnels", "r270", "x", 5, 6),
        ("caves", "r0", "y", 5, 6),
        ("mines", "r90", "x", -6, -7),
        ("connected", "r180", "y", -6, -7),
        ("cards", "r270", "x", 5, 6),
        ("patchwork", "r0", "y", 5, 6),
    ],
)
def test_a_required_prefab_whose_door_faces_an_edge_needs_five_cells_before_it(
    tmp_path: Path, layout: str, way: str, axis: str, near: int, far: int
) -> None:
    edge, faces = "outermost rows or columns", "its doors and links face an edge of the map"
    for place, reason in ((0 if near > 0 else -1, edge), (near, faces), (far, "")):
        zones = {"zones": {"all": {}}} if layout == "patchwork" else {}
        feature = {"prefab": "lodge", axis: place, "required": True}
        cellars = {"name": "Cellars", "size": "60x40", "layout": {layout: zones}, "features": [feature]}
        maps = yaml_of({"cellars": cellars})
        write_content(tmp_path, {"maps/cellars.yaml": maps, "prefabs/lodge.yaml": LODGE.format(way=way)})
        errors = [each for each in dungeon.examine_content(tmp_path).problems if each.severity == "error"]
        assert [reason in each.message for each in errors] == [True] * bool(reason)
        if reason:
            assert errors[0].source.line == maps[: maps.index(f"{axis}:")].count("\n") + 1
            with pytest.raises(dungeon.GenerationError, match=reason):
                dungeon.World(dungeon.load_content(tmp_path), 3).level("cellars/1")


def test_two_features_required_at_one_spot_are_an_error(tmp_path: Path) -> None:
    twins = [{"stairs": way, "at": [20, 12], "required": True} for way in ("up", "down")]
    cellars = {"name": "Cellars", "size": "60x40", "features": twins}
    write_content(tmp_path, {"maps/cellars.yaml": yaml_of({"cellars": cellars})})
    (error,) = [each for each in dungeon.examine_content(tmp_path).problems if each.severity == "error"]
    assert (
        "in 8 of 8 tries, no level of this map could be made: there is no place for feature 2"
        in error.message
    )


def test_zones_for_which_a_map_is_too_small_are_an_error(tmp_path: Path) -> None:
    zones = {"vault": {"layout": {"cards": {"cell": "30x20"}}}}
    cellars = {"name": "Cellars", "size": "20x20", "layout": {"patchwork": {"zones": zones}}}
    write_content(tmp_path, {"maps/cellars.yaml": yaml_of({"cellars": cellars})})
    (error,) = [each for each in dungeon.examine_content(tmp_path).problems if each.severity == "error"]
    assert "no level of this map could be made" in error.message


def test_a_feature_too_large_for_the_map_is_reported_without_keys_for_its_place(
    tmp_path: Path,
) -> None:
    cellars = {"name": "Cellars", "size": "9x9", "features": [{"prefab": "cross", "required": True}]}
    cross = "cross:\n  map: |\n" + "    ...........\n" * 11
    write_content(tmp_path, {"maps/cellars.yaml": yaml_of({"cellars": cellars}), "prefabs/cross.yaml": cross})
    errors = [each for each in dungeon.examine_content(tmp_path).problems if each.severity == "error"]
    assert any("doesn't fit: the space on map cellars is at most" in each.message for each in errors)
