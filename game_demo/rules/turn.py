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
from game_demo.rules.pursuit import arrive
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
    """Make a function a command: it makes its game the current one, acts, and then calls `Game.recorder`.

    A command called by another one is not recorded by itself. A command that raises an exception is not recorded, so the recorded
    game continues from the last sound state.

    Args:
        act: The function. Its arguments besides the game are whole numbers, texts, and tuples of these, without names.
    """

    @wraps(act)
    def perform(game: Game, /, *arguments: P.args, **named: P.kwargs) -> None:
        game.resume()
        if game.is_acting:
            act(game, *arguments, **named)
            return
        assert not named, "arguments of recorded commands are given by position, never by name"
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
"""The order in which `esper.process(game)` runs the processors."""


def pass_turn(game: Game, ticks: int = TURN) -> None:
    """Let `ticks` pass, twice as many with an empty battery, and let everything but the player act in that time.

    Raises:
        RuntimeError: No command is running, so a recording would miss this turn; or this is the turn of `Game.crash_at`.
    """
    if not game.is_acting:
        raise RuntimeError("a turn can pass only while a command runs: see game_demo.rules.commands")
    game.clock.advance(ticks * 2 if game.body.has_failed else ticks)
    game.log.turn = game.clock.turn
    game.body.stands = game.body.was_at == game.player_cell
    game.body.was_at = game.player_cell
    if game.crash_at is not None and game.log.turn >= game.crash_at:
        raise RuntimeError(f"crash on turn {game.log.turn}, as --crash-at-turn asks")
    if game.arrivals:
        arrive(game)
    game.update_sight()
    if esper.get_processor(ORDER[0]) is None:  # each esper world has its own, and this is its first turn
        add_processors()
    esper.process(game)
    game.update_sight()


def add_processors() -> None:
    """Add the processors to esper's current world."""
    for rank, processor in enumerate(reversed(ORDER)):
        esper.add_processor(processor(), rank)
