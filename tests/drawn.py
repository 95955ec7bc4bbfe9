"""Pictures to test with: maps, masks and prefabs drawn as text, a content folder in a few lines, a plain layout.

' ' '_' earth   '#' wall    'B' blocked   '.' floor   ',' corridor   ':' cave    '~' water (nobody walks on it)
'+' door    ''' doorway 's' secret    'L' locked  '<' '>' 'X' stairs and exit
in drawings only: '?' whatever the map has, 'C' a crate on floor (stops walkers), 'M' a crate on whatever there is
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, NoReturn

import numpy as np

import dungeon
from dungeon import Canvas, Cell, Orientation, Phase, Rect, Step
from dungeon import terrain as t
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.prefab.drawing import DrawnGround, Machine, Reference
from dungeon.content.prefab.prefab import Prefab
from dungeon.content.prefab.template import Template
from dungeon.extend import Drawing, Parameters
from dungeon.grid.regions import bounds_of, components
from dungeon.grid.symmetry import ALL_ORIENTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dungeon import Content, LayoutJob
    from dungeon.extend import Stream

WATER = t.BUILT_IN
KINDS = t.TerrainSet(
    (
        *t.BUILT_IN_KINDS,
        t.TerrainKind(
            name="water",
            base=t.FLOOR,
            walkable=False,
            transparent=True,
            diggable=False,
            glyph="~",
            fg=(0, 0, 255),
        ),
    )
)
CODES = {
    " ": t.EARTH,
    "#": t.WALL,
    "B": t.BLOCKED,
    ".": t.FLOOR,
    ",": t.CORRIDOR,
    ":": t.CAVE,
    "'": t.DOORWAY,
    "+": t.DOOR,
    "s": t.SECRET_DOOR,
    "L": t.LOCKED_DOOR,
    "<": t.STAIRS_UP,
    ">": t.STAIRS_DOWN,
    "X": t.EXIT,
    "~": WATER,
    "?": t.KEEP,
    "C": t.FLOOR,
    "M": t.KEEP,
}
OBSTACLES = "CM"
CRATE = SymbolEntry.model_validate({"prop": "crate"})
CHARS = {**{code: char for char, code in CODES.items() if char not in OBSTACLES}}

SIDES = {"south": (1, 0), "west": (0, -1), "north": (-1, 0), "east": (0, 1)}


def rows(text: str) -> list[str]:
    """Return the rows of a picture, as wide as the widest; '_' is a blank that dedenting leaves alone."""
    lines = dedent(text).strip("\n").split("\n")
    width = max(len(line) for line in lines)
    return [line.replace("_", " ").ljust(width) for line in lines]


def mask(text: str) -> NDArray[np.bool_]:
    """Return where a picture has a '#'."""
    return np.array([[char == "#" for char in row] for row in rows(text)])


def picture_of_mask(cells: NDArray[np.bool_]) -> str:
    """Return a mask as a picture of '#' and '.'."""
    return "\n".join("".join("#" if cell else "." for cell in row) for row in cells.tolist())


def codes(text: str) -> NDArray[np.uint8]:
    """Return the terrain of a picture."""
    return np.array([[CODES[char] for char in row] for row in rows(text)], np.uint8)


def picture(drawn: Canvas | NDArray[np.uint8]) -> str:
    """Return terrain as a picture, without blanks on the right."""
    terrain = drawn.terrain if isinstance(drawn, Canvas) else drawn
    return "\n".join("".join(CHARS[code] for code in row).rstrip() for row in terrain.tolist())


def flat(text: str) -> str:
    """Return a drawn picture as `picture` gives one."""
    return "\n".join(row.rstrip() for row in rows(text))


def canvas(text: str) -> Canvas:
    """Return a canvas with that terrain: every piece of floor is a room, of corridor a corridor, of cave a cave.

    Doors lead between what is on their two sides.
    """
    terrain = codes(text)
    made = Canvas(*terrain.shape, KINDS)
    made.terrain[:] = terrain
    base = made.base
    for kind, wanted in (("room", (t.FLOOR, *t.STAIRS)), ("corridor", (t.CORRIDOR,)), ("cave", (t.CAVE,))):
        labels, count = components(np.isin(base, wanted))
        for part in range(1, count + 1):
            cells = labels == part
            made.region[cells] = made.add_region(kind, bounds_of(cells))
    for y, x in np.argwhere(terrain != t.EARTH).tolist():
        made.used[y, x] = True
    for y, x in np.argwhere(np.isin(base, t.DOORS)).tolist():
        sides = [int(made.region[y + dy, x + dx]) for dy, dx in SIDES.values()]
        one, other, *_ = [*(region for region in sides if region), 0, 0]
        made.terrain[y, x] = t.WALL
        made.add_door(y, x, (one, other), int(base[y, x]))
    return made


def symbols(legend: Mapping[str, object]) -> dict[str, SymbolEntry]:
    """Return what characters stand for, as a legend says it."""
    return {char: SymbolEntry.model_validate(entry) for char, entry in legend.items()}


def drawing(
    text: str,
    references: Mapping[str, str] | None = None,
    machines: Sequence[Mapping[tuple[int, int], str]] = (),
    *,
    legend: Mapping[str, object] | None = None,
    machine: str | Mapping[str, object] | None = None,
) -> Drawing:
    """Return a drawing.

    Args:
        text: Its picture.
        references: Characters of the picture that stand for objects -> the terrain below them. Those in upper
            case stop walkers.
        machines: For each machine, cell -> character.
        legend: What those characters stand for; crates, where it does not say.
        machine: The tag of the prop that the machines are, or all that is said of it; generic by default.
    """
    below = {"C": ".", "M": "?", **(references or {})}
    stand_for = symbols(legend or {})
    lines = rows(text)
    found = [
        Reference(y, x, char, stand_for.get(char, CRATE))
        for y, row in enumerate(lines)
        for x, char in enumerate(row)
        if char in below
    ]
    terrain = np.array([[CODES[below.get(char, char)] for char in row] for row in lines], np.uint8)
    stops = np.array([[char in below and char.isupper() for char in row] for row in lines])
    said = {"prop": machine} if isinstance(machine, str) else machine
    named = SymbolEntry.model_validate(said) if said else None
    made = []
    for each in machines:
        cells = tuple(Cell(*cell) for cell in each)
        made.append(Machine(cells, tuple(each.values()), ((1, 2, 3),) * len(cells), named))
        for cell in cells:
            stops[cell] = True
    return Drawing(DrawnGround(terrain, stops), tuple(found), (), tuple(made))


def prefab(
    drawn: str | Drawing, name: str = "vault", orientations: Sequence[Orientation] = ALL_ORIENTATIONS
) -> Prefab:
    """Return a prefab whose drawing is always this one."""
    fixed = replace(drawing(drawn) if isinstance(drawn, str) else drawn, parts=(name,))
    return Prefab(name, Template(fixed=fixed, read=_nothing, stops=_nothing), tuple(orientations))


def _nothing(*asked: object) -> NoReturn:
    """Stand for what is asked only where characters may change."""
    raise AssertionError(asked)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a content folder: path -> text."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder


def load(folder: Path, files: Mapping[str, str]) -> Content:
    """Write a content folder and load it."""
    return dungeon.load_content(write(folder, files))


# -- a plain layout -------------------------------------------------------------------------------


class BoxesParams(Parameters):
    """Nothing to set."""


def boxes(canvas: Canvas, params: BoxesParams, job: LayoutJob) -> Iterator[Step]:
    """Rooms between corridors that run from west to east and meet in one on the west side.

    Rooms have a door to the corridor above, below, or both; some also have one to the room on their right.
    """
    stream = job.streams.stream("layout", "boxes", job.attempt)
    pitch = 14
    tops = list(range(1, canvas.height - 1, pitch))
    main = canvas.carve_room(Rect(1, 1, tops[-1], 1), "corridor", t.CORRIDOR)
    halls = [canvas.carve_room(Rect(y, 2, 1, canvas.width - 3), "corridor", t.CORRIDOR) for y in tops]
    for region, hall in zip(halls, tops, strict=True):
        canvas.region[hall, 1] = main
        yield Step(Phase.LAYOUT, f"hall {region}", canvas)
    for number in range(len(tops) - 1):
        _row_of_rooms(canvas, halls[number : number + 2], tops[number], pitch, stream)
        yield Step(Phase.LAYOUT, "a row of rooms", canvas)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, "walls", canvas)


def _row_of_rooms(canvas: Canvas, halls: list[int], top: int, pitch: int, stream: Stream) -> None:
    """Carve rooms between two corridors, from left to right."""
    left, before = 3, None
    while True:
        width = stream.between(1, 12)
        height = pitch - 3 if stream.chance(0.4) else stream.between(1, pitch - 3)
        if left + width > canvas.width - 2:
            return
        below = height < pitch - 3 and stream.chance(0.5)
        rect = Rect(top + pitch - 1 - height if below else top + 2, left, height, width)
        room = canvas.carve_room(rect)
        ends = [(rect.bottom, halls[1])] if below else [(rect.y - 1, halls[0])]
        if height == pitch - 3 and stream.chance(0.5):
            ends.append((rect.bottom, halls[1]))
        for y, hall in ends:
            canvas.add_door(y, left + stream.below(width), (room, hall))
        if before is not None and stream.chance(0.3):
            low, high = max(rect.y, before[1].y), min(rect.bottom, before[1].bottom)
            if low < high:
                canvas.add_door(stream.between(low, high - 1), left - 1, (before[0], room), t.DOORWAY)
        before = room, rect
        left += width + 1


dungeon.register_layout("boxes", BoxesParams, boxes)


# -- a small game ---------------------------------------------------------------------------------

OBJECTS = {
    "terrain.yaml": """
        water: {like: floor, walkable: false, glyph: "~", fg: "#4060ff"}
        """,
    "weights.yaml": "never: 0\nrare: 1\ncommon: 4\n",
    "objects/props.yaml": """
        crate: {name: crate, glyph: "=", fg: "#a08050"}
        lamp: {name: lamp, glyph: "*", fg: "#ffff80", blocks: false, light: 5}
        engine: {name: engine, glyph: "%", light: 3, opaque: true, data: {noise: [1, 2]}}
        pillar: {name: pillar, glyph: "O", class: stone, opaque: true}
        statue: {name: statue, glyph: "&", class: stone, depth: 3}
        """,
    "objects/traps.yaml": 'snare: {name: snare, glyph: "^", fg: "#ff8000"}\n',
    "objects/robots.yaml": """
        sweeper: {name: sweeper, glyph: s, class: worker, depth: 1}
        guard: {name: guard, glyph: g, class: guard, depth: 1, data: {hp: 5}}
        warden: {name: warden, glyph: w, class: guard, depth: 3}
        """,
    "objects/items.yaml": """
        scrap: {name: scrap metal, glyph: "!", data: {worth: 3, made: [iron, {of: rust}]}}
        patch: {name: patch, glyph: "+", class: aid, category: tool, depth: 1}
        kit: {name: kit, glyph: "k", class: aid, category: tool, depth: 2, weight: common}
        drill: {name: drill, glyph: "d", class: power, category: tool, depth: 2}
        """,
    "objects/debris.yaml": 'ash: {name: ash, glyph: ",", fg: "#808080"}\n',
}

DOZEN = """
    store:
      map: |
        CC.CC
        .....
        .1.1.
      legend: {C: {prop: crate}, 1: {item: [scrap, patch], shift: [1, 0]}}
    one: {map: "."}
    strip: {map: ".1...", legend: {1: {item: {class: aid}, chance: 60%}}}
    pond:
      map: |
        .....
        .~~~.
        .~~~.
        .....
      legend: {"~": water}
    island:   # nobody could walk to the middle
      map: |
        .....
        .~~~.
        .~.~.
        .~~~.
        .....
      legend: {"~": water}
    well:     # water that nobody would ever see
      map: |
        .....
        .###.
        .#~#.
        .###.
        .....
      legend: {"~": water}
    closet:
      map: |
        #1#..
        #+#..
        ....L
        ...##
        ..C##
      legend: {1: {item: {category: tool}}, C: {prop: {class: stone}}, L: {terrain: floor, trap: snare}}
    back_door: {map: "#+#\\n...\\n..."}
    barred:   # crates from wall to wall
      map: |
        ...
        CCC
        ...
      legend: {C: {prop: crate}}
    ruin:
      map: |
        ??...??
        ?.   .?
        ?.?#?.?
        ?? . ??
        ?.....?
    huge:
      map: |
    {huge}
    workshop:
      map: |
        #.....#
        .......
        .......
        g.....g
        ...r...
      machines: "       \\n  ab   \\n  ab   \\n       \\n       "
      references: " l   l \\n       \\n       \\n       \\n ii    "
      legend:
        g: {robot: {class: guard}, chance: 50%}
        r: {robot: {class: worker}, unique: true}
        l: {prop: lamp}
        i: {item: {value: kit, chance: 50%}, shift: [2, 1]}
      machine: engine
    crowd:    # everything moves, and may end up anywhere
      map: |
        C.C.C.C
        .......
        1.C.1.C
        .......
        C.1.C.1
        .......
      legend: {C: {prop: crate, shift: [3, 3], chance: 70%}, 1: {item: scrap, shift: [9, 9], unique: true}}
    landing:  # a drawing that brings stairs
      map: |
        <...
        ....
        ...>
    """

ENCOUNTERS = """
    depot: {category: reward, prefabs: [store, huge], maps: {under: common}, limit: {map: 3, world: 7}}
    nook: {category: fluff, prefabs: [one, strip], maps: {under: rare}, access: 1..2, limit: {map: 2}}
    pool: {category: fluff, prefabs: pond, placing: accessible, maps: {under: 2}}
    cursed: {category: risk, prefabs: [island, well, barred, back_door], maps: {under: common}, group: odd}
    moat: {category: risk, prefabs: [island, well], placing: accessible, maps: {under: common}}
    hideout: {category: danger, prefabs: closet, maps: {under: common}, depth: 2.., group: [odd, gang]}
    ruins: {category: fluff, prefabs: ruin, maps: {under: 3}, access: 1..3, limit: {map: 1}}
    plant: {category: danger, prefabs: workshop, maps: {under: common}, group: gang, limit: {world: 3}}
    market: {category: reward, prefabs: crowd, maps: {under: common}, access: 1..2}
    bazaar: {category: reward, prefabs: crowd, placing: accessible, maps: {under: never}}
    shaft: {category: risk, prefabs: landing, maps: {under: rare}, limit: {map: 1}}
    """

MAPS = """
    under:
      name: The Under
      size: {width: 50..70, height: 30..44}
      layout: {layout}
      encounters: 5..9
      population:
        - {robot: {class: [worker, guard]}, count: 3..5}
        - {item: {category: tool}, count: 4}
        - {prop: {class: stone}, count: 4..8}
        - {debris: ash, count: 6, chance: 50%}
    """

WORLD = """
    name: Down
    start: under/1
    leads_to:
      under/1: [under/2, under/3]
      under/2: [under/4]
      under/3: [under/4]
    """


def small_game(layout: str = "boxes", **changed: str) -> dict[str, str]:
    """Return a game of a dozen prefabs, some of them nasty, on four maps; files may be replaced or added."""
    huge = "\n".join("    " + "." * 40 for _ in range(40))
    game = {
        **OBJECTS,
        "prefabs/dozen.yaml": dedent(DOZEN).replace("{huge}", huge),
        "encounters/all.yaml": ENCOUNTERS,
        "maps/under.yaml": MAPS.replace("{layout}", layout),
        "world.yaml": WORLD,
    }
    return game | {name.replace("__", "/") + ".yaml": text for name, text in changed.items()}
