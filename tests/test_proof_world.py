"""The proof of a level beside its world: whatever is changed on a right level shows; and nothing makes the proof raise."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from drawn import load
from test_proof import CAMP, draw, placement, put, swap, whole

import dungeon
from dungeon import Cell, Exit, Level, Light, Rect, prove
from dungeon import terrain as t
from dungeon.content.models.dressing import RiverEntry
from dungeon.content.models.encounters import EncounterEntry, LimitEntry
from dungeon.proof import spacing_rules, world_rules
from dungeon.proof.check import FIELD_RULES, rules_in
from dungeon.proof.spacing_rules import world_spacing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dungeon.proof.world_rules import LevelOrigin

GAME = {
    "terrain.yaml": "moss: {like: floor, glyph: '.'}\nslime: {like: floor, glyph: ','}\n",
    "themes.yaml": "damp: {floor: moss}\n",
    "objects/props.yaml": """
        crate: {name: crate, glyph: c}
        rug: {name: rug, glyph: r, blocks: false}
        lamp: {name: lamp, glyph: "*", fg: "#ffcc88", light: 5, blocks: false}
        """,
    "objects/items.yaml": "coin: {name: coin, glyph: $, worth: 2}\n",
    "objects/robots.yaml": "sweeper: {name: sweeper, glyph: s}\n",
    "prefabs/cells.yaml": """
        store:
          map: |
            ....
            .CL.
            .$..
            ....
          legend: {C: {prop: crate}, L: {prop: lamp}, $: {item: coin}}
        shop:
          map: |
            ....
            .C..
            ....
          legend: {C: {prop: crate}}
        """,
    "encounters/all.yaml": """
        hoard: {category: reward, placing: accessible, prefabs: store, maps: {cellar: 1}, limit: {map: 2}, group: [loot]}
        trade: {category: fluff, placing: accessible, prefabs: shop, maps: {attic: 1}}
        deep: {category: fluff, placing: accessible, prefabs: shop, maps: {cellar: 1}, depth: 5..9}
        alone: {category: reward, placing: accessible, prefabs: store, maps: {cellar: 0}, limit: {branch: 2}, group: [loot],
          requires: trade}
        proud: {category: reward, placing: accessible, prefabs: store, maps: {cellar: 0}, limit: {world: 2},
          conflicts: hoard}
        shy: {category: reward, placing: accessible, prefabs: store, maps: {cellar: 0}, limit: {map: 2}, group: [loot],
          far_from: {shy: 500}}
        guard: {category: reward, placing: accessible, prefabs: store, maps: {cellar: 0}, limit: {map: 2}, group: [loot],
          near: {trade: 9}}
        gamble: {category: risk, placing: accessible, prefabs: store, maps: {cellar: 0}, limit: {map: 2}, group: [loot]}
        bank: {category: reward, placing: accessible, prefabs: store, maps: {cellar: 0}, limit: {map: 2}, group: [loot],
          content: [{item: coin, count: 1..3}]}
        fight: {category: danger, placing: accessible, prefabs: store, maps: {cellar: 1}, limit: {map: 2}, group: [loot]}
        """,
    "maps/all.yaml": """
        cellar: {name: The Cellar, size: {width: 50..60, height: 40}, encounters: 4, theme: damp,
          population: [{robot: sweeper}], mix: {risk: 0..1}, budget: {worth: {by_depth: {1: 4, 2: 100}}}}
        attic: {name: The Attic, size: 50x40, encounters: 2}
        """,
    "world.yaml": "start: cellar/1\nleads_to: {cellar/1: [attic/2, cellar/2], cellar/2: [attic/2]}\nweights: {danger: 0%}\n",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> dungeon.World:
    """The world of the small game above."""
    return dungeon.World(load(tmp_path_factory.mktemp("game"), GAME), seed=4)


@pytest.fixture(scope="module")
def cellar(world: dungeon.World) -> Level:
    """A level with two encounters, each with a lamp, and two exits."""
    level = world.level("cellar/1")
    assert len(level.placements) == len(level.lights) == len(level.exits) == 2
    return level


def faults(level: Level, world: dungeon.World) -> list[str]:
    return [violation.rule for violation in prove(level, world)]


def first(level: Level, kind: str, tag: str) -> int:
    return next(i for i, each in enumerate(level.spawns) if (each.kind, each.tag) == (kind, tag))


def spawned(level: Level, kind: str, tag: str, /, **changes: object) -> Level:
    return put(level, spawns=swap(level.spawns, first(level, kind, tag), **changes))


def placed(level: Level, **changes: object) -> Level:
    return put(level, placements=swap(level.placements, 0, **changes))


def floored(level: Level, kind: str, terrain: str) -> Level:
    """Lay other ground on one bare cell of the largest region of a kind, off prefabs and doors."""
    region = max((each for each in level.regions if each.kind == kind), key=lambda each: each.bounds.area)
    taken = [placement.bounds for placement in level.placements]
    y, x = next(
        (y, x)
        for y, x in np.argwhere((level.region == region.id) & level.walkable).tolist()
        if level.base[y, x] in (t.FLOOR, t.CORRIDOR) and not any(each.contains(y, x) for each in taken)
    )
    changed = level.terrain.copy()
    changed[y, x] = next(i for i, each in enumerate(level.terrain_set.kinds) if each.name == terrain)
    return put(level, terrain=changed)


def renamed(level: Level, encounter: str) -> Level:
    return put(level, placements=tuple(replace(each, encounter=encounter) for each in level.placements))


def with_a_named_lock(level: Level) -> Level:
    """Lock a crate with a word that the content does not know, and let a coin open it."""
    crate = level.spawns[first(level, "prop", "crate")]
    level = spawned(level, "prop", "crate", keywords={"lock": "zinc"})
    level = spawned(level, "item", "coin", keywords={"opens": "zinc"})
    return put(level, locks=(dungeon.Lock(y=crate.y, x=crate.x, word="zinc", name="zinc lock"),))


def among_enemies(level: Level) -> Level:
    """Call the first of two encounters by the name of one that conflicts with the other."""
    one, other = level.placements
    return put(level, placements=(replace(one, encounter="proud", groups=()), replace(other, copy=1)))


def without_an_exit(level: Level) -> Level:
    """Drop an exit together with its stairs."""
    terrain = level.terrain.copy()
    terrain[level.exits[0].y, level.exits[0].x] = terrain[terrain >= t.BUILT_IN][0]
    return put(level, terrain=terrain, exits=level.exits[1:])


def without_stairs_up(level: Level) -> Level:
    terrain = level.terrain.copy()
    terrain[level.entrance] = terrain[terrain >= t.BUILT_IN][0]
    return put(level, terrain=terrain)


def unpainted(level: Level) -> Level:
    terrain = level.terrain.copy()
    terrain[terrain >= t.BUILT_IN] = t.FLOOR
    return put(level, terrain=terrain)


def widened(level: Level) -> Level:
    """Add columns of wall until no map of the kind is so large."""
    added = np.zeros((level.height, 61 - level.width), np.uint8)
    terrain, region = np.hstack((level.terrain, added + t.WALL)), np.hstack((level.region, added))
    return put(level, terrain=terrain.astype(np.uint8), region=region.astype(np.uint16))


def approaching(level: Level) -> Level:
    """Let the robot of the map's population stand beside the entrance."""
    y, x = level.entrance
    beside = [(y + dy, x + dx) for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    free = next(cell for cell in beside if level.walkable[cell])
    return spawned(level, "robot", "sweeper", y=free[0], x=free[1], cells=(Cell(*free),))


CHANGED: dict[str, tuple[Callable[[Level], Level], str]] = {
    "a map there is not": (lambda level: put(level, id="loft/1"), "world-map"),
    "another seed": (lambda level: put(level, seed=5), "world-seed"),
    "another name": (lambda level: put(level, name="Cellar"), "world-name"),
    "an exit gone with its stairs": (without_an_exit, "world-exits"),
    "no exits": (lambda level: without_an_exit(without_an_exit(level)), "world-exits"),
    "an exit to elsewhere": (
        lambda level: put(level, exits=swap(level.exits, 0, leads_to="attic/3")),
        "world-exits",
    ),
    "two exits to one map": (
        lambda level: put(level, exits=swap(level.exits, 0, leads_to=level.exits[1].leads_to)),
        "world-exits",
    ),
    "no stairs up": (without_stairs_up, "world-entrance"),
    "another size": (widened, "world-size"),
    "other kinds of terrain": (
        lambda level: put(
            level, terrain_set=t.TerrainSet((*level.terrain_set.kinds, level.terrain_set.kinds[-1]))
        ),
        "world-terrain",
    ),
    "another theme": (unpainted, "world-theme"),
    "a passage's ground in a room": (lambda level: floored(level, "room", "corridor"), "world-ground"),
    "a floor that no pass lays": (lambda level: floored(level, "room", "slime"), "world-ground"),
    "a room's floor in a passage": (lambda level: floored(level, "corridor", "moss"), "world-ground"),
    "a zone of nobody": (
        lambda level: put(level, zones=(dungeon.Zone(id=1, name="mill", kind="first", regions=(1,)),)),
        "world-zone",
    ),
    "a lock by another name": (with_a_named_lock, "world-lock"),
    "an unknown encounter": (lambda level: renamed(level, "hoards"), "world-encounter"),
    "an encounter of another map": (lambda level: renamed(level, "trade"), "world-encounter"),
    "an encounter from below": (lambda level: renamed(level, "deep"), "world-encounter"),
    "an encounter without another": (lambda level: renamed(level, "alone"), "world-encounter"),
    "an encounter with its enemy": (among_enemies, "world-encounter"),
    "encounters too near to each other": (lambda level: renamed(level, "shy"), "world-spacing"),
    "an encounter far from where it is to be": (lambda level: renamed(level, "guard"), "world-spacing"),
    "too many of a category": (
        lambda level: put(
            level,
            placements=tuple(replace(each, encounter="gamble", category="risk") for each in level.placements),
        ),
        "world-mix",
    ),
    "a category of a factor of 0": (
        lambda level: put(
            level,
            placements=tuple(
                replace(each, encounter="fight", category="danger") for each in level.placements
            ),
        ),
        "world-factor",
    ),
    "more than the budget allows": (lambda level: renamed(level, "bank"), "world-budget"),
    "another category": (lambda level: placed(level, category="risk"), "world-encounter"),
    "another mode": (lambda level: placed(level, mode="enclosed"), "world-encounter"),
    "another prefab": (lambda level: placed(level, prefab="shop"), "world-encounter"),
    "no limit": (lambda level: placed(level, limit=None), "world-encounter"),
    "a higher limit": (lambda level: placed(level, limit=3), "world-encounter"),
    "no group": (lambda level: placed(level, groups=()), "world-encounter"),
    "a prefab of nobody": (
        lambda level: put(
            level,
            placements=(
                *level.placements,
                replace(CAMP, encounter="", prefab="tent", bounds=Rect(1, 1, 1, 1)),
            ),
        ),
        "world-prefab",
    ),
    "an unknown object": (lambda level: spawned(level, "item", "coin", tag="coins"), "world-spawn"),
    "an object of another kind": (
        lambda level: spawned(level, "item", "coin", kind="debris", like="debris"),
        "world-spawn",
    ),
    "a crate that does not block": (
        lambda level: spawned(level, "prop", "crate", blocks=False),
        "world-spawn",
    ),
    "a crate that hides": (lambda level: spawned(level, "prop", "crate", opaque=True), "world-spawn"),
    "no lights": (lambda level: put(level, lights=()), "world-light"),
    "a light gone": (lambda level: put(level, lights=level.lights[1:]), "world-light"),
    "a light twice": (lambda level: put(level, lights=(*level.lights, level.lights[0])), "world-light"),
    "a light of another colour": (
        lambda level: put(level, lights=swap(level.lights, 0, colour=(1, 2, 3))),
        "world-light",
    ),
    "a light that reaches farther": (
        lambda level: put(level, lights=swap(level.lights, 0, radius=50)),
        "world-light",
    ),
    "a light where nothing shines": (
        lambda level: put(level, lights=(*level.lights, Light(y=2, x=2, radius=5, colour=(1, 1, 1)))),
        "world-light",
    ),
    "a robot in sight of the entrance": (approaching, "world-sight"),
}


@pytest.mark.parametrize(("change", "rule"), CHANGED.values(), ids=CHANGED.keys())
def test_each_change_of_a_level_breaks_a_rule_of_its_world(
    change: Callable[[Level], Level], rule: str, cellar: Level, world: dungeon.World
) -> None:
    assert prove(cellar, world) == []
    changed = change(cellar)
    assert prove(changed) == []  # as a level it is right
    assert set(faults(changed, world)) == {rule}


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (LimitEntry(map=2), None),
        (LimitEntry(map=3, world=2), None),
        (LimitEntry(), "has a limit of 2 copies here, and its entry has none"),
        (LimitEntry(map=1), "has a limit of 2 copies here, and its entry has 1"),
        (LimitEntry(map=3, world=1), "has a limit of 2 copies here, and its entry has 1"),
    ],
)
def test_limits_are_those_of_the_map_and_of_the_world(
    limit: LimitEntry, told: str | None, cellar: Level, world: dungeon.World
) -> None:
    encounters = dict(world.content.encounters)
    encounters["hoard"] = encounters["hoard"].model_copy(update={"limit": limit})
    content = replace(world.content, encounters=encounters)
    other = dungeon.World(content, seed=world.seed)
    messages = [f"hoard with store {told}"] * 2 if told else []
    assert [violation.message for violation in prove(cellar, other)] == messages


