"""`dungeon export`: write a prefab as text, as a REXPaint drawing or as a Tiled map; or a level as a Tiled map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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
    unknown,
)
from dungeon.cli.completion import complete_with
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
"""Form -> file ending of its second file, for forms that consist of two files."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "export",
        help="convert a prefab to text, REXPaint or Tiled, or a level to Tiled",
        description="Write a prefab or a level in another format. To use written .xp and .yaml files, put them into the content folder in "
        "place of the prefab's old entry.",
        epilog="example: dungeon export engine_house --to engine_house.xp",
    )
    what = command.add_argument(
        "what",
        metavar="PREFAB",
        help="name of a prefab; a .tmj file with a prefab, to convert it back; or a map id, such as foundry/3",
    )
    complete_with(what, "prefab", "map")
    command.add_argument(
        "--to",
        metavar="FILE",
        required=True,
        help="the file to write: PREFAB.xp (with its properties in PREFAB.yaml beside it), any .yaml file for text, or "
        "PREFAB.tmj for Tiled (with its tiles in PREFAB.png)",
    )
    add_seed(command, "of the world, when a map is exported")
    complete_with(add_difficulty(command), "difficulty")
    command.add_argument("--force", action="store_true", help="overwrite the files if they exist")
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    check_file_name(options.to, "--to")
    target = Path(options.to)
    form = FORMS.get(target.suffix)
    if form is None:
        raise CallError(f"the file {options.to} must end in .xp, in .yaml for text, or in .tmj for Tiled")
    places = [target, target.with_suffix(BESIDE[form])] if form in BESIDE else [target]
    there = [str(place) for place in places if place.exists()]
    if there and not options.force:
        raise CallError(f"{' and '.join(there)} would be overwritten; --force allows that")
    with waiting(f"exporting {options.what}"):
        files = _files(options, target, form)
    _write(dict(zip(places, files.values(), strict=True)))
    return DONE


def _files(options: argparse.Namespace, target: Path, form: Form) -> dict[str, bytes]:
    """Return file name -> bytes of the prefab or level that the options name, in the form `form`.

    Args:
        options: The command's options.
        target: The file to write.
        form: ``text``, ``xp`` or ``tmj``.

    Raises:
        CallError: There is no such prefab or map, or it can't be written in that form.
        ContentError: The content has errors.
        GenerationError: The level can't be made.
    """
    import dungeon

    source = Path(options.what)
    if source.suffix == ".tmj":
        if form != "text":
            raise CallError(f"a Tiled map can only be converted to text: {target} must end in .yaml")
        return _from_tiled(source)
    folder, *mods = folders_from_options(options)
    if "/" in options.what:
        if form != "tmj":
            raise CallError(f"a level can only be exported to Tiled: {target} must end in .tmj")
        world = dungeon.World(at_difficulty(dungeon.load_content(folder, *mods), options), options.seed)
        return _level(world, options.what, target.stem)
    if form != "text" and target.stem != options.what:
        raise CallError(
            f"the file must have the name of the prefab: write to {target.with_stem(options.what)}"
        )
    try:
        return dungeon.export_prefab(folder, options.what, form, mods=mods)
    except KeyError as error:
        raise CallError(error.args[0]) from None


def _from_tiled(source: Path) -> dict[str, bytes]:
    """Return file name -> bytes of the text form of a prefab that the Tiled map `source` holds."""
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
    """Return file name -> bytes of a level as a Tiled map. `name` is the map; `file` is the name of the files, without an ending."""
    import dungeon

    node = find_map(world, name)
    if node is None:
        raise unknown("map", name, (each.id for each in world.maps))
    return dungeon.to_tiled(world.level(node.id), file)


def _write(files: Mapping[Path, bytes]) -> None:
    for place, data in files.items():
        with file_errors(CallError, "written", place):
            place.write_bytes(data)
        print(printable(str(place)))
