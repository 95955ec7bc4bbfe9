"""`dungeon show`: draw a level, rolls of a prefab or a REXPaint drawing as text, PNG picture or GIF animation."""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_data,
    add_seed,
    completes,
    content_in,
    folders_of,
    map_called,
    meant_by,
    needs_name,
    unknown,
    up_to,
)
from dungeon.cli.metrics import as_json, budget_lines, measure_many, metrics_lines, table
from dungeon.cli.printing import console_text, legend_lines, waiting, wants_colour
from dungeon.core.errors import counted, file_errors, printable
from dungeon.core.vocabulary import HIGHLIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from tcod.console import Console

    from dungeon.adapters.recording import Recording
    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content
    from dungeon.core.vocabulary import Highlight
    from dungeon.generation.atlas import MapNode
    from dungeon.generation.populate.sample import Sample
    from dungeon.level.model import Level, Placement
    from dungeon.world import World


DEFAULT_SCALE = 2
GIF_SCALE = 1

FRAMES = 60
"""How many frames there are at most, unless it is said."""

MOST_FRAMES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What there is to show.

    Attributes:
        console: The drawing.
        words: The lines to print below it.
    """

    console: Console
    words: tuple[str, ...] = ()


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser("show", help="print a level, rolls of a prefab, or a REXPaint drawing")
    add_drawing(command, compares=True)
    add_data(command, or_demo=True)
    command.add_argument("--png", metavar="FILE.png", help="write a picture instead of printing")
    command.add_argument("--gif", metavar="FILE.gif", help="write how a map is built, as an animated picture")
    command.add_argument(
        "--frames",
        type=up_to(MOST_FRAMES, least=2),
        metavar="N",
        help=f"how many pictures an animated one has at most (default {FRAMES})",
    )
    command.add_argument(
        "--scale",
        type=int,
        choices=range(1, 9),
        metavar="1-8",
        help=f"of the picture (default {DEFAULT_SCALE}; of an animated one {GIF_SCALE})",
    )
    command.add_argument("--json", action="store_true", help="print metrics as one JSON object")
    return command


def _highlight(text: str) -> str:
    if text not in HIGHLIGHTS:
        from dungeon.core.errors import unknown

        raise argparse.ArgumentTypeError(unknown("highlight", text, HIGHLIGHTS))
    return text


def add_drawing(command: argparse.ArgumentParser, *, compares: bool = False) -> None:
    """Add the arguments that say what `draw` draws, and how.

    Args:
        command: The command.
        compares: Whether it also compares the metrics of several seeds.
    """
    alone = "; with --times only how these vary from seed to seed" if compares else ""
    what = command.add_argument(
        "what",
        metavar="MAP|PREFAB|FILE.xp",
        help="a map id such as foundry/3, a map's name, a prefab's name, or a drawing",
    )
    completes(what, "map", "prefab")
    add_seed(command, "of the world, or of the rolls")
    command.add_argument(
        "--highlight",
        type=_highlight,
        metavar="WHAT",
        help=f"tint one of {', '.join(HIGHLIGHTS)}, and tell what each colour means",
    )
    command.add_argument(
        "--journal", action="store_true", help="print every decision that made the level, too"
    )
    command.add_argument(
        "--metrics",
        action="store_true",
        default=None,
        help=f"tell a level in numbers, too{alone}",
    )
    command.add_argument(
        "--graph",
        action="store_true",
        default=None,
        help="tell what the locks of a level divide, and what opens them, too",
    )
    add_rolls(command, compares=compares)
    command.set_defaults(png=None, gif=None, json=False, compares=compares)


def run(options: argparse.Namespace) -> int:
    """Print what is asked for, or write it as a picture."""
    _check_picture(options)
    if options.gif is not None:
        return _animate(options)
    if _wants_numbers_alone(options):
        return _compare(options)
    drawn = draw(options)
    if options.png is None:
        print(console_text(drawn.console, colour=wants_colour(options)), end="")
    else:
        _write_png(drawn.console, options.png, options.scale or DEFAULT_SCALE)
    for line in drawn.words:
        print(line)
    return DONE


def _check_picture(options: argparse.Namespace) -> None:
    """Raise a CallError if what the options ask for can't be written or printed together."""
    if options.png is None and options.gif is None and options.scale is not None:
        raise CallError("--scale is for pictures; --png FILE.png writes one")
    if options.gif is None and options.frames is not None:
        raise CallError("--frames is for animated pictures; --gif FILE.gif writes one")
    if options.json and not options.metrics:
        raise CallError("--json is for metrics; --metrics asks for them")
    for one, other in EXCLUSIVE:
        if getattr(options, one) and getattr(options, other):
            raise CallError(f"--{one} and --{other} exclude each other")
    if options.png is not None and _wants_numbers_alone(options):
        raise CallError("--png draws a level; --metrics with --times prints numbers alone")
    for ending in ("png", "gif"):
        if (file := getattr(options, ending)) is not None:
            needs_name(file, f"--{ending}")
            if Path(file).suffix.lower() != f".{ending}":
                raise CallError(f"{file} must end in .{ending}")


