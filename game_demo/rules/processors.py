"""What happens by itself on every turn: one esper processor for each behaviour. `turn` says in which order they run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.company import goal_of
from game_demo.rules.naming import name_of, with_article
from game_demo.state.components import (
    Ambush,
    Attack,
    Energy,
    Guard,
    Health,
    Hidden,
    Hunt,
    Perception,
    Player,
    Robot,
    Trap,
    TrapEffect,
    Wander,
)
from game_demo.state.entities import cell_of
from game_demo.state.geometry import NEIGHBOURS, distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

GUARD_RANGE: Final = 6
"""A guard goes no farther than this from its post."""

REGENERATION_TURNS: Final = 8
NOTICE_CHANCE: Final = 1 / 8
REST_CHANCE: Final = 0.2
TURN_CHANCE: Final = 0.15


class TrapProcessor(esper.Processor):
    """Springs the trap on which the player stands."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        entity = game.map.armed_trap_at(game.player_cell)
        if entity is None:
            return
        esper.component_for_entity(entity, Trap).armed = False
        esper.try_remove_component(entity, Hidden)
        trap_effect = esper.component_for_entity(entity, TrapEffect)
        name = with_article(name_of(entity))
        game.log.say(trap_effect.message or f"You set off {name}!", "bad")
        game.damage_player(trap_effect.damage, name)


class EnergyProcessor(esper.Processor):
    """Gives every robot the moves of this turn."""

    def process(self, _game: Game) -> None:
        """Let it happen."""
        for _, energy in esper.get_component(Energy):
            energy.moves = min(energy.moves, 1) + energy.speed


class BehaviourProcessor(esper.Processor):
    """Lets robots of one behaviour use up their moves; base of the three that follow."""

    behaviour: type[Hunt | Guard | Wander]

    def process(self, game: Game) -> None:
        """Let it happen. In order of their entities, for random numbers are drawn in this order."""
        for entity, (energy, _) in sorted(
            esper.get_components(Energy, self.behaviour), key=lambda each: each[0]
        ):
            while energy.moves >= 1 and not game.is_over:
                energy.moves -= 1
                self.act(game, entity)

    @abstractmethod
    def act(self, game: Game, robot: int) -> None:
        """Use up one move of a robot."""


class HuntProcessor(BehaviourProcessor):
    """Chases the player on sight, to where it saw the player last, and then looks about."""

    behaviour = Hunt

    def act(self, game: Game, robot: int) -> None:
        """Strike, chase or stroll."""
        hunt = esper.component_for_entity(robot, Hunt)
        cell = cell_of(robot)
        if _sees_player(game, robot):
            hunt.last_seen = game.player_cell
            if _attacks(game, robot):
                return
        if (
            hunt.last_seen is not None
            and cell != hunt.last_seen
            and _walks_towards(game, robot, hunt.last_seen, doors=True)
        ):
            return
        hunt.last_seen = None
        if not _goes_along(game, robot):
            _wanders(game, robot, (0, 0))


class GuardProcessor(BehaviourProcessor):
    """Fights the player near its post, if it can, and otherwise stands there, or goes its rounds: then its post goes along."""

    behaviour = Guard

    def act(self, game: Game, robot: int) -> None:
        """Strike, approach or go back."""
        guard = esper.component_for_entity(robot, Guard)
        post = guard.post
        dangerous = esper.component_for_entity(robot, Attack).power > 0
        if dangerous and _sees_player(game, robot):
            if _attacks(game, robot):
                return
            if distance(game.player_cell, post) <= GUARD_RANGE:
                _walks_towards(game, robot, game.player_cell, doors=False)
                return
        if _goes_along(game, robot):
            guard.post = cell_of(robot)
        elif cell_of(robot) != post:
            _walks_towards(game, robot, post, doors=False)


class WanderProcessor(BehaviourProcessor):
    """Strolls about, or goes its rounds."""

    behaviour = Wander

    def act(self, game: Game, robot: int) -> None:
        """Go on in the same direction for a while."""
        wander = esper.component_for_entity(robot, Wander)
        if not _goes_along(game, robot):
            wander.heading = _wanders(game, robot, wander.heading)


