"""A bot's game as a recording, which can be replayed like a player's, and the place in it where something happens."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from dungeon.playtest.bots.playing import find_bot, play_out
from game_demo.playing import start
from game_demo.saving.recording import GameRecording, Header, origin_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World
    from dungeon.playtest.bots.playing import Bot, GameOutcome
    from dungeon.playtest.game import Action, Play
    from game_demo.playing import DemoPlay
    from game_demo.saving.recording import Entry
    from game_demo.state.game import Game
    from game_demo.state.log import Command


class BotGame(NamedTuple):
    """A game that a bot has played.

    Attributes:
        recording: Its recording.
        outcome: How it went.
        before: For each action of the bot, the number of commands before it.
    """

    recording: GameRecording
    outcome: GameOutcome
    before: list[int]


def record_bot(name: str, world: World, seed: int, limit: int) -> BotGame:
    """Let a bot play a game, as `dungeon playtest` does, and return it.

    Args:
        name: The bot: see `dungeon.playtest.bots.playing.find_bot`.
        world: The world to play in.
        seed: The seed of the rules and of the bot: the number of its game in that world.
        limit: Number of actions after which the bot gives up.

    Raises:
        UnknownBotError: There is no such bot.
    """
    entries: list[Entry] = []
    before: list[int] = []

    def note(_game: Game, command: Command) -> None:
        entries.append(command)

    def begin(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> DemoPlay:
        play = start(world, seed, make=make)
        play.game.recorder = note
        return play

    class Counted:
        """The bot, with the number of commands counted before each action."""

        def __init__(self, seed: int) -> None:
            self._bot: Bot = find_bot(name)(seed)

        def choose(self, play: Play) -> Action:
            before.append(len(entries))
            return self._bot.choose(play)

    outcome = play_out(begin, world, Counted, seed, limit=limit, make=cache(world.level))
    header = Header(
        seed=world.seed,
        start=None,
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        difficulty=world.difficulty,
        rules_seed=seed,
        **origin_of(world.content)._asdict(),
    )
    return BotGame(GameRecording(header=header, entries=tuple(entries), size=0, checksum=0), outcome, before)


TELLING: Final = ("died", "fought", "sprung", "hurt", "dealt", "destroyed", "opened", "met", "gained", "seen")
"""The kinds of events, the most telling first."""

LEAD: Final = 10
"""A replay begins this number of actions before the event."""


def command_at(played: BotGame, map_id: str, mark: str | None) -> int:
    """Return the number of commands before the part of a bot's game that shows what happened on a map.

    This is shortly before the most telling event there of an encounter, robot, trap or item of `mark`. Without such an event, it is
    the end of a game that ended on the map, or else the arrival there; the end of a game that never came there.

    Args:
        played: The game.
        map_id: The map.
        mark: Names of encounters, robots, traps or items, or anything else, separated by spaces; None for the end or the arrival.
    """
    outcome = played.outcome
    there = [each for each in (outcome.start, *outcome.moments) if each.event.map_id == map_id]
    about = [each for each in there if {each.event.encounter, each.event.tag} & set((mark or "").split())]
    told = [each for kind in TELLING for each in about if each.event.kind == kind]
    if told:
        action = told[0].action
    else:
        action = outcome.actions if outcome.map_id == map_id or not there else there[0].action
    return played.before[max(action - LEAD, 0)] if played.before else 0
