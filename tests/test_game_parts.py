"""Parts and supplies: fitting, faulty prototypes, charge, and the texts of the pack and the body page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import esper
from test_game import said, walk
from test_game_screens import after, shot
from workshops import cellar, guardroom, hall, storehouse, workshop

from dungeon.playtest.game import Action
from game_demo.display.descriptions import describe_cell, describe_entity
from game_demo.playing import DemoPlay
from game_demo.rules import actions
from game_demo.rules.body import LOW, changes, turns_of_charge
from game_demo.rules.lessons import LESSONS
from game_demo.screens.body import Fit
from game_demo.screens.dialogs import Confirm
from game_demo.screens.inventory import PackScreen
from game_demo.screens.look import Look
from game_demo.state.body import BARE, POWER, TURN, BodyPart, build_of
from game_demo.state.components import Charger
from game_demo.state.game import Game

if TYPE_CHECKING:
    from workshops import Begin

    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

__all__ = ["cellar", "guardroom", "hall", "storehouse", "workshop"]


def collect(game: Game, steps: int) -> Game:
    """Go right, and take what lies after each step."""
    for _ in range(steps):
        walk(game, "l")
        actions.pick_up(game)
    return game


def words(screen: Screen) -> str:
    """Return what a screen shows, with one blank between words."""
    return " ".join(shot(screen).split())


def test_changes_of_abilities_are_full_sentences() -> None:
    digger = build_of([BodyPart(slot="arm", digs=True)])
    assert changes(BARE, digger) == [("lets you dig through earth and soft walls", True)]
    assert changes(digger, BARE) == [("you can no longer dig through earth and soft walls", False)]
    shining = build_of([BodyPart(slot="head", lit=True)])
    assert changes(BARE, shining) == [("you shine, so robots see you from farther away", False)]
    assert changes(shining, BARE) == [("you no longer shine, so robots don't see you from so far away", True)]


def test_using_an_item_that_is_mostly_wasted_asks_first(workshop: Begin) -> None:
    play = workshop("#####\n#<rc#\n#####")
    game = play.game
    after(play, "l", "g", "l", "g")
    assert "a letter uses or fits an item; Tab drops, Esc or i closes" in shot(after(play, "i"))
    game.health.hp = game.health.max_hp - 4
    asked = after(play, "i", "a")
    assert "The patch kit repairs 10 hit points, but you lack only 4. Use it up? y / n" in " ".join(
        shot(asked).replace("│", " ").split()
    )
    assert "Your pack" in shot(after(asked, "n"))
    assert (len(game.player.inventory), game.health.hp) == (2, game.health.max_hp - 4)
    game.body.charge = game.body.capacity - 100 * TURN
    cell = " ".join(shot(after(play, "i", "b")).replace("│", " ").split())
    assert "The flat cell gives 250 charge, but you have room for only 100. Use it up? y / n" in cell
    after(play, "i", "a", "y")
    assert [stack.look.name for stack in game.player.inventory] == ["flat cell"]


def test_using_a_needed_item_does_not_ask(workshop: Begin) -> None:
    play = workshop("####\n#<r#\n####")
    after(play, "l", "g")
    assert isinstance(after(play, "i", "a"), PackScreen), "nothing comes of it, and so nothing is asked"
    assert said(play.game)[-1] == "You are not damaged."
    play.game.health.hp = play.game.health.max_hp - 5
    assert after(play, "i", "a") is play
    assert play.game.player.inventory == []


def test_the_pack_closes_after_fitting_and_stays_open_after_dropping_while_no_enemy_is_in_sight(
    workshop: Begin,
) -> None:
    play = workshop("########\n#<rrcu.#\n########")
    after(play, *"lglglglg")
    assert after(play, "i", "c", "1") is play
    pack = after(play, "i")
    assert "a ! patch kit x2 repairs 10" in words(pack)
    assert after(pack, "tab", "b", "a", "a", "escape") is play
    assert play.game.player.inventory == []


def test_the_pack_closes_when_something_was_used_up(workshop: Begin) -> None:
    """A letter pressed for a step would use up another one."""
    play = workshop("########\n#<rr...#\n########")
    after(play, *"lglg")
    play.game.health.hp = 1
    assert after(play, "i", "a") is play
    assert said(play.game)[-2] == "You use the patch kit: repairs 10."


def test_the_pack_closes_if_an_enemy_is_in_sight(workshop: Begin) -> None:
    play = workshop("########\n#<rr.h.#\n########")
    after(play, *"lglg")
    play.game.health.hp = 1
    assert after(play, "i", "a") is play


def test_low_charge_advice_names_a_cell_in_the_pack(workshop: Begin) -> None:
    game = workshop("#####\n#<c.#\n#####").game
    for told in ("Find a battery cell, or walk into a charging cradle.", "Use the flat cell (i)."):
        game.body.charge = round(game.body.capacity * LOW) + TURN
        walk(game, ".")
        walk(game, ".")
        assert f"Your battery is low. {told}" in said(game)
        walk(game, "l")
        actions.pick_up(game)


def test_enter_fits_a_part_where_it_is_worth_most(workshop: Begin) -> None:
    play = workshop("########\n#<uu...#\n########")
    after(play, "l", "g", "l", "g")
    first = after(play, "i", "a")
    assert "1 or Enter fits the part" in shot(first)
    after(first, "enter")
    second = after(play, "i", "a")
    assert "a number (Enter: 2) fits the part" in shot(second)
    after(second, "enter")
    assert [*play.game.body.fitted] == ["right arm", "left arm"]


def test_things_for_the_haul_show_their_worth(workshop: Begin) -> None:
    game = workshop("#####\n#<tk#\n#####").game
    assert describe_cell(game, (1, 2))[0] == "Tin, goes into your haul, worth 3"
    assert "haul" not in describe_cell(game, (1, 3))[0], "a key opens something"


def test_the_key_e_in_look_mode_opens_the_body_page_and_returns(storehouse: Begin) -> None:
    look = after(storehouse("####\n#<.#\n####"), "x")
    assert isinstance(look, Look)
    body = look.press("e")
    assert "Your body" in shot(body)
    assert body.press("escape") is look


def test_the_text_about_power_and_armour_fits_the_smallest_screen(storehouse: Begin) -> None:
    play = storehouse("####\n#<.#\n####")
    play.game.body.build = replace(play.game.body.build, power=10, armour=12)
    assert "armour reduces hits by up to 12." in shot(after(play, "e"))


def test_a_part_is_offered_for_one_arm_if_both_arms_hold_the_same(storehouse: Begin) -> None:
    play = storehouse("#####\n#<a.#\n#..a#\n#####")
    after(play, "l", "g")
    asked = after(play, "i", "a")
    assert isinstance(asked, Fit)
    text = shot(asked)
    assert "1  right arm, now nothing (the other arm would do as well)" in text
    assert "left arm" not in text
    assert "1 or Enter fits the part" in text
    assert after(asked, "enter") is play
    after(play, "n", "g")
    text = shot(after(play, "i", "a"))
    assert "2  left arm, now nothing" in text, "first where nothing has to go for it"
    assert "1  right arm, now pry bar" in text, "by the numbers of the page of the body"
    assert "either" not in text


def test_enter_fits_a_part_where_an_arm_is_chosen(storehouse: Begin) -> None:
    play = storehouse("#####\n#<au#\n#####")
    after(play, "l", "g", "l", "g", "a", "a", "1")
    asked = after(play, "a", "b")
    assert isinstance(asked, Fit)
    assert after(asked, "enter") is play
    assert len(play.game.body.fitted) == 2


def test_using_the_last_charge_of_a_cradle_for_little_asks_first(storehouse: Begin) -> None:
    play = storehouse("####\n#<U#\n####")
    game = play.game
    (charger,) = [each for _, each in esper.get_component(Charger)]
    game.body.charge = game.body.capacity - 176 * TURN
    asked = after(play, "l")
    assert isinstance(asked, Confirm)
    text = " ".join(shot(asked).replace("│", " ").split())
    assert "The cradle gives its last 300 charge, but you have room for only 176. Use it up? y / n" in text
    assert (after(asked, "n"), charger.left, game.log.turn) == (play, 1, 0)
    after(play, "l", "y")
    assert charger.left == 0
    assert after(play, "l") is play, "and nothing is asked of a spent one"


def test_charging_with_little_room_asks_first(storehouse: Begin) -> None:
    play = storehouse("####\n#<U#\n####")
    game = play.game
    (charger,) = [each for _, each in esper.get_component(Charger)]
    charger.left = 2
    game.body.charge = game.body.capacity - 3 * TURN
    asked = after(play, "l")
    text = " ".join(shot(asked).replace("│", " ").split())
    assert "The cradle gives 300 charge, but you have room for only 3. Charge now? y / n" in text
    assert (after(asked, "n"), charger.left) == (play, 2)
    game.body.charge = game.body.capacity - 199 * TURN
    assert isinstance(after(play, "l"), Confirm)
    game.body.charge = game.body.capacity - 200 * TURN
    assert after(play, "l") is play, "a third may be wasted"
    assert charger.left == 1


def test_a_faulty_part_shows_once_it_is_fitted(guardroom: Begin) -> None:
    play = guardroom("<af.")
    game = collect(play.game, 2)
    assert "blade arm, power +5, untried: it may be faulty" in words(after(play, "i"))
    actions.apply(game, 0)
    assert game.attack.power == POWER + 5
    compared = words(after(play, "i", "b"))
    assert "blade: arm, power +5, untried: it may be faulty" in compared
    after(play, "i", "b", "1")
    assert "You fit the blade as your right arm, but it is faulty: it does nothing." in said(game)
    assert game.attack.power == POWER
    assert "right arm blade (faulty: does nothing and can't be repaired)" in words(after(play, "e"))
    assert "1 right arm, now blade, faulty" in words(after(play, "i", "a"))
    assert "better: blows do up to 8 damage (now 3)" in words(after(play, "i", "a")), (
        "what does nothing is no loss"
    )
    after(play, "i", "a", "1")
    assert "blade arm, faulty: does nothing and can't be repaired" in words(after(play, "i"))


def test_how_often_prototypes_are_faulty_is_told_until_one_was_tried(guardroom: Begin) -> None:
    play = guardroom("<W..")
    assert "power +5, untried: 40% of these are faulty" in describe_entity(
        play.game, play.game.map.items_at((1, 2))[0]
    )
    collect(play.game, 1)
    after(play, "i", "a", "1")
    assert "It works." in " ".join(said(play.game))
    assert "faulty" not in words(after(play, "e"))


def test_a_prototype_that_works_is_like_others_once_it_is_fitted(guardroom: Begin) -> None:
    play = guardroom("<p.")
    game = collect(play.game, 1)
    actions.apply(game, 0)
    assert "You fit the blade as your right arm: power +5. It works." in said(game)
    assert "right arm blade (power +5)" in words(after(play, "e"))


def test_using_a_faulty_item_uses_it_up_without_effect(guardroom: Begin) -> None:
    game = collect(guardroom("<v.").game, 1)
    game.health.hp = 9
    actions.apply(game, 0)
    assert "You use the salve, but it is faulty: nothing happens." in said(game)
    assert (game.health.hp, game.player.inventory) == (9, [])


def test_a_bot_does_not_fit_a_faulty_part_again(guardroom: Begin) -> None:
    game = collect(guardroom("<f.").game, 1)
    bot = DemoPlay(game)
    assert bot.observe().strengthening
    bot.act(Action.STRENGTHEN)
    game.player.inventory.append(game.body.fitted.pop("right arm"))
    assert not DemoPlay(game).observe().strengthening


def test_the_lesson_about_repair_needs_a_repairing_item(hall: Begin) -> None:
    game = hall("#####\n#<r.#\n#####").game
    game.health.hp = game.health.max_hp // 3 - 1
    assert not LESSONS["mend"].matters(game)
    actions.step(game, (0, 1))
    actions.pick_up(game)
    assert LESSONS["mend"].matters(game)
    game.health.hp = game.health.max_hp
    assert not LESSONS["mend"].matters(game)


def test_the_fitting_dialog_shows_changes_also_for_a_faulty_prototype(cellar: Begin) -> None:
    play = cellar("######\n#<pf.#\n######")
    for _ in range(2):
        walk(play.game, "l")
        actions.pick_up(play.game)
    actions.apply(play.game, 0)
    left, right = shot(after(play, "i", "b")).split("right arm, now")
    assert "better: blows do up to 8 damage (now 5)" in right
    assert "if it is faulty:" in right
    assert "worse: blows do up to 3 damage (now 5)" in right
    assert "better: blows do up to 10 damage (now 5)" in left
    assert "worse" not in left


def test_the_warning_of_a_nearly_empty_battery_counts_what_drains_it(workshop: Begin) -> None:
    game = workshop("#####\n#<..#\n#####").game
    game.body.charge = 120 * TURN
    assert turns_of_charge(game) == 120
    game.body.build = replace(game.body.build, drain=50)
    assert turns_of_charge(game) == 80
    game.health.hp -= 1  # mending costs as much as half a turn, each turn
    assert turns_of_charge(game) == 60
