"""Lids: what is shut without a lock, such as crates, opens to a tool that pries, and what stands ajar to anybody."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.body.pack import spare_for
from game_demo.rules.locks import is_locked
from game_demo.rules.naming import as_sentence, name_of, plural_of, with_article
from game_demo.rules.robots.senses import make_noise
from game_demo.rules.works.contents import open_box
from game_demo.rules.works.way import Way, noise_of
from game_demo.state.components import Tag
from game_demo.state.entities import cell_of
from game_demo.state.geometry import bearing_of
from game_demo.state.things.fixtures import Lid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

PRY: Final = "pry"
"""The name of that way."""
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
    if not needs_tool(prop):
        yield Way("open", f"Look into the {name_of(prop)}", partial(_open, game, prop))
    elif game.body.build.pries:
        act = partial(_pry, game, prop, cell)
        yield Way(PRY, f"Pry the {name_of(prop)} open", act, noise_of(PRY_NOISE), turns=PRY_TURNS)


def refusal(game: Game, cells: Iterable[Cell]) -> str:
    """Return what would open what has a lid at some cells, as the player reads it; empty if he has that, or nothing is there."""
    lids = {prop: cell for cell in cells if (prop := lidded_at(game, cell)) is not None and needs_tool(prop)}
    if not lids or game.body.build.pries:
        return ""
    sides: dict[str, list[str]] = {}
    for prop, cell in lids.items():
        sides.setdefault(name_of(prop), []).append(bearing_of(game.player_cell, cell))
    named = {name if len(where) == 1 else plural_of(name): where for name, where in sides.items()}
    them = " and ".join(f"the {name} to the {' and the '.join(where)}" for name, where in named.items())
    do = "do" if len(lids) > 1 else "does"
    spare = spare_for(game, "pries")
    tool = f"the {spare} in your pack (i)" if spare else told_of_tools(game)
    return f"{as_sentence(them)} {do} not open by hand: fit {tool}."


def told_of_tools(game: Game) -> str:
    """Return what pries, and the name of something that does if there is any."""
    items = game.world.content.catalog.things["item"].values()
    name = next((item.name for item in items if item.data.get("pries") is True), "")
    return f"{with_article(name)} or the like" if name else "a tool that pries"


def open_by_hand(game: Game, prop: int) -> bool:
    """Open something with a lid for which no tool is needed; tell whether it was such a thing, and shut."""
    if lidded_at(game, cell_of(prop)) != prop or needs_tool(prop):
        return False
    _open(game, prop)
    return True


def lidded_at(game: Game, cell: Cell) -> int | None:
    """Return what stands at a cell and has a lid that nobody has opened, and no lock; None for nothing."""
    prop = game.map.blockers.get(cell)
    return prop if prop is not None and esper.has_component(prop, Lid) and not is_locked(game, prop) else None


def needs_tool(prop: int) -> bool:
    """Tell whether something with a lid opens only to a tool that pries."""
    return esper.component_for_entity(prop, Tag).keywords.get("state") not in OPEN


def opens_to_tool_only(game: Game, cell: Cell) -> bool:
    """Tell whether what stands at a cell is shut, and opens to a tool that pries, and to nothing else."""
    prop = lidded_at(game, cell)
    return prop is not None and needs_tool(prop)


def _pry(game: Game, prop: int, cell: Cell) -> None:
    _open(game, prop)
    make_noise(game, cell, PRY_NOISE)


def _open(game: Game, prop: int) -> None:
    esper.remove_component(prop, Lid)
    game.map.changed_things.append(prop)
    open_box(game, prop)
