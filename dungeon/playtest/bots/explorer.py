"""A bot that explores each map, takes items, opens locks, goes down, and walks around robots that it fears to fight.

A wish is something that the bot would like to do, such as to take an item. A plan is a path to the best wish that can be reached,
and the actions at its end. The bot makes a new plan when the last one is done, or when something new is in sight.


Masks of cells are integers with one bit for each cell (`dungeon.grid.bits`). Paths to the nearest of several cells are found by
breadth-first search: a mask of reached cells grows by one step in all eight directions at a time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from dungeon.grid.bits import Board
from dungeon.playtest.game import STEPS, Action, Ground

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.playtest.game import Observation, Play, Thing


Cell = tuple[int, int]

BERTH: Final = 3
"""Paths keep more than this many steps away from a feared robot."""
FEARS: Final = 3
"""After it has begun to avoid a robot this many times, the bot no longer fears it: it can't get away."""
FAR: Final = 9999
"""More steps than any path has."""

UNKNOWN: Final = int(Ground.UNKNOWN)
WALL: Final = int(Ground.WALL)
FLOOR: Final = int(Ground.FLOOR)
FEW: Final = (Ground.LOCKED, Ground.TRAP, Ground.DOWN, Ground.UP, Ground.PORTAL)
"""Kinds of ground of which a map has few cells; their cells are listed."""
IS_FEW: Final = bytes(kind in FEW for kind in range(256))
"""Table for `bytes.translate`: 1 for the kinds in `FEW`, else 0."""


