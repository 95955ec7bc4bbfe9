"""The layout *static*: one prefab is the whole map, as drawn or turned: it is seen to as it is drawn, and then laid.

What cannot be reached is a *pocket*: open cells behind walls, and what lies behind water, or behind something that stays.
A locked door makes none: it stays as drawn, and a level on which nothing opens it is refused, unless pockets are sealed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import NOT_OPENED, SPENT, LockedGround
from dungeon.content.values.fields import Flag
from dungeon.content.values.prefab_words import PrefabsByWeight, weigh_prefabs
from dungeon.core.errors import GenerationError, HopelessError
from dungeon.core.parameters import Parameters
from dungeon.generation.layouts.doorways import wall_up_blind_doors
from dungeon.generation.layouts.exits import locked_ground_on
from dungeon.grid.bits import without
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import beside, components, parts_of
from dungeon.grid.symmetry import Orientation
from dungeon.grid.ways import find_way
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal
from dungeon.level.part import part_of, paste
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing, DrawnKey, LockedProp
    from dungeon.content.prefab.prefab import Prefab, Variant
    from dungeon.core.registry import Objection
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.terrain import TerrainSet

# -- parts ------------------------------------------------------------------------------------------
#
# Ways between parts of a map that do not hang together.


THROUGH_ROCK = 5
"""How much dearer a step through rock is than one over open cells: short digs win over long ones."""


def join_parts(
    canvas: Canvas, labels: NDArray[np.int32], main: int, stopped: NDArray[np.bool_] | None = None
) -> None:
    """Dig the cheapest way from the main part to every other one, nearest first.

    The ways go through earth and walls, but neither through blocked terrain nor through the map's outermost
    cells, nor where walkers are stopped; a part behind those stays cut off. A later way may use an earlier one's cells.

    Args:
        canvas: The map.
        labels: (height, width) int32, the part each open cell belongs to, 0 for closed cells.
        main: The part to join the others to.
        stopped: (height, width) bool, the open cells on which nobody can walk; by default there are none.
    """
    board, bits = canvas.board, canvas.board.from_array
    ways = board.block(1, 1, board.height - 2, board.width - 2) & ~bits(canvas.base == t.BLOCKED)
    opened = bits(labels > 0)
    if stopped is not None:
        ways &= ~bits(stopped)
    joined, apart = bits(labels == main), bits((labels > 0) & (labels != main))
    while way := find_way(board, {1: ways & opened, THROUGH_ROCK: without(ways, opened)}, joined, apart):
        part = bits(labels == labels[way[-1]])
        dug = [cell for cell in way if canvas.terrain_set.base[canvas.terrain[cell]] <= t.BLOCKED]
        canvas.carve_cells(dug, t.CORRIDOR, 0)
        apart ^= part
        joined |= part | board.from_cells(way)
        opened |= joined


NO_OPEN_CELL = "no open cell"

LOSES_THE_MAP = frozenset({NOT_OPENED, SPENT, NO_OPEN_CELL})
"""Objections to a drawing of which no level can be made; with any other a level is made, and something is sealed."""

KEY_OUT_OF_REACH = "a locked door whose key nobody gets to, so that it stays shut"
STAIRS_OUT_OF_REACH = "stairs that nobody gets to: they are left out, and the level puts stairs elsewhere"

VARIANTS = 50
"""Maximum number of variants of the drawing that are tried until one can be played."""


class StaticParams(Parameters):
    """What an author may set.

    Attributes:
        prefab: The prefab that is the map; of several names or tags, also with weights, one is drawn for each level.
        turn: Whether it lies in any of the orientations that it permits, and not as drawn.
        frame: Closed cells put around the drawing, so that a drawing whose edge is open makes a closed map.
        pockets: What to do with open cells that cannot be reached on foot: dig a way (join), close them (fill), or
            leave them as sealed regions (seal), also behind a locked door that nothing opens. Those to which no way can be
            dug are sealed.
    """

    prefab: PrefabsByWeight
    turn: Flag = False
    frame: Literal[0, 1, 2, 3] = 1
    pockets: Literal["join", "fill", "seal"] = "join"

    def asked_for(self) -> tuple[str, ...]:
        """Return the names and tags of its prefabs."""
        return tuple(self.prefab)


def size(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return the (height, width) of the drawing, as it lies, and its frame.

    Raises:
        GenerationError: See `_chosen`.
    """
    prefab, orientation = _chosen(params, job)
    height, width = prefab.size(orientation)
    return height + 2 * params.frame, width + 2 * params.frame


