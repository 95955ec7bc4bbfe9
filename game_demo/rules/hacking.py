"""Terminals, which do something for the player or raise the alarm, and allies: robots that are tapped, freed, and mended.

The *offers* of a terminal are the kinds of things that it may do for the player, such as ``map``: each can be asked for with
the key `w`, and is granted with a chance.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from game_demo.rules.body import spend
from game_demo.rules.hearing import alarmed
from game_demo.rules.locks import open_from_afar, shut_ways
from game_demo.rules.moods import hear, is_ally, is_captive, is_dangerous, provoke, turn_to, win_over
from game_demo.rules.naming import effect_of, listed, name_of, pluralized
from game_demo.rules.options import WorkOdds, WorkOption, charge_of, noise_of, odds_of
from game_demo.rules.pack import use_up
from game_demo.rules.senses import make_noise, tell_who_comes
from game_demo.rules.traps import reveal
from game_demo.state.body import TURN
from game_demo.state.components import (
    Attack,
    Energy,
    EntityText,
    Health,
    Hidden,
    Mind,
    Robot,
    Tag,
    Trap,
    cell_of,
)
from game_demo.state.fixtures import Captive, Terminal
from game_demo.state.geometry import area_around, bearing_of, distance
from game_demo.state.minds import OUT_OF_IT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from game_demo.state.body import Stack
    from game_demo.state.fixtures import Offer
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


# -- terminals -------------------------------------------------------------------------------------

CHANCES: Final[dict[Offer, float]] = {"map": 0.7, "traps": 0.7, "locks": 0.4, "guards": 0.45, "turn": 0.3}
"""Offer -> the chance that a terminal grants it to bare hands."""
GIFTS: Final[dict[Offer, str]] = {
    "map": "print a plan",
    "traps": "mark traps",
    "locks": "open a lock",
    "guards": "shut down a robot",
    "turn": "make a robot fight for you",
}
"""Offer -> the words for it when the player looks at a terminal."""
LACKING: Final[dict[Offer, str]] = {
    "map": "no map",
    "traps": "no hidden trap near the terminal",
    "locks": "no lock to open",
    "guards": "no robot near the terminal to shut down",
    "turn": "no robot to win over that could walk to the terminal",
}
"""Offer -> the words for it when a terminal has nothing of that kind."""
TAPPED: Final = 0.3
"""How much a fitted part that hacks adds to the chance."""
TALK_TURNS: Final = 3
TALK_CHARGE: Final = 20
"""How many turns' worth of charge asking costs, besides that of its turns."""
ALARM_REACH: Final = 15
"""How many cells away a terminal's alarm is heard, through walls and by sleeping robots, too."""
REACH: Final = 24
"""A terminal shows, shuts down or wins over only what is within this many cells of it."""


