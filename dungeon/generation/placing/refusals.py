"""Why a request to place an encounter fails: the check of a drawing on the canvas, and the refused sites counted by broken rule.

A site is a free room or cave, a spot a position of a drawing there. An opening is a cell where the site meets another
region, such as a door. A rule is a phrase for what is wrong with sites that break it, in words that follow "3 rooms".
Masks have one bit a cell.

`broken_promise` runs after a drawing is stamped and before it is kept. Stairs must still be there, drawn doors must lead somewhere,
and no other region may have changed. A walker must reach every passable cell of the site and every opening of it. Open cells that
stop walkers (water, an object) must lie beside reached cells. Whoever enters by an opening, or by stairs up in the site, must be
able to reach the key of each locked door before the door.

`SpotTally` keeps, for each rule of a placing mode, the spots it left. From these it tells why each free site was refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.generation.placing.ground import SIDE_NAMES
from dungeon.generation.placing.walkability import (
    BROKEN_LOCKS,
    CUT_OFF,
    blank_pair,
    both_connected,
    walkability,
)
from dungeon.grid.bits import Board

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.generation.placing.ground import Opening
    from dungeon.generation.placing.sites import Site, Sites
    from dungeon.grid.rect import Cell, Rect
    from dungeon.level.canvas import Canvas, Snapshot
    from dungeon.terrain import TerrainSet


STAIRS_LOST = "where it would cover stairs"
DOOR_TO_NOWHERE = "where a door of it would lead nowhere"
OTHERS_CHANGED = "where it would change another region"


def broken_promise(canvas: Canvas, before: Snapshot, site: Site, drawing: Drawing, spot: Cell) -> str | None:
    """Return the first rule of valid levels that a placed drawing breaks, in words that follow "3 rooms"; None if it breaks none.

    Args:
        canvas: The canvas, with the drawing on it.
        before: A snapshot of all cells that may have changed, before drawing.
        site: The site of the drawing.
        drawing: The drawing.
        spot: Its top-left cell.
    """
    around, number, terrain_set = before.rect, site.region.id, canvas.terrain_set
    part = around.slices
    terrain, region = canvas.terrain[part], canvas.region[part]
    stairs = terrain_set.stairs.take(before.terrain)
    if np.count_nonzero(stairs) and np.count_nonzero(stairs & (terrain != before.terrain)):
        return STAIRS_LOST
    own = before.region == number
    if np.count_nonzero(before.region) > np.count_nonzero(own):
        foreign = (before.region != 0) & ~own
        if np.count_nonzero(foreign & ((terrain != before.terrain) | (region != before.region))):
            return OTHERS_CHANGED
    pair = blank_pair(*terrain.shape)
    walked, opened = pair[:, :, :-1]
    is_open = terrain_set.open.take(terrain)
    np.logical_and(is_open, region == number, out=opened)
    doors = opened & terrain_set.door.take(terrain)
    if np.count_nonzero(doors) and _leads_nowhere(doors, is_open):
        return DOOR_TO_NOWHERE
    if not np.count_nonzero(opened):
        return CUT_OFF
    ground = site.ground
    for y, x in ground.board.cells(ground.openings.outside(site.whole)):
        opened[y - around.y, x - around.x] = True
    np.logical_and(opened, terrain_set.passable.take(terrain), out=walked)
    top, left = spot.y - around.y, spot.x - around.x
    walked[top : top + drawing.height, left : left + drawing.width] &= ~drawing.barriers
    if walkability(drawing, terrain_set).is_locked:
        barred = _barred(walked, terrain, terrain_set, drawing, (top, left), _beyond(site, around))
        if barred is not None:
            return barred
    return None if both_connected(pair) else _what_is_cut_off(walked, site.openings, _beyond(site, around))


def _beyond(site: Site, around: Rect) -> list[tuple[int, int]]:
    """Return the cells outside of a site to which its openings lead, relative to the top-left cell of `around`."""
    return [(each.outside.y - around.y, each.outside.x - around.x) for each in site.openings]


def _barred(
    walked: NDArray[np.bool_],
    codes: NDArray[np.uint8],
    terrain_set: TerrainSet,
    drawing: Drawing,
    spot: tuple[int, int],
    openings: list[tuple[int, int]],
) -> str | None:
    """Return the rule that a locked door of a drawing breaks; None if a walker can open all, by whichever opening or stairs up he enters.

    Args:
        walked: (height, width) bool, the cells that a walker who opens every door can pass.
        codes: (height, width) uint8, the terrain codes of these cells.
        terrain_set: What the codes mean.
        drawing: The drawing, which lies on these cells.
        spot: The drawing's top-left cell (y, x).
        openings: The cells outside of the site to which its openings lead.
    """
    locks = [each.moved(*spot) for each in drawing.locks]
    keys = [each.moved(*spot) for each in drawing.keys]
    boxes = [each.moved(*spot) for each in drawing.boxes]
    board = Board(*walked.shape)
    locked_ground = LockedGround.on(board, codes, walked, locks, keys, terrain_set, boxes=boxes)
    arrivals = np.argwhere(walked & (terrain_set.base.take(codes) == t.STAIRS_UP)).tolist()
    found = locked_ground.stuck(board.from_cells([(y, x)]) for y, x in [*openings, *arrivals])
    return None if found is None else BROKEN_LOCKS[found[0]]


def _leads_nowhere(doors: NDArray[np.bool_], is_open: NDArray[np.bool_]) -> bool:
    """Return whether some door has fewer than two open cells beside it. No door may lie in the outermost rows and columns."""
    sides = is_open[:-2, 1:-1].astype(np.uint8)
    for side in (is_open[2:, 1:-1], is_open[1:-1, :-2], is_open[1:-1, 2:]):
        sides += side
    return bool((doors[1:-1, 1:-1] & (sides < 2)).any())


def _what_is_cut_off(walked: NDArray[np.bool_], openings: list[Opening], cells: list[tuple[int, int]]) -> str:
    """Return the rule that a drawing breaks because a walker can't get between all openings and cells of the site.

    It names the first opening from which the largest connected part can't be reached, such as "where it would cut off the north way out". It
    is `CUT_OFF` if that part can be reached from every opening.

    Args:
        walked: (height, width) bool, the cells that a walker who opens every door can pass.
        openings: The site's openings.
        cells: The cell outside of the site to which each opening leads.
    """
    board = Board(*walked.shape)
    ways = board.from_array(walked)
    parts = [board.flood(ways, board.from_cells([cell])) for cell in cells]
    if not parts:
        return CUT_OFF
    main = max(parts, key=int.bit_count)
    for opening, part, cell in zip(openings, parts, cells, strict=True):
        if part != main or part == board.from_cells([cell]):
            return f"where it would cut off the {SIDE_NAMES[opening.side]} way out"
    return CUT_OFF


Counts = tuple[tuple[str, int], ...]


class SpaceRefusal(NamedTuple):
    """The reason why a request fits on no site.

    Attributes:
        reason: The reason as a sentence.
        counts: (rule, number of sites) pairs: each free site counted under the first rule it breaks.
    """

    reason: str
    counts: Counts

    @property
    def kind(self) -> str:
        """The kind of this refusal in the journal: always "space", which means that no site fits."""
        return "space"

    @property
    def rules(self) -> dict[str, int]:
        """Rule -> the number of sites that it excludes; if no site is counted, the reason with the number 1."""
        return dict(self.counts) or {self.reason: 1}

    def besides(self, dug: str, altered: str) -> SpaceRefusal:
        """Return this refusal with a note that new sites were tried in vain: `dug` annexes and `altered` sites, in words; "" for none."""
        tried = f"nor would {dug} that could be dug" if dug else "nor is there space to dig one"
        tried += f", nor {altered} that could be altered" if altered else ""
        return self._replace(reason=f"{self.reason}, {tried}")

    def for_locks(self, broken: Mapping[str, str]) -> SpaceRefusal:
        """Return this refusal with the broken locks of its prefabs named first, if these rule out every prefab; else unchanged.

        Args:
            broken: Prefab name -> what is wrong with its locks; empty if the locks rule out no prefab.
        """
        if not broken:
            return self
        said = "; ".join(f"{name} has {objection}" for name, objection in broken.items())
        sites = sum(count for _, count in self.counts)
        counts = ((BROKEN_LOCKS[next(iter(broken.values()))], sites),) if sites else ()
        return SpaceRefusal(f"{said}: {self.reason}", counts)

    def in_zones(self) -> SpaceRefusal:
        """Return this refusal with the note that only the encounter's zones were searched."""
        return self._replace(reason=f"in its zones: {self.reason}")


