"""The layout cards: what is dealt, how it is joined, and levels of zones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import KINDS, OBJECTS, prefab, write

import dungeon
from dungeon import Canvas, ContentError, Orientation, Rect
from dungeon.extend import Streams
from dungeon.generation.layouts.cards_faces import Grid, objection
from dungeon.generation.layouts.cards_grid import Lattice
from dungeon.generation.layouts.cards_params import CardsParams
from dungeon.grid.regions import FAR, beside, components, distances, touching

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Level

PREFABS = """
hub:
  map: |
    ####+####
    #..C.C..#
    #.......#
    +...C...+
    #.......#
    ####+####
  legend: {C: {prop: crate}}
bend:
  map: |
    #########
    #..#....#
    #..#....+
    #.......#
    ####.####
  tags: [small]
linked:
  map: |
    #######
    #.....#
    #.....#
    #######
  links: |2

      *  1

      *
  tags: [small]
bare:
  map: |
    ?...?
    ..#..
    ?...?
hall:
  map: |
    ###################
    #........#........#
    #..CCC.......CCC..#
    +.................+
    #........#........#
    ###################
  legend: {C: {prop: crate}}
court:
  map: |
    ????+????????+????
    ?######.##.######?
    ?#..............#?
    ?#..............#?
    +................+
    ?#...CC....CC...#?
    ?#...CC....CC...#?
    ?#..............#?
    ?#..............#?
    +................+
    ?#..............#?
    ?######.##.######?
    ????+????????+????
  legend: {C: {prop: crate}}
shrub:
  map: |
    ###+###
    #.1.1.#
    #1.1.1#
    #.1.1.#
    #######
  legend: {1: {item: {class: aid}}}
  vary: [{shuffle: "1."}]
