"""Every rule of the proof, and how they are run."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dungeon.level.proof.fields import Fields, field_value
from dungeon.level.proof.rules import (
    budgets,
    company,
    contents,
    ground,
    locks,
    origin,
    portals,
    regions,
    spacing,
    walking,
    zones,
)
from dungeon.level.proof.rules.origin import Origin
from dungeon.level.proof.survey import Survey
from dungeon.level.proof.violation import MOST, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dungeon.level.model import Level
    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.rules.origin import World

FIELD_RULES: tuple[Callable[[Fields], Iterator[Finding]], ...] = (field_value,)
"""Without this nothing can be read."""

ARRAY_RULES: tuple[Callable[[Level], Iterator[Finding]], ...] = (
    ground.array_shape,
    ground.array_type,
    ground.map_size,
)
"""Without these nothing else can be looked at."""

RULES: tuple[Callable[[Survey], Iterator[Finding]], ...] = (
    ground.terrain_unknown,
    ground.border_open,
    ground.earth_bare,
    ground.level_id,
    ground.level_depth,
    ground.entrance_place,
    ground.entrance_on_exit,
    ground.exit_place,
    ground.exit_terrain,
    ground.exit_twice,
    ground.exit_target,
    ground.stairs_nowhere,
    ground.stairs_blocked,
    walking.unreachable,
    walking.walk_pocket,
    walking.walk_exit,
    walking.walk_region,
    walking.walk_item,
    walking.walk_loadout,
    locks.lock_place,
    locks.lock_twice,
    locks.lock_key,
    locks.lock_shut,
    locks.lock_order,
    portals.portal_place,
    portals.portal_twice,
    portals.portal_return,
    zones.zone_order,
    zones.zone_parent,
    zones.zone_regions,
    zones.zone_gates,
    regions.region_order,
    regions.region_unknown,
    regions.region_bounds,
    regions.region_solid,
    regions.region_sealed,
    regions.region_connections,
    regions.connection_terrain,
    regions.connection_twice,
    regions.connection_walls,
    regions.connection_between,
    regions.door_list,
    regions.door_unknown,
    regions.door_drawn,
    contents.spawn_kind,
    contents.spawn_outside,
    contents.spawn_solid,
    contents.spawn_cells,
    contents.spawn_glyphs,
    contents.spawn_shared,
    contents.spawn_buried,
    contents.spawn_placement,
    company.group_leader,
    company.group_near,
    company.patrol_walk,
    company.spawn_loadout,
    contents.placement_bounds,
    contents.placement_overlap,
    contents.placement_copies,
    contents.placement_limit,
    contents.placement_group,
    contents.placement_category,
    contents.placement_region,
    contents.placement_orientation,
    contents.light_outside,
    contents.light_radius,
)
"""Every rule about a level in itself; a rule's name is its function's, with hyphens."""

WORLD_RULES: tuple[Callable[[Origin], Iterator[Finding]], ...] = (
    origin.world_map,
    origin.world_seed,
    origin.world_name,
    origin.world_exits,
    origin.world_entrance,
    origin.world_size,
    origin.world_terrain,
    origin.world_zone,
    origin.world_lock,
    origin.world_theme,
    origin.world_ground,
    origin.world_encounter,
    spacing.world_spacing,
    budgets.world_mix,
    budgets.world_budget,
    origin.world_prefab,
    origin.world_spawn,
    origin.world_light,
    origin.world_sight,
)
"""Every rule about a level as one of its world."""


def violations(level: Level, world: World | None) -> list[Violation]:
    """Return what `prove` returns."""
    fields = Fields(level)
    broken = [violation for rule in FIELD_RULES for violation in _broken(rule.__name__, rule(fields))]
    broken = broken or [
        violation for rule in ARRAY_RULES for violation in _broken(rule.__name__, rule(level))
    ]
    if broken:
        return broken
    survey = Survey(fields)
    found = [violation for rule in RULES for violation in _broken(rule.__name__, rule(survey))]
    if world is not None:
        of_world = Origin(level, world)
        found += [violation for rule in WORLD_RULES for violation in _broken(rule.__name__, rule(of_world))]
    return found


def _broken(name: str, findings: Iterator[Finding]) -> Sequence[Violation]:
    first = next(findings, None)
    if first is None:
        return ()
    found = [
        Violation(rule=name.replace("_", "-"), message=message, y=y, x=x)
        for message, y, x in (first, *islice(findings, MOST - 1))
    ]
    if len(found) == MOST:
        more = sum(1 for _ in findings)
        if more:
            found.append(Violation(rule=found[0].rule, message=f"and {more} more"))
    return found
