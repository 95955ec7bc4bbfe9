"""What newcomers stumbled over in their first ten minutes of the demo."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import forget_worlds, own_content, said, walk
from test_game_screens import after, beginning, shot

import dungeon
from game_demo.display.descriptions import describe_cell, describe_entity
from game_demo.display.drawing import NO_BREAK
from game_demo.display.itinerary import itinerary
from game_demo.display.messages import message_rows
from game_demo.rules import actions, journeys
from game_demo.rules.body.aspects import changes
from game_demo.rules.body.fighting import marks
from game_demo.rules.body.life import LOW
from game_demo.rules.lessons import lesson_due
from game_demo.rules.locks import break_lock
from game_demo.rules.naming import listed
from game_demo.rules.robots.moods import BREATH, PATIENCE, turn_to
from game_demo.rules.ways import robots_in_sight
from game_demo.rules.works.leftovers import places_to_try
from game_demo.rules.works.ways import deal, refusals_at, ways_at
from game_demo.screens.aim import Aim
from game_demo.screens.dialogs import AskDirection, Confirm
from game_demo.screens.look import Look
from game_demo.screens.works import Works, ways_around
from game_demo.state.components import Appearance, Footprint, ItemEffect, Mind, Stack
from game_demo.state.entities import cell_of
from game_demo.state.game import Game
from game_demo.state.log import Log
from game_demo.state.things.clock import TURN
from game_demo.state.things.fixtures import Lid
from game_demo.state.things.parts import BARE, Part, build_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dungeon import Content
    from game_demo.screens.game_screens import Play

    Begin = Callable[..., Play]

__all__ = ["own_content"]

EAST = (0, 1)
OBJECTS = {
    "robots": """
        idler: {name: idler, glyph: i, data: {behaviour: idle, hp: 9}}
        hound: {name: hound, glyph: h, data: {behaviour: hunt, hp: 5, attack: 1, sight: 1}}
        wolf: {name: wolf, glyph: w, data: {behaviour: swarm, hp: 5, attack: 1, sight: 1}}
        clerk: {name: clerk, glyph: c, data: {behaviour: caller, hp: 5, attack: 1, sight: 60, calls: 20}}
    """,
    "items": """
        key: {name: till key, glyph: "-"}
        tin: {name: tin, glyph: "!", data: {value: 3}}
        kit: {name: patch kit, glyph: "!", data: {repair: 10}}
        cell: {name: flat cell, glyph: "!", data: {charge: 250}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 5, range: 6, charge: 1}}}
    """,
    "traps": """
        plate: {name: loose plate, glyph: ^, data: {damage: 2, hidden: false}}
    """,
    "props": """
        box: {name: strongbox, glyph: "=", loadout: [{item: tin}]}
        locker: {name: locker, glyph: "|", loadout: [{item: tin}], data: {lid: true, text: Somebody's.}}
        lever: {name: lever, glyph: "("}
        frame: {name: lock frame, glyph: "&", data: {terminal: [locks]}}
        cradle: {name: cradle, glyph: U, data: {charges: 2}}
        desk: {name: asking desk, glyph: "&", data: {terminal: [map, guards]}}
    """,
}
LEGEND = """
    i: {robot: idler}
    a: {robot: clerk}
    h: {robot: hound}
    w: {robot: wolf}
    k: {item: key, opens: till}
    t: {item: tin}
    u: {item: gun}
    r: {item: kit}
    c: {item: cell}
    p: {trap: plate}
    X: {prop: box, state: shut, lock: till}
    A: {prop: locker, state: ajar}
    Q: {prop: locker}
    L: {terrain: locked_door, lock: till}
    G: {terrain: locked_door, lock: gate}
    I: {prop: lever, opens: gate}
    D: {prop: desk}
    F: {prop: frame}
    U: {prop: cradle}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    yield from beginning(tmp_path, OBJECTS, LEGEND)


# -- what opens -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("locked", "name"), [("X", "strongbox"), ("L", "door")])
def test_work_beside_a_lock_offers_the_key_that_one_has(begin: Begin, locked: str, name: str) -> None:
    game = begin(f"######\n#<k{locked}.#\n######").game
    walk(game, "l")
    assert [way.name for way in ways_at(game, (1, 3))] == ["force"]
    actions.pick_up(game)
    first, second = ways_at(game, (1, 3))
    assert (str(first), second.name) == (f"Unlock the {name} with the till key", "force")
    deal(game, EAST, "unlock")
    assert f"You unlock the {name}; the till key stays in the lock." in said(game)
    assert ways_at(game, (1, 3)) == []


def test_a_lever_that_opens_nothing_any_more_says_that_it_was_pulled(begin: Begin) -> None:
    game = begin("#####\n#<I.#\n#G..#\n#####").game
    break_lock(game, (2, 1))
    walk(game, "l")
    assert said(game)[-1] == "It moves, and nothing else does."
    turn = game.log.turn
    walk(game, "l")
    assert game.log.turn == turn, "it can be pulled once"


def test_a_lever_that_opens_something_says_what(begin: Begin) -> None:
    game = begin("#####\n#<I.#\n#G..#\n#####").game
    walk(game, "l")
    assert said(game)[-1] == "Somewhere to the south a lock springs open."


def test_what_a_key_opens_is_not_refused_for_being_too_worn_to_force_it(begin: Begin) -> None:
    game = begin("#####\n#<kX#\n#####").game
    walk(game, "l")
    game.health.hp = 1
    assert len(refusals_at(game, (1, 3))) == 1
    actions.pick_up(game)
    assert refusals_at(game, (1, 3)) == []


def test_what_opens_by_hand_opens_to_whoever_walks_into_it(begin: Begin) -> None:
    game = begin("#####\n#<A.#\n#####").game
    walk(game, "l")
    assert said(game)[-2:] == ["Locker, ajar. Somebody's.", "In it: a tin. (g takes it)"]
    assert (game.log.turn, esper.get_component(Lid)) == (1, [])
    walk(game, "l")
    assert (said(game)[-1], game.log.turn) == ("Locker, open. Somebody's.", 1)


def test_what_wants_a_tool_stays_shut_to_whoever_walks_into_it(begin: Begin) -> None:
    game = begin("#####\n#<Q.#\n#####").game
    walk(game, "l")
    assert said(game)[-2:] == ["Locker. Somebody's.", "(w tells what can be done about it)"]
    assert len(esper.get_component(Lid)) == 1


# -- what is laid ---------------------------------------------------------------------------------


def carry_trap(play: Play) -> Game:
    """Disarm the trap to the east and take it along, standing on its cell afterwards."""
    game = play.game
    game.rng = type("Luck", (), {"random": staticmethod(lambda: 0.0)})()
    deal(game, EAST, "disarm")
    after(play, "l", "g")
    return game


def test_a_trap_is_laid_by_one_line_and_a_direction(begin: Begin) -> None:
    play = begin("#####\n#...#\n#<p.#\n#.A.#\n#####")
    game = carry_trap(play)
    asked = after(play, "w")
    rows = [row.split("│")[1].strip() for row in shot(asked).splitlines() if row.count("│") == 2]
    assert [row for row in rows if "Lay" in row] == ["b  Lay the disarmed loose plate: 2 damage (3 turns)"]
    assert rows[:3] == [
        "South", "a  Look into the locker", "Northwest, north, northeast, east, southwest or southeast",
    ]  # fmt: skip
    where = after(asked, "b")
    assert "Lay the disarmed loose plate: 2 damage. Where?  a direction, or Esc" in shot(where)
    assert after(where, "l") is play
    assert game.map.armed_trap_at((2, 3)) is not None
    assert game.player.inventory == []


def test_a_trap_is_laid_at_once_where_there_is_but_one_place(begin: Begin) -> None:
    play = begin("#####\n#<.p#\n#####")
    walk(play.game, "l")
    game = carry_trap(play)
    text = shot(after(play, "w"))
    assert "West" in text
    assert "a or Enter does it" in text
    assert after(play, "w", "enter") is play
    assert game.map.armed_trap_at((1, 2)) is not None


# -- where one is asked ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_a_direction_is_asked_for_near_the_player_with_all_in_sight_that_is_next_to_him(
    begin: Begin, size: tuple[int, int]
) -> None:
    play = begin("######\n#.+..#\n##<###\n##+###\n##..##\n######")
    rows = shot(AskDirection(play, "Close which door?", lambda _: None), size).splitlines()
    (asked,) = (number for number, row in enumerate(rows) if "Close which door?  a direction, or Esc" in row)
    (player,) = (number for number, row in enumerate(rows) if "@" in row)
    assert 1 < abs(asked - player) < size[1] // 2
    assert asked > 0


@pytest.mark.parametrize("size", [(80, 24), (103, 24), (160, 50)])
@pytest.mark.parametrize(
    "drawing",
    [
        "##########\n#<u..i...#\n#.....i..#\n#........#\n##########",
        "######\n#<u..#\n#....#\n#....#\n#....#\n#.i..#\n#.i..#\n######",
    ],
)
def test_what_a_shot_does_is_told_near_its_mark_and_hides_nothing_of_it(
    begin: Begin, drawing: str, size: tuple[int, int]
) -> None:
    play = begin(drawing)
    after(play, "l", "g", "a", "a", "1")
    rows = shot(play, size).splitlines()
    spots = [(y, x) for y, row in enumerate(rows[:-6]) for x, letter in enumerate(row[:75]) if letter in "@i"]
    on_map = [(y, x) for y, x in spots if rows[y][x - 1] in ".#<i" and rows[y][x + 1] in ".#i"]
    assert len(on_map) == 3
    aimed = shot(after(play, "f"), size).splitlines()
    (told,) = (number for number, row in enumerate(aimed) if "idler 9/9, " in row and "1 to 5, hits" in row)
    assert "2 charge, the turn's included, heard 9 steps away" in aimed[told + 1]
    assert "f shoots  Esc back" in aimed[told + 2]
    assert not any(told <= y <= told + 2 for y, _ in on_map)
    assert all(aimed[y][x] == rows[y][x] for y, x in on_map)
    assert min(abs(told - y) for y, x in on_map if rows[y][x] == "i") <= 3
    assert told > 0
    assert aimed[0] == rows[0], "the top row, which nobody looks at, tells what it did"


# -- what was said --------------------------------------------------------------------------------


@pytest.mark.parametrize("others", [0, 5])
@pytest.mark.parametrize("width", range(24, 60))
def test_how_often_something_was_said_stays_with_its_last_word(others: int, width: int) -> None:
    log = Log()
    for _ in range(12):
        log.say("You see a stacker behind the crates.")
    for number in range(others):
        log.say(f"{number}.")
    lines = [" ".join(words.text for words in row) for row in chain(*message_rows(log, width, 3))]
    assert any("crates. [12 times]" in line.replace(NO_BREAK, " ") for line in lines)


def test_the_page_of_messages_keeps_the_count_with_them_too(begin: Begin) -> None:
    play = begin("####\n#<.#\n####")
    for length in range(20, 74):
        for _ in range(2):
            play.game.log.say(f"{'word ' * (length // 5)}{'x' * (length % 5)}end.")
    rows = shot(after(play, "m"), (80, 400)).splitlines()
    assert sum("end. [2 times]" in row for row in rows if row.count("│") == 2) == 54


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["door"] * 2, "two doors"),
        (
            ["copy in wax", "heap of coal", "heap of coal", "copy in wax"],
            "two copies in wax and two heaps of coal",
        ),
        (["locker to be pried open"] * 3, "three lockers to be pried open"),
        (["locked box that you can open"] * 2, "two locked boxes that you can open"),
        (["key beside a sleeping guard"] * 2, "two keys beside a sleeping guard"),
        (["chalk marks to be read"], "some chalk marks to be read"),
        (["brass fittings"] * 2, "some brass fittings (x2)"),
        (["Chief Clerk"] * 2, "the Chief Clerk (x2)"),
        (["signalman", "shelf"] * 13, "13 signalmen and 13 shelves"),
    ],
)
def test_how_many_there_are_is_told_in_words(names: list[str], told: str) -> None:
    assert listed(names) == told


