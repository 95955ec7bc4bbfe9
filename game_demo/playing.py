"""The demo's game for bots: `start` begins one, and `DemoPlay` has the interface of `dungeon.playtest.game.Play`."""

from __future__ import annotations

from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import esper
import numpy as np

from dungeon import terrain as t
from dungeon.playtest.game import STEPS, Action, Event, Ground, Observation, Thing
from game_demo.bot_choices import Choices
from game_demo.rules import actions
from game_demo.rules.fighting import fire, targets
from game_demo.rules.moods import is_captive, is_peaceful, passes
from game_demo.rules.work import deal
from game_demo.state.body import TURN, worth_of
from game_demo.state.components import (
    Attack,
    Charger,
    GoalItem,
    Gun,
    Health,
    Hidden,
    Item,
    ItemEffect,
    Mind,
    Position,
    Prop,
    Robot,
    Tag,
    cell_of,
)
from game_demo.state.game import Game
from game_demo.state.geometry import mask_of
from game_demo.state.minds import AFTER_PLAYER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from dungeon import Level, World
    from game_demo.state.body import Body
    from game_demo.state.components import Stack
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.log import Fact


VIEWER: Final = "dungeon-demo"
"""The command that shows a bot's game, for reports on playtests."""

# -- knowledge -------------------------------------------------------------------------------------

NONE: Final = -1
"""The value of a cell without a placement."""


