"""Draw a level, a sample of a prefab or a REXPaint drawing: as a tcod console, as text, or as a picture; and list a level's locks and keys as text."""

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
    from dungeon.proof.solution import SolvedArea, SolvedKey, SolvedLock
    from dungeon.terrain import TerrainSet


TILE = np.dtype([("ch", np.intc), ("fg", "3B"), ("bg", "3B")])
"""The dtype `tcod.console.rgb_graphic`. It is repeated here because importing tcod takes long, and only drawing needs it."""

Order = Literal["C", "F"]
"""Index order of arrays, in tcod's terms: C is ``[y, x]``, F is ``[x, y]``."""

KEPT = (72, 72, 80)
"""The colour of `?`, which is drawn for `KEEP` in a prefab without a map."""


def terrain_tiles(terrain: NDArray[np.uint8], terrain_set: TerrainSet) -> NDArray[np.void]:
    """Return the characters and colours of terrain.

    Args:
        terrain: (height, width) uint8 codes of `terrain_set`; `KEEP` is drawn as a faint `?`.
        terrain_set: The kinds of terrain.

    Returns:
        (height, width) array of tcod's `rgb_graphic`, for `console.rgb[...] = tiles`.
    """
    tiles = np.empty(terrain.shape, dtype=TILE)
    tiles["ch"] = terrain_set.glyph[terrain]
    tiles["fg"] = terrain_set.fg[terrain]
    tiles["bg"] = terrain_set.bg[terrain]
    tiles["fg"][terrain == t.KEEP] = KEPT
    return tiles


def in_order(array: NDArray[Any], order: Order) -> NDArray[Any]:
    """Return a (height, width, ...) array for the index order ``"C"`` or ``"F"``.

    Returns:
        For ``"C"`` the array itself, for ``"F"`` a (width, height, ...) view of it.

    Raises:
        ValueError: `order` is neither.
    """
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' for arrays [y, x] or 'F' for [x, y], not {order!r}")
    return array if order == "C" else array.swapaxes(0, 1)


def to_console(level: Scene, highlight: Highlight | None = None, *, order: Order = "C") -> Console:
    """Return a console of the level's size with the whole level, or a sample of a prefab, drawn on it.

    Args:
        level: The level, sample or frame.
        highlight: What to tint; None for nothing. "encounters": encounters by category, and the prefabs under the map's
            `features`. "features": these prefabs, barriers and stairs. "flow": the main way, loops and dead ends. "regions":
            regions by kind. "spawns": spawns by kind. "zones": each zone. `dungeon.adapters.highlights.legend` returns the
            meaning of each tint.
        order: Index order of the console's arrays: ``"C"`` for ``[y, x]``, ``"F"`` for ``[x, y]``.

    Raises:
        ValueError: There is no such highlight or order.

    Example:
        >>> console = dungeon.to_console(level, highlight="encounters")
        >>> (console.height, console.width) == level.terrain.shape
        True
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
    """Return a REXPaint drawing as a console, as REXPaint shows it: transparent cells show the layer below.

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
"""Characters for a full block by its brightness, from dark to bright, for output without colour."""


def console_to_rows(console: Console) -> list[str]:
    """Return the characters of a console, one string per row, for output without colour.

    Unprintable characters become spaces. Full blocks become shades by their brightness, as they differ only in colour.
    """
    ch = np.where(console.ch >= ord(" "), console.ch, ord(" "))
    brightness = console.fg.astype(np.int64).sum(axis=2) * len(SHADES) // (3 * 255 + 1)
    shades = np.array([ord(shade) for shade in SHADES])[brightness]
    return ["".join(map(chr, row)) for row in np.where(ch == ord("█"), shades, ch).tolist()]


RESET = "\x1b[0m"


