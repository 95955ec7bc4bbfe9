"""Look mode and the list beside the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from tcod.console import Console
from test_game import forget_worlds, own_content, said
from test_game_screens import after, shot
from workshops import hall, storehouse, workshop

import dungeon
from game_demo.display import descriptions
from game_demo.display.descriptions import describe_cell, describe_entity, underfoot
from game_demo.display.drawing import PLAIN
from game_demo.display.panels import (
    SIDEBAR_WIDTHS,
    SightEntry,
    draw_sidebar,
    map_room,
    sidebar_width,
)
from game_demo.screens.look import Look
from game_demo.state.components import Footprint
from game_demo.state.game import Game, errand

if TYPE_CHECKING:
    from workshops import Begin

    from dungeon import Content

__all__ = ["hall", "own_content", "storehouse", "workshop"]

HALL = """
    #######
    #<....#
    #.....#
    #######
"""


def stops(screen: Look) -> list[tuple[int, int]]:
    """Return the cells through which Tab leads, until it comes around."""
    cells: list[tuple[int, int]] = []
    while screen.press("tab") is screen and screen.cursor not in cells:
        cells.append(screen.cursor)
    return cells


def test_tab_in_look_mode_stops_at_transparent_barriers(workshop: Begin) -> None:
    play = workshop("######\n#<..##\n######")
    assert (1, 4) not in Look(play, play.game)._stops()  # what the key goes through
    play.game.map.transparent[1, 4] = True
    assert (1, 4) in Look(play, play.game)._stops()  # what the key goes through


def test_tab_in_look_mode_stops_at_a_seen_cell_of_a_large_thing(workshop: Begin) -> None:
    play = workshop("########\n#<...D.#\n####.###\n####..##\n########")
    game = play.game
    esper.add_component(game.map.blockers[1, 5], Footprint(((1, 6), (1, 5)), ("&", "&")))
    game.map.sight.mask &= ~game.map.bit((1, 6))
    look = after(play, "x", "tab")
    assert isinstance(look, Look)
    assert look.cursor == (1, 5)
    assert "Asking desk" in shot(look)


def test_the_content_may_replace_the_text_of_the_errand(own_content: Content) -> None:
    game = Game(dungeon.World(own_content, 1))
    told = errand(game.world)
    assert told.startswith("You are a repair unit.")
    assert f"at depth {max(node.depth for node in game.world.maps)}" in told
    assert said(game)[0] == told
    forget_worlds()


def test_only_the_designers_view_shows_coordinates(storehouse: Begin) -> None:
    play = storehouse("####\n#<.#\n####")
    assert "Look  Tab" in shot(after(play, "x"))
    assert f"Look  {play.game.player_cell[1]},{play.game.player_cell[0]}" in shot(
        Look(play, play.game, eye="encounters")
    )


def test_tab_in_look_mode_visits_important_things_first_and_repeats_last(storehouse: Begin) -> None:
    play = storehouse("""
        ##########
        #<BBB.B.B#
        #.n...P.c#
        #.v..t.A.#
        #g...t..L#
        ##########
    """)
    game = play.game
    robot, tin, prize, trap, locker = (4, 1), (3, 5), (2, 6), (3, 2), (3, 7)
    stool, chalk, door, barrel, entrance = (2, 2), (2, 8), (4, 8), (1, 2), (1, 1)
    look = Look(play, game)
    found = [look.cursor, *stops(look)]
    assert found[0] == entrance, "looking begins where one stands"
    assert found[1:10] == [robot, tin, prize, trap, locker, stool, chalk, door, barrel]
    assert found[10:] == [(4, 5), entrance], "of scenery there is but the nearest of a kind"


def test_things_of_a_kind_may_have_different_texts(storehouse: Begin) -> None:
    game = storehouse("#######\n#<iii.#\n#######").game
    told = [describe_entity(game, game.map.blockers[1, x]) for x in (2, 3, 4)]
    assert sorted(told) == ["lamp. It burns.", "lamp. It glows.", "lamp. It shines."]
    assert not game.map.warnings


@pytest.mark.parametrize(
    ("columns", "width"), [(80, 0), (103, 0), (104, 30), (132, 37), (160, 44), (300, 44)]
)
def test_the_list_beside_the_map_grows_with_the_screen(columns: int, width: int) -> None:
    console = Console(columns, 50, order="C")
    room = map_room(console)
    assert columns - room.right == width
    if width:
        assert width == sidebar_width(columns)
        draw_sidebar(
            console,
            "In sight",
            [SightEntry("!", PLAIN, "a" * (width - 5)), SightEntry("!", PLAIN, "b")],
            room,
        )
        rows = ["".join(chr(code or 32) for code in row[room.right :]) for row in console.rgb["ch"].tolist()]
        assert [row[2:].rstrip() for row in rows[3:5]] == [f"! {'a' * (width - 5)}", "! b"]
        assert SIDEBAR_WIDTHS[0] <= width <= SIDEBAR_WIDTHS[1]


def test_the_text_of_the_ground_is_shortened_if_there_is_little_room(hall: Begin) -> None:
    play = hall(HALL, HALL)
    play.game.map.move(play.game.hero, next(iter(play.game.map.exits)))
    assert [underfoot(play.game, width) for width in (28, 24, 18, 15)] == [
        "stairs down to Hall 2", "stairs down to Hall 2", "down to Hall 2", "down to Hall 2",
    ]  # fmt: skip
    assert underfoot(play.game) == "stairs down to Hall 2, depth 2"


def test_copies_of_a_drawing_that_share_a_wall_are_described_once(
    own_content: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game(dungeon.World(own_content, 1))
    bounds = game.map.level.placements[0].bounds
    told = describe_cell(game, (bounds.y, bounds.x), everything=True)
    real = descriptions.placements_at
    monkeypatch.setattr(descriptions, "placements_at", lambda *asked: 2 * real(*asked))
    assert describe_cell(game, (bounds.y, bounds.x), everything=True) == told
    forget_worlds()
