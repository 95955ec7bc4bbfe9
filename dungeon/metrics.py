"""Measurements of a level for authors: how open it is, how long its paths are, its loops, dead ends, choke points and locks.

Distances are 4-neighbour steps of a walker that opens every door and uses two-way portals. Objects on the level are ignored, and
so are cells that can't be reached from the entrance. The *graph* of a level has regions and doors as nodes; nodes that touch, or
are joined by a two-way portal, have an edge. *Places* are rooms, caves, zones and prefabs, as opposed to passages.
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
        open: Share of the map's cells that are not solid, 0 to 1; doors, water and unreachable cells included.
        walkable: Number of cells that can be reached from the entrance.
        regions: Pairs (kind, number of regions), sorted by kind.
        rooms: Number of places: regions that are rooms, caves, zones or prefabs, not corridors, junctions or halls.
        dead_ends: Number of passages that end blindly, up to nine cells wide and at least as long as wide.
        dead_end_rooms: Number of places with a single way in.
        loops: Number of independent cycles of the graph (its edges beyond a spanning tree). Walking around a pillar
            within one region does not count.
        islands: Number of solid pieces that can be walked around, pillars included.
        routes: Number of routes from the entrance to an exit that share no door and no other border of regions. With several
            exits, it is the number for the exit with the fewest; None if every exit is in the entrance's region.
        exits: Steps from the entrance to each exit, in the order of `Level.exits`.
        longest: Length of the longest shortest path between two cells, in steps. Exact if it equals `longest_bound`,
            which is an upper bound; on very large maps they may differ by a few steps.
        chokes: Passages one cell wide whose removal would split the map into two parts of at least `choke_size` cells each.
        choke_size: Minimum number of cells that a choke point cuts off.
        linearity: Share of the places (rooms, caves, zones and prefabs) that lie on the longest shortest path between two places,
            its first and last place included. 1 for places in a row, near 0 for rooms along one corridor. None without a place.
            On a level with loops the share may be a little too low: only paths from the place farthest from the entrance are
            measured.
        areas: Number of connected parts of the walkable cells while every lock is closed.
        locks: The locks, doors first, each with the round in which it is opened and the distance to its key.
        rounds: Number of rounds until every lock is open, if each round opens all locks whose keys are in reach at its start.
        keys: The things that open locks, each with the round after which it is in reach.
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
        ValueError: The level's entrance is not on a cell that can be walked on.

    Example:
        >>> 0 < dungeon.measure(level).open < 1
        True
    """
    check_type(level, Level, "measure", A_LEVEL)
    return Metrics(**measurements_of(level))


CHOKE_SHARE = 0.05
"""Minimum share of the reachable cells that a choke point cuts off."""


def measurements_of(level: Level, *, all_of_them: bool = True) -> dict[str, Any]:
    """Return the measurements of a level as a dict with the field names of `Metrics`.

    Args:
        level: The level.
        all_of_them: Whether to include the longest path and the choke points, which take as long as all others together.

    Raises:
        ValueError: The level's entrance is not on a cell that can be walked on.
    """
    walked = _walked(level)
    graph = _PlacesGraph(level, walked)
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
    """Return the measurements that take most time: the longest path and the choke points, by field name of `Metrics`.

    Args:
        walked: (height, width) bool: the reachable cells.
        sweeps: The breadth-first searches over these cells so far.
    """
    longest = sweeps.diameter()
    choke_size = max(1, round(int(walked.sum()) * CHOKE_SHARE))
    return {
        "longest": longest.low,
        "longest_bound": longest.high,
        "chokes": tuple(_chokes(walked, choke_size)),
        "choke_size": choke_size,
    }


def _locks(level: Level) -> dict[str, Any]:
    """Return the measurements of locks and keys, by field name of `Metrics`; empty if the level has no locks."""
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
    """Return the choke points of the reachable cells. Portals are ignored, so no portal leads around a choke point.

    Args:
        walked: (height, width) bool: the reachable cells.
        least: The least number of cells that a choke point cuts off.
    """
    parts = Parts(walked)
    return sorted(
        found for number in range(1, parts.count + 1) for found in narrows(parts.mask(number), least)
    )


def _walked(level: Level) -> NDArray[np.bool_]:
    """Return a (height, width) mask of the cells that can be reached from the entrance."""
    passable = level.terrain_set.passable[level.terrain]
    entrance = level.entrance
    if not (0 <= entrance.y < level.height and 0 <= entrance.x < level.width and passable[entrance]):
        raise ValueError(f"the entrance at y {entrance.y}, x {entrance.x} can't be walked on")
    parts = Parts(passable, level.leaps)
    return parts.mask(parts.at(*entrance))


class _PlacesGraph(RegionGraph):
    """The graph of a level's regions and doors, with its places marked.

    Attributes:
        places: The nodes that are places: rooms, caves, zones and prefabs.
        is_passage: (height, width) bool: the reachable cells that lie in no place.
    """

    def __init__(self, level: Level, walked: NDArray[np.bool_]) -> None:
        super().__init__(walked, level.region, level.leaps)
        self.level = level
        places = np.zeros(self.first_door, np.bool_)
        # A region without cells is no node.
        places[[each.id for each in level.regions if each.kind in SPACES and each.id < self.first_door]] = (
            True
        )
        self.is_passage = walked & ~places[level.region]
        self.places = frozenset(node for node in self.nodes if node < self.first_door and places[node])

    def dead_ends(self) -> int:
        """Return the number of places (rooms, caves, zones, prefabs) with a single way in."""
        return sum(len(self.beside.get(place, ())) == 1 for place in self.places)

    def routes(self) -> int | None:
        """Return the number of disjoint routes from the entrance to an exit: that of the exit with the fewest routes.

        Disjoint routes share no door and no other border of regions. None if every exit is in the entrance's region.
        """
        start = int(self.labels[self.level.entrance])
        goals = dict.fromkeys(int(self.labels[way.y, way.x]) for way in self.level.exits)
        return min(
            (disjoint_routes(self.edges, start, goal) for goal in goals if goal not in (0, start)),
            default=None,
        )

    def linearity(self) -> float | None:
        """Return the share of the places that lie on the longest shortest path between two places; None without a place.

        The path is found by two searches: one from the entrance to the farthest place, one from there to the farthest place. In a
        graph with loops, there may be a longer one.
        """
        if not self.places:
            return None
        end = int(self.labels[self.level.entrance])
        for _ in range(2):
            passed = fewest_counted(self.beside, end, self.places)
            end = max(sorted(self.places), key=passed.__getitem__)
        return passed[end] / len(self.places)


def _islands(walked: NDArray[np.bool_]) -> int:
    """Return the number of holes (solid pieces that can be walked around) in a (height, width) mask of walkable cells.

    By Euler's formula: cells - pairs of neighbours + 2x2 squares = connected parts - holes.
    """
    right, down = walked[:, 1:] & walked[:, :-1], walked[1:] & walked[:-1]
    squares = right[1:] & right[:-1]
    counts = [np.count_nonzero(each) for each in (walked, right, down, squares)]
    return int(Parts(walked).count - counts[0] + counts[1] + counts[2] - counts[3])
