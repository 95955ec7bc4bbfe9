"""The state of a game: its levels, the player, the log and the goal. What changes it is in `game_demo.rules`."""

from __future__ import annotations

import random
import weakref
from collections import Counter, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import esper
import numpy as np
import tcod.path

from dungeon import terrain as t
from game_demo.state.body import POWER, Clock
from game_demo.state.components import (
    Appearance,
    Attack,
    Blocks,
    Body,
    Description,
    Goal,
    Health,
    Item,
    ItemEffect,
    Player,
    Position,
    Tag,
    cells_of,
)
from game_demo.state.game_map import GameMap
from game_demo.state.geometry import Area
from game_demo.state.log import Blow, Fact, Log
from game_demo.state.tiles import tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from dungeon import Level, World
    from game_demo.state.geometry import Cell
    from game_demo.state.log import Command, FactKind


# -- the goal --------------------------------------------------------------------------------------


def goal_of(world: World) -> str:
    """Return the name of what wins a game in a world: the catalog's item that is the `goal`, or else the heart of the world."""
    return next((name for name, _ in _goals(world)), f"heart of {world.content.world.name}")


def errand(world: World) -> str:
    """Return what there is to do in a world: what its author says of it, or what to take, how deep it lies, and what comes of it."""
    for _, keywords in _goals(world):
        if isinstance(told := keywords.get("errand"), str):
            return told
    depth = max(node.depth for node in world.maps)
    return f"Find the {goal_of(world)}, at depth {depth}, and take it: that ends {world.content.world.name}."


def _goals(world: World) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the names and keywords of what wins a game in a world."""
    for things in world.content.catalog.things.values():
        yield from ((each.name, each.data) for each in things.values() if each.data.get("goal") is True)


# -- esper worlds ----------------------------------------------------------------------------------

NEUTRAL = "default"
"""The world that esper always has."""


class Worlds:
    """The esper worlds of one game; they are deleted when it is closed, or forgotten."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._release = weakref.finalize(self, _delete, self._names.values())
        self._release.atexit = False

    def __getitem__(self, map_id: str) -> str:
        """Return the name of the world of a map."""
        if map_id not in self._names:
            self._names[map_id] = f"{map_id} of game {id(self):x}"
        return self._names[map_id]

    def enter(self, map_id: str) -> None:
        """Make the world of a map esper's current one."""
        if esper.current_world != self._names.get(map_id):
            esper.switch_world(self[map_id])

    def close(self) -> None:
        """Delete the worlds."""
        self._release()


def _delete(names: Iterable[str]) -> None:
    for name in names:
        if esper.current_world == name:
            esper.switch_world(NEUTRAL)
        if name in esper.list_worlds():
            esper.delete_world(name)


# -- the game --------------------------------------------------------------------------------------

HP: Final = 30
LAST_BLOWS: Final = 4
"""So many of the last that have done the player harm are remembered."""


