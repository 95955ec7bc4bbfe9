"""The layout connected: prefabs and rooms, joined connector to connector."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from textwrap import indent
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import KINDS, load, picture, rows

import dungeon
from dungeon import Canvas, Cell
from dungeon import terrain as t
from dungeon.extend import Stream
from dungeon.generation.layouts.connected_ground import BAND, PieceGround
from dungeon.generation.layouts.connected_pieces import MapPiece, auto_room, blocks_of, piece_of
from dungeon.generation.openings.connectors import connectors_of
from dungeon.generation.openings.openings import openings
from dungeon.grid import shapes
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from dungeon import Content

PREFABS = {
    "hall": """
        #####*#####
        #.........#
        *..#...#..*
        #.........#
        #####*#####
    """,
    "bend": """
        ###*#????
        #...#????
        *...*????
        #...#####
        #.......*
        #.......#
        ####*####
    """,
    "apse": """
        ??###??
        ?#...#?
        #.....#
        #.....#
        #.....#
        ###+###
    """,
    "yard": """
        ......
        .####.
        .####.
        ......
    """,
    "cell": """
        #*#
        *.*
        #*#
    """,
}


def files(
    connected: str, prefabs: Mapping[str, str] = PREFABS, *, size: str = "60x40", more: str = ""
) -> dict[str, str]:
    """Return content whose only map is made of prefabs."""
    drawn = "".join(
        f"{name}:\n  map: |\n" + indent("\n".join(rows(text)), "    ") + "\n"
        for name, text in prefabs.items()
    )
    return {
        "prefabs/all.yaml": drawn,
        "maps/m.yaml": f"m:\n  name: M\n  size: {size}\n  layout: {{connected: {{{connected}}}}}\n{more}",
        "world.yaml": "start: m/1\nleads_to: {m/1: [m/2], m/2: []}\n",
    }


def levels(content: Content, count: int) -> Iterator[dungeon.Level]:
    """Yield levels of so many seeds."""
    for seed in range(count):
        yield dungeon.World(content, seed=seed).level("m/1")


def world(content: Content, seed: int) -> dungeon.World:
    return dungeon.World(content, seed=seed)


def pieces(content: Content, seed: int) -> list[str]:
    """Return what the layout has put down, in order."""
    messages = [step.message for step in world(content, seed).steps("m/1") if step.phase.value == "layout"]
    return [message.split(" at ")[0] for message in messages if not message.startswith(("a loop", "walls"))]


def notes(level: dungeon.Level) -> list[str]:
    """Return what the journal says of the layout."""
    return [f"{each.subject}: {each.reason}" for each in level.journal if each.stage == "layout"]


def loops_in(level: dungeon.Level) -> int:
    """Return how many steps could be taken away before something walkable is cut off."""
    free = level.walkable
    labels, count = components(free)
    assert count == 1
    edges = (free[1:] & free[:-1]).sum() + (free[:, 1:] & free[:, :-1]).sum()
    squares = (free[1:, 1:] & free[1:, :-1] & free[:-1, 1:] & free[:-1, :-1]).sum()
    return int(edges - labels.astype(bool).sum() + 1 - squares)


# -- connectors -----------------------------------------------------------------------------------


def test_a_connector_faces_as_the_drawing_says(tmp_path: Path) -> None:
    """The upper one to the right has the edge to the north nearest, and faces east all the same."""
    content = load(tmp_path, files("prefabs: {bend: 1}"))
    found = connectors_of(content.prefabs["bend"].drawing, content.terrain_set)
    assert {(each.y, each.x): (each.dy, each.dx) for each in found.connectors} == {
        (0, 3): (-1, 0),
        (2, 0): (0, -1),
        (2, 4): (0, 1),
        (4, 8): (0, 1),
        (6, 4): (1, 0),
    }


def test_a_connector_on_the_map_is_one_on_the_links_plane(tmp_path: Path) -> None:
    text = """
        one: {map: "##*##\\n*...#\\n#####"}
        two: {map: "#####\\n#...#\\n#####", links: "  *\\n*"}
        """
    content = load(tmp_path, {**files(""), "prefabs/pair.yaml": text})
    one, two = (content.prefabs[name].drawing for name in ("one", "two"))
    assert one.links == two.links
    assert np.array_equal(one.terrain, two.terrain)


def test_a_legend_may_give_the_mark_another_meaning(tmp_path: Path) -> None:
    text = 'lit: {map: "*..", legend: {"*": door}}'
    drawing = load(tmp_path, {**files(""), "prefabs/lit.yaml": text}).prefabs["lit"].drawing
    assert drawing.links == ()
    assert int(drawing.terrain[0, 0]) == t.DOOR


def test_doors_at_the_edge_are_walls_until_something_is_joined(tmp_path: Path) -> None:
    content = load(tmp_path, files("prefabs: {apse: 1}"))
    found = connectors_of(content.prefabs["apse"].drawing, content.terrain_set)
    (door,) = found.connectors
    assert (door.y, door.x, door.code, door.way) == (5, 3, t.DOOR, ((5, 3),))
    assert int(found.codes[5, 3]) == t.WALL


def test_a_door_behind_which_another_one_is_walled_up_is_no_connector(tmp_path: Path) -> None:
    """A hallway from the south would lead through the corner's door to the other one, which is wall until it is used."""
    content = load(tmp_path, files("prefabs: {hut: 1}", {"hut": "####\n#..#\n+..#\n+###"}))
    found = connectors_of(content.prefabs["hut"].drawing, content.terrain_set)
    assert [(each.y, each.x, each.dy, each.dx) for each in found.connectors] == [(2, 0, 0, -1)]
    assert found.codes[2:, 0].tolist() == [t.WALL, t.WALL]


