"""How zones of cards grow and hang together on their grid, before anything is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn import rows

from dungeon import Canvas, GenerationError, LayoutJob, Rect
from dungeon.extend import Board, Journal, Streams
from dungeon.generation.layouts.cards_grid import Lattice
from dungeon.generation.layouts.cards_growth import Grower
from dungeon.generation.layouts.cards_params import SECTIONS, WORDS, CardsParams, Growth, turned
from dungeon.generation.layouts.cards_zones import Plot, ZonePlan
from dungeon.grid.bits import places

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEDS = range(30)


def grid(height: int, width: int, free: str | None = None) -> Lattice:
    """Return a grid; of a picture, its '.' are free."""
    board = Board(height, width)
    cells = board.full
    if free is not None:
        cells = board.from_cells(
            (y, x) for y, row in enumerate(rows(free)) for x, char in enumerate(row) if char == "."
        )
    return Lattice(board=board, top=1, left=1, height=7, width=7, gap=1, free=cells)


def grown(
    seed: int, count: int, growth: object, *, on: Lattice | None = None, at: tuple[int, int] = (10, 10)
) -> int:
    """Return what a zone takes that begins in the middle."""
    lattice = on or grid(21, 21)
    stream = Streams(seed, "test").stream("grow")
    begin = lattice.board.from_cells([at])
    return Grower(lattice, Growth.model_validate(growth), stream).grow(begin, lattice.free, count)


def borders(lattice: Lattice, cells: int, place: int) -> int:
    """Return how many of the sides of a cell are sides of a zone."""
    return (lattice.board.beside(1 << place) & ~(1 << place) & cells).bit_count()


def holes(lattice: Lattice, cells: int, least: int = 3) -> int:
    """Return how many of the cells beside a zone have so many borders."""
    return sum(borders(lattice, cells, place) >= least for place in places(lattice.beside(cells)))


def box(lattice: Lattice, cells: int) -> tuple[int, int]:
    """Return (height, width) of the rectangle around a zone."""
    found = lattice.board.cells(cells)
    ys, xs = [cell.y for cell in found], [cell.x for cell in found]
    return max(ys) - min(ys) + 1, max(xs) - min(xs) + 1


# -- the grid -------------------------------------------------------------------------------------


def laid(count: int, seed: int) -> Lattice:
    """Return the grid of 6x6 cells, at most, on a map for a map of so many cards."""
    params = CardsParams.model_validate({"cell": "8x6", "count": count})
    return Lattice.on(Canvas(1 + 6 * 7, 1 + 6 * 9), params, Streams(seed, "test").stream("grid"))


def test_a_grid_lies_anywhere_where_it_is_roomy() -> None:
    grids = [laid(17, seed) for seed in range(400)]
    assert {each.top for each in grids} == set(range(1, 8))
    assert {each.left for each in grids} == set(range(1, 10))
    for each in grids:
        assert each.board.height == (6 if each.top == 1 else 5)
        assert each.board.width == (6 if each.left == 1 else 5)
        assert each.on_map(Rect(0, 0, each.board.height, each.board.width)).bottom < 43


def test_a_grid_that_is_needed_has_as_many_cells_as_there_is_space_for() -> None:
    grids = [laid(18, seed) for seed in SEEDS]
    assert {(each.top, each.left, each.board.height, each.board.width) for each in grids} == {(1, 1, 6, 6)}


# -- growing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "growth", [*WORDS, {"sections": {"T": 1, "S": 1, "cell": 1}}, {"ageing": 0.5, "toward": "east"}]
)
def test_a_zone_takes_as_many_cells_as_it_is_to_have_all_of_them_beside_each_other(growth: object) -> None:
    lattice = grid(21, 21)
    for seed in SEEDS:
        cells = grown(seed, 30, growth)
        assert cells.bit_count() == 30
        assert lattice.board.flood(cells, cells & -cells) == cells


def test_a_zone_takes_nothing_but_what_is_free_and_ends_where_there_is_no_more() -> None:
    lattice = grid(3, 5, free="..#..\n.##..\n..#..")
    assert lattice.board.cells(grown(1, 99, "random", on=lattice, at=(0, 0))) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (2, 0),
        (2, 1),
    ]


def test_with_most_borders_first_it_fills_rectangles() -> None:
    lattice = grid(21, 21)
    for seed in SEEDS:
        for count in (9, 16, 23):
            cells = grown(seed, count, "filled")
            height, width = box(lattice, cells)
            assert height * width - count < max(height, width)  # all but a part of one row or column


def test_a_blob_has_next_to_no_holes_and_chance_has_many() -> None:
    lattice = grid(21, 21)
    counts = {
        word: sum(holes(lattice, grown(seed, 40, word)) for seed in SEEDS) for word in ("random", "blob")
    }
    assert counts["blob"] < 10 * len(SEEDS) / 30
    assert counts["random"] > 4 * max(counts["blob"], 1)


def test_chances_per_number_of_borders_lie_between_never_and_always() -> None:
    lattice = grid(21, 21)
    counts = [
        sum(holes(lattice, grown(seed, 40, {"chances": {4: 1.0, 3: chance}})) for seed in SEEDS)
        for chance in (0.0, 0.3, 1.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[1] > counts[2]


@pytest.mark.parametrize(("toward", "sign"), [("north-east", (-1, 1)), ("south", (1, 0)), ("west", (0, -1))])
def test_it_grows_toward_a_direction(toward: str, sign: tuple[int, int]) -> None:
    for seed in SEEDS:
        found = grid(21, 21).board.cells(grown(seed, 20, {"toward": toward}))
        means = [sum(cell[axis] for cell in found) / len(found) - 10 for axis in (0, 1)]
        assert sum(mean * way for mean, way in zip(means, sign, strict=True)) > 1


def test_about_its_centre_it_stays_small_and_chance_strays() -> None:
    lattice = grid(21, 21)
    spans = {
        name: sum(max(box(lattice, grown(seed, 30, growth))) for seed in SEEDS)
        for name, growth in (("centre", {"toward": "centre", "pull": 3}), ("random", "random"))
    }
    assert spans["centre"] < 0.8 * spans["random"]


def test_cells_that_are_passed_over_grow_likelier() -> None:
    lattice = grid(21, 21)

    def late(ageing: float) -> int:
        """Return how often the first cell is still not walled in after a while."""
        middle = 10 * lattice.board.stride + 10
        return sum(borders(lattice, grown(seed, 25, {"ageing": ageing}), middle) for seed in range(200))

    assert late(1.0) > 1.05 * late(0.0)


@pytest.mark.parametrize("name", [name for name in SECTIONS if len("".join(SECTIONS[name])) > 1])
def test_sections_are_laid_as_they_are_built(name: str) -> None:
    size = len(turned(name)[0])
    for seed in SEEDS:
        lattice = grid(21, 21)
        first = lattice.board.cells(grown(seed, size + 1, {"sections": name}))
        shapes = [{(10 + y, 10 + x) for y, x in offsets} for offsets in turned(name)]
        rest = [set(first) - {(10, 10)}]
        moved = {frozenset((y - oy, x - ox) for y, x in cells) for cells in rest for oy, ox in cells}
        assert moved & {frozenset((y - 10, x - 10) for y, x in shape) for shape in shapes}


# -- zones ----------------------------------------------------------------------------------------


def planned(
    seed: int,
    zones: dict[str, dict[str, object]],
    *,
    on: Lattice | None = None,
    required: frozenset[str] = frozenset(),
    **more: object,
) -> ZonePlan:
    """Return zones as they lie on a grid."""
    params = CardsParams.model_validate({"zones": zones, **more})
    job = LayoutJob(streams=Streams(seed, "test"), journal=Journal(), prefabs={}, required=required)
    return ZonePlan.drawn(on or grid(14, 18), params, job)


def pairs(plan: ZonePlan) -> Iterator[tuple[Plot, Plot]]:
    """Yield each zone that is joined to another one, and that."""
    for plot in plan.plots:
        if plot.parent is not None:
            yield plot, plan.plots[plot.parent]


TREE: dict[str, dict[str, object]] = {
    "a": {"count": 14},
    "b": {"count": 12, "join": "bridge"},
    "c": {"count": 10, "join": "bridge", "from": "a"},
    "d": {"count": 8, "join": "bridge", "from": "b"},
}


@pytest.mark.parametrize("apart", [False, True])
def test_a_bridge_has_one_border_at_each_end_and_a_gap_stays_between_zones(*, apart: bool) -> None:
    built = 0
    for seed in SEEDS:
        plan = planned(seed, TREE, apart=apart)
        lattice = plan.lattice
        reach = lattice.around if apart else lattice.beside
        for plot, other in pairs(plan):
            assert plot.bridge is not None
            near = lattice.beside(1 << plot.bridge)
            assert (near & other.cells).bit_count() == (near & plot.cells).bit_count() == 1
            assert plan.taken & near == near & (other.cells | plot.cells)
            assert places(near & other.cells)[0] + places(near & plot.cells)[0] == 2 * plot.bridge
            built += 1
        for number, plot in enumerate(plan.plots):
            for other in plan.plots[:number]:
                assert not reach(plot.cells) & other.cells
    assert built > 2.5 * len(SEEDS)


def test_a_tumour_grows_on_the_side_of_its_zone_and_has_as_many_doors_as_it_is_to_have() -> None:
    for seed in SEEDS:
        plan = planned(
            seed,
            {
                "a": {"count": 14},
                "b": {"join": "tumour", "count": 9, "doors": 2},
                "c": {"join": "tumour", "from": "a", "count": 5},
            },
        )
        for plot, other in pairs(plan):
            lattice = plan.lattice
            shared = sum(borders(lattice, other.cells, place) for place in places(plot.cells))
            assert shared >= 1
            assert len(plot.gates) == min(shared, 2 if plot.name == "b" else 1)
            for before, place in plot.gates:
                assert other.cells >> before & plot.cells >> place & 1
            assert lattice.board.flood(plot.cells, plot.cells & -plot.cells) == plot.cells
        if len(plan.plots) == 3:
            assert not plan.lattice.beside(plan.plots[1].cells) & plan.plots[2].cells


def test_the_parts_of_a_multi_tumour_lie_about_its_zone_each_with_a_door_of_its_own() -> None:
    most = 0
    for seed in SEEDS:
        plan = planned(seed, {"a": {"count": 16}, "b": {"join": "multi-tumour", "count": 9}})
        plot, other = plan.plots[1], plan.plots[0]
        rest, parts = plot.cells, 0
        while rest:
            part = plan.lattice.board.flood(rest, rest & -rest)
            assert sum(part >> place & 1 for _, place in plot.gates) == 1
            assert plan.lattice.beside(part) & other.cells
            rest ^= part
            parts += 1
        most = max(most, parts)
    assert most > 2


def test_an_island_touches_nothing_and_a_winding_tunnel_leads_there() -> None:
    lengths = []
    for seed in SEEDS:
        plan = planned(
            seed,
            {"a": {"count": 14}, "b": {"join": "island", "count": 9}, "c": {"join": "bridge", "count": 5}},
        )
        island, main = plan.plots[1], plan.plots[0]
        lattice = plan.lattice
        assert not lattice.beside(island.cells) & main.cells
        assert not any(1 << place & (island.cells | main.cells) for place in island.tunnel)
        first, last = island.tunnel[0], island.tunnel[-1]
        assert borders(lattice, main.cells, first)
        assert borders(lattice, island.cells, last)
        assert all(
            borders(lattice, 1 << one, other)
            for one, other in zip(island.tunnel, island.tunnel[1:], strict=False)
        )
        lengths.append(len(island.tunnel))
    assert len({*lengths}) > 2


def test_a_zone_without_a_place_is_left_out_with_all_that_hangs_on_it() -> None:
    plan = planned(1, {"a": {"count": 6}, "b": {"count": 3}, "c": {"count": 3}}, on=grid(2, 2))
    assert [plot.name for plot in plan.plots] == ["a"]
    assert [(each.subject, each.reason) for each in plan.job.journal.decisions] == [
        ("zone b", "it has no place beside zone a"),
        ("zone c", "zone b is not on the map"),
        ("zone a", "there is no space for more than 4 cells of 6"),
    ]


def test_without_a_required_zone_there_is_no_plan() -> None:
    zones: dict[str, dict[str, object]] = {"a": {"count": 3}, "b": {"count": 3}}
    with pytest.raises(GenerationError, match="zone b must be on the map, and it has no place beside zone a"):
        planned(1, zones, on=grid(2, 2), required=frozenset({"b"}))


@pytest.mark.parametrize("join", ["bridge", "tumour", "multi-tumour", "island"])
@pytest.mark.parametrize("apart", [True, False])
def test_zones_that_hang_on_one_do_not_close_it_in(join: str, *, apart: bool) -> None:
    zones: dict[str, dict[str, object]] = {"hub": {"count": 9}}
    zones |= {name: {"count": 5, "join": join, "from": "hub"} for name in ("n", "e", "s", "w", "last")}
    for seed in SEEDS:
        plan = planned(seed, zones, on=grid(10, 11), apart=apart)
        assert [plot.name for plot in plan.plots] == [*zones], seed