def test_a_level_read_from_json_is_still_that_of_its_world(cellar: Level, world: dungeon.World) -> None:
    assert prove(dungeon.from_json(dungeon.to_json(cellar)), world) == []


def test_messages_name_found_and_declared_values(cellar: Level, world: dungeon.World) -> None:
    changed = put(
        cellar,
        exits=swap(cellar.exits, 0, leads_to="attic/7"),
        placements=swap(cellar.placements, 0, limit=None),
        lights=(),
    )
    lamps = [spawn for spawn in cellar.spawns if spawn.tag == "lamp"]
    way, bounds = cellar.exits[0], cellar.placements[0].bounds
    assert [str(each) for each in prove(changed, world)] == [
        f"world-exits at {way.y}, {way.x}: an exit leads to attic/7, and in the world this map does not lead there",
        "world-exits: no exit leads to attic/2",
        f"world-encounter at {bounds.y}, {bounds.x}: hoard with store has no limit of copies here, and its entry has 2",
        *(
            f"world-light at {each.y}, {each.x}: an object that shines 5 cells far has no light here"
            for each in lamps
        ),
    ]
    assert [each.message for each in prove(put(cellar, seed=9, id="loft/1"), world)] == [
        "the world has no map 'loft/1'",
        "the level's seed is not the world's seed",
    ]