def test_what_can_never_be_joined_is_said_by_check(tmp_path: Path) -> None:
    lost = "##*####\n#....##\n#######\n#....##\n#######"
    prefabs = {"box": "###\n#.#\n###", "two": "##*##\n#...#\n#####\n#...#\n##*##", "lost": lost}
    folder = tmp_path / "game"
    load(folder, files("prefabs: {box: 1, two: 1, lost: 1}", prefabs))
    said = [str(each) for each in dungeon.examine_content(folder).problems]
    assert any("'box'" in each and "no link, door or open edge" in each for each in said)
    assert all(
        any(f"'{name}'" in each and "separate parts inside" in each for each in said)
        for name in ("two", "lost")
    )


def test_what_only_a_link_as_wide_as_drawn_would_join_is_in_several_parts(tmp_path: Path) -> None:
    """A hallway is a single line, so that it leads into one of the two rooms on which a link five cells wide lies."""
    pair = 'pair:\n  map: |\n    #######\n    #..#..#\n    #..#..#\n    #######\n  links: "\\n\\n  5"\n'
    content = load(tmp_path, {**files("prefabs: {pair: 1}", {}), "prefabs/all.yaml": pair})
    drawing = content.prefabs["pair"].drawing
    entries = openings(drawing, content.terrain_set)
    assert (entries.groups, entries.ways_out) == ((0,), ()), "dug as wide as that, it is one"
    objection = connectors_of(drawing, content.terrain_set).objection
    assert objection is not None
    assert "separate parts inside" in objection[0]


@pytest.mark.parametrize(
    ("drawn", "left"),
    [
        ("*....%..*/#....####/###*#####", [(0, 0), (3, 3)]),  # what is behind a secret door leads nowhere
        ("%....+/######", [(0, 5)]),  # nor does a way begin with one
        ("%..../#####", [(0, 0)]),  # unless there is no other
        ("%....%/######", [(0, 0), (0, 5)]),
        ("*..%..*/#.###.#/#.....#", [(0, 0), (0, 6)]),  # who goes around it needs to find none
    ],
)
def test_no_hallway_is_joined_behind_a_secret_door(
    tmp_path: Path, drawn: str, left: list[tuple[int, int]]
) -> None:
    width = max(map(len, drawn.split("/")))
    rows = ["#" * width, *drawn.split("/"), "#" * width]
    text = "".join(f"    {row}\n" for row in rows)
    place = f'place:\n  map: |\n{text}  legend: {{"%": secret_door}}\n'
    content = load(tmp_path, {**files("prefabs: {place: 1}", {}), "prefabs/all.yaml": place})
    found = connectors_of(content.prefabs["place"].drawing, content.terrain_set)
    assert [(each.y - 1, each.x) for each in found.connectors] == left


# -- where pieces fit -----------------------------------------------------------------------------


