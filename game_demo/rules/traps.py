"""Traps and secret doors: how they are found, how traps spring, and how the player disarms and lays them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import esper

from dungeon import terrain as t
from game_demo.rules.body import spend
from game_demo.rules.destruction import damage_robot, set_off
from game_demo.rules.naming import name_of, with_article
from game_demo.rules.options import WorkOption, odds_of
from game_demo.rules.pack import take_from
from game_demo.rules.senses import make_noise, tell_who_comes
from game_demo.state.body import TURN
from game_demo.state.components import (
    Appearance,
    Hidden,
    Item,
    ItemEffect,
    Position,
    Prop,
    Tag,
    Trap,
    TrapEffect,
    cell_of,
)
from game_demo.state.fixtures import Laid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from game_demo.state.components import Stack
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


# -- hidden things ---------------------------------------------------------------------------------

NOTICE_CHANCE: Final = 1 / 8
"""The chance each turn to notice a hidden thing next to the player; a part with keen senses always notices it."""


class NoticeProcessor(esper.Processor):
    """Lets the player notice hidden traps and secret doors next to him by chance."""

    def process(self, game: Game) -> None:
        """Let the player notice each hidden thing next to him with `NOTICE_CHANCE`, or always with a part that is `keen`."""
        for cell in hidden_cells(game):
            if game.body.build.keen or game.rng.random() < NOTICE_CHANCE:
                reveal(game, cell, by="notice")


def hidden_cells(game: Game) -> list[Cell]:
    """Return the cells with a hidden trap or secret door, among the player's cell and the eight around it."""
    cell = game.player_cell
    if cell not in game.map.secretive:
        return []
    return [each for each in (cell, *game.map.neighbours(cell)) if _hides(game, each)]


def _hides(game: Game, cell: Cell) -> bool:
    trap = game.map.traps.get(cell)
    hidden_trap = trap is not None and esper.has_component(trap, Hidden)
    return hidden_trap or game.map.door_at(cell, t.SECRET_DOOR) is not None


def is_found_door(game: Game, cell: Cell) -> bool:
    """Return whether a cell has a secret door that the player has found."""
    return cell in game.map.doors and game.map.level.base[cell] == t.SECRET_DOOR and not _hides(game, cell)


def reveal(game: Game, cell: Cell, *, told: bool = True, by: Literal["find", "notice"] = "find") -> None:
    """Reveal the hidden trap or secret door of a cell.

    Args:
        game: The game.
        cell: The cell.
        told: Whether a message tells of a trap.
        by: The verb of the message.
    """
    if game.map.door_at(cell, t.SECRET_DOOR) is not None:
        game.map.set_door(cell, is_open=False)
        game.log.say(f"You {by} a secret door!", "find")
    trap = game.map.traps.get(cell)
    if trap is not None and esper.try_remove_component(trap, Hidden) is not None:
        if told:
            game.log.say(f"You {by} {with_article(name_of(trap))}!", "find")
        game.map.changed_cells.append(cell)


# -- traps -----------------------------------------------------------------------------------------

CHANCE: Final = 0.55
"""The chance to disarm a trap."""
KEEN: Final = 0.3
"""How much a fitted part with keen senses adds to it."""
DISARM_TURNS: Final = 4
LAY_TURNS: Final = 3
FAULTY: Final = "The trap clicks, but nothing happens."
"""The message when a faulty trap springs."""
KIT: Final = "¬"
"""The glyph of a disarmed trap."""


class TrapProcessor(esper.Processor):
    """Springs the armed traps under the player and under any robot."""

    def process(self, game: Game) -> None:
        """Spring each armed trap under the player or a robot."""
        trapped = [cell for cell in game.map.traps if cell in game.map.blockers]
        for cell in trapped:
            trap, victim = game.map.armed_trap_at(cell), game.map.blockers.get(cell)
            if trap is not None and victim is not None and not esper.has_component(victim, Prop):
                _spring(game, trap, victim)


class SnareProcessor(TrapProcessor):
    """Springs traps again after the robots have moved. A robot steps only on traps that it does not know, or if it is careless."""


