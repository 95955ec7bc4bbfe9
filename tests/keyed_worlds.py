"""Worlds whose locks have keys on other maps, drawn at random; and a player who tries everything in them, map by map.

The player knows nothing but the levels: where he walks, which exits he gets to, and which keys he can take with those that he has. He may
leave a key where it lies, and take any exit; where a map is one-way he does not get back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from walker import beside

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from walker import Cell

    from dungeon import Level, Lock, Spawn, World

Keys = frozenset[tuple[str, int]]
"""Keys of other maps that the player has: (map id, index in `Level.spawns`)."""
Stand = tuple[tuple[str, ...], Keys]
"""The maps that the player can go back through, with the one where he is at the end; and the keys that he has."""

# -- games at random --------------------------------------------------------------------------------

OBJECTS = """\
card: {name: card, glyph: "?"}
seal: {name: seal, glyph: "*"}
"""
PROPS = """\
switch: {name: switch, glyph: "/", blocks: true}
crate: {name: crate, glyph: "0"}
chest: {name: chest, glyph: "&", blocks: true}
"""
ROBOTS = 'warden: {name: warden, glyph: "W"}\nrat: {name: rat, glyph: "r"}\n'
PREFABS = """\
vault:
  map: |
    #####
    #..c#
    ##L##
    #...#
    #...#
    ##.##
  legend:
    L: {terrain: locked_door, lock: {vault}}
    c: {prop: chest, lock: {chest}}
