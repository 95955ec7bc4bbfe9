"""The layout `tunnels` around what stands on the map before it: mouths, barriers, what has to hang together."""

from __future__ import annotations

import numpy as np
import pytest

from dungeon import Canvas, GenerationError, LayoutJob, Rect
from dungeon import terrain as t
from dungeon.extend import Journal, Mouth, Stream, Streams
from dungeon.generation.layouts.doorways import count_narrow_mouths
from dungeon.generation.layouts.seeded import join_seeded
from dungeon.generation.layouts.tunnels import tunnels
from dungeon.generation.layouts.tunnels_params import TunnelsParams
from dungeon.grid.regions import components

CODES = {" ": t.KEEP, "#": t.WALL, ".": t.FLOOR, "X": t.BLOCKED}
GLYPHS = {
    t.EARTH: " ",
    t.WALL: "#",
    t.BLOCKED: "X",
    t.FLOOR: ".",
    t.CORRIDOR: ",",
    t.DOORWAY: "'",
    t.DOOR: "+",
}
WAYS = {"^": (-1, 0), "v": (1, 0), "<": (0, -1), ">": (0, 1)}


def dig(canvas, mouths, seed=0, **params):
    """Dig tunnels, and join what stood on the canvas to them."""
    job = LayoutJob(streams=Streams(seed, "mouths/1"), journal=Journal(), prefabs={}, mouths=tuple(mouths))
    regions = range(1, len(canvas.regions) + 1)
    for _ in tunnels(canvas, TunnelsParams(**params), job):
        pass
    for _ in join_seeded(canvas, job.mouths, regions):
        pass


def stamp(canvas, y, x, rows, kind="prefab"):
    """Stamp a drawing as a region of its own; return the region."""
    region = canvas.add_region(kind, Rect(y, x, len(rows), len(rows[0])))
    canvas.stamp(y, x, np.array([[CODES[glyph] for glyph in row] for row in rows], np.uint8), region)
    return region


def seeded(rows, kind="tunneler"):
    """Return a canvas with one drawing on it, and its mouths: an arrow stands on the first cell beyond."""
    canvas = Canvas(len(rows), len(rows[0]))
    plain = [row.translate(str.maketrans(dict.fromkeys(WAYS, " "))) for row in rows]
    inner = [row[1:-1] for row in plain[1:-1]]
    region = stamp(canvas, 1, 1, inner)
    cells = [(y, x, row[x]) for y, row in enumerate(rows) for x in range(len(row)) if row[x] in WAYS]
    mouths = [Mouth(y, x, *WAYS[glyph], 1, kind, region) for y, x, glyph in cells]
    return canvas, mouths


def drawn(canvas):
    return ["".join(GLYPHS[int(code)] for code in row).rstrip() for row in canvas.terrain]


def vault(height, width):
    return ["#" * width, *["#" + "." * (width - 2) + "#"] * (height - 2), "#" * width]


def with_mouths(canvas, stream, rect):
    """Stamp a vault there with random mouths, one of them for a tunneler toward the middle of the map."""
    y, x, height, width = rect
    rows = [list(row) for row in vault(height, width)]
    inward = (
        "v"
        if y < canvas.height // 3
        else "^"
        if y > canvas.height // 2
        else "<"
        if x > canvas.width // 2
        else ">"
    )
    plans = []
    for glyph in WAYS:
        kind = stream.pick(("tunneler", "connector", "diggable", None))
        if kind or glyph == inward:
            plans.append((glyph, "tunneler" if glyph == inward else kind, stream.between(1, 3)))
    found = []
    for glyph, kind, thick in plans:
        dy, dx = WAYS[glyph]
        span = width if dy else height
        first = (span - thick) // 2
        for at in range(first, first + thick):
            cell = (0 if dy < 0 else height - 1, at) if dy else (at, 0 if dx < 0 else width - 1)
            rows[cell[0]][cell[1]] = " " if kind == "diggable" else "."
        front = (
            (y - 1 if dy < 0 else y + height, x + first)
            if dy
            else (y + first, x - 1 if dx < 0 else x + width)
        )
        found.append((*front, dy, dx, thick, kind))
    region = stamp(canvas, y, x, ["".join(row) for row in rows])
    return [Mouth(*mouth, region) for mouth in found]


def furnished(seed, height=45, width=70, count=4):
    """Return a canvas with random vaults on it, apart from each other and from the edge, and their mouths."""
    canvas, stream, mouths, rects = Canvas(height, width), Stream(seed), [], []
    while len(rects) < count:
        h, w = stream.between(4, 10), stream.between(4, 14)
        rect = Rect(stream.between(4, height - h - 5), stream.between(4, width - w - 5), h, w)
        if not any(rect.grown(4).overlaps(other) for other in rects):
            rects.append(rect)
            mouths += with_mouths(canvas, stream, rect)
    return canvas, mouths


def beyond(mouth):
    """Return the cells beyond a mouth."""
    return [(mouth.y + n * abs(mouth.dx), mouth.x + n * abs(mouth.dy)) for n in range(mouth.width)]


