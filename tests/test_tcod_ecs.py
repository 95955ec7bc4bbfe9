"""Levels in registries of tcod-ecs: the same components as in esper, and nothing left after removal."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import esper
import pytest
from drawn import load, small_game
from tcod.ecs import Registry

import dungeon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> list[dungeon.Level]:
    """All levels of a small world."""
    world = dungeon.World(load(tmp_path_factory.mktemp("game"), small_game()), seed=1)
    return [world.level(node.id) for node in world.maps]


@pytest.fixture(scope="module")
def held(levels: list[dungeon.Level]) -> dungeon.Level:
    """A level whose first spawn holds an item."""
    level = levels[0]
    holder = level.spawns[0]
    coin = dungeon.Spawn(
        kind="item", tag="coin", name="coin", y=holder.y, x=holder.x, glyph="$", fg=(9, 9, 9)
    )
    return replace(level, spawns=(replace(holder, loadout=(coin,)), *level.spawns[1:]))


def told(entities: Iterable[Iterable[object]]) -> Counter[tuple[str, ...]]:
    """Return what entities consist of, without what names other entities: numbers in esper, relations in tcod-ecs."""
    relations = (dungeon.HeldBy, dungeon.Inventory)
    return Counter(
        tuple(sorted(repr(part) for part in parts if type(part) not in relations)) for parts in entities
    )


def in_registry(registry: Registry) -> Counter[tuple[str, ...]]:
    return told(entity.components.values() for entity in registry.Q.all_of([dungeon.OfLevel]))


def test_a_registry_gets_the_components_of_esper(held: dungeon.Level) -> None:
    registry = Registry()
    spawns = dungeon.to_tcod_ecs(held, registry)
    dungeon.to_esper(held, "beside tcod-ecs")
    try:
        expected = told(esper.components_for_entity(entity) for entity in esper.get_entities())
    finally:
        esper.switch_world("default")
        esper.delete_world("beside tcod-ecs")
    assert in_registry(registry) == expected
    places = [(spawn.y, spawn.x, spawn.tag) for spawn in held.spawns]
    parts = [each.components for each in spawns]
    assert [
        (each[dungeon.Position].y, each[dungeon.Position].x, each[dungeon.Tag].tag) for each in parts
    ] == places


def test_held_items_are_related_to_their_holder(held: dungeon.Level) -> None:
    registry = Registry()
    holder, *_ = dungeon.to_tcod_ecs(held, registry)
    (coin,) = registry.Q.all_of(relations=[(dungeon.HeldBy, holder)])
    assert coin.relation_tag[dungeon.HeldBy] is holder
    assert coin.components[dungeon.Appearance].glyph == "$"
    assert dungeon.Position not in coin.components


def test_a_level_is_taken_out_and_others_stay(levels: list[dungeon.Level]) -> None:
    registry = Registry()
    player = registry.new_entity({dungeon.Position: dungeon.Position(1, 1)})
    one, other = levels[:2]
    dungeon.to_tcod_ecs(other, registry)
    before = in_registry(registry)
    moved, *_ = dungeon.to_tcod_ecs(one, registry)
    count = sum(in_registry(registry).values()) - sum(before.values())
    moved.components[dungeon.OfLevel] = dungeon.OfLevel(other.id, other.seed)
    assert dungeon.remove_from_tcod_ecs(one.id, registry) == count - 1
    assert dungeon.Position in player.components
    moved.clear()
    assert in_registry(registry) == before
    assert dungeon.remove_from_tcod_ecs(other, registry) == sum(before.values())
    assert not in_registry(registry)


def test_a_level_is_in_a_registry_once(levels: list[dungeon.Level]) -> None:
    registry = Registry()
    level, other = levels[0], replace(levels[0], seed=levels[0].seed + 1)
    dungeon.to_tcod_ecs(level, registry)
    before = in_registry(registry)
    with pytest.raises(ValueError, match=rf"^{level.id} of seed {level.seed} is in this registry already"):
        dungeon.to_tcod_ecs(level, registry)
    dungeon.to_tcod_ecs(other, registry)
    dungeon.remove_from_tcod_ecs(other, registry)
    assert in_registry(registry) == before


def test_factories_replace_the_components_of_a_kind(levels: list[dungeon.Level]) -> None:
    def elsewhere(spawn: dungeon.Spawn) -> list[object]:
        return [
            *dungeon.components_of(spawn),
            dungeon.OfLevel("elsewhere/1"),
            dungeon.LightSource(3, (1, 2, 3)),
        ]

    kind = levels[0].spawns[0].kind
    registry = Registry()
    first, *_ = dungeon.to_tcod_ecs(levels[0], registry, {kind: elsewhere})
    assert first.components[dungeon.OfLevel].map_id == "elsewhere/1"
    assert first.components[dungeon.LightSource].radius == 3


def fails(_: object) -> NoReturn:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("factory", "error"),
    [(fails, ZeroDivisionError), (lambda _: None, TypeError)],
    ids=["fails", "gives nothing"],
)
def test_a_factory_that_fails_leaves_nothing_behind(
    held: dungeon.Level, factory: Callable[[object], None], error: type[Exception]
) -> None:
    registry = Registry()
    with pytest.raises(error) as caught:
        dungeon.to_tcod_ecs(held, registry, {"exit": factory})
    assert caught.value.__notes__[0].startswith("This was about the exit at y ")
    assert not in_registry(registry)
    with pytest.raises(ValueError, match="there is no kind of spawn 'robo'"):
        dungeon.to_tcod_ecs(held, registry, {"robo": factory})
