"""The content that comes with the library: whole, rich enough, and all of it comes up in play."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
import pytest
from alike import sameness
from content_files import yaml_of
from demo import demo_content, demo_level, demo_world

import dungeon
from dungeon import Content, Level
from dungeon import terrain as t
from dungeon.content.catalog.catalog import ChoiceTerms
from dungeon.content.catalog.selector import Selector
from dungeon.content.prefab.variation import STEPS
from dungeon.content.source.reader import read_yaml
from dungeon.core.vocabulary import CATEGORIES
from dungeon.extend import Constant, Streams, Value
from dungeon.generation.odds.worlds import due_in_world, places_in
from dungeon.generation.placing.walkability import walkability
from dungeon.grid.regions import beside, components
from game_demo.state.minds import Behaviour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import Reference
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.extend import Drawing

DATA = Path(__file__).parent.parent / "data"
SEEDS = range(6)
FURTHER = range(6, 400)
"""Worlds of which levels are made only where something has not come up yet."""

ROLLS = range(20)
Wanted = TypeVar("Wanted")
BEHAVIOURS = set(get_args(Behaviour))


@pytest.fixture(scope="module")
def content() -> Content:
    return demo_content()


@pytest.fixture(scope="module")
def levels() -> Iterator[list[Level]]:
    """Every map of some worlds. Making a level proves it: a broken promise is a GenerationError."""
    yield [demo_level(node.id, seed) for seed in SEEDS for node in demo_world(seed).maps]
    demo_level.cache_clear()


@pytest.fixture(scope="module")
def compared() -> dict[str, list[Level]]:
    """Map id -> levels of the maps that are compared, each of 24 worlds: of fewer, chance alone makes some alike."""
    return {map_id: [demo_level(map_id, seed) for seed in range(24)] for map_id in COMPARED}


def type_of(level: Level) -> str:
    """Return the type of map of a level."""
    return demo_world(level.seed).node(level.id).name


def not_come_up(
    wanted: Iterable[Wanted],
    seen: Callable[[Level], Iterable[Wanted]],
    levels: list[Level],
    map_of: Callable[[Wanted], str] | None = None,
    due: Callable[[int, set[str]], set[tuple[str, Wanted]]] | None = None,
) -> set[Wanted]:
    """Return what of some things no level shows, though further worlds are made as long as any is missing.

    Args:
        wanted: The things.
        seen: Level -> those of them that it shows.
        levels: The levels to look at first.
        map_of: Thing -> the only map that can show it; without this, all maps of further worlds are made.
        due: (seed, names of maps) -> (map id, thing) of all that levels of these maps show if there is room; without this, all
            levels of these maps are made.
    """
    missing = set(wanted).difference(*map(seen, levels))
    for seed in FURTHER:
        maps = {map_of(each) for each in missing} if map_of else None
        drawn = due(seed, maps) if due and maps else None
        for node in demo_world(seed).maps if missing else ():
            is_due = drawn is None or any((node.id, each) in drawn for each in missing)
            if is_due and (maps is None or node.name in maps):
                missing.difference_update(seen(demo_level(node.id, seed)))
    return missing


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


def test_in_what_order_keys_are_written_makes_no_difference(levels: list[Level], tmp_path: Path) -> None:
    """Be they weights, keywords, parameters, characters of a legend, or the names of entries."""
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    for file in tmp_path.rglob("*.yaml"):
        data = read_yaml(file.read_bytes(), file.name).root
        file.write_text(
            yaml_of(json.loads(json.dumps(in_other_order(data, Random(file.name))))), encoding="utf-8"
        )
    same = dungeon.World(dungeon.load_content(tmp_path), 0)
    ours = [level for level in levels if level.seed == 0]
    assert {level.id for level in ours} == {node.id for node in same.maps}
    for level in ours[::4]:
        assert dungeon.to_json(level) == dungeon.to_json(same.level(level.id)), level.id


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
    assert len(maps) >= 20
    assert {node.depth for node in maps} == {*range(1, 13)}
    assert len({node.name for node in maps if content.maps[node.name].layout.name == "tunnels"}) >= 3
    assert any(len(node.leads_to) > 1 for node in maps), "somewhere there is a choice of ways"
    assert {content.maps[name].theme for name in content.maps} == set(content.themes)


@pytest.mark.parametrize(
    ("kind", "least"), [("prop", 45), ("trap", 20), ("robot", 42), ("item", 82), ("debris", 20)]
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
    assert len(files) >= 33
    assert all((DATA / "prefabs" / f"{name}.yaml").exists() for name in files)
    assert sum(len(layers) == 4 for layers in files.values()) >= 10
    assert sum(len(content.prefabs[name].drawing.machines) > 0 for name in files) >= 10
    links = {link.kind for name in files for link in content.prefabs[name].drawing.links}
    assert links == {"tunneler", "connector", "diggable", "closed"}
    assert any(layers[0].transparent.any() for layers in files.values())
    assert any("?" in "".join(layers[0].rows()) for layers in files.values())


def test_a_drawing_is_painted_in_the_colours_of_its_room(content: Content) -> None:
    """But for the brushes that other palettes have, too. No paint is left that no drawing uses."""
    palettes = [*sorted((DATA / "palettes").glob("*.yaml")), DATA / "palette.yaml"]
    read = {path.stem: read_yaml(path.read_bytes(), path.name).root for path in palettes}
    brushes = {colour for entry in (read["palette"], *read["works"].values()) for colour in entry["colours"]}
    paints = read["painted"]["painted"]["colours"]
    codes = {name: content.terrain_set.code(name) for name in paints.values()}
    looks = {colour: content.terrain_set.kinds[codes[name]].fg for colour, name in paints.items()}
    other = {colour for colour, fg in looks.items() if colour != "#{:02x}{:02x}{:02x}".format(*fg)}
    assert other <= brushes
    drawn = {path.stem for path in (DATA / "prefabs").glob("*.xp")}
    used = {code for name in drawn for code in np.unique(content.prefabs[name].drawing.terrain).tolist()}
    assert used >= set(codes.values())


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
    at = [
        content.catalog.odds("robot", wanted, ChoiceTerms(depth)).keys() - {None}
        for depth in (1, 2, 3, 5, 8, 11)
    ]
    assert all(at)
    assert not any(above & below for above, below in pairwise(at))


@pytest.mark.parametrize(
    ("name", "keyword"), [("mend", "repair"), ("cell", "charge"), ("brace", "frame"), ("plate", "armour")]
)
def test_a_class_of_items_is_worth_more_the_deeper_it_is(content: Content, name: str, keyword: str) -> None:
    wanted = Selector(classes=Constant(name))
    given = [content.catalog.odds("item", wanted, ChoiceTerms(depth)) for depth in (2, 5, 8, 11)]
    best = [max(content.catalog["item", str(tag)].data[keyword] for tag in odds) for odds in given]
    assert best[0] < best[-1]
    assert best == sorted(best)


def test_supplies_are_no_junk_where_it_is_deep(content: Content) -> None:
    """What repairs or charges least is rare there, and so is scrap; a brace is neither sure nor rare."""
    odds = content.catalog.odds("item", Selector(categories=Constant("supply")), ChoiceTerms(8))
    assert odds["solder"] + odds["flat_cell"] < 0.1
    assert 0.1 < odds["stay_bolt"] + odds["cross_brace"] + odds["girder_stay"] < 0.25
    assert content.catalog.odds("item", Selector(categories=Constant("stock")), ChoiceTerms(8))["scrap"] < 0.1


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


def opened_by(references: Iterable[Reference]) -> set[str]:
    """Return the words of the locks that some references open."""
    return {word for each in references if each.symbol.opens for word in each.symbol.opens.outcomes()}


def unlocked(drawing: Drawing, ground: NDArray[np.bool_], words: Iterable[str]) -> NDArray[np.bool_]:
    """Return a drawing's ground and those of its doors that open: to some words, or to what the ground's largest part leads to."""
    ground, opened, before = ground.copy(), {*words}, None
    while opened != before:
        for y, x, word in drawing.locks:
            ground[y, x] |= word in opened
        labels, _ = components(ground)
        near = beside(labels == np.bincount(labels[ground]).argmax())
        before = opened
        opened = opened | opened_by(each for each in drawing.references if near[each.y, each.x])
    return ground


def test_what_is_locked_can_be_opened(content: Content) -> None:
    """In every prefab with a lock of its own there is what opens it; the level places the keys of `locks.yaml`."""
    for prefab in content.prefabs.values():
        for drawing in rolls(prefab):
            symbols = [each.symbol for each in drawing.references]
            locks = {word for symbol in symbols if symbol.lock for word in symbol.lock.outcomes()}
            assert locks - content.locks.keys() <= opened_by(drawing.references), prefab.name


def test_no_key_lies_in_the_open_near_its_box(content: Content) -> None:
    """A key that is drawn with a locked box lies behind a secret door, or the box does; or taking it wakes an ambush."""
    bases = content.terrain_set.base
    for prefab in content.prefabs.values():
        for drawing in rolls(prefab):
            keys = [
                each for each in drawing.references if each.symbol.kind == "item" and not each.symbol.ambush
            ]
            boxes = [each for each in drawing.references if each.symbol.kind == "prop" and each.symbol.lock]
            if not keys or not boxes:
                continue
            ground = ~drawing.obstacles & (bases[drawing.terrain] > t.BLOCKED)
            labels, count = components(ground & (bases[drawing.terrain] != t.SECRET_DOOR))
            for near in (beside(labels == number + 1) for number in range(count)):
                words = {box.symbol.lock for box in boxes if near[box.y, box.x]}
                locked = {word for each in words if each for word in each.outcomes()}
                assert not locked & opened_by(key for key in keys if near[key.y, key.x]), prefab.name


def test_the_key_of_the_master_samples_lies_a_floor_above_their_door() -> None:
    for seed in (4, 5, 8):
        assert [key.map for key in demo_world(seed).keys] == ["enamel_house/6"]
        assert "samples" in {lock.word for lock in demo_level("enamel_house/7", seed).locks}
        assert "samples" in {each.keywords.get("opens") for each in demo_level("enamel_house/6", seed).spawns}


def test_some_worlds_have_a_stack_whose_foot_has_a_hidden_door_only() -> None:
    worlds = [demo_world(seed) for seed in range(60)]
    stacks = [world for world in worlds if world.floors("ash_pits/9")]
    assert 5 < len(stacks) < 30
    level = demo_level("ash_pits/10", stacks[0].seed)
    (foot,) = [each.bounds for each in level.placements if each.prefab == "soot_chamber"]
    inside = level.terrain[foot.slices]
    assert (level.terrain_set.base[inside] == t.SECRET_DOOR).sum() == 1
    assert not np.isin(level.terrain_set.base[inside], (t.DOOR, t.DOORWAY)).any()
    assert all(foot.contains(each.y, each.x) for each in level.ways_back)
    assert level.ways_back


# -- how it is drawn ----------------------------------------------------------------------------------------


def test_every_open_cell_of_a_prefab_can_be_reached(content: Content) -> None:
    """Nothing is walled in, whatever stands where it might; `?` and transparent cells count as open.

    So do locked doors, whose key the level puts somewhere or the drawing has outside. But what lies around an embedded drawing is earth, and so is what lies around those that a layout joins.
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
            if drawing.sealed_cells is not None:  # walled in on purpose
                is_open &= ~drawing.sealed_cells
            assert components(is_open & ~drawing.obstacles)[1] == 1, prefab.name
            ground = walkability(drawing, content.terrain_set).walkable & is_open
            assert components(unlocked(drawing, ground, content.locks))[1] == 1, prefab.name


