"""Finished games: the story of each as text, and the list of scores."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass
from itertools import starmap
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import esper
from pydantic import TypeAdapter, ValidationError

from game_demo.rules.locks import keys_of_use, opened_locks
from game_demo.rules.naming import (
    as_sentence,
    counted,
    describe_find,
    effect_of,
    pluralized,
    what_it_does,
    with_article,
)
from game_demo.state.body import PLACES, TURN
from game_demo.state.components import Appearance, Position, Robot

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from game_demo.saving.recording import Header
    from game_demo.state.components import Stack
    from game_demo.state.game import Game


# -- the tale --------------------------------------------------------------------------------------


def tale(game: Game) -> list[str]:
    """Return sentences about how a finished game went, the most important first."""
    game.resume()
    if game.ending != "victory":
        return [_haul_in_a_sentence(game), _robots(game), _way_down(game)]
    return [
        *filter(
            None, [_way_in(game), _way_down(game), _robots(game), _haul_in_a_sentence(game), game.epilogue]
        )
    ]


def _way_in(game: Game) -> str:
    """Return a sentence about which named locks of the last level the player opened; empty for none."""
    doors = [f"the {name.removeprefix('the ')}" for name in opened_locks(game)]
    return f"On the last level you opened {_joined(doors)}." if doors else ""


def _way_down(game: Game) -> str:
    """Return a sentence about which levels the player visited, in order, and how many turns that took."""
    names = dict.fromkeys(map(game.name_of_map, game.maps))
    places = [name.replace("The ", "the ", 1) if name.startswith("The ") else name for name in names]
    deepest = max(game.world.node(map_id).depth for map_id in game.maps)
    levels, turns = pluralized(len(game.maps), "level"), pluralized(game.log.turn, "turn")
    return f"Your way led through {_joined(places)}: {levels}, the deepest at depth {deepest}, in {turns}."


def _robots(game: Game) -> str:
    """Return a sentence about how many robots the player destroyed, how many changed sides, and how many that noticed him are left."""
    destroyed, turned, others = game.destroyed.total(), game.turned.total(), len(game.roused)
    if not destroyed + turned + others:
        return "No robot has taken notice of you."
    lie = (
        "1 robot lies where you left it" if destroyed == 1 else f"{destroyed} robots lie where you left them"
    )
    told = {
        lie if destroyed else "you destroyed no robot": True,
        f"{turned} kept you company for a while": turned,
        f"{others} that noticed you still {'stands' if others == 1 else 'stand'}": others,
    }
    line = _joined([text for text, is_so in told.items() if is_so])
    return f"{as_sentence(line)}."


def _haul_in_a_sentence(game: Game) -> str:
    """Return the size and worth of the haul, and the best thing in it."""
    haul = game.player.haul
    if not haul.counts:
        return "You have no haul."
    best, _ = haul.best()[0]
    most = f", the best of them {with_article(best.name)}" if best.value and len(haul.counts) > 1 else ""
    return f"Your haul: {haul}{most}."


def _joined(parts: Iterable[str]) -> str:
    """Return parts as a list: ``this, that and those``."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


# -- the story -------------------------------------------------------------------------------------

LAST_MESSAGES: Final = 20
WIDTH: Final = 78