"""
STORE = "store:\n  category: reward\n  prefabs: vault\n  placing: enclosed\n  maps:\n"
OPENERS = (
    "{item: card}",
    "{prop: switch}",
    "{robot: warden}",
    "[{item: card}, {robot: warden}]",
    "{item: seal, count: 2}",
)


def game(random: Random) -> dict[str, str]:
    """Return the files of a game: three locks with keys on other maps, on maps of several branches."""
    far = ("red", "green", "blue")
    ways, branches, long = [f"main: 1..{random.randint(2, 4)}"], ["main"], ["main"]
    for name in ("lava", "ice", "attic")[: random.randint(1, 3)]:
        first = random.randint(1, 3)
        last = first + random.randint(0, 2)
        more = [f"depths: {first}..{last}", f"entered_from: {random.choice(branches)}/*"]
        if random.random() < 0.3:
            more.append("chance: 60%")
        ways.append(f"{name}: {{{', '.join(more)}}}")
        branches.append(name)
        long += [name] if last > first else []
    one_way = [f"{each}/*" for each in branches[1:] if random.random() < 0.25]
    one_way += ["main/2"] if random.random() < 0.2 else []
    locks = []
    for name in far:
        opener = random.choice(OPENERS)
        maps = random.sample(branches, random.randint(1, len(branches)))
        keys = ", keys: 3" if "count" in opener else ""
        locks.append(
            f"{name}: {{name: {name} lock, opened_by: {opener}{keys}, keys_on: [{', '.join(f'{each}/*' for each in maps)}]}}"
        )
    locks.append("tin: {name: tin, opened_by: {item: card}}")
    locks.append("zinc: {name: zinc, opened_by: {prop: switch}}")
    locks.append("inner: {name: inner, opened_by: {lock: zinc}}")
    files = {
        "objects/items.yaml": OBJECTS,
        "objects/props.yaml": PROPS,
        "objects/robots.yaml": ROBOTS,
        "locks.yaml": "\n".join(locks) + "\n",
        "world.yaml": "start: main/1\nmaps:\n"
        + "".join(f"  {way}\n" for way in ways)
        + "leads_to:\n"
        + "".join(f"  {each}/*: {each}/+1\n" for each in long)
        + (f"one_way: [{', '.join(one_way)}]\n" if one_way else ""),
        "prefabs/vault.yaml": PREFABS.replace("{vault}", random.choice((*far, "tin"))).replace(
            "{chest}", random.choice((*far, "zinc"))
        ),
        "encounters/all.yaml": STORE + "".join(f"    {each}: 3\n" for each in branches),
    }
    for name in branches:
        files[f"maps/{name}.yaml"] = _map(name, far, random)
    return files


def _map(name: str, far: tuple[str, ...], random: Random) -> str:
    locks = [
        f"{lock}: {{count: 1, on: {random.choice(('way', 'room'))}}}"
        for lock in random.sample((*far, "tin", "zinc", "inner"), random.randint(1, 4))
    ]
    layout = random.choice(("tunnels", "tunnels", "mines", "patchwork", "cards"))
    size = {"tunnels": "60x34", "mines": "60x34", "patchwork": "80x50", "cards": "80x50"}[layout]
    said = layout
    if layout in ("patchwork", "cards"):
        zones = ["near: {}"]
        for zone in ("far", "deep")[: random.randint(1, 2)]:
            lock = f", lock: {random.choice((*far, 'tin'))}" if random.random() < 0.7 else ""
            zones.append(f"{zone}: {{join: {random.choice(('bridge', 'tumour'))}{lock}}}")
        inner = ", ".join(zones)
        said = f"{{{layout}: {{zones: {{{inner}}}}}}}"
    return (
        f"{name}:\n  name: {name}\n  size: {size}\n  layout: {said}\n  encounters: 0..3\n"
        f"  locks: {{{', '.join(locks)}}}\n  population: [{{robot: rat, count: 2}}, {{prop: crate, count: 3}}]\n"
    )


# -- the player -------------------------------------------------------------------------------------


class Visit(NamedTuple):
    """What the player gets to on a map with the keys that he has.

    Attributes:
        exits: The maps to whose exits he gets.
        keys: The keys for other maps that he can take.
        shut: The words of the locks that stay shut.
        missed: How many clear cells he does not get to.
    """

    exits: frozenset[str]
    keys: Keys
    shut: frozenset[str]
    missed: int


class _Place:
    """A level on which the player walks about, opening locks.

    Attributes:
        level: The level.
        clear: The cells on which he can stand, once he gets there.
        seen: Those to which he gets.
        shut: The locks that are shut.
        opened: The words of those that he has opened.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        bases, walkable = level.base.tolist(), level.walkable.tolist()
        self.stopped = {
            cell for each in level.spawns if each.blocks and each.like != "robot" for cell in each.cells
        }
        self.clear = {
            (y, x)
            for y in range(level.height)
            for x in range(level.width)
            if walkable[y][x] and bases[y][x] != t.LOCKED_DOOR and (y, x) not in self.stopped
        }
        self.shut = list(level.locks)
        self.opened: set[str] = set()
        self.boxes = {
            (lock.y, lock.x): index
            for index, each in enumerate(level.spawns)
            for lock in level.locks
            if "lock" in each.keywords and (each.y, each.x) == (lock.y, lock.x)
        }
        self.seen = self.walk()

    def walk(self) -> set[Cell]:
        """Return where he gets, by steps and by portals that are not locked."""
        closed = {(lock.y, lock.x) for lock in self.shut}
        leaps: dict[Cell, set[Cell]] = defaultdict(set)
        for portal in self.level.portals:
            if (portal.y, portal.x) not in closed:
                leaps[portal.y, portal.x].add((portal.to_y, portal.to_x))
                if portal.both:
                    leaps[portal.to_y, portal.to_x].add((portal.y, portal.x))
        seen: set[Cell] = {tuple(self.level.entrance)}
        waiting = list(seen)
        for cell in waiting:  # it grows while it is walked through
            found = ((beside(cell) | leaps[cell]) & self.clear) - seen
            seen |= found
            waiting += found
        return seen

    def near_locks(self) -> list[Lock]:
        """Return the shut locks beside which he can stand."""
        return [lock for lock in self.shut if self.is_near(self._cells_of(lock))]

    def _cells_of(self, lock: Lock) -> Sequence[Cell]:
        here = (lock.y, lock.x)
        return self.level.spawns[self.boxes[here]].cells if here in self.boxes else [here]

    def is_near(self, cells: Sequence[Cell]) -> bool:
        """Tell whether he gets to one of some cells, or beside it."""
        return any((beside(tuple(cell)) | {tuple(cell)}) & self.seen for cell in cells)

    def found(self) -> list[int]:
        """Return the indices of the spawns that open locks and that he can take or use."""
        closed = {self.boxes[lock.y, lock.x] for lock in self.shut if (lock.y, lock.x) in self.boxes}
        return [
            index
            for index, each in enumerate(self.level.spawns)
            if _words(each) and index not in closed and self.is_near(each.cells)
        ]

    def open(self, locks: Sequence[Lock]) -> None:
        """Open some locks and walk on."""
        for lock in locks:
            self.shut.remove(lock)
            self.opened.add(lock.word)
            here = (lock.y, lock.x)
            if self.level.base[here] == t.LOCKED_DOOR and here not in self.stopped:
                self.clear.add(here)
        self.seen = self.walk()


