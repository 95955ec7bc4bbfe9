"""The tour of a level being built: the stops of the walk through its stages, each with a few sentences and the cells that they are about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

import dungeon
from dungeon import Cell, Phase
from dungeon.level.flow import find_flow
from dungeon.proof.solution import solution_of
from dungeon.terrain import WALL
from game_demo.display.explanations import (
    decision_about,
    describe_contents,
    explain_placement,
    explain_refusal,
    placed_as,
    plain,
    weights_of,
)
from game_demo.rules.naming import listed, pluralized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon import Level, Placement, Recording, World
    from dungeon.proof.solution import Solution, SolvedLock

MOST: Final = 2
"""How many drawings of the level itself, and how many refusals, the tour shows at most."""

SENTENCES: Final = 4
"""How many sentences the tour says about a drawing; the rules that follow are left out."""

REFUSING: Final = ("place", "machines", "locks", "layout")
"""The stages whose refusals are told, the most telling first."""

PARTS: Final = 4
"""How many parts `most_telling` looks for."""

KINDS: Final = {"robot": "robot", "item": "item", "trap": "trap", "prop": "other object"}
"""The kinds of things that the tour counts -> the noun for one of them."""

ORDER: Final = [*Phase]


class Stop(NamedTuple):
    """A stop of the tour.

    Attributes:
        number: The step of the recording to show.
        title: What the stop is about, in a few words.
        text: Some sentences about it.
        cells: (height, width) bool, the cells to highlight; none for the whole level.
    """

    number: int
    title: str
    text: str
    cells: NDArray[np.bool_]


def tour_of(world: World, level: Level, recording: Recording) -> list[Stop]:
    """Return the stops of the tour of a level, in the order of the stages. A stage with nothing to tell has none.

    Args:
        world: The world of the level.
        level: The level.
        recording: The steps in which it was built.
    """
    return [*_Guide(world, level, recording).stops()]


def most_telling(world: World) -> str:
    """Return the id of the map with the most to show: the first with drawings of its own, encounters, refusals and a lock, or with most of them."""
    best, most = world.start.id, -1
    for node in world.maps:
        level = world.level(node.id)
        score = sum(
            (
                any(each.mode == "seeded" for each in level.placements),
                any(each.encounter for each in level.placements),
                any(each.verdict == "refused" and each.stage in REFUSING for each in level.journal),
                any(each.keys for each in solution_of(level).locks),
            )
        )
        if score > most:
            best, most = node.id, score
        if most == PARTS:
            break
    return best


class _Guide:
    """Writes the stops of a tour."""

    def __init__(self, world: World, level: Level, recording: Recording) -> None:
        self.world = world
        self.level = level
        self.recording = recording
        self.cases = world.why(level.id, level)
        self.flow = find_flow(
            level.terrain_set.passable[level.terrain],
            level.region,
            level.entrance,
            [Cell(each.y, each.x) for each in level.exits],
            level.leaps,
        )

    def stops(self) -> Iterator[Stop]:
        """Yield the stops."""
        yield self._plan()
        yield from self._drawn_first()
        yield from self._layout()
        yield from self._encounters()
        yield from self._refusals()
        yield from self._ground()
        yield self._stairs()
        yield from self._locks()
        yield from self._things()
        yield self._proof()

    def _stop(self, number: int, title: str, text: str, cells: NDArray[np.bool_] | None = None) -> Stop:
        return Stop(
            number, title, text, np.zeros(self.level.terrain.shape, np.bool_) if cells is None else cells
        )

    def _last(self, phase: Phase) -> int:
        """Return the number of the last step of a stage; of the stage before if it has none."""
        ends = [
            steps[-1]
            for each, steps in self.recording.phases.items()
            if ORDER.index(each) <= ORDER.index(phase)
        ]
        return max(ends, default=0)

    def _step_of(self, placement: Placement) -> int:
        """Return the number of the step in which a placement was made."""
        told = (number for number, text in enumerate(self.recording.messages) if placed_as(placement) in text)
        return next(told, self._last(Phase.PLACE))

    def _around(self, cells: Iterable[Cell]) -> NDArray[np.bool_]:
        """Return a mask of some cells and of their neighbours, so that they are easy to see."""
        found = np.zeros(self.level.terrain.shape, np.bool_)
        for y, x in cells:
            found[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = True
        return found

    def _covered(self, placements: Iterable[Placement]) -> NDArray[np.bool_]:
        """Return a mask of the cells of some placements."""
        found = np.zeros(self.level.terrain.shape, np.bool_)
        for each in placements:
            found[each.bounds.slices] = True
        return found

    # -- the stages -------------------------------------------------------------------------------

    def _plan(self) -> Stop:
        height, width = self.level.terrain.shape
        wanted = sum(bool(each.encounter) for each in self.level.placements)
        text = f"This is how {self._name(self.level.id)}, depth {self.level.depth}, was made. It begins as {width}x{height} cells of solid ground."
        if can := len(weights_of(self.cases)):
            text += (
                f" An encounter is a place with something to see, to take or to fight. This level gets {wanted}, drawn at "
                f"random from {can}; some have better odds than others."
            )
        return self._stop(0, "The plan", text)

    def _drawn_first(self) -> Iterator[Stop]:
        for each in [each for each in self.level.placements if each.mode == "seeded"][:MOST]:
            text = " ".join(explain_placement(self.world, self.level, each)[:SENTENCES])
            yield self._stop(self._step_of(each), "A drawing comes first", text, self._covered([each]))

    def _layout(self) -> Iterator[Stop]:
        number = self._last(Phase.LAYOUT)
        kinds = Counter(self.recording[number].kinds.values())
        told = [pluralized(count, plain(kind)) for kind, count in kinds.most_common() if kind != "prefab"]
        if told:
            text = f"Then the rest is dug: {', '.join(told)}. Each new piece is joined to one that is there already, so that all of them can be reached."
            yield self._stop(number, "The layout", text)

    def _encounters(self) -> Iterator[Stop]:
        """Yield a stop for an encounter for which the map was changed, and for the danger and the reward that fitted in fewest places."""
        found = [each for each in self.level.placements if each.encounter and each.prefab]
        why = [decision for each in found if (decision := decision_about(self.level, each)) is not None]
        places = sorted(
            zip(found, why, strict=False), key=lambda pair: sum(count for _, count in pair[1].counts)
        )
        picked = [each for each, decision in places if decision.reason.endswith("for it")][:1]
        for category in ("danger", "reward"):
            picked += [each for each, _ in places if each.category == category and each not in picked][:1]
        for each in sorted(picked, key=self._step_of):
            text = " ".join(explain_placement(self.world, self.level, each)[:SENTENCES])
            yield self._stop(self._step_of(each), "An encounter", text, self._covered([each]))

    def _refusals(self) -> Iterator[Stop]:
        """Yield a stop for what found no place, encounters before machines and others."""
        refused = [
            each for each in self.level.journal if each.verdict == "refused" and each.stage in REFUSING
        ]
        refused = sorted(refused, key=lambda each: REFUSING.index(each.stage))[:MOST]
        if refused:
            reasons = " ".join(f"{each.reason} " for each in refused)
            winners = [each for each in self.level.placements if f" {each.encounter} " in reasons]
            text = " ".join(map(explain_refusal, refused))
            yield self._stop(
                self._last(Phase.PLACE), "What was left out, and why", text, self._covered(winners)
            )

    def _ground(self) -> Iterator[Stop]:
        number = self._last(Phase.DRESS)
        changed = self.recording[self._last(Phase.PLACE)].terrain != self.recording[number].terrain
        changed &= self.level.base != WALL
        for y, x in self._stair_cells():
            changed[y, x] = False  # the stairs came later
        kinds = self.level.terrain_set.kinds  # by the names that the theme gives them in the end
        names = Counter(plain(kinds[code].name) for code in self.level.terrain[changed].tolist())
        if names:
            told = ", ".join(f"{name} ({pluralized(count, 'cell')})" for name, count in names.most_common(4))
            text = f"Then some of the floor is changed: {told}. This never blocks a way."
            yield self._stop(number, "Water, grass and rubble", text, changed)

    def _stairs(self) -> Stop:
        ways = [
            f"{pluralized(steps, 'step')} to {self._name(way.leads_to)}"
            for way, steps in zip(self.level.exits, self.flow.steps, strict=False)
            if steps is not None
        ]
        told = f"The shortest way is {', '.join(ways)}." if ways else "Nothing leads on from here."
        text = f"Here the player arrives, and here the level can be left. {told}"
        return self._stop(self._last(Phase.EXITS), "Stairs", text, self._around(self._stair_cells()))

    def _stair_cells(self) -> list[Cell]:
        """Return the cells of the entrance and the exits."""
        return [self.level.entrance, *(Cell(each.y, each.x) for each in self.level.exits)]

    def _name(self, map_id: str) -> str:
        return self.world.content.maps[self.world.node(map_id).name].name

    def _locks(self) -> Iterator[Stop]:
        """Yield a stop for a lock with a key on the level, a door before a box."""
        solution = solution_of(self.level)
        locks = [each for each in solution.locks if each.keys and each.sphere]
        for lock in sorted(locks, key=lambda each: each.what != "door")[:1]:
            keys = self._keys_of(lock, solution)
            cells = self._around(
                [lock.cell, *(cell for key in keys for cell in self.level.spawns[key].cells)]
            )
            yield self._stop(
                self._last(Phase.POPULATE),
                "A lock and its key",
                self._describe_lock(lock, keys, solution),
                cells,
            )

    def _keys_of(self, lock: SolvedLock, solution: Solution) -> list[int]:
        return [each.spawn for each in solution.keys if lock.word in each.words][: max(lock.needed, 1)]

    def _describe_lock(self, lock: SolvedLock, keys: list[int], solution: Solution) -> str:
        spawns = [self.level.spawns[key] for key in keys]
        names = listed(each.name for each in spawns)
        away = "" if lock.distance is None else f", {pluralized(lock.distance, 'step')} away"
        what = lock.what
        if what == "box":
            what = next((each.name for each in self.level.spawns if lock.cell in each.cells), what)
        count = (
            f" The level has {pluralized(len(solution.locks), 'lock')}." if len(solution.locks) > 1 else ""
        )
        is_held = all("holds" in each.keywords for each in spawns)
        key = f"The key is on {names}{away}" if is_held else f"What opens it: {names}{away}"
        return f"The {what} here is locked. {key}. It can be reached while the {what} is locked.{count}"

    def _things(self) -> Iterator[Stop]:
        number = self._last(Phase.POPULATE)
        counts = Counter[str](each.like for each in self.level.spawns)
        told = ", ".join(pluralized(counts[kind], noun) for kind, noun in KINDS.items() if counts[kind])
        if not told:
            return
        loose = sum(":" not in each.source for each in self.level.spawns if each.like in KINDS)
        text = f"Then the level is filled: {told}. "
        placed = [each for each in self.level.placements if each.category == "danger"]
        placed = [each for each in placed or self.level.placements if describe_contents(self.level, each)][:1]
        for each in placed:
            text += f"The {plain(each.prefab)} brings {describe_contents(self.level, each)}. "
        text += f"Scattered at random, outside of all drawings: {loose}." if loose else ""
        yield self._stop(number, "Who lives here", text.strip(), self._covered(placed))

    def _proof(self) -> Stop:
        faults = dungeon.prove(self.level, self.world)
        locks = len(solution_of(self.level).locks)
        opened = f", opens {pluralized(locks, 'lock')} with keys that it can reach" if locks else ""
        steps = max((each for each in self.flow.steps if each is not None), default=0)
        verdict = (
            f"It found {pluralized(len(faults), 'fault')}."
            if faults
            else "It found no fault, so the level may be played."
        )
        text = (
            f"At last another program checks the level. It walks from the stairs{opened}, and must reach every exit "
            f"and every room, except those sealed on purpose. {verdict} The longest way to an exit takes {pluralized(steps, 'step')}."
        )
        return self._stop(len(self.recording) - 1, "The proof", text, self.flow.way)