class Knowledge:
    """One level as far as the player knows it.

    Args:
        game_map: The level. Its esper world must be the current one in every call.
        way_up: Whether the stairs at the entrance lead up.

    Attributes:
        ground: (height, width) uint8 of `Ground`, as the player saw it last.
        things: The items and usable props that were found.
        version: A counter that grows when ground or things change.
        placement_at: (height, width) int16, the index of the placement on each cell, or `NONE`.
    """

    def __init__(self, game_map: GameMap, *, way_up: bool) -> None:
        self.game_map = game_map
        self.ground = np.full(game_map.codes.shape, Ground.UNKNOWN, np.uint8)
        self.things: tuple[Thing, ...] = ()
        self.version = 0
        self.placement_at = _placement_map(game_map)
        self._kinds = _ground_of_terrain(game_map)
        self._marks = self._marked(way_up=way_up)
        self._truth = self._kinds[game_map.codes]  # what there is to be seen of the ground
        self._stale = 0  # mask: where that may be another than `ground`
        self._learn_ground([*self._marks, *game_map.traps])
        self._stale = (1 << self.ground.size) - 1
        self._findable: dict[int, Thing] = {}
        self._lost = 0  # mask: where things are to be found
        self._found: set[int] = set()
        self._learn_things(
            entity for kind in (Item, Prop) for entity, _ in esper.get_components(kind, Position)
        )
        self._robots: dict[int, Thing] = {}  # as they were seen last
        walkable = game_map.level.walkable
        self._grounds = {  # of the placements that were not in sight: masks
            index: mask_of((self.placement_at == index) & walkable)
            for index in range(len(game_map.level.placements))
        }
        self._unmet = mask_of((self.placement_at != NONE) & walkable)  # all of them
        self._looked: set[Cell] = set()  # from these cells nothing new can be seen before something changes
        self._version = game_map.version
        self._cells_read, self._things_read = len(game_map.changed_cells), len(game_map.changed_things)

    def look(self, cell: Cell) -> list[int]:
        """Update the knowledge from the player's cell; return the placements that have come in sight."""
        if self._version != self.game_map.version:
            self._catch_up()
        elif cell in self._looked:
            return []
        self._looked.add(cell)
        self.version += 1
        sight = self.game_map.sight
        if self._stale & sight.mask:
            self._stale ^= self._stale & sight.mask
            np.putmask(self.ground, sight.visible, self._truth)
        if self._lost & sight.mask:
            self._lost ^= self._lost & sight.mask
            self._find()
        if not self._unmet & sight.mask:
            return []
        seen = [index for index, grounds in self._grounds.items() if grounds & sight.mask]
        for index in seen:
            self._unmet ^= self._grounds.pop(index)
        return seen

    def robots(self) -> list[Thing]:
        """Return the robots in sight."""
        game_map = self.game_map
        mask, width = game_map.sight.mask, game_map.width
        if not mask & game_map.robots:
            return []
        return [
            self._robot(entity, (at.y, at.x), health, attack)
            for entity, (_, at, health, attack) in esper.get_components(Robot, Position, Health, Attack)
            if mask >> at.y * width + at.x & 1
        ]

    def _catch_up(self) -> None:
        """Update what has changed: doors, traps and things."""
        game_map = self.game_map
        self._version = game_map.version
        self._looked.clear()
        self._learn_ground(game_map.changed_cells[self._cells_read :])
        self._learn_things(game_map.changed_things[self._things_read :])
        self._cells_read, self._things_read = len(game_map.changed_cells), len(game_map.changed_things)

    def _learn_ground(self, cells: Iterable[Cell]) -> None:
        """Mark some cells whose ground must be looked at again."""
        for cell in cells:
            if self._marks.get(cell) == Ground.OBJECT and cell not in self.game_map.blockers:
                del self._marks[cell]  # it stands there no more
            if self._shows_trap(cell):
                self._truth[cell] = Ground.TRAP
            else:
                self._truth[cell] = self._marks.get(cell, self._kinds[self.game_map.codes[cell]])
            self._stale |= self.game_map.bit(cell)

    def _learn_things(self, entities: Iterable[int]) -> None:
        """Mark some entities that must be looked for again."""
        for entity in entities:
            if self._is_findable(entity):
                self._findable[entity] = thing = self._thing(entity)
                self._lost |= self.game_map.bit(thing.cell)
                continue
            self._findable.pop(entity, None)
            if entity in self._found:
                self._found.remove(entity)
                self._list()

    def _is_findable(self, entity: int) -> bool:
        """Return whether an entity is an item that lies on the level (not in a robot or box), or a usable prop."""
        if not esper.entity_exists(entity) or not esper.has_component(entity, Position):
            return False
        if esper.has_component(entity, Item) or charges(entity):
            return True
        return self._is_prop(entity) and self._works(entity)

    def _marked(self, *, way_up: bool) -> dict[Cell, Ground]:
        """Return cell -> the ground that never changes, such as stairs."""
        game_map = self.game_map
        objects = (cell for cell, each in game_map.blockers.items() if self._is_prop(each))
        return {
            **dict.fromkeys(game_map.portals, Ground.PORTAL),
            **dict.fromkeys(game_map.exits, Ground.DOWN),
            **dict.fromkeys(game_map.ways_up if way_up else game_map.back, Ground.UP),
            **dict.fromkeys(objects, Ground.OBJECT),
        }

    def _find(self) -> None:
        """Find the things that are in sight."""
        mask, bit = self.game_map.sight.mask, self.game_map.bit
        self._found.update(entity for entity, thing in self._findable.items() if mask & bit(thing.cell))
        self._list()

    def _list(self) -> None:
        self.things = tuple(self._findable[entity] for entity in sorted(self._found))

    def _shows_trap(self, cell: Cell) -> bool:
        trap = self.game_map.armed_trap_at(cell)
        return trap is not None and not esper.has_component(trap, Hidden)

    @staticmethod
    def _is_prop(entity: int) -> bool:
        return esper.has_component(entity, Prop)

    def _works(self, prop: int) -> bool:
        """Return whether walking into a prop opens or pulls something, as its description tells the player."""
        keywords = esper.component_for_entity(prop, Tag).keywords
        return prop not in self.game_map.worked and ("lock" in keywords or "opens" in keywords)

    def _lies_on_prop(self, entity: int) -> bool:
        """Return whether an item lies on a prop that blocks, so that a step into the prop takes it."""
        blocker = self.game_map.blockers.get(cell_of(entity))
        return blocker is not None and self._is_prop(blocker)

    def _robot(self, entity: int, cell: Cell, health: Health, attack: Attack) -> Thing:
        """Return how a robot looks to a bot now."""
        thing = self._robots.get(entity)
        if thing is None:
            gun = esper.try_component(entity, Gun)
            power = max(attack.power, gun.power if gun else 0)
            thing = self._thing(entity, hp=health.hp, max_hp=health.max_hp, power=power)
        yields = passes(entity)
        if (thing.cell, thing.hp, thing.yields) != (cell, health.hp, yields):
            thing = thing._replace(cell=cell, hp=health.hp, yields=yields)
        self._robots[entity] = thing
        return thing

    def _thing(self, entity: int, *, hp: int = 0, max_hp: int = 0, power: int = 0) -> Thing:
        tag, effect = esper.component_for_entity(entity, Tag), esper.try_component(entity, ItemEffect)
        placement = self.game_map.placements.get(entity)
        return Thing(
            entity,
            tag.like,
            tag.tag,
            cell_of(entity),
            placement,
            self.encounter(placement),
            hp,
            max_hp,
            _use_of(effect) if effect else power,
            effect.repair if effect else 0,
            self._works(entity) if tag.like == "prop" else self._lies_on_prop(entity),
            effect is not None and "opens" in tag.keywords,
            esper.has_component(entity, GoalItem),
            charges(entity),
        )

    def encounter(self, placement: int | None) -> str:
        """Return the name of the encounter of a placement; empty for none."""
        return "" if placement is None else self.game_map.level.placements[placement].encounter


