"""How a zone grows: by the set of the cells beside it and nothing else, all of which are valid.

After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009). A cell is picked from the set, then the cells beside it are added;
so there is nothing to guess, and nothing to take back. Which of the set is next makes the shape of a zone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.generation.layouts.cards.params import turned
from dungeon.grid.bits import places

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards.lattice import Lattice
    from dungeon.generation.layouts.cards.params import Growth

MOST_BORDERS = 4

TOWARD = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}


def grow(
    lattice: Lattice,
    begin: int,
    allowed: int,
    count: int,
    growth: Growth,
    stream: Stream,
    *,
    beside: int = 0,
    leaves_room: Callable[[int], bool] = lambda _: True,
) -> int:
    """Return the mask of the cells that a zone takes, so many if there is space.

    Args:
        lattice: The grid.
        begin: The mask of what it begins with, all of which is allowed; 0 if `beside` is where it begins.
        allowed: The cells that it may take.
        count: How many cells it is to have.
        growth: In which order it takes them.
        stream: Where chance comes from.
        beside: The mask of a zone whose set of neighbours it begins with, and keeps: it may begin anew there.
        leaves_room: Given the zone as it would be, tells whether others still find what they need. Cells for which it says no
            are never taken. What is wrong for a zone must be wrong for a larger one.
    """
    cells = begin
    ages: dict[int, int] = {}
    while (size := cells.bit_count()) < count:
        neighbours = lattice.beside(cells | beside) & allowed & ~cells
        if not neighbours:
            break
        place = _pick(lattice, neighbours, cells | beside, cells, growth, ages, stream)
        if growth.ageing:
            for other in places(neighbours):
                ages[other] = ages.get(other, 0) + 1
        section = _section(lattice, place, allowed & ~cells, count - size, growth, stream)
        if leaves_room(cells | section):
            cells |= section
        elif leaves_room(cells | 1 << place):
            cells |= 1 << place
        else:
            allowed &= ~(1 << place)
    return cells


def first_of(options: list[int], growth: Growth, stride: int, stream: Stream) -> int:
    """Return one of some cells to begin with: where cells lie likelier in a direction, one of the half from which it leads on."""
    if growth.toward is None or growth.toward == "centre":
        return stream.pick(options)
    toward = growth.toward
    ordered = sorted(options, key=lambda place: _along(place, toward, stride))
    return stream.pick(ordered[: (len(ordered) + 1) // 2])


def _along(place: int, toward: str, stride: int) -> int:
    """Return how far a cell lies in a direction."""
    steps = [TOWARD[word] for word in toward.split("-")]
    return sum(place // stride * dy + place % stride * dx for dy, dx in steps)


def _pick(
    lattice: Lattice,
    neighbours: int,
    rooms: int,
    cells: int,
    growth: Growth,
    ages: dict[int, int],
    stream: Stream,
) -> int:
    """Return the cell of the set of neighbours that is next.

    Args:
        lattice: The grid.
        neighbours: The set.
        rooms: The mask of what counts as a border.
        cells: The zone so far.
        growth: In which order cells are taken.
        ages: Cell -> how often another one was taken.
        stream: Where chance comes from.
    """
    chosen = neighbours
    if growth.chances:
        exactly = by_borders(lattice, neighbours, rooms)
        for borders in range(MOST_BORDERS, 0, -1):
            few = exactly[borders]
            if few and stream.chance(growth.chances.get(borders, 0.0)):
                chosen = few
                break
    options = places(chosen)
    if growth.toward is None and not growth.ageing:
        return stream.pick(options)
    stride = lattice.board.stride
    pulls = [0.0] * len(options)
    if growth.toward == "centre" and cells:
        inside = [divmod(place, stride) for place in places(cells)]
        y0, x0 = (sum(each[axis] for each in inside) / len(inside) for axis in (0, 1))
        pulls = [-math.hypot(place // stride - y0, place % stride - x0) for place in options]
    elif growth.toward is not None and growth.toward != "centre":
        pulls = [float(_along(place, growth.toward, stride)) for place in options]
    most = max(pulls)
    weights = [
        (1 + growth.ageing * ages.get(place, 0)) * math.exp(growth.pull * (pull - most))
        for place, pull in zip(options, pulls, strict=True)
    ]
    return stream.weighted(zip(options, weights, strict=True))


def by_borders(lattice: Lattice, neighbours: int, rooms: int) -> list[int]:
    """Return, for 0 to 4 borders, the mask of those of some cells that share so many sides with rooms."""
    stride = lattice.board.stride
    exactly = [neighbours, 0, 0, 0, 0]
    for moved in (rooms << 1, rooms >> 1, rooms << stride, rooms >> stride):
        for borders in range(MOST_BORDERS, 0, -1):
            more = exactly[borders - 1] & moved
            exactly[borders] |= more
            exactly[borders - 1] ^= more
    return exactly


def _section(lattice: Lattice, place: int, allowed: int, most: int, growth: Growth, stream: Stream) -> int:
    """Return what is laid on a cell: that cell, or a section that covers it, where it has space."""
    cell = 1 << place
    name = roll(growth.sections, stream, "cell")
    if name == "cell":
        return cell
    stride = lattice.board.stride
    y, x = divmod(place, stride)
    fits = []
    for offsets in turned(name):
        cells = [(y + down, x + across) for down, across in offsets]
        if len(cells) > most or any(
            not (0 <= row < lattice.board.height and 0 <= column < lattice.board.width)
            for row, column in cells
        ):
            continue
        mask = lattice.board.from_cells(cells)
        if mask & ~allowed == 0:
            fits.append(mask)
    return stream.pick(fits) if fits else cell
