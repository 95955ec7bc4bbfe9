"""`dungeon show`: draw a level, random samples (rolls) of a prefab or a REXPaint drawing as text, PNG picture or GIF animation."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_data,
    add_difficulty,
    add_seed,
    at_difficulty,
    check_file_name,
    find_map,
    folders_from_options,
    hint_about,
    load_for_command,
    unknown,
    up_to,
)
from dungeon.cli.completion import complete_with
from dungeon.cli.metrics import as_json, budget_lines, measure_many, metrics_lines, table
from dungeon.cli.printing import console_text, legend_lines, placement_line, waiting, wants_colour
from dungeon.cli.show_rolls import add_rolls, caption_lines, drawing_width, roll_prefab, rolls_console
from dungeon.core.errors import counted, file_errors, printable
from dungeon.core.vocabulary import HIGHLIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from tcod.console import Console

    from dungeon.adapters.recording import Recording
    from dungeon.cli.calling import Commands
    from dungeon.core.vocabulary import Highlight
    from dungeon.generation.atlas import MapNode
    from dungeon.level.model import Level
    from dungeon.world import World


DEFAULT_SCALE = 2
GIF_SCALE = 1

FRAMES = 60
"""Default for the maximum number of frames of a GIF."""

MOST_FRAMES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A drawing with lines of text below it.

    Attributes:
        console: The drawing.
        words: The lines of text.
    """

    console: Console
    words: tuple[str, ...] = ()


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "show",
        help="draw a level, random variants of a prefab, or a REXPaint drawing",
        description="Draw a level, a prefab or a REXPaint file in the terminal, or with --png or --gif into a file.",
        epilog="example: dungeon show foundry/3 --seed 7 --highlight encounters",
    )
    add_drawing(command, compares=True)
    add_data(command, or_demo=True)
    command.add_argument("--png", metavar="FILE.png", help="write a picture to this file instead of printing")
    command.add_argument("--gif", metavar="FILE.gif", help="write an animation of how the map is built")
    command.add_argument(
        "--frames",
        type=up_to(MOST_FRAMES, least=2),
        metavar="N",
        help=f"maximum number of frames of the animation (default {FRAMES})",
    )
    command.add_argument(
        "--scale",
        type=int,
        choices=range(1, 9),
        metavar="1-8",
        help=f"size of the picture, as a factor (default {DEFAULT_SCALE}, for --gif {GIF_SCALE})",
    )
    command.add_argument(
        "--json", action="store_true", help="with --metrics: print only the measurements, as one JSON object"
    )
    return command


def _highlight(text: str) -> str:
    if text not in HIGHLIGHTS:
        from dungeon.core.errors import unknown

        raise argparse.ArgumentTypeError(unknown("highlight", text, HIGHLIGHTS))
    return text


def add_drawing(command: argparse.ArgumentParser, *, compares: bool = False) -> None:
    """Add the arguments that `draw` reads: what to draw, and with which details.

    Args:
        command: The command.
        compares: Whether the command can also compare the metrics of several seeds.
    """
    alone = "; with --times N only their minimum, median and maximum over N seeds" if compares else ""
    what = command.add_argument(
        "what",
        metavar="MAP|PREFAB|FILE.xp",
        help="a map id such as foundry/3, a map type, the name of a prefab, or a drawing of REXPaint",
    )
    complete_with(what, "map", "prefab")
    add_seed(command, "of the world, or of the variants of a prefab")
    complete_with(add_difficulty(command), "difficulty")
    command.add_argument(
        "--highlight",
        type=_highlight,
        metavar="WHAT",
        help=f"tint one of {', '.join(HIGHLIGHTS)}, and print what each colour means",
    )
    marked = command.add_argument(
        "--mark",
        metavar="WHAT",
        help="mark what has this name, and print where it is: an encounter, category, prefab, object or lock; the map that an exit leads to; "
        'a kind of object such as robot; encounter, lock or exit for all of them; or Y,X for a cell; several in quotes: "kennel 12,40"',
    )
    complete_with(marked, "encounter", "prefab", "map")
    command.add_argument(
        "--journal", action="store_true", help="also print every decision of the generator, with its reason"
    )
    command.add_argument(
        "--metrics",
        action="store_true",
        default=None,
        help=f"also print measurements of the level, such as rooms, loops and dead ends{alone}",
    )
    command.add_argument(
        "--graph",
        action="store_true",
        default=None,
        help="also print the areas that locks divide the level into, and what opens each lock",
    )
    add_rolls(command, compares=compares)
    command.set_defaults(png=None, gif=None, json=False, compares=compares)


