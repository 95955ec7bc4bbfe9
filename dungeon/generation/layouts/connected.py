"""The layout `connected`: a map grows by *pieces* (prefabs and auto-rooms), each joined to the map by a hallway.

A *connector* is a place at a piece's edge where a hallway can be joined to it. A *joint* is a connector on the map to which
nothing is joined yet. The *deck* is the author's list of prefabs with their weights. An *auto-room* is a plain room of random
size.

After "How I Learned to Stop Worrying and Love Prefabs".

    +-----+   hallway   +-------+
    |     *-------------*       |     * a connector of a piece; the one on the left was open,
    +-----+             |       |       the piece on the right was fitted to the hallway's end
                        +---*---+
                            |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.models.layouts import shares
from dungeon.content.values.grammar import roll
from dungeon.content.values.prefab_weights import counted_as
from dungeon.core.errors import GenerationError, HopelessError
from dungeon.generation.layouts.connected_ground import PieceFit, PieceGround
from dungeon.generation.layouts.connected_loops import add_loops
from dungeon.generation.layouts.connected_pieces import MAX_PIECES, auto_room, piece_of
from dungeon.generation.layouts.doorways import CLOSINGS, reveal_needed_doors, wall_up_blind_doors
from dungeon.generation.openings.connectors import connectors_of
from dungeon.grid.automaton import stretches
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import components
from dungeon.grid.shapes import SHAPES
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.prefab_words import PrefabWords
    from dungeon.core.registry import Objection, Size
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected_pieces import ConnectedParams, MapPiece
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.terrain import TerrainSet

# -- overlays ---------------------------------------------------------------------------------------
#
# Rooms that are laid over finished rooms and hallways: they open a map up and make it more dangerous.
#
#     ######  #####        #############
#     #....+--+...#        #...........#
#     #....#  #...#   ->   #...........#
#     ######  #####        ####.....####
#                             #######
#
# Everything that they touch becomes part of one open zone.


def lay_over(ground: PieceGround, params: ConnectedParams, stream: Stream) -> Iterator[Step]:
    """Lay more rooms over the finished map, as many as the parameter `overlays` rolls; yield a step for each.

    Each room overlaps at least two regions (auto-rooms or hallways), joins them to one open zone, and covers no cell of a
    prefab. A room for which there is no such position is left out.
    """
    canvas, board = ground.canvas, ground.board
    kept, opened = board.from_array(canvas.drawn), ground.whole("opened")
    for _ in range(roll(params.overlays, stream, 0)):
        height, width = roll(params.side, stream, 3), roll(params.side, stream, 3)
        free = board.full & ~kept & (ground.free | opened)
        spots = (
            board.fits(free, height + 2, width + 2)
            & board.fits(ground.inner, height, width) >> board.stride + 1
        )
        spots &= board.touches(opened, height, width) >> board.stride + 1
        cells = board.to_array(spots)
        while cells.any():
            y, x = divmod(stream.pick_set(cells), canvas.width)
            rect = Rect(y + 1, x + 1, height, width)
            touched = np.unique(canvas.region[rect.slices])
            if touched[touched > 0].size > 1:
                _lay(canvas, rect)
                opened |= board.block(*rect)
                yield Step(Phase.LAYOUT, f"a room laid over others at y {rect.y}, x {rect.x}", canvas)
                break
            cells[y, x] = False


def _lay(canvas: Canvas, rect: Rect) -> None:
    """Carve a rectangle as a region of the kind "zone", and turn the doors in it and at its edge into floor.

    The rooms that it overlaps become zones, too.
    """
    near = rect.grown().clipped(canvas.height, canvas.width)
    region = canvas.add_region("zone", rect)
    around = [number for number in np.unique(canvas.region[near.slices]).tolist() if number]
    doors = [door for door in canvas.connections if near.contains(door.y, door.x)]
    canvas.remove_doors((door.y, door.x) for door in doors)
    canvas.carve(rect, t.FLOOR, region)
    for door in doors:
        if not rect.contains(door.y, door.x):
            canvas.carve(Rect(door.y, door.x, 1, 1), t.FLOOR, region)
            canvas.widen_bounds(region, Rect(door.y, door.x, 1, 1))
            around += [number for number in door.between if number]
    for number in dict.fromkeys(around):
        canvas.room_to_zone(number)
        bounds = canvas.regions[number - 1].bounds
        if (canvas.region[bounds.slices] == number).any():
            canvas.settle_bounds(number, bounds)


# -- growth -----------------------------------------------------------------------------------------
#
# A map grows by a piece, an open connector, a hallway from it, and the piece at the hallway's end; and so on.
#
# After "How I Learned to Stop Worrying and Love Prefabs" (J. Mcgraw's Golden Krone Hotel), steps 4 to 8. There, a hallway is
# tried and shortened until a prefab fits at its end. Here, all places where it fits are known at once.


NO_SPACE = "no connector has the space for it"
"""Why a prefab was refused, for the journal: it fits nowhere."""

LAST = "it would use up the last open connector"
"""Why a prefab was refused, for the journal: it would use up the last open connector."""

AUTO = "auto-room"
"""The name of an auto-room in steps."""


class FittingPiece(NamedTuple):
    """A piece (a prefab or an auto-room in one orientation) and a position on the map where it fits.

    Attributes:
        piece: The piece.
        drawing: The drawing that it was made from; None for an auto-room.
        fit: Its position, and the two connectors that are joined there.
    """

    piece: MapPiece
    drawing: Drawing | None
    fit: PieceFit

    @property
    def name(self) -> str:
        """The name of the piece in the messages of steps: prefab and orientation, or `AUTO` for an auto-room."""
        return f"{self.drawing.name} {self.drawing.orientation.label}" if self.drawing is not None else AUTO


@dataclass(frozen=True)
class OrientedPrefab:
    """A prefab's drawing in one orientation. Its piece is made when it is first tried, because often another prefab fits first."""

    drawing: Drawing
    terrain_set: TerrainSet

    @property
    def objection(self) -> str | None:
        """The reason why nothing can be joined to the prefab; None if something can."""
        objection = connectors_of(self.drawing, self.terrain_set).objection
        return None if objection is None else objection[0]

    @cached_property
    def piece(self) -> MapPiece | None:
        """The prefab in this orientation as a piece to fit on; None if nothing can be joined to it."""
        return piece_of(self.drawing, self.terrain_set)


