"""A level in numbers, for authors: how open it is, how far its ways are, where they meet and where they don't.

Ways are those of a walker who can open every door, in steps to the four sides and by portals that lead both ways; what
stands on the level is not asked, and what can't be reached from the entrance is left out. The *graph* of a level has its
regions as nodes, and its doors; where two of them touch, or such a portal joins them, there is an edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.core.short_repr import short_repr
from dungeon.core.wanted import A_LEVEL, check_type
from dungeon.level.model import Level

if TYPE_CHECKING:
    from dungeon.grid.paths.narrows import Narrow
    from dungeon.level.proof.solution import SolvedKey, SolvedLock


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Metrics:
    """The measurements of one level.

    Attributes:
        open: The share of the map's cells that are open, 0 to 1: doors, water and what is cut off included.
        walkable: How many cells can be walked to from the entrance.
        regions: How many regions there are of each kind, in order of the kinds' names.
        rooms: How many of them are places to be: rooms, caves, zones, prefabs; not corridors, junctions and halls.
        dead_ends: How many passages end in nothing; of any width up to nine cells, as long as wide.
        dead_end_rooms: How many places have one way in.
        loops: How many rounds through different regions there are, independent of each other: the cycles that the
            graph has more than a tree. A round within one region, around a pillar, is none.
        islands: How many solid pieces can be walked round, pillars included.
        routes: How many ways lead from the entrance to an exit that share no door nor other place where regions
            touch, for the exit with the fewest; None without an exit in another region.
        exits: The steps from the entrance to each exit, in the order of `Level.exits`.
        longest: The steps of the longest of all shortest ways between two cells. It is exact where it equals
            `longest_bound`, which it never exceeds; very large maps may leave a few steps between the two.
        chokes: The passages one cell wide without a way round whose loss would cut off at least `choke_size` cells
            from as many others.
        choke_size: See `chokes`.
        linearity: How much the places lie one behind the other: how many of them are passed on the longest of the
            shortest ways between two of them, both included, as a share of all. 1 for a string of them, near 0 for
            rooms along one corridor. None without a place. Where there are loops it may be a little too low, for only
            the way from the place that is farthest from the entrance is measured.
        areas: Into how many parts the ground falls while all that is locked is closed.
        locks: What is locked, doors first, each with the round in which it is opened and how far off its key lies.
        rounds: How many rounds it takes to open all, if in each all is opened that can be.
        keys: What opens the locks, each with the round after which it is in reach.
    """

    open: float
    walkable: int
    regions: tuple[tuple[str, int], ...]
    rooms: int
    dead_ends: int
    dead_end_rooms: int
    loops: int
    islands: int
    routes: int | None
    exits: tuple[int, ...]
    longest: int
    longest_bound: int
    chokes: tuple[Narrow, ...]
    choke_size: int
    linearity: float | None
    areas: int = 1
    locks: tuple[SolvedLock, ...] = ()
    rounds: int = 0
    keys: tuple[SolvedKey, ...] = ()

    __repr__ = short_repr


def measure(level: Level) -> Metrics:
    """Measure a level.

    Raises:
        ValueError: Its entrance is not on a cell that can be walked on.
    """
    check_type(level, Level, "measure", A_LEVEL)
    from dungeon.level.measuring import measurements_of  # noqa: PLC0415 - few programs measure

    return Metrics(**measurements_of(level))
