"""What newcomers stumbled over in their first ten minutes of the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said, walk

from game_demo.rules import actions
from game_demo.rules.works.ways import deal, refusals_at, ways_at
from game_demo.screens.game_screens import Play
from game_demo.screens.session import Session
from game_demo.state.things.fixtures import Lid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Begin = Callable[..., Play]

EAST = (0, 1)
OBJECTS = {
    "robots": "idler: {name: idler, glyph: i, data: {behaviour: idle, hp: 9}}",
    "items": """
        key: {name: till key, glyph: "-"}
        tin: {name: tin, glyph: "!", data: {value: 3}}
    """,
    "traps": """
        plate: {name: loose plate, glyph: ^, data: {damage: 2, hidden: false}}
    """,
    "props": """
        box: {name: strongbox, glyph: "=", loadout: [{item: tin}]}
        locker: {name: locker, glyph: "|", loadout: [{item: tin}], data: {lid: true, text: Somebody's.}}
        lever: {name: lever, glyph: "("}
    """,
}
LEGEND = """
    i: {robot: idler}
    k: {item: key, opens: till}
    t: {item: tin}
    p: {trap: plate}
    X: {prop: box, state: shut, lock: till}
    A: {prop: locker, state: ajar}
    Q: {prop: locker}
    L: {terrain: locked_door, lock: till}
    G: {terrain: locked_door, lock: gate}
    I: {prop: lever, opens: gate}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""

    def make(*drawings: str) -> Play:
        return Play(Session(drawn_content(tmp_path, *drawings, objects=OBJECTS, legend=LEGEND), 1))

    yield make
    forget_worlds()


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
