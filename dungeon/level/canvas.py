"""The level while it is being built: a few verbs that keep its arrays, regions and doors in step.

Layouts and placing modes draw only through these verbs. Whatever they do, three things hold afterwards:
the outermost cells stay closed, cells stamped by a prefab are not dug into, and `used` marks the cells that
were carved, stamped or reserved, so that nothing else is dug there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of, touching
from dungeon.level.model import Connection, Region, leaps_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Leap
    from dungeon.level.model import Portal

BUILT_IN_TERRAIN = t.TerrainSet()
"""What a canvas is made of unless its content says more."""

CELLS = ("terrain", "region", "drawn", "used", "quiet")
"""The arrays of a canvas, a value for each cell."""

MAX_REGIONS = 65_535
"""Region ids are uint16, and 0 is none."""


class Canvas:
    """A map under construction, all earth at first.

    Attributes:
        board: How masks of the whole map are laid out in integers.
        terrain: (height, width) uint8 codes of `terrain_set`.
        region: (height, width) uint16 region ids, 0 for none.
        drawn: (height, width) bool, the cells that a prefab has stamped and no one else may change.
        used: (height, width) bool, the cells that are not free to be dug: carved, stamped or reserved.
        quiet: (height, width) bool, the cells on which nothing is scattered and no encounter is placed.
        regions: The regions; the one with id n is `regions[n - 1]`.
        connections: All ways through walls between regions made so far; `portals`: likewise.
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
        """Tell whether the rectangle lies within the map and off its outermost cells."""
        y, x, height, width = rect
        return y > 0 and x > 0 and y + height < self.height and x + width < self.width

    def may_carve(self, rect: Rect, margin: int = 1) -> bool:
        """Tell whether the rectangle and `margin` (0 or 1) cells around it are free earth inside the border."""
        return self.inside(rect) and not self.used[rect.grown(margin).slices].any()

    @property
    def open(self) -> NDArray[np.bool_]:
        """(height, width) bool: the cells that are carved, doors of every kind included."""
        return t.looked_up(self.terrain_set.open, self.terrain)

    @property
    def base(self) -> NDArray[np.uint8]:
        """(height, width) uint8: the built-in terrain each cell is based on."""
        return t.looked_up(self.terrain_set.base, self.terrain)

    def passable(self, rect: Rect | None = None) -> NDArray[np.bool_]:
        """Return where a walker gets who can open every door: (height, width) bool of the map, or of a rectangle of it."""
        terrain = self.terrain if rect is None else self.terrain[rect.slices]
        return t.looked_up(self.terrain_set.passable, terrain)

    @property
    def leaps(self) -> tuple[Leap, ...]:
        """The pairs of cells between which portals lead both ways."""
        return leaps_of(self.portals)

    def within(self, regions: Iterable[int]) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells of these regions."""
        numbers, chosen = list(regions), np.zeros(len(self.regions) + 1, np.bool_)
        chosen[numbers] = True
        return chosen.take(self.region) if numbers else np.zeros(self.region.shape, np.bool_)

    # -- carving --------------------------------------------------------------------------------

    def add_region(self, kind: str, bounds: Rect, *, sealed: bool = False) -> int:
        """Begin a region and return its id; its cells are assigned by carving.

        Raises:
            GenerationError: There are as many as the arrays can tell apart.
        """
        number = len(self.regions) + 1
        if number > MAX_REGIONS:
            raise GenerationError(f"a map has at most {MAX_REGIONS} regions")
        self.regions.append(Region(id=number, kind=kind, bounds=bounds, sealed=sealed))
        return number

    def carve(self, rect: Rect, code: int, region: int) -> None:
        """Turn the rectangle into open terrain of that code, part of that region.

        Raises:
            ValueError: The rectangle touches the outermost cells.
        """
        if not self.inside(rect):
            raise ValueError(f"{rect} reaches the closed edge of a map of {self.height}x{self.width}")
        area = rect.slices
        self.terrain[area], self.region[area] = code, region
        self.used[rect.slices] = True

    def carve_room(self, rect: Rect, kind: str = "room", code: int = t.FLOOR) -> int:
        """Carve a rectangle as a region of its own and return the region's id. It raises what `add_region` and `carve` do.

        Placing modes rely on rooms being apart: a room touches no other open cell but its doors, which are
        made with `add_door`.
        """
        region = self.add_region(kind, rect)
        self.carve(rect, code, region)
        return region

    def carve_cells(self, cells: Iterable[tuple[int, int]], code: int, region: int) -> None:
        """Turn (y, x) cells into open terrain of that code, part of that region.

        Raises:
            ValueError: One of them is among the outermost cells.
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
        """Carve spaces of any shape, each as a region of its own.

        Args:
            labels: (height, width), n at the cells of the nth space, at most 0 elsewhere and at the outermost cells.
            bounds: The smallest rectangle around each space.
            kind: What the regions are.
            code: Their terrain.

        Returns:
            What to add to a space's number to get its region's id.
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
        """Show, for a step, some cells of free earth as terrain of that code and the others as earth; none is carved.

        Args:
            cells: (height, width) bool.
            code: The terrain.
            within: The free earth; the whole map by default.
        """
        if within is None:
            np.multiply(cells.view(np.uint8), np.uint8(code), out=self.terrain)
        else:
            np.copyto(self.terrain, cells.view(np.uint8) * np.uint8(code), where=within)

    # The three that follow do in bulk what carving does: a layout that has planned it all marks its cells at once,
    # and then opens them piece by piece.

    def plan(self, cells: NDArray[np.bool_]) -> None:
        """Mark many cells, (height, width) bool, as used, which are about to be carved; none of the outermost may be new."""
        self.used |= cells

    def carve_planned(self, rect: Rect, kind: str, code: int) -> int:
        """Carve a rectangle of planned cells as a region of its own; return its id, or raise a GenerationError as `add_region`."""
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
        """Open a way of that kind through a planned wall cell."""
        self.terrain[y, x] = kind
        self.connections.append(Connection(y=y, x=x, kind=kind, between=between))

    def set_bounds(self, region: int, bounds: Rect) -> None:
        """Say that a region's cells now all lie within `bounds`."""
        old = self.regions[region - 1]
        if bounds != old.bounds:
            self._rebounds.append(old)
            self.regions[region - 1] = replace(old, bounds=bounds)

    def settle_bounds(self, region: int, area: Rect | None = None) -> None:
        """Make a region's bounds the smallest rectangle around its cells; leave them as they are if it has none.

        Args:
            region: The region's id; 0 for no region.
            area: A rectangle that all cells of the region lie in; by default its bounds.
        """
        if not region:
            return
        area = area or self.regions[region - 1].bounds
        own = self.region[area.slices] == region
        if own.any():
            cells = bounds_of(own)
            self.set_bounds(region, Rect(area.y + cells.y, area.x + cells.x, cells.height, cells.width))

    def unroom(self, region: int) -> None:
        """Say that a region, if it is a room, is one no longer but a zone: other cells than doors lead into it."""
        if region and self.regions[region - 1].kind == "room":
            self.regions[region - 1] = replace(self.regions[region - 1], kind="zone")

    def widen_bounds(self, region: int, rect: Rect) -> None:
        """Grow a region's bounds to enclose the rectangle: for regions carved in several pieces."""
        self.set_bounds(region, self.regions[region - 1].bounds.joined(rect))

    def add_door(self, y: int, x: int, between: tuple[int, int], kind: int = t.DOOR) -> None:
        """Open a connection of that kind (doorway, door...) through a wall cell, as `carve_cells` does, between regions of these ids."""
        self.carve_cells(((y, x),), kind, 0)
        self.connections.append(Connection(y=y, x=x, kind=kind, between=between))

    def remove_doors(self, cells: Iterable[tuple[int, int]]) -> None:
        """Forget the connections at these cells; what the cells become is up to the caller."""
        gone = set(cells)
        # A new list: a snapshot may still have the old one.
        self.connections = [door for door in self.connections if (door.y, door.x) not in gone]

    def fill(self, rect: Rect, *, but: Rect | None = None, of: int | None = None) -> None:
        """Turn all of the rectangle that no prefab has stamped back into free earth.

        Args:
            rect: Where.
            but: A rectangle within it that stays.
            of: The region that goes; what else is open there stays, such as a door in the bounds of a round room. None for all.
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
        """Keep the rectangle from being carved, without changing it."""
        self.used[rect.slices] = True

    def block(self, rect: Rect) -> None:
        """Turn the rectangle, which lies on the map, into blocked terrain: nobody ever digs through it."""
        self.terrain[rect.slices] = t.BLOCKED
        self.drawn[rect.slices] = True
        self.used[rect.slices] = True

    def claim(self, rect: Rect) -> None:
        """Say that all of the rectangle is a prefab's, also what that has left as it was: nobody else may change it."""
        self.drawn[rect.slices] = True

    def keep_quiet(self, rect: Rect) -> None:
        """Keep the rectangle quiet: nothing is scattered there, and no encounter is placed."""
        self.quiet[rect.slices] = True

    def keep_region_quiet(self, region: int) -> None:
        """Let nothing be scattered in a region, and no other encounter be placed there."""
        area = self.regions[region - 1].bounds.slices
        self.quiet[area] |= self.region[area] == region

    def stamp(self, y: int, x: int, codes: NDArray[np.uint8], region: int | NDArray[np.uint16]) -> None:
        """Draw a prefab's terrain with its top-left cell at (y, x); `KEEP` cells leave the map as it is.

        Args:
            y: Row of the top-left cell.
            x: Column of the top-left cell.
            codes: (height, width) uint8 terrain codes.
            region: The region that its open cells belong to; (height, width), where each belongs to one of its own.

        Raises:
            ValueError: The drawing touches the outermost cells.
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

    def draw_whole(self, frame: int, codes: NDArray[np.uint8]) -> None:
        """Draw a map that fills the canvas but for a frame of that many cells; its outermost cells are closed.

        Unlike a stamped prefab it stays free to be dug and built on.
        """
        inner = self.terrain[frame : self.height - frame, frame : self.width - frame]
        inner[:] = np.where(codes == t.KEEP, t.EARTH, codes)
        edge = np.ones(self.terrain.shape, np.bool_)
        edge[1:-1, 1:-1] = False
        self.terrain[edge & self.open] = t.WALL
        self.used |= self.terrain != t.EARTH

    def assign(self, cells: NDArray[np.intp], region: int) -> None:
        """Make these cells, flat indices of open ones, part of a region."""
        self.region.flat[cells] = region

    def close(self, cells: NDArray[np.bool_]) -> None:
        """Turn cells back into earth, whatever they are."""
        np.copyto(self.terrain, np.uint8(t.EARTH), where=cells)
        np.copyto(self.region, np.uint16(0), where=cells)
        self.used &= ~cells

    def open_bed(self, cells: NDArray[np.bool_]) -> None:
        """Say that cells which were solid have been opened, for water say, and wall them in; they belong to no region.

        Args:
            cells: (height, width) bool, none of them among the outermost; their terrain is as it is to be.
        """
        self.used |= cells
        np.copyto(self.terrain, np.uint8(t.WALL), where=touching(cells) & (self.base == t.EARTH))

    def put(self, y: int, x: int, code: int) -> None:
        """Change what one open cell is made of: stairs on a floor, say."""
        self.terrain[y, x] = code

    def wall_up(self, y: int, x: int) -> None:
        """Turn an open cell into wall."""
        self.terrain[y, x] = t.WALL
        self.region[y, x] = 0

    def build_walls(
        self, rect: Rect | None = None, *, among: NDArray[np.bool_] | None = None, clear: bool = True
    ) -> None:
        """Turn earth that touches open cells into wall, and wall that touches none into earth.

        Args:
            rect: Where; by default everywhere.
            among: (height, width) bool of that, the cells that may change; by default all.
            clear: Whether walls that touch nothing open go, but for those a prefab drew; otherwise all stay.
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
        # Earth is 0 and wall 1, so that this holds for any earth, and for wall that is not drawn.
        natural = base + self.drawn[area.slices].view(np.uint8) <= t.WALL if clear else base == t.EARTH
        if among is not None:
            natural &= among
        np.copyto(terrain, near.view(np.uint8), where=natural)

    # -- going back -----------------------------------------------------------------------------

    def copy(self) -> Canvas:
        """Return a canvas that is like this one and changes by itself."""
        other = Canvas(self.height, self.width, self.terrain_set)
        for name in ("terrain", "region", "drawn", "used", "quiet"):
            getattr(other, name)[...] = getattr(self, name)
        other.regions = self.regions.copy()
        other.connections = self.connections.copy()
        other.portals = self.portals
        return other

    def snapshot(self, rect: Rect) -> Snapshot:
        """Remember a rectangle, and all regions and doors, before changing them.

        Of regions and doors only their number is remembered, however many there are: the changes made to them since
        can be taken back. So a snapshot is good until an older one has been gone back to.
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
        """Undo every change inside the snapshot's rectangle since it was taken."""
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
        """Undo what one placement changed, while later changes elsewhere stay; tell whether that was possible.

        It is possible if the cells that it changed, the cells that touch these, and its doors are still as it left them: else something
        later may depend on them, and nothing changes. It is a change like any other: an older snapshot takes it back.

        Args:
            before: What the rectangle of the placement was before it.
            after: What the same rectangle was after it.
            region: The region that the placement lies in, with the bounds that it had before.
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
        self.build_walls(rect, among=changed, clear=False)  # of what was dug beside the rectangle since
        if had != has:
            self.connections = [each for each in self.connections if each not in new] + gone
        self.set_bounds(region.id, region.bounds)
        return True


class Snapshot(NamedTuple):
    """A copy of a rectangle of the canvas, to go back to.

    Attributes:
        rect: The rectangle. The arrays have its shape.
        regions: How many regions there were, and `bounds` how many changes of bounds had been made.
        connections: The list of connections that there was then, of which the first `connection_count` are those.
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
    """Where a prefab that stands on the map before its layout is to be joined, or may be.

    Lines run along (dy, dx). A mouth two wide that opens to the south, with `o` its (y, x):

        #..#    the prefab's last row, drawn or dug open by whoever seeded it
         o.     the first cells of the way

    Attributes:
        y: The row of the first cell beyond the prefab: of several lines, of the topmost or leftmost one.
        x: Likewise its column.
        dy: With `dx` the direction that leads away from the prefab.
        width: How many lines the way has.
        kind: A way must start here (tunneler); a way that ends here is welcome, and must be there if the prefab would
            be cut off without it (connector); a way may open into the prefab here, through the cell before this
            one, which is still earth (diggable).
        region: The prefab's region.
    """

    y: int
    x: int
    dy: int
    dx: int
    width: int
    kind: MouthKind
    region: int