def terminal_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield a work option for each offer of the terminal at a cell, without those that would do nothing now."""
    entity = game.map.blockers.get(cell)
    terminal = None if entity is None else esper.try_component(entity, Terminal)
    if entity is None or terminal is None:
        return
    for offer in terminal.offers:
        found = FINDERS[offer](game, cell)
        if found is not None:
            text, _ = found
            odds = odds_of(game, "hacks", CHANCES[offer], TAPPED)
            act = partial(_talk, game, entity, offer, odds.chance)
            yield WorkOption(
                offer,
                f"Ask the {name_of(entity)} {text}",
                act,
                charge_of(game, TALK_CHARGE, TALK_TURNS),
                odds,
                f"it rings an alarm heard {ALARM_REACH} cells away, and answers no more",
                TALK_TURNS,
            )


def terminal_refusal(game: Game, cell: Cell) -> str:
    """Return why the terminal at a cell can do nothing for the player.

    The text is empty if the terminal can do something, if it has rung the alarm, and if there is no terminal.
    """
    entity = game.map.blockers.get(cell)
    terminal = None if entity is None else esper.try_component(entity, Terminal)
    if entity is None or terminal is None or not terminal.offers or has_anything(game, entity):
        return ""
    reasons = " and ".join(LACKING[each] for each in terminal.offers)
    return f"The {name_of(entity)} can do nothing for you: there is {reasons}."


def has_anything(game: Game, terminal: int) -> bool:
    """Return whether any offer of a terminal would do something now."""
    offers = esper.component_for_entity(terminal, Terminal).offers
    return any(FINDERS[offer](game, cell_of(terminal)) is not None for offer in offers)


def _talk(game: Game, entity: int, offer: Offer, chance: float) -> None:
    """Ask a terminal for an offer: grant it with a chance, else ring the alarm and lose all offers.

    What it is granted for is looked up only now, because asking takes turns: a robot may be gone since then.
    """
    terminal = esper.component_for_entity(entity, Terminal)
    found = FINDERS[offer](game, cell_of(entity))
    spend(game, TALK_CHARGE * TURN)
    if game.rng.random() < chance and found is not None:
        terminal.offers.remove(offer)
        found[1]()
    else:
        terminal.offers.clear()
        game.last_alarm = game.log.turn
        game.log.say(f"The {name_of(entity)} rings an alarm, and answers no more.", "bad")
        coming = alarmed(cell_of(entity), ALARM_REACH)
        for robot in coming:
            hear(game, robot, cell_of(entity))
        tell_who_comes(game, len(coming))


Found = tuple[str, "Callable[[], None]"]
"""The end of the sentence ``Ask the terminal ...``, and the function that grants the offer."""


def _map(game: Game, cell: Cell) -> Found:
    """Return the words and the function for the offer to show the map around a terminal."""
    return f"for a map of everything within {REACH} cells", partial(_show_map, game, cell)


def _show_map(game: Game, cell: Cell) -> None:
    part = np.zeros(game.map.codes.shape, dtype=np.bool_)
    area = area_around(cell, REACH, part.shape)
    open_ground = game.map.walkable | game.map.transparent
    ys, xs = np.nonzero(open_ground[area.slices])
    for y, x in zip((ys + area.top).tolist(), (xs + area.left).tolist(), strict=True):
        part[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = True
    game.learn(part)
    game.log.say("The terminal prints a map of everything around it.", "good")


def _traps(game: Game, cell: Cell) -> Found | None:
    """Return the words and the function for the offer to mark the hidden traps near a terminal; None if there are no traps."""
    hidden = [cell_of(trap) for trap, _ in esper.get_components(Trap, Hidden)]
    near = [each for each in hidden if distance(each, cell) <= REACH]
    return ("where the traps are", partial(_show_traps, game, near)) if near else None


def _show_traps(game: Game, cells: list[Cell]) -> None:
    part = np.zeros(game.map.codes.shape, dtype=np.bool_)
    for cell in cells:
        part[cell] = True
    names = listed(name_of(game.map.traps[cell]) for cell in cells)
    nearest = min(cells, key=lambda cell: (distance(cell, game.player_cell), cell))
    steps, side = distance(nearest, game.player_cell), bearing_of(game.player_cell, nearest)
    where = f"{pluralized(steps, 'cell')} to the {side}"
    if len(cells) > 1:
        where = f"the nearest {where}"
    for cell in cells:
        reveal(game, cell, told=False)
    game.learn(part)
    game.log.say(f"The terminal marks {names} on your map, {where}. (M shows it)", "find")


def _locks(game: Game, cell: Cell) -> Found | None:
    """Return the words and the function for the offer to open the nearest locked door or portal; None if all are open."""
    shut = shut_ways(game)
    if not shut:
        return None
    nearest = min(shut, key=lambda each: (distance(each, cell), each))
    name = game.map.locks[nearest].name or "locked door"
    return f"to open the {name}", partial(open_from_afar, game, nearest)


def _guards(game: Game, cell: Cell) -> Found | None:
    """Return the words and the function for the offer to shut down the nearest fighting robot; None if none is near."""
    if (robot := next(iter(_fighters_near(cell)), None)) is None:
        return None
    return f"to shut down {_describe_fighter(robot, cell)}", partial(_shut_down, game, robot)


def _shut_down(game: Game, robot: int) -> None:
    turn_to(game, robot, "off")
    cell = cell_of(robot)
    if not game.map.sight.visible[cell]:  # else he has read it already
        game.log.say(
            f"Somewhere to the {bearing_of(game.player_cell, cell)} the {name_of(robot)} shuts down.", "good"
        )


def _turn(game: Game, cell: Cell) -> Found | None:
    """Return the words and the function for the offer to make a fighting robot change sides: the nearest that can walk to the terminal."""
    robot = next((each for each in _fighters_near(cell) if _can_walk_to(game, each, cell)), None)
    if robot is None:
        return None
    text = f"to make {_describe_fighter(robot, cell)} change sides and fight for you on this level"
    return text, partial(win_over, game, robot)


def _describe_fighter(robot: int, cell: Cell) -> str:
    """Return a robot's name with its hit points, its damage and its distance from the terminal."""
    hp, power = esper.component_for_entity(robot, Health).hp, esper.component_for_entity(robot, Attack).power
    steps = pluralized(distance(cell_of(robot), cell), "step")
    return f"the {name_of(robot)} ({hp} hp, hits for up to {power}, {steps} away)"


