"""Nobody has to find a secret door to come through, unless most of the map lies behind one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import canvas

import dungeon
from dungeon import Cell, Connection
from dungeon import terrain as t
from dungeon.generation.layouts.doorways import reveal_needed_doors
from dungeon.generation.layouts.exits_pools import in_plain_sight
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Canvas, Level

WORLDS = 12


def is_in_plain_sight(level: Level) -> bool:
    """Tell whether all exits are in the part of the entrance for whoever finds no secret door."""
    labels, _ = components((level.base > t.BLOCKED) & (level.base != t.SECRET_DOOR))
    return all(labels[each.y, each.x] == labels[level.entrance] for each in level.exits)


@pytest.mark.parametrize(
    "layout",
    [
        "connected: {auto: 100%, doors: {door: 1, secret door: 1}}",
        "connected: {auto: 100%, doors: secret door}",
        "tunnels: {doors: {door: 4, doorway: 2, secret door: 1, open: 1}}",
        "cards: {doors: {door: 6, secret door: 1}}",
    ],
)
def test_no_way_on_is_behind_a_secret_door(tmp_path: Path, layout: str) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "m.yaml").write_text(f"m: {{name: M, size: 80x50, layout: {{{layout}}}}}\n")
    (tmp_path / "world.yaml").write_text("name: W\nstart: m/1\nmaps: {m: 1..3}\nleads_to: {m/*: m/+1}\n")
    content = dungeon.load_content(tmp_path)
    levels = [dungeon.World(content, seed).level(f"m/{depth}") for seed in range(WORLDS) for depth in (1, 2)]
    assert all(map(is_in_plain_sight, levels))
    assert sum(np.count_nonzero(level.base == t.SECRET_DOOR) for level in levels) > WORLDS, "there are some"


def rooms_in_a_row(kinds: str) -> Canvas:
    """Return a map with rooms from west to east, and between them doors: ``+`` a door, ``s`` a secret one."""
    row = f"#.{''.join(f'{kind}.' for kind in kinds)}#"
    return canvas(f"{'#' * len(row)}\n{row}\n{'#' * len(row)}")


@pytest.mark.parametrize(
    ("kinds", "left"),
    [
        ("s", "s"),
        ("+s", "+s"),
        ("s+", "s+"),
        ("+s+", "+++"),  # two rooms lie behind it, whoever comes from wherever
        ("sss", "s+s"),
        ("++s++", "+++++"),
        ("ss+s", "s++s"),
    ],
)
def test_a_secret_door_hides_a_single_room(kinds: str, left: str) -> None:
    made = rooms_in_a_row(kinds)
    reveal_needed_doors(made)
    assert "".join("s" if door.kind == t.SECRET_DOOR else "+" for door in made.connections) == left
    assert [int(made.base[door.y, door.x]) for door in made.connections] == [
        door.kind for door in made.connections
    ]


def test_a_secret_door_that_another_way_leads_around_stays() -> None:
    made = rooms_in_a_row("+s+")
    made.connections.append(Connection(y=1, x=2, kind=t.DOOR, between=(1, 4)))
    reveal_needed_doors(made)
    assert [door.kind for door in made.connections] == [t.DOOR, t.SECRET_DOOR, t.DOOR, t.DOOR]


def test_what_a_prefab_has_drawn_stays_secret() -> None:
    made = rooms_in_a_row("+s+")
    made.drawn[1, 4] = True
    reveal_needed_doors(made)
    assert made.connections[1].kind == t.SECRET_DOOR


def test_stairs_are_before_secret_doors_where_most_of_the_map_is() -> None:
    made = rooms_in_a_row("++s")
    ground = made.passable()
    pool = ground & (made.base == t.FLOOR)

    def part(*begun: Cell) -> list[int] | None:
        found = in_plain_sight(made, made.base, ground, pool, begun)
        return None if found is None else np.flatnonzero(found[1] & pool[1]).tolist()

    assert part() == [1, 3, 5]
    assert part(Cell(1, 3)) == [1, 3, 5]
    assert part(Cell(1, 7)) is None, "too little of it is behind"
    made.put(1, 6, t.DOOR)
    assert in_plain_sight(made, made.base, made.passable(), pool, ()) is None, "nothing is secret"
