"""The state of a game: its levels, the player, the log and the goal. What changes it is in `game_demo.rules`."""

from __future__ import annotations

import random
import weakref
from collections import Counter, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

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
    EntityText,
    GoalItem,
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
    from game_demo.state.carried import FarOpener
    from game_demo.state.geometry import Cell
    from game_demo.state.log import Command, FactKind


# -- the goal --------------------------------------------------------------------------------------


def goal_of(world: World) -> str:
    """Return the name of the item that wins a game: the catalog's item with `goal: true`, else ``heart of`` the world's name."""
    return next((name for name, _ in _goals(world)), f"heart of {world.content.world.name}")


def errand(world: World) -> str:
    """Return the task of a world: the text of its author, else which item to take, and how deep it lies."""
    for _, keywords in _goals(world):
        if isinstance(told := keywords.get("errand"), str):
            return told
    depth = max(node.depth for node in world.maps)
    return f"Find the {goal_of(world)}, at depth {depth}, and take it: then you have won."


def _goals(world: World) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the name and keywords of each item that wins a game in a world."""
    for things in world.content.catalog.things.values():
        yield from ((each.name, each.data) for each in things.values() if each.data.get("goal") is True)


# -- esper worlds ----------------------------------------------------------------------------------

NEUTRAL = "default"
"""The name of esper's default world."""


