"""`dungeon watch`: what `dungeon show` shows, drawn again whenever a file of the content changes."""

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
"""Whether the terminal cuts lines that are too long, as is best for a drawing, or wraps them."""

QUIET = 100
"""Milliseconds without a change after which a burst of them is over."""

GLANCE = 200
"""How often, in milliseconds, it is looked whether the folder is still the same one."""


class Watched(NamedTuple):
    """What is watched: a folder with all that is in it, and those laid over it; or one file of a folder."""

    folder: Path
    file: str | None = None
    mods: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return " + ".join(map(str, [self.folder / self.file] if self.file else self.folders))

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders."""
        return (self.folder, *self.mods)

    def name(self, path: str) -> str:
        """Return what messages call a file: its path below its folder, with the folder's name if that is a mod."""
        there = Path(path)
        for mod in self.mods:
            if there.is_relative_to(mod.absolute()):
                return f"{mod.name}/{there.relative_to(mod.absolute()).as_posix()}"
        return there.relative_to(self.folder.absolute()).as_posix()

    def matters(self, path: str) -> bool:
        """Tell whether a file may change the drawing; hidden files, and those of a cache, are no content."""
        name = self.name(path)
        if self.file is not None:
            return name == self.file
        return not any(part.startswith((".", "__")) for part in Path(name).parts)

    def gone(self) -> Path | None:
        """Return a folder that is not there, if there is one."""
        return next((folder for folder in self.folders if _identity(folder) is None), None)

    def identity(self) -> tuple[tuple[int, int] | None, ...] | None:
        """Return what tells the folders from others of their names, or None where one is not there."""
        found = tuple(map(_identity, self.folders))
        return None if None in found else found


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another one of its name, or None where there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Screenful(NamedTuple):
    """What is printed at once.

    Attributes:
        drawing: Lines that a narrow terminal had better cut.
        words: Lines below it that it had better wrap.
    """

    drawing: str
    words: tuple[str, ...]


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "watch", help="draw what show shows, again whenever a file changes", description="Ctrl-C stops it."
    )
    show.add_drawing(command)
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Draw what is asked for until Ctrl-C."""
    if not options.what.endswith(".xp"):
        options.data = data_folder(options.data)  # once: if it is deleted, wait for it and show no other
    watched = what_to_watch(options)
    if (gone := watched.gone()) is not None:
        raise CallError(f"there is no folder {gone} to watch")
    try:
        for number, changed in enumerate(changes(watched)):
            put_out(screenful(options, is_first=not number), footer(watched, changed))
    except KeyboardInterrupt:
        pass
    return DONE


def what_to_watch(options: argparse.Namespace) -> Watched:
    """Return where that which is drawn comes from: the content folder, or a drawing's own file."""
    if options.what.endswith(".xp"):
        file = Path(options.what)
        return Watched(file.parent, file.name)
    return Watched(Path(options.data), mods=tuple(map(Path, options.mod)))


def changes(watched: Watched) -> Iterator[list[str]]:
    """Yield the names of files that have changed, once for each burst of changes; first of all an empty list.

    Nothing that changes after the first list is missed. The folder itself may go and come back.

    Raises:
        CallError: The library that watches is not installed.
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
    """Yield the names of files that changed in a burst; every now and then, when nothing did, an empty set."""
    try:
        import watchfiles
    except ModuleNotFoundError:
        raise CallError("watching needs watchfiles: pip install 'tcod-dungeon[watch]'") from None
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
    """Draw what is asked for, or say why that is not possible now.

    Raises:
        CallError: There is nothing of that name; at first only, for later that may be mended.
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
    """Return a line for each problem: on a terminal for as many as it has space for, from the first on."""
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
    """Return the line below: what changed and when, and how to stop.

    Files of content stand for what else changed, such as an editor's temporary files.
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


def put_out(screen: Screenful, below: str) -> None:
    """Print a screenful and the line below it, on a terminal in the place of what was there."""
    drawing = screen.drawing
    if is_terminal(sys.stdout):
        drawing = f"{CLEAR}{CUT}{drawing}{WRAP}"
    sys.stdout.write(drawing + "".join(f"{line}\n" for line in (*screen.words, below)))
    sys.stdout.flush()
