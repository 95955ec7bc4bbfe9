"""The pictures of the pages of techniques: zones of cards as they lie on their grid."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from panels import lines
from pictures import draws, number

from dungeon import LayoutJob
from dungeon.extend import Board, Journal, Streams
from dungeon.generation.layouts.cards_grid import Lattice
from dungeon.generation.layouts.cards_zones import ZonePlan

if TYPE_CHECKING:
    from scenes import Scene

HEIGHT, WIDTH = 11, 18


@draws("cards")
def _(scene: Scene, label: str) -> str:
    """Draw the grid: "seed 3" of the first map, or of "NAME"; "2 zones", or "9 cells": that far; "set": what lies beside."""
    words = label.replace(",", "").split()
    name = next((word for word in words if word in scene.content.layouts), next(iter(scene.content.layouts)))
    params = scene.content.layouts[name]
    if "zones" in words or "zone" in words:
        count = int(words[words.index("zones" if "zones" in words else "zone") - 1])
        params = params.model_copy(update={"zones": dict([*params.zones.items()][:count])})
    if "cells" in words:
        count = int(words[words.index("cells") - 1])
        params = type(params).model_validate({"count": count, "grow": params.grow})
    board = Board(HEIGHT, WIDTH)
    lattice = Lattice(board=board, top=1, left=1, height=5, width=5, gap=1, free=board.full)
    streams = Streams(number(label, "seed", 1), "cards")
    plan = ZonePlan(lattice, params, LayoutJob(streams=streams, journal=Journal(), prefabs={}))
    plan.build()
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]

    def mark(cells: int, char: str) -> None:
        for y, x in board.cells(cells):
            rows[y][x] = char

    if "set" in words:
        for plot in plan.plots:
            mark(plot.beside & ~plan.taken, "o" if plot is plan.plots[-1] else "x")
        mark(plan.shut & ~plan.taken, "x")
    for letter, plot in zip(string.ascii_uppercase, plan.plots, strict=False):
        mark(plot.cells, letter if plot.name else "#")
        for place in plot.tunnel:
            mark(1 << place, ",")
        if plot.bridge is not None:
            mark(1 << plot.bridge, "=")
    return lines(rows)