def test_enclosed_prefabs_can_be_entered_from_the_south(content: Content) -> None:
    for prefab in modes(content, "enclosed"):
        drawn = [walkability(drawing, content.terrain_set) for drawing in rolls(prefab)]
        assert all(any(each.edges[0]) for each in drawn), prefab.name


def test_accessible_prefabs_can_be_walked_around(content: Content) -> None:
    for prefab in modes(content, "accessible"):
        for drawing in rolls(prefab):
            free = walkability(drawing, content.terrain_set).walkable.copy()
            free[1:-1, 1:-1] = True
            assert free.all(), prefab.name


# -- what becomes of it -------------------------------------------------------------------------------------


def test_levels_get_as_many_encounters_as_their_maps_ask_for(content: Content, levels: list[Level]) -> None:
    for level in levels:
        wanted = list(content.maps[type_of(level)].encounters.outcomes())
        where = (level.id, level.seed)
        assert min(wanted) <= encounters_of(level) <= max(wanted), where
    tunnelled = [encounters_of(level) for level in levels if level.width == 100]
    assert 8 <= np.mean(tunnelled) <= 12


def encounters_of(level: Level) -> int:
    """Return how many encounters a level has; what the map grew around is none."""
    return sum(each.encounter != "" for each in level.placements)


def test_every_feature_and_variant_of_a_map_comes_up(content: Content, levels: list[Level]) -> None:
    def chosen(level: Level) -> set[tuple[str, str, str]]:
        name = type_of(level)
        seeded = {each.subject for each in level.journal if (each.stage, each.verdict) == ("seed", "chosen")}
        variants = {each.reason for each in level.journal if each.subject == "variant"}
        assert variants <= set(content.maps[name].variants)
        return {(name, "feature", each) for each in seeded} | {(name, "variant", each) for each in variants}

    wanted = [
        (name, kind, each)
        for name, entry in content.maps.items()
        for kind, labels in (
            ("feature", [feature.name for _, feature in entry.all_features() if feature.name]),
            ("variant", entry.variants),
        )
        for each in labels
    ]
    assert not_come_up(wanted, chosen, levels, lambda each: each[0]) == set()