nook: {map: "C.C\\n...", legend: {C: {prop: crate}}}
vast: {map: "......................................................"}
"""

DECK = "{hub: 2, small: 4, bare: 1, hall: {weight: 2, copies: 2}, court: 1, shrub: 1}"


def game(
    tmp_path: Path, cards: str, *, size: str = "110x70", more: str = "", files: dict[str, str] | None = None
) -> dungeon.Content:
    """Return content with a map of cards."""
    folder = write(
        tmp_path,
        {
            **OBJECTS,
            "prefabs/cards.yaml": PREFABS,
            "maps/m.yaml": f"m: {{name: M, size: {size}, layout: {{cards: {cards}}}{more}}}\n",
            "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
            **(files or {}),
        },
    )
    return dungeon.load_content(folder)


def level_of(tmp_path: Path, cards: str, seed: int = 1, **more: object) -> Level:
    """Return one of its levels."""
    return dungeon.World(game(tmp_path, cards, **more), seed).level("m/1")  # type: ignore[arg-type]


def prefabs_on(level: Level) -> list[str]:
    """Return the kinds of the regions of a level."""
    return [region.kind for region in level.regions]


def named(level: Level) -> np.ndarray:
    """Return the name of the terrain of each cell."""
    return np.array([kind.name for kind in level.terrain_set.kinds])[level.terrain]


def parts_without(level: Level, closed: set[tuple[int, int]]) -> np.ndarray:
    """Return which part each open cell belongs to when some cells are closed."""
    is_open = (level.base > dungeon.terrain.BLOCKED) & ~((level.region == 0) & (named(level) == "water"))
    for cell in closed:
        is_open[cell] = False
    labels, _ = components(is_open)
    return labels


# -- everything at once -----------------------------------------------------------------------------


def some_parameters(random: Random) -> str:
    """Return parameters of all sorts."""
    names = "abcdef"[: random.randint(1, 6)]
    zones = []
    for index, name in enumerate(names):
        grow = random.choice(
            [
                "random", "blob", "filled", "{sections: {T: 1, L: 1, cell: 2, I: 1}}",
                "{chances: {4: 100%, 3: 90%, 2: 30%}, toward: south-east, ageing: 20%}",
            ]
        )  # fmt: skip
        join = random.choice(["bridge", "tumour", "multi-tumour", "island"])
        joined = (
            f"from: {random.choice(names[:index])}, join: {join}, doors: {random.randint(1, 3)}, "
            if index
            else ""
        )
        zones.append(f"{name}: {{{joined}count: {random.randint(2, 12)}, grow: {grow}}}")
    return (
        f"{{cell: {random.choice(['11x8', '10x7', '13x9'])}, gap: {random.randint(1, 3)}, rooms: {random.choice([0, 1])}, "
        f"deck: {random.choice(['{}', DECK, '{small: 3, hall: 3}'])}, loops: {random.choice([0, 20, 100])}%, "
        f"halls: {random.choice([0, 40])}%, apart: {random.choice(['true', 'false'])}, zones: {{{', '.join(zones)}}}}}"
    )


@pytest.mark.parametrize("trial", range(8))
def test_whatever_is_asked_for_levels_keep_their_promises_at_the_first_attempt(
    tmp_path: Path, trial: int
) -> None:
    random = Random(trial)
    parameters = some_parameters(random)
    content = game(tmp_path, parameters, size=random.choice(["110x70", "60x45", "140x90"]))
    for seed in range(2):
        world = dungeon.World(content, seed)
        for map_id in ("m/1", "m/2"):
            level = world.level(map_id)
            assert dungeon.prove(level, world) == [], parameters
            assert level.retries == 0
            assert dungeon.from_json(dungeon.to_json(level)) == level
            check_gates(level)


def check_gates(level: Level) -> None:
    """Check that no step leads into a zone but through its gates, and one does through those."""
    for zone in level.zones:
        if not zone.parent:
            continue
        assert zone.gates
        below = {zone.id}
        for other in level.zones:
            below |= {other.id} if other.parent in below else set()
        apart = {each.id: each for each in level.zones if each.id not in below}
        labels = parts_without(level, set(zone.gates))
        inside = np.isin(level.region, [*zone.regions])
        outside = np.isin(level.region, [number for each in apart.values() for number in each.regions])
        assert not {*labels[inside & (labels > 0)].tolist()} & {*labels[outside & (labels > 0)].tolist()}


# -- cards ------------------------------------------------------------------------------------------


def test_a_few_cards_as_a_picture(tmp_path: Path) -> None:
    level = level_of(
        tmp_path,
        "{cell: 9x6, count: 6, deck: {hub: 1}, rooms: 0, passages: 0, loops: 0%, halls: 0%}",
        size="34x24",
    )
    drawn = dungeon.to_text(level, spawns=False)
    assert drawn.count("####") > 10
    assert sum(region.kind == "prefab" for region in level.regions) == 6
    assert not any(region.kind == "room" for region in level.regions)


def test_no_more_copies_are_dealt_than_a_level_may_have(tmp_path: Path) -> None:
    deck = "{hall: {weight: 9, copies: 2}, small: {weight: 9, copies: 3}}"
    content = game(tmp_path, f"{{cell: 10x7, count: 25, deck: {deck}, rooms: 1}}")
    counts: Counter[str] = Counter()
    for seed in range(8):
        level = dungeon.World(content, seed).level("m/1")
        dealt = [region for region in level.regions if region.kind == "prefab"]
        large = sum(max(region.bounds.width, region.bounds.height) > 12 for region in dealt)
        assert large <= 2
        assert len(dealt) <= 2 + 2 * 3  # of each of the two small ones
        counts["large"] += large
    assert counts["large"] > 8


def test_openings_that_no_way_leads_to_are_walled_up(tmp_path: Path) -> None:
    content = game(tmp_path, "{cell: 11x8, count: 12, deck: {hub: 1}, rooms: 0, passages: 0, loops: 0%}")
    for seed in range(5):
        level = dungeon.World(content, seed).level("m/1")
        doors = (level.base == dungeon.terrain.DOOR).sum()
        assert doors == 2 * 11  # a tree of 12 cards has 11 ways


def test_a_drawn_door_that_is_no_opening_is_walled_up(tmp_path: Path) -> None:
    """The prefab is entered by its links, so that the door in its wall is not."""
    files = {
        "prefabs/gate.yaml": """
            gate: {map: "####+##\\n#.....#\\n#.....#\\n#######", links: "\\n\\n*     *"}
            """
    }
    content = game(tmp_path, "{cell: 11x8, count: 9, deck: {gate: 1}, rooms: 0, passages: 1}", files=files)
    for seed in range(5):
        world = dungeon.World(content, seed)
        assert dungeon.prove(world.level("m/1"), world) == []


def test_where_the_grid_would_have_no_free_cell_it_is_laid_so_that_it_has_one() -> None:
    canvas = Canvas(14, 30, KINDS)
    canvas.reserve(Rect(1, 1, 12, 13))
    params = CardsParams(cell={"width": 11, "height": 8})
    grids = [Lattice.on(canvas, params, Streams(seed).stream("grid")) for seed in range(20)]
    assert all(each.free for each in grids)
    assert {each.left for each in grids} > {3, 4}
    canvas.reserve(Rect(1, 20, 12, 3))
    assert not Lattice.on(canvas, params, Streams(1).stream("grid")).free


@pytest.mark.parametrize(("loops", "low", "high"), [("0%", 0, 0), ("100%", 5, 99)])
def test_loops_are_ways_that_nothing_needs(tmp_path: Path, loops: str, low: int, high: int) -> None:
    content = game(
        tmp_path,
        f"{{cell: 11x8, count: 16, grow: filled, deck: {{hub: 1}}, halls: 0%, passages: 0, loops: {loops}}}",
    )
    for seed in range(5):
        level = dungeon.World(content, seed).level("m/1")
        ways = sum(region.kind == "corridor" for region in level.regions)
        assert low <= ways - 15 <= high


def test_a_deck_that_cannot_close_is_noted_and_a_plain_room_stands_in(tmp_path: Path) -> None:
    level = level_of(tmp_path, "{cell: 11x8, count: 15, deck: {shrub: 1}, rooms: 0, passages: 0, loops: 0%}")
    notes = [each.reason for each in level.journal if each.subject.startswith("cell ")]
    assert notes
    assert all("a plain room instead" in note for note in notes)
    assert sum(region.kind == "room" for region in level.regions) == len(notes)
    assert sum(region.kind == "prefab" for region in level.regions) == 15 - len(notes)


def test_large_cards_and_halls_take_several_cells(tmp_path: Path) -> None:
    content = game(
        tmp_path, "{cell: 10x7, count: 24, grow: filled, deck: {court: 3, hall: 3, hub: 1}, halls: 100%}"
    )
    sizes: Counter[str] = Counter()
    for seed in range(16):
        level = dungeon.World(content, seed).level("m/1")
        for region in level.regions:
            wide = (region.bounds.height > 7) + (region.bounds.width > 10)
            sizes[f"{region.kind} {wide}"] += region.kind != "corridor"
    assert min(sizes["prefab 1"], sizes["prefab 2"], sizes["room 1"], sizes["room 2"], sizes["prefab 0"]) > 0


def test_what_is_on_the_map_before_is_left_alone(tmp_path: Path) -> None:
    features = ", features: [{blocked: 20x20, where: centre}, {prefab: hub, at: [3, 3]}]"
    content = game(tmp_path, f"{{cell: 10x7, count: 40, deck: {DECK}}}", more=features)
    for seed in range(4):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        assert (level.base == dungeon.terrain.BLOCKED).sum() == 400


def test_doors_of_what_is_on_the_map_before_are_left_to_be_joined(tmp_path: Path) -> None:
    safe = "safe: {map: '+k..L', legend: {k: {item: scrap, opens: brass}, L: {terrain: locked_door, lock: brass}}}"
    features = ", features: [{prefab: safe, where: centre}]"
    content = game(tmp_path, "{cell: 10x7, count: 12}", more=features, files={"prefabs/safe.yaml": safe})
    for seed in range(4):
        level = dungeon.World(content, seed).level("m/1")
        assert (level.retries, len(level.locks)) == (0, 1)


# -- zones ------------------------------------------------------------------------------------------

ZONED = """{cell: 11x8, deck: {hub: 1}, halls: 0%, zones: {
  a: {count: 8}, b: {join: bridge, count: 8, theme: garden, step: 3, deck: {bend: 1}, bridge: {bare: 1}},
  c: {from: a, join: tumour, count: 6}}}"""
THEMES = {
    "terrain.yaml": """
        water: {like: floor, walkable: false, glyph: "~", fg: "#4060ff"}
        grass: {like: floor, glyph: '"'}
        hedge: {like: wall, glyph: "%"}
        """,
    "themes.yaml": "garden: {floor: grass, wall: hedge}\n",
}


def test_zones_are_told_and_painted_and_the_player_arrives_in_the_first(tmp_path: Path) -> None:
    content = game(tmp_path, ZONED, files=THEMES)
    for seed in range(6):
        level = dungeon.World(content, seed).level("m/1")
        first, second, third = level.zones
        assert [(zone.name, zone.kind, zone.parent, zone.theme, zone.step) for zone in level.zones] == [
            ("a", "first", 0, "", 0),
            ("b", "bridge", 1, "garden", 3),
            ("c", "tumour", 1, "", 0),
        ]
        assert level.region[level.entrance] in first.regions
        names = np.array([kind.name for kind in level.terrain_set.kinds])[level.terrain]
        inside = np.isin(level.region, second.regions)
        assert "floor" not in names[inside]
        assert inside[names == "grass"].any()
        assert not np.isin(level.region[names == "grass"], (*first.regions, *third.regions)).any()
        assert (names == "hedge").any()
        assert not {*first.regions} & {*third.regions}


def test_an_encounter_is_placed_in_its_zones_alone_and_population_is_as_deep_as_its_zone(
    tmp_path: Path,
) -> None:
    files = {
        **THEMES,
        "encounters/e.yaml": """
            here: {category: reward, prefabs: nook, maps: {m: 1}, zones: b, limit: {map: 1}}
            nowhere: {category: reward, prefabs: nook, maps: {m: 1}, zones: d}
            full: {category: reward, prefabs: nook, maps: {m: 1}, zones: b, access: 99}
            """,
    }
    more = ", encounters: 3, population: [{robot: {class: guard}, count: 60}]"
    content = game(tmp_path, ZONED.replace("deck: {bend: 1}", "deck: {}"), more=more, files=files)
    placed = 0
    for seed in range(6):
        level = dungeon.World(content, seed).level("m/1")
        deep, shallow = level.zones[1].regions, (*level.zones[0].regions, *level.zones[2].regions)
        for placement in (each for each in level.placements if each.mode != "layout"):
            assert placement.encounter == "here"
            assert placement.region in deep
            placed += 1
        tags = {
            is_deep: Counter(
                spawn.tag for spawn in level.spawns
                if spawn.kind == "robot" and level.region[spawn.y, spawn.x] in (deep if is_deep else shallow)
            )
            for is_deep in (False, True)
        }  # fmt: skip
        assert "warden" not in tags[False]
        assert tags[True]["warden"] > 0
        (case,) = (each for each in dungeon.World(content, seed).why("m/1") if each.encounter == "nowhere")
        assert (case.outcome, case.reason) == ("impossible", "only in d, and m has no such zone")
        refused = [
            each.reason for each in level.journal if (each.subject, each.verdict) == ("full", "refused")
        ]
        assert all(each.startswith("in its zones: ") for each in refused)
        assert refused
    assert placed > 3


WAYS = """{cell: 11x8, gap: 2, halls: 0%, zones: {a: {count: 6}, b: {count: 6, theme: garden, way_theme: planks},
  c: {from: a, join: island, count: 4, way_theme: planks}}}"""
PLANKS = {
    "terrain.yaml": THEMES["terrain.yaml"] + "plank: {like: floor}\n        rail: {like: wall}\n",
    "themes.yaml": THEMES["themes.yaml"] + "planks: {floor: plank, corridor: plank, wall: rail}\n",
}


def test_the_bridge_or_tunnel_to_a_zone_has_a_theme_of_its_own(tmp_path: Path) -> None:
    content = game(tmp_path, WAYS, files=PLANKS)
    ways = Counter[str]()
    for seed in range(12):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        names = np.array([kind.name for kind in level.terrain_set.kinds])[level.terrain]
        home = {region: zone.name for zone in level.zones for region in zone.regions}
        for region in level.regions:
            here = {str(name) for name in np.unique(names[level.region == region.id])}
            if "plank" in here:
                ways[region.kind] += 1
                assert not here & {"floor", "corridor", "grass"}
                assert region.kind == "corridor" or region.id not in home
            elif region.id not in home and region.kind != "prefab":
                assert region.kind == "corridor", "every bridge is themed"
        open_side = beside(names == "plank") & (level.base == dungeon.terrain.WALL)
        assert (names[open_side] == "rail").mean() > 0.5
        inner = ~touching(np.isin(level.region, list(home)))
        assert not (names[open_side & inner] == "wall").any()
    assert ways["room"] >= 11
    assert ways["corridor"] > 2 * ways["room"]


@pytest.mark.parametrize(
    ("zones", "said"),
    [
        ("a: {way_theme: garden}", "the first zone can't be joined to another one"),
        ("a: {}, b: {join: tumour, way_theme: garden}", "only a zone with a bridge or tunnel can have it"),
        ("a: {}, b: {join: island, port: pad, way_theme: garden}", "and none leads to this zone"),
    ],
)
def test_a_zone_without_a_bridge_or_tunnel_has_no_theme_for_it(tmp_path: Path, zones: str, said: str) -> None:
    files = THEMES | {
        "objects/props.yaml": "pad: {name: pad, glyph: o, blocks: false}\ncrate: {name: crate, glyph: C}\n"
    }
    for layout in ("cards", "patchwork"):
        maps = {"maps/m.yaml": f"m: {{name: M, layout: {{{layout}: {{zones: {{{zones}}}}}}}}}\n"}
        with pytest.raises(ContentError, match=said):
            game(tmp_path / layout, "{}", files=files | maps)


def test_levels_without_zones_tell_none(tmp_path: Path) -> None:
    assert level_of(tmp_path, "{}").zones == ()


def test_one_zone_more_leaves_those_before_it_where_they_are(tmp_path: Path) -> None:
    less = level_of(tmp_path / "less", "{zones: {a: {count: 9}, b: {count: 6}}}")
    more = level_of(tmp_path / "more", "{zones: {a: {count: 9}, b: {count: 6}, c: {count: 4}}}")
    for one, other in zip(less.zones, more.zones, strict=False):
        assert replace(one, regions=(), gates=()) == replace(other, regions=(), gates=())
        bounds = [
            sorted(
                level.regions[number - 1].bounds
                for number in zone.regions
                if level.regions[number - 1].kind == "room"
            )
            for level, zone in ((less, one), (more, other))
        ]
        assert len({*map(tuple, bounds[0])} & {*map(tuple, bounds[1])}) >= len(bounds[0]) - 2


# -- mistakes ---------------------------------------------------------------------------------------


# -- ports ------------------------------------------------------------------------------------------

PORTS = {
    "objects/props.yaml": "boat: {name: boat, glyph: u, blocks: false}\npad: {name: pad, glyph: o, blocks: false}\n",
    "objects/items.yaml": "key: {name: key, glyph: k}\nnote: {name: note, glyph: '?', class: aid}\n",
    "locks.yaml": "chain: {name: rusty chain, opened_by: {item: key}}\n",
    "prefabs/cards.yaml": 'isle: {map: "........\\n........\\n........"}\n',
}
ARCHIPELAGO = (
    "{cell: 9x7, zones: {a: {count: 7}, b: {join: island, port: {boat: 2, pad: 1}, count: 4, lock: chain},"
    " c: {join: bridge, count: 3}, d: {join: island, port: pad, count: 3}}}"
)


def test_islands_with_ports_hang_together_by_them_alone_and_keys_lie_before_what_they_open(
    tmp_path: Path,
) -> None:
    content = game(
        tmp_path,
        ARCHIPELAGO,
        size="100x60",
        files=PORTS,
        more=", encounters: 0, population: [{item: {class: aid}, count: 30}]",
    )
    for seed in range(12):
        level = dungeon.World(content, seed).level("m/1")
        labels = parts_without(level, set())
        ends = {cell for portal in level.portals for cell in (portal.begin, portal.end)}
        assert len(level.zones) == 4
        assert len(level.portals) == 2
        assert len({int(each) for each in np.unique(labels) if each}) == 3
        assert {(each.y, each.x) for each in level.spawns if each.tag in ("boat", "pad")} == ends
        assert not any((each.y, each.x) in ends for each in level.spawns if each.kind != "prop")
        assert ends.isdisjoint({level.entrance, *((way.y, way.x) for way in level.exits)})
        (lock,) = level.locks
        assert (lock.y, lock.x) == level.portals[0].begin
        assert lock.name == "rusty chain"
        (key,) = (each for each in level.spawns if each.tag == "key")
        assert labels[key.y, key.x] == labels[level.entrance]
        shut = dungeon.prove(replace(level, spawns=tuple(each for each in level.spawns if each is not key)))
        assert {each.rule for each in shut} <= {"walk-pocket", "walk-exit", "walk-region"}
        assert shut
        assert {each.rule for each in dungeon.prove(replace(level, portals=(), locks=()))} >= {"unreachable"}


def test_an_island_with_an_exit_is_far_off_and_stairs_lie_on_islands_too(tmp_path: Path) -> None:
    content = game(tmp_path, ARCHIPELAGO.replace(", lock: chain", ""), size="100x60", files=PORTS)
    there = 0
    for seed in range(12):
        level = dungeon.World(content, seed).level("m/1")
        away = distances(level.walkable, [level.entrance])
        (way,) = level.exits
        there += away[way.y, way.x] == FAR
        told = dungeon.measure(level)
        assert told.walkable == level.walkable.sum()
        assert told.exits[0] > 0
    assert there > 3


SEA = (
    "{cell: 9x7, between: water, shore: sand, doors: {door: 1, secret door: 1}, zones: {a: {count: 6},"
    " b: {join: island, port: boat, count: 4}, c: {from: a, join: tumour, count: 4}, d: {from: a, count: 3}}}"
)


def test_the_sea_lies_between_islands_and_their_ports_stand_on_shores(tmp_path: Path) -> None:
    files = PORTS | {"terrain.yaml": THEMES["terrain.yaml"] + "sand: {like: cave}\n"}
    content = game(tmp_path, SEA, size="100x60", files=files)
    for seed in range(8):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        check_gates(level)
        names, home = named(level), {zone.name: np.isin(level.region, zone.regions) for zone in level.zones}
        sea = names == "water"
        assert sea.mean() > 0.3
        assert not level.region[sea].any()
        assert all((names[cells] == "sand").any() for cells in home.values())
        assert sum(cells[names == "sand"].sum() for cells in home.values()) == (names == "sand").sum()
        for one, other in combinations(home.values(), 2):
            assert not (touching(one & (names == "sand")) & other & (names == "sand")).any()
        (portal,) = level.portals
        for cell, zone in ((portal.begin, "a"), (portal.end, "b")):
            assert (names[cell], home[zone][cell], beside(sea)[cell]) == ("sand", True, True)


def test_a_map_without_zones_is_an_island_in_the_sea(tmp_path: Path) -> None:
    files = {"terrain.yaml": THEMES["terrain.yaml"]}
    level = level_of(tmp_path, "{cell: 9x7, count: 6, between: water}", size="60x40", files=files)
    sea = named(level) == "water"
    edges = np.concatenate([sea[1, 1:-1], sea[-2, 1:-1], sea[1:-1, 1], sea[1:-1, -2]])
    assert edges.all()
    assert not (touching(sea) & level.walkable).any()  # rooms keep their walls


def test_doors_to_shores_lead_from_cells_that_walkers_reach(tmp_path: Path) -> None:
    """A shore behind a crate was cut off, and the way that was dug to it led past the gate of a zone."""
    pit = r'pit: {map: "CCCCCCC\nC.....C\nC.....C\nC.....C\nCCC.CCC", legend: {C: {prop: crate}}}'
    files = {"terrain.yaml": THEMES["terrain.yaml"] + "sand: {like: cave}\n", "prefabs/p.yaml": f"{pit}\n"}
    zones = "zones: {a: {count: 3}, b: {join: tumour, count: 3}, c: {from: a, join: multi-tumour, count: 4}}"
    layout = f"{{cell: 9x7, between: water, shore: sand, deck: {{pit: 3}}, {zones}}}"
    content = game(tmp_path, layout, size="70x40", files=files)
    shores = 0
    for seed in range(12):
        level = dungeon.World(content, seed).level("m/1")
        check_gates(level)
        free = level.walkable.copy()
        for each in level.spawns:
            free[each.y, each.x] &= each.tag != "crate"
        labels, _ = components(free)
        shores += (sand := named(level) == "sand").sum()
        assert {*labels[sand].tolist()} <= {labels[level.entrance]}
    assert shores > 100


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ("{cell: 4x9}", "a number of at least 5 is needed here: 4"),
        ("{cell: nine}", "a size is written 11x9"),
        ("{deck: {hab: 1}}", "there is no prefab or tag of this name: hab (did you mean hub?)"),
        ("{deck: {hub: {copies: 0}}}", "a number of at least 1 is needed here: 0"),
        ("{grow: blobb}", "a way to grow is needed here: blobb (did you mean blob?)"),
        ("{grow: {chances: {5: 10%}}}", "a cell borders on 1 to 4 rooms"),
        ("{grow: {sections: Z}}", "Z"),
        ("{zones: {a: {join: bridge}}}", "the first zone can't be joined to another one"),
        ("{zones: {a: {}, b: {from: c}, c: {}}}", "there is no zone of this name before this one: c"),
        ("{zones: {a: {}, b: {join: brigde}}}", "brigde"),
        ("{zones: {a: {theme: lava}}}", "there is no theme of this name"),
        ("{zones: {a: {port: crate}}}", "the first zone can't be joined to another one"),
        ("{zones: {a: {}, b: {way_theme: lava}}}", "there is no theme of this name"),
        ("{zones: {a: {}, b: {port: tunnel}}}", "only a zone with join: island can have a port"),
        ("{zones: {a: {}, b: {join: island, port: boot}}}", "there is no prop of this name: boot"),
        ("{zones: {a: {}, b: {join: island, port: {crate: 1, tunnel: 1}}}}", "players step on a portal"),
        ("{between: lava}", "there is no terrain of this name"),
        ("{between: floor}", "this terrain must not be walkable"),
        ("{shore: floor}", "it needs 'between' as well"),
        ("{bridge: {hub: 1}}", "a bridge leads to a zone, and is said there"),
    ],
)  # fmt: skip
def test_mistakes_are_told_where_they_are(tmp_path: Path, cards: str, said: str) -> None:
    with pytest.raises(ContentError) as error:
        game(tmp_path, cards)
    assert said in str(error.value)
    assert "maps/m.yaml:1:" in str(error.value)


def test_a_size_with_two_wrong_numbers_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(ContentError) as error:
        game(tmp_path, "{cell: 3x3}")
    assert [each.message for each in error.value.problems] == ["a number of at least 5 is needed here"]


def test_a_prefab_that_can_never_be_a_card_is_told_by_check(tmp_path: Path) -> None:
    folder = tmp_path
    game(
        folder,
        "{cell: 11x8, deck: {vast: 1, hub: 1, closed: 1}}",
        files={"prefabs/more.yaml": 'closed: {map: "###\\n#.#\\n###"}\n'},
    )
    said = [str(each) for each in dungeon.examine_content(folder).problems]
    assert any("vast" in each and "more cells than a card can have" in each for each in said)
    assert any("closed" in each and "drawn as map m, this prefab has" in each for each in said)
    assert not any("'hub'" in each and "drawn" in each for each in said)


def test_a_prefab_with_an_opening_that_leads_to_nothing_is_no_card() -> None:
    nook, room = (
        prefab(text, orientations=[Orientation.R0]).drawing for text in ("###\n..#\n###", "###\n.##\n###")
    )
    said = [objection(each, Grid(7, 9, 1), KINDS) for each in (nook, room)]
    assert said == [None, ("an opening in its wall with nothing behind", None)]


def test_a_door_with_nothing_behind_is_no_opening_of_a_card(tmp_path: Path) -> None:
    """The corner door leads nowhere; a crate bars the way to the rest, on purpose."""
    case = 'case: {map: "+####\\n#...#\\n#...#\\n##C##", legend: {C: {prop: crate}}, sealed: true}\n'
    game(tmp_path, "{cell: 11x8, deck: {case: 1}}", files={"prefabs/more.yaml": case})
    said = [str(each) for each in dungeon.examine_content(tmp_path).problems]
    assert any("drawn as map m, this prefab has no opening on any side" in each for each in said)


GATED = "{cell: 9x7, gap: 1, zones: {a: {count: 1, deck: {low: 1}}, b: {from: a, join: tumour, count: 1, deck: {wide: 1}}}}"
LOW_AND_WIDE = """
low:
  map: |
    #########
    #.......#
    #.......#
    #.......#
    #.......#
    #........
    #########
  orientations: [r0]
