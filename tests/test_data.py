"""The content that comes with the library: whole, rich enough, and all of it comes up in play."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from alike import sameness
from content_files import yaml_of

import dungeon
from dungeon import Content, Level
from dungeon import terrain as t
from dungeon.content.catalog.catalog import Terms
from dungeon.content.catalog.selector import Selector
from dungeon.content.prefab.variation import STEPS
from dungeon.content.source.reader import read_yaml
from dungeon.content.values.grammar import Constant, Value
from dungeon.core.streams import Streams
from dungeon.core.vocabulary import CATEGORIES
from dungeon.generation.placing.edges import footing
from dungeon.grid.regions import components
from game_demo.state.things.minds import Behaviour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab

DATA = Path(__file__).parent.parent / "data"
SEEDS = range(80)
ROLLS = range(40)
BEHAVIOURS = set(get_args(Behaviour))


@pytest.fixture(scope="module")
def content() -> Content:
    return dungeon.load_content(DATA)


@pytest.fixture(scope="module")
def levels(content: Content) -> list[Level]:
    """Every map of many worlds. Making a level proves it: a broken promise is a GenerationError."""
    worlds = [dungeon.World(content, seed) for seed in SEEDS]
    return [world.level(node.id) for world in worlds for node in world.maps]


def in_other_order(data: Any, random: Random) -> Any:
    """Return plain data with the keys of mappings in another order, but for zones, which are built in theirs; lists stay."""
    if isinstance(data, list):
        return [in_other_order(each, random) for each in data]
    if not isinstance(data, dict):
        return data
    keys = list(data)
    random.shuffle(keys)
    shuffled = {key: in_other_order(data[key], random) for key in keys}
    if isinstance(zones := data.get("zones"), dict):
        shuffled["zones"] = {name: in_other_order(zone, random) for name, zone in zones.items()}
    return shuffled


@pytest.mark.parametrize("seed", range(3))
def test_in_what_order_keys_are_written_makes_no_difference(
    content: Content, tmp_path: Path, seed: int
) -> None:
    """Be they weights, keywords, parameters, characters of a legend, or the names of entries."""
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    for file in tmp_path.rglob("*.yaml"):
        data = read_yaml(file.read_bytes(), file.name).root
        file.write_text(yaml_of(json.loads(json.dumps(in_other_order(data, Random(seed))))), encoding="utf-8")
    world = dungeon.World(content, seed)
    same = dungeon.World(dungeon.load_content(tmp_path), seed)
    for node in world.maps:
        assert dungeon.to_json(world.level(node.id)) == dungeon.to_json(same.level(node.id)), node.id


def modes(content: Content, mode: str) -> list[Prefab]:
    """Return the prefabs that encounters put in this placing mode."""
    names = {
        name for each in content.encounters.values() if each.placing.name == mode for name in each.prefabs
    }
    return [content.prefabs[name] for name in sorted(names)]


def machines_of(content: Content) -> set[str]:
    """Return the prefabs that maps ask for as machines."""
    words = [word for each in content.maps.values() for entry in each.machines for word in entry.prefabs]
    return {prefab.name for word in words for prefab in content.called[word]}


def rolls(prefab: Prefab) -> Iterator[Drawing]:
    """Yield many of the drawings that a prefab may be, or its only one."""
    for number in ROLLS if prefab.varies else ROLLS[:1]:
        yield prefab.variant(Streams(number).stream(prefab.name)).drawing


# -- how much there is --------------------------------------------------------------------------------------


def test_there_is_a_world_to_go_down_through(content: Content) -> None:
    maps = dungeon.World(content).maps
    assert len(maps) >= 4
    assert len({node.depth for node in maps}) >= 3
    assert len({node.name for node in maps if content.maps[node.name].layout.name == "tunnels"}) >= 3
    assert any(len(node.leads_to) > 1 for node in maps), "somewhere there is a choice of ways"
    assert {content.maps[name].theme for name in content.maps} == set(content.themes)


@pytest.mark.parametrize(
    ("kind", "least"), [("prop", 12), ("trap", 5), ("robot", 10), ("item", 15), ("debris", 4)]
)
def test_there_are_things_enough(content: Content, kind: str, least: int) -> None:
    things = content.catalog.things[kind]
    assert len(things) >= least
    names = Counter(thing.name for thing in things.values())
    assert max(names.values()) == 1, f"{names.most_common(1)} can't be told apart"


def test_there_are_prefabs_enough_and_of_all_sizes(content: Content) -> None:
    asked = [prefab for prefabs in content.choices.values() for prefab in prefabs]
    shapes = sorted((each.width, each.height) for each in asked)
    assert len(content.prefabs) >= 100
    assert shapes[0] == (3, 2)
    assert any(width >= 14 and height >= 10 for width, height in shapes)


def test_drawings_use_all_that_an_xp_file_can_say(content: Content) -> None:
    files = {path.stem: dungeon.read_xp(path) for path in sorted((DATA / "prefabs").glob("*.xp"))}
    assert len(files) >= 12
    assert all((DATA / "prefabs" / f"{name}.yaml").exists() for name in files)
    assert sum(len(layers) == 4 for layers in files.values()) >= 10
    assert sum(len(content.prefabs[name].drawing.machines) > 0 for name in files) >= 10
    links = {link.kind for name in files for link in content.prefabs[name].drawing.links}
    assert links == {"tunneler", "connector", "diggable", "closed"}
    assert any(layers[0].transparent.any() for layers in files.values())
    assert any("?" in "".join(layers[0].rows()) for layers in files.values())


def test_there_are_encounters_of_every_kind(content: Content) -> None:
    encounters = content.encounters.values()
    assert len(encounters) >= 16
    assert {each.category for each in encounters} == {*CATEGORIES, *content.categories}
    modes = {"enclosed", "accessible", "centered", "embedded", "free"}
    assert {each.placing.name for each in encounters} >= modes
    assert any(each.group for each in encounters)
    assert any(each.limit.world for each in encounters)
    assert any(each.access for each in encounters)
    assert any(each.depth[0] > 1 for each in encounters)


@pytest.mark.parametrize("name", ["worker", "watch", "hunter", "heavy"])
def test_a_class_of_robots_grows_with_depth(content: Content, name: str) -> None:
    wanted = Selector(classes=Constant(name))
    at = [content.catalog.odds("robot", wanted, Terms(depth)).keys() - {None} for depth in (1, 2, 3)]
    assert all(at)
    assert not at[0] & at[1]
    assert not at[1] & at[2]


def test_objects_say_what_a_game_needs(content: Content) -> None:
    things = content.catalog.things
    for robot in things["robot"].values():
        assert {"hp", "attack", "sight", "behaviour", "text"} <= robot.data.keys(), robot.tag
        assert robot.data["behaviour"] in BEHAVIOURS, robot.tag
    for trap in things["trap"].values():
        assert {"damage", "hidden", "effect", "text"} <= trap.data.keys(), trap.tag
    for kind in ("prop", "item", "debris"):
        for thing in things[kind].values():
            assert thing.data["text"], thing.tag


# -- what of the language it uses -----------------------------------------------------------------------------


STEPS_USED = ("substitute", "exactly", "shuffle", "one_of", "optional", "fit")
KEYWORDS = {
    *("strong", "fallback", "prototype", "never_faulty", "rating", "state", "lock", "opens", "roll"),
    *("shift", "unique", "group", "data"),
}
COMMON = {"shift", "unique", "data"}
"""What the shared legends say of workers, crates and traps anyway."""


def uses(prefab: Prefab) -> Counter[str]:
    """Return what a prefab itself uses of the language, beyond characters, tags and chance."""
    template = prefab.template
    used = {key for step in template.steps for key, model in STEPS.items() if isinstance(step, model)}
    for drawing in rolls(prefab):
        own = [each for each in (*drawing.references, *drawing.machines) if each.part == 0 and each.symbol]
        for symbol in {id(each.symbol): each.symbol for each in own}.values():
            used |= symbol.model_fields_set & KEYWORDS
            used |= {f"{key} by lot" for key in KEYWORDS & symbol.model_fields_set if by_lot(symbol, key)}
            used |= {"equipped_by"} if symbol.selector and symbol.selector.equipped_by else set()
    features = {
        "switch": template.parameters,
        "machines": template.fixed.machines,
        "links": template.fixed.links,
        "orientations": len(prefab.orientations) < 8,
        "don't care": np.any(template.fixed.terrain == t.KEEP) and not prefab.varies,
    }
    return Counter(used | {name for name, has in features.items() if has})


def by_lot(symbol: SymbolEntry, key: str) -> bool:
    """Tell whether a keyword is not always the same."""
    value = getattr(symbol, key)
    values = value.values() if key == "roll" else [value]
    return any(isinstance(each, Value) and len(each.odds()) > 1 for each in values)


def test_prefabs_use_the_language_broadly(content: Content) -> None:
    each_uses = {name: uses(prefab) for name, prefab in content.prefabs.items()}
    assert sum(bool(set(used) - COMMON) for used in each_uses.values()) >= 60
    assert sum(len(set(used) - COMMON) >= 2 for used in each_uses.values()) >= 25
    used = sum(each_uses.values(), Counter())
    least = {
        **dict.fromkeys(STEPS_USED, 4),
        **dict.fromkeys(KEYWORDS, 1),
        "fit": 8,
        "exactly": 15,
        "substitute": 15,
        "switch": 8,
        "group": 5,
        "machines": 10,
        "links": 4,
        "equipped_by": 3,
        "state": 6,
        "rating": 4,
        "orientations": 3,
        "don't care": 4,
        **dict.fromkeys(
            [f"{key} by lot" for key in ("state", "rating", "strong", "never_faulty", "roll")], 1
        ),
    }
    assert {name: used[name] for name in least if used[name] < least[name]} == {}


def test_parts_hold_parts(content: Content) -> None:
    """Somewhere prefabs are fitted into prefabs that are fitted into others, and some leave cells as they are."""
    inner = {
        name for each in content.prefabs.values() for names in each.template.fits.values() for name in names
    }
    middle = [content.prefabs[name] for name in sorted(inner) if content.prefabs[name].template.fits]
    assert len(middle) >= 3
    assert sum(bool(np.any(content.prefabs[name].drawing.terrain == t.KEEP)) for name in inner) >= 3


def test_machines_are_named_in_every_way(content: Content) -> None:
    machines = [(name, each) for name, prefab in content.prefabs.items() for each in prefab.drawing.machines]
    assert sum(machine.symbol is None for _, machine in machines) >= 3, "generic ones"
    assert sum(machine.char != "" for _, machine in machines) >= 5, "named by a reference over them"
    assert sum(machine.symbol is not None and machine.char == "" for _, machine in machines) >= 5
    assert any(len(set(machine.fgs)) > 1 and name == "lathe_shop" for name, machine in machines), "painted"


def test_what_is_locked_can_be_opened(content: Content) -> None:
    """In every prefab with a lock there is what opens it."""
    for prefab in content.prefabs.values():
        for drawing in rolls(prefab):
            symbols = [each.symbol for each in drawing.references]
            locks = {word for symbol in symbols if symbol.lock for word in symbol.lock.outcomes()}
            opened = {word for symbol in symbols if symbol.opens for word in symbol.opens.outcomes()}
            assert locks <= opened, prefab.name


# -- how it is drawn ----------------------------------------------------------------------------------------


def test_every_open_cell_of_a_prefab_can_be_reached(content: Content) -> None:
    """Nothing is walled in, whatever stands where it might; `?` and transparent cells count as open.

    But what lies around an embedded drawing is earth, and so is what lies around those that a layout joins.
    """
    laid = {
        prefab.name
        for layout in content.layouts.values()
        for word in layout.asked_for()
        for prefab in content.called[word]
    }
    machines = machines_of(content)
    embedded = {prefab.name for prefab in modes(content, "embedded")}
    for prefab in content.prefabs.values():
        if "stack" in prefab.tags or prefab.name in machines:  # it stands in the middle of a floor
            continue
        for drawing in rolls(prefab):
            kept = drawing.terrain == t.KEEP
            if prefab.name in embedded or prefab.name in laid:
                kept[:] = False
            is_open = (content.terrain_set.base[drawing.terrain] > t.BLOCKED) & (
                drawing.terrain != t.KEEP
            ) | kept
            assert components(is_open & ~drawing.obstacles)[1] == 1, prefab.name
            walkable = footing(drawing, content.terrain_set).walkable.copy()
            symbols = [each.symbol for each in drawing.references if each.symbol and each.symbol.opens]
            drawn = {word for symbol in symbols for word in symbol.opens.outcomes()}
            for y, x, word in drawing.locks:
                walkable[y, x] |= word in drawn or word in content.locks  # the level sees to it
            assert components(walkable & is_open)[1] == 1, prefab.name


def test_enclosed_prefabs_can_be_entered_from_the_south(content: Content) -> None:
    for prefab in modes(content, "enclosed"):
        drawn = [footing(drawing, content.terrain_set) for drawing in rolls(prefab)]
        assert all(any(each.edges[0]) for each in drawn), prefab.name


def test_accessible_prefabs_can_be_walked_around(content: Content) -> None:
    for prefab in modes(content, "accessible"):
        for drawing in rolls(prefab):
            free = footing(drawing, content.terrain_set).walkable.copy()
            free[1:-1, 1:-1] = True
            assert free.all(), prefab.name


# -- what becomes of it -------------------------------------------------------------------------------------


def test_levels_get_as_many_encounters_as_their_maps_ask_for(content: Content, levels: list[Level]) -> None:
    for level in levels:
        wanted = list(content.maps[level.id.split("/")[0]].encounters.outcomes())
        where = (level.id, level.seed)
        assert min(wanted) <= encounters_of(level) <= max(wanted), where
    tunnelled = [encounters_of(level) for level in levels if level.width == 100]
    assert 8 <= np.mean(tunnelled) <= 12


def encounters_of(level: Level) -> int:
    """Return how many encounters a level has; what the map grew around is none."""
    return sum(each.encounter != "" for each in level.placements)


def test_every_feature_of_a_map_comes_up(content: Content, levels: list[Level]) -> None:
    for name, entry in content.maps.items():
        journals = [
            decision for level in levels if level.id.startswith(f"{name}/") for decision in level.journal
        ]
        found = {each.subject for each in journals if (each.stage, each.verdict) == ("seed", "chosen")}
        labels = {feature.name for _, feature in entry.all_features() if feature.name}
        assert labels <= found
        chosen = [each.reason for each in journals if each.subject == "variant"]
        assert set(chosen) == set(entry.variants)


def test_every_encounter_comes_up_on_every_map_that_lists_it(content: Content, levels: list[Level]) -> None:
    placed = {
        (level.id.split("/")[0], each.encounter)
        for level in levels
        for each in level.placements
        if each.encounter
    }
    listed = {(name, each) for each, entry in content.encounters.items() for name in entry.maps}
    assert placed == listed


def test_every_prefab_comes_up(content: Content, levels: list[Level]) -> None:
    """Parts of others, too: they are where something comes from, or in one of the rolls of what was placed."""
    placed = {each.prefab for level in levels for each in level.placements if each.prefab}
    words = [word for layout in content.layouts.values() for word in layout.asked_for()]
    placed |= {prefab.name for word in words for prefab in content.called[word]}
    sources = {spawn.source.partition(":")[0] for level in levels for spawn in level.spawns}
    placed |= machines_of(content) & sources
    parts = {name for each in placed for drawing in rolls(content.prefabs[each]) for name in drawing.parts}
    assert placed | parts == set(content.prefabs)
    assert len(sources & (parts - placed)) >= 15, "and they do come up on levels"


def test_every_object_comes_up(content: Content, levels: list[Level]) -> None:
    spawns = [spawn for level in levels for spawn in level.spawns]
    found = {(each.kind, each.tag) for spawn in spawns for each in (spawn, *spawn.loadout)}
    generic = {("prop", "machine")}
    assert found - generic == {
        (kind, tag) for kind, things in content.catalog.things.items() for tag in things
    }


def test_every_kind_of_terrain_comes_up(content: Content, levels: list[Level]) -> None:
    own = set(content.terrain_set.names[t.BUILT_IN :])
    used = {content.terrain_set.names[code] for level in levels for code in np.unique(level.terrain).tolist()}
    assert own <= used


def test_nothing_asked_for_is_missing(levels: list[Level]) -> None:
    journal = [each for level in levels for each in level.journal]
    refused = [str(each) for each in journal if each.stage == "populate" and each.verdict == "refused"]
    assert refused == []


def test_the_last_level_holds_the_goal_and_no_other_does(levels: list[Level]) -> None:
    for level in levels:
        goals = [spawn for spawn in level.spawns if spawn.keywords.get("goal")]
        assert len(goals) == (not level.exits), level.id


def test_the_first_level_teaches_and_can_be_left_at_once(content: Content) -> None:
    """What is chalked on its floor leads through all stations, and the stairs are near for who knows them."""
    keys, looks = set(), set()
    for seed in range(10):
        world = dungeon.World(content, seed)
        level = world.level(world.start.id)
        chalked = " ".join(str(each.keywords["text"]) for each in level.spawns if each.tag == "chalk")
        assert all(f"STATION {number}, " in chalked for number in range(1, 9))
        assert max(dungeon.measure(level).exits) <= 10
        assert {lock.word for lock in level.locks} == {"switchgear", "inspector"}
        keys |= {(each.y, each.x) for each in level.spawns if each.keywords.get("opens") == "inspector"}
        looks.add(level.spawns)
    assert len(keys) > 3
    assert len(looks) == 10


# -- that no two are alike ----------------------------------------------------------------------------------

COMPARED = range(40)
GROWN = """
    galleries/1 cisterns/2 tinnings/2 foundry/3 tally_house/3 leaf_house/4 mere/4 furrings/3 flues/4 feed_works/4
"""


def grounds(levels: list[Level], map_id: str) -> list[NDArray[np.bool_]]:
    """Return where one can walk on a map, seed by seed."""
    found = [level.walkable for level in levels if level.id == map_id and level.seed in COMPARED]
    assert len(found) == len(COMPARED)
    return found


@pytest.mark.parametrize("map_id", GROWN.split())
def test_no_map_looks_the_same_for_every_seed(levels: list[Level], map_id: str) -> None:
    found = sameness(grounds(levels, map_id))
    assert found.overlap < found.chance + 0.055
    assert found.commonest < 0.8


def test_the_order_room_is_put_together_anew_for_every_seed(levels: list[Level]) -> None:
    rooms = grounds(levels, "order_room/12")
    assert len({room.tobytes() for room in rooms}) > len(rooms) / 4
