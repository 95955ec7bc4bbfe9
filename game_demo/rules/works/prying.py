"""Lids: what is shut without a lock, such as crates, opens to a tool that pries, and what stands ajar to anybody."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.locks import is_locked
from game_demo.rules.naming import name_of
from game_demo.rules.robots.senses import make_noise
from game_demo.rules.works.contents import open_box
from game_demo.rules.works.way import Way
from game_demo.state.components import Tag
from game_demo.state.things.fixtures import Lid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

PRY_TURNS: Final = 6
PRY_NOISE: Final = 7
"""How many steps away it is heard that nails are drawn."""
OPEN: Final = ("open", "ajar", "broken")
"""The states in which no tool is needed."""


def ways(game: Game, cell: Cell) -> Iterator[Way]:
    """Yield the opening of what has a lid at a cell, if the player has a tool for it or needs none."""
    prop = lidded_at(game, cell)
    if prop is None:
        return
    if not _needs_tool(prop):
        yield Way("open", f"Look into the {name_of(prop)}", partial(_open, game, prop))
    elif game.body.build.pries:
        act = partial(_pry, game, prop, cell)
        yield Way("pry", f"Pry the {name_of(prop)} open", act, "noise", turns=PRY_TURNS)


def refusal(game: Game, cell: Cell) -> str:
    """Return what would open what has a lid at a cell, as the player reads it; empty if he has that, or nothing is there."""
    prop = lidded_at(game, cell)
    if prop is None or game.body.build.pries or not _needs_tool(prop):
        return ""
    return f"The {name_of(prop)} does not open by hand: fit a tool that pries, as i and x tell of some."


def lidded_at(game: Game, cell: Cell) -> int | None:
    """Return what stands at a cell and has a lid that nobody has opened, and no lock; None for nothing."""
    prop = game.map.blockers.get(cell)
    return prop if prop is not None and esper.has_component(prop, Lid) and not is_locked(game, prop) else None


def _needs_tool(prop: int) -> bool:
    return esper.component_for_entity(prop, Tag).keywords.get("state") not in OPEN


def _pry(game: Game, prop: int, cell: Cell) -> None:
    _open(game, prop)
    make_noise(game, cell, PRY_NOISE)


def _open(game: Game, prop: int) -> None:
    esper.remove_component(prop, Lid)
    game.map.changed_things.append(prop)
    open_box(game, prop)
