"""`prove`: everything that is wrong with a level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.errors import A_LEVEL, check_type
from dungeon.level.model import Level
from dungeon.proof.check import UNREADABLE, Violation, broken, rules_in, violations_of

if TYPE_CHECKING:
    from dungeon.world import World

__all__ = ["Violation", "prove"]


def prove(level: Level, world: World | None = None) -> list[Violation]:
    """Return everything that is wrong with the level: an empty list for a level that holds what it promises.

    A rule that is broken more than `MOST` times lists the first and then says how many more there are.
    If fields hold what they cannot, or the arrays themselves are broken, only that is reported. Nothing in a
    level is so wrong that this raises an error.

    Args:
        level: The level.
        world: The world that it is of: then it is compared with that as well. It is not made again.

    Raises:
        TypeError: That is no level, or no world.
    """
    check_type(level, Level, "prove", A_LEVEL)
    if world is None:
        return violations_of(level)
    from dungeon.proof import spacing_rules, world_rules  # noqa: PLC0415 - most levels are proved without a world
    from dungeon.world import World  # noqa: PLC0415 - a caller that has a world has imported it

    check_type(world, World, "prove", "a world, or None, beside the level")
    found = violations_of(level)
    if found and found[0].rule in UNREADABLE:
        return found
    return found + broken(rules_in(world_rules, spacing_rules), world_rules.LevelOrigin(level, world))