def test_a_lever_that_opens_two_doors_says_so(begin: Begin) -> None:
    game = begin("#########\n#<I.G.G.#\n#########").game
    assert describe_cell(game, (1, 2))[0] == "Lever, opens two doors"


# -- which levels there are -----------------------------------------------------------------------


def test_each_level_is_listed_once_and_in_order_of_depth(own_content: Content) -> None:
    game = Game(dungeon.World(own_content, 1))
    for map_id in ("galleries/1", "galleries/2", "cisterns/2", "galleries/1"):
        for each in game.maps.values():
            each.sight.explored[:] = True
        game.enter(map_id)
    lines, here = itinerary(game)
    told = [line for line, _ in lines if not line.startswith("  ")]
    names = [line.split(" (")[0].split(", where")[0] for line in told]
    assert names[:2] == ["Goods Inwards, depth 1", "The Galleries, depth 1"]
    assert len({*names}) == len(names) > 5
    assert lines[here][0] == "The Galleries, depth 1 (stairs in Goods Inwards, depth 1), where you are"
    text = " ".join(" ".join(line for line, _ in lines).split())
    foundry = "The Foundry, depth 3 (stairs in The Galleries, depth 2 and The Cisterns, depth 2), not visited"
    assert text.count("The Foundry, depth 3") == 1
    assert foundry in text
    forget_worlds()


