"""`dungeon schema`: print JSON Schemas of the content files, with which editors complete and check YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dungeon.cli.calling import DONE, CallError, unknown
from dungeon.core.errors import file_errors

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "schema",
        help="print the JSON Schema of a kind of content file, for editors",
        description="With these schemas an editor completes keys and marks mistakes in content files. Without arguments: list the "
        "kinds and the files that each is for.",
        epilog="example: dungeon schema --out .schemas",
    )
    command.add_argument(
        "kind",
        nargs="?",
        metavar="KIND",
        help="the kind of content file whose schema is printed: prefabs, encounters, maps...",
    )
    command.add_argument(
        "--out", metavar="DIR", help="write all schemas into this folder, and print the settings for VS Code"
    )
    command.add_argument(
        "--data",
        metavar="DIR",
        default="data",
        help="the content folder: the schemas include the kinds of objects that it declares, and the VS Code settings are for its "
        "files (default: data)",
    )
    return command


def run(options: argparse.Namespace) -> int:
    """List the kinds, print one schema, or write all of them."""
    import dungeon
    from dungeon.authoring.schema import schema_files
    from dungeon.content.loading.load import kinds_in

    folders = [options.data] if Path(options.data).is_dir() else []
    files = schema_files(kinds_in(folders))
    if options.kind is None and options.out is None:
        width = max(map(len, files))
        for kind, pattern in files.items():
            print(f"{kind:{width}}  {pattern}")
        return DONE
    if options.kind is not None and options.out is not None:
        raise CallError("--out writes the schemas of all kinds: leave KIND out")
    schemas = dungeon.content_schemas(*folders)
    if options.out is not None:
        _write(schemas, Path(options.out))
        print(_settings(files, options.out, options.data))
    elif options.kind in schemas:
        print(_text(schemas[options.kind]))
    else:
        raise unknown("kind", options.kind, files)
    return DONE


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=2)


def _write(schemas: dict[str, dict[str, Any]], folder: Path) -> None:
    with file_errors(CallError, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        for kind, schema in schemas.items():
            (folder / f"{kind}.schema.json").write_text(_text(schema) + "\n", encoding="utf-8")


def _settings(files: dict[str, str], folder: str, data: str) -> str:
    """Return the lines for VS Code's settings.json that assign each schema to its content files."""
    out, content = Path(folder).as_posix(), Path(data).as_posix()
    if not Path(folder).is_absolute():
        out = f"./{out}"  # without ./ the YAML extension reads it as a URL
    schemas = {f"{out}/{kind}.schema.json": f"{content}/{pattern}" for kind, pattern in files.items()}
    lines = ",\n".join(
        f"  {json.dumps(schema)}: {json.dumps(pattern)}" for schema, pattern in schemas.items()
    )
    return f'"yaml.schemas": {{\n{lines}\n}}'
