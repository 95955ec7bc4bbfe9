"""The canvas: a level while it is being built, changed only by methods that keep its arrays, regions and doors consistent.

To *carve* is to turn earth into open terrain, to *stamp* is to draw a prefab on the map. The *outermost* cells are those at the
map's edge. Three things hold after each method: the outermost cells are closed, cells stamped by a prefab are not dug into, and
`used` marks every cell that was carved, stamped or reserved, so that nothing else is dug there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of, components, touching
from dungeon.level.model import Connection, Region, leaps_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Leap
    from dungeon.level.model import Portal

BUILT_IN_TERRAIN = t.TerrainSet()
"""The terrain set of a canvas whose content declares no terrain of its own."""

CELLS = ("terrain", "region", "drawn", "used", "quiet")
"""The names of the canvas's (height, width) arrays."""

MAX_REGIONS = 65_535
"""The most regions of a map: their ids are uint16, and 0 means no region."""


class Canvas:
    """A map under construction; at first all of it is earth.

    Attributes:
        height: Number of rows.
        width: Number of columns.
        board: Converts between (height, width) arrays and bitmasks of the whole map (see `grid.bits`).
        terrain_set: The kinds of terrain.
        terrain: (height, width) uint8 codes of `terrain_set`.
        region: (height, width) uint16 region ids, 0 for none.
        drawn: (height, width) bool: the cells that a prefab has drawn, or that are blocked; nothing else may change them.
        used: (height, width) bool: the cells that may not be dug, because they were dug, drawn or reserved before.
        quiet: (height, width) bool: cells on which nothing is scattered and no encounter is placed.
        regions: The regions so far; the one with the id n is `regions[n - 1]`.
        connections: The doors and gaps between regions so far.
        portals: The portals so far.
    """

    def __init__(self, height: int, width: int, terrain_set: t.TerrainSet | None = None) -> None:
        self.height = height
        self.width = width
        self.board = Board(height, width)
        self.terrain_set = terrain_set or BUILT_IN_TERRAIN
        self.terrain: NDArray[np.uint8] = np.full((height, width), t.EARTH, np.uint8)
        self.region: NDArray[np.uint16] = np.zeros((height, width), np.uint16)
        self.drawn: NDArray[np.bool_] = np.zeros((height, width), np.bool_)
        self.used: NDArray[np.bool_] = np.zeros((height, width), np.bool_)
        self.quiet: NDArray[np.bool_] = np.zeros((height, width), np.bool_)
        self.regions: list[Region] = []
        self.connections: list[Connection] = []
        self.portals: tuple[Portal, ...] = ()
        self._rebounds: list[Region] = []

    def __repr__(self) -> str:
        return f"<Canvas of {self.width}x{self.height} cells, {len(self.regions)} regions, {len(self.connections)} connections>"

    # -- asking ---------------------------------------------------------------------------------

    def inside(self, rect: Rect) -> bool:
        """Tell whether a rectangle lies within the map and contains none of its outermost cells."""
        y, x, height, width = rect
        return y > 0 and x > 0 and y + height < self.height and x + width < self.width

    def may_carve(self, rect: Rect, margin: int = 1) -> bool:
        """Tell whether a rectangle may be carved: it has none of the map's outermost cells, and no used cell in or near it.

        Args:
            rect: The rectangle.
            margin: How far around the rectangle used cells count as near, in cells: 0 or 1.
        """
        return self.inside(rect) and not self.used[rect.grown(margin).slices].any()

    @property
    def open(self) -> NDArray[np.bool_]:
        """(height, width) bool: the cells with open terrain, doors of every kind included."""
        return t.looked_up(self.terrain_set.open, self.terrain)

    @property
    def base(self) -> NDArray[np.uint8]:
        """(height, width) uint8: for each cell, the code of the built-in terrain that its terrain is based on."""
        return t.looked_up(self.terrain_set.base, self.terrain)

    def passable(self, rect: Rect | None = None) -> NDArray[np.bool_]:
        """Return (height, width) bool, of the map or of `rect`: the cells that a player with every key can walk on."""
        terrain = self.terrain if rect is None else self.terrain[rect.slices]
        return t.looked_up(self.terrain_set.passable, terrain)

    @property
    def leaps(self) -> tuple[Leap, ...]:
        """The pairs of cells that count as neighbours: (begin, end) of each portal that leads both ways."""
        return leaps_of(self.portals)

    def within(self, regions: Iterable[int]) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells of the regions with these ids."""
        numbers, chosen = list(regions), np.zeros(len(self.regions) + 1, np.bool_)
        chosen[numbers] = True
        return chosen.take(self.region) if numbers else np.zeros(self.region.shape, np.bool_)

    # -- carving --------------------------------------------------------------------------------

    def add_region(self, kind: str, bounds: Rect, *, sealed: bool = False) -> int:
        """Add a region without cells and return its id; carving assigns its cells.

        Args:
            kind: The kind of the region, such as `room`.
            bounds: The smallest rectangle around the cells that it will have.
            sealed: Whether the region will be cut off from the rest of the map on purpose.

        Raises:
            GenerationError: The map already has `MAX_REGIONS` regions.
        """
        number = len(self.regions) + 1
        if number > MAX_REGIONS:
            raise GenerationError(f"a map has at most {MAX_REGIONS} regions")
        self.regions.append(Region(id=number, kind=kind, bounds=bounds, sealed=sealed))
        return number

    def carve(self, rect: Rect, code: int, region: int) -> None:
        """Turn all cells of a rectangle into open terrain with this code, and set their region id to `region`.

        Raises:
            ValueError: The rectangle contains one of the map's outermost cells.
        """
        if not self.inside(rect):
            raise ValueError(f"{rect} reaches the closed edge of a map of {self.height}x{self.width}")
        area = rect.slices
        self.terrain[area], self.region[area] = code, region
        self.used[rect.slices] = True

    def carve_room(self, rect: Rect, kind: str = "room", code: int = t.FLOOR) -> int:
        """Carve a rectangle as a new region and return the region's id; raise like `add_region` and `carve`.

        Placing modes rely on walls around rooms: the only open cells that touch a room must be its doors (`add_door`).
        """
        region = self.add_region(kind, rect)
        self.carve(rect, code, region)
        return region

    def carve_cells(self, cells: Iterable[tuple[int, int]], code: int, region: int) -> None:
        """Turn the cells (y, x) into open terrain with this code, and set their region id to `region`.

        Raises:
            ValueError: A cell is one of the map's outermost cells. The cells before this one have been carved.
        """
        terrain, regions, used = self.terrain, self.region, self.used
        bottom, right = self.height - 1, self.width - 1
        for y, x in cells:
            if not (0 < y < bottom and 0 < x < right):
                raise ValueError(f"{y}, {x} reaches the closed edge of a map of {self.height}x{self.width}")
            terrain[y, x] = code
            regions[y, x] = region
            used[y, x] = True

    def carve_spaces(self, labels: NDArray[np.int32], bounds: Sequence[Rect], kind: str, code: int) -> int:
        """Carve spaces of any shape, such as caves, each as a new region.

        Args:
            labels: (height, width): n, from 1, at the cells of space n; 0 or less at all other cells and at the map's edge.
            bounds: The smallest rectangle around each space, in order of their numbers.
            kind: The kind of the new regions.
            code: The code of their terrain.

        Returns:
            The number of regions on the canvas before. If it is 5, space n becomes the region n + 5.
        """
        before = len(self.regions)
        for each in bounds:
            self.add_region(kind, each)
        carved = labels > 0
        np.copyto(self.terrain, np.uint8(code), where=carved)
        np.copyto(self.region, labels + before, where=carved, casting="unsafe")
        self.used |= carved
        return before

    def sketch(self, cells: NDArray[np.bool_], code: int, within: NDArray[np.bool_] | None = None) -> None:
        """Set terrain codes just to show them while generation is watched: nothing is carved; `used` and `region` don't change.

        Args:
            cells: (height, width) bool: the cells to show as terrain of this code; all others are shown as earth.
            code: The code of the terrain.
            within: (height, width) bool: the cells that may be changed, which must be free earth; by default the whole map.
        """
        if within is None:
            np.multiply(cells.view(np.uint8), np.uint8(code), out=self.terrain)
        else:
            np.copyto(self.terrain, cells.view(np.uint8) * np.uint8(code), where=within)

    # The next three methods carve without checks, for a layout that has planned all of it: `plan` marks the cells at once, and
    # the other two open them piece by piece.

    def plan(self, cells: NDArray[np.bool_]) -> None:
        """Mark cells as used because they will be carved.

        Args:
            cells: (height, width) bool; without outermost cells, unless they are marked as used already.
        """
        self.used |= cells

    def carve_planned(self, rect: Rect, kind: str, code: int) -> int:
        """Carve a rectangle of cells marked by `plan` as a new region, and return the region's id.

        Raises:
            GenerationError: The map already has `MAX_REGIONS` regions.
        """
        regions = self.regions
        number = len(regions) + 1
        if number > MAX_REGIONS:
            raise GenerationError(f"a map has at most {MAX_REGIONS} regions")
        regions.append(Region(id=number, kind=kind, bounds=rect))
        y, x, height, width = rect
        self.terrain[y : y + height, x : x + width] = code
        self.region[y : y + height, x : x + width] = number
        return number

    def add_planned_door(self, y: int, x: int, between: tuple[int, int], kind: int = t.DOOR) -> None:
        """Open a door or gap of this kind in a wall cell marked by `plan`, between the regions with these two ids."""
        self.terrain[y, x] = kind
        self.connections.append(Connection(y=y, x=x, kind=kind, between=between))

    def set_bounds(self, region: int, bounds: Rect) -> None:
        """Set the bounds of the region with this id, in such a way that `restore` can undo the change."""
        old = self.regions[region - 1]
        if bounds != old.bounds:
            self._rebounds.append(old)
            self.regions[region - 1] = replace(old, bounds=bounds)

    def settle_bounds(self, region: int, area: Rect | None = None) -> None:
        """Shrink or move a region's bounds to the smallest rectangle around its cells; a region without cells keeps its bounds.

        Args:
            region: The id of the region. For 0, nothing changes.
            area: A rectangle that contains all cells of the region; by default the region's bounds so far.
        """
        if not region:
            return
        area = area or self.regions[region - 1].bounds
        own = self.region[area.slices] == region
        if own.any():
            cells = bounds_of(own)
            self.set_bounds(region, Rect(area.y + cells.y, area.x + cells.x, cells.height, cells.width))

    def room_to_zone(self, region: int) -> None:
        """Change a region's kind from `room` to `zone`, because openings other than doors now lead into it; other kinds stay.

        Args:
            region: The id of the region. For 0, nothing changes.
        """
        if region and self.regions[region - 1].kind == "room":
            self.regions[region - 1] = replace(self.regions[region - 1], kind="zone")

    def widen_bounds(self, region: int, rect: Rect) -> None:
        """Widen a region's bounds until they enclose a rectangle, for a region that is carved in several pieces."""
        self.set_bounds(region, self.regions[region - 1].bounds.joined(rect))

    def add_door(self, y: int, x: int, between: tuple[int, int], kind: int = t.DOOR) -> None:
        """Carve a connection of this kind (doorway, door...) through the wall cell (y, x), between the regions with these two ids.

        Raises:
            ValueError: The cell is one of the map's outermost cells.
        """
        self.carve_cells(((y, x),), kind, 0)
        self.connections.append(Connection(y=y, x=x, kind=kind, between=between))

    def remove_doors(self, cells: Iterable[tuple[int, int]]) -> None:
        """Remove the connections at these cells from the list of connections; the terrain of the cells does not change."""
        gone = set(cells)
        # a new list, because a snapshot may still refer to the old one
        self.connections = [door for door in self.connections if (door.y, door.x) not in gone]

    def fill(self, rect: Rect, *, but: Rect | None = None, of: int | None = None) -> None:
        """Turn a rectangle back into free earth, apart from cells that a prefab has drawn.

        Args:
            rect: The rectangle.
            but: A smaller rectangle inside the first that stays unchanged; None for none.
            of: The id of the only region whose open cells are filled. All other open cells stay, such as a door in the bounds
                of a round room. None fills the open cells of all regions.
        """
        area = rect.slices
        if but is not None:
            inner = but.slices
            terrain, region, used = (
                self.terrain[inner].copy(),
                self.region[inner].copy(),
                self.used[inner].copy(),
            )
        kept = self.drawn[area]
        if of is not None:
            kept = kept | (self.terrain_set.open.take(self.terrain[area]) & (self.region[area] != of))
        self.used[area] = kept
        np.copyto(self.terrain[area], np.uint8(t.EARTH), where=~kept)
        self.region[area] *= kept
        if but is not None:
            self.terrain[inner], self.region[inner] = terrain, region
            self.used[inner] |= used

    def reserve(self, rect: Rect) -> None:
        """Mark a rectangle as used, so that nothing is carved there; its terrain does not change."""
        self.used[rect.slices] = True

    def block(self, rect: Rect) -> None:
        """Turn a rectangle of the map into blocked terrain: nothing is ever dug or drawn there."""
        self.terrain[rect.slices] = t.BLOCKED
        self.drawn[rect.slices] = True
        self.used[rect.slices] = True

    def claim(self, rect: Rect) -> None:
        """Mark all cells of a rectangle as drawn by a prefab, so that nothing else changes them.

        That includes cells where the prefab's drawing leaves the map's terrain as it is (`KEEP`).
        """
        self.drawn[rect.slices] = True

    def keep_quiet(self, rect: Rect) -> None:
        """Mark a rectangle as quiet: nothing is scattered there, and no encounter is placed."""
        self.quiet[rect.slices] = True

    def keep_region_quiet(self, region: int) -> None:
        """Mark the cells of a region as quiet: from now on nothing is scattered there, and no encounter is placed."""
        area = self.regions[region - 1].bounds.slices
        self.quiet[area] |= self.region[area] == region

    def stamp(
        self,
        y: int,
        x: int,
        codes: NDArray[np.uint8],
        region: int | NDArray[np.uint16],
        sealed: NDArray[np.bool_] | None = None,
    ) -> None:
        """Draw a prefab's terrain on the map; where its code is `KEEP`, the map stays as it is.

        Args:
            y: The row of the drawing's top left cell on the map.
            x: The column of that cell.
            codes: (height, width) uint8 terrain codes of the drawing.
            region: The region id of the drawing's open cells: one for all, or (height, width) with one for each cell.
            sealed: (height, width) bool, the open cells that are cut off on purpose: each connected part of them becomes
                a sealed region of its own, without doors that lead nowhere. None for none.

        Raises:
            ValueError: The drawing covers one of the map's outermost cells.
        """
        rect = Rect(y, x, *codes.shape)
        if not self.inside(rect):
            raise ValueError(f"{rect} reaches the closed edge of a map of {self.height}x{self.width}")
        area = rect.slices
        regions = self.terrain_set.open.take(codes) * np.asarray(region, np.uint16)
        if t.KEEP not in codes.tobytes():
            self.terrain[area], self.region[area], self.drawn[area] = codes, regions, True
            self.used[rect.slices] = True
        else:
            drawn = codes != t.KEEP
            np.copyto(self.terrain[area], codes, where=drawn)
            np.copyto(self.region[area], regions, where=drawn)
            self.drawn[area] |= drawn
            self.used[rect.slices] |= drawn
        if sealed is not None:
            self._seal(rect, sealed)

    def _seal(self, rect: Rect, cells: NDArray[np.bool_]) -> None:
        """Make each connected part of the open `cells` of a rectangle a sealed region; doors in them that lead nowhere become wall."""
        terrain, region = self.terrain[rect.slices], self.region[rect.slices]
        while True:
            inner = np.pad(cells, 1).astype(np.int8)
            ways = inner[:-2, 1:-1] + inner[2:, 1:-1] + inner[1:-1, :-2] + inner[1:-1, 2:]
            blind = cells & self.terrain_set.door.take(terrain) & (ways < 2)
            if not blind.any():
                break
            terrain[blind], region[blind] = t.WALL, 0
            cells = cells & ~blind
        labels, count = components(cells)
        for part in (labels == number for number in range(1, count + 1)):
            top, left, height, width = bounds_of(part)
            bounds = Rect(rect.y + top, rect.x + left, height, width)
            region[part] = self.add_region("prefab", bounds, sealed=True)

    def draw_whole(self, frame: int, codes: NDArray[np.uint8]) -> None:
        """Draw a whole map on the canvas. Unlike a prefab (`stamp`), it may be dug into and built on afterwards.

        Open cells at the canvas's edge become wall.

        Args:
            frame: How many cells at each edge of the canvas the drawing leaves free.
            codes: Terrain codes, (height - 2 * frame, width - 2 * frame) uint8; `KEEP` becomes earth.
        """
        inner = self.terrain[frame : self.height - frame, frame : self.width - frame]
        inner[:] = np.where(codes == t.KEEP, t.EARTH, codes)
        edge = np.ones(self.terrain.shape, np.bool_)
        edge[1:-1, 1:-1] = False
        self.terrain[edge & self.open] = t.WALL
        self.used |= self.terrain != t.EARTH

    def assign(self, cells: NDArray[np.intp], region: int) -> None:
        """Set the region id of open cells, given as flat indices (y * width + x)."""
        self.region.flat[cells] = region

    def close(self, cells: NDArray[np.bool_]) -> None:
        """Turn the cells set in a (height, width) bool array back into free earth, whatever terrain they had."""
        np.copyto(self.terrain, np.uint8(t.EARTH), where=cells)
        np.copyto(self.region, np.uint16(0), where=cells)
        self.used &= ~cells

    def open_bed(self, cells: NDArray[np.bool_]) -> None:
        """Mark cells of a new water bed in solid ground as used, and build walls around them; they belong to no region.

        Args:
            cells: (height, width) bool: the cells of the bed. Their terrain is set already, and none lies at the map's edge.
        """
        self.used |= cells
        np.copyto(self.terrain, np.uint8(t.WALL), where=touching(cells) & (self.base == t.EARTH))

    def put(self, y: int, x: int, code: int) -> None:
        """Set the terrain code of the open cell (y, x) and nothing else, to put stairs on a floor, for example."""
        self.terrain[y, x] = code

    def wall_up(self, y: int, x: int) -> None:
        """Turn the open cell (y, x) into wall; it then belongs to no region."""
        self.terrain[y, x] = t.WALL
        self.region[y, x] = 0

    def build_walls(
        self, rect: Rect | None = None, *, among: NDArray[np.bool_] | None = None, clear: bool = True
    ) -> None:
        """Turn earth beside open cells, also diagonally, into wall; turn wall that no open cell touches into earth.

        Args:
            rect: Only cells in this rectangle may change; by default all cells of the map.
            among: (height, width) bool with the shape of `rect`: only these of its cells may change; by default all.
            clear: Whether walls that touch no open cell become earth (walls that a prefab drew never do); if False, all walls stay.
        """
        area = Rect(0, 0, self.height, self.width) if rect is None else rect.clipped(self.height, self.width)
        y, x, height, width = area
        above, before = min(y, 1), min(x, 1)
        wide = self.terrain[y - above : y + height + 1, x - before : x + width + 1]
        opened = np.zeros((height + 2, width + 2), np.bool_)
        opened[1 - above :, 1 - before :][: wide.shape[0], : wide.shape[1]] = self.terrain_set.open.take(wide)
        beside = opened[:, :-2] | opened[:, 1:-1]
        beside |= opened[:, 2:]
        near = beside[:-2] | beside[1:-1]
        near |= beside[2:]
        terrain = self.terrain[area.slices]
        base = self.terrain_set.base.take(terrain)
        # Earth is 0 and wall 1, so the sum is at most 1 for earth and for wall that no prefab drew.
        natural = base + self.drawn[area.slices].view(np.uint8) <= t.WALL if clear else base == t.EARTH
        if among is not None:
            natural &= among
        np.copyto(terrain, near.view(np.uint8), where=natural)

    # -- going back -----------------------------------------------------------------------------

    def copy(self) -> Canvas:
        """Return an independent copy of the canvas."""
        other = Canvas(self.height, self.width, self.terrain_set)
        for name in ("terrain", "region", "drawn", "used", "quiet"):
            getattr(other, name)[...] = getattr(self, name)
        other.regions = self.regions.copy()
        other.connections = self.connections.copy()
        other.portals = self.portals
        return other

    def snapshot(self, rect: Rect) -> Snapshot:
        """Return a copy of the cells of a rectangle with which `restore` can undo later changes.

        Of the regions and connections, the snapshot holds only their numbers; the canvas itself logs later changes of regions.
        Restoring a snapshot therefore makes all snapshots that were made after it invalid.
        """
        part = rect.slices
        return Snapshot(
            rect,
            self.terrain[part].copy(),
            self.region[part].copy(),
            self.drawn[part].copy(),
            self.used[part].copy(),
            self.quiet[part].copy(),
            len(self.regions),
            len(self._rebounds),
            self.connections,
            len(self.connections),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Undo all changes since a snapshot to the cells in its rectangle, the regions, their bounds, and the connections."""
        rect = snapshot.rect
        self.terrain[rect.slices] = snapshot.terrain
        self.region[rect.slices] = snapshot.region
        self.drawn[rect.slices] = snapshot.drawn
        self.used[rect.slices] = snapshot.used
        self.quiet[rect.slices] = snapshot.quiet
        while len(self._rebounds) > snapshot.bounds:
            old = self._rebounds.pop()
            self.regions[old.id - 1] = old
        del self.regions[snapshot.regions :]
        self.connections = snapshot.connections
        del self.connections[snapshot.connection_count :]

    def take_back(self, before: Snapshot, after: Snapshot, region: Region) -> bool:
        """Undo what placing one encounter changed, and keep later changes elsewhere; return False if that is impossible.

        It is possible only if three things have not changed since: the cells that the placement changed, the cells that touch
        these, and the placement's doors. Otherwise later work may depend on them, and nothing is undone.

        A snapshot made before this call can still be restored, which takes back this call, too.

        Args:
            before: A snapshot of the placement's rectangle, made right before the encounter was placed.
            after: A snapshot of the same rectangle, made right after that.
            region: The region in which the encounter was placed, with the bounds that the region had before.
        """
        rect = before.rect
        now = self.snapshot(rect)
        changed = np.logical_or.reduce([getattr(before, name) != getattr(after, name) for name in CELLS])
        same = (now.terrain == after.terrain) & (now.region == after.region) & (now.drawn == after.drawn)
        had = before.connections[: before.connection_count]
        has = after.connections[: after.connection_count]
        gone = [each for each in had if each not in has] if had != has else []
        new = [each for each in has if each not in had] if had != has else []
        if (
            before.regions != after.regions
            or not same[touching(changed)].all()
            or not all(each in self.connections for each in new)
        ):
            return False
        for name in CELLS:
            np.copyto(getattr(self, name)[rect.slices], getattr(before, name), where=changed)
        self.build_walls(rect, among=changed, clear=False)  # for cells dug beside the rectangle since
        if had != has:
            self.connections = [each for each in self.connections if each not in new] + gone
        self.set_bounds(region.id, region.bounds)
        return True


class Snapshot(NamedTuple):
    """A copy of a rectangle of the canvas, for `Canvas.restore`.

    Attributes:
        rect: The rectangle.
        terrain: The rectangle's part of `Canvas.terrain`; this array and the next four have the rectangle's shape.
        region: The rectangle's part of `Canvas.region`.
        drawn: The rectangle's part of `Canvas.drawn`.
        used: The rectangle's part of `Canvas.used`.
        quiet: The rectangle's part of `Canvas.quiet`.
        regions: The number of regions of the canvas when the snapshot was made.
        bounds: How many times the bounds of regions had been changed on the canvas when the snapshot was made.
        connections: The list `Canvas.connections` itself, not a copy: connections may have been appended to it since.
        connection_count: The length of this list when the snapshot was made.
    """

    rect: Rect
    terrain: NDArray[np.uint8]
    region: NDArray[np.uint16]
    drawn: NDArray[np.bool_]
    used: NDArray[np.bool_]
    quiet: NDArray[np.bool_]
    regions: int
    bounds: int
    connections: list[Connection]
    connection_count: int


MouthKind = Literal["tunneler", "connector", "diggable"]


class Mouth(NamedTuple):
    """A place where the layout must or may join a corridor to a seeded prefab, which is on the map before the layout.

    A mouth of width 2 that opens to the south, with `o` its (y, x):

        #..#    the last row of the prefab, which is open here
         o.     the first cells of the corridor

    Attributes:
        y: The row of the corridor's first cell outside the prefab; of the topmost or leftmost one if the corridor is wider.
        x: The column of that cell.
        dy: -1, 0 or 1: the step in rows that leads away from the prefab.
        dx: -1, 0 or 1: the step in columns that leads away from the prefab.
        width: The width of the corridor in cells.
        kind: `tunneler`: a corridor must start here. `connector`: a corridor may end here, and must if the prefab would otherwise
            be cut off. `diggable`: a corridor may end here; for that, it digs the prefab's cell (y - dy, x - dx), which is earth.
        region: The id of the prefab's region.
    """

    y: int
    x: int
    dy: int
    dx: int
    width: int
    kind: MouthKind
    region: int
