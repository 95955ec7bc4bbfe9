"""Proof that a level is playable and what it claims to be.

Written without any of the code that makes levels, and without its masks and floods, so that a mistake there
cannot hide here. `prove` reads nothing but the finished level, and what its world says of it where that is given.
`docs/proof.md` lists what a level without violations is promised to be.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING

from dungeon.core.wanted import A_LEVEL, check_type
from dungeon.level.model import Level
from dungeon.level.proof.violation import MOST, Violation

if TYPE_CHECKING:
    from dungeon.level.proof.rules.origin import World

__all__ = ["MOST", "Violation", "prove"]


def prove(level: Level, world: World | None = None) -> list[Violation]:
    """Return everything that is wrong with the level: an empty list for a level that holds what it promises.

    A rule that is broken more than `MOST` times lists the first and then says how many more there are.
    If fields hold what they cannot, or the arrays themselves are broken, only that is reported. Nothing in a
    level is so wrong that this raises an error.

    Args:
        level: The level.
        world: The world that it is of, a `dungeon.World`: then it is compared with that as well. It is not made again.

    Raises:
        TypeError: That is no level, or no world.
    """
    check_type(level, Level, "prove", A_LEVEL)
    from dungeon.level.proof import rules  # noqa: PLC0415 - none of them is needed before there is a level

    check_type(world, (rules.origin.World, NoneType), "prove", "a world, or None, beside the level")
    return rules.violations(level, world)
