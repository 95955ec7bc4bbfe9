"""The games that have ended, the best first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from game_demo.saving.morgue import ending

if TYPE_CHECKING:
    from pathlib import Path

    from game_demo.saving.recording import Header
    from game_demo.state.game import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A game that has ended.

    Attributes:
        name: The name of its file, without the ending; no other game has it.
        began: When it was begun.
        seed: The world's seed.
        won: Whether it was won.
        ending: How it ended, in words; `place`: where.
        depth: How deep that was; `turn`: when; `destroyed`: how many robots.
        worth: What would have been got for the haul; games of old had none.
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

    def rank(self) -> tuple[bool, int, int, int, int]:
        """Return what games are ordered by: those that were won first, then the deepest, richest, most deadly and shortest."""
        return not self.won, -self.depth, -self.worth, -self.destroyed, self.turn


SCORE: Final = TypeAdapter(Score)


def score_of(game: Game, header: Header, name: str) -> Score:
    """Return a game's score."""
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
    )


def add_score(path: Path, score: Score) -> None:
    """Add a game to the file of scores, in one piece.

    Raises:
        OSError: That can't be done.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        file.write(SCORE.dump_json(score) + b"\n")


def read_scores(path: Path) -> list[Score]:
    """Return the games that have ended, the best first; lines that are none are left out.

    A game is there once, though a program that was ended in the wrong moment has told of it twice.

    Raises:
        OSError: The file is there and can't be read.
    """
    if not path.exists():
        return []
    found = {}
    for line in path.read_bytes().splitlines():
        with suppress(ValidationError):
            score = SCORE.validate_json(line)
            found[score.name] = score
    return sorted(found.values(), key=Score.rank)