def test_blocks() -> None:
    cells = np.array([[char == "#" for char in row] for row in (".##.#", ".##..", "#####", "#####")])
    assert blocks_of(cells) == ((0, 4, 1, 1), (0, 1, 2, 2), (2, 0, 2, 5))


def some_pieces(content: Content, stream: Stream) -> list[MapPiece]:
    """Return the pieces of all prefabs, in all ways that they may lie, and some auto-rooms."""
    found = [
        piece_of(drawing, content.terrain_set)
        for name in PREFABS
        for drawing in content.prefabs[name].drawings
    ]
    made = (
        shapes.ellipse(5, 6),
        shapes.cross(5, 7, stream),
        shapes.rectangle(3, 4),
        shapes.ell(6, 5, stream),
    )
    return [*found, *(auto_room(shape, stream) for shape in made)]


def ground(height: int, width: int) -> PieceGround:
    return PieceGround(canvas=Canvas(height, width, KINDS), close=lambda: t.DOORWAY, typed=False)


def near(cells: np.ndarray, y: int, x: int) -> bool:
    """Tell whether a cell of an array touches a set one, or is one."""
    return bool(cells[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].any())


def tried(place: PieceGround, piece: MapPiece, lengths: range) -> set[tuple[int, int, int]]:
    """Return (y, x, length) of all fits, tried one by one as the article has it: a connector, a hallway, the piece."""
    made = place.canvas
    is_open = made.open
    found = set()
    for joint in place.joints.values():
        for connector, _ in piece.endings:
            if (connector.dy, connector.dx) != (-joint.dy, -joint.dx):
                continue
            for length in lengths:
                edge = joint.ahead(length + 1 if length else 0)
                y, x = edge.y - connector.y, edge.x - connector.x
                hallway = [joint.ahead(step) for step in range(1, length + 1)]
                if (
                    _lies_within(piece, y, x, made)
                    and _touches_nothing(piece, y, x, made, is_open)
                    and _is_free(hallway, joint, made, is_open, piece, (y, x))
                    and not (length and (near(is_open, *edge) or made.drawn[edge]))
                ):
                    found.add((y, x, length))
    return found


def _lies_within(piece: MapPiece, y: int, x: int, made: Canvas) -> bool:
    margin = 1 if piece.is_drawn else 0
    height, width = piece.size
    inside = y >= margin and x >= margin
    return inside and y + height <= made.height - margin and x + width <= made.width - margin


def _touches_nothing(piece: MapPiece, y: int, x: int, made: Canvas, is_open: np.ndarray) -> bool:
    for (row, column), code in np.ndenumerate(piece.codes):
        cell = y + row, x + column
        if code == t.KEEP:
            continue
        if piece.opened[row, column]:
            if near(is_open, *cell) or made.drawn[cell]:
                return False
        elif is_open[cell] or (made.drawn[cell] and (code > t.WALL or made.terrain[cell] > t.WALL)):
            return False
    return True


def _is_free(
    hallway: list[Cell],
    joint: object,
    made: Canvas,
    is_open: np.ndarray,
    piece: MapPiece,
    at: tuple[int, int],
) -> bool:
    own = np.zeros_like(is_open)
    rows, columns = np.nonzero(piece.opened)
    ys, xs = rows + at[0], columns + at[1]
    if ys.min() < 0 or xs.min() < 0 or ys.max() >= made.height or xs.max() >= made.width:
        return False
    own[ys, xs] = True
    for number, (y, x) in enumerate(hallway):
        if not (0 < y < made.height - 1 and 0 < x < made.width - 1) or made.drawn[y, x]:
            return False
        inside = (y - at[0], x - at[1])
        if (
            0 <= inside[0] < piece.size[0]
            and 0 <= inside[1] < piece.size[1]
            and piece.codes[inside] != t.KEEP
        ):
            return False
        around = made.region[y - 1 : y + 2, x - 1 : x + 2][is_open[y - 1 : y + 2, x - 1 : x + 2]]
        is_front = number == 0 and not joint.way  # type: ignore[attr-defined]
        if around.size and not (is_front and set(around.tolist()) == {joint.region}):  # type: ignore[attr-defined]
            return False
        if near(own, y, x) and number < len(hallway) - 1:
            return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_a_piece_fits_where_a_search_one_by_one_finds_that_it_does(tmp_path: Path, seed: int) -> None:
    """With the longest hallway that there is, and nowhere else; and where the search finds nothing it does not fit."""
    content, stream, dice = load(tmp_path, files("prefabs: {hall: 1}")), Stream(seed), Random(seed)
    place, choice = ground(24, 34), some_pieces(content, stream)
    first = dice.choice(choice)
    spots = place.bands[0].spots(first)
    place.put(first, place.board.nth(spots, dice.randrange(spots.bit_count())))
    lengths = range(dice.choice([0, 0, 1, 2]), 6)
    refused = 0
    for _ in range(14):
        piece = dice.choice(choice)
        fit, expected = place.fits(piece, lengths, stream), tried(place, piece, lengths)
        if fit is None:
            refused += 1
            assert not expected
            continue
        assert (*fit.cell, fit.length) in expected
        assert fit.length == max(length for *_, length in expected)
        place.put(piece, fit.cell)
        assert fit.connector is not None
        assert fit.joint is not None
        own = place.joints[
            fit.cell.y + fit.connector.y, fit.cell.x + fit.connector.x, fit.connector.dy, fit.connector.dx
        ]
        place.join(fit.joint, own, [fit.joint.ahead(step) for step in range(1, fit.length + 1)])
        assert components(place.canvas.open)[1] == 1
    assert refused < 14