# -- what looks like what -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_a_trap_that_was_sprung_has_a_glyph_of_its_own_and_says_so(
    begin: Begin, size: tuple[int, int]
) -> None:
    play = begin("######\n#<pp.#\n######")
    assert "^ loose plate x2" in shot(play, size)
    walk(play.game, "lh")
    text = shot(play, size)
    assert "@_^" in text
    assert "^ loose plate" in text
    assert "_ loose plate, sprung" in text
    assert describe_cell(play.game, (1, 2))[0] == "Loose plate, sprung"


def test_the_overview_marks_no_trap_that_was_sprung(begin: Begin) -> None:
    play = begin("####\n#<p#\n####")
    assert "^" in "".join(shot(after(play, "M")).splitlines()[1:-1])
    walk(play.game, "lh")
    assert "^" not in "".join(shot(after(play, "M")).splitlines()[1:-1])


# -- what is read ---------------------------------------------------------------------------------


def test_what_a_part_enables_is_told_in_a_sentence() -> None:
    digger = build_of([Part(slot="arm", digs=True)])
    assert changes(BARE, digger) == [("lets you dig through earth and soft walls", True)]
    assert changes(digger, BARE) == [("you can no longer dig through earth and soft walls", False)]
    shining = build_of([Part(slot="head", lit=True)])
    assert changes(BARE, shining) == [("you shine, and are seen from afar", False)]
    assert changes(shining, BARE) == [("you no longer shine, nor are seen from afar", True)]


