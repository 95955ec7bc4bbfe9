"""`dungeon editions`: which encounters a game has had since when, and those that it has got since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, CallError, add_folders, content_in, named_folders
from dungeon.cli.printing import counted

if TYPE_CHECKING:
    import argparse

    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content

MOST_NAMED = 10
"""So many names are printed; of more, how many there are."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "editions",
        help="list which encounters a game has had since when, and write down those that are new",
        description="Encounters of later editions choose their places after those of earlier ones, and whatever is in none after "
        "all: so levels that players know stay as they are when a game grows.",
    )
    add_folders(command)
    command.add_argument(
        "--new", action="store_true", help="write the encounters that are in none as another edition"
    )
    return command


def run(options: argparse.Namespace) -> int:
    """List the editions, or write another."""
    from dungeon.authoring.editions import unlisted

    content = content_in(named_folders(options))
    new = unlisted(content)
    if options.new:
        print(_write(content, new))
        return DONE
    for number in sorted(content.editions):
        names = [name for name in content.editions[number] if name in content.encounters]
        print(f"edition {number}: {_told(names)}")
    if not content.editions:
        print("no edition: all choose their places in the order in which chance lets them come")
    elif new:
        print(f"in none, and so after all others: {_told(new)}")
    return DONE


def _told(names: list[str]) -> str:
    """Return how many encounters these are, and which if they are few."""
    count = counted(len(names), "encounter")
    return f"{count}: {', '.join(names)}" if 0 < len(names) <= MOST_NAMED else count


def _write(content: Content, names: list[str]) -> str:
    """Write another edition, and return what is to be said of that.

    Raises:
        CallError: It can't be written.
    """
    from dungeon.authoring.editions import FILE, with_edition
    from dungeon.content.models.editions import LAST_EDITION, MOST_ENCOUNTERS

    if len(content.layers) > 1:
        raise CallError("editions are those of the content itself; what mods add comes after all of them")
    if not names:
        return "all encounters are in an edition"
    path = Path(content.folder, FILE)
    number = max(content.editions, default=0) + 1
    if number > LAST_EDITION or len(names) > MOST_ENCOUNTERS:
        raise CallError(f"there are {LAST_EDITION} editions at most, of {MOST_ENCOUNTERS} encounters each")
    try:
        before = path.read_bytes().decode() if path.exists() else ""
        text = with_edition(before, number, names)
        if text is None:
            line = f"{number}: [{', '.join(names)}]"
            raise CallError(f"nothing can be written at the end of {path} as it is; write there {line}")
        path.write_bytes(text.encode())
    except OSError as error:
        raise CallError(f"{path} cannot be written: {error.strerror}") from None
    return f"{path}: edition {number}, {_told(names)}"