@pytest.mark.parametrize(
    ("encounter", "told"),
    [
        ("shy", ["shy with store is less than 500 steps from shy"] * 2),
        ("guard", ["guard with store must be near trade, but nothing of this name is on the level"] * 2),
        ("gamble", ["2 encounters have the category risk, and the map's mix allows 1"]),
        ("bank", ["the encounters have an expected worth of 12, and the map's budget is 4"]),
    ],
)
def test_messages_about_spacing_mix_and_budget(
    encounter: str, told: list[str], cellar: Level, world: dungeon.World
) -> None:
    category = "risk" if encounter == "gamble" else "reward"
    placements = tuple(replace(each, encounter=encounter, category=category) for each in cellar.placements)
    assert [each.message for each in prove(put(cellar, placements=placements), world)] == told


def test_a_category_that_a_factor_takes_away_is_on_no_level(cellar: Level, world: dungeon.World) -> None:
    for factor, rules in ((0.0, ["world-factor"] * 2), (0.1, [])):
        entry = world.content.world.model_copy(update={"weights": {"reward": factor}})
        content = replace(world.content, world=entry)
        assert faults(cellar, dungeon.World(content, seed=world.seed)) == rules


@pytest.mark.parametrize("encounter", ["gamble", "bank"])
def test_guaranteed_encounters_are_not_counted_by_mix_and_budget(
    encounter: str, cellar: Level, world: dungeon.World
) -> None:
    category = "risk" if encounter == "gamble" else "reward"
    placements = tuple(replace(each, encounter=encounter, category=category) for each in cellar.placements)
    for key, value in (("requires", (encounter,)), ("fallback", encounter)):
        encounters = dict(world.content.encounters)
        trade = encounters["trade"].model_copy(update={"guaranteed": True, key: value})
        content = replace(world.content, encounters=encounters | {"trade": trade})
        other = dungeon.World(content, seed=world.seed)
        assert prove(put(cellar, placements=placements), other) == []