# -- what is used up, and left ----------------------------------------------------------------------


def test_what_is_mostly_more_than_one_needs_is_not_used_up_without_a_question(begin: Begin) -> None:
    play = begin("#####\n#<rc#\n#####")
    game = play.game
    after(play, "l", "g", "l", "g")
    assert "a letter uses that now, or asks where to fit it; Tab drops, Esc goes back" in shot(
        after(play, "i")
    )
    game.health.hp = game.health.max_hp - 4
    asked = after(play, "i", "a")
    assert "The patch kit repairs 10, and you lack 4. Use it up?  y / n" in shot(asked)
    assert "Your pack" in shot(after(asked, "n"))
    assert (len(game.player.inventory), game.health.hp) == (2, game.health.max_hp - 4)
    game.body.charge = game.body.capacity - 100 * TURN
    cell = " ".join(shot(after(play, "i", "b")).replace("│", " ").split())
    assert "The flat cell gives 250 charge, and you have room for 100. Use it up? y / n" in cell
    after(play, "i", "a", "y")
    assert [stack.look.name for stack in game.player.inventory] == ["flat cell"]


def test_what_one_needs_is_used_at_once(begin: Begin) -> None:
    play = begin("####\n#<r#\n####")
    after(play, "l", "g")
    assert after(play, "i", "a") is play, "nothing comes of it, and so nothing is asked"
    assert said(play.game)[-1] == "You are not damaged."
    play.game.health.hp = play.game.health.max_hp - 5
    assert after(play, "i", "a") is play
    assert play.game.player.inventory == []


@pytest.mark.parametrize("has_dropped_it", [True, False])
def test_who_takes_the_stairs_is_told_what_lies_there_unless_he_left_it(
    begin: Begin,
    has_dropped_it: bool,  # noqa: FBT001
) -> None:
    play = begin("######\n#<r.>#\n######", "####\n#<.#\n####")
    game = play.game
    after(play, "l", "g", "l", "l", "d", "a")
    assert game.player_cell in game.map.exits
    if not has_dropped_it:
        game.map.left.clear()
    after(play, ">")
    told = [] if has_dropped_it else ["You leave a patch kit lying there."]
    assert said(game)[-len(told) - 1 :] == [*told, "You go down to Hall 2, depth 2."]


# -- what one may do in haste ---------------------------------------------------------------------


def test_a_question_stays_open_until_it_is_answered(begin: Begin) -> None:
    play = begin("######\n#<.p.#\n######")
    asked = after(play, "l", "l")
    assert isinstance(asked, Confirm)
    for key in ("l", "right", "enter", "x", "tick", ""):
        assert after(asked, key) is asked, f"{key!r} is no answer"
    for key in ("n", "N", "escape"):
        assert after(asked, key) is play
    assert play.game.player_cell == (1, 2)
    after(asked, "y")
    assert play.game.player_cell == (1, 3)


def test_it_is_told_to_which_of_several_stairs_one_goes(begin: Begin) -> None:
    play = begin("##########\n#...<...>#\n##########", "####\n#<.#\n####")
    game, (near, far) = play.game, ((1, 2), (1, 8))
    game.map.sight.explored[:] = True
    (title,) = {game.title(target) for target in game.map.exits.values()}
    after(play, "h", ">")
    assert f"You go 5 steps to the stairs to {title}." in said(game)
    game.map.exits[near] = game.map.level.id
    game.map.stairs |= {near}
    here = game.title(game.map.level.id)
    walk(game, "hhhh")
    after(play, ">")
    assert f"You go 2 steps to the stairs to {here}: the nearest. (x, > and Enter for others)" in said(game)
    assert game.player_cell == near
    screen = after(play, "x", ">")
    assert f"Stairs down to {title}" in shot(screen)
    after(screen, "enter")
    assert game.player_cell == far
    after(play, "<")
    assert "You go 4 steps to the stairs up." in said(game)


