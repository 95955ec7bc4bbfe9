"""What ends a journey, and what prevents one: robots, blasts, damage, and things that come in sight."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules import actions
from game_demo.rules.destruction import burning, burns_at
from game_demo.rules.fighting import targets
from game_demo.rules.leftovers import things_of_use
from game_demo.rules.moods import is_ally, is_dangerous, is_enemy, is_harmless
from game_demo.rules.naming import listed, name_of, with_article
from game_demo.rules.paths import robots_in_sight, seen_stairs, seen_things, way_beside
from game_demo.rules.robot_attacks import can_shoot
from game_demo.rules.turn import command
from game_demo.state.components import Attack, Energy, Follows, Gun, Item, Mind, Patrol, Trap, cell_of
from game_demo.state.fixtures import Explosive
from game_demo.state.geometry import bearing_of, distance, side_of
from game_demo.state.minds import LOOKS_OUT, PRESSING, WARY

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.minds import State


CLOSE: Final = 2
"""A stalking or fleeing robot matters when it is within this many steps."""
DOORS: Final = 8
"""A door within this many steps can still be closed before a pursuer."""
LEAP: Final = 3
"""A robot within this many steps is next to the player after one step of each."""
HARD: Final = 0.1
"""A hit that may take this share of the player's hit points is hard."""
TALL, WIDE = 8, 24
"""Cells more than `TALL` rows or `WIDE` columns from the player may be off the smallest screen."""
INTENTS: Final[dict[State, str]] = {
    "searching": "is searching for you",
    "calling": "is about to call for help",
    "stalking": "waits for others before it attacks",
    "fleeing": "flees, but strikes if it can't get away",
}
"""State -> what a robot after the player is doing, for states other than fighting."""


class Watch:
    """Notices what changes during a journey. What was known when the journey began does not count."""

    def __init__(self, game: Game, *kinds: type) -> None:
        self._game = game
        self._kinds = kinds or (Item, Trap)
        self._level, self._hp, self._news = game.map, game.health.hp, game.log.news
        self._robots, self._things = robots_in_sight(game), seen_things(game, *self._kinds)
        self._hinderers, self._close = hinderers(game), _close(game)
        self._firsts = _firsts_in_sight(game)
        self._stairs, self._fuses = seen_stairs(game), burning(game)

    def is_quiet(self, expected: int = 0) -> bool:
        """Return whether nothing has happened that ends the journey; print what has come in sight, or that the player is hurt.

        Args:
            expected: How many messages don't count, because the journey's own actions print them.
        """
        game = self._game
        self._news += expected
        if game.is_over or game.map is not self._level:
            return False
        if game.log.news == self._news:
            self._look_about()
        return game.log.news == self._news

    def _look_about(self) -> None:
        """Print the first thing that has changed and that no message has told."""
        game = self._game
        if game.health.hp < self._hp:
            actions.remark(game, "You stop: you are losing hit points.", "bad")
            return
        self._hp = game.health.hp
        found = self._found()
        if found:
            actions.remark(game, f"You see {'; '.join(found)}.", "find")
        elif stairs := seen_stairs(game) - self._stairs:
            actions.remark(game, f"You see {_describe_stairs(game, stairs)}.", "find")
        elif after := sorted(hinderers(game) - self._hinderers):
            actions.remark(game, f"The {name_of(after[0])} {_intent(after[0])}.", "find")
        elif close := sorted(_close(game) - self._close):
            actions.remark(game, f"The {name_of(close[0])} is close.", "find")
        elif fuses := sorted(burning(game) - self._fuses):
            actions.remark(game, f"The {name_of(fuses[0])} hisses.", "bad")

    def _found(self) -> list[str]:
        """Return phrases about what has come in sight and is worth a stop; from now on it is known."""
        game = self._game
        arrived = {robot for robot in robots_in_sight(game) - self._robots if not _is_old_news(robot)}
        fighters, sleepers = arrived & fighters_in_sight(game), sleepers_in_sight(game)
        fighters = {each for each in fighters if each in sleepers or not _is_known(game, each)}
        for robot in sorted(each for each in arrived if is_dangerous(each) and not is_ally(each)):
            if robot not in fighters or robot in sleepers:
                meet(game, robot)
        things = {
            each for each in seen_things(game, *self._kinds) - self._things if not _is_usual(game, each)
        }
        firsts = [name for name in _firsts_in_sight(game) if name not in self._firsts]
        for robot in sorted(fighters - sleepers):
            note_robot(game, robot)
        entities = sorted(fighters - sleepers) + sorted(things)
        for name in dict.fromkeys([*map(name_of, entities), *firsts]):
            if with_article(name) not in game.read:
                learn_of(game, name)
        names = defaultdict[str, list[str]](list)
        for entity in entities:
            names[_whereabouts(game, entity)].append(name_of(entity))
        if firsts:
            names[""] += firsts
        return [f"{listed(names[where])}{where}" for where in sorted(names)]


