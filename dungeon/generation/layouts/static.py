"""The layout `static`: one prefab is the whole map. Pockets, open cells that can't be reached, are joined, filled or sealed.

The drawing is prepared upright on a canvas of its own, then turned and pasted.

A *pocket* is a part of the drawing that can't be reached: open cells behind walls, behind water, or behind an object
that stays. A locked door makes no pocket; it stays as drawn. If no key in the drawing opens it, the level is refused,
unless pockets are sealed.

    #######        pockets: join   a way is dug to the cells on the right
    #..#..#                 fill   they become wall
    #..####                 seal   they stay, as a sealed region
    #######
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
from dungeon.generation.layouts.exits_pools import locked_ground_on
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

# -- joining parts ----------------------------------------------------------------------------------


THROUGH_ROCK = 5
"""The cost of a step through rock, beside 1 over an open cell, so that short digs win over long ones."""


def join_parts(
    canvas: Canvas, labels: NDArray[np.int32], main: int, stopped: NDArray[np.bool_] | None = None
) -> None:
    """Dig the cheapest way from the main part of a drawing to each of its other parts, the nearest part first.

    Ways lead through earth and walls, but not through blocked terrain, the outermost cells, or cells in `stopped`. A
    part behind these stays cut off. A later way may use cells of earlier ways.

    Args:
        canvas: The map.
        labels: (height, width) int32, the number of each open cell's part; 0 for closed cells.
        main: The number of the main part.
        stopped: (height, width) bool, open cells that can't be walked on; None for no such cell.
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
        turn: Whether it is turned into a random one of its allowed orientations; otherwise it lies as drawn.
        frame: The number of closed cells around the drawing, so that a drawing with an open edge makes a closed map.
        pockets: What happens to open cells that can't be reached on foot: a way is dug to them (join), they are
            closed (fill), or they stay as sealed regions (seal), also behind a locked door that nothing opens. If no
            way can be dug, they are sealed.
    """

    prefab: PrefabsByWeight
    turn: Flag = False
    frame: Literal[0, 1, 2, 3] = 1
    pockets: Literal["join", "fill", "seal"] = "join"

    def asked_for(self) -> tuple[str, ...]:
        """Return the words (prefab names and tags) from which the prefab of the map is chosen."""
        return tuple(self.prefab)


def size(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return the (height, width) of the map: that of the chosen drawing, turned, with its frame of closed cells.

    Raises:
        GenerationError: All prefabs for the map have weight 0.
    """
    prefab, orientation = _chosen(params, job)
    height, width = prefab.size(orientation)
    return height + 2 * params.frame, width + 2 * params.frame


def _chosen(params: StaticParams, job: LayoutJob) -> tuple[Prefab, Orientation]:
    """Return the prefab that is the map, and its orientation: the same for all attempts, so that the map keeps its size.

    Raises:
        GenerationError: All weights are zero.
    """
    names = {word: [prefab.name for prefab in job.called[word]] for word in params.prefab}
    order = job.streams.race(weigh_prefabs(params.prefab, names, job.weigh), "layout", "static", "prefab")
    if not order:
        raise GenerationError("all prefabs for the map have weight 0")
    prefab = job.prefabs[order[0]]
    ways = prefab.orientations if params.turn else (Orientation.R0,)
    return prefab, job.streams.stream("layout", "static", "turn", prefab.name).pick(ways)


def largest_room(params: StaticParams, size: tuple[int, int]) -> tuple[int, int]:  # noqa: ARG001
    """Return the (height, width) of the largest room: (0, 0), since no encounter is placed in a room of the drawing."""
    return 0, 0


def least(params: StaticParams, job: LayoutJob) -> tuple[int, int]:
    """Return the smallest zone for this layout, as (shorter side, longer side): any of its prefabs fits, however it is turned."""
    sizes = [prefab.template.shape for word in params.prefab for prefab in job.called[word]]
    side = max(max(size) for size in sizes) + 2 * params.frame
    return side, side


