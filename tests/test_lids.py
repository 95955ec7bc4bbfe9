"""What is shut without a lock, and what pries it open; and whether all items of the game's own content do what they say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, own_content, said, walk
from test_game_journeys import spare_the_goal
from test_works import BAD_LUCK

import dungeon
from game_demo.display.descriptions import describe_entity
from game_demo.rules import journeys
from game_demo.rules.forcing import FORCE_NOISE, HARM, PRY_NOISE, PRY_TURNS
from game_demo.rules.leftovers import describe_leftovers, leftovers
from game_demo.rules.work import deal, options_at, refusals_at
from game_demo.state.body import BodyPart
from game_demo.state.components import Appearance, ItemEffect, Mind, Stack, held_by
from game_demo.state.fixtures import Lid
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from dungeon import Content

    MakeGame = Callable[..., Game]

__all__ = ["own_content"]

OBJECTS = {
    "robots": "guard: {name: guard, glyph: g, data: {behaviour: guard, hp: 9, attack: 1, sight: 1}}",
    "items": "tin: {name: tin, glyph: '!', data: {value: 3}}",
    "props": """
        locker: {name: locker, glyph: "|", loadout: [{item: tin}], data: {lid: true}}
        crate: {name: crate, glyph: "=", loadout: [{item: tin}], data: {lid: true, text: THIS SIDE UP.}}
        table: {name: table, glyph: T}
    """,
}
LEGEND = """
    C: {prop: crate}
    A: {prop: crate, state: ajar}
    K: {prop: locker}
    L: {prop: crate, lock: till}
    T: [{prop: table}, {item: tin}]
    g: {robot: guard}
"""
EAST = (0, 1)
BESIDE = (1, 2)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on a drawn level; the player arrives at ``<``."""

    def begin(drawing: str) -> Game:
        return Game(dungeon.World(drawn_content(tmp_path, drawing, objects=OBJECTS, legend=LEGEND), 1))

    yield begin
    forget_worlds()


def bar() -> Stack:
    """Return something that pries."""
    return Stack(
        "bar",
        Appearance("/", (0, 0, 0), "bar"),
        ItemEffect(part=BodyPart(slot="arm", pries=True)),
        letter="a",
    )


def take_bar(game: Game) -> None:
    """Fit something that pries."""
    game.body.fitted["right arm"] = bar()
    game.refit()


def names_at(game: Game, y: int, x: int) -> list[str]:
    return [esper.component_for_entity(item, Appearance).name for item in game.map.items_at((y, x))]


def test_a_crate_opens_to_what_pries_which_takes_time_and_is_heard(play: MakeGame) -> None:
    game = play("########\n#<C...g#\n########")
    walk(game, "l")
    assert said(game)[-2:] == ["Crate. THIS SIDE UP.", "(press w to list what you can do with it)"]
    assert (options_at(game, BESIDE), len(refusals_at(game, BESIDE))) == ([], 1)
    assert leftovers(game) == []
    game.player.inventory.append(bar())
    assert leftovers(game) == [("crate", BESIDE, "pry open")]
    take_bar(game)
    assert leftovers(game) == [("crate", BESIDE, "pry open")]
    ((way,), crate) = options_at(game, BESIDE), game.map.blockers[BESIDE]
    assert (str(way), refusals_at(game, BESIDE)) == (
        f"Pry the crate open (heard {PRY_NOISE} steps away, {PRY_TURNS} turns)",
        [],
    )
    turn = game.log.turn
    deal(game, EAST, "pry")
    assert game.log.turn == turn + PRY_TURNS
    assert (names_at(game, 1, 1), held_by(crate)) == (["tin"], [])
    assert "In the crate: a tin. (g takes it)" in said(game)
    assert describe_entity(game, crate) == "crate, open. THIS SIDE UP."
    assert (options_at(game, BESIDE), refusals_at(game, BESIDE), leftovers(game)) == ([], [], [])
    assert any(mind.state == "searching" for _, mind in esper.get_component(Mind))