@command
def meet(game: Game, robot: int) -> None:
    """Tell the player that he sees a sleeping or harmless robot, unless he knows. It takes no time.

    The first harmless robot of a name is news and ends a journey; others are asides.
    """
    if robot not in robots_in_sight(game) or not _is_news(robot):
        return
    note_robot(game, robot)
    name = with_article(name_of(robot))
    if robot in sleepers_in_sight(game):
        game.log.say(f"You see {name}, asleep.", "find")
    else:
        game.log.say(f"You see {name}.", "aside" if name in game.read else "find", merged=True)
    game.read.add(name)


@command
def note_robot(game: Game, robot: int) -> None:
    """Note that the player was told of a robot in sight. It takes no time."""
    if robot in robots_in_sight(game):
        esper.component_for_entity(robot, Mind).was_told = True


@command
def learn_of(game: Game, name: str) -> None:
    """Note that the player knows things with this name, so that more of them end no journey. It takes no time."""
    game.read.add(with_article(name))


def is_near(game: Game, cell: Cell) -> bool:
    """Return whether a cell is so near to the player that the smallest screen shows it."""
    (y, x), (own_y, own_x) = cell, game.player_cell
    return abs(y - own_y) <= TALL and abs(x - own_x) <= WIDE


def _whereabouts(game: Game, entity: int) -> str:
    """Return the direction of an entity that may be off a small screen: `` far to the west``; empty if it is near."""
    cell, (own_y, own_x) = cell_of(entity), game.player_cell
    if is_near(game, cell):
        return ""
    down, right = cell[0] - own_y, cell[1] - own_x
    way = (abs(down) > TALL) * ((down > 0) - (down < 0)), (abs(right) > WIDE) * ((right > 0) - (right < 0))
    return f" far to the {side_of(way)}"


def _describe_stairs(game: Game, cells: set[Cell]) -> str:
    """Return words for the stairs that have come in sight: where they lead if they lead down or onward, else ``stairs``."""
    exits = game.map.exits
    places = dict.fromkeys(game.title(exits[cell]) for cell in sorted(cells) if cell in exits)
    return f"the stairs to {' and to '.join(places)}" if places else "stairs"


def _firsts_in_sight(game: Game) -> list[str]:
    """Return the names of useful things that the player has seen, without names of which he has been told before."""
    names = dict.fromkeys(name_of(thing) for thing in things_of_use(game))
    return [name for name in names if with_article(name) not in game.read]


def fighters_in_sight(game: Game) -> set[int]:
    """Return the robots in sight that fight the player, or would if they noticed him."""
    return {robot for robot in robots_in_sight(game) if is_enemy(robot)}


def sleepers_in_sight(game: Game) -> set[int]:
    """Return the sleeping robots among `fighters_in_sight`."""
    return {robot for robot in fighters_in_sight(game) if _state_of(robot) == "asleep"}


def lookouts(game: Game) -> list[int]:
    """Return the awake robots in sight that fight or call, and would notice the player if he came near."""
    trouble = sorted(each for each in robots_in_sight(game) if not is_harmless(each))
    return [each for each in trouble if _state_of(each) in LOOKS_OUT]


def known_sleepers(game: Game) -> list[int]:
    """Return the sleeping enemies that the player sees or was told of."""
    seen = robots_in_sight(game)
    return sorted(
        robot
        for robot, mind in esper.get_component(Mind)
        if (robot in seen or mind.was_told) and _sleeps(robot, mind)
    )


def pursuers(game: Game) -> set[int]:
    """Return the robots in sight that can hurt the player, and fight or seek him, or soon will."""
    return {robot for robot in fighters_in_sight(game) if _presses(game, robot) or _is_cornered(game, robot)}


def hinderers(game: Game) -> set[int]:
    """Return the pursuers that prevent journeys: those the player was not told of, those beside him, and those near enough to hit him hard."""
    return {robot for robot in pursuers(game) if _is_news(robot) or _is_a_threat(game, robot)}


def way_to_attack(game: Game) -> tuple[Direction | None, str]:
    """Return the direction of a blow at the nearest enemy in sight, or of the first step to it, and what to tell the player.

    The direction is (0, 0) if he should wait because the enemy comes to him, and None if there is no enemy, or no way to one.
    """
    here = game.player_cell
    for robot in _nearest_fighters(game):
        cell = cell_of(robot)
        if way := [cell] if distance(cell, here) == 1 else way_beside(game, cell):
            if _comes(game, robot):
                return (0, 0), f"You wait for the {name_of(robot)} to come to you."
            return (way[0][0] - here[0], way[0][1] - here[1]), ""
    return None, why_no_attack(game)


