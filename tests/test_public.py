"""The public names: just these, documented, imported when first used, and typed."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dungeon

ROOT = Path(__file__).parent.parent

COMPONENTS = (
    *(
        "Appearance",
        "Blocks",
        "Debris",
        "DoorState",
        "Footprint",
        "Item",
        "LeadsTo",
        "LevelInfo",
        "LightSource",
    ),
    *("Locked", "OfLevel", "Opaque", "Position", "Prop", "Robot", "Tag", "Trap", "components_of"),
)

PROGRAM = '''
"""A game that uses all there is."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tcod.console import Console
from tcod.ecs import Entity, Registry

import dungeon
from dungeon.extend import Parameters


@dataclass
class Health:
    points: int


class PitParameters(Parameters):
    depth: int = 3


def pit(canvas: dungeon.Canvas, params: PitParameters, job: dungeon.LayoutJob) -> Iterator[dungeon.Step]:
    room = canvas.carve_room(dungeon.Rect(1, 1, params.depth, params.depth))
    canvas.set_bounds(room, dungeon.Rect(1, 1, params.depth, params.depth))
    yield dungeon.Step(dungeon.Phase.LAYOUT, f"a pit, attempt {job.attempt}", canvas)


dungeon.register_layout("pit", PitParameters, pit, kinds=("room",))


def robot(spawn: dungeon.Spawn) -> list[object]:
    points = spawn.keywords.get("hp", 1)
    return [*dungeon.components_of(spawn), Health(points if isinstance(points, int) else 1)]


def door(door: dungeon.Door) -> Iterable[object]:
    yield dungeon.Position(door.y, door.x)
    if door.lock is not None:
        yield dungeon.Locked(door.lock)


def portal(end: dungeon.PortalEnd) -> list[dungeon.TakesTo]:
    return [dungeon.TakesTo(end.to, end.kind)]


def held(spawn: dungeon.Spawn, holder: int) -> list[dungeon.HeldBy | dungeon.Inventory]:
    return [dungeon.Inventory([holder + 1]), *(dungeon.HeldBy(holder) for _ in spawn.loadout)]


def company(spawn: dungeon.Spawn) -> list[dungeon.Leader | dungeon.Follows | dungeon.Patrol]:
    own = dungeon.Leader(spawn.group) if spawn.leads else dungeon.Follows(spawn.group)
    return [own, dungeon.Patrol(spawn.patrol)]


def lights(light: dungeon.Light) -> list[dungeon.LightSource]:
    return [dungeon.LightSource(light.radius, light.colour)]


def markers(marker: dungeon.Marker) -> list[dungeon.Marked]:
    return [dungeon.Marked(marker.name, marker.data, marker.placement)]


def load(folder: Path) -> dungeon.Content:
    try:
        return dungeon.load_content(folder, cache=dungeon.cache_folder())
    except dungeon.ContentError as error:
        problems: tuple[dungeon.Problem, ...] = error.problems
        source: dungeon.Source = problems[0].source
        raise SystemExit(f"{source.file}: {problems[0]}") from error


def altered(folder: Path, mod: Path) -> list[dungeon.Change]:
    content = dungeon.load_content(folder, mod)
    return [change for changes in content.changes.values() for change in changes]


def make(content: dungeon.Content, seed: int) -> list[dungeon.Level]:
    world = dungeon.World(content, seed=seed)
    nodes: tuple[dungeon.MapNode, ...] = world.maps
    floors: tuple[dungeon.TowerFloor, ...] = world.floors(nodes[0].id)
    keys: tuple[dungeon.WorldKey, ...] = world.keys
    print([floor.cell for floor in floors], [(key.lock, key.map) for key in keys])
    try:
        return [world.level(node.id) for node in nodes]
    except dungeon.GenerationError:
        return []


def in_esper(level: dungeon.Level) -> int:
    dungeon.to_esper(level, "game", {"robot": robot, "door": door, "portal": portal, "light": lights})
    dungeon.to_esper(level, world="game", factories={"item": lambda spawn: [dungeon.Tag(spawn.kind, spawn.tag)]})
    own: dungeon.Factories = {"exit": lambda way: [dungeon.LeadsTo(way.leads_to)]}
    own["level"] = dungeon.components_of
    every: dict[dungeon.SpawnKind, dungeon.Factory] = {"prop": robot, "trap": dungeon.components_of}
    entities: list[int] = dungeon.to_esper(level, factories=own) + dungeon.to_esper(level, factories=every)
    return len(entities) + dungeon.remove_from_esper(level, "game") + dungeon.remove_from_esper(level.id)


