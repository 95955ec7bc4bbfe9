"""Helpers for tests of placing: a request on a drawn map, all spots of a mode, random maps and prefabs, naive checks."""

import numpy as np
from drawn import KINDS, SIDES, prefab

import dungeon.generation.built_in  # noqa: F401  # registers the modes
from dungeon import Canvas, Cell, Orientation, Rect
from dungeon import terrain as t
from dungeon.core.registry import PLACINGS
from dungeon.extend import Shape, Sites, Stream, Streams
from dungeon.generation.placing.attempt import PlacingRequest, attempt
from dungeon.generation.placing.walkability import CUT_OFF
from dungeon.grid.regions import bounds_of
from dungeon.grid.symmetry import ALL_ORIENTATIONS


def request(prefabs, mode="enclosed", access=None, name=("place", "it", 1), **params):
    """Return the request for one of the prefabs."""
    chosen = PLACINGS[mode]
    return PlacingRequest(
        name=name,
        mode=chosen,
        params=chosen.params(**params),
        prefabs=prefabs,
        access=access or chosen.access,
    )


def place(made, prefabs, mode="enclosed", access=None, seed=0, **params):
    """Try to place one of the prefabs."""
    prefabs = prefabs if isinstance(prefabs, list) else [prefabs]
    return attempt(made, Sites.of(made), request(prefabs, mode, access, **params), Streams(seed))


def spots(made, drawing, mode="enclosed", access=None, protrusion=2, **params):
    """Return the spots that a mode finds for a drawing, whether or not all its cells can be reached."""
    chosen = PLACINGS[mode]
    sites = Sites.of(made).having(chosen.kinds, *(access or chosen.access))
    options = chosen.settle(chosen.params(**params), Stream(0))
    if drawing.repeats and not chosen.faces:
        return []
    shape = Shape(drawing.height, drawing.width, drawing.orientation.turns, protrusion)
    (*_, (_, found)) = chosen.spots(sites, shape, options)
    left = [mask for rule, mask in chosen.suits(sites, drawing, options, found) if rule != CUT_OFF]
    y, x = chosen.anchor(shape)
    anchors = sites.board.cells(on_sites(chosen, sites, drawing, options, left[-1] if left else found))
    return [Cell(cell.y - y, cell.x - x) for cell in anchors]


def on_sites(mode, sites, drawing, options, found):
    """Return the spots that the rules for a single site leave."""
    left = 0
    for site in sites.sites.values():
        here = site.within(found)
        masks = [here, *(mask for _, mask in mode.on_site(site, drawing, options, here))]
        left |= masks[-1] << site.first
    return left


def drawn_as(text, orientation=Orientation.R0):
    """Return a drawing in an orientation."""
    return prefab(text).drawing.turned(orientation)


def state(made):
    """Return the whole state of a canvas, to compare it."""
    arrays = (made.terrain, made.region, made.drawn)
    lists = (made.used.tolist(), made.regions, made.connections)
    return [each.tobytes() for each in arrays], [list(each) for each in lists]


def random_map(random):
    """Return a canvas with rooms of many sizes, some sharing a wall, each with up to three doors.

    A door leads to a neighbour or to a bit of corridor of its own.
    """
    made = Canvas(random.randint(9, 26), random.randint(9, 26), KINDS)
    for _ in range(random.randint(1, 60)):
        height, width = random.choice([(1, 1), (1, 5), (4, 1), (3, 3), (2, 6), (5, 4), (6, 6)])
        y, x = random.randint(1, made.height), random.randint(1, made.width)
        if made.may_carve(Rect(y, x, height, width), 1):
            made.carve_room(Rect(y, x, height, width))
    for region in list(made.regions):
        wanted = random.choice([0, 1, 1, 1, 2, 3])
        for _ in range(40):
            if sum(region.id in door.between for door in made.connections) < wanted:
                random_door(made, region, random)
    made.build_walls()
    return made


