"""Games of bots as recordings: a replay goes as the game went, and begins shortly before what is looked for."""

from __future__ import annotations

from functools import cache

import pytest
from demo import demo_content, demo_world

from dungeon.playtest.bots.playing import play_out
from game_demo.bot_games import LEAD, BotGame, command_at, record_bot
from game_demo.playing import start
from game_demo.saving.recording import replay


@cache
def played() -> BotGame:
    return record_bot("hasty", demo_world(19), 1, 600)


def test_a_replay_goes_as_the_game_of_a_playtest() -> None:
    outcome = play_out(start, demo_world(19), "hasty", 1, limit=600)
    assert played().outcome == outcome
    game = replay(played().recording, demo_content())
    assert (game.log.turn, game.map.level.id, game.player_cell) == (
        outcome.turns,
        outcome.map_id,
        outcome.cell,
    )
    assert game.ending == outcome.ending


@pytest.mark.parametrize("kind", ["fought", "met"])
def test_it_begins_shortly_before_the_event(kind: str) -> None:
    moments = played().outcome.moments
    about = next(each for each in moments if each.event.kind == kind and each.event.encounter)
    there = [each for each in moments if each.event[1:4] == about.event[1:4]]
    first = min((each for each in there if each.event.kind == kind), key=lambda each: each.action)
    found = command_at(played(), about.event.map_id, about.event.encounter)
    fights = [each for each in there if each.event.kind == "fought"]
    action = (fights or [first])[0].action
    assert found == played().before[max(action - LEAD, 0)]
    assert found == command_at(played(), about.event.map_id, f"{about.event.encounter} 1,2")


def test_without_an_event_it_begins_on_arrival_or_at_the_end() -> None:
    outcome, before = played().outcome, played().before
    assert outcome.start.event.map_id != outcome.map_id
    assert command_at(played(), outcome.start.event.map_id, "no such thing") == 0
    assert command_at(played(), outcome.map_id, None) == before[outcome.actions - LEAD]
    assert command_at(played(), "order_room/12", "1,2") == before[outcome.actions - LEAD]