def static(canvas: Canvas, params: StaticParams, job: LayoutJob) -> Iterator[Step]:
    """Draw the prefab, make a region of each connected part, and join, fill or seal its pockets (parts that can't be reached).

    On a canvas that is larger than the drawing (a zone's), it lies at a random place in the free earth.

    Raises:
        GenerationError: The drawing has no open cell, it does not fit, or all prefabs have weight 0.
        HopelessError: In every variant of the prefab that was tried, some lock may stay shut.
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
    """Return the first variant of a prefab whose locks can all be opened, whatever lock a player opens first.

    Returns:
        The variant, its map before it is turned and, if watched, the steps that made the map.

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
    """Tell whether a drawing has locked doors."""
    return bool((terrain_set.base.take(drawing.terrain) == t.LOCKED_DOOR).any())


def _spot(canvas: Canvas, height: int, width: int, job: LayoutJob) -> Cell:
    """Return a random cell of the canvas at which the drawing, with its frame of closed cells, can have its top left corner.

    Raises:
        GenerationError: Wherever it fits, a prefab has been seeded.
    """
    board = canvas.board
    spots = board.fits(board.full & ~board.from_array(canvas.used), height, width)
    if not spots:
        raise GenerationError(f"there is no space for a drawing of {width}x{height} cells")
    stream = job.streams.stream("layout", "static", "spot", job.attempt)
    return board.nth(spots, stream.below(spots.bit_count()))


def _empty(drawing: Drawing, params: StaticParams, terrain_set: TerrainSet) -> Canvas:
    """Return an empty canvas as large as a drawing with its frame, the closed cells that the parameter `frame` puts around it."""
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
    """Return why a drawing is unfit to be a map: a pocket that must be sealed, or a door that may stay shut. None if it is fit."""
    canvas = _laid(params, drawing, terrain_set)
    return (NO_OPEN_CELL, None) if canvas is None else _unplayable(canvas, drawing, params)


def _unplayable(canvas: Canvas, drawing: Drawing, params: StaticParams) -> Objection | None:
    """Return why a drawing, already laid on a canvas, is unfit to be a map; None if it is fit."""
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
    """Return what `check` remarks on a drawing that is to be a map: stairs, and a key, that can't be reached.

    Such stairs are left out, and the door of such a key stays shut. A locked door without a word is meant to stay
    shut.
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
    """Return the first cell of each locked prop that stays shut in a drawing that is to be a map.

    Args:
        params: The author's parameters.
        drawing: The drawing.
        terrain_set: The terrain of the game.
        keys: The keys that are sure to be in it.
        boxes: Its locked props. Props in a pocket that is filled are not on the map, so they are left out.
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
    """Lay a drawing on a canvas of its own, with its pockets treated as on a map; return None if it has no open cell."""
    canvas = _empty(drawing, params, terrain_set)
    try:
        for _ in _lay(canvas, drawing, params, Journal()):
            pass
    except GenerationError:
        return None
    return canvas