def test_no_hallway_begins_in_what_another_piece_has_drawn(tmp_path: Path) -> None:
    prefabs = {"yard": PREFABS["yard"], "block": "#######\n###.###\n###.###\n###*###"}
    content = load(tmp_path, files("prefabs: {yard: 1, block: 1}", prefabs))
    yard, block = (piece_of(content.prefabs[name].drawing, content.terrain_set) for name in prefabs)
    place = ground(24, 34)
    place.put(yard, Cell(5, 5))
    (band,) = place.bands
    before = band.fronts
    place.put(block, Cell(5, 11))
    covered = before & band.built
    assert place.board.cells(covered)
    assert not covered & (band.clear | band.fronts)


def test_bands_of_a_tall_map_agree_on_the_rows_that_they_share(tmp_path: Path) -> None:
    content, stream = load(tmp_path, files("prefabs: {hall: 1}")), Stream(4)
    place, choice = ground(4 * BAND + 7, 40), some_pieces(content, stream)
    assert len(place.bands) > 2
    fit = place.first_spot(choice[0], stream)
    assert fit is not None
    place.put(choice[0], fit.cell)
    for _ in range(60):
        piece = stream.pick(choice)
        found = place.fits(piece, range(8), stream)
        if found is None:
            continue
        place.put(piece, found.cell)
        assert found.joint is not None
        assert found.connector is not None
        edge = found.cell.y + found.connector.y, found.cell.x + found.connector.x
        own = place.joints[(*edge, found.connector.dy, found.connector.dx)]
        place.join(found.joint, own, [found.joint.ahead(step) for step in range(1, found.length + 1)])
        assert components(place.canvas.open)[1] == 1
    fresh = PieceGround(canvas=place.canvas, close=lambda: t.DOORWAY, typed=False)
    stride = place.board.stride
    for one, other in pairwise(place.bands):
        rows = other.top - one.top
        for name in ("earth", "clear", "opened", "walked", "built", "plain", "doors", "hinges", "fronts"):
            kept = getattr(other, name) & (1 << (one.board.height - rows) * stride) - 1
            assert getattr(one, name) >> rows * stride == kept, name
        for sort in {*one.edges, *other.edges}:
            kept = other.edges.get(sort, 0) & (1 << (one.board.height - rows) * stride) - 1
            assert one.edges.get(sort, 0) >> rows * stride == kept
    for band, known in zip(place.bands, fresh.bands, strict=True):
        assert (band.opened, band.clear) == (known.opened, known.clear & band.clear)
        assert band.count == sum(mask.bit_count() for mask in band.edges.values())
    assert len({place.band_at(region.bounds.y).top for region in place.canvas.regions}) > 1


# -- whole maps -----------------------------------------------------------------------------------

ALL = "prefabs: {hall: 2, bend: 2, apse: 1, yard: 1}"


