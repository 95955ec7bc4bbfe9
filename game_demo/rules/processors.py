"""What happens by itself on every turn: one esper processor for each behaviour. `turn` says in which order they run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of, one_of
from game_demo.state.components import (
    Blade,
    Guard,
    Health,
    Hidden,
    Hunt,
    Pace,
    Player,
    Senses,
    Snare,
    Trap,
    Wander,
)
from game_demo.state.entities import place_of
from game_demo.state.geometry import NEIGHBOURS, distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Place

LEASH: Final = 6
"""A guard goes no farther than this from its post."""

MENDING_TURNS: Final = 8
NOTICE_CHANCE: Final = 1 / 8
REST_CHANCE: Final = 0.2
TURN_CHANCE: Final = 0.15


class Springing(esper.Processor):
    """Springs the trap on which the player stands."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        entity = game.floor.armed_trap_at(game.place)
        if entity is None:
            return
        esper.component_for_entity(entity, Trap).armed = False
        esper.try_remove_component(entity, Hidden)
        snare = esper.component_for_entity(entity, Snare)
        name = one_of(name_of(entity))
        game.log.say(snare.effect or f"You set off {name}!", "bad")
        game.hurt(snare.damage, name)


class Pacing(esper.Processor):
    """Gives every robot the moves of this turn."""

    def process(self, _game: Game) -> None:
        """Let it happen."""
        for _, pace in esper.get_component(Pace):
            pace.moves = min(pace.moves, 1) + pace.speed


class Acting(esper.Processor):
    """Lets robots of one behaviour use up their moves; base of the three that follow."""

    behaviour: type[Hunt | Guard | Wander]

    def process(self, game: Game) -> None:
        """Let it happen. In order of their entities, for luck is drawn in this order."""
        for entity, (pace, _) in sorted(esper.get_components(Pace, self.behaviour), key=lambda each: each[0]):
            while pace.moves >= 1 and not game.is_over:
                pace.moves -= 1
                self.act(game, entity)

    @abstractmethod
    def act(self, game: Game, robot: int) -> None:
        """Use up one move of a robot."""


class Hunting(Acting):
    """Chases the player on sight, to where it saw the player last, and then looks about."""

    behaviour = Hunt

    def act(self, game: Game, robot: int) -> None:
        """Strike, chase or stroll."""
        hunt = esper.component_for_entity(robot, Hunt)
        place = place_of(robot)
        if _notices(game, robot):
            hunt.trail = game.place
            if _strikes(game, robot):
                return
        if hunt.trail is not None and place != hunt.trail and _goes(game, robot, hunt.trail, doors=True):
            return
        hunt.trail = None
        _strolls(game, robot, (0, 0))


class Guarding(Acting):
    """Fights the player near its post, if it can, and otherwise stands there."""

    behaviour = Guard

    def act(self, game: Game, robot: int) -> None:
        """Strike, approach or go back."""
        post = esper.component_for_entity(robot, Guard).post
        dangerous = esper.component_for_entity(robot, Blade).power > 0
        if dangerous and _notices(game, robot):
            if _strikes(game, robot):
                return
            if distance(game.place, post) <= LEASH:
                _goes(game, robot, game.place, doors=False)
                return
        if place_of(robot) != post:
            _goes(game, robot, post, doors=False)


class Wandering(Acting):
    """Strolls about."""

    behaviour = Wander

    def act(self, game: Game, robot: int) -> None:
        """Go on in the same direction for a while."""
        wander = esper.component_for_entity(robot, Wander)
        wander.heading = _strolls(game, robot, wander.heading)


class Noticing(esper.Processor):
    """Gives the player a chance to notice what is hidden nearby."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        for place in hidden_around(game):
            if game.luck.random() < NOTICE_CHANCE:
                reveal(game, place)


class Mending(esper.Processor):
    """Mends the player by and by."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        if game.log.turn % MENDING_TURNS == 0 and not game.is_over:
            for _, (_, health) in esper.get_components(Player, Health):
                health.now = min(health.now + 1, health.full)


def hidden_around(game: Game) -> list[Place]:
    """Return the cells next to the player, and the player's own, that hide a trap or a secret door."""
    floor = game.floor
    return [place for place in (game.place, *floor.around(game.place)) if _hides(game, place)]


def _hides(game: Game, place: Place) -> bool:
    trap = game.floor.traps.get(place)
    hidden_trap = trap is not None and esper.has_component(trap, Hidden)
    return hidden_trap or game.floor.door_at(place, t.SECRET_DOOR) is not None


def reveal(game: Game, place: Place) -> None:
    """Let the player find what a cell hides."""
    if game.floor.door_at(place, t.SECRET_DOOR) is not None:
        game.floor.set_door(place, is_open=False)
        game.log.say("You find a secret door!", "find")
    trap = game.floor.traps.get(place)
    if trap is not None and esper.try_remove_component(trap, Hidden) is not None:
        game.log.say(f"You find {one_of(name_of(trap))}!", "find")


def provoke(game: Game, robot: int) -> None:
    """Let a robot that can fight hunt the player who has struck it."""
    if esper.component_for_entity(robot, Blade).power > 0:
        for behaviour in (Wander, Guard):
            if esper.has_component(robot, behaviour):
                esper.remove_component(robot, behaviour)
        esper.add_component(robot, Hunt(game.place))


def _notices(game: Game, robot: int) -> bool:
    """Tell whether a robot sees the player. Sight is symmetric, so it does where the player could see it."""
    place = place_of(robot)
    reach = esper.component_for_entity(robot, Senses).reach
    return bool(game.floor.sight.visible[place]) and distance(place, game.place) <= reach


def _strikes(game: Game, robot: int) -> bool:
    """Let a robot strike the player if it is close enough and able to; tell whether it did."""
    power = esper.component_for_entity(robot, Blade).power
    if not power or distance(place_of(robot), game.place) > 1:
        return False
    damage = game.luck.randint(1, power)
    name = name_of(robot)
    game.log.say(f"The {name} hits you for {damage}.", "bad")
    game.hurt(damage, one_of(name))
    return True


def _goes(game: Game, robot: int, end: Place, *, doors: bool) -> bool:
    """Let a robot take a step towards a cell, or open the door in its way; tell whether there is a way."""
    floor = game.floor
    way = floor.path(place_of(robot), end, doors=doors)
    if not way:
        return False
    if doors and floor.door_at(way[0]):
        floor.set_door(way[0], is_open=True)
        if floor.sight.visible[way[0]]:
            game.log.say(f"The {name_of(robot)} opens a door.")
    elif floor.is_free_for_robots(way[0]):
        floor.move(robot, way[0])
    return True


def _strolls(game: Game, robot: int, heading: Place) -> Place:
    """Let a robot take a step or a rest; return in which direction it is heading now."""
    floor, luck = game.floor, game.luck
    y, x = place_of(robot)
    if luck.random() < REST_CHANCE:
        return heading
    ahead = (y + heading[0], x + heading[1])
    if heading == (0, 0) or luck.random() < TURN_CHANCE or not floor.is_free_for_robots(ahead):
        ways = [way for way in NEIGHBOURS if floor.is_free_for_robots((y + way[0], x + way[1]))]
        if not ways:
            return 0, 0
        heading = luck.choice(ways)
        ahead = (y + heading[0], x + heading[1])
    floor.move(robot, ahead)
    return heading