def steps_between(one: Cell, other: Cell) -> int:
    """Return the number of 8-neighbour steps between two cells, ignoring walls."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


class BotMap:
    """A bot's knowledge of one map.

    Attributes:
        board: The size of the map, and which bit of a mask is which cell.
        passable: Mask of cells that can be walked on without harm.
        edge: Mask of passable cells beside unknown ones where the bot has not stood yet.
        visited: Mask of cells where the bot has stood.
        traps: Mask of trap cells.
        tried: Cell of a prop or door that the bot has walked into -> the keys that it had found by then; for a door, the keys
            plus the levers that it had pulled. It tries again when it has more.
        pulls: Number of times the bot has walked into a prop that works, such as a lever.
        used: Cell of stairs or a portal -> number of times the bot has left the map there.
        feared: Number of each robot that the bot avoids -> cell where it was last seen.
        dared: Numbers of the robots that the bot fights though it feared them.
        fled: Number of steps spent running from robots.
        searched: Mask of cells from which the bot has searched.
        left: `Thing.number` of each item that the bot has once tried to take; it does not try again.
    """

    def __init__(self, observation: Observation) -> None:
        height, width = observation.ground.shape
        self.board = Board(height, width)
        self.passable = 0
        self.traps = 0
        self.edge = 0
        self.visited = 0
        self.tried: dict[Cell, int] = {}
        self.pulls = 0
        self.used: Counter[Cell] = Counter()
        self.feared: dict[int, Cell] = {}
        self.dared: set[int] = set()
        self.fled = 0
        self._fears: Counter[int] = Counter()
        self.searched = 0
        self.left: set[int] = set()
        self._version = -1
        self._ground = b""
        self._beside_unknown = 0
        self._walls = 0
        self._cells: dict[int, list[Cell]] = {}

    def update(self, observation: Observation) -> None:
        """Update the bot's knowledge of the map from a new observation."""
        if observation.version != self._version:
            self._version = observation.version
            self._draw(observation.ground)
        self.edge = self.passable & self._beside_unknown & ~self.visited

    def _draw(self, ground: NDArray[np.uint8]) -> None:
        """Rebuild the masks from `ground`, (height, width) of `Ground`, if it has changed."""
        kinds = ground.tobytes()
        if kinds == self._ground:
            return
        self._ground = kinds
        self.passable = self.board.from_array(ground >= FLOOR)
        self._beside_unknown = self.board.beside(self.board.from_array(ground == UNKNOWN))
        self._walls = self.board.from_array(ground == WALL)
        self._cells = {}
        flags, place = kinds.translate(IS_FEW), -1
        while (place := flags.find(1, place + 1)) >= 0:
            self._cells.setdefault(kinds[place], []).append(divmod(place, self.board.width))
        self.traps = self.mask(self.cells_of(Ground.TRAP))

    def cells_of(self, kind: Ground) -> list[Cell]:
        """Return the cells of a kind of ground that has few of them (`FEW`: stairs, traps, locked doors, portals), row by row."""
        return self._cells.get(kind, [])

    @property
    def unsearched(self) -> int:
        """Mask of passable cells beside a wall with unknown ground behind it, where the bot has not searched yet."""
        walls = self._walls & self._beside_unknown & ~self.board.around(self.searched)
        return self.passable & self.board.beside(walls)

    def bit(self, cell: Cell) -> int:
        """Return the mask of one cell."""
        return 1 << (cell[0] * self.board.stride + cell[1])

    def mask(self, cells: Iterable[Cell]) -> int:
        """Return the mask of several cells."""
        return self.board.from_cells(cells)

    def berth(self, here: Cell) -> int:
        """Return the mask of cells up to `BERTH` steps from a feared robot, which paths avoid; never with the bot's cell `here`."""
        found = 0
        for cell in self.feared.values():
            bits = self.bit(cell)
            for _ in range(min(BERTH, steps_between(cell, here) - 1)):
                bits = self.board.around(bits)
            found |= bits
        return found

    def fear(self, robot: Thing) -> None:
        """Avoid a robot from now on; if the bot has already begun to avoid it `FEARS` times, fight it instead."""
        if robot.number not in self.feared:
            self._fears[robot.number] += 1
        self.feared[robot.number] = robot.cell
        if self._fears[robot.number] > FEARS:
            self.dared.add(robot.number)
            del self.feared[robot.number]

    def forget_absent(self, observation: Observation) -> None:
        """Stop fearing each robot whose last known cell is in sight while the robot itself is not."""
        here = {robot.number for robot in observation.robots}
        for number, cell in [*self.feared.items()]:
            if number not in here and observation.visible[cell]:
                del self.feared[number]

    def dare(self) -> None:
        """Make the bot fight all robots that it has avoided until now."""
        self.dared |= self.feared.keys()
        self.feared.clear()

    def way(
        self, start: Cell, goals: int, *, barred: int = 0, traps: bool = False, limit: int = FAR
    ) -> list[Cell]:
        """Return a shortest path to the nearest goal as a list whose last element is the next cell; empty if no goal is within `limit`.

        Args:
            start: The first cell, which is no goal and not in the path.
            goals: Mask of the goals; they need not be passable.
            barred: Mask of cells that the path must avoid.
            traps: Whether the path may cross traps.
            limit: Maximum number of steps.
        """
        front, stride = self.bit(start), self.board.stride
        walkable = self.passable | self.traps if traps else self.passable
        open_ = (walkable & ~barred | goals) & ~front
        layers = [front]
        while front and len(layers) <= limit:
            wide = front | front << 1 | front >> 1
            front = (wide | wide << stride | wide >> stride) & open_
            if hits := front & goals:
                return self._back(layers, hits)
            open_ ^= front
            layers.append(front)
        return []

    def _back(self, layers: list[int], hits: int) -> list[Cell]:
        """Return the path to a goal that a breadth-first search has found, as a list whose last element is the first step.

        Args:
            layers: For each distance 0, 1, 2... from the start, the mask of the cells at that distance.
            hits: Mask of the goals found, all equally near; the first in row order is taken.
        """
        stride, place = self.board.stride, (hits & -hits).bit_length() - 1
        block = 7 | 7 << stride | 7 << 2 * stride  # 3x3 cells
        up = stride + 1  # from the first bit of the block to its middle
        way = []
        for layer in reversed(layers):
            way.append(divmod(place, stride))
            near = layer << up >> place & block
            place += (near & -near).bit_length() - 1 - up
        return way

    def reached(self, start: Cell) -> int:
        """Return the mask of cells that can be walked to from `start`."""
        front = seen = self.bit(start)
        while front := self.board.around(front) & self.passable & ~seen:
            seen |= front
        return seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """The decisions of an exploring bot as numbers. Shares are of hit points, from 0 to 1.

    Attributes:
        nerve: The bot fights if the expected loss is at most this share of its hit points; else it runs.
        mends_below: Below this share of full hit points it uses healing items in a fight.
        rests_below: Below this share it rests when no hostile robot is in sight.
        rests_until: Share at which it stops resting.
        detour: Maximum number of steps it goes for an item or for something that may hold one.
        thorough: Whether it explores the whole level before it goes down.
        searches: Whether it then searches along every wall with unknown ground behind it. This is slow; no built-in bot does it.
    """

    nerve: float
    mends_below: float
    rests_below: float
    rests_until: float
    detour: int
    thorough: bool
    searches: bool = False