def test_everything_hangs_together_and_every_mouth_for_tunnelers_has_its_way():
    for seed in range(60):
        canvas, mouths = furnished(seed)
        before, stood = canvas.terrain.copy(), canvas.drawn.copy()
        dig(canvas, mouths, seed)
        assert components(canvas.open)[1] == 1
        for mouth in mouths:
            if mouth.kind == "tunneler":
                assert any(canvas.open[cell] for cell in beyond(mouth)), (seed, mouth)
        changed = stood & (before != canvas.terrain)
        assert (before[changed] == t.EARTH).all()  # diggable edges, and no other cell that was drawn
        assert not canvas.open[[0, -1]].any()
        assert not canvas.open[:, [0, -1]].any()


def test_ways_begin_as_wide_as_their_mouths_wherever_there_is_space():
    """Some of these vaults lie face to face, closer than two ways could be side by side."""
    begun = narrow = told = 0
    for seed in range(60):
        canvas, mouths = furnished(seed)
        dig(canvas, mouths, seed)
        ways = [beyond(mouth) for mouth in mouths if mouth.kind == "tunneler"]
        begun += len(ways)
        narrow += sum(not all(canvas.open[cell] for cell in way) for way in ways)
        told += count_narrow_mouths(canvas, mouths)
    assert begun > 400
    assert 0 < narrow < 0.03 * begun
    assert told == narrow


def test_no_way_for_tunnelers_leads_only_back_to_where_it_began():
    """It leads to rooms, or to another vault."""
    for seed in range(60):
        canvas, mouths = furnished(seed)
        dig(canvas, mouths, seed)
        labels, _ = components(canvas.open & ~canvas.drawn)
        parts = [{int(labels[cell]) for cell in beyond(mouth)} - {0} for mouth in mouths]
        leads_to = {}
        for mouth, own in zip(mouths, parts, strict=True):
            for part in own:
                leads_to.setdefault(part, set()).add(mouth.region)
        rooms = [region.id for region in canvas.regions if region.kind == "room"]
        for part in np.unique(labels[np.isin(canvas.region, rooms)]).tolist():
            leads_to[part] = {0}
        for mouth, own in zip(mouths, parts, strict=True):
            if mouth.kind == "tunneler":
                assert any(leads_to[part] - {mouth.region} for part in own), (seed, mouth)


def test_a_way_of_full_width_runs_into_what_ends_before_its_mouth():
    canvas = Canvas(9, 21)
    rows = [
        "#####         XXXXX",
        "#....         XXXXX",
        "#####              ",
        "XXXXXXXX           ",
        "XXXXXXXX ##...###  ",
        "XXXXXXXX #......#  ",
        "XXXXXXXX ########  ",
    ]
    region = stamp(canvas, 1, 1, rows)
    first, second = Mouth(2, 6, 0, 1, 1, "tunneler", region), Mouth(4, 12, -1, 0, 3, "tunneler", region)
    dig(canvas, [first, second])
    assert drawn(canvas) == [
        "",
        " ############# XXXXX",
        " #....,,,,,,,##XXXXX",
        " ###########,,,#",
        " XXXXXXXX  #,,,#",
        " XXXXXXXX ##...###",
        " XXXXXXXX #......#",
        " XXXXXXXX ########",
        "",
    ]


def test_prefabs_are_entered_only_through_their_mouths():
    for seed in range(30):
        canvas, mouths = furnished(seed)
        was_open = canvas.open
        dig(canvas, mouths, seed)
        ways_in = {cell for mouth in mouths for cell in beyond(mouth)}
        edges = [mouth for mouth in mouths if mouth.kind == "diggable"]
        ways_in |= {(y - mouth.dy, x - mouth.dx) for mouth in edges for y, x in beyond(mouth)}
        inside = canvas.drawn & canvas.open
        near = np.zeros_like(inside)
        near[1:] |= inside[:-1]
        near[:-1] |= inside[1:]
        near[:, 1:] |= inside[:, :-1]
        near[:, :-1] |= inside[:, 1:]
        touching = {(int(y), int(x)) for y, x in np.argwhere(near & canvas.open & ~canvas.drawn)}
        assert touching <= ways_in
        assert (canvas.open | ~was_open).all()


def test_a_tunneler_starts_with_the_drawn_width():
    wide = 0
    for seed in range(40):
        canvas = Canvas(40, 60)
        region = stamp(canvas, 15, 25, ["#######", "#.....#", "#.....#", "##...##"])
        mouth = Mouth(19, 27, 1, 0, 3, "tunneler", region)
        dig(canvas, [mouth], seed)
        corridor = canvas.regions[int(canvas.region[19, 27]) - 1]
        assert corridor.kind == "corridor"
        assert corridor.bounds[:2] == (19, 27)
        wide += corridor.bounds.width == 3
    assert wide == 40


def test_the_same_seed_gives_the_same_bytes():
    for seed in range(5):
        pair = [furnished(seed) for _ in range(2)]
        for canvas, mouths in pair:
            dig(canvas, mouths, seed)
        (first, _), (second, _) = pair
        assert first.terrain.tobytes() == second.terrain.tobytes()
        assert first.region.tobytes() == second.region.tobytes()


