"""What a bot thinks of robots: what a fight would cost, and where it is farther from them."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from dungeon.playtest.bots.chart import steps_between
from dungeon.playtest.game import STEPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.playtest.bots.chart import Cell, Chart
    from dungeon.playtest.game import Thing


def expected_loss(power: int, foes: Sequence[Thing]) -> float:
    """Return the hit points that a fight with robots is expected to cost, one after the other, all of them striking.

    A blow of power p does (p + 1) / 2 on the average.

    Args:
        power: The most damage of the player's blows.
        foes: The robots.
    """
    loss, strength = 0.0, sum((foe.power + 1) / 2 for foe in foes)
    for foe in sorted(foes, key=lambda each: each.hp):
        loss += ceil(foe.hp / ((power + 1) / 2)) * strength
        strength -= (foe.power + 1) / 2
    return loss


def farther_from(foes: Sequence[Cell], here: Cell, chart: Chart) -> Cell | None:
    """Return a cell beside this one that is farther from the nearest of the robots; None if none is."""

    def distance(cell: Cell) -> int:
        """Return the steps to the nearest robot, and then to the next ones."""
        return min(steps_between(cell, foe) for foe in foes)

    near = [(here[0] + dy, here[1] + dx) for dy, dx in STEPS]
    open_ = [cell for cell in near if chart.passable & chart.bit(cell) and cell not in foes]
    best = max(open_, key=distance, default=here)
    return best if distance(best) > distance(here) else None
