"""Random samples (rolls) of a prefab for `dungeon show`: the options for them, and their drawing side by side."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from dungeon.cli.calling import CallError, up_to
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from tcod.console import Console

    from dungeon.content.library import Content
    from dungeon.generation.populate.sample import Sample
    from dungeon.grid.symmetry import Orientation


ALL = "all"
MOST_ROLLS = 1000
DEEPEST = 1000
GAP = 2
"""Cells between two rolls, both ways."""

PICTURE_COLUMNS = 100
"""Maximum width of a picture of several rolls, in cells. A single wider roll widens the picture."""

CAPTION = (150, 150, 160)


class RollTile(NamedTuple):
    """A random sample (roll) of a prefab with its place on the console.

    Attributes:
        y: The row of its caption; the drawing begins below it.
        x: The first column of both.
        sample: The sample.
    """

    y: int
    x: int
    sample: Sample

    @property
    def caption(self) -> str:
        """The line above the sample: its number, orientation and variant, such as ``0 r90`` or ``0 r90 wet``."""
        variant = self.sample.name.partition("/")[2]
        return " ".join(filter(None, [str(self.sample.number), self.sample.orientation.label, variant]))

    @property
    def width(self) -> int:
        """Width in cells of the sample, or of its caption if that is wider."""
        return max(int(self.sample.terrain.shape[1]), len(self.caption))

    @property
    def bottom(self) -> int:
        """The row of the console below the sample."""
        return self.y + 1 + int(self.sample.terrain.shape[0])


def add_rolls(command: argparse.ArgumentParser, *, compares: bool) -> None:
    """Add the options `--orientation`, `--times` and `--depth` for random samples (rolls) of a prefab.

    If `compares` is True, `--times` is also the number of seeds of a map.
    """
    command.add_argument(
        "--orientation",
        metavar="r0|...|m270|all",
        help="orientation of a prefab: r0, r90, r180, r270, m0 to m270 (mirrored), or all (default: as drawn)",
    )
    command.add_argument(
        "--times",
        type=up_to(MOST_ROLLS),
        metavar="N",
        help=f"number of variants of a prefab to draw{', or with --metrics, number of seeds of a map to measure' if compares else ''} (default 1)",
    )
    add_depth(command)


def add_depth(command: argparse.ArgumentParser) -> None:
    """Add the option `--depth`: the depth for which the objects of a prefab are chosen."""
    command.add_argument(
        "--depth",
        type=up_to(DEEPEST, least=0, what="depth"),
        metavar="D",
        help="depth for which the prefab's objects are chosen (default: the lowest depth at which it is used)",
    )


def roll_prefab(content: Content, options: argparse.Namespace) -> list[Sample]:
    """Roll a prefab `--times` times in each orientation that `--orientation` names.

    Raises:
        CallError: The prefab does not permit that orientation.
    """
    from dungeon.authoring.sample import Sampler

    sampler = Sampler(content)

    def orientations(number: int) -> Sequence[str | Orientation | None]:
        if options.orientation != ALL:
            return (options.orientation,)
        return content.prefabs[sampler.chosen(options.what, options.seed, number)].orientations

    try:
        return [
            sampler.sample(
                options.what, seed=options.seed, number=number, orientation=each, depth=options.depth
            )
            for number in range(options.times or 1)
            for each in orientations(number)
        ]
    except ValueError as error:
        raise CallError(str(error)) from None


def drawing_width(options: argparse.Namespace) -> int:
    """Return the width to draw on, in cells: the terminal's, or that of a picture."""
    return PICTURE_COLUMNS if options.png else shutil.get_terminal_size().columns


def tiles_of(samples: Sequence[Sample], columns: int) -> Iterator[RollTile]:
    """Yield the place of each sample on the console, from left to right and row by row.

    A row is at most `columns` cells wide, or as wide as a single sample.
    """
    y = x = bottom = 0
    for sample in samples:
        tile = RollTile(y, x, sample)
        if x and x + tile.width > columns:
            tile = RollTile(bottom + GAP - 1, 0, sample)
        y, x = tile.y, tile.x + tile.width + GAP
        bottom = max(bottom, tile.bottom)
        yield tile


def rolls_console(samples: Sequence[Sample], columns: int) -> Console:
    """Return a console with several random samples of a prefab side by side, each with its caption.

    Args:
        samples: The samples.
        columns: The width in cells after which a new row of samples begins.
    """
    from tcod.console import Console

    import dungeon

    tiles = list(tiles_of(samples, columns))
    width, height = max(tile.x + tile.width for tile in tiles), max(tile.bottom for tile in tiles)
    console = Console(width, height, order="C")
    for tile in tiles:
        console.print(tile.x, tile.y, tile.caption, fg=CAPTION)
        dungeon.to_console(tile.sample).blit(console, tile.x, tile.y + 1)
    return console


def caption_lines(samples: Sequence[Sample], options: argparse.Namespace) -> tuple[str, ...]:
    """Return the lines below the samples of a prefab: its name, and how many objects found no place (were refused).

    With `--journal`, a line for each refused object follows, with the reason.
    """
    first = samples[0]
    refused = sum(len(sample.journal) for sample in samples)
    height, width = first.terrain.shape
    caption = (
        f"{options.what}: prefab, {width}x{height}, depth {first.depth}, seed {options.seed}; "
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