def _sealed(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool, the cells of sealed regions."""
    return canvas.within(region.id for region in canvas.regions if region.sealed)


def pierced(params: StaticParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return an objection with a cell that can be reached only if a way is dug through a wall of the drawing; None without one."""
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
    """Return the first set cell of a mask of the map, as (y, x) in the drawing."""
    y, x = divmod(int(cells.argmax()), cells.shape[1])
    return y - frame, x - frame


def _lay(canvas: Canvas, drawing: Drawing, params: StaticParams, journal: Journal) -> Iterator[Step]:
    """Draw the prefab on an empty canvas, treat its pockets (cells that can't be reached), and make a region of each part.

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
    yield from _treat_pockets(canvas, drawing, params, journal)
    labels, main = _parts(canvas, drawing, params)
    _name_parts(canvas, labels, [part != main for part in range(1, int(labels.max()) + 1)])
    canvas.build_walls(clear=False)
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def _name_parts(canvas: Canvas, labels: NDArray[np.int32], sealed: Sequence[bool]) -> None:
    """Make a region of each connected part of a map.

    Args:
        canvas: The map.
        labels: (height, width), the number of each cell's part, from 1.
        sealed: Whether each part is sealed, in order.
    """
    for cells, shut in zip(parts_of(labels, len(sealed)), sealed, strict=True):
        ys, xs = np.divmod(cells, canvas.width)
        top, left = int(ys[0]), int(xs.min())
        bounds = Rect(top, left, int(ys[-1]) - top + 1, int(xs.max()) - left + 1)
        canvas.assign(cells, canvas.add_region("prefab", bounds, sealed=shut))


def _treat_pockets(
    canvas: Canvas, drawing: Drawing, params: StaticParams, journal: Journal
) -> Iterator[Step]:
    """Join, fill or seal the pockets: parts of the drawing that walls, water or objects cut off from its main part."""
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
    """Return (height, width) bool: the cells that can be walked on, without those that an object of the drawing blocks for good.

    Locked doors count as open. With sealed pockets, doors that nothing opens count as closed.
    """
    ways, frame = canvas.passable(), params.frame
    inner = ways[frame : canvas.height - frame, frame : canvas.width - frame]
    inner &= ~drawing.obstacles
    if params.pockets == "seal" and (canvas.base == t.LOCKED_DOOR).any():
        ways &= ~_unopened(canvas, drawing, params)
    return ways


def _unopened(canvas: Canvas, drawing: Drawing, params: StaticParams) -> NDArray[np.bool_]:
    """Return (height, width) bool: the locked doors that no key on the map opens.

    Callers ask for it only if unreachable ground is sealed (`pockets: seal`).
    """
    ways, frame = canvas.passable(), params.frame
    ways[frame : canvas.height - frame, frame : canvas.width - frame] &= ~drawing.obstacles
    locked_ground = locked_ground_on(canvas, [(drawing, frame, frame)], ways)
    arrivals = np.argwhere(canvas.base == t.STAIRS_UP).tolist()[:1]
    starts = [locked_ground.board.from_cells([(y, x)]) for y, x in arrivals] or locked_ground.parts
    reached = max(map(locked_ground.reached, starts), key=int.bit_count, default=0)
    return locked_ground.board.to_array(locked_ground.barred & ~reached)


def _walked(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Return (labels, number of the main part): the labels give each cell the number of its walkable part, 0 for none."""
    labels, count = components(canvas.open)
    reached = labels == _main_part(canvas, labels, count)
    walked, count = components(reached & _ways(canvas, drawing, params))
    return walked, _main_part(canvas, walked, count) if count else 0


def _parts(canvas: Canvas, drawing: Drawing, params: StaticParams) -> tuple[NDArray[np.int32], int]:
    """Return (labels, number of the main part): the labels give each open cell the number of the part that it belongs to.

    Cells that can't be walked on belong to the main part if they touch it, else to the pocket that they touch. A
    locked door that can't be reached is a pocket of its own. A door that stays shut belongs to the pocket behind it,
    if there is one.
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
    # Number the parts in the order of their first cells.
    _, first = np.unique(parts, return_index=True)
    order = np.argsort(np.argsort([at if parts.flat[at] else -1 for at in first.tolist()]))
    order += not (parts == 0).any()
    labels = order[np.searchsorted(np.unique(parts), parts)].astype(np.int32)
    return labels, int(labels[whole].max())


def _main_part(canvas: Canvas, labels: NDArray[np.int32], count: int) -> int:
    """Return the number of the part with the way in (stairs up, else stairs down or an exit); without one, of the largest part."""
    base = canvas.base
    for code in (t.STAIRS_UP, t.STAIRS_DOWN, t.EXIT):
        found = labels[(base == code) & (labels > 0)]
        if len(found):
            return int(found[0])
    return int(np.bincount(labels[labels > 0], minlength=count + 1).argmax())