def _use_of(effect: ItemEffect) -> int:
    """Return roughly how much an item strengthens a body without parts."""
    return (max(round(worth_of([effect.part])), 0) if effect.part else 0) + effect.frame


def charges(entity: int) -> bool:
    """Return whether an entity can still charge the player."""
    charger = esper.try_component(entity, Charger)
    return charger is not None and charger.left > 0


def _ground_of_terrain(game_map: GameMap) -> NDArray[np.uint8]:
    """Return the (256,) uint8 kind of ground of every terrain code."""
    kinds = game_map.level.terrain_set
    table = np.where(kinds.walkable, Ground.FLOOR, Ground.WALL).astype(np.uint8)
    table[kinds.base == t.DOOR] = Ground.DOOR
    table[kinds.base == t.LOCKED_DOOR] = Ground.LOCKED
    return table


def _placement_map(game_map: GameMap) -> NDArray[np.int16]:
    """Return the (height, width) index of the placement on each cell, the latest if several overlap."""
    level = game_map.level
    found = np.full(level.terrain.shape, NONE, np.int16)
    for index, placement in enumerate(level.placements):
        if placement.scattered:
            found[level.region == placement.region] = index
        elif placement.encounter:
            bounds = placement.bounds
            found[bounds.y : bounds.y + bounds.height, bounds.x : bounds.x + bounds.width] = index
    return found


# -- play ------------------------------------------------------------------------------------------

BLOWS = ("dealt", "hurt")
HARM = ("hurt", "sprung", "worn")
SHUT = (int(Ground.UNKNOWN), int(Ground.WALL))
DIRECTIONS = tuple((Action(number), dy, dx) for number, (dy, dx) in enumerate(STEPS))
OTHERS = tuple(Action)[len(STEPS) :]
"""The actions that are no steps."""


class Pack(NamedTuple):
    """What the player carries: the values of the attributes of `Observation` with the same names."""

    mending: dict[int, int]
    recharging: dict[int, int]
    strengthening: dict[int, int]
    keys: int


