"""What is in things: it falls out of robots that are destroyed and of boxes that are opened, which look and read as open from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import is_plural, listed, name_of
from game_demo.state.components import Appearance, Footprint, HeldBy, Position, Tag
from game_demo.state.entities import cells_of, held_by
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

OPEN_GLYPH: Final = "▄"
"""A box without its lid."""
TURNED: Final = {"up": "down", "down": "up", "shut": "open", "open": "shut"}
"""The state in which a lever is once it was pulled, by that in which it was."""


def spill(game: Game, holder: int, cell: Cell) -> list[int]:
    """Let all that something holds lie on a cell from now on, and return it."""
    items = [*held_by(holder)]
    held_by(holder).clear()
    for item in items:
        esper.remove_component(item, HeldBy)
        esper.add_component(item, Position(*cell))
        game.map.lay(item, [cell])
    return items


def open_box(game: Game, box: int) -> None:
    """Let something be open to see that was locked, and what is in it lie beside it; who sees that is told what it is."""
    set_state(box, "open")
    if not esper.has_component(box, Footprint):  # what is large is drawn as a whole
        esper.component_for_entity(box, Appearance).glyph = OPEN_GLYPH
    items = spill(game, box, _beside(game, box))
    if not any(game.map.sight.visible[cell] for cell in cells_of(box)):
        return
    names = [name_of(item) for item in items]
    if names:
        them = "them" if len(names) > 1 or is_plural(names[0]) else "it"
        game.log.say(f"In it: {listed(names)}. (g takes {them})", "find")
    elif "opens" not in esper.component_for_entity(box, Tag).keywords:  # else a key was in it
        game.log.say("It is empty.")


def turn_lever(lever: int) -> None:
    """Let something that was pulled be in its other state, if it has been in any."""
    state = esper.component_for_entity(lever, Tag).keywords.get("state")
    if isinstance(state, str) and state in TURNED:
        set_state(lever, TURNED[state])


def set_state(entity: int, state: str) -> None:
    """Let an entity be told to be in a state."""
    tag = esper.component_for_entity(entity, Tag)
    tag.keywords = {**tag.keywords, "state": state}


def _beside(game: Game, box: int) -> Cell:
    """Return where things lie that fall out of a box: at the feet of who stands next to it, or else on a free cell as near as there is."""
    cells = cells_of(box)
    if any(distance(cell, game.player_cell) <= 1 for cell in cells):
        return game.player_cell
    free = (near for cell in cells for near in game.map.neighbours(cell) if game.map.is_free(near))
    return next(free, None) or game.map.nearest_free(cells[0])
