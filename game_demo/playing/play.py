"""A game that a bot plays."""

from __future__ import annotations

from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import esper

from dungeon.playtest.game import STEPS, Action, Event, Ground, Observation
from game_demo.playing.knowledge import NONE, Knowledge
from game_demo.rules import actions
from game_demo.rules.body.fighting import fire, targets
from game_demo.rules.robots.passing import is_peaceful, passes
from game_demo.rules.works.ways import deal
from game_demo.state.components import Mind
from game_demo.state.game import Game
from game_demo.state.things.clock import TURN
from game_demo.state.things.minds import AFTER_PLAYER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon import Level, World
    from game_demo.state.components import Stack
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.log import Fact
    from game_demo.state.things.parts import Body

BLOWS = ("dealt", "hurt")
HARM = ("hurt", "sprung", "worn")
SHUT = (int(Ground.UNKNOWN), int(Ground.WALL))
DIRECTIONS = tuple((Action(number), dy, dx) for number, (dy, dx) in enumerate(STEPS))
OTHERS = tuple(Action)[len(STEPS) :]
"""What is no step."""


class Pack(NamedTuple):
    """What the player carries, as `Observation` has it."""

    mending: dict[int, int]
    recharging: dict[int, int]
    strengthening: dict[int, int]
    keys: int


