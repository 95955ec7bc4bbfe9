"""What the player of the demo carries: a pack with so many places, the keys of a level, and his haul."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import said, walk
from test_game_screens import after, beginning, shot

from game_demo.rules import actions, journeys, pack
from game_demo.rules.commands import CommandError, check, perform
from game_demo.rules.pack import INVENTORY_SIZE, LETTERS, keeping_of
from game_demo.saving.morgue import score_of, story
from game_demo.saving.recording import Header
from game_demo.screens.game_screens import Ending, PlayScreen
from game_demo.state.components import Appearance, ItemEffect, Position, Stack
from game_demo.state.digest import digest_of
from game_demo.state.log import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from game_demo.state.game import Game

    MakePlay = Callable[..., PlayScreen]

OBJECTS = {
    "items": """
        key: {name: key, glyph: "-"}
        slip: {name: slip of paper, glyph: "?"}
        spout: {name: box of spouts, glyph: "&", data: {value: 5, text: Forty.}}
        watch: {name: watch, glyph: "&", data: {value: 20}}
        dud: {name: dud, glyph: "!", data: {faulty: true, repair: 6}}
        solder: {name: stick of solder, glyph: "!", data: {repair: 6}}
        cell: {name: cell, glyph: "!", data: {charge: 5}}
        rod: {name: rod, glyph: "/", data: {slot: arm, power: 1}}
        seal: {name: seal, glyph: "*", data: {goal: true}}
    """,
    "props": "{box: {name: box, glyph: '='}, chest: {name: chest, glyph: '='}}",
}
LEGEND = """
    k: {item: key, opens: brass}
    o: {item: key, opens: tin, data: {consumed: true}}
    p: {item: slip, opens: gate, data: {code: 7}}
    r: {item: rod, opens: brass}
    B: {prop: box, lock: tin}
    C: {prop: chest, lock: brass}
    G: {terrain: locked_door, lock: gate}
    e: {item: key}
    s: {item: spout}
    w: {item: watch}
    d: {item: dud}
    m: {item: solder}
    c: {item: cell}
    g: {item: seal}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[MakePlay]:
    yield from beginning(tmp_path, OBJECTS, LEGEND)


def take(game: Game, steps: int) -> Game:
    """Go right, and take what lies after each step."""
    for _ in range(steps):
        walk(game, "l")
        if game.map.items_at(game.player_cell):
            actions.pick_up(game)
    return game


def fill_pack(game: Game) -> None:
    """Leave no place in the pack."""
    game.player.inventory += [
        Stack(letter, Appearance("!", (9, 9, 9), f"thing {number}"), ItemEffect(repair=1), letter=letter)
        for number, letter in enumerate(LETTERS)
    ]


HALL = """
    ##########
    #<{}.#
    ##########
"""


@pytest.mark.parametrize(
    ("mark", "keeping"),
    [
        *dict.fromkeys("kop", "ring").items(),
        *dict.fromkeys("esw", "haul").items(),  # a key to nothing, too
        *dict.fromkeys("mcrd", "pack").items(),
    ],
)
def test_where_a_thing_is_kept_goes_by_what_it_does(begin: MakePlay, mark: str, keeping: str) -> None:
    game = begin(HALL.format(f"{mark}.....")).game
    (item,) = game.map.items_at((1, 2))
    assert keeping_of(item) == keeping


# -- keys -----------------------------------------------------------------------------------------


def test_what_opens_locks_needs_no_place_in_the_pack(begin: MakePlay) -> None:
    play = begin(HALL.format("kkp.CG"))
    fill_pack(play.game)
    take(play.game, 3)
    assert len(play.game.player.inventory) == INVENTORY_SIZE
    assert play.game.map.ring.use("brass")
    assert play.game.map.ring.use("gate")
    assert "Keys for this level: key (opens" in shot(after(play, "i"))


def test_a_key_that_is_used_up_is_gone_from_the_ring(begin: MakePlay) -> None:
    play = begin(HALL.format("ok.B.."))
    take(play.game, 2)
    assert [key.name for key in play.game.map.ring.hung] == ["key", "key"]
    walk(play.game, "ll")
    assert said(play.game)[-2:] == ["You unlock the box; the key stays in the lock.", "The box is empty."]
    assert [key.spent_on for key in play.game.map.ring.hung] == [""]


def test_the_ring_is_that_of_the_level(begin: MakePlay) -> None:
    play = begin("######\n#<k>C#\n######", "####\n#<.#\n####")
    take(play.game, 1)
    walk(play.game, "l")
    actions.descend(play.game)
    assert "Keys for this level" not in shot(after(play, "i"))
    actions.ascend(play.game)
    assert "Keys for this level: key" in shot(after(play, "i"))


def test_what_opens_locks_and_has_a_use_is_in_the_pack_and_on_the_ring(begin: MakePlay) -> None:
    game = take(begin(HALL.format("r.....")).game, 1)
    assert [stack.tag for stack in game.player.inventory] == ["rod"]
    assert game.map.ring.use("brass")


# -- the haul -------------------------------------------------------------------------------------


def test_what_has_no_use_is_counted_by_name_and_worth(begin: MakePlay) -> None:
    play = begin(HALL.format("sswe.."))
    fill_pack(play.game)
    take(play.game, 4)
    haul = play.game.player.haul
    assert haul.counts == {("box of spouts", 5): 2, ("watch", 20): 1, ("key", 0): 1}
    assert (haul.worth, str(haul)) == (30, "4 things, worth 30")
    assert "You take the box of spouts, worth 5. Forty." in said(play.game)
    del play.game.player.inventory[3:]
    text = shot(after(play, "i"))
    assert "Haul: 4 things, worth 30; it buys nothing and only ranks your game" in text
    assert text.index("watch, worth 20") < text.index("box of spouts x2, worth 5 each")