class Traveller:
    """A player in a world, who makes every level once.

    Args:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.levels = {node.id: world.level(node.id) for node in world.maps}
        self.nodes = {node.id: node for node in world.maps}
        far = {lock.word for level in self.levels.values() for lock in level.locks if lock.keys_on}
        self.far = far | {key.lock for key in world.keys}
        self._visits: dict[tuple[str, Keys], Visit] = {}

    def visit(self, map_id: str, held: Keys) -> Visit:
        """Return what he gets to on a map with keys of other maps."""
        if (map_id, held) not in self._visits:
            self._visits[map_id, held] = self._look_around(self.levels[map_id], held)
        return self._visits[map_id, held]

    def _look_around(self, level: Level, held: Keys) -> Visit:
        had = Counter(word for at, index in held for word in _words(self.levels[at].spawns[index]))
        place = _Place(level)
        while now := [each for each in place.near_locks() if self._opens(place, each, had)]:
            place.open(now)
        exits = frozenset(way.leads_to for way in level.exits if (way.y, way.x) in place.seen)
        keys = [index for index in place.found() if not self.far.isdisjoint(_words(level.spawns[index]))]
        shut = frozenset(lock.word for lock in place.shut)
        return Visit(
            exits,
            frozenset((level.id, index) for index in keys),
            shut,
            len(place.clear - place.seen),
        )

    def _opens(self, place: _Place, lock: Lock, had: Counter[str]) -> bool:
        """Tell whether he can open a lock beside which he stands; `had`: what he has of keys for other maps."""
        if lock.word in self.far:
            return had[lock.word] >= lock.count
        here = Counter(word for index in place.found() for word in _words(place.level.spawns[index]))
        return here[lock.word] >= lock.count or lock.follows in place.opened

    def moves(self, stand: Stand) -> Iterator[Stand]:
        """Yield what may be next: a key more, or another map."""
        way, held = stand
        seen = self.visit(way[-1], held)
        for key in seen.keys - held:
            yield way, held | {key}
        if len(way) > 1 and not self.nodes[way[-1]].one_way:
            yield way[:-1], held
        for target in seen.exits:
            yield (((target,) if self.nodes[target].one_way else (*way, target)), held)

    def objections(self, most: int = 200_000) -> Iterator[str]:
        """Yield what is wrong with the world, in words.

        Each map can be reached, and everything on it once all keys are had. From wherever the player is, and whatever he has left, he can
        still open every lock with keys on other maps of each map that lies ahead.
        """
        first: Stand = ((self.world.start.id,), frozenset())
        before: dict[Stand, list[Stand]] = {first: []}
        waiting = [first]
        for stand in waiting:  # it grows while it is walked through
            for following in self.moves(stand):
                if following not in before:
                    before[following] = []
                    waiting.append(following)
                before[following].append(stand)
            if len(waiting) > most:
                yield "too many stands"
                return
        everything = frozenset[tuple[str, int]]().union(*(held for _, held in waiting))
        for map_id in self.nodes:
            if not any(way[-1] == map_id for way, _ in waiting):
                yield f"{map_id} can't be reached"
            elif missed := self.visit(map_id, everything).missed:
                yield f"{map_id}: {missed} cells are never reached"
            for word in {lock.word for lock in self.levels[map_id].locks if lock.keys_on}:
                yield from self._lost(map_id, word, before)

    def _lost(self, map_id: str, word: str, before: dict[Stand, list[Stand]]) -> Iterator[str]:
        """Yield an objection if a lock of a map that lies ahead can't be opened from some stand."""
        able = {
            (way, held)
            for way, held in before
            if way[-1] == map_id and word not in self.visit(map_id, held).shut
        }
        fine = list(able)
        for stand in fine:  # it grows, too
            fresh = set(before[stand]) - able
            able |= fresh
            fine += fresh
        lost = [stand for stand in before if stand not in able and map_id in self._ahead(stand[0][-1])]
        if lost:
            yield f"{map_id}: the lock {word} is lost to {len(lost)} of {len(before)}, such as {lost[0]}"

    def _ahead(self, map_id: str) -> set[str]:
        found, waiting = set[str](), [map_id]
        while waiting:
            here = waiting.pop()
            if here not in found:
                found.add(here)
                waiting += self.nodes[here].leads_to
        return found


def _words(spawn: Spawn) -> tuple[str, ...]:
    said = spawn.keywords.get("opens", ())
    return said if isinstance(said, tuple) else (str(said),)
