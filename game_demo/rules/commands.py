"""All commands by name, the types of their arguments, and how a recorded command is checked and performed."""

from __future__ import annotations

import reprlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, ConfigDict, NonNegativeInt, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from game_demo.rules import actions
from game_demo.rules.fighting import fire
from game_demo.rules.fitting import fit, take_off
from game_demo.rules.journeys import come_upon, tell_ahead
from game_demo.rules.lessons import LessonName, teach
from game_demo.rules.watch import learn_of, meet, note_robot, warn
from game_demo.rules.work import deal
from game_demo.state.body import Place
from game_demo.state.geometry import NEIGHBOURS, Direction
from game_demo.state.log import MessageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from game_demo.state.game import Game
    from game_demo.state.log import Command


class CommandError(ValueError):
    """A recorded command has an unknown name or wrong arguments."""


class Verb(NamedTuple):
    """A command's function, and the validator of its arguments besides the game."""

    act: Callable[..., Any]
    arguments: TypeAdapter[Any]


def _is_neighbour(way: Direction) -> Direction:
    """Return `way` if it is one of the eight directions.

    Raises:
        PydanticCustomError: It is none of them.
    """
    if way not in NEIGHBOURS:
        raise PydanticCustomError("direction", "that is none of the eight directions")
    return way


Way = Annotated[Direction, AfterValidator(_is_neighbour)]
Nothing = tuple[()]

_ARGUMENTS: Final[dict[Callable[..., Any], Any]] = {
    actions.step: tuple[Way],
    actions.stride: tuple[Way],
    actions.wait: Nothing,
    actions.search: Nothing,
    actions.close_door: tuple[Way],
    actions.pick_up: Nothing,
    actions.apply: tuple[NonNegativeInt],
    actions.drop: tuple[NonNegativeInt],
    actions.descend: Nothing,
    actions.ascend: Nothing,
    actions.sneak: Nothing,
    actions.remark: tuple[str] | tuple[str, MessageKind],
    fit: tuple[NonNegativeInt, Place],
    take_off: tuple[Place],
    fire: tuple[int],
    deal: tuple[Way, str],
    meet: tuple[NonNegativeInt],
    note_robot: tuple[NonNegativeInt],
    learn_of: tuple[str],
    come_upon: tuple[NonNegativeInt],
    tell_ahead: tuple[tuple[NonNegativeInt, NonNegativeInt], str],
    teach: tuple[LessonName],
    warn: tuple[str],
}
COMMANDS: Final[Mapping[str, Verb]] = MappingProxyType(
    {
        act.__name__: Verb(act, TypeAdapter(told, config=ConfigDict(strict=True)))
        for act, told in _ARGUMENTS.items()
    }
)
"""Name -> command. A function becomes a command by the decorator `game_demo.rules.turn.command`."""


def check(command: Command) -> None:
    """Check that a command from a file is well-formed: that its name is known, and its turn and arguments have the right types.

    Raises:
        CommandError: It is not. The message is a clause without a capital and a full stop.
    """
    if type(command.turn) is not int:
        raise CommandError(f"{reprlib.repr(command.turn)} is no turn")
    if not isinstance(command.name, str) or command.name not in COMMANDS:
        raise CommandError(f"there is no command {reprlib.repr(command.name)}")
    try:
        COMMANDS[command.name].arguments.validate_python(command.arguments)
    except ValidationError as error:
        raise CommandError(f"in {command.name!r}, {_reason(error)}") from error


def _reason(error: ValidationError) -> str:
    """Return the first error as a clause without a capital and a full stop."""
    told = error.errors(include_url=False, include_input=False)[0]["msg"]
    return told[:1].lower() + told[1:]


def perform(game: Game, command: Command) -> None:
    """Perform a recorded command.

    Raises:
        KeyError: There is no command of that name.
    """
    COMMANDS[command.name].act(game, *command.arguments)