def _fighters_near(cell: Cell) -> list[int]:
    """Return the fighting robots within `REACH` of a cell, nearest first, without allies and captives."""
    fighting = sorted(
        (distance(cell_of(robot), cell), robot)
        for robot, (attack, mind) in esper.get_components(Attack, Mind)
        if attack.power > 1 and mind.state != "off" and not is_ally(robot) and not is_captive(robot)
    )
    return [robot for steps, robot in fighting if steps <= REACH]


def _can_walk_to(game: Game, robot: int, cell: Cell) -> bool:
    """Return whether a robot can walk to a cell now, through the closed doors that it opens."""
    opens = esper.component_for_entity(robot, Mind).opens_doors
    has_legs = esper.component_for_entity(robot, Energy).speed > 0
    return has_legs and bool(game.map.path(cell_of(robot), cell, doors=opens))


FINDERS: Final[dict[Offer, Callable[[Game, Cell], Found | None]]] = {
    "map": _map,
    "traps": _traps,
    "locks": _locks,
    "guards": _guards,
    "turn": _turn,
}
"""Offer -> the function that returns what a terminal could do of that kind, or None."""


# -- freeing robots --------------------------------------------------------------------------------

FREE_TURNS: Final = 4
FREE_NOISE: Final = 8
"""How many steps away it is heard that a captive is freed."""


def free_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to free the captive at a cell."""
    robot = game.map.blockers.get(cell)
    if robot is not None and is_captive(robot):
        text = f"Free the {name_of(robot)}, so that it fights for you"
        yield WorkOption("free", text, partial(_free, game, robot), noise_of(FREE_NOISE), turns=FREE_TURNS)


def _free(game: Game, robot: int) -> None:
    esper.remove_component(robot, Captive)
    own = game.world.content.catalog["robot", esper.component_for_entity(robot, Tag).tag].data.get("text")
    if isinstance(own, str):  # a prefab's text tells of the captive
        esper.add_component(robot, EntityText(" ".join(own.split())))
    win_over(game, robot)
    tell_who_comes(game, make_noise(game, cell_of(robot), FREE_NOISE))


# -- mending allies --------------------------------------------------------------------------------


def mended_with(game: Game, robot: int) -> Stack | None:
    """Return the carried items that the player would mend an ally with: those that repair least, best without charge, which only he can use.

    None if the robot is not damaged or no ally, or if the player carries nothing that repairs.
    """
    if not is_ally(robot) or (health := esper.component_for_entity(robot, Health)).hp == health.max_hp:
        return None
    carried = [each for each in game.player.inventory if each.effect.repair]
    return min(carried, key=lambda each: (each.effect.repair, each.effect.charge), default=None)


def describe_mending(game: Game, robot: int) -> str:
    """Return what the player can mend a robot with; empty if with nothing."""
    stack = mended_with(game, robot)
    return f"w beside it mends it with your {stack.look.name}" if stack else ""


def mend_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to mend the ally at a cell."""
    robot = game.map.blockers.get(cell)
    if robot is not None and (stack := mended_with(game, robot)) is not None:
        text = f"Mend the {name_of(robot)} with your {stack.look.name}"
        gain = effect_of(replace(stack.effect, charge=0))
        yield WorkOption("mend", text, partial(_mend, game, robot, stack), gain)