RING = """
    ##########
    #<,,,,,,,#
    #,######,#
    #,######,#
    #,,,,,,,,#
    ##########
    """
"""From the entrance it is ten steps to the far corner, either way round, and three from there to the one above it."""

ALMS = placement("alms", Rect(4, 8, 1, 1))
BATH = placement("bath", Rect(1, 8, 1, 1))
FORD = RiverEntry.model_validate({"river": "water", "crossing": "cave"})


def spaced(text: str, said: dict[str, dict[str, int]], *dressing: object) -> list[str]:
    """Return what the proof says of an encounter in the corner, and another one above it, on a drawn map."""
    entry = {"category": "fluff", "placing": "accessible", "prefabs": "bath", "maps": {"cellar": 1}}
    alms = EncounterEntry.model_validate(entry | said)
    bath = EncounterEntry.model_validate(entry | {"category": "danger", "group": {"world": "wet"}})
    content = SimpleNamespace(encounters={"alms": alms, "bath": bath}, themes={})
    level = put(draw(text), placements=(ALMS, BATH))
    codes = {kind.name: code for code, kind in enumerate(level.terrain_set.kinds)}
    entry = SimpleNamespace(dressing=dressing)
    origin = SimpleNamespace(level=level, content=content, entry=entry, codes=codes)
    return [message for message, _, _ in world_spacing(cast("LevelOrigin", origin))]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"far_from": {"entrance": 10}, "near": {"entrance": 10}}, None),
        ({"far_from": {"entrance": 11}}, "less than 11 steps from entrance"),
        ({"near": {"entrance": 9}}, "more than 9 steps from entrance"),
        ({"far_from": {"bath": 3, "danger": 3, "wet": 3}, "near": {"bath": 3, "danger": 3, "wet": 3}}, None),
        ({"far_from": {"bath": 4}}, "less than 4 steps from bath"),
        ({"far_from": {"danger": 4}}, "less than 4 steps from danger"),
        ({"near": {"wet": 2}}, "more than 2 steps from wet"),
        ({"far_from": {"exits": 99, "alms": 99}}, None),
        ({"near": {"exits": 1}}, None),
        ({"near": {"alms": 99}}, "must be near alms, but nothing of this name is on the level"),
    ],
)
def test_distances_of_encounters_are_measured_on_the_finished_map(
    said: dict[str, dict[str, int]], told: str | None
) -> None:
    found = spaced(RING, said)
    assert found == [] if told is None else found[0].endswith(f" {told}")
    assert len(found) == (told is not None)