def in_registry(level: dungeon.Level, registry: Registry) -> int:
    first: Entity = dungeon.to_tcod_ecs(level, registry, {"robot": robot})[0]
    registry[first.uid].components[dungeon.Position].y += 1
    return dungeon.remove_from_tcod_ecs(level, registry) + dungeon.remove_from_tcod_ecs(level.id, registry)


def tiles(level: dungeon.Level) -> NDArray[np.void]:
    places: list[tuple[int, int]] = [dungeon.xy(each) for each in level.spawns] + [dungeon.xy(level.entrance)]
    dtype = np.dtype([("walkable", bool), ("cost", "i2")])
    array: NDArray[np.void] = dungeon.tiles(level, dtype, {"wall": {"cost": 1}, "floor": np.zeros((), dtype)}, order="F")
    print(array[places[0]], dungeon.to_console(level, order="F"))
    return array


def look(level: dungeon.Level) -> Console:
    walkable: NDArray[np.bool_] = level.walkable & level.transparent
    terrain: NDArray[np.uint8] = level.terrain
    where: dungeon.Cell = level.entrance
    assert walkable[where] and terrain[where] == level.base[where]
    violations: list[dungeon.Violation] = dungeon.prove(level)
    metrics: dungeon.Metrics = dungeon.measure(level)
    first: dungeon.Spawn = level.spawns[0]
    said: Mapping[str, object] = first.keywords
    kind: dungeon.SpawnKind = first.like
    colour: dungeon.Colour = first.fg
    categories: list[dungeon.Category] = [placement.category for placement in level.placements]
    places: list[dungeon.Placement | dungeon.Region] = [*level.placements, *level.regions]
    ways: list[dungeon.Connection | dungeon.Exit | dungeon.Lock] = [
        *level.connections,
        *level.exits,
        *level.locks,
    ]
    doors: list[dungeon.Door] = list(level.doors)
    zones: list[dungeon.Zone | dungeon.Portal] = [*level.zones, *level.portals]
    journal: list[dungeon.Decision] = list(level.journal)
    kinds: dungeon.TerrainSet = level.terrain_set
    names: list[dungeon.TerrainKind] = list(kinds.kinds)
    print(violations, metrics.longest, said, kind, colour, categories, places, ways, doors, zones, journal, names)
    print(dungeon.from_json(dungeon.to_json(level)) == level, dungeon.to_text(level))
    drawn: dict[str, bytes] = dungeon.to_tiled(level) | dungeon.to_tiled(level, "drawn")
    same: dungeon.Level = dungeon.from_tiled(drawn["drawn.tmj"])
    print(same, dungeon.to_image(level))
    return dungeon.to_console(level, highlight="encounters")


def steps(world: dungeon.World, map_id: str) -> list[dungeon.Frame]:
    recording = dungeon.Recording(world.steps(map_id))
    cases: tuple[dungeon.Case, ...] = world.why(map_id)
    odds: dungeon.Odds = world.odds(map_id, realised=1)
    on_map: dungeon.MapOdds = odds.maps[0]
    found: dungeon.EncounterOdds = on_map.encounters[0]
    likely: dungeon.Estimate = found.drawn
    had: dungeon.Realised | None = found.realised
    as_variants: dict[str, dungeon.Compared] = {} if had is None else dict(had.variants)
    lost: tuple[dungeon.Cause, ...] = had.causes if had else ()
    print(cases[0].outcome, likely.value + likely.margin, lost)
    return [frame for frame in recording if frame.phase is dungeon.Phase.LAYOUT]


def author(folder: Path) -> None:
    examined: dungeon.Examination = dungeon.examine_content(folder)
    if examined.content is not None:
        sample: dungeon.Sample = dungeon.sample_prefab(examined.content, "depot", orientation=dungeon.Orientation.R0)
        print(dungeon.to_text(sample))
    layers: list[dungeon.XpLayer] = dungeon.read_xp(folder / "depot.xp")
    dungeon.write_xp(folder / "depot.xp", layers)
    mapped: dict[str, bytes] = dungeon.prefab_from_tiled(dungeon.export_prefab(folder, "depot", "tmj")["depot.tmj"])
    print(mapped, dungeon.content_schemas(), dungeon.export_prefab(folder, "depot", "xp"))


