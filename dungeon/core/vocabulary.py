"""Words that content files and levels share, such as kinds of objects and regions. It imports nothing, so it is cheap to use."""

from __future__ import annotations

from typing import Literal, get_args

SpawnKind = Literal["prop", "trap", "robot", "item", "debris"]
"""The built-in kind of an object, which decides how it is placed."""

SPAWN_KINDS: tuple[SpawnKind, ...] = get_args(SpawnKind)

OTHER_ENTITIES = ("door", "portal", "exit", "light", "marker", "level")
"""The other things of a level that become entities. No kind of objects may have one of these names."""

UNDERFOOT: tuple[SpawnKind, ...] = ("trap", "item")
"""The kinds that must lie on walkable terrain, as the player gets them by stepping there. Others may stand in water."""

LYING: tuple[SpawnKind, ...] = ("item", "debris")
"""The kinds of which several may be drawn in one cell, also on a prop that blocks. Of other kinds a cell has one object at most."""

RegionKind = Literal["room", "corridor", "junction", "hall", "cave", "zone", "prefab"]
"""The built-in kinds of region. Layouts of plugins may make others."""

REGION_KINDS: tuple[RegionKind, ...] = get_args(RegionKind)

SPACES: tuple[RegionKind, ...] = ("room", "cave", "zone", "prefab")
"""The kinds of region that count as places; the others are only ways between places."""

Category = str
"""The category of an encounter: one of `CATEGORIES`, or a word that the content declares."""

CATEGORIES: tuple[Category, ...] = ("fluff", "risk", "danger", "reward")
"""The built-in categories: atmosphere, a gamble, a fight, a find."""

Stake = Literal["threat", "worth"]
"""A number of an object that the budgets of maps count: its danger, or its value."""

STAKES: tuple[Stake, ...] = get_args(Stake)

ARRIVAL, EXITS = "entrance", "exits"
LANDMARKS = (ARRIVAL, EXITS)
"""Built-in words for `far_from` and `near`: the entrance, and the exits."""

Highlight = Literal["encounters", "features", "flow", "regions", "spawns", "zones"]
"""A kind of thing that a drawing of a level can tint: see `dungeon.adapters.highlights`."""

HIGHLIGHTS: tuple[Highlight, ...] = get_args(Highlight)

DEEPEST = 1000
"""Maximum depth of a map; the minimum is 0."""
