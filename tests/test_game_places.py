"""Places to go to: stairs, levels, journeys, exploring, and the list of what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import esper
import pytest
from demo import demo_content
from test_game import forget_worlds, own_content, said, walk
from test_game_journeys import spare_the_goal
from test_game_screens import after, shot
from workshops import cellar, hall, storehouse, workshop

import dungeon
from dungeon.grid.regions import components
from game_demo.display.descriptions import underfoot
from game_demo.display.overview import itinerary
from game_demo.rules import actions, journeys
from game_demo.rules.destruction import set_off
from game_demo.rules.leftovers import leftovers, places_to_try
from game_demo.rules.lessons import LESSONS
from game_demo.rules.watch import pursuers
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import GameOrigin
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.look import Look, Places
from game_demo.screens.session import Session
from game_demo.state.body import TURN, BodyPart
from game_demo.state.components import (
    Appearance,
    Footprint,
    ItemEffect,
    Stack,
)
from game_demo.state.digest import digest_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from pathlib import Path

    from workshops import Begin

    from dungeon import Content

__all__ = ["cellar", "hall", "own_content", "storehouse", "workshop"]

HALL = """
    #######
    #<....#
    #.....#
    #######
"""


def news(game: Game) -> list[str]:
    """Return what was said that was no aside."""
    return [message.text for message in game.log.messages if message.kind != "aside"]


def test_each_level_is_listed_once_and_in_order_of_depth(own_content: Content) -> None:
    game = Game(dungeon.World(own_content, 1), "goods_inwards/1")
    for map_id in ("galleries/1", "galleries/2", "cisterns/2", "galleries/1"):
        for each in game.maps.values():
            each.sight.explored[:] = True
        game.enter(map_id)
    lines, here = itinerary(game)
    told = [line for line, _ in lines if not line.startswith("  ")]
    names = [line.split(" (")[0].split(", you")[0].split(", visited")[0] for line in told]
    first, second = (game.world.level(each).name for each in ("galleries/1", "galleries/2"))
    assert names[:2] == ["Goods Inwards, depth 1", f"{first}, depth 1"]
    assert len({*names}) == len(names) > 5
    assert lines[here][0].startswith(f"{first}, depth 1 (stairs in Goods Inwards")
    text = " ".join(" ".join(line for line, _ in lines).split())
    assert f"{first}, depth 1 (stairs in Goods Inwards, depth 1), you are here" in text
    foundry = f"The Foundry, depth 3 (stairs in {second}, depth 2 and The Cisterns, depth 2), not visited"
    assert text.count("The Foundry, depth 3") == 1
    assert foundry in text
    forget_worlds()


@pytest.mark.parametrize("has_dropped_it", [True, False])
def test_taking_stairs_reports_items_on_them_except_dropped_ones(
    workshop: Begin,
    has_dropped_it: bool,  # noqa: FBT001
) -> None:
    play = workshop("######\n#<r.>#\n######", "####\n#<.#\n####")
    game = play.game
    after(play, "l", "g", "l", "l", "d", "a")
    assert game.player_cell in game.map.exits
    if not has_dropped_it:
        game.map.left.clear()
    after(play, ">")
    told = [] if has_dropped_it else ["You leave a patch kit lying there."]
    assert said(game)[-len(told) - 1 :] == [*told, "You go down to Hall 2, depth 2."]


def test_going_to_one_of_several_stairs_names_its_level(workshop: Begin) -> None:
    play = workshop("##########\n#...<...>#\n##########", "####\n#<.#\n####")
    game, (near, far) = play.game, ((1, 2), (1, 8))
    game.map.sight.explored[:] = True
    (title,) = {game.title(target) for target in game.map.exits.values()}
    after(play, "h", ">")
    assert f"You set out for the stairs to {title}, 5 steps away." in said(game)
    game.map.exits[near] = game.map.level.id
    game.map.stairs |= {near}
    here = game.title(game.map.level.id)
    walk(game, "hhhh")
    after(play, ">")
    assert (
        f"You set out for the nearest stairs, to {here}, 2 steps away. (For other stairs: x, then > and Enter)"
        in said(game)
    )
    assert game.player_cell == near
    screen = after(play, "x", ">")
    assert f"Stairs down to {title}" in shot(screen)
    after(screen, "enter")
    assert game.player_cell == far
    after(play, "<")
    assert "You set out for the stairs up, 4 steps away." in said(game)


def test_exploring_walks_long_paths_at_once_and_says_where(workshop: Begin) -> None:
    hall = f"#<{'.' * 30}t{'.' * 30}t#"
    game = workshop("\n".join(["#" * len(hall), hall, "#" * len(hall)])).game
    game.map.sight.explored[:] = True
    journeys.explore(game)
    assert "Next: 31 steps to the east, to a tin." in said(game)
    assert game.player_cell[1] > 60, "the next long way is begun, too"


def test_a_long_path_does_not_tell_of_a_nearer_lock_without_a_key(workshop: Begin) -> None:
    hall = f"#<{'.' * 30}t#"
    wall = "#" * len(hall)
    game = workshop("\n".join([wall, hall, wall.replace("##", "#X", 1), wall])).game
    game.map.sight.explored[:] = True
    assert leftovers(game), "the locked box"
    journeys.explore(game)
    assert "Next: 30 steps to the east, to look around." in said(game)
    assert game.player_cell[1] > 30


def test_exploring_stops_at_parts_and_keys(workshop: Begin) -> None:
    game = workshop("########\n#<utk.t#\n########").game
    game.map.sight.explored[:] = True
    for cell in ((1, 2), (1, 4)):
        journeys.explore(game)
        assert game.player_cell == cell


def test_a_long_path_tells_of_what_is_left_nearer(workshop: Begin) -> None:
    hall = f"#<{'.' * 30}t#"
    wall = "#" * len(hall)
    game = workshop("\n".join([wall, hall, wall.replace("##", "#I", 1), wall])).game
    game.map.sight.explored[:] = True
    game.map.passed.update(game.map.blockers.values())
    journeys.explore(game)
    told = "Left to do nearer to you: try a lever. (press _ to list all) Next: 30 steps to the east, to look around."
    assert said(game)[-1] == f"{told} (press o again to go there)"


def test_leftovers_are_listed_nearest_first(workshop: Begin) -> None:
    game = workshop("##########\n#I..<.t..#\n##########").game
    game.map.sight.explored[:] = True
    assert places_to_try(game)[:2] == [(1, 6), (1, 1)]
    walk(game, "h")
    assert places_to_try(game)[:2] == [(1, 1), (1, 6)]


def test_travelling_beside_a_lid_that_needs_a_tool_says_so(workshop: Begin) -> None:
    game = workshop("######\n#<.Q.#\n######").game
    journeys.travel(game, (1, 3))
    assert (
        said(game)[-1] == "The locker is beside you, to the east. (only a tool that pries opens its shut lid)"
    )


def test_exploring_stops_once_beside_a_lever_or_lid(workshop: Begin) -> None:
    game = workshop("#########\n#<......#\n#.....I.#\n#..D....#\n##G######").game
    ends = []
    for _ in range(4):
        journeys.explore(game)
        ends.append(said(game)[-1])
    assert [each for each in ends if "beside you" in each] == [
        "The asking desk is beside you, to the southeast. (walk into it, or w; o goes on)",
        "The lever is beside you, to the east. (walk into it; o goes on)",
    ]
    assert "You work the lever." not in said(game)
    assert "Left to do: try a lever; ask an asking desk." in ends[-1], "exploring uses neither"


def test_travelling_to_a_large_thing_ends_beside_any_of_its_cells(workshop: Begin) -> None:
    play = workshop("#########\n#<...QD.#\n#....QQ.#\n#########")
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


def test_all_places_are_shown_and_how_many_there_are(workshop: Begin) -> None:
    play = workshop(
        "#####################\n#<A.A.A.A...I.I.I...#\n#...................#\n#I..I..I..I..I..D..I#\n#####################"
    )
    play.game.map.sight.explored[:] = True
    places = places_to_try(play.game)
    look = after(play, "_", "_")
    assert f"place 1/{len(places)}, Tab next" in shot(look)
    assert f"place {len(places)}/{len(places)}, Tab next" in shot(after(look, "shift+tab"))


def test_the_list_of_places_travels_by_letter(workshop: Begin) -> None:
    play = workshop("##########\n#<.t..A.>#\n#........#\n#.I.....I#\n##########", "###\n#<#\n###")
    play.game.map.sight.explored[:] = True
    shown = [line.strip(" │") for line in shot(after(play, "_")).splitlines()]
    listed = [line for line in shown if line[1:3] == "  "]
    assert [line[:24].split() for line in listed] == [
        ["a", "2", "steps", "southeast"],
        ["d", "2", "steps", "east"],
        ["c", "5", "steps", "east"],
        ["b", "7", "steps", "east"],
        ["e", "7", "steps", "east"],
    ]
    assert [line[24:].split(",")[0].split(".")[0].strip() for line in listed][:4] == [
        "Lever",
        "Tin",
        "Locker",
        "Lever",
    ]
    asked = after(play, "_")
    assert after(asked, "z") is asked
    assert after(asked, "escape") is play
    assert after(asked, "d") is play
    assert play.game.player_cell == (1, 3)


def test_places_keep_their_letters_while_the_player_walks(workshop: Begin) -> None:
    play = workshop("##########\n#<.I..A..#\n#........#\n#.I.....I#\n##########")
    play.game.map.sight.explored[:] = True
    play.game.map.move(play.game.hero, (1, 2))
    places = Places(play, play.game).choices
    play.game.map.move(play.game.hero, (3, 7))
    assert Places(play, play.game).choices == places
    assert len(places) == 5


def test_places_seen_later_are_listed_after_those_seen_before(workshop: Begin) -> None:
    play = workshop("##########\n#<......D#\n#....I...#\n#....A...#\n#........#\n##########")
    explored = play.game.map.sight.explored
    explored[1, 8] = False
    first = Places(play, play.game).choices
    assert first == {"a": (2, 5), "b": (3, 5)}
    explored[1, 8] = True  # a desk, which would come before the others by its name
    assert Places(play, play.game).choices == {**first, "c": (1, 8)}


def test_a_long_list_of_places_scrolls(workshop: Begin) -> None:
    locked = "#" + "A." * 19 + "#"
    tins = "#<" + ".t" * 18 + ".#"
    play = workshop("\n".join(["#" * 40, tins, locked, "#" + "I." * 19 + "#", "#" * 40]))
    play.game.map.sight.explored[:] = True
    places, low = after(play, "_"), (72, 12)
    text = shot(places, low)
    assert "letter: go, Enter: nearest" in text
    first = next(iter(places.choices))
    assert f"│ {first}  " in text
    assert "arrows scroll" in text
    scrolled = after(places, *["down"] * 30)
    assert scrolled is places
    assert f"│ {first}  " not in shot(places, low)
    assert after(places, "up") is places
    assert after(places, first) is play, "letters go to places that do not show"


def test_the_list_of_places_shows_the_map_if_it_is_empty(workshop: Begin) -> None:
    play = workshop("#####\n#<..#\n#####")
    assert isinstance(after(play, "_"), Look)


def test_travelling_does_not_stop_at_stairs(workshop: Begin) -> None:
    play = workshop("##########\n#<..>...A#\n##########", "###\n#<#\n###")
    play.game.map.sight.explored[:] = True
    journeys.travel(play.game, (1, 7))
    assert play.game.player_cell == (1, 7)


def test_going_to_stairs_mentions_unused_cradles(workshop: Begin) -> None:
    play = workshop("#########\n#<...U..#\n#......>#\n#########", "####\n#<.#\n####")
    game = play.game
    game.map.sight.explored[:] = True
    (title,) = {game.title(target) for target in game.map.exits.values()}
    game.body.charge -= 299 * TURN
    journeys.go_down(game)
    assert f"You set out for the stairs to {title}, 6 steps away." in said(game)
    game.map.move(game.hero, (1, 1))
    game.body.charge -= 301 * TURN
    journeys.go_down(game)
    assert f"You set out for the stairs to {title}, 6 steps away. There is still a cradle here." in said(game)


def test_stairs_within_a_depth_are_called_on_and_back(own_content: Content) -> None:
    game = Game(dungeon.World(own_content, 1), "goods_inwards/1")
    (stairs,) = game.map.exits
    game.map.move(game.hero, stairs)
    assert underfoot(game) == f"stairs on to {game.world.level('galleries/1').name}"
    journeys.go_down(game)
    assert underfoot(game) == "stairs back to Goods Inwards"
    forget_worlds()


def test_places_include_cradles_shut_lids_and_read_signs(storehouse: Begin) -> None:
    game = storehouse("""
        ###########
        #<c.U.U.U.#
        #.n.......#
        #..Q...A..#
        ###########
    """).game
    chalk, shut, ajar = (1, 2), (3, 3), (3, 7)
    cradles = {(1, 4), (1, 6), (1, 8)}
    assert {*places_to_try(game)} == {chalk, ajar} | cradles, "but not what he has no tool for"
    assert [(each.deed, each.thing) for each in leftovers(game)] == [
        ("read", "chalk marks"),
        ("open", "locker"),
    ]
    walk(game, "l")
    assert {*places_to_try(game)} == {ajar} | cradles, "one need not go where one is"
    walk(game, "j")
    assert {*places_to_try(game)} == {chalk, ajar} | cradles, "a sign may be read again"
    game.body.fitted["left arm"] = Stack(
        "bar", Appearance("/", (0, 0, 0), "bar"), ItemEffect(part=BodyPart(slot="arm", pries=True))
    )
    game.refit()
    assert shut in places_to_try(game)


def test_exploring_walks_far_for_a_sign_but_not_for_a_stool(storehouse: Begin) -> None:
    for thing, reads in (("n", False), ("c", True)):
        hall = f"#<{'.' * 30}{thing}#"
        game = storehouse("\n".join(["#" * len(hall), hall, "#" * len(hall)])).game
        spare_the_goal(game)
        game.map.sight.explored[:] = True
        journeys.explore(game)
        assert (game.log.turn > 0) == reads


def test_exploring_announces_a_long_path_before_it_walks(storehouse: Begin) -> None:
    hall = "#<" + "." * 30 + "t#"
    game = storehouse("\n".join(["#" * len(hall), hall, "#" * len(hall)])).game
    spare_the_goal(game)
    game.map.sight.explored[:] = True
    journeys.explore(game)
    assert "Next: 31 steps to the east, to a tin." in said(game)
    assert game.player_cell == (1, 32)


def test_stairs_say_where_they_lead_and_a_fork_is_pointed_out(hall: Begin) -> None:
    play = hall(HALL.replace("....#", "..>>#", 1), HALL)
    assert "> down to Hall 2, depth 2" in shot(play)
    assert "fork" not in play.game.taught
    exits = play.game.map.exits
    exits[play.game.map.level.entrance] = "elsewhere"
    assert LESSONS["fork"].matters(play.game)


@pytest.mark.parametrize(
    ("depth", "told"),
    [
        (1, "You go down to Hall 2, depth 2."),
        (2, "You come to Hall 2, depth 2, no deeper than before."),
        (3, "You go up to Hall 2, depth 2."),
    ],
)
def test_taking_stairs_says_down_only_if_the_level_is_deeper(hall: Begin, depth: int, told: str) -> None:
    game = hall(HALL.replace("....#", "...>#", 1), HALL).game
    game.map.move(game.hero, next(iter(game.map.exits)))
    game.map.level = replace(game.map.level, depth=depth)
    actions.descend(game)
    assert said(game)[-1] == told


def test_the_first_useful_thing_of_a_kind_ends_a_journey(cellar: Begin) -> None:
    game = cellar("""
        ##############
        #<...........#
        ############.#
        #ll..........#
        ############.#
        #####....r.r.#
        ##############
    """).game
    spare_the_goal(game)
    ends = []
    for _ in range(4):
        journeys.explore(game)
        ends.append(said(game)[-1].partition(".")[0])
    assert ends == [
        "You see a lever",
        "You take the patch (i applies it: repairs 6)",
        "The lever is beside you, to the west",
        "Nothing else to explore here",
    ]
    assert [stack.count for stack in game.player.inventory] == [2], "a second one was no news"


def test_a_resumed_game_knows_the_names_seen_before(cellar: Begin, tmp_path: Path) -> None:
    content = cellar("##########\n#<......l#\n########.#\n#p.....h.#\n##########").session.content
    keeper = Keeper(GameOrigin("content", "code", "1.0"), SaveFolder(tmp_path / "saves"))
    session = Session(content, 1, keeper=keeper)
    after(PlayScreen(session), "l", "o", "o", "o")
    keeper.leave(session.game)
    again = Session(content, 1, keeper=keeper)
    assert again.go_on(keeper.saved()[0])
    assert {"a hound"} <= again.game.read
    assert digest_of(again.game) == digest_of(session.game)
    keeper.close()


def test_a_journey_does_not_repeat_texts_read_before(cellar: Begin) -> None:
    game = cellar("########\n#<.t...#\n########").game
    walk(game, "llll")
    assert said(game).count("Chalk. Go on.") == 1
    journeys.travel(game, (1, 1))
    journeys.run(game, (0, 1))
    assert game.player_cell == (1, 6)
    assert said(game).count("Chalk. Go on.") == 1
    walk(game, "hhh")
    last = game.log.messages[-1]
    assert (last.text, last.kind) == ("Chalk. Go on.", "aside"), "whoever steps there means to read it"


def test_exploring_visits_all_signs_before_it_leaves() -> None:
    content = demo_content()
    for seed in range(4):
        game = Session(content, seed).game
        begun = -1
        while begun < game.log.turn and not pursuers(game):
            begun = game.log.turn
            journeys.explore(game)
            journeys.explore(game)  # after the question before it leaves a choice
        read = [
            text.split(".")[1].split(",")[0].strip() for text in said(game) if text.startswith("Chalk marks.")
        ]
        assert read == ["REPAIR UNITS", *(f"STATION {number}" for number in (1, 2, 3, 4))], seed
    forget_worlds()


def test_things_off_the_smallest_screen_are_announced_with_their_direction(cellar: Begin) -> None:
    game = cellar("\n".join(["#####", "#<..#", *["###.#"] * 14, "###h#", "#####"])).game
    journeys.explore(game)
    assert "You see a hound far to the south." in said(game)


def test_exploring_mentions_known_stairs_when_nothing_is_left(cellar: Begin) -> None:
    game = cellar("######\n#<..>#\n######", "###\n#<#\n###").game
    for _ in range(4):
        journeys.explore(game)
    assert said(game)[-1].startswith(
        "Nothing else to explore here. Press > to go to stairs that lead onward."
    )


@pytest.mark.parametrize("seed", [653042, 15, 39, 76])
def test_the_oil_of_the_stocktaking_opens_the_vault_behind_it(seed: int) -> None:
    """The games begin in the cellar, the racks, the wing and the shed."""
    game = Game(dungeon.World(demo_content(), seed))
    (vault,) = (each for each in game.map.level.placements if each.prefab == "stocktaking")
    number = game.map.level.placements.index(vault)
    spawns = [each for each in game.map.level.spawns if each.placement == number]
    (oil,) = ((each.y, each.x) for each in spawns if each.name == "barrel")
    prizes = [(each.y, each.x) for each in spawns if each.like == "item"]
    assert len(prizes) == 2
    set_off(game, game.map.blockers[oil])
    for _ in range(8):
        actions.wait(game)
    parts, _ = components(game.map.walkable)
    assert {int(parts[cell]) for cell in prizes} == {int(parts[oil])}
    forget_worlds()
