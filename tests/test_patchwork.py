"""The layout patchwork: zones side by side, each with a layout of its own; parts of maps; mistakes in zones."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, canvas, flat, picture, picture_of_mask, write

import dungeon
from dungeon import Canvas, Cell, ContentError, GenerationError, LayoutJob, Rect
from dungeon import terrain as t
from dungeon.core import registry
from dungeon.extend import CrampedError, HopelessError, Journal, Stream, Streams
from dungeon.generation.layouts.coast import open_port, shores_of
from dungeon.generation.layouts.job import build_whole
from dungeon.generation.layouts.patchwork import Patch, _build_all, _join
from dungeon.generation.layouts.patchwork_areas import Claim, cut
from dungeon.generation.layouts.patchwork_params import PatchworkParams
from dungeon.generation.layouts.patchwork_ways import Rock, join_zones
from dungeon.generation.openings.landings import landing
from dungeon.grid.regions import components
from dungeon.level.part import crop, paste

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Level

FILES = {
    **OBJECTS,
    "terrain.yaml": """
        water: {like: floor, glyph: "~", walkable: false}
        sand: {like: cave, glyph: ","}
        """,
    "themes.yaml": "dunes: {floor: sand, cave: sand}\n",
    "prefabs/p.yaml": """
        hut: {map: "####+####\\n#.......#\\n#.......#\\n#########"}
        cell: {map: "###\\n#.#\\n###"}
        vault:
          map: "####################\\n#..k..#.....#......#\\n#.....L.....L......#\\n####################"
          legend: {k: {item: scrap, opens: brass}, L: {terrain: locked_door, lock: brass}}
        """,
    "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
}

SEA = "between: water, shore: sand"


def game(tmp_path: Path, patchwork: str, *, size: str = "110x64", more: str = "") -> dungeon.Content:
    """Return content with a map of zones."""
    layout = f"m: {{name: M, size: {size}, layout: {{patchwork: {patchwork}}}{more}}}\n"
    objects = {**FILES, "maps/m.yaml": layout}
    objects["objects/props.yaml"] += 'raft: {name: raft, glyph: "r", blocks: false}\n'
    return dungeon.load_content(write(tmp_path, objects))


def level_of(tmp_path: Path, patchwork: str, seed: int = 1, **more: str) -> Level:
    """Return one of its levels."""
    return dungeon.World(game(tmp_path, patchwork, **more), seed).level("m/1")


# -- where zones lie ---------------------------------------------------------------------------------


def some_claims(random: Random) -> list[Claim]:
    """Return a tree of zones."""
    claims = [Claim(parent=None, share=2)]
    for number in range(1, random.randint(2, 5)):
        touches = random.random() < 0.4
        parts = 2 if touches and random.random() < 0.3 else 1
        share = random.choice([0.5, 1, 2])
        claims.append(Claim(parent=random.randrange(number), share=share, touches=touches, parts=parts))
    return claims


def between(one: Rect, other: Rect) -> tuple[int, int]:
    """Return how many rows and columns lie between two rectangles, negative where they overlap."""
    rows = max(one.y, other.y) - min(one.bottom, other.bottom)
    columns = max(one.x, other.x) - min(one.right, other.right)
    return rows, columns


def test_zones_lie_beside_the_one_that_they_are_joined_to_and_a_gap_from_all_others() -> None:
    whole = 0
    for seed in range(150):
        claims = some_claims(Random(seed))
        areas = cut((64, 110), claims, 3, [], Stream(seed), 0.35)
        if areas is None:
            continue
        whole += 1
        rects = [(zone, rect) for zone, each in enumerate(areas) for rect in each]
        for zone, rect in rects:
            assert Rect(0, 0, 64, 110).encloses(rect)
            assert min(rect.height, rect.width) >= 12
            if (parent := claims[zone].parent) is not None:
                apart = -1 if claims[zone].touches else 3
                assert any(
                    max(gap) == apart and min(gap) <= -8
                    for gap in (between(rect, other) for other in areas[parent])
                )
            for other, beside in rects:
                related = claims[zone].parent == other or claims[other].parent == zone
                if (zone, rect) != (other, beside) and not related:
                    assert max(between(rect, beside)) >= 3
        assert [len(each) for each in areas] == [each.parts for each in claims]
    assert whole > 120


def test_a_map_too_small_for_its_zones_is_not_cut() -> None:
    """Whatever is left for a zone, and be it nothing: either all zones are as large as they need, or there is no way."""
    outcomes = set()
    for seed in range(60):
        rng = Random(seed)
        claims = some_claims(rng)
        areas = cut(
            (rng.randint(12, 60), rng.randint(12, 60)), claims, rng.randint(0, 4), [], Stream(seed), 0.6
        )
        outcomes.add(areas is None)
        rects = [rect for each in areas or () for rect in each]
        assert all(min(rect.height, rect.width) >= 12 for rect in rects)
    assert outcomes == {True, False}


def test_shares_say_how_large_zones_are() -> None:
    sizes = np.zeros(2)
    for seed in range(60):
        areas = cut(
            (60, 100), [Claim(parent=None, share=3), Claim(parent=0, share=1)], 2, [], Stream(seed), 0.35
        )
        assert areas is not None
        sizes += [sum(rect.area for rect in each) for each in areas]
    assert 2.4 < sizes[0] / sizes[1] < 3.6


@pytest.mark.parametrize("uneven", [0.0, 0.6])
def test_how_uneven_zones_are_is_said_by_the_author(uneven: float) -> None:
    """One third of the map for the second zone, or as much more or less as it may be."""
    claims = [Claim(parent=None, share=2), Claim(parent=0, share=1)]
    shares = set()
    for seed in range(40):
        areas = cut((60, 120), claims, 2, [], Stream(seed), uneven)
        assert areas is not None
        (first,), (second,) = areas
        across = second.height == 60
        shares.add(second.width / 120 if across else second.height / 60)
        assert first.height == 60 or first.width == 120
    assert max(abs(share - 1 / 3) for share in shares) <= uneven / 3 + 0.01
    assert (max(shares) - min(shares) > 0.2) == (uneven > 0)


def test_what_was_seeded_is_not_cut_through_if_that_can_be() -> None:
    kept = [Rect(20, 40, 12, 25)]
    claims = [Claim(parent=None, share=1), Claim(parent=0, share=1)]
    for seed in range(40):
        areas = cut((60, 100), claims, 3, kept, Stream(seed), 0.35)
        assert areas is not None
        touched = [rect for each in areas for rect in each if rect.overlaps(kept[0])]
        assert all(rect.grown(-1).encloses(kept[0]) for rect in touched)


def test_zones_get_the_space_that_they_need_among_what_was_seeded_first_those_on_which_most_hangs() -> None:
    """Of two halves of a map each may be that of the first zone, but only one leaves it a block of 7x7 cells."""
    kept = [Rect(1, 19, 7, 7), Rect(7, 5, 7, 7), Rect(9, 19, 7, 7)]
    need = {"least": (14, 14), "free": (7, 7)}
    claims = [Claim(parent=None, share=3, **need), Claim(parent=0, share=0.5, **need)]
    for seed in range(30):
        areas = cut((21, 32), claims, 4, kept, Stream(seed), 0.4)
        assert areas is not None
        ((first,), _) = areas
        used = np.zeros((21, 32), np.bool_)
        for each in kept:
            used[each.slices] = True
        blocks = np.lib.stride_tricks.sliding_window_view(used[first.slices], (7, 7))
        assert (~blocks.any(axis=(2, 3))).any()


# -- parts of maps -----------------------------------------------------------------------------------

HOUSES = """
    ###########
    #...###...#
    #...+,+...#
    #...###...#
    ###########
    """


def test_a_part_that_is_not_changed_leaves_the_map_as_it_was() -> None:
    made, same = canvas(HOUSES), canvas(HOUSES)
    part = crop(made, Rect(0, 0, 5, 5))
    assert [region.bounds for region in part.canvas.regions] == [Rect(1, 1, 3, 3)]
    paste(made, part)
    assert picture(made) == picture(same)
    assert made.regions == same.regions
    assert (made.used == same.used).all()
    assert (made.region == same.region).all()


def test_what_is_built_on_a_part_gets_new_ids_on_the_map() -> None:
    made = canvas(HOUSES.rstrip() + ("\n    " + 11 * "_") * 6)
    before = len(made.regions)
    part = crop(made, Rect(4, 0, 7, 8))
    room = part.canvas.carve_room(Rect(2, 2, 2, 3))
    part.canvas.add_door(2, 5, (room, 0))
    paste(made, part)
    assert made.regions[-1].id == before + 1
    assert made.regions[-1].bounds == Rect(6, 2, 2, 3)
    assert (made.region[6:8, 2:5] == before + 1).all()
    assert made.connections[-1].between == (before + 1, 0)
    assert (made.connections[-1].y, made.connections[-1].x) == (6, 5)


def test_what_lies_across_the_edge_of_a_part_is_blocked_there_and_stays_on_the_map() -> None:
    made, same = canvas(HOUSES), canvas(HOUSES)
    made.drawn[:] = same.drawn[:] = True
    part = crop(made, Rect(0, 2, 5, 7))
    assert part.kept == (3,)
    assert (part.canvas.base[1:4, 0] == t.BLOCKED).all()
    paste(made, part)
    assert picture(made) == picture(same)
    assert (made.region == same.region).all()


def test_nothing_is_built_where_the_walls_of_what_lies_across_the_edge_are_to_be() -> None:
    """No wall is drawn around that yet: a room beside it would run into it."""
    made = canvas(
        """
        __________
        __________
        __________
        ___....___
        ___....___
        """
    )
    before = made.used.copy()
    part = crop(made, Rect(0, 0, 4, 10))
    assert picture_of_mask(part.foreign) == flat(
        """
        ..........
        ..........
        ..######..
        ..######..
        """
    )
    assert not part.canvas.may_carve(Rect(2, 1, 1, 2), 0)
    assert part.canvas.may_carve(Rect(1, 1, 1, 8), 0)
    paste(made, part)
    assert (made.used == before).all()


# -- ways between zones ------------------------------------------------------------------------------


def joined(text: str, column: int, **more: bool) -> str:
    """Return a drawn map on which what lies left of a column is joined to what lies right of it."""
    made = canvas(text)
    left = np.zeros(made.terrain.shape, np.bool_)
    left[:, :column] = True
    ground = made.passable()
    everywhere = np.ones_like(left)
    join_zones(made, [ground & left], ground & ~left, everywhere, lambda: t.DOOR, Stream(1), **more)
    return picture(made)


def test_zones_that_share_a_wall_get_a_door_in_it() -> None:
    two = """
        #########
        #...#...#
        #...#####
        #...#...#
        #########
        """
    found = joined(two, 5, walls=True)
    assert found.count("+") == 1
    assert "," not in found


def test_a_corridor_has_doors_at_both_ends_and_touches_nothing_else() -> None:
    two = """
        #####____________
        #...#____________
        #...#____########
        #...#____#......#
        #####____########
        """
    found = joined(two, 7)
    assert found.count("+") == 2
    assert found.count(",") >= 2


def test_a_way_branches_off_another_where_none_can_lead_out_of_the_part_itself() -> None:
    made = canvas(
        """
        _#####____________
        _#,,,#______####__
        _#####______#..#__
        ____________####__
        """
    )
    nothing, right = np.zeros(made.terrain.shape, np.bool_), made.region == 2
    with pytest.raises(GenerationError):
        join_zones(made, [nothing], right, ~nothing, lambda: t.DOOR, Stream(1))
    ((corridor, door),) = join_zones(
        made, [nothing, made.region == 1], right, ~nothing, lambda: t.DOOR, Stream(1)
    )
    assert corridor
    assert right[door.y - 1 : door.y + 2, door.x - 1 : door.x + 2].any()


def test_doors_that_are_drawn_are_doors_beside_which_no_other_is_broken() -> None:
    made = canvas("_____\n_#+#_\n_#.#_\n_###_\n_____")
    made.remove_doors([(1, 2)])
    rock = Rock.of(made, break_in=True)
    assert rock.board.cells(rock.doors) == [(1, 2)]


@pytest.mark.parametrize("seed", range(8))
def test_a_prefab_with_floor_on_the_line_that_zones_share_is_part_of_the_first_alone(
    tmp_path: Path, seed: int
) -> None:
    made = canvas(
        """
        __________________
        ___############___
        ___#..........#___
        ___#..........#___
        ___#..........#___
        ___############___
        __________________
        __________________
        ___######_________
        ___#....#_________
        ___######_________
        __________________
        """
    )
    made.drawn[1:6, 3:15] = True
    lower = made.region == made.region[9, 4]
    params = game(tmp_path, "{zones: {a: {}, b: {join: tumour, from: a}}}").layouts["m"]
    assert isinstance(params, PatchworkParams)
    entry = params.zones
    patches = [
        Patch(name=name, entry=entry[name], parent=parent, port="tunnel", area=(area,))
        for name, parent, area in (("a", "", Rect(0, 0, 5, 18)), ("b", "a", Rect(4, 0, 8, 18)))
    ]
    ways: dict[str, list[tuple[int, Cell]]] = {"a": [], "b": []}
    job = LayoutJob(streams=Streams(seed, "m/1"), journal=Journal(), prefabs={})
    for _ in _join(made, job, patches, ways, lambda: t.DOOR):
        pass
    ((_, door),) = ways["b"]
    assert lower[door.y - 1 : door.y + 2, door.x - 1 : door.x + 2].any()
    assert len(made.connections) == 2


def test_a_port_may_stand_at_a_door_where_doors_are_everywhere() -> None:
    made = canvas("___________\n_#########_\n_#..+.+..#_\n_#########_\n___________")
    ground = np.zeros(made.terrain.shape, np.bool_)
    ground[2, 5] = True
    assert landing(made, ground, [], [], Stream(1)) == (2, 5)


# -- whole levels ------------------------------------------------------------------------------------

LAYOUTS = [
    "tunnels", "{tunnels: {rooms: 5..8}}", "{caves: {margin: 1, cave: 30..90}}", "{mines: {margin: 1, cave: 30..60}}",
    "{connected: {rooms: 10}}", "{cards: {cell: 9x7, count: 6}}",
]  # fmt: skip


def some_parameters(random: Random) -> str:
    """Return zones of all sorts."""
    names, zones, sea = "abcde"[: random.randint(1, 5)], [], random.random() < 0.4
    for number, name in enumerate(names):
        said = [f"layout: {random.choice(LAYOUTS)}", f"share: {random.choice([0.5, 1, 2])}"]
        if number:
            kind = random.choice(["bridge", "tumour", "multi-tumour", "island"])
            said += [f"join: {kind}", f"from: {random.choice(names[:number])}"]
            if kind == "island":
                said.append(f"port: {random.choice(['tunnel', 'raft'])}")
            elif kind != "bridge":
                said.append("doors: 1..3")
        zones.append(f"{name}: {{{', '.join(said)}}}")
    return f"{{zones: {{{', '.join(zones)}}}{', ' + SEA if sea else ''}}}"


@pytest.mark.parametrize("number", range(6))
def test_whatever_zones_are_asked_for_levels_are_playable(tmp_path: Path, number: int) -> None:
    random = Random(number)
    features = ", features: [{prefab: hut, count: 2}]" if number % 3 == 0 else ""
    content = game(tmp_path, some_parameters(random), more=features)
    for seed in range(2):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        assert level.region[level.entrance] in level.zones[0].regions
        for zone in level.zones[1:]:
            assert zone.gates
        again = None
        for step in dungeon.World(content, seed).steps("m/1"):
            assert step.canvas.terrain.shape == level.terrain.shape, step.message
            again = step.canvas
        assert again is not None
        assert (again.terrain == level.terrain).all()


def test_zones_hang_together_only_by_their_gates(tmp_path: Path) -> None:
    zones = "{zones: {a: {}, b: {join: bridge}, c: {from: a, join: tumour, doors: 2}}}"
    content = game(tmp_path, zones)
    for seed in range(8):
        level = dungeon.World(content, seed).level("m/1")
        is_open = level.base > t.BLOCKED
        for zone in level.zones[1:]:
            shut = is_open.copy()
            for gate in zone.gates:
                assert shut[gate]
                shut[gate] = False
            labels, _ = components(shut)
            inside = np.unique(labels[np.isin(level.region, zone.regions) & shut])
            assert labels[level.entrance] not in inside


def test_a_zone_one_builds_otherwise_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    one = level_of(tmp_path / "one", "{zones: {a: {}, b: {layout: tunnels}}}")
    other = level_of(tmp_path / "other", "{zones: {a: {}, b: {layout: {tunnels: {rooms: 4}}}}}")
    rooms = [
        sorted(
            level.regions[each - 1].bounds for each in level.zones[0].regions if level.kinds[each] == "room"
        )
        for level in (one, other)
    ]
    assert len(set(rooms[0]) & set(rooms[1])) > 0.8 * len(rooms[0])


def test_rooms_take_the_shapes_of_their_own_zone(tmp_path: Path) -> None:
    zones = "{zones: {a: {layout: {tunnels: {shapes: rectangle}}}, b: {layout: {tunnels: {shapes: cross}}}}}"
    level = level_of(tmp_path, zones)
    shaped = {
        zone.name: [
            each
            for each in zone.regions
            if level.kinds[each] == "room"
            and (level.region == each).sum() < level.regions[each - 1].bounds.area
        ]
        for zone in level.zones
    }
    assert not shaped["a"]
    assert shaped["b"]


def test_what_was_seeded_lies_in_a_zone_and_is_joined_to_it(tmp_path: Path) -> None:
    content = game(
        tmp_path, "{zones: {a: {}, b: {layout: caves}}}", more=", features: [{prefab: hut, where: centre}]"
    )
    for seed in range(6):
        level = dungeon.World(content, seed).level("m/1")
        (placement,) = level.placements
        assert placement.prefab == "hut"


def test_a_zone_may_be_a_single_drawing(tmp_path: Path) -> None:
    drawn = "{share: 0.4, layout: {connected: {start: hut, rooms: 1, auto: 0%}}}"
    content = game(tmp_path, f"{{zones: {{a: {{}}, b: {drawn}}}}}", size="80x40")
    for seed in range(10):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        (region,) = level.zones[1].regions
        assert level.kinds[region] == "prefab"
        assert (level.region == region).sum() == 2 * 7


def test_a_zone_may_be_a_map_that_is_drawn(tmp_path: Path) -> None:
    drawn = "{layout: {static: {prefab: hut, turn: true}}, share: 0.4}"
    content = game(tmp_path, f"{{zones: {{a: {{}}, b: {drawn}}}}}", size="80x40")
    seen = set()
    for seed in range(10):
        world = dungeon.World(content, seed)
        level = world.level("m/1")
        assert dungeon.prove(level, world) == []
        (region,) = level.zones[1].regions
        seen.add((level.kinds[region], int((level.region == region).sum())))
    assert seen == {("prefab", 2 * 7)}


def test_a_drawn_zone_is_entered_where_one_gets_to_its_keys(tmp_path: Path) -> None:
    drawn = "{layout: {static: {prefab: vault}}, share: 0.6}"
    content = game(tmp_path, f"{{zones: {{a: {{layout: caves}}, b: {drawn}}}}}")
    for seed in range(10):
        level = dungeon.World(content, seed).level("m/1")
        (key,) = [spawn for spawn in level.spawns if spawn.keywords.get("opens") == "brass"]
        ((y, x),) = level.zones[1].gates
        assert abs(y - key.y) + abs(x - key.x) < 6


def test_a_zone_without_space_is_left_out_and_the_journal_says_so(tmp_path: Path) -> None:
    level = level_of(tmp_path, "{zones: {a: {}, b: {}, c: {layout: {caves: {min_caves: 30}}}}}", size="60x40")
    assert [zone.name for zone in level.zones] == ["a", "b"]
    assert any(each.subject == "zone c" and each.verdict == "refused" for each in level.journal)


@pytest.mark.parametrize(
    ("layout", "error", "error_of_the_map"),
    [
        ("connected: {start: cell}", HopelessError, HopelessError),
        ("cards: {cell: 9x9, count: 4}", CrampedError, GenerationError),
        ("tunnels: {small: 9..12, medium: 9..12, large: 9..12}", CrampedError, GenerationError),
    ],
)
def test_what_no_luck_would_mend_is_not_tried_again(
    tmp_path: Path,
    layout: str,
    error: type[GenerationError],
    error_of_the_map: type[GenerationError],
) -> None:
    """Nothing can be joined to the cell, wherever; between the strips of rock no card or room has space, but it may elsewhere."""
    content = game(tmp_path, f"{{zones: {{a: {{layout: {{{layout}}}}}}}}}")
    params = content.layouts["m"]
    zone = params.zones["a"]
    made = Canvas(30, 40, content.terrain_set)
    made.block(Rect(10, 0, 1, 40))
    made.block(Rect(20, 0, 1, 40))
    job = LayoutJob(
        streams=Streams(1, "m/1"),
        journal=Journal(),
        prefabs=content.prefabs,
        called={"cell": (content.prefabs["cell"],)},
    )
    patch = Patch(name="a", entry=zone, parent="", port="tunnel", area=(Rect(0, 0, 30, 40),))
    with pytest.raises(error):
        list(build_whole(registry.LAYOUTS[zone.layout.name], zone.layout.params, made, job))
    with pytest.raises(GenerationError) as caught:
        list(_build_all(made, params, job, patch))
    assert type(caught.value) is error_of_the_map
    assert job.journal.decisions == []


def test_a_map_without_space_for_a_zone_is_not_tried_again(tmp_path: Path) -> None:
    content = game(tmp_path, "{zones: {a: {}, b: {}}}")
    job = LayoutJob(streams=Streams(1, "m/1"), journal=Journal(), prefabs={})
    made = Canvas(11, 40, content.terrain_set)
    with pytest.raises(
        CrampedError, match="no space for a zone on a map of 40x11: zones need, at least, in cells: a 12x12"
    ):
        list(build_whole(registry.LAYOUTS["patchwork"], content.layouts["m"], made, job))
    assert [each.subject for each in job.journal.decisions] == ["zone b", "zone a"]


def test_a_zone_that_cannot_be_built_is_left_out_with_all_that_hangs_on_it(tmp_path: Path) -> None:
    zones = "{zones: {a: {}, b: {layout: {connected: {start: cell}}}, c: {from: b}, d: {from: a}}}"
    level = level_of(tmp_path, zones)
    assert [zone.name for zone in level.zones] == ["a", "d"]
    assert level.retries == 0
    told = [(each.subject, each.verdict) for each in level.journal if each.stage == "layout"]
    assert told == [("zone b", "refused"), ("zone c", "refused")]


def test_shores_lie_all_around_and_have_doors(tmp_path: Path) -> None:
    zones = "{between: water, shore: sand, zones: {a: {}, b: {layout: caves, join: island, port: raft}}}"
    content = game(tmp_path, zones)
    for seed in range(6):
        level = dungeon.World(content, seed).level("m/1")
        names = np.array([kind.name for kind in level.terrain_set.kinds])[level.terrain]
        assert (names == "water").sum() > 300
        assert (names == "sand").sum() > 80
        assert not (level.walkable & (names == "water")).any()
        (portal,) = level.portals
        assert (names[portal.begin], names[portal.end]) == ("sand", "sand")
        rafts = {(spawn.y, spawn.x) for spawn in level.spawns if spawn.tag == "raft"}
        assert rafts == {portal.begin, portal.end}


def test_a_port_stands_where_nothing_that_was_seeded_stops_walkers() -> None:
    """The right half of the island is full of crates, say: no way may begin there."""
    made = canvas(
        """
        ###################
        #......#...#......#
        #......#...#......#
        #......#...#......#
        ###################
        """
    )
    one, other = made.region == 1, made.region == 3
    other[:, 13:] = False
    for seed in range(30):
        streams = Streams(seed, "m/1")
        job = LayoutJob(streams=streams, journal=Journal(), prefabs={})
        portal = open_port(made, one, other, shores_of(made), "raft", job, streams.stream("port"))
        assert one[portal.begin]
        assert other[portal.end]


# -- mistakes ----------------------------------------------------------------------------------------

MISTAKES = {
    "{zones: {a: {layout: tunels}}}": "no layout of this name is registered; it may come from a plugin that is not installed or not imported (--import NAME): tunels (did you mean tunnels?)",
    "{zones: {a: {layout: {caves: {margn: 2}}}}}": "this key is not known: margn (did you mean margin?)",
    "{zones: {a: {layout: {cards: {zones: {x: {}}}}}}}": "a zone can't have zones of its own",
    "{zones: {a: {layout: {cards: {between: water}}}}}": "the whole map has one sea: say 'between' beside 'zones'",
    "{zones: {a: {layout: {patchwork: {zones: {x: {}}}}}}}": "join them to it with 'from'",
    "{zones: {a: {}}, shore: sand}": "it needs 'between' as well",
    "{zones: {a: {}}, between: sand}": "this terrain must not be walkable: sand",
    "{zones: {a: {}}, between: floor}": "this terrain must not be walkable: floor",
    "{zones: {a: {}}, between: water, shore: water}": "this terrain must be walkable: water",
    "{zones: {a: {}}, between: wall}": "can be laid over the ground",
    "{zones: {}}": "zones",
    "{}": "'zones' is missing",
    "{zones: {a: {}, b: {join: island, port: hut}}}": "there is no prop",
}


@pytest.mark.parametrize("patchwork", MISTAKES)
def test_mistakes_in_zones_are_told_with_their_place(tmp_path: Path, patchwork: str) -> None:
    with pytest.raises(ContentError) as caught:
        game(tmp_path, patchwork)
    (problem,) = caught.value.problems
    assert MISTAKES[patchwork] in str(problem)
    assert "maps/m.yaml:1:" in str(problem)


def test_a_level_fails_with_the_reason_where_there_is_no_space_for_a_required_zone(tmp_path: Path) -> None:
    zones = "{zones: {hall: {}, vault: {required: true}}}"
    content = game(tmp_path, zones, size="24x20")
    with pytest.raises(
        dungeon.GenerationError,
        match="zone vault must be on the map, and there is no space for it: "
        "zones need, at least, in cells: hall 12x12, vault 12x12",
    ):
        dungeon.World(content, 1).level("m/1")