def start(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> DemoPlay:
    """Start a game for a bot: see `dungeon.playtest.game.Start`."""
    return DemoPlay(Game(world, seed=seed, make=make, watched=False))


class DemoPlay:
    """A game of the demo, with the interface of `dungeon.playtest.game.Play`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._facts: list[Fact] = []
        game.facts = self._facts
        self._known: dict[str, Knowledge] = {}
        self._choices: dict[str, Choices] = {}
        self._met: set[tuple[str, int]] = set()
        self._fought: set[tuple[str, int]] = set()
        self._here = NONE
        self._knowledge = self._come()
        self._pack = self._packed()
        self._events = [Event("entered", game.map.level.id), *self._sights()]

    @property
    def over(self) -> Literal["victory", "death"] | None:
        """How the game has ended; None while it is on."""
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
            (y, x) in game_map.ways_up and game.map_above((y, x)) is not None,
            (y, x) in game_map.portals and (y, x) not in game_map.exits,
            bool(targets(game)),
            bool(pack.recharging) and body.charge < body.capacity,
        )
        steps = [action for action, dy, dx in DIRECTIONS if self._is_open((y + dy, x + dx))]
        return [*steps, *compress(OTHERS, can)]

    def act(self, action: Action) -> list[Event]:
        """Carry out an action, let the robots act, and return what has happened."""
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
        """Return whether a step to a cell next to the player does something, as far as he knows."""
        game_map = self.game.map
        return game_map.in_bounds(cell) and (
            self._knowledge.ground.item(cell) not in SHUT or cell in game_map.blockers
        )

    def _packed(self) -> Pack:
        """Return what the pack holds."""
        ring, stacks = self.game.map.ring, self.game.player.inventory
        return Pack(
            {each.effect.repair: each.count for each in stacks if each.effect.repair},
            {each.effect.charge: each.count for each in stacks if each.effect.charge},
            {gain: each.count for each in stacks if (gain := _gain(self.game.body, each))},
            ring.number,
        )

    def _shot(self) -> int:
        """Return the highest damage of a shot if the nearest target is after the player, else 0."""
        gun = self.game.body.build.gun
        if gun is None or not (aimed_at := targets(self.game)):
            return 0
        return gun.power if esper.component_for_entity(aimed_at[0], Mind).state in AFTER_PLAYER else 0

    def _come(self) -> Knowledge:
        """Return the knowledge of the level that the player is on."""
        game_map, self._here = self.game.map, NONE
        if game_map.level.id not in self._known:
            self._known[game_map.level.id] = Knowledge(game_map, way_up=self.game.map_above() is not None)
            self._choices[game_map.level.id] = Choices(self.game)
        return self._known[game_map.level.id]

    def _told(self, map_id: str) -> list[Event]:
        """Return the facts noted so far as events, and empty the list."""
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
        """Look around; return the encounters and the first thing to decide about that came in sight, and the encounter that the player has reached."""
        map_id, cell, known = self.game.map.level.id, self.game.player_cell, self._knowledge
        events = [Event("seen", map_id, each, known.encounter(each)) for each in known.look(cell)]
        if faced := self._choices[map_id].look():
            events.append(Event("faced", map_id, tag=faced))
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
    """Step in a direction, or free or strike a harmless robot that does not make way, as bots have no other action for it."""
    robot = game.map.blockers.get((game.player_cell[0] + direction[0], game.player_cell[1] + direction[1]))
    if robot is not None and is_peaceful(robot) and not passes(robot):
        deal(game, direction, "free" if is_captive(robot) else "strike")
    else:
        actions.step(game, direction)


def _gain(body: Body, stack: Stack) -> int:
    """Return roughly how much an item of the pack would strengthen the body, as a part or by raising its hit points."""
    part = stack.effect.part
    if part is None:
        return stack.effect.frame
    return max(round(max(body.gains(part).values())), 0)


def _use(game: Game, likes: Callable[[Stack], int]) -> None:
    """Use the item of the pack with the highest rating; wait if all are rated 0.

    Args:
        game: The game.
        likes: Returns the rating of a stack.
    """
    liked = [likes(stack) for stack in game.player.inventory]
    if any(liked):
        actions.apply(game, liked.index(max(liked)))
    else:
        actions.wait(game)


def _mend(game: Game) -> None:
    """Use the item that repairs most."""
    _use(game, lambda stack: stack.effect.repair)


def _strengthen(game: Game) -> None:
    """Use the item that strengthens most."""
    _use(game, partial(_gain, game.body))


def _recharge(game: Game) -> None:
    """Use the item that gives most charge."""
    _use(game, lambda stack: stack.effect.charge)


def _fire(game: Game) -> None:
    """Shoot the nearest robot."""
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
"""Action -> what it does, for actions that are no steps."""
