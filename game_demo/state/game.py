"""The state of a game. What changes it is in `game_demo.rules`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, Literal

import esper
import numpy as np
import tcod.path

from dungeon import terrain as t
from game_demo.state.components import (
    Appearance,
    Blade,
    Blocks,
    Goal,
    Health,
    Item,
    Player,
    Position,
    Tag,
    Use,
    Words,
)
from game_demo.state.entities import cells_of, place_of
from game_demo.state.floor import Floor
from game_demo.state.geometry import area_around
from game_demo.state.log import Log
from game_demo.state.sight import REACH
from game_demo.state.tiles import tiles

if TYPE_CHECKING:
    from dungeon import World
    from game_demo.state.geometry import Place

HP: Final = 30
POWER: Final = 3


class Game:
    """A game in one world, from the first step to the end.

    esper's worlds belong to the whole process, and so only one game can be on at a time: a new game
    clears the levels of the one before away.

    Args:
        world: The world to play in.
        start: The id of the map to begin on, by default where the world begins.
        crash_at: The turn on which the game breaks down on purpose, to test what is left of the terminal.

    Attributes:
        floors: Map id -> the level, once it was visited; it is kept as the player left it.
        floor: The level on which the player is now. Its esper world is the current one.
        hero: The player's entity in that world; its components are the same ones on every level.
        luck: Where the rules draw chance from. The levels do not depend on it.
        ending: How the game has ended, if it has.
        cause: What the player died of.

    Raises:
        KeyError: The world has no map of that id.
    """

    def __init__(self, world: World, start: str | None = None, *, crash_at: int | None = None) -> None:
        self.world = world
        self.crash_at = crash_at
        self.luck = random.Random(f"{world.seed}")
        self.log = Log()
        self.health = Health(HP, HP)
        self.blade = Blade(POWER)
        self.player = Player()
        self.ending: Literal["victory", "death"] | None = None
        self.cause = ""
        self.floors: dict[str, Floor] = {}
        self._heroes: dict[str, int] = {}
        first = world.node(start or world.start.id)
        esper.switch_world("default")
        for node in world.maps:
            if node.id in esper.list_worlds():
                esper.delete_world(node.id)
        self.floor: Floor
        self.hero: int
        self.enter(first.id)
        self.log.say(f"You have come to {self.floor.level.name}. ? tells the keys.")

    @property
    def place(self) -> Place:
        """The player's cell."""
        return place_of(self.hero)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.ending is not None

    def name_of_map(self, map_id: str) -> str:
        """Return what the player reads of a map."""
        return self.world.content.maps[self.world.node(map_id).name].name

    def title(self, map_id: str) -> str:
        """Return a map's name and depth."""
        return f"{self.name_of_map(map_id)}, depth {self.world.node(map_id).depth}"

    def way_back(self) -> str | None:
        """Return the id of the map to which the way up leads: that from which one came, or else one leading here."""
        here = self.floor.level.id
        above = (node.id for node in self.world.maps if here in node.leads_to)
        return self.floor.came_from or next(above, None)

    def enter(self, map_id: str, came_from: str | None = None, *, going_up: bool = False) -> None:
        """Bring the player to a level: down to where it begins, or up to the exit that leads back here."""
        if came_from is not None:
            self.floors[came_from].lift(self.hero)
        if map_id not in self.floors:
            self._open_floor(map_id)
        esper.switch_world(map_id)
        self.floor, self.hero = self.floors[map_id], self._heroes[map_id]
        ways = {target: place for place, target in self.floor.exits.items()}
        arrival = (
            ways.get(came_from or "", self.floor.level.entrance) if going_up else self.floor.level.entrance
        )
        if not going_up:
            self.floor.came_from = came_from
        self.floor.put(self.hero, self.floor.nearest_free(arrival))
        self.look()

    def _open_floor(self, map_id: str) -> None:
        floor = Floor(self.world.level(map_id))
        self.floors[map_id] = floor
        look = Appearance("@", (255, 255, 255), "you")
        self._heroes[map_id] = esper.create_entity(
            Position(*floor.level.entrance), look, Blocks(), self.player, self.health, self.blade
        )
        for complaint in dict.fromkeys(floor.complaints):
            self.log.say(f"Content: {complaint}.", "aside")
        bottom = max((node.depth for node in self.world.maps if not node.leads_to), default=None)
        if not floor.exits and floor.level.depth == bottom and not esper.get_component(Goal):
            lay_goal(floor, self.world.content.world.name)

    def look(self, *, remember: bool = True) -> None:
        """See what can be seen now."""
        floor = self.floor
        floor.refresh()
        floor.sight.look(floor.transparent, self.place)
        if remember:
            area = area_around(self.place, REACH, floor.codes.shape)
            floor.sight.remember(area, tiles(floor, area, robots=False))

    def hurt(self, damage: int, cause: str) -> None:
        """Take hit points from the player."""
        self.health.now = max(self.health.now - damage, 0)
        if self.health.now == 0 and not self.is_over:
            self.ending, self.cause = "death", cause
            self.log.say("You fall apart...", "bad")


def lay_goal(floor: Floor, world_name: str) -> None:
    """Put something worth finding as far from the entrance as there is a place for it."""
    level = floor.level
    graph = tcod.path.SimpleGraph(cost=level.walkable.astype(np.int8), cardinal=1, diagonal=0)
    finder = tcod.path.Pathfinder(graph)
    finder.add_root(level.entrance)
    finder.resolve()
    walk = finder.distance.astype(np.int64)
    walk[~np.isin(level.base, (t.FLOOR, t.CORRIDOR, t.CAVE)) | ~level.walkable] = -1
    walk[walk > level.height * level.width] = -1  # no way leads there
    for entity, _ in esper.get_component(Tag):
        for cell in cells_of(entity):
            walk[cell] = -1
    y, x = divmod(int(walk.argmax()), level.width) if walk.max() > 0 else level.entrance
    esper.create_entity(
        Position(y, x),
        Appearance("*", (255, 214, 90), f"heart of {world_name}"),
        Tag("item", "heart"),
        Item(),
        Use(),
        Goal(),
        Words("It is warm, and it hums."),
    )