TEMPERS: Final = {
    "cautious": Temper(
        nerve=0.5, mends_below=0.5, rests_below=0.7, rests_until=1.0, detour=40, thorough=True
    ),
    "greedy": Temper(
        nerve=1.0, mends_below=0.4, rests_below=0.4, rests_until=0.8, detour=9999, thorough=True
    ),
    "hasty": Temper(nerve=0.8, mends_below=0.3, rests_below=0.25, rests_until=0.5, detour=5, thorough=False),
}
"""Name of an exploring bot -> its temper."""


def expected_loss(power: int, foes: Sequence[Thing]) -> float:
    """Return the expected loss of hit points when fighting all of `foes`, weakest first, while all that are left strike back.

    A blow of power p does (p + 1) / 2 on average.

    Args:
        power: Maximum damage of the player's blows.
        foes: The robots.
    """
    loss, strength = 0.0, sum((foe.power + 1) / 2 for foe in foes)
    for foe in sorted(foes, key=lambda each: each.hp):
        loss += ceil(foe.hp / ((power + 1) / 2)) * strength
        strength -= (foe.power + 1) / 2
    return loss


def farther_from(foes: Sequence[Cell], here: Cell, chart: BotMap) -> Cell | None:
    """Return the passable cell beside `here` that is farthest from the nearest foe; None if `here` itself is as far from it."""

    def distance(cell: Cell) -> int:
        """Return the number of steps from a cell to the nearest foe."""
        return min(steps_between(cell, foe) for foe in foes)

    near = [(here[0] + dy, here[1] + dx) for dy, dx in STEPS]
    open_ = [cell for cell in near if chart.passable & chart.bit(cell) and cell not in foes]
    best = max(open_, key=distance, default=here)
    return best if distance(best) > distance(here) else None


STEP_TO: Final = {step: Action(number) for number, step in enumerate(STEPS)}

OBJECT: Final = int(Ground.OBJECT)
BUMPED: Final = (int(Ground.LOCKED), OBJECT)
"""Kinds of ground that are used by walking into them."""
WAYS_OUT: Final = (Action.DOWN, Action.UP, Action.CROSS)
EXIT: Final = int(Ground.DOWN)

CLOSE: Final = 5
"""The bot runs from a robot that it does not dare to fight once it is this near, in steps."""
FLIGHT: Final = 30
"""Maximum number of steps that it runs on one map; then it fights."""
LONG_REST: Final = 60
"""Maximum number of turns of one rest, for each hit point of the player's maximum plus one."""
SEARCHES: Final = 6
"""Number of turns spent searching in one place."""
LOW: Final = 0.3
"""Below this share of full charge, the bot uses charging items and looks for a charger or the way out."""
PATIENCE: Final = 12
"""After this many actions on one cell, without resting or a robot in sight, it takes a random action."""
BOREDOM: Final = 250
"""After this many actions without a new discovery, it fights all feared robots and takes a random action."""


