"""`dungeon watch`: draw like `dungeon show`, and redraw whenever a content file changes."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dungeon.cli import show
from dungeon.cli.calling import DONE, CallError, add_data, data_folder
from dungeon.cli.printing import console_text, is_terminal, problem_text, wants_colour
from dungeon.core.errors import counted, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from dungeon.cli.calling import Commands
    from dungeon.core.errors import Problem

CLEAR = "\x1b[H\x1b[2J"
CUT, WRAP = "\x1b[?7l", "\x1b[?7h"
"""Control sequences: cut lines that are too long for the terminal (for drawings), or wrap them (for text)."""

QUIET = 100
"""Milliseconds without another change after which the drawing is redone. Editors write several files at once."""

GLANCE = 200
"""Milliseconds between looks at whether the content folder still exists and is the same one."""


class Watched(NamedTuple):
    """What is watched: all files of a content folder and of its mods, or one REXPaint file.

    Attributes:
        folder: The content folder, or the folder of the file.
        file: The name of the file; None for a content folder.
        mods: The folders of the mods.
    """

    folder: Path
    file: str | None = None
    mods: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return " + ".join(map(str, [self.folder / self.file] if self.file else self.folders))

    @property
    def folders(self) -> tuple[Path, ...]:
        """The content folder, then the mods."""
        return (self.folder, *self.mods)

    def name(self, path: str) -> str:
        """Return the name of a file for messages: its path below the content folder, or the mod's name and the path below the mod."""
        there = Path(path)
        for mod in self.mods:
            if there.is_relative_to(mod.absolute()):
                return f"{mod.name}/{there.relative_to(mod.absolute()).as_posix()}"
        return there.relative_to(self.folder.absolute()).as_posix()

    def matters(self, path: str) -> bool:
        """Tell whether a change of this file may change the drawing. Hidden files and ``__pycache__`` don't."""
        name = self.name(path)
        if self.file is not None:
            return name == self.file
        return not any(part.startswith((".", "__")) for part in Path(name).parts)

    def gone(self) -> Path | None:
        """Return the first folder that does not exist; None if all exist."""
        return next((folder for folder in self.folders if _identity(folder) is None), None)

    def identity(self) -> tuple[tuple[int, int] | None, ...] | None:
        """Return the (device, inode) of each folder; None if one of the folders does not exist.

        So a folder that was deleted and made again is noticed: it has another inode.
        """
        found = tuple(map(_identity, self.folders))
        return None if None in found else found


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return the device and inode of a folder; None if it does not exist."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Screenful(NamedTuple):
    """A drawing and the lines of text below it.

    Attributes:
        drawing: The drawing; a narrow terminal should cut its lines.
        words: The lines of text; a narrow terminal should wrap them.
    """

    drawing: str
    words: tuple[str, ...]


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "watch",
        help="draw like show, and redraw whenever a content file changes",
        description="Keep this command running beside your editor. If the content has errors, they are shown in place of the drawing. "
        "Ctrl-C stops the command.",
        epilog="example: dungeon watch engine_house --orientation all",
    )
    show.add_drawing(command)
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Draw, and redraw after each change, until Ctrl-C."""
    if not options.what.endswith(".xp"):
        options.data = data_folder(options.data)  # once: if it is deleted, wait for it and show no other
    watched = what_to_watch(options)
    if (gone := watched.gone()) is not None:
        raise CallError(f"there is no folder {gone} to watch")
    try:
        for number, changed in enumerate(changes(watched)):
            print_screenful(screenful(options, is_first=not number), footer(watched, changed))
    except KeyboardInterrupt:
        pass
    return DONE


def what_to_watch(options: argparse.Namespace) -> Watched:
    """Return the files to watch: the content folder and its mods, or the one REXPaint file that is drawn."""
    if options.what.endswith(".xp"):
        file = Path(options.what)
        return Watched(file.parent, file.name)
    return Watched(Path(options.data), mods=tuple(map(Path, options.mod)))


def changes(watched: Watched) -> Iterator[list[str]]:
    """Yield an empty list at once, then the sorted names of the changed files after each burst of changes.

    Every change after the first list is reported. The folder itself may be deleted and made again.

    Raises:
        CallError: The library `watchfiles` is not installed.
    """
    is_begun = False
    while True:
        while (identity := watched.identity()) is None:
            time.sleep(GLANCE / 1000)
        try:
            # The first batch, mostly an empty one, comes when watching has begun.
            for number, batch in enumerate(_batches(watched)):
                if batch or not number:
                    yield sorted(batch) or ([str(watched)] if is_begun else [])
                    is_begun = True
                if watched.identity() != identity:
                    break
        except FileNotFoundError:
            continue  # it went just before watching began
        if watched.identity() is None:
            yield [str(watched)]


def _batches(watched: Watched) -> Iterator[set[str]]:
    """Yield the names of the files that changed in one burst; an empty set each time nothing has changed for `GLANCE` ms."""
    try:
        import watchfiles
    except ModuleNotFoundError:
        raise CallError(
            "the command watch needs the library watchfiles: pip install 'tcod-dungeon[watch]'"
        ) from None
    for batch in watchfiles.watch(
        *watched.folders,
        watch_filter=lambda _, path: watched.matters(path),
        step=QUIET,
        rust_timeout=GLANCE,
        yield_on_timeout=True,
        recursive=watched.file is None,
    ):
        yield {watched.name(path) for _, path in batch}


def screenful(options: argparse.Namespace, *, is_first: bool = False) -> Screenful:
    """Return the drawing that the options ask for, or the problems that prevent it.

    Raises:
        CallError: No map, prefab or file has the given name. Raised only if `is_first`: later the message is shown, as an
            edit may bring the name back.
    """
    import dungeon

    colour = wants_colour(options)
    try:
        drawn = show.draw(options)
    except dungeon.ContentError as error:
        return Screenful("", problem_lines(error.problems, colour=colour))
    except dungeon.GenerationError as error:
        return Screenful("", tuple(map(printable, str(error).split("\n"))))
    except CallError as error:
        if is_first:
            raise
        return Screenful("", (printable(str(error)),))
    return Screenful(console_text(drawn.console, colour=colour), drawn.words)


def problem_lines(problems: Sequence[Problem], *, colour: bool) -> tuple[str, ...]:
    """Return a line for each problem; on a terminal only the first ones that fit on the screen."""
    width, height = shutil.get_terminal_size()
    space = height - 3 if sys.stdout.isatty() else sys.maxsize
    lines: list[str] = []
    for number, problem in enumerate(problems):
        space -= -(-len(str(problem)) // width)
        if space < 0 and lines:
            lines.append(f"and {counted(len(problems) - number, 'more problem')}")
            break
        lines.append(problem_text(problem, colour=colour))
    return tuple(lines)


def footer(watched: Watched, changed: Sequence[str]) -> str:
    """Return the last line: which files changed and when, and how to stop.

    If content files have changed, other files, such as an editor's temporary ones, are not named.
    """
    from dungeon.content.source.files import FILE_ENDINGS

    if not changed:
        return printable(f"Watching {watched}. Ctrl-C stops.")
    if (gone := watched.gone()) is not None:
        what = f"{gone} is gone"
    else:
        names = [name for name in changed if name.endswith(FILE_ENDINGS)] or changed
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        what = f"{', '.join(names[:3])}{more} changed"
    return printable(f"{time.strftime('%H:%M:%S')}  {what}. Ctrl-C stops.")


def print_screenful(screen: Screenful, below: str) -> None:
    """Print a screenful and the last line; on a terminal, replace the previous screenful."""
    drawing = screen.drawing
    if is_terminal(sys.stdout):
        drawing = f"{CLEAR}{CUT}{drawing}{WRAP}"
    sys.stdout.write(drawing + "".join(f"{line}\n" for line in (*screen.words, below)))
    sys.stdout.flush()