def test_dressing_and_room_corners_do_not_break_distances() -> None:
    near, far = {"near": {"entrance": 10}}, {"far_from": {"entrance": 10}}
    flooded = RING.replace("#,######,#", "#~######~#", 1).replace("<,,,,,,,", "<,~,,,,,")
    assert spaced(flooded, near) == ["alms is more than 10 steps from entrance"]
    assert spaced(flooded, near, FORD) == []  # the water may be new
    bridged = RING.replace("#<,,,,,,,#", "#,,,,<,,,#")
    assert spaced(bridged, far) == ["alms is less than 10 steps from entrance"]
    assert spaced(bridged.replace("<,,", "<:,"), far) == ["alms is less than 10 steps from entrance"]
    assert spaced(bridged.replace("<,,", "<:,"), far, FORD) == []  # the ford may be new
    corner, beside = (
        RING.replace("#,######,#", "#,,,,,,,B#", 1).replace("######,#", ",,,,,,,#"),
        {"near": {"bath": 3}},
    )
    assert spaced(corner, beside) == ["alms is more than 3 steps from bath"]
    assert spaced(corner.replace(",", "."), beside) == []  # rooms lose their corners


def test_every_rule_of_worlds_is_broken_somewhere_above() -> None:
    rules = {rule.__name__.replace("_", "-") for rule in rules_in(world_rules, spacing_rules)}
    assert {rule for _, rule in CHANGED.values()} == rules


