"""A level in numbers, for authors: how open it is, how far its ways are, where they meet and where they don't.

Ways are those of a walker who can open every door, in steps to the four sides and by portals that lead both ways; what
stands on the level is not asked, and what can't be reached from the entrance is left out. The *graph* of a level has its
regions as nodes, and its doors; where two of them touch, or such a portal joins them, there is an edge.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import A_LEVEL, check_type
from dungeon.core.frozen import short_repr
from dungeon.core.vocabulary import SPACES
from dungeon.grid.diameter import Sweeps
from dungeon.grid.narrows import dead_ends, narrows
from dungeon.grid.regions import Parts
from dungeon.grid.routes import disjoint_routes, fewest_counted
from dungeon.level.flow import RegionGraph
from dungeon.level.model import Level
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.grid.narrows import Narrow
    from dungeon.proof.solution import SolvedKey, SolvedLock


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
    return Metrics(**measurements_of(level))


CHOKE_SHARE = 0.05
"""What a choke point cuts off is at least this share of the cells that can be walked to."""


def measurements_of(level: Level, *, all_of_them: bool = True) -> dict[str, Any]:
    """Return the measurements of a level by the names that `Metrics` has for them.

    Args:
        level: The level.
        all_of_them: Whether to find the longest way and the choke points, which take about as long as all others together.

    Raises:
        ValueError: Its entrance is not on a cell that can be walked on.
    """
    walked = _walked(level)
    graph = _Graph(level, walked)
    sweeps = Sweeps(walked, level.leaps)
    sweeps.sweep_from(level.entrance)
    kinds = Counter(region.kind for region in level.regions)
    return {
        "open": float((level.base > t.BLOCKED).mean()),
        "walkable": int(walked.sum()),
        "regions": tuple(sorted(kinds.items())),
        "rooms": sum(kinds[kind] for kind in SPACES),
        "dead_ends": len(dead_ends(walked, graph.is_passage)),
        "dead_end_rooms": graph.dead_ends(),
        "loops": graph.loops(),
        "islands": _islands(walked),
        "routes": graph.routes(),
        "exits": tuple(sweeps.steps_to((way.y, way.x)) for way in level.exits if walked[way.y, way.x]),
        "linearity": graph.linearity(),
        **_locks(level),
        **(_costly(walked, sweeps) if all_of_them else {}),
    }


def _costly(walked: NDArray[np.bool_], sweeps: Sweeps) -> dict[str, Any]:
    """Return the measurements that take a while."""
    longest = sweeps.diameter()
    choke_size = max(1, round(int(walked.sum()) * CHOKE_SHARE))
    return {
        "longest": longest.low,
        "longest_bound": longest.high,
        "chokes": tuple(_chokes(walked, choke_size)),
        "choke_size": choke_size,
    }


def _locks(level: Level) -> dict[str, Any]:
    """Return the measurements that have to do with locks; none where there are none."""
    if not level.locks:
        return {}
    solution = solution_of(level)
    return {
        "areas": len(solution.areas),
        "locks": solution.locks,
        "rounds": solution.rounds,
        "keys": solution.keys,
    }


def _chokes(walked: NDArray[np.bool_], least: int) -> list[Narrow]:
    """Return the choke points of each part of the ground by itself: no portal leads around them."""
    parts = Parts(walked)
    return sorted(
        found for number in range(1, parts.count + 1) for found in narrows(parts.mask(number), least)
    )


def _walked(level: Level) -> NDArray[np.bool_]:
    """Return the cells that can be walked to from the entrance."""
    passable = level.terrain_set.passable[level.terrain]
    entrance = level.entrance
    if not (0 <= entrance.y < level.height and 0 <= entrance.x < level.width and passable[entrance]):
        raise ValueError(f"the entrance at y {entrance.y}, x {entrance.x} can't be walked on")
    parts = Parts(passable, level.leaps)
    return parts.mask(parts.at(*entrance))


class _Graph(RegionGraph):
    """The graph of a level.

    Attributes:
        places: The nodes that are places to be.
        is_passage: (height, width) bool: the cells that lie in no place to be.
    """

    def __init__(self, level: Level, walked: NDArray[np.bool_]) -> None:
        super().__init__(walked, level.region, level.leaps)
        self.level = level
        places = np.zeros(self.first_door, np.bool_)
        # A region without a cell has no number among the nodes.
        places[[each.id for each in level.regions if each.kind in SPACES and each.id < self.first_door]] = (
            True
        )
        self.is_passage = walked & ~places[level.region]
        self.places = frozenset(node for node in self.nodes if node < self.first_door and places[node])

    def dead_ends(self) -> int:
        """Return how many places have a single edge."""
        return sum(len(self.beside.get(place, ())) == 1 for place in self.places)

    def routes(self) -> int | None:
        """Return how many disjoint routes lead to the exit with the fewest."""
        start = int(self.labels[self.level.entrance])
        goals = dict.fromkeys(int(self.labels[way.y, way.x]) for way in self.level.exits)
        return min(
            (disjoint_routes(self.edges, start, goal) for goal in goals if goal not in (0, start)),
            default=None,
        )

    def linearity(self) -> float | None:
        """Return the share of the places that lie along the longest of the shortest ways between two of them.

        Two searches, to the place that is farthest from the entrance and from there: exact in trees.
        """
        if not self.places:
            return None
        end = int(self.labels[self.level.entrance])
        for _ in range(2):
            passed = fewest_counted(self.beside, end, self.places)
            end = max(sorted(self.places), key=passed.__getitem__)
        return passed[end] / len(self.places)


def _islands(walked: NDArray[np.bool_]) -> int:
    """Return how many solid pieces lie within a mask, by Euler's formula for its graph of cells.

    Cells - steps + squares of four = parts - holes.
    """
    right, down = walked[:, 1:] & walked[:, :-1], walked[1:] & walked[:-1]
    squares = right[1:] & right[:-1]
    counts = [np.count_nonzero(each) for each in (walked, right, down, squares)]
    return int(Parts(walked).count - counts[0] + counts[1] + counts[2] - counts[3])