@pytest.mark.parametrize(
    "settings",
    [
        ALL,
        f"{ALL}, auto: 0%, hallway: 0..3",
        f"{ALL}, auto: 0%, hallway: 1..12, typed: true, doors: door",
        "rooms: 40, side: 1..12, hallway: 0..2, doors: {open: 1, secret door: 1}",
        f"{ALL}, overlays: 5, saves: 0, reach: 40",
        "prefabs: {cell: 1}, auto: 0%, hallway: 0, rooms: 300, doors: open",
    ],
)
def test_levels_are_proved_and_made_at_the_first_attempt(tmp_path: Path, settings: str) -> None:
    content = load(tmp_path, files(settings))
    for level in levels(content, 12):
        assert level.retries == 0


def test_there_are_as_many_pieces_as_there_are_to_be(tmp_path: Path) -> None:
    content = load(tmp_path, files(f"{ALL}, rooms: 9"))
    for seed in range(20):
        assert len(pieces(content, seed)) == 9


def test_a_map_ends_when_enough_of_it_is_open(tmp_path: Path) -> None:
    content = load(tmp_path, files(f"{ALL}, rooms: 100, area: 20%, loops: 0%"))
    for level in levels(content, 10):
        share = level.terrain_set.open[level.terrain].sum() / (38 * 58)
        assert 0.2 <= share < 0.25


def test_copies_and_weights_are_kept(tmp_path: Path) -> None:
    content = load(
        tmp_path,
        files(
            "prefabs: {hall: 3, bend: 1, apse: {weight: 9, copies: 2}}, auto: 0%, rooms: 10", size="100x60"
        ),
    )
    counts = Counter(name.split()[0] for seed in range(30) for name in pieces(content, seed))
    each = [Counter(name.split()[0] for name in pieces(content, seed))["apse"] for seed in range(10)]
    assert each == [2] * 10
    assert 2.2 < counts["hall"] / counts["bend"] < 4.2


def test_the_starting_prefab_comes_first_and_about_the_middle(tmp_path: Path) -> None:
    content = load(tmp_path, files("start: yard, prefabs: {hall: 1}, auto: 50%"))
    for seed in range(10):
        assert pieces(content, seed)[0].split()[0] == "yard"
        assert sum(name.startswith("yard") for name in pieces(content, seed)) == 1


def test_hallways_are_as_long_as_they_may_be(tmp_path: Path) -> None:
    content = load(tmp_path, files("prefabs: {hall: 1}, auto: 0%, rooms: 12, hallway: 3..5, loops: 0%"))
    for level in levels(content, 10):
        lengths = {max(region.bounds[2:]) for region in level.regions if region.kind == "corridor"}
        assert lengths
        assert lengths <= {3, 4, 5}


def test_a_maze_of_one_tiny_prefab_has_one_way_from_each_cell_to_each_other(tmp_path: Path) -> None:
    settings = "prefabs: {cell: 1}, auto: 0%, hallway: 0, rooms: 1000, doors: open, loops: 0%"
    content = load(tmp_path, files(settings, size="41x31"))
    for level in levels(content, 4):
        assert loops_in(level) == 0
        assert level.walkable.sum() > 0.3 * level.terrain.size


def test_a_barren_map_leaves_stretches_of_earth_out_elsewhere_for_every_seed(tmp_path: Path) -> None:
    settings = "prefabs: {cell: 1}, auto: 0%, hallway: 0, rooms: 1000, doors: open, loops: 0%"
    found = {}
    for barren in ("0%", "40%"):
        content = load(tmp_path / barren, files(f"{settings}, barren: {barren}", size="61x41"))
        found[barren] = [level.walkable for level in levels(content, 10)]
        assert all(components(cells)[1] == 1 for cells in found[barren])
    full = np.mean([cells.sum() for cells in found["0%"]])
    left = np.array([cells.sum() for cells in found["40%"]]) / full
    assert left.max() < 0.97
    assert 0.5 < left.mean() < 0.85  # half as much is asked for, or more
    often = {barren: np.mean(cells, 0).max() for barren, cells in found.items()}
    assert often["40%"] < often["0%"] - 0.05


def test_hallways_cross_barren_stretches_to_what_was_seeded(tmp_path: Path) -> None:
    settings = "prefabs: {hall: 1}, rooms: 12, barren: 70%"
    more = "  features: [{prefab: apse, where: centre}]\n"
    content = load(tmp_path, files(settings, more=more))
    for level in levels(content, 20):
        assert dungeon.prove(level) == []
        assert [each.prefab for each in level.placements if each.mode == "seeded"] == ["apse"]