def _comes(game: Game, robot: int) -> bool:
    """Return whether a robot is not beside the player yet, but comes to him to strike him, at his speed or faster."""
    mind, speed = esper.component_for_entity(robot, Mind), esper.component_for_entity(robot, Energy).speed
    hunts = mind.state in ("alert", "charging") and speed >= 1 and not esper.has_component(robot, Gun)
    is_away = distance(cell_of(robot), game.player_cell) > 1
    return hunts and is_away and not mind.is_out_of_bounds and not _is_held(game, robot)


def why_no_attack(game: Game) -> str:
    """Return why `way_to_attack` is None."""
    if fleeing := [each for each in fighters_in_sight(game) if _state_of(each) == "fleeing"]:
        return f"The {name_of(min(fleeing))} flees, and Tab does not follow it."
    if (foe := next(iter(_nearest_fighters(game)), None)) is not None:
        return f"You see the {name_of(foe)}, but know no path to it."
    if (caller := next(iter(lookouts(game)), None)) is not None:
        return f"You see no enemy that fights. The {name_of(caller)} calls others if it notices you. (w beside it strikes it)"
    return "You see no enemy."


def _nearest_fighters(game: Game) -> list[int]:
    """Return `fighters_in_sight`, the nearest first, without those that flee and are not beside the player."""
    steps = {robot: distance(cell_of(robot), game.player_cell) for robot in fighters_in_sight(game)}
    near = [robot for robot in steps if steps[robot] == 1 or _state_of(robot) != "fleeing"]
    return sorted(near, key=lambda robot: (steps[robot], cell_of(robot)))


def hunted(game: Game) -> str:
    """Return a clause about the foremost of `hinderers`: ``the mouser is after you``; empty for none."""
    after = _foremost(game)
    if after is None:
        return ""
    cell = cell_of(after)
    steps, side = distance(cell, game.player_cell), bearing_of(game.player_cell, cell)
    if is_near(game, cell):
        return f"the {name_of(after)} {_intent(after)}"
    return f"the {name_of(after)}, {steps} steps to the {side}, {_intent(after)}"


def is_hindered(game: Game) -> bool:
    """Return whether a journey can't begin, because of a burning fuse or a pursuer; print the reason and, once, advice.

    A pursuer that is not beside the player and can't hit him hard from where it is prevents one journey only: he may press the key again.
    """
    if is_in_blast(game):
        return True
    after = _foremost(game)
    if after is not None:
        may_insist = not any(_is_a_threat(game, robot) for robot in hinderers(game))
        advice = [*_advice(game, after), "(press again to go on)" if may_insist else ""]
        warn(game, " ".join(filter(None, [f"Not now: {hunted(game)}.", *advice])))
    return after is not None


@command
def warn(game: Game, text: str) -> None:
    """Tell the player that robots in sight prevent or shorten his journey. It takes no time."""
    for robot in pursuers(game):
        esper.component_for_entity(robot, Mind).was_told = True
    game.log.say(text, "aside")


def is_in_blast(game: Game, ahead: Cell | None = None) -> bool:
    """Return whether a burning fuse in sight will reach the player, or the cell he is about to step on; print that, and what to do."""
    fuse, advice = burns_at(game, game.player_cell), "Wait (.) until it has exploded."
    if fuse is not None:
        advice = f"Get {esper.component_for_entity(fuse, Explosive).radius + 1} cells away from it."
    elif ahead is not None:
        fuse = burns_at(game, ahead)
    if fuse is not None:
        actions.remark(game, f"Not now: the {name_of(fuse)} hisses and will explode. {advice}")
    return fuse is not None


def _foremost(game: Game) -> int | None:
    return min(hinderers(game), key=lambda robot: (_state_of(robot) == "searching", robot), default=None)


def _advice(game: Game, pursuer: int) -> list[str]:
    """Return what the player can do about a robot that is after him: sentences the first time, after that a few words."""
    advice = game.log.advice
    match _state_of(pursuer):
        case "searching":
            shoot = ", or shoot (f)" if pursuer in targets(game) else ""
            told = f"Get out of the robot's sight and wait (.) until it gives up, or strike first{shoot}."
            return [advice(told, "Hide or strike.", key=f"or strike first{shoot}.")]
        case "calling":
            shoot = " or shoot (f)" if pursuer in targets(game) else ""
            told = f"Strike{shoot} the robot to stop its call for help, or get away before others come."
            return [advice(told, "Stop its call.", key=f"Strike{shoot} the robot to stop its call")]
        case "stalking":
            told = "Wait (.) in a corridor, where the pack can't surround you: a stalking robot backs off if you come closer."
            return [advice(told, "Wait in corridors.")]
        case "fleeing":
            return [
                advice("Strike the robot, or step aside and let it get away.", "Strike it or step aside.")
            ]
    fight = "Fight the robot, or shoot it (f)" if pursuer in targets(game) else "Fight the robot"
    run = "run away and shut a door behind you (c)" if _is_by_door(game) else "run"
    known, is_top = seen_stairs(game), game.map_above() is None
    ways = [
        (">", known & game.map.exits.keys()),
        ("<", known & (game.map.back.keys() if is_top else game.map.ways_up)),
    ]
    keys = " or ".join(key for key, cells in ways if cells)
    stairs = f"Robots that see you take stairs follow you: press {keys} to go there, one step at a time while it is near."
    return [
        advice(f"{fight}, or {run}.", "Fight or run.", key=fight),
        advice(stairs, key="one step at a time") if keys else "",
    ]