def _wants_numbers_alone(options: argparse.Namespace) -> bool:
    """Tell whether metrics are asked for without the level."""
    return bool(options.metrics and (options.json or options.times is not None))


def _animate(options: argparse.Namespace) -> int:
    """Write how a map is built as an animated picture."""
    import dungeon

    world, node = _the_map(options, ONLY_OF_PREFABS)
    with waiting(f"drawing how {node.id} is built"):
        written = write_gif(
            dungeon.Recording(world.steps(node.id)),
            options.gif,
            most=options.frames or FRAMES,
            scale=options.scale or GIF_SCALE,
            highlight=options.highlight,
        )
    print(f"{printable(options.gif)}: {written.pictures} pictures of {written.steps} steps")
    return DONE


def _compare(options: argparse.Namespace) -> int:
    """Print a map's metrics, of one seed or several."""
    world, node = _the_map(options, [name for name in ONLY_OF_PREFABS if name != "times"])
    measured = measure_many(world, node, options.times or 1)
    if options.json:
        print(json.dumps(as_json(node, measured), indent=2))
    else:
        for line in table(node, measured):
            print(line)
    return DONE


def _the_map(options: argparse.Namespace, others: Sequence[str]) -> tuple[World, MapNode]:
    """Return the map that is meant, and its world.

    Raises:
        ContentError: The content is wrong.
        CallError: It is no map, or one of the other options, which do not suit a map, is given.
    """
    if options.what.endswith(".xp"):
        _suits(options, "a drawing", ONLY_OF_MAPS)
    world = _world(options)
    node = _node(options, world)
    if node is None:
        if options.what in world.content.prefabs:
            _suits(options, "a prefab", ONLY_OF_MAPS)
        raise _unknown(options.what, world)
    _suits(options, "a map", others)
    return world, node


def draw(options: argparse.Namespace) -> Drawn:
    """Draw what is asked for.

    Raises:
        ContentError: The content, or the drawing, is wrong.
        GenerationError: The level can't be made.
        CallError: There is no such map, prefab or file, or the options do not suit it.
    """
    import dungeon
    from dungeon.adapters.console import drawing_to_console

    if options.what.endswith(".xp"):
        _suits(options, "a drawing", ONLY_OF_MAPS + ONLY_OF_PREFABS)
        try:
            return Drawn(console=drawing_to_console(dungeon.read_xp(options.what)))
        except FileNotFoundError:
            raise CallError(f"there is no file {options.what}") from None
    world = _world(options)
    node = _node(options, world)
    if node is not None:
        _suits(options, "a map", ONLY_OF_PREFABS)
        return _draw_level(options, world, node)
    if options.what in world.content.prefabs:
        _suits(options, "a prefab", ONLY_OF_MAPS)
        with waiting(f"rolling {options.what}"):
            samples = rolls(world.content, options)
        return Drawn(console=console_of(samples, columns_for(options)), words=words_of(samples, options))
    raise _unknown(options.what, world)


def _world(options: argparse.Namespace) -> World:
    """Return the world that is meant."""
    import dungeon

    return dungeon.World(content_in(folders_of(options)), options.seed)


def _node(options: argparse.Namespace, world: World) -> MapNode | None:
    """Return the map of that id, or the first of that name, if there is one."""
    return map_called(world, options.what)


EXCLUSIVE = (
    *(("gif", other) for other in ("png", "metrics", "graph", "journal")),
    *(("json", other) for other in ("png", "graph", "journal")),
)
ONLY_OF_MAPS = ("metrics", "graph", "gif", "highlight")
ONLY_OF_PREFABS = ("orientation", "times", "depth")