def test_exploring_leads_to_what_one_has_a_tool_for_and_opens_it_when_one_explores_on(play: MakeGame) -> None:
    game = play("""
        ############
        #<....C....#
        #.####.###.#
        #..........#
        ############
    """)
    spare_the_goal(game)
    journeys.explore(game)
    assert "crate" not in said(game)[-1], "he has no tool"
    take_bar(game)
    crate = game.map.blockers[1, 6]
    journeys.explore(game)
    assert said(game)[-1].startswith("The crate is beside you")
    assert said(game)[-1].endswith("(press w or o to pry it open, which is heard 7 steps away)")
    turn = game.log.turn
    journeys.explore(game)
    assert game.log.turn > turn + PRY_TURNS
    assert not esper.has_component(crate, Lid)
    assert [find.name for find in game.player.haul.counts] == ["tin"], "and what it held is taken"


def test_exploring_takes_haul_out_of_open_lids_and_from_props_and_goes_on(play: MakeGame) -> None:
    game = play("""
        ########
        #<..A..#
        #......#
        #..T...#
        ######.#
        #......#
        ########
    """)
    spare_the_goal(game)
    journeys.explore(game)
    assert [*game.player.haul.counts.values()] == [2]
    assert said(game)[-1].startswith("Nothing else to explore here.")


def test_what_is_to_be_done_about_several_things_is_told_once(play: MakeGame) -> None:
    game = play("########\n#<.....#\n#C.C.K.#\n########")
    take_bar(game)
    game.map.passed.update(game.map.blockers.values())
    assert describe_leftovers(game).startswith(
        "Nothing else to explore here. Left to do: pry open two crates and a locker. (press _ to list the nearest)"
    )
    assert "Nearer is" not in said(game)


def test_what_stands_ajar_opens_to_bare_hands(play: MakeGame) -> None:
    game = play("#####\n#<A.#\n#####")
    deal(game, EAST, "open")
    assert (game.log.turn, names_at(game, 1, 1), options_at(game, BESIDE)) == (1, ["tin"], [])


def test_a_bar_forces_locks_more_easily_and_at_no_harm(play: MakeGame) -> None:
    game = play("#####\n#<L.#\n#####")
    game.rng = BAD_LUCK
    (way,) = options_at(game, BESIDE)
    assert f"{HARM} hit points" in way.price
    take_bar(game)
    (barred,) = options_at(game, BESIDE)
    assert (barred.name, barred.price, barred.chance > way.chance) == (
        "force",
        f"heard {FORCE_NOISE} steps away",
        True,
    )
    hp = game.health.hp
    deal(game, EAST, "force")
    assert (game.health.hp, said(game)[-1]) == (hp, "It holds.")
    game.health.hp = 1
    assert [each.name for each in options_at(game, BESIDE)] == ["force"]


USES = (
    "repair", "charge", "frame", "power", "armour", "shoots", "speed", "noise", "sight", "lit", "keen", "digs", "hacks", "pries",
    "capacity", "drain", "value", "goal",
)  # fmt: skip
CLAIMS: Mapping[str, tuple[str, ...]] = {
    r"\bopens\b": ("pries",),
    r"\b(take|takes) you for\b": ("hacks",),
    r"\b(heard|hears|hear|rattles|squeaking|rings|hums|loudly)\b": ("noise",),
    r"\b(shines|lamp|glows)\b": ("lit",),
    r"\b(you see farther|leap to the eye|you find)\b": ("sight", "keen"),
    r"\bdrains?\b": ("drain",),
}
"""What words of a text promise -> the keywords of which one must keep it."""


def test_every_item_is_of_some_use_and_keeps_what_it_promises(own_content: Content) -> None:
    useless, broken = [], []
    for tag, item in own_content.catalog.things["item"].items():
        told, text = item.data, str(item.data["text"])
        if not any(use in told for use in USES) and not {"code", "key"} & {*item.categories}:
            useless.append(tag)
        if "slot" in told:
            broken += [
                (tag, pattern)
                for pattern, uses in CLAIMS.items()
                if re.search(pattern, text, re.IGNORECASE) and not any(use in told for use in uses)
            ]
    assert (useless, broken) == ([], [])


def test_exploring_does_not_name_the_key_for_what_it_takes_itself(play: MakeGame) -> None:
    game = play("######\n#<A..#\n######")
    spare_the_goal(game)
    journeys.explore(game)
    assert "In the crate: a tin." in said(game)
    assert game.map.items_at(game.player_cell) == []