def test_every_encounter_comes_up_on_every_map_that_lists_it_and_on_no_other(
    content: Content, levels: list[Level]
) -> None:
    def placed(level: Level) -> set[tuple[str, str]]:
        return {(type_of(level), each.encounter) for each in level.placements if each.encounter}

    def due(seed: int, maps: set[str]) -> set[tuple[str, tuple[str, str]]]:
        places = places_in(content, seed)
        asked = [place for place in places if place.name in maps]
        drawn = due_in_world(content, seed, places, asked)
        return {(place.map_id, (place.name, name)) for place, names in drawn for name in names}

    listed = {(name, each) for each, entry in content.encounters.items() for name in entry.maps}
    assert set().union(*map(placed, levels)) <= listed
    assert not_come_up(listed, placed, levels, lambda pair: pair[0], due) == set()


def test_every_prefab_comes_up(content: Content, levels: list[Level]) -> None:
    """Parts of others, too: they are where something comes from, or in one of the rolls of what may be placed."""
    machines = machines_of(content)

    def sources(level: Level) -> set[str]:
        return {spawn.source.partition(":")[0] for spawn in level.spawns}

    def placed(level: Level) -> set[str]:
        return {each.prefab for each in level.placements if each.prefab} | machines & sources(level)

    words = [word for layout in content.layouts.values() for word in layout.asked_for()]
    laid = {prefab.name for word in words for prefab in content.called[word]}
    inner = {name for each in content.prefabs.values() for drawing in rolls(each) for name in drawing.parts}
    whole = {*content.prefabs} - laid - inner
    assert not_come_up(whole, placed, levels) == set()
    parts = inner.difference(*map(placed, levels))
    assert len(parts & set().union(*map(sources, levels))) >= 15, "and they do come up on levels"