# -- nothing that a level holds makes the proof raise -----------------------------------------------

HOSTILE: list[Any] = [
    *(None, True, False, -1, 0, 1, 10**30, -(10**30), 10**5000, 2**31, 2**31 - 1, -(2**31), 2**63, 1.5),
    *(
        float("nan"),
        float("inf"),
        "",
        "x",
        "a/1",
        "robot",
        "\ud800",
        (),
        (1,),
        (1, 2),
        (1, 2, 3, 4),
        ((1, 2),),
    ),
    *(
        (10**30,) * 4,
        (2**31 - 1,) * 4,
        ((10**30, 1),),
        ((10**5000, 1),),
        (None, None),
        ("a", "b"),
        [],
        [1],
        {},
    ),
    *(Rect(-5, -5, 2, 2), Rect(0, 0, 0, 0), Rect(1, 1, 10**30, 10**30), Cell(2**31 - 1, 2**31 - 1), object()),
]
"""Values that some field of a level should not hold, of the right type and of others."""

PARTS = ("exits", "regions", "connections", "doors", "placements", "spawns", "lights", "locks", "zones")


def with_field(part: Any, name: str, value: object) -> Any:
    """Return a copy of a level or a part of one with a value that its field may refuse otherwise."""
    copy = put(part) if isinstance(part, Level) else replace(part)
    object.__setattr__(copy, name, value)
    return copy


def hostile(level: Level, random: Random) -> list[tuple[str, object, Level]]:
    """Return the level many times, each time with another field replaced."""
    found = [
        (each.name, value, with_field(level, each.name, value)) for each in fields(level) for value in HOSTILE
    ]
    for name in PARTS:
        parts = getattr(level, name)
        for part in random.sample(parts, min(2, len(parts))):
            index = parts.index(part)
            others = [
                (each.name, value, with_field(part, each.name, value))
                for each in fields(part)
                for value in HOSTILE
            ]
            others += [("", value, value) for value in HOSTILE]
            for field, value, other in others:
                changed = with_field(level, name, (*parts[:index], other, *parts[index + 1 :]))
                found.append((f"{name}.{field}", value, changed))
    return found


LOCKED = """
    ##########
    #<.gG..I>#
    #k.O.!.r.#
    ##########
"""


