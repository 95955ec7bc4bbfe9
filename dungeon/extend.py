"""All that plugins need: layouts, placing modes, and what these are given. `docs/extend.md` shows how they are written.

A plugin is a module that calls `register_layout` or `register_placing` when it is imported. Nothing in this library that is
not named here, or in `dungeon`, is meant for plugins.
"""

import dungeon.generation.built_in  # noqa: F401  # so that a plugin which takes one of its names is the one to be told
from dungeon import terrain
from dungeon.content.prefab.drawing import Drawing
from dungeon.content.values.fields import PrefabOrTag, TerrainName, TerrainValue, ThemeName
from dungeon.content.values.grammar import Between, Choice, Constant, Sometimes, Value, roll
from dungeon.content.values.value_fields import (
    FlagValue,
    FreeValue,
    IntValue,
    NumberValue,
    Probability,
    ShareValue,
    WordValue,
    one_of,
    within,
)
from dungeon.core.errors import CrampedError, GenerationError, HopelessError, PluginError, PluginWarning
from dungeon.core.parameters import Parameters
from dungeon.core.plugins import forgotten_afterwards, import_named, import_plugin
from dungeon.core.registry import (
    ANY_ACCESS,
    CAVES,
    ROOMS,
    Annex,
    Objection,
    Shape,
    Size,
)
from dungeon.core.streams import MersenneStream, Stream, Streams
from dungeon.generation.layouts.job import LayoutJob
from dungeon.generation.placing.ground import Ground
from dungeon.generation.placing.sites import Site, Sites
from dungeon.generation.registering import (
    LayoutOptions,
    PlacingOptions,
    Rules,
    register_layout,
    register_placing,
)
from dungeon.grid.bits import Board, shifted
from dungeon.grid.rect import Cell, Rect
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal
from dungeon.level.model import Connection, Portal, Region
from dungeon.level.mouth import Mouth
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import Territory
from dungeon.terrain import TerrainKind, TerrainSet

__all__ = [
    "ANY_ACCESS",
    "CAVES",
    "ROOMS",
    "Annex",
    "Between",
    "Board",
    "Canvas",
    "Cell",
    "Choice",
    "Connection",
    "Constant",
    "CrampedError",
    "Drawing",
    "FlagValue",
    "FreeValue",
    "GenerationError",
    "Ground",
    "HopelessError",
    "IntValue",
    "Journal",
    "LayoutJob",
    "LayoutOptions",
    "MersenneStream",
    "Mouth",
    "NumberValue",
    "Objection",
    "Parameters",
    "Phase",
    "PlacingOptions",
    "PluginError",
    "PluginWarning",
    "Portal",
    "PrefabOrTag",
    "Probability",
    "Rect",
    "Region",
    "Rules",
    "Shape",
    "ShareValue",
    "Site",
    "Sites",
    "Size",
    "Sometimes",
    "Step",
    "Stream",
    "Streams",
    "TerrainKind",
    "TerrainName",
    "TerrainSet",
    "TerrainValue",
    "Territory",
    "ThemeName",
    "Value",
    "WordValue",
    "forgotten_afterwards",
    "import_named",
    "import_plugin",
    "one_of",
    "register_layout",
    "register_placing",
    "roll",
    "shifted",
    "terrain",
    "within",
]