def test_every_object_comes_up(content: Content, levels: list[Level]) -> None:
    def found(level: Level) -> set[tuple[str, str]]:
        return {(each.kind, each.tag) for spawn in level.spawns for each in (spawn, *spawn.loadout)}

    declared = {(kind, tag) for kind, things in content.catalog.things.items() for tag in things}
    generic = {("prop", "machine")}
    assert set().union(*map(found, levels)) <= declared | generic
    assert not_come_up(declared, found, levels) == set()


def test_every_kind_of_terrain_comes_up(content: Content, levels: list[Level]) -> None:
    def codes(level: Level) -> set[int]:
        return {*np.unique(level.terrain).tolist()}

    names = content.terrain_set.names
    own = [code for code in range(t.BUILT_IN, len(names)) if names[code] not in t.CORRIDOR_KINDS]
    missing = not_come_up(own, codes, levels)
    assert [names[code] for code in missing] == []


@pytest.mark.parametrize(
    "name", ["tinnings", "furrings", "drifts", "mere", "yards", "boiler_deck", "ash_pits", "head_office"]
)
def test_most_levels_of_dark_and_deep_maps_have_something_that_charges(
    levels: list[Level], name: str
) -> None:
    """An empty battery kills more than anything that moves."""
    here = [level for level in levels if level.id.startswith(f"{name}/")]
    charged = [any(spawn.keywords.get("charges") for spawn in level.spawns) for level in here]
    assert np.mean(charged) > 0.6


def test_the_proof_holds_beside_the_world(content: Content, levels: list[Level]) -> None:
    for seed in range(3):
        world = dungeon.World(content, seed)
        for level in levels:
            assert level.seed != seed or dungeon.prove(level, world) == []


def test_nothing_asked_for_is_missing(levels: list[Level]) -> None:
    journal = [each for level in levels for each in level.journal]
    refused = [str(each) for each in journal if each.stage == "populate" and each.verdict == "refused"]
    assert refused == []