def test_an_item_keeps_its_letter_while_it_is_carried(begin: MakePlay) -> None:
    play = begin(HALL.format("mcrm.."))
    take(play.game, 3)
    actions.drop(play.game, 0)
    text = shot(after(play, "i"))
    assert "a ! " not in text
    assert "b ! cell" in text
    assert "c / rod" in text
    take(play.game, 1)
    text = shot(after(play, "d"))
    assert text.index("a ! stick of solder") < text.index("b ! cell"), "the first free letter, and in order"
    after(play, "d", "b")
    assert [stack.tag for stack in play.game.player.inventory] == ["rod", "solder"]
    after(play, "i", "c", "1")
    after(play, "e", "1")
    assert "c / rod" in shot(after(play, "i")), "also after it was fitted"


def test_exploring_takes_what_is_put_by_though_the_pack_is_full(begin: MakePlay) -> None:
    game = begin(HALL.format("s.k.w.")).game
    fill_pack(game)
    for _ in range(2):  # the key is worth a stop
        journeys.explore(game)
    assert (game.player.haul.worth, len(game.map.ring.hung)) == (25, 1)


def test_a_haul_is_told_at_the_end_and_counts(begin: MakePlay) -> None:
    play = begin(HALL.format("swg..."))
    take(play.game, 3)
    assert play.game.ending == "victory"
    assert "haul: 2 things, worth 25" in shot(Ending(play))
    header = Header(seed=1, start=None, content="", code="", version="1", began="2026")
    told = story(play.game, header, Path("it.game"))
    assert "Haul, worth 25\n  watch, worth 20\n  box of spouts, worth 5" in told
    assert score_of(play.game, header, "it").worth == 25


# -- a full pack ----------------------------------------------------------------------------------


def test_what_has_no_room_keeps_nothing_else_from_being_taken(begin: MakePlay) -> None:
    game = begin(HALL.format("msk...")).game
    fill_pack(game)
    for cell in ((1, 3), (1, 4)):  # all on one heap, what has no room first
        (item,) = game.map.items_at(cell)
        game.map.lying[cell].remove(item)
        game.map.lay(item, [(1, 2)])
        esper.component_for_entity(item, Position).x = 2
    take(game, 1)
    assert len(game.map.items_at((1, 2))) == 1
    assert (game.player.haul.worth, len(game.map.ring.hung)) == (5, 1)
    assert said(game)[-1] == "Your pack is full. (d drops something)"


def test_a_thing_is_dropped_and_its_place_is_free(begin: MakePlay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "INVENTORY_SIZE", 1)
    play = begin(HALL.format("mm.c.."))
    game = take(play.game, 2)
    turn = game.log.turn
    screen = after(play, "d")
    assert "Drop what?" in shot(screen)
    after(after(screen, "a"), "d", "a")
    assert (game.player.inventory, game.log.turn) == ([], turn + 2)
    assert said(game).count("You lay the stick of solder down.") == 2
    journeys.explore(game)  # which leaves them
    assert [stack.tag for stack in game.player.inventory] == ["cell"]
    actions.drop(game, 0)
    journeys.travel(game, (1, 3))
    actions.pick_up(game)
    assert [(stack.tag, stack.count) for stack in game.player.inventory] == [("solder", 2)]


def test_the_screen_of_the_pack_turns_to_dropping_and_back(begin: MakePlay) -> None:
    play = begin(HALL.format("m....."))
    game = take(play.game, 1)
    screen = after(play, "i", "tab")
    assert "Drop what?" in shot(screen)
    assert "Your pack" in shot(after(screen, "tab"))
    turn = game.log.turn
    screen = after(screen, "b", "l")  # there is neither, and no step is taken by mistake
    assert "Drop what?" in shot(screen)
    assert "Drop what?" not in shot(after(screen, "escape"))
    assert (len(game.player.inventory), game.log.turn) == (1, turn)
    after(play, "i", "tab", "a")
    assert game.player.inventory == []


def test_a_pack_that_is_too_long_for_the_screen_scrolls(begin: MakePlay) -> None:
    play = begin(HALL.format("ks..C."))
    fill_pack(play.game)
    take(play.game, 2)
    screen = after(play, "i")
    for _ in range(2):
        text = shot(screen)
        assert "a ! thing 0" in text
        assert "z ! thing 24" not in text
        assert "1 to 17 of 25" in text
        assert "Haul: 1 thing, worth 5" in text
        screen = after(screen, *["down"] * 30)
        text = shot(screen)
        assert "z ! thing 24" in text
        assert "a ! thing 0" not in text
        assert "Keys for this level: key" in text
        for _ in range(9):
            shot(screen)
            screen = after(screen, "up")
    after(screen, "z")
    assert "You are not damaged." in said(play.game)


# -- recordings -----------------------------------------------------------------------------------


def test_a_drop_is_recorded_and_done_again(begin: MakePlay) -> None:
    hall = HALL.format("msk.c.")
    done: list[Command] = []
    game = begin(hall).game
    game.recorder = lambda _, command: done.append(command)
    take(game, 5)
    actions.drop(game, 0)
    assert done[-1] == Command(game.log.turn, "drop", (0,))
    again = begin(hall).game
    for each in done:
        check(each)
        perform(again, each)
    assert digest_of(again) == digest_of(game)
    take(again, 1)
    assert digest_of(again) != digest_of(game)


@pytest.mark.parametrize("told", [(), (-1,), ("a",), (0, 0)])
def test_a_drop_that_nobody_can_have_ordered_is_refused(told: tuple[int | str, ...]) -> None:
    with pytest.raises(CommandError):
        check(Command(0, "drop", told))