def shown(at: dungeon.Position, look: dungeon.Appearance, print_of: dungeon.Footprint) -> str:
    marks = (dungeon.Prop(), dungeon.Trap(armed=False), dungeon.Robot(), dungeon.Item(), dungeon.Debris())
    flags = (dungeon.Ambush("bell"), dungeon.Blocks(), dungeon.Opaque(), dungeon.OfLevel("m/1"), dungeon.DoorState(is_open=True))
    return f"{look.glyph} at {at.x}, {at.y}, {print_of.fgs}, {marks}, {flags}"


def info(component: dungeon.LevelInfo) -> dungeon.Level:
    return component.level


spots: Callable[..., object] = dungeon.register_placing
'''

WRONG = """
import dungeon

def door(door: dungeon.Door) -> list[object]:
    return []

def uses(level: dungeon.Level) -> None:
    dungeon.lode_content("data")
    dungeon.to_esper(level, factories={"robot": door})
    dungeon.to_esper(level, factories={"gate": door})
    level.seed = 3
    level.spawns[0].keywords["hp"] = 1
"""


def test_dir_is_the_public_api_and_nothing_else() -> None:
    assert dir(dungeon) == sorted(dungeon.__all__)
    assert len(set(dungeon.__all__)) == len(dungeon.__all__)
    assert all(hasattr(dungeon, name) for name in dungeon.__all__)
    with pytest.raises(AttributeError, match="module 'dungeon' has no attribute 'lode_content'"):
        dungeon.lode_content  # noqa: B018


def test_everything_comes_with_a_star() -> None:
    names: dict[str, object] = {}
    exec("from dungeon import *", names)
    assert set(names) - {"__builtins__"} == set(dungeon.__all__)


def test_components_and_types_are_at_the_top_level() -> None:
    types = {
        "Factory",
        "Factories",
        "SpawnKind",
        "Category",
        "Cell",
        "Rect",
        "Colour",
        "Connection",
        "Door",
        "Canvas",
        "LayoutJob",
    }
    assert types | set(COMPONENTS) <= set(dungeon.__all__)


def test_every_public_name_is_explained() -> None:
    aliases = {"Category", "Colour", "Factory", "SpawnKind"}  # their words stand below them
    unexplained = [
        name
        for name in dungeon.__all__
        if name not in aliases
        and not (getattr(dungeon, name).__doc__ or "").strip().split("\n")[0].endswith(".")
    ]
    assert unexplained == []


def test_importing_imports_nothing_that_takes_time() -> None:
    heavy = "{'numpy', 'tcod', 'esper', 'yaml', 'pydantic'} & set(sys.modules)"
    program = f"import dungeon, sys; dir(dungeon); found = {heavy}; sys.exit(','.join(found) or 0)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_type_checkers_are_told_is_what_there_is() -> None:
    tree = ast.parse((ROOT / "dungeon" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    told = {alias.asname: (node.module, alias.name) for node in imports for alias in node.names}
    assert told.keys() == set(dungeon.__all__)
    for name, (home, original) in told.items():
        assert home is not None
        assert getattr(dungeon, name) is getattr(import_module(home), original)


def checked(program: str, folder: Path) -> str:
    """Return what a strict type checker says of a program beside which there is nothing but the installed library."""
    pytest.importorskip("mypy")
    file = folder / "game.py"
    file.write_text(program, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir",
        str(ROOT / ".mypy_cache" / "game"),
    ]
    done = subprocess.run([*command, str(file)], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_game_that_uses_everything_passes_a_strict_type_checker(tmp_path: Path) -> None:
    used = {node.attr for node in ast.walk(ast.parse(PROGRAM)) if isinstance(node, ast.Attribute)}
    assert set(dungeon.__all__) - used == set()
    assert checked(PROGRAM, tmp_path) == "Success: no issues found in 1 source file\n"


def test_a_type_checker_finds_what_is_wrong_in_a_game(tmp_path: Path) -> None:
    found = checked(WRONG, tmp_path)
    for line, message in [
        (8, 'Module has no attribute "lode_content"'),
        (9, "incompatible type"),
        (10, "incompatible type"),
        (11, 'Property "seed" defined in "Level" is read-only'),
        (12, "Unsupported target for indexed assignment"),
    ]:
        assert any(
            each.startswith(f"game.py:{line}: error:") and message in each for each in found.splitlines()
        ), found
