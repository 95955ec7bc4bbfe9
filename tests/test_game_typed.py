"""Whole games, won and lost, played by the keys that a player would press, and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from demo import demo_content
from tcod.console import Console
from typed import bots_game, typed

import dungeon
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import origin_of
from game_demo.screens.game_screens import Ending
from game_demo.screens.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from game_demo.state.game import Game

LIKELY = {"victory": 303, "death": 305}
"""The world in which the bot's game ended so when this was written: it is tried first, then others."""

DRAWN = 97
"""Of so many screens one is drawn at each size: of all, that would take minutes."""


@pytest.fixture(scope="module")
def content() -> dungeon.Content:
    return demo_content()


@pytest.mark.parametrize("ending", ["victory", "death"])
def test_a_bots_game_can_be_played_by_keys(content: dungeon.Content, tmp_path: Path, ending: str) -> None:
    seeds = [LIKELY[ending], *range(300, 340)]
    games = ((seed, *bots_game(dungeon.World(content, seed), "hasty")) for seed in seeds)
    seed, commands, theirs = next(each for each in games if each[-1].ending == ending)
    session = Session(
        content, seed, start=content.world.start, keeper=Keeper(origin_of(content), SaveFolder(tmp_path))
    )
    small, large = Console(80, 24, order="C"), Console(160, 50, order="C")
    for count, screen in enumerate(typed(session, commands)):
        if count % DRAWN == 0 or isinstance(screen, Ending):
            screen.draw(small)
            screen.draw(large)
    assert isinstance(screen, Ending)
    assert _state_of(session.game) == _state_of(theirs)


def _state_of(game: Game) -> tuple[object, ...]:
    """Return what of a game does not depend on what the player was told."""
    return game.ending, game.log.turn, game.health.hp, game.body.charge, game.map.level.id, game.player_cell
