"""Levels in esper worlds: several in one world, removed again, made by factories, and undone if a factory fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import esper
import numpy as np
import pytest
from drawn import codes, load, small_game

import dungeon
from dungeon import terrain as t
from dungeon.level.model import doors_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = "a world for all"
PARTS = (dungeon.LevelInfo, dungeon.DoorState, dungeon.LeadsTo, dungeon.LightSource, dungeon.Tag)


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> list[dungeon.Level]:
    """Levels of a world, the first of which has a machine; all have doors, exits and lights between them."""
    content = load(tmp_path_factory.mktemp("game"), small_game())
    worlds = (dungeon.World(content, seed) for seed in range(50))
    made = ([world.level(node.id) for node in world.maps] for world in worlds)
    found = next(each for each in made if any(spawn.glyphs for level in each for spawn in level.spawns))
    return sorted(found, key=lambda level: -sum(len(spawn.cells) > 1 for spawn in level.spawns))


@pytest.fixture(autouse=True)
def no_worlds_left() -> Iterator[None]:
    """Leave esper as it was."""
    yield
    esper.switch_world("none")
    for name in esper.list_worlds():
        if name not in ("none", "default"):
            esper.delete_world(name)
    esper.clear_database()


def contents() -> dict[str, Any]:
    """Return all that esper holds: every world's entities, with what their components say, and the current world."""
    current = esper.current_world
    found: dict[str, Any] = {"current": current}
    for name in esper.list_worlds():
        esper.switch_world(name)
        found[name] = {
            entity: sorted(map(repr, esper.components_for_entity(entity))) for entity in esper.get_entities()
        }
    esper.switch_world(current)
    return found


def counts() -> list[int]:
    """Return how many entities the current world has of each part."""
    return [len(esper.get_component(part)) for part in PARTS]


def parts(*levels: dungeon.Level) -> list[int]:
    """Return how many it should have with these levels in it."""
    found = np.array(
        [[1, len(each.doors), len(each.exits), len(each.lights), len(each.spawns)] for each in levels]
    )
    return found.sum(axis=0).tolist() if levels else [0] * 5


# -- lights, doors, machines ----------------------------------------------------------------------


def test_lights_are_entities(levels: list[dungeon.Level]) -> None:
    assert sum(len(level.lights) for level in levels) > 0
    for level in levels:
        dungeon.to_esper(level)
        found = [
            dungeon.Light(y=at.y, x=at.x, radius=light.radius, colour=light.colour)
            for _, (at, light) in esper.get_components(dungeon.Position, dungeon.LightSource)
        ]
        assert Counter(found) == Counter(level.lights)


