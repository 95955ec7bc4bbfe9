"""All commands by their names, and how a recorded one is done again."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from game_demo.rules import actions
from game_demo.rules.body.fighting import fire
from game_demo.rules.body.fitting import fit
from game_demo.rules.works.ways import deal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from game_demo.state.game import Game
    from game_demo.state.log import Command

COMMANDS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        act.__name__: act
        for act in (
            actions.step,
            actions.wait,
            actions.search,
            actions.close_door,
            actions.pick_up,
            actions.apply,
            actions.descend,
            actions.ascend,
            actions.sneak,
            actions.remark,
            fit,
            fire,
            deal,
        )
    }
)
"""Name -> the action; `game_demo.rules.recorded.command` makes one of a function."""


def perform(game: Game, command: Command) -> None:
    """Do again what was done.

    Raises:
        KeyError: There is no such command.
    """
    COMMANDS[command.name](game, *command.arguments)
