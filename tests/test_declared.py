"""Worlds have what their encounters declare, all keys together: by a brute-force check that knows nothing but the YAML."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from declared import Levels, game, objections
from drawn import load

import dungeon

if TYPE_CHECKING:
    from pathlib import Path


def made(world: dungeon.World) -> Levels:
    return {node.id: (node.name, world.level(node.id)) for node in world.maps}


@pytest.mark.parametrize("number", range(6))
def test_worlds_have_what_is_declared(tmp_path: Path, number: int) -> None:
    files, said, maps = game(Random(number))
    world = dungeon.World(load(tmp_path, files), number)
    try:
        levels = made(world)
    except dungeon.GenerationError as error:
        name = str(error).partition(": ")[2].partition(" is guaranteed, and can't be placed: ")[0]
        assert any("guaranteed" in entry for entry in said.values())
        assert name in said
    else:
        assert [*objections(said, maps, levels)] == []


SPOILT: dict[str, dict[str, Any]] = {
    "limit": {"limit": {"map": 0}},
    "limit of the world": {"limit": {"world": 0}},
    "depth": {"depth": "9.."},
    "maps": {"maps": {}},
    "weight": {"maps": {"mine": 0, "city": 0}},
    "category": {"category": "none"},
    "prefabs": {"prefabs": "none", "variants": {}},
    "variants": {"variants": {"other": {}}},
    "access": {"access": "90.."},
    "requires": {"requires": "nobody"},
    "far from": {"far_from": {"entrance": 900}},
    "near": {"near": {"entrance": 0}},
}


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any], Levels]:
    """Return the encounters, the maps and the levels of a world in which nothing is wrong."""
    files, said, maps = game(Random(0))
    return said, maps, made(dungeon.World(load(tmp_path_factory.mktemp("game"), files), 1))


@pytest.mark.parametrize("key", SPOILT)
def test_the_check_finds_encounters_that_are_wrong(
    right: tuple[dict[str, Any], dict[str, Any], Levels], key: str
) -> None:
    said, maps, levels = deepcopy(right[0]), right[1], right[2]
    name = next(each.encounter for _, level in levels.values() for each in level.placements)
    assert [*objections(said, maps, levels)] == []
    said[name] |= SPOILT[key]
    assert [*objections(said, maps, levels)]


def test_the_check_finds_company_that_is_wrong(
    right: tuple[dict[str, Any], dict[str, Any], Levels],
) -> None:
    said, maps, levels = deepcopy(right[0]), right[1], right[2]
    met = [{each.encounter for each in level.placements} for _, level in levels.values()]
    one, other = sorted(next(there for there in met if len(there) > 1))[:2]
    spoilt = [said | {one: said[one] | {"conflicts": other}}]
    spoilt += [
        said | {name: said[name] | {"group": {scope: "x"}} for name in (one, other)}
        for scope in ("map", "branch", "world")
    ]
    for each in spoilt:
        assert [*objections(each, maps, levels)]
    rare = {"category": "fluff", "prefabs": "dot", "placing": "accessible", "maps": {"mine": 1, "city": 1}}
    for key in ({"guaranteed": True}, {"least": {"map": 1}}, {"least": {"world": 1}}):
        alone = {**said, "rare": rare | key}
        roomy = {name: {"encounters": 99} for name in maps}
        assert any("rare" in told for told in objections(alone, roomy, levels)), key


@pytest.mark.parametrize(
    "key",
    [{"encounters": 0}, {"mix": {"fluff": "99.."}}, {"mix": {"fluff": "0..0"}}, {"budget": {"worth": -1}}],
)
def test_the_check_finds_maps_that_have_too_much_or_too_little(
    right: tuple[dict[str, Any], dict[str, Any], Levels], key: dict[str, Any]
) -> None:
    said, maps, levels = right
    free = {name: {"limit": {}, **each, "category": "fluff"} for name, each in said.items()}
    free |= {"spare": {"category": "fluff", "prefabs": "dot", "maps": {"mine": 1, "city": 1}}}
    assert [*objections(free, {name: each | key for name, each in maps.items()}, levels)]
