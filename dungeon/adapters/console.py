"""A level, a sample of a prefab or a drawing as a tcod console, as text and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dungeon import terrain as t
from dungeon.adapters.scene import Scene, as_seen, figures
from dungeon.core.errors import A_SCENE, check_type, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from tcod.console import Console

    from dungeon.content.drawing.rexpaint import XpLayer
    from dungeon.core.vocabulary import Highlight
    from dungeon.level.model import Level
    from dungeon.proof.solution import SolvedArea
    from dungeon.terrain import TerrainSet


TILE = np.dtype([("ch", np.intc), ("fg", "3B"), ("bg", "3B")])
"""What tcod calls `rgb_graphic`; said again, as tcod takes long to import and only drawing needs it."""

Order = Literal["C", "F"]
"""How a game indexes its arrays: C is ``[y, x]``, F is ``[x, y]``, as tcod calls them."""

KEPT = (72, 72, 80)
"""The colour of the `?` that stands for whatever a map would have, in a prefab without a map."""


def terrain_tiles(terrain: NDArray[np.uint8], terrain_set: TerrainSet) -> NDArray[np.void]:
    """Return how terrain looks.

    Args:
        terrain: (height, width) uint8 codes, or `KEEP`, which looks like a faint `?`.
        terrain_set: What they mean.

    Returns:
        (height, width) of tcod's `rgb_graphic`, ready for `console.rgb[...] = tiles`.
    """
    tiles = np.empty(terrain.shape, dtype=TILE)
    tiles["ch"] = terrain_set.glyph[terrain]
    tiles["fg"] = terrain_set.fg[terrain]
    tiles["bg"] = terrain_set.bg[terrain]
    tiles["fg"][terrain == t.KEEP] = KEPT
    return tiles


def in_order(array: NDArray[Any], order: Order) -> NDArray[Any]:
    """Return a (height, width, ...) array as a game indexes it: as it is, or a view of (width, height, ...).

    Raises:
        ValueError: There is no such order.
    """
    if order not in ("C", "F"):
        raise ValueError(f"an order is 'C', for arrays [y, x], or 'F', for [x, y], not {order!r}")
    return array if order == "C" else array.swapaxes(0, 1)


def to_console(level: Scene, highlight: Highlight | None = None, *, order: Order = "C") -> Console:
    """Return the whole level, or a sample of a prefab, as a console of its size.

    Args:
        level: The level, or whatever else has terrain and spawns.
        highlight: What to tint: "encounters" by category, with the prefabs that are features of the map; its "features";
            its "flow", which is the main way, loops and dead ends; "regions" by kind; or "spawns" by kind.
            `dungeon.adapters.highlights.legend` tells what each tint means.
        order: How the console's arrays are indexed: ``"C"`` for ``[y, x]``, ``"F"`` for ``[x, y]``.

    Raises:
        ValueError: That is not something to highlight, or no order.
    """
    check_type(level, Scene, "to_console", A_SCENE)
    from tcod.console import Console  # noqa: PLC0415  # only drawing needs it, and it takes 60 ms

    height, width = level.terrain.shape
    tiles = terrain_tiles(as_seen(level.terrain, level.terrain_set), level.terrain_set)
    for figure in figures(level):
        tiles["ch"][figure.cell] = ord(figure.glyph)
        tiles["fg"][figure.cell] = figure.fg
    if highlight is not None:
        from dungeon.adapters.highlights import tints  # noqa: PLC0415  # most drawings have none

        for tint in tints(level, highlight):
            tiles["bg"][tint.cells] = tint.hue.colour
    tiles = in_order(tiles, order)
    console = Console(width, height, order=order)
    console.rgb[...] = tiles
    return console


def drawing_to_console(layers: Sequence[XpLayer]) -> Console:
    """Return the drawing as its author sees it: transparent cells show the layer below.

    Args:
        layers: One or more layers of one size.
    """
    from tcod.console import Console  # noqa: PLC0415  # as in `to_console`

    console = Console(layers[0].width, layers[0].height, order="C")
    for layer in layers:
        shown = ~layer.transparent
        console.rgb["ch"][shown] = layer.codepoints[shown]
        console.rgb["fg"][shown] = layer.fg[shown]
        console.rgb["bg"][shown] = layer.bg[shown]
    return console


SHADES = " ░▒▓█"
"""How bright a full block is, where there is no colour to show it."""


def console_to_rows(console: Console) -> list[str]:
    """Return the characters of a console, a string a row, for output without colour.

    What cannot be printed is a space. A full block would say nothing, so it is shaded by its brightness.
    """
    ch = np.where(console.ch >= ord(" "), console.ch, ord(" "))
    brightness = console.fg.astype(np.int64).sum(axis=2) * len(SHADES) // (3 * 255 + 1)
    shades = np.array([ord(shade) for shade in SHADES])[brightness]
    return ["".join(map(chr, row)) for row in np.where(ch == ord("█"), shades, ch).tolist()]


RESET = "\x1b[0m"


def to_ansi(console: Console) -> str:
    """Return the console's rows as lines with escape sequences where colours change."""
    lines = []
    fields = (console.rgb[field].tolist() for field in ("ch", "fg", "bg"))
    for row in zip(*fields, strict=True):
        parts: list[str] = []
        last: tuple[list[int], list[int]] | None = None
        for ch, fg, bg in zip(*row, strict=True):
            if (fg, bg) != last:
                last = fg, bg
                parts.append("\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*fg, *bg))
            parts.append(chr(ch) if ch >= ord(" ") else " ")
        lines.append("".join(parts) + RESET + "\n")
    return "".join(lines)


def to_image(level: Scene, highlight: Highlight | None = None, *, scale: int = 1) -> NDArray[np.uint8]:
    """Return the level, or a sample of a prefab, as an RGBA picture.

    Args:
        level: The level, or whatever else has terrain and spawns.
        highlight: As for `to_console`.
        scale: A cell is 8 * scale pixels wide and high.

    Returns:
        (height * 8 * scale, width * 8 * scale, 4) uint8.
    """
    check_type(level, Scene, "to_image", A_SCENE)
    return render(to_console(level, highlight), scale=scale)


def render(console: Console, *, scale: int = 1) -> NDArray[np.uint8]:
    """Return any console as an RGBA picture, as `to_image` does; no window or display is needed."""
    from dungeon.adapters.tileset import square_tileset  # noqa: PLC0415  # it needs tcod, which takes 60 ms

    picture: NDArray[np.uint8] = square_tileset(scale).render(console)
    return np.ascontiguousarray(picture)


def to_text(level: Scene, *, spawns: bool = True) -> str:
    """Return the level, or a sample of a prefab, as lines of characters, one a cell, each line ended by a newline.

    Args:
        level: The level, or whatever else has terrain and spawns.
        spawns: Whether to show what stands on the terrain.
    """
    check_type(level, Scene, "to_text", A_SCENE)
    codes = as_seen(level.terrain, level.terrain_set)
    rows = [list(map(chr, row)) for row in level.terrain_set.glyph[codes].tolist()]
    if spawns:
        for figure in figures(level):
            rows[figure.cell.y][figure.cell.x] = figure.glyph
    return "".join("".join(row) + "\n" for row in rows)


def to_graph(level: Level) -> str:
    """Return the areas into which a level's locks divide it, and its locks and keys, each a line; then its portals.

    Rounds are those in which all is opened that can be; in round 0 nothing is, and what is in reach then is from the start.
    """
    return "".join(f"{line}\n" for line in _graph(level))


def _graph(level: Level) -> Iterator[str]:
    yield from _locks_and_keys(level)
    for portal in level.portals:
        leads = "leads to and fro" if portal.both else "leads on"
        yield f"  {portal.kind} at y {portal.y}, x {portal.x} {leads}: y {portal.to_y}, x {portal.to_x}"


def _locks_and_keys(level: Level) -> Iterator[str]:
    from dungeon.proof.solution import solution_of  # noqa: PLC0415 - few ask for it

    told = solution_of(level)
    if not told.locks:
        yield "no locks"
        return
    rounds = counted(told.rounds, "round")
    yield f"{counted(len(told.locks), 'lock')} between {counted(len(told.areas), 'area')}, opened in {rounds}"
    names = {(lock.y, lock.x): lock.name for lock in level.locks}
    for area in told.areas:
        yield f"  area {area.number}: {counted(area.cells, 'cell')} {_held_by(level, area)}{_when(area.sphere)}"
    for lock in told.locks:
        lies = f", {counted(lock.distance, 'step')} from the nearest key" if lock.distance is not None else ""
        sides = " and ".join(f"area {number}" for number in lock.areas)
        word = f"{lock.word} ({names[lock.cell]})" if names.get(lock.cell) else lock.word
        yield f"  lock {word}: {lock.what} at y {lock.cell.y}, x {lock.cell.x}, {sides}{lies}{_when(lock.sphere)}"
    for key in told.keys:
        spawn = level.spawns[key.spawn]
        how = " once" if key.consumed else " to and fro" if key.toggles else ""
        words = ", ".join(key.words) + how
        where = f"area {key.areas[0]}" if key.areas else "locked in"
        yield f"  key {words}: {spawn.tag} at y {spawn.y}, x {spawn.x}, {where}{_when(key.sphere)}"


def _held_by(level: Level, area: SolvedArea) -> str:
    """Return in which regions an area lies."""
    kinds = [f"{kind} {number}" for number in area.regions if (kind := level.kinds.get(number))]
    more = f" and {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return f"in {', '.join(kinds[:3])}{more}" if kinds else "in no region"


def _when(sphere: int | None) -> str:
    """Return when something is reached, or opened."""
    return "; never" if sphere is None else f"; round {sphere}" if sphere else "; from the start"
