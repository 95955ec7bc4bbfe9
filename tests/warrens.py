"""What the tests of `caves` and `mines` have in common."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from drawn import KINDS, codes

import dungeon.generation.built_in  # noqa: F401  # registers the layouts
from dungeon import Canvas, LayoutJob, Rect
from dungeon import terrain as t
from dungeon.core.registry import LAYOUTS
from dungeon.extend import Journal, Mouth, Streams
from dungeon.generation.layouts.seeded import join_seeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon import Region, Step


def job(seed: int, mouths: Sequence[Mouth] = (), attempt: int = 0) -> LayoutJob:
    """Return what a layout is given for a seed."""
    streams = Streams(seed, "test/1")
    return LayoutJob(streams=streams, journal=Journal(), prefabs={}, mouths=tuple(mouths), attempt=attempt)


def build(
    layout: str, canvas: Canvas, seed: int, mouths: Sequence[Mouth] = (), attempt: int = 0, **params: Any
) -> list[Step]:
    """Run a layout on a canvas, join what stood there to it, and return the steps."""
    chosen, regions, stood = LAYOUTS[layout], range(1, len(canvas.regions) + 1), canvas.used.any()
    steps = list(chosen.build(canvas, chosen.params(**params), job(seed, mouths, attempt)))
    return [*steps, *(join_seeded(canvas, mouths, regions) if stood else ())]


def fresh(layout: str, rows: int, columns: int, seed: int, **params: Any) -> Canvas:
    """Return a new map of a layout."""
    canvas = Canvas(rows, columns, KINDS)
    build(layout, canvas, seed, **params)
    return canvas


def regions(canvas: Canvas, kind: str) -> list[Region]:
    """Return the regions of a kind."""
    return [region for region in canvas.regions if region.kind == kind]


def cells_of(canvas: Canvas, region: Region) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return where a region's cells are."""
    return canvas.region == region.id


def seeded(
    canvas: Canvas, y: int, x: int, text: str, mouths: Sequence[tuple[int, int, int, int, int, str]] = ()
) -> list[Mouth]:
    """Stamp a drawing as a prefab and return its mouths.

    Args:
        canvas: The map.
        y: The row of its top left cell.
        x: The column.
        text: The drawing.
        mouths: As `Mouth` has them, but from the drawing's top left cell, and without the region.
    """
    terrain = codes(text)
    region = canvas.add_region("prefab", Rect(y, x, *terrain.shape))
    canvas.stamp(y, x, terrain, region)
    return [
        Mouth(y + row, x + column, dy, dx, wide, kind, region)  # type: ignore[arg-type]
        for row, column, dy, dx, wide, kind in mouths
    ]


def digest_of_maps(layout: str) -> str:
    """Return a digest of a few maps."""
    maps = (fresh(layout, 50, 70, seed) for seed in range(5))
    data = b"".join(each.terrain.tobytes() + each.region.tobytes() for each in maps)
    return blake2b(data).hexdigest()


def digest_elsewhere(layout: str, hash_seed: str) -> str:
    """Return the same digest, from another process."""
    code = f"import warrens; print(warrens.digest_of_maps({layout!r}))"
    environment = dict(os.environ, PYTHONHASHSEED=hash_seed, PYTHONPATH=os.pathsep.join(sys.path))
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
    )
    return run.stdout.decode().strip()


def walls_are_right(canvas: Canvas) -> bool:
    """Tell whether walls stand around all that is open and nowhere else, what prefabs drew left out."""
    padded = np.pad(canvas.open, 1)
    near = np.zeros_like(canvas.open)
    for dy in range(3):
        for dx in range(3):
            near |= padded[dy : dy + canvas.height, dx : dx + canvas.width]
    expected = near & ~canvas.open
    return bool((((canvas.terrain == t.WALL) == expected) | canvas.drawn).all())
