"""A whole game played by a bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from dungeon.playtest.bots.bot import find_bot
from dungeon.playtest.game import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World
    from dungeon.playtest.bots.bot import MakeBot
    from dungeon.playtest.game import Start

LIMIT: Final = 20_000
"""After so many actions a bot gives up."""


class Moment(NamedTuple):
    """An event, with when it was: after how many actions, on which turn of the game, and with how many hit points left."""

    action: int
    turn: int
    hp: int
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a game went.

    Attributes:
        ending: Victory, death, or None where the bot gave up.
        actions: How many actions it took; `turns`: how many turns of the game.
        map_id: Where it ended; `depth`: how deep that is; `cell`: the (y, x) there.
        start: How it began: the player came to the first map.
        moments: What happened then, in order.
    """

    ending: Literal["victory", "death"] | None
    actions: int
    turns: int
    map_id: str
    depth: int
    cell: tuple[int, int]
    start: Moment
    moments: tuple[Moment, ...]


def play_out(
    start: Start,
    world: World,
    bot: str | MakeBot,
    seed: int = 0,
    *,
    limit: int = LIMIT,
    make: Callable[[str], Level] | None = None,
) -> Outcome:
    """Let a bot play a game from its start until it is over, or until it gives up.

    The same game, world, bot and seed give the same outcome.

    Args:
        start: What starts the game: see `dungeon.playtest.game.find_game`.
        world: The world to play.
        bot: The name of a bot, as `dungeon.playtest.bots.bot.find_bot` knows it, or what makes one of a seed.
        seed: What chance depends on, that of the game and that of the bot.
        limit: How many actions the bot takes at most.
        make: What makes levels, where that is not the world itself.

    Raises:
        UnknownBotError: There is no such bot.
    """
    player = (find_bot(bot) if isinstance(bot, str) else bot)(seed)
    play = start(world, seed, make=make)
    seen = play.observe()
    first = Moment(0, seen.turn, seen.hp, Event("entered", seen.map_id))
    moments: list[Moment] = []
    action = 0
    while play.over is None and action < limit:
        action += 1
        if events := play.act(player.choose(play)):
            seen = play.observe()
            moments += [Moment(action, seen.turn, seen.hp, each) for each in events]
    last = play.observe()
    return Outcome(
        ending=play.over,
        actions=action,
        turns=last.turn,
        map_id=last.map_id,
        depth=last.depth,
        cell=last.cell,
        start=first,
        moments=tuple(moments),
    )