@pytest.mark.parametrize("which", ["whole", "locked", "made"])
def test_nothing_in_a_level_makes_the_proof_raise(which: str, cellar: Level, world: dungeon.World) -> None:
    level = {"whole": whole(), "locked": draw(LOCKED), "made": cellar}[which]
    random = Random(which)
    every = hostile(level, random)
    for name, value, changed in random.sample(every, len(every) // 6):
        for violation in prove(changed, world):  # which looks at all that it looks at without a world
            assert isinstance(str(violation), str), (name, value)


NUMBERS = {
    **dict.fromkeys(("exits", "connections", "doors", "spawns", "lights", "locks"), ("y", "x")),
    "regions": ("id", "bounds"),
    "zones": ("id", "parent", "step"),
    "placements": ("region", "copy", "limit", "bounds"),
}
"""Parts of a level -> their fields that hold numbers."""


@pytest.mark.parametrize(
    ("part", "field"), [(part, field) for part, known in NUMBERS.items() for field in known]
)
def test_absurd_numbers_are_reported(part: str, field: str) -> None:
    level = put(
        draw(LOCKED),
        placements=(CAMP,),
        lights=(Light(y=1, x=1, radius=3, colour=(1, 1, 1)),),
        zones=(dungeon.Zone(id=1, name="a", kind="first"),),
    )
    level = put(level, exits=(Exit(y=1, x=1, leads_to="test/2"),))
    values = [Rect(1, 1, 10**30, 1), Rect(-(10**30), 1, 1, 1)] if field == "bounds" else [10**30, -(10**30)]
    for value in values:
        parts = getattr(level, part)
        (violation,) = prove(with_field(level, part, (with_field(parts[0], field, value), *parts[1:])))
        assert violation.rule == FIELD_RULES[0].__name__.replace("_", "-")
        assert violation.message.startswith(f"{part}[0].{field} is ")


HARBOUR = {
    "objects/items.yaml": "key: {name: key, glyph: k}\ntoken: {name: token, glyph: t}\n",
    "objects/props.yaml": "crank: {name: crank, glyph: v}\n",
    "locks.yaml": """
        brass: {name: brass lock, opened_by: {item: key}, keys: 2}
        sluice: {name: sluice, opened_by: {prop: crank}}
        inner: {name: inner lock, opened_by: {lock: brass}}
        """,
    "world.yaml": "start: harbour/1\n",
    "maps/harbour.yaml": """
        harbour:
          name: Harbour
          size: 90x60
          layout:
            patchwork:
              zones:
                quay: {layout: tunnels}
                sheds: {layout: caves, join: bridge}
                hold: {layout: tunnels, join: tumour}
          locks: {brass: 2, sluice: 1, inner: 1}
        """,
}
"""A game of one map with three zones, and with locks of three words."""


def without_zone(level: Level, luck: Random) -> Level:
    """Take one of the zones away, and number the others anew."""
    gone = luck.choice(level.zones)
    kept = [each for each in level.zones if each is not gone]
    numbers = {each.id: number for number, each in enumerate(kept, 1)}
    zones = tuple(replace(each, id=numbers[each.id], parent=numbers.get(each.parent, 0)) for each in kept)
    return put(level, zones=zones)


def with_empty_zone(level: Level, luck: Random) -> Level:
    """Take all regions from one of the zones."""
    return put(level, zones=swap(level.zones, luck.randrange(len(level.zones)), regions=()))


def without_key(level: Level, luck: Random) -> Level:
    """Take one of the keys away."""
    gone = luck.choice([each for each in level.spawns if "opens" in each.keywords])
    return put(level, spawns=tuple(each for each in level.spawns if each is not gone))


def with_another_key(level: Level, luck: Random) -> Level:
    """Put another item where a key was that still opens the same lock."""
    number = luck.choice([index for index, each in enumerate(level.spawns) if "opens" in each.keywords])
    kind = level.spawns[number].kind
    tag = "token" if kind == "item" else "rope"
    return put(level, spawns=swap(level.spawns, number, tag=tag))


def with_another_word(level: Level, luck: Random) -> Level:
    """Let a key open the locks of another word, which has one already."""
    number = luck.choice([index for index, each in enumerate(level.spawns) if "opens" in each.keywords])
    spawn = level.spawns[number]
    word = "sluice" if spawn.keywords["opens"] == "brass" else "brass"
    return put(level, spawns=swap(level.spawns, number, keywords={**spawn.keywords, "opens": word}))


def with_following_locks(level: Level, luck: Random) -> Level:
    """Let a lock follow those of another word."""
    number = luck.choice([index for index, each in enumerate(level.locks) if each.word != "inner"])
    word = "sluice" if level.locks[number].word == "brass" else "brass"
    return put(level, locks=swap(level.locks, number, follows=word))


def with_renamed_lock(level: Level, luck: Random) -> Level:
    """Give a lock another name."""
    return put(level, locks=swap(level.locks, luck.randrange(len(level.locks)), name="rusty lock"))


SPOILS = (
    without_zone,
    with_empty_zone,
    without_key,
    with_another_key,
    with_another_word,
    with_following_locks,
    with_renamed_lock,
)


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
def test_spoilt_zones_and_locks_are_reported(spoil: Callable[[Level, Random], Level], tmp_path: Path) -> None:
    content = load(tmp_path, HARBOUR)
    seen = 0
    for seed in range(6):
        world = dungeon.World(content, seed)
        level = world.level("harbour/1")
        assert prove(level, world) == []
        if {each.word for each in level.locks} == {"brass", "sluice", "inner"}:
            seen += 1
            assert faults(spoil(level, Random(seed)), world) != [], seed
    assert seen >= 2
