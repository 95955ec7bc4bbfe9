"""Turns and commands.

A command is something the player can do. It is recorded with its arguments, so that the same commands make the same game
again: all chance comes from the game's own random stream. A saved game is its list of commands.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, cast

import esper

from game_demo.rules.body import ChargeProcessor, MendingProcessor
from game_demo.rules.destruction import FuseProcessor
from game_demo.rules.robot_moves import EnergyProcessor, MoveProcessor
from game_demo.rules.senses import SenseProcessor
from game_demo.rules.traps import NoticeProcessor, SnareProcessor, TrapProcessor
from game_demo.state.body import TURN
from game_demo.state.log import Argument, Command

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate

    from game_demo.state.game import Game


# -- commands --------------------------------------------------------------------------------------

P = ParamSpec("P")


def command(act: Callable[Concatenate[Game, P], None]) -> Callable[Concatenate[Game, P], None]:
    """Make an action a command: it resumes its game first, and when it is done whoever records the game is told.

    One that is part of another is not told. One that raises an exception is not told either: the game as it is recorded goes
    on from where it still was sound.

    Args:
        act: The action. What it is told besides the game are whole numbers, texts, and tuples of these, by place.
    """

    @wraps(act)
    def perform(game: Game, /, *arguments: P.args, **named: P.kwargs) -> None:
        game.resume()
        if game.is_acting:
            act(game, *arguments, **named)
            return
        assert not named, "what is recorded has a place, and no name"
        game.is_acting = True
        try:
            act(game, *arguments, **named)
        finally:
            game.is_acting = False
        if game.recorder is not None:
            told = cast("tuple[Argument, ...]", arguments)
            game.recorder(game, Command(game.log.turn, act.__name__, told))

    return perform


# -- turns -----------------------------------------------------------------------------------------

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
