"""The map that a bot draws itself: what it knows of a level, in masks, and the ways that lead through it.

Masks are integers, a bit for every cell (`dungeon.grid.bits`). A search for the nearest of some cells widens a front by
one step at a time in all directions at once: that is Dijkstra's algorithm where every step costs the same.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from dungeon.grid.bits import Board
from dungeon.playtest.game import Ground

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.playtest.game import Observation, Thing

Cell = tuple[int, int]

BERTH: Final = 3
"""So many cells around a robot that is feared are no part of its ways."""
FEARS: Final = 3
"""So often it begins to keep away from a robot: then it has nowhere else to go."""
FAR: Final = 9999
"""More steps than any way has."""

UNKNOWN: Final = int(Ground.UNKNOWN)
WALL: Final = int(Ground.WALL)
FLOOR: Final = int(Ground.FLOOR)
FEW: Final = (Ground.LOCKED, Ground.TRAP, Ground.DOWN, Ground.UP, Ground.PORTAL)
"""The kinds of ground of which there are few."""
IS_FEW: Final = bytes(kind in FEW for kind in range(256))
"""1 for those, by their number."""


def steps_between(one: Cell, other: Cell) -> int:
    """Return how many steps lie between two cells, walls aside."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


class Chart:
    """What a bot knows of one map.

    Attributes:
        board: How the masks are laid out.
        passable: Where one can walk without coming to harm.
        edge: Where one can walk beside what was not seen, and has not stood yet.
        visited: Where the bot has stood.
        traps: Where one can walk and comes to harm.
        tried: Cell -> how many keys the bot had when it last tried what is there, and how many levers it had pulled if that
            is a door. `pulls`: how often it has worked a prop.
        used: How often it has gone by a portal, or by stairs, from a cell.
        feared: The numbers of the robots that it does not dare to fight -> where it saw them last.
        dared: The numbers of those that it fights nevertheless.
        fled: How many steps it has run from robots.
        searched: From where it has searched.
        left: The numbers of the things that it has tried to take, and leaves there if it could not.
    """

    def __init__(self, observation: Observation) -> None:
        height, width = observation.ground.shape
        self.board = Board(height, width)
        self.passable = 0
        self.traps = 0
        self.edge = 0
        self.visited = 0
        self.tried: dict[Cell, int] = {}
        self.pulls = 0
        self.used: Counter[Cell] = Counter()
        self.feared: dict[int, Cell] = {}
        self.dared: set[int] = set()
        self.fled = 0
        self._fears: Counter[int] = Counter()
        self.searched = 0
        self.left: set[int] = set()
        self._version = -1
        self._ground = b""
        self._beside_unknown = 0
        self._walls = 0
        self._cells: dict[int, list[Cell]] = {}

    def update(self, observation: Observation) -> None:
        """Draw in what is new."""
        if observation.version != self._version:
            self._version = observation.version
            self._draw(observation.ground)
        self.edge = self.passable & self._beside_unknown & ~self.visited

    def _draw(self, ground: NDArray[np.uint8]) -> None:
        """Draw the ground, (height, width) of `Ground`, if it is not what it was."""
        kinds = ground.tobytes()
        if kinds == self._ground:
            return
        self._ground = kinds
        self.passable = self.board.from_array(ground >= FLOOR)
        self._beside_unknown = self.board.beside(self.board.from_array(ground == UNKNOWN))
        self._walls = self.board.from_array(ground == WALL)
        self._cells = {}
        flags, place = kinds.translate(IS_FEW), -1
        while (place := flags.find(1, place + 1)) >= 0:
            self._cells.setdefault(kinds[place], []).append(divmod(place, self.board.width))
        self.traps = self.mask(self.cells_of(Ground.TRAP))

    def cells_of(self, kind: Ground) -> list[Cell]:
        """Return the cells of a kind of ground of which there are few: locked doors, stairs, portals, traps. Row by row."""
        return self._cells.get(kind, [])

    @property
    def unsearched(self) -> int:
        """Where one can stand beside a wall that may hide something: nothing is known behind it, and nobody has searched there."""
        walls = self._walls & self._beside_unknown & ~self.board.around(self.searched)
        return self.passable & self.board.beside(walls)

    def bit(self, cell: Cell) -> int:
        """Return the mask of one cell."""
        return 1 << (cell[0] * self.board.stride + cell[1])

    def mask(self, cells: Iterable[Cell]) -> int:
        """Return the mask of cells."""
        return self.board.from_cells(cells)

    def berth(self, here: Cell) -> int:
        """Return the cells around robots that are feared, but none nearer to the bot than to them: it is here."""
        found = 0
        for cell in self.feared.values():
            bits = self.bit(cell)
            for _ in range(min(BERTH, steps_between(cell, here) - 1)):
                bits = self.board.around(bits)
            found |= bits
        return found

    def fear(self, robot: Thing) -> None:
        """Keep away from a robot from now on, unless that has been tried often enough."""
        if robot.number not in self.feared:
            self._fears[robot.number] += 1
        self.feared[robot.number] = robot.cell
        if self._fears[robot.number] > FEARS:
            self.dared.add(robot.number)
            del self.feared[robot.number]

    def forget_absent(self, observation: Observation) -> None:
        """Fear those no more who are seen to be no longer where they were."""
        here = {robot.number for robot in observation.robots}
        for number, cell in [*self.feared.items()]:
            if number not in here and observation.visible[cell]:
                del self.feared[number]

    def dare(self) -> None:
        """Fear nobody any more who was feared so far."""
        self.dared |= self.feared.keys()
        self.feared.clear()

    def way(
        self, start: Cell, goals: int, *, barred: int = 0, traps: bool = False, limit: int = FAR
    ) -> list[Cell]:
        """Return a shortest way to the nearest of some cells, the next cell last; empty if none is near enough.

        Args:
            start: Where it begins; that is no goal.
            goals: Where it may end, be it passable or not.
            barred: Where it must not lead through.
            traps: Whether it may lead over traps.
            limit: The most steps that it may take.
        """
        front, stride = self.bit(start), self.board.stride
        walkable = self.passable | self.traps if traps else self.passable
        open_ = (walkable & ~barred | goals) & ~front
        layers = [front]
        while front and len(layers) <= limit:
            wide = front | front << 1 | front >> 1
            front = (wide | wide << stride | wide >> stride) & open_
            if hits := front & goals:
                return self._back(layers, hits)
            open_ ^= front
            layers.append(front)
        return []

    def _back(self, layers: list[int], hits: int) -> list[Cell]:
        """Return the way that leads through layers of cells to one of those beside the last, the next cell last."""
        stride, place = self.board.stride, (hits & -hits).bit_length() - 1
        block = 7 | 7 << stride | 7 << 2 * stride  # 3x3 cells
        up = stride + 1  # so many bits lie between the first of them and the one in the middle
        way = []
        for layer in reversed(layers):
            way.append(divmod(place, stride))
            near = layer << up >> place & block
            place += (near & -near).bit_length() - 1 - up
        return way

    def reached(self, start: Cell) -> int:
        """Return where one gets from a cell."""
        front = seen = self.bit(start)
        while front := self.board.around(front) & self.passable & ~seen:
            seen |= front
        return seen
