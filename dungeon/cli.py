"""The command line: `dungeon show` and `dungeon check`.

Exit codes: 0 done, 1 the content (or a drawing) is wrong, 2 the command was called wrongly.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcod.console import Console

    from dungeon.content.library import Content
    from dungeon.level.model import Level
    from dungeon.world import MapNode, World

WRONG_CONTENT = 1
WRONG_CALL = 2


class CallError(Exception):
    """The command was called in a way that can't work; the message says why."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(prog="dungeon", description="Maps that grow around what you draw.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="print a level, or a REXPaint drawing")
    show.add_argument(
        "what", metavar="MAP|FILE.xp", help="a map id such as foundry/3, a map's name, or a drawing"
    )
    show.add_argument("--seed", type=int, default=0, help="the world seed (default 0)")
    show.add_argument("--data", metavar="DIR", help="the content folder (default: ./data, else the demo's)")
    show.add_argument("--highlight", choices=["encounters"], help="tint what encounters cover by category")
    show.add_argument("--journal", action="store_true", help="print every decision that made the level, too")
    show.add_argument("--png", metavar="FILE", help="write a picture instead of printing")
    show.add_argument(
        "--scale", type=int, default=2, choices=range(1, 9), metavar="1-8", help="of the picture"
    )
    show.add_argument("--colour", choices=["auto", "always", "never"], default="auto", help="(default auto)")
    show.set_defaults(run=run_show)
    check = commands.add_parser("check", help="report everything that is wrong with content")
    check.add_argument("data", nargs="?", metavar="DATA", help="the content folder (default: as for show)")
    check.set_defaults(run=run_check)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except CallError as error:
        print(f"dungeon: {error}", file=sys.stderr)
        return WRONG_CALL
    except BrokenPipeError:
        # Whoever read our output has seen enough; keep Python from complaining when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def data_folder(given: str | None) -> str:
    """Return the content folder to use: the one that is given, ./data, or the demo's own."""
    if given is not None:
        return given
    if Path("data").is_dir():
        return "data"
    from game_demo.data import data_folder as demo_data

    return str(demo_data())


def run_check(options: argparse.Namespace) -> int:
    """Report everything that is wrong with content."""
    import dungeon

    folder = data_folder(options.data)
    try:
        content = dungeon.load_content(folder)
    except dungeon.ContentError as error:
        print(error)
        return WRONG_CONTENT
    counts = {
        "prefabs": len(content.prefabs),
        "encounters": len(content.encounters),
        "maps": len(content.maps),
        "objects": sum(len(things) for things in content.catalog.things.values()),
    }
    print(f"{folder}: no problems in " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return 0


def run_show(options: argparse.Namespace) -> int:
    """Print a level or a drawing, or write it as a picture."""
    import dungeon

    try:
        if options.what.endswith(".xp"):
            return _show_drawing(options)
        return _show_level(options, dungeon.load_content(data_folder(options.data)))
    except dungeon.ContentError as error:
        print(error, file=sys.stderr)
        return WRONG_CONTENT
    except dungeon.GenerationError as error:
        print(f"dungeon: {error}", file=sys.stderr)
        return WRONG_CONTENT


def _show_drawing(options: argparse.Namespace) -> int:
    from dungeon.adapters.drawing import to_console
    from dungeon.content.rexpaint import read_xp

    console = to_console(read_xp(options.what))
    _put_out(console, options)
    return 0


def _show_level(options: argparse.Namespace, content: Content) -> int:
    import dungeon

    world = dungeon.World(content, seed=options.seed)
    level = world.level(_node(world, options.what).id)
    _put_out(dungeon.to_console(level, options.highlight), options)
    print(_caption(level))
    if options.highlight == "encounters":
        for placement in level.placements:
            bounds = placement.bounds
            where = f"x {bounds.x}..{bounds.right - 1}, y {bounds.y}..{bounds.bottom - 1}"
            print(
                f"  {placement.category:7} {placement.encounter} ({placement.prefab} {placement.orientation}) {where}"
            )
    if options.journal:
        for decision in level.journal:
            print(f"  {decision}")
    return 0


def _node(world: World, what: str) -> MapNode:
    """Return the map of that id, or the first of that name.

    Raises:
        CallError: There is none.
    """
    from dungeon.errors import nearest_match

    for node in world.maps:
        if what in (node.id, node.name):
            return node
    names = [node.id for node in world.maps]
    nearest = nearest_match(what, names)
    hint = f"did you mean {nearest}?" if nearest else f"there are {', '.join(names)}"
    raise CallError(f"this world has no map {what!r} ({hint})")


def _caption(level: Level) -> str:
    exits = ", ".join(way.leads_to for way in level.exits) or "nowhere"
    return (
        f"{level.id}: {level.name}, depth {level.depth}, seed {level.seed}, {level.width}x{level.height}; "
        f"{len(level.placements)} encounters, {len(level.spawns)} objects; leads to {exits}"
    )


def _put_out(console: Console, options: argparse.Namespace) -> None:
    """Print a console, with colour if the terminal has it, or write it as a picture."""
    from dungeon.adapters.ansi import to_ansi
    from dungeon.adapters.drawing import to_rows

    if options.png is not None:
        _write_png(console, options.png, options.scale)
    elif options.colour == "always" or (options.colour == "auto" and sys.stdout.isatty()):
        print(to_ansi(console), end="")
    else:
        print("\n".join(to_rows(console)))


def _write_png(console: Console, file: str, scale: int) -> None:
    from dungeon.adapters.image import render

    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise CallError("--png needs Pillow: pip install 'tcod-dungeon[images]'") from None
    try:
        Image.fromarray(render(console, scale=scale)).save(file, format="PNG")
    except OSError as error:
        raise CallError(f"{file} cannot be written: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())
