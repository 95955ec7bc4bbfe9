"""The public function `prove`, which checks a finished level against all rules and returns the violations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.errors import A_LEVEL, check_type
from dungeon.level.model import Level
from dungeon.proof.check import UNREADABLE, Violation, rules_in, run_rules, violations_of

if TYPE_CHECKING:
    from dungeon.world import World

__all__ = ["Violation", "prove"]


def prove(level: Level, world: World | None = None) -> list[Violation]:
    """Return all violations of a level; an empty list if the level keeps all rules.

    Of a rule that is broken more than 20 times, the first 20 violations are listed and the rest is counted. If fields have
    wrong types, or the arrays wrong shapes, only that is reported. Whatever a level holds, checking it raises no error.

    Args:
        level: The level.
        world: The world that the level belongs to; the level is then compared with it as well. The level is not generated again.

    Raises:
        TypeError: `level` is no Level, or `world` is neither a World nor None.

    Example:
        >>> dungeon.prove(level, world)
        []
    """
    check_type(level, Level, "prove", A_LEVEL)
    if world is None:
        return violations_of(level)
    from dungeon.proof import (  # noqa: PLC0415 - most levels are proved without a world
        key_rules,
        spacing_rules,
        tower_rules,
        world_rules,
    )
    from dungeon.world import World  # noqa: PLC0415 - a caller that has a world has imported it

    check_type(world, World, "prove", "a world, or None, beside the level")
    found = violations_of(level)
    if found and found[0].rule in UNREADABLE:
        return found
    rules = rules_in(world_rules, tower_rules, key_rules, spacing_rules)
    return found + run_rules(rules, world_rules.LevelOrigin(level, world))