class Worlds:
    """The esper worlds of one game, one for each level. They are deleted when the game is closed or garbage-collected."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._release = weakref.finalize(self, _delete, self._names.values())
        self._release.atexit = False

    def __getitem__(self, map_id: str) -> str:
        """Return the name of the esper world of a map."""
        if map_id not in self._names:
            self._names[map_id] = f"{map_id} of game {id(self):x}"
        return self._names[map_id]

    def enter(self, map_id: str) -> None:
        """Make the esper world of a map the current one."""
        if esper.current_world != self._names.get(map_id):
            esper.switch_world(self[map_id])

    def close(self) -> None:
        """Delete the esper worlds."""
        self._release()


def _delete(names: Iterable[str]) -> None:
    for name in names:
        if esper.current_world == name:
            esper.switch_world(NEUTRAL)
        if name in esper.list_worlds():
            esper.delete_world(name)


# -- the game --------------------------------------------------------------------------------------


class Arrival(NamedTuple):
    """A robot that follows the player from one level to another.

    Attributes:
        turn: The turn on which it arrives.
        robot: Its entity on the level that it leaves.
        map_id: The map of that level.
        cell: The cell where it arrives, on the player's level.
    """

    turn: int
    robot: int
    map_id: str
    cell: Cell


HP: Final = 30
LAST_BLOWS: Final = 4
"""How many of the last blows against the player are remembered."""


class Game:
    """A game in one world, from the first step to the end.

    Any number of games can be played at a time. `resume` makes a game's esper world the current one; commands call it, and so must
    code that reads components of one game after another. A game that is garbage-collected leaves nothing in esper.

    Args:
        world: The world to play in.
        start: The id of the first map; by default the start of the world.
        seed: Seeds the random stream of the rules, together with the world's seed.
        make: Makes the level of a map id; by default `world.level`. Games in one world may share `functools.cache(world.level)`,
            because levels never change.
        watched: Whether a screen shows the game. If not, the looks of remembered cells are not stored.
        crash_at: The turn on which the game raises an exception, to test that the terminal is restored.
        seed_text: The world's seed as the player typed it, if it was text; else empty.

    Attributes:
        maps: Map id -> the level, for visited maps; each stays as the player left it.
        map: The level on which the player is.
        worlds: The esper worlds of the levels.
        hero: The player's entity on that level. Its components are shared by all levels.
        clock: The time.
        body: The player's body. `health`, `attack` and `player` are his other components.
        rng: The random stream of the rules. Levels don't depend on it.
        facts: What has happened, for a bot's play to read and empty; None if it is not wanted.
        unsaved: Why the game is not saved as it should be, for the screen to show; empty if all is well.
        recorder: Called with the game and each command after it is done; None for none.
        is_acting: Whether a command is being carried out.
        taught: The names of the lessons given so far.
        ahead: Map id and goal cell of the way that the player was asked about last; None for none.
        read: The texts and names that the player has read.
        destroyed: Name -> how many robots of that name were destroyed.
        turned: Name -> how many robots of that name have changed sides.
        far_locks: The words of the locks whose keys lie on other levels.
        far_openers: What the player has that opens such locks, in the order in which he got it.
        arrivals: The robots that are on their way to the player's level.
        roused: Map id and entity of each robot that has been after the player and was neither destroyed nor won over.
        shut: Map id and cell of each door that the player has closed in sight of an enemy and not opened since.
        ending: How the game has ended; None while it is on.
        epilogue: The text of the goal that was taken; empty for none.
        cause: What destroyed the player.
        blows: The last blows against the player, oldest first.
        last_alarm: The turn of the last alarm of a terminal, or None.

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
        seed_text: str = "",
    ) -> None:
        self.world = world
        self.seed_text = seed_text
        self.unsaved = ""
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
        self.far_locks = frozenset(key.lock for key in world.keys)
        self.far_openers: list[FarOpener] = []
        self.arrivals: list[Arrival] = []
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
    def seed_words(self) -> str:
        """The world's seed as it was typed and, if it has one, its difficulty: ``seed 7, harsh``."""
        difficulty = f", {self.world.difficulty}" if self.world.difficulty else ""
        return f"seed {self.seed_text or self.world.seed}{difficulty}"

    @property
    def player_cell(self) -> Cell:
        """The player's cell."""
        return self._position.y, self._position.x

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.ending is not None

    def resume(self) -> None:
        """Make the esper world of the player's level the current one."""
        self.worlds.enter(self.map.level.id)

    def close(self) -> None:
        """Delete the esper worlds of the game. It can't be played any more."""
        self.worlds.close()

    def name_of_map(self, map_id: str) -> str:
        """Return the name of a map."""
        return self.world.content.maps[self.world.node(map_id).name].name

    def title(self, map_id: str) -> str:
        """Return a map's name and depth: ``The Foundry, depth 3``."""
        return f"{self.name_of_map(map_id)}, depth {self.world.node(map_id).depth}"

    def foretaste(self, map_id: str) -> str:
        """Return the text of a map for players who have not been there; empty for none."""
        return self.world.content.maps[self.world.node(map_id).name].text or ""

    def map_above(self, cell: Cell | None = None) -> str | None:
        """Return the id of the map that stairs up lead to; None for no map.

        Stairs of a tower always lead to the same map. Others lead to where the player came from, or to a map with stairs to this one.

        Args:
            cell: The cell of the stairs; by default the entrance.
        """
        here, back = self.map.level.id, self.map.back
        if (cell or self.map.level.entrance) in back:
            return back[cell or self.map.level.entrance]
        if self.world.node(here).one_way:
            return None
        above = [node.id for node in self.world.maps if here in node.leads_to]
        above.sort(key=lambda each: each in back.values())
        return self.map.came_from or next(iter(above), None)

    def enter(
        self,
        map_id: str,
        came_from: str | None = None,
        *,
        going_up: bool = False,
        arrival: Cell | None = None,
    ) -> None:
        """Bring the player to a level: to its entrance, or when going up to the exit that leads to where he came from.

        Args:
            map_id: The id of the level's map.
            came_from: The id of the map that he leaves; None at the beginning of the game.
            going_up: Whether he goes back.
            arrival: The cell at which he arrives, if he took the stairs of a tower.
        """
        if came_from is not None:
            self.maps[came_from].remove(self.hero)
            self.maps[came_from].sight.forget_views()
        if map_id not in self.maps:
            self._open_map(map_id)
        self.worlds.enter(map_id)
        self.map, self.hero = self.maps[map_id], self._heroes[map_id]
        if arrival is None:
            entrance, ways = self.map.level.entrance, {to: cell for cell, to in self.map.exits.items()}
            arrival = ways.get(came_from or "", entrance) if going_up else entrance
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
        if not game_map.exits and game_map.level.depth == bottom and not esper.get_component(GoalItem):
            place_goal(game_map, goal_of(self.world))

    def update_sight(self) -> None:
        """Compute which cells the player sees now, and remember how they look if a screen shows the game."""
        game_map = self.map
        if game_map.has_changed:
            game_map.refresh()
        sight = game_map.sight
        sight.reach(self.body.build.sight)
        sight.update(game_map.transparent, self.player_cell)
        if self.watched and (area := sight.unfamiliar(game_map.version)) is not None:
            sight.remember(area, tiles(game_map, area, robots=False))

    def learn(self, part: NDArray[np.bool_]) -> None:
        """Let the player know a part of his level, a (height, width) bool mask, without being there."""
        game_map = self.map
        game_map.sight.explored |= part
        if self.watched:
            picture = tiles(game_map, Area(0, 0, game_map.height, game_map.width), robots=False)
            game_map.sight.memory[part] = picture[part]

    def note(self, kind: FactKind, entity: int | None = None, amount: int = 0, tag: str = "") -> None:
        """Add a fact about an entity of the player's level, or about an item of the pack with this tag, if facts are wanted."""
        if kind == "destroyed" and entity is not None:
            self.destroyed[esper.component_for_entity(entity, Appearance).name] += 1
            self.roused.discard((self.map.level.id, entity))
        if self.facts is None:
            return
        tag = tag if entity is None else esper.component_for_entity(entity, Tag).tag
        placement = None if entity is None else self.map.placements.get(entity)
        self.facts.append(Fact(kind, placement, tag, amount, entity))

    def refit(self) -> None:
        """Compute what the player's body can do, after parts or charge have changed."""
        self.body.refit()
        self.attack.power = self.body.build.power

    def damage_player(self, damage: int, cause: str) -> None:
        """Take hit points from the player. At 0 the game is over."""
        self.health.hp = max(self.health.hp - damage, 0)
        if damage:
            self.blows.append(Blow(self.log.turn, cause, damage))
        if self.health.hp == 0 and not self.is_over:
            self.ending, self.cause = "death", cause
            self.log.say("You fall apart...", "bad")


def place_goal(game_map: GameMap, name: str) -> None:
    """Put the goal item on the free cell farthest from the entrance."""
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
        GoalItem(),
        EntityText("It is warm, and it hums."),
    )
    game_map.lay(heart, [(y, x)])
