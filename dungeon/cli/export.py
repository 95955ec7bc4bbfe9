"""`dungeon export`: a prefab in another form, as text, REXPaint drawing or map of Tiled; and a level as such a map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_data,
    add_seed,
    completes,
    folders_of,
    map_called,
    needs_name,
    unknown,
)
from dungeon.cli.printing import waiting
from dungeon.core.errors import file_errors, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from dungeon.authoring.tiled import Form
    from dungeon.cli.calling import Commands
    from dungeon.world import World

FORMS: Mapping[str, Form] = {".xp": "xp", ".yaml": "text", ".yml": "text", ".tmj": "tmj"}

BESIDE: Mapping[Form, str] = {"xp": ".yaml", "tmj": ".png"}
"""The ending of the second file of a form that has two."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "export",
        help="write a prefab as a REXPaint drawing, as text, or for Tiled; or a level for Tiled",
        description="What is written as .xp or .yaml stands for the prefab's entry: put it into the content in its place.",
    )
    what = command.add_argument(
        "what",
        metavar="PREFAB",
        help="the name of a prefab; a .tmj file that holds one; or a map, such as foundry/3",
    )
    completes(what, "prefab", "map")
    command.add_argument(
        "--to",
        metavar="FILE",
        required=True,
        help="PREFAB.xp, whose properties go into PREFAB.yaml beside it; any .yaml file for text; or PREFAB.tmj, whose "
        "tiles go into PREFAB.png",
    )
    add_seed(command, "of the world of a map")
    command.add_argument("--force", action="store_true", help="replace files that are there already")
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Write a prefab in another form."""
    needs_name(options.to, "--to")
    target = Path(options.to)
    form = FORMS.get(target.suffix)
    if form is None:
        raise CallError(f"{options.to} must end in .xp, in .yaml for text, or in .tmj for Tiled")
    places = [target, target.with_suffix(BESIDE[form])] if form in BESIDE else [target]
    there = [str(place) for place in places if place.exists()]
    if there and not options.force:
        raise CallError(
            f"{' and '.join(there)} would be replaced, with all that is in there; --force does it"
        )
    with waiting(f"exporting {options.what}"):
        files = _files(options, target, form)
    _write(dict(zip(places, files.values(), strict=True)))
    return DONE


def _files(options: argparse.Namespace, target: Path, form: Form) -> dict[str, bytes]:
    """Return the files of what is asked for.

    Raises:
        CallError: There is no such thing, or not in that form.
        ContentError: The content is wrong.
        GenerationError: The level can't be made.
    """
    import dungeon

    source = Path(options.what)
    if source.suffix == ".tmj":
        if form != "text":
            raise CallError(f"a map of Tiled is written as text: {target} must end in .yaml")
        return _from_tiled(source)
    folder, *mods = folders_of(options)
    if "/" in options.what:
        if form != "tmj":
            raise CallError(f"a level is written for Tiled: {target} must end in .tmj")
        world = dungeon.World(dungeon.load_content(folder, *mods), options.seed)
        return _level(world, options.what, target.stem)
    if form != "text" and target.stem != options.what:
        raise CallError(f"a drawing has the name of its prefab: write to {target.with_stem(options.what)}")
    try:
        return dungeon.export_prefab(folder, options.what, form, mods=mods)
    except KeyError as error:
        raise CallError(error.args[0]) from None


def _from_tiled(source: Path) -> dict[str, bytes]:
    import dungeon

    with file_errors(CallError, "read", source):
        text = source.read_bytes()
    try:
        return dungeon.prefab_from_tiled(text)
    except dungeon.ContentError:
        raise  # it tells line and column
    except ValueError as error:
        raise CallError(f"{source}: {error}") from None


def _level(world: World, name: str, file: str) -> dict[str, bytes]:
    import dungeon

    node = map_called(world, name)
    if node is None:
        raise unknown("map", name, (each.id for each in world.maps))
    return dungeon.to_tiled(world.level(node.id), file)


def _write(files: Mapping[Path, bytes]) -> None:
    for place, data in files.items():
        with file_errors(CallError, "written", place):
            place.write_bytes(data)
        print(printable(str(place)))