@pytest.mark.parametrize("saves", [10, 40])
def test_loops_save_as_many_steps_as_they_are_to(tmp_path: Path, saves: int) -> None:
    few, many = (
        sum(loops_in(level) for level in levels(load(tmp_path / name, files(f"rooms: 24, {rest}")), 12))
        for name, rest in (("few", "loops: 0%"), ("many", f"loops: 100%, saves: {saves}"))
    )
    assert few < many


def test_all_three_kinds_of_loops_are_dug(tmp_path: Path) -> None:
    content, kinds = load(tmp_path, files(f"{ALL}, hallway: 1..4, saves: 12")), Counter()
    for seed in range(20):
        before = None
        for step in world(content, seed).steps("m/1"):
            here = [region for region in step.canvas.regions if region.kind == "corridor"]
            if step.message.startswith("a loop") and before is not None:
                new = [region.bounds for region in here[before:]]
                kinds["door" if not new else "straight" if min(new[0][2:]) == 1 else "bent"] += 1
            before = len(here)
    assert min(kinds["door"], kinds["straight"], kinds["bent"]) >= 3, kinds


def test_overlays_open_a_map_up(tmp_path: Path) -> None:
    content = load(tmp_path, files("rooms: 20, overlays: 4, side: 3..8"))
    zones = [region for level in levels(content, 15) for region in level.regions if region.kind == "zone"]
    assert len(zones) > 40


def test_a_connector_beside_floor_has_no_door(tmp_path: Path) -> None:
    """A door there would have a wall on one side only; the way is opened all the same."""
    porch = """
        #######
        #.....#
        #.....#
        #....*?
        ######?
        ######?
    """
    content = load(tmp_path, files("", PREFABS | {"porch": porch}))
    place = ground(20, 30)
    for name, cell in (("porch", (5, 5)), ("hall", (6, 11))):
        place.put(piece_of(content.prefabs[name].drawing, content.terrain_set), Cell(*cell))
    place.join(place.joints[8, 11, 0, -1], place.joints[8, 10, 0, 1], [])
    assert place.canvas.connections == []
    assert components(place.canvas.open)[1] == 1


def test_it_ends_where_nothing_fits_and_says_why(tmp_path: Path) -> None:
    wide = {"hall": PREFABS["hall"], "huge": "\n".join(["." * 70] * 4)}
    content = load(tmp_path, files("prefabs: {hall: 1, huge: 5}, auto: 0%, rooms: 500", wide))
    for level in levels(content, 4):
        said = notes(level)
        assert "huge: no connector has the space for it" in said
        assert any("no other piece fits anywhere" in each for each in said)


def test_what_would_leave_no_connector_is_refused_for_that(tmp_path: Path) -> None:
    stubs = dict.fromkeys(("porch", "stub"), "#####\n#...*\n#####")
    content = load(tmp_path, files("start: porch, prefabs: {stub: 1}, auto: 0%, rooms: 5", stubs))
    for level in levels(content, 4):
        assert "stub: it would use up the last open connector" in notes(level)
    last = load(tmp_path, files("start: porch, prefabs: {stub: 1}, auto: 0%, rooms: 2", stubs))
    assert not any("stub: " in note for level in levels(last, 4) for note in notes(level))


def test_a_map_that_can_not_begin_is_an_error_with_its_reason(tmp_path: Path) -> None:
    content = load(tmp_path, files("prefabs: {box: 1}, auto: 0%", {"box": "###\n#.#\n###"}))
    with pytest.raises(dungeon.GenerationError, match="box: it has no link, door or open edge"):
        world(content, 1).level("m/1")


def test_features_are_joined_to_it(tmp_path: Path) -> None:
    more = "  features: [{prefab: apse, at: [4, 4]}, {blocked: 3x60%, where: middle columns}, {prefab: yard, at: [-5, -5]}]\n"
    content = load(tmp_path, files("prefabs: {hall: 1, bend: 1}, rooms: 12", more=more))
    for level in levels(content, 12):
        assert level.retries == 0
        assert sum(each.mode == "seeded" for each in level.placements) == 2