def _chosen(params: StaticParams, job: LayoutJob) -> tuple[Prefab, Orientation]:
    """Return the prefab that is the map, and how it lies: the same for all attempts, so that the map keeps its size.

    Raises:
        GenerationError: All weights are zero.
    """
    names = {word: [prefab.name for prefab in job.called[word]] for word in params.prefab}
    order = job.streams.race(weigh_prefabs(params.prefab, names, job.weigh), "layout", "static", "prefab")
    if not order:
        raise GenerationError("no prefab that is to be the map has a weight above zero")
    prefab = job.prefabs[order[0]]
    ways = prefab.orientations if params.turn else (Orientation.R0,)
    return prefab, job.streams.stream("layout", "static", "turn", prefab.name).pick(ways)


def largest_room(params: StaticParams, size: tuple[int, int]) -> tuple[int, int]:  # noqa: ARG001
    """Return the (height, width) of the largest room: what is drawn has no rooms in which to place more."""
    return 0, 0


def least(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return how many cells the shorter and the longer side of a zone need, so that any of its drawings fits however that lies."""
    sizes = [prefab.template.shape for word in params.prefab for prefab in job.called[word]]
    side = max(max(size) for size in sizes) + 2 * params.frame
    return side, side


def static(canvas: Canvas, params: StaticParams, job: LayoutJob) -> Iterator[Step]:
    """Draw the prefab, name its connected parts as regions, and deal with those that cannot be reached.

    It is laid somewhere in the free earth of a canvas that is larger than it needs: that of a zone.

    Raises:
        GenerationError: The drawing has no open cell, or no space, or see `_chosen`.
        HopelessError: No variant of it can be played, for its locks.
    """
    prefab, orientation = _chosen(params, job)
    variant, upright, steps = _playable(prefab, params, job, canvas.terrain_set)
    height, width = upright.terrain.shape[:: -1 if orientation.turns % 2 else 1]
    rect = Rect(*_spot(canvas, height, width, job), height, width)
    for step in steps:
        shown = canvas.copy()
        paste(shown, part_of(rect, _turned(step.canvas, orientation)))
        yield Step(step.phase, step.message, shown)
    paste(canvas, part_of(rect, _turned(upright, orientation)))
    job.drawn.append((variant.turned(orientation), rect.y + params.frame, rect.x + params.frame))
    yield Step(Phase.LAYOUT, f"{prefab.name} is laid: {orientation.label}", canvas)


def _playable(
    prefab: Prefab, params: StaticParams, job: LayoutJob, terrain_set: TerrainSet
) -> tuple[Variant, Canvas, list[Step]]:
    """Return the first variant of a prefab whose locks all open, whatever a walker opens first.

    Returns:
        The variant, the map that it makes before it is turned and, if watched, the steps that led there.

    Raises:
        GenerationError: It has no open cell.
        HopelessError: No such variant is found.
    """
    reason = ""
    for number in range(VARIANTS if prefab.varies else 1):
        again = (number,) if number else ()
        variant = prefab.variant(job.streams.stream("layout", "variant", prefab.name, job.attempt, *again))
        drawing, journal = variant.turned(Orientation.R0), Journal()
        upright = _empty(drawing, params, terrain_set)
        steps = [
            Step(step.phase, step.message, upright.copy())
            for step in _lay(upright, drawing, params, journal)
            if job.watched
        ]
        found = _unplayable(upright, drawing, params) if _is_locked(drawing, terrain_set) else None
        if found is None or found[0] not in LOSES_THE_MAP:
            job.journal.decisions += journal.decisions
            return variant, upright, steps
        reason = found[0]
        job.journal.note("layout", prefab.name, "refused", f"a variant of it has {reason}")
    raise HopelessError(f"the drawing of {prefab.name!r} has {reason}")


def _is_locked(drawing: Drawing, terrain_set: TerrainSet) -> bool:
    """Tell whether there are locked doors in a drawing."""
    return bool((terrain_set.base.take(drawing.terrain) == t.LOCKED_DOOR).any())


def _spot(canvas: Canvas, height: int, width: int, job: LayoutJob) -> Cell:
    """Return where the map, with its frame, can lie: its top left cell.

    Raises:
        GenerationError: Wherever it may, something has been seeded.
    """
    board = canvas.board
    spots = board.fits(board.full & ~board.from_array(canvas.used), height, width)
    if not spots:
        raise GenerationError(f"there is no space for a drawing of {width}x{height} cells")
    stream = job.streams.stream("layout", "static", "spot", job.attempt)
    return board.nth(spots, stream.below(spots.bit_count()))


def _empty(drawing: Drawing, params: StaticParams, terrain_set: TerrainSet) -> Canvas:
    """Return a canvas for a drawing and its frame."""
    return Canvas(drawing.height + 2 * params.frame, drawing.width + 2 * params.frame, terrain_set)


def _turned(upright: Canvas, orientation: Orientation) -> Canvas:
    """Return a canvas on which nothing but regions has been made, turned."""
    codes = orientation.turn(upright.terrain)
    height, width = codes.shape
    turned = Canvas(height, width, upright.terrain_set)
    turned.draw_whole(0, codes)
    labels = orientation.turn(upright.region.astype(np.int32))
    _name_parts(turned, labels, [region.sealed for region in upright.regions])
    return turned


def objection(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return what is wrong with a drawing that is to be a map: a pocket that must be sealed, or a door that may stay shut."""
    canvas = _laid(params, drawing, terrain_set)
    return (NO_OPEN_CELL, None) if canvas is None else _unplayable(canvas, drawing, params)


def _unplayable(canvas: Canvas, drawing: Drawing, params: StaticParams) -> Objection | None:
    """Return likewise what is wrong with a drawing that has been laid on a canvas."""
    frame = params.frame
    sealed = _sealed(canvas) & canvas.passable()
    ways = _ways(canvas, drawing, params) & ~sealed
    locked_ground = locked_ground_on(canvas, [(drawing, frame, frame)], ways)
    arrivals = np.argwhere(ways & (canvas.base == t.STAIRS_UP)).tolist()[:1]
    begins = [locked_ground.board.from_cells([(y, x)]) for y, x in arrivals] or sorted(
        locked_ground.parts, key=lambda part: -locked_ground.reached(part).bit_count()
    )
    found = [locked_ground.stuck([begin]) for begin in begins]
    if found and all(found) and found[0] is not None:
        reason, doors = found[0]
        return reason, _first(locked_ground.board.to_array(doors), frame)
    if params.pockets == "join" and sealed.any():
        return "a cell that no way leads to, and none can be dug to", _first(sealed, frame)
    return None


def remarks(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> list[Objection]:
    """Return what becomes of a drawing that is to be a map, and is hardly meant so, however much of it is sealed or filled.

    Stairs that nobody gets to are left out; a locked door with a word stays shut if nobody gets to its key. One without a
    word is meant to stay shut.
    """
    canvas = _laid(params, drawing, terrain_set)
    if canvas is None:
        return []
    found: list[Objection] = []
    frame = params.frame
    lost = _sealed(canvas) | (canvas.region == 0)
    inner = lost[frame : canvas.height - frame, frame : canvas.width - frame]
    if (stairs := inner & terrain_set.stairs.take(drawing.terrain)).any():
        found.append((STAIRS_OUT_OF_REACH, _first(stairs, 0)))
    if params.pockets == "seal":
        doors = _unopened(canvas, drawing, params)[
            frame : canvas.height - frame, frame : canvas.width - frame
        ]
        found += [(KEY_OUT_OF_REACH, (y, x)) for y, x, _ in drawing.locks if doors[y, x]][:1]
    return found


def shut_props(
    params: StaticParams,
    drawing: Drawing,
    terrain_set: TerrainSet,
    keys: Sequence[DrawnKey],
    boxes: Sequence[LockedProp],
) -> list[Cell]:
    """Return the first cell of each locked prop that stays shut in a drawing which is to be a map.

    Args:
        params: What becomes of pockets.
        drawing: The drawing.
        terrain_set: What its codes mean.
        keys: What is sure to open locks in it.
        boxes: Its locked props. One in a pocket that is filled is on no map, so it is left out.
    """
    canvas = _laid(params, drawing, terrain_set)
    if canvas is None:
        return []
    frame = params.frame
    ways = _ways(canvas, drawing, params) & ~_sealed(canvas)
    ground = LockedGround.on(
        canvas.board,
        canvas.terrain,
        ways,
        [each.moved(frame, frame) for each in drawing.locks],
        [each.moved(frame, frame) for each in keys],
        terrain_set,
        boxes=[each.moved(frame, frame) for each in boxes],
    )
    arrivals = np.argwhere(ways & (canvas.base == t.STAIRS_UP)).tolist()[:1]
    starts = [ground.board.from_cells([(y, x)]) for y, x in arrivals] or ground.parts
    start = max(starts, key=lambda start: ground.reached(start).bit_count(), default=0)
    cells = [boxes[number].cells[0] for number in ground.closed_boxes(start)]
    return [cell for cell in cells if canvas.open[cell.y + frame, cell.x + frame]]


def _laid(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> Canvas | None:
    """Return a drawing as a map; None if it has no open cell."""
    canvas = _empty(drawing, params, terrain_set)
    try:
        for _ in _lay(canvas, drawing, params, Journal()):
            pass
    except GenerationError:
        return None
    return canvas


def _sealed(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: the sealed regions."""
    return canvas.within(region.id for region in canvas.regions if region.sealed)


def pierced(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return a cell to which a way is dug through a wall of a drawing that is to be a map, or None."""
    canvas = _empty(drawing, params, terrain_set)
    canvas.draw_whole(params.frame, drawing.terrain)
    wall_up_blind_doors(canvas, canvas.open)
    ways = _ways(canvas, drawing, params)
    labels, count = components(ways)
    if params.pockets != "join" or count < 2 or objection(params, drawing, terrain_set) is not None:
        return None
    board = canvas.board
    main = board.from_array(labels == _main_part(canvas, labels, count))
    earth = board.from_array(canvas.base == t.EARTH) & board.block(1, 1, canvas.height - 2, canvas.width - 2)
    apart = ways & ~board.to_array(board.flood(board.from_array(ways) | earth, main))
    return ("", _first(apart, params.frame)) if apart.any() else None


def _first(cells: NDArray[np.bool_], frame: int) -> tuple[int, int]:
    """Return the first of some cells of a map, as a cell of its drawing."""
    y, x = divmod(int(cells.argmax()), cells.shape[1])
    return y - frame, x - frame


def _lay(canvas: Canvas, drawing: Drawing, params: StaticParams, journal: Journal) -> Iterator[Step]:
    """Make a drawing the map.

    Raises:
        GenerationError: It has no open cell.
    """
    canvas.draw_whole(params.frame, drawing.terrain)
    yield Step(Phase.LAYOUT, f"{drawing.name} is the map", canvas)
    walled = wall_up_blind_doors(canvas, canvas.open)
    if walled:
        note = f"{walled} door{'s' if walled > 1 else ''} of the drawing led nowhere: walled up"
        journal.note("layout", drawing.name, "noted", note)
    labels, count = components(canvas.open)
    if not count:
        raise GenerationError(f"the drawing of {drawing.name!r} has no open cell")
    main = _main_part(canvas, labels, count)
    if count > 1:
        others = f"{count - 1} part{'s' if count > 2 else ''} of the drawing cannot be reached"
        if params.pockets == "join":
            join_parts(canvas, labels, main)
        elif params.pockets == "fill":
            canvas.close((labels > 0) & (labels != main))
        journal.note("layout", drawing.name, "noted", f"{others}: {params.pockets}")
        yield Step(Phase.LAYOUT, f"{others}: {params.pockets}", canvas)
    yield from _see_to_walkers(canvas, drawing, params, journal)
    labels, main = _parts(canvas, drawing, params)
    _name_parts(canvas, labels, [part != main for part in range(1, int(labels.max()) + 1)])
    canvas.build_walls(clear=False)
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def _name_parts(canvas: Canvas, labels: NDArray[np.int32], sealed: Sequence[bool]) -> None:
    """Make each part of a map a region, (height, width) labels from 1 on, and say which of them are sealed."""
    for cells, shut in zip(parts_of(labels, len(sealed)), sealed, strict=True):
        ys, xs = np.divmod(cells, canvas.width)
        top, left = int(ys[0]), int(xs.min())
        bounds = Rect(top, left, int(ys[-1]) - top + 1, int(xs.max()) - left + 1)
        canvas.assign(cells, canvas.add_region("prefab", bounds, sealed=shut))


def _see_to_walkers(
    canvas: Canvas, drawing: Drawing, params: StaticParams, journal: Journal
) -> Iterator[Step]:
    """Deal with what only water, or something that stays, keeps walkers from."""
    walked, main = _walked(canvas, drawing, params)
    count = int(walked.max()) - 1
    if count < 1:
        return
    others = f"{count} part{'s' if count > 1 else ''} of the drawing cannot be reached on foot"
    if params.pockets == "join":
        join_parts(canvas, walked, main, canvas.open & ~_ways(canvas, drawing, params))
    elif params.pockets == "fill":
        labels, main = _parts(canvas, drawing, params)
        canvas.close((labels > 0) & (labels != main))
    journal.note("layout", drawing.name, "noted", f"{others}: {params.pockets}")
    yield Step(Phase.LAYOUT, f"{others}: {params.pockets}", canvas)
    left = int(_walked(canvas, drawing, params)[0].max()) - 1
    if params.pockets == "join" and left > 0:
        note = f"no way can be dug to {left} part{'s' if left > 1 else ''} of the drawing: sealed"
        journal.note("layout", drawing.name, "noted", note)


def _ways(canvas: Canvas, drawing: Drawing, params: StaticParams) -> NDArray[np.bool_]:
    """Return (height, width) bool: where walkers get past everything that stays.

    Locked doors let them through, but for those that nothing opens if what lies behind is to be sealed.
    """
    ways, frame = canvas.passable(), params.frame
    inner = ways[frame : canvas.height - frame, frame : canvas.width - frame]
    inner &= ~drawing.obstacles
    if params.pockets == "seal" and (canvas.base == t.LOCKED_DOOR).any():
        ways &= ~_unopened(canvas, drawing, params)
    return ways


def _unopened(canvas: Canvas, drawing: Drawing, params: StaticParams) -> NDArray[np.bool_]:
    """Return (height, width) bool: the locked doors that stay shut on a map whose pockets are sealed."""
    ways, frame = canvas.passable(), params.frame
    ways[frame : canvas.height - frame, frame : canvas.width - frame] &= ~drawing.obstacles
    locked_ground = locked_ground_on(canvas, [(drawing, frame, frame)], ways)
    arrivals = np.argwhere(canvas.base == t.STAIRS_UP).tolist()[:1]
    starts = [locked_ground.board.from_cells([(y, x)]) for y, x in arrivals] or locked_ground.parts
    reached = max(map(locked_ground.reached, starts), key=int.bit_count, default=0)
    return locked_ground.board.to_array(locked_ground.barred & ~reached)


def _walked(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Return the part of the ways that each cell belongs to, 0 for none and for what no step reaches, and the main part."""
    labels, count = components(canvas.open)
    reached = labels == _main_part(canvas, labels, count)
    walked, count = components(reached & _ways(canvas, drawing, params))
    return walked, _main_part(canvas, walked, count) if count else 0


def _parts(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Return the part that each open cell belongs to, and the main one.

    What cannot be walked on belongs to the main part if that is beside it, or else to the pocket that steps lead to. A
    locked door that nobody gets to is a pocket by itself. One that stays shut is part of what it seals, if that is anything.
    """
    walked, main = _walked(canvas, drawing, params)
    is_open = canvas.open
    labels, count = components(is_open)
    whole = labels == _main_part(canvas, labels, count)
    pockets = (walked > 0) & (walked != main)
    doors = canvas.base == t.LOCKED_DOOR
    if pockets.any() or doors.any():
        beyond = whole & ~beside(walked == main)
        far, _ = components(beyond)
        whole &= ~(beyond & np.isin(far, far[beyond & (pockets | doors)]))
        if params.pockets == "seal":
            whole &= ~_unopened(canvas, drawing, params)
    others, _ = components(is_open & ~whole)
    parts = np.where(whole, 1, others + (others > 0))
    # They are numbered by their first cells.
    _, first = np.unique(parts, return_index=True)
    order = np.argsort(np.argsort([at if parts.flat[at] else -1 for at in first.tolist()]))
    order += not (parts == 0).any()
    labels = order[np.searchsorted(np.unique(parts), parts)].astype(np.int32)
    return labels, int(labels[whole].max())


def _main_part(canvas: Canvas, labels: NDArray[np.int32], count: int) -> int:
    """Return the part with the way in; without one, the largest."""
    base = canvas.base
    for code in (t.STAIRS_UP, t.STAIRS_DOWN, t.EXIT):
        found = labels[(base == code) & (labels > 0)]
        if len(found):
            return int(found[0])
    return int(np.bincount(labels[labels > 0], minlength=count + 1).argmax())
