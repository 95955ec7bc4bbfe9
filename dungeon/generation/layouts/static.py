"""The layout `static`: the drawing of one prefab is the whole map, and its pockets are joined, filled or sealed.

A part is a set of connected cells. The main part is the one that players arrive in. Every other part is a pocket:
players can't walk there because of walls, water or an object that stays. The parameter `pockets` says what becomes of
it.

The drawing is prepared upright on a canvas of its own, then turned and pasted. A locked door makes no pocket; it stays
as drawn. If no key in the drawing opens it, the level is refused, unless pockets are sealed.

    #######        pockets: join   a way is dug to the cells on the right
    #..#..#                 fill   they become wall
    #..####                 seal   they stay, as a sealed region
    #######
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import NOT_OPENED, SPENT, LockedGround
from dungeon.content.values.fields import Flag
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.core.errors import GenerationError, HopelessError
from dungeon.core.parameters import Parameters
from dungeon.generation.layouts.doorways import join_parts, wall_up_blind_doors
from dungeon.generation.layouts.exits_pools import locked_ground_on
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import beside, components, parts_of
from dungeon.grid.symmetry import Orientation
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

# -- the layout -------------------------------------------------------------------------------------


NO_OPEN_CELL = "no open cell"

LOSES_THE_MAP = frozenset({NOT_OPENED, SPENT, NO_OPEN_CELL})
"""Objections to a drawing that make a level impossible. With any other objection a level is made, with a sealed part."""

KEY_OUT_OF_REACH = "a locked door whose key can't be reached, so that it stays shut"
STAIRS_OUT_OF_REACH = "stairs that can't be reached: they are left out, and the level puts stairs elsewhere"

VARIANTS = 50
"""Number of variants of the drawing that are tried until the locks of one can all be opened."""


class StaticParams(Parameters):
    """Parameters of the layout `static`.

    Attributes:
        prefab: The prefab that is the map. Of several names or tags, also with weights, one is chosen for each level.
        turn: Whether the prefab is turned into a random one of its allowed orientations; otherwise it lies as drawn.
        frame: The number of closed cells added on each side of the drawing, so that a drawing with an open edge makes a
            closed map.
        pockets: What happens to open cells that can't be reached on foot: a way is dug to them (join), they are
            closed (fill), or they stay as sealed regions (seal), also behind a locked door that nothing opens. If no
            way can be dug, they are sealed.
    """

    prefab: PrefabsByWeight
    turn: Flag = False
    frame: Literal[0, 1, 2, 3] = 1
    pockets: Literal["join", "fill", "seal"] = "join"

    def asked_for(self) -> tuple[str, ...]:
        """Return the prefab names and tags from which the prefab of the map is chosen."""
        return tuple(self.prefab)


def as_map(drawing: Drawing, terrain_set: TerrainSet) -> Drawing:
    """Return a drawing that faces south as it is as a map: its main part (see `_main_part`) is not sealed."""
    sealed = drawing.sealed_cells
    if sealed is None:
        return drawing
    labels, count = components(terrain_set.open.take(drawing.terrain) & (drawing.terrain != t.KEEP))
    sealed = sealed & (labels != _main_part(terrain_set.base.take(drawing.terrain), labels, count))
    return replace(drawing, ground=replace(drawing.ground, sealed_cells=sealed if sealed.any() else None))


def size(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return the (height, width) of the map: that of the chosen prefab, turned, with the frame of closed cells around it.

    Raises:
        GenerationError: All prefabs for the map have weight 0.
    """
    prefab, orientation = _chosen(params, job)
    height, width = prefab.size(orientation)
    return height + 2 * params.frame, width + 2 * params.frame


def _chosen(params: StaticParams, job: LayoutJob) -> tuple[Prefab, Orientation]:
    """Return the prefab that is the map, and its orientation: the same for all attempts, so that the map's size never changes.

    Raises:
        GenerationError: All prefabs for the map have weight 0.
    """
    order = job.streams.race(job.weights_of(params.prefab), "layout", "static", "prefab")
    if not order:
        raise GenerationError("all prefabs for the map have weight 0")
    prefab = job.prefabs[order[0]]
    ways = prefab.orientations if params.turn else (Orientation.R0,)
    return prefab, job.streams.stream("layout", "static", "turn", prefab.name).pick(ways)