def _is_by_door(game: Game) -> bool:
    """Return whether the player sees a door near enough to close it before a pursuer."""
    here, visible = game.player_cell, game.map.sight.visible
    return any(visible[cell] and distance(cell, here) <= DOORS for cell in game.map.doors)


def _close(game: Game) -> set[int]:
    """Return the enemies in sight that are close: stalking or fleeing ones within `CLOSE` steps, and unaware ones beside the player."""
    return {
        robot
        for robot in fighters_in_sight(game)
        if not _is_old_news(robot)
        and distance(cell_of(robot), game.player_cell) <= _closeness(robot)
        and not _is_held(game, robot)
    }


def _closeness(robot: int) -> int:
    """Return the number of steps within which a robot counts as close; 0 for a robot that other messages announce."""
    if _state_of(robot) in WARY:
        return CLOSE
    return 1 if esper.component_for_entity(robot, Mind).is_unaware else 0


def _sleeps(robot: int, mind: Mind) -> bool:
    return mind.state == "asleep" and is_enemy(robot)


def _is_usual(game: Game, thing: int) -> bool:
    """Return whether something is a trap of a kind that the player knows; journeys avoid those by themselves."""
    return esper.has_component(thing, Trap) and with_article(name_of(thing)) in game.read


def _presses(game: Game, robot: int) -> bool:
    """Return whether a robot fights or seeks the player, or soon will, and can reach him."""
    return _state_of(robot) in PRESSING and not _is_old_news(robot) and not _is_held(game, robot)


def _is_known(game: Game, robot: int) -> bool:
    """Return whether the player was told of a robot that can't get at him, or that has stood at its post since then."""
    mind = esper.component_for_entity(robot, Mind)
    stands = mind.state == "at its post" and cell_of(robot) == mind.post
    walks = esper.has_component(robot, Patrol) or esper.has_component(robot, Follows)
    return mind.was_told and ((stands and not walks) or _is_held(game, robot))


def _is_news(robot: int) -> bool:
    return not esper.component_for_entity(robot, Mind).was_told


def _is_a_threat(game: Game, robot: int) -> bool:
    """Return whether a robot is beside the player, or may soon take at least `HARD` of his hit points with one blow or shot.

    A fleeing robot is no threat: it strikes only if it can't get away.
    """
    if _state_of(robot) == "fleeing":
        return False
    gun, power = esper.try_component(robot, Gun), esper.component_for_entity(robot, Attack).power
    reach = max(LEAP, gun.range) if gun else LEAP
    is_hard = max(power, gun.power if gun else 0) >= HARD * game.health.hp
    return distance(cell_of(robot), game.player_cell) <= (reach if is_hard else 1)


def _is_cornered(game: Game, robot: int) -> bool:
    """Return whether a fleeing robot is beside the player, so that it may strike."""
    return _state_of(robot) == "fleeing" and distance(cell_of(robot), game.player_cell) <= 1


def _is_held(game: Game, robot: int) -> bool:
    """Return whether a robot can't get at the player: it is shut in and can't shoot him, or he is not close and farther than its leash.

    The leash of a robot with a gun does not count.
    """
    mind, here, gun = esper.component_for_entity(robot, Mind), cell_of(robot), esper.try_component(robot, Gun)
    if mind.is_out_of_bounds and gun is None and distance(here, game.player_cell) > LEAP:
        return True
    is_shut_in = not game.map.path(here, game.player_cell, doors=mind.opens_doors)
    return is_shut_in and not can_shoot(game, robot, game.hero)


def _is_old_news(robot: int) -> bool:
    return esper.component_for_entity(robot, Mind).is_old_news


def _state_of(robot: int) -> State:
    return esper.component_for_entity(robot, Mind).state


def _intent(robot: int) -> str:
    """Return what a robot after the player is doing, as text."""
    return INTENTS.get(_state_of(robot), "is after you")
