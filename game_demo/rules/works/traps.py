"""Traps: they spring under whoever steps on them; those that are seen can be disarmed, taken along, and laid for others."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.body.life import spend
from game_demo.rules.body.pack import take_from
from game_demo.rules.body.wrecks import damage_robot
from game_demo.rules.naming import name_of, with_article
from game_demo.rules.processors import reveal
from game_demo.rules.robots.senses import make_noise, tell_who_comes
from game_demo.rules.works.fuses import set_off
from game_demo.rules.works.way import Way, odds_of
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
)
from game_demo.state.entities import cell_of
from game_demo.state.things.clock import TURN
from game_demo.state.things.fixtures import Laid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from game_demo.state.components import Stack
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

CHANCE: Final = 0.55
"""The chance to disarm a trap; `KEEN`: how much more it is for whoever has a sense for such things."""
KEEN: Final = 0.3
DISARM_TURNS: Final = 4
LAY_TURNS: Final = 3
FAULTY: Final = "It clicks, and that is all."
"""What is read when one springs that is faulty."""
KIT: Final = "¬"
"""How a trap looks that is carried about."""


class TrapProcessor(esper.Processor):
    """Springs the traps under the player, who has made his step, and whoever is on one else."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        trapped = [cell for cell in game.map.traps if cell in game.map.blockers]
        for cell in trapped:
            trap, victim = game.map.armed_trap_at(cell), game.map.blockers.get(cell)
            if trap is not None and victim is not None and not esper.has_component(victim, Prop):
                _spring(game, trap, victim)


class SnareProcessor(TrapProcessor):
    """Springs the traps under robots, which have made their moves; they step only on those that they don't know, or don't mind."""


def _spring(game: Game, trap: int, victim: int) -> None:
    """Let a trap spring under somebody."""
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
        effect = replace(effect, charge=0)  # there is none to be taken
    if is_player:
        game.log.say(_told_of_trap(name, effect), "bad")
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
    """Let a trap do to a robot what it does; out of the player's sight he hears of it."""
    if not game.map.sight.visible[cell_of(robot)]:
        game.log.say("Somewhere a trap springs.", "aside", merged=True)
    if effect.damage:
        damage_robot(game, robot, effect.damage, name)


def _told_of_trap(name: str, effect: TrapEffect) -> str:
    """Return what the player reads of a trap that springs under him: what it is, and what that does to him."""
    hit = f"hits you for {effect.damage}" if effect.damage else ""
    drain = f"drains {effect.charge} charge" if effect.charge else ""
    harm = " and ".join(filter(None, [hit, drain]))
    said = effect.message or f"You set off {with_article(name)}!"
    return f"{said} The {name} {harm}." if harm else said


def ways(game: Game, cell: Cell) -> Iterator[Way]:
    """Yield the disarming of the trap at a cell, if one is seen there, and the laying of those in the pack, if none is."""
    trap = game.map.armed_trap_at(cell)
    if trap is not None and not esper.has_component(trap, Hidden):
        odds = odds_of(game, "keen", CHANCE, KEEN)
        text = f"Disarm the {name_of(trap)}, so that you can take it and lay it elsewhere"
        act = partial(_disarm, game, trap, odds.chance)
        yield Way("disarm", text, act, odds=odds, risk="it springs", turns=DISARM_TURNS)
    is_taken = cell in game.map.stairs or cell in game.map.doors or not game.map.is_free(cell)
    if is_taken or _is_seen_trap(game, cell):
        return
    for stack in game.player.inventory:
        if (effect := stack.effect.trap) is not None:
            text = f"Lay the {stack.look.name}: {effect.damage} damage"
            yield Way(f"lay {stack.tag}", text, _laying(game, stack, cell), turns=LAY_TURNS)


def _is_seen_trap(game: Game, cell: Cell) -> bool:
    """Tell whether a trap lies at a cell, sprung or not, of which the player knows."""
    trap = game.map.traps.get(cell)
    return trap is not None and not esper.has_component(trap, Hidden)


def _disarm(game: Game, trap: int, chance: float) -> None:
    """Make an item of a trap, or let it spring."""
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
    """Return what lays a trap out of the pack at a cell."""

    def lay() -> None:
        effect = stack.effect.trap
        assert effect is not None, "it is a trap"
        if cell in game.map.traps:
            reveal(game, cell)  # which is in the way
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