def test_stairs_lie_in_drawn_rooms_where_there_are_no_others(tmp_path: Path) -> None:
    content = load(tmp_path, files("prefabs: {hall: 1}, auto: 0%, rooms: 8"))
    kinds = Counter()
    for level in levels(content, 20):
        region = level.kinds[int(level.region[level.entrance])]
        kinds[region] += 1
    assert kinds == {"prefab": 20}


def test_no_two_maps_are_alike(tmp_path: Path) -> None:
    """Two maps share as many open cells as chance has it, give or take."""
    content = load(tmp_path, files(f"{ALL}, rooms: 14"))
    found = [level.walkable for level in levels(content, 24)]
    share = np.mean(found)
    overlaps = [(a & b).sum() / (a | b).sum() for number, a in enumerate(found) for b in found[:number]]
    assert np.mean(overlaps) < share / (2 - share) + 0.08


def test_mistakes_in_a_deck_are_told(tmp_path: Path) -> None:
    for settings, expected in (
        ("prefabs: {hal: 1}", "there is no prefab or tag of this name: hal"),
        ("prefabs: {hall: {weigt: 2}}", "this key is not known: weigt"),
        ("prefabs: {hall: seldom}", "there is no weight word of this name: seldom"),
        ("start: hal", "there is no prefab or tag of this name: hal"),
        ("shapes: {square: 1}", "square"),
        ("doors: gate", "gate"),
    ):
        with pytest.raises(dungeon.ContentError) as error:
            load(tmp_path / settings[:24].replace(" ", "_").replace(":", ""), files(settings))
        assert expected in str(error.value), settings


def test_a_picture(tmp_path: Path) -> None:
    """What is left over is walled up; what is joined has the door that is drawn, or one of the map's."""
    content = load(
        tmp_path,
        files(
            "start: apse, prefabs: {hall: 1}, auto: 0%, rooms: 2, hallway: 2, doors: doorway", size="50x40"
        ),
    )
    level = world(content, 3).level("m/1")
    shown = picture(level.terrain)
    assert shown.count("+") == 1
    assert shown.count("'") == 1


def test_a_locked_door_is_no_connector_if_nothing_opens_it_or_its_key_may_lie_behind_it(tmp_path):
    files = {
        "objects/items.yaml": "key: {name: key, glyph: k}\n",
        "locks.yaml": "salt: {name: salt lock, opened_by: {item: key}}\n",
        "prefabs/p.yaml": (
            'safe: {map: "##+##\\n#.k.#\\n##L##", orientations: r0,\n'
            "  legend: {k: {item: key, opens: iron}, L: {terrain: locked_door, lock: iron}}}\n"
            'gate: {map: "##+##\\n#...#\\n##L##", orientations: r0, legend: {L: {terrain: locked_door, lock: salt}}}\n'
            'shut: {map: "##+##\\n#...#\\n##L##", orientations: r0, legend: {L: locked_door}}\n'
        ),
        "maps/m.yaml": "m: {name: M, layout: {connected: {prefabs: {safe: 1, gate: 1, shut: 1}, rooms: 4}}}\n",
        "world.yaml": "start: m/1\n",
    }
    content = load(tmp_path, files)
    sides = {
        name: {
            (each.dy, each.dx)
            for each in connectors_of(content.prefabs[name].drawing, content.terrain_set).connectors
        }
        for name in ("safe", "gate", "shut")
    }
    assert sides == {"safe": {(-1, 0)}, "gate": {(-1, 0), (1, 0)}, "shut": {(-1, 0)}}


def test_a_wide_link_is_no_connector_if_its_middle_line_ends_at_a_locked_door(
    tmp_path: Path,
) -> None:
    drawn = {"free": "#...#", "beside": "#L..#", "shut": "#.L.#"}
    prefabs = "".join(
        f'{name}: {{map: "#####\\n{line}\\n#...#\\n#####", links: "  3\\n\\n\\n  *", orientations: r0,\n'
        "  legend: {L: locked_door}}\n"
        for name, line in drawn.items()
    )
    content = load(tmp_path, {**files(""), "prefabs/all.yaml": prefabs})
    sides = {
        name: {
            (each.dy, each.dx)
            for each in connectors_of(content.prefabs[name].drawing, content.terrain_set).connectors
        }
        for name in drawn
    }
    assert sides == {"free": {(-1, 0), (1, 0)}, "beside": {(-1, 0), (1, 0)}, "shut": {(1, 0)}}
