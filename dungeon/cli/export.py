"""`dungeon export`: a prefab in another form, as text or as a REXPaint drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError, add_data, folders_of, needs_name
from dungeon.cli.terminal.completing import completes
from dungeon.cli.terminal.waiting import waiting

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from dungeon.authoring.export.export import Form
    from dungeon.cli.calling import Commands

FORMS: Mapping[str, Form] = {".xp": "xp", ".yaml": "text", ".yml": "text"}


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "export",
        help="write a prefab as a REXPaint drawing, or as text",
        description="The files written stand for the prefab's entry: put them into the content in its place.",
    )
    completes(command.add_argument("prefab", metavar="PREFAB", help="its name"), "prefab")
    command.add_argument(
        "--to",
        metavar="FILE",
        required=True,
        help="PREFAB.xp, whose properties go into PREFAB.yaml beside it; or any .yaml file for text",
    )
    command.add_argument("--force", action="store_true", help="replace files that are there already")
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Write a prefab in another form."""
    import dungeon

    needs_name(options.to, "--to")
    target = Path(options.to)
    form = FORMS.get(target.suffix)
    if form is None:
        raise CallError(f"{options.to} must end in .xp, or in .yaml for text")
    if form == "xp" and target.stem != options.prefab:
        raise CallError(f"a drawing has the name of its prefab: write to {target.with_stem(options.prefab)}")
    places = [target] if form == "text" else [target, target.with_suffix(".yaml")]
    there = [str(place) for place in places if place.exists()]
    if there and not options.force:
        raise CallError(
            f"{' and '.join(there)} would be replaced, with all that is in there; --force does it"
        )
    try:
        folder, *mods = folders_of(options)
        with waiting(f"exporting {options.prefab}"):
            files = dungeon.export_prefab(folder, options.prefab, form, mods=mods)
    except KeyError as error:
        raise CallError(error.args[0]) from None
    _write(dict(zip(places, files.values(), strict=True)))
    return DONE


def _write(files: Mapping[Path, bytes]) -> None:
    for place, data in files.items():
        try:
            place.write_bytes(data)
        except OSError as error:
            raise CallError(f"{place} cannot be written: {error.strerror}") from None
        print(place)
