"""Prefabs and encounters for tcod roguelikes: maps that grow around what you draw.

    import dungeon

    content = dungeon.load_content("data")
    level = dungeon.World(content, seed=7).level("foundry/3")
    console = dungeon.to_console(level)

Names are imported when they are first used, so that `import dungeon` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dungeon.core.collector import collector_paused

if TYPE_CHECKING:
    from dungeon.adapters.console import to_console, to_image
    from dungeon.adapters.entities.components import (
        Ambush,
        Appearance,
        Blocks,
        Debris,
        DoorState,
        Factories,
        Factory,
        Follows,
        Footprint,
        HeldBy,
        Inventory,
        Item,
        Leader,
        LeadsTo,
        LevelInfo,
        LightSource,
        Locked,
        OfLevel,
        Opaque,
        Patrol,
        PortalEnd,
        Position,
        Prop,
        Robot,
        Tag,
        TakesTo,
        Trap,
        components_of,
    )
    from dungeon.adapters.entities.esper_world import remove_from_esper, to_esper
    from dungeon.adapters.entities.tcod_ecs import remove_from_tcod_ecs, to_tcod_ecs
    from dungeon.adapters.json import from_json, to_json
    from dungeon.adapters.recording import Frame, Recording
    from dungeon.adapters.text import to_text
    from dungeon.adapters.tiled import from_tiled, to_tiled
    from dungeon.adapters.tiles import tiles, xy
    from dungeon.authoring.examination import Examination
    from dungeon.authoring.reading import (
        cache_folder,
        content_schemas,
        examine_content,
        export_prefab,
        load_content,
        prefab_from_tiled,
        sample_prefab,
    )
    from dungeon.content.drawing.rexpaint import XpLayer, read_xp, write_xp
    from dungeon.content.library import Change, Content
    from dungeon.core.errors import ContentError, GenerationError, Problem, Source
    from dungeon.core.vocabulary import Category, SpawnKind
    from dungeon.generation.atlas import MapNode
    from dungeon.generation.encounters.case import Case
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.generation.odds.odds import Cause, Compared, EncounterOdds, Estimate, MapOdds, Odds, Realised
    from dungeon.generation.populate.sample import Sample
    from dungeon.generation.registering import register_layout, register_placing
    from dungeon.grid.rect import Cell, Rect
    from dungeon.grid.symmetry import Orientation
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Decision
    from dungeon.level.model import (
        Connection,
        Door,
        Exit,
        Level,
        Light,
        Lock,
        Placement,
        Portal,
        Region,
        Spawn,
        Zone,
    )
    from dungeon.level.steps import Phase, Step
    from dungeon.metrics import Metrics, measure
    from dungeon.proof.prove import Violation, prove
    from dungeon.terrain import Colour, TerrainKind, TerrainSet
    from dungeon.world import World

_HOMES = {
    "dungeon.adapters.entities.components": [
        "Ambush",
        "Appearance",
        "Blocks",
        "Debris",
        "DoorState",
        "Factories",
        "Factory",
        "Follows",
        "Footprint",
        "HeldBy",
        "Inventory",
        "Item",
        "Leader",
        "LeadsTo",
        "LevelInfo",
        "LightSource",
        "Locked",
        "OfLevel",
        "Opaque",
        "Patrol",
        "PortalEnd",
        "Position",
        "Prop",
        "Robot",
        "Tag",
        "TakesTo",
        "Trap",
        "components_of",
    ],
    "dungeon.adapters.console": ["to_console", "to_image"],
    "dungeon.adapters.entities.esper_world": ["remove_from_esper", "to_esper"],
    "dungeon.adapters.entities.tcod_ecs": ["remove_from_tcod_ecs", "to_tcod_ecs"],
    "dungeon.adapters.json": ["from_json", "to_json"],
    "dungeon.adapters.recording": ["Frame", "Recording"],
    "dungeon.adapters.text": ["to_text"],
    "dungeon.adapters.tiled": ["from_tiled", "to_tiled"],
    "dungeon.adapters.tiles": ["tiles", "xy"],
    "dungeon.authoring.examination": ["Examination"],
    "dungeon.content.library": ["Change", "Content"],
    "dungeon.content.drawing.rexpaint": ["XpLayer", "read_xp", "write_xp"],
    "dungeon.generation.encounters.case": ["Case"],
    "dungeon.core.errors": ["ContentError", "GenerationError", "Problem", "Source"],
    "dungeon.grid.rect": ["Cell", "Rect"],
    "dungeon.grid.symmetry": ["Orientation"],
    "dungeon.generation.layouts.job": ["LayoutJob"],
    "dungeon.generation.odds.odds": [
        "Cause",
        "Compared",
        "EncounterOdds",
        "Estimate",
        "MapOdds",
        "Odds",
        "Realised",
    ],
    "dungeon.level.canvas": ["Canvas"],
    "dungeon.level.journal": ["Decision"],
    "dungeon.metrics": ["Metrics", "measure"],
    "dungeon.level.model": [
        "Connection",
        "Door",
        "Exit",
        "Level",
        "Light",
        "Lock",
        "Placement",
        "Portal",
        "Region",
        "Spawn",
        "Zone",
    ],
    "dungeon.proof.prove": ["Violation", "prove"],
    "dungeon.level.steps": ["Phase", "Step"],
    "dungeon.generation.registering": ["register_layout", "register_placing"],
    "dungeon.core.vocabulary": ["Category", "SpawnKind"],
    "dungeon.generation.populate.sample": ["Sample"],
    "dungeon.authoring.reading": [
        "cache_folder",
        "content_schemas",
        "examine_content",
        "export_prefab",
        "load_content",
        "prefab_from_tiled",
        "sample_prefab",
    ],
    "dungeon.terrain": ["Colour", "TerrainKind", "TerrainSet"],
    "dungeon.generation.atlas": ["MapNode"],
    "dungeon.world": ["World"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Ambush",
    "Appearance",
    "Blocks",
    "Canvas",
    "Case",
    "Category",
    "Cause",
    "Cell",
    "Change",
    "Colour",
    "Compared",
    "Connection",
    "Content",
    "ContentError",
    "Debris",
    "Decision",
    "Door",
    "DoorState",
    "EncounterOdds",
    "Estimate",
    "Examination",
    "Exit",
    "Factories",
    "Factory",
    "Follows",
    "Footprint",
    "Frame",
    "GenerationError",
    "HeldBy",
    "Inventory",
    "Item",
    "LayoutJob",
    "Leader",
    "LeadsTo",
    "Level",
    "LevelInfo",
    "Light",
    "LightSource",
    "Lock",
    "Locked",
    "MapNode",
    "MapOdds",
    "Metrics",
    "Odds",
    "OfLevel",
    "Opaque",
    "Orientation",
    "Patrol",
    "Phase",
    "Placement",
    "Portal",
    "PortalEnd",
    "Position",
    "Problem",
    "Prop",
    "Realised",
    "Recording",
    "Rect",
    "Region",
    "Robot",
    "Sample",
    "Source",
    "Spawn",
    "SpawnKind",
    "Step",
    "Tag",
    "TakesTo",
    "TerrainKind",
    "TerrainSet",
    "Trap",
    "Violation",
    "World",
    "XpLayer",
    "Zone",
    "cache_folder",
    "components_of",
    "content_schemas",
    "examine_content",
    "export_prefab",
    "from_json",
    "from_tiled",
    "load_content",
    "measure",
    "prefab_from_tiled",
    "prove",
    "read_xp",
    "register_layout",
    "register_placing",
    "remove_from_esper",
    "remove_from_tcod_ecs",
    "sample_prefab",
    "tiles",
    "to_console",
    "to_esper",
    "to_image",
    "to_json",
    "to_tcod_ecs",
    "to_text",
    "to_tiled",
    "write_xp",
    "xy",
]


if not TYPE_CHECKING:  # which would take any name for one that there is

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module 'dungeon' has no attribute {name!r}")
        with collector_paused():
            value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