def test_where_no_tunneler_can_live_the_shortest_way_is_dug():
    """The passage between the barriers is one cell high, too low for a corridor with earth on either side."""
    canvas, mouths = seeded(
        [
            "                    ",
            " #####        ##### ",
            " #...#XXXXXXXX#...# ",
            " #....>      <....# ",
            " #...#XXXXXXXX#...# ",
            " #####        ##### ",
            "                    ",
        ]
    )
    dig(canvas, mouths)
    assert drawn(canvas) == [
        "",
        " #####        #####",
        " #...#XXXXXXXX#...#",
        " #....,,,,,,,,....#",
        " #...#XXXXXXXX#...#",
        " #####        #####",
        "",
    ]


def test_a_connector_is_joined_where_nothing_else_leads_in():
    for seed in range(20):
        canvas = Canvas(40, 60)
        region = stamp(canvas, 15, 25, ["#######", "#.....#", "#.....#", "###.###"])
        dig(canvas, [Mouth(19, 28, 1, 0, 1, "connector", region)], seed)
        assert canvas.open[19, 28]
        assert components(canvas.open)[1] == 1


def test_a_diggable_edge_is_opened_where_that_is_the_only_way_in():
    for seed in range(20):
        canvas = Canvas(40, 60)
        region = stamp(canvas, 15, 25, ["#######", "#.....#", "#.....#", "### ###"])
        dig(canvas, [Mouth(19, 28, 1, 0, 1, "diggable", region)], seed)
        assert canvas.terrain[18, 28] == t.CORRIDOR
        assert canvas.region[18, 28] == region
        assert components(canvas.open)[1] == 1


def test_a_diggable_edge_is_opened_to_what_lies_close_beyond_it():
    opened = closed = 0
    for seed in range(60):
        canvas = Canvas(40, 60)
        region = stamp(canvas, 15, 25, ["#######", "#.....#", " ..... ", "###.###"])
        ways = [Mouth(19, 28, 1, 0, 1, "tunneler", region)]
        edges = [Mouth(17, 24, 0, -1, 1, "diggable", region), Mouth(17, 32, 0, 1, 1, "diggable", region)]
        dig(canvas, ways + edges, seed)
        for mouth in edges:
            is_open = canvas.open[mouth.y, mouth.x]
            assert is_open == canvas.open[mouth.y, mouth.x - mouth.dx]
            opened += is_open
            closed += not is_open
        assert components(canvas.open)[1] == 1
        for door in canvas.connections:
            if region in door.between:
                (room,) = {canvas.regions[number - 1].kind for number in door.between if number != region}
                assert room == "room"
    assert opened > 10
    assert closed > 10


def test_a_mouth_at_the_edge_of_the_map_leads_nowhere_and_is_told_of():
    canvas = Canvas(40, 60)
    region = stamp(canvas, 1, 20, ["##.##", "#...#", "##.##"])
    mouths = [Mouth(0, 22, -1, 0, 1, "tunneler", region), Mouth(4, 22, 1, 0, 1, "tunneler", region)]
    dig(canvas, mouths)
    assert components(canvas.open)[1] == 1
    assert count_narrow_mouths(canvas, mouths) == 1


def test_what_no_way_leads_to_is_told_of():
    canvas = Canvas(40, 60)
    stamp(canvas, 10, 20, ["XXXXX", "X.X.X", "XXXXX"])
    with pytest.raises(GenerationError, match="no way can be dug to the prefab at y 10, x 20"):
        dig(canvas, [])


def test_what_is_sealed_is_left_alone():
    canvas = Canvas(40, 60)
    region = canvas.add_region("prefab", Rect(10, 20, 3, 3), sealed=True)
    canvas.stamp(10, 20, np.array([[1, 1, 1], [1, 3, 1], [1, 1, 1]], np.uint8), region)
    dig(canvas, [])
    assert components(canvas.open)[1] == 2


def barrier(gap):
    """Return a canvas that a blocked barrier divides but for that many cells."""
    canvas = Canvas(50, 90)
    rows = ["XXX"] * 20 + ["   "] * gap + ["XXX"] * (48 - 20 - gap)
    canvas.stamp(1, 40, np.array([[CODES[glyph] for glyph in row] for row in rows], np.uint8), 0)
    return canvas


@pytest.mark.parametrize("gap", [1, 3, 9])
def test_both_sides_of_a_barrier_are_dug_and_linked(gap):
    for seed in range(10):
        canvas = barrier(gap)
        blocked = canvas.terrain == t.BLOCKED
        dig(canvas, [], seed)
        assert (canvas.terrain[blocked] == t.BLOCKED).all()
        assert components(canvas.open)[1] == 1
        assert canvas.open[:, :40].mean() > 0.25
        assert canvas.open[:, 43:].mean() > 0.25


def test_a_network_that_nothing_leads_to_is_taken_back():
    for seed in range(10):
        canvas = barrier(0)
        dig(canvas, [], seed)
        assert components(canvas.open)[1] == 1
