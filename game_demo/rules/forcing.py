"""Opening things without their key: locks are forced, lids pried open, earth and soft rock dug through.

The *opener* of a lock is what the player can open it with: a key or a known code.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.body import spend
from game_demo.rules.locks import (
    break_lock,
    can_be_forced,
    describe_lock,
    has_opener,
    is_locked,
    locked_prop_at,
    open_box,
    open_lock,
    word_at,
    work,
)
from game_demo.rules.naming import as_sentence, name_of, plural_of, terrain_name, with_article
from game_demo.rules.options import WorkOption, charge_of, noise_of, odds_of
from game_demo.rules.pack import spare_for
from game_demo.rules.senses import make_noise
from game_demo.state.body import TURN
from game_demo.state.components import Tag, cell_of
from game_demo.state.fixtures import Lid
from game_demo.state.geometry import bearing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


# -- locks -----------------------------------------------------------------------------------------

CHANCE: Final = 0.15
"""The chance to force a lock with power 0."""
CHANCE_OF_POWER: Final = 0.06
"""How much each point of power adds to that chance."""
PRIED: Final = 0.3
"""How much a fitted tool that pries adds to the chance. With it, forcing costs no hit points."""
MOST: Final = 0.9
FORCE_TURNS: Final = 3
FORCE_NOISE: Final = 10
"""How many steps away forcing is heard."""
HARM: Final = 2
"""How many hit points forcing costs without a tool, whether it works or not."""


def force_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the options for a lock at a cell: to unlock it if the player has the opener, and to force it.

    A lock that only a lever opens can't be forced. Nor can any lock if the harm would destroy the player.
    """
    if has_opener(game, cell):
        yield WorkOption(
            "unlock",
            f"Unlock the {_name_at(game, cell)}{_describe_opener(game, cell)}",
            partial(_unlock, game, cell),
        )
    what = _locked_at(game, cell)
    harm = _harm(game)
    if not what or game.health.hp <= harm:
        return
    odds = odds_of(game, "pries", CHANCE + CHANCE_OF_POWER * game.attack.power, PRIED, MOST)
    price = f"{harm} hit points, {noise_of(FORCE_NOISE)}" if harm else noise_of(FORCE_NOISE)
    act = partial(_force, game, cell, odds.chance)
    yield WorkOption("force", f"Force the {what}", act, price, odds, "it holds", FORCE_TURNS)


def force_refusal(game: Game, cell: Cell) -> str:
    """Return why the lock at a cell can't be forced now; empty if it can, if the player has the opener, or if there is no lock."""
    if has_opener(game, cell):
        return ""
    if _locked_at(game, cell):
        return (
            ""
            if game.health.hp > _harm(game)
            else "You have too few hit points to force the lock: that would destroy you."
        )
    if game.map.door_at(cell, t.LOCKED_DOOR) is None:
        return ""
    return f"{describe_lock(game, cell)}. Neither force nor a tool opens it."


def _name_at(game: Game, cell: Cell) -> str:
    """Return the name of the locked thing at a cell."""
    prop, lock = locked_prop_at(game, cell), game.map.locks.get(cell)
    return name_of(prop) if prop is not None else (lock and lock.name) or "door"


def _describe_opener(game: Game, cell: Cell) -> str:
    """Return how the player would open the lock at a cell: `` with the brass key``, `` by its code``, or empty."""
    word, ring = word_at(game, cell), game.map.ring
    if word in ring.codes:
        return " by its code"
    key = ring.key_to(word)
    return f" with the {key.name}" if key else ""


def _unlock(game: Game, cell: Cell) -> None:
    """Unlock the lock at a cell, as walking into it does."""
    prop = locked_prop_at(game, cell)
    if prop is None:
        open_lock(game, cell)
    else:
        work(game, prop)


def _harm(game: Game) -> int:
    """Return how many hit points forcing costs the player."""
    return 0 if game.body.build.pries else HARM


def _locked_at(game: Game, cell: Cell) -> str:
    """Return the name of what can be forced at a cell; empty for nothing."""
    if game.map.door_at(cell, t.LOCKED_DOOR) is not None:
        return "door" if can_be_forced(game, cell) else ""
    prop = locked_prop_at(game, cell)
    return "" if prop is None else name_of(prop)


def _force(game: Game, cell: Cell, chance: float) -> None:
    """Try to force the lock at a cell."""
    game.health.hp -= _harm(game)
    make_noise(game, cell, FORCE_NOISE)
    if game.rng.random() >= chance:
        game.log.say("It holds.", "bad")
    else:
        break_lock(game, cell)


