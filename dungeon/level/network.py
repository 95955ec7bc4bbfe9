"""A level as a graph: its regions and its doors are the nodes, and where two of them touch there is an edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.paths.routes import contacts, neighbours
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon.grid.rect import Link


class Network:
    """The part of a map's graph that can be walked.

    Args:
        walked: (height, width) bool, the cells that can be walked to.
        region: (height, width) uint16 region ids, 0 for none.
        links: Pairs of cells that count as neighbours.

    Attributes:
        first_door: Regions have numbers below it, and doors from it on.
        labels: (height, width) int32: the region, or a number above all regions' for each door; 0 for none.
        nodes: The numbers that `labels` has.
        edges: The pairs of them that touch, a pair once for each place where it does.
        beside: Node -> its neighbours.
    """

    def __init__(
        self, walked: NDArray[np.bool_], region: NDArray[np.uint16], links: Iterable[Link] = ()
    ) -> None:
        self.first_door = int(region.max(initial=0)) + 1
        doors, _ = components(walked & (region == 0))
        self.labels = np.where(doors > 0, doors + self.first_door - 1, region).astype(np.int32)
        self.labels[~walked] = 0
        self.nodes = [int(node) for node in np.unique(self.labels) if node]
        self.edges = [*contacts(self.labels), *self._linked(links)]
        self.beside = neighbours(self.edges)

    def _linked(self, links: Iterable[Link]) -> Iterator[tuple[int, int]]:
        """Yield the pairs of nodes that links join."""
        for pair in links:
            low, high = sorted(int(self.labels[cell]) for cell in pair)
            if low and low != high:
                yield low, high

    def loops(self) -> int:
        """Return how many rounds there are, independent of each other: the cyclomatic number of a connected graph."""
        return len(self.edges) - len(self.nodes) + 1