def to_ansi(console: Console) -> str:
    """Return the rows of a console as lines of text with ANSI escape sequences for colours."""
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
        level: The level, sample or frame.
        highlight: As for `to_console`.
        scale: Size of the picture: a cell is 8 * scale pixels wide and high.

    Returns:
        (height * 8 * scale, width * 8 * scale, 4) uint8.

    Example:
        >>> picture = dungeon.to_image(level, scale=2)
        >>> picture.shape == (level.height * 16, level.width * 16, 4)
        True
    """
    check_type(level, Scene, "to_image", A_SCENE)
    return render(to_console(level, highlight), scale=scale)


def render(console: Console, *, scale: int = 1) -> NDArray[np.uint8]:
    """Return any console as an RGBA picture, as `to_image` does. It needs no window or display."""
    from dungeon.adapters.tileset import square_tileset  # noqa: PLC0415  # it needs tcod, which takes 60 ms

    picture: NDArray[np.uint8] = square_tileset(scale).render(console)
    return np.ascontiguousarray(picture)


def to_text(level: Scene, *, spawns: bool = True) -> str:
    """Return the level, or a sample of a prefab, as lines of text with one character per cell. Each line ends with a newline.

    Args:
        level: The level, sample or frame.
        spawns: Whether to draw the spawns, or only the terrain.

    Example:
        >>> rows = dungeon.to_text(level, spawns=False).splitlines()
        >>> rows[level.entrance.y][level.entrance.x]
        '<'
    """
    check_type(level, Scene, "to_text", A_SCENE)
    codes = as_seen(level.terrain, level.terrain_set)
    rows = [list(map(chr, row)) for row in level.terrain_set.glyph[codes].tolist()]
    if spawns:
        for figure in figures(level):
            rows[figure.cell.y][figure.cell.x] = figure.glyph
    return "".join("".join(row) + "\n" for row in rows)


def to_graph(level: Level) -> str:
    """Return a text with a line for each area between locks, each lock, each key and each portal of a level.

    Each line names the round in which the area or key is reached or the lock is opened. In each round every lock whose key is
    in reach is opened; doors, keys and areas of round 0 are in reach from the start.
    """
    return "".join(f"{line}\n" for line in _graph(level))


def _graph(level: Level) -> Iterator[str]:
    yield from _locks_and_keys(level)
    for portal in level.portals:
        leads = "leads to and fro" if portal.both else "leads on"
        yield f"  {portal.kind} at y {portal.y}, x {portal.x} {leads}: y {portal.to_y}, x {portal.to_x}"


def _locks_and_keys(level: Level) -> Iterator[str]:
    """Yield the lines of `to_graph` about areas, locks and keys."""
    from dungeon.proof.solution import solution_of  # noqa: PLC0415 - few ask for it

    told = solution_of(level)
    if not told.locks:
        yield "no locks"
        return
    rounds = counted(told.rounds, "round")
    yield f"{counted(len(told.locks), 'lock')} between {counted(len(told.areas), 'area')}, opened in {rounds}"
    for area in told.areas:
        yield f"  area {area.number}: {counted(area.cells, 'cell')} {_held_by(level, area)}{_when(area.sphere, 'sealed: no way leads there')}"
    yield from (f"  {lock_text(level, lock)}" for lock in told.locks)
    yield from (f"  {key_text(level, key)}" for key in told.keys)


def lock_text(level: Level, lock: SolvedLock) -> str:
    """Return a lock of a level in words: its name, what it locks, where, the way from its nearest key, and the round in which it opens."""
    lies = f", {counted(lock.distance, 'step')} from the nearest key" if lock.distance is not None else ""
    sides = " and ".join(f"area {number}" for number in lock.areas)
    own = next((each for each in level.locks if (each.y, each.x) == lock.cell), None)
    if own is not None and own.keys_on:
        lies = f", needs {counted(lock.needed, 'key')} from {' and '.join(own.keys_on)}"
    elif lock.needed > 1:
        sides += f", needs {lock.needed} of {counted(lock.keys, 'key')}"
    word = f"{lock.word} ({own.name})" if own is not None and own.name else lock.word
    where = f"{lock.what} at y {lock.cell.y}, x {lock.cell.x}"
    return f"lock {word}: {where}, {sides}{lies}{_when(lock.sphere)}"


def key_text(level: Level, key: SolvedKey) -> str:
    """Return a key or lever of a level in words: the locks that it opens, where it lies, and the round in which it is in reach."""
    spawn = level.spawns[key.spawn]
    how = " once" if key.consumed else " to and fro" if key.toggles else ""
    words = ", ".join(key.words) + how
    where = f"area {key.areas[0]}" if key.areas else "locked in"
    return f"key {words}: {spawn.tag} at y {spawn.y}, x {spawn.x}, {where}{_when(key.sphere)}"


def _held_by(level: Level, area: SolvedArea) -> str:
    """Return the first 3 regions of an area in words, those of prefabs by name: ``in room 2, prefab vault and 1 more``."""
    kinds = [_region_text(level, number) for number in area.regions if number in level.kinds]
    more = f" and {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return f"in {', '.join(kinds[:3])}{more}" if kinds else "in no region"


def _region_text(level: Level, number: int) -> str:
    """Return the kind of a region with its number, or with the name of its prefab: ``room 2``, ``prefab vault``."""
    kind = level.kinds[number]
    if kind == "prefab":
        y, x = np.argwhere(level.region == number)[0].tolist()
        names = (each.prefab for each in level.placements if each.prefab and each.bounds.contains(y, x))
        return f"{kind} {next(names, number)}"
    return f"{kind} {number}"


def _when(sphere: int | None, never: str = "never") -> str:
    """Return in words the round in which an area is reached or a lock is opened: ``; round 2``, ``; from the start``, ``; never``."""
    return f"; {never}" if sphere is None else f"; round {sphere}" if sphere else "; from the start"