def random_door(made, region, random):
    """Add a door to a room if a random wall cell can have one."""
    dy, dx = random.choice(list(SIDES.values()))
    bounds = region.bounds
    y = random.randint(bounds.y, bounds.bottom - 1) if dx else (bounds.bottom if dy > 0 else bounds.y - 1)
    x = random.randint(bounds.x, bounds.right - 1) if dy else (bounds.right if dx > 0 else bounds.x - 1)
    near = {(door.y, door.x) for door in made.connections}
    if near & {(y, x), (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)}:
        return
    if not made.inside(Rect(y, x, 1, 1)) or not made.inside(Rect(y + dy, x + dx, 1, 1)):
        return
    if made.open[y, x]:
        return
    beyond = int(made.region[y + dy, x + dx])
    if not beyond:
        sides = [(y + dy + dx, x + dx + dy), (y + dy - dx, x + dx - dy), (y + 2 * dy, x + 2 * dx)]
        if any(made.open[cell] for cell in sides):
            return
        beyond = made.carve_room(Rect(y + dy, x + dx, 1, 1), "corridor", t.CORRIDOR)
    made.add_door(y, x, (region.id, beyond), random.choice([t.DOOR, t.DOORWAY, t.SECRET_DOOR, t.LOCKED_DOOR]))


def random_prefab(random, name="vault"):
    """Return a random prefab of up to 4x5 cells, with floor, walls, obstacles, water or doors."""
    letters = random.choice([".", ".......C", "......#~", ".....?C", ".?MC#~+ ", "......+#"])
    height, width = random.randint(1, 4), random.randint(1, 5)
    lines = ["".join(random.choice(letters) for _ in range(width)) for _ in range(height)]
    return prefab(
        "\n".join(lines).replace(" ", "_"), name, random.sample(ALL_ORIENTATIONS, random.randint(1, 8))
    )


def doors_of(made, region):
    """Return (own cell, side) of each door of a room, from the geometry alone."""
    found = []
    for door in made.connections:
        for side, (dy, dx) in SIDES.items():
            inside = door.y - dy, door.x - dx
            if region.id in door.between and made.region[inside] == region.id:
                found.append((inside, side))
    return found


def is_walkable(drawing, cell):
    """Return whether a cell of a drawing can be walked on."""
    code = drawing.terrain[cell]
    return (code == t.KEEP or KINDS.kinds[code].walkable) and not drawing.obstacles[cell]


def edges_of(drawing):
    """Return side -> the cells along it."""
    height, width = drawing.height, drawing.width
    return {
        "south": {(height - 1, x) for x in range(width)},
        "north": {(0, x) for x in range(width)},
        "west": {(y, 0) for y in range(height)},
        "east": {(y, width - 1) for y in range(height)},
    }


def settled(made):
    """Mark the walls of a drawn map as diggable, as on a map that was dug."""
    made.used[:] = False
    for y, x in np.argwhere(made.open | made.drawn).tolist():
        made.used[y, x] = True
    return made


def is_earth(made, cell):
    """Return whether a cell of the map may be dug."""
    code = made.terrain[cell]
    free = code == t.WALL or (code == t.EARTH and not made.used[cell])
    return free and not made.drawn[cell] and not made.quiet[cell]


def is_floor_of(made, cell, regions):
    """Return whether a cell is plain floor of one of these regions that no prefab has drawn."""
    code = int(KINDS.base[made.terrain[cell]])
    plain = t.FLOOR <= code <= t.CAVE and not made.drawn[cell] and not made.quiet[cell]
    return plain and int(made.region[cell]) in regions


def ids(made, *kinds):
    """Return the ids of the regions of some kinds."""
    return {region.id for region in made.regions if region.kind in kinds}


def check_consistent(made):
    """Assert that regions, doors and terrain agree."""
    is_open = made.open
    assert not (made.region > 0)[~is_open].any()
    for region in made.regions:
        assert bounds_of(made.region == region.id) == region.bounds
    for door in made.connections:
        assert made.terrain[door.y, door.x] == door.kind
        sides = {int(made.region[door.y + dy, door.x + dx]) for dy, dx in SIDES.values()}
        assert set(door.between) <= sides
    inner = np.zeros_like(is_open)
    inner[1:-1, 1:-1] = True
    assert not (is_open & ~inner).any()
    used = made.used.tolist()
    assert np.array_equal(used, is_open | made.drawn)
