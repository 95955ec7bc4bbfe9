"""How a game has ended, as a text to keep."""

from __future__ import annotations

import shlex
from itertools import starmap
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.locks import keys_of_use
from game_demo.rules.naming import counted, effect_of, told_of_find, what_it_does
from game_demo.saving.tale import tale
from game_demo.state.components import Appearance, Position, Robot
from game_demo.state.things.clock import TURN
from game_demo.state.things.parts import PLACES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from game_demo.saving.recording import Header
    from game_demo.state.components import Stack
    from game_demo.state.game import Game

LAST_MESSAGES: Final = 20
WIDTH: Final = 78


def story(game: Game, header: Header, recording: Path) -> str:
    """Return the text about a game: how it ended and went, the body, the map as it was known, what was carried, kills, last messages.

    Args:
        game: The game.
        header: Which one it was.
        recording: The file with its recording.
    """
    game.resume()
    return "\n".join(
        [
            f"{game.world.content.world.name}, seed {game.world.seed}",
            f"Begun {header.began}, version {header.version}",
            "",
            *wrap(f"{ending(game)} on turn {game.log.turn}, in {game.title(game.map.level.id)}.", WIDTH),
            *wrap(" ".join(tale(game)), WIDTH),
            "",
            f"Hit points {game.health.hp} of {game.health.max_hp}, power {game.attack.power}, {_charge(game)}.",
            *_part("Your body", _fitted(game), indent=" " * 10),
            *_part("Where you have been", (game.title(map_id) for map_id in game.maps)),
            "",
            "The map, as far as you knew it",
            *(f"  {row}" for row in known_map(game)),
            *_part("In your pack", _packed(game)),
            *_part("Keys for this level", _hung(game)),
            *_part(f"Haul, worth {game.player.haul.worth}", _haul(game)),
            *_part("Destroyed", _destroyed(game)),
            *_part("Last messages", _heard(game), indent=" " * 7),
            "",
            f"To see it again: dungeon-demo --replay {shlex.quote(str(recording))}",
            "",
        ]
    )


def ending(game: Game) -> str:
    """Return how a game has ended, in a few words."""
    if game.ending is None:
        return "Left"
    return "Won" if game.ending == "victory" else f"Destroyed by {game.cause}"


def _part(title: str, entries: Iterable[str], indent: str = "  ") -> list[str]:
    """Return entries under a title, each on a line or on several: then all but the first are indented."""
    lines = [line for entry in entries for line in wrap(entry, WIDTH - 2, subsequent_indent=indent)]
    return ["", title, *(f"  {line}" for line in lines or ["nothing"])]


def _charge(game: Game) -> str:
    """Return how much charge is left."""
    return f"charge {game.body.charge // TURN} of {game.body.capacity // TURN}"


def _fitted(game: Game) -> list[str]:
    """Return what is fitted to each place of the body."""
    fitted = game.body.fitted
    return [f"{place:9} {_told(fitted[place]) if place in fitted else 'nothing'}" for place in PLACES]


def _told(stack: Stack) -> str:
    """Return what something is, and what it does."""
    does = what_it_does(stack.effect)
    return f"{stack.look.name}{f' ({does})' if does else ''}"


def _hung(game: Game) -> list[str]:
    """Return what hangs on the ring of the level, as far as something here wants it."""
    return [*starmap(counted, keys_of_use(game).items())]


def _packed(game: Game) -> list[str]:
    """Return what is in the pack."""
    return [
        f"{counted(stack.look.name, stack.count)}{f' ({use})' if (use := effect_of(stack.effect)) else ''}"
        for stack in game.player.inventory
    ]


def _haul(game: Game) -> list[str]:
    """Return what is in the haul."""
    return [*starmap(told_of_find, game.player.haul.best())]


def _destroyed(game: Game) -> list[str]:
    """Return which robots the player has destroyed, in the order of the alphabet."""
    names = sorted(game.destroyed, key=str.casefold)
    return [counted(name, game.destroyed[name]) for name in names]


def _heard(game: Game) -> list[str]:
    """Return the last messages."""
    return [f"{each.turn:5}  {each}" for each in list(game.log.messages)[-LAST_MESSAGES:]]


def known_map(game: Game) -> list[str]:
    """Return the rows of the map on which the player is, as he remembers it, with the robots in sight; `@` is the player."""
    sight = game.map.sight
    glyphs = [
        [chr(code) if seen and code else " " for code, seen in zip(codes, cells, strict=True)]
        for codes, cells in zip(sight.memory["ch"].tolist(), sight.explored.tolist(), strict=True)
    ]
    for _, (_, look, at) in esper.get_components(Robot, Appearance, Position):
        if sight.visible[at.y, at.x]:
            glyphs[at.y][at.x] = look.glyph
    y, x = game.player_cell
    glyphs[y][x] = "@"
    rows = ["".join(row).rstrip() for row in glyphs]
    known = [number for number, row in enumerate(rows) if row]
    left = min(len(rows[number]) - len(rows[number].lstrip()) for number in known)
    return [row[left:] for row in rows[known[0] : known[-1] + 1]]