class Game:
    """A game in one world, from the first step to the end.

    Any number of games can be on at a time. `resume` makes this one esper's current one, which actions do themselves;
    whoever uses esper to read of one game after another says so. A game that is forgotten leaves nothing in esper.

    Args:
        world: The world to play in.
        start: The id of the map to begin on, by default where the world begins.
        seed: What chance in the rules depends on, besides the world's seed.
        make: What makes a level, given its map's id: by default the world. As levels never change, games in the same
            world may share them, by `functools.cache(world.level)`.
        watched: Whether somebody looks on: how things looked is not remembered of a game that nobody sees.
        crash_at: The turn on which the game breaks down on purpose, to test what is left of the terminal.

    Attributes:
        maps: Map id -> the level, once it was visited; it is kept as the player left it.
        map: The level on which the player is now.
        worlds: The esper worlds of the levels.
        hero: The player's entity on that level; its components are the same ones on every level.
        clock: How late it is.
        body: The player's body; `health`, `attack` and `player` are what else the hero consists of.
        rng: Where the rules draw chance from. The levels do not depend on it.
        facts: What has happened, for whoever measures the game, who empties it; None where nobody does.
        recorder: Who is told every command once it is done, and the game; None for nobody.
        is_acting: Whether a command is being carried out.
        taught: The names of the lessons that the player has read: see `game_demo.rules.lessons`.
        ahead: The map id and the cell of the end of a long way that exploring has told of; None for none.
        read: What the player has read of the things on which he has stood.
        destroyed: Name -> how many robots of that name are no more.
        turned: Name -> how many robots of that name have changed sides.
        roused: The map id and the entity of each robot that was after the player and is neither.
        shut: The map id and the cell of each door that the player has shut on somebody, and not opened since.
        ending: How the game has ended, if it has.
        epilogue: What is told then by what was won; empty for nothing.
        cause: What the player died of.
        blows: The last that have done him harm, the oldest first.
        last_alarm: The turn on which a terminal last rang an alarm, None if none has.

    Raises:
        KeyError: The world has no map of that id.
    """

    def __init__(
        self,
        world: World,
        start: str | None = None,
        *,
        seed: int = 0,
        make: Callable[[str], Level] | None = None,
        watched: bool = True,
        crash_at: int | None = None,
    ) -> None:
        self.world = world
        self._make = make or world.level
        self.watched = watched
        self.crash_at = crash_at
        self.rng = random.Random(f"{world.seed}/{seed}")
        self.log = Log()
        self.clock = Clock()
        self.body = Body()
        self.health = Health(HP, HP)
        self.attack = Attack(POWER)
        self.player = Player()
        self.ending: Literal["victory", "death"] | None = None
        self.epilogue = ""
        self.cause = ""
        self.blows: deque[Blow] = deque(maxlen=LAST_BLOWS)
        self.last_alarm: int | None = None
        self.facts: list[Fact] | None = None
        self.recorder: Callable[[Game, Command], None] | None = None
        self.is_acting = False
        self.taught: set[str] = set()
        self.ahead: tuple[str, Cell] | None = None
        self.read: set[str] = set()
        self.destroyed: Counter[str] = Counter()
        self.turned: Counter[str] = Counter()
        self.roused: set[tuple[str, int]] = set()
        self.shut: set[tuple[str, Cell]] = set()
        self.maps: dict[str, GameMap] = {}
        self._heroes: dict[str, int] = {}
        self._position = Position(0, 0)
        self.worlds = Worlds()
        first = world.node(start or world.start.id)
        self.map: GameMap
        self.hero: int
        self.enter(first.id)
        self.log.say(errand(world))
        self.log.say(f"You have come to {self.map.level.name}. ? lists the keys.")

    @property
    def player_cell(self) -> Cell:
        """The player's cell."""
        return self._position.y, self._position.x

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.ending is not None

    def resume(self) -> None:
        """Make the esper world of the player's level the current one, after another game may have been on."""
        self.worlds.enter(self.map.level.id)

    def close(self) -> None:
        """Delete the esper worlds of the game: it can't be played any more."""
        self.worlds.close()

    def name_of_map(self, map_id: str) -> str:
        """Return what the player reads of a map."""
        return self.world.content.maps[self.world.node(map_id).name].name

    def title(self, map_id: str) -> str:
        """Return a map's name and depth."""
        return f"{self.name_of_map(map_id)}, depth {self.world.node(map_id).depth}"

    def foretaste(self, map_id: str) -> str:
        """Return what the player reads of a map before he has been there, empty for nothing."""
        return self.world.content.maps[self.world.node(map_id).name].text or ""

    def map_above(self) -> str | None:
        """Return the id of the map to which the way up leads: that from which one came, or else one leading here; or None."""
        here = self.map.level.id
        if self.world.node(here).one_way:
            return None
        above = (node.id for node in self.world.maps if here in node.leads_to)
        return self.map.came_from or next(above, None)

    def enter(self, map_id: str, came_from: str | None = None, *, going_up: bool = False) -> None:
        """Bring the player to a level: down to where it begins, or up to the exit that leads back here."""
        if came_from is not None:
            self.maps[came_from].remove(self.hero)
            self.maps[came_from].sight.forget_views()
        if map_id not in self.maps:
            self._open_map(map_id)
        self.worlds.enter(map_id)
        self.map, self.hero = self.maps[map_id], self._heroes[map_id]
        ways = {target: cell for cell, target in self.map.exits.items()}
        arrival = ways.get(came_from or "", self.map.level.entrance) if going_up else self.map.level.entrance
        if not going_up:
            self.map.came_from = came_from
        self.map.put(self.hero, self.map.nearest_free(arrival))
        self.update_sight()

    def _open_map(self, map_id: str) -> None:
        game_map = GameMap(self._make(map_id), self.worlds[map_id])
        self.maps[map_id] = game_map
        look = Appearance("@", (255, 255, 255), "you")
        self._heroes[map_id] = esper.create_entity(
            self._position, look, Blocks(), self.player, self.health, self.attack, self.body
        )
        for item, (effect, tag) in esper.get_components(ItemEffect, Tag):
            if effect.untried:
                risk = self.world.content.catalog.things["item"][tag.tag].faulty
                esper.add_component(item, replace(effect, risk=risk))
        for warning in dict.fromkeys(game_map.warnings):
            self.log.say(f"Content: {warning}.", "aside")
        bottom = max((node.depth for node in self.world.maps if not node.leads_to), default=None)
        if not game_map.exits and game_map.level.depth == bottom and not esper.get_component(Goal):
            place_goal(game_map, goal_of(self.world))

    def update_sight(self) -> None:
        """See what can be seen now, and remember it if anybody looks on."""
        game_map = self.map
        if game_map.has_changed:
            game_map.refresh()
        sight = game_map.sight
        sight.reach(self.body.build.sight)
        sight.update(game_map.transparent, self.player_cell)
        if self.watched and (area := sight.unfamiliar(game_map.version)) is not None:
            sight.remember(area, tiles(game_map, area, robots=False))

    def learn(self, part: NDArray[np.bool_]) -> None:
        """Let the player know how a part of his level looks, (height, width) bool, without being there."""
        game_map = self.map
        game_map.sight.explored |= part
        if self.watched:
            picture = tiles(game_map, Area(0, 0, game_map.height, game_map.width), robots=False)
            game_map.sight.memory[part] = picture[part]

    def note(self, kind: FactKind, entity: int | None = None, amount: int = 0) -> None:
        """Note that something has happened with an entity of the player's level."""
        if kind == "destroyed" and entity is not None:
            self.destroyed[esper.component_for_entity(entity, Appearance).name] += 1
            self.roused.discard((self.map.level.id, entity))
        if self.facts is None:
            return
        tag = "" if entity is None else esper.component_for_entity(entity, Tag).tag
        placement = None if entity is None else self.map.placements.get(entity)
        self.facts.append(Fact(kind, placement, tag, amount, entity))

    def refit(self) -> None:
        """Let the player be what the parts that are fitted make of him, or what is left without charge."""
        self.body.refit()
        self.attack.power = self.body.build.power

    def damage_player(self, damage: int, cause: str) -> None:
        """Take hit points from the player."""
        self.health.hp = max(self.health.hp - damage, 0)
        if damage:
            self.blows.append(Blow(self.log.turn, cause, damage))
        if self.health.hp == 0 and not self.is_over:
            self.ending, self.cause = "death", cause
            self.log.say("You fall apart...", "bad")


def place_goal(game_map: GameMap, name: str) -> None:
    """Put something worth finding as far from the entrance as there is a place for it."""
    level = game_map.level
    graph = tcod.path.SimpleGraph(cost=level.walkable.astype(np.int8), cardinal=1, diagonal=0)
    finder = tcod.path.Pathfinder(graph)
    finder.add_root(level.entrance)
    finder.resolve()
    walk = finder.distance.astype(np.int64)
    walk[~np.isin(level.base, (t.FLOOR, t.CORRIDOR, t.CAVE)) | ~level.walkable] = -1
    walk[walk > level.height * level.width] = -1  # no way leads there
    for entity, _ in esper.get_components(Tag, Position):
        for cell in cells_of(entity):
            walk[cell] = -1
    y, x = divmod(int(walk.argmax()), level.width) if walk.max() > 0 else level.entrance
    heart = esper.create_entity(
        Position(y, x),
        Appearance("*", (255, 214, 90), name),
        Tag("item", "heart"),
        Item(),
        ItemEffect(),
        Goal(),
        Description("It is warm, and it hums."),
    )
    game_map.lay(heart, [(y, x)])