def _spring(game: Game, trap: int, victim: int) -> None:
    """Spring a trap under the player or a robot: apply its damage, its drain and its noise, and if it sparks set off explosives beside it."""
    cell, effect = cell_of(trap), esper.component_for_entity(trap, TrapEffect)
    esper.component_for_entity(trap, Trap).armed = False
    is_player = victim == game.hero
    if is_player or game.map.sight.visible[cell]:
        esper.try_remove_component(trap, Hidden)
    game.map.changed_cells.append(cell)
    name = name_of(trap)
    if effect.faulty:
        effect = TrapEffect(0, FAULTY)
    if is_player and game.body.has_failed:
        effect = replace(effect, charge=0)  # the battery is empty
    if is_player:
        game.log.say(_describe_trap(name, effect), "bad")
        game.note("sprung", trap, effect.damage)
        game.damage_player(effect.damage, with_article(name))
        if effect.charge:
            spend(game, effect.charge * TURN)
    else:
        _catch(game, victim, effect, name)
    coming = make_noise(game, cell, effect.noise)
    if effect.noise and is_player:
        tell_who_comes(game, coming)
    for near in game.map.neighbours(cell) if effect.sparks else ():
        if (entity := game.map.blockers.get(near)) is not None:
            set_off(game, entity)


def _catch(game: Game, robot: int, effect: TrapEffect, name: str) -> None:
    """Apply a trap to a robot, and tell the player: a robot that he does not see is heard."""
    if not game.map.sight.visible[cell_of(robot)]:
        game.log.say("Somewhere a trap springs.", "aside", merged=True)
    if effect.damage:
        damage_robot(game, robot, effect.damage, f"the {name}")


def _describe_trap(name: str, effect: TrapEffect) -> str:
    """Return the message about a trap that springs under the player."""
    hit = f"hits you for {effect.damage}" if effect.damage else ""
    drain = f"drains {effect.charge} charge" if effect.charge else ""
    harm = " and ".join(filter(None, [hit, drain]))
    told = f"You set off {with_article(name)}{harm and f', which {harm}'}!"
    return f"{told} {effect.message}".rstrip()


def trap_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to disarm the known trap at a cell, or to lay each kind of trap of the pack there if the cell is free."""
    trap = game.map.armed_trap_at(cell)
    if trap is not None and not esper.has_component(trap, Hidden):
        odds = odds_of(game, "keen", CHANCE, KEEN)
        text = f"Disarm the {name_of(trap)}, so that you can take it and lay it elsewhere"
        act = partial(_disarm, game, trap, odds.chance)
        yield WorkOption("disarm", text, act, odds=odds, risk="it springs", turns=DISARM_TURNS)
    is_taken = cell in game.map.stairs or cell in game.map.doors or not game.map.is_free(cell)
    if is_taken or _is_seen_trap(game, cell):
        return
    for stack in game.player.inventory:
        if (effect := stack.effect.trap) is not None:
            text = f"Lay the {stack.look.name}, which does {effect.damage} damage"
            yield WorkOption(f"lay {stack.tag}", text, _laying(game, stack, cell), turns=LAY_TURNS)


def _is_seen_trap(game: Game, cell: Cell) -> bool:
    """Return whether the player knows of a trap at a cell, armed or sprung."""
    trap = game.map.traps.get(cell)
    return trap is not None and not esper.has_component(trap, Hidden)


def _disarm(game: Game, trap: int, chance: float) -> None:
    """Turn a trap into an item, with a chance; else it springs under the player."""
    if game.rng.random() >= chance:
        game.log.say("Your hand slips.", "bad")
        _spring(game, trap, game.hero)
        return
    cell, effect = cell_of(trap), esper.component_for_entity(trap, TrapEffect)
    look, tag = esper.component_for_entity(trap, Appearance), esper.component_for_entity(trap, Tag).tag
    game.map.delete(trap)
    kit = Appearance(KIT, look.fg, f"disarmed {look.name.removeprefix('disarmed ')}")
    item = esper.create_entity(Position(*cell), kit, Tag("item", tag), Item(), ItemEffect(trap=effect))
    game.map.lay(item, [cell])
    game.log.say(f"You disarm the {look.name}. You can take it with you now.", "good")


def _laying(game: Game, stack: Stack, cell: Cell) -> Callable[[], None]:
    """Return the function that lays a trap of the pack on a cell."""

    def lay() -> None:
        effect = stack.effect.trap
        assert effect is not None, "it is a trap"
        if cell in game.map.traps:
            reveal(game, cell)  # a hidden trap is in the way
            return
        take_from(game, game.player.inventory.index(stack))
        look = Appearance("^", stack.look.fg, stack.look.name.removeprefix("disarmed "))
        trap = esper.create_entity(
            Position(*cell), look, Tag("trap", stack.tag), Trap(armed=True), effect, Laid()
        )
        game.map.lay(trap, [cell])
        game.map.traps[cell] = trap
        game.map.changed_cells.append(cell)
        game.log.say(f"You lay the {look.name}.")

    return lay
