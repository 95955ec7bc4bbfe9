"""Rolls of a prefab side by side, each with a caption: what `dungeon show` and `dungeon watch` draw of a prefab."""

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

ALL = "all"
MOST_ROLLS = 1000
DEEPEST = 1000
GAP = 2
"""Cells between two rolls, both ways."""

PICTURE_COLUMNS = 100
"""How wide a picture may become, in cells, unless a single roll is wider."""

CAPTION = (150, 150, 160)


class Tile(NamedTuple):
    """A roll and where its top-left cell goes."""

    y: int
    x: int
    sample: Sample

    @property
    def caption(self) -> str:
        """What stands above it: its number, and how it lies."""
        return f"{self.sample.number} {self.sample.orientation.label}"

    @property
    def width(self) -> int:
        """Columns of the roll, or of its caption."""
        return max(int(self.sample.terrain.shape[1]), len(self.caption))

    @property
    def bottom(self) -> int:
        """The row below the roll."""
        return self.y + 1 + int(self.sample.terrain.shape[0])


def add_rolls(command: argparse.ArgumentParser, *, compares: bool) -> None:
    """Add the options that say which rolls of a prefab are drawn, or how many seeds of a map are compared."""
    command.add_argument(
        "--orientation", metavar="r0|...|m270|all", help="how a prefab lies (default: as drawn)"
    )
    command.add_argument(
        "--times",
        type=up_to(MOST_ROLLS),
        metavar="N",
        help=f"how many rolls of a prefab{', or with --metrics how many seeds of a map' if compares else ''} (default 1)",
    )
    add_depth(command)


def add_depth(command: argparse.ArgumentParser) -> None:
    """Add the option that says how deep a prefab is."""
    command.add_argument(
        "--depth",
        type=up_to(DEEPEST, least=0, what="depth"),
        metavar="D",
        help="of a prefab (default: the least it is asked for)",
    )


def rolls(content: Content, options: argparse.Namespace) -> list[Sample]:
    """Roll a prefab as often, and in the ways, that the options ask for.

    Raises:
        CallError: The prefab does not permit that orientation.
    """
    from dungeon.authoring.sample import Sampler

    sampler = Sampler(content)
    permitted = content.prefabs[options.what].orientations
    orientations = permitted if options.orientation == ALL else (options.orientation,)
    try:
        return [
            sampler.sample(
                options.what, seed=options.seed, number=number, orientation=each, depth=options.depth
            )
            for number in range(options.times or 1)
            for each in orientations
        ]
    except ValueError as error:
        raise CallError(str(error)) from None


def columns_for(options: argparse.Namespace) -> int:
    """Return how many columns there are to draw on."""
    return PICTURE_COLUMNS if options.png else shutil.get_terminal_size().columns


def laid_out(samples: Sequence[Sample], columns: int) -> Iterator[Tile]:
    """Yield the rolls as tiles, row by row, as many in each as there is space for."""
    y = x = bottom = 0
    for sample in samples:
        tile = Tile(y, x, sample)
        if x and x + tile.width > columns:
            tile = Tile(bottom + GAP - 1, 0, sample)
        y, x = tile.y, tile.x + tile.width + GAP
        bottom = max(bottom, tile.bottom)
        yield tile


def console_of(samples: Sequence[Sample], columns: int) -> Console:
    """Return a console with all the rolls on it."""
    from tcod.console import Console

    import dungeon

    tiles = list(laid_out(samples, columns))
    width, height = max(tile.x + tile.width for tile in tiles), max(tile.bottom for tile in tiles)
    console = Console(width, height, order="C")
    for tile in tiles:
        console.print(tile.x, tile.y, tile.caption, fg=CAPTION)
        dungeon.to_console(tile.sample).blit(console, tile.x, tile.y + 1)
    return console


def words_of(samples: Sequence[Sample], options: argparse.Namespace) -> tuple[str, ...]:
    """Return the lines below: what it is, and what of it was refused."""
    first = samples[0]
    refused = sum(len(sample.journal) for sample in samples)
    height, width = first.terrain.shape
    caption = (
        f"{first.name}: prefab, {width}x{height}, depth {first.depth}, seed {options.seed}; "
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