@dataclass(kw_only=True)
class PieceGrowth:
    """Grows one map piece by piece: it places prefabs and auto-rooms, each joined by a hallway to a connector on the map.

    Attributes:
        ground: The map with its unused connectors.
        params: The author's parameters.
        job: The job of the layout; its streams (`key`, ...) decide everything.
        key: The first words of the streams' names.
        weights: Prefab -> its weight in the deck; without prefabs that have all their copies on the map.
        limits: Prefab -> the greatest number of its copies; without prefabs that have no limit.
        wanted: The number of pieces to place.
        count: The number of pieces placed so far.
        placed: Prefab -> the number of its copies placed; copies of a variant count for its base, too.
        refused: Prefab -> a reason why it could not be placed when it was tried.
        ways: A cache: prefab without variants -> its drawings in all orientations.
    """

    ground: PieceGround
    params: ConnectedParams
    job: LayoutJob
    key: tuple[str | int, ...]
    weights: dict[str, float] = field(init=False)
    limits: dict[str, int] = field(init=False)
    wanted: int = 0
    count: int = 0
    placed: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    ways: dict[str, list[OrientedPrefab]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.weights, self.limits = shares(
            self.params.prefabs, self.job.called, self.job.weigh, self.job.variants
        )
        for name in self.limits:
            self._leave_out_if_spent(name)

    @cached_property
    def lengths(self) -> range:
        """The lengths that hallways between pieces may have, in cells."""
        outcomes = [int(each) for each in self.params.hallway.outcomes()]
        return range(min(outcomes), max(outcomes) + 1)

    def grow(self) -> Iterator[Step]:
        """Place the first piece and join others on, until there are enough or none fits; yield a step for each piece if watched.

        Raises:
            GenerationError: There is no space for the first piece.
            HopelessError: No piece that might come first has a connector.
        """
        streams, params, ground = self.job.streams, self.params, self.ground
        self.wanted = roll(params.rooms, streams.stream(*self.key, "rooms"), 20)
        while self.count < self.wanted:
            found = self._next(self.count) if self.count else self._first()
            if found is None and not self.count:
                raise self._no_beginning()
            if found is None:
                filled = self.wanted == MAX_PIECES  # the author wants as many as fit
                counts = () if filled else (("wanted", self.wanted), ("built", self.count))
                self.job.journal.note("layout", "connected", "noted", "no other piece fits anywhere", counts)
                break
            self._put(found)
            if self.job.watched:
                y, x = found.fit.cell
                yield Step(Phase.LAYOUT, f"{found.name} at y {y}, x {x}", ground.canvas)
            if params.area is not None and ground.share >= params.area:
                break
        for name, reason in self.refused.items():
            if name not in self.placed:
                self.job.journal.note("layout", name, "refused", reason)

    def _first(self) -> FittingPiece | None:
        """Return the first piece with its position: the starting prefab if the author set one. None if nothing fits anywhere."""
        stream = self.job.streams.stream(*self.key, "piece", 0)
        start = self.params.start
        if start is None:
            return next(filter(None, self._tries(0, stream)), None)
        names = self.job.streams.race(self._beginnings(start), *self.key, "start")
        tries = (self._fitting(name, 0, self.lengths, stream, whole=True) for name in names)
        return next(filter(None, tries), None)

    def _beginnings(self, start: PrefabWords) -> dict[str, float]:
        """Return prefab -> weight, for the prefabs with which the map may begin."""
        return self.job.weights_of(start)

    def _no_beginning(self) -> GenerationError:
        """Return the error that no piece can be the first; a HopelessError if none that might come first has a connector."""
        start = self.params.start
        names = self.weights if start is None else self._beginnings(start)
        hopeless = all(name in self.ways and not any(way.piece for way in self.ways[name]) for name in names)
        hopeless &= start is not None or not self.params.auto_share
        reasons = "; ".join(f"{name}: {reason}" for name, reason in self.refused.items())
        error = HopelessError if hopeless else GenerationError
        return error(f"no piece can be the first of the map: {reasons or NO_SPACE}")

    def _next(self, number: int) -> FittingPiece | None:
        """Return the next piece, after `number` pieces, with a position where it fits; None if nothing fits any more."""
        stream = self.job.streams.stream(*self.key, "piece", number)
        return next(filter(None, self._tries(number, stream)), None)

    def _tries(self, number: int, stream: Stream) -> Iterator[FittingPiece | None]:
        """Yield candidates for the next piece, one kind of piece after another; None for a kind that fits nowhere.

        First comes the kind that chance chose (auto-room or prefab), then the other one, and last a prefab in any of its
        variants, with a hallway of any allowed length.

        Args:
            number: The number of pieces placed so far.
            stream: The random stream.
        """
        longest, share = roll(self.params.hallway, stream, self.lengths.start), self.params.auto_share
        lengths = range(self.lengths.start, longest + 1)
        is_auto = stream.chance(share)
        if is_auto:
            yield self._auto_room(lengths, stream)
        yield self._prefab(number, lengths, stream)
        if share > 0:
            yield self._auto_room(lengths if not is_auto else self.lengths, stream)
        yield self._prefab(number, self.lengths, stream, whole=True)

    # -- prefabs --------------------------------------------------------------------------------

    def _prefab(
        self, number: int, lengths: range, stream: Stream, *, whole: bool = False
    ) -> FittingPiece | None:
        """Return a prefab of the deck with a position where it fits, tried in a random order by weight; None if none fits.

        Args:
            number: The number of pieces placed so far.
            lengths: The allowed lengths of the hallway to the prefab.
            stream: The random stream.
            whole: Whether all variants of each prefab are tried, one after another, instead of one random variant.
        """
        for name in self.job.streams.race(self.weights, *self.key, "prefab", number):
            if found := self._fitting(name, number, lengths, stream, whole=whole):
                return found
        return None

    def _fitting(
        self, name: str, number: int, lengths: range, stream: Stream, *, whole: bool
    ) -> FittingPiece | None:
        """Return one prefab with a position where it fits, in any orientation; None if it fits nowhere.

        Args:
            name: The name of the prefab.
            number: The number of pieces placed so far.
            lengths: The allowed lengths of the hallway to the prefab.
            stream: The random stream.
            whole: Whether all variants of the prefab are tried, one after another, instead of one random variant.
        """
        tried = set()
        for ways in self._variants(self.job.prefabs[name], number, whole=whole):
            shuffled = [*ways]
            stream.shuffle(shuffled)
            for way in shuffled:
                piece = way.piece
                if piece is None:
                    self.refused[name] = f"it has {way.objection}"
                    continue
                if piece in tried:  # another variant had the same ground
                    continue
                tried.add(piece)
                if self._would_end(piece):
                    self.refused.setdefault(name, LAST)
                    continue
                fit = self._fit(piece, lengths, stream)
                if fit is not None:
                    return FittingPiece(piece, way.drawing, fit)
                self.refused.setdefault(name, NO_SPACE)
        return None

    def _variants(self, prefab: Prefab, number: int, *, whole: bool) -> Iterator[Sequence[OrientedPrefab]]:
        """Yield the drawings of a random variant of a prefab, one for each orientation.

        Args:
            prefab: The prefab.
            number: The number of pieces placed so far, a part of the name of the random stream.
            whole: Whether all variants are yielded, one after another in random order, instead of a single one.
        """
        if not prefab.varies:
            if prefab.name not in self.ways:
                self.ways[prefab.name] = self._oriented(prefab.drawings)
            yield self.ways[prefab.name]
            return
        name = (*self.key, "variant", prefab.name, number)
        if not whole:
            yield self._oriented(prefab.variant(self.job.streams.stream(*name)).drawings)
            return
        for variant in prefab.variants(self.job.streams, *name):
            yield self._oriented(variant.drawings)

    def _oriented(self, drawings: Iterable[Drawing]) -> list[OrientedPrefab]:
        """Wrap each of these drawings of a prefab, one for each orientation, as an `OrientedPrefab`."""
        terrain_set = self.ground.canvas.terrain_set
        return [OrientedPrefab(each, terrain_set) for each in drawings]

    # -- auto-rooms -----------------------------------------------------------------------------

    def _auto_room(self, lengths: range, stream: Stream) -> FittingPiece | None:
        """Return an auto-room with a position where it fits: of a rolled size, or else smaller and smaller. None if none fits.

        Args:
            lengths: The allowed lengths of the hallway to the room.
            stream: The random stream.
        """
        side = self.params.side
        height, width, least = roll(side, stream, 3), roll(side, stream, 3), min(map(int, side.outcomes()))
        while True:
            if found := self._fitting_room(height, width, lengths, stream):
                return found
            if height <= least and width <= least:
                return None
            height, width = max(least, (height + least) // 2), max(least, (width + least) // 2)

    def _fitting_room(self, height: int, width: int, lengths: range, stream: Stream) -> FittingPiece | None:
        """Return an auto-room of `height` x `width` cells with a position where it fits; None if it fits nowhere.

        Args:
            height: The height of the room in cells.
            width: The width of the room in cells.
            lengths: The allowed lengths of the hallway to it.
            stream: The random stream.
        """
        name = roll(self.params.shapes, stream, "rectangle")
        piece = auto_room(SHAPES[name](height, width, stream), stream)
        fit = None if self._would_end(piece) else self._fit(piece, lengths, stream)
        return FittingPiece(piece, None, fit) if fit is not None else None

    # -- fitting --------------------------------------------------------------------------------

    def _would_end(self, piece: MapPiece) -> bool:
        """Tell whether a piece would end the growth too early, with no unused connector left although more pieces are wanted."""
        if not self.count or self.count + 1 >= self.wanted:
            return False
        return len(self.ground.joints) + len(piece.endings) < 3  # two are used up to join it

    def _fit(self, piece: MapPiece, lengths: range, stream: Stream) -> PieceFit | None:
        """Return a random position for a piece, joined to the map unless it is the first; None if it fits nowhere.

        Args:
            piece: The piece.
            lengths: The allowed lengths of the hallway to it.
            stream: The random stream.
        """
        ground = self.ground
        if self.count:
            return ground.fits(piece, lengths, stream)
        return ground.first_spot(piece, stream)

    def _put(self, found: FittingPiece) -> None:
        """Draw a piece on the map and dig the hallway to it."""
        ground, (cell, joint, connector, length) = self.ground, found.fit
        ground.put(found.piece, cell)
        self.count += 1
        if found.drawing is not None:
            name = found.drawing.name
            for each in counted_as(name, self.job.variants):
                self.placed[each] = self.placed.get(each, 0) + 1
                self._leave_out_if_spent(each)
            self.job.drawn.append((found.drawing, *cell))
        if joint is not None and connector is not None:
            y, x = cell.y + connector.y, cell.x + connector.x
            own = ground.joints[y, x, connector.dy, connector.dx]
            ground.join(joint, own, [joint.ahead(step) for step in range(1, length + 1)])

    def _leave_out_if_spent(self, name: str) -> None:
        """Take the prefab `name`, with its variants, out of the deck if all of its allowed copies are placed."""
        if self.placed.get(name, 0) == self.limits.get(name):
            for each in [each for each in self.weights if name in counted_as(each, self.job.variants)]:
                self.weights.pop(each)


# -- the layout -------------------------------------------------------------------------------------


STRETCH = 16
"""Length of the sides of barren stretches, roughly, in cells: about as wide as a room and a hallway."""

FRONT = 3
"""Number of cells in front of a seeded prefab's mouth that are kept free for the way that is dug later."""


ROOM_BESIDE = 14
"""The smallest map has this many more rows and columns than its first prefab: a room fits at one side."""


def connected(canvas: Canvas, params: ConnectedParams, job: LayoutJob) -> Iterator[Step]:
    """Grow a map of prefabs and auto-rooms in the free earth of the canvas, then join unused connectors into loops.

    Args:
        canvas: The map. Everything on it stays.
        params: The author's parameters.
        job: Its streams ("layout", "connected", attempt, ...) decide everything. The prefabs are added to
            `job.drawn`.

    Yields:
        A step after every overlay, and one for the walls; if watched, one after every piece and loop, too.

    Raises:
        GenerationError: There is no space for the first piece.
        HopelessError: No piece that might come first has a connector.
    """
    key = ("layout", "connected", job.attempt)
    closing = params.dice("doors", job.streams.stream(*key, "doors"), "doorway")
    seeded = canvas.drawn.copy()
    ground = PieceGround(
        canvas=canvas,
        close=lambda: CLOSINGS[closing()],
        typed=params.typed,
        span=_span(params, job),
        kept=_fronts(canvas, job.mouths)
        | _barren(canvas, params.barren, job.streams.stream(*key, "outline")),
    )
    yield from PieceGrowth(ground=ground, params=params, job=job, key=key).grow()
    yield from add_loops(ground, params, job.streams.stream(*key, "loops"), watched=job.watched)
    yield from lay_over(ground, params, job.streams.stream(*key, "overlays"))
    # Seeded prefabs are left out: ways to them are dug later.
    wall_up_blind_doors(canvas, ground.board.to_array(ground.whole("built")) & ~seeded)
    reveal_needed_doors(canvas)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, "walls stand where earth meets open cells", canvas)


def _span(params: ConnectedParams, job: LayoutJob) -> int:
    """Return the largest number of rows that a piece, a hallway, or a walk measured for a loop can span."""
    drawn = (max(each.height, each.width) for called in job.called.values() for each in called)
    ways = (
        int(max(params.hallway.outcomes())),
        params.reach + params.saves,
        int(max(params.side.outcomes())),
    )
    return max(*ways, *drawn) + 2


def _fronts(canvas: Canvas, mouths: Iterable[Mouth]) -> int:
    """Return the mask of the cells in front of the mouths (ways out) of seeded prefabs, which corridors to them need later.

    In front of each mouth these are `FRONT` cells straight out, and one more on either side.
    """
    board, mask = canvas.board, 0
    for mouth in mouths:
        lines = mouth.width - 1
        last = (
            mouth.y + mouth.dy * FRONT + lines * abs(mouth.dx),
            mouth.x + mouth.dx * FRONT + lines * abs(mouth.dy),
        )
        rect = Rect.around([(mouth.y, mouth.x), last]).grown().clipped(canvas.height, canvas.width)
        mask |= board.block(*rect)
    return mask


def _barren(canvas: Canvas, share: float, stream: Stream) -> int:
    """Return the mask of the stretches of a map in which nothing is built, and of all parts that they cut off from the largest part.

    Args:
        canvas: The map.
        share: The greatest share of the map that these stretches cover; 0 for none.
        stream: The random stream.
    """
    if not share:
        return 0
    half, board = Board(canvas.height // 2, canvas.width // 2), canvas.board
    coarse = half.to_array(stretches(half, Rect(0, 0, half.height, half.width), share, STRETCH / 2, stream))
    fine = np.pad(coarse.repeat(2, 0).repeat(2, 1), ((0, canvas.height % 2), (0, canvas.width % 2)))
    labels, count = components(~fine)
    if count:
        fine |= labels != np.bincount(labels[labels > 0]).argmax()
    return board.from_array(fine)


def least(params: ConnectedParams, job: LayoutJob) -> Size:
    """Return the smallest map for this layout, as (shorter side, longer side): its first prefab and a room beside it fit."""
    first = [prefab for word in params.start or () for prefab in job.called.get(word, ())]
    side = max((max(each.height, each.width) for each in first), default=0)
    return side + ROOM_BESIDE, side + ROOM_BESIDE


def largest_room(params: ConnectedParams, size: Size) -> Size:
    """Return upper bounds of the (height, width) of auto-rooms on a map of `size`; (0, 0) if the author wants none."""
    if params.auto_share <= 0:
        return 0, 0
    side = max(map(int, params.side.outcomes()))
    return min(side, size[0] - 2), min(side, size[1] - 2)


def objection(params: ConnectedParams, drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:  # noqa: ARG001
    """Return why a drawing can't be a piece (nothing can be joined to it, or parts of it can't be reached); None if it can."""
    return connectors_of(drawing, terrain_set).objection