def run(options: argparse.Namespace) -> int:
    """Print the drawing, or write it as a picture or an animation."""
    _check_picture(options)
    if options.gif is not None:
        return _animate(options)
    if _wants_only_metrics(options):
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
    """Raise a CallError if options exclude each other, if one needs another one, or if a file has the wrong ending."""
    if options.png is None and options.gif is None and options.scale is not None:
        raise CallError("--scale needs --png FILE.png or --gif FILE.gif")
    if options.gif is None and options.frames is not None:
        raise CallError("--frames needs --gif FILE.gif")
    if options.json and not options.metrics:
        raise CallError("--json needs --metrics")
    for one, other in EXCLUSIVE:
        if getattr(options, one) and getattr(options, other):
            raise CallError(f"--{one} and --{other} can't be used together")
    if options.png is not None and _wants_only_metrics(options):
        raise CallError("--png can't be used with --metrics --times, which prints only numbers")
    for ending in ("png", "gif"):
        if (file := getattr(options, ending)) is not None:
            check_file_name(file, f"--{ending}")
            if Path(file).suffix.lower() != f".{ending}":
                raise CallError(f"{file} must end in .{ending}")


def _wants_only_metrics(options: argparse.Namespace) -> bool:
    """Tell whether metrics are to be printed without a drawing."""
    return bool(options.metrics and (options.json or options.times is not None))


def _animate(options: argparse.Namespace) -> int:
    """Write an animation of how a map is built; return the exit code."""
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
    """Print the metrics of a map for one seed or several; return the exit code."""
    world, node = _the_map(options, [name for name in ONLY_OF_PREFABS if name != "times"])
    measured = measure_many(world, node, options.times or 1)
    if options.json:
        print(json.dumps(as_json(node, measured), indent=2))
    else:
        for line in table(node, measured):
            print(line)
    return DONE


def _the_map(options: argparse.Namespace, others: Sequence[str]) -> tuple[World, MapNode]:
    """Return the named map and its world.

    Args:
        options: The command's options.
        others: Names of options that are not for maps.

    Raises:
        ContentError: The content has errors.
        CallError: The name is not that of a map, or one of the `others` is given.
    """
    if options.what.endswith(".xp"):
        _refuse_options(options, "a drawing", ONLY_OF_MAPS)
    world = _world(options)
    node = _node(options, world)
    if node is None:
        if world.content.has_prefab(options.what):
            _refuse_options(options, "a prefab", ONLY_OF_MAPS)
        raise _unknown(options.what, world)
    _refuse_options(options, "a map", others)
    return world, node


def draw(options: argparse.Namespace) -> Drawn:
    """Draw the map, prefab or REXPaint file that the options name.

    Raises:
        ContentError: The content or the drawing has errors.
        GenerationError: The level can't be made.
        CallError: There is no such map, prefab or file, or an option does not apply to it.
    """
    import dungeon
    from dungeon.adapters.console import drawing_to_console

    if options.what.endswith(".xp"):
        _refuse_options(options, "a drawing", ONLY_OF_MAPS + ONLY_OF_PREFABS)
        try:
            return Drawn(console=drawing_to_console(dungeon.read_xp(options.what)))
        except FileNotFoundError:
            raise CallError(f"there is no file {options.what}") from None
    world = _world(options)
    node = _node(options, world)
    if node is not None:
        _refuse_options(options, "a map", ONLY_OF_PREFABS)
        return _draw_level(options, world, node)
    if world.content.has_prefab(options.what):
        _refuse_options(options, "a prefab", ONLY_OF_MAPS)
        with waiting(f"rolling {options.what}"):
            samples = roll_prefab(world.content, options)
        return Drawn(
            console=rolls_console(samples, drawing_width(options)), words=caption_lines(samples, options)
        )
    raise _unknown(options.what, world)


def _world(options: argparse.Namespace) -> World:
    """Load the content and return the world with the seed of the options."""
    import dungeon

    content = load_for_command(folders_from_options(options))
    return dungeon.World(at_difficulty(content, options), options.seed)


def _node(options: argparse.Namespace, world: World) -> MapNode | None:
    """Return the map that the command's argument names; None if it names no map of the content."""
    return find_map(world, options.what)


EXCLUSIVE = (
    *(("gif", other) for other in ("png", "metrics", "graph", "mark", "journal")),
    *(("json", other) for other in ("png", "graph", "mark", "journal")),
)
ONLY_OF_MAPS = ("metrics", "graph", "gif", "highlight", "mark", "difficulty")
ONLY_OF_PREFABS = ("orientation", "times", "depth")