def largest_room(params: StaticParams, size: tuple[int, int]) -> tuple[int, int]:  # noqa: ARG001
    """Return the (height, width) of the largest room: (0, 0), since no encounter is placed in a room of the drawing."""
    return 0, 0


def least(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return the smallest zone for this layout, as (shorter side, longer side) in cells.

    Both are the longest side of any prefab that may be chosen, with its frame, so that it fits however it is turned.
    """
    sizes = [prefab.template.shape for word in params.prefab for prefab in job.called[word]]
    side = max(max(size) for size in sizes) + 2 * params.frame
    return side, side


def static(canvas: Canvas, params: StaticParams, job: LayoutJob) -> Iterator[Step]:
    """Draw the chosen prefab on a canvas; join, fill or seal its pockets, and make a region of each connected part.

    If the canvas is larger than the drawing, as that of a zone may be, the drawing lies at a random place in free earth.

    Yields:
        A step when the drawing is laid; if the job is watched, the steps that prepared it before.

    Raises:
        GenerationError: The drawing has no open cell, the drawing does not fit, or all prefabs have weight 0.
        HopelessError: In every variant (the prefab after random choices) that was tried, some lock may stay shut.
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
    job.drawn.append(
        (
            as_map(variant.drawing, canvas.terrain_set).turned(orientation),
            rect.y + params.frame,
            rect.x + params.frame,
        )
    )
    yield Step(Phase.LAYOUT, f"{prefab.name} is laid: {orientation.label}", canvas)


def _playable(
    prefab: Prefab, params: StaticParams, job: LayoutJob, terrain_set: TerrainSet
) -> tuple[Variant, Canvas, list[Step]]:
    """Roll variants (a prefab after its random choices) until all locks of one can be opened, in whatever order.

    Returns:
        The variant; the map made of the variant, not turned yet; if the job is watched, the steps that made the map.

    Raises:
        GenerationError: A variant has no open cell.
        HopelessError: In each of up to `VARIANTS` variants, some lock may stay shut.
    """
    reason = ""
    for number in range(VARIANTS if prefab.varies else 1):
        again = (number,) if number else ()
        variant = prefab.variant(job.streams.stream("layout", "variant", prefab.name, job.attempt, *again))
        drawing, journal = as_map(variant.drawing, terrain_set), Journal()
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
    """Tell whether a drawing has a locked door."""
    return bool((terrain_set.base.take(drawing.terrain) == t.LOCKED_DOOR).any())


def _spot(canvas: Canvas, height: int, width: int, job: LayoutJob) -> Cell:
    """Return a random cell of the canvas where the top left corner of a drawing can lie.

    Args:
        canvas: The canvas; the drawing lies on none of its used cells.
        height: The height of the drawing, with its frame of closed cells.
        width: The width of the drawing, with its frame.
        job: Its random streams decide.

    Raises:
        GenerationError: There is no such cell, since other prefabs are on the canvas.
    """
    board = canvas.board
    spots = board.fits(board.full & ~board.from_array(canvas.used), height, width)
    if not spots:
        raise GenerationError(f"there is no space for a drawing of {width}x{height} cells")
    stream = job.streams.stream("layout", "static", "spot", job.attempt)
    return board.nth(spots, stream.below(spots.bit_count()))


def _empty(drawing: Drawing, params: StaticParams, terrain_set: TerrainSet) -> Canvas:
    """Return an empty canvas as large as a drawing with the closed cells that the parameter `frame` puts around it."""
    return Canvas(drawing.height + 2 * params.frame, drawing.width + 2 * params.frame, terrain_set)


def _turned(upright: Canvas, orientation: Orientation) -> Canvas:
    """Return a turned copy of a canvas that has only terrain and regions."""
    codes = orientation.turn(upright.terrain)
    height, width = codes.shape
    turned = Canvas(height, width, upright.terrain_set)
    turned.draw_whole(0, codes)
    labels = orientation.turn(upright.region.astype(np.int32))
    _name_parts(turned, labels, [region.sealed for region in upright.regions])
    return turned


def objection(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return why a drawing is unfit to be a map; None if it is fit.

    It is unfit if it has no open cell, a locked door that may stay shut, or a pocket that can't be joined as wanted.
    """
    drawing = as_map(drawing, terrain_set)
    canvas = _laid(params, drawing, terrain_set)
    return (NO_OPEN_CELL, None) if canvas is None else _unplayable(canvas, drawing, params)


def _unplayable(canvas: Canvas, drawing: Drawing, params: StaticParams) -> Objection | None:
    """Return why a drawing is unfit to be a map; None if it is fit.

    It is unfit if a locked door may stay shut, or a pocket can't be joined as wanted.

    Args:
        canvas: A canvas on which the drawing has been laid, its pockets joined, filled or sealed.
        drawing: The drawing.
        params: The author's parameters.
    """
    frame = params.frame
    sealed = _sealed(canvas) & canvas.passable() & ~_shut(canvas, drawing, params)
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
    """Return what the command `check` remarks on a drawing that is to be a map: stairs, and a key, that can't be reached.

    Stairs that can't be reached are left out of the level, and the locked door of such a key stays shut. A locked door
    without a lock name is meant to stay shut, so it is not remarked on.
    """
    drawing = as_map(drawing, terrain_set)
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
    """Return one cell of each locked prop, such as a box, that stays shut in a drawing that is to be a map.

    Args:
        params: The author's parameters.
        drawing: The drawing.
        terrain_set: The terrain of the game.
        keys: The keys that are sure to be in the drawing.
        boxes: The locked props of the drawing. Props in a filled pocket are not on the map, so they are left out.
    """
    drawing = as_map(drawing, terrain_set)
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
    """Return a new canvas with a drawing, its pockets joined, filled or sealed as on a map; None if it has no open cell."""
    canvas = _empty(drawing, params, terrain_set)
    try:
        for _ in _lay(canvas, drawing, params, Journal()):
            pass
    except GenerationError:
        return None
    return canvas


def _sealed(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of all sealed regions of a canvas."""
    return canvas.within(region.id for region in canvas.regions if region.sealed)


def pierced(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return a cell of a drawing that can be reached only if a way is dug through a drawn wall.

    Returns:
        ("", the cell as (y, x) of the drawing). None if there is no such cell, if pockets are not joined, or if the
        drawing is unfit to be a map for another reason.
    """
    drawing = as_map(drawing, terrain_set)
    canvas = _empty(drawing, params, terrain_set)
    canvas.draw_whole(params.frame, drawing.terrain)
    wall_up_blind_doors(canvas, canvas.open)
    ways = _ways(canvas, drawing, params)
    labels, count = components(ways)
    if params.pockets != "join" or count < 2 or objection(params, drawing, terrain_set) is not None:
        return None
    board = canvas.board
    main = board.from_array(labels == _main_part(canvas.base, labels, count))
    earth = board.from_array(canvas.base == t.EARTH) & board.block(1, 1, canvas.height - 2, canvas.width - 2)
    apart = ways & ~board.to_array(board.flood(board.from_array(ways) | earth, main))
    return ("", _first(apart, params.frame)) if apart.any() else None


def _first(cells: NDArray[np.bool_], frame: int) -> tuple[int, int]:
    """Return the first set cell of a mask of the map, as (y, x) in the drawing.

    Args:
        cells: (height, width) bool, the mask, with at least one cell set.
        frame: The number of closed cells on each side of the drawing: the map's (5, 7) is (4, 6) for a frame of 1.
    """
    y, x = divmod(int(cells.argmax()), cells.shape[1])
    return y - frame, x - frame


def _lay(canvas: Canvas, drawing: Drawing, params: StaticParams, journal: Journal) -> Iterator[Step]:
    """Draw the prefab on an empty canvas; join, fill or seal its pockets, and make a region of each part.

    Args:
        canvas: The canvas, as large as the drawing with its frame.
        drawing: The drawing, upright.
        params: The author's parameters.
        journal: Notes about pockets and doors are added.

    Yields:
        A step after each change.

    Raises:
        GenerationError: The drawing has no open cell.
    """
    canvas.draw_whole(params.frame, drawing.terrain)
    yield Step(Phase.LAYOUT, f"{drawing.name} is the map", canvas)
    walled = wall_up_blind_doors(canvas, canvas.open)
    if walled:
        note = f"{walled} door{'s' if walled > 1 else ''} of the drawing led nowhere: walled up"
        journal.note("layout", drawing.name, "noted", note)
    shut = _shut(canvas, drawing, params)
    labels, count = components(canvas.open & ~shut)
    if not count:
        raise GenerationError(f"the drawing of {drawing.name!r} has no open cell")
    main = _main_part(canvas.base, labels, count)
    if count > 1:
        others = f"{count - 1} part{'s' if count > 2 else ''} of the drawing cannot be reached"
        if params.pockets == "join":
            join_parts(canvas, labels, main, beside(shut))
        elif params.pockets == "fill":
            canvas.close((labels > 0) & (labels != main))
        journal.note("layout", drawing.name, "noted", f"{others}: {params.pockets}")
        yield Step(Phase.LAYOUT, f"{others}: {params.pockets}", canvas)
    yield from _treat_pockets(canvas, drawing, params, journal)
    wall_up_blind_doors(canvas, canvas.open)  # of those that led to pockets
    labels, main = _parts(canvas, drawing, params)
    _name_parts(canvas, labels, [part != main for part in range(1, int(labels.max()) + 1)])
    canvas.build_walls(clear=False)
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def _name_parts(canvas: Canvas, labels: NDArray[np.int32], sealed: Sequence[bool]) -> None:
    """Make a region of each connected part of a map.

    Args:
        canvas: The map.
        labels: (height, width), the number of each cell's part, from 1; 0 for cells of no part.
        sealed: Whether each part is sealed, in the order of the numbers.
    """
    for cells, shut in zip(parts_of(labels, len(sealed)), sealed, strict=True):
        ys, xs = np.divmod(cells, canvas.width)
        top, left = int(ys[0]), int(xs.min())
        bounds = Rect(top, left, int(ys[-1]) - top + 1, int(xs.max()) - left + 1)
        canvas.assign(cells, canvas.add_region("prefab", bounds, sealed=shut))


def _treat_pockets(
    canvas: Canvas, drawing: Drawing, params: StaticParams, journal: Journal
) -> Iterator[Step]:
    """Join or fill the pockets that water or objects cut off from the main part of a drawing, as `pockets` demands.

    Pockets stay as they are if they are to be sealed, or if no way can be dug to them. Both kinds get sealed regions later.

    Args:
        canvas: The map; pockets behind walls have been joined or filled before.
        drawing: The drawing.
        params: The author's parameters.
        journal: Notes about the pockets are added.

    Yields:
        A step if there are such pockets.
    """
    walked, main = _walked(canvas, drawing, params)
    count = int(walked.max()) - 1
    if count < 1:
        return
    others = f"{count} part{'s' if count > 1 else ''} of the drawing cannot be reached on foot"
    if params.pockets == "join":
        stopped = canvas.open & ~_ways(canvas, drawing, params)
        join_parts(canvas, walked, main, stopped | beside(_shut(canvas, drawing, params)))
    elif params.pockets == "fill":
        labels, main = _parts(canvas, drawing, params)
        canvas.close((labels > 0) & (labels != main) & ~_shut(canvas, drawing, params))
    journal.note("layout", drawing.name, "noted", f"{others}: {params.pockets}")
    yield Step(Phase.LAYOUT, f"{others}: {params.pockets}", canvas)
    left = int(_walked(canvas, drawing, params)[0].max()) - 1
    if params.pockets == "join" and left > 0:
        note = f"no way can be dug to {left} part{'s' if left > 1 else ''} of the drawing: sealed"
        journal.note("layout", drawing.name, "noted", note)


def _shut(canvas: Canvas, drawing: Drawing, params: StaticParams) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of the map that the drawing seals on purpose."""
    shut = np.zeros_like(canvas.drawn)
    if drawing.sealed_cells is not None:
        frame = params.frame
        shut[frame : canvas.height - frame, frame : canvas.width - frame] = drawing.sealed_cells
    return shut


def _ways(canvas: Canvas, drawing: Drawing, params: StaticParams) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells that can be walked on, without cells that an object of the drawing blocks for good.

    Locked doors count as open. With `pockets: seal`, locked doors that no key on the map opens count as closed.
    """
    ways, frame = canvas.passable(), params.frame
    inner = ways[frame : canvas.height - frame, frame : canvas.width - frame]
    inner &= ~drawing.barriers
    if params.pockets == "seal" and (canvas.base == t.LOCKED_DOOR).any():
        ways &= ~_unopened(canvas, drawing, params)
    return ways


def _unopened(canvas: Canvas, drawing: Drawing, params: StaticParams) -> NDArray[np.bool_]:
    """Return (height, width) bool: the locked doors that no key on the map opens.

    Callers need this only with `pockets: seal`, where these doors stay shut.
    """
    ways, frame = canvas.passable(), params.frame
    ways[frame : canvas.height - frame, frame : canvas.width - frame] &= ~drawing.barriers
    locked_ground = locked_ground_on(canvas, [(drawing, frame, frame)], ways)
    arrivals = np.argwhere(canvas.base == t.STAIRS_UP).tolist()[:1]
    starts = [locked_ground.board.from_cells([(y, x)]) for y, x in arrivals] or locked_ground.parts
    reached = max(map(locked_ground.reached, starts), key=int.bit_count, default=0)
    return locked_ground.board.to_array(locked_ground.barred & ~reached)


def _walked(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Number the parts of a map whose cells are connected for walkers, within the main part of its open cells.

    Returns:
        ((height, width), the number of each cell's part, 0 for cells that can't be walked on or lie outside of the main
        part; the number of the part that players arrive in, 0 if nothing can be walked on).
    """
    labels, main = _open_parts(canvas, drawing, params)
    reached = labels == main
    walked, count = components(reached & _ways(canvas, drawing, params))
    return walked, _main_part(canvas.base, walked, count) if count else 0


def _open_parts(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Number the connected parts of the open cells of a map.

    Returns:
        ((height, width), the number of each cell's part, 0 for closed cells; the number of the main part). What the drawing seals on
        purpose is never the main part, even if another part becomes smaller because its doors at the edge are walled up.
    """
    labels, count = components(canvas.open)
    return labels, _main_part(canvas.base, labels * ~_shut(canvas, drawing, params), count)


def _parts(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Number the parts that become regions: the main part and each pocket, with the cells that can't be walked on.

    A cell that can't be walked on, such as water, belongs to the main part if it touches the main part. Otherwise it belongs to the pocket
    that it touches. Cells sealed on purpose are a pocket, too. A locked door that can't be reached is a pocket of its own. A locked door
    that stays shut belongs to the pocket behind it, if there is one.

    Returns:
        ((height, width), the number of each open cell's part, 0 for closed cells; the number of the main part).
    """
    walked, main = _walked(canvas, drawing, params)
    is_open = canvas.open
    labels, largest = _open_parts(canvas, drawing, params)
    whole = labels == largest
    pockets = (walked > 0) & (walked != main) | whole & _shut(canvas, drawing, params)
    doors = canvas.base == t.LOCKED_DOOR
    if pockets.any() or doors.any():
        beyond = whole & ~beside(walked == main)
        far, _ = components(beyond)
        whole &= ~(beyond & np.isin(far, far[beyond & (pockets | doors)]))
        if params.pockets == "seal":
            whole &= ~_unopened(canvas, drawing, params)
    others, _ = components(is_open & ~whole)
    parts = np.where(whole, 1, others + (others > 0))
    # Number the parts in the order of their first cells.
    _, first = np.unique(parts, return_index=True)
    order = np.argsort(np.argsort([at if parts.flat[at] else -1 for at in first.tolist()]))
    order += not (parts == 0).any()
    labels = order[np.searchsorted(np.unique(parts), parts)].astype(np.int32)
    return labels, int(labels[whole].max())


def _main_part(base: NDArray[np.uint8], labels: NDArray[np.int32], count: int) -> int:
    """Return the number of the part that players arrive in: the first with stairs up, else stairs down, else an exit.

    Without any of these it is the largest part.

    Args:
        base: (height, width) uint8, the built-in terrain that each cell is based on.
        labels: (height, width), the number of each cell's part, from 1; 0 for cells of no part.
        count: The number of parts.
    """
    for code in (t.STAIRS_UP, t.STAIRS_DOWN, t.EXIT):
        found = labels[(base == code) & (labels > 0)]
        if len(found):
            return int(found[0])
    return int(np.bincount(labels[labels > 0], minlength=count + 1).argmax())