def test_aiming_begins_with_who_is_after_the_player(begin: Begin) -> None:
    play = begin("########\n#<u....#\n#.i..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    near, far = marks(play.game)
    turn_to(play.game, far, "off")
    assert Aim(play, play.game).targets == [near, far]
    turn_to(play.game, far, "asleep")
    assert Aim(play, play.game).targets == [far, near], "the harmless last"
    assert "hound 5/5, asleep: 1 to 5, hits 75%" in shot(after(play, "f"))
    turn_to(play.game, far, "alert")
    turn_to(play.game, near, "asleep")
    assert Aim(play, play.game).targets == [far, near]
    assert "hound 5/5, alert: 1 to 5, hits 75%" in shot(after(play, "f"))


def test_what_is_new_is_marked_where_no_colour_tells(begin: Begin) -> None:
    play = begin("######\n#<t..#\n######")
    after(play, "l", "g")
    taken, *_ = (row for row in shot(play).splitlines() if "tin" in row and row.startswith("│ "))
    assert taken.startswith("│ You take")
    shown = shot(after(play, "h")).splitlines()
    assert taken.replace("│", " ", 1) in shown, "and it is old as soon as something else is done"


def test_who_calls_again_and_again_in_vain_is_told_of_once_with_the_count(begin: Begin) -> None:
    play = begin("####################\n#<......a..........#\n####################")
    (mind,) = [mind for _, mind in esper.get_component(Mind)]
    for _ in range(4):
        mind.state, mind.called = mind.manner.rest, False
        for _ in range(PATIENCE["calling"]):
            actions.wait(play.game)
    again = [each for each in play.game.log.messages if "calls for help again" in each.text]
    assert [(each.text, each.times) for each in again] == [
        ("The clerk calls for help again, and nobody hears.", 3)
    ]


# -- what one wants to know before one decides ----------------------------------------------------


def test_a_long_way_is_gone_only_when_the_player_explores_on(begin: Begin) -> None:
    hall = f"#<{'.' * 30}t{'.' * 30}t#"
    game = begin("\n".join(["#" * len(hall), hall, "#" * len(hall)])).game
    game.map.sight.explored[:] = True
    journeys.explore(game)
    assert (game.log.turn, game.player_cell) == (0, (1, 1))
    assert said(game)[-1] == "Next: 31 steps to the east, to a tin. (o goes there)"
    journeys.explore(game)
    assert game.player_cell == (1, 32), "what lies there is taken, and nothing long is begun after it"
    assert said(game)[-1].startswith("Next: 3")
    journeys.explore(game)
    assert game.player_cell[1] > 60


def test_exploring_stops_at_parts_and_keys(begin: Begin) -> None:
    game = begin("########\n#<utk.t#\n########").game
    game.map.sight.explored[:] = True
    for cell in ((1, 2), (1, 4)):
        journeys.explore(game)
        assert game.player_cell == cell


def test_it_is_told_what_of_the_players_makes_odds_better(begin: Begin) -> None:
    game = begin("######\n#<p..#\n######").game
    (way,) = ways_at(game, (1, 2))
    assert "(55%, or it springs, 4 turns)" in str(way)
    rods = Appearance("/", (0, 0, 0), "tapping rods")
    game.body.fitted["head"] = Stack("rods", rods, ItemEffect(part=Part(slot="head", keen=True)))
    game.refit()
    (way,) = ways_at(game, (1, 2))
    assert "(85% with your tapping rods, or it springs, 4 turns)" in str(way)


def test_what_a_terminal_may_do_is_told_from_afar(begin: Begin) -> None:
    game = begin("######\n#<..D#\n######").game
    assert describe_cell(game, (1, 4))[0] == (
        "Asking desk, a terminal: asked (w), it may print a plan or shut somebody down"
    )


def test_who_has_a_cell_is_told_to_apply_it_and_not_to_find_one(begin: Begin) -> None:
    game = begin("#####\n#<c.#\n#####").game
    for told in ("Find a cell, or a cradle to walk into.", "Apply the flat cell (i)."):
        game.body.charge = round(game.body.capacity * LOW) + TURN
        walk(game, ".")
        walk(game, ".")
        assert f"Your battery is low. {told}" in said(game)
        walk(game, "l")
        actions.pick_up(game)


def test_the_nearest_of_what_is_left_comes_first(begin: Begin) -> None:
    game = begin("##########\n#I..<.t..#\n##########").game
    game.map.sight.explored[:] = True
    assert places_to_try(game)[:2] == [(1, 6), (1, 1)]
    walk(game, "h")
    assert places_to_try(game)[:2] == [(1, 1), (1, 6)]


def test_a_place_that_opens_to_a_tool_is_told_so_beside_it(begin: Begin) -> None:
    game = begin("######\n#<.Q.#\n######").game
    journeys.travel(game, (1, 3))
    assert said(game)[-1] == "The locker is beside you, to the east. (shut: a tool pries it open)"


def test_tab_comes_to_what_one_sees_through_and_can_not_walk_through(begin: Begin) -> None:
    play = begin("######\n#<..##\n######")
    assert (1, 4) not in Look(play, play.game)._stops()  # what the key goes through
    play.game.map.transparent[1, 4] = True
    assert (1, 4) in Look(play, play.game)._stops()  # what the key goes through


def test_exploring_ends_once_beside_what_may_be_tried(begin: Begin) -> None:
    game = begin("#########\n#<......#\n#.....I.#\n#..D....#\n##G######").game
    ends = []
    for _ in range(4):
        journeys.explore(game)
        ends.append(said(game)[-1])
    assert [each for each in ends if "beside you" in each] == [
        "The asking desk is beside you, to the southeast. (walk into it, or w)",
        "The lever is beside you, to the east. (walk into it, or o)",
    ]
    assert "It moves, and nothing else does." in said(game), "who explores on pulls it"
    assert "lever" not in ends[-1]


def test_what_is_large_is_worked_on_once(begin: Begin) -> None:
    game = begin("######\n#<D..#\n#....#\n######").game
    game.map.blockers[2, 2] = game.map.blockers[1, 2]
    assert len(ways_around(game)) == 1


def test_where_no_step_clears_a_shot_that_is_told(begin: Begin) -> None:
    play = begin("#########\n#<.uQ..h#\n#########")
    after(play, "l", "l", "g", "a", "a", "1")
    after(play, "f")
    assert "A locker is in the way of a shot at the hound: no single step clears it." in said(play.game)


def test_what_is_in_the_way_of_a_shot_is_told_only_if_it_is_seen(begin: Begin) -> None:
    play = begin("##########\n#<u..h..h#\n##########")
    after(play, "l", "g", "a", "a", "1")
    near = min((robot for robot, _ in esper.get_component(Mind)), key=lambda robot: cell_of(robot)[1])
    turn_to(play.game, near, "with you")
    after(play, "f")
    assert "Another hound is in the way of a shot at the hound: no single step clears it." in said(play.game)
    play.game.map.sight.visible[cell_of(near)] = False
    after(play, "f")
    told = "Something that you do not see is in the way of a shot at the hound: no single step clears it."
    assert told in said(play.game)


def test_what_covers_several_cells_is_looked_at_where_it_is_seen(begin: Begin) -> None:
    play = begin("########\n#<...D.#\n####.###\n####..##\n########")
    game = play.game
    esper.add_component(game.map.blockers[1, 5], Footprint(((1, 6), (1, 5)), ("&", "&")))
    game.map.sight.mask &= ~game.map.bit((1, 6))
    look = after(play, "x", "tab")
    assert isinstance(look, Look)
    assert look.cursor == (1, 5)
    assert "Asking desk" in shot(look)


def test_one_goes_beside_any_cell_of_what_covers_several(begin: Begin) -> None:
    play = begin("#########\n#<...QD.#\n#....QQ.#\n#########")
    game, desk = play.game, (1, 6)
    game.map.sight.explored[:] = True
    for cell in ((1, 7), (2, 7)):
        game.map.walkable[cell] = False
    assert desk not in places_to_try(game)
    esper.add_component(game.map.blockers[desk], Footprint(((1, 5), desk), ("&", "&")))
    game.map.blockers[1, 5] = game.map.blockers[desk]
    assert desk in places_to_try(game)
    assert "Enter goes beside, 3 steps" in shot(Look(play, game, cursor=desk))
    journeys.travel(game, desk)
    assert game.player_cell == (1, 4)
    assert said(game)[-1] == "The asking desk is beside you, to the east. (walk into it, or w)"
    assert "beside you, to the east  Esc" in shot(Look(play, game, cursor=desk))
    journeys.travel(game, desk)
    assert "no safe way" not in said(game)[-1]


def test_all_places_are_shown_and_how_many_there_are(begin: Begin) -> None:
    play = begin(
        "#####################\n#<A.A.A.A...I.I.I...#\n#...................#\n#I..I..I..I..I..D..I#\n#####################"
    )
    play.game.map.sight.explored[:] = True
    places = places_to_try(play.game)
    look = after(play, "_", "_")
    assert f"place 1/{len(places)}, Tab next" in shot(look)
    assert f"place {len(places)}/{len(places)}, Tab next" in shot(after(look, "shift+tab"))


def test_a_shot_at_the_harmless_is_asked_about(begin: Begin) -> None:
    play = begin("########\n#<u..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    (hound,) = marks(play.game)
    turn_to(play.game, hound, "off")
    charge = play.game.body.charge
    asked = after(play, "f", "f")
    assert "Shoot the hound, which means you no harm?" in shot(asked)
    assert after(asked, "n") is play
    assert play.game.body.charge == charge
    assert after(asked, "y") is play
    assert play.game.body.charge < charge


def test_a_shot_at_who_would_fight_is_not_asked_about(begin: Begin) -> None:
    play = begin("########\n#<u..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    charge = play.game.body.charge
    assert after(play, "f", "f") is play
    assert play.game.body.charge < charge


def test_what_is_looked_at_is_aimed_at(begin: Begin) -> None:
    play = begin("########\n#<u....#\n#.i..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    _, far = marks(play.game)
    look = Look(play, play.game, cursor=cell_of(far))
    assert "f aims" in shot(look)
    aim = after(look, "f")
    assert isinstance(aim, Aim)
    assert aim.targets[0] == far
    assert "f aims" not in shot(Look(play, play.game, cursor=(1, 4)))


def test_who_can_not_shoot_is_told_so_when_he_looks(begin: Begin) -> None:
    play = begin("########\n#<u..h.#\n########")
    assert after(play, "x", "f") is play
    assert said(play.game)[-1] == "You have nothing to shoot with."


def test_it_is_told_who_is_beyond_the_range_of_the_gun(begin: Begin) -> None:
    play = begin("##########################\n#<u.....................h#\n##########################")
    game = play.game
    after(play, "l", "g", "a", "a", "1")
    (hound,) = (robot for robot, _ in esper.get_component(Mind))
    gun = game.body.build.gun
    assert gun is not None
    assert f"beyond your gun's range of {gun.range}" in describe_entity(game, hound)
    game.map.move(game.hero, (1, 23))
    assert "range" not in describe_entity(game, hound)


def test_enter_fits_a_part_where_it_is_worth_most(begin: Begin) -> None:
    play = begin("########\n#<uu...#\n########")
    after(play, "l", "g", "l", "g")
    first = after(play, "i", "a")
    assert "1 or Enter fits it" in shot(first)
    after(first, "enter")
    second = after(play, "i", "a")
    assert "a number fits it, Enter at 2" in shot(second)
    after(second, "enter")
    assert [*play.game.body.fitted] == ["right arm", "left arm"]


def test_work_tells_what_a_part_of_the_pack_would_change(begin: Begin) -> None:
    game = begin("######\n#<k..#\n#L####\n#....#\n######").game
    walk(game, "j")
    bar = Stack("bar", Appearance("/", (0, 0, 0), "pry bar"), ItemEffect(part=Part(slot="arm", pries=True)))
    (way,) = ways_at(game, (2, 1))
    assert str(way) == "Force the door (33%, or you try again, 2 hit points, heard 10 steps away, 3 turns)"
    game.player.inventory.append(bar)
    (way,) = ways_at(game, (2, 1))
    assert "(33%, 63% if you fit the pry bar, or you try again," in str(way)
    game.body.charge = 0
    game.refit()
    (way,) = ways_at(game, (2, 1))
    assert "if you fit" not in str(way), "no part works without charge"


def test_places_are_listed_and_a_letter_goes_there(begin: Begin) -> None:
    play = begin("##########\n#<.t..A.>#\n#........#\n#.I.....I#\n##########", "###\n#<#\n###")
    play.game.map.sight.explored[:] = True
    shown = [line.strip(" │") for line in shot(after(play, "_")).splitlines()]
    listed = [line for line in shown if line[1:3] == "  "]
    assert [line[:24].split() for line in listed] == [
        ["a", "2", "steps", "east"],
        ["b", "2", "steps", "southeast"],
        ["c", "5", "steps", "east"],
        ["d", "7", "steps", "east"],
        ["e", "7", "steps", "east"],
    ]
    assert [line[24:].split(",")[0].split(".")[0].strip() for line in listed][:3] == [
        "Tin",
        "Lever",
        "Locker",
    ]
    asked = after(play, "_")
    assert after(asked, "z") is asked
    assert after(asked, "escape") is play
    assert after(asked, "a") is play
    assert play.game.player_cell == (1, 3)


def test_more_places_than_there_is_room_for_scroll(begin: Begin) -> None:
    locked = "#" + "A." * 19 + "#"
    tins = "#<" + ".t" * 18 + ".#"
    play = begin("\n".join(["#" * 40, tins, locked, "#" + "I." * 19 + "#", "#" * 40]))
    play.game.map.sight.explored[:] = True
    places, low = after(play, "_"), (72, 12)
    text = shot(places, low)
    assert "a letter goes there" in text
    assert "│ a  " in text
    assert "arrows scroll" in text
    scrolled = after(places, *["down"] * 30)
    assert scrolled is places
    assert "│ a  " not in shot(places, low)
    assert after(places, "up") is places
    assert after(places, "a") is play, "letters go to places that do not show"


def test_where_nothing_is_left_the_map_is_shown(begin: Begin) -> None:
    play = begin("#####\n#<..#\n#####")
    assert isinstance(after(play, "_"), Look)


def test_of_two_of_a_pack_that_are_in_sight_each_has_the_other(begin: Begin) -> None:
    game = begin("##################\n#<...........w.w.#\n##################").game
    game.map.awake.clear()  # they may be too far away to make moves
    robots = robots_in_sight(game)
    assert len(robots) == 2
    assert all("1 more in sight" in describe_entity(game, robot) for robot in robots)


def test_who_hunts_in_a_pack_is_told_to_have_none_near(begin: Begin) -> None:
    play = begin("##########\n#<...w..w#\n##########")
    one, other = sorted(robot for robot, _ in esper.get_component(Mind))
    assert "waits up to 6 moves for its pack before it comes, 1 more in sight" in describe_entity(
        play.game, one
    )
    turn_to(play.game, one, "alert")
    assert "hunts in a pack, 1 more in sight" in describe_entity(play.game, one), "it waits no longer"
    turn_to(play.game, one, "at work")
    turn_to(play.game, other, "asleep")
    assert "hunts in a pack, 1 more asleep in sight" in describe_entity(play.game, one)
    turn_to(play.game, other, "off")
    assert "hunts in a pack, of which no other is near" in describe_entity(play.game, one)


def test_digging_comes_after_what_can_be_done_with_things(begin: Begin) -> None:
    play = begin("########\n#......#\n#<.....#\n#A.....#\n########")
    play.game.body.fitted["left arm"] = Stack(
        "pick", Appearance("/", (0, 0, 0), "pick"), ItemEffect(part=Part(slot="arm", digs=True))
    )
    play.game.refit()
    play.game.map.move(play.game.hero, (1, 1))
    walk(play.game, "j")
    works = Works(play, play.game, partial(deal, play.game), ways_around(play.game))
    names = [choice.way.name for choice in works.choices.values()]
    assert names[0] == "open"
    assert set(names[1:]) <= {"dig"}


def test_a_journey_does_not_stop_at_stairs_on_its_way(begin: Begin) -> None:
    play = begin("##########\n#<..>...A#\n##########", "###\n#<#\n###")
    play.game.map.sight.explored[:] = True
    journeys.travel(play.game, (1, 7))
    assert play.game.player_cell == (1, 7)


def test_a_terminal_of_which_nothing_is_to_be_had_says_so(begin: Begin) -> None:
    play = begin("#######\n#<.F..#\n#######")
    walk(play.game, "l")
    after(play, "w")
    assert said(play.game)[-1] == "The lock frame has nothing for you: no lock that it could open is shut."
    assert (1, 3) not in places_to_try(play.game)
    assert "a terminal: it has nothing for you" in " ".join(describe_cell(play.game, (1, 3)))


@pytest.mark.parametrize(("mark", "name"), [("I", "lever"), ("U", "cradle")])
def test_what_is_worked_by_walking_into_it_says_so(begin: Begin, mark: str, name: str) -> None:
    play = begin(f"######\n#<.{mark}.#\n#..{mark}.#\n######")
    walk(play.game, "l")
    after(play, "w")
    assert said(play.game)[-1] == f"Walk into the {name}: that works it."


def test_who_is_about_to_call_leaves_as_many_moves_as_it_is_told(begin: Begin) -> None:
    game = begin("####################\n#<......a..........#\n####################").game
    actions.wait(game)
    assert said(game)[-1] == f"The clerk has noticed you, and draws breath for {BREATH} moves, to call."
    for _ in range(BREATH - 1):
        actions.wait(game)
        assert not any("calls for help" in each for each in said(game))
    actions.wait(game)
    assert any("calls for help" in each for each in said(game))


def test_who_goes_to_the_stairs_is_told_of_cradles(begin: Begin) -> None:
    play = begin("#########\n#<...U..#\n#......>#\n#########", "####\n#<.#\n####")
    game = play.game
    game.map.sight.explored[:] = True
    (title,) = {game.title(target) for target in game.map.exits.values()}
    game.body.charge -= 299 * TURN
    journeys.go_down(game)
    assert f"You go 6 steps to the stairs to {title}." in said(game)
    game.map.move(game.hero, (1, 1))
    game.body.charge -= 301 * TURN
    journeys.go_down(game)
    assert f"You go 6 steps to the stairs to {title}. There is still a cradle here." in said(game)


def test_lessons_wait_while_somebody_is_after_the_player(begin: Begin) -> None:
    game = begin("########\n#<.t..h#\n########").game
    game.taught.add("robot")
    (hound,) = robots_in_sight(game)
    assert lesson_due(game) == "item"
    turn_to(game, hound, "alert")
    assert lesson_due(game) is None


def test_what_goes_to_the_haul_says_what_it_is_worth(begin: Begin) -> None:
    game = begin("#####\n#<tk#\n#####").game
    assert describe_cell(game, (1, 2))[0] == "Tin, for your haul, worth 3"
    assert "haul" not in describe_cell(game, (1, 3))[0], "a key opens something"
