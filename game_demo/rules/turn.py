"""How a turn passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.body.life import ChargeProcessor, MendingProcessor
from game_demo.rules.processors import NoticeProcessor
from game_demo.rules.robots.senses import SenseProcessor
from game_demo.rules.robots.states import EnergyProcessor, MoveProcessor
from game_demo.rules.works.blasts import FuseProcessor
from game_demo.rules.works.traps import SnareProcessor, TrapProcessor
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from game_demo.state.game import Game

ORDER: tuple[type[esper.Processor], ...] = (
    TrapProcessor,
    FuseProcessor,
    EnergyProcessor,
    SenseProcessor,
    MoveProcessor,
    SnareProcessor,
    NoticeProcessor,
    MendingProcessor,
    ChargeProcessor,
)
"""In which order `esper.process(game)` runs them."""


def pass_turn(game: Game, ticks: int = TURN) -> None:
    """Let everybody else act while the player does something that takes so long; without charge it takes twice as long.

    Raises:
        RuntimeError: It is the turn on which the game is to break down; or no command lets it pass, so that nobody
            could record why it did.
    """
    if not game.is_acting:
        raise RuntimeError("a turn passes only by a command: see game_demo.rules.commands")
    game.clock.advance(ticks * 2 if game.body.has_failed else ticks)
    game.log.turn = game.clock.turn
    game.body.stands = game.body.was_at == game.player_cell
    game.body.was_at = game.player_cell
    if game.crash_at is not None and game.log.turn >= game.crash_at:
        raise RuntimeError(f"broken down on purpose on turn {game.log.turn}")
    game.update_sight()
    if (
        esper.get_processor(ORDER[0]) is None
    ):  # each esper world has its own, and this one's first turn has come
        add_processors()
    esper.process(game)
    game.update_sight()


def add_processors() -> None:
    """Add them to esper's current world."""
    for rank, processor in enumerate(reversed(ORDER)):
        esper.add_processor(processor(), rank)
