"""What is locked and no door: what comes of opening it, in drawn worlds and for all such things of the game's own content."""

from __future__ import annotations

import itertools
from textwrap import dedent
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import LEGEND, OBJECTS, drawn_content, forget_worlds, own_content, said, walk

import dungeon
from game_demo.display.descriptions import describe_entity
from game_demo.rules import locks
from game_demo.rules.naming import states_of
from game_demo.state.components import Appearance, Item, Position, Prop, Tag, held_by
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dungeon import Content

    MakeGame = Callable[..., Game]

__all__ = ["own_content"]

BOXES = dedent(
    """
    K: {prop: crate, state: shut, lock: pay_chest, loadout: [{item: patch}, {item: scrap, count: 2}]}
    k: {item: scrap, opens: pay_chest}
    l: {prop: screen, state: up, opens: pay_chest}
    """
)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on a drawn level with boxes, their key and their lever."""

    def begin(drawing: str) -> Game:
        content = drawn_content(tmp_path, drawing, objects=OBJECTS, legend=dedent(LEGEND) + BOXES)
        return Game(dungeon.World(content, 1))

    yield begin
    forget_worlds()


def lying(game: Game, y: int, x: int) -> list[str]:
    return sorted(esper.component_for_entity(item, Appearance).name for item in game.map.items_at((y, x)))


def test_an_opened_box_gives_what_is_in_it_and_is_seen_to_be_open(play: MakeGame) -> None:
    game = play("#######\n#g<k.K#\n#######")
    walk(game, "l")
    box = game.map.blockers[1, 5]
    before = esper.component_for_entity(box, Appearance).glyph
    locks.obtain(game, game.map.items_at((1, 3))[0])
    walk(game, "ll")
    assert said(game)[-2:] == [
        "You unlock the crate; the scrap stays in the lock.",
        "In the crate: a patch and two scraps. (g takes them)",
    ]
    assert lying(game, 1, 4) == ["patch", "scrap", "scrap"]
    assert describe_entity(game, box) == "crate, open. It is nailed shut."
    assert esper.component_for_entity(box, Appearance).glyph != before
    walk(game, "l")
    assert said(game)[-1] == "Crate, open. It is nailed shut.", "nothing comes twice"


def test_a_box_without_anything_says_so(play: MakeGame) -> None:
    game = play("#####\n#<kB#\n#####")
    walk(game, "l")
    locks.obtain(game, game.map.items_at((1, 2))[0])
    walk(game, "l")
    assert said(game)[-2:] == ["You unlock the crate; the scrap stays in the lock.", "The crate is empty."]


def test_a_lever_opens_boxes_from_afar_and_shows_that_it_was_pulled(play: MakeGame) -> None:
    game = play("########\n#l<g..K#\n########")
    lever, box = game.map.blockers[1, 1], game.map.blockers[1, 6]
    walk(game, "h")
    assert said(game)[-2:] == ["The crate opens.", "In the crate: a patch and two scraps. (g takes them)"]
    assert lying(game, 1, 5) == ["patch", "scrap", "scrap"]
    assert (states_of(lever), states_of(box)) == (["down"], ["open"])


def test_every_box_of_the_demo_opens_to_what_is_meant_for_it_and_gives_something(
    own_content: Content,
) -> None:
    opened, words = set(), set()
    all_words = {"till", "cashier", "sluice", "weir", "main", "chute", "wages"}
    places = ("galleries/1", "galleries/2", "cisterns/2", "cisterns/3", "foundry/3", "furrings/3")
    for seed, map_id in itertools.product(range(1, 25), places):
        if seed > 2 and words >= all_words:
            break
        game = Game(dungeon.World(own_content, seed), map_id)
        boxes = [
            (entity, at)
            for entity, (tag, _, at) in esper.get_components(Tag, Prop, Position)
            if "lock" in tag.keywords
        ]
        for box, at in boxes:
            tag = esper.component_for_entity(box, Tag)
            game.map.ring.add({"opens": tag.keywords["lock"]})
            things = len(esper.get_components(Item, Position))
            assert locks.is_locked(game, box)
            assert locks.work(game, box)
            assert not locks.is_locked(game, box)
            assert states_of(box) == ["open"], tag
            assert len(esper.get_components(Item, Position)) > things, (tag, at)
            assert not held_by(box)
            opened.add(tag.tag)
            words.add(tag.keywords["lock"])
        forget_worlds()
    assert (opened, words) == ({"strongbox", "hatch", "valve"}, all_words)