def joined_refusal(refusals: Mapping[str, SpaceRefusal]) -> SpaceRefusal:
    """Join the refusals of an encounter's variants into one, with a reason such as ``small: too few doors; large: too small``.

    Args:
        refusals: Name of a variant (form) -> why it could not be placed. A single refusal is returned unchanged.
    """
    if len(refusals) == 1:
        return next(iter(refusals.values()))
    counts: Counter[str] = Counter()
    for each in refusals.values():
        counts.update(dict(each.counts))
    reason = "; ".join(f"{name}: {each.reason}" for name, each in refusals.items())
    return SpaceRefusal(reason, tuple(counts.items()))


@dataclass(slots=True)
class SpotTally:
    """Records which spots each rule has left while prefabs and variants are tried, to tell why each site was refused.

    Attributes:
        left: Rule -> the masks of the spots that it left, one for each prefab or drawing tried; in the order of the rules.
        broken: Region id -> the first rule that was broken when a drawing was tried in this region.
    """

    left: dict[str, list[int]] = field(default_factory=dict)
    broken: dict[int, str] = field(default_factory=dict)

    def through(self, rules: Iterator[tuple[str, int]], spots: int = 0) -> int:
        """Record the (rule, mask of spots left) pairs that `rules` yields, up to the first empty mask; return the last mask.

        If there are no rules, return `spots`.

        Raises:
            TypeError: A placing mode yields something other than (rule, mask) pairs, or returns no iterator.
        """
        if not hasattr(rules, "__next__"):
            raise TypeError(
                f"a placing mode must return an iterator of ('what is wrong', mask) pairs, but it returned {rules!r}"
            )
        for each in rules:
            match each:
                case rule, spots if isinstance(rule, str) and isinstance(spots, int):
                    pass  # `case str(), int()` is many times slower
                case _:
                    raise TypeError(
                        f"a placing mode must yield ('what is wrong', mask) pairs, but it yielded {each!r}"
                    )
            self.left.setdefault(rule, []).append(spots)
            if not spots:
                break
        return spots

    def refusal(self, everything: Sites, eligible: Sites) -> SpaceRefusal:
        """Return the refusal of a request: the number of sites in `everything` for each rule, each site counted under the first it breaks.

        Args:
            everything: The free sites of the kinds and regions that the request allows.
            eligible: Those sites of `everything` whose number of ways in the request allows.
        """
        total = len(everything.sites)
        counts = everything.way_counts(n for n in everything.sites if n not in eligible.sites)
        rest = dict(eligible.sites)
        for rule, left in self.left.items():
            kept = {*eligible.having_spots(reduce(or_, left), np.array([*rest], np.int64))}
            failed = [number for number in rest if number not in kept]
            for number in failed:
                del rest[number]
            if failed:
                counts.append((rule, len(failed)))
        counts += Counter(self.broken[number] for number in rest if number in self.broken).items()
        match total:
            case 0:
                reason = f"no {everything.noun} is free"
            case 1:
                reason = f"the only free {everything.noun} won't do"
            case _:
                reason = f"none of {total} free {everything.noun}s will do"
        return SpaceRefusal(reason, tuple(counts))