def story(game: Game, header: Header, recording: Path) -> str:
    """Return the text about a finished game: its end, the tale, the body, the known map, what was carried, kills, last messages.

    Args:
        game: The game.
        header: The header of its recording.
        recording: The file of its recording.
    """
    game.resume()
    return "\n".join(
        [
            f"{game.world.content.world.name}, {game.seed_words}",
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
    """Return how a game has ended: ``Won``, ``Destroyed by a mouser``, or ``Left``."""
    if game.ending is None:
        return "Left"
    return "Won" if game.ending == "victory" else f"Destroyed by {game.cause}"


def _part(title: str, entries: Iterable[str], indent: str = "  ") -> list[str]:
    """Return a title and its entries, wrapped; further lines of an entry are indented."""
    lines = [line for entry in entries for line in wrap(entry, WIDTH - 2, subsequent_indent=indent)]
    return ["", title, *(f"  {line}" for line in lines or ["nothing"])]


def _charge(game: Game) -> str:
    """Return how much charge is left, as text."""
    return f"charge {game.body.charge // TURN} of {game.body.capacity // TURN}"


def _fitted(game: Game) -> list[str]:
    """Return each place of the body with the part there."""
    fitted = game.body.fitted
    return [f"{place:9} {_told(fitted[place]) if place in fitted else 'nothing'}" for place in PLACES]


def _told(stack: Stack) -> str:
    """Return the name of an item, and what it does."""
    does = what_it_does(stack.effect)
    return f"{stack.look.name}{f' ({does})' if does else ''}"


def _hung(game: Game) -> list[str]:
    """Return the keys that still open something on this level."""
    return [*starmap(counted, keys_of_use(game).items())]


def _packed(game: Game) -> list[str]:
    """Return the items of the pack."""
    return [
        f"{counted(stack.look.name, stack.count)}{f' ({use})' if (use := effect_of(stack.effect)) else ''}"
        for stack in game.player.inventory
    ]


def _haul(game: Game) -> list[str]:
    """Return the things of the haul."""
    return [*starmap(describe_find, game.player.haul.best())]


def _destroyed(game: Game) -> list[str]:
    """Return the robots that the player has destroyed, in alphabetical order."""
    names = sorted(game.destroyed, key=str.casefold)
    return [counted(name, game.destroyed[name]) for name in names]


def _heard(game: Game) -> list[str]:
    """Return the last messages."""
    return [f"{each.turn:5}  {each}" for each in list(game.log.messages)[-LAST_MESSAGES:]]


def known_map(game: Game) -> list[str]:
    """Return the rows of the player's map as he knows it, with the robots in sight and ``@`` for him."""
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


# -- scores ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A finished game in the list of scores.

    Attributes:
        name: The name of its file without the suffix, which no other game has.
        began: When it began.
        seed: The world's seed.
        won: Whether it was won.
        ending: How it ended, in words.
        place: The level on which it ended.
        depth: The depth of that level.
        turn: The turn.
        destroyed: How many robots the player destroyed.
        worth: The worth of the haul; 0 in files of old versions.
        seed_text: The seed as the player typed it, if it was text; else empty.
    """

    name: str
    began: str
    seed: int
    won: bool
    ending: str
    place: str
    depth: int
    turn: int
    destroyed: int
    worth: int = 0
    seed_text: str = ""

    def rank(self) -> tuple[bool, int, int, int, int]:
        """Return the sort key: games that were won first, then by depth, worth and kills (more first), then by turns (fewer first)."""
        return not self.won, -self.depth, -self.worth, -self.destroyed, self.turn


SCORE: Final = TypeAdapter(Score)


def score_of(game: Game, header: Header, name: str) -> Score:
    """Return the score of a finished game."""
    level = game.map.level
    return Score(
        name=name,
        began=header.began,
        seed=header.seed,
        won=game.ending == "victory",
        ending=ending(game),
        place=level.name,
        depth=level.depth,
        turn=game.log.turn,
        destroyed=game.destroyed.total(),
        worth=game.player.haul.worth,
        seed_text=header.seed_text,
    )


def add_score(path: Path, score: Score) -> None:
    """Append a score to the file, in one write.

    Raises:
        OSError: It can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        file.write(SCORE.dump_json(score) + b"\n")


def read_scores(path: Path) -> list[Score]:
    """Return the scores in a file, the best first. Unreadable lines are left out, and a game listed twice counts once.

    Raises:
        OSError: The file exists and can't be read.
    """
    if not path.exists():
        return []
    found = {}
    for line in path.read_bytes().splitlines():
        with suppress(ValidationError):
            score = SCORE.validate_json(line)
            found[score.name] = score
    return sorted(found.values(), key=Score.rank)