# -- lids ------------------------------------------------------------------------------------------

PRY: Final = "pry"
"""The name of the option that `pry_options` yields."""
PRY_TURNS: Final = 6
PRY_NOISE: Final = 7
"""How many steps away prying is heard."""
OPEN: Final = ("open", "ajar", "broken")
"""The states of a lid that opens without a tool."""


def pry_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to open the lid at a cell: by hand if it is ajar, else by prying if a tool that pries is fitted."""
    prop = lidded_at(game, cell)
    if prop is None:
        return
    if not needs_tool(prop):
        yield WorkOption("open", f"Open the {name_of(prop)}", partial(_open, game, prop))
    elif game.body.build.pries:
        act = partial(_pry, game, prop, cell)
        yield WorkOption(PRY, f"Pry the {name_of(prop)} open", act, noise_of(PRY_NOISE), turns=PRY_TURNS)


def pry_refusal(game: Game, cells: Iterable[Cell]) -> str:
    """Return which tool the shut lids at some cells need; empty if there are none, or such a tool is fitted."""
    lids = {prop: cell for cell in cells if (prop := lidded_at(game, cell)) is not None and needs_tool(prop)}
    if not lids or game.body.build.pries:
        return ""
    sides: dict[str, list[str]] = {}
    for prop, cell in lids.items():
        sides.setdefault(name_of(prop), []).append(bearing_of(game.player_cell, cell))
    named = {name if len(where) == 1 else plural_of(name): where for name, where in sides.items()}
    sides_of = {name: " and the ".join(where) for name, where in named.items()}
    them = " and ".join(f"the {name} to the {where}" for name, where in sides_of.items())
    do = "do" if len(lids) > 1 else "does"
    spare = spare_for(game, "pries")
    advice = f"fit the {spare} from your pack (i)" if spare else f"fit {describe_prying_tools(game)}"
    return f"{as_sentence(them)} {do} not open by hand: {advice}."


def describe_prying_tools(game: Game) -> str:
    """Return the name of an item of the content that pries: ``a pry bar or the like``."""
    items = game.world.content.catalog.things["item"].values()
    name = next((item.name for item in items if item.data.get("pries") is True), "")
    return f"{with_article(name)} or the like" if name else "a tool that pries"


def open_by_hand(game: Game, prop: int) -> bool:
    """Open a prop whose lid needs no tool; return whether there was such a lid."""
    if lidded_at(game, cell_of(prop)) != prop or needs_tool(prop):
        return False
    _open(game, prop)
    return True


def lidded_at(game: Game, cell: Cell) -> int | None:
    """Return the prop at a cell with an unopened lid and no lock, or None."""
    prop = game.map.blockers.get(cell)
    return prop if prop is not None and esper.has_component(prop, Lid) and not is_locked(game, prop) else None


def needs_tool(prop: int) -> bool:
    """Return whether the lid of a prop opens only to a tool that pries."""
    return esper.component_for_entity(prop, Tag).keywords.get("state") not in OPEN


def opens_to_tool_only(game: Game, cell: Cell) -> bool:
    """Return whether the prop at a cell has a shut lid that only a tool opens."""
    prop = lidded_at(game, cell)
    return prop is not None and needs_tool(prop)


def _pry(game: Game, prop: int, cell: Cell) -> None:
    _open(game, prop)
    make_noise(game, cell, PRY_NOISE)


def _open(game: Game, prop: int) -> None:
    esper.remove_component(prop, Lid)
    game.map.changed_things.append(prop)
    open_box(game, prop)


# -- earth -----------------------------------------------------------------------------------------

DIG_TURNS: Final = 8
DIG_CHARGE: Final = 12
"""How many turns' worth of charge digging costs, besides that of its turns."""
DIG_NOISE: Final = 8
"""How many steps away digging is heard."""


def dig_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to dig a diggable cell straight (not diagonally) beside the player, if a digging tool is fitted."""
    is_ahead = cell[0] == game.player_cell[0] or cell[1] == game.player_cell[1]
    if is_ahead and game.map.may_be_broken(cell) and game.body.build.digs:
        text = f"Dig through the {terrain_name(game.map, cell)}"
        yield WorkOption(
            "dig",
            text,
            lambda: _dig(game, cell),
            f"{charge_of(game, DIG_CHARGE, DIG_TURNS)}, {noise_of(DIG_NOISE)}",
            turns=DIG_TURNS,
        )


def _dig(game: Game, cell: Cell) -> None:
    spend(game, DIG_CHARGE * TURN)
    game.map.break_open(cell)
    game.log.say("You dig through.")
    make_noise(game, cell, DIG_NOISE)