def _suits(options: argparse.Namespace, what: str, others: Sequence[str]) -> None:
    """Raise a CallError if an option is given that is for other things than this."""
    for name in others:
        if getattr(options, name) is not None:
            raise CallError(f"{options.what} is {what}; --{name} is for {_whom(name, options)}")


def _whom(name: str, options: argparse.Namespace) -> str:
    if name == "times" and options.compares:
        return "prefabs, or for maps with --metrics"
    return "maps" if name in ONLY_OF_MAPS else "prefabs"


def _unknown(what: str, world: World) -> CallError:
    maps, prefabs = [node.id for node in world.maps], list(world.content.prefabs)
    known = [*maps, *(node.name for node in world.maps), *prefabs]
    there = f"there are {', '.join(maps)} and {counted(len(prefabs), 'prefab')}"
    return unknown(
        "map or prefab", what, known, meant=meant_by(what, world.content), there=there, where="this world has"
    )


def _draw_level(options: argparse.Namespace, world: World, node: MapNode) -> Drawn:
    import dungeon
    from dungeon.adapters.console import to_graph
    from dungeon.adapters.highlights import legend

    with waiting(f"making {node.id}"):
        level = world.level(node.id)
    words = [_caption(level)]
    if options.highlight is not None:
        words += legend_lines(legend(level, options.highlight), colour=wants_colour(options))
    if options.highlight == "encounters":
        words += [_placed(placement) for placement in level.placements]
    if options.metrics:
        words += [*metrics_lines(dungeon.measure(level)), *budget_lines(level, node, world.content)]
    if options.graph:
        words += to_graph(level).splitlines()
    if options.journal:
        words += [f"  {decision}" for decision in level.journal]
    return Drawn(console=dungeon.to_console(level, options.highlight), words=tuple(words))


def _caption(level: Level) -> str:
    exits = ", ".join(way.leads_to for way in level.exits)
    return (
        f"{level.id}: {level.name}, depth {level.depth}, seed {level.seed}, {level.width}x{level.height}; "
        f"{counted(sum(each.encounter != '' for each in level.placements), 'encounter')}, "
        f"{counted(len(level.spawns), 'object')}; {f'leads to {exits}' if exits else 'leads nowhere'}"
    )


def _placed(placement: Placement) -> str:
    bounds = placement.bounds
    where = f"x {bounds.x}..{bounds.right - 1}, y {bounds.y}..{bounds.bottom - 1}"
    how = f"({placement.prefab} {placement.orientation})" if placement.prefab else f"({placement.mode})"
    what = placement.category if placement.encounter else "feature"
    name = f"{placement.encounter}/{placement.variant}" if placement.variant else placement.encounter
    return f"  {what:7} {name or placement.mode} {how} {where}"


def _write_png(console: Console, file: str, scale: int) -> None:
    from dungeon.adapters.console import render

    image = _pillow("--png").fromarray(render(console, scale=scale))
    with file_errors(CallError, "written", file):
        image.save(file, format="PNG")


