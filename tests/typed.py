"""A bot's game as a person would play it: by keys, on the screens, one thing after the other that the bot does."""

from __future__ import annotations

from functools import cache, partial
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import esper

from dungeon.playtest.bots.playing import play_out
from game_demo.playing import start
from game_demo.rules.moods import is_harmless
from game_demo.rules.work import deal
from game_demo.screens.aim import Aim
from game_demo.screens.body import NUMBERS
from game_demo.screens.dialogs import Confirm
from game_demo.screens.game_screens import Ending, PlayScreen
from game_demo.screens.inventory import PackScreen
from game_demo.screens.keys import DIRECTIONS
from game_demo.screens.works import Works, options_around
from game_demo.state.components import Robot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon import Level, World
    from game_demo.playing import DemoPlay
    from game_demo.screens.screen import Screen
    from game_demo.screens.session import Session
    from game_demo.state.game import Game
    from game_demo.state.log import Command

STEPS = {way: key for key, way in DIRECTIONS.items() if key in ascii_lowercase}
"""Direction -> the letter that means it."""

KEYS = {"wait": ".", "search": "s", "pick_up": "g", "descend": ">", "ascend": "<"}
"""What takes a key, the same everywhere."""


def bots_game(world: World, bot: str) -> tuple[list[Command], Game]:
    """Return what a bot does in a world from the first turn to the last, and the game that has come of it."""
    commands: list[Command] = []
    games: list[Game] = []

    def begin(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> DemoPlay:
        play = start(world, seed, make=make)
        play.game.recorder = lambda _, command: commands.append(command)
        games.append(play.game)
        return play

    play_out(begin, world, bot, make=cache(world.level))
    return commands, games[0]


def typed(session: Session, commands: list[Command]) -> Iterator[Screen]:
    """Do in a session what a bot has done, key by key, and affirm whatever is asked; yield each screen that a key leads to."""
    screen: Screen = PlayScreen(session)
    for command in commands:
        for key in keys_for(screen, session.game, command):
            screen = _pressed(screen, key)
            while isinstance(screen, Confirm):
                yield screen
                screen = _pressed(screen, "y")
            yield screen
            if command.name == "fire" and isinstance(screen, PlayScreen):
                break  # an only target that was shot at before is shot at once
        if isinstance(screen, PackScreen):
            screen = _pressed(screen, "escape")
        assert isinstance(screen, PlayScreen | Ending), f"{command} leaves the player at {screen}"


def _pressed(screen: Screen, key: str) -> Screen:
    after = screen.press(key)
    assert after is not None, f"{key} leaves the game at {screen}"
    return after


def keys_for(screen: Screen, game: Game, command: Command) -> list[str]:
    """Return the keys by which a player who is at a screen does what a bot does in a game."""
    game.resume()
    told: tuple[Any, ...] = command.arguments
    match command.name:
        case "step":
            return [STEPS[told[0]]]
        case "apply":
            return ["i", game.player.inventory[told[0]].letter, *_place_for(screen, game, told[0])]
        case "fire":
            asked = esper.has_component(told[0], Robot) and is_harmless(told[0])
            return ["f", *["tab"] * Aim(screen, game).targets.index(told[0]), "f", *["y"] * asked]
        case "deal":
            return ["w", *_choice_of(screen, game, *told)]
        case name:
            return [KEYS[name]]


def _place_for(screen: Screen, game: Game, number: int) -> list[str]:
    """Return the key of the place in which a bot fits a part; none if that of the pack is none."""
    part = game.player.inventory[number].effect.part
    if part is None:
        return []
    return [NUMBERS[game.body.place_for(part)]]


def _choice_of(behind: Screen, game: Game, direction: tuple[int, int], name: str) -> list[str]:
    """Return the keys that take a way to deal with what is next to the player."""
    choices = Works(behind, game, partial(deal, game), options_around(game)).choices
    (letter,) = (
        key for key, (way, directions) in choices.items() if way.name == name and direction in directions
    )
    return [letter, STEPS[direction]] if len(choices[letter].directions) > 1 else [letter]
