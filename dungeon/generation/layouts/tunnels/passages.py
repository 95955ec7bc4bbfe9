"""Corridors that must be: from prefabs to the network, and between networks that did not meet.

What hangs together is told from the cells themselves. One field of shortest ways (Dijkstra) from the main part
serves all others, nearest first. Ways are dug as pieces of the plan, so that rooms can be built along them; they
lead through free earth only, rather a little apart from what is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.generation.layouts.tunnels.piece import Piece, root_of
from dungeon.grid.neighbours import touching
from dungeon.grid.rect import Rect
from dungeon.grid.regions import FAR, cheapest, cheapest_way, components, parts_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import Mouth
    from dungeon.generation.layouts.tunnels.plan import TunnelPlan
    from dungeon.generation.layouts.tunnels.standing import Standing

ALONG_WAY = 1
THROUGH_EARTH = 4
ALONG_WALL = 40
"""What a step costs: along a corridor that there is, through earth, and where that is right beside something."""

SEEDED = 4
"""So many times as much as other open cells count those that were there before, where not all can be reached."""

Path = list[tuple[int, int]]


class Passages:
    """Joins all that is open on a map before rooms are built.

    Args:
        plan: The plan.
        standing: What stood on the map before.

    Attributes:
        lost: How many parts and mouths of that no way can be dug to through free earth.
    """

    def __init__(self, plan: TunnelPlan, standing: Standing) -> None:
        self.plan = plan
        self.standing = standing
        self.lost = 0
        self.open = standing.open.copy()
        for piece in plan.pieces:
            if not piece.gone:
                self.open[piece.framed().slices] = True

    def link(self, first: Piece | None) -> None:
        """Dig all ways that are missing; take back networks that nothing leads to.

        Args:
            first: A piece of the first network, if there is one.
        """
        self._link_parts()
        self._link_mouths(first)

    def _link_parts(self) -> None:
        """Join all parts of what is open to the main one, nearest first."""
        labels, count = components(self.open)
        if count < 2:
            return
        main, field = self._main_part(labels, count)
        flat = field.ravel()
        starts = []
        for number, cells in enumerate(parts_of(labels, count), 1):
            if number != main:
                nearest = int(cells[flat[cells].argmin()])
                if flat[nearest] != FAR:
                    starts.append((int(flat[nearest]), nearest))
                elif self.standing.open.ravel()[cells].any():
                    self.lost += 1
                else:
                    self._take_back(labels, number)
        for _, start in sorted(starts):
            self._follow(field, divmod(start, field.shape[1]))

    def _link_mouths(self, first: Piece | None) -> None:
        """Lead every mouth at which a tunneler had to start somewhere else than back into its prefab."""
        astray = self._led_astray(first)
        ways = self.open & ~self.standing.open
        if not astray or not ways.any():
            return
        labels, _ = components(ways)
        main = int(np.bincount(labels[ways]).argmax())
        joined, begun = {main}, self._begun(astray, labels, main)
        if not begun:
            return
        field = self._field(labels == main, [cells for _, cells in begun], around=self.standing.open)
        for own, cells in begun:
            if own & joined:  # by a way that has been dug meanwhile
                continue
            away = np.where(cells, field, FAR)
            nearest = int(away.argmin())
            if away.flat[nearest] != FAR:
                self._follow(field, divmod(nearest, field.shape[1]))
                joined |= own
            elif not own:
                self.lost += 1

    def _begun(
        self, astray: Mapping[Mouth, list[tuple[int, int]]], labels: NDArray[np.int32], main: int
    ) -> list[tuple[set[int], NDArray[np.bool_]]]:
        """Return the parts of the ways that begin at mouths from which none leads anywhere, and the cells of them.

        Where nothing has been dug there are no parts, but the cells before the mouth.
        """
        leads_to = self._prefabs_at(labels)
        found = []
        for mouth, fronts in astray.items():
            own = {int(labels[front]) for front in fronts} - {0}
            if main in own or any(leads_to[part] - {mouth.region} for part in own):
                continue
            cells = np.zeros(labels.shape, np.bool_)
            for part in own:
                cells |= labels == part
            if not own:
                cells[tuple(zip(*fronts, strict=True))] = True
            found.append((own, cells))
        return found

    def _led_astray(self, first: Piece | None) -> dict[Mouth, list[tuple[int, int]]]:
        """Return the mouths for tunnelers of which the plan's trees do not tell that they lead elsewhere, and the cells beyond.

        Elsewhere is where the first network is, or another prefab's mouth.
        """
        fronts: dict[Mouth, list[tuple[int, int]]] = {}
        for lane in self.standing.lanes:
            if lane.mouth.kind == "tunneler":
                fronts.setdefault(lane.mouth, []).append(lane.front)
        roots = {}
        for mouth, cells in fronts.items():
            piece = next((each for cell in cells if (each := self.plan.piece_at(*cell))), None)
            roots[mouth] = root_of(piece) if piece is not None else None
        network = root_of(first) if first is not None else None
        return {
            mouth: cells
            for mouth, cells in fronts.items()
            if (root := roots[mouth]) is None
            or (
                root is not network
                and all(root is not roots[other] for other in fronts if other.region != mouth.region)
            )
        }

    def _prefabs_at(self, labels: NDArray[np.int32]) -> dict[int, set[int]]:
        """Return, of each part of the ways, the regions of the prefabs that it leads to."""
        found: dict[int, set[int]] = {}
        for lane in self.standing.lanes:
            if not lane.inner and (part := int(labels[lane.front])):
                found.setdefault(part, set()).add(lane.mouth.region)
        return found

    def _main_part(self, labels: NDArray[np.int32], count: int) -> tuple[int, NDArray[np.int32]]:
        """Return the part to join the others to, and how dear the way from it to the nearest cells of each other is.

        It is the largest one; but if from there no way leads to what stood on the map before, it is the part in which
        most of that lies, if more can be reached from there.
        """
        worth = np.bincount(labels.ravel(), (self.open + SEEDED * self.standing.open).ravel())
        parts = [labels == number for number in range(1, count + 1)]
        best: tuple[float, int, NDArray[np.int32]] | None = None
        for cells in (self.open, self.standing.open):
            sizes = np.bincount(labels[cells])
            if not len(sizes):
                continue
            main = int(sizes.argmax())
            field = self._field(parts[main - 1], parts)
            reached = float(worth[np.bincount(labels[field != FAR]).nonzero()].sum())
            if best is None or reached > best[0]:
                best = reached, main, field
            if reached == worth.sum():
                break
        assert best is not None
        return best[1], best[2]

    def _field(
        self,
        main: NDArray[np.bool_],
        ends: Sequence[NDArray[np.bool_]],
        around: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int32]:
        """Return how dear the way from the main part to each cell is, `around` some; `FAR` where none can be dug.

        It is told as far as the cells of each of the `ends` that are nearest.
        """
        taken, standing = self.plan.taken(), self.standing
        cost = np.where(touching(taken), ALONG_WALL, THROUGH_EARTH).astype(np.int32)
        cost[taken | (standing.closed & ~self.open)] = 0
        for edge in (np.s_[:2], np.s_[-2:], np.s_[:, :2], np.s_[:, -2:]):
            cost[edge] = 0
        for cell in standing.inner:
            cost[cell] = THROUGH_EARTH
        cost[self.open] = ALONG_WAY
        if around is not None:
            cost[around] = 0
        return cheapest(cost, np.where(main, 0, FAR), ends)

    def _take_back(self, labels: NDArray[np.int32], number: int) -> None:
        """Take back a network that nothing leads to."""
        for piece in reversed(self.plan.pieces):
            if not piece.gone and labels[piece.framed()[:2]] == number:
                self.plan.remove(piece)

    # -- digging --------------------------------------------------------------------------------

    def _follow(self, field: NDArray[np.int32], start: tuple[int, int]) -> None:
        """Dig from a cell down the field until something open is met that the start is not part of."""
        path: Path = [*cheapest_way(field, start)]
        first = next((n for n, cell in enumerate(path) if not self.open[cell]), len(path))
        end = next((n for n in range(first, len(path)) if self.open[path[n]]), len(path) - 1)
        if first < end:
            self._dig(path[first - 1] if first else None, path[first:end], path[end])

    def _dig(self, before: tuple[int, int] | None, cells: Path, after: tuple[int, int]) -> None:
        """Dig straight runs through these cells, between two open ones; a mouth has none before it yet."""
        plan, last = self.plan, before
        piece = plan.piece_at(*before) if before else None
        for run in _runs(before, cells, self.standing.inner):
            y, x = run[0]
            if run[0] in self.standing.inner:
                if piece is not None and last is not None:
                    piece.holds.append(piece.held_by(*last))
                self.standing.dig(run, self.standing.inner[run[0]])
                for each in run:
                    plan.keep(Rect(*each, 1, 1))
                piece = None
            else:
                (end_y, end_x), axis = run[-1], _axis(last, run)
                across, along, end = (x, y, end_y) if axis else (y, x, end_x)
                sign = 1 if end > along or (end == along and last is not None and last < run[0]) else -1
                hold = piece.held_by(*last) if piece is not None and last is not None else (0, 0)
                begun, low = piece, min(along, end)
                piece = Piece(
                    len(plan.pieces), "corridor", axis, across, low, 1, len(run), sign, begun, (y, x), hold
                )
                if begun is None:
                    piece.holds.append((along, along))
                plan.add(piece)
            for cell in run:
                self.open[cell] = True
            last = run[-1]
        target = plan.piece_at(*after)
        if target is not None:
            target.holds.append(target.held_by(*after))
        if piece is not None and last is not None:
            piece.holds.append(piece.held_by(*last))
            if target is not None:
                plan.graft(piece, last, target)


def _runs(before: tuple[int, int] | None, cells: Path, inner: Container[tuple[int, int]]) -> list[Path]:
    """Cut a path into straight runs, each within prefabs or outside of them; a corner's cell ends a run."""
    runs: list[Path] = []
    step, last = None, before
    for cell in cells:
        now = (cell[0] - last[0], cell[1] - last[1]) if last else None
        apart = last is not None and (cell in inner) != (last in inner)
        if runs and (now == step or step is None) and not apart:
            runs[-1].append(cell)
        else:
            runs.append([cell])
        step, last = now, cell
    return runs


def _axis(last: tuple[int, int] | None, run: Path) -> int:
    """Return the axis along which a run leads, coming from the cell before it."""
    before = run[0] if len(run) > 1 or last is None else last
    return int(before[0] != run[-1][0])
