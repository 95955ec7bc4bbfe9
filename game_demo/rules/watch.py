"""What ends a journey, and what lets none begin."""

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
from game_demo.rules.paths import robots_in_sight, seen_stairs, seen_things
from game_demo.rules.turn import command
from game_demo.state.components import Gun, Item, Mind, Trap, cell_of
from game_demo.state.geometry import bearing_of, distance, side_of
from game_demo.state.minds import LOOKS_OUT, PRESSING, WARY

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.minds import State


CLOSE: Final = 2
"""So few steps away is who stalks the player, or runs from him, when it matters."""
DOORS: Final = 8
"""So near is a door that may still be shut on who is after the player."""
LEAP: Final = 3
"""Who is no more steps away is beside the player after a step of each."""
TALL, WIDE = 8, 24
"""What is farther away, in rows or in columns, may not be on the screen."""
INTENTS: Final[dict[State, str]] = {
    "searching": "is searching for you",
    "calling": "is about to call for help",
    "stalking": "waits for others before it attacks",
    "fleeing": "flees, and strikes if it can't get away",
}
"""What the player reads of those after him that do not simply fight."""


class Watch:
    """Keeps an eye on a game while time passes: what was known when a journey began is no news on it."""

    def __init__(self, game: Game, *kinds: type) -> None:
        self._game = game
        self._kinds = kinds or (Item, Trap)
        self._level, self._hp, self._news = game.map, game.health.hp, game.log.news
        self._robots, self._things = robots_in_sight(game), seen_things(game, *self._kinds)
        self._pursuers, self._close = pursuers(game), _close(game)
        self._firsts = _firsts_in_sight(game)
        self._stairs, self._fuses = seen_stairs(game), burning(game)

    def is_quiet(self, expected: int = 0) -> bool:
        """Tell whether nothing has happened that matters; say what has come in sight, or that the player is hurt.

        Args:
            expected: How many messages that are more than asides are no news, as what is being done brings them.
        """
        game = self._game
        self._news += expected
        if game.is_over or game.map is not self._level:
            return False
        if game.log.news == self._news:
            self._look_about()
        return game.log.news == self._news

    def _look_about(self) -> None:
        """Say what there is that the player should know, and that nobody has said."""
        game = self._game
        if game.health.hp < self._hp:
            actions.remark(game, "You stop: you are losing hit points.", "bad")
            return
        self._hp = game.health.hp
        found = self._found()
        if found:
            actions.remark(game, f"You see {'; '.join(found)}.", "find")
        elif stairs := seen_stairs(game) - self._stairs:
            actions.remark(game, f"You see {_told_of_stairs(game, stairs)}.", "find")
        elif after := sorted(pursuers(game) - self._pursuers):
            actions.remark(game, f"The {name_of(after[0])} {_intent(after[0])}.", "find")
        elif close := sorted(_close(game) - self._close):
            actions.remark(game, f"The {name_of(close[0])} is close.", "find")
        elif fuses := sorted(burning(game) - self._fuses):
            actions.remark(game, f"The {name_of(fuses[0])} hisses.", "bad")

    def _found(self) -> list[str]:
        """Return what has come in sight that is worth a stop, by where it is; tell of robots that are met, and know all of it from now on."""
        game = self._game
        arrived = {robot for robot in robots_in_sight(game) - self._robots if not _is_old_news(robot)}
        fighters, sleepers = arrived & fighters_in_sight(game), sleepers_in_sight(game)
        for robot in sorted(
            each for each in arrived - game.map.met if is_dangerous(each) and not is_ally(each)
        ):
            if robot not in fighters or robot in sleepers:
                meet(game, robot)
        things = {
            each for each in seen_things(game, *self._kinds) - self._things if not _is_usual(game, each)
        }
        firsts = [name for name in _firsts_in_sight(game) if name not in self._firsts]
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
    """Let the player read once that he sees a robot that sleeps, or that does no harm unless it is struck; that takes no time.

    The first harmless one of its kind is news.
    """
    if robot not in robots_in_sight(game) or robot in game.map.met:
        return
    game.map.met.add(robot)
    name = with_article(name_of(robot))
    if robot in sleepers_in_sight(game):
        game.log.say(f"You see {name}, asleep.", "find")
    else:
        game.log.say(f"You see {name}.", "aside" if name in game.read else "find", merged=True)
    game.read.add(name)