def _pillow(option: str) -> ModuleType:
    """Return the module of Pillow that makes pictures."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise CallError(f"{option} needs Pillow: pip install 'tcod-dungeon[images]'") from None
    return Image


MOST_PIXELS = 300_000_000
"""All frames together; each takes a byte of memory while the file is written."""


class Written(NamedTuple):
    """What has been written: so many pictures of so many steps."""

    pictures: int
    steps: int


def write_gif(
    recording: Recording, file: str, *, most: int, scale: int, highlight: Highlight | None
) -> Written:
    """Write a recording as an animated GIF; equal recordings give equal files.

    Raises:
        CallError: Pillow is missing, the picture would be too large, or the file can't be written.
    """
    from dungeon.adapters.animation import animate

    pillow = _pillow("--gif")
    animation = animate(recording, most=most, scale=scale, highlight=highlight)
    height, width = animation.size
    count = len(animation.durations)
    if height * width * count > MOST_PIXELS:
        raise CallError(
            f"{count} frames of {width}x{height} pixels are too much for a GIF; "
            f"--frames {max(MOST_PIXELS // (height * width), 1)} is the most at --scale {scale}"
        )
    palette = animation.palette.tobytes()

    def pictures() -> Iterator[Any]:
        for picture in animation.pictures:
            image = pillow.fromarray(picture, "P")
            image.putpalette(palette)
            yield image

    rest = pictures()
    first = next(rest)
    with file_errors(CallError, "written", file):
        first.save(
            file,
            format="GIF",
            save_all=True,
            append_images=rest,
            duration=animation.durations,
            loop=0,
            optimize=False,
        )
    return Written(count, len(recording))


ALL = "all"
MOST_ROLLS = 1000
DEEPEST = 1000
GAP = 2
"""Cells between two rolls, both ways."""

PICTURE_COLUMNS = 100
"""How wide a picture may become, in cells, unless a single roll is wider."""

CAPTION = (150, 150, 160)


class Tile(NamedTuple):
    """A roll and where its top-left cell goes."""

    y: int
    x: int
    sample: Sample

    @property
    def caption(self) -> str:
        """What stands above it: its number, and how it lies."""
        return f"{self.sample.number} {self.sample.orientation.label}"

    @property
    def width(self) -> int:
        """Columns of the roll, or of its caption."""
        return max(int(self.sample.terrain.shape[1]), len(self.caption))

    @property
    def bottom(self) -> int:
        """The row below the roll."""
        return self.y + 1 + int(self.sample.terrain.shape[0])


def add_rolls(command: argparse.ArgumentParser, *, compares: bool) -> None:
    """Add the options that say which rolls of a prefab are drawn, or how many seeds of a map are compared."""
    command.add_argument(
        "--orientation", metavar="r0|...|m270|all", help="how a prefab lies (default: as drawn)"
    )
    command.add_argument(
        "--times",
        type=up_to(MOST_ROLLS),
        metavar="N",
        help=f"how many rolls of a prefab{', or with --metrics how many seeds of a map' if compares else ''} (default 1)",
    )
    add_depth(command)


def add_depth(command: argparse.ArgumentParser) -> None:
    """Add the option that says how deep a prefab is."""
    command.add_argument(
        "--depth",
        type=up_to(DEEPEST, least=0, what="depth"),
        metavar="D",
        help="of a prefab (default: the least it is asked for)",
    )


def rolls(content: Content, options: argparse.Namespace) -> list[Sample]:
    """Roll a prefab as often, and in the ways, that the options ask for.

    Raises:
        CallError: The prefab does not permit that orientation.
    """
    from dungeon.authoring.sample import Sampler

    sampler = Sampler(content)
    permitted = content.prefabs[options.what].orientations
    orientations = permitted if options.orientation == ALL else (options.orientation,)
    try:
        return [
            sampler.sample(
                options.what, seed=options.seed, number=number, orientation=each, depth=options.depth
            )
            for number in range(options.times or 1)
            for each in orientations
        ]
    except ValueError as error:
        raise CallError(str(error)) from None


def columns_for(options: argparse.Namespace) -> int:
    """Return how many columns there are to draw on."""
    return PICTURE_COLUMNS if options.png else shutil.get_terminal_size().columns


def laid_out(samples: Sequence[Sample], columns: int) -> Iterator[Tile]:
    """Yield the rolls as tiles, row by row, as many in each as there is space for."""
    y = x = bottom = 0
    for sample in samples:
        tile = Tile(y, x, sample)
        if x and x + tile.width > columns:
            tile = Tile(bottom + GAP - 1, 0, sample)
        y, x = tile.y, tile.x + tile.width + GAP
        bottom = max(bottom, tile.bottom)
        yield tile


def console_of(samples: Sequence[Sample], columns: int) -> Console:
    """Return a console with all the rolls on it."""
    from tcod.console import Console

    import dungeon

    tiles = list(laid_out(samples, columns))
    width, height = max(tile.x + tile.width for tile in tiles), max(tile.bottom for tile in tiles)
    console = Console(width, height, order="C")
    for tile in tiles:
        console.print(tile.x, tile.y, tile.caption, fg=CAPTION)
        dungeon.to_console(tile.sample).blit(console, tile.x, tile.y + 1)
    return console


def words_of(samples: Sequence[Sample], options: argparse.Namespace) -> tuple[str, ...]:
    """Return the lines below: what it is, and what of it was refused."""
    first = samples[0]
    refused = sum(len(sample.journal) for sample in samples)
    height, width = first.terrain.shape
    caption = (
        f"{first.name}: prefab, {width}x{height}, depth {first.depth}, seed {options.seed}; "
        f"{counted(len(samples), 'roll')}"
    )
    if options.journal:
        notes = [
            f"  {sample.number} {sample.orientation.label}: {decision}"
            for sample in samples
            for decision in sample.journal
        ]
        return (caption, *notes)
    return (f"{caption}; {refused} refused (--journal says why)" if refused else caption,)
