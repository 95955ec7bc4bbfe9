"""What `dungeon show MAP --gif FILE` writes: the stages of a level being built, as an animated picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.cli.calling import CallError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.adapters.recording import Recording
    from dungeon.core.vocabulary import Highlight

FRAMES = 60
"""How many frames there are at most, unless it is said."""

MOST_FRAMES = 1000
MOST_PIXELS = 300_000_000
"""All frames together; each takes a byte of memory while the file is written."""


class Written(NamedTuple):
    """What has been written: so many pictures of so many steps."""

    pictures: int
    steps: int


def write_gif(
    recording: Recording, file: str, *, most: int, scale: int, highlight: Highlight | None
) -> Written:
    """Write a recording as an animated GIF; equal recordings give equal files.

    Raises:
        CallError: Pillow is missing, the picture would be too large, or the file can't be written.
    """
    from dungeon.adapters.animation import animate

    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise CallError("--gif needs Pillow: pip install 'tcod-dungeon[images]'") from None
    animation = animate(recording, most=most, scale=scale, highlight=highlight)
    height, width = animation.size
    count = len(animation.durations)
    if height * width * count > MOST_PIXELS:
        raise CallError(
            f"{count} frames of {width}x{height} pixels are too much for a GIF; "
            f"--frames {max(MOST_PIXELS // (height * width), 1)} is the most at --scale {scale}"
        )
    palette = animation.palette.tobytes()

    def pictures() -> Iterator[Image.Image]:
        for picture in animation.pictures:
            image = Image.fromarray(picture, "P")
            image.putpalette(palette)
            yield image

    rest = pictures()
    first = next(rest)
    try:
        first.save(
            file,
            format="GIF",
            save_all=True,
            append_images=rest,
            duration=animation.durations,
            loop=0,
            optimize=False,
        )
    except OSError as error:
        raise CallError(f"{file} cannot be written: {error.strerror}") from None
    return Written(count, len(recording))