@command
def learn_of(game: Game, name: str) -> None:
    """Let the player know that there are things of that name, so that others like it are no news; that takes no time."""
    game.read.add(with_article(name))


def is_near(game: Game, cell: Cell) -> bool:
    """Tell whether a cell is so near to the player that it is on the smallest screen."""
    (y, x), (own_y, own_x) = cell, game.player_cell
    return abs(y - own_y) <= TALL and abs(x - own_x) <= WIDE


def _whereabouts(game: Game, entity: int) -> str:
    """Return where something is that may be beyond the edge of a small screen; empty if it is near."""
    cell, (own_y, own_x) = cell_of(entity), game.player_cell
    if is_near(game, cell):
        return ""
    down, right = cell[0] - own_y, cell[1] - own_x
    way = (abs(down) > TALL) * ((down > 0) - (down < 0)), (abs(right) > WIDE) * ((right > 0) - (right < 0))
    return f" far to the {side_of(way)}"


def _told_of_stairs(game: Game, cells: set[Cell]) -> str:
    """Return which stairs the player has come to see: where they lead, if that is on or down."""
    exits = game.map.exits
    places = dict.fromkeys(game.title(exits[cell]) for cell in sorted(cells) if cell in exits)
    return f"the stairs to {' and to '.join(places)}" if places else "stairs"


def _firsts_in_sight(game: Game) -> list[str]:
    """Return the names of things that do something, and have been seen on the level, of which the player was told of none yet."""
    names = dict.fromkeys(name_of(thing) for thing in things_of_use(game))
    return [name for name in names if with_article(name) not in game.read]


def fighters_in_sight(game: Game) -> set[int]:
    """Return the robots in sight that fight the player, or would if they noticed him, as looking at them tells."""
    return {robot for robot in robots_in_sight(game) if is_enemy(robot)}


def sleepers_in_sight(game: Game) -> set[int]:
    """Return those of them that are asleep."""
    return {robot for robot in fighters_in_sight(game) if _state_of(robot) == "asleep"}


def lookouts(game: Game) -> list[int]:
    """Return the robots in sight that mean harm, or call who does, and would notice the player if he came near."""
    trouble = sorted(each for each in robots_in_sight(game) if not is_harmless(each))
    return [each for each in trouble if _state_of(each) in LOOKS_OUT]


def known_sleepers(game: Game) -> list[int]:
    """Return the robots that are asleep, and would fight the player, of whom he knows where they lie."""
    known = robots_in_sight(game) | game.map.met
    return sorted(
        robot for robot, mind in esper.get_component(Mind) if robot in known and _sleeps(robot, mind)
    )


def pursuers(game: Game) -> set[int]:
    """Return the robots in sight that can hurt the player, and fight or seek him, or will before long."""
    return {robot for robot in fighters_in_sight(game) if _presses(game, robot) or _is_cornered(game, robot)}


def hunted(game: Game) -> str:
    """Return who is after the player, as he reads it: those that fight him before those that seek him; empty for nobody."""
    after = _foremost(game)
    if after is None:
        return ""
    cell = cell_of(after)
    steps, side = distance(cell, game.player_cell), bearing_of(game.player_cell, cell)
    where = "" if is_near(game, cell) else f", {steps} steps to the {side},"
    return f"the {name_of(after)}{where} {_intent(after)}"


def is_hindered(game: Game) -> bool:
    """Tell whether this is no time for anything long: a fuse burns, or somebody is after the player; say so."""
    if is_in_blast(game):
        return True
    after = _foremost(game)
    if after is not None:
        advice = [each for each in _advice(game, after) if not game.log.mentions(each)]
        actions.remark(game, " ".join([f"Not now: {hunted(game)}.", *advice]))
    return after is not None