wide:
  map: |
    #########
    #.......#
    #.......#
    #.......#
    #.......#
    #.......#
    #########
  links: "\\n2"
  orientations: [r0]
"""
"""Cards that a corridor joins, which bends right before an opening of two cells."""


def test_the_door_of_a_gate_has_walls_beside_it_where_its_corridor_bends(tmp_path: Path) -> None:
    content = game(tmp_path, GATED, size="26x11", files={"prefabs/more.yaml": LOW_AND_WIDE})
    check_gates(dungeon.World(content).level("m/1"))


# -- required zones ----------------------------------------------------------------------------------

TIGHT = "{{cell: 11x8, zones: {{hall: {{count: 4}}, vault: {{count: 3{more}}}}}}}"
"""Two zones, for which a map of 26x20 cells, with four cells of the grid, has no space."""

BOX = {
    "prefabs/box.yaml": 'box: {map: "..."}\n',
    "encounters/box.yaml": "box: {category: fluff, prefabs: box, placing: accessible, maps: {m: 1}, zones: [vault], guaranteed: true}\n",
}
"""An encounter that every level must have, and that can be placed in one zone only."""


def test_a_zone_that_is_not_required_is_left_out_where_it_has_no_place(tmp_path: Path) -> None:
    level = level_of(tmp_path, TIGHT.format(more=""), size="26x20")
    assert [zone.name for zone in level.zones] == ["hall"]
    reasons = [each.reason for each in level.journal if each.subject == "zone vault"]
    assert reasons == ["it has no place beside zone hall"]


@pytest.mark.parametrize(
    ("more", "files"),
    [
        (", required: true", {}),
        (", lock: iron", {"locks.yaml": "iron: {name: iron lock, opened_by: {item: scrap}}\n"}),
        (
            ", deck: {way_on: 1}",
            {"prefabs/way_on.yaml": "way_on:\n  map: |\n    #####\n    #.>.#\n    ##.##\n"},
        ),
        ("", BOX),
    ],
    ids=["said", "locked", "leads on", "must have an encounter"],
)
def test_a_level_fails_with_the_reason_where_a_required_zone_has_no_place(
    tmp_path: Path, more: str, files: dict[str, str]
) -> None:
    content = game(tmp_path, TIGHT.format(more=more), size="26x20", files=files)
    with pytest.raises(
        dungeon.GenerationError, match="zone vault must be on the map, and it has no place beside zone hall"
    ):
        dungeon.World(content, 1).level("m/1")


def test_what_an_author_says_of_a_zone_counts_more_than_what_it_holds(tmp_path: Path) -> None:
    parameters = TIGHT.format(more=", lock: iron, required: false")
    locks = {"locks.yaml": "iron: {name: iron lock, opened_by: {item: scrap}}\n"}
    level = level_of(tmp_path, parameters, size="26x20", files=locks)
    assert [zone.name for zone in level.zones] == ["hall"]