def _refuse_options(options: argparse.Namespace, what: str, others: Sequence[str]) -> None:
    """Raise a CallError if the command line has one of the options `others`, which don't apply to `what`, such as ``a map``."""
    for name in others:
        if getattr(options, name) is not None:
            raise CallError(f"{options.what} is {what}; --{name} is for {_target_of(name, options)}")


def _target_of(name: str, options: argparse.Namespace) -> str:
    """Return in words what the option `name` applies to: ``maps`` or ``prefabs``."""
    if name == "times" and options.compares:
        return "prefabs, or for maps with --metrics"
    return "maps" if name in ONLY_OF_MAPS else "prefabs"


def _unknown(what: str, world: World) -> CallError:
    """Return the error for a name that is neither a map's nor a prefab's."""
    maps, prefabs = [node.id for node in world.maps], world.content.prefab_names
    known = [*maps, *(node.name for node in world.maps), *prefabs]
    there = f"there are {', '.join(maps)} and {counted(len(prefabs), 'prefab')}"
    return unknown(
        "map or prefab",
        what,
        known,
        meant=hint_about(what, world.content),
        there=there,
        where="this world has",
    )


def _draw_level(options: argparse.Namespace, world: World, node: MapNode) -> Drawn:
    """Make a level and draw it, with the lines that the options ask for."""
    import dungeon
    from dungeon.adapters.console import to_graph
    from dungeon.adapters.highlights import legend

    with waiting(f"making {node.id}"):
        level = world.level(node.id)
    console = dungeon.to_console(level, options.highlight)
    words = [_caption(level, world)]
    if options.mark is not None:
        from dungeon.cli.show_marks import all_cells, mark_lines, marks_on, with_marks

        marks = marks_on(level, options.mark)
        words += mark_lines(level, options.mark, world)
        console = with_marks(console, all_cells(level, marks)) if marks else console
    if options.highlight is not None:
        words += legend_lines(legend(level, options.highlight), colour=wants_colour(options))
    if options.highlight == "encounters":
        words += [placement_line(each) for each in level.placements if each.mode != "layout"]
    if options.highlight == "features":
        words += [placement_line(each) for each in level.placements if not each.encounter]
    if options.metrics:
        words += [*metrics_lines(dungeon.measure(level)), *budget_lines(level, node, world.content)]
    if options.graph:
        words += to_graph(level).splitlines()
    if options.journal:
        words += [f"  {decision}" for decision in level.journal]
    return Drawn(console=console, words=tuple(words))


def _caption(level: Level, world: World) -> str:
    """Return the line below a level: id, name, depth, seed, difficulty, size, numbers of encounters and objects, exits."""
    at = f", difficulty {world.difficulty}" if world.difficulty else ""
    exits = ", ".join(dict.fromkeys(way.leads_to for way in level.exits))
    return (
        f"{level.id}: {level.name}, depth {level.depth}, seed {level.seed}{at}, {level.width}x{level.height}; "
        f"{counted(sum(each.encounter != '' for each in level.placements), 'encounter')}, "
        f"{counted(len(level.spawns), 'object')}; {f'leads to {exits}' if exits else 'leads nowhere'}"
    )


def _write_png(console: Console, file: str, scale: int) -> None:
    from dungeon.adapters.console import render

    image = _pillow("--png").fromarray(render(console, scale=scale))
    with file_errors(CallError, "written", file):
        image.save(file, format="PNG")


def _pillow(option: str) -> ModuleType:
    """Return Pillow's module `Image`; CallError if Pillow is not installed. `option` is named in the message."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise CallError(f"{option} needs Pillow: pip install 'tcod-dungeon[images]'") from None
    return Image


MOST_PIXELS = 300_000_000
"""Maximum number of pixels of all frames together; each takes a byte of memory while the file is written."""


class WrittenGif(NamedTuple):
    """The number of pictures of a written animation, and the number of generation steps from which these were chosen."""

    pictures: int
    steps: int


def write_gif(
    recording: Recording, file: str, *, most: int, scale: int, highlight: Highlight | None
) -> WrittenGif:
    """Write a recording as an animated GIF. Equal recordings give equal files.

    Args:
        recording: The recording.
        file: Name of the file.
        most: Maximum number of pictures.
        scale: Size of the pictures, as a factor.
        highlight: What to tint; None for nothing.

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
    return WrittenGif(count, len(recording))
