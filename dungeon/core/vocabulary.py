"""The lists of words that content files and levels share, and how deep both may go."""

from __future__ import annotations

from typing import Literal, get_args

SpawnKind = Literal["prop", "trap", "robot", "item", "debris"]
"""What an object is, as far as generation cares."""

SPAWN_KINDS: tuple[SpawnKind, ...] = get_args(SpawnKind)

OTHER_ENTITIES = ("door", "portal", "exit", "light", "level")
"""What of a level becomes entities besides objects; no kind of these is called so."""

UNDERFOOT: tuple[SpawnKind, ...] = ("trap", "item")
"""What is nothing to anybody unless one can walk where it lies; everything else may as well stand in water."""

RegionKind = Literal["room", "corridor", "junction", "hall", "cave", "zone", "prefab"]
"""The kinds of region that there are; a layout of one's own may have others."""

REGION_KINDS: tuple[RegionKind, ...] = get_args(RegionKind)

SPACES: tuple[RegionKind, ...] = ("room", "cave", "zone", "prefab")
"""The kinds of region that are places to be; the others are only ways between them."""

Category = str
"""What an encounter means to the player: one of `CATEGORIES`, or a word of the author's."""

CATEGORIES: tuple[Category, ...] = ("fluff", "risk", "danger", "reward")
"""Those that all content has: atmosphere, a gamble, a fight, a find."""

Stake = Literal["threat", "worth"]
"""What objects may have some of, and budgets of maps count: danger, and what there is to be had."""

STAKES: tuple[Stake, ...] = get_args(Stake)

ARRIVAL, EXITS = "entrance", "exits"
LANDMARKS = (ARRIVAL, EXITS)
"""What features and encounters may be far from, or near to, that has no name of an author's."""

Highlight = Literal["encounters", "features", "flow", "regions", "spawns", "zones"]
"""What a drawing of a level can tint: see `dungeon.adapters.highlights`."""

HIGHLIGHTS: tuple[Highlight, ...] = get_args(Highlight)

DEEPEST = 1000
"""How deep a map may lie, from 0 on."""