def start(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> DemoPlay:
    """Start the demo's game for a bot: see `dungeon.playtest.game.Start`."""
    return DemoPlay(Game(world, seed=seed, make=make, watched=False))


class DemoPlay:
    """A game of the demo, by the interface of `dungeon.playtest.game.Play`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._facts: list[Fact] = []
        game.facts = self._facts
        self._known: dict[str, Knowledge] = {}
        self._met: set[tuple[str, int]] = set()
        self._fought: set[tuple[str, int]] = set()
        self._here = NONE
        self._knowledge = self._come()
        self._pack = self._packed()
        self._events = [Event("entered", game.map.level.id), *self._sights()]

    @property
    def over(self) -> Literal["victory", "death"] | None:
        """How the game has ended, if it has."""
        return self.game.ending

    def observe(self) -> Observation:
        """Return what the player knows."""
        game = self.game
        game.resume()
        game_map, known = game.map, self._knowledge
        pack, body = self._pack, game.body
        return Observation(
            map_id=game_map.level.id,
            depth=game_map.level.depth,
            turn=game.log.turn,
            cell=game.player_cell,
            hp=game.health.hp,
            max_hp=game.health.max_hp,
            power=game.attack.power,
            ground=known.ground,
            visible=game_map.sight.visible,
            explored=game_map.sight.explored,
            robots=known.robots(),
            things=known.things,
            version=known.version,
            mending=pack.mending,
            strengthening=pack.strengthening,
            keys=pack.keys,
            charge=body.charge // TURN,
            max_charge=body.capacity // TURN,
            recharging=pack.recharging,
            shot=self._shot(),
        )

    def legal(self) -> list[Action]:
        """Return the actions that do something now, or may."""
        game = self.game
        game.resume()
        game_map, (y, x) = game.map, game.player_cell
        pack, body = self._pack, game.body
        can = (
            True,  # wait
            True,  # search
            (y, x) in game_map.lying and bool(game_map.items_at((y, x))),
            bool(pack.mending) and game.health.hp < game.health.max_hp,
            bool(pack.strengthening),
            (y, x) in game_map.exits,
            (y, x) == game_map.level.entrance and game.map_above() is not None,
            (y, x) in game_map.portals and (y, x) not in game_map.exits,
            bool(targets(game)),
            bool(pack.recharging) and body.charge < body.capacity,
        )
        steps = [action for action, dy, dx in DIRECTIONS if self._is_open((y + dy, x + dx))]
        return [*steps, *compress(OTHERS, can)]

    def act(self, action: Action) -> list[Event]:
        """Do something, let the others act, and return what has happened."""
        game, game_map = self.game, self.game.map
        if game.is_over:
            return []
        version = game_map.version
        if action < len(STEPS):
            _step(game, STEPS[action])
        else:
            DEEDS[action](game)
        events, self._events = self._events, []
        if self._facts:
            events += self._told(game_map.level.id)
        if game.map is not game_map:
            self._knowledge = self._come()
            events.append(Event("entered", game.map.level.id))
        if events or action >= len(STEPS) or game_map.version != version:
            self._pack = self._packed()
        events += self._sights()
        if game.ending == "victory":
            events.append(Event("won", game.map.level.id))
        return events

    def _is_open(self, cell: Cell) -> bool:
        """Tell whether a step to a cell does something, as far as the player knows: what lies beside him, he has seen."""
        game_map = self.game.map
        return game_map.in_bounds(cell) and (
            self._knowledge.ground.item(cell) not in SHUT or cell in game_map.blockers
        )

    def _packed(self) -> Pack:
        """Return what is in the pack."""
        ring, stacks = self.game.map.ring, self.game.player.inventory
        return Pack(
            {each.effect.repair: each.count for each in stacks if each.effect.repair},
            {each.effect.charge: each.count for each in stacks if each.effect.charge},
            {gain: each.count for each in stacks if (gain := _gain(self.game.body, each))},
            len(ring.lasting) + sum(ring.once.values()),
        )

    def _shot(self) -> int:
        """Return the most damage of a shot at the nearest robot that can be hit, if that is after the player."""
        gun = self.game.body.build.gun
        if gun is None or not (aimed_at := targets(self.game)):
            return 0
        return gun.power if esper.component_for_entity(aimed_at[0], Mind).state in AFTER_PLAYER else 0

    def _come(self) -> Knowledge:
        """Return what is known of the map to which the player has come."""
        game_map, self._here = self.game.map, NONE
        if game_map.level.id not in self._known:
            self._known[game_map.level.id] = Knowledge(game_map, way_up=self.game.map_above() is not None)
        return self._known[game_map.level.id]

    def _told(self, map_id: str) -> list[Event]:
        """Return the facts that have been noted as events, and forget them."""
        events = []
        for fact in self._facts:
            about = fact.placement, self._known[map_id].encounter(fact.placement), fact.tag
            if fact.kind in BLOWS and fact.placement is not None:
                fight = map_id, fact.placement
                if fight not in self._fought:
                    self._fought.add(fight)
                    events.append(Event("fought", map_id, *about))
            events.append(Event(fact.kind, map_id, *about, fact.amount, fact.number))
        if self.game.ending == "death":
            killer = next(each for each in reversed(events) if each.kind in HARM)
            events.append(killer._replace(kind="died", amount=0))
        self._facts.clear()
        return events

    def _sights(self) -> list[Event]:
        """Look about; return which encounters came in sight, and which one the player has come to."""
        map_id, cell, known = self.game.map.level.id, self.game.player_cell, self._knowledge
        events = [Event("seen", map_id, each, known.encounter(each)) for each in known.look(cell)]
        here: int = known.placement_at.item(cell)
        if here != self._here:
            self._here = here
            placement = None if here == NONE else here
            about = map_id, placement, known.encounter(placement)
            if placement is not None and (map_id, placement) not in self._met:
                self._met.add((map_id, placement))
                events.append(Event("met", *about))
            events.append(Event("came", *about))
        return events


def _step(game: Game, direction: Direction) -> None:
    """Go a step, or strike whoever stands fast there, as a bot has nothing else to do about it."""
    robot = game.map.blockers.get((game.player_cell[0] + direction[0], game.player_cell[1] + direction[1]))
    if robot is not None and is_peaceful(robot) and not passes(robot):
        deal(game, direction, "strike")
    else:
        actions.step(game, direction)


def _gain(body: Body, stack: Stack) -> int:
    """Return how much stronger something of the pack makes, roughly: as a part, more than what is fitted; or for good."""
    part = stack.effect.part
    if part is None:
        return stack.effect.frame
    return max(round(max(body.gains(part).values())), 0)


def _use(game: Game, likes: Callable[[Stack], int]) -> None:
    """Apply what is liked best of the pack; wait if nothing is liked at all.

    Args:
        game: The game.
        likes: Returns how much a stack is liked, 0 for not at all.
    """
    liked = [likes(stack) for stack in game.player.inventory]
    if any(liked):
        actions.apply(game, liked.index(max(liked)))
    else:
        actions.wait(game)


def _mend(game: Game) -> None:
    """Use what mends most."""
    _use(game, lambda stack: stack.effect.repair)


def _strengthen(game: Game) -> None:
    """Apply what makes stronger by most."""
    _use(game, partial(_gain, game.body))


def _recharge(game: Game) -> None:
    """Use what gives most charge."""
    _use(game, lambda stack: stack.effect.charge)


def _fire(game: Game) -> None:
    """Shoot at the nearest robot."""
    aimed_at = targets(game)
    if aimed_at:
        fire(game, aimed_at[0])
    else:
        actions.wait(game)


DEEDS: Final[Mapping[Action, Callable[[Game], None]]] = MappingProxyType(
    {
        Action.WAIT: actions.wait,
        Action.SEARCH: actions.search,
        Action.TAKE: actions.pick_up,
        Action.DOWN: actions.descend,
        Action.UP: actions.ascend,
        Action.CROSS: actions.descend,
        Action.MEND: _mend,
        Action.STRENGTHEN: _strengthen,
        Action.FIRE: _fire,
        Action.RECHARGE: _recharge,
    }
)
"""What a bot does by each action that is no step."""