def test_no_lid_that_can_be_opened_is_empty(levels: list[Level]) -> None:
    sealed = {each.subject for level in levels for each in level.journal if "it holds nothing" in each.reason}
    lids = [each for level in levels for each in level.spawns if each.keywords.get("lid")]
    empty = {f"{each.source} ({each.tag})" for each in lids if not each.loadout}
    assert empty <= sealed
    assert sum(bool(each.loadout) for each in lids) > len(levels)


def test_the_last_level_holds_the_goal_and_no_other_does(levels: list[Level]) -> None:
    for level in levels:
        goals = [spawn for spawn in level.spawns if spawn.keywords.get("goal")]
        assert len(goals) == (not level.exits), level.id


def test_the_first_level_teaches_and_can_be_left_at_once(content: Content) -> None:
    """What is chalked on its floor leads through all stations, and the stairs are near for who knows them."""
    keys, looks = set(), set()
    for seed in range(10):
        world = dungeon.World(content, seed)
        level = world.level(world.starts["lessons"].id)
        chalked = " ".join(str(each.keywords["text"]) for each in level.spawns if each.tag == "chalk")
        assert all(f"STATION {number}, " in chalked for number in range(1, 9))
        assert max(dungeon.measure(level).exits) <= 10
        assert {lock.word for lock in level.locks} == {"switchgear", "inspector"}
        keys |= {(each.y, each.x) for each in level.spawns if each.keywords.get("opens") == "inspector"}
        looks.add(level.spawns)
        assert all(each.loadout for each in level.spawns if each.tag == "locker"), (
            "the first ones hold something"
        )
    assert len(keys) > 3
    assert len(looks) == 10


# -- that no two are alike ----------------------------------------------------------------------------------


def test_the_galleries_have_captives_of_several_kinds_and_most_have_none() -> None:
    levels = [demo_level("galleries/1", seed) for seed in range(24)]
    captives = [each for level in levels for each in level.spawns if each.keywords.get("captive")]
    assert 4 <= len(captives) <= 12
    assert len({str(each.keywords["text"]) for each in captives}) >= 3
    assert len({each.tag for each in captives}) >= 3


FIRST_MAPS = ["returns/1", "galleries/1", "galleries/2", "cisterns/2", "tinnings/2"]


@pytest.mark.parametrize("map_id", FIRST_MAPS)
def test_no_choice_of_a_first_level_is_met_in_every_second_game(content: Content, map_id: str) -> None:
    """A third of the levels is meant; of 24 levels, chance may put it into eleven."""
    levels = [demo_level(map_id, seed) for seed in range(24)]
    met = Counter(name for level in levels for name in {each.encounter for each in level.placements})
    choices = {name for name, each in content.encounters.items() if each.category in {"risk", "opening"}}
    choices |= {"written_off", "pinned_down", "pay_office", "paymasters_room", "sluice", "hidden_cache"}
    assert {name: count for name, count in met.items() if name in choices and count > 11} == {}


ONCE = """
    boiling_over castaways counting_booth crib_of_tools dead_camp dead_shift engine_house feeding_time
    kettle_hoard leaking_main lid_archive magpies_nest oil_guard pay_cell powder_store shrine slag_pocket sluice
    test_room wayside_idol weir winding_house
"""


def test_rooms_that_are_remembered_come_once_in_a_world(levels: list[Level]) -> None:
    seen = Counter((level.seed, each.prefab) for level in levels for each in level.placements)
    assert {place: count for place, count in seen.items() if place[1] in ONCE.split() and count > 1} == {}


GROWN = """
    galleries/1 cisterns/2 tinnings/2 foundry/3 tally_house/3 leaf_house/4 mere/4 furrings/3 flues/4 feed_works/4
    yards/5 enamel_house/6 pattern_store/6 boiler_deck/8 ash_pits/9 head_office/11
"""
COMPARED = [*GROWN.split(), "order_room/12"]


@pytest.mark.parametrize("map_id", GROWN.split())
def test_no_map_looks_the_same_for_every_seed(compared: dict[str, list[Level]], map_id: str) -> None:
    found = sameness([level.walkable for level in compared[map_id]])
    assert found.overlap < found.chance + 0.06
    assert found.commonest < 0.9


def test_the_order_room_is_put_together_anew_for_every_seed(compared: dict[str, list[Level]]) -> None:
    rooms = [level.walkable for level in compared["order_room/12"]]
    assert len({room.tobytes() for room in rooms}) > len(rooms) / 4
