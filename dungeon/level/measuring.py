"""How the numbers of a level are found."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import SPACES
from dungeon.grid.paths.dead_ends import dead_ends
from dungeon.grid.paths.diameter import Sweeps
from dungeon.grid.paths.narrows import narrows
from dungeon.grid.paths.routes import disjoint_routes, fewest
from dungeon.grid.regions import Parts
from dungeon.level.network import Network
from dungeon.level.proof.solution import solution_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.grid.paths.narrows import Narrow
    from dungeon.level.model import Level

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


class _Graph(Network):
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
            passed = fewest(self.beside, end, self.places)
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
