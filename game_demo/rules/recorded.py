"""Commands: what the player can do, so that it can be written down and done again.

The same commands make the same game of the same world, for nothing else but chance from the game's own stream takes part
in it. So a game is saved by its commands, and whatever rules, components and entities there are is saved with it.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, cast

from game_demo.state.log import Argument, Command

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate

    from game_demo.state.game import Game

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