def _mend(game: Game, robot: int, stack: Stack) -> None:
    effect = use_up(game, game.player.inventory.index(stack))
    health = esper.component_for_entity(robot, Health)
    had = health.hp
    health.hp = min(had + effect.repair, health.max_hp)
    game.note("used", amount=health.hp - had, tag=stack.tag)
    if effect.faulty:
        game.log.say(f"Your {stack.look.name} is faulty: nothing happens.", "bad")
    else:
        game.log.say(
            f"You mend the {name_of(robot)}: it has {health.hp} of {health.max_hp} hit points.", "good"
        )


# -- tapping robots --------------------------------------------------------------------------------

CHANCE: Final = 0.6
TAP_CHARGE: Final = 30
"""How many turns' worth of charge tapping costs, besides that of its turn."""


def may_be_tapped(game: Game, robot: int) -> bool:
    """Return whether the player can tap a robot once he is beside it.

    He needs a fitted part that hacks. The robot must be able to fight, and must not know where he is.
    """
    mind = esper.component_for_entity(robot, Mind)
    return game.body.build.hacks and mind.is_unaware and mind.state != "off" and is_dangerous(robot)


def describe_tapping(game: Game, robot: int) -> str:
    """Return that the player can tap a robot, and the chance that it works; empty if he can't."""
    return f"w beside it makes it change sides ({CHANCE:.0%})" if may_be_tapped(game, robot) else ""


def tap_options(game: Game, cell: Cell) -> Iterator[WorkOption]:
    """Yield the option to tap the robot at a cell. It takes one turn: in a second one, most robots would walk away or notice him."""
    robot = game.map.blockers.get(cell)
    if robot is not None and esper.has_component(robot, Robot) and may_be_tapped(game, robot):
        text, price = f"Tap the {name_of(robot)}, so that it changes sides", charge_of(game, TAP_CHARGE, 1)
        yield WorkOption("tap", text, partial(_tap, game, robot), price, WorkOdds(CHANCE), "it notices you")


def tap_refusal(game: Game, cell: Cell) -> str:
    """Return why the player can't tap the robot at a cell.

    The text is empty if he can tap it, if no part that hacks is fitted, and if there is no robot, or one that is shut down or on his side.
    """
    robot = game.map.blockers.get(cell)
    if (
        robot is None
        or not game.body.build.hacks
        or not esper.has_component(robot, Robot)
        or esper.component_for_entity(robot, Mind).state in OUT_OF_IT
        or [*tap_options(game, cell)]
    ):
        return ""
    why = "has noticed you (t sneaks up on others)" if is_dangerous(robot) else "does not fight"
    return f"You can't make the {name_of(robot)} change sides: it {why}."


def _tap(game: Game, robot: int) -> None:
    """Try to make a robot change sides; if that fails it is provoked."""
    spend(game, TAP_CHARGE * TURN)
    if game.rng.random() < CHANCE:
        win_over(game, robot)
    else:
        game.log.say(f"The {name_of(robot)} shakes you off, and does not change sides.", "bad")
        provoke(game, robot)
