"""Working on what is beside the player: locks, levers, lids, doors, traps, terminals and wrecks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import said, walk
from test_game_screens import after, shot
from workshops import cellar, guardroom, hall, storehouse, workshop

from game_demo.display.descriptions import describe_cell
from game_demo.rules import actions
from game_demo.rules.leftovers import places_to_try
from game_demo.rules.lessons import LESSONS
from game_demo.rules.locks import break_lock
from game_demo.rules.work import deal, options_at, refusals_at
from game_demo.screens.dialogs import AskDirection
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.works import Works, options_around
from game_demo.state.body import BodyPart
from game_demo.state.components import Appearance, Charger, Footprint, Hidden, ItemEffect, Stack, Trap
from game_demo.state.fixtures import Lid
from game_demo.state.game import Game
from game_demo.state.geometry import NEIGHBOURS
from game_demo.state.tiles import SPENT, figure_of

if TYPE_CHECKING:
    from workshops import Begin

    from game_demo.screens.game_screens import PlayScreen
    from game_demo.state.game import Game

__all__ = ["cellar", "guardroom", "hall", "storehouse", "workshop"]

EAST = (0, 1)


def carry_trap(play: PlayScreen) -> Game:
    """Disarm the trap to the east and take it along, standing on its cell afterwards."""
    game = play.game
    game.rng = type("Luck", (), {"random": staticmethod(lambda: 0.0)})()
    deal(game, EAST, "disarm")
    after(play, "l", "g")
    return game


def collect(game: Game, steps: int) -> Game:
    """Go right, and take what lies after each step."""
    for _ in range(steps):
        walk(game, "l")
        actions.pick_up(game)
    return game


@pytest.mark.parametrize(("locked", "name"), [("X", "strongbox"), ("L", "door")])
def test_the_work_menu_offers_to_unlock_with_a_carried_key(workshop: Begin, locked: str, name: str) -> None:
    game = workshop(f"######\n#<k{locked}.#\n######").game
    walk(game, "l")
    assert [way.name for way in options_at(game, (1, 3))] == ["force"]
    actions.pick_up(game)
    first, second = options_at(game, (1, 3))
    assert (str(first), second.name) == (f"Unlock the {name} with the till key", "force")
    deal(game, EAST, "unlock")
    assert f"You unlock the {name}; the till key stays in the lock." in said(game)
    assert options_at(game, (1, 3)) == []


def test_a_lever_of_a_lock_that_was_forced_says_that_it_is_unlocked_already(workshop: Begin) -> None:
    game = workshop("#####\n#<I.#\n#G..#\n#####").game
    break_lock(game, (2, 1))
    walk(game, "l")
    assert said(game)[-3] == "Lever, opens a door (unlocked)."
    assert said(game)[-1] == "The lever moves, but what it opens is unlocked already."
    turn = game.log.turn
    walk(game, "l")
    assert game.log.turn == turn, "it can be pulled once"


def test_an_empty_charger_is_shown_dim(workshop: Begin) -> None:
    game = workshop("####\n#<U#\n####").game
    ((cradle, charger),) = esper.get_component(Charger)
    look = esper.component_for_entity(cradle, Appearance)
    for left, colour in ((2, look.fg), (1, look.fg), (0, SPENT)):
        assert (charger.left, figure_of(cradle, look)) == (left, ("U", colour))
        game.body.charge = 0
        walk(game, "l")


def test_the_lesson_about_a_long_terminal_names_its_nearest_cell(workshop: Begin) -> None:
    game = workshop("########\n#<.....#\n#...D..#\n########").game
    desk = game.map.blockers[2, 4]
    esper.add_component(desk, Footprint(((2, 4), (2, 3), (2, 2)), ("&", "&", "&")))
    game.map.blockers |= {(2, 3): desk, (2, 2): desk}
    assert (
        LESSONS["terminal"].told(game) == "The asking desk to the southeast is a terminal: press w beside it."
    )


def test_the_description_of_a_lever_names_what_it_opens(workshop: Begin) -> None:
    game = workshop("#####\n#<I.#\n#G..#\n#####").game
    walk(game, "l")
    assert said(game)[-1] == "Somewhere to the south a lock springs open."


def test_a_lock_with_a_carried_key_gives_no_refusal_about_force(workshop: Begin) -> None:
    game = workshop("#####\n#<kX#\n#####").game
    walk(game, "l")
    game.health.hp = 1
    assert len(refusals_at(game, (1, 3))) == 1
    actions.pick_up(game)
    assert refusals_at(game, (1, 3)) == []


def test_walking_into_a_lid_that_opens_by_hand_opens_it(workshop: Begin) -> None:
    game = workshop("#####\n#<A.#\n#####").game
    walk(game, "l")
    assert said(game)[-2:] == ["Locker, ajar. Somebody's.", "In the locker: a tin. (g takes it)"]
    assert (game.log.turn, esper.get_component(Lid)) == (1, [])
    walk(game, "l")
    assert (said(game)[-1], game.log.turn) == ("Locker, open. Somebody's.", 1)


def test_walking_into_a_lid_that_needs_a_tool_does_not_open_it(workshop: Begin) -> None:
    game = workshop("#####\n#<Q.#\n#####").game
    walk(game, "l")
    assert said(game)[-2:] == ["Locker. Somebody's.", "(press w to list what you can do with it)"]
    assert len(esper.get_component(Lid)) == 1


def test_laying_a_trap_is_one_option_that_asks_for_the_direction(workshop: Begin) -> None:
    play = workshop("#####\n#...#\n#<p.#\n#.A.#\n#####")
    game = carry_trap(play)
    asked = after(play, "w")
    rows = [row.split("│")[1].strip() for row in shot(asked).splitlines() if row.count("│") == 2]
    assert [row for row in rows if "Lay" in row] == [
        "l  Lay the disarmed loose plate, which does 2 damage (3 turns)"
    ]
    assert rows[:3] == [
        "South", "o  Open the locker", "Northwest, north, northeast, east, southwest or southeast",
    ]  # fmt: skip
    where = after(asked, "l")
    assert "Lay the disarmed loose plate, which does 2 damage. Where?" in shot(where)
    assert after(where, "l") is play
    assert game.map.armed_trap_at((2, 3)) is not None
    assert game.player.inventory == []


def test_laying_a_trap_does_not_ask_if_only_one_cell_is_free(workshop: Begin) -> None:
    play = workshop("#####\n#<.p#\n#####")
    walk(play.game, "l")
    game = carry_trap(play)
    text = shot(after(play, "w"))
    assert "West" in text
    assert "l or Enter does it" in text
    assert after(play, "w", "enter") is play
    assert game.map.armed_trap_at((1, 2)) is not None


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_the_question_for_a_direction_hides_nothing_beside_the_player(
    workshop: Begin, size: tuple[int, int]
) -> None:
    play = workshop("######\n#.+..#\n##<###\n##+###\n##..##\n######")
    rows = shot(AskDirection(play, "Close which door?", lambda _: None), size).splitlines()
    (asked,) = (number for number, row in enumerate(rows) if "Close which door?  a direction, or Esc" in row)
    (player,) = (number for number, row in enumerate(rows) if "@" in row)
    assert 1 < abs(asked - player) < size[1] // 2
    assert asked > 0


def test_a_lever_tells_what_it_opens_when_it_was_pulled(workshop: Begin) -> None:
    game = workshop("#########\n#<I.G.G.#\n#########").game
    assert describe_cell(game, (1, 2))[0] == "Lever"
    walk(game, "l")
    assert describe_cell(game, (1, 2))[0] == "Lever, opens two doors (unlocked)"


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_a_sprung_trap_has_its_own_glyph_and_description(workshop: Begin, size: tuple[int, int]) -> None:
    play = workshop("######\n#<pp.#\n######")
    assert "^ loose plate x2" in shot(play, size)
    walk(play.game, "lh")
    text = shot(play, size)
    assert "@_^" in text
    assert "^ loose plate" in text
    assert "_ loose plate, sprung" in text
    assert describe_cell(play.game, (1, 2))[0] == "Loose plate, sprung"


def test_the_overview_does_not_mark_sprung_traps(workshop: Begin) -> None:
    play = workshop("####\n#<p#\n####")
    assert "^" in "".join(shot(after(play, "M")).splitlines()[1:-1])
    walk(play.game, "lh")
    assert "^" not in "".join(shot(after(play, "M")).splitlines()[1:-1])


def test_the_odds_name_the_fitted_part_that_helps(workshop: Begin) -> None:
    game = workshop("######\n#<p..#\n######").game
    (way,) = options_at(game, (1, 2))
    assert "(55%, else it springs, 4 turns)" in str(way)
    rods = Appearance("/", (0, 0, 0), "tapping rods")
    game.body.fitted["head"] = Stack("rods", rods, ItemEffect(part=BodyPart(slot="head", keen=True)))
    game.refit()
    (way,) = options_at(game, (1, 2))
    assert "(85% with your tapping rods, else it springs, 4 turns)" in str(way)


def test_a_terminal_is_described_from_afar(workshop: Begin) -> None:
    game = workshop("######\n#<..D#\n######").game
    assert describe_cell(game, (1, 4))[0] == (
        "Asking desk, a terminal: press w to ask it, and it may print a plan or shut down a robot"
    )


def test_a_large_thing_is_listed_once_in_the_work_menu(workshop: Begin) -> None:
    game = workshop("######\n#<D..#\n#....#\n######").game
    game.map.blockers[2, 2] = game.map.blockers[1, 2]
    assert len(options_around(game)) == 1


def test_the_work_menu_shows_the_odds_with_a_part_from_the_pack(workshop: Begin) -> None:
    game = workshop("######\n#<k..#\n#L####\n#....#\n######").game
    walk(game, "j")
    bar = Stack(
        "bar", Appearance("/", (0, 0, 0), "pry bar"), ItemEffect(part=BodyPart(slot="arm", pries=True))
    )
    (way,) = options_at(game, (2, 1))
    assert str(way) == "Force the door (33%, else it holds, 2 hit points, heard 10 steps away, 3 turns)"
    game.player.inventory.append(bar)
    (way,) = options_at(game, (2, 1))
    assert "(33%, 63% if you fit the pry bar, else it holds," in str(way)
    game.body.charge = 0
    game.refit()
    (way,) = options_at(game, (2, 1))
    assert "if you fit" not in str(way), "no part works without charge"


def test_digging_is_listed_after_work_on_things(workshop: Begin) -> None:
    play = workshop("########\n#......#\n#<.....#\n#A.....#\n########")
    play.game.body.fitted["left arm"] = Stack(
        "pick", Appearance("/", (0, 0, 0), "pick"), ItemEffect(part=BodyPart(slot="arm", digs=True))
    )
    play.game.refit()
    play.game.map.move(play.game.hero, (1, 1))
    walk(play.game, "j")
    works = Works(play, play.game, partial(deal, play.game), options_around(play.game))
    names = [choice.way.name for choice in works.choices.values()]
    assert names[0] == "open"
    assert set(names[1:]) <= {"dig"}


def test_a_terminal_without_an_offer_says_so(workshop: Begin) -> None:
    play = workshop("#######\n#<.F..#\n#######")
    walk(play.game, "l")
    after(play, "w")
    assert said(play.game)[-1] == "The lock frame can do nothing for you: there is no lock to open."
    assert (1, 3) not in places_to_try(play.game)
    assert "a terminal that can do nothing for you now" in " ".join(describe_cell(play.game, (1, 3)))


@pytest.mark.parametrize(("mark", "name"), [("I", "lever"), ("U", "cradle")])
def test_the_work_key_beside_a_walked_into_thing_says_so(workshop: Begin, mark: str, name: str) -> None:
    play = workshop(f"######\n#<.{mark}.#\n#..{mark}.#\n######")
    walk(play.game, "l")
    after(play, "w")
    assert said(play.game)[-1] == f"Walk into the {name} to use it."


def test_the_work_key_beside_a_wreck_says_that_it_is_empty(storehouse: Begin) -> None:
    play = storehouse("######\n#<s..#\n######")
    nothing = "There is nothing next to you to work on"
    walk(play.game, "L")
    after(play, "w")
    assert said(play.game)[-1] == f"{nothing}. A wreck is empty: what the robot carried has fallen out."
    walk(play.game, "lll")
    after(play, "w")
    assert said(play.game)[-1] == f"{nothing}."


def test_the_option_to_disarm_says_what_it_is_good_for(storehouse: Begin) -> None:
    play = storehouse("####\n#<v#\n####")
    text = " ".join(shot(after(play, "w")).replace("│", " ").split())
    assert (
        "Disarm the vent, so that you can take it and lay it elsewhere (55%, else it springs, 4 turns)"
        in text
    )


def test_the_work_key_names_the_tool_for_lids_that_do_not_open_by_hand(storehouse: Begin) -> None:
    play = storehouse("#####\n#<C##\n#Q.##\n#####")
    game = play.game
    after(play, "w")
    assert said(game)[-1] == (
        "The crate to the east and the locker to the south do not open by hand: fit a pry bar or the like."
    )
    y, x = game.player_cell
    assert len(refusals_at(game, *((y + down, x + right) for down, right in NEIGHBOURS))) == 1


def test_a_terminal_says_where_the_traps_are(storehouse: Begin) -> None:
    game = storehouse("#########\n#<T.....#\n##.....p#\n####p####\n#########").game
    game.rng = type("Luck", (), {"random": staticmethod(lambda: 0.0)})()
    deal(game, EAST, "traps")
    assert (
        said(game)[-1]
        == "The terminal marks two plates on your map, the nearest 3 cells to the southeast. (M shows it)"
    )
    assert not [trap for trap, _ in esper.get_components(Trap, Hidden)]


def test_a_search_beside_a_known_trap_finds_nothing_more(storehouse: Begin) -> None:
    game = storehouse("####\n#<p#\n####").game
    actions.search(game)
    actions.search(game)
    assert said(game)[-2:] == ["You find a plate!", "You search: nothing more is hidden beside you."]


def test_the_work_menu_names_directions_and_enter_takes_the_only_option(storehouse: Begin) -> None:
    play = storehouse("#####\n#<A##\n#####")
    asked = after(play, "w")
    assert isinstance(asked, Works)
    text = shot(asked)
    assert "East" in text
    assert "o or Enter does it" in text
    assert after(asked, "enter") is play
    assert any(each.endswith(" is empty.") for each in said(play.game))


def test_enter_does_nothing_if_the_work_menu_has_several_options(storehouse: Begin) -> None:
    play = storehouse("#####\n#<A##\n#v.##\n#####")
    asked = after(play, "w")
    assert after(asked, "enter") is asked
    assert play.game.log.turn == 0


@pytest.mark.parametrize(
    ("trap", "sprung", "seen"),
    [
        ("n", "You set off a needle, which hits you for 5!", "Needle, hits for 5"),
        (
            "s",
            "You set off a shaker, which hits you for 1 and drains 60 charge! It shakes you.",
            "Shaker, hits for 1, drains 60 charge, makes a noise heard 9 steps away",
        ),
        ("b", "You set off a bell! It rings.", "Bell, does no harm"),
        (
            "x",
            "You set off a needle! The trap clicks, but nothing happens.",
            "Needle, hits for 5, a prototype, which may fail",
        ),
    ],
)
def test_a_trap_tells_its_damage_before_and_after(
    guardroom: Begin, trap: str, sprung: str, seen: str
) -> None:
    game = guardroom(f"<{trap}.").game
    assert describe_cell(game, (1, 2))[0] == seen
    walk(game, "l")
    assert sprung in said(game)
    assert ("No robot takes notice of the noise." in said(game)) == ("noise" in seen)
    assert ", sprung" in describe_cell(game, (1, 2))[1]


def test_a_trap_takes_no_charge_where_none_is_left(guardroom: Begin) -> None:
    game = guardroom("<s.").game
    game.body.charge = 0
    game.refit()
    walk(game, "l")
    assert "You set off a shaker, which hits you for 1! It shakes you." in said(game)


def test_a_lock_names_its_opener_but_not_its_word(guardroom: Begin) -> None:
    play = guardroom("<k.CLI")
    game = play.game
    told = [
        *describe_cell(game, (1, 4)),
        *describe_cell(game, (1, 2)),
        *describe_cell(game, (1, 6), everything=True),
    ]
    assert "Chest, shut, locked: it needs a till key; or force it (w)" in told
    assert "Till key, opens a chest" in told
    assert "Lever" in told, "what it opens is found out by pulling it"
    door = describe_cell(game, (1, 5), everything=True)[0]
    assert door.startswith("The door is locked; a lever opens it,"), "and then what is for authors"
    assert not any("pay till" in line or "back way" in line for line in told)
    collect(game, 1)
    assert describe_cell(game, (1, 4))[0] == "Chest, shut, locked: you have what opens it"
    walk(game, "ll")
    assert describe_cell(game, (1, 4))[0] == "Chest, open"


def test_closing_beside_a_bare_doorway_says_that_it_has_no_door(hall: Begin) -> None:
    play = hall("######\n#<+..#\n######")
    assert "(A bare doorway has no door to close.)" in shot(after(play, "c"))
    game = play.game
    for _ in range(2):
        actions.step(game, (0, 1))
    assert "You stand in the doorway" in shot(after(play, "c"))


def test_a_key_is_listed_while_a_lock_here_needs_it(cellar: Begin) -> None:
    play = cellar("#######\n#<k.X.#\n#######")
    walk(play.game, "l")
    actions.pick_up(play.game)
    assert "Keys for this level: key" in shot(after(play, "i"))
    walk(play.game, "ll")
    assert "You unlock the box; the key stays in the lock." in said(play.game)
    assert "Keys for this level" not in shot(after(play, "i"))
