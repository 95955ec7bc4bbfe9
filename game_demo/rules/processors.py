"""What happens by itself on every turn: one esper processor for each behaviour. `turn` says in which order they run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of, with_article
from game_demo.rules.walking import closes_in, goes_along, walks_towards, wanders
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
    Position,
    Robot,
    Wander,
)
from game_demo.state.entities import cell_of
from game_demo.state.geometry import area_around, distance
from game_demo.state.sight import SIGHT_RADIUS

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

GUARD_RANGE: Final = 6
"""A guard goes no farther than this from its post."""

FAR: Final = SIGHT_RADIUS
"""Robots farther than this from the player, who can't see them, move slowly: on one turn in `FAR_TURNS`."""

FAR_TURNS: Final = 4
REGENERATION_TURNS: Final = 8
NOTICE_CHANCE: Final = 1 / 8


class EnergyProcessor(esper.Processor):
    """Gives every robot the moves of this turn; those far from the player have such turns less often, and sleep between."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        game_map = game.map
        if game.log.turn % FAR_TURNS == 0:
            top, left, bottom, right = area_around(game.player_cell, FAR, game_map.codes.shape)
            robots, game_map.awake = dict(esper.get_component(Energy)), {}
            for robot, (energy, at) in esper.get_components(Energy, Position):
                energy.moves = min(energy.moves, 1) + energy.speed
                energy.is_near = top <= at.y < bottom and left <= at.x < right
                if energy.is_near:
                    game_map.awake[robot] = energy
        else:
            robots = game_map.awake
            for energy in robots.values():
                if energy.is_near:
                    energy.moves = min(energy.moves, 1) + energy.speed
        game_map.ready = sorted(robot for robot, energy in robots.items() if energy.moves >= 1)


class BehaviourProcessor(esper.Processor):
    """Lets robots of one behaviour use up their moves; base of the three that follow."""

    behaviour: type[Hunt | Guard | Wander]

    def process(self, game: Game) -> None:
        """Let it happen. In order of their entities, for random numbers are drawn in this order."""
        for robot in game.map.ready:
            if esper.has_component(robot, self.behaviour):
                energy = esper.component_for_entity(robot, Energy)
                while energy.moves >= 1 and not game.is_over:
                    energy.moves -= 1
                    self.act(game, robot)

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
            if _attacks(game, robot) or closes_in(game, robot):
                return
        if (
            hunt.last_seen is not None
            and cell != hunt.last_seen
            and walks_towards(game, robot, hunt.last_seen, doors=True)
        ):
            return
        hunt.last_seen = None
        if not goes_along(game, robot):
            wanders(game, robot, (0, 0))


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
                if not closes_in(game, robot):
                    walks_towards(game, robot, game.player_cell, doors=False)
                return
        if goes_along(game, robot):
            guard.post = cell_of(robot)
        elif cell_of(robot) != post:
            walks_towards(game, robot, post, doors=False)


class WanderProcessor(BehaviourProcessor):
    """Strolls about, or goes its rounds."""

    behaviour = Wander

    def act(self, game: Game, robot: int) -> None:
        """Go on in the same direction for a while."""
        wander = esper.component_for_entity(robot, Wander)
        if not goes_along(game, robot):
            wander.heading = wanders(game, robot, wander.heading)


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
    cell = game.player_cell
    if cell not in game.map.secretive:
        return []
    return [each for each in (cell, *game.map.neighbours(cell)) if _hides(game, each)]


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
        game.map.changed_cells.append(cell)


def provoke(game: Game, robot: int) -> None:
    """Let a robot that can fight hunt the player who has struck it."""
    if esper.component_for_entity(robot, Attack).power > 0:
        for behaviour in (Ambush, Wander, Guard):
            esper.try_remove_component(robot, behaviour)
        esper.add_component(robot, Hunt(game.player_cell))
        game.map.awake[robot] = esper.component_for_entity(robot, Energy)


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
    if not game.map.sight.visible[cell]:
        return False
    return distance(cell, game.player_cell) <= esper.component_for_entity(robot, Perception).radius


def _attacks(game: Game, robot: int) -> bool:
    """Let a robot strike the player if it is close enough and able to; tell whether it did."""
    power = esper.component_for_entity(robot, Attack).power
    if not power or distance(cell_of(robot), game.player_cell) > 1:
        return False
    damage = game.rng.randint(1, power)
    name = name_of(robot)
    game.log.say(f"The {name} hits you for {damage}.", "bad")
    game.note("hurt", robot, damage)
    game.damage_player(damage, with_article(name))
    return True