def test_a_machine_brings_the_colours_of_its_cells(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    machines = [spawn for spawn in level.spawns if spawn.glyphs]
    assert machines
    made = dict(zip(level.spawns, dungeon.to_esper(level), strict=True))
    for spawn in machines:
        print_of = esper.component_for_entity(made[spawn], dungeon.Footprint)
        assert (print_of.cells, print_of.glyphs, print_of.fgs) == (spawn.cells, spawn.glyphs, spawn.fgs)
        assert len(print_of.fgs) == len(print_of.cells)


def test_every_entity_tells_which_level_it_belongs_to(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    dungeon.to_esper(level, SHARED)
    owners = dict(esper.get_component(dungeon.OfLevel))
    assert set(owners) == set(esper.get_entities())
    assert {owner.map_id for owner in owners.values()} == {level.id}


# -- taking a level out ---------------------------------------------------------------------------


def test_a_level_is_taken_out_of_a_world_that_it_shares(levels: list[dungeon.Level]) -> None:
    esper.switch_world(SHARED)
    player = esper.create_entity(dungeon.Position(0, 0))
    for level in levels:
        dungeon.to_esper(level, SHARED)
    assert counts() == parts(*levels)
    esper.switch_world("elsewhere")
    for number, level in enumerate(levels):
        gone = dungeon.remove_from_esper(level, SHARED)
        assert gone == sum(parts(level))
        assert esper.current_world == "elsewhere"
        esper.switch_world(SHARED)
        assert counts() == parts(*levels[number + 1 :])
        esper.switch_world("elsewhere")
    esper.switch_world(SHARED)
    assert list(esper.get_entities()) == [player]
    esper.process()


def test_a_level_in_a_world_of_its_own_is_taken_out_by_its_id(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    dungeon.to_esper(level)
    assert dungeon.remove_from_esper(level.id) == sum(parts(level))
    assert esper.current_world == level.id
    assert list(esper.get_entities()) == []
    assert dungeon.remove_from_esper(level) == 0


def test_a_level_is_in_a_world_once(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    dungeon.to_esper(level)
    esper.switch_world("elsewhere")
    wanted = (
        rf"^{level.id} of seed {level.seed} is in the esper world '{level.id}' already: take it out first"
    )
    with pytest.raises(ValueError, match=wanted):
        dungeon.to_esper(level)
    assert esper.current_world == "elsewhere"
    assert dungeon.remove_from_esper(level) == sum(parts(level))
    dungeon.to_esper(level)
    assert counts() == parts(level)
    dungeon.to_esper(level, SHARED)
    assert counts() == parts(level)


def test_levels_of_one_map_and_two_seeds_share_a_world(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    other = replace(level, seed=level.seed + 1, spawns=level.spawns[:3])
    dungeon.to_esper(level, SHARED)
    dungeon.to_esper(other, SHARED)
    owners = {owner: owner.seed for _, owner in esper.get_component(dungeon.OfLevel)}
    assert owners == {dungeon.OfLevel(each.id, each.seed): each.seed for each in (level, other)}
    assert dungeon.remove_from_esper(level, SHARED) == sum(parts(level))
    assert counts() == parts(other)
    dungeon.to_esper(level, SHARED)
    assert dungeon.remove_from_esper(level.id, SHARED) == sum(parts(level, other))


@pytest.mark.parametrize("world", [3, b"game", ["game"]])
def test_a_world_is_named_by_text(levels: list[dungeon.Level], world: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^to_esper\(\) takes the name of an esper world, as text, or None, beside"
    ):
        dungeon.to_esper(levels[0], world)
    with pytest.raises(TypeError, match=r"^remove_from_esper\(\) takes the name of an esper world"):
        dungeon.remove_from_esper(levels[0], world)
    assert world not in esper.list_worlds()


def test_entities_that_the_game_has_deleted_do_not_matter(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    first, second, *_ = dungeon.to_esper(level)
    esper.delete_entity(first, immediate=True)
    esper.delete_entity(second)  # it goes when the game processes next
    assert dungeon.remove_from_esper(level) == sum(parts(level)) - 2
    esper.process()
    assert list(esper.get_entities()) == []


def test_entities_moved_to_another_level_or_to_none_stay(levels: list[dungeon.Level]) -> None:
    one, other = levels[:2]
    robot, pet, *_ = dungeon.to_esper(one, SHARED)
    dungeon.to_esper(other, SHARED)
    lantern = esper.create_entity(dungeon.OfLevel(one.id))
    esper.add_component(robot, dungeon.OfLevel(other.id, other.seed))
    esper.remove_component(pet, dungeon.OfLevel)
    assert dungeon.remove_from_esper(one, SHARED) == sum(parts(one)) - 2 + 1
    assert not esper.entity_exists(lantern)
    assert dungeon.remove_from_esper(other, SHARED) == sum(parts(other)) + 1
    assert list(esper.get_entities()) == [pet]


def test_removing_a_level_does_not_create_a_missing_world(levels: list[dungeon.Level]) -> None:
    before = contents()
    with pytest.raises(KeyError, match="there is no esper world 'nowhere', only 'default'"):
        dungeon.remove_from_esper(levels[0], "nowhere")
    assert contents() == before


# -- factories ------------------------------------------------------------------------------------


@dataclass
class Note:
    """A component of a game's own."""

    text: str


def noted(thing: Any) -> list[Any]:
    """Return the components of anything, and a note of what it is."""
    return [*dungeon.components_of(thing), Note(type(thing).__name__)]


def test_everything_may_have_a_factory(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    kinds = ("prop", "trap", "robot", "item", "debris", "door", "exit", "light", "level")
    dungeon.to_esper(level, factories=dict.fromkeys(kinds, noted))  # type: ignore[arg-type]
    notes = {
        "LevelInfo": "Level",
        "DoorState": "Door",
        "LeadsTo": "Exit",
        "LightSource": "Light",
        "Tag": "Spawn",
    }
    for part in PARTS:
        found = [note.text for _, (_, note) in esper.get_components(part, Note)]
        assert Counter(found) == Counter([notes[part.__name__]] * len(esper.get_component(part)))
    assert counts() == parts(level)
    assert dungeon.remove_from_esper(level) == sum(parts(level))


def test_a_factory_may_say_itself_where_an_entity_belongs(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    dungeon.to_esper(level, factories={"exit": lambda _: [dungeon.OfLevel("all maps")], "door": lambda _: ()})
    assert dungeon.remove_from_esper(level) == sum(parts(level)) - len(level.exits)
    assert len(list(esper.get_entities())) == len(level.exits)


def test_factories_get_doors_with_place_and_kind() -> None:
    terrain = codes(
        """
        #######
        #<.+.>#
        #.#L#.#
        #..s.'#
        #######
        """
    )
    level = dungeon.Level(
        id="m/1",
        name="M",
        depth=1,
        seed=0,
        terrain=terrain,
        region=np.zeros(terrain.shape, np.uint16),
        terrain_set=dungeon.TerrainSet(),
        entrance=dungeon.Cell(1, 1),
        exits=(),
        regions=(),
        connections=(),
        doors=doors_of(terrain, dungeon.TerrainSet(), ()),
        placements=(),
        spawns=(),
        lights=(),
        journal=(),
    )
    told: list[dungeon.Door] = []

    def barred(door: dungeon.Door) -> list[object]:
        told.append(door)
        return dungeon.components_of(door)

    assert dungeon.to_esper(level, factories={"door": barred}) == []
    assert [(door.y, door.x, door.kind, door.lock) for door in told] == [
        (1, 3, t.DOOR, None),
        (2, 3, t.LOCKED_DOOR, None),
        (3, 3, t.SECRET_DOOR, None),
        (3, 5, t.DOORWAY, None),
    ]


def test_a_door_with_a_lock_is_locked() -> None:
    door = dungeon.Door(y=1, x=2, terrain="locked_door", state="locked", lock="vault")
    assert dungeon.components_of(door) == [
        dungeon.Position(1, 2),
        dungeon.DoorState(t.LOCKED_DOOR),
        dungeon.Locked("vault"),
    ]


# -- factories that fail --------------------------------------------------------------------------


class GameError(Exception):
    """An error of a game's own."""


def failing(thing: Any) -> list[Any]:
    """Fail, after having made something."""
    esper.create_entity(Note("left over"))
    raise GameError("no brain")


def half(thing: Any) -> Iterator[Any]:
    """Give a component, and then fail."""
    yield Note("half")
    raise GameError("no brain")


def wandering(thing: Any) -> list[Any]:
    """Look into another world, and fail there."""
    esper.switch_world("a world of its own")
    raise GameError("lost")


WRONG: list[tuple[Any, type[Exception], str]] = [
    (failing, GameError, "no brain"),
    (half, GameError, "no brain"),
    (lambda _: None, TypeError, "the factory of 'robot' must return a list of components, and returned None"),
    (lambda _: Note("x"), TypeError, r"must return a list of components, and returned Note\(text='x'\)"),
    (lambda _: "Note", TypeError, "must return a list of components, and returned 'Note'"),
    (lambda _: {"note": Note("x")}, TypeError, "must return a list of components"),
    (lambda _: [Note], TypeError, "must return components such as Health.3., not <class .*Note'>"),
    (lambda _: [Note("x"), None], TypeError, "such as Health.3., not None"),
    (lambda _: [3], TypeError, "such as Health.3., not 3"),
    (lambda: [], TypeError, "takes 0 positional arguments"),  # noqa: PIE807  # `list` would take one
]


@pytest.mark.parametrize(("factory", "error", "message"), WRONG)
@pytest.mark.parametrize("world", [None, "new", "before", SHARED])
def test_a_factory_that_fails_leaves_esper_as_it_was(
    factory: Any, error: type[Exception], message: str, world: str | None, levels: list[dungeon.Level]
) -> None:
    esper.switch_world(SHARED)
    esper.create_entity(dungeon.Position(0, 0))
    dungeon.to_esper(levels[1], SHARED)
    esper.switch_world("before")
    esper.create_entity(Note("mine"))
    before = contents()
    level = next(each for each in levels if any(spawn.kind == "robot" for spawn in each.spawns))
    robot = next(spawn for spawn in level.spawns if spawn.kind == "robot")
    with pytest.raises(error, match=message) as caught:
        dungeon.to_esper(level, world, {"robot": factory})
    assert contents() == before
    assert caught.value.__notes__ == [
        f"This was about the robot {robot.tag!r} at y {robot.y}, x {robot.x}, asked for by {robot.source}, of {level.id}."
    ]
    # Nothing is in the way of doing it right.
    assert len(dungeon.to_esper(level, world)) == len(level.spawns)
    esper.process()


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("door", "the door at y {0.y}, x {0.x}"),
        ("exit", "the exit at y {0.y}, x {0.x}"),
        ("level", "the level"),
    ],
)
def test_a_note_on_an_error_names_the_thing(kind: str, place: str, levels: list[dungeon.Level]) -> None:
    level = levels[0]
    first = {"door": level.doors[0], "exit": level.exits[0], "level": None}[kind]
    with pytest.raises(GameError) as caught:
        dungeon.to_esper(level, factories={kind: failing})  # type: ignore[misc]
    assert caught.value.__notes__ == [f"This was about {place.format(first)} of {level.id}."]


def test_a_factory_may_look_into_other_worlds(levels: list[dungeon.Level]) -> None:
    def curious(door: dungeon.Door) -> list[object]:
        esper.switch_world("a world of its own")
        return dungeon.components_of(door)

    level = levels[0]
    before = esper.current_world
    dungeon.to_esper(level, SHARED, {"door": curious})
    assert esper.current_world == SHARED
    assert counts() == parts(level)
    esper.switch_world(before)
    with pytest.raises(GameError):
        dungeon.to_esper(level, "another", {"door": wandering})
    assert esper.current_world == before
    assert "another" not in esper.list_worlds()


def test_a_factory_that_is_for_nothing_or_is_none_is_refused(levels: list[dungeon.Level]) -> None:
    before = contents()
    with pytest.raises(
        ValueError,
        match="no kind of spawn 'gate', only prop, trap, robot, item, debris, and door, portal, exit, light, marker, level",
    ):
        dungeon.to_esper(levels[0], factories={"gate": noted})  # type: ignore[misc]
    with pytest.raises(TypeError, match="the factory of 'door' can't be called: None"):
        dungeon.to_esper(levels[0], factories={"door": None})  # type: ignore[typeddict-item]
    assert contents() == before