def is_in_blast(game: Game, cell: Cell | None = None) -> bool:
    """Tell whether something in sight is about to explode that reaches the player, or a cell where he is about to step; say so."""
    fuse = burns_at(game, cell or game.player_cell)
    if fuse is not None:
        advice = "Get away from it." if cell is None else "Wait (.) until it has exploded."
        actions.remark(game, f"Not now: the {name_of(fuse)} hisses. {advice}")
    return fuse is not None


def _foremost(game: Game) -> int | None:
    return min(pursuers(game), key=lambda robot: (_state_of(robot) == "searching", robot), default=None)


def _advice(game: Game, pursuer: int) -> list[str]:
    """Return what the player can do about a robot that is after him, one sentence for each piece of advice."""
    match _state_of(pursuer):
        case "searching":
            first = "strike first, or shoot (f)" if pursuer in targets(game) else "strike first"
            return [f"Get out of its sight and wait (.) until it gives up, or {first}."]
        case "calling":
            shot = " or a shot (f)" if pursuer in targets(game) else ""
            return [f"A blow{shot} stops the call. Or get away before others come."]
        case "stalking":
            return [
                "Wait (.) in a corridor, where the pack can't surround you: it backs off if you come closer."
            ]
        case "fleeing":
            return ["Strike it, or let it get away."]
    fight = "Fight it, or shoot (f)" if pursuer in targets(game) else "Fight it"
    door = " and shut a door behind you (c)" if _is_by_door(game) else ""
    known, is_top = seen_stairs(game), game.map_above() is None
    ways = [
        (">", known & game.map.exits.keys()),
        ("<", known & {game.map.level.entrance} if not is_top else set()),
    ]
    keys = [key for key, cells in ways if cells]
    stairs = f"Robots don't follow you on stairs: press {' or '.join(keys)} to go there, one step at a time."
    return [f"{fight}, or run{door}.", *([stairs] if keys else [])]


def _is_by_door(game: Game) -> bool:
    """Tell whether the player sees a door that is near enough to be shut on who is after him."""
    here, visible = game.player_cell, game.map.sight.visible
    return any(visible[cell] and distance(cell, here) <= DOORS for cell in game.map.doors)


def _close(game: Game) -> set[int]:
    """Return the robots in sight that can hurt the player, know of him and keep away, but are close, or have not noticed him beside them."""
    return {
        robot
        for robot in fighters_in_sight(game)
        if not _is_old_news(robot) and distance(cell_of(robot), game.player_cell) <= _closeness(robot)
    }


def _closeness(robot: int) -> int:
    """Return from how many steps on it matters that a robot is near; none for those that are told of otherwise."""
    if _state_of(robot) in WARY:
        return CLOSE
    return 1 if esper.component_for_entity(robot, Mind).is_unaware else 0


def _sleeps(robot: int, mind: Mind) -> bool:
    return mind.state == "asleep" and is_enemy(robot)


def _is_usual(game: Game, thing: int) -> bool:
    """Tell whether something is a trap like others of which the player knows, and around which journeys lead."""
    return esper.has_component(thing, Trap) and with_article(name_of(thing)) in game.read


def _presses(game: Game, robot: int) -> bool:
    """Tell whether a robot fights or seeks the player, or will before long, where it can do him harm."""
    return _state_of(robot) in PRESSING and not _is_old_news(robot) and not _is_held(game, robot)


def _is_cornered(game: Game, robot: int) -> bool:
    """Tell whether a robot flees, and is beside the player: who can't get away strikes."""
    return _state_of(robot) == "fleeing" and distance(cell_of(robot), game.player_cell) <= 1


def _is_held(game: Game, robot: int) -> bool:
    """Tell whether a robot stays where it can do the player no harm: he is farther from its post than it goes, and it shoots nothing."""
    mind = esper.component_for_entity(robot, Mind)
    is_apart = distance(cell_of(robot), game.player_cell) > LEAP
    return mind.is_out_of_bounds and is_apart and not esper.has_component(robot, Gun)


def _is_old_news(robot: int) -> bool:
    return esper.component_for_entity(robot, Mind).is_old_news


def _state_of(robot: int) -> State:
    return esper.component_for_entity(robot, Mind).state


def _intent(robot: int) -> str:
    """Return what the player reads of a robot that fights or seeks him."""
    return INTENTS.get(_state_of(robot), "is after you")