class NoticeProcessor(esper.Processor):
    """Gives the player a chance to notice what is hidden nearby."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        for cell in hidden_cells(game):
            if game.rng.random() < NOTICE_CHANCE:
                reveal(game, cell)


class RegenerationProcessor(esper.Processor):
    """Mends the player by and by."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        if game.log.turn % REGENERATION_TURNS == 0 and not game.is_over:
            for _, (_, health) in esper.get_components(Player, Health):
                health.hp = min(health.hp + 1, health.max_hp)


def hidden_cells(game: Game) -> list[Cell]:
    """Return the cells next to the player, and the player's own, that hide a trap or a secret door."""
    game_map = game.map
    return [cell for cell in (game.player_cell, *game_map.neighbours(game.player_cell)) if _hides(game, cell)]


def _hides(game: Game, cell: Cell) -> bool:
    trap = game.map.traps.get(cell)
    hidden_trap = trap is not None and esper.has_component(trap, Hidden)
    return hidden_trap or game.map.door_at(cell, t.SECRET_DOOR) is not None


def reveal(game: Game, cell: Cell) -> None:
    """Let the player find what a cell hides."""
    if game.map.door_at(cell, t.SECRET_DOOR) is not None:
        game.map.set_door(cell, is_open=False)
        game.log.say("You find a secret door!", "find")
    trap = game.map.traps.get(cell)
    if trap is not None and esper.try_remove_component(trap, Hidden) is not None:
        game.log.say(f"You find {with_article(name_of(trap))}!", "find")


def provoke(game: Game, robot: int) -> None:
    """Let a robot that can fight hunt the player who has struck it."""
    if esper.component_for_entity(robot, Attack).power > 0:
        for behaviour in (Ambush, Wander, Guard):
            esper.try_remove_component(robot, behaviour)
        esper.add_component(robot, Hunt(game.player_cell))


def spring(game: Game, item: int) -> None:
    """Let the robots come that wait for an item to be taken."""
    bait = esper.try_component(item, Ambush)
    waiting = [robot for robot, (_, ambush) in esper.get_components(Robot, Ambush) if ambush == bait]
    for robot in waiting:
        provoke(game, robot)
    if waiting:
        game.log.say("Something has been waiting for that.", "bad")


def _sees_player(game: Game, robot: int) -> bool:
    """Tell whether a robot sees the player. Sight is symmetric, so it does where the player could see it."""
    cell = cell_of(robot)
    radius = esper.component_for_entity(robot, Perception).radius
    return bool(game.map.sight.visible[cell]) and distance(cell, game.player_cell) <= radius


def _attacks(game: Game, robot: int) -> bool:
    """Let a robot strike the player if it is close enough and able to; tell whether it did."""
    power = esper.component_for_entity(robot, Attack).power
    if not power or distance(cell_of(robot), game.player_cell) > 1:
        return False
    damage = game.rng.randint(1, power)
    name = name_of(robot)
    game.log.say(f"The {name} hits you for {damage}.", "bad")
    game.damage_player(damage, with_article(name))
    return True


def _walks_towards(game: Game, robot: int, end: Cell, *, doors: bool) -> bool:
    """Let a robot take a step towards a cell, or open the door in its way; tell whether there is a way."""
    game_map = game.map
    way = game_map.path(cell_of(robot), end, doors=doors)
    if not way:
        return False
    if doors and game_map.door_at(way[0]):
        game_map.set_door(way[0], is_open=True)
        if game_map.sight.visible[way[0]]:
            game.log.say(f"The {name_of(robot)} opens a door.")
    elif game_map.is_free_for_robots(way[0]):
        game_map.move(robot, way[0])
    return True


def _goes_along(game: Game, robot: int) -> bool:
    """Let a robot that is on patrol, or follows another one, take a step; tell whether there was one to take."""
    goal = goal_of(robot)
    return goal is not None and _walks_towards(game, robot, goal, doors=True)


def _wanders(game: Game, robot: int, heading: Direction) -> Direction:
    """Let a robot take a step or a rest; return in which direction it is heading now."""
    game_map, rng = game.map, game.rng
    y, x = cell_of(robot)
    if rng.random() < REST_CHANCE:
        return heading
    ahead = (y + heading[0], x + heading[1])
    if heading == (0, 0) or rng.random() < TURN_CHANCE or not game_map.is_free_for_robots(ahead):
        ways = [way for way in NEIGHBOURS if game_map.is_free_for_robots((y + way[0], x + way[1]))]
        if not ways:
            return 0, 0
        heading = rng.choice(ways)
        ahead = (y + heading[0], x + heading[1])
    game_map.move(robot, ahead)
    return heading