class Explorer:
    """An exploring bot. One instance plays one game.

    Args:
        temper: How it decides.
        rng: The random stream for three decisions: what to do when it is stuck, whether to go back up, and where to search.
    """

    def __init__(self, temper: Temper, rng: random.Random) -> None:
        self.temper = temper
        self._rng = rng
        self._charts: dict[str, BotMap] = {}
        self._map_id = ""
        self._chart: BotMap
        self._way: list[Cell] = []
        self._then: list[Action] = []
        self._sights: tuple[int, ...] = ()
        self._before: tuple[Cell, int] = ((0, 0), -1)
        self._still = self._stuck = self._bored = 0
        self._learned = -1
        self._rest_since: int | None = None

    def choose(self, play: Play) -> Action:
        """Return the next action."""
        seen = play.observe()
        if seen.map_id != self._map_id:
            self._arrive(seen)
        if self._is_stuck(seen):
            self._drop_plan()
            return self._rng.choice(play.legal())
        self._chart.visited |= self._chart.bit(seen.cell)
        foes = [robot for robot in seen.robots if robot.power and not robot.yields]
        sights = (len(seen.things), *(foe.number for foe in foes))
        if sights != self._sights:
            self._sights = sights
            self._drop_plan()
        action = self._face(seen, foes) if foes else self._rest(seen)
        if action is None and seen.strengthening:
            action = Action.STRENGTHEN
        if action is None and seen.recharging and _is_low(seen):
            action = Action.RECHARGE
        return self._follow(seen) if action is None else action

    def _arrive(self, seen: Observation) -> None:
        """Switch to the `BotMap` of the map that the bot has come to, kept from an earlier visit or new; drop the plan."""
        self._map_id = seen.map_id
        self._chart = self._charts.setdefault(seen.map_id, BotMap(seen))
        self._drop_plan()

    def _drop_plan(self) -> None:
        self._way, self._then = [], []

    def _is_stuck(self, seen: Observation) -> bool:
        """Tell whether the last actions have had no effect, or found nothing new, for too long.

        If nothing new was found in `BOREDOM` actions, the bot from now on fights the robots that it has avoided.
        """
        cell, turn = self._before
        self._before = seen.cell, seen.turn
        is_waiting = self._rest_since is not None or bool(seen.robots)
        self._still = self._still + 1 if seen.cell == cell and not is_waiting else 0
        self._stuck = self._stuck + 1 if (seen.cell, seen.turn) == (cell, turn) else 0
        self._bored = self._bored + 1 if seen.version == self._learned and self._rest_since is None else 0
        self._learned = seen.version
        if self._bored >= BOREDOM:
            self._bored = 0
            self._chart.dare()
            return True
        # Three actions that passed no turn, or a long stay on one cell.
        if self._stuck >= 3 or self._still >= PATIENCE:
            self._still = self._stuck = 0
            return True
        return False

    # -- robots, and how to survive them ------------------------------------------------------------

    def _face(self, seen: Observation, foes: list[Thing]) -> Action | None:
        """Return the action against the hostile robots `foes`: fight, heal or run; None if they need no action."""
        self._rest_since = None
        beside = [foe for foe in foes if steps_between(foe.cell, seen.cell) == 1]
        if beside and seen.mending and seen.hp < self.temper.mends_below * seen.max_hp:
            return Action.MEND
        if not self._dares(seen, foes) and self._chart.fled < FLIGHT:
            if min(steps_between(foe.cell, seen.cell) for foe in foes) > CLOSE:
                return None
            self._chart.fled += 1
            self._drop_plan()
            if seen.ground[seen.cell] == EXIT:
                return Action.DOWN
            self._chart.update(seen)
            away = farther_from([foe.cell for foe in foes], seen.cell, self._chart)
            if away is not None:
                return _step(seen.cell, away)
        if beside and seen.shot <= seen.power:
            weakest = min(beside, key=lambda foe: (foe.hp, foe.number))
            return _step(seen.cell, weakest.cell)
        return Action.FIRE if seen.shot else None

    def _dares(self, seen: Observation, foes: list[Thing]) -> bool:
        """Return whether the bot accepts a fight with all of `foes`; if not, mark them as robots to avoid."""
        chart = self._chart
        chart.forget_absent(seen)
        doubtful = [foe for foe in foes if foe.number not in chart.dared]
        is_safe = expected_loss(max(seen.power, seen.shot), doubtful) <= self.temper.nerve * seen.hp
        if is_safe and not any(foe.number in chart.feared for foe in doubtful):
            return True
        for foe in doubtful:
            chart.fear(foe)
        return False

    def _rest(self, seen: Observation) -> Action | None:
        """Return `Action.WAIT` while resting is needed and helps; else None."""
        share = seen.hp / seen.max_hp
        if self._rest_since is None:
            if share >= self.temper.rests_below or _is_low(seen):
                return None
            self._rest_since = seen.turn
            self._drop_plan()
        if share >= self.temper.rests_until or seen.turn - self._rest_since > LONG_REST * (1 + seen.max_hp):
            self._rest_since = None
            return None
        return Action.WAIT

    # -- where to go --------------------------------------------------------------------------------

    def _follow(self, seen: Observation) -> Action:
        """Return the next action of the plan; if there is none, plan first."""
        way = self._way
        if way and way[-1] == seen.cell:
            way.pop()
            self._chart.tried[seen.cell] = seen.keys
        if not way and not self._then:
            self._plan(seen)
            way = self._way
        if way:
            step = way[-1][0] - seen.cell[0], way[-1][1] - seen.cell[1]
            if step in STEP_TO:
                if seen.ground[way[-1]] in BUMPED:
                    self._work(way.pop(), seen)
                    way.clear()
                return STEP_TO[step]
            self._drop_plan()
        action = self._then.pop() if self._then else Action.SEARCH
        if action == Action.TAKE:
            self._chart.left.update(thing.number for thing in seen.things if thing.cell == seen.cell)
        elif action in WAYS_OUT:
            self._chart.used[seen.cell] += 1
        elif action == Action.SEARCH:
            self._chart.searched |= self._chart.bit(seen.cell)
        return action

    def _work(self, cell: Cell, seen: Observation) -> None:
        """Note that the bot walks into the prop or door on `cell`, so that it does not try the same one over and over.

        A prop may be a lever that opens locks. So after walking into a prop, the bot tries locked doors again.
        """
        chart = self._chart
        if seen.ground[cell] == OBJECT:
            chart.pulls += 1
            chart.tried[cell] = seen.keys
        else:
            chart.tried[cell] = self._openers(seen)

    def _openers(self, seen: Observation) -> int:
        """Return the number of keys found and levers pulled so far."""
        return seen.keys + self._chart.pulls

    def _plan(self, seen: Observation) -> None:
        """Plan a path to a goal: over safe ground; else past feared robots; else over traps; else search for hidden things."""
        chart = self._chart
        chart.update(seen)
        if self._wish(seen, barred=chart.berth(seen.cell)):
            return
        if chart.feared:
            chart.dare()
            if self._wish(seen):
                return
        if not (chart.traps and self._wish(seen, traps=True)):
            self._search(seen)

    def _wish(self, seen: Observation, *, barred: int = 0, traps: bool = False) -> bool:
        """Plan a path to the best of `_wishes` that can be reached; return False if none can.

        Args:
            seen: What the bot knows.
            barred: Mask of cells that the path must avoid.
            traps: Whether the path may cross traps.
        """
        chart = self._chart
        for goals, then, limit in self._wishes(seen):
            if then and chart.bit(seen.cell) & goals:
                self._go([], then)
                return True
            if way := chart.way(seen.cell, goals, barred=barred, traps=traps, limit=limit):
                self._go(way, then)
                return True
        return False

    def _go(self, way: list[Cell], then: Iterable[Action]) -> None:
        """Set the plan: the path `way`, whose last element is the next cell, and the actions `then` at its end."""
        self._way, self._then = way, [*then]

    def _wishes(self, seen: Observation) -> Iterator[tuple[int, tuple[Action, ...], int]]:
        """Yield what the bot would like to do, the best first: (mask of goal cells, actions on a goal cell, maximum steps to it)."""
        chart, temper = self._chart, self.temper
        items = [each for each in seen.things if each.kind == "item" and each.number not in chart.left]
        for wanted, limit in (
            ([each for each in items if each.goal], FAR),
            ([each for each in items if each.key], FAR if temper.thorough else 2 * temper.detour),
            (items, temper.detour),
        ):
            if wanted:
                yield chart.mask(each.cell for each in wanted), (Action.TAKE,), limit
        is_low = _is_low(seen)
        if is_low and (chargers := [each.cell for each in seen.things if each.charger]):
            yield chart.mask(chargers), (), FAR
        untried = self._untried(seen)
        if untried and temper.detour >= FAR:
            yield chart.mask(untried), (), FAR
        exits = chart.cells_of(Ground.DOWN)
        if is_low or not temper.thorough:
            yield from self._ways_out(exits, Action.DOWN)
        if chart.edge:
            yield chart.edge, (), FAR
        if untried:
            yield chart.mask(untried), (), FAR
        if temper.searches:
            yield chart.unsearched, (Action.SEARCH,), FAR
        yield from self._ways_out(exits, Action.DOWN)
        yield from self._ways_out(chart.cells_of(Ground.PORTAL), Action.CROSS)

    def _untried(self, seen: Observation) -> list[Cell]:
        """Return the cells of props that work, and of locked doors if keys or levers may have opened them since the last try."""
        chart, openers = self._chart, self._openers(seen)
        props = [each.cell for each in seen.things if each.works and chart.tried.get(each.cell) != seen.keys]
        doors = chart.cells_of(Ground.LOCKED) if openers else []
        return props + [cell for cell in doors if chart.tried.get(cell) != openers]

    def _ways_out(self, cells: list[Cell], then: Action) -> Iterator[tuple[int, tuple[Action, ...], int]]:
        """Yield wishes to leave the map by stairs or portals, first those that the bot has used least: see `_wishes`.

        Args:
            cells: The cells of the stairs or portals.
            then: The action there, such as `Action.DOWN`.
        """
        used = self._chart.used
        for times in sorted({used[cell] for cell in cells}):
            yield self._chart.mask(cell for cell in cells if used[cell] == times), (then,), FAR

    def _search(self, seen: Observation) -> None:
        """Plan to search in a random place within reach, beside a wall that may hide something if possible.

        One time in 16, plan to go up instead, if stairs up are within reach. Props and doors may be tried again after this.
        """
        chart, rng = self._chart, self._rng
        chart.tried.clear()
        way_up = chart.way(seen.cell, chart.mask(chart.cells_of(Ground.UP)))
        if way_up and rng.random() < 1 / 16:  # rarely: about 15 searches come first
            self._go(way_up, [Action.UP])
            return
        reached = chart.reached(seen.cell) & ~chart.bit(seen.cell)
        if reached:
            reached = reached & chart.unsearched or reached  # prefer walls that may hide something
            place = chart.board.nth(reached, rng.randrange(reached.bit_count()))
            self._go(chart.way(seen.cell, chart.bit(place)), [Action.SEARCH] * SEARCHES)


def _is_low(seen: Observation) -> bool:
    """Tell whether less than the share `LOW` of the player's full charge is left."""
    return seen.charge < LOW * seen.max_charge


def _step(here: Cell, there: Cell) -> Action:
    """Return the step action from a cell to a neighbour."""
    return STEP_TO[there[0] - here[0], there[1] - here[1]]
